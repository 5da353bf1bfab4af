//! Who calls a method, for a line of a report.

use crate::analysis::outermost_occurrences;
use crate::model::{Category, Frame, FrameId, FrameKind, Measure, NodeId, View};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A caller of a method with what the method has when called by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    /// The method; `None` for threads that begin with it.
    pub frame: Option<FrameId>,
    /// The nearest user code above that, where it is system code.
    pub user_code: Option<FrameId>,
    /// What counts of the inclusive value.
    pub inclusive: u64,
}

/// The callers of a method within subtrees past plumbing, by what it has through them. O(occurrences · depth).
pub(super) fn callers(view: &View, roots: &[NodeId], measure: Measure, method: FrameId) -> Vec<Caller> {
    let mut sums: HashMap<[Option<FrameId>; 2], u64> = HashMap::new();
    for &root in roots {
        for node in outermost_occurrences(view, root, &[method]) {
            let sum = sums.entry(caller(view, node)).or_default();
            *sum = sum.saturating_add(measure.inclusive(view, node));
        }
    }
    let mut callers: Vec<Caller> =
        sums.into_iter().map(|([frame, user_code], inclusive)| Caller { frame, user_code, inclusive }).collect();
    callers.sort_by_key(|caller| (Reverse(caller.inclusive), caller.frame, caller.user_code));
    callers
}

/// The nearest method above a node that is no plumbing, and the nearest user code above that, if it is none. They may lie above the
/// part: who asks for callers wants to know.
fn caller(view: &View, node: NodeId) -> [Option<FrameId>; 2] {
    let frames = view.tree.ancestors(node).map(|above| view.tree.frame(above));
    let mut methods = frames.map(|frame| (frame, view.frames.get(frame)));
    let is_method = |facts: &Frame| matches!(facts.kind, FrameKind::Method | FrameKind::Special);
    let Some((frame, facts)) = methods.find(|(_, facts)| !facts.is_plumbing).filter(|(_, facts)| is_method(facts))
    else {
        return [None; 2];
    };
    let is_user_code = |facts: &Frame| facts.category == Category::User;
    let user_code = if is_user_code(facts) { None } else { methods.find(|(_, facts)| is_user_code(facts)) };
    [Some(frame), user_code.map(|(frame, _)| frame)]
}
