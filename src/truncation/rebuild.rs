//! Builds the repaired tree: first whole stacks, then repaired ones, then the rest.

use super::anchors::{Anchors, min_overlap};
use super::cuts::CutStacks;
use super::detect::Cuts;
use super::ends::{NOWHERE, StackEnd};
use super::outcome::RepairOutcome;
use super::placement::Placements;
use super::shape::{NO_TRACK, TrackShape};
use super::trie::Trie;
use crate::model::{FrameId, Metric, RawNode, SampleLog, TooLarge, TreeBuilder};

pub(super) struct StackRun {
    pub raw: RawNode,
    pub place: RawNode,
    pub outcome: RepairOutcome,
}

impl StackRun {
    pub(super) fn place(&self) -> Option<RawNode> {
        Some(self.place).filter(|place| *place != NOWHERE)
    }
}

pub(super) struct Rebuild<'a> {
    pub raw: &'a TreeBuilder,
    shape: &'a TrackShape,
    pub cuts: &'a Cuts,
    marker: FrameId,
    pub trie: Trie,
    pub places: Vec<RawNode>,
    pub stacks: CutStacks,
    pub placements: Placements,
}

impl<'a> Rebuild<'a> {
    pub(super) fn new(
        raw: &'a TreeBuilder,
        shape: &'a TrackShape,
        cuts: &'a Cuts,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Rebuild<'a> {
        let builder = TreeBuilder::new(raw.frame(TreeBuilder::ROOT), metrics);
        let mut places = vec![NOWHERE; raw.len()];
        places[TreeBuilder::ROOT.0 as usize] = TreeBuilder::ROOT;
        let mut anchors = Anchors::new(min_overlap(cuts.limit), shape.track_count);
        let stacks = CutStacks::new(raw, shape, cuts, &mut anchors);
        let trie = Trie::new(builder, anchors);
        Rebuild {
            raw,
            shape,
            cuts,
            marker,
            trie,
            places,
            stacks,
            placements: Placements::new(raw.len()),
        }
    }

    pub(super) fn copy_whole(&mut self) -> Result<(), TooLarge> {
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

    /// The samples of each track with truncated stacks. All others get their places in `end_places`.
    pub(super) fn sort_by_track(
        &self,
        log: &SampleLog,
        end_places: &mut [RawNode],
    ) -> Vec<Vec<u32>> {
        let mut by_track = vec![Vec::new(); self.shape.track_count];
        for row in log.rows_in_order() {
            let node = StackEnd::of(log, row).node;
            match self.shape.track(node) {
                track if track != NO_TRACK && self.trie.anchors.has_track(track) => {
                    by_track[track as usize].push(row)
                }
                _ => end_places[row as usize] = self.places[node.0 as usize],
            }
        }
        by_track
    }

    /// A run is consecutive samples of a track with the same stack.
    pub(super) fn runs(&self, log: &SampleLog, rows: &[u32]) -> Vec<StackRun> {
        let mut runs: Vec<StackRun> = Vec::new();
        for &row in rows {
            let StackEnd { node, is_rest } = StackEnd::of(log, row);
            if is_rest || runs.last().is_some_and(|last| last.raw == node) {
                continue;
            }
            let place = self.places[node.0 as usize];
            runs.push(StackRun {
                raw: node,
                place,
                outcome: match place {
                    NOWHERE => RepairOutcome::Unmatched,
                    _ => RepairOutcome::Whole,
                },
            });
        }
        runs
    }

    /// Puts unrepaired stacks below the marker. `visit` gets the row, place and outcome of each sample of the track.
    pub(super) fn settle(
        &mut self,
        log: &SampleLog,
        rows: &[u32],
        mut runs: Vec<StackRun>,
        mut visit: impl FnMut(usize, RawNode, RepairOutcome),
    ) -> Result<(), TooLarge> {
        for run in runs.iter_mut().filter(|run| run.place().is_none()) {
            run.place = self.place_unrepaired(run.raw)?;
        }
        let mut at = None;
        for &row in rows {
            let StackEnd { node, is_rest } = StackEnd::of(log, row);
            let next = at.map_or(0, |at| at + 1);
            let (place, outcome) = match is_rest {
                false => {
                    if at.is_none_or(|at: usize| runs[at].raw != node) {
                        at = Some(next);
                    }
                    let run = &runs[at.unwrap_or(0)];
                    (run.place().unwrap_or(TreeBuilder::ROOT), run.outcome)
                }
                true => match self.places[node.0 as usize] {
                    NOWHERE => {
                        let near = at.into_iter().chain([next]).filter_map(|at| runs.get(at));
                        match near.into_iter().find_map(|run| self.part(run, node)) {
                            Some(found) => found,
                            None => (self.place_unrepaired(node)?, RepairOutcome::Unmatched),
                        }
                    }
                    place => (place, RepairOutcome::Whole),
                },
            };
            visit(row as usize, place, outcome);
        }
        Ok(())
    }

    fn part(&self, run: &StackRun, node: RawNode) -> Option<(RawNode, RepairOutcome)> {
        let steps = self
            .shape
            .depth(run.raw)
            .checked_sub(self.shape.depth(node))?;
        let (mut raw, mut place) = (run.raw, run.place()?);
        for _ in 0..steps {
            raw = self.raw.parent(raw);
            place = self.trie.builder.parent(place);
        }
        (raw == node).then_some((place, run.outcome))
    }

    fn place_unrepaired(&mut self, raw: RawNode) -> Result<RawNode, TooLarge> {
        let (track, depth) = (self.shape.track(raw), self.shape.depth(raw));
        let base = self.places[self.raw.parent(self.shape.top(raw)).0 as usize];
        let marker = self.trie.merge(track, base, self.marker, false)?;
        self.placements.put(
            &mut self.trie,
            self.raw,
            (track, false),
            (raw, depth),
            (marker, marker),
        )
    }
}
