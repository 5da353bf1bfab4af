//! `dotspot tree`.

use super::{AnswerPage, how_to_see, in_range, write_fitting};
use crate::cli::args::Tree;
use crate::cli::messages;
use crate::cli::print::{Printer, print_notice};
use crate::cli::read::read_to_print;
use crate::model::View;
use crate::query::Column::*;
use crate::query::{self, Excerpt, TreeRequest};
use anyhow::Result;

pub(crate) fn tree(to: &mut Printer, args: &Tree) -> Result<()> {
    let (metric_options, steps) = (&args.part.metric_options, args.row_options.requests()?);
    let view = &read_to_print(&args.answer, &steps, metric_options)?;
    let is_inverted = args.inverted || args.row_options.is_inverted();
    let output = args.answer.output;
    let fitting = output.fitting;
    let request = TreeRequest {
        part: metric_options.part(view, &args.answer.source),
        under: args.part.under.as_deref(),
        node: args.node.as_deref(),
        is_inverted,
        depth: match is_inverted {
            true => Some(fitting.max_depth(args.depth, 2)),
            false => args.depth,
        },
        min_percent: fitting.min_percent(args.min_percent),
    };
    let excerpt = query::tree(view, &request)?;
    if let Some(remark) = &excerpt.remark {
        print_notice(remark);
    }
    let all = excerpt.rows.len();
    write_fitting(to, fitting.budget, all, |to, rows| {
        // the root is always printed
        let cut = fitting.budget.map(|_| excerpt.heaviest(view, rows.max(1)));
        let excerpt = cut.as_ref().unwrap_or(&excerpt);
        if output.json {
            return to.json(&excerpt.document(view));
        }
        let more = how_to_see(rows < all, messages::SEE_MIN_PERCENT_AND_DEPTH);
        text(to, view, excerpt, more, args)
    })
}

fn text(
    to: &mut Printer,
    requested: &View,
    excerpt: &Excerpt,
    how_to_see_more: &str,
    args: &Tree,
) -> Result<()> {
    let (view, part) = (excerpt.shown(requested), excerpt.part);
    let is_inverted = excerpt.inverted.is_some();
    let inverted = if is_inverted { ", inverted" } else { "" };
    let name = view.display_name(excerpt.root);
    let subject = format!("{name}{inverted}{}", in_range(view));
    let page = AnswerPage::new(view, part, part.total, args.answer.output.units);
    let mut page = page.head(to, requested, &subject, "");
    if excerpt.rows.iter().any(|&(node, _)| excerpt.has_more(node)) {
        page.remark(messages::MORE_CALLERS.into());
    }
    let outside = view.tree.exclusive(part.metric(), excerpt.root);
    if is_inverted && outside > 0 {
        page.remark(messages::outside_methods(&page.scale.with_unit(outside)));
    }
    page.left_out(excerpt.left_out(view), "node", how_to_see_more);
    let rows = excerpt.table(view, args.raw_names);
    // an inverted tree has only exclusive values
    let columns = match is_inverted {
        true => &[Exclusive, ExclusiveShare, OwnWaiting, OwnCount][..],
        false => &[Inclusive, InclusiveShare, Waiting, Exclusive, Count],
    };
    page.write(to, &page.table(columns, "method", &rows))
}
