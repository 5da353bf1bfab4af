use super::quoted;

#[test]
fn words_are_quoted_for_shells() {
    for (word, expect) in [
        ("plain-1.2/x", "plain-1.2/x"),
        ("List<T>.Add", "'List<T>.Add'"),
        ("it's", r"'it'\''s'"),
        ("a b", "'a b'"),
        ("", "''"),
        ("x\u{1b}[31m", "'x[31m'"),
    ] {
        assert_eq!(quoted(word), expect);
    }
}
