//! `dotspot tree`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{AnswerPage, cells, more, table, total_words};
use crate::cli::args::Tree;
use crate::cli::messages;
use crate::cli::print::Printer;
use crate::cli::say::say;
use crate::model::View;
use crate::query::Column::*;
use crate::query::{self, Excerpt, TreeRequest};
use anyhow::Result;

/// Prints the call tree of the whole profile, a thread, or the heaviest occurrence of a method.
pub(crate) fn tree(to: &mut Printer, view: &View, args: &Tree) -> Result<()> {
    let is_inverted = args.inverted || args.shaping.is_inverted();
    // a budget chooses from more levels than fit a screen
    let depth = match is_inverted {
        true => Some(args.fitting.levels(args.depth, 2)),
        false => args.depth,
    };
    let request = TreeRequest {
        within: query::root(view, &args.source.reading.threads.request()),
        metric: args.part.weighing.metric.as_deref(),
        waiting: args.part.weighing.counts_waiting(),
        under: args.part.under.as_deref(),
        node: args.node.as_deref(),
        is_inverted,
        depth,
        min_percent: args.fitting.least_percent(args.min_percent),
    };
    let excerpt = query::tree(view, &request)?;
    excerpt.remark.iter().for_each(|remark| say(remark));
    let all = excerpt.rows.len();
    write_fitting(to, args.fitting, all, |to, rows| {
        // the root is there in any case
        let cut = args
            .fitting
            .budget
            .map(|_| excerpt.heaviest(view, rows.max(1)));
        let excerpt = cut.as_ref().unwrap_or(&excerpt);
        match args.json {
            true => write_document(to, args.fitting, &excerpt.document(view)),
            false => text(
                to,
                view,
                (
                    excerpt,
                    how_to_see(rows, all, messages::SEE_MIN_PERCENT_AND_DEPTH),
                ),
                args,
            ),
        }
    })
}

fn text(
    to: &mut Printer,
    asked: &View,
    (excerpt, how_to_see_more): (&Excerpt, &str),
    args: &Tree,
) -> Result<()> {
    let view = excerpt.shown(asked);
    let &Excerpt {
        measure,
        root,
        ref rows,
        left_out,
        ..
    } = excerpt;
    let (tree, metric_id) = (&view.tree, measure.metric);
    let (metric, total) = (
        view.recording.metric(metric_id),
        tree.inclusive(metric_id, root),
    );
    let scale = args.units.scale(metric.unit, total);
    let range = view
        .range()
        .map(|range| format!(", {range}"))
        .unwrap_or_default();
    let is_inverted = excerpt.inverted.is_some();
    let head = format!(
        "{}{}{range}: {}",
        view.display_name(root),
        if is_inverted { ", inverted" } else { "" },
        total_words(view, measure, scale, (total, excerpt.waiting(view)))
    );
    let mut above = vec![head];
    above.extend(steps_words(asked, metric_id, scale));
    let mut remarks = Vec::new();
    if rows.iter().any(|&(node, _)| excerpt.goes_on(node)) {
        remarks.push(messages::MORE_CALLERS.into());
    }
    let outside = tree.exclusive(metric_id, root);
    if is_inverted && outside > 0 {
        let outside = scale.with_unit(outside);
        remarks.push(messages::outside_methods(&outside));
    }
    if left_out > 0 {
        remarks.push(format!("{}: {how_to_see_more}", more(left_out, "node")));
    }
    let mut rows = excerpt.table(view, args.raw_names);
    let mut columns = vec![Inclusive, InclusiveShare, Exclusive, Count];
    if is_inverted {
        // it is of exclusive values alone
        rows.iter_mut()
            .for_each(|row| row.exclusive = row.inclusive);
        columns = vec![Exclusive, ExclusiveShare, Count];
    }
    let cells = cells(metric, scale, args.units, measure.inclusive(view, root));
    let table = table(&cells, &columns, "method", &rows);
    AnswerPage {
        above,
        table,
        remarks,
    }
    .write(to)
}
