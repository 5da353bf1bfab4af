//! `.nettrace` recordings: what TraceEvent says of real ones, and what they say of themselves.

mod common;

use common::shared;
use dotspot::importers::{Input, Progress, import};
use dotspot::model::{MetricId, NodeId, Profile, Unit};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::path::Path;

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

/// What `expected/*.expected.json` holds: the numbers of a reader written in Python.
#[derive(Deserialize)]
struct Independent {
    samples: u64,
    stacks_of_100: u64,
    total_ms: f64,
    threads: HashMap<String, IndependentThread>,
}

#[derive(Deserialize)]
struct IndependentThread {
    intervals: u64,
    cpu_ms: f64,
    unmanaged_ms: f64,
}

fn open(path: &Path) -> Profile {
    let input = Input::open(path, Progress::default()).unwrap();
    let profile = import(input).unwrap();
    profile.tree.check().unwrap();
    profile
}

fn metric(profile: &Profile, name: &str) -> MetricId {
    profile.metric_named(name).unwrap_or_else(|| panic!("no metric {name}"))
}

fn milliseconds(stored: u64) -> f64 {
    Unit::Milliseconds.to_unit(stored)
}

/// Expected times are rounded to a microsecond. TraceEvent adds up numbers of 32 bits, so that half of one is not always
/// enough.
#[track_caller]
fn assert_ms(found: u64, expect: f64, what: &str) {
    let difference = (milliseconds(found) - expect).abs();
    assert!(difference <= 0.001, "{what}: {} ms, and {expect} ms expected", milliseconds(found));
}

/// For each name its inclusive value, counted once per path, and its exclusive value, below `top`.
fn by_name(profile: &Profile, metric: MetricId, top: NodeId) -> HashMap<&str, (u64, u64)> {
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
        let name = profile.name(node);
        let depth = on_path.entry(name).or_default();
        let sum = sums.entry(name).or_default();
        if *depth == 0 {
            sum.0 += profile.tree.inclusive(metric, node);
        }
        sum.1 += profile.tree.exclusive(metric, node);
        *depth += 1;
        path.push((node, name));
    }
    sums
}

fn check_threads(profile: &Profile, expect: &TraceEvent) {
    let (cpu, wall, samples) = (metric(profile, "CPU"), metric(profile, "wall"), metric(profile, "samples"));
    let tree = &profile.tree;
    let found: HashSet<&str> = profile.threads.iter().map(|thread| thread.id.as_str()).collect();
    assert_eq!(found.len(), profile.threads.len(), "threads with the same id");
    assert_eq!(found.len(), expect.threads.len());
    for thread in &expect.threads {
        let ours = profile.threads.iter().find(|candidate| candidate.id == thread.tid.to_string());
        let node = ours.unwrap_or_else(|| panic!("no thread {}", thread.tid)).node;
        let what = format!("thread {}", thread.tid);
        assert_ms(tree.inclusive(wall, node), thread.wall_ms, &what);
        assert_ms(tree.inclusive(cpu, node), thread.cpu_ms, &what);
        assert_ms(tree.inclusive(wall, node) - tree.inclusive(cpu, node), thread.unmanaged_ms, &what);
        assert_eq!(tree.inclusive(samples, node), thread.samples, "{what}");
        assert_eq!(tree.count(wall, node), Some(thread.samples), "{what}");
        let methods = by_name(profile, cpu, node);
        for (name, exclusive_ms) in &thread.top_cpu_exclusive {
            let exclusive = methods.get(name.as_str()).unwrap_or_else(|| panic!("{what} has no {name}")).1;
            assert_ms(exclusive, *exclusive_ms, &format!("{what}: {name}"));
        }
    }
}

