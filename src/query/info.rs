//! What a profile is.

use super::values::{RangeRow, Value, diagnostic_records};
use crate::analysis::threads::processes_of_threads;
use crate::model::diagnostics::DiagnosticRecord;
use crate::model::{CountKind, Diagnostic, MetricId, NodeId, Process, Profile, Thread};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The document `dotspot.info/1`.
#[derive(Debug, Serialize)]
pub struct InfoDocument<'a> {
    schema: &'static str,
    file: &'a str,
    format: &'static str,
    kind: &'static str,
    about: &'static str,
    metrics: Vec<MetricTotal<'a>>,
    nodes: usize,
    methods: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    processes: Vec<ProcessRow<'a>>,
    threads: Vec<ThreadRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    facts: BTreeMap<&'static str, Cow<'a, str>>,
    notes: Vec<String>,
    warnings: Vec<String>,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct MetricTotal<'a> {
    name: &'a str,
    unit: &'static str,
    total: Value,
}

#[derive(Debug, Serialize)]
struct ProcessRow<'a> {
    id: u64,
    name: &'a str,
    #[serde(flatten)]
    sums: Sums<'a>,
}

#[derive(Debug, Serialize)]
struct ThreadRow<'a> {
    id: &'a str,
    name: &'a str,
    /// the number of its process, where there are processes
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u64>,
    #[serde(flatten)]
    sums: Sums<'a>,
}

/// What a thread or process has.
#[derive(Debug, Serialize)]
struct Sums<'a> {
    nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    metrics: BTreeMap<&'a str, Value>,
}

/// All metrics of a profile.
pub fn metrics(profile: &Profile) -> impl Iterator<Item = MetricId> + use<> {
    (0..profile.metrics.len()).map(MetricId::at)
}

/// The counts of a thread, if they are of this kind: those of the metric that has most, which for a recording is wall time.
pub fn largest_count(profile: &Profile, node: NodeId, kind: CountKind) -> Option<u64> {
    metrics(profile)
        .filter(|&metric| profile.metric(metric).counts == Some(kind))
        .filter_map(|metric| profile.tree.count(metric, node))
        .max()
}

fn sums(profile: &Profile, node: NodeId) -> Sums<'_> {
    let total = |id: MetricId| {
        let metric = profile.metric(id);
        (metric.name.as_str(), Value::new(metric.unit, profile.tree.inclusive(id, node)))
    };
    Sums {
        nodes: profile.tree.size(node),
        samples: largest_count(profile, node, CountKind::Samples),
        calls: largest_count(profile, node, CountKind::Calls),
        counts: largest_count(profile, node, CountKind::Unknown),
        metrics: metrics(profile).map(total).collect(),
    }
}

fn process_row<'a>(profile: &'a Profile, process: &'a Process) -> ProcessRow<'a> {
    ProcessRow { id: process.id, name: &process.name, sums: sums(profile, process.node) }
}

fn thread_rows(profile: &Profile) -> Vec<ThreadRow<'_>> {
    let processes = processes_of_threads(profile).into_iter();
    let row = |(thread, process): (_, Option<usize>)| {
        let thread: &Thread = thread;
        let process = process.map(|process| profile.processes[process].id);
        ThreadRow { id: &thread.id, name: &thread.name, process, sums: sums(profile, thread.node) }
    };
    profile.threads.iter().zip(processes).map(row).collect()
}

/// What there is to know about a profile without looking into it; `file` is how the user named it. O(threads).
pub fn info<'a>(profile: &'a Profile, file: &'a str) -> InfoDocument<'a> {
    let total = |id: MetricId| {
        let metric = profile.metric(id);
        let total = Value::new(metric.unit, profile.tree.inclusive(id, NodeId::ROOT));
        MetricTotal { name: &metric.name, unit: metric.unit.name(), total }
    };
    InfoDocument {
        schema: "dotspot.info/1",
        file,
        format: profile.source.format,
        kind: profile.source.kind.name(),
        about: profile.source.kind.about(),
        metrics: metrics(profile).map(total).collect(),
        nodes: profile.node_count(),
        methods: profile.method_count(),
        processes: profile.processes.iter().map(|process| process_row(profile, process)).collect(),
        threads: thread_rows(profile),
        range: RangeRow::of(profile),
        facts: profile.source.told().collect(),
        notes: profile.notes().map(Diagnostic::to_string).collect(),
        warnings: profile.alerts().map(Diagnostic::to_string).collect(),
        diagnostics: diagnostic_records(profile),
    }
}
