use crate::analysis::{Pattern, outermost_occurrences, sum};
use crate::model::{FilterAction, Measure, NodeId, Step, View};
use crate::query::messages;
use crate::text::fit_name;
use crate::units::{Scale, percent};

/// Waiting counts in both or in neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartOfWhole {
    pub left: u64,
    pub whole: u64,
    /// Whether the steps only left out stacks, so that the difference would be saved.
    is_saving: bool,
}

/// The total of the whole recording; `None` if the view is not limited to threads or a time range.
pub fn recording_total(view: &View, measure: Measure) -> Option<u64> {
    let scope = &view.steps.scope;
    let is_part = scope.range.is_some() || !scope.threads.has_all();
    let whole = is_part.then(|| View::whole(&view.recording, scope.form()))?;
    Some(measure.inclusive(&whole, NodeId::ROOT))
}

/// `81.2 % of 6,320.0 ms`.
pub fn share_of_recording(
    view: &View,
    measure: Measure,
    value: u64,
    scale: Scale,
) -> Option<String> {
    let whole = recording_total(view, measure)?;
    let share = percent(value, whole);
    Some(messages::share_of_recording(
        &share,
        &scale.with_unit(whole),
    ))
}

/// `Process (3676) Test.exe, 1 of 20 = 81.2 % of 6,320.0 ms`, then [`steps_words`]. `None` for a view of
/// everything.
pub fn describe_view(view: &View, measure: Measure, scale: Scale, cells: usize) -> Option<String> {
    let scope = view.steps.scope.words(&view.recording).join(", ");
    let base_value = measure.inclusive(view.base(), NodeId::ROOT);
    let share = share_of_recording(view, measure, base_value, scale);
    let scope = match share {
        Some(share) => format!("{scope} = {share}"),
        None => scope,
    };
    let parts = [Some(scope), steps_words(view, measure, scale, cells)].into_iter();
    let parts: Vec<String> = parts.flatten().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The value that steps leave and what each of several dropped methods would save: `without A.B: 3,273.0 of 5,129.0 ms
/// left, 1,856.0 ms (36.2 %) saved`.
pub fn steps_words(view: &View, measure: Measure, scale: Scale, cells: usize) -> Option<String> {
    let steps = view.steps.transforms.iter().zip(view.step_words());
    let mut words: Vec<String> = steps
        .map(|(step, words)| match is_unmatched(step, view.base()) {
            true => messages::without_match(words),
            false => words.clone(),
        })
        .collect();
    words.dedup();
    if words.is_empty() {
        return None;
    }
    let words = fit_name(&words.join(", "), cells);
    let Some(part) = PartOfWhole::of(view, measure) else {
        return Some(words);
    };
    let part_words = part.words(scale);
    let alone = match &part.saved_alone(view, measure, scale, cells)[..] {
        [] | [_] => String::new(),
        alone => messages::each_alone(&alone.join(", ")),
    };
    Some(format!("{words}: {part_words}{alone}"))
}

/// Whether it removes what a pattern matches, and no method does. Other filters are refused then.
fn is_unmatched(step: &Step, base: &View) -> bool {
    match step {
        Step::Filter {
            action: FilterAction::Ignore | FilterAction::Hide,
            pattern,
        } => Pattern::new(pattern).is_ok_and(|pattern| !pattern.occurs(base)),
        _ => false,
    }
}

impl PartOfWhole {
    /// `None` if the steps have not changed the total.
    pub fn of(view: &View, measure: Measure) -> Option<PartOfWhole> {
        let base = view.base();
        let leaves_out = |step: &Step| match step {
            Step::Drop(_) | Step::DropNodes(_) => true,
            Step::Filter { action, .. } => *action == FilterAction::Ignore,
            _ => false,
        };
        let mut steps = view.steps.transforms.iter();
        let part = PartOfWhole {
            left: measure.inclusive(view, NodeId::ROOT),
            whole: measure.inclusive(base, NodeId::ROOT),
            is_saving: steps.all(|step| leaves_out(step) || step.keeps_totals()),
        };
        (part.left != part.whole).then_some(part)
    }

    fn saved_alone(self, view: &View, measure: Measure, scale: Scale, cells: usize) -> Vec<String> {
        let base = view.base();
        let saved = |(step, words): (&Step, &String)| {
            let Step::Drop(methods) = step else {
                return None;
            };
            let frames = methods.iter();
            let frames = frames.filter_map(|method| base.frames.with_key(method));
            let dropped = outermost_occurrences(base, NodeId::ROOT, &frames.collect::<Vec<_>>());
            let dropped = sum(dropped.iter().map(|&node| measure.inclusive(base, node)));
            let share = percent(dropped, self.whole);
            let words = fit_name(words, cells);
            Some(messages::saved(&words, &scale.with_unit(dropped), &share))
        };
        if !self.is_saving {
            return Vec::new();
        }
        let steps = view.steps.transforms.iter();
        steps.zip(view.step_words()).filter_map(saved).collect()
    }

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
        let [saved, left_rounded] = [self.whole, self.left].map(|value| scale.rounded(value));
        let saved = saved.saturating_sub(left_rounded);
        messages::left_and_saved(&left, &whole, &scale.with_unit(saved), &share)
    }
}
