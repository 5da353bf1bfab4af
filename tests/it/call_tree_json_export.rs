//! Exports call-tree JSON.

use crate::common::call_tree::{SMALL, TIME, document, export, load};
use crate::common::plans::{build, plans};
use crate::common::schema;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{NodeId, Source, View};
use dotspot::testing::text::is_hostile;
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn an_export_matches_the_contract_exactly() {
    let mut profile = load(SMALL);
    let facts = &mut Arc::make_mut(&mut profile.recording).source.facts;
    facts.push(("user".into(), "ann".into()));
    facts.push(("command line".into(), "shop --token secret".into()));
    let expect = concat!(
        r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"shop.dtp","thread_count":2,"node_count":6,"payload_type":"tracing","time_unit":"ms","decoder":"helper","decoder_version":"1.2","warnings":["no signatures"],"metric":{"name":"time","unit":"ms","counts":"calls"}},"#,
        r#""thread_roots":[{"id":"0x10","name":"Main","kind":"thread","thread_name":"Main thread","inclusive_time":7.5,"exclusive_time":0.5,"call_count":1},"#,
        r#"{"id":"0x99","name":"Pool","kind":"thread","thread_name":"Thread 12","thread_id":"12","inclusive_time":2.5,"exclusive_time":2.5,"call_count":1}],"#,
        r#""call_tree":{"id":"0x0","name":"All threads","kind":"root","inclusive_time":10,"exclusive_time":0,"call_count":0,"children":["#,
        r#"{"id":"0x10","name":"Main","kind":"thread","inclusive_time":7.5,"exclusive_time":0.5,"call_count":1,"thread_name":"Main thread","children":["#,
        r#"{"id":"0x20","name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":0.000001,"call_count":1,"children":["#,
        r#"{"id":"0x40","name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":6.749999,"exclusive_time":6.749999,"call_count":4,"children":[]},"#,
        r#"{"id":"0x30","name":"[Garbage collection]","kind":"special","inclusive_time":0.25,"exclusive_time":0.25,"call_count":3,"children":[]}]}]},"#,
        r#"{"id":"0x99","name":"Pool","kind":"thread","inclusive_time":2.5,"exclusive_time":2.5,"call_count":1,"thread_name":"Thread 12","children":[]}]},"#,
        r#""hotspots":{"inclusive":[{"name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":6.75,"call_count":5,"node_count":2},"#,
        r#"{"name":"[Garbage collection]","kind":"special","inclusive_time":0.25,"exclusive_time":0.25,"call_count":3,"node_count":1}],"#,
        r#""exclusive":[{"name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":6.75,"call_count":5,"node_count":2},"#,
        r#"{"name":"[Garbage collection]","kind":"special","inclusive_time":0.25,"exclusive_time":0.25,"call_count":3,"node_count":1}]}}"#,
    );
    assert_eq!(export(&profile, NodeId::ROOT, TIME), expect);
    let main = concat!(
        r#""thread_roots":[{"id":"0x20","name":"Main","kind":"thread","thread_name":"Main thread","inclusive_time":7,"exclusive_time":0.000001,"call_count":1}],"#,
        r#""call_tree":{"id":"0x20","name":"Acme.dll!Acme.Program.Main","kind":"method","inclusive_time":7,"exclusive_time":0.000001,"call_count":1,"thread_name":"Main thread","children":["#,
    );
    let text = export(&profile, NodeId(2), TIME);
    assert!(text.contains(main), "{text}");
}

/// Facts about the recording survive a round trip. Private facts are neither written nor read.
#[test]
fn public_facts_survive_and_private_ones_do_not() {
    let mut profile = load(SMALL);
    let source = &mut Arc::make_mut(&mut profile.recording).source;
    let facts = [
        ("recorded", "2026-11-21T09:23:48.367Z"),
        ("machine", "ANNS-PC"),
        ("runtime", "10.0.1"),
        ("perf command", "perf record --token secret"),
    ];
    let facts = facts.map(|(what, text)| (what.into(), text.to_string()));
    source.facts.extend(facts);
    let text = export(&profile, NodeId::ROOT, TIME);
    assert!(!text.contains("ANNS") && !text.contains("secret"), "{text}");
    let crafted = text.replace(
        r#"{"name":"runtime""#,
        r#"{"name":"user","text":"ann"},{"name":"runtime""#,
    );
    assert_ne!(crafted, text);
    let copy = load(&crafted);
    let source = &copy.recording.source;
    assert_eq!(source.fact("recorded"), Some("2026-11-21T09:23:48.367Z"));
    assert_eq!(source.fact("runtime"), Some("10.0.1"));
    assert_eq!(source.fact("user"), None);
}

#[test]
fn hotspot_lists_are_limited_to_two_hundred() {
    let node = |n: u32| {
        let own = 301 - n;
        format!(r#"{{"name":"m{n}","kind":"method","inclusive_time":{n},"exclusive_time":{own}}}"#)
    };
    let nodes: Vec<String> = (1..=300).map(node).collect();
    let nodes = nodes.join(",");
    let tree = format!(r#"{{"name":"r","kind":"root","children":[{nodes}]}}"#);
    let profile = load(&document(&tree));
    let text = export(&profile, NodeId::ROOT, TIME);
    let (_, document) = schema::check(&text, "300 methods");
    let row = |list: &str, at: usize| {
        let row = &document["hotspots"][list][at];
        (row["name"].clone(), row[format!("{list}_time")].clone())
    };
    let lists = ["inclusive", "exclusive"].map(|list| document["hotspots"][list].as_array());
    assert_eq!(lists.map(|list| list.unwrap().len()), [200, 200]);
    // m1's inclusive time of 1 is raised to its exclusive time of 300; m300 ties with it and has an exclusive time of 1
    assert_eq!(row("inclusive", 0), ("m1".into(), 300.into()));
    assert_eq!(row("exclusive", 0), ("m1".into(), 300.into()));
    assert_eq!(row("exclusive", 199), ("m200".into(), 101.into()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// `round_trips.rs` compares the trees.
    #[test]
    fn exports_are_valid_and_survive_a_round_trip(plan in plans()) {
        let profile = build(&plan);
        let metric = profile.recording.default_metric;
        let text = export(&profile, NodeId::ROOT, metric);
        schema::check(&text, "an export");
        prop_assert!(!text.chars().any(is_hostile), "{text}");
        prop_assert!(!text.contains("ANNS-PC") && !text.contains("Users"), "{text}");
        let copy = load(&text);
        prop_assert_eq!(&copy.threads, &profile.threads);
        prop_assert_eq!(&copy.recording.node_ids, &profile.recording.node_ids);
        // the file stores warnings as sentences
        let sentences = |profile: &View| -> Vec<String> {
            profile.warnings().iter().map(Diagnostic::to_string).collect()
        };
        prop_assert_eq!(sentences(&copy), sentences(&profile));
        let expect = Source {
            name: "a\u{1b}.nettrace".into(),
            format: copy.recording.source.format.clone(),
            facts: copy.recording.source.facts.clone(),
            ..profile.recording.source.clone()
        };
        prop_assert_eq!(&copy.recording.source, &expect);
        prop_assert_eq!(export(&copy, NodeId::ROOT, TIME), text);
    }
}
