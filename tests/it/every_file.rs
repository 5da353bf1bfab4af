//! Every real file, ours in `tests/data` and those of others in the shared data, opens or is refused with the right words.

use crate::common::profiles;
use crate::common::text::{has, starts};
use crate::common::{shared, shared_folder};
use dotspot::testing::model::{MetricId, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What becomes of a file.
enum Expect {
    /// It is no profile, and no format takes it.
    NoProfile,
    /// It is refused with all these words.
    Refused(&'static [&'static str]),
    /// It opens with this total of its first metric in stored units, which was added up by hand.
    ByHand(u64),
    /// It opens; a test of its format compares it with another reader.
    Opens,
    /// The same of the slowest files, which are opened only there.
    Elsewhere,
}

use Expect::{ByHand, Elsewhere, NoProfile, Opens, Refused};

/// Paths below the folder, where `*` stands for anything. The first row that fits counts.
#[rustfmt::skip]
const ROWS: &[(&str, Expect)] = &[
    ("*.md", NoProfile),
    ("*.cs", NoProfile),
    ("*.csproj", NoProfile),
    ("net10/src/Directory.Build.props", NoProfile),
    ("net10/commands.txt", NoProfile),
    // what others say of a recording, or its program of itself
    ("*.peek.txt", NoProfile),
    ("*.diff_base.txt", NoProfile),
    ("*.snap", NoProfile),
    ("*.baseline.txt", NoProfile),
    ("expected/*.json", NoProfile),
    ("dtp/expected/*.json", NoProfile),
    ("net10/*.topN-*.txt", NoProfile),
    ("net10/*.truth.json", NoProfile),
    ("net10/*.untraced-steps.json", NoProfile),
    // the program of recordings, and names for perf
    ("perf-data/shares", NoProfile),
    ("perf-data/shares.c", NoProfile),
    ("perf-data/*.map", NoProfile),
    ("perf-script/*.map", NoProfile),
    ("net10/deepstacks-cycle.speedscope.json.gz", Elsewhere),
    ("net10/deepstacks-cycle.chromium.json.gz", Elsewhere),
    ("nettrace/HeartRateMonitor.10068.nettrace.zip", Elsewhere),
    ("etl/net.4.5.2.x64.etl.zip", Elsewhere),
    // periods: so many samples, which `perf report` counts, of 2,004,008 ns each
    ("perf-data/plain.perf*", ByHand(78 * 2_004_008)),
    ("perf-data/packed.perf*", ByHand(86 * 2_004_008)),
    // of two events, page faults come first
    ("perf-data/piped.perf*", ByHand(4)),
    // nanoseconds from the first sample to the end of each thread's profile, added up from its time deltas in Python
    ("chrome/hello.cjs.cpuprofile", ByHand(168_955_000)),
    ("chrome/simple.cpuprofile", ByHand(36_317_000)),
    ("chrome/test.chrome.gz", ByHand(480_113_000)),
    ("chrome/worker.json", ByHand(1_052_902_000 + 864_430_000)),
    ("chrome/chrome-trace-issue-5429.json.gz", ByHand(254_459_000)),
    // milliseconds, which are the interval: 7 samples in each of three threads, and 32 in one, counted in Python
    ("firefox/processed-*.json", ByHand(21_000_000)),
    ("firefox/argument-values.json", ByHand(32_000_000)),
    ("firefox/gecko-2.json", Refused(&["the Gecko format", "profiler.firefox.com"])),
    ("pprof/go.crc32.cpu", Refused(&["not a profile dotspot knows", "legacy format of gperftools"])),
    // weights: 91 lines of 1 for each of two stacks; others by awk over the last words of all lines
    ("collapsed/alternating.txt", ByHand(182)),
    ("collapsed/perf-vertx-stacks-01-collapsed-all.txt", ByHand(285)),
    ("collapsed/recursion.txt", ByHand(10)),
    ("collapsed/tall.txt", ByHand(1)),
    ("collapsed/simple*.txt", ByHand(14)),
    // any file of a snapshot opens the whole
    ("dtp/*.dtp*", Opens),
    // these have only events
    ("etl/*.etl*", ByHand(0)),
    ("net10/*.nettrace", Opens),
    ("net10/*.speedscope.json*", Opens),
    ("net10/*.chromium.json.gz", Opens),
    ("nettrace/*objver2.netperf.zip", Refused(&["is version 2", "record with"])),
    ("nettrace/*.netperf*", Opens),
    ("nettrace/*.nettrace*", Opens),
    // sums of all periods by awk
    ("perf-script/*.perf-script*.txt.gz", ByHand(1_977_955_896)),
    // sums of the attribute `Metric` in Python, in milliseconds
    ("perfview-xml/ls.strace.perfview.xml", ByHand(15_473_000)),
    ("perfview-xml/perf.strace.perfview.xml", ByHand(5_418_775_000)),
    // speedscope refuses both: what is open at the end lasts to the end value of 100, and times go from 0 to 5 without 1 to 2
    ("speedscope/invalid/incomplete-trace.json", ByHand(100)),
    ("speedscope/invalid/out-of-order-events.json", ByHand(4)),
    ("speedscope/*.speedscope.json", Opens),
    // microseconds; speedscope reads the first in another way, and has no snapshot of the second
    ("trace-event/end-non-top-of-stack.json", ByHand(11_000)),
    ("trace-event/hermes-multiple-frames.json", ByHand(14_000)),
    ("trace-event/*.json", Opens),
];

/// Whether a path fits a pattern.
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

/// All real files by their paths in the shared data. What the repository has is not read twice.
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
        let (pattern, expect) = row.unwrap_or_else(|| panic!("{name} is new: add a row for it"));
        unused.remove(pattern);
        // libtest shows this with a failure
        println!("{name}");
        let refused = |words: &[&str]| {
            let error = profiles::open_file(&path).expect_err("it is refused");
            starts(error.to_string(), path.display().to_string());
            words.iter().for_each(|word| has(error.to_string(), word));
        };
        match expect {
            NoProfile => refused(&["not a profile dotspot knows", "`dotspot formats` lists"]),
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
