//! `.nettrace` recordings: what TraceEvent says of real ones, and what they say of themselves.

use crate::common::dotnet_trace::metric;
use crate::common::profiles::{default_metric, fact, metric_names, open_file, read_file as open};
use crate::common::shared;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::{Anomaly, BrokenOff, NamelessCause, TraceDiagnostic};
use dotspot::testing::model::{MarkerKind, MetricId, NodeId, View};
use dotspot::testing::units::Unit;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// What `expected/te` holds of a recording; `NOTES.md` there says how it was made.
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

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SampleTypes {
    #[serde(default)]
    managed: u64,
    #[serde(default)]
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

/// What `expected/*.expected.json` holds: the numbers of a reader written in Python.
#[derive(Deserialize)]
struct Independent {
    samples: u64,
    stacks_of_100: u64,
    total_ms: f64,
    threads: HashMap<String, IndependentThread>,
    /// Provider, number, name, version and how many there are.
    events: Vec<(String, u32, String, u32, u64)>,
}

#[derive(Deserialize)]
struct IndependentThread {
    intervals: u64,
    cpu_ms: f64,
    unmanaged_ms: f64,
}

fn milliseconds(stored: u64) -> f64 {
    Unit::Milliseconds.to_unit(stored)
}

/// Expected times are rounded to a microsecond. TraceEvent adds up numbers of 32 bits, so that half of one is not always
/// enough.
#[track_caller]
fn assert_ms(found: u64, expect: f64, what: &str) {
    let difference = (milliseconds(found) - expect).abs();
    assert!(
        difference <= 0.001,
        "{what}: {} ms, and {expect} ms expected",
        milliseconds(found)
    );
}

/// A name as it is compared. TraceEvent gives some modules names in lower case: those of which it read the name in an event
/// of the module's loading, whose path it keeps in lower case, and not in the rundown. Ours have the letters of the file.
fn comparable(name: &str) -> String {
    match name.split_once('!') {
        Some((module, method)) => format!("{}!{method}", module.to_lowercase()),
        None => name.into(),
    }
}

/// For each name its inclusive value, counted once per path, and its exclusive value, below `top`.
fn by_name(profile: &View, metric: MetricId, top: NodeId) -> HashMap<String, (u64, u64)> {
    let names: Vec<String> = profile
        .frames
        .iter()
        .map(|(id, _)| comparable(profile.frames.name(id)))
        .collect();
    let mut sums: HashMap<&str, (u64, u64)> = HashMap::new();
    let mut path: Vec<(NodeId, &str)> = Vec::new();
    let mut on_path: HashMap<&str, usize> = HashMap::new();
    for row in profile.tree.range(top).skip(1) {
        let node = NodeId::at(row);
        while let Some(&(last, name)) = path.last() {
            if profile.tree.contains(last, node) {
                break;
            }
            path.pop();
            *on_path.get_mut(name).unwrap() -= 1;
        }
        let name = names[profile.tree.frame(node).index()].as_str();
        let depth = on_path.entry(name).or_default();
        let sum = sums.entry(name).or_default();
        if *depth == 0 {
            sum.0 += profile.tree.inclusive(metric, node);
        }
        sum.1 += profile.tree.exclusive(metric, node);
        *depth += 1;
        path.push((node, name));
    }
    sums.into_iter()
        .map(|(name, sum)| (name.to_string(), sum))
        .collect()
}

fn check_threads(profile: &View, expect: &TraceEvent) {
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let tree = &profile.tree;
    let found: HashSet<&str> = profile
        .threads
        .iter()
        .map(|thread| thread.id.as_str())
        .collect();
    assert_eq!(
        found.len(),
        profile.threads.len(),
        "threads with the same id"
    );
    assert_eq!(found.len(), expect.threads.len());
    for thread in &expect.threads {
        let ours = profile
            .threads
            .iter()
            .find(|candidate| candidate.id == thread.tid.to_string());
        let node = ours
            .unwrap_or_else(|| panic!("no thread {}", thread.tid))
            .node;
        let what = format!("thread {}", thread.tid);
        assert_ms(tree.inclusive(wall, node), thread.wall_ms, &what);
        assert_ms(tree.inclusive(cpu, node), thread.cpu_ms, &what);
        assert_ms(
            tree.inclusive(wall, node) - tree.inclusive(cpu, node),
            thread.unmanaged_ms,
            &what,
        );
        assert_eq!(tree.inclusive(samples, node), thread.samples, "{what}");
        assert_eq!(tree.count(wall, node), Some(thread.samples), "{what}");
        let methods = by_name(profile, cpu, node);
        for (name, exclusive_ms) in &thread.top_cpu_exclusive {
            let exclusive = methods
                .get(&comparable(name))
                .unwrap_or_else(|| panic!("{what} has no {name}"))
                .1;
            assert_ms(exclusive, *exclusive_ms, &format!("{what}: {name}"));
        }
    }
}

fn check_methods(profile: &View, expect: &TraceEvent) {
    let (cpu, wall) = (metric(profile, "CPU"), metric(profile, "wall"));
    let [in_cpu, in_wall] = [cpu, wall].map(|metric| {
        let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
        for thread in profile.threads.iter() {
            for (name, (inclusive, exclusive)) in by_name(profile, metric, thread.node) {
                let sum = sums.entry(name).or_default();
                *sum = (sum.0 + inclusive, sum.1 + exclusive);
            }
        }
        sums
    });
    for method in &expect.methods {
        let name = comparable(&method.name);
        let (wall, cpu) = (in_wall.get(&name), in_cpu.get(&name));
        let (Some(wall), Some(cpu)) = (wall, cpu) else {
            panic!("no method {name}")
        };
        for (found, expect, what) in [
            (wall.0, method.inclusive_ms, "inclusive wall time"),
            (wall.1, method.exclusive_ms, "exclusive wall time"),
            (cpu.0, method.cpu_inclusive_ms, "inclusive CPU time"),
            (cpu.1, method.cpu_exclusive_ms, "exclusive CPU time"),
        ] {
            assert_ms(found, expect, &format!("{what} of {name}"));
        }
    }
}

/// Samples whose stack has 100 frames and is whole all the same: it starts with the runtime's method that starts a thread,
/// which `net10/README.md` calls the true root. Told by name, where the warning compares stacks with each other.
fn whole_at_100(profile: &View) -> u64 {
    let (tree, samples) = (&profile.tree, metric(profile, "samples"));
    let is_start = |node| {
        profile
            .name(node)
            .ends_with("!System.Threading.Thread.StartCallback()")
    };
    let starts = profile
        .threads
        .iter()
        .flat_map(|thread| tree.children(thread.node))
        .filter(|&node| is_start(node));
    let below = starts.flat_map(|start| tree.range(start)).map(NodeId::at);
    // above the innermost of 100 frames are 99 more, the thread and the root
    below
        .filter(|&node| tree.ancestors(node).count() == 101)
        .map(|node| tree.exclusive(samples, node))
        .sum()
}

/// Opens a recording and compares it with what TraceEvent says of it.
#[track_caller]
fn check(file: &str) {
    let recording = present!(shared(file));
    println!("{file}");
    // TraceEvent repairs nothing
    check_opened(&open(&recording).original(), &traceevent_of(file));
}

/// What TraceEvent says of a recording.
fn traceevent_of(file: &str) -> TraceEvent {
    let name = file.rsplit('/').next().unwrap();
    let name = [".zip", ".nettrace", ".netperf"]
        .into_iter()
        .fold(name, |name, end| name.trim_end_matches(end));
    let expected = std::fs::read(shared(&format!("expected/te/{name}.json")).unwrap()).unwrap();
    serde_json::from_slice(&expected).unwrap()
}

#[track_caller]
fn check_facts(profile: &View, expect: &TraceEvent) {
    let TraceEventProcess { pid, command_line } = &expect.processes[0];
    let facts = ["pointer size", "process", "command line"].map(|what| fact(profile, what));
    let pointers = format!("{} bytes", expect.pointer_size);
    assert_eq!(facts, [&*pointers, &pid.to_string(), command_line]);
}

#[track_caller]
fn check_opened(profile: &View, expect: &TraceEvent) {
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let tree = &profile.tree;
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), expect.samples_total);
    assert_eq!(tree.count(wall, NodeId::ROOT), Some(expect.samples_total));
    assert_eq!(
        tree.count(cpu, NodeId::ROOT),
        Some(expect.sample_types.managed)
    );
    assert_eq!(
        expect.samples_total,
        expect.sample_types.managed + expect.sample_types.external
    );
    assert_ms(
        tree.inclusive(wall, NodeId::ROOT),
        expect.total_ms,
        "all threads",
    );
    // the root, the thread and the marker are no frames of a stack
    let is_frame = |node: &NodeId| {
        let kind = profile.frames.get(tree.frame(*node)).kind;
        kind.is_hotspot()
            && !["[allocated]", "[truncated"]
                .iter()
                .any(|mark| profile.name(*node).starts_with(mark))
    };
    let frames = |node| {
        std::iter::once(node)
            .chain(tree.ancestors(node))
            .filter(is_frame)
            .count()
    };
    assert_eq!(tree.nodes().map(frames).max(), Some(expect.max_stack_depth));
    let cut = expect.stacks_at_100 - whole_at_100(profile);
    assert_eq!(
        truncated_samples(profile),
        (cut > 0).then_some((cut, expect.samples_total))
    );
    assert_eq!(expect.events_lost, 0);
    assert!(
        !profile.codes().contains(&Anomaly::EventsDropped.code()),
        "{:?}",
        profile.diagnostics
    );
    check_facts(profile, expect);
    check_threads(profile, expect);
    check_methods(profile, expect);
}

