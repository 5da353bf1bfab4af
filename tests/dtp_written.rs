//! dotTrace snapshots that we write ourselves: what is read is what was written.

mod common;
#[path = "common/dtp_writer.rs"]
mod dtp_writer;
#[path = "common/sums.rs"]
mod sums;

use dotspot::importers::{Input, Progress, import};
use dotspot::model::{FrameKind, NodeId, Profile};
use dtp_writer::{Container, Function, Kind, Section, Snapshot, Style, Thread, Type, one_file};
use proptest::prelude::*;
use std::path::Path;
use sums::{TIME, sums};

fn open(path: &Path) -> Profile {
    let input = Input::open(path, Progress::default()).unwrap_or_else(|failure| panic!("{failure}"));
    import(input).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads the one-file container as standard input would give it.
fn from_stream(sections: &[Section]) -> Profile {
    let stream = Box::new(std::io::Cursor::new(one_file(sections)));
    let input = Input::stream("standard input", stream, Progress::default()).unwrap();
    import(input).unwrap_or_else(|error| panic!("{error}"))
}

// ---- names and signatures ----

/// A method without parameters in a module of this style is called `expect`.
#[track_caller]
fn check_name(style: Style, name: &str, expect: &str) {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    // others before and after it, so that rows, lists and nesting matter
    let first = snapshot.method("Acme!Acme.Before+Inner+Innermost.Run");
    let function = snapshot.method(name);
    let last = snapshot.method("Acme!Acme.Zebra+Inner.Run");
    for module in &mut snapshot.modules {
        module.style = style;
    }
    let mut thread = Thread::new(1, 2, "");
    for function in [first, function, last] {
        thread.add(Thread::ROOT, function, 5, 1);
    }
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    assert_eq!(profile.warnings, [""; 0]);
    let names: Vec<&str> = profile.frames.iter().map(|(id, _)| profile.frames.name(id)).collect();
    assert!(names.contains(&expect), "{names:?}");
    assert!(names.contains(&"Acme!Acme.Before+Inner+Innermost.Run"), "{names:?}");
    assert!(names.contains(&"Acme!Acme.Zebra+Inner.Run"), "{names:?}");
}

#[test]
fn names_of_all_sorts() {
    for name in [
        "Acme!Acme.Orders.Book.Match",
        "Acme!Acme.Orders.Book+Level.Add",
        "Acme!Acme.Orders.Book+Level+Enumerator.MoveNext",
        "Acme!NoNamespace.Run",
        "Acme!<Module>.Main",
        "Acme!Program.<Main>$",
        "Acme!Acme.List`1..ctor",
        "Acme!Acme.List`1..cctor",
        "Acme!Acme.Book+<>c__DisplayClass4_0.<Run>b__1",
        "Acme!Acme.Book+<ConsumeAsync>d__12.MoveNext",
        "Other.Module!Größe.値.Run",
    ] {
        for style in [
            Style::default(),
            Style { wide_heaps: true, ..Style::default() },
            Style { unoptimised: true, ..Style::default() },
            Style { extra_number: true, wide_heaps: true, unoptimised: true, ..Style::default() },
        ] {
            check_name(style, name, name);
        }
    }
}

#[test]
fn a_module_without_assembly_is_called_after_its_file() {
    check_name(Style { no_assembly: true, ..Style::default() }, "Acme!Acme.Book.Match", "Acme!Acme.Book.Match");
}

#[test]
fn a_module_with_more_than_65535_methods_has_wide_rows() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let mut thread = Thread::new(1, 2, "");
    for method in 0..70_000 {
        let function = snapshot.method(&format!("Acme!Acme.T{}.M{method}", method / 100));
        if method % 10_000 == 9_999 {
            thread.add(Thread::ROOT, function, 5, 1);
        }
    }
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    let names: Vec<&str> = profile.tree.nodes().skip(2).map(|node| profile.name(node)).collect();
    assert_eq!(names[0], "Acme!Acme.T199.M19999");
    assert_eq!(names[6], "Acme!Acme.T99.M9999");
}

