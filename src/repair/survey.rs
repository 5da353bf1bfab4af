//! The first pass: which stacks are truncated, and which callers they lack.

use super::counts::Counts;
use super::events::{Failed, Odd, Role, Rows, SpanEvent, Visitor};
use super::replay::{Nodes, Replay, State};
use crate::model::{FrameId, RawNode, TooLarge, TreeBuilder};
use crate::truncation;
use crate::truncation::{RepairOutcome, RepairedTree, StackEnd};
use std::collections::HashMap;
use std::ops::Range;

/// The original tree, whose frames are rows of the file.
pub(super) struct Stacks {
    builder: TreeBuilder,
    threads: HashMap<(u32, Vec<u32>), RawNode>,
    tracks: Vec<RawNode>,
}

impl Nodes for Stacks {
    fn thread(&mut self, track: u32, header: &[u32]) -> Result<RawNode, TooLarge> {
        if let Some(&known) = self.threads.get(&(track, header.to_vec())) {
            return Ok(known);
        }
        let row = header.last().copied().unwrap_or(0);
        let node = self.builder.add(TreeBuilder::ROOT, FrameId(row))?;
        self.threads.insert((track, header.to_vec()), node);
        self.tracks.push(node);
        Ok(node)
    }

    fn callee(&mut self, caller: RawNode, row: u32) -> Result<RawNode, TooLarge> {
        self.builder.merge(caller, FrameId(row))
    }
}

/// The same in the second pass, where all nodes are known. What is not is the root, which no stack ends at.
impl Nodes for &Stacks {
    fn thread(&mut self, track: u32, header: &[u32]) -> Result<RawNode, TooLarge> {
        Ok(self
            .threads
            .get(&(track, header.to_vec()))
            .copied()
            .unwrap_or(TreeBuilder::ROOT))
    }

    fn callee(&mut self, caller: RawNode, row: u32) -> Result<RawNode, TooLarge> {
        Ok(self
            .builder
            .find(caller, FrameId(row))
            .unwrap_or(TreeBuilder::ROOT))
    }
}

/// A thread of the file.
#[derive(Default)]
struct Track {
    samples: Vec<StackEnd>,
    odd: Option<Odd>,
    is_over: bool,
}

/// The longest event that is rewritten, with what stands in front of it.
const MAX_EVENT_BYTES: u64 = 1_000_000;

/// Collects the stacks of a file.
pub(super) struct Survey {
    /// Where the last event ends.
    last_end: u64,
    stacks: Stacks,
    tracks: Vec<Track>,
    current: Option<Replay>,
}

impl Survey {
    pub(super) fn new() -> Survey {
        let builder = TreeBuilder::new(FrameId(u32::MAX), &[]);
        let stacks = Stacks {
            builder,
            threads: HashMap::new(),
            tracks: Vec::new(),
        };
        Survey {
            last_end: 0,
            stacks,
            tracks: Vec::new(),
            current: None,
        }
    }

    fn track(&mut self, track: u32) -> &mut Track {
        let track = track as usize;
        if self.tracks.len() <= track {
            self.tracks.resize_with(track + 1, Track::default);
        }
        &mut self.tracks[track]
    }

    fn add_sample(&mut self, track: u32, state: Option<State>, lasts: bool) {
        if let (Some(State { node, is_ended, .. }), None) = (state, self.track(track).odd) {
            self.track(track).samples.push(StackEnd {
                node,
                is_rest: !(is_ended && lasts),
            });
        }
    }

    fn end_track(&mut self, rows: &Rows) {
        let Some(replay) = self.current.take() else {
            return;
        };
        // spans that do not end in the file
        self.add_sample(replay.track(), replay.state(rows), false);
        self.track(replay.track()).is_over = true;
    }

    fn set_odd(&mut self, track: u32, odd: Odd) {
        let known = self.track(track);
        known.odd.get_or_insert(odd);
        known.samples = Vec::new();
    }

    /// Finds the callers that truncated stacks lack.
    ///
    /// # Errors
    /// The tree is full.
    pub(super) fn finish(self, rows: &Rows) -> Result<Plan, TooLarge> {
        let (mut samples, mut tracks) = (Vec::new(), Vec::new());
        for track in self.tracks {
            let first = samples.len();
            samples.extend(track.samples);
            tracks.push(Planned {
                samples: first..samples.len(),
                odd: track.odd,
                is_repaired: false,
            });
        }
        let Stacks {
            builder,
            tracks: nodes,
            ..
        } = &self.stacks;
        // no row has this number, and none is as large
        let marker = FrameId(u32::MAX - 1);
        let is_nameless = |row: FrameId| rows.role(row.0) == Role::Nameless;
        let found = truncation::find(builder, nodes, &samples, true, is_nameless);
        let repaired = found
            .as_ref()
            .map(|found| found.repair(builder, &samples, marker, &[]))
            .transpose()?;
        let counts = Counts {
            limit: found.map(|found| found.limit()),
            ..Counts::default()
        };
        let mut plan = Plan {
            stacks: self.stacks,
            samples,
            tracks,
            repaired,
            counts,
        };
        plan.count();
        Ok(plan)
    }
}