#[test]
fn traceevent_agrees_on_recordings_of_others() {
    for file in [
        "deep31.nettrace",
        "short31.nettrace",
        "norundown31.nettrace",
        "v3-31.netperf",
        // of a 32-bit process on Tizen
        "HeartRateMonitor.10068.nettrace.zip",
        "only_managed_samples.nettrace.zip",
    ] {
        check(&format!("nettrace/{file}"));
    }
}

#[test]
fn traceevent_agrees_on_our_recordings() {
    for name in [
        "cpubound",
        "deepstacks-mutual",
        "deepstacks-cycle",
        "orderedconsume",
        "orderedconsume-regressed",
    ] {
        check(&format!("net10/{name}.nettrace"));
    }
}

/// What `cpubound.truth.json` holds of a thread: what the program itself measured.
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

/// Exclusive CPU time of `Hot.Sixty`, `Hot.Thirty` and `Hot.Ten` below a node, as shares of the three together.
fn hot_shares(profile: &View, top: NodeId) -> [f64; 3] {
    let methods = by_name(profile, metric(profile, "CPU"), top);
    let times = ["Sixty", "Thirty", "Ten"]
        .map(|name| methods[&comparable(&format!("CpuBound!Demo.Cpu.Hot.{name}(int32)"))].1 as f64);
    times.map(|time| time / times.iter().sum::<f64>())
}

