use super::*;
use crate::model::testing::recording_of;

/// Main sleeps and awaits a task that spins on the way; threads of a pool are idle.
fn view() -> View {
    let core = "System.Private.CoreLib!System";
    let idle = format!("{core}.Threading.LowLevelLifoSemaphore.WaitForSignal(int32)");
    let slim = format!("{core}.Threading.ManualResetEventSlim.Wait(int32)");
    let stacks = [
        format!(
            "main;App!Main;App!Poll;{core}.Threading.Thread.Sleep(int32);{core}.Threading.Thread.SleepInternal(int32) 30"
        ),
        format!("main;App!Main;{core}.Threading.Tasks.Task.Wait();{slim} 20"),
        format!("main;App!Main;App!Ack;{core}.Buffer.Take();{slim} 10"),
        format!(
            "main;App!Main;App!Ack;{core}.Buffer.Take();{core}.Threading.SpinWait.SpinOnce() 9"
        ),
        format!("pool 1;{idle} 7"),
        format!("pool 2;{idle} 6"),
        format!("pool 3;{idle} 5"),
    ];
    let mut recording = recording_of(&stacks.join("|"));
    recording.metrics[0].name = "wall".into();
    recording.into_view()
}

#[test]
fn rows_state_what_they_wait_in_and_how() {
    let view = view();
    let found = waits(&view, &PartRequest::default()).unwrap();
    let line = |cells: WaitCells| {
        let wait = cells.whole_wait();
        let kind = cells.kind.unwrap_or_default();
        format!("{}: {wait} [{kind}] {}", cells.user, cells.threads)
    };
    let lines: Vec<String> = found.cells(&view).into_iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "Poll: Thread.Sleep [sleeps] main",
            "Main: Task.Wait → ManualResetEventSlim.Wait [awaits tasks] main",
            "Ack: Buffer.Take → ManualResetEventSlim.Wait [] main",
            "[no user caller]: LowLevelLifoSemaphore.WaitForSignal [] 3 threads: pool 1, pool 2, …",
        ]
    );
}

#[test]
fn the_row_that_spins_most_is_found() {
    let view = view();
    let mut found = waits(&view, &PartRequest::default()).unwrap();
    assert_eq!(found.most_on_cpu(), None);
    for (row, spins) in found.rows.iter_mut().zip([1, 0, 9, 9]) {
        row.on_cpu = spins;
    }
    assert_eq!(found.most_on_cpu(), Some(2));
}
