//! Profiles written in any format and read again are unchanged, except for the losses listed in the table of formats.

use crate::common::plans::{build, plans};
use crate::common::profiles;
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::{Diagnostic, Severity};
use dotspot::testing::exporters::{EXPORTERS, Exporter, Output, Part};
use dotspot::testing::importers::{FORMATS, Format, ReadOptions, import_with};
use dotspot::testing::model::{
    Frames, Metric, MetricId, NodeId, NodeIds, ProfileKind, Recording, Source, Thread, TreeBuilder,
    View,
};
use dotspot::testing::names::FrameKind;
use dotspot::testing::text::is_hostile;
use dotspot::testing::units::Unit;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The importer of an exporter's format.
fn format_of(exporter: &Exporter) -> &'static Format {
    let mut formats = FORMATS.iter();
    formats.find(|format| format.name == exporter.name).unwrap()
}

fn exporter(name: &str) -> &'static Exporter {
    let mut exporters = EXPORTERS.iter();
    exporters.find(|exporter| exporter.name == name).unwrap()
}

fn write(exporter: &Exporter, part: &Part) -> Vec<u8> {
    let mut bytes = Vec::new();
    (exporter.write)(part, &mut bytes).unwrap();
    bytes
}

fn read(exporter: &Exporter, bytes: Vec<u8>) -> Result<View, String> {
    let name = format!("a{}", exporter.extensions[0]);
    let input = profiles::stream(&name, bytes).map_err(|error| error.to_string())?;
    let wanted = ReadOptions {
        format: Some(format_of(exporter)),
        ..ReadOptions::default()
    };
    let read = import_with(input, &wanted, |format, input| {
        (format.read)(input, &wanted)
    });
    read.map(Recording::into_view)
        .map_err(|error| error.to_string())
}

/// Exclusive values of each stack: a row of values by metric. Stacks are hashes, with the last name for messages.
type Stacks = BTreeMap<u64, (String, Vec<(String, u64)>)>;

/// A method's name as a format writes it, with its parameters where the format has them.
fn name_in(exporter: &Exporter, name: &str, signature: &str) -> String {
    let name = match exporter.name {
        "collapsed" => collapsed_name(name),
        "calltree" => name.to_string(),
        _ if name.is_empty() => "[No name]".into(),
        _ => name.to_string(),
    };
    match exporter.name {
        "calltree" => name + signature,
        "pprof" if signature.starts_with('(') => name + signature,
        _ => name,
    }
}

/// A name in a text format: see the table of formats.
fn collapsed_name(name: &str) -> String {
    let escaped = |c: char| match c {
        ';' => ":".into(),
        _ if is_hostile(c) => format!("\\u{{{:x}}}", u32::from(c)),
        _ => c.to_string(),
    };
    let text: String = name.chars().map(escaped).collect();
    match text.trim() {
        "" => "[No name]".into(),
        text if text.starts_with('#') => format!("\\u{{23}}{}", &text[1..]),
        text => text.into(),
    }
}

