//! Steps that change the tree: removing, folding, grouping. Each can be undone separately.

use crate::common::json::near;
use crate::common::stage::Stage;
use crate::common::text::{assert_contains, assert_contains_all, assert_ends_with};
use dotspot::testing::app::{Effect, Event, JobKind, Message, OpenedFrom};
use dotspot::testing::model::NodeId;
use dotspot::testing::model::profile_of;

/// .NET plumbing between user code.
const START: &str = "System.Private.CoreLib!System.Threading.Tasks.Task.RunContinuations";
const RUN: &str = "System.Private.CoreLib!System.Threading.ExecutionContext.RunInternal";

fn shop() -> Stage {
    let stacks = format!(
        "T;Main;{START};{RUN};Price 30|T;Main;{START};{RUN} 2|T;Main;{START};Log 8|T;Main;Log 10|U;Log 50"
    );
    Stage::new(profile_of(&stacks), 100, 24)
}

#[test]
fn plumbing_is_folded_and_unfolded() {
    let mut stage = shop();
    stage.play("
        j l j E  rows 2: >>Main|>>>Task.RunContinuations|>>>>ExecutionContext.RunInternal|>>>>>Price|>>>>Log|>>>Log
        u        rows 2: >>Main|>>>… 2 async frames|>>>>Price|>>>>Log|>>>Log  says: step: fold async infrastructure; U expands a row, u changes what is collapsed
        // exclusive time of plumbing stays in the row, and in the hotspots
                 shows: 40.0
        2        shows: ExecutionContext.RunInternal
        1 j U    rows 2: >>Main|>>>Task.RunContinuations|>>>>ExecutionContext.RunInternal|>>>>>Price|>>>>Log|>>>Log
        U        rows 3: >>>… 2 async frames
        u        notes: step: 
        u        says: undone: fold system  rows 3: >>>Task.RunContinuations");
}

#[test]
fn a_method_is_removed_and_restored() {
    let mut stage = shop();
    // Log has 68 of 100 ms.
    stage.play("2 d  says: 32.0 of 100.0 ms left, 68.0 ms (68.0 %) saved without Log");
    stage.play("shows: 32.0");
    stage.play(
        "
        1 & '[' enter             shows: Filter by a pattern
        ctrl-u 'Price' tab enter  says: 2.0 of 100.0 ms left, 98.0 ms (98.0 %) saved: ignore /Price/
        // undoes the first of the two; the second remains
        V g j d                   says: undone: without Log: 70.0 of 100.0 ms left, 30.0 ms (30.0 %) saved
        esc                       says: undone: ignore /Price/
        esc                       says: nothing to go back to; q quits",
    );
}

#[test]
fn a_view_is_shown_as_it_was_left_whatever_was_shown_since() {
    let mut stage = Stage::new(profile_of("T;A;B;C 9|T;A;D;E 8|U;F;G 7"), 100, 24);
    let all = "rows: All threads|>T|>>A|>>>B|>>>>C|>>>D|>>>>E|>U|>>F|>>>G";
    stage.play(&format!("g E  {all}"));
    // only the second step: a smaller tree than with the first one
    stage.play("& 'C' tab enter & 'A' tab enter  V g j d  rows: All threads|>U|>>F|>>>G|>T");
    stage.play(&format!("esc  {all}"));
}

#[test]
fn other_steps_do_not_claim_what_a_removed_method_saved() {
    let mut stage = Stage::new(profile_of("T;a;r;r 7|T;a;Log 3"), 100, 24);
    stage.play("2 / 'Log' enter d  says: 7.0 of 10.0 ms left, 3.0 ms (30.0 %) saved without Log");
    stage.play(
        "
        @      notes: recursion  lacks: saved
        @ @    says: undone: fold recursion
        u      lacks: saved",
    );
}

#[test]
fn dropping_a_row_of_several_nodes_is_one_step_back() {
    let mut stage = Stage::new(
        profile_of(&format!("T;Main;{START};A 3|T;Main;{RUN};B 4|T;Main 2")),
        100,
        24,
    );
    stage.play("u g E  rows 2: >>Main|>>>… 2 async frames|>>>>B|>>>>A");
    stage.play("j j j D  notes: 2.0 of 9.0 ms left, 7.0 ms (77.8 %) saved");
    stage.play(
        "
        esc  says: undone: without ExecutionContext.RunInternal (node n3), Task.RunContinuations (node n5)
        rows 2: >>Main|>>>… 2 async frames|>>>>B|>>>>A",
    );
}

#[test]
fn a_method_is_removed_in_the_list_of_methods() {
    let mut stage = shop();
    stage.play(
        "L d  says: 32.0 of 100.0 ms left, 68.0 ms (68.0 %) saved without Log  shows: Methods",
    );
    stage.play("line Price: 30.0");
    stage.play("esc esc  says: undone: without Log");
}

#[test]
fn views_are_listed_with_their_keys() {
    let mut stage = shop();
    stage.play(
        "v  shows: b   Method: callers, callees  shows: i   Inverted tree  shows: who calls them?",
    );
    stage.play("j j j j j j enter  page: flame");
}

#[test]
fn groups_and_recursion_are_rows() {
    let mut stage = Stage::new(
        profile_of("T;Shop!a;Shop!b;Lib!c 10|T;Shop!a;Lib!c 5|T;Shop!r;Shop!r;Shop!r 7"),
        100,
        24,
    );
    stage.play("@ j l E  shows: r ×3");
    stage.play("@ @ B  notes: step: by module  shows: Shop");
}

#[cfg(unix)]
#[test]
fn the_command_on_the_screen_prints_the_same_view() {
    let path = present!(crate::common::shared("dtp/Issue254.dtp"));
    let profile = crate::common::profiles::read_file(&path);
    let mut stage = Stage::new(profile, 140, 40);
    let file = Some(path.display().to_string());
    stage.send(Event::Message(Message::From(OpenedFrom {
        file,
        ..Default::default()
    })));
    stage.play("/ 'List InsertRange' enter d u =  shows: dotspot tree");
    stage.play("y");
    let command = stage.copied.pop().unwrap();
    let of_ours = command.replacen("dotspot", env!("CARGO_BIN_EXE_dotspot"), 1);
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("{of_ours} --json")])
        .output()
        .unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect(&command);
    let explorer = stage.explorer();
    let tree = &explorer.view().tree;
    let shown = tree.inclusive(explorer.lens().metric, NodeId::ROOT) as f64 / 1e6;
    // dotTrace's numbers without the method, from expected/views
    assert!((shown - 6584.551).abs() < 0.01, "{shown}");
    near(&document["total"], 6584.551);
}

