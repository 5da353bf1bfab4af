//! Chromium trace-event JSON: compared with speedscope's importer on its samples, and with the format's documentation.

use crate::common::profiles::{
    by_name, by_stack, dump, process_names, read_bytes, read_file, read_text, stream, thread_names,
};
use crate::common::shared;
use crate::common::snap::{Snap, TRACE_EVENTS, snaps};
use crate::common::text::{assert_contains_all, assert_starts_with};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, partly};
use dotspot::testing::importers::{FORMATS, ReadOptions, import_with};
use dotspot::testing::model::{MetricId, NodeId, ProfileKind, View};
use std::collections::BTreeMap;

const TIME: MetricId = MetricId(0);

/// Asserts that a thread has a snapshot's frames, stacks and weights, which are in microseconds.
#[track_caller]
fn assert_same(profile: &View, top: NodeId, snap: &Snap, what: &str) {
    // speedscope distinguishes frames by arguments, which are not part of a method's name here
    let mut expect: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (name, own, all) in &snap.frames {
        let sums = expect
            .entry(name.replace("(unnamed)", "[No name]"))
            .or_default();
        let nanoseconds = |weight: f64| (weight * 1000.0).round() as u64;
        *sums = (sums.0 + nanoseconds(*own), sums.1.max(nanoseconds(*all)));
    }
    // speedscope drops the last sample of a thread, which has no time
    let found = by_name(profile, TIME, top).into_iter();
    let found = found.filter(|(name, sums)| sums.1 > 0 || expect.contains_key(name));
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expect, "{what}");
    let (found, expect) = (by_stack(profile, TIME, top), snap.by_stack());
    assert_eq!(found.len(), expect.len(), "{what}: {found:?}");
    for (stack, seconds) in expect {
        let stack: Vec<_> = stack
            .iter()
            .map(|name| name.replace("(unnamed)", "[No name]"))
            .collect();
        // snapshots have two decimals
        let diff = (found[&stack] as f64 / 1e9 - seconds).abs();
        assert!(diff <= seconds * 0.005, "{what}: {stack:?} {seconds} s");
    }
}

#[test]
fn speedscope_agrees_on_its_samples() {
    let path = present!(shared("trace-event/trace-event.test.ts.snap"));
    let text = std::fs::read_to_string(&path).unwrap();
    for (test, file) in TRACE_EVENTS {
        let profile = read_file(&path.with_file_name(format!("{file}.json")));
        let snaps = snaps(&text, &format!("importTraceEvents {test}"));
        assert_eq!(profile.threads.len(), snaps.len(), "{file}");
        for (thread, snap) in profile.threads.iter().zip(&snaps) {
            assert_same(&profile, thread.node, snap, file);
        }
    }
}

/// `B` has no end event, and speedscope puts everything that follows below it.
#[test]
fn a_missing_end_event_does_not_swallow_later_events() {
    let profile = read_file(&present!(shared("trace-event/end-non-top-of-stack.json")));
    let expect = [
        "1 thread Thread (0) 11000/0 x0",
        "2 A 10000/1000 x1",
        "3 B 9000/9000 x1",
        "2 Z 1000/1000 x1",
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(profile.warnings(), [Anomaly::FramesCrossed.with_count(1)]);
}

/// Speedscope's snapshot of this test is of another file; the times were added up by hand.
#[test]
fn hermes_events_have_source_locations() {
    let profile = read_file(&present!(shared("trace-event/hermes-multiple-frames.json")));
    let expect = [
        "1 thread Thread (0) 14000/0 x0",
        "2 [root] 14000/4000 x1",
        "3 gamma 9000/3000 x1",
        "4 beta 6000/6000 x1",
        "3 beta 1000/1000 x1",
    ];
    assert_eq!(dump(&profile), expect);
    let beta = profile.frames.find("beta")[0];
    let file = "/Users/example/test_project/node_modules/metro-runtime/src/polyfills/require.js:54";
    assert_eq!(profile.frames.location(beta), file);
}

#[track_caller]
fn check(text: &str, expect: &[&str]) -> View {
    let profile = read_text(text);
    assert_eq!(dump(&profile), expect, "{text}");
    profile
}

#[test]
fn processes_are_parents_of_their_threads() {
    let events = r#"[{"ph":"M","name":"process_name","pid":1,"args":{"name":"web"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"io"}},
        {"ph":"X","name":"a","pid":1,"tid":7,"ts":0,"dur":5},{"ph":"X","name":"b","pid":"2","tid":"worker","ts":0,"dur":2},
        {"ph":"X","name":"c","pid":1,"tid":"8","ts":1,"dur":3},{"ph":"X","name":"d","pid":2,"tid":"worker","ts":4,"dur":2}]"#;
    let profile = check(
        events,
        &[
            "1 process Process (1) web 8000/0 x0",
            "2 thread Thread (7) io 5000/0 x0",
            "3 a 5000/5000 x1",
            "2 thread Thread (8) 3000/0 x0",
            "3 c 3000/3000 x1",
            "1 process Process (2) 4000/0 x0",
            "2 thread Thread (worker) 4000/0 x0",
            "3 b 2000/2000 x1",
            "3 d 2000/2000 x1",
        ],
    );
    let processes = process_names(&profile);
    assert_eq!(processes, [(1, "web"), (2, "")]);
    let threads = thread_names(&profile);
    assert_eq!(threads, [("7", "io"), ("worker", ""), ("8", "")]);
    // some samplers write such spans, too
    assert_eq!(profile.recording.source.kind, ProfileKind::Unknown);
}

