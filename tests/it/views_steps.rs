//! Trees with methods dropped, filtered, with recursion folded and grouped, compared with `../shared/data/expected/views`, which an
//! independent program computed from the recordings. The rules are in its README.

use crate::common::profiles::{check_tree, read_file};
use crate::common::{expected_views, named_here, shared};
use dotspot::testing::analysis::{Hotspot, grouped, hotspots};
use dotspot::testing::analysis::{apply, scoped};
use dotspot::testing::model::{
    FilterAction, GroupBy, Merging, MetricId, NodeId, Recursion, Scope, Step, ThreadChoice, View,
};
use dotspot::testing::names::FrameKind;
use dotspot::testing::units::Unit;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Expected times have three decimals.
const TOLERANCE_MS: f64 = 0.01;

#[derive(Deserialize)]
struct Expected {
    metric: String,
    total_ms: f64,
    drop: ExpectedDrop,
    filters: ExpectedFilters,
    fold_recursion: ExpectedRecursion,
    group_by_module: ExpectedGroups,
}

#[derive(Deserialize)]
struct ExpectedDrop {
    dropped: ExpectedMethod,
    #[serde(flatten)]
    left: ExpectedList,
}

#[derive(Deserialize)]
struct ExpectedMethod {
    method: String,
}

#[derive(Deserialize)]
struct ExpectedList {
    pattern: Option<String>,
    total_ms: f64,
    own_time_of_threads_ms: Option<f64>,
    hottest_by_exclusive: Vec<ExpectedRow>,
    hottest_by_inclusive: Vec<ExpectedRow>,
}

#[derive(Deserialize)]
struct ExpectedFilters {
    focus: ExpectedList,
    ignore: ExpectedList,
    hide: ExpectedList,
    all_three: ExpectedList,
}

#[derive(Deserialize)]
struct ExpectedRow {
    #[serde(alias = "module", alias = "thread")]
    method: String,
    inclusive_ms: f64,
    exclusive_ms: f64,
    #[serde(default)]
    groups: Vec<ExpectedRow>,
}

#[derive(Deserialize)]
struct ExpectedRecursion {
    method_nodes_before: usize,
    method_nodes_with_direct_recursion_folded: usize,
    methods: Vec<ExpectedChain>,
    inclusive_by_method: Vec<ExpectedRow>,
}

#[derive(Deserialize)]
struct ExpectedChain {
    method: String,
    longest_direct_chain: u32,
}

#[derive(Deserialize)]
struct ExpectedGroups {
    total_ms: f64,
    own_time_of_threads_ms: f64,
    modules: Vec<ExpectedRow>,
    all_threads_merged: Vec<ExpectedRow>,
    by_thread: Vec<ExpectedRow>,
}

/// An original profile.
struct Profile {
    view: View,
    metric: MetricId,
    what: String,
}

fn open(folder: &str, file: &str) -> Option<(Profile, Expected)> {
    let extension = if folder == "dtp" { "dtp" } else { "nettrace" };
    let path = shared(&format!("{folder}/{file}.{extension}"))?;
    let expected: Expected = expected_views(file);
    let view = read_file(&path).original();
    let metric = view
        .recording
        .metrics
        .iter()
        .position(|metric| metric.name.eq_ignore_ascii_case(&expected.metric))
        .unwrap();
    Some((
        Profile {
            view,
            metric: MetricId::at(metric),
            what: file.into(),
        },
        expected,
    ))
}

fn ms(stored: u64) -> f64 {
    Unit::Milliseconds.to_unit(stored)
}

impl Profile {
    /// The same profile with further steps.
    fn with(&self, steps: &[Step]) -> Profile {
        let view = steps.iter().try_fold(self.view.clone(), apply).unwrap();
        check_tree(&view);
        Profile {
            view,
            metric: self.metric,
            what: format!("{}, {steps:?}", self.what),
        }
    }

    #[track_caller]
    fn assert_near(&self, found: f64, expect: f64, of: &str) {
        assert!(
            (found - expect).abs() <= TOLERANCE_MS,
            "{}, {of}: {found} ms, and {expect} ms expected",
            self.what
        );
    }

