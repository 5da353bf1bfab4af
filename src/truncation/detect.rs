//! Finds out whether stacks were cut, at how many frames, and which.
//!
//! A recorder that walks at most M frames, from the leaf, leaves stacks of exactly M frames that start with a method from
//! the middle of the program. So M is the depth of the deepest stack, and a stack of M frames is taken for truncated if
//! its outermost frame is none with which stacks of its track start that are whole:
//!
//! 1. It is an **entry** if shallower stacks of the track start with it; if the track has none, if shallower stacks of any
//!    track do. A stack of M frames that starts with an entry is whole, so that a program that recurses to depth M is not
//!    accused. One exception: a frame that starts few shallower stacks (one for 50 of M frames), and is called elsewhere,
//!    and beside which the track has another entry ten times as common; walks sometimes fail in the middle of a stack.
//! 2. A frame that is no entry and is **called** in another stack, so that callers of it are known, speaks for a cut.
//! 3. A frame that is neither is believed to be cut off only where 2 holds for other stacks, or its track has entries.
//!
//! M itself is believed if it is a limit that recorders are known to have ([`KNOWN_LIMITS`]); any other on two conditions. At
//! least [`MIN_SAMPLES`] stacks are cut, and they are at least half as many as there are on average of the four depths below M:
//! depths that just come to an end have no such spike, for all that would be deeper is gathered there. And of so many the
//! outermost frame is called in stacks that start with an entry. Frames without a name are no evidence of anything: where the
//! list of methods is missing, all stacks are made of them, and threads that wait have one depth.

use super::ends::StackEnds;
use super::shape::{NO_TRACK, TrackShape};
use crate::model::{FrameId, RawNode, TreeBuilder};
use std::collections::{HashMap, HashSet};

/// Limits of recorders: .NET's EventPipe, `perf` (`kernel.perf_event_max_stack`), Event Tracing for Windows.
const KNOWN_LIMITS: [u32; 4] = [100, 127, 96, 192];
/// No recorder walks fewer frames; a tree of so few levels needs no repair.
const MIN_LIMIT: u32 = 5;
/// None walks more; what is deeper is recursion without an end.
const MAX_LIMIT: u32 = 1024;
/// So many cut stacks make a limit believed that no recorder is known for.
const MIN_SAMPLES: u64 = 20;
/// A stray start: one shallower stack for so many of the limit's depth.
const STRAY_SHARE: u64 = 50;
/// Another start of the track must be so many times as common for one to be a stray.
const STRAY_RIVAL: u64 = 10;

pub(super) struct Cuts {
    /// The number of frames at which stacks were cut.
    pub limit: u32,
    /// By raw node: whether it is the outermost frame of truncated stacks. All below it are incomplete.
    pub is_cut_top: Vec<bool>,
}

impl Cuts {
    /// Whether the callers of a node are missing.
    pub(super) fn is_cut(&self, shape: &TrackShape, node: RawNode) -> bool {
        shape.depth(node) > 0 && self.is_cut_top[shape.top(node).0 as usize]
    }
}

/// The samples of a node that is the outermost frame of stacks.
#[derive(Clone, Copy, Default)]
struct Starts {
    /// Those whose stack is as deep as the deepest.
    deep: u64,
    shallow: u64,
}

/// Finds the truncated stacks; `None` if there are none.
pub(super) fn detect(
    raw: &TreeBuilder,
    shape: &TrackShape,
    ends: &impl StackEnds,
    is_nameless: impl Fn(FrameId) -> bool,
) -> Option<Cuts> {
    let counts = counts_of(raw, ends);
    let counted = || {
        (0..)
            .map(RawNode)
            .zip(&counts)
            .filter(|(_, count)| **count > 0)
    };
    let limit = counted().map(|(node, _)| shape.depth(node)).max()?;
    if !(MIN_LIMIT..=MAX_LIMIT).contains(&limit) {
        return None;
    }
    let mut by_depth = vec![0u64; limit as usize + 1];
    let mut tops: HashMap<RawNode, Starts, foldhash::fast::RandomState> = HashMap::default();
    for (node, &count) in counted() {
        let depth = shape.depth(node);
        by_depth[depth as usize] += u64::from(count);
        if depth > 0 {
            let starts = tops.entry(shape.top(node)).or_default();
            *(if depth == limit {
                &mut starts.deep
            } else {
                &mut starts.shallow
            }) += u64::from(count);
        }
    }
    let judge = Judge::new(raw, shape, tops);
    let (cut, called_samples) = judge.cut_tops();
    let below = &by_depth[(limit as usize).saturating_sub(4).max(1)..limit as usize];
    let average = below.iter().sum::<u64>() / below.len().max(1) as u64;
    let is_spike = called_samples >= MIN_SAMPLES && called_samples * 2 >= average;
    let is_proven = || judge.called_by_whole(&cut, is_nameless) >= MIN_SAMPLES;
    if cut.is_empty() || !(KNOWN_LIMITS.contains(&limit) || is_spike && is_proven()) {
        return None;
    }
    let mut is_cut_top = vec![false; raw.len()];
    cut.iter().for_each(|top| is_cut_top[top.0 as usize] = true);
    Some(Cuts { limit, is_cut_top })
}

