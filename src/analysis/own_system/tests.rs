use super::*;
use crate::analysis::hotspots;
use crate::model::testing::{profile_of, recording_of};
use crate::model::{Frames, Metric, MetricId, Recording, TreeBuilder};
use proptest::prelude::*;

const TIME: MetricId = MetricId(0);
const STEP: u64 = 1_000_000;

/// Values charged to user methods within a subtree, by first node, and to no method. `S` and `L`
/// stand for a system method and one of a library.
#[track_caller]
fn check(stacks: &str, root: u32, expect: &[(&str, u64)], no_user_caller: u64) {
    let stacks = stacks
        .replace('S', "System.Linq!System.Linq.Enumerable.Any()")
        .replace('L', "Dapper!Dapper.Run()");
    let view = profile_of(&stacks);
    let roots = [NodeId(root)];
    let sums = own_and_system(&view, &roots, TIME);
    let rows = hotspots(&view, &roots, TIME);
    let charged = rows.iter().filter_map(|row| {
        let charged = sums.of(&view, row.frame)?;
        Some((view.frames.display_name(row.frame), charged.value / STEP))
    });
    assert_eq!(charged.collect::<Vec<_>>(), expect);
    assert_eq!(
        sums.no_user_caller,
        ChargedValue {
            value: no_user_caller * STEP,
            waiting: 0
        }
    );
}

#[test]
fn system_time_is_charged_to_the_nearest_user_method() {
    check(
        "T;a;S 5|T;a;b;S;S 3|T;a;b 2|T;a 1",
        0,
        &[("a", 6), ("b", 5)],
        0,
    );
    check("T;a;S;b;S 5|T;a;S 2", 0, &[("a", 2), ("b", 5)], 0);
    // below b nothing is charged to a, and after it everything
    check(
        "T;a;b;S 5|T;a;S 2|T;a;c 1",
        0,
        &[("a", 2), ("b", 5), ("c", 1)],
        0,
    );
}

#[test]
fn time_without_user_code_is_charged_to_no_method() {
    check("T;S 5|T 2|U;S;a 4|U;S 1", 0, &[("a", 4)], 8);
    // n3 is the system method that a calls: callers above a part are ignored
    check("T;a;S 5|T;a;S;b 1", 3, &[("b", 1)], 5);
}

#[test]
fn code_of_libraries_is_charged_like_user_code() {
    check(
        "T;a;L;S 5|T;a;L 3|T;a 1",
        0,
        &[("a", 1), ("Dapper.Run", 8)],
        0,
    );
}

#[test]
fn recursion_is_charged_once() {
    check(
        "T;a;S;a;S;a 5|T;a;S;a;S 3|T;a;b;a;S 2|T;a 1",
        0,
        &[("a", 11), ("b", 0)],
        0,
    );
}

#[test]
fn waiting_is_counted_separately() {
    let sleep = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
    let mut recording = recording_of(&format!("idle;{sleep} 96|A;m 4|A;m;{sleep} 2"));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let sums = own_and_system(&view, &[NodeId::ROOT], view.measure(TIME));
    let m = sums.of(&view, view.frames.find("m")[0]).unwrap();
    assert_eq!(
        (m.value, m.weight(), sums.no_user_caller.weight()),
        (6 * STEP, 4 * STEP, 0)
    );
}

#[test]
fn deep_chains_are_charged() {
    let Recording { source, frames, .. } = recording_of("T;a;System.Linq.Enumerable.Any 1");
    let metrics = [Metric::time("time", None)];
    let [root, thread, user, system] = [0, 1, 2, 3].map(FrameId::at);
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut caller = builder.add(TreeBuilder::ROOT, thread).unwrap();
    for at in 0..200_000 {
        caller = builder
            .add(caller, if at % 2 == 0 { user } else { system })
            .unwrap();
        builder.add_exclusive(TIME, caller, 1);
    }
    let tree = builder.finish(&frames, TIME).tree;
    let view =
        Recording::new(source, Frames::clone(&frames), tree, metrics.to_vec(), TIME).into_view();
    assert_eq!(
        own_and_system(&view, &[NodeId::ROOT], TIME)
            .of(&view, user)
            .unwrap()
            .value,
        200_000
    );
}

proptest! {
    #[test]
    fn everything_is_charged_in_each_thread(stacks in prop::collection::vec(("[TU]", "[abSL]{0,6}", 1..9u32), 1..12)) {
        let line = |(thread, path, weight): &(String, String, u32)| {
            let name = |method| match method {
                'S' => ";System.Linq.Enumerable.Any".to_string(),
                'L' => ";Dapper.Run".to_string(),
                own => format!(";{own}"),
            };
            format!("{thread}{} {weight}", path.chars().map(name).collect::<String>())
        };
        let view = profile_of(&stacks.iter().map(line).collect::<Vec<_>>().join("|"));
        for root in std::iter::once(NodeId::ROOT).chain(view.threads.iter().map(|thread| thread.node)) {
            let sums = own_and_system(&view, &[root], TIME);
            let charged: u64 = sums.charged.iter().map(|charged| charged.value).sum();
            prop_assert_eq!(charged + sums.no_user_caller.value, view.tree.inclusive(TIME, root));
        }
    }
}
