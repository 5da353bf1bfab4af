//! Traces in time order, compared with dotnet-trace's own conversions of the same recordings; and `convert --repair`.

use crate::common::dotnet_trace::metric;
use crate::common::profiles::{read_bytes, read_file};
use crate::common::run::{SAMPLE, command, refused};
use crate::common::{shared, trace_players};
use dotspot::testing::analysis::hotspots;
use dotspot::testing::model::{NodeId, View};
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// Frames that TraceEvent puts around a stack's methods, and dotspot's marker for truncated stacks.
const AROUND: [&str; 8] = [
    "Process64",
    "(Non-Activities)",
    "Threads",
    "Thread (",
    "CPU_TIME",
    "UNMANAGED_CODE_TIME",
    "[truncated",
    "Process(",
];
/// Shorter spans come from rounding at the ends of TraceEvent's spans.
const MIN_SPAN_US: f64 = 10.0;

#[derive(Deserialize)]
struct Speedscope {
    shared: SharedFrames,
    profiles: Vec<EventedProfile>,
}

#[derive(Deserialize)]
struct SharedFrames {
    frames: Vec<NamedFrame>,
}

#[derive(Deserialize)]
struct NamedFrame {
    name: String,
}

#[derive(Deserialize)]
struct EventedProfile {
    name: String,
    unit: String,
    events: Vec<FrameEvent>,
}

#[derive(Deserialize)]
struct FrameEvent {
    #[serde(rename = "type")]
    kind: char,
    at: f64,
    frame: usize,
}

/// By thread, the stacks of methods with their start and end in microseconds.
type Stacks = BTreeMap<String, Vec<(f64, f64, Vec<String>)>>;

/// The stacks of one thread's events: a time, and the opened frame, or `None` where one closes.
fn stacks_of(events: impl Iterator<Item = (f64, Option<String>)>) -> Vec<(f64, f64, Vec<String>)> {
    let (mut open, mut found, mut last) = (Vec::<String>::new(), Vec::new(), 0.0);
    for (at, opened) in events {
        if at - last >= MIN_SPAN_US && !open.is_empty() {
            let is_method = |name: &&String| !AROUND.iter().any(|word| name.starts_with(word));
            let methods = open.iter().filter(is_method);
            let methods = methods.map(|name| without_module(name));
            found.push((last, at, methods.collect()));
        }
        last = at;
        match opened {
            Some(name) => open.push(name),
            None => _ = open.pop().expect("something is open"),
        }
    }
    found
}

/// A method's name without its module, which is separate in Chromium's events.
fn without_module(name: &str) -> String {
    let parts = name.split_once('!');
    let method = parts.filter(|(module, _)| !module.contains('('));
    method.map_or(name, |(_, method)| method).to_string()
}

fn id_of(title: &str) -> String {
    let id = title.split(['(', ')']).nth(1);
    id.unwrap_or(title).to_string()
}

fn stacks(bytes: &[u8], is_speedscope: bool) -> Stacks {
    if is_speedscope {
        let file: Speedscope = serde_json::from_slice(bytes).unwrap();
        let name = |row: usize| file.shared.frames[row].name.clone();
        let stacks = |profile: &EventedProfile| {
            let is_ns = profile.unit == "nanoseconds";
            let per_us = if is_ns { 1e3 } else { 1e-3 };
            let events = profile.events.iter().map(|event| {
                let opened = (event.kind == 'O').then(|| name(event.frame));
                (event.at / per_us, opened)
            });
            (id_of(&profile.name), stacks_of(events))
        };
        return file.profiles.iter().map(stacks).collect();
    }
    let mut threads: BTreeMap<String, Vec<(f64, Option<String>)>> = BTreeMap::new();
    for span in trace_players::spans(bytes) {
        let opened = (span.ph == "B").then_some(span.name);
        let events = threads.entry(span.tid.to_string()).or_default();
        events.push((span.ts, opened));
    }
    let threads = threads.into_iter();
    threads
        .map(|(id, events)| (id, stacks_of(events.into_iter())))
        .collect()
}

fn decompressed(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let mut plain = Vec::new();
    match GzDecoder::new(&bytes[..]).read_to_end(&mut plain) {
        Ok(_) => plain,
        Err(_) => bytes,
    }
}

