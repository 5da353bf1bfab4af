use super::define::rows;
use crate::diagnostics::severity::Severity::{self, Caution, Note, Warning};
use borsh::{BorshDeserialize, BorshSerialize};

rows! {
    /// A fact that is always stated in the same words: its code, its severity and the sentence.
    pub enum Remark: (&'static str, Severity, &'static str) {
        /// The source does not say whether its counts are calls or samples.
        CountsUnclear = "counts-unclear", Note,
            "the source does not say whether its counts are calls or samples";
        /// Speedscope without profiles.
        NoProfiles = "no-profiles", Warning,
            "The file holds no profiles, so the tree is empty. dotnet-trace writes such a file if the recording has no samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025).";
        /// A profile of the Firefox Profiler without samples.
        NoFirefoxSamples = "no-samples", Warning,
            "The file has no samples of stacks, so the tree is empty.";
        /// Trace events without frames.
        NoFrames = "no-frames", Warning,
            "The file has no events that begin and end (B, E, X) and no samples, so the tree is empty.";
        /// More different stacks than a tree can hold.
        TreeFull = "tree-full", Warning,
            "There are more distinct call places than a tree can hold; the rest are left out.";
        /// V8 profiles without time differences.
        NoTimes = "no-times", Warning,
            "The file has no time differences, so there are only numbers of samples.";
        /// PerfView's numbers are read as milliseconds.
        ValuesTakenForTimes = "values-taken-for-times", Note,
            "PerfView does not save what the numbers in its views mean. These have decimals, so they are read as milliseconds, which is what PerfView's own views with decimals show.";
        /// PerfView's numbers are read as plain numbers.
        ValuesWithoutUnit = "values-without-unit", Note,
            "PerfView does not save what the numbers in its views mean. These are whole, so they are shown as they are: samples, milliseconds or bytes.";
        /// A thread of perf is the kernel's idle loop.
        KernelIdleLoop = "kernel-idle-loop", Warning,
            "Thread (0) swapper is the kernel's idle loop: its samples are those of idle processors";
        /// perf copied stacks from memory.
        StacksNotWalked = "stacks-not-walked", Warning,
            "perf copied stacks (--call-graph dwarf), and only its own `perf script` can walk them: their innermost frame is here. Open what `perf script -i FILE > perf.txt` prints, or record with --call-graph fp.";
        /// Symbols next to a Windows trace are not read.
        NgenPdbsLeftOut = "ngen-pdbs-left-out", Note,
            "The symbols of precompiled code in NGENPDBS are not read: its methods have names where the runtime reported them.";
        /// A report without call stacks.
        NoCallStacks = "no-call-stacks", Warning,
            "the report has no call stacks, so all methods are on one level, and the total is the sum of their own times; PrintCallstacks=\"Full\" in the report's pattern asks for call stacks";
        /// A snapshot without a list of modules.
        NoModules = "no-modules", Warning,
            "the snapshot has no list of modules (section 0x0110)";
        /// A snapshot without metadata.
        NoMetadata = "no-metadata", Warning,
            "the snapshot has no metadata (section 0x0100), so no method has a name";
        /// A snapshot without a description.
        NoDescription = "no-description", Warning,
            "the snapshot has no description, so the kind of the profile is unknown";
        /// A description without settings.
        NoSettings = "no-settings", Warning,
            "the description has no settings, so the kind of the profile is unknown";
        /// Times of statements are not read.
        NoStatementTimes = "no-statement-times", Warning,
            "the times of single statements in this line-by-line profile are not read";
        /// A Reporter that has no signatures.
        ReporterWithoutSignatures = "reporter-without-signatures", Warning,
            "this Reporter does not know --save-signature, so overloads of a method can't be told apart";
        /// A Reporter that can't be kept from checking for updates.
        ReporterLooksForUpdates = "reporter-looks-for-updates", Warning,
            "this Reporter does not know --no-check-for-updates, so it may have checked for updates online";
        /// Messages about truncated stacks cover the whole recording, not only the time range.
        TruncationOfWhole = "truncation-of-whole", Caution,
            "Messages about truncated stacks cover the whole recording, not only this time range.";
        /// The shown time range is empty.
        NothingInRange = "nothing-in-range", Warning,
            "Nothing was recorded in this time range.";
        /// A trace is shown by its CPU profile, but also has spans.
        SpansBesideProfile = "spans-beside-profile", Note,
            "The trace is shown as its CPU profile, the samples of its threads; `--format trace-event` shows the spans of its events instead.";
        /// A trace is shown by its spans, but also has a CPU profile.
        ProfileBesideSpans = "profile-beside-spans", Note,
            "The trace also has a CPU profile, which is shown instead of the spans unless `--format` says otherwise.";
        /// Weights or their sums don't fit into 64 bits.
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
