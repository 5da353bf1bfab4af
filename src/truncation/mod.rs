//! Detects, marks and repairs stacks that the recorder cut at a maximum depth.
//!
//! Recorders walk stacks from the leaf and stop at a maximum depth (.NET: 100 frames). In the tree, such a stack ends
//! up directly below its thread.
//!
//! `docs/repair.md` describes how truncation is recognized and repaired. A track is a thread or an activity in it.
//! Consecutive samples of the same stack form a run, and the outermost frames of a truncated stack,
//! [`anchors::min_overlap`] of them, are its anchor.
//!
//! # Cost
//!
//! Linear in nodes and samples, with a factor of the limit for distinct truncated stacks, and of the logarithm of the
//! depth for all. The work per run and the nodes of the repaired tree are bounded. Memory per sample: 8 bytes for the
//! importer's log, 5 for the result and up to 16 while tracks are repaired; per node of the original tree 29 bytes, and 8
//! more while truncated stacks are collected; per truncated stack 12 bytes; per node of the repaired tree 24 bytes.

mod anchors;
mod cuts;
mod detect;
mod ends;
mod fit;
mod hash;
mod outcome;
mod placement;
mod rebuild;
mod route;
mod shape;
mod track;
mod trie;

use crate::model::{FrameId, Frames, Metric, RawNode, SampleLog, Synthetic, TooLarge, TreeBuilder};
use detect::Cuts;
use outcome::RepairOutcome;
use rebuild::Rebuild;
use shape::TrackShape;
use track::TrackRepair;

pub(crate) struct TruncatedStacks {
    shape: TrackShape,
    pub(crate) cuts: Cuts,
    is_in_order: bool,
}

/// Without values.
pub(crate) struct RepairedTree {
    pub builder: TreeBuilder,
    pub raw_places: Vec<RawNode>,
    pub places: Vec<RawNode>,
    pub outcomes: Vec<RepairOutcome>,
}

/// Finds the truncated stacks of the tree `raw`, below `tracks`: nodes of threads, or of activities in them.
/// `is_in_order`: the samples of `log` are in time order within each track; otherwise neighbors are not used for
/// repair.
pub(crate) fn find(
    raw: &TreeBuilder,
    tracks: &[RawNode],
    log: &SampleLog,
    is_in_order: bool,
    is_nameless: impl Fn(FrameId) -> bool,
) -> Option<TruncatedStacks> {
    let shape = TrackShape::new(raw, tracks);
    let cuts = detect::detect(raw, &shape, log, is_nameless)?;
    Some(TruncatedStacks {
        shape,
        cuts,
        is_in_order,
    })
}

impl TruncatedStacks {
    pub(crate) fn marker(&self, frames: &mut Frames) -> FrameId {
        frames.add_synthetic(Synthetic::Truncated {
            limit: self.cuts.limit,
        })
    }

    /// The original tree, without values, and its places: truncated stacks are below nodes with the frame `marker`.
    pub(crate) fn mark(
        &self,
        raw: &TreeBuilder,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Result<(TreeBuilder, Vec<RawNode>), TooLarge> {
        let mut builder = TreeBuilder::new(raw.frame(TreeBuilder::ROOT), metrics);
        builder.reserve(raw.len());
        let mut places = vec![TreeBuilder::ROOT; raw.len()];
        for (node, caller, frame) in raw.nodes() {
            let mut caller = places[caller.0 as usize];
            if self.cuts.is_cut_top[node.0 as usize] {
                caller = builder.merge(caller, marker)?;
            }
            places[node.0 as usize] = builder.add(caller, frame)?;
        }
        Ok((builder, places))
    }

    /// Stacks that stay truncated are put below nodes with the frame `marker`. `raw` and `log` must be those passed to
    /// [`find`].
    pub(crate) fn repair(
        &self,
        raw: &TreeBuilder,
        log: &SampleLog,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Result<RepairedTree, TooLarge> {
        let mut rebuild = Rebuild::new(raw, &self.shape, &self.cuts, marker, metrics);
        rebuild.copy_whole()?;
        let mut places = vec![TreeBuilder::ROOT; log.len()];
        let mut outcomes = vec![RepairOutcome::Whole; log.len()];
        let by_track = rebuild.sort_by_track(log, &mut places);
        let by_track = by_track.iter().enumerate();
        for (track, rows) in by_track.filter(|(_, rows)| !rows.is_empty()) {
            let runs = rebuild.runs(log, rows);
            let mut repair = TrackRepair::new(&mut rebuild, track as u32, runs);
            repair.find_callers(self.is_in_order)?;
            let runs = repair.runs;
            rebuild.settle(log, rows, runs, |row, place, outcome| {
                (places[row], outcomes[row]) = (place, outcome)
            })?;
        }
        Ok(RepairedTree {
            builder: rebuild.trie.builder,
            raw_places: rebuild.places,
            places,
            outcomes,
        })
    }
}
