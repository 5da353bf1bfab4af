//! The head and foot of answers, and the view that a request refers to.

use crate::mcp::arguments::{ToolArguments, plain};
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{Measure, NodeId, View};
use crate::query::{self, Cells, Column, QueryError, QueryOutline, TableRow};
use crate::text::{fit_name, fit_rows, visible};
use crate::units::{Scale, counted, percent};

/// How many characters of a name are shown.
const MAX_NAME: usize = 160;

/// A sentence of a query, as requests have it.
pub(super) fn refused(error: QueryError) -> String {
    plain(&error.to_string())
}

/// The view of a profile that a request is about.
pub(super) fn asked(profile: &OpenProfile, arguments: &ToolArguments) -> Result<View, String> {
    let chosen =
        query::chosen(profile.view.clone(), None, &arguments.thread_request()).map_err(refused)?;
    query::stepped(chosen.view, &arguments.requests()?).map_err(refused)
}

/// The root of the part of that view that it is about.
pub(super) fn root(view: &View, arguments: &ToolArguments) -> NodeId {
    query::root(view, &arguments.thread_request())
}

/// A name in a line of its own or at the end of one.
pub(super) fn name(text: &str) -> String {
    fit_name(&visible(text), MAX_NAME)
}

pub(super) fn share(part: u64, whole: u64) -> String {
    format!("{:.1}", percent(part, whole))
}

/// How values of a part are written.
pub(super) fn scale(view: &View, measure: Measure, total: u64) -> Scale {
    Scale::for_values(view.recording.metric(measure.metric).unit, total)
}

/// The first lines of an answer about `what` of a profile: the total that percentages are of, how the view came about, and what to be
/// careful about.
pub(super) fn head(
    profile: &OpenProfile,
    view: &View,
    measure: Measure,
    what: &str,
    (total, waiting): (u64, u64),
) -> String {
    let (metric, scale) = (
        view.recording.metric(measure.metric),
        scale(view, measure, total),
    );
    let mut head = format!(
        "{}, {}: {what}; {}",
        name(&profile.name),
        view.recording.source.kind.name(),
        name(&metric.name)
    );
    if measure.left_out(view).is_some() && waiting > 0 {
        let rest = scale.with_unit(total.saturating_sub(waiting));
        head.push_str(&messages::waiting_excluded(
            &rest,
            &scale.with_unit(waiting),
        ));
    } else {
        head.push_str(&format!(" {} = 100 %\n", scale.with_unit(total)));
    }
    let steps = view.steps.words_of_then(&view.recording);
    let threads = view.steps.words(&view.recording);
    if !threads.is_empty() {
        let of = view.base().tree.inclusive(measure.metric, NodeId::ROOT);
        let of = if steps.is_empty() {
            String::new()
        } else {
            messages::without_steps(&scale.with_unit(of))
        };
        head.push_str(&format!("view: {}{of}\n", name(&threads.join(", "))));
    }
    let alerts = view.alerts().filter(|alert| alert.concerns(&metric.name));
    let mut codes: Vec<&str> = alerts.map(|alert| alert.code()).collect();
    codes.dedup();
    if !codes.is_empty() {
        codes.truncate(6);
        head.push_str(&messages::warnings(&codes.join(", ")));
    }
    head
}

/// The lines of rows: their cells in these columns.
pub(super) fn lines(
    view: &View,
    measure: Measure,
    (scale, whole): (Scale, u64),
    columns: &[Column],
    rows: &[TableRow],
) -> Vec<String> {
    let metric = view.recording.metric(measure.metric);
    let cells = Cells {
        metric,
        scale,
        averages: scale,
        whole,
        is_marked: false,
    };
    let cell = |row: &TableRow, column| match column {
        Column::Name => name(&row.name) + if row.goes_on { " …" } else { "" },
        _ => cells.cell(row, column),
    };
    let columns = columns
        .iter()
        .copied()
        .filter(|&column| cells.has(column, rows));
    let columns: Vec<Column> = columns.collect();
    let line = |row| {
        let cells = columns.iter().map(|&column| cell(row, column));
        cells.collect::<Vec<_>>().join(" ")
    };
    rows.iter().map(line).collect()
}

/// The head of the column of counts, if there is one.
pub(super) fn counts(view: &View, measure: Measure) -> String {
    let counts = view.recording.metric(measure.metric).counts;
    counts.map_or(String::new(), |counts| format!(" {}", counts.name()))
}

/// As many of the heaviest rows of a tree as fit, with those above them, below a head. `more` says how many rows below one are left out of
/// which the outline hides so many, and `left_out` what is left out where so many rows are shown.
pub(super) fn outlined(
    budget: usize,
    head: &str,
    outline: &QueryOutline,
    lines: &[String],
    more: impl Fn(usize, usize) -> usize,
    left_out: impl Fn(usize, Option<u64>) -> String,
) -> String {
    fit_rows(budget, outline.len(), |rows| {
        let shown = outline.shown(rows);
        let mut text = head.to_string();
        let rows = (0..lines.len()).filter(|&at| shown.is_shown[at]);
        let rows: Vec<usize> = rows.collect();
        for &at in &rows {
            let more = match more(at, shown.hidden[at]) {
                0 => String::new(),
                more => format!(" +{more}"),
            };
            text.push_str(&format!("{}{more}\n", lines[at]));
        }
        text + &left_out(rows.len(), shown.largest_hidden)
    })
}

/// The last line of an answer: how many rows are left out, and how much the largest of them has; nothing if all are there.
pub(super) fn left_out(count: usize, noun: &str, largest: Option<u64>, whole: u64) -> String {
    if count == 0 {
        return String::new();
    }
    let largest = largest.map(|largest| messages::at_most_each(&share(largest, whole)));
    format!(
        "left out: {}{}\n",
        counted(count as u64, noun),
        largest.unwrap_or_default()
    )
}
