//! The first screen, and how to leave it.

use crate::common::call_tree;
use crate::common::kinds;
use crate::common::sample;
use crate::common::stage::{Stage, rows_of};
use crate::common::text::assert_contains;
use dotspot::testing::app::{Action, Overlay};
use dotspot::testing::model::profile_of;
use dotspot::testing::names::Category;

/// Two pool threads, which have 12 of 20 ms together. The heaviest single thread is Main.
const POOL: &str = "Main;Wait 8|.NET pool;Dispatch;Shop.Price 4|.NET TP Worker;Dispatch;Shop.Price 3|\
                    .NET TP Worker;Dispatch;Shop.Read 5";

#[test]
fn pool_threads_are_merged_and_the_hot_path_is_open() {
    let mut stage = Stage::first(profile_of(POOL), 80, 24);
    stage.play("
                 rows: All threads|>2 .NET pool threads|>>Dispatch|>>>Shop.Price|>>>Shop.Read|>Main  on: All threads
        // the equivalent command, and the key that undoes merging
        =        shows: dotspot tree FILE --merge-threads=pool
        esc t    shows: ( ) none  (•) pool  ( ) all
        m m enter
        // 3 + 5 of 20 ms; open rows stay open in the heaviest thread
                 rows: All threads|>.NET TP Worker|>>Dispatch|>>>Shop.Read|>>>Shop.Price|>Main|>.NET pool
        =        lacks: --merge-threads
        // going back restores the first screen
        esc esc  rows 1: >2 .NET pool threads|>>Dispatch
        esc      says: nothing to go back to; q quits");
}

/// The first screen shows user methods at any size.
#[test]
fn user_code_is_on_the_first_screen() {
    let frames_seen = |stage: &Stage| {
        let explorer = stage.explorer();
        let tree = explorer.tree();
        let (rows, _) = tree.shown.screen(explorer.view(), 14);
        let frame = |node| explorer.view().frames.get(explorer.view().tree.frame(node));
        rows.iter()
            .filter(|row| frame(row.node).category == Category::User)
            .count()
    };
    assert!(frames_seen(&Stage::first(sample(), 80, 24)) >= 3);
    // one thread, with thirty system frames above
    let deep = format!("Main;{}Shop.Price 7", "System.Run;".repeat(30));
    let stage = Stage::first(profile_of(&deep), 80, 24);
    stage.is_on("Shop.Price");
    assert_eq!(frames_seen(&stage), 1);
}

#[test]
fn narrow_screens_start_with_the_list_of_methods() {
    let mut stage = Stage::first(sample(), 60, 15);
    stage.play("over: Methods  shows: PriceRules.Discount");
    // back in the tree, the hot path is open
    stage.play("esc  over: None");
    assert!(rows_of(&stage).len() > 10);
    let mut stage = Stage::first(call_tree::load(&kinds::of_kind("tracing")), 60, 15);
    stage.play("over: Methods");
}

/// Pool threads are also merged in the timeline. Opening their lane shows each of them.
#[test]
fn merged_threads_share_a_lane_that_can_be_opened() {
    let mut stage = Stage::first(sample(), 120, 30);
    stage.play("T  shows: ▸ 3 .NET pool threads");
    stage.play("l");
    let merged = stage.screen();
    let mut apart = Stage::new(sample(), 120, 30);
    apart.press("T l");
    let lanes = |screen: &str| -> Vec<String> {
        let lanes = screen
            .lines()
            .filter(|line| line.starts_with('│') && line.contains("Thread (1105"));
        lanes.map(str::to_string).collect()
    };
    assert_eq!(lanes(&merged).len(), 7);
    assert_eq!(lanes(&merged), lanes(&apart.screen()));
    // one of them alone
    stage.play("j enter  notes: shown: 1 of 10 threads");
    stage.play("esc esc  notes: shown: 10 threads");
}

/// Clicking a hint runs its command, also on dialogs above the panes.
#[test]
fn hints_can_be_clicked() {
    let mut stage = Stage::first(sample(), 80, 24);
    let click = |stage: &mut Stage, hint: &str| {
        let screen = stage.screen();
        let line = screen.lines().last().unwrap().to_string();
        let at = line
            .find(hint)
            .unwrap_or_else(|| panic!("{hint} is not hinted at in {line}"));
        let x = line[..at].chars().count() as u16;
        stage.act(Action::Click(x, 23));
    };
    click(&mut stage, "L methods");
    assert!(matches!(stage.explorer().overlay, Overlay::Methods(_)));
    click(&mut stage, "esc back");
    assert!(matches!(stage.explorer().overlay, Overlay::None));
    click(&mut stage, "? help");
    assert_contains(stage.screen(), "type to find one");
    click(&mut stage, "esc back");
    click(&mut stage, "T timeline");
    stage.play("shows: ▸ 3 .NET pool threads");
    // a click dismisses a notice
    stage.play("s  notes: busiest");
    stage.play("click@3,23");
    stage.says("");
}

/// The card shows the keys of the current page. Typing searches all keys.
#[test]
fn help_is_a_searchable_card() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.play(
        "
        ?             shows: In the call tree  shows: L   methods  shows: F   flame
        pagedown      shows: ▸ ▾
        'clipb'       lacks: flame
        ctrl-u 'osc'  shows: copy the full name
        esc           shows: In the call tree
        // its own key closes it
        ?             over: None
        T ?           shows: In the timeline",
    );
    assert_contains(stage.screen(), "^   ");
}

/// All keys are shown in three columns if they fit.
#[test]
fn help_fills_large_screens() {
    let mut stage = Stage::first(sample(), 200, 60);
    stage.press("?");
    let screen = stage.screen();
    let heading = screen
        .lines()
        .position(|line| line.contains("Tree and hotspots"));
    // three pairs of keys and descriptions
    let parts = |line: &str| {
        let parts = line.trim_matches('│').split("  ");
        parts.filter(|part| !part.trim().is_empty()).count()
    };
    let mut lines = screen.lines().skip(heading.unwrap());
    assert!(lines.any(|line| parts(line) == 6), "{screen}");
}

#[test]
fn a_key_selects_the_peak() {
    // A for 15 ms, B for 35, A for 10
    let profile = crate::common::profiles::read_text(
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
 "shared":{"frames":[{"name":"Shop.A"},{"name":"Shop.B"}]},
 "profiles":[{"type":"sampled","name":"one","unit":"milliseconds","startValue":0,"endValue":60,
  "samples":[[0],[1],[0]],"weights":[15,35,10]}]}"#,
    );
    let mut stage = Stage::new(profile, 80, 24);
    stage.play("j l j  on: Shop.B");
    stage.play("^");
    assert_contains(stage.screen(), "at 0.015 s, 1.0 ms: ");
    stage.play("esc j ^  on: Shop.A");
    assert_contains(stage.screen(), "at 0.000 s, 1.0 ms: ");
}
