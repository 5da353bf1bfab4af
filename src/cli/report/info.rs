//! `dotspot info`.

use super::fitting::{ONLY_BUDGET, write_document, write_fitting};
use super::more;
use crate::cli::args::Info;
use crate::cli::messages;
use crate::cli::options::Units;
use crate::cli::print::{Table, write_line, write_wrapped};
use crate::model::{CountKind, MetricId, NodeId, View};
use crate::query::{self, largest_count, metrics, threads_by_value};
use crate::text::fit_end;
use crate::text::visible;
use crate::text::wrap;
use crate::units::Unit;
use crate::units::{Scale, counted, thousands};
use anyhow::Result;
use std::io::Write;

pub(crate) fn info(
    out: &mut dyn Write,
    view: &View,
    args: &Info,
    file: &str,
    width: Option<usize>,
) -> Result<()> {
    write_fitting(
        out,
        args.fitting,
        view.threads.len(),
        |out, threads| match args.json {
            true => write_document(out, args.fitting, &query::info(view, file, threads)),
            false => text(out, view, args.units, (file, threads), width),
        },
    )
}

/// How the values of metrics are written: all times in one unit.
fn scale(view: &View, units: Units, id: MetricId) -> Scale {
    let total = |id: MetricId| view.tree.inclusive(id, NodeId::ROOT);
    let unit = view.metric(id).unit;
    let alike = metrics(view).filter(|&other| view.metric(other).unit == Unit::Milliseconds);
    let largest = if unit == Unit::Milliseconds {
        alike.map(total).max()
    } else {
        None
    };
    units.scale(unit, largest.unwrap_or_else(|| total(id)))
}

/// What a profile is, with so many of its threads at most.
fn text(
    out: &mut dyn Write,
    view: &View,
    units: Units,
    (file, most_threads): (&str, usize),
    width: Option<usize>,
) -> Result<()> {
    let source = &view.source;
    let mut lines = vec![
        ("file", file.to_string()),
        ("format", source.format.to_string()),
        (
            "kind",
            format!("{}: {}", source.kind.name(), source.kind.about()),
        ),
    ];
    for id in metrics(view) {
        let metric = view.metric(id);
        let total = view.tree.inclusive(id, NodeId::ROOT);
        let mark = if id == view.default_metric && view.metrics.len() > 1 {
            " (shown first)"
        } else {
            ""
        };
        let scale = scale(view, units, id);
        let waiting = match view.waiting_total(id) {
            0 => String::new(),
            waiting => messages::waiting(&scale.with_unit(waiting)),
        };
        lines.push((
            "metric",
            format!("{} {}{waiting}{mark}", metric.name, scale.with_unit(total)),
        ));
    }
    if let Some(range) = view.range() {
        lines.push(("range", range.to_string()));
    }
    lines.push(("nodes", thousands(view.node_count() as u64)));
    lines.push(("methods", thousands(view.method_count() as u64)));
    lines.extend(source.told().map(|(what, text)| (what, text.into_owned())));
    let label = lines
        .iter()
        .map(|(label, _)| label.len())
        .max()
        .unwrap_or(0);
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(label + 2).max(20));
    for (name, value) in &lines {
        // nothing is cut here, for this is where the whole text can be read
        for (row, part) in wrap(&visible(value), room).into_iter().enumerate() {
            let name = if row == 0 { name } else { "" };
            write_line(out, &format!("{name:<label$}  {part}"))?;
        }
    }
    if !view.threads.is_empty() {
        write_line(out, "")?;
        threads(out, view, units, most_threads, width)?;
    }
    let notes = view.notes().map(|note| ("note", note));
    for (what, sentence) in notes.chain(view.alerts().map(|warning| ("warning", warning))) {
        write_line(out, "")?;
        write_wrapped(out, &format!("{what}: {sentence}"), width)?;
    }
    Ok(())
}

/// How much of a thread's name is printed: files call them what they like. JSON has all of it.
const MAX_NAME_CELLS: usize = 200;

fn threads(
    out: &mut dyn Write,
    view: &View,
    units: Units,
    most: usize,
    width: Option<usize>,
) -> Result<()> {
    let kinds = [CountKind::Samples, CountKind::Calls, CountKind::Unknown];
    let kind = kinds
        .into_iter()
        .find(|&kind| largest_count(view, NodeId::ROOT, kind).is_some());
    // what counts have is not repeated as a metric
    let shown: Vec<MetricId> = metrics(view)
        .filter(|&id| kind.is_none_or(|kind| view.metric(id).name != kind.name()))
        .collect();
    let mut heads = vec!["nodes".to_string()];
    heads.extend(kind.map(|kind| kind.name().to_string()));
    heads.extend(shown.iter().map(|&id| {
        format!("{} {}", view.metric(id).name, scale(view, units, id).unit())
            .trim()
            .to_string()
    }));
    let has_processes = !view.processes.is_empty();
    heads.push(if has_processes {
        "process, thread".into()
    } else {
        "thread".into()
    });
    let mut table = Table::new(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    // of a narrow range most rows would be empty
    let is_told = |node: NodeId| view.range().is_none() || view.has_values(node);
    let mut push = |node: NodeId, indent: &str| {
        let mut row = vec![thousands(view.tree.size(node) as u64)];
        row.extend(kind.map(|kind| thousands(largest_count(view, node, kind).unwrap_or(0))));
        row.extend(
            shown
                .iter()
                .map(|&id| scale(view, units, id).number(view.tree.inclusive(id, node))),
        );
        let waits = view
            .idle_percent(node)
            .map_or(String::new(), |share| format!(" (waits {share:.0} %)"));
        row.push(format!(
            "{indent}{}{waits}",
            fit_end(view.name(node), MAX_NAME_CELLS)
        ));
        table.push(row);
    };
    // in the order of nodes each process comes right before its threads
    let mut processes: Vec<NodeId> = view.processes.iter().map(|process| process.node).collect();
    processes.sort_unstable();
    let mut processes = processes
        .into_iter()
        .filter(|&node| is_told(node))
        .peekable();
    let told: Vec<NodeId> = threads_by_value(view)
        .into_iter()
        .map(|row| view.threads[row].node)
        .filter(|&node| is_told(node))
        .collect();
    for &thread in told.iter().take(most) {
        while let Some(process) = processes.next_if(|&process| process < thread) {
            push(process, "");
        }
        push(thread, if has_processes { "  " } else { "" });
    }
    let more_threads = told.len().saturating_sub(most);
    if more_threads == 0 {
        processes.for_each(|process| push(process, ""));
    }
    if !told.is_empty() {
        table.write(out, width)?;
    }
    if more_threads > 0 {
        write_line(
            out,
            &format!("({}: {ONLY_BUDGET})", more(more_threads, "thread")),
        )?;
    }
    let threads = view.threads.len();
    let left_out = threads - told.len();
    if left_out > 0 {
        write_line(
            out,
            &messages::nothing_range(&left_out, &counted(threads as u64, "thread")),
        )?;
    }
    Ok(())
}
