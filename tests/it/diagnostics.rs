//! What diagnostics say, each sentence once: elsewhere, tests ask for codes and data.

use crate::common::generated;
use crate::common::schema;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::Severity;
use dotspot::testing::diagnostics::Severity::{Caution, Note, Warning};
use dotspot::testing::diagnostics::*;
use dotspot::testing::units::Unit;
use std::collections::{BTreeMap, BTreeSet};

use Diagnostic::{Analysis, CallTree, Container, Decoding, File, Report, Snapshot, Trace};

/// So many of 1,000 ms.
fn share(metric: &str, part_ms: u64) -> Share {
    Share {
        metric: metric.into(),
        unit: Unit::Milliseconds,
        part: part_ms * 1_000_000,
        whole: 1_000_000_000,
    }
}

fn stored(difference: StoredDifference) -> Diagnostic {
    let method = "Shop.A".into();
    Analysis(AnalysisDiagnostic::StoredHotspotsDiffer {
        differing: 1,
        stored_hotspots: 2,
        method,
        difference,
    })
}

fn truncated(repaired: u64, is_repaired: bool) -> Diagnostic {
    Diagnostic::StacksTruncated(StacksTruncated {
        limit_frames: 100,
        metric: None,
        total: 2000,
        truncated: 500,
        repaired,
        depth_uncertain: 0,
        is_repaired,
    })
}

