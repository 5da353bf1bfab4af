//! The flame graph. All numbers are sums of those in the profile's text.

use super::{shop, stage};
use crate::common::compared;
use crate::common::stage::Stage;
use dotspot::testing::app::AnyPanel;
use dotspot::testing::model::profile_of;

/// The screen line that contains `part`, without borders.
#[track_caller]
fn line(stage: &Stage, part: &str) -> String {
    let screen = stage.screen();
    let line = screen.lines().find(|line| line.contains(part));
    let line = line.unwrap_or_else(|| panic!("{part} in\n{screen}"));
    line.trim_matches(['│', ' ']).to_string()
}

#[test]
fn keys_lead_to_callers_callees_and_siblings() {
    let mut stage = stage();
    stage.play(
        "
        F        page: flame  at: All threads
        down     at: Main
        j        at: Program.Main
        down     at: Orders.Run
        // Sleep's 3000 ms count because no thread is idle; Price directly below Main has 12
        right    at: Thread.Sleep
        l        at: Thread.Sleep
        left     at: Orders.Run
        down     at: Orders.Price
        down     at: Orders.Price
        K        at: Orders.Price
        H up up  at: Main
        right    at: Pool
        G        at: Orders.Price
        g        at: All threads
        ctrl-d   at: Orders.Price",
    );
}

#[test]
fn the_tree_and_the_flame_graph_share_the_selection() {
    let mut stage = stage();
    stage.play("j enter F  at: Orders.Price");
    stage.play("up right esc  page: closed  on: Thread.Sleep");
    // for a hotspot, its heaviest occurrence: the flame graph of a method takes two keys
    stage.play("2 j F  at: Thread.Sleep");
}

#[test]
fn enter_zooms_in_and_esc_zooms_out() {
    let mut stage = stage();
    stage.play("F down right enter  page: flame  at: Pool  crumbs: All threads|Pool|flame");
    // Handle has 900 of Pool's 1240 ms
    stage.play("down down  at: Orders.Handle");
    stage.play("enter =  shows: dotspot tree FILE --node");
    stage.play("esc esc  at: Orders.Handle  page: flame");
    stage.play("esc  at: Pool");
    stage.play("esc  page: closed  on: Pool  crumbs: All threads");
}

#[test]
fn tree_commands_apply_to_the_selected_frame() {
    let mut stage = stage();
    stage.play(
        "
        F down down down b  page: open
        esc                 at: Orders.Run
        // without the 5100 ms of Orders.Run
        d                   page: flame  line 1 Flame: of 4,252.0 ms  at: Program.Main
        esc                 page: flame  at: Orders.Run
        u                   page: flame
        a                   over: Note
        esc x               over: Export
        esc t space enter   page: flame
        n                   page: flame",
    );
}

#[test]
fn a_search_highlights_matches_and_shows_their_total() {
    let recursive = "T;Main;Price;Tax;Price 30|T;Main;Price 20|T;Main;Load 40|T;Main;Log;Price 10";
    let mut stage = Stage::new(profile_of(recursive), 100, 24);
    stage.play("F / p r i c e enter  page: flame  at: Price");
    // the outer 50 include the inner 30
    stage.play("shows: “price”: 60.0 ms (60.0 % of 100.0 ms) in 1 method");
    stage.play("esc  lacks: “price”  page: flame");
    stage.play("esc  on: Price");
}

#[test]
fn narrow_callees_are_merged() {
    let many: Vec<String> = (0..37).map(|at| format!("T;Main;small{at} 1")).collect();
    let stacks = format!("T;Main;big 900|{}", many.join("|"));
    let mut stage = Stage::new(profile_of(&stacks), 120, 24);
    stage.play("F G  at: big  line …+37: ▶big");
    stage.play("esc E G F  at: small9  line Main: ▶Main");
    stage.play("down  at: big");
    stage.play("enter down");
    stage.says("");
}

#[test]
fn the_mouse_selects_zooms_and_scrolls() {
    let mut stage = stage();
    stage.play("F");
    // line 2 is the border, 3 the root, 4 the threads: Main has 8112 of 9352 ms in 118 cells
    stage.play("click@104,4  at: Pool");
    stage.play("click@102,4  at: Main");
    stage.play("double@104,4  crumbs: All threads|Pool|flame");
    let deep = format!("T{} 5", ";a".repeat(100));
    let mut stage = Stage::new(profile_of(&deep), 80, 24);
    // 18 of 102 rows fit on the screen; keys scroll up as far as needed
    for (keys, top) in [
        ("F wheel@5,5,3  at: All threads", 3),
        ("wheel@5,5,300", 84),
        ("down", 1),
    ] {
        stage.play(keys);
        let AnyPanel::Flame(panel) = stage.explorer().page().focused() else {
            panic!("no flame graph");
        };
        assert_eq!(panel.frames.top, top);
    }
}

