//! The rows of a report's tree: chains of calls as one row, and what is left out as one.

use super::contents::{Contents, MIN_NAMED_PERCENT, MIN_REPORTED_PERCENT};
use crate::analysis::{Candidate, Choice, GroupId};
use crate::text::tokens;
use std::cell::OnceCell;
use std::collections::HashSet;

/// A call is in one row with its callee as long as no more than this is lost on the way, in percent of the part...
const MAX_LOST_PERCENT: f64 = 0.5;
/// ... or less where the budget has room for more rows: so much divided by it.
const LOST_BY_BUDGET: f64 = 10.0;
/// The maximum number of rows that compete; those with less are left out.
const MAX_ROWS: usize = 1_000;
/// What a stored step of a row's inclusive value may be worth, where one of its own is worth 1,000 or a little less: it tells where a
/// path splits. The last one only decides between rows that are alike.
const PLACES: [u64; 4] = [300, 100, 30, 1];
/// So much of what the best choice by own values explains is explained by others.
const MIN_EXPLAINED_PERCENT: u64 = 95;
/// From this budget on, no row is shown beside a heavier one that is not.
const ROOMY: usize = 1_500;
/// ... if that has at least this much.
const HEAVY_PERCENT: f64 = 5.0;
/// The tokens that numbers, a node and their separators take.
const NUMBERS: usize = 16;
/// Names in the middle of longer chains are not shown, of shorter ones where there is little room.
const LONGEST_CHAIN: usize = 10;
/// Nor where all names take more tokens than this.
const LONGEST_NAMES: usize = 100;
const MIN_CHAIN: usize = 4;

/// A row of a report's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportLine {
    /// How many rows are above it that lead to it.
    pub depth: usize,
    pub what: RowKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// A chain of calls, each called by the previous one, and how many are named; the rows below belong to the last.
    Calls { calls: Vec<GroupId>, named: usize },
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
    /// The largest one, where it is worth its name.
    pub largest_call: Option<GroupId>,
}

/// All rows that a report may show, and which of them it shows in how much room.
pub(super) struct RowChoice {
    /// In preorder.
    chains: Vec<Chain>,
    /// By weight of places: which are best.
    choices: [Choice; PLACES.len()],
    /// By room: the rows that are best, once they were asked for.
    chosen: Vec<OnceCell<Vec<usize>>>,
    /// How many tokens a step of room is.
    step: usize,
    /// How many calls are named of a chain with short names.
    longest_chain: usize,
}

