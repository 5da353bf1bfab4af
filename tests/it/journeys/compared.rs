//! Comparing two profiles. All numbers are differences between those in the two texts.

use crate::common::compared;
use crate::common::stage::Stage;
use dotspot::testing::model::profile_of;

const BEFORE: &str = "T;Main;Load 50|T;Main;Run;Price 200|T;Main;Run;Tax 100|T;Main;Old 30";
const AFTER: &str = "T;Main;Load 20|T;Main;Run;Price 700|T;Main;Run;Tax 100|T;Main;New;Audit 40";

fn stage(width: u16) -> Stage {
    Stage::new(compared(&profile_of(BEFORE), &profile_of(AFTER)), width, 30)
}

#[test]
fn rows_are_sorted_by_slowdown() {
    let mut stage = stage(100);
    // Run +500, New +40, Load -30, Old -30; ties are broken by the value after the change
    stage.play(
        "
        E  rows: All threads|>Main|>>Run|>>>Price|>>>Tax|>>New|>>>Audit|>>Load|>>Old
           line Price: 200.0 700.0 +500.0 ×3.50 Price  line Tax: 100.0 100.0 0.0 ×1.00 Tax
           line Audit: 0.0 40.0 +40.0 new Audit  line Old: 30.0 0.0 -30.0 gone Old
           shows: 380.0 → 860.0 ms, ×2.26
        // speedups first
        S  rows 1: >Main|>>Old  says: ordered by difference, reversed
        s  rows 2: >>Run  says: ordered by value after
        s  rows 2: >>Run  says: ordered by value before
        s  rows 2: >>Load  says: ordered by name
        s  rows 2: >>Run  says: ordered by difference",
    );
    stage.play("m  says: a comparison has one metric; --metric chooses another");
}

#[test]
fn hotspots_are_the_changed_methods() {
    let mut stage = stage(100);
    let names = |stage: &Stage, pane| {
        let explorer = stage.explorer();
        let rows = stage.hotspots(pane).rows().iter();
        let names = rows.map(|row| explorer.view().frames.display_name(row.frame));
        names.collect::<Vec<_>>().join(" ")
    };
    stage.press("2");
    // Tax has not changed; Price and Run +500 each, Main +480, Audit and New +40 each, Load and Old -30 each
    assert_eq!(names(&stage, 1), "Price Audit Load Old");
    assert_eq!(names(&stage, 2), "Price Run Main Audit New Load Old");
    stage.press("S");
    assert_eq!(names(&stage, 1), "Old Load Audit Price");
    // gone methods are found in their old place
    stage.play("enter  on: Old");
}

#[test]
fn callers_show_both_sides() {
    let mut stage = stage(100);
    stage.play("2 b  line Run: 200.0 700.0 +500.0 ×3.50 Run");
    stage.play("esc i  line Load: 50.0 20.0 -30.0 ×0.40 Load");
}

#[test]
fn the_path_of_the_largest_difference_is_opened() {
    let mut stage = stage(100);
    stage.play("enter  on: Price  says: hot path: 3 levels down to a leaf");
}

/// Comparisons have no threads, times and waits. Their keys explain this, and the list of views omits them.
#[test]
fn views_unavailable_in_comparisons_are_not_listed() {
    let mut stage = stage(100);
    let sentence = "a comparison has no threads; open one of its files";
    stage.play(&format!("t  says: {sentence}\nP  says: {sentence}"));
    stage.play("v  lacks: Threads    lacks: Timeline    lacks: Waits");
    // only listed views are rows
    stage.play("j j j j j  shows: ▶F   Flame graph");
}

#[test]
fn user_code_above_a_method_has_both_sides() {
    let mut stage = stage(120);
    // Old is gone, and Audit new
    stage.play("2 / 'Old' enter b 4  shows: 0.0       -30.0 Main");
    stage.play("shows: a comparison has no threads");
    stage.play("esc esc 1 / 'Audit' enter b  shows: 40.0       +40.0 New");
}
