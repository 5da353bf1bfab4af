//! What the commands without a screen print: text for people, JSON for machines.

mod hotspots;
mod info;
mod tree;
mod truncation;

pub(super) use hotspots::{hotspots, hotspots_of_sums, needs_no_tree};
pub(super) use info::info;
pub(super) use tree::tree;
pub(super) use truncation::truncation;

use crate::model::format::Scale;
use crate::model::{MetricId, View};

/// The head of a column of values: what they are, and their unit if they have one.
fn value_head(what: &str, scale: Scale) -> String {
    format!("{what} {}", scale.unit()).trim_end().to_string()
}

/// A metric with a value, for the head of a list: `time 41.2 ms, inflated by tracing`.
fn metric_words(view: &View, metric: MetricId, scale: Scale, value: u64) -> String {
    let words = format!("{} {}", view.metric(metric).name, scale.with_unit(value));
    match view.inflation(metric) {
        "" => words,
        inflation => format!("{words}, {inflation}"),
    }
}
