//! V8 CPU profiles. Expected times were computed by hand.

use crate::common::profiles::{dump, read_bytes, read_text};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, partly};

const NODES: &str = r#""nodes":[
    {"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2,4,5]},
    {"id":2,"callFrame":{"functionName":"main","scriptId":"7","url":"file:///app/main.js","lineNumber":9,"columnNumber":3},"hitCount":1,"children":[3]},
    {"id":3,"callFrame":{"functionName":"","scriptId":"7","url":"file:///app/main.js","lineNumber":0,"columnNumber":0},"hitCount":2},
    {"id":4,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":1},
    {"id":5,"callFrame":{"functionName":"(garbage collector)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0}]"#;

#[test]
fn a_sample_lasts_until_the_next() {
    // at 10, 30, 60, 100 of 150 µs
    let times = r#""startTime":1000,"endTime":1150,"samples":[2,3,3,4],"timeDeltas":[10,20,30,40]"#;
    for text in [
        format!("{{{NODES},{times}}}"),
        format!("{{{times},{NODES}}}"),
    ] {
        let profile = read_text(&text);
        let expect = [
            "1 thread Thread 140000/0 x4",
            "2 main 90000/20000 x3",
            "3 (anonymous main.js:1) 70000/70000 x2",
            "2 special (idle) 50000/50000 x1",
            "2 special (garbage collector) 0/0 x0",
        ];
        assert_eq!(dump(&profile), expect);
        let location = profile.frames.location(profile.frames.find("main")[0]);
        assert_eq!(location, "file:///app/main.js:10");
        assert_eq!(profile.warnings(), []);
    }
}

#[test]
fn without_times_samples_are_counted() {
    for samples in ["", r#","samples":[2,3,3,4]"#] {
        let profile = read_text(&format!("{{{NODES}{samples}}}"));
        let expect = [
            "1 thread Thread 4/0 x4",
            "2 main 3/1 x3",
            "3 (anonymous main.js:1) 2/2 x2",
            "2 special (idle) 1/1 x1",
            "2 special (garbage collector) 0/0 x0",
        ];
        assert_eq!(dump(&profile), expect);
        assert_eq!(profile.warnings(), [Diagnostic::NoTimes {}]);
    }
}

/// Samples at 10, 30 and 60 µs of 100 µs.
#[test]
fn an_end_by_another_clock_and_missing_times_are_reported() {
    for (times, own, warning) in [
        (r#""timeDeltas":[10,20,30],"endTime":1100"#, 70_000, None),
        // an end by another clock
        (
            r#""timeDeltas":[10,20,30],"endTime":470030264501"#,
            30_000,
            Some(Anomaly::ValuesClamped.with_count(1)),
        ),
        // the last two at 30 µs
        (
            r#""timeDeltas":[10,20],"endTime":1100"#,
            70_000,
            Some(partly::SAMPLES_WITHOUT_TIME.with_count(1)),
        ),
    ] {
        let profile = read_text(&format!(
            r#"{{{NODES},"startTime":1000,"samples":[2,3,3],{times}}}"#
        ));
        let expect = [
            format!("1 thread Thread {}/0 x3", own + 20_000),
            format!("2 main {}/20000 x3", own + 20_000),
            format!("3 (anonymous main.js:1) {own}/{own} x2"),
        ];
        assert_eq!(dump(&profile)[..3], expect);
        assert_eq!(profile.warnings(), Vec::from_iter(warning), "{times}");
    }
}

#[test]
fn parent_ids_are_read_and_invalid_ones_reported() {
    let node = |id: u32, rest: &str| {
        format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{id}"}}{rest}}}"#)
    };
    let nodes = [
        node(3, r#","parent":2"#),
        node(2, r#","parent":1"#),
        node(1, ""),
        node(7, r#","children":[8]"#),
        node(8, r#","children":[7,99]"#),
    ];
    let text = format!(
        r#"{{"nodes":[{}],"samples":[3,8,99],"timeDeltas":[0,5,-7],"endTime":0}}"#,
        nodes.join(",")
    );
    let profile = read_text(&text);
    let found = dump(&profile);
    let thread = "1 thread Thread 5000/0 x2";
    let expect = [
        thread,
        "2 f1 5000/0 x1",
        "3 f2 5000/0 x1",
        "4 f3 5000/5000 x1",
    ];
    assert_eq!(found[..4], expect);
    assert_eq!(found.len(), 6);
    let unknown = partly::SAMPLES_OF_UNKNOWN_NODES.with_count(1);
    let reordered = partly::SAMPLES_REORDERED.with_count(1);
    assert_eq!(profile.warnings(), [unknown, reordered]);
}

/// Negative time deltas are added, and the samples are then sorted by time, as in Chrome's developer tools: 10, 30, 25
/// and 40 of 50 µs.
#[test]
fn samples_out_of_order_are_sorted_by_time() {
    let profile = read_text(&format!(
        r#"{{{NODES},"startTime":1000,"endTime":1050,"samples":[2,3,4,3],"timeDeltas":[10,20,-5,15]}}"#
    ));
    let expect = [
        "1 thread Thread 40000/0 x4",
        "2 main 35000/15000 x3",
        "3 (anonymous main.js:1) 20000/20000 x2",
        "2 special (idle) 5000/5000 x1",
        "2 special (garbage collector) 0/0 x0",
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(
        profile.warnings(),
        [partly::SAMPLES_REORDERED.with_count(1)]
    );
}

#[test]
fn a_deep_chain_is_read() {
    let node = |id: u32| {
        let next = id + 1;
        format!(r#"{{"id":{id},"callFrame":{{"functionName":"f"}},"children":[{next}]}}"#)
    };
    let nodes: Vec<String> = (1..=100_000).map(node).collect();
    let nodes = nodes.join(",");
    let text = format!(r#"{{"nodes":[{nodes}],"samples":[100000],"timeDeltas":[0]}}"#);
    assert_eq!(read_text(&text).tree.len(), 100_002);
}

#[test]
fn invalid_files_are_refused_with_one_sentence() {
    for (text, expect) in [
        (
            r#"{"timeDeltas":[1]}"#,
            ": expected the member `nodes`, found none in the whole file; `dotspot formats` lists what can be opened",
        ),
        (
            r#"{"nodes":[{"callFrame":{}},5]}"#,
            ", member `nodes` at byte 27 (0x1b): expected an object, found a number; the file is damaged or not in this format",
        ),
    ] {
        let error = read_bytes("a.cpuprofile", text.into()).unwrap_err();
        let expect = format!("a.cpuprofile: V8 CPU profile{expect}");
        assert_eq!(error.to_string(), expect);
    }
}
