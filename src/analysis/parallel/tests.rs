use super::*;

#[test]
fn ranges_are_split_when_the_first_part_is_full() {
    let check = |count, expect: &str| {
        let Parts { front, back } = Parts::split([2..4, 6..7, 9..12].into_iter(), count);
        assert_eq!(format!("{front:?} {back:?}"), expect, "{count}");
    };
    check(0, "[] [2..4, 6..7, 9..12]");
    check(1, "[2..3] [3..4, 6..7, 9..12]");
    check(2, "[2..4] [6..7, 9..12]");
    check(3, "[2..4, 6..7] [9..12]");
    check(5, "[2..4, 6..7, 9..11] [11..12]");
    check(6, "[2..4, 6..7, 9..12] []");
}

#[test]
fn halves_are_joined_in_order() {
    let nodes: Vec<NodeId> = (0..MANY as u32 + 1).map(NodeId).collect();
    let ends = |half: &[NodeId]| vec![half[0].0, half[half.len() - 1].0];
    let joined = split_join(&nodes, ends, |front, back| [front, back].concat());
    assert_eq!(
        joined,
        [0, MANY as u32 / 2 - 1, MANY as u32 / 2, MANY as u32]
    );
    assert_eq!(
        split_join(&nodes[1..], |half| half.len(), |front, back| front + back),
        MANY
    );
    assert_eq!(
        split_join(&nodes[2..], |half| half.len(), |_, _| 0),
        MANY - 1
    );
}

#[test]
fn both_tasks_run() {
    assert_eq!(join(|| 1, || "a"), (1, "a"));
}
