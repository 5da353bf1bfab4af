use super::define::rows;
use crate::diagnostics::severity::Severity::{self, Caution, Note, Warning};
use borsh::{BorshDeserialize, BorshSerialize};

rows! {
    /// A fact that is always stated in the same words: its code, its severity and the sentence.
    pub enum Remark: (&'static str, Severity, &'static str) {
        CountsUnclear = "counts-unclear", Note,
            "the source does not say whether its counts are calls or samples";
        NoProfiles = "no-profiles", Warning,
            "The file holds no profiles, so the tree is empty. dotnet-trace writes such a file if the recording has no samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025).";
        NoFirefoxSamples = "no-samples", Warning,
            "The file has no samples of stacks, so the tree is empty.";
        NoFrames = "no-frames", Warning,
            "The file has no events that begin and end (B, E, X) and no samples, so the tree is empty.";
        TreeFull = "tree-full", Warning,
            "There are more distinct call places than a tree can hold; the rest are left out.";
        NoTimes = "no-times", Warning,
            "The file has no time differences, so there are only numbers of samples.";
        ValuesTakenForTimes = "values-taken-for-times", Note,
            "PerfView does not save what the numbers in its views mean. These have decimals, so they are read as milliseconds, which is what PerfView's own views with decimals show.";
        ValuesWithoutUnit = "values-without-unit", Note,
            "PerfView does not save what the numbers in its views mean. These are whole, so they are shown as they are: samples, milliseconds or bytes.";
        KernelIdleLoop = "kernel-idle-loop", Warning,
            "Thread (0) swapper is the kernel's idle loop: its samples are those of idle processors";
        StacksNotWalked = "stacks-not-walked", Warning,
            "perf copied stacks (--call-graph dwarf), and only its own `perf script` can walk them: their innermost frame is here. Open what `perf script -i FILE > perf.txt` prints, or record with --call-graph fp.";
        NgenPdbsLeftOut = "ngen-pdbs-left-out", Note,
            "The symbols of precompiled code in NGENPDBS are not read: its methods have names where the runtime told them.";
        NoCallStacks = "no-call-stacks", Warning,
            "the report has no call stacks, so all methods are on one level, and the total is the sum of their own times; PrintCallstacks=\"Full\" in the report's pattern asks for call stacks";
        NoModules = "no-modules", Warning,
            "the snapshot has no list of modules (section 0x0110)";
        NoMetadata = "no-metadata", Warning,
            "the snapshot has no metadata (section 0x0100), so no method has a name";
        NoDescription = "no-description", Warning,
            "the snapshot has no description, so the kind of the profile is unknown";
        NoSettings = "no-settings", Warning,
            "the description has no settings, so the kind of the profile is unknown";
        NoStatementTimes = "no-statement-times", Warning,
            "the times of single statements in this line-by-line profile are not read";
        ReporterWithoutSignatures = "reporter-without-signatures", Warning,
            "this Reporter does not know --save-signature, so overloads of a method can't be told apart";
        ReporterLooksForUpdates = "reporter-looks-for-updates", Warning,
            "this Reporter does not know --no-check-for-updates, so it may have checked for updates online";
        TruncationOfWhole = "truncation-of-whole", Caution,
            "Messages about truncated stacks cover the whole recording, not only this time range.";
        NothingInRange = "nothing-in-range", Warning,
            "Nothing was recorded in this time range.";
        SpansBesideProfile = "spans-beside-profile", Note,
            "The trace is shown as its CPU profile, the samples of its threads; `--format trace-event` shows the spans of its events instead.";
        ProfileBesideSpans = "profile-beside-spans", Note,
            "The trace also has a CPU profile, which is shown instead of the spans unless `--format` says otherwise.";
        SumsTooLarge = "sums-too-large", Warning,
            "Weights or their sums are larger than 2^64 - 1, the largest value that is stored: values that reach it may be far too small.";
    }
}

impl Remark {
    pub fn code(self) -> &'static str {
        self.row().0
    }

    pub fn severity(self) -> Severity {
        self.row().1
    }

    pub fn sentence(self) -> &'static str {
        self.row().2
    }
}
