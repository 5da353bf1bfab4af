//! `dotspot info --truncation`.

use super::value_head;
use crate::analysis::InclusiveChange;
use crate::cli::messages;
use crate::cli::print::{Table, write_json, write_line, write_wrapped};
use crate::model::{Amount, NodeId, ThreadTruncation, Truncation, View};
use crate::query::{self, TruncationReport};
use crate::units::{Scale, counted, percent, thousands};
use anyhow::Result;
use std::io::Write;

/// What columns mean.
const UNCERTAIN: &str = messages::UNCERTAIN_REPAIRED_WITHIN_RECURSION_SO;
const AMBIGUOUS: &str = messages::AMBIGUOUS_LEFT_BECAUSE_DIFFERENT;

/// What is said of a profile of which no truncated stacks are known.
fn nothing_found(view: &View, report: &TruncationReport) -> String {
    let metric = report.metric;
    let Some(left) = report.marked else {
        return messages::NO_TRUNCATED_STACKS_FOUND_CAN.into();
    };
    let all = view.tree.inclusive(metric, NodeId::ROOT);
    let scale = Scale::for_values(view.metric(metric).unit, all);
    messages::hang_below_files_own_marks(
        &scale.number(left),
        &scale.with_unit(all),
        &view.metric(metric).name,
        &percent(left, all),
    )
}

/// Prints how much of a profile was truncated and what became of it.
pub(crate) fn truncation(
    out: &mut dyn Write,
    view: &View,
    file: &str,
    json: bool,
    width: Option<usize>,
) -> Result<()> {
    let report = query::truncation(view);
    let metric = report.metric;
    if json {
        return write_json(out, &report.document(view, file));
    }
    let mut say = |text: &str| write_wrapped(out, text, width);
    let Some(truncation) = &view.truncation else {
        say(&nothing_found(view, &report))?;
        // such as of stacks without names
        let mut told = view
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.is_about_truncation());
        return told.try_for_each(|diagnostic| say(&diagnostic.to_string()));
    };
    let Some(found) = truncation.diagnostic(&view.metrics, true) else {
        return say(&messages::no_stack_these_threads_truncated(
            &truncation.limit,
        ));
    };
    say(&format!("{}.", found.findings()))?;
    write_line(out, "")?;
    threads(out, view, truncation, width)?;
    if !report.changes.is_empty() {
        let scale = Scale::for_values(view.metric(metric).unit, truncation.total().all.value);
        let heads = ["before", "after", "change"].map(|what| value_head(what, scale));
        write_line(out, "")?;
        write_line(
            out,
            &messages::inclusive_repair_changed_most(&view.metric(metric).name),
        )?;
        let mut table = Table::new(&[&heads[0], &heads[1], &heads[2], "method"]);
        for InclusiveChange {
            frame,
            before,
            after,
        } in report.changes
        {
            let sign = if after < before { '-' } else { '+' };
            let change = format!("{sign}{}", scale.number(after.abs_diff(before)));
            let name = view.frames.list_name(frame).into_owned();
            table.push(vec![
                scale.number(before),
                scale.number(after),
                change,
                name,
            ]);
        }
        table.write(out, width)?;
        if report.left_out > 0 {
            write_line(
                out,
                &format!("… and {} more", counted(report.left_out as u64, "method")),
            )?;
        }
    }
    Ok(())
}

fn threads(
    out: &mut dyn Write,
    view: &View,
    truncation: &Truncation,
    width: Option<usize>,
) -> Result<()> {
    let scale = Scale::for_values(
        view.metric(truncation.metric).unit,
        truncation.total().all.value,
    );
    let counted = |amount: Amount| {
        if truncation.has_samples {
            amount.samples
        } else {
            amount.value
        }
    };
    let number = |amount: Amount| match truncation.has_samples {
        true => thousands(amount.samples),
        false => scale.number(amount.value),
    };
    let all = match truncation.has_samples {
        true => "samples".to_string(),
        false => value_head(&view.metric(truncation.metric).name, scale),
    };
    let heads = [
        &all,
        "truncated",
        "%",
        "repaired",
        "uncertain",
        "left",
        "ambiguous",
        "thread",
    ];
    let mut table = Table::new(&heads);
    let mut push = |row: &ThreadTruncation, name: &str| {
        let share = format!("{:.1}", percent(counted(row.truncated), counted(row.all)));
        let parts = [row.repaired, row.depth_uncertain, row.left(), row.ambiguous].map(number);
        let cells = [number(row.all), number(row.truncated), share]
            .into_iter()
            .chain(parts);
        table.push(cells.chain([name.to_string()]).collect());
    };
    for (thread, row) in view.threads.iter().zip(&truncation.threads) {
        push(row, view.name(thread.node));
    }
    if view.threads.len() != 1 {
        push(&truncation.total(), "all threads");
    }
    table.write(out, width)?;
    let total = truncation.total();
    for (amount, about) in [
        (total.depth_uncertain, UNCERTAIN),
        (total.ambiguous, AMBIGUOUS),
    ] {
        if counted(amount) > 0 {
            write_wrapped(out, about, width)?;
        }
    }
    Ok(())
}
