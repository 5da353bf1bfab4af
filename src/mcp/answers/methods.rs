//! Lists of methods: hotspots, all methods, those with letters in their names.

use super::head::{asked, counts, head, left_out, lines, name, refused, root, scale};
use crate::analysis::{Hotspot, HotspotOrder};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{Measure, View};
use crate::query::Column::{self, *};
use crate::query::{self, HotspotsRequest, ListRequest, MethodOrder, SearchRequest, TableRow};
use crate::text::fit_rows;
use crate::units::Scale;

/// So many methods are looked for at most.
const MAX_FOUND: usize = 30;

/// The columns of all lists, but for what some have before the node and the name.
const COLUMNS: &str = messages::VALUE_COLUMNS;
const VALUES: &[Column] = &[ExclusiveShare, Exclusive, InclusiveShare, Inclusive, Count];

/// The lines of methods.
fn lines_of(view: &View, measure: Measure, sums: &[Hotspot], values: (Scale, u64)) -> Vec<String> {
    let row = |sums| TableRow::of_method(view, measure, sums);
    let rows: Vec<TableRow> = sums.iter().map(row).collect();
    lines(
        view,
        measure,
        values,
        &[VALUES, &[Node, Name]].concat(),
        &rows,
    )
}

/// As many lines as fit below a head and in front of what is said of those that don't.
fn listed(
    budget: usize,
    head: &str,
    lines: &[String],
    most: usize,
    left_out: impl Fn(usize) -> String,
) -> String {
    fit_rows(budget, lines.len().min(most), |shown| {
        let lines = lines[..shown].iter().map(|line| format!("{line}\n"));
        format!("{head}{}{}", lines.collect::<String>(), left_out(shown))
    })
}

pub(crate) fn hotspots(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    first_hotspots(profile, arguments, usize::MAX)
}

/// The hotspots, so many at most whatever the budget.
pub(super) fn first_hotspots(
    profile: &OpenProfile,
    arguments: &ToolArguments,
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
    let what = messages::hotspots_of(&name(&selection.words), &found.order.name());
    let head = head(
        profile,
        &view,
        selection.measure,
        &what,
        (total, selection.waiting(&view)),
    );
    let count = counts(&view, selection.measure);
    let lines = lines_of(&view, selection.measure, &found.rows, (scale, whole));
    let left_out = |shown: usize| {
        let largest = found.rows.get(shown).map(|row| row.weight(found.order));
        left_out(lines.len() - shown, "method", largest, whole)
    };
    let head = format!("{head}{COLUMNS}{count} node method\n");
    Ok(listed(arguments.budget(), &head, &lines, most, left_out))
}

pub(crate) fn methods(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
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
    let what = messages::methods_of(&name(&selection.words), &list.order.words());
    let head = head(
        profile,
        view,
        selection.measure,
        &what,
        (total, selection.waiting(view)),
    );
    let count = counts(view, selection.measure);
    let head = messages::method_columns(&head, &COLUMNS, &count);
    let columns = [VALUES, &[OwnAndSystem, Occurrences, Node, Name]].concat();
    let lines = lines(
        view,
        selection.measure,
        (scale, whole),
        &columns,
        &list.table(view),
    );
    let left_out = |shown: usize| {
        let next = list.rows.get(shown).map(|row| row.sums);
        let largest = match list.order {
            MethodOrder::Exclusive => next.map(|row| row.weight(HotspotOrder::Exclusive)),
            MethodOrder::Inclusive => next.map(|row| row.weight(HotspotOrder::Inclusive)),
            _ => None,
        };
        left_out(lines.len() - shown, "method", largest, whole)
    };
    Ok(listed(
        arguments.budget(),
        &head,
        &lines,
        usize::MAX,
        left_out,
    ))
}

pub(crate) fn search(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
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
    let what = messages::methods_like(&name(text), &about);
    let head = head(profile, &view, found.measure, &what, (total, total - whole));
    let count = counts(&view, found.measure);
    let lines = lines_of(&view, found.measure, &found.rows, (scale, whole));
    let left_out =
        |shown: usize| left_out(lines.len() - shown + found.left_out, "method", None, whole);
    let head = format!("{head}{COLUMNS}{count} node method\n");
    Ok(listed(
        arguments.budget(),
        &head,
        &lines,
        usize::MAX,
        left_out,
    ))
}
