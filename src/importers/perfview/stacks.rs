//! What was read of a file, namely frames, stacks and the sums of their samples, and the tree built from them.

use crate::diagnostics::{Anomaly, Diagnostic, partly};
use crate::importers::dotnet::{is_pseudo_frame, is_thread_time};
use crate::importers::messages;
use crate::importers::tracks::{CollectedTracks, FileFrame, Quantity, TrackMeasure};
use crate::input::Progress;
use crate::input::error::TreeBuildError;
use crate::model::{CountKind, FrameId, NameId, Names, ProfileKind, RawNode, TooLarge};
use indexmap::IndexMap;
use std::collections::HashMap;
use std::hash::Hash;

const NO_STACK: u32 = u32::MAX;
const NO_ROW: FrameId = FrameId(u32::MAX - 1);
const STEPS_PER_MS: u64 = 1_000_000;
const STEPS_PER_REPORT: u64 = 4096;

type ByNumber<T> = HashMap<u32, T, foldhash::fast::RandomState>;

#[derive(Default)]
struct StackRow {
    caller: u32,
    frame: Option<u32>,
    node: RawNode,
}

/// The node of a stack that has not been looked up yet; no callee is the root.
const UNRESOLVED: RawNode = RawNode(0);
const IN_PROGRESS: RawNode = RawNode(u32::MAX);

/// The weight of a sample, or of several with the same stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    time: u64,
    /// Unconverted and rounded.
    plain: u64,
    count: u64,
}

impl Weight {
    pub(super) fn of_samples(self, count: Option<u64>) -> Weight {
        let count = count.unwrap_or(self.count);
        Weight { count, ..self }
    }
}

#[derive(Default)]
struct AnomalyCounts {
    negative: u64,
    not_numbers: u64,
    /// As plain values, and as times.
    clamped: [u64; 2],
    with_decimals: u64,
    other_than_one: u64,
    without_stack: u64,
    unknown_stacks: u64,
    unknown_callers: u64,
    cycles: u64,
    nameless: u64,
    duplicates: u64,
    bad_rows: u64,
}

#[derive(Default)]
pub(super) struct Stacks {
    pub(super) progress: Progress,
    /// the distinct frame names; their ids are the rows of the tree's frames
    names: Names,
    frames: ByNumber<FrameId>,
    stacks: ByNumber<StackRow>,
    /// by stack id, [`NO_STACK`] for samples without one
    sums: SumsByStack<u32>,
    /// by node, for samples that came with their own stack
    sums_by_node: SumsByStack<RawNode>,
    collected: CollectedTracks,
    track_node: RawNode,
    pub(super) samples: u64,
    steps: u64,
    anomalies: AnomalyCounts,
}

type SumsByStack<K> = IndexMap<K, Weight, foldhash::fast::RandomState>;

impl Stacks {
    pub(super) fn new(progress: Progress) -> Result<Stacks, TooLarge> {
        let mut collected = CollectedTracks::new(ProfileKind::Unknown, Some(CountKind::Samples));
        collected.log = None;
        let track = collected.add_track()?;
        Ok(Stacks {
            progress,
            track_node: collected.tracks[track].node,
            collected,
            ..Stacks::default()
        })
    }

    pub(super) fn note_bad_row(&mut self) {
        self.anomalies.bad_rows += 1;
    }

    pub(super) fn add_frame(&mut self, number: u32, name: &str) {
        let row = self.row(name);
        self.anomalies.duplicates += u64::from(self.frames.insert(number, row).is_some());
    }

    /// Adds a stack; without a `caller`, its frame is outermost.
    pub(super) fn add_stack(
        &mut self,
        number: u32,
        caller: Option<u32>,
        frame: Option<u32>,
    ) -> Result<(), TreeBuildError> {
        let row = StackRow {
            caller: caller.unwrap_or(NO_STACK),
            frame,
            node: UNRESOLVED,
        };
        self.anomalies.duplicates += u64::from(self.stacks.insert(number, row).is_some());
        self.step()
    }

