use super::*;
use crate::analysis::{hotspots, outermost_occurrences};
use crate::model::TreeBuilder;
use crate::model::testing::{profile_of, view_with};
use proptest::prelude::*;

const TIME: MetricId = MetricId(0);
const STEP: u64 = 1_000_000;

fn open_all(caller_tree: &mut CallerTree) {
    let mut row = 0;
    while row < caller_tree.row_count() {
        caller_tree.open(CallerRow(row as u32)).unwrap();
        row += 1;
    }
}

fn callers_of(view: &View, method: &str) -> CallerTree {
    CallerTree::callers(view, NodeId::ROOT, &view.frames.find(method), false).unwrap()
}

/// All rows, indented: inclusive and exclusive values, counts, and the node of the first stack.
#[track_caller]
fn check(mut caller_tree: CallerTree, expect: &[&str]) {
    open_all(&mut caller_tree);
    let mut rows = Vec::new();
    let mut pending = vec![(CallerTree::TOP, 0)];
    while let Some((row, depth)) = pending.pop() {
        let CallerTreeSums {
            inclusive,
            exclusive,
            count,
            ..
        } = caller_tree.sums(row, TIME);
        let name = caller_tree.view.frames.name(caller_tree.frame(row));
        let (indent, at) = (".".repeat(depth), caller_tree.first(row).0);
        rows.push(format!(
            "{indent}{name} {}/{} {count} n{at}",
            inclusive / STEP,
            exclusive / STEP
        ));
        pending.extend(
            caller_tree
                .callers_of(row)
                .map(|caller| (caller, depth + 1))
                .collect::<Vec<_>>()
                .into_iter()
                .rev(),
        );
    }
    assert_eq!(rows, expect);
}

#[test]
fn callers_are_merged_by_method_but_threads_are_not() {
    // n1 T 13 ▸ n2 x 9 ▸ n3 m 9 ▸ n4 a 7; n5 y 4 ▸ n6 m 4 ▸ (n7 b 2, n8 a 1); n9 U 2 ▸ n10 x 2 ▸ n11 m 2
    let view = profile_of("T;x;m;a 7|T;x;m 2|T;y;m;a 1|T;y;m;b 2|T;y;m 1|U;x;m 2");
    let expect = [
        "m 15/5 6 n3",
        ".x 11/4 3 n2",
        "..T 9/2 2 n1",
        "..U 2/2 1 n9",
        ".y 4/1 3 n5",
        "..T 4/1 3 n1",
    ];
    check(callers_of(&view, "m"), &expect);
    let within = CallerTree::callers(&view, NodeId(2), &view.frames.find("m"), false).unwrap();
    check(within, &["m 9/2 2 n3", ".x 9/2 2 n2"]);
    assert!(CallerTree::callers(&view, NodeId(9), &view.frames.find("y"), false).is_none());
}

#[test]
fn direct_recursion_counts_once() {
    // n1 T ▸ n2 m 9 (1 own) ▸ n3 m 8 (3 own) ▸ n4 m 5
    let view = profile_of("T;m;m;m 5|T;m;m 3|T;m 1");
    let expect = [
        "m 9/9 3 n2",
        ".T 9/1 3 n1",
        ".m 0/8 0 n2",
        "..T 0/3 0 n1",
        "..m 0/5 0 n2",
        "...T 0/5 0 n1",
    ];
    check(callers_of(&view, "m"), &expect);
    assert_eq!(callers_of(&view, "m").inner_occurrence_count(), 2);
}

#[test]
fn mutual_recursion_counts_once() {
    // n1 T ▸ n2 a 10 (1 own) ▸ n3 b 9 (2 own) ▸ n4 a 7 (3 own) ▸ n5 b 4
    let view = profile_of("T;a;b;a;b 4|T;a;b;a 3|T;a;b 2|T;a 1");
    check(
        callers_of(&view, "a"),
        &[
            "a 10/4 4 n2",
            ".T 10/1 4 n1",
            ".b 0/3 0 n3",
            "..a 0/3 0 n2",
            "...T 0/3 0 n1",
        ],
    );
    let both = [view.frames.find("a"), view.frames.find("b")].concat();
    let mut caller_tree = CallerTree::callers(&view, NodeId::ROOT, &both, false).unwrap();
    caller_tree.open(CallerTree::TOP).unwrap();
    let rows: Vec<_> = caller_tree.callers_of(CallerTree::TOP).collect();
    let sums = rows
        .iter()
        .map(|&row| caller_tree.sums(row, TIME))
        .map(|sums| (sums.inclusive, sums.exclusive));
    assert_eq!(
        sums.collect::<Vec<_>>(),
        [(10 * STEP, STEP), (0, 6 * STEP), (0, 3 * STEP)]
    );
}

