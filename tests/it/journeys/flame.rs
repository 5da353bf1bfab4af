//! The flame graph. All numbers are sums of those in the profile's text.

use super::{shop, stage};
use crate::common::compared;
use crate::common::stage::Stage;
use dotspot::testing::app::panels::AnyPanel;
use dotspot::testing::app::{Action, Overlay};
use dotspot::testing::model::testing::profile_of;

/// The frame that is selected on the page.
#[track_caller]
fn is_at(stage: &Stage, name: &str) {
    let explorer = stage.explorer();
    let at = explorer.view().display_name(explorer.selection().node);
    assert_eq!(at, name, "{}", stage.screen());
}

#[track_caller]
fn has_flame(stage: &Stage, has_flame: bool) {
    assert_eq!(
        stage.explorer().has_flame(),
        has_flame,
        "{}",
        stage.screen()
    );
}

/// The line of the screen that has this, without borders.
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
    stage.press("F");
    has_flame(&stage, true);
    for (keys, name) in [
        ("", "All threads"),
        ("down", "Main"),
        ("j", "Program.Main"),
        ("down", "Orders.Run"),
        // Sleep has 3000 ms, which count, for no thread is idle; Price directly below Main 12
        ("right", "Thread.Sleep"),
        ("l", "Thread.Sleep"),
        ("left", "Orders.Run"),
        ("down", "Orders.Price"),
        ("down", "Orders.Price"),
        ("K", "Orders.Price"),
        ("H up up", "Main"),
        ("right", "Pool"),
        ("G", "Orders.Price"),
        ("g", "All threads"),
        ("ctrl-d", "Orders.Price"),
    ] {
        stage.press(keys);
        is_at(&stage, name);
    }
}

#[test]
fn selection_goes_along_with_the_tree() {
    let mut stage = stage();
    stage.press("j enter F");
    is_at(&stage, "Orders.Price");
    stage.press("up right esc");
    has_flame(&stage, false);
    stage.is_on("Thread.Sleep");
    // of a hotspot its heaviest place: the flame of a method takes two keys
    stage.press("2 j F");
    is_at(&stage, "Thread.Sleep");
}

#[test]
fn enter_zooms_and_esc_comes_back() {
    let mut stage = stage();
    stage.press("F down right enter");
    has_flame(&stage, true);
    is_at(&stage, "Pool");
    assert_eq!(
        stage.explorer().breadcrumb_names(),
        ["All threads", "Pool", "flame"]
    );
    // of 1240 ms of Pool 900 are Handle's
    stage.press("down down");
    is_at(&stage, "Orders.Handle");
    stage.press("enter =");
    assert!(
        stage.screen().contains("dotspot tree FILE --node "),
        "{}",
        stage.screen()
    );
    stage.press("esc esc");
    is_at(&stage, "Orders.Handle");
    has_flame(&stage, true);
    stage.press("esc");
    is_at(&stage, "Pool");
    stage.press("esc");
    has_flame(&stage, false);
    stage.is_on("Pool");
    assert_eq!(stage.explorer().breadcrumb_names(), ["All threads"]);
}

#[test]
fn commands_of_the_tree_work_on_the_frame() {
    let mut stage = stage();
    stage.press("F down down down b");
    assert!(
        stage.explorer().page().parts.is_some(),
        "callers of Orders.Run"
    );
    stage.press("esc");
    is_at(&stage, "Orders.Run");
    stage.press("d");
    has_flame(&stage, true);
    // without the 5100 ms of Orders.Run
    assert!(
        line(&stage, "1 Flame").contains("of 4,252.0 ms"),
        "{}",
        stage.screen()
    );
    is_at(&stage, "Program.Main");
    stage.press("esc");
    has_flame(&stage, true);
    is_at(&stage, "Orders.Run");
    stage.press("u");
    has_flame(&stage, true);
    stage.press("a");
    assert!(matches!(stage.explorer().overlay, Overlay::Note(_)));
    stage.press("esc x");
    assert!(matches!(stage.explorer().overlay, Overlay::Export(_)));
    stage.press("esc t space enter");
    has_flame(&stage, true);
    stage.press("n");
    has_flame(&stage, true);
}

#[test]
fn a_search_lights_up_what_matches_and_says_how_much_that_is() {
    let recursive = "T;Main;Price;Tax;Price 30|T;Main;Price 20|T;Main;Load 40|T;Main;Log;Price 10";
    let mut stage = Stage::new(profile_of(recursive), 100, 24);
    stage.press("F / p r i c e enter");
    has_flame(&stage, true);
    is_at(&stage, "Price");
    // the inner one of 30 is in the outer one's 50
    assert_eq!(
        line(&stage, "“price”"),
        "“price”: 60.0 ms (60.0 %) in 1 method"
    );
    stage.press("esc");
    assert!(!stage.screen().contains("“price”"), "{}", stage.screen());
    has_flame(&stage, true);
    stage.press("esc");
    stage.is_on("Price");
}

