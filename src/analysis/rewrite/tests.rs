use crate::analysis::make::{apply, make, node_labeled, scoped};
use crate::analysis::nodes_to_open;
use crate::model::testing::{node_ref, profile_of, recording_of};
use crate::model::{
    Collapsible, CountKind, FilterAction, Frames, GroupBy, Metric, MetricId, NodeId, RecordedNode,
    Recording, Recursion, Scope, Step, TreeBuilder, View, ViewSpec,
};
use crate::names::FrameKind;
use std::sync::Arc;

const TIME: MetricId = MetricId(0);
const START: &str = "System.Private.CoreLib!System.Threading.Thread.StartCallback()";
const DISPATCH: &str = "System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch()";
const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";

/// Stacks with short names for frames of .NET: `S` and `D` are async infrastructure, `W` waits.
fn full_names(stacks: &str) -> String {
    let name = |frame: &str| match frame {
        "S" => START.to_string(),
        "D" => DISPATCH.to_string(),
        "W" => SLEEP.to_string(),
        own => own.to_string(),
    };
    let line = |line: &str| {
        let (stack, weight) = line.rsplit_once(' ').unwrap();
        format!(
            "{} {weight}",
            stack.split(';').map(name).collect::<Vec<_>>().join(";")
        )
    };
    stacks.split('|').map(line).collect::<Vec<_>>().join("|")
}

fn drop(name: &str) -> Step {
    drop_all(&[name])
}

fn drop_all(names: &[&str]) -> Step {
    let view = profile_of(&format!("T;{} 1", names.join(";")));
    let frames = (2..view.tree.len()).map(|node| view.tree.frame(NodeId::at(node)));
    Step::Drop(frames.map(|frame| view.frames.key(frame)).collect())
}

fn filter(action: FilterAction, pattern: &str) -> Step {
    Step::Filter {
        action,
        pattern: pattern.into(),
    }
}

fn folded(frames: Collapsible, opened: &[&str]) -> Step {
    Step::Collapse {
        frames,
        opened: opened.iter().map(|label| node_ref(label)).collect(),
    }
}

/// The view of these stacks after some steps.
fn view_of(stacks: &str, transforms: &[Step]) -> View {
    let recording = Arc::new(recording_of(&full_names(stacks)));
    let steps = ViewSpec {
        scope: Scope::all(&recording),
        transforms: transforms.to_vec(),
    };
    let view = make(&recording, &steps).unwrap();
    assert_eq!(view.tree.check(), Ok(()));
    // one at a time, they produce the same view
    let one_by_one = transforms
        .iter()
        .try_fold(scoped(&recording, &steps.scope).unwrap(), apply)
        .unwrap();
    assert_eq!(rows(&one_by_one), rows(&view));
    assert_eq!(one_by_one.steps, view.steps);
    view
}

/// A row per node: indented display name, inclusive/exclusive value in ms, samples.
fn rows(view: &View) -> Vec<String> {
    let tree = &view.tree;
    let row = |node: NodeId| {
        let indent = ".".repeat(tree.ancestors(node).count());
        let [inclusive, exclusive] =
            [tree.inclusive(TIME, node), tree.exclusive(TIME, node)].map(|value| value / 1_000_000);
        let count = tree.count(TIME, node).unwrap_or(0);
        let chain = view
            .recursion_of(node)
            .map_or(String::new(), |chain| format!(" ×{chain}"));
        format!(
            "{indent}{} {inclusive}/{exclusive} {count}{chain}",
            view.display_name(node)
        )
    };
    tree.nodes().map(row).collect()
}

#[track_caller]
fn check(stacks: &str, transforms: &[Step], expect: &[&str]) {
    assert_eq!(rows(&view_of(stacks, transforms)), expect, "{stacks}");
}

