//! The rows of a report's tree: each is a chain of calls, with sums of what is left out.

use super::MIN_REPORTED_PERCENT;
use super::contents::{Contents, LeftOut, MIN_NAMED_PERCENT};
use crate::analysis::{GroupId, sum};
use crate::text::tokens;
use std::cmp::Reverse;
use std::collections::HashSet;

/// A call shares a row with its callee if at most this percentage of the part is lost on the way...
const MAX_LOST_PERCENT: f64 = 0.5;
/// ... or this divided by the budget, if that is less: a larger budget has room for more rows.
const LOST_BY_BUDGET: f64 = 10.0;
const MAX_ROWS: usize = 1_000;
/// The approximate tokens of a row's numbers.
pub(super) const NUMBER_TOKENS: usize = 16;
/// Names in the middle of longer chains are not shown; with little room, the limit is lower.
const MAX_CHAIN: usize = 10;
/// The maximum number of tokens of a chain's names. If they take more, only `MIN_CHAIN` calls are named.
const MAX_NAME_TOKENS: usize = 100;
const MIN_CHAIN: usize = 4;

pub(super) enum TreeLine<'a> {
    /// The rows below belong to the last call.
    Calls(&'a Chain),
    LeftOut(LeftOutCalls),
}

#[derive(Clone, Copy, Default)]
pub(super) struct LeftOutCalls {
    pub left_out: LeftOut,
    pub largest_call: Option<GroupId>,
}

pub(super) struct RowChoice {
    chains: Vec<Chain>,
    /// Their indices by inclusive value, largest first; callers before their callees.
    heaviest: Vec<usize>,
    pub max_chain: usize,
}

/// A chain of calls shown as one row: each is called by the previous one, which calls almost nothing else.
pub(super) struct Chain {
    depth: usize,
    pub calls: Vec<GroupId>,
    pub named: usize,
    cost: usize,
}

impl Chain {
    pub(super) fn first(&self) -> GroupId {
        self.calls[0]
    }

    pub(super) fn last(&self) -> GroupId {
        self.calls[self.calls.len() - 1]
    }
}

impl RowChoice {
    pub(super) fn new(contents: &Contents) -> RowChoice {
        let budget = contents.request.budget.max(1);
        let lost_percent = MAX_LOST_PERCENT.min(LOST_BY_BUDGET / budget as f64 * 100.0);
        let mut chains = all_chains(contents, lost_percent);
        let max_chain = (budget / 200).clamp(MIN_CHAIN, MAX_CHAIN);
        let mut costs: Vec<Option<usize>> = vec![None; contents.view.frames.len()];
        let mut cost_of = |id: &GroupId| {
            let frame = contents.summary.group(*id).frame.index();
            *costs[frame].get_or_insert_with(|| tokens(&contents.group_name(*id)))
        };
        for chain in &mut chains {
            let calls = &chain.calls;
            let mut names = |named| calls.iter().take(named).map(&mut cost_of).sum::<usize>();
            let is_short = names(max_chain) <= MAX_NAME_TOKENS;
            chain.named = if is_short { max_chain } else { MIN_CHAIN };
            chain.cost = NUMBER_TOKENS + names(chain.named);
        }
        let inclusive = |&row: &usize| contents.summary.group(chains[row].first()).inclusive;
        let mut heaviest: Vec<usize> = (0..chains.len()).collect();
        heaviest.sort_by_key(|row| (Reverse(inclusive(row)), *row));
        RowChoice {
            chains,
            heaviest,
            max_chain,
        }
    }

    pub(super) fn costs(&self) -> impl Iterator<Item = usize> {
        let more = self.heaviest.iter().skip(1);
        more.map(|&row| self.chains[row].cost)
    }

    /// The root and this many more rows, in preorder.
    fn shown(&self, more: usize) -> Vec<&Chain> {
        let mut rows = self.heaviest[..self.heaviest.len().min(more + 1)].to_vec();
        rows.sort_unstable();
        rows.into_iter().map(|row| &self.chains[row]).collect()
    }

