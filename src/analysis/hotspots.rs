use super::parallel::{Parts, join, parts};
use super::paths::{occurrences_within, with_outermost};
use crate::model::{Amount, CountKind, FrameId, Measure, NodeId, View, Waiting};
use crate::names::FrameKind;
use crate::words::words;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::ops::Range;

/// The sums of a method over its nodes, in stored units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hotspot {
    pub frame: FrameId,
    /// A node below another one of the same method adds nothing.
    pub inclusive: u64,
    pub exclusive: u64,
    /// The waiting in `inclusive`, if waiting is excluded; else 0.
    pub waiting: Amount,
    pub own_waiting: Amount,
    /// Calls over all nodes, or samples with recursion counted once: ten times on one stack are one sample, but ten
    /// calls.
    pub count: Option<u64>,
    /// Calls or samples over all nodes, as dotTrace shows them.
    pub total_count: u64,
    /// Calls or samples of the outermost nodes, which make up `inclusive`.
    pub outermost_count: u64,
    /// Samples with the method on top of the stack, if counts are samples.
    pub own_samples: Option<u64>,
    pub node_count: u32,
    /// The first in preorder if several tie.
    pub heaviest_node: NodeId,
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum HotspotOrder {
        Inclusive = "inclusive",
        Exclusive = "exclusive",
    }
}

impl Hotspot {
    pub fn value(&self, order: HotspotOrder) -> u64 {
        match order {
            HotspotOrder::Inclusive => self.inclusive,
            HotspotOrder::Exclusive => self.exclusive,
        }
    }

    /// Without excluded waiting.
    pub fn weight(&self, order: HotspotOrder) -> u64 {
        let waiting = self.excluded_waiting(order).value;
        self.value(order).saturating_sub(waiting)
    }

    fn excluded_waiting(&self, order: HotspotOrder) -> Amount {
        match order {
            HotspotOrder::Inclusive => self.waiting,
            HotspotOrder::Exclusive => self.own_waiting,
        }
    }

    pub fn counted(&self) -> Option<u64> {
        let waiting = self.waiting.samples;
        self.count.map(|count| count.saturating_sub(waiting))
    }

    pub fn own_counted(&self) -> Option<u64> {
        let waiting = self.own_waiting.samples;
        self.own_samples
            .map(|samples| samples.saturating_sub(waiting))
    }

    /// The samples behind a value, if counts are samples and the value is not all waiting.
    pub fn samples(&self, order: HotspotOrder) -> Option<u64> {
        let own_samples = self.own_counted().filter(|_| self.weight(order) > 0)?;
        match order {
            HotspotOrder::Exclusive => Some(own_samples),
            HotspotOrder::Inclusive => self.counted(),
        }
    }

    /// Without excluded waiting: exclusive time over all calls, inclusive time over calls from outside.
    pub fn per_call(&self, order: HotspotOrder) -> Option<u64> {
        let count = match order {
            HotspotOrder::Inclusive => self.outermost_count,
            HotspotOrder::Exclusive => self.total_count,
        };
        average(self.weight(order), count)
    }
}

/// Saturates at `u64::MAX`.
pub fn sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, u64::saturating_add)
}

pub fn own_value(view: &View, measure: impl Into<Measure>, frame: FrameId) -> u64 {
    let measure = measure.into();
    let nodes = view.occurrences.of(frame).iter();
    sum(nodes.map(|&node| measure.exclusive(view, node)))
}

/// Rounded half up; `None` if `count` is 0.
pub fn average(sum: u64, count: u64) -> Option<u64> {
    sum.saturating_add(count / 2).checked_div(count)
}

/// The methods and special frames below `roots` (disjoint and ascending), by first node. With several metrics, special
/// frames without a value in the given metric are left out: object types have bytes but no time. One pass: in preorder, a node
/// is outermost if it starts at or after the end of its method's last outermost node.
pub fn hotspots(view: &View, roots: &[NodeId], measure: impl Into<Measure>) -> Vec<Hotspot> {
    hotspots_of(view, roots, measure.into(), parts(view, roots))
}