#[test]
fn the_longer_of_two_spans_that_begin_together_is_outside() {
    let p = r#"{"ph":"X","name":"p","ts":0,"dur":100}"#;
    let c = r#"{"ph":"B","name":"c","ts":0}"#;
    let end = r#"{"ph":"E","name":"c","ts":50}"#;
    let inside = [
        "1 thread Thread (0) 100000/0 x0",
        "2 p 100000/50000 x1",
        "3 c 50000/50000 x1",
    ];
    for order in [[p, c, end], [c, p, end], [c, end, p]] {
        check(&format!("[{}]", order.join(",")), &inside);
    }
    let around = [
        "1 thread Thread (0) 150000/0 x0",
        "2 c 150000/50000 x1",
        "3 p 100000/100000 x1",
    ];
    let end = r#"{"ph":"E","name":"c","ts":150}"#;
    for order in [[p, c, end], [c, p, end]] {
        check(&format!("[{}]", order.join(",")), &around);
    }
}

#[test]
fn spans_become_calls() {
    let nested = [
        "1 thread Thread (0) 10000/0 x0",
        "2 a 10000/5000 x1",
        "3 b 5000/4000 x2",
        "4 c 1000/1000 x1",
    ];
    // times are microseconds since 1970, as strings, with decimals, negative, with an exponent
    let exact = ["1 thread Thread (0) 1001/0 x0", "2 a 1001/1001 x1"];
    for (text, expect) in [
        (
            // callees first, as clang and others write complete events
            r#"[{"ph":"X","name":"c","ts":2,"dur":1},{"ph":"X","name":"b","ts":1,"dur":3},
                {"ph":"X","name":"b","ts":6,"dur":2},{"ph":"X","name":"a","ts":0,"dur":10}]"#,
            &nested[..],
        ),
        (
            r#"[{"ph":"X","name":"a","ts":0,"dur":10},{"ph":"X","name":"b","ts":1,"dur":3},
                {"ph":"X","name":"b","ts":6,"dur":2},{"ph":"X","name":"c","ts":2,"dur":1}]"#,
            &nested,
        ),
        (
            // thread 1 ends before thread 2 begins, and comes second
            r#"[{"ph":"B","name":"a","tid":2,"ts":50},{"ph":"E","name":"a","tid":2,"ts":60},
                {"ph":"B","name":"b","tid":1,"ts":5},{"ph":"E","name":"b","tid":1,"ts":7.5}]"#,
            &[
                "1 thread Thread (2) 10000/0 x0",
                "2 a 10000/10000 x1",
                "1 thread Thread (1) 2500/0 x0",
                "2 b 2500/2500 x1",
            ],
        ),
        (
            // an end event without a name ends the innermost span
            r#"[{"ph":"B","name":"a","ts":0},{"ph":"B","name":"b","ts":1},{"ph":"E","ts":4},{"ph":"E","ts":5}]"#,
            &[
                "1 thread Thread (0) 5000/0 x0",
                "2 a 5000/2000 x1",
                "3 b 3000/3000 x1",
            ],
        ),
        (
            // adjacent calls are not recursion
            r#"[{"ph":"B","name":"a","ts":0},{"ph":"E","name":"a","ts":5},
                {"ph":"B","name":"a","ts":5},{"ph":"E","name":"a","ts":9}]"#,
            &["1 thread Thread (0) 9000/0 x0", "2 a 9000/9000 x2"],
        ),
        (
            // two empty spans whose ends precede their beginnings
            r#"[{"ph":"B","name":"m","ts":0},{"ph":"E","name":"a","ts":10},{"ph":"E","name":"a","ts":10},
                {"ph":"B","name":"a","ts":10},{"ph":"B","name":"a","ts":10},{"ph":"E","name":"m","ts":1000}]"#,
            &[
                "1 thread Thread (0) 1000000/0 x0",
                "2 m 1000000/1000000 x1",
                "3 a 0/0 x2",
            ],
        ),
        (
            r#"[{"ph":"B","name":"a","ts":1763719399877123.001},{"ph":"E","name":"a","ts":1763719399877124.002}]"#,
            &exact,
        ),
        (
            r#"[{"ph":"B","name":"a","ts":"11550183666"},{"ph":"E","name":"a","ts":"11550183667.001"}]"#,
            &exact,
        ),
        (r#"[{"ph":"X","name":"a","ts":-5,"dur":1.001}]"#, &exact),
        (
            r#"[{"ph":"B","name":"a","ts":-1e0},{"ph":"E","name":"a","ts":1e-3}]"#,
            &exact,
        ),
        (r#"[{"ph":"X","name":"a","ts":0,"tdur":1.001}]"#, &exact),
    ] {
        check(text, expect);
    }
    for text in [r#"{"traceEvents":[]}"#, r#"[{"ph":"i","ts":0}]"#] {
        let none = Diagnostic::NoFrames {};
        assert_eq!(check(text, &[]).warnings(), [none]);
    }
}

