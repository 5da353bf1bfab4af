//! Cases where correctly read numbers mislead.

use super::{own_value, sum};
use crate::diagnostics::{Diagnostic, Share};
use crate::model::{FrameId, Measure, Metric, MetricId, NodeId, View};
use crate::names::{FrameKind, is_message_loop, split_module};
use memchr::memmem::Finder;
use std::cmp::Reverse;

/// The share of CPU time in GC polls from which a caution is shown. Traces of long-running methods have less than 1.5%.
pub const POLL_PERCENT: f64 = 2.0;
/// The share of wall time in threads that only wait, and so hide the rest.
const IDLE_THREADS_PERCENT: f64 = 50.0;

const WAITS_PERCENT: f64 = 5.0;

/// Since .NET 9.
const POLLS: [&str; 2] = [
    "System.Threading.Thread.PollGC",
    "System.Threading.Thread.<PollGC>g__PollGCWorker",
];

pub fn cautions(view: &View) -> Vec<Diagnostic> {
    let is_estimated = view.recording.metrics.iter().any(Metric::is_estimate);
    let all = [
        poll_caution(view),
        wait_caution(view),
        idle_caution(view),
        loop_caution(view),
        is_debug_build(view).then_some(Diagnostic::DebugBuild {}),
        is_estimated.then_some(Diagnostic::AllocationsEstimated {}),
        old_runtime_caution(view),
    ];
    all.into_iter().flatten().collect()
}

fn polls(view: &View) -> impl Iterator<Item = FrameId> {
    // cheap search first: parsing names is slow
    let threading = Finder::new("System.Threading.");
    let frames = view.frames.iter().filter(move |&(id, frame)| {
        let name = view.frames.name(id);
        if frame.kind != FrameKind::Method || threading.find(name.as_bytes()).is_none() {
            return false;
        }
        // without arguments and the number of a local function
        let mut parts = split_module(name).1.split(['(', '|']);
        parts.next().is_some_and(|bare| POLLS.contains(&bare))
    });
    frames.map(|(id, _)| id)
}

fn metric_named(view: &View, names: [&str; 2]) -> Option<MetricId> {
    let mut names = names.into_iter();
    names.find_map(|name| view.recording.metric_named(name))
}

fn own_values(
    view: &View,
    measure: Measure,
    frames: impl Iterator<Item = FrameId>,
) -> (u64, Option<FrameId>) {
    let values = frames.map(|frame| (own_value(view, measure, frame), Reverse(frame)));
    let values: Vec<(u64, Reverse<FrameId>)> = values.collect();
    let hottest = values.iter().max().map(|(_, frame)| frame.0);
    (sum(values.iter().map(|(value, _)| *value)), hottest)
}

/// Short methods are charged to the next poll: in net10/README.md of the shared data, one of 30 µs got 45 ms of
/// samples, not 1000.
fn poll_caution(view: &View) -> Option<Diagnostic> {
    let metric = view.recording.metric_named("CPU")?;
    let (polled, _) = own_values(view, metric.into(), polls(view));
    let share = share(view, metric, polled);
    (share.percent() > POLL_PERCENT).then_some(Diagnostic::GcPolls { share })
}

/// Threads that spin before they sleep count as running in recorders that ask the runtime, but not in those that know
/// the processor. They also count in dotTrace's time, except in threads that do nothing else.
fn wait_caution(view: &View) -> Option<Diagnostic> {
    let metric = metric_named(view, ["CPU", "time"])?;
    let measure = view.measure(metric);
    let (waited, hottest) = own_values(view, measure, waiting_methods(view).into_iter());
    let share = Share {
        whole: measure.inclusive(view, NodeId::ROOT),
        ..share(view, metric, waited)
    };
    let method = view.frames.list_name(hottest?).into_owned();
    (share.percent() > WAITS_PERCENT).then_some(Diagnostic::WaitsOnCpu { share, method })
}

pub(super) fn waiting_methods(view: &View) -> Vec<FrameId> {
    let frames = view.frames.iter().filter(|(_, frame)| frame.waits_on_cpu);
    frames.map(|(id, _)| id).collect()
}

fn share(view: &View, id: MetricId, part: u64) -> Share {
    let metric = view.recording.metric(id);
    Share {
        metric: metric.name.clone(),
        unit: metric.unit,
        part,
        whole: view.tree.inclusive(id, NodeId::ROOT),
    }
}

/// On .NET Core 3.1, a program that alternates between allocating and computing gets 0 to 6 ms of its 155 to 255 ms CPU
/// time.
fn old_runtime_caution(view: &View) -> Option<Diagnostic> {
    let runtime = view.recording.source.fact("runtime");
    let is_old = runtime.is_some_and(|runtime| runtime.starts_with(".NET Core "));
    let has_both = view.recording.metric_named("CPU").is_some()
        && view.recording.metric_named("wall").is_some();
    (is_old && has_both).then_some(Diagnostic::CpuIncomplete {})
}

/// By folder: `dotnet bin/Debug/net8.0/app.dll`.
fn is_debug_build(view: &View) -> bool {
    let has_debug_folder = |path: &str| {
        let path = path.replace('\\', "/").to_lowercase();
        let mut found = path.match_indices("bin/debug/");
        found.any(|(at, _)| at == 0 || path[..at].ends_with(['/', ' ', '"', '\'']))
    };
    let source = &view.recording.source;
    let facts = ["executable", "command line"].map(|name| source.fact(name));
    facts.into_iter().flatten().any(has_debug_folder)
}

/// Desktop programs are mostly in a message loop, and .NET recordings don't show what happens there.
fn loop_caution(view: &View) -> Option<Diagnostic> {
    let metric = metric_named(view, ["wall", "time"])?;
    let waits = view.frames.iter().filter(|(_, frame)| frame.is_wait);
    let loops = waits.filter(|(id, _)| is_message_loop(split_module(view.frames.name(*id)).1));
    let (value, hottest) = own_values(view, metric.into(), loops.map(|(id, _)| id));
    let share = share(view, metric, value);
    let method = view.frames.list_name(hottest?).into_owned();
    (share.percent() > WAITS_PERCENT).then_some(Diagnostic::MessageLoop { share, method })
}

fn idle_caution(view: &View) -> Option<Diagnostic> {
    let cpu = view.recording.metric_named("CPU");
    let metric = metric_named(view, ["wall", "time"])?;
    let idle = &view.waiting(metric).idle_threads;
    let waited = sum(idle
        .iter()
        .map(|&thread| view.tree.inclusive(metric, thread)));
    // no caution if only idle threads are shown, or if waiting counts
    let is_obvious = idle.len() == view.threads.len() || view.measure(metric).counts_waiting;
    let (waiting, threads) = view.idle_threads(metric);
    let share = share(view, metric, waited);
    let hides_others = share.percent() > IDLE_THREADS_PERCENT && !is_obvious;
    hides_others.then_some(Diagnostic::ThreadsWait {
        waiting,
        threads,
        share,
        has_cpu: cpu.is_some(),
    })
}

#[cfg(test)]
mod tests;
