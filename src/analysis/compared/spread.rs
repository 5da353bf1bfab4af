//! Estimates how much the values of a sampled profile vary between recordings of the same program.
//!
//! If samples with weights `w` were independent, the variance of their sum would be the sum of `w²`. But a thread does
//! the same thing for a while. So time is divided into blocks of [`BLOCK_NS`], which are mostly independent, and the
//! variance of a sum of `N` blocks is `N` times that of a block. The larger variance is used. Without sample times,
//! all that is known is that a value `T` is based on `n` samples: its variance is `T²/n`.
//!
//! Differences between runs, such as another input or a busy machine, are not accounted for.

use crate::analysis::{
    ChargedValue, HotspotOrder, hotspots, is_charged, own_and_system, own_and_system_samples,
};
use crate::model::{
    CallTree, ComparedValue, CountKind, FrameId, Measure, Metric, NodeId, ProfileKind,
    RecordedNode, SampleTable, TimeRange, View,
};
use crate::units::Unit;
use std::collections::HashMap;

const BLOCK_NS: u64 = 100_000_000;
/// Fewer blocks give no meaningful variance.
const MIN_BLOCKS: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The sums of this many blocks of time.
    Blocks(u64),
    Weights,
    Counts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct EstimatedSum {
    value: f64,
    variance: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub basis: Basis,
    sums: [Vec<EstimatedSum>; 3],
}

impl Spread {
    /// `None` if values are not based on samples. O(samples · depth of stacks) at worst.
    pub fn of(view: &View, measure: Measure) -> Option<Spread> {
        let metric = view.recording.metric(measure.metric);
        let is_sampled = metric.counts == Some(CountKind::Samples) || is_number_of_samples(metric);
        match (view.recording.source.kind, &view.recording.samples) {
            (ProfileKind::Tracing | ProfileKind::LineByLine, _) => None,
            (_, Ok(samples)) => Some(Spread::of_samples(view, samples, measure)),
            (_, Err(_)) => is_sampled.then(|| Spread::of_counts(view, measure)),
        }
    }

    /// `None` if variances don't come from blocks.
    pub(super) fn degrees_of_freedom(&self) -> Option<f64> {
        match self.basis {
            Basis::Blocks(blocks) => Some(blocks.saturating_sub(1) as f64),
            Basis::Weights | Basis::Counts => None,
        }
    }

    /// Per stored unit; 0 without samples.
    pub(super) fn variance_per_unit(&self, frame: FrameId, value: ComparedValue) -> f64 {
        let sums = &self.sums[value as usize];
        let sum = sums.get(frame.index()).copied().unwrap_or_default();
        match sum.value > 0.0 {
            true => sum.variance / sum.value,
            false => 0.0,
        }
    }

    /// Scales the sums and indexes them by the frames of a comparison.
    pub(super) fn placed(&self, places: &[FrameId], frames: usize, scale: f64) -> Spread {
        let place = |sums: &Vec<EstimatedSum>| {
            let mut placed = vec![EstimatedSum::default(); frames];
            for (sum, place) in sums.iter().zip(places) {
                placed[place.index()].value += sum.value * scale;
                placed[place.index()].variance += sum.variance * scale * scale;
            }
            placed
        };
        Spread {
            basis: self.basis,
            sums: self.sums.each_ref().map(place),
        }
    }

    fn of_counts(view: &View, measure: Measure) -> Spread {
        let mut own = vec![EstimatedSum::default(); view.frames.len()];
        let mut inclusive = own.clone();
        let is_sample_count = is_number_of_samples(view.recording.metric(measure.metric));
        let sum = |value: u64, samples: Option<u64>| {
            let samples = if is_sample_count {
                Some(value)
            } else {
                samples
            };
            let value = value as f64;
            let variance = value * value / samples.unwrap_or(0).max(1) as f64;
            EstimatedSum { value, variance }
        };
        let root = NodeId::ROOT;
        inclusive[view.tree.frame(root).index()] =
            sum(measure.inclusive(view, root), measure.count(view, root));
        for row in hotspots(view, &[root], measure) {
            let by_order = |order| sum(row.weight(order), row.samples(order));
            own[row.frame.index()] = by_order(HotspotOrder::Exclusive);
            inclusive[row.frame.index()] = by_order(HotspotOrder::Inclusive);
        }
        let charged = own_and_system(view, &[root], measure);
        let weight = |(frame, _)| charged.of(view, frame).map_or(0, ChargedValue::weight);
        let weights = view.frames.iter().map(weight);
        let charged = weights
            .zip(own_and_system_samples(view, &[root], measure))
            .map(|(value, samples)| sum(value, Some(samples)))
            .collect();
        Spread {
            basis: Basis::Counts,
            sums: [own, inclusive, charged],
        }
    }

