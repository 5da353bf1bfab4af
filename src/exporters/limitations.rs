//! What each format can't store. A profile's tables decide whether it has any of that, not its nodes.

use super::collapsed_names::written;
use super::part::Part;
use super::timeline::SampleTimes;
use crate::diagnostics::Severity;
use crate::exporters::messages;
use crate::model::{CountKind, FrameId, Metric, NodeId, NodeIds, ProfileKind};
use crate::names::FrameKind;
use crate::units::Unit;

/// The formats, what they can't hold, and whether that concerns a part.
type Limitation = (&'static [&'static str], &'static str, fn(&Part) -> bool);

/// Formats that record when each frame begins and ends.
const TIMED: &[&str] = &["speedscope", "trace-event"];
const IN_TIME: &[&str] = &["speedscope", "trace-event", "firefox"];
const OF_ONE_METRIC: &[&str] = &["speedscope", "trace-event", "collapsed"];
const OF_THREADS: &[&str] = &["speedscope", "trace-event", "firefox", "pprof"];
const BY_NAME: &[&str] = &["speedscope", "trace-event", "firefox", "collapsed"];
const FOREIGN: &[&str] = &["speedscope", "trace-event", "firefox", "collapsed", "pprof"];
const FIREFOX: &[&str] = &["firefox"];

pub(super) const LIMITATIONS: &[Limitation] = &[
    (IN_TIME, messages::LAYOUT, |part| {
        !SampleTimes::are_known(part)
    }),
    (&["svg"], messages::PICTURE_ALONE, |_| true),
    (&["html"], messages::PAGE_ALONE, |_| true),
    (OF_ONE_METRIC, messages::OTHER_METRICS, |part| {
        part.view.recording.metrics.len() > 1 + usize::from(part.cpu_leaves.is_some())
    }),
    (FIREFOX, messages::OTHER_THAN_WALL_AND_CPU, |part| {
        let (_, cpu) = part.time_and_cpu();
        part.view.recording.metrics.len() > 1 + usize::from(cpu.is_some())
    }),
    (FIREFOX, messages::MARKERS_OF_NO_THREAD, |part| {
        let mut markers = part.view.recording.markers.iter();
        markers.any(|marker| marker.thread().is_none())
    }),
    (FIREFOX, "the metric's name", |part| {
        part.time_and_cpu().1.is_none() && part.chosen_metric().name != "time"
    }),
    (FIREFOX, messages::COUNTS_AS_TIME, |part| {
        part.chosen_metric().unit == Unit::Count
    }),
    (FIREFOX, messages::CALLS_AND_UNTIMED_SAMPLES, |part| {
        let has_calls = |metric: &Metric| {
            metric
                .counts
                .is_some_and(|counts| counts != CountKind::Samples || !SampleTimes::are_known(part))
        };
        part.view.recording.metrics.iter().any(has_calls)
    }),
    (TIMED, "the metric's name", |part| {
        part.cpu_leaves.is_none() && part.chosen_metric().name != "time"
    }),
    (TIMED, messages::RUNNING_WAITS, |part| {
        // readers see `time`, and there a method that waits uses no processor
        part.cpu_leaves.is_none()
            && part.chosen_metric().is_running_time()
            && any_frame(part, |id| part.view.frames.get(id).is_wait)
    }),
    (&["collapsed"], messages::MEANING, |part| {
        let metric = part.chosen_metric();
        metric.unit != Unit::Count || metric.name != "samples"
    }),
    (&["trace-event"], messages::OTHER_UNITS, |part| {
        part.chosen_metric().unit != Unit::Milliseconds
    }),
    (OF_ONE_METRIC, "calls and samples", |part| {
        part.chosen_metric().counts.is_some()
    }),
    (&["pprof"], messages::COUNTS_OF_OTHER_METRICS, |part| {
        let mut metrics = part.view.recording.metrics.iter();
        metrics.any(|metric| metric.counts.is_some())
    }),
    (TIMED, messages::KIND, |part| {
        part.cpu_leaves.is_none() && part.view.recording.source.kind != ProfileKind::Unknown
    }),
    (
        &["firefox", "collapsed", "pprof"],
        messages::KIND_IF_NOT_SAMPLING,
        |part| part.view.recording.source.kind != ProfileKind::Sampling,
    ),
    (&["collapsed"], messages::THREADS, |part| {
        part.view.threads.iter().next().is_some() || has_processes(part)
    }),
    (OF_THREADS, messages::THREAD_TITLES, |part| {
        part.view.threads.iter().any(|thread| {
            let space = if thread.name.is_empty() { "" } else { " " };
            let title = format!("Thread ({}){space}{}", thread.id, thread.name);
            thread.id.parse::<u64>().is_err() || part.view.name(thread.node) != title
        })
    }),
    (&["speedscope", "pprof"], messages::PROCESSES, has_processes),
    (
        &["trace-event", "firefox"],
        messages::ONLY_PROCESS,
        |part| part.view.processes.len() == 1,
    ),
    (OF_THREADS, messages::NODES_OUTSIDE_THREADS, |part| {
        part.view.threads.iter().next().is_none()
    }),
    (FOREIGN, messages::ROOT_SELF_VALUES, |part| {
        let view = part.view;
        let has_own_value = |node: NodeId| view.tree.exclusive(part.metric, node) > 0;
        (part.kind(part.root) == FrameKind::Root && has_own_value(part.root))
            || view.threads.iter().any(|thread| has_own_value(thread.node))
            || view
                .processes
                .iter()
                .any(|process| has_own_value(process.node))
    }),
    (FOREIGN, messages::KINDS, |part| {
        any_frame(part, |id| {
            part.view.frames.get(id).kind == FrameKind::Special
        })
    }),
    (&["collapsed"], messages::NAMES, |part| {
        any_frame(part, |id| {
            written(part.view.frames.name(id)) != part.view.frames.name(id)
        })
    }),
    (OF_THREADS, "empty names", |part| {
        any_frame(part, |id| part.view.frames.name(id).is_empty())
    }),
    (BY_NAME, messages::SIGNATURES, |part| {
        any_frame(part, |id| !part.view.frames.signature(id).is_empty())
    }),
    (&["pprof"], messages::ODD_SIGNATURES, |part| {
        any_frame(part, |id| {
            let signature = part.view.frames.signature(id);
            !signature.is_empty() && !signature.starts_with('(')
        })
    }),
    (&["calltree", "collapsed"], "source locations", |part| {
        any_frame(part, |id| !part.view.frames.location(id).is_empty())
    }),
    (&["calltree"], "process ids", has_processes),
    (FOREIGN, "notes on methods", |part| {
        part.notes_on_its_methods().next().is_some()
    }),
    (FOREIGN, "node ids", |part| {
        let view = part.view;
        !view.has_merged_threads()
            && (view.recording.node_ids != NodeIds::Preorder || !view.is_whole())
    }),
    (&["collapsed"], messages::RANGE, |part| {
        part.view.range().is_some()
    }),
    (&["collapsed"], "warnings and notes", |part| {
        let mut severities = [Severity::Warning, Severity::Note].into_iter();
        severities.any(|severity| part.view.diagnostics_of(severity).next().is_some())
    }),
];

fn has_processes(part: &Part) -> bool {
    !part.view.processes.is_empty()
}

fn any_frame(part: &Part, matches: impl Fn(FrameId) -> bool) -> bool {
    part.view.frames.iter().any(|(id, _)| matches(id))
}
