use super::sample_log::SampleLog;
use super::{NodeSums, RecordedNode, SampleKind, columns};
use crate::model::messages;
use crate::units::{seconds, seconds_rounded};
use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;
use std::ops::Range;

/// A half-open range in nanoseconds from zero; see [`SampleTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeRange {
    pub from_ns: u64,
    /// Exclusive; [`TimeRange::OPEN`] if it has no end.
    pub to_ns: u64,
}

impl TimeRange {
    pub const OPEN: u64 = u64::MAX;
    pub const ALL: TimeRange = TimeRange {
        from_ns: 0,
        to_ns: TimeRange::OPEN,
    };

    /// Exact to the nanosecond in recordings of up to 26 days.
    pub fn flags(self) -> Vec<String> {
        let flag = |option: &str, ns: u64| {
            let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
            let text = text.trim_end_matches('0').trim_end_matches('.');
            [option.to_string(), format!("{text}s")]
        };
        let from = (self.from_ns > 0).then(|| flag("--from", self.from_ns));
        let until = (self.to_ns != TimeRange::OPEN).then(|| flag("--until", self.to_ns));
        from.into_iter().chain(until).flatten().collect()
    }

    #[inline]
    pub fn contains(self, at_ns: u64) -> bool {
        self.from_ns <= at_ns && (at_ns < self.to_ns || self.to_ns == Self::OPEN)
    }

    #[inline]
    pub fn overlap(self, start_ns: u64, end_ns: u64) -> u64 {
        end_ns
            .min(self.to_ns)
            .saturating_sub(start_ns.max(self.from_ns))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingRange {
    pub range: TimeRange,
    pub of_ns: u64,
}

/// Ranges at least this long are rounded to milliseconds, at most a hundredth of their length.
const MIN_ROUNDED_NS: u64 = 100_000_000;

impl RecordingRange {
    pub fn length_ns(self) -> u64 {
        self.range.overlap(0, self.of_ns)
    }

    fn formatted(self) -> [String; 3] {
        let TimeRange { from_ns, to_ns } = self.range;
        let to_ns = to_ns.min(self.of_ns);
        let time = |ns: u64, length_ns: u64| match length_ns >= MIN_ROUNDED_NS {
            true => seconds_rounded(ns),
            false => seconds(ns),
        };
        let [from, to] = [from_ns, to_ns].map(|ns| time(ns, self.length_ns()));
        [from, to, time(self.of_ns, self.of_ns)]
    }

    pub fn bounds(self) -> String {
        let [from, to, _] = self.formatted();
        format!("{from} to {to}")
    }

    pub fn sentence(self) -> String {
        let [from, to, total] = self.formatted();
        messages::only_time_recording(&from, &to, &total)
    }
}

impl fmt::Display for RecordingRange {
    /// Such as `2.000 s to 4.500 s of 8.102 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to, total] = self.formatted();
        write!(f, "{from} to {to} of {total}")
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum UntimedReason {
    #[default]
    NoTimes,
    NotAll,
    NamesTooLate,
    Comparison,
}

impl fmt::Display for UntimedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UntimedReason::NoTimes => messages::ONLY_SUMS,
            UntimedReason::NotAll => messages::SOME_VALUES_WITHOUT_TIME,
            UntimedReason::Comparison => messages::COMPARISON_HAS_NO_TIMES,
            UntimedReason::NamesTooLate => messages::FRAMES_NAMED_TOO_LATE,
        })
    }
}

/// A thread's interval samples, or its weighted samples of one kind, in time order.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Lane {
    pub thread: u32,
    rows: Range<u32>,
    end_ns: u64,
    weighted: Option<u8>,
}

