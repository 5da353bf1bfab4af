//! `dotspot callers` and `dotspot callees`.

use super::{AnswerPage, in_range, print_left_out, write_fitting};
use crate::cli::args::MethodArgs;
use crate::cli::messages;
use crate::cli::print::Printer;
use crate::cli::read::read_to_print;
use crate::model::View;
use crate::query::Column::*;
use crate::query::{MethodRelations, MethodRequest, Relation, method_relations};
use crate::units::{counted, thousands};
use anyhow::Result;

pub(crate) fn method(to: &mut Printer, relation: Relation, args: &MethodArgs) -> Result<()> {
    let steps = args.tree_options.requests()?;
    let view = read_to_print(&args.answer, &steps, &args.metric_options)?;
    let output = args.answer.output;
    let (view, fitting) = (view.uncollapsed(), output.fitting);
    let request = MethodRequest {
        part: args.metric_options.part(view, &args.answer.source),
        method: &args.method,
        depth: fitting.max_depth(args.depth, 6),
        min_percent: fitting.min_percent(args.min_percent),
    };
    let found = method_relations(view, relation, &request)?;
    let found = match output.json {
        true => found,
        false => found.without_inner(),
    };
    let all = found.rows.len().max(found.threads.len());
    write_fitting(to, fitting.budget, all, |to, rows| {
        let cut = fitting.budget.map(|_| found.heaviest(rows.max(1)));
        let found = cut.as_ref().unwrap_or(&found);
        match output.json {
            true => to.json(&found.document(view)),
            false => text(to, view, found, args),
        }
    })
}

fn text(to: &mut Printer, view: &View, found: &MethodRelations, args: &MethodArgs) -> Result<()> {
    let sums = found.sums();
    let name = match found.frames.first() {
        Some(&frame) if found.type_pattern.is_none() => view.frames.display_name(frame),
        _ => &args.method,
    };
    let occurrences = counted(found.occurrences as u64, "occurrence");
    let (relation, range) = (found.relation.name(), in_range(view));
    let subject = format!("{relation} of {name}, {occurrences}{range}");
    let largest = sums.inclusive.max(sums.exclusive);
    let output = args.answer.output;
    let page = AnswerPage::new(view, found.part(view), largest, output.units);
    let mut page = page.head(to, view, &subject, "");
    if found.inner_occurrences > 0 {
        let inner = thousands(found.inner_occurrences as u64);
        page.remark(messages::recursive_occurrences(&inner));
    }
    if found.has_more() {
        page.remark(messages::more_beyond_depth(&relation));
    }
    if found.summed_rows() > 0 {
        let min_percent = output.fitting.min_percent(args.min_percent);
        page.remark(match output.fitting.budget {
            Some(_) => messages::ABOUT_SUMS_OVER_BUDGET.into(),
            None => messages::sums_of_small_rows(&min_percent),
        });
    }
    let columns = [Inclusive, InclusiveShare, Waiting, Exclusive, Count];
    let rows = found.table(view, |view, frame| view.frames.display_name(frame).into());
    page.write(to, &page.table(&columns, "method", &rows))?;
    if !found.threads.is_empty() {
        to.line("")?;
        to.table(&page.table(&columns, "thread", &found.thread_table(view)))?;
    }
    let left_out = (found.threads_left_out, "thread");
    print_left_out(to, left_out, messages::LARGER_BUDGET_SHOWS_MORE)
}
