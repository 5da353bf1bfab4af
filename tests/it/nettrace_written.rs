//! `.nettrace` recordings that we write ourselves: what real files at hand do not have, and what is broken.

use crate::common::dotnet_trace::metric;
use crate::common::nettrace_writer::{
    Kind, Options, REMOVED_THREADS, RUNDOWN, RUNTIME, SAMPLE_PROFILER, SEQUENCE_POINT, THREADS,
    Writer, method_payload, methods, small_file, small_file_of, small_universal_file, utf16z,
};
use crate::common::profiles::{
    default_metric, fact, metric_names, open_file, path, process_names, read_bytes, thread_names,
};
use crate::common::text::{has, starts};
use dotspot::testing::analysis::{cautions, hotspots};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::diagnostics::{
    Anomaly, BrokenOff, NamelessCause, StacksTruncated, TraceDiagnostic, partly,
};
use dotspot::testing::importers::{detect, import};
use dotspot::testing::input::{Confidence, Head, ImportError, Input, Progress};
use dotspot::testing::model::{CountKind, NodeId, Recording, View};
use dotspot::testing::names::FrameKind;
use dotspot::testing::query::marker_lines;
use dotspot::testing::units::Unit;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("a.nettrace", bytes.to_vec())
}

/// Reads bytes as a file with a name, for which the name counts.
fn read_file(name: &str, bytes: &[u8]) -> Result<View, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open_file(&path)
}

/// Writes samples of a thread that runs managed code.
fn sample(writer: &mut Writer, times: &[u64], stack: u32) {
    for &time in times {
        writer.sample(7, time, Kind::Managed, stack);
    }
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.collect()
}

/// What a test expects of paths, as it is found.
fn by_path<T: Copy>(expect: &[(&str, T)]) -> BTreeMap<String, T> {
    let rows = expect.iter();
    rows.map(|(path, values)| (path.to_string(), *values))
        .collect()
}

/// Values of a node by itself: CPU and wall time in nanoseconds, samples, samples of managed code.
type Values = (u64, u64, u64, u64);

/// Every path of the tree that has values of its own, as `Thread (1)/a/b`, with these values.
fn rows(profile: &View) -> BTreeMap<String, Values> {
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let tree = &profile.tree;
    tree.check().unwrap();
    let mut rows = BTreeMap::new();
    for node in tree.nodes() {
        let callees = tree.children(node);
        let managed: u64 = callees.map(|child| tree.count(cpu, child).unwrap()).sum();
        let values = (
            tree.exclusive(cpu, node),
            tree.exclusive(wall, node),
            tree.exclusive(samples, node),
            tree.count(cpu, node).unwrap() - managed,
        );
        assert_eq!(
            tree.count(wall, node),
            Some(tree.inclusive(samples, node)),
            "samples are counted twice alike"
        );
        if values != (0, 0, 0, 0) {
            rows.insert(path(profile, node).join("/"), values);
        }
    }
    rows
}

#[track_caller]
fn check(bytes: &[u8], expect: &[(&str, Values)], warnings: &[Diagnostic]) {
    let profile = read(bytes).unwrap();
    assert_eq!(rows(&profile), by_path(expect));
    assert_eq!(profile.warnings(), warnings);
}

#[test]
fn a_thread_is_charged_by_what_it_was_last_seen_doing() {
    let mut writer = Writer::new(Options::default());
    let (a, ab) = (writer.stack(&[1000]), writer.stack(&[1000, 2099]));
    writer.sample(7, 5000, Kind::Managed, ab);
    writer.sample(7, 6000, Kind::Managed, a);
    writer.sample(7, 6500, Kind::External, ab);
    writer.sample(7, 7000, Kind::External, a);
    writer.sample(8, 5500, Kind::External, 0);
    methods(&mut writer);
    check(
        &writer.finish(),
        &[
            ("Thread (7)/M!T.a()", (500, 500, 2, 1)),
            ("Thread (7)/M!T.a()/M!T.b()", (1000, 1000 + 500, 2, 1)),
            ("Thread (8)", (0, 0, 1, 0)),
        ],
        &[],
    );
}

#[test]
fn metrics_threads_and_frames_are_what_they_are_called() {
    let mut writer = Writer::new(Options {
        process_id: 8,
        ..Options::default()
    });
    writer.rundown_method(
        4000,
        10,
        [
            "System.Threading.PortableThreadPool+WorkerThread",
            "WorkerThreadStart",
        ],
    );
    let (pool, unknown) = (writer.stack(&[2000, 4000]), writer.stack(&[1]));
    writer.sample(9, 5000, Kind::External, pool);
    writer.sample(8, 4000, Kind::External, unknown);
    writer.sample(9, 6000, Kind::External, pool);
    writer.sample(8, 6000, Kind::External, unknown);
    methods(&mut writer);
    writer.process("dotnet a.dll");
    let profile = read(&writer.finish()).unwrap();
    let metrics: Vec<_> = profile
        .recording
        .metrics
        .iter()
        .map(|m| (m.name.as_str(), m.unit, m.counts))
        .collect();
    let samples = Some(CountKind::Samples);
    assert_eq!(
        metrics,
        [
            ("CPU", Unit::Milliseconds, samples),
            ("wall", Unit::Milliseconds, samples),
            ("samples", Unit::Count, None)
        ]
    );
    assert_eq!(default_metric(&profile), "wall", "there is no CPU time");
    let threads: Vec<_> = profile
        .threads
        .iter()
        .map(|t| (t.id.as_str(), t.name.as_str(), profile.name(t.node)))
        .collect();
    // in the order of the file
    assert_eq!(
        threads,
        [
            ("9", ".NET pool", "Thread (9) .NET pool"),
            ("8", "main", "Thread (8) main")
        ]
    );
    let kinds: Vec<_> = profile
        .frames
        .iter()
        .map(|(id, frame)| (profile.frames.name(id), frame.kind))
        .collect();
    for (name, kind) in [
        ("All threads", FrameKind::Root),
        ("Thread (8) main", FrameKind::Thread),
        ("M!T.b()", FrameKind::Method),
        ("?!?", FrameKind::Special),
    ] {
        assert!(kinds.contains(&(name, kind)), "{name}: {kinds:?}");
    }
    assert_eq!(fact(&profile, "command line"), "dotnet a.dll");
}

