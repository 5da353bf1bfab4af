//! The steps that make a view: their record in the explorer, that they can be replayed, and that node ids do not depend on
//! them.

use crate::common::profiles::read_bytes;
use crate::common::stage::Stage;
use dotspot::testing::analysis::hotspots;
use dotspot::testing::analysis::{make, node_labeled, scoped};
use dotspot::testing::exporters::call_tree_json;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{Merging, MetricId, NodeId, Scope, ThreadChoice, TimeRange, View};
use dotspot::testing::query::{ThreadRequest, select_scope};

const BUNDLED: &[u8] = include_bytes!("../../snapshots/js-ordered-consume.nettrace");
const DTP: &str = "snapshots/js-ordered-consume.dtp";
/// The first thread's name is like that of three merged threads, and there are three.
const NAMED_LIKE_MERGED: &[u8] = br#"[
    {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"3 threads merged"}},
    {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"io"}},
    {"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"ui"}},
    {"ph":"X","pid":1,"tid":1,"name":"Main","ts":0,"dur":4000},
    {"ph":"X","pid":1,"tid":1,"name":"Work","ts":0,"dur":3000},
    {"ph":"X","pid":1,"tid":2,"name":"Main","ts":0,"dur":5000},
    {"ph":"X","pid":1,"tid":3,"name":"Main","ts":1000,"dur":1000}]"#;

fn read(name: &str, bytes: &[u8]) -> View {
    read_bytes(name, bytes.to_vec()).unwrap()
}

fn merge(view: &View) -> View {
    let threads = ThreadChoice {
        merging: Merging::All,
        ..ThreadChoice::all(&view.recording)
    };
    scoped(
        &view.recording,
        &Scope {
            threads,
            ..view.steps.scope.clone()
        },
    )
    .unwrap()
}

/// The raw names from the thread's outermost method to a node.
fn path(view: &View, node: NodeId) -> Vec<&str> {
    let is_thread = |node| view.threads.iter().any(|thread| thread.node == node);
    let nodes = std::iter::once(node)
        .chain(view.tree.ancestors(node))
        .take_while(|&node| !is_thread(node));
    let mut names: Vec<&str> = nodes
        .filter(|&node| node != NodeId::ROOT)
        .map(|node| view.name(node))
        .collect();
    names.reverse();
    names
}

/// Asserts that the shown view's steps reproduce it, and that the breadcrumbs end with the focus. Returns the number of
/// focuses.
#[track_caller]
fn check_replay(stage: &Stage, key: &str) -> usize {
    let explorer = stage.explorer();
    let (shown, root) = (explorer.view(), explorer.tree().shown.root());
    let made = make(&shown.recording, &shown.steps).unwrap();
    assert_eq!(made.steps, shown.steps, "{key}");
    for metric in (0..shown.recording.metrics.len()).map(MetricId::at) {
        assert_eq!(
            hotspots(&made, &[root], metric),
            hotspots(shown, &[root], metric),
            "{key}"
        );
    }
    let breadcrumbs = explorer.breadcrumb_names();
    let focus = (root != NodeId::ROOT).then(|| shown.display_name(root));
    assert_eq!(breadcrumbs[1..].last().map(String::as_str), focus, "{key}");
    breadcrumbs.len() - 1
}

#[test]
fn steps_reproduce_the_view_whatever_is_focused() {
    // into a thread and twice below it, out of one, other threads, merged ones, and back
    let keys = "j f right j f right j f esc t m enter right j f esc t a a enter enter f t j i enter esc esc esc esc";
    for (name, bytes) in [("a.json", NAMED_LIKE_MERGED), ("a.nettrace", BUNDLED)] {
        let mut stage = Stage::new(read(name, bytes), 120, 40);
        let mut max_focuses = 0;
        for key in keys.split_whitespace() {
            stage.press(key);
            max_focuses = max_focuses.max(check_replay(&stage, key));
        }
        assert!(max_focuses > 1, "{name}: {max_focuses} focuses");
    }
}

#[test]
fn node_ids_are_the_same_in_ranges_and_merged_threads() {
    let whole = read("a.nettrace", BUNDLED);
    let range = Some(TimeRange {
        from_ns: 2_000_000_000,
        to_ns: TimeRange::OPEN,
    });
    let part = scoped(
        &whole.recording,
        &Scope {
            range,
            ..whole.steps.scope.clone()
        },
    )
    .unwrap();
    assert!(
        part.tree.len() > 100 && part.tree.len() < whole.tree.len(),
        "{} nodes",
        part.tree.len()
    );
    for view in [&part, &merge(&whole), &merge(&part)] {
        for node in view.tree.nodes() {
            let label = view.node_label(node);
            let recorded = node_labeled(&whole, &label).unwrap();
            assert_eq!(whole.node_label(recorded), label);
            assert_eq!(path(&whole, recorded), path(view, node), "{label}");
            assert_eq!(node_labeled(view, &label), Some(node), "{label}");
        }
    }
    // merged nodes have the first one's id
    let merged = merge(&whole);
    for recorded in whole
        .tree
        .nodes()
        .filter(|&node| !path(&whole, node).is_empty())
    {
        let label = whole.node_label(recorded);
        let node = node_labeled(&merged, &label).unwrap();
        let first = node_labeled(&whole, &merged.node_label(node)).unwrap();
        assert!(
            first <= recorded && path(&whole, first) == path(&whole, recorded),
            "{label}"
        );
    }
}

