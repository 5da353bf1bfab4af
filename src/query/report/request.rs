//! What is asked of a report, and what comes back.

use crate::model::NodeId;

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// Text for people and models.
    Markdown,
    /// The document `dotspot.report/1`.
    Json,
}

/// Which report is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ReportRequest<'a> {
    /// The file as the user named it, for its title and for the commands that say more.
    pub file: &'a str,
    /// The root of the part.
    pub within: NodeId,
    /// The name of the metric, unless it is the profile's first choice.
    pub metric: Option<&'a str>,
    /// Whether waiting counts, unless it is as [`View::measure`] has it.
    pub waiting: Option<bool>,
    /// A method: all its occurrences as one are the part.
    pub method: Option<&'a str>,
    /// The id of a node: its subtree is the part.
    pub node: Option<&'a str>,
    /// How many tokens it may have.
    pub budget: usize,
    /// How it is written.
    pub form: ReportForm,
    /// A question to put behind it: the name of one of [`QUESTIONS`](super::QUESTIONS), or a text.
    pub question: Option<&'a str>,
    /// Whether names are as they were recorded, in full.
    pub has_raw_names: bool,
}

/// A report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// All of it, with a line's end.
    pub text: String,
    /// How many tokens that has by estimate.
    pub tokens: usize,
}