/// Diagnostics with data: an example of each, its code and severity, and what it says.
#[rustfmt::skip]
fn examples() -> Vec<(Diagnostic, &'static str, Severity, &'static str)> {
    let text = str::to_string;
    let (worst, problem) = (|| text("Shop.A"), || text("it is empty"));
    vec![
        (partly::EVENTS_INCOMPLETE.met(1), "partly-read", Warning, "1 event without a known type, a time or a frame: left out"),
        (partly::EVENTS_INCOMPLETE.met(2), "partly-read", Warning, "2 events without a known type, a time or a frame: left out"),
        (BrokenOff::at(1234, Ending::Plain {}), "broken-off", Warning, "The file breaks off at byte 1,234; everything before it is kept."),
        (BrokenOff::at(1234, Ending::Problem { problem: text("is damaged") }), "broken-off", Warning, "The file is damaged at byte 1,234; everything before it is kept."),
        (BrokenOff::at(1234, Ending::InBlock { block: text("StackBlock") }), "broken-off", Warning, "The file breaks off at byte 1,234, in the middle of a block (StackBlock); everything before it is kept."),
        (BrokenOff::at(1234, Ending::InBlock { block: text("") }), "broken-off", Warning, "The file breaks off at byte 1,234, in the middle of a block; everything before it is kept."),
        (BrokenOff::at(1234, Ending::BetweenBlocks {}), "broken-off", Warning, "The file breaks off at byte 1,234, after a complete block but without the end mark; everything in it is kept."),
        (BrokenOff::at(1234, Ending::Damaged { problem: problem() }), "broken-off", Warning, "The file can't be read beyond byte 1,234: it is empty; everything before it is kept."),
        (BrokenOff::at(1234, Ending::Samples { samples: 2 }), "broken-off", Warning, "The file breaks off or is damaged at byte 1,234; the 2 samples before it are kept, and names may be missing."),
        (BrokenOff::at(1234, Ending::Nodes { nodes: 4 }), "broken-off", Warning, "the file breaks off at byte 1234 (0x4d2), after 4 nodes"),
        (BrokenOff::at(1234, Ending::Report { problem: text("breaks off"), nodes: 1 }), "broken-off", Warning, "the file breaks off at byte 1234 (0x4d2), after 1 node"),
        (Container(ContainerDiagnostic::GzipStopped { reason: Stop::IsDamaged, offset_bytes: 16 }), "gzip-stopped", Warning, "the gzip data is damaged at byte 16 (0x10) of the file; everything before it is read"),
        (Container(ContainerDiagnostic::GzipChecksumWrong {}), "gzip-checksum-wrong", Warning, "the checksum of the gzip data does not match: some of what was read may be wrong"),
        (Container(ContainerDiagnostic::GzipTrailingBytes { offset_bytes: 16 }), "gzip-trailing-bytes", Warning, "behind the gzip data, from byte 16 (0x10) on, the file has others: they are left out"),
        (Container(ContainerDiagnostic::ZipStopped { reason: Stop::BreaksOff, member: text("a.nettrace"), unpacked_bytes: 16 }), "zip-stopped", Warning, "the member a.nettrace of the zip archive breaks off after 16 unpacked bytes; everything before that is read"),
        (Container(ContainerDiagnostic::ZipChecksumWrong { member: text("a.nettrace") }), "zip-checksum-wrong", Warning, "the checksum of the member a.nettrace of the zip archive does not match: some of what was read may be wrong"),
        (Trace(TraceDiagnostic::BlocksDamaged { blocks: 2, first_block: text("EventBlock"), first_offset_bytes: 1234 }), "blocks-damaged", Warning, "2 blocks could not be read in full, the first (EventBlock) from byte 1,234 on; what could be read is kept."),
        (Trace(TraceDiagnostic::EventsLeftOut { samples: 2, most_events: 16 }), "events-left-out", Warning, "2 samples had to be left out: only the first 16 kinds of events are read"),
        (Trace(TraceDiagnostic::PeriodsMissing { samples: 2, event: text("cycles") }), "periods-missing", Warning, "2 samples of cycles have no period and count as 1"),
        (Trace(TraceDiagnostic::NamelessStacksTruncated { truncated: 500, samples: 2000, limit_frames: 100 }), "nameless-stacks-truncated", Warning, "500 of 2,000 samples (25.0 %) truncated at 100 frames, none of which has a name: their outermost callers are missing, which can't be seen in the tree."),
        (Trace(TraceDiagnostic::ThinCpu { samples: 3, all_samples: 921 }), "thin-cpu", Warning, "Only 3 of 921 samples found a thread in managed code, so CPU time says little; wall time, which is shown first, says more."),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NativeCode, nameless: None, frames: None }), "nameless-frames", Warning, "25.0 % of the frames in samples have no name (?!?): they lie in native code, or the list of methods in the file is not complete."),
        (File(FileDiagnostic::LinesLeftOut { lines: 2, fault: LineFault::Unreadable, first_line: 7, text: text("x") }), "lines-left-out", Warning, "2 lines could not be read and had to be left out, the first is line 7: \"x\""),
        (File(FileDiagnostic::LinesLeftOut { lines: 2, fault: LineFault::NoStackAndWeight, first_line: 7, text: text("x") }), "lines-left-out", Warning, "2 lines without a stack and a weight had to be left out, the first is line 7: \"x\""),
        (File(FileDiagnostic::WeightsInParts { parts: 1000 }), "weights-in-parts", Warning, "the file has weights with decimals, and trees have whole numbers: all values are given in 1/1,000, so that 1,000 is 1 of the file"),
        (File(FileDiagnostic::MetricsLeftOut { values: 20, read: 16 }), "metrics-left-out", Warning, "The samples have 20 values each, of which the first 16 are read."),
        (File(FileDiagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ShownAsNumbers }), "unit-unknown", Warning, "The unit \"x\" is not one that the format knows, so its values are shown as plain numbers."),
        (File(FileDiagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ReadAsMilliseconds }), "unit-unknown", Warning, "the file gives times in the unknown unit `x`: they are read as milliseconds"),
        (CallTree(CallTreeDiagnostic::HotspotsLeftOut { most: 100, left_out: 2 }), "hotspots-left-out", Warning, "the file lists more than 100 hotspots by one time: 2 rows are left out"),
        (CallTree(CallTreeDiagnostic::NodesNameless { count: 2 }), "nodes-nameless", Warning, "2 nodes have no name: they are shown as [No name]"),
        (CallTree(CallTreeDiagnostic::NodeKindsUnknown { count: 2, first: text("x") }), "node-kinds-unknown", Warning, "2 nodes are of an unknown kind, such as \"x\": they are read as methods"),
        (CallTree(CallTreeDiagnostic::NodeIdsRepeated { ids: 2 }), "node-ids-repeated", Warning, "several nodes in the file share an id (2 ids): all are renumbered from n0"),
        (Report(ReportDiagnostic::NotNumbers { values: 1, first: text("1,000") }), "not-numbers", Warning, "ignored: 1 value that should be numbers, such as \"1,000\""),
        (Report(ReportDiagnostic::TimesContradict { nodes: 1, of_nodes: 2, worst: worst(), total_ms: 14.0, expected_ms: 10.0, why_missing: Some(WhyMissing::Pattern) }), "times-contradict", Warning, "TotalTime is not the sum of OwnTime and the callees, in 1 of 2 nodes: Shop.A has 14 ms, and the sum is 10 ms; it may have callees that are left out by the pattern of the report"),
        (Report(ReportDiagnostic::NodesWithoutRow { nodes: 2, why_missing: WhyMissing::Unread }), "nodes-without-row", Warning, "known only from the call stacks of others: 2 nodes, whose own rows are where the report can't be read; their own times are shown as 0"),
        (Snapshot(SnapshotDiagnostic::MetadataTwice { module: 16 }), "metadata-twice", Warning, "module 0x10 has metadata twice; the last is used"),
        (Snapshot(SnapshotDiagnostic::MeasureTypeUnknown { measure_type: text("x") }), "measure-type-unknown", Warning, "the measure type \"x\" is unknown, and with it the kind of the profile"),
        (Snapshot(SnapshotDiagnostic::ThreadNumberTwice { thread: 7 }), "thread-number-twice", Warning, "two threads have number 7, so node ids `t7:…` can mean either"),
        (Snapshot(SnapshotDiagnostic::SectionUnknown { section: 0x123, version: 2 }), "section-unknown", Warning, "section 0x0123 version 2 is not known, and was left out"),
        (Snapshot(SnapshotDiagnostic::MoreDiagnostics { left_out: 2 }), "more-diagnostics", Warning, "2 more warnings about this snapshot are left out"),
        (Decoding(DecodingDiagnostic::CacheUnusable { reason: problem() }), "cache-unusable", Warning, "it is empty; the next run will take just as long"),
        (Decoding(DecodingDiagnostic::TreeNotKept { reason: problem() }), "tree-not-kept", Warning, "the decoded tree can't be kept: it is empty; the next run will take just as long"),
        (Decoding(DecodingDiagnostic::ReporterFailed { problem: text("Reporter ended with 1") }), "reporter-failed", Warning, "Reporter ended with 1, but its report is complete"),
        (Trace(TraceDiagnostic::NoSamples { providers: vec![(text("P"), 2000)], more_providers: 3 }), "no-samples", Warning, "The file has no samples, so the tree is empty; its events: 2,000 of P, others of 3 more providers. To record samples, use the profile dotnet-sampled-thread-time of dotnet-trace collect (cpu-sampling in versions before 2025)."),
        (Trace(TraceDiagnostic::NoProcessorSamples { providers: vec![(text("P"), 2000)], more_providers: 0 }), "no-samples", Warning, "The file has no samples, so the tree is empty; its events: 2,000 of P. To record samples, use `PerfView collect` or `wpr -start CPU`."),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPdbs, nameless: None, frames: None }), "nameless-frames", Warning, "25.0 % of the frames in samples have no name (module!? or ?!?): native code, whose names Windows keeps in files of symbols (.pdb) that are not read."),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoSymbols, nameless: None, frames: None }), "nameless-frames", Warning, "25.0 % of the frames in samples have no name (?!? or module!?), because the file has no symbols for them; code that .NET compiles at run time has names if the program was started with DOTNET_PerfMapEnabled=1."),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoRundown, nameless: None, frames: None }), "nameless-frames", Warning, "The file has no rundown, the list of methods that the runtime writes when a recording is stopped properly, so 25.0 % of the frames in samples have no name (?!?)."),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPerfMap, nameless: Some(1), frames: Some(4) }), "nameless-frames", Warning, "25.0 % of the frames in samples have no name (1 of 4); code that was compiled at run time is named by perf-PID.map, which .NET writes to /tmp with DOTNET_PerfMapEnabled=1: put it beside the file"),
        (Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotInPerfMap, nameless: Some(1), frames: Some(4) }), "nameless-frames", Warning, "25.0 % of the frames in samples have no name (1 of 4), such as precompiled code of .NET: with DOTNET_ReadyToRun=0 it is compiled at run time and has names"),
        (File(FileDiagnostic::NotesUnread { file: text("a.dotspot.json"), reason: text("it is no JSON") }), "notes-unread", Warning, "the notes on methods in a.dotspot.json are not shown: it is no JSON"),
        (File(FileDiagnostic::FormatUncertain { format: text("a"), title: text("the format A"), others: vec![text("b"), text("c")] }), "format-uncertain", Warning, "the file was read as the format A (a), and --format b or --format c may fit as well"),
        (Report(ReportDiagnostic::OtherCounts { left_out: "Calls".into(), elements: 2, kept: "Samples".into() }), "other-counts", Warning, "left out: Calls in 2 elements, since others have Samples"),
        (Report(ReportDiagnostic::InstancesContradict { functions: 1, of_functions: 2, worst: worst(), own_ms: 14.0, instances: 2, instances_own_ms: 10.0 }), "instances-contradict", Warning, "OwnTime or the number of Instances does not match the Instances themselves, for 1 of 2 functions: Shop.A has 14 ms, and its 2 Instances 10 ms"),
        (Report(ReportDiagnostic::FunctionsWithoutInstances { functions: 2, own_ms: 1.5 }), "functions-without-instances", Warning, "not in the tree: 2 functions without Instances, whose own times are 1.5 ms together; the report's pattern asks for call stacks with PrintCallstacks=\"Full\""),
        (Snapshot(SnapshotDiagnostic::MetadataUnreadable { module: 16, name: text("Shop"), reason: problem() }), "metadata-unreadable", Warning, "the metadata of module 0x10 \"Shop\" can't be read, because it is empty"),
        (Snapshot(SnapshotDiagnostic::UnknownNumber { section: 0x123, what: text("the version"), found: 2, expected: 1 }), "unknown-number", Warning, "section 0x0123: the version is 2, and 1 in all known snapshots; what that means is unknown"),
        (Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: Unread::Sums }), "file-unread", Warning, "a: it is empty: dotTrace's own sums can't be compared with the tree"),
        (Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: Unread::Description }), "file-unread", Warning, "a: it is empty: a part of the description is left out"),
        (Snapshot(SnapshotDiagnostic::DescriptionUnexpected { problem: problem(), has_settings: true }), "description-unexpected", Warning, "the description (section 0x0000) is not as expected: it is empty; only its settings were read"),
        (Snapshot(SnapshotDiagnostic::SumsMisfit { thread: 7, place: text("a"), offset_bytes: 16, problem: problem() }), "sums-misfit", Warning, "dotTrace's own sums of thread 7 and its tree contradict each other, so the file is damaged: a at byte 16 (0x10): it is empty"),
        (Snapshot(SnapshotDiagnostic::TimeUnreadable { problem: problem() }), "time-unreadable", Warning, "the time of the snapshot (section 0x0001) can't be read: it is empty"),
        (Snapshot(SnapshotDiagnostic::SectionVersionUnknown { section: 0x123, version: 2, known: text("version 1") }), "section-version-unknown", Warning, "section 0x0123 has version 2, and only version 1 is known: it was left out"),
        (Snapshot(SnapshotDiagnostic::SumsMissing { sections: 1, expected: 2 }), "sums-missing", Warning, "the table lists 1 sections with dotTrace's own sums where 2 were expected: not all can be compared"),
        (Snapshot(SnapshotDiagnostic::SectionMisplaced { section: 0x123, offset_bytes: 16, file: text("a") }), "section-misplaced", Warning, "section 0x0123 at byte 16 of a follows no call tree of its own, and was left out"),
        (Snapshot(SnapshotDiagnostic::SettingsUnreadable { file: text("a"), problem: problem() }), "settings-unreadable", Warning, "a: it is empty: dotTrace's sums in it are left out from here on"),
        (Snapshot(SnapshotDiagnostic::SumsUnreadable { file: text("a"), sums: 2 }), "sums-unreadable", Warning, "a: 2 sums of dotTrace can't be read, and can't be compared"),
        (Decoding(DecodingDiagnostic::FellBack { decoder: "b".into(), before: "a".into(), reason: problem() }), "decoder-fell-back", Warning, "read by decoder b, because decoder a failed: it is empty"),
        (Decoding(DecodingDiagnostic::ToolchainPassedOver { toolchain: "b".into(), reason: problem() }), "toolchain-passed-over", Warning, "the helper was built with b, because it is empty"),
        (Decoding(DecodingDiagnostic::TreeTooLargeToKeep { limit_bytes: 2_000_000 }), "tree-too-large-to-keep", Warning, "the decoded tree is larger than the 2.0 MB that may be kept; the next run will take just as long"),
        (Analysis(AnalysisDiagnostic::GcPolls(share("CPU", 21))), "gc-polls", Caution, "2.1 % of the CPU time (21.0 ms) is in Thread.PollGC. A thread can only be sampled where it polls for a garbage collection, so time in short methods is charged to the next poll: they look cheaper than they are, and the callers of PollGC more expensive."),
        (Analysis(AnalysisDiagnostic::WaitsOnCpu { share: share("CPU", 51), method: text("SpinWait.SpinOnce") }), "waits-on-cpu", Caution, "5.1 % of the CPU time (51.0 ms) is in methods that wait or spin, most of it in SpinWait.SpinOnce. Threads that look for work count as running there; the program's own work is in the rest."),
        (Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 2, threads: 3, share: share("wall", 200), has_cpu: true }), "threads-wait", Caution, "2 of 3 threads with 20.0 % of the wall time (200.0 ms) only wait. Percentages leave waiting out; W or --waiting counts it."),
        (Analysis(AnalysisDiagnostic::AllocationsEstimated {}), "allocations-estimated", Caution, "Allocated bytes are estimates: the runtime reports one object for about every 100 kB, and its stack and type stand for everything allocated since the last one. Where a program allocates in a rhythm, a method may get 2 or 3 times its bytes or miss most of them; small numbers are guesses."),
        (Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 1, threads: 3, share: share("wall", 200), has_cpu: false }), "threads-wait", Caution, "1 of 3 threads with 20.0 % of the wall time (200.0 ms) only waits. Percentages leave waiting out; W or --waiting counts it."),
        (stored(StoredDifference::Missing {}), "stored-hotspots-differ", Warning, "1 of the 2 hotspots stored in the file differ from the tree: Shop.A is not in the tree"),
        (stored(StoredDifference::Other {}), "stored-hotspots-differ", Warning, "1 of the 2 hotspots stored in the file differ from the tree: Shop.A differs"),
        (stored(StoredDifference::Value { what: "inclusive".into(), stored: 2000.0, computed: 3000.0 }), "stored-hotspots-differ", Warning, "1 of the 2 hotspots stored in the file differ from the tree: Shop.A has inclusive 2000 in the file and 3000 in the tree"),
        (truncated(0, false), "stacks-truncated", Warning, "500 of 2,000 samples (25.0 %) truncated at 100 frames: their outermost callers are missing, and they hang below [truncated at 100 frames] of their thread."),
        (truncated(400, true), "stacks-truncated", Warning, "500 of 2,000 samples (25.0 %) truncated at 100 frames: 400 repaired, 100 left below [truncated at 100 frames]; `info --truncation` says more, and R or --no-repair shows them as recorded."),
        (Diagnostic::kept(text("As it was.")), "kept", Warning, "As it was."),
        (Diagnostic::kept_note(text("As it was.")), "kept-note", Note, "As it was."),
    ]
}

