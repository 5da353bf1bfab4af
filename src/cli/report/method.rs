//! `dotspot callers` and `dotspot callees`.

use super::changes::steps_words;
use super::fitting::{ONLY_BUDGET, write_document, write_fitting};
use super::tree::indented;
use super::{Page, estimate, more, share, total_words, value_head};
use crate::analysis::CallerTreeSums;
use crate::cli::args::Method;
use crate::cli::messages;
use crate::cli::print::{Table, write_line};
use crate::model::{CountKind, Metric, View};
use crate::query::{self, MethodAsOne, MethodRequest, Related, Relation, method_as_one};
use crate::text::{fit_end, wrap};
use crate::units::{Scale, counted, thousands};
use anyhow::Result;
use std::io::Write;

/// Prints who calls a method, or whom it calls.
pub(crate) fn method(
    out: &mut dyn Write,
    view: &View,
    relation: Relation,
    args: &Method,
    width: Option<usize>,
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
        out,
        args.fitting,
        found.rows.len().max(found.threads.len()),
        |out, rows| {
            let cut = args.fitting.budget.map(|_| found.heaviest(rows.max(1)));
            let found = cut.as_ref().unwrap_or(&found);
            match args.json {
                true => write_document(out, args.fitting, &found.document(view)),
                false => text(out, view, found, args, width),
            }
        },
    )
}

fn text(
    out: &mut dyn Write,
    view: &View,
    found: &MethodAsOne,
    args: &Method,
    width: Option<usize>,
) -> Result<()> {
    let (metric, sums, relation) = (
        view.metric(found.measure.metric),
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
    let mut above = vec![fit_end(&head, width.unwrap_or(usize::MAX))];
    above.extend(steps_words(view, found.measure.metric, scale));
    if found.inner_occurrences > 0 {
        let inner = thousands(found.inner_occurrences as u64);
        let sentence = match found.inner_occurrences {
            1 => messages::INSIDE_ANOTHER_ONE_COUNTS_ALREADY,
            _ => messages::INSIDE_OTHER_ONES_COUNT_THEM,
        };
        let sentence = messages::recursive_occurrences(&inner, &sentence);
        above.extend(wrap(
            &sentence,
            width.map_or(usize::MAX, |width| width.max(20)),
        ));
    }
    let columns = Columns {
        found,
        scale,
        metric,
    };
    let rows = found.rows.iter();
    let rows = rows.map(|row| (row.sums, name_of(view, relation, row)));
    let page = Page {
        above,
        table: columns.table(rows, "method"),
        remarks: remarks(found, args),
    };
    page.write(out, width)?;
    if !found.threads.is_empty() {
        writeln!(out)?;
        let threads = found.threads.iter();
        let threads = threads.map(|&(thread, sums)| (sums, view.name(thread).to_string()));
        columns.table(threads, "thread").write(out, width)?;
    }
    if found.threads_left_out > 0 {
        let more = more(found.threads_left_out, "thread");
        write_line(out, &format!("({more}: {ONLY_BUDGET})"))?;
    }
    Ok(())
}

fn remarks(found: &MethodAsOne, args: &Method) -> Vec<String> {
    let mut remarks = Vec::new();
    if found.goes_on() {
        let callers = found.relation.name();
        remarks.push(messages::more_see_depth(&callers));
    }
    if found.summed_rows() > 0 {
        remarks.push(match args.fitting.budget {
            Some(_) => messages::SUMS_ROWS_BUDGET_NO_ROOM.into(),
            None => {
                let percent = args.fitting.least_percent(args.min_percent);
                messages::sums_rows_less_than_see(&percent)
            }
        });
    }
    remarks
}

/// What a row is called: recursive calls and rows with more past the last level are marked.
fn name_of(view: &View, relation: Relation, row: &Related) -> String {
    let name = match row.who {
        Some(who) => {
            format!(
                "{}{}",
                view.frames.display_name(who.frame),
                if who.is_recursive { " (recursive)" } else { "" }
            )
        }
        None => format!("[{}]", more(row.rows, relation.noun())),
    };
    indented(
        row.depth,
        &format!("{name}{}", if row.goes_on { " …" } else { "" }),
    )
}

/// The columns of the tables of a method.
struct Columns<'a> {
    found: &'a MethodAsOne,
    scale: Scale,
    metric: &'a Metric,
}

impl Columns<'_> {
    fn table(&self, rows: impl Iterator<Item = (CallerTreeSums, String)>, last: &str) -> Table {
        let Columns {
            found,
            scale,
            metric,
        } = *self;
        let counts = metric.counts;
        let (inclusive, exclusive) = (value_head("incl", scale), value_head("excl", scale));
        let mut heads = vec![inclusive.as_str(), "%", exclusive.as_str()];
        heads.extend(counts.map(CountKind::name));
        heads.push(last);
        let mut table = Table::new(&heads);
        let whole = found.weight(found.sums());
        for (sums, name) in rows {
            let weight = found.weight(sums);
            let is_counted = counts == Some(CountKind::Samples) && weight > 0;
            let samples = is_counted.then_some(sums.count);
            let mut cells = vec![
                estimate(
                    scale,
                    sums.inclusive,
                    metric.is_rough(sums.inclusive, samples),
                ),
                share(weight, sums.inclusive, whole),
                estimate(scale, sums.exclusive, metric.is_rough(sums.exclusive, None)),
            ];
            cells.extend(counts.map(|_| thousands(sums.count)));
            cells.push(name);
            table.push(cells);
        }
        table
    }
}
