//! Diagnostics about Reporter's reports.

use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// Why rows of a report may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyMissing {
    /// The report can't be read to its end.
    Unread,
    /// The pattern of the report did not ask for them.
    Pattern,
}

impl WhyMissing {
    fn words(self) -> &'static str {
        match self {
            WhyMissing::Unread => "are where the report can't be read",
            WhyMissing::Pattern => "are left out by the pattern of the report",
        }
    }
}

/// What is odd about a report.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum ReportDiagnostic {
    /// Attributes that should be numbers are none.
    NotNumbers {
        /// How many.
        values: u64,
        first: String,
    },
    /// Some elements count calls and others samples.
    OtherCounts {
        left_out: Cow<'static, str>,
        elements: u64,
        /// What others have.
        kept: Cow<'static, str>,
    },
    /// Functions without instances, where others have some.
    FunctionsWithoutInstances {
        /// How many.
        functions: u64,
        /// Their own times together.
        own_ms: f64,
    },
    /// Nodes that are only named in the call stacks of others.
    NodesWithoutRow {
        /// How many.
        nodes: u64,
        /// Why they have no row of their own.
        why_missing: WhyMissing,
    },
    /// Nodes with another time than their callees and they themselves make.
    TimesContradict {
        nodes: u64,
        /// Of how many.
        of_nodes: u64,
        /// The one that is farthest off.
        worst: String,
        /// Its time.
        total_ms: f64,
        /// What it should be.
        expected_ms: f64,
        /// Why they may be, if all have more than was expected.
        #[serde(skip_serializing_if = "Option::is_none")]
        why_missing: Option<WhyMissing>,
    },
}

impl ReportDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            ReportDiagnostic::NotNumbers { .. } => "not-numbers",
            ReportDiagnostic::OtherCounts { .. } => "other-counts",
            ReportDiagnostic::FunctionsWithoutInstances { .. } => "functions-without-instances",
            ReportDiagnostic::NodesWithoutRow { .. } => "nodes-without-row",
            ReportDiagnostic::TimesContradict { .. } => "times-contradict",
        }
    }
}

impl fmt::Display for ReportDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportDiagnostic::NotNumbers { values, first } => {
                write!(
                    f,
                    "ignored: {} that should be numbers, such as {first:?}",
                    counted(*values, "value")
                )
            }
            ReportDiagnostic::OtherCounts {
                left_out,
                elements,
                kept,
            } => {
                write!(
                    f,
                    "left out: {left_out} in {}, since others have {kept}",
                    counted(*elements, "element")
                )
            }
            ReportDiagnostic::FunctionsWithoutInstances { functions, own_ms } => write!(
                f,
                "not in the tree: {} without Instances, whose own times are {own_ms} ms together; the report's pattern asks for \
                 call stacks with PrintCallstacks=\"Full\"",
                counted(*functions, "function")
            ),
            other => other.write_rest(f),
        }
    }
}

impl ReportDiagnostic {
    /// Sentences about the tree.
    fn write_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportDiagnostic::NodesWithoutRow { nodes, why_missing } => write!(
                f,
                "known only from the call stacks of others: {}, whose own rows {}; their own times are shown as 0",
                counted(*nodes, "node"),
                why_missing.words()
            ),
            ReportDiagnostic::TimesContradict {
                nodes,
                of_nodes,
                worst,
                total_ms,
                expected_ms,
                why_missing,
            } => {
                let why =
                    why_missing.map(|why| format!("; it may have callees that {}", why.words()));
                write!(
                    f,
                    "TotalTime is not the sum of OwnTime and the callees, in {} of {}: {worst} has {total_ms} ms, and the sum is \
                     {expected_ms} ms{}",
                    thousands(*nodes),
                    counted(*of_nodes, "node"),
                    why.unwrap_or_default()
                )
            }
            _ => Ok(()),
        }
    }
}