fn hotspots_of(view: &View, roots: &[NodeId], measure: Measure, parts: Parts) -> Vec<Hotspot> {
    let front = || Sums::of(view, measure, &parts.front, &[]);
    let Sums { mut row_of, rows } = match parts.back.first() {
        Some(range) => {
            let callers = callers_within(view, roots, range.start);
            let back = || Sums::of(view, measure, &parts.back, &callers);
            let (front, back) = join(front, back);
            front.with(back)
        }
        None => front(),
    };
    let mut rows: Vec<Hotspot> = rows.into_iter().map(|sum| sum.hotspot).collect();
    if view.recording.metric(measure.metric).counts == Some(CountKind::Samples) {
        add_own_samples(view, roots, measure, &mut row_of, &mut rows);
    }
    if view.recording.metrics.len() > 1 {
        let is_special = |row: &Hotspot| view.frames.get(row.frame).kind == FrameKind::Special;
        rows.retain(|row| row.inclusive > 0 || row.count > Some(0) || !is_special(row));
    }
    rows
}

fn callers_within(view: &View, roots: &[NodeId], index: usize) -> Vec<NodeId> {
    let node = NodeId::at(index);
    let root = roots.iter().rfind(|root| **root <= node);
    let callers = view.tree.ancestors(node);
    let callers = callers.take_while(|caller| root.is_some_and(|root| caller >= root));
    callers.collect()
}

fn add_own_samples(
    view: &View,
    roots: &[NodeId],
    measure: Measure,
    row_of: &mut FrameRows,
    rows: &mut [Hotspot],
) {
    let Some(counts) = &view.tree.columns(measure.metric).counts else {
        return;
    };
    let mut called = vec![0u64; rows.len()];
    for &root in roots {
        for index in view.tree.range(root).skip(1) {
            let caller = view.tree.parent(NodeId::at(index));
            let caller = caller.map(|caller| *row_of.slot(view.tree.frame(caller)));
            if let Some(row) = caller.filter(|&row| row != NONE) {
                called[row as usize] = called[row as usize].saturating_add(counts.get(index));
            }
        }
    }
    for (row, called) in rows.iter_mut().zip(called) {
        // some sources give callees more samples than their caller
        row.own_samples = Some(row.total_count.saturating_sub(called));
    }
}

/// The samples behind a node's values, without excluded waiting. `None` if a value is all waiting, or if counts are not
/// samples.
pub fn samples(view: &View, measure: Measure, node: NodeId) -> [Option<u64>; 2] {
    let is_sampled = view.recording.metric(measure.metric).counts == Some(CountKind::Samples);
    let Some(count) = measure.count(view, node).filter(|_| is_sampled) else {
        return [None; 2];
    };
    [
        (count, measure.inclusive(view, node)),
        (measure.own_count(view, node), measure.exclusive(view, node)),
    ]
    .map(|(samples, weight)| (weight > 0).then_some(samples))
}

/// The thread with most of a method's value, and its weight there; `None` if threads are not distinguished.
pub fn hottest_thread(
    view: &View,
    roots: &[NodeId],
    measure: Measure,
    frame: FrameId,
    order: HotspotOrder,
) -> Option<(NodeId, u64)> {
    let mut sums: HashMap<NodeId, (u64, u64)> = HashMap::new();
    let (tree, metric) = (&view.tree, measure.metric);
    let nodes = |&root: &NodeId| occurrences_within(view, root, frame);
    let nodes = roots.iter().flat_map(nodes).copied();
    for (node, is_outermost) in with_outermost(view, nodes) {
        let (weight, value) = match order {
            HotspotOrder::Exclusive => {
                (measure.exclusive(view, node), tree.exclusive(metric, node))
            }
            HotspotOrder::Inclusive if !is_outermost => continue,
            HotspotOrder::Inclusive => {
                (measure.inclusive(view, node), tree.inclusive(metric, node))
            }
        };
        let sum = sums.entry(view.thread_of(node)?.node).or_default();
        *sum = (sum.0.saturating_add(weight), sum.1.saturating_add(value));
    }
    // methods that only wait are compared by their values
    let sums = sums.into_iter();
    let hottest = sums.max_by_key(|&(thread, sums)| (sums, Reverse(thread)));
    hottest.map(|(thread, (weight, _))| (thread, weight))
}

