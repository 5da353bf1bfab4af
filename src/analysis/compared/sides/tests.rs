use super::*;

#[test]
fn what_follows_from_two_values() {
    #[track_caller]
    fn check(before: u64, after: u64, delta: i128, ratio: Option<f64>) {
        let sides = Sides { before, after };
        assert_eq!((sides.delta(), sides.ratio()), (delta, ratio));
    }
    check(4, 10, 6, Some(2.5));
    check(10, 4, -6, Some(0.4));
    check(0, 4, 4, None);
    check(4, 0, -4, Some(0.0));
    check(0, u64::MAX, u64::MAX.into(), None);
}

#[test]
fn errors_of_samples() {
    // 400 samples of 1 against 484: √884 = 29.73, and 84 is 2.825 of it
    let estimate = Estimate::sampled(
        Sides {
            before: 400,
            after: 484,
        },
        [1.0; 2],
        1.0,
        None,
    );
    assert!((estimate.standard_error.unwrap() - 29.732).abs() < 0.001);
    assert!((estimate.z.unwrap() - 2.8252).abs() < 0.0001);
    assert!((estimate.p.unwrap() - 0.004725).abs() < 0.00001);
    // none against 30 that were 300 in a recording of ten times the length: 300 / 11 · (1 + 0.1) · 0.1 … as one rate
    let scarce = Estimate::sampled(
        Sides {
            before: 0,
            after: 30,
        },
        [0.0, 0.1],
        0.1,
        None,
    );
    // rate 300 / 11 = 27.27, each sample 1: variance 27.27 · 1.1 = 30
    assert!(
        (scarce.z.unwrap() - 30.0 / 30f64.sqrt()).abs() < 1e-9,
        "{scarce:?}"
    );
    // and 30 that were 3 in a recording of a tenth of the length: variance 3 / 1.1 · 11 · … = 30 as one rate, 300 as they are
    let multiplied = Estimate::sampled(
        Sides {
            before: 0,
            after: 30,
        },
        [0.0, 10.0],
        10.0,
        None,
    );
    assert!(
        (multiplied.z.unwrap() - 30.0 / 300f64.sqrt()).abs() < 1e-9,
        "{multiplied:?}"
    );
    assert_eq!(
        Estimate::sampled(Sides::default(), [1.0; 2], 1.0, None).chance,
        Chance::Within
    );
}
