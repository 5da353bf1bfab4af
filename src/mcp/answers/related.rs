//! A method as one thing: its callers, its callees.

use super::head::{asked, head, left_out, name, refused, root, scale, share};
use crate::mcp::arguments::Arguments;
use crate::mcp::messages;
use crate::mcp::profiles::Profile;
use crate::model::{CountKind, View};
use crate::query::{self, MethodRequest, Outline, Related, Relation};
use crate::text::fit_rows;
use crate::units::{counted, thousands};

/// How many levels there are unless the request says otherwise.
const LEVELS: usize = 8;
/// The least share of the method that has a row of its own unless the request says otherwise, in percent.
const MIN_PERCENT: f64 = 0.5;

pub(crate) fn callers(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
    related(profile, arguments, Relation::Callers)
}

pub(crate) fn callees(profile: &Profile, arguments: &Arguments) -> Result<String, String> {
    related(profile, arguments, Relation::Callees)
}

fn related(profile: &Profile, arguments: &Arguments, relation: Relation) -> Result<String, String> {
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
        head.push_str(&messages::most(&threads, &most));
    }
    let counts = view.metric(found.measure.metric).counts;
    let count = counts.map(CountKind::name).unwrap_or_default();
    head.push_str(&messages::depth_node_incl_own_method(&count));
    let outline = Outline::new(
        found
            .rows
            .iter()
            .map(|row| (row.depth, found.weight(row.sums)))
            .collect(),
    );
    Ok(fit_rows(arguments.budget(), outline.len(), |rows| {
        let shown = outline.shown(rows);
        let mut text = head.clone();
        let mut count = 0;
        for (at, row) in found
            .rows
            .iter()
            .enumerate()
            .filter(|(at, _)| shown.is_shown[*at])
        {
            count += 1;
            let percent = share(found.weight(row.sums), whole);
            let counted = counts
                .map(|_| format!(" {}", thousands(row.sums.count)))
                .unwrap_or_default();
            let (inclusive, own) = (
                scale.number(row.sums.inclusive),
                scale.number(row.sums.exclusive),
            );
            let more = if shown.hidden[at] > 0 {
                format!(" +{}", shown.hidden[at])
            } else {
                String::new()
            };
            let who = who(view, relation, row);
            text.push_str(&format!(
                "{} {} {percent} {inclusive} {own}{counted} {}{more}\n",
                row.depth, who.0, who.1
            ));
        }
        text + &left_out(found.rows.len() - count, "row", shown.largest_hidden, whole)
    }))
}

/// The node of a row and what it is called: sums of rows have no node.
fn who(view: &View, relation: Relation, row: &Related) -> (String, String) {
    let goes_on = if row.goes_on { " …" } else { "" };
    match row.who {
        Some(who) => {
            let recursive = if who.is_recursive { " (recursive)" } else { "" };
            let label = view.recording.node_label(view.form, who.origin);
            (
                label,
                format!(
                    "{}{recursive}{goes_on}",
                    name(&view.frames.list_name(who.frame))
                ),
            )
        }
        None => (
            "-".into(),
            format!(
                "[{}]",
                counted(row.rows as u64, &format!("more {}", relation.noun()))
            ),
        ),
    }
}
