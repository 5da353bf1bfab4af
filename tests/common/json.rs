//! JSON documents printed by commands.

use super::run::{dotspot, words};
use serde_json::Value;

/// The document of a successful command; standard error is ignored. `SAMPLE` is the bundled recording.
#[track_caller]
pub fn json(line: &str) -> Value {
    let run = dotspot(&[&words(line)[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{line}: {}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// Asserts that a number in a document is within 0.001 of the expected one.
#[track_caller]
pub fn near(found: &Value, expect: f64) {
    let is_near = |number: f64| (number - expect).abs() < 0.001;
    assert!(
        found.as_f64().is_some_and(is_near),
        "{found}, expected {expect}"
    );
}

pub fn number(found: &Value) -> f64 {
    found.as_f64().unwrap_or(f64::NAN)
}

pub fn text(found: &Value) -> &str {
    found.as_str().unwrap_or("")
}

/// The rows of a list.
pub fn each(list: &Value) -> impl DoubleEndedIterator<Item = &Value> + Clone {
    list.as_array().into_iter().flatten()
}

/// The sum of a member over all rows.
pub fn sum<'a>(rows: impl IntoIterator<Item = &'a Value>, member: &str) -> f64 {
    rows.into_iter().map(|row| number(&row[member])).sum()
}

/// The row of a list in which `member` has this text.
#[track_caller]
pub fn row<'a>(list: &'a Value, member: &str, is: &str) -> &'a Value {
    each(list)
        .find(|row| row[member] == is)
        .unwrap_or_else(|| panic!("no {member} is {is}"))
}