#[test]
fn other_events_and_members_are_skipped() {
    let events = r#"{"displayTimeUnit":"ns","metadata":{"a":[1,{}]},"traceEvents":[
        {"ph":"i","name":"mark","ts":1},{"ph":"C","name":"count","ts":2,"args":{"x":1}},{"ph":"b","id":1,"ts":0,"name":"async"},
        {"ph":"X","name":"a","ts":1,"dur":2,"args":{"url":null,"line":"x","deep":[[{}]]},"cname":"red","id":"0x1"},
        {"ph":5,"name":"b","ts":0},{"ph":"B","name":"c"},{"name":"d","ts":3},{"ph":"\u0058","name":"e","ts":9}],"x":null}"#;
    let profile = check(
        events,
        &["1 thread Thread (0) 2000/0 x0", "2 a 2000/2000 x1"],
    );
    assert_eq!(
        profile.warnings(),
        [partly::EVENTS_INCOMPLETE.with_count(1)]
    );
}

#[test]
fn many_events_in_order_are_processed_immediately() {
    let mut text = String::from("[");
    for call in 0..100_000 {
        let (start, end) = (call * 10, call * 10 + 4);
        text +=
            &format!(r#"{{"ph":"B","name":"a","ts":{start}}},{{"ph":"E","name":"a","ts":{end}}},"#);
    }
    // an event too late for reordering
    text += r#"{"ph":"X","name":"late","ts":50,"dur":10}]"#;
    let expect = [
        "1 thread Thread (0) 400000000/0 x0",
        "2 a 400000000/400000000 x100000",
        "2 late 0/0 x1",
    ];
    let late = partly::EVENTS_LATE.with_count(1);
    assert_eq!(check(&text, &expect).warnings(), [late]);
}

#[test]
fn many_events_in_any_order_are_sorted() {
    let mut text = String::from("[");
    for call in (0..20_000).rev() {
        let (start, end) = (call * 10 + 1, call * 10 + 4);
        text +=
            &format!(r#"{{"ph":"B","name":"b","ts":{start}}},{{"ph":"E","name":"b","ts":{end}}},"#);
    }
    text += r#"{"ph":"X","name":"all","ts":0,"dur":200000}]"#;
    check(
        &text,
        &[
            "1 thread Thread (0) 200000000/0 x0",
            "2 all 200000000/140000000 x1",
            "3 b 60000000/60000000 x20000",
        ],
    );
}

#[test]
fn cyclic_callers_are_cut() {
    let profile = read_text(
        r#"{"traceEvents":[],"stackFrames":{"1":{"name":"a","parent":2},"2":{"name":"b","parent":1},"3":{"name":"c","parent":9}},
            "samples":[{"ts":0,"sf":1},{"ts":5,"sf":3},{"ts":7,"sf":4},{"ts":8,"sf":4}]}"#,
    );
    let found = dump(&profile).join("\n");
    assert_starts_with(&found, "1 thread Thread (0) 8000/0 x4\n");
    assert_contains_all(
        found,
        &["\n2 c 2000/2000 x1", "\n2 special [No name] 1000/1000 x2"],
    );
}

#[test]
fn a_deep_chain_is_read() {
    let mut text = String::from("[");
    for depth in 0..100_000 {
        text += &format!(r#"{{"ph":"B","name":"f{}","ts":{depth}}},"#, depth % 7);
    }
    let profile = read_text(&text);
    assert_eq!(profile.tree.len(), 100_002);
    assert_eq!(profile.tree.inclusive(TIME, NodeId(2)), 99_999_000);
}

#[test]
fn invalid_files_are_refused_with_a_message() {
    for (text, expect) in [
        (
            r#"[{"ph":"X","ts":0},7]"#,
            " at byte 19 (0x13): expected an object, found a number",
        ),
        (
            r#"{"traceEvents":{"ph":1}}"#,
            ", member `traceEvents` at byte 15 (0xf): expected an array, found an object",
        ),
        (
            r#"[{"ph":"X","ts":NaN}]"#,
            " at byte 16 (0x10): expected a value, found `N`",
        ),
        (
            r#"[{"ph":"X","ts":0}] x"#,
            " at byte 20 (0x14): expected the end of the file, found `x`",
        ),
    ] {
        let error = read_bytes("a.json", text.into()).unwrap_err().to_string();
        let expect = format!(
            "a.json: Chromium trace-event JSON{expect}; the file is damaged or not in this format"
        );
        assert_eq!(error, expect);
    }
}

/// A profiler event.
fn profiler(name: &str, process: u32, thread: u32, ts: u32, data: &str) -> String {
    format!(
        r#"{{"args":{{"data":{data}}},"id":"0x1","name":"{name}","ph":"P","pid":{process},"tid":{thread},"ts":{ts}}}"#
    )
}

/// A chunk with nodes (id, name, caller), samples and time deltas.
fn chunk(process: u32, ts: u32, nodes: &[(u32, &str, u32)], samples: &str, deltas: &str) -> String {
    let node = |(id, name, parent): &(u32, &str, u32)| {
        let is_method = !name.starts_with('(');
        let url = if is_method {
            "https://acme.test/main.js"
        } else {
            ""
        };
        format!(
            r#"{{"callFrame":{{"functionName":"{name}","scriptId":7,"url":"{url}","lineNumber":9}},"id":{id},"parent":{parent}}}"#
        )
    };
    let nodes: Vec<String> = nodes.iter().map(node).collect();
    let nodes = nodes.join(",");
    let data = format!(
        r#"{{"cpuProfile":{{"nodes":[{nodes}],"samples":[{samples}]}},"lines":[1],"timeDeltas":[{deltas}]}}"#
    );
    profiler("ProfileChunk", process, 99, ts, &data)
}

const ROOT: (u32, &str, u32) = (1, "(root)", 0);

/// A trace as written by Chrome's performance panel: two spans of 200 and 50 us with arguments, and on the same thread samples at 10,
/// 30, 60 and 100 of 150 us; two samples of a worker, whose profile has the same id in another process.
fn chrome_trace() -> String {
    let start = r#"{"startTime":1000}"#;
    let events = [
        r#"{"args":{"name":"CrRendererMain"},"name":"thread_name","ph":"M","pid":10,"tid":3,"ts":0}"#.to_string(),
        r#"{"args":{"data":{"startTime":5,"url":"x"}},"dur":200,"name":"RunTask","ph":"X","pid":10,"tid":3,"ts":1000}"#
            .into(),
        r#"{"args":{},"dur":50,"id":"0x1","name":"Paint","ph":"X","pid":10,"tid":3,"ts":1050}"#.into(),
        profiler("Profile", 10, 3, 1000, start),
        chunk(10, 2000, &[ROOT, (2, "main", 1)], "2", "10"),
        profiler("Profile", 11, 5, 1000, start),
        chunk(11, 2000, &[ROOT, (2, "main", 1)], "2,2", "0,7"),
        chunk(10, 2000, &[(3, "draw", 2), (4, "(idle)", 1)], "3,3,4", "20,30,40"),
        profiler("ProfileChunk", 10, 99, 2000, r#"{"endTime":1150}"#),
    ];
    format!(
        r#"{{"metadata":{{}},"traceEvents":[{}]}}"#,
        events.join(",")
    )
}

#[test]
fn a_cpu_profile_within_a_trace_is_read_as_samples_of_its_thread() {
    let expect = [
        "1 process Process (10) 140000/0 x4",
        "2 thread Thread (3) CrRendererMain 140000/0 x4",
        "3 main 90000/20000 x3",
        "4 draw 70000/70000 x2",
        "3 special (idle) 50000/50000 x1",
        "1 process Process (11) 7000/0 x2",
        "2 thread Thread (5) 7000/0 x2",
        "3 main 7000/7000 x2",
    ];
    let profile = check(&chrome_trace(), &expect);
    assert_eq!(profile.recording.source.format, "trace-event");
    assert_eq!(profile.recording.source.kind, ProfileKind::Sampling);
    let location = profile.frames.location(profile.frames.find("main")[0]);
    assert_eq!(location, "https://acme.test/main.js:10");
    let note = Diagnostic::SpansBesideProfile {};
    assert_eq!(profile.diagnostics, [note]);
}

#[test]
fn naming_the_format_reads_the_spans_next_to_a_cpu_profile() {
    let options = ReadOptions {
        format: FORMATS.iter().find(|format| format.name == "trace-event"),
        ..ReadOptions::default()
    };
    let input = stream("a.json", chrome_trace().into_bytes()).unwrap();
    let read = import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    });
    let profile = read.unwrap().into_view();
    let expect = [
        "1 thread Thread (3) CrRendererMain 200000/0 x0",
        "2 RunTask 200000/150000 x1",
        "3 Paint 50000/50000 x1",
    ];
    assert_eq!(dump(&profile), expect);
    let note = Diagnostic::ProfileBesideSpans {};
    assert_eq!(profile.diagnostics, [note]);
}

#[test]
fn a_trace_of_nothing_but_a_cpu_profile_is_not_empty() {
    let trace = r#"[{"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
        {"id":2,"callFrame":{"functionName":"main"}}],"startTime":100,"endTime":160,"samples":[2,9],"timeDeltas":[10,30]}}},
        "name":"CpuProfile","ph":"I","pid":1,"tid":2,"ts":100}]"#;
    let expect = ["1 thread Thread (2) 30000/0 x1", "2 main 30000/30000 x1"];
    let unknown = partly::SAMPLES_OF_UNKNOWN_NODES.with_count(1);
    assert_eq!(check(trace, &expect).warnings(), [unknown]);
    // data in other events does not belong to any profile
    for data in [
        r#"{"cpuProfile":7,"timeDeltas":"x"}"#,
        r#"{"samples":[1],"nodes":{}}"#,
        "[1]",
        "null",
    ] {
        let text = format!(
            r#"[{{"args":{{"data":{data}}},"name":"f","ph":"X","dur":5,"pid":1,"tid":2,"ts":100}}]"#
        );
        check(
            &text,
            &["1 thread Thread (2) 5000/0 x0", "2 f 5000/5000 x1"],
        );
    }
}

