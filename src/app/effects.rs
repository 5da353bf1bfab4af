//! Effects: the work that the explorer requests from its environment, and the outcomes.

use super::butterfly_parts::{ButterflySubject, OpenedCallers};
use crate::model::{GroupBy, Measure, MethodKey, MetricId, NodeId, ViewSpec};
use crate::query::ReportForm;

/// A request to the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Sum the hotspots of a large subtree; answered with [`Message::Hotspots`](super::Message::Hotspots).
    Hotspots {
        /// The subtree.
        scope: NodeId,
        /// What they are ordered by.
        measure: Measure,
    },
    /// Search the methods; answered with [`Message::Found`](super::Message::Found).
    Search {
        /// What was typed.
        query: String,
        /// The metric by which equals are ordered.
        metric: MetricId,
    },
    /// Write a subtree to a file; answered with [`Message::Exported`](super::Message::Exported).
    Export {
        file: String,
        /// The subtree.
        node: NodeId,
        /// The subtree of which all occurrences of that node's method are taken, as one tree; `None` for that node alone.
        all_within: Option<NodeId>,
        /// The metric that becomes the nodes' times.
        metric: MetricId,
        /// Whether a file of this name may be replaced.
        overwrite: bool,
        /// The report on it that is written in place of all of it.
        report: Option<ReportOrder>,
    },
    /// Make a report; answered with [`Message::Reported`](super::Message::Reported).
    Report(ReportOrder, ReportUse),
    /// Keep a note on a method, an empty one takes it away; answered with [`Message::Noted`](super::Message::Noted) if it is written.
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
        /// Groups of methods that have a row each, in place of methods.
        group: Option<GroupBy>,
    },
    /// Find out what waits in a subtree; answered with [`Message::Waits`](super::Message::Waits).
    Waits(NodeId),
    /// Sum what is shown in a metric by time; answered with [`Message::Time`](super::Message::Time).
    Time(MetricId),
    /// Put the stacks of a lane in time order; answered with [`Message::Chart`](super::Message::Chart).
    Chart(ChartLane),
    /// Make a tree of callers; answered with [`Message::CallerTree`](super::Message::CallerTree).
    CallerTree(ButterflySubject),
    /// Make the callers of these rows of a tree of callers; answered with
    /// [`Message::Callers`](super::Message::Callers).
    OpenCallers {
        /// What it is about.
        subject: ButterflySubject,
        /// The rows, the one that is to be opened now last.
        opened: Vec<OpenedCallers>,
    },
    /// Make another view of the recording; answered with [`Message::Shown`](super::Message::Shown).
    Show(ViewSpec),
    /// Give up making another view.
    GiveUp,
    /// Rebuild what is shown from what was recorded meanwhile; answered with [`Message::Renewed`](super::Message::Renewed).
    Renew(RenewOrder),
    /// Stop the recording that is shown, or, if it is being stopped, give up what is still to come.
    StopRecording,
    /// Put text into the clipboard of the user's terminal.
    Copy(String),
    /// Leave the terminal to the shell for a while.
    Suspend,
    /// Leave.
    Quit,
}

/// What a flame chart is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartLane {
    /// The node of its first row.
    pub root: NodeId,
    /// The threads, as rows of [`crate::model::Recording::threads`].
    pub rows: Vec<usize>,
    pub metric: MetricId,
}

/// What is to be rebuilt when a recording has grown, besides the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewOrder {
    /// The subtree whose hotspots are shown.
    pub scope: NodeId,
    /// What they are ordered by.
    pub measure: Measure,
    /// The tree of callers that is shown, with the rows whose callers were opened.
    pub butterfly: Option<(ButterflySubject, Vec<OpenedCallers>)>,
}

/// A report on a subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportOrder {
    /// The file that was opened, as commands have it; `None` for the bundled recording.
    pub file: Option<String>,
    /// The subtree.
    pub node: NodeId,
    /// The subtree of which all occurrences of that node's method are taken as one; `None` for that node alone.
    pub all_within: Option<NodeId>,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<String>,
    /// Whether waiting counts; `None` where nobody chose.
    pub waiting: Option<bool>,
    /// How it is written.
    pub form: ReportForm,
    /// Maximum number of tokens.
    pub budget: usize,
}

/// What a report is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportUse {
    /// To say how large it is and what it explains, before it is written.
    Preview,
    /// To be copied.
    Clipboard,
}

/// What kind of work an effect asks for.
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
    /// What kind of work it asks for.
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
    /// The file as the command line has it, for commands that are to be typed; `None` for the bundled recording.
    pub file: Option<String>,
    /// The name of the file in which notes on methods are kept; `None` where the profile is no file.
    pub notes_file: Option<String>,
    /// Whether that file exists: then the user has agreed to it before.
    pub are_notes_there: bool,
}

/// What became of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOutcome {
    /// The file as it was asked for.
    pub file: String,
    /// What happened.
    pub result: ExportResult,
}

/// What became of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportResult {
    Written {
        /// Where, in full.
        path: String,
        /// How large it is.
        size_bytes: u64,
        /// How many nodes it holds.
        nodes: usize,
        /// How many occurrences of a method are one tree in it, if all were asked for.
        occurrences: Option<usize>,
    },
    Reported {
        /// Where, in full.
        path: String,
        /// How large it is.
        size_bytes: u64,
        /// How many tokens it has by estimate.
        tokens: usize,
    },
    /// The file exists already; nothing was written.
    Exists,
    /// It failed, with a sentence.
    Failed(String),
}
