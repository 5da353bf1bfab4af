//! Round trips of snapshots that the tests write.

use super::{good, read, read_file};
use crate::common::dtp_writer::{
    Container, Function, Kind, Snapshot, Style, Thread, Type, one_file,
};
use crate::common::profiles::check_tree;
use crate::common::sums::{TIME, sums};
use dotspot::testing::analysis::node_labeled;
use dotspot::testing::importers::import;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{NodeId, View};
use proptest::prelude::*;

#[test]
fn threads_are_named_by_number_and_name() {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let run = snapshot.method("Acme!Acme.Book.Match");
    let threads = [
        (7, 0, ".NET TP Worker"),
        (1, 2, ""),
        (11, 3, ""),
        (2, 4, ""),
        (3, 0, ""),
        (4, 4, "Reaper"),
    ];
    for (number, kind, name) in threads {
        let mut thread = Thread::new(number, kind, name);
        thread.add(Thread::ROOT, run, 5, 1);
        snapshot.threads.push(thread);
    }
    let profile = good(read(one_file(&snapshot.sections())));
    let threads = profile.threads.iter();
    let found = threads.map(|it| (profile.name(it.node), &*it.id, &*it.name));
    let expect = [
        ("Thread 7 (.NET TP Worker)", "7", ".NET TP Worker"),
        ("Thread 1 (main)", "1", "main"),
        ("Thread 11 (main)", "11", "main"),
        ("Thread 2 (finalizer)", "2", "finalizer"),
        ("Thread 3", "3", ""),
        ("Thread 4 (Reaper)", "4", "Reaper"),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expect);
    assert_eq!(profile.name(NodeId::ROOT), "All threads");
}

/// The tree: root, thread, `A` with a count of two, and `B` below it with a count of one.
#[test]
fn samples_include_callees_and_calls_do_not() {
    for (kind, name, has_description, counts) in [
        (Kind::Sampling, "sampling", true, [2, 2, 2, 1]),
        (Kind::Tracing, "tracing", true, [0, 0, 2, 1]),
        (Kind::LineByLine, "line-by-line", true, [0, 0, 2, 1]),
        // an unknown kind is derived from the counts
        (Kind::Sampling, "unknown", false, [2, 2, 2, 1]),
    ] {
        let mut snapshot = Snapshot::new(kind);
        let [a, b] = ["A", "B"].map(|name| snapshot.method(&format!("Acme!Acme.Book.{name}")));
        let mut thread = Thread::new(1, 2, "");
        let a = thread.add(Thread::ROOT, a, 5, 2);
        thread.add(a, b, 5, 1);
        snapshot.threads.push(thread);
        let mut sections = snapshot.sections();
        sections.retain(|section| has_description || section.id != 0);
        let profile = good(read(one_file(&sections)));
        let found = profile
            .tree
            .nodes()
            .map(|node| profile.tree.count(TIME, node).unwrap());
        assert_eq!(found.collect::<Vec<_>>(), counts, "{name}");
        assert_eq!(profile.recording.source.kind.name(), name);
        let word = profile.recording.metrics[0].counts.unwrap().name();
        let is_sampling = counts[0] > 0 && has_description;
        let expect = if is_sampling { "samples" } else { "calls" };
        assert!(word == expect || !has_description, "{name}: {word}");
    }
}

/// An endless stream that cancels the import after three megabytes.
struct Long {
    read: usize,
    progress: Progress,
}

impl std::io::Read for Long {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.read > 3_000_000 {
            self.progress.cancel();
        }
        assert!(self.read < 8_000_000, "reading did not stop");
        buffer.fill(0);
        if self.read == 0 {
            buffer[..6].copy_from_slice(b"\xEEGDTPF");
        }
        self.read += buffer.len();
        Ok(buffer.len())
    }
}

#[test]
fn reading_stops_when_cancelled() {
    let progress = Progress::default();
    let stream = Box::new(Long {
        read: 0,
        progress: progress.clone(),
    });
    let input = Input::stream("standard input", stream, progress).unwrap();
    assert_eq!(import(input).err(), Some(ImportError::Cancelled));
}

/// A node of a random tree: its caller among the previous nodes, a function, a time and a count.
type RandomNode = (prop::sample::Index, usize, u64, u32);

#[derive(Clone, Debug)]
struct RandomThread {
    kind: u8,
    name: String,
    nodes: Vec<RandomNode>,
    widths: (usize, usize),
}

fn random_threads() -> impl Strategy<Value = Vec<RandomThread>> {
    // exclusive times of one to six bytes, so that sums have widths from one to seven
    let own = (0u32..48, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1));
    let node = (any::<prop::sample::Index>(), 0usize..24, own, 0u32..1000);
    let thread = (
        0u8..5,
        "[a-zA-Z .]{0,12}",
        prop::collection::vec(node, 0..60),
        (1usize..6, 1usize..9),
    );
    let thread = thread.prop_map(|(kind, name, nodes, widths)| RandomThread {
        kind,
        name,
        nodes,
        widths,
    });
    prop::collection::vec(thread, 1..5)
}

/// The functions in random trees, with the expected name and signature of each.
fn functions(snapshot: &mut Snapshot) -> Vec<(Function, String)> {
    let mut functions = vec![(Function::Id(6), "[Runtime start]|".to_string())];
    for module in ["Acme", "System.Core", "Far.Away"] {
        for (place, full) in ["A.T.Run", "A.T+N.Run", "A.T+N.Stop", "U.Run", "A.G`1..ctor"]
            .iter()
            .enumerate()
        {
            let name = format!("{module}!{full}");
            functions.push((snapshot.method(&name), format!("{name}|() : void")));
            if place % 2 == 0 {
                let parameters = [Type::Int32, Type::String];
                let overload = snapshot.method_with(&name, 0, &parameters, &Type::Bool);
                let signature = "(int32,class System.String) : bool";
                functions.push((overload, format!("{name}|{signature}")));
            }
        }
    }
    // an id that does not fit next to a row
    snapshot.modules[2].id = 2048;
    functions
}

