//! Firefox Profiler files: sums over the tables of real files, small handmade files, and exports.

use crate::common::profiles::{
    by_name, default_metric, dump, metric_names, names_behind, process_names, read_bytes,
    read_file, read_text, thread_names,
};
use crate::common::run::SAMPLE;
use crate::common::shared;
use crate::common::text::{assert_contains_all, assert_ends_with};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use dotspot::testing::exporters::{EXPORTERS, Part};
use dotspot::testing::model::{
    Marker, MarkerKind, MetricId, NodeId, TimeRange, TreeForm, UntimedReason, View,
};
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, LibraryInfo, Profile,
    ReferenceTimestamp, SamplingInterval, Timestamp,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Two functions of one library have addresses for names. According to a Python program, they are on the stacks of 6
/// samples of each thread, and innermost in 4 of them.
#[test]
fn real_files_have_threads_libraries_and_source_locations() {
    let profile = read_file(&present!(shared("firefox/processed-1.json")));
    let threads = [("", "GeckoMain"), ("", "Compositor"), ("", "Content")];
    assert_eq!(thread_names(&profile), threads);
    let libraries = ["firefox!?", "firefox!?", "firefox-webcontent!?"];
    for (thread, library) in profile.threads.iter().zip(libraries) {
        let sums = by_name(&profile, MetricId(0), thread.node);
        assert_eq!(sums[library], (4_000_000, 6_000_000));
    }
    let profile = read_file(&present!(shared("firefox/processed-3.json")));
    let nameless = Diagnostic::NamelessFrames {
        permille: 462,
        cause: NamelessCause::NotSymbolicated,
        nameless: Some(25),
        frames: Some(54),
    };
    assert_eq!(profile.warnings(), [nameless]);
    // string and source tables shared by all threads
    let profile = read_file(&present!(shared("firefox/argument-values.json")));
    assert_eq!(thread_names(&profile), [("2503164", "GeckoMain")]);
    let foo = profile.frames.find("foo")[0];
    assert_ends_with(profile.frames.location(foo), ":19");
    let events = profile.recording.markers.events.iter();
    let events: Vec<_> = events.map(|event| (&*event.name, event.count)).collect();
    assert_eq!(events.len(), 9);
    assert!(events.contains(&("DOMEvent", 2)), "{events:?}");
}

/// A thread with two functions: `main` calls `work` in a library, which calls itself.
const TABLES: &str = r#""stackTable":{"length":3,"prefix":[null,0,1],"frame":[0,1,1]},
    "frameTable":{"length":2,"func":[0,1],"line":[7,null]},
    "funcTable":{"length":2,"name":[0,2],"resource":[-1,0],"fileName":[1,null],"lineNumber":[5,null]},
    "resourceTable":{"length":1,"lib":[0],"name":[3]},
    "stringArray":["main","/src/main.cs","work","libwork.so"]"#;

/// A profile of one thread with these samples, at an interval of 2 ms.
fn profile_of(meta: &str, samples: &str) -> String {
    format!(
        r#"{{"meta":{{"interval":2,"preprocessedProfileVersion":55{meta}}},"libs":[{{"name":"libwork.so"}}],
        "threads":[{{"name":"T","tid":"9","pid":"7",{TABLES},"samples":{samples}}}]}}"#
    )
}

#[test]
fn samples_are_multiplied_by_weight_and_interval() {
    let samples = r#"{"length":4,"stack":[1,2,null,0],"time":[0,2,4.000001,6],"weight":[1,3,1,0]}"#;
    let profile = read_text(&profile_of("", samples));
    assert_eq!(metric_names(&profile), ["time"]);
    let expect = [
        "1 thread Thread (9) T 10000000/2000000 x4",
        "2 main 8000000/0 x3",
        "3 libwork.so!work 8000000/2000000 x2",
        "4 libwork.so!work 6000000/6000000 x1",
    ];
    assert_eq!(dump(&profile), expect);
    let main = profile.frames.find("main")[0];
    assert_eq!(profile.frames.location(main), "/src/main.cs:5");
    assert_eq!(profile.warnings(), []);
    // time deltas become times
    let deltas = samples.replace(
        r#""time":[0,2,4.000001,6]"#,
        r#""timeDeltas":[0,2,2.000001,1.999999]"#,
    );
    let of_deltas = read_text(&profile_of("", &deltas));
    assert_eq!(of_deltas.recording.samples, profile.recording.samples);
}