/// A chain of calls shown as one row: each is called by the previous one, which calls next to nothing else.
struct Chain {
    depth: usize,
    calls: Vec<GroupId>,
    /// How many of them are named.
    named: usize,
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
        let mut chains = all_chains(
            contents,
            MAX_LOST_PERCENT.min(LOST_BY_BUDGET / budget as f64 * 100.0),
        );
        let step = budget.div_ceil(Self::ROOMS / 2);
        let longest_chain = (budget / 200).clamp(MIN_CHAIN, LONGEST_CHAIN);
        let mut costs: Vec<Option<usize>> = vec![None; contents.view.frames.len()];
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut places: Vec<u64> = Vec::new();
        // the rows above, the nearest one last
        let mut above: Vec<usize> = Vec::new();
        let mut cost_of = |id: &GroupId| {
            let frame = contents.gathered.group(*id).frame.index();
            *costs[frame].get_or_insert_with(|| tokens(&contents.group_name(*id)))
        };
        let chain_count = chains.len();
        for (place, chain) in chains.iter_mut().enumerate() {
            let ended = above.drain(chain.depth..);
            ended.for_each(|row| candidates[row].end = place);
            above.push(place);
            let worths = chain.calls.iter().map(|&id| contents.worth(id));
            let worth = worths.fold(0, u64::saturating_add);
            places.push(contents.gathered.group(chain.first()).inclusive);
            let calls = &chain.calls;
            let mut names = |named| calls.iter().take(named).map(&mut cost_of).sum::<usize>();
            let is_short = names(longest_chain) <= LONGEST_NAMES;
            let named = if is_short { longest_chain } else { MIN_CHAIN };
            let cost = NUMBERS + names(named);
            chain.named = named;
            let (end, cost) = (chain_count, ((cost + step / 2) / step).max(1));
            candidates.push(Candidate { end, worth, cost });
        }
        // the root is always there
        candidates[0].cost = 0;
        let choices = PLACES.map(|weight| {
            let of = |(row, place): (&Candidate, &u64)| {
                let worth = row.worth.saturating_add(place.saturating_mul(weight));
                Candidate { worth, ..*row }
            };
            Choice::new(
                candidates.iter().zip(&places).map(of).collect(),
                Self::ROOMS,
            )
        });
        let chosen = vec![OnceCell::new(); Self::ROOMS + 1];
        RowChoice {
            chains,
            choices,
            chosen,
            step,
            longest_chain,
        }
    }

    /// The rows that are best in a room: of the choices that explain nearly as much as the one by own values does, the one that
    /// looks at places most.
    fn chosen(&self, contents: &Contents, room: usize) -> &[usize] {
        let room = room.min(Self::ROOMS);
        self.chosen[room].get_or_init(|| self.choose(contents, room))
    }

    fn choose(&self, contents: &Contents, room: usize) -> Vec<usize> {
        let own = |rows: &[usize]| {
            let calls = rows.iter().flat_map(|&row| &self.chains[row].calls);
            calls
                .map(|&id| contents.worth(id))
                .fold(0u64, u64::saturating_add)
        };
        let [others @ .., by_own] = &self.choices;
        let by_own = by_own.chosen(room);
        let least = percent_of(own(&by_own), MIN_EXPLAINED_PERCENT);
        let others = others.iter().map(|choice| choice.chosen(room));
        let best = others.into_iter().find(|rows| own(rows) >= least);
        let best = best.unwrap_or(by_own);
        match contents.request.budget >= ROOMY {
            true => self.with_heavier_siblings(contents, best),
            false => best,
        }
    }

    /// Adds those rows that are heavier than one beside them that is shown: else it would seem the heavier one. O(chains).
    fn with_heavier_siblings(&self, contents: &Contents, rows: Vec<usize>) -> Vec<usize> {
        let value = |row: usize| contents.gathered.group(self.chains[row].first()).inclusive;
        let mut open: Vec<usize> = Vec::new();
        let caller = |(row, chain): (usize, &Chain)| {
            open.truncate(chain.depth);
            let caller = open.last().copied();
            open.push(row);
            caller
        };
        let callers: Vec<Option<usize>> = self.chains.iter().enumerate().map(caller).collect();
        // the least that is shown below each
        let mut least = vec![u64::MAX; self.chains.len()];
        for &row in &rows {
            if let Some(caller) = callers[row] {
                least[caller] = least[caller].min(value(row));
            }
        }
        let is_heavier = |row: usize| {
            callers[row].is_some_and(|caller| value(row) > least[caller])
                && contents.percent(value(row)) >= HEAVY_PERCENT
        };
        let shown: HashSet<usize> = rows.into_iter().collect();
        let all = 0..self.chains.len();
        all.filter(|row| shown.contains(row) || is_heavier(*row))
            .collect()
    }

    /// How many tokens a step of room is.
    pub(super) fn step(&self) -> usize {
        self.step
    }

    /// How many calls are named of a chain with short names.
    pub(super) fn longest_chain(&self) -> usize {
        self.longest_chain
    }

    /// The own values of the calls in the rows that fit in a room.
    pub(super) fn explained(&self, contents: &Contents, room: usize) -> u64 {
        let calls = self
            .chosen(contents, room)
            .iter()
            .flat_map(|&row| &self.chains[row].calls);
        calls
            .map(|&id| contents.gathered.group(id).exclusive)
            .fold(0u64, u64::saturating_add)
    }

    /// Whether other rows fit in one more step of room. O(rows).
    pub(super) fn grows(&self, contents: &Contents, room: usize) -> bool {
        self.chosen(contents, room) != self.chosen(contents, room + 1)
    }

    /// The rows that fit in a room, in preorder, with what is left out below each. The value of a row is its own, and those of the
    /// rows one level below it. O(rows + callees).
    pub(super) fn rows(&self, contents: &Contents, room: usize) -> Vec<ReportLine> {
        let chosen: Vec<&Chain> = self
            .chosen(contents, room)
            .iter()
            .map(|&place| &self.chains[place])
            .collect();
        let shown: HashSet<GroupId> = chosen.iter().map(|chain| chain.first()).collect();
        let mut rows = Vec::new();
        // what is left out below the rows above
        let mut open: Vec<ReportLine> = Vec::new();
        for chain in chosen {
            while let Some(left_out) = open.pop_if(|left_out| left_out.depth > chain.depth) {
                rows.push(left_out);
            }
            let calls = RowKind::Calls {
                calls: chain.calls.clone(),
                named: chain.named,
            };
            rows.push(ReportLine {
                depth: chain.depth,
                what: calls,
            });
            let left_out = left_out(contents, chain.last(), &shown);
            if contents.percent(left_out.sum) >= MIN_REPORTED_PERCENT {
                open.push(ReportLine {
                    depth: chain.depth + 1,
                    what: RowKind::LeftOut(left_out),
                });
            }
        }
        rows.extend(open.into_iter().rev());
        rows
    }
}

