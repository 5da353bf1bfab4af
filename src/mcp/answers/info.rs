//! What a profile is.

use super::head::name;
use super::methods::first_hotspots;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{NodeId, Thread, View};
use crate::query::{facts_and_markers, metrics};
use crate::text::{fit_rows, tokens};
use crate::units::{Scale, counted, thousands};

/// So many hotspots are in an overview at most.
const FIRST: usize = 12;

/// What a profile is, which has half of the budget, its hotspots in user code, and all of them as far as there is room.
pub(crate) fn overview(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let budget = arguments.budget();
    let mut text = info(profile, &arguments.with_budget(budget / 2))?;
    for (user_code, title, share) in [(true, "user code only: ", 2), (false, "", 1)] {
        let room = budget.saturating_sub(tokens(&text)) / share;
        let wanted = ToolArguments {
            user_code,
            ..arguments.with_budget(room)
        };
        let list = format!("\n{title}{}", first_hotspots(profile, &wanted, FIRST)?);
        if tokens(&text) + tokens(&list) <= budget {
            text.push_str(&list);
        }
    }
    Ok(text)
}

pub(crate) fn info(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = &profile.view;
    let mut head = format!(
        "{}: {} ({}), {}\n{}, {}\n",
        name(&profile.name),
        view.recording.source.format,
        view.recording.source.kind.name(),
        view.recording.source.kind.about(),
        counted(view.node_count() as u64, "node"),
        counted(view.method_count() as u64, "method"),
    );
    for id in metrics(view) {
        let (metric, total) = (
            view.recording.metric(id),
            view.tree.inclusive(id, NodeId::ROOT),
        );
        let scale = Scale::for_values(metric.unit, total);
        let waiting = match view.waiting_total(id) {
            0 => String::new(),
            waiting => messages::waiting(&scale.with_unit(waiting)),
        };
        let is_default = id == view.recording.default_metric;
        let first = if is_default { " (default)" } else { "" };
        let (name, total) = (name(&metric.name), scale.with_unit(total));
        head.push_str(&format!("metric {name} {total}{waiting}{first}\n"));
    }
    // what to be careful about matters more than threads, and those more than what else the file tells
    let alerts: Vec<String> = view
        .alerts()
        .map(|alert| format!("{} {}: {alert}", alert.severity().name(), alert.code()))
        .collect();
    let notes: Vec<String> = view.notes().map(|note| format!("note: {note}")).collect();
    let mut threads: Vec<&Thread> = view.threads.iter().collect();
    threads.sort_by_key(|thread| thread.node);
    let threads = threads.into_iter().map(|thread| thread_line(view, thread));
    let facts = facts_and_markers(view)
        .into_iter()
        .map(|(what, text)| format!("{what}: {}", name(&text)));
    let lines: Vec<String> = alerts
        .into_iter()
        .chain(notes)
        .chain(threads)
        .chain(facts.collect::<Vec<_>>())
        .map(|line| long(&line))
        .collect();
    Ok(fit_rows(arguments.budget(), lines.len(), |shown| {
        let rest = match lines.len() - shown {
            0 => String::new(),
            more => messages::lines_left_out(&counted(more as u64, "line")),
        };
        let shown: String = lines[..shown]
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        format!("{head}{shown}{rest}")
    }))
}

/// A sentence with nothing in it that is not to be seen.
fn long(line: &str) -> String {
    crate::text::visible(line).into_owned()
}

fn thread_line(view: &View, thread: &Thread) -> String {
    let values = metrics(view).map(|id| {
        let (metric, value) = (
            view.recording.metric(id),
            view.tree.inclusive(id, thread.node),
        );
        format!(
            "{} {}",
            name(&metric.name),
            Scale::for_values(metric.unit, value).with_unit(value)
        )
    });
    let waits = view
        .idle_percent(thread.node)
        .map_or(String::new(), |share| format!(", waits {share:.0} %"));
    let (values, nodes) = (
        values.collect::<Vec<_>>().join(", "),
        thousands(view.tree.size(thread.node) as u64),
    );
    format!(
        "thread {} {}: {values}{waits}, {nodes} nodes",
        view.node_label(thread.node),
        name(view.name(thread.node))
    )
}
