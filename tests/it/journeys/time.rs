//! The time strip, time ranges, and the lanes of threads.

use crate::common::json::{json, near};
use crate::common::profiles::{read_file, read_text};
use crate::common::stage::{Stage, rows_of};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks};
use crate::common::{sample, shared};
use dotspot::testing::app::Action;
use dotspot::testing::model::NodeId;

/// 60 ms on one thread: A for 15, B for 35, A for 10. On a screen of 80 columns, a cell of the strip is 1 ms.
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
fn the_strip_shows_the_times_of_the_selected_method() {
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
    // B is the first in the list
    stage.press("L");
    assert_eq!(strip(&stage)[1], of_b);
    stage.press("esc");
    stage.resize(80, 19);
    assert_lacks(stage.screen(), " selected ");
}

#[test]
fn a_range_chosen_again_keeps_the_current_selection() {
    let mut stage = stage();
    stage.play("j l j  on: Shop.B");
    stage.play("+ k  range: 15 45  on: one");
    stage.play("esc  on: Shop.B");
    stage.play("+  range: 15 45  on: Shop.B");
}

#[test]
fn keys_select_a_range_and_esc_goes_back() {
    let mut stage = stage();
    stage.play("[  notes: a click on the strip sets one");
    // in the middle, then ten cells to the left
    stage.play("shift-right  shows: at 0.030 s, 1.0 ms: 1.0 threads busy");
    stage.press(&"shift-left ".repeat(10));
    stage.play("[  range: 20 0");
    // the range now has 40 ms in 60 cells, with the cursor at its start
    assert_contains(stage.screen(), "0.020 s ");
    stage.play(
        "
        esc      range: 20 0
        esc      range: none
        // the middle half, and half of that; then back step by step
        +        range: 15 45
        -        range: none
        // the complete recording is the last step back
        esc      range: none
        +        range: 15 45
        V        shows: 0.015 s to 0.045 s
        esc =    shows: --from 0.015s --until 0.045s
        esc esc  range: none",
    );
}

#[test]
fn dragging_selects_a_range_and_a_second_drag_widens_it() {
    let mut stage = stage();
    stage.play("click@30,2 drag@44,3 drag@49,9 release@49,9  range: 20 40  shows: of 20.0 ms");
    stage.play("double@30,2  range: none");
    // from right to left; positions beyond the ends are clamped
    stage.play("click@40,2 drag@2,2 release@2,2  range: 0 31");
    // a click alone moves the cursor
    stage.play("click@10,2 release@10,2  range: 0 31");
    assert_contains(stage.screen(), "at 0.000 s, ");
}

/// Ranges selected by keys have the same total as with `--from` and `--until`, which is the sum of the strip.
#[test]
fn a_range_selected_by_keys_matches_the_command() {
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
fn lanes_lead_to_the_stacks_of_their_threads() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.play(
        "
        T                shows: 3 .NET pool threads  shows: Thread (11036) main
        l                shows: │ Thread (11054) .NET pool
        // only this thread
        j enter          shows: 1 of 10 threads  shows: Timeline
        esc esc          shows:  10 threads
        // a moment in time: its stack, and the node in the tree
        T j shift-right  shows: threads busy",
    );
    let selected = stage.explorer().selection().node;
    stage.press("enter");
    let explorer = stage.explorer();
    assert_eq!(explorer.tree().shown.selected, selected);
    let (view, metric) = (explorer.view(), explorer.lens().metric);
    assert!(view.is_leaf(selected) || view.tree.exclusive(metric, selected) > 0);
    // back to the lane and the moment
    stage.play("esc  shows: Timeline  shows: threads busy");
    stage.play("esc esc  lacks: Timeline");
}

/// Pool frames are folded in the tree, but the list of methods shows them and their times.
#[test]
fn folded_methods_have_times() {
    let mut stage = Stage::new(sample(), 80, 24);
    stage.press("3");
    let screen = stage.screen();
    assert_contains(&screen, "Thread.StartCallback");
    let strip = screen.lines().find(|line| line.starts_with(" selected"));
    assert_contains(strip.unwrap(), "▃");
}

