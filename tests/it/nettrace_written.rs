//! Synthetic `.nettrace` recordings: cases without a real file, and damage.

use crate::common::dotnet_trace::metric;
use crate::common::nettrace_writer::{
    Kind, Options, REMOVED_THREADS, RUNDOWN, RUNTIME, SAMPLE_PROFILER, SEQUENCE_POINT, THREADS,
    Writer, method_payload, methods, small_file, small_file_of, small_universal_file, utf16z,
};
use crate::common::profiles::{
    check_tree, default_metric, fact, metric_names, open_file, path, process_names, read_bytes,
    thread_names,
};
use crate::common::text::{assert_contains, assert_ends_with, assert_starts_with};
use dotspot::testing::analysis::{cautions, hotspots};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use dotspot::testing::importers::{detect, import};
use dotspot::testing::input::{Confidence, Head, ImportError, Input, Progress};
use dotspot::testing::model::{CountKind, NodeId, Recording, View};
use dotspot::testing::names::FrameKind;
use dotspot::testing::query::marker_lines;
use dotspot::testing::units::Unit;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("a.nettrace", bytes.to_vec())
}

/// Reads bytes as a file with a name, where the name matters.
fn read_file(name: &str, bytes: &[u8]) -> Result<View, ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    open_file(&path)
}

/// Adds samples of a thread in managed code.
fn sample(writer: &mut Writer, times: &[u64], stack: u32) {
    for &time in times {
        writer.sample(7, time, Kind::Managed, stack);
    }
}

fn by_path<T: Copy>(expect: &[(&str, T)]) -> BTreeMap<String, T> {
    let rows = expect.iter();
    rows.map(|(path, values)| (path.to_string(), *values))
        .collect()
}

/// Exclusive values of a node: CPU and wall time in nanoseconds, samples, samples in managed code.
type Values = (u64, u64, u64, u64);

/// All paths with exclusive values, such as `Thread (1)/a/b`.
fn rows(profile: &View) -> BTreeMap<String, Values> {
    let [cpu, wall, samples] = ["CPU", "wall", "samples"].map(|name| metric(profile, name));
    let tree = &profile.tree;
    check_tree(profile);
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
            "both counts of samples are equal"
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
fn metrics_threads_and_frames_have_their_names() {
    let mut writer = Writer::new(Options {
        process_id: 8,
        ..Options::default()
    });
    let pool_worker = "System.Threading.PortableThreadPool+WorkerThread";
    writer.rundown_method(4000, 10, [pool_worker, "WorkerThreadStart"]);
    let (pool, unknown) = (writer.stack(&[2000, 4000]), writer.stack(&[1]));
    writer.sample(9, 5000, Kind::External, pool);
    writer.sample(8, 4000, Kind::External, unknown);
    writer.sample(9, 6000, Kind::External, pool);
    methods(&mut writer);
    writer.process("dotnet a.dll");
    let profile = read(&writer.finish()).unwrap();
    let metrics = profile.recording.metrics.iter();
    let metrics: Vec<_> = metrics.map(|m| (&*m.name, m.unit, m.counts)).collect();
    let samples = Some(CountKind::Samples);
    let expect = [
        ("CPU", Unit::Milliseconds, samples),
        ("wall", Unit::Milliseconds, samples),
        ("samples", Unit::Count, None),
    ];
    assert_eq!(metrics, expect);
    assert_eq!(default_metric(&profile), "wall", "no CPU time is recorded");
    assert_eq!(profile.name(NodeId::ROOT), "All threads");
    // in file order
    assert_eq!(thread_names(&profile), [("9", ".NET pool"), ("8", "main")]);
    for (name, kind) in [
        ("Thread (8) main", FrameKind::Thread),
        ("M!T.b()", FrameKind::Method),
        ("?!?", FrameKind::Special),
    ] {
        let frame = profile.frames.find(name)[0];
        assert_eq!(profile.frames.get(frame).kind, kind, "{name}");
    }
    assert_eq!(fact(&profile, "command line"), "dotnet a.dll");
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
    // within a thread as well
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
fn an_address_is_resolved_to_the_method_there_at_that_time() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000, 5050]);
    for (time, event, name) in [(5500, 143, "Old"), (6500, 144, "Old"), (7500, 143, "New")] {
        writer.method(event, time, 5000, ["T", name, "int32  (int32)"]);
    }
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

