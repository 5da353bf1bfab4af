//! Markers such as collections, exceptions and lock contention: real files compared with an independent reader, and synthetic ones.

use crate::common::etl_writer::{self, Trace};
use crate::common::nettrace_writer::{Kind, Options, RUNTIME, Writer, methods, utf16z};
use crate::common::profiles::{read_bytes, read_file};
use crate::common::shared;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{Marker, MarkerKind, MarkerValue, TreeForm, View};
use dotspot::testing::query::marker_lines;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A recording's entry in `expected/markers.json`.
#[derive(Deserialize)]
struct Expected {
    file: String,
    /// Provider, event id, and count.
    events: Vec<(String, u32, u64)>,
    gcs: Vec<ExpectedCollection>,
    /// Only those that the reader paired; it treats all threads as one.
    suspensions: usize,
    gc_pauses: usize,
    gc_pause_ms: f64,
    longest_gc_pause_ms: f64,
    exceptions: Vec<serde_json::Value>,
    contention: Vec<ExpectedContention>,
    allocation_ticks: BTreeMap<String, ExpectedTicks>,
    jit_started: usize,
    pool_events: usize,
}

#[derive(Deserialize)]
struct ExpectedCollection {
    number: u64,
    generation: u64,
    reason: u64,
    #[serde(rename = "type")]
    kind: u64,
    start_ms: f64,
    end_ms: f64,
}

#[derive(Deserialize)]
struct ExpectedContention {
    start_ms: f64,
    end_ms: f64,
    thread: u64,
    duration_ns: f64,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
struct ExpectedTicks {
    count: u64,
    bytes: u64,
}

fn open(file: &str) -> Option<View> {
    Some(read_file(&shared(file)?))
}

fn read(name: &str, bytes: &[u8]) -> View {
    read_bytes(name, bytes.to_vec()).unwrap()
}

fn of_kind(view: &View, kind: MarkerKind) -> Vec<Marker<'_>> {
    let markers = view.recording.markers.iter();
    markers.filter(|marker| marker.kind() == kind).collect()
}

/// The independent reader's times have four decimals.
#[track_caller]
fn assert_ms(ns: u64, expect: f64) {
    let ms = ns as f64 / 1e6;
    assert!((ms - expect).abs() <= 0.000_11, "{ms}, not {expect}");
}

/// Compares a marker's start and end with the independent reader's.
#[track_caller]
fn assert_span(marker: Marker, start_ms: f64, end_ms: f64) {
    assert_ms(marker.time_ns(), start_ms);
    assert_ms(marker.time_ns() + marker.duration_ns().unwrap(), end_ms);
}

fn number(marker: Marker, field: &str) -> u64 {
    match marker.field(field) {
        Some(MarkerValue::Number(number)) => number,
        other => panic!("{field}: {other:?}"),
    }
}

fn check_collections(view: &View, expect: &mut [ExpectedCollection]) {
    expect.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
    let found = of_kind(view, MarkerKind::Collection);
    assert_eq!(found.len(), expect.len());
    for (found, expect) in found.into_iter().zip(expect) {
        assert_eq!(number(found, "number"), expect.number);
        assert_eq!(number(found, "generation"), expect.generation);
        assert_eq!((expect.reason, expect.kind), (0, 0));
        let words = ["reason", "type"].map(|field| found.field(field).unwrap().to_string());
        assert_eq!(words, ["small object heap", "blocking"]);
        assert_span(found, expect.start_ms, expect.end_ms);
    }
}

fn check_pauses(view: &View, expect: &Expected) {
    let pauses = of_kind(view, MarkerKind::Pause);
    let durations = || pauses.iter().map(|pause| pause.duration_ns().unwrap());
    assert_eq!(pauses.len(), expect.gc_pauses);
    assert_ms(durations().max().unwrap_or(0), expect.longest_gc_pause_ms);
    assert_ms(durations().sum(), expect.gc_pause_ms);
    // the independent reader treats all threads as one, so it misses some overlapping waits
    let mut events = expect.events.iter();
    let start = events.find(|(provider, id, _)| provider == RUNTIME && *id == 9);
    let suspensions = pauses.len() + of_kind(view, MarkerKind::Suspension).len();
    assert_eq!(suspensions as u64, start.map_or(0, |(.., count)| *count));
    assert!((0..=suspensions / 100).contains(&(suspensions - expect.suspensions)));
}

