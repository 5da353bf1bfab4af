use super::*;

#[test]
fn range_ends_are_times_or_shares() {
    for (text, expect) in [
        ("2s", Some(RangeEnd::At(2_000_000_000))),
        ("4.5s", Some(RangeEnd::At(4_500_000_000))),
        ("1500ms", Some(RangeEnd::At(1_500_000_000))),
        ("250us", Some(RangeEnd::At(250_000))),
        ("7ns", Some(RangeEnd::At(7))),
        ("1.5m", Some(RangeEnd::At(90_000_000_000))),
        ("0s", Some(RangeEnd::At(0))),
        ("25%", Some(RangeEnd::Percent(25.0))),
        ("101%", None),
        ("-1s", None),
        ("2", None),
        ("s", None),
        ("infs", None),
        ("", None),
    ] {
        assert_eq!(parse_range_end(text).ok(), expect, "{text}");
    }
}

#[test]
fn range_ends_are_separated_by_spaces_or_dots() {
    let second = |seconds: u64| Some(RangeEnd::At(seconds * 1_000_000_000));
    for (text, expect) in [
        ("1s 2s", Some((second(1), second(2)))),
        ("1s..2s", Some((second(1), second(2)))),
        ("1 2", Some((second(1), second(2)))),
        (
            " 1s .. 25%",
            Some((second(1), Some(RangeEnd::Percent(25.0)))),
        ),
        ("4s..", Some((second(4), None))),
        ("..4s", Some((None, second(4)))),
        ("..", None),
        ("1s", None),
        ("open hot path", None),
    ] {
        let found = parse_range(text).map(|range| (range.from, range.until));
        assert_eq!(found, expect, "{text}");
    }
}

#[test]
fn shares_refer_to_the_whole_recording() {
    assert_eq!(RangeEnd::Percent(25.0).at_ns(8_000), 2_000);
    assert_eq!(RangeEnd::Percent(100.0).at_ns(8_001), 8_001);
}
