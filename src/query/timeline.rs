use super::markers::counted_markers;
use super::selection::PartRequest;
use super::values::{PartTotal, Value, diagnostic_records};
use super::{QueryError, share_of_recording};
use crate::analysis::{
    self, BucketValues, HotspotOrder, Phase, Timeline, hotspots, sort_hotspots, sum,
};
use crate::model::{
    FrameId, MarkerKind, Measure, MetricId, NodeId, RecordingRange, Thread, TimeRange, View,
};
use crate::object::{All, IfAny, object};
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, counted, percent, seconds_rounded, thousands};
use crate::words::words;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TimelineBy {
        Thread = "thread",
        Process = "process",
        Method = "method",
    }
}

const PHASE_BUCKETS: usize = 64;
const PHASE_METHODS: usize = 3;
pub const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
pub const WAITING_CELL: &str = "·";
pub const MARKED_CELL: &str = "•";

#[derive(Clone, Debug)]
pub struct TimelineLane {
    pub node: Option<NodeId>,
    pub name: String,
    /// Indices into [`crate::model::Recording::threads`], for threads.
    pub threads: Vec<usize>,
    pub values: BucketValues,
}

#[derive(Clone, Debug)]
pub struct MarkerLane {
    pub kind: MarkerKind,
    pub counts: Vec<u64>,
    /// Within each bucket; `None` for instants.
    pub durations_ns: Option<Vec<u64>>,
}

#[derive(Clone, Debug)]
pub struct TimelineAnswer {
    pub part: PartTotal,
    pub timeline: Arc<Timeline>,
    pub by: TimelineBy,
    pub all: TimelineLane,
    largest: u64,
    /// The start of the busiest bucket, its value and its length.
    peak: [u64; 3],
    /// Largest first.
    pub lanes: Vec<TimelineLane>,
    pub left_out: usize,
    pub markers: Vec<MarkerLane>,
    pub phases: Option<Vec<Phase>>,
}

pub fn timeline(
    view: &View,
    request: &PartRequest,
    by: TimelineBy,
    buckets: usize,
    has_phases: bool,
    max_lanes: usize,
) -> Result<TimelineAnswer, QueryError> {
    let measure = request.measure(view)?;
    let (metric, within) = (measure.metric, request.within);
    let with_buckets = |buckets| Timeline::new(view, metric, buckets);
    let samples = view.recording.samples.as_deref();
    let is_sampled = samples.is_ok_and(|samples| samples.span_ns > 0);
    let Some(timeline) = with_buckets(buckets).filter(|_| is_sampled) else {
        let why = match (samples, view.recording.source.fact("duration")) {
            (Err(why), _) => why.to_string(),
            (_, Some(duration)) => messages::file_recorded(&messages::NOTHING_SAMPLED, &duration),
            _ => messages::NOTHING_SAMPLED.into(),
        };
        return Err(QueryError::usage(messages::no_timeline(&why)));
    };
    let (mut lanes, left_out) = lanes(view, &timeline, (within, measure), by, max_lanes);
    let counts = measure.counts_waiting;
    lanes.retain(|lane| lane.values.total(true) > 0);
    lanes.sort_by_cached_key(|lane| Reverse((lane.values.total(counts), lane.waiting())));
    let coarse = has_phases.then(|| with_buckets(PHASE_BUCKETS)).flatten();
    let phases = |coarse| analysis::phases(view, coarse, within, counts);
    let phases = coarse.as_ref().map(phases);
    let values = lanes.iter().flat_map(|lane| lane.values.values(counts));
    let all = TimelineLane::of_node(view, &timeline, within);
    let mut peaks = vec![peak(&timeline, &all.values, counts)];
    // no phase is busier than the peak
    let coarse = coarse.iter();
    peaks.extend(coarse.map(|coarse| peak(coarse, &coarse.of(view, &[within]), counts)));
    let rate = |&[_, value, length]: &[u64; 3]| value as f64 / length.max(1) as f64;
    peaks.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    let answer = TimelineAnswer {
        part: PartTotal::of(view, measure, within),
        by,
        all,
        peak: peaks[0],
        largest: values.max().unwrap_or(0),
        lanes,
        left_out,
        markers: marker_lanes(view, &timeline),
        phases,
        timeline: Arc::new(timeline),
    };
    Ok(match max_lanes {
        0 => answer,
        max_lanes => answer.first(max_lanes),
    })
}

