use super::*;
use crate::model::Source;
use crate::model::testing::recording_of;

const STEP: u64 = 1_000_000;

#[test]
fn waits_without_user_code_share_a_row() {
    let mut recording = recording_of("A 30|B 20|B;m 5");
    recording.source.format = Source::DTP.into();
    let view = recording.into_view();
    let found = waits(&view, NodeId::ROOT, MetricId(0), None);
    let rows: Vec<_> = found
        .iter()
        .map(|row| (row.waiting, row.threads.len()))
        .collect();
    assert_eq!(rows, [(50 * STEP, 2)]);
}

#[test]
fn waits_are_listed_by_user_code() {
    let core = "System.Private.CoreLib!System.Threading";
    let sleep = format!("{core}.Thread.Sleep(int32)");
    let stacks = [
        format!("main;App!Main;App!Poll;{sleep};{core}.Thread.SleepInternal(int32) 30"),
        format!("main;App!Main;App!Poll;{sleep};{core}.SpinWait.SpinOnce() 1"),
        "main;App!Main;App!Work 9".to_string(),
        format!("worker;App!Poll;{sleep};{core}.Thread.SleepInternal(int32) 8"),
        format!("idle;{core}.Pool.Run();{core}.LowLevelLifoSemaphore.WaitForSignal(int32) 50"),
    ];
    let mut recording = recording_of(&stacks.join("|"));
    recording.metrics[0].name = "wall".into();
    let view = recording.into_view();
    let metric = MetricId(0);
    let found = waits(&view, NodeId::ROOT, metric, Some(metric));
    let row = |row: &Wait| {
        let name = |frame| view.frames.display_name(frame).to_string();
        let threads: Vec<_> = { row.threads.iter() }
            .map(|&(thread, waiting)| (view.name(thread), waiting / STEP))
            .collect();
        let (user, wait) = (row.user.map_or("-".into(), name), name(row.wait));
        format!(
            "{user} in {wait} {} {} {threads:?}",
            row.waiting / STEP,
            row.on_cpu / STEP
        )
    };
    assert_eq!(
        found.iter().map(row).collect::<Vec<_>>(),
        [
            "Poll in Thread.Sleep 39 0 [(\"main\", 31), (\"worker\", 8)]",
            "- in LowLevelLifoSemaphore.WaitForSignal 50 0 [(\"idle\", 50)]",
        ]
    );
}
