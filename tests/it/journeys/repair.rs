//! Truncated stacks, shown repaired and as they were recorded.

use super::{profile_of, rows};
use crate::common::stage::Stage;
use crate::common::text::has;
use crate::common::truncated;
use dotspot::testing::analysis::ReadyView;
use dotspot::testing::analysis::make::whole;
use dotspot::testing::app::{Effect, Event, Message};
use dotspot::testing::model::{MetricId, NodeId, TreeForm, Truncation, View};

fn stage() -> Stage {
    Stage::new(truncated::profile(), 120, 30)
}

/// Where the selection is: the first callers below the root, how many levels down it is, its method and how many samples it
/// has.
fn place(stage: &Stage) -> (String, usize, String, u64) {
    let explorer = stage.explorer();
    let (profile, selected) = (explorer.view(), explorer.tree().shown.selected);
    let mut callers: Vec<NodeId> = profile.tree.ancestors(selected).collect();
    callers.reverse();
    let names: Vec<&str> = callers
        .iter()
        .skip(1)
        .take(2)
        .map(|&node| profile.display_name(node))
        .collect();
    let samples = profile
        .recording
        .metric_named("samples")
        .map_or(0, |metric| profile.tree.inclusive(metric, selected));
    (
        names.join("/"),
        callers.len(),
        profile.display_name(selected).into(),
        samples,
    )
}

#[track_caller]
fn check_place(stage: &Stage, callers: &str, levels: usize, method: &str, samples: u64) {
    assert_eq!(
        place(stage),
        (callers.into(), levels, method.into(), samples)
    );
}

const MARKED: &str = "Thread (7)/[truncated at 100 frames]";
const REPAIRED: &str = "Thread (7)/Shop.Main";

#[test]
fn one_key_shows_before_and_after() {
    let mut stage = stage();
    // 30 whole samples, 40 repaired, 10 left
    stage.play(
        "
        j l  rows: All threads|>Thread (7)|>>Shop.Main|>>[truncated at 100 frames]|>Thread (8)
             shows: repaired: 40 samples, 10 left  [R]
        R    says: as recorded: 50 samples (50.0 %) truncated
             rows: All threads|>Thread (7)|>>[truncated at 100 frames]|>>Shop.Main|>Thread (8)
             shows: as recorded: 50 samples (50.0 %) truncated  [R]
        j",
    );
    check_place(&stage, "Thread (7)", 2, "[truncated at 100 frames]", 50);
    let words = "[truncated at 100 frames] · stacks whose outermost callers were not recorded";
    assert!(stage.screen().contains(words), "{}", stage.screen());
    stage.play("R  says: repaired: 40 samples, 10 left");
    check_place(&stage, "Thread (7)", 2, "[truncated at 100 frames]", 10);
    let words = "[truncated at 100 frames] · stacks whose outermost callers were not recorded and could not be found";
    assert!(stage.screen().contains(words), "{}", stage.screen());
}

#[test]
fn a_stack_that_is_repaired_is_followed_there_and_back() {
    let mut stage = stage();
    stage.press("/").type_text("Levels.L100").press("enter");
    // the thread, Main, Serve, L1 to L99
    check_place(&stage, REPAIRED, 103, "Levels.L100", 40);
    stage.play("R  says: as recorded: selected what was recorded of this stack");
    // the thread, the marker, L12 to L99
    check_place(&stage, MARKED, 91, "Levels.L100", 40);
    stage.press("R");
    check_place(&stage, REPAIRED, 103, "Levels.L100", 40);
    stage.play("says: repaired: 40 samples, 10 left");
    // another one is followed anew
    stage.play("R l j");
    check_place(&stage, MARKED, 92, "Levels.L101", 40);
    stage.play("R  says: repaired: selected the heaviest occurrence of this stack");
    check_place(&stage, REPAIRED, 104, "Levels.L101", 40);
}

#[test]
fn what_is_in_both_stays_selected() {
    let mut stage = stage();
    // nobody knows the callers of this one
    stage.press("/").type_text("Orphans.O50").press("enter");
    check_place(&stage, MARKED, 52, "Orphans.O50", 10);
    stage.press("R");
    check_place(&stage, MARKED, 52, "Orphans.O50", 10);
    stage.press("R /").type_text("Levels.L50").press("enter");
    check_place(&stage, REPAIRED, 53, "Levels.L50", 70);
    stage.press("R");
    check_place(&stage, REPAIRED, 53, "Levels.L50", 30);
    assert_eq!(stage.notice(), "as recorded: 50 samples (50.0 %) truncated");
}

#[test]
fn rows_that_are_in_one_form_only_stay_open_there() {
    let mut stage = stage();
    stage.press("R j l j l");
    let before = rows(&stage);
    assert_eq!(
        before,
        [
            "All threads",
            ">Thread (7)",
            ">>[truncated at 100 frames]",
            ">>>Levels.L12",
            ">>>Orphans.O1",
            ">>Shop.Main",
            ">Thread (8)"
        ]
    );
    stage.press("j l j l");
    let before = rows(&stage);
    assert_eq!(
        before[3..6],
        [">>>Levels.L12", ">>>>Levels.L13", ">>>>>Levels.L14"]
    );
    let line = |stage: &Stage| {
        stage
            .explorer()
            .tree()
            .shown
            .screen(stage.explorer().view(), 30)
            .1
    };
    let selected = (place(&stage), line(&stage));
    stage.press("R R");
    assert_eq!(rows(&stage), before);
    assert_eq!((place(&stage), line(&stage)), selected);
    // what was done in between counts
    stage.play("R g j c R  rows: All threads|>Thread (7)|>Thread (8)");
    stage.play("l");
    assert_eq!(
        rows(&stage)[2..6],
        before[2..6],
        "what was open below is so again"
    );
}

