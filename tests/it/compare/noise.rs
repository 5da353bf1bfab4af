//! Statistical properties of comparisons: false positives, false negatives and confidence intervals.

use crate::common::sample;
use dotspot::testing::analysis::scoped;
use dotspot::testing::analysis::{
    Estimate, Side, Sides, Verdict, beyond_chance, compare, compared_methods, is_slower,
};
use dotspot::testing::model::{
    NodeId, RawNode, RecordedNode, Recording, SampleKind, SampleLog, SampleTable, Scope, TimeRange,
    TreeForm, View, WeightedSample,
};
use std::sync::Arc;

/// Pseudorandom numbers with a fixed seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0.0..1.0`.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

const BLOCK_NS: u64 = 100_000_000;

/// A CPU sample: its block, its time in the block, its duration and its node.
struct Sample {
    block: u64,
    in_block_ns: u64,
    weight: u64,
    node: RecordedNode,
}

/// The samples of a recording's default metric.
fn samples(recording: &Recording) -> Vec<Sample> {
    let (table, metric) = (
        recording.samples.as_ref().unwrap(),
        recording.default_metric,
    );
    let mut samples = Vec::new();
    table.for_each_in(TimeRange::ALL, false, |sample| {
        let weight = sample.value * table.kinds[sample.kind as usize].factor(metric);
        if weight > 0 {
            let (block, in_block_ns) = (sample.start_ns / BLOCK_NS, sample.start_ns % BLOCK_NS);
            samples.push(Sample {
                block,
                in_block_ns,
                weight,
                node: sample.node,
            });
        }
    });
    samples
}

/// A recording of only these blocks, one after the other.
fn recombined(recording: &Arc<Recording>, samples: &[Sample], blocks: &[u64]) -> View {
    let metric = recording.default_metric;
    let kind = SampleKind {
        counts: vec![metric],
        is_sample: true,
        ..SampleKind::of_values(&[metric])
    };
    let mut log = SampleLog::new([kind]);
    log.add_lane(0);
    log.set_zero_ns(0);
    let place = |sample: &Sample| blocks.iter().position(|&block| block == sample.block);
    let mut of_blocks: Vec<(u64, &Sample)> = samples
        .iter()
        .filter_map(|sample| {
            Some((
                place(sample)? as u64 * BLOCK_NS + sample.in_block_ns,
                sample,
            ))
        })
        .collect();
    of_blocks.sort_by_key(|(time, _)| *time);
    // the last instant of the last block, without a sample
    let end_ns = blocks.len() as u64 * BLOCK_NS - 1;
    let rows = of_blocks.iter().map(|(time, sample)| {
        WeightedSample::new(*time, sample.weight, RawNode(sample.node.0), 0, 1)
    });
    let rows = rows
        .chain([WeightedSample::new(end_ns, 0, RawNode(0), 0, 1)])
        .collect();
    let log = log.with_samples(Vec::new(), rows);
    let stacks: Vec<RecordedNode> = of_blocks
        .iter()
        .map(|(_, sample)| sample.node)
        .chain([RecordedNode::ROOT])
        .collect();
    let table = SampleTable::new(&log, &stacks, None);
    let recording = Arc::new(Recording {
        samples: Ok(Arc::new(table)),
        repaired: None,
        ..Recording::clone(recording)
    });
    // the tree of a range is built from its samples
    let range = Some(TimeRange {
        from_ns: 0,
        to_ns: TimeRange::OPEN - 1,
    });
    scoped(
        &recording,
        &Scope {
            range,
            ..Scope::all(&recording)
        },
    )
    .unwrap()
}

