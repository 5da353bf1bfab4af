//! Recordings of programs whose source says who can call whom: `net10/src/DeepStacks.cs` and `nettrace/Workload.cs`.

use crate::common::profiles::{by_name, read_file};
use crate::common::shared;
use dotspot::testing::analysis::inclusive_changes;
use dotspot::testing::model::{MetricId, NodeId, Thread, ThreadTruncation, View};
use std::collections::{BTreeSet, HashMap};

/// The methods of the mode "cycle", in the order of `Next.Call`.
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
/// With what the stacks of `DeepStacks.cs` start on the threads that it makes.
const ENTRIES: &[&str] = &[START];

/// What `DeepStacks.cs` lets each of its methods call; `level` stands for the methods of [`CYCLE`] or [`MUTUAL`].
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

/// `Next.Build()`: the method at each depth on the thread irregular.
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

/// `Grammar.Document` of `DeepStacks!Demo.Stacks.Grammar.Document(int32,class Demo.Stacks.Walker)`.
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
    profile
        .threads
        .iter()
        .find(|thread| thread.id == id)
        .unwrap()
}

/// A stack with samples of its own.
struct Stack {
    /// Outermost first.
    names: Vec<String>,
    samples: u64,
    is_left: bool,
}

impl Stack {
    /// The numbers in `methods` of those that are on the stack.
    fn levels(&self, methods: &[&str]) -> Vec<usize> {
        self.names
            .iter()
            .filter_map(|name| methods.iter().position(|method| method == name))
            .collect()
    }
}

fn stacks(profile: &View, thread: &Thread) -> Vec<Stack> {
    let samples = profile.recording.metric_named("samples").unwrap();
    let tree = &profile.tree;
    let own = tree
        .range(thread.node)
        .map(NodeId::at)
        .filter(|&node| tree.exclusive(samples, node) > 0);
    own.map(|node| {
        let above = std::iter::once(node)
            .chain(tree.ancestors(node))
            .take_while(|&at| at != thread.node);
        let mut names: Vec<String> = above
            .map(|at| short(profile.name(at)).to_string())
            .collect();
        names.reverse();
        let is_left = names
            .first()
            .is_some_and(|name| name == "[truncated at 100 frames]");
        Stack {
            names,
            samples: tree.exclusive(samples, node),
            is_left,
        }
    })
    .collect()
}

/// Asserts that no frame is below a caller that the source does not have.
#[track_caller]
fn check_calls(stack: &Stack) {
    for pair in stack.names.windows(2) {
        let [caller, callee] = [role(&pair[0]), role(&pair[1])];
        let known = |name: &str| CALLS.iter().find(|(caller, _)| *caller == name);
        // what the program calls of .NET is not looked at
        if let (Some((_, callees)), Some(_)) = (known(caller), known(callee)) {
            assert!(
                callees.contains(&callee),
                "{caller} calls {callee}: {:?}",
                stack.names
            );
        }
    }
}

/// Asserts what holds for every repaired recording: exclusive values, totals and threads are those of the recording, and the
/// threads' callees are entries or the marker.
#[track_caller]
fn check_sums(profile: &View, entries: &[&str]) {
    let unrepaired = profile.original();
    assert_eq!(profile.frames.len(), unrepaired.frames.len());
    for metric in (0..profile.recording.metrics.len()).map(MetricId::at) {
        let exclusive = |profile: &View| -> HashMap<String, u64> {
            let sums = by_name(profile, metric, NodeId::ROOT).into_iter();
            sums.map(|(name, (exclusive, _))| (name, exclusive))
                .filter(|(_, value)| *value > 0)
                .collect()
        };
        assert_eq!(exclusive(profile), exclusive(&unrepaired));
    }
    let tops = |profile: &View, thread: &Thread| -> BTreeSet<String> {
        profile
            .tree
            .children(thread.node)
            .map(|top| short(profile.name(top)).to_string())
            .collect()
    };
    let allowed: BTreeSet<String> = entries
        .iter()
        .chain(&["[truncated at 100 frames]"])
        .map(ToString::to_string)
        .collect();
    for (thread, same) in profile.threads.iter().zip(unrepaired.threads.iter()) {
        let (repaired, recorded) = (tops(profile, thread), tops(&unrepaired, same));
        match sums(profile, &thread.id).truncated.samples
            + sums(profile, &thread.id).truncated.value
        {
            0 => assert_eq!(
                repaired,
                recorded,
                "{} is as it was",
                profile.name(thread.node)
            ),
            _ => assert!(
                repaired.is_subset(&allowed) && recorded.is_subset(&allowed),
                "{repaired:?}, {recorded:?}"
            ),
        }
    }
}

