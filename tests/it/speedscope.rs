//! speedscope JSON: speedscope's own importer on its samples, and files written by dotnet-trace.

use crate::common::profiles::{
    by_name, by_stack, dump, metric_names, names_behind, process_names, read_bytes, read_file,
    read_text, thread_names,
};
use crate::common::shared;
use crate::common::snap::{SPEEDSCOPE, snaps};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, UnknownUnit, partly};
use dotspot::testing::model::{MetricId, NodeId, ProfileKind, View};
use dotspot::testing::names::Category;
use std::collections::BTreeMap;

#[test]
fn speedscope_agrees_on_its_samples() {
    let path = present!(shared("speedscope/file-format.test.ts.snap"));
    let text = std::fs::read_to_string(&path).unwrap();
    for (file, test, stored_per_unit) in SPEEDSCOPE {
        let profile = read_file(&path.with_file_name(file));
        let snaps = snaps(&text, &format!("importSpeedscopeProfiles {test}"));
        assert_eq!(profile.threads.len(), snaps.len());
        for (thread, snap) in profile.threads.iter().zip(&snaps) {
            assert_eq!(profile.name(thread.node), snap.name);
            let metric = profile.recording.default_metric;
            let stored = |weight: f64| (weight * stored_per_unit).round() as u64;
            let frames = snap.frames.iter();
            let frames =
                frames.map(|(name, own, all)| (name.clone(), (stored(*own), stored(*all))));
            assert_eq!(by_name(&profile, metric, thread.node), frames.collect());
            let stacks = snap.by_stack().into_iter();
            let stacks = stacks.map(|(stack, sum)| (stack, stored(sum)));
            assert_eq!(by_stack(&profile, metric, thread.node), stacks.collect());
        }
        assert_eq!(profile.warnings(), []);
    }
}

