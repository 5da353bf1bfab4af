//! How much of a profile was truncated, and what became of it.

use super::values::{MetricName, Value, diagnostic_records};
use crate::analysis::{InclusiveChange, inclusive_changes, marked_truncated_in_file};
use crate::diagnostics::DiagnosticRecord;
use crate::model::{Amount, MetricId, ThreadTruncation, Truncation, View};
use serde::Serialize;
use std::borrow::Cow;

/// So many methods are listed whose inclusive value has changed.
const METHODS: usize = 10;

/// Facts about truncated stacks besides [`View::truncation`].
pub struct TruncationReport {
    pub metric: MetricId,
    /// The methods whose inclusive value was changed most by repair.
    pub changes: Vec<InclusiveChange>,
    pub left_out: usize,
    /// What hangs below marks that the file was written with, of a profile in which no truncated stacks were found.
    pub marked: Option<u64>,
}

/// Finds out what became of truncated stacks. O(nodes).
pub fn truncation(view: &View) -> TruncationReport {
    let metric = view
        .truncation
        .as_ref()
        .map_or(view.recording.default_metric, |truncation| {
            truncation.metric
        });
    let mut changes = inclusive_changes(view, metric);
    let left_out = changes.len().saturating_sub(METHODS);
    changes.truncate(METHODS);
    TruncationReport {
        metric,
        changes,
        left_out,
        marked: marked_truncated_in_file(view, metric),
    }
}

/// The document `dotspot.truncation/1`.
#[derive(Debug, Serialize)]
pub struct TruncationDocument<'a> {
    schema: &'static str,
    file: &'a str,
    /// At how many frames stacks were cut; null if none was.
    limit: Option<u32>,
    metric: MetricName<'a>,
    total: Option<TruncationRow<'a>>,
    /// What hangs below marks that the file was written with, of a profile in which no truncated stacks were found.
    marked: Option<Value>,
    threads: Vec<TruncationRow<'a>>,
    methods: Vec<ChangedMethod<'a>>,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct TruncationRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    all: TruncationPart,
    truncated: TruncationPart,
    /// Repaired: the document's version 1 has called it so from the start.
    #[serde(rename = "mended")]
    repaired: TruncationPart,
    depth_uncertain: TruncationPart,
    ambiguous: TruncationPart,
    left: TruncationPart,
}

#[derive(Debug, Serialize)]
struct TruncationPart {
    /// Null where the source does not tell numbers of samples.
    samples: Option<u64>,
    value: Value,
}

#[derive(Debug, Serialize)]
struct ChangedMethod<'a> {
    name: &'a str,
    display: Cow<'a, str>,
    before: Value,
    after: Value,
}

impl TruncationReport {
    /// The document; `file` is how the user named it. O(threads).
    pub fn document<'a>(&self, view: &'a View, file: &'a str) -> TruncationDocument<'a> {
        let (found, metric) = (view.truncation.as_ref(), self.metric);
        let unit = view.recording.metric(metric).unit;
        let threads = |truncation: &Truncation| {
            let rows = view.threads.iter().zip(&truncation.threads);
            let rows = rows.map(|(thread, row)| TruncationRow {
                id: Some(&thread.id),
                name: Some(&thread.name),
                ..row_of(view, truncation, row)
            });
            rows.collect()
        };
        let methods = self.changes.iter().map(|change| ChangedMethod {
            name: view.frames.name(change.frame),
            display: view.frames.list_name(change.frame),
            before: Value::new(unit, change.before),
            after: Value::new(unit, change.after),
        });
        TruncationDocument {
            schema: "dotspot.truncation/1",
            file,
            limit: found.map(|truncation| truncation.limit),
            metric: MetricName::new(view, metric),
            total: found.map(|truncation| row_of(view, truncation, &truncation.total())),
            marked: self.marked.map(|left| Value::new(unit, left)),
            threads: found.map(threads).unwrap_or_default(),
            methods: methods.collect(),
            diagnostics: diagnostic_records(view),
        }
    }
}

fn row_of<'a>(view: &View, truncation: &Truncation, row: &ThreadTruncation) -> TruncationRow<'a> {
    let part = |amount: Amount| TruncationPart {
        samples: truncation.has_samples.then_some(amount.samples),
        value: Value::new(view.recording.metric(truncation.metric).unit, amount.value),
    };
    TruncationRow {
        id: None,
        name: None,
        all: part(row.all),
        truncated: part(row.truncated),
        repaired: part(row.repaired),
        depth_uncertain: part(row.depth_uncertain),
        ambiguous: part(row.ambiguous),
        left: part(row.left()),
    }
}