/// An event about a method's end (142) or start (141), without names.
fn unnamed(writer: &mut Writer, event: u32, time: u64, start: u64) {
    let payload = method_payload(start, 100, ["", "", ""])[..36].to_vec();
    writer.event(RUNTIME, event, 2, 2, time, 0, payload);
}

#[test]
fn named_events_take_precedence_in_any_order() {
    type Part = fn(&mut Writer);
    let rundown: Part = methods;
    let loads: Part = |writer| {
        for (start, name) in [(1000, "a"), (2000, "b"), (3000, "c")] {
            writer.method(143, 4000, start, ["T", name, "void  ()"]);
        }
        writer.rundown_module(77, "/app/M.dll");
    };
    let ends: Part = |writer| _ = [1000, 2000, 3000].map(|at| unnamed(writer, 142, 9000, at));
    let begins: Part = |writer| _ = [1000, 2000, 3000].map(|at| unnamed(writer, 141, 4000, at));
    let module_ends: Part = |writer| {
        let without_path = [77, 5, 0].map(u64::to_le_bytes).concat();
        let without_path = [without_path, vec![0; 6]].concat();
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
fn an_entry_point_names_code_of_known_length() {
    for is_first in [true, false] {
        let mut writer = Writer::new(Options::default());
        // the length of the method at 5000 is unknown, so 5050 has no name
        let stack = writer.stack(&[1000, 2050, 5050]);
        sample(&mut writer, &[5000, 6000], stack);
        writer.rundown_method(1000, 100, ["T", "a"]);
        writer.rundown_module(77, "/app/M.dll");
        if !is_first {
            unnamed(&mut writer, 142, 9000, 2000);
        }
        for start in [2000u64, 5000] {
            let names = ["T", "b", "void  (int32)"].map(utf16z).concat();
            let (id, start) = (9u64.to_le_bytes(), start.to_le_bytes());
            let payload = [&id[..], &names, &start, &[0; 2]].concat();
            writer.event(RUNTIME, 159, 2, 2, 4500, 0, payload);
        }
        if is_first {
            unnamed(&mut writer, 142, 9000, 2000);
        }
        let profile = read(&writer.finish()).unwrap();
        let paths: Vec<String> = rows(&profile).into_keys().collect();
        assert_eq!(paths, ["Thread (7)/M!T.a()/M!T.b(int32)/?!?"], "{is_first}");
    }
}

#[test]
fn an_unnamed_end_does_not_take_another_methods_name() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[2050]);
    sample(&mut writer, &[5000, 6000], stack);
    let mut payload = method_payload(2000, 100, ["", "", ""])[..36].to_vec();
    payload[0] = 8;
    writer.event(RUNTIME, 142, 2, 2, 5500, 0, payload);
    methods(&mut writer);
    let profile = read(&writer.finish()).unwrap();
    let paths: Vec<String> = rows(&profile).into_keys().collect();
    // the address was reused
    assert_eq!(paths, ["Thread (7)/M!?", "Thread (7)/M!T.b()"]);
}

/// Waiting threads that all have one depth do not indicate a limit, with or without names.
#[test]
fn stacks_of_one_depth_are_not_truncated() {
    for frames in [6u64, 7] {
        let mut writer = Writer::new(Options::default());
        let stack = |frames: u64| {
            (0..frames)
                .map(|frame| 1000 * frame + 7)
                .collect::<Vec<_>>()
        };
        let (waits, works) = (
            writer.stack(&stack(frames)),
            writer.stack(&stack(frames - 1)),
        );
        let works = if frames == 7 { works } else { waits };
        for time in 5000..5400 {
            writer.sample(7, time, Kind::External, waits);
            writer.sample(8, time, Kind::External, waits);
            writer.sample(9, time, Kind::Managed, works);
        }
        let profile = read(&writer.finish()).unwrap();
        assert_eq!(profile.codes(), ["nameless-frames"], "{frames} frames");
        assert_eq!(profile.truncation, None, "{frames} frames");
    }
}

#[test]
fn a_file_without_samples_reports_its_events() {
    let mut writer = Writer::new(Options::default());
    writer.event("Acme-Orders", 1, 3, 3, 5000, 0, vec![]);
    let stack = writer.stack(&[1000]);
    // an allocation is not a sample
    writer.allocation(7, 5000, stack);
    writer.allocation(7, 6000, stack);
    let empty = Writer::new(Options::default());
    let event = |name: &str, count| (name.to_string(), count);
    for (writer, providers) in [
        (writer, vec![event(RUNTIME, 2), event("Acme-Orders", 1)]),
        (empty, vec![]),
    ] {
        let profile = read(&writer.finish()).unwrap();
        assert_eq!(profile.tree.len(), 1);
        let expect = Diagnostic::NoSamples {
            providers,
            more_providers: 0,
        };
        assert_eq!(profile.warnings(), [expect]);
    }
}

