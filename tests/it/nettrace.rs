//! Real `.nettrace` recordings compared with TraceEvent and a Python reader.

use crate::common::dotnet_trace::metric;
use crate::common::nettrace_writer::RUNTIME;
use crate::common::profiles::{
    self, default_metric, fact, metric_names, open_file, read_file as open,
};
use crate::common::shared;
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, NamelessCause};
use dotspot::testing::model::{MarkerKind, MetricId, NodeId, View};
use dotspot::testing::units::Unit;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// A file in `expected/te`; its `NOTES.md` describes how it was made.
#[derive(Deserialize)]
struct TraceEvent {
    pointer_size: u32,
    events_lost: u64,
    samples_total: u64,
    sample_types: SampleTypes,
    total_ms: f64,
    max_stack_depth: usize,
    stacks_at_100: u64,
    processes: Vec<TraceEventProcess>,
    threads: Vec<TraceEventThread>,
    methods: Vec<TraceEventMethod>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct SampleTypes {
    managed: u64,
    external: u64,
}

#[derive(Deserialize)]
struct TraceEventProcess {
    pid: u32,
    command_line: String,
}

#[derive(Deserialize)]
struct TraceEventThread {
    tid: u64,
    wall_ms: f64,
    cpu_ms: f64,
    unmanaged_ms: f64,
    samples: u64,
    top_cpu_exclusive: Vec<(String, f64)>,
}

#[derive(Deserialize)]
struct TraceEventMethod {
    name: String,
    inclusive_ms: f64,
    exclusive_ms: f64,
    cpu_inclusive_ms: f64,
    cpu_exclusive_ms: f64,
}

/// A file `expected/*.expected.json`: numbers computed by a Python reader.
#[derive(Deserialize)]
struct Independent {
    samples: u64,
    stacks_of_100: u64,
    total_ms: f64,
    threads: HashMap<String, IndependentThread>,
    /// Provider, event id, name, version and count.
    events: Vec<(String, u32, String, u32, u64)>,
}

#[derive(Deserialize)]
struct IndependentThread {
    intervals: u64,
    cpu_ms: f64,
    unmanaged_ms: f64,
}

/// Expected times are rounded to a microsecond, and TraceEvent sums 32-bit numbers.
#[track_caller]
fn assert_ms(found: u64, expect: f64, what: &str) {
    let found = Unit::Milliseconds.to_unit(found);
    let is_near = (found - expect).abs() <= 0.001;
    assert!(is_near, "{what}: found {found} ms, expected {expect} ms");
}

/// TraceEvent lowercases some modules: those whose name it read in a module load event.
fn comparable(name: &str) -> String {
    match name.split_once('!') {
        Some((module, method)) => format!("{}!{method}", module.to_lowercase()),
        None => name.into(),
    }
}

/// Exclusive and inclusive values below `top` by comparable name; recursion counts once.
fn by_name(profile: &View, metric: MetricId, top: NodeId) -> HashMap<String, (u64, u64)> {
    let sums = profiles::by_name(profile, metric, top).into_iter();
    sums.map(|(name, sums)| (comparable(&name), sums)).collect()
}

fn check_threads(profile: &View, expect: &TraceEvent) {
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let tree = &profile.tree;
    assert_eq!(profile.threads.len(), expect.threads.len());
    for thread in &expect.threads {
        let what = format!("thread {}", thread.tid);
        let mut threads = profile.threads.iter();
        let ours = threads.find(|ours| ours.id == thread.tid.to_string());
        let node = ours.expect(&what).node;
        let [cpu_ns, wall_ns] = [cpu, wall].map(|metric| tree.inclusive(metric, node));
        assert_ms(wall_ns, thread.wall_ms, &what);
        assert_ms(cpu_ns, thread.cpu_ms, &what);
        assert_ms(wall_ns - cpu_ns, thread.unmanaged_ms, &what);
        assert_eq!(tree.inclusive(samples, node), thread.samples, "{what}");
        assert_eq!(tree.count(wall, node), Some(thread.samples), "{what}");
        let methods = by_name(profile, cpu, node);
        for (name, exclusive_ms) in &thread.top_cpu_exclusive {
            let what = format!("{what}: {name}");
            assert_ms(methods[&comparable(name)].0, *exclusive_ms, &what);
        }
    }
}

fn check_methods(profile: &View, expect: &TraceEvent) {
    let [cpu, wall] =
        ["CPU", "wall"].map(|name| by_name(profile, metric(profile, name), NodeId::ROOT));
    for method in &expect.methods {
        let name = comparable(&method.name);
        let (cpu, wall) = (cpu[&name], wall[&name]);
        assert_ms(wall.1, method.inclusive_ms, &name);
        assert_ms(wall.0, method.exclusive_ms, &name);
        assert_ms(cpu.1, method.cpu_inclusive_ms, &name);
        assert_ms(cpu.0, method.cpu_exclusive_ms, &name);
    }
}

/// Samples whose stack has 100 frames and is complete: it starts with the runtime's thread start method, which `net10/README.md`
/// calls the true root.
fn complete_samples_at_100(profile: &View) -> u64 {
    let (tree, samples) = (&profile.tree, metric(profile, "samples"));
    let start = "!System.Threading.Thread.StartCallback()";
    let threads = profile.threads.iter();
    let starts = threads.flat_map(|thread| tree.children(thread.node));
    let starts = starts.filter(|&node| profile.name(node).ends_with(start));
    let below = starts.flat_map(|start| tree.range(start)).map(NodeId::at);
    // the innermost of 100 frames has 99 ancestors, plus the thread and the root
    let deep = below.filter(|&node| tree.ancestors(node).count() == 101);
    deep.map(|node| tree.exclusive(samples, node)).sum()
}

/// Reads a file of expected values.
fn expected<T: DeserializeOwned>(file: &str) -> T {
    let text = std::fs::read(shared(&format!("expected/{file}")).unwrap()).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn traceevent_of(file: &str) -> TraceEvent {
    let name = file.rsplit('/').next().unwrap();
    let ends = [".zip", ".nettrace", ".netperf"];
    let name = ends
        .iter()
        .fold(name, |name, end| name.trim_end_matches(end));
    expected(&format!("te/{name}.json"))
}

#[track_caller]
fn check_facts(profile: &View, expect: &TraceEvent) {
    let TraceEventProcess { pid, command_line } = &expect.processes[0];
    let facts = ["pointer size", "process", "command line"].map(|what| fact(profile, what));
    let pointers = format!("{} bytes", expect.pointer_size);
    assert_eq!(facts, [&*pointers, &pid.to_string(), command_line]);
}

/// Compares a recording with TraceEvent's numbers.
#[track_caller]
fn check(file: &str) {
    let recording = present!(shared(file));
    println!("{file}");
    // TraceEvent does not repair stacks
    let (profile, expect) = (&open(&recording).original(), &traceevent_of(file));
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let (tree, root) = (&profile.tree, NodeId::ROOT);
    let (total, types) = (expect.samples_total, &expect.sample_types);
    assert_eq!(tree.inclusive(samples, root), total);
    assert_eq!(tree.count(wall, root), Some(total));
    assert_eq!(tree.count(cpu, root), Some(types.managed));
    assert_eq!(total, types.managed + types.external);
    assert_ms(tree.inclusive(wall, root), expect.total_ms, "all threads");
    // root, threads and markers are not stack frames
    let is_frame = |node: &NodeId| {
        let is_mark =
            ["[allocated]", "[truncated"].map(|mark| profile.name(*node).starts_with(mark));
        profile.frames.get(tree.frame(*node)).kind.is_code() && is_mark == [false; 2]
    };
    let stack = |node| std::iter::once(node).chain(tree.ancestors(node));
    let depths = tree
        .nodes()
        .map(|node| stack(node).filter(is_frame).count());
    assert_eq!(depths.max(), Some(expect.max_stack_depth));
    let count = expect.stacks_at_100 - complete_samples_at_100(profile);
    let truncated = (count > 0).then_some((count, total));
    assert_eq!(truncated_samples(profile), truncated);
    assert_eq!(expect.events_lost, 0);
    assert!(!profile.codes().contains(&Anomaly::EventsDropped.code()));
    check_facts(profile, expect);
    check_threads(profile, expect);
    check_methods(profile, expect);
}

#[test]
fn traceevent_agrees() {
    for file in [
        "nettrace/deep31.nettrace",
        "nettrace/short31.nettrace",
        "nettrace/norundown31.nettrace",
        "nettrace/v3-31.netperf",
        // of a 32-bit process on Tizen
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
        "nettrace/only_managed_samples.nettrace.zip",
        "net10/cpubound.nettrace",
        "net10/deepstacks-mutual.nettrace",
        "net10/deepstacks-cycle.nettrace",
        "net10/orderedconsume.nettrace",
        "net10/orderedconsume-regressed.nettrace",
    ] {
        check(file);
    }
}

/// A thread in `cpubound.truth.json`: the program's own measurements.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CpuBoundThread {
    #[serde(rename = "os_thread_id")]
    id: u64,
    sixty: Clocked,
    thirty: Clocked,
    ten: Clocked,
}

#[derive(Deserialize)]
struct Clocked {
    share_of_time: f64,
}

/// Exclusive CPU time of `Hot.Sixty`, `Hot.Thirty` and `Hot.Ten` below a node, as fractions of their sum.
fn hot_shares(profile: &View, top: NodeId) -> [f64; 3] {
    let methods = by_name(profile, metric(profile, "CPU"), top);
    let name = |method| comparable(&format!("CpuBound!Demo.Cpu.Hot.{method}(int32)"));
    let times = ["Sixty", "Thirty", "Ten"].map(|method| methods[&name(method)].0 as f64);
    times.map(|time| time / times.iter().sum::<f64>())
}

/// The shares stated for TraceEvent in `net10/README.md`, and those measured by the program's own clock in each thread. The latter are
/// met within three standard deviations of a share estimated from the thread's samples (about 4,600).
#[test]
fn cpubound_has_the_shares_measured_by_its_program() {
    let profile = open(&present!(shared("net10/cpubound.nettrace")));
    let percent = hot_shares(&profile, NodeId::ROOT).map(|share| format!("{:.1}", share * 100.0));
    assert_eq!(percent, ["60.7", "28.9", "10.4"]);
    let truth = std::fs::read(shared("net10/cpubound.truth.json").unwrap()).unwrap();
    let truth: HashMap<String, CpuBoundThread> = serde_json::from_slice(&truth).unwrap();
    assert_eq!(truth.len(), 2);
    for thread in truth.values() {
        let mut threads = profile.threads.iter();
        let ours = threads.find(|ours| ours.id == thread.id.to_string());
        let node = ours.unwrap().node;
        let samples = profile.tree.inclusive(metric(&profile, "samples"), node) as f64;
        let clocked = [&thread.sixty, &thread.thirty, &thread.ten];
        for (found, clocked) in hot_shares(&profile, node).into_iter().zip(clocked) {
            let expect = clocked.share_of_time;
            let tolerance = 3.0 * (expect * (1.0 - expect) / samples).sqrt();
            assert!(tolerance < 0.025, "only {samples} samples");
            let is_near = (found - expect).abs() <= tolerance;
            assert!(is_near, "{found}, expected {expect} within {tolerance}");
        }
    }
}

/// Compares a recording with the Python reader's numbers.
#[track_caller]
fn check_independent(file: &str) {
    let profile = open(&present!(shared(&format!("nettrace/{file}"))));
    let expect: Independent = expected(&format!("{file}.expected.json"));
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(&profile, name));
    let tree = &profile.tree;
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), expect.samples);
    assert_ms(
        tree.inclusive(wall, NodeId::ROOT),
        expect.total_ms,
        "all threads",
    );
    for thread in profile.threads.iter() {
        let what = format!("thread {}", thread.id);
        let count = tree.inclusive(samples, thread.node);
        let Some(expect) = expect.threads.get(&thread.id) else {
            assert_eq!(count, 1, "{what} has time");
            continue;
        };
        assert_eq!(count, expect.intervals + 1, "{what}");
        let [cpu, wall] = [cpu, wall].map(|metric| tree.inclusive(metric, thread.node));
        assert_ms(cpu, expect.cpu_ms, &what);
        assert_ms(wall, expect.cpu_ms + expect.unmanaged_ms, &what);
    }
    let count = expect.stacks_of_100;
    let truncated = (count > 0).then_some((count, expect.samples));
    assert_eq!(truncated_samples(&profile), truncated);
    for (kind, number) in [(MarkerKind::Collection, 1), (MarkerKind::Exception, 80)] {
        let events = expect.events.iter();
        let events = events.filter(|event| (&*event.0, event.1) == (RUNTIME, number));
        let count: u64 = events.map(|(.., count)| count).sum();
        let markers = profile.recording.markers.iter();
        let found = markers.filter(|marker| marker.kind() == kind).count();
        assert_eq!(found as u64, count, "{kind:?}");
    }
}

