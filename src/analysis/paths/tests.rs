use super::*;
use crate::model::testing::{profile_of, recording_of};

const TIME: MetricId = MetricId(0);

#[track_caller]
fn check_path(view: &View, measure: Measure, from: u32, nodes: &[u32], end: HotPathEnd) {
    let path = hot_path(view, measure, NodeId(from));
    let expect = HotPath {
        nodes: nodes.iter().copied().map(NodeId).collect(),
        end,
    };
    assert_eq!(path, expect, "from n{from}");
}

#[test]
fn the_hot_path_ends_where_no_callee_stands_out() {
    // n1 T 100 ▸ n2 a 60 ▸ n3 b 50 (3 exclusive) ▸ (n4 c 20, n5 d 15, n6 e 12)
    let view = profile_of("T;a;b;c 20|T;a;b;d 15|T;a;b;e 12|T;a;b 3|T;a 10|T 40");
    let shares = vec![40.0, 30.0, 24.0];
    check_path(
        &view,
        TIME.into(),
        0,
        &[1, 2, 3],
        HotPathEnd::Split {
            callees: 3,
            shares: shares.clone(),
        },
    );
    check_path(
        &view,
        TIME.into(),
        3,
        &[],
        HotPathEnd::Split { callees: 3, shares },
    );
    check_path(&view, TIME.into(), 4, &[], HotPathEnd::Leaf);
}

#[test]
fn a_callee_twice_as_heavy_as_the_next_is_on_the_hot_path() {
    // n1 T 100 ▸ n2 a 40 ▸ n3 x 10; n4 b 20; n5 c 20; n6 d 20
    let view = profile_of("T;a;x 10|T;a 30|T;b 20|T;c 20|T;d 20");
    check_path(&view, TIME.into(), 1, &[2], HotPathEnd::Own(75.0));
    let view = profile_of("T;a 39|T;b 20|T;c 20|T;d 21");
    check_path(
        &view,
        TIME.into(),
        1,
        &[],
        HotPathEnd::Split {
            callees: 4,
            shares: vec![39.0, 21.0, 20.0],
        },
    );
    let view = profile_of("T;a 0");
    check_path(&view, TIME.into(), 0, &[], HotPathEnd::Nothing);
}

#[test]
fn the_hot_path_from_the_root_leads_to_the_busiest_thread() {
    // n1 idle 100 ▸ n2 sleep; n3 A 30 ▸ n4 a; n5 B 24 ▸ n6 b
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let mut recording = recording_of(&format!("idle;{sleep} 100|A;a 30|B;b 24"));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    check_path(&view, view.measure(TIME), 0, &[3, 4], HotPathEnd::Leaf);
    check_path(&view, TIME.into(), 0, &[1, 2], HotPathEnd::Leaf);
    check_path(&view, view.measure(TIME), 1, &[2], HotPathEnd::Leaf);
}

#[test]
fn occurrences_are_visited_by_weight() {
    // n1 T ▸ n2 y 7 ▸ n3 a 7; n4 x 5 ▸ (n5 a 4, n6 b 1); n7 z 4 ▸ n8 a 4; n9 a 1
    let view = profile_of("T;x;a 4|T;x;b 1|T;y;a 7|T;z;a 4|T;a 1");
    let a = view.frames.find("a")[0];
    let order = OccurrencesByWeight::new(&view, NodeId::ROOT, a, TIME);
    assert_eq!(order.count(), 4);
    let nodes = [3, 5, 8, 9].map(NodeId);
    assert_eq!(nodes.map(|node| order.rank(node)), [0, 1, 2, 3]);
    assert_eq!(nodes.map(|node| order.next(node).unwrap().0), [5, 8, 9, 3]);
    assert_eq!(
        nodes.map(|node| order.previous(node).unwrap().0),
        [9, 3, 5, 8]
    );
    let first = |within: u32| order.first_within(NodeId(within)).map(|node| node.0);
    assert_eq!([0, 4, 7, 6].map(first), [Some(3), Some(5), Some(8), None]);
}

#[test]
fn occurrences_are_sorted_by_weight_and_stay_below_the_root() {
    // n1 T ▸ n2 y 7 ▸ n3 a 7; n4 x 5 ▸ n5 a 5; n6 a 1
    let view = profile_of("T;x;a 5|T;y;a 7|T;a 1");
    let a = view.frames.find("a")[0];
    assert_eq!(
        occurrences_by_weight(&view, NodeId::ROOT, a, TIME),
        [NodeId(3), NodeId(5), NodeId(6)]
    );
    assert_eq!(
        occurrences_by_weight(&view, NodeId(4), a, TIME),
        [NodeId(5)]
    );
    assert_eq!(
        outermost_occurrences(&view, NodeId::ROOT, &[a]),
        [NodeId(3), NodeId(5), NodeId(6)]
    );
    let all: Vec<FrameId> = ["a", "x"]
        .iter()
        .flat_map(|name| view.frames.find(name))
        .collect();
    assert_eq!(
        outermost_occurrences(&view, NodeId::ROOT, &all),
        [NodeId(3), NodeId(4), NodeId(6)]
    );
}
