use super::values::{Value, diagnostic_records, metric_name};
use crate::analysis::{InclusiveChange, inclusive_changes, marked_truncated_in_file};
use crate::model::{Amount, MetricId, ThreadTruncation, Truncation, View};
use crate::object::{All, Members, object};
use serde::Serialize;

const MAX_METHODS: usize = 10;

pub struct TruncationReport {
    pub metric: MetricId,
    pub changes: Vec<InclusiveChange>,
    pub left_out: usize,
    /// The value below truncation marks in the file, if no truncated stacks were detected.
    pub marked: Option<u64>,
}

pub fn truncation(view: &View) -> TruncationReport {
    let metric = view.truncation.as_ref().map(|truncation| truncation.metric);
    let metric = metric.unwrap_or(view.recording.default_metric);
    let mut changes = inclusive_changes(view, metric);
    let left_out = changes.len().saturating_sub(MAX_METHODS);
    changes.truncate(MAX_METHODS);
    TruncationReport {
        metric,
        changes,
        left_out,
        marked: marked_truncated_in_file(view, metric),
    }
}

impl TruncationReport {
    pub fn document(&self, view: &View, file: &str) -> impl Serialize {
        let (found, metric) = (view.truncation.as_ref(), view.recording.metric(self.metric));
        let value = |stored| Value::new(metric.unit, stored);
        let method = |change: &InclusiveChange| {
            object! {
                name: view.frames.name(change.frame),
                display: view.frames.list_name(change.frame),
                before: value(change.before),
                after: value(change.after),
            }
        };
        let threads = found.map_or(Vec::new(), |truncation| {
            let rows = view.threads.iter().zip(&truncation.threads);
            let rows = rows.map(|(thread, row)| {
                object! {
                    id: &thread.id,
                    name: &thread.name,
                    amounts: All(amounts(view, truncation, row)),
                }
            });
            rows.collect()
        });
        object! {
            schema: "dotspot.truncation/1",
            file,
            limit: found.map(|truncation| truncation.limit),
            metric: metric_name(metric),
            total: found.map(|truncation| amounts(view, truncation, &truncation.total())),
            marked: self.marked.map(value),
            threads,
            methods: self.changes.iter().map(method).collect::<Vec<_>>(),
            diagnostics: diagnostic_records(view),
        }
    }
}

fn amounts(
    view: &View,
    truncation: &Truncation,
    row: &ThreadTruncation,
) -> impl Members + Serialize + use<> {
    let unit = view.recording.metric(truncation.metric).unit;
    let part = |amount: Amount| {
        object! {
            samples: truncation.has_samples.then_some(amount.samples),
            value: Value::new(unit, amount.value),
        }
    };
    object! {
        all: part(row.all),
        truncated: part(row.truncated),
        // version 1 of the document has used this name from the start
        mended: part(row.repaired),
        depth_uncertain: part(row.depth_uncertain),
        ambiguous: part(row.ambiguous),
        left: part(row.remaining()),
    }
}
