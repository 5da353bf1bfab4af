//! Stacks that were cut at a number of frames: found, marked and mended.
//!
//! Recorders walk stacks from the leaf and stop after a number of frames (.NET: 100), so that the outer callers of deep
//! stacks are missing. In the tree of samples such a stack hangs directly below its thread, as if the program started
//! there.
//!
//! | file | does |
//! |---|---|
//! | `shape` | depths and tracks of nodes |
//! | `detect` | the limit, and which stacks were cut at it |
//! | `cuts`, `heads` | the different truncated stacks; where their outermost frames occur |
//! | `hash` | hashes of frames in a row |
//! | `trie` | the mended tree while it grows |
//! | `route` | a stack of it |
//! | `fit` | where a truncated stack fits into another |
//! | `graft` | puts it there |
//! | `stitch` | mends a track |
//! | `sew` | puts it all together |
//!
//! # How it is mended
//!
//! The program usually was in the same calls shortly before and after, when the stack was less deep or was cut elsewhere.
//! If the outermost frames of a truncated stack (its head, [`least_overlap`] of them) occur as a run in such a stack, the
//! run's callers are those that are missing. Moments that follow each other with one stack are one stretch.
//!
//! 1. A stretch beside one that is whole or mended gets its callers if half of its stack or more (its core) is there, in
//!    one place only. Along the track and back, this mends most.
//! 2. Of the two stretches before and after that have their place, then of eight, that with the longest run counts; of equal
//!    ones the nearest. If equal ones at the same distance, or in one stack, would give other callers, the stack is
//!    ambiguous and stays truncated. The longest runs of the track come first, and each mended stack is a neighbour for the
//!    others, so that deep stacks are mended by less deep ones step by step. A run of less than two fifths of the limit may
//!    be one of a library's methods: it is taken only if no stack of the track has a longer one. If there is one longer run,
//!    its callers are taken.
//! 3. What is left is looked for in all stacks of the track: if the longest run is in one place only, its callers are
//!    taken. Then 2 again, for as long as that mends anything.
//!
//! If a run occurs at several depths of a stack (recursion), the place is taken that makes the depth differ least from that
//! stack's. Then, and if a truncated stack repeats itself, so that it may as well be deeper by one repetition, its depth is
//! called uncertain; who calls whom is what was seen. A head that is in more than 16 places is looked for in the innermost
//! frames of neighbours only, and three quarters of the stack must be there, or two fifths if half of it repeats
//! itself.
//!
//! # How the least overlap was chosen
//!
//! On the thread irregular of `deepstacks-cycle` (shared test data), where the true depth of each stack is known, some stacks
//! are mended wrongly with overlaps of 10 or 12, and none with 15; 20 leaves a margin, and 30 mends 127 of 2,774 fewer. Of
//! recordings made for the tests (`tests/truncation`) and cut at 20 and 7 frames, where each method is called in one place,
//! none is mended wrongly with 3 or more; with 6 of 7, 3 % are not mended.
//!
//! # Cost
//!
//! Linear in nodes and moments, times the limit for different truncated stacks, and the logarithm of the depth. Runs are
//! found by rolling hashes of as many frames as a head has, which are compared with those of heads only; heads are then
//! checked frame by frame. The work for each stretch is bounded, as are the nodes of the mended tree. In memory: 8 bytes a
//! moment for the importer's log, 5 for the answer and up to 16 while tracks are mended; 29 bytes a node of the unmended tree and
//! 24 more, and 32 a truncated stack, while these are collected; 24 a node of the mended tree, and about 40 where truncated
//! stacks may end. Afterwards there are two trees. They are made at the same time (`importers::assembly`), for which the tree of the samples is
//! kept; the tracks are mended one after the other: to mend these at the same time, too, was tried and gained nothing on two
//! processors.

mod cuts;
mod detect;
mod fit;
mod graft;
mod hash;
mod heads;
mod route;
mod sew;
mod shape;
mod stitch;
mod trie;

