//! `dotspot mcp`: the real program, driven by the SDK's own client, by handwritten lines and by hostile ones.
#![cfg(feature = "mcp")]

mod budgets;
mod client;
mod evaluation;
mod finding;
mod hostile;
mod lines;
mod session;
mod trials;

use serde_json::Value;
use std::path::Path;

/// The bundled recording's path relative to its folder.
const SAMPLE: &str = "js-ordered-consume.nettrace";

/// The folder of the bundled recordings.
fn snapshots() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("snapshots")
        .to_str()
        .unwrap()
        .to_string()
}

/// The text of a tool's answer, and whether it is an error.
#[track_caller]
fn text_of(answer: &Value) -> (String, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    (
        text.to_string(),
        result["isError"].as_bool().unwrap_or(false),
    )
}
