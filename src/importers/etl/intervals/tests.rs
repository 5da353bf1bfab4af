use super::*;

#[test]
fn an_interval_applies_until_the_next() {
    let mut intervals = Intervals::default();
    assert_eq!(
        (intervals.first_ns(), intervals.at_ns(5)),
        (DEFAULT_NS, DEFAULT_NS)
    );
    for (from, interval_ns) in [(10, 1000), (30, 3000), (20, 2000), (40, 0)] {
        intervals.add(from, interval_ns);
    }
    for (time, expect) in [
        (0, 1000),
        (10, 1000),
        (19, 1000),
        (20, 2000),
        (30, 3000),
        (99, 3000),
    ] {
        assert_eq!(intervals.at_ns(time), expect, "at {time}");
    }
    assert_eq!(intervals.first_ns(), 1000);
}
