use super::{FrameId, RawNode, SampleKind};

/// Lasts until the next sample of its lane. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntervalSample {
    pub time_ns: u64,
    pub node: RawNode,
    lane_and_kind: u32,
}

impl IntervalSample {
    const KIND_BITS: u32 = 4;
    /// Includes [`SampleLog::PAUSE`].
    pub const MAX_KINDS: usize = 1 << IntervalSample::KIND_BITS;

    /// Memory runs out before 28-bit lanes do.
    pub fn new(time_ns: u64, node: RawNode, lane: usize, kind: u8) -> IntervalSample {
        #[cfg(test)]
        assert!((kind as usize) < Self::MAX_KINDS);
        let lane = u32::try_from(lane)
            .unwrap_or(u32::MAX)
            .min(u32::MAX >> Self::KIND_BITS);
        IntervalSample {
            time_ns,
            node,
            lane_and_kind: lane << Self::KIND_BITS | u32::from(kind),
        }
    }

    pub fn lane(&self) -> usize {
        (self.lane_and_kind >> Self::KIND_BITS) as usize
    }

    pub fn kind(&self) -> u8 {
        (self.lane_and_kind & (u32::MAX >> (32 - Self::KIND_BITS))) as u8
    }
}

/// Has a weight and belongs to an instant. 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedSample {
    pub time_ns: u64,
    pub weight: u64,
    pub node: RawNode,
    pub lane: u32,
    pub kind: u8,
    /// What the weight measures, such as the allocated type; ignored when stacks are compared.
    pub leaf: FrameId,
}

impl WeightedSample {
    const NO_LEAF: FrameId = FrameId(u32::MAX);

    pub fn new(time_ns: u64, weight: u64, node: RawNode, lane: usize, kind: u8) -> WeightedSample {
        // memory runs out before 32-bit indices do
        let lane = u32::try_from(lane).unwrap_or(u32::MAX);
        WeightedSample {
            time_ns,
            weight,
            node,
            lane,
            kind,
            leaf: Self::NO_LEAF,
        }
    }

    pub fn leaf(&self) -> Option<FrameId> {
        Some(self.leaf).filter(|leaf| *leaf != Self::NO_LEAF)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LogLane {
    thread: u32,
    end_ns: u64,
}

/// Samples in reading order, which is time order within a lane. Rows of interval samples come first.
#[derive(Clone, Debug, Default)]
pub struct SampleLog {
    pub kinds: Vec<SampleKind>,
    pub intervals: Vec<IntervalSample>,
    pub weighted: Vec<WeightedSample>,
    pub(super) lanes: Vec<LogLane>,
    zero_ns: Option<u64>,
}

impl SampleLog {
    /// Nothing was measured until the next sample of the lane.
    pub const PAUSE: u8 = 0;

    pub fn new(kinds: impl IntoIterator<Item = SampleKind>) -> SampleLog {
        let mut log = SampleLog::default();
        log.set_kinds(kinds);
        log
    }

    pub fn with_samples(
        mut self,
        intervals: Vec<IntervalSample>,
        weighted: Vec<WeightedSample>,
    ) -> SampleLog {
        (self.intervals, self.weighted) = (intervals, weighted);
        self
    }

    /// By default, the time of the first sample is zero.
    pub fn set_zero_ns(&mut self, zero_ns: u64) {
        self.zero_ns = Some(zero_ns);
    }

    /// Replaces all kinds except [`SampleLog::PAUSE`].
    pub fn set_kinds(&mut self, kinds: impl IntoIterator<Item = SampleKind>) {
        self.kinds = [SampleKind::default()].into_iter().chain(kinds).collect();
        assert!(self.kinds.len() <= u8::MAX as usize);
    }

    pub fn add_lane(&mut self, thread: usize) -> usize {
        // memory runs out before 32-bit indices do
        let thread = u32::try_from(thread).unwrap_or(u32::MAX);
        self.lanes.push(LogLane { thread, end_ns: 0 });
        self.lanes.len() - 1
    }

    pub fn add_lanes(&mut self, threads: usize) {
        for thread in 0..threads {
            self.add_lane(thread);
        }
    }

    pub fn push(&mut self, lane: usize, time_ns: u64, node: RawNode, kind: u8) {
        self.intervals
            .push(IntervalSample::new(time_ns, node, lane, kind));
    }

    pub fn set_end_ns(&mut self, lane: usize, end_ns: u64) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.end_ns = end_ns;
        }
    }

