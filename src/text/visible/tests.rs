use super::{shortened, visible};

#[track_caller]
fn check(input: &str, expect: &str) {
    assert_eq!(visible(input), expect);
}

#[test]
fn hostile_characters_are_written_out() {
    check("Acme.Run", "Acme.Run");
    check("a\u{1b}[31mred", "a\\u{1b}[31mred");
    check("csi \u{9b}2J", "csi \\u{9b}2J");
    check("line\nbreak\ttab", "line\\u{a}break\\u{9}tab");
    check("abc\u{202e}cba", "abc\\u{202e}cba");
    check("zero\u{200b}width", "zero\\u{200b}width");
    check("Größe 値 🙂", "Größe 値 🙂");
}

#[test]
fn long_texts_are_shortened_to_whole_characters() {
    assert_eq!(shortened("é".repeat(4).as_str(), 3), "ééé…");
    assert_eq!(shortened("ééé", 3), "ééé");
    assert_eq!(shortened("one two", 4), "one…");
}
