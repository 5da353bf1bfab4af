//! Steps on random trees compared with their definitions, stack by stack.

use crate::common::plans::{build, plans};
use crate::common::profiles::check_tree;
use dotspot::testing::analysis::{apply, make, node_labeled, scoped};
use dotspot::testing::analysis::{hotspots, nodes_to_open};
use dotspot::testing::model::recording_of;
use dotspot::testing::model::{
    Collapsible, FilterAction, FrameId, GroupBy, Merging, MetricId, NodeId, NodeRef, Recording,
    Recursion, Scope, Step, Synthetic, ThreadChoice, View, ViewSpec,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const TIME: MetricId = MetricId(0);
const FRAMES: [&str; 6] = [
    "Acme!Acme.A.f()",
    "Acme!Acme.A.g()",
    "Acme!Acme.B.h()",
    "Shop!Shop.C.k()",
    "System.Private.CoreLib!System.Threading.ExecutionContext.Run()",
    "System.Private.CoreLib!System.Collections.List.Add()",
];
const PLUMBING: &str = FRAMES[4];

/// A stack, thread first, and its weight.
type Stack = (Vec<&'static str>, u64);
/// What remains of a stack without its thread; `None` if it is dropped.
type Rule = Box<dyn Fn(&[&'static str]) -> Option<Vec<String>>>;

fn stacks() -> impl Strategy<Value = Vec<Stack>> {
    let stack = (
        prop::sample::select(&["T", "U"][..]),
        prop::collection::vec(prop::sample::select(&FRAMES[..]), 0..9),
        1u64..9,
    );
    let with_thread =
        stack.prop_map(|(thread, frames, weight)| ([vec![thread], frames].concat(), weight));
    prop::collection::vec(with_thread, 1..14)
}

fn recording(stacks: &[Stack]) -> Arc<Recording> {
    let lines = stacks
        .iter()
        .map(|(frames, weight)| format!("{} {weight}", frames.join(";")));
    Arc::new(recording_of(&lines.collect::<Vec<_>>().join("|")))
}

fn view_with(recording: &Arc<Recording>, transforms: &[Step]) -> View {
    let view = make(
        recording,
        &ViewSpec {
            scope: Scope::all(recording),
            transforms: transforms.to_vec(),
        },
    )
    .unwrap();
    check_tree(&view);
    view
}

fn apply_each(base: &View, steps: &[Step]) -> View {
    steps.iter().try_fold(base.clone(), apply).unwrap()
}

fn owned(frames: &[&str]) -> Vec<String> {
    frames.iter().map(ToString::to_string).collect()
}

/// Exclusive values by path from the thread on; collapsed rows are `…`.
fn own_values(view: &View) -> BTreeMap<Vec<String>, u64> {
    let name = |node: NodeId| match view.frames.synthetic(view.tree.frame(node)) {
        Some(Synthetic::Collapsed { .. }) => "…".to_string(),
        _ => view.name(node).to_string(),
    };
    let mut values = BTreeMap::new();
    for node in view
        .tree
        .nodes()
        .filter(|&node| view.tree.exclusive(TIME, node) > 0)
    {
        let mut path: Vec<String> = std::iter::once(node)
            .chain(view.tree.ancestors(node))
            .map(name)
            .collect();
        path.pop();
        path.reverse();
        assert_eq!(
            values.insert(path, view.tree.exclusive(TIME, node)),
            None,
            "equal rows below one caller are one"
        );
    }
    values
}

/// Expected exclusive values when a rule is applied to each stack.
fn expected(stacks: &[Stack], rule: &Rule) -> BTreeMap<Vec<String>, u64> {
    let mut values = BTreeMap::new();
    for (frames, weight) in stacks {
        if let Some(left) = rule(&frames[1..]) {
            *values
                .entry([owned(&frames[..1]), left].concat())
                .or_default() += weight * 1_000_000;
        }
    }
    values
}

fn is_system(frame: &str) -> bool {
    frame.starts_with("System")
}

/// Merges each run of frames for which `is_in` holds into one.
fn runs(frames: &[&'static str], is_in: fn(&str) -> bool) -> Vec<String> {
    let mut names: Vec<String> = frames
        .iter()
        .map(|frame| {
            if is_in(frame) {
                "…".into()
            } else {
                frame.to_string()
            }
        })
        .collect();
    names.dedup_by(|next, last| next == last && next == "…");
    names
}

/// A stack with recursion folded: cut back to the earlier occurrence of a frame.
fn fold_back(frames: &[&'static str]) -> Vec<String> {
    let mut left: Vec<String> = Vec::new();
    for frame in frames {
        match left.iter().position(|other| other == frame) {
            Some(at) => left.truncate(at + 1),
            None => left.push(frame.to_string()),
        }
    }
    left
}

fn is_a(frame: &&str) -> bool {
    frame.contains("Acme.A")
}

/// Filters, whether the total is preserved, and what they leave of a stack.
fn filters() -> Vec<(Step, bool, Rule)> {
    let filter = |action, pattern: &str| Step::Filter {
        action,
        pattern: pattern.into(),
    };
    vec![
        (
            filter(FilterAction::Focus, "Acme\\.A"),
            false,
            Box::new(|frames| frames.iter().any(is_a).then(|| owned(frames))),
        ),
        (
            filter(FilterAction::Ignore, "Acme\\.A"),
            false,
            Box::new(|frames| (!frames.iter().any(is_a)).then(|| owned(frames))),
        ),
        (
            filter(FilterAction::Hide, "Acme\\.A"),
            true,
            Box::new(|frames| {
                Some(owned(
                    &frames
                        .iter()
                        .copied()
                        .filter(|frame| !is_a(frame))
                        .collect::<Vec<_>>(),
                ))
            }),
        ),
        (
            filter(FilterAction::ShowFrom, "Acme\\.A"),
            false,
            Box::new(|frames| frames.iter().position(is_a).map(|at| owned(&frames[at..]))),
        ),
    ]
}

/// All steps in the same form.
fn rules(view: &View) -> Vec<(Step, bool, Rule)> {
    let mut rules = filters();
    let others: Vec<(Step, bool, Rule)> = vec![
        (
            Step::Collapse {
                frames: Collapsible::Plumbing,
                opened: Vec::new(),
            },
            true,
            Box::new(|frames| Some(runs(frames, |frame| frame == PLUMBING))),
        ),
        (
            Step::Collapse {
                frames: Collapsible::System,
                opened: Vec::new(),
            },
            true,
            Box::new(|frames| Some(runs(frames, is_system))),
        ),
        (
            Step::CollapseRecursion(Recursion::Direct),
            true,
            Box::new(|frames| {
                let mut left = owned(frames);
                left.dedup();
                Some(left)
            }),
        ),
        (
            Step::CollapseRecursion(Recursion::All),
            true,
            Box::new(|frames| Some(fold_back(frames))),
        ),
        (
            Step::Group {
                by: GroupBy::Module,
                opened: Vec::new(),
            },
            true,
            Box::new(|frames| {
                let mut left: Vec<String> = frames
                    .iter()
                    .map(|frame| frame.split('!').next().unwrap().to_string())
                    .collect();
                left.dedup();
                Some(left)
            }),
        ),
    ];
    rules.extend(others);
    if let [frame] = view.frames.find(FRAMES[2])[..] {
        rules.push((
            Step::Drop(vec![view.frames.key(frame)]),
            false,
            Box::new(|frames| (!frames.contains(&FRAMES[2])).then(|| owned(frames))),
        ));
    }
    rules
}

/// Checks that every node of the base is found in the view, and that rows are sums of their nodes.
fn check_places(view: &View) {
    let base = view.base();
    for node in view.tree.nodes() {
        assert_eq!(view.from_base(view.to_base(node)), Some(node));
        assert_eq!(node_labeled(view, &view.node_label(node)), Some(node));
    }
    let places: Vec<Option<NodeId>> = base.tree.nodes().map(|node| view.from_base(node)).collect();
    assert!(
        places
            .iter()
            .flatten()
            .all(|place| place.index() < view.tree.len())
    );
    if view.is_collapsed() {
        let uncollapsed = view.uncollapsed();
        for node in view.tree.nodes() {
            let roots = view.to_uncollapsed(node);
            let sum: u64 = roots
                .iter()
                .map(|&root| uncollapsed.tree.inclusive(TIME, root))
                .sum();
            assert_eq!(sum, view.tree.inclusive(TIME, node));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn steps_match_their_definitions(stacks in stacks()) {
        let recording = recording(&stacks);
        let base = view_with(&recording, &[]);
        let total = |view: &View| view.tree.inclusive(TIME, NodeId::ROOT);
        for (step, keeps_total, rule) in rules(&base) {
            let view = view_with(&recording, std::slice::from_ref(&step));
            let expect = expected(&stacks, &rule);
            prop_assert_eq!(&own_values(&view), &expect, "{:?}", step);
            prop_assert_eq!(total(&view), expect.values().sum::<u64>(), "{:?}", step);
            prop_assert!(!keeps_total || total(&view) == total(&base));
            check_places(&view);
            // a single thread gives the same as that thread of all
            let threads = ThreadChoice { chosen: base.threads.iter().map(|thread| thread.name == "T").collect(), merging: Merging::None };
            let one = make(&recording, &ViewSpec { scope: Scope { threads, ..Scope::all(&recording) }, transforms: vec![step.clone()] });
            let of_thread = |view: &View| {
                let own = own_values(view).into_iter().filter(|(path, _)| path[0] == "T");
                own.collect::<BTreeMap<_, _>>()
            };
            prop_assert_eq!(of_thread(&one.unwrap()), of_thread(&view), "{:?}", step);
        }
    }

    #[test]
    fn expanding_everything_restores_the_tree(stacks in stacks()) {
        let recording = recording(&stacks);
        let base = view_with(&recording, &[]);
        let folds: [fn(Vec<NodeRef>) -> Step; 3] = [
            |opened| Step::Collapse { frames: Collapsible::Plumbing, opened },
            |opened| Step::Collapse { frames: Collapsible::System, opened },
            |opened| Step::Group { by: GroupBy::Type, opened },
        ];
        for step in folds {
            let folded = view_with(&recording, &[step(Vec::new())]);
            let rows = folded.tree.nodes().filter(|&row| folded.frames.synthetic(folded.tree.frame(row)).is_some());
            let opened: Vec<NodeRef> = rows.flat_map(|row| nodes_to_open(&folded, row)).collect();
            let view = view_with(&recording, &[step(opened)]);
            prop_assert_eq!(&view.tree, &base.tree);
            // hotspots count frames, collapsed or not
            let rows = |view: &View| hotspots(view.uncollapsed(), &[NodeId::ROOT], TIME);
            prop_assert_eq!(rows(&folded), rows(&base));
        }
    }

    #[test]
    fn steps_can_be_combined_in_any_order(stacks in stacks(), order in Just((0..10usize).collect::<Vec<_>>()).prop_shuffle()) {
        let recording = recording(&stacks);
        let base = scoped(&recording, &Scope::all(&recording)).unwrap();
        let steps: Vec<Step> = rules(&base).into_iter().map(|(step, ..)| step).collect();
        let steps: Vec<Step> = order.iter().filter_map(|&at| steps.get(at).cloned()).take(4).collect();
        let view = view_with(&recording, &steps);
        check_places(&view);
        // all at once equals one by one, also after any single step is removed
        prop_assert_eq!(&apply_each(&base, &steps).tree, &view.tree);
        for removed in 0..steps.len() {
            let others = [&steps[..removed], &steps[removed + 1..]].concat();
            let again = view_with(&recording, &others);
            let expect = apply_each(&base, &others);
            prop_assert_eq!(&again.tree, &expect.tree);
            prop_assert_eq!(&again.steps, &expect.steps);
        }
    }

    #[test]
    fn the_tree_is_inverted_whatever_steps_follow(
        stacks in stacks(), order in Just((0..10usize).collect::<Vec<_>>()).prop_shuffle(), at in 0..4usize
    ) {
        let recording = recording(&stacks);
        let base = scoped(&recording, &Scope::all(&recording)).unwrap();
        let steps: Vec<Step> = rules(&base).into_iter().map(|(step, ..)| step).collect();
        let steps: Vec<Step> = order.iter().filter_map(|&at| steps.get(at).cloned()).take(3).collect();
        let straight = view_with(&recording, &steps);
        let last = view_with(&recording, &[&steps[..], &[Step::Inverted]].concat());
        let combined = [&steps[..at], &[Step::Inverted], &steps[at..]].concat();
        prop_assert_eq!(&view_with(&recording, &combined).tree, &last.tree);
        prop_assert_eq!(&apply_each(&base, &combined).tree, &last.tree);
        // its first rows are the hotspots by exclusive value
        let rows = last.tree.children(NodeId::ROOT).map(|row| (last.tree.frame(row), last.tree.inclusive(TIME, row)));
        let rows: BTreeSet<(FrameId, u64)> = rows.filter(|(_, own)| *own > 0).collect();
        let own = hotspots(straight.uncollapsed(), &[NodeId::ROOT], TIME).into_iter();
        let own: BTreeSet<(FrameId, u64)> = own.map(|row| (row.frame, row.exclusive)).filter(|(_, own)| *own > 0).collect();
        prop_assert_eq!(rows, own);
    }

    /// Whatever a source says about inclusive values and counts.
    #[test]
    fn every_step_works_on_trees_of_any_source(plan in plans()) {
        let recording = Arc::new(build(&plan).into_recording());
        for pattern in ["a", "", "$^"] {
            for action in FilterAction::ALL {
                view_with(&recording, &[Step::Filter { action, pattern: pattern.into() }]);
            }
        }
        for step in rules(&view_with(&recording, &[])).into_iter().map(|(step, ..)| step) {
            view_with(&recording, &[step]);
        }
    }
}