/// The reported numbers of samples with truncated stacks, and of all samples.
fn truncated_samples(profile: &View) -> Option<(u64, u64)> {
    let mut diagnostics = profile.diagnostics.iter();
    diagnostics.find_map(|diagnostic| match diagnostic {
        Diagnostic::StacksTruncated { stacks } => Some((stacks.truncated, stacks.total)),
        Diagnostic::NamelessStacksTruncated {
            truncated, samples, ..
        } => Some((*truncated, *samples)),
        _ => None,
    })
}

#[test]
fn the_independent_reader_agrees() {
    for file in [
        "deep31.nettrace",
        "short31.nettrace",
        "norundown31.nettrace",
        "v3-31.netperf",
        "HeartRateMonitor.10068.nettrace.zip",
        "only_managed_samples.nettrace.zip",
        // has allocations with stacks, which TraceEvent counts as time (337,758.106 ms in total), unlike this reader
        "eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip",
        // at the truncation, TraceEvent drops 304 of 3,327 samples that it has not sorted
        "cutoff31.nettrace",
    ] {
        check_independent(file);
    }
}

#[test]
fn a_truncated_file_is_read_up_to_the_truncation() {
    let profile = open(&present!(shared("nettrace/cutoff31.nettrace")));
    let nameless = Diagnostic::NamelessFrames {
        permille: 1000,
        cause: NamelessCause::NoRundown,
        nameless: None,
        frames: None,
    };
    let truncated = Diagnostic::NamelessStacksTruncated {
        truncated: 398,
        samples: 3327,
        limit_frames: 100,
    };
    let expect = [Diagnostic::file_ends_at(93_401), nameless, truncated];
    assert_eq!(profile.warnings(), expect);
    assert_eq!(profile.frames.find("?!?").len(), 1);
    // the same for a complete file without a rundown
    let complete = open(&present!(shared("nettrace/norundown31.nettrace")));
    let warnings = complete.warnings();
    assert_eq!((&warnings[0], warnings.len()), (&expect[1], 2));
}

