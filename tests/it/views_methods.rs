//! Callers, callees, the inverted tree, own + system and merged threads compared with `../shared/data/expected/views`, which an independent
//! program computed from the recordings. The rules are in its README.

use crate::common::{expected_views, named_here, shared};
use dotspot::testing::analysis::scoped;
use dotspot::testing::analysis::{CallerTree, CallerTreeSums, hotspots, own_and_system};
use dotspot::testing::importers::{ReadOptions, import_with};
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{FrameId, Merging, MetricId, NodeId, View};
use dotspot::testing::names::{FrameKind, UserCode};
use dotspot::testing::query::{MethodRequest, PartRequest, Related, Relation, method_relations};
use dotspot::testing::units::Unit;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// Expected times have three decimals.
const TOLERANCE_MS: f64 = 0.01;

#[derive(Deserialize)]
struct Expected {
    metric: String,
    callers: Vec<ExpectedRow>,
    callees: Vec<ExpectedRow>,
    inverted: ExpectedInverted,
    own_plus_system: ExpectedCharges,
    merged_threads: ExpectedMerged,
}

#[derive(Deserialize)]
struct ExpectedCharges {
    total_ms: f64,
    own_of_user_methods_ms: f64,
    system_with_a_user_caller_ms: f64,
    without_user_caller_ms: f64,
    threads: Vec<ExpectedThread>,
    user_methods_with_time: usize,
    methods: Vec<ExpectedCharge>,
}

#[derive(Deserialize)]
struct ExpectedThread {
    thread: String,
    own_of_user_methods_ms: f64,
    system_with_a_user_caller_ms: f64,
    without_user_caller_ms: f64,
}

#[derive(Deserialize)]
struct ExpectedCharge {
    method: String,
    own_ms: f64,
    own_plus_system_ms: f64,
}

#[derive(Deserialize)]
struct ExpectedMerged {
    total_ms: f64,
    heaviest_nodes: Vec<ExpectedPath>,
}

#[derive(Deserialize)]
struct ExpectedPath {
    path: Vec<String>,
    #[serde(flatten)]
    sums: ExpectedSums,
}

#[derive(Deserialize)]
struct ExpectedRow {
    method: Option<String>,
    thread: Option<String>,
    #[serde(flatten)]
    sums: ExpectedSums,
    places: Option<usize>,
    #[serde(default)]
    threads: Vec<ExpectedRow>,
    #[serde(default, alias = "callees")]
    callers: Vec<ExpectedRow>,
    rest: Option<ExpectedRest>,
    #[serde(default)]
    goes_on: bool,
}

#[derive(Clone, Copy, Deserialize)]
struct ExpectedSums {
    #[serde(default)]
    inclusive_ms: f64,
    exclusive_ms: f64,
    calls: Option<u64>,
    samples: Option<u64>,
    samples_recursion_once: Option<u64>,
}

#[derive(Deserialize)]
struct ExpectedRest {
    rows: usize,
    #[serde(flatten)]
    sums: ExpectedSums,
}

#[derive(Deserialize)]
struct ExpectedInverted {
    total_ms: f64,
    roots_with_time: usize,
    sum_of_all_roots_ms: f64,
    own_time_of_threads_ms: f64,
    roots: Vec<ExpectedRow>,
}

/// A row found by dotspot, with the rows above or below it.
#[derive(Clone)]
struct Found {
    name: String,
    sums: CallerTreeSums,
    relatives: Vec<Found>,
    has_more: bool,
}

/// The original recording. User code follows the other reader's rules.
fn read(path: &Path, user_code: &UserCode) -> View {
    let options = ReadOptions::default();
    let input = Input::open(path, Progress::default()).unwrap();
    let mut recording = import_with(input, &options, |format, input| {
        (format.read)(input, &options)
    })
    .unwrap();
    Arc::make_mut(&mut recording.frames).correct_user_code(user_code);
    recording.into_view().original()
}

