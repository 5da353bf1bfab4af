//! `perf script` output: real files summed with awk, maps next to them, several events and processes, damage.

use crate::common::packing::zip;
use crate::common::profiles::{
    assert_harmless, by_name, check_tree, fact, names_behind, open_file, path, process_names,
    read_as, read_bytes, read_file, thread_names,
};
use crate::common::random::Random;
use crate::common::shared;
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, LineFault};
use dotspot::testing::input::ImportError;
use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::names::{Category, FrameKind};
use dotspot::testing::units::Unit;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

const FIRST: MetricId = MetricId(0);

fn import_bytes(bytes: &[u8]) -> View {
    read_bytes("pipe", bytes.to_vec()).unwrap()
}

/// Reads text as this format, whatever it looks like.
fn read(text: &[u8]) -> Result<View, ImportError> {
    read_as("perfscript", "pipe", text.to_vec())
}

fn open(path: &Path) -> View {
    let profile = open_file(path).unwrap_or_else(|error| panic!("{error}"));
    check_tree(&profile);
    assert_eq!(profile.recording.source.format, "perfscript");
    profile
}

/// The text of one of the two real files.
fn real_text() -> String {
    let path = shared("perf-script/dotnet31.perf-script.txt.gz").unwrap();
    let mut text = String::new();
    let mut unpacked = flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap());
    unpacked.read_to_string(&mut text).unwrap();
    text
}

/// The exclusive and inclusive sums of a raw name; recursion counts once.
fn sums(profile: &View, metric: MetricId, name: &str) -> (u64, u64) {
    by_name(profile, metric, NodeId::ROOT)[name]
}

/// A line per node except the root: its path, then exclusive value and samples by metric.
pub fn rows(profile: &View) -> BTreeSet<String> {
    let tree = &profile.tree;
    let row = |node| {
        let values = (0..profile.recording.metrics.len()).map(MetricId::at);
        let values: Vec<String> = values
            .map(|metric| match tree.count(metric, node) {
                Some(count) => format!("{}/{count}", tree.exclusive(metric, node)),
                None => tree.exclusive(metric, node).to_string(),
            })
            .collect();
        format!("{}: {}", path(profile, node).join(" > "), values.join(" "))
    };
    tree.nodes().skip(1).map(row).collect()
}

