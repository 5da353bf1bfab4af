//! Windows event traces: what an independent reader and TraceEvent say of real ones.

use crate::common::shared;
use dotspot::testing::analysis::make::scoped;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::TraceDiagnostic;
use dotspot::testing::importers::{ReadOptions, import, import_with};
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{MetricId, NodeId, Recording, Scope, TimeRange, View};
use dotspot::testing::names::FrameKind;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// What `expected/etl` holds of a trace.
#[derive(Deserialize)]
struct Expected {
    /// Those of idle processors, too.
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
    /// Over all samples.
    frames: ExpectedFrames,
    samples_by_thread: BTreeMap<String, u64>,
    methods: Vec<ExpectedMethod>,
}

#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
struct ExpectedFrames {
    /// `?!?`
    #[serde(default)]
    unknown: u64,
    /// `module!?`
    #[serde(default)]
    module: u64,
    #[serde(default)]
    managed: u64,
}

#[derive(Deserialize)]
struct ExpectedMethod {
    /// A type and a method without arguments, or a module.
    name: String,
    inclusive_samples: u64,
    exclusive_samples: u64,
}

const CPU: MetricId = MetricId(0);
const SAMPLES: MetricId = MetricId(1);

fn open(path: &Path) -> View {
    let profile = import(Input::open(path, Progress::default()).unwrap())
        .map(Recording::into_view)
        .unwrap();
    assert_eq!(profile.recording.source.format, "etl");
    profile.tree.check().unwrap();
    profile
}

fn perfview_trace() -> Option<(View, Expected)> {
    let view = open(&shared("etl/net.4.5.2.x64.etl.zip")?);
    let expected = std::fs::read(shared("expected/etl/net.4.5.2.x64.json")?).unwrap();
    let mut expected: Vec<Expected> = serde_json::from_slice(&expected).unwrap();
    Some((view, expected.remove(0)))
}

/// The node of a process.
fn process(view: &View, pid: u64) -> NodeId {
    view.processes
        .iter()
        .find(|process| process.id == pid)
        .unwrap_or_else(|| panic!("no process {pid}"))
        .node
}

fn fact(view: &View, key: &str) -> String {
    view.recording
        .source
        .facts
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, text)| text.clone())
        .unwrap_or_default()
}

/// A frame's name as the other reader has it: methods without module and arguments, modules in small letters.
fn short(name: &str) -> String {
    match name.split_once('!') {
        Some((_, "?")) => name.to_ascii_lowercase(),
        Some((_, method)) => method.split('(').next().unwrap().to_string(),
        None => panic!("{name} has no module"),
    }
}

/// Inclusive and exclusive samples of the frames below a node, by their short names; recursion counts once.
fn methods(view: &View, top: NodeId) -> HashMap<String, (u64, u64)> {
    let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
    for node in view
        .tree
        .nodes()
        .filter(|&node| view.tree.contains(top, node))
        .filter(|&node| !is_above_stacks(view, node))
    {
        let name = short(view.name(node));
        let is_outermost = !view
            .tree
            .ancestors(node)
            .take_while(|&above| !is_above_stacks(view, above))
            .any(|above| short(view.name(above)) == name);
        let sums = sums.entry(name).or_default();
        sums.1 += view.tree.exclusive(SAMPLES, node);
        if is_outermost {
            sums.0 += view.tree.inclusive(SAMPLES, node);
        }
    }
    sums
}

/// Whether a node is a thread, a process or the root.
fn is_above_stacks(view: &View, node: NodeId) -> bool {
    matches!(
        view.frames.get(view.tree.frame(node)).kind,
        FrameKind::Root | FrameKind::Process | FrameKind::Thread
    )
}

#[test]
fn samples_of_processes_and_threads_are_those_of_the_independent_reader() {
    let Some((view, expected)) = perfview_trace() else {
        return;
    };
    // TraceEvent's baseline has 6,320 samples: those of idle processors are left out, and 105 interrupts of such are not
    let total = view.tree.inclusive(SAMPLES, NodeId::ROOT);
    assert_eq!(total, 6320);
    assert_eq!(expected.samples - total, 73_208);
    assert_eq!(fact(&view, "idle samples"), "73,208 left out");
    let idle = view.tree.inclusive(SAMPLES, process(&view, 0));
    assert_eq!(total - idle, expected.samples_outside_idle);
    for ExpectedProcess {
        pid,
        image,
        samples,
    } in expected.samples_by_process
    {
        let node = process(&view, pid);
        assert_eq!(view.name(node), format!("Process ({pid}) {image}"));
        assert_eq!(view.tree.inclusive(SAMPLES, node), samples, "{image}");
        // a sample stands for a millisecond: the interval in the file is 10,000 times 100 ns
        assert_eq!(
            view.tree.inclusive(CPU, node),
            samples * 1_000_000,
            "{image}"
        );
    }
    for ExpectedThreads {
        pid,
        samples_by_thread,
        ..
    } in expected.threads
    {
        let node = process(&view, pid);
        let threads = view
            .threads
            .iter()
            .filter(|thread| view.tree.parent(thread.node) == Some(node));
        let found: BTreeMap<String, u64> = threads
            .map(|thread| (thread.id.clone(), view.tree.inclusive(SAMPLES, thread.node)))
            .collect();
        assert_eq!(found, samples_by_thread, "process {pid}");
    }
}