#[test]
fn all_stacks_through_a_method_are_dropped() {
    let stacks = "A;m 4|A;m;x 2|A;m;x;y 1|B;x 5|B;x;m 3";
    check(
        stacks,
        &[drop("x")],
        &["All threads 4/0 1", ".A 4/0 1", "..m 4/4 1", ".B 0/0 0"],
    );
    check(
        "T;m;x;m;x 5|T;m 1",
        &[drop("x")],
        &["All threads 1/0 1", ".T 1/0 1", "..m 1/1 1"],
    );
    // n0 All ▸ n1 B 8 ▸ n2 x 8 ▸ n3 m; n4 A 7 ▸ n5 m 7 ▸ n6 x 3 ▸ n7 y
    check(
        stacks,
        &[Step::DropNodes(vec![node_ref("n6")])],
        &[
            "All threads 12/0 3",
            ".B 8/0 2",
            "..x 8/5 2",
            "...m 3/3 1",
            ".A 4/0 1",
            "..m 4/4 1",
        ],
    );
    check(
        stacks,
        &[Step::DropNodes(vec![node_ref("n1")])],
        &[
            "All threads 7/0 3",
            ".A 7/0 3",
            "..m 7/4 3",
            "...x 3/2 2",
            "....y 1/1 1",
            ".B 0/0 0",
        ],
    );
    // several together: missing methods change nothing
    check(
        stacks,
        &[drop_all(&["x", "other", "y"])],
        &["All threads 4/0 1", ".A 4/0 1", "..m 4/4 1", ".B 0/0 0"],
    );
    check(
        stacks,
        &[drop_all(&["x", "m"])],
        &["All threads 0/0 0", ".A 0/0 0", ".B 0/0 0"],
    );
    check(
        "T;m 1",
        &[drop("other"), Step::DropNodes(vec![node_ref("n9")])],
        &["All threads 1/0 1", ".T 1/0 1", "..m 1/1 1"],
    );
}

/// As a list shows it, in full, and by module: `Add(Int32)` is the list's own spelling.
#[test]
fn patterns_match_every_name_of_a_method() {
    const STACKS: &str =
        "T;M!Acme.Book.Add(int32) 4|T;M!Acme.Book.Add(char) 2|T;X!Acme.Book.Cut() 1";
    let focus =
        |pattern, expect: &[&str]| check(STACKS, &[filter(FilterAction::Focus, pattern)], expect);
    let int = ["All threads 4/0 1", ".T 4/0 1", "..Book.Add 4/4 1"];
    focus(r"Add\(Int32\)", &int);
    focus(r"^Book\.Add\(Int32\)$", &int);
    focus(r"Add\(int32\)", &int);
    let both = [
        "All threads 6/0 2",
        ".T 6/0 2",
        "..Book.Add 4/4 1",
        "..Book.Add 2/2 1",
    ];
    focus(r"^Book\.Add$", &both);
    focus("^M!", &both);
}

#[test]
fn stacks_are_chosen_by_pattern() {
    use FilterAction::{Focus, Hide, Ignore, ShowFrom};
    let stacks = "T 1|T;a 2|T;a;b 3|T;a;b;c 4|T;d 5|T;d;b 6";
    check(
        stacks,
        &[filter(Focus, "^b$")],
        &[
            "All threads 13/0 3",
            ".T 13/0 3",
            "..a 7/0 2",
            "...b 7/3 2",
            "....c 4/4 1",
            "..d 6/0 1",
            "...b 6/6 1",
        ],
    );
    check(
        stacks,
        &[filter(Ignore, "b")],
        &["All threads 8/0 3", ".T 8/1 3", "..d 5/5 1", "..a 2/2 1"],
    );
    check(
        stacks,
        &[filter(Hide, "a|b|d")],
        &["All threads 21/0 6", ".T 21/17 6", "..c 4/4 1"],
    );
    check(
        stacks,
        &[filter(Hide, "b")],
        &[
            "All threads 21/0 6",
            ".T 21/1 6",
            "..d 11/11 2",
            "..a 9/5 3",
            "...c 4/4 1",
        ],
    );
    check(
        stacks,
        &[filter(ShowFrom, "b")],
        &[
            "All threads 13/0 3",
            ".T 13/0 3",
            "..b 13/9 3",
            "...c 4/4 1",
        ],
    );
    // case matters, threads have no name here
    check(
        "T;m 1",
        &[filter(Ignore, "M|T|All")],
        &["All threads 1/0 1", ".T 1/0 1", "..m 1/1 1"],
    );
}

