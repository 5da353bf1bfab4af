use super::*;

/// Events as (thread, count), then a sequence point.
#[track_caller]
fn check(events: &[(u64, u32)], point: &[(u64, u32)], expect: u64) {
    let mut losses = Losses::default();
    events
        .iter()
        .for_each(|&(thread, sequence)| losses.event(thread, sequence));
    point
        .iter()
        .for_each(|&(thread, sequence)| losses.sequence_point(thread, sequence));
    assert_eq!(losses.lost, expect);
}

#[test]
fn gaps_count_as_losses() {
    check(
        &[(1, 1), (1, 2), (2, 1), (1, 3), (2, 2)],
        &[(1, 3), (2, 2)],
        0,
    );
    check(&[(1, 1), (1, 4)], &[], 2);
    check(&[(1, 3)], &[], 2);
    check(&[(1, 1), (2, 1), (1, 5), (2, 3)], &[], 4);
    check(&[(1, 1)], &[(1, 11), (2, 5)], 15);
    check(&[(1, 1), (1, 2)], &[(1, 1)], 0);
}

#[test]
fn a_thread_with_the_id_of_an_ended_one_counts_from_1() {
    check(&[(1, 1), (1, 2), (1, 1), (1, 2)], &[(1, 2)], 0);
    check(&[(1, 1), (1, 2), (2, 1), (1, 1)], &[], 0);
}

#[test]
fn indices_are_reassigned_to_other_threads() {
    let mut losses = Losses::default();
    (1..=3).for_each(|sequence| losses.event(7, sequence));
    losses.end(7, 5);
    assert_eq!(losses.lost, 2);
    losses.event(7, 1);
    losses.renumber();
    losses.event(7, 40);
    losses.event(7, 42);
    losses.sequence_point(7, 43);
    losses.sequence_point(8, 500);
    losses.sequence_point(8, 501);
    assert_eq!(losses.lost, 2 + 1 + 1 + 1);
}

#[test]
fn counts_wrap_around() {
    let mut losses = Losses::default();
    losses.sequence_point(1, 0x7fff_ffff);
    losses.sequence_point(1, u32::MAX);
    let before = losses.lost;
    losses.event(1, 0);
    losses.event(1, 2);
    assert_eq!(losses.lost - before, 1);
}