#[test]
fn cpu_time_splits_samples_into_running_and_waiting() {
    let units = r#","sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"µs"}"#;
    // 2 ms each: 0.5 ms running until the second sample, then only waiting, then 3 ms running, more than the interval. CPU
    // time after the last sample is unknown, and the first delta has no previous sample.
    let samples =
        r#"{"length":4,"stack":[0,1,0,0],"time":[5,7,9,11],"threadCPUDelta":[700,500,0,3000]}"#;
    let profile = read_text(&profile_of(units, samples));
    assert_eq!(metric_names(&profile), ["wall", "CPU"]);
    let expect = [
        "1 thread Thread (9) T 8000000/0 x4 3500000/0 x2",
        "2 main 8000000/6000000 x4 3500000/3500000 x2",
        "3 libwork.so!work 2000000/2000000 x1 0/0 x0",
    ];
    assert_eq!(dump(&profile), expect);
    let nanoseconds = profile_of(&units.replace("µs", "ns"), samples);
    let main = |text: &str| dump(&read_text(text))[1].clone();
    assert_eq!(main(&nanoseconds), "2 main 8000000/6000000 x4 3500/3500 x2");
    // CPU cycles are not times, and values without a unit have no meaning
    let cycles = profile_of(&units.replace("µs", "variable CPU cycles"), samples);
    assert_eq!(metric_names(&read_text(&cycles)), ["time"]);
    assert_eq!(metric_names(&read_text(&profile_of("", samples))), ["time"]);
}