/// Also returns the number of methods beyond `max_lanes`; 0 is no limit.
fn lanes(
    view: &View,
    timeline: &Timeline,
    (within, measure): (NodeId, Measure),
    by: TimelineBy,
    max_lanes: usize,
) -> (Vec<TimelineLane>, usize) {
    let is_inside = |node: &NodeId| view.tree.contains(within, *node);
    match by {
        TimelineBy::Thread => (threads(view, timeline, within), 0),
        TimelineBy::Process => {
            let nodes = view.processes.iter().map(|process| process.node);
            let lane = |node| TimelineLane::of_node(view, timeline, node);
            (nodes.filter(is_inside).map(lane).collect(), 0)
        }
        TimelineBy::Method => {
            let mut methods = hotspots(view, &[within], measure);
            sort_hotspots(view, &mut methods, HotspotOrder::Exclusive);
            methods.retain(|method| method.exclusive > 0);
            let all = methods.len();
            if max_lanes > 0 {
                methods.truncate(max_lanes);
            }
            let left_out = all - methods.len();
            let of_method = |frame: FrameId| {
                let nodes = view.occurrences.of(frame).iter().copied();
                let nodes: Vec<NodeId> = nodes.filter(is_inside).collect();
                let name = view.frames.list_name(frame).into_owned();
                TimelineLane::new(None, name, timeline.of_own(&nodes))
            };
            let lanes = methods.into_iter().map(|method| of_method(method.frame));
            (lanes.collect(), left_out)
        }
    }
}

/// If the part is merged threads or within threads, a lane for each thread that has a share of it.
fn threads(view: &View, timeline: &Timeline, within: NodeId) -> Vec<TimelineLane> {
    let all = view.threads.iter().enumerate();
    let inside = all.filter(|(_, thread)| view.tree.contains(within, thread.node));
    let is_merged = |at| view.rows_of_thread(at).len() > 1;
    let inside = inside.filter(|&(at, thread)| thread.node != within || !is_merged(at));
    let lane = |(at, thread): (usize, &Thread)| TimelineLane {
        threads: view.rows_of_thread(at).into_owned(),
        name: visible(&view.thread_title(thread)).into_owned(),
        ..TimelineLane::of_node(view, timeline, thread.node)
    };
    let lanes: Vec<TimelineLane> = inside.map(lane).collect();
    if !lanes.is_empty() {
        return lanes;
    }
    let by_thread = timeline.by_thread(view, within).into_iter();
    let lane = |(row, values)| {
        let name = visible(view.recording.thread_title(row)).into();
        TimelineLane {
            threads: vec![row],
            ..TimelineLane::new(None, name, values)
        }
    };
    by_thread.map(lane).collect()
}

/// The start, value and length of the largest bucket; the first if there are several.
fn peak(timeline: &Timeline, values: &BucketValues, counts_waiting: bool) -> [u64; 3] {
    let values = values.values(counts_waiting).enumerate();
    let largest = values.max_by_key(|&(bucket, value)| (value, Reverse(bucket)));
    let (bucket, value) = largest.unwrap_or((0, 0));
    let length = timeline.length_ns(bucket..bucket + 1);
    [timeline.buckets.boundary_ns(bucket), value, length]
}

/// A line of `cells` blocks; `None` if there are no times or values.
pub fn over_time(view: &View, cells: usize) -> Option<String> {
    let metric = view.recording.default_metric;
    let timeline = Timeline::new(view, metric, cells)?;
    let values = timeline.of(view, &[NodeId::ROOT]);
    let measure = view.measure(metric);
    let full = full_of_all(view, &timeline, &values, measure);
    let line = blocks(&values, measure.counts_waiting, &full);
    (!line.trim().is_empty()).then_some(line)
}

pub(super) fn processors(view: &View) -> Option<u64> {
    let processors = view.recording.source.fact("processors")?.parse().ok();
    processors.filter(|&processors| processors > 0)
}

/// How many threads a full cell represents in the lane of all threads, whose largest cell has `max_threads` of them: all
/// processors, but no more than leaves differences visible. `None` if their number is unknown or waiting counts, and in
/// metrics other than time.
pub fn full_threads(view: &View, measure: Measure, max_threads: f64) -> Option<u64> {
    let metric = view.recording.metric(measure.metric);
    let runs = metric.is_running_time() || !measure.counts_waiting;
    let is_time = metric.unit == Unit::Milliseconds;
    let processors = processors(view).filter(|_| is_time && runs)?;
    // a little more than a whole number of threads is a rounding error
    let needed = ((max_threads - 0.05).ceil().max(1.0) as u64).next_power_of_two();
    let has_differences = max_threads * 4.0 >= processors as f64;
    Some(if has_differences { processors } else { needed })
}