#[test]
fn lost_and_undescribed_events_are_counted() {
    let mut writer = Writer::new(Options::default());
    writer.block("FutureBlock", &[1, 2, 3]);
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    // the sampler is thread 1
    writer.lose(1, 3);
    writer.sample(7, 6000, Kind::Managed, stack);
    // two events of kind 99, without a payload
    let events = [&[20, 0, 1, 0], &[0; 16][..], &[0x01, 99, 0], &[0, 0]];
    writer.block("EventBlock", &events.concat());
    methods(&mut writer);
    // a stack that was discarded
    writer.sequence_point();
    writer.sample(7, 7000, Kind::Managed, stack);
    // these are only detected at the last sequence point
    writer.lose(1, 1000);
    check(
        &writer.finish(),
        &[
            ("Thread (7)", (0, 0, 1, 1)),
            ("Thread (7)/M!T.a()", (2000, 2000, 2, 2)),
        ],
        &[
            partly::EVENTS_UNDESCRIBED.with_count(2),
            Anomaly::EventsDropped.with_count(1003),
            Anomaly::EventsWithoutStack.with_count(1),
        ],
    );
}

fn samples(profile: &View) -> u64 {
    let samples = profile.recording.metric_named("samples");
    samples.map_or(0, |samples| profile.tree.inclusive(samples, NodeId::ROOT))
}

/// Checks the inclusive values of all paths that have one.
#[track_caller]
fn check_values(profile: &View, name: &str, expect: &[(&str, u64)]) {
    let (metric, tree) = (metric(profile, name), &profile.tree);
    check_tree(profile);
    let row = |node| (path(profile, node).join("/"), tree.inclusive(metric, node));
    let rows = tree.nodes().skip(1).map(row);
    let found: BTreeMap<_, _> = rows.filter(|(_, value)| *value > 0).collect();
    assert_eq!(found, by_path(expect), "{name}");
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
        let metrics = ["CPU", "wall", "samples", "allocated"];
        assert_eq!(metric_names(&profile), metrics);
        let a = "Thread (7)/M!T.a()";
        check_values(
            &profile,
            "allocated",
            &[
                ("Thread (7)", 5_000_100_030),
                (a, 5_000_100_030),
                (&format!("{a}/[allocated] System.String"), 30),
                (&format!("{a}/M!T.b()"), 5_000_100_000),
                (
                    &format!("{a}/M!T.b()/[allocated] System.Byte[]"),
                    5_000_000_000,
                ),
                (&format!("{a}/M!T.b()/[allocated] System.String"), 100_000),
            ],
        );
        // only samples have time
        assert_eq!(rows(&profile), by_path(&[(a, (0, 1000, 2, 1))]));
        let cautions = cautions(&profile);
        let profile = profile.with_cautions(cautions);
        assert_eq!(profile.codes(), ["allocations-estimated"]);
        // only estimated metrics are marked
        let marks = ["allocated", "CPU"].map(|name| {
            let metric = metric(&profile, name);
            let is_rough = profile.recording.metric(metric).is_rough(100_000, None);
            (is_rough, profile.measure(metric).alerts(&profile).count())
        });
        assert_eq!(marks, [(true, 1), (false, 0)]);
        // types have bytes only, so lists of times omit them
        let types = ["wall", "allocated"].map(|name| {
            let rows = hotspots(&profile, &[NodeId::ROOT], metric(&profile, name));
            let names = rows.iter().map(|row| profile.frames.name(row.frame));
            names.filter(|name| name.starts_with("[allocated]")).count()
        });
        assert_eq!(types, [0, 2]);
    }
}

