//! The mended tree from whole stacks, then from those that were mended, then from what is left.

use super::cuts::CutStacks;
use super::detect::Cuts;
use super::heads::Heads;
use super::shape::{NO_TRACK, Shape};
use super::stitch::Stretch;
use super::trie::Trie;
use super::{Fate, Moment, least_overlap};
use crate::model::{FrameId, Metric, RawNode, TooLarge, TreeBuilder};
use std::collections::HashMap;

/// Where a node of the unmended tree has no place in the mended one.
const NOWHERE: RawNode = RawNode(u32::MAX);

pub(super) struct Sewing<'a> {
    raw: &'a TreeBuilder,
    shape: &'a Shape,
    cuts: &'a Cuts,
    marker: FrameId,
    pub trie: Trie,
    /// By node of the unmended tree its node in the mended one, or [`NOWHERE`].
    pub places: Vec<RawNode>,
    pub stacks: CutStacks,
    /// By node of the unmended tree its place below the marker.
    left: HashMap<RawNode, RawNode, foldhash::fast::RandomState>,
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
        let stacks = CutStacks::new(cuts.limit);
        let heads = Heads::new(least_overlap(cuts.limit), shape.track_count());
        let trie = Trie::new(builder, heads, stacks.core());
        Sewing { raw, shape, cuts, marker, trie, places, stacks, left: HashMap::default() }
    }

    /// Collects the truncated stacks.
    pub fn take_cuts(&mut self, moments: &[Moment]) {
        let mut last = NOWHERE;
        for &moment in moments.iter().filter(|moment| !moment.is_rest) {
            let end = moment.node;
            // a shallower one was not cut by the limit, whatever it is
            if end != last && self.cuts.is_cut(self.shape, end) && self.shape.depth(end) == self.cuts.limit {
                self.stacks.add(self.raw, &mut self.trie.heads, self.shape.track(end), end);
                last = end;
            }
        }
    }

    /// Copies all that is not truncated, after [`Sewing::take_cuts`].
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

    /// The rows of the moments of each track that has truncated stacks. For all others `moment_places` gets the places.
    pub fn sort_by_track(&self, moments: &[Moment], moment_places: &mut [RawNode]) -> Vec<Vec<u32>> {
        let mut by_track = vec![Vec::new(); self.shape.track_count()];
        for (row, (moment, place)) in moments.iter().zip(moment_places).enumerate() {
            match self.shape.track(moment.node) {
                track if track != NO_TRACK && self.trie.heads.are_in(track) => {
                    by_track[track as usize].push(row as u32)
                }
                _ => *place = self.places[moment.node.0 as usize],
            }
        }
        by_track
    }

    /// The moments of a track, those with one stack joined.
    pub fn stretches(&self, moments: &[Moment], rows: &[u32]) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for &row in rows {
            let moment = moments[row as usize];
            if moment.is_rest || stretches.last().is_some_and(|last| last.raw == moment.node) {
                continue;
            }
            let place = self.places[moment.node.0 as usize];
            stretches.push(match place {
                NOWHERE => Stretch::truncated(moment.node, self.stacks.number(moment.node)),
                place => Stretch::whole(moment.node, place),
            });
        }
        stretches
    }

    /// Puts what could not be mended below the marker, and gives the place and the fate of each moment of the track.
    ///
    /// # Errors
    /// The tree is full.
    pub fn settle(
        &mut self,
        moments: &[Moment],
        rows: &[u32],
        mut stretches: Vec<Stretch>,
    ) -> Result<Vec<(RawNode, Fate)>, TooLarge> {
        for stretch in stretches.iter_mut().filter(|stretch| stretch.place.is_none()) {
            stretch.place = Some(self.place_left(stretch.raw)?);
        }
        let mut settled = Vec::with_capacity(rows.len());
        // the stretch that began last
        let mut at = None;
        for &row in rows {
            let Moment { node, is_rest } = moments[row as usize];
            let next = at.map_or(0, |at| at + 1);
            let known = self.places[node.0 as usize];
            settled.push(match is_rest {
                false => {
                    if at.is_none_or(|at: usize| stretches[at].raw != node) {
                        at = Some(next);
                    }
                    let stretch = &stretches[at.unwrap_or(0)];
                    (stretch.place.unwrap_or(TreeBuilder::ROOT), stretch.fate)
                }
                true if known != NOWHERE => (known, Fate::Whole),
                true => {
                    let near = at.into_iter().chain([next]).filter_map(|at| stretches.get(at));
                    match near.into_iter().find_map(|stretch| self.part(stretch, node)) {
                        Some(found) => found,
                        None => (self.place_left(node)?, Fate::Unmatched),
                    }
                }
            });
        }
        Ok(settled)
    }

    /// The place of a node of the unmended tree that lies on the way to the end of a stretch.
    fn part(&self, stretch: &Stretch, node: RawNode) -> Option<(RawNode, Fate)> {
        let steps = self.shape.depth(stretch.raw).checked_sub(self.shape.depth(node))?;
        let (mut raw, mut place) = (stretch.raw, stretch.place?);
        for _ in 0..steps {
            raw = self.raw.parent(raw);
            place = self.trie.builder.parent(place);
        }
        (raw == node).then_some((place, stretch.fate))
    }

    /// The place below the marker of a node of the unmended tree.
    fn place_left(&mut self, raw: RawNode) -> Result<RawNode, TooLarge> {
        let (mut missing, mut at) = (Vec::new(), raw);
        let mut place = loop {
            if let Some(&known) = self.left.get(&at) {
                break known;
            }
            if self.shape.depth(at) == 0 {
                let base = self.places[at.0 as usize];
                break self.trie.merge(self.shape.track(at), base, self.marker, false)?;
            }
            missing.push(at);
            at = self.raw.parent(at);
        };
        for node in missing.into_iter().rev() {
            place = self.trie.merge(self.shape.track(node), place, self.raw.frame(node), false)?;
            self.left.insert(node, place);
        }
        Ok(place)
    }
}
