use super::*;
use crate::model::MetricId;
use crate::model::testing::profile_of;

const TIME: MetricId = MetricId(0);
// n0 All ▸ n1 T 60 ▸ n2 a 30 ▸ (n3 x 20, n4 y 10); n5 b 20 ▸ n6 z 20; n7 c 10
const STACKS: &str = "T;a;x 20|T;a;y 10|T;b;z 20|T;c 10";

fn rows(outline: &Outline, view: &View) -> Vec<u32> {
    let (mut rows, mut at) = (vec![outline.root.0], outline.root);
    while let Some(next) = outline.next(view, at) {
        assert_eq!(
            outline.previous(view, next),
            Some(at),
            "previous undoes next"
        );
        assert_eq!(outline.row_of(view, next), rows.len(), "the row's number");
        rows.push(next.0);
        at = next;
    }
    assert_eq!(outline.row_count(view), rows.len());
    assert_eq!(outline.last_within(view, outline.root), at);
    rows
}

#[test]
fn folding_keeps_what_was_open_below() {
    let p = profile_of(STACKS);
    let mut outline = Outline::new(&p, NodeId::ROOT, TIME, Sort::default());
    assert_eq!(rows(&outline, &p), [0, 1]);
    outline.open(&p, NodeId(1));
    outline.open(&p, NodeId(2));
    assert_eq!(rows(&outline, &p), [0, 1, 2, 3, 4, 5, 7]);
    outline.close(&p, NodeId(1));
    assert_eq!(rows(&outline, &p), [0, 1]);
    outline.open(&p, NodeId(1));
    assert_eq!(rows(&outline, &p), [0, 1, 2, 3, 4, 5, 7]);
    outline.close_all(&p, NodeId(1));
    outline.show(&p, NodeId(6));
    assert_eq!(rows(&outline, &p), [0, 1, 2, 5, 6, 7]);
    outline.open_all(&p, NodeId::ROOT);
    assert_eq!(rows(&outline, &p), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn other_orders_visit_the_same_rows_in_another_sequence() {
    let p = profile_of(STACKS);
    let mut outline = Outline::new(&p, NodeId::ROOT, TIME, Sort::default());
    outline.open_all(&p, NodeId::ROOT);
    outline.set_order(
        &p,
        TIME,
        Sort {
            column: SortColumn::Inclusive,
            reversed: true,
        },
    );
    assert_eq!(rows(&outline, &p), [0, 1, 7, 5, 6, 2, 4, 3]);
    outline.set_order(
        &p,
        TIME,
        Sort {
            column: SortColumn::Name,
            reversed: true,
        },
    );
    assert_eq!(rows(&outline, &p), [0, 1, 7, 5, 6, 2, 4, 3]);
    outline.set_order(
        &p,
        TIME,
        Sort {
            column: SortColumn::Exclusive,
            reversed: false,
        },
    );
    // exclusive: a 0, b 0, c 10
    assert_eq!(rows(&outline, &p), [0, 1, 7, 2, 3, 4, 5, 6]);
    outline.close(&p, NodeId(2));
    assert_eq!(rows(&outline, &p), [0, 1, 7, 2, 5, 6]);
}

#[test]
fn a_focus_has_only_its_subtree() {
    let p = profile_of(STACKS);
    let outline = Outline::new(&p, NodeId(2), TIME, Sort::default());
    assert_eq!(rows(&outline, &p), [2, 3, 4]);
    assert_eq!(outline.step(&p, NodeId(2), 10), (NodeId(4), 2));
    assert_eq!(outline.step(&p, NodeId(4), -1), (NodeId(3), 1));
    assert_eq!(outline.sibling(&p, NodeId(2), 1), None);
}

#[test]
fn wide_and_deep_trees_open_whole_words_at_a_time() {
    let deep: Vec<String> = (0..300).map(|_| "m".to_string()).collect();
    let p = profile_of(&format!("T;{} 1", deep.join(";")));
    let mut outline = Outline::new(&p, NodeId::ROOT, TIME, Sort::default());
    outline.open_all(&p, NodeId(1));
    outline.close(&p, NodeId(200));
    outline.close(&p, NodeId::ROOT);
    outline.open(&p, NodeId::ROOT);
    assert_eq!(rows(&outline, &p), (0..=200).collect::<Vec<u32>>());
}
