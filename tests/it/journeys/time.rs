//! The strip of time, ranges that are chosen with it, and the lanes of threads.

use crate::common::json::{json, near};
use crate::common::profiles::{read_file, read_text};
use crate::common::stage::{Stage, rows_of};
use crate::common::text::{has, has_all, lacks};
use crate::common::{sample, shared};
use dotspot::testing::app::Action;
use dotspot::testing::model::NodeId;

/// 60 ms on one thread, so that on a screen of 80 columns a cell of the strip is 1 ms: A for 15, B for 35, A for 10.
const SPEEDSCOPE: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"Shop.A"},{"name":"Shop.B"}]},
 "profiles":[{"type":"sampled","name":"one","unit":"milliseconds","startValue":0,"endValue":60,
  "samples":[[0],[1],[0]],"weights":[15,35,10]}]}"#;

fn stage() -> Stage {
    Stage::new(read_text(SPEEDSCOPE), 80, 24)
}

/// The rows of the strip, without their labels.
fn strip(stage: &Stage) -> [String; 2] {
    let screen = stage.screen();
    let row = |at: usize| {
        let row = screen.lines().nth(2 + at).unwrap_or("");
        let cells: String = row.chars().skip(10).take(60).collect();
        cells.trim_end().to_string()
    };
    [row(0), row(1)]
}

#[test]
fn the_strip_shows_when_the_selected_method_ran() {
    let mut stage = stage();
    assert_eq!(strip(&stage), ["█".repeat(60), "█".repeat(60)]);
    // A and B below the thread, B first
    stage.play("j l j  on: Shop.B");
    let of_b = format!("{}{}", " ".repeat(15), "█".repeat(35));
    assert_eq!(strip(&stage)[1], of_b);
    stage.press("j");
    let of_a = format!("{}{}{}", "█".repeat(15), " ".repeat(35), "█".repeat(10));
    assert_eq!(strip(&stage)[1], of_a);
    // a method of the hotspots
    stage.press("2 j");
    assert_eq!(strip(&stage)[1], of_a);
    stage.play("|  lacks: selected");
    stage.play("|");
    assert_eq!(strip(&stage)[1], of_a);
    stage.resize(80, 19);
    lacks(stage.screen(), " selected ");
}

#[test]
fn keys_choose_a_range_and_esc_goes_back() {
    let mut stage = stage();
    stage.play("[  notes: a click on the strip sets one");
    // in the middle, then ten to the left
    stage.play("shift-right  shows: at 0.030 s, 1.0 ms: 1.0 threads busy");
    stage.press(&"shift-left ".repeat(10));
    stage.play("[  range: 20 0");
    // what is shown now has 40 ms in 60 cells: the cursor is at its start
    has(stage.screen(), "0.020 s ");
    stage.play(
        "
        esc      range: 20 0
        esc      range: none
        // half of it around the middle, and half of that; then back step by step
        +        range: 15 45
        -        range: none
        // all of it is where there is nothing to go back to
        esc      range: none
        +        range: 15 45
        V        shows: 0.015 s to 0.045 s
        esc =    shows: --from 0.015s --until 0.045s
        esc esc  range: none",
    );
}

#[test]
fn the_mouse_drags_a_range_and_a_second_click_widens_it() {
    let mut stage = stage();
    stage.play("click@30,2 drag@44,3 drag@49,9 release@49,9  range: 20 40  shows: of 20.0 ms");
    stage.play("double@30,2  range: none");
    // from right to left; beyond the ends is the end
    stage.play("click@40,2 drag@2,2 release@2,2  range: 0 31");
    // a click alone moves the cursor
    stage.play("click@10,2 release@10,2  range: 0 31");
    has(stage.screen(), "at 0.000 s, ");
}