#[test]
fn false_positives_are_rare() {
    let view = sample();
    let recording = Arc::clone(&view.recording);
    let samples = samples(&recording);
    let blocks = samples.iter().map(|sample| sample.block).max().unwrap() + 1;
    assert!(blocks > 60 && samples.len() > 3_000);
    let mut random = Random(7);
    let mut marked = 0;
    for _ in 0..60 {
        let mut order: Vec<u64> = (0..blocks).collect();
        (1..order.len())
            .rev()
            .for_each(|at| order.swap(at, (random.next() % (at as u64 + 1)) as usize));
        let (before, after) = order.split_at(order.len() / 2);
        let views = [before, after].map(|blocks| recombined(&recording, &samples, blocks));
        let [before, after] = views.each_ref().map(|view| {
            [Side {
                view,
                measure: view.recording.default_metric.into(),
                scale: 1.0,
            }]
        });
        let compared = compare(&before, &after, &[]).unwrap();
        let view = View::whole(&compared.recording, TreeForm::Original);
        let rows = compared_methods(&compared, &view, &[NodeId::ROOT]);
        assert!(rows.iter().any(|row| row.exclusive.z.is_some()));
        let is_marked = |row: &dotspot::testing::analysis::ComparedMethod| {
            [row.exclusive, row.inclusive]
                .iter()
                .any(|estimate| estimate.verdict == Verdict::Significant)
        };
        marked += usize::from(rows.iter().any(is_marked));
    }
    // 5% of 60 is 3, and 7 is 2.4 standard deviations above that
    assert!(marked <= 7, "{marked} of 60 splits mark a method");
}

/// Draws a sample count from a Poisson distribution.
fn poisson(random: &mut Random, mean: f64) -> u64 {
    // counts exponential steps until the mean is reached
    let (mut sum, mut count) = (0.0, 0);
    loop {
        sum -= (1.0 - random.fraction()).ln();
        if sum > mean {
            return count;
        }
        count += 1;
    }
}

/// The difference between two numbers of samples of 1 ms each.
fn difference(before: u64, after: u64) -> Estimate {
    let ms = 1_000_000;
    Estimate::sampled(
        Sides {
            before: before * ms,
            after: after * ms,
        },
        [ms as f64; 2],
        1.0,
        None,
    )
}

/// For a single method selected in advance, as with `--fail-if`.
#[test]
fn a_slowdown_of_a_fifth_is_detected_with_400_samples() {
    let mut random = Random(11);
    let found = |random: &mut Random, factor: f64| {
        let pairs = (0..2_000).map(|_| (poisson(random, 400.0), poisson(random, 400.0 * factor)));
        pairs
            .filter(|&(before, after)| difference(before, after).z.is_some_and(is_slower))
            .count()
    };
    // 80 / √880 is 2.70 standard errors; 85% of pairs are above 1.645
    let slower = found(&mut random, 1.2);
    assert!(slower >= 1_600, "{slower} of 2,000");
    let equal = found(&mut random, 1.0);
    assert!(equal <= 130, "{equal} of 2,000; about 100 expected");
}

/// The 95% intervals of a difference and a factor contain the true values for 95% of pairs. 5% of 4,000 is 200, with a
/// standard deviation of 14; the bounds allow for 4 of these.
#[test]
fn intervals_contain_the_true_value_for_19_of_20_pairs() {
    let mut random = Random(17);
    let (pairs, mean, factor) = (4_000, 300.0, 1.5);
    let (mut outside, mut outside_ratio) = (0, 0);
    for _ in 0..pairs {
        let found = difference(
            poisson(&mut random, mean),
            poisson(&mut random, mean * factor),
        );
        let off = found.sides.delta() as f64 / 1e6 - mean * (factor - 1.0);
        outside += u32::from(off.abs() > found.margin.unwrap() / 1e6);
        let [low, high] = found.ratio_interval.unwrap();
        outside_ratio += u32::from(!(low..=high).contains(&factor));
    }
    for missed in [outside, outside_ratio] {
        assert!((145..=255).contains(&missed), "{missed} of {pairs}");
    }
}

/// In a list of thirty methods, all differences are judged together, so the same slowdown needs more samples.
#[test]
fn a_slowdown_of_a_fifth_is_detected_in_a_list_with_1200_samples() {
    let mut random = Random(13);
    let pairs = 500;
    let found = (0..pairs).filter(|_| {
        let p = |before, after| difference(before, after).p.unwrap_or(1.0);
        let slower = p(poisson(&mut random, 1200.0), poisson(&mut random, 1440.0));
        let others = (1..30).map(|_| p(poisson(&mut random, 400.0), poisson(&mut random, 400.0)));
        let all: Vec<f64> = std::iter::once(slower).chain(others).collect();
        beyond_chance(&all)[0]
    });
    let found = found.count();
    assert!(found * 10 >= pairs * 8, "{found} of {pairs}");
}
