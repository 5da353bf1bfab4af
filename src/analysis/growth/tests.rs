use super::*;
use crate::analysis::make::make;
use crate::model::testing::recording_of;
use crate::model::{Collapsible, Merging, MethodKey, ThreadChoice};
use std::sync::Arc;

const BEFORE: &str = "A;main;run;price 5|A;main;? 3|B;work 1";
const AFTER: &str = "C;tick 90|B;work 20|A;main;log 9|A;main;run;price 5";

/// Maps the nodes of one recording to those of another, by name.
fn places(threads: impl Fn(&Recording) -> ThreadChoice) -> Vec<String> {
    let [old, new] = [BEFORE, AFTER].map(|text| Arc::new(recording_of(text)));
    let whole = View::whole(&old, TreeForm::Repaired);
    let steps = ViewSpec {
        scope: crate::model::Scope {
            threads: threads(&old),
            ..whole.steps.scope.clone()
        },
        transforms: vec![],
    };
    let view = make(&old, &steps).unwrap();
    let frames = MatchedFrames::of(&old, &new);
    let grown = make(&new, &frames.steps(&view, &new)).unwrap();
    let growth = Growth::between(&view, &grown, frames);
    let name = |node| match growth.node(node) {
        Some(place) => format!(
            "{} > {}",
            view.display_name(node),
            grown.display_name(place)
        ),
        None => format!("{} is gone", view.display_name(node)),
    };
    view.tree.nodes().map(name).collect()
}

#[test]
fn nodes_match_by_name_not_id_and_renamed_ones_are_gone() {
    let all = places(ThreadChoice::all);
    let expect = [
        "All threads > All threads",
        "A > A",
        "main > main",
        "run > run",
        "price > price",
        "? is gone",
        "B > B",
        "work > work",
    ];
    assert_eq!(all, expect);
    let merged = places(|recording| ThreadChoice {
        merging: Merging::All,
        ..ThreadChoice::all(recording)
    });
    assert_eq!(merged[1], "2 threads merged > 3 threads merged");
    assert_eq!(merged[2..4], ["main > main", "run > run"]);
}

#[test]
fn steps_are_renumbered() {
    let [old, new] = [BEFORE, AFTER].map(recording_of);
    let frames = MatchedFrames::of(&old, &new);
    let mut view = old.into_view();
    let node = |view: &View, name: &str| {
        view.node_ref(
            view.tree
                .nodes()
                .find(|&node| view.display_name(node) == name)
                .unwrap(),
        )
    };
    let key = MethodKey {
        name: "work".into(),
        signature: String::new(),
    };
    let collapse = |opened| Step::Collapse {
        frames: Collapsible::System,
        opened,
    };
    let [run, gone, price] = ["run", "?", "price"].map(|name| node(&view, name));
    view.steps.transforms = vec![
        Step::DropNodes(vec![run]),
        Step::DropNodes(vec![gone]),
        Step::Drop(vec![key.clone()]),
        collapse(vec![price, gone]),
    ];
    let steps = frames.steps(&view, &new);
    assert_eq!(steps.scope.threads.chosen, [true; 3]);
    let new = new.into_view();
    let expect = vec![
        Step::DropNodes(vec![node(&new, "run")]),
        Step::Drop(vec![key]),
        collapse(vec![node(&new, "price")]),
    ];
    assert_eq!(steps.transforms, expect);
    // A and B in one, C, B and A in the other
    view.steps.scope.threads.chosen = vec![false, true];
    assert_eq!(
        frames.steps(&view, &new.recording).scope.threads.chosen,
        [false, true, false]
    );
}
