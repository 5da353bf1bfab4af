use super::written;

#[test]
fn names_do_not_end_frames_or_lines() {
    for (name, expect) in [
        (
            "Acme!Acme.Shop.Sell(int32, bool)",
            "Acme!Acme.Shop.Sell(int32, bool)",
        ),
        ("a;b;c", "a:b:c"),
        ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
        ("foo 12", "foo 12"),
        (" foo ", "foo"),
        ("\u{3000}foo\u{a0}", "foo"),
        ("", "[No name]"),
        (" ", "[No name]"),
        ("#foo", "\\u{23}foo"),
        ("\u{1b}[2J\u{202e}\u{200b}", "\\u{1b}[2J\\u{202e}\\u{200b}"),
    ] {
        assert_eq!(written(name), expect, "{name:?}");
    }
}
