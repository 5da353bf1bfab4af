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
    /// All occurrences of a method, merged.
    Method(&'a str),
    /// The subtree of the node with this id.
    Node(&'a str),
    /// Known disjoint subtrees by root, ascending; and for a method, its number of occurrences.
    Subtrees(&'a [NodeId], Option<usize>),
}

impl<'a> ReportAbout<'a> {
    /// The method or node, if one is named.
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
    /// The file name that the user gave, for the title and suggested commands.
    pub file: &'a str,
    pub part: PartRequest<'a>,
    /// The subject of the report.
    pub about: ReportAbout<'a>,
    /// The maximum number of tokens.
    pub budget: usize,
    pub form: ReportForm,
    /// A question to end with: the name of one of [`QUESTIONS`](super::questions::QUESTIONS), or its text.
    pub question: Option<&'a str>,
    /// Whether to use raw names.
    pub has_raw_names: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The whole text, with a newline at the end.
    pub text: String,
    /// The estimated number of tokens, rarely below the actual one.
    pub tokens: usize,
    /// The own value of the methods in the tree's rows, in percent of the part's value that counts.
    pub explained_percent: f64,
}
