//! What the explorer requests from its environment, and the outcomes.

use super::{ButterflySubject, OpenedCallers};
use crate::model::{GroupBy, Measure, MethodKey, MetricId, NodeId, ViewSpec};
use crate::query::ReportForm;

/// A request; the variants of `Message` are the answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Hotspots {
        scope: NodeId,
        measure: Measure,
    },
    Search {
        query: String,
        metric: MetricId,
    },
    Export {
        file: String,
        node: NodeId,
        /// Export all occurrences of the node's method within this subtree as one tree.
        all_within: Option<NodeId>,
        metric: MetricId,
        overwrite: bool,
        report: Option<ReportJob>,
    },
    Report(ReportJob, ReportUse),
    /// An empty note is removed.
    Note {
        method: MethodKey,
        note: String,
        writes: bool,
    },
    Methods(MethodsRequest),
    Waits(NodeId),
    Time(MetricId),
    Chart(ChartLane),
    CallerTree(ButterflySubject),
    OpenCallers {
        subject: ButterflySubject,
        /// The last one is to be opened now.
        opened: Vec<OpenedCallers>,
    },
    Show(ViewSpec),
    CancelView,
    UpdateView(UpdateRequest),
    /// Stop the recording; again, skip what is still to come.
    StopRecording,
    Copy(String),
    Suspend,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodsRequest {
    pub within: NodeId,
    pub measure: Measure,
    pub group: Option<GroupBy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartLane {
    /// The node of its first row.
    pub root: NodeId,
    /// Threads by their index in the recording.
    pub rows: Vec<usize>,
    pub metric: MetricId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateRequest {
    pub scope: NodeId,
    pub measure: Measure,
    pub butterfly: Option<(ButterflySubject, Vec<OpenedCallers>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportJob {
    /// The opened file, as commands name it; `None` for the bundled recording.
    pub file: Option<String>,
    pub node: NodeId,
    /// The subtree in which all occurrences of the node's method are merged; `None` for the node alone.
    pub all_within: Option<NodeId>,
    pub metric: Option<String>,
    pub waiting: Option<bool>,
    pub form: ReportForm,
    pub budget: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportUse {
    Preview,
    Clipboard,
}

/// The worker's jobs, highest priority first. Of each kind only the newest request is kept, but all notes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobKind {
    Note,
    Search,
    Callers,
    /// Another view or page; only the last requested one is wanted.
    View,
    Hotspots,
    Time,
    Chart,
    /// A report to copy, which no preview replaces.
    Copy,
    Preview,
    Export,
}

impl Effect {
    /// `None` if it is not for the worker.
    pub fn job_kind(&self) -> Option<JobKind> {
        Some(match self {
            Effect::Note { .. } => JobKind::Note,
            Effect::Search { .. } => JobKind::Search,
            Effect::OpenCallers { .. } => JobKind::Callers,
            Effect::Show(_) | Effect::CallerTree(_) | Effect::Methods(_) | Effect::Waits(_) => {
                JobKind::View
            }
            Effect::Hotspots { .. } => JobKind::Hotspots,
            Effect::Time(_) => JobKind::Time,
            Effect::Chart(_) => JobKind::Chart,
            Effect::Report(_, ReportUse::Clipboard) => JobKind::Copy,
            Effect::Report(_, ReportUse::Preview) => JobKind::Preview,
            Effect::Export { .. } => JobKind::Export,
            Effect::UpdateView(_) | Effect::StopRecording => return None,
            Effect::CancelView | Effect::Copy(_) | Effect::Suspend | Effect::Quit => return None,
        })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFrom {
    /// The name given on the command line; `None` for the bundled recording.
    pub file: Option<String>,
    /// Where notes are stored; `None` if the profile is not a file.
    pub notes_file: Option<String>,
    /// Then the user has agreed to them.
    pub are_notes_there: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportResult {
    /// A sentence about the written file.
    Written(String),
    Exists,
    Failed(String),
}
