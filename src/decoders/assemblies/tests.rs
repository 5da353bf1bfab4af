use super::*;

#[test]
fn only_lines_in_the_expected_form_are_accepted() {
    #[track_caller]
    fn check(line: &str, expect: Option<(Stage, &str, &str)>) {
        let message = error_in(line);
        let message = message
            .as_ref()
            .map(|(stage, error)| (*stage, error.message.as_str(), error.detail.as_str()));
        assert_eq!(message, expect);
    }
    check(
        r#"{"error":{"stage":"bind","message":"no","detail":"a\nb"}}"#,
        Some((Stage::Bind, "no", "a\nb")),
    );
    check(
        r#"{"error":{"stage":"walk","message":"no","more":1}}"#,
        Some((Stage::Walk, "no", "")),
    );
    check(
        r#"{"error":{"stage":"lunch","message":"no","detail":""}}"#,
        None,
    );
    check(r#"{"error":{"message":"no"}}"#, None);
    check(r#"{"error":{"stage":"walk","message":"no""#, None);
    check("Unhandled exception.", None);
    check("", None);
}
