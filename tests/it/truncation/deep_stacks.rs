//! Recordings of programs whose sources define who calls whom: `net10/src/DeepStacks.cs` and `nettrace/Workload.cs`.

use crate::common::profiles::{by_name, read_file};
use crate::common::shared;
use dotspot::testing::analysis::inclusive_changes;
use dotspot::testing::model::{MetricId, NodeId, Thread, ThreadTruncation, View};
use std::collections::{BTreeSet, HashMap};

/// The methods of mode "cycle", in the order of `Next.Call`.
const CYCLE: [&str; 12] = [
    "Grammar.Document",
    "Grammar.Section",
    "Grammar.Paragraph",
    "Grammar.Sentence",
    "Grammar.Clause",
    "Grammar.Phrase",
    "Renderer.Block",
    "Renderer.Line",
    "Renderer.Span",
    "Renderer.Glyph",
    "Renderer.Outline",
    "Renderer.Curve",
];
const MUTUAL: [&str; 2] = ["Deep.Even", "Deep.Odd"];
const START: &str = "System.Private.CoreLib!System.Threading.Thread.StartCallback";
const TRUNCATED: &str = "[truncated at 100 frames]";
/// The outermost methods of threads started by `DeepStacks.cs`.
const ENTRIES: &[&str] = &[START];

/// Possible callees of each method in `DeepStacks.cs`; `level` stands for the methods of [`CYCLE`] or [`MUTUAL`].
const CALLS: &[(&str, &[&str])] = &[
    (START, &["Walker.Run"]),
    (
        "Walker.Run",
        &["lambda", "level", "Walker.Add", "OsThread.Id"],
    ),
    ("lambda", &["level"]),
    (
        "level",
        &[
            "level",
            "Next.Step",
            "Next.Call",
            "Walker.Visit",
            "Walker.Leaf",
        ],
    ),
    (
        "Next.Step",
        &["level", "Next.Call", "Walker.Visit", "Walker.Leaf"],
    ),
    ("Next.Call", &["level"]),
    ("Walker.Visit", &["Burn.Spin", "Walker.Add"]),
    ("Walker.Leaf", &["Burn.Spin", "Walker.Add"]),
    ("Walker.Add", &[]),
    ("Burn.Spin", &[]),
    ("OsThread.Id", &[]),
];

/// `Next.Build()`: the method at each depth of the irregular thread.
fn table() -> Vec<usize> {
    let mut x: u32 = 2_463_534_242;
    let next = |_| {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x as usize % 12
    };
    (0..1100).map(next).collect()
}

/// `Grammar.Document` for `DeepStacks!Demo.Stacks.Grammar.Document(int32,class Demo.Stacks.Walker)`.
fn short(name: &str) -> &str {
    let bare = name.split('(').next().unwrap();
    let bare = bare.strip_prefix("DeepStacks!Demo.Stacks.").unwrap_or(bare);
    if bare.starts_with("Program+<>c.<Main>") {
        "lambda"
    } else {
        bare
    }
}

fn role(short: &str) -> &str {
    if CYCLE.contains(&short) || MUTUAL.contains(&short) {
        "level"
    } else {
        short
    }
}

fn thread<'a>(profile: &'a View, id: &str) -> &'a Thread {
    let mut threads = profile.threads.iter();
    threads.find(|thread| thread.id == id).unwrap()
}

/// A stack with exclusive samples.
struct Stack {
    /// Outermost first.
    names: Vec<String>,
    samples: u64,
    is_left: bool,
}

impl Stack {
    /// The indexes in `methods` of those on the stack.
    fn levels(&self, methods: &[&str]) -> Vec<usize> {
        let level = |name: &String| methods.iter().position(|method| method == name);
        self.names.iter().filter_map(level).collect()
    }

    /// Whether the methods of its levels are those given by `truth`.
    fn fits(&self, methods: &[&str], truth: impl Fn(usize) -> usize) -> bool {
        let mut levels = self.levels(methods).into_iter().enumerate();
        self.is_left || levels.all(|(level, method)| method == truth(level))
    }
}

fn stacks(profile: &View, thread: &Thread) -> Vec<Stack> {
    let samples = profile.recording.metric_named("samples").unwrap();
    let tree = &profile.tree;
    let nodes = tree.range(thread.node).map(NodeId::at);
    let own = nodes.filter(|&node| tree.exclusive(samples, node) > 0);
    own.map(|node| {
        let path = std::iter::once(node).chain(tree.ancestors(node));
        let path = path.take_while(|&at| at != thread.node);
        let mut names: Vec<String> = path.map(|at| short(profile.name(at)).into()).collect();
        names.reverse();
        let is_left = names.first().is_some_and(|name| name == TRUNCATED);
        Stack {
            names,
            samples: tree.exclusive(samples, node),
            is_left,
        }
    })
    .collect()
}

/// Asserts that no frame has a caller that the source rules out.
#[track_caller]
fn check_calls(stack: &Stack) {
    for pair in stack.names.windows(2) {
        let [caller, callee] = [role(&pair[0]), role(&pair[1])];
        let known = |name: &str| CALLS.iter().find(|(caller, _)| *caller == name);
        // calls into .NET are not checked
        if let (Some((_, callees)), Some(_)) = (known(caller), known(callee)) {
            assert!(callees.contains(&callee), "{caller} calls {callee}");
        }
    }
}