    pub(super) fn explained(&self, contents: &Contents, more: usize) -> u64 {
        let rows = self.shown(more);
        let calls = rows.iter().flat_map(|chain| &chain.calls);
        sum(calls.map(|&id| contents.summary.group(id).exclusive))
    }

    /// The root and this many more rows with their depths, in preorder, and what is left out below each. O(rows · log
    /// rows + callees).
    pub(super) fn rows(&self, contents: &Contents, more: usize) -> Vec<(usize, TreeLine<'_>)> {
        let chosen = self.shown(more);
        let shown: HashSet<GroupId> = chosen.iter().map(|chain| chain.first()).collect();
        let (mut rows, mut open) = (Vec::new(), Vec::new());
        for chain in chosen {
            while let Some(line) = open.pop_if(|(depth, _)| *depth > chain.depth) {
                rows.push(line);
            }
            rows.push((chain.depth, TreeLine::Calls(chain)));
            let left_out = left_out(contents, chain.last(), &shown);
            if contents.percent(left_out.left_out.sum) >= MIN_REPORTED_PERCENT {
                open.push((chain.depth + 1, TreeLine::LeftOut(left_out)));
            }
        }
        rows.extend(open.into_iter().rev());
        rows
    }
}

/// The chains of all opened groups, in preorder, without small ones if there are too many.
fn all_chains(contents: &Contents, lost_percent: f64) -> Vec<Chain> {
    let chains = chains(contents, lost_percent, 0);
    if chains.len() <= MAX_ROWS {
        return chains;
    }
    let inclusive = |chain: &Chain| contents.summary.group(chain.first()).inclusive;
    let mut values: Vec<u64> = chains.iter().map(inclusive).collect();
    let (_, &mut too_small, _) = values.select_nth_unstable_by(MAX_ROWS, |a, b| b.cmp(a));
    self::chains(contents, lost_percent, too_small.saturating_add(1))
}

/// The chains of opened groups with at least this value. Each loses at most `lost_percent`.
fn chains(contents: &Contents, lost_percent: f64, min_value: u64) -> Vec<Chain> {
    let summary = &contents.summary;
    let inclusive = |id: GroupId| summary.group(id).inclusive;
    let is_shown = |id: &GroupId| summary.group(*id).is_open && inclusive(*id) >= min_value;
    let mut chains = Vec::new();
    let mut open = vec![(0, GroupId::ROOT)];
    while let Some((depth, first)) = open.pop() {
        let mut calls = vec![first];
        let mut last = first;
        while let Some(next) = summary.callees(last).first().copied().filter(is_shown) {
            let lost = inclusive(first).saturating_sub(inclusive(next));
            if first == GroupId::ROOT || contents.percent(lost) > lost_percent {
                break;
            }
            calls.push(next);
            last = next;
        }
        chains.push(Chain {
            depth,
            calls,
            named: 0,
            cost: 0,
        });
        let callees = summary.callees(last).iter().rev();
        let shown = callees.filter(|id| is_shown(id));
        open.extend(shown.map(|&id| (depth + 1, id)));
    }
    chains
}

fn left_out(contents: &Contents, id: GroupId, shown: &HashSet<GroupId>) -> LeftOutCalls {
    let summary = &contents.summary;
    let group = summary.group(id);
    let mut left_out = LeftOut {
        sum: group.inclusive.saturating_sub(group.exclusive),
        ..LeftOut::default()
    };
    let mut largest_call = None;
    for callee in summary.callees(id) {
        let inclusive = summary.group(*callee).inclusive;
        if shown.contains(callee) {
            left_out.sum = left_out.sum.saturating_sub(inclusive);
        } else if inclusive > 0 {
            left_out.count += 1;
            if inclusive > left_out.largest {
                left_out.largest = inclusive;
                largest_call = Some(*callee);
            }
        }
    }
    let is_named = contents.percent(left_out.largest) >= MIN_NAMED_PERCENT;
    LeftOutCalls {
        left_out,
        largest_call: largest_call.filter(|_| is_named),
    }
}
