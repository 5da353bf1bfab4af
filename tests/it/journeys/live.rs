//! A recording that goes on: what is shown grows, and the user stays in place. Each growth is a recording that was read anew, with ids
//! of its own.

use super::rows;
use crate::common::stage::Stage;
use dotspot::testing::app::{Event, LiveNow, Message};
use dotspot::testing::model::testing::profile_of;

const AT_1_S: &str = "Main;main;run;price 50|Main;main;sleep 30|Pool;work;handle 9";
/// Other orders, new methods above and below, a new thread.
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

/// What is on the screen after keys, and when the recording has grown.
#[track_caller]
fn check(keys: &str, before: &[&str], after: &[&str], selected: &str) {
    let mut stage = stage();
    stage.press(keys);
    assert_eq!(rows(&stage), before);
    grow(&mut stage);
    assert_eq!(rows(&stage), after);
    assert_eq!(stage.selected(), selected);
    let explorer = stage.explorer();
    assert_eq!(explorer.live_words().unwrap(), "live 2 s · 8 samples");
    assert_eq!(
        explorer
            .whole
            .tree
            .inclusive(explorer.lens().metric, explorer.whole.root),
        722_000_000,
        "all of it is there"
    );
}

#[test]
fn selection_and_open_rows_stay() {
    check(
        "j l j l j l j",
        &[
            "All threads",
            ">Main",
            ">>main",
            ">>>run",
            ">>>>price",
            ">>>sleep",
            ">Pool",
        ],
        // what was open is open, wherever it went; what is new is closed
        &[
            "All threads",
            ">Timer",
            ">Main",
            ">>main",
            ">>>load",
            ">>>run",
            ">>>>price",
            ">>>>log",
            ">>>sleep",
            ">Pool",
        ],
        "price",
    );
    check("c", &["All threads"], &["All threads"], "All threads");
}

#[test]
fn focuses_stay_with_their_breadcrumbs() {
    check(
        "j l j f j l",
        &["main", ">run", ">>price", ">sleep"],
        &["main", ">load", ">run", ">>price", ">>log", ">sleep"],
        "run",
    );
    let mut stage = stage();
    stage.press("j f j f");
    grow(&mut stage);
    assert_eq!(
        stage.explorer().breadcrumb_names(),
        ["All threads", "Main", "main"]
    );
}

#[test]
fn the_selection_stays_on_its_line_where_the_first_row_is_not_on_the_screen() {
    let mut stage = Stage::new(profile_of(AT_1_S), 80, 14);
    stage.record(profile_of(AT_1_S), 1, 3);
    stage.press("E G");
    let line = |stage: &Stage| {
        let explorer = stage.explorer();
        explorer
            .tree()
            .shown
            .screen(explorer.view(), usize::from(explorer.layout.rows(0).height))
            .1
    };
    let before = line(&stage);
    grow(&mut stage);
    assert_eq!((line(&stage), stage.selected()), (before, "handle"));
}

#[test]
fn changes_of_the_tree_stay_and_new_threads_are_seen() {
    // nodes are called otherwise in the next reading
    let mut stage = stage();
    stage.play("j l j l j D  rows: All threads|>Main|>>main|>>>sleep|>Pool");
    grow(&mut stage);
    assert_eq!(
        rows(&stage),
        [
            "All threads",
            ">Timer",
            ">Pool",
            ">Main",
            ">>main",
            ">>>load",
            ">>>sleep"
        ],
        "run has gone with all that came below it"
    );
    assert_eq!(stage.explorer().threads_text(), "3 threads");
    // undone as usual
    stage.press("g esc");
    assert!(
        rows(&stage).contains(&">>>run".to_string()),
        "{:?}",
        rows(&stage)
    );
}

#[test]
fn who_chose_threads_keeps_to_them_and_merged_ones_take_new_ones_in() {
    let mut stage = stage();
    stage.play("j t i enter  rows 0: 1 of 2 threads");
    grow(&mut stage);
    assert_eq!(
        (rows(&stage)[0].as_str(), stage.selected()),
        ("1 of 3 threads", "Main")
    );
    let mut stage = super::live::stage();
    stage.play("t m enter j l j l  rows 0: All threads|>2 threads merged|>>main|>>>run");
    grow(&mut stage);
    stage.play("rows 0: All threads|>3 threads merged|>>tick  on: main");
}

