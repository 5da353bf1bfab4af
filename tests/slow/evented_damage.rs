//! Damaged speedscope, trace-event, V8 and call-tree files: what is readable is read, the rest is reported, memory stays bounded.

use crate::common::memory::{ran_alone, within_kb};
use crate::common::profiles::read_bytes;
use crate::common::random::{Random, survive};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{MetricId, NodeId};

/// A small file of each format that uses every supported field, and the text after which a truncated file opens.
const FILES: &[(&str, &str, &str)] = &[
    (
        "evented.speedscope.json",
        r#"{"exporter": "T@1", "name": "t", "$schema": "https://www.speedscope.app/file-format-schema.json", "shared": { "frames": [ { "name": "Process64 app (7) Args: " }, { "name": "(Non-Activities)" }, { "name": "Threads" }, { "name": "Thread (9)" }, { "name": "App!N.C\u003cM\u003e(größe)", "file": "a.cs", "line": 3 }, { "name": "CPU_TIME" }] }, "profiles": [ { "type": "evented", "name": "Thread (9)", "unit": "milliseconds", "startValue": 0.5, "endValue": "2.25", "events": [ { "type": "O", "frame": 0, "at": 0.5 }, { "type": "O", "frame": 3, "at": 0.5 }, { "type": "O", "frame": 4, "at": 0.5 }, { "type": "O", "frame": 5, "at": 0.5 }, { "type": "C", "frame": 5, "at": 2.25 }, { "type": "C", "frame": 4, "at": 2.25 }, { "type": "C", "frame": 0, "at": 2.25 }]}]}"#,
        r#""profiles": [ {"#,
    ),
    (
        "sampled.speedscope.json",
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{"samples":[[0,1,2],[0,1]],"weights":[1.5,"2"],"unit":"seconds","type":"sampled"},{"events":[{"at":-1e3,"frame":0,"type":"O"},{"at":2,"frame":0,"type":"C"}],"unit":"none"}],"shared":{"frames":[{"name":"a"},{"name":"b"}]},"activeProfileIndex":0}"#,
        r#""profiles":[{"#,
    ),
    (
        "events.json",
        r#"[{"name":"process_name","ph":"M","pid":1,"args":{"name":"web"}},{"name":"a\u0062","cat":"x","ph":"B","ts":1.5,"pid":1,"tid":2,"sf":0},{"name":"c","ph":"X","ts":"2","dur":7,"tdur":1,"pid":2,"tid":"t","args":{"url":"a.js","line":5,"x":[{}]}},{"ph":"E","name":"ab","ts":-3,"pid":1,"tid":2},{"ph":"E","ts":1e3,"pid":1,"tid":2}]"#,
        r#""web"}}"#,
    ),
    (
        "samples.json",
        r#"{"traceEvents":[{"ph":"i","ts":0}],"otherData":{"exporter":"T","name":"t"},"samples":[{"ts":"5","pid":1,"tid":"7","sf":1},{"ts":9,"pid":1,"tid":"7","sf":"2"},{"ts":12,"pid":1,"tid":"7","sf":3}],"stackFrames":{"1":{"name":"r","category":"c"},"2":{"name":"s","parent":1},"3":{"name":"t","parent":"2"}}}"#,
        r#""ts":0}"#,
    ),
    (
        "a.cpuprofile",
        r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"hitCount":0,"children":[2,3]},{"id":2,"callFrame":{"functionName":"","url":"http://a/b.js","lineNumber":4},"hitCount":1,"children":[]},{"id":3,"parent":1,"callFrame":{"functionName":"f","url":"x.js","lineNumber":0},"hitCount":2}],"startTime":100,"endTime":190,"samples":[2,3,3],"timeDeltas":[10,20,30]}"#,
        r#""children":[2,3]}"#,
    ),
    (
        "a.profile.json",
        r#"{"meta":{"interval":1,"product":"a","preprocessedProfileVersion":55,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[{"name":"l"}],"threads":[{"name":"T","tid":"1","pid":2,"samples":{"stack":[1,0,null],"timeDeltas":[1.5,2,0],"weight":[1,2,1],"weightType":"samples","threadCPUDelta":[7,0,null]},"stackTable":{"prefix":[null,0],"frame":[0,1]},"frameTable":{"func":[0,1]},"funcTable":{"name":[0,1],"resource":[-1,0],"fileName":[2,null],"lineNumber":[3,null]},"resourceTable":{"lib":[0]},"stringArray":["m","größe","a.cs","x"],"markers":{"name":[3],"startTime":[1],"endTime":[2],"phase":[1],"data":[{"type":"exceptions","cause":{"stack":1},"message":"m"}]}}]}"#,
        r#""stack":[1"#,
    ),
    (
        "a.json",
        r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"a.dtp","payload_type":"tracing","time_unit":"ms","metric":{"name":"time","unit":"ms","counts":"calls"},"other_metrics":[{"name":"CPU","unit":"ms","counts":"samples"},{"name":"items","unit":"count","counts":null}],"warnings":["one"]},"thread_roots":[{"id":"t7:0x2a","thread_name":"M"}],"call_tree":{"id":"root","name":"All","kind":"root","inclusive_time":5,"exclusive_time":0,"call_count":2,"other":[[1,2,3],[4,5,null]],"children":[{"id":"t7:0x2a","name":"Main\u009b","kind":"thread","inclusive_time":2,"exclusive_time":1,"thread_name":"M","children":[{"id":"t7:0xff","name":"größe","signature":"(int)","kind":"method","inclusive_time":0.000001,"exclusive_time":1e-6,"other":[[7,7,7]]}]},{"id":"t3:0x2a","name":"Pool","kind":"thread","inclusive_time":3,"exclusive_time":3,"thread_name":"Pool","children":[]}]},"hotspots":{"inclusive":[{"name":"größe","kind":"method","inclusive_time":1,"exclusive_time":1,"call_count":1,"node_count":1}],"exclusive":[]}}"#,
        r#""name":"All""#,
    ),
];

