use super::*;

#[test]
fn helper_messages_are_split_into_parts() {
    #[track_caller]
    fn check(stage: Stage, message: &str, problem: &str, advice: &str) {
        assert_eq!(reworded(stage, message), (problem, advice));
    }
    let complete = "give the folder of a complete Rider or dotTrace";
    check(
        Stage::Bind,
        &format!("no type T; {complete}, perhaps"),
        "no type T",
        &format!("{complete}, perhaps"),
    );
    check(Stage::Bind, "no T", "no T", messages::GIVE_DOTTRACE_DIR);
    let endless = "it looks endless; --max-nodes raises the limit";
    let report = messages::REPORT_IF_DOTTRACE_READS_IT;
    check(Stage::Walk, endless, "it looks endless", report);
    check(Stage::Walk, "it breaks off", "it breaks off", "");
    let (problem, places) = without_places(
        "none of JetBrains' reading libraries (A.dll and others) was found in /opt/*, /home (no such folder)",
    );
    assert_eq!(
        problem,
        "none of JetBrains' reading libraries (A.dll and others) was found in 2 places"
    );
    assert_eq!(
        places,
        ["looked in /opt/*", "looked in /home (no such folder)"]
    );
}

#[test]
fn only_lines_of_the_agreed_form_are_accepted() {
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
