use super::*;
use crate::analysis::threads::processes_of_threads;
use crate::model::testing::{node_ref, recording_of};
use crate::model::{FilterAction, GroupBy, Merging, MetricId, Opening, Synthetic, ThreadChoice};
use crate::names::FrameKind;

// n0 All ▸ n1 A 9 ▸ n2 a 9 ▸ n3 x 5; n4 B 6 ▸ n5 a 6 ▸ (n6 y 3, n7 x 2); n8 3 threads merged 1 ▸ n9 z 1
const STACKS: &str = "A;a 4|A;a;x 5|B;a 1|B;a;x 2|B;a;y 3|3 threads merged;z 1";

fn view(wanted: &[bool], is_merged: bool) -> View {
    let recording = Arc::new(recording_of(STACKS));
    let threads = ThreadChoice {
        chosen: wanted.to_vec(),
        merging: match is_merged {
            true => Merging::All,
            false => Merging::None,
        },
    };
    scoped(
        &recording,
        &Scope {
            threads,
            ..Scope::all(&recording)
        },
    )
    .unwrap()
}

#[test]
fn every_view_uses_the_labels_of_recorded_nodes() {
    // the row that a label refers to in a view, and the label of that row there
    #[track_caller]
    fn check(view: &View, label: &str, expect: Option<(&str, &str)>) {
        let found = node_labeled(view, label).map(|node| (view.name(node), view.node_label(node)));
        assert_eq!(
            found,
            expect.map(|(name, label)| (name, label.to_string())),
            "{label}"
        );
    }
    let all = view(&[true; 3], false);
    let some = view(&[false, true, true], false);
    let merged = view(&[true; 3], true);
    for (label, name) in [("n0", "All threads"), ("n6", "y"), ("n7", "x"), ("n9", "z")] {
        check(&all, label, Some((name, label)));
    }
    check(&some, "n0", Some(("2 of 3 threads", "n0")));
    check(&some, "n7", Some(("x", "n7")));
    check(&some, "n3", None);
    check(&some, "n10", None);
    check(&some, "o7", None);
    check(&merged, "n3", Some(("x", "n3")));
    // B's x was merged into the row labeled after A's x
    check(&merged, "n7", Some(("x", "n3")));
    check(&merged, "n5", Some(("a", "n2")));
    check(&merged, "n9", Some(("z", "n9")));
}

#[test]
fn a_thread_named_like_a_merged_one_is_an_ordinary_thread() {
    let all = view(&[true; 3], false);
    let thread = all
        .threads
        .iter()
        .find(|thread| thread.name == "3 threads merged")
        .unwrap();
    assert!(!all.has_merged_threads());
    assert_eq!(all.frames.synthetic(all.tree.frame(thread.node)), None);
    assert_eq!(processes_of_threads(&all), [None; 3]);
    // merged with the others, it is below a different frame of the same name
    let merged = view(&[true; 3], true);
    let top = merged.tree.frame(merged.threads[0].node);
    assert_eq!(
        merged.frames.synthetic(top),
        Some(Synthetic::MergedThreads {
            count: 3,
            are_pool: false
        })
    );
    assert_eq!(
        (
            merged.name(merged.threads[0].node),
            merged.frames.get(top).kind
        ),
        ("3 threads merged", FrameKind::Thread)
    );
    assert!(!merged.occurs(all.tree.frame(thread.node)) && merged.has_merged_threads());
    // alone, it is unchanged, merged or not
    let alone = view(&[false, false, true], true);
    assert!(!alone.has_merged_threads());
    assert_eq!(
        alone.tree.frame(alone.threads[0].node),
        all.tree.frame(thread.node)
    );
    // a selection in A is not looked up in it as if it were A merged with others
    let here = Remap::new(&all, &alone).node(NodeId(3));
    assert_eq!(here, (NodeId::ROOT, false));
    assert_eq!(Remap::new(&all, &merged).node(NodeId(9)), (NodeId(5), true));
}

#[test]
fn inversion_applies_after_all_other_steps() {
    // without B's a, x is called only by A's a: A;a 4, A;a;x 5, z 1
    let recording = Arc::new(recording_of(STACKS));
    let drop = Step::DropNodes(vec![node_ref("n5")]);
    let row = |view: &View, node: NodeId| {
        let value = view.tree.inclusive(MetricId(0), node) / 1_000_000;
        format!(
            "{} {value}{}",
            view.name(node),
            if view.has_more(node) { " …" } else { "" }
        )
    };
    let rows = |view: &View| {
        view.tree
            .nodes()
            .map(|node| row(view, node))
            .collect::<Vec<_>>()
    };
    // merged rows are not visible there: a and x would be one
    let group = Step::Group {
        by: GroupBy::Module,
        opened: Vec::new(),
    };
    for transforms in [
        vec![drop.clone(), Step::Inverted],
        vec![Step::Inverted, drop.clone()],
        vec![group.clone(), drop.clone(), Step::Inverted],
        vec![drop, Step::Inverted, group],
    ] {
        let steps = ViewSpec {
            scope: Scope::all(&recording),
            transforms,
        };
        let made = make(&recording, &steps).unwrap();
        let whole = make(
            &recording,
            &ViewSpec {
                transforms: Vec::new(),
                ..steps.clone()
            },
        )
        .unwrap();
        let applied = steps.transforms.iter().try_fold(whole, apply).unwrap();
        assert_eq!(rows(&made), ["All threads 10", "x 5 …", "a 4 …", "z 1 …"]);
        assert_eq!((rows(&applied), &applied.steps), (rows(&made), &made.steps));
        let opened = made.opened(NodeId(1), Opening::Row).unwrap().unwrap().view;
        assert_eq!(
            (rows(&opened)[2].as_str(), &opened.steps),
            ("a 5 …", &made.steps)
        );
    }
}

