//! What formats can't represent. Whether that matters for a profile depends on its tables, not its nodes.

use super::collapsed_names::written;
use super::firefox::metrics::metrics as firefox_metrics;
use super::part::Part;
use super::timeline::SampleTimes;
use crate::diagnostics::Severity;
use crate::exporters::messages;
use crate::model::{CountKind, FrameId, Metric, NodeId, NodeIds, ProfileKind};
use crate::names::FrameKind;
use crate::units::Unit;

/// Something that a format can't hold.
#[derive(Clone, Copy)]
pub struct Limitation {
    /// The names of the formats that can't hold it.
    pub formats: &'static [&'static str],
    /// What it is, for the format table and for messages.
    pub clause: &'static str,
    /// Whether a part may be affected. At most O(frames + threads).
    pub matters: fn(&Part) -> bool,
}

const fn limitation(
    formats: &'static [&'static str],
    clause: &'static str,
    matters: fn(&Part) -> bool,
) -> Limitation {
    Limitation {
        formats,
        clause,
        matters,
    }
}

/// Formats whose frames open and close.
const TIMED: &[&str] = &["speedscope", "trace-event"];
/// Formats in time order.
const IN_TIME: &[&str] = &["speedscope", "trace-event", "firefox"];
const OF_ONE_METRIC: &[&str] = &["speedscope", "trace-event", "collapsed"];
const OF_THREADS: &[&str] = &["speedscope", "trace-event", "firefox", "pprof"];
/// Formats that identify frames by name.
const BY_NAME: &[&str] = &["speedscope", "trace-event", "firefox", "collapsed"];
/// Formats of other programs.
const FOREIGN: &[&str] = &["speedscope", "trace-event", "firefox", "collapsed", "pprof"];
const FIREFOX: &[&str] = &["firefox"];