/// The ids in a call-tree JSON file, in preorder.
fn ids(text: &str) -> Vec<String> {
    let tree = text
        .split_once(r#""call_tree":"#)
        .unwrap()
        .1
        .split_once(r#","hotspots":{"#)
        .unwrap()
        .0;
    tree.split(r#"{"id":""#)
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0.to_string())
        .collect()
}

fn export(view: &View, metric: MetricId) -> String {
    let mut text = Vec::new();
    call_tree_json::write(view, NodeId::ROOT, metric, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn node_ids_are_the_same_in_files_lists_metrics_and_views() {
    let dtp = Input::open(std::path::Path::new(DTP), Progress::default()).unwrap();
    let dtp = dotspot::testing::importers::import(dtp)
        .unwrap()
        .into_view();
    let recording = read("a.nettrace", BUNDLED);
    for view in [&dtp, &merge(&dtp), &recording, &merge(&recording)] {
        let labels: Vec<String> = view
            .tree
            .nodes()
            .map(|node| view.node_label(node))
            .collect();
        for metric in (0..view.recording.metrics.len()).map(MetricId::at) {
            assert_eq!(ids(&export(view, metric)), labels);
        }
    }
    let merged = merge(&dtp);
    assert!(
        merged
            .tree
            .nodes()
            .skip(1)
            .all(|node| !merged.node_label(node).starts_with("t:"))
    );
}

#[test]
fn a_thread_named_like_merged_ones_round_trips_as_itself() {
    let whole = read("a.json", NAMED_LIKE_MERGED);
    let copy = read(
        "a.calltree.json",
        export(&whole, whole.recording.default_metric).as_bytes(),
    );
    let threads = |view: &View| -> Vec<(String, String, u64)> {
        let value = |node| view.tree.inclusive(view.recording.default_metric, node);
        view.threads
            .iter()
            .map(|thread| (thread.id.clone(), thread.name.clone(), value(thread.node)))
            .collect()
    };
    let row = |id: &str, name: &str, ms: u64| (id.to_string(), name.to_string(), ms * 1_000_000);
    let mut expect = vec![
        row("1", "3 threads merged", 4),
        row("2", "io", 5),
        row("3", "ui", 1),
    ];
    assert_eq!(threads(&whole), expect);
    expect.sort_by_key(|row| std::cmp::Reverse(row.2));
    let mut found = threads(&copy);
    found.sort_by_key(|row| std::cmp::Reverse(row.2));
    assert_eq!(found, expect);
    assert!(copy.threads.iter().all(|thread| {
        copy.frames
            .synthetic(copy.tree.frame(thread.node))
            .is_none()
    }));
    // written merged threads are read as one ordinary thread
    let copy = read(
        "a.calltree.json",
        export(&merge(&whole), whole.recording.default_metric).as_bytes(),
    );
    assert_eq!(threads(&copy), [row("", "3 threads merged", 10)]);
    assert!(!copy.has_merged_threads());
}

#[test]
fn a_thread_named_like_merged_ones_is_selected_as_itself() {
    let wanted = ThreadRequest {
        threads: vec!["3 threads merged".into()],
        ..ThreadRequest::default()
    };
    let whole = read("a.json", NAMED_LIKE_MERGED);
    let (view, remarks) = select_scope(whole, None, &wanted).unwrap();
    assert!(remarks.is_empty() && view.threads.len() == 1 && !view.has_merged_threads());
    let total = view
        .tree
        .inclusive(view.recording.default_metric, NodeId::ROOT);
    assert_eq!(total, 4_000_000);

    let mut stage = Stage::new(read("a.json", NAMED_LIKE_MERGED), 100, 30);
    assert_eq!(
        stage.screen().matches("3 threads merged").count(),
        1,
        "{}",
        stage.screen()
    );
    assert!(!stage.screen().contains(", merged"));
    stage.press("t");
    assert_eq!(
        stage.screen().matches("3 threads merged").count(),
        2,
        "the tree and the list\n{}",
        stage.screen()
    );
    stage.press("g i enter");
    assert_eq!(stage.notice(), "shown: 1 of 3 threads");
    assert!(!stage.explorer().view().has_merged_threads());
    stage.press("esc t m enter");
    assert_eq!(stage.notice(), "shown: 3 threads, merged");
    assert!(stage.explorer().view().has_merged_threads());
}
