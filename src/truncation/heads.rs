//! With which frames truncated stacks begin, and where whole stacks have these frames in a row.

use super::hash::hash_of;
use crate::model::{FrameId, RawNode, TreeBuilder};
use std::collections::HashMap;

/// A head with more places than these is taken for recursion, or for methods that everything is called through: only
/// neighbours in time tell where a stack belongs.
const MAX_PLACES: usize = 16;

/// The outermost frames of truncated stacks, as many as must at least be found again.
pub(super) struct Heads {
    length: u32,
    rows: Vec<Head>,
    by_hash: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// By track: whether it has truncated stacks.
    is_in: Vec<bool>,
}

pub(super) struct Head {
    track: u32,
    frames: Vec<FrameId>,
    /// Where such frames are in a row in the mended tree, [`MAX_PLACES`] at most.
    pub places: Vec<HeadPlace>,
    /// Whether there are more.
    pub is_everywhere: bool,
    /// Another head with the same hash.
    next: Option<u32>,
}

/// A place in the mended tree.
#[derive(Clone, Copy)]
pub(super) struct HeadPlace {
    /// The innermost frame of the head.
    pub end: RawNode,
    /// How many frames lie between the track and it, itself included.
    pub depth: u32,
    /// The caller of the outermost one.
    pub prefix: RawNode,
}

impl Heads {
    /// No heads yet, of `length` frames each.
    pub fn new(length: u32, track_count: usize) -> Heads {
        Heads { length, rows: Vec::new(), by_hash: HashMap::default(), is_in: vec![false; track_count] }
    }

    /// How many frames a head has.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Whether a track has truncated stacks.
    pub fn are_in(&self, track: u32) -> bool {
        self.is_in[track as usize]
    }

    /// The number of a head, made if it is new.
    pub fn intern(&mut self, track: u32, frames: &[FrameId]) -> u32 {
        self.is_in[track as usize] = true;
        let key = key(hash_of(frames), track);
        let first = self.by_hash.get(&key).copied();
        let mut next = first;
        while let Some(number) = next {
            let head = &self.rows[number as usize];
            if head.track == track && head.frames == frames {
                return number;
            }
            next = head.next;
        }
        let number = self.rows.len() as u32;
        self.by_hash.insert(key, number);
        let frames = frames.to_vec();
        self.rows.push(Head { track, frames, places: Vec::new(), is_everywhere: false, next: first });
        number
    }

    /// The head with a number.
    pub fn get(&self, head: u32) -> &Head {
        &self.rows[head as usize]
    }

    /// Notes a row of frames in the mended tree with this hash, in case they are a head.
    pub fn note(&mut self, builder: &TreeBuilder, track: u32, hash: u64, place: HeadPlace) {
        let mut next = self.by_hash.get(&key(hash, track)).copied();
        while let Some(number) = next {
            let head = &mut self.rows[number as usize];
            next = head.next;
            if head.is_everywhere || head.track != track || caller_of(builder, place.end, &head.frames).is_none() {
                continue;
            }
            match head.places.len() < MAX_PLACES {
                true => head.places.push(place),
                false => head.is_everywhere = true,
            }
        }
    }
}

fn key(hash: u64, track: u32) -> u64 {
    hash ^ u64::from(track).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// The node below which these frames lie, if the stack that ends at `end` ends with them.
pub(super) fn caller_of(builder: &TreeBuilder, end: RawNode, frames: &[FrameId]) -> Option<RawNode> {
    frames.iter().rev().try_fold(end, |at, &expect| {
        let (above, frame) = builder.node(at);
        (frame == expect).then_some(above)
    })
}
