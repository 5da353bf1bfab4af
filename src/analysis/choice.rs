//! Selects the rows of a tree that explain most within a size limit.

/// A row of a tree that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The index after its last descendant: rows are in preorder.
    pub end: usize,
    /// What showing it explains, such as its own time.
    pub worth: u64,
    /// The room it takes.
    pub cost: usize,
}

/// The best choice of rows for every room up to a limit: those that are worth most of all that fit, where a row is chosen only with
/// the rows above it.
///
/// A knapsack over a tree: either the next row is taken, and the choice continues below it, or the whole
/// subtree is skipped. Takes rows · room bits, and as many words while it is built.
#[derive(Clone, Debug)]
pub struct Choice {
    /// By row and room: whether the best choice of the rows from there on takes the first of them.
    is_taken: Vec<u64>,
    rows: Vec<Candidate>,
    rooms: usize,
}

impl Choice {
    /// Compares all choices of these rows, in preorder, for each room up to `most_room`. O(rows · room).
    pub fn new(mut rows: Vec<Candidate>, most_room: usize) -> Choice {
        // sums of 32 bits suffice to compare: rows worth less than a billionth count as nothing
        let sum = rows
            .iter()
            .fold(0u128, |sum, row| sum + u128::from(row.worth))
            .max(1);
        for row in &mut rows {
            row.worth = (u128::from(row.worth) * 1_000_000_000 / sum) as u64;
        }
        let rooms = most_room + 1;
        let mut choice = Choice {
            is_taken: vec![0; (rows.len() * rooms).div_ceil(64)],
            rows,
            rooms,
        };
        // by row and room: what the best choice of the rows from there on is worth; no rows are worth nothing
        let mut worth = vec![0u32; (choice.rows.len() + 1) * rooms];
        for place in (0..choice.rows.len()).rev() {
            let row = choice.rows[place];
            let (before, after) = worth.split_at_mut((place + 1) * rooms);
            let here = &mut before[place * rooms..];
            let skipped = &after[(row.end - place - 1) * rooms..][..rooms];
            here.copy_from_slice(skipped);
            for room in row.cost..rooms {
                let taken = after[room - row.cost].saturating_add(row.worth as u32);
                if taken >= here[room] {
                    here[room] = taken;
                    let bit = place * rooms + room;
                    choice.is_taken[bit / 64] |= 1 << (bit % 64);
                }
            }
        }
        choice
    }

    /// The rows of the best choice for a room, ascending; ties go to the choice with the first rows. O(rows).
    pub fn chosen(&self, room: usize) -> Vec<usize> {
        let mut room = room.min(self.rooms - 1);
        let mut chosen = Vec::new();
        let mut place = 0;
        while let Some(row) = self.rows.get(place) {
            let bit = place * self.rooms + room;
            if self.is_taken[bit / 64] >> (bit % 64) & 1 == 1 {
                chosen.push(place);
                room -= row.cost;
                place += 1;
            } else {
                place = row.end;
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
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
}
