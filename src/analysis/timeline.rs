//! Values of a view over time: sums over equal buckets of its time range.

use super::sum;
use crate::model::{
    Lane, Merging, MetricId, NodeId, NodeMap, RecordedNode, SampleKind, SamplePart, SampleTable,
    TimeRange, View, counting_sort,
};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Entries between stored running sums, which bound the work of summing a subtree.
const CHECKPOINT: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketValues {
    pub running: Vec<u64>,
    /// Waiting or, in CPU time, spinning; see [`View::waiting`].
    pub waiting: Vec<u64>,
}

/// The sum over all buckets is a node's inclusive value.
#[derive(Clone, Debug)]
pub struct Timeline {
    pub range: TimeRange,
    pub metric: MetricId,
    pub buckets: Buckets,
    /// The node in the view's base of each recorded node.
    to_base: NodeMap<RecordedNode, NodeId>,
    running: Series,
    waiting: Series,
    /// By index in the recording.
    merged: HashMap<usize, BucketValues>,
}

/// Own values by node and time bucket, in node order.
#[derive(Clone, Debug, Default)]
struct Series {
    nodes: Vec<NodeId>,
    buckets: Vec<u16>,
    threads: Vec<u32>,
    values: Vec<u64>,
    /// By bucket, of all entries before each multiple of [`CHECKPOINT`].
    sums: Vec<Vec<u64>>,
}

/// Equal parts of a time range, with borders in whole nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Buckets {
    from_ns: u64,
    span_ns: u64,
    pub count: usize,
}

impl Buckets {
    pub fn new(TimeRange { from_ns, to_ns }: TimeRange, count: usize) -> Buckets {
        Buckets {
            from_ns,
            span_ns: to_ns.saturating_sub(from_ns).max(1),
            count: count.max(1),
        }
    }

    /// `bucket` may be the number of buckets.
    pub fn boundary_ns(self, bucket: usize) -> u64 {
        self.from_ns + (u128::from(self.span_ns) * bucket as u128 / self.count as u128) as u64
    }

    /// The last bucket that starts no later.
    pub fn at(self, at_ns: u64) -> usize {
        let (offset, count) = (at_ns.saturating_sub(self.from_ns), self.count as u64);
        let bucket = match offset.saturating_add(1).checked_mul(count) {
            Some(product) => (product - 1) / self.span_ns,
            None => {
                let product = (u128::from(offset) + 1) * u128::from(count);
                ((product - 1) / u128::from(self.span_ns)) as u64
            }
        };
        (bucket as usize).min(self.count - 1)
    }
}

impl Timeline {
    pub const MAX_BUCKETS: usize = u16::MAX as usize;

    /// `None` without sample times. Lasting samples are split exactly; others belong to the bucket in which they start.
    pub fn new(view: &View, metric: MetricId, buckets: usize) -> Option<Timeline> {
        let samples = view.recording.samples.as_ref().ok()?;
        let shown = view.range().map_or(TimeRange::ALL, |scope| scope.range);
        let TimeRange { from_ns, to_ns } = shown;
        let end_ns = samples.span_ns.max(from_ns);
        let until = |to_ns| TimeRange { from_ns, to_ns };
        let range = until(to_ns.min(end_ns));
        // samples that start at the end of the recording belong to the last bucket
        let sampled = match to_ns > end_ns {
            true => until(TimeRange::OPEN),
            false => range,
        };
        let buckets = Buckets::new(range, buckets.min(Self::MAX_BUCKETS));
        let mut collector = Collector::new(view, samples, metric, buckets);
        for lane in &samples.lanes {
            let is_repaired = view.is_repaired();
            samples.for_each_in_lane(lane, sampled, is_repaired, |sample| {
                collector.add(lane, sampled, sample)
            });
        }
        let [running, waiting] = collector
            .entries
            .map(|entries| Series::new(entries, view.tree.len(), buckets.count));
        let mut timeline = Timeline {
            range,
            metric,
            buckets,
            to_base: collector.to_base,
            running,
            waiting,
            merged: HashMap::new(),
        };
        // if all threads are merged, they aren't shown one by one
        if view.base().steps.scope.threads.merging == Merging::Pool {
            timeline.merged = timeline.by_thread(view, NodeId::ROOT).into_iter().collect();
        }
        Some(timeline)
    }