/// The shares that `net10/README.md` states for TraceEvent, and those that the program's own clock says of each thread.
/// These are met within three standard deviations of a share that is estimated by as many samples as the thread has
/// (about 4,600, so 2 percentage points for a share of 0.3).
#[test]
fn cpubound_has_the_shares_that_its_program_measured() {
    let path = present!(shared("net10/cpubound.nettrace"));
    let profile = open(&path);
    let percent = hot_shares(&profile, NodeId::ROOT).map(|share| format!("{:.1}", share * 100.0));
    assert_eq!(percent, ["60.7", "28.9", "10.4"]);
    let truth = std::fs::read(shared("net10/cpubound.truth.json").unwrap()).unwrap();
    let truth: HashMap<String, CpuBoundThread> = serde_json::from_slice(&truth).unwrap();
    assert_eq!(truth.len(), 2);
    for (what, thread) in &truth {
        let node = profile
            .threads
            .iter()
            .find(|candidate| candidate.id == thread.id.to_string())
            .unwrap()
            .node;
        let samples = profile.tree.inclusive(metric(&profile, "samples"), node) as f64;
        let clocked =
            [&thread.sixty, &thread.thirty, &thread.ten].map(|method| method.share_of_time);
        for (found, expect) in hot_shares(&profile, node).into_iter().zip(clocked) {
            let tolerance = 3.0 * (expect * (1.0 - expect) / samples).sqrt();
            assert!(tolerance < 0.025, "{what} has only {samples} samples");
            assert!(
                (found - expect).abs() <= tolerance,
                "{what}: {found}, and {expect} expected within {tolerance}"
            );
        }
    }
}

