//! Remarks about a recording that carry no data.

use crate::diagnostics::severity::Severity;
use borsh::{BorshDeserialize, BorshSerialize};

/// Something to know of a recording that is said in the same words each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Remark {
    /// The source does not say whether its counts are calls or samples.
    CountsUnclear,
    /// Speedscope without profiles.
    NoProfiles,
    /// Trace events without frames.
    NoFrames,
    /// More different stacks than a tree can hold.
    TreeFull,
    /// V8 profiles without time differences.
    NoTimes,
    /// PerfView's numbers are read as milliseconds.
    ValuesTakenForTimes,
    /// PerfView's numbers are read as they are.
    ValuesWithoutUnit,
    /// A thread of perf is the kernel's idle loop.
    KernelIdleLoop,
    /// Symbols beside a Windows trace are not read.
    NgenPdbsLeftOut,
    /// A report without call stacks.
    NoCallStacks,
    /// A snapshot without a list of modules.
    NoModules,
    /// A snapshot without metadata.
    NoMetadata,
    /// A snapshot without a description.
    NoDescription,
    /// A description without settings.
    NoSettings,
    /// Times of statements are not read.
    NoStatementTimes,
    /// A Reporter that knows no signatures.
    ReporterWithoutSignatures,
    /// A Reporter that can't be kept from looking for updates.
    ReporterLooksForUpdates,
    /// What is said of truncated stacks is of the whole recording, and not of the range of time that is shown.
    TruncationOfWhole,
    /// The range of time that is shown holds nothing.
    NothingInRange,
    /// A trace is shown by its CPU profile, and has spans as well.
    SpansBesideProfile,
    /// A trace is shown by its spans, and has a CPU profile as well.
    ProfileBesideSpans,
    /// Weights or their sums don't fit into 64 bits.
    SumsTooLarge,
}

/// A row of the table of remarks.
struct RemarkRow {
    remark: Remark,
    code: &'static str,
    severity: Severity,
    sentence: &'static str,
}

const fn row(
    remark: Remark,
    code: &'static str,
    severity: Severity,
    sentence: &'static str,
) -> RemarkRow {
    RemarkRow {
        remark,
        code,
        severity,
        sentence,
    }
}

/// All remarks in the order of the enumeration.
#[rustfmt::skip]
const ROWS: [RemarkRow; 22] = [
    row(Remark::CountsUnclear, "counts-unclear", Severity::Note, "the source does not say whether its counts are calls or samples"),
    row(Remark::NoProfiles, "no-profiles", Severity::Warning, "The file holds no profiles, so the tree is empty. dotnet-trace writes such a file if the recording has no samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025)."),
    row(Remark::NoFrames, "no-frames", Severity::Warning, "The file has no events that begin and end (B, E, X) and no samples, so the tree is empty."),
    row(Remark::TreeFull, "tree-full", Severity::Warning, "There are more distinct call places than a tree can hold; the rest are left out."),
    row(Remark::NoTimes, "no-times", Severity::Warning, "The file has no time differences, so there are only numbers of samples."),
    row(Remark::ValuesTakenForTimes, "values-taken-for-times", Severity::Note, "PerfView does not save what the numbers in its views mean. These have decimals, so they are read as milliseconds, which is what PerfView's own views with decimals show."),
    row(Remark::ValuesWithoutUnit, "values-without-unit", Severity::Note, "PerfView does not save what the numbers in its views mean. These are whole, so they are shown as they are: samples, milliseconds or bytes."),
    row(Remark::KernelIdleLoop, "kernel-idle-loop", Severity::Warning, "Thread (0) swapper is the kernel's idle loop: its samples are those of idle processors"),
    row(Remark::NgenPdbsLeftOut, "ngen-pdbs-left-out", Severity::Note, "The symbols of precompiled code in NGENPDBS are not read: its methods have names where the runtime told them."),
    row(Remark::NoCallStacks, "no-call-stacks", Severity::Warning, "the report has no call stacks, so all methods are on one level, and the total is the sum of their own times; PrintCallstacks=\"Full\" in the report's pattern asks for call stacks"),
    row(Remark::NoModules, "no-modules", Severity::Warning, "the snapshot has no list of modules (section 0x0110)"),
    row(Remark::NoMetadata, "no-metadata", Severity::Warning, "the snapshot has no metadata (section 0x0100), so no method has a name"),
    row(Remark::NoDescription, "no-description", Severity::Warning, "the snapshot has no description, so the kind of the profile is unknown"),
    row(Remark::NoSettings, "no-settings", Severity::Warning, "the description has no settings, so the kind of the profile is unknown"),
    row(Remark::NoStatementTimes, "no-statement-times", Severity::Warning, "the times of single statements in this line-by-line profile are not read"),
    row(Remark::ReporterWithoutSignatures, "reporter-without-signatures", Severity::Warning, "this Reporter does not know --save-signature, so overloads of a method can't be told apart"),
    row(Remark::ReporterLooksForUpdates, "reporter-looks-for-updates", Severity::Warning, "this Reporter does not know --no-check-for-updates, so it may have checked for updates online"),
    row(Remark::TruncationOfWhole, "truncation-of-whole", Severity::Caution, "What is said about truncated stacks covers the whole recording, not only this range of time."),
    row(Remark::NothingInRange, "nothing-in-range", Severity::Warning, "Nothing was recorded in this range of time."),
    row(Remark::SpansBesideProfile, "spans-beside-profile", Severity::Note, "The trace is shown as its CPU profile, the samples of its threads; `--format trace-event` shows the spans of its events instead."),
    row(Remark::ProfileBesideSpans, "profile-beside-spans", Severity::Note, "The trace also has a CPU profile, which is shown instead of the spans unless `--format` says otherwise."),
    row(Remark::SumsTooLarge, "sums-too-large", Severity::Warning, "Weights or their sums are larger than 2^64 - 1, the largest value that is stored: values that reach it may be far too small."),
];

impl Remark {
    pub fn all() -> impl Iterator<Item = Remark> {
        ROWS.iter().map(|row| row.remark)
    }

    fn row(self) -> &'static RemarkRow {
        // the table has the order of the enumeration, which a test checks
        &ROWS[self as usize]
    }

    /// Its code, see [`super::Diagnostic::code`].
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// How grave it is.
    pub fn severity(self) -> Severity {
        self.row().severity
    }

    /// What is said.
    pub fn sentence(self) -> &'static str {
        self.row().sentence
    }
}
