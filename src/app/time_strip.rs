//! The timeline strip: values over time, and a cursor to choose ranges with.

use crate::analysis::{BucketValues, Timeline, outermost_occurrences};
use crate::model::{FrameId, MarkerKind, Measure, MetricId, NodeId, ThreadChoice, TimeRange, View};
use crate::query::{MarkerLane, full_threads, height, marker_lanes};
use crate::units::Unit;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// More occurrences of a method are not summed over time.
const MAX_OCCURRENCES: usize = 5_000;

/// A view's values in one metric over time, computed by the worker.
pub struct ViewOverTime {
    pub view: Arc<View>,
    pub metric: MetricId,
    pub timeline: Timeline,
    pub all: BucketValues,
    pub markers: Vec<MarkerLane>,
    /// Without collapsed rows, which hide methods; `None` if nothing is collapsed.
    uncollapsed: Option<Timeline>,
    /// In the metric with the most waiting, if that is another one: what threads do while they don't run.
    rest: Option<Timeline>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCell {
    /// For this many eighths of the time.
    Runs(usize),
    Waits,
    /// It exists, but is not known to run or to wait.
    Elsewhere,
    Nothing,
}

/// A thread's part of a subtree.
#[derive(Clone, Debug)]
pub struct LanePart {
    /// By its index in the recording.
    pub row: usize,
    values: BucketValues,
    /// In the metric with the most waiting.
    rest: Option<BucketValues>,
}

/// In the form in which values are looked up.
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

#[derive(Clone)]
pub(super) struct RangeBefore {
    pub range: Option<TimeRange>,
    /// Later changes are undone first.
    pub changes: usize,
    pub focuses: usize,
    pub threads: ThreadChoice,
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
    /// Once they are computed.
    made: Option<Arc<ViewOverTime>>,
    /// The view and metric that were requested.
    requested: Option<(Arc<View>, MetricId)>,
    /// Whether the view has markers for overviews.
    pub(super) has_events: bool,
    /// The selection and its values.
    selected: Option<(Subject, BucketValues)>,
    pub is_hidden: bool,
    /// The cursor's time, if there is a cursor.
    pub cursor_ns: Option<u64>,
    /// Where the mouse button was pressed, and where the mouse is now.
    pub dragged: Option<[u64; 2]>,
    /// Newest last.
    before: Vec<RangeBefore>,
    /// While another range is pending, those before the shown one.
    before_shown: Option<Vec<RangeBefore>>,
}

impl ViewOverTime {
    /// More than a wide screen has cells.
    pub const BUCKETS: usize = 960;

    /// `None` if the recording has no times. O(nodes + samples).
    pub fn new(view: &Arc<View>, metric: MetricId) -> Option<ViewOverTime> {
        let of_metric = |metric| Timeline::new(view, metric, TimeRange::ALL, Self::BUCKETS);
        let timeline = of_metric(metric)?;
        let is_time = |&id: &MetricId| view.recording.metric(id).unit == Unit::Milliseconds;
        let times = view.recording.metric_ids().filter(is_time);
        let rest = times
            .max_by_key(|&id| view.waiting_total(id))
            .filter(|&id| id != metric);
        let uncollapsed = view.is_collapsed().then(|| {
            let uncollapsed = view.uncollapsed();
            uncollapsed.occurrences.prepare();
            Timeline::new(uncollapsed, metric, TimeRange::ALL, Self::BUCKETS)
        });
        Some(ViewOverTime {
            uncollapsed: uncollapsed.flatten(),
            all: timeline.of(view, &[NodeId::ROOT]),
            markers: marker_lanes(view, &timeline),
            rest: rest.and_then(of_metric),
            view: Arc::clone(view),
            metric,
            timeline,
        })
    }

    /// When the cell at `cell` of `cells` begins.
    pub fn cell_start(&self, cell: usize, cells: usize) -> u64 {
        self.timeline.divided(cells).border(cell)
    }

