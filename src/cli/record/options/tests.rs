use super::*;

#[track_caller]
fn check(text: &str, expect: Result<u64, &str>) {
    assert_eq!(
        duration(text),
        expect.map(Duration::from_millis).map_err(String::from)
    );
}

#[test]
fn durations_are_written_as_people_do() {
    check("10s", Ok(10_000));
    check("1.5s", Ok(1_500));
    check("500ms", Ok(500));
    check("2m", Ok(120_000));
    check("1h", Ok(3_600_000));
    check("3", Ok(3_000));
    check("0s", Err("a recording must be longer than 0 s"));
    check("ten", Err("a time is a number with ms, s, m or h"));
    check("1d", Err("a time is a number with ms, s, m or h"));
    check("999999999999999999999h", Err("that is too long"));
}