/// The stacks of a part in a format. Frames are methods, and threads and processes if the format writes these as frames; exclusive
/// values of a thread, a process or the root are in a frame of its name. `metrics` are the metrics written.
fn stacks(exporter: &Exporter, part: &Part, metrics: &[MetricId], is_copy: bool) -> Stacks {
    let Part { view, root, .. } = *part;
    let tree = &view.tree;
    let threads: HashMap<NodeId, &Thread> =
        view.threads.iter().map(|row| (row.node, row)).collect();
    let kind = |node| view.frames.get(tree.frame(node)).kind;
    let name = |node| {
        let signature = view.frames.signature(tree.frame(node));
        name_in(exporter, view.name(node), signature)
    };
    let push = |stack: u64, name: &str| {
        let mut hasher = DefaultHasher::new();
        (stack, name).hash(&mut hasher);
        hasher.finish()
    };
    let are_frames = exporter.name == "collapsed" && !is_copy;
    let mut found = Stacks::new();
    // by node, its stack and whether its callees are in a thread
    let mut places: Vec<(u64, bool)> = Vec::with_capacity(tree.size(root));
    for node in tree.range(root).map(NodeId::at) {
        let (mut stack, is_inside) = match tree.parent(node).filter(|_| node != root) {
            Some(parent) => places[parent.index() - root.index()],
            None => stack_above(part, are_frames, &push),
        };
        let thread = threads.get(&node).filter(|_| !is_inside);
        let is_structure = !is_inside
            && match kind(node) {
                FrameKind::Root => node == root,
                FrameKind::Process => true,
                FrameKind::Thread => thread.is_some(),
                _ => false,
            };
        let mut last = name(node);
        let (own, below) = if is_structure {
            let below = if are_frames && kind(node) != FrameKind::Root {
                stack = push(stack, &last);
                stack
            } else {
                stack
            };
            // these have samples without frames
            let has_own = ["pprof", "firefox"].contains(&exporter.name);
            if has_own && (is_copy || kind(node) == FrameKind::Thread) {
                last.clear();
            }
            let is_frame = are_frames && kind(node) != FrameKind::Root;
            (if is_frame { stack } else { push(stack, &last) }, below)
        } else {
            if let Some(thread) = thread.filter(|_| are_frames) {
                let title = if thread.name.is_empty() {
                    &thread.id
                } else {
                    &thread.name
                };
                stack = push(stack, &collapsed_name(title));
            }
            let stack = push(stack, &last);
            (stack, stack)
        };
        places.push((below, is_inside || thread.is_some() || !is_structure));
        let value = |&metric: &MetricId| tree.exclusive(metric, node);
        if is_structure && !tree.is_leaf(node) && metrics.iter().all(|metric| value(metric) == 0) {
            continue;
        }
        let names = metrics.iter().map(|&metric| match exporter.name {
            "calltree" | "pprof" => view.recording.metric(metric).name.clone(),
            _ => String::new(),
        });
        let mut values: Vec<(String, u64)> = names.zip(metrics.iter().map(value)).collect();
        values.sort();
        let zeros = || values.iter().map(|(name, _)| (name.clone(), 0)).collect();
        let (_, sums) = found.entry(own).or_insert_with(|| (last, zeros()));
        for (sum, value) in sums.iter_mut().zip(values) {
            sum.1 = sum.1.saturating_add(value.1);
        }
    }
    found
}

/// The stack above the root of a part, and whether that is in a thread.
fn stack_above(part: &Part, are_frames: bool, push: &impl Fn(u64, &str) -> u64) -> (u64, bool) {
    let Part { view, root, .. } = *part;
    let tree = &view.tree;
    let thread = view.thread_of(root).filter(|thread| thread.node < root);
    if !are_frames {
        return (0, thread.is_some());
    }
    let kind = |node| view.frames.get(tree.frame(node)).kind;
    let process = tree
        .ancestors(root)
        .find(|&node| kind(node) == FrameKind::Process);
    let title = thread.map(|thread| match kind(thread.node) {
        FrameKind::Thread => view.name(thread.node),
        _ if thread.name.is_empty() => &thread.id,
        _ => &thread.name,
    });
    let names = process.map(|node| view.name(node)).into_iter().chain(title);
    let stack = names.fold(0, |stack, name| push(stack, &collapsed_name(name)));
    (stack, thread.is_some())
}

/// A line per node with everything that call-tree JSON stores.
fn rows(part: &Part) -> Vec<String> {
    let (view, tree) = (part.view, &part.view.tree);
    let row = |node: NodeId| {
        let frame = view.frames.get(tree.frame(node));
        let mut values: Vec<String> = (0..view.recording.metrics.len())
            .map(|at| {
                let (metric, id) = (&view.recording.metrics[at], MetricId::at(at));
                let values = (tree.inclusive(id, node), tree.exclusive(id, node));
                format!("{metric:?} {values:?} {:?}", tree.count(id, node))
            })
            .collect();
        values.sort();
        let thread = view.threads.iter().find(|thread| {
            let is_its_part = node == part.root && tree.contains(thread.node, node);
            thread.node == node || is_its_part
        });
        let signature = view.frames.signature(tree.frame(node));
        let label = match view.recording.node_ids {
            NodeIds::Preorder => String::new(),
            _ => view.node_label(node),
        };
        format!(
            "{label} {} {:?} {:?} {signature:?} {:?} {values:?}",
            tree.end(node).0 - part.root.0,
            frame.kind,
            view.name(node),
            thread.map(|thread| (&thread.id, &thread.name)),
        )
    };
    tree.range(part.root)
        .map(|at| row(NodeId::at(at)))
        .collect()
}