/// What keys choose is what `--from` and `--until` choose, and what the strip's lines sum up to.
#[test]
fn a_range_chosen_by_keys_is_that_of_the_command() {
    let mut stage = Stage::new(sample(), 80, 24);
    stage.press("shift-right [ shift-right shift-right shift-right ]");
    let range = stage.explorer().scope().range.unwrap();
    let flags = range.flags().join(" ");
    let found = json(&format!("hotspots SAMPLE {flags}"));
    let explorer = stage.explorer();
    let measure = explorer.measure();
    let shown = measure.inclusive(explorer.view(), NodeId::ROOT);
    near(&found["total"], shown as f64 / 1e6);
    let strip = explorer.computed_strip().unwrap();
    assert_eq!(strip.all.values(true).sum::<u64>(), shown);
}

#[test]
fn lanes_are_of_threads_and_lead_to_their_stacks() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.play(
        "
        T                shows: 3 .NET pool threads  shows: Thread (11036) main
        l                shows: │ Thread (11054) .NET pool
        // the thread alone
        j enter          shows: 1 of 10 threads  shows: Timeline
        esc esc          shows:  10 threads
        // a moment: its stack, and there
        T j shift-right  shows: threads busy",
    );
    let selected = stage.explorer().selection().node;
    stage.press("enter");
    let explorer = stage.explorer();
    assert_eq!(explorer.tree().shown.selected, selected);
    let (view, metric) = (explorer.view(), explorer.lens().metric);
    assert!(view.is_leaf(selected) || view.tree.exclusive(metric, selected) > 0);
    // and back to the lane and the moment
    stage.play("esc  shows: Timeline  shows: threads busy");
    stage.play("esc esc  lacks: Timeline");
}

/// Frames of a pool are folded in the tree; the list of methods has them, and when they ran.
#[test]
fn methods_that_are_folded_have_their_times() {
    let mut stage = Stage::new(sample(), 80, 24);
    stage.press("3");
    let screen = stage.screen();
    has(&screen, "Thread.StartCallback");
    let strip = screen.lines().find(|line| line.starts_with(" selected"));
    has(strip.unwrap(), "▃");
}

#[test]
fn a_range_is_typed() {
    let mut stage = stage();
    stage.play(": '10ms 20ms'  shows: ⏎ shows this time range\nenter  range: 10 20");
    stage.play(": '25%..50%'  shows: ⏎ shows this time range\nenter  range: 15 30");
    stage.play(": '1s..2s' enter  shows: past the end  range: 15 30");
}

/// What came last is undone first: a focus, then the range before it.
#[test]
fn esc_undoes_what_came_after_a_range_first() {
    let mut stage = stage();
    stage.play(
        "
        +            range: 15 45
        j l j f      on: Shop.B
        esc          range: 15 45
        esc          range: none
        // all of it at once forgets what was before
        + V g enter  range: none
        esc          range: none
        // on the page of lanes, the range goes before the page
        T + esc      range: none  shows: Timeline",
    );
}

#[test]
fn what_a_click_says_stays_when_the_button_is_let_go() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.press("z");
    stage.act(Action::Unbound("ß".into()));
    let said = stage.notice().to_string();
    assert!(!said.is_empty());
    stage.act(Action::Release(3, 3));
    assert_eq!(stage.notice(), said);
}

/// Lanes and keys of time work while the strip is hidden, and after the metric has changed.
#[test]
fn a_hidden_strip_comes_back_when_it_is_needed() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.play("| m T  shows: ▂");
    stage.play("esc shift-right  shows: threads busy");
    has(stage.screen(), " selected ");
}

#[test]
fn grouped_methods_have_no_times_of_their_own() {
    let mut stage = Stage::new(sample(), 200, 60);
    stage.play("L  shows:  when\nB B B B esc B B B B");
}

#[test]
fn what_has_no_times_has_no_strip() {
    let mut stage = super::stage();
    lacks(stage.screen(), " selected ");
    for key in ["shift-right", "[", "+", "|", "T"] {
        stage.press(key);
        has(stage.notice(), "no timeline: it has only sums");
    }
}

