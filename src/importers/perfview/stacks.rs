//! Frames, stacks and the sums of their samples, and the tree built from them.

use crate::diagnostics::{Anomaly, Diagnostic, partly};
use crate::importers::anomalies::Anomalies;
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

/// Not looked up yet; no callee is the root.
const UNRESOLVED: RawNode = RawNode(0);
const IN_PROGRESS: RawNode = RawNode(u32::MAX);

/// Of one or several samples with the same stack.
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
pub(super) struct Stacks {
    pub(super) progress: Progress,
    /// distinct; their ids are the rows of the tree's frames
    names: Names,
    frames: ByNumber<FrameId>,
    stacks: ByNumber<StackRow>,
    sums: IndexMap<SampledStack, Weight, foldhash::fast::RandomState>,
    collected: CollectedTracks,
    track_node: RawNode,
    pub(super) samples: u64,
    steps: u64,
    anomalies: Anomalies,
    clamped_times: u64,
    has_decimals: bool,
    is_other_than_one: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum SampledStack {
    /// [`NO_STACK`] for samples without one.
    Number(u32),
    /// For a stack that came with its sample.
    Node(RawNode),
}

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
        self.anomalies.add(partly::ELEMENTS_WITHOUT_NUMBER, 1);
    }

    pub(super) fn add_frame(&mut self, number: u32, name: &str) {
        let row = self.row(name);
        let is_known = self.frames.insert(number, row).is_some();
        self.anomalies.note(partly::NUMBERS_GIVEN_TWICE, is_known);
    }

    /// Without a `caller`, its frame is outermost.
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
        let is_known = self.stacks.insert(number, row).is_some();
        self.anomalies.note(partly::NUMBERS_GIVEN_TWICE, is_known);
        self.step()
    }

    /// Times are in milliseconds.
    pub(super) fn weight(&mut self, metric: Option<Quantity>) -> Weight {
        let mut weight = Weight {
            count: 1,
            ..Weight::default()
        };
        let Some(metric) = metric else {
            (weight.time, weight.plain) = (STEPS_PER_MS, 1);
            return weight;
        };
        let (Some(value), Some(time), Some(plain)) = (
            metric.to_f64(),
            metric.scaled(STEPS_PER_MS),
            metric.scaled(1),
        ) else {
            self.is_other_than_one = true;
            self.anomalies.add(Anomaly::ValuesClamped, 1);
            return weight;
        };
        self.is_other_than_one |= value != 1.0;
        self.has_decimals |= value.fract() != 0.0;
        if value < 0.0 {
            self.anomalies.add(Anomaly::ValuesNegative, 1);
            return weight;
        }
        self.anomalies
            .note(Anomaly::ValuesClamped, plain.is_clamped);
        self.clamped_times += u64::from(time.is_clamped && !plain.is_clamped);
        (weight.time, weight.plain) = (time.value, plain.value);
        weight
    }

    pub(super) fn add_sample(
        &mut self,
        stack: Option<u32>,
        weight: Weight,
    ) -> Result<(), TreeBuildError> {
        self.add(SampledStack::Number(stack.unwrap_or(NO_STACK)), weight)
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
        self.add(SampledStack::Node(node), weight)
    }

    fn add(&mut self, stack: SampledStack, weight: Weight) -> Result<(), TreeBuildError> {
        self.samples += 1;
        let sum = self.sums.entry(stack).or_default();
        sum.time = sum.time.saturating_add(weight.time);
        sum.plain = sum.plain.saturating_add(weight.plain);
        sum.count = sum.count.saturating_add(weight.count);
        self.step()
    }

    fn step(&mut self) -> Result<(), TreeBuildError> {
        self.steps += 1;
        match self.steps.is_multiple_of(STEPS_PER_REPORT) {
            true => Ok(self.progress.at(self.collected.builder.len())?),
            false => Ok(()),
        }
    }

    /// Below one track. `damage` is the offset and cause if the file became unreadable.
    pub(super) fn finish(
        mut self,
        damage: Option<(u64, String)>,
    ) -> Result<(CollectedTracks, Vec<Diagnostic>), TreeBuildError> {
        let mut rows = (0..self.names.len() as u32).map(NameId);
        let has_thread_time = rows.any(|row| is_thread_time(self.names.get(row)));
        let is_time = has_thread_time || self.has_decimals;
        let measure = match is_time {
            true => TrackMeasure::Time,
            false => TrackMeasure::Weight,
        };
        self.collected.uses(measure);
        let clamped_times = if is_time { self.clamped_times } else { 0 };
        self.anomalies.add(Anomaly::ValuesClamped, clamped_times);
        for (stack, sum) in std::mem::take(&mut self.sums) {
            let node = match stack {
                SampledStack::Number(stack) => self.node(stack, sum.count)?,
                SampledStack::Node(node) => node,
            };
            let value = if is_time { sum.time } else { sum.plain };
            let (builder, metric) = (&mut self.collected.builder, measure.metric());
            builder.add_exclusive(metric, node, value);
            builder.add_count(metric, node, sum.count);
            self.step()?;
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
        let file_ends = damage
            .map(|(at, problem)| Diagnostic::unreadable_from(at, messages::file_does(&problem)));
        let anomalies = std::mem::take(&mut self.anomalies).diagnostics();
        let mut diagnostics: Vec<Diagnostic> = file_ends.into_iter().chain(anomalies).collect();
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
        let all_weights_are_one = !is_time && !self.is_other_than_one;
        if all_weights_are_one && builder.nodes().all(is_count) {
            self.collected.counts = None;
        }
        Ok((self.collected, diagnostics))
    }

    /// Each stack is looked up once, however deep it is.
    fn node(&mut self, stack: u32, samples: u64) -> Result<RawNode, TooLarge> {
        let (mut path, mut at) = (Vec::new(), stack);
        let mut node = loop {
            if at == NO_STACK {
                let without_stack = if path.is_empty() { samples } else { 0 };
                self.anomalies
                    .add(Anomaly::SamplesWithoutStack, without_stack);
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
                        self.anomalies.add(partly::STACK_CYCLES, 1);
                        break self.track_node;
                    }
                    node => break node,
                },
                None => {
                    match path.is_empty() {
                        true => (self.anomalies).add(partly::SAMPLES_OF_UNKNOWN_STACKS, samples),
                        false => self.anomalies.add(partly::STACKS_OF_UNKNOWN_CALLERS, 1),
                    }
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
            self.anomalies
                .note(partly::STACKS_OF_UNKNOWN_FRAMES, row.is_none());
            let row = row.copied().unwrap_or(NO_ROW);
            node = self.collected.builder.merge(node, row)?;
            stack.node = node;
        }
        Ok(node)
    }
}