/// The same program in both kinds of headers and of pointers.
#[test]
fn headers_and_pointers_of_both_kinds_are_read() {
    for (version, compressed, pointer_bytes) in [
        (4, true, 4),
        (4, false, 8),
        (4, false, 4),
        (3, false, 4),
        (3, false, 8),
    ] {
        let mut writer = Writer::new(Options {
            version,
            compressed,
            pointer_bytes,
            ..Options::default()
        });
        let stack = writer.stack(&[1099, 3000, 1100]);
        writer.sample(7, 5000, Kind::Managed, stack);
        // a payload whose length is no multiple of four, which is padded where headers are not compressed
        writer.event("Acme", 1, 3, 3, 5500, 0, vec![1, 2, 3]);
        writer.sample(7, 6000, Kind::Managed, stack);
        methods(&mut writer);
        check(
            &writer.finish(),
            &[("Thread (7)/M!T.a()/M!T.c()/?!?", (1000, 1000, 2, 2))],
            &[nameless_frames(333, NamelessCause::NativeCode)],
        );
    }
}

#[test]
fn time_jumps_back_where_another_thread_wrote() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    for (thread, times) in [
        (7, [1 << 40, (1 << 40) + 10, (1 << 40) + 30]),
        (8, [2000, 2500, 1 << 41]),
    ] {
        for time in times {
            writer.sample_by(thread, thread, time, Kind::Managed, stack);
        }
    }
    // and within a thread, behind the others
    writer.sample_by(9, 7, (1 << 40) + 15, Kind::External, stack);
    methods(&mut writer);
    let expect_8 = (1 << 41) - 2000;
    check(
        &writer.finish(),
        &[
            ("Thread (7)/M!T.a()", (15, 30, 4, 3)),
            ("Thread (8)/M!T.a()", (expect_8, expect_8, 3, 3)),
        ],
        &[],
    );
}

#[test]
fn stack_numbers_mean_other_stacks_behind_a_sequence_point() {
    let mut writer = Writer::new(Options::default());
    let before = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, before);
    writer.sequence_point();
    let after = writer.stack(&[2000]);
    assert_eq!(before, after);
    writer.sample(7, 6000, Kind::Managed, after);
    writer.flush();
    let further = writer.stack(&[3000]);
    writer.sample(7, 8000, Kind::Managed, after);
    writer.sample(7, 9000, Kind::Managed, further);
    // a number that no stack has any more
    writer.sequence_point();
    writer.sample(7, 9500, Kind::Managed, further);
    methods(&mut writer);
    check(
        &writer.finish(),
        &[
            ("Thread (7)", (0, 0, 1, 1)),
            ("Thread (7)/M!T.a()", (1000, 1000, 1, 1)),
            ("Thread (7)/M!T.b()", (3000, 3000, 2, 2)),
            ("Thread (7)/M!T.c()", (500, 500, 1, 1)),
        ],
        &[Anomaly::EventsWithoutStack.met(1)],
    );
}

#[test]
fn an_address_belongs_to_the_method_that_is_there_at_that_time() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000, 5050]);
    for (time, event, name) in [(5500, 143, "Old"), (6500, 144, "Old"), (7500, 143, "New")] {
        writer.method(
            RUNTIME,
            event,
            time,
            77,
            5000,
            100,
            ["T", name, "int32  (int32)"],
        );
    }
    writer.method(
        RUNDOWN,
        144,
        1 << 60,
        77,
        5000,
        100,
        ["T", "New", "int32  (int32)"],
    );
    sample(&mut writer, &[6000, 8000, 9000], stack);
    methods(&mut writer);
    check(
        &writer.finish(),
        &[
            ("Thread (7)/M!T.a()/M!T.Old(int32)", (2000, 2000, 1, 1)),
            ("Thread (7)/M!T.a()/M!T.New(int32)", (1000, 1000, 2, 2)),
        ],
        &[],
    );
}

/// The runtime's event about a method's end (142) or beginning (141) that has no names.
fn nameless(writer: &mut Writer, event: u32, time: u64, start: u64) {
    let payload = method_payload(77, start, 100, ["", "", ""])[..36].to_vec();
    writer.event(RUNTIME, event, 2, 2, time, 0, payload);
}

#[test]
fn names_win_over_events_without_names_in_any_order() {
    type Part = fn(&mut Writer);
    let rundown: Part = methods;
    let loads: Part = |writer| {
        for (start, name) in [(1000, "a"), (2000, "b"), (3000, "c")] {
            writer.method(RUNTIME, 143, 4000, 77, start, 100, ["T", name, "void  ()"]);
        }
        writer.rundown_module(77, "/app/M.dll");
    };
    let ends: Part = |writer| _ = [1000, 2000, 3000].map(|at| nameless(writer, 142, 9000, at));
    let begins: Part = |writer| _ = [1000, 2000, 3000].map(|at| nameless(writer, 141, 4000, at));
    let module_ends: Part = |writer| {
        let without_path = [77u64, 5, 0]
            .iter()
            .flat_map(|part| part.to_le_bytes())
            .chain([0; 6])
            .collect();
        writer.event(RUNTIME, 153, 2, 2, 9000, 0, without_path);
    };
    for parts in [
        [ends, rundown, module_ends],
        [rundown, module_ends, ends],
        [begins, ends, rundown],
        [rundown, begins, ends],
        [loads, ends, module_ends],
        [ends, module_ends, loads],
    ] {
        let mut writer = Writer::new(Options::default());
        let stack = writer.stack(&[1000, 2050, 3000]);
        sample(&mut writer, &[5000, 6000, 8000], stack);
        parts.iter().for_each(|part| part(&mut writer));
        check(
            &writer.finish(),
            &[("Thread (7)/M!T.a()/M!T.b()/M!T.c()", (3000, 3000, 3, 3))],
            &[],
        );
    }
}

#[test]
fn an_entry_point_names_the_code_whose_end_is_told() {
    let entry_point = |writer: &mut Writer, start: u64| {
        let mut payload = 9u64.to_le_bytes().to_vec();
        ["T", "b", "void  (int32)"]
            .iter()
            .for_each(|text| payload.extend(utf16z(text)));
        payload.extend(start.to_le_bytes());
        payload.extend([0; 2]);
        writer.event(RUNTIME, 159, 2, 2, 4500, 0, payload);
    };
    for is_first in [true, false] {
        let mut writer = Writer::new(Options::default());
        // nothing tells how long the method at 5000 is, so that 5050 stays without a name
        let stack = writer.stack(&[1000, 2050, 5050]);
        sample(&mut writer, &[5000, 6000], stack);
        writer.rundown_method(1000, 100, ["T", "a"]);
        writer.rundown_module(77, "/app/M.dll");
        if !is_first {
            nameless(&mut writer, 142, 9000, 2000);
        }
        for start in [2000, 5000] {
            entry_point(&mut writer, start);
        }
        if is_first {
            nameless(&mut writer, 142, 9000, 2000);
        }
        let profile = read(&writer.finish()).unwrap();
        let paths: Vec<String> = rows(&profile).into_keys().collect();
        assert_eq!(
            paths,
            ["Thread (7)/M!T.a()/M!T.b(int32)/?!?"],
            "entry points first: {is_first}"
        );
    }
}