/// `f` on the page of lanes: which threads ran the selected subtree, and when. A runs from 0 to 20 ms in one and from 30 to 60 in two.
#[test]
fn lanes_of_one_subtree() {
    let head = r#""type":"sampled","unit":"milliseconds","startValue":0,"endValue":60"#;
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{{"frames":[{{"name":"Shop.A"}},{{"name":"Shop.B"}}]}},
        "profiles":[{{{head},"name":"one","samples":[[0],[1]],"weights":[20,40]}},
        {{{head},"name":"two","samples":[[1],[0]],"weights":[30,30]}}]}}"#
    );
    let mut stage = Stage::new(read_text(&text), 80, 24);
    let lanes = |stage: &Stage| -> Vec<String> {
        let screen = stage.screen();
        // what cells mean is below them
        let rows = screen.lines().skip(5);
        rows.take_while(|row| !row.contains("neither"))
            .map(|row| row.trim_end().to_string())
            .collect()
    };
    stage.play("T f  notes: select a method in a list below");
    stage.play("esc t m enter j l j j  on: Shop.A");
    stage.play("T f  shows: Timeline of Shop.A");
    // 45 cells for 60 ms: 22.5 and 15 of them
    let lanes = lanes(&stage);
    assert_eq!(lanes.len(), 2);
    for (row, (name, ms, cells)) in lanes.iter().zip([("two", "30.0", 22), ("one", "20.0", 15)]) {
        has_all(row, &[name, ms]);
        let (_, after) = row.split_once(name).unwrap();
        assert_eq!(after.matches(['█', '▒']).count(), cells, "{row}");
    }
    // the stack at a moment is one of the subtree
    stage.play("down shift-right shift-left esc  shows: Timeline of Shop.A");
    // a lane chooses its own thread alone, and the subtree stays
    stage.play("enter  shows: Timeline of Shop.A");
    assert_eq!(stage.explorer().view().threads.len(), 1);
    stage.play("esc  lacks: Timeline of");
    stage.play("f f  lacks: Timeline of");
}

/// Below the lanes stands what the selected one ran; esc goes back from a method to the lanes.
#[test]
fn lists_below_lanes_are_of_the_selected_one() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.press("T");
    let first = |stage: &Stage| {
        let screen = stage.screen();
        let mut rows = screen.lines().skip_while(|row| !row.contains("▾excl"));
        rows.nth(1).unwrap().to_string()
    };
    // of all pool threads: `expected/views/orderedconsume.json` has 1,617.2 for Discount, all of it there
    has(first(&stage), "1,617.2");
    // Thread (11050) is AckLoop's, which mostly waits
    stage.press("down 2");
    has(first(&stage), "SemaphoreSlim.WaitCore");
    stage.play("shows: in Thread (11050)");
    stage.play("enter  shows: ▾incl ms");
    stage.play("esc  shows:  threads busy  · waits");
}

/// What is open at first, the hot path, is open in a range, and again when that is left.
#[test]
fn a_range_opens_its_hot_path() {
    let mut stage = Stage::first(sample(), 80, 24);
    let rows = |stage: &Stage| {
        let screen = stage.screen();
        let rows = screen.lines().skip(5).take(14);
        rows.map(str::to_string).collect::<Vec<_>>()
    };
    let before = rows(&stage);
    assert!(before.iter().any(|row| row.contains("PriceRules.Discount")));
    stage.play(": 1 space 2 enter  shows: 1.000 s to 2.000 s");
    assert!(rows(&stage).iter().any(|row| row.contains("HandleAsync")));
    // and in a range within that
    stage.play(": 1 . 2 space 1 . 7 enter  shows: 1.200 s to 1.700 s");
    assert!(rows(&stage).iter().any(|row| row.contains("HandleAsync")));
    stage.press("esc esc");
    assert_eq!(rows(&stage), before);
}

/// The lane that is selected stays so where others come before it.
#[test]
fn a_lane_stays_selected_in_another_metric() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.play("T down  shows: ▶ 1,116.8 Thread (11050)");
    stage.play("m");
    let screen = stage.screen();
    let row = screen.lines().find(|row| row.starts_with('▶')).unwrap();
    has(row, "Thread (11050)");
    // the peak that is named is that of the lane
    stage.play("m m ^  notes: the peak of Thread (11050)");
}

