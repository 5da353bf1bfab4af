//! The different truncated stacks.

use super::fit::{Recurrence, Scratch, recurrence};
use super::heads::Heads;
use super::trie::hash_of;
use crate::model::{FrameId, RawNode, TreeBuilder};
use std::collections::HashMap;

/// The core of a truncated stack is this share of its frames, from the outermost on. If all of it is in a neighbour, no
/// other is asked.
const CORE: (u32, u32) = (1, 2);

/// A truncated stack.
#[derive(Clone, Copy)]
pub(super) struct CutStack {
    /// The number of its head.
    pub head: u32,
    /// How it recurs.
    pub recurs: Recurrence,
    /// The hash of its core.
    pub core_hash: u64,
}

/// All truncated stacks, by where they end in the unmended tree.
pub(super) struct CutStacks {
    limit: u32,
    rows: Vec<CutStack>,
    by_raw: HashMap<RawNode, u32, foldhash::fast::RandomState>,
    frames: Vec<FrameId>,
    scratch: Scratch,
}

impl CutStacks {
    /// None yet, of `limit` frames each.
    pub fn new(limit: u32) -> CutStacks {
        CutStacks {
            limit,
            rows: Vec::new(),
            by_raw: HashMap::default(),
            frames: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// How many frames of a stack are its core.
    pub fn core(&self) -> u32 {
        (self.limit * CORE.0).div_ceil(CORE.1)
    }

    /// Takes the stack that ends at a node. O(limit) if it is new.
    pub fn add(&mut self, raw: &TreeBuilder, heads: &mut Heads, track: u32, end: RawNode) {
        if self.by_raw.contains_key(&end) {
            return;
        }
        let mut frames = std::mem::take(&mut self.frames);
        self.frames(raw, end, &mut frames);
        let head = heads.intern(track, &frames[..heads.length() as usize]);
        let recurs = recurrence(&frames, heads.length(), &mut self.scratch);
        let core_hash = hash_of(&frames[..self.core() as usize]);
        self.frames = frames;
        self.by_raw.insert(end, self.rows.len() as u32);
        self.rows.push(CutStack { head, recurs, core_hash });
    }

    /// The number of the stack that ends at a node, if it is one.
    pub fn number(&self, end: RawNode) -> Option<u32> {
        self.by_raw.get(&end).copied()
    }

    /// The stack with a number.
    pub fn get(&self, number: u32) -> CutStack {
        self.rows[number as usize]
    }

    /// Puts the frames of the stack that ends at a node into `frames`, outermost first.
    pub fn frames(&self, raw: &TreeBuilder, end: RawNode, frames: &mut Vec<FrameId>) {
        frames.clear();
        let mut at = end;
        for _ in 0..self.limit {
            let (above, frame) = raw.node(at);
            frames.push(frame);
            at = above;
        }
        frames.reverse();
    }
}
