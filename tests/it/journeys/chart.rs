//! The flame chart: a thread's stacks in the order of time.

use crate::common::json::{each, json, near, number, row as row_of};
use crate::common::profiles::read_text;
use crate::common::run::SAMPLE;
use crate::common::sample;
use crate::common::stage::Stage;
use crate::common::text::{has, lacks};
use dotspot::testing::app::Action;
use dotspot::testing::app::panels::AnyPanel;
use dotspot::testing::model::TimeRange;

const MS: u64 = 1_000_000;

/// Two threads of 60 ms each, so that on a screen of 80 columns a cell is 1 ms.
fn stage() -> Stage {
    let one = r#""samples":[[0,1],[0,2,3],[0,2],[],[0,1]],"weights":[15,20,15,5,5]"#;
    let other = r#""samples":[[0,3]],"weights":[60]"#;
    let head = r#""type":"sampled","unit":"milliseconds","startValue":0,"endValue":60"#;
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{{"frames":[{{"name":"Shop.Main"}},{{"name":"Shop.A"}},{{"name":"Shop.B"}},{{"name":"Shop.C"}}]}},
        "profiles":[{{{head},"name":"one",{one}}},{{{head},"name":"two",{other}}}]}}"#
    );
    Stage::new(read_text(&text), 80, 24)
}

/// The frames of a row with the cells that they have, in eighths of a cell.
fn row(stage: &Stage, row: usize) -> Vec<(String, usize, usize)> {
    let explorer = stage.explorer();
    let AnyPanel::Chart(chart) = &explorer.page().panels[0] else {
        panic!("{}", stage.screen());
    };
    let bars = chart.rows.get(row).into_iter().flatten();
    let name = |node| explorer.view().display_name(node).to_string();
    bars.map(|bar| (name(bar.node), bar.from, bar.to)).collect()
}

/// The cells of the first screen row of the chart and of those below that stand for time.
fn line(stage: &Stage, row: usize) -> String {
    let screen = stage.screen();
    let line = screen.lines().nth(4 + row).unwrap_or("");
    let cells: String = line.chars().skip(10).take(60).collect();
    cells.trim_end().to_string()
}

#[track_caller]
fn is_at(stage: &Stage, name: &str) {
    let explorer = stage.explorer();
    let at = explorer.view().display_name(explorer.selection().node);
    assert_eq!(at, name, "{}", stage.screen());
}

/// The instant of the cursor in the strip, in whole milliseconds.
fn at_ms(stage: &Stage) -> Option<u64> {
    stage.explorer().time.cursor_ns.map(|at| at / MS)
}

#[test]
fn f_again_shows_a_thread_in_the_order_of_time() {
    let mut stage = stage();
    stage.press("F");
    assert!(stage.explorer().has_flame());
    // both threads have 60 ms
    stage.press("down F");
    assert!(stage.explorer().has_chart(), "{}", stage.screen());
    let bar = |name: &str, from: usize, to: usize| (name.to_string(), from * 8, to * 8);
    assert_eq!(row(&stage, 0), [bar("one", 0, 60)]);
    let main = [bar("Shop.Main", 0, 50), bar("Shop.Main", 55, 60)];
    assert_eq!(row(&stage, 1), main);
    let callees = [
        bar("Shop.A", 0, 15),
        bar("Shop.B", 15, 50),
        bar("Shop.A", 55, 60),
    ];
    assert_eq!(row(&stage, 2), callees);
    assert_eq!(row(&stage, 3), [bar("Shop.C", 15, 35)]);
    assert_eq!(line(&stage, 0), "▶one");
    assert_eq!(line(&stage, 1), format!("Shop.Main{}Main", " ".repeat(46)));
    stage.press("F");
    has(stage.notice(), "already shown");
    stage.press("esc");
    assert!(stage.explorer().has_flame());
    assert_eq!(at_ms(&stage), None);
}

#[test]
fn keys_go_along_rows_and_stacks() {
    let mut stage = stage();
    stage.press("F down F");
    is_at(&stage, "one");
    for (keys, name, ms) in [
        ("down", "Shop.Main", 0),
        ("down", "Shop.A", 0),
        ("right", "Shop.B", 15),
        ("down", "Shop.C", 15),
        ("up", "Shop.B", 15),
        ("l", "Shop.A", 55),
        // the end of what is on the left
        ("h", "Shop.B", 49),
        // C was called while B lasted
        ("down", "Shop.C", 15),
        ("g", "one", 15),
        ("G", "Shop.C", 15),
        ("H", "Shop.B", 15),
        ("K", "Shop.A", 14),
    ] {
        stage.press(keys);
        is_at(&stage, name);
        assert_eq!(at_ms(&stage), Some(ms), "{keys}: {}", stage.screen());
    }
    stage.press("down");
    has(stage.notice(), "leaf");
    // the cursor of the strip is the selection's
    stage.press("shift-right");
    assert_eq!(at_ms(&stage), Some(15));
    is_at(&stage, "Shop.B");
    stage.press("tab");
    assert_eq!(at_ms(&stage), Some(15));
    has(stage.screen(), "two");
    is_at(&stage, "Shop.C");
    stage.press("tab");
    is_at(&stage, "Shop.B");
}

