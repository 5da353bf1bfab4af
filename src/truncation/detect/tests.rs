use super::*;
use crate::model::{Metric, SampleKind, WeightedSample};

/// Stacks of one or more threads: the thread, the number of samples, and methods as letters, outermost first; `x9` after
/// a letter repeats it, `?` is nameless. Expects the limit and the first letters of truncated stacks.
#[track_caller]
fn check(stacks: &[(u8, u32, &str)], expect: Option<(u32, &str)>) {
    let mut raw = TreeBuilder::new(FrameId(0), &[Metric::time("wall", None)]);
    let tracks: Vec<RawNode> = (0..3)
        .map(|_| raw.add(TreeBuilder::ROOT, FrameId(0)).unwrap())
        .collect();
    let mut ends = Vec::new();
    for &(thread, samples, text) in stacks {
        let mut frames = Vec::new();
        for part in text.split(' ') {
            let (letter, times) = part.split_once('x').unwrap_or((part, "1"));
            let frame = FrameId(letter.as_bytes()[0].into());
            frames.extend(std::iter::repeat_n(frame, times.parse().unwrap()));
        }
        let node = raw.push_stack(tracks[thread as usize], frames).unwrap();
        ends.extend((0..samples).map(|_| WeightedSample::new(0, 1, node, 0, 1)));
    }
    let log = SampleLog::new([SampleKind::default()]).with_samples(Vec::new(), ends);
    let shape = TrackShape::new(&raw, &tracks);
    let is_nameless = |frame: FrameId| frame.0 == u32::from(b'?');
    let found = detect(&raw, &shape, &log, is_nameless).map(|cuts| {
        let tops = raw
            .nodes()
            .filter(|(node, ..)| cuts.is_cut_top[node.0 as usize]);
        let mut letters: Vec<char> = tops.map(|(.., frame)| char::from(frame.0 as u8)).collect();
        letters.sort_unstable();
        (cuts.limit, letters.into_iter().collect::<String>())
    });
    assert_eq!(found, expect.map(|(limit, tops)| (limit, tops.to_string())));
}

#[test]
fn a_stack_that_starts_with_a_callee_is_truncated() {
    check(
        &[(0, 50, "s b"), (0, 1, "s b cx50"), (0, 1, "bx50 cx50")],
        Some((100, "b")),
    );
    // any limit, but not for a few samples
    check(&[(0, 50, "s b"), (0, 30, "b cx19")], Some((20, "b")));
    check(&[(0, 50, "s b"), (0, 19, "b cx19")], None);
    // a stack that starts like complete ones is complete
    check(
        &[(0, 50, "s b"), (0, 30, "b cx19"), (0, 30, "s b cx18")],
        Some((20, "b")),
    );
}

#[test]
fn naturally_ending_depths_have_no_spike() {
    let below: Vec<(u8, u32, &str)> = vec![
        (0, 200, "s b cx17"),
        (0, 200, "s b cx16"),
        (0, 200, "s b cx15"),
    ];
    let with = |samples| {
        below
            .iter()
            .copied()
            .chain([(0, samples, "b cx19")])
            .collect::<Vec<_>>()
    };
    check(&with(40), None);
    check(&with(100), Some((20, "b")));
}

#[test]
fn recursion_to_a_fixed_depth_is_not_suspected() {
    check(&[(0, 500, "s bx99")], None);
    check(&[(0, 500, "s bx99"), (0, 1, "s")], None);
    check(&[(0, 500, "s bx99"), (1, 500, "t"), (2, 9, "s b")], None);
    check(&[(0, 500, "bx100"), (0, 3, "bx50")], None);
}

#[test]
fn entries_of_other_threads_count() {
    // no shallow stacks on the thread itself
    check(&[(0, 500, "s bx99"), (1, 3, "s")], None);
    check(&[(0, 500, "b cx99"), (1, 3, "s b")], Some((100, "b")));
    // u is never called, but the thread starts with another frame
    check(&[(0, 500, "u cx99"), (0, 3, "s")], Some((100, "u")));
    check(&[(0, 500, "u cx99"), (1, 3, "s")], None);
}

#[test]
fn a_single_failed_stack_walk_is_not_an_entry() {
    check(
        &[(0, 500, "b cx99"), (0, 100, "s b"), (0, 1, "b c")],
        Some((100, "b")),
    );
    check(&[(0, 500, "b cx99"), (0, 100, "s b"), (0, 30, "b c")], None);
}

#[test]
fn unknown_limits_need_evidence() {
    // without names all stacks look alike
    check(&[(0, 900, "?x7"), (1, 40, "?x7")], None);
    check(&[(0, 900, "?x7"), (1, 40, "?x6"), (2, 40, "s ? b")], None);
    check(&[(0, 900, "? b c d e f g"), (1, 40, "s ? b")], None);
    // b is called, but not by an entry
    check(&[(0, 900, "b c d e f g h"), (0, 40, "c b d e f g h")], None);
    check(&[(0, 900, "b c d e f g h"), (0, 40, "? b d e f g")], None);
    // nor is a frame that occurs nowhere else
    check(&[(0, 900, "u c d e f g h"), (0, 40, "s c d")], None);
    check(
        &[(0, 900, "b c d e f g h"), (0, 40, "s b c d")],
        Some((7, "b")),
    );
    // a known limit needs no further evidence
    check(&[(0, 900, "?x100"), (1, 40, "s ?x7")], Some((100, "?")));
}

#[test]
fn implausible_limits_are_rejected() {
    check(&[(0, 500, "s b"), (0, 500, "b c d e")], None);
    check(&[(0, 500, "s b"), (0, 500, "b cx2000")], None);
}
