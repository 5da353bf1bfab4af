use super::QueryError;
use super::methods::frames_named;
use super::selection::node_named;
use crate::analysis::Pattern;
use crate::analysis::make::apply;
use crate::model::{Collapsible, FilterAction, GroupBy, Recursion, Step, TooLarge, View};
use crate::query::messages;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRequest {
    /// The option it came from, for error messages: `--focus` or `--step focus`.
    pub option: String,
    /// What it does: `drop`, `drop-node`, `focus`, `ignore`, `hide`, `show-from`, `fold-recursion`,
    /// `fold`, `group` or `inverted`.
    pub word: String,
    /// Its argument: a method, a node's id, a pattern or a keyword; empty for `inverted`.
    pub value: String,
}

pub const INVERTED: &str = "inverted";

impl StepRequest {
    pub fn parse(text: &str) -> Result<StepRequest, QueryError> {
        let (word, value) = match text.split_once(':') {
            Some((INVERTED, _)) => {
                let sentence = messages::step_takes_no_value(&text, &INVERTED);
                return Err(QueryError::usage(sentence));
            }
            Some(parts) => parts,
            None if text == INVERTED => (text, ""),
            None => {
                let error = QueryError::usage(messages::step_syntax(&text));
                return Err(error.advice(messages::step_words(&messages::STEP_WORDS)));
            }
        };
        Ok(StepRequest {
            option: format!("--step {word}"),
            word: word.into(),
            value: value.into(),
        })
    }

    pub fn is_display(&self) -> bool {
        self.word == "fold" || self.word == "group"
    }

    /// `None` for `fold:none`.
    fn step(&self, view: &View) -> Result<Option<Step>, QueryError> {
        let StepRequest {
            option,
            word,
            value,
        } = self;
        let mut actions = FilterAction::ALL.into_iter();
        if let Some(action) = actions.find(|action| action.name() == word) {
            let pattern = Pattern::new(value)
                .map_err(|reason| QueryError::usage(format!("{option} {value}: {reason}")))?;
            let needs_match = matches!(action, FilterAction::Focus | FilterAction::ShowFrom);
            if needs_match && !pattern.occurs(view) {
                return Err(QueryError::usage(messages::no_match(&option, &value)));
            }
            return Ok(Some(Step::Filter {
                action,
                pattern: value.clone(),
            }));
        }
        match word.as_str() {
            "drop" => {
                // by their labels in the view before the first step, since other steps may have dropped them
                let frames = frames_named(view.base(), option, value)?.into_iter();
                let keys = frames.map(|frame| view.frames.key(frame)).collect();
                Ok(Some(Step::Drop(keys)))
            }
            "drop-node" => {
                node_named(view.base(), option, value)?;
                let node = view.recording.node_labeled(value);
                Ok(node.map(|node| Step::DropNodes(vec![node])))
            }
            "fold-recursion" => {
                let recursion = self.one_of(&Recursion::ALL, Recursion::name, "")?;
                Ok(recursion.map(Step::CollapseRecursion))
            }
            "fold" => {
                let frames = self.one_of(&Collapsible::ALL, Collapsible::name, "none")?;
                Ok(frames.map(|frames| Step::Collapse {
                    frames,
                    opened: Vec::new(),
                }))
            }
            "group" => {
                let by = self.one_of(&GroupBy::ALL, GroupBy::name, "")?;
                Ok(by.map(|by| Step::Group {
                    by,
                    opened: Vec::new(),
                }))
            }
            INVERTED => Ok(Some(Step::Inverted)),
            _ => {
                let error = QueryError::usage(messages::no_such_step(&option));
                Err(error.advice(messages::step_words(&messages::STEP_WORDS)))
            }
        }
    }

    fn one_of<T: Copy>(
        &self,
        all: &[T],
        word: fn(T) -> &'static str,
        none: &str,
    ) -> Result<Option<T>, QueryError> {
        let StepRequest { option, value, .. } = self;
        if !none.is_empty() && value == none {
            return Ok(None);
        }
        let found = all.iter().copied().find(|&one| word(one) == value);
        found.map(Some).ok_or_else(|| {
            let words = all.iter().map(|&one| word(one));
            let words = words.chain((!none.is_empty()).then_some(none));
            let words = words.collect::<Vec<_>>().join(", ");
            QueryError::usage(messages::one_expected(&option, &value, &words))
        })
    }
}

pub fn apply_steps(view: View, requests: &[StepRequest]) -> Result<View, QueryError> {
    requests
        .iter()
        .try_fold(view, |view, request| match request.step(&view)? {
            Some(step) => apply(view, &step).map_err(|_| TooLarge.into()),
            None => Ok(view),
        })
}

#[cfg(test)]
mod tests;
