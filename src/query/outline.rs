//! Rows of trees, of which the heaviest are shown with all rows above them.

use std::cmp::Reverse;

/// Rows in preorder.
pub struct QueryOutline {
    /// How deep each is, and what it weighs.
    rows: Vec<(usize, u64)>,
    /// The row above each; that of the first is the first itself.
    above: Vec<usize>,
    /// How many rows are directly below each.
    below: Vec<usize>,
    /// All rows, the heaviest first, of equals the first.
    by_weight: Vec<usize>,
}

pub struct ShownRows {
    pub is_shown: Vec<bool>,
    /// How many rows directly below each are not.
    pub hidden: Vec<usize>,
    /// The largest weight of those that are not.
    pub largest_hidden: Option<u64>,
}

impl QueryOutline {
    /// That of rows in preorder with their depths and weights. O(rows · log rows).
    pub fn new(rows: Vec<(usize, u64)>) -> QueryOutline {
        let mut above = Vec::with_capacity(rows.len());
        // the last row of each level
        let mut levels: Vec<usize> = Vec::new();
        for (at, &(depth, _)) in rows.iter().enumerate() {
            levels.truncate(depth);
            above.push(levels.last().copied().unwrap_or(at));
            levels.push(at);
        }
        let mut below = vec![0; rows.len()];
        (1..rows.len()).for_each(|at| below[above[at]] += 1);
        let mut by_weight: Vec<usize> = (0..rows.len()).collect();
        by_weight.sort_by_key(|&at| Reverse(rows[at].1));
        QueryOutline {
            rows,
            above,
            below,
            by_weight,
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many rows are directly below a row.
    pub fn below(&self, row: usize) -> usize {
        self.below[row]
    }

    /// The heaviest rows, `most` in all with those above them. O(rows).
    pub fn shown(&self, most: usize) -> ShownRows {
        let mut is_shown = vec![false; self.rows.len()];
        let mut left = most;
        for &at in &self.by_weight {
            let path = || {
                std::iter::successors(Some(at), |&row| {
                    Some(self.above[row]).filter(|&above| above != row)
                })
            };
            let missing = path().take_while(|&row| !is_shown[row]).count();
            if missing > left {
                break;
            }
            left -= missing;
            path()
                .take(missing)
                .collect::<Vec<_>>()
                .into_iter()
                .for_each(|row| is_shown[row] = true);
        }
        let mut hidden = vec![0; self.rows.len()];
        let mut largest_hidden = None;
        for at in (0..self.rows.len()).filter(|&at| !is_shown[at]) {
            hidden[self.above[at]] += 1;
            largest_hidden = largest_hidden.max(Some(self.rows[at].1));
        }
        ShownRows {
            is_shown,
            hidden,
            largest_hidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as depth and weight, how many are to be shown, and which are, each with the number of hidden rows below it.
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
    fn the_heaviest_rows_are_shown_with_those_above() {
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
        // a callee may weigh more than what it is below where weights are not of one kind
        check(&[(0, 10), (1, 1), (2, 9)], 2, &[(0, 1)], Some(9));
        check(
            &[(0, 10), (1, 1), (2, 9)],
            3,
            &[(0, 0), (1, 0), (2, 0)],
            None,
        );
        check(&[], 3, &[], None);
    }
}
