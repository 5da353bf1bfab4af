use super::*;

const CPU: MetricId = MetricId(0);
const WALL: MetricId = MetricId(1);
const SAMPLES: MetricId = MetricId(2);
const ALLOCATED: MetricId = MetricId(3);

/// What a sample contributes in a recording of the runtime: the metrics that get its duration or weight, those that
/// get 1, and those whose counts get 1.
#[track_caller]
fn check(kind: LogKind, values: &[MetricId], ones: &[MetricId], counts: &[MetricId]) {
    let metrics = Metrics {
        cpu: Some(CPU),
        wall: Some(WALL),
        samples: Some(SAMPLES),
        allocated: Some(ALLOCATED),
        ..Metrics::default()
    };
    let found = &kinds(&metrics)[kind as usize - 1];
    let values: Vec<_> = values.iter().map(|&metric| (metric, 1)).collect();
    assert_eq!(
        (&found.values[..], &found.ones[..], &found.counts[..]),
        (&values[..], ones, counts)
    );
    assert_eq!(
        found.is_sample,
        ones == [SAMPLES],
        "samples are what is counted as such"
    );
}

#[test]
fn samples_in_managed_code_count_as_running() {
    check(LogKind::Managed, &[WALL, CPU], &[SAMPLES], &[WALL, CPU]);
    check(LogKind::External, &[WALL], &[SAMPLES], &[WALL]);
}

#[test]
fn allocated_bytes_are_not_time() {
    check(LogKind::Allocated, &[ALLOCATED], &[], &[]);
    check(LogKind::Ignored, &[], &[], &[]);
}
