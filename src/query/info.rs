use super::markers::{MAX_LISTED, MarkerSums, marker_sums, other_events};
use super::messages;
use super::part::share_of_recording;
use super::values::{Value, diagnostic_records, range_row, waiting_part};
use crate::analysis::threads::processes_of_threads;
use crate::diagnostics::Diagnostic;
use crate::model::{CountKind, MetricId, NodeId, Process, Thread, View};
use crate::object::{All, IfAny, Members, if_any, if_rows, object};
use crate::units::{Scale, thousands};
use serde::Serialize;
use std::collections::BTreeMap;

/// The largest count of this kind in any metric; for a recording, that is wall time.
pub fn largest_count(view: &View, node: NodeId, kind: CountKind) -> Option<u64> {
    let metrics = view.recording.metric_ids();
    let metrics = metrics.filter(|&metric| view.recording.metric(metric).counts == Some(kind));
    let counts = metrics.filter_map(|metric| view.tree.count(metric, node));
    counts.max()
}

/// The number of samples on a processor, among those of running and waiting threads: ` (4,088 of them on CPU)`.
fn on_cpu_note(view: &View, id: MetricId) -> Option<String> {
    let cpu = view.recording.metric_named("CPU")?;
    let counts = view.recording.metric(cpu).counts;
    let is_samples = view.recording.metric(id).name == CountKind::Samples.name();
    if !is_samples || counts != Some(CountKind::Samples) {
        return None;
    }
    let on_cpu = view.tree.count(cpu, NodeId::ROOT)?;
    let all = view.tree.inclusive(id, NodeId::ROOT);
    (on_cpu < all).then(|| messages::samples_on_cpu(&thousands(on_cpu)))
}

/// Its total with notes: `6,320.0 ms (81.2 % of 7,783.3 ms), 66.534 s of it waiting`.
pub fn metric_total(view: &View, id: MetricId, scale: Scale) -> String {
    let total = view.tree.inclusive(id, NodeId::ROOT);
    let waiting = match view.waiting_total(id) {
        0 => String::new(),
        waiting => waiting_part(view.recording.metric(id), &scale.with_unit(waiting)),
    };
    let share = share_of_recording(view, id.into(), total, scale);
    let share = share.map_or(String::new(), |share| format!(" ({share})"));
    let on_cpu = on_cpu_note(view, id).unwrap_or_default();
    format!("{}{on_cpu}{share}{waiting}", scale.with_unit(total))
}

fn sums(view: &View, node: NodeId) -> impl Members + '_ {
    let total = |id: MetricId| {
        let metric = view.recording.metric(id);
        let total = Value::new(metric.unit, view.tree.inclusive(id, node));
        (metric.name.as_str(), total)
    };
    object! {
        nodes: view.tree.size(node),
        samples: IfAny(largest_count(view, node, CountKind::Samples)),
        calls: IfAny(largest_count(view, node, CountKind::Calls)),
        counts: IfAny(largest_count(view, node, CountKind::Unknown)),
        metrics: view.recording.metric_ids().map(total).collect::<BTreeMap<_, _>>(),
    }
}

/// The threads by process and value; those that only wait come last in each process.
pub fn threads_by_value(view: &View) -> Vec<usize> {
    let processes = processes_of_threads(view);
    let waiting = view.waiting(view.recording.default_metric);
    let mut rows: Vec<usize> = (0..view.threads.len()).collect();
    rows.sort_by_key(|&row| {
        let node = view.threads[row].node;
        let process = match processes[row] {
            Some(process) => view.processes[process].node,
            None if view.processes.is_empty() => NodeId::ROOT,
            None => node,
        };
        (process, waiting.is_idle(node), node)
    });
    rows
}

fn markers(view: &View) -> BTreeMap<&'static str, MarkerSums<'_>> {
    let sums = marker_sums(view, |_| true).into_iter();
    sums.map(|mut sums| {
        sums.groups.truncate(MAX_LISTED);
        (sums.kind.name(), sums)
    })
    .collect()
}

/// `dotspot.info/1`, with at most `max_threads` threads, heaviest first, and their processes.
pub fn info(view: &View, file: &str, max_threads: usize) -> impl Serialize {
    let mut listed = threads_by_value(view);
    let has_all = listed.len() <= max_threads;
    listed.truncate(max_threads);
    listed.sort_unstable();
    let process_rows = processes_of_threads(view);
    let is_listed = |process: &usize| {
        let mut threads = listed.iter();
        has_all || threads.any(|&thread| process_rows[thread] == Some(*process))
    };
    let processes: Vec<_> = (0..view.processes.len()).filter(is_listed).collect();
    let total = |id: MetricId| {
        let metric = view.recording.metric(id);
        object! {
            name: &metric.name,
            unit: metric.unit.name(),
            total: Value::new(metric.unit, view.tree.inclusive(id, NodeId::ROOT)),
            waiting_total: Value::new(metric.unit, view.waiting_total(id)),
        }
    };
    let process = |&row: &usize| {
        let Process { id, name, node } = &view.processes[row];
        object! { id, name, sums: All(sums(view, *node)) }
    };
    let thread = |&row: &usize| {
        let Thread { node, id, name } = &view.threads[row];
        object! {
            id,
            name,
            process: IfAny(process_rows[row].map(|process| view.processes[process].id)),
            only_waits: view.idle_percent(*node).is_some(),
            sums: All(sums(view, *node)),
        }
    };
    let source = &view.recording.source;
    object! {
        schema: "dotspot.info/1",
        file,
        format: &source.format,
        kind: source.kind.name(),
        about: source.kind.about(),
        metrics: view.recording.metric_ids().map(total).collect::<Vec<_>>(),
        nodes: view.node_count(),
        methods: view.method_count(),
        processes: if_rows(processes.iter().map(process)),
        processes_left_out: if_any(view.processes.len() - processes.len()),
        threads: listed.iter().map(thread).collect::<Vec<_>>(),
        threads_left_out: if_any(view.threads.len() - listed.len()),
        range: IfAny(range_row(view)),
        facts: source.facts().collect::<BTreeMap<_, _>>(),
        markers: if_any(markers(view)),
        other_events: if_rows(other_events(view).into_iter().take(MAX_LISTED)),
        notes: view.notes().map(Diagnostic::to_string).collect::<Vec<_>>(),
        warnings: view.alerts().map(Diagnostic::to_string).collect::<Vec<_>>(),
        diagnostics: diagnostic_records(view),
    }
}