/// All samples of a recording, if every value has a time. Times are nanoseconds from the start of the session if known,
/// else from the first event. A sample either lasts until the next one of its lane, or has a weight and belongs to an
/// instant. So time metrics are exact at the bounds of a range, and counts belong to the range in which the sample starts.
///
/// | source | a sample covers |
/// |---|---|
/// | nettrace 3, 4 | from its time to the thread's next sample or allocation; the last one no time; allocated bytes: the instant |
/// | nettrace 6 | the instant of the processor sample, of getting a processor again, or of the allocation tick |
/// | speedscope, sampled | its weight, from the end of the previous one; the first one from `startValue` |
/// | speedscope, evented; trace events | from one change of the stack to the next; a call counts when its frame opens |
/// | trace events with `samples` | from its time to the thread's next sample; the last one no time |
/// | `.cpuprofile` | from its time to the next one; the last one to `endTime` |
/// | perf script | the instant |
/// | Firefox Profiler | the instant |
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct SampleTable {
    pub kinds: Vec<SampleKind>,
    /// Those of interval samples come first.
    pub lanes: Vec<Lane>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    times_ns: Vec<u64>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    stacks: Vec<RecordedNode>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    repaired: Vec<RecordedNode>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    sample_kinds: Vec<u8>,
    #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")]
    weights: Vec<u64>,
    pub span_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePart {
    pub kind: u8,
    pub node: RecordedNode,
    pub start_ns: u64,
    pub value: u64,
    /// 1 if it starts in the range, else 0.
    pub samples: u64,
}

impl SampleTable {
    /// `stacks` and `repaired` are where stacks end. O(samples), or O(n log n) if they are not in time order.
    pub fn new(
        log: &SampleLog,
        stacks: &[RecordedNode],
        repaired: Option<&[RecordedNode]>,
    ) -> SampleTable {
        let mut rows = TableRows::new(log);
        let (len, intervals, zero_ns) = (rows.len(), log.intervals.len(), log.zero_ns());
        let mut table = SampleTable {
            kinds: log.kinds.to_vec(),
            lanes: Vec::new(),
            times_ns: vec![0; len],
            stacks: vec![RecordedNode(0); len],
            repaired: vec![RecordedNode(0); repaired.map_or(0, |_| len)],
            sample_kinds: vec![0; intervals],
            weights: vec![0; len - intervals],
            span_ns: 0,
        };
        let mut set = |row: usize, at: usize, time_ns: u64| {
            table.times_ns[at] = time_ns.saturating_sub(zero_ns);
            table.stacks[at] = stacks[row];
            if let Some(repaired) = repaired {
                table.repaired[at] = repaired[row];
            }
        };
        // in log order, so memory is read once
        for (row, sample) in log.intervals.iter().enumerate() {
            let at = rows.next(sample.lane(), None);
            table.sample_kinds[at] = sample.kind();
            set(row, at, sample.time_ns);
        }
        for (row, sample) in log.contributing() {
            let at = rows.next(sample.lane as usize, Some(sample.kind));
            table.weights[at - intervals] = sample.weight;
            set(row, at, sample.time_ns);
        }
        for mut lane in rows.lanes {
            let rows = lane.rows.start as usize..lane.rows.end as usize;
            let last = rows.end - 1;
            table.sort(rows);
            let end_ns = lane.end_ns.saturating_sub(zero_ns);
            lane.end_ns = end_ns.max(table.times_ns[last]);
            table.span_ns = table.span_ns.max(lane.end_ns);
            table.lanes.push(lane);
        }
        table
    }

    fn sort(&mut self, rows: Range<usize>) {
        if self.times_ns[rows.clone()].is_sorted() {
            return;
        }
        let mut order: Vec<usize> = rows.clone().collect();
        order.sort_by_key(|&row| self.times_ns[row]);
        let (order, intervals) = ((rows.start, &order[..]), self.sample_kinds.len());
        reorder(&mut self.times_ns, order, 0);
        reorder(&mut self.stacks, order, 0);
        reorder(&mut self.repaired, order, 0);
        reorder(&mut self.sample_kinds, order, 0);
        reorder(&mut self.weights, order, intervals);
    }

    pub fn len(&self) -> usize {
        self.times_ns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.times_ns.is_empty()
    }

    pub fn size_bytes(&self) -> usize {
        size_of_val(&self.stacks[..])
            + size_of_val(&self.repaired[..])
            + size_of_val(&self.times_ns[..])
            + size_of_val(&self.sample_kinds[..])
            + size_of_val(&self.weights[..])
    }

    pub fn sums(&self, range: TimeRange, is_repaired: bool, node_count: usize) -> NodeSums {
        let mut sums = NodeSums::new(self.kinds.len());
        self.for_each_in(range, is_repaired, |part| {
            sums.add(part.kind, part.node.0, node_count, part.value, part.samples);
        });
        sums
    }

    /// Visits the part of each sample in the range, lane by lane, without pauses.
    #[inline]
    pub fn for_each_in(
        &self,
        range: TimeRange,
        is_repaired: bool,
        mut visit: impl FnMut(SamplePart),
    ) {
        for lane in &self.lanes {
            self.for_each_in_lane(lane, range, is_repaired, &mut visit);
        }
    }

    #[inline]
    pub fn for_each_in_lane(
        &self,
        lane: &Lane,
        range: TimeRange,
        is_repaired: bool,
        mut visit: impl FnMut(SamplePart),
    ) {
        let stacks = match is_repaired && !self.repaired.is_empty() {
            true => &self.repaired,
            false => &self.stacks,
        };
        let rows = lane.rows.start as usize..lane.rows.end as usize;
        let times = &self.times_ns[rows.clone()];
        // the sample before the range may last into it
        let first = rows.start
            + times
                .partition_point(|&time| time < range.from_ns)
                .saturating_sub(1);
        let after = rows.start
            + times.partition_point(|&time| time < range.to_ns || range.to_ns == TimeRange::OPEN);
        for (row, &node) in stacks.iter().enumerate().take(after).skip(first) {
            let start_ns = self.times_ns[row];
            let samples = u64::from(range.contains(start_ns));
            let (kind, value) = match lane.weighted {
                Some(kind) => (kind, samples * self.weights[row - self.sample_kinds.len()]),
                None => {
                    let end_ns = match row + 1 == rows.end {
                        true => lane.end_ns,
                        false => self.times_ns[row + 1],
                    };
                    (self.sample_kinds[row], range.overlap(start_ns, end_ns))
                }
            };
            if kind != SampleLog::PAUSE && (value, samples) != (0, 0) {
                visit(SamplePart {
                    kind,
                    node,
                    start_ns,
                    value,
                    samples,
                });
            }
        }
    }
}

/// Reorders rows from `first` on. The column may start at row `after`, or lack the rows.
fn reorder<T: Copy>(column: &mut [T], (first, order): (usize, &[usize]), after: usize) {
    let value = |row: &usize| column.get(row.checked_sub(after)?).copied();
    let rows: Vec<T> = order.iter().filter_map(value).collect();
    for (row, value) in (first..).zip(rows) {
        column[row - after] = value;
    }
}

/// Assigns table rows to samples: intervals ones by lane, then weighted ones by lane and kind.
struct TableRows {
    /// Their ends are still on the source's clock.
    lanes: Vec<Lane>,
    log_lanes: usize,
    kinds: usize,
    next: Vec<u32>,
}

impl TableRows {
    fn new(log: &SampleLog) -> TableRows {
        // samples of unknown lanes share an extra one
        let (log_lanes, kinds) = (log.lanes.len() + 1, log.kinds.len());
        let mut rows = TableRows {
            lanes: Vec::new(),
            log_lanes,
            kinds,
            next: vec![0; log_lanes * (1 + kinds)],
        };
        for sample in &log.intervals {
            rows.next(sample.lane(), None);
        }
        for (_, sample) in log.contributing() {
            rows.next(sample.lane as usize, Some(sample.kind));
        }
        let mut start = 0;
        let slots = rows.next.iter_mut().enumerate();
        for (slot, next) in slots.filter(|(_, count)| **count > 0) {
            let weighted = slot.checked_sub(log_lanes);
            let lane = weighted.map_or(slot, |slot| slot / kinds);
            rows.lanes.push(Lane {
                thread: log.thread(lane),
                rows: start..start + *next,
                end_ns: weighted.map_or(log.end_ns(lane), |_| 0),
                weighted: weighted.and_then(|slot| u8::try_from(slot % kinds).ok()),
            });
            (start, *next) = (start + *next, start);
        }
        rows
    }

    fn len(&self) -> usize {
        self.lanes.last().map_or(0, |lane| lane.rows.end as usize)
    }

    #[inline]
    fn next(&mut self, lane: usize, weighted: Option<u8>) -> usize {
        let lane = lane.min(self.log_lanes - 1);
        let slot = match weighted {
            None => lane,
            Some(kind) => self.log_lanes + lane * self.kinds + usize::from(kind),
        };
        self.next[slot] += 1;
        self.next[slot] as usize - 1
    }
}

impl Lane {
    pub fn has_weights(&self) -> bool {
        self.weighted.is_some()
    }
}
