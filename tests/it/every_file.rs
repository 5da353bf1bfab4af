//! Every real file, ours in `tests/data` and those of others in the shared data: it opens with the totals that another source gives, or it is refused with the right words.
//!
//! Only totals are held against each other here; the tests of each format look closer. A file that no row of the table covers
//! fails, and so does a row that covers no file.

use crate::common::dotnet_trace::{check_lists, metric};
use crate::common::profiles;
use crate::common::snap::{SPEEDSCOPE, TRACE_EVENTS, snaps};
use crate::common::{shared, shared_folder};
use dotspot::testing::importers::{FORMATS, ReadOptions, format_of, open_file, unpack};
use dotspot::testing::input::Progress;
use dotspot::testing::model::{MetricId, NodeId, View};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What becomes of a file.
enum Expect {
    /// It is no profile but this, and is refused as of none of the formats.
    NoProfile(&'static str),
    /// It is refused with all these words.
    Refused(&'static [&'static str]),
    /// It opens with this total of its first metric in stored steps, which was added up by hand.
    ByHand(u64),
    /// It opens as a test of its format says.
    Elsewhere,
    /// It opens with the totals of another source.
    As(fn(&str, &Path, &View)),
}

use Expect::{As, ByHand, Elsewhere, NoProfile, Refused};

/// Paths below the folder, where `*` stands for anything, and what becomes of such files. The first row that fits counts.
const ROWS: &[(&[&str], Expect)] = &[
    (
        &[
            "*.md",
            "*.cs",
            "*.csproj",
            "net10/src/Directory.Build.props",
            "net10/commands.txt",
        ],
        NoProfile("what is in the folder, and how it was recorded"),
    ),
    (
        &[
            "*.peek.txt",
            "*.diff_base.txt",
            "*.snap",
            "*.baseline.txt",
            "expected/*.json",
            "dtp/expected/*.json",
            "net10/*.topN-*.txt",
            "net10/*.truth.json",
            "net10/*.untraced-steps.json",
        ],
        NoProfile("what others say of a recording, or its program of itself"),
    ),
    // the slowest, which the tests of their formats and of truncated stacks hold against the same numbers
    (
        &[
            "net10/deepstacks-cycle.speedscope.json.gz",
            "net10/deepstacks-cycle.chromium.json.gz",
            "nettrace/HeartRateMonitor.10068.nettrace.zip",
            "etl/net.4.5.2.x64.etl.zip",
        ],
        Elsewhere,
    ),
    (
        &["perf-data/shares", "perf-data/shares.c", "perf-data/*.map"],
        NoProfile(
            "the program of recordings, and names for perf, which are read with a recording beside them",
        ),
    ),
    // periods: so many samples, which `perf report` counts, of 2,004,008 ns each
    (&["perf-data/plain.perf*"], ByHand(78 * 2_004_008)),
    (&["perf-data/packed.perf*"], ByHand(86 * 2_004_008)),
    // of two events, page faults come first
    (&["perf-data/piped.perf*"], ByHand(4)),
    (
        &["perf-script/*.map"],
        NoProfile("names for perf, which are read with a recording beside them"),
    ),
    // nanoseconds from the first sample to the end of each thread's profile, added up from its time deltas in Python
    (&["chrome/hello.cjs.cpuprofile"], ByHand(168_955_000)),
    (&["chrome/simple.cpuprofile"], ByHand(36_317_000)),
    (&["chrome/test.chrome.gz"], ByHand(480_113_000)),
    (&["chrome/worker.json"], ByHand(1_052_902_000 + 864_430_000)),
    (
        &["chrome/chrome-trace-issue-5429.json.gz"],
        ByHand(254_459_000),
    ),
    // milliseconds, which are the interval: 7 samples in each of three threads, and 32 in one, counted in Python
    (&["firefox/processed-*.json"], ByHand(21_000_000)),
    (&["firefox/argument-values.json"], ByHand(32_000_000)),
    (
        &["firefox/gecko-2.json"],
        Refused(&["the Gecko format", "profiler.firefox.com"]),
    ),
    (
        &["pprof/go.crc32.cpu"],
        Refused(&["not a profile dotspot knows", "legacy format of gperftools"]),
    ),
    // weights: 91 lines of 1 for each of two stacks; others by awk over the last words of all lines
    (&["collapsed/alternating.txt"], ByHand(182)),
    (
        &["collapsed/perf-vertx-stacks-01-collapsed-all.txt"],
        ByHand(285),
    ),
    (&["collapsed/recursion.txt"], ByHand(10)),
    (&["collapsed/tall.txt"], ByHand(1)),
    (&["collapsed/simple*.txt"], ByHand(14)),
    // any file of a snapshot opens the whole
    (&["dtp/*.dtp*"], As(dottrace_snapshot)),
    // these have only events
    (&["etl/*.etl*"], ByHand(0)),
    (&["net10/*.nettrace"], As(recording)),
    (&["net10/*.speedscope.json*"], As(conversion)),
    (&["net10/*.chromium.json.gz"], As(conversion)),
    // the oldest layout, which TraceEvent 4.0 refuses, too
    (
        &["nettrace/*objver2.netperf.zip"],
        Refused(&["is version 2", "record with"]),
    ),
    (&["nettrace/*.netperf*"], As(recording)),
    // CPU time: 2,983 samples, of a millisecond each as the file says; TraceEvent counts the events and makes no times of them
    (&["nettrace/v6-onecollect.nettrace"], ByHand(2_983_000_000)),
    // TraceEvent gives up on the block in which it breaks off, the reader in Python does not
    (&["nettrace/cutoff31.nettrace"], As(recording_in_python)),
    (&["nettrace/*.nettrace*"], As(recording)),
    (&["perf-script/*.perf-script*.txt.gz"], As(perf_script)),
    (&["perfview-xml/*.perfview.xml"], As(perfview)),
    // speedscope refuses both: what is open at the end lasts to the end value of 100, and times go from 0 to 5 without 1 to 2
    (&["speedscope/invalid/incomplete-trace.json"], ByHand(100)),
    (&["speedscope/invalid/out-of-order-events.json"], ByHand(4)),
    (&["speedscope/*.speedscope.json"], As(speedscope)),
    // microseconds; speedscope reads the first in another way, and has no snapshot of the second
    (&["trace-event/end-non-top-of-stack.json"], ByHand(11_000)),
    (&["trace-event/hermes-multiple-frames.json"], ByHand(14_000)),
    (&["trace-event/*.json"], As(trace_events)),
];

