//! Diagnostics about files that other programs converted from a recording.

use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// What is wrong with the lines of a text that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineFault {
    /// They are no lines of the format.
    Unreadable,
    /// They have no stack and weight.
    NoStackAndWeight,
}

/// The formats whose units can be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownUnit {
    /// speedscope: the values are plain numbers.
    ShownAsNumbers,
    /// Call-tree JSON: the values are times.
    ReadAsMilliseconds,
}

/// What is odd about a file that another program has made of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum FileDiagnostic {
    /// Lines are left out.
    LinesLeftOut {
        /// How many.
        lines: u64,
        /// Why.
        fault: LineFault,
        /// The number of the first, from 1 on.
        first_line: u64,
        text: String,
    },
    /// Weights have decimals, so that values are given in parts.
    WeightsInParts {
        /// How many parts make 1 of the file.
        parts: u64,
    },
    /// Samples have more values than are read.
    MetricsLeftOut {
        /// How many they have.
        values: usize,
        read: usize,
    },
    /// The unit is not known.
    UnitUnknown {
        unit: String,
        /// What becomes of the values.
        values: UnknownUnit,
    },
    /// Other formats fit the file as well.
    FormatUncertain {
        /// The name of the format that was taken.
        format: String,
        /// What that is.
        #[serde(skip)]
        title: String,
        /// The names of the others.
        others: Vec<String>,
    },
    /// The notes on methods beside the profile can't be read.
    NotesUnread {
        /// The file with the notes.
        file: String,
        /// Why.
        reason: String,
    },
}

impl FileDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            FileDiagnostic::LinesLeftOut { .. } => "lines-left-out",
            FileDiagnostic::WeightsInParts { .. } => "weights-in-parts",
            FileDiagnostic::MetricsLeftOut { .. } => "metrics-left-out",
            FileDiagnostic::UnitUnknown { .. } => "unit-unknown",
            FileDiagnostic::FormatUncertain { .. } => "format-uncertain",
            FileDiagnostic::NotesUnread { .. } => "notes-unread",
        }
    }
}

impl fmt::Display for FileDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileDiagnostic::LinesLeftOut {
                lines,
                fault,
                first_line,
                text,
            } => {
                let lines = counted(*lines, "line");
                let fault = match fault {
                    LineFault::Unreadable => "could not be read and",
                    LineFault::NoStackAndWeight => "without a stack and a weight",
                };
                write!(
                    f,
                    "{lines} {fault} had to be left out, the first is line {first_line}: {text:?}"
                )
            }
            FileDiagnostic::WeightsInParts { parts } => {
                let parts = thousands(*parts);
                write!(
                    f,
                    "the file has weights with decimals, and trees have whole numbers: all values are given in 1/{parts}, so \
                     that {parts} is 1 of the file"
                )
            }
            FileDiagnostic::MetricsLeftOut { values, read } => {
                write!(
                    f,
                    "The samples have {values} values each, of which the first {read} are read."
                )
            }
            FileDiagnostic::UnitUnknown { unit, values } => match values {
                UnknownUnit::ShownAsNumbers => write!(
                    f,
                    "The unit {unit:?} is not one that the format knows, so its values are shown as plain numbers."
                ),
                UnknownUnit::ReadAsMilliseconds => write!(
                    f,
                    "the file gives times in the unknown unit `{unit}`: they are read as milliseconds"
                ),
            },
            FileDiagnostic::FormatUncertain {
                format,
                title,
                others,
            } => {
                let others = others.join(" or --format ");
                write!(
                    f,
                    "the file was read as {title} ({format}), and --format {others} may fit as well"
                )
            }
            FileDiagnostic::NotesUnread { file, reason } => {
                write!(f, "the notes on methods in {file} are not shown: {reason}")
            }
        }
    }
}
