//! What formats can't represent. Whether that matters for a profile is decided by its tables, not its nodes.

use super::collapsed_names::written;
use super::part::Part;
use super::timeline::SampleTimes;
use crate::diagnostics::Severity;
use crate::exporters::messages;
use crate::model::{FrameId, NodeId, NodeIds, ProfileKind};
use crate::names::FrameKind;
use crate::units::Unit;

/// Something that a format can't hold.
#[derive(Clone, Copy)]
pub struct Limitation {
    /// What it is, for the table of formats and for messages.
    pub clause: &'static str,
    /// Whether a part may have it. At most O(frames + threads).
    pub matters: fn(&Part) -> bool,
}

const fn limitation(clause: &'static str, matters: fn(&Part) -> bool) -> Limitation {
    Limitation { clause, matters }
}

pub(super) const LAYOUT: Limitation =
    limitation(messages::LAYOUT, |part| !SampleTimes::are_known(part));
pub(super) const OTHER_METRICS: Limitation = limitation(messages::OTHER_METRICS, |part| {
    part.view.recording.metrics.len() > 1 + usize::from(part.ran.is_some())
});
pub(super) const METRIC_NAME: Limitation = limitation("the metric's name", |part| {
    part.ran.is_none() && part.about_metric().name != "time"
});
pub(super) const MEANING: Limitation = limitation(messages::MEANING, |part| {
    let metric = part.about_metric();
    // what readers take values for
    metric.unit != Unit::Count || metric.name != "samples"
});
pub(super) const OTHER_UNITS: Limitation = limitation(messages::OTHER_UNITS, |part| {
    part.about_metric().unit != Unit::Milliseconds
});
pub(super) const COUNTS: Limitation = limitation("calls and samples", |part| {
    part.about_metric().counts.is_some()
});
pub(super) const COUNTS_OF_OTHER_METRICS: Limitation =
    limitation(messages::COUNTS_OF_OTHER_METRICS, |part| {
        part.view
            .recording
            .metrics
            .iter()
            .any(|metric| metric.counts.is_some())
    });
pub(super) const KIND: Limitation = limitation(messages::KIND, |part| {
    part.ran.is_none() && part.view.recording.source.kind != ProfileKind::Unknown
});
pub(super) const KIND_IS_SAMPLING: Limitation =
    limitation(messages::KIND_IF_NOT_SAMPLING, |part| {
        part.view.recording.source.kind != ProfileKind::Sampling
    });
pub(super) const THREADS: Limitation = limitation(messages::THREADS, |part| {
    part.view.threads.iter().next().is_some() || has_processes(part)
});
pub(super) const THREAD_TITLES: Limitation = limitation(messages::THREAD_TITLES, |part| {
    let is_lost = |thread: &crate::model::Thread| {
        let title = match thread.name.as_str() {
            "" => format!("Thread ({})", thread.id),
            name => format!("Thread ({}) {name}", thread.id),
        };
        thread.id.parse::<u64>().is_err() || part.view.name(thread.node) != title
    };
    part.view.threads.iter().any(is_lost)
});
pub(super) const PROCESSES: Limitation = limitation(messages::PROCESSES, has_processes);
pub(super) const PROCESS_NUMBERS: Limitation = limitation("numbers of processes", has_processes);
pub(super) const ONLY_PROCESS: Limitation = limitation(messages::ONLY_PROCESS, |part| {
    part.view.processes.len() == 1
});
pub(super) const NODES_OUTSIDE_THREADS: Limitation =
    limitation(messages::NODES_OUTSIDE_THREADS, |part| {
        part.view.threads.iter().next().is_none()
    });
pub(super) const ROOT_SELF_VALUES: Limitation = limitation(messages::ROOT_SELF_VALUES, |part| {
    let view = part.view;
    let has_own = |node: NodeId| view.tree.exclusive(part.metric, node) > 0;
    let is_root = matches!(part.kind(part.root), FrameKind::Root);
    (is_root && has_own(part.root))
        || view.threads.iter().any(|thread| has_own(thread.node))
        || view.processes.iter().any(|process| has_own(process.node))
});
pub(super) const KINDS: Limitation = limitation(messages::KINDS, |part| {
    any_frame(part, |id| {
        part.view.frames.get(id).kind == FrameKind::Special
    })
});
pub(super) const NAMES: Limitation = limitation(messages::NAMES, |part| {
    any_frame(part, |id| {
        let name = part.view.frames.name(id);
        written(name) != name
    })
});
pub(super) const NAMELESS: Limitation = limitation("empty names", |part| {
    any_frame(part, |id| part.view.frames.name(id).is_empty())
});
pub(super) const SIGNATURES: Limitation = limitation(messages::SIGNATURES, |part| {
    any_frame(part, |id| !part.view.frames.signature(id).is_empty())
});
pub(super) const ODD_SIGNATURES: Limitation = limitation(messages::ODD_SIGNATURES, |part| {
    any_frame(part, |id| {
        let signature = part.view.frames.signature(id);
        !signature.is_empty() && !signature.starts_with('(')
    })
});
pub(super) const METHOD_NOTES: Limitation = limitation("notes on methods", |part| {
    part.notes_on_its_methods().next().is_some()
});
pub(super) const LOCATIONS: Limitation = limitation("source locations", |part| {
    any_frame(part, |id| !part.view.frames.location(id).is_empty())
});
pub(super) const NODE_IDS: Limitation = limitation("ids of nodes", |part| {
    let view = part.view;
    !view.has_merged_threads() && (view.recording.node_ids != NodeIds::Preorder || !view.is_whole())
});
pub(super) const RANGE: Limitation =
    limitation(messages::RANGE, |part| part.view.range().is_some());
pub(super) const WARNINGS: Limitation = limitation("warnings and notes", |part| {
    [Severity::Warning, Severity::Note]
        .into_iter()
        .any(|severity| part.view.diagnostics_of(severity).next().is_some())
});

fn has_processes(part: &Part) -> bool {
    !part.view.processes.is_empty()
}

fn any_frame(part: &Part, is_so: impl Fn(FrameId) -> bool) -> bool {
    part.view.frames.iter().any(|(id, _)| is_so(id))
}