    fn total_ms(&self) -> f64 {
        ms(self.view.tree.inclusive(self.metric, NodeId::ROOT))
    }

    /// Inclusive and exclusive times for a name: of its outermost nodes, and of all. Overloads in a snapshot share a name and have a row
    /// each.
    fn sums_of(&self, name: &str) -> Vec<(f64, f64)> {
        let rows = hotspots(&self.view, &[NodeId::ROOT], self.metric);
        let of_name = rows
            .iter()
            .filter(|row| self.view.frames.name(row.frame) == name);
        of_name
            .map(|row| (ms(row.inclusive), ms(row.exclusive)))
            .collect()
    }

    #[track_caller]
    fn check_row(&self, row: &ExpectedRow) {
        let found = self.sums_of(named_here(&row.method));
        let is_near = |(inclusive, exclusive): &(f64, f64)| {
            (inclusive - row.inclusive_ms).abs() <= TOLERANCE_MS
                && (exclusive - row.exclusive_ms).abs() <= TOLERANCE_MS
        };
        let expect = (row.inclusive_ms, row.exclusive_ms);
        assert!(
            found.iter().any(is_near),
            "{}, {}: {expect:?} is not in {found:?}",
            self.what,
            row.method
        );
    }

    #[track_caller]
    fn check_list(&self, expect: &ExpectedList) {
        self.assert_near(self.total_ms(), expect.total_ms, "total");
        if let Some(own) = expect.own_time_of_threads_ms {
            self.assert_near(self.own_time_of_threads_ms(), own, "own time of threads");
        }
        expect
            .hottest_by_exclusive
            .iter()
            .chain(&expect.hottest_by_inclusive)
            .for_each(|row| self.check_row(row));
    }

    /// The exclusive time of threads, and that directly at the markers of truncated stacks.
    fn own_time_of_threads_ms(&self) -> f64 {
        let own = |node| match self
            .view
            .frames
            .get(self.view.tree.frame(node))
            .kind
            .is_code()
        {
            false => true,
            true => self.is_marker(node),
        };
        let nodes = self.view.tree.nodes().filter(|&node| own(node));
        ms(nodes
            .map(|node| self.view.tree.exclusive(self.metric, node))
            .sum())
    }

    fn is_marker(&self, node: NodeId) -> bool {
        self.view.frames.is_truncated(self.view.tree.frame(node))
    }

    fn method_nodes(&self) -> usize {
        let is_method = |&node: &NodeId| {
            self.view
                .frames
                .get(self.view.tree.frame(node))
                .kind
                .is_code()
        };
        self.view
            .tree
            .nodes()
            .filter(is_method)
            .filter(|&node| !self.is_marker(node))
            .count()
    }

    /// The rows below some nodes by raw name, with inclusive and exclusive time and their nodes; markers of truncated stacks are
    /// omitted, and rows below them are moved to their callers.
    fn rows_below(&self, nodes: &[NodeId]) -> BTreeMap<String, (f64, f64, Vec<NodeId>)> {
        let mut rows: BTreeMap<String, (f64, f64, Vec<NodeId>)> = BTreeMap::new();
        let mut open: Vec<NodeId> = nodes
            .iter()
            .flat_map(|&node| self.view.tree.children(node))
            .collect();
        while let Some(node) = open.pop() {
            if self.is_marker(node) {
                open.extend(self.view.tree.children(node));
                continue;
            }
            let row = rows.entry(self.view.name(node).to_string()).or_default();
            row.0 += ms(self.view.tree.inclusive(self.metric, node));
            row.1 += ms(self.view.tree.exclusive(self.metric, node));
            row.2.push(node);
        }
        rows
    }

    /// Compares rows of groups and, as far as they are listed, the rows below them.
    #[track_caller]
    fn check_groups(&self, nodes: &[NodeId], expect: &[ExpectedRow], levels: usize) {
        let mut found = self.rows_below(nodes);
        for row in expect {
            let name = named_here(&row.method);
            let (inclusive, exclusive, nodes) = found.remove(name).unwrap_or_default();
            self.assert_near(inclusive, row.inclusive_ms, name);
            self.assert_near(exclusive, row.exclusive_ms, name);
            if levels > 1 {
                self.check_groups(&nodes, &row.groups, levels - 1);
            }
        }
        let rest: f64 = found.values().map(|(inclusive, ..)| inclusive).sum();
        self.assert_near(rest, 0.0, "other groups");
    }
}