#[test]
fn an_end_without_names_gets_none_of_another_method() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[2050]);
    sample(&mut writer, &[5000, 6000], stack);
    let mut payload = method_payload(77, 2000, 100, ["", "", ""])[..36].to_vec();
    payload[0] = 8;
    writer.event(RUNTIME, 142, 2, 2, 5500, 0, payload);
    methods(&mut writer);
    let profile = read(&writer.finish()).unwrap();
    let paths: Vec<String> = rows(&profile).into_keys().collect();
    assert_eq!(
        paths,
        ["Thread (7)/M!?", "Thread (7)/M!T.b()"],
        "the address was used again"
    );
}

#[test]
fn lost_events_are_counted() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    writer.lose_samples(3);
    writer.sample(7, 6000, Kind::Managed, stack);
    methods(&mut writer);
    // these show at the last sequence point only
    writer.lose_samples(1000);
    check(
        &writer.finish(),
        &[("Thread (7)/M!T.a()", (1000, 1000, 2, 2))],
        &[Anomaly::EventsDropped.met(1003)],
    );
}

#[test]
fn stacks_that_the_runtime_cut_are_counted() {
    let mut writer = Writer::new(Options::default());
    for (index, (root, depth)) in (0..).zip([(1000, 60), (1000, 100), (2000, 100), (3000, 100)]) {
        let stack = writer.stack(&[&[root][..], &vec![2000; depth - 1]].concat());
        writer.sample(7, 5000 + 10 * index, Kind::Managed, stack);
    }
    methods(&mut writer);
    let expect = StacksTruncated {
        limit_frames: 100,
        metric: None,
        total: 4,
        truncated: 2,
        repaired: 1,
        depth_uncertain: 1,
        is_repaired: true,
    };
    assert_eq!(
        read(&writer.finish()).unwrap().warnings(),
        [Diagnostic::StacksTruncated(expect)]
    );
}

/// Neither without names nor with names of what was compiled in the meantime is the one depth of threads that wait a limit.
#[test]
fn stacks_of_one_depth_are_not_cut() {
    for frames in [6u64, 7] {
        let mut writer = Writer::new(Options::default());
        let waits: Vec<u64> = (0..frames).map(|frame| 1000 * frame + 7).collect();
        let works: Vec<u64> = (0..frames - 1).map(|frame| 1000 * frame + 7).collect();
        let (waits, works) = (writer.stack(&waits), writer.stack(&works));
        for time in 0..400 {
            writer.sample(7, 5000 + time, Kind::External, waits);
            writer.sample(8, 5000 + time, Kind::External, waits);
            writer.sample(
                9,
                5000 + time,
                Kind::Managed,
                if frames == 7 { works } else { waits },
            );
        }
        let profile = read(&writer.finish()).unwrap();
        assert_eq!(profile.codes(), ["nameless-frames"], "{frames} frames");
        assert_eq!(profile.truncation, None, "{frames} frames");
    }
}

#[test]
fn a_file_without_samples_says_what_it_has() {
    let mut writer = Writer::new(Options::default());
    writer.event("Acme-Orders", 1, 3, 3, 5000, 0, vec![]);
    let stack = writer.stack(&[1000]);
    // an allocation is no sample
    writer.allocation(7, 5000, stack);
    writer.allocation(7, 6000, stack);
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(profile.tree.len(), 1);
    let no_samples = |providers: &[(&str, u64)]| {
        let providers = providers
            .iter()
            .map(|(name, count)| (name.to_string(), *count))
            .collect();
        Diagnostic::Trace(TraceDiagnostic::NoSamples {
            providers,
            more_providers: 0,
        })
    };
    assert_eq!(
        profile.warnings(),
        [no_samples(&[
            ("Microsoft-Windows-DotNETRuntime", 2),
            ("Acme-Orders", 1)
        ])]
    );
    let empty = read(&Writer::new(Options::default()).finish()).unwrap();
    assert_eq!(empty.warnings(), [no_samples(&[])]);
}

#[test]
fn events_that_nothing_describes_are_counted() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    // two events of kind 99, without a payload
    writer.block(
        "EventBlock",
        &[&[20, 0, 1, 0], &[0; 16][..], &[0x01, 99, 0], &[0, 0]].concat(),
    );
    methods(&mut writer);
    check(
        &writer.finish(),
        &[("Thread (7)/M!T.a()", (0, 0, 1, 1))],
        &[partly::EVENTS_UNDESCRIBED.met(2)],
    );
}

#[test]
fn blocks_of_kinds_that_came_later_are_passed_over() {
    let mut writer = Writer::new(Options::default());
    writer.block("FutureBlock", &[1, 2, 3]);
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    methods(&mut writer);
    check(
        &writer.finish(),
        &[("Thread (7)/M!T.a()", (0, 0, 1, 1))],
        &[],
    );
}

fn samples(profile: &View) -> u64 {
    let samples = profile.recording.metric_named("samples");
    samples.map_or(0, |samples| profile.tree.inclusive(samples, NodeId::ROOT))
}

/// Inclusive values of every path by a metric, as `Thread (1)/a/b`; only those that have any.
fn values(profile: &View, metric: &str) -> BTreeMap<String, u64> {
    let (metric, tree) = (self::metric(profile, metric), &profile.tree);
    tree.check().unwrap();
    let row = |node| (path(profile, node).join("/"), tree.inclusive(metric, node));
    let rows = tree.nodes().skip(1).map(row);
    rows.filter(|(_, value)| *value > 0).collect()
}

#[track_caller]
fn check_values(profile: &View, metric: &str, expect: &[(&str, u64)]) {
    assert_eq!(values(profile, metric), by_path(expect), "{metric}");
}