/// How many stacks end at each node.
fn counts_of(raw: &TreeBuilder, ends: &impl StackEnds) -> Vec<u32> {
    let mut counts = vec![0u32; raw.len()];
    let whole = ends.rows().map(|row| ends.end(row));
    for end in whole.filter(|end| !end.is_rest) {
        let count = &mut counts[end.node.0 as usize];
        *count = count.saturating_add(1);
    }
    counts
}

enum Verdict {
    Whole,
    Cut,
    /// Nothing is known of the frame.
    Likely,
}

struct Judge<'a> {
    raw: &'a TreeBuilder,
    shape: &'a TrackShape,
    tops: HashMap<RawNode, Starts, foldhash::fast::RandomState>,
    /// By frame: how many shallower stacks of all tracks start with it.
    starts: HashMap<FrameId, u64, foldhash::fast::RandomState>,
    /// By track: how many shallower stacks it has, and how many of them start with its most common top.
    tracks: Vec<(u64, u64)>,
    /// By frame: whether it is called in some stack.
    is_called: Vec<bool>,
}

impl<'a> Judge<'a> {
    /// The outermost frames whose deepest stacks are cut, and how many samples these have.
    fn cut_tops(&self) -> (Vec<RawNode>, u64) {
        let (mut cut, mut likely) = (Vec::new(), Vec::new());
        let (mut called_samples, mut likely_samples) = (0u64, 0u64);
        for (&top, starts) in self.tops.iter().filter(|(_, starts)| starts.deep > 0) {
            match self.verdict(top, *starts) {
                Verdict::Cut => {
                    cut.push(top);
                    called_samples += starts.deep;
                }
                Verdict::Likely => {
                    likely.push(top);
                    likely_samples += starts.deep;
                }
                Verdict::Whole => {}
            }
        }
        if called_samples > 0 || self.believes_alone(&likely) {
            cut.extend(likely);
            called_samples += likely_samples;
        }
        (cut, called_samples)
    }

    fn new(
        raw: &'a TreeBuilder,
        shape: &'a TrackShape,
        tops: HashMap<RawNode, Starts, foldhash::fast::RandomState>,
    ) -> Self {
        let mut starts: HashMap<FrameId, u64, foldhash::fast::RandomState> = HashMap::default();
        let mut tracks = vec![(0, 0); shape.track_count()];
        for (&top, Starts { shallow, .. }) in &tops {
            *starts.entry(raw.frame(top)).or_default() += shallow;
            let (all, most) = &mut tracks[shape.track(top) as usize];
            *all += shallow;
            *most = (*most).max(*shallow);
        }
        let mut is_called = Vec::new();
        for (node, _, frame) in raw.nodes() {
            if shape.track(node) != NO_TRACK && shape.depth(node) > 1 {
                if is_called.len() <= frame.index() {
                    is_called.resize(frame.index() + 1, false);
                }
                is_called[frame.index()] = true;
            }
        }
        Judge {
            raw,
            shape,
            tops,
            starts,
            tracks,
            is_called,
        }
    }

    fn verdict(&self, top: RawNode, own: Starts) -> Verdict {
        let frame = self.raw.frame(top);
        let (of_track, most) = self.tracks[self.shape.track(top) as usize];
        let elsewhere = self.starts.get(&frame).copied().unwrap_or(0);
        let is_called = self.is_called.get(frame.index()).copied().unwrap_or(false);
        let is_stray =
            is_called && own.shallow * STRAY_SHARE <= own.deep && most >= own.shallow * STRAY_RIVAL;
        let is_entry = match (own.shallow, of_track) {
            (1.., _) => !is_stray,
            (0, 0) => elsewhere > 0,
            (0, _) => elsewhere > 0 && !is_called,
        };
        match is_entry {
            true => Verdict::Whole,
            false if is_called => Verdict::Cut,
            false => Verdict::Likely,
        }
    }