/// All limitations, in the order in which they are reported.
pub(super) const LIMITATIONS: &[Limitation] = &[
    limitation(IN_TIME, messages::LAYOUT, |part| {
        !SampleTimes::are_known(part)
    }),
    limitation(&["svg"], messages::PICTURE_ALONE, |_| true),
    limitation(&["html"], messages::PAGE_ALONE, |_| true),
    limitation(OF_ONE_METRIC, messages::OTHER_METRICS, |part| {
        part.view.recording.metrics.len() > 1 + usize::from(part.ran.is_some())
    }),
    limitation(FIREFOX, messages::OTHER_THAN_WALL_AND_CPU, |part| {
        part.view.recording.metrics.len() > firefox_metrics(part).all().len()
    }),
    limitation(FIREFOX, messages::MARKERS_OF_NO_THREAD, |part| {
        let mut markers = part.view.recording.markers.iter();
        markers.any(|marker| marker.thread().is_none())
    }),
    limitation(FIREFOX, "the metric's name", |part| {
        firefox_metrics(part).cpu.is_none() && part.about_metric().name != "time"
    }),
    limitation(FIREFOX, messages::COUNTS_AS_TIME, |part| {
        part.about_metric().unit == Unit::Count
    }),
    limitation(FIREFOX, messages::CALLS_AND_UNTIMED_SAMPLES, |part| {
        let has_calls = |metric: &Metric| {
            metric
                .counts
                .is_some_and(|counts| counts != CountKind::Samples || !SampleTimes::are_known(part))
        };
        part.view.recording.metrics.iter().any(has_calls)
    }),
    limitation(TIMED, "the metric's name", |part| {
        part.ran.is_none() && part.about_metric().name != "time"
    }),
    limitation(TIMED, messages::RUNNING_WAITS, |part| {
        // readers see `time`, in which methods that wait only wait
        part.ran.is_none()
            && part.about_metric().is_running_time()
            && any_frame(part, |id| part.view.frames.get(id).is_wait)
    }),
    limitation(&["collapsed"], messages::MEANING, |part| {
        let metric = part.about_metric();
        // what readers assume values to be
        metric.unit != Unit::Count || metric.name != "samples"
    }),
    limitation(&["trace-event"], messages::OTHER_UNITS, |part| {
        part.about_metric().unit != Unit::Milliseconds
    }),
    limitation(OF_ONE_METRIC, "calls and samples", |part| {
        part.about_metric().counts.is_some()
    }),
    limitation(&["pprof"], messages::COUNTS_OF_OTHER_METRICS, |part| {
        let mut metrics = part.view.recording.metrics.iter();
        metrics.any(|metric| metric.counts.is_some())
    }),
    limitation(TIMED, messages::KIND, |part| {
        part.ran.is_none() && part.view.recording.source.kind != ProfileKind::Unknown
    }),
    limitation(
        &["firefox", "collapsed", "pprof"],
        messages::KIND_IF_NOT_SAMPLING,
        |part| part.view.recording.source.kind != ProfileKind::Sampling,
    ),
    limitation(&["collapsed"], messages::THREADS, |part| {
        part.view.threads.iter().next().is_some() || has_processes(part)
    }),
    limitation(OF_THREADS, messages::THREAD_TITLES, |part| {
        part.view.threads.iter().any(|thread| {
            let space = if thread.name.is_empty() { "" } else { " " };
            let title = format!("Thread ({}){space}{}", thread.id, thread.name);
            thread.id.parse::<u64>().is_err() || part.view.name(thread.node) != title
        })
    }),
    limitation(&["speedscope", "pprof"], messages::PROCESSES, has_processes),
    limitation(
        &["trace-event", "firefox"],
        messages::ONLY_PROCESS,
        |part| part.view.processes.len() == 1,
    ),
    limitation(OF_THREADS, messages::NODES_OUTSIDE_THREADS, |part| {
        part.view.threads.iter().next().is_none()
    }),
    limitation(FOREIGN, messages::ROOT_SELF_VALUES, |part| {
        let view = part.view;
        let has_own = |node: NodeId| view.tree.exclusive(part.metric, node) > 0;
        (part.kind(part.root) == FrameKind::Root && has_own(part.root))
            || view.threads.iter().any(|thread| has_own(thread.node))
            || view.processes.iter().any(|process| has_own(process.node))
    }),
    limitation(FOREIGN, messages::KINDS, |part| {
        any_frame(part, |id| {
            part.view.frames.get(id).kind == FrameKind::Special
        })
    }),
    limitation(&["collapsed"], messages::NAMES, |part| {
        any_frame(part, |id| {
            written(part.view.frames.name(id)) != part.view.frames.name(id)
        })
    }),
    limitation(OF_THREADS, "empty names", |part| {
        any_frame(part, |id| part.view.frames.name(id).is_empty())
    }),
    limitation(BY_NAME, messages::SIGNATURES, |part| {
        any_frame(part, |id| !part.view.frames.signature(id).is_empty())
    }),
    limitation(&["pprof"], messages::ODD_SIGNATURES, |part| {
        any_frame(part, |id| {
            let signature = part.view.frames.signature(id);
            !signature.is_empty() && !signature.starts_with('(')
        })
    }),
    limitation(&["calltree", "collapsed"], "source locations", |part| {
        any_frame(part, |id| !part.view.frames.location(id).is_empty())
    }),
    limitation(&["calltree"], "process ids", has_processes),
    limitation(FOREIGN, "notes on methods", |part| {
        part.notes_on_its_methods().next().is_some()
    }),
    limitation(FOREIGN, "node ids", |part| {
        let view = part.view;
        !view.has_merged_threads()
            && (view.recording.node_ids != NodeIds::Preorder || !view.is_whole())
    }),
    limitation(&["collapsed"], messages::RANGE, |part| {
        part.view.range().is_some()
    }),
    limitation(&["collapsed"], "warnings and notes", |part| {
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