/// The other reader treats unresolved frames of a trace as user code, and what a snapshot lacks as from .NET's folder.
fn user_code(file: &str) -> UserCode {
    let own: &[&str] = match file {
        "profile" => &["Microsoft.Extensions"],
        "Issue254" => &[],
        _ => &["?"],
    };
    UserCode {
        own: own.iter().map(ToString::to_string).collect(),
        foreign: Vec::new(),
    }
}

fn open(folder: &str, file: &str) -> Option<(View, MetricId, Expected)> {
    let extension = if folder == "dtp" { "dtp" } else { "nettrace" };
    let view = read(
        &shared(&format!("{folder}/{file}.{extension}"))?,
        &user_code(file),
    );
    let expected: Expected = expected_views(file);
    let metric = view
        .recording
        .metrics
        .iter()
        .position(|metric| metric.name.eq_ignore_ascii_case(&expected.metric))
        .unwrap();
    Some((view, MetricId::at(metric), expected))
}

/// Expected threads are named by number; here names may follow.
fn name_of(view: &View, frame: FrameId, node: NodeId) -> String {
    match view.frames.get(frame).kind {
        FrameKind::Thread => view.thread_of(node).unwrap().id.clone(),
        _ => view.frames.name(frame).to_string(),
    }
}

fn expected_name(row: &ExpectedRow) -> &str {
    match (&row.thread, &row.method) {
        (Some(thread), _) => thread
            .trim_start_matches("Thread ")
            .trim_matches(['(', ')']),
        (None, method) => named_here(method.as_ref().unwrap()),
    }
}

fn is_near(stored: u64, ms: f64) -> bool {
    (Unit::Milliseconds.to_unit(stored) - ms).abs() <= TOLERANCE_MS
}

fn fits(found: CallerTreeSums, expect: ExpectedSums) -> bool {
    // samples of a snapshot are sums over all nodes, those of a trace count recursion once
    let has_count = |count| found.count == count || found.total_count == count;
    is_near(found.inclusive, expect.inclusive_ms)
        && is_near(found.exclusive, expect.exclusive_ms)
        && expect.calls.or(expect.samples).is_none_or(has_count)
        && expect
            .samples_recursion_once
            .is_none_or(|count| found.count == count)
}

fn sum_of(rows: &[Found]) -> CallerTreeSums {
    let mut sums = CallerTreeSums::default();
    rows.iter().for_each(|row| sums.add(row.sums));
    sums
}

/// Converts rows with depths into trees.
fn nested(view: &View, rows: &[Related]) -> Vec<Found> {
    let mut levels: Vec<Vec<Found>> =
        vec![Vec::new(); rows.iter().map(|row| row.depth + 2).max().unwrap_or(1)];
    for row in rows.iter().rev() {
        let who = row.who.expect("rows of any size are listed");
        let mut relatives = std::mem::take(&mut levels[row.depth + 1]);
        relatives.reverse();
        let shown = view.from_recorded(who.origin.node).unwrap();
        let name = name_of(view, who.frame, shown);
        levels[row.depth].push(Found {
            name,
            sums: row.sums,
            relatives,
            has_more: row.has_more,
        });
    }
    let mut top = std::mem::take(&mut levels[0]);
    top.reverse();
    top
}

/// The same rows without markers of truncated stacks: the rows above take their place.
fn without_markers(rows: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::new();
    for row in rows {
        let is_marker = row.name.starts_with("[truncated at ");
        for found in if is_marker { row.relatives } else { vec![row] } {
            match kept
                .iter_mut()
                .find(|other| is_marker && other.name == found.name)
            {
                Some(other) => other.sums.add(found.sums),
                None => kept.push(Found {
                    relatives: without_markers(found.relatives),
                    ..found
                }),
            }
        }
    }
    kept
}

