//! Which metrics are written.

use crate::exporters::part::Part;
use crate::model::MetricId;
use crate::units::Unit;

#[derive(Clone, Copy)]
pub(in crate::exporters) struct WrittenMetrics {
    pub main: MetricId,
    /// The metric of what ran.
    pub cpu: Option<MetricId>,
}

impl WrittenMetrics {
    pub(in crate::exporters) fn all(self) -> Vec<MetricId> {
        [self.main].into_iter().chain(self.cpu).collect()
    }
}

/// Wall time and CPU time if one of them is chosen and both exist, otherwise the chosen metric.
pub(in crate::exporters) fn metrics(part: &Part) -> WrittenMetrics {
    let recording = &part.view.recording;
    let is_time = |metric: &MetricId| recording.metric(*metric).unit == Unit::Milliseconds;
    let named = |name| recording.metric_named(name).filter(is_time);
    let both = named("wall").zip(named("CPU"));
    let both = both.filter(|&(wall, cpu)| [wall, cpu].contains(&part.metric));
    WrittenMetrics {
        main: both.map_or(part.metric, |(wall, _)| wall),
        cpu: both.map(|(_, cpu)| cpu),
    }
}
