//! The flame chart: a thread's stacks over time.

use crate::common::json::{each, json, near, number, row as row_of};
use crate::common::profiles::read_text;
use crate::common::run::SAMPLE;
use crate::common::sample;
use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use dotspot::testing::app::Action;
use dotspot::testing::app::AnyPanel;

/// Two threads of 60 ms each. On a screen of 80 columns, a cell is 1 ms.
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

/// The frames in a row with their start and end, in eighths of a cell.
fn row(stage: &Stage, row: usize) -> String {
    let explorer = stage.explorer();
    let AnyPanel::Chart(chart) = &explorer.page().panels[0] else {
        panic!("{}", stage.screen());
    };
    let bars = chart.frames.bars.get(row).into_iter().flatten();
    let name = |node| explorer.view().display_name(node);
    let bars = bars.map(|bar| format!("{} {}-{}", name(bar.node), bar.from, bar.to));
    bars.collect::<Vec<_>>().join(" ")
}

/// The cells of a screen row of the chart, without labels.
fn line(stage: &Stage, row: usize) -> String {
    let screen = stage.screen();
    let line = screen.lines().nth(4 + row).unwrap_or("");
    let cells: String = line.chars().skip(10).take(60).collect();
    cells.trim_end().to_string()
}

#[test]
fn pressing_f_twice_shows_a_thread_over_time() {
    let mut stage = stage();
    stage.play("F  page: flame");
    // both threads have 60 ms
    stage.play("down F  page: chart");
    assert_eq!(row(&stage, 0), "one 0-480");
    assert_eq!(row(&stage, 1), "Shop.Main 0-400 Shop.Main 440-480");
    assert_eq!(row(&stage, 2), "Shop.A 0-120 Shop.B 120-400 Shop.A 440-480");
    assert_eq!(row(&stage, 3), "Shop.C 120-280");
    assert_eq!(line(&stage, 0), "▶one");
    assert_eq!(line(&stage, 1), format!("Shop.Main{}Main", " ".repeat(46)));
    stage.play("F  notes: already shown");
    stage.play("esc  page: flame  cursor: none");
}

#[test]
fn keys_move_along_rows_and_stacks() {
    let mut stage = stage();
    stage.play(
        "
        F down F  at: one
        down      at: Shop.Main  cursor: 0
        down      at: Shop.A  cursor: 0
        right     at: Shop.B  cursor: 15
        down      at: Shop.C  cursor: 15
        up        at: Shop.B  cursor: 15
        l         at: Shop.A  cursor: 55
        // the end of the frame to the left
        h         at: Shop.B  cursor: 49
        // C was called during B
        down      at: Shop.C  cursor: 15
        g         at: one  cursor: 15
        G         at: Shop.C  cursor: 15
        H         at: Shop.B  cursor: 15
        K         at: Shop.A  cursor: 14",
    );
    stage.play("down  notes: leaf");
    // the strip's cursor follows the selection
    stage.play("shift-right  cursor: 15  at: Shop.B");
    stage.play("tab  cursor: 15  shows: two  at: Shop.C");
    stage.play("tab  at: Shop.B");
}

#[test]
fn enter_zooms_to_the_time_of_a_frame() {
    let mut stage = stage();
    stage.play("F down F down down right enter  range: 15 50  page: chart  at: Shop.B");
    // C has 20 of the 35 ms: 20 * 480 / 35
    assert_eq!(row(&stage, 2), "Shop.B 0-480");
    assert_eq!(row(&stage, 3), "Shop.C 0-274");
    stage.play("esc  range: none  page: chart  at: Shop.B");
    // steps apply to the selected frame
    stage.play("d  page: chart");
    assert_eq!(row(&stage, 2), "Shop.A 0-120 Shop.A 440-480");
}

/// A thread with 60 cells of 1 ms. Up to 50 ms, each cell has two to four stacks. The later stacks are wider, and one
/// ends within a cell.
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