/// Checks properties of every repaired recording: exclusive values, totals and threads are those of the recording, and the threads'
/// callees are entry points or the marker.
#[track_caller]
fn check_sums(profile: &View, entries: &[&str]) {
    let unrepaired = profile.original();
    assert_eq!(profile.frames.len(), unrepaired.frames.len());
    for metric in (0..profile.recording.metrics.len()).map(MetricId::at) {
        let exclusive = |profile: &View| -> HashMap<String, u64> {
            let sums = by_name(profile, metric, NodeId::ROOT).into_iter();
            let own = sums.map(|(name, (exclusive, _))| (name, exclusive));
            own.filter(|(_, value)| *value > 0).collect()
        };
        assert_eq!(exclusive(profile), exclusive(&unrepaired));
    }
    let tops = |profile: &View, thread: &Thread| -> BTreeSet<String> {
        let tops = profile.tree.children(thread.node);
        tops.map(|top| short(profile.name(top)).to_string())
            .collect()
    };
    let allowed = entries.iter().chain(&[TRUNCATED]).map(ToString::to_string);
    let allowed: BTreeSet<String> = allowed.collect();
    for (thread, same) in profile.threads.iter().zip(unrepaired.threads.iter()) {
        let (repaired, recorded) = (tops(profile, thread), tops(&unrepaired, same));
        let truncated = sums(profile, &thread.id).truncated;
        if truncated.samples + truncated.value == 0 {
            assert_eq!(repaired, recorded, "thread {}", thread.id);
        } else {
            let all: BTreeSet<String> = &repaired | &recorded;
            assert!(all.is_subset(&allowed), "{all:?}");
        }
    }
}

fn sums(profile: &View, id: &str) -> ThreadTruncation {
    let row = profile.threads.iter().position(|thread| thread.id == id);
    profile.truncation.as_ref().unwrap().threads[row.unwrap()]
}

#[track_caller]
fn assert_percent(part: u64, whole: u64, min_percent: u64) {
    assert!(part * 100 >= whole * min_percent, "{part} of {whole}");
}

/// The thread ids in `truth.json` and the recordings, by thread name.
const REGULAR: &str = "10977";
const IRREGULAR: &str = "10978";
const MIXED: &str = "10904";
const CLIMBING: &str = "10905";
const FLAT: &str = "10906";

#[test]
fn on_the_irregular_thread_repaired_stacks_have_their_true_depth() {
    let profile = read_file(&present!(shared("net10/deepstacks-cycle.nettrace")));
    let table = table();
    let (mut repaired, mut left) = (0, 0);
    for stack in stacks(&profile, thread(&profile, IRREGULAR)) {
        check_calls(&stack);
        let truth = |level: usize| if level == 0 { 0 } else { table[level] };
        assert!(stack.fits(&CYCLE, truth), "{:?}", stack.names);
        if stack.is_left {
            left += stack.samples;
        } else if stack.names.len() > 100 {
            repaired += stack.samples;
        }
    }
    let sums = sums(&profile, IRREGULAR);
    // the last sample has no interval
    assert_eq!(sums.truncated.samples, 2773 + 1);
    assert_eq!(sums.truncated.samples - left, repaired);
    assert_eq!(
        (sums.repaired.samples, sums.depth_uncertain.samples),
        (repaired, 0)
    );
    // a repair that only uses the previous stack finds the callers of just 2,031
    assert!(repaired >= 2600, "{repaired}");
}

#[test]
fn on_the_regular_thread_callers_are_right_and_depths_uncertain() {
    let profile = read_file(&present!(shared("net10/deepstacks-cycle.nettrace")));
    for stack in stacks(&profile, thread(&profile, REGULAR)) {
        check_calls(&stack);
        assert!(stack.fits(&CYCLE, |level| level % 12), "{:?}", stack.names);
        // the leaf is at level 1000, and level 0 comes first
        assert!(stack.levels(&CYCLE).len() <= 1001);
    }
    let sums = sums(&profile, REGULAR);
    let left = sums.truncated.samples - sums.repaired.samples;
    assert_eq!(sums.remaining().samples, left);
    assert_percent(sums.repaired.samples, sums.truncated.samples, 95);
    assert_percent(sums.depth_uncertain.samples, sums.repaired.samples, 95);
    check_sums(&profile, ENTRIES);
}