#[test]
fn hotspots_and_a_walk_go_on() {
    let mut stage = stage();
    stage.press("2 j");
    let selected = |stage: &Stage| {
        let explorer = stage.explorer();
        explorer
            .lens()
            .frame_name(stage.hotspots(1).selected_row().unwrap().frame)
            .to_string()
    };
    assert_eq!(selected(&stage), "sleep");
    grow(&mut stage);
    assert_eq!(selected(&stage), "sleep");
    stage.press("g");
    assert_eq!(selected(&stage), "tick", "the hottest by now");
    let mut stage = super::live::stage();
    stage.press("* enter n");
    grow(&mut stage);
    let walk = stage.explorer().tree().walk.clone();
    assert_eq!(
        walk.map(|walk| walk.node),
        Some(stage.explorer().tree().shown.selected),
        "{}",
        stage.screen()
    );
}

#[test]
fn a_page_of_callers_grows_with_what_is_open_in_it() {
    let mut stage = stage();
    stage.press("j l j l j l j b");
    let callers = |stage: &Stage| {
        let half = stage.tree_of_page(0);
        let (rows, at) = half.shown.screen(&half.lens.view, 20);
        let names: Vec<&str> = rows
            .iter()
            .map(|row| half.lens.view.display_name(row.node))
            .collect();
        (names.join(" "), names[at].to_string())
    };
    assert_eq!(callers(&stage), ("price run".into(), "price".into()));
    stage.press("j l");
    assert_eq!(callers(&stage), ("price run main".into(), "run".into()));
    grow(&mut stage);
    assert_eq!(callers(&stage), ("price run main".into(), "run".into()));
    let page = stage.explorer().upper_page().unwrap();
    assert_eq!(page.parts.as_ref().unwrap().sums[0].inclusive, 53_000_000);
    let callees = stage.tree_of_page(1);
    assert_eq!(
        callees.shown.screen(&callees.lens.view, 9).0.len(),
        2,
        "price and round"
    );
    // and what calls a row is still made when it is opened
    stage.press("j l");
    assert_eq!(callers(&stage).0, "price run main Main");
    stage.play("esc  on: price");
    // the inverted tree
    stage.play("i");
    stage.record(profile_of(AT_1_S), 3, 9);
    stage.play("live: live 3 s · 9 samples  page: open");
}

#[test]
fn what_is_frozen_stands_still_until_it_is_thawed() {
    let mut stage = stage();
    stage.press("Z");
    let before = stage.explorer().view().node_count();
    grow(&mut stage);
    assert_eq!(stage.explorer().view().node_count(), before);
    stage.play("live: frozen at 1 s · 3 samples");
    // what is shown can be changed all the same
    stage.play("j d Z");
    stage.record(profile_of(AT_2_S), 3, 9);
    assert_eq!(
        stage.explorer().live_words().unwrap(),
        "live 3 s · 9 samples"
    );
    assert!(stage.explorer().view().node_count() > before);
    // of a file nothing is to be frozen
    let mut stage = Stage::new(profile_of(AT_1_S), 120, 30);
    stage.play("Z  says: not recording; this is the complete file");
}

#[test]
fn nothing_changes_under_a_dialog_and_is_shown_behind_it() {
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
fn a_view_that_was_asked_for_comes_before_more_of_the_recording() {
    let mut stage = stage();
    stage.press("j l j l j");
    let asked = stage.press_without_work("d");
    // what came meanwhile waits
    grow(&mut stage);
    assert_eq!(rows(&stage)[3], ">>>run");
    stage.do_work(asked);
    assert_eq!(
        rows(&stage),
        ["All threads", ">Main", ">>main", ">>>sleep", ">Pool"]
    );
    stage.record(profile_of(AT_2_S), 3, 9);
    assert_eq!(rows(&stage)[1..3], [">Timer", ">Pool"]);
}

#[test]
fn leaving_asks_first_and_stops_the_recording() {
    let mut stage = stage();
    stage.press("q");
    assert_eq!((stage.stops, stage.has_quit), (0, false));
    stage.play("says: q again stops the recording and shows all of it");
    // whoever does something else has to be asked again
    stage.play("j q");
    assert_eq!(stage.stops, 0);
    stage.press("q");
    assert_eq!((stage.stops, stage.has_quit), (1, false));
    stage.play("live: stopping, 1 s · 3 samples");
    stage.play("q  says: waiting for method names; q again skips them");
    stage.play("q");
    assert_eq!(stage.stops, 2);
    // at once
    let mut stage = super::live::stage();
    stage.press("ctrl-c");
    assert_eq!((stage.stops, stage.has_quit), (1, false));
    stage.play("ctrl-z  says: can't suspend while recording; q stops the recording");
    // when it is over, leaving is leaving
    let over = LiveNow {
        elapsed_ms: 9000,
        samples: 8,
        bytes: 8,
        is_over: true,
        leaves: false,
    };
    stage.press("Z");
    stage.send(Event::Message(Message::Live(over)));
    stage.play("live: recording ended; view frozen at 1 s · 3 samples");
    stage.play("q  quit: yes");
}