#[test]
fn async_infrastructure_is_folded() {
    let stacks = "T;S;D;m 4|T;S;m 2|T;S;D 1|T;m;D;S;x 3|T;m;S 5|T;m;x 6";
    check(
        stacks,
        &[folded(Collapsible::Plumbing, &[])],
        &[
            "All threads 21/0 6",
            ".T 21/0 6",
            "..m 14/0 3",
            "...… 2 async frames 8/5 2",
            "....x 3/3 1",
            "...x 6/6 1",
            "..… 2 async frames 7/1 3",
            "...m 6/6 2",
        ],
    );
    // n0 All ▸ n1 T ▸ n2 m 14 ▸ (n3 x 6, n4 S 5, n5 D 3 ▸ n6 S ▸ n7 x); n8 S 7 ▸ (n9 D 5 ▸ n10 m, n11 m 2)
    check(
        stacks,
        &[folded(Collapsible::Plumbing, &["n8", "n5"])],
        &[
            "All threads 21/0 6",
            ".T 21/0 6",
            "..m 14/0 3",
            "...x 6/6 1",
            "...… 1 async frame 5/5 1",
            "...ThreadPoolWorkQueue.Dispatch 3/0 1",
            "....Thread.StartCallback 3/0 1",
            ".....x 3/3 1",
            "..Thread.StartCallback 7/0 3",
            "...ThreadPoolWorkQueue.Dispatch 5/1 2",
            "....m 4/4 1",
            "...m 2/2 1",
        ],
    );
    let view = view_of(stacks, &[folded(Collapsible::Plumbing, &[])]);
    assert_eq!(view.to_uncollapsed(NodeId(3)), [NodeId(4), NodeId(5)]);
    assert_eq!(nodes_to_open(&view, NodeId(3)), ["n4", "n5"].map(node_ref));
    assert_eq!(view.to_uncollapsed(NodeId(1)), [NodeId(1)]);
    // the two rows keep their x apart, and m below n9 apart from m below n8
    assert_eq!(view.to_uncollapsed(NodeId(7)), [NodeId(10), NodeId(11)]);
    check(
        "T;W;m 1|T;W;D 2",
        &[folded(Collapsible::System, &[])],
        &[
            "All threads 3/0 2",
            ".T 3/0 2",
            "..… 2 system frames 3/2 2",
            "...m 1/1 1",
        ],
    );
}

#[test]
fn folded_methods_can_be_dropped_and_steps_undone() {
    let stacks = "T;S;D;m 4|T;S;m 2|T;m;D;S;x 3";
    let [scope, drop] = [
        folded(Collapsible::Plumbing, &[]),
        drop("System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch()"),
    ];
    let expect = [
        "All threads 2/0 1",
        ".T 2/0 1",
        "..… 1 async frame 2/0 1",
        "...m 2/2 1",
        "..m 0/0 0",
    ];
    check(stacks, &[scope.clone(), drop.clone()], &expect);
    check(stacks, &[drop, scope], &expect);
}

#[test]
fn waiting_follows_its_frames() {
    let mut recording = recording_of(&full_names("T;m 4|T;m;W 9|T;S;W 2|T;S 1|U;W 3"));
    recording.metrics[0].name = "wall".into();
    let recording = Arc::new(recording);
    for (step, expect, samples) in [
        (folded(Collapsible::System, &[]), 14, 3),
        (filter(FilterAction::Hide, "Sleep"), 14, 3),
        (filter(FilterAction::Hide, "m|Sleep"), 14, 3),
        (filter(FilterAction::Focus, "^m$"), 9, 1),
        (drop("m"), 5, 2),
        (Step::CollapseRecursion(Recursion::All), 14, 3),
    ] {
        let steps = ViewSpec {
            scope: Scope::all(&recording),
            transforms: vec![step.clone()],
        };
        let view = make(&recording, &steps).unwrap();
        assert_eq!(view.waiting_total(TIME), expect * 1_000_000, "{step:?}");
        let own: u64 = view
            .tree
            .nodes()
            .map(|node| view.waiting(TIME).own(node))
            .sum();
        assert_eq!(own, expect * 1_000_000, "{step:?}");
        let all = view.waiting(TIME).amount_within(&view.tree, NodeId::ROOT);
        assert_eq!(all.samples, samples, "{step:?}");
    }
}

#[test]
fn direct_recursion_becomes_one_node() {
    let stacks = "T;a;a;b 3|T;a;b 1|T;a;a;a 5|T;a;b;a 2|T;b;b 4";
    check(
        stacks,
        &[Step::CollapseRecursion(Recursion::Direct)],
        &[
            "All threads 15/0 5",
            ".T 15/0 5",
            "..a 11/5 4 ×3",
            "...b 6/4 3",
            "....a 2/2 1",
            "..b 4/4 1 ×2",
        ],
    );
}

