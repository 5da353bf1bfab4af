//! The timeline strip: values over time, and a cursor to choose ranges with.

use super::{Depth, LaneRow};
use crate::analysis::{BucketValues, Timeline, outermost_occurrences, sum};
use crate::model::{FrameId, MarkerKind, Measure, MetricId, NodeId, Scope, TimeRange, View};
use crate::query::{MarkerLane, full_threads, height, marker_lanes};
use crate::units::Unit;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Methods with more occurrences than this are not summed over time.
const MAX_OCCURRENCES: usize = 5_000;

/// A view's values in one metric over time, computed by the worker.
pub struct ViewOverTime {
    pub view: Arc<View>,
    pub metric: MetricId,
    pub timeline: Timeline,
    pub all: BucketValues,
    pub markers: Vec<MarkerLane>,
    /// The timeline without collapsed rows, which hide methods; `None` if nothing is collapsed.
    uncollapsed: Option<Timeline>,
    /// In the metric with the most waiting, unless that is `metric`: what threads do while they don't run.
    waiting: Option<Timeline>,
}

/// A view's values in each cell of a line on the screen.
#[derive(Clone, Copy)]
pub struct CellsOverTime<'a> {
    pub strip: &'a ViewOverTime,
    pub count: usize,
    counts_waiting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCell {
    /// The height in eighths.
    Runs(usize),
    Waits,
    /// It exists, but is not known to run or to wait.
    Unknown,
    Nothing,
}

/// A thread's part of a subtree.
#[derive(Clone, Debug)]
pub struct LanePart {
    pub row: usize,
    values: BucketValues,
    /// Values in the metric with the most waiting.
    waiting: Option<BucketValues>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneThreads {
    /// Their roots in the view.
    Nodes(Arc<[NodeId]>),
    /// One of several merged threads, by its index in the recording.
    Merged(usize),
}

impl LaneThreads {
    pub(super) fn over_time(&self, timeline: &Timeline, view: &View) -> BucketValues {
        match self {
            LaneThreads::Nodes(nodes) => timeline.of(view, nodes),
            LaneThreads::Merged(row) => timeline.of_merged(*row),
        }
    }
}

/// What the strip's second line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// Subtrees that don't overlap, or a thread.
    Nodes(LaneThreads),
    /// All occurrences of a method.
    Method(FrameId),
}

#[derive(Default)]
pub struct TimeStrip {
    computed: Option<Arc<ViewOverTime>>,
    requested: Option<(Arc<View>, MetricId)>,
    pub(super) has_notable_markers: bool,
    selected: Option<(Subject, BucketValues)>,
    pub is_hidden: bool,
    pub cursor_ns: Option<u64>,
    /// From where the mouse button was pressed to where the mouse is now.
    pub dragged: Option<[u64; 2]>,
    /// The scope before each change of the time range, newest last, with the number of steps to undo.
    pub(super) range_history: Vec<(Scope, Depth)>,
}

impl ViewOverTime {
    /// More buckets than a wide screen has cells.
    pub const BUCKETS: usize = 960;

    /// `None` if the recording has no times. O(nodes + samples).
    pub fn new(view: &Arc<View>, metric: MetricId) -> Option<ViewOverTime> {
        let timeline_of = |metric| Timeline::new(view, metric, Self::BUCKETS);
        let timeline = timeline_of(metric)?;
        let is_time = |&id: &MetricId| view.recording.metric(id).unit == Unit::Milliseconds;
        let times = view.recording.metric_ids().filter(is_time);
        let waiting = times
            .max_by_key(|&id| view.waiting_total(id))
            .filter(|&id| id != metric);
        let uncollapsed = view.is_collapsed().then(|| {
            let uncollapsed = view.uncollapsed();
            uncollapsed.occurrences.prepare();
            Timeline::new(uncollapsed, metric, Self::BUCKETS)
        });
        Some(ViewOverTime {
            uncollapsed: uncollapsed.flatten(),
            all: timeline.of(view, &[NodeId::ROOT]),
            markers: marker_lanes(view, &timeline),
            waiting: waiting.and_then(timeline_of),
            view: Arc::clone(view),
            metric,
            timeline,
        })
    }

