//! What is measured: the times of samples and the amounts, given to the places of their stacks.
//!
//! A tree gets its values when all its places are known, so that the same events can be given to a tree in which truncated
//! stacks are mended.

use super::amounts::{Amount, What};
use super::metrics::Metrics;
use super::recording::{Activity, Recording, Sample};
use super::thread_time::{Clock, LastSample};
use crate::importers::assembly::{Told, Values};
use crate::model::{ALLOCATED, FrameId, FrameKind, Frames, MetricId, RawNode, TooLarge, TreeBuilder};
use std::collections::HashMap;

/// An event with a stack.
pub(super) enum Event<'a> {
    Sample(&'a Sample),
    Amount(&'a Amount),
}

/// All events with a stack in order of time, of which samples come first where they are at one time with amounts.
pub(super) fn events(recording: &Recording) -> impl Iterator<Item = Event<'_>> {
    let mut samples = recording.samples().iter().peekable();
    let mut amounts = recording.amounts.rows().iter().peekable();
    std::iter::from_fn(move || match (samples.peek(), amounts.peek()) {
        (Some(sample), Some(amount)) if amount.time < sample.time => amounts.next().map(Event::Amount),
        (Some(_), _) => samples.next().map(Event::Sample),
        (None, _) => amounts.next().map(Event::Amount),
    })
}

/// The samples of a node, which are added up before they are given: there are a great many, and few nodes.
#[derive(Clone, Copy, Default)]
struct SampleSums {
    /// Nanoseconds, and those in which the thread ran.
    wall: u64,
    cpu: u64,
    samples: u64,
    managed_samples: u64,
}

/// The values of all events.
pub(super) struct RecordedValues<'a> {
    recording: &'a Recording,
    metrics: &'a Metrics,
    clock: Clock,
    /// The frames of types of which objects were allocated.
    types: HashMap<u32, FrameId, foldhash::fast::RandomState>,
}

impl<'a> RecordedValues<'a> {
    /// The values of a recording whose events are in order of time.
    pub fn new(recording: &'a Recording, metrics: &'a Metrics, frames: &mut Frames) -> RecordedValues<'a> {
        let base = recording.samples().first().map_or(0, |sample| sample.time);
        let mut types = HashMap::default();
        for amount in recording.amounts.rows() {
            if let What::Allocated(row) = amount.what {
                types.entry(row).or_insert_with(|| {
                    let name = recording.amounts.type_name(row);
                    let name = if name.is_empty() { "?" } else { name };
                    frames.intern(FrameKind::Special, &format!("{ALLOCATED}{name}"), "")
                });
            }
        }
        RecordedValues { recording, metrics, clock: Clock::new(base, recording.header.ticks_per_second), types }
    }

    fn add_sample(
        &self,
        sums: &mut [SampleSums],
        sample: &Sample,
        place: &impl Fn(usize) -> RawNode,
        row: usize,
        last: &mut LastSample<usize>,
        tell: &mut impl FnMut(Told),
    ) {
        let thread = sample.thread().index();
        if let Some(span) = last.replace(&self.clock, sample, row) {
            let sums = &mut sums[place(span.place).0 as usize];
            sums.wall = sums.wall.saturating_add(span.nanoseconds);
            if span.on_cpu {
                sums.cpu = sums.cpu.saturating_add(span.nanoseconds);
            }
            tell(Told { thread, row: span.place, samples: 0, value: span.nanoseconds });
        }
        if sample.activity().is_sample() {
            let sums = &mut sums[place(row).0 as usize];
            sums.samples += 1;
            sums.managed_samples += u64::from(sample.activity() == Activity::Managed);
            tell(Told { thread, row, samples: 1, value: 0 });
        }
    }

    /// Gives the samples of each node. Says whether a thread ran for some time.
    fn give_sums(&self, builder: &mut TreeBuilder, sums: &[SampleSums]) -> bool {
        let Metrics { cpu: Some(cpu), wall: Some(wall), samples: Some(samples), .. } = *self.metrics else {
            return false;
        };
        for (node, sums) in (0..).map(RawNode).zip(sums) {
            builder.add_exclusive(wall, node, sums.wall);
            builder.add_count(wall, node, sums.samples);
            builder.add_exclusive(cpu, node, sums.cpu);
            builder.add_count(cpu, node, sums.managed_samples);
            builder.add_exclusive(samples, node, sums.samples);
        }
        sums.iter().any(|sums| sums.cpu > 0)
    }

    /// Memory gets a frame for the type of its objects below the stack, which has nothing else, so that the times of methods
    /// are what they are without it.
    fn give_amount(
        &self,
        builder: &mut TreeBuilder,
        amount: &Amount,
        node: RawNode,
        row: usize,
        tell: &mut impl FnMut(Told),
    ) -> Result<bool, TooLarge> {
        let metrics = self.metrics;
        let mut has_cpu = false;
        match amount.what {
            What::Cpu if metrics.wall.is_some() => {}
            What::Cpu => {
                let nanoseconds = amount.value.saturating_mul(metrics.sample_nanoseconds);
                if let Some(cpu) = metrics.cpu {
                    has_cpu = nanoseconds > 0;
                    builder.add_exclusive(cpu, node, nanoseconds);
                    builder.add_count(cpu, node, 1);
                }
                if let Some(samples) = metrics.samples {
                    builder.add_exclusive(samples, node, amount.value);
                }
                tell(Told { thread: amount.thread.index(), row, samples: 1, value: nanoseconds });
            }
            What::OffCpu => {
                if let Some(off_cpu) = metrics.off_cpu {
                    builder.add_exclusive(off_cpu, node, self.clock.duration(amount.value));
                }
            }
            What::Allocated(row) => {
                if let (Some(allocated), Some(&frame)) = (metrics.allocated, self.types.get(&row)) {
                    let leaf = builder.merge(node, frame)?;
                    builder.add_exclusive(allocated, leaf, amount.value);
                }
            }
        }
        Ok(has_cpu)
    }
}

impl Values for RecordedValues<'_> {
    fn give(
        &self,
        builder: &mut TreeBuilder,
        place: impl Fn(usize) -> RawNode,
        mut tell: impl FnMut(Told),
    ) -> Result<MetricId, TooLarge> {
        let mut has_cpu = false;
        let mut sums = vec![SampleSums::default(); builder.len()];
        let mut last: Vec<LastSample<usize>> = vec![LastSample::default(); self.recording.threads.iter().count()];
        for (row, event) in events(self.recording).enumerate() {
            match event {
                Event::Amount(amount) => has_cpu |= self.give_amount(builder, amount, place(row), row, &mut tell)?,
                Event::Sample(sample) => {
                    let last = &mut last[sample.thread().index()];
                    self.add_sample(&mut sums, sample, &place, row, last, &mut tell);
                }
            }
        }
        has_cpu |= self.give_sums(builder, &sums);
        builder.sum_counts();
        Ok(self.metrics.first_choice(has_cpu))
    }

    fn told_in(&self) -> (MetricId, bool) {
        (self.metrics.wall.or(self.metrics.cpu).unwrap_or(MetricId(0)), self.metrics.samples.is_some())
    }
}
