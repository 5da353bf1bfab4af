//! How much of a recording the steps of a view leave.

use crate::model::{FilterAction, Measure, NodeId, Step, View};
use crate::query::messages;
use crate::units::{Scale, percent};

/// The totals of a view and of the tree of its first step; waiting counts in both or in neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartOfWhole {
    pub left: u64,
    pub whole: u64,
    /// Whether the steps only left stacks out, so that the rest would be saved.
    is_saving: bool,
}

/// The total of the whole recording, if the view is limited to threads or a time range.
pub fn of_recording(view: &View, measure: Measure) -> Option<u64> {
    let scope = &view.steps.scope;
    let is_part = scope.range.is_some() || !scope.threads.has_all();
    let whole = is_part.then(|| View::whole(&view.recording, scope.form()))?;
    Some(measure.inclusive(&whole, NodeId::ROOT))
}

/// A value as a share of [`of_recording`]: `81.2 % of the whole 6,320.0 ms`.
pub fn share_of_recording(
    view: &View,
    measure: Measure,
    value: u64,
    scale: Scale,
) -> Option<String> {
    let whole = of_recording(view, measure)?;
    let share = percent(value, whole);
    Some(messages::share_of_recording(
        &share,
        &scale.with_unit(whole),
    ))
}

impl PartOfWhole {
    /// `None` if the steps have not changed the total.
    pub fn of(view: &View, measure: Measure) -> Option<PartOfWhole> {
        let base = view.base();
        let of_base = Measure {
            counts_waiting: measure.counts_waiting,
            ..base.measure(measure.metric)
        };
        let leaves_out = |step: &Step| {
            matches!(
                step,
                Step::Drop(_)
                    | Step::DropNode(_)
                    | Step::Filter {
                        action: FilterAction::Ignore,
                        ..
                    }
            )
        };
        let mut steps = view.steps.transforms.iter();
        let part = PartOfWhole {
            left: measure.inclusive(view, NodeId::ROOT),
            whole: of_base.inclusive(base, NodeId::ROOT),
            is_saving: steps.all(|step| leaves_out(step) || step.keeps_totals()),
        };
        (part.left != part.whole).then_some(part)
    }

    /// Its share of the whole in percent.
    pub fn percent(self) -> f64 {
        percent(self.left, self.whole)
    }

    /// `3,366.6 of 3,525.9 ms left, 159.3 ms (4.5 %) saved`, or for a subtree `271.2 of 5,208.6 ms (5.2 %)`.
    pub fn words(self, scale: Scale) -> String {
        let (left, whole) = (scale.number(self.left), scale.with_unit(self.whole));
        if !self.is_saving {
            return messages::part_of_whole(&left, &whole, &self.percent());
        }
        let share = percent(self.whole.saturating_sub(self.left), self.whole);
        let saved = scale
            .rounded(self.whole)
            .saturating_sub(scale.rounded(self.left));
        messages::left_and_saved(&left, &whole, &scale.with_unit(saved), &share)
    }
}
