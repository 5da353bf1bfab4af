use super::*;

/// Checks which of some rows, given as depth and weight, are shown, and how many rows are hidden below each.
#[track_caller]
fn check(
    rows: &[(usize, u64)],
    most: usize,
    expect: &[(usize, usize)],
    largest_hidden: Option<u64>,
) {
    let shown = QueryOutline::new(rows.to_vec()).shown(most);
    let found: Vec<(usize, usize)> = (0..rows.len())
        .filter(|&at| shown.is_shown[at])
        .map(|at| (at, shown.hidden[at]))
        .collect();
    assert_eq!(
        (found, shown.largest_hidden),
        (expect.to_vec(), largest_hidden)
    );
}

#[test]
fn the_heaviest_rows_are_shown_with_their_ancestors() {
    let rows = [(0, 100), (1, 60), (2, 30), (2, 29), (1, 40), (2, 40)];
    check(
        &rows,
        6,
        &[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)],
        None,
    );
    check(&rows, 4, &[(0, 0), (1, 2), (4, 0), (5, 0)], Some(30));
    check(&rows, 1, &[(0, 2)], Some(60));
    check(&rows, 0, &[], Some(100));
    // a callee may weigh more than its caller if weights are of different kinds
    check(&[(0, 10), (1, 1), (2, 9)], 2, &[(0, 1)], Some(9));
    check(
        &[(0, 10), (1, 1), (2, 9)],
        3,
        &[(0, 0), (1, 0), (2, 0)],
        None,
    );
    check(&[], 3, &[], None);
}
