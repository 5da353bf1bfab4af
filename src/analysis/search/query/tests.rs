use super::*;

#[test]
fn words_are_parsed_with_their_marks() {
    let read = |text: &str| -> Vec<(TermKind, String, bool)> {
        terms(text)
            .into_iter()
            .map(|term| (term.kind, term.text, term.is_case_sensitive))
            .collect()
    };
    assert_eq!(read("eval"), [(TermKind::Fuzzy, "eval".into(), false)]);
    assert_eq!(read("'eval"), [(TermKind::Inside, "eval".into(), false)]);
    assert_eq!(read("^Eval"), [(TermKind::Start, "Eval".into(), true)]);
    assert_eq!(read("async$"), [(TermKind::End, "async".into(), false)]);
    assert_eq!(read("^eval$"), [(TermKind::Whole, "eval".into(), false)]);
    assert_eq!(read("'eval$"), [(TermKind::End, "eval".into(), false)]);
    assert_eq!(
        read(" price  'Ev "),
        [
            (TermKind::Fuzzy, "price".into(), false),
            (TermKind::Inside, "Ev".into(), true)
        ]
    );
    assert_eq!(read("' ^ $ ^$ "), []);
    assert_eq!(read("a$b"), [(TermKind::Fuzzy, "a$b".into(), false)]);
}