fn filter(action: FilterAction, list: &ExpectedList) -> Step {
    Step::Filter {
        action,
        pattern: list.pattern.clone().unwrap(),
    }
}

#[track_caller]
fn check_drop(profile: &Profile, expect: &ExpectedDrop) {
    // overloads share a name: the dropped one is that whose time is missing
    let frames = profile.view.frames.find(named_here(&expect.dropped.method));
    let left = frames
        .into_iter()
        .map(|frame| profile.with(&[Step::Drop(vec![profile.view.frames.key(frame)])]));
    let left = left.into_iter().min_by(|a, b| {
        let error_ms = |profile: &Profile| (profile.total_ms() - expect.left.total_ms).abs();
        error_ms(a).total_cmp(&error_ms(b))
    });
    left.unwrap().check_list(&expect.left);
}

#[track_caller]
fn check_filters(
    profile: &Profile,
    ExpectedFilters {
        focus,
        ignore,
        hide,
        all_three,
    }: &ExpectedFilters,
) {
    let [f, i, h] = [
        (FilterAction::Focus, focus),
        (FilterAction::Ignore, ignore),
        (FilterAction::Hide, hide),
    ]
    .map(|(action, list)| filter(action, list));
    profile.with(std::slice::from_ref(&f)).check_list(focus);
    profile.with(std::slice::from_ref(&i)).check_list(ignore);
    profile.with(std::slice::from_ref(&h)).check_list(hide);
    profile
        .with(&[f.clone(), i.clone(), h.clone()])
        .check_list(all_three);
    // focus and ignore with the same pattern add up to the whole
    let [with, without] = [FilterAction::Focus, FilterAction::Ignore]
        .map(|action| profile.with(&[filter(action, focus)]));
    profile.assert_near(
        with.total_ms() + without.total_ms(),
        profile.total_ms(),
        "focus and ignore",
    );
}

#[track_caller]
fn check_recursion(profile: &Profile, expect: &ExpectedRecursion) {
    assert_eq!(
        profile.method_nodes(),
        expect.method_nodes_before,
        "{}",
        profile.what
    );
    let folded = profile.with(&[Step::CollapseRecursion(Recursion::Direct)]);
    assert_eq!(
        folded.method_nodes(),
        expect.method_nodes_with_direct_recursion_folded,
        "{}",
        profile.what
    );
    expect
        .inclusive_by_method
        .iter()
        .for_each(|row| folded.check_row(row));
    for row in &expect.methods {
        let frames = folded.view.frames.find(named_here(&row.method));
        let nodes = frames
            .iter()
            .flat_map(|&frame| folded.view.occurrences.of(frame));
        let longest = nodes
            .map(|&node| folded.view.recursion_of(node).unwrap_or(1))
            .max();
        // overloads share a name
        assert!(
            longest >= Some(row.longest_direct_chain),
            "{}, {}: {longest:?}",
            profile.what,
            row.method
        );
        assert!(
            frames.len() > 1 || longest == Some(row.longest_direct_chain),
            "{}, {}",
            profile.what,
            row.method
        );
    }
    // exclusive values don't depend on folding
    let all = profile.with(&[Step::CollapseRecursion(Recursion::All)]);
    profile.assert_near(all.total_ms(), profile.total_ms(), "total");
    let exclusive = |profile: &Profile| {
        let rows = hotspots(&profile.view, &[NodeId::ROOT], profile.metric).into_iter();
        rows.filter(|row| row.exclusive > 0)
            .map(|row| (row.frame, row.exclusive))
            .collect::<BTreeMap<_, _>>()
    };
    assert_eq!(exclusive(&all), exclusive(profile), "{}", profile.what);
}

