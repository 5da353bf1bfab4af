use super::*;

#[test]
fn words_are_parsed_with_their_marks() {
    let read = |text: &str| -> Vec<(How, String, bool)> {
        Query::parse(text)
            .terms
            .into_iter()
            .map(|term| (term.how, term.text, term.sensitive))
            .collect()
    };
    assert_eq!(read("eval"), [(How::Fuzzy, "eval".into(), false)]);
    assert_eq!(read("'eval"), [(How::Inside, "eval".into(), false)]);
    assert_eq!(read("^Eval"), [(How::Start, "Eval".into(), true)]);
    assert_eq!(read("async$"), [(How::End, "async".into(), false)]);
    assert_eq!(read("^eval$"), [(How::Whole, "eval".into(), false)]);
    assert_eq!(read("'eval$"), [(How::End, "eval".into(), false)]);
    assert_eq!(
        read(" price  'Ev "),
        [
            (How::Fuzzy, "price".into(), false),
            (How::Inside, "Ev".into(), true)
        ]
    );
    assert_eq!(read("' ^ $ ^$ "), []);
    assert_eq!(read("a$b"), [(How::Fuzzy, "a$b".into(), false)]);
}
