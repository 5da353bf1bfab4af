//! The callers of a method, for a line of a report.

use crate::analysis::{Nearest, outermost_occurrences};
use crate::model::{Frame, FrameId, Measure, NodeId, View};
use crate::names::Category;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A caller of a method with what the method has when called by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportCaller {
    /// The method; `None` for threads that begin with it.
    pub frame: Option<FrameId>,
    /// The nearest user code above that, where it is system code.
    pub user_code: Option<FrameId>,
    /// What counts of the inclusive value.
    pub inclusive: u64,
}

/// The callers of a method within subtrees past plumbing, by what it has through them. Expected O(nodes above the
/// occurrences).
pub(super) fn callers(
    view: &View,
    roots: &[NodeId],
    measure: Measure,
    method: FrameId,
) -> Vec<ReportCaller> {
    let mut sums: HashMap<[Option<FrameId>; 2], u64> = HashMap::new();
    let mut methods = Nearest::new(view, |view, node| !frame_of(view, node).is_plumbing);
    let mut users = Nearest::new(view, |view, node| is_user_code(frame_of(view, node)));
    for &root in roots {
        for node in outermost_occurrences(view, root, &[method]) {
            let sum = sums
                .entry(caller(view, node, &mut methods, &mut users))
                .or_default();
            *sum = sum.saturating_add(measure.inclusive(view, node));
        }
    }
    let mut callers: Vec<ReportCaller> = sums
        .into_iter()
        .map(|([frame, user_code], inclusive)| ReportCaller {
            frame,
            user_code,
            inclusive,
        })
        .collect();
    callers.sort_by_key(|caller| (Reverse(caller.inclusive), caller.frame, caller.user_code));
    callers
}

/// Whether a frame is user code: a library is none here, as in lists of it.
fn is_user_code(frame: &Frame) -> bool {
    frame.category == Category::User
}

fn frame_of(view: &View, node: NodeId) -> &Frame {
    view.frames.get(view.tree.frame(node))
}

/// The nearest method above a node that is no plumbing, and the nearest user code above that, if it is none. They may lie above the
/// part: who asks for callers wants to know.
fn caller(
    view: &View,
    node: NodeId,
    methods: &mut Nearest,
    users: &mut Nearest,
) -> [Option<FrameId>; 2] {
    let is_method = |node: &NodeId| frame_of(view, *node).kind.is_hotspot();
    let Some(caller) = methods.above(node).filter(is_method) else {
        return [None; 2];
    };
    let frame = view.tree.frame(caller);
    let is_user_code = is_user_code(view.frames.get(frame));
    let user_code = if is_user_code {
        None
    } else {
        users.above(caller)
    };
    [Some(frame), user_code.map(|node| view.tree.frame(node))]
}

#[cfg(test)]
mod tests;