#[test]
fn counted_things_say_how_many() {
    assert_eq!(COUNTED.len(), Anomaly::all().count(), "each has a row");
    for ((anomaly, code, sentence), known) in COUNTED.into_iter().zip(Anomaly::all()) {
        let diagnostic = anomaly.times(2).expect("it was met");
        assert_eq!(
            (anomaly, diagnostic.code(), diagnostic.to_string().as_str()),
            (known, code, sentence)
        );
        assert_eq!(diagnostic.severity(), Warning, "{code}");
    }
}

#[test]
fn remarks_say_the_same_each_time() {
    assert_eq!(REMARKS.len(), Remark::all().count(), "each has a row");
    for ((remark, code, severity, sentence), known) in REMARKS.into_iter().zip(Remark::all()) {
        let diagnostic = Diagnostic::plain(remark);
        assert_eq!(
            (
                remark,
                diagnostic.code(),
                diagnostic.severity(),
                diagnostic.to_string().as_str()
            ),
            (known, code, severity, sentence)
        );
    }
}

#[test]
fn diagnostics_with_data_say_what_they_hold() {
    for (diagnostic, code, severity, sentence) in examples() {
        let said = diagnostic.to_string();
        assert_eq!(
            (diagnostic.code(), diagnostic.severity(), said.as_str()),
            (code, severity, sentence)
        );
    }
}

