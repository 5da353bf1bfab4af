use super::super::super::commands::Action::{self, *};
use super::super::super::method_list::MethodSums;
use super::*;
use crate::analysis::ChargedValue;
use crate::analysis::threads::choose;
use crate::app::{MethodsRequest, SortColumn};
use crate::model::testing::{profile_of, profiles_of};
use crate::model::{
    CountKind, Frames, Merging, Metric, MetricId, NodeId, Recording, ThreadChoice, TreeBuilder,
    View,
};

const SHOP: &str = "T;main;run;price 50|T;main;run;log 10|T;main;sleep 30|U;start;handle;price 9";

fn explorer(view: View, actions: &[Action]) -> Explorer {
    let mut explorer = Explorer::new(ReadyView::of(view), &Arc::default(), (120, 30));
    for action in actions {
        explorer.act(action.clone());
    }
    explorer
}

#[test]
fn a_list_of_the_methods_of_the_former_view_closes() {
    let mut explorer = explorer(profile_of(SHOP), &[]);
    for keys in [vec![], vec![Help]] {
        let measure = explorer.measure();
        explorer.act(Methods);
        let request = MethodsRequest {
            within: NodeId::ROOT,
            measure,
            group: None,
        };
        let sums = MethodSums {
            request,
            before: None,
            without_user_caller: Vec::new(),
            rows: Vec::new(),
            grouped: None,
            no_user_caller: ChargedValue::default(),
            no_user_caller_before: 0,
            weight: 99,
        };
        explorer.receive_methods(sums);
        for key in keys {
            explorer.act(key);
        }
        explorer.exchange(ReadyView::of(profile_of(SHOP)), None);
        if explorer.overlay.page().is_some() {
            explorer.act(Back);
        }
        assert!(
            matches!(explorer.overlay, Overlay::None),
            "{:?}",
            explorer.overlay
        );
    }
}

/// The rows on the screen with their levels, the selected one marked; preceded by the breadcrumbs.
fn rows(explorer: &Explorer) -> String {
    let (rows, at) = explorer.tree().shown.screen(explorer.view(), 20);
    let row = |(line, row): (usize, &crate::app::PaneRow)| {
        let mark = if line == at { "*" } else { "" };
        format!(
            "{}{mark}{}",
            ".".repeat(row.depth),
            explorer.view().display_name(row.node)
        )
    };
    let breadcrumbs: String = explorer
        .tree()
        .outer
        .iter()
        .map(|pane| format!("{}/", explorer.view().display_name(pane.root())))
        .collect();
    breadcrumbs
        + &rows
            .iter()
            .enumerate()
            .map(row)
            .collect::<Vec<_>>()
            .join(" ")
}

/// The screen after `actions` in one profile, and after another one has replaced it.
#[track_caller]
fn check(before: &str, actions: &[Action], expect_before: &str, after: &str, expect: &str) {
    let [before, after] = profiles_of([before, after]);
    let mut explorer = explorer(before, actions);
    assert_eq!(rows(&explorer), expect_before);
    explorer.exchange(ReadyView::of(after), None);
    assert_eq!(rows(&explorer), expect);
}

#[test]
fn selection_and_open_rows_stay_where_the_tree_has_them() {
    let two_down = [Rows(1), Open, Rows(1), Open, Rows(1), Open, Rows(1)];
    let before = "All threads .T ..main ...run ....*price ....log ...sleep .U";
    // the same, with other times and therefore in another order
    check(
        SHOP,
        &two_down,
        before,
        "U;start;handle;price 900|T;main;sleep 60|T;main;run;log 10|T;main;run;price 5",
        "..main ...sleep ...run ....log ....*price",
    );
    // the method is gone: its caller
    check(
        SHOP,
        &two_down,
        before,
        "T;main;run;log 10|T;main;idle 1",
        "All threads .T ..main ...*run ....log ...idle",
    );
    // the thread is gone
    check(
        SHOP,
        &two_down,
        before,
        "V;main;run;price 1|W;main 2",
        "*All threads .W .V",
    );
    // new frames in between: what was open there stays open as far down as before
    check(
        SHOP,
        &two_down,
        before,
        "T;main;new;run;price 50",
        "All threads .T ..*main ...new",
    );
}

#[test]
fn closed_rows_stay_closed_and_whole_subtrees_open() {
    let all_but_one = [OpenSubtree, Rows(1), Rows(1), Rows(1), Close];
    let before = "All threads .T ..main ...*run ...sleep .U ..start ...handle ....price";
    check(SHOP, &all_but_one, before, SHOP, before);
    check(
        SHOP,
        &all_but_one,
        before,
        "T;main;run;price 50|T;main;sleep;deep 30|U;start;handle;price;tax 9",
        "All threads .T ..main ...*run ...sleep .U ..start ...handle ....price .....tax",
    );
    check(SHOP, &[Close], "*All threads", SHOP, "*All threads");
}