/// Whether a path fits a pattern.
fn fits(pattern: &str, path: &str) -> bool {
    let (first, rest) = pattern
        .split_once('*')
        .map_or((pattern, None), |(first, rest)| (first, Some(rest)));
    let Some(path) = path.strip_prefix(first) else {
        return false;
    };
    match rest {
        None => path.is_empty(),
        Some(rest) => {
            (0..=path.len()).any(|at| path.is_char_boundary(at) && fits(rest, &path[at..]))
        }
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found)
        } else {
            found.push(path)
        }
    }
}

/// All real files by their paths in the shared data. What the repository has is not read twice.
fn all_files() -> BTreeMap<String, PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut all = BTreeMap::new();
    for root in shared_folder().iter().chain([&own]) {
        let mut paths = Vec::new();
        files(root, &mut paths);
        let names = paths.iter().map(|path| {
            path.strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/")
        });
        all.extend(names.zip(paths.iter().cloned()));
    }
    all.extend(
        shared("net10/orderedconsume.nettrace")
            .map(|path| ("net10/orderedconsume.nettrace".into(), path)),
    );
    all
}

#[test]
fn every_file_opens_with_its_totals_or_is_refused_with_the_reason() {
    let patterns =
        |(all, expect): &'static (&[&str], Expect)| all.iter().map(move |&it| (it, expect));
    let rows: Vec<(&str, &Expect)> = ROWS.iter().flat_map(patterns).collect();
    let mut unused: BTreeSet<&str> = rows.iter().map(|(pattern, _)| *pattern).collect();
    for (name, path) in all_files() {
        let row = rows.iter().find(|(pattern, _)| fits(pattern, &name));
        let (pattern, expect) =
            row.unwrap_or_else(|| panic!("{name} is new: say in the table what becomes of it"));
        unused.remove(pattern);
        check(&name, &path, expect);
    }
    assert!(
        unused.is_empty() || shared_folder().is_none(),
        "rows that cover no file: {unused:?}"
    );
}