/// [`full_threads`] throughout, or else the largest value.
fn full_of_all(
    view: &View,
    timeline: &Timeline,
    values: &BucketValues,
    measure: Measure,
) -> Vec<u64> {
    let largest = values.values(measure.counts_waiting).max().unwrap_or(0);
    let max_threads = largest as f64 / timeline.length_ns(0..1) as f64;
    let threads = full_threads(view, measure, max_threads);
    let full = |bucket| match threads {
        Some(threads) => timeline
            .length_ns(bucket..bucket + 1)
            .saturating_mul(threads),
        None => largest,
    };
    (0..timeline.buckets.count).map(full).collect()
}

/// The average number of threads at once, or the value of a metric other than time.
pub fn rate_words(
    view: &View,
    measure: Measure,
    scale: Scale,
    value: u64,
    length_ns: u64,
) -> String {
    let metric = view.recording.metric(measure.metric);
    let threads = value as f64 / length_ns as f64;
    let waits = || view.waiting_total(measure.metric) > 0 && !metric.is_running_time();
    match metric.unit {
        Unit::Milliseconds if measure.counts_waiting && waits() => {
            messages::threads_at_once(&threads)
        }
        Unit::Milliseconds => messages::threads_busy(&threads),
        _ => scale.with_unit(value),
    }
}

pub(super) struct Tenths {
    values: BucketValues,
    length_ns: u64,
}

impl Tenths {
    pub(super) fn of(view: &View, metric: MetricId) -> Option<Tenths> {
        let timeline = Timeline::new(view, metric, 10)?;
        Some(Tenths {
            values: timeline.of(view, &[NodeId::ROOT]),
            length_ns: timeline.length_ns(0..1),
        })
    }

    /// In percent of the total; `None` if it is 0.
    pub(super) fn shares(&self, counts_waiting: bool) -> Option<String> {
        let all = self.values.total(counts_waiting);
        let shares = self.values.values(counts_waiting);
        let shares = shares.map(|value| format!("{:.0}", percent(value, all)));
        (all > 0).then(|| shares.collect::<Vec<_>>().join(" "))
    }

    pub(super) fn busiest_threads(&self) -> f64 {
        let largest = self.values.running.iter().copied().max().unwrap_or(0);
        largest as f64 / self.length_ns as f64
    }
}

impl MarkerLane {
    /// `478 GC pauses, 7.730 s`.
    pub fn words(&self) -> String {
        let count: u64 = self.counts.iter().sum();
        let duration = match self.durations_ns.iter().flatten().sum() {
            0 => String::new(),
            duration => format!(", {}", seconds_rounded(duration)),
        };
        format!("{}{duration}", counted_markers(self.kind, count))
    }

    /// The share of the time that markers last, or a mark if that is 0 but markers start there.
    pub fn cell(&self, timeline: &Timeline, buckets: Range<usize>) -> &'static str {
        let durations = self.durations_ns.as_ref();
        let duration = durations.map_or(0, |all| all[buckets.clone()].iter().sum());
        match height(duration, timeline.length_ns(buckets.clone())) {
            0 if self.counts[buckets].iter().any(|&count| count > 0) => MARKED_CELL,
            height => HEIGHTS[height],
        }
    }
}

/// O(markers · buckets each one spans).
pub fn marker_lanes(view: &View, timeline: &Timeline) -> Vec<MarkerLane> {
    let buckets = timeline.buckets.count;
    let mut lanes: BTreeMap<MarkerKind, MarkerLane> = BTreeMap::new();
    for marker in view.shown_markers() {
        let kind = marker.kind();
        if !marker.is_in(timeline.range) {
            continue;
        }
        let start = marker.time_ns();
        let end = start.saturating_add(marker.duration_ns().unwrap_or(0));
        let lane = lanes.entry(kind).or_insert_with(|| MarkerLane {
            kind,
            counts: vec![0; buckets],
            durations_ns: kind.has_duration().then(|| vec![0; buckets]),
        });
        let first = timeline.bucket_at(start);
        if let Some(bucket) = first {
            lane.counts[bucket] += 1;
        }
        let Some(durations) = &mut lane.durations_ns else {
            continue;
        };
        for (bucket, duration) in durations.iter_mut().enumerate().skip(first.unwrap_or(0)) {
            let from_ns = timeline.buckets.boundary_ns(bucket);
            if from_ns >= end {
                break;
            }
            let to_ns = timeline.buckets.boundary_ns(bucket + 1);
            *duration += TimeRange { from_ns, to_ns }.overlap(start, end);
        }
    }
    lanes.into_values().collect()
}

