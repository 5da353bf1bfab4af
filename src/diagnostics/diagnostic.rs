//! All diagnostics, each with its data, its code and its sentence.

use super::causes::{more_files, no_samples};
use super::define::diagnostics;
use super::share::waits_on_cpu;
use super::{
    Anomaly, ContainerStop, LineFault, MissingReason, NamelessCause, Severity, Share,
    StacksTruncated, UnknownUnit, WAITING_KEY_OR_FLAG,
};
use crate::units::{counted, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;

diagnostics! {
    /// Something countable that a well-formed file does not contain.
    Counted {
        #[serde(skip)]
        anomaly: Anomaly,
        count: u64,
    } = anomaly.code(), "{}", anomaly.sentence(*count);
    /// Parts of the file are damaged, unusual or of an unknown kind.
    PartlyRead {
        noun: Cow<'static, str>,
        count: u64,
        problem: Cow<'static, str>,
    } = "partly-read", "{} {problem}", counted(*count, noun);
    /// The file ends too early.
    IncompleteFile {
        offset_bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    } = "broken-off", "{}; everything up to there was read.", end_of_file(*offset_bytes, problem.as_deref());
    /// Stacks were cut by the recorder.
    StacksTruncated {
        #[serde(flatten)]
        stacks: StacksTruncated,
    } = "stacks-truncated", "{stacks}";
    /// gzip data is not read to its end.
    GzipStopped {
        reason: ContainerStop,
        offset_bytes: u64,
    } = "gzip-stopped",
        "the gzip data {} at byte {offset_bytes} ({offset_bytes:#x}) of the file; everything up to there was read",
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
        "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything up to there was read",
        reason.row();
    /// The checksum of a member does not match.
    ZipChecksumWrong { member: String } = "zip-checksum-wrong",
        "the checksum of the member {member} of the zip archive does not match: some of what was read may be wrong";
    /// Blocks could not be read in full.
    BlocksDamaged {
        blocks: u64,
        first_block: String,
        first_offset_bytes: u64,
    } = "blocks-damaged",
        "{} could not be read in full, the first ({first_block}) from byte {} on; what could be read is kept.",
        counted(*blocks, "block"), thousands(*first_offset_bytes);
    /// There are no samples.
    NoSamples {
        providers: Vec<(String, u64)>,
        more_providers: usize,
    } = "no-samples",
        "{} use the profile dotnet-sampled-thread-time of dotnet-trace collect (cpu-sampling in versions before 2025).",
        no_samples(providers, *more_providers);
    /// A whole-machine trace has no processor samples.
    NoProcessorSamples {
        providers: Vec<(String, u64)>,
        more_providers: usize,
    } = "no-samples",
        "{} use `PerfView collect` or `wpr -start CPU`.", no_samples(providers, *more_providers);
    /// Many frames have no names.
    NamelessFrames {
        permille: u64,
        cause: NamelessCause,
        #[serde(skip_serializing_if = "Option::is_none")]
        nameless: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        frames: Option<u64>,
    } = "nameless-frames", "{}", cause.sentence(*permille, nameless.zip(*frames));
    /// Many frames have no names, most of them in files for which this machine has no symbols.
    NamelessModules {
        permille: u64,
        modules: Vec<String>,
        more_modules: usize,
    } = "nameless-frames",
        "{}.{} % of the frames in samples have no name: this machine has no symbols for {}{}, or not for the recorded \
         build. Open the file where it was recorded, put those files next to it, or open what \
         `perf script -i FILE > perf.txt` prints there.",
        permille / 10, permille % 10, modules.join(", "), more_files(*more_modules);
    /// Stacks were cut, and none of their frames has a name, so nothing marks them in the tree.
    NamelessStacksTruncated {
        truncated: u64,
        samples: u64,
        limit_frames: u32,
    } = "nameless-stacks-truncated",
        "The stacks of {} of {} samples ({:.1} %) were truncated at {} frames, none of which has a name, so the tree \
         doesn't show that their outermost callers are missing.",
        thousands(*truncated), thousands(*samples), percent(*truncated, *samples),
        thousands(u64::from(*limit_frames));
    /// CPU time is based on very few samples.
    ThinCpu {
        samples: u64,
        all_samples: u64,
    } = "thin-cpu",
        "Only {} of {} found a thread in managed code, so CPU time is unreliable; use wall time, the default metric here.",
        thousands(*samples), counted(*all_samples, "sample");
    /// There are more kinds of events than are read.
    EventsLeftOut {
        samples: u64,
        most_events: usize,
    } = "events-left-out",
        "{} had to be left out: only the first {most_events} kinds of events are read",
        counted(*samples, "sample");
    /// Samples of an event lack the period that others have.
    PeriodsMissing { samples: u64, event: String } = "periods-missing",
        "{} of {event} have no period and count as 1", counted(*samples, "sample");
    /// Lines are left out.
    LinesLeftOut {
        lines: u64,
        fault: LineFault,
        first_line: u64,
        text: String,
    } = "lines-left-out",
        "{} {} had to be left out; the first is line {first_line}: {text:?}",
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
        "no module or namespace begins with {prefix}, so this prefix has no effect";
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
    /// The source does not say whether its counts are calls or samples.
    CountsUnclear {} = "counts-unclear",
        "the source does not say whether its counts are calls or samples";
    /// Speedscope without profiles.
    NoProfiles {} = "no-profiles",
        "The file has no profiles, so the tree is empty. dotnet-trace writes such a file if the recording has no samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025).";
    /// A profile of the Firefox Profiler without samples.
    NoFirefoxSamples {} = "no-samples",
        "The file has no stack samples, so the tree is empty.";
    /// Trace events without frames.
    NoFrames {} = "no-frames",
        "The file has no duration events (B, E, X) and no samples, so the tree is empty.";
    /// More different stacks than a tree can hold.
    TreeFull {} = "tree-full",
        "There are more distinct call paths than a tree can hold; the rest are left out.";
    /// V8 profiles without time differences.
    NoTimes {} = "no-times",
        "The file has no `timeDeltas`, so there are only sample counts.";
    /// PerfView's numbers are read as milliseconds.
    ValuesTakenForTimes {} = "values-taken-for-times",
        "PerfView does not save what the numbers in its views mean. These have decimals, so they are read as milliseconds, which is what PerfView's own views with decimals show.";
    /// PerfView's numbers are read as plain numbers.
    ValuesWithoutUnit {} = "values-without-unit",
        "PerfView does not save what the numbers in its views mean. These are whole, so they are shown as they are: samples, milliseconds or bytes.";
    /// A thread of perf is the kernel's idle loop.
    KernelIdleLoop {} = "kernel-idle-loop",
        "Thread (0) swapper is the kernel's idle loop: its samples are those of idle processors";
    /// perf copied stacks from memory.
    StacksNotWalked {} = "stacks-not-walked",
        "perf copied stacks (--call-graph dwarf), and only its own `perf script` can unwind them: only their innermost frame is shown. Open what `perf script -i FILE > perf.txt` prints, or record with --call-graph fp.";
    /// Symbols next to a Windows trace are not read.
    NgenPdbsLeftOut {} = "ngen-pdbs-left-out",
        "The symbols of precompiled code in NGENPDBS are not read: its methods have names where the runtime reported them.";
    /// Messages about truncated stacks cover the whole recording, not only the time range.
    TruncationOfWhole {} = "truncation-of-whole",
        "Messages about truncated stacks cover the whole recording, not only this time range.";
    /// The shown time range is empty.
    NothingInRange {} = "nothing-in-range",
        "Nothing was recorded in this time range.";
    /// A trace is shown by its CPU profile, but also has spans.
    SpansBesideProfile {} = "spans-beside-profile",
        "The trace is shown as its CPU profile, the samples of its threads; `--format trace-event` shows the spans of its events instead.";
    /// A trace is shown by its spans, but also has a CPU profile.
    ProfileBesideSpans {} = "profile-beside-spans",
        "The trace also has a CPU profile, which is shown instead of the spans unless `--format` says otherwise.";
    /// Weights or their sums don't fit into 64 bits.
    SumsTooLarge {} = "sums-too-large",
        "Weights or their sums are larger than 2^64 - 1, the largest value that is stored: values that reach it may be far too small.";
    /// Functions without instances, while others have some.
    FunctionsWithoutInstances {
        functions: u64,
        own_ms: f64,
    } = "functions-without-instances",
        "not in the tree: {} without Instances, whose own times add up to {own_ms} ms; to get call stacks, set \
         PrintCallstacks=\"Full\" in the report's pattern",
        counted(*functions, "function");
    /// Nodes that are only named in the call stacks of others.
    NodesWithoutRow {
        nodes: u64,
        why_missing: MissingReason,
    } = "nodes-without-row",
        "known only from other nodes' call stacks: {}, whose own rows {}; their own times are shown as 0",
        counted(*nodes, "node"), why_missing.row();
    /// Nodes whose total time is not their own time plus that of their callees.
    TimesContradict { nodes: u64 } = "times-contradict",
        "TotalTime is not the sum of OwnTime and the callees in {}; callees may be left out by the pattern of the report",
        counted(*nodes, "node");
    /// A report without call stacks.
    NoCallStacks {} = "no-call-stacks",
        "the report has no call stacks, so all methods are on one level, and the total is the sum of their own times; to get call stacks, set PrintCallstacks=\"Full\" in the report's pattern";
    /// A snapshot without a list of modules.
    NoModules {} = "no-modules",
        "the snapshot has no list of modules (section 0x0110)";
    /// A snapshot without metadata.
    NoMetadata {} = "no-metadata",
        "the snapshot has no metadata (section 0x0100), so no method has a name";
    /// A snapshot without a description.
    NoDescription {} = "no-description",
        "the snapshot has no description, so the kind of the profile is unknown";
    /// A description without settings.
    NoSettings {} = "no-settings",
        "the description has no settings, so the kind of the profile is unknown";
    /// Times of statements are not read.
    NoStatementTimes {} = "no-statement-times",
        "the times of individual statements in this line-by-line profile are not read";
    /// A Reporter that has no signatures.
    ReporterWithoutSignatures {} = "reporter-without-signatures",
        "this Reporter does not know --save-signature, so overloads of a method can't be told apart";
    /// A Reporter that can't be kept from checking for updates.
    ReporterLooksForUpdates {} = "reporter-looks-for-updates",
        "this Reporter does not know --no-check-for-updates, so it may have checked for updates online";
    /// A module has metadata twice.
    MetadataTwice { module: u32 } = "metadata-twice",
        "module {module:#x} has metadata twice; the last is used";
    /// The metadata of a module can't be read.
    MetadataUnreadable { module: u32, name: String, reason: String } = "metadata-unreadable",
        "the metadata of module {module:#x} {name:?} can't be read, because {reason}";
    /// A file that is not needed can't be read.
    FileUnread { file: String, problem: String } = "file-unread",
        "{file}: {problem}: a part of the description is left out";
    /// The description is not as expected.
    DescriptionUnexpected {
        problem: String,
        has_settings: bool,
    } = "description-unexpected",
        "the description (section 0x0000) is not as expected: {problem}; {}",
        if *has_settings { "only its settings were read" } else { "nothing in it was read" };
    /// The measure type, which determines the kind of the profile, is unknown.
    MeasureTypeUnknown { measure_type: String } = "measure-type-unknown",
        "the measure type {measure_type:?} is unknown, so the profile's kind is too";
    /// Two threads have the same number.
    ThreadNumberTwice { thread: u32 } = "thread-number-twice",
        "two threads have number {thread}, so node ids `t{thread}:…` can mean either";
    /// The time of the snapshot can't be read.
    TimeUnreadable { problem: String } = "time-unreadable",
        "the time of the snapshot (section 0x0001) can't be read: {problem}";
    /// A section is unknown.
    SectionUnknown { section: u16, version: u16 } = "section-unknown",
        "section {section:#06x} version {version} is not known, and was left out";
    /// An optional section has an unknown version.
    SectionVersionUnknown {
        section: u16,
        version: u16,
        known: String,
    } = "section-version-unknown",
        "section {section:#06x} has version {version}, and only {known} is known: it was left out";
    /// The snapshot has more diagnostics than are kept.
    MoreDiagnostics { left_out: usize } = "more-diagnostics",
        "{left_out} more warnings about this snapshot are left out";
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
    /// Much CPU time is in polls for the garbage collector.
    GcPolls {
        #[serde(flatten)]
        share: Share,
    } = "gc-polls",
        "{:.1} % of the CPU time ({}) is in Thread.PollGC and its PollGCWorker. A thread can only be sampled at a GC poll, \
         so time in short methods is charged to the next poll: they look cheaper than they \
         are, and the callers of PollGC more expensive.",
        share.percent(), share.words();
    /// Much CPU time, or dotTrace's time, is in methods that wait.
    WaitsOnCpu {
        #[serde(flatten)]
        share: Share,
        method: String,
    } = "waits-on-cpu", "{}", waits_on_cpu(share, method);
    /// Most of the time belongs to threads that only wait.
    ThreadsWait {
        waiting: usize,
        threads: usize,
        #[serde(flatten)]
        share: Share,
        has_cpu: bool,
    } = "threads-wait",
        "{waiting} of {} hardly {} anything but wait, for {:.1} % of the {} ({}). Percentages of {} exclude waiting; \
         {WAITING_KEY_OR_FLAG} includes it.",
        counted(*threads as u64, "thread"), if *waiting == 1 { "does" } else { "do" }, share.percent(), share.time(),
        share.words(), share.metric;
    /// Much time is exclusive to a message loop.
    MessageLoop {
        #[serde(flatten)]
        share: Share,
        method: String,
    } = "message-loop",
        "{:.1} % of the {} ({}) is {method}'s own time: a native message loop either waits for events or handles them, and \
         the recording can't tell which. It counts as waiting.",
        share.percent(), share.time(), share.words();
    /// The program was built for debugging.
    DebugBuild {} = "debug-build", "This is a Debug build: measure a Release build before you optimize.";
    /// Allocated bytes are estimates.
    AllocationsEstimated {} = "allocations-estimated",
        "Allocated bytes are estimates: the runtime reports one object for about every 100 kB, and its stack and type stand \
         for everything allocated since the last one. If a program allocates at regular intervals, a method may be charged 2 or 3 times \
         its bytes or lose most of them; small numbers are guesses.";
    /// The runtime counts managed code as external.
    CpuIncomplete {} = "cpu-incomplete",
        "CPU time is incomplete: .NET Core 3.1 and earlier marks many samples of managed code as external, mostly in methods that \
         allocate, so a method may lack most of its CPU time. Wall time has all samples.";
    /// A message stored in the file, without its data.
    Kept {
        #[serde(skip)]
        text: String,
        #[serde(skip)]
        severity: Severity,
    } = if *severity == Severity::Note { "kept-note" } else { "kept" }, "{text}";
}

fn end_of_file(offset_bytes: u64, problem: Option<&str>) -> String {
    let at = thousands(offset_bytes);
    match problem {
        None => format!("The file ends unexpectedly at byte {at}"),
        Some(problem) => format!("The file can't be read beyond byte {at}: {problem}"),
    }
}
