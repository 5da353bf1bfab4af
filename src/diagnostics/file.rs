//! Diagnostics about files that other programs converted from a recording.

use super::define::diagnostics;
use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// What is wrong with the lines of a text that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineFault {
    /// They are no lines of the format.
    Unreadable,
    /// They have no stack and weight.
    NoStackAndWeight,
}

impl LineFault {
    fn words(self) -> &'static str {
        match self {
            LineFault::Unreadable => "could not be read and",
            LineFault::NoStackAndWeight => "without a stack and a weight",
        }
    }
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

impl UnknownUnit {
    fn sentence(self, unit: &str) -> String {
        match self {
            UnknownUnit::ShownAsNumbers => format!(
                "The unit {unit:?} is not one that the format knows, so its values are shown as plain numbers."
            ),
            UnknownUnit::ReadAsMilliseconds => format!(
                "the file gives times in the unknown unit `{unit}`: they are read as milliseconds"
            ),
        }
    }
}

diagnostics! {
    /// What is odd about a file that another program has made of a recording.
    pub enum FileDiagnostic {
        /// Lines are left out.
        LinesLeftOut {
            lines: u64,
            fault: LineFault,
            /// The number of the first, from 1 on.
            first_line: u64,
            text: String,
        } = "lines-left-out",
            "{} {} had to be left out, the first is line {first_line}: {text:?}",
            counted(*lines, "line"), fault.words();
        /// Weights have decimals, so that values are given in parts.
        WeightsInParts {
            /// How many parts make 1 of the file.
            parts: u64,
        } = "weights-in-parts",
            "the file has weights with decimals, and trees have whole numbers: all values are given in 1/{0}, so that {0} is 1 of the file",
            thousands(*parts);
        /// Samples have more values than are read.
        MetricsLeftOut {
            /// How many they have.
            values: usize,
            read: usize,
        } = "metrics-left-out",
            "The samples have {values} values each, of which the first {read} are read.";
        /// The unit is not known.
        UnitUnknown {
            unit: String,
            /// What becomes of the values.
            values: UnknownUnit,
        } = "unit-unknown", "{}", values.sentence(unit);
        /// Other formats fit the file as well.
        FormatUncertain {
            /// The name of the format that was taken.
            format: String,
            /// What that is.
            #[serde(skip)]
            title: String,
            /// The names of the others.
            others: Vec<String>,
        } = "format-uncertain",
            "the file was read as {title} ({format}), and --format {} may fit as well",
            others.join(" or --format ");
        /// The notes on methods beside the profile can't be read.
        NotesUnread {
            /// The file with the notes.
            file: String,
            reason: String,
        } = "notes-unread", "the notes on methods in {file} are not shown: {reason}";
    }
}
