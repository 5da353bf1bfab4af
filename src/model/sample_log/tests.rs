use super::*;
use crate::model::{MetricId, NodeSums, RecordedNode, SampleTable, TimeRange};

const RAN: u8 = 1;
const WAITED: u8 = 2;

/// Samples of one lane as (time, kind), each at the node with its index; then their durations.
#[track_caller]
fn check(samples: &[(u64, u8)], expect: &[(u32, u64, u8)]) {
    let kinds = [
        SampleKind::of_values(&[MetricId(0)]),
        SampleKind::of_values(&[MetricId(1)]),
    ];
    let mut log = SampleLog::new(kinds);
    let lane = log.add_lane(0);
    samples
        .iter()
        .zip(0..)
        .for_each(|(&(time, kind), node)| log.push(lane, time, RawNode(node), kind));
    let mut found = Vec::new();
    log.for_each_interval(|row, sample, end_ns| {
        found.push((row, end_ns - sample.time_ns, sample.kind()))
    });
    assert_eq!(found, expect);
}

#[test]
fn a_sample_lasts_until_the_next() {
    check(
        &[(1000, RAN), (2000, RAN), (2500, RAN)],
        &[(0, 1000, RAN), (1, 500, RAN), (2, 0, RAN)],
    );
    check(
        &[(0, WAITED), (1000, RAN), (1500, WAITED), (1600, WAITED)],
        &[
            (0, 1000, WAITED),
            (1, 500, RAN),
            (2, 100, WAITED),
            (3, 0, WAITED),
        ],
    );
    check(
        &[(1000, RAN), (1400, SampleLog::PAUSE), (2000, RAN)],
        &[(0, 400, RAN), (2, 0, RAN)],
    );
}

#[test]
fn one_sample_has_no_time() {
    check(&[(1000, RAN)], &[(0, 0, RAN)]);
    check(&[], &[]);
}

#[test]
fn lanes_are_independent_and_stored_one_after_another() {
    let mut log = SampleLog::new([SampleKind::of_values(&[MetricId(0)])]);
    log.add_lanes(2);
    for (lane, time, node) in [(0, 10, 1), (1, 11, 2), (0, 15, 3), (1, 21, 4)] {
        log.push(lane, time, RawNode(node), RAN);
    }
    log.set_end_ns(1, 25);
    let stacks = [1, 2, 3, 4].map(RecordedNode);
    let table = SampleTable::new(&log, &stacks, None);
    assert_eq!((table.len(), table.span_ns, table.lanes.len()), (4, 15, 2));
    // 8 bytes for the time, 4 for the node and 1 for the kind
    assert_eq!(table.size_bytes(), 4 * 13);
    let sums = |from_ns, to_ns| {
        let mut found = Vec::new();
        let sums: NodeSums = table.sums(TimeRange { from_ns, to_ns }, false, 5);
        sums.for_each(&table.kinds, |node, _, value, _| found.push((node, value)));
        found
    };
    assert_eq!(sums(0, TimeRange::OPEN), [(1, 5), (2, 10), (3, 0), (4, 4)]);
    assert_eq!(sums(3, 12), [(1, 2), (2, 8), (3, 0), (4, 1)]);
}

/// Two lanes and kinds, a row that contributes nothing, and one of an unknown lane.
#[test]
fn the_table_is_sorted_by_time() {
    let kinds = [SampleKind::of_values(&[MetricId(0)]), SampleKind::default()];
    let mut log = SampleLog::new(kinds);
    log.add_lanes(2);
    log.set_zero_ns(0);
    let intervals = [(30, 1, 0), (10, 2, 1), (20, 3, 0), (20, 4, 0)];
    let weighted = [
        (9, 5, 1, RAN),
        (8, 6, 1, WAITED),
        (7, 7, 1, RAN),
        (6, 8, 5, RAN),
    ];
    let log = log.with_samples(
        intervals
            .map(|(time, node, lane)| IntervalSample::new(time, RawNode(node), lane, RAN))
            .to_vec(),
        weighted
            .map(|(time, node, lane, kind)| {
                WeightedSample::new(time, time * 100, RawNode(node), lane, kind)
            })
            .to_vec(),
    );
    let stacks = [1, 2, 3, 4, 5, 6, 7, 8].map(RecordedNode);
    let repaired = stacks.map(|node| RecordedNode(node.0 + 10));
    let table = SampleTable::new(&log, &stacks, Some(&repaired));
    for (is_repaired, above) in [(false, 0), (true, 10)] {
        let mut found = Vec::new();
        table.for_each_in(TimeRange::ALL, is_repaired, |part| {
            found.push((part.start_ns, part.node.0 - above, part.value));
        });
        let intervals = [(20, 3, 0), (20, 4, 10), (30, 1, 0), (10, 2, 0)];
        let weighted = [(7, 7, 700), (9, 5, 900), (6, 8, 600)];
        assert_eq!(found, [&intervals[..], &weighted[..]].concat());
    }
    assert_eq!((table.len(), table.lanes.len(), table.span_ns), (7, 4, 30));
}

#[test]
fn no_sample_starts_before_zero() {
    let mut log = SampleLog::new([SampleKind::of_values(&[MetricId(0)])]);
    log.add_lanes(1);
    [5, 9]
        .iter()
        .for_each(|&time| log.push(0, time, RawNode(1), RAN));
    assert_eq!(log.zero_ns(), 5, "the first sample");
    log.set_zero_ns(2);
    assert_eq!(log.zero_ns(), 2, "the start of the session");
    log.set_zero_ns(7);
    assert_eq!(
        log.zero_ns(),
        5,
        "a start that is later than a sample is none"
    );
}

#[test]
fn weighted_samples_are_sorted_by_time_among_interval_samples() {
    let mut log = SampleLog::new([SampleKind::of_values(&[MetricId(0)])]);
    log.add_lanes(1);
    let intervals = [3, 5, 8]
        .map(|time| IntervalSample::new(time, RawNode(1), 0, RAN))
        .to_vec();
    let weighted = [2, 5, 9]
        .map(|time| WeightedSample::new(time, 7, RawNode(2), 0, RAN))
        .to_vec();
    let log = log.with_samples(intervals, weighted);
    let times: Vec<(u64, u64)> = log
        .rows_in_order()
        .map(|row| match log.interval_at(row) {
            Some(sample) => (sample.time_ns, 0),
            None => (log.weighted[row as usize - 3].time_ns, 7),
        })
        .collect();
    assert_eq!(times, [(2, 7), (3, 0), (5, 0), (5, 7), (8, 0), (9, 7)]);
}

#[test]
fn samples_are_small() {
    assert_eq!(
        (size_of::<IntervalSample>(), size_of::<WeightedSample>()),
        (16, 32)
    );
    let sample = IntervalSample::new(1, RawNode(2), usize::MAX, 15);
    assert_eq!((sample.lane(), sample.kind()), ((1 << 28) - 1, 15));
}
