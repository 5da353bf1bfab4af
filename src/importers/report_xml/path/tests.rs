use super::*;

/// The frames of a call stack, by both methods if both apply.
#[track_caller]
fn check(path: &str, expect: &[&str]) {
    let pieces = |cuts: &[FirstFrame]| -> Vec<&str> {
        let mut at = 0;
        let piece = |frame: &FirstFrame| {
            let piece = &path[at..at + frame.len];
            at += frame.len + frame.slash;
            piece
        };
        cuts.iter().map(piece).collect()
    };
    let open = split_unclosed(path.as_bytes());
    assert_eq!(pieces(&open), expect, "{path}");
    let (mut one_by_one, mut at) = (Vec::new(), 0);
    while let Some(next) = split_first(&path.as_bytes()[at..]) {
        at += next.len + next.slash;
        one_by_one.push(next);
        if next.slash == 0 {
            assert_eq!(one_by_one, open, "{path}");
            return;
        }
    }
    assert!(path.contains(['(', '[', '<', '&']), "{path}");
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
fn brackets_that_never_close_are_names() {
    check("std.operator&lt;/B/C", &["std.operator&lt;", "B", "C"]);
    check("A(/B(x/y)/C[", &["A(", "B(x/y)", "C["]);
    check("((/a", &["((", "a"]);
    check("(a/b)/(c/d", &["(a/b)", "(c", "d"]);
}

#[track_caller]
fn check_decode(raw: &str, expect: &str, unknown: u64) {
    let (text, found) = decode(raw.as_bytes());
    assert_eq!((&*text, found), (expect, unknown), "{raw}");
}

#[test]
fn only_references_are_decoded() {
    check_decode("plain", "plain", 0);
    check_decode("&lt;&gt;c.&lt;Run&gt;b__0", "<>c.<Run>b__0", 0);
    check_decode("&amp;lt;", "&lt;", 0);
    check_decode("&quot;&apos;", "\"'", 0);
    check_decode("&#65;&#x42;&#x1F642;&#27;[31m", "AB🙂\u{1b}[31m", 0);
    check_decode("&#0000000000000000065;", "A", 0);
    check_decode(
        "&evil;&#xD800;&#x110000;&#;&#x;&",
        "&evil;&#xD800;&#x110000;&#;&#x;&",
        6,
    );
    check_decode("&#99999999999999999999;", "&#99999999999999999999;", 1);
    check_decode("a\tb\nc", "a b c", 0);
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
