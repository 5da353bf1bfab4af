use super::*;

#[test]
fn words_and_their_marks() {
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

#[track_caller]
fn check(earlier: &str, later: &str, expect: bool) {
    assert_eq!(
        Query::parse(later).narrows(&Query::parse(earlier)),
        expect,
        "{earlier} -> {later}"
    );
}

#[test]
fn typing_on_narrows() {
    check("", "p", true);
    check("p", "pr", true);
    check("pr", "p", false);
    check("pr", "prX", true);
    check("Pr", "Pri", true);
    check("Pr", "pri", false);
    check("pr", "xpr", false);
    check("pr", "pr$", true);
    check("pr$", "pri$", false);
    check("pr$", "pr$i", false);
    check("pr$", "^pr$", true);
    check("'pr", "'pri", true);
    check("'pr", "pri", false);
    check("^pr", "^pri", true);
    check("^pr", "'pri", false);
    check("pr", "pr ev", true);
    check("pr ev", "pr", false);
    check("pr ev", "pr eva", true);
    check("pr ev", "ev pr", false);
}