#[test]
fn mutual_recursion_is_repaired_with_correct_callers() {
    let profile = read_file(&present!(shared("net10/deepstacks-mutual.nettrace")));
    for (id, deepest) in [(MIXED, 1000), (CLIMBING, 200), (FLAT, 60)] {
        for stack in stacks(&profile, thread(&profile, id)) {
            check_calls(&stack);
            let first = usize::from(id == FLAT);
            let truth = |level| (level + first) % 2;
            assert!(stack.fits(&MUTUAL, truth), "{:?}", stack.names);
            assert!(stack.levels(&MUTUAL).len() <= deepest + 1);
        }
        let sums = sums(&profile, id);
        assert_percent(sums.repaired.samples, sums.truncated.samples, 95);
        // some lack only `StartCallback`, and the two frames below it do not recur
        assert_percent(sums.depth_uncertain.samples, sums.repaired.samples, 99);
    }
    assert_eq!(sums(&profile, FLAT).truncated.samples, 0);
    // 4,191 stacks have 100 frames, 12 of them complete (README)
    let total = profile.truncation.as_ref().unwrap().total();
    assert_eq!(total.truncated.samples, 4191 - 12);
    check_sums(&profile, ENTRIES);
    // before repair, 1801 of 6028 ms are below the thread's true root
    let wall = profile.recording.metric_named("wall").unwrap();
    let below_start = |profile: &View| {
        let mut tops = profile.tree.children(thread(profile, MIXED).node);
        let start = tops.find(|&top| short(profile.name(top)) == START).unwrap();
        (profile.tree.inclusive(wall, start) + 500_000) / 1_000_000
    };
    let found = (below_start(&profile.original()), below_start(&profile));
    assert_eq!(found, (1801, 6028));
}

#[test]
fn methods_above_the_truncation_regain_their_time() {
    let profile = read_file(&present!(shared("net10/deepstacks-mutual.nettrace")));
    let wall = profile.recording.metric_named("wall").unwrap();
    let changes = inclusive_changes(&profile, wall);
    let mut names = changes
        .iter()
        .map(|change| short(profile.frames.name(change.frame)));
    let run = &changes[names.position(|name| name == "Walker.Run").unwrap()];
    // three threads of 6 s each, minus the 4.227 and 2.424 s in truncated stacks
    let seconds = |stored: u64| (stored as f64 / 1e9 * 10.0).round() / 10.0;
    assert_eq!((seconds(run.before), seconds(run.after)), (11.4, 18.1));
    assert!(inclusive_changes(&profile.original(), wall).is_empty());
}

#[test]
fn conversions_by_dotnet_trace_are_repaired_the_same() {
    let total = |profile: &View| {
        let sums = profile.truncation.as_ref().unwrap().total();
        [
            sums.all,
            sums.truncated,
            sums.repaired,
            sums.depth_uncertain,
            sums.ambiguous,
        ]
    };
    let recording = read_file(&present!(shared("net10/deepstacks-cycle.nettrace")));
    let file = "net10/deepstacks-cycle.speedscope.json.gz";
    let converted = read_file(&present!(shared(file)));
    check_sums(&converted, ENTRIES);
    for (found, expect) in total(&converted).into_iter().zip(total(&recording)) {
        // the converter rounds to at worst 10 us, see same_recording.rs
        let difference = found.value.abs_diff(expect.value);
        assert!(difference < 20_000, "{found:?} and {expect:?}");
    }
}

/// `Deep.Run` calls `Level`, which calls itself, since `Even` and `Odd` are inlined, and `Leaf` at a depth of at most 300.
#[test]
fn stacks_of_runtime_3_1_are_repaired() {
    for (file, truncated) in [("deep31", 1322), ("short31", 688)] {
        let profile = read_file(&present!(shared(&format!("nettrace/{file}.nettrace"))));
        let truncation = profile.truncation.as_ref().unwrap();
        let sums = truncation.total();
        let found = (truncation.limit, sums.truncated.samples);
        assert_eq!(found, (100, truncated), "{file}");
        assert_percent(sums.repaired.samples, truncated, 95);
        let threads = profile.threads.iter();
        let stacks = threads.flat_map(|thread| stacks(&profile, thread));
        for stack in stacks.filter(|stack| !stack.is_left) {
            let is_level = |name: &String| name == "Workload!Demo.Deep.Level";
            let Some(first) = stack.names.iter().position(is_level) else {
                continue;
            };
            assert_eq!(stack.names[first - 1], "Workload!Demo.Deep.Run");
            let levels = stack.names[first..]
                .iter()
                .take_while(|name| is_level(name));
            let all = stack.names.iter().filter(|name| is_level(name)).count();
            assert_eq!(levels.count(), all, "{:?}", stack.names);
            assert!(all <= 301);
        }
        let unrepaired = profile.original();
        // whatever starts a shallow stack is an entry point
        let threads = unrepaired.threads.iter();
        let tops = threads.flat_map(|thread| unrepaired.tree.children(thread.node));
        let entries = tops.map(|top| short(unrepaired.name(top)));
        let entries: Vec<&str> = entries.filter(|top| !top.starts_with('[')).collect();
        let is_deep = entries.iter().any(|entry| entry.contains("Demo.Deep."));
        assert!(!is_deep, "{entries:?}");
        check_sums(&profile, &entries);
    }
}

/// Recordings of programs without deep stacks.
#[test]
fn no_truncation_is_found_in_complete_stacks() {
    for file in [
        "net10/cpubound.nettrace",
        "net10/orderedconsume.nettrace",
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
    ] {
        let Some(path) = shared(file) else { continue };
        assert_eq!(read_file(&path).truncation, None, "{file}");
    }
}
