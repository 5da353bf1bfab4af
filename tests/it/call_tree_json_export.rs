//! Scenarios of writing call-tree JSON: the text, and that an export comes back as the same tree.

use crate::common::call_tree::{SMALL, TIME, document, export, load, load_bytes};
use crate::common::plans::{build, plans};
use crate::common::schema;
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{Frame, Metric, MetricId, NodeId, NodeIds, Recording, Thread, View};
use dotspot::testing::text::is_hostile;
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn an_export_is_word_for_word_what_the_contract_says() {
    let mut profile = load(SMALL);
    let source = &mut Arc::make_mut(&mut profile.recording).source;
    source.facts.push(("user".into(), "ann".into()));
    source
        .facts
        .push(("command line".into(), "shop --token secret".into()));
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

/// How the profile was recorded comes back; what is private is neither written nor read.
#[test]
fn public_facts_come_back() {
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
fn lists_of_hotspots_hold_two_hundred() {
    let nodes: Vec<String> = (1..=300)
        .map(|n| {
            format!(
                r#"{{"name":"m{n}","kind":"method","inclusive_time":{n},"exclusive_time":{}}}"#,
                301 - n
            )
        })
        .collect();
    let profile = load(&document(&format!(
        r#"{{"name":"r","kind":"root","children":[{}]}}"#,
        nodes.join(",")
    )));
    let text = export(&profile, NodeId::ROOT, TIME);
    let (_, document) = schema::check(&text, "300 methods");
    let row = |list: &str, at: usize| {
        let row = &document["hotspots"][list][at];
        (row["name"].clone(), row[format!("{list}_time")].clone())
    };
    let lists = ["inclusive", "exclusive"].map(|list| document["hotspots"][list].as_array());
    assert_eq!(lists.map(|list| list.unwrap().len()), [200, 200]);
    // m1's inclusive time of 1 is below its exclusive time of 300 and is raised; m300 ties with it, and its exclusive time is 1
    assert_eq!(row("inclusive", 0), ("m1".into(), 300.into()));
    assert_eq!(row("exclusive", 0), ("m1".into(), 300.into()));
    assert_eq!(row("exclusive", 199), ("m200".into(), 101.into()));
}

/// The metrics of `profile` in the order in which an export of `first` has them.
fn exported_order(profile: &View, first: MetricId) -> Vec<MetricId> {
    let others = (0..profile.recording.metrics.len() as u32)
        .map(MetricId)
        .filter(|&metric| metric != first);
    std::iter::once(first).chain(others).collect()
}

/// Whether `copy`, read from an export of the subtree of `root`, is that subtree.
fn check_copy(
    profile: &View,
    root: NodeId,
    metric: MetricId,
    copy: &View,
) -> Result<(), TestCaseError> {
    let order = exported_order(profile, metric);
    prop_assert_eq!(copy.tree.len(), profile.tree.size(root));
    let metrics: Vec<&Metric> = order
        .iter()
        .map(|&metric| profile.recording.metric(metric))
        .collect();
    prop_assert_eq!(copy.recording.metrics.iter().collect::<Vec<_>>(), metrics);
    for node in copy.tree.nodes() {
        let original = NodeId(root.0 + node.0);
        let facts = |profile: &View, node: NodeId| {
            let frame = profile.tree.frame(node);
            let Frame { kind, .. } = *profile.frames.get(frame);
            (
                kind,
                profile.frames.name(frame).to_string(),
                profile.frames.signature(frame).to_string(),
            )
        };
        prop_assert_eq!(facts(copy, node), facts(profile, original));
        prop_assert_eq!(copy.tree.end(node).0 + root.0, profile.tree.end(original).0);
        for (index, &metric) in order.iter().enumerate() {
            let (tree, new) = (&profile.tree, MetricId(index as u32));
            prop_assert_eq!(
                copy.tree.inclusive(new, node),
                tree.inclusive(metric, original)
            );
            prop_assert_eq!(
                copy.tree.exclusive(new, node),
                tree.exclusive(metric, original)
            );
            prop_assert_eq!(copy.tree.count(new, node), tree.count(metric, original));
        }
        if profile.recording.node_ids != NodeIds::Preorder {
            prop_assert_eq!(copy.node_label(node), profile.node_label(original));
        }
    }
    Ok(())
}

/// The warnings as a file keeps them.
fn sentences(profile: &View) -> Vec<String> {
    profile
        .warnings()
        .iter()
        .map(Diagnostic::to_string)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_export_comes_back_as_the_same_profile(plan in plans()) {
        let profile = build(&plan);
        let metric = profile.recording.default_metric;
        let text = export(&profile, NodeId::ROOT, metric);
        schema::check(&text, "an export");
        prop_assert!(!text.chars().any(is_hostile), "{text}");
        prop_assert!(!text.contains("ANNS-PC") && !text.contains("Users"), "{text}");
        let copy = load_bytes(text.clone().into_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
        check_copy(&profile, NodeId::ROOT, metric, &copy)?;
        prop_assert_eq!(&copy.threads, &profile.threads);
        prop_assert_eq!(&copy.recording.node_ids, &profile.recording.node_ids);
        // the file keeps sentences
        prop_assert_eq!(sentences(&copy), sentences(&profile));
        prop_assert_eq!(copy.recording.source.kind, profile.recording.source.kind);
        prop_assert_eq!(&copy.recording.source.decoder, &profile.recording.source.decoder);
        prop_assert_eq!(&copy.recording.source.decoder_version, &profile.recording.source.decoder_version);
        prop_assert_eq!(&copy.recording.source.name, "a\u{1b}.nettrace");
        // and the export of that is the same text
        prop_assert_eq!(export(&copy, NodeId::ROOT, TIME), text);
    }

    #[test]
    fn every_subtree_comes_back(plan in plans()) {
        let profile = build(&plan);
        for root in profile.tree.nodes().step_by(1 + profile.tree.len() / 3) {
            let text = export(&profile, root, profile.recording.default_metric);
            let copy = load_bytes(text.into_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
            check_copy(&profile, root, profile.recording.default_metric, &copy)?;
            if root != NodeId::ROOT && let Some(thread) = profile.thread_of(root) {
                let expect = Thread { node: NodeId::ROOT, id: thread.id.clone(), name: thread.name.clone() };
                prop_assert_eq!(&copy.threads[..], &[expect]);
            }
        }
    }

    #[test]
    fn every_metric_can_be_the_one_that_is_exported(plan in plans()) {
        let profile = build(&plan);
        for metric in (0..profile.recording.metrics.len() as u32).map(MetricId) {
            let text = export(&profile, NodeId::ROOT, metric);
            let copy = load_bytes(text.into_bytes()).map_err(|error| TestCaseError::fail(error.to_string()))?;
            // siblings come in another order, so totals are compared
            let sum = |profile: &View, metric: MetricId| -> u128 {
                let columns = profile.tree.columns(metric);
                columns.inclusive.iter().chain(&columns.exclusive).map(|&value| u128::from(value)).sum()
            };
            for (index, original) in exported_order(&profile, metric).into_iter().enumerate() {
                prop_assert_eq!(copy.recording.metric(MetricId(index as u32)), profile.recording.metric(original));
                prop_assert_eq!(sum(&copy, MetricId(index as u32)), sum(&profile, original));
            }
        }
    }

}

#[test]
fn real_profiles_come_back() {
    for file in [
        "dtp/profile.dtp",
        "dtp/Issue254.dtp",
        "net10/orderedconsume.nettrace",
    ] {
        let Some(path) = crate::common::shared(file) else {
            continue;
        };
        let profile = import(Input::open(&path, Progress::default()).unwrap())
            .map(Recording::into_view)
            .unwrap();
        let text = export(&profile, NodeId::ROOT, profile.recording.default_metric);
        let copy = load(&text);
        check_copy(
            &profile,
            NodeId::ROOT,
            profile.recording.default_metric,
            &copy,
        )
        .unwrap();
        let mut threads = profile.threads.to_vec();
        threads.sort_by_key(|thread| thread.node);
        assert_eq!(copy.threads[..], threads, "{file}");
        assert_eq!(
            copy.recording.node_ids, profile.recording.node_ids,
            "{file}"
        );
        assert!(export(&copy, NodeId::ROOT, TIME) == text, "{file}");
        for root in profile.tree.nodes().step_by(1 + profile.tree.len() / 10) {
            // a metric that is zero everywhere is not shown first, so that the order is that of another
            if profile
                .tree
                .inclusive(profile.recording.default_metric, root)
                == 0
            {
                continue;
            }
            let part = load(&export(&profile, root, profile.recording.default_metric));
            check_copy(&profile, root, profile.recording.default_metric, &part).unwrap();
        }
    }
}
