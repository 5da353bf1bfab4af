//! Every real file, in `tests/data` or in the shared data, opens or is refused with the right words.

use crate::common::profiles;
use crate::common::text::{assert_contains, assert_starts_with};
use crate::common::{shared, shared_folder};
use dotspot::testing::model::{MetricId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The expected result for a file.
enum Expect {
    /// It is not a profile, and no importer accepts it.
    NoProfile,
    /// It is refused with an error that contains all words.
    Refused(&'static [&'static str]),
    /// It opens, and its first metric has this total in stored units, which was computed by hand.
    ByHand(u64),
    /// It opens. A test of its format compares it with another reader.
    Opens,
    /// The same for the slowest files, which are only opened by that test.
    Elsewhere,
}

use Expect::{ByHand, Elsewhere, NoProfile, Opens, Refused};

/// Path patterns, where `*` matches anything. The first matching row applies.
#[rustfmt::skip]
const ROWS: &[(&str, Expect)] = &[
    ("*.md", NoProfile),
    ("*.cs", NoProfile),
    ("*.csproj", NoProfile),
    ("net10/src/Directory.Build.props", NoProfile),
    ("net10/commands.txt", NoProfile),
    // results of other tools, and output of recorded programs
    ("*.peek.txt", NoProfile),
    ("*.diff_base.txt", NoProfile),
    ("*.snap", NoProfile),
    ("*.baseline.txt", NoProfile),
    ("expected/*.json", NoProfile),
    ("dtp/expected/*.json", NoProfile),
    ("net10/*.topN-*.txt", NoProfile),
    ("net10/*.truth.json", NoProfile),
    ("net10/*.untraced-steps.json", NoProfile),
    // recorded programs, and names for perf
    ("perf-data/shares", NoProfile),
    ("perf-data/shares.c", NoProfile),
    ("perf-data/*.map", NoProfile),
    ("perf-script/*.map", NoProfile),
    ("net10/deepstacks-cycle.speedscope.json.gz", Elsewhere),
    ("net10/deepstacks-cycle.chromium.json.gz", Elsewhere),
    ("nettrace/HeartRateMonitor.10068.nettrace.zip", Elsewhere),
    ("etl/net.4.5.2.x64.etl.zip", Elsewhere),
    // periods: the number of samples according to `perf report`, times 2,004,008 ns
    ("perf-data/plain.perf*", ByHand(78 * 2_004_008)),
    ("perf-data/packed.perf*", ByHand(86 * 2_004_008)),
    // two events, of which page faults are first
    ("perf-data/piped.perf*", ByHand(4)),
    // nanoseconds from the first sample to the end of each thread's profile, summed from time deltas in Python
    ("chrome/hello.cjs.cpuprofile", ByHand(168_955_000)),
    ("chrome/simple.cpuprofile", ByHand(36_317_000)),
    ("chrome/test.chrome.gz", ByHand(480_113_000)),
    ("chrome/worker.json", ByHand(1_052_902_000 + 864_430_000)),
    ("chrome/chrome-trace-issue-5429.json.gz", ByHand(254_459_000)),
    // samples of one millisecond, counted in Python: 7 in each of three threads, and 32 in one
    ("firefox/processed-*.json", ByHand(21_000_000)),
    ("firefox/argument-values.json", ByHand(32_000_000)),
    ("firefox/gecko-2.json", Refused(&["the Gecko format", "profiler.firefox.com"])),
    ("pprof/go.crc32.cpu", Refused(&["not a profile dotspot can read", "legacy format of gperftools"])),
    // weights: 91 lines of 1 for each of two stacks; the others summed by awk from the last word of each line
    ("collapsed/alternating.txt", ByHand(182)),
    ("collapsed/perf-vertx-stacks-01-collapsed-all.txt", ByHand(285)),
    ("collapsed/recursion.txt", ByHand(10)),
    ("collapsed/tall.txt", ByHand(1)),
    ("collapsed/simple*.txt", ByHand(14)),
    // any file of a snapshot opens the whole snapshot
    ("dtp/*.dtp*", Opens),
    // these only contain events
    ("etl/*.etl*", ByHand(0)),
    ("net10/*.nettrace", Opens),
    ("net10/*.speedscope.json*", Opens),
    ("net10/*.chromium.json.gz", Opens),
    ("nettrace/*objver2.netperf.zip", Refused(&["is version 2", "record with"])),
    ("nettrace/*.netperf*", Opens),
    ("nettrace/*.nettrace*", Opens),
    // sums of all periods, computed by awk
    ("perf-script/*.perf-script*.txt.gz", ByHand(1_977_955_896)),
    // sums of the attribute `Metric` in milliseconds, computed in Python
    ("perfview-xml/ls.strace.perfview.xml", ByHand(15_473_000)),
    ("perfview-xml/perf.strace.perfview.xml", ByHand(5_418_775_000)),
    // speedscope refuses both: open frames last until the end value of 100; times go from 0 to 5 without 1 to 2
    ("speedscope/invalid/incomplete-trace.json", ByHand(100)),
    ("speedscope/invalid/out-of-order-events.json", ByHand(4)),
    ("speedscope/*.speedscope.json", Opens),
    // microseconds; speedscope reads the first differently, and has no snapshot of the second
    ("trace-event/end-non-top-of-stack.json", ByHand(11_000)),
    ("trace-event/hermes-multiple-frames.json", ByHand(14_000)),
    ("trace-event/*.json", Opens),
];

/// Whether a path matches a pattern.
fn fits(pattern: &str, path: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == path;
    };
    let path = path.strip_prefix(first);
    path.is_some_and(|path| {
        path.char_indices().any(|(at, _)| fits(rest, &path[at..])) || rest.is_empty()
    })
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

/// All real files by their paths in the shared data. Files that are also in the repository are included once.
fn all_files() -> BTreeMap<String, PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let recording = "net10/orderedconsume.nettrace";
    let bundled = shared(recording).map(|path| (recording.into(), path));
    let mut all = BTreeMap::new();
    for root in shared_folder().iter().chain([&own]) {
        let mut paths = Vec::new();
        files(root, &mut paths);
        for path in paths {
            let name = path.strip_prefix(root).unwrap().to_string_lossy();
            all.insert(name.replace('\\', "/"), path);
        }
    }
    all.extend(bundled);
    all
}

#[test]
fn every_file_opens_or_is_refused_with_the_reason() {
    let mut unused: BTreeSet<&str> = ROWS.iter().map(|(pattern, _)| *pattern).collect();
    for (name, path) in all_files() {
        let row = ROWS.iter().find(|(pattern, _)| fits(pattern, &name));
        let (pattern, expect) = row.unwrap_or_else(|| panic!("{name} is new: add a row"));
        unused.remove(pattern);
        println!("{name}");
        let refused = |words: &[&str]| {
            let error = profiles::open_file(&path).expect_err("it is refused");
            assert_starts_with(error.to_string(), path.display().to_string());
            words
                .iter()
                .for_each(|word| assert_contains(error.to_string(), word));
        };
        match expect {
            NoProfile => refused(&["not a profile dotspot can read", "`dotspot formats` lists"]),
            Refused(words) => refused(words),
            ByHand(total) => {
                let tree = profiles::read_file(&path).tree;
                assert_eq!(tree.inclusive(MetricId(0), NodeId::ROOT), *total);
            }
            Opens => _ = profiles::read_file(&path),
            Elsewhere => {}
        }
    }
    let is_complete = shared_folder().is_some();
    assert!(unused.is_empty() || !is_complete, "no file: {unused:?}");
}
