//! `dotspot info`.

use super::{print_left_out, value_head, write_fitting};
use crate::cli::messages;
use crate::cli::options::{OutputOptions, Units};
use crate::cli::print::{Printer, TextTable};
use crate::model::{CountKind, MetricId, NodeId, View};
use crate::query::{self, largest_count, over_time, threads_by_value};
use crate::text::fit_end;
use crate::units::{Scale, Unit, counted, thousands};
use anyhow::Result;

pub(crate) fn info(to: &mut Printer, view: &View, output: OutputOptions, file: &str) -> Result<()> {
    let budget = output.fitting.budget;
    write_fitting(to, budget, view.threads.len(), |to, threads| {
        if output.json {
            return to.json(&query::info(view, file, threads));
        }
        // blocks cost a prompt more than they are worth
        let strip = over_time(view, STRIP_CELLS).filter(|_| budget.is_none());
        text(to, view, output.units, (file, threads), strip)
    })
}

const STRIP_CELLS: usize = 60;

fn scale(view: &View, units: Units, id: MetricId) -> Scale {
    let unit = view.recording.metric(id).unit;
    let shares_scale = |&other: &MetricId| match unit {
        Unit::Milliseconds => view.recording.metric(other).unit == unit,
        _ => other == id,
    };
    let totals = view
        .recording
        .metric_ids()
        .filter(shares_scale)
        .map(|id| view.tree.inclusive(id, NodeId::ROOT));
    units.scale(unit, totals.max().unwrap_or(0))
}

fn facts<'a>(
    view: &'a View,
    units: Units,
    file: &str,
    strip: Option<String>,
) -> Vec<(&'a str, String)> {
    let source = &view.recording.source;
    let kind = format!("{}: {}", source.kind.name(), source.kind.about());
    let mut lines = vec![
        ("file", file.to_string()),
        ("format", source.format.to_string()),
        ("kind", kind),
    ];
    for id in view.recording.metric_ids() {
        let is_default = id == view.recording.default_metric && view.recording.metrics.len() > 1;
        let mark = if is_default { " (default)" } else { "" };
        let name = &view.recording.metric(id).name;
        let total = query::metric_total(view, id, scale(view, units, id));
        lines.push(("metric", format!("{name} {total}{mark}")));
    }
    lines.extend(strip.map(|blocks| ("over time", format!("|{blocks}|"))));
    lines.extend(view.range().map(|range| ("range", range.to_string())));
    lines.push(("nodes", thousands(view.node_count() as u64)));
    lines.push(("methods", thousands(view.method_count() as u64)));
    lines.extend(source.facts().map(|(what, text)| (what, text.into_owned())));
    lines
}

fn text(
    to: &mut Printer,
    view: &View,
    units: Units,
    (file, max_threads): (&str, usize),
    strip: Option<String>,
) -> Result<()> {
    let (lines, markers) = (facts(view, units, file, strip), query::marker_lines(view));
    let all = lines.iter().chain(&markers);
    let label_cells = all.clone().map(|(label, _)| label.len()).max();
    for (index, (label, value)) in all.enumerate() {
        if index == lines.len() {
            to.line("")?;
        }
        to.labeled(label, label_cells.unwrap_or(0) + 2, value)?;
    }
    if !view.threads.is_empty() {
        to.line("")?;
        threads(to, view, units, max_threads)?;
    }
    let notes = view.notes().map(|note| ("note", note));
    let alerts = view.alerts().map(|alert| (alert.severity().name(), alert));
    for (what, sentence) in notes.chain(alerts) {
        to.line("")?;
        let words = sentence.with_code(&sentence.to_string());
        to.wrapped(&format!("{what}: {words}"))?;
    }
    Ok(())
}

/// A name may be anything in a file. JSON has all of it.
const MAX_NAME_CELLS: usize = 200;

fn name_of(view: &View, node: NodeId) -> String {
    let waits = query::describe_idle(view, node);
    let waits = waits.map_or(String::new(), |waits| format!(" ({waits})"));
    fit_end(view.name(node), MAX_NAME_CELLS) + &waits
}

fn threads(to: &mut Printer, view: &View, units: Units, max_rows: usize) -> Result<()> {
    let kinds = [CountKind::Samples, CountKind::Calls, CountKind::Unknown];
    let is_counted = |kind: &CountKind| largest_count(view, NodeId::ROOT, *kind).is_some();
    let kind = kinds.into_iter().find(is_counted);
    let is_other =
        |&id: &MetricId| kind.is_none_or(|kind| view.recording.metric(id).name != kind.name());
    let shown: Vec<MetricId> = view.recording.metric_ids().filter(is_other).collect();
    let has_processes = !view.processes.is_empty();
    let mut heads = vec!["nodes".to_string()];
    heads.extend(kind.map(|kind| kind.name().to_string()));
    let head = |&id: &MetricId| value_head(&view.recording.metric(id).name, scale(view, units, id));
    heads.extend(shown.iter().map(head));
    let (threads_head, indent) = match has_processes {
        true => ("process, thread", "  "),
        false => ("thread", ""),
    };
    heads.push(threads_head.into());
    let mut table = TextTable::new(&heads);
    // most rows would be empty for a narrow range
    let is_shown = |node: NodeId| view.range().is_none() || view.has_values(node);
    let mut push = |node: NodeId, indent: &str| {
        let mut cells = vec![thousands(view.tree.size(node) as u64)];
        cells.extend(kind.map(|kind| thousands(largest_count(view, node, kind).unwrap_or(0))));
        let value = |&id: &MetricId| scale(view, units, id).number(view.tree.inclusive(id, node));
        cells.extend(shown.iter().map(value));
        cells.push(format!("{indent}{}", name_of(view, node)));
        table.push(cells);
    };
    // in node order, each process comes right before its threads
    let processes = view.processes.iter().map(|process| process.node);
    let mut processes: Vec<NodeId> = processes.filter(|&node| is_shown(node)).collect();
    processes.sort_unstable();
    let mut processes = processes.into_iter().peekable();
    let shown = threads_by_value(view)
        .into_iter()
        .map(|row| view.threads[row].node);
    let shown: Vec<NodeId> = shown.filter(|&node| is_shown(node)).collect();
    for &thread in shown.iter().take(max_rows) {
        while let Some(process) = processes.next_if(|&process| process < thread) {
            push(process, "");
        }
        push(thread, indent);
    }
    let left_out = shown.len().saturating_sub(max_rows);
    if left_out == 0 {
        processes.for_each(|process| push(process, ""));
    }
    if !shown.is_empty() {
        to.table(&table)?;
    }
    let how_to_see = messages::LARGER_BUDGET_SHOWS_MORE;
    print_left_out(to, (left_out, "thread"), how_to_see)?;
    let inactive = view.threads.len() - shown.len();
    if inactive > 0 {
        let threads = counted(view.threads.len() as u64, "thread");
        to.line(&messages::threads_outside_range(&inactive, &threads))?;
    }
    Ok(())
}