/// The signature of a method with these types reads `expect`, in all styles of modules.
#[track_caller]
fn check_signature(parameters: &[Type], returns: &Type, expect: &str) {
    for style in [Style::default(), Style { wide_heaps: true, unoptimised: true, ..Style::default() }] {
        let mut snapshot = Snapshot::new(Kind::Tracing);
        let function = snapshot.method_with("Acme!Acme.Book.Match", 0, parameters, returns);
        snapshot.method("Acme!Acme.Order+Line.Run");
        snapshot.modules[0].style = style;
        let mut thread = Thread::new(1, 2, "");
        thread.add(Thread::ROOT, function, 5, 1);
        snapshot.threads.push(thread);
        let profile = from_stream(&snapshot.sections());
        assert_eq!(profile.frames.signature(profile.tree.frame(NodeId(2))), expect);
    }
}

fn class(name: &str) -> Type {
    Type::Class(name.into())
}

fn boxed(of: Type) -> Box<Type> {
    Box::new(of)
}

#[test]
fn signatures_read_as_in_event_traces() {
    use Type::*;
    check_signature(&[], &Void, "() : void");
    check_signature(&[String, Int32], &Bool, "(class System.String,int32) : bool");
    check_signature(&[Char, Int64, Float64, Object], &Int32, "(wchar,int64,float64,class System.Object) : int32");
    check_signature(&[Array(boxed(String))], &Void, "(class System.String[]) : void");
    check_signature(&[ByRef(boxed(Value("System.DateTime".into())))], &Void, "(value class System.DateTime&) : void");
    check_signature(&[Pointer(boxed(Pointer(boxed(Char))))], &Void, "(wchar**) : void");
    // a type of the module itself, nested, and a nested one of another
    check_signature(&[class("Acme.Order+Line")], &Void, "(class Acme.Order+Line) : void");
    check_signature(&[class("System.A+B+C")], &Void, "(class System.A+B+C) : void");
    check_signature(
        &[Generic(boxed(class("System.Collections.Generic.IEnumerable`1")), vec![Var(0)]), MVar(1)],
        &Generic(boxed(Value("System.Nullable`1".into())), vec![Int32]),
        "(class System.Collections.Generic.IEnumerable`1<!0>,!!1) : value class System.Nullable`1<int32>",
    );
    check_signature(
        &[Generic(boxed(class("D`2")), vec![String, Array(boxed(Int32))])],
        &Void,
        "(class D`2<class System.String,int32[]>) : void",
    );
    check_signature(
        &[],
        &Required(boxed(class("System.Runtime.InteropServices.InAttribute")), boxed(ByRef(boxed(Char)))),
        "() : wchar& modreq(System.Runtime.InteropServices.InAttribute)",
    );
    check_signature(
        &[Pointer(boxed(Optional(boxed(class("IsConst")), boxed(Char))))],
        &Void,
        "(wchar modopt(IsConst)*) : void",
    );
    check_signature(&[Function(vec![Int32, Bool], boxed(Void))], &Void, "(fnptr void(int32,bool)) : void");
    check_signature(&[Specified(boxed(Generic(boxed(class("L`1")), vec![Int32])))], &Void, "(class L`1<int32>) : void");
}

#[test]
fn shapes_of_arrays() {
    use Type::*;
    let shaped = |rank, sizes: &[u32], lows: &[i32]| Shaped(boxed(Int32), rank, sizes.to_vec(), lows.to_vec());
    check_signature(&[shaped(2, &[], &[0, 0])], &Void, "(int32[,]) : void");
    check_signature(&[shaped(3, &[], &[])], &Void, "(int32[,,]) : void");
    check_signature(&[shaped(1, &[3], &[2])], &Void, "(int32[2...4]) : void");
    check_signature(&[shaped(2, &[], &[-5, -100])], &Void, "(int32[-5...,-100...]) : void");
}

