//! `dotspot tree`.

use super::changes::steps_words;
use super::fitting::{how_to_see, write_document, write_fitting};
use super::{Page, estimate, more, share, total_words, value_head};
use crate::analysis::samples;
use crate::cli::args::Tree;
use crate::cli::messages;
use crate::cli::print::Table;
use crate::cli::say::say;
use crate::model::{CountKind, View};
use crate::query::{self, Excerpt, TreeRequest};
use crate::units::{Scale, thousands};
use anyhow::Result;
use std::io::Write;

/// The deepest level that text is indented to; deeper rows say their level.
const INDENT_LEVELS: usize = 40;

/// A name behind the space that shows its level.
pub(super) fn indented(depth: usize, name: &str) -> String {
    match depth {
        0..=INDENT_LEVELS => format!("{}{name}", "  ".repeat(depth)),
        deep => format!("{}[{deep}] {name}", "  ".repeat(INDENT_LEVELS)),
    }
}

/// Prints the call tree of the whole profile, a thread, or the heaviest occurrence of a method.
pub(crate) fn tree(
    out: &mut dyn Write,
    view: &View,
    args: &Tree,
    width: Option<usize>,
) -> Result<()> {
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
    write_fitting(out, args.fitting, all, |out, rows| {
        // the root is there in any case
        let cut = args
            .fitting
            .budget
            .map(|_| excerpt.heaviest(view, rows.max(1)));
        let excerpt = cut.as_ref().unwrap_or(&excerpt);
        match args.json {
            true => write_document(out, args.fitting, &excerpt.document(view)),
            false => text(
                out,
                view,
                (
                    excerpt,
                    how_to_see(rows, all, messages::SEE_MIN_PERCENT_DEPTH),
                ),
                args,
                width,
            ),
        }
    })
}

fn text(
    out: &mut dyn Write,
    asked: &View,
    (excerpt, how_to_see_more): (&Excerpt, &str),
    args: &Tree,
    width: Option<usize>,
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
    let (metric, total) = (view.metric(metric_id), tree.inclusive(metric_id, root));
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
        remarks.push(messages::MORE_CALLERS_SEE_DEPTH.into());
    }
    let outside = tree.exclusive(metric_id, root);
    if is_inverted && outside > 0 {
        let outside = scale.with_unit(outside);
        remarks.push(messages::no_method_threads_own(&outside));
    }
    if left_out > 0 {
        remarks.push(format!("{}: {how_to_see_more}", more(left_out, "node")));
    }
    let page = Page {
        above,
        table: table(view, excerpt, scale, args.raw_names),
        remarks,
    };
    page.write(out, width)
}

fn table(view: &View, excerpt: &Excerpt, scale: Scale, has_raw_names: bool) -> Table {
    let (tree, measure) = (&view.tree, excerpt.measure);
    let (id, metric) = (measure.metric, view.metric(measure.metric));
    let counts = metric.counts;
    let is_inverted = excerpt.inverted.is_some();
    let whole = measure.inclusive(view, excerpt.root);
    let (inclusive, exclusive) = (value_head("incl", scale), value_head("excl", scale));
    // an inverted tree is of exclusive values alone
    let mut heads = if is_inverted {
        vec![exclusive.as_str(), "%"]
    } else {
        vec![inclusive.as_str(), "%", &exclusive]
    };
    heads.extend(counts.map(CountKind::name));
    heads.push("method");
    let mut table = Table::new(&heads);
    for &(node, depth) in &excerpt.rows {
        let value = tree.inclusive(id, node);
        let own = tree.exclusive(id, node);
        let [samples, own_samples] = samples(view, measure, node);
        let mut cells = vec![
            estimate(scale, value, metric.is_rough(value, samples)),
            share(measure.inclusive(view, node), value, whole),
            estimate(scale, own, metric.is_rough(own, own_samples)),
        ];
        cells.truncate(if is_inverted { 2 } else { 3 });
        cells.extend(tree.count(id, node).map(thousands));
        let goes_on = if excerpt.goes_on(node) { " …" } else { "" };
        let name = if has_raw_names {
            view.name(node)
        } else {
            view.display_name(node)
        };
        cells.push(indented(depth, name) + goes_on);
        table.push(cells);
    }
    table
}
