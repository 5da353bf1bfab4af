//! What is wrong with a recording, what is missing, and what is easily misread. Only this module writes the sentences.

mod anomaly;
mod causes;
mod define;
mod diagnostic;
pub mod partly;
mod severity;
mod share;
mod truncation;

#[cfg(test)]
mod tests;

pub use anomaly::Anomaly;
pub use causes::{ContainerStop, LineFault, MissingReason, NamelessCause, UnknownUnit};
pub use diagnostic::Diagnostic;
pub use severity::Severity;
pub use share::{Share, WAITING_KEY_OR_FLAG};
pub use truncation::StacksTruncated;

use serde::Serialize;

impl Diagnostic {
    pub fn file_ends_at(offset_bytes: u64) -> Diagnostic {
        Diagnostic::IncompleteFile {
            offset_bytes,
            problem: None,
        }
    }

    pub fn unreadable_from(offset_bytes: u64, problem: impl Into<String>) -> Diagnostic {
        Diagnostic::IncompleteFile {
            offset_bytes,
            problem: Some(problem.into()),
        }
    }

    pub fn kept(text: String) -> Diagnostic {
        let severity = Severity::Warning;
        Diagnostic::Kept { text, severity }
    }

    pub fn kept_note(text: String) -> Diagnostic {
        let severity = Severity::Note;
        Diagnostic::Kept { text, severity }
    }

    pub fn severity(&self) -> Severity {
        match self {
            Diagnostic::Kept { severity, .. } => *severity,
            Diagnostic::GcPolls { .. }
            | Diagnostic::WaitsOnCpu { .. }
            | Diagnostic::ThreadsWait { .. }
            | Diagnostic::MessageLoop { .. }
            | Diagnostic::DebugBuild {}
            | Diagnostic::AllocationsEstimated {}
            | Diagnostic::CpuIncomplete {}
            | Diagnostic::TruncationOfWhole {} => Severity::Caution,
            Diagnostic::CountsUnclear {}
            | Diagnostic::ValuesTakenForTimes {}
            | Diagnostic::ValuesWithoutUnit {}
            | Diagnostic::NgenPdbsLeftOut {}
            | Diagnostic::SpansBesideProfile {}
            | Diagnostic::ProfileBesideSpans {} => Severity::Note,
            _ => Severity::Warning,
        }
    }

    /// Whether it concerns a metric with this name; most concern all.
    pub fn concerns(&self, metric: &str) -> bool {
        let only_metric = match self {
            Diagnostic::GcPolls { share }
            | Diagnostic::WaitsOnCpu { share, .. }
            | Diagnostic::MessageLoop { share, .. }
            | Diagnostic::ThreadsWait { share, .. } => &share.metric,
            Diagnostic::AllocationsEstimated {} => "allocated",
            Diagnostic::CpuIncomplete {} => "CPU",
            _ => return true,
        };
        only_metric.eq_ignore_ascii_case(metric)
    }

    pub fn is_about_truncation(&self) -> bool {
        match self {
            Diagnostic::StacksTruncated { .. } | Diagnostic::NamelessStacksTruncated { .. } => true,
            // messages stored in files have lost their codes
            Diagnostic::Kept { text, severity } => {
                *severity == Severity::Warning && text.contains(" truncated at ")
            }
            _ => false,
        }
    }

    /// With its code; a kept message has lost its own.
    pub fn with_code(&self, sentence: &str) -> String {
        match self {
            Diagnostic::Kept { .. } => sentence.into(),
            other => format!("{sentence} [{}]", other.code()),
        }
    }

    /// The sentence for an exported file: without advice that a reader of the file can't follow.
    pub fn written(&self) -> String {
        match self {
            Diagnostic::StacksTruncated { stacks } => format!("{}.", stacks.findings()),
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

impl Anomaly {
    pub fn times(self, count: u64) -> Option<Diagnostic> {
        (count > 0).then_some(Diagnostic::Counted {
            anomaly: self,
            count,
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