    pub fn of_merged(&self, row: usize) -> BucketValues {
        let known = self.merged.get(&row).cloned();
        known.unwrap_or_else(|| BucketValues::new(self.buckets.count))
    }

    pub fn total_of_merged(&self, row: usize, counts_waiting: bool) -> u64 {
        let known = self.merged.get(&row);
        known.map_or(0, |values| values.total(counts_waiting))
    }

    /// At least a nanosecond.
    pub fn length_ns(&self, buckets: Range<usize>) -> u64 {
        (self.buckets.boundary_ns(buckets.end) - self.buckets.boundary_ns(buckets.start)).max(1)
    }

    pub fn divided(&self, buckets: usize) -> Buckets {
        Buckets::new(self.range, buckets)
    }

    /// `None` outside the range.
    pub fn bucket_at(&self, at_ns: u64) -> Option<usize> {
        let TimeRange { from_ns, to_ns } = self.range;
        let is_in = (from_ns..=to_ns).contains(&at_ns);
        is_in.then(|| self.buckets.at(at_ns))
    }

    /// The subtrees must be disjoint.
    pub fn of(&self, view: &View, subtrees: &[NodeId]) -> BucketValues {
        self.of_ranges(subtrees.iter().map(|&node| node..view.tree.end(node)))
    }

    pub fn of_own(&self, nodes: &[NodeId]) -> BucketValues {
        self.of_ranges(nodes.iter().map(|&node| node..NodeId(node.0 + 1)))
    }

    fn of_ranges(&self, ranges: impl Iterator<Item = Range<NodeId>>) -> BucketValues {
        let mut sums = BucketValues::new(self.buckets.count);
        for nodes in ranges {
            self.running.add_within(nodes.clone(), &mut sums.running);
            self.waiting.add_within(nodes, &mut sums.waiting);
        }
        sums
    }

    /// The threads with values, by index in [`crate::model::Recording::threads`].
    pub fn by_thread(&self, view: &View, node: NodeId) -> Vec<(usize, BucketValues)> {
        let nodes = node..view.tree.end(node);
        let mut sums: Vec<Option<BucketValues>> = vec![None; view.recording.threads.len()];
        for (series, is_waiting) in [(&self.running, false), (&self.waiting, true)] {
            for row in series.rows(nodes.clone()) {
                let (thread, bucket) = (series.threads[row], series.buckets[row]);
                let sums = sums[thread as usize]
                    .get_or_insert_with(|| BucketValues::new(self.buckets.count));
                let values = match is_waiting {
                    true => &mut sums.waiting,
                    false => &mut sums.running,
                };
                let sum = &mut values[usize::from(bucket)];
                *sum = sum.saturating_add(series.values[row]);
            }
        }
        let rows = sums.into_iter().enumerate();
        rows.filter_map(|(row, sums)| Some((row, sums?))).collect()
    }

    pub(super) fn for_each(&self, counts_waiting: bool, mut visit: impl FnMut(NodeId, usize, u64)) {
        let waiting = counts_waiting.then_some(&self.waiting);
        for series in std::iter::once(&self.running).chain(waiting) {
            let places = series.nodes.iter().zip(&series.buckets);
            for ((&node, &bucket), &value) in places.zip(&series.values) {
                visit(node, usize::from(bucket), value);
            }
        }
    }