/// Whether a part's metric is wall or CPU time and both exist.
fn has_wall_and_cpu(part: &Part) -> bool {
    let recording = &part.view.recording;
    let named = |name| {
        let metric = recording.metric_named(name);
        metric.filter(|&metric| recording.metric(metric).unit == Unit::Milliseconds)
    };
    let both = [named("wall"), named("CPU")];
    both.contains(&Some(part.metric)) && both.iter().all(Option::is_some)
}

/// Writes a part, reads it, and describes any difference that the format does not explain.
fn difference(exporter: &Exporter, part: &Part) -> Option<String> {
    let copy = match read(exporter, write(exporter, part)) {
        Ok(copy) => copy,
        Err(error) => return Some(error),
    };
    let of_file = part.view.diagnostics_of(Severity::Warning);
    let of_file: Vec<String> = of_file.map(Diagnostic::written).collect();
    let warnings = copy.warnings();
    let of_copy = warnings.iter().map(Diagnostic::to_string);
    let new: Vec<String> = of_copy.filter(|text| !of_file.contains(text)).collect();
    if exporter.name != "calltree" && !new.is_empty() && part.view.tree.size(part.root) > 1 {
        return Some(format!("the reader warns: {new:?}"));
    }
    let copied = Part::whole(&copy, copy.recording.default_metric);
    let all_metrics = |view: &View| {
        (0..view.recording.metrics.len())
            .map(MetricId::at)
            .collect::<Vec<_>>()
    };
    let (metrics, copied_metrics) = match exporter.name {
        "calltree" | "pprof" => (all_metrics(part.view), all_metrics(&copy)),
        "firefox" if has_wall_and_cpu(part) => {
            let found = |view: &View| ["wall", "CPU"].map(|name| view.recording.metric_named(name));
            (
                found(part.view).into_iter().flatten().collect(),
                found(&copy).into_iter().flatten().collect(),
            )
        }
        _ => (vec![part.metric], vec![copy.recording.default_metric]),
    };
    let expect = stacks(exporter, part, &metrics, false);
    let mut found = stacks(exporter, &copied, &copied_metrics, true);
    if exporter.name == "collapsed" {
        // threads and processes are frames there, including those without a value
        found.retain(|stack, (_, values)| {
            expect.contains_key(stack) || values.iter().any(|value| value.1 > 0)
        });
    }
    if !is_same(exporter, part, &expect, &found) {
        return Some(format!("expected {expect:?}\nfound {found:?}"));
    }
    // siblings are ordered by the file's first metric
    if exporter.name == "calltree" && part.metric == part.view.recording.default_metric {
        let (expect, found) = (rows(part), rows(&copied));
        let differs = expect.iter().zip(&found).find(|(one, two)| one != two);
        if differs.is_some() || expect.len() != found.len() {
            return Some(format!("rows {differs:?}"));
        }
        if copy.recording.source.kind != part.view.recording.source.kind {
            return Some(format!("{:?}", copy.recording.source.kind));
        }
    }
    None
}

/// Compares stacks: to the microsecond for times in collapsed stacks, and with a millisecond per count where the Firefox Profiler
/// only has time.
fn is_same(exporter: &Exporter, part: &Part, expect: &Stacks, found: &Stacks) -> bool {
    let unit = part.view.recording.metric(part.metric).unit;
    let nodes = part.view.tree.range(part.root).map(NodeId::at);
    let lines = nodes.len() as u64;
    let own = nodes.map(|node| part.view.tree.exclusive(part.metric, node));
    let total = own.fold(0, u64::saturating_add);
    let is_value = |expect: u64, found: u64| match (exporter.name, unit) {
        // nodes with the same name have a line each
        ("collapsed", Unit::Milliseconds) => found.abs_diff(expect / 1_000) <= lines,
        ("firefox", Unit::Count) if total <= 9_223_372_036_854 => found == expect * 1_000_000,
        _ => found == expect,
    };
    expect.len() == found.len()
        && expect.iter().zip(found).all(|(one, two)| {
            let (expect, found) = (&one.1.1, &two.1.1);
            let mut values = expect.iter().zip(found);
            one.0 == two.0
                && one.1.0 == two.1.0
                && expect.len() == found.len()
                && values.all(|(one, two)| one.0 == two.0 && is_value(one.1, two.1))
        })
}