#[test]
fn folding_all_recursion_returns_to_the_first_call() {
    let all = [Step::CollapseRecursion(Recursion::All)];
    // mutual: A > B > A > B is A > B
    check(
        "T;a;b;a;b 7",
        &all,
        &[
            "All threads 7/0 1",
            ".T 7/0 1",
            "..a 7/0 1 ×2",
            "...b 7/7 1 ×2",
        ],
    );
    // frames in between have no exclusive value and are dropped
    check(
        "T;a;b;a 5|T;a;b;a;c 2",
        &all,
        &[
            "All threads 7/0 2",
            ".T 7/0 2",
            "..a 7/5 2 ×2",
            "...c 2/2 1",
        ],
    );
    // unless they have one
    check(
        "T;a;b;a;c 2|T;a;b 3|T;a;c 1",
        &all,
        &[
            "All threads 6/0 3",
            ".T 6/0 3",
            "..a 6/0 3 ×2",
            "...b 3/3 1",
            "...c 3/3 2",
        ],
    );
    check(
        "T;a;b;c;b;a;d 4",
        &all,
        &[
            "All threads 4/0 1",
            ".T 4/0 1",
            "..a 4/0 1 ×2",
            "...d 4/4 1",
        ],
    );
    // after returning, the stack is unchanged: siblings below b stay below b
    check(
        "T;a;b;a;x;b 1|T;a;b;y 2|T;b;a 4",
        &all,
        &[
            "All threads 7/0 3",
            ".T 7/0 3",
            "..b 4/0 1",
            "...a 4/4 1",
            "..a 3/0 2 ×2",
            "...b 2/0 1",
            "....y 2/2 1",
            "...x 1/0 1",
            "....b 1/1 1",
        ],
    );
}

#[test]
fn adjacent_frames_of_a_group_share_a_row() {
    let stacks = "T;M!N.A.f();M!N.A.g();K!N.B.h() 4|T;M!N.A.g();M!P.C.k() 2|T;M!N.A.f() 1|T;K!N.B.h();K!N.B.i() 3";
    let by = |by| {
        [Step::Group {
            by,
            opened: Vec::new(),
        }]
    };
    check(
        stacks,
        &by(GroupBy::Module),
        &[
            "All threads 10/0 4",
            ".T 10/0 4",
            "..M (2 entries) 7/3 3",
            "...K (entered by B.h) 4/4 1",
            "..K (entered by B.h) 3/3 1",
        ],
    );
    check(
        stacks,
        &by(GroupBy::Namespace),
        &[
            "All threads 10/0 4",
            ".T 10/0 4",
            "..N (3 entries) 10/8 4",
            "...P (entered by C.k) 2/2 1",
        ],
    );
    check(
        stacks,
        &by(GroupBy::Type),
        &[
            "All threads 10/0 4",
            ".T 10/0 4",
            "..A (2 entries) 7/1 3",
            "...B (entered by B.h) 4/4 1",
            "...C (entered by C.k) 2/2 1",
            "..B (entered by B.h) 3/3 1",
        ],
    );
}

#[test]
fn nodes_survive_steps() {
    let stacks = "T;S;D;m 4|T;S;m 2|T;m;D;S;x 3";
    // n0 All ▸ n1 T ▸ n2 S 6 ▸ (n3 D 4 ▸ n4 m, n5 m 2); n6 m 3 ▸ n7 D ▸ n8 S ▸ n9 x
    let view = view_of(stacks, &[folded(Collapsible::Plumbing, &[]), drop("x")]);
    let places: Vec<_> = view
        .base()
        .tree
        .nodes()
        .map(|node| view.from_base(node).map(|place| place.0))
        .collect();
    let expect = [
        Some(0),
        Some(1),
        Some(2),
        Some(2),
        Some(3),
        Some(3),
        Some(4),
        Some(5),
        Some(5),
        None,
    ];
    assert_eq!(places, expect);
    for node in view.tree.nodes() {
        assert_eq!(view.from_base(view.to_base(node)), Some(node));
        assert_eq!(node_labeled(&view, &view.node_label(node)), Some(node));
    }
    assert_eq!(node_labeled(&view, "n5"), Some(NodeId(3)));
    assert_eq!(node_labeled(&view, "n9"), None);
}

