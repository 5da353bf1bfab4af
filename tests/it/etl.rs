//! Real Windows event traces, compared with an independent reader and TraceEvent.

use crate::common::nettrace_writer::{RUNDOWN, RUNTIME};
use crate::common::profiles::{fact, read_file};
use crate::common::shared;
use dotspot::testing::analysis::scoped;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{MetricId, NodeId, Scope, Thread, TimeRange, View};
use dotspot::testing::names::FrameKind;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// The expected content of a trace, from `expected/etl`.
#[derive(Deserialize)]
struct Expected {
    /// Including idle processors.
    samples: u64,
    samples_outside_idle: u64,
    samples_by_process: Vec<ExpectedProcess>,
    threads: Vec<ExpectedThreads>,
}

#[derive(Deserialize)]
struct ExpectedProcess {
    pid: u64,
    image: String,
    samples: u64,
}

/// The threads and frames of a process.
#[derive(Deserialize)]
struct ExpectedThreads {
    pid: u64,
    samples_without_stack: u64,
    frames: ExpectedFrames,
    samples_by_thread: BTreeMap<String, u64>,
    methods: Vec<ExpectedMethod>,
}

/// The total number of frames in all samples.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct ExpectedFrames {
    /// `?!?`
    unknown: u64,
    /// `module!?`
    module: u64,
    managed: u64,
}

#[derive(Deserialize)]
struct ExpectedMethod {
    /// A type and method without arguments, or a module.
    name: String,
    inclusive_samples: u64,
    exclusive_samples: u64,
}

const CPU: MetricId = MetricId(0);
const SAMPLES: MetricId = MetricId(1);

fn perfview_trace() -> Option<(View, Expected)> {
    let view = read_file(&shared("etl/net.4.5.2.x64.etl.zip")?);
    let expected = std::fs::read(shared("expected/etl/net.4.5.2.x64.json")?).unwrap();
    let [expected]: [Expected; 1] = serde_json::from_slice(&expected).unwrap();
    Some((view, expected))
}

fn process(view: &View, pid: u64) -> NodeId {
    let mut processes = view.processes.iter();
    processes.find(|process| process.id == pid).unwrap().node
}

fn threads_of(view: &View, process: NodeId) -> impl Iterator<Item = &Thread> {
    let threads = view.threads.iter();
    threads.filter(move |thread| view.tree.parent(thread.node) == Some(process))
}

/// A frame's name as the other reader writes it: methods without module and arguments, modules in lower case.
fn short(name: &str) -> String {
    match name.split_once('!') {
        Some((_, "?")) => name.to_ascii_lowercase(),
        Some((_, method)) => method.split('(').next().unwrap().to_string(),
        None => panic!("{name} has no module"),
    }
}

/// Whether a node is a frame of a stack, not a thread, process or root.
fn is_frame(view: &View, node: NodeId) -> bool {
    let kind = view.frames.get(view.tree.frame(node)).kind;
    !matches!(
        kind,
        FrameKind::Root | FrameKind::Process | FrameKind::Thread
    )
}

fn frames_below(view: &View, top: NodeId) -> impl Iterator<Item = NodeId> {
    let nodes = view.tree.range(top).map(NodeId::at);
    nodes.filter(|&node| is_frame(view, node))
}

/// Inclusive and exclusive samples below a node by short name, with recursion counted once.
fn methods(view: &View, top: NodeId) -> HashMap<String, (u64, u64)> {
    let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
    for node in frames_below(view, top) {
        let name = short(view.name(node));
        let mut callers = view
            .tree
            .ancestors(node)
            .filter(|&node| is_frame(view, node));
        let is_outermost = !callers.any(|caller| short(view.name(caller)) == name);
        let sums = sums.entry(name).or_default();
        sums.1 += view.tree.exclusive(SAMPLES, node);
        if is_outermost {
            sums.0 += view.tree.inclusive(SAMPLES, node);
        }
    }
    sums
}

