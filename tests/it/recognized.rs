//! JSON formats are recognized by their members in any order.

use crate::common::profiles::stream;
use dotspot::testing::importers::{detect, format_of};
use dotspot::testing::input::Head;

#[track_caller]
fn check(text: &str, name: &str, expect: Option<&str>) {
    let bytes = text.as_bytes();
    let found = detect(&Head { bytes, name });
    assert_eq!(found.map(|format| format.name), expect, "{text}");
}

#[test]
fn json_formats_are_distinguished() {
    let schema = r#""$schema":"https://www.speedscope.app/file-format-schema.json""#;
    for (text, expect) in [
        // with members in the order of dotnet-trace, speedscope and others
        (format!(r#"{{"exporter": "T", "name": "t", "activeProfileIndex": 0, {schema}, "shared"#), "speedscope"),
        (r#"{"shared":{"frames":[{"name":"a"},{"na"#.into(), "speedscope"),
        (r#"{"version":"0.0.1","profiles":[{"endValue":14,"eve"#.into(), "speedscope"),
        (r#"{"profiles":[{"type":"sampled","unit":"none","samples":[[0,1"#.into(), "speedscope"),
        (
            r#"{"$schema":"./file-format-schema.json","exporter":"x","profiles":[{"type":"sampled","samples":[[0"#
                .into(),
            "speedscope",
        ),
        (r#"{"$schema":"https://example.org/speedscope.schema.json","shared":{"frames":[{"na"#.into(), "speedscope"),
        (r#"{"otherData": { "name": "t"}, "traceEvents": [ {"na"#.into(), "trace-event"),
        (r#"{"metadata":{"x":[1,2,{}]},"traceEvents":[]}"#.into(), "trace-event"),
        ("\n\n [\n {\"pid\":0, \"tid\":0, \"ph\":\"B\"".into(), "trace-event"),
        (r#"[{"name":"process_name","args":{"name":"x"},"ph":"#.into(), "trace-event"),
        ("\u{feff}{\"nodes\":[{\"id\":1,\"callFrame\":{".into(), "cpuprofile"),
        (r#"{"startTime":1,"samples":[1],"timeDeltas":[1],"nodes":[]}"#.into(), "cpuprofile"),
        (r#"{"schema":"dotspot.call-tree/1","call_tree":"#.into(), "calltree"),
        (r#"{"snapshot":{"payload_type":"tracing""#.into(), "calltree"),
        (r#"{"StackSource":{"Samples":[{"Time":1,"#.into(), "perfview"),
        (r#"{"meta":{"categories":[{"name":"x"}],"preprocessedProfileVersion":24,"x"#.into(), "firefox"),
        (r#"{"meta":{"interval":1,"stackwalk":1},"threads":[]}"#.into(), "firefox"),
        (r#"{"libs":[{"arch":"x","breakpadId":"#.into(), "firefox"),
        (r#"{"threads":[{"name":"a","stackTable":{"#.into(), "firefox"),
    ] {
        check(&text, "", Some(expect));
    }
}

#[test]
fn other_json_is_not_a_profile() {
    for text in [
        r#"{"name":"package","version":"1.0.0","dependencies":{}}"#,
        r#"{"$schema":"https://json.schemastore.org/x","profiles":[{"name":"p"}]}"#,
        r#"[{"name":"x"},{"name":"y"}]"#,
        "[1,2,3]",
        r#"{"snapshot":{"meta":{"node_fields":["type"]}},"nodes":[1,2]}"#,
        r#"{"meta":{"interval":1},"threads":[{"name":"x"}]}"#,
        r#"{"name":"x","meta":{"preprocessedProfileVersion":40}}"#,
        "{}",
        "[]",
        "",
    ] {
        check(text, "", None);
    }
    // the name helps if the content does not contradict it
    for (name, expect) in [
        ("a.speedscope.json", "speedscope"),
        ("a.speedscope", "speedscope"),
        ("a.chromium.json", "trace-event"),
        ("a.cpuprofile", "cpuprofile"),
        ("a.profile.json", "firefox"),
    ] {
        check(r#"{"exporter":"x"}"#, name, Some(expect));
    }
    check("a text", "a.speedscope.json", None);
}

#[test]
fn the_decisive_member_may_follow_a_long_one() {
    let long = "x".repeat(200_000);
    for (rest, expect) in [
        (r#""profiles":[{"events":[]}]}"#, "speedscope"),
        (r#""traceEvents":[]}"#, "trace-event"),
        (r#""timeDeltas":[]}"#, "cpuprofile"),
        (
            r#""schema":"dotspot.call-tree/1","call_tree":{}}"#,
            "calltree",
        ),
        (r#""StackSource":{}}"#, "perfview"),
    ] {
        let text = format!(r#" {{"metadata":"{long}",{rest}"#);
        let input = stream("x", text.into()).unwrap();
        assert_eq!(format_of(&input).unwrap().name, expect);
    }
}