#[test]
fn allocated_bytes_are_shown_by_stack_and_by_type() {
    for pointer_bytes in [4, 8] {
        let mut writer = Writer::new(Options {
            pointer_bytes,
            ..Options::default()
        });
        let (a, ab) = (writer.stack(&[1000]), writer.stack(&[1000, 2000]));
        writer.sample(7, 5000, Kind::External, a);
        writer.tick(7, 5500, ab, 100_000, "System.String");
        writer.tick(7, 5600, ab, 5_000_000_000, "System.Byte[]");
        writer.tick(7, 5700, a, 30, "System.String");
        writer.sample(7, 6000, Kind::Managed, a);
        methods(&mut writer);
        let profile = read(&writer.finish()).unwrap();
        assert_eq!(
            metric_names(&profile),
            ["CPU", "wall", "samples", "allocated"]
        );
        check_values(
            &profile,
            "allocated",
            &[
                ("Thread (7)", 5_000_100_030),
                ("Thread (7)/M!T.a()", 5_000_100_030),
                ("Thread (7)/M!T.a()/[allocated] System.String", 30),
                ("Thread (7)/M!T.a()/M!T.b()", 5_000_100_000),
                (
                    "Thread (7)/M!T.a()/M!T.b()/[allocated] System.Byte[]",
                    5_000_000_000,
                ),
                (
                    "Thread (7)/M!T.a()/M!T.b()/[allocated] System.String",
                    100_000,
                ),
            ],
        );
        // only samples have time
        let expect = [("Thread (7)/M!T.a()", (0, 1000, 2, 1))];
        assert_eq!(rows(&profile), by_path(&expect));
        let cautions = cautions(&profile);
        let profile = profile.with_cautions(cautions);
        assert_eq!(profile.codes(), ["allocations-estimated"]);
        // what is estimated is marked, and nothing else
        let is_rough = |name: &str| {
            let metric = profile.recording.metric(metric(&profile, name));
            metric.is_rough(100_000, None)
        };
        assert!(is_rough("allocated") && !is_rough("CPU"));
        let alerts = |name: &str| {
            let measure = profile.measure(metric(&profile, name));
            measure.alerts(&profile).count()
        };
        assert_eq!((alerts("allocated"), alerts("CPU")), (1, 0));
        // types have bytes only, so that they are in no list of times
        let hot = |name: &str| -> BTreeSet<String> {
            let rows = hotspots(&profile, &[NodeId::ROOT], metric(&profile, name));
            let names = rows.iter().map(|row| profile.frames.name(row.frame));
            names.map(String::from).collect()
        };
        let methods = ["M!T.a()", "M!T.b()"].map(String::from);
        assert!(!hot("wall").iter().any(|name| name.starts_with('[')));
        let types = ["[allocated] System.Byte[]", "[allocated] System.String"].map(String::from);
        assert_eq!(hot("allocated"), methods.into_iter().chain(types).collect());
    }
}

#[test]
fn a_recording_of_allocations_alone_has_that_metric_alone() {
    let mut writer = Writer::new(Options::default());
    let a = writer.stack(&[1000]);
    writer.tick(7, 5500, a, 10, "");
    writer.tick(8, 5400, 0, 5, "T");
    methods(&mut writer);
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(metric_names(&profile), ["allocated"]);
    check_values(
        &profile,
        "allocated",
        &[
            ("Thread (7)", 10),
            ("Thread (7)/M!T.a()", 10),
            ("Thread (7)/M!T.a()/[allocated] ?", 10),
            ("Thread (8)", 5),
            ("Thread (8)/[allocated] T", 5),
        ],
    );
    assert_eq!(cautions(&profile)[0].code(), "allocations-estimated");
}

#[test]
fn exceptions_and_collections_are_told() {
    let mut writer = Writer::new(Options {
        ticks_per_second: 1_000_000,
        ..Options::default()
    });
    for name in ["System.A", "System.B", "System.B"] {
        let payload = [utf16z(name), utf16z("message"), vec![0; 16]].concat();
        writer.event(RUNTIME, 80, 7, 7, 5000, 0, payload);
    }
    for generation in [0, 1, 0] {
        let begun = [numbers(&[1, 1]), vec![0; 2]].concat();
        writer.event(RUNTIME, 9, 7, 7, 6000, 0, begun);
        writer.event(RUNTIME, 1, 7, 7, 6100, 0, numbers(&[1, generation, 0, 0]));
        writer.event(RUNTIME, 3, 7, 7, 8500, 0, vec![0; 2]);
    }
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(
        marker_lines(&profile),
        [
            (
                "garbage collections",
                "3: 2 of generation 0, 1 of generation 1".to_string()
            ),
            ("GC pauses", "3, 7.5 ms in total, longest 2.5 ms".into()),
            ("exceptions", "3: 2 System.B, 1 System.A".into()),
        ]
    );
}

/// Writers of version 6 number threads anew before each block of events, also in the middle of a pause.
#[test]
fn a_pause_is_of_a_thread_whatever_its_index() {
    let mut writer = Writer::new(Options {
        ticks_per_second: 1_000_000,
        ..machine()
    });
    let renumber = |writer: &mut Writer, threads: [(u64, u64); 2]| {
        forget_threads(writer);
        threads
            .into_iter()
            .for_each(|(index, thread)| writer.thread(index, 50, thread, ""));
    };
    renumber(&mut writer, [(1, 51), (2, 52)]);
    writer.event(RUNTIME, 9, 1, 1, 1000, 0, numbers(&[1, 1]));
    renumber(&mut writer, [(1, 52), (2, 51)]);
    // another thread's word is none about this pause
    writer.event(RUNTIME, 3, 1, 1, 1500, 0, vec![0; 2]);
    writer.event(RUNTIME, 3, 2, 2, 4000, 0, vec![0; 2]);
    let profile = read(&writer.finish()).unwrap();
    let pauses = "1, 3.0 ms in total, longest 3.0 ms".to_string();
    assert_eq!(marker_lines(&profile), [("GC pauses", pauses)]);
}

/// A sequence point that forgets all threads: a time, the flag, no threads.
fn forget_threads(writer: &mut Writer) {
    writer.flush();
    writer.block6(
        SEQUENCE_POINT,
        &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    );
}

fn machine() -> Options {
    Options {
        version: 6,
        process_id: 0,
        ..Options::default()
    }
}