/// Things that are counted, met twice: the code and the sentence.
#[rustfmt::skip]
const COUNTED: [(Anomaly, &str, &str); 17] = [
    (Anomaly::FramesCrossed, "frames-crossed", "2 frames ended while others were open inside; they last until those end or the next begins."),
    (Anomaly::EndsNotOpen, "ends-without-begin", "2 ends of a frame that was not open: left out."),
    (Anomaly::FramesUnended, "frames-unended", "2 frames without an end: read as lasting until the end of the profile or the thread's last event."),
    (Anomaly::ValuesClamped, "values-clamped", "2 values out of range or not a number: read as 0 or as the nearest bound."),
    (Anomaly::ValuesVanished, "values-vanished", "2 values above 0 but below 1/1,000,000: read as 0."),
    (Anomaly::SamplesWithoutStack, "samples-without-stack", "2 samples without a stack."),
    (Anomaly::ValuesNegative, "values-negative", "2 values below zero count as zero: this looks like the difference of two profiles."),
    (Anomaly::EventsDropped, "events-dropped", "2 events got lost while recording, so samples or methods may be missing; a larger buffer (`dotspot record --buffer`, dotnet-trace collect --buffersize) can prevent that."),
    (Anomaly::TraceEventsLost, "events-dropped", "2 events got lost while recording, so samples, stacks or methods may be missing; larger buffers (PerfView /BufferSizeMB) can prevent that."),
    (Anomaly::TraceBuffersLost, "buffers-dropped", "2 buffers of events got lost while recording, so samples, stacks or methods may be missing; a faster disk or larger buffers (PerfView /BufferSizeMB) can prevent that."),
    (Anomaly::EventsWithoutStack, "events-without-stack", "The file has no stack for 2 events (samples or allocations), so their values are shown as the thread's own."),
    (Anomaly::SamplesOutdated, "samples-outdated", "2 samples may name methods that had already been replaced: the code changed too often to look every stack up again in a file of this size."),
    (Anomaly::LocationsMissing, "locations-missing", "2 samples name places in the code that the file does not describe ([Location missing])."),
    (Anomaly::PerfSamplesWithoutStack, "samples-without-stack", "2 samples without a stack: the time is the thread's own; `perf record -g` records stacks"),
    (Anomaly::InstancesMerged, "instances-merged", "added up: 2 Instances with the call stack of another, as overloads have; `Reporter.exe --save-signature` tells them apart"),
    (Anomaly::FunctionsUnresolved, "functions-unresolved", "the snapshot has no name for 2 functions, shown as `[Unresolved function 0x…]`"),
    (Anomaly::SamplesContradict, "samples-contradict", "the samples of 2 nodes don't match their own time and their callees' samples"),
];