/// Expected numbers come from awk over the decompressed text. A line that starts without a blank starts a sample: `$2` has the
/// thread, `$4` is the period. Of the lines with a tab the first is the leaf; name and file are what remains after
/// `sub(/^\t *[0-9a-f]+ /,"")`, `match(l,/ \([^()]*\)$/)`, `sub(/\+0x[0-9a-f]+$/,"")` and `sub(/\[[A-Za-z0-9]+\]$/,"")`.
#[test]
fn awk_agrees() {
    for file in [
        "dotnet31.perf-script.txt.gz",
        "dotnet31.perf-script-fields.txt.gz",
    ] {
        let profile = open(&shared(&format!("perf-script/{file}")).unwrap());
        let tree = &profile.tree;
        assert_eq!(metrics(&profile), [("cpu-clock", Unit::Milliseconds)]);
        assert_eq!(tree.inclusive(FIRST, NodeId::ROOT), 1_977_955_896);
        assert_eq!(tree.count(FIRST, NodeId::ROOT), Some(987));
        let threads = [
            ("12604", 488, 977_955_904),
            ("12605", 485, 971_943_880),
            ("12607", 6, 12_024_048),
            ("12603", 5, 10_020_040),
            ("12609", 3, 6_012_024),
        ];
        let node = |id| {
            profile
                .threads
                .iter()
                .find(|thread| thread.id == id)
                .unwrap()
                .node
        };
        let row = |id| {
            (
                id,
                tree.count(FIRST, node(id)).unwrap(),
                tree.inclusive(FIRST, node(id)),
            )
        };
        assert_eq!(threads.map(|(id, ..)| row(id)), threads);
        assert_eq!(thread_names(&profile).len(), 5);
        assert!(profile.threads.iter().all(|thread| thread.name == "dotnet"));
        for (name, own, total) in [
            (
                "int32 [Workload] Demo.Deep::Level(int32,int32)",
                965_931_856,
                971_943_880,
            ),
            (
                "void [Workload] Demo.Shallow::Run(int32)",
                795_591_176,
                975_951_896,
            ),
            (
                "instance bool [System.Linq] System.Linq.Enumerable+WhereEnumerableIterator`1[System.Int32]::MoveNext()",
                24_048_096,
                48_096_192,
            ),
            (
                "[kernel.kallsyms]!finish_task_switch.isra.0",
                20_040_080,
                20_040_080,
            ),
            (
                "[kernel.kallsyms]!irqentry_exit_to_user_mode",
                14_028_056,
                18_036_072,
            ),
            (
                "stub<556> GenerateDispatchStub<GenerateDispatchStub>",
                10_020_040,
                12_024_048,
            ),
        ] {
            assert_eq!(sums(&profile, FIRST, name), (own, total), "{name}");
        }
        // perf records at most 127 frames; above them are the marker, the thread and the root. There are 245 such stacks, all in the
        // thread of `Deep.Level`
        let recorded = profile.original();
        let depths = recorded
            .tree
            .nodes()
            .map(|node| recorded.tree.ancestors(node).count());
        assert_eq!(depths.max(), Some(129));
        let truncation = profile.truncation.as_ref().unwrap();
        let sums = truncation.total();
        let found = (
            truncation.limit,
            sums.truncated.samples,
            sums.repaired.samples,
        );
        assert_eq!(found, (127, 245, 245));
        let tops = tree
            .children(node("12605"))
            .map(|top| profile.display_name(top));
        let is_truncated = |top: &str| top.contains("Deep.Level") || top.starts_with('[');
        assert_eq!(tops.filter(|top| is_truncated(top)).count(), 0);
        assert!(profile.processes.is_empty(), "there is one process");
        let frame = |name: &str| profile.frames.find(name)[0];
        let precompiled = profile.frames.get(frame("System.Private.CoreLib!?"));
        let found = (precompiled.kind, precompiled.category);
        assert_eq!(found, (FrameKind::Method, Category::System));
        let run = frame("void [Workload] Demo.Shallow::Run(int32)");
        let found = (profile.frames.module(run), profile.frames.get(run).category);
        assert_eq!(found, ("Workload", Category::User));
    }
}

/// The names and units of the metrics.
fn metrics(profile: &View) -> Vec<(&str, Unit)> {
    let metrics = profile.recording.metrics.iter();
    metrics.map(|metric| (&*metric.name, metric.unit)).collect()
}

/// perf and dotnet-trace recorded the same program, so its methods have the same display names.
#[test]
fn methods_are_named_as_in_a_nettrace_of_the_same_program() {
    let own = |file: &str| -> BTreeSet<String> {
        let profile = read_file(&shared(file).unwrap());
        let nodes = profile.tree.nodes();
        let nodes =
            nodes.filter(|&node| profile.frames.module(profile.tree.frame(node)) == "Workload");
        nodes
            .map(|node| profile.display_name(node).to_string())
            .collect()
    };
    let perf = own("perf-script/dotnet31.perf-script.txt.gz");
    let recording = own("nettrace/deep31.nettrace");
    let expect = [
        "Deep.Level",
        "Deep.Run",
        "Program.AsyncWork (async)",
        "Program.Main.lambda 0",
        "Program.Main.lambda 1",
        "Shallow.B",
        "Shallow.Dict",
        "Shallow.Run",
    ];
    // each recording has a lambda or a caller that the other lacks
    assert_eq!(perf.intersection(&recording).collect::<Vec<_>>(), expect);
}

