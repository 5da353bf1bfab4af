use super::*;
use crate::model::testing::recording_of;
use crate::model::{RecordedNode, Recording};

/// Hotspots by the name of a method, with inclusive and exclusive time in ms.
#[track_caller]
fn check(hotspots: &[(&str, u64, u64)], expect: Option<&str>) {
    let recording = recording_of("T;a;b 3000|T;a 1000");
    let stored = |&(name, inclusive, exclusive): &(&str, u64, u64)| StoredHotspot {
        scope: RecordedNode::ROOT,
        frame: recording.frames.find(name)[0],
        inclusive: inclusive * 1_000_000,
        exclusive: exclusive * 1_000_000,
        count: if name == "a" { 2 } else { 1 },
        node_count: 1,
    };
    let stored_hotspots = hotspots.iter().map(stored).collect();
    let view = Recording {
        stored_hotspots,
        ..recording
    }
    .into_view();
    let difference = check_stored_hotspots(&view).map(|it| it.to_string());
    assert_eq!(difference.as_deref(), expect);
}

#[test]
fn equal_sums_produce_no_diagnostic() {
    check(&[("a", 4000, 1000), ("b", 3000, 3000)], None);
}

#[test]
fn differing_sums_are_reported_with_the_largest_difference() {
    check(
        &[("a", 4000, 1010), ("b", 2000, 3000)],
        Some(
            "2 of the 2 hotspots stored in the file differ from the tree: b has inclusive 2000 in the file and 3000 in the tree",
        ),
    );
    check(
        &[("T", 1, 1)],
        Some("1 of the 1 hotspots stored in the file differ from the tree: T is not in the tree"),
    );
}
