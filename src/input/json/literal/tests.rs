use super::*;

#[test]
fn literals_match_only_at_the_start() {
    let key = Literal::key("kind");
    assert_eq!(key.len(), br#""kind":"#.len());
    assert!(key.starts(br#""kind":"method","more":1"#));
    for other in [
        r#" "kind":"method","more":1"#,
        r#""kinds":"method","more""#,
        r#""kind" :"method","more""#,
    ] {
        assert!(!key.starts(other.as_bytes()), "{other}");
    }
    assert!(!key.starts(br#""kind":"#), "there may be more to come");
    let text = br#""inclusive_time":5"#;
    assert!(Literal::key("inclusive_time").starts(text));
    assert!(!Literal::key("exclusive_time").starts(text));
    assert!(Literal::string("method").starts(br#""method","inclusive":5"#));
    assert!(!Literal::string("method").starts(br#""methods","inclusive":5"#));
    for at in 0..17 {
        let mut changed = *text;
        changed[at] ^= 1;
        assert!(!Literal::key("inclusive_time").starts(&changed), "{at}");
    }
}
