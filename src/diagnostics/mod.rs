//! What is wrong with a recording, what is missing, and what is easily misread. Only this module writes the sentences.

mod analysis;
mod anomaly;
mod define;
mod file;
mod incomplete_file;
pub mod partly;
mod remark;
mod report;
mod severity;
mod snapshot;
mod trace;
mod truncation;

#[cfg(test)]
mod tests;

pub use analysis::{AnalysisDiagnostic, Share, StoredDifference, WAITING_KEY_OR_FLAG};
pub use anomaly::Anomaly;
pub use file::{
    CallTreeDiagnostic, ContainerDiagnostic, ContainerStop, DecodingDiagnostic, FileDiagnostic,
    LineFault, UnknownUnit,
};
pub use incomplete_file::IncompleteFile;
pub use remark::Remark;
pub use report::{MissingReason, ReportDiagnostic};
pub use severity::Severity;
pub use snapshot::{SnapshotDiagnostic, UnreadSection};
pub use trace::{NamelessCause, TraceDiagnostic};
pub use truncation::StacksTruncated;

use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// A fact about a recording. It serializes to its data alone; [`Diagnostic::record`] adds the rest.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum Diagnostic {
    Counted {
        #[serde(skip)]
        anomaly: Anomaly,
        count: u64,
    },
    /// Parts of the file are damaged, unusual or of an unknown kind.
    PartlyRead {
        noun: Cow<'static, str>,
        count: u64,
        problem: Cow<'static, str>,
    },
    Plain {
        #[serde(skip)]
        remark: Remark,
    },
    /// The file ends too early.
    IncompleteFile(IncompleteFile),
    /// Stacks were cut by the recorder.
    StacksTruncated(StacksTruncated),
    Container(ContainerDiagnostic),
    /// About event recordings: nettrace, perf script.
    Trace(TraceDiagnostic),
    File(FileDiagnostic),
    CallTree(CallTreeDiagnostic),
    Report(ReportDiagnostic),
    Snapshot(SnapshotDiagnostic),
    Decoding(DecodingDiagnostic),
    Analysis(AnalysisDiagnostic),
    /// A message stored in the file, without its data.
    Kept {
        #[serde(skip)]
        text: String,
        #[serde(skip)]
        severity: Severity,
    },
}

impl Diagnostic {
    pub fn plain(remark: Remark) -> Diagnostic {
        Diagnostic::Plain { remark }
    }

    pub fn kept(text: String) -> Diagnostic {
        let severity = Severity::Warning;
        Diagnostic::Kept { text, severity }
    }

    pub fn kept_note(text: String) -> Diagnostic {
        let severity = Severity::Note;
        Diagnostic::Kept { text, severity }
    }