/// Things that need no data.
#[rustfmt::skip]
const REMARKS: [(Remark, &str, Severity, &str); 22] = [
    (Remark::CountsUnclear, "counts-unclear", Note, "the source does not say whether its counts are calls or samples"),
    (Remark::NoProfiles, "no-profiles", Warning, "The file holds no profiles, so the tree is empty. dotnet-trace writes such a file if the recording has no samples: record with the profile dotnet-sampled-thread-time (cpu-sampling in versions before 2025)."),
    (Remark::NoFrames, "no-frames", Warning, "The file has no events that begin and end (B, E, X) and no samples, so the tree is empty."),
    (Remark::TreeFull, "tree-full", Warning, "There are more distinct call places than a tree can hold; the rest are left out."),
    (Remark::NoTimes, "no-times", Warning, "The file has no time differences, so there are only numbers of samples."),
    (Remark::ValuesTakenForTimes, "values-taken-for-times", Note, "PerfView does not save what the numbers in its views mean. These have decimals, so they are read as milliseconds, which is what PerfView's own views with decimals show."),
    (Remark::ValuesWithoutUnit, "values-without-unit", Note, "PerfView does not save what the numbers in its views mean. These are whole, so they are shown as they are: samples, milliseconds or bytes."),
    (Remark::KernelIdleLoop, "kernel-idle-loop", Warning, "Thread (0) swapper is the kernel's idle loop: its samples are those of idle processors"),
    (Remark::NgenPdbsLeftOut, "ngen-pdbs-left-out", Note, "The symbols of precompiled code in NGENPDBS are not read: its methods have names where the runtime told them."),
    (Remark::NoCallStacks, "no-call-stacks", Warning, "the report has no call stacks, so all methods are on one level, and the total is the sum of their own times; PrintCallstacks=\"Full\" in the report's pattern asks for call stacks"),
    (Remark::NoModules, "no-modules", Warning, "the snapshot has no list of modules (section 0x0110)"),
    (Remark::NoMetadata, "no-metadata", Warning, "the snapshot has no metadata (section 0x0100), so no method has a name"),
    (Remark::NoDescription, "no-description", Warning, "the snapshot has no description, so the kind of the profile is unknown"),
    (Remark::NoSettings, "no-settings", Warning, "the description has no settings, so the kind of the profile is unknown"),
    (Remark::NoStatementTimes, "no-statement-times", Warning, "the times of single statements in this line-by-line profile are not read"),
    (Remark::ReporterWithoutSignatures, "reporter-without-signatures", Warning, "this Reporter does not know --save-signature, so overloads of a method can't be told apart"),
    (Remark::ReporterLooksForUpdates, "reporter-looks-for-updates", Warning, "this Reporter does not know --no-check-for-updates, so it may have checked for updates online"),
    (Remark::TruncationOfWhole, "truncation-of-whole", Caution, "What is said about truncated stacks covers the whole recording, not only this range of time."),
    (Remark::NothingInRange, "nothing-in-range", Warning, "Nothing was recorded in this range of time."),
    (Remark::SpansBesideProfile, "spans-beside-profile", Note, "The trace is shown as its CPU profile, the samples of its threads; `--format trace-event` shows the spans of its events instead."),
    (Remark::ProfileBesideSpans, "profile-beside-spans", Note, "The trace also has a CPU profile, which is shown instead of the spans unless `--format` says otherwise."),
    (Remark::SumsTooLarge, "sums-too-large", Warning, "Weights or their sums are larger than 2^64 - 1, the largest value that is stored: values that reach it may be far too small."),
];

