//! `dotspot info`.

use super::{Table, Value, write_json, write_line};
use crate::app::pages::wrap;
use crate::model::format::{Scale, thousands};
use crate::model::text::visible;
use crate::model::{CountKind, MetricId, NodeId, Profile, Thread};
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
    threads: Vec<ThreadRow<'a>>,
    facts: BTreeMap<&'static str, Cow<'a, str>>,
    notes: Vec<&'a str>,
    warnings: &'a [String],
}

#[derive(Debug, Serialize)]
struct MetricTotal<'a> {
    name: &'a str,
    unit: &'static str,
    total: Value,
}

#[derive(Debug, Serialize)]
struct ThreadRow<'a> {
    id: &'a str,
    name: &'a str,
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

fn thread_row<'a>(profile: &'a Profile, thread: &'a Thread) -> ThreadRow<'a> {
    let total = |id: MetricId| {
        let metric = profile.metric(id);
        (metric.name.as_str(), Value::new(metric.unit, profile.tree.inclusive(id, thread.node)))
    };
    ThreadRow {
        id: &thread.id,
        name: &thread.name,
        nodes: profile.tree.size(thread.node),
        samples: count(profile, thread.node, CountKind::Samples),
        calls: count(profile, thread.node, CountKind::Calls),
        counts: count(profile, thread.node, CountKind::Unknown),
        metrics: metrics(profile).map(total).collect(),
    }
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
        threads: profile.threads.iter().map(|thread| thread_row(profile, thread)).collect(),
        facts: profile.source.told().collect(),
        notes: profile.remarks().collect(),
        warnings: &profile.warnings,
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
    let notes = profile.remarks().map(|note| ("note", note));
    for (what, sentence) in notes.chain(profile.warnings.iter().map(|warning| ("warning", warning.as_str()))) {
        write_line(out, "")?;
        write_line(out, &format!("{what}: {sentence}"))?;
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
    heads.push("thread".into());
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for thread in profile.threads.by_value() {
        let mut row = vec![thousands(profile.tree.size(thread.node) as u64)];
        row.extend(kind.map(|kind| thousands(count(profile, thread.node, kind).unwrap_or(0))));
        row.extend(shown.iter().map(|&id| scale(id).number(profile.tree.inclusive(id, thread.node))));
        row.push(profile.name(thread.node).to_string());
        table.push(row);
    }
    table.write(out, width)
}