#[test]
fn focuses_stay_or_are_left() {
    let focus = [Rows(1), Focus, Open, Rows(1), Focus, Rows(1)];
    let before = "All threads/T/main .*run .sleep";
    check(SHOP, &focus, before, SHOP, before);
    check(
        SHOP,
        &focus,
        before,
        "T;main;run 1|U;x 5",
        "All threads/T/main .*run",
    );
    check(
        SHOP,
        &focus,
        before,
        "T;other 1|U;x 5",
        "All threads/*T .other",
    );
    check(SHOP, &focus, before, "U;x 5", "*All threads .U");
}

#[test]
fn nodes_are_found_in_merged_threads_and_back() {
    // below U, where it is open; what is open in T is closed
    let actions = [Rows(2), Open, Rows(1), Open, Rows(1), Open, Rows(1)];
    let mut explorer = explorer(profile_of(SHOP), &actions);
    let before = "All threads .T .U ..start ...handle ....*price";
    assert_eq!(rows(&explorer), before);
    let read = explorer.lens().view.clone();
    let merged = ThreadChoice {
        merging: Merging::All,
        ..ThreadChoice::all(&read.recording)
    };
    explorer.exchange(ReadyView::of(choose(&read, &merged).unwrap()), None);
    let merged = "All threads .2 threads merged ..main ..start ...handle ....*price";
    assert_eq!(rows(&explorer), merged);
    explorer.exchange(read, None);
    assert_eq!(rows(&explorer), before, "the thread that has the path");
}

#[test]
fn equal_siblings_are_told_apart_by_their_order() {
    let twins = |times: &[u64]| {
        let one = profile_of("T;a 1");
        let mut builder = TreeBuilder::new(one.tree.frame(NodeId(0)), &one.recording.metrics);
        let thread = builder
            .add(TreeBuilder::ROOT, one.tree.frame(NodeId(1)))
            .unwrap();
        for &time in times {
            let a = builder.add(thread, one.tree.frame(NodeId(2))).unwrap();
            let leaf = builder.add(a, one.tree.frame(NodeId(2))).unwrap();
            builder.add_exclusive(MetricId(0), leaf, time);
        }
        let tree = builder.finish(&one.frames, MetricId(0)).tree;
        Recording::new(
            one.recording.source.clone(),
            Frames::clone(&one.recording.frames),
            tree,
            one.recording.metrics.clone(),
            MetricId(0),
        )
        .into_view()
    };
    let mut explorer = explorer(
        twins(&[3, 2, 1]),
        &[Rows(1), Open, Rows(1), Rows(1), Open, Rows(1)],
    );
    assert_eq!(rows(&explorer), "All threads .T ..a ..a ...*a ..a");
    explorer.exchange(ReadyView::of(twins(&[9, 8])), None);
    assert_eq!(rows(&explorer), "All threads .T ..a ..a ...*a");
    explorer.exchange(ReadyView::of(twins(&[7])), None);
    assert_eq!(rows(&explorer), "All threads .T ..a ...*a");
}

/// A profile with these metrics, the first of which is shown first; `calls` has no counts.
fn with_metrics(names: &[&str]) -> View {
    let view = profile_of(SHOP);
    let counts = |name: &str| (name != "calls").then_some(CountKind::Samples);
    let metrics: Vec<Metric> = names
        .iter()
        .map(|name| Metric::time(name, counts(name)))
        .collect();
    let mut builder = TreeBuilder::new(view.tree.frame(NodeId(0)), &metrics);
    let leaf = builder
        .push_stack(
            TreeBuilder::ROOT,
            (1..4).map(|node| view.tree.frame(NodeId(node))),
        )
        .unwrap();
    for metric in 0..names.len() {
        builder.add_exclusive(MetricId::at(metric), leaf, 5);
    }
    let frames = Frames::clone(&view.recording.frames);
    let tree = builder.finish(&frames, MetricId(0)).tree;
    Recording::new(
        view.recording.source.clone(),
        frames,
        tree,
        metrics,
        MetricId(0),
    )
    .into_view()
}

