//! The call tree of a part.

use super::head::{asked, head, left_out, name, refused, root, scale, share};
use crate::mcp::arguments::Arguments;
use crate::mcp::messages;
use crate::mcp::profiles::Profile;
use crate::model::CountKind;
use crate::query::{self, Outline, TreeRequest};
use crate::text::fit_rows;
use crate::units::thousands;

/// The least share that is looked at unless the request says otherwise, in percent.
const MIN_PERCENT: f64 = 0.1;

pub(crate) fn tree(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
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
    let (total, whole) = (
        tree.inclusive(measure.metric, excerpt.root),
        measure.inclusive(shown_view, excerpt.root),
    );
    let scale = scale(shown_view, measure, total);
    let of = name(shown_view.display_name(excerpt.root));
    let what = if arguments.inverted {
        messages::inverted_tree(&of)
    } else {
        messages::call_tree(&of)
    };
    let mut head = head(
        profile,
        &view,
        measure,
        &what,
        (total, excerpt.waiting(&view)),
    );
    head.extend(
        excerpt
            .remark
            .iter()
            .map(|remark| format!("{}\n", name(remark))),
    );
    let count = shown_view
        .metric(measure.metric)
        .counts
        .map(CountKind::name)
        .unwrap_or_default();
    head.push_str(&messages::depth_node_incl_incl_own(&count));
    let weigh = |&(node, depth): &(_, usize)| (depth, measure.inclusive(shown_view, node));
    let outline = Outline::new(excerpt.rows.iter().map(weigh).collect());
    Ok(fit_rows(arguments.budget(), outline.len(), |rows| {
        let shown = outline.shown(rows);
        let mut text = head.clone();
        let mut count = 0;
        for (at, &(node, depth)) in excerpt
            .rows
            .iter()
            .enumerate()
            .filter(|(at, _)| shown.is_shown[*at])
        {
            count += 1;
            let inclusive = tree.inclusive(measure.metric, node);
            let (percent, own) = (
                share(measure.inclusive(shown_view, node), whole),
                tree.exclusive(measure.metric, node),
            );
            let counted = tree
                .count(measure.metric, node)
                .map(|count| format!(" {}", thousands(count)));
            // those of the query, and those that it has left out
            let hidden = shown.hidden[at] + tree.children(node).count() - outline.below(at);
            let more = if hidden > 0 {
                format!(" +{hidden}")
            } else {
                String::new()
            };
            let goes_on = if excerpt.goes_on(node) { " …" } else { "" };
            text.push_str(&format!(
                "{depth} {} {percent} {} {}{} {}{more}{goes_on}\n",
                shown_view.node_label(node),
                scale.number(inclusive),
                scale.number(own),
                counted.unwrap_or_default(),
                name(shown_view.display_name(node)),
            ));
        }
        let least = whole as f64 * request.min_percent / 100.0;
        let largest = shown.largest_hidden.unwrap_or(least as u64);
        // a depth may have cut what is large
        let largest = Some(largest).filter(|_| arguments.depth.is_none() && !arguments.inverted);
        text + &left_out(
            excerpt.rows.len() - count + excerpt.left_out,
            "node",
            largest,
            whole,
        )
    }))
}
