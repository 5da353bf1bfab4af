use super::*;

/// A process as (number, parent, start).
type Row = (u32, u32, u64);

/// What lives of a program 10 after each of these lists.
#[track_caller]
fn check(lists: &[(&[Row], &[u32])]) {
    let mut program = Descendants::of(&[10]);
    for (list, expect) in lists {
        let listed = list
            .iter()
            .map(|&(pid, parent, start)| Listed { pid, parent, start });
        let living = program.living(&listed.collect::<Vec<_>>());
        let living: Vec<u32> = living.into_iter().map(|(pid, _)| pid).collect();
        assert_eq!(&living, expect, "{list:?}");
    }
}

#[test]
fn what_a_program_starts_is_found_in_whatever_order_it_is_listed() {
    check(&[(
        &[(12, 11, 7), (1, 0, 0), (11, 10, 6), (10, 1, 5), (20, 1, 6)],
        &[12, 11, 10],
    )]);
}

#[test]
fn what_is_started_by_something_that_has_ended_is_still_found() {
    check(&[
        (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
        (&[(12, 11, 9)], &[12]),
        (&[(12, 11, 9), (13, 12, 9)], &[12, 13]),
    ]);
    check(&[(&[(11, 10, 6)], &[11])]);
}

#[test]
fn numbers_that_are_given_again_do_not_make_relatives() {
    // 30 was started by a process 10 before ours
    check(&[(&[(10, 1, 5), (30, 10, 4)], &[10])]);
    // 11 is another one now, and 14 its child
    check(&[
        (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
        (&[(10, 1, 5), (11, 1, 8), (14, 11, 9)], &[10]),
        (&[(10, 1, 5), (11, 10, 12)], &[10, 11]),
    ]);
}
