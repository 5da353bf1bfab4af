//! Generated recordings, truncated and repaired, compared with the complete ones.

use crate::common::call_patterns::{Pattern, Recording};
use crate::common::profiles::{by_stack, read_bytes};
use dotspot::testing::model::View;
use dotspot::testing::units::percent;
use std::collections::{BTreeMap, HashSet};

/// The results of repairing truncated samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Outcome {
    cut: u64,
    /// Restored at exactly their original node.
    right: u64,
    /// Restored elsewhere.
    wrong: u64,
    /// Still truncated.
    left: u64,
    uncertain: u64,
}

/// The numbers of samples by stack, of all threads.
fn stacks(profile: &View) -> BTreeMap<(String, Vec<String>), u64> {
    let samples = profile.recording.metric_named("samples").unwrap();
    let mut all = BTreeMap::new();
    for thread in profile.threads.iter() {
        let stacks = by_stack(profile, samples, thread.node).into_iter();
        all.extend(stacks.map(|(stack, count)| ((thread.id.clone(), stack), count)));
    }
    all
}

fn compare(pattern: Pattern, limit: usize, seed: u64) -> Outcome {
    let what = format!("{pattern:?}, limit {limit}, seed {seed}");
    let recording = Recording::new(pattern, limit, 1000, seed);
    let read = |limit| read_bytes("a.nettrace", recording.file(limit)).unwrap();
    let (complete, repaired) = (read(usize::MAX), read(limit));
    assert_eq!(complete.truncation, None, "{what}");
    let truncation = repaired.truncation.as_ref().expect(&what);
    assert_eq!(truncation.limit as usize, limit);
    let (sums, cut) = (truncation.total(), recording.deeper_than(limit));
    assert_eq!(sums.truncated.samples, cut, "{what}");
    let (expect, found) = (stacks(&complete), stacks(&repaired));
    let mut outcome = Outcome {
        cut,
        uncertain: sums.depth_uncertain.samples,
        ..Outcome::default()
    };
    let known = expect.keys().flat_map(|(_, stack)| stack.windows(2));
    let known: HashSet<&[String]> = known.collect();
    for (key, &count) in &found {
        let calls = key.1.windows(2).filter(|pair| !pair[0].starts_with('['));
        for pair in calls {
            assert!(known.contains(pair), "{what}: nowhere {pair:?}");
        }
        let there = expect.get(key).copied().unwrap_or(0);
        if key
            .1
            .first()
            .is_some_and(|top| top.starts_with("[truncated"))
        {
            outcome.left += count;
        } else {
            outcome.wrong += count.saturating_sub(there);
            let is_deep = key.1.len() > limit;
            outcome.right += if is_deep { count.min(there) } else { 0 };
        }
    }
    assert_eq!(outcome.right + outcome.wrong + outcome.left, cut);
    println!("{what}: {outcome:?}");
    outcome
}

/// Asserts minimum precision and recall in percent. Seeds 1 to 4 were used while the rules were developed.
#[track_caller]
fn check(pattern: Pattern, limit: usize, precision: f64, recall: f64) -> Outcome {
    let sum = compare(pattern, limit, 101);
    assert!(sum.cut > 1_000, "{sum:?}");
    let found = percent(sum.right, sum.right + sum.wrong);
    assert!(found >= precision, "{pattern:?}, limit {limit}: {sum:?}");
    let found = percent(sum.right, sum.cut);
    assert!(found >= recall, "{pattern:?}, limit {limit}: {sum:?}");
    sum
}

#[test]
fn without_ambiguity_nearly_everything_is_restored_correctly() {
    for limit in [20, 7] {
        let sum = check(Pattern::Unambiguous, limit, 100.0, 99.0);
        assert_eq!((sum.wrong, sum.uncertain), (0, 0), "limit {limit}");
    }
    assert_eq!(check(Pattern::Async, 100, 100.0, 99.0).wrong, 0);
}

/// Limits that are not in any list are detected, too.
#[test]
fn any_limit_is_detected() {
    let sum = compare(Pattern::Unambiguous, 41, 105);
    assert_eq!(sum.wrong, 0, "{sum:?}");
    assert!(percent(sum.right, sum.cut) >= 99.0, "{sum:?}");
}