#[test]
fn info_describes_a_recording() {
    let profile = open(&present!(shared("net10/orderedconsume.nettrace")));
    assert_eq!(profile.recording.source.format, "nettrace");
    for (what, expect) in [
        ("recorded", "2026-11-21T09:23:48.367Z"),
        ("runtime", ".NET 10.0.12"),
        ("operating system", "Linux"),
        ("architecture", "x64"),
        ("processors", "2"),
    ] {
        assert_eq!(fact(&profile, what), expect);
    }
    assert_eq!(default_metric(&profile), "CPU");
    assert_eq!(metric_names(&profile), ["CPU", "wall", "samples"]);
    assert_eq!(profile.codes(), [""; 0]);
    let threads = profile.threads.iter();
    let threads: Vec<&str> = threads.map(|thread| profile.name(thread.node)).collect();
    // derived from the outermost frames of each thread's stacks; the rest are the program's own threads
    let expect = [
        "Thread (11036) main",
        "Thread (11045)",
        "Thread (11049)",
        "Thread (11050)",
        "Thread (11051)",
        "Thread (11052) .NET pool",
        "Thread (11053) .NET pool gate",
        "Thread (11054) .NET pool",
        "Thread (11056) .NET pool",
        "Thread (11057) .NET timer",
    ];
    assert_eq!(threads, expect);
}