/// Compares a recording with what the reader written in Python says of it.
#[track_caller]
fn check_independent(file: &str) {
    let recording = present!(shared(&format!("nettrace/{file}")));
    let expected =
        std::fs::read(shared(&format!("expected/{file}.expected.json")).unwrap()).unwrap();
    let expect: Independent = serde_json::from_slice(&expected).unwrap();
    let profile = open(&recording);
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(&profile, name));
    let tree = &profile.tree;
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), expect.samples);
    assert_ms(
        tree.inclusive(wall, NodeId::ROOT),
        expect.total_ms,
        "all threads",
    );
    for thread in profile.threads.iter() {
        let (count, what) = (
            tree.inclusive(samples, thread.node),
            format!("thread {}", thread.id),
        );
        let Some(expect) = expect.threads.get(&thread.id) else {
            assert_eq!(count, 1, "{what} has time");
            continue;
        };
        assert_eq!(count, expect.intervals + 1, "{what}");
        assert_ms(tree.inclusive(cpu, thread.node), expect.cpu_ms, &what);
        assert_ms(
            tree.inclusive(wall, thread.node),
            expect.cpu_ms + expect.unmanaged_ms,
            &what,
        );
    }
    let cut = expect.stacks_of_100;
    assert_eq!(
        truncated_samples(&profile),
        (cut > 0).then_some((cut, expect.samples))
    );
    check_incidents(&profile, &expect);
}

/// How many of how many samples are said to have truncated stacks, named ones or not; `None` if nothing is said of it.
fn truncated_samples(profile: &View) -> Option<(u64, u64)> {
    profile
        .diagnostics
        .iter()
        .find_map(|diagnostic| match diagnostic {
            Diagnostic::StacksTruncated(of) => Some((of.truncated, of.total)),
            Diagnostic::Trace(TraceDiagnostic::NamelessStacksTruncated {
                truncated,
                samples,
                ..
            }) => Some((*truncated, *samples)),
            _ => None,
        })
}

/// No frame has a name, for want of a rundown.
fn nameless_without_rundown() -> Diagnostic {
    let cause = NamelessCause::NoRundown;
    Diagnostic::Trace(TraceDiagnostic::NamelessFrames {
        permille: 1000,
        cause,
        nameless: None,
        frames: None,
    })
}

/// How many events of a kind there are is how many markers they make.
fn check_incidents(profile: &View, expect: &Independent) {
    for (kind, number) in [(MarkerKind::Collection, 1), (MarkerKind::Exception, 80)] {
        let is_one =
            |provider: &str, id: u32| provider == "Microsoft-Windows-DotNETRuntime" && id == number;
        let events = expect
            .events
            .iter()
            .filter(|(provider, id, ..)| is_one(provider, *id));
        let count: u64 = events.map(|(.., count)| count).sum();
        let markers = profile.recording.markers.iter();
        let found = markers.filter(|marker| marker.kind() == kind).count();
        assert_eq!(found as u64, count, "{kind:?}");
    }
}

#[test]
fn the_independent_reader_agrees() {
    check_independent("deep31.nettrace");
    check_independent("short31.nettrace");
    check_independent("norundown31.nettrace");
    check_independent("v3-31.netperf");
    check_independent("HeartRateMonitor.10068.nettrace.zip");
    check_independent("only_managed_samples.nettrace.zip");
    // has allocations with stacks, which are time to TraceEvent (337,758.106 ms in all) and not to this reader
    check_independent("eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip");
}