fn check_contention(view: &View, expect: &mut [ExpectedContention]) {
    expect.sort_by(|a, b| a.start_ms.total_cmp(&b.start_ms));
    let found = of_kind(view, MarkerKind::Contention);
    assert_eq!(found.len(), expect.len());
    for (found, expect) in found.into_iter().zip(expect) {
        assert_span(found, expect.start_ms, expect.end_ms);
        let duration = found.field("duration_ns");
        assert_eq!(duration, Some(MarkerValue::Float(expect.duration_ns)));
        let thread = &view.recording.threads[found.thread().unwrap()];
        assert_eq!(thread.id, expect.thread.to_string());
        // all of them waited in user code
        let node = found.stack(TreeForm::Original).unwrap();
        assert!(view.recording.original.tree.parent(node).is_some());
    }
}

#[test]
fn markers_equal_those_of_an_independent_reader() {
    let file = present!(shared("expected/markers.json"));
    let all: Vec<Expected> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(all.len(), 7);
    for mut expect in all {
        println!("{}", expect.file);
        let view = open(&format!("nettrace/{}", expect.file)).unwrap();
        let mut events = BTreeMap::<(&str, u32), u64>::new();
        for event in &view.recording.markers.events {
            *events.entry((&event.provider, event.id)).or_default() += event.count;
        }
        let expected = expect.events.iter();
        let expected: BTreeMap<_, _> = expected
            .map(|(provider, id, count)| ((provider.as_str(), *id), *count))
            .collect();
        assert_eq!(events, expected);
        check_pauses(&view, &expect);
        check_collections(&view, &mut expect.gcs);
        check_contention(&view, &mut expect.contention);
        let mut ticks = BTreeMap::<String, ExpectedTicks>::new();
        for tick in of_kind(&view, MarkerKind::Allocation) {
            let name = tick.field("type").unwrap().to_string();
            let of_type = ticks.entry(name).or_default();
            of_type.count += 1;
            of_type.bytes += number(tick, "bytes");
        }
        assert_eq!(ticks, expect.allocation_ticks);
        let count = |kind| of_kind(&view, kind).len();
        assert_eq!(count(MarkerKind::Compilation), expect.jit_started);
        assert_eq!(count(MarkerKind::ThreadPool), expect.pool_events);
        assert_eq!(count(MarkerKind::Exception), expect.exceptions.len());
    }
}

