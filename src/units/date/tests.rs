use super::*;

#[test]
fn milliseconds_are_times() {
    for text in [
        "1970-01-01T00:00:00.000Z",
        "2000-02-29T23:59:59.500Z",
        "2026-11-21T09:23:48.367Z",
    ] {
        assert_eq!(unix_ms(text).map(unix_time).as_deref(), Some(text));
    }
}

/// The output of `date -u -d TEXT +%s`, and the milliseconds.
#[test]
fn times_are_milliseconds() {
    for (text, expect) in [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("2000-02-29T23:59:59.5Z", None),
        ("2000-02-29T23:59:59.500Z", Some(951_868_799_500)),
        ("2000-03-01T00:00:00.0000001Z", Some(951_868_800_000)),
        ("2024-12-31T23:59:59.999Z", Some(1_735_689_599_999)),
        ("2026-11-21T09:23:48.367Z", Some(1_795_253_028_367)),
        ("1969-12-31T23:59:59Z", None),
        ("2024-13-01T00:00:00Z", None),
        ("2024-01-00T00:00:00Z", None),
        ("99999-01-01T00:00:00Z", None),
        ("2024-01-01", None),
        ("Sat Nov 21 2026", None),
        ("", None),
    ] {
        assert_eq!(unix_ms(text), expect, "{text}");
    }
}