#[test]
fn enter_shows_the_time_of_a_frame_alone() {
    let mut stage = stage();
    stage.press("F down F down down right enter");
    let range = |stage: &Stage| {
        let range = stage.explorer().scope().range;
        range.map(|TimeRange { from_ns, to_ns }| (from_ns / MS, to_ns / MS))
    };
    assert_eq!(range(&stage), Some((15, 50)));
    assert!(stage.explorer().has_chart());
    is_at(&stage, "Shop.B");
    // C has 20 of the 35 ms
    assert_eq!(row(&stage, 2), [("Shop.B".into(), 0, 480)]);
    // 20 * 480 / 35
    assert_eq!(row(&stage, 3), [("Shop.C".into(), 0, 274)]);
    stage.press("esc");
    assert_eq!(range(&stage), None);
    assert!(stage.explorer().has_chart());
    is_at(&stage, "Shop.B");
    // steps work on the selected frame
    stage.press("d");
    assert_eq!(row(&stage, 2).len(), 2, "{}", stage.screen());
    assert!(stage.explorer().has_chart());
}

/// One thread of 60 cells of 1 ms. Up to 50 ms each cell has two to four stacks; then stacks are wider, and one ends in a cell.
fn narrow_stage() -> Stage {
    let (main, a, b, b_c, b_a) = ("[0]", "[0,1]", "[0,2]", "[0,2,3]", "[0,2,1]");
    let mut stacks = Vec::new();
    for ms in 0..50 {
        stacks.extend(match ms {
            0..20 => vec![(a, 600), (b, 400)],
            20..40 => vec![(b_c, 400), (b, 350), (a, 250)],
            _ => vec![(b_c, 200), (b_a, 200), (b, 200), (main, 400)],
        });
    }
    stacks.extend([(b, 250), (a, 4875), (b, 4875)]);
    let samples: Vec<&str> = stacks.iter().map(|stack| stack.0).collect();
    let weights: Vec<String> = stacks.iter().map(|stack| stack.1.to_string()).collect();
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{{"frames":[{{"name":"Shop.Main"}},{{"name":"Shop.A"}},{{"name":"Shop.B"}},{{"name":"Shop.C"}}]}},
        "profiles":[{{"type":"sampled","unit":"microseconds","startValue":0,"endValue":60000,"name":"one",
        "samples":[{}],"weights":[{}]}}]}}"#,
        samples.join(","),
        weights.join(",")
    );
    Stage::new(read_text(&text), 80, 24)
}

const SUMMED: &str = "each cell: what took most";

#[test]
fn what_took_most_of_a_cell_stands_for_narrower_stacks() {
    let mut stage = narrow_stage();
    stage.press("F down F");
    let bar = |name: &str, from: usize, to: usize| (name.to_string(), from, to);
    assert_eq!(row(&stage, 1), [bar("Shop.Main", 0, 480)]);
    // B has 750 of 1000 us, then 600; of those of B, C has 400 of 750, then 200 of 600. The last A is from 50.25 to 55.125 ms
    let callees = [
        bar("Shop.A", 0, 160),
        bar("Shop.B", 160, 400),
        bar("Shop.A", 400, 441),
        bar("Shop.B", 441, 480),
    ];
    assert_eq!(row(&stage, 2), callees);
    assert_eq!(row(&stage, 3), [bar("Shop.C", 160, 320)]);
    has(stage.screen(), SUMMED);
    has(line(&stage, 2), "Shop.A");
    for (keys, name) in [
        ("down", "Shop.Main"),
        ("down", "Shop.A"),
        ("right", "Shop.B"),
        ("down", "Shop.C"),
    ] {
        stage.press(keys);
        is_at(&stage, name);
    }
    // in the middle of the cell, at 10.625 ms, B ran; A at 10 ms
    stage.act(Action::Click(10 + 10, 4 + 2));
    is_at(&stage, "Shop.A");
    assert_eq!(stage.explorer().time.cursor_ns, Some(10 * MS));
    stage.press("right");
    is_at(&stage, "Shop.B");
}

