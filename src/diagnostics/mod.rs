//! Diagnostics as data: what is wrong with a recording, what is missing, and what is easily
//! misread. Only this module writes their sentences; the rest of the program checks codes.

mod analysis;
mod anomaly;
mod broken_off;
mod define;
mod file;
pub mod partly;
mod remark;
mod report;
mod samples;
mod severity;
mod snapshot;
mod trace;
mod truncation;

#[cfg(test)]
mod tests;

pub use analysis::{AnalysisDiagnostic, Share, StoredDifference, WAITING_KEY_OR_FLAG};
pub use anomaly::Anomaly;
pub use broken_off::{BrokenOff, Ending};
pub use file::{
    CallTreeDiagnostic, ContainerDiagnostic, ContainerStop, DecodingDiagnostic, FileDiagnostic,
    LineFault, UnknownUnit,
};
pub use remark::Remark;
pub use report::{ReportDiagnostic, WhyMissing};
pub use samples::samples;
pub use severity::Severity;
pub use snapshot::{SnapshotDiagnostic, UnreadSection};
pub use trace::{NamelessCause, TraceDiagnostic};
pub use truncation::StacksTruncated;

use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// Something to know of a recording. `Display` makes the sentence.
///
/// What it serializes to are its data alone, as the members of a flat object; [`Diagnostic::record`] adds the rest.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum Diagnostic {
    /// Something that was met a number of times.
    Counted {
        /// What it was.
        #[serde(skip)]
        anomaly: Anomaly,
        /// How often, at least once.
        count: u64,
    },
    /// Parts of the file are damaged, unusual or of an unknown kind.
    PartlyRead {
        /// What they are.
        noun: Cow<'static, str>,
        /// How many.
        count: u64,
        /// What is wrong with them, and how they are read.
        problem: Cow<'static, str>,
    },
    /// Something that needs no data.
    Plain {
        /// What it is.
        #[serde(skip)]
        remark: Remark,
    },
    /// The file ends too early.
    BrokenOff(BrokenOff),
    /// Stacks were cut by the recorder.
    StacksTruncated(StacksTruncated),
    /// Of gzip data and zip archives.
    Container(ContainerDiagnostic),
    /// Of recordings of events: nettrace, perf script.
    Trace(TraceDiagnostic),
    /// Of files that other programs have made of a recording.
    File(FileDiagnostic),
    CallTree(CallTreeDiagnostic),
    Report(ReportDiagnostic),
    Snapshot(SnapshotDiagnostic),
    /// Of the programs that read dotTrace snapshots.
    Decoding(DecodingDiagnostic),
    /// Of the numbers in the tree.
    Analysis(AnalysisDiagnostic),
    /// A message stored in the file, without its data.
    Kept {
        /// The sentence.
        #[serde(skip)]
        text: String,
        /// A warning or a note, which is what files keep.
        #[serde(skip)]
        severity: Severity,
        /// Whether it is known to be about truncated stacks.
        #[serde(skip)]
        is_about_truncation: bool,
    },
}

impl Diagnostic {
    /// What needs no data.
    pub fn plain(remark: Remark) -> Diagnostic {
        Diagnostic::Plain { remark }
    }

    /// A sentence that a file has kept. Files have no codes, so that what dotspot said of truncated stacks is known by its words
    /// alone: this is the only place that looks at them.
    pub fn kept(text: String) -> Diagnostic {
        let is_about_truncation = text.contains(" truncated at ");
        Diagnostic::Kept {
            text,
            severity: Severity::Warning,
            is_about_truncation,
        }
    }

    /// A sentence that a file has kept among its notes.
    pub fn kept_note(text: String) -> Diagnostic {
        Diagnostic::Kept {
            text,
            severity: Severity::Note,
            is_about_truncation: false,
        }
    }

    /// What kind it is: a name in kebab case that stays the same from version to version.
    pub fn code(&self) -> &'static str {
        match self {
            Diagnostic::Counted { anomaly, .. } => anomaly.code(),
            Diagnostic::PartlyRead { .. } => "partly-read",
            Diagnostic::Plain { remark } => remark.code(),
            Diagnostic::BrokenOff(_) => BrokenOff::CODE,
            Diagnostic::StacksTruncated(_) => StacksTruncated::CODE,
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

    /// How grave it is.
    pub fn severity(&self) -> Severity {
        match self {
            Diagnostic::Plain { remark } => remark.severity(),
            Diagnostic::Analysis(analysis) => analysis.severity(),
            Diagnostic::Kept { severity, .. } => *severity,
            _ => Severity::Warning,
        }
    }

    /// Whether the numbers must be read otherwise than without it: something is wrong with them, or they are easily misread.
    pub fn changes_reading(&self) -> bool {
        self.severity() != Severity::Note
    }

    /// Whether it says something of a metric with this name; most say something of all.
    pub fn concerns(&self, metric: &str) -> bool {
        match self {
            Diagnostic::Analysis(analysis) => analysis
                .metric()
                .is_none_or(|own| own.eq_ignore_ascii_case(metric)),
            _ => true,
        }
    }

    /// Whether it says that waiting is left out of percentages.
    pub fn is_about_waiting(&self) -> bool {
        matches!(
            self,
            Diagnostic::Analysis(AnalysisDiagnostic::ThreadsWait { .. })
        )
    }

    /// Whether it says that waits and spins are in percentages.
    pub fn is_about_spins(&self) -> bool {
        matches!(
            self,
            Diagnostic::Analysis(AnalysisDiagnostic::WaitsOnCpu { .. })
        )
    }

    /// Whether it is about truncated stacks.
    pub fn is_about_truncation(&self) -> bool {
        match self {
            Diagnostic::StacksTruncated(_) => true,
            Diagnostic::Trace(trace) => {
                matches!(trace, TraceDiagnostic::NamelessStacksTruncated { .. })
            }
            Diagnostic::Kept {
                is_about_truncation,
                ..
            } => *is_about_truncation,
            _ => false,
        }
    }

    /// The sentence for a file that is written: without advice that whoever reads the file can't follow.
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
            Diagnostic::BrokenOff(broken_off) => broken_off.fmt(f),
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
    /// The diagnostic that it was met `count` times; none if it never was.
    pub fn times(self, count: u64) -> Option<Diagnostic> {
        (count > 0).then_some(Diagnostic::Counted {
            anomaly: self,
            count,
        })
    }
}

impl BrokenOff {
    /// A file that ends at this offset.
    pub fn at(offset_bytes: u64, ending: Ending) -> Diagnostic {
        Diagnostic::BrokenOff(BrokenOff {
            offset_bytes,
            ending,
        })
    }
}

/// A diagnostic in JSON output.
#[derive(Debug, Serialize)]
pub struct DiagnosticRecord<'a> {
    /// See [`Diagnostic::code`].
    pub code: &'static str,
    /// See [`Diagnostic::severity`].
    pub severity: Severity,
    /// The sentence.
    pub message: String,
    /// The numbers and names in it.
    #[serde(flatten)]
    pub data: &'a Diagnostic,
}