#[test]
fn a_recording_of_several_processes_has_a_root_for_each() {
    for compressed in [true, false] {
        let profile = read(&small_universal_file(compressed)).unwrap();
        assert_eq!(metric_names(&profile), ["CPU", "samples", "off-CPU"]);
        let [shop, till] = ["Process (50) shop", "Process (60) till"];
        let worker = format!("{shop}/Thread (51) worker");
        let main = format!("{till}/Thread (60) main");
        // three samples each, of a millisecond each
        let expect = |unit: u64| {
            let paths = [
                shop.to_string(),
                worker.clone(),
                format!("{worker}/shop!?"),
                format!("{worker}/shop!?/shop!sell"),
                till.to_string(),
                main.clone(),
                format!("{main}/till!count"),
                format!("{main}/till!count/till!count"),
            ];
            paths.map(|path| (path, unit))
        };
        assert_eq!(values(&profile, "samples"), expect(3).into());
        assert_eq!(values(&profile, "CPU"), expect(3_000_000).into());
        let blocked = expect(300).into_iter().take(4).collect();
        assert_eq!(values(&profile, "off-CPU"), blocked);
        // nobody knows its name, but it is a method
        let frame = profile.frames.get(profile.frames.find("shop!?")[0]);
        assert_eq!(frame.kind, FrameKind::Method);
        assert_eq!(process_names(&profile), [(50, "shop"), (60, "till")]);
        let nodes = profile.processes.iter().map(|it| profile.name(it.node));
        assert_eq!(nodes.collect::<Vec<_>>(), [shop, till]);
        assert_eq!(thread_names(&profile), [("51", "worker"), ("60", "main")]);
        assert_eq!(fact(&profile, "processes"), "2");
        assert_eq!(
            profile.warnings(),
            [nameless_frames(250, NamelessCause::NoSymbols)]
        );
    }
}

#[test]
fn samples_have_time_only_if_the_file_says_for_how_long_they_stand() {
    let mut writer = Writer::new(Options {
        sample_nanoseconds: 0,
        ..machine()
    });
    writer.thread(1, 50, 51, "");
    writer.cpu(1, 5000, 3, 0);
    writer.cpu(1, 6000, 4, 0);
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(metric_names(&profile), ["samples"]);
    check_values(&profile, "samples", &[("Thread (51)", 7)]);
}

#[test]
fn methods_of_a_runtime_are_those_of_its_process() {
    let mut writer = Writer::new(machine());
    for index in [1, 2] {
        writer.thread(index, 50 + index, 50 + index, "");
        let name = format!("m{index}");
        let payload = method_payload(77, 5000, 100, ["T", &name, "void  ()"]);
        writer.event(RUNDOWN, 144, 0, index, 1 << 60, 0, payload);
        let stack = writer.stack(&[5050]);
        writer.cpu(index, 6000, 1, stack);
    }
    let profile = read(&writer.finish()).unwrap();
    check_values(
        &profile,
        "samples",
        &[
            ("Process (51)", 1),
            ("Process (51)/Thread (51) main", 1),
            ("Process (51)/Thread (51) main/ManagedModule!T.m1()", 1),
            ("Process (52)", 1),
            ("Process (52)/Thread (52) main", 1),
            ("Process (52)/Thread (52) main/ManagedModule!T.m2()", 1),
        ],
    );
    assert_eq!(profile.codes(), [""; 0]);
}

#[test]
fn an_index_means_another_thread_behind_a_point_that_forgets_threads() {
    let mut writer = Writer::new(machine());
    writer.thread(1, 50, 51, "");
    writer.cpu(1, 5000, 1, 0);
    forget_threads(&mut writer);
    writer.thread(1, 50, 52, "");
    writer.lose(0, 2);
    writer.cpu(1, 6000, 1, 0);
    writer.lose(0, 5);
    writer.cpu(1, 7000, 1, 0);
    writer.flush();
    // the thread 0 has sent as many as are here; then it sends two more that get lost
    writer.block6(REMOVED_THREADS, &[0, 12]);
    let profile = read(&writer.finish()).unwrap();
    check_values(
        &profile,
        "samples",
        &[("Thread (51)", 1), ("Thread (52)", 2)],
    );
    assert_eq!(profile.warnings()[0], Anomaly::EventsDropped.met(7));
}

#[test]
fn a_missing_rundown_is_told_in_every_version() {
    for version in [3, 4, 6] {
        let mut writer = Writer::new(Options {
            version,
            compressed: version != 3,
            ..Options::default()
        });
        if version == 6 {
            [1, 7]
                .into_iter()
                .for_each(|thread| writer.thread(thread, 4242, thread, ""));
        }
        let stack = writer.stack(&[1000]);
        writer.sample(7, 5000, Kind::Managed, stack);
        let expect = nameless_frames(1000, NamelessCause::NoRundown);
        check(
            &writer.finish(),
            &[("Thread (7)/?!?", (0, 0, 1, 1))],
            &[expect],
        );
    }
}

/// A recording of one process by its own runtime, in the framing of version 6.
#[test]
fn the_sampler_of_the_runtime_has_its_rule_in_version_6_too() {
    let mut writer = Writer::new(Options {
        version: 6,
        process_id: 7,
        ..Options::default()
    });
    for thread in [1, 2, 7] {
        writer.thread(thread, 7, thread, "");
    }
    let stack = writer.stack(&[1000]);
    sample(&mut writer, &[5000], stack);
    writer.sample(7, 6000, Kind::External, stack);
    writer.sample(7, 6500, Kind::External, stack);
    methods(&mut writer);
    check(
        &writer.finish(),
        &[("Thread (7) main/M!T.a()", (1000, 1500, 3, 1))],
        &[],
    );
}

/// However much of a file is there: what is there is read, and the longer it is the more. Every length of the beginning is tried,
/// and one of seven behind that. What the longest has in samples, and from how many bytes on there is a tree.
#[track_caller]
fn check_every_end(whole: &[u8]) -> (u64, usize) {
    let (mut before, mut first_tree) = (0, None);
    let behind = (200..whole.len()).step_by(7);
    for length in (0..200).chain(behind).chain([whole.len() - 1]) {
        match read(&whole[..length]) {
            Err(error) => {
                assert!(first_tree.is_none(), "{length} bytes: {error}");
                starts(error.to_string(), "a.nettrace: ");
            }
            Ok(profile) => {
                first_tree.get_or_insert(length);
                profile.tree.check().unwrap();
                let now = samples(&profile);
                assert!(now >= before, "{length} bytes have fewer samples");
                before = now;
                check_breaks_off(&profile, length);
            }
        }
    }
    (before, first_tree.expect("a tree"))
}

#[test]
fn version_6_may_end_anywhere() {
    for compressed in [true, false] {
        let (samples, first_tree) = check_every_end(&small_universal_file(compressed));
        // the header, and the block Trace: a word, a time, three numbers, their count, the texts
        assert!(first_tree <= 20 + 4 + 16 + 20 + 4 + 62, "{first_tree}");
        assert_eq!(samples, 6);
    }
}

