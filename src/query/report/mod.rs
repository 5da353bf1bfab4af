//! Reports for prompts: the best explanation of a part that fits a token budget, with a summary of what was left out.

mod callers;
mod conditions;
mod contents;
mod document;
mod markdown;
mod plan;
mod rows;
mod selected;

pub use contents::FACTS;

use super::selection::node_named;
use super::{PartRequest, QueryError, frames_named};
use crate::analysis::{occurrences_within, outermost_occurrences};
use crate::model::{NodeId, View};
use crate::query::messages;
use crate::text::tokens;
use crate::units::thousands;
use contents::{Contents, Subject};
use plan::{Plan, Section};
use rows::RowChoice;
use selected::Selected;

/// Sums of omitted rows below this percentage are not mentioned: they would read 0.0 %.
const MIN_REPORTED_PERCENT: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    Markdown,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportSubject<'a> {
    Everything,
    Method(&'a str),
    Node(&'a str),
    /// Known disjoint subtrees by root, ascending; and for a method, its number of occurrences.
    Subtrees(&'a [NodeId], Option<usize>),
}

impl<'a> ReportSubject<'a> {
    pub fn named(method: Option<&'a str>, node: Option<&'a str>) -> ReportSubject<'a> {
        match (method, node) {
            (Some(method), _) => ReportSubject::Method(method),
            (None, Some(node)) => ReportSubject::Node(node),
            (None, None) => ReportSubject::Everything,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ReportRequest<'a> {
    pub file: &'a str,
    pub part: PartRequest<'a>,
    pub about: ReportSubject<'a>,
    pub budget: usize,
    /// What other text takes of the budget.
    pub spent: usize,
    pub form: ReportForm,
    /// The name of one of the [`QUESTIONS`], or a question.
    pub question: Option<&'a str>,
    pub has_raw_names: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub text: String,
    /// The estimated number of tokens, rarely below the actual one.
    pub tokens: usize,
    pub explained_percent: f64,
}

const FIND_BOTTLENECK: &str = include_str!("../../../assets/prompts/find-bottleneck.md");
const EXPLAIN: &str = include_str!("../../../assets/prompts/explain.md");
const COMPARE_WITH: &str = include_str!("../../../assets/prompts/compare-with.md");

pub const QUESTIONS: [(&str, &str); 3] = [
    ("find-bottleneck", FIND_BOTTLENECK),
    ("explain", EXPLAIN),
    ("compare-with", COMPARE_WITH),
];

fn question_text(question: &str) -> &str {
    let known = QUESTIONS.iter().find(|(name, _)| *name == question);
    known.map_or(question, |(_, text)| text).trim()
}

pub fn report(view: &View, request: &ReportRequest) -> Result<Report, QueryError> {
    let whole_budget = request.budget;
    let request = &ReportRequest {
        budget: whole_budget.saturating_sub(request.spent),
        ..*request
    };
    let subject = subject(view, request)?;
    let measure = request.part.measure(view)?;
    let measure = match subject.roots[..] {
        [root] => request.part.below(view, root, measure),
        _ => measure,
    };
    let contents = Contents::new(view, measure, subject, request);
    let choice = RowChoice::new(&contents);
    let written = |plan: &Plan| {
        let selected = Selected {
            contents: &contents,
            choice: &choice,
            plan,
        };
        match request.form {
            ReportForm::Markdown => markdown::written(&selected),
            // numbers and strings always serialize
            ReportForm::Json => serde_json::to_string(&document::document(&selected))
                .map_or(String::new(), |text| text + "\n"),
        }
    };
    let cost = |plan: &Plan| tokens(&written(plan));
    let plan = plan::fitted(&contents, &choice, request.budget, cost).map_err(|min_budget| {
        let needed = (request.spent + min_budget).next_multiple_of(10);
        let [budget, min_budget] = [whole_budget, needed].map(|tokens| thousands(tokens as u64));
        QueryError::usage(messages::budget_too_small(&budget, &min_budget))
    })?;
    let text = written(&plan);
    let explained_percent = contents.percent(choice.explained(&contents, plan.of(Section::Tree)));
    Ok(Report {
        tokens: tokens(&text),
        text,
        explained_percent,
    })
}

fn subject(view: &View, request: &ReportRequest) -> Result<Subject, QueryError> {
    let within = request.part.within;
    let (roots, occurrences, node) = match request.about {
        ReportSubject::Everything => (vec![within], None, None),
        ReportSubject::Node(label) => {
            let node = node_named(view, "--node", label)?;
            (vec![node], None, Some(node))
        }
        ReportSubject::Method(name) => {
            let frames = frames_named(view, "--method", name)?;
            let roots = outermost_occurrences(view, within, &frames);
            if roots.is_empty() {
                return Err(QueryError::not_in_part("--method", name));
            }
            let count = |&frame| occurrences_within(view, within, frame).len();
            (roots, Some(frames.iter().map(count).sum()), None)
        }
        ReportSubject::Subtrees(&[NodeId::ROOT], _) => (vec![NodeId::ROOT], None, None),
        ReportSubject::Subtrees(&[node], None) => (vec![node], None, Some(node)),
        ReportSubject::Subtrees(roots, occurrences) => (roots.to_vec(), occurrences, None),
    };
    Ok(Subject {
        roots,
        occurrences,
        node,
    })
}