/// Compares the rows at one level and everything listed below them. `rows` are all rows, except for the sum in `rest`; nothing is
/// listed below the last of `levels`.
#[track_caller]
fn check_rows(
    mut found: Vec<Found>,
    (rows, rest): (&[ExpectedRow], Option<&ExpectedRest>),
    levels: usize,
    what: &str,
) {
    for row in rows {
        let (name, sums) = (expected_name(row), row.sums);
        let at = found
            .iter()
            .position(|found| found.name == name && fits(found.sums, sums));
        let at = at.unwrap_or_else(|| {
            let like: Vec<_> = found
                .iter()
                .filter(|found| found.name == name)
                .map(|found| found.sums)
                .collect();
            panic!(
                "{what}: {name} {} / {} ms is not in {like:?}",
                sums.inclusive_ms, sums.exclusive_ms
            )
        });
        let row_found = found.swap_remove(at);
        assert!(!row.goes_on || row_found.has_more, "{what}: {name}");
        if levels > 1 {
            let below = (&row.callers[..], row.rest.as_ref());
            check_rows(
                row_found.relatives,
                below,
                levels - 1,
                &format!("{what} ‹ {name}"),
            );
        }
    }
    let rest_rows = rest.map_or(0, |rest| rest.rows);
    if found.len() != rest_rows {
        // if samples of recursion count once, a recursive call may have none
        found.retain(|row| (row.sums.inclusive, row.sums.exclusive, row.sums.count) != (0, 0, 0));
    }
    let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(found.len(), rest_rows, "{what}: {names:?}");
    if let Some(rest) = rest {
        assert!(
            fits(sum_of(&found), rest.sums),
            "{what}: the rest {names:?}"
        );
    }
}

/// A name that matches only this overload.
fn unique_name(view: &View, metric: MetricId, row: &ExpectedRow) -> String {
    let occurs = |frame: FrameId| {
        let caller_tree = CallerTree::callers(view, NodeId::ROOT, &[frame], false)?;
        let sums = caller_tree.sums(CallerTree::TOP, metric);
        let places = row
            .places
            .is_none_or(|places| caller_tree.occurrence_count(CallerTree::TOP) == places);
        (is_near(sums.inclusive, row.sums.inclusive_ms) && places).then_some(frame)
    };
    let name = named_here(row.method.as_ref().unwrap());
    let frame = view
        .frames
        .find(name)
        .into_iter()
        .find_map(occurs)
        .unwrap_or_else(|| panic!("{name} is there"));
    format!(
        "{}{}",
        view.frames.name(frame),
        view.frames.signature(frame)
    )
}

#[track_caller]
fn check_relation(
    view: &View,
    metric: MetricId,
    relation: Relation,
    expect: &[ExpectedRow],
    levels: usize,
) {
    for row in expect {
        let method = &unique_name(view, metric, row);
        let name = view.recording.metric(metric).name.clone();
        let request = MethodRequest {
            part: PartRequest {
                within: NodeId::ROOT,
                metric: Some(&name),
                waiting: Some(true),
            },
            method,
            depth: levels,
            min_percent: 0.0,
        };
        let found = method_relations(view, relation, &request).unwrap();
        assert!(fits(found.sums(), row.sums), "{method}: {:?}", found.sums());
        let what = &format!("{} of {method}", relation.name());
        if let Some(places) = row.places {
            assert_eq!(found.occurrences, places, "{what}");
        }
        let mut tree = without_markers(nested(view, &found.rows));
        check_rows(
            std::mem::take(&mut tree[0].relatives),
            (&row.callers, row.rest.as_ref()),
            levels,
            what,
        );
        if relation == Relation::Callers {
            let thread = |&(node, sums): &(NodeId, CallerTreeSums)| Found {
                name: name_of(view, view.tree.frame(node), node),
                sums,
                relatives: Vec::new(),
                has_more: false,
            };
            let with_values =
                |row: &Found| (row.sums.inclusive, row.sums.exclusive, row.sums.count) != (0, 0, 0);
            let threads = found
                .threads
                .iter()
                .map(thread)
                .filter(with_values)
                .collect();
            check_rows(
                threads,
                (&row.threads, None),
                1,
                &format!("threads of {method}"),
            );
        }
    }
}