#[test]
fn a_recording_of_nothing_but_allocations_has_only_that_metric() {
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

/// Version 6 may renumber threads before each block of events, even during a pause.
#[test]
fn a_pause_belongs_to_a_thread_whatever_its_index() {
    let mut writer = Writer::new(Options {
        ticks_per_second: 1_000_000,
        ..machine()
    });
    let renumber = |writer: &mut Writer, threads: [(u64, u64); 2]| {
        discard_threads(writer);
        threads
            .into_iter()
            .for_each(|(index, thread)| writer.thread(index, 50, thread, ""));
    };
    renumber(&mut writer, [(1, 51), (2, 52)]);
    writer.event(RUNTIME, 9, 1, 1, 1000, 0, vec![1, 0, 0, 0, 1, 0, 0, 0]);
    renumber(&mut writer, [(1, 52), (2, 51)]);
    // another thread's event does not end this pause
    writer.event(RUNTIME, 3, 1, 1, 1500, 0, vec![0; 2]);
    writer.event(RUNTIME, 3, 2, 2, 4000, 0, vec![0; 2]);
    let profile = read(&writer.finish()).unwrap();
    let pauses = "1, 3.0 ms in total, longest 3.0 ms".to_string();
    assert_eq!(marker_lines(&profile), [("GC pauses", pauses)]);
}

/// A sequence point that discards all threads: a time, the flag, no threads.
fn discard_threads(writer: &mut Writer) {
    writer.flush();
    writer.block6(SEQUENCE_POINT, &[0, 1].map(u64::to_le_bytes).concat());
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
        // three samples each, of a millisecond each
        let paths = [
            "Process (50) shop",
            "Process (50) shop/Thread (51) worker",
            "Process (50) shop/Thread (51) worker/shop!?",
            "Process (50) shop/Thread (51) worker/shop!?/shop!sell",
            "Process (60) till",
            "Process (60) till/Thread (60) main",
            "Process (60) till/Thread (60) main/till!count",
            "Process (60) till/Thread (60) main/till!count/till!count",
        ];
        check_values(&profile, "samples", &paths.map(|path| (path, 3)));
        check_values(&profile, "CPU", &paths.map(|path| (path, 3_000_000)));
        check_values(&profile, "off-CPU", &paths.map(|path| (path, 300))[..4]);
        // unknown by name, but a method
        let frame = profile.frames.get(profile.frames.find("shop!?")[0]);
        assert_eq!(frame.kind, FrameKind::Method);
        assert_eq!(process_names(&profile), [(50, "shop"), (60, "till")]);
        assert_eq!(thread_names(&profile), [("51", "worker"), ("60", "main")]);
        assert_eq!(fact(&profile, "processes"), "2");
        let nameless = nameless_frames(250, NamelessCause::NoSymbols);
        assert_eq!(profile.warnings(), [nameless]);
    }
}