/// The variants of an enumeration, by its source: rustfmt indents them, and nothing else in it, by four spaces.
fn variants(source: &str, name: &str) -> Vec<String> {
    let start = format!("pub enum {name} {{\n");
    let (_, body) = source.split_once(&start).expect("the enumeration is there");
    let body = body.split("\n}").next().expect("a split has a first part");
    let indented = body.lines().filter_map(|line| line.strip_prefix("    "));
    let named = indented.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    named
        .map(|line| line.split([' ', ',', '(']).next().unwrap().to_owned())
        .collect()
}

#[test]
fn each_diagnostic_with_data_has_an_example() {
    let shown: Vec<String> = examples()
        .iter()
        .map(|(diagnostic, ..)| format!("{diagnostic:?}"))
        .collect();
    let enumerations = [
        (
            include_str!("../../src/diagnostics/containers.rs"),
            "ContainerDiagnostic",
            "Container(",
        ),
        (
            include_str!("../../src/diagnostics/trace.rs"),
            "TraceDiagnostic",
            "Trace(",
        ),
        (
            include_str!("../../src/diagnostics/trace.rs"),
            "NamelessCause",
            "cause: ",
        ),
        (
            include_str!("../../src/diagnostics/file.rs"),
            "FileDiagnostic",
            "File(",
        ),
        (
            include_str!("../../src/diagnostics/calltree.rs"),
            "CallTreeDiagnostic",
            "CallTree(",
        ),
        (
            include_str!("../../src/diagnostics/report.rs"),
            "ReportDiagnostic",
            "Report(",
        ),
        (
            include_str!("../../src/diagnostics/snapshot.rs"),
            "SnapshotDiagnostic",
            "Snapshot(",
        ),
        (
            include_str!("../../src/diagnostics/decoding.rs"),
            "DecodingDiagnostic",
            "Decoding(",
        ),
        (
            include_str!("../../src/diagnostics/broken_off.rs"),
            "Ending",
            "ending: ",
        ),
        (
            include_str!("../../src/diagnostics/analysis.rs"),
            "AnalysisDiagnostic",
            "Analysis(",
        ),
        (
            include_str!("../../src/diagnostics/analysis.rs"),
            "StoredDifference",
            "difference: ",
        ),
    ];
    for (source, name, before) in enumerations {
        let variants = variants(source, name);
        assert!(variants.len() > 1, "{name} has variants");
        for variant in variants {
            let start = format!("{before}{variant}");
            let is_there = |text: &String| {
                text.split_once(&start)
                    .is_some_and(|(_, rest)| !rest.starts_with(char::is_alphanumeric))
            };
            assert!(
                shown.iter().any(is_there),
                "{name}::{variant} has no example"
            );
        }
    }
}