    pub fn in_cells(&self, count: usize, counts_waiting: bool) -> CellsOverTime<'_> {
        CellsOverTime {
            strip: self,
            count,
            counts_waiting,
        }
    }

    /// Converts a bucket's value to a number of threads that run all the time; `None` for metrics that are not times.
    pub fn as_thread_count(&self, value: u64) -> Option<f64> {
        let one = self.busy(1).filter(|&one| one > 0)?;
        Some(value as f64 / one as f64)
    }

    pub(super) fn parts(&self, within: NodeId) -> Vec<LanePart> {
        let by_thread = |timeline: &Timeline| timeline.by_thread(&self.view, within);
        let waiting = self.waiting.as_ref().map_or(Vec::new(), by_thread);
        let mut parts: BTreeMap<usize, LanePart> = BTreeMap::new();
        let none = || BucketValues {
            running: vec![0; Self::BUCKETS],
            waiting: vec![0; Self::BUCKETS],
        };
        let part = |row, values, waiting| LanePart {
            row,
            values,
            waiting,
        };
        for (row, values) in by_thread(&self.timeline) {
            parts.insert(row, part(row, values, None));
        }
        for (row, values) in waiting {
            let known = parts.entry(row);
            known.or_insert_with(|| part(row, none(), None)).waiting = Some(values);
        }
        parts.into_values().collect()
    }

    /// If so, a thread's value can't exceed the elapsed time.
    pub fn measures_time(&self) -> bool {
        self.view.recording.metric(self.metric).unit == Unit::Milliseconds
    }

    /// The value of a bucket in which this many threads run all the time; `None` for metrics that are not times.
    fn busy(&self, threads: u64) -> Option<u64> {
        let TimeRange { from_ns, to_ns } = self.timeline.range;
        let all = u128::from(to_ns - from_ns) * u128::from(threads);
        let bucket = all.div_ceil(Self::BUCKETS as u128) as u64;
        self.measures_time().then_some(bucket)
    }

    pub fn roots_of(&self, row: NodeId) -> Vec<NodeId> {
        match row {
            NodeId::ROOT => vec![NodeId::ROOT],
            row => self.view.to_uncollapsed(row),
        }
    }

    /// `None` if it has too many occurrences to find while a key press waits.
    pub fn of_method(&self, roots: &[NodeId], frame: FrameId) -> Option<BucketValues> {
        let view = self.view.uncollapsed();
        if view.occurrences.of(frame).len() > MAX_OCCURRENCES {
            return None;
        }
        let roots = roots.iter();
        let subtrees = roots.flat_map(|&root| outermost_occurrences(view, root, &[frame]));
        let subtrees: Vec<NodeId> = subtrees.collect();
        let timeline = self.uncollapsed.as_ref().unwrap_or(&self.timeline);
        Some(timeline.of(view, &subtrees))
    }

    /// The node below `within` of the stack that took most of a cell on these threads, in the shown metric or in
    /// `waiting`.
    pub fn stack_in(&self, within: NodeId, rows: &[usize], cell: TimeRange) -> Option<NodeId> {
        let stack_in = |timeline: &Timeline| timeline.stack_at(&self.view, within, rows, cell);
        stack_in(&self.timeline).or_else(|| stack_in(self.waiting.as_ref()?))
    }
}

