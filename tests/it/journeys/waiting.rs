//! Threads that only wait, and the hot path.

use crate::common::profiles::read_file;
use crate::common::shared;
use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use dotspot::testing::model::View;
use dotspot::testing::model::{profile_of, recording_of};

const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";

/// Wall time: one thread sleeps for 90 ms, one works for 30 and sleeps for 10, one works for 20.
fn shop() -> View {
    let stacks =
        format!("Idle;{SLEEP} 90|Main;Run;Price 24|Main;Run;Log 6|Main;{SLEEP} 10|Pool;Handle 20");
    in_wall_time(&stacks)
}

fn in_wall_time(stacks: &str) -> View {
    let mut recording = recording_of(stacks);
    recording.metrics[0].name = "wall".into();
    recording.into_view()
}

#[test]
fn waiting_is_excluded_until_included_by_a_key() {
    let mut stage = Stage::new(shop(), 120, 24);
    stage.play("
             rows: All threads|>Main|>Pool|>Idle
        // 30 + 20 of 150 ms are work: 60 and 40%; waiting is a separate column
             shows: of 50.0 ms, without 100.0 ms waiting  shows: ▾busy ms   waits     %  shows: 30.0    10.0  60.0
             shows: 20.0          40.0  shows: 0.0    90.0 waits
        W    says: percentages include 100.0 ms of waiting  rows: All threads|>Idle|>Main|>Pool
             shows: of 150.0 ms  shows: 90.0  60.0
        W    says: percentages and sorting exclude 100.0 ms of waiting
        // a thread that only waits contains nothing else
        G f  rows: Idle|>Thread.Sleep  shows: of 90.0 ms  shows: 90.0 100.0
        W    says: this thread only waits, so waiting is included
        esc  rows: All threads|>Main|>Pool|>Idle");
}

#[test]
fn the_hot_path_starts_with_the_busiest_thread_and_reports_its_end() {
    let mut stage = Stage::new(shop(), 120, 24);
    stage.play("enter  on: Price  says: hot path: 3 levels down to a leaf");
    stage.play("enter  says: no hot path: this is a leaf");
    let split = recording_of("T;Run;a 28|T;Run;b 24|T;Run;c 21|T;Run 27").into_view();
    let mut stage = Stage::new(split, 120, 24);
    stage.play(
        "enter  on: Run  says: hot path: 2 levels down, where it splits into 3: 28 %, 24 %, 21 %",
    );
}

#[test]
fn the_hot_path_of_real_snapshots_follows_the_work() {
    for file in ["dtp/Issue254.dtp", "dtp/profile.dtp"] {
        let mut stage = Stage::new(read_file(&present!(shared(file))), 120, 30);
        stage.play("rows 1: >Thread 1 (main)");
        stage.press("enter Y");
        let path: Vec<&str> = stage.copied[0].lines().collect();
        assert_eq!(path[1], "Thread 1 (main)");
        assert_contains(path[2], "Program.");
    }
}

#[test]
fn back_from_a_wait_leads_to_the_list_and_its_metric() {
    let trace = read_file("snapshots/js-ordered-consume.nettrace".as_ref());
    let mut stage = Stage::new(trace, 120, 24);
    stage.play("I j  page: open");
    stage.play("enter  page: closed  says: metric: wall  rows 0: All threads");
    stage.play("esc  page: open  shows: CPU 5,208.6 ms  shows: ▶  8.002");
    stage.play("esc  page: closed  shows: CPU 5,208.6 ms");
}

#[test]
fn threads_are_sorted_and_filtered() {
    let mut stage = Stage::new(shop(), 100, 24);
    #[track_caller]
    fn check(stage: &mut Stage, script: &str, listed: &str) {
        stage.play(script);
        let screen = stage.screen();
        let lines = screen.lines();
        let lines = lines.filter(|line| line.contains("[x]") && !line.contains("merge"));
        let names = ["Main", "Pool", "Idle"];
        let name = |line: &str| names.into_iter().find(|name| line.contains(name));
        assert_eq!(lines.filter_map(name).collect::<Vec<_>>().join(" "), listed);
    }
    check(
        &mut stage,
        "t  shows: Idle, waits 100 %  shows: ▾wall",
        "Main Pool Idle",
    );
    check(&mut stage, "s  shows: ▾thread", "Idle Main Pool");
    check(&mut stage, "/ 'OO'  shows: / OO▏  1 thread", "Pool");
    // only the listed threads
    check(&mut stage, "enter a", "");
    check(&mut stage, "/ esc", "Idle Main");
    stage.play("enter  rows 0: 2 of 3 threads");
}

#[test]
fn a_focus_in_a_thread_that_only_waits_keeps_its_order_in_other_views() {
    let stacks = format!("Idle;Poll 2|Idle;{SLEEP} 90|Main;Price 24|Pool;Handle 20");
    let mut stage = Stage::new(in_wall_time(&stacks), 120, 24);
    stage.press("G f");
    stage.lists("Idle|>Thread.Sleep|>Poll");
    // Main is no longer shown
    stage.play("t g space enter  rows: Idle|>Thread.Sleep|>Poll");
}

#[test]
fn quitting_while_a_file_is_written_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.json");
    let writing = || {
        let mut stage = Stage::new(shop(), 140, 40);
        stage.press("x ctrl-u").type_text(file.to_str().unwrap());
        let work = stage.press_without_work("enter");
        (stage, work)
    };
    for keys in ["ctrl-c", "q", "esc q", "esc ctrl-c"] {
        let (mut stage, work) = writing();
        stage.press(keys);
        stage.play(
            "quit: no  says: dotspot quits when the file is written; q again quits now, without it",
        );
        stage.do_work(work);
        assert!(stage.has_quit && file.exists(), "{keys}");
        std::fs::remove_file(&file).unwrap();
    }
    // unless quit again
    let (mut stage, _) = writing();
    stage.press("ctrl-c ctrl-c");
    assert!(stage.has_quit && !file.exists());
}

#[test]
fn waits_have_a_page() {
    let sample = || read_file("snapshots/js-ordered-consume.nettrace".as_ref());
    let mut stage = Stage::new(sample(), 160, 30);
    stage.play("
        I
        // summed by hand from the wall-time tree; main always waits for its task
                     shows: Waits: 68.829 s of wall 71.877 s  shows: 8.013  11.6
                     shows: Program.Main: TaskAwaiter<Int32>.GetResult  shows: Housekeeping.Run: Thread.Sleep
                     shows: [no user caller]: LowLevelLifoSemaphore.WaitForSignal  shows: Thread (11036) main
        =            shows: dotspot waits FILE
        esc j enter  on: Thread.Sleep
        I j b        shows: Housekeeping.Run (
        esc esc      page: closed
        // esc leaves the page before it undoes what was dropped earlier
        d I esc      page: closed  shows: without");
    Stage::new(profile_of("T;a 3"), 80, 24).play("I  shows: has no waits");
    Stage::new(sample(), 60, 15).play("I  shows: 8.013  11.6");
}