/// Maps next to the file, under the names in perfcollect's archive, provide names that perf could not.
#[test]
fn maps_next_to_the_file_provide_missing_names() {
    let text = real_text();
    let map = std::fs::read(shared("perf-script/perf-dotnet31.map").unwrap()).unwrap();
    let without_name = |line: &str| match line.strip_suffix(" (/tmp/perf-12596.map)") {
        Some(frame) => {
            let address = frame.trim().split(' ').next().unwrap();
            format!("\t{address} [unknown] ([unknown])\n")
        }
        None => format!("{line}\n"),
    };
    let nameless: String = text.lines().map(without_name).collect();
    let expect = rows(&read(text.as_bytes()).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt");
    std::fs::write(&path, &nameless).unwrap();
    let without_map = open(&path);
    assert!(without_map.codes().contains(&"nameless-frames"));
    assert_ne!(rows(&without_map), expect);
    // the file does not contain the process, but there is only one map
    std::fs::write(folder.path().join("perf-12596.map"), &map).unwrap();
    let with_map = open(&path);
    assert_eq!(rows(&with_map), expect);
    assert_eq!(fact(&with_map, "perf map"), "perf-12596.map");
    // a second map makes it ambiguous
    std::fs::write(folder.path().join("perf-7.map"), &map).unwrap();
    assert_ne!(rows(&open(&path)), expect);
    let profile = import_bytes(&zip(&[
        ("a.trace/perf.data.txt", nameless.as_bytes()),
        ("a.trace/perf-12596.map", &map),
        ("a.trace/perfinfo-12596.map", b"ImageLoad;x"),
        ("a.trace/perf.data", b"PERFILE2"),
        ("b.trace/perf-7.map", b"1 ffffffffffffffff wrong\n"),
    ]));
    assert_eq!(rows(&profile), expect);
    let inside = "zip archive (member a.trace/perf.data.txt)";
    assert_eq!(fact(&profile, "inside"), inside);
    // a sample's own process takes precedence
    let processes = "a 7/8 1.5: 1 cycles:\n\t7f10 [unknown] (/tmp/perf-7.map)\n\na 9/9 1.5: 1 cycles:\n\t7f10 [unknown] (//anon)\n\n";
    let profile = import_bytes(&zip(&[
        ("p.txt", processes.as_bytes()),
        ("perf-7.map", b"7f10 8 seven"),
        ("perf-9.map", b"7f10 8 nine"),
    ]));
    assert_eq!(
        ["seven", "nine"].map(|name| sums(&profile, FIRST, name).0),
        [1, 1]
    );
}

/// As packed by perfcollect: an image's base, guid, and methods by offset.
#[test]
fn precompiled_code_is_named_by_its_images_map() {
    let samples = "a 7/8 1.5: 5 cycles:\n\t7f0000001010 [unknown] (/opt/System.Private.CoreLib.dll)\n\
                   \t7f0000002000 [unknown] (/opt/System.Private.CoreLib.dll)\n\
                   \t7f0100000040 [unknown] (/app/Acme.dll)\n\t7f10 [unknown] (//anon)\n\n";
    let core = "1000 20 int32 [System.Private.CoreLib] System.String::Compare(string,string)[PreJIT]\n1020 10 other\n";
    let info = "ImageLoad;/opt/System.Private.CoreLib.dll;{FE21E59B-79};7f0000000000\n\
                ImageLoad;/app/Acme.dll;{AB};7f0100000000\nImageLoad;/app/Other.dll;{00};7f0200000000\n";
    let members: [(&str, &[u8]); 6] = [
        ("t/perf.data.txt", samples.as_bytes()),
        ("t/perfinfo-7.map", info.as_bytes()),
        (
            "t/System.Private.CoreLib.ni.{fe21e59b-79}.map",
            core.as_bytes(),
        ),
        ("t/Acme.ni.{AB}.map", b"00000040 08 Acme.Shop::Sell()\n"),
        ("t/Acme.ni.{CD}.map", b"00000040 08 wrong\n"),
        (
            "t/perf-7.map",
            b"7f10 8 void [Acme] Acme.Shop::Open()[Tier0]\n",
        ),
    ];
    let stack = |members: &[(&str, &[u8])]| {
        let profile = import_bytes(&zip(members));
        let names = names_behind(&profile, 2).join("\n");
        (names, fact(&profile, "perf map").to_string())
    };
    let unknown = "System.Private.CoreLib!?";
    let expect = [
        "void [Acme] Acme.Shop::Open()",
        "Acme.dll!Acme.Shop::Sell()",
        unknown,
        "int32 [System.Private.CoreLib] System.String::Compare(string,string)",
    ];
    let maps = "perf-7.map, 2 maps of precompiled code";
    assert_eq!(stack(&members), (expect.join("\n"), maps.into()));
    // without the images' maps, or without the list of them, only the modules are known
    for left in [[0, 1, 5], [0, 2, 5]] {
        let names = ["void [Acme] Acme.Shop::Open()", "Acme!?", unknown, unknown].join("\n");
        assert_eq!(
            stack(&left.map(|member| members[member])),
            (names, "perf-7.map".into())
        );
    }
}

#[track_caller]
fn check(text: &str, expect: &[&str]) -> View {
    let profile = read(text.as_bytes()).unwrap();
    assert_eq!(
        rows(&profile),
        expect.iter().map(|row| row.to_string()).collect(),
        "{text}"
    );
    profile
}

#[test]
fn every_event_is_a_metric() {
    let profile = check(
        "a 5 1.1: 100 page-faults:\n\t7f g (/b)\n\t7e f (/b)\n\na 5 1.2: 2000 cycles:u:\n\t7e f (/b)\n\na 5 1.3: 3000 cycles:u:\n\t7f g (/b)\n\t7e f (/b)\n\n\
         a 5 1.4: sched:sched_switch: prev_comm=a 12\n\t7e f (/b)\n\n",
        &[
            "Thread (5) a: 0/1 0/2 0",
            "Thread (5) a > b!f: 0/1 2000/2 1",
            "Thread (5) a > b!f > b!g: 100/1 3000/1 0",
        ],
    );
    let names = ["page-faults", "cycles:u", "samples of sched:sched_switch"];
    assert_eq!(metrics(&profile), names.map(|name| (name, Unit::Count)));
    assert_eq!(profile.recording.default_metric, MetricId(1));
    // the same event without periods
    let profile = check(
        "a 5 1.1: cycles:\n\t7e f (/b)\n\na 5 1.1: cycles:\n\t7e f (/b)\n",
        &["Thread (5) a: 0", "Thread (5) a > b!f: 2"],
    );
    assert_eq!(profile.recording.metrics[0].name, "samples");
    let many: String = (0..40)
        .map(|event| format!("a 5 1.1: 1 event{event}:\n\t7e f (/b)\n\n"))
        .collect();
    let profile = read(many.as_bytes()).unwrap();
    assert_eq!(profile.recording.metrics.len(), 32);
    let left_out = Diagnostic::EventsLeftOut {
        samples: 8,
        most_events: 32,
    };
    assert_eq!(profile.warnings()[0], left_out);
}

#[test]
fn processes_are_parents_of_their_threads() {
    let text = "main 5/5 1.1: 10 cycles:\n\t7e f (/b)\n\nworker 5/6 1.1: 20 cycles:\n\t7e f (/b)\n\n\
        swapper 0/0 [000] 1.1: 40 cycles:\n\tff idle ([kernel.kallsyms])\n\ntool 7/8 1.1: 80 cycles:\n\nold 7/7 1.1: 0 cycles:\n\nnew 7/7 1.2: 0 cycles:\n\n";
    let profile = check(
        text,
        &[
            "Process (5) main: 0/2",
            "Process (5) main > Thread (5) main: 0/1",
            "Process (5) main > Thread (5) main > b!f: 10/1",
            "Process (5) main > Thread (6) worker: 0/1",
            "Process (5) main > Thread (6) worker > b!f: 20/1",
            "Process (0) swapper: 0/1",
            "Process (0) swapper > Thread (0) swapper: 0/1",
            "Process (0) swapper > Thread (0) swapper > [kernel.kallsyms]!idle: 40/1",
            "Process (7) new: 0/3",
            "Process (7) new > Thread (8) tool: 80/1",
            "Process (7) new > Thread (7) new: 0/2",
        ],
    );
    let kind = |node| profile.frames.get(profile.tree.frame(node)).kind;
    let processes = process_names(&profile);
    assert_eq!(processes, [(5, "main"), (0, "swapper"), (7, "new")]);
    for process in &profile.processes {
        assert_eq!(kind(process.node), FrameKind::Process);
        let mut threads = profile.tree.children(process.node);
        assert!(threads.all(|thread| kind(thread) == FrameKind::Thread));
    }
    assert_eq!(profile.threads.len(), 5);
    for expect in [
        Diagnostic::KernelIdleLoop {},
        Anomaly::PerfSamplesWithoutStack.with_count(3),
    ] {
        assert!(profile.diagnostics.contains(&expect), "{expect:?}");
    }
    // perf prints -1 for an unknown number
    check(
        "swapper -1/-1 1.1: 10 cycles:\n\tff idle (/b)\n\nmain 5/5 1.1: 20 cycles:\n\t7e f (/b)\n\n",
        &[
            "Process (5) main: 0/1",
            "Process (5) main > Thread (5) main: 0/1",
            "Process (5) main > Thread (5) main > b!f: 20/1",
            "Process (-1) swapper: 0/1",
            "Process (-1) swapper > Thread (-1) swapper: 0/1",
            "Process (-1) swapper > Thread (-1) swapper > b!idle: 10/1",
        ],
    );
}

#[test]
fn other_output_formats_are_read() {
    // without call chains the frame is in the sample's line, and names are aligned
    check(
        "         swapper     0 [000] 1.000001:     250000 cycles:  ffff intel_idle+0x1 ([kernel.kallsyms])\n          dotnet 12 [001] 1.1: 5 cycles:  7f f (/b)\n",
        &[
            "Thread (0) swapper: 0/1",
            "Thread (0) swapper > [kernel.kallsyms]!intel_idle: 250000/1",
            "Thread (12) dotnet: 0/1",
            "Thread (12) dotnet > b!f: 5/1",
        ],
    );
    // blanks instead of tabs, no blank lines between samples, CR LF, comments
    let profile = check(
        "# ========\r\n# captured on    : Sat Nov 21 2026\r\n# cmdline : /usr/bin/perf record -g\r\n#\r\na 5 1.1: 7 cycles:\r\n    7f f+0x1 (/b)\r\n    7e main (/b)\r\na 5 1.2: 8 cycles:\r\n    7e main (/b)\r\n",
        &[
            "Thread (5) a: 0/2",
            "Thread (5) a > b!main: 8/2",
            "Thread (5) a > b!main > b!f: 7/1",
        ],
    );
    assert_eq!(fact(&profile, "recorded"), "Sat Nov 21 2026");
    check(
        "a 5 1.1: PERF_RECORD_COMM: a:5/5\na 5 1.1: 7 cycles:\n\t7f f (/b)\n\n",
        &["Thread (5) a: 0/1", "Thread (5) a > b!f: 7/1"],
    );
    // one method in two tiers is one method
    check(
        "a 5 1.1: 7 cycles:\n\t7f void [A] B::C(int32)[OptimizedTier1]+0x1 (/tmp/perf-5.map)\n\t7e void [A] B::C(int32)[QuickJitted]+0x2 (/tmp/perf-5.map)\n\n",
        &[
            "Thread (5) a: 0/1",
            "Thread (5) a > void [A] B::C(int32): 0/1",
            "Thread (5) a > void [A] B::C(int32) > void [A] B::C(int32): 7/1",
        ],
    );
    let profile = check(
        "a 5 1.1: 7 cycles:\n\t7f f (/b)\n\nwhat is this\n\na 5 1.1: cycles:\n\t7f f (/b)\n",
        &["Thread (5) a: 0/2", "Thread (5) a > b!f: 8/2"],
    );
    let left_out = Diagnostic::LinesLeftOut {
        lines: 1,
        fault: LineFault::Unreadable,
        first_line: 4,
        text: "what is this".into(),
    };
    let missing = Diagnostic::PeriodsMissing {
        samples: 1,
        event: "cycles".into(),
    };
    let expect = [left_out, missing];
    assert_eq!(profile.warnings(), expect);
    let error = read(b"hello\n").unwrap_err().to_string();
    assert_contains_all(&error, &["has no sample", "perf script"]);
}

/// Text pasted from elsewhere may have lost its indentation.
#[test]
fn frames_without_indentation_are_read() {
    let text = "dead beef 5/7 1.1: 10 cycles:\n    7f567a062aac g+0x1 (/b)\n\t7f567a062bbb f (/b)\n\n\
                dead beef 5/7 1.2: 30 cycles:\n\tffff g+0x5 (/b)\n";
    let lines = text.lines().map(|line| format!("{}\n", line.trim_start()));
    let pasted: String = lines.collect();
    let expect = rows(&read(text.as_bytes()).unwrap());
    assert_eq!(expect.len(), 4, "{expect:?}");
    assert_eq!(rows(&read(pasted.as_bytes()).unwrap()), expect);
    let profile = import_bytes(pasted.as_bytes());
    assert_eq!(profile.recording.source.format, "perfscript");
    assert_eq!(profile.codes(), [""; 0]);
}

#[test]
fn every_prefix_and_mutation_gives_a_profile_or_an_error() {
    let text = "# arch : x86_64\n.NET Pool 5/6 [001] 1.1: 70 cpu-clock:u:\n\t    7f10 int32 [A] B.C::D(int32)[PreJIT]+0x1f (/tmp/perf-5.map)\n\t  7e [unknown] ([unknown])\n\n\
        x 7 2.5: sched:s: a=5\n\tffff f ([k])\n\n";
    for length in 0..text.len() {
        let _ = read(&text.as_bytes()[..length]);
    }
    for at in 0..text.len() {
        for value in [0, b'\n', b' ', b'\t', b':', b'(', b')', b'9', 0xff] {
            let mut changed = text.as_bytes().to_vec();
            changed[at] = value;
            let _ = read(&changed);
        }
    }
    let real = real_text();
    let mut random = Random(7);
    for _ in 0..500 {
        let start = random.below(real.len() - 12_000);
        let mut changed = real.as_bytes()[start..start + 12_000].to_vec();
        for _ in 0..1 + random.below(5) {
            random.change_text(&mut changed, b"\n \t)\0x");
        }
        let _ = read(&changed);
    }
}

/// As printed by perf's `sample__fprintf_callchain`: after the frame's line, indented by two blanks more; without debug information
/// it is the module or the symbol again.
#[test]
fn source_lines_are_not_frames() {
    let profile = check(
        "a 5 1.1: 100 cycles:\n\t            7f10 g+0x3 (/b)\n  /src/g.c:12\n\t            7e00 f+0x1 (/b)\n  b[7e00]\n\n\
         a 5 1.2: 50 cycles:\n\t            7f14 g+0x7 (/b)\n  /src/g.c:14 (inlined)\n\t            7e00 f+0x1 (/b)\n  f+1\n\n",
        &[
            "Thread (5) a: 0/2",
            "Thread (5) a > b!f: 0/2",
            "Thread (5) a > b!f > b!g: 150/2",
        ],
    );
    let location = |name| profile.frames.location(profile.frames.find(name)[0]);
    assert_eq!((location("b!g"), location("b!f")), ("/src/g.c:12", ""));
    // if perf was told to omit addresses, the source line is indented further
    check(
        "a 5 1.1: 100 cycles:\n g (/b)\n  /src/g.c:12\n f (/b)\n  f+1\n\n",
        &[
            "Thread (5) a: 0/1",
            "Thread (5) a > b!f: 0/1",
            "Thread (5) a > b!f > b!g: 100/1",
        ],
    );
    // `-F +srccode` prints the line itself
    check(
        "a 5 1.1: 100 cycles:\n\t            7f10 g+0x3 (/b)\n  /src/g.c:12\n|12         int x = 1;\n\t            7e00 f+0x1 (/b)\n\n",
        &[
            "Thread (5) a: 0/1",
            "Thread (5) a > b!f: 0/1",
            "Thread (5) a > b!f > b!g: 100/1",
        ],
    );
    // without call chains it is in the line after the sample's
    let text = "a 5 1.1: 100 cycles:  7f10 g (/b)\n  /src/g.c:12\na 5 1.2: 50 cycles:  7f10 g (/b)\n  /src/g.c:12\n";
    check(text, &["Thread (5) a: 0/2", "Thread (5) a > b!g: 150/2"]);
    let profile = import_bytes(text.as_bytes());
    assert_eq!(profile.recording.source.format, "perfscript");
}

/// As printed by `perf script --show-task-events --show-mmap-events`.
#[test]
fn task_and_mmap_events_are_skipped() {
    let records = "        perf  2812/2812  [001]     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1000) @ 0]: x [kernel]_text\n\
        perf  2812/2812  [001]  2811.1: PERF_RECORD_COMM: perf:2812/2812\n\
         ls   2812/2812  [001]  2811.2: PERF_RECORD_COMM exec: ls:2812/2812\n\
         ls   2812/2812  [001]  2811.3: PERF_RECORD_MMAP2 2812/2812: [0x55d0(0x1000) @ 0 08:01 123 0]: r-xp /bin/ls\n\
         ls   2812 PERF_RECORD_FORK(2812:2813):(2812:2812)\n";
    let sample = "ls 2812/2812 [001] 2812.1: 100 cycles:\n\t7f10 g (/b)\n\n";
    let exit = "         ls   2812/2812 [001] 2813.1: PERF_RECORD_EXIT(2812:2812):(2811:2811)\n";
    let text = format!("{records}{sample}{exit}{sample}");
    let profile = import_bytes(text.as_bytes());
    assert_eq!(profile.recording.source.format, "perfscript");
    assert_eq!(profile.recording.metrics.len(), 1);
    assert_eq!(profile.warnings(), []);
    check(
        &text,
        &["Thread (2812) ls: 0/2", "Thread (2812) ls > b!g: 200/2"],
    );
    // hundreds of them may precede the first sample
    let profile = import_bytes((records.repeat(500) + sample).as_bytes());
    assert_eq!(profile.recording.source.format, "perfscript");
}

#[test]
fn absurd_numbers_and_names_are_harmless() {
    let max = u64::MAX;
    let sample = |period: &str| format!("a 5 1.1: {period} cycles:\n\t7f f (/b)\n\n");
    let leaf = |count| format!("Thread (5) a > b!f: {max}/{count}");
    let twice = sample(&max.to_string()).repeat(2);
    check(&twice, &["Thread (5) a: 0/2", &leaf(2)]);
    // beyond 2^64, where the value saturates
    let larger = sample("99999999999999999999999");
    check(&larger, &["Thread (5) a: 0/1", &leaf(1)]);
    let long = "x".repeat(100_000);
    let text = format!(
        "{long} 5 1.1: 7 cycles:\n\t7f {long} (/b)\n\t7f \u{1b}]0;pwned\u{7} (/\u{202e}b)\n\t7f b\u{200b}c ([k])\n"
    );
    let profile = read(text.as_bytes()).unwrap();
    assert_harmless(&profile);
    let frames = "\t7f10 int32 [A] B.C::D(int32)[PreJIT]+0x1f (/tmp/perf-5.map)\n".repeat(100_000);
    let deep = format!("a 5 1.1: 7 cycles:\n{frames}");
    assert_eq!(read(deep.as_bytes()).unwrap().node_count(), 100_001);
    // a thread and an event of its own for each sample
    let wide = (0..20_000).map(|n| format!("t{n} {n}/{n} 1.1: 1 e{n}:\n\t7f f (/b)\n\n"));
    let wide = read(wide.collect::<String>().as_bytes()).unwrap();
    assert_eq!(wide.recording.metrics.len(), 32);
}

proptest! {
    /// Written samples can be read: periods and counts by stack are the same, whatever the names.
    #[test]
    fn sums_by_stack_survive_a_round_trip(
        samples in prop::collection::vec((1u32..4, prop::collection::vec("[a-c<:\\[é]{1,3}( [x(]{1,2})?", 0..6), 0u64..1000), 1..30)
    ) {
        let mut text = String::new();
        let mut expect: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (tid, stack, period) in &samples {
            text.push_str(&format!("a b {tid} [000]  12.345678: {period:10} cycles:\n"));
            stack.iter().rev().for_each(|name| text.push_str(&format!("\t{:16x} {name}+0x1f (/lib/m.so)\n", 255)));
            text.push('\n');
            let path: Vec<String> = [format!("Thread ({tid}) a b")].into_iter().chain(stack.iter().map(|name| format!("m.so!{name}"))).collect();
            for length in 1..=path.len() {
                let sum = expect.entry(path[..length].join(" > ")).or_default();
                sum.1 += 1;
                sum.0 += if length == path.len() { *period } else { 0 };
            }
        }
        let expect: BTreeSet<String> = expect.into_iter().map(|(path, (value, count))| format!("{path}: {value}/{count}")).collect();
        prop_assert_eq!(rows(&read(text.as_bytes()).unwrap()), expect);
    }
}
