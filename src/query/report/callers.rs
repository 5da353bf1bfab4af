//! Who calls a method, for a line of a report.

use crate::analysis::outermost_occurrences;
use crate::model::{FrameId, FrameKind, Measure, NodeId, View};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A caller of a method with what the method has when called by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    /// The method; `None` for threads that begin with it.
    pub frame: Option<FrameId>,
    /// What counts of the inclusive value.
    pub inclusive: u64,
}

/// The callers of a method within subtrees past plumbing, by what it has through them. O(occurrences · plumbing above each).
pub(super) fn callers(view: &View, roots: &[NodeId], measure: Measure, method: FrameId) -> Vec<Caller> {
    let mut sums: HashMap<Option<FrameId>, u64> = HashMap::new();
    for &root in roots {
        for node in outermost_occurrences(view, root, &[method]) {
            let sum = sums.entry(caller(view, node)).or_default();
            *sum = sum.saturating_add(measure.inclusive(view, node));
        }
    }
    let mut callers: Vec<Caller> = sums.into_iter().map(|(frame, inclusive)| Caller { frame, inclusive }).collect();
    callers.sort_by_key(|caller| (Reverse(caller.inclusive), caller.frame));
    callers
}

/// The nearest method above a node that is no plumbing. It may lie above the part: who asks for callers wants to know.
fn caller(view: &View, node: NodeId) -> Option<FrameId> {
    let frames = view.tree.ancestors(node).map(|above| view.tree.frame(above));
    let mut methods = frames.map(|frame| (frame, view.frames.get(frame)));
    let (frame, facts) = methods.find(|(_, facts)| !facts.is_plumbing)?;
    matches!(facts.kind, FrameKind::Method | FrameKind::Special).then_some(frame)
}