/// A line per node: the path from its thread, exclusive and inclusive nanoseconds, and its count, computed from the
/// snapshot to be written.
fn written_lines(snapshot: &Snapshot, names: &[(Function, String)]) -> Vec<String> {
    let mut lines = Vec::new();
    for thread in &snapshot.threads {
        let ns = |ticks: u64| {
            let per_second = u128::from(snapshot.ticks_per_second);
            ((u128::from(ticks) * 1_000_000_000 + per_second / 2) / per_second) as u64
        };
        // sums of rounded times, so that they add up
        let mut totals: Vec<u64> = thread.nodes.iter().map(|node| ns(node.own)).collect();
        for number in (1..totals.len()).rev() {
            totals[thread.nodes[number].caller] += totals[number];
        }
        let mut paths = vec![format!("t{}", thread.number)];
        for (number, node) in thread.nodes.iter().enumerate() {
            if number > 0 {
                let mut names = names.iter();
                let (_, name) = names.find(|row| row.0 == node.function).unwrap();
                paths.push(format!("{}>{name}", paths[node.caller]));
            }
            let (path, own, total) = (&paths[number], ns(node.own), totals[number]);
            lines.push(format!("{path} {own} {total} {}", node.count));
        }
    }
    lines.sort();
    lines
}

/// The same lines, computed from the profile.
fn read_lines(profile: &View) -> Vec<String> {
    let tree = &profile.tree;
    let mut paths: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for node in tree.nodes() {
        let frame = tree.frame(node);
        let path = match tree.parent(node) {
            None => String::new(),
            Some(NodeId::ROOT) => format!("t{}", profile.thread_of(node).unwrap().id),
            Some(caller) => {
                let (path, name) = (&paths[caller.index()], profile.name(node));
                format!("{path}>{name}|{}", profile.frames.signature(frame))
            }
        };
        if node != NodeId::ROOT {
            let (own, total) = (tree.exclusive(TIME, node), tree.inclusive(TIME, node));
            let count = tree.count(TIME, node).unwrap();
            lines.push(format!("{path} {own} {total} {count}"));
        }
        paths.push(path);
    }
    lines.sort();
    lines
}

fn build(
    threads: &[RandomThread],
    ticks_per_second: u64,
    style: Style,
) -> (Snapshot, Vec<(Function, String)>) {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let functions = functions(&mut snapshot);
    snapshot.ticks_per_second = ticks_per_second;
    for module in &mut snapshot.modules {
        module.style = style;
    }
    for (number, random) in threads.iter().enumerate() {
        let mut thread = Thread::new(number as u32 + 1, random.kind, &random.name);
        (thread.least_offset_width, thread.least_time_width) = random.widths;
        for (caller, function, own, count) in &random.nodes {
            let caller = caller.index(thread.nodes.len());
            let function = functions[function % functions.len()].0;
            // siblings have different functions
            let mut nodes = thread.nodes.iter().skip(1);
            if !nodes.any(|node| (node.caller, node.function) == (caller, function)) {
                thread.add(caller, function, *own, *count);
            }
        }
        snapshot.threads.push(thread);
    }
    (snapshot, functions)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn snapshots_survive_a_round_trip(
        threads in random_threads(),
        ticks_per_second in prop::sample::select(vec![1_000_000_000u64, 10_000_000, 2_893_000_000]),
        in_one_file in any::<bool>(),
        wide_heaps in any::<bool>(),
        unoptimized in any::<bool>(),
    ) {
        let style = Style { wide_heaps, unoptimized, ..Style::default() };
        let (snapshot, names) = build(&threads, ticks_per_second, style);
        let folder = tempfile::tempdir().unwrap();
        let container = if in_one_file { Container::OneFile } else { Container::ManyFiles };
        let profile = good(read_file(&snapshot.save(folder.path(), "random.dtp", container)));
        let is_narrow = threads.iter().all(|thread| thread.widths == (1, 1));
        prop_assert!(profile.diagnostics.is_empty() || (profile.codes() == ["partly-read"] && !is_narrow));
        prop_assert_eq!(read_lines(&profile), written_lines(&snapshot, &names));
        check_tree(&profile);
        for node in profile.tree.nodes() {
            prop_assert_eq!(node_labeled(&profile, &profile.node_label(node)), Some(node));
        }
    }
}

#[test]
fn a_deep_chain_is_read() {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let functions = [0, 1, 2].map(|n| snapshot.method(&format!("Acme!Acme.Deep.M{n}")));
    let mut thread = Thread::new(1, 2, "");
    let mut caller = Thread::ROOT;
    for depth in 0..100_000 {
        let own = if depth == 99_999 { 5 } else { 0 };
        caller = thread.add(caller, functions[depth % 3], own, 1);
    }
    snapshot.threads.push(thread);
    let profile = good(read(one_file(&snapshot.sections())));
    assert_eq!(profile.tree.len(), 100_002);
    assert_eq!(profile.codes(), [""; 0]);
    let leaf = NodeId(100_001);
    assert_eq!(profile.name(leaf), "Acme!Acme.Deep.M0");
    assert_eq!(profile.tree.exclusive(TIME, leaf), 5);
    assert_eq!(profile.tree.inclusive(TIME, NodeId(2)), 5);
    let sums = sums(&profile, NodeId::ROOT);
    assert!(
        sums.values().all(|sums| sums.inclusive == 5),
        "recursion counts once"
    );
}