#[test]
fn the_heaviest_frame_of_a_cell_represents_narrow_stacks() {
    let mut stage = narrow_stage();
    stage.press("F down F");
    assert_eq!(row(&stage, 1), "Shop.Main 0-480");
    // B has 750 of 1000 µs, then 600. C has 400 of the 750 µs in B, then 200 of 600. The last A is from 50.25 to 55.125 ms.
    let callees = "Shop.A 0-160 Shop.B 160-400 Shop.A 400-441 Shop.B 441-480";
    assert_eq!(row(&stage, 2), callees);
    assert_eq!(row(&stage, 3), "Shop.C 160-320");
    stage.play("shows: each cell: what took most");
    assert_contains(line(&stage, 2), "Shop.A");
    stage.play(
        "
        down      at: Shop.Main
        down      at: Shop.A
        right     at: Shop.B
        down      at: Shop.C",
    );
    // B ran in the middle of the cell, at 10.625 ms; A ran at 10 ms
    stage.play("click@20,6  at: Shop.A  cursor: 10");
    stage.play("right  at: Shop.B");
}

/// Cells are low where the thread ran for less than half of their time.
#[test]
fn mostly_idle_cells_are_low() {
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
    assert_contains(stage.screen(), "▁ mostly idle");
}

#[test]
fn enter_zooms_to_the_time_of_a_representative_frame() {
    let range = |click: (u16, u16)| {
        let mut stage = narrow_stage();
        stage.press("F down F");
        stage.act(Action::DoubleClick(10 + click.0, 4 + click.1));
        let range = stage.explorer().scope().range.unwrap();
        (range.from_ns / 1000, range.to_ns / 1000, stage)
    };
    // from its first to its last time there
    let (from, to, mut stage) = range((30, 2));
    assert_eq!((from, to), (20_000, 49_600));
    stage.play("at: Shop.B  cursor: 30  shows: each cell: what took most");
    let (from, to, _) = range((30, 3));
    assert_eq!((from, to), (20_000, 39_400));
    let (from, to, mut stage) = range((53, 2));
    assert_eq!((from, to), (50_250, 55_125));
    stage.play("at: Shop.A  lacks: each cell: what took most");
}

#[test]
fn a_frame_that_dominates_no_cell_is_replaced_by_its_caller() {
    let mut stage = narrow_stage();
    // A has 2 ms below B
    stage.play("F down down down down right  at: Shop.A");
    stage.play("F  page: chart  at: Shop.B");
}

#[test]
fn a_search_shows_the_duration_of_its_matches() {
    let mut stage = stage();
    stage.press("F down F / ' S h o p . B enter");
    stage.play("page: chart");
    // of the thread's 60 ms, 5 of which have no frame
    stage.play("shows: 35.0 ms (58.3 % of 60.0 ms)");
    stage.play("esc  lacks: 58.3  page: chart");
}

#[test]
fn the_mouse_selects_and_zooms() {
    let mut stage = stage();
    stage.press("F down F");
    stage.play("click@40,6  at: Shop.B  cursor: 30");
    stage.play("double@30,7  range: 15 35");
}

/// Each thread's chart is as long as the thread has values.
#[test]
fn the_chart_is_as_long_as_its_thread() {
    let mut stage = Stage::new(sample(), 120, 40);
    stage.press("F down F");
    let threads = json(&format!("timeline {SAMPLE} --top 0"));
    let first = &threads["lanes"][0];
    let AnyPanel::Chart(chart) = &stage.explorer().page().panels[0] else {
        panic!("{}", stage.screen());
    };
    // spinning counts as running
    let all = number(&first["running_total"]) + number(&first["waiting_total"]);
    near(&all.into(), chart.total_ns() as f64 / 1e6);
}

#[test]
fn a_deep_stack_scrolls() {
    const DEEP: usize = 20_000;
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
    stage.play("F down F  at: one");
    // not called by the first
    stage.play(
        "
        down      at: f0
        down      at: f1
        G         at: f19999
        up        at: f19998
        ctrl-u    at: f19990
        g         at: one",
    );
}
