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
                "the file gives times in the unknown unit `{unit}`: they are read as milliseconds"
            ),
        }
    }
}

diagnostics! {
    pub enum FileDiagnostic {
        LinesLeftOut {
            lines: u64,
            fault: LineFault,
            first_line: u64,
            text: String,
        } = "lines-left-out",
            "{} {} had to be left out, the first is line {first_line}: {text:?}",
            counted(*lines, "line"), fault.row();
        WeightsInParts {
            parts: u64,
        } = "weights-in-parts",
            "the file has fractional weights: all values are multiplied by {0} to make them whole numbers",
            thousands(*parts);
        MetricsLeftOut {
            values: usize,
            read: usize,
        } = "metrics-left-out",
            "The samples have {values} values each, of which the first {read} are read.";
        UnitUnknown {
            unit: String,
            values: UnknownUnit,
        } = "unit-unknown", "{}", values.sentence(unit);
        FormatUncertain {
            format: String,
            #[serde(skip)]
            title: String,
            others: Vec<String>,
        } = "format-uncertain",
            "the file was read as {title} ({format}), and --format {} may fit as well",
            others.join(" or --format ");
        NotesUnread {
            file: String,
            reason: String,
        } = "notes-unread", "the notes on methods in {file} are not shown: {reason}";
        UserCodeUnmatched { prefix: String } = "user-code-unmatched",
            "no module or namespace begins with {prefix}, so naming it as user code or not changes nothing";
    }
}

diagnostics! {
    pub enum CallTreeDiagnostic {
        NodesNameless { count: u64 } = "nodes-nameless",
            "{count} nodes have no name: they are shown as [No name]";
        NodeKindsUnknown {
            count: u64,
            first: String,
        } = "node-kinds-unknown",
            "{count} nodes are of an unknown kind, such as {first:?}: they are read as methods";
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
        GzipStopped {
            reason: ContainerStop,
            offset_bytes: u64,
        } = "gzip-stopped",
            "the gzip data {} at byte {offset_bytes} ({offset_bytes:#x}) of the file; everything before it is read",
            reason.row();
        GzipChecksumWrong {} = "gzip-checksum-wrong",
            "the checksum of the gzip data does not match: some of what was read may be wrong";
        GzipTrailingBytes { offset_bytes: u64 } = "gzip-trailing-bytes",
            "ignored extra bytes after the gzip data, from byte {offset_bytes} ({offset_bytes:#x})";
        ZipStopped {
            reason: ContainerStop,
            member: String,
            unpacked_bytes: u64,
        } = "zip-stopped",
            "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything before that is read",
            reason.row();
        ZipChecksumWrong { member: String } = "zip-checksum-wrong",
            "the checksum of the member {member} of the zip archive does not match: some of what was read may be wrong";
    }
}

diagnostics! {
    /// What happened while other programs decoded a snapshot.
    pub enum DecodingDiagnostic {
        FellBack {
            decoder: Cow<'static, str>,
            before: Cow<'static, str>,
            reason: String,
        } = "decoder-fell-back",
            "read by decoder {decoder}, because decoder {before} failed: {reason}";
        ToolchainPassedOver {
            toolchain: Cow<'static, str>,
            reason: String,
        } = "toolchain-passed-over", "the helper was built with {toolchain}, because {reason}";
        CacheUnusable { reason: String } = "cache-unusable",
            "{reason}; the next run will take just as long";
        TreeNotKept { reason: String } = "tree-not-kept",
            "the decoded tree can't be kept: {reason}; the next run will take just as long";
        ReporterFailed {
            problem: String,
        } = "reporter-failed", "{problem}, but its report is complete";
    }
}
