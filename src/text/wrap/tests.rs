use super::{wrap, wrap_indented};

#[test]
fn further_lines_are_indented() {
    for (text, width, expect) in [
        ("one two three", 30, &["one two three"][..]),
        ("  one two three", 12, &["  one two", "   three"]),
        (
            "  one  two   three four",
            16,
            &["  one two three", "    four"],
        ),
        (
            "    /opt/jetbrains/rider",
            16,
            &["    /opt/jetbrai", "    ns/rider"],
        ),
        ("", 5, &[""]),
        ("     a", 4, &[" a"]),
        ("a b", 0, &["a", "b"]),
    ] {
        assert_eq!(wrap_indented(text, width), expect, "{text:?} in {width}");
    }
}

#[test]
fn lines_break_at_blanks_and_long_words_anywhere() {
    for (text, width, expect) in [
        ("one two three", 7, &["one two", "three"][..]),
        ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
        ("値値値", 4, &["値値", "値"]),
        ("", 5, &[""]),
    ] {
        assert_eq!(wrap(text, width), expect, "{text:?} in {width}");
    }
}