/// TraceEvent reports 3,023 of the 3,327 samples in this file: what it has not sorted when the file breaks off, it drops.
#[test]
fn a_file_that_breaks_off_is_read_up_to_there() {
    check_independent("cutoff31.nettrace");
    let path = present!(shared("nettrace/cutoff31.nettrace"));
    let profile = open(&path);
    assert_eq!(
        profile.warnings(),
        [
            BrokenOff::at(93_401),
            nameless_without_rundown(),
            Diagnostic::Trace(TraceDiagnostic::NamelessStacksTruncated {
                truncated: 398,
                samples: 3327,
                limit_frames: 100
            }),
        ]
    );
    let unknown: HashSet<&str> = profile
        .tree
        .nodes()
        .skip(1 + 5)
        .map(|node| profile.name(node))
        .collect();
    assert!(unknown.contains("?!?"));
}

#[test]
fn a_file_without_rundown_says_so() {
    let path = present!(shared("nettrace/norundown31.nettrace"));
    let warnings = open(&path).warnings();
    assert_eq!(warnings[0], nameless_without_rundown());
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[test]
fn a_recording_is_described() {
    let path = present!(shared("net10/orderedconsume.nettrace"));
    let profile = open(&path);
    assert_eq!(profile.recording.source.format, "nettrace");
    assert_eq!(fact(&profile, "recorded"), "2026-11-21T09:23:48.367Z");
    assert_eq!(fact(&profile, "runtime"), ".NET 10.0.12");
    let system = ["operating system", "architecture"].map(|what| fact(&profile, what));
    assert_eq!(system, ["Linux", "x64"]);
    assert_eq!(fact(&profile, "processors"), "2");
    assert_eq!(default_metric(&profile), "CPU");
    assert_eq!(metric_names(&profile), ["CPU", "wall", "samples"]);
    assert_eq!(profile.codes(), [""; 0]);
    assert_eq!(profile.name(NodeId::ROOT), "All threads");
    let threads: Vec<&str> = profile
        .threads
        .iter()
        .map(|thread| profile.name(thread.node))
        .collect();
    // what the outermost frames of each thread's stacks say; the rest are threads of the program's own
    assert_eq!(
        threads,
        [
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
        ]
    );
}

/// TraceEvent makes no tree of this file. What it says of the process is compared, and the rest with numbers that follow from
/// the file's events by a reader written in Python for this test: 2,983 samples, one each millisecond as the file says, all of
/// one thread; 2,923 of them have the stack of a single address in no mapping; sums by symbol.
#[test]
fn v6_onecollect_has_what_was_counted_by_hand() {
    let file = "nettrace/v6-onecollect.nettrace";
    let recording = present!(shared(file));
    let (profile, expect) = (open(&recording), traceevent_of(file));
    let [process] = &expect.processes[..] else {
        panic!("one process")
    };
    assert_eq!(
        fact(&profile, "process"),
        format!("{} {}", process.pid, process.command_line)
    );
    assert_eq!(
        fact(&profile, "pointer size"),
        format!("{} bytes", expect.pointer_size)
    );
    assert_eq!(metric_names(&profile), ["CPU", "samples"]);
    let (cpu, samples, tree) = (
        metric(&profile, "CPU"),
        metric(&profile, "samples"),
        &profile.tree,
    );
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), 2983);
    assert_eq!(tree.count(cpu, NodeId::ROOT), Some(2983));
    assert_eq!(tree.inclusive(cpu, NodeId::ROOT), 2_983_000_000);
    assert_eq!(
        (profile.processes.len(), profile.threads.len()),
        (0, 1),
        "a single process has no root of its own"
    );
    assert_eq!(
        profile.name(profile.threads.iter().next().unwrap().node),
        "Thread (9636) main"
    );
    let sums = by_name(&profile, samples, NodeId::ROOT);
    for (name, inclusive, exclusive) in [
        ("?!?", 2923, 2923),
        ("libc.so.6!__memset_avx2_unaligned_erms", 38, 7),
        ("vmlinux!exc_page_fault", 31, 4),
        ("vmlinux!handle_mm_fault", 23, 0),
        (
            "libcoreclr.so!JIT_NewArr1(CORINFO_CLASS_STRUCT_*, long)",
            24,
            0,
        ),
        (
            "libcoreclr.so!WKS::GCHeap::Alloc(gc_alloc_context*, unsigned long, unsigned int)",
            42,
            0,
        ),
        ("libcoreclr.so!JIT_WriteBarrier", 2, 2),
        ("ld-linux-x86-64.so.2!__tls_get_addr", 2, 2),
    ] {
        assert_eq!(sums.get(name), Some(&(inclusive, exclusive)), "{name}");
    }
    let [Diagnostic::Trace(TraceDiagnostic::NamelessFrames { cause, .. })] =
        &profile.warnings()[..]
    else {
        panic!("{:?}", profile.diagnostics)
    };
    assert_eq!(*cause, NamelessCause::NoSymbols);
}

