//! What a profile is.

use super::head::name;
use super::methods::first_hotspots;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{NodeId, Thread, View};
use crate::query::{facts_and_markers, metrics};
use crate::text::{fit_rows, tokens, visible};
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
    let (file, format) = (name(&profile.name), &view.recording.source.format);
    let (kind, about) = (
        view.recording.source.kind.name(),
        view.recording.source.kind.about(),
    );
    let nodes = counted(view.node_count() as u64, "node");
    let methods = counted(view.method_count() as u64, "method");
    let mut head = format!("{file}: {format} ({kind}), {about}\n{nodes}, {methods}\n");
    for id in metrics(view) {
        let metric = view.recording.metric(id);
        let total = view.tree.inclusive(id, NodeId::ROOT);
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
    let mut lines: Vec<String> = Vec::new();
    lines.extend(view.alerts().map(|alert| {
        let (severity, code) = (alert.severity().name(), alert.code());
        format!("{severity} {code}: {alert}")
    }));
    lines.extend(view.notes().map(|note| format!("note: {note}")));
    let mut threads: Vec<&Thread> = view.threads.iter().collect();
    threads.sort_by_key(|thread| thread.node);
    lines.extend(threads.into_iter().map(|thread| thread_line(view, thread)));
    let facts = facts_and_markers(view).into_iter();
    lines.extend(facts.map(|(what, text)| format!("{what}: {}", name(&text))));
    Ok(fit_rows(arguments.budget(), lines.len(), |shown| {
        let rest = match lines.len() - shown {
            0 => String::new(),
            more => messages::lines_left_out(&counted(more as u64, "line")),
        };
        let shown = lines[..shown]
            .iter()
            .map(|line| format!("{}\n", visible(line)));
        format!("{head}{}{rest}", shown.collect::<String>())
    }))
}

fn thread_line(view: &View, thread: &Thread) -> String {
    let values = metrics(view).map(|id| {
        let metric = view.recording.metric(id);
        let value = view.tree.inclusive(id, thread.node);
        let shown = Scale::for_values(metric.unit, value).with_unit(value);
        format!("{} {shown}", name(&metric.name))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let waits = view.idle_percent(thread.node);
    let waits = waits.map_or(String::new(), |share| format!(", waits {share:.0} %"));
    let (label, name) = (view.node_label(thread.node), name(view.name(thread.node)));
    let nodes = thousands(view.tree.size(thread.node) as u64);
    format!("thread {label} {name}: {values}{waits}, {nodes} nodes")
}
