use super::*;

fn header(start_ticks: u64, ticks_per_second: u64) -> TraceHeader {
    let (process_id, processors, sample_nanoseconds) = (None, None, None);
    TraceHeader {
        started: String::new(),
        start_ticks,
        ticks_per_second,
        pointer_bytes: 8,
        process_id,
        processors,
        sample_nanoseconds,
    }
}

#[test]
fn times_are_rounded_so_that_sums_are_exact() {
    // a clock with 3 ticks per second: 0, 333,333,333.3 and 666,666,666.7 ns
    let clock = Clock::new(&header(6, 3), 6);
    assert_eq!(
        [6, 7, 8, 9].map(|ticks| clock.nanoseconds(ticks)),
        [0, 333_333_333, 666_666_667, 1_000_000_000]
    );
    assert_eq!(clock.duration(u64::MAX), u64::MAX);
    assert_eq!(clock.nanoseconds(0), 0, "before its start");
}

#[test]
fn zero_is_the_start_of_the_session() {
    // 100 ns per tick
    for (start, first_event, ticks, expect) in [
        (1000, 1003, 1010, 1000),
        (1000, 1003, 1003, 300),
        // unknown or wrong: the first event
        (0, 1003, 1010, 700),
        (2000, 1003, 1003, 0),
    ] {
        let clock = Clock::new(&header(start, 10_000_000), first_event);
        let found = clock.nanoseconds(ticks);
        assert_eq!(found, expect, "{start} {first_event} {ticks}");
    }
}