    /// The cell, of `cells`, that contains an instant.
    pub fn cell_at(&self, at_ns: u64, cells: usize) -> usize {
        self.timeline.divided(cells).at(at_ns)
    }

    /// The buckets of the cell at `cell` of `cells`.
    pub fn buckets_of(cell: usize, cells: usize) -> Range<usize> {
        let border = |cell: usize| cell * Self::BUCKETS / cells.max(1);
        border(cell)..border(cell + 1).max(border(cell) + 1).min(Self::BUCKETS)
    }

    fn means(values: impl Iterator<Item = u64>, cells: usize) -> Vec<u64> {
        let mut values: Vec<u64> = values.collect();
        values.resize(Self::BUCKETS, 0);
        let mean = |cell: usize| {
            let buckets = &values[Self::buckets_of(cell, cells)];
            let sum: u128 = buckets.iter().map(|&value| u128::from(value)).sum();
            sum.div_ceil(buckets.len().max(1) as u128) as u64
        };
        (0..cells).map(mean).collect()
    }

    /// In eighths, on the scale of the view's total.
    pub fn heights(&self, values: &BucketValues, counts_waiting: bool, cells: usize) -> Vec<usize> {
        let full = self.full(counts_waiting, cells);
        Self::heights_to(full, values, counts_waiting, cells)
    }

    /// For times, a cell is full if one thread runs all the time.
    pub fn heights_of_one(
        &self,
        values: &BucketValues,
        counts_waiting: bool,
        cells: usize,
    ) -> Vec<usize> {
        let full = self.busy(1);
        let full = full.unwrap_or_else(|| self.full(counts_waiting, cells));
        Self::heights_to(full, values, counts_waiting, cells)
    }

    fn heights_to(
        full: u64,
        values: &BucketValues,
        counts_waiting: bool,
        cells: usize,
    ) -> Vec<usize> {
        let means = Self::means(values.values(counts_waiting), cells);
        means.into_iter().map(|mean| height(mean, full)).collect()
    }

    /// The start of the first cell whose value is within 1 % of the largest.
    pub(super) fn peak(
        &self,
        values: &BucketValues,
        counts_waiting: bool,
        cells: usize,
    ) -> Option<u64> {
        let means = Self::means(values.values(counts_waiting), cells);
        let most = means.iter().copied().max().filter(|&most| most > 0)?;
        let is_most = |&mean: &u64| u128::from(mean) * 100 >= u128::from(most) * 99;
        Some(self.cell_start(means.iter().position(is_most)?, cells))
    }

    /// As a number of threads that run all the time; `None` for metrics that are not times.
    pub fn in_threads(&self, value: u64) -> Option<f64> {
        let one = self.busy(1).filter(|&one| one > 0)?;
        Some(value as f64 / one as f64)
    }

    /// The bucket value that fills a cell in all lanes: a thread that runs all the time, or the maximum of a lane with
    /// several.
    pub fn full_of_lanes<'a>(
        &self,
        several: impl Iterator<Item = &'a LaneThreads>,
        counts_waiting: bool,
        cells: usize,
    ) -> u64 {
        let Some(one) = self.busy(1) else {
            return self.full(counts_waiting, cells);
        };
        let counts_waiting = self.draws_waiting(counts_waiting);
        let most = |of: &LaneThreads| {
            let values = of.over_time(&self.timeline, &self.view);
            let means = Self::means(values.values(counts_waiting), cells);
            means.into_iter().max().unwrap_or(0)
        };
        several.map(most).fold(one, u64::max)
    }

    /// Whether any marker of these kinds starts in a cell.
    pub fn has_markers(
        &self,
        is_wanted: impl Fn(MarkerKind) -> bool,
        cell: usize,
        cells: usize,
    ) -> bool {
        let buckets = Self::buckets_of(cell, cells);
        let mut wanted = self.markers.iter().filter(|lane| is_wanted(lane.kind));
        wanted.any(|lane| lane.counts[buckets.clone()].iter().any(|&count| count > 0))
    }

