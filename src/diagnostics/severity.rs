//! The severity of diagnostics.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// How severe a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Something is wrong or missing.
    Warning,
    /// Nothing is wrong, but the numbers are easily misread.
    Caution,
    /// Nothing is wrong.
    Note,
}

impl Severity {
    /// The severity's name in JSON: `warning`, `caution` or `note`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Caution => "caution",
            Severity::Note => "note",
        }
    }
}