    /// Its code: a name in kebab case that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Diagnostic::Counted { anomaly, .. } => anomaly.code(),
            Diagnostic::PartlyRead { .. } => "partly-read",
            Diagnostic::Plain { remark } => remark.code(),
            Diagnostic::IncompleteFile(_) => "broken-off",
            Diagnostic::StacksTruncated(_) => "stacks-truncated",
            Diagnostic::Container(container) => container.code(),
            Diagnostic::Trace(trace) => trace.code(),
            Diagnostic::File(file) => file.code(),
            Diagnostic::CallTree(call_tree) => call_tree.code(),
            Diagnostic::Report(report) => report.code(),
            Diagnostic::Snapshot(snapshot) => snapshot.code(),
            Diagnostic::Decoding(decoding) => decoding.code(),
            Diagnostic::Analysis(analysis) => analysis.code(),
            Diagnostic::Kept {
                severity: Severity::Note,
                ..
            } => "kept-note",
            Diagnostic::Kept { .. } => "kept",
        }
    }

    pub fn severity(&self) -> Severity {
        match self {
            Diagnostic::Plain { remark } => remark.severity(),
            Diagnostic::Analysis(analysis) => analysis.severity(),
            Diagnostic::Kept { severity, .. } => *severity,
            _ => Severity::Warning,
        }
    }

    /// Whether it concerns a metric with this name; most concern all.
    pub fn concerns(&self, metric: &str) -> bool {
        match self {
            Diagnostic::Analysis(analysis) => analysis
                .metric()
                .is_none_or(|own| own.eq_ignore_ascii_case(metric)),
            _ => true,
        }
    }

    /// Whether it states that percentages exclude waiting.
    pub fn is_about_waiting(&self) -> bool {
        matches!(
            self,
            Diagnostic::Analysis(AnalysisDiagnostic::ThreadsWait { .. })
        )
    }

    /// Whether it states that percentages include waits and spins.
    pub fn is_about_spins(&self) -> bool {
        matches!(
            self,
            Diagnostic::Analysis(AnalysisDiagnostic::WaitsOnCpu { .. })
        )
    }

    pub fn is_about_truncation(&self) -> bool {
        match self {
            Diagnostic::StacksTruncated(_) => true,
            Diagnostic::Trace(TraceDiagnostic::NamelessStacksTruncated { .. }) => true,
            // files have no codes
            Diagnostic::Kept { text, severity } => {
                *severity == Severity::Warning && text.contains(" truncated at ")
            }
            _ => false,
        }
    }

    /// The sentence for an exported file: without advice that a reader of the file can't follow.
    pub fn written(&self) -> String {
        match self {
            Diagnostic::StacksTruncated(truncated) => format!("{}.", truncated.findings()),
            other => other.to_string(),
        }
    }

    /// All of it for JSON output: `{code, severity, message, …data}`.
    pub fn record(&self) -> DiagnosticRecord<'_> {
        DiagnosticRecord {
            code: self.code(),
            severity: self.severity(),
            message: self.to_string(),
            data: self,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Diagnostic::Counted { anomaly, count } => f.write_str(&anomaly.sentence(*count)),
            Diagnostic::PartlyRead {
                noun,
                count,
                problem,
            } => write!(f, "{} {problem}", counted(*count, noun)),
            Diagnostic::Plain { remark } => f.write_str(remark.sentence()),
            Diagnostic::IncompleteFile(incomplete) => incomplete.fmt(f),
            Diagnostic::StacksTruncated(truncated) => truncated.fmt(f),
            Diagnostic::Container(container) => container.fmt(f),
            Diagnostic::Trace(trace) => trace.fmt(f),
            Diagnostic::File(file) => file.fmt(f),
            Diagnostic::CallTree(call_tree) => call_tree.fmt(f),
            Diagnostic::Report(report) => report.fmt(f),
            Diagnostic::Snapshot(snapshot) => snapshot.fmt(f),
            Diagnostic::Decoding(decoding) => decoding.fmt(f),
            Diagnostic::Analysis(analysis) => analysis.fmt(f),
            Diagnostic::Kept { text, .. } => f.write_str(text),
        }
    }
}

impl Anomaly {
    pub fn times(self, count: u64) -> Option<Diagnostic> {
        (count > 0).then_some(Diagnostic::Counted {
            anomaly: self,
            count,
        })
    }
}

impl IncompleteFile {
    /// A file that ends at this offset.
    pub fn ending_at(offset_bytes: u64) -> Diagnostic {
        Diagnostic::IncompleteFile(IncompleteFile {
            offset_bytes,
            problem: None,
        })
    }

    /// A file that can't be read beyond this offset.
    pub fn unreadable_from(offset_bytes: u64, problem: impl Into<String>) -> Diagnostic {
        Diagnostic::IncompleteFile(IncompleteFile {
            offset_bytes,
            problem: Some(problem.into()),
        })
    }
}

#[derive(Debug, Serialize)]
pub struct DiagnosticRecord<'a> {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    #[serde(flatten)]
    pub data: &'a Diagnostic,
}
