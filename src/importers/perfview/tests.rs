use super::*;

#[test]
fn stacks_are_recognized_by_the_root_element() {
    #[track_caller]
    fn check(text: &str, name: &str, expect: Option<Confidence>) {
        assert_eq!(
            sniff(&Head {
                bytes: text.as_bytes(),
                name
            }),
            expect,
            "{text}"
        );
    }
    let (sure, likely) = (Some(Confidence::Certain), Some(Confidence::Likely));
    check(
        "\u{feff}<?xml version=\"1.0\"?>\r\n<StackWindow>\r\n <StackSource>\r\n  <Frames Count=\"1\">",
        "",
        sure,
    );
    check("<StackSource><Samples>", "", sure);
    check("<!-- by hand --><StackWindow>", "", likely);
    check("<StackWindows>", "", None);
    check("<Report><StackWindow>", "a.perfView.xml", None);
    check(
        r#"{"StackSource":{"Samples":[{"Time":1,"Stack":["#,
        "",
        likely,
    );
    check(r#"{"$schema":"x","StackSource":{}}"#, "", likely);
    check(r#"{"other":1}"#, "a.perfView.json", Some(Confidence::Name));
    check(r#"{"other":{"StackSource":1}}"#, "a.json", None);
    check("", "a.perfView.xml", None);
}
