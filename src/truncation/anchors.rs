//! Anchors: the outermost frames of truncated stacks, and where these occur consecutively in other stacks.

use super::hash::hash_of;
use crate::model::{FrameId, RawNode, TreeBuilder};
use std::collections::HashMap;

/// An anchor with more occurrences is taken for recursion, or for methods that everything is called through: only
/// neighbors in time reveal where a stack belongs.
const MAX_OCCURRENCES: usize = 16;

pub(super) struct Anchors {
    pub length: u32,
    rows: Vec<Anchor>,
    by_hash: HashMap<u64, Vec<u32>, foldhash::fast::RandomState>,
    has_stacks: Vec<bool>,
}

pub(super) struct Anchor {
    track: u32,
    frames: Vec<FrameId>,
    /// Where its frames occur consecutively in the repaired tree.
    pub occurrences: Vec<AnchorOccurrence>,
    pub is_everywhere: bool,
}

#[derive(Clone, Copy)]
pub(super) struct AnchorOccurrence {
    /// The innermost frame.
    pub end: RawNode,
    /// In frames from below the track, including `end`.
    pub depth: u32,
    /// The caller of the outermost frame.
    pub prefix: RawNode,
}

impl Anchors {
    pub(super) fn new(length: u32, track_count: usize) -> Anchors {
        Anchors {
            length,
            rows: Vec::new(),
            by_hash: HashMap::default(),
            has_stacks: vec![false; track_count],
        }
    }

    pub(super) fn has_track(&self, track: u32) -> bool {
        self.has_stacks[track as usize]
    }

    pub(super) fn intern(&mut self, track: u32, frames: &[FrameId]) -> u32 {
        self.has_stacks[track as usize] = true;
        let candidates = self.by_hash.entry(key(hash_of(frames), track));
        let candidates = candidates.or_default();
        let is_it = |anchor: &Anchor| anchor.track == track && anchor.frames == frames;
        let mut known = candidates.iter();
        if let Some(&number) = known.find(|&&number| is_it(&self.rows[number as usize])) {
            return number;
        }
        let number = self.rows.len() as u32;
        candidates.push(number);
        self.rows.push(Anchor {
            track,
            frames: frames.to_vec(),
            occurrences: Vec::new(),
            is_everywhere: false,
        });
        number
    }

    pub(super) fn get(&self, anchor: u32) -> &Anchor {
        &self.rows[anchor as usize]
    }

    /// Records consecutive frames of the repaired tree with this hash if they are an anchor.
    pub(super) fn note(
        &mut self,
        builder: &TreeBuilder,
        track: u32,
        hash: u64,
        occurrence: AnchorOccurrence,
    ) {
        for &number in self.by_hash.get(&key(hash, track)).into_iter().flatten() {
            let anchor = &mut self.rows[number as usize];
            if anchor.is_everywhere
                || anchor.track != track
                || caller_of(builder, occurrence.end, &anchor.frames).is_none()
            {
                continue;
            }
            match anchor.occurrences.len() < MAX_OCCURRENCES {
                true => anchor.occurrences.push(occurrence),
                false => anchor.is_everywhere = true,
            }
        }
    }
}

/// How many frames must match, and the length of an anchor: a fifth of the limit, from 3 to 20, which
/// `docs/repair.md` explains.
pub(super) fn min_overlap(limit: u32) -> u32 {
    (limit / 5).clamp(3, 20)
}

fn key(hash: u64, track: u32) -> u64 {
    hash ^ u64::from(track).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

fn caller_of(builder: &TreeBuilder, end: RawNode, frames: &[FrameId]) -> Option<RawNode> {
    frames.iter().rev().try_fold(end, |at, &expect| {
        (builder.frame(at) == expect).then(|| builder.parent(at))
    })
}
