//! What a profile is.

use super::markers::{MAX_LISTED, MarkerSums, marker_sums, other_events};
use super::values::{RangeRow, Value, diagnostic_records};
use crate::analysis::threads::processes_of_threads;
use crate::diagnostics::{Diagnostic, DiagnosticRecord};
use crate::model::{CountKind, EventCount, MetricId, NodeId, Process, Thread, View};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The document `dotspot.info/1`.
#[derive(Debug, Serialize)]
pub struct InfoDocument<'a> {
    schema: &'static str,
    file: &'a str,
    format: &'a str,
    kind: &'static str,
    about: &'static str,
    metrics: Vec<MetricTotal<'a>>,
    nodes: usize,
    methods: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processes: Vec<ProcessRow<'a>>,
    /// how many more there are
    #[serde(skip_serializing_if = "is_zero")]
    processes_left_out: usize,
    threads: Vec<ThreadInfo<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    threads_left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    facts: BTreeMap<&'a str, Cow<'a, str>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    markers: BTreeMap<&'static str, MarkerSums<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_events: Vec<&'a EventCount>,
    notes: Vec<String>,
    warnings: Vec<String>,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct MetricTotal<'a> {
    name: &'a str,
    unit: &'static str,
    total: Value,
    /// how much of it is waiting
    waiting_total: Value,
}

#[derive(Debug, Serialize)]
struct ProcessRow<'a> {
    id: u64,
    name: &'a str,
    #[serde(flatten)]
    sums: InfoSums<'a>,
}

#[derive(Debug, Serialize)]
struct ThreadInfo<'a> {
    id: &'a str,
    name: &'a str,
    /// the number of its process, where there are processes
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u64>,
    /// whether it does nothing but wait
    only_waits: bool,
    #[serde(flatten)]
    sums: InfoSums<'a>,
}

/// What a thread or process has.
#[derive(Debug, Serialize)]
struct InfoSums<'a> {
    nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    metrics: BTreeMap<&'a str, Value>,
}

pub fn metrics(view: &View) -> impl Iterator<Item = MetricId> + use<> {
    (0..view.recording.metrics.len()).map(MetricId::at)
}

/// The counts of a thread, if they are of this kind: those of the metric that has most, which for a recording is wall time.
pub fn largest_count(view: &View, node: NodeId, kind: CountKind) -> Option<u64> {
    metrics(view)
        .filter(|&metric| view.recording.metric(metric).counts == Some(kind))
        .filter_map(|metric| view.tree.count(metric, node))
        .max()
}

fn sums(view: &View, node: NodeId) -> InfoSums<'_> {
    let total = |id: MetricId| {
        let metric = view.recording.metric(id);
        (
            metric.name.as_str(),
            Value::new(metric.unit, view.tree.inclusive(id, node)),
        )
    };
    InfoSums {
        nodes: view.tree.size(node),
        samples: largest_count(view, node, CountKind::Samples),
        calls: largest_count(view, node, CountKind::Calls),
        counts: largest_count(view, node, CountKind::Unknown),
        metrics: metrics(view).map(total).collect(),
    }
}

fn process_row<'a>(view: &'a View, process: &'a Process) -> ProcessRow<'a> {
    ProcessRow {
        id: process.id,
        name: &process.name,
        sums: sums(view, process.node),
    }
}

fn thread_row(view: &View, thread: usize, process: Option<usize>) -> ThreadInfo<'_> {
    let Thread { node, id, name } = &view.threads[thread];
    let process = process.map(|process| view.processes[process].id);
    ThreadInfo {
        id,
        name,
        process,
        only_waits: view.idle_percent(*node).is_some(),
        sums: sums(view, *node),
    }
}

/// The rows of the threads in the order of their values, those of a process together and in each process those that only wait last;
/// if the profile's first metric has it.
pub fn threads_by_value(view: &View) -> Vec<usize> {
    let processes = processes_of_threads(view);
    let process_of = |row: usize| processes[row].map(|process| view.processes[process].node);
    let alone = |node: NodeId| {
        if view.processes.is_empty() {
            NodeId::ROOT
        } else {
            node
        }
    };
    let mut rows: Vec<usize> = (0..view.threads.len()).collect();
    rows.sort_by_key(|&row| {
        let node = view.threads[row].node;
        (
            process_of(row).unwrap_or(alone(node)),
            view.waiting(view.recording.default_metric).is_idle(node),
            node,
        )
    });
    rows
}

/// The sums of markers by the names of their kinds.
fn markers(view: &View) -> BTreeMap<&'static str, MarkerSums<'_>> {
    let sums = marker_sums(view).into_iter();
    sums.map(|mut sums| {
        sums.groups.truncate(MAX_LISTED);
        (sums.kind.name(), sums)
    })
    .collect()
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What there is to know about a profile without looking into it; `file` is how the user named it. So many of its threads are listed
/// at most, the heaviest ones, and their processes. O(threads · log threads).
pub fn info<'a>(view: &'a View, file: &'a str, most_threads: usize) -> InfoDocument<'a> {
    let mut listed = threads_by_value(view);
    let has_all = listed.len() <= most_threads;
    listed.truncate(most_threads);
    listed.sort_unstable();
    let of_threads = processes_of_threads(view);
    let is_listed = |process: &usize| {
        has_all
            || listed
                .iter()
                .any(|&thread| of_threads[thread] == Some(*process))
    };
    let processes: Vec<_> = (0..view.processes.len()).filter(is_listed).collect();
    let total = |id: MetricId| {
        let metric = view.recording.metric(id);
        let total = Value::new(metric.unit, view.tree.inclusive(id, NodeId::ROOT));
        let waiting_total = Value::new(metric.unit, view.waiting_total(id));
        MetricTotal {
            name: &metric.name,
            unit: metric.unit.name(),
            total,
            waiting_total,
        }
    };
    InfoDocument {
        schema: "dotspot.info/1",
        file,
        format: &view.recording.source.format,
        kind: view.recording.source.kind.name(),
        about: view.recording.source.kind.about(),
        metrics: metrics(view).map(total).collect(),
        nodes: view.node_count(),
        methods: view.method_count(),
        processes_left_out: view.processes.len() - processes.len(),
        processes: processes
            .into_iter()
            .map(|row| process_row(view, &view.processes[row]))
            .collect(),
        threads_left_out: view.threads.len() - listed.len(),
        threads: listed
            .into_iter()
            .map(|row| thread_row(view, row, of_threads[row]))
            .collect(),
        range: RangeRow::of(view),
        facts: view.recording.source.told().collect(),
        markers: markers(view),
        other_events: other_events(view).into_iter().take(MAX_LISTED).collect(),
        notes: view.notes().map(Diagnostic::to_string).collect(),
        warnings: view.alerts().map(Diagnostic::to_string).collect(),
        diagnostics: diagnostic_records(view),
    }
}