#[track_caller]
fn check_inverted(view: &View, metric: MetricId, expect: &ExpectedInverted) {
    let mut caller_tree = CallerTree::inverted(view, NodeId::ROOT, false);
    caller_tree.open(CallerTree::TOP).unwrap();
    let all = caller_tree.sums(CallerTree::TOP, metric);
    assert!(
        is_near(all.inclusive, expect.total_ms)
            && is_near(all.ended, expect.own_time_of_threads_ms),
        "{all:?}"
    );
    let roots: Vec<_> = caller_tree
        .callers_of(CallerTree::TOP)
        .filter(|&row| caller_tree.sums(row, metric).inclusive > 0)
        .collect();
    assert_eq!(roots.len(), expect.roots_with_time);
    let sum: u64 = roots
        .iter()
        .map(|&row| caller_tree.sums(row, metric).inclusive)
        .sum();
    assert!(is_near(sum, expect.sum_of_all_roots_ms));
    for row in expect
        .roots
        .iter()
        .filter(|row| row.sums.exclusive_ms > 0.0)
    {
        let name = expected_name(row);
        let matches_row = |&&root: &&_| {
            view.frames.name(caller_tree.frame(root)) == name
                && is_near(
                    caller_tree.sums(root, metric).exclusive,
                    row.sums.exclusive_ms,
                )
        };
        let &root = roots
            .iter()
            .find(matches_row)
            .unwrap_or_else(|| panic!("{name} has {} ms", row.sums.exclusive_ms));
        let mut relatives = found_callers(&mut caller_tree, root, metric, 2);
        relatives.retain(|row| row.sums.exclusive > 0);
        // the inverted tree only has the exclusive value
        let relatives = without_markers(relatives).into_iter().map(|mut found| {
            found.sums.inclusive = 0;
            found.relatives.clear();
            found
        });
        check_rows(
            relatives.collect(),
            (&row.callers, None),
            1,
            &format!("inverted {name}"),
        );
    }
}

fn found_callers(
    caller_tree: &mut CallerTree,
    row: dotspot::testing::analysis::CallerRow,
    metric: MetricId,
    levels: usize,
) -> Vec<Found> {
    if levels == 0 {
        return Vec::new();
    }
    caller_tree.open(row).unwrap();
    let callers: Vec<_> = caller_tree.callers_of(row).collect();
    let found = |caller| Found {
        name: name_of(
            &caller_tree.view,
            caller_tree.frame(caller),
            caller_tree.first(caller),
        ),
        sums: caller_tree.sums(caller, metric),
        relatives: found_callers(caller_tree, caller, metric, levels - 1),
        has_more: false,
    };
    callers.into_iter().map(found).collect()
}

#[track_caller]
fn check(folder: &str, file: &str) {
    let (view, metric, expected) = present!(open(folder, file));
    check_relation(&view, metric, Relation::Callers, &expected.callers, 6);
    check_relation(&view, metric, Relation::Callees, &expected.callees, 4);
    check_inverted(&view, metric, &expected.inverted);
    check_charges(&view, metric, &expected.own_plus_system);
    check_merged_threads(&view, metric, &expected.merged_threads);
}

/// The exclusive time of user methods below a node, the system time charged to them, and what is charged to none.
fn charges(view: &View, metric: MetricId, root: NodeId) -> [u64; 3] {
    let charged = own_and_system(view, &[root], metric);
    let users = hotspots(view, &[root], metric)
        .into_iter()
        .filter_map(|row| {
            charged
                .of(view, row.frame)
                .map(|charged| (row.exclusive, charged.value - row.exclusive))
        });
    let (own, system) = users.fold((0, 0), |(own, system), (of_own, of_system)| {
        (own + of_own, system + of_system)
    });
    [own, system, charged.no_user_caller.value]
}

