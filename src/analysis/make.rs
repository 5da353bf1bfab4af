use super::caller_tree::CallerTree;
use super::cautions;
use super::range::in_range;
use super::remap::Remap;
use super::rewrite::{
    Pattern, Runs, collapse_recursion, collapse_runs, drop_methods, drop_nodes, filter,
};
use super::threads::choose;
use crate::diagnostics::{Diagnostic, Severity};
use crate::model::{
    BuildError, NodeId, NodeRef, Progress, Recording, Scope, Step, TooLarge, TreeForm, Truncation,
    View, ViewSpec,
};
use std::sync::Arc;

pub fn make(recording: &Arc<Recording>, steps: &ViewSpec) -> Result<View, TooLarge> {
    // nothing can cancel it
    make_watched(recording, steps, &Progress::default()).map_err(|_| TooLarge)
}

pub fn make_watched(
    recording: &Arc<Recording>,
    steps: &ViewSpec,
    progress: &Progress,
) -> Result<View, BuildError> {
    progress.set_steps(1 + steps.transforms.len());
    let view = scoped(recording, &steps.scope)?;
    progress.end_step();
    let mut transforms = in_order(&steps.transforms).into_iter();
    let mut view = transforms.try_fold(view, |view, step| transformed(view, step, progress))?;
    view.steps.transforms.clone_from(&steps.transforms);
    Ok(view)
}

/// The order in which steps apply: folds and groups come after all others, then inverting the tree.
fn in_order(steps: &[Step]) -> Vec<&Step> {
    let rank = |step: &&Step| match step {
        Step::Inverted => 2,
        step if step.is_display() => 1,
        _ => 0,
    };
    let mut steps: Vec<&Step> = steps.iter().collect();
    steps.sort_by_key(rank);
    steps
}

pub fn apply(view: View, step: &Step) -> Result<View, BuildError> {
    let transformed = |view, step: &Step| transformed(view, step, &Progress::default());
    let transforms = [view.steps.transforms.as_slice(), std::slice::from_ref(step)].concat();
    let mut view = if let Some(base) = view.inverted_from() {
        // steps apply to the base, which is inverted again
        transformed(apply(base.clone(), step)?, &Step::Inverted)?
    } else if view.is_collapsed() && !step.is_display() && *step != Step::Inverted {
        // folds and groups come last, so they are redone
        let uncollapsed = transformed(view.uncollapsed().clone(), step)?;
        let steps = view.steps.transforms.iter();
        let mut redone = steps.filter(|step| step.is_display());
        redone.try_fold(uncollapsed, transformed)?
    } else {
        transformed(view, step)?
    };
    view.steps.transforms = transforms;
    Ok(view)
}

fn transformed(view: View, step: &Step, progress: &Progress) -> Result<View, BuildError> {
    let before = view.diagnostics_of(Severity::Caution).cloned();
    let before: Vec<Diagnostic> = before.collect();
    let view = with_tree(view, step, progress)?;
    progress.end_step();
    Ok(match step {
        Step::Drop(_) | Step::DropNodes(_) => with_earlier_cautions(&before, view),
        Step::Filter { .. } => with_cautions(view),
        _ => view,
    })
}

/// Keeps the earlier cautions when methods are dropped: what makes numbers doubtful is in the recording.
fn with_earlier_cautions(before: &[Diagnostic], view: View) -> View {
    let view = with_cautions(view);
    let previous = |caution: &Diagnostic| {
        let mut before = before.iter();
        before
            .find(|before| before.code() == caution.code())
            .cloned()
    };
    let cautions = view.diagnostics_of(Severity::Caution);
    let cautions = cautions.filter_map(previous).collect();
    view.with_cautions(cautions)
}

fn with_cautions(view: View) -> View {
    let mut cautions = cautions(&view);
    if view.range().is_some() && view.truncation.as_ref().is_some_and(Truncation::is_any) {
        cautions.push(Diagnostic::TruncationOfWhole {});
    }
    view.with_cautions(cautions)
}

