//! The measurements, namely the times of samples and the amounts, as a log of samples from which values are computed.
//!
//! Each sample of the runtime lasts until the next one of its thread, as in TraceEvent's
//! `SampleProfilerThreadTimeComputer`. A thread sampled in managed code ran until its next sample; one sampled
//! outside of it waited, or ran native code. The last sample of a thread has no time.

use super::clock::Clock;
use super::metrics::Metrics;
use super::numbered::Numbered;
use super::recording::{Activity, AmountKind, NettraceRecording, Sample, SampledAmount};
use super::spaces::SpaceId;
use super::threads::ThreadKey;
use crate::importers::runtime::RuntimeMarkers;
use crate::model::{
    FrameId, Frames, LastingSample, MarkerLog, MetricId, SampleKind, SampleLog, WeightedSample,
};
use crate::names::{ALLOCATED, FrameKind};

/// The kinds of the log in order, after [`SampleLog::PAUSE`].
#[derive(Clone, Copy)]
enum LogKind {
    Managed = 1,
    External,
    Cpu,
    OffCpu,
    Allocated,
    Ignored,
}

fn kinds(metrics: &Metrics) -> [SampleKind; 6] {
    let list = |metrics: &[Option<MetricId>]| metrics.iter().copied().flatten().collect::<Vec<_>>();
    let Metrics {
        cpu,
        wall,
        samples,
        off_cpu,
        allocated,
        ..
    } = *metrics;
    let managed = SampleKind {
        ones: list(&[samples]),
        ..SampleKind::of_samples(&list(&[wall, cpu]))
    };
    let external = SampleKind {
        ones: list(&[samples]),
        ..SampleKind::of_samples(&list(&[wall]))
    };
    let values = [(cpu, metrics.sample_nanoseconds), (samples, 1)];
    let values = values
        .into_iter()
        .filter_map(|(metric, factor)| Some((metric?, factor)));
    let of_machine = SampleKind {
        values: values.collect(),
        counts: list(&[cpu]),
        is_sample: true,
        ..SampleKind::default()
    };
    let off_cpu = SampleKind::of_values(&list(&[off_cpu]));
    let allocated = SampleKind::of_values(&list(&[allocated]));
    [
        managed,
        external,
        of_machine,
        off_cpu,
        allocated,
        SampleKind::default(),
    ]
}

/// The log of a recording's events in time order, whose stacks have been replaced with the nodes where they end, and
/// that of its markers. Reuses the memory of the samples.
pub(super) fn log_of(
    recording: &mut NettraceRecording,
    (samples, amounts): (Vec<Sample>, Vec<SampledAmount>),
    metrics: &Metrics,
    frames: &mut Frames,
) -> (SampleLog, MarkerLog) {
    let first = [
        samples.first().map(|sample| sample.time),
        amounts.first().map(|amount| amount.time),
    ];
    let first = first.into_iter().flatten().min().unwrap_or(0);
    let clock = Clock::new(
        &recording.header,
        first,
        samples.first().map(|sample| sample.time),
    );
    let mut log = SampleLog::new(kinds(metrics));
    log.set_zero_ns(0);
    log.add_lanes(recording.threads.iter().count());
    let mut markers = std::mem::take(&mut recording.markers);
    let lasting = |sample: Sample| {
        let kind = match sample.activity() {
            Activity::Managed => LogKind::Managed,
            Activity::External => LogKind::External,
        };
        LastingSample::new(
            clock.nanoseconds(sample.time),
            sample.stack.end(),
            sample.thread().index(),
            kind as u8,
        )
    };
    let lasting: Vec<LastingSample> = samples.into_iter().map(lasting).collect();
    let weighted = weighted(
        amounts,
        lasting.len(),
        metrics,
        &clock,
        &mut markers,
        frames,
    );
    let thread_row = |process, id| {
        let space = SpaceId(process);
        recording.threads.row_of(&ThreadKey { space, id })
    };
    let markers = markers.finish(
        |ticks| clock.nanoseconds(ticks),
        thread_row,
        recording.metadata.events(),
    );
    (log.with_samples(lasting, weighted), markers)
}

/// The samples with amounts, which come after this many rows. Both kinds of rows have the same size, so collecting
/// reuses their memory.
fn weighted(
    amounts: Vec<SampledAmount>,
    after: usize,
    metrics: &Metrics,
    clock: &Clock,
    markers: &mut RuntimeMarkers,
    frames: &mut Frames,
) -> Vec<WeightedSample> {
    let mut types = Numbered::default();
    let sample = |(row, amount): (usize, SampledAmount)| {
        let (kind, weight) = match amount.what {
            AmountKind::Cpu if metrics.wall.is_some() => (LogKind::Ignored, 0),
            AmountKind::Cpu => (LogKind::Cpu, amount.value),
            AmountKind::OffCpu => (LogKind::OffCpu, clock.duration(amount.value)),
            AmountKind::Allocated(_) => (LogKind::Allocated, amount.value),
            AmountKind::Marker(_) => (LogKind::Ignored, 0),
        };
        let (time_ns, end, lane) = (
            clock.nanoseconds(amount.time),
            amount.stack.end(),
            amount.thread.index(),
        );
        let sample = WeightedSample::new(time_ns, weight, end, lane, kind as u8);
        match amount.what {
            AmountKind::Allocated(marker) => {
                markers.set_sample(marker, after + row);
                let (number, name) = markers.type_of(marker);
                sample.with_leaf(leaf_of_type(&mut types, number, name, frames))
            }
            AmountKind::Marker(marker) => {
                markers.set_sample(marker, after + row);
                sample
            }
            AmountKind::Cpu | AmountKind::OffCpu => sample,
        }
    };
    amounts.into_iter().enumerate().map(sample).collect()
}

/// The frame for a type of allocated objects. Memory is charged to this frame below the stack, where nothing else is,
/// so that it does not affect the times of methods.
fn leaf_of_type(
    known: &mut Numbered<FrameId>,
    number: u32,
    name: &str,
    frames: &mut Frames,
) -> FrameId {
    if let Some(&leaf) = known.get(number) {
        return leaf;
    }
    let name = if name.is_empty() { "?" } else { name };
    let leaf = frames.intern(FrameKind::Special, &format!("{ALLOCATED}{name}"), "");
    known.insert(number, leaf);
    leaf
}

#[cfg(test)]
mod tests;