#[track_caller]
fn check_charges(view: &View, metric: MetricId, expect: &ExpectedCharges) {
    let parts = charges(view, metric, NodeId::ROOT);
    let expected = [
        expect.own_of_user_methods_ms,
        expect.system_with_a_user_caller_ms,
        expect.without_user_caller_ms,
    ];
    assert!(
        parts
            .iter()
            .zip(expected)
            .all(|(&part, expect)| is_near(part, expect)),
        "{parts:?}, not {expected:?}"
    );
    assert!(is_near(parts.iter().sum(), expect.total_ms));
    for thread in &expect.threads {
        let id = thread
            .thread
            .trim_start_matches("Thread ")
            .trim_matches(['(', ')']);
        let node = view
            .threads
            .iter()
            .find(|thread| thread.id == id)
            .unwrap()
            .node;
        let parts = charges(view, metric, node);
        let expected = [
            thread.own_of_user_methods_ms,
            thread.system_with_a_user_caller_ms,
            thread.without_user_caller_ms,
        ];
        assert!(
            parts
                .iter()
                .zip(expected)
                .all(|(&part, expect)| is_near(part, expect)),
            "{id}: {parts:?}, not {expected:?}"
        );
    }
    let charged = own_and_system(view, &[NodeId::ROOT], metric);
    let mut found: Vec<(String, u64, u64)> = hotspots(view, &[NodeId::ROOT], metric)
        .into_iter()
        .filter_map(|row| {
            let charged = charged
                .of(view, row.frame)
                .filter(|charged| charged.value > 0)?;
            Some((
                view.frames.name(row.frame).to_string(),
                row.exclusive,
                charged.value,
            ))
        })
        .collect();
    assert_eq!(found.len(), expect.user_methods_with_time);
    for row in &expect.methods {
        let name = named_here(&row.method);
        let matches_row = |(found, own, all): &(String, u64, u64)| {
            found == name && is_near(*own, row.own_ms) && is_near(*all, row.own_plus_system_ms)
        };
        let at = found.iter().position(matches_row).unwrap_or_else(|| {
            let like: Vec<_> = found.iter().filter(|(found, ..)| found == name).collect();
            panic!(
                "{name}: {} ms are charged to it, not {like:?}",
                row.own_plus_system_ms
            )
        });
        found.swap_remove(at);
    }
}

#[track_caller]
fn check_merged_threads(view: &View, metric: MetricId, expect: &ExpectedMerged) {
    let mut choice = view.steps.scope.clone();
    choice.threads.merging = Merging::All;
    let merged = scoped(&view.recording, &choice).unwrap();
    assert!(is_near(
        merged.tree.inclusive(metric, NodeId::ROOT),
        expect.total_ms
    ));
    let [thread] = &merged.threads[..] else {
        panic!("one thread")
    };
    for ExpectedPath { path, sums } in &expect.heaviest_nodes {
        // overloads share a name, and markers of truncated stacks are in no path
        let mut nodes = vec![thread.node];
        for name in path {
            let is_marker = |node: &NodeId| merged.frames.is_truncated(merged.tree.frame(*node));
            let below = |node: NodeId| merged.tree.children(node).collect::<Vec<_>>();
            let callees = nodes.into_iter().flat_map(below).flat_map(|node| {
                if is_marker(&node) {
                    below(node)
                } else {
                    vec![node]
                }
            });
            nodes = callees
                .filter(|&node| merged.name(node) == named_here(name))
                .collect();
        }
        let [inclusive, exclusive, count] =
            nodes
                .iter()
                .fold([0; 3], |[inclusive, exclusive, count], &node| {
                    [
                        inclusive + merged.tree.inclusive(metric, node),
                        exclusive + merged.tree.exclusive(metric, node),
                        count + merged.tree.count(metric, node).unwrap_or(0),
                    ]
                });
        let found = CallerTreeSums {
            inclusive,
            exclusive,
            count,
            ..CallerTreeSums::default()
        };
        let one = |&node: &NodeId| is_near(merged.tree.inclusive(metric, node), sums.inclusive_ms);
        assert!(
            fits(found, *sums) || nodes.iter().any(one),
            "{path:?}: {found:?}"
        );
    }
}

#[test]
fn an_async_service() {
    check("net10", "orderedconsume");
}

#[test]
fn the_same_service_made_slower() {
    check("net10", "orderedconsume-regressed");
}

#[test]
fn a_program_that_computes() {
    check("net10", "cpubound");
}

#[test]
fn mutual_recursion_deeper_than_recorded() {
    check("net10", "deepstacks-mutual");
}

#[test]
fn a_tracing_snapshot() {
    check("dtp", "Issue254");
}

#[test]
fn a_sampling_snapshot() {
    check("dtp", "profile");
}