    /// The node with the largest value in a range of these threads. Nodes that wait or spin only count if nothing else
    /// ran.
    pub fn stack_at(
        &self,
        view: &View,
        within: NodeId,
        rows: &[usize],
        range: TimeRange,
    ) -> Option<NodeId> {
        let samples = view.recording.samples.as_ref().ok()?;
        let is_within = |&node: &NodeId| view.tree.contains(within, node);
        let kinds = &samples.kinds;
        let waiting = view.base().waiting(self.metric);
        // whether each node runs, and its value
        let mut sums: HashMap<NodeId, (bool, u64)> = HashMap::new();
        let lanes = samples.lanes.iter();
        let rows: HashSet<usize> = rows.iter().copied().collect();
        for lane in lanes.filter(|lane| rows.contains(&(lane.thread as usize))) {
            samples.for_each_in_lane(lane, range, view.is_repaired(), |sample| {
                let kind = &kinds[usize::from(sample.kind)];
                let value = kind.value(self.metric, sample.value, sample.samples);
                let base = self.to_base.get(sample.node).filter(|_| value > 0);
                let shown = base.and_then(|base| view.from_base(base));
                if let (Some(base), Some(node)) = (base, shown.filter(is_within)) {
                    let (runs, sum) = sums.entry(node).or_default();
                    *runs |= waiting.own(base) == 0;
                    *sum = sum.saturating_add(value);
                }
            });
        }
        let sums = sums.into_iter();
        // of equals, the first one in the tree
        let largest = sums.max_by_key(|&(node, (runs, sum))| (runs, sum, Reverse(node)));
        largest.map(|(node, _)| node)
    }
}

impl BucketValues {
    fn new(buckets: usize) -> BucketValues {
        BucketValues {
            running: vec![0; buckets],
            waiting: vec![0; buckets],
        }
    }

    pub fn values(&self, counts_waiting: bool) -> impl Iterator<Item = u64> + '_ {
        let both = self.running.iter().zip(&self.waiting);
        both.map(move |(running, waiting)| {
            running.saturating_add(if counts_waiting { *waiting } else { 0 })
        })
    }

    pub fn total(&self, counts_waiting: bool) -> u64 {
        sum(self.values(counts_waiting))
    }
}

/// Node, bucket, thread and value.
type Entry = (NodeId, u16, u32, u64);

struct Collector<'a> {
    view: &'a View,
    kinds: &'a [SampleKind],
    metric: MetricId,
    buckets: Buckets,
    to_base: NodeMap<RecordedNode, NodeId>,
    waits: Vec<bool>,
    entries: [Vec<Entry>; 2],
}

impl<'a> Collector<'a> {
    fn new(view: &'a View, samples: &'a SampleTable, metric: MetricId, buckets: Buckets) -> Self {
        let base = view.base();
        let mut waits = vec![false; base.tree.len()];
        let waiting = base.waiting(metric).amounts();
        waiting.for_each(|(node, _)| waits[node.index()] = true);
        Collector {
            view,
            kinds: &samples.kinds,
            metric,
            buckets,
            to_base: recorded_nodes(base),
            waits,
            entries: Default::default(),
        }
    }

    fn add(&mut self, lane: &Lane, range: TimeRange, sample: SamplePart) {
        let kind = &self.kinds[usize::from(sample.kind)];
        let ones = kind.ones.contains(&self.metric);
        let factor = kind.factor(self.metric);
        if factor == 0 && !ones {
            return;
        }
        let base = self.to_base.get(sample.node);
        let found = base.and_then(|base| Some((base, self.view.from_base(base)?)));
        let Some((base, node)) = found else { return };
        let place = (self.waits[base.index()], node, lane.thread);
        let start = sample.start_ns.max(range.from_ns);
        let first = self.buckets.at(start);
        if ones {
            self.push(place, first, sample.samples);
        }
        if lane.has_weights() {
            let value = sample.value.saturating_mul(factor);
            return self.push(place, first, value);
        }
        let (mut from, end, mut bucket) = (start, start + sample.value, first);
        while from < end {
            // anything after the last boundary belongs to the last bucket
            let boundary = self.buckets.boundary_ns(bucket + 1);
            let until = match bucket + 1 < self.buckets.count {
                true => end.min(boundary),
                false => end,
            };
            self.push(place, bucket, (until - from).saturating_mul(factor));
            (from, bucket) = (until, bucket + 1);
        }
    }