#[test]
fn a_range_can_be_typed() {
    let mut stage = stage();
    stage.play(": '10ms 20ms'  shows: ⏎ shows this time range\nenter  range: 10 20");
    stage.play(": '25%..50%'  shows: ⏎ shows this time range\nenter  range: 15 30");
    stage.play(": '1s..2s' enter  shows: past the end  range: 15 30");
}

/// A focus set after the range is undone before it.
#[test]
fn esc_undoes_later_changes_before_the_range() {
    let mut stage = stage();
    stage.play(
        "
        +            range: 15 45
        j l j f      on: Shop.B
        esc          range: 15 45
        esc          range: none
        // showing the complete recording clears the history
        + V g enter  range: none
        esc          range: none
        // collapsing and grouping are not undone by esc
        + u B esc    range: none
        // a range chosen again is one step back
        + + - esc =  shows: --from 0.0225s --until 0.0375s
        esc esc      range: 15 45
        esc          range: none
        // on the page of lanes, esc resets the range before closing the page
        T + esc      range: none  shows: Timeline",
    );
}

#[test]
fn releasing_the_button_keeps_the_notice() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.press("z");
    stage.act(Action::Unbound("ß".into()));
    let notice = stage.notice().to_string();
    assert!(!notice.is_empty());
    stage.act(Action::Release(3, 3));
    assert_eq!(stage.notice(), notice);
}

/// Lanes and time keys work while the strip is hidden, and after a change of the metric.
#[test]
fn a_hidden_strip_is_shown_when_needed() {
    let mut stage = Stage::new(sample(), 120, 30);
    stage.play("| m T  shows: ▂");
    stage.play("esc shift-right  shows: threads busy");
    assert_contains(stage.screen(), " selected ");
}

#[test]
fn grouped_methods_have_no_times() {
    let mut stage = Stage::new(sample(), 200, 60);
    stage.play("L  shows:  when\nB B B B esc B B B B");
}

#[test]
fn a_profile_without_times_has_no_strip() {
    let mut stage = super::stage();
    assert_lacks(stage.screen(), " selected ");
    for key in ["shift-right", "[", "+", "|", "T"] {
        stage.press(key);
        assert_contains(stage.notice(), "no timeline: the profile has only sums");
    }
}

/// On the page of lanes, `f` shows when each thread ran the selected subtree. A runs from 0 to 20 ms in one and from 30
/// to 60 ms in two.
#[test]
fn lanes_can_show_a_single_subtree() {
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
        // the legend is below the lanes
        let rows = screen.lines().skip(5);
        rows.take_while(|row| !row.contains("neither"))
            .map(|row| row.trim_end().to_string())
            .collect()
    };
    stage.play("T f  notes: select a method in a list below");
    stage.play("esc t m enter j l j j  on: Shop.A");
    stage.play("T f  shows: Timeline of Shop.A");
    // 60 ms are 45 cells, so 22.5 and 15 cells
    let lanes = lanes(&stage);
    assert_eq!(lanes.len(), 2);
    for (row, (name, ms, cells)) in lanes.iter().zip([("two", "30.0", 22), ("one", "20.0", 15)]) {
        assert_contains_all(row, &[name, ms]);
        let (_, after) = row.split_once(name).unwrap();
        assert_eq!(after.matches(['█', '▒']).count(), cells, "{row}");
    }
    // the stack at the cursor belongs to the subtree
    stage.play("down shift-right shift-left esc  shows: Timeline of Shop.A");
    // enter on a lane selects its thread and keeps the subtree
    stage.play("enter  shows: Timeline of Shop.A");
    assert_eq!(stage.explorer().view().threads.len(), 1);
    stage.play("esc  lacks: Timeline of");
    stage.play("f f  lacks: Timeline of");
}

/// The list below the lanes shows the methods of the selected lane. Esc returns from a method to the lanes.
#[test]
fn the_list_below_the_lanes_follows_the_selected_lane() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.press("T");
    let first = |stage: &Stage| {
        let screen = stage.screen();
        let mut rows = screen.lines().skip_while(|row| !row.contains("▾excl"));
        rows.nth(1).unwrap().to_string()
    };
    // of all pool threads: all 1,617.2 ms of Discount in `expected/views/orderedconsume.json`
    assert_contains(first(&stage), "1,617.2");
    // Thread (11050) runs AckLoop, which mostly waits
    stage.press("down 2");
    assert_contains(first(&stage), "SemaphoreSlim.WaitCore");
    stage.play("shows: in Thread (11050)");
    stage.play("enter  shows: ▾incl ms");
    stage.play("esc  shows:  threads busy  · waits");
}