#[track_caller]
fn check(exporter: &Exporter, part: &Part, what: &str) {
    if let Some(reason) = (exporter.refusal)(part) {
        panic!("{what}, {}: refused, {reason}", exporter.name);
    }
    if let Some(difference) = difference(exporter, part) {
        panic!("{what}, {}: {difference}", exporter.name);
    }
}

/// The formats that can be read as well, unlike images.
fn readable_formats() -> impl Iterator<Item = &'static Exporter> {
    EXPORTERS
        .iter()
        .filter(|exporter| exporter.output != Output::Picture)
}

/// Checks all formats with all metrics.
#[track_caller]
fn check_all(profile: &View, what: &str) {
    for exporter in readable_formats() {
        for metric in (0..profile.recording.metrics.len()).map(MetricId::at) {
            let what = format!("{what}, metric {}", metric.index());
            check(exporter, &Part::whole(profile, metric), &what);
        }
    }
}

#[test]
fn every_format_written_can_be_read() {
    for exporter in readable_formats() {
        let format = format_of(exporter);
        for extension in exporter.extensions {
            assert!(format.extensions.contains(extension), "{extension}");
        }
    }
}

#[test]
fn real_profiles_round_trip() {
    for file in [
        "dtp/profile_multi.dtp",
        "net10/cpubound.speedscope.json",
        "nettrace/short31.nettrace",
        "speedscope/0.6.0/two-sampled.speedscope.json",
        "collapsed/recursion.txt",
        "collapsed/perf-vertx-stacks-01-collapsed-all.txt",
        "perf-script/dotnet31.perf-script.txt.gz",
        "trace-event/multi-thread-with-samples.json",
        "trace-event/simple-object.json",
    ] {
        let Some(path) = crate::common::shared(file) else {
            continue;
        };
        check_all(&profiles::read_file(&path), file);
    }
    let sample = "snapshots/two-threads.pb";
    check_all(&profiles::read_file(sample.as_ref()), sample);
}

/// Two processes with equal thread numbers, one process without a name, and a thread without one.
const PROCESSES: &str = r#"[
    {"ph":"M","name":"process_name","pid":7,"tid":1,"args":{"name":"shop"}},
    {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main"}},
    {"ph":"X","name":"Acme.Shop.Run","pid":7,"tid":1,"ts":0,"dur":10.5},
    {"ph":"X","name":"Acme.Shop.Sell","pid":7,"tid":1,"ts":1,"dur":3.25},
    {"ph":"X","name":"Acme.Shop.Sell","pid":7,"tid":1,"ts":2,"dur":0},
    {"ph":"X","name":"Acme.Shop.Run","pid":8,"tid":1,"ts":0,"dur":0.001},
    {"ph":"X","name":"Acme.Shop.Wait","pid":8,"tid":2,"ts":0,"dur":1}]"#;

#[test]
fn processes_round_trip_or_are_part_of_names() {
    let profile = profiles::read_text(PROCESSES);
    assert_eq!(profile.processes.len(), 2);
    check_all(&profile, "two processes");
    let threads = |name: &str| -> Vec<String> {
        let part = Part::whole(&profile, MetricId(0));
        let copy = read(exporter(name), write(exporter(name), &part)).unwrap();
        let row = |thread: &Thread| format!("{} {}", thread.id, thread.name);
        let mut threads: Vec<String> = copy.threads.iter().map(row).collect();
        threads.sort();
        threads
    };
    assert_eq!(threads("calltree"), ["1 ", "1 main", "2 "]);
    assert_eq!(threads("trace-event"), ["1 ", "1 main", "2 "]);
    let expect = [
        "1 Process (7) shop / main",
        "1 Process (8)",
        "2 Process (8)",
    ];
    assert_eq!(threads("pprof"), expect);
    assert_eq!(threads("collapsed"), [""; 0]);
    for node in profile.tree.nodes() {
        for exporter in readable_formats() {
            check(
                exporter,
                &Part::new(&profile, node, MetricId(0)),
                profile.name(node),
            );
        }
    }
}

