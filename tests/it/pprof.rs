//! pprof profiles: one written by another program, and synthetic ones written field by field.

use crate::common::pprof_writer::{Message, Writer};
use crate::common::profiles::{
    by_name, check_tree, default_metric, metric_names, open_file, read_bytes, read_file,
    thread_names,
};
use crate::common::random::{Random, survive};
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::Anomaly;
use dotspot::testing::input::ImportError;
use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::names::FrameKind;
use dotspot::testing::units::Unit;
use std::collections::HashMap;
use std::path::Path;

/// Reads a stream; its name is for messages only and does not indicate the format.
fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("a.pprof", bytes.to_vec())
}

fn read_named(name: &str, bytes: &[u8]) -> Result<View, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open_file(&path)
}

/// The nodes in preorder: depth, name, and inclusive and exclusive values in the default metric's unit.
fn rows(profile: &View) -> Vec<String> {
    check_tree(profile);
    let (id, tree) = (profile.recording.default_metric, &profile.tree);
    let unit = profile.recording.metric(id).unit;
    let row = |node: NodeId| {
        let (depth, name) = (tree.ancestors(node).count(), profile.name(node));
        let values = [tree.inclusive(id, node), tree.exclusive(id, node)];
        let [inclusive, exclusive] = values.map(|value| unit.to_unit(value));
        format!("{depth} {name} {inclusive} {exclusive}")
    };
    tree.nodes().map(row).collect()
}

/// A file with `cpu` in milliseconds, in which location 1 has this function.
fn with_function(name: &str) -> Writer {
    let mut file = Writer::default();
    file.sample_type("cpu", "ms");
    file.location(1, 0, 0, &[1]);
    file.function(1, name, "", 0);
    file
}

/// The file was written by the Rust crate pprof 0.15. Its own report on the run has 224 samples, 139 in the thread `orders`, all of
/// them in `pp::discount`, and 85 in the thread `pp`, 83 of them in `pp::fib`; 99 samples per second.
#[test]
fn a_real_profile_has_its_writers_numbers() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/two-threads.pb");
    let profile = read_file(&path);
    assert_eq!(profile.codes(), [""; 0]);
    assert_eq!(metric_names(&profile), ["samples", "cpu"]);
    let samples = |node| profile.tree.inclusive(MetricId(0), node);
    assert_eq!(samples(NodeId::ROOT), 224);
    // a 99th of a second each, rounded down for each stack
    let cpu_ns = profile.tree.inclusive(MetricId(1), NodeId::ROOT);
    assert!((224_000_000_000 / 99 - 30..=224_000_000_000 / 99).contains(&cpu_ns));
    let threads = profile.threads.iter();
    let threads = threads.map(|thread| (&*thread.name, samples(thread.node)));
    let expect = HashMap::from([("orders", 139), ("pp", 85)]);
    assert_eq!(threads.collect::<HashMap<_, _>>(), expect);
    let sums = by_name(&profile, MetricId(0), NodeId::ROOT);
    assert_eq!((sums["pp::discount"].0, sums["pp::fib"].0), (139, 83));
}

/// Two threads, an inlined function, a module, a location without a function, two metrics.
fn small() -> Vec<u8> {
    let mut file = Writer::default();
    file.sample_type("samples", "count");
    file.sample_type("cpu", "microseconds");
    let worker = &[("thread", "worker"), ("thread id", "7")];
    file.sample(&[3, 2, 1], &[2, 3000], worker);
    file.sample(&[2, 1], &[1, 1500], worker);
    file.sample(&[4, 1], &[5, 500], &[("thread", "main"), ("color", "red")]);
    let module = file.string("/app/Acme.ni.dll");
    file.add(3, Message::default().number(1, 1).number(5, module));
    file.location(1, 1, 0x10, &[1]);
    file.location(2, 1, 0x20, &[3, 2]);
    file.location(3, 1, 0x30, &[4]);
    file.location(4, 1, 0x40, &[]);
    file.function(1, "Acme.Program.Main", "/src/Program.cs", 12);
    file.function(2, "Acme.Book.Match", "/src/Book.cs", 40);
    file.function(3, "Acme.Book.Compare", "/src/Book.cs", 80);
    file.function(4, "System.Private.CoreLib!System.String.Compare", "", 0);
    file.number(10, 2_000_000_000);
    file.finish()
}

