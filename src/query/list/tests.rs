use super::*;
use crate::model::testing::profile_of;

#[test]
fn methods_of_a_chain_of_a_million_frames_are_listed() {
    let view = profile_of(&format!("T;{}a 3", "a;Acme.Book.Add;".repeat(500_000)));
    let request = ListRequest {
        order: MethodOrder::Occurrences,
        has_own_and_system: true,
        ..ListRequest::default()
    };
    let list = list_methods(&view, &request).unwrap();
    let row = |row: &ListedMethod| {
        (
            view.frames.display_name(row.sums.frame),
            row.sums.inclusive,
            row.sums.exclusive,
            row.sums.node_count,
        )
    };
    let rows: Vec<_> = list.rows.iter().map(row).collect();
    assert_eq!(
        rows,
        [
            ("a", 3_000_000, 3_000_000, 500_001),
            ("Book.Add", 3_000_000, 0, 500_000)
        ]
    );
}