fn sums(profile: &View, id: &str) -> ThreadTruncation {
    let row = profile
        .threads
        .iter()
        .position(|thread| thread.id == id)
        .unwrap();
    profile.truncation.as_ref().unwrap().threads[row]
}

/// The numbers of threads as `truth.json` and the recording have them, by their names.
const REGULAR: &str = "10977";
const IRREGULAR: &str = "10978";
const MIXED: &str = "10904";
const CLIMBING: &str = "10905";
const FLAT: &str = "10906";

#[test]
fn on_the_thread_irregular_every_repaired_stack_has_its_true_depth() {
    let path = present!(shared("net10/deepstacks-cycle.nettrace"));
    let profile = read_file(&path);
    let table = table();
    let (mut repaired, mut left) = (0, 0);
    for stack in stacks(&profile, thread(&profile, IRREGULAR)) {
        check_calls(&stack);
        if stack.is_left {
            left += stack.samples;
            continue;
        }
        let levels = stack.levels(&CYCLE);
        let truth = |level: usize| if level == 0 { 0 } else { table[level] };
        assert!(
            levels
                .iter()
                .enumerate()
                .all(|(level, &method)| method == truth(level)),
            "{:?}",
            stack.names
        );
        repaired += if stack.names.len() > 100 {
            stack.samples
        } else {
            0
        };
    }
    println!("irregular: {repaired} repaired at their true depth, {left} left");
    let sums = sums(&profile, IRREGULAR);
    // the last sample has no interval
    assert_eq!(
        (sums.truncated.samples, sums.truncated.samples - left),
        (2773 + 1, repaired)
    );
    assert_eq!(
        (sums.repaired.samples, sums.depth_uncertain.samples),
        (repaired, 0)
    );
    // a repair that looks at the stack before only finds the callers of 2,031
    assert!(repaired >= 2600, "{repaired}");
}

#[test]
fn on_the_thread_regular_callers_are_right_and_depths_called_uncertain() {
    let path = present!(shared("net10/deepstacks-cycle.nettrace"));
    let profile = read_file(&path);
    let mut deepest = 0;
    for stack in stacks(&profile, thread(&profile, REGULAR)) {
        check_calls(&stack);
        let levels = stack.levels(&CYCLE);
        let is_possible = stack.is_left
            || levels
                .iter()
                .enumerate()
                .all(|(level, &method)| method == level % 12);
        assert!(is_possible, "{:?}", stack.names);
        deepest = deepest.max(levels.len());
    }
    // the leaf is at level 1000, and level 0 is the first
    assert!(deepest <= 1001, "{deepest}");
    let sums = sums(&profile, REGULAR);
    println!("regular: {sums:?}, {deepest} levels");
    assert_eq!(
        sums.left().samples,
        sums.truncated.samples - sums.repaired.samples
    );
    assert!(
        sums.repaired.samples * 100 >= sums.truncated.samples * 95,
        "{sums:?}"
    );
    assert!(
        sums.depth_uncertain.samples * 100 >= sums.repaired.samples * 95,
        "{sums:?}"
    );
    check_sums(&profile, ENTRIES);
}

#[test]
fn mutual_recursion_is_repaired_as_far_as_callers_go() {
    let path = present!(shared("net10/deepstacks-mutual.nettrace"));
    let profile = read_file(&path);
    for (id, deepest) in [(MIXED, 1000), (CLIMBING, 200), (FLAT, 60)] {
        for stack in stacks(&profile, thread(&profile, id)) {
            check_calls(&stack);
            let levels = stack.levels(&MUTUAL);
            let first = usize::from(id == FLAT);
            let is_possible = stack.is_left
                || levels
                    .iter()
                    .zip(first..)
                    .all(|(&method, level)| method == level % 2);
            assert!(is_possible, "{:?}", stack.names);
            assert!(levels.len() <= deepest + 1, "{}", levels.len());
        }
        let sums = sums(&profile, id);
        println!("{id}: {sums:?}");
        assert!(
            sums.repaired.samples * 100 >= sums.truncated.samples * 95,
            "{sums:?}"
        );
        // of a few only `StartCallback` is missing, and the two frames below it do not recur
        assert!(
            sums.depth_uncertain.samples * 100 >= sums.repaired.samples * 99,
            "{sums:?}"
        );
    }
    assert_eq!(sums(&profile, FLAT).truncated.samples, 0);
    // 4,191 stacks have 100 frames, of which 12 are whole (README)
    assert_eq!(
        profile
            .truncation
            .as_ref()
            .unwrap()
            .total()
            .truncated
            .samples,
        4191 - 12
    );
    check_sums(&profile, ENTRIES);
    // 1801 of 6028 ms hang below the true root of the thread before
    let wall = profile.recording.metric_named("wall").unwrap();
    let below_start = |profile: &View| {
        let mut tops = profile.tree.children(thread(profile, MIXED).node);
        let start = tops.find(|&top| short(profile.name(top)) == START).unwrap();
        (profile.tree.inclusive(wall, start) + 500_000) / 1_000_000
    };
    assert_eq!(
        (below_start(&profile.original()), below_start(&profile)),
        (1801, 6028)
    );
}

