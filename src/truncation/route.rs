//! The way from a track to a node of the repaired tree.

use super::trie::Trie;
use crate::model::{FrameId, RawNode};

/// A stack of the repaired tree, outermost frame first. Stacks that are asked for one after the other have most of their frames
/// in common, so that few are looked up again.
#[derive(Default)]
pub(super) struct Route {
    /// The node above the outermost frame.
    track: RawNode,
    nodes: Vec<RawNode>,
    frames: Vec<FrameId>,
}

impl Route {
    /// Goes to a node of some track. Says how many frames were looked up.
    pub(super) fn go(&mut self, trie: &Trie, leaf: RawNode) -> u32 {
        let depth = trie.depth(leaf) as usize;
        // the track stands for a node that is not known yet: it is none of those below it
        self.nodes.resize(depth, self.track);
        self.frames.resize(depth, FrameId(0));
        let (mut at, mut left) = (leaf, depth);
        while left > 0 && self.nodes[left - 1] != at {
            left -= 1;
            let (above, frame) = trie.builder.node(at);
            (self.nodes[left], self.frames[left]) = (at, frame);
            at = above;
        }
        if left == 0 {
            self.track = at;
        }
        (depth - left) as u32
    }

    /// How many frames the stack has.
    pub(super) fn depth(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The node at a depth that is at most the stack's; the track at 0.
    pub(super) fn node(&self, depth: u32) -> RawNode {
        depth
            .checked_sub(1)
            .map_or(self.track, |row| self.nodes[row as usize])
    }

    /// Whether the stack goes through a node at a depth.
    pub(super) fn goes_through(&self, node: RawNode, depth: u32) -> bool {
        depth <= self.depth() && self.node(depth) == node
    }

    /// The frames that lie deeper than `depth`, which is at most the stack's.
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
mod tests {
    use super::super::anchors::Anchors;
    use super::super::cuts::core;
    use super::*;
    use crate::model::TreeBuilder;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the stack before was, nodes and frames are those that one gets by going from the leaf to the track.
        #[test]
        fn a_route_is_what_parents_say(
            callers in prop::collection::vec((0usize..1000, 1u32..4), 1..200),
            leaves in prop::collection::vec(0usize..1000, 1..50),
        ) {
            let mut trie = Trie::new(TreeBuilder::new(FrameId(0), &[]), Anchors::new(3, 2), core(5), 5);
            let mut nodes = Vec::new();
            for track in 0..2 {
                nodes.push((trie.add_above(TreeBuilder::ROOT, FrameId(9)).unwrap(), track));
            }
            for (caller, frame) in callers {
                let (caller, track) = nodes[caller % nodes.len()];
                nodes.push((trie.merge(track, caller, FrameId(frame), true).unwrap(), track));
            }
            let mut route = Route::default();
            for leaf in leaves {
                let mut at = nodes[leaf % nodes.len()].0;
                route.go(&trie, at);
                prop_assert_eq!(route.depth(), trie.depth(at));
                for depth in (0..=route.depth()).rev() {
                    prop_assert_eq!(route.node(depth), at);
                    prop_assert!(depth == 0 || route.below(depth - 1)[0] == trie.builder.frame(at));
                    at = trie.builder.parent(at);
                }
            }
        }
    }
}