fn check_methods(profile: &Profile, expect: &TraceEvent) {
    let (cpu, wall) = (metric(profile, "CPU"), metric(profile, "wall"));
    let [in_cpu, in_wall] = [cpu, wall].map(|metric| {
        let mut sums: HashMap<&str, (u64, u64)> = HashMap::new();
        for thread in profile.threads.iter() {
            for (name, (inclusive, exclusive)) in by_name(profile, metric, thread.node) {
                let sum = sums.entry(name).or_default();
                *sum = (sum.0 + inclusive, sum.1 + exclusive);
            }
        }
        sums
    });
    for method in &expect.methods {
        let name = method.name.as_str();
        let (inclusive, exclusive) = *in_wall.get(name).unwrap_or_else(|| panic!("no method {name}"));
        assert_ms(inclusive, method.inclusive_ms, &format!("inclusive wall time of {name}"));
        assert_ms(exclusive, method.exclusive_ms, &format!("exclusive wall time of {name}"));
        let (inclusive, exclusive) = in_cpu[name];
        assert_ms(inclusive, method.cpu_inclusive_ms, &format!("inclusive CPU time of {name}"));
        assert_ms(exclusive, method.cpu_exclusive_ms, &format!("exclusive CPU time of {name}"));
    }
}

/// Samples whose stack has 100 frames and is whole all the same: it starts with the runtime's method that starts a thread,
/// which `net10/README.md` calls the true root. Told by name, where the warning compares stacks with each other.
fn whole_at_100(profile: &Profile) -> u64 {
    let (tree, samples) = (&profile.tree, metric(profile, "samples"));
    let is_start = |node| profile.name(node).ends_with("!System.Threading.Thread.StartCallback()");
    let starts = profile.threads.iter().flat_map(|thread| tree.children(thread.node)).filter(|&node| is_start(node));
    let below = starts.flat_map(|start| tree.range(start)).map(NodeId::at);
    // above the innermost of 100 frames are 99 more, the thread and the root
    below.filter(|&node| tree.ancestors(node).count() == 101).map(|node| tree.exclusive(samples, node)).sum()
}

/// Opens a recording and compares it with what TraceEvent says of it.
#[track_caller]
fn check(file: &str) {
    let (Some(recording), Some(expected)) = (shared(&format!("{file}.nettrace")), file.rsplit('/').next()) else {
        return;
    };
    let expected = std::fs::read(shared(&format!("expected/te/{expected}.json")).unwrap()).unwrap();
    let expect: TraceEvent = serde_json::from_slice(&expected).unwrap();
    // TraceEvent mends nothing
    let profile = open(&recording).without_repair();
    let (cpu, wall, samples) = (metric(&profile, "CPU"), metric(&profile, "wall"), metric(&profile, "samples"));
    let tree = &profile.tree;
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), expect.samples_total);
    assert_eq!(tree.count(wall, NodeId::ROOT), Some(expect.samples_total));
    assert_eq!(tree.count(cpu, NodeId::ROOT), Some(expect.sample_types.managed));
    assert_eq!(expect.samples_total, expect.sample_types.managed + expect.sample_types.external);
    assert_ms(tree.inclusive(wall, NodeId::ROOT), expect.total_ms, "all threads");
    // the root, the thread and the marker are no frames of a stack
    let is_frame = |node: &NodeId| {
        profile.frames.get(tree.frame(*node)).kind.is_hotspot() && !profile.name(*node).starts_with("[truncated")
    };
    let depth = tree.nodes().map(|node| std::iter::once(node).chain(tree.ancestors(node)).filter(is_frame).count()).max();
    assert_eq!(depth, Some(expect.max_stack_depth));
    let cut = expect.stacks_at_100 - whole_at_100(&profile);
    let sentence = format!("{cut} of {} samples (", expect.samples_total);
    assert_eq!(profile.warnings.iter().any(|warning| warning.replace(',', "").starts_with(&sentence)), cut > 0);
    assert_eq!(expect.events_lost, 0);
    assert!(!profile.warnings.iter().any(|warning| warning.contains("lost")), "{:?}", profile.warnings);
    assert_eq!(fact(&profile, "pointer size"), format!("{} bytes", expect.pointer_size));
    assert_eq!(fact(&profile, "process"), expect.processes[0].pid.to_string());
    assert_eq!(fact(&profile, "command line"), expect.processes[0].command_line);
    check_threads(&profile, &expect);
    check_methods(&profile, &expect);
}

