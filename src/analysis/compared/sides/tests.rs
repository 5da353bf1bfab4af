use super::*;

#[test]
fn values_derived_from_a_pair() {
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

/// In seconds with three decimals, half a millisecond is the smallest value that is not shown as 0.
#[test]
fn factors_use_the_displayed_values() {
    #[track_caller]
    fn check(before: u64, after: u64, expect: &str) {
        let sides = Sides { before, after };
        assert_eq!(sides.ratio_words(Scale::SECONDS), expect);
    }
    check(0, 0, "");
    check(0, 15_000_000, "new");
    check(15_000_000, 0, "gone");
    check(400_000, 15_400_000, ">×30");
    check(400_000, 1_000_000_000, ">×2,000");
    check(500_000, 15_400_000, "×30.80");
    check(500_000, 1_000_000_000, "×2,000");
    check(400_000, 400_000, "×1.00");
    check(15_400_000, 400_000, "×0.03");
}

#[test]
fn errors_of_samples() {
    // 400 samples of 1 against 484: √884 = 29.73, and 84 is 2.825 times that
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
    // none against 30, scaled from 300 in a recording ten times as long: 300 / 11 · (1 + 0.1) · 0.1 … as one rate
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
    // and 30, scaled from 3 in a recording a tenth as long: variance 3 / 1.1 · 11 · … = 30 as one rate, 300 unscaled
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
        Estimate::sampled(Sides::default(), [1.0; 2], 1.0, None).verdict,
        Verdict::MayBeChance
    );
}

/// 400 samples of 1 against 484, each side Poisson: 1.96 · √884 = 58.27. Fieller by hand, with 1.96² = 3.8415: 400² - 3.8415 · 400 =
/// 158,463.4, 400 · 484 = 193,600, √(3.8415 · (484² · 400 + 400² · 484) - 3.8415² · 400 · 484) = 25,584.9; so 168,015.1 and 219,184.9 by
/// 158,463.4.
#[test]
fn intervals_of_samples() {
    let of = |before, after, degrees_of_freedom| {
        let sides = Sides { before, after };
        Estimate::sampled(sides, [1.0; 2], 1.0, degrees_of_freedom)
    };
    let estimate = of(400, 484, None);
    assert!((estimate.margin.unwrap() - 58.274).abs() < 0.001);
    let [least, most] = estimate.ratio_interval.unwrap();
    assert!((least - 1.0603).abs() < 0.0001, "{least}");
    assert!((most - 1.3832).abs() < 0.0001, "{most}");
    // with errors estimated from few blocks, t with 10 degrees of freedom, 2.228, replaces 1.96
    let few = of(400, 484, Some(10.0));
    assert!((few.margin.unwrap() - 2.228 * 29.732).abs() < 0.3);
    // 3 may actually be 0, and 0 has no factor
    assert_eq!(of(3, 484, None).ratio_interval, None);
    assert_eq!(of(0, 484, None).ratio_interval, None);
    assert!((of(0, 484, None).margin.unwrap() - 1.96 * 22.0).abs() < 0.01);
    // a vanished value may be 0 afterwards
    assert_eq!(of(484, 0, None).ratio_interval.unwrap()[0], 0.0);
}
