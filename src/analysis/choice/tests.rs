use super::*;
use proptest::prelude::*;

/// The rows of a tree by the row above each, -1 for the first, in preorder; with what each is worth and takes.
fn rows(of: &[(isize, u64, usize)]) -> Vec<Candidate> {
    let is_below = |mut row: usize, above: usize| loop {
        match usize::try_from(of[row].0) {
            Ok(next) if next == above => return true,
            Ok(next) => row = next,
            Err(_) => return false,
        }
    };
    let end = |row: usize| {
        (row + 1..of.len())
            .find(|&other| !is_below(other, row))
            .unwrap_or(of.len())
    };
    of.iter()
        .enumerate()
        .map(|(row, &(_, worth, cost))| Candidate {
            end: end(row),
            worth,
            cost,
        })
        .collect()
}

#[track_caller]
fn check(of: &[(isize, u64, usize)], room: usize, expect: &[usize]) {
    assert_eq!(Choice::new(rows(of), room).chosen(room), expect);
}

#[test]
fn rows_that_explain_most_are_taken_with_the_rows_above_them() {
    // 0 > (1 > 2 > 3), 4: the last row of the chain is worth most, if there is room for all of it
    let chain = [(-1, 0, 1), (0, 0, 1), (1, 0, 1), (2, 100, 1), (0, 10, 1)];
    check(&chain, 1, &[0]);
    check(&chain, 2, &[0, 4]);
    check(&chain, 4, &[0, 1, 2, 3]);
    check(&chain, 5, &[0, 1, 2, 3, 4]);
    // a long row is left for two short ones
    let names = [(-1, 0, 1), (0, 50, 9), (0, 30, 4), (0, 30, 5)];
    check(&names, 10, &[0, 2, 3]);
    check(&[], 7, &[]);
}

proptest! {
    #[test]
    fn no_other_choice_is_worth_more(
        of in proptest::collection::vec((0usize..100, 0u64..50, 1usize..4), 1..11),
        room in 0usize..16,
    ) {
        // a row goes below one of those on the way to the row before it, which is preorder
        let mut tree: Vec<(isize, u64, usize)> = Vec::new();
        for (at, &(below, worth, cost)) in of.iter().enumerate() {
            let mut way: Vec<isize> = Vec::new();
            let mut row = at as isize - 1;
            while row >= 0 {
                way.push(row);
                row = tree[row as usize].0;
            }
            tree.push((if way.is_empty() { -1 } else { way[below % way.len()] }, worth, cost));
        }
        let is_whole = |set: u32| (0..tree.len()).all(|row| set >> row & 1 == 0 || tree[row].0 < 0 || set >> tree[row].0 & 1 == 1);
        let sum = |set: u32, of: fn(&(isize, u64, usize)) -> u64| -> u64 {
            (0..tree.len()).filter(|row| set >> row & 1 == 1).map(|row| of(&tree[row])).sum()
        };
        let best = (0..1u32 << tree.len())
            .filter(|&set| is_whole(set) && sum(set, |row| row.2 as u64) <= room as u64)
            .map(|set| sum(set, |row| row.1))
            .max()
            .unwrap_or(0);
        let chosen = Choice::new(rows(&tree), 20).chosen(room);
        let set = chosen.iter().fold(0, |set, row| set | 1 << row);
        prop_assert!(is_whole(set) && sum(set, |row| row.2 as u64) <= room as u64);
        prop_assert_eq!(sum(set, |row| row.1), best);
    }
}