impl Visitor for Survey {
    fn array_begins(&mut self, offset: u64, _: &Rows) -> Result<(), Failed> {
        self.last_end = offset;
        Ok(())
    }

    fn array_ends(&mut self, _: u64, rows: &Rows) -> Result<(), Failed> {
        self.end_track(rows);
        Ok(())
    }

    fn event(&mut self, track: u32, event: &SpanEvent, rows: &Rows) -> Result<(), Failed> {
        if self
            .current
            .as_ref()
            .is_none_or(|current| current.track() != track)
        {
            self.end_track(rows);
            if self.track(track).is_over {
                self.set_odd(track, Odd::Mixed);
            }
            self.current = Some(Replay::new(track));
        }
        let last_end = std::mem::replace(&mut self.last_end, event.text.end);
        if event.text.end.saturating_sub(last_end) > MAX_EVENT_BYTES {
            self.set_odd(track, Odd::Long);
        }
        let Some(mut replay) = self.current.take() else {
            return Ok(());
        };
        if self.track(track).odd.is_none() {
            if replay.is_late(event) {
                self.set_odd(track, Odd::Late);
            } else {
                if replay.is_state_before(event) {
                    let lasts = replay
                        .at()
                        .is_some_and(|at| at.nanoseconds < event.at.nanoseconds);
                    self.add_sample(track, replay.state(rows), lasts);
                }
                let played = replay.play(event, rows, &mut self.stacks);
                if let Some(odd) = played.map_err(|TooLarge| Failed::full(event.text.start))? {
                    self.set_odd(track, odd);
                }
            }
        }
        self.current = Some(replay);
        Ok(())
    }

    fn other(
        &mut self,
        text: Range<u64>,
        track: Option<(u32, Odd)>,
        rows: &Rows,
    ) -> Result<(), Failed> {
        self.end_track(rows);
        self.last_end = text.end;
        if let Some((track, odd)) = track {
            self.set_odd(track, odd);
        }
        Ok(())
    }
}

/// What becomes of a thread.
struct Planned {
    samples: Range<usize>,
    odd: Option<Odd>,
    is_repaired: bool,
}

/// What is to be done with a file.
pub(super) struct Plan {
    pub stacks: Stacks,
    samples: Vec<StackEnd>,
    tracks: Vec<Planned>,
    repaired: Option<RepairedTree>,
    pub counts: Counts,
}

impl Plan {
    fn count(&mut self) {
        self.counts.odd = self
            .tracks
            .iter()
            .filter_map(|track| track.odd.map(Odd::reason))
            .collect();
        let Some(repaired) = &self.repaired else {
            return;
        };
        for track in &mut self.tracks {
            let mut last = None;
            for (sample, &outcome) in self.samples[track.samples.clone()]
                .iter()
                .zip(&repaired.outcomes[track.samples.clone()])
            {
                let is_repaired = outcome.is_repaired();
                track.is_repaired |= is_repaired;
                if sample.is_rest
                    || last.replace(sample.node) == Some(sample.node)
                    || outcome == RepairOutcome::Whole
                {
                    continue;
                }
                self.counts.truncated += 1;
                self.counts.repaired += u64::from(is_repaired);
                self.counts.depth_uncertain +=
                    u64::from(outcome == RepairOutcome::RepairedSomewhere);
            }
        }
    }

    /// Whether a track is left as it is, because it is not like those of TraceEvent.
    pub(super) fn is_odd(&self, track: u32) -> bool {
        self.tracks
            .get(track as usize)
            .is_none_or(|track| track.odd.is_some())
    }

    /// The samples of a track that is to be rewritten.
    pub(super) fn to_be_rewritten(&self, track: u32) -> Option<Range<usize>> {
        let track = self.tracks.get(track as usize)?;
        track.is_repaired.then(|| track.samples.clone())
    }

    /// Where the callers end that a sample lacks; `None` if it lacks none.
    ///
    /// # Errors
    /// The sample has another stack.
    pub(super) fn prefix(&self, sample: usize, state: State) -> Result<Option<RawNode>, Failed> {
        let (Some(repaired), Some(known)) = (&self.repaired, self.samples.get(sample)) else {
            return Err(Failed::Changed);
        };
        if known.node != state.node {
            return Err(Failed::Changed);
        }
        if !repaired.outcomes[sample].is_repaired() {
            return Ok(None);
        }
        let mut node = repaired.places[sample];
        for _ in 0..state.depth {
            node = repaired.builder.parent(node);
        }
        Ok(Some(node))
    }

    /// The rows of the callers that end at a node of the repaired tree, outermost first, the thread left out.
    pub(super) fn callers(&self, prefix: RawNode, rows: &mut Vec<u32>) {
        rows.clear();
        let Some(repaired) = &self.repaired else {
            return;
        };
        let mut at = prefix;
        loop {
            let (above, row) = repaired.builder.node(at);
            // threads hang below the root
            if at == TreeBuilder::ROOT || above == TreeBuilder::ROOT {
                break;
            }
            rows.push(row.0);
            at = above;
        }
        rows.reverse();
    }
}
