use crate::model::TooLarge;
use crate::query::messages;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryErrorKind {
    Usage,
    NotFound,
    TooLarge,
}

/// Why a query failed: a sentence that starts with the option or request member at fault, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    pub kind: QueryErrorKind,
    /// Without a leading capital or a full stop.
    pub sentence: String,
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

    pub(super) fn not_in_part(option: &str, method: &str) -> QueryError {
        QueryError::not_found(messages::method_not_in_part(&option, &method))
    }

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

impl From<TooLarge> for QueryError {
    fn from(_: TooLarge) -> QueryError {
        QueryError::new(QueryErrorKind::TooLarge, messages::TREE_TOO_LARGE)
    }
}