#[test]
fn a_broken_signature_is_empty() {
    let deep = [vec![0x00, 0x01, 0x01], vec![0x0F; 100], vec![0x08]].concat();
    for blob in [
        &[][..],
        &[0x06, 0x08],             // a field's
        &[0x00],                   // no number of parameters
        &[0x00, 0x00],             // no type that is returned
        &[0x00, 0x02, 0x01, 0x08], // one parameter of two
        &[0x00, 0x00, 0x01, 0x01], // more than there should be
        &[0x00, 0x00, 0x7E],       // no such type
        &[0x00, 0x00, 0x12, 0x7C], // a row beyond its table
        &[0x00, 0x00, 0x12, 0x03], // a tag of no table
        &[0x00, 0x00, 0x14, 0x08, 0x7F, 0x00, 0x00],
        &deep,
    ] {
        let mut snapshot = Snapshot::new(Kind::Tracing);
        let function = snapshot.method("Acme!Acme.Book.Match");
        snapshot.modules[0].set_raw_signature(0, blob);
        let mut thread = Thread::new(1, 2, "");
        thread.add(Thread::ROOT, function, 5, 1);
        snapshot.threads.push(thread);
        let profile = from_stream(&snapshot.sections());
        let frame = profile.tree.frame(NodeId(2));
        assert_eq!((profile.frames.name(frame), profile.frames.signature(frame)), ("Acme!Acme.Book.Match", ""));
    }
}

#[test]
fn methods_that_look_alike_stay_apart() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let mut thread = Thread::new(1, 2, "");
    let plain = snapshot.method("Acme!Acme.Book.Match");
    // differs in what a signature's text does not tell
    let generic = snapshot.method_with("Acme!Acme.Book.Match", 1, &[], &Type::Void);
    thread.add(Thread::ROOT, plain, 5, 1);
    thread.add(Thread::ROOT, generic, 7, 1);
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    let frames: Vec<(&str, &str)> = profile.tree.frames()[2..]
        .iter()
        .map(|&frame| (profile.frames.name(frame), profile.frames.signature(frame)))
        .collect();
    // the hotter one comes first in the tree, and was the first to be met, since nodes are read from the last
    assert_eq!(
        frames,
        [("Acme!Acme.Book.Match", "() : void"), ("Acme!Acme.Book.Match", "() : void [function 0x00100001]")]
    );
}

#[test]
fn long_names_are_cut() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let function = snapshot.method(&format!("Acme!Acme.{}.Run", "Ä".repeat(5000)));
    let mut thread = Thread::new(1, 2, "");
    thread.add(Thread::ROOT, function, 5, 1);
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    let name = profile.name(NodeId(2));
    assert!(name.starts_with("Acme!Acme.Ä") && name.ends_with('…') && name.len() < 1100, "{} bytes", name.len());
}

#[test]
fn functions_that_are_no_methods() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    snapshot.method("Acme!Acme.Book.Match");
    let mut thread = Thread::new(1, 2, "");
    let native = thread.add(Thread::ROOT, Function::Id(0), 0, 1);
    thread.add(native, Function::Id(2), 1, 1);
    thread.add(native, Function::Id(5), 2, 1);
    thread.add(native, Function::Id(6), 3, 1);
    thread.add(native, Function::Id(0x77), 4, 1);
    // a row beyond the table, a module without metadata, a row beyond section 0x0120
    thread.add(native, Function::Id(0x0010_0002), 5, 1);
    thread.add(native, Function::Id(0x0070_0001), 6, 1);
    thread.add(native, Function::Id(0x8000_0009), 7, 1);
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    let names: Vec<&str> = profile.tree.nodes().skip(2).map(|node| profile.name(node)).collect();
    assert_eq!(
        names,
        [
            "[Native code]",
            "[Unresolved function 0x80000009]",
            "[Unresolved function 0x00700001]",
            "[Unresolved function 0x00100002]",
            "[Special 0x77]",
            "[Runtime start]",
            "[Native code, no managed frames]",
            "[Garbage collection]",
        ]
    );
    assert!(profile.tree.frames()[2..].iter().all(|&frame| profile.frames.get(frame).kind == FrameKind::Special));
    assert_eq!(
        profile.warnings,
        ["3 functions have no name in the snapshot and are called `[Unresolved function 0x…]`"]
    );
}

