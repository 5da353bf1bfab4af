use super::chance::p_of_z;

/// The minimum per side for a test of ranks: with three, even the least likely order has a probability of 10%.
pub const MIN_FILES: usize = 4;

/// Up to this many files in total, the test is exact; with more, rank sums are practically normal.
const MAX_EXACT: usize = 24;

/// The mean of the middle two for an even number, 0 for none.
pub fn median(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    match sorted.len() {
        0 => 0,
        len if len % 2 == 1 => sorted[len / 2],
        len => sorted[len / 2 - 1].midpoint(sorted[len / 2]),
    }
}

/// Wilcoxon's two-sided rank-sum test, exact up to [`MAX_EXACT`] files; ties get their mean rank. O(n⁴) for n files.
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
        return Some(match variance > 0.0 {
            true => p_of_z((observed as f64 - expected) / variance.sqrt()),
            false => 1.0,
        });
    }
    // the number of choices of this many files with this sum of doubled ranks
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
    let is_far = |sum: usize| distance(sum) >= distance(observed) - 1e-9;
    let far = choices.iter().enumerate().filter(|(sum, _)| is_far(*sum));
    Some(far.map(|(_, ways)| ways).sum::<f64>() / total)
}

/// Doubling makes the mean ranks of ties integers.
fn doubled_ranks(before: &[u64], after: &[u64]) -> Vec<usize> {
    let values: Vec<u64> = before.iter().chain(after).copied().collect();
    let rank = |value: &u64| {
        let smaller = values.iter().filter(|other| *other < value).count();
        let equal = values.iter().filter(|other| *other == value).count();
        2 * smaller + equal + 1
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests;