/// The waiting in a value, even if waiting is not excluded. O(occurrences · log w) for w waiting nodes.
pub fn waiting_of(
    view: &View,
    roots: &[NodeId],
    measure: Measure,
    sums: &Hotspot,
    order: HotspotOrder,
) -> u64 {
    let waiting = view.waiting(measure.metric);
    if waiting.is_none() || measure.left_out(view).is_some() {
        return sums.excluded_waiting(order).value;
    }
    let nodes = |&root: &NodeId| occurrences_within(view, root, sums.frame);
    let nodes = with_outermost(view, roots.iter().flat_map(nodes).copied());
    sum(nodes.map(|(node, is_outermost)| match order {
        HotspotOrder::Exclusive => waiting.own(node),
        HotspotOrder::Inclusive if is_outermost => waiting.within(&view.tree, node),
        HotspotOrder::Inclusive => 0,
    }))
}

/// A hotspot and what is needed to add nodes to it: one memory access per node.
struct HotspotSum {
    hotspot: Hotspot,
    heaviest: u64,
    open_until: NodeId,
}

struct Sums {
    row_of: FrameRows,
    rows: Vec<HotspotSum>,
}

impl Sums {
    /// Of ascending nodes, given the callers of the first one.
    fn of(view: &View, measure: Measure, nodes: &[Range<usize>], callers: &[NodeId]) -> Sums {
        let (tree, columns) = (&view.tree, view.tree.columns(measure.metric));
        let mut left_out = measure.left_out(view).map(Waiting::in_order);
        let counts_each_node =
            view.recording.metric(measure.metric).counts != Some(CountKind::Samples);
        let has_counts = columns.counts.is_some();
        let mut row_of = FrameRows::new(nodes.iter().map(Range::len).sum(), view.frames.len());
        let is_code = |frame: FrameId| view.frames.get(frame).kind.is_code();
        let callers = callers.iter().copied();
        let callers = callers.filter(|&caller| is_code(tree.frame(caller)));
        let mut rows = Sums::of_callers(view, callers, &mut row_of, has_counts);
        for index in nodes.iter().cloned().flatten() {
            let node = NodeId::at(index);
            let frame = tree.frame(node);
            let inclusive = columns.inclusive[index];
            let row = row_of.slot(frame);
            if *row == NONE {
                if !is_code(frame) {
                    continue;
                }
                *row = rows.len() as u32;
                rows.push(HotspotSum::new(frame, node, inclusive, has_counts));
            }
            let HotspotSum {
                hotspot: hot,
                heaviest,
                open_until,
            } = &mut rows[*row as usize];
            hot.exclusive = hot.exclusive.saturating_add(columns.exclusive[index]);
            hot.node_count += 1;
            let is_outermost = node >= *open_until;
            if let (Some(sum), Some(counts)) = (&mut hot.count, &columns.counts) {
                let count = counts.get(index);
                hot.total_count = hot.total_count.saturating_add(count);
                if is_outermost {
                    hot.outermost_count = hot.outermost_count.saturating_add(count);
                }
                if is_outermost || counts_each_node {
                    *sum = sum.saturating_add(count);
                }
            }
            if is_outermost {
                hot.inclusive = hot.inclusive.saturating_add(inclusive);
                *open_until = tree.end(node);
            }
            if let Some(waiting) = &mut left_out {
                let (within, own) = waiting.look_up(tree, node);
                hot.own_waiting.add(own);
                if is_outermost {
                    hot.waiting.add(within);
                }
            }
            if inclusive > *heaviest {
                *heaviest = inclusive;
                hot.heaviest_node = node;
            }
        }
        Sums { row_of, rows }
    }

    /// Empty sums, open until the callers' ends.
    fn of_callers(
        view: &View,
        callers: impl Iterator<Item = NodeId>,
        row_of: &mut FrameRows,
        has_counts: bool,
    ) -> Vec<HotspotSum> {
        let mut rows: Vec<HotspotSum> = Vec::new();
        for caller in callers {
            let frame = view.tree.frame(caller);
            let row = row_of.slot(frame);
            if *row == NONE {
                *row = rows.len() as u32;
                rows.push(HotspotSum::new(frame, caller, 0, has_counts));
            }
            let open_until = &mut rows[*row as usize].open_until;
            *open_until = view.tree.end(caller).max(*open_until);
        }
        rows
    }