use crate::model::{
    Amount, FrameId, Frames, MadeUp, Metric, MetricId, RawNode, SampleLog, ThreadTruncation, TooLarge, TreeBuilder,
    Truncation,
};
use detect::Cuts;
use sew::Sewing;
use shape::Shape;
use stitch::Stitcher;

/// Where a node of the unmended tree has no place in the mended one.
const NOWHERE: RawNode = RawNode(u32::MAX);

/// Where the stack of a sample ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackEnd {
    /// Its node in the tree as it was recorded.
    pub node: RawNode,
    /// No stack of its own but a part of the one before or after it, see [`crate::model::SampleKind::is_rest`].
    pub is_rest: bool,
}

/// Where the stacks of samples end, by row.
pub(crate) trait StackEnds: Sync {
    /// How many rows there are.
    fn row_count(&self) -> usize;

    /// The rows that have a stack, in order of time within each track.
    fn rows(&self) -> impl Iterator<Item = u32> + '_;

    /// Where the stack of a row ends.
    fn end(&self, row: u32) -> StackEnd;
}

impl StackEnds for SampleLog {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows_in_order()
    }

    #[inline]
    fn end(&self, row: u32) -> StackEnd {
        StackEnd { node: self.node(row), is_rest: self.kinds()[self.kind(row) as usize].is_rest }
    }
}

impl StackEnds for Vec<StackEnd> {
    fn row_count(&self) -> usize {
        self.len()
    }

    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        0..self.len() as u32
    }

    fn end(&self, row: u32) -> StackEnd {
        self[row as usize]
    }
}

/// What became of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was not truncated.
    Whole,
    /// Its callers were found.
    Mended,
    /// Its callers were found, but how many there are is not certain: they recur.
    MendedSomewhere,
    /// Different callers fit equally well, so that it stays truncated.
    Ambiguous,
    /// No callers were found, so that it stays truncated.
    Unmatched,
}

impl Fate {
    const COUNT: usize = 5;

    /// Whether its callers were found.
    pub fn is_mended(self) -> bool {
        matches!(self, Fate::Mended | Fate::MendedSomewhere)
    }
}

/// The truncated stacks of a tree.
pub(crate) struct Found {
    shape: Shape,
    cuts: Cuts,
    is_in_order: bool,
}

/// The unmended tree in which truncated stacks hang below a node of their own. It has no values yet.
pub(crate) struct Marked {
    pub builder: TreeBuilder,
    /// For each node of the unmended tree its node here.
    pub places: Vec<RawNode>,
}

/// The mended tree. It has no values yet.
pub(crate) struct Repaired {
    pub builder: TreeBuilder,
    /// For each node of the unmended tree above and at tracks, and for those of whole stacks, its node here.
    pub raw_places: Vec<RawNode>,
    /// For each moment its node here.
    pub places: Vec<RawNode>,
    /// What became of each moment.
    pub outcomes: Vec<Fate>,
}

/// Sums up what became of the moments of each thread, by [`Fate`].
pub(crate) struct RepairTally(Vec<[Amount; Fate::COUNT]>);

impl RepairTally {
    /// Nothing yet of so many threads.
    pub fn new(threads: usize) -> RepairTally {
        RepairTally(vec![[Amount::default(); Fate::COUNT]; threads])
    }

    /// Adds a moment of a thread: how many samples it is, and what they measured.
    #[inline]
    pub fn add(&mut self, thread: usize, fate: Fate, samples: u64, value: u64) {
        if let Some(row) = self.0.get_mut(thread) {
            row[fate as usize].add(samples, value);
        }
    }

