//! Several files on each side: medians, and whether one side's values are larger than the other's.

use super::chance::p_of_z;
use std::cmp::Ordering;

/// From how many files on each side ranks say anything: of three and three the least likely order has 10 %.
pub const MIN_FILES: usize = 4;

/// Up to how many files in all every choice of ranks is counted; of more, sums of ranks are as good as normally distributed.
const MAX_EXACT: usize = 24;

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
/// (Wilcoxon's rank-sum test, exact up to 24 files, ties with their mean rank). `None` for fewer than [`MIN_FILES`] on a side.
/// O(n²) for n files, and O(n⁴) up to 24.
pub fn rank_sum_p(before: &[u64], after: &[u64]) -> Option<f64> {
    if before.len() < MIN_FILES || after.len() < MIN_FILES {
        return None;
    }
    let ranks = doubled_ranks(before, after);
    let observed: usize = ranks[before.len()..].iter().sum();
    let all: usize = ranks.iter().sum();
    let expected = all as f64 * after.len() as f64 / ranks.len() as f64;
    if ranks.len() > MAX_EXACT {
        let (files, mean) = (ranks.len() as f64, all as f64 / ranks.len() as f64);
        let squares: f64 = ranks.iter().map(|&rank| (rank as f64 - mean).powi(2)).sum();
        let variance = squares * (before.len() * after.len()) as f64 / (files * (files - 1.0));
        return Some(if variance > 0.0 {
            p_of_z((observed as f64 - expected) / variance.sqrt())
        } else {
            1.0
        });
    }
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
    let distance = |sum: usize| (sum as f64 - expected).abs();
    let choices = &ways[after.len()];
    let total: f64 = choices.iter().sum();
    let far = choices
        .iter()
        .enumerate()
        .filter(|(sum, _)| distance(*sum) >= distance(observed) - 1e-9);
    Some(far.map(|(_, ways)| ways).sum::<f64>() / total)
}

/// Twice the rank of each value, those before first: ties have whole numbers then, too.
fn doubled_ranks(before: &[u64], after: &[u64]) -> Vec<usize> {
    let values: Vec<u64> = before.iter().chain(after).copied().collect();
    let rank = |value: &u64| {
        let count = |order: Ordering| {
            values
                .iter()
                .filter(|other| (*other).cmp(value) == order)
                .count()
        };
        2 * count(Ordering::Less) + count(Ordering::Equal) + 1
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        for (values, expect) in [
            (&[][..], 0),
            (&[7], 7),
            (&[9, 1, 5], 5),
            (&[9, 1, 5, 6], 5),
            (&[u64::MAX; 2], u64::MAX),
        ] {
            assert_eq!(median(values), expect);
        }
    }

    #[test]
    fn ranks_are_as_tables_have_them() {
        #[track_caller]
        fn check(before: &[u64], after: &[u64], expect: Option<f64>) {
            let p = rank_sum_p(before, after);
            assert!(
                p.zip(expect)
                    .map_or(p == expect, |(p, expect)| (p - expect).abs() < 1e-12),
                "{p:?}"
            );
        }
        // of the 70 ways to choose four of eight, one is the highest and one the lowest
        check(&[1, 2, 3, 4], &[5, 6, 7, 8], Some(2.0 / 70.0));
        check(&[5, 6, 7, 8], &[1, 2, 3, 4], Some(2.0 / 70.0));
        // sums 26 (once), 25 (once) and their mirrors
        check(&[1, 2, 3, 5], &[4, 6, 7, 8], Some(4.0 / 70.0));
        check(&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10], Some(2.0 / 252.0));
        check(&[3; 4], &[3; 4], Some(1.0));
        check(&[1, 2, 3], &[4, 5, 6, 7], None);
        check(&[3; 40], &[3; 40], Some(1.0));
        // far more than can be counted: all of 30 above all of 30, which is one order of 30 + 30 over 30
        let (low, high): (Vec<u64>, Vec<u64>) = ((0..30).collect(), (30..60).collect());
        assert!(rank_sum_p(&low, &high).is_some_and(|p| p < 1e-9));
        // the even ranks of 26 sum to 182, and 175.5 is the middle; the variance is 13 · 13 · 27 / 12
        let (odd, even): (Vec<u64>, Vec<u64>) = (
            (0..13).map(|at| 2 * at).collect(),
            (0..13).map(|at| 2 * at + 1).collect(),
        );
        let z: f64 = 6.5 / (13.0f64 * 13.0 * 27.0 / 12.0).sqrt();
        assert!(rank_sum_p(&odd, &even).is_some_and(|p| (p - p_of_z(z)).abs() < 1e-9));
        // two ties have rank 4.5 each: 4.5 + 6 + 7 + 8 is the largest sum, with either of them
        check(&[1, 2, 3, 4], &[4, 6, 7, 8], Some(4.0 / 70.0));
    }
}
