//! Lists of methods: hotspots, all methods, those with letters in their names.

use super::head::{asked, head, left_out, name, refused, root, scale, share};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::mcp::arguments::Arguments;
use crate::mcp::messages;
use crate::mcp::profiles::Profile;
use crate::model::{CountKind, View};
use crate::query::{self, HotspotsRequest, ListRequest, MethodOrder, SearchRequest};
use crate::text::fit_rows;
use crate::units::{Scale, thousands};

/// So many methods are looked for at most.
const MAX_FOUND: usize = 30;

/// The columns of all lists, but for what some have before the node and the name.
const COLUMNS: &str = messages::OWN_OWN_INCL_INCL;

/// What a method has: its own share and value, its inclusive share and value, its count.
fn values(row: &Hotspot, scale: Scale, whole: u64) -> String {
    let of = |order| {
        format!(
            "{} {}",
            share(row.weight(order), whole),
            scale.number(row.value(order))
        )
    };
    let count = row.count.map(|count| format!(" {}", thousands(count)));
    let [own, inclusive] = [HotspotOrder::Exclusive, HotspotOrder::Inclusive].map(of);
    format!("{own} {inclusive}{}", count.unwrap_or_default())
}

/// The head of the column of counts, if there is one.
fn counts(kind: Option<CountKind>) -> String {
    kind.map(|kind| format!(" {}", kind.name()))
        .unwrap_or_default()
}

/// The name of a method, with its heaviest node.
fn node_and_name(view: &View, row: &Hotspot) -> String {
    format!(
        "{} {}",
        view.node_label(row.heaviest_node),
        name(&view.frames.list_name(row.frame))
    )
}

/// A line for each method, with shares of the whole.
fn list(view: &View, rows: &[Hotspot], (scale, whole): (Scale, u64)) -> String {
    rows.iter()
        .map(|row| {
            format!(
                "{} {}\n",
                values(row, scale, whole),
                node_and_name(view, row)
            )
        })
        .collect()
}

pub(crate) fn hotspots(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
    first_hotspots(profile, arguments, usize::MAX)
}

/// The hotspots, so many at most whatever the budget.
pub(super) fn first_hotspots(
    profile: &Profile,
    arguments: &Arguments,
    most: usize,
) -> Result<String, String> {
    let view = asked(profile, arguments)?;
    let within = root(&view, arguments);
    let request = HotspotsRequest {
        within,
        metric: arguments.metric.as_deref(),
        waiting: None,
        under: arguments.under.as_deref(),
        is_user_code: arguments.user_code,
        order: arguments.by()?,
        most: 0,
    };
    let found = query::hotspots(&view, &request).map_err(refused)?;
    let selection = &found.selection;
    let (total, whole) = (selection.total(&view), selection.whole(&view));
    let scale = scale(&view, selection.measure, total);
    let what = messages::hotspots(&name(&selection.words), &found.order.name());
    let head = head(
        profile,
        &view,
        selection.measure,
        &what,
        (total, selection.waiting(&view)),
    );
    let count = counts(view.metric(selection.metric()).counts);
    Ok(fit_rows(
        arguments.budget(),
        found.rows.len().min(most),
        |shown| {
            let text = list(&view, &found.rows[..shown], (scale, whole));
            let largest = found.rows.get(shown).map(|row| row.weight(found.order));
            let left_out = left_out(found.rows.len() - shown, "method", largest, whole);
            format!("{head}{COLUMNS}{count} node method\n{text}{left_out}")
        },
    ))
}

pub(crate) fn methods(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
    let view = asked(profile, arguments)?;
    let view = view.uncollapsed();
    let within = root(view, arguments);
    let request = ListRequest {
        within,
        metric: arguments.metric.as_deref(),
        waiting: None,
        under: arguments.under.as_deref(),
        is_user_code: arguments.user_code,
        filter: arguments.filter.as_deref(),
        order: arguments.sort()?,
        most: 0,
    };
    let list = query::list_methods(view, &request).map_err(refused)?;
    let selection = &list.selection;
    let (total, whole) = (selection.total(view), selection.whole(view));
    let scale = scale(view, selection.measure, total);
    let what = messages::methods(&name(&selection.words), &list.order.words());
    let head = head(
        profile,
        view,
        selection.measure,
        &what,
        (total, selection.waiting(view)),
    );
    let count = counts(view.metric(selection.metric()).counts);
    Ok(fit_rows(arguments.budget(), list.rows.len(), |shown| {
        let mut text = messages::own_system_nodes_node_method(&head, &COLUMNS, &count);
        for row in &list.rows[..shown] {
            let charged = row
                .own_and_system
                .map_or("-".into(), |charged| scale.number(charged.value));
            let (values, nodes) = (
                values(&row.sums, scale, whole),
                thousands(row.sums.node_count.into()),
            );
            text.push_str(&format!(
                "{values} {charged} {nodes} {}\n",
                node_and_name(view, &row.sums)
            ));
        }
        let next = list.rows.get(shown).map(|row| row.sums);
        let largest = match list.order {
            MethodOrder::Exclusive => next.map(|row| row.weight(HotspotOrder::Exclusive)),
            MethodOrder::Inclusive => next.map(|row| row.weight(HotspotOrder::Inclusive)),
            _ => None,
        };
        text + &left_out(list.rows.len() - shown, "method", largest, whole)
    }))
}

pub(crate) fn search(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
    let view = asked(profile, arguments)?;
    let within = root(&view, arguments);
    let (metric, text) = (arguments.metric.as_deref(), arguments.text.as_str());
    let request = SearchRequest {
        within,
        metric,
        waiting: None,
        text,
        most: MAX_FOUND,
    };
    let found = query::search(&view, &request).map_err(refused)?;
    let total = view.tree.inclusive(found.measure.metric, within);
    let whole = found.measure.inclusive(&view, within);
    let scale = scale(&view, found.measure, total);
    let about = if found.is_approximate {
        ", none exactly so"
    } else {
        ""
    };
    let what = messages::methods_like_best_first(&name(text), &about);
    let head = head(profile, &view, found.measure, &what, (total, total - whole));
    let count = counts(view.metric(found.measure.metric).counts);
    Ok(fit_rows(arguments.budget(), found.rows.len(), |shown| {
        let text = list(&view, &found.rows[..shown], (scale, whole));
        let left_out = left_out(
            found.rows.len() - shown + found.left_out,
            "method",
            None,
            whole,
        );
        format!("{head}{COLUMNS}{count} node method\n{text}{left_out}")
    }))
}