#[test]
fn cautions_are_recomputed_for_the_remaining_stacks() {
    #[track_caller]
    fn check(metric: &str, stacks: &str, dropped: &str, expect: &[&str]) {
        let mut recording = recording_of(stacks);
        recording.metrics[0].name = metric.into();
        let recording = Arc::new(recording);
        let drop = Step::Filter {
            action: FilterAction::Ignore,
            pattern: dropped.into(),
        };
        let view = make(
            &recording,
            &ViewSpec {
                scope: Scope::all(&recording),
                transforms: vec![drop],
            },
        )
        .unwrap();
        check_sentences(&view, expect);
    }
    const POLL: &str = "System.Private.CoreLib!System.Threading.Thread.PollGC()";
    let polls = format!("T;m;{POLL} 21|T;m 479|T;x 2500");
    check("CPU", &polls, "^nothing$", &[]);
    check(
        "CPU",
        &polls,
        "^x$",
        &["4.2 % of the CPU time (21.0 ms) is in Thread.PollGC"],
    );
    check("CPU", &format!("{polls}|T;{POLL} 900"), "PollGC", &[]);
    const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let waits = format!("A;a;{SLEEP} 90|B;{SLEEP} 120|C;m 100|D;n 90");
    check(
        "wall",
        &waits,
        "^nothing$",
        &["2 of 4 threads hardly do anything but wait, for 52.5 % of the wall time (210.0 ms)"],
    );
    check("wall", &waits, "^a$", &[]);
    check(
        "wall",
        &waits,
        "^n$",
        &["2 of 4 threads hardly do anything but wait, for 67.7 % of the wall time (210.0 ms)"],
    );
    // nothing else is left
    check("wall", &waits, "^[mn]$", &[]);
}

/// Polls are 0.7 % of the recording, and 21 of 500 without x. In another recording they are half, and dropping them removes the caution.
#[test]
fn dropping_methods_keeps_the_cautions_of_the_recording() {
    #[track_caller]
    fn check(stacks: &str, dropped: &str, expect: &[&str]) {
        let mut recording = recording_of(stacks);
        recording.metrics[0].name = "CPU".into();
        let frames = recording.frames.find(dropped);
        let keys = frames.iter().map(|&frame| recording.frames.key(frame));
        let (drop, recording) = (Step::Drop(keys.collect()), Arc::new(recording));
        let view = apply(whole(&recording, TreeForm::Original), &drop).unwrap();
        check_sentences(&view, expect);
    }
    const POLL: &str = "System.Private.CoreLib!System.Threading.Thread.PollGC()";
    let few = format!("T;m;{POLL} 21|T;m 479|T;x 2500");
    check(&few, "x", &[]);
    let many = format!("T;m;{POLL} 500|T;m 400|T;x 100");
    let half = "50.0 % of the CPU time (500.0 ms) is in Thread.PollGC";
    check(&many, "x", &[half]);
    check(&many, POLL, &[]);
}

#[test]
fn steps_are_replayed() {
    let recording = Arc::new(recording_of(STACKS));
    let dropped = ViewSpec {
        scope: Scope::all(&recording),
        transforms: vec![Step::DropNodes(vec![node_ref("n5")])],
    };
    let names = |view: &View| -> Vec<String> {
        let nodes = view.tree.nodes();
        nodes.map(|node| view.name(node).to_string()).collect()
    };
    let view = make(&recording, &dropped).unwrap();
    assert_eq!(
        (names(&view).join(" "), &view.steps),
        ("All threads A a x 3 threads merged z B".into(), &dropped)
    );
    let merged = Scope {
        threads: ThreadChoice {
            merging: Merging::All,
            ..dropped.scope.threads
        },
        ..dropped.scope
    };
    let view = make(
        &recording,
        &ViewSpec {
            scope: merged,
            ..dropped
        },
    )
    .unwrap();
    // a is now below the merged thread
    assert_eq!(names(&view).join(" "), "All threads 3 threads merged z");
}

/// Checks how the sentences of all diagnostics begin.
#[track_caller]
fn check_sentences(view: &View, expect: &[&str]) {
    let said: Vec<String> = view.diagnostics.iter().map(Diagnostic::to_string).collect();
    assert!(said.len() == expect.len(), "{said:?}");
    said.iter()
        .zip(expect)
        .for_each(|(said, expect)| assert!(said.starts_with(expect), "{said}"));
}
