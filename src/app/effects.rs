//! What the explorer requests from its environment, and the outcomes.

use super::{ButterflySubject, OpenedCallers};
use crate::model::{GroupBy, Measure, MethodKey, MetricId, NodeId, ViewSpec};
use crate::query::ReportForm;

/// A request, and the message that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Of a large subtree; answered with `Message::Hotspots`.
    Hotspots {
        scope: NodeId,
        measure: Measure,
    },
    /// Answered with `Message::Found`.
    Search {
        query: String,
        /// For the order of equal matches.
        metric: MetricId,
    },
    /// Answered with `Message::Exported`.
    Export {
        file: String,
        node: NodeId,
        /// Export all occurrences of the node's method within this subtree as one tree.
        all_within: Option<NodeId>,
        /// The metric that becomes the nodes' times.
        metric: MetricId,
        overwrite: bool,
        report: Option<ReportJob>,
    },
    /// Answered with `Message::Reported`.
    Report(ReportJob, ReportUse),
    /// An empty note is removed. Answered with `Message::Noted` if it is written to a file.
    Note {
        method: MethodKey,
        note: String,
        /// Whether to write it to the file of notes.
        writes: bool,
    },
    /// Answered with `Message::Methods`.
    Methods {
        within: NodeId,
        /// The metric, and whether waiting in it counts.
        measure: Measure,
        group: Option<GroupBy>,
    },
    /// Answered with `Message::Waits`.
    Waits(NodeId),
    /// Answered with `Message::Time`.
    Time(MetricId),
    /// Answered with `Message::Chart`.
    Chart(ChartLane),
    /// Answered with `Message::CallerTree`.
    CallerTree(ButterflySubject),
    /// Answered with `Message::Callers`.
    OpenCallers {
        subject: ButterflySubject,
        /// The last one is to be opened now.
        opened: Vec<OpenedCallers>,
    },
    /// Another view of the recording; answered with `Message::Shown`.
    Show(ViewSpec),
    /// Cancel building another view.
    GiveUp,
    /// The same view of a longer recording; answered with `Message::UpdatedView`.
    UpdateView(UpdateRequest),
    /// Stop the recording; again, skip what is still to come.
    StopRecording,
    Copy(String),
    Suspend,
    Quit,
}

/// The content of a flame chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartLane {
    /// The node of its first row.
    pub root: NodeId,
    /// The threads, by their index in the recording.
    pub rows: Vec<usize>,
    pub metric: MetricId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateRequest {
    pub scope: NodeId,
    pub measure: Measure,
    /// The shown caller tree, with its opened rows.
    pub butterfly: Option<(ButterflySubject, Vec<OpenedCallers>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportJob {
    /// The opened file, as commands name it; `None` for the bundled recording.
    pub file: Option<String>,
    pub node: NodeId,
    /// The subtree in which all occurrences of the node's method are merged; `None` for the node alone.
    pub all_within: Option<NodeId>,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<String>,
    /// Whether waiting counts; `None` for the default.
    pub waiting: Option<bool>,
    pub form: ReportForm,
    /// Maximum number of tokens.
    pub budget: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportUse {
    Preview,
    Clipboard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// Also searches, reports and callers.
    Rows,
    /// Another view, which replaces an earlier request.
    View,
    Export,
    Note,
    /// None: it is not for the worker.
    None,
}

impl Effect {
    pub fn kind(&self) -> JobKind {
        match self {
            Effect::Hotspots { .. }
            | Effect::Search { .. }
            | Effect::OpenCallers { .. }
            | Effect::Time(_)
            | Effect::Chart(_)
            | Effect::Report(..) => JobKind::Rows,
            Effect::Show(_) | Effect::CallerTree(_) | Effect::Methods { .. } | Effect::Waits(_) => {
                JobKind::View
            }
            Effect::Export { .. } => JobKind::Export,
            Effect::Note { .. } => JobKind::Note,
            Effect::UpdateView(_) | Effect::StopRecording => JobKind::None,
            Effect::GiveUp | Effect::Copy(_) | Effect::Suspend | Effect::Quit => JobKind::None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFrom {
    /// As given on the command line; `None` for the bundled recording.
    pub file: Option<String>,
    /// Where notes are stored; `None` if the profile is not a file.
    pub notes_file: Option<String>,
    /// Which means that the user has agreed to it.
    pub are_notes_there: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOutcome {
    pub file: String,
    pub result: ExportResult,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportResult {
    Written {
        path: String,
        size_bytes: u64,
        /// The number of nodes in it.
        nodes: usize,
        /// How many occurrences are merged in it, if all were requested.
        occurrences: Option<usize>,
    },
    Reported {
        path: String,
        size_bytes: u64,
        tokens: usize,
    },
    /// The file already exists; nothing was written.
    Exists,
    Failed(String),
}
