//! Truncated stacks, shown as repaired and as recorded.

use super::{opened, profile_of, rows};
use crate::common::shared;
use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use crate::common::truncated;
use dotspot::testing::analysis::ReadyView;
use dotspot::testing::analysis::whole;
use dotspot::testing::app::{Effect, Event, Message};
use dotspot::testing::model::{MetricId, NodeId, TreeForm, View};

fn stage() -> Stage {
    Stage::new(truncated::profile(), 120, 30)
}

/// The selection: the first callers below the root, the number of levels, the method and its samples.
fn place(stage: &Stage) -> String {
    let explorer = stage.explorer();
    let (profile, selected) = (explorer.view(), explorer.tree().shown.selected);
    let mut callers: Vec<NodeId> = profile.tree.ancestors(selected).collect();
    callers.reverse();
    let names = callers.iter().skip(1).take(2);
    let names: Vec<&str> = names.map(|&node| profile.display_name(node)).collect();
    let metric = profile.recording.metric_named("samples").unwrap();
    let samples = profile.tree.inclusive(metric, selected);
    let (path, method) = (names.join("/"), profile.display_name(selected));
    format!("{path} {} {method} {samples}", callers.len())
}

#[track_caller]
fn check_place(stage: &Stage, callers: &str, levels: usize, method: &str, samples: u64) {
    assert_eq!(
        place(stage),
        format!("{callers} {levels} {method} {samples}")
    );
}

const MARKED: &str = "Thread (7)/[truncated at 100 frames]";
const REPAIRED: &str = "Thread (7)/Shop.Main";

#[test]
fn one_key_switches_between_repaired_and_recorded() {
    let mut stage = stage();
    // 30 complete samples, 40 repaired, 10 unrepaired
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
    let words =
        "shows: [truncated at 100 frames] · stacks whose outermost callers were not recorded";
    stage.play(words);
    stage.play("R  says: repaired: 40 samples, 10 left");
    check_place(&stage, "Thread (7)", 2, "[truncated at 100 frames]", 10);
    stage.play(&format!("{words} and could not be found"));
}

/// All 245 truncated stacks are within one recursion.
#[test]
fn repaired_stacks_of_uncertain_depth_are_counted() {
    let file = present!(shared("perf-script/dotnet31.perf-script.txt.gz"));
    Stage::new(opened(&file), 120, 30)
        .play("shows: repaired: 245 samples (245 at uncertain depth), 0 left");
}

#[test]
fn the_selection_follows_a_repaired_stack_in_both_directions() {
    let mut stage = stage();
    stage.press("/").type_text("Levels.L100").press("enter");
    // the thread, Main, Serve, L1 to L99
    check_place(&stage, REPAIRED, 103, "Levels.L100", 40);
    stage.play("R  says: as recorded: 50 samples (50.0 %) truncated");
    // the thread, the marker, L12 to L99
    check_place(&stage, MARKED, 91, "Levels.L100", 40);
    stage.press("R");
    check_place(&stage, REPAIRED, 103, "Levels.L100", 40);
    stage.play("says: repaired: 40 samples, 10 left");
    // another selection is followed, too
    stage.play("R l j");
    check_place(&stage, MARKED, 92, "Levels.L101", 40);
    stage.play("R  says: repaired: 40 samples, 10 left");
    check_place(&stage, REPAIRED, 104, "Levels.L101", 40);
}

