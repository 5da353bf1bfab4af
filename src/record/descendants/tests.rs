use super::*;

/// A process as (id, parent, start).
type Row = (u32, u32, u64);

/// The running processes of a program with id 10 after each of these listings.
#[track_caller]
fn check(lists: &[(&[Row], &[u32])]) {
    let mut program = Descendants::of(&[10]);
    for (list, expect) in lists {
        let listed = list
            .iter()
            .map(|&(pid, parent, start)| ProcessEntry { pid, parent, start });
        let running = program.running(&listed.collect::<Vec<_>>());
        let running: Vec<u32> = running.into_iter().map(|(pid, _)| pid).collect();
        assert_eq!(&running, expect, "{list:?}");
    }
}

#[test]
fn descendants_are_found_in_any_listing_order() {
    check(&[(
        &[(12, 11, 7), (1, 0, 0), (11, 10, 6), (10, 1, 5), (20, 1, 6)],
        &[12, 11, 10],
    )]);
}

#[test]
fn children_of_ended_processes_are_still_found() {
    check(&[
        (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
        (&[(12, 11, 9)], &[12]),
        (&[(12, 11, 9), (13, 12, 9)], &[12, 13]),
    ]);
    check(&[(&[(11, 10, 6)], &[11])]);
}

#[test]
fn reused_process_ids_do_not_make_descendants() {
    // 30 was started by a process with id 10 before ours
    check(&[(&[(10, 1, 5), (30, 10, 4)], &[10])]);
    // 11 is now a different process, and 14 its child
    check(&[
        (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
        (&[(10, 1, 5), (11, 1, 8), (14, 11, 9)], &[10]),
        (&[(10, 1, 5), (11, 10, 12)], &[10, 11]),
    ]);
}