/// Complete texts, to detect a common error of reader and writer.
#[test]
fn small_profiles_are_written_as_documented() {
    let profile = profiles::read_text(PROCESSES);
    let part = Part::new(&profile, profile.threads[0].node, MetricId(0));
    let text = |name: &str| String::from_utf8(write(exporter(name), &part)).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    // Run has 10.5 us, 3.25 of them in Sell, whose inner call takes none
    let events = concat!(
        r#"{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1000},{"type":"O","frame":1,"at":2000},"#,
        r#"{"type":"C","frame":1,"at":2000},{"type":"C","frame":1,"at":4250},{"type":"C","frame":0,"at":10500}"#
    );
    assert_eq!(
        text("speedscope"),
        format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"dotspot {version}","name":"a.json","activeProfileIndex":0,"shared":{{"frames":[{{"name":"Acme.Shop.Run"}},{{"name":"Acme.Shop.Sell"}}]}},"profiles":[{{"type":"evented","name":"Thread (1) main","unit":"nanoseconds","startValue":0,"endValue":10500,"events":[{events}]}}]}}"#
        )
    );
    let event = |phase: &str, name: &str, ts: &str| {
        format!(r#",{{"name":"Acme.Shop.{name}","ph":"{phase}","pid":7,"tid":1,"ts":{ts}}}"#)
    };
    let events = [
        event("B", "Run", "0"),
        event("B", "Sell", "1"),
        event("B", "Sell", "2"),
        // a tick after its begin: a ten thousandth of a nanosecond in a thread of so few nodes
        event("E", "Sell", "2.0000001"),
        event("E", "Sell", "4.25"),
        event("E", "Run", "10.5"),
    ];
    assert_eq!(
        text("trace-event"),
        format!(
            r#"{{"otherData":{{"name":"a.json","exporter":"dotspot {version}"}},"displayTimeUnit":"ns","traceEvents":[{{"name":"process_name","ph":"M","pid":7,"tid":1,"args":{{"name":"shop"}}}},{{"name":"thread_name","ph":"M","pid":7,"tid":1,"args":{{"name":"main"}}}}{}]}}"#,
            events.concat()
        )
    );
    // 7.25 and 3.25 us: 10.5 are 11
    let stack = "Process (7) shop;Thread (1) main;Acme.Shop.Run";
    assert_eq!(
        text("collapsed"),
        format!("{stack} 7\n{stack};Acme.Shop.Sell 4\n{stack};Acme.Shop.Sell;Acme.Shop.Sell 0\n")
    );
}

/// A profile of one thread with a chain of `count` frames with these names and the given time by depth.
fn chain(names: &[String], count: usize, time: impl Fn(usize) -> u64) -> View {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let metric = Metric::time("time", None);
    let mut builder = TreeBuilder::new(root, std::slice::from_ref(&metric));
    let thread = frames.intern(FrameKind::Thread, "Thread (7) main", "");
    let thread = builder.add(TreeBuilder::ROOT, thread).unwrap();
    // TraceEvent's placeholder for unknown code is not a method
    let kind = |name: &str| [FrameKind::Method, FrameKind::Special][usize::from(name == "?!?")];
    let mut id = |name: &String| frames.intern(kind(name), name, "");
    let ids: Vec<_> = names.iter().map(&mut id).collect();
    let mut node = thread;
    for depth in 0..count {
        node = builder.add(node, ids[depth % ids.len()]).unwrap();
        builder.add_exclusive(MetricId(0), node, time(depth));
    }
    let built = builder.finish(&frames, MetricId(0));
    let thread = Thread {
        node: built.node(thread),
        id: "7".into(),
        name: "main".into(),
    };
    let source = Source::read_here("a".into(), "speedscope", ProfileKind::Unknown, Vec::new());
    Recording::new(source, frames, built.tree, vec![metric], MetricId(0))
        .with_threads(vec![thread])
        .into_view()
}

