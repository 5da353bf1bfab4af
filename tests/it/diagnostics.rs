//! What diagnostics and messages say, in two snapshots: elsewhere, tests ask for codes and data.

use crate::common::generated;
use crate::common::schema;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::Severity;
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

/// Diagnostics with data: an example of each.
#[rustfmt::skip]
fn examples() -> Vec<Diagnostic> {
    let text = str::to_string;
    let (worst, problem) = (|| text("Shop.A"), || text("it is empty"));
    vec![
        partly::EVENTS_INCOMPLETE.met(1),
        partly::EVENTS_INCOMPLETE.met(2),
        BrokenOff::at(1234, Ending::Plain {}),
        BrokenOff::at(1234, Ending::Problem { problem: text("is damaged") }),
        BrokenOff::at(1234, Ending::InBlock { block: text("StackBlock") }),
        BrokenOff::at(1234, Ending::InBlock { block: text("") }),
        BrokenOff::at(1234, Ending::BetweenBlocks {}),
        BrokenOff::at(1234, Ending::Damaged { problem: problem() }),
        BrokenOff::at(1234, Ending::Samples { samples: 2 }),
        BrokenOff::at(1234, Ending::Nodes { nodes: 4 }),
        BrokenOff::at(1234, Ending::Report { problem: text("breaks off"), nodes: 1 }),
        Container(ContainerDiagnostic::GzipStopped { reason: Stop::IsDamaged, offset_bytes: 16 }),
        Container(ContainerDiagnostic::GzipChecksumWrong {}),
        Container(ContainerDiagnostic::GzipTrailingBytes { offset_bytes: 16 }),
        Container(ContainerDiagnostic::ZipStopped { reason: Stop::BreaksOff, member: text("a.nettrace"), unpacked_bytes: 16 }),
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
        CallTree(CallTreeDiagnostic::HotspotsLeftOut { most: 100, left_out: 2 }),
        CallTree(CallTreeDiagnostic::ValuesClamped { count: 2 }),
        CallTree(CallTreeDiagnostic::NodesNameless { count: 2 }),
        CallTree(CallTreeDiagnostic::NodeKindsUnknown { count: 2, first: text("x") }),
        CallTree(CallTreeDiagnostic::NodeIdsRepeated { ids: 2 }),
        Report(ReportDiagnostic::NotNumbers { values: 1, first: text("1,000") }),
        Report(ReportDiagnostic::TimesContradict { nodes: 1, of_nodes: 2, worst: worst(), total_ms: 14.0, expected_ms: 10.0, why_missing: Some(WhyMissing::Pattern) }),
        Report(ReportDiagnostic::NodesWithoutRow { nodes: 2, why_missing: WhyMissing::Unread }),
        Snapshot(SnapshotDiagnostic::MetadataTwice { module: 16 }),
        Snapshot(SnapshotDiagnostic::MeasureTypeUnknown { measure_type: text("x") }),
        Snapshot(SnapshotDiagnostic::ThreadNumberTwice { thread: 7 }),
        Snapshot(SnapshotDiagnostic::SectionUnknown { section: 0x123, version: 2 }),
        Snapshot(SnapshotDiagnostic::MoreDiagnostics { left_out: 2 }),
        Decoding(DecodingDiagnostic::CacheUnusable { reason: problem() }),
        Decoding(DecodingDiagnostic::TreeNotKept { reason: problem() }),
        Decoding(DecodingDiagnostic::ReporterFailed { problem: text("Reporter ended with 1") }),
        Trace(TraceDiagnostic::NoSamples { providers: vec![(text("P"), 2000)], more_providers: 3 }),
        Trace(TraceDiagnostic::NoProcessorSamples { providers: vec![(text("P"), 2000)], more_providers: 0 }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPdbs, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoSymbols, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoRundown, nameless: None, frames: None }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NoPerfMap, nameless: Some(1), frames: Some(4) }),
        Trace(TraceDiagnostic::NamelessFrames { permille: 250, cause: NamelessCause::NotInPerfMap, nameless: Some(1), frames: Some(4) }),
        File(FileDiagnostic::NotesUnread { file: text("a.dotspot.json"), reason: text("it is no JSON") }),
        File(FileDiagnostic::FormatUncertain { format: text("a"), title: text("the format A"), others: vec![text("b"), text("c")] }),
        Report(ReportDiagnostic::OtherCounts { left_out: "Calls".into(), elements: 2, kept: "Samples".into() }),
        Report(ReportDiagnostic::InstancesContradict { functions: 1, of_functions: 2, worst: worst(), own_ms: 14.0, instances: 2, instances_own_ms: 10.0 }),
        Report(ReportDiagnostic::FunctionsWithoutInstances { functions: 2, own_ms: 1.5 }),
        Snapshot(SnapshotDiagnostic::MetadataUnreadable { module: 16, name: text("Shop"), reason: problem() }),
        Snapshot(SnapshotDiagnostic::UnknownNumber { section: 0x123, what: text("the version"), found: 2, expected: 1 }),
        Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: Unread::Sums }),
        Snapshot(SnapshotDiagnostic::FileUnread { file: text("a"), problem: problem(), missing: Unread::Description }),
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
        Decoding(DecodingDiagnostic::TreeTooLargeToKeep { limit_bytes: 2_000_000 }),
        Analysis(AnalysisDiagnostic::GcPolls(share("CPU", 21))),
        Analysis(AnalysisDiagnostic::WaitsOnCpu { share: share("CPU", 51), method: text("SpinWait.SpinOnce") }),
        Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 2, threads: 3, share: share("wall", 200), has_cpu: true }),
        Analysis(AnalysisDiagnostic::AllocationsEstimated {}),
        Analysis(AnalysisDiagnostic::ThreadsWait { waiting: 1, threads: 3, share: share("wall", 200), has_cpu: false }),
        stored(StoredDifference::Missing {}),
        stored(StoredDifference::Other {}),
        stored(StoredDifference::Value { what: "inclusive".into(), stored: 2000.0, computed: 3000.0 }),
        truncated(0, false),
        truncated(400, true),
        Diagnostic::kept(text("As it was.")),
        Diagnostic::kept_note(text("As it was.")),
    ]
}

