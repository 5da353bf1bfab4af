use super::*;

#[test]
fn numbers_have_commas() {
    for (number, expect) in [
        (0, "0"),
        (999, "999"),
        (1000, "1,000"),
        (38412, "38,412"),
        (1_234_567, "1,234,567"),
    ] {
        assert_eq!(thousands(number), expect);
    }
}

#[test]
fn things_are_counted_in_english() {
    for (number, expect) in [
        (0, "0 samples"),
        (1, "1 sample"),
        (2, "2 samples"),
        (2345, "2,345 samples"),
    ] {
        assert_eq!(counted(number, "sample"), expect);
    }
}

#[test]
fn sizes_have_units() {
    let cases = [
        (0, "0 B"),
        (999, "999 B"),
        (5234, "5.2 kB"),
        (999_960, "1.0 MB"),
        (337_000_000, "337.0 MB"),
    ];
    for (bytes, expect) in cases {
        assert_eq!(size(bytes), expect);
    }
}

#[test]
fn elapsed_time_is_in_seconds() {
    for (ms, expect) in [
        (0, "0 s"),
        (999, "0 s"),
        (59_999, "59 s"),
        (60_000, "1 min 00 s"),
        (605_300, "10 min 05 s"),
    ] {
        assert_eq!(elapsed(ms), expect);
    }
}

#[test]
fn differences_have_a_sign() {
    let signed = |delta| Scale::MILLISECONDS.signed(delta);
    let shown = [4_766_469_000, -1_000_000, 49_999, -49_999, 0, i128::MAX].map(signed);
    assert_eq!(shown[..5], ["+4,766.5", "-1.0", "0.0", "0.0", "0.0"]);
    assert_eq!(shown[5], "+18,446,744,073,709.6");
    assert_eq!(
        [0.15, 3.947, 1234.5].map(factor),
        ["×0.15", "×3.95", "×1,235"]
    );
}

#[test]
fn times_have_one_unit_on_a_screen() {
    let ms = Scale::for_values(Unit::Milliseconds, 5_208_643_000);
    assert_eq!(ms.with_unit(5_208_643_000), "5,208.6 ms");
    assert_eq!(ms.with_unit(50_000), "0.1 ms");
    assert_eq!(ms.with_unit(49_999), "0.0 ms");
    let s = Scale::for_values(Unit::Milliseconds, 71_877_142_000);
    assert_eq!(s.with_unit(71_877_142_000), "71.877 s");
    assert_eq!(s.number(u64::MAX), "18,446,744,073.710");
    let us = Scale::for_values(Unit::Milliseconds, 999_999);
    assert_eq!(
        [
            us.with_unit(999_949),
            us.with_unit(14_000),
            us.with_unit(49)
        ],
        ["999.9 µs", "14.0 µs", "0.0 µs"]
    );
    assert_eq!(
        Scale::for_values(Unit::Milliseconds, 1_000_000).with_unit(14_000),
        "0.0 ms"
    );
    assert_eq!(
        Scale::for_values(Unit::Milliseconds, 0).with_unit(0),
        "0.0 ms"
    );
    let average = |ns| Scale::for_average(Unit::Milliseconds, ns).with_unit(ns);
    assert_eq!(
        [average(349), average(9_999_949), average(10_000_000)],
        ["349 ns", "9,999.9 µs", "10.0 ms"]
    );
    assert_eq!(
        Scale::for_averages(Unit::Milliseconds).with_unit(5_208_643_000),
        "5,208,643.000 µs"
    );
    assert_eq!(Scale::for_values(Unit::Count, 7).with_unit(1234), "1,234");
    assert_eq!(
        Scale::for_values(Unit::Bytes, 20_000).with_unit(12_345),
        "12.3 kB"
    );
}

#[test]
fn intervals_have_two_digits() {
    #[track_caller]
    fn check(scale: Scale, stored: f64, expect: &str) {
        assert_eq!(scale.margin(stored), expect);
    }
    check(Scale::SECONDS, 291_400_000.0, "±0.29");
    check(Scale::SECONDS, 41_000_000.0, "±0.041");
    check(Scale::SECONDS, 400_000.0, "±0.000");
    check(Scale::SECONDS, 1_240_000_000.0, "±1.2");
    check(Scale::MILLISECONDS, 1_234_567_000.0, "±1,235");
    check(Scale::MILLISECONDS, 0.0, "±0.0");
    check(Scale::for_values(Unit::Count, 7), 58.27, "±58");
    assert_eq!(factors([3.606, 4.318]), "3.61–4.32");
    assert_eq!(factors([8.04, 16.26]), "8.04–16.3");
    assert_eq!(factors([80.4, 160.6]), "80.4–161");
    assert_eq!(factors([0.003, 12.0]), "0.003–12.0");
    assert_eq!(factors([0.0, 0.012]), "0.00–0.01");
    assert_eq!(factors([999.4, 12_345.6]), "999–12,346");
}