/// What the source says of a diagnostic's variant: its documentation, which is one line.
fn meaning(diagnostic: &Diagnostic) -> String {
    let debug = format!("{diagnostic:?}");
    let (source, variant) = match diagnostic {
        Diagnostic::Counted { anomaly, .. } => (
            include_str!("../../src/diagnostics/anomaly.rs"),
            format!("{anomaly:?}"),
        ),
        Diagnostic::Plain { remark } => (
            include_str!("../../src/diagnostics/remark.rs"),
            format!("{remark:?}"),
        ),
        Diagnostic::PartlyRead { .. }
        | Diagnostic::BrokenOff(_)
        | Diagnostic::StacksTruncated(_)
        | Diagnostic::Kept { .. } => (
            include_str!("../../src/diagnostics/mod.rs"),
            first_word(&debug),
        ),
        Diagnostic::Container(_) => (
            include_str!("../../src/diagnostics/containers.rs"),
            second_word(&debug),
        ),
        Diagnostic::Trace(_) => (
            include_str!("../../src/diagnostics/trace.rs"),
            second_word(&debug),
        ),
        Diagnostic::File(_) => (
            include_str!("../../src/diagnostics/file.rs"),
            second_word(&debug),
        ),
        Diagnostic::CallTree(_) => (
            include_str!("../../src/diagnostics/calltree.rs"),
            second_word(&debug),
        ),
        Diagnostic::Report(_) => (
            include_str!("../../src/diagnostics/report.rs"),
            second_word(&debug),
        ),
        Diagnostic::Snapshot(_) => (
            include_str!("../../src/diagnostics/snapshot.rs"),
            second_word(&debug),
        ),
        Diagnostic::Decoding(_) => (
            include_str!("../../src/diagnostics/decoding.rs"),
            second_word(&debug),
        ),
        Diagnostic::Analysis(_) => (
            include_str!("../../src/diagnostics/analysis.rs"),
            second_word(&debug),
        ),
    };
    let mut doc = "";
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("    /// ") {
            doc = text;
        } else if line
            .strip_prefix("    ")
            .is_some_and(|line| first_word(line) == variant)
        {
            assert!(!doc.is_empty(), "{variant} has no documentation");
            return doc.trim_end_matches('.').to_owned();
        } else if !line.starts_with("    #[") {
            doc = "";
        }
    }
    panic!("{variant} is not in the source");
}