#[test]
fn a_node_in_both_forms_stays_selected() {
    let mut stage = stage();
    // the callers of this one are unknown
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
fn rows_in_only_one_form_stay_open_there() {
    let mut stage = stage();
    stage.press("R j l j l");
    stage.lists("All threads|>Thread (7)|>>[truncated at 100 frames]|>>>Levels.L12|>>>Orphans.O1|>>Shop.Main|>Thread (8)");
    stage.play("j l j l  rows 3: >>>Levels.L12|>>>>Levels.L13|>>>>>Levels.L14");
    let before = rows(&stage);
    let line = |stage: &Stage| {
        let explorer = stage.explorer();
        explorer.tree().shown.screen(explorer.view(), 30).1
    };
    let selected = (place(&stage), line(&stage));
    stage.press("R R");
    assert_eq!(rows(&stage), before);
    assert_eq!((place(&stage), line(&stage)), selected);
    // changes in between are preserved
    stage.play("R g j c R  rows: All threads|>Thread (7)|>Thread (8)");
    // rows below are open again
    stage.play("l");
    assert_eq!(rows(&stage)[2..6], before[2..6]);
}

#[test]
fn the_form_and_the_threads_are_independent() {
    let mut stage = stage();
    stage.play("t i enter R  says: as recorded: 50 samples (62.5 %) truncated  rows 0: 1 of 2 threads|>Thread (7)");
    stage.play(
        "t j i enter  rows: 1 of 2 threads|>Thread (8)  shows: as recorded: nothing truncated",
    );
    stage.play("R  says: repaired: nothing truncated");
    stage.press("R t a m enter j l");
    stage.lists("All threads|>2 threads merged|>>Shop.Main|>>[truncated at 100 frames]");
    // back to all threads, choice by choice, and still as recorded
    stage.play("g esc  rows 1: >Thread (8)");
    stage.play("esc  rows 1: >Thread (7)");
    stage.play("esc  rows 0: All threads|>Thread (7)|>Thread (8)  shows: as recorded:");
    stage.play("esc  says: nothing to go back to; q quits");
}

#[test]
fn the_worker_computes_the_other_form_of_selected_threads() {
    let mut stage = stage();
    stage.press("t i enter");
    let work = stage.press_without_work("R");
    stage.play("shows: loading the other stacks …");
    stage.play("esc  says: cancelled; the view is unchanged");
    stage.do_work(work);
    // pressing the key twice before the first answer keeps the current form
    stage.play("shows: repaired:");
    let first = stage.press_without_work("R");
    let second = stage.press_without_work("R");
    assert_eq!(second, [Effect::CancelView]);
    stage.do_work(first);
    stage.play("shows: repaired: 40 samples, 10 left  [R]");
    // switching back needs no worker
    stage.press("R");
    let effects = stage.press_without_work("R");
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::Show(_)))
    );
    stage.play("shows: repaired: 40 samples, 10 left  [R]");
}

#[test]
fn the_current_form_is_exported() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = stage();
    let is_marker = |view: &View, node| view.name(node) == "[truncated at 100 frames]";
    for (name, samples) in [("recorded.json", 50), ("repaired.json", 10)] {
        let path = folder.path().join(name);
        stage.press("R g").export(&path);
        assert_contains(stage.notice(), name);
        let view = opened(&path);
        let markers = view.tree.nodes().filter(|&node| is_marker(&view, node));
        let counts = markers.map(|node| view.tree.count(MetricId(0), node).unwrap());
        assert_eq!(counts.sum::<u64>(), samples);
    }
}

#[test]
fn a_focus_in_both_forms_is_preserved() {
    let mut stage = stage();
    stage.play("j l j f  rows 0: Shop.Main");
    stage.play("R  rows 0: Shop.Main");
    assert_eq!(stage.explorer().tree().outer.len(), 1);
    stage.play("R / 'Levels.L100' enter f R  says: left the focus: its root is not in this view");
    check_place(&stage, MARKED, 91, "Levels.L100", 40);
}

#[test]
fn a_profile_without_truncated_stacks_has_nothing_to_repair() {
    let mut stage = Stage::new(profile_of("Main;a 1"), 120, 30);
    stage.play("R  says: no truncated stacks to repair");
    stage.play("j  lacks: R repair  lacks: repaired  lacks: as recorded");
}

#[test]
fn a_profile_opened_as_recorded_can_still_be_repaired() {
    let read = ReadyView::of(truncated::profile());
    let recorded = ReadyView::of(whole(&read.recording, TreeForm::Original));
    let mut stage = Stage::new(truncated::profile(), 120, 30);
    stage.send(Event::Message(Message::Loaded(Ok(read), Some(recorded))));
    // no notice about a requested form
    stage.play("shows: as recorded: 50 samples (50.0 %) truncated");
    stage.says("");
    let words = |screen: String| {
        let screen = screen.replace('│', " ");
        screen.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let page = words(stage.press("w").screen());
    assert_contains(&page, "they appear under [truncated at 100 frames]");
    stage.play("esc R  says: repaired: 40 samples, 10 left");
    let page = words(stage.press("w").screen());
    assert_contains(&page, "--no-repair (key R) shows them as recorded");
}

#[test]
fn spans_of_time_have_no_samples_to_count() {
    let mut recording = truncated::profile().into_recording();
    recording.truncation.as_mut().unwrap().has_samples = false;
    let mut stage = Stage::new(recording.into_view(), 120, 30);
    // the very last sample has no duration, so 10 samples of one stack are 9 ms
    stage.play("R R  says: repaired: 40.0 ms wall, 9.0 ms left");
    stage.play("R  says: as recorded: 49.0 ms wall (50.0 %) truncated");
}