#[test]
fn every_truncation_gives_a_tree_or_an_error() {
    for (name, text, decisive) in FILES {
        let min_len = text.find(decisive).unwrap() + decisive.len();
        for end in 0..text.len() {
            let is_read = survive(name, text.as_bytes()[..end].to_vec());
            assert_eq!(is_read, end >= min_len, "{name} truncated at {end}");
        }
        let intact = read_bytes(name, text.as_bytes().to_vec()).unwrap();
        let truncated = read_bytes(name, text.as_bytes()[..text.len() - 2].to_vec()).unwrap();
        let broken_off = Diagnostic::file_ends_at(text.len() as u64 - 2);
        assert!(truncated.warnings().contains(&broken_off), "{name}");
        assert!(truncated.tree.len() > 1 && intact.tree.len() > 2, "{name}");
    }
}

#[test]
fn thousands_of_mutations_are_survived_in_little_memory() {
    if ran_alone(
        module_path!(),
        "thousands_of_mutations_are_survived_in_little_memory",
    ) {
        return;
    }
    const BYTES: &[u8] = b"{}[]\",:\\u0e.-+tfn19 \n\x00\x1b\x9b\xc3\xff";
    let mut random = Random(42);
    for (name, text, _) in FILES {
        // the program's own code is paged in on its first run
        for end in 0..text.len() {
            survive(name, text.as_bytes()[..end].to_vec());
        }
        let mut read = 0;
        for _ in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            random.change_text(&mut bytes, BYTES);
            // the reader's buffer, and the growth of a text of 2 kB
            read += usize::from(within_kb(2_000, || survive(name, bytes)));
        }
        assert!((1..400).contains(&read), "{name}: {read} of 400 opened");
    }
}

#[test]
fn numbers_out_of_range_are_survived() {
    let numbers = [
        "1e999",
        "-1e999",
        "18446744073709551616",
        "-9223372036854775809",
        "\"Infinity\"",
        "\"-inf\"",
        "\"NaN\"",
        "0.1e-400",
    ];
    for number in numbers {
        let events = format!(
            r#"[{{"ph":"B","name":"a","ts":{number},"pid":{number},"tid":{number}}},{{"ph":"E","name":"a","ts":5}},
                {{"ph":"X","name":"b","ts":1,"dur":{number},"sf":{number}}},{{"ph":"X","name":"c","ts":{number},"dur":{number}}}]"#
        );
        assert!(survive("events.json", events.into()), "{number}");
        for unit in ["none", "nanoseconds", "seconds"] {
            let events = format!(
                r#""events":[{{"type":"O","frame":0,"at":{number}}},{{"type":"C","frame":0,"at":{number}}}]"#
            );
            let samples = format!(r#""samples":[[0]],"weights":[{number}]"#);
            let text = format!(
                r#"{{"$schema":"speedscope.app","profiles":[{{"unit":"{unit}",{events}}},{{{events},"unit":"{unit}"}},
                    {{"unit":"{unit}",{samples}}},{{{samples},"unit":"{unit}","endValue":{number}}}],"shared":{{"frames":[{{"name":"a","line":{number}}}]}}}}"#
            );
            assert!(survive("a.speedscope.json", text.into()), "{number}");
        }
    }
}

/// A deep stack that occurs once in each of many threads would expand to 10 billion nodes.
#[test]
fn small_files_do_not_expand_to_huge_trees() {
    if ran_alone(module_path!(), "small_files_do_not_expand_to_huge_trees") {
        return;
    }
    let frames: Vec<String> = (1..100_000)
        .map(|id| format!(r#""{id}":{{"name":"f","parent":{}}}"#, id - 1))
        .collect();
    let samples: Vec<String> = (0..100_000)
        .map(|tid| format!(r#"{{"ts":0,"tid":{tid},"sf":99999}}"#))
        .collect();
    let text = format!(
        r#"{{"samples":[{}],"traceEvents":[],"stackFrames":{{{}}}}}"#,
        samples.join(","),
        frames.join(",")
    );
    assert!(!within_kb(700_000, || survive(
        "samples.json",
        text.into_bytes()
    )));
}

/// Time and memory stay linear when every event hits the worst case.
#[test]
fn many_open_frames_and_unmatched_closes_are_read() {
    let mut text = String::from("[");
    for at in 0..20_000 {
        text += &format!(r#"{{"ph":"B","name":"f{at}","ts":{at}}},"#);
    }
    for at in 0..20_000 {
        text += &format!(r#"{{"ph":"E","name":"f{at}","ts":50000}},"#);
    }
    assert!(survive("events.json", text.into_bytes()));
}

#[test]
fn metrics_without_values_take_no_memory() {
    if ran_alone(module_path!(), "metrics_without_values_take_no_memory") {
        return;
    }
    let declared = vec![r#"{"name":"m","unit":"count","counts":"calls"}"#; 15].join(",");
    let text = format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"other_metrics":[{declared}]}},"call_tree":{{"name":"r","children":[{}{{}}]}}}}"#,
        "{},".repeat(300_000)
    );
    let profile = within_kb(26_000, || read_bytes("a.json", text.into_bytes()).unwrap());
    assert_eq!(
        (profile.tree.len(), profile.recording.metrics.len()),
        (300_002, 16)
    );
    assert_eq!(profile.tree.inclusive(MetricId(15), NodeId(300_001)), 0);
}