fn first_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap()
        .to_owned()
}

fn second_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric())
        .nth(1)
        .unwrap()
        .to_owned()
}

/// Whether a diagnostic is about what dotTrace writes, which has a page of its own. The enumerations keep together what belongs together.
fn is_of_dottrace(diagnostic: &Diagnostic) -> bool {
    match diagnostic {
        Report(_) | Snapshot(_) | Decoding(_) => true,
        Diagnostic::Counted { anomaly, .. } => {
            *anomaly as usize >= Anomaly::InstancesMerged as usize
        }
        Diagnostic::Plain { remark } => (Remark::NoCallStacks as usize
            ..=Remark::ReporterLooksForUpdates as usize)
            .contains(&(*remark as usize)),
        _ => false,
    }
}

/// The table of some diagnostics by their codes.
fn table(diagnostics: impl Iterator<Item = Diagnostic>) -> String {
    let mut codes: BTreeMap<&str, (Severity, String, BTreeSet<String>)> = BTreeMap::new();
    for diagnostic in diagnostics {
        let (severity, meaning) = (diagnostic.severity(), meaning(&diagnostic));
        let (.., members) =
            codes
                .entry(diagnostic.code())
                .or_insert((severity, meaning, BTreeSet::new()));
        if let serde_json::Value::Object(data) = serde_json::to_value(&diagnostic).unwrap() {
            members.extend(data.into_iter().map(|(name, _)| format!("`{name}`")));
        }
    }
    let mut table =
        String::from("| code | severity | what it means | data members |\n|---|---|---|---|\n");
    for (code, (severity, meaning, members)) in codes {
        let members = members.into_iter().collect::<Vec<_>>().join(", ");
        table.push_str(&format!(
            "| {code} | {} | {meaning} | {members} |\n",
            severity.name()
        ));
    }
    table
}

#[test]
fn the_pages_list_all_codes() {
    let counted = Anomaly::all().filter_map(|anomaly| anomaly.times(2));
    let all = counted
        .chain(Remark::all().map(Diagnostic::plain))
        .chain(examples().into_iter().map(|row| row.0));
    let (of_dottrace, others): (Vec<Diagnostic>, Vec<Diagnostic>) = all.partition(is_of_dottrace);
    generated::check("docs/diagnostics.md", "codes", &table(others.into_iter()));
    generated::check(
        "docs/diagnostics-dottrace.md",
        "codes",
        &table(of_dottrace.into_iter()),
    );
}

#[test]
fn records_are_as_their_schema_says() {
    let counted = Anomaly::all().filter_map(|anomaly| anomaly.times(2));
    let all = counted
        .chain(Remark::all().map(Diagnostic::plain))
        .chain(examples().into_iter().map(|row| row.0));
    for diagnostic in all {
        let records = serde_json::json!([diagnostic.record()]);
        schema::hold(&records, "diagnostics-1", diagnostic.code());
    }
}