/// Labels at the smallest round step that leaves room for the last one.
pub fn round_times(
    TimeRange { from_ns, to_ns }: TimeRange,
    has_room: impl Fn(u64, &str) -> bool,
) -> Vec<(u64, String)> {
    let steps = (0..20)
        .flat_map(|digits| [1, 2, 5].map(|digit| 10u64.checked_pow(digits)?.checked_mul(digit)));
    let mut steps = steps.flatten();
    let Some(step) = steps.find(|&step| has_room(step, &round_seconds(to_ns, step))) else {
        return Vec::new();
    };
    let first = from_ns.checked_next_multiple_of(step);
    let times = std::iter::successors(first, |at| at.checked_add(step));
    let times = times.take_while(|&at| at < to_ns);
    times.map(|at| (at, round_seconds(at, step))).collect()
}

fn round_seconds(at_ns: u64, step_ns: u64) -> String {
    let decimals = 9usize.saturating_sub(step_ns.ilog10() as usize);
    let fraction = format!("{:09}", at_ns % 1_000_000_000);
    let point = if decimals > 0 { "." } else { "" };
    let seconds = thousands(at_ns / 1_000_000_000);
    format!("{seconds}{point}{} s", &fraction[..decimals])
}

/// A value of `full` fills a cell. Waiting that does not count shows as a dot.
fn blocks(values: &BucketValues, counts_waiting: bool, full: &[u64]) -> String {
    let cell = |(bucket, value): (usize, u64)| match height(value, full[bucket]) {
        0 if values.waiting[bucket] > 0 => WAITING_CELL,
        height => HEIGHTS[height],
    };
    let values = values.values(counts_waiting).enumerate();
    values.map(cell).collect()
}

/// In eighths of a cell: at least 1 for any value above 0.
pub fn height(value: u64, full: u64) -> usize {
    let eighths = (u128::from(value) * 8).div_ceil(u128::from(full.max(1)));
    eighths.min(8) as usize
}

impl TimelineLane {
    fn new(node: Option<NodeId>, name: String, values: BucketValues) -> TimelineLane {
        TimelineLane {
            node,
            name,
            threads: Vec::new(),
            values,
        }
    }

    fn of_node(view: &View, timeline: &Timeline, node: NodeId) -> TimelineLane {
        let name = visible(view.display_name(node)).into_owned();
        TimelineLane::new(Some(node), name, timeline.of(view, &[node]))
    }

    pub fn waiting(&self) -> u64 {
        sum(self.values.waiting.iter().copied())
    }
}

impl TimelineAnswer {
    #[must_use]
    pub fn first(&self, lanes: usize) -> TimelineAnswer {
        let mut first = self.clone();
        first.left_out += self.lanes.len().saturating_sub(lanes);
        first.lanes.truncate(lanes);
        first
    }

    pub fn scale(&self, view: &View) -> Scale {
        let metric = view.recording.metric(self.part.metric());
        Scale::for_values(metric.unit, self.part.total)
    }

    /// `CPU 5,208.6 ms over time, 0.000 s to 8.127 s in 60 buckets of 135.4 ms; peak at 0.135 s: 1.0 threads busy,
    /// averaged over 135.4 ms`.
    pub fn title(&self, view: &View) -> String {
        let metric = view.recording.metric(self.part.metric());
        let whole = self.scale(view).with_unit(self.part.whole());
        let subject = match self.all.node {
            Some(node) if node != NodeId::ROOT => format!("{}: ", self.all.name),
            _ => String::new(),
        };
        let (measure, scale) = (self.part.measure, self.scale(view));
        let share = share_of_recording(view, measure, self.part.whole(), scale);
        let share = share.map_or(String::new(), |share| format!(" ({share})"));
        let name = visible(&metric.name);
        format!("{subject}{name} {whole}{share} {}", self.about(view))
    }

    pub fn about(&self, view: &View) -> String {
        let range = RecordingRange {
            range: self.timeline.range,
            of_ns: self.timeline.range.to_ns,
        };
        let each = self.timeline.length_ns(0..1);
        let each = Scale::for_values(Unit::Milliseconds, each).with_unit(each);
        let range = view.range().unwrap_or(range).bounds();
        let buckets = counted(self.timeline.buckets.count as u64, "bucket");
        messages::timeline_title(&range, &buckets, &each, &self.peak(view))
    }

    fn peak(&self, view: &View) -> String {
        let [at, value, length] = self.peak;
        let over = Scale::for_values(Unit::Milliseconds, length).with_unit(length);
        let much = self.rate_words(view, value, length);
        messages::timeline_peak(&seconds_rounded(at), &much, &over)
    }