impl CellsOverTime<'_> {
    pub fn start(&self, cell: usize) -> u64 {
        self.strip.timeline.divided(self.count).boundary_ns(cell)
    }

    pub fn range(&self, cell: usize) -> TimeRange {
        TimeRange {
            from_ns: self.start(cell),
            to_ns: self.start(cell + 1),
        }
    }

    pub fn cell_at(&self, at_ns: u64) -> usize {
        self.strip.timeline.divided(self.count).at(at_ns)
    }

    pub fn buckets(&self, cell: usize) -> Range<usize> {
        const BUCKETS: usize = ViewOverTime::BUCKETS;
        let boundary = |cell: usize| cell * BUCKETS / self.count.max(1);
        boundary(cell)..boundary(cell + 1).max(boundary(cell) + 1).min(BUCKETS)
    }

    /// Per bucket, for each cell.
    fn means(&self, values: &BucketValues, counts_waiting: bool) -> Vec<u64> {
        let mut values: Vec<u64> = values.values(counts_waiting).collect();
        values.resize(ViewOverTime::BUCKETS, 0);
        let mean = |cell: usize| {
            let buckets = &values[self.buckets(cell)];
            let sum: u128 = buckets.iter().map(|&value| u128::from(value)).sum();
            sum.div_ceil(buckets.len().max(1) as u128) as u64
        };
        (0..self.count).map(mean).collect()
    }

    /// Returns eighths of a cell; the view's total fills it.
    pub fn heights(&self, values: &BucketValues) -> Vec<usize> {
        self.heights_to(self.full(), values)
    }

    /// A cell of a time metric is full if one thread runs all the time.
    pub fn heights_of_one_thread(&self, values: &BucketValues) -> Vec<usize> {
        let full = self.strip.busy(1);
        self.heights_to(full.unwrap_or_else(|| self.full()), values)
    }

    fn heights_to(&self, full: u64, values: &BucketValues) -> Vec<usize> {
        let means = self.means(values, self.counts_waiting).into_iter();
        means.map(|mean| height(mean, full)).collect()
    }

    /// The bucket value that fills a cell: see [`full_threads`]; or else the largest value.
    pub fn full(&self) -> u64 {
        let means = self.means(&self.strip.all, self.counts_waiting);
        let largest = means.into_iter().max().unwrap_or(0);
        let measure = Measure {
            metric: self.strip.metric,
            counts_waiting: self.counts_waiting,
        };
        let most = self.strip.as_thread_count(largest);
        let threads = most.and_then(|most| full_threads(&self.strip.view, measure, most));
        let full = threads.and_then(|threads| self.strip.busy(threads));
        full.unwrap_or(largest)
    }

    /// The bucket value that fills a cell in all lanes: a thread that runs all the time, or the maximum of a lane with
    /// several.
    pub fn full_of_lanes<'a>(&self, several: impl Iterator<Item = &'a LaneThreads>) -> u64 {
        let Some(one) = self.strip.busy(1) else {
            return self.full();
        };
        let max = |threads: &LaneThreads| {
            let values = threads.over_time(&self.strip.timeline, &self.strip.view);
            let means = self.means(&values, self.draws_waiting());
            means.into_iter().max().unwrap_or(0)
        };
        several.map(max).fold(one, u64::max)
    }

    /// The start of the first cell whose value is within 1% of the largest.
    pub(super) fn peak(&self, values: &BucketValues) -> Option<u64> {
        let means = self.means(values, self.counts_waiting);
        let max = means.iter().copied().max().filter(|&max| max > 0)?;
        let is_peak = |&mean: &u64| u128::from(mean) * 100 >= u128::from(max) * 99;
        Some(self.start(means.iter().position(is_peak)?))
    }

    pub fn has_markers(&self, is_shown: impl Fn(MarkerKind) -> bool, cell: usize) -> bool {
        let buckets = self.buckets(cell);
        let mut lanes = self.strip.markers.iter();
        lanes.any(|lane| {
            let counts = &lane.counts[buckets.clone()];
            is_shown(lane.kind) && counts.iter().any(|&count| count > 0)
        })
    }

    pub fn row_cells(&self, row: &LaneRow, full: u64) -> Vec<LaneCell> {
        if let Some(part) = &row.part {
            return self.lane_cells(&part.values, part.waiting.as_ref(), full);
        }
        let values_of = |timeline| row.threads.over_time(timeline, &self.strip.view);
        let waiting = self.strip.waiting.as_ref().map(values_of);
        self.lane_cells(&values_of(&self.strip.timeline), waiting.as_ref(), full)
    }

    /// Waiting never looks like running; spinning does, unless it is left out.
    fn lane_cells(
        &self,
        values: &BucketValues,
        waiting: Option<&BucketValues>,
        full: u64,
    ) -> Vec<LaneCell> {
        let running = self.means(values, self.draws_waiting());
        let is_any = |values: &[u64], cell| {
            let mut values = values[self.buckets(cell)].iter();
            values.any(|&value| value > 0)
        };
        let cell = |(cell, &running): (usize, &u64)| {
            let waits = |values: &BucketValues| is_any(&values.waiting, cell);
            match height(running, full) {
                height @ 1.. => LaneCell::Runs(height),
                _ if waits(values) || waiting.is_some_and(waits) => LaneCell::Waits,
                _ if waiting.is_some_and(|waiting| is_any(&waiting.running, cell)) => {
                    LaneCell::Unknown
                }
                _ => LaneCell::Nothing,
            }
        };
        running.iter().enumerate().map(cell).collect()
    }

    /// Whether lanes draw waiting as running: spinning does, if it counts.
    fn draws_waiting(&self) -> bool {
        let metric = self.strip.view.recording.metric(self.strip.metric);
        self.counts_waiting && metric.is_running_time()
    }

    /// The sum of the cell at an instant, and its length in nanoseconds.
    pub(super) fn value_at(&self, at_ns: u64) -> (u64, u64) {
        let buckets = self.buckets(self.cell_at(at_ns));
        let values = self.strip.all.values(self.counts_waiting);
        let values = values.skip(buckets.start).take(buckets.len());
        (sum(values), self.strip.timeline.length_ns(buckets))
    }
}