#[test]
fn deep_stacks_round_trip() {
    let names: Vec<String> = (0..50)
        .map(|number| format!("Acme.Deep.Level{number}"))
        .collect();
    let profile = chain(&names, 50_000, |depth| [0, 5_000][depth / 49_999]);
    let part = Part::whole(&profile, MetricId(0));
    for exporter in readable_formats() {
        assert_eq!((exporter.refusal)(&part), None, "{}", exporter.name);
        let copy = read(exporter, write(exporter, &part)).unwrap();
        // call-tree JSON and the others put a root above the thread; collapsed stacks have the thread as a frame
        assert_eq!(copy.tree.len(), 50_002, "{}", exporter.name);
        let innermost = NodeId(50_001);
        let found = copy
            .tree
            .exclusive(copy.recording.default_metric, innermost);
        // microseconds
        let unit = if exporter.name == "collapsed" {
            1_000
        } else {
            1
        };
        assert_eq!(found * unit, 5_000, "{}", exporter.name);
        assert_eq!(copy.name(innermost), "Acme.Deep.Level49");
    }
}

/// Each of 200,000 stacks would be written with all its callers: 2 * 10^10 frames.
#[test]
fn exports_of_gigabytes_are_refused_immediately() {
    let names: Vec<String> = (0..50)
        .map(|number| format!("Acme.Deep.Level{number:02}"))
        .collect();
    let profile = chain(&names, 200_000, |_| 1);
    let part = Part::whole(&profile, MetricId(0));
    for exporter in readable_formats() {
        let refusal = (exporter.refusal)(&part);
        // 18 bytes per frame in collapsed stacks, one in pprof
        let size = match exporter.name {
            "collapsed" => "360.0 GB",
            "pprof" => "20.0 GB",
            _ => {
                assert_eq!(refusal, None);
                continue;
            }
        };
        assert_contains_all(refusal.unwrap(), &[size, "200,000 stacks", "speedscope"]);
    }
}

#[test]
fn values_too_large_for_pprof_are_refused() {
    for (value, is_written) in [(i64::MAX as u64, true), (i64::MAX as u64 + 1, false)] {
        let profile = chain(&["a".to_string()], 1, |_| value);
        let part = Part::whole(&profile, MetricId(0));
        match (exporter("pprof").write)(&part, &mut Vec::new()) {
            Ok(_) => assert!(is_written, "{value}"),
            Err(error) => assert_contains_all(error.to_string(), &["calltree"]),
        }
    }
}

#[test]
fn names_of_all_kinds_round_trip() {
    let long = "x".repeat(100_000);
    let names = [
        "a;b",
        "line\nbreak\r\ttab",
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "zero\u{200b}width",
        "abc\u{202e}cba\u{2066}",
        "foo 12",
        "12",
        "",
        "?!?",
        "Process64 app (7) Args: ",
        "Thread (7) main",
        "שלום",
        "Größe 値 😀",
        "a\\b\"c",
        &long,
    ];
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let profile = chain(&names, names.len(), |depth| depth as u64 % 3);
    check_all(&profile, "names of all kinds");
    for name in names {
        let what = format!("{name:.20?}");
        check_all(&chain(&[name, "b".into()], 3, |_| 1), &what);
    }
}

/// Overloads of one name, one with a source location, and signatures that look like something else.
#[test]
fn overloads_round_trip_in_formats_that_hold_them() {
    let signatures = ["", "(int32)", "(string) : void", "int32", "(int32"];
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let metric = Metric::time("time", None);
    let mut builder = TreeBuilder::new(root, std::slice::from_ref(&metric));
    for (number, signature) in signatures.into_iter().enumerate() {
        let frame = frames.intern(FrameKind::Method, "Acme.dll!Acme.Shop.Sell", signature);
        let file = ["", "/src/shop.cs"][number % 2];
        frames.set_location(frame, file, number as u64);
        let node = builder.add(TreeBuilder::ROOT, frame).unwrap();
        builder.add_exclusive(MetricId(0), node, 10 + number as u64);
    }
    let built = builder.finish(&frames, MetricId(0));
    let source = Source::read_here("a".into(), "speedscope", ProfileKind::Unknown, Vec::new());
    let recording = Recording::new(source, frames, built.tree, vec![metric], MetricId(0));
    let profile = recording.into_view();
    check_all(&profile, "overloads");
    // the first location of a name counts; pprof names include anything that looks like parameters
    for (name, expect) in [
        ("speedscope", &["/src/shop.cs:1"][..]),
        ("trace-event", &["/src/shop.cs:1"]),
        ("pprof", &["", "", "/src/shop.cs:1", "/src/shop.cs:3"]),
    ] {
        let part = Part::whole(&profile, MetricId(0));
        let copy = read(exporter(name), write(exporter(name), &part)).unwrap();
        let frames = copy.tree.nodes().map(|node| copy.tree.frame(node));
        let methods = frames.filter(|&frame| copy.frames.get(frame).kind == FrameKind::Method);
        let mut found: Vec<&str> = methods.map(|frame| copy.frames.location(frame)).collect();
        found.sort_unstable();
        assert_eq!(found, expect, "{name}");
    }
}

