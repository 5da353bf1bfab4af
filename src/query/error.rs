use crate::model::TooLarge;
use crate::query::messages;
use std::fmt;

/// Why a query failed: a sentence that starts with the option or request member at fault, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// Without a leading capital or a full stop.
    pub sentence: String,
    pub advice: String,
    /// The request is all right, but a tree can't be built.
    pub is_too_large: bool,
}

impl QueryError {
    /// The request can't be met as it is.
    pub fn usage(sentence: impl Into<String>) -> QueryError {
        QueryError {
            sentence: sentence.into(),
            advice: String::new(),
            is_too_large: false,
        }
    }

    pub(super) fn not_in_part(option: &str, method: &str) -> QueryError {
        QueryError::usage(messages::method_not_in_part(&option, &method))
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
        QueryError {
            is_too_large: true,
            ..QueryError::usage(messages::TREE_TOO_LARGE)
        }
    }
}