#[test]
fn samples_become_a_tree_below_their_threads() {
    let profile = read(&small()).unwrap();
    assert_eq!(profile.codes(), [""; 0]);
    // the last value comes first, as in pprof itself; the inlined function is below the one that contains it
    assert_eq!(
        rows(&profile),
        [
            "0 All threads 5 0",
            "1 Thread (7) worker 4.5 0",
            "2 Acme!Acme.Program.Main 4.5 0",
            "3 Acme!Acme.Book.Match 4.5 0",
            "4 Acme!Acme.Book.Compare 4.5 1.5",
            "5 System.Private.CoreLib!System.String.Compare 3 3",
            "1 Thread main 0.5 0",
            "2 Acme!Acme.Program.Main 0.5 0",
            "3 [Acme 0x40] 0.5 0.5",
        ]
    );
    // samples of the other value
    let count = profile
        .tree
        .count(profile.recording.default_metric, NodeId::ROOT);
    assert_eq!(count, Some(8));
    assert_eq!(profile.tree.inclusive(MetricId(0), NodeId(1)), 3);
    let frame = |node: u32| profile.tree.frame(NodeId(node));
    assert_eq!(profile.frames.location(frame(4)), "/src/Book.cs:80");
    assert_eq!(profile.frames.get(frame(8)).kind, FrameKind::Special);
    assert_eq!(thread_names(&profile), [("7", "worker"), ("", "main")]);
    let duration = [("duration".into(), "2.0 s".to_string())];
    assert_eq!(profile.recording.source.facts, duration);
}

#[test]
fn a_profile_without_threads_has_its_methods_below_the_root() {
    let mut file = Writer::default();
    file.sample_type("alloc_space", "kilobytes");
    file.sample_type("inuse_objects", "count");
    let preferred = file.string("alloc_space");
    file.sample(&[1], &[3, 1], &[]);
    // unpacked numbers are the older encoding
    file.add(2, Message::default().number(1, 9).number(2, 2).number(2, 1));
    file.location(1, 0, 0, &[1]);
    file.function(1, "main", "", 0);
    file.number(14, preferred);
    let profile = read(&file.finish()).unwrap();
    let missing = "1 [Location missing] 2048 2048";
    let expect = ["0 All samples 5120 0", "1 main 3072 3072", missing];
    assert_eq!(rows(&profile), expect);
    let metric = profile.recording.metric(profile.recording.default_metric);
    assert_eq!(metric.unit, Unit::Bytes);
    assert_eq!(
        profile.warnings(),
        [Anomaly::LocationsMissing.with_count(1)]
    );
}

/// Stack prefixes shared by neighboring samples are not walked again; the result is the same.
#[test]
fn samples_have_their_own_stacks_whatever_precedes_them() {
    let mut file = Writer::default();
    file.sample_type("samples", "count");
    let stacks: [(&str, &[u64]); 9] = [
        ("a", &[2, 9, 1]),
        ("a", &[3, 9, 1]),
        ("a", &[9, 1]),
        ("a", &[2, 1]),
        ("b", &[2, 1]),
        ("b", &[3, 2, 1]),
        ("a", &[3, 2, 1]),
        ("a", &[]),
        ("a", &[3, 2, 1]),
    ];
    for (thread, locations) in stacks {
        file.sample(locations, &[1], &[("thread", thread)]);
    }
    for id in 1..=3 {
        file.location(id, 0, 0, &[id]);
        file.function(id, ["one", "two", "three"][id as usize - 1], "", 0);
    }
    let profile = read(&file.finish()).unwrap();
    assert_eq!(
        rows(&profile),
        [
            "0 All threads 9 0",
            "1 Thread a 7 1",
            "2 one 6 0",
            "3 [Location missing] 3 1",
            "4 three 1 1",
            "4 two 1 1",
            "3 two 3 1",
            "4 three 2 2",
            "1 Thread b 2 0",
            "2 one 2 0",
            "3 two 2 1",
            "4 three 1 1",
        ]
    );
    assert_eq!(
        profile.warnings(),
        [Anomaly::LocationsMissing.with_count(3)]
    );
}

#[test]
fn negative_values_are_reported() {
    let mut file = with_function("main");
    file.sample(&[1], &[-5i64 as u64], &[]);
    file.sample(&[1], &[4], &[]);
    let profile = read(&file.finish()).unwrap();
    assert_eq!(rows(&profile)[0], "0 All samples 4 0");
    assert_eq!(profile.warnings(), [Anomaly::ValuesNegative.with_count(1)]);
}