#[test]
fn weights_may_be_times_or_bytes() {
    for (kind, metric, line) in [
        ("tracing-ms", "time", "2 main 1500000/1500000 x2"),
        ("bytes", "bytes", "2 main 1/1 x2"),
        ("samples", "time", "2 main 3000000/3000000 x2"),
    ] {
        let samples =
            format!(r#"{{"stack":[0,1],"time":[0,2],"weight":[1.5,-4],"weightType":"{kind}"}}"#);
        let profile = read_text(&profile_of("", &samples));
        assert_eq!(profile.warnings(), [Anomaly::ValuesNegative.with_count(1)]);
        assert_eq!(
            (metric_names(&profile)[0], &*dump(&profile)[1]),
            (metric, line)
        );
    }
}

#[test]
fn samples_are_placed_at_the_time_they_were_taken() {
    let samples = r#"{"stack":[0,1,0],"time":[1005,1007,1009]}"#;
    for (meta, to_ns, expect) in [
        ("", 4_000_000, &[0, 2_000_000][..]),
        // zero is the start of the recording, if the file contains it
        (r#","profilingStartTime":1004"#, 2_000_000, &[1_000_000]),
    ] {
        let profile = read_text(&profile_of(meta, samples));
        let table = profile.recording.samples.clone().unwrap();
        let (mut found, range) = (Vec::new(), TimeRange { from_ns: 0, to_ns });
        table.for_each_in(range, false, |sample| {
            assert_eq!(sample.value, 2_000_000);
            found.push(sample.start_ns)
        });
        assert_eq!(found, expect);
    }
    let timeless = read_text(&profile_of("", r#"{"stack":[0,1]}"#));
    let reason = timeless.recording.samples.clone().err();
    assert_eq!(reason, Some(UntimedReason::NotAll));
    assert_eq!(dump(&timeless)[1], "2 main 4000000/2000000 x2");
}

#[test]
fn tables_may_be_shared_and_follow_the_threads() {
    let own = profile_of("", r#"{"stack":[1,2],"time":[0,2]}"#);
    let tables = format!("{TABLES},");
    let shared = own.replace(&tables, "");
    let shared = format!(
        r#"{},"shared":{{{TABLES},"sources":{{"length":1,"filename":[1]}}}}}}"#,
        shared.strip_suffix('}').unwrap()
    );
    assert_eq!(dump(&read_text(&shared)), dump(&read_text(&own)));
    let sources = shared.replace(r#""fileName":[1,null]"#, r#""source":[0,null]"#);
    let profile = read_text(&sources);
    let main = profile.frames.find("main")[0];
    assert_eq!(profile.frames.location(main), "/src/main.cs:5");
}

#[test]
fn several_processes_are_shown_above_threads() {
    let thread = |name: &str, tid: u32, pid: &str| {
        format!(
            r#"{{"name":"{name}","tid":{tid},"pid":{pid},"processName":"P{tid}",{TABLES},"samples":{{"stack":[0],"time":[0]}}}}"#
        )
    };
    let threads = [
        thread("A", 1, "7"),
        thread("B", 2, "\"7\""),
        thread("C", 3, "\"8.1\""),
    ];
    let text = format!(
        r#"{{"meta":{{"interval":1}},"threads":[{}]}}"#,
        threads.join(",")
    );
    let profile = read_bytes("a.profile.json", text.into()).unwrap();
    assert_eq!(process_names(&profile), [(7, "P1"), (0, "P3")]);
    let expect = [
        "1 process Process (7) P1 2000000/0 x2",
        "2 thread Thread (1) A 1000000/0 x1",
        "1 process Process (8.1) P3 1000000/0 x1",
    ];
    let found = dump(&profile);
    assert_eq!([0, 1, 5].map(|row| &*found[row]), expect);
}

#[test]
fn markers_of_gc_and_dotspot_are_read_and_others_counted() {
    let markers = r#"{"length":6,"name":[4,5,4,6,4,4],"startTime":[2,3,null,4,5,6],"endTime":[3.5,null,9,4,null,8],
        "phase":[1,0,3,0,2,1],"category":[0,0,0,0,0,0],
        "data":[{"type":"GCMajor","timings":{"reason":"x"}},null,null,
        {"type":"exceptions","cause":{"time":4,"stack":1},"of_type":"System.Boom","message":"no \u0041"},null,
        {"type":"contention","lock":"native","duration_ns":2.5,"other":[1]}]}"#;
    let text = profile_of("", r#"{"stack":[0],"time":[1]}"#)
        .replace(
            r#""libwork.so"]"#,
            r#""libwork.so","GCMajor","Reflow","Exception"]"#,
        )
        .replace(
            r#""name":"T","#,
            &format!(r#""name":"T","markers":{markers},"#),
        );
    let profile = read_text(&text);
    let markers: Vec<Marker> = profile.recording.markers.iter().collect();
    let times = |it: &Marker| (it.kind(), it.time_ns(), it.duration_ns(), it.thread());
    let found: Vec<_> = markers.iter().map(times).collect();
    let expect = [
        (MarkerKind::Collection, 1_000_000, Some(1_500_000), Some(0)),
        (MarkerKind::Exception, 3_000_000, Some(0), Some(0)),
        (MarkerKind::Collection, 4_000_000, None, Some(0)),
        (MarkerKind::Contention, 5_000_000, Some(2_000_000), Some(0)),
    ];
    assert_eq!(found, expect);
    for (marker, field, expect) in [
        (1, "message", "no A"),
        (1, "type", "System.Boom"),
        (3, "lock", "native"),
        (3, "duration_ns", "2.5"),
    ] {
        let found = markers[marker].field(field).unwrap().to_string();
        assert_eq!(found, expect, "{field}");
    }
    let stack = markers[1].stack(TreeForm::Original).unwrap();
    assert_eq!(profile.name(NodeId(stack.0)), "libwork.so!work");
    let unread = profile.recording.markers.events.iter();
    let unread = unread.filter(|event| !event.is_read);
    let unread: Vec<_> = unread.map(|event| (&*event.name, event.count)).collect();
    assert_eq!(unread, [("Reflow", 1), ("GCMajor", 1)]);
}

/// Missing rows, and stacks that precede their callers.
#[test]
fn invalid_indexes_are_reported() {
    let samples = r#"{"stack":[0,9,2],"time":[0,2]}"#;
    let text = profile_of("", samples)
        .replace(r#""prefix":[null,0,1]"#, r#""prefix":[null,0,2]"#)
        .replace(r#""func":[0,1]"#, r#""func":[0,5]"#);
    let profile = read_text(&text);
    let expect = [
        "1 thread Thread (9) T 6000000/2000000 x3",
        "2 special [No name] 2000000/2000000 x1",
        "2 main 2000000/2000000 x1",
    ];
    assert_eq!(dump(&profile), expect);
    let expect = [
        partly::SAMPLES_OF_UNKNOWN_STACKS.with_count(1),
        partly::STACKS_OF_UNKNOWN_CALLERS.with_count(1),
        partly::STACKS_OF_UNKNOWN_FRAMES.with_count(1),
        partly::SAMPLES_WITHOUT_TIME.with_count(1),
    ];
    assert_eq!(profile.warnings(), expect);
    let empty =
        read_text(r#"{"meta":{"preprocessedProfileVersion":40,"interval":1},"threads":[]}"#);
    assert_eq!(empty.warnings(), [Diagnostic::NoFirefoxSamples {}]);
}

/// A file truncated in a column has the samples for which all columns are complete.
#[test]
fn a_truncated_file_opens_with_its_complete_samples() {
    let samples = r#"{"stack":[0,1,0],"time":[5,7,9],"weight":[1,1,1]}"#;
    let text = profile_of("", samples);
    let end = text.find(r#","weight":[1,"#).unwrap() + r#","weight":[1,"#.len();
    let profile = read_bytes("a.json", text.as_bytes()[..end].to_vec()).unwrap();
    assert_eq!(dump(&profile)[1], "2 main 2000000/2000000 x1");
    let warning = Diagnostic::file_ends_at(end as u64);
    assert_eq!(profile.warnings(), [warning]);
}

/// The second thread is truncated before its times. The first keeps its own.
#[test]
fn a_truncated_file_keeps_the_times_of_complete_threads() {
    let full = profile_of("", r#"{"stack":[0,1],"time":[0,2]}"#);
    let second =
        format!(r#",{{"name":"U","tid":"10","pid":"7",{TABLES},"samples":{{"stack":[1,1,"#);
    let text = format!("{}{second}", full.strip_suffix("]}").unwrap());
    let profile = read_text(&text);
    let samples = profile.recording.samples.as_ref().unwrap();
    // its last sample is at 2 ms
    assert_eq!(samples.span_ns, 2_000_000);
    assert_eq!(dump(&profile)[1], "2 main 4000000/2000000 x2");
}

/// Functions come from the thread's own tables, or from shared ones if it has none. Libraries may be nameless.
#[test]
fn functions_come_from_the_threads_own_tables() {
    let samples = r#""samples":{"stack":[2],"time":[0]}"#;
    let others = TABLES.replace("main", "other").replace("work", "elsewhere");
    let text = format!(
        r#"{{"meta":{{"interval":2,"preprocessedProfileVersion":55}},"libs":[{{"path":"/a"}},{{"name":"libwork.so"}}],
        "threads":[{{"name":"T",{TABLES},{samples}}},{{"name":"U",{samples}}}],"shared":{{{others}}}}}"#
    );
    let text = text.replace(r#""lib":[0]"#, r#""lib":[1]"#);
    let profile = read_text(&text);
    let names = names_behind(&profile, 1).join(" ");
    assert_contains_all(names, &["elsewhere", "libwork.so!work", "main", "other"]);
}

#[test]
fn files_that_are_not_processed_profiles_are_refused() {
    let raw = r#"{"meta":{"version":30,"stackwalk":1},"libs":[],"threads":[{"name":"GeckoMain",
        "samples":{"schema":{"stack":0,"time":1},"data":[[0,1.5]]},"stringTable":["(root)"]}],"processes":[]}"#;
    let no_threads = r#"{"meta":{"preprocessedProfileVersion":40}}"#;
    let wrong = r#"{"meta":{"preprocessedProfileVersion":40},"threads":7}"#;
    for (text, words) in [
        (raw, ["the Gecko format", "profiler.firefox.com"]),
        (no_threads, ["`threads`", "dotspot formats"]),
        (wrong, ["threads", "found a number"]),
    ] {
        let error = read_bytes("a.json", text.into()).unwrap_err();
        assert_contains_all(error.to_string(), &words);
    }
}

/// The crate with which samply writes its files.
#[test]
fn profiles_written_by_samplys_crate_are_read() {
    let at = Timestamp::from_nanos_since_reference;
    let mut written = Profile::new(
        "app",
        ReferenceTimestamp::from_millis_since_unix_epoch(1_700_000_000_000.0),
        SamplingInterval::from_nanos(1_000_000),
    );
    let process = written.add_process("app", 7, at(0));
    let thread = written.add_thread(process, 9, at(0), false);
    written.set_thread_name(thread, "worker");
    let library = written.add_lib(LibraryInfo {
        name: "libapp.so".into(),
        debug_name: "libapp.so".into(),
        path: "/opt/libapp.so".into(),
        debug_path: "/opt/libapp.so".into(),
        debug_id: Default::default(),
        code_id: None,
        arch: None,
        symbol_table: None,
    });
    written.add_lib_mapping(process, library, 0x1000, 0x9000, 0);
    let name = written.intern_string("App!Shop.Cart.Add(int32)[Tier0]");
    let frame = |frame| FrameInfo {
        frame,
        category_pair: CategoryHandle::OTHER.into(),
        flags: FrameFlags::empty(),
    };
    let frames = [Frame::Label(name), Frame::InstructionPointer(0x2345)].map(frame);
    let stack = written.intern_stack_frames(thread, frames.into_iter());
    written.add_sample(thread, at(3_000_000), stack, CpuDelta::from_micros(900), 1);
    written.add_sample(thread, at(4_000_000), stack, CpuDelta::from_micros(250), 4);
    written.add_sample(thread, at(9_000_000), None, CpuDelta::ZERO, 1);
    let nameless = written.add_thread(process, 10, at(0), false);
    written.add_sample(nameless, at(3_000_000), None, CpuDelta::ZERO, 1);
    let text = serde_json::to_string(&written).unwrap();
    assert!(text.contains(r#""name":"Thread <10>""#));
    let profile = read_bytes("a.json", text.into()).unwrap();
    let fact = |what| profile.recording.source.fact(what);
    assert_eq!(fact("recorded"), Some("2023-11-14T22:13:20.000Z"));
    assert_eq!(default_metric(&profile), "CPU");
    // in that crate's order
    assert_eq!(thread_names(&profile), [("10", ""), ("9", "worker")]);
    let again = String::from_utf8(self::written(&profile)).unwrap();
    assert!(again.contains(r#""name":"Thread <10>""#));
    let expect = [
        "1 thread Thread (9) worker 250000/0 x1 6000000/1000000 x3",
        "2 App!Shop.Cart.Add(int32) 250000/0 x1 5000000/0 x2",
        "3 libapp.so!? 250000/250000 x1 5000000/5000000 x2",
        "1 thread Thread (10) 0/0 x0 1000000/1000000 x1",
    ];
    assert_eq!(dump(&profile), expect);
}

/// Exports a profile in its default metric.
fn written(profile: &View) -> Vec<u8> {
    let exporter = EXPORTERS.iter().find(|exporter| exporter.name == "firefox");
    let part = Part::whole(profile, profile.recording.default_metric);
    let mut bytes = Vec::new();
    (exporter.unwrap().write)(&part, &mut bytes).unwrap();
    bytes
}

/// Wall time and CPU time of samples, by thread and time.
type Instants = BTreeMap<(String, u64), (u64, u64)>;

fn instants(profile: &View) -> Instants {
    let recording = &profile.recording;
    let table = recording.samples.clone().unwrap();
    let [wall, cpu] = ["wall", "CPU"].map(|name| recording.metric_named(name).unwrap());
    let mut found = Instants::new();
    for lane in &table.lanes {
        let id = &profile.threads[lane.thread as usize].id;
        table.for_each_in_lane(lane, TimeRange::ALL, false, |sample| {
            let kind = &table.kinds[usize::from(sample.kind)];
            let value = |metric| sample.value * kind.factor(metric);
            if value(wall) > 0 {
                let sums = found.entry((id.clone(), sample.start_ns)).or_default();
                *sums = (sums.0 + value(wall), sums.1 + value(cpu));
            }
        });
    }
    found
}

#[test]
fn a_recording_survives_a_round_trip_with_its_times() {
    let profile = read_file(SAMPLE.as_ref());
    let bytes = written(&profile);
    assert_eq!(bytes, written(&profile), "exports are deterministic");
    // recorded at 2026-11-21T09:23:48.367Z, converted by `date -u +%s`
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(file["meta"]["startTime"], 1_795_253_028_367_u64);
    let copy = read_bytes("a.profile.json", bytes).unwrap();
    let expect = instants(&profile);
    assert!(expect.len() > 10_000);
    assert_eq!(instants(&copy), expect);
}

/// Rounding in this file leaves samples without duration above its threads.
#[test]
fn samples_above_all_threads_belong_to_no_thread() {
    let profile = read_file(&present!(shared("net10/cpubound.chromium.json.gz")));
    let copy = read_bytes("a.profile.json", written(&profile)).unwrap();
    for name in ["wall", "CPU"] {
        let total = |profile: &View| {
            let metric = profile.recording.metric_named(name).unwrap();
            profile.tree.inclusive(metric, NodeId::ROOT)
        };
        assert_eq!(total(&copy), total(&profile), "{name}");
    }
}

/// Collections, lock waits, compilations and allocations, with stacks. Those without a thread are in the first thread.
#[test]
fn markers_survive_a_round_trip() {
    let file = "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip";
    let profile = read_file(&present!(shared(file)));
    let copy = read_bytes("a.profile.json", written(&profile)).unwrap();
    let markers = |view: &View| -> Vec<String> {
        let form = TreeForm::Original;
        let describe = |marker: Marker| {
            let times = (marker.time_ns(), marker.kind(), marker.duration_ns());
            let thread = &view.threads[marker.thread().unwrap_or(0)].id;
            let stack = marker.stack(form).map(|node| view.name(NodeId(node.0)));
            let fields = marker
                .fields()
                .map(|(name, value)| format!("{name}={value}"));
            format!(
                "{times:?} {thread:?} {stack:?} {:?}",
                fields.collect::<Vec<_>>()
            )
        };
        let mut all: Vec<String> = view.recording.markers.iter().map(describe).collect();
        all.sort();
        all
    };
    let expect = markers(&profile);
    assert!(expect.len() > 30_000);
    let found = markers(&copy);
    let different = expect.iter().zip(&found).find(|(one, two)| one != two);
    assert_eq!((different, found.len()), (None, expect.len()));
}

/// `main` runs for 0.5 of 2 ms, then waits for 2 ms.
#[test]
fn waiting_samples_have_their_own_category() {
    let units = r#","sampleUnits":{"threadCPUDelta":"ns"}"#;
    // the last sample only ends the previous one
    let samples = r#"{"stack":[0,0,1,null],"time":[5,7,9,11],"weight":[1,1,1,0],
        "threadCPUDelta":[0,500000,0,2000000]}"#;
    let profile = read_text(&profile_of(units, samples));
    let file: Value = serde_json::from_slice(&written(&profile)).unwrap();
    let thread = &file["threads"][0];
    let samples = &thread["samples"];
    assert_eq!(samples["time"], json!([0, 2, 4, 6]));
    assert_eq!(samples["weight"], json!([2, 2, 2, 0]));
    assert_eq!(samples["weightType"], "tracing-ms");
    // CPU time since the previous sample
    assert_eq!(samples["threadCPUDelta"], json!([0, 500_000, 0, 2_000_000]));
    let stacks = samples["stack"].as_array().unwrap();
    assert_eq!(stacks[3], Value::Null);
    let row = |column: &Value, at: &Value| column[at.as_u64().unwrap() as usize].clone();
    let categories = stacks[..3].iter().map(|stack| {
        let frame = row(&thread["stackTable"]["frame"], stack);
        let category = row(&thread["frameTable"]["category"], &frame);
        row(&file["meta"]["categories"], &category)["name"].clone()
    });
    let expect = ["User code", "Idle", "User code"];
    assert_eq!(categories.collect::<Vec<_>>(), expect);
    assert_eq!(thread["funcTable"]["resource"], json!([-1, 0]));
    assert_eq!(file["libs"][0]["name"], "libwork.so");
    let strings = json!(["main", "/src/main.cs", "work", "libwork.so"]);
    assert_eq!(thread["stringArray"], strings);
    assert_eq!(thread["funcTable"]["lineNumber"], json!([5, null]));
}

/// 20,000 functions with the same 4 MB name and the same file, 160 GB if each were processed.
#[test]
fn a_long_name_of_many_functions_is_processed_once() {
    let long = "n".repeat(4 << 20);
    let count = 20_000;
    let column = |value: &dyn Fn(usize) -> usize| {
        let values: Vec<String> = (0..count).map(|row| value(row).to_string()).collect();
        values.join(",")
    };
    let (rows, zeros) = (column(&|row| row), column(&|_| 0));
    let prefixes = vec!["null"; count].join(",");
    for libs in [r#""lib":[]"#, r#""lib":[0]"#] {
        let text = format!(
            r#"{{"meta":{{"interval":1}},"libs":[{{"name":"a.so"}}],"threads":[{{"name":"T","tid":1,"pid":1,
            "stackTable":{{"prefix":[{prefixes}],"frame":[{rows}]}},"frameTable":{{"func":[{rows}]}},
            "funcTable":{{"name":[{zeros}],"resource":[{zeros}],"fileName":[{zeros}],"lineNumber":[{rows}]}},
            "resourceTable":{{{libs}}},"stringArray":["{long}"],"samples":{{"stack":[{rows}]}}}}]}}"#
        );
        let profile = read_text(&text);
        let names = names_behind(&profile, 2);
        let found: Vec<usize> = names.iter().map(|name| name.len() - long.len()).collect();
        assert!(found == [0] || found == ["a.so!".len()], "{found:?}");
    }
}

/// Compares each function's exclusive and inclusive samples by thread with sums computed here from the tables. Functions
/// without a name are left out.
#[test]
fn sums_of_real_files_match_their_tables() {
    type Sums = BTreeMap<String, (u64, u64)>;
    let cell = |value: &Value, row: &Value| value[row.as_u64().unwrap() as usize].clone();
    for file in [
        "processed-1",
        "processed-2",
        "processed-3",
        "argument-values",
    ] {
        let path = present!(shared(&format!("firefox/{file}.json")));
        let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let profile = read_file(&path);
        let threads = document["threads"].as_array().unwrap();
        assert_eq!(profile.threads.len(), threads.len());
        for (row, thread) in threads.iter().enumerate() {
            let table = |name: &str| match &thread[name] {
                Value::Null => document["shared"][name].clone(),
                own => own.clone(),
            };
            let [stacks, frames, funcs, strings] =
                ["stackTable", "frameTable", "funcTable", "stringArray"].map(table);
            let mut expect = Sums::new();
            for stack in thread["samples"]["stack"].as_array().unwrap() {
                let (mut at, mut seen) = (stack.clone(), BTreeSet::new());
                while !at.is_null() {
                    let func = cell(&frames["func"], &cell(&stacks["frame"], &at));
                    let name = cell(&strings, &cell(&funcs["name"], &func));
                    let name = name.as_str().unwrap().to_string();
                    let sums = expect.entry(name.clone()).or_default();
                    sums.0 += u64::from(seen.is_empty());
                    sums.1 += u64::from(seen.insert(name));
                    at = cell(&stacks["prefix"], &at);
                }
            }
            expect.retain(|name, _| !name.starts_with("0x"));
            assert!(expect.len() > 1, "{file}");
            let mut found = by_name(&profile, MetricId(0), profile.threads[row].node);
            found.retain(|name, _| !name.ends_with("!?"));
            let ms = |(own, all)| (own / 1_000_000, all / 1_000_000);
            let found: Sums = found
                .into_iter()
                .map(|(name, sums)| (name, ms(sums)))
                .collect();
            assert_eq!(found, expect, "{file}, thread {row}");
        }
    }
}

/// Three stacks with counts but no times: each count becomes a sample of a millisecond, the profiler's interval.
#[test]
fn counts_become_samples_of_a_millisecond() {
    let export = |counts: [u64; 2]| {
        let text = format!("a;b {}\na {}\n", counts[0], counts[1]);
        written(&read_bytes("a.folded", text.into()).unwrap())
    };
    let json = |bytes: &[u8]| -> Value { serde_json::from_slice(bytes).unwrap() };
    let bytes = export([3, 5]);
    let file = json(&bytes);
    assert_eq!(file["meta"]["interval"], 1);
    let samples = &file["threads"][0]["samples"];
    assert_eq!(samples["weightType"], "samples");
    assert_eq!(samples["weight"], serde_json::json!([5, 3]));
    assert_eq!(samples["time"], serde_json::json!([0, 1]));
    let copy = read_bytes("a.json", bytes).unwrap();
    assert_eq!(copy.tree.inclusive(MetricId(0), NodeId::ROOT), 8_000_000);
    // 10^13 milliseconds exceed 2^63 ns
    let large = json(&export([10_000_000_000_000, 0]));
    assert_eq!(large["meta"]["interval"], 0.000001);
}

/// Markers without a thread are written to the first exported thread, even if it isn't the view's first.
#[test]
fn markers_without_a_thread_are_written() {
    let file = "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip";
    let profile = read_file(&present!(shared(file)));
    let markers = profile.recording.markers.iter();
    let expect = markers.filter(|marker| marker.thread().is_none()).count();
    assert!(expect > 0);
    let exporter = EXPORTERS.iter().find(|exporter| exporter.name == "firefox");
    let last = profile.threads.iter().last().unwrap().node;
    let thread = profile.threads.len() - 1;
    let own = profile.recording.markers.iter();
    let own = own.filter(|marker| marker.thread() == Some(thread)).count();
    let part = Part::new(&profile, last, profile.recording.default_metric);
    let mut bytes = Vec::new();
    (exporter.unwrap().write)(&part, &mut bytes).unwrap();
    let file: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(file["threads"][0]["markers"]["length"], expect + own);
}

/// The paths of all members.
fn members(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    if let Value::Object(object) = value {
        for (key, value) in object {
            let path = format!("{path}.{key}");
            members(value, &path, found);
            found.insert(path);
        }
    }
}

/// All members that the crate writes exist, and every column has its table's length.
#[test]
fn members_match_those_of_samplys_crate() {
    let at = Timestamp::from_nanos_since_reference;
    let start = ReferenceTimestamp::from_millis_since_unix_epoch(0.0);
    let mut expect = Profile::new("app", start, SamplingInterval::from_nanos(1));
    let process = expect.add_process("app", 7, at(0));
    expect.add_thread(process, 9, at(0), false);
    let expect = serde_json::to_value(&expect).unwrap();
    let file: Value = serde_json::from_slice(&written(&read_file(SAMPLE.as_ref()))).unwrap();
    let version = |file: &Value| file["meta"]["preprocessedProfileVersion"].clone();
    assert_eq!(version(&file), version(&expect));
    let all = |file: &Value| {
        let mut found = BTreeSet::new();
        members(&file["meta"], "meta", &mut found);
        members(&file["threads"][0], "thread", &mut found);
        found
    };
    let lacking: Vec<String> = all(&expect).difference(&all(&file)).cloned().collect();
    // replaced by `time`
    assert_eq!(lacking, ["thread.samples.timeDeltas"]);
    for thread in file["threads"].as_array().unwrap() {
        for (name, table) in thread.as_object().unwrap() {
            let Some(length) = table["length"].as_u64() else {
                continue;
            };
            for (column, values) in table.as_object().unwrap() {
                if let Value::Array(values) = values {
                    assert_eq!(values.len() as u64, length, "{name}.{column}");
                }
            }
        }
    }
}
