use super::*;

#[track_caller]
fn check<'a>(
    line: &'a str,
    comm: &str,
    pid: impl Into<Option<u32>>,
    tid: u32,
    period: impl Into<Option<u64>>,
    event: &str,
) -> SampleHeader<'a> {
    let header = SampleHeader::parse(line).unwrap_or_else(|| panic!("no header: {line}"));
    let found = (
        header.comm,
        header.pid,
        header.tid,
        header.period,
        header.event,
    );
    assert_eq!(
        found,
        (comm, pid.into(), tid, period.into(), event),
        "{line}"
    );
    header
}

#[test]
fn headers_are_recognized_in_every_form() {
    check(
        "dotnet 12604  2812.202391:    2004008 cpu-clock: ",
        "dotnet",
        None,
        12604,
        2_004_008,
        "cpu-clock",
    );
    check(
        "dotnet 12596/12604  2812.202391:    2004008 cpu-clock:u: ",
        "dotnet",
        12596,
        12604,
        2_004_008,
        "cpu-clock:u",
    );
    check(
        "dotnet 12596/12604 [003]  2812.202391: cycles:ppp: ",
        "dotnet",
        12596,
        12604,
        None,
        "cycles:ppp",
    );
    check(
        "dotnet 12596/12604 [003] U  2812.202391: 5 cycles: ",
        "dotnet",
        12596,
        12604,
        5,
        "cycles",
    );
    check(
        ".NET ThreadPool 9 1.5: 7 cycles: ",
        ".NET ThreadPool",
        None,
        9,
        7,
        "cycles",
    );
    check(
        "thread 5 12/13 1.5: 7 cycles: ",
        "thread 5",
        12,
        13,
        7,
        "cycles",
    );
    check(
        "thread 5 of 6 12 [001] 1.5: 7 cycles: ",
        "thread 5 of 6",
        None,
        12,
        7,
        "cycles",
    );
    check(
        " swapper     0 [000] 1.000001: 1 cycles: ",
        "swapper",
        None,
        0,
        1,
        "cycles",
    );
    check(
        ":-1 -1/-1 1.5: 7 cycles: ",
        ":-1",
        u32::MAX,
        u32::MAX,
        7,
        "cycles",
    );
    check(
        "a 12 1.123456789: cpu/mem-loads,ldlat=30/P: ",
        "a",
        None,
        12,
        None,
        "cpu/mem-loads,ldlat=30/P",
    );
    let header = check(
        "a 12 [001] 1.5: sched:sched_switch: prev_comm=a 5 ==> b",
        "a",
        None,
        12,
        None,
        "sched:sched_switch",
    );
    assert_eq!(header.rest, "prev_comm=a 5 ==> b");
    let header = check(
        "a 12 1.5: 7 cycles:  7f00 main (/bin/a)",
        "a",
        None,
        12,
        7,
        "cycles",
    );
    assert_eq!(header.rest, "7f00 main (/bin/a)");
    // omitted fields
    check("a 12/13 7 cycles: ", "a", 12, 13, 7, "cycles");
    check("a 12 [001] cycles: ", "a", None, 12, None, "cycles");
    check("a 12 1.5: ", "a", None, 12, None, "");
    check("a 12 1.5: 7", "a", None, 12, 7, "");
}

#[test]
fn other_lines_are_not_headers() {
    for line in [
        "",
        "a",
        "a b c",
        "12",
        "12 13",
        "a 12",
        "1.5: 7 cycles:",
        "12 1.5: cycles:",
        "a 1.5: cycles:",
        "a;b 12",
        "99999999999 99999999999 cycles",
        "\u{e9} \u{e9}",
    ] {
        assert_eq!(SampleHeader::parse(line), None, "{line}");
    }
}