impl LanePart {
    pub(super) fn value(&self, counts_waiting: bool) -> u64 {
        self.values.total(counts_waiting)
    }
}

impl TimeStrip {
    pub(super) fn start_request(&mut self, view: &Arc<View>, metric: MetricId) -> bool {
        let is_same = |(other, other_metric): &(Arc<View>, MetricId)| {
            Arc::ptr_eq(other, view) && *other_metric == metric
        };
        let has_times = view.recording.samples.is_ok();
        if !has_times || self.requested.as_ref().is_some_and(is_same) {
            return false;
        }
        self.requested = Some((Arc::clone(view), metric));
        true
    }

    pub(super) fn receive(&mut self, strip: Option<Arc<ViewOverTime>>) {
        let mut markers = strip.iter().flat_map(|strip| &strip.markers);
        self.has_notable_markers = markers.any(|lane| lane.kind.is_notable());
        self.computed = strip;
        self.selected = None;
    }

    pub fn of(&self, view: &Arc<View>, metric: MetricId) -> Option<&Arc<ViewOverTime>> {
        let computed = self.computed.as_ref();
        computed.filter(|strip| Arc::ptr_eq(&strip.view, view) && strip.metric == metric)
    }

    /// A method with too many occurrences gets no values: no key press may wait for it.
    pub(super) fn select(&mut self, strip: &ViewOverTime, subject: Subject) {
        if self.subject() == Some(&subject) {
            return;
        }
        let values = match &subject {
            Subject::Nodes(subtrees) => subtrees.over_time(&strip.timeline, &strip.view),
            Subject::Method(frame) => strip.of_method(&[NodeId::ROOT], *frame).unwrap_or_default(),
        };
        self.selected = Some((subject, values));
    }

    pub(super) fn subject(&self) -> Option<&Subject> {
        self.selected.as_ref().map(|(subject, _)| subject)
    }

    pub fn selected(&self) -> Option<&BucketValues> {
        self.selected.as_ref().map(|(_, values)| values)
    }

    pub fn drawn_range(&self) -> Option<[u64; 2]> {
        self.dragged.map(|[a, b]| [a.min(b), a.max(b)])
    }
}
