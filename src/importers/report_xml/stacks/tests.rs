use super::*;
use crate::model::Metric;
use crate::names::FrameKind;

#[track_caller]
fn check(stacks: &[&str], expect: &[u32], names_expected: &[&str]) {
    let mut names = ReportNames::default();
    let root = names.frames.intern(FrameKind::Root, "root", "");
    let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
    let mut finder = Stacks::default();
    let nodes: Vec<u32> = stacks
        .iter()
        .map(|stack| {
            finder
                .node(stack.as_bytes(), &mut names, &mut builder)
                .unwrap()
                .0
        })
        .collect();
    assert_eq!(nodes, expect, "{stacks:?}");
    let all: Vec<&str> = names
        .frames
        .iter()
        .skip(1)
        .map(|(id, _)| names.frames.name(id))
        .collect();
    assert_eq!(all, names_expected);
}

#[test]
fn each_call_stack_has_one_node() {
    check(
        &["A", "A/B", "A/B/C", "A/B", "A/C", "D", "A/B/C"],
        &[1, 2, 3, 2, 4, 5, 3],
        &["A", "B", "C", "D"],
    );
    // a common prefix does not make stacks equal
    check(
        &["A/Bc", "A/B", "A/Bcd", "A/B/c"],
        &[2, 3, 4, 5],
        &["A", "Bc", "B", "Bcd", "c"],
    );
    check(&["A/A/A", "A/A", "A"], &[3, 2, 1], &["A"]);
    check(
        &["A(x/y)/B", "A(x/z)/B", "A(x/y)", "A(x/y)/C"],
        &[2, 4, 1, 5],
        &["A", "B", "A", "C"],
    );
}

#[test]
fn escaped_slashes_separate_frames() {
    check(
        &["A&#47;B/C", "A/B/D", "A&#47;B"],
        &[3, 4, 2],
        &["A", "B", "C", "D"],
    );
}

#[test]
fn unclosed_brackets_do_not_affect_other_call_stacks() {
    check(
        &["A</B", "A</x>/B", "A</B", "A</B/C"],
        &[2, 4, 2, 5],
        &["A<", "B", "A</x>", "C"],
    );
}

#[test]
fn shared_bytes_are_counted() {
    let long = "x".repeat(200);
    assert_eq!(shared_prefix(b"", b"abc"), 0);
    assert_eq!(shared_prefix(b"abd", b"abc"), 2);
    assert_eq!(
        shared_prefix(long.as_bytes(), format!("{long}y").as_bytes()),
        200
    );
    assert_eq!(
        shared_prefix(format!("{}z", &long[..129]).as_bytes(), long.as_bytes()),
        129
    );
}
