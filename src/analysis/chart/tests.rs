use super::*;
use crate::model::testing::profile_of;

#[test]
fn ancestors_are_found_in_a_chain_of_a_million_frames() {
    let view = profile_of(&format!("T;{}a 3", "a;b;".repeat(500_000)));
    let chart = chart_of(&view, []);
    let leaf = NodeId::at(view.tree.len() - 1);
    // a chain: each node's depth is its index
    assert_eq!(chart.depth(leaf), 1_000_002);
    for depth in [0, 1, 2, 3, 77, 65_536, 999_999, 1_000_002] {
        assert_eq!(chart.above(&view, leaf, depth), NodeId::at(depth));
    }
}

/// A chart of consecutive leaves with these durations.
fn chart_of(view: &View, leaves: impl IntoIterator<Item = (NodeId, u64)>) -> Chart {
    let (depths, jumps) = paths_up(view, NodeId::ROOT);
    let mut end_ns = 0;
    let spans = leaves.into_iter().map(|(node, lasts)| {
        let start_ns = end_ns;
        end_ns += lasts;
        ChartSpan {
            start_ns,
            end_ns,
            node,
        }
    });
    Chart {
        root: NodeId::ROOT,
        range: TimeRange::ALL,
        spans: spans.collect(),
        depths,
        jumps,
    }
}

#[test]
fn the_heaviest_stack_is_found_from_the_root_down() {
    let view = profile_of("T;a;b;c 9|T;a;d 8|T;e 5");
    let [root, t, a, b, c, d, e] = std::array::from_fn(NodeId::at);
    let most = |leaves: &[(NodeId, u64)], from_ns, to_ns| {
        let chart = chart_of(&view, leaves.iter().copied());
        chart.hottest(&view, TimeRange { from_ns, to_ns })
    };
    // e is the heaviest leaf, but a has more of T; c has 3 of the 5 in a
    let leaves = [(e, 4), (c, 3), (d, 2)];
    assert_eq!(most(&leaves, 0, 9), Some(c));
    // in the last 4, c has half of a, and all of b
    assert_eq!(most(&leaves, 5, 9), Some(c));
    // e and c have 1 each, half of the total, and a comes first
    assert_eq!(most(&leaves, 3, 5), Some(c));
    assert_eq!(most(&leaves, 0, 4), Some(e));
    assert_eq!(most(&leaves, 9, 12), None);
    // three thirds
    assert_eq!(most(&[(d, 1), (a, 1), (c, 1)], 0, 3), Some(a));
    // b has 4 of 6, 3 of them exclusive
    assert_eq!(most(&[(b, 2), (d, 2), (c, 1), (b, 1)], 0, 6), Some(b));
    assert_eq!(most(&[(root, 2), (t, 1)], 0, 3), Some(root));
}

#[test]
fn spans_that_run_less_than_half_the_time_count_as_idle() {
    let view = profile_of("T;a 1|T;b 1");
    let mut chart = chart_of(&view, [(NodeId::at(2), 3), (NodeId::at(3), 2)]);
    // from 0 to 3, and from 7 to 9
    chart.spans[1].start_ns += 4;
    chart.spans[1].end_ns += 4;
    let is_idle = |from_ns, to_ns| chart.is_mostly_idle(TimeRange { from_ns, to_ns });
    let found = [(0, 6), (0, 7), (1, 7), (2, 8), (3, 5), (6, 9)].map(|(a, b)| is_idle(a, b));
    assert_eq!(found, [false, true, true, true, true, false]);
}

#[test]
fn the_heaviest_stack_is_found_in_a_deep_chain() {
    let view = profile_of(&format!("T;{}a 3", "a;b;".repeat(100_000)));
    let leaf = |depth| (NodeId::at(depth), 1);
    let most = |leaves: Vec<(NodeId, u64)>| {
        let time = TimeRange {
            from_ns: 0,
            to_ns: leaves.len() as u64,
        };
        chart_of(&view, leaves).hottest(&view, time)
    };
    // each node except the last has less than half of the time below it
    assert_eq!(
        most((0..=20_000).map(|at| leaf(10 * at)).collect()),
        Some(NodeId::at(200_000))
    );
    assert_eq!(
        most(vec![leaf(7), leaf(200_002), leaf(7)]),
        Some(NodeId::at(7))
    );
}

#[test]
fn spans_neither_overlap_nor_repeat() {
    let span = |start_ns, end_ns, node| ChartSpan {
        start_ns,
        end_ns,
        node: NodeId(node),
    };
    let spans = vec![
        span(5, 9, 2),
        span(0, 3, 1),
        span(3, 7, 1),
        span(8, u64::MAX, 3),
    ];
    let expect = [span(0, 5, 1), span(5, 8, 2), span(8, 20, 3)];
    assert_eq!(in_order(spans, 20), expect);
}
