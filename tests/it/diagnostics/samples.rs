//! An example of each diagnostic.

use dotspot::testing::diagnostics::*;
use dotspot::testing::units::Unit;

use Diagnostic::{Analysis, CallTree, Container, Decoding, File, Report, Snapshot, Trace};

/// A share of `part_ms` in 1,000 ms.
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

/// Examples of diagnostics with data.
#[rustfmt::skip]
fn with_data() -> Vec<Diagnostic> {
    let text = str::to_string;
    let problem = || text("it is empty");
    vec![
        BrokenOff::at(1234),
        BrokenOff::damaged(1234, problem()),
        Container(ContainerDiagnostic::GzipStopped { reason: ContainerStop::IsDamaged, offset_bytes: 16 }),
        Container(ContainerDiagnostic::GzipChecksumWrong {}),
        Container(ContainerDiagnostic::GzipTrailingBytes { offset_bytes: 16 }),
        Container(ContainerDiagnostic::ZipStopped { reason: ContainerStop::BreaksOff, member: text("a.nettrace"), unpacked_bytes: 16 }),
        Container(ContainerDiagnostic::ZipChecksumWrong { member: text("a.nettrace") }),
        Trace(TraceDiagnostic::BlocksDamaged { blocks: 2, first_block: text("EventBlock"), first_offset_bytes: 1234 }),
        Trace(TraceDiagnostic::EventsLeftOut { samples: 2, most_events: 16 }),
        Trace(TraceDiagnostic::PeriodsMissing { samples: 2, event: text("cycles") }),
        Trace(TraceDiagnostic::NamelessStacksTruncated { truncated: 500, samples: 2000, limit_frames: 100 }),
        Trace(TraceDiagnostic::ThinCpu { samples: 3, all_samples: 921 }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NativeCode, nameless: None, frames: None }),
        File(FileDiagnostic::LinesLeftOut { lines: 2, fault: LineFault::Unreadable, first_line: 7, text: text("x") }),
        File(FileDiagnostic::LinesLeftOut { lines: 2, fault: LineFault::NoStackAndWeight, first_line: 7, text: text("x") }),
        File(FileDiagnostic::WeightsInParts { parts: 1000 }),
        File(FileDiagnostic::MetricsLeftOut { values: 20, read: 16 }),
        File(FileDiagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ShownAsNumbers }),
        File(FileDiagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ReadAsMilliseconds }),
        CallTree(CallTreeDiagnostic::NodesNameless { count: 2 }),
        CallTree(CallTreeDiagnostic::NodeKindsUnknown { count: 2, first: text("x") }),
        CallTree(CallTreeDiagnostic::NodeIdsRepeated { ids: 2 }),
        Report(ReportDiagnostic::NotNumbers { values: 1, first: text("1,000") }),
        Report(ReportDiagnostic::TimesContradict { nodes: 1 }),
        Report(ReportDiagnostic::NodesWithoutRow { nodes: 2, why_missing: MissingReason::Unread }),
        Snapshot(SnapshotDiagnostic::MetadataTwice { module: 16 }),
        Snapshot(SnapshotDiagnostic::MeasureTypeUnknown { measure_type: text("x") }),
        Snapshot(SnapshotDiagnostic::ThreadNumberTwice { thread: 7 }),
        Snapshot(SnapshotDiagnostic::SectionUnknown { section: 0x123, version: 2 }),
        Snapshot(SnapshotDiagnostic::MoreDiagnostics { left_out: 2 }),
        Decoding(DecodingDiagnostic::CacheUnusable { reason: problem() }),
        Decoding(DecodingDiagnostic::ReporterFailed { problem: text("Reporter ended with 1") }),
    ]
}