/// All diagnostics; what is counted was met twice.
fn all() -> impl Iterator<Item = Diagnostic> {
    let counted = Anomaly::all().filter_map(|anomaly| anomaly.times(2));
    let plain = Remark::all().map(Diagnostic::plain);
    counted.chain(plain).chain(examples())
}

/// Compares with the snapshot of this name in `tests/it/snapshots`.
fn golden(name: &str, text: &str) {
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn diagnostics_say_what_they_hold() {
    let line = |diagnostic: Diagnostic| {
        let severity = diagnostic.severity().name();
        format!("{} ({severity}): {diagnostic}\n", diagnostic.code())
    };
    golden("diagnostics", &all().map(line).collect::<String>());
}

#[test]
fn messages_are_these() {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_dotspot"));
    let output = program.args(["diagnostics", "--all"]).output().unwrap();
    golden("messages", &String::from_utf8(output.stdout).unwrap());
}

/// The enumerations by how their variants begin in `Debug`, with their sources.
#[rustfmt::skip]
const ENUMERATIONS: [(&str, &str, &str); 14] = [
    ("", "Diagnostic", include_str!("../../src/diagnostics/mod.rs")),
    ("anomaly: ", "Anomaly", include_str!("../../src/diagnostics/anomaly.rs")),
    ("remark: ", "Remark", include_str!("../../src/diagnostics/remark.rs")),
    ("Container(", "ContainerDiagnostic", include_str!("../../src/diagnostics/containers.rs")),
    ("Trace(", "TraceDiagnostic", include_str!("../../src/diagnostics/trace.rs")),
    ("File(", "FileDiagnostic", include_str!("../../src/diagnostics/file.rs")),
    ("CallTree(", "CallTreeDiagnostic", include_str!("../../src/diagnostics/calltree.rs")),
    ("Report(", "ReportDiagnostic", include_str!("../../src/diagnostics/report.rs")),
    ("Snapshot(", "SnapshotDiagnostic", include_str!("../../src/diagnostics/snapshot.rs")),
    ("Decoding(", "DecodingDiagnostic", include_str!("../../src/diagnostics/decoding.rs")),
    ("Analysis(", "AnalysisDiagnostic", include_str!("../../src/diagnostics/analysis.rs")),
    ("cause: ", "NamelessCause", include_str!("../../src/diagnostics/trace.rs")),
    ("ending: ", "Ending", include_str!("../../src/diagnostics/broken_off.rs")),
    ("difference: ", "StoredDifference", include_str!("../../src/diagnostics/analysis.rs")),
];

/// The variants of an enumeration with the last line of their documentation, by its source: rustfmt indents them, and nothing else
/// in it, by four spaces.
fn variants<'a>(source: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let start = format!("pub enum {name} {{\n");
    let (_, body) = source.split_once(&start).expect("the enumeration is there");
    let body = body.split("\n}").next().expect("a split has a first part");
    let (mut doc, mut found) = ("", Vec::new());
    for line in body.lines().filter_map(|line| line.strip_prefix("    ")) {
        if let Some(text) = line.strip_prefix("/// ") {
            doc = text.trim_end_matches('.');
        } else if line.starts_with(|first: char| first.is_ascii_uppercase()) {
            found.push((line.split([' ', ',', '(']).next().unwrap(), std::mem::take(&mut doc)));
        }
    }
    found
}

