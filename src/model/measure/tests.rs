use super::*;

use crate::model::testing::recording_of;
use crate::model::{Recording, Source};

const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";
const TIME: MetricId = MetricId(0);

/// A recording in wall time: `S` in the stacks stands for a method that sleeps.
fn recording(stacks: &str) -> Recording {
    let mut recording = recording_of(&stacks.replace('S', SLEEP));
    recording.metrics[0].name = "wall".into();
    recording
}

#[test]
fn waiting_is_summed_over_subtrees() {
    // n0 All ▸ n1 B 60 ▸ n2 S 60; n3 A 40 ▸ n4 m 40 (4 exclusive) ▸ n5 S 26, n6 f 10
    let view = recording("A;m 4|A;m;f 10|A;m;S 26|B;S 60").into_view();
    let waiting = view.waiting(TIME);
    let within: Vec<u64> = view
        .tree
        .nodes()
        .map(|node| waiting.within(&view.tree, node))
        .collect();
    assert_eq!(
        within,
        [86, 60, 60, 26, 26, 26, 0].map(|steps| steps * 1_000_000)
    );
    let own: Vec<u64> = view.tree.nodes().map(|node| waiting.own(node)).collect();
    assert_eq!(own, [0, 0, 60, 0, 0, 26, 0].map(|steps| steps * 1_000_000));
    assert_eq!(waiting.idle_threads, [NodeId(1)]);
    let work = view.measure(TIME);
    assert!(!work.counts_waiting && view.waiting_total(TIME) == 86_000_000);
    let inclusive: Vec<u64> = view
        .tree
        .nodes()
        .map(|node| work.inclusive(&view, node))
        .collect();
    assert_eq!(
        inclusive,
        [14, 0, 0, 14, 14, 0, 10].map(|steps| steps * 1_000_000)
    );
    assert!(
        work.below(&view, NodeId(2)).counts_waiting && !work.below(&view, NodeId(4)).counts_waiting
    );
}

#[test]
fn waiting_is_excluded_if_some_threads_only_wait_and_others_work() {
    #[track_caller]
    fn check(stacks: &str, name: &str, leaves_out: bool) {
        let mut recording = recording(stacks);
        recording.metrics[0].name = name.into();
        assert_eq!(
            !recording.into_view().measure(TIME).counts_waiting,
            leaves_out,
            "{stacks} {name}"
        );
    }
    check("A;m 4|B;S 96|B;m 4", "wall", true);
    check("A;m 4|B;S 96|B;m 4", "time", true);
    check("A;m 4|B;S 96|B;m 4", "CPU", false);
    // 95 % is not more than 95 %
    check("A;m 4|B;S 95|B;m 5", "wall", false);
    check("A;S 4|B;S 96", "wall", false);
    check("A;m 4|B;m 96", "wall", false);
}

#[test]
fn thread_time_in_dottrace_profiles_is_waiting() {
    let mut recording = recording("A;m 4|A 1|B 90|C;m 5");
    recording.source.format = Source::DTP.into();
    let view = recording.into_view();
    let root = view.tree.range(NodeId::ROOT).map(NodeId::at);
    let waits: Vec<u64> = root
        .map(|node| view.waiting(TIME).own(node) / 1_000_000)
        .collect();
    // n0 All ▸ n1 B 90; n2 A 5 ▸ n3 m; n4 C 5 ▸ n5 m
    assert_eq!(waits, [0, 90, 1, 0, 0, 0]);
}

/// Each stack is one sample, however long it waits.
#[test]
fn samples_count_if_their_values_do() {
    // n0 All ▸ n1 B 60 ▸ n2 S 60; n3 A 44 ▸ n4 m 44 (4 exclusive) ▸ n5 S 30, n6 f 10
    let view = recording("A;m 4|A;m;f 10|A;m;S 26|A;m;S 4|B;S 60").into_view();
    let counts = |measure: Measure| {
        let nodes = view.tree.nodes();
        let counts = nodes.map(|node| measure.count(&view, node).unwrap());
        counts.collect::<Vec<_>>()
    };
    assert_eq!(counts(TIME.into()), [5, 1, 1, 4, 4, 2, 1]);
    let busy = view.measure(TIME);
    assert_eq!(counts(busy), [2, 0, 0, 2, 2, 0, 1]);
    let own = view.tree.nodes().map(|node| busy.own_count(&view, node));
    assert_eq!(own.collect::<Vec<_>>(), [0, 0, 0, 0, 1, 0, 1]);
}
