//! Puts truncated stacks below their callers.

use super::ends::NOWHERE;
use super::trie::Trie;
use crate::model::{RawNode, TooLarge, TreeBuilder};

/// Where the nodes of truncated stacks were last put: most share all but their innermost frames. Takes 8 bytes per node
/// of the original tree.
pub(super) struct Placements {
    rows: Vec<Placement>,
    missing: Vec<RawNode>,
}

#[derive(Clone, Copy)]
struct Placement {
    prefix: RawNode,
    place: RawNode,
}

impl Placements {
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

    pub(super) fn has(&self, leaf: RawNode, prefix: RawNode) -> bool {
        self.rows[leaf.0 as usize].prefix == prefix
    }

    /// Puts a truncated stack of a track below `prefix`, where all but its innermost `more` frames already exist, down
    /// to `end`.
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
            // a stack put here with less certainty is put again to update that; nodes above may stay less certain
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
mod tests;