#[test]
fn every_truncation_gives_a_partial_profile_or_an_error() {
    let bytes = small();
    let trees = (0..bytes.len()).filter(|&end| survive("a.pprof", bytes[..end].to_vec()));
    assert!(trees.count() > bytes.len() / 2);
    let truncated = read(&bytes[..bytes.len() - 3]).unwrap();
    let first = truncated.warnings().remove(0);
    assert_eq!(first.code(), "broken-off");
}

#[test]
fn any_mutation_gives_a_tree_or_an_error() {
    let original = small();
    let mut random = Random(20_261_121);
    let trees = (0..1000).filter(|_| {
        let mut bytes = original.clone();
        random.change_bytes(&mut bytes);
        survive("a.pprof", bytes)
    });
    assert!(trees.count() > 100);
}

/// Longer than the cached part of the previous stack, and ending in a missing location.
#[test]
fn equal_deep_stacks_share_all_of_their_nodes() {
    const DEPTH: usize = 100_000;
    let mut file = with_function("Deep");
    let mut stack = vec![1; DEPTH];
    stack[0] = 9;
    for _ in 0..3 {
        file.sample(&stack, &[1], &[]);
    }
    file.sample(&stack[1..], &[1], &[]);
    let profile = read(&file.finish()).unwrap();
    assert_eq!(profile.tree.len(), DEPTH + 1);
    let last = NodeId(DEPTH as u32);
    assert_eq!(profile.name(last), "[Location missing]");
    let values = [NodeId(1), last].map(|node| profile.tree.inclusive(MetricId(0), node));
    assert_eq!(values, [4_000_000, 3_000_000]);
    assert_eq!(
        profile.warnings(),
        [Anomaly::LocationsMissing.with_count(3)]
    );
}

#[test]
fn a_bomb_of_inlined_functions_is_refused() {
    let mut file = with_function("Deep");
    file.sample(&vec![2; 100_000], &[4], &[]);
    file.location(2, 0, 0, &vec![1; 10_000]);
    let error = read(&file.finish()).unwrap_err().to_string();
    assert_contains_all(&error, &["expected fewer nodes"]);
}

/// A module's name precedes each of its functions: 500 of them must not turn 100 kB into 50 MB.
#[test]
fn long_module_names_are_not_repeated_in_functions() {
    let mut file = Writer::default();
    file.sample_type("cpu", "ms");
    let ids: Vec<u64> = (1..=100).collect();
    file.sample(&ids, &[4], &[]);
    let module = file.string(&"x".repeat(100_000));
    file.add(3, Message::default().number(1, 1).number(5, module));
    for id in ids {
        file.location(id, 1, id, &[id]);
        file.function(id, &format!("f{id}"), "", 0);
    }
    let profile = read(&file.finish()).unwrap();
    assert_eq!(profile.tree.len(), 101);
    let ids = profile.frames.iter().map(|(id, _)| id);
    let bytes: usize = ids.map(|id| profile.frames.name(id).len()).sum();
    assert!(bytes < 100 * 1100, "{bytes} bytes of names");
}

#[test]
fn a_long_string_used_by_every_function_does_not_take_forever() {
    let mut writer = Writer::default();
    writer.sample_type("samples", "count");
    // 3 MB in 60,000 functions would be 180 GB to look at
    let long = writer.string(&"x".repeat(3 << 20));
    for id in 1..=60_000 {
        let message = || Message::default().number(1, id);
        writer.add(5, message().number(2, long).number(4, long));
        writer.add(4, message().message(4, message()));
        writer.sample(&[id], &[1], &[]);
    }
    let started = std::time::Instant::now();
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(profile.tree.inclusive(MetricId(0), NodeId::ROOT), 60_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// The same profile with its fields in another order.
fn reordered(profile: &[u8], first: &[u64]) -> Vec<u8> {
    let mut fields: Vec<(u64, &[u8])> = Vec::new();
    let mut rest = profile;
    while let [tag, behind @ ..] = rest {
        // all tags of a profile are one byte; lengths and numbers here are below 2^35
        let length = behind.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
        let digits = behind[..length].iter().rev();
        let number = digits.fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f));
        let bytes = 1 + length + if tag & 7 == 2 { number } else { 0 };
        fields.push((u64::from(tag >> 3), &rest[..bytes]));
        rest = &rest[bytes..];
    }
    let place = |number: &u64| first.iter().position(|wanted| wanted == number);
    fields.sort_by_key(|(number, _)| place(number).unwrap_or(first.len()));
    let fields = fields.into_iter().map(|(_, bytes)| bytes);
    fields.collect::<Vec<_>>().concat()
}