#[test]
fn narrow_callees_are_gathered() {
    let many: Vec<String> = (0..37).map(|at| format!("T;Main;small{at} 1")).collect();
    let stacks = format!("T;Main;big 900|{}", many.join("|"));
    let mut stage = Stage::new(profile_of(&stacks), 120, 24);
    stage.press("F G");
    is_at(&stage, "big");
    assert!(line(&stage, "…+37").starts_with("▶big"));
    stage.press("esc");
    stage.press("E G F");
    is_at(&stage, "small9");
    assert!(
        line(&stage, "big").contains("▶…"),
        "it is among them: {}",
        stage.screen()
    );
    stage.press("left");
    is_at(&stage, "big");
    stage.press("enter down");
    stage.says("");
}

#[test]
fn the_mouse_selects_zooms_and_scrolls() {
    let mut stage = stage();
    stage.press("F");
    // line 2 is the border, 3 the root, 4 the threads: Main has 8112 of 9352 ms in 118 cells
    stage.act(Action::Click(104, 4));
    is_at(&stage, "Pool");
    stage.act(Action::Click(102, 4));
    is_at(&stage, "Main");
    stage.act(Action::DoubleClick(104, 4));
    assert_eq!(
        stage.explorer().breadcrumb_names(),
        ["All threads", "Pool", "flame"]
    );
    let deep = format!("T{} 5", ";a".repeat(100));
    let mut stage = Stage::new(profile_of(&deep), 80, 24);
    stage.press("F");
    let top = |stage: &Stage| match stage.explorer().page().focused() {
        AnyPanel::Flame(panel) => panel.top,
        _ => panic!("no flame graph"),
    };
    stage.act(Action::Wheel(5, 5, 3));
    assert_eq!(top(&stage), 3);
    is_at(&stage, "All threads");
    // 102 rows, and 18 on the screen
    stage.act(Action::Wheel(5, 5, 300));
    assert_eq!(top(&stage), 84);
    stage.press("down");
    assert_eq!(top(&stage), 1, "as far up as needed");
}

#[test]
fn a_chain_of_a_million_frames() {
    let mut stage = Stage::new(
        profile_of(&format!("T{} 5", ";a".repeat(1_000_000))),
        80,
        24,
    );
    stage.press("F G");
    assert_eq!(stage.explorer().selection().node.index(), 1_000_001);
    let start = std::time::Instant::now();
    for _ in 0..50 {
        stage.press("up pageup down");
    }
    assert!(start.elapsed().as_millis() < 4000, "{:?}", start.elapsed());
    stage.press("g");
    is_at(&stage, "All threads");
}

#[test]
fn a_comparison_is_as_wide_as_after_and_names_what_is_gone() {
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
    // a sample of each is no more than chance
    assert!(line(&stage, "slower").contains("the same, or chance"));
    stage.press("down down");
    is_at(&stage, "Run");
    stage.press("right");
    is_at(&stage, "New");
}

#[test]
fn the_page_is_listed_and_helps() {
    let mut stage = Stage::new(shop(), 120, 40);
    stage.press("v");
    assert!(
        stage.screen().contains("F   Flame graph"),
        "{}",
        stage.screen()
    );
    stage.press("esc F ?");
    assert!(
        stage.screen().contains("In the flame graph"),
        "{}",
        stage.screen()
    );
    stage.press("esc F");
    stage.says("no flame chart: it has only sums, and does not say when anything happened");
    stage.press("s");
    assert!(stage.notice().contains("heaviest on the left"));
}

#[test]
fn beside_the_tree_it_is_of_the_selected_row() {
    let mut stage = Stage::new(shop(), 159, 40);
    stage.press("\\");
    assert!(stage.notice().contains("needs 160 columns"));
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
    // its own keys move in it, and what they select is what other keys are about
    stage.press("tab down down");
    is_at(&stage, "Orders.Run");
    assert_eq!(root(&stage), "Main");
    stage.press("enter");
    assert_eq!(stage.selected(), "Orders.Run");
    assert_eq!(root(&stage), "Orders.Run");
    // a step makes another view, which it follows
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

/// From the list of methods: 5100, 12, 900 and 300 ms in four places. What is exported from there is a picture.
#[test]
fn a_method_of_the_list_is_highlighted_wherever_it_is() {
    let mut stage = stage();
    stage.press("L F");
    has_flame(&stage, true);
    is_at(&stage, "Orders.Price");
    assert!(stage.screen().contains("6,312.0 ms"), "{}", stage.screen());
    stage.press("x");
    assert!(stage.screen().contains(".svg"), "{}", stage.screen());
}