/// Speedscope refuses these: "Tried to complete profile construction with a non-empty stack", "Tried to leave frame "B" while
/// frame "A" was at the top at 4".
#[test]
fn files_refused_by_speedscope_are_read_with_a_warning() {
    let path = present!(shared("speedscope/invalid/incomplete-trace.json"));
    let profile = read_file(&path);
    assert_eq!(dump(&profile), ["1 thread p1 100/0", "2 A 100/100"]);
    assert_eq!(profile.warnings(), [Anomaly::FramesUnended.with_count(1)]);
    let profile = read_file(&path.with_file_name("out-of-order-events.json"));
    // A from 0 to 1; B from 2 to 4, when A is open inside, twice until 4 and once until 5
    let expect = [
        "1 thread p1 4/0",
        "2 B 3/0",
        "3 A 3/2",
        "4 A 1/1",
        "2 A 1/1",
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(profile.warnings(), [Anomaly::FramesCrossed.with_count(1)]);
}

const SCHEMA: &str = r#""$schema":"https://www.speedscope.app/file-format-schema.json""#;
const FRAMES: &str = r#""shared":{"frames":[{"name":"a"},{"name":"b","file":"b.cs","line":12},{"name":"c","file":"c.cs"}]}"#;

/// A file with one profile with these members, over the frames a, b and c.
fn file(profile: &str) -> String {
    format!("{{{SCHEMA},{FRAMES},\"profiles\":[{{{profile}}}]}}")
}

#[track_caller]
fn check(profile: &str, expect: &[&str], warnings: &[Diagnostic]) -> View {
    let read = read_text(&file(profile));
    assert_eq!(dump(&read), expect, "{profile}");
    assert_eq!(read.warnings(), warnings, "{profile}");
    read
}

const EVENTS: &str = r#""events":[{"type":"O","frame":0,"at":1.5},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5.25},{"type":"C","frame":0,"at":8}]"#;

/// The name and unit of the first metric.
fn first_metric(profile: &View) -> (&str, &str) {
    let metric = &profile.recording.metrics[0];
    (&metric.name, metric.unit.name())
}

#[test]
fn every_unit_is_read_before_and_after_the_values() {
    for (unit, a, b) in [
        ("nanoseconds", "6/3", "3/3"),
        ("microseconds", "6500/3250", "3250/3250"),
        ("milliseconds", "6500000/3250000", "3250000/3250000"),
        ("seconds", "6500000000/3250000000", "3250000000/3250000000"),
    ] {
        let unit = format!(r#""unit":"{unit}""#);
        for profile in [format!("{unit},{EVENTS}"), format!("{EVENTS},{unit}")] {
            let read = read_text(&file(&profile));
            let expect = [format!("2 a {a}"), format!("3 b {b}")];
            assert_eq!(dump(&read)[1..], expect, "{profile}");
            assert_eq!(first_metric(&read), ("time", "ms"));
        }
    }
    let sampled = r#""type":"sampled","unit":"bytes","samples":[[0],[0,1],[]],"weights":[7,9,1]"#;
    let expect = ["1 thread Profile 0 17/1 x3", "2 a 16/7 x2", "3 b 9/9 x1"];
    assert_eq!(
        first_metric(&check(sampled, &expect, &[])),
        ("bytes", "bytes")
    );
    let unknown = Diagnostic::UnitUnknown {
        unit: "frames".into(),
        values: UnknownUnit::ShownAsNumbers,
    };
    let sampled = r#""unit":"frames","samples":[[2]],"weights":[3]"#;
    let expect = ["1 thread Profile 0 3/0 x1", "2 c 3/3 x1"];
    check(sampled, &expect, &[unknown]);
}

#[test]
fn decimals_of_counts_are_stored_in_smaller_units() {
    let parts = Diagnostic::WeightsInParts { parts: 1000 };
    let parts = [parts];
    for unit in ["none", "bytes"] {
        for members in [
            format!(r#""unit":"{unit}","samples":[[0],[0,1],[0]],"weights":[1,0.4,0.4]"#),
            format!(r#""weights":[1,0.4,"0.4"],"samples":[[0],[0,1],[0]],"unit":"{unit}""#),
        ] {
            let thread = "1 thread Profile 0 1800/0 x3";
            let read = check(
                &members,
                &[thread, "2 a 1800/1400 x3", "3 b 400/400 x1"],
                &parts,
            );
            assert_eq!(read.recording.metrics[0].unit.name(), "count");
        }
    }
    // a from 1 to 4.5, b in it from 2 to 2.25
    for unit in [r#","unit":"none""#, ""] {
        let events = r#"{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":2.25},{"type":"C","frame":0,"at":4.5}"#;
        let spans =
            format!(r#""type":"evented"{unit},"startValue":0,"endValue":5,"events":[{events}]"#);
        let expect = ["1 thread Profile 0 3500/0", "2 a 3500/3250", "3 b 250/250"];
        check(&spans, &expect, &parts);
    }
    check(
        r#""unit":"none","samples":[[0],[1]],"weights":[1e-9,2]"#,
        &["1 thread Profile 0 2/0 x2", "2 b 2/2 x1", "2 a 0/0 x1"],
        &[Anomaly::ValuesVanished.with_count(1)],
    );
}

#[test]
fn rounded_weights_add_up() {
    // 3 times 1/3 µs are 1 µs; 5 times 0.4 ns are 2 ns
    for (unit, weight, count, sum) in [
        ("microseconds", "0.3333333333333333", 3, 1000),
        ("microseconds", "\"0.3333333333333333\"", 300, 100_000),
        ("seconds", "0.0000000004", 5, 2),
        ("seconds", "4e-10", 5, 2),
    ] {
        let samples = vec!["[0]"; count].join(",");
        let weights = vec![weight; count].join(",");
        check(
            &format!(r#""unit":"{unit}","samples":[{samples}],"weights":[{weights}]"#),
            &[
                &format!("1 thread Profile 0 {sum}/0 x{count}"),
                &format!("2 a {sum}/{sum} x{count}"),
            ],
            &[],
        );
    }
}

#[test]
fn samples_and_weights_come_in_any_order() {
    let expect = [
        "1 thread s 6000000/0 x3",
        "2 a 6000000/1000000 x3",
        "3 b 5000000/2000000 x2",
        "4 c 3000000/3000000 x1",
    ];
    for members in [
        r#""name":"s","unit":"milliseconds","samples":[[0],[0,1],[0,1,2]],"weights":[1,2,3]"#,
        r#""weights":[1,2,3],"samples":[[0],[0,1],[0,1,2]],"unit":"milliseconds","name":"s""#,
        r#""weights":["1",2.0,3e0],"unit":"milliseconds","samples":[[0],[0,1],[0,1,2]],"name":"s","type":"sampled""#,
        r#""samples":[[0],[0,1],[0,1,2]],"weights":[1,2,3],"name":"s","unit":"milliseconds""#,
    ] {
        let read = check(members, &expect, &[]);
        assert_eq!(read.recording.source.kind, ProfileKind::Sampling);
        let location = |name| read.frames.location(read.frames.find(name)[0]);
        assert_eq!(["a", "b", "c"].map(location), ["", "b.cs:12", "c.cs"]);
    }
}

#[test]
fn mismatched_weights_are_reported() {
    check(
        r#""unit":"milliseconds","samples":[[0],[0],[1]],"weights":[5]"#,
        &[
            "1 thread Profile 0 7000000/0 x3",
            "2 a 6000000/6000000 x2",
            "2 b 1000000/1000000 x1",
        ],
        &[partly::SAMPLES_WITHOUT_WEIGHT.with_count(2)],
    );
    check(
        r#""unit":"milliseconds","samples":[[0]],"weights":[5,6,7]"#,
        &["1 thread Profile 0 5000000/0 x1", "2 a 5000000/5000000 x1"],
        &[partly::WEIGHTS_WITHOUT_SAMPLE.with_count(2)],
    );
    check(
        r#""unit":"milliseconds","samples":[[0],[0],[0]],"weights":[-5,"NaN",null]"#,
        &["1 thread Profile 0 0/0 x3", "2 a 0/0 x3"],
        &[Anomaly::ValuesClamped.with_count(3)],
    );
}

#[test]
fn frames_missing_from_the_table_are_reported() {
    for row in [
        "3",
        "4294967295",
        "18446744073709551616",
        "-1",
        "1e99",
        "0.5",
    ] {
        check(
            &format!(r#""unit":"none","samples":[[0,{row}]],"weights":[5]"#),
            &[
                "1 thread Profile 0 5/0 x1",
                "2 a 5/0 x1",
                "3 special [No name] 5/5 x1",
            ],
            &[partly::NODES_WITHOUT_FRAME.with_count(1)],
        );
    }
}

#[test]
fn profiles_may_precede_their_frames() {
    let profile = r#""type":"evented","name":"x","unit":"none","startValue":0,"endValue":9"#;
    let events = EVENTS.replace("1.5", "1").replace("5.25", "5");
    let read = read_text(&format!(
        r#"{{"profiles":[{{{profile},{events}}}],{FRAMES}}}"#
    ));
    assert_eq!(dump(&read), ["1 thread x 7/0", "2 a 7/4", "3 b 3/3"]);
}

#[test]
fn an_empty_recording_is_an_empty_tree() {
    // written by dotnet-trace for dotnet/diagnostics#1572
    let text = r#"{"exporter": "speedscope@1.3.2", "name": "t.speedscope", "activeProfileIndex": 0, "$schema": "https://www.speedscope.app/file-format-schema.json", "shared": { "frames": [ ] }, "profiles": [ ] }"#;
    let profile = read_text(text);
    assert_eq!(profile.tree.len(), 1);
    assert_eq!(profile.warnings(), [Diagnostic::NoProfiles {}]);
}

/// A file as written by dotnet-trace: stacks of a process, frames above methods, methods, and milliseconds.
fn dotnet(stacks: &[(&str, &str, &[&str], u32)]) -> String {
    let mut frames: Vec<&str> = Vec::new();
    let mut profiles: BTreeMap<&str, (String, u32)> = BTreeMap::new();
    for (process, above, methods, milliseconds) in stacks {
        let stack = [*process].into_iter().chain(above.split(';'));
        let row = |name| {
            frames
                .iter()
                .position(|known| *known == name)
                .unwrap_or_else(|| {
                    frames.push(name);
                    frames.len() - 1
                })
        };
        let rows: Vec<usize> = stack.chain(methods.iter().copied()).map(row).collect();
        let thread = above.rsplit(';').next().unwrap();
        let (events, at) = profiles.entry(thread).or_default();
        let mut event = |kind: &str, row: &usize, at: u32| {
            *events += &format!("{{ \"type\": \"{kind}\", \"frame\": {row}, \"at\": {at} }},");
        };
        rows.iter().for_each(|row| event("O", row, *at));
        *at += milliseconds;
        rows.iter().rev().for_each(|row| event("C", row, *at));
    }
    let frame = |name: &&str| {
        let escapes = [('<', "\\u003c"), ('>', "\\u003e"), ('\'', "\\u0027")];
        let name = escapes.iter().fold(name.to_string(), |name, (c, escape)| {
            name.replace(*c, escape)
        });
        format!("{{ \"name\": \"{name}\" }}")
    };
    let frames: Vec<String> = frames.iter().map(frame).collect();
    let profile = |(name, (events, end)): (&&str, &(String, u32))| {
        // as strings, as before May 2021
        format!(
            r#"{{ "type": "evented", "name": "{name}", "unit": "milliseconds", "startValue": "0", "endValue": "{end}", "events": [{}] }}"#,
            events.trim_end_matches(',')
        )
    };
    let profiles: Vec<String> = profiles.iter().map(profile).collect();
    format!(
        r#"{{"exporter": "Microsoft.Diagnostics.Tracing.TraceEvent@2.0.61.0", {SCHEMA}, "shared": {{ "frames": [ {} ] }}, "profiles": [ {} ]}}"#,
        frames.join(", "),
        profiles.join(", ")
    )
}

const APP: &str = "Process64 app (7) Args: run 'x'";
const THREAD_7: &str = "(Non-Activities);Threads;Thread (7)";
const THREAD_8: &str = "(Non-Activities);Threads;Thread (8)";
const THREAD_9: &str = "(Non-Activities);Threads;Thread (9)";

#[test]
fn pseudo_frames_of_dotnet_trace_are_threads_and_metrics() {
    let worker = "System.Private.CoreLib!System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart()";
    let run = ["App!Main()", "App!List`1[!0].<Run>b__0()", "CPU_TIME"];
    let profile = read_text(&dotnet(&[
        (APP, THREAD_7, &run, 4),
        (APP, THREAD_7, &["App!Main()", "UNMANAGED_CODE_TIME"], 3),
        (APP, THREAD_9, &[worker, "?!?", "UNMANAGED_CODE_TIME"], 6),
    ]));
    // CPU and wall, each inclusive and exclusive
    let row = |name: &str, ms: [u64; 4]| {
        let [a, b, c, d] = ms.map(|ms| ms * 1_000_000);
        format!("{name} {a}/{b} {c}/{d}")
    };
    let expect = [
        row("1 thread Thread (7) main", [4, 0, 7, 0]),
        row("2 App!Main()", [4, 0, 7, 3]),
        row("3 App!List`1[!0].<Run>b__0()", [4, 4, 4, 4]),
        row("1 thread Thread (9) .NET pool", [0, 0, 6, 0]),
        row(&format!("2 {worker}"), [0, 0, 6, 0]),
        row("3 special ?!?", [0, 0, 6, 6]),
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(metric_names(&profile), ["CPU", "wall"]);
    assert_eq!(profile.recording.default_metric, MetricId(0));
    let threads = thread_names(&profile);
    assert_eq!(threads, [("7", "main"), ("9", ".NET pool")]);
    let facts = profile.recording.source.facts.iter();
    let facts: Vec<_> = facts.map(|(what, text)| (&**what, text.as_str())).collect();
    let expect = [
        (
            "written by",
            "Microsoft.Diagnostics.Tracing.TraceEvent@2.0.61.0",
        ),
        ("process", "7"),
        ("command line", "app run 'x'"),
    ];
    assert_eq!(facts, expect);
    let mut frames = profile.frames.iter().map(|(_, frame)| frame);
    assert!(frames.all(|frame| frame.category != Category::Pseudo || !frame.kind.is_code()));
}

/// The lines of a dump without values.
fn names(profile: &View) -> Vec<String> {
    let lines = dump(profile).into_iter();
    lines
        .map(|line| line.rsplitn(3, ' ').nth(2).unwrap().into())
        .collect()
}

#[test]
fn activities_are_below_their_thread_and_processes_above() {
    let get = "(Activities);Activity Get(1);Activity Sql(2);Threads;Thread (9)";
    let query = ["App!Query()", "CPU_TIME"];
    let profile = read_text(&dotnet(&[
        (APP, get, &query, 4),
        (APP, THREAD_9, &query, 1),
    ]));
    let expect = [
        "1 thread Thread (9)",
        "2 special Activity Get(1)",
        "3 special Activity Sql(2)",
        "4 App!Query()",
        "2 App!Query()",
    ];
    assert_eq!(names(&profile), expect);
    let other = "Process64 other (8) Args: ";
    let profile = read_text(&dotnet(&[
        (APP, THREAD_9, &["App!A()", "CPU_TIME"], 4),
        (other, THREAD_8, &["App!B()", "UNMANAGED_CODE_TIME"], 1),
    ]));
    let expect = [
        "1 process Process (7) app",
        "2 thread Thread (9)",
        "3 App!A()",
        "1 process Process (8) other",
        "2 thread Thread (8) main",
        "3 App!B()",
    ];
    assert_eq!(names(&profile), expect);
    // in file order
    assert_eq!(process_names(&profile), [(8, "other"), (7, "app")]);
}

#[test]
fn names_may_contain_anything() {
    let long = "x".repeat(100_000);
    let names = [
        (&*long, &*long),
        ("\\u202eabc", "\u{202e}abc"),
        ("\\u200b", "\u{200b}"),
        ("\\ud83d\\ude00 \\\"q\\\" \\n", "😀 \"q\" \n"),
        ("größe 値", "größe 値"),
        ("\\ud800", "\u{fffd}"),
    ];
    let frames = names
        .map(|(name, _)| format!(r#"{{"name":"{name}"}}"#))
        .join(",");
    let text = format!(
        r#"{{{SCHEMA},"shared":{{"frames":[{frames}]}},"profiles":[{{"name":"{long}","unit":"none","samples":[[0,1,2,3,4,5]],"weights":[1]}}]}}"#
    );
    assert_eq!(
        names_behind(&read_text(&text), 2),
        names.map(|(_, name)| name)
    );
}

#[test]
fn a_deep_chain_is_read() {
    let rows: Vec<String> = (0..100_000).map(|depth| (depth % 3).to_string()).collect();
    let rows = rows.join(",");
    let profile = read_text(&file(&format!(
        r#""unit":"none","samples":[[{rows}]],"weights":[5]"#
    )));
    assert_eq!(profile.tree.len(), 100_002);
    assert_eq!(profile.tree.inclusive(MetricId(0), NodeId::ROOT), 5);
}

#[test]
fn invalid_files_are_refused_with_a_message() {
    let check = |text: &str, expect: &str| {
        let error = read_bytes("a.speedscope.json", text.into()).unwrap_err();
        let expect = format!("a.speedscope.json: speedscope JSON{expect}");
        assert_eq!(error.to_string(), expect);
    };
    for (events, wrong, expect) in [
        (
            r#""events":[{"type":"O","frame":"x","at":0}]"#,
            "\"x\"",
            "a number, found a string",
        ),
        (r#""samples":[7]"#, "7]", "an array, found a number"),
        (r#""samples":[[NaN]]"#, "NaN", "a number, found `N`"),
        (r#""weights":[1,]"#, "]}]}", "a value, found `]`"),
        (r#""events":{}"#, "{}", "an array, found an object"),
    ] {
        let text = file(&format!(r#""unit":"none",{events}"#));
        let at = text.rfind(wrong).unwrap();
        let member = events.split('"').nth(1).unwrap();
        let expect = format!(
            ", member `{member}` at byte {at} ({at:#x}): expected {expect}; the file is damaged or not in this format"
        );
        check(&text, &expect);
    }
    let none = ": expected the member `profiles`, found none in the whole file; `dotspot formats` lists what can be opened";
    check(&format!("{{{SCHEMA}}}"), none);
}
