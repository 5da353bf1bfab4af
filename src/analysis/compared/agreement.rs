//! Checks that two decoders read the same data, by comparing their recordings: both sides should be equal.

use super::{AFTER, BEFORE, Rename, Side, Sides, compare, sides_of};
use crate::analysis::{own_value, sum};
use crate::model::{FrameId, Measure, MetricId, NodeId, TooLarge, TreeForm, View};
use crate::names::FrameKind;
use crate::units::Unit;

const MAX_DIFFERENCES: usize = 50;
const MAX_PATH_FRAMES: usize = 6;
const MAX_STEP: u64 = 1_000_000;

/// In stored units, the first profile's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    OnlyInFirst(u64),
    OnlyInSecond(u64),
    Inclusive(u64, u64),
    Exclusive(u64, u64),
    Count(u64, u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub path: Vec<String>,
    pub what: DifferenceKind,
}

/// Counts nodes of the tree without threads, plus threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// How much times may differ, in stored units: the precision of the coarser source.
    pub tolerance: u64,
    pub equal: usize,
    pub changed: usize,
    pub only_in_first: usize,
    pub only_in_second: usize,
    pub largest_difference: u64,
    pub counts_are_compared: bool,
    pub differences: Vec<Difference>,
}

impl Agreement {
    pub fn is_equal(&self) -> bool {
        self.changed + self.only_in_first + self.only_in_second == 0
    }

    fn add(&mut self, what: Option<DifferenceKind>, path: impl FnOnce() -> Vec<String>) {
        let Some(what) = what else {
            self.equal += 1;
            return;
        };
        match what {
            DifferenceKind::OnlyInFirst(_) => self.only_in_first += 1,
            DifferenceKind::OnlyInSecond(_) => self.only_in_second += 1,
            _ => self.changed += 1,
        }
        if self.differences.len() < MAX_DIFFERENCES {
            self.differences.push(Difference { path: path(), what });
        }
    }

    fn differ(&mut self, a: u64, b: u64, limit: u64) -> bool {
        self.largest_difference = self.largest_difference.max(a.abs_diff(b));
        a.abs_diff(b) > limit
    }
}

/// Compares default metrics. Names of threads and pseudo-methods are made up by decoders, so these are compared by
/// time.
pub fn agreement(first: &View, second: &View) -> Result<Agreement, TooLarge> {
    let side = |view| Side {
        view,
        measure: view.recording.default_metric.into(),
        scale: 1.0,
    };
    let renames = renamed_pseudo_methods(first, second);
    let (before, after) = (side(first), side(second));
    let compared = compare(&[before], &[after], &renames)?;
    let view = View::whole(&compared.recording, TreeForm::Original);
    let counts = |view: &View| view.recording.metric(view.recording.default_metric).counts;
    let steps = [step(first), step(second)];
    let coarser = if steps[0] < steps[1] { AFTER } else { BEFORE };
    let mut found = Agreement {
        tolerance: tolerance(steps),
        counts_are_compared: counts(first).is_some() && counts(first) == counts(second),
        ..Agreement::default()
    };
    // a node of the comparison merges one node of each thread
    let threads = first.threads.len().max(second.threads.len()).max(1) as u64;
    let tolerance = found.tolerance.saturating_mul(threads);
    add_threads(&mut found, first, second);
    for node in view.tree.nodes().skip(1) {
        let what = difference(&mut found, &view, node, (tolerance, coarser));
        found.add(what, || path(&view, node));
    }
    Ok(found)
}

/// Pairs pseudo-methods with different names in the order of their times.
fn renamed_pseudo_methods(first: &View, second: &View) -> Vec<Rename> {
    let is_pseudo = |view: &View, id: FrameId| {
        let frame = view.frames.get(id);
        frame.kind == FrameKind::Special
            || frame.kind == FrameKind::Method && view.frames.name(id).starts_with('[')
    };
    let only = |view: &View, other: &View| {
        let has = |name: &str| {
            let named = |(id, _)| other.frames.name(id) == name && other.occurs(id);
            other.frames.iter().any(named)
        };
        let ids = view.frames.iter().map(|(id, _)| id);
        let ids = ids.filter(|&id| is_pseudo(view, id) && view.occurs(id));
        let measure = Measure::from(view.recording.default_metric);
        let named = |id| {
            let name = view.frames.name(id).to_string();
            (own_value(view, measure, id), name)
        };
        let names = ids.map(named).filter(|(_, name)| !has(name));
        let mut names: Vec<(u64, String)> = names.collect();
        names.sort_unstable();
        names.into_iter().rev().map(|(_, name)| name)
    };
    let pairs = only(first, second).zip(only(second, first));
    pairs.map(|(old, new)| Rename { old, new }).collect()
}