/// Checks the exclusive values of a thread's methods in microseconds, and their samples.
#[track_caller]
fn check_own(profile: &View, thread: &str, expect: &[(&str, u64, u64)]) {
    let tree = &profile.tree;
    let count = |node| tree.count(TIME, node).unwrap();
    let top = profile
        .threads
        .iter()
        .find(|row| row.id == thread)
        .unwrap()
        .node;
    for &(name, own_us, samples) in expect {
        let nodes = tree.range(top).map(NodeId::at);
        let nodes = nodes.filter(|&node| profile.name(node) == name);
        let found = nodes.fold((0, 0), |sums, node| {
            let below: u64 = tree.children(node).map(count).sum();
            (
                sums.0 + tree.exclusive(TIME, node),
                sums.1 + count(node) - below,
            )
        });
        assert_eq!(found, (own_us * 1000, samples), "{thread} {name}");
    }
}

/// Expected numbers come from 20 lines of Python that follow `CPUProfileDataModel.ts` of Chrome's developer tools: times are the start
/// plus the deltas, samples are sorted by time, and each lasts until the next, the last until the end.
#[test]
fn real_cpu_profiles_have_the_sums_of_chromes_algorithm() {
    // two threads, whose events have no id
    let profile = read_file(&present!(shared("chrome/worker.json")));
    let main = [
        ("(idle)", 868_266, 3750),
        ("(program)", 119_835, 393),
        ("banana", 50_635, 246),
    ];
    check_own(&profile, "30851", &main);
    let worker = [
        ("(program)", 820_340, 3577),
        ("gamma", 22_197, 111),
        ("onmessage", 639, 3),
    ];
    check_own(&profile, "31089", &worker);
    let note = Diagnostic::SpansBesideProfile {};
    assert_eq!(
        profile.diagnostics,
        [partly::SAMPLES_REORDERED.with_count(1), note]
    );
    // `Profile` starts at 0, the chunk has start and end by another clock, and its deltas occur twice
    let profile = read_file(&present!(shared("chrome/chrome-trace-issue-5429.json.gz")));
    let own = [("(idle)", 132_543, 106), ("custom_gc", 87_583, 70)];
    check_own(&profile, "44554", &own);
    // negative deltas
    let profile = read_file(&present!(shared("chrome/test.chrome.gz")));
    let own = [
        ("(idle)", 446_217, 3422),
        ("(program)", 23_273, 177),
        ("requestAnimationFrame", 2_731, 41),
        ("search", 2_613, 22),
        ("e", 581, 8),
        ("_allDistMargin", 218, 2),
        ("stroke", 192, 3),
    ];
    check_own(&profile, "775", &own);
    let reordered = partly::SAMPLES_REORDERED.with_count(18);
    assert!(profile.diagnostics.contains(&reordered));
}

