use super::*;

#[track_caller]
fn check(path: &str, expect: &[&str]) {
    let (mut frames, mut at) = (Vec::new(), 0);
    while let Some(next) = split_first(&path.as_bytes()[at..]) {
        frames.push(&path[at..at + next.len]);
        at += next.len + next.slash;
        if next.slash == 0 {
            assert_eq!(frames, expect, "{path}");
            return;
        }
    }
    panic!("{path}");
}

#[test]
fn call_stacks_are_split_at_slashes_outside_brackets() {
    check("A.B", &["A.B"]);
    check("A.B/C.D/E..ctor", &["A.B", "C.D", "E..ctor"]);
    check("A.B(X/Y)/C.D", &["A.B(X/Y)", "C.D"]);
    check("A.B[X/Y(/)]/C", &["A.B[X/Y(/)]", "C"]);
    check("A&lt;X/Y&gt;.B/C", &["A&lt;X/Y&gt;.B", "C"]);
    check("A<X/Y>.B/C", &["A<X/Y>.B", "C"]);
    check("A&#60;X/Y&#x3E;.B/C", &["A&#60;X/Y&#x3E;.B", "C"]);
    check("A&#47;B&#x2f;C", &["A", "B", "C"]);
    check("", &[""]);
    check("/", &["", ""]);
    check("A//B/", &["A", "", "B", ""]);
    check("A)/B", &["A)", "B"]);
    check("größe/値", &["größe", "値"]);
    check("a&b;/c", &["a&b;", "c"]);
}

#[test]
fn brackets_may_never_close() {
    for path in ["std.operator&lt;/B/C", "((/a"] {
        assert_eq!(split_first(path.as_bytes()), None);
    }
}

#[track_caller]
fn check_decode(raw: &str, expect: &str) {
    assert_eq!(decode(raw.as_bytes()), expect, "{raw}");
}

#[test]
fn only_references_are_decoded() {
    check_decode("plain", "plain");
    check_decode("&lt;&gt;c.&lt;Run&gt;b__0", "<>c.<Run>b__0");
    check_decode("&amp;lt;", "&lt;");
    check_decode("&quot;&apos;", "\"'");
    check_decode("&#65;&#x42;&#x1F642;&#27;[31m", "AB🙂\u{1b}[31m");
    check_decode("&#0000000000000000065;", "A");
    check_decode(
        "&evil;&#xD800;&#x110000;&#;&#x;&",
        "&evil;&#xD800;&#x110000;&#;&#x;&",
    );
    check_decode("&#99999999999999999999;", "&#99999999999999999999;");
    check_decode("a\tb\nc", "a b c");
}

#[test]
fn arguments_start_at_the_first_parenthesis_outside_other_brackets() {
    #[track_caller]
    fn check(name: &str, expect: Option<&str>) {
        assert_eq!(
            arguments_start(name).map(|at| &name[at..]),
            expect,
            "{name}"
        );
    }
    check("A.B", None);
    check("A.B()", Some("()"));
    check("A.B(Int32,A/B) : X", Some("(Int32,A/B) : X"));
    check("A<(B,C)>.D(E)", Some("(E)"));
    check("<>c.<Main>b__0(X)", Some("(X)"));
    check("A[(x)].B", None);
    check("(x)", None);
    check("label (words)", None);
}
