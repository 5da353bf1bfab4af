//! Decides how much of each section fits into a report's budget.

use super::contents::{Contents, FACTS, MethodRows, Note};
use super::rows::RowChoice;
use crate::analysis::{Hotspot, Wait};
use crate::text::tokens;

/// The size of each section of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub caveats: usize,
    /// Facts about the source.
    pub facts: usize,
    pub notes: usize,
    /// Lines about the conditions of the recording.
    pub conditions: usize,
    /// Rows of waits.
    pub waits: usize,
    /// 1 if marks and terms are explained, and what no list includes.
    pub explanations: usize,
    /// Rows of the list of user code.
    pub user: usize,
    /// Rows of the list of all methods.
    pub all: usize,
    /// For each method whose callers are listed, the number of callers.
    pub callers: [usize; super::contents::METHODS_WITH_CALLERS],
    /// Rows of the tree below its root.
    pub tree: usize,
}

/// A possible addition to a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlanPart {
    Caveat,
    Fact,
    Note,
    Condition,
    Wait,
    Explanations,
    User,
    All,
    /// A caller of the method at this index.
    Caller(usize),
    /// A row of the tree.
    Row,
}

impl Plan {
    fn count_of(&mut self, part: PlanPart) -> &mut usize {
        match part {
            PlanPart::Caveat => &mut self.caveats,
            PlanPart::Fact => &mut self.facts,
            PlanPart::Note => &mut self.notes,
            PlanPart::Condition => &mut self.conditions,
            PlanPart::Wait => &mut self.waits,
            PlanPart::Explanations => &mut self.explanations,
            PlanPart::User => &mut self.user,
            PlanPart::All => &mut self.all,
            PlanPart::Caller(method) => &mut self.callers[method],
            PlanPart::Row => &mut self.tree,
        }
    }

    fn add(&mut self, part: PlanPart) {
        *self.count_of(part) += 1;
    }

    fn of(parts: &[PlanPart]) -> Plan {
        let mut plan = Plan::default();
        parts.iter().for_each(|&part| plan.add(part));
        plan
    }
}

/// The minimum of every report: the first method, and the tree's root.
const LEAST: usize = 1;
/// The maximum number of rows of waits.
const MAX_WAITS: usize = 5;

