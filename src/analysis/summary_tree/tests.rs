use super::*;
use crate::model::MetricId;
use crate::model::testing::profile_of;
use proptest::prelude::*;
use std::collections::BTreeMap;

const TIME: MetricId = MetricId(0);
const MS: u64 = 1_000_000;

fn summary(view: &View, least: u64) -> SummaryTree {
    SummaryTree::new(view, &[NodeId::ROOT], Measure::from(TIME), least)
}

/// Groups as `A>B 5+2`: the path, inclusive and exclusive values in ms, `~` if not opened.
fn groups(view: &View, summary: &SummaryTree) -> Vec<String> {
    let mut rows = Vec::new();
    let mut open = vec![(String::new(), GroupId::ROOT)];
    while let Some((way, id)) = open.pop() {
        let group = summary.group(id);
        let values = format!("{}+{}", group.inclusive / MS, group.exclusive / MS);
        let [recursive, hidden] = [(group.is_recursive, "↻"), (!group.is_open, "~")]
            .map(|(is, mark)| if is { mark } else { "" });
        rows.push(format!("{way} {values}{recursive}{hidden}"));
        let name = |id: GroupId| match summary.group(id) {
            group if group.is_plumbing => "…",
            group => view.frames.name(group.frame),
        };
        let callees = summary
            .callees(id)
            .iter()
            .map(|&id| (format!("{way}>{}", name(id)), id));
        open.extend(callees.rev());
    }
    rows
}

#[track_caller]
fn check(stacks: &str, least_ms: u64, expect: &[&str]) {
    let view = profile_of(stacks);
    let summary = summary(&view, least_ms * MS);
    assert_eq!(groups(&view, &summary), expect, "{stacks}");
}

#[test]
fn equal_calls_in_all_threads_are_merged() {
    check(
        "T;A;B 4|U;A;B 3|U;A 1|V 2",
        0,
        &[" 10+2", ">A 8+1", ">A>B 7+7"],
    );
}

#[test]
fn recursion_returns_to_the_first_call_of_a_method() {
    check("T;A;A;B 4|T;A 1", 0, &[" 5+0", ">A 5+1↻", ">A>B 4+4"]);
    // A > B > A > C is A > C, and B has only what it calls without A
    check(
        "T;A;B;A;C 4|T;A;B 2",
        0,
        &[" 6+0", ">A 6+0↻", ">A>C 4+4", ">A>B 2+2"],
    );
    check(
        "T;A;B;C;B;A;B;D 5",
        0,
        &[" 5+0", ">A 5+0↻", ">A>B 5+0↻", ">A>B>D 5+5", ">A>B>C 0+0"],
    );
}

#[test]
fn runs_of_async_infrastructure_are_merged_and_never_recursive() {
    let [run, start] = [
        "System.Threading.ExecutionContext.RunInternal()",
        "System.Threading.Thread.StartCallback()",
    ];
    let stacks = format!("T;{start};{run};A;{run};B 3|U;{run};A;{run} 2");
    check(
        &stacks,
        0,
        &[" 5+0", ">… 5+0", ">…>A 5+0", ">…>A>… 5+2", ">…>A>…>B 3+3"],
    );
}

#[test]
fn small_groups_are_not_opened() {
    check(
        "T;A;B;C 5|T;D;E 1|T;F;E 1",
        2,
        &[
            " 7+0",
            ">A 5+0",
            ">A>B 5+0",
            ">A>B>C 5+5",
            ">D 1+0~",
            ">F 1+0~",
        ],
    );
}

/// The frames of a stack after folding recursion by the rule, one stack at a time.
fn folded(stack: &[char]) -> String {
    let mut way: Vec<char> = Vec::new();
    for &frame in stack {
        match way.iter().position(|&other| other == frame) {
            Some(place) => way.truncate(place + 1),
            None => way.push(frame),
        }
    }
    way.into_iter().flat_map(|frame| ['>', frame]).collect()
}

proptest! {
    #[test]
    fn groups_agree_with_folding_stacks_one_by_one(
        stacks in proptest::collection::vec((0..3u8, proptest::collection::vec(prop::char::range('A', 'E'), 0..9), 1..20u64), 1..12),
        least in 0..15u64,
    ) {
        let line = |(thread, stack, weight): &(u8, Vec<char>, u64)| {
            let frames: String = stack.iter().flat_map(|&frame| [';', frame]).collect();
            format!("T{thread}{frames} {weight}")
        };
        let view = profile_of(&stacks.iter().map(line).collect::<Vec<_>>().join("|"));
        let (mut inclusive, mut exclusive) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
        for (_, stack, weight) in &stacks {
            let way = folded(stack);
            *exclusive.entry(way.clone()).or_default() += weight;
            (0..=way.len() / 2).for_each(|depth| *inclusive.entry(way[..2 * depth].into()).or_default() += weight);
        }
        let all = summary(&view, 0);
        let expect: Vec<String> = inclusive
            .iter()
            .map(|(way, weight)| format!("{way} {weight}+{}", exclusive.get(way).copied().unwrap_or(0)))
            .collect();
        let mut found: Vec<String> =
            groups(&view, &all).iter().map(|row| row.trim_end_matches('↻').into()).filter(|row: &String| !row.ends_with(" 0+0")).collect();
        found.sort();
        prop_assert_eq!(found, expect);
        // at any depth, a group's value is its own plus that of its callees
        let some = summary(&view, least * MS);
        for id in (0..some.groups.len()).map(GroupId::at).filter(|&id| some.group(id).is_open) {
            let callees: u64 = some.callees(id).iter().map(|&id| some.group(id).inclusive).sum();
            prop_assert_eq!(some.group(id).inclusive, some.group(id).exclusive + callees);
        }
    }
}

#[test]
fn a_long_chain_is_followed() {
    let mut stacks = String::from("T");
    (0..200_000).for_each(|at| stacks.push_str(if at % 2 == 0 { ";A" } else { ";B" }));
    let view = profile_of(&format!("{stacks};C 7"));
    let summary = summary(&view, 1);
    assert_eq!(
        groups(&view, &summary),
        [" 7+0", ">A 7+0↻", ">A>B 7+0", ">A>B>C 7+7"]
    );
}
