//! An example of each diagnostic.

use dotspot::testing::diagnostics::*;
use dotspot::testing::units::Unit;

/// A share of `part_ms` in 1,000 ms.
fn share(metric: &str, part_ms: u64) -> Share {
    Share {
        metric: metric.into(),
        unit: Unit::Milliseconds,
        part: part_ms * 1_000_000,
        whole: 1_000_000_000,
    }
}

fn truncated(repaired: u64, is_repaired: bool) -> Diagnostic {
    let stacks = StacksTruncated {
        limit_frames: 100,
        metric: None,
        total: 2000,
        truncated: 500,
        repaired,
        depth_uncertain: 0,
        is_repaired,
    };
    Diagnostic::StacksTruncated { stacks }
}

/// The diagnostics that are always stated in the same words.
fn without_data() -> Vec<Diagnostic> {
    vec![
        Diagnostic::CountsUnclear {},
        Diagnostic::NoProfiles {},
        Diagnostic::NoFirefoxSamples {},
        Diagnostic::NoFrames {},
        Diagnostic::TreeFull {},
        Diagnostic::NoTimes {},
        Diagnostic::ValuesTakenForTimes {},
        Diagnostic::ValuesWithoutUnit {},
        Diagnostic::KernelIdleLoop {},
        Diagnostic::StacksNotWalked {},
        Diagnostic::NgenPdbsLeftOut {},
        Diagnostic::NoCallStacks {},
        Diagnostic::NoModules {},
        Diagnostic::NoMetadata {},
        Diagnostic::NoDescription {},
        Diagnostic::NoSettings {},
        Diagnostic::NoStatementTimes {},
        Diagnostic::ReporterWithoutSignatures {},
        Diagnostic::ReporterLooksForUpdates {},
        Diagnostic::TruncationOfWhole {},
        Diagnostic::NothingInRange {},
        Diagnostic::SpansBesideProfile {},
        Diagnostic::ProfileBesideSpans {},
        Diagnostic::SumsTooLarge {},
    ]
}

/// Examples of diagnostics with data.
#[rustfmt::skip]
fn with_data() -> Vec<Diagnostic> {
    let text = str::to_string;
    let problem = || text("it is empty");
    vec![
        Diagnostic::file_ends_at(1234),
        Diagnostic::unreadable_from(1234, problem()),
        Diagnostic::GzipStopped { reason: ContainerStop::IsDamaged, offset_bytes: 16 },
        Diagnostic::GzipChecksumWrong {},
        Diagnostic::GzipTrailingBytes { offset_bytes: 16 },
        Diagnostic::ZipStopped { reason: ContainerStop::EndsEarly, member: text("a.nettrace"), unpacked_bytes: 16 },
        Diagnostic::ZipChecksumWrong { member: text("a.nettrace") },
        Diagnostic::BlocksDamaged { blocks: 2, first_block: text("EventBlock"), first_offset_bytes: 1234 },
        Diagnostic::EventsLeftOut { samples: 2, most_events: 16 },
        Diagnostic::PeriodsMissing { samples: 2, event: text("cycles") },
        Diagnostic::NamelessStacksTruncated { truncated: 500, samples: 2000, limit_frames: 100 },
        Diagnostic::ThinCpu { samples: 3, all_samples: 921 },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NativeCode, nameless: None, frames: None },
        Diagnostic::LinesLeftOut { lines: 2, fault: LineFault::Unreadable, first_line: 7, text: text("x") },
        Diagnostic::LinesLeftOut { lines: 2, fault: LineFault::NoStackAndWeight, first_line: 7, text: text("x") },
        Diagnostic::WeightsInParts { parts: 1000 },
        Diagnostic::MetricsLeftOut { values: 20, read: 16 },
        Diagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ShownAsNumbers },
        Diagnostic::UnitUnknown { unit: text("x"), values: UnknownUnit::ReadAsMilliseconds },
        Diagnostic::NodesNameless { count: 2 },
        Diagnostic::NodeKindsUnknown { count: 2, first: text("x") },
        Diagnostic::NodeIdsRepeated { ids: 2 },
        Diagnostic::TimesContradict { nodes: 1 },
        Diagnostic::NodesWithoutRow { nodes: 2, why_missing: MissingReason::Unread },
        Diagnostic::MetadataTwice { module: 16 },
        Diagnostic::MeasureTypeUnknown { measure_type: text("x") },
        Diagnostic::ThreadNumberTwice { thread: 7 },
        Diagnostic::SectionUnknown { section: 0x123, version: 2 },
        Diagnostic::MoreDiagnostics { left_out: 2 },
        Diagnostic::CacheUnusable { reason: problem() },
        Diagnostic::ReporterFailed { problem: text("Reporter ended with 1") },
    ]
}

/// More examples of diagnostics with data.
#[rustfmt::skip]
fn with_more_data() -> Vec<Diagnostic> {
    let text = str::to_string;
    let problem = || text("it is empty");
    vec![
        Diagnostic::NoSamples { providers: vec![(text("P"), 2000)], more_providers: 3 },
        Diagnostic::NoProcessorSamples { providers: vec![(text("P"), 2000)], more_providers: 0 },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPdbs, nameless: None, frames: None },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoSymbols, nameless: None, frames: None },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoRundown, nameless: None, frames: None },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPerfMap, nameless: Some(1), frames: Some(4) },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotInPerfMap, nameless: Some(1), frames: Some(4) },
        Diagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotSymbolicated, nameless: Some(1), frames: Some(4) },
        Diagnostic::NamelessModules { permille: 250, modules: vec![text("libc.so.6")], more_modules: 2 },
        Diagnostic::NotesUnread { file: text("a.dotspot.json"), reason: text("it is not JSON") },
        Diagnostic::UserCodeUnmatched { prefix: text("Acme") },
        Diagnostic::FormatUncertain { format: text("a"), title: text("the format A"), others: vec![text("b"), text("c")] },
        Diagnostic::FunctionsWithoutInstances { functions: 2, own_ms: 1.5 },
        Diagnostic::MetadataUnreadable { module: 16, name: text("Shop"), reason: problem() },
        Diagnostic::FileUnread { file: text("a"), problem: problem() },
        Diagnostic::DescriptionUnexpected { problem: problem(), has_settings: true },
        Diagnostic::TimeUnreadable { problem: problem() },
        Diagnostic::SectionVersionUnknown { section: 0x123, version: 2, known: text("version 1") },
        Diagnostic::FellBack { decoder: "b".into(), before: "a".into(), reason: problem() },
        Diagnostic::ToolchainPassedOver { toolchain: "b".into(), reason: problem() },
        Diagnostic::GcPolls { share: share("CPU", 21) },
        Diagnostic::WaitsOnCpu { share: share("CPU", 51), method: text("SpinWait.SpinOnce") },
        Diagnostic::ThreadsWait { waiting: 2, threads: 3, share: share("wall", 200), has_cpu: true },
        Diagnostic::MessageLoop { share: share("wall", 51), method: text("Dispatcher.GetMessage") },
        Diagnostic::DebugBuild {},
        Diagnostic::AllocationsEstimated {},
        Diagnostic::CpuIncomplete {},
        Diagnostic::ThreadsWait { waiting: 1, threads: 3, share: share("wall", 200), has_cpu: false },
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
    counted
        .chain(partly)
        .chain(without_data())
        .chain(with_data())
        .chain(with_more_data())
}