/// Cells of the chart are low where the lane of the thread has less than half of their time.
#[test]
fn cells_in_which_little_ran_are_low() {
    let mut stage = Stage::new(sample(), 80, 24);
    stage.press("F down F");
    let found = json(&format!("timeline {SAMPLE} --buckets 60 --top 0"));
    let AnyPanel::Chart(chart) = &stage.explorer().page().panels[0] else {
        panic!("{}", stage.screen());
    };
    let lane = row_of(&found["lanes"], "name", &chart.name);
    let both = each(&lane["running"]).zip(each(&lane["waiting"]));
    let ran: Vec<f64> = both.map(|(a, b)| number(a) + number(b)).collect();
    let half = number(&found["to_ms"]) / 60.0 / 2.0;
    let idle: Vec<usize> = (0..60)
        .filter(|&cell| ran[cell] > 0.0 && ran[cell] < half)
        .collect();
    assert!(idle.len() > 10, "{idle:?}");
    assert_eq!(chart.idle, idle);
    let third: Vec<char> = line(&stage, 3).chars().collect();
    let low = |cell: &usize| third.get(*cell) == Some(&'▁');
    assert!(idle.iter().filter(|cell| low(cell)).count() > 10);
    assert!((0..60).filter(low).all(|cell| idle.contains(&cell)));
    has(stage.screen(), "▁ mostly idle");
}

#[test]
fn enter_shows_the_time_of_a_frame_that_took_most() {
    let range = |click: (u16, u16)| {
        let mut stage = narrow_stage();
        stage.press("F down F");
        stage.act(Action::DoubleClick(10 + click.0, 4 + click.1));
        let range = stage.explorer().scope().range.unwrap();
        (range.from_ns / 1000, range.to_ns / 1000, stage)
    };
    // from the first to the last time that it ran there
    let (from, to, stage) = range((30, 2));
    assert_eq!((from, to), (20_000, 49_600));
    is_at(&stage, "Shop.B");
    assert_eq!(at_ms(&stage), Some(30));
    has(stage.screen(), SUMMED);
    let (from, to, _) = range((30, 3));
    assert_eq!((from, to), (20_000, 39_400));
    let (from, to, stage) = range((53, 2));
    assert_eq!((from, to), (50_250, 55_125));
    is_at(&stage, "Shop.A");
    lacks(stage.screen(), SUMMED);
}

#[test]
fn a_frame_that_takes_most_of_no_cell_gives_way_to_its_caller() {
    let mut stage = narrow_stage();
    // A has 2 ms below B
    stage.press("F down down down down right");
    is_at(&stage, "Shop.A");
    stage.press("F");
    assert!(stage.explorer().has_chart());
    is_at(&stage, "Shop.B");
}

#[test]
fn a_search_lights_up_how_long_it_lasted() {
    let mut stage = stage();
    stage.press("F down F / ' S h o p . B enter");
    assert!(stage.explorer().has_chart());
    // of the 60 ms of the thread, in 5 of which it had no frame
    has(stage.screen(), "35.0 ms (58.3 %)");
    stage.press("esc");
    lacks(stage.screen(), "58.3");
    assert!(stage.explorer().has_chart());
}

#[test]
fn the_mouse_selects_and_zooms() {
    let mut stage = stage();
    stage.press("F down F");
    stage.act(Action::Click(10 + 30, 4 + 2));
    is_at(&stage, "Shop.B");
    assert_eq!(at_ms(&stage), Some(30));
    stage.act(Action::DoubleClick(10 + 20, 4 + 3));
    let range = stage.explorer().scope().range;
    assert_eq!(range.map(|range| range.from_ns / MS), Some(15));
}

/// What is drawn of each thread lasts as long as the thread has values.
#[test]
fn it_lasts_as_long_as_threads_have_values() {
    let mut stage = Stage::new(sample(), 120, 40);
    stage.press("F down F");
    let threads = json(&format!("timeline {SAMPLE} --top 0"));
    let first = &threads["lanes"][0];
    let AnyPanel::Chart(chart) = &stage.explorer().page().panels[0] else {
        panic!("{}", stage.screen());
    };
    // spins run, too
    let all = number(&first["running_total"]) + number(&first["waiting_total"]);
    near(&all.into(), chart.lasts_ns() as f64 / 1e6);
}

#[test]
fn a_deep_stack_scrolls() {
    const DEEP: usize = 50_000;
    let all = |text: fn(usize) -> String| (0..DEEP).map(text).collect::<Vec<_>>().join(",");
    let (frames, deep) = (
        all(|at| format!(r#"{{"name":"f{at}"}}"#)),
        all(|at| at.to_string()),
    );
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{frames}]}},
        "profiles":[{{"type":"sampled","unit":"milliseconds","startValue":0,"endValue":60,"name":"one",
        "samples":[[0],[{deep}],[0,1]],"weights":[20,30,10]}}]}}"#
    );
    let mut stage = Stage::new(read_text(&text), 80, 24);
    stage.press("F down F");
    is_at(&stage, "one");
    // not called from the first
    for (keys, name) in [
        ("down", "f0"),
        ("down", "f1"),
        ("G", "f49999"),
        ("up", "f49998"),
        ("ctrl-u", "f49990"),
        ("g", "one"),
    ] {
        stage.press(keys);
        is_at(&stage, name);
    }
}