    /// The weight of a sample with this metric, which is in milliseconds if it is a time.
    pub(super) fn weight(&mut self, metric: Option<Quantity>) -> Weight {
        let mut weight = Weight {
            count: 1,
            ..Weight::default()
        };
        let Some(metric) = metric else {
            (weight.time, weight.plain) = (STEPS_PER_MS, 1);
            return weight;
        };
        let anomalies = &mut self.anomalies;
        anomalies.other_than_one += 1;
        let (Some(value), Some(time), Some(plain)) = (
            metric.to_f64(),
            metric.scaled(STEPS_PER_MS),
            metric.scaled(1),
        ) else {
            anomalies.not_numbers += 1;
            return weight;
        };
        anomalies.other_than_one -= u64::from(value == 1.0);
        anomalies.with_decimals += u64::from(value.fract() != 0.0);
        if value < 0.0 {
            anomalies.negative += 1;
            return weight;
        }
        anomalies.clamped[0] += u64::from(plain.is_clamped);
        anomalies.clamped[1] += u64::from(time.is_clamped);
        (weight.time, weight.plain) = (time.value, plain.value);
        weight
    }

    pub(super) fn add_sample(
        &mut self,
        stack: Option<u32>,
        weight: Weight,
    ) -> Result<(), TreeBuildError> {
        self.samples += 1;
        add(&mut self.sums, stack.unwrap_or(NO_STACK), weight);
        self.step()
    }

    pub(super) fn row(&mut self, name: &str) -> FrameId {
        FrameId(self.names.intern(name).0)
    }

    pub(super) fn add_sample_with_stack(
        &mut self,
        stack: impl IntoIterator<Item = FrameId>,
        weight: Weight,
    ) -> Result<(), TreeBuildError> {
        let node = self.collected.builder.push_stack(self.track_node, stack)?;
        self.samples += 1;
        add(&mut self.sums_by_node, node, weight);
        self.step()
    }

    fn step(&mut self) -> Result<(), TreeBuildError> {
        self.steps += 1;
        match self.steps.is_multiple_of(STEPS_PER_REPORT) {
            true => Ok(self.progress.at(self.collected.builder.len())?),
            false => Ok(()),
        }
    }

    /// Makes the tree, below one track. `damage` is the offset and cause if the file became unreadable.
    pub(super) fn finish(
        mut self,
        damage: Option<(u64, String)>,
    ) -> Result<(CollectedTracks, Vec<Diagnostic>), TreeBuildError> {
        let mut rows = (0..self.names.len() as u32).map(NameId);
        let has_thread_time = rows.any(|row| is_thread_time(self.names.get(row)));
        let is_time = has_thread_time || self.anomalies.with_decimals > 0;
        let measure = match is_time {
            true => TrackMeasure::Time,
            false => TrackMeasure::Weight,
        };
        self.collected.uses(measure);
        let sums = std::mem::take(&mut self.sums);
        for (stack, sum) in sums {
            let node = self.node(stack, sum.count)?;
            self.add_to_tree(measure, node, sum);
            self.step()?;
        }
        for (node, sum) in std::mem::take(&mut self.sums_by_node) {
            self.add_to_tree(measure, node, sum);
        }
        for row in 0..self.names.len() as u32 {
            let name = self.names.get(NameId(row));
            let is_special = is_pseudo_frame(name);
            self.collected.frames.push(FileFrame {
                name,
                is_special,
                ..FileFrame::default()
            });
        }
        let mut diagnostics = self.diagnostics(damage, is_time);
        // for users who may misinterpret the values
        diagnostics.extend(match (has_thread_time, is_time) {
            (true, _) => None,
            (_, true) => Some(Diagnostic::ValuesTakenForTimes {}),
            (_, false) => Some(Diagnostic::ValuesWithoutUnit {}),
        });
        let builder = &self.collected.builder;
        let is_count = |(node, ..): (RawNode, RawNode, FrameId)| {
            let (value, count) = builder.values(measure.metric(), node);
            value == count
        };
        let all_weights_are_one = !is_time && self.anomalies.other_than_one == 0;
        if all_weights_are_one && builder.nodes().all(is_count) {
            self.collected.counts = None;
        }
        Ok((self.collected, diagnostics))
    }