/// The totals of `hotspots --group`: a row per module.
#[track_caller]
fn check_totals(profile: &Profile, modules: &[ExpectedRow]) {
    let totals = grouped(&profile.view, GroupBy::Module);
    let rows = hotspots(&totals, &[NodeId::ROOT], profile.metric);
    let name = |row: &Hotspot| totals.frames.name(row.frame).to_string();
    for module in modules {
        let wanted = named_here(&module.method);
        let row = rows.iter().find(|row| name(row) == wanted);
        let values = row.map_or((0, 0), |row| (row.inclusive, row.exclusive));
        profile.assert_near(ms(values.0), module.inclusive_ms, wanted);
        profile.assert_near(ms(values.1), module.exclusive_ms, wanted);
    }
}

#[track_caller]
fn check_groups(profile: &Profile, expect: &ExpectedGroups) {
    let by_module = [Step::Group {
        by: GroupBy::Module,
        opened: Vec::new(),
    }];
    let grouped = profile.with(&by_module);
    grouped.assert_near(grouped.total_ms(), expect.total_ms, "total");
    grouped.assert_near(
        grouped.own_time_of_threads_ms(),
        expect.own_time_of_threads_ms,
        "own time of threads",
    );
    let tree = &grouped.view.tree;
    for row in &expect.modules {
        let name = named_here(&row.method);
        let of_module = |node: &NodeId| grouped.view.name(*node) == name;
        let nodes: Vec<NodeId> = tree.nodes().filter(of_module).collect();
        let outermost = nodes
            .iter()
            .filter(|&&node| !tree.ancestors(node).any(|caller| of_module(&caller)));
        let inclusive = outermost
            .map(|&node| tree.inclusive(grouped.metric, node))
            .sum();
        let exclusive = nodes
            .iter()
            .map(|&node| tree.exclusive(grouped.metric, node))
            .sum();
        grouped.assert_near(ms(inclusive), row.inclusive_ms, name);
        grouped.assert_near(ms(exclusive), row.exclusive_ms, name);
    }
    check_totals(profile, &expect.modules);
    for row in &expect.by_thread {
        let id = row
            .method
            .trim_start_matches("Thread ")
            .trim_matches(['(', ')']);
        let thread = grouped
            .view
            .threads
            .iter()
            .find(|thread| thread.id == id)
            .unwrap()
            .node;
        grouped.assert_near(
            ms(tree.inclusive(grouped.metric, thread)),
            row.inclusive_ms,
            id,
        );
        grouped.check_groups(&[thread], &row.groups, 2);
    }
    let threads = ThreadChoice {
        merging: Merging::All,
        ..ThreadChoice::all(&profile.view.recording)
    };
    let merged = scoped(
        &profile.view.recording,
        &Scope {
            threads,
            ..profile.view.steps.scope.clone()
        },
    )
    .unwrap();
    let merged = Profile {
        view: merged,
        metric: profile.metric,
        what: format!("{} merged", profile.what),
    }
    .with(&by_module);
    let is_thread = |node: &NodeId| {
        merged.view.frames.get(merged.view.tree.frame(*node)).kind == FrameKind::Thread
    };
    let threads: Vec<NodeId> = merged.view.tree.nodes().filter(is_thread).collect();
    merged.check_groups(&threads, &expect.all_threads_merged, 2);
}

#[track_caller]
fn check(folder: &str, file: &str) {
    let (profile, expect) = present!(open(folder, file));
    profile.assert_near(profile.total_ms(), expect.total_ms, "total");
    check_drop(&profile, &expect.drop);
    check_filters(&profile, &expect.filters);
    check_recursion(&profile, &expect.fold_recursion);
    check_groups(&profile, &expect.group_by_module);
}

#[test]
fn steps_on_traces_agree_with_an_independent_reader() {
    for file in [
        "orderedconsume",
        "orderedconsume-regressed",
        "cpubound",
        "deepstacks-mutual",
    ] {
        check("net10", file);
    }
}

#[test]
fn steps_on_snapshots_agree_with_an_independent_reader() {
    for file in ["Issue254", "profile"] {
        check("dtp", file);
    }
}