#[test]
fn methods_are_listed_with_their_total_cost() {
    // Log has 10 exclusive and 30 in the system method Write; the system method Pump has 5 without user code
    let write = "System.Private.CoreLib!System.IO.Stream.Write";
    let pump = "System.Private.CoreLib!System.Pump.Run";
    let stacks = format!("T;Main;Log;{write} 30|T;Main;Log 10|T;Main 15|T;{pump} 5");
    let mut stage = Stage::new(profile_of(&stacks), 120, 20);
    stage.press("L");
    // own + system, percentage, own, total
    stage.play("line Log: 40.0 66.7 ~10.0 ~40.0");
    stage.play("line Main: 15.0 25.0 ~15.0 ~55.0");
    stage.play("line 5.0: 5.0 8.3  line 5.0: [no user caller]");
    stage.play("/ 'writ'  shows: 1 of 4");
    stage.play("enter enter  on: Stream.Write");
    stage.play("L s b  page: open");
}

#[test]
fn the_list_of_methods_has_totals_by_group() {
    let mut stage = shop();
    stage.play(
        "
        L B        shows: Methods by module
        b          says: this is a group, not a method; ⏎ lists its methods
        B B        shows: Methods by type
        = y B      shows: Methods ─
        B j enter  shows: Methods / System.Private.CoreLib  shows: 2 of 5",
    );
    assert_ends_with(&stage.copied[0], "--sort own-system --group type");
}

#[test]
fn the_list_of_methods_remembers_its_state() {
    let mut stage = shop();
    stage.send(Event::Message(Message::From(OpenedFrom {
        file: Some("my traces/shop.nettrace".into()),
        ..Default::default()
    })));
    let command =
        "dotspot methods 'my traces/shop.nettrace' --sort inclusive --only-user-code --filter pri";
    stage.play("L s s / 'pri' enter o =");
    assert_contains(stage.screen(), command);
    stage.play("y  shows: Methods / pri");
    assert_eq!(stage.copied, [command]);
    stage.play("enter L  shows: Methods / pri  shows: 1 of 5");
    // what if the method took no time?
    stage.play("d  says: 70.0 of 100.0 ms left, 30.0 ms (30.0 %) saved without Price");
    stage.play("esc esc = y");
    let command = "dotspot tree 'my traces/shop.nettrace' --drop Price";
    assert_eq!(stage.copied[1], command);
}