#[test]
fn samples_have_time_only_if_the_file_gives_their_interval() {
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
fn methods_belong_to_their_runtimes_process() {
    let mut writer = Writer::new(machine());
    for index in [1, 2] {
        writer.thread(index, 50 + index, 50 + index, "");
        let name = format!("m{index}");
        let payload = method_payload(5000, 100, ["T", &name, "void  ()"]);
        writer.event(RUNDOWN, 144, 0, index, 1 << 60, 0, payload);
        let stack = writer.stack(&[5050]);
        writer.cpu(index, 6000, 1, stack);
    }
    let profile = read(&writer.finish()).unwrap();
    let paths = [
        "Process (51)",
        "Process (51)/Thread (51) main",
        "Process (51)/Thread (51) main/ManagedModule!T.m1()",
        "Process (52)",
        "Process (52)/Thread (52) main",
        "Process (52)/Thread (52) main/ManagedModule!T.m2()",
    ];
    check_values(&profile, "samples", &paths.map(|path| (path, 1)));
    assert_eq!(profile.codes(), [""; 0]);
}

#[test]
fn a_sequence_point_that_discards_threads_resets_their_indexes() {
    let mut writer = Writer::new(machine());
    writer.thread(1, 50, 51, "");
    writer.cpu(1, 5000, 1, 0);
    discard_threads(&mut writer);
    writer.thread(1, 50, 52, "");
    writer.lose(0, 2);
    writer.cpu(1, 6000, 1, 0);
    writer.lose(0, 5);
    writer.cpu(1, 7000, 1, 0);
    writer.flush();
    // thread 0 has sent as many events as there are here; then two more are lost
    writer.block6(REMOVED_THREADS, &[0, 12]);
    let profile = read(&writer.finish()).unwrap();
    let threads = [("Thread (51)", 1), ("Thread (52)", 2)];
    check_values(&profile, "samples", &threads);
    assert_eq!(profile.warnings()[0], Anomaly::EventsDropped.with_count(7));
}

/// Version 6 framing follows the same rule for the runtime's sampler.
#[test]
fn unnamed_frames_have_a_cause_in_every_version() {
    for version in [3, 4, 6] {
        for has_rundown in [false, true] {
            let mut writer = Writer::new(Options {
                version,
                compressed: version != 3,
                process_id: 6,
                ..Options::default()
            });
            for thread in [1, 2, 7] {
                writer.thread(thread, 6, thread, "");
            }
            let stack = writer.stack(&[1000, 5000]);
            sample(&mut writer, &[5000], stack);
            writer.sample(7, 6000, Kind::External, stack);
            writer.sample(7, 6500, Kind::External, stack);
            let (method, permille, cause) = if has_rundown {
                methods(&mut writer);
                ("M!T.a()", 500, NamelessCause::NativeCode)
            } else {
                ("?!?", 1000, NamelessCause::NoRundown)
            };
            check(
                &writer.finish(),
                &[(&format!("Thread (7)/{method}/?!?"), (1000, 1500, 3, 1))],
                &[nameless_frames(permille, cause)],
            );
        }
    }
}

/// A longer prefix never has fewer samples. Returns the samples of the longest, and the length of the shortest that gives a tree.
#[track_caller]
fn check_every_end(complete: &[u8]) -> (u64, usize) {
    let (mut before, mut first_tree) = (0, None);
    let later = (200..complete.len()).step_by(7);
    for length in (0..200).chain(later).chain([complete.len() - 1]) {
        match read(&complete[..length]) {
            Err(error) => {
                assert!(first_tree.is_none(), "{length} bytes: {error}");
                assert_starts_with(error.to_string(), "a.nettrace: ");
            }
            Ok(profile) => {
                first_tree.get_or_insert(length);
                check_tree(&profile);
                let now = samples(&profile);
                assert!(now >= before, "fewer samples in {length} bytes");
                before = now;
                assert_eq!(
                    profile.warnings()[0],
                    Diagnostic::file_ends_at(length as u64)
                );
            }
        }
    }
    (before, first_tree.expect("a tree"))
}

#[test]
fn damage_in_version_6_only_affects_itself() {
    let mut writer = Writer::new(machine());
    writer.thread(1, 50, 51, "");
    writer.cpu(1, 5000, 1, 0);
    writer.flush();
    let content = writer.written().len() + 4;
    // a row of two bytes, which lacks the thread's number
    writer.block6(THREADS, &[2, 0, 5, 3]);
    // an unknown, later kind of block
    writer.block6(99, &[1, 2, 3]);
    writer.cpu(1, 6000, 1, 0);
    let bytes = writer.finish();
    let profile = read(&bytes).unwrap();
    check_values(&profile, "samples", &[("Thread (51)", 2)]);
    let damaged = blocks_damaged(1, "ThreadBlock", content);
    assert_eq!(profile.warnings()[0], damaged);
    // the first object is not a Trace
    let mut bytes = bytes.clone();
    bytes[20 + 3] = 5;
    let error = read(&bytes).unwrap_err().to_string();
    let sentence = "a.nettrace: dotnet-trace recording at byte 20 (0x14): expected the block Trace (kind 1), found the kind 5";
    assert_eq!(error, sentence);
}

#[test]
fn a_file_may_be_truncated_anywhere() {
    for (version, compressed) in [(4, true), (3, false)] {
        let complete = small_file_of(Options {
            version,
            compressed,
            ..Options::default()
        });
        assert_eq!(read(&complete).unwrap().codes(), [""; 0]);
        // the header, and the object Trace: three tags, three numbers, a name of 5 letters, a tag, the content, a tag
        let header = if version == 3 { 24 } else { 32 };
        let first_tree = header + 3 + 12 + 5 + 1 + 48 + 1;
        assert_eq!(check_every_end(&complete), (36, first_tree));
    }
    for compressed in [true, false] {
        let (samples, first_tree) = check_every_end(&small_universal_file(compressed));
        // the header, and the block Trace: a word, a time, three numbers, the number of texts, the texts
        assert!(first_tree <= 20 + 4 + 16 + 20 + 4 + 62, "{first_tree}");
        assert_eq!(samples, 6);
    }
}

fn nameless_frames(permille: u64, cause: NamelessCause) -> Diagnostic {
    Diagnostic::NamelessFrames {
        permille,
        cause,
        nameless: None,
        frames: None,
    }
}

fn blocks_damaged(blocks: u64, first: &str, offset: usize) -> Diagnostic {
    let (first_block, first_offset_bytes) = (first.into(), offset as u64);
    Diagnostic::BlocksDamaged {
        blocks,
        first_block,
        first_offset_bytes,
    }
}

#[test]
fn damage_only_affects_itself() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    writer.flush();
    // before the content: three tags, three numbers, the name of 10 letters, a tag, the size; then the padding
    let content = (writer.written().len() + 3 + 12 + 10 + 1 + 4).next_multiple_of(4);
    // a header, then an event without an end
    let event = [&[20, 0, 1, 0], &[0; 16][..], &[0xff; 3]];
    writer.block("EventBlock", &event.concat());
    // a sample without a payload
    writer.event(SAMPLE_PROFILER, 0, 1, 7, 5500, stack, vec![]);
    writer.sample(7, 6000, Kind::Managed, stack);
    methods(&mut writer);
    let expect = [("Thread (7)/M!T.a()", (1000, 1000, 2, 2))];
    let damaged = blocks_damaged(2, "EventBlock", content + 20);
    check(&writer.finish(), &expect, &[damaged]);
}

