use super::*;

#[track_caller]
fn check(attributes: &str, expect: &[(&str, &str)], is_damaged: bool) {
    let mut found = Attributes::new(attributes);
    let pairs: Vec<(String, String)> = found
        .by_ref()
        .map(|(name, value)| {
            (
                String::from_utf8_lossy(name).into(),
                String::from_utf8_lossy(value).into(),
            )
        })
        .collect();
    let expect: Vec<(String, String)> = expect
        .iter()
        .map(|&(name, value)| (name.into(), value.into()))
        .collect();
    assert_eq!(
        (pairs, found.is_damaged),
        (expect, is_damaged),
        "{attributes}"
    );
}

#[test]
fn attributes_are_split() {
    check("", &[], false);
    check("  ", &[], false);
    check(
        r#" a="1" b='2 "x"' "#,
        &[("a", "1"), ("b", "2 \"x\"")],
        false,
    );
    check(
        " a = \"1\"\n\tb=\"it's > &lt;\"/",
        &[("a", "1"), ("b", "it's > &lt;")],
        true,
    );
    check(r#" a="" b="größe""#, &[("a", ""), ("b", "größe")], false);
    check(r#" a="1" b=2 c="3""#, &[("a", "1")], true);
    check(r#" a="1" b"#, &[("a", "1")], true);
    check(r#" a="1" b="2"#, &[("a", "1")], true);
    check(r#"a"#, &[], true);
    check("=", &[], true);
    check(r#" a="1"b="2""#, &[("a", "1"), ("b", "2")], false);
}