#[test]
fn what_is_damaged_in_version_6_costs_only_itself() {
    let mut writer = Writer::new(machine());
    writer.thread(1, 50, 51, "");
    writer.cpu(1, 5000, 1, 0);
    writer.flush();
    let content = writer.written().len() + 4;
    // a row of two bytes, which lacks the number of a thread
    writer.block6(THREADS, &[2, 0, 5, 3]);
    // a kind that came later
    writer.block6(99, &[1, 2, 3]);
    writer.cpu(1, 6000, 1, 0);
    let bytes = writer.finish();
    let profile = read(&bytes).unwrap();
    check_values(&profile, "samples", &[("Thread (51)", 2)]);
    assert_eq!(
        profile.warnings()[0],
        blocks_damaged(1, "ThreadBlock", content)
    );
    // what comes first is no Trace
    let mut bytes = bytes.clone();
    bytes[20 + 3] = 5;
    let error = read(&bytes).unwrap_err().to_string();
    let sentence = "a.nettrace: dotnet-trace recording at byte 20 (0x14): expected the block Trace (kind 1), found the kind 5";
    assert_eq!(error, sentence);
}

#[test]
fn a_file_may_end_anywhere() {
    for (version, compressed) in [(4, true), (3, false)] {
        let whole = small_file_of(Options {
            version,
            compressed,
            ..Options::default()
        });
        assert_eq!(read(&whole).unwrap().codes(), [""; 0]);
        // the header, and the object Trace: three tags, three numbers, a name of 5 letters, a tag, the content, a tag
        let header = if version == 3 { 24 } else { 32 };
        let first_tree = header + 3 + 12 + 5 + 1 + 48 + 1;
        assert_eq!(check_every_end(&whole), (36, first_tree));
    }
}

/// That the file ends too early comes first, in a block or between two.
#[track_caller]
fn check_breaks_off(profile: &View, length: usize) {
    let warnings = profile.warnings();
    assert_eq!(warnings[0], BrokenOff::at(length as u64));
}

fn nameless_frames(permille: u64, cause: NamelessCause) -> Diagnostic {
    Diagnostic::Trace(TraceDiagnostic::NamelessFrames {
        permille,
        cause,
        nameless: None,
        frames: None,
    })
}

fn blocks_damaged(blocks: u64, first: &str, offset: usize) -> Diagnostic {
    let (first_block, first_offset_bytes) = (first.into(), offset as u64);
    Diagnostic::Trace(TraceDiagnostic::BlocksDamaged {
        blocks,
        first_block,
        first_offset_bytes,
    })
}

#[test]
fn what_is_damaged_costs_only_itself() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    writer.flush();
    // before the content: three tags, three numbers, the name of 10 letters, a tag, the size; then the padding
    let content = (writer.written().len() + 3 + 12 + 10 + 1 + 4).next_multiple_of(4);
    // a header, then an event that has no end
    writer.block(
        "EventBlock",
        &[&[20, 0, 1, 0], &[0; 16][..], &[0xff; 3]].concat(),
    );
    // a sample without a payload
    writer.event(SAMPLE_PROFILER, 0, 1, 7, 5500, stack, vec![]);
    writer.sample(7, 6000, Kind::Managed, stack);
    methods(&mut writer);
    let bytes = writer.finish();
    let damaged = blocks_damaged(2, "EventBlock", content + 20);
    check(
        &bytes,
        &[("Thread (7)/M!T.a()", (1000, 1000, 2, 2))],
        &[damaged],
    );
}

#[test]
fn what_follows_damage_of_the_framing_is_left_out() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    methods(&mut writer);
    writer.flush();
    let good = writer.written().to_vec();
    let bytes = [&good, &[9u8; 50][..]].concat();
    let problem = "expected the start of an object (the byte 5) or the end (1), found 9";
    let damaged = BrokenOff::damaged(good.len() as u64, problem);
    check(&bytes, &[("Thread (7)/M!T.a()", (0, 0, 1, 1))], &[damaged]);
    // without samples before, there is nothing to keep
    let start = Writer::new(Options::default()).written().to_vec();
    let error = read(&[&start, &[9u8; 50][..]].concat())
        .unwrap_err()
        .to_string();
    let sentence = "a.nettrace: dotnet-trace recording at byte 102 (0x66): expected the start of an object (the byte 5) or \
                    the end (1), found 9";
    assert_eq!(error, sentence);
    // a size that no block has
    let mut writer = Writer::new(Options::default());
    let size = writer.written().len() + 3 + 12 + 10 + 1;
    writer.block("EventBlock", &[]);
    let mut bytes = writer.finish();
    bytes[size..size + 4].fill(0xff);
    let error = read(&bytes).unwrap_err().to_string();
    has(
        &error,
        "expected the size of the block EventBlock, found 4294967295 bytes",
    );
}

/// Few bytes that ask for many nodes are refused before they fill the memory.
#[test]
fn a_small_file_can_not_ask_for_a_huge_tree() {
    let mut writer = Writer::new(Options::default());
    let deep: Vec<u64> = (0..20_000).collect();
    let stack = writer.stack(&deep);
    for thread in 0..500 {
        writer.sample(1000 + thread, 5000, Kind::Managed, stack);
    }
    // every address has a method of its own
    for address in 0..20_000 {
        writer.rundown_method(address, 1, ["T", &address.to_string()]);
    }
    let error = read(&writer.finish()).unwrap_err().to_string();
    has(&error, "expected fewer nodes");
}

/// The name of a mapped file stands before each of its symbols: 2,000 of them must not make 120 MB of 60 kB.
#[test]
fn the_name_of_a_file_is_not_repeated_at_any_length() {
    let mut writer = Writer::new(machine());
    writer.thread(1, 50, 51, "");
    let mapping = writer.mapping(1, 0, 0, 100_000, &format!("/lib/{}", "x".repeat(60_000)));
    for address in 0..2000 {
        writer.symbol(1, mapping, address, address, &format!("f{address}"));
    }
    let stack = writer.stack(&(0..2000).collect::<Vec<u64>>());
    writer.cpu(1, 5000, 1, stack);
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(profile.tree.len(), 2002);
    let bytes: usize = profile
        .frames
        .iter()
        .map(|(id, _)| profile.frames.name(id).len())
        .sum();
    assert!(bytes < 2000 * 1100, "{bytes} bytes of names");
    assert!(
        profile.name(NodeId(2001)).ends_with("x!f1999"),
        "the end of a name is the symbol"
    );
}