#[test]
fn a_chain_of_a_million_frames_is_drawn() {
    let deep = format!("T{} 5", ";a".repeat(1_000_000));
    let mut stage = Stage::new(profile_of(&deep), 80, 24);
    stage.press("F G");
    assert_eq!(stage.explorer().selection().node.index(), 1_000_001);
    let start = std::time::Instant::now();
    for _ in 0..50 {
        stage.press("up pageup down");
    }
    assert!(start.elapsed().as_millis() < 4000, "{:?}", start.elapsed());
    stage.play("g  at: All threads");
}

#[test]
fn a_comparison_has_the_width_of_after_and_lists_gone_frames() {
    const BEFORE: &str = "T;Main;Load 50|T;Main;Run;Price 200|T;Main;Run;Tax 100|T;Main;Old 30";
    const AFTER: &str = "T;Main;Load 20|T;Main;Run;Price 700|T;Main;Run;Tax 100|T;Main;New 40";
    let both = compared(&profile_of(BEFORE), &profile_of(AFTER));
    let mut stage = Stage::new(both, 120, 24);
    stage.press("F");
    assert_eq!(line(&stage, "only before:"), "only before: Old 30.0 ms");
    // 800, 40 and 20 of 860 ms in 118 cells
    assert_eq!(
        line(&stage, "Run").find("New"),
        Some(109 + "│".len()),
        "{}",
        stage.screen()
    );
    // one sample each is within the noise
    stage.play("line slower: no significant change");
    stage.play("down down  at: Run");
    stage.play("right  at: New");
}

#[test]
fn the_page_is_listed_and_has_help() {
    let mut stage = Stage::new(shop(), 120, 40);
    stage.play("v  shows: F   Flame graph");
    stage.play("esc F ?  shows: In the flame graph");
    stage.play(
        "esc F  says: no flame chart: the profile has only sums, and does not say when anything happened",
    );
    stage.play("s  notes: heaviest on the left");
}

#[test]
fn next_to_the_tree_it_shows_the_selected_row() {
    let mut stage = Stage::new(shop(), 159, 40);
    stage.play("\\  notes: needs 160 columns");
    let mut stage = Stage::new(shop(), 160, 40);
    let panels = |stage: &Stage| stage.explorer().page().panels.len();
    assert_eq!(panels(&stage), 3);
    stage.press("\\");
    assert_eq!(panels(&stage), 2);
    let root = |stage: &Stage| {
        let AnyPanel::Flame(flame) = &stage.explorer().page().panels[1] else {
            panic!("{}", stage.screen());
        };
        let view = stage.explorer().view();
        view.display_name(flame.root).to_string()
    };
    assert_eq!(root(&stage), "All threads");
    stage.press("j");
    assert_eq!(root(&stage), "Main");
    // its own keys move within it, and other keys apply to its selection
    stage.play("tab down down  at: Orders.Run");
    assert_eq!(root(&stage), "Main");
    stage.play("enter  on: Orders.Run");
    assert_eq!(root(&stage), "Orders.Run");
    // a step creates a new view, which it shows
    stage.press("1 p");
    assert_eq!(root(&stage), "All threads");
    stage.press("p tab down down down d");
    assert_eq!(root(&stage), stage.selected());
    stage.resize(120, 40);
    assert_eq!(panels(&stage), 3);
    stage.resize(200, 40);
    assert_eq!(panels(&stage), 2);
    stage.press("\\");
    assert_eq!(panels(&stage), 3);
    assert!(stage.screen().contains("Hottest by exclusive"));
}

/// From the list of methods: four occurrences with 5100, 12, 900 and 300 ms. From there, pictures are exported.
#[test]
fn a_listed_method_is_highlighted_at_all_occurrences() {
    let mut stage = stage();
    stage.play("L F  page: flame  at: Orders.Price  shows: 6,312.0 ms");
    stage.play("x  shows: .svg");
}
