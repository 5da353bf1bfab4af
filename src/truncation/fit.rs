//! Finds the outermost frames of a truncated stack in another stack.

use super::cuts::CutStack;
use super::route::Route;
use super::trie::Trie;
use crate::model::{FrameId, RawNode};
use std::cmp::Reverse;

/// If an anchor occurs too often to list its occurrences, this many times the limit of a stack's innermost frames are
/// searched.
const WINDOW_FACTOR: usize = 3;
/// No frame has this id.
const SEPARATOR: FrameId = FrameId(u32::MAX);

/// Outermost first.
pub(super) type TruncatedFrames<'a> = (&'a [FrameId], CutStack);

/// How a stack's outermost frames, at least an anchor's worth, recur further in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Recurrence {
    /// The longest recurrence, in frames.
    pub longest: u32,
    /// How far in from the outermost frame a recurrence extends.
    pub reach: u32,
}

impl Recurrence {
    /// Whether a truncated stack could just as well be one or more recurrences deeper: all of the `overlap` matching
    /// frames recur, or half of the stack does.
    pub(super) fn may_be_deeper(self, overlap: u32, limit: u32) -> bool {
        overlap <= self.reach || self.is_recursion(limit)
    }

    /// Whether at least half of the stack repeats itself.
    pub(super) fn is_recursion(self, limit: u32) -> bool {
        self.longest * 2 >= limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// Where it would be attached.
    pub prefix: RawNode,
    pub end: RawNode,
    /// The consecutive matching frames, from the truncated stack's outermost frame inwards.
    pub overlap: u32,
    /// Whether its depth is certain: the other stack's is, and the frames don't recur in it.
    pub is_sure: bool,
    /// Whether it fits equally well elsewhere in the stack, below other callers.
    pub is_tied: bool,
}

#[derive(Default)]
pub(super) struct Scratch {
    joined: Vec<FrameId>,
    matches: Vec<u32>,
    /// The depth of the prefix, and how many frames match from there on.
    found: Vec<(u32, u32)>,
}

/// The longest overlap and, among equals, the smallest difference in depth. O(limit) if the anchor occurs in few
/// places.
pub(super) fn fit(
    trie: &Trie,
    cut @ (frames, CutStack { anchor, .. }): TruncatedFrames,
    stack: &Route,
    scratch: &mut Scratch,
) -> Option<Fit> {
    let anchor = trie.anchors.get(anchor);
    scratch.found.clear();
    if anchor.is_everywhere {
        let is_partial = find_in_window(trie, cut, stack, scratch);
        // frames further out may fit equally well
        return best(trie, cut, stack, &scratch.found).map(|fit| Fit {
            is_sure: fit.is_sure && !is_partial,
            ..fit
        });
    }
    let length = trie.anchors.length;
    let occurrences = anchor.occurrences.iter();
    for occurrence in occurrences.filter(|one| stack.goes_through(one.end, one.depth)) {
        let here = stack.below(occurrence.depth);
        let there = &frames[length as usize..];
        let more = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        let found = (occurrence.depth - length, length + more as u32);
        scratch.found.push(found);
    }
    best(trie, cut, stack, &scratch.found)
}

/// For anchors that occur in many places: searches the innermost frames, and returns whether others were skipped.
/// O(limit).
fn find_in_window(
    trie: &Trie,
    (frames, _): TruncatedFrames,
    stack: &Route,
    scratch: &mut Scratch,
) -> bool {
    let first = stack
        .depth()
        .saturating_sub(u32::try_from(frames.len() * WINDOW_FACTOR).unwrap_or(u32::MAX));
    let Scratch {
        joined,
        matches,
        found,
    } = scratch;
    let overlaps = overlaps(frames, stack.below(first), joined, matches);
    let overlaps = (first..).zip(overlaps.iter().copied());
    found.extend(overlaps.filter(|(_, overlap)| *overlap >= trie.anchors.length));
    first > 0
}

fn best(
    trie: &Trie,
    (frames, CutStack { recurs, .. }): TruncatedFrames,
    stack: &Route,
    found: &[(u32, u32)],
) -> Option<Fit> {
    let difference = |prefix: u32| (prefix + frames.len() as u32).abs_diff(stack.depth());
    let &(prefix, overlap) = found
        .iter()
        .max_by_key(|(prefix, overlap)| (*overlap, Reverse(difference(*prefix))))?;
    let leaf = stack.node(stack.depth());
    let may_be_deeper = recurs.may_be_deeper(overlap, frames.len() as u32);
    let (mut is_sure, mut is_tied) = (trie.is_sure(leaf) && !may_be_deeper, false);
    for &(other, other_overlap) in found.iter().filter(|(other, _)| *other != prefix) {
        // the truncated stack contains its anchor a second time: it recurs
        let recurs = other.abs_diff(prefix) + trie.anchors.length <= overlap.min(other_overlap);
        let is_equal = other_overlap == overlap;
        if recurs || (is_equal && stack.have_same_callers(prefix, other, trie.anchors.length)) {
            is_sure = false;
        } else {
            is_tied |= is_equal;
        }
    }
    Some(Fit {
        prefix: stack.node(prefix),
        end: stack.node(prefix + overlap),
        overlap,
        is_sure,
        is_tied,
    })
}

/// How anchors of `least` or more frames recur. O(frames).
pub(super) fn recurrence(frames: &[FrameId], least: u32, scratch: &mut Scratch) -> Recurrence {
    self_overlaps(frames, &mut scratch.matches);
    let mut recurs = Recurrence::default();
    let matches = (0..).zip(&scratch.matches).skip(1);
    for (from, &same) in matches.filter(|(_, same)| **same >= least) {
        recurs.longest = recurs.longest.max(same);
        recurs.reach = recurs.reach.max(from + same);
    }
    recurs
}

/// The length of the longest prefix of `pattern` at each position in `text`. O(pattern + text).
fn overlaps<'a>(
    pattern: &[FrameId],
    text: &[FrameId],
    joined: &mut Vec<FrameId>,
    matches: &'a mut Vec<u32>,
) -> &'a [u32] {
    joined.clear();
    joined.extend_from_slice(pattern);
    joined.push(SEPARATOR);
    joined.extend_from_slice(text);
    self_overlaps(joined, matches);
    &matches[pattern.len() + 1..]
}

/// The length of the longest prefix at each position, by the Z algorithm.
fn self_overlaps(frames: &[FrameId], matches: &mut Vec<u32>) {
    let (mut start, mut end) = (0, 0);
    matches.clear();
    for at in 0..frames.len() {
        let mut length = match at {
            0 => frames.len(),
            _ if at < end => (matches[at - start] as usize).min(end - at),
            _ => 0,
        };
        while at + length < frames.len() && frames[length] == frames[at + length] {
            length += 1;
        }
        if at > 0 && at + length > end {
            (start, end) = (at, at + length);
        }
        matches.push(length as u32);
    }
}

#[cfg(test)]
mod tests;
