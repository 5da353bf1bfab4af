//! The repaired tree under construction: whole stacks, and truncated ones in the places found for them.

use super::anchors::{AnchorOccurrence, Anchors};
use super::hash::{FACTOR, extended};
use crate::model::{FrameId, RawNode, TooLarge, TreeBuilder};

#[derive(Clone, Copy)]
struct TrieRow {
    hash: u64,
    depth: u32,
    /// A node above that lets [`Trie::ancestor`] take long steps; a track's is itself.
    jump: RawNode,
    /// Whether a stack of certain depth goes through here.
    is_sure: bool,
}

impl TrieRow {
    /// Of a track, or of a node above tracks.
    fn above(node: RawNode) -> TrieRow {
        TrieRow {
            hash: 0,
            depth: 0,
            jump: node,
            is_sure: true,
        }
    }
}

/// A tree of stacks with fast access to ancestors, and the places where truncated stacks could start. Takes 24 bytes
/// per node, plus the builder's.
pub(super) struct Trie {
    pub builder: TreeBuilder,
    rows: Vec<TrieRow>,
    pub anchors: Anchors,
    anchor_power: u64,
}

impl Trie {
    pub(super) fn new(builder: TreeBuilder, anchors: Anchors) -> Trie {
        let rows = vec![TrieRow::above(TreeBuilder::ROOT); builder.len()];
        Trie {
            rows,
            builder,
            anchor_power: FACTOR.wrapping_pow(anchors.length),
            anchors,
        }
    }

    pub(super) fn add_above(
        &mut self,
        parent: RawNode,
        frame: FrameId,
    ) -> Result<RawNode, TooLarge> {
        let node = self.builder.add(parent, frame)?;
        self.rows.push(TrieRow::above(node));
        Ok(node)
    }

    /// The node of `frame` below `parent`, which belongs to `track`. O(log depth) if it is new.
    pub(super) fn merge(
        &mut self,
        track: u32,
        parent: RawNode,
        frame: FrameId,
        is_sure: bool,
    ) -> Result<RawNode, TooLarge> {
        let node = self.builder.merge(parent, frame)?;
        if let Some(row) = self.rows.get_mut(node.0 as usize) {
            row.is_sure |= is_sure;
            return Ok(node);
        }
        let above = self.row(parent);
        let jump = self.row(above.jump);
        let far = self.row(jump.jump);
        // joins jumps of equal length (Myers, "An applicative random-access stack")
        let joined = above.depth - jump.depth == jump.depth - far.depth;
        let jump = if joined { jump.jump } else { parent };
        let (hash, depth) = (extended(above.hash, frame), above.depth + 1);
        self.rows.push(TrieRow {
            hash,
            depth,
            jump,
            is_sure,
        });
        if !self.anchors.has_track(track) {
            return Ok(node);
        }
        if depth >= self.anchors.length {
            let prefix = self.ancestor(parent, depth - self.anchors.length);
            let hash = hash.wrapping_sub(self.row(prefix).hash.wrapping_mul(self.anchor_power));
            let occurrence = AnchorOccurrence {
                end: node,
                depth,
                prefix,
            };
            self.anchors.note(&self.builder, track, hash, occurrence);
        }
        Ok(node)
    }

    fn row(&self, node: RawNode) -> TrieRow {
        self.rows[node.0 as usize]
    }

    /// In frames from below the track, including the node.
    pub(super) fn depth(&self, node: RawNode) -> u32 {
        self.row(node).depth
    }

    pub(super) fn is_sure(&self, node: RawNode) -> bool {
        self.row(node).is_sure
    }

    /// The ancestor at `depth`, which must be at most the node's own. O(log depth).
    pub(super) fn ancestor(&self, node: RawNode, depth: u32) -> RawNode {
        let mut at = node;
        while self.depth(at) > depth {
            let jump = self.row(at).jump;
            at = match self.depth(jump) >= depth {
                true => jump,
                false => self.builder.parent(at),
            };
        }
        at
    }

    /// Whether `outer` is `inner` or an ancestor of it. O(log depth).
    pub(super) fn is_above(&self, outer: RawNode, inner: RawNode) -> bool {
        let depth = self.depth(outer);
        depth <= self.depth(inner) && self.ancestor(inner, depth) == outer
    }
}
