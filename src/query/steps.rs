//! The steps that a command line asks for.

use super::QueryError;
use super::methods::frames_named;
use super::selection::node_named;
use super::threads::TOO_LARGE;
use crate::analysis::Pattern;
use crate::analysis::make::apply;
use crate::model::{Collapsible, FilterAction, GroupBy, Recursion, Step, View};
use crate::query::messages;

/// A step in the words of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRequest {
    /// The option that asked for it, for sentences.
    pub option: String,
    /// What it does: `drop`, `drop-node`, `focus`, `ignore`, `hide`, `show-from`, `fold-recursion`, `fold`, `group` or `inverted`.
    pub word: String,
    /// To what: a method, a node's id, a pattern or one of a few words; nothing for `inverted`.
    pub value: String,
}

/// The word of the step that turns the tree over, which has no value.
pub const INVERTED: &str = "inverted";

/// The words of steps, in the order in which named flags act.
const WORDS: &str = messages::STEP_WORDS;

impl StepRequest {
    /// That of `--step`: a word, a colon, a value; or [`INVERTED`].
    ///
    /// # Errors
    /// There is no colon, or one that doesn't belong there.
    pub fn parse(text: &str) -> Result<StepRequest, QueryError> {
        let (word, value) = match text.split_once(':') {
            Some((INVERTED, _)) => {
                return Err(QueryError::usage(messages::step_takes_no_value(
                    &text, &INVERTED,
                )));
            }
            Some(spelt) => spelt,
            None if text == INVERTED => (text, ""),
            None => {
                let error = QueryError::usage(messages::step_syntax(&text));
                return Err(error.advice(messages::step_words(&WORDS)));
            }
        };
        Ok(StepRequest {
            option: "--step".into(),
            word: word.into(),
            value: value.into(),
        })
    }

    /// Whether it only shows runs of frames as one row.
    pub fn is_display(&self) -> bool {
        self.word == "fold" || self.word == "group"
    }

    /// The step that it means in a view; none for `fold:none`.
    ///
    /// # Errors
    /// There is no such step, method, node or group, or the pattern is invalid.
    fn step(&self, view: &View) -> Result<Option<Step>, QueryError> {
        let StepRequest {
            option,
            word,
            value,
        } = self;
        if let Some(action) = FilterAction::ALL
            .into_iter()
            .find(|action| action.word() == word)
        {
            let checked = Pattern::new(value).map(|_| {
                Some(Step::Filter {
                    action,
                    pattern: value.clone(),
                })
            });
            return checked
                .map_err(|reason| QueryError::usage(format!("{option} {value}: {reason}")));
        }
        match word.as_str() {
            "drop" => {
                // by their labels in the view of the first step, as later steps may have dropped them
                let frames = frames_named(view.base(), option, value)?;
                Ok(Some(Step::Drop(
                    frames
                        .into_iter()
                        .map(|frame| view.frames.key(frame))
                        .collect(),
                )))
            }
            "drop-node" => {
                node_named(view.base(), option, value)?;
                Ok(Some(Step::DropNode(value.clone())))
            }
            "fold-recursion" => {
                let recursion = self.one_of(&Recursion::ALL, Recursion::word, "")?;
                Ok(recursion.map(Step::CollapseRecursion))
            }
            "fold" => {
                let frames = self.one_of(&Collapsible::ALL, Collapsible::word, "none")?;
                Ok(frames.map(|frames| Step::Collapse {
                    frames,
                    opened: Vec::new(),
                }))
            }
            "group" => {
                let by = self.one_of(&GroupBy::ALL, GroupBy::word, "")?;
                Ok(by.map(|by| Step::Group {
                    by,
                    opened: Vec::new(),
                }))
            }
            INVERTED => Ok(Some(Step::Inverted)),
            other => {
                let error = QueryError::usage(messages::no_such_step(&option, &other));
                Err(error.advice(messages::step_words(&WORDS)))
            }
        }
    }

    /// The choice with this name, or `None` for the word that means none.
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
            let words = all
                .iter()
                .map(|&one| word(one))
                .chain((!none.is_empty()).then_some(none));
            let words = words.collect::<Vec<_>>().join(", ");
            QueryError::usage(messages::one_expected(&option, &value, &words))
        })
    }
}