    /// O(threads + samples of the subtree).
    pub(super) fn parts(&self, within: NodeId) -> Vec<LanePart> {
        let of = |timeline: &Timeline| timeline.by_thread(&self.view, within);
        let rest = self.rest.as_ref().map_or(Vec::new(), of);
        let mut parts: BTreeMap<usize, LanePart> = BTreeMap::new();
        let none = || BucketValues {
            running: vec![0; Self::BUCKETS],
            waiting: vec![0; Self::BUCKETS],
        };
        let part = |row, values, rest| LanePart { row, values, rest };
        for (row, values) in of(&self.timeline) {
            parts.insert(row, part(row, values, None));
        }
        for (row, values) in rest {
            let known = parts.entry(row);
            known.or_insert_with(|| part(row, none(), None)).rest = Some(values);
        }
        parts.into_values().collect()
    }

    /// What a thread does within a subtree, in each of `cells` cells.
    pub fn part_cells(
        &self,
        part: &LanePart,
        full: u64,
        counts_waiting: bool,
        cells: usize,
    ) -> Vec<LaneCell> {
        let of = (&part.values, part.rest.as_ref(), full);
        self.cells_of(of, counts_waiting, cells)
    }

    pub fn lane_cells(
        &self,
        (of, full): (&LaneThreads, u64),
        counts_waiting: bool,
        cells: usize,
    ) -> Vec<LaneCell> {
        let values = of.over_time(&self.timeline, &self.view);
        let rest = self.rest.as_ref();
        let rest = rest.map(|rest| of.over_time(rest, &self.view));
        self.cells_of((&values, rest.as_ref(), full), counts_waiting, cells)
    }

    /// Whether lanes draw waiting as running: spinning does, if it counts.
    fn draws_waiting(&self, counts_waiting: bool) -> bool {
        counts_waiting && self.view.recording.metric(self.metric).is_running_time()
    }

    /// Waiting never looks like running; spinning does, unless it is left out.
    fn cells_of(
        &self,
        (values, rest, full): (&BucketValues, Option<&BucketValues>, u64),
        counts_waiting: bool,
        cells: usize,
    ) -> Vec<LaneCell> {
        let counts = self.draws_waiting(counts_waiting);
        let running = Self::means(values.values(counts), cells);
        let is_any = |values: &[u64], cell| {
            let mut values = values[Self::buckets_of(cell, cells)].iter();
            values.any(|&value| value > 0)
        };
        let cell = |(cell, &running): (usize, &u64)| {
            let waits = |of: &BucketValues| is_any(&of.waiting, cell);
            match height(running, full) {
                height @ 1.. => LaneCell::Runs(height),
                _ if waits(values) || rest.is_some_and(waits) => LaneCell::Waits,
                _ if rest.is_some_and(|rest| is_any(&rest.running, cell)) => LaneCell::Elsewhere,
                _ => LaneCell::Nothing,
            }
        };
        running.iter().enumerate().map(cell).collect()
    }

    /// See [`full_threads`]; or else the largest value.
    pub fn full(&self, counts_waiting: bool, cells: usize) -> u64 {
        let means = Self::means(self.all.values(counts_waiting), cells);
        let largest = means.into_iter().max().unwrap_or(0);
        let measure = Measure {
            metric: self.metric,
            counts_waiting,
        };
        let most = self.in_threads(largest);
        let threads = most.and_then(|most| full_threads(&self.view, measure, most));
        let full = threads.and_then(|threads| self.busy(threads));
        full.unwrap_or(largest)
    }

    /// A thread can't have more of it than the time that elapsed.
    pub fn measures_time(&self) -> bool {
        self.view.recording.metric(self.metric).unit == Unit::Milliseconds
    }

    /// If this many threads run all the time; `None` for metrics that are not times.
    fn busy(&self, threads: u64) -> Option<u64> {
        let TimeRange { from_ns, to_ns } = self.timeline.range;
        let all = u128::from(to_ns - from_ns) * u128::from(threads);
        let bucket = all.div_ceil(Self::BUCKETS as u128) as u64;
        self.measures_time().then_some(bucket)
    }