#[test]
fn the_form_and_the_threads_are_chosen_apart() {
    let mut stage = stage();
    stage.play("t i enter R  says: as recorded: 50 samples (62.5 %) truncated  rows 0: 1 of 2 threads|>Thread (7)");
    stage.play(
        "t j i enter  rows: 1 of 2 threads|>Thread (8)  shows: as recorded: nothing truncated",
    );
    stage.play("R  says: repaired: nothing truncated in these threads");
    stage.play("R t a m enter j l");
    let merged = [
        "All threads",
        ">2 threads merged",
        ">>Shop.Main",
        ">>[truncated at 100 frames]",
    ];
    assert_eq!(rows(&stage), merged);
    // back to all threads, and still as recorded
    stage.play("g esc  rows 1: >Thread (7)  shows: as recorded:");
    stage.play("esc  says: nothing to go back to; q quits");
}

#[test]
fn the_other_form_of_some_threads_comes_from_the_worker() {
    let mut stage = stage();
    stage.press("t i enter");
    let work = stage.press_without_work("R");
    stage.play("shows: loading the other form …");
    stage.play("esc  says: cancelled; stacks unchanged");
    stage.do_work(work);
    assert!(stage.screen().contains("repaired: "), "{}", stage.screen());
    // twice before the first answer is the form that is shown
    let first = stage.press_without_work("R");
    let second = stage.press_without_work("R");
    assert_eq!(second, [Effect::GiveUp]);
    stage.do_work(first);
    stage.play("shows: repaired: 40 samples, 10 left  [R]");
    // the way back needs no worker
    stage.play("R");
    assert!(
        stage
            .press_without_work("R")
            .iter()
            .all(|effect| !matches!(effect, dotspot::testing::app::Effect::Show(_)))
    );
    assert!(
        stage
            .screen()
            .contains("repaired: 40 samples, 10 left  [R]"),
        "{}",
        stage.screen()
    );
}

#[test]
fn what_is_shown_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    let export = |stage: &mut Stage, name: &str| {
        let path = folder.path().join(name);
        stage
            .press("g x ctrl-u")
            .type_text(path.to_str().unwrap())
            .press("enter");
        assert!(stage.notice().contains(name), "{}", stage.notice());
        dotspot::testing::cli::open(
            &dotspot::testing::cli::Target::File(path),
            &Default::default(),
            Default::default(),
        )
        .unwrap()
    };
    let truncated = |profile: &View| -> u64 {
        let markers = profile
            .tree
            .nodes()
            .filter(|&node| profile.name(node) == Truncation::marker(100));
        markers
            .map(|node| profile.tree.count(MetricId(0), node).unwrap())
            .sum()
    };
    stage.press("R");
    assert_eq!(truncated(&export(&mut stage, "recorded.json")), 50);
    stage.press("R");
    assert_eq!(truncated(&export(&mut stage, "repaired.json")), 10);
}

#[test]
fn a_focus_stays_where_both_have_it() {
    let mut stage = stage();
    stage.play("j l j f  rows 0: Shop.Main");
    stage.play("R");
    assert_eq!(
        (rows(&stage)[0].as_str(), stage.explorer().tree().left.len()),
        ("Shop.Main", 1)
    );
    stage.play("R / 'Levels.L100' enter f R  says: left the focus: its root is not in this view");
    check_place(&stage, MARKED, 91, "Levels.L100", 40);
}

#[test]
fn a_profile_without_truncated_stacks_says_so() {
    let mut stage = Stage::new(profile_of("Main;a 1"), 120, 30);
    stage.play("R  says: no truncated stacks to repair");
    let screen = stage.press("j").screen();
    assert!(
        !screen.contains("R repair")
            && !screen.contains("repaired")
            && !screen.contains("as recorded"),
        "{screen}"
    );
}

#[test]
fn opened_as_recorded_it_can_still_be_repaired() {
    let read = ReadyView::of(truncated::profile());
    let recorded = ReadyView::of(whole(&read.recording, TreeForm::Original));
    let mut stage = Stage::new(truncated::profile(), 120, 30);
    stage.send(Event::Message(Message::Loaded(Ok(read), Some(recorded))));
    assert!(
        stage
            .screen()
            .contains("as recorded: 50 samples (50.0 %) truncated"),
        "{}",
        stage.screen()
    );
    assert_eq!(stage.notice(), "", "what was asked for needs no word");
    let words = |screen: String| {
        screen
            .replace('│', " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let page = words(stage.press("w").screen());
    has(&page, "they appear under [truncated at 100 frames]");
    stage.play("esc R  says: repaired: 40 samples, 10 left");
    let page = words(stage.press("w").screen());
    has(&page, "--no-repair (key R) shows them as recorded");
}

#[test]
fn spans_of_time_have_no_samples_to_count() {
    let mut recording = truncated::profile().into_recording();
    recording.truncation.as_mut().unwrap().has_samples = false;
    let mut stage = Stage::new(recording.into_view(), 120, 30);
    // the last sample of all ends nothing, so that 10 of one stack are 9 ms
    stage.play("R R  says: repaired: 40.0 ms wall, 9.0 ms left");
    stage.play("R  says: as recorded: 49.0 ms wall (50.0 %) truncated");
}