/// What these steps make of a view, one after the other.
///
/// # Errors
/// A step means nothing there; the tree got too large.
pub fn stepped(view: View, requests: &[StepRequest]) -> Result<View, QueryError> {
    requests
        .iter()
        .try_fold(view, |view, request| match request.step(&view)? {
            Some(step) => apply(view, &step).map_err(|_| QueryError::too_large(TOO_LARGE)),
            None => Ok(view),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    /// What the steps of `--step` show, or what is wrong with them.
    #[track_caller]
    fn check(steps: &[&str], expect: Result<&[&str], &str>) {
        let view = profile_of("T;Acme.Book.Match;Acme.Book.Add 3|T;Acme.Pool.Rent 1");
        let requests: Result<Vec<_>, _> =
            steps.iter().map(|step| StepRequest::parse(step)).collect();
        let words = requests
            .and_then(|requests| stepped(view, &requests))
            .map(|view| view.steps.words(&view.recording));
        let expect = expect.map(|words| {
            words
                .iter()
                .map(|word| word.to_string())
                .collect::<Vec<_>>()
        });
        assert_eq!(
            words.map_err(|error| error.to_string()),
            expect.map_err(String::from),
            "{steps:?}"
        );
    }

    #[test]
    fn steps_are_asked_for_in_words() {
        check(
            &["drop:Rent", "fold:system"],
            Ok(&["without Pool.Rent", "fold system"]),
        );
        check(
            &["fold:none", "hide:Ma.ch", "group:type"],
            Ok(&["hide /Ma.ch/", "by type"]),
        );
        check(
            &["show-from:a", "fold-recursion:all"],
            Ok(&["show-from /a/", "fold recursion"]),
        );
        check(
            &["inverted", "drop:Rent"],
            Ok(&["inverted", "without Pool.Rent"]),
        );
        check(&["drop-node:n2"], Ok(&["without Book.Match n2"]));
        check(&["drop:Book.*"], Ok(&["without 2 methods of Book"]));
        // the second time there is nothing left, which is no mistake
        check(&["drop:Match", "drop:Match"], Ok(&["without Book.Match"]));
    }

    #[test]
    fn methods_that_are_named_as_one_are_one_step() {
        const STACKS: &str = "T;M!Acme.Book.Add(int32);M!Acme.Book.Add(char) 4|T;M!Acme.Pool.Add() 2|T;M!Acme.Book.Cut() 1";
        #[track_caller]
        fn check(name: &str, words: &str, flags: &[&str]) {
            let drop = |name: &str| StepRequest::parse(&format!("drop:{name}")).unwrap();
            let view = stepped(profile_of(STACKS), &[drop(name)]).unwrap();
            assert_eq!(view.steps.words(&view.recording), [words]);
            let made = view.steps.flags(&view.recording).flags;
            assert_eq!(
                made,
                flags
                    .iter()
                    .flat_map(|flag| ["--drop", flag])
                    .collect::<Vec<_>>()
            );
            // which make the same tree, one by one
            let again = stepped(
                profile_of(STACKS),
                &flags.iter().map(|flag| drop(flag)).collect::<Vec<_>>(),
            )
            .unwrap();
            assert_eq!(again.tree, view.tree);
        }
        let [int, char] = ["M!Acme.Book.Add(int32)", "M!Acme.Book.Add(char)"];
        check("Book.Add", "without Book.Add", &[int, char]);
        check("Book.Add(Int32)", "without Book.Add(Int32)", &[int]);
        check(
            "Book.*",
            "without 3 methods of Book",
            &[int, char, "M!Acme.Book.Cut()"],
        );
    }

    #[test]
    fn what_is_wrong_with_a_step_is_said() {
        check(
            &["fold:all"],
            Err("--step all: one of plumbing, system, none is expected"),
        );
        check(
            &["drop"],
            Err(
                "--step drop: a word, a colon and a value are expected; the words are drop, drop-node, focus, ignore, hide, \
                 show-from, fold-recursion, fold and group",
            ),
        );
        check(
            &["keep:x"],
            Err(
                "--step keep: there is no such step; the words are drop, drop-node, focus, ignore, hide, show-from, \
                 fold-recursion, fold and group",
            ),
        );
        check(
            &["inverted:x"],
            Err("--step inverted:x: inverted takes no value"),
        );
        check(&["focus:(a"], Err("--step (a: unclosed group"));
        check(
            &["focus:(a{1000}){1000}"],
            Err("--step (a{1000}){1000}: the pattern is too large"),
        );
        check(
            &["drop-node:n77"],
            Err("--step n77: this profile has no such node; `dotspot tree --json` lists them"),
        );
    }
}
