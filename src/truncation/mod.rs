//! Detects, marks and repairs stacks that the recorder cut at a maximum depth.
//!
//! Recorders walk stacks from the leaf and stop at a maximum depth (.NET: 100 frames), so the outer callers of deep
//! stacks are missing. In the tree, such a stack ends up directly below its thread, as if the program started
//! there.
//!
//! | file | does |
//! |---|---|
//! | `ends`, `outcome` | the end node of each sample's stack; the outcome of each sample |
//! | `shape` | depths and tracks of nodes |
//! | `detect` | the limit, and which stacks were cut at it |
//! | `cuts`, `anchors` | the distinct truncated stacks; where their outermost frames occur |
//! | `hash` | rolling hashes of consecutive frames |
//! | `trie` | the repaired tree under construction |
//! | `route` | a path in it |
//! | `fit` | finds where a truncated stack fits into another |
//! | `placement` | attaches it there |
//! | `track` | finds the callers for one track |
//! | `rebuild` | makes the repaired tree of all tracks |
//!
//! # How stacks are repaired
//!
//! The program usually was in the same calls shortly before and after, when the stack was less deep or was cut elsewhere.
//! If the outermost frames of a truncated stack (its anchor, [`anchors::least_overlap`] of them) occur in a row in such a
//! stack, the callers of this match are those that are missing. Samples of one stack that follow each other are one run.
//!
//! 1. A run next to one that is whole or repaired gets its callers if half of its stack or more (its core) is there, in
//!    one place only. Along the track and back, this repairs most.
//! 2. Of the two runs before and after that have their place, then of eight, that with the longest match counts; of equal
//!    ones the nearest. If equal ones at the same distance, or in one stack, would give other callers, the stack is
//!    ambiguous and stays truncated. The longest matches of the track come first, and each repaired stack is a neighbor for
//!    the others, so that deep stacks are repaired by less deep ones step by step. A match of less than two fifths of the
//!    limit may be one of a library's methods: it is taken only if no stack of the track has a longer one. If there is one
//!    longer match, its callers are taken.
//! 3. What is left is looked for in all stacks of the track: if the longest match is in one place only, its callers are
//!    taken. Then 2 again, for as long as that repairs anything.
//!
//! If a match occurs at several depths of a stack (recursion), the place is taken that makes the depth differ least from that
//! stack's. Then, and if a truncated stack repeats itself, so that it may as well be deeper by one repetition, its depth is
//! called uncertain; who calls whom is what was seen. An anchor that is in more than 16 places is looked for in the innermost
//! frames of neighbors only, and three quarters of the stack must be there, or two fifths if half of it repeats
//! itself.
//!
//! # How the least overlap was chosen
//!
//! On the thread irregular of `deepstacks-cycle` (shared test data), where the true depth of each stack is known, some stacks
//! are repaired wrongly with overlaps of 10 or 12, and none with 15; 20 leaves a margin, and 30 repairs 127 of 2,774 fewer. Of
//! recordings made for the tests (`tests/truncation`) and cut at 20 and 7 frames, where each method is called in one place,
//! none is repaired wrongly with 3 or more; with 6 of 7, 3 % are not repaired.
//!
//! # Cost
//!
//! Linear in nodes and samples, times the limit for different truncated stacks, and the logarithm of the depth. Matches are
//! found by rolling hashes of as many frames as an anchor has, which are compared with those of anchors only; anchors are then
//! checked frame by frame. The work for each run is bounded, as are the nodes of the repaired tree. In memory: 8 bytes a
//! sample for the importer's log, 5 for the answer and up to 16 while tracks are repaired; 29 bytes a node of the original tree
//! and 24 more, and 32 a truncated stack, while these are collected; 24 a node of the repaired tree, and about 40 where
//! truncated stacks may end. Afterwards there are two trees. They are made at the same time (`importers::assembly`), for which
//! the tree of the samples is kept; the tracks are repaired one by one: to repair these at the same time, too, was
//! tried and gained nothing on two processors.

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

pub(crate) use outcome::{RepairOutcome, RepairTally};

use crate::model::{FrameId, Frames, Metric, RawNode, SampleLog, Synthetic, TooLarge, TreeBuilder};
use detect::Cuts;
use rebuild::Rebuild;
use shape::TrackShape;
use track::TrackRepair;

/// The truncated stacks of a tree.
pub(crate) struct TruncatedStacks {
    shape: TrackShape,
    cuts: Cuts,
    is_in_order: bool,
}

/// The original tree in which truncated stacks hang below a node of their own. It has no values yet.
pub(crate) struct MarkedTree {
    pub builder: TreeBuilder,
    /// For each node of the tree as it was recorded its node here.
    pub places: Vec<RawNode>,
}

/// The repaired tree. It has no values yet.
pub(crate) struct RepairedTree {
    pub builder: TreeBuilder,
    /// For each node of the original tree above and at tracks, and for those of whole stacks, its node here.
    pub raw_places: Vec<RawNode>,
    /// For each sample its node here.
    pub places: Vec<RawNode>,
    pub outcomes: Vec<RepairOutcome>,
}

/// Finds the truncated stacks of the tree `raw`, in which stacks hang below `tracks`: nodes of threads, or of activities in
/// them. `ends` are in time order within each track unless `is_in_order` denies it, in which case no neighbors will be
/// asked; `is_nameless` identifies frames without names. `None` if no stack is truncated.
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
    /// At how many frames stacks were cut.
    pub(crate) fn limit(&self) -> u32 {
        self.cuts.limit
    }

    /// The frame of the node below which truncated stacks hang.
    pub(crate) fn marker(&self, frames: &mut Frames) -> FrameId {
        frames.add_synthetic(Synthetic::Truncated {
            limit: self.cuts.limit,
        })
    }

    /// The original tree with its truncated stacks below nodes of the frame `marker`.
    ///
    /// # Errors
    /// If the tree is full.
    pub(crate) fn mark(
        &self,
        raw: &TreeBuilder,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Result<MarkedTree, TooLarge> {
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
        Ok(MarkedTree { builder, places })
    }

    /// Repairs the tree. What stays truncated hangs below nodes of the frame `marker`. `raw` and `ends` are those of [`find`].
    ///
    /// # Errors
    /// If the tree is full.
    pub(crate) fn repair(
        &self,
        raw: &TreeBuilder,
        log: &SampleLog,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Result<RepairedTree, TooLarge> {
        let mut rebuild = Rebuild::new(raw, &self.shape, &self.cuts, marker, metrics);
        rebuild.copy_whole()?;
        let (mut places, mut outcomes) = (
            vec![TreeBuilder::ROOT; log.len()],
            vec![RepairOutcome::Whole; log.len()],
        );
        let by_track = rebuild.sort_by_track(log, &mut places);
        for (track, rows) in by_track
            .iter()
            .enumerate()
            .filter(|(_, rows)| !rows.is_empty())
        {
            let runs = rebuild.runs(log, rows);
            let Rebuild {
                trie,
                placements,
                stacks,
                ..
            } = &mut rebuild;
            let mut repair = TrackRepair::new(
                raw,
                trie,
                placements,
                stacks,
                track as u32,
                self.cuts.limit,
                runs,
            );
            repair.find_callers(self.is_in_order)?;
            let runs = repair.runs;
            rebuild.settle(log, rows, runs, |row, place, outcome| {
                (places[row], outcomes[row]) = (place, outcome)
            })?;
        }
        let Rebuild {
            trie,
            places: raw_places,
            ..
        } = rebuild;
        Ok(RepairedTree {
            builder: trie.builder,
            raw_places,
            places,
            outcomes,
        })
    }
}
