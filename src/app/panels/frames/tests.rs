use super::*;

#[test]
fn the_frame_in_a_cell_is_the_one_in_its_middle() {
    let bar = |node, from, to| FrameBar {
        node: NodeId::at(node),
        is_gathered: false,
        from,
        to,
        is_odd: false,
    };
    let rows = FrameRows {
        bars: vec![vec![bar(2, 0, 15), bar(1, 15, 24)]],
        area: Area::new(0, 0, 3, 1),
        cells: (0, 3),
        ..FrameRows::default()
    };
    let node = |x| rows.bar_at(x, 0).map(|(bar, ..)| bar.node.index());
    assert_eq!([0, 1, 2, 3].map(node), [Some(2), Some(2), Some(1), None]);
}