fn fact<'a>(profile: &'a Profile, what: &str) -> &'a str {
    profile.source.facts.iter().find(|(name, _)| *name == what).map_or("", |(_, text)| text)
}

#[test]
fn traceevent_agrees_on_deep31() {
    check("nettrace/deep31");
}

#[test]
fn traceevent_agrees_on_short31() {
    check("nettrace/short31");
}

#[test]
fn traceevent_agrees_on_norundown31() {
    check("nettrace/norundown31");
}

#[test]
fn traceevent_agrees_on_cpubound() {
    check("net10/cpubound");
}

#[test]
fn traceevent_agrees_on_deepstacks_mutual() {
    check("net10/deepstacks-mutual");
}

#[test]
fn traceevent_agrees_on_deepstacks_cycle() {
    check("net10/deepstacks-cycle");
}

#[test]
fn traceevent_agrees_on_orderedconsume() {
    check("net10/orderedconsume");
}

#[test]
fn traceevent_agrees_on_orderedconsume_regressed() {
    check("net10/orderedconsume-regressed");
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
fn hot_shares(profile: &Profile, top: NodeId) -> [f64; 3] {
    let methods = by_name(profile, metric(profile, "CPU"), top);
    let times = ["Sixty", "Thirty", "Ten"]
        .map(|name| methods[format!("CpuBound!Demo.Cpu.Hot.{name}(int32)").as_str()].1 as f64);
    times.map(|time| time / times.iter().sum::<f64>())
}

/// The shares that `net10/README.md` states for TraceEvent, and those that the program's own clock says of each thread.
/// These are met within three standard deviations of a share that is estimated by as many samples as the thread has
/// (about 4,600, so 2 percentage points for a share of 0.3).
#[test]
fn cpubound_has_the_shares_that_its_program_measured() {
    let Some(path) = shared("net10/cpubound.nettrace") else { return };
    let profile = open(&path);
    let percent = hot_shares(&profile, NodeId::ROOT).map(|share| format!("{:.1}", share * 100.0));
    assert_eq!(percent, ["60.7", "28.9", "10.4"]);
    let truth = std::fs::read(shared("net10/cpubound.truth.json").unwrap()).unwrap();
    let truth: HashMap<String, CpuBoundThread> = serde_json::from_slice(&truth).unwrap();
    assert_eq!(truth.len(), 2);
    for (what, thread) in &truth {
        let node = profile.threads.iter().find(|candidate| candidate.id == thread.id.to_string()).unwrap().node;
        let samples = profile.tree.inclusive(metric(&profile, "samples"), node) as f64;
        let clocked = [&thread.sixty, &thread.thirty, &thread.ten].map(|method| method.share_of_time);
        for (found, expect) in hot_shares(&profile, node).into_iter().zip(clocked) {
            let tolerance = 3.0 * (expect * (1.0 - expect) / samples).sqrt();
            assert!(tolerance < 0.025, "{what} has only {samples} samples");
            assert!((found - expect).abs() <= tolerance, "{what}: {found}, and {expect} expected within {tolerance}");
        }
    }
}

/// Compares a recording with what the reader written in Python says of it.
#[track_caller]
fn check_independent(file: &str) {
    let Some(recording) = shared(&format!("nettrace/{file}.nettrace")) else { return };
    let expected = std::fs::read(shared(&format!("expected/{file}.nettrace.expected.json")).unwrap()).unwrap();
    let expect: Independent = serde_json::from_slice(&expected).unwrap();
    let profile = open(&recording);
    let (cpu, wall, samples) = (metric(&profile, "CPU"), metric(&profile, "wall"), metric(&profile, "samples"));
    let tree = &profile.tree;
    assert_eq!(tree.inclusive(samples, NodeId::ROOT), expect.samples);
    assert_ms(tree.inclusive(wall, NodeId::ROOT), expect.total_ms, "all threads");
    for thread in profile.threads.iter() {
        let (count, what) = (tree.inclusive(samples, thread.node), format!("thread {}", thread.id));
        let Some(expect) = expect.threads.get(&thread.id) else {
            assert_eq!(count, 1, "{what} has time");
            continue;
        };
        assert_eq!(count, expect.intervals + 1, "{what}");
        assert_ms(tree.inclusive(cpu, thread.node), expect.cpu_ms, &what);
        assert_ms(tree.inclusive(wall, thread.node), expect.cpu_ms + expect.unmanaged_ms, &what);
    }
    let cut = format!("{} of {} samples (", expect.stacks_of_100, expect.samples);
    assert!(
        profile.warnings.iter().any(|warning| warning.replace(',', "").starts_with(&cut)),
        "{:?}",
        profile.warnings
    );
}

#[test]
fn the_independent_reader_agrees() {
    check_independent("deep31");
    check_independent("short31");
    check_independent("norundown31");
}

/// TraceEvent reports 3,023 of the 3,327 samples in this file: what it has not sorted when the file breaks off, it drops.
#[test]
fn a_file_that_breaks_off_is_read_up_to_there() {
    check_independent("cutoff31");
    let Some(path) = shared("nettrace/cutoff31.nettrace") else { return };
    let profile = open(&path);
    assert_eq!(
        profile.warnings,
        [
            "The file breaks off at byte 93,401, behind a whole block but without the end mark; all that is there is kept.",
            "The file has no rundown, the list of methods that the runtime writes when a recording is stopped in order, so that \
         100.0 % of the frames in samples have no name (?!?).",
            "398 of 3,327 samples (12.0 %) truncated at 100 frames, none of which has a name: their outermost callers are \
         missing, which can't be seen in the tree.",
        ]
    );
    let unknown: HashSet<&str> = profile.tree.nodes().skip(1 + 5).map(|node| profile.name(node)).collect();
    assert!(unknown.contains("?!?"));
}

#[test]
fn a_file_without_rundown_says_so() {
    let Some(path) = shared("nettrace/norundown31.nettrace") else { return };
    let warnings = open(&path).warnings;
    assert!(warnings[0].starts_with("The file has no rundown, "), "{warnings:?}");
    assert!(warnings[0].ends_with("100.0 % of the frames in samples have no name (?!?)."), "{warnings:?}");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

#[test]
fn a_recording_is_described() {
    let Some(path) = shared("net10/orderedconsume.nettrace") else { return };
    let profile = open(&path);
    assert_eq!(profile.source.format, "nettrace");
    assert_eq!(fact(&profile, "recorded"), "2026-11-21T09:23:48.367Z");
    assert_eq!(fact(&profile, "runtime"), ".NET 10.0.12");
    assert_eq!((fact(&profile, "operating system"), fact(&profile, "architecture")), ("Linux", "x64"));
    assert_eq!(fact(&profile, "processors"), "2");
    assert_eq!(profile.metric(profile.default_metric).name, "CPU");
    let names: Vec<&str> = profile.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["CPU", "wall", "samples"]);
    assert_eq!(profile.warnings, [""; 0]);
    assert_eq!(profile.name(NodeId::ROOT), "All threads");
    let threads: Vec<&str> = profile.threads.iter().map(|thread| profile.name(thread.node)).collect();
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

/// What is said of the versions that are not read, with real files of theirs.
#[test]
fn other_versions_are_refused_by_name() {
    for (file, version) in [("nettrace/v3-31.netperf", "3"), ("nettrace/v6-onecollect.nettrace", "6")] {
        let Some(path) = shared(file) else { return };
        let error = import(Input::open(&path, Progress::default()).unwrap()).unwrap_err().to_string();
        let sentence = format!("{}: dotnet-trace recording: is of version {version} (", path.display());
        assert!(error.starts_with(&sentence), "{error}");
        assert!(error.contains("version 4 is the one that is read; record with `dotnet-trace collect`"), "{error}");
    }
}