#[test]
fn chunks_are_sorted_by_time() {
    // samples 2 at 1 and 2 ms, 3 at 4 and 5 ms, 2 at 6 ms
    let events = [
        profiler("Profile", 1, 1, 1000, r#"{"startTime":1000}"#),
        chunk(1, 3000, &[(3, "b", 2)], "3,3,2", "2000,1000,1000"),
        chunk(1, 2000, &[ROOT, (2, "a", 1)], "2,2", "0,1000"),
    ];
    check(
        &format!("[{}]", events.join(",")),
        &[
            "1 thread Thread (1) 5000000/0 x5",
            "2 a 5000000/3000000 x5",
            "3 b 2000000/2000000 x2",
        ],
    );
}

#[test]
fn a_reused_id_is_another_profile() {
    let events = [
        profiler("Profile", 1, 1, 1000, r#"{"startTime":1000}"#),
        chunk(1, 2000, &[ROOT, (2, "a", 1)], "2,2", "0,1000"),
        profiler("Profile", 1, 1, 100_000, r#"{"startTime":100000}"#),
        chunk(1, 102_000, &[ROOT, (2, "c", 1)], "2,2", "0,3000"),
    ];
    let expect = [
        "1 thread Thread (1) 3000000/0 x2",
        "2 c 3000000/3000000 x2",
        "1 thread Thread (1) 1000000/0 x2",
        "2 a 1000000/1000000 x2",
    ];
    check(&format!("[{}]", events.join(",")), &expect);
}

#[test]
fn chunks_that_two_threads_send_belong_to_their_own_profiles() {
    let chunk_of = |thread: u32, name: &str, samples: &str, deltas: &str| {
        chunk(1, 2000, &[ROOT, (2, name, 1)], samples, deltas)
            .replace(r#""tid":99"#, &format!(r#""tid":{thread}"#))
    };
    let events = [
        profiler("Profile", 1, 1, 1000, r#"{"startTime":1000}"#),
        profiler("Profile", 1, 2, 1000, r#"{"startTime":1000}"#),
        chunk_of(1, "a", "2,2", "0,1000"),
        chunk_of(2, "b", "2,2", "0,2000"),
        // of neither thread: belongs to the last profile
        chunk_of(99, "b", "2", "500"),
    ];
    let expect = [
        "1 thread Thread (2) 2500000/0 x3",
        "2 b 2500000/2500000 x3",
        "1 thread Thread (1) 1000000/0 x2",
        "2 a 1000000/1000000 x2",
    ];
    check(&format!("[{}]", events.join(",")), &expect);
}