/// The hot path, open at first, is also open in a range and after leaving it.
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
    // also in a range within the range
    stage.play(": 1 . 2 space 1 . 7 enter  shows: 1.200 s to 1.700 s");
    assert!(rows(&stage).iter().any(|row| row.contains("HandleAsync")));
    stage.press("esc esc");
    assert_eq!(rows(&stage), before);
}

/// The selected lane stays selected when its position changes.
#[test]
fn a_lane_stays_selected_in_another_metric() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.play("T down  shows: ▶ 1,116.8 Thread (11050)");
    stage.play("m");
    let screen = stage.screen();
    let row = screen.lines().find(|row| row.starts_with('▶')).unwrap();
    assert_contains(row, "Thread (11050)");
    // the peak belongs to the lane
    stage.play("m m ^  notes: the peak of Thread (11050)");
}

/// Cancelling a range preserves the history of ranges.
#[test]
fn a_cancelled_range_preserves_the_history() {
    let mut stage = stage();
    stage.play(": '10ms 50ms' enter : '20ms 40ms' enter");
    let cancelled = |stage: &mut Stage, keys: [&str; 2]| {
        let mut work = Vec::new();
        for key in keys.iter().flat_map(|keys| keys.split_whitespace()) {
            work.extend(stage.press_without_work(key));
        }
        assert!(stage.explorer().awaited_steps().is_some());
        stage.press("esc");
        assert_contains(stage.notice(), "cancelled");
        stage.play("range: 20 40");
    };
    // going back, a range within, two ranges at once
    cancelled(&mut stage, ["esc", ""]);
    cancelled(&mut stage, ["+", ""]);
    cancelled(&mut stage, ["+", "+"]);
    stage.play("esc  range: 10 50");
    stage.play("esc  range: none");
}

/// Rows below collapsed frames, which are others within a range, are open again after it, including those opened within it.
#[test]
fn rows_are_open_again_after_a_range() {
    let mut stage = Stage::first(sample(), 80, 24);
    // all rows below the pool's frames, except for one
    stage.play("g j j E j j j j j h  on: PriceRules.Evaluate");
    let before = rows_of(&stage);
    stage.press(": 1 space 2 enter");
    stage.press(": 1 . 2 space 1 . 7 enter");
    stage.press("esc esc");
    assert_eq!(rows_of(&stage), before);
    // the complete recording, directly from a range within a range
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
}

/// The named peak belongs to the drawn line.
#[test]
fn the_peak_of_a_method_in_a_collapsed_row_is_named() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.play("3 ^  says: the peak of Thread.StartCallback");
    stage.play("1 ^  says: the peak of All threads");
}

/// Three lock waits from 3,099 ms to 3,236 ms, according to `expected/markers.json`.
#[test]
fn waits_that_extend_into_a_range_have_a_lane() {
    let path = present!(shared(
        "nettrace/eventpipe-dotnetcore3.0-win-x64-objver4.nettrace.zip"
    ));
    let mut stage = Stage::new(read_file(&path), 120, 40);
    stage.play(": '3.15s 3.2s' enter T  shows: 3× lock contention");
}

/// Only one process in the trace is a .NET process.
#[test]
fn the_strip_has_a_row_for_events_if_there_are_any() {
    let path = present!(shared("etl/net.4.5.2.x64.etl.zip"));
    let mut stage = Stage::new(read_file(&path), 120, 30);
    assert_contains(stage.screen(), "   events ");
    stage.play("P a j j j space enter  shows: dwm.exe");
    assert_lacks(stage.screen(), "   events ");
    stage.press("esc");
    assert_contains(stage.screen(), "   events ");
}

/// Errors in typed ranges don't mention command-line options.
#[test]
fn an_invalid_typed_range_is_explained() {
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
