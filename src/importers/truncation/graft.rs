//! Puts truncated stacks below their callers.

use super::NOWHERE;
use super::trie::Trie;
use crate::model::{RawNode, TooLarge, TreeBuilder};

/// Where the nodes of truncated stacks were put last: most stacks share all but their innermost frames with one that was put
/// below the same callers before. 8 bytes a node of the unmended tree.
pub(super) struct Grafts {
    rows: Vec<Graft>,
    /// For use again.
    missing: Vec<RawNode>,
}

#[derive(Clone, Copy)]
struct Graft {
    /// The node below which the stack was put, or [`NOWHERE`].
    prefix: RawNode,
    place: RawNode,
}

impl Grafts {
    /// None yet, of an unmended tree of so many nodes.
    pub fn new(nodes: usize) -> Grafts {
        let none = Graft { prefix: NOWHERE, place: NOWHERE };
        Grafts { rows: vec![none; nodes], missing: Vec::new() }
    }

    /// Puts a truncated stack of a track below `prefix`, where its frames but the innermost `more` end at `end` already.
    ///
    /// # Errors
    /// The tree is full.
    pub fn put(
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
            // one that was put here with less certainty is put again, so that this is noted
            if known.prefix == prefix && (trie.is_sure(known.place) || !is_sure) {
                place = known.place;
                break;
            }
            self.missing.push(at);
            at = raw.parent(at);
        }
        for &node in self.missing.iter().rev() {
            place = trie.merge(track, place, raw.frame(node), is_sure)?;
            self.rows[node.0 as usize] = Graft { prefix, place };
        }
        Ok(place)
    }
}