    /// How many samples of stacks that start with the frames of `cut` start with one that has a name and is called in stacks that
    /// start with an entry. O(nodes).
    fn called_by_whole(&self, cut: &[RawNode], is_nameless: impl Fn(FrameId) -> bool) -> u64 {
        let is_proof = |top: &RawNode| !is_nameless(self.raw.frame(*top));
        let shallow = self
            .tops
            .iter()
            .filter(|(_, starts)| starts.shallow > 0)
            .map(|(&top, _)| top);
        let cut: HashSet<RawNode> = cut.iter().copied().filter(is_proof).collect();
        let entries: HashSet<RawNode> = shallow
            .filter(|top| is_proof(top) && !cut.contains(top))
            .collect();
        let calls = self
            .raw
            .nodes()
            .filter(|&(node, ..)| self.shape.depth(node) > 1);
        let called: HashSet<FrameId> = calls
            .filter(|&(node, ..)| entries.contains(&self.shape.top(node)))
            .map(|(.., frame)| frame)
            .collect();
        cut.iter()
            .filter(|top| called.contains(&self.raw.frame(**top)))
            .map(|top| self.tops[top].deep)
            .sum()
    }

    /// Whether stacks of which nothing is known are taken for truncated though no others are: their tracks have entries.
    fn believes_alone(&self, likely: &[RawNode]) -> bool {
        !likely.is_empty()
            && likely
                .iter()
                .all(|&top| self.tracks[self.shape.track(top) as usize].0 > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Metric;
    use crate::truncation::ends::StackEnd;

    /// Stacks of one or more threads: the thread, how many samples, and methods as letters, outermost first, where `x9` after
    /// a letter repeats it and `?` has no name. Expects the limit and the first letters of truncated stacks.
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
            ends.extend((0..samples).map(|_| StackEnd {
                node,
                is_rest: false,
            }));
        }
        let shape = TrackShape::new(&raw, &tracks);
        let is_nameless = |frame: FrameId| frame.0 == u32::from(b'?');
        let found = detect(&raw, &shape, &ends, is_nameless).map(|cuts| {
            let tops = raw
                .nodes()
                .filter(|(node, ..)| cuts.is_cut_top[node.0 as usize]);
            let mut letters: Vec<char> =
                tops.map(|(.., frame)| char::from(frame.0 as u8)).collect();
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
        // one that starts as whole ones do is whole
        check(
            &[(0, 50, "s b"), (0, 30, "b cx19"), (0, 30, "s b cx18")],
            Some((20, "b")),
        );
    }

    #[test]
    fn depths_that_come_to_an_end_have_no_spike() {
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
    fn a_program_that_recurses_to_one_depth_is_not_accused() {
        check(&[(0, 500, "s bx99")], None);
        check(&[(0, 500, "s bx99"), (0, 1, "s")], None);
        check(&[(0, 500, "s bx99"), (1, 500, "t"), (2, 9, "s b")], None);
        check(&[(0, 500, "bx100"), (0, 3, "bx50")], None);
    }

    #[test]
    fn of_other_threads_entries_are_known() {
        // nothing shallow on the thread itself
        check(&[(0, 500, "s bx99"), (1, 3, "s")], None);
        check(&[(0, 500, "b cx99"), (1, 3, "s b")], Some((100, "b")));
        // u is called nowhere, but the thread starts otherwise
        check(&[(0, 500, "u cx99"), (0, 3, "s")], Some((100, "u")));
        check(&[(0, 500, "u cx99"), (1, 3, "s")], None);
    }

    #[test]
    fn a_walk_that_failed_once_is_no_entry() {
        check(
            &[(0, 500, "b cx99"), (0, 100, "s b"), (0, 1, "b c")],
            Some((100, "b")),
        );
        check(&[(0, 500, "b cx99"), (0, 100, "s b"), (0, 30, "b c")], None);
    }

    #[test]
    fn a_limit_that_no_recorder_has_needs_evidence() {
        // without names all stacks look alike
        check(&[(0, 900, "?x7"), (1, 40, "?x7")], None);
        check(&[(0, 900, "?x7"), (1, 40, "?x6"), (2, 40, "s ? b")], None);
        check(&[(0, 900, "? b c d e f g"), (1, 40, "s ? b")], None);
        // b is called, but by nothing that starts whole stacks
        check(&[(0, 900, "b c d e f g h"), (0, 40, "c b d e f g h")], None);
        check(&[(0, 900, "b c d e f g h"), (0, 40, "? b d e f g")], None);
        // neither is what nobody knows
        check(&[(0, 900, "u c d e f g h"), (0, 40, "s c d")], None);
        check(
            &[(0, 900, "b c d e f g h"), (0, 40, "s b c d")],
            Some((7, "b")),
        );
        // a limit that recorders have needs no more than before
        check(&[(0, 900, "?x100"), (1, 40, "s ?x7")], Some((100, "?")));
    }

    #[test]
    fn no_recorder_has_such_limits() {
        check(&[(0, 500, "s b"), (0, 500, "b c d e")], None);
        check(&[(0, 500, "s b"), (0, 500, "b cx2000")], None);
    }
}