#[test]
fn each_diagnostic_has_an_example() {
    let shown: Vec<String> = all().map(|one| format!("{one:?} ")).collect();
    for (before, name, source) in ENUMERATIONS {
        for (variant, _) in variants(source, name) {
            let start = format!("{before}{variant}");
            let is_there = |text: &String| {
                let found = text.split_once(&start);
                found.is_some_and(|(_, rest)| !rest.starts_with(char::is_alphanumeric))
            };
            assert!(
                shown.iter().any(is_there),
                "{name}::{variant} has no example"
            );
        }
    }
}

/// What the source says of a diagnostic's variant: its documentation, which is one line.
fn meaning(diagnostic: &Diagnostic) -> &'static str {
    let debug = format!("{diagnostic:?}");
    let of = |before: &str, text: &str| {
        let row = ENUMERATIONS.iter().find(|row| row.0 == before)?;
        let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
        let found = variants(row.2, row.1);
        found
            .iter()
            .find(|(name, _)| *name == word)
            .map(|row| row.1)
    };
    let [(_, anomaly), (_, remark)] =
        ["anomaly: ", "remark: "].map(|before| debug.split_once(before).unwrap_or_default());
    let (kind, inner) = debug.split_once('(').unwrap_or((&debug, ""));
    let meaning = match diagnostic {
        Diagnostic::Counted { .. } => of("anomaly: ", anomaly),
        Diagnostic::Plain { .. } => of("remark: ", remark),
        _ => of(&format!("{kind}("), inner).or(of("", kind)),
    };
    let meaning = meaning.unwrap_or_default();
    assert!(!meaning.is_empty(), "{debug} has no documentation");
    meaning
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
    let mut codes: BTreeMap<&str, (Severity, &str, BTreeSet<String>)> = BTreeMap::new();
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
    let (of_dottrace, others): (Vec<Diagnostic>, Vec<Diagnostic>) = all().partition(is_of_dottrace);
    let pages = [
        ("docs/diagnostics.md", others),
        ("docs/diagnostics-dottrace.md", of_dottrace),
    ];
    for (page, diagnostics) in pages {
        generated::check(page, "codes", &table(diagnostics.into_iter()));
    }
}

#[test]
fn records_are_as_their_schema_says() {
    for diagnostic in all() {
        let records = serde_json::json!([diagnostic.record()]);
        schema::hold(&records, "diagnostics-1", diagnostic.code());
    }
}
