//! The page of a method: callers above, callees below, and its threads.

use crate::common::profiles::read_file;
use crate::common::stage::Stage;
use crate::common::text::assert_contains;
use dotspot::testing::app::{Action, Overlay};
use dotspot::testing::model::profile_of;

// n1 T 30 ▸ run 30 ▸ price 25 ▸ (tax 10, price 5 ▸ tax 2); n U 12 ▸ handle 12 ▸ price 12 ▸ tax 4
const SHOP: &str = "T;run;price 10|T;run;price;tax 10|T;run;price;price 3|T;run;price;price;tax 2|T;run 5|U;handle;price 8|\
                    U;handle;price;tax 4";

#[test]
fn a_method_is_shown_with_its_callers_callees_and_threads() {
    let mut stage = Stage::new(profile_of(SHOP), 120, 30);
    stage.play("
        / 'price' enter b
        // the outermost occurrences have 25 + 12: called by run 25, by handle 12, and by itself 0
                 half 0: *price 37|.run 25|.handle 12|.price 0  half 1: *price 37|.tax 14|.price 5
                 shows: All threads ▸ price (3 occurrences)  shows: time 37.0 ms (88.1 % of 42.0 ms), 21.0 ms its own
                 shows: 25.0  67.6  shows: 12.0  32.4
        // callers are computed when they are opened
        j l      half 0: price 37|.*run 25|..T 25|.handle 12|.price 0
        tab j l  half 1: price 37|.*tax 14|.price 5
        // a method on the page opens its own page, and esc returns
        b        half 0: *tax 16|.price 16  shows: price (3 occurrences) ▸ tax (3 occurrences)
        esc      half 0: …|.*run 25|…
        esc      page: closed  on: price");
}

#[test]
fn back_from_user_code_leads_to_the_page_it_was_on() {
    let log = "System.Private.CoreLib!System.Console.Write";
    let mut stage = Stage::new(
        profile_of(&format!("T;Main;Log;{log} 7|T;Main;{log} 3")),
        120,
        30,
    );
    stage.play("/ 'Write' enter b 4 j enter  page: closed  on: Main");
    stage.play("esc  page: open  shows: User code above it  shows: Write (2 occurrences)");
    stage.play("esc  page: closed  on: Main");
}

#[test]
fn back_from_a_page_leads_to_the_panel_it_was_opened_from() {
    let mut stage = Stage::new(profile_of(SHOP), 120, 30);
    stage.play("2 j b  page: open");
    stage.play("esc  page: closed  shows: ⏎ go to heaviest");
}

#[test]
fn threads_have_no_page() {
    let mut stage = Stage::new(profile_of(SHOP), 80, 24);
    stage.play("j b  says: not a method: b shows the callers and callees of a method");
}

#[test]
fn the_page_of_a_real_method_matches_hotspots_even_on_narrow_screens() {
    let mut stage = Stage::new(
        read_file("snapshots/js-ordered-consume.nettrace".as_ref()),
        80,
        24,
    );
    stage.play("2 b");
    // 1,617.2 ms exclusive according to the hotspots
    stage.play(
        "shows: PriceRules.Discount (37 occurrences)  shows: 1 Callers  shows: PriceRules.Evaluate",
    );
    stage.play("3  shows: Thread (11054)");
}

#[test]
fn the_next_split_has_no_dominant_callee() {
    let mut stage = Stage::new(
        profile_of("T;a;b;c;d 45|T;a;b;c;e 40|T;a;b;c;f 10|T;a;b;x 5"),
        100,
        24,
    );
    stage.play("}");
    // c has 95 of the 100 of b, and d 45 of the 95 of c
    stage.play("on: c  says: 4 levels down: the largest below has 47 %");
    stage.play("}  on: d  says: 1 level down to a leaf");
    stage.play("}  says: nothing splits below: this is a leaf");
}

#[test]
fn the_inverted_tree_lists_methods_by_exclusive_time() {
    let mut stage = Stage::new(profile_of(SHOP), 120, 24);
    stage.play(
        "
        i
        // exclusive: price 10 + 3 + 8, tax 10 + 2 + 4, run 5
                 half 0: *All threads 42|.price 21|.tax 16|.run 5
        j j l    half 0: All threads 42|.price 21|.*tax 16|..price 16|.run 5
        j l      half 0: …|..*price 16|...run 10|...handle 4|...price 2|.run 5
        // a method in the inverted tree opens its page
        b        half 0: *price 37|…
        esc esc  page: closed",
    );
}

#[test]
fn a_page_respects_the_focus_and_survives_changes() {
    let run = "System.Private.CoreLib!System.Threading.ExecutionContext.RunInternal";
    let stacks = format!("T;Main;{run};price 30|T;Main;{run};log 10|U;Main;{run};price 60");
    let mut stage = Stage::new(profile_of(&stacks), 120, 30);
    stage.play("u G f E G b");
    // log has 10 of 40 ms in T
    stage.play("shows: time 10.0 ms (25.0 % of 40.0 ms)");
    // folding keeps the page
    stage.play("u  page: open");
    stage.play("esc  page: closed");
}

#[test]
fn a_page_works_with_the_mouse() {
    let mut stage = Stage::new(profile_of(SHOP), 120, 30);
    stage.press("/").type_text("price");
    stage.press("enter b");
    let callees = stage.explorer().layout.rows(1);
    stage.act(Action::Click(callees.x + 5, callees.y + 1));
    stage.play("half 1: …|.*tax 14|…");
    assert_eq!(stage.explorer().page().focus, 1);
    // it does not move
    assert_eq!(callees, stage.explorer().layout.rows(1));
}

const DEEP: &str = "T;App!Main;App!Load;System.Private.CoreLib!Read;System.Private.CoreLib!Copy 30|\
                    T;App!Main;System.Private.CoreLib!Pump;App!Save;System.Private.CoreLib!Copy 12|\
                    U;System.Private.CoreLib!Copy 8";

#[test]
fn the_hot_path_of_callers_extends_to_the_outermost() {
    let mut stage = Stage::new(profile_of(DEEP), 120, 30);
    stage.play("i enter  says: hot path: 5 levels down to the outermost caller");
    stage.play("half 0: All threads 50|.Copy 50|..Read 30|...Load 30|....Main 30|.....*T 30|..Save 12|..U 8");
    // E opens all rows, } selects the next split
    stage.play("g E  half 0: …|...Pump 12|…");
    stage.play("g }  says: 1 level down: the largest below has 60 %");
}

#[test]
fn user_code_above_a_system_method_is_ranked_by_sums() {
    let mut stage = Stage::new(profile_of(DEEP), 120, 30);
    stage.play("
        2 b          shows: 4 User code above it  shows: 30.0  60.0  shows: Load  shows: 12.0  24.0  shows: 8.0  16.0
                     shows: [no user
        // b shows the callers of the selected method, and esc returns
        4 b          half 0: *Load 30|…
        esc 4 enter  on: Load
        // not the first user code above Copy, but the heaviest below
        g o o        on: Load");
}

#[test]
fn esc_undoes_changes_on_a_page_and_then_returns_to_the_list() {
    let mut stage = Stage::new(profile_of(DEEP), 120, 30);
    stage.play("i j d  shows: without Copy");
    stage.play("esc  page: open");
    assert!(stage.explorer().view().steps.transforms.is_empty());
    stage.play("esc L j b  page: open");
    stage.play("esc  page: closed");
    let selected = match &stage.explorer().overlay {
        Overlay::Methods(table) => table.cursor.selected,
        _ => panic!("the list is shown again"),
    };
    assert_eq!(selected, 1);
}

/// With a hundred thousand frames, open rows are remembered by key, not by path.
#[test]
fn the_hot_path_of_a_deep_stack_needs_no_quadratic_memory() {
    let frames: Vec<String> = (0..100_000).map(|at| format!("App!G{}", at % 7)).collect();
    let mut stage = Stage::new(profile_of(&format!("T;{} 5", frames.join(";"))), 80, 24);
    stage.press("i j enter enter enter");
    let opened = stage.tree_of_page(0).lens.view.tree.len();
    assert!(opened > 20_000, "{opened} rows");
    assert_contains(stage.notice(), "hot path");
}

/// `GC.Poll` has 3 ms below Main, 2 ms below Other and 1 ms without user code.
#[test]
fn callers_can_be_folded_to_user_code_and_unfolded() {
    let [poll, a, b] = ["System.GC.Poll()", "System.A.Run()", "System.B.Run()"]
        .map(|name| format!("System.Private.CoreLib!{name}"));
    let stacks = format!(
        "T;App!App.Main;{a};{b};{poll} 3|T;App!App.Other;{b};{poll} 2|T;{a};{poll} 1|T;App!App.Main 1"
    );
    let mut stage = Stage::new(profile_of(&stacks), 120, 30);
    stage.play("
        2 b                      half 0: *GC.Poll 6|.B.Run 5|.A.Run 1
        u                        half 0: *GC.Poll 6|.App.Main 3|.App.Other 2  shows: GC.Poll (3 occurrences), user-code callers
        =                        shows: --user
        esc u                    half 0: *GC.Poll 6|.B.Run 5|.A.Run 1
        // only the thread is above Main
        esc / M a i n enter b u  half 0: *App.Main 4  shows: no user code calls it
        esc esc i u j l          half 0: All threads 7|.*GC.Poll 6|..App.Main 3|..App.Other 2|.App.Main 1
        // esc undoes a removal on the page before closing the page
        d                        half 0: *All threads 1|.App.Main 1
        esc                      half 0: …|.GC.Poll 6|.App.Main 1
        esc                      page: closed");
}
