use super::*;

#[test]
fn ticks_become_nanoseconds() {
    #[track_caller]
    fn check(ticks_per_second: u64, ticks: u64, ns: u64) {
        assert_eq!(Clock::new(0, ticks_per_second).duration_ns(ticks), ns);
    }
    check(1_000_000_000, 7, 7);
    check(10_000_000, 7, 700);
    check(3_000_000_000, 4, 1);
    check(3_000_000_000, 5, 2);
    check(3, 1, 333_333_333);
    check(3, 2, 666_666_667);
    check(1, u64::MAX, u64::MAX);
    check(7, u64::MAX, u64::MAX);
    check(u64::MAX, u64::MAX, 1_000_000_000);
}

#[test]
fn times_are_rounded_so_that_sums_are_exact() {
    // a clock with 3 ticks per second: 0, 333,333,333.3 and 666,666,666.7 ns
    let clock = Clock::new(6, 3);
    assert_eq!(
        [6, 7, 8, 9].map(|ticks| clock.time_ns(ticks)),
        [0, 333_333_333, 666_666_667, 1_000_000_000]
    );
    assert_eq!(clock.time_ns(0), 0, "before its start");
}
