use super::*;
use crate::model::testing::profile_of;

#[test]
fn sums_alone_give_variances_from_counts() {
    // m: 3 samples, 9 ms with callees, including one of its own with 5 ms
    let view = profile_of("T;m 5|T;m;x 2|T;m;x 2|U;x 8");
    let spread = Spread::of(&view, view.recording.default_metric.into()).unwrap();
    let [m, x] = ["m", "x"].map(|name| view.frames.find(name)[0]);
    let ms = 1e6;
    assert_eq!(spread.basis, Basis::Counts);
    let variances = |frame: FrameId| [0, 1].map(|value| spread.sums[value][frame.index()].variance);
    assert_eq!(
        variances(m),
        [25.0, 27.0].map(|variance| variance * ms * ms)
    );
    assert_eq!(
        variances(x),
        [48.0, 48.0].map(|variance| variance * ms * ms)
    );
    // own and system: m and x are both user code
    let values = [
        ComparedValue::Exclusive,
        ComparedValue::Inclusive,
        ComparedValue::OwnAndSystem,
    ];
    let variance_per_unit = values.map(|value| spread.variance_per_unit(m, value));
    assert_eq!(variance_per_unit, [5.0 * ms, 3.0 * ms, 5.0 * ms]);
}

#[test]
fn blocks_reveal_correlated_samples() {
    // ten blocks with 4 samples of 1 each, ten without: by weights 40, by blocks 20 / 19 · (160 − 40² / 20)
    let mut blocks = FrameBlocks::new(1);
    for block in 0..20 {
        (0..4)
            .filter(|_| block < 10)
            .for_each(|_| blocks.add(FrameId(0), 1.0, 1.0));
        blocks.end_block();
    }
    assert_eq!(
        blocks.sums(None),
        [EstimatedSum {
            value: 40.0,
            variance: 40.0
        }]
    );
    let variance = blocks.sums(Some(20.0))[0].variance;
    assert!((variance - 20.0 / 19.0 * 80.0).abs() < 1e-9, "{variance}");
}