/// The formats of which this project has no recording that it made itself: their real files are those of others.
const NONE_OF_OURS: [&str; 6] = [
    "collapsed",
    "cpuprofile",
    "etl",
    "firefox",
    "perfview",
    "report",
];

#[test]
fn every_other_format_has_a_recording_of_ours() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "tests/data/net10",
        "tests/data/nettrace",
        "tests/data/perf-data",
        "tests/data/perf-script",
        "snapshots",
    ];
    let mut paths = Vec::new();
    for folder in folders {
        files(&root.join(folder), &mut paths);
    }
    let format = |file: PathBuf| {
        let input = unpack(
            open_file(&file, Progress::default()).ok()?,
            &ReadOptions::default(),
        )
        .ok()?;
        Some(format_of(&input).ok()?.name)
    };
    let known: BTreeSet<&str> = paths.into_iter().filter_map(format).collect();
    let all: BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(&all - &known, NONE_OF_OURS.into());
}

fn check(name: &str, path: &Path, expect: &Expect) {
    let refused = |words: &[&str], what: &str| {
        let error = match profiles::open_file(path) {
            Ok(_) => panic!("{name} was opened, and it is {what}"),
            Err(error) => error.to_string(),
        };
        for word in words {
            assert!(
                error.starts_with(&path.display().to_string()) && error.contains(word),
                "{name}: {error}"
            );
        }
    };
    // libtest shows this with a failure
    println!("{name}");
    match expect {
        NoProfile(what) => refused(
            &["not a profile dotspot knows", "`dotspot formats` lists"],
            what,
        ),
        Refused(words) => refused(words, "a profile that is not read"),
        ByHand(total) => assert_eq!(first_total(&profiles::read_file(path)), *total, "{name}"),
        Elsewhere => {}
        As(check) => check(name, path, &profiles::read_file(path)),
    }
}

/// All that there is of the first metric.
fn first_total(profile: &View) -> u64 {
    profile.tree.inclusive(MetricId(0), NodeId::ROOT)
}

/// The last part of a path.
fn file_of(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The name of a file up to the first of these endings.
fn stem<'a>(name: &'a str, endings: &[&str]) -> &'a str {
    let name = file_of(name);
    let end = endings
        .iter()
        .find_map(|ending| name.find(ending))
        .unwrap_or(name.len());
    &name[..end]
}

