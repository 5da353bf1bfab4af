//! The rows of a report's tree: chains of calls as one row, and what is left out as one.

use super::contents::Contents;
use super::plan::Plan;
use crate::analysis::GroupId;

/// A call is in one row with its callee if no more than this is lost between them, in percent of the part.
const MOST_LOST_PERCENT: f64 = 0.5;
/// What is left out and would be written as 0.0 % has no row.
const LEAST_LEFT_OUT_PERCENT: f64 = 0.05;

/// A row of a report's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// How many rows are above it that lead to it.
    pub depth: usize,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Calls, each of which is called by the one before; the rows below are about the last.
    Calls(Vec<GroupId>),
    /// What the row above calls besides the rows that are shown.
    LeftOut(LeftOut),
}

/// Callees that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// How many.
    pub count: usize,
    /// What they have in all.
    pub sum: u64,
    /// What the largest one has.
    pub largest: u64,
}

/// The rows in preorder. The value of each is its own, and those of the rows one level below it. O(groups).
pub(super) fn rows(contents: &Contents, plan: &Plan) -> Vec<Row> {
    let gathered = &contents.gathered;
    let mut is_shown = vec![false; gathered.len()];
    plan.groups.iter().for_each(|id| is_shown[id.index()] = true);
    let shown = |id: GroupId| gathered.callees(id).iter().copied().filter(|id| is_shown[id.index()]);
    let mut rows = Vec::new();
    // what is still to come, the next one last
    let mut open = vec![(0, Next::Calls(GroupId::ROOT))];
    while let Some((depth, next)) = open.pop() {
        let first = match next {
            Next::LeftOut(left_out) => {
                rows.push(Row { depth, what: What::LeftOut(left_out) });
                continue;
            }
            Next::Calls(first) => first,
        };
        let mut chain = vec![first];
        let mut last = first;
        while let Some(only) =
            only_one(shown(last)).filter(|&only| last != GroupId::ROOT && goes_on(contents, last, only))
        {
            chain.push(only);
            last = only;
        }
        rows.push(Row { depth, what: What::Calls(chain) });
        let from = open.len();
        open.extend(shown(last).map(|callee| (depth + 1, Next::Calls(callee))));
        let left_out = left_out(contents, last, &is_shown);
        if contents.percent(left_out.sum) >= LEAST_LEFT_OUT_PERCENT {
            open.push((depth + 1, Next::LeftOut(left_out)));
        }
        open[from..].reverse();
    }
    rows
}

enum Next {
    Calls(GroupId),
    LeftOut(LeftOut),
}

/// The only one of several, if it is.
fn only_one(mut ids: impl Iterator<Item = GroupId>) -> Option<GroupId> {
    let first = ids.next();
    first.filter(|_| ids.next().is_none())
}

/// Whether next to nothing is lost between a call and its callee.
fn goes_on(contents: &Contents, caller: GroupId, callee: GroupId) -> bool {
    let inclusive = |id| contents.gathered.group(id).inclusive;
    contents.percent(inclusive(caller).saturating_sub(inclusive(callee))) <= MOST_LOST_PERCENT
}

/// What a group calls besides what is shown.
fn left_out(contents: &Contents, id: GroupId, is_shown: &[bool]) -> LeftOut {
    let gathered = &contents.gathered;
    let group = gathered.group(id);
    let mut left_out = LeftOut { sum: group.inclusive.saturating_sub(group.exclusive), ..LeftOut::default() };
    for &callee in gathered.callees(id) {
        let inclusive = gathered.group(callee).inclusive;
        if is_shown[callee.index()] {
            left_out.sum = left_out.sum.saturating_sub(inclusive);
        } else if inclusive > 0 {
            left_out.count += 1;
            left_out.largest = left_out.largest.max(inclusive);
        }
    }
    left_out
}