#[test]
fn a_deep_stack_is_read() {
    let mut writer = Writer::new(Options::default());
    let deep: Vec<u64> = std::iter::repeat_n(1000, 100_000).collect();
    let stack = writer.stack(&deep);
    writer.sample(7, 5000, Kind::Managed, stack);
    methods(&mut writer);
    let profile = read(&writer.finish()).unwrap();
    assert_eq!(profile.tree.len(), 100_002);
}

/// Every round puts another method under the innermost frame. Within the limit (1,048,576 frames and two for each byte)
/// the whole stack is looked up again; after that, samples keep the names that they have.
#[test]
fn a_huge_stack_whose_code_keeps_changing_is_not_looked_up_without_end() {
    const DEPTH: usize = 1_000_000;
    let mut writer = Writer::new(Options {
        pointer_bytes: 4,
        ..Options::default()
    });
    let deep: Vec<u64> = std::iter::repeat_n(1000, DEPTH - 1).chain([5000]).collect();
    let stack = writer.stack(&deep);
    for round in 0..50 {
        writer.method(
            RUNTIME,
            143,
            5000 + round * 10,
            77,
            5000,
            9,
            ["T", &format!("New{round}"), "void  ()"],
        );
        writer.sample(7, 5001 + round * 10, Kind::Managed, stack);
    }
    methods(&mut writer);
    let bytes = writer.finish();
    let profile = read(&bytes).unwrap();
    // the first sample makes the stack's place, of which every further one that is looked up adds a leaf
    let again = ((1 << 20) + 2 * bytes.len()) / DEPTH;
    assert_eq!(again, 9, "{} bytes", bytes.len());
    assert_eq!(profile.tree.len(), 2 + DEPTH + again);
    assert_eq!(samples(&profile), 50);
    let outdated = 49 - again;
    assert_eq!(
        profile.warnings()[0],
        Anomaly::SamplesOutdated.met(outdated as u64)
    );
}

/// Warnings go into reports that people pass on: neither the recording's folder nor those of its modules belong there.
#[test]
fn no_warning_has_a_path() {
    let whole = small_file(true);
    let mut kinds = 0;
    for length in (0..=whole.len()).step_by(7) {
        // also with damage behind, and with a block's content changed
        let mut changed = whole[..length].to_vec();
        changed
            .iter_mut()
            .skip(200)
            .step_by(97)
            .for_each(|byte| *byte ^= 0x10);
        for bytes in [
            whole[..length].to_vec(),
            [&whole[..length], &[9; 50]].concat(),
            changed,
        ] {
            let folder = tempfile::Builder::new()
                .prefix("payroll-")
                .tempdir()
                .unwrap();
            let path = folder.path().join("bonus.nettrace");
            std::fs::write(&path, &bytes).unwrap();
            let Ok(profile) = open_file(&path) else {
                continue;
            };
            for warning in profile.warnings().iter().map(Diagnostic::to_string) {
                kinds += 1;
                for part in ["payroll", "bonus", "/app", "M.dll"] {
                    assert!(!warning.contains(part), "{length} bytes: {warning}");
                }
            }
        }
    }
    assert!(kinds > 100, "only {kinds} warnings were looked at");
}

#[test]
fn reading_stops_when_it_is_asked_to() {
    let progress = Progress::default();
    progress.cancel();
    let stream = Box::new(Cursor::new(small_file(true)));
    let input = Input::stream("a.nettrace", stream, progress).unwrap();
    assert_eq!(
        import(input).map(Recording::into_view).unwrap_err(),
        ImportError::Cancelled
    );
}

#[test]
fn what_is_no_recording_is_refused_by_a_sentence() {
    let v6 = Writer::new(Options {
        version: 6,
        ..Options::default()
    })
    .finish();
    let v7 = [b"Nettrace".as_slice(), &[0; 4], &[7, 0, 0, 0], &[0; 40]].concat();
    let old = |version: u8| {
        let start = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01";
        [
            start.as_slice(),
            &[version, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0],
            b"Trace\x06",
            &[0; 48],
        ]
        .concat()
    };
    let mut newer = Writer::new(Options::default()).finish();
    newer[32 + 3 + 4] = 8;
    let mut other_object = Writer::new(Options::default()).finish();
    other_object[32 + 3 + 12] = b'X';
    let mut pointers = Writer::new(Options::default()).finish();
    pointers[32 + 21 + 32] = 5;
    let whole = small_file(true);
    let advice =
        "record with `dotnet-trace collect`, which writes version 4 for every .NET since Core 3.0";
    let refused = |what: &str| {
        format!(
            ": dotnet-trace recording: is version {what}; dotspot reads versions 3, 4 and 6; {advice}"
        )
    };
    let cut = |at: usize| {
        format!(
            ": dotnet-trace recording at byte {at} ({at:#x}): ends within its header, but a recording was expected; \
             dotnet-trace was stopped too early: record again and let it finish"
        )
    };
    let cases: &[(&str, &[u8], String)] = &[
        ("a.nettrace", &v7, refused("7 (newer than this program)")),
        ("a.netperf", &old(2), refused("2 (.netperf, from .NET Core 2.0)")),
        ("a.nettrace", &newer, refused("8 (newer than this program)")),
        (
            "a.nettrace",
            b"",
            ": dotnet-trace recording: is empty, but a recording was expected; dotnet-trace was stopped before it \
             wrote anything: record again and let it finish"
                .into(),
        ),
        ("a.nettrace", &whole[..5], cut(5)),
        ("a.nettrace", &whole[..20], cut(20)),
        ("a.nettrace", &whole[..60], cut(60)),
        ("a.nettrace", &v6[..12], cut(12)),
        (
            "a.nettrace",
            b"NettraceX 1234567890 1234567890 1234567890",
            ": dotnet-trace recording at byte 8 (0x8): expected the text `!FastSerialization.1`, found something else; \
             the file is damaged"
                .into(),
        ),
        (
            "a.nettrace",
            &other_object,
            ": dotnet-trace recording at byte 32 (0x20): expected the object Trace, found Xrace".into(),
        ),
        (
            "a.nettrace",
            &pointers,
            ": dotnet-trace recording at byte 53 (0x35): expected a pointer size of 4 or 8, found 5".into(),
        ),
    ];
    for (name, bytes, expect) in cases {
        let error = read_file(name, bytes).unwrap_err().to_string();
        assert!(
            error.ends_with(&format!("{name}{expect}")),
            "{error}\nand expected\n{expect}"
        );
    }
    // what is something else altogether is not taken for a recording
    for bytes in [
        b"hello".as_slice(),
        b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x01\0\0\0\0\0\0\0\x0bGCHeapDump",
    ] {
        let error = read_file("a.gcdump", bytes).unwrap_err().to_string();
        assert!(error.contains("not a profile dotspot knows"), "{error}");
    }
    let empty = read_file("a.gcdump", b"").unwrap_err().to_string();
    assert!(empty.contains("a.gcdump: is empty"), "{empty}");
}