    fn push(&mut self, (is_waiting, node, thread): (bool, NodeId, u32), bucket: usize, value: u64) {
        let (entries, bucket) = (&mut self.entries[usize::from(is_waiting)], bucket as u16);
        match entries.last_mut() {
            _ if value == 0 => {}
            Some((last_node, last_bucket, last_thread, sum))
                if (*last_node, *last_bucket, *last_thread) == (node, bucket, thread) =>
            {
                *sum = sum.saturating_add(value)
            }
            _ => entries.push((node, bucket, thread, value)),
        }
    }
}

impl Series {
    fn new(entries: Vec<Entry>, nodes: usize, buckets: usize) -> Series {
        let rows = entries.iter().map(|&entry| (entry, entry.0.index()));
        let (_, sorted) = counting_sort(rows, nodes);
        drop(entries);
        let mut series = Series::default();
        let mut sums = vec![0u64; buckets];
        for (row, (node, bucket, thread, value)) in sorted.into_iter().enumerate() {
            if row % CHECKPOINT == 0 {
                series.sums.push(sums.clone());
            }
            sums[usize::from(bucket)] = sums[usize::from(bucket)].saturating_add(value);
            series.nodes.push(node);
            series.buckets.push(bucket);
            series.threads.push(thread);
            series.values.push(value);
        }
        series.sums.push(sums);
        series
    }

    fn rows(&self, nodes: Range<NodeId>) -> Range<usize> {
        let row_of = |node| self.nodes.partition_point(|&other| other < node);
        row_of(nodes.start)..row_of(nodes.end)
    }

    fn add_within(&self, nodes: Range<NodeId>, to: &mut [u64]) {
        let rows = self.rows(nodes);
        let first = rows.start.div_ceil(CHECKPOINT);
        let last = rows.end / CHECKPOINT;
        if first >= last {
            return self.add_rows(rows, to);
        }
        let between = self.sums[last].iter().zip(&self.sums[first]);
        for (sum, (end, start)) in to.iter_mut().zip(between) {
            *sum = sum.saturating_add(end - start);
        }
        self.add_rows(rows.start..first * CHECKPOINT, to);
        self.add_rows(last * CHECKPOINT..rows.end, to);
    }

    fn add_rows(&self, rows: Range<usize>, to: &mut [u64]) {
        let both = self.buckets[rows.clone()].iter().zip(&self.values[rows]);
        for (&bucket, &value) in both {
            let sum = &mut to[usize::from(bucket)];
            *sum = sum.saturating_add(value);
        }
    }
}

/// The node in a base view for each recorded node, including merged ones.
pub(super) fn recorded_nodes(base: &View) -> NodeMap<RecordedNode, NodeId> {
    let unmerged = base.recorded_nodes();
    if !base.has_merged_threads() {
        return unmerged;
    }
    let recorded = base.recording.tree_of(base.form);
    let mut thread_at = HashMap::new();
    for (at, thread) in base.threads.iter().enumerate() {
        let rows = base.rows_of_thread(at);
        let roots = rows.iter().map(|&row| recorded.threads()[row]);
        thread_at.extend(roots.map(|root| (root, thread.node)));
    }
    let mut callees: HashMap<_, _, foldhash::fast::RandomState> = HashMap::default();
    // all other nodes are in `unmerged`
    let threads = base.threads.iter().enumerate();
    let merged = threads.filter(|&(at, _)| base.rows_of_thread(at).len() > 1);
    let merged = merged.flat_map(|(_, thread)| base.tree.range(thread.node).skip(1));
    for node in merged.map(NodeId::at) {
        let caller = base.tree.parent(node).unwrap_or(NodeId::ROOT);
        callees.insert((caller, base.tree.frame(node)), node);
    }
    let tree = &recorded.tree;
    let mut places: Vec<Option<NodeId>> = Vec::with_capacity(tree.len());
    for node in tree.nodes() {
        let merged = || {
            let caller = places[tree.parent(node)?.index()]?;
            callees.get(&(caller, tree.frame(node))).copied()
        };
        let place = thread_at.get(&node).copied();
        let place = place.or_else(|| unmerged.get(node)).or_else(merged);
        places.push(place);
    }
    places.into_iter().collect()
}