#[test]
fn calls_add_up_when_recursion_is_folded_but_not_when_frames_are() {
    let recording = tracing(&[("a", 0), ("a", 1), ("W", 2), ("b", 1)]);
    let count = |step: Step| {
        let steps = ViewSpec {
            scope: Scope::all(&recording),
            transforms: vec![step],
        };
        let view = make(&recording, &steps).unwrap();
        view.tree
            .nodes()
            .map(|node| view.tree.count(TIME, node).unwrap())
            .collect::<Vec<_>>()
    };
    // root, a, a, W, b: 1 + 2 + 3 + 4 calls
    assert_eq!(
        count(Step::CollapseRecursion(Recursion::Direct)),
        [0, 3, 3, 4]
    );
    assert_eq!(count(drop("a")), [0]);
    assert_eq!(count(filter(FilterAction::Hide, "Sleep")), [0, 1, 2, 4]);
    assert_eq!(
        count(Step::Group {
            by: GroupBy::Module,
            opened: Vec::new()
        }),
        [0, 1, 3]
    );
}

/// Calls of frames at depths, the first called once, the next twice…
fn tracing(calls: &[(&str, usize)]) -> Arc<Recording> {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let metrics = vec![Metric::time("time", Some(CountKind::Calls))];
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut stack = vec![TreeBuilder::ROOT];
    for (row, (name, depth)) in calls.iter().enumerate() {
        let name = if *name == "W" { SLEEP } else { name };
        let frame = frames.intern(FrameKind::Method, name, "");
        stack.truncate(depth + 1);
        let node = builder.add(stack[*depth], frame).unwrap();
        builder.add_exclusive(TIME, node, 1_000_000);
        builder.add_count(TIME, node, row as u64 + 1);
        stack.push(node);
    }
    let built = builder.finish(&frames, TIME);
    let source = recording_of("T;m 1").source;
    Arc::new(Recording::new(source, frames, built.tree, metrics, TIME))
}

#[test]
fn every_step_handles_deep_chains() {
    let few = recording_of(&full_names("T;a;S;b 1"));
    let mut builder = TreeBuilder::new(few.original.tree.frame(RecordedNode::ROOT), &few.metrics);
    let methods = [2, 3, 4].map(|node| few.original.tree.frame(RecordedNode(node)));
    let mut node = builder
        .add(TreeBuilder::ROOT, few.original.tree.frame(RecordedNode(1)))
        .unwrap();
    for at in 0..100_000 {
        node = builder.add(node, methods[at % 3]).unwrap();
        builder.add_exclusive(TIME, node, 1);
    }
    let tree = builder.finish(&few.frames, TIME).tree;
    let frames = Frames::clone(&few.frames);
    let recording = Arc::new(Recording::new(
        few.source.clone(),
        frames,
        tree,
        few.metrics.clone(),
        TIME,
    ));
    for (step, nodes) in [
        (drop("b"), 4),
        (filter(FilterAction::Focus, "^b$"), 100_002),
        (filter(FilterAction::Ignore, "^b$"), 4),
        (filter(FilterAction::Hide, "^b$"), 66_669),
        (filter(FilterAction::ShowFrom, "^b$"), 100_000),
        (folded(Collapsible::Plumbing, &[]), 100_002),
        (folded(Collapsible::System, &[]), 100_002),
        (Step::CollapseRecursion(Recursion::Direct), 100_002),
        (Step::CollapseRecursion(Recursion::All), 5),
        (Step::DropNodes(vec![node_ref("n5")]), 5),
        (Step::DropNodes(vec![node_ref("n100001")]), 100_001),
        (
            Step::Group {
                by: GroupBy::Module,
                opened: Vec::new(),
            },
            66_669,
        ),
        (
            Step::Group {
                by: GroupBy::Namespace,
                opened: Vec::new(),
            },
            66_669,
        ),
        (
            Step::Group {
                by: GroupBy::Type,
                opened: Vec::new(),
            },
            66_669,
        ),
        (Step::Inverted, 4),
    ] {
        let steps = ViewSpec {
            scope: Scope::all(&recording),
            transforms: vec![step.clone()],
        };
        assert_eq!(
            make(&recording, &steps).unwrap().tree.len(),
            nodes,
            "{step:?}"
        );
    }
}
