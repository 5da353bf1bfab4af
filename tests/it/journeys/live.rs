//! An ongoing recording: the view grows while the user's place is preserved. Each update is a newly read recording with new
//! ids.

use crate::common::profiles::read_text;
use crate::common::stage::Stage;
use dotspot::testing::app::{Event, LiveStatus, Message};
use dotspot::testing::model::profile_of;
use dotspot::testing::model::{NodeId, View};

const AT_1_S: &str = "Main;main;run;price 50|Main;main;sleep 30|Pool;work;handle 9";
/// In another order, with new methods above and below, and a new thread.
const AT_2_S: &str = "Timer;tick 300|Pool;work;handle;tax 200|Pool;work;handle 9|Main;main;load 90|Main;main;sleep 60|\
                      Main;main;run;log 10|Main;main;run;price;round 3|Main;main;run;price 50";

fn stage() -> Stage {
    let mut stage = Stage::new(profile_of(AT_1_S), 120, 30);
    stage.record(profile_of(AT_1_S), 1, 3);
    stage
}

fn grow(stage: &mut Stage) -> &mut Stage {
    stage.record(profile_of(AT_2_S), 2, 8)
}

/// Checks the rows after pressing keys, and after the recording has grown.
#[track_caller]
fn check(keys: &str, before: &str, after: &str, selected: &str) {
    let mut stage = stage();
    stage.press(keys).lists(before);
    grow(&mut stage).lists(after);
    stage.is_on(selected);
    stage.play("live: live 2 s · 8 samples");
    // nothing is missing
    let explorer = stage.explorer();
    let full = &explorer.whole;
    let all = full.tree.inclusive(explorer.lens().metric, NodeId::ROOT);
    assert_eq!(all, 722_000_000);
}

#[test]
fn the_selection_open_rows_and_focuses_are_preserved() {
    // open rows stay open wherever they moved; new rows are closed
    check(
        "j l j l j l j",
        "All threads|>Main|>>main|>>>run|>>>>price|>>>sleep|>Pool",
        "All threads|>Timer|>Main|>>main|>>>load|>>>run|>>>>price|>>>>log|>>>sleep|>Pool",
        "price",
    );
    check("c", "All threads", "All threads", "All threads");
    check(
        "j l j f j l",
        "main|>run|>>price|>sleep",
        "main|>load|>run|>>price|>>log|>sleep",
        "run",
    );
    let mut stage = stage();
    stage.press("j f j f");
    grow(&mut stage).play("crumbs: All threads|Main|main");
}

#[test]
fn the_selection_stays_on_its_screen_line_when_scrolled() {
    let mut stage = Stage::new(profile_of(AT_1_S), 80, 14);
    stage.record(profile_of(AT_1_S), 1, 3);
    stage.press("E G");
    let line = |stage: &Stage| {
        let explorer = stage.explorer();
        let height = usize::from(explorer.layout.rows(0).height);
        explorer.tree().shown.screen(explorer.view(), height).1
    };
    let before = line(&stage);
    grow(&mut stage);
    assert_eq!((line(&stage), stage.selected()), (before, "handle"));
}

#[test]
fn steps_are_preserved_and_new_threads_appear() {
    // nodes have new ids in the next reading
    let mut stage = stage();
    stage.play("j l j l j D  rows: All threads|>Main|>>main|>>>sleep|>Pool");
    // run is removed, with everything new below it
    grow(&mut stage).lists("All threads|>Timer|>Pool|>Main|>>main|>>>load|>>>sleep");
    assert_eq!(stage.explorer().threads_text(), "3 threads");
    // undo works as usual
    stage.play("g esc  rows: …|>>>run|…");
}

#[test]
fn selected_threads_stay_and_merged_threads_include_new_ones() {
    let mut stage = stage();
    stage.play("j t i enter  rows 0: 1 of 2 threads");
    grow(&mut stage).play("rows 0: 1 of 3 threads  on: Main");
    // choices of threads grow, too
    stage.play("t j i enter  rows 0: 1 of 3 threads");
    grow(&mut stage).play("esc  rows 0: 1 of 3 threads|>Main");
    stage.play("esc g  rows 0: All threads|>Timer|>Main|>Pool");
    let mut stage = self::stage();
    stage.play("t m enter j l j l  rows 0: All threads|>2 threads merged|>>main|>>>run");
    grow(&mut stage).play("rows 0: All threads|>3 threads merged|>>tick  on: main");
}

#[test]
fn hotspots_and_a_walk_through_occurrences_continue() {
    let mut stage = stage();
    stage.press("2 j");
    let selected = |stage: &Stage| {
        let frame = stage.hotspots(1).selected_row().unwrap().frame;
        stage.explorer().lens().frame_name(frame).to_string()
    };
    assert_eq!(selected(&stage), "sleep");
    grow(&mut stage);
    assert_eq!(selected(&stage), "sleep");
    stage.press("g");
    assert_eq!(selected(&stage), "tick", "now the hottest");
    let mut stage = self::stage();
    stage.press("* enter n");
    grow(&mut stage);
    let tree = stage.explorer().tree();
    let walk = tree.walk.as_ref().map(|walk| walk.node);
    assert_eq!(walk, Some(tree.shown.selected), "{}", stage.screen());
}