#[test]
fn samples_of_processes_and_threads_agree_with_an_independent_reader() {
    let (view, expected) = present!(perfview_trace());
    let samples = |node| view.tree.inclusive(SAMPLES, node);
    // TraceEvent's baseline has 6,320 samples. Idle processors are left out, except for 105 interrupts.
    let total = samples(NodeId::ROOT);
    assert_eq!(total, 6320);
    assert_eq!(expected.samples - total, 73_208);
    assert_eq!(fact(&view, "idle samples"), "73,208 left out");
    let outside_idle = total - samples(process(&view, 0));
    assert_eq!(outside_idle, expected.samples_outside_idle);
    for expect in expected.samples_by_process {
        let (node, image) = (process(&view, expect.pid), expect.image);
        assert_eq!(view.name(node), format!("Process ({}) {image}", expect.pid));
        assert_eq!(samples(node), expect.samples, "{image}");
        // a sample is a millisecond: the interval in the file is 10,000 times 100 ns
        let cpu = view.tree.inclusive(CPU, node);
        assert_eq!(cpu, expect.samples * 1_000_000, "{image}");
    }
    for expect in expected.threads {
        let threads = threads_of(&view, process(&view, expect.pid));
        let found = threads.map(|thread| (thread.id.clone(), samples(thread.node)));
        let found: BTreeMap<String, u64> = found.collect();
        assert_eq!(found, expect.samples_by_thread, "process {}", expect.pid);
    }
}

#[test]
fn frames_agree_with_an_independent_reader() {
    let (view, expected) = present!(perfview_trace());
    for expect in expected.threads {
        let (pid, top) = (expect.pid, process(&view, expect.pid));
        let found = methods(&view, top);
        for method in expect.methods {
            let sums = found.get(&method.name).copied().unwrap_or_default();
            let expect = (method.inclusive_samples, method.exclusive_samples);
            assert_eq!(sums, expect, "{} of process {pid}", method.name);
        }
        let mut counts = ExpectedFrames::default();
        for node in frames_below(&view, top) {
            let samples = view.tree.inclusive(SAMPLES, node);
            match view.name(node) {
                "?!?" => counts.unknown += samples,
                name if name.ends_with("!?") => counts.module += samples,
                _ => counts.managed += samples,
            }
        }
        assert_eq!(counts, expect.frames, "process {pid}");
        let own = threads_of(&view, top).map(|thread| view.tree.exclusive(SAMPLES, thread.node));
        assert_eq!(
            own.sum::<u64>(),
            expect.samples_without_stack,
            "process {pid}"
        );
    }
}

/// TraceEvent's event counts, where complete: they lack the second of the kernel's two events, which is part of the
/// header, and 80 methods of the rundown.
#[test]
fn traces_without_samples_open_empty() {
    const KERNEL: &str = "Windows Kernel";
    for (file, provider, count) in [
        ("gcevents", RUNTIME, 69),
        ("gcrundownevents", RUNDOWN, 110),
        ("primitive-types", "d3dd3dd4-aac2-4e2a-8dd4-a8fb61b77615", 5),
    ] {
        let view = read_file(&present!(shared(&format!("etl/{file}.etl.zip"))));
        assert_eq!((view.tree.len(), view.threads.len()), (1, 0), "{file}");
        let [Diagnostic::NoProcessorSamples { providers, .. }] = &view.diagnostics[..] else {
            panic!("{file}: {:?}", view.diagnostics);
        };
        let expect = [(provider, count), (KERNEL, 2)];
        assert_eq!(
            *providers,
            expect.map(|(name, count)| (name.to_string(), count))
        );
    }
}

/// TraceEvent's baseline prints the times of the trace's first samples, in milliseconds.
#[test]
fn sample_times_match_trace_event() {
    let (view, _) = present!(perfview_trace());
    let baseline = shared("etl/net.4.5.2.x64.baseline.txt").unwrap();
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let time_us = |line: &str| {
        let event = line.strip_prefix("EVENT ")?;
        let (time, _) = event.split_once(": Windows Kernel/PerfInfo/Sample ")?;
        time.replace('.', "").parse::<u64>().ok()
    };
    let first: Vec<u64> = baseline.lines().filter_map(time_us).collect();
    assert_eq!(first, [29_446, 29_956, 30_544, 31_490, 32_481]);
    for (samples, time_us) in (1..).zip(first) {
        // the baseline rounds to a microsecond
        let to_ns = time_us * 1000 + 501;
        let scope = Scope {
            range: Some(TimeRange { from_ns: 0, to_ns }),
            ..view.steps.scope.clone()
        };
        let part = scoped(&view.recording, &scope).unwrap();
        let found = part.tree.inclusive(SAMPLES, NodeId::ROOT);
        assert_eq!(found, samples, "{time_us} µs");
    }
}
