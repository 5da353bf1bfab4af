//! Diagnostics about converted files, call-tree JSON, containers, and the programs that decode dotTrace snapshots.

use super::define::{diagnostics, rows};
use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;

rows! {
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum LineFault: &'static str {
        Unreadable = "could not be read and";
        NoStackAndWeight = "without a stack and a weight";
    }
}

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
                "the file states times in the unknown unit `{unit}`: they are read as milliseconds"
            ),
        }
    }
}

diagnostics! {
    pub enum FileDiagnostic {
        /// Lines are left out.
        LinesLeftOut {
            lines: u64,
            fault: LineFault,
            first_line: u64,
            text: String,
        } = "lines-left-out",
            "{} {} had to be left out, the first is line {first_line}: {text:?}",
            counted(*lines, "line"), fault.row();
        /// Weights have decimals, so values are multiplied.
        WeightsInParts {
            parts: u64,
        } = "weights-in-parts",
            "the file has fractional weights: all values are multiplied by {0} to make them whole numbers",
            thousands(*parts);
        /// Samples have more values than are read.
        MetricsLeftOut {
            values: usize,
            read: usize,
        } = "metrics-left-out",
            "The samples have {values} values each, of which the first {read} are read.";
        /// The unit is unknown.
        UnitUnknown {
            unit: String,
            values: UnknownUnit,
        } = "unit-unknown", "{}", values.sentence(unit);
        /// Other formats match the file as well.
        FormatUncertain {
            format: String,
            #[serde(skip)]
            title: String,
            others: Vec<String>,
        } = "format-uncertain",
            "the file was read as {title} ({format}), and --format {} may fit as well",
            others.join(" or --format ");
        /// The notes on methods next to the profile can't be read.
        NotesUnread {
            file: String,
            reason: String,
        } = "notes-unread", "the notes on methods in {file} are not shown: {reason}";
        /// A prefix of --user-code or --not-user-code matches no method.
        UserCodeUnmatched { prefix: String } = "user-code-unmatched",
            "no module or namespace begins with {prefix}, so naming it as user code or not changes nothing";
    }
}

diagnostics! {
    pub enum CallTreeDiagnostic {
        /// Nodes have no name.
        NodesNameless { count: u64 } = "nodes-nameless",
            "{count} nodes have no name: they are shown as [No name]";
        /// Nodes are of an unknown kind.
        NodeKindsUnknown {
            count: u64,
            first: String,
        } = "node-kinds-unknown",
            "{count} nodes are of an unknown kind, such as {first:?}: they are read as methods";
        /// Several nodes have the same id.
        NodeIdsRepeated { ids: u64 } = "node-ids-repeated",
            "several nodes in the file share an id ({}): all are renumbered from n0",
            counted(*ids, "id");
    }
}

rows! {
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ContainerStop: &'static str {
        BreaksOff = "breaks off";
        IsDamaged = "is damaged";
    }
}

diagnostics! {
    pub enum ContainerDiagnostic {
        /// gzip data is not read to its end.
        GzipStopped {
            reason: ContainerStop,
            offset_bytes: u64,
        } = "gzip-stopped",
            "the gzip data {} at byte {offset_bytes} ({offset_bytes:#x}) of the file; everything before it is read",
            reason.row();
        /// The gzip checksum does not match.
        GzipChecksumWrong {} = "gzip-checksum-wrong",
            "the checksum of the gzip data does not match: some of what was read may be wrong";
        /// Something else follows the gzip data.
        GzipTrailingBytes { offset_bytes: u64 } = "gzip-trailing-bytes",
            "ignored extra bytes after the gzip data, from byte {offset_bytes} ({offset_bytes:#x})";
        /// A member is not read to its end.
        ZipStopped {
            reason: ContainerStop,
            member: String,
            unpacked_bytes: u64,
        } = "zip-stopped",
            "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything before that is read",
            reason.row();
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
            decoder: Cow<'static, str>,
            before: Cow<'static, str>,
            reason: String,
        } = "decoder-fell-back",
            "read by decoder {decoder}, because decoder {before} failed: {reason}";
        /// A toolchain could not build the helper, and another one did.
        ToolchainPassedOver {
            toolchain: Cow<'static, str>,
            reason: String,
        } = "toolchain-passed-over", "the helper was built with {toolchain}, because {reason}";
        /// Nothing can be cached.
        CacheUnusable { reason: String } = "cache-unusable",
            "{reason}; the next run will take just as long";
        /// Reporter failed, but wrote a complete report.
        ReporterFailed {
            problem: String,
        } = "reporter-failed", "{problem}, but its report is complete";
    }
}
