//! `dotspot info --truncation`.

use super::{more, value_head};
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::model::{Amount, NodeId, ThreadTruncation, Truncation, View};
use crate::query::{self, TruncationReport};
use crate::units::{Scale, Unit, percent};
use anyhow::Result;

fn nothing_found(view: &View, report: &TruncationReport) -> String {
    let metric = report.metric;
    let Some(marked) = report.marked else {
        return messages::NOTHING_TO_REPAIR.into();
    };
    let all = view.tree.inclusive(metric, NodeId::ROOT);
    let (metric, share) = (view.recording.metric(metric), percent(marked, all));
    let scale = Scale::for_values(metric.unit, all);
    let (marked, all) = (scale.number(marked), scale.with_unit(all));
    messages::marked_in_file(&marked, &all, &metric.name, &share)
}

pub(crate) fn truncation(to: &mut Printer, view: &View, file: &str, json: bool) -> Result<()> {
    let report = query::truncation(view);
    if json {
        return to.json(&report.document(view, file));
    }
    let mut write = |text: &str| to.wrapped(text);
    let Some(truncation) = &view.truncation else {
        write(&nothing_found(view, &report))?;
        // such as stacks without names
        let diagnostics = view.diagnostics.iter();
        let mut diagnostics = diagnostics.filter(|diagnostic| diagnostic.is_about_truncation());
        return diagnostics.try_for_each(|diagnostic| write(&diagnostic.to_string()));
    };
    let Some(found) = truncation.diagnostic(&view.recording.metrics, true) else {
        return write(&messages::nothing_truncated(&truncation.limit));
    };
    write(&format!("{}.", found.findings()))?;
    to.line("")?;
    threads(to, view, truncation)?;
    changes(to, view, &report, truncation)
}

fn changes(
    to: &mut Printer,
    view: &View,
    report: &TruncationReport,
    truncation: &Truncation,
) -> Result<()> {
    if report.changes.is_empty() {
        return Ok(());
    }
    let metric = view.recording.metric(report.metric);
    let scale = Scale::for_values(metric.unit, truncation.total().all.value);
    to.line("")?;
    to.line(&messages::changed_most_by_repair(&metric.name))?;
    let heads = ["before", "after", "change"].map(|what| value_head(what, scale));
    let mut table = TextTable::new(heads.into_iter().chain(["method".into()]));
    for change in &report.changes {
        let sign = match change.after < change.before {
            true => '-',
            false => '+',
        };
        let difference = scale.number(change.after.abs_diff(change.before));
        table.push(vec![
            scale.number(change.before),
            scale.number(change.after),
            format!("{sign}{difference}"),
            view.frames.list_name(change.frame).into_owned(),
        ]);
    }
    to.table(&table)?;
    match report.left_out {
        0 => Ok(()),
        left_out => to.line(&more(left_out, "method")),
    }
}

fn threads(to: &mut Printer, view: &View, truncation: &Truncation) -> Result<()> {
    let (metric, total) = (view.recording.metric(truncation.metric), truncation.total());
    let has_samples = truncation.has_samples;
    let size = |amount: Amount| match has_samples {
        true => amount.samples,
        false => amount.value,
    };
    let (what, unit) = match has_samples {
        true => ("samples", Unit::Count),
        false => (metric.name.as_str(), metric.unit),
    };
    let scale = Scale::for_values(unit, size(total.all));
    let (all, number) = (value_head(what, scale), |amount| scale.number(size(amount)));
    let mut heads = vec![all.as_str(), "truncated", "%", "repaired"];
    heads.extend(["uncertain", "left", "ambiguous", "thread"]);
    let mut table = TextTable::new(heads);
    let mut push = |row: &ThreadTruncation, name: &str| {
        let share = format!("{:.1}", percent(size(row.truncated), size(row.all)));
        let parts = [
            row.repaired,
            row.depth_uncertain,
            row.remaining(),
            row.ambiguous,
        ]
        .map(number);
        let mut cells = vec![number(row.all), number(row.truncated), share];
        cells.extend(parts);
        cells.push(name.to_string());
        table.push(cells);
    };
    for (thread, row) in view.threads.iter().zip(&truncation.threads) {
        push(row, view.name(thread.node));
    }
    if view.threads.len() != 1 {
        push(&truncation.total(), "all threads");
    }
    to.table(&table)?;
    for (amount, about) in [
        (total.depth_uncertain, messages::ABOUT_UNCERTAIN),
        (total.ambiguous, messages::ABOUT_AMBIGUOUS),
    ] {
        if size(amount) > 0 {
            to.wrapped(about)?;
        }
    }
    Ok(())
}
