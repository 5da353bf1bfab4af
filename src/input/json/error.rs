use crate::input::{Failure, ImportError, messages};
use crate::text::is_hostile;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// The input ends within the document, at the offset.
    Truncated,
    Unexpected {
        expected: &'static str,
        found: String,
    },
    /// The offset is that of the first invalid byte.
    NotUtf8,
    TooLong {
        limit_bytes: usize,
    },
    Unreadable(String),
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    problem: JsonProblem,
    offset: u64,
    member: Option<&'static str>,
}

/// As small as a pointer, which keeps results small on the hot path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError(Box<Body>);

impl JsonError {
    #[cold]
    pub fn new(offset: u64, problem: JsonProblem) -> JsonError {
        JsonError(Box::new(Body {
            problem,
            offset,
            member: None,
        }))
    }

    #[cold]
    pub fn tree_full(offset: u64) -> JsonError {
        let (expected, found) = (messages::FEWER_NODES, "more".into());
        JsonError::new(offset, JsonProblem::Unexpected { expected, found })
    }

    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    #[cfg(test)]
    pub fn problem(&self) -> &JsonProblem {
        &self.0.problem
    }

    /// Whether the input merely ends early, so that everything before is valid.
    pub fn is_truncated(&self) -> bool {
        self.0.problem == JsonProblem::Truncated
    }

    /// Where a truncated document ends unexpectedly, if what was read `is_useful`; any other error is returned.
    pub fn unexpected_end(
        read: Result<(), JsonError>,
        is_useful: bool,
        file: &str,
        title: &str,
    ) -> Result<Option<u64>, ImportError> {
        match read {
            Ok(()) => Ok(None),
            Err(error) if is_useful && error.is_truncated() => Ok(Some(error.offset())),
            Err(error) => Err(error.into_import_error(file, title)),
        }
    }

    pub fn into_import_error(self, file: &str, title: &str) -> ImportError {
        let advice = match &self.0.problem {
            JsonProblem::Cancelled => return ImportError::Cancelled,
            JsonProblem::Truncated => messages::FILE_INCOMPLETE,
            JsonProblem::NotUtf8 => messages::CONVERT_TO_UTF8,
            JsonProblem::Unreadable(_) => messages::CHECK_DISK,
            JsonProblem::Unexpected { .. } | JsonProblem::TooLong { .. } => {
                messages::DAMAGED_OR_NOT_THIS_FORMAT
            }
        };
        let place = match self.0.member {
            Some(member) => format!("{title}, member `{member}`"),
            None => title.to_string(),
        };
        let failure = Failure::new(file, place, self.0.problem.to_string());
        failure.at(self.0.offset).advice(advice).into()
    }
}

/// Names the member whose value has the error; the innermost name stays.
pub fn in_member(name: &'static str) -> impl Fn(JsonError) -> JsonError {
    move |mut error| {
        error.0.member.get_or_insert(name);
        error
    }
}

impl fmt::Display for JsonProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JsonProblem::Truncated => f.write_str(messages::FILE_ENDS_HERE),
            JsonProblem::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            JsonProblem::NotUtf8 => f.write_str(messages::NOT_UTF8),
            JsonProblem::TooLong { limit_bytes } => {
                f.write_str(&messages::too_long_token(limit_bytes))
            }
            JsonProblem::Unreadable(reason) => {
                f.write_str(&messages::cant_continue_reading(reason))
            }
            JsonProblem::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.0.offset, self.0.problem)
    }
}

impl std::error::Error for JsonError {}

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

pub(super) fn describe_byte(byte: u8) -> String {
    match char::from(byte) {
        c if c.is_ascii() && !is_hostile(c) => format!("`{c}`"),
        _ => format!("the byte {byte:#04x}"),
    }
}