// ---- threads and counts ----

#[test]
fn threads_are_called_by_number_and_name() {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let run = snapshot.method("Acme!Acme.Book.Match");
    let threads = [(7, 0, ".NET TP Worker"), (1, 2, ""), (11, 3, ""), (2, 4, ""), (3, 0, ""), (4, 4, "Reaper")];
    for (number, kind, name) in threads {
        let mut thread = Thread::new(number, kind, name);
        thread.add(Thread::ROOT, run, 5, 1);
        snapshot.threads.push(thread);
    }
    let profile = from_stream(&snapshot.sections());
    let found: Vec<(&str, &str, &str)> =
        profile.threads.iter().map(|thread| (profile.name(thread.node), &*thread.id, &*thread.name)).collect();
    assert_eq!(
        found,
        [
            ("Thread 7 (.NET TP Worker)", "7", ".NET TP Worker"),
            ("Thread 1 (main)", "1", "main"),
            ("Thread 11 (main)", "11", "main"),
            ("Thread 2 (finalizer)", "2", "finalizer"),
            ("Thread 3", "3", ""),
            ("Thread 4 (Reaper)", "4", "Reaper"),
        ]
    );
    assert_eq!(profile.name(NodeId::ROOT), "All threads");
    assert_eq!(profile.frames.get(profile.tree.frame(NodeId::ROOT)).kind, FrameKind::Root);
}

/// Root, thread, `A` with two counts and `B` below it with one: the counts that are read.
fn counts(kind: Kind, change: impl FnOnce(&mut Vec<Section>)) -> (Profile, Vec<u64>) {
    let mut snapshot = Snapshot::new(kind);
    let (a, b) = (snapshot.method("Acme!Acme.Book.A"), snapshot.method("Acme!Acme.Book.B"));
    let mut thread = Thread::new(1, 2, "");
    let a = thread.add(Thread::ROOT, a, 5, 2);
    thread.add(a, b, 5, 1);
    snapshot.threads.push(thread);
    let mut sections = snapshot.sections();
    change(&mut sections);
    let profile = from_stream(&sections);
    let counts = profile.tree.nodes().map(|node| profile.tree.count(TIME, node).unwrap()).collect();
    (profile, counts)
}

#[test]
fn samples_include_callees_and_calls_do_not() {
    let (profile, samples) = counts(Kind::Sampling, |_| {});
    assert_eq!((samples, profile.metrics[0].counts.unwrap().name()), (vec![2, 2, 2, 1], "samples"));
    let (profile, calls) = counts(Kind::Tracing, |_| {});
    assert_eq!((calls, profile.metrics[0].counts.unwrap().name()), (vec![0, 0, 2, 1], "calls"));
    let (profile, calls) = counts(Kind::LineByLine, |_| {});
    assert_eq!((calls, profile.metrics[0].counts.unwrap().name()), (vec![0, 0, 2, 1], "calls"));
    assert_eq!(profile.source.kind.name(), "line-by-line");
}

#[test]
fn a_profile_of_unknown_kind_is_told_by_its_counts() {
    let (profile, counts) = counts(Kind::Sampling, |sections| {
        sections.remove(0);
    });
    assert_eq!((profile.source.kind.name(), counts), ("unknown", vec![2, 2, 2, 1]));
    assert!(profile.warnings[0].contains("no description"), "{:?}", profile.warnings);
}