/// Nodes that don't exist can't be dropped.
fn with_tree(view: View, step: &Step, progress: &Progress) -> Result<View, BuildError> {
    let found = |view: &View, nodes: &[NodeRef]| -> Vec<NodeId> {
        let nodes = nodes.iter();
        nodes.filter_map(|&node| find_node(view, node)).collect()
    };
    match step {
        Step::Drop(methods) => {
            let frames = methods.iter();
            let frames = frames.filter_map(|method| view.frames.with_key(method));
            let frames: Vec<_> = frames.collect();
            match frames.is_empty() {
                true => Ok(view),
                false => drop_methods(&view, &frames, progress),
            }
        }
        Step::DropNodes(nodes) => match found(&view, nodes) {
            nodes if nodes.is_empty() => Ok(view),
            nodes => drop_nodes(&view, &nodes, progress),
        },
        // an invalid pattern is reported where it is entered
        Step::Filter { action, pattern } => match Pattern::new(pattern) {
            Ok(pattern) => filter(&view, *action, &pattern, progress),
            Err(_) => Ok(view),
        },
        Step::Inverted => Ok(inverted(&view)?),
        Step::CollapseRecursion(recursion) => collapse_recursion(&view, *recursion, progress),
        Step::Collapse {
            frames,
            opened: nodes,
        } => {
            let runs = Runs::of_collapsible(&view, *frames);
            collapse_runs(&view, &runs, found(&view, nodes), progress)
        }
        Step::Group { by, opened: nodes } => {
            let runs = Runs::of_groups(&view, *by);
            collapse_runs(&view, &runs, found(&view, nodes), progress)
        }
    }
}

fn inverted(view: &View) -> Result<View, TooLarge> {
    if view.inverted_from().is_some() {
        return Ok(view.clone());
    }
    let tree = view.uncollapsed();
    let mut caller_tree = CallerTree::inverted(tree, NodeId::ROOT, false);
    caller_tree.open(CallerTree::TOP)?;
    caller_tree.into_view()
}

pub fn whole(recording: &Arc<Recording>, form: TreeForm) -> View {
    with_cautions(View::whole(recording, form))
}

/// The first step. Ignores the range if the recording has no times.
pub fn scoped(recording: &Arc<Recording>, scope: &Scope) -> Result<View, TooLarge> {
    if scope.is_whole() {
        return Ok(whole(recording, scope.form()));
    }
    let mut view = View::whole(recording, scope.form());
    if let (Some(range), Ok(samples)) = (scope.range, &recording.samples) {
        view = in_range(&view, samples, range)?;
    }
    let mut view = choose(&view, &scope.threads)?;
    let range = scope.range.filter(|_| recording.samples.is_ok());
    view.steps.scope = Scope {
        range,
        ..scope.clone()
    };
    if range.is_some() && view.is_empty() {
        let nothing = Diagnostic::NothingInRange {};
        view.diagnostics.push(nothing);
        return Ok(view.with_cautions(Vec::new()));
    }
    Ok(with_cautions(view))
}

pub fn node_labeled(view: &View, label: &str) -> Option<NodeId> {
    find_node(view, view.recording.node_labeled(label)?)
}

/// What a recorded node, in either form of the tree, became part of; else the node with the same path of frames.
/// O(nodes) at worst.
pub fn find_node(view: &View, NodeRef { form, node }: NodeRef) -> Option<NodeId> {
    let base = view.base();
    let same = || base.from_recorded(node);
    let in_base = (form == base.form).then(same).flatten().or_else(|| {
        let whole = View::whole(&view.recording, form);
        let (node, is_same) = Remap::new(&whole, base).node(whole.from_recorded(node)?);
        is_same.then_some(node)
    });
    view.from_base(in_base?)
}

#[cfg(test)]
mod tests;
