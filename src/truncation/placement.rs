//! Puts truncated stacks below their callers.

use super::ends::NOWHERE;
use super::trie::Trie;
use crate::model::{RawNode, TooLarge, TreeBuilder};

/// Where the nodes of truncated stacks were put last: most stacks share all but their innermost frames with one that was put
/// below the same callers before. 8 bytes a node of the original tree.
pub(super) struct Placements {
    rows: Vec<Placement>,
    missing: Vec<RawNode>,
}

#[derive(Clone, Copy)]
struct Placement {
    /// The node below which the stack was put, or [`NOWHERE`].
    prefix: RawNode,
    place: RawNode,
}

impl Placements {
    /// None yet, of an original tree of so many nodes.
    pub(super) fn new(nodes: usize) -> Placements {
        let none = Placement {
            prefix: NOWHERE,
            place: NOWHERE,
        };
        Placements {
            rows: vec![none; nodes],
            missing: Vec::new(),
        }
    }

    /// Whether the stack that ends at a node was put below `prefix` last.
    pub(super) fn has(&self, leaf: RawNode, prefix: RawNode) -> bool {
        self.rows[leaf.0 as usize].prefix == prefix
    }

    /// Puts a truncated stack of a track below `prefix`, where its frames but the innermost `more` end at `end` already.
    ///
    /// # Errors
    /// The tree is full.
    pub(super) fn put(
        &mut self,
        trie: &mut Trie,
        raw: &TreeBuilder,
        (track, is_sure): (u32, bool),
        (leaf, more): (RawNode, u32),
        (prefix, end): (RawNode, RawNode),
    ) -> Result<RawNode, TooLarge> {
        self.missing.clear();
        let (mut at, mut place) = (leaf, end);
        for _ in 0..more {
            let known = self.rows[at.0 as usize];
            // One that was put here with less certainty is put again, so that this is noted. What lies above may stay less
            // certain, which errs on the careful side.
            if known.prefix == prefix && (trie.is_sure(known.place) || !is_sure) {
                place = known.place;
                break;
            }
            self.missing.push(at);
            at = raw.parent(at);
        }
        for &node in self.missing.iter().rev() {
            place = trie.merge(track, place, raw.frame(node), is_sure)?;
            self.rows[node.0 as usize] = Placement { prefix, place };
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::anchors::Anchors;
    use super::super::cuts::core;
    use super::*;
    use crate::model::FrameId;
    use proptest::prelude::*;

    proptest! {
        /// What was put before changes neither where a stack ends nor whether that is called certain.
        #[test]
        fn a_stack_ends_where_all_its_frames_lead(
            stacks in prop::collection::vec(prop::collection::vec(1u32..4, 5), 1..30),
            puts in prop::collection::vec((0usize..30, 0usize..3, any::<bool>()), 1..100),
        ) {
            let mut raw = TreeBuilder::new(FrameId(0), &[]);
            let mut push = |stack: &Vec<u32>| {
                raw.push_stack(TreeBuilder::ROOT, stack.iter().map(|&frame| FrameId(frame))).unwrap()
            };
            let leaves: Vec<RawNode> = stacks.iter().map(&mut push).collect();
            let trie = || {
                let mut trie = Trie::new(TreeBuilder::new(FrameId(0), &[]), Anchors::new(3, 1), core(5), 5);
                let track = trie.add_above(TreeBuilder::ROOT, FrameId(9)).unwrap();
                let prefixes: Vec<RawNode> =
                    (10..13).map(|frame| trie.merge(0, track, FrameId(frame), true).unwrap()).collect();
                (trie, prefixes)
            };
            let ((mut repaired, prefixes), (mut plain, _)) = (trie(), trie());
            let mut placements = Placements::new(raw.len());
            for (stack, prefix, is_sure) in puts {
                let (stack, prefix) = (stack % stacks.len(), prefixes[prefix]);
                let place =
                    placements.put(&mut repaired, &raw, (0, is_sure), (leaves[stack], 5), (prefix, prefix)).unwrap();
                let expect =
                    stacks[stack].iter().fold(prefix, |at, &frame| plain.merge(0, at, FrameId(frame), is_sure).unwrap());
                prop_assert_eq!((place, repaired.is_sure(place)), (expect, plain.is_sure(expect)));
                prop_assert!(placements.has(leaves[stack], prefix));
            }
        }
    }
}
