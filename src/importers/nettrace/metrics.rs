//! Those for which a recording has events.

use super::recording::{AmountKind, NettraceRecording};
use crate::model::{CountKind, Metric, MetricId};
use crate::units::Unit;

#[derive(Default)]
pub(super) struct Metrics {
    pub list: Vec<Metric>,
    /// Time in which threads ran; its counts are samples of managed code, or CPU samples.
    pub cpu: Option<MetricId>,
    /// Time in which threads existed; its counts are all samples.
    pub wall: Option<MetricId>,
    pub samples: Option<MetricId>,
    pub off_cpu: Option<MetricId>,
    pub allocated: Option<MetricId>,
    pub sample_nanoseconds: u64,
}

impl Metrics {
    /// An empty recording has the metrics of the runtime's sampler, whose samples precede others.
    pub(super) fn of(recording: &NettraceRecording) -> Metrics {
        let has = |is: fn(AmountKind) -> bool| recording.has(is);
        let is_sampled = recording.has_samples() || !recording.has_content();
        let has_cpu = has(|kind| kind == AmountKind::Cpu) && !is_sampled;
        let mut metrics = Metrics::default();
        if is_sampled {
            metrics.cpu = Some(metrics.add(Metric::time("CPU", Some(CountKind::Samples))));
            metrics.wall = Some(metrics.add(Metric::time("wall", Some(CountKind::Samples))));
        }
        if let Some(nanoseconds) = recording.header.sample_nanoseconds.filter(|_| has_cpu) {
            metrics.sample_nanoseconds = nanoseconds;
            metrics.cpu = Some(metrics.add(Metric::time("CPU", Some(CountKind::Samples))));
        }
        if is_sampled || has_cpu {
            metrics.samples = Some(metrics.add(Metric::new("samples", Unit::Count, None)));
        }
        if has(|kind| kind == AmountKind::OffCpu) {
            metrics.off_cpu = Some(metrics.add(Metric::time("off-CPU", None)));
        }
        if has(|kind| matches!(kind, AmountKind::Allocated(_))) {
            metrics.allocated = Some(metrics.add(Metric::allocated()));
        }
        metrics
    }

    fn add(&mut self, metric: Metric) -> MetricId {
        self.list.push(metric);
        MetricId::at(self.list.len() - 1)
    }
}
