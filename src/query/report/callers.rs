use crate::analysis::{Nearest, outermost_occurrences, sum};
use crate::model::{Frame, FrameId, Measure, NodeId, View};
use crate::names::Category;
use crate::units::percent;
use std::cmp::Reverse;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReportCaller {
    /// The method; `None` for threads that start with it.
    pub frame: Option<FrameId>,
    /// The nearest user code above `frame`, if that is system code.
    pub user_code: Option<FrameId>,
    pub skips: bool,
    pub inclusive: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportCallers {
    /// The methods through which nearly all calls come, the immediate caller first.
    pub through: Vec<FrameId>,
    /// The callers of the last of these (or of the method itself), by the value called through them.
    pub rows: Vec<ReportCaller>,
}

const NEARLY_ALL_PERCENT: f64 = 95.0;
const MAX_THROUGH: usize = 4;

/// Skips async infrastructure, and climbs to the first method with several callers. Expected O(nodes above the
/// occurrences).
pub(super) fn callers(
    view: &View,
    roots: &[NodeId],
    measure: Measure,
    method: FrameId,
) -> ReportCallers {
    let mut methods = Nearest::new(view, |view, node| !view.frame(node).is_plumbing);
    let mut users = Nearest::new(view, |view, node| is_user_code(view.frame(node)));
    let roots = roots.iter();
    let nodes = roots.flat_map(|&root| outermost_occurrences(view, root, &[method]));
    let mut nodes: Vec<(NodeId, u64)> = nodes
        .map(|node| (node, measure.inclusive(view, node)))
        .collect();
    let total = sum(nodes.iter().map(|(_, value)| *value));
    let mut through = Vec::new();
    let mut rows = callers_of(view, &nodes, &mut methods, &mut users);
    while through.len() < MAX_THROUGH {
        let first = rows
            .first()
            .filter(|row| percent(row.inclusive, total) >= NEARLY_ALL_PERCENT);
        let Some(first) = first.and_then(|row| row.frame) else {
            break;
        };
        let above = nodes.iter().filter_map(|&(node, value)| {
            let above = methods.above(node)?;
            (view.tree.frame(above) == first).then_some((above, value))
        });
        nodes = above.collect();
        let next = callers_of(view, &nodes, &mut methods, &mut users);
        // nothing above the last user code is of interest
        let has_user_code = |row: &ReportCaller| {
            let is_user = |frame| is_user_code(view.frames.get(frame));
            row.user_code.is_some() || row.frame.is_some_and(is_user)
        };
        if !next.first().is_some_and(has_user_code) {
            break;
        }
        through.push(first);
        rows = next;
    }
    ReportCallers { through, rows }
}

fn callers_of(
    view: &View,
    nodes: &[(NodeId, u64)],
    methods: &mut Nearest,
    users: &mut Nearest,
) -> Vec<ReportCaller> {
    let mut sums: HashMap<[Option<FrameId>; 2], (u64, bool)> = HashMap::new();
    for &(node, value) in nodes {
        let (caller, skips) = caller(view, node, methods, users);
        let sum = sums.entry(caller).or_default();
        *sum = (sum.0.saturating_add(value), sum.1 || skips);
    }
    let callers = sums.into_iter();
    let callers = callers.map(|([frame, user_code], (inclusive, skips))| ReportCaller {
        frame,
        user_code,
        skips,
        inclusive,
    });
    let mut callers: Vec<ReportCaller> = callers.collect();
    callers.sort_by_key(|caller| (Reverse(caller.inclusive), caller.frame, caller.user_code));
    callers
}

fn is_user_code(frame: &Frame) -> bool {
    frame.category == Category::User
}

fn caller(
    view: &View,
    node: NodeId,
    methods: &mut Nearest,
    users: &mut Nearest,
) -> ([Option<FrameId>; 2], bool) {
    let is_method = |node: &NodeId| view.frame(*node).kind.is_code();
    let Some(caller) = methods.above(node).filter(is_method) else {
        return ([None; 2], false);
    };
    let frame = view.tree.frame(caller);
    let user_code = match is_user_code(view.frames.get(frame)) {
        true => None,
        false => users.above(caller),
    };
    let skips = user_code.is_some_and(|node| view.tree.parent(caller) != Some(node));
    let user_code = user_code.map(|node| view.tree.frame(node));
    ([Some(frame), user_code], skips)
}

#[cfg(test)]
mod tests;
