//! The rows of a report's tree: chains of calls as one row, and what is left out as one.

use super::contents::{Contents, LEAST_TOLD_PERCENT};
use crate::analysis::{Candidate, Choice, Gathered, GroupId};
use crate::text::tokens;
use std::collections::HashSet;

/// A call is in one row with its callee as long as no more than this is lost on the way, in percent of the part...
const MOST_LOST_PERCENT: f64 = 0.5;
/// ... or less where the budget has room for more rows: so much divided by it.
const LOST_BY_BUDGET: f64 = 10.0;
/// From so many rows the best ones are chosen; those with less are left out.
const MOST_ROWS: usize = 2_000;
/// What numbers, a node and what stands between them take, in tokens.
const NUMBERS: usize = 16;
/// Names in the middle of longer chains are not shown, of shorter ones where there is little room.
const LONGEST_CHAIN: usize = 10;
const LEAST_CHAIN: usize = 4;

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

/// All rows that a report may show, and which of them it shows in how much room.
pub(super) struct RowChoice {
    /// In preorder.
    chains: Vec<Chain>,
    choice: Choice,
    /// How many tokens a step of room is.
    step: usize,
    /// How many calls of a chain are named.
    longest_chain: usize,
}

/// Calls that are one row: each is called by the one before, which calls next to nothing else.
struct Chain {
    depth: usize,
    calls: Vec<GroupId>,
}

impl Chain {
    fn first(&self) -> GroupId {
        self.calls[0]
    }

    fn last(&self) -> GroupId {
        self.calls[self.calls.len() - 1]
    }
}

impl RowChoice {
    /// The rooms between which there are different choices: 0 up to this.
    pub(super) const ROOMS: usize = 1_000;

    /// Finds the rows that are worth most, for every room that a budget of tokens may leave. O(groups).
    pub(super) fn new(contents: &Contents) -> RowChoice {
        let budget = contents.request.budget.max(1);
        let chains = all_chains(contents, MOST_LOST_PERCENT.min(LOST_BY_BUDGET / budget as f64 * 100.0));
        let step = budget.div_ceil(Self::ROOMS / 2);
        let longest_chain = (budget / 200).clamp(LEAST_CHAIN, LONGEST_CHAIN);
        let mut costs: Vec<Option<usize>> = vec![None; contents.view.frames.len()];
        let mut candidates: Vec<Candidate> = Vec::new();
        // the rows above, the nearest one last
        let mut above: Vec<usize> = Vec::new();
        for (place, chain) in chains.iter().enumerate() {
            above.drain(chain.depth..).for_each(|row| candidates[row].end = place);
            above.push(place);
            let worth = chain.calls.iter().fold(0u64, |sum, &id| sum.saturating_add(contents.worth(id)));
            let names = chain.calls.iter().take(longest_chain).map(|&id| {
                let frame = contents.gathered.group(id).frame.index();
                *costs[frame].get_or_insert_with(|| tokens(&contents.group_name(id)))
            });
            let cost = NUMBERS + names.sum::<usize>();
            candidates.push(Candidate { end: chains.len(), worth, cost: ((cost + step / 2) / step).max(1) });
        }
        // the root is always there
        candidates[0].cost = 0;
        RowChoice { chains, choice: Choice::new(candidates, Self::ROOMS), step, longest_chain }
    }

    /// How many tokens a step of room is.
    pub(super) fn step(&self) -> usize {
        self.step
    }

    /// How many calls of a chain are named.
    pub(super) fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    /// The rows that fit in a room, in preorder, with what is left out below each. The value of a row is its own, and those of the
    /// rows one level below it. O(rows + callees).
    pub(super) fn rows(&self, contents: &Contents, room: usize) -> Vec<Row> {
        let chosen: Vec<&Chain> = self.choice.chosen(room).into_iter().map(|place| &self.chains[place]).collect();
        let shown: HashSet<GroupId> = chosen.iter().map(|chain| chain.first()).collect();
        let mut rows = Vec::new();
        // what is left out below the rows above
        let mut open: Vec<Row> = Vec::new();
        for chain in chosen {
            while let Some(left_out) = open.pop_if(|left_out| left_out.depth > chain.depth) {
                rows.push(left_out);
            }
            rows.push(Row { depth: chain.depth, what: What::Calls(chain.calls.clone()) });
            let left_out = left_out(&contents.gathered, chain.last(), &shown);
            if contents.percent(left_out.sum) >= LEAST_TOLD_PERCENT {
                open.push(Row { depth: chain.depth + 1, what: What::LeftOut(left_out) });
            }
        }
        rows.extend(open.into_iter().rev());
        rows
    }
}

/// The chains of all groups that are looked into, in preorder, but for small ones if there are too many.
fn all_chains(contents: &Contents, lost_percent: f64) -> Vec<Chain> {
    let chains = chains(contents, lost_percent, 0);
    if chains.len() <= MOST_ROWS {
        return chains;
    }
    let mut values: Vec<u64> = chains.iter().map(|chain| contents.gathered.group(chain.first()).inclusive).collect();
    let (_, &mut too_small, _) = values.select_nth_unstable_by(MOST_ROWS, |a, b| b.cmp(a));
    self::chains(contents, lost_percent, too_small.saturating_add(1))
}

/// The chains of groups that have at least so much. In one no more than a share is lost.
fn chains(contents: &Contents, lost_percent: f64, least: u64) -> Vec<Chain> {
    let gathered = &contents.gathered;
    let is_shown = |id: &GroupId| gathered.group(*id).is_open && gathered.group(*id).inclusive >= least;
    let inclusive = |id: GroupId| gathered.group(id).inclusive;
    let mut chains = Vec::new();
    let mut open = vec![(0, GroupId::ROOT)];
    while let Some((depth, first)) = open.pop() {
        let mut calls = vec![first];
        let mut last = first;
        let goes_on = |last: GroupId| {
            let next = gathered.callees(last).first().copied().filter(is_shown);
            next.filter(|&next| contents.percent(inclusive(first).saturating_sub(inclusive(next))) <= lost_percent)
        };
        while let Some(next) = goes_on(last).filter(|_| first != GroupId::ROOT) {
            calls.push(next);
            last = next;
        }
        chains.push(Chain { depth, calls });
        open.extend(gathered.callees(last).iter().filter(|id| is_shown(id)).map(|&id| (depth + 1, id)).rev());
    }
    chains
}

/// What a group calls besides what is shown.
fn left_out(gathered: &Gathered, id: GroupId, shown: &HashSet<GroupId>) -> LeftOut {
    let group = gathered.group(id);
    let mut left_out = LeftOut { sum: group.inclusive.saturating_sub(group.exclusive), ..LeftOut::default() };
    for callee in gathered.callees(id) {
        let inclusive = gathered.group(*callee).inclusive;
        if shown.contains(callee) {
            left_out.sum = left_out.sum.saturating_sub(inclusive);
        } else if inclusive > 0 {
            left_out.count += 1;
            left_out.largest = left_out.largest.max(inclusive);
        }
    }
    left_out
}