#[test]
fn inverted_trees_show_exclusive_values() {
    // n1 T ▸ n2 x 6 (1 own) ▸ n3 m 5; n4 m 2; 3 exclusive
    let view = profile_of("T;x;m 5|T;x 1|T;m 2|T 3");
    let expect = [
        "All threads 11/11 4 n0",
        ".x 1/1 1 n2",
        "..T 1/1 1 n1",
        ".m 7/7 2 n3",
        "..x 5/5 1 n2",
        "...T 5/5 1 n1",
        "..T 2/2 1 n1",
    ];
    check(CallerTree::inverted(&view, NodeId::ROOT, false), &expect);
    assert_eq!(
        CallerTree::inverted(&view, NodeId::ROOT, false)
            .sums(CallerTree::TOP, TIME)
            .ended,
        3 * STEP
    );
    check(
        CallerTree::inverted(&view, NodeId(2), false),
        &["x 6/6 2 n2", ".x 1/1 1 n2", ".m 5/5 1 n3", "..x 5/5 1 n2"],
    );
}

#[test]
fn rows_become_a_view() {
    let view = profile_of("T;x;m;a 7|T;x;m 2|T;y;m 4|U;x;m 2");
    let mut caller_tree = callers_of(&view, "m");
    caller_tree.open(CallerTree::TOP).unwrap();
    let find = |name: &str| {
        let frame = view.frames.find(name)[0];
        let mut rows = caller_tree.callers_of(CallerTree::TOP);
        rows.find(|&row| caller_tree.frame(row) == frame)
    };
    let x = find("x").unwrap();
    assert!(caller_tree.has_more(x) && find("a").is_none());
    let line = |view: &View, node: NodeId| {
        let more = if view.has_more(node) { " …" } else { "" };
        let tree = &view.tree;
        let values =
            [tree.inclusive(TIME, node), tree.exclusive(TIME, node)].map(|value| value / STEP);
        format!(
            "{} {}/{} {}{more}",
            view.name(node),
            values[0],
            values[1],
            view.node_label(node)
        )
    };
    let lines = |view: &View| {
        assert_eq!(view.tree.check(), Ok(()));
        view.tree
            .nodes()
            .map(|node| line(view, node))
            .collect::<Vec<_>>()
    };
    let shown = caller_tree.into_view().unwrap();
    assert_eq!(lines(&shown), ["m 15/0 n3", "x 11/0 n2 …", "y 4/0 n5 …"]);
    let OpenedView {
        view: opened,
        places,
    } = shown.opened(NodeId(1), Opening::Row).unwrap().unwrap();
    assert_eq!(places, [0, 1, 4].map(NodeId));
    assert!(opened.is_leaf(NodeId(2)) && !opened.is_leaf(NodeId(4)));
    assert_eq!(
        lines(&opened),
        [
            "m 15/0 n3",
            "x 11/0 n2",
            "T 9/9 n1",
            "U 2/2 n7",
            "y 4/0 n5 …"
        ]
    );
    assert_eq!(
        lines(&shown),
        ["m 15/0 n3", "x 11/0 n2 …", "y 4/0 n5 …"],
        "the other one is unchanged"
    );
    assert!(opened.opened(NodeId(2), Opening::Row).unwrap().is_none());
}