fn percent_of(value: u64, percent: u64) -> u64 {
    (u128::from(value) * u128::from(percent) / 100) as u64
}

/// The chains of all groups that are looked into, in preorder, except for small ones if there are too many.
fn all_chains(contents: &Contents, lost_percent: f64) -> Vec<Chain> {
    let chains = chains(contents, lost_percent, 0);
    if chains.len() <= MAX_ROWS {
        return chains;
    }
    let mut values: Vec<u64> = chains
        .iter()
        .map(|chain| contents.gathered.group(chain.first()).inclusive)
        .collect();
    let (_, &mut too_small, _) = values.select_nth_unstable_by(MAX_ROWS, |a, b| b.cmp(a));
    self::chains(contents, lost_percent, too_small.saturating_add(1))
}

/// The chains of groups that have at least so much. In one no more than a share is lost.
fn chains(contents: &Contents, lost_percent: f64, least: u64) -> Vec<Chain> {
    let gathered = &contents.gathered;
    let is_shown =
        |id: &GroupId| gathered.group(*id).is_open && gathered.group(*id).inclusive >= least;
    let inclusive = |id: GroupId| gathered.group(id).inclusive;
    let mut chains = Vec::new();
    let mut open = vec![(0, GroupId::ROOT)];
    while let Some((depth, first)) = open.pop() {
        let mut calls = vec![first];
        let mut last = first;
        let goes_on = |last: GroupId| {
            let next = gathered.callees(last).first().copied().filter(is_shown);
            next.filter(|&next| {
                contents.percent(inclusive(first).saturating_sub(inclusive(next))) <= lost_percent
            })
        };
        while let Some(next) = goes_on(last).filter(|_| first != GroupId::ROOT) {
            calls.push(next);
            last = next;
        }
        chains.push(Chain {
            depth,
            calls,
            named: 0,
        });
        open.extend(
            gathered
                .callees(last)
                .iter()
                .filter(|id| is_shown(id))
                .map(|&id| (depth + 1, id))
                .rev(),
        );
    }
    chains
}

/// What a group calls besides what is shown.
fn left_out(contents: &Contents, id: GroupId, shown: &HashSet<GroupId>) -> LeftOut {
    let gathered = &contents.gathered;
    let group = gathered.group(id);
    let mut left_out = LeftOut {
        sum: group.inclusive.saturating_sub(group.exclusive),
        ..LeftOut::default()
    };
    for callee in gathered.callees(id) {
        let inclusive = gathered.group(*callee).inclusive;
        if shown.contains(callee) {
            left_out.sum = left_out.sum.saturating_sub(inclusive);
        } else if inclusive > 0 {
            left_out.count += 1;
            if inclusive > left_out.largest {
                left_out.largest = inclusive;
                left_out.largest_call = Some(*callee);
            }
        }
    }
    left_out.largest_call = left_out
        .largest_call
        .filter(|_| contents.percent(left_out.largest) >= MIN_NAMED_PERCENT);
    left_out
}
