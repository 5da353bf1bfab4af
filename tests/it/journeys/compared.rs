//! A profile against another one. All numbers are differences of those in the two texts.

use super::rows;
use crate::common::compared;
use crate::common::stage::Stage;
use dotspot::testing::model::testing::profile_of;

const BEFORE: &str = "T;Main;Load 50|T;Main;Run;Price 200|T;Main;Run;Tax 100|T;Main;Old 30";
const AFTER: &str = "T;Main;Load 20|T;Main;Run;Price 700|T;Main;Run;Tax 100|T;Main;New;Audit 40";

fn stage(width: u16) -> Stage {
    Stage::new(compared(&profile_of(BEFORE), &profile_of(AFTER)), width, 30)
}

/// The cells of a line of the screen that has this name, but for bars and borders.
#[track_caller]
fn line(stage: &Stage, name: &str) -> Vec<String> {
    let screen = stage.screen();
    let line = screen
        .lines()
        .find(|line| line.split_whitespace().any(|word| word == name))
        .expect("it is shown");
    let is_text = |word: &&str| word.chars().any(char::is_alphanumeric);
    line.split_whitespace()
        .filter(is_text)
        .map(String::from)
        .collect()
}

#[test]
fn rows_stand_by_what_has_become_slower() {
    let mut stage = stage(100);
    stage.press("E");
    // Run +500, New +40, Load -30, Old -30; of equals the heavier one after the change
    let expect = [
        "All threads",
        ">Main",
        ">>Run",
        ">>>Price",
        ">>>Tax",
        ">>New",
        ">>>Audit",
        ">>Load",
        ">>Old",
    ];
    assert_eq!(rows(&stage), expect);
    assert_eq!(
        line(&stage, "Price"),
        ["200.0", "700.0", "+500.0", "×3.50", "Price"]
    );
    assert_eq!(
        line(&stage, "Tax"),
        ["100.0", "100.0", "0.0", "×1.00", "Tax"]
    );
    assert_eq!(
        line(&stage, "Audit"),
        ["0.0", "40.0", "+40.0", "new", "Audit"]
    );
    assert_eq!(line(&stage, "Old"), ["30.0", "0.0", "-30.0", "gone", "Old"]);
    stage.play("shows: 380.0 → 860.0 ms, ×2.26");
    // what has become faster first
    stage.play("S  rows 1: >Main|>>Old  says: ordered by difference, reversed");
    for (key, expect, first) in [
        ("s", "value after", ">>Run"),
        ("s", "value before", ">>Run"),
        ("s", "name", ">>Load"),
        ("s", "difference", ">>Run"),
    ] {
        stage.press(key);
        assert_eq!(
            (stage.notice(), rows(&stage)[2].as_str()),
            (format!("ordered by {expect}").as_str(), first)
        );
    }
    stage.play("m  says: a comparison has one metric; --metric chooses another");
}

#[test]
fn hotspots_are_the_methods_that_have_changed() {
    let mut stage = stage(100);
    let names = |stage: &Stage, pane| {
        let explorer = stage.explorer();
        let rows = stage.hotspots(pane).rows().iter();
        rows.map(|row| explorer.view().frames.display_name(row.frame).to_string())
            .collect::<Vec<_>>()
    };
    stage.press("2");
    assert_eq!(
        names(&stage, 1),
        ["Price", "Audit", "Load", "Old"],
        "Tax has not changed"
    );
    // Price and Run +500 each, Main +480, Audit and New +40 each, Load and Old -30 each
    assert_eq!(
        names(&stage, 2),
        ["Price", "Run", "Main", "Audit", "New", "Load", "Old"]
    );
    stage.press("S");
    assert_eq!(names(&stage, 1), ["Old", "Load", "Audit", "Price"]);
    // what has vanished is found where it was
    stage.play("enter  on: Old");
}

#[test]
fn callers_have_both_sides() {
    let mut stage = stage(100);
    stage.press("2 b");
    assert_eq!(
        line(&stage, "Run"),
        ["200.0", "700.0", "+500.0", "×3.50", "Run"]
    );
    stage.press("esc i");
    assert_eq!(
        line(&stage, "Load"),
        ["50.0", "20.0", "-30.0", "×0.40", "Load"]
    );
}

#[test]
fn the_path_of_the_largest_difference_is_opened() {
    let mut stage = stage(100);
    stage.play("enter  on: Price  says: 3 levels down, to a leaf");
}

/// A comparison has no threads, times and waits: keys for them say so alike, and the list of views is without them.
#[test]
fn what_comparisons_lack_is_not_listed() {
    let mut stage = stage(100);
    for key in ["t", "P"] {
        stage.press(key);
        stage.says("a comparison has no threads; open one of its files");
    }
    stage.press("v");
    let screen = stage.screen();
    for view in ["Threads", "Timeline", "Waits"] {
        assert!(!screen.contains(&format!("{view}  ")), "{screen}");
    }
    // rows are those that are listed
    stage.play("j j j j j  shows: ▶F   Flame graph");
}