/// Diagnostics survive in every format that does not list them as lost: warnings as warnings, notes as notes.
#[test]
fn warnings_and_notes_round_trip() {
    let mut profile = chain(&["a".into(), "b".into()], 2, |_| 7);
    profile.diagnostics = vec![
        Diagnostic::kept("12 \u{1b}[2Jevents lost.".into()),
        Diagnostic::kept_note("measured on a warm machine".into()),
        Diagnostic::kept("the file ends unexpectedly".into()),
    ];
    check_all(&profile, "warnings and notes");
    let part = Part::whole(&profile, MetricId(0));
    let texts = |view: &View, severity| -> Vec<String> {
        let found = view.diagnostics_of(severity).map(Diagnostic::written);
        found.collect()
    };
    for exporter in readable_formats() {
        let copy = read(exporter, write(exporter, &part)).unwrap();
        let limitations = exporter.limitations(Some(&part));
        let is_lost = limitations.contains(&"warnings and notes");
        assert_eq!(is_lost, exporter.name == "collapsed", "{}", exporter.name);
        for severity in [Severity::Warning, Severity::Note] {
            let mut expect = texts(&profile, severity);
            expect.retain(|_| !is_lost);
            assert_eq!(texts(&copy, severity), expect, "{}", exporter.name);
        }
    }
}

/// Call-tree JSON and the formats similar to it report no loss for profiles that they hold completely.
#[test]
fn no_false_losses_are_reported() {
    let profile = chain(&["a".into(), "b".into()], 2, |_| 7);
    let losses = |name: &str, profile: &View| -> String {
        let part = Part::whole(profile, profile.recording.default_metric);
        exporter(name).limitations(Some(&part)).join("; ")
    };
    let layout = "when each frame was open, if the source has no times (callees follow the order of the tree)";
    let kind = "how the profile was recorded (readers assume sampling)";
    assert_eq!(losses("calltree", &profile), "");
    assert_eq!(losses("speedscope", &profile), layout);
    assert_eq!(losses("trace-event", &profile), layout);
    assert_eq!(losses("pprof", &profile), kind);
    assert!(losses("collapsed", &profile).contains("threads and processes"));
    let stacks = profiles::read_bytes("a.folded", b"a;b 3\na;c 0\n".to_vec()).unwrap();
    assert_eq!(losses("collapsed", &stacks), "");
    assert_eq!(losses("calltree", &stacks), "");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_profiles_round_trip(mut plan in plans()) {
        // so that the sum of forty is less than 2^63
        plan.most = 1 << 57;
        let profile = build(&plan);
        for exporter in readable_formats() {
            let part = Part::whole(&profile, profile.recording.default_metric);
            prop_assert_eq!((exporter.refusal)(&part), None);
            let difference = difference(exporter, &part);
            prop_assert!(difference.is_none(), "{}: {}", exporter.name, difference.unwrap_or_default());
        }
    }

    #[test]
    fn random_subtrees_round_trip(mut plan in plans(), node in any::<prop::sample::Index>()) {
        plan.most = 1 << 57;
        let profile = build(&plan);
        let part = Part::new(&profile, NodeId::at(node.index(profile.tree.len())), MetricId(0));
        for exporter in readable_formats() {
            let difference = difference(exporter, &part);
            prop_assert!(difference.is_none(), "{}: {}", exporter.name, difference.unwrap_or_default());
        }
    }
}