    pub fn len(&self) -> usize {
        self.intervals.len() + self.weighted.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn thread(&self, lane: usize) -> u32 {
        self.lanes.get(lane).map_or(u32::MAX, |lane| lane.thread)
    }

    /// 0 unless it was set.
    pub fn end_ns(&self, lane: usize) -> u64 {
        self.lanes.get(lane).map_or(0, |lane| lane.end_ns)
    }

    pub fn interval_at(&self, row: u32) -> Option<&IntervalSample> {
        self.intervals.get(row as usize)
    }

    fn weighted_at(&self, row: u32) -> &WeightedSample {
        &self.weighted[row as usize - self.intervals.len()]
    }

    pub fn kind(&self, row: u32) -> u8 {
        self.interval_at(row)
            .map_or_else(|| self.weighted_at(row).kind, IntervalSample::kind)
    }

    pub fn lane(&self, row: u32) -> usize {
        self.interval_at(row)
            .map_or_else(|| self.weighted_at(row).lane as usize, IntervalSample::lane)
    }

    pub fn node(&self, row: u32) -> RawNode {
        self.interval_at(row)
            .map_or_else(|| self.weighted_at(row).node, |sample| sample.node)
    }

    /// On the source's clock: at most the time of the first sample.
    pub fn zero_ns(&self) -> u64 {
        let intervals = self.intervals.iter();
        let intervals = intervals.filter(|sample| sample.kind() != Self::PAUSE);
        let intervals = intervals.map(|sample| sample.time_ns);
        let weighted = self.weighted.iter().map(|sample| sample.time_ns);
        let times = self.zero_ns.into_iter().chain(intervals).chain(weighted);
        times.min().unwrap_or(0)
    }

    /// In time order, without pauses; at equal times, interval samples come first.
    pub fn rows_in_order(&self) -> impl Iterator<Item = u32> + '_ {
        // indices, not peekable iterators: this runs for every sample
        let (mut next, mut next_weighted) = (0, 0);
        std::iter::from_fn(move || {
            loop {
                let weighted = self.weighted.get(next_weighted);
                match self.intervals.get(next) {
                    Some(sample)
                        if weighted.is_none_or(|weighted| sample.time_ns <= weighted.time_ns) =>
                    {
                        next += 1;
                        if sample.kind() != Self::PAUSE {
                            return Some(next as u32 - 1);
                        }
                    }
                    _ => {
                        weighted?;
                        next_weighted += 1;
                        return Some((self.intervals.len() + next_weighted) as u32 - 1);
                    }
                }
            }
        })
    }

    /// `visit` gets row, sample and end. O(samples).
    pub fn for_each_interval(&self, mut visit: impl FnMut(u32, &IntervalSample, u64)) {
        let mut last: Vec<Option<u32>> = vec![None; self.lanes.len()];
        let mut visit_until = |row: u32, end_ns: u64| {
            let sample = &self.intervals[row as usize];
            if sample.kind() != Self::PAUSE {
                visit(row, sample, end_ns.max(sample.time_ns));
            }
        };
        for (row, sample) in (0..).zip(&self.intervals) {
            let Some(last) = last.get_mut(sample.lane()) else {
                continue;
            };
            if let Some(before) = last.replace(row) {
                visit_until(before, sample.time_ns);
            }
        }
        for (lane, last) in self.lanes.iter().zip(last) {
            if let Some(row) = last {
                visit_until(row, lane.end_ns);
            }
        }
    }

    /// Weighted samples with values, and their rows. Others only end the sample before them.
    pub(super) fn contributing(&self) -> impl Iterator<Item = (usize, &WeightedSample)> {
        let contributes = self.kinds.iter().map(|kind| *kind != SampleKind::default());
        let contributes: Vec<bool> = contributes.collect();
        let weighted = (self.intervals.len()..).zip(&self.weighted);
        weighted.filter(move |(_, sample)| contributes[sample.kind as usize])
    }
}

#[cfg(test)]
mod tests;