fn json<T: for<'a> Deserialize<'a>>(path: &Path) -> T {
    serde_json::from_slice(&std::fs::read(path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stored(ms: f64) -> u64 {
    (ms * 1e6).round() as u64
}

#[track_caller]
fn assert_near(found: u64, expect_ms: f64, most_ns: u64, what: &str) {
    let expect = stored(expect_ms);
    assert!(
        found.abs_diff(expect) <= most_ns,
        "{what}: {found} ns, and {expect} ns expected"
    );
}

/// What TraceEvent says of a recording, see `expected/te/NOTES.md`.
#[derive(Deserialize)]
struct TraceEvent {
    samples_total: u64,
    total_ms: f64,
    ms_by_leaf: HashMap<String, f64>,
    threads: Vec<TraceEventThread>,
}

#[derive(Deserialize)]
struct TraceEventThread {
    wall_ms: f64,
}

/// What a reader in Python says of it.
#[derive(Deserialize)]
struct Independent {
    samples: u64,
    total_ms: f64,
    threads: HashMap<String, serde::de::IgnoredAny>,
}

fn trace_event_of(name: &str) -> TraceEvent {
    let stem = stem(name, &[".nettrace", ".netperf", ".speedscope", ".chromium"]);
    json(&shared(&format!("expected/te/{stem}.json")).expect("it lies with its recording"))
}

fn total(profile: &View, name: &str) -> u64 {
    profile.tree.inclusive(metric(profile, name), NodeId::ROOT)
}

fn recording(name: &str, path: &Path, profile: &View) {
    let expect = trace_event_of(name);
    assert_eq!(total(profile, "samples"), expect.samples_total);
    // to TraceEvent allocations are samples, too
    if profile.recording.metric_named("allocated").is_none() {
        assert_near(total(profile, "wall"), expect.total_ms, 1_000, "wall");
        assert_near(
            total(profile, "CPU"),
            expect.ms_by_leaf.get("CPU_TIME").copied().unwrap_or(0.0),
            1_000,
            "CPU",
        );
    }
    assert_eq!(profile.threads.len(), expect.threads.len());
    let file = file_of(name);
    if path
        .with_file_name(format!("../expected/{file}.expected.json"))
        .is_file()
    {
        recording_in_python(name, path, profile);
    }
    // TraceEvent's own test counts the events of each kind
    let baseline = path.with_file_name(format!("{}.baseline.txt", file.trim_end_matches(".zip")));
    if let Ok(text) = std::fs::read_to_string(baseline) {
        let counts = text.lines().filter_map(|line| {
            let (event, rest) = line.trim_start_matches('\u{feff}').split_once(", ")?;
            let count = rest.split(',').next()?.trim().parse::<u64>().ok()?;
            (event == "Microsoft-DotNETCore-SampleProfiler/Thread/Sample").then_some(count)
        });
        assert_eq!(total(profile, "samples"), counts.sum::<u64>());
    }
}

/// That reader keeps no thread of a single sample, which has no time.
fn recording_in_python(name: &str, path: &Path, profile: &View) {
    let expect: Independent =
        json(&path.with_file_name(format!("../expected/{}.expected.json", file_of(name))));
    assert_eq!(total(profile, "samples"), expect.samples);
    let samples = metric(profile, "samples");
    let with_time = profile
        .threads
        .iter()
        .filter(|thread| profile.tree.inclusive(samples, thread.node) > 1);
    assert_eq!(with_time.count(), expect.threads.len());
    assert_near(total(profile, "wall"), expect.total_ms, 1_000, "wall");
}

/// What dotnet-trace made of a recording: its times are sums in 32-bit floats, and a thread without time is left out.
fn conversion(name: &str, _: &Path, profile: &View) {
    let expect = trace_event_of(name);
    let cpu_ms = expect.ms_by_leaf["CPU_TIME"];
    for (metric, expect_ms) in [("wall", expect.total_ms), ("CPU", cpu_ms)] {
        assert_near(
            total(profile, metric),
            expect_ms,
            stored(expect_ms / 100_000.0),
            metric,
        );
    }
    assert_eq!(
        profile.threads.len(),
        expect
            .threads
            .iter()
            .filter(|thread| thread.wall_ms > 0.0)
            .count()
    );
    let list = format!(
        "net10/{}.topN-inclusive.txt",
        stem(name, &[".speedscope", ".chromium"])
    );
    // dotnet-trace repairs no truncated stacks
    let original = profile.original();
    assert!(
        check_lists(
            &original,
            &shared(&list).expect("it lies with its recording")
        ) >= 10,
        "too few methods of the list"
    );
}

/// What a reader in Python found in a snapshot.
#[derive(Deserialize)]
struct Snapshot {
    threads: Vec<SnapshotThread>,
    nodes: usize,
}

#[derive(Deserialize)]
struct SnapshotThread {
    total_ms: f64,
}

fn dottrace_snapshot(name: &str, path: &Path, profile: &View) {
    let expect: Snapshot =
        json(&path.with_file_name(format!("expected/{}.json", stem(name, &[".dtp"]))));
    assert_eq!(
        (profile.node_count(), profile.threads.len()),
        (expect.nodes, expect.threads.len())
    );
    let total: u64 = expect
        .threads
        .iter()
        .map(|thread| stored(thread.total_ms))
        .sum();
    assert_eq!(first_total(profile), total);
}

/// A line that starts without a blank is a sample; its period stands before the event, which is the last word with a colon.
fn perf_script(_: &str, path: &Path, profile: &View) {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let samples = || {
        text.lines()
            .filter(|line| !line.is_empty() && !line.starts_with([' ', '\t', '#']))
    };
    let period = |line: &str| -> u64 {
        let words: Vec<&str> = line.split_whitespace().collect();
        let event = words
            .iter()
            .rposition(|word| word.ends_with(':'))
            .expect("an event");
        words[event - 1].parse().expect("a period")
    };
    assert_eq!(
        profile.tree.count(MetricId(0), NodeId::ROOT),
        Some(samples().count() as u64)
    );
    assert_eq!(first_total(profile), samples().map(period).sum::<u64>());
}

/// Attributes are searched for as text: numbers of three decimals, which become whole without the point.
fn perfview(_: &str, path: &Path, profile: &View) {
    let text = std::fs::read_to_string(path).unwrap();
    let microseconds = |part: &str| -> u64 {
        let number = part.split('"').next().expect("a number");
        let (whole, decimals) = number.split_once('.').unwrap_or((number, "000"));
        format!("{whole}{decimals}").parse().expect("a number")
    };
    let total: u64 = text.split(" Metric=\"").skip(1).map(microseconds).sum();
    assert_eq!(first_total(profile), total * 1000);
    assert_eq!(
        profile.tree.count(MetricId(0), NodeId::ROOT),
        Some(text.matches("<Sample ").count() as u64)
    );
}

/// The weights of all frames themselves in speedscope's snapshots of a test, in the file's unit.
#[track_caller]
fn check_snaps(snapshots: &Path, test: &str, profile: &View, stored_per_unit: f64) {
    let text = std::fs::read_to_string(snapshots).unwrap();
    let snaps = snaps(&text, test);
    assert_eq!(profile.threads.len(), snaps.len(), "{test}");
    let own = snaps
        .iter()
        .flat_map(|snap| &snap.frames)
        .map(|(_, own, _)| own)
        .sum::<f64>();
    let total = profile
        .tree
        .inclusive(profile.recording.default_metric, NodeId::ROOT);
    assert_eq!(total, (own * stored_per_unit).round() as u64, "{test}");
}

fn speedscope(_: &str, path: &Path, profile: &View) {
    let (_, test, stored_per_unit) = SPEEDSCOPE
        .iter()
        .find(|(file, ..)| path.ends_with(file))
        .expect("speedscope has a test of it");
    let snapshots = path.with_file_name("../file-format.test.ts.snap");
    check_snaps(
        &snapshots,
        &format!("importSpeedscopeProfiles {test}"),
        profile,
        *stored_per_unit,
    );
}

fn trace_events(name: &str, path: &Path, profile: &View) {
    let is_it = |file: &str| stem(name, &[".json"]) == file;
    let (test, _) = TRACE_EVENTS
        .iter()
        .find(|(_, file)| is_it(file))
        .expect("speedscope has a test of it");
    check_snaps(
        &path.with_file_name("trace-event.test.ts.snap"),
        &format!("importTraceEvents {test}"),
        profile,
        1000.0,
    );
}

#[test]
fn patterns_are_matched_from_end_to_end() {
    let check = |pattern, path, expect| assert_eq!(fits(pattern, path), expect, "{pattern} {path}");
    check("a/*.txt", "a/b.txt", true);
    check("a/*.txt", "a/b.txt.gz", false);
    check("a/*.txt", "b/a/b.txt", false);
    check("*.md", "a/b/c.md", true);
    check("a/*b*.json*", "a/xbx.json.gz", true);
    check("a/*b*.json*", "a/x.json", false);
    check("a", "a", true);
    check("a", "ab", false);
}