/// TraceEvent builds no tree from this file. A Python reader counted 2,983 samples of one thread, one per millisecond; 2,923 of
/// them have a stack of one unmapped address; sums are by symbol.
#[test]
fn v6_onecollect_equals_manual_counts() {
    let file = "nettrace/v6-onecollect.nettrace";
    let (profile, expect) = (open(&present!(shared(file))), traceevent_of(file));
    let process = &expect.processes[0];
    let process = format!("{} {}", process.pid, process.command_line);
    assert_eq!(fact(&profile, "process"), process);
    let pointers = format!("{} bytes", expect.pointer_size);
    assert_eq!(fact(&profile, "pointer size"), pointers);
    assert_eq!(metric_names(&profile), ["CPU", "samples"]);
    let [cpu, samples] = ["CPU", "samples"].map(|name| metric(&profile, name));
    let (tree, root) = (&profile.tree, NodeId::ROOT);
    assert_eq!(tree.inclusive(samples, root), 2983);
    assert_eq!(tree.count(cpu, root), Some(2983));
    assert_eq!(tree.inclusive(cpu, root), 2_983_000_000);
    // a single process gets no process node
    assert_eq!((profile.processes.len(), profile.threads.len()), (0, 1));
    assert_eq!(profile.name(profile.threads[0].node), "Thread (9636) main");
    let sums = by_name(&profile, samples, root);
    for (name, exclusive, inclusive) in [
        ("?!?", 2923, 2923),
        ("libc.so.6!__memset_avx2_unaligned_erms", 7, 38),
        ("vmlinux!exc_page_fault", 4, 31),
        ("vmlinux!handle_mm_fault", 0, 23),
        (
            "libcoreclr.so!JIT_NewArr1(CORINFO_CLASS_STRUCT_*, long)",
            0,
            24,
        ),
        ("libcoreclr.so!JIT_WriteBarrier", 2, 2),
        ("ld-linux-x86-64.so.2!__tls_get_addr", 2, 2),
    ] {
        assert_eq!(sums[name], (exclusive, inclusive), "{name}");
    }
    let warnings = profile.warnings();
    let [Diagnostic::NamelessFrames { cause, .. }] = &warnings[..] else {
        panic!("{warnings:?}")
    };
    assert_eq!(*cause, NamelessCause::NoSymbols);
}

