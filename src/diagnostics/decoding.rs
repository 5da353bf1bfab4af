//! Diagnostics about the programs that decode dotTrace snapshots.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// What happened on the way of a snapshot through other programs.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum DecodingDiagnostic {
    /// One decoder had to read what another one could not.
    FellBack {
        /// The decoder that has read it.
        decoder: Cow<'static, str>,
        before: Cow<'static, str>,
        /// Why that one failed.
        reason: String,
    },
    /// A toolchain did not build the helper, and another one did.
    ToolchainPassedOver {
        /// What built it.
        toolchain: Cow<'static, str>,
        /// Why others did not.
        reason: String,
    },
    /// Nothing is kept for the next time.
    CacheUnusable {
        /// Why.
        reason: String,
    },
    /// The tree can't be kept.
    TreeNotKept {
        /// Why.
        reason: String,
    },
    /// Reporter failed, and has written a whole report.
    ReporterFailed {
        /// How it ended.
        problem: String,
    },
}

impl DecodingDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            DecodingDiagnostic::FellBack { .. } => "decoder-fell-back",
            DecodingDiagnostic::ToolchainPassedOver { .. } => "toolchain-passed-over",
            DecodingDiagnostic::CacheUnusable { .. } => "cache-unusable",
            DecodingDiagnostic::TreeNotKept { .. } => "tree-not-kept",
            DecodingDiagnostic::ReporterFailed { .. } => "reporter-failed",
        }
    }
}

impl fmt::Display for DecodingDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodingDiagnostic::FellBack {
                decoder,
                before,
                reason,
            } => {
                write!(
                    f,
                    "read by decoder {decoder}, because decoder {before} failed: {reason}"
                )
            }
            DecodingDiagnostic::ToolchainPassedOver { toolchain, reason } => {
                write!(f, "the helper was built with {toolchain}, because {reason}")
            }
            DecodingDiagnostic::CacheUnusable { reason } => {
                write!(f, "{reason}; the next run will take just as long")
            }
            DecodingDiagnostic::TreeNotKept { reason } => {
                write!(
                    f,
                    "the decoded tree can't be kept: {reason}; the next run will take just as long"
                )
            }
            DecodingDiagnostic::ReporterFailed { problem } => {
                write!(f, "{problem}, but its report is complete")
            }
        }
    }
}