/// Expected numbers are from a Python reader written for this test. The runtime emits each start of a collection in two
/// versions.
#[test]
fn markers_of_a_windows_trace_equal_those_of_a_python_reader() {
    let view = present!(open("etl/net.4.5.2.x64.etl.zip"));
    let sums = |kind| {
        let markers = of_kind(&view, kind);
        let durations = markers.iter().filter_map(|marker| marker.duration_ns());
        let sum: u64 = durations.sum();
        (markers.len(), (sum as f64 / 1e5).round() / 10.0)
    };
    assert_eq!(sums(MarkerKind::Pause), (264, 39.8));
    assert_eq!(sums(MarkerKind::Suspension).0, 1);
    assert_eq!(sums(MarkerKind::Collection), (264, 35.8));
    assert_eq!(sums(MarkerKind::Compilation), (290, 218.4));
    let pauses = "264, 39.8 ms in total, longest 10.9 ms (all processes)";
    let lines = marker_lines(&view);
    assert!(lines.contains(&("GC pauses", pauses.into())), "{lines:?}");
    let first = of_kind(&view, MarkerKind::Exception)[0];
    let fields = first.fields().map(|(_, value)| value.to_string());
    let expect = [
        "System.IO.FileNotFoundException",
        "The session PerfViewSessionHeap is not active.",
    ];
    assert_eq!(fields.collect::<Vec<_>>(), expect);
    let ticks = of_kind(&view, MarkerKind::Allocation);
    let object = Some(MarkerValue::Text("System.Object"));
    let objects = ticks.iter().filter(|tick| tick.field("type") == object);
    let bytes: Vec<u64> = objects.map(|tick| number(*tick, "bytes")).collect();
    assert_eq!((ticks.len(), bytes.len()), (10_382, 10_351));
    assert_eq!(bytes.iter().sum::<u64>(), 1_105_577_280);
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// The names on a marker's stack, innermost first.
fn stack_of(view: &View, marker: Marker) -> Vec<String> {
    let tree = &view.recording.original.tree;
    let stack = marker.stack(TreeForm::Original).expect("a stack");
    let above = std::iter::successors(Some(stack), |&node| tree.parent(node));
    above
        .map(|node| view.recording.frames.name(tree.frame(node)).to_string())
        .collect()
}

fn exception(name: &str, message: &str) -> Vec<u8> {
    [utf16z(name), utf16z(message), vec![0; 20]].concat()
}

/// Two sampled threads, and an exception and a lock contention with stacks of their own.
fn with_stacks(options: Options) -> Vec<u8> {
    let mut writer = Writer::new(options);
    let [a, ab, bc] = [&[1000][..], &[1000, 2000], &[2000, 3000]].map(|stack| writer.stack(stack));
    for time in [5000, 6000, 7000] {
        writer.sample_by(1, 7, time, Kind::Managed, a);
        writer.sample_by(1, 8, time, Kind::Managed, a);
    }
    let thrown = exception("System.A", "no disk");
    writer.event(RUNTIME, 80, 7, 7, 5500, ab, thrown);
    writer.event(RUNTIME, 81, 8, 8, 5600, bc, vec![0; 3]);
    let stop = [vec![0; 3], 300f64.to_le_bytes().to_vec()].concat();
    writer.event(RUNTIME, 91, 8, 8, 5900, 0, stop);
    methods(&mut writer);
    writer.finish()
}

#[test]
fn markers_have_threads_and_stacks() {
    for version in [3, 4] {
        let options = Options {
            version,
            ..Options::default()
        };
        let view = read("a.nettrace", &with_stacks(options));
        let kinds = [MarkerKind::Exception, MarkerKind::Contention];
        let [thrown, waited] = kinds.map(|kind| of_kind(&view, kind)[0]);
        let stacks = [thrown, waited].map(|marker| stack_of(&view, marker));
        assert_eq!(stacks[0][..3], ["M!T.b()", "M!T.a()", "Thread (7)"]);
        assert_eq!(stacks[1][..3], ["M!T.c()", "M!T.b()", "Thread (8)"]);
        let thread = |marker: Marker| &*view.recording.threads[marker.thread().unwrap()].id;
        assert_eq!([thrown, waited].map(thread), ["7", "8"]);
        assert_eq!((thrown.time_ns(), waited.time_ns()), (4500, 4600));
        assert_eq!(waited.duration_ns(), Some(300));
        // markers contribute nothing to any metric
        assert_eq!(view.recording.samples.as_ref().unwrap().len(), 6);
    }
}

/// A recording of nothing but exceptions has a tree, in which nothing has a value.
#[test]
fn a_recording_of_nothing_but_markers_has_their_stacks() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000, 2000]);
    writer.event(RUNTIME, 80, 7, 7, 5500, stack, exception("System.A", ""));
    methods(&mut writer);
    let view = read("a.nettrace", &writer.finish());
    let thrown = of_kind(&view, MarkerKind::Exception)[0];
    assert_eq!(stack_of(&view, thrown)[0], "M!T.b()");
    assert_eq!(view.codes(), ["no-samples"]);
}

/// A truncated payload only affects its own event, and a warning gives its offset.
#[test]
fn broken_payloads_are_counted() {
    let mut writer = Writer::new(Options::default());
    let broken = [
        (1, 15),
        (2, 3),
        (9, 3),
        (10, 7),
        (50, 3),
        (55, 15),
        (80, 40),
        (81, 0),
        (145, 27),
    ];
    for (event, bytes) in broken {
        writer.event(RUNTIME, event, 7, 7, 5000, 0, vec![b'x'; bytes]);
        writer.flush();
    }
    writer.event(RUNTIME, 80, 7, 7, 5500, 0, exception("System.A", "whole"));
    let view = read("a.nettrace", &writer.finish());
    assert_eq!(view.recording.markers.len(), 1);
    let mut diagnostics = view.diagnostics.iter();
    let damage = diagnostics.find_map(|diagnostic| match diagnostic {
        Diagnostic::BlocksDamaged { blocks, .. } => Some(*blocks),
        _ => None,
    });
    assert_eq!(damage, Some(broken.len() as u64));
    // all events are counted, even damaged ones
    let events = view.recording.markers.events.iter();
    let count: u64 = events.map(|event| event.count).sum();
    assert_eq!(count, broken.len() as u64 + 1);
}