    fn add_to_tree(&mut self, measure: TrackMeasure, node: RawNode, sum: Weight) {
        let is_time = measure == TrackMeasure::Time;
        let value = if is_time { sum.time } else { sum.plain };
        let (builder, metric) = (&mut self.collected.builder, measure.metric());
        builder.add_exclusive(metric, node, value);
        builder.add_count(metric, node, sum.count);
    }

    /// The node of a stack with this many `samples`. Each stack is looked up once, however deep it is.
    fn node(&mut self, stack: u32, samples: u64) -> Result<RawNode, TooLarge> {
        let (mut path, mut at) = (Vec::new(), stack);
        let mut node = loop {
            if at == NO_STACK {
                self.anomalies.without_stack += if path.is_empty() { samples } else { 0 };
                break self.track_node;
            }
            match self.stacks.get_mut(&at) {
                Some(stack) => match stack.node {
                    UNRESOLVED => {
                        stack.node = IN_PROGRESS;
                        path.push(at);
                        at = stack.caller;
                    }
                    IN_PROGRESS => {
                        self.anomalies.cycles += 1;
                        break self.track_node;
                    }
                    node => break node,
                },
                None => {
                    let is_stack = path.is_empty();
                    self.anomalies.unknown_stacks += if is_stack { samples } else { 0 };
                    self.anomalies.unknown_callers += u64::from(!is_stack);
                    break self.track_node;
                }
            }
        };
        for number in path.into_iter().rev() {
            // everything on the path is in the table
            let Some(stack) = self.stacks.get_mut(&number) else {
                continue;
            };
            let row = stack.frame.and_then(|frame| self.frames.get(&frame));
            self.anomalies.nameless += u64::from(row.is_none());
            let row = row.copied().unwrap_or(NO_ROW);
            node = self.collected.builder.merge(node, row)?;
            stack.node = node;
        }
        Ok(node)
    }

    fn diagnostics(&self, damage: Option<(u64, String)>, is_time: bool) -> Vec<Diagnostic> {
        let anomalies = &self.anomalies;
        let all = [
            damage.map(|(at, problem)| {
                Diagnostic::unreadable_from(at, messages::file_does(&problem))
            }),
            partly::ELEMENTS_WITHOUT_NUMBER.times(anomalies.bad_rows),
            partly::NUMBERS_GIVEN_TWICE.times(anomalies.duplicates),
            Anomaly::SamplesWithoutStack.times(anomalies.without_stack),
            partly::SAMPLES_OF_UNKNOWN_STACKS.times(anomalies.unknown_stacks),
            partly::STACKS_OF_UNKNOWN_CALLERS.times(anomalies.unknown_callers),
            partly::STACK_CYCLES.times(anomalies.cycles),
            partly::STACKS_OF_UNKNOWN_FRAMES.times(anomalies.nameless),
            Anomaly::ValuesNegative.times(anomalies.negative),
            Anomaly::ValuesClamped
                .times(anomalies.not_numbers + anomalies.clamped[usize::from(is_time)]),
        ];
        all.into_iter().flatten().collect()
    }
}

fn add<K: Hash + Eq>(sums: &mut SumsByStack<K>, key: K, Weight { time, plain, count }: Weight) {
    let sum = sums.entry(key).or_default();
    sum.time = sum.time.saturating_add(time);
    sum.plain = sum.plain.saturating_add(plain);
    sum.count = sum.count.saturating_add(count);
}