// ---- whatever is written is read ----

/// A node as a tree that is made at random has it: its caller among those before it, one of the functions, time, count.
type RandomNode = (prop::sample::Index, usize, u64, u32);

#[derive(Clone, Debug)]
struct RandomThread {
    kind: u8,
    name: String,
    nodes: Vec<RandomNode>,
    widths: (usize, usize),
}

fn random_threads() -> impl Strategy<Value = Vec<RandomThread>> {
    // own times of one byte up to seven, so that all widths of times occur
    let own = (0u32..56, any::<u64>()).prop_map(|(bits, value)| value & ((1 << bits) - 1));
    let node = (any::<prop::sample::Index>(), 0usize..24, own, 0u32..1000);
    let thread = (0u8..5, "[a-zA-Z .]{0,12}", prop::collection::vec(node, 0..60), (1usize..6, 1usize..9));
    let thread = thread.prop_map(|(kind, name, nodes, widths)| RandomThread { kind, name, nodes, widths });
    prop::collection::vec(thread, 1..5)
}

/// The functions that nodes of random trees have, with the name and signature that are expected of each.
fn functions(snapshot: &mut Snapshot) -> Vec<(Function, String)> {
    let mut functions = vec![(Function::Id(0), "[Native code]|".to_string())];
    for module in ["Acme", "System.Core", "Far.Away"] {
        for (place, full) in ["A.T.Run", "A.T+N.Run", "A.T+N.Stop", "U.Run", "A.G`1..ctor"].iter().enumerate() {
            let name = format!("{module}!{full}");
            functions.push((snapshot.method(&name), format!("{name}|() : void")));
            if place % 2 == 0 {
                let overload = snapshot.method_with(&name, 0, &[Type::Int32, Type::String], &Type::Bool);
                functions.push((overload, format!("{name}|(int32,class System.String) : bool")));
            }
        }
    }
    // an id that does not fit beside a row
    snapshot.modules[2].id = 2048;
    functions
}

/// A line per node: the path from its thread, exclusive and inclusive nanoseconds, and its count, computed from what is to
/// be written.
fn written_lines(snapshot: &Snapshot, names: &[(Function, String)]) -> Vec<String> {
    let mut lines = Vec::new();
    for thread in &snapshot.threads {
        let mut totals: Vec<u64> = thread.nodes.iter().map(|node| node.own).collect();
        for number in (1..totals.len()).rev() {
            totals[thread.nodes[number].caller] += totals[number];
        }
        let ns = |ticks: u64| {
            let per_second = u128::from(snapshot.ticks_per_second);
            (u128::from(ticks) * 1_000_000_000 + per_second / 2) / per_second
        };
        let mut paths = vec![format!("t{}", thread.number)];
        for (number, node) in thread.nodes.iter().enumerate() {
            if number > 0 {
                let name = &names.iter().find(|(function, _)| *function == node.function).unwrap().1;
                paths.push(format!("{}>{name}", paths[node.caller]));
            }
            lines.push(format!("{} {} {} {}", paths[number], ns(node.own), ns(totals[number]), node.count));
        }
    }
    lines.sort();
    lines
}

/// The same lines from what was read.
fn read_lines(profile: &Profile) -> Vec<String> {
    let tree = &profile.tree;
    let mut paths: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for node in tree.nodes() {
        let frame = tree.frame(node);
        let path = match tree.parent(node) {
            None => String::new(),
            Some(NodeId::ROOT) => format!("t{}", profile.thread_of(node).unwrap().id),
            Some(caller) => {
                let (name, signature) = (profile.frames.name(frame), profile.frames.signature(frame));
                format!("{}>{name}|{signature}", paths[caller.index()])
            }
        };
        if node != NodeId::ROOT {
            let (exclusive, inclusive) = (tree.exclusive(TIME, node), tree.inclusive(TIME, node));
            lines.push(format!("{path} {exclusive} {inclusive} {}", tree.count(TIME, node).unwrap()));
        }
        paths.push(path);
    }
    lines.sort();
    lines
}