#[test]
fn a_page_of_callers_grows_and_keeps_its_open_rows() {
    let mut stage = stage();
    stage.play("j l j l j l j b  half 0: *price 50|.run 50");
    stage.play("j l  half 0: price 50|.*run 50|..main 50");
    // price and its callee, round
    grow(&mut stage).play("half 0: price 53|.*run 53|..main 53  half 1: *price 53|.round 3");
    let page = stage.explorer().top_page().unwrap();
    assert_eq!(page.parts.as_ref().unwrap().sums[0].inclusive, 53_000_000);
    // callers of a row are still computed when it is opened
    stage.play("j l  half 0: price 53|.run 53|..*main 53|...Main 53");
    stage.play("esc  on: price");
    // the inverted tree
    stage.press("i").record(profile_of(AT_1_S), 3, 9);
    stage.play("live: live 3 s · 9 samples  page: open");
}

#[test]
fn a_frozen_view_does_not_change_until_it_is_thawed() {
    let mut stage = stage();
    stage.press("Z");
    let before = stage.explorer().view().node_count();
    grow(&mut stage);
    assert_eq!(stage.explorer().view().node_count(), before);
    stage.play("live: frozen at 1 s · 3 samples");
    // the frozen view can still be changed
    stage.play("j d Z");
    stage.record(profile_of(AT_2_S), 3, 9);
    stage.play("live: live 3 s · 9 samples");
    assert!(stage.explorer().view().node_count() > before);
    // a file can't be frozen
    let mut stage = Stage::new(profile_of(AT_1_S), 120, 30);
    stage.play("Z  says: not recording; this is the complete file");
}

#[test]
fn the_view_does_not_change_behind_a_dialog() {
    for keys in ["/", "t", "x", "?", "v", "&", "L"] {
        let mut stage = stage();
        stage.press(keys);
        let before = stage.explorer().view().node_count();
        grow(&mut stage);
        assert_eq!(stage.explorer().view().node_count(), before, "{keys}");
        stage.play("live: held at 1 s · 3 samples");
        stage.play("esc");
        stage.record(profile_of(AT_2_S), 3, 9);
        assert!(stage.explorer().view().node_count() > before, "{keys}");
    }
}

#[test]
fn a_requested_view_takes_precedence_over_updates() {
    let mut stage = stage();
    stage.press("j l j l j");
    let effects = stage.press_without_work("d");
    // updates wait
    grow(&mut stage).play("rows 3: >>>run");
    stage.do_work(effects);
    stage.lists("All threads|>Main|>>main|>>>sleep|>Pool");
    stage.record(profile_of(AT_2_S), 3, 9);
    stage.play("rows 1: >Timer|>Pool");
}

#[test]
fn leaving_asks_for_confirmation_and_stops_the_recording() {
    let mut stage = stage();
    stage.press("q");
    assert_eq!((stage.stops, stage.has_quit), (0, false));
    stage.play("says: q again stops the recording and shows all of it");
    // any other key cancels the question
    stage.play("j q");
    assert_eq!(stage.stops, 0);
    stage.press("q");
    assert_eq!((stage.stops, stage.has_quit), (1, false));
    stage.play("live: stopping, 1 s · 3 samples");
    stage.play("q  says: waiting for method names; q again skips them");
    stage.play("q");
    assert_eq!(stage.stops, 2);
    // immediately
    let mut stage = self::stage();
    stage.press("ctrl-c");
    assert_eq!((stage.stops, stage.has_quit), (1, false));
    stage.play("ctrl-z  says: can't suspend while recording; q stops the recording");
    // after the recording has ended, there is no question
    let over = LiveStatus {
        elapsed_ms: 9000,
        samples: 8,
        bytes: 8,
        is_over: true,
        quits_at_end: false,
    };
    stage.press("Z");
    stage.send(Event::Message(Message::Live(over)));
    stage.play("live: recording ended; view frozen at 1 s · 3 samples");
    stage.play("q  quit: yes");
}

/// 60 ms on each of these threads.
fn timed(threads: &[&str]) -> View {
    let threads = threads.iter().map(|name| {
        format!(
            r#"{{"type":"sampled","name":"{name}","unit":"milliseconds","startValue":0,"endValue":60,"samples":[[0]],"weights":[60]}}"#
        )
    });
    let threads: Vec<String> = threads.collect();
    read_text(&format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"Shop.A"}}]}},"profiles":[{}]}}"#,
        threads.join(",")
    ))
}

#[test]
fn time_ranges_are_left_after_a_new_thread_has_appeared() {
    let mut stage = Stage::new(timed(&["Main"]), 120, 30);
    stage.record(timed(&["Main"]), 1, 3);
    stage.press(": 0 . 0 1 space 0 . 0 5 enter");
    stage
        .press(": 0 . 0 2 space 0 . 0 4 enter")
        .play("range: 20 40");
    stage.record(timed(&["Main", "Pool"]), 2, 8);
    stage.play("live: live 2 s · 8 samples  range: 20 40  shows: 2 threads");
    stage.play("esc  range: 10 50");
    stage.play("esc  range: none");
}
