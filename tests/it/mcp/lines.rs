//! Protocol sessions written by hand from the specification: what a client of each version sends, and the members that the specification
//! requires in the responses.

use super::session::Session;
use super::{SAMPLE, snapshots};
use serde_json::{Value, json};

/// The lines sent by a client of version 2024-11-05.
const LINES_2024_11_05: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"ExampleClient","version":"1.0.0"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":"123","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hotspots","arguments":{"profile":"js-ordered-consume.nettrace","budget":300}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"resources/list"}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"dotspot:formats"}}"#,
];

/// The lines sent by a client of version 2025-06-18.
const LINES_2025_06_18: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"ExampleClient","title":"Example Client Display Name","version":"1.0.0"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#"{"jsonrpc":"2.0","id":"123","method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hotspots","arguments":{"profile":"js-ordered-consume.nettrace","budget":300},"_meta":{"progressToken":"abc123"}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"resources/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"dotspot:formats"}}"#,
];

/// The response with this id; requests are answered in any order.
fn answer<'a>(answers: &'a [Value], id: &Value) -> &'a Value {
    answers
        .iter()
        .find(|answer| answer["id"] == *id)
        .unwrap_or_else(|| panic!("{id} has an answer: {answers:?}"))
}

#[track_caller]
fn check(version: &str, lines: &[&str]) {
    let mut session = Session::start(&[&snapshots()]);
    lines.iter().for_each(|line| session.send_line(line));
    let (code, answers) = session.end();
    assert_eq!(code, 0, "{version}");
    assert!(
        answers.iter().all(|answer| answer["jsonrpc"] == "2.0"),
        "{answers:?}"
    );
    let result = |id: Value| {
        let answer = answer(&answers, &id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    };
    let hello = result(json!(1));
    assert_eq!(
        (
            hello["protocolVersion"].as_str(),
            hello["serverInfo"]["name"].as_str()
        ),
        (Some(version), Some("dotspot"))
    );
    assert!(
        hello["capabilities"]["tools"].is_object()
            && hello["capabilities"]["resources"].is_object(),
        "{hello}"
    );
    assert_eq!(
        result(json!("123")),
        json!({}),
        "a ping has an empty answer"
    );
    for tool in result(json!(2))["tools"].as_array().unwrap() {
        assert!(
            tool["name"].is_string() && tool["description"].is_string(),
            "{tool}"
        );
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let called = result(json!(3));
    assert_eq!(
        (&called["content"][0]["type"], &called["isError"]),
        (&json!("text"), &json!(false)),
        "{called}"
    );
    assert!(
        called["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("PriceRules.Discount"),
        "{called}"
    );
    let resources = result(json!(4));
    assert!(
        resources["resources"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["uri"].is_string() && row["name"].is_string())
    );
    let read = result(json!(5));
    let contents = &read["contents"][0];
    assert_eq!(
        (&contents["uri"], &contents["mimeType"]),
        (&json!("dotspot:formats"), &json!("text/plain")),
        "{read}"
    );
    assert!(
        contents["text"].as_str().unwrap().contains("nettrace: "),
        "{read}"
    );
}

#[test]
fn clients_of_two_versions_are_answered() {
    assert!(LINES_2024_11_05[4].contains(SAMPLE) && LINES_2025_06_18[4].contains(SAMPLE));
    check("2024-11-05", LINES_2024_11_05);
    check("2025-06-18", LINES_2025_06_18);
}