/// What is cancelled leaves all ranges to go back to.
#[test]
fn a_cancelled_range_forgets_no_other() {
    let mut stage = stage();
    stage.play(": '10ms 50ms' enter : '20ms 40ms' enter");
    let cancelled = |stage: &mut Stage, keys: [&str; 2]| {
        let mut work = Vec::new();
        for key in keys.iter().flat_map(|keys| keys.split_whitespace()) {
            work.extend(stage.press_without_work(key));
        }
        assert!(stage.explorer().is_awaiting_steps());
        stage.press("esc");
        has(stage.notice(), "cancelled");
        stage.play("range: 20 40");
    };
    // the way back, a range within, two of them at once
    cancelled(&mut stage, ["esc", ""]);
    cancelled(&mut stage, ["+", ""]);
    cancelled(&mut stage, ["+", "+"]);
    stage.play("esc  range: 10 50");
    stage.play("esc  range: none");
}

/// What is open below collapsed frames, which are others in a range, is so again after it; what was opened in the range, too.
#[test]
fn rows_are_open_again_after_a_range() {
    let mut stage = Stage::first(sample(), 80, 24);
    // all below the frames of the pool, but for one row
    stage.play("g j j E j j j j j h  on: PriceRules.Evaluate");
    let before = rows_of(&stage);
    stage.press(": 1 space 2 enter");
    stage.press(": 1 . 2 space 1 . 7 enter");
    stage.press("esc esc");
    assert_eq!(rows_of(&stage), before);
    // all of it at once, from a range within a range
    stage.play(": 1 space 2 enter : 1 . 2 space 1 . 7 enter double@30,2  range: none");
    assert_eq!(rows_of(&stage), before);
    stage.press(": 1 space 2 enter G l");
    let opened = stage.selected().to_string();
    let is_open = |stage: &Stage| {
        let explorer = stage.explorer();
        let (view, tree) = (explorer.view(), &explorer.tree().shown);
        let mut rows = tree.screen(view, 1_000).0.into_iter();
        rows.any(|row| {
            view.display_name(row.node) == opened && tree.outline.is_open(view, row.node)
        })
    };
    assert!(is_open(&stage));
    stage.press("esc");
    assert!(is_open(&stage));
    let after = rows_of(&stage);
    assert!(before.iter().all(|row| after.contains(row)));
}

/// The peak that is named is that of the line that is drawn.
#[test]
fn the_peak_of_a_method_in_a_collapsed_row_has_its_name() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.play("3 ^  says: the peak of Thread.StartCallback");
    stage.play("1 ^  says: the peak of All threads");
}

/// Three waits for a lock begin at 3,099 ms and end at 3,236 ms: `expected/markers.json`.
#[test]
fn what_lasts_into_a_range_has_a_lane() {
    let path = present!(shared(
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip"
    ));
    let mut stage = Stage::new(read_file(&path), 120, 40);
    stage.play(": '3.15s 3.2s' enter T  shows: 3× lock contention");
}

/// Only one process of the trace is one of .NET.
#[test]
fn the_strip_has_a_row_of_events_where_there_are_any() {
    let path = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let mut stage = Stage::new(read_file(&path), 120, 30);
    has(stage.screen(), "   events ");
    stage.play("P a j j j space enter  shows: dwm.exe");
    lacks(stage.screen(), "   events ");
    stage.press("esc");
    has(stage.screen(), "   events ");
}

/// Ranges that are typed: what is wrong with one is said without options, which nobody has typed.
#[test]
fn a_typed_range_that_is_none_says_why() {
    let mut stage = stage();
    stage.play(
        "
        : '50%..25%'  shows: time range  lacks: 0 commands
        enter         says: that range would end before it begins  range: none
        esc : '20 30' enter  says: that range begins past the end of the recording (0.060 s)  range: none
        esc",
    );
    stage.play("-  says: the whole recording is shown; + zooms in");
}
