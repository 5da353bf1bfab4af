//! Which metrics are written.

use crate::exporters::part::Part;
use crate::model::MetricId;
use crate::units::Unit;

pub(in crate::exporters) fn metrics(part: &Part) -> (MetricId, Option<MetricId>) {
    let recording = &part.view.recording;
    let is_time = |metric: &MetricId| recording.metric(*metric).unit == Unit::Milliseconds;
    let named = |name| recording.metric_named(name).filter(is_time);
    match (named("wall"), named("CPU")) {
        (Some(wall), Some(cpu)) if [wall, cpu].contains(&part.metric) => (wall, Some(cpu)),
        _ => (part.metric, None),
    }
}