#[test]
fn rows_are_opened_along_the_hot_path_or_all() {
    let view = profile_of("T;a;b;m 9|T;c;b;m 3|U;d;m 2");
    let mut caller_tree = callers_of(&view, "m");
    caller_tree.open(CallerTree::TOP).unwrap();
    let shown = caller_tree.into_view().unwrap();
    let rows = |opening| {
        let opened = shown.opened(NodeId::ROOT, opening).unwrap();
        let opened = opened.map_or(shown.clone(), |opened| opened.view);
        let name = |node| opened.name(node).to_string();
        opened.tree.nodes().map(name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(rows(Opening::All), "m b a T c T d U");
    let hot = |row| {
        let opening = Opening::HotPath(view.measure(TIME));
        let opened = shown.opened(row, opening).unwrap().unwrap().view;
        opened
            .tree
            .nodes()
            .map(|node| opened.name(node).to_string())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(hot(NodeId(1)), "m b a T c d");
    assert!(!shown.has_more_within(NodeId(1)) || shown.has_more(NodeId(1)));
}

/// User code is everything in modules outside .NET; frames between it and the method are ignored.
#[test]
fn user_callers_skip_all_other_code() {
    let core = "System.Private.CoreLib!System";
    let view = profile_of(&format!(
        "T;App!Main;{core}.Task.Run;App!Read;{core}.Json.Parse;{core}.GC 9|T;App!Main;{core}.GC 4|U;{core}.Pool;{core}.GC 2"
    ));
    let gc = view.frames.find(&format!("{core}.GC"));
    let mut users = CallerTree::callers(&view, NodeId::ROOT, &gc, true).unwrap();
    assert_eq!(
        users
            .without_user_caller(CallerTree::TOP, TIME)
            .unwrap()
            .inclusive,
        15 * STEP
    );
    users.open(CallerTree::TOP).unwrap();
    let rest = users.without_user_caller(CallerTree::TOP, TIME).unwrap();
    assert_eq!(rest.inclusive, 2 * STEP, "what the pool does by itself");
    check(
        users,
        &[
            &format!("{core}.GC 15/15 3 n6"),
            ".App!Read 9/9 1 n4",
            "..App!Main 9/9 1 n2",
            ".App!Main 4/4 1 n2",
        ],
    );
}

#[test]
fn waiting_is_carried_up_to_callers() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let mut recording = crate::model::testing::recording_of(&format!(
        "idle;m;{sleep} 96|idle;m 1|A;m 4|A;m;{sleep} 2"
    ));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let mut caller_tree = callers_of(&view, "m");
    caller_tree.open(CallerTree::TOP).unwrap();
    let shown = caller_tree.into_view().unwrap();
    let waiting = shown
        .tree
        .nodes()
        .map(|node| shown.waiting(TIME).within(&shown.tree, node) / STEP);
    assert_eq!(waiting.collect::<Vec<_>>(), [98, 96, 2]);
    assert_eq!(shown.measure(TIME), view.measure(TIME));
}

/// A chain of a million frames, each with exclusive time, takes memory only for opened rows.
#[test]
fn deep_chains_open_row_by_row() {
    const DEPTH: usize = 100_000;
    let two = profile_of("T;a;b 1");
    let mut builder = TreeBuilder::new(two.tree.frame(NodeId(0)), &two.recording.metrics);
    let mut caller = builder
        .add(TreeBuilder::ROOT, two.tree.frame(NodeId(1)))
        .unwrap();
    for at in 0..DEPTH {
        caller = builder
            .add(caller, two.tree.frame(NodeId(2 + at as u32 % 2)))
            .unwrap();
        builder.add_exclusive(TIME, caller, 1);
    }
    let tree = builder.finish(&two.frames, TIME).tree;
    let view = view_with(two, tree);
    for (mut caller_tree, levels) in [
        (CallerTree::inverted(&view, NodeId::ROOT, false), 4),
        (callers_of(&view, "b"), 3),
    ] {
        let mut row = CallerTree::TOP;
        for _ in 0..levels {
            caller_tree.open(row).unwrap();
            let callers = caller_tree.callers_of(row);
            row = callers
                .max_by_key(|&caller| caller_tree.occurrence_count(caller))
                .unwrap();
        }
        assert!(caller_tree.row_count() < 12 && caller_tree.occurrence_count(row) > DEPTH / 2 - 3);
        let rows = caller_tree.row_count();
        assert!(caller_tree.has_more(row) && caller_tree.into_view().unwrap().tree.len() == rows);
    }
}

proptest! {
    #[test]
    fn callers_add_up_to_their_callee(stacks in prop::collection::vec(("[TU]", "[abc]{0,6}", 1..9u32), 1..12)) {
        let line = |(thread, path, weight): &(String, String, u32)| {
            let methods: String = path.chars().map(|method| format!(";{method}")).collect();
            format!("{thread}{methods} {weight}")
        };
        let text = stacks.iter().map(line).collect::<Vec<_>>().join("|");
        let view = profile_of(&text);
        let spots = hotspots(&view, &[NodeId::ROOT], TIME);
        for spot in &spots {
            let mut caller_tree = CallerTree::callers(&view, NodeId::ROOT, &[spot.frame], false).unwrap();
            open_all(&mut caller_tree);
            let top = caller_tree.sums(CallerTree::TOP, TIME);
            prop_assert_eq!((top.inclusive, top.exclusive, Some(top.count)), (spot.inclusive, spot.exclusive, spot.count));
            let outermost = outermost_occurrences(&view, NodeId::ROOT, &[spot.frame]).len();
            prop_assert_eq!(caller_tree.inner_occurrence_count(), spot.node_count as usize - outermost);
            check_sums(&caller_tree)?;
        }
        let mut inverted = CallerTree::inverted(&view, NodeId::ROOT, false);
        open_all(&mut inverted);
        check_sums(&inverted)?;
        for row in inverted.callers_of(CallerTree::TOP) {
            let spot = spots.iter().find(|spot| spot.frame == inverted.frame(row)).unwrap();
            let sums = inverted.sums(row, TIME);
            prop_assert_eq!((sums.inclusive, Some(sums.count)), (spot.exclusive, spot.own_samples));
        }
    }
}

/// Every row is the sum of its callers and the stacks that end in it.
fn check_sums(caller_tree: &CallerTree) -> Result<(), TestCaseError> {
    for row in (0..caller_tree.row_count() as u32).map(CallerRow) {
        let all = caller_tree.sums(row, TIME);
        let callers: Vec<CallerTreeSums> = caller_tree
            .callers_of(row)
            .map(|caller| caller_tree.sums(caller, TIME))
            .collect();
        let inclusive: u64 = callers.iter().map(|sums| sums.inclusive).sum();
        prop_assert_eq!(all.inclusive, inclusive + all.ended);
        if !callers.is_empty() && !caller_tree.is_inverted {
            prop_assert_eq!(
                all.exclusive,
                callers.iter().map(|sums| sums.exclusive).sum::<u64>()
            );
        }
    }
    Ok(())
}
