//! The times of samples and the amounts, as a log from which values are computed.
//!
//! A sample of the runtime lasts until the thread's next one, as in TraceEvent's `SampleProfilerThreadTimeComputer`. A
//! thread sampled in managed code ran until then; one sampled outside of it waited, or ran native code. The last
//! sample of a thread has no time.

use super::metrics::Metrics;
use super::numbered::IdMap;
use super::recording::{AmountKind, LogKind, NettraceRecording, SampledAmount};
use super::spaces::SpaceId;
use super::threads::ThreadKey;
use crate::importers::clock::Clock;
use crate::importers::runtime::RuntimeMarkers;
use crate::model::{
    FrameId, Frames, IntervalSample, MarkerLog, MetricId, SampleKind, SampleLog, WeightedSample,
};
use crate::names::{ALLOCATED, FrameKind};

fn kinds(metrics: &Metrics) -> [SampleKind; 6] {
    let present =
        |metrics: &[Option<MetricId>]| metrics.iter().copied().flatten().collect::<Vec<_>>();
    let runtime_sample = |times: &[Option<MetricId>]| SampleKind {
        ones: present(&[metrics.samples]),
        ..SampleKind::of_samples(&present(times))
    };
    let cpu = metrics.cpu.map(|cpu| (cpu, metrics.sample_nanoseconds));
    let samples = metrics.samples.map(|samples| (samples, 1));
    let machine_sample = SampleKind {
        values: cpu.into_iter().chain(samples).collect(),
        counts: present(&[metrics.cpu]),
        is_sample: true,
        ..SampleKind::default()
    };
    [
        runtime_sample(&[metrics.wall, metrics.cpu]),
        runtime_sample(&[metrics.wall]),
        machine_sample,
        SampleKind::of_values(&present(&[metrics.off_cpu])),
        SampleKind::of_values(&present(&[metrics.allocated])),
        SampleKind::default(),
    ]
}

type TakenEvents = (Vec<IntervalSample>, Vec<SampledAmount>, RuntimeMarkers);

/// The events in time order, which end in nodes of the tree, and the markers.
pub(super) fn build_logs(
    recording: &NettraceRecording,
    (mut samples, amounts, mut markers): TakenEvents,
    metrics: &Metrics,
    frames: &mut Frames,
) -> (SampleLog, MarkerLog) {
    let first_sample = samples.first().map(|sample| sample.time_ns);
    let first_amount = amounts.first().map(|amount| amount.time);
    let first = first_sample.into_iter().chain(first_amount).min();
    let clock = recording.header.clock(first.unwrap_or(0));
    let mut log = SampleLog::new(kinds(metrics));
    log.set_zero_ns(0);
    log.add_lanes(recording.threads.iter().count());
    for sample in &mut samples {
        sample.time_ns = clock.time_ns(sample.time_ns);
    }
    let first_row = samples.len();
    let weighted = weighted(amounts, first_row, metrics, clock, &mut markers, frames);
    let thread_row = |process, id| {
        let space = SpaceId(process);
        recording.threads.row_of(&ThreadKey { space, id })
    };
    let markers = markers.finish(
        |ticks| clock.time_ns(ticks),
        thread_row,
        recording.metadata.events(),
    );
    (log.with_samples(samples, weighted), markers)
}

/// Both kinds of rows have the same size, so collecting reuses their memory.
fn weighted(
    amounts: Vec<SampledAmount>,
    first_row: usize,
    metrics: &Metrics,
    clock: Clock,
    markers: &mut RuntimeMarkers,
    frames: &mut Frames,
) -> Vec<WeightedSample> {
    let mut types = IdMap::default();
    let sample = |(row, amount): (usize, SampledAmount)| {
        let (kind, weight) = match amount.kind {
            AmountKind::Cpu if metrics.wall.is_some() => (LogKind::Ignored, 0),
            AmountKind::Cpu => (LogKind::Cpu, amount.value),
            AmountKind::OffCpu => (LogKind::OffCpu, clock.duration_ns(amount.value)),
            AmountKind::Allocated(_) => (LogKind::Allocated, amount.value),
            AmountKind::Marker(_) => (LogKind::Ignored, 0),
        };
        let (time_ns, lane) = (clock.time_ns(amount.time), amount.thread as usize);
        let sample = WeightedSample::new(time_ns, weight, amount.node, lane, kind as u8);
        if let AmountKind::Allocated(marker) | AmountKind::Marker(marker) = amount.kind {
            markers.set_sample(marker, first_row + row);
        }
        let AmountKind::Allocated(marker) = amount.kind else {
            return sample;
        };
        let (number, name) = markers.type_of(marker);
        let leaf = leaf_of_type(&mut types, number, name, frames);
        WeightedSample { leaf, ..sample }
    };
    amounts.into_iter().enumerate().map(sample).collect()
}

/// Memory is charged to a frame below the stack, not to affect the times of methods.
fn leaf_of_type(
    known: &mut IdMap<FrameId>,
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
