use super::*;
use crate::analysis::compared::compared_methods;
use crate::query::comparison::tests::merged;

/// Checks which of the listed methods explains which.
#[track_caller]
fn check(before: &str, after: &str, listed: &[&str], expect: &[(&str, &str)]) {
    let (compared, view) = merged(before, after);
    let name = |frame| view.frames.display_name(frame);
    let mut rows = compared_methods(&compared, &view, &[NodeId::ROOT]);
    rows.retain(|row| listed.contains(&name(row.frame)));
    assert!(explained_by(&view, &rows, |_| false).is_empty());
    let found = explained_by(&view, &rows, |_| true);
    let mut pairs: Vec<(&str, &str)> = found
        .into_iter()
        .map(|(frame, callee)| (name(frame), name(callee)))
        .collect();
    pairs.sort_unstable();
    assert_eq!(pairs, expect);
}

#[test]
fn a_slower_callee_explains_its_callers() {
    let (before, after) = (
        "T;Main;Store;Price 10|T;Main;Store 50|T;Main;Load 10",
        "T;Main;Store;Price 90|T;Main;Store 55|T;Main;Load 30",
    );
    // +80 of Store's +85 and of Main's +105; Load's +20 is its own
    let all = [("Main", "Price"), ("Store", "Price")];
    check(before, after, &["Main", "Store", "Price", "Load"], &all);
    // unlisted methods explain nothing
    check(
        before,
        after,
        &["Main", "Store", "Load"],
        &[("Main", "Store")],
    );
    // savings are explained, too
    check(after, before, &["Store", "Price"], &[("Store", "Price")]);
}

/// Half is not most, growth in a callee does not explain a saving, and what is below an inner call of the same method
/// counts once.
#[test]
fn unrelated_changes_explain_nothing() {
    check("T;A 10|T;A;B 10", "T;A 20|T;A;B 20", &["A", "B"], &[]);
    check("T;A 90|T;A;B 10", "T;A 10|T;A;B 30", &["A", "B"], &[]);
    // A has +30: +20 in B, counted once
    check(
        "T;A;A;B 10|T;A 10",
        "T;A;A;B 30|T;A 20",
        &["A", "B"],
        &[("A", "B")],
    );
}

/// All of A's +90 is M's: among 200 rows M is one, but with another row before it, it is the 201st.
#[test]
fn only_the_first_rows_are_explained() {
    #[track_caller]
    fn check_with(others: usize, expect: &[(&str, &str)]) {
        let others: Vec<String> = (0..others).map(|other| format!("F{other:03}")).collect();
        let stacks = |value: u32| {
            let others: Vec<String> = others.iter().map(|other| format!("T;{other} 1")).collect();
            format!("T;A 5|{}|T;A;M {value}", others.join("|"))
        };
        let listed: Vec<&str> = others.iter().map(String::as_str).collect();
        let listed = [&listed[..], &["A", "M"]].concat();
        check(&stacks(10), &stacks(100), &listed, expect);
    }
    check_with(198, &[("A", "M")]);
    check_with(199, &[]);
}