/// More examples of diagnostics with data.
#[rustfmt::skip]
fn with_more_data() -> Vec<Diagnostic> {
    let text = str::to_string;
    let problem = || text("it is empty");
    vec![
        Trace(TraceDiagnostic::NoSamples { providers: vec![(text("P"), 2000)], more_providers: 3 }),
        Trace(TraceDiagnostic::NoProcessorSamples { providers: vec![(text("P"), 2000)], more_providers: 0 }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPdbs, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoSymbols, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoRundown, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPerfMap, nameless: Some(1), frames: Some(4) }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotInPerfMap, nameless: Some(1), frames: Some(4) }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotSymbolicated, nameless: Some(1), frames: Some(4) }),
        Trace(TraceDiagnostic::NamelessModules { permille: 250, modules: vec![text("libc.so.6")], more_modules: 2 }),
        File(FileDiagnostic::NotesUnread { file: text("a.dotspot.json"), reason: text("it is not JSON") }),
        File(FileDiagnostic::UserCodeUnmatched { prefix: text("Acme") }),
        File(FileDiagnostic::FormatUncertain { format: text("a"), title: text("the format A"), others: vec![text("b"), text("c")] }),
        Report(ReportDiagnostic::OtherCounts { left_out: "Calls".into(), elements: 2, kept: "Samples".into() }),
        Report(ReportDiagnostic::FunctionsWithoutInstances { functions: 2, own_ms: 1.5 }),
        Snapshot(SnapshotDiagnostic::MetadataUnreadable { module: 16, name: text("Shop"), reason: problem() }),
        Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: UnreadSection::Sums }),
        Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: UnreadSection::Description }),
        Snapshot(SnapshotDiagnostic::DescriptionUnexpected { problem: problem(), has_settings: true }),
        Snapshot(SnapshotDiagnostic::SumsMisfit { thread: 7, place: text("a"), offset_bytes: 16, problem: problem() }),
        Snapshot(SnapshotDiagnostic::TimeUnreadable { problem: problem() }),
        Snapshot(SnapshotDiagnostic::SectionVersionUnknown { section: 0x123, version: 2, known: text("version 1") }),
        Snapshot(SnapshotDiagnostic::SumsMissing { sections: 1, expected: 2 }),
        Snapshot(SnapshotDiagnostic::SectionMisplaced { section: 0x123, offset_bytes: 16, file: text("a") }),
        Snapshot(SnapshotDiagnostic::SettingsUnreadable { file: text("a"), problem: problem() }),
        Snapshot(SnapshotDiagnostic::SumsUnreadable { file: text("a"), sums: 2 }),
        Decoding(DecodingDiagnostic::FellBack { decoder: "b".into(), before: "a".into(), reason: problem() }),
        Decoding(DecodingDiagnostic::ToolchainPassedOver { toolchain: "b".into(), reason: problem() }),
        Analysis(AnalysisDiagnostic::GcPolls { share: share("CPU", 21) }),
        Analysis(AnalysisDiagnostic::WaitsOnCpu { share: share("CPU", 51), method: text("SpinWait.SpinOnce") }),
        Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 2, threads: 3, share: share("wall", 200), has_cpu: true }),
        Analysis(AnalysisDiagnostic::MessageLoop { share: share("wall", 51), method: text("Dispatcher.GetMessage") }),
        Analysis(AnalysisDiagnostic::DebugBuild {}),
        Analysis(AnalysisDiagnostic::AllocationsEstimated {}),
        Analysis(AnalysisDiagnostic::CpuIncomplete {}),
        Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 1, threads: 3, share: share("wall", 200), has_cpu: false }),
        stored(StoredDifference::Missing {}),
        stored(StoredDifference::Other {}),
        stored(StoredDifference::Value { what: "inclusive".into(), stored: 2000.0, computed: 3000.0 }),
        truncated(0, false),
        truncated(400, true),
        Diagnostic::kept(text("A warning of the original.")),
        Diagnostic::kept_note(text("A note of the original.")),
    ]
}

/// An example of each diagnostic. Counted ones have a count of 2.
pub fn samples() -> impl Iterator<Item = Diagnostic> {
    let counted = Anomaly::ALL
        .into_iter()
        .filter_map(|anomaly| anomaly.times(2));
    let partly = partly::ALL.iter().filter_map(|partly| partly.times(2));
    let plain = Remark::ALL.into_iter().map(Diagnostic::plain);
    counted
        .chain(partly)
        .chain(plain)
        .chain(with_data())
        .chain(with_more_data())
}
