//! Threads that only wait, and the hot path.

use super::{NodeId, rows};
use crate::common::profiles::read_file;
use crate::common::shared;
use crate::common::stage::Stage;
use crate::common::text::has;
use dotspot::testing::model::View;
use dotspot::testing::model::testing::{profile_of, recording_of};

const SLEEP: &str = "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)";

/// Wall time: a thread that sleeps for 90 ms, one that works for 30 and sleeps for 10, one that works for 20.
fn shop() -> View {
    let stacks =
        format!("Idle;{SLEEP} 90|Main;Run;Price 24|Main;Run;Log 6|Main;{SLEEP} 10|Pool;Handle 20");
    let mut recording = recording_of(&stacks);
    recording.metrics[0].name = "wall".into();
    recording.into_view()
}

#[test]
fn waiting_is_left_out_until_it_is_counted() {
    let mut stage = Stage::new(shop(), 120, 24);
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool", ">Idle"]);
    let of = |stage: &Stage, words: &[&str]| {
        let screen = stage.screen();
        words
            .iter()
            .for_each(|word| assert!(screen.contains(word), "{word:?} is not on\n{screen}"));
    };
    // 30 + 20 of 150 ms are work: 60 and 40 %; what waits stands beside that
    of(
        &stage,
        &[
            "of 50.0 ms, without 100.0 ms waiting",
            "▾busy ms   waits     %",
            "30.0    10.0  60.0",
            "20.0          40.0",
            "0.0    90.0 waits",
        ],
    );
    stage.press("W");
    assert_eq!(stage.notice(), "percentages include 100.0 ms of waiting");
    assert_eq!(rows(&stage), ["All threads", ">Idle", ">Main", ">Pool"]);
    of(&stage, &["of 150.0 ms", "90.0  60.0"]);
    stage.press("W");
    assert_eq!(
        stage.notice(),
        "percentages and sorting exclude 100.0 ms of waiting"
    );
    // in a thread that only waits there is nothing else to see
    stage.press("G f");
    assert_eq!(rows(&stage), ["Idle", ">Thread.Sleep"]);
    of(&stage, &["of 90.0 ms", "90.0 100.0"]);
    stage.press("W");
    assert_eq!(
        stage.notice(),
        "this thread only waits, so waiting is included"
    );
    stage.press("esc");
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool", ">Idle"]);
}

#[test]
fn the_hot_path_starts_with_the_thread_that_works_most_and_says_where_it_ends() {
    let mut stage = Stage::new(shop(), 120, 24);
    stage.press("enter");
    assert_eq!(stage.selected(), "Price");
    assert_eq!(stage.notice(), "hot path: 3 levels down to a leaf");
    stage.press("enter");
    assert_eq!(stage.notice(), "no hot path: this is a leaf");
    let split = recording_of("T;Run;a 28|T;Run;b 24|T;Run;c 21|T;Run 27").into_view();
    let mut stage = Stage::new(split, 120, 24);
    stage.press("enter");
    assert_eq!(stage.selected(), "Run");
    assert_eq!(
        stage.notice(),
        "hot path: 2 levels down, where it splits into 3: 28 %, 24 %, 21 %"
    );
}

#[test]
fn the_hot_path_of_real_snapshots_is_that_of_the_work() {
    for (file, thread, method) in [
        ("dtp/Issue254.dtp", "Thread 1 (main)", "Program.Main"),
        ("dtp/profile.dtp", "Thread 1 (main)", "Program.Main"),
    ] {
        let Some(path) = shared(file) else { continue };
        let mut stage = Stage::new(read_file(&path), 120, 30);
        assert_eq!(rows(&stage)[1], format!(">{thread}"), "{file}");
        stage.press("enter");
        let explorer = stage.explorer();
        let callers: Vec<NodeId> = explorer
            .view()
            .tree
            .ancestors(explorer.tree().shown.selected)
            .collect();
        let names: Vec<&str> = callers
            .iter()
            .rev()
            .map(|&node| explorer.view().display_name(node))
            .collect();
        assert_eq!(names[1..3], [thread, method], "{file}");
    }
}