/// Counts of events are TraceEvent's, from `*.baseline.txt`; a Python reader summed their sizes.
#[test]
fn allocations_and_collections_of_objver4_are_counted() {
    let file = "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace";
    let profile = open(&present!(shared(&format!("{file}.zip"))));
    let baseline = shared(&format!("{file}.baseline.txt")).unwrap();
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let count = |event: &str| -> u64 {
        let mut lines = baseline.lines();
        let line = lines.find_map(|line| line.trim_start_matches('\u{feff}').strip_prefix(event));
        line.unwrap().split(", ").nth(1).unwrap().parse().unwrap()
    };
    // each collection suspended all threads once
    let markers = profile.recording.markers.iter();
    let pauses = markers.filter(|marker| marker.kind() == MarkerKind::Pause);
    assert_eq!(pauses.count() as u64, count(&format!("{RUNTIME}/GC/Start")));
    let total = |name| profile.tree.inclusive(metric(&profile, name), NodeId::ROOT);
    let samples = count("Microsoft-DotNETCore-SampleProfiler/Thread/Sample");
    assert_eq!(total("samples"), samples);
    assert_eq!(total("allocated"), 4_235_066_536);
    let allocated = metric(&profile, "allocated");
    assert_eq!(profile.recording.metric(allocated).unit, Unit::Bytes);
    let sums = by_name(&profile, allocated, NodeId::ROOT);
    assert_eq!(
        sums["[allocated] System.Char[]"],
        (2_828_290_272, 2_828_290_272)
    );
    // types have bytes and nothing else
    for name in ["CPU", "wall", "samples"] {
        let mut sums = by_name(&profile, metric(&profile, name), NodeId::ROOT);
        sums.retain(|name, sum| name.starts_with("[allocated]") && *sum != (0, 0));
        assert!(sums.is_empty(), "{name}: {sums:?}");
    }
}

/// Counts of events are TraceEvent's, from `*.baseline.txt` or `te`. It does not list method events of the rundown.
#[test]
fn files_without_samples_report_their_events() {
    for (file, events) in [
        (
            "2.1-linux-x64-objver3.netperf",
            &[("System.Threading.Tasks.TplEventSource", 1)][..],
        ),
        ("2.1-linux-x64-tracelogging.netperf", &[("MySource", 12)]),
        (
            "5.0-win-x64-arraytypes.nettrace",
            &[
                ("TestEventSource0", 3),
                ("Microsoft-DotNETCore-EventPipe", 2),
            ],
        ),
        (
            "6.0-win-x64-executioncheckpoints.nettrace",
            &[("Microsoft-Windows-DotNETRuntimeRundown", 3)],
        ),
    ] {
        let file = format!("eventpipe-dotnetcore{file}");
        let path = present!(shared(&format!("nettrace/{file}.zip")));
        let (profile, expect) = (open(&path), traceevent_of(&file));
        assert_eq!((expect.samples_total, profile.tree.len()), (0, 1));
        let warnings = profile.warnings();
        let [Diagnostic::NoSamples { providers, .. }] = &warnings[..] else {
            panic!("{warnings:?}")
        };
        for (provider, count) in events {
            let row = (provider.to_string(), *count);
            assert!(providers.contains(&row), "{row:?}: {providers:?}");
        }
        check_facts(&profile, &expect);
    }
}

/// TraceEvent refuses the version written by .NET Core 2.0, too.
#[test]
fn version_2_is_refused_with_its_version() {
    let file = "nettrace/eventpipe-dotnetcore2.0-linux-objver2.netperf.zip";
    let error = open_file(&present!(shared(file))).err().unwrap();
    let words = ["is version 2", "3, 4 and 6", "`dotnet-trace collect`"];
    assert_contains_all(error.to_string(), &words);
}
