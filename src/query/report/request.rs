//! The parameters and the result of a report.

use crate::model::NodeId;
use crate::query::PartRequest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    Markdown,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportAbout<'a> {
    Everything,
    /// All occurrences of a method, merged.
    Method(&'a str),
    Node(&'a str),
    /// Known disjoint subtrees by root, ascending; and for a method, its number of occurrences.
    Subtrees(&'a [NodeId], Option<usize>),
}

impl<'a> ReportAbout<'a> {
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
    pub about: ReportAbout<'a>,
    pub budget: usize,
    pub form: ReportForm,
    /// One of [`QUESTIONS`](super::questions::QUESTIONS), or its own text.
    pub question: Option<&'a str>,
    pub has_raw_names: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The whole text, with a newline at the end.
    pub text: String,
    /// The estimated number of tokens, rarely below the actual one.
    pub tokens: usize,
    /// In percent of the part's value that counts.
    pub explained_percent: f64,
}