#[test]
fn data_after_damaged_framing_is_omitted() {
    let mut writer = Writer::new(Options::default());
    let stack = writer.stack(&[1000]);
    writer.sample(7, 5000, Kind::Managed, stack);
    methods(&mut writer);
    writer.flush();
    let good = writer.written().to_vec();
    let bytes = [&good, &[9u8; 50][..]].concat();
    let problem = "expected the start of an object (the byte 5) or the end (1), found 9";
    let damaged = Diagnostic::unreadable_from(good.len() as u64, problem);
    check(&bytes, &[("Thread (7)/M!T.a()", (0, 0, 1, 1))], &[damaged]);
    // without earlier samples, there is nothing to keep
    let start = Writer::new(Options::default()).written().to_vec();
    let error = read(&[&start, &[9u8; 50][..]].concat());
    let sentence = format!("a.nettrace: dotnet-trace recording at byte 102 (0x66): {problem}");
    assert_eq!(error.unwrap_err().to_string(), sentence);
    // an impossible block size
    let mut writer = Writer::new(Options::default());
    let size = writer.written().len() + 3 + 12 + 10 + 1;
    writer.block("EventBlock", &[]);
    let mut bytes = writer.finish();
    bytes[size..size + 4].fill(0xff);
    let error = read(&bytes).unwrap_err().to_string();
    assert_contains(
        &error,
        "expected the size of the block EventBlock, found 4294967295 bytes",
    );
}

/// Few bytes that would expand to many nodes are refused before they fill the memory.
#[test]
fn a_small_file_cannot_expand_to_a_huge_tree() {
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
    assert_contains(&error, "expected fewer nodes");
}

/// A mapped file's name precedes each of its symbols: 2,000 of them must not turn 60 kB into 120 MB.
#[test]
fn long_file_names_are_not_repeated_in_symbols() {
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
    let ids = profile.frames.iter().map(|(id, _)| id);
    let bytes: usize = ids.map(|id| profile.frames.name(id).len()).sum();
    assert!(bytes < 2000 * 1100, "{bytes} bytes of names");
    let last = profile.name(NodeId(2001));
    assert!(last.ends_with("x!f1999"), "the end is the symbol");
}

/// Every round puts another method at the innermost address. Within the limit (1,048,576 frames and two per byte) the whole stack is
/// resolved again; beyond it, samples keep their earlier names.
#[test]
fn a_huge_stack_of_changing_code_is_not_resolved_forever() {
    const DEPTH: usize = 250_000;
    let mut writer = Writer::new(Options {
        pointer_bytes: 4,
        ..Options::default()
    });
    let deep: Vec<u64> = std::iter::repeat_n(1000, DEPTH - 1).chain([5000]).collect();
    let stack = writer.stack(&deep);
    for round in 0..50 {
        let time = 5000 + round * 10;
        writer.method(143, time, 5000, ["T", &format!("New{round}"), "void  ()"]);
        writer.sample(7, time + 1, Kind::Managed, stack);
    }
    methods(&mut writer);
    let bytes = writer.finish();
    let profile = read(&bytes).unwrap();
    // the first sample creates the stack's nodes; each further one that is resolved adds a leaf
    let again = ((1 << 20) + 2 * bytes.len()) / DEPTH;
    assert_eq!(again, 12, "{} bytes", bytes.len());
    assert_eq!(profile.tree.len(), 2 + DEPTH + again);
    assert_eq!(samples(&profile), 50);
    let outdated = Anomaly::SamplesOutdated.with_count(49 - again as u64);
    assert_eq!(profile.warnings()[0], outdated);
}