#[test]
fn frames_are_those_of_the_independent_reader() {
    let Some((view, expected)) = perfview_trace() else {
        return;
    };
    for ExpectedThreads {
        pid,
        samples_without_stack,
        frames,
        methods: expected,
        ..
    } in expected.threads
    {
        let top = process(&view, pid);
        let found = methods(&view, top);
        for ExpectedMethod {
            name,
            inclusive_samples,
            exclusive_samples,
        } in expected
        {
            let sums = found.get(&name).copied().unwrap_or_default();
            assert_eq!(
                sums,
                (inclusive_samples, exclusive_samples),
                "{name} of process {pid}"
            );
        }
        let mut counts = ExpectedFrames::default();
        for node in view
            .tree
            .nodes()
            .filter(|&node| view.tree.contains(top, node))
            .filter(|&node| !is_above_stacks(&view, node))
        {
            let samples = view.tree.inclusive(SAMPLES, node);
            match view.name(node) {
                "?!?" => counts.unknown += samples,
                name if name.ends_with("!?") => counts.module += samples,
                _ => counts.managed += samples,
            }
        }
        assert_eq!(counts, frames, "process {pid}");
        let threads = view
            .threads
            .iter()
            .filter(|thread| view.tree.parent(thread.node) == Some(top));
        let without_stack: u64 = threads
            .map(|thread| view.tree.exclusive(SAMPLES, thread.node))
            .sum();
        assert_eq!(without_stack, samples_without_stack, "process {pid}");
    }
}

/// A trace of events opens empty, and says whose events it has. The numbers are the sums of TraceEvent's counts, where these are
/// whole: they lack the second of the kernel's two events, which belongs to the header, and 80 methods of the rundown.
#[test]
fn traces_without_samples_open_empty() {
    const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
    const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
    for (file, expect) in [
        (
            "etl/gcevents.etl.zip",
            &[(RUNTIME, 69), ("Windows Kernel", 2)][..],
        ),
        (
            "etl/gcrundownevents.etl.zip",
            &[(RUNDOWN, 110), ("Windows Kernel", 2)],
        ),
        (
            "etl/primitive-types.etl.zip",
            &[
                ("d3dd3dd4-aac2-4e2a-8dd4-a8fb61b77615", 5),
                ("Windows Kernel", 2),
            ],
        ),
    ] {
        let path = present!(shared(file));
        let view = open(&path);
        assert_eq!((view.tree.len(), view.threads.len()), (1, 0), "{file}");
        let told = view
            .diagnostics
            .iter()
            .find_map(|diagnostic| match diagnostic {
                Diagnostic::Trace(TraceDiagnostic::NoProcessorSamples { providers, .. }) => {
                    Some(providers.clone())
                }
                _ => None,
            });
        let expect: Vec<(String, u64)> = expect
            .iter()
            .map(|(name, count)| (name.to_string(), *count))
            .collect();
        assert_eq!(told, Some(expect), "{file}");
        assert_eq!(view.diagnostics.len(), 1, "{file}: {:?}", view.diagnostics);
    }
}

/// Ranges of time rest on the samples' times. TraceEvent's baseline prints the first samples of the trace, in milliseconds.
#[test]
fn samples_have_their_times() {
    let path = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let options = ReadOptions::default();
    let input = Input::open(&path, Progress::default()).unwrap();
    let view = import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
    .unwrap()
    .into_view();
    let baseline =
        std::fs::read_to_string(shared("etl/net.4.5.2.x64.baseline.txt").unwrap()).unwrap();
    let time_us = |line: &str| {
        let (time, _) = line
            .strip_prefix("EVENT ")?
            .split_once(": Windows Kernel/PerfInfo/Sample ")?;
        time.replace('.', "").parse::<u64>().ok()
    };
    let first: Vec<u64> = baseline.lines().filter_map(time_us).collect();
    assert_eq!(first, [29_446, 29_956, 30_544, 31_490, 32_481]);
    for (samples, time_us) in (1..).zip(first) {
        // the baseline rounds to a microsecond
        let range = Some(TimeRange {
            from_ns: 0,
            to_ns: time_us * 1000 + 501,
        });
        let part = scoped(
            &view.recording,
            &Scope {
                range,
                ..view.steps.scope.clone()
            },
        )
        .unwrap();
        assert_eq!(
            part.tree.inclusive(SAMPLES, NodeId::ROOT),
            samples,
            "{time_us} µs"
        );
    }
}
