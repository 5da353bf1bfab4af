//! Describes in words how steps changed a tree.

use crate::model::{MetricId, NodeId, View};
use crate::units::{Scale, percent};

/// What steps have made of the tree, if there are any, and what of its total they show:
/// `4,921.0 of 7,105.0 ms shown (69 %), without List<T>.InsertRange`.
pub(super) fn steps_words(view: &View, metric: MetricId, scale: Scale) -> Option<String> {
    let steps = view.steps.words_of_then(&view.recording);
    let [shown, all] = [view, view.base()].map(|view| view.tree.inclusive(metric, NodeId::ROOT));
    let words = steps.join(", ");
    (!steps.is_empty()).then(|| match shown == all {
        true => words,
        false => {
            let share = percent(shown, all);
            format!(
                "{} of {} shown ({share:.0} %), {words}",
                scale.number(shown),
                scale.with_unit(all)
            )
        }
    })
}