fn build(threads: &[RandomThread], ticks_per_second: u64, style: Style) -> (Snapshot, Vec<(Function, String)>) {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let functions = functions(&mut snapshot);
    snapshot.ticks_per_second = ticks_per_second;
    snapshot.modules.iter_mut().for_each(|module| module.style = style);
    for (number, random) in threads.iter().enumerate() {
        let mut thread = Thread::new(number as u32 + 1, random.kind, &random.name);
        (thread.least_offset_width, thread.least_time_width) = random.widths;
        for (caller, function, own, count) in &random.nodes {
            let caller = caller.index(thread.nodes.len());
            let function = functions[function % functions.len()].0;
            // siblings have different functions
            if !thread.nodes.iter().skip(1).any(|node| node.caller == caller && node.function == function) {
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
    fn what_is_read_is_what_was_written(
        threads in random_threads(),
        ticks_per_second in prop::sample::select(vec![1_000_000_000u64, 10_000_000, 2_893_000_000]),
        in_one_file in any::<bool>(),
        wide_heaps in any::<bool>(),
        unoptimised in any::<bool>(),
    ) {
        let style = Style { wide_heaps, unoptimised, ..Style::default() };
        let (snapshot, names) = build(&threads, ticks_per_second, style);
        let folder = tempfile::tempdir().unwrap();
        let container = if in_one_file { Container::OneFile } else { Container::ManyFiles };
        let profile = open(&snapshot.save(folder.path(), "random.dtp", container));
        prop_assert_eq!(&profile.warnings, &[""; 0]);
        prop_assert_eq!(read_lines(&profile), written_lines(&snapshot, &names));
        profile.tree.check().unwrap();
        for node in profile.tree.nodes() {
            prop_assert_eq!(profile.node_labelled(&profile.node_label(node)), Some(node));
        }
        // ticks that are whole nanoseconds: the stored sums are the tree's
        if ticks_per_second <= 1_000_000_000 {
            for thread in &profile.threads {
                let sums = sums(&profile, thread.node);
                let stored = profile.stored_hotspots.iter().filter(|stored| stored.scope == thread.node);
                prop_assert_eq!(stored.clone().count(), sums.len());
                for stored in stored {
                    let sum = sums[&(stored.name.clone(), stored.signature.clone().unwrap())];
                    prop_assert_eq!(
                        (stored.exclusive, stored.inclusive, stored.count, stored.node_count),
                        (sum.exclusive, sum.inclusive, Some(sum.count), Some(sum.nodes))
                    );
                }
            }
        }
    }
}

#[test]
fn a_chain_of_a_million_nodes() {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let functions: Vec<Function> = (0..3).map(|n| snapshot.method(&format!("Acme!Acme.Deep.M{n}"))).collect();
    let mut thread = Thread::new(1, 2, "");
    let mut caller = Thread::ROOT;
    for depth in 0..1_000_000 {
        let own = if depth == 999_999 { 5 } else { 0 };
        caller = thread.add(caller, functions[depth % 3], own, 1);
    }
    snapshot.threads.push(thread);
    let profile = from_stream(&snapshot.sections());
    assert_eq!(profile.tree.len(), 1_000_002);
    assert_eq!(profile.warnings, [""; 0]);
    let leaf = NodeId(1_000_001);
    assert_eq!((profile.name(leaf), profile.tree.exclusive(TIME, leaf)), ("Acme!Acme.Deep.M0", 5));
    assert_eq!(profile.tree.inclusive(TIME, NodeId(2)), 5);
    let stored: Vec<u64> = profile.stored_hotspots.iter().map(|stored| stored.inclusive).collect();
    assert_eq!(stored, [5, 5, 5], "recursion counts once");
}