    fn rate_words(&self, view: &View, value: u64, length_ns: u64) -> String {
        let metric = view.recording.metric(self.part.metric());
        if metric.is_running_time() && self.part.counts_waiting && self.part.waiting > 0 {
            return messages::threads_busy_or_spinning(&(value as f64 / length_ns as f64));
        }
        rate_words(view, self.part.measure, self.scale(view), value, length_ns)
    }

    /// The values that fill a lane's cells: one busy thread, all processors for the lane of all threads, or the largest
    /// value.
    pub fn full(&self, view: &View, lane: &TimelineLane) -> Vec<u64> {
        if std::ptr::eq(lane, &self.all) {
            return full_of_all(view, &self.timeline, &lane.values, self.part.measure);
        }
        let is_time = view.recording.metric(self.part.metric()).unit == Unit::Milliseconds;
        let is_thread = is_time && self.by == TimelineBy::Thread;
        let full = |bucket| match is_thread {
            true => self.timeline.length_ns(bucket..bucket + 1),
            false => self.largest,
        };
        (0..self.timeline.buckets.count).map(full).collect()
    }

    pub fn blocks(&self, view: &View, lane: &TimelineLane) -> String {
        let full = self.full(view, lane);
        blocks(&lane.values, self.part.counts_waiting, &full)
    }

    pub fn phase_lines(&self, view: &View) -> Vec<String> {
        let line = |phase: &Phase| {
            let TimeRange { from_ns, to_ns } = phase.range;
            let busy = self.rate_words(view, phase.value, (to_ns - from_ns).max(1));
            let named = phase.methods.iter().take(PHASE_METHODS);
            let named = named.map(|&(frame, value)| {
                let share = percent(value, phase.value);
                format!("{} {share:.0} %", view.frames.list_name(frame))
            });
            let named = named.collect::<Vec<_>>().join(", ");
            let [from, to] = [from_ns, to_ns].map(seconds_rounded);
            let line = messages::phase(&from, &to, &busy, &named);
            line.trim_end_matches("; of that ").to_string()
        };
        self.phases.iter().flatten().map(line).collect()
    }

    pub fn document(&self, view: &View) -> impl Serialize {
        let unit = view.recording.metric(self.part.metric()).unit;
        let value = |stored| Value::new(unit, stored);
        let values = |stored: &[u64]| stored.iter().copied().map(value).collect::<Vec<_>>();
        let ms = |ns: u64| Unit::Milliseconds.to_unit(ns);
        let lane = |lane: &TimelineLane| {
            object! {
                name: lane.name.clone(),
                node: IfAny(lane.node.map(|node| view.node_label(node))),
                running_total: value(lane.values.total(false)),
                waiting_total: value(lane.waiting()),
                running: values(&lane.values.running),
                waiting: values(&lane.values.waiting),
            }
        };
        let markers = |lane: &MarkerLane| {
            let durations = lane.durations_ns.as_ref();
            object! {
                kind: lane.kind.name(),
                count: lane.counts.iter().sum::<u64>(),
                counts: lane.counts.clone(),
                durations_ms: IfAny(durations.map(|all| all.iter().map(|&ns| ms(ns)).collect::<Vec<_>>())),
            }
        };
        let phase = |phase: &Phase| {
            let method = |&(frame, stored): &(FrameId, u64)| {
                object! { name: view.frames.list_name(frame).into_owned(), value: value(stored) }
            };
            object! {
                from_ms: ms(phase.range.from_ns),
                to_ms: ms(phase.range.to_ns),
                running: value(phase.running),
                waiting: value(phase.waiting),
                methods: phase.methods.iter().take(PHASE_METHODS).map(method).collect::<Vec<_>>(),
            }
        };
        let phases = self.phases.as_ref();
        let phases = phases.map(|phases| phases.iter().map(phase).collect::<Vec<_>>());
        let buckets = self.timeline.buckets.count;
        object! {
            head: All(self.part.head("dotspot.timeline/1", view)),
            from_ms: ms(self.timeline.buckets.boundary_ns(0)),
            to_ms: ms(self.timeline.buckets.boundary_ns(buckets)),
            buckets,
            by: self.by.name(),
            all: lane(&self.all),
            lanes: self.lanes.iter().map(lane).collect::<Vec<_>>(),
            left_out: self.left_out,
            markers: self.markers.iter().map(markers).collect::<Vec<_>>(),
            phases: IfAny(phases),
            diagnostics: diagnostic_records(view),
        }
    }
}