/// Runs of library methods are the same everywhere. They do no harm if the minimum overlap is longer than such runs.
#[test]
fn library_methods_on_every_path() {
    check(Pattern::Async, 20, 99.0, 98.0);
    // four of five frames in each are a library's
    check(Pattern::Async, 7, 65.0, 60.0);
}

#[test]
fn chains_of_methods_with_several_callers() {
    check(Pattern::SharedHelpers, 20, 98.0, 98.0);
    check(Pattern::SharedHelpers, 7, 94.0, 94.0);
}

#[test]
fn irregular_recursion() {
    check(Pattern::Grammar, 20, 99.5, 99.5);
    check(Pattern::Grammar, 7, 99.0, 99.0);
}

/// The depth is unknowable. What matters is that this is reported, and that everything is repaired with the right callers.
#[test]
fn regular_recursion_is_reported_as_uncertain() {
    for pattern in [Pattern::Mutual, Pattern::Single] {
        for limit in [100, 7] {
            let sum = check(pattern, limit, 0.0, 0.0);
            let repaired = sum.right + sum.wrong;
            assert!(percent(repaired, sum.cut) >= 90.0, "{sum:?}");
            assert!(sum.wrong <= sum.uncertain, "{sum:?}");
            assert!(percent(sum.uncertain, repaired) >= 95.0, "{sum:?}");
        }
    }
}

/// Recursion to a single depth is not mistaken for truncation: the stacks start where all stacks start.
#[test]
fn a_program_of_one_depth_is_not_truncated() {
    for depth in [7, 20, 64, 100, 127] {
        let stack = |length: usize| [&[0, 1], &vec![20; length - 2][..]].concat();
        let mut samples: Vec<(u64, Vec<u32>)> = (0..500).map(|_| (7, stack(depth))).collect();
        let always = Recording {
            samples: samples.clone(),
        };
        samples.extend((3..depth).map(|length| (7, stack(length))));
        samples.extend((0..200).map(|_| (8, stack(depth))));
        for recording in [always, Recording { samples }] {
            let profile = read_bytes("a.nettrace", recording.file(usize::MAX)).unwrap();
            assert_eq!(profile.truncation, None, "depth {depth}");
        }
    }
}

/// Each stack is repaired by the previous one, down to six times the limit, and on the way back by the repaired ones.
#[test]
fn deep_stacks_are_repaired_incrementally() {
    let down = (2..600).map(|depth| (7, (0..depth).collect()));
    let up = (2..600).rev().step_by(20);
    let up = up.map(|depth| (7, (0..depth).collect()));
    let recording = Recording {
        samples: down.chain(up).collect(),
    };
    let read = |limit| read_bytes("a.nettrace", recording.file(limit)).unwrap();
    let (complete, repaired) = (read(usize::MAX), read(100));
    assert_eq!(stacks(&complete), stacks(&repaired));
    let total = repaired.truncation.as_ref().unwrap().total();
    assert_eq!(total.truncated.samples, recording.deeper_than(100));
}

/// `perf` stops after 127 frames.
#[test]
fn perf_script_output_is_repaired() {
    let recording = Recording::new(Pattern::Unambiguous, 127, 1000, 106);
    let read = |limit| read_bytes("a.perf.txt", recording.perf_script(limit).into_bytes()).unwrap();
    let (complete, repaired) = (read(usize::MAX), read(127));
    assert_eq!(complete.truncation, None);
    let truncation = repaired.truncation.as_ref().unwrap();
    let metric = repaired.recording.default_metric;
    assert_eq!((truncation.limit, truncation.metric), (127, metric));
    let sums = truncation.total();
    let truncated = sums.truncated.samples;
    assert_eq!(truncated, recording.deeper_than(127));
    assert_eq!(sums.truncated.value, truncated * 1_000_000);
    let restored = percent(sums.repaired.samples, truncated);
    assert!(restored >= 99.0, "{truncation:?}");
    for (ours, whole) in repaired.threads.iter().zip(complete.threads.iter()) {
        let expect = by_stack(&complete, metric, whole.node);
        let mut found = by_stack(&repaired, metric, ours.node);
        found.retain(|stack, _| !stack[0].starts_with('['));
        let mut found = found.iter();
        assert!(found.all(|(stack, time)| *time <= expect[stack]));
    }
}