#[test]
fn threads_are_sorted_and_filtered() {
    let mut stage = Stage::new(shop(), 100, 24);
    let listed = |stage: &Stage| {
        let screen = stage.screen();
        let lines = screen
            .lines()
            .filter(|line| line.contains("[x]") && !line.contains("merge"));
        let name = |line: &str| {
            ["Main", "Pool", "Idle"]
                .into_iter()
                .find(|name| line.contains(name))
                .unwrap()
        };
        lines.map(name).collect::<Vec<_>>()
    };
    stage.press("t");
    assert_eq!(listed(&stage), ["Main", "Pool", "Idle"]);
    assert!(
        stage.screen().contains("Idle, waits 100 %") && stage.screen().contains("▾%"),
        "{}",
        stage.screen()
    );
    stage.press("s");
    assert_eq!(listed(&stage), ["Idle", "Main", "Pool"]);
    assert!(stage.screen().contains("▾thread"), "{}", stage.screen());
    stage.press("/").type_text("OO");
    assert_eq!(listed(&stage), ["Pool"]);
    assert!(
        stage.screen().contains("/ OO▏  1 thread"),
        "{}",
        stage.screen()
    );
    // all that are listed
    stage.press("enter a");
    assert_eq!(listed(&stage), [""; 0]);
    stage.press("/ esc");
    assert_eq!(listed(&stage), ["Idle", "Main"]);
    stage.press("enter");
    assert_eq!(rows(&stage)[0], "2 of 3 threads");
}

#[test]
fn a_focus_in_a_thread_that_only_waits_keeps_its_order_in_other_views() {
    let stacks = format!("Idle;Poll 2|Idle;{SLEEP} 90|Main;Price 24|Pool;Handle 20");
    let mut recording = recording_of(&stacks);
    recording.metrics[0].name = "wall".into();
    let mut stage = Stage::new(recording.into_view(), 120, 24);
    stage.press("G f");
    let focused = ["Idle", ">Thread.Sleep", ">Poll"];
    assert_eq!(rows(&stage), focused);
    // Main is no longer shown
    stage.press("t").press("g space enter");
    assert_eq!(rows(&stage), focused);
}

#[test]
fn who_leaves_while_a_file_is_written_leaves_once_it_is() {
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
        assert!(!stage.has_quit, "{keys}: the file is not written yet");
        assert_eq!(
            stage.notice(),
            "dotspot quits when the file is written; q again quits now, without it",
            "{keys}"
        );
        stage.do_work(work);
        assert!(stage.has_quit && file.exists(), "{keys}");
        std::fs::remove_file(&file).unwrap();
    }
    // who can't wait
    let (mut stage, _) = writing();
    stage.press("ctrl-c ctrl-c");
    assert!(stage.has_quit && !file.exists());
}

#[test]
fn what_waits_is_a_page() {
    let sample = || read_file("snapshots/js-ordered-consume.nettrace".as_ref());
    let mut stage = Stage::new(sample(), 160, 30);
    stage.press("I");
    // summed by hand from the tree of wall time: main waits for its task all the time
    for words in [
        "What waits: 68.829 s of wall 71.877 s",
        "8.013  11.6",
        "Program.Main: TaskAwaiter<Int32>.GetResult",
        "Housekeeping.Run: Thread.Sleep",
        "[no user caller]: LowLevelLifoSemaphore.WaitForSignal",
        "Thread (11036) main",
    ] {
        has(stage.screen(), words);
    }
    stage.press("=");
    has(stage.screen(), "dotspot waits FILE");
    stage.press("esc j enter");
    stage.is_on("Thread.Sleep");
    stage.press("I j b");
    has(stage.screen(), "Housekeeping.Run (");
    stage.press("esc esc");
    assert!(stage.explorer().upper_page().is_none());
    let mut plain = Stage::new(profile_of("T;a 3"), 80, 24);
    plain.press("I");
    has(plain.screen(), "has no waits");
    let mut narrow = Stage::new(sample(), 60, 15);
    narrow.press("I");
    has(narrow.screen(), "8.013  11.6");
}
