//! Prompts: the built-in questions about a profile, or about two.

use crate::mcp::messages;
use crate::query::QUESTIONS;
use rmcp::model::{Prompt, PromptArgument};
use serde_json::{Map, Value};

const OF_TWO: &str = "compare-with";

pub(super) fn list() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_required(true);
    let prompt = |(name, question): &(&str, &str)| {
        let before = (*name == OF_TWO).then(|| argument("before"));
        let arguments = before.into_iter().chain([argument("profile")]).collect();
        Prompt::new(
            *name,
            question.trim().split_inclusive(['.', '?']).next(),
            Some(arguments),
        )
    };
    QUESTIONS.iter().map(prompt).collect()
}

pub(super) fn text(name: &str, given: &Map<String, Value>) -> Option<String> {
    let (_, question) = QUESTIONS.iter().find(|(known, _)| *known == name)?;
    let file = |what| given.get(what).and_then(Value::as_str).unwrap_or(what);
    let (profile, question) = (file("profile"), question.trim());
    Some(match name {
        OF_TWO => messages::prompt_of_two(&file("before"), &profile, &question),
        _ => messages::prompt_of_one(&profile, &question),
    })
}