    fn with(mut self, later: Sums) -> Sums {
        let later = later.rows.into_iter();
        for sum in later.filter(|sum| sum.hotspot.node_count > 0) {
            let row = self.row_of.slot(sum.hotspot.frame);
            match self.rows.get_mut(*row as usize) {
                Some(known) => known.add(&sum),
                None => {
                    *row = self.rows.len() as u32;
                    self.rows.push(sum);
                }
            }
        }
        self
    }
}

impl HotspotSum {
    fn new(frame: FrameId, node: NodeId, heaviest: u64, has_counts: bool) -> HotspotSum {
        HotspotSum {
            hotspot: Hotspot {
                frame,
                heaviest_node: node,
                count: has_counts.then_some(0),
                ..Hotspot::default()
            },
            heaviest,
            open_until: NodeId::ROOT,
        }
    }

    fn add(&mut self, sum: &HotspotSum) {
        let (hot, later) = (&mut self.hotspot, &sum.hotspot);
        for (sum, more) in [
            (&mut hot.inclusive, later.inclusive),
            (&mut hot.exclusive, later.exclusive),
            (&mut hot.total_count, later.total_count),
            (&mut hot.outermost_count, later.outermost_count),
        ] {
            *sum = sum.saturating_add(more);
        }
        hot.waiting.add(later.waiting);
        hot.own_waiting.add(later.own_waiting);
        let counts = hot.count.zip(later.count);
        hot.count = counts.map(|(sum, more)| sum.saturating_add(more));
        hot.node_count += later.node_count;
        if sum.heaviest > self.heaviest {
            self.heaviest = sum.heaviest;
            hot.heaviest_node = later.heaviest_node;
        }
    }
}

/// A sort key that doesn't depend on frame ids.
fn tie_break_key<'a>(view: &'a View, row: &Hotspot) -> (&'a str, &'a str, &'static str) {
    let frames = &view.frames;
    (
        frames.name(row.frame),
        frames.signature(row.frame),
        frames.get(row.frame).kind.name(),
    )
}

const NONE: u32 = u32::MAX;

/// A map for small subtrees, so that many of those don't allocate a table each.
enum FrameRows {
    Table(Vec<u32>),
    Map(HashMap<FrameId, u32, foldhash::fast::RandomState>),
}

impl FrameRows {
    fn new(nodes: usize, frames: usize) -> FrameRows {
        match nodes < frames / 16 {
            true => FrameRows::Map(HashMap::default()),
            false => FrameRows::Table(vec![NONE; frames]),
        }
    }

    fn slot(&mut self, frame: FrameId) -> &mut u32 {
        match self {
            FrameRows::Table(rows) => &mut rows[frame.index()],
            FrameRows::Map(rows) => rows.entry(frame).or_insert(NONE),
        }
    }
}

/// Ties are broken by the other value, then name, signature and kind, as frame ids differ between a file and its
/// export.
pub fn sort_hotspots(view: &View, rows: &mut [Hotspot], order: HotspotOrder) {
    rows.sort_unstable_by(|a, b| compare(view, order, a, b));
}

/// O(rows + limit log limit).
pub fn keep_first_hotspots(
    view: &View,
    rows: &mut Vec<Hotspot>,
    order: HotspotOrder,
    limit: usize,
) {
    if limit < rows.len() {
        rows.select_nth_unstable_by(limit, |a, b| compare(view, order, a, b));
        rows.truncate(limit);
    }
    sort_hotspots(view, rows, order);
}

fn compare(view: &View, order: HotspotOrder, a: &Hotspot, b: &Hotspot) -> Ordering {
    let key = |row: &Hotspot, order| (row.weight(order), row.value(order));
    let compare_by = |order| key(b, order).cmp(&key(a, order));
    compare_by(order)
        .then_with(|| compare_by(HotspotOrder::Inclusive))
        .then_with(|| compare_by(HotspotOrder::Exclusive))
        .then_with(|| tie_break_key(view, a).cmp(&tie_break_key(view, b)))
}

#[cfg(test)]
mod tests;
