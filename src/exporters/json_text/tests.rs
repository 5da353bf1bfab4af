use super::*;

#[track_caller]
fn check(write: impl Fn(&mut JsonText<Vec<u8>>), expect: &str) {
    let mut out = Vec::new();
    let mut text = JsonText::new(&mut out);
    write(&mut text);
    text.finish().unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), expect);
}

#[test]
fn whole_numbers() {
    for number in [
        0,
        1,
        9,
        10,
        99,
        100,
        101,
        999,
        1000,
        12_345,
        1_000_000,
        u64::MAX / 10,
        u64::MAX,
    ] {
        check(|text| text.number(number), &number.to_string());
        check(|text| text.hex(number), &format!("{number:x}"));
        check(|text| text.value(Unit::Bytes, number), &number.to_string());
    }
    for bit in 0..64 {
        for number in [1 << bit, (1 << bit) - 1] {
            check(|text| text.number(number), &number.to_string());
            check(|text| text.hex(number), &format!("{number:x}"));
        }
    }
}

#[test]
fn milliseconds_are_the_shortest_exact_decimals() {
    for (nanoseconds, expect) in [
        (0, "0"),
        (1, "0.000001"),
        (10, "0.00001"),
        (999_999, "0.999999"),
        (1_000_000, "1"),
        (1_500_000, "1.5"),
        (33_300_000, "33.3"),
        (12_000_345, "12.000345"),
        (100_000_000_000, "100000"),
        (9_007_199_254_740_993, "9007199254.740993"),
        (u64::MAX, "18446744073709.551615"),
    ] {
        check(|text| text.value(Unit::Milliseconds, nanoseconds), expect);
    }
}

#[test]
fn parts_are_exact() {
    for (nanoseconds, expect) in [
        (0, "0"),
        (1, "0.001"),
        (10, "0.01"),
        (1_500, "1.5"),
        (u64::MAX, "18446744073709551.615"),
    ] {
        check(|text| text.parts(nanoseconds, 1_000), expect);
    }
}

#[test]
fn strings_are_safe_in_a_terminal() {
    check(|text| text.string("a\"b\\c/ä値😀"), r#""a\"b\\c/ä値😀""#);
    check(
        |text| text.string("\u{1b}[2J\n\t\0"),
        r#""\u001b[2J\u000a\u0009\u0000""#,
    );
    check(
        |text| text.string("\u{7f}\u{80}\u{9b}\u{9f}\u{a0}"),
        "\"\\u007f\\u0080\\u009b\\u009f\u{a0}\"",
    );
    check(
        |text| text.string("\u{2028}\u{2029}\u{202e}\u{2066}\u{200b}"),
        r#""\u2028\u2029\u202e\u2066\u200b""#,
    );
    check(|text| text.string("\u{e0041}"), r#""\udb40\udc41""#);
}