/// Bytes and facts against the events that TraceEvent counts in `*.baseline.txt`, and their sizes as a reader in Python adds
/// them up.
#[test]
fn allocations_and_collections_of_objver4_are_counted() {
    let path = present!(shared(
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip"
    ));
    let profile = open(&path);
    let expected =
        shared("expected/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip.expected.json")
            .unwrap();
    check_incidents(
        &profile,
        &serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap(),
    );
    let baseline =
        shared("nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.baseline.txt").unwrap();
    let baseline = std::fs::read_to_string(baseline).unwrap();
    let count = |event: &str| -> u64 {
        let line = baseline
            .lines()
            .find_map(|line| line.trim_start_matches('\u{feff}').strip_prefix(event))
            .unwrap();
        line.split(", ").nth(1).unwrap().parse().unwrap()
    };
    let collections = count("Microsoft-Windows-DotNETRuntime/GC/Start");
    let markers = profile.recording.markers.iter();
    let pauses = markers.filter(|marker| marker.kind() == MarkerKind::Pause);
    assert_eq!(
        pauses.count() as u64,
        collections,
        "each has stopped all threads once"
    );
    let samples = metric(&profile, "samples");
    assert_eq!(
        profile.tree.inclusive(samples, NodeId::ROOT),
        count("Microsoft-DotNETCore-SampleProfiler/Thread/Sample")
    );
    let allocated = metric(&profile, "allocated");
    assert_eq!(
        profile.recording.metrics[allocated.index()].unit,
        Unit::Bytes
    );
    assert_eq!(
        profile.tree.inclusive(allocated, NodeId::ROOT),
        4_235_066_536
    );
    let sums = by_name(&profile, allocated, NodeId::ROOT);
    assert_eq!(
        sums["[allocated] System.Char[]"],
        (2_828_290_272, 2_828_290_272)
    );
    // types have memory and nothing else
    for name in ["CPU", "wall", "samples"] {
        let sums = by_name(&profile, metric(&profile, name), NodeId::ROOT);
        assert!(
            sums.iter()
                .all(|(name, sum)| !name.starts_with("[allocated]") || *sum == (0, 0)),
            "{name}"
        );
    }
}

/// How many events of each provider TraceEvent lists in `*.baseline.txt`, or says in `te` that there are where it has no list.
/// Those of the rundown are more in the file: it keeps events of methods to itself.
#[test]
fn files_without_samples_say_which_events_they_have() {
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
        let Some(path) = shared(&format!("nettrace/{file}.zip")) else {
            continue;
        };
        let (profile, expect) = (open(&path), traceevent_of(&file));
        assert_eq!((expect.samples_total, profile.tree.len()), (0, 1));
        let [Diagnostic::Trace(TraceDiagnostic::NoSamples { providers, .. })] =
            &profile.warnings()[..]
        else {
            panic!("{:?}", profile.diagnostics)
        };
        for (provider, count) in events {
            assert!(
                providers.contains(&(provider.to_string(), *count)),
                "{provider} {count}: {providers:?}"
            );
        }
        check_facts(&profile, &expect);
    }
}

/// TraceEvent refuses the version of .NET Core 2.0, too.
#[test]
fn version_2_is_refused_by_name() {
    let path = present!(shared(
        "nettrace/eventpipe-dotnetcore2.0-linux-objver2.netperf.zip"
    ));
    let error = open_file(&path).err().unwrap().to_string();
    for words in ["is version 2", "3, 4 and 6", "`dotnet-trace collect`"] {
        assert!(error.contains(words), "{error}");
    }
}
