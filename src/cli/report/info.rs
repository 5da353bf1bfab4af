//! `dotspot info`.

use super::{Table, Value, write_json, write_line, write_wrapped};
use crate::analysis::threads::processes_of_threads;
use crate::app::pages::wrap;
use crate::model::diagnostics::DiagnosticRecord;
use crate::model::format::{Scale, thousands};
use crate::model::text::visible;
use crate::model::{CountKind, MetricId, NodeId, Process, Profile, Thread};
use crate::model::{Diagnostic, Severity};
use anyhow::Result;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

/// The document `dotspot.info/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
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

fn metrics(profile: &Profile) -> impl Iterator<Item = MetricId> + use<> {
    (0..profile.metrics.len()).map(MetricId::at)
}

/// The counts of a thread, if they are of this kind: those of the metric that has most, which for a recording is wall time.
fn count(profile: &Profile, node: NodeId, kind: CountKind) -> Option<u64> {
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
        samples: count(profile, node, CountKind::Samples),
        calls: count(profile, node, CountKind::Calls),
        counts: count(profile, node, CountKind::Unknown),
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

/// Prints what a profile is.
pub fn info(out: &mut dyn Write, profile: &Profile, file: &str, json: bool, width: Option<usize>) -> Result<()> {
    if !json {
        return text(out, profile, file, width);
    }
    let total = |id: MetricId| {
        let metric = profile.metric(id);
        let total = Value::new(metric.unit, profile.tree.inclusive(id, NodeId::ROOT));
        MetricTotal { name: &metric.name, unit: metric.unit.name(), total }
    };
    let document = Document {
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
        facts: profile.source.told().collect(),
        notes: profile.diagnostics_of(Severity::Note).map(Diagnostic::to_string).collect(),
        warnings: profile.alerts().map(Diagnostic::to_string).collect(),
        diagnostics: profile.diagnostics.iter().map(Diagnostic::record).collect(),
    };
    write_json(out, &document)
}

fn text(out: &mut dyn Write, profile: &Profile, file: &str, width: Option<usize>) -> Result<()> {
    let source = &profile.source;
    let mut lines = vec![
        ("file", file.to_string()),
        ("format", source.format.to_string()),
        ("kind", format!("{}: {}", source.kind.name(), source.kind.about())),
    ];
    for id in metrics(profile) {
        let metric = profile.metric(id);
        let total = profile.tree.inclusive(id, NodeId::ROOT);
        let mark = if id == profile.default_metric && profile.metrics.len() > 1 { " (shown first)" } else { "" };
        let scale = Scale::for_values(metric.unit, total);
        lines.push(("metric", format!("{} {}{mark}", metric.name, scale.with_unit(total))));
    }
    lines.push(("nodes", thousands(profile.node_count() as u64)));
    lines.push(("methods", thousands(profile.method_count() as u64)));
    lines.extend(source.told().map(|(what, text)| (what, text.into_owned())));
    let label = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(label + 2).max(20));
    for (name, value) in &lines {
        // nothing is cut here, for this is where the whole text can be read
        for (row, part) in wrap(&visible(value), room).into_iter().enumerate() {
            let name = if row == 0 { name } else { "" };
            write_line(out, &format!("{name:<label$}  {part}"))?;
        }
    }
    if !profile.threads.is_empty() {
        write_line(out, "")?;
        threads(out, profile, width)?;
    }
    let notes = profile.diagnostics_of(Severity::Note).map(|note| ("note", note));
    for (what, sentence) in notes.chain(profile.alerts().map(|warning| ("warning", warning))) {
        write_line(out, "")?;
        write_wrapped(out, &format!("{what}: {sentence}"), width)?;
    }
    Ok(())
}

fn threads(out: &mut dyn Write, profile: &Profile, width: Option<usize>) -> Result<()> {
    let kinds = [CountKind::Samples, CountKind::Calls, CountKind::Unknown];
    let kind = kinds.into_iter().find(|&kind| count(profile, NodeId::ROOT, kind).is_some());
    // what counts have is not repeated as a metric
    let shown: Vec<MetricId> =
        metrics(profile).filter(|&id| kind.is_none_or(|kind| profile.metric(id).name != kind.name())).collect();
    let scale = |id: MetricId| Scale::for_values(profile.metric(id).unit, profile.tree.inclusive(id, NodeId::ROOT));
    let mut heads = vec!["nodes".to_string()];
    heads.extend(kind.map(|kind| kind.name().to_string()));
    heads
        .extend(shown.iter().map(|&id| format!("{} {}", profile.metric(id).name, scale(id).unit()).trim().to_string()));
    let has_processes = !profile.processes.is_empty();
    heads.push(if has_processes { "process, thread".into() } else { "thread".into() });
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    let mut push = |node: NodeId, indent: &str| {
        let mut row = vec![thousands(profile.tree.size(node) as u64)];
        row.extend(kind.map(|kind| thousands(count(profile, node, kind).unwrap_or(0))));
        row.extend(shown.iter().map(|&id| scale(id).number(profile.tree.inclusive(id, node))));
        row.push(format!("{indent}{}", profile.name(node)));
        table.push(row);
    };
    // in the order of nodes each process comes right before its threads
    let mut processes: Vec<NodeId> = profile.processes.iter().map(|process| process.node).collect();
    processes.sort_unstable();
    let mut processes = processes.into_iter().peekable();
    for thread in profile.threads.by_value() {
        while let Some(process) = processes.next_if(|&process| process < thread.node) {
            push(process, "");
        }
        push(thread.node, if has_processes { "  " } else { "" });
    }
    processes.for_each(|process| push(process, ""));
    table.write(out, width)
}
