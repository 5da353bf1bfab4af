//! Diagnostics about files that other programs converted from a recording, about call-tree JSON, gzip data and zip
//! archives, and about the programs that decode dotTrace snapshots.

use super::define::diagnostics;
use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;

/// What is wrong with the skipped lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineFault {
    /// They don't follow the format.
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
    /// Anomalies of a file that another program made from a recording.
    pub enum FileDiagnostic {
        /// Lines are left out.
        LinesLeftOut {
            lines: u64,
            fault: LineFault,
            /// The number of the first, starting with 1.
            first_line: u64,
            text: String,
        } = "lines-left-out",
            "{} {} had to be left out, the first is line {first_line}: {text:?}",
            counted(*lines, "line"), fault.words();
        /// Weights have decimals, so values are multiplied.
        WeightsInParts {
            /// The factor.
            parts: u64,
        } = "weights-in-parts",
            "the file has fractional weights: all values are multiplied by {0} to make them whole numbers",
            thousands(*parts);
        /// Samples have more values than are read.
        MetricsLeftOut {
            /// How many they have.
            values: usize,
            read: usize,
        } = "metrics-left-out",
            "The samples have {values} values each, of which the first {read} are read.";
        /// The unit is unknown.
        UnitUnknown {
            unit: String,
            /// How the values are treated.
            values: UnknownUnit,
        } = "unit-unknown", "{}", values.sentence(unit);
        /// Other formats match the file as well.
        FormatUncertain {
            /// The name of the chosen format.
            format: String,
            /// Its title.
            #[serde(skip)]
            title: String,
            /// The names of the others.
            others: Vec<String>,
        } = "format-uncertain",
            "the file was read as {title} ({format}), and --format {} may fit as well",
            others.join(" or --format ");
        /// The notes on methods next to the profile can't be read.
        NotesUnread {
            /// The file with the notes.
            file: String,
            reason: String,
        } = "notes-unread", "the notes on methods in {file} are not shown: {reason}";
        /// A prefix of --user-code or --not-user-code matches no method.
        UserCodeUnmatched { prefix: String } = "user-code-unmatched",
            "no module or namespace begins with {prefix}, so naming it as user code or not changes nothing";
    }
}

diagnostics! {
    /// Anomalies of call-tree JSON.
    pub enum CallTreeDiagnostic {
        /// Nodes have no name.
        NodesNameless { count: u64 } = "nodes-nameless",
            "{count} nodes have no name: they are shown as [No name]";
        /// Nodes are of an unknown kind.
        NodeKindsUnknown {
            count: u64,
            /// The kind of the first.
            first: String,
        } = "node-kinds-unknown",
            "{count} nodes are of an unknown kind, such as {first:?}: they are read as methods";
        /// Several nodes have the same id.
        NodeIdsRepeated { ids: u64 } = "node-ids-repeated",
            "several nodes in the file share an id ({}): all are renumbered from n0",
            counted(*ids, "id");
    }
}

/// Why packed data is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContainerStop {
    /// The data ends too early.
    BreaksOff,
    /// The data can't be unpacked.
    IsDamaged,
}

impl ContainerStop {
    fn verb(self) -> &'static str {
        match self {
            ContainerStop::BreaksOff => "breaks off",
            ContainerStop::IsDamaged => "is damaged",
        }
    }
}

diagnostics! {
    /// Anomalies of gzip data or a zip archive around a recording.
    pub enum ContainerDiagnostic {
        /// gzip data is not read to its end.
        GzipStopped {
            reason: ContainerStop,
            /// The offset in the packed file.
            offset_bytes: u64,
        } = "gzip-stopped",
            "the gzip data {} at byte {offset_bytes} ({offset_bytes:#x}) of the file; everything before it is read",
            reason.verb();
        /// The gzip checksum does not match.
        GzipChecksumWrong {} = "gzip-checksum-wrong",
            "the checksum of the gzip data does not match: some of what was read may be wrong";
        /// Something else follows the gzip data.
        GzipTrailingBytes { offset_bytes: u64 } = "gzip-trailing-bytes",
            "ignored extra bytes after the gzip data, from byte {offset_bytes} ({offset_bytes:#x})";
        /// A member is not read to its end.
        ZipStopped {
            reason: ContainerStop,
            /// The member's name in the archive.
            member: String,
            /// How many unpacked bytes were read.
            unpacked_bytes: u64,
        } = "zip-stopped",
            "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything before that is read",
            reason.verb();
        /// The checksum of a member does not match.
        ZipChecksumWrong { member: String } = "zip-checksum-wrong",
            "the checksum of the member {member} of the zip archive does not match: some of what was read may be wrong";
    }
}

diagnostics! {
    /// What happened while other programs decoded a snapshot.
    pub enum DecodingDiagnostic {
        /// One decoder had to replace another.
        FellBack {
            /// The decoder that read it.
            decoder: Cow<'static, str>,
            before: Cow<'static, str>,
            /// Why the other one failed.
            reason: String,
        } = "decoder-fell-back",
            "read by decoder {decoder}, because decoder {before} failed: {reason}";
        /// A toolchain could not build the helper, and another one did.
        ToolchainPassedOver {
            /// The one that built it.
            toolchain: Cow<'static, str>,
            /// Why others did not.
            reason: String,
        } = "toolchain-passed-over", "the helper was built with {toolchain}, because {reason}";
        /// Nothing can be cached.
        CacheUnusable { reason: String } = "cache-unusable",
            "{reason}; the next run will take just as long";
        /// Reporter failed, but wrote a complete report.
        ReporterFailed {
            /// How it ended.
            problem: String,
        } = "reporter-failed", "{problem}, but its report is complete";
    }
}