#[track_caller]
fn converted(args: &[&str]) -> Vec<u8> {
    let output = command(&[&["convert"], args].concat()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {err}");
    output.stdout
}

/// Asserts that at the midpoint of each span in `theirs` the same stack is open in `ours`.
#[track_caller]
fn assert_same_stacks(theirs: &Stacks, ours: &Stacks, what: &str) {
    let (mut count, mut mismatches) = (0, Vec::new());
    let common = theirs.iter().filter(|row| ours.contains_key(row.0));
    for (thread, spans) in common {
        for (start, end, stack) in spans {
            let middle = (start + end) / 2.0;
            let ours = &ours[thread];
            let at = ours.partition_point(|(start, ..)| *start <= middle);
            let found = at.checked_sub(1).map(|at| &ours[at]);
            let found = found.filter(|(_, end, _)| *end > middle);
            count += 1;
            if found.map(|(.., found)| found) != Some(stack) {
                mismatches.push((thread, start));
            }
        }
    }
    assert!(count > 1_000, "{what}: {count}");
    assert!(mismatches.is_empty(), "{what}: {mismatches:?} of {count}");
}

#[test]
fn stacks_are_open_at_the_same_times_as_in_dotnet_traces_files() {
    for (name, to, extension) in [
        ("orderedconsume", "speedscope", "speedscope.json.gz"),
        ("cpubound", "speedscope", "speedscope.json"),
        ("cpubound", "trace-event", "chromium.json.gz"),
    ] {
        let recording = present!(shared(&format!("net10/{name}.nettrace")));
        let theirs = present!(shared(&format!("net10/{name}.{extension}")));
        let args = [recording.to_str().unwrap(), "--to", to, "--metric", "wall"];
        let is_speedscope = to == "speedscope";
        let ours = stacks(&converted(&args), is_speedscope);
        let theirs = stacks(&decompressed(&theirs), is_speedscope);
        assert_same_stacks(&theirs, &ours, &format!("{name} {to}"));
    }
}

/// A file that is read and written again has the same stacks at the same times, relative to the start of the first file.
#[test]
fn files_read_again_have_the_same_times() {
    let folder = tempfile::tempdir().unwrap();
    for (to, extension) in [
        ("speedscope", "speedscope.json"),
        ("trace-event", "chromium.json"),
    ] {
        let first = converted(&[SAMPLE, "--to", to]);
        let path = folder.path().join(format!("a.{extension}"));
        fs::write(&path, &first).unwrap();
        let again = converted(&[path.to_str().unwrap(), "--to", to]);
        let since_start = |bytes: &[u8]| {
            let mut stacks = stacks(bytes, to == "speedscope");
            let spans = || stacks.values().flatten().map(|(start, ..)| *start);
            let zero = spans().fold(f64::MAX, f64::min);
            for (start, end, _) in stacks.values_mut().flatten() {
                (*start, *end) = ((*start - zero).round(), (*end - zero).round());
            }
            stacks
        };
        let (first, again) = (since_start(&first), since_start(&again));
        assert!(first.values().flatten().count() > 3_000, "{to}");
        assert_eq!(first, again, "{to}");
    }
}

/// Each method's values in both metrics.
fn methods(view: &View) -> Vec<Vec<(&str, u64, u64)>> {
    let values = |name| {
        let rows = hotspots(view, &[NodeId::ROOT], metric(view, name)).into_iter();
        let values = rows.map(|row| (view.frames.name(row.frame), row.inclusive, row.exclusive));
        let mut values: Vec<_> = values.collect();
        values.sort_unstable();
        values
    };
    ["CPU", "wall"].map(values).into()
}

#[test]
fn a_repaired_trace_has_both_metrics_and_complete_stacks() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "deepstacks-mutual.speedscope.json",
        "deepstacks-mutual.chromium.json",
    ] {
        let trace = present!(shared(&format!("net10/{name}.gz")));
        let original = read_file(&trace);
        let (trace, out) = (trace.to_str().unwrap(), folder.path().join(name));
        // standard output keeps the input's format
        let bytes = if name.contains("speed") {
            converted(&["--repair", trace])
        } else {
            converted(&["--repair", trace, "-o", out.to_str().unwrap()]);
            fs::read(out).unwrap()
        };
        assert!(!stacks(&bytes, name.contains("speed")).is_empty());
        let repaired = read_bytes(name, bytes).unwrap();
        assert_eq!(methods(&repaired), methods(&original), "{name}");
        assert_eq!(repaired.truncation, None, "{name}");
    }
}

#[test]
fn only_traces_by_dotnet_trace_can_be_written_repaired() {
    let trace = present!(shared("net10/deepstacks-mutual.speedscope.json.gz"));
    let trace = trace.display();
    refused(&format!(
        "convert --repair SAMPLE | 2 | --repair is for | nettrace
        convert --repair {trace} --to pprof | 2 | speedscope | pprof
        convert --repair {trace} --no-repair | 2 | --no-repair"
    ));
}
