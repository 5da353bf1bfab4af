//! Effects: the work that the explorer requests from its environment, and the outcomes.

use super::{ButterflySubject, OpenedCallers};
use crate::model::{GroupBy, Measure, MethodKey, MetricId, NodeId, ViewSpec};
use crate::query::ReportForm;

/// A request to the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Sum the hotspots of a large subtree; answered with [`Message::Hotspots`](super::Message::Hotspots).
    Hotspots {
        /// The subtree.
        scope: NodeId,
        /// Their sort order.
        measure: Measure,
    },
    /// Search the methods; answered with [`Message::Found`](super::Message::Found).
    Search {
        /// The typed text.
        query: String,
        /// The sort order of equal matches.
        metric: MetricId,
    },
    /// Write a subtree to a file; answered with [`Message::Exported`](super::Message::Exported).
    Export {
        file: String,
        /// The subtree.
        node: NodeId,
        /// The subtree in which all occurrences of the node's method are exported as one tree; `None` for the node
        /// alone.
        all_within: Option<NodeId>,
        /// The metric that becomes the nodes' times.
        metric: MetricId,
        /// Whether a file of this name may be replaced.
        overwrite: bool,
        /// The report to write instead of the subtree.
        report: Option<ReportOrder>,
    },
    /// Make a report; answered with [`Message::Reported`](super::Message::Reported).
    Report(ReportOrder, ReportUse),
    /// Set a note on a method; an empty one removes it. Answered with [`Message::Noted`](super::Message::Noted) if it
    /// is written to a file.
    Note {
        method: MethodKey,
        note: String,
        /// Whether it is written to the file of notes.
        writes: bool,
    },
    /// List the methods of a subtree; answered with [`Message::Methods`](super::Message::Methods).
    Methods {
        /// The subtree.
        within: NodeId,
        /// The metric, and whether waiting in it counts.
        measure: Measure,
        /// List groups of methods instead of methods.
        group: Option<GroupBy>,
    },
    /// Find out what waits in a subtree; answered with [`Message::Waits`](super::Message::Waits).
    Waits(NodeId),
    /// Sum the view in a metric over time; answered with [`Message::Time`](super::Message::Time).
    Time(MetricId),
    /// Put the stacks of a lane in time order; answered with [`Message::Chart`](super::Message::Chart).
    Chart(ChartLane),
    /// Build a caller tree; answered with [`Message::CallerTree`](super::Message::CallerTree).
    CallerTree(ButterflySubject),
    /// Build the callers of these rows of a caller tree; answered with [`Message::Callers`](super::Message::Callers).
    OpenCallers {
        /// What it is about.
        subject: ButterflySubject,
        /// The rows; the last one is to be opened now.
        opened: Vec<OpenedCallers>,
    },
    /// Build another view of the recording; answered with [`Message::Shown`](super::Message::Shown).
    Show(ViewSpec),
    /// Cancel building another view.
    GiveUp,
    /// Rebuild the view from a longer recording; answered with [`Message::Renewed`](super::Message::Renewed).
    Renew(RenewOrder),
    /// Stop the recording; again, skip what is still to come.
    StopRecording,
    /// Copy text to the clipboard of the user's terminal.
    Copy(String),
    /// Suspend dotspot: leave the terminal to the shell.
    Suspend,
    /// Quit.
    Quit,
}

/// The content of a flame chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartLane {
    /// The node of its first row.
    pub root: NodeId,
    /// The threads, as indices into [`crate::model::Recording::threads`].
    pub rows: Vec<usize>,
    pub metric: MetricId,
}

/// What is to be rebuilt besides the view when a recording has grown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewOrder {
    /// The subtree whose hotspots are shown.
    pub scope: NodeId,
    /// Their sort order.
    pub measure: Measure,
    /// The shown caller tree, with its opened rows.
    pub butterfly: Option<(ButterflySubject, Vec<OpenedCallers>)>,
}

/// A report on a subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOrder {
    /// The opened file, as commands name it; `None` for the bundled recording.
    pub file: Option<String>,
    /// The subtree.
    pub node: NodeId,
    /// The subtree in which all occurrences of the node's method are merged; `None` for the node alone.
    pub all_within: Option<NodeId>,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<String>,
    /// Whether waiting counts; `None` for the default.
    pub waiting: Option<bool>,
    /// Its format.
    pub form: ReportForm,
    /// Maximum number of tokens.
    pub budget: usize,
}

/// The purpose of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportUse {
    /// To show its size and what it explains before it is written.
    Preview,
    /// To copy it.
    Clipboard,
}

/// The kind of work of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    /// Hotspots, searches, reports, and rows of callers.
    Rows,
    /// Another view, which replaces an earlier request.
    View,
    /// Writing a subtree.
    Export,
    Note,
    /// None: it is not for the worker.
    None,
}

impl Effect {
    /// The kind of its work.
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
            Effect::Renew(_) | Effect::StopRecording => JobKind::None,
            Effect::GiveUp | Effect::Copy(_) | Effect::Suspend | Effect::Quit => JobKind::None,
        }
    }
}

/// Where a profile was opened from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFrom {
    /// The file as given on the command line, for commands that users can type; `None` for the bundled recording.
    pub file: Option<String>,
    /// The name of the file that stores notes on methods; `None` if the profile is not a file.
    pub notes_file: Option<String>,
    /// Whether that file exists, which means that the user has already agreed to it.
    pub are_notes_there: bool,
}

/// The outcome of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOutcome {
    /// The file name as requested.
    pub file: String,
    /// What happened.
    pub result: ExportResult,
}

/// The result of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportResult {
    Written {
        /// The full path.
        path: String,
        /// Its size.
        size_bytes: u64,
        /// The number of nodes in it.
        nodes: usize,
        /// How many occurrences of a method are merged in it, if all were requested.
        occurrences: Option<usize>,
    },
    Reported {
        /// The full path.
        path: String,
        /// Its size.
        size_bytes: u64,
        /// The estimated number of tokens.
        tokens: usize,
    },
    /// The file already exists; nothing was written.
    Exists,
    /// It failed, with a message.
    Failed(String),
}
