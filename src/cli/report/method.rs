//! `dotspot callers` and `dotspot callees`.

use super::changes::steps_words;
use super::fitting::{ONLY_BUDGET, write_document, write_fitting};
use super::{AnswerPage, cells, more, table, total_words};
use crate::cli::args::MethodArgs;
use crate::cli::messages;
use crate::cli::print::Printer;
use crate::model::View;
use crate::query::Column::*;
use crate::query::{self, MethodAsOne, MethodRequest, Relation, TableRow, method_as_one};
use crate::text::{fit_end, wrap};
use crate::units::{counted, thousands};
use anyhow::Result;

/// Prints the callers or callees of a method.
pub(crate) fn method(
    to: &mut Printer,
    view: &View,
    relation: Relation,
    args: &MethodArgs,
) -> Result<()> {
    let request = MethodRequest {
        within: query::root(view, &args.source.reading.threads.request()),
        metric: args.weighing.metric.as_deref(),
        waiting: args.weighing.counts_waiting(),
        method: &args.method,
        depth: args.fitting.levels(args.depth, 6),
        min_percent: args.fitting.least_percent(args.min_percent),
    };
    let found = method_as_one(view, relation, &request)?;
    write_fitting(
        to,
        args.fitting,
        found.rows.len().max(found.threads.len()),
        |to, rows| {
            let cut = args.fitting.budget.map(|_| found.heaviest(rows.max(1)));
            let found = cut.as_ref().unwrap_or(&found);
            match args.json {
                true => write_document(to, args.fitting, &found.document(view)),
                false => text(to, view, found, args),
            }
        },
    )
}

fn text(to: &mut Printer, view: &View, found: &MethodAsOne, args: &MethodArgs) -> Result<()> {
    let (metric, sums, relation) = (
        view.recording.metric(found.measure.metric),
        found.sums(),
        found.relation,
    );
    let scale = args
        .units
        .scale(metric.unit, sums.inclusive.max(sums.exclusive));
    let name = match found.frames.first() {
        Some(&frame) if !args.method.ends_with(".*") => view.frames.display_name(frame),
        _ => &args.method,
    };
    let words = total_words(view, found.measure, scale, (sums.inclusive, sums.waiting));
    let range = view
        .range()
        .map(|range| format!(", {range}"))
        .unwrap_or_default();
    let occurrences = counted(found.occurrences as u64, "occurrence");
    let head = format!(
        "{} of {name}, {occurrences}{range}: {words}",
        relation.name()
    );
    let mut above = vec![fit_end(&head, to.width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, found.measure.metric, scale));
    if found.inner_occurrences > 0 {
        let width = to.width.map_or(usize::MAX, |width| width.max(20));
        above.extend(wrap(&recursion(found), width));
    }
    let cells = cells(metric, scale, args.units, found.weight(sums));
    let columns = [Inclusive, InclusiveShare, Exclusive, Count];
    let rows = found.table(view, |view, frame| view.frames.display_name(frame).into());
    let remarks = remarks(found, args);
    let table_of = |last, rows: &[TableRow]| table(&cells, &columns, last, rows);
    AnswerPage {
        above,
        table: table_of("method", &rows),
        remarks,
    }
    .write(to)?;
    if !found.threads.is_empty() {
        to.line("")?;
        to.table(&table_of("thread", &found.thread_table(view)))?;
    }
    if found.threads_left_out > 0 {
        let more = more(found.threads_left_out, "thread");
        to.line(&format!("({more}: {ONLY_BUDGET})"))?;
    }
    Ok(())
}

fn recursion(found: &MethodAsOne) -> String {
    let inner = thousands(found.inner_occurrences as u64);
    let sentence = match found.inner_occurrences {
        1 => messages::INSIDE_ANOTHER,
        _ => messages::INSIDE_OTHERS,
    };
    messages::recursive_occurrences(&inner, &sentence)
}

fn remarks(found: &MethodAsOne, args: &MethodArgs) -> Vec<String> {
    let mut remarks = Vec::new();
    if found.goes_on() {
        let callers = found.relation.name();
        remarks.push(messages::more_beyond_depth(&callers));
    }
    if found.summed_rows() > 0 {
        remarks.push(match args.fitting.budget {
            Some(_) => messages::ABOUT_SUMS_OVER_BUDGET.into(),
            None => {
                let percent = args.fitting.least_percent(args.min_percent);
                messages::sums_of_small_rows(&percent)
            }
        });
    }
    remarks
}