/// Warnings end up in shared reports: they contain neither the recording's folder nor those of its modules.
#[test]
fn warnings_contain_no_paths() {
    let (complete, mut count) = (small_file(true), 0);
    for length in (0..=complete.len()).step_by(7) {
        let mut changed = complete[..length].to_vec();
        let later = changed.iter_mut().skip(200).step_by(97);
        later.for_each(|byte| *byte ^= 0x10);
        for bytes in [
            &complete[..length],
            &[&complete[..length], &[9; 50]].concat(),
            &changed,
        ] {
            let folder = tempfile::Builder::new().prefix("payroll-").tempdir();
            let path = folder.as_ref().unwrap().path().join("bonus.nettrace");
            std::fs::write(&path, bytes).unwrap();
            let Ok(profile) = open_file(&path) else {
                continue;
            };
            for warning in profile.warnings().iter().map(Diagnostic::to_string) {
                count += 1;
                let private = ["payroll", "bonus", "/app", "M.dll"];
                let is_contained = private.iter().any(|part| warning.contains(part));
                assert!(!is_contained, "{length} bytes: {warning}");
            }
        }
    }
    assert!(count > 100, "only {count} warnings");
}

#[test]
fn reading_can_be_cancelled() {
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
fn files_that_are_not_recordings_are_refused_with_a_message() {
    let v6 = Writer::new(machine()).finish();
    let v7 = [&b"Nettrace\0\0\0\0\x07\0\0\0"[..], &[0; 40]].concat();
    let start = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x02\0\0\0\0\0\0\0\x05\0\0\0Trace\x06";
    let old = [&start[..], &[0; 48]].concat();
    let changed = |at: usize, byte: u8| {
        let mut bytes = Writer::new(Options::default()).finish();
        bytes[at] = byte;
        bytes
    };
    let (newer, other_object) = (changed(32 + 3 + 4, 8), changed(32 + 3 + 12, b'X'));
    let pointers = changed(32 + 21 + 32, 5);
    let complete = small_file(true);
    let version = |version: &str| {
        format!(
            ": is version {version}; dotspot reads versions 3, 4 and 6; record with `dotnet-trace collect`, \
             which writes version 4 for every .NET since Core 3.0"
        )
    };
    let ends_at = |at: usize| {
        format!(
            " at byte {at} ({at:#x}): ends within its header, but a recording was expected; dotnet-trace was \
             stopped too early: record again and let it finish"
        )
    };
    let empty = ": is empty, but a recording was expected; dotnet-trace was stopped before it wrote anything: \
                 record again and let it finish";
    let damaged = " at byte 8 (0x8): expected the text `!FastSerialization.1`, found something else; the file is damaged";
    let other = " at byte 32 (0x20): expected the object Trace, found Xrace";
    let odd_pointer_size = " at byte 53 (0x35): expected a pointer size of 4 or 8, found 5";
    for (name, bytes, expect) in [
        ("a.nettrace", &v7[..], version("7")),
        ("a.netperf", &old, version("2")),
        ("a.nettrace", &newer, version("8")),
        ("a.nettrace", b"", empty.into()),
        ("a.nettrace", &complete[..5], ends_at(5)),
        ("a.nettrace", &complete[..20], ends_at(20)),
        ("a.nettrace", &complete[..60], ends_at(60)),
        ("a.nettrace", &v6[..12], ends_at(12)),
        (
            "a.nettrace",
            b"NettraceX 1234567890 1234567890 1234567890",
            damaged.into(),
        ),
        ("a.nettrace", &other_object, other.into()),
        ("a.nettrace", &pointers, odd_pointer_size.into()),
    ] {
        let error = read_file(name, bytes).unwrap_err().to_string();
        assert_ends_with(error, format!("{name}: dotnet-trace recording{expect}"));
    }
    // unrelated files are not taken for recordings
    let heap = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x01\0\0\0\0\0\0\0\x0bGCHeapDump";
    for bytes in [&b"hello"[..], heap] {
        let error = read_file("a.gcdump", bytes).unwrap_err().to_string();
        assert_contains(error, "not a profile dotspot can read");
    }
    let empty = read_file("a.gcdump", b"").unwrap_err().to_string();
    assert_contains(empty, "a.gcdump: is empty");
}

#[test]
fn a_recording_is_recognized_by_its_first_bytes() {
    let (certain, named) = (Some(Confidence::Certain), Some(Confidence::Name));
    let old = b"\x14\0\0\0!FastSerialization.1\x04\x04\x01\x03\0\0\0\0\0\0\0\x05\0\0\0Trace\x06";
    for (name, bytes, expect) in [
        ("a", &b"Nettrace\x14\0\0\0"[..], certain),
        ("", b"Nettrace", certain),
        ("a", old, certain),
        ("a.nettrace", b"", named),
        ("A.NETTRACE", b"Nett", named),
        ("a.netperf", b"", named),
        ("a.netperf", b"\x14\0\0\0!Fast", named),
        ("a", b"Nett", None),
        ("a.netperf", b"Nett", None),
        ("a.nettrace", b"\x1f\x8b\x08", None),
    ] {
        let head = Head { bytes, name };
        let format = detect(&head).filter(|format| format.name == "nettrace");
        let found = format.and_then(|format| (format.sniff)(&head));
        assert_eq!(found, expect, "{name} {bytes:?}");
    }
}

/// A thread's samples: the time since the previous one, the thread's state, and the methods on its stack, outermost first.
type ThreadSamples = Vec<(u64, bool, Vec<usize>)>;

fn any_threads() -> impl Strategy<Value = Vec<ThreadSamples>> {
    let sample = (
        0u64..100_000,
        any::<bool>(),
        prop::collection::vec(0usize..4, 0..6),
    );
    prop::collection::vec(prop::collection::vec(sample, 0..12), 0..5)
}

/// The expected tree, calculated simply: each sample lasts until its thread's next one.
fn expected_tree(threads: &[ThreadSamples], nanoseconds_per_tick: u64) -> BTreeMap<String, Values> {
    let mut rows = BTreeMap::new();
    for (index, samples) in threads.iter().enumerate() {
        for (position, (_, is_managed, stack)) in samples.iter().enumerate() {
            let mut path = format!("Thread ({})", 100 + index);
            stack
                .iter()
                .for_each(|method| path.push_str(&format!("/M!T.m{method}()")));
            let row: &mut Values = rows.entry(path).or_default();
            let next = samples.get(position + 1);
            let time = next.map_or(0, |(gap, ..)| gap * nanoseconds_per_tick);
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
    fn random_recordings_have_the_expected_tree(
        threads in any_threads(),
        (version, compressed) in prop::sample::select(vec![(4, true), (4, false), (3, false)]),
        pointer_bytes in prop::sample::select(vec![4usize, 8]),
        nanoseconds_per_tick in prop::sample::select(vec![1u64, 100, 1_000_000]),
        breaks in prop::collection::vec(0u8..8, 60),
    ) {
        let ticks_per_second = 1_000_000_000 / nanoseconds_per_tick;
        let mut writer = Writer::new(Options { version, compressed, pointer_bytes, ticks_per_second, ..Options::default() });
        let mut breaks = breaks.into_iter();
        // thread by thread, so time jumps back in the file
        for (index, samples) in threads.iter().enumerate() {
            let mut time = 2000;
            for (gap, is_managed, stack) in samples {
                time += gap;
                match breaks.next() {
                    Some(0) => writer.flush(),
                    Some(1) => writer.sequence_point(),
                    // not a multiple of four, so it is padded where headers are not compressed
                    Some(2) => writer.event("Acme", 1, 3, 3, time, 0, vec![1, 2, 3]),
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
        prop_assert_eq!(rows(&profile), expected_tree(&threads, nanoseconds_per_tick));
    }
}

/// One thread with the given numbers of samples in managed and external code, and an allocation at the end.
fn with_samples(managed: u64, external: u64) -> View {
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
fn cpu_time_of_very_few_samples_is_not_the_default() {
    let thin = |view: &View| -> Vec<Diagnostic> {
        let mut all = view.diagnostics.clone();
        all.retain(|diagnostic| diagnostic.code() == "thin-cpu");
        all
    };
    for (managed, external, is_thin) in [
        (3, 918, true),
        (2, 40, true),
        (24, 241, true),
        // no fewer than a tenth of the others
        (24, 240, false),
        (25, 918, false),
        // a thread never seen running has no misleading CPU time
        (0, 918, false),
    ] {
        let view = with_samples(managed, external);
        let all_samples = managed + external;
        let expect = Diagnostic::ThinCpu {
            samples: managed,
            all_samples,
        };
        let expect = is_thin.then_some(expect);
        assert_eq!(thin(&view), Vec::from_iter(expect), "{managed} {external}");
        let is_wall = is_thin || managed == 0;
        let first = if is_wall { "wall" } else { "CPU" };
        assert_eq!(default_metric(&view), first, "{managed} {external}");
    }
}
