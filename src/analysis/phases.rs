//! Splits a recording into phases where the mix of methods changes, by a heuristic.

use super::timeline::Timeline;
use super::{Nearest, sum};
use crate::model::{FrameId, NodeId, TimeRange, View};
use crate::names::Category;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

const METHODS: usize = 48;
const MAX_PHASES: usize = 6;
/// Between phases: [`PhaseMix::difference`] as a share of all buckets.
const MIN_DIFFERENCE: f64 = 0.015;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    pub range: TimeRange,
    pub running: u64,
    pub waiting: u64,
    /// The part of both that counts.
    pub value: u64,
    /// The hottest methods with their values: user code with what it calls, or methods without user code above them.
    pub methods: Vec<(FrameId, u64)>,
}

#[derive(Clone)]
struct PhaseMix {
    buckets: Range<usize>,
    values: Vec<f64>,
}

impl PhaseMix {
    /// How much joining two phases would lose: the square of the share of time in which they differ, times their
    /// numbers of buckets combined like parallel resistors.
    fn difference(&self, other: &PhaseMix) -> f64 {
        let [length, other_length] = [self, other].map(|mix| mix.buckets.len() as f64);
        let (mut distance, mut sum, mut other_sum) = (0.0, 0.0, 0.0);
        for (value, other) in self.values.iter().zip(&other.values) {
            let (value, other) = (value / length, other / other_length);
            distance += (value - other).abs();
            sum += value;
            other_sum += other;
        }
        let larger_sum = f64::max(sum, other_sum);
        let share = match larger_sum > 0.0 {
            true => distance / (2.0 * larger_sum),
            false => 0.0,
        };
        length * other_length / (length + other_length) * share * share
    }

    fn join(&mut self, other: PhaseMix) {
        self.buckets.end = other.buckets.end;
        for (value, other) in self.values.iter_mut().zip(other.values) {
            *value += other;
        }
    }
}

/// In time order; none if nothing counts. The most similar neighbors are joined until the rest differ.
pub fn phases(
    view: &View,
    timeline: &Timeline,
    within: NodeId,
    counts_waiting: bool,
) -> Vec<Phase> {
    let charged = charged(view, timeline, within, counts_waiting);
    let all = timeline.of(view, &[within]);
    if charged.is_empty() {
        return Vec::new();
    }
    let mix = |bucket: usize| {
        let methods = charged.iter().take(METHODS);
        PhaseMix {
            buckets: bucket..bucket + 1,
            values: methods.map(|(_, values)| values[bucket] as f64).collect(),
        }
    };
    let mut mixes: Vec<PhaseMix> = (0..timeline.buckets.count).map(mix).collect();
    let min_difference = MIN_DIFFERENCE * timeline.buckets.count as f64;
    while mixes.len() > 1 {
        let differences = mixes.windows(2).map(|pair| pair[0].difference(&pair[1]));
        let nearest = differences.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((at, difference)) = nearest else {
            break;
        };
        if difference >= min_difference && mixes.len() <= MAX_PHASES {
            break;
        }
        let next = mixes.remove(at + 1);
        mixes[at].join(next);
    }
    let counted: Vec<u64> = all.values(counts_waiting).collect();
    let phase = |PhaseMix { buckets, .. }: PhaseMix| {
        let within = |values: &[u64]| sum(values[buckets.clone()].iter().copied());
        let methods = charged
            .iter()
            .map(|(frame, values)| (*frame, within(values)));
        let mut methods: Vec<(FrameId, u64)> = methods.filter(|(_, sum)| *sum > 0).collect();
        methods.sort_by_key(|&(frame, sum)| (Reverse(sum), frame));
        Phase {
            range: TimeRange {
                from_ns: timeline.buckets.boundary_ns(buckets.start),
                to_ns: timeline.buckets.boundary_ns(buckets.end),
            },
            running: within(&all.running),
            waiting: within(&all.waiting),
            value: within(&counted),
            methods,
        }
    };
    mixes.into_iter().map(phase).collect()
}

/// By bucket for each responsible user method, or else the method itself, largest sum first.
fn charged(
    view: &View,
    timeline: &Timeline,
    within: NodeId,
    counts_waiting: bool,
) -> Vec<(FrameId, Vec<u64>)> {
    let mut users = Nearest::new(view, |view, node| {
        view.frame(node).category == Category::User
    });
    let mut by_frame: HashMap<FrameId, Vec<u64>> = HashMap::new();
    timeline.for_each(counts_waiting, |node, bucket, value| {
        if view.tree.contains(within, node) {
            let responsible = users.from(node).unwrap_or(node);
            let values = by_frame.entry(view.tree.frame(responsible));
            let values = values.or_insert_with(|| vec![0; timeline.buckets.count]);
            values[bucket] = values[bucket].saturating_add(value);
        }
    });
    let mut all: Vec<(FrameId, Vec<u64>)> = by_frame.into_iter().collect();
    all.sort_by_cached_key(|(frame, values)| (Reverse(sum(values.iter().copied())), *frame));
    all
}
