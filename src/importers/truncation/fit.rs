//! Where in a stack the outermost frames of a truncated one occur.

use super::trie::Trie;
use crate::model::{FrameId, RawNode};

/// Where a head occurs too often to list, it is looked for among so many times the limit of a stack's innermost frames.
const WINDOW_LIMITS: usize = 3;

/// A truncated stack.
pub(super) struct Cut<'a> {
    /// Outermost first.
    pub frames: &'a [FrameId],
    /// The number of its head.
    pub head: u32,
}

/// How a truncated stack fits into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// The node below which it would hang.
    pub prefix: RawNode,
    /// How many frames are the same in a row, from the outermost of the truncated stack inwards.
    pub overlap: u32,
    /// Whether it fits in one place only, in a stack of which the depth is certain.
    pub is_sure: bool,
}

/// Memory that is used again.
#[derive(Default)]
pub(super) struct Scratch {
    path: Vec<FrameId>,
    matches: Vec<u32>,
    overlaps: Vec<u32>,
}

/// Where a truncated stack fits best into the one that ends at `leaf`: with the longest overlap and, among equal ones, so
/// that the depth of the two differs least. O(limit) where the head occurs in few places.
pub(super) fn fit(trie: &Trie, cut: &Cut<'_>, leaf: RawNode, scratch: &mut Scratch) -> Option<Fit> {
    let head = trie.heads.get(cut.head);
    if head.is_everywhere {
        return fit_in_window(trie, cut, leaf, scratch);
    }
    let length = trie.heads.length();
    let mut best = Best::new(trie.depth(leaf), cut);
    for &end in head.places.iter().filter(|&&end| trie.is_above(end, leaf)) {
        let innermost = (trie.depth(end) + cut.frames.len() as u32 - length).min(trie.depth(leaf));
        trie.path(end, trie.ancestor(leaf, innermost), &mut scratch.path);
        let more = scratch.path.iter().zip(&cut.frames[length as usize..]).take_while(|(a, b)| a == b).count();
        best.consider(trie.depth(end) - length, length + more as u32);
    }
    best.finish(trie, leaf)
}

/// As [`fit`], where the head occurs in many places: among the innermost frames only. O(limit).
fn fit_in_window(trie: &Trie, cut: &Cut<'_>, leaf: RawNode, scratch: &mut Scratch) -> Option<Fit> {
    let depth = trie.depth(leaf);
    let first = depth.saturating_sub(u32::try_from(cut.frames.len() * WINDOW_LIMITS).unwrap_or(u32::MAX));
    trie.path(trie.ancestor(leaf, first), leaf, &mut scratch.path);
    overlaps(cut.frames, &scratch.path, &mut scratch.matches, &mut scratch.overlaps);
    let mut best = Best::new(depth, cut);
    for (at, &overlap) in scratch.overlaps.iter().enumerate().filter(|(_, overlap)| **overlap >= trie.heads.length()) {
        best.consider(first + at as u32, overlap);
    }
    // what lies further out may fit as well
    best.count += u32::from(first > 0);
    best.finish(trie, leaf)
}

struct Best {
    depth: u32,
    length: u32,
    count: u32,
    /// Overlap, by how much the depths differ, and the depth of the prefix.
    found: Option<(u32, u32, u32)>,
}

impl Best {
    fn new(depth: u32, cut: &Cut<'_>) -> Best {
        Best { depth, length: cut.frames.len() as u32, count: 0, found: None }
    }

    fn consider(&mut self, prefix: u32, overlap: u32) {
        self.count += 1;
        let difference = (prefix + self.length).abs_diff(self.depth);
        let is_better = |(old, old_difference, _): (u32, u32, u32)| {
            overlap > old || (overlap == old && difference < old_difference)
        };
        if self.found.is_none_or(is_better) {
            self.found = Some((overlap, difference, prefix));
        }
    }

    fn finish(self, trie: &Trie, leaf: RawNode) -> Option<Fit> {
        let (overlap, _, prefix) = self.found?;
        let is_sure = self.count == 1 && trie.is_sure(leaf);
        Some(Fit { prefix: trie.ancestor(leaf, prefix), overlap, is_sure })
    }
}

/// For each place in `text` how many frames from there on are those with which `pattern` begins. O(pattern + text), by what
/// is known as the Z algorithm.
fn overlaps(pattern: &[FrameId], text: &[FrameId], matches: &mut Vec<u32>, overlaps: &mut Vec<u32>) {
    let (mut start, mut end) = (0, 0);
    matches.clear();
    for at in 0..pattern.len() {
        let mut length = match at {
            0 => pattern.len(),
            _ if at < end => (matches[at - start] as usize).min(end - at),
            _ => 0,
        };
        while at + length < pattern.len() && pattern[length] == pattern[at + length] {
            length += 1;
        }
        if at > 0 && at + length > end {
            (start, end) = (at, at + length);
        }
        matches.push(length as u32);
    }
    (start, end) = (0, 0);
    overlaps.clear();
    for at in 0..text.len() {
        let mut length = if at < end { (matches[at - start] as usize).min(end - at) } else { 0 };
        while length < pattern.len() && at + length < text.len() && pattern[length] == text[at + length] {
            length += 1;
        }
        if at + length > end {
            (start, end) = (at, at + length);
        }
        overlaps.push(length as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> Vec<FrameId> {
        text.bytes().map(|byte| FrameId(byte.into())).collect()
    }

    /// Compares with the definition.
    #[track_caller]
    fn check(pattern: &str, text: &str) {
        let (pattern, text) = (frames(pattern), frames(text));
        let (mut matches, mut found) = (Vec::new(), Vec::new());
        overlaps(&pattern, &text, &mut matches, &mut found);
        let same = |at: usize| text[at..].iter().zip(&pattern).take_while(|(a, b)| a == b).count() as u32;
        assert_eq!(found, (0..text.len()).map(same).collect::<Vec<_>>());
    }

    #[test]
    fn overlaps_are_those_of_the_definition() {
        check("abc", "");
        check("abc", "xxabcxabab");
        check("aaaa", "aaaaaabaaa");
        check("abab", "abababab");
        check("a", "aaa");
        check("abcabcabd", "abcabcabcabdabc");
        check("aabaab", "aabaabaabaabaac");
    }
}