#[test]
fn metric_order_and_toggles_are_preserved() {
    let actions = [
        NextMetric,
        NextSort,
        NextSort,
        ToggleNames,
        TogglePin,
        Pane(3),
    ];
    for (names, metric, column) in [
        (["CPU", "wall"], "wall", SortColumn::Count),
        (["wall", "CPU"], "wall", SortColumn::Count),
        (["time", "CPU"], "time", SortColumn::Count),
        (["calls", "CPU"], "calls", SortColumn::Inclusive),
    ] {
        let mut explorer = explorer(with_metrics(&["CPU", "wall"]), &actions);
        explorer.exchange(ReadyView::of(with_metrics(&names)), None);
        assert_eq!(
            explorer
                .view()
                .recording
                .metric(explorer.lens().metric)
                .name,
            metric
        );
        assert_eq!(
            explorer.tree().shown.outline.sort.column,
            column,
            "{names:?}"
        );
        assert!(explorer.lens().shows_raw_names && explorer.hot.is_pinned);
        assert_eq!(explorer.page().focus, 2);
    }
}

#[test]
fn the_selected_hotspot_stays_selected() {
    let [shop, last, gone] = profiles_of([SHOP, "T;sleep 1|T;x 2|T;y 3", "T;x 2|T;y 3"]);
    let mut explorer = explorer(shop, &[Pane(2), Rows(1)]);
    let selected = |explorer: &Explorer| {
        let hotspot = explorer.selection().hotspot;
        hotspot.map(|row| explorer.lens().frame_name(row.frame).to_string())
    };
    assert_eq!(selected(&explorer).as_deref(), Some("sleep"));
    explorer.exchange(ReadyView::of(last), None);
    assert_eq!(
        selected(&explorer).as_deref(),
        Some("sleep"),
        "by exclusive time it is the last now"
    );
    explorer.exchange(ReadyView::of(gone), None);
    assert_eq!(
        selected(&explorer).as_deref(),
        Some("y"),
        "gone: the hottest"
    );
}

#[test]
fn the_selected_row_stays_on_its_line() {
    let many = |count: u64| {
        (0..count)
            .map(|n| format!("T;m{n:03} {}", 1000 - n))
            .collect::<Vec<_>>()
            .join("|")
    };
    let [long, short] = profiles_of([&many(200), &many(150)]);
    let mut explorer = explorer(long, &[Rows(1), Open, Rows(120), Wheel(5, 5, 7)]);
    let line = |explorer: &Explorer| {
        explorer
            .tree()
            .shown
            .screen(explorer.view(), explorer.tree().height())
            .1
    };
    let before = (
        explorer
            .view()
            .display_name(explorer.tree().shown.selected)
            .to_string(),
        line(&explorer),
    );
    assert!(
        before.1 > 0 && before.1 < explorer.tree().height() - 1,
        "{before:?}"
    );
    explorer.exchange(ReadyView::of(short), None);
    assert_eq!(
        (
            explorer
                .view()
                .display_name(explorer.tree().shown.selected)
                .to_string(),
            line(&explorer)
        ),
        before
    );
}

#[test]
fn deep_chains_are_exchanged() {
    let deep = || {
        let one = profile_of("T;a 1");
        let mut builder = TreeBuilder::new(one.tree.frame(NodeId(0)), &one.recording.metrics);
        let frames = [one.tree.frame(NodeId(1))].into_iter();
        let stack = frames.chain(std::iter::repeat_n(one.tree.frame(NodeId(2)), 100_000));
        let leaf = builder.push_stack(TreeBuilder::ROOT, stack).unwrap();
        builder.add_exclusive(MetricId(0), leaf, 5);
        let tree = builder.finish(&one.frames, MetricId(0)).tree;
        let frames = Frames::clone(&one.recording.frames);
        let recording = Recording::new(
            one.recording.source.clone(),
            frames,
            tree,
            one.recording.metrics.clone(),
            MetricId(0),
        );
        ReadyView::of(recording.into_view())
    };
    let mut explorer = Explorer::new(deep(), &Arc::default(), (120, 30));
    for action in [OpenSubtree, Last] {
        explorer.act(action);
    }
    let new = deep();
    explorer.exchange(new, None);
    assert_eq!(explorer.tree().shown.selected, NodeId(100_001));
    assert_eq!(explorer.tree().position, [100_002; 2], "all of it is open");
    for action in [CloseSubtree, First, CloseSubtree, Enter] {
        explorer.act(action);
    }
    assert_eq!(
        explorer.tree().shown.selected,
        NodeId(100_001),
        "the hot path, opened row by row"
    );
    explorer.exchange(deep(), None);
    assert_eq!(explorer.tree().shown.selected, NodeId(100_001));
    assert_eq!(explorer.tree().position, [100_002; 2]);
}
