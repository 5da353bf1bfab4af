//! What is wrong with a JSON text, and where.

use crate::input::{Failure, ImportError, messages};
use crate::text::is_hostile;
use std::fmt;

/// What is wrong with a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// The input ends within the document; the offset is its length.
    Truncated,
    /// What is there is not what the grammar or the caller asks for.
    Unexpected {
        /// What was asked for, as a noun with its article.
        expected: &'static str,
        /// What is there instead, in the same form.
        found: String,
    },
    /// A string holds bytes that are not UTF-8; the offset is that of the first of them.
    NotUtf8,
    /// A string or a number is longer than any that a profile can need.
    TooLong { limit_bytes: usize },
    /// The system could not read on, and why.
    Unreadable(String),
    /// Someone asked the reader to stop.
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    problem: JsonProblem,
    offset: u64,
    member: Option<&'static str>,
}

/// Why a JSON text could not be read on. One pointer in size, so that results stay small on the hot path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError(Box<Body>);

impl JsonError {
    /// A problem at a byte of the input.
    #[cold]
    pub fn new(offset: u64, problem: JsonProblem) -> JsonError {
        JsonError(Box::new(Body {
            problem,
            offset,
            member: None,
        }))
    }

    /// There are more different stacks than a tree can hold.
    #[cold]
    pub fn tree_full(offset: u64) -> JsonError {
        let (expected, found) = (messages::FEWER_NODES, "more".into());
        JsonError::new(offset, JsonProblem::Unexpected { expected, found })
    }

    /// The byte of the input at which the problem was noticed.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    #[cfg(test)]
    pub fn problem(&self) -> &JsonProblem {
        &self.0.problem
    }

    /// Whether the input is merely truncated, so what was read up to there is good.
    pub fn is_truncated(&self) -> bool {
        self.0.problem == JsonProblem::Truncated
    }

    /// The same for people who know the file's name and the format's title.
    pub fn into_import_error(self, file: &str, title: &str) -> ImportError {
        let Body {
            problem,
            offset,
            member,
        } = *self.0;
        let advice = match &problem {
            JsonProblem::Cancelled => return ImportError::Cancelled,
            JsonProblem::Truncated => messages::FILE_INCOMPLETE,
            JsonProblem::NotUtf8 => messages::CONVERT_TO_UTF8,
            JsonProblem::Unreadable(_) => messages::CHECK_DISK,
            JsonProblem::Unexpected { .. } | JsonProblem::TooLong { .. } => {
                messages::DAMAGED_OR_NOT_THIS_FORMAT
            }
        };
        let place = match member {
            Some(member) => format!("{title}, member `{member}`"),
            None => title.to_string(),
        };
        Failure::new(file, place, problem.to_string())
            .at(offset)
            .advice(advice)
            .into()
    }
}

/// Names the member in whose value an error happened; the innermost one that was named stays.
pub fn in_member(name: &'static str) -> impl Fn(JsonError) -> JsonError {
    move |mut error| {
        error.0.member.get_or_insert(name);
        error
    }
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonProblem::Truncated => write!(f, "{}", messages::FILE_BREAKS_OFF_HERE),
            JsonProblem::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            JsonProblem::NotUtf8 => write!(f, "{}", messages::NOT_UTF8),
            JsonProblem::TooLong { limit_bytes } => {
                write!(f, "{}", messages::too_long_token(&limit_bytes))
            }
            JsonProblem::Unreadable(reason) => write!(f, "{}", messages::cant_read_on(&reason)),
            JsonProblem::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.0.offset, self.0.problem)
    }
}

impl std::error::Error for JsonError {}

/// What a byte is, in words: the value that it starts, or itself.
pub(super) fn describe(byte: u8) -> String {
    match byte {
        b'{' => "an object".into(),
        b'[' => "an array".into(),
        b'"' => "a string".into(),
        b'-' | b'0'..=b'9' => "a number".into(),
        b't' | b'f' => "a truth value".into(),
        b'n' => "null".into(),
        other => describe_byte(other),
    }
}

/// A byte by itself, in words.
pub(super) fn describe_byte(byte: u8) -> String {
    match char::from(byte) {
        c if c.is_ascii() && !is_hostile(c) => format!("`{c}`"),
        _ => format!("the byte {byte:#04x}"),
    }
}
