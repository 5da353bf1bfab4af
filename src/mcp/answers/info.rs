use super::head::{alert_start, name};
use super::methods::first_hotspots;
use crate::analysis::threads::processes_of_threads;
use crate::mcp::arguments::ToolArguments;
use crate::mcp::messages;
use crate::mcp::profiles::OpenProfile;
use crate::model::{NodeId, Process, Thread, View};
use crate::query::{self, facts_and_markers, program_in};
use crate::text::{file_name, fit_rows, tokens, visible};
use crate::units::{Scale, counted, percent, thousands};
use std::borrow::Cow;
use std::cmp::Reverse;

const MAX_HOTSPOTS: usize = 12;

/// A description in half of the budget, hotspots in user code, and as many of all hotspots as fit. Without room for the
/// first of them, only hotspots.
pub(crate) fn overview(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let budget = arguments.budget();
    let mut text = info(profile, &arguments.with_budget(budget / 2))?;
    let description = text.len();
    for (user_code, shares) in [(true, 1..3), (false, 1..2)] {
        // without the line between
        let room = budget.saturating_sub(tokens(&text) + 1);
        let list = |share| {
            let arguments = ToolArguments {
                user_code,
                ..arguments.with_budget(room / share)
            };
            first_hotspots(profile, &arguments, (MAX_HOTSPOTS, &text)).ok()
        };
        if let Some(list) = shares.rev().find_map(list) {
            text.push_str(&format!("\n{list}"));
        }
    }
    match text.len() == description {
        true => first_hotspots(profile, arguments, (MAX_HOTSPOTS, "")),
        false => Ok(text),
    }
}

pub(crate) fn info(profile: &OpenProfile, arguments: &ToolArguments) -> Result<String, String> {
    let view = &profile.view;
    let (file, format) = (name(&profile.name), &view.recording.source.format);
    let kind = view.recording.source.kind;
    let (kind, about) = (kind.name(), kind.about());
    let nodes = counted(view.node_count() as u64, "node");
    let methods = counted(view.method_count() as u64, "method");
    let mut head = format!("{file}: {format} ({kind}), {about}\n{nodes}, {methods}\n");
    for id in view.recording.metric_ids() {
        let metric = view.recording.metric(id);
        let total = view.tree.inclusive(id, NodeId::ROOT);
        let total = query::metric_total(view, id, Scale::for_values(metric.unit, total));
        let is_default = id == view.recording.default_metric;
        let first = if is_default { " (default)" } else { "" };
        let name = name(&metric.name);
        head.push_str(&format!("metric {name} {total}{first}\n"));
    }
    // cautions matter more than facts, and those more than threads
    let mut lines: Vec<String> = Vec::new();
    let measure = view.measure(view.recording.default_metric);
    lines.extend(view.alerts().map(|alert| {
        let text = query::alert_words(view, measure, alert);
        format!("{}{text}", alert_start(alert))
    }));
    lines.extend(view.notes().map(|note| format!("note: {note}")));
    let facts = facts_and_markers(view).into_iter();
    let fact = |(what, text): (&str, Cow<str>)| {
        let text = match what {
            _ if arguments.private => text,
            "machine" | "user" | "working folder" | "perf command" => return None,
            "command line" => program_in(&text).to_string().into(),
            "executable" => file_name(&text).to_string().into(),
            _ => text,
        };
        Some(format!("{what}: {}", name(&text)))
    };
    lines.extend(facts.filter_map(fact));
    lines.extend(process_lines(view));
    lines.extend(thread_lines(view));
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

fn process_lines(view: &View) -> Vec<String> {
    let id = view.recording.default_metric;
    let whole = view.tree.inclusive(id, NodeId::ROOT);
    let scale = Scale::for_values(view.recording.metric(id).unit, whole);
    let value = |process: &&Process| view.tree.inclusive(id, process.node);
    let mut processes: Vec<&Process> = view.processes.iter().collect();
    processes.sort_by_key(|process| (Reverse(value(process)), process.node));
    let line = |process: &&Process| {
        let title = name(view.name(process.node));
        // looks busy but isn't
        let is_idle = process.id == 0 && process.name == "Idle";
        let remark = if is_idle { messages::INTERRUPTS } else { "" };
        format!("{title}: {}{remark}", scale.with_unit(value(process)))
    };
    // small ones would leave no room for threads
    let counts = |process: &&&Process| percent(value(process), whole) >= 1.0;
    processes.iter().filter(counts).map(line).collect()
}

fn thread_lines(view: &View) -> Vec<String> {
    let id = view.recording.default_metric;
    let measure = view.measure(id);
    let processes = processes_of_threads(view);
    let weight = |row: usize| measure.inclusive(view, view.threads[row].node);
    let mut rows: Vec<usize> = (0..view.threads.len()).collect();
    rows.sort_by_key(|&row| (Reverse(weight(row)), view.threads[row].node));
    let min_weight = measure.inclusive(view, NodeId::ROOT) / 100;
    let shown = rows
        .iter()
        .take_while(|&&row| weight(row) >= min_weight.max(1))
        .count();
    // a profile in which nothing counts still has threads
    let shown = match shown == 0 || rows.len() - shown == 1 {
        true => rows.len(),
        false => shown,
    };
    let line = |&row: &usize| thread_line(view, &view.threads[row], processes[row]);
    let mut lines: Vec<String> = rows[..shown].iter().map(line).collect();
    if shown < rows.len() {
        let threads = counted((rows.len() - shown) as u64, "thread");
        let (rest, all) = rows[shown..].iter().fold((0, 0), |(rest, all), &row| {
            let value = view.tree.inclusive(id, view.threads[row].node);
            (rest + weight(row), all + value)
        });
        let metric = view.recording.metric(id);
        let text = |value| Scale::for_values(metric.unit, value).with_unit(value);
        let waiting = match all - rest {
            0 => String::new(),
            waiting => messages::and_waiting(&query::waiting_amount(metric, &text(waiting))),
        };
        lines.push(messages::threads_left_out(&threads, &text(rest), &waiting));
    }
    lines
}

fn thread_line(view: &View, thread: &Thread, process: Option<usize>) -> String {
    let values = view.recording.metric_ids().map(|id| {
        let metric = view.recording.metric(id);
        let value = view.tree.inclusive(id, thread.node);
        let shown = Scale::for_values(metric.unit, value).with_unit(value);
        format!("{} {shown}", name(&metric.name))
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let waits = query::describe_idle(view, thread.node);
    let waits = waits.map_or(String::new(), |waits| format!(", {waits}"));
    let (label, name) = (view.node_label(thread.node), name(view.name(thread.node)));
    let nodes = thousands(view.tree.size(thread.node) as u64);
    let process = process.map(|row| &view.processes[row]);
    let process = process.map_or(String::new(), |process| {
        format!(" of process {} {}", process.id, self::name(&process.name))
    });
    format!("thread {label} {name}{process}: {values}{waits}, {nodes} nodes")
}