    /// The rows, for a profile whose samples measure `metric`. `has_samples` says that their numbers mean something.
    pub fn finish(self, limit: u32, metric: MetricId, has_samples: bool) -> Truncation {
        let thread = |by_fate: [Amount; Fate::COUNT]| {
            let sum = |fates: &[Fate]| {
                fates.iter().fold(Amount::default(), |mut sum, &fate| {
                    let Amount { samples, value } = by_fate[fate as usize];
                    sum.add(samples, value);
                    sum
                })
            };
            use Fate::{Ambiguous, Mended, MendedSomewhere, Unmatched, Whole};
            ThreadTruncation {
                all: sum(&[Whole, Mended, MendedSomewhere, Ambiguous, Unmatched]),
                truncated: sum(&[Mended, MendedSomewhere, Ambiguous, Unmatched]),
                mended: sum(&[Mended, MendedSomewhere]),
                depth_uncertain: sum(&[MendedSomewhere]),
                ambiguous: sum(&[Ambiguous]),
            }
        };
        Truncation { limit, metric, has_samples, threads: self.0.into_iter().map(thread).collect() }
    }
}

/// How many frames in a row must be the same for a stack to be mended: a fifth of the limit, but not more than 20 and not
/// less than 3.
pub(crate) fn least_overlap(limit: u32) -> u32 {
    (limit / 5).clamp(3, 20)
}

/// Finds the truncated stacks of the tree `raw`, in which stacks hang below `tracks`: nodes of threads, or of activities in
/// them. `ends` are in order of time within each track unless `is_in_order` denies it, in which case no neighbours will be
/// asked. `None` if no stack is truncated.
pub(crate) fn find(raw: &TreeBuilder, tracks: &[RawNode], ends: &impl StackEnds, is_in_order: bool) -> Option<Found> {
    let shape = Shape::new(raw, tracks);
    let cuts = detect::detect(raw, &shape, ends)?;
    Some(Found { shape, cuts, is_in_order })
}

impl Found {
    /// At how many frames stacks were cut.
    pub fn limit(&self) -> u32 {
        self.cuts.limit
    }

    /// The frame of the node below which truncated stacks hang.
    pub fn marker(&self, frames: &mut Frames) -> FrameId {
        frames.make_up(MadeUp::Truncated { limit: self.cuts.limit })
    }

    /// The unmended tree with its truncated stacks below nodes of the frame `marker`.
    ///
    /// # Errors
    /// The tree is full.
    pub fn mark(&self, raw: &TreeBuilder, marker: FrameId, metrics: &[Metric]) -> Result<Marked, TooLarge> {
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
        Ok(Marked { builder, places })
    }

    /// Mends the tree. What stays truncated hangs below nodes of the frame `marker`. `raw` and `ends` are those of [`find`].
    ///
    /// # Errors
    /// The tree is full.
    pub fn repair(
        &self,
        raw: &TreeBuilder,
        ends: &impl StackEnds,
        marker: FrameId,
        metrics: &[Metric],
    ) -> Result<Repaired, TooLarge> {
        let mut sewing = Sewing::new(raw, &self.shape, &self.cuts, marker, metrics);
        sewing.copy_whole()?;
        let (mut places, mut outcomes) =
            (vec![TreeBuilder::ROOT; ends.row_count()], vec![Fate::Whole; ends.row_count()]);
        let by_track = sewing.sort_by_track(ends, &mut places);
        for (track, rows) in by_track.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let stretches = sewing.stretches(ends, rows);
            let Sewing { trie, grafts, stacks, .. } = &mut sewing;
            let mut stitcher = Stitcher::new(raw, trie, grafts, stacks, track as u32, self.cuts.limit, stretches);
            stitcher.stitch(self.is_in_order)?;
            let stretches = stitcher.stretches;
            sewing.settle(ends, rows, stretches, |row, place, fate| (places[row], outcomes[row]) = (place, fate))?;
        }
        let Sewing { trie, places: raw_places, .. } = sewing;
        Ok(Repaired { builder: trie.builder, raw_places, places, outcomes })
    }
}
