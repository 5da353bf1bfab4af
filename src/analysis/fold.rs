//! Folding a recording to the tree of a view, and the steps that follow.

use super::cautions;
use super::range::in_range;
use super::remap::Remap;
use super::threads::choose;
use crate::model::{Fold, NodeId, Profile, Recording, Step, Steps, TooLarge, TreeForm, Truncation};
use std::sync::Arc;

/// What is to be known of truncated stacks in a range of time.
const OF_THE_WHOLE: &str =
    "What is said of truncated stacks is about the whole recording, not only this range of time.";

/// The view that these steps make of a recording.
///
/// # Errors
/// The tree got too large.
pub fn make(recording: &Arc<Recording>, steps: &Steps) -> Result<Profile, TooLarge> {
    let view = fold(recording, &steps.fold)?;
    Ok(steps.then.iter().fold(view, apply))
}

/// What a further step makes of a view.
pub fn apply(mut view: Profile, step: &Step) -> Profile {
    match step {
        // what is not there can't be focused
        Step::Focus(label) => view.root = node_labelled(&view, label).unwrap_or(view.root),
    }
    view.steps.then.push(step.clone());
    view
}

/// The view of all of a recording, in a form that it has. O(frames + nodes of waits).
pub fn whole(recording: &Arc<Recording>, form: TreeForm) -> Profile {
    let view = Profile::whole(recording, form);
    let cautions = cautions(&view);
    view.with_cautions(cautions)
}

/// What the first step makes of a recording: repaired or as it was recorded, of a range of time and of
/// these threads. A recording without times has no ranges: it is folded whole. O(nodes + samples), but as [`whole`] where
/// nothing is to be made.
///
/// # Errors
/// The tree got too large.
pub fn fold(recording: &Arc<Recording>, fold: &Fold) -> Result<Profile, TooLarge> {
    if fold.is_whole() {
        return Ok(whole(recording, fold.form()));
    }
    let mut view = Profile::whole(recording, fold.form());
    if let (Some(range), Ok(samples)) = (fold.range, &recording.samples) {
        view = in_range(&view, samples, range)?;
    }
    let mut view = choose(&view, &fold.threads)?;
    view.steps.fold = fold.clone();
    view.cautions = cautions(&view);
    if view.range().is_some() && view.truncation.as_ref().is_some_and(Truncation::is_any) {
        view.cautions.push(OF_THE_WHOLE.into());
    }
    Ok(view)
}

/// The node of a view that is called `label`: the one that comes from the recorded node of this label, in either form of the
/// tree, else the one with the path of its frames, such as where threads were merged. O(nodes) at worst.
pub fn node_labelled(view: &Profile, label: &str) -> Option<NodeId> {
    let (form, recorded) = view.recording.node_labelled(label)?;
    let own = if form == view.form { view.node_from(recorded) } else { None };
    own.or_else(|| {
        let whole = Profile::whole(&view.recording, form);
        let (node, is_same) = Remap::new(&whole, view).node(recorded);
        is_same.then_some(node)
    })
}
