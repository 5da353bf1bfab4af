//! Reports for prompts: the best explanation of a part that fits a token budget, with a summary of what was left out.

mod callers;
mod conditions;
mod contents;
mod document;
mod markdown;
mod plan;
mod questions;
mod request;
mod rows;

pub use conditions::processors;
pub use contents::FACTS;
#[cfg(feature = "mcp")]
pub use questions::QUESTIONS;
pub use request::{Report, ReportAbout, ReportForm, ReportRequest};

use super::selection::node_named;
use super::{QueryError, frames_named};
use crate::analysis::{occurrences_within, outermost_occurrences};
use crate::model::{NodeId, View};
use crate::query::messages;
use crate::text::tokens;
use crate::units::thousands;
use contents::{Contents, Subject};
use document::ReportDocument;
use plan::{Plan, Section};
use rows::RowChoice;

/// The best explanation of a part that fits the budget. Expected O(nodes of the part + frames).
pub fn report(view: &View, request: &ReportRequest) -> Result<Report, QueryError> {
    let subject = subject(view, request)?;
    let measure = request.part.measure(view)?;
    let measure = match subject.roots[..] {
        [root] => request.part.below(view, root, measure),
        _ => measure,
    };
    let contents = Contents::new(view, measure, subject, request);
    let choice = RowChoice::new(&contents);
    let written = |plan: &Plan| {
        let document = ReportDocument::new(&contents, &choice, plan);
        match request.form {
            ReportForm::Markdown => {
                markdown::written(&contents, &document, plan.of(Section::Explanations) > 0)
            }
            ReportForm::Json => json(&document),
        }
    };
    let cost = |plan: &Plan| tokens(&written(plan));
    let plan = plan::fitted(&contents, &choice, request.budget, cost).map_err(|least| {
        let [budget, least] =
            [request.budget, least.next_multiple_of(10)].map(|tokens| thousands(tokens as u64));
        QueryError::usage(messages::budget_too_small(&budget, &least))
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
        ReportAbout::Everything => (vec![within], None, None),
        ReportAbout::Node(label) => {
            let node = node_named(view, "--node", label)?;
            (vec![node], None, Some(node))
        }
        ReportAbout::Method(name) => {
            let frames = frames_named(view, "--method", name)?;
            let roots = outermost_occurrences(view, within, &frames);
            if roots.is_empty() {
                return Err(QueryError::not_in_part("--method", name));
            }
            let count = |&frame| occurrences_within(view, within, frame).len();
            (roots, Some(frames.iter().map(count).sum()), None)
        }
        ReportAbout::Subtrees(&[NodeId::ROOT], _) => (vec![NodeId::ROOT], None, None),
        ReportAbout::Subtrees(&[node], None) => (vec![node], None, Some(node)),
        ReportAbout::Subtrees(roots, occurrences) => (roots.to_vec(), occurrences, None),
    };
    Ok(Subject {
        roots,
        occurrences,
        node,
    })
}

/// A document on one line, with a newline at the end: spaces cost tokens.
fn json(document: &ReportDocument) -> String {
    // numbers and strings always serialize
    serde_json::to_string(document).map_or(String::new(), |text| text + "\n")
}