#[test]
fn help_starts_with_commands_of_the_current_page() {
    let first_lines = |stage: &Stage| {
        let screen = stage.screen();
        let lines: Vec<&str> = screen.lines().skip(3).take(2).collect();
        lines.join(" ")
    };
    let table = "
        ? | In the call tree | open the node
        2 ? | In the hotspots | go to the method's heaviest occurrence in the tree
        2 b ? | In the callers | show the callers of the row's method
        2 b tab ? | In the callees | open the node
        2 b 3 ? | In the threads of a method | on to user code and callers
        i ? | In the inverted tree | show the callers of the row's method
        t ? | Thread and process list | show the chosen threads
        L ? | Method list | go to the method's heaviest occurrence
        v ? | View and step lists | show the view";
    for row in table.trim().lines() {
        let mut cells = row.trim().split(" | ");
        let mut stage = shop();
        stage.press(cells.next().unwrap());
        let words: Vec<&str> = cells.collect();
        assert_contains_all(first_lines(&stage), &words);
        // closing it reveals the page below
        stage.press("esc ?");
        assert_contains(first_lines(&stage), words[0]);
    }
}

#[test]
fn removed_methods_are_absent_despite_folding() {
    let mut stage = shop();
    // the folded row is removed by its topmost frame
    stage.play("u j l j l j D  says: 60.0 of 100.0 ms left, 40.0 ms (40.0 %) saved without Task.RunContinuations (node n3)");
    stage.play("esc  shows: of 100.0 ms");
}

#[test]
fn the_last_request_is_shown_and_none_waits_forever() {
    const KEYS: [&str; 9] = ["@", "b", "i", "L", "u", "B", "d", "R", "esc"];
    for first in KEYS {
        for second in KEYS {
            let mut stage = shop();
            stage.press("2");
            let mut effects = stage.press_without_work(first);
            let more = stage.press_without_work(second);
            // the worker drops a request when another one follows or it is given up
            let gives_up = |effect: &Effect| {
                effect.job_kind() == Some(JobKind::View) || *effect == Effect::CancelView
            };
            if more.iter().any(gives_up) {
                effects.retain(|effect| effect.job_kind() != Some(JobKind::View));
            }
            effects.extend(more);
            stage.do_work(effects);
            let is_awaiting = stage.explorer().is_awaiting_view();
            assert!(!is_awaiting, "{first} {second}: {}", stage.screen());
            stage.play("lacks: changing the tree");
        }
    }
}

#[test]
fn removing_a_method_closes_its_page() {
    let mut stage = shop();
    stage.play(
        "2 b d  says: 32.0 of 100.0 ms left, 68.0 ms (68.0 %) saved without Log  page: closed",
    );
}

#[test]
fn a_list_that_cannot_be_computed_is_not_awaited() {
    let mut stage = shop();
    stage.press("b");
    assert!(!stage.explorer().is_awaiting_view());
    // methods of the whole tree while the focus is on several subtrees: Main and U below two threads have the same fold
    stage.press("u j l j f L");
    assert!(!stage.explorer().is_awaiting_view(), "{}", stage.screen());
    stage.press("esc esc");
    assert!(stage.explorer().tree().outer.is_empty());
}

#[test]
fn undo_restores_the_selection() {
    let mut stage = shop();
    stage.play("2 enter  on: Log");
    stage.play("d");
    assert_ne!(stage.selected(), "Log");
    stage.play("esc  on: Log");
    // regardless of later selections, one change after the other
    stage.play("d / p r i c e enter d g esc  on: Price");
    stage.play("esc  on: Log");
}

#[test]
fn on_a_leaf_the_tree_takes_the_space_of_hotspots() {
    let tree_cells = |stage: &Stage| stage.explorer().layout.panels[0].width;
    let mut stage = shop();
    stage.resize(130, 30);
    assert_eq!(tree_cells(&stage), 75);
    stage.press("2 enter");
    assert_eq!((stage.selected(), tree_cells(&stage)), ("Log", 93));
    stage.press("H");
    assert_eq!(tree_cells(&stage), 75);
    // hotspots of the whole tree do not depend on the selection
    stage.press("n p");
    assert_eq!((stage.selected(), tree_cells(&stage)), ("Log", 75));
}

#[test]
fn a_pattern_shows_its_match_count_and_is_refused_without_matches() {
    let mut stage = Stage::new(profile_of("T;Shop.Load;Json.Read 3|T;Shop.Sell 2"), 80, 24);
    stage.play("& 'shop'  shows: 2 methods match");
    stage.play("'x'  shows: 0 methods match");
    stage.play("enter  shows: no method matches");
    stage.play("backspace enter  shows: focus /shop/");
}
