//! Recordings that were made complete, cut, and mended: compared with what they were.

use crate::call_patterns::{Pattern, Recording};
use crate::profiles::{by_stack, read_bytes};
use dotspot::model::{Profile, ThreadTruncation};
use std::collections::BTreeMap;

/// What became of the samples that were cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Result {
    cut: u64,
    /// At exactly the place where they were.
    right: u64,
    /// Elsewhere.
    wrong: u64,
    /// Left truncated.
    left: u64,
    uncertain: u64,
}

/// The numbers of samples by stack, of all threads.
fn stacks(profile: &Profile) -> BTreeMap<(String, Vec<String>), u64> {
    let samples = profile.metric_named("samples").unwrap();
    let of_thread = |thread: &dotspot::model::Thread| {
        let id = thread.id.clone();
        by_stack(profile, samples, thread.node).into_iter().map(move |(stack, count)| ((id.clone(), stack), count))
    };
    profile.threads.iter().flat_map(of_thread).collect()
}

fn compare(pattern: Pattern, limit: usize, seed: u64) -> Result {
    let recording = Recording::new(pattern, limit, 3000, seed);
    let read = |limit| read_bytes("a.nettrace", recording.file(limit)).unwrap_or_else(|error| panic!("{error}"));
    let (complete, mended) = (read(usize::MAX), read(limit));
    assert_eq!(complete.truncation, None, "{pattern:?}, seed {seed}: nothing of it was cut");
    let truncation = mended.truncation.as_ref().expect("that much was cut is seen");
    assert_eq!(truncation.limit as usize, limit);
    let ThreadTruncation { truncated, depth_uncertain, .. } = truncation.total();
    let cut = recording.deeper_than(limit);
    assert_eq!(truncated.samples, cut, "{pattern:?}, limit {limit}, seed {seed}");
    let (expect, found) = (stacks(&complete), stacks(&mended));
    let mut result = Result { cut, uncertain: depth_uncertain.samples, ..Result::default() };
    for (key, &count) in &found {
        let is_left = key.1.first().is_some_and(|top| top.starts_with("[truncated"));
        let there = expect.get(key).copied().unwrap_or(0);
        if is_left {
            result.left += count;
        } else {
            result.wrong += count.saturating_sub(there);
            result.right += if key.1.len() > limit { count.min(there) } else { 0 };
        }
    }
    assert_eq!(result.right + result.wrong + result.left, cut);
    result
}

#[test]
fn tune() {
    for limit in [100, 20, 7] {
        for pattern in Pattern::ALL {
            let mut sum = Result::default();
            for seed in 1..=4 {
                let result = compare(pattern, limit, seed);
                sum.cut += result.cut;
                sum.right += result.right;
                sum.wrong += result.wrong;
                sum.left += result.left;
                sum.uncertain += result.uncertain;
            }
            let share = |part: u64| part as f64 / sum.cut as f64 * 100.0;
            println!(
                "{limit:>4} {pattern:<14} cut {} right {:.2} wrong {:.2} left {:.2} uncertain {:.2}",
                sum.cut,
                share(sum.right),
                share(sum.wrong),
                share(sum.left),
                share(sum.uncertain),
                pattern = format!("{pattern:?}"),
            );
        }
    }
}
