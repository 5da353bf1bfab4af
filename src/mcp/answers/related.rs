//! A method as one thing: its callers, its callees.

use super::head::{asked, counts, head, left_out, lines, name, outlined, refused, root, scale};
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::query::Column::{self, *};
use crate::query::{self, MethodRequest, QueryOutline, Related, Relation};
use crate::units::counted;

/// How many levels there are unless the request says otherwise.
const LEVELS: usize = 8;
/// The least share of the method that has a row of its own unless the request says otherwise, in percent.
const MIN_PERCENT: f64 = 0.5;

pub(super) const COLUMNS: &[Column] = &[
    Depth,
    Node,
    InclusiveShare,
    Inclusive,
    Exclusive,
    Count,
    Name,
];

pub(crate) fn callers(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    related(profile, arguments, Relation::Callers)
}

pub(crate) fn callees(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    related(profile, arguments, Relation::Callees)
}

fn related(
    profile: &OpenProfile,
    arguments: &ToolArguments,
    relation: Relation,
) -> Result<String, String> {
    let view = asked(profile, arguments)?;
    let view = view.uncollapsed();
    let within = root(view, arguments);
    let request = MethodRequest {
        within,
        metric: arguments.metric.as_deref(),
        waiting: None,
        method: &arguments.method,
        depth: arguments.depth.unwrap_or(LEVELS),
        min_percent: arguments.min_percent.unwrap_or(MIN_PERCENT),
    };
    let found = query::method_as_one(view, relation, &request).map_err(refused)?;
    let sums = found.sums();
    let (whole, scale) = (
        found.weight(sums),
        scale(view, found.measure, sums.inclusive.max(sums.exclusive)),
    );
    let occurrences = counted(found.occurrences as u64, "occurrence");
    let method = match found.frames.first() {
        Some(&frame) if !arguments.method.ends_with(".*") => name(&view.frames.list_name(frame)),
        _ => name(&arguments.method),
    };
    let what = format!("{} of {method}, {occurrences}", relation.name());
    let mut head = head(
        profile,
        view,
        found.measure,
        &what,
        (sums.inclusive, sums.waiting),
    );
    if let Some(&(thread, _)) = found.threads.first() {
        let (threads, most) = (
            counted(found.threads.len() as u64, "thread"),
            name(view.name(thread)),
        );
        head.push_str(&messages::in_threads(&threads, &most));
    }
    let count = counts(view, found.measure);
    head.push_str(&messages::related_columns(&count));
    let weight = |row: &Related| (row.depth, found.weight(row.sums));
    let outline = QueryOutline::new(found.rows.iter().map(weight).collect());
    let rows = found.table(view, |view, frame| view.frames.list_name(frame));
    let lines = lines(view, found.measure, (scale, whole), COLUMNS, &rows);
    let left_out = |shown: usize, largest| left_out(lines.len() - shown, "row", largest, whole);
    let text = outlined(
        arguments.budget(),
        &head,
        &outline,
        &lines,
        |_, hidden| hidden,
        left_out,
    );
    Ok(text)
}
