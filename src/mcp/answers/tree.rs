//! The call tree of a part.

use super::head::{asked, counts, head, left_out, lines, name, outlined, refused, root, scale};
use super::related::COLUMNS;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::{self, QueryOutline, TreeRequest};

/// The least share that is looked at unless the request says otherwise, in percent.
const MIN_PERCENT: f64 = 0.1;

pub(crate) fn tree(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = asked(profile, arguments)?;
    let within = root(&view, arguments);
    let request = TreeRequest {
        within,
        metric: arguments.metric.as_deref(),
        waiting: None,
        under: arguments.under.as_deref(),
        node: arguments.node.as_deref(),
        is_inverted: arguments.inverted,
        depth: arguments.depth,
        min_percent: arguments.min_percent.unwrap_or(MIN_PERCENT),
    };
    let excerpt = query::tree(&view, &request).map_err(refused)?;
    let shown_view = excerpt.shown(&view);
    let (tree, measure) = (&shown_view.tree, excerpt.measure);
    let total = tree.inclusive(measure.metric, excerpt.root);
    let whole = measure.inclusive(shown_view, excerpt.root);
    let scale = scale(shown_view, measure, total);
    let of = name(shown_view.display_name(excerpt.root));
    let what = match arguments.inverted {
        true => messages::inverted_tree(&of),
        false => messages::call_tree(&of),
    };
    let totals = (total, excerpt.waiting(&view));
    let mut head = head(profile, &view, measure, &what, totals);
    let remark = excerpt.remark.iter();
    head.extend(remark.map(|remark| format!("{}\n", name(remark))));
    let count = counts(shown_view, measure);
    head.push_str(&messages::tree_columns(&count));
    let weigh = |&(node, depth): &(_, usize)| (depth, measure.inclusive(shown_view, node));
    let outline = QueryOutline::new(excerpt.rows.iter().map(weigh).collect());
    let rows = excerpt.table(shown_view, false);
    let lines = lines(shown_view, measure, (scale, whole), COLUMNS, &rows);
    // those of the query, and those that it has left out
    let more = |at: usize, hidden: usize| {
        hidden + tree.children(excerpt.rows[at].0).count() - outline.below(at)
    };
    let left_out = |shown: usize, largest: Option<u64>| {
        let least = whole as f64 * request.min_percent / 100.0;
        // a depth may have cut what is large
        let is_known = arguments.depth.is_none() && !arguments.inverted;
        let largest = is_known.then(|| largest.unwrap_or(least as u64));
        let nodes = lines.len() - shown + excerpt.left_out;
        left_out(nodes, "node", largest, whole)
    };
    let budget = arguments.budget();
    Ok(outlined(budget, &head, &outline, &lines, more, left_out))
}
