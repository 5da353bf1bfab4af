//! Several files on each side: medians, and whether one side's values are larger than the other's.

use std::cmp::Ordering;

/// From how many files on each side ranks say anything: of three and three the least likely order has 10 %.
pub const LEAST_FILES: usize = 4;

/// The median of values; of an even number the mean of the middle two, rounded down. 0 of none. O(n log n).
pub fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    match sorted.len() {
        0 => 0,
        len if len % 2 == 1 => sorted[len / 2],
        len => sorted[len / 2 - 1].midpoint(sorted[len / 2]),
    }
}

/// How likely it is, if nothing has changed, that the ranks of the values after are as far from the middle as they are, or farther
/// (Wilcoxon's rank-sum test, exact, ties with their mean rank). `None` for fewer than [`LEAST_FILES`] on a side.
/// O(n² · files after · files) for n files.
pub fn rank_sum_p(before: &[u64], after: &[u64]) -> Option<f64> {
    if before.len() < LEAST_FILES || after.len() < LEAST_FILES {
        return None;
    }
    let ranks = doubled_ranks(before, after);
    let observed: usize = ranks[before.len()..].iter().sum();
    let all: usize = ranks.iter().sum();
    // how many choices of so many files have this sum of doubled ranks
    let mut ways = vec![vec![0.0f64; all + 1]; after.len() + 1];
    ways[0][0] = 1.0;
    for &rank in &ranks {
        for chosen in (1..=after.len()).rev() {
            for sum in (rank..=all).rev() {
                ways[chosen][sum] += ways[chosen - 1][sum - rank];
            }
        }
    }
    let expected = all as f64 * after.len() as f64 / ranks.len() as f64;
    let distance = |sum: usize| (sum as f64 - expected).abs();
    let choices = &ways[after.len()];
    let total: f64 = choices.iter().sum();
    let far = choices.iter().enumerate().filter(|(sum, _)| distance(*sum) >= distance(observed) - 1e-9);
    Some(far.map(|(_, ways)| ways).sum::<f64>() / total)
}

/// Twice the rank of each value, those before first: ties have whole numbers then, too.
fn doubled_ranks(before: &[u64], after: &[u64]) -> Vec<usize> {
    let values: Vec<u64> = before.iter().chain(after).copied().collect();
    let rank = |value: &u64| {
        let count = |order: Ordering| values.iter().filter(|other| (*other).cmp(value) == order).count();
        2 * count(Ordering::Less) + count(Ordering::Equal) + 1
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        for (values, expect) in
            [(&[][..], 0), (&[7], 7), (&[9, 1, 5], 5), (&[9, 1, 5, 6], 5), (&[u64::MAX; 2], u64::MAX)]
        {
            assert_eq!(median(values), expect);
        }
    }

    #[test]
    fn ranks_are_as_tables_have_them() {
        #[track_caller]
        fn check(before: &[u64], after: &[u64], expect: Option<f64>) {
            let p = rank_sum_p(before, after);
            assert!(p.zip(expect).map_or(p == expect, |(p, expect)| (p - expect).abs() < 1e-12), "{p:?}");
        }
        // of the 70 ways to choose four of eight, one is the highest and one the lowest
        check(&[1, 2, 3, 4], &[5, 6, 7, 8], Some(2.0 / 70.0));
        check(&[5, 6, 7, 8], &[1, 2, 3, 4], Some(2.0 / 70.0));
        // sums 26 (once), 25 (once) and their mirrors
        check(&[1, 2, 3, 5], &[4, 6, 7, 8], Some(4.0 / 70.0));
        check(&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10], Some(2.0 / 252.0));
        check(&[3; 4], &[3; 4], Some(1.0));
        check(&[1, 2, 3], &[4, 5, 6, 7], None);
        // two ties in the middle: 4 and 4 have 4.5 each; 25.5 and above are the sums 26.0 − 0.5 of … both choices of one 4
        check(&[1, 2, 3, 4], &[4, 6, 7, 8], Some(4.0 / 70.0));
    }
}