/// How much times may differ: not at all if both profiles are rounded to the same decimals, else by the coarser step,
/// as one may be rounded. Unrounded nanoseconds may differ by one, as the ticks of some clocks are not whole
/// nanoseconds.
fn tolerance([first, second]: [u64; 2]) -> u64 {
    match first == second && first > 1 {
        true => 0,
        false => first.max(second),
    }
}

/// The largest power of ten, up to a millisecond, that divides all exclusive values.
fn step(view: &View) -> u64 {
    if view.recording.metric(view.recording.default_metric).unit != Unit::Milliseconds {
        return 1;
    }
    let mut step = MAX_STEP;
    for &value in &view.tree.columns(view.recording.default_metric).exclusive {
        while !value.is_multiple_of(step) {
            step /= 10;
        }
    }
    step
}

fn add_threads(found: &mut Agreement, first: &View, second: &View) {
    if first.threads.is_empty() || second.threads.is_empty() {
        return;
    }
    let by_time = |view: &View| {
        let value = |node| view.tree.inclusive(view.recording.default_metric, node);
        let threads = view.threads.iter().map(|thread| thread.node);
        let named = |node| (value(node), view.display_name(node).to_string());
        let mut threads: Vec<(u64, String)> = threads.map(named).collect();
        threads.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
        threads
    };
    let (a, b) = (by_time(first), by_time(second));
    for at in 0..a.len().max(b.len()) {
        // a thread's total may be a sum of rounded values
        let (what, name) = match (a.get(at), b.get(at)) {
            (Some((a, name)), Some((b, _))) => {
                let nodes = first.tree.len().max(second.tree.len()) as u64;
                let limit = found.tolerance.saturating_mul(nodes);
                let differ = found.differ(*a, *b, limit);
                (differ.then_some(DifferenceKind::Inclusive(*a, *b)), name)
            }
            (Some((a, name)), None) => (Some(DifferenceKind::OnlyInFirst(*a)), name),
            (None, Some((b, name))) => (Some(DifferenceKind::OnlyInSecond(*b)), name),
            (None, None) => break,
        };
        found.add(what, || vec![name.clone()]);
    }
}

fn difference(
    found: &mut Agreement,
    view: &View,
    node: NodeId,
    (tolerance, coarser): (u64, MetricId),
) -> Option<DifferenceKind> {
    let tree = &view.tree;
    let Sides { before, after } = sides_of(view, node);
    let counts = [BEFORE, AFTER].map(|metric| tree.count(metric, node).unwrap_or(0));
    match ((before, counts[0]), (after, counts[1])) {
        ((0, 0), (0, 0)) => return None,
        (_, (0, 0)) => return Some(DifferenceKind::OnlyInFirst(before)),
        ((0, 0), _) => return Some(DifferenceKind::OnlyInSecond(after)),
        _ => {}
    }
    let exclusive = [BEFORE, AFTER].map(|metric| tree.exclusive(metric, node));
    if found.differ(exclusive[0], exclusive[1], tolerance) {
        return Some(DifferenceKind::Exclusive(exclusive[0], exclusive[1]));
    }
    // a sum of rounded parts may be off by a step for each
    let callees = tree.children(node);
    let callees = sum(callees.map(|callee| tree.inclusive(coarser, callee)));
    let total = callees.saturating_add(tree.exclusive(coarser, node));
    let parts = match total == tree.inclusive(coarser, node) {
        true => tree.size(node) as u64,
        false => 1,
    };
    if found.differ(before, after, tolerance.saturating_mul(parts)) {
        return Some(DifferenceKind::Inclusive(before, after));
    }
    let counts_differ = found.counts_are_compared && counts[0] != counts[1];
    counts_differ.then_some(DifferenceKind::Count(counts[0], counts[1]))
}

fn path(view: &View, node: NodeId) -> Vec<String> {
    let nodes = view.tree.upward(node);
    let mut path: Vec<String> = nodes
        .take_while(|&at| at != NodeId::ROOT)
        .take(MAX_PATH_FRAMES + 1)
        .map(|at| view.display_name(at).to_string())
        .collect();
    if path.len() > MAX_PATH_FRAMES {
        path[MAX_PATH_FRAMES] = "…".into();
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests;
