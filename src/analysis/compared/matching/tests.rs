use super::*;

/// `before = after` for methods matched under different names, ` + ` between merged ones, then the unmatched methods.
#[track_caller]
fn check(before: &[&str], after: &[&str], is_one_format: bool, expect: &[&str]) {
    let table = |names: &[&str]| {
        let mut frames = Frames::default();
        names.iter().for_each(|name| {
            frames.intern(FrameKind::Method, name, "");
        });
        frames
    };
    let (before, after) = (table(before), table(after));
    let mut union = FrameUnion::default();
    let first = union.add(&before, |_| true, str::to_string, is_one_format);
    let second = union.add(&after, |_| true, str::to_string, is_one_format);
    let mut rows: std::collections::BTreeMap<FrameId, [Vec<&str>; 2]> = Default::default();
    for (at, frames, places) in [(0, &before, &first), (1, &after, &second)] {
        for (id, _) in frames.iter() {
            rows.entry(union.resolve(places[id.index()])).or_default()[at].push(frames.name(id));
        }
    }
    let described: Vec<String> = rows
        .values()
        .map(|[a, b]| format!("{} = {}", a.join(" + "), b.join(" + ")))
        .collect();
    assert_eq!(described, expect);
}

#[test]
fn names_match_without_what_changes_from_build_to_build() {
    check(
        &["M!A.B.C(int32)"],
        &["M!A.B.C(int32)"],
        true,
        &["M!A.B.C(int32) = M!A.B.C(int32)"],
    );
    check(
        &[
            "M!A.B+<>c__DisplayClass1_0.<Run>b__0()",
            "M!A.B+<>c__DisplayClass1_0.<Run>b__1()",
        ],
        &[
            "M!A.B+<>c__DisplayClass9_0.<Run>b__2()",
            "M!A.B+<>c__DisplayClass9_0.<Run>b__10()",
        ],
        true,
        &[
            "M!A.B+<>c__DisplayClass1_0.<Run>b__0() = M!A.B+<>c__DisplayClass9_0.<Run>b__2()",
            "M!A.B+<>c__DisplayClass1_0.<Run>b__1() = M!A.B+<>c__DisplayClass9_0.<Run>b__10()",
        ],
    );
    // two against three: it is unknown which belong together
    check(
        &["M!A.B+<>c.<Run>b__1_0()", "M!A.B+<>c.<Run>b__1_1()"],
        &[
            "M!A.B+<>c.<Run>b__2_0()",
            "M!A.B+<>c.<Run>b__2_1()",
            "M!A.B+<>c.<Run>b__2_2()",
        ],
        true,
        &[
            "M!A.B+<>c.<Run>b__1_0() + M!A.B+<>c.<Run>b__1_1() = M!A.B+<>c.<Run>b__2_0() + M!A.B+<>c.<Run>b__2_1() + M!A.B+<>c.<Run>b__2_2()",
        ],
    );
    // overloads are different methods
    check(
        &["M!A.B.C(int32)"],
        &["M!A.B.C(char)"],
        true,
        &["M!A.B.C(int32) = ", " = M!A.B.C(char)"],
    );
    check(
        &["M!A.B.C(int32)"],
        &["N!A.B.C(int32)"],
        true,
        &["M!A.B.C(int32) = ", " = N!A.B.C(int32)"],
    );
}

#[test]
fn parts_count_only_where_both_sides_have_them() {
    check(
        &["M!A.B.C"],
        &["A.B.C(int32)"],
        true,
        &["M!A.B.C = A.B.C(int32)"],
    );
    check(
        &["A.B.C(int32)"],
        &["M!A.B.C(int32)"],
        true,
        &["A.B.C(int32) = M!A.B.C(int32)"],
    );
    check(
        &["M!A.B.C"],
        &["M!A.B.C(int32)"],
        true,
        &["M!A.B.C = M!A.B.C(int32)"],
    );
    check(
        &["M!A.B.C"],
        &["M!A.B.C(int32)", "M!A.B.C(char)"],
        true,
        &["M!A.B.C = M!A.B.C(int32) + M!A.B.C(char)"],
    );
    check(
        &["M!A.B.C(char)"],
        &["A.B.C(int32)"],
        false,
        &["M!A.B.C(char) = A.B.C(int32)"],
    );
}

#[test]
fn moved_code_keeps_its_rows() {
    #[track_caller]
    fn check(old: &str, new: &str, name: &str, expect: &str) {
        assert_eq!(
            Rename {
                old: old.into(),
                new: new.into()
            }
            .apply(name),
            expect
        );
    }
    check(
        "Acme.Old",
        "Acme.New",
        "Acme!Acme.Old.Book.Match(Acme.Old.Line)",
        "Acme!Acme.New.Book.Match(Acme.New.Line)",
    );
    check(
        "Book.Match",
        "Desk.Pair",
        "Acme!Acme.Book.Match()",
        "Acme!Acme.Desk.Pair()",
    );
    check(
        "Book.Match",
        "Desk.Pair",
        "Acme!Acme.NoteBook.Match()",
        "Acme!Acme.NoteBook.Match()",
    );
    check(
        "Book.Match",
        "Desk.Pair",
        "Acme!Acme.Book.Matches()",
        "Acme!Acme.Book.Matches()",
    );
    check("", "x", "Acme!Acme.Book.Match()", "Acme!Acme.Book.Match()");
}
