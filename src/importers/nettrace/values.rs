//! What is measured: the times of samples and the amounts, given to the places of their stacks.
//!
//! A tree gets its values when all its places are known, so that the same events can be given to a tree in which truncated
//! stacks are mended.

use super::amounts::{Amount, What};
use super::metrics::Metrics;
use super::recording::{Activity, Recording, Sample};
use super::thread_time::{Clock, LastSample};
use crate::importers::grown::{Told, Values};
use crate::model::{FrameId, FrameKind, Frames, MetricId, RawNode, TooLarge, TreeBuilder};
use std::collections::HashMap;

/// How the frame of a type starts of which objects were allocated.
const ALLOCATED: &str = "[allocated]";

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
                    frames.intern(FrameKind::Special, &format!("{ALLOCATED} {name}"), "")
                });
            }
        }
        RecordedValues { recording, metrics, clock: Clock::new(base, recording.header.ticks_per_second), types }
    }

    fn give_sample(
        &self,
        builder: &mut TreeBuilder,
        sample: &Sample,
        place: &impl Fn(usize) -> RawNode,
        row: usize,
        last: &mut LastSample<usize>,
        tell: &mut impl FnMut(Told),
    ) -> bool {
        let Metrics { cpu: Some(cpu), wall: Some(wall), samples: Some(samples), .. } = *self.metrics else {
            return false;
        };
        let mut has_cpu = false;
        let thread = sample.thread();
        if let Some(span) = last.replace(&self.clock, sample, row) {
            builder.add_exclusive(wall, place(span.place), span.nanoseconds);
            tell(Told { thread: thread.index(), row: span.place, samples: 0, value: span.nanoseconds });
            if span.on_cpu {
                has_cpu = span.nanoseconds > 0;
                builder.add_exclusive(cpu, place(span.place), span.nanoseconds);
            }
        }
        let node = place(row);
        if sample.activity() == Activity::Managed {
            builder.add_count(cpu, node, 1);
        }
        if sample.activity().is_sample() {
            builder.add_count(wall, node, 1);
            builder.add_exclusive(samples, node, 1);
            tell(Told { thread: thread.index(), row, samples: 1, value: 0 });
        }
        has_cpu
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
        let mut last: Vec<LastSample<usize>> = vec![LastSample::default(); self.recording.threads.iter().count()];
        for (row, event) in events(self.recording).enumerate() {
            has_cpu |= match event {
                Event::Amount(amount) => self.give_amount(builder, amount, place(row), row, &mut tell)?,
                Event::Sample(sample) => {
                    let last = &mut last[sample.thread().index()];
                    self.give_sample(builder, sample, &place, row, last, &mut tell)
                }
            };
        }
        builder.sum_counts();
        Ok(self.metrics.first_choice(has_cpu))
    }

    fn told_in(&self) -> (MetricId, bool) {
        (self.metrics.wall.or(self.metrics.cpu).unwrap_or(MetricId(0)), self.metrics.samples.is_some())
    }
}