#[test]
fn fields_come_in_any_order() {
    let mut file = small();
    // the time of the profile, and its period in nanoseconds, as written by Go
    file = Message(file)
        .number(9, 1 << 60)
        .message(11, Message::default().number(1, 3).number(2, 4))
        .number(12, 1)
        .0;
    let expect = rows(&read(&file).unwrap());
    for first in [
        &[9, 10, 11, 12, 1][..],
        &[11, 12, 9],
        &[3, 4, 5],
        &[6, 5, 4],
        &[2, 1],
        &[12, 6],
    ] {
        let profile = read(&reordered(&file, first)).unwrap();
        assert_eq!(rows(&profile), expect, "fields {first:?} come first");
        assert_eq!(profile.recording.source.format, "pprof");
    }
}

/// The string table comes first and is longer than the part inspected by detection.
#[test]
fn an_extension_decides_where_the_start_does_not() {
    let mut file = with_function("main");
    file.string(&"x".repeat(8192));
    file.sample(&[1], &[4], &[]);
    let bytes = reordered(&file.finish(), &[6]);
    for name in ["a.pprof", "a.pb", "a.prof", "cpu.pb.gz"] {
        assert_eq!(rows(&read_named(name, &bytes).unwrap()).len(), 2, "{name}");
    }
    for (name, bytes) in [
        ("a.bin", &bytes[..]),
        ("a.prof", b"{\0\0hello"),
        ("a.prof", b"Hello"),
    ] {
        let error = read_named(name, bytes).unwrap_err().to_string();
        assert_contains_all(error, &["not a profile dotspot can read"]);
    }
}

/// A profile of two functions with the given ids, and lines that refer to the given ids.
fn with_ids(functions: [u64; 2], lines: [u64; 2]) -> View {
    let mut file = Writer::default();
    file.sample_type("cpu", "ms");
    file.sample(&[20, 10], &[4], &[]);
    file.sample(&[10], &[2], &[]);
    for (id, line) in [10, 20].into_iter().zip(lines) {
        file.location(id, 0, id, &[line]);
    }
    for (id, name) in functions.into_iter().zip(["App!Shop.Sell", "App!Shop.Pay"]) {
        file.function(id, name, "", 0);
    }
    read(&file.finish()).unwrap()
}

#[test]
fn functions_without_ids_are_distinguished() {
    for lines in [[0, 0], [1, 2], [10, 20]] {
        let profile = with_ids([0, 0], lines);
        let (sell, pay) = ("1 App!Shop.Sell 6 2", "2 App!Shop.Pay 4 4");
        assert_eq!(
            rows(&profile),
            ["0 All samples 6 0", sell, pay],
            "{lines:?}"
        );
        assert_eq!(profile.codes(), ["partly-read"]);
    }
    // 0 is an id as long as there is another
    for ids in [[7, 8], [0, 8]] {
        assert_eq!(with_ids(ids, ids).codes(), [""; 0]);
    }
}

#[test]
fn a_value_that_is_zero_everywhere_is_not_shown_first() {
    let mut file = Writer::default();
    for (what, unit) in [
        ("cpu", "nanoseconds"),
        ("alloc_size", "bytes"),
        ("lock_time", "nanoseconds"),
    ] {
        file.sample_type(what, unit);
    }
    let period = Message::default()
        .number(1, file.string("cpu"))
        .number(2, file.string("nanoseconds"));
    file.sample(&[1], &[5_000_000, 100, 0], &[]);
    file.location(1, 0, 0, &[1]);
    file.function(1, "main", "", 0);
    file.add(11, period);
    file.number(12, 1);
    let profile = read(&file.finish()).unwrap();
    assert_eq!(default_metric(&profile), "cpu");
    assert_eq!(rows(&profile), ["0 All samples 5 0", "1 main 5 5"]);
    // a period of 1 is not an interval
    assert_eq!(profile.recording.source.facts, []);
}

#[test]
fn other_files_are_not_taken_for_profiles() {
    for bytes in [
        &b"\n\nhello world\n"[..],
        b"\x0a\x00",
        b"\x0a\x04\x08\x01",
        &[0x0a; 400],
        &[0; 400],
    ] {
        let error = read(bytes).unwrap_err().to_string();
        assert_contains_all(error, &["not a profile dotspot can read"]);
    }
}
