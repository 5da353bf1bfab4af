//! Damaged call-tree JSON: what can be read is read, the rest is said, and memory stays within bounds.

use crate::common::call_tree::{TIME, document, export, load, load_bytes};
use crate::common::memory::{ran_alone, within_kb};
use crate::common::random::Random;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{MetricId, NodeId};
use dotspot::testing::text::is_hostile;

#[test]
fn metrics_without_values_take_no_memory() {
    if ran_alone(module_path!(), "metrics_without_values_take_no_memory") {
        return;
    }
    let declared = vec![r#"{"name":"m","unit":"count","counts":"calls"}"#; 15].join(",");
    let text = format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"other_metrics":[{declared}]}},"call_tree":{{"name":"r","children":[{}{{}}]}}}}"#,
        "{},".repeat(1_000_000)
    );
    let profile = within_kb(80_000, || load_bytes(text.into_bytes()).unwrap());
    assert_eq!(
        (profile.tree.len(), profile.recording.metrics.len()),
        (1_000_002, 16)
    );
    assert_eq!(profile.tree.inclusive(MetricId(15), NodeId(1_000_001)), 0);
}

/// A file with everything in it.
fn rich() -> String {
    let mut profile = load(&document(
        r#"{"id":"root","name":"All","kind":"root","inclusive_time":5,"exclusive_time":0,"call_count":2,"other":[[1,2,3],[4,5,null]],"children":[{"id":"t7:0x2a","name":"Main\u009b","kind":"thread","inclusive_time":2,"exclusive_time":1,"thread_name":"M","children":[{"id":"t7:0xff","name":"größe","signature":"(int)","kind":"method","inclusive_time":0.000001,"exclusive_time":1e-6,"other":[[7,7,7]]}]},{"id":"t3:0x2a","name":"Pool","kind":"thread","inclusive_time":3,"exclusive_time":3,"thread_name":"Pool","children":[]}]}"#,
    ));
    profile.diagnostics.push(Diagnostic::kept("one".into()));
    export(&profile, NodeId::ROOT, TIME)
}

/// Reads what may be damaged: a good tree, or an error that is a sentence about the file.
fn survive(bytes: Vec<u8>) -> bool {
    match load_bytes(bytes) {
        Ok(profile) => {
            profile.tree.check().unwrap();
            assert!(!export(&profile, NodeId::ROOT, TIME).is_empty());
            true
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(
                sentence.starts_with("a.json: ") && !sentence.chars().any(is_hostile),
                "{sentence}"
            );
            false
        }
    }
}

#[test]
fn every_truncation_gives_a_tree_or_an_error() {
    let text = rich();
    let tree = text.find(r#""name":"All""#).unwrap();
    for end in 0..text.len() {
        let is_read = survive(text.as_bytes()[..end].to_vec());
        assert_eq!(
            is_read,
            end >= tree + r#""name":"All""#.len(),
            "cut at {end}"
        );
    }
    assert!(survive(text.into_bytes()));
}

#[test]
fn mutations_are_survived_in_little_memory() {
    if ran_alone(module_path!(), "mutations_are_survived_in_little_memory") {
        return;
    }
    let text = rich().into_bytes();
    let mut random = Random(42);
    const BYTES: &[u8] = b"{}[]\",:\\u0e.-+tfn19 \n\x00\x1b\x9b\xc3\xff";
    let mut read = 0;
    for _ in 0..1000 {
        let mut bytes = text.clone();
        random.change_text(&mut bytes, BYTES);
        // the reader's buffer, and what a text of 2 kB may become
        read += usize::from(within_kb(2_000, || survive(bytes)));
    }
    assert!((1..1000).contains(&read), "{read} of 1000 were read");
}