/// A full plan within a budget, where `cost` returns a plan's tokens: as many parts as fit in their order, then of
/// those that still fit without the section that did not.
///
/// # Errors
/// If not even the minimum plan fits; returns its tokens.
pub(super) fn fitted(
    contents: &Contents,
    rows: &RowChoice,
    budget: usize,
    cost: impl Fn(&Plan) -> usize,
) -> Result<Plan, usize> {
    let parts = in_order(contents, rows, budget);
    let least = LEAST.min(parts.len());
    let cost_of_least = cost(&Plan::of(&parts[..least]));
    if cost_of_least > budget {
        return Err(cost_of_least);
    }
    let mut plan = Plan::of(&parts[..least]);
    let mut rest = parts[least..].to_vec();
    // as many as fit; then without the section that the next one is of, until nothing is left
    while !rest.is_empty() {
        let with = |count: usize| {
            let mut more = plan.clone();
            rest[..count].iter().for_each(|&part| more.add(part));
            more
        };
        let (mut fits, mut too_many) = (0, rest.len() + 1);
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            if cost(&with(middle)) <= budget {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        plan = with(fits);
        let Some(&refused) = rest.get(fits) else {
            break;
        };
        let is_of_hidden_row = |part: PlanPart| matches!(part, PlanPart::Caller(method) if method >= plan.user.max(plan.all));
        rest.drain(..fits);
        rest.retain(|&part| part != refused && !is_of_hidden_row(part));
    }
    Ok(plan)
}

/// From this budget on, several caveats are included early, and marks are explained.
const ROOMY: usize = 1_500;

/// Every report has one row of the tree per this many tokens of its budget before other sections get more than their
/// first rows, and as many again after those.
const TOKENS_OF_FIRST_ROW: usize = 330;

/// The shares of the budget, in the order of sections, while all sections have parts left.
const SHARES: [(Section, u64); 10] = [
    (Section::Facts, 10),
    (Section::Caveats, 30),
    (Section::Notes, 10),
    (Section::Conditions, 30),
    (Section::Waits, 8),
    (Section::Explanations, 5),
    (Section::User, 12),
    (Section::All, 12),
    (Section::Callers, 8),
    (Section::Tree, 43),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Facts,
    Caveats,
    Notes,
    Conditions,
    Waits,
    Explanations,
    User,
    All,
    Callers,
    Tree,
}

/// The pending parts of a section with their tokens, the next one last.
struct Queue {
    share: u64,
    taken: u64,
    parts: Vec<(PlanPart, usize)>,
}

/// All parts in the order in which they are added: first those that every report has, then always one from the section
/// that has had least of its share.
fn in_order(contents: &Contents, rows: &RowChoice, budget: usize) -> Vec<PlanPart> {
    let mut queues: Vec<Queue> = SHARES
        .into_iter()
        .map(|(section, share)| queue(contents, rows, section, share))
        .collect();
    let mut order = Vec::new();
    // every report has these, if they exist
    let rows = budget.div_ceil(TOKENS_OF_FIRST_ROW);
    let first = [
        (Section::User, 1),
        (Section::Caveats, 1),
        (Section::Conditions, 1),
        (Section::User, 1),
        (Section::Tree, rows),
        (Section::Callers, 1),
        (Section::User, 1),
        (Section::Waits, 1),
        (Section::All, 1),
        (Section::Callers, 2),
        (Section::Caveats, if budget >= ROOMY { 4 } else { 0 }),
        (Section::Conditions, if budget >= ROOMY { 2 } else { 1 }),
        (Section::Facts, if budget >= ROOMY { 4 } else { 0 }),
        (Section::All, 2),
        (Section::Tree, rows),
        (Section::Explanations, if budget >= ROOMY { 1 } else { 0 }),
        (Section::All, 2),
    ];
    for (section, count) in first {
        (0..count).for_each(|_| order.extend(queues[section as usize].take()));
    }
    let rest = |queue: &&mut Queue| !queue.parts.is_empty();
    while let Some(next) = queues
        .iter_mut()
        .filter(rest)
        .min_by_key(|queue| queue.taken * 1000 / queue.share)
    {
        order.extend(next.take());
    }
    order
}

impl Queue {
    fn take(&mut self) -> Option<PlanPart> {
        let (part, cost) = self.parts.pop()?;
        self.taken += cost as u64;
        Some(part)
    }
}

fn queue(contents: &Contents, tree: &RowChoice, section: Section, share: u64) -> Queue {
    // numbers and separators
    const NUMBERS: usize = 16;
    let name = |frame| tokens(&contents.name(frame));
    let rows = |part, rows: &MethodRows| {
        let cost = |row: &Hotspot| (part, name(row.frame) + NUMBERS);
        rows.shown().map(cost).collect()
    };
    let caveat = |text: &String| (PlanPart::Caveat, tokens(text));
    let condition = |text: &String| (PlanPart::Condition, tokens(text));
    let wait = |row: &Wait| {
        (
            PlanPart::Wait,
            name(row.wait) + row.user.map_or(0, name) + NUMBERS,
        )
    };
    let note = |note: &Note| (PlanPart::Note, name(note.frame) + tokens(note.text));
    let mut parts: Vec<(PlanPart, usize)> = match section {
        Section::Facts => FACTS.map(|_| (PlanPart::Fact, 6)).into(),
        Section::Caveats => contents.caveats.iter().map(caveat).collect(),
        Section::Notes => contents.notes.iter().map(note).collect(),
        Section::Conditions => contents.conditions.iter().map(condition).collect(),
        Section::Waits => contents
            .waits
            .iter()
            .flat_map(|waits| &waits.rows)
            .map(wait)
            .take(MAX_WAITS)
            .collect(),
        Section::Explanations => vec![(PlanPart::Explanations, 50)],
        Section::User => rows(PlanPart::User, &contents.user),
        Section::All => rows(PlanPart::All, &contents.all),
        Section::Callers => callers(contents),
        Section::Tree => tree.costs().map(|cost| (PlanPart::Row, cost)).collect(),
    };
    parts.reverse();
    Queue {
        share,
        taken: 0,
        parts,
    }
}

/// The first caller of each method, then the second of each, as long as they matter.
fn callers(contents: &Contents) -> Vec<(PlanPart, usize)> {
    const MIN_PERCENT: f64 = 0.1;
    const MOST: usize = 8;
    let part = |level: usize| {
        let of_method =
            move |(method, (_, callers)): (usize, &(_, super::callers::ReportCallers))| {
                let caller = callers
                    .rows
                    .get(level)
                    .filter(|caller| contents.percent(caller.inclusive) >= MIN_PERCENT)?;
                let cost = |frame| tokens(&contents.name(frame)) + 6;
                // callers of nearly all come before the first caller
                let through = callers.through.iter().filter(|_| level == 0);
                let through: usize = through.map(|&frame| cost(frame)).sum();
                let name = caller.frame.map_or(8, cost);
                Some((PlanPart::Caller(method), name + through))
            };
        contents.callers.iter().enumerate().filter_map(of_method)
    };
    (0..MOST).flat_map(part).collect()
}
