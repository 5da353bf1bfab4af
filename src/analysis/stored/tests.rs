use super::*;
use crate::model::testing::recording_of;
use crate::model::{RecordedNode, Recording};

fn stored(name: &str, inclusive_ms: u64, exclusive_ms: u64, count: Option<u64>) -> StoredHotspot {
    StoredHotspot {
        scope: RecordedNode::ROOT,
        method: StoredMethod::Named {
            name: name.into(),
            signature: None,
        },
        inclusive: inclusive_ms * 1_000_000,
        exclusive: exclusive_ms * 1_000_000,
        count,
        node_count: None,
    }
}

#[track_caller]
fn check(hotspots: &[StoredHotspot], expect: Option<&str>) {
    let stored_hotspots = hotspots.to_vec();
    let view = Recording {
        stored_hotspots,
        ..recording_of("T;a;b 3000|T;a 1000")
    }
    .into_view();
    assert_eq!(
        check_stored_hotspots(&view)
            .map(|differ| differ.to_string())
            .as_deref(),
        expect
    );
}

#[test]
fn equal_sums_produce_no_diagnostic() {
    check(
        &[
            stored("a", 4000, 1000, Some(2)),
            stored("b", 3000, 3000, None),
        ],
        None,
    );
    check(&[stored("a", 4004, 1000, None)], None);
}

#[test]
fn differing_sums_are_reported_with_the_largest_difference() {
    check(
        &[stored("a", 4000, 1010, None), stored("b", 2000, 3000, None)],
        Some(
            "2 of the 2 hotspots stored in the file differ from the tree: b has inclusive 2000 in the file and 3000 in the tree",
        ),
    );
    check(
        &[stored("c", 1, 1, None)],
        Some("1 of the 1 hotspots stored in the file differ from the tree: c is not in the tree"),
    );
}