    fn of_samples(view: &View, samples: &SampleTable, measure: Measure) -> Spread {
        let metric = measure.metric;
        let range = view.range().map_or(TimeRange::ALL, |scope| scope.range);
        let end_ns = samples.span_ns.min(range.to_ns);
        let span_ns = end_ns.saturating_sub(range.from_ns);
        let blocks = span_ns.div_ceil(BLOCK_NS).max(1);
        let (basis, block_count) = match blocks >= MIN_BLOCKS {
            true => (Basis::Blocks(blocks), Some(blocks as f64)),
            false => (Basis::Weights, None),
        };
        let recorded = view.recording.tree_of(view.form);
        let is_shown = shown_threads(view);
        let is_left_out = frames_left_out(view, measure);
        let mut cells: HashMap<(u64, RecordedNode), (f64, f64), foldhash::fast::RandomState> =
            HashMap::default();
        samples.for_each_in(range, view.is_repaired(), |sample| {
            let kind = &samples.kinds[sample.kind as usize];
            let value = kind.value(metric, sample.value, sample.samples) as f64;
            let thread = || recorded.thread_of(sample.node);
            let is_included = || !is_left_out[recorded.tree.frame(sample.node).index()];
            if value > 0.0 && thread().is_none_or(|thread| is_shown[thread]) && is_included() {
                let block = sample.start_ns.saturating_sub(range.from_ns) / BLOCK_NS;
                let (sum, squares) = cells.entry((block, sample.node)).or_default();
                *sum += value;
                *squares += value * value;
            }
        });
        let mut cells: Vec<_> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|&(key, _)| key);
        let mut sums = BlockSums::new(&recorded.tree, view);
        for block in cells.chunk_by(|(a, _), (b, _)| a.0 == b.0) {
            for &((_, node), (sum, squares)) in block {
                sums.add(node, sum, squares);
            }
            sums.values.iter_mut().for_each(FrameBlocks::end_block);
        }
        Spread {
            basis,
            sums: sums.values.map(|blocks| blocks.sums(block_count)),
        }
    }
}

fn is_number_of_samples(metric: &Metric) -> bool {
    metric.unit == Unit::Count && metric.name.eq_ignore_ascii_case("samples")
}

fn shown_threads(view: &View) -> Vec<bool> {
    let mut is_shown = vec![false; view.recording.threads.len()];
    for row in 0..view.threads.len() {
        for &recorded in view.rows_of_thread(row).iter() {
            is_shown[recorded] = true;
        }
    }
    is_shown
}

fn frames_left_out(view: &View, measure: Measure) -> Vec<bool> {
    let mut is_left_out = vec![false; view.frames.len()];
    let waiting = measure.left_out(view).into_iter();
    for (node, _) in waiting.flat_map(|waiting| waiting.amounts()) {
        is_left_out[view.tree.frame(node).index()] = true;
    }
    is_left_out
}

struct BlockSums<'a> {
    tree: &'a CallTree<RecordedNode>,
    values: [FrameBlocks; 3],
    is_charged: Vec<bool>,
    /// The last stack with each frame: recursion counts once.
    last_stacks: Vec<u32>,
    stacks: u32,
}

impl BlockSums<'_> {
    fn new<'a>(tree: &'a CallTree<RecordedNode>, view: &View) -> BlockSums<'a> {
        let frames = view.frames.iter();
        let is_charged = frames.map(|(_, frame)| is_charged(frame.category));
        BlockSums {
            tree,
            values: [(); 3].map(|()| FrameBlocks::new(view.frames.len())),
            is_charged: is_charged.collect(),
            last_stacks: vec![0; view.frames.len()],
            stacks: 0,
        }
    }

    fn add(&mut self, node: RecordedNode, sum: f64, squares: f64) {
        let [own, inclusive, charged] = &mut self.values;
        own.add(self.tree.frame(node), sum, squares);
        self.stacks = self.stacks.wrapping_add(1);
        let mut needs_charge = true;
        for at in self.tree.upward(node) {
            let frame = self.tree.frame(at);
            if needs_charge && self.is_charged[frame.index()] {
                charged.add(frame, sum, squares);
                needs_charge = false;
            }
            let last_stack = &mut self.last_stacks[frame.index()];
            if std::mem::replace(last_stack, self.stacks) != self.stacks {
                inclusive.add(frame, sum, squares);
            }
        }
    }
}

struct FrameBlocks {
    /// By frame: the sum, the sum of squared samples, and the sum of squared block sums.
    rows: Vec<(f64, f64, f64)>,
    current: Vec<f64>,
    touched: Vec<FrameId>,
}

impl FrameBlocks {
    fn new(frames: usize) -> FrameBlocks {
        FrameBlocks {
            rows: vec![(0.0, 0.0, 0.0); frames],
            current: vec![0.0; frames],
            touched: Vec::new(),
        }
    }

    fn add(&mut self, frame: FrameId, sum: f64, squares: f64) {
        let current = &mut self.current[frame.index()];
        if *current == 0.0 {
            self.touched.push(frame);
        }
        *current += sum;
        let row = &mut self.rows[frame.index()];
        (row.0, row.1) = (row.0 + sum, row.1 + squares);
    }

    fn end_block(&mut self) {
        for frame in self.touched.drain(..) {
            let sum = std::mem::take(&mut self.current[frame.index()]);
            self.rows[frame.index()].2 += sum * sum;
        }
    }

    /// The variance is based on weights or, if that is larger, on this many blocks.
    fn sums(&self, blocks: Option<f64>) -> Vec<EstimatedSum> {
        let estimated = |&(sum, squares, block_squares): &(f64, f64, f64)| {
            let by_blocks = |n: f64| n / (n - 1.0) * (block_squares - sum * sum / n);
            EstimatedSum {
                value: sum,
                variance: squares.max(blocks.map_or(0.0, by_blocks)),
            }
        };
        self.rows.iter().map(estimated).collect()
    }
}

#[cfg(test)]
mod tests;
