//! The mended tree from whole stacks, then from those that were mended, then from what is left.

use super::cuts::{CutStacks, core};
use super::detect::Cuts;
use super::graft::Grafts;
use super::heads::Heads;
use super::shape::{NO_TRACK, Shape};
use super::stitch::Stretch;
use super::trie::Trie;
use super::{Fate, NOWHERE, StackEnd, StackEnds, least_overlap};
use crate::model::{FrameId, Metric, RawNode, TooLarge, TreeBuilder};

pub(super) struct Sewing<'a> {
    raw: &'a TreeBuilder,
    shape: &'a Shape,
    cuts: &'a Cuts,
    marker: FrameId,
    pub trie: Trie,
    /// By node of the unmended tree its node in the mended one, or [`NOWHERE`].
    pub places: Vec<RawNode>,
    pub stacks: CutStacks,
    pub grafts: Grafts,
}

impl<'a> Sewing<'a> {
    pub fn new(
        raw: &'a TreeBuilder,
        shape: &'a Shape,
        cuts: &'a Cuts,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Sewing<'a> {
        let builder = TreeBuilder::new(raw.frame(TreeBuilder::ROOT), metrics);
        let mut places = vec![NOWHERE; raw.len()];
        places[TreeBuilder::ROOT.0 as usize] = TreeBuilder::ROOT;
        let mut heads = Heads::new(least_overlap(cuts.limit), shape.track_count());
        let stacks = CutStacks::new(raw, shape, cuts, &mut heads);
        let trie = Trie::new(builder, heads, core(cuts.limit), cuts.limit);
        Sewing { raw, shape, cuts, marker, trie, places, stacks, grafts: Grafts::new(raw.len()) }
    }

    /// Copies all that is not truncated.
    ///
    /// # Errors
    /// The tree is full.
    pub fn copy_whole(&mut self) -> Result<(), TooLarge> {
        for (node, caller, frame) in self.raw.nodes() {
            let caller = self.places[caller.0 as usize];
            self.places[node.0 as usize] = match self.shape.track(node) {
                _ if self.shape.depth(node) == 0 => self.trie.add_above(caller, frame)?,
                _ if self.cuts.is_cut(self.shape, node) => NOWHERE,
                track => self.trie.merge(track, caller, frame, true)?,
            };
        }
        Ok(())
    }

    /// The rows of the moments of each track that has truncated stacks. For all others `end_places` gets the places.
    pub fn sort_by_track(&self, ends: &impl StackEnds, end_places: &mut [RawNode]) -> Vec<Vec<u32>> {
        let mut by_track = vec![Vec::new(); self.shape.track_count()];
        for row in ends.rows() {
            let node = ends.end(row).node;
            match self.shape.track(node) {
                track if track != NO_TRACK && self.trie.heads.are_in(track) => by_track[track as usize].push(row),
                _ => end_places[row as usize] = self.places[node.0 as usize],
            }
        }
        by_track
    }

    /// The moments of a track, those with one stack joined.
    pub fn stretches(&self, ends: &impl StackEnds, rows: &[u32]) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for &row in rows {
            let StackEnd { node, is_rest } = ends.end(row);
            if is_rest || stretches.last().is_some_and(|last| last.raw == node) {
                continue;
            }
            stretches.push(match self.places[node.0 as usize] {
                NOWHERE => Stretch::truncated(node),
                place => Stretch::whole(node, place),
            });
        }
        stretches
    }

    /// Puts what could not be mended below the marker, and tells the row, the place and the fate of each moment of the track.
    ///
    /// # Errors
    /// The tree is full.
    pub fn settle(
        &mut self,
        ends: &impl StackEnds,
        rows: &[u32],
        mut stretches: Vec<Stretch>,
        mut tell: impl FnMut(usize, RawNode, Fate),
    ) -> Result<(), TooLarge> {
        for stretch in stretches.iter_mut().filter(|stretch| stretch.place().is_none()) {
            stretch.put(self.place_left(stretch.raw)?);
        }
        // the stretch that began last
        let mut at = None;
        for &row in rows {
            let StackEnd { node, is_rest } = ends.end(row);
            let next = at.map_or(0, |at| at + 1);
            let (place, fate) = match is_rest {
                false => {
                    if at.is_none_or(|at: usize| stretches[at].raw != node) {
                        at = Some(next);
                    }
                    let stretch = &stretches[at.unwrap_or(0)];
                    (stretch.place().unwrap_or(TreeBuilder::ROOT), stretch.fate)
                }
                true => match self.places[node.0 as usize] {
                    NOWHERE => {
                        let near = at.into_iter().chain([next]).filter_map(|at| stretches.get(at));
                        match near.into_iter().find_map(|stretch| self.part(stretch, node)) {
                            Some(found) => found,
                            None => (self.place_left(node)?, Fate::Unmatched),
                        }
                    }
                    place => (place, Fate::Whole),
                },
            };
            tell(row as usize, place, fate);
        }
        Ok(())
    }

    /// The place of a node of the unmended tree that lies on the way to the end of a stretch.
    fn part(&self, stretch: &Stretch, node: RawNode) -> Option<(RawNode, Fate)> {
        let steps = self.shape.depth(stretch.raw).checked_sub(self.shape.depth(node))?;
        let (mut raw, mut place) = (stretch.raw, stretch.place()?);
        for _ in 0..steps {
            raw = self.raw.parent(raw);
            place = self.trie.builder.parent(place);
        }
        (raw == node).then_some((place, stretch.fate))
    }

    /// The place below the marker of a node of the unmended tree.
    fn place_left(&mut self, raw: RawNode) -> Result<RawNode, TooLarge> {
        let (track, depth) = (self.shape.track(raw), self.shape.depth(raw));
        let base = self.places[self.raw.parent(self.shape.top(raw)).0 as usize];
        let marker = self.trie.merge(track, base, self.marker, false)?;
        self.grafts.put(&mut self.trie, self.raw, (track, false), (raw, depth), (marker, marker))
    }
}
