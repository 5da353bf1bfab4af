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
fn both_tasks_run() {
    assert_eq!(join(|| 1, || "a"), (1, "a"));
}
