use super::*;

#[test]
fn ticks_become_nanoseconds() {
    #[track_caller]
    fn check(ticks_per_second: u64, ticks: u64, ns: u64) {
        assert_eq!(Clock { ticks_per_second }.ns(ticks), ns);
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