#[test]
fn a_file_may_be_truncated_in_any_marker() {
    let complete = with_stacks(Options::default());
    let mut found = Vec::new();
    for end in (200..complete.len()).step_by(3).chain([complete.len() - 1]) {
        if let Ok(view) = read_bytes("a.nettrace", complete[..end].to_vec()) {
            found.push(view.recording.markers.len());
        }
    }
    assert!(found.is_sorted(), "{found:?}");
    assert_eq!((found.first(), found.last()), (Some(&0), Some(&2)));
}

/// Calculated by hand: a pause of 3 ms in one process, none in the others.
#[test]
fn markers_of_windows_traces_belong_to_processes() {
    let mut trace = Trace::new(etl_writer::Header::default());
    let events = [
        trace.process(0, etl_writer::Life::Known, 7, "shop.exe"),
        trace.runtime(1000, (7, 1), 9, &numbers(&[1, 0])),
        trace.runtime(1200, (7, 1), 1, &numbers(&[4, 1, 1, 0])),
        trace.runtime(1500, (8, 1), 2, &numbers(&[4, 1])),
        trace.runtime(3000, (7, 1), 2, &numbers(&[4, 1])),
        trace.runtime(4000, (7, 1), 3, &[0; 2]),
        trace.runtime(5000, (7, 1), 80, &exception("System.A", "no disk")),
        trace.runtime(5100, (7, 1), 80, &exception("System.B", "")),
        trace.runtime(5200, (7, 1), 80, &exception("System.B", "")),
        // a truncated payload
        trace.runtime(6000, (7, 1), 80, &utf16z("System.A")[..5]),
    ];
    trace.buffer(0, &events);
    let view = read("a.etl", &trace.bytes);
    let pauses = "1, 3.0 ms in total (0.1 % of the 2.000 s recorded), longest 3.0 ms";
    let expect = [
        ("garbage collections", "1, all of generation 1".to_string()),
        ("GC pauses", pauses.into()),
        ("exceptions", "3: 2 System.B, 1 System.A".into()),
    ];
    assert_eq!(marker_lines(&view)[..3], expect);
    let collection = of_kind(&view, MarkerKind::Collection)[0];
    let times = (collection.time_ns(), collection.duration_ns());
    assert_eq!(times, (1_200_000, Some(1_800_000)));
    assert!(view.codes().contains(&"partly-read"));
}

/// Each runtime event is followed by its stack, in which the runtime's own frames have no names.
#[test]
fn markers_of_a_windows_trace_have_stacks() {
    let view = present!(open("etl/net.4.5.2.x64.etl.zip"));
    let methods_throwing = |name| {
        let ticks = of_kind(&view, MarkerKind::Allocation).into_iter();
        let ticks = ticks.filter(|tick| tick.field("type") == Some(MarkerValue::Text(name)));
        let mut counts = BTreeMap::<String, usize>::new();
        for tick in ticks {
            let mut names = stack_of(&view, tick);
            names.retain(|name| !name.ends_with("!?"));
            *counts.entry(names.swap_remove(0)).or_default() += 1;
        }
        counts.into_iter().collect::<Vec<_>>()
    };
    let main = "Test.x64!Test.Program.Main(class System.String[])".to_string();
    assert_eq!(methods_throwing("System.Object"), [(main, 10_351)]);
    // types that are thrown by only one WPF method
    let item = "System.Windows.Input.StagingAreaInputItem";
    for (name, maker) in [
        (
            "InvokeOnRenderCallback",
            "MediaContext.BeginInvokeOnRender(",
        ),
        (
            "System.Windows.EffectiveValueEntry[]",
            "DependencyObject.InsertEntry(",
        ),
        (item, "InputManager.ProcessStagingArea("),
    ] {
        let [(found, 1)] = &methods_throwing(name)[..] else {
            panic!("{name}");
        };
        assert!(found.contains(maker), "{name}: {found}");
    }
}