#[test]
fn the_methods_above_the_cut_get_their_time_back() {
    let path = present!(shared("net10/deepstacks-mutual.nettrace"));
    let profile = read_file(&path);
    let wall = profile.recording.metric_named("wall").unwrap();
    let changes = inclusive_changes(&profile, wall);
    let named = |change: &&dotspot::testing::analysis::InclusiveChange| {
        short(profile.frames.name(change.frame)) == "Walker.Run"
    };
    let run = changes.iter().find(named).unwrap();
    // three threads of 6 s each, less the 4.227 and 2.424 s that were cut
    let seconds = |stored: u64| (stored as f64 / 1e9 * 10.0).round() / 10.0;
    assert_eq!((seconds(run.before), seconds(run.after)), (11.4, 18.1));
    assert!(inclusive_changes(&profile.original(), wall).is_empty());
}

#[test]
fn what_dotnet_trace_converted_is_repaired_alike() {
    for name in [
        "deepstacks-cycle.speedscope.json.gz",
        "deepstacks-cycle.chromium.json.gz",
    ] {
        let (Some(converted), Some(recording)) = (
            shared(&format!("net10/{name}")),
            shared("net10/deepstacks-cycle.nettrace"),
        ) else {
            continue;
        };
        let (converted, recording) = (read_file(&converted), read_file(&recording));
        check_sums(&converted, ENTRIES);
        let total = |profile: &View| profile.truncation.as_ref().unwrap().total();
        let (found, expect) = (total(&converted), total(&recording));
        for (found, expect) in [
            (found.all, expect.all),
            (found.truncated, expect.truncated),
            (found.repaired, expect.repaired),
            (found.depth_uncertain, expect.depth_uncertain),
            (found.ambiguous, expect.ambiguous),
        ] {
            // the converter rounds to 10 us at worst, see same_recording.rs
            assert!(
                found.value.abs_diff(expect.value) < 20_000,
                "{name}: {} and {}",
                found.value,
                expect.value
            );
        }
    }
}

/// `Deep.Run` calls `Level`, which calls itself, for `Even` and `Odd` are inlined, and `Leaf` at depth 300 at most.
#[test]
fn runtime_3_1() {
    for (file, truncated) in [("deep31", 1322), ("short31", 688)] {
        let path = present!(shared(&format!("nettrace/{file}.nettrace")));
        let profile = read_file(&path);
        let truncation = profile.truncation.as_ref().unwrap();
        let sums = truncation.total();
        println!("{file}: {sums:?}");
        assert_eq!(
            (truncation.limit, sums.truncated.samples),
            (100, truncated),
            "{file}"
        );
        assert!(sums.repaired.samples * 100 >= truncated * 95, "{sums:?}");
        for stack in profile
            .threads
            .iter()
            .flat_map(|thread| stacks(&profile, thread))
            .filter(|stack| !stack.is_left)
        {
            let is_level = |name: &String| name == "Workload!Demo.Deep.Level";
            let Some(first) = stack.names.iter().position(is_level) else {
                continue;
            };
            assert_eq!(stack.names[first - 1], "Workload!Demo.Deep.Run");
            let levels = stack.names[first..]
                .iter()
                .take_while(|name| is_level(name))
                .count();
            assert!(
                levels <= 301 && !stack.names[first + levels..].iter().any(is_level),
                "{:?}",
                stack.names
            );
        }
        let unrepaired = profile.original();
        // whatever starts a shallow stack is an entry
        let tops = unrepaired
            .threads
            .iter()
            .flat_map(|thread| unrepaired.tree.children(thread.node));
        let entries: Vec<&str> = tops
            .map(|top| short(unrepaired.name(top)))
            .filter(|top| !top.starts_with('['))
            .collect();
        assert!(
            !entries.iter().any(|entry| entry.contains("Demo.Deep.")),
            "{entries:?}"
        );
        check_sums(&profile, &entries);
    }
}

/// Recordings of programs without deep stacks.
#[test]
fn nothing_is_found_where_nothing_is_cut() {
    for file in [
        "net10/cpubound.nettrace",
        "net10/orderedconsume.nettrace",
        "nettrace/HeartRateMonitor.10068.nettrace.zip",
    ] {
        let Some(path) = shared(file) else { continue };
        assert_eq!(read_file(&path).truncation, None, "{file}");
    }
}