#[test]
fn a_recording_is_recognized_by_its_first_bytes() {
    for (name, bytes, expect) in [
        (
            "a",
            b"Nettrace\x14\0\0\0".as_slice(),
            Some(Confidence::Certain),
        ),
        ("", b"Nettrace", Some(Confidence::Certain)),
        ("a.nettrace", b"", Some(Confidence::Name)),
        ("A.NETTRACE", b"Nett", Some(Confidence::Name)),
        ("a", b"Nett", None),
        (
            "a",
            b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x03\0\0\0\0\0\0\0\x05\0\0\0Trace\x06",
            Some(Confidence::Certain),
        ),
        ("a.netperf", b"", Some(Confidence::Name)),
        ("a.netperf", b"\x14\0\0\0!Fast", Some(Confidence::Name)),
        ("a.netperf", b"Nett", None),
        ("a.nettrace", b"\x1f\x8b\x08", None),
    ] {
        let head = Head { bytes, name };
        let found = detect(&head)
            .filter(|format| format.name == "nettrace")
            .and_then(|format| (format.sniff)(&head));
        assert_eq!(found, expect, "{name} {bytes:?}");
    }
}

/// A thread's samples: the time since the one before, what it did, the methods on its stack from the outermost on.
type ThreadSamples = Vec<(u64, bool, Vec<usize>)>;

fn any_threads() -> impl Strategy<Value = Vec<ThreadSamples>> {
    let sample = (
        0u64..100_000,
        any::<bool>(),
        prop::collection::vec(0usize..4, 0..6),
    );
    prop::collection::vec(prop::collection::vec(sample, 0..12), 0..5)
}

/// The tree of samples by the rule, as it would be done by hand: each lasts until its thread's next one.
fn by_hand(threads: &[ThreadSamples], nanoseconds_per_tick: u64) -> BTreeMap<String, Values> {
    let mut rows = BTreeMap::new();
    for (index, samples) in threads.iter().enumerate() {
        for (position, (_, is_managed, stack)) in samples.iter().enumerate() {
            let mut path = format!("Thread ({})", 100 + index);
            stack
                .iter()
                .for_each(|method| path.push_str(&format!("/M!T.m{method}()")));
            let row: &mut Values = rows.entry(path).or_default();
            let time = samples
                .get(position + 1)
                .map_or(0, |(gap, ..)| gap * nanoseconds_per_tick);
            row.0 += if *is_managed { time } else { 0 };
            row.1 += time;
            row.2 += 1;
            row.3 += u64::from(*is_managed);
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_by_the_rule(
        threads in any_threads(),
        (version, compressed) in prop::sample::select(vec![(4, true), (4, false), (3, false)]),
        pointer_bytes in prop::sample::select(vec![4usize, 8]),
        nanoseconds_per_tick in prop::sample::select(vec![1u64, 100, 1_000_000]),
        breaks in prop::collection::vec(0u8..8, 60),
    ) {
        let ticks_per_second = 1_000_000_000 / nanoseconds_per_tick;
        let mut writer = Writer::new(Options { version, compressed, pointer_bytes, ticks_per_second, ..Options::default() });
        let mut breaks = breaks.into_iter();
        // thread by thread, so that time jumps back in the file
        for (index, samples) in threads.iter().enumerate() {
            let mut time = 2000;
            for (gap, is_managed, stack) in samples {
                time += gap;
                match breaks.next() {
                    Some(0) => writer.flush(),
                    Some(1) => writer.sequence_point(),
                    _ => {}
                }
                let addresses: Vec<u64> = stack.iter().map(|&method| 10_000 + 100 * method as u64 + 7).collect();
                let stack = writer.stack(&addresses);
                writer.sample(100 + index as u64, time, if *is_managed { Kind::Managed } else { Kind::External }, stack);
            }
        }
        for method in 0..4u64 {
            writer.rundown_method(10_000 + 100 * method, 100, ["T", &format!("m{method}")]);
        }
        writer.rundown_module(77, "/app/M.dll");
        let profile = read(&writer.finish()).unwrap();
        prop_assert_eq!(rows(&profile), by_hand(&threads, nanoseconds_per_tick));
    }
}

/// One thread that is seen every millisecond: so often in managed code, so often outside of it; and allocates at the end.
fn seen(managed: u64, external: u64) -> View {
    let mut writer = Writer::new(Options::default());
    writer.rundown_method(0x1000, 0x100, ["Shop", "Run"]);
    let stack = writer.stack(&[0x1010]);
    for at in 0..managed + external {
        let kind = [Kind::External, Kind::Managed][usize::from(at < managed)];
        writer.sample(7, 1000 * (at + 1), kind, stack);
    }
    writer.allocation(7, 1000 * (managed + external) + 1500, stack);
    read(&writer.finish()).unwrap()
}

#[test]
fn cpu_time_of_hardly_any_sample_is_not_shown_first() {
    let thin = |view: &View| -> Vec<Diagnostic> {
        let mut all = view.diagnostics.clone();
        all.retain(|diagnostic| diagnostic.code() == "thin-cpu");
        all
    };
    for (managed, external, is_thin) in [
        (3, 918, true),
        (2, 40, true),
        (24, 241, true),
        // not less than a tenth of the others
        (24, 240, false),
        (25, 918, false),
        // what was never seen to run has no CPU time to be misled by
        (0, 918, false),
    ] {
        let view = seen(managed, external);
        let all_samples = managed + external;
        let expect = TraceDiagnostic::ThinCpu {
            samples: managed,
            all_samples,
        };
        let expect = is_thin.then_some(Diagnostic::Trace(expect));
        assert_eq!(thin(&view), Vec::from_iter(expect), "{managed} {external}");
        let is_wall = is_thin || managed == 0;
        let first = if is_wall { "wall" } else { "CPU" };
        assert_eq!(default_metric(&view), first, "{managed} {external}");
    }
}
