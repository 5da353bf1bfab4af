use super::*;

/// The longest with ticks: 2^51 / 10 ns, which is 62 hours.
const LONGEST: u64 = 225_179_981_368_524;

/// `expect` is in nanoseconds, or in thousandths if those are the ticks.
#[track_caller]
fn check(total: u64, nodes: u64, events: &[(u64, bool)], decimals: u32, expect: &[u64]) {
    let mut instants = Instants::new(total, nodes);
    assert_eq!(
        instants.ticks_per_microsecond(),
        1_000 * 10u64.pow(decimals)
    );
    let found: Vec<u64> = events
        .iter()
        .map(|&(at, is_begin)| instants.next(at, is_begin))
        .collect();
    assert_eq!(found, expect);
}

#[test]
fn an_end_and_a_begin_at_one_time_are_a_tick_apart() {
    // a call without duration within another, then one that takes 5 ns
    let events = [
        (0, true),
        (0, true),
        (0, false),
        (0, true),
        (5, false),
        (5, false),
    ];
    check(5, 3, &events, 4, &[0, 0, 1, 2, 50_000, 50_000]);
    // two hours leave 2^51 / 7.2e12 = 312 ticks per nanosecond
    check(7_200_000_000_000, 3, &events, 2, &[0, 0, 1, 2, 500, 500]);
    // and for ten million nodes, ticks are fine enough for all of them at one time
    check(
        5,
        10_000_000,
        &events,
        11,
        &[0, 0, 1, 2, 500_000_000_000, 500_000_000_000],
    );
}

#[test]
fn ticks_do_not_accumulate() {
    let crowded: Vec<(u64, bool)> = (0..30)
        .map(|event| (0, event % 2 == 0))
        .chain([(9, true)])
        .collect();
    let expect: Vec<u64> = (0..30).chain([90]).collect();
    check(LONGEST, 15, &crowded, 1, &expect);
}

#[test]
fn long_recordings_fall_back_to_whole_nanoseconds() {
    let events = [
        (0, true),
        (0, false),
        (7, true),
        (LONGEST + 1, false),
        (LONGEST + 1, true),
    ];
    check(
        LONGEST + 1,
        2,
        &events,
        0,
        &[0, 0, 7, LONGEST + 1, LONGEST + 1],
    );
    let mut instants = Instants::new(i64::MAX as u64, u64::MAX);
    assert_eq!(instants.next(i64::MAX as u64, true), i64::MAX as u64);
}
