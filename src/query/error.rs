//! Query errors.

use crate::query::messages;
use std::fmt;

/// What is wrong with a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// It is not asked as it should be.
    Usage,
    /// It is about something that the profile does not have.
    NotFound,
    /// Its answer has more than can be held.
    TooLarge,
}

/// Why a question has no answer: a sentence that starts with the option or the member of the request that it is about, and what
/// may help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub kind: QueryErrorKind,
    /// The sentence, without its capital letter and full stop.
    pub sentence: String,
    /// What to do, or what there is instead; a clause, empty if there is nothing to say.
    pub advice: String,
}

impl QueryError {
    fn new(kind: QueryErrorKind, sentence: impl Into<String>) -> QueryError {
        QueryError {
            kind,
            sentence: sentence.into(),
            advice: String::new(),
        }
    }

    pub fn usage(sentence: impl Into<String>) -> QueryError {
        QueryError::new(QueryErrorKind::Usage, sentence)
    }

    pub(super) fn not_found(sentence: impl Into<String>) -> QueryError {
        QueryError::new(QueryErrorKind::NotFound, sentence)
    }

    /// The method that `option` names is not in the part that is asked about.
    pub(super) fn not_in_part(option: &str, method: &str) -> QueryError {
        QueryError::not_found(messages::method_not_in_part(&option, &method))
    }

    /// An answer with more than can be held.
    pub fn too_large(sentence: impl Into<String>) -> QueryError {
        QueryError::new(QueryErrorKind::TooLarge, sentence)
    }

    /// Sets what may help.
    #[must_use]
    pub fn advice(self, advice: impl Into<String>) -> QueryError {
        QueryError {
            advice: advice.into(),
            ..self
        }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        if !self.advice.is_empty() {
            write!(f, "; {}", self.advice)?;
        }
        Ok(())
    }
}

impl std::error::Error for QueryError {}
