//! The parameters and the result of a report.

use crate::model::NodeId;
use crate::query::PartRequest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    Markdown,
    /// The document `dotspot.report/1`.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportAbout<'a> {
    Everything,
    /// All occurrences of a method as one.
    Method(&'a str),
    /// The subtree of the node with this id.
    Node(&'a str),
    /// Subtrees whose roots are known, disjoint and ascending; and of how many occurrences of a method they are, if they are that.
    Subtrees(&'a [NodeId], Option<usize>),
}

impl<'a> ReportAbout<'a> {
    /// A method or a node, if one is named.
    pub fn named(method: Option<&'a str>, node: Option<&'a str>) -> ReportAbout<'a> {
        match (method, node) {
            (Some(method), _) => ReportAbout::Method(method),
            (None, Some(node)) => ReportAbout::Node(node),
            (None, None) => ReportAbout::Everything,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ReportRequest<'a> {
    /// The file as the user named it, for its title and for the commands that say more.
    pub file: &'a str,
    pub part: PartRequest<'a>,
    /// What of it the report is about.
    pub about: ReportAbout<'a>,
    /// Maximum number of tokens.
    pub budget: usize,
    pub form: ReportForm,
    /// A question to put after it: the name of one of [`QUESTIONS`](super::questions::QUESTIONS), or a text.
    pub question: Option<&'a str>,
    /// Whether names are as they were recorded, in full.
    pub has_raw_names: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// All of it, with a line's end.
    pub text: String,
    /// How many tokens that has by estimate, hardly ever less than it really has.
    pub tokens: usize,
    /// The own time of the methods in the rows of its tree, in percent of what counts of the part.
    pub explained_percent: f64,
}