    /// The subtrees in which methods are looked up for a row.
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

    pub fn cell_range(&self, cell: usize, cells: usize) -> TimeRange {
        TimeRange {
            from_ns: self.cell_start(cell, cells),
            to_ns: self.cell_start(cell + 1, cells),
        }
    }

    /// The node below `within` of the stack that took most of a cell on these threads, in the shown metric or in
    /// `rest`.
    pub fn stack_in(&self, within: NodeId, rows: &[usize], cell: TimeRange) -> Option<NodeId> {
        let of = |timeline: &Timeline| timeline.stack_at(&self.view, within, rows, cell);
        of(&self.timeline).or_else(|| of(self.rest.as_ref()?))
    }

    /// For times, the number of threads at once.
    pub fn at(&self, at_ns: u64, counts_waiting: bool, cells: usize) -> (u64, u64) {
        let cell = self.cell_at(at_ns, cells);
        let buckets = Self::buckets_of(cell, cells);
        let values = self.all.values(counts_waiting);
        let values = values.skip(buckets.start).take(buckets.len());
        let sum = values.fold(0, u64::saturating_add);
        (sum, self.timeline.length_ns(buckets))
    }
}

impl LanePart {
    pub(super) fn value(&self, counts_waiting: bool) -> u64 {
        self.values.total(counts_waiting)
    }
}

impl TimeStrip {
    /// They change together with the requested view.
    pub(super) fn ranges_before(&mut self) -> &mut Vec<RangeBefore> {
        let before = &mut self.before;
        self.before_shown.get_or_insert_with(|| before.clone());
        before
    }

    /// Keeps the changes if the requested view is shown.
    pub(super) fn settle_ranges(&mut self, is_shown: bool) {
        if let Some(before) = self.before_shown.take().filter(|_| !is_shown) {
            self.before = before;
        }
    }

    /// Whether the current values are for another view or metric.
    pub(super) fn needs_request(&mut self, view: &Arc<View>, metric: MetricId) -> bool {
        let is_of =
            |(of, of_metric): &(Arc<View>, MetricId)| Arc::ptr_eq(of, view) && *of_metric == metric;
        let has_times = view.recording.samples.is_ok();
        if !has_times || self.requested.as_ref().is_some_and(is_of) {
            return false;
        }
        self.requested = Some((Arc::clone(view), metric));
        true
    }

    pub(super) fn receive(&mut self, made: Option<Arc<ViewOverTime>>) {
        let mut markers = made.iter().flat_map(|made| &made.markers);
        self.has_events = markers.any(|lane| lane.kind.is_notable());
        self.made = made;
        self.selected = None;
    }

    /// The values of this view in this metric, once they are computed.
    pub fn of(&self, view: &Arc<View>, metric: MetricId) -> Option<&Arc<ViewOverTime>> {
        let made = self.made.as_ref();
        made.filter(|made| Arc::ptr_eq(&made.view, view) && made.metric == metric)
    }

    /// A method with too many occurrences has none: no key press may wait for it.
    pub(super) fn select(&mut self, made: &ViewOverTime, subject: Subject) {
        if self.subject() == Some(&subject) {
            return;
        }
        let values = match &subject {
            Subject::Nodes(subtrees) => subtrees.over_time(&made.timeline, &made.view),
            Subject::Method(frame) => made.of_method(&[NodeId::ROOT], *frame).unwrap_or_default(),
        };
        self.selected = Some((subject, values));
    }

    pub(super) fn subject(&self) -> Option<&Subject> {
        self.selected.as_ref().map(|(subject, _)| subject)
    }

    pub fn selected(&self) -> Option<&BucketValues> {
        self.selected.as_ref().map(|(_, values)| values)
    }

    /// Earlier time first.
    pub fn drawn_range(&self) -> Option<[u64; 2]> {
        self.dragged.map(|[a, b]| [a.min(b), a.max(b)])
    }
}
