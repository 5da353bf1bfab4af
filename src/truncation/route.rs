use super::trie::Trie;
use crate::model::{FrameId, RawNode};

/// A stack, outermost frame first. Consecutive lookups share most frames, so only the others are looked up again.
#[derive(Default)]
pub(super) struct Route {
    /// The node above the outermost frame.
    track: RawNode,
    nodes: Vec<RawNode>,
    frames: Vec<FrameId>,
}

impl Route {
    /// Goes to a node of any track. Returns how many frames were looked up.
    pub(super) fn go(&mut self, trie: &Trie, leaf: RawNode) -> u32 {
        let depth = trie.depth(leaf) as usize;
        // the track marks unknown nodes, as it is not on a stack itself
        self.nodes.resize(depth, self.track);
        self.frames.resize(depth, FrameId(0));
        let (mut at, mut left) = (leaf, depth);
        while left > 0 && self.nodes[left - 1] != at {
            left -= 1;
            let (above, frame) = (trie.builder.parent(at), trie.builder.frame(at));
            (self.nodes[left], self.frames[left]) = (at, frame);
            at = above;
        }
        if left == 0 {
            self.track = at;
        }
        (depth - left) as u32
    }

    pub(super) fn depth(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(super) fn node(&self, depth: u32) -> RawNode {
        depth
            .checked_sub(1)
            .map_or(self.track, |row| self.nodes[row as usize])
    }

    pub(super) fn goes_through(&self, node: RawNode, depth: u32) -> bool {
        depth <= self.depth() && self.node(depth) == node
    }

    pub(super) fn below(&self, depth: u32) -> &[FrameId] {
        &self.frames[depth as usize..]
    }

    /// Whether the `count` innermost frames down to two depths are the same.
    pub(super) fn have_same_callers(&self, a: u32, b: u32, count: u32) -> bool {
        let callers =
            |depth: u32| Some(&self.frames[depth.checked_sub(count)? as usize..depth as usize]);
        callers(a).is_some_and(|callers_of_a| callers(b) == Some(callers_of_a))
    }
}

#[cfg(test)]
mod tests;
