use super::contents::{Contents, FACTS, METHODS_WITH_CALLERS, MethodRows, Note};
use super::rows::{NUMBER_TOKENS, RowChoice};
use crate::analysis::Wait;
use crate::text::tokens;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
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

/// A possible addition to a section: for callers, the index of the method that gets another one, otherwise 0.
type PlanPart = (Section, usize);

/// The number of parts of each section, at index 0; for callers, of each method.
#[derive(Clone, Default)]
pub(super) struct Plan([[usize; METHODS_WITH_CALLERS]; SHARES.len()]);

impl Plan {
    pub(super) fn of(&self, section: Section) -> usize {
        self.0[section as usize][0]
    }

    pub(super) fn callers(&self) -> &[usize] {
        &self.0[Section::Callers as usize]
    }

    fn with(&self, parts: &[PlanPart]) -> Plan {
        let mut plan = self.clone();
        for &(section, index) in parts {
            plan.0[section as usize][index] += 1;
        }
        plan
    }
}

/// Every report has the root of its tree, and this many parts: the first method.
const MIN_PARTS: usize = 1;
const MAX_WAITS: usize = 5;

/// The plan with as many parts, in order, as fit. When one does not, its section gets no more. `cost` returns a plan's
/// token count; the error is that of the smallest plan.
pub(super) fn fitted(
    contents: &Contents,
    rows: &RowChoice,
    budget: usize,
    cost: impl Fn(&Plan) -> usize,
) -> Result<Plan, usize> {
    let mut rest = in_order(contents, rows, budget);
    let required: Vec<PlanPart> = rest.drain(..MIN_PARTS.min(rest.len())).collect();
    let mut plan = Plan::default().with(&required);
    let min_cost = cost(&plan);
    if min_cost > budget {
        return Err(min_cost);
    }
    // add as many as fit; then drop the section of the one that does not, until no parts remain
    while !rest.is_empty() {
        let (mut fits, mut too_many) = (0, rest.len() + 1);
        while too_many - fits > 1 {
            let middle = fits + (too_many - fits) / 2;
            if cost(&plan.with(&rest[..middle])) <= budget {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        plan = plan.with(&rest[..fits]);
        let Some(&refused) = rest.get(fits) else {
            break;
        };
        let methods = plan.of(Section::User).max(plan.of(Section::All));
        rest.drain(..fits);
        rest.retain(|&part| {
            let is_for_hidden_row = part.0 == Section::Callers && part.1 >= methods;
            part != refused && !is_for_hidden_row
        });
    }
    Ok(plan)
}

/// With at least this budget, several caveats are included early, and marks are explained.
const ROOMY: usize = 1_500;

/// One row of the tree per this many tokens is added before other sections get more than their first rows, and the same
/// number after those.
const TOKENS_PER_TREE_ROW: usize = 330;

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

struct Queue {
    share: u64,
    used: u64,
    parts: std::vec::IntoIter<(PlanPart, usize)>,
}

/// All parts in the order in which they are added: first those of every report, then one at a time from the section
/// that is furthest below its share.
fn in_order(contents: &Contents, tree: &RowChoice, budget: usize) -> Vec<PlanPart> {
    let mut queues = SHARES.map(|(section, share)| queue(contents, tree, section, share));
    let mut order = Vec::new();
    let rows = budget.div_ceil(TOKENS_PER_TREE_ROW);
    let roomy = |many, few| if budget >= ROOMY { many } else { few };
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
        (Section::Caveats, roomy(4, 0)),
        (Section::Conditions, roomy(2, 1)),
        (Section::Facts, roomy(4, 0)),
        (Section::All, 2),
        (Section::Tree, rows),
        (Section::Explanations, roomy(1, 0)),
        (Section::All, 2),
    ];
    for (section, count) in first {
        (0..count).for_each(|_| order.extend(queues[section as usize].take()));
    }
    let has_parts = |queue: &&mut Queue| queue.parts.len() > 0;
    let progress = |queue: &&mut Queue| queue.used * 1000 / queue.share;
    while let Some(next) = queues.iter_mut().filter(has_parts).min_by_key(progress) {
        order.extend(next.take());
    }
    order
}

impl Queue {
    fn take(&mut self) -> Option<PlanPart> {
        let (part, cost) = self.parts.next()?;
        self.used += cost as u64;
        Some(part)
    }
}

fn queue(contents: &Contents, tree: &RowChoice, section: Section, share: u64) -> Queue {
    let name = |frame| tokens(&contents.name(frame));
    let texts = |texts: &[String]| texts.iter().map(|text| tokens(text)).collect();
    let rows = |rows: &MethodRows| {
        rows.shown()
            .map(|row| name(row.frame) + NUMBER_TOKENS)
            .collect()
    };
    let wait = |row: &Wait| name(row.wait) + row.user.map_or(0, name) + NUMBER_TOKENS;
    let note = |note: &Note| name(note.frame) + tokens(note.text);
    let costs: Vec<usize> = match section {
        Section::Facts => vec![6; FACTS.len()],
        Section::Caveats => texts(&contents.caveats),
        Section::Notes => contents.notes.iter().map(note).collect(),
        Section::Conditions => texts(&contents.conditions),
        Section::Waits => {
            let rows = contents.waits.iter().flat_map(|waits| &waits.rows);
            rows.map(wait).take(MAX_WAITS).collect()
        }
        Section::Explanations => vec![50],
        Section::User => rows(&contents.user),
        Section::All => rows(&contents.all),
        Section::Callers => Vec::new(),
        Section::Tree => tree.costs().collect(),
    };
    let parts: Vec<_> = match section {
        Section::Callers => callers(contents),
        _ => costs.into_iter().map(|cost| ((section, 0), cost)).collect(),
    };
    let parts = parts.into_iter();
    Queue {
        share,
        used: 0,
        parts,
    }
}

/// The first caller of each method, then the second of each, as long as they matter.
fn callers(contents: &Contents) -> Vec<(PlanPart, usize)> {
    const MIN_PERCENT: f64 = 0.1;
    const MAX_CALLERS: usize = 8;
    let cost = |frame| tokens(&contents.name(frame)) + 6;
    let mut parts = Vec::new();
    for level in 0..MAX_CALLERS {
        for (method, (_, callers)) in contents.callers.iter().enumerate() {
            let caller = callers.rows.get(level);
            let matters = |inclusive| contents.percent(inclusive) >= MIN_PERCENT;
            let Some(caller) = caller.filter(|caller| matters(caller.inclusive)) else {
                continue;
            };
            // the methods through which nearly all calls come are listed before the first caller
            let through = callers.through.iter().filter(|_| level == 0);
            let through: usize = through.map(|&frame| cost(frame)).sum();
            let name = caller.frame.map_or(8, cost);
            parts.push(((Section::Callers, method), name + through));
        }
    }
    parts
}
