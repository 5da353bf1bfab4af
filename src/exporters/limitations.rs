//! What formats can't hold. Whether that matters for a profile is asked of its tables only, never of its nodes.

use super::collapsed_names::written;
use super::part::Part;
use crate::diagnostics::Severity;
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

pub(super) const LAYOUT: Limitation = limitation(
    "when each frame was open (callees follow the order of the tree)",
    |_| true,
);
pub(super) const OTHER_METRICS: Limitation = limitation(
    "metrics other than the chosen one (--metric chooses)",
    |part| part.view.metrics.len() > 1,
);
pub(super) const METRIC_NAME: Limitation = limitation("the metric's name", |part| {
    part.view.metric(part.metric).name != "time"
});
pub(super) const MEANING: Limitation =
    limitation("what values are (times are nanoseconds)", |part| {
        let metric = part.view.metric(part.metric);
        // what readers take values for
        metric.unit != Unit::Count || metric.name != "samples"
    });
pub(super) const OTHER_UNITS: Limitation =
    limitation("units other than time (1 becomes 1 ns)", |part| {
        part.view.metric(part.metric).unit != Unit::Milliseconds
    });
pub(super) const COUNTS: Limitation = limitation("calls and samples", |part| {
    part.view.metric(part.metric).counts.is_some()
});
pub(super) const COUNTS_BESIDE: Limitation =
    limitation("calls, and samples of other metrics", |part| {
        part.view
            .metrics
            .iter()
            .any(|metric| metric.counts.is_some())
    });
pub(super) const KIND: Limitation = limitation("how the profile was taken", |part| {
    part.view.source.kind != ProfileKind::Unknown
});
pub(super) const KIND_IS_SAMPLING: Limitation = limitation(
    "how the profile was taken (readers assume sampling)",
    |part| part.view.source.kind != ProfileKind::Sampling,
);
pub(super) const THREADS: Limitation =
    limitation("threads and processes (they are first frames)", |part| {
        part.view.threads.iter().next().is_some() || has_processes(part)
    });
pub(super) const THREAD_TITLES: Limitation = limitation(
    "ids and titles of threads, unless the title is made of a number and the name",
    |part| {
        let is_lost = |thread: &crate::model::Thread| {
            let title = match thread.name.as_str() {
                "" => format!("Thread ({})", thread.id),
                name => format!("Thread ({}) {name}", thread.id),
            };
            thread.id.parse::<u64>().is_err() || part.view.name(thread.node) != title
        };
        part.view.threads.iter().any(is_lost)
    },
);
pub(super) const PROCESSES: Limitation = limitation(
    "processes (if there are several, threads bear their names)",
    has_processes,
);
pub(super) const PROCESS_NUMBERS: Limitation = limitation("numbers of processes", has_processes);
pub(super) const ONLY_PROCESS: Limitation = limitation("a process that is the only one", |part| {
    part.view.processes.len() == 1
});
pub(super) const OUTSIDE: Limitation =
    limitation("that nodes are in no thread (they get one)", |part| {
        part.view.threads.iter().next().is_none()
    });
pub(super) const OWN_VALUES: Limitation = limitation(
    "values of threads, processes and the root themselves (they become frames)",
    |part| {
        let view = part.view;
        let has_own = |node: NodeId| view.tree.exclusive(part.metric, node) > 0;
        let is_root = matches!(part.kind(part.root), FrameKind::Root);
        (is_root && has_own(part.root))
            || view.threads.iter().any(|thread| has_own(thread.node))
            || view.processes.iter().any(|process| has_own(process.node))
    },
);
pub(super) const KINDS: Limitation = limitation("which frames are not methods", |part| {
    any_frame(part, |id| {
        part.view.frames.get(id).kind == FrameKind::Special
    })
});
pub(super) const NAMES: Limitation = limitation(
    "names with `;`, control or invisible characters (`:` and `\\u{…}`)",
    |part| {
        any_frame(part, |id| {
            let name = part.view.frames.name(id);
            written(name) != name
        })
    },
);
pub(super) const NAMELESS: Limitation = limitation("empty names", |part| {
    any_frame(part, |id| part.view.frames.name(id).is_empty())
});
pub(super) const SIGNATURES: Limitation = limitation(
    "parameters that are not in names (callees of the same name become one)",
    |part| any_frame(part, |id| !part.view.frames.signature(id).is_empty()),
);
pub(super) const ODD_SIGNATURES: Limitation = limitation(
    "parameters that do not start with `(` (callees of the same name become one)",
    |part| {
        any_frame(part, |id| {
            let signature = part.view.frames.signature(id);
            !signature.is_empty() && !signature.starts_with('(')
        })
    },
);
pub(super) const METHOD_NOTES: Limitation = limitation("notes on methods", |part| {
    part.notes_on_its_methods().next().is_some()
});
pub(super) const LOCATIONS: Limitation = limitation("source locations", |part| {
    any_frame(part, |id| !part.view.frames.location(id).is_empty())
});
pub(super) const NODE_IDS: Limitation = limitation("ids of nodes", |part| {
    let view = part.view;
    !view.has_merged_threads() && (view.node_ids != NodeIds::Preorder || !view.is_whole())
});
pub(super) const RANGE: Limitation =
    limitation("that it is only a range of time of the recording", |part| {
        part.view.range().is_some()
    });
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
