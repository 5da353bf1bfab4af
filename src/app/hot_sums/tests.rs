use super::*;
use crate::analysis::compared::{Side, compare};
use crate::analysis::make::make;
use crate::model::testing::recording_of;
use crate::model::{Collapsible, ComparisonData, MetricId, Scope, TreeForm, Verdicts, ViewSpec};

/// A row that stands for many nodes takes as much work as they do.
#[test]
fn rows_standing_for_many_nodes_go_to_the_worker() {
    let pair = "System.Private.CoreLib!System.Threading.Thread.StartCallback();\
            System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch();";
    for (pairs, asks_worker) in [(10, false), (SYNC_NODE_LIMIT / 2, true)] {
        let recording = Arc::new(recording_of(&format!("T;{}a 1", pair.repeat(pairs))));
        let step = Step::Collapse {
            frames: Collapsible::Plumbing,
            opened: Vec::new(),
        };
        let view = make(
            &recording,
            &ViewSpec {
                scope: Scope::all(&recording),
                transforms: vec![step],
            },
        )
        .unwrap();
        assert!(
            view.is_collapsed() && view.tree.len() < 10,
            "{} rows",
            view.tree.len()
        );
        for row in [NodeId::ROOT, NodeId(1), NodeId(2)] {
            let measure = view.measure(view.recording.default_metric);
            assert_eq!(
                HotspotSums::default().show(&view, row, measure),
                asks_worker,
                "{row:?} of {pairs}"
            );
        }
    }
}

/// Significant changes come first, and the largest difference may be anywhere: a has +5, b +30, c -5.
#[test]
fn bars_of_a_comparison_are_scaled_to_its_largest_difference() {
    let sides = ["T;a 20|T;b 10|T;c 10", "T;a 25|T;b 40|T;c 5"];
    let sides = sides.map(|stacks| recording_of(stacks).into_view());
    let [before, after] = [&sides[0], &sides[1]].map(|view| {
        [Side {
            view,
            measure: view.measure(MetricId(0)),
            scale: 1.0,
        }]
    });
    let compared = compare(&before, &after, &[]).unwrap();
    let mut recording = (*compared.recording).clone();
    let a = recording.frames.find("a")[0];
    let verdicts = Verdicts::new([(a, [Some(Verdict::Significant); 3])].into_iter());
    let comparison = recording.comparison.as_deref().unwrap().clone();
    recording.comparison = Some(Arc::new(ComparisonData {
        verdicts: Some(verdicts),
        ..comparison
    }));
    let view = View::whole(&Arc::new(recording), TreeForm::Original);
    let lists = HotspotLists::new(&view, NodeId::ROOT, view.measure(AFTER));
    for order in [HotspotOrder::Exclusive, HotspotOrder::Inclusive] {
        let name = |row: &Hotspot| view.frames.display_name(row.frame).to_string();
        let names: Vec<String> = lists.rows(order).iter().map(name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(lists.largest_change(order), 30_000_000);
    }
}

/// Of what is more than chance, what works comes before what waits: b has +30, and w +70 in a spin, which nobody has judged.
#[test]
fn waiting_rows_come_after_working_ones() {
    const SPIN: &str = "System.Private.CoreLib!System.Threading.SpinWait.SpinOnce(int32)";
    let sides = [(10, 20), (40, 90)].map(|(b, w)| {
        let mut recording = recording_of(&format!("T;b {b}|T;w;{SPIN} {w}"));
        recording.metrics[0].name = "CPU".into();
        recording.into_view()
    });
    let [before, after] = [&sides[0], &sides[1]].map(|view| {
        [Side {
            view,
            measure: MetricId(0).into(),
            scale: 1.0,
        }]
    });
    let compared = compare(&before, &after, &[]).unwrap();
    let mut recording = (*compared.recording).clone();
    let sure = ["b", "w"].map(|name| recording.frames.find(name)[0]);
    let verdicts = sure.map(|frame| (frame, [Some(Verdict::Significant); 3]));
    let comparison = recording.comparison.as_deref().unwrap().clone();
    recording.comparison = Some(Arc::new(ComparisonData {
        verdicts: Some(Verdicts::new(verdicts.into_iter())),
        ..comparison
    }));
    let view = View::whole(&Arc::new(recording), TreeForm::Original);
    let lists = HotspotLists::new(&view, NodeId::ROOT, AFTER.into());
    let rows = lists.rows(HotspotOrder::Inclusive).iter();
    let names: Vec<&str> = rows
        .map(|row| view.frames.display_name(row.frame))
        .collect();
    assert_eq!(names, ["b", "w", "SpinWait.SpinOnce"]);
}
