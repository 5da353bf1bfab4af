//! User journeys, key by key, through the real keymap.

mod any_keys;
mod butterfly;
mod changes;
mod chart;
mod compared;
mod flame;
mod keys;
mod lists;
mod live;
mod notes;
mod opening;
mod play;
mod processes;
mod range;
mod repair;
mod reports;
mod time;

mod waiting;

use crate::common::stage::{Stage, press_before, rows_of as rows};
use crate::common::text::assert_contains;
use dotspot::testing::app::AnyPanel;
use dotspot::testing::app::Keymap;
use dotspot::testing::app::{
    Action, App, Effect, Event, Loading, Message, OpenFailure, Overlay, Screen, SortColumn,
};
use dotspot::testing::app::{Mark, PickerRow};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::profile_of;
use dotspot::testing::model::{NodeId, View};
use std::path::Path;
use std::sync::Arc;

/// Two threads and four occurrences of `Price`: 5100 and 12 ms below Main, 900 and 300 ms below Pool.
fn shop() -> View {
    profile_of(
        "Main;Program.Main;Orders.Run;Orders.Price 5100|\
         Main;Program.Main;Orders.Price 12|\
         Main;Program.Main;Thread.Sleep 3000|\
         Pool;Thread.Start;Orders.Handle;Orders.Price 900|\
         Pool;Thread.Start;Orders.Retry;Orders.Price 300|\
         Pool;Thread.Start 40",
    )
}

fn stage() -> Stage {
    Stage::new(shop(), 120, 30)
}

/// The rows of a half with their levels. The selected one is marked.
fn half(stage: &Stage, panel: usize) -> Vec<String> {
    let tree = stage.tree_of_page(panel);
    let (rows, at) = tree.shown.screen(&tree.lens.view, 30);
    let row = |(line, row): (usize, &dotspot::testing::app::PaneRow)| {
        let mark = if line == at { "*" } else { "" };
        let value = tree.lens.view.tree.inclusive(tree.lens.metric, row.node) / 1_000_000;
        let name = tree.lens.view.display_name(row.node);
        format!("{}{mark}{name} {value}", ".".repeat(row.depth))
    };
    rows.iter().enumerate().map(row).collect()
}

#[test]
fn the_hot_path_opens_down_to_the_first_split() {
    let mut stage = stage();
    stage.play("j enter  on: Orders.Price");
    stage.play("rows: All threads|>Main|>>Program.Main|>>>Orders.Run|>>>>Orders.Price|>>>Thread.Sleep|>>>Orders.Price|>Pool");
    stage.play("notes: hot path: 3 levels down");
}

/// Opens an exported tree.
fn opened(path: &Path) -> View {
    let target = dotspot::testing::cli::Target::File(path.to_path_buf());
    dotspot::testing::cli::open(&target, &Default::default(), Default::default()).unwrap()
}

/// Inclusive milliseconds of the selected node.
fn selected_ms(stage: &Stage) -> u64 {
    let explorer = stage.explorer();
    let selected = explorer.tree().shown.selected;
    let tree = &explorer.view().tree;
    tree.inclusive(explorer.lens().metric, selected) / 1_000_000
}

#[test]
fn from_the_hot_path_to_pinned_hotspots_and_a_reopened_export() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("price.json");
    let mut stage = stage();
    // hotspots follow the selection until they are pinned to the whole tree
    stage.press("j enter");
    assert_eq!(stage.hotspots(1).rows().len(), 1);
    stage.press("p");
    assert_eq!(stage.hotspots(1).rows().len(), 3);
    stage.play("2 enter n  says: occurrence 2 of 4: Orders.Price");
    let second = stage.explorer().tree().shown.selected;
    assert_eq!(selected_ms(&stage), 900);
    stage.play("H f  rows: Orders.Handle|>Orders.Price");
    stage.export(&file);
    stage.play("notes: price.json: 2 nodes");
    let again = opened(&file);
    let metric = again.recording.default_metric;
    assert_eq!(again.tree.exclusive(metric, NodeId(1)), 900_000_000);
    let again = Stage::new(again, 80, 20);
    assert_eq!(rows(&again), ["Orders.Handle", ">Orders.Price"]);
    // the same name again: a question, answered with no, another key and yes
    stage.export(&file);
    stage.play("shows: this file exists. Overwrite it? y / n");
    stage.play("n  lacks: Overwrite it?  over: Export");
    stage.play("enter y  notes: wrote");
    // leaving the focus restores the selection
    stage.play("esc  rows 0: All threads");
    assert_eq!(stage.explorer().tree().shown.selected.0 + 1, second.0);
}

/// Every screen shows help, quitting and, if any, warnings. Without times, there is no timeline.
#[test]
fn less_useful_hints_are_dropped_first() {
    let all = "→ open  ← close  ⏎ hot path  / search  b callers  L methods  F flame  f focus  x export  t threads  w notes  ? help  q quit";
    let some = "→ open  ⏎ hot path  / search  b callers  L methods  F flame  ? help  q quit";
    for (width, warnings, expect) in [
        (130, 0, all),
        (80, 0, some),
        (
            60,
            0,
            "/ search  b callers  L methods  F flame  ? help  q quit",
        ),
        (
            60,
            1,
            "/ search  b callers  L methods  w notes  ? help  q quit",
        ),
        (40, 0, "/ search  L methods  ? help  q quit"),
        (40, 1, "/ search  w notes  ? help  q quit"),
    ] {
        let mut profile = shop();
        profile.diagnostics = vec![Diagnostic::kept("half of it is lost".into()); warnings];
        let screen = Stage::new(profile, width, 24).screen();
        let hints = screen.lines().last().unwrap().trim();
        assert_eq!(hints, expect, "{width} cells, {warnings} warnings");
    }
}

#[test]
fn the_page_of_notes_describes_the_recording() {
    let mut profile = shop();
    let source = &mut Arc::make_mut(&mut profile.recording).source;
    source.facts = vec![
        ("runtime".into(), ".NET 8.0".into()),
        ("command line".into(), "shop --fast".into()),
    ];
    (source.decoder, source.decoder_version) = ("Reporter".into(), "2024.3".into());
    profile.diagnostics = vec![
        Diagnostic::kept_note("annotated: slow start".into()),
        Diagnostic::kept("half of it is lost".into()),
    ];
    let mut stage = Stage::new(profile, 80, 30);
    let screen = stage.press("w").screen();
    let order = [
        "╮\n│Warnings",
        "• half of it is lost",
        "Kind: sampling",
        "stacks were sampled at intervals",
        "• annotated: slow start",
        "runtime       .NET 8.0",
        "command line  shop --fast",
        "decoder       Reporter 2024.3",
    ];
    let found: Vec<Option<usize>> = order.iter().map(|text| screen.find(text)).collect();
    assert!(
        found.iter().all(Option::is_some) && found.is_sorted(),
        "{found:?}\n{screen}"
    );
    // a message of the file has lost its code
    assert!(!screen.contains("[kept"), "{screen}");
    // the same key closes the page
    stage.play("w  lacks: Kind:");
}

#[test]
fn the_extension_selects_the_export_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start) in [
        ("a.json", &b"{\"schema\":\"dotspot.call-tree/1\""[..]),
        (
            "a.speedscope.json",
            b"{\"$schema\":\"https://www.speedscope.app/",
        ),
        ("a.folded", b"Main;"),
        ("a.json.gz", b"\x1f\x8b"),
        ("a.pb.gz", b"\x1f\x8b"),
    ] {
        let file = folder.path().join(name);
        let mut stage = stage();
        stage.export(&file);
        assert_contains(stage.notice(), name);
        assert!(std::fs::read(&file).unwrap().starts_with(start), "{name}");
    }
    let mut stage = stage();
    stage.play("x ctrl-u 'a.txt' enter  shows: .txt is not the extension of");
    assert!(!Path::new("a.txt").exists());
}

#[test]
fn exports_contain_one_or_all_occurrences_of_a_method() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let root_ms = |path: &Path| {
        let view = opened(path);
        let ns = view
            .tree
            .inclusive(view.recording.default_metric, NodeId::ROOT);
        (view.display_name(NodeId::ROOT).to_string(), ns / 1_000_000)
    };
    let mut stage = stage();
    // a hotspot row exports all occurrences, or one after pressing a key
    stage.play("2 x  shows: all 4 occurrences as one tree; ⇥ only n");
    stage.play("tab  shows: one of 4 occurrences, n");
    stage.press("esc").export(&file("all.json"));
    stage.play("notes: all.json: all 4 occurrences as one tree, ");
    assert_eq!(root_ms(&file("all.json")), ("Orders.Price".into(), 6312));
    // a tree row exports one
    stage.play("enter x  shows: one of 4 occurrences, n");
    stage.press("esc").export(&file("one.json"));
    stage.play("notes: one.json: 1 node, ");
    assert_eq!(root_ms(&file("one.json")), ("Orders.Price".into(), 5100));
    // focusing reports this, too
    stage.play("f  notes: one of 4 occurrences of Orders.Price");
    // no choice for a single occurrence
    stage.play("esc g x tab  lacks: occurrences");
}

#[test]
fn a_failed_export_shows_the_reason_and_stays_open() {
    let mut stage = stage();
    stage.export("/no/such/folder/x.json".as_ref());
    stage.play("shows: /no/such/folder/x.json can't be written: no such file or directory");
    stage.play("ctrl-u enter  shows: enter a file name");
    stage.play("esc  over: None");
}

#[test]
fn hotspots_lead_to_the_heaviest_occurrence_and_n_to_the_next() {
    let mut stage = stage();
    stage.press("2 enter");
    for (number, ms) in [(1, 5100), (2, 900), (3, 300), (4, 12), (1, 5100)] {
        stage.says(&format!("occurrence {number} of 4: Orders.Price"));
        assert_eq!(selected_ms(&stage), ms);
        stage.press("n");
    }
    stage.play("N N  notes: occurrence 4 of 4");
    // with Pool selected, the heaviest occurrence below it
    let mut stage = self::stage();
    stage.play("j j  on: Pool");
    stage.play("2 enter  says: occurrence 2 of 4: Orders.Price");
}

#[test]
fn search_is_live_and_selects_the_heaviest_occurrence() {
    let mut stage = stage();
    stage.play("/ 'prc'  shows: Orders.Price");
    stage.play("enter  on: Orders.Price  says: occurrence 1 of 4: Orders.Price");
    stage.play("/ esc  on: Orders.Price");
}

#[test]
fn enter_before_the_answer_selects_the_first_row_on_arrival() {
    let mut stage = stage();
    stage.press("/");
    let mut work = Vec::new();
    for key in ["s", "l", "e", "enter"] {
        work = [work, stage.press_without_work(key)].concat();
    }
    // the worker has not answered yet
    stage.is_on("All threads");
    stage.do_work(work);
    stage.is_on("Thread.Sleep");
}

#[test]
fn a_search_without_matches_is_reported() {
    let mut stage = stage();
    stage.play("/ 'qqqqq'  shows: no method matches");
    stage.play("enter  over: Search");
}

#[test]
fn resizing_while_searching_keeps_the_search() {
    let mut stage = stage();
    stage.play("/ 'pri' 60x15  shows: Search  pri  shows: Orders.Price");
    stage.play("20x5  shows: dotspot needs 40 x");
    stage.play("200x60 'ce' enter  on: Orders.Price");
}

#[test]
fn a_20_column_terminal_shows_a_message_and_keeps_the_state() {
    let mut stage = Stage::new(shop(), 20, 24);
    let screen = stage.screen();
    let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text, "dotspot needs 40 x 8. Try: dotspot hotspots FILE");
    stage.play("j enter x enter 120x30  on: All threads  over: None");
    stage.play("j enter 20x24 q");
    assert!(stage.has_quit, "quitting must always be possible");
}

#[test]
fn only_the_confirmed_file_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for name in ["a", "ab", "b"] {
        std::fs::write(path(name), name).unwrap();
    }
    let mut stage = stage();
    stage.press("x ctrl-u").type_text(&path("a")).press("enter");
    stage.act(Action::Paste("b".into())).press("y");
    // pasted while the question was open
    assert_eq!(std::fs::read_to_string(path("ab")).unwrap(), "ab");
    assert_ne!(std::fs::read_to_string(path("a")).unwrap(), "a");
    // the answer about one file arrives when the dialog shows another
    stage.press("x ctrl-u").type_text(&path("b"));
    let late = stage.press_without_work("enter");
    stage.play("esc x  notes: still writing");
    stage.do_work(late);
    stage.play("notes: already exists and was not overwritten");
    stage.press("x ctrl-u").type_text(&path("c")).press("y");
    assert_eq!(std::fs::read_to_string(path("b")).unwrap(), "b");
}

#[test]
fn percentages_of_pinned_hotspots_are_relative_to_the_tree() {
    let mut stage = stage();
    stage.play("j j f p  shows: 67.5");
    stage.play("2 f  rows: Orders.Price");
    // its breadcrumbs do not include the focus, which does not contain it
    assert_eq!(stage.explorer().tree().outer.len(), 1);
}

#[test]
fn hotspots_of_a_method_only_show_sums() {
    let mut stage = stage();
    stage.play("2  shows: 6,312.0 ms excl in 4 occurrences, most in Main · 4 samples");
}

#[test]
fn a_new_search_ignores_answers_of_a_closed_one() {
    let mut stage = stage();
    stage.press("/");
    let late = stage.press_without_work("p");
    stage.press("esc /");
    stage.do_work(late);
    stage.play("lacks: of 7 methods");
    stage.play("enter  on: All threads");
}

#[test]
fn searching_for_the_selected_method_finds_exactly_it() {
    // the other two have more time, and contain its name
    let mut stage = Stage::new(profile_of("T;A.Run 1|T;A.RunAll 5|T;B.A.Run 7"), 120, 30);
    stage.play("G j E G  on: A.Run");
    stage.play("* enter  says: occurrence 1 of 1: A.Run");
}

#[test]
fn hidden_panes_keep_their_size() {
    let mut stage = Stage::new(shop(), 60, 15);
    let shown = |stage: &Stage| {
        stage
            .explorer()
            .tree()
            .shown
            .screen(stage.explorer().view(), 9)
    };
    stage.press("E G 2");
    let before = shown(&stage);
    stage.play("1 61x15 3 60x15 20x5 60x15 1");
    assert_eq!(shown(&stage), before);
}

#[test]
fn a_breadcrumb_can_be_clicked() {
    let mut stage = stage();
    stage.play("j f j f j f  crumbs: All threads|Main|Program.Main|Orders.Run");
    stage.play("click@16,1  crumbs: All threads|Main");
    stage.play("click@3,1  crumbs: All threads");
}

#[test]
fn folding_and_movement_follow_conventions() {
    let mut stage = stage();
    stage.play("j l l l l  on: Orders.Run");
    stage.play("h  on: Program.Main");
    stage.play("h h h h  on: All threads");
    stage.play("E G  on: Orders.Price");
    assert_eq!(rows(&stage).len(), 13);
    stage.play("g C  rows: All threads");
    stage.play("space j e  rows: All threads|>Main|>>Program.Main|>Pool|>>Thread.Start");
    stage.play("c J  on: Pool  rows: All threads|>Main|>Pool");
    stage.play("K g J  on: All threads");
}

#[test]
fn sorting_in_both_directions_keeps_the_selection() {
    let mut stage = stage();
    stage.play("j enter h  on: Orders.Run");
    let order = "rows 1: >>>Thread.Sleep|>>>Orders.Price|>>>Orders.Run|>>>>Orders.Price";
    stage.play("s  says: ordered by exclusive  on: Orders.Run");
    stage.play(order);
    stage.play("s s  says: ordered by name");
    stage.play("S  rows 2: >>>Thread.Sleep");
    stage.play("s  says: ordered by inclusive");
    // a click on a column header sorts by it, a second one reverses the order
    let header = stage.explorer().layout.header(0);
    stage.act(Action::Click(header.x + 4, header.y));
    assert_eq!(stage.notice(), "ordered by inclusive, reversed");
}

#[test]
fn esc_goes_one_step_back_and_never_quits() {
    let mut stage = stage();
    stage.play("j f 2 esc  rows 0: All threads");
    stage.play("esc esc esc esc  quit: no  says: nothing to go back to; q quits");
    stage.play("q  quit: yes");
}

#[test]
fn names_and_paths_are_copied() {
    let mut stage = stage();
    stage.press("j enter y Y");
    let path = "All threads\nMain\nProgram.Main\nOrders.Run\nOrders.Price";
    assert_eq!(stage.copied, ["Orders.Price", path]);
}

#[test]
fn the_mouse_can_replace_keys() {
    let mut stage = stage();
    let tree = stage.explorer().layout.rows(0);
    stage.act(Action::Click(tree.x + 5, tree.y + 1));
    assert_eq!(stage.selected(), "Main");
    stage.act(Action::DoubleClick(tree.x + 5, tree.y + 1));
    assert_eq!(rows(&stage).len(), 4, "a double click opens");
    let hot = stage.explorer().layout.rows(1);
    stage.act(Action::DoubleClick(hot.x + 3, hot.y));
    stage.play("on: Orders.Price  says: occurrence 1 of 4: Orders.Price");
    stage.play("60x15 click@12,1");
    assert_eq!(stage.explorer().page().focus, 1, "a tab is clicked");
    stage.play("wheel@5,5,3 click@500,500");
}

#[test]
fn every_key_works_at_every_size() {
    let keymap = Keymap::default();
    let keys: Vec<&String> = keymap.all().flat_map(|command| &command.keys).collect();
    for (width, height) in [(40, 8), (110, 16), (200, 60)] {
        let mut stage = Stage::new(shop(), width, height);
        let back = keys.iter().rev().filter(|_| width == 110);
        for (index, key) in keys.iter().chain(back).enumerate() {
            // must not write files
            if *key == "enter" && matches!(stage.explorer().overlay, Overlay::Export(_)) {
                continue;
            }
            stage.press(key);
            let screen = stage.screen();
            let explorer = stage.explorer();
            if matches!(explorer.overlay, Overlay::None) {
                // removing methods may leave nothing
                let has_selection =
                    screen.contains('▶') || screen.contains("nothing was measured here");
                assert!(has_selection, "after {index}: {key}\n{screen}");
                // hotspots belong to the selection
                let lists = explorer.hot.lists.as_ref().unwrap();
                let selected = (explorer.hot_scope(), explorer.lens().metric);
                assert_eq!((lists.scope, lists.measure.metric), selected, "{key}");
            }
            // a flame graph may replace them
            let has_lists = stage.explorer().pages[0].panels.len() > 2;
            let lists = [1, 2].into_iter().filter(|_| has_lists);
            for list in lists.map(|panel| stage.hotspots(panel)) {
                assert!(list.cursor.selected < list.rows().len().max(1), "{key}");
            }
        }
    }
}

#[test]
fn rows_have_the_right_depth_after_any_navigation() {
    let mut stage = stage();
    stage.press("E");
    for keys in [
        "G", "k", "k", "K", "H", "g", "pagedown", "ctrl-u", "s", "S", "j j j", "C", "G", "enter",
        "f", "j", "esc", "z z",
    ] {
        stage.press(keys);
        let explorer = stage.explorer();
        let (rows, at) = explorer.tree().shown.screen(explorer.view(), 8);
        assert_eq!(rows[at].node, explorer.tree().shown.selected, "{keys}");
        for row in rows {
            let ancestors = explorer.view().tree.ancestors(row.node);
            let root = explorer.tree().shown.root();
            let above = ancestors.filter(|&node| node >= root).count();
            assert_eq!(row.depth, above, "after {keys}");
        }
    }
}

#[test]
fn scrolling_by_wheel_stops_at_the_ends() {
    let deep: Vec<String> = (0..100).map(|n| format!("M{n}")).collect();
    let mut stage = Stage::new(profile_of(&format!("T;{} 1", deep.join(";"))), 120, 20);
    stage.press("E");
    let tree = stage.explorer().layout.rows(0);
    let first = |stage: &Stage| {
        let explorer = stage.explorer();
        let shown = &explorer.tree().shown;
        let (rows, _) = shown.screen(explorer.view(), usize::from(tree.height));
        rows[0].node.0
    };
    stage.act(Action::Wheel(tree.x, tree.y, 3));
    assert_eq!(first(&stage), 3);
    stage.act(Action::Wheel(tree.x, tree.y, -30));
    assert_eq!(first(&stage), 0);
    stage.act(Action::Wheel(tree.x, tree.y, 3000));
    assert_eq!(first(&stage), 102 - u32::from(tree.height));
}

/// An app waiting for another program.
fn waiting(step: &str) -> App {
    let mut app = App::new("snap.dtp", 60, 15);
    let loading = Loading {
        step: Some(step.into()),
        elapsed_ms: 3000,
        ..Loading::default()
    };
    let _ = app.update(Event::Message(Message::Progress(loading)));
    app
}

#[test]
fn waiting_for_another_program_can_be_cancelled_immediately() {
    for key in ["esc", "q", "ctrl-c"] {
        let mut app = waiting("building the helper");
        // other keys do nothing
        assert_eq!(press_before(&mut app, "j d enter"), []);
        assert_eq!(press_before(&mut app, key), [Effect::Quit], "{key}");
    }
}

#[test]
fn a_failure_can_be_scrolled_and_left() {
    let mut app = waiting("starting Reporter");
    let failure = OpenFailure {
        stage: Some("decoder"),
        sentence: "snap.dtp: stage decoder: no Reporter was found; name it with --reporter".into(),
        detail: (1..=30).map(|n| format!("  place {n}")).collect(),
    };
    let _ = app.update(Event::Message(Message::Loaded(Err(failure), None)));
    // 15 rows: 3 above, 1 below, 11 between. The sentence has 2 lines, followed by a blank line and 30 locations.
    let top = |app: &App| match &app.screen {
        Screen::Failed(failed) => failed.top,
        _ => panic!("the failure is shown"),
    };
    let steps = "j G pagedown 0|d 3|k 2|down j 4|ctrl-d 9|pagedown 19|pagedown 22|j 22|ctrl-u 17|g 0|G 22|d 0|d G 22";
    for (keys, expect) in steps.split('|').filter_map(|step| step.rsplit_once(' ')) {
        assert_eq!(press_before(&mut app, keys), []);
        assert_eq!(top(&app).to_string(), expect, "after {keys}");
    }
    let _ = app.update(Event::Action(Action::Wheel(5, 5, -3)));
    assert_eq!(top(&app), 19);
    let _ = app.update(Event::Resize(60, 30));
    assert_eq!(top(&app), 7, "33 lines, 26 of them shown");
    for key in ["q", "esc", "enter", "ctrl-c"] {
        assert_eq!(press_before(&mut app, key), [Effect::Quit], "{key}");
    }
}

/// The rows of the picker with their checkboxes. The cursor is marked.
fn boxes(stage: &Stage) -> String {
    let Overlay::Threads(picker) = &stage.explorer().overlay else {
        return "closed".into();
    };
    let read = &stage.explorer().whole;
    let name = |row| match row {
        PickerRow::Thread(thread) => read.threads[thread].name.clone(),
        PickerRow::Process(group) => picker.groups[group]
            .process
            .map_or("-".into(), |process| read.processes[process].name.clone()),
    };
    let row = |(at, &row): (usize, &PickerRow)| {
        let mark = match picker.mark(row) {
            Mark::All => "x",
            Mark::Some => "-",
            Mark::None => " ",
        };
        let is_selected = at == picker.cursor.selected;
        format!(
            "[{mark}]{}{}",
            if is_selected { "*" } else { "" },
            name(row)
        )
    };
    let rows: Vec<String> = picker.rows.iter().enumerate().map(row).collect();
    rows.join(" ")
}

#[test]
fn threads_are_selected_and_esc_restores_them() {
    let mut stage = stage();
    stage.play("t  boxes: [x]*Main [x]Pool");
    stage.play("j space  boxes: [x]Main [ ]*Pool");
    stage.play("enter  boxes: closed  rows: 1 of 2 threads|>Main  says: shown: 1 of 2 threads");
    assert_contains(
        stage.screen().lines().next().unwrap(),
        " · 1 of 2 threads · ",
    );
    // Price without its samples in Pool, and Sleep
    let rows = stage.hotspots(1).rows().iter();
    let hottest: Vec<u64> = rows.map(|row| row.exclusive / 1_000_000).collect();
    assert_eq!(hottest, [5112, 3000]);
    // a method that only occurs in Pool is neither found nor counted
    stage.play("/ 'retry'  shows: of 4 methods");
    // esc leaves the pane, then the thread selection, and nothing more
    stage.play("esc 2 esc  rows: 1 of 2 threads|>Main");
    stage.play("esc  rows: All threads|>Main|>Pool");
    stage.play("esc  says: nothing to go back to; q quits");
}

#[test]
fn merging_threads_makes_one_tree_and_keeps_the_selection() {
    let mut stage = stage();
    stage.play("j j enter  on: Orders.Price");
    stage.play("t m  shows: m merges  ( ) none  (•) all");
    stage.play("enter  on: Orders.Price");
    stage.play("Y  shows: 2 threads, merged");
    let path = "All threads\n2 threads merged\nThread.Start\nOrders.Handle\nOrders.Price";
    assert_eq!(stage.copied, [path]);
    stage.play("t m enter  rows: All threads|>Main|>Pool|>>Thread.Start|>>>Orders.Handle|>>>>Orders.Price|>>>Orders.Retry");
    stage.play("on: Orders.Price");
}

#[test]
fn the_picker_changes_nothing_until_applied() {
    let mut stage = stage();
    stage.play(
        "
        j t a              boxes: [ ]*Main [ ]Pool
        enter              shows: choose at least one thread; a chooses all
        esc                rows: All threads|>Main|>Pool
        t                  boxes: [x]*Main [x]Pool
        G i k space space  boxes: [ ]*Main [x]Pool
        a enter            rows: All threads|>Main|>Pool",
    );
    stage.play("P  boxes: closed  says: this profile has one process; t chooses its threads");
    let mut one = Stage::new(profile_of("Main;a 1"), 80, 20);
    one.play("t  boxes: closed  says: this profile has one thread");
}

#[test]
fn a_slow_thread_selection_can_be_cancelled_and_the_newest_wins() {
    let mut stage = stage();
    stage.press("t i");
    let first = stage.press_without_work("enter");
    stage.play("shows: choosing threads …");
    stage.play("j  rows: All threads|>Main|>Pool");
    stage.play("esc  says: cancelled; the view is unchanged");
    stage.do_work(first);
    stage.play("rows: All threads|>Main|>Pool");
    stage.play("t i");
    let first = stage.press_without_work("enter");
    stage.press("t G i");
    let second = stage.press_without_work("enter");
    stage.do_work(first);
    stage.do_work(second);
    assert_eq!(rows(&stage), ["1 of 2 threads", ">Pool"]);
}

/// Two processes with two threads each.
fn fleet() -> View {
    let events = |pid: u64, name: &str, tids: &[(u64, u64)]| {
        let thread = |&(tid, ms): &(u64, u64)| {
            format!(
                r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":"t{tid}"}}}},
                   {{"ph":"X","pid":{pid},"tid":{tid},"name":"Run","ts":0,"dur":{ms}000}}"#
            )
        };
        let threads: Vec<String> = tids.iter().map(thread).collect();
        format!(
            r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}},{}"#,
            threads.join(",")
        )
    };
    let text = format!(
        "[{},{}]",
        events(1, "web", &[(11, 70), (12, 20)]),
        events(2, "job", &[(21, 40), (22, 10)])
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fleet.json");
    std::fs::write(&file, text).unwrap();
    opened(&file)
}

#[test]
fn processes_are_headings_with_their_own_boxes() {
    let mut stage = Stage::new(fleet(), 100, 24);
    stage.play(
        "
        t                    boxes: [x]*web [x]t11 [x]t12 [x]job [x]t21 [x]t22
        j j space tab space  boxes: [-]web [x]t11 [ ]t12 [ ]*job [ ]t21 [ ]t22
        K space h            boxes: [x]*web [ ]job [ ]t21 [ ]t22
        l enter              rows: 1 of 2 processes|>Process (1) web
        // folded, with the cursor on the current process
        esc j j P            boxes: [x]web [x]*job
        i enter              rows: 1 of 2 processes|>Process (2) job
        t a m enter E g E    rows: All threads|>Process (1) web|>>2 threads merged|>>>Run|>Process (2) job|>>2 threads merged|>>>Run",
    );
}

#[test]
fn the_picker_works_with_the_mouse() {
    let mut stage = Stage::new(fleet(), 100, 24);
    stage.press("t");
    let screen = stage.screen();
    let line_of = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap() as u16;
    let [t12, job, merge] = ["t12", "job, 2 threads", "m merges"].map(line_of);
    // a click selects a row, or toggles a checkbox
    stage.act(Action::Click(60, t12));
    stage.play("boxes: [x]web [x]t11 [x]*t12 [x]job [x]t21 [x]t22");
    stage.act(Action::Click(5, job));
    stage.play("boxes: [x]web [x]t11 [x]t12 [ ]*job [ ]t21 [ ]t22");
    stage.act(Action::DoubleClick(60, t12));
    stage
        .act(Action::Click(10, merge))
        .act(Action::Click(99, 23));
    stage.play("boxes: [-]web [x]t11 [ ]*t12 [ ]job [ ]t21 [ ]t22  shows: 1 of 4, merged");
    stage.play("40x8 wheel@5,4,3  shows: [ ]");
}

#[test]
fn an_unbound_key_is_reported() {
    let mut stage = stage();
    stage.play("A  notes: A does nothing here; a: write a note");
    stage.play("t I  says: I does nothing here; i: select only this thread or process");
    stage.play("esc j");
    assert_eq!(stage.explorer().notice, None);
}

#[test]
fn s_sorts_the_focused_pane() {
    let mut stage = stage();
    #[track_caller]
    fn check(stage: &mut Stage, script: &str, methods: &str) {
        stage.play(script);
        let explorer = stage.explorer();
        let rows = stage.hotspots(1).rows().iter();
        let names = rows.map(|row| explorer.view().frames.display_name(row.frame));
        assert_eq!(names.collect::<Vec<_>>().join(" "), methods);
    }
    let sort = stage.explorer().tree().shown.outline.sort;
    check(&mut stage, "", "Orders.Price Thread.Sleep Thread.Start");
    stage.play("2 s  says: hotspots ordered by name");
    let script = "S  says: hotspots ordered by name, reversed  shows: ▴method";
    check(&mut stage, script, "Thread.Start Thread.Sleep Orders.Price");
    // also for another selection
    check(&mut stage, "1 j", "Thread.Sleep Orders.Price");
    let script = "2 s  says: hotspots ordered by exclusive  shows: ▾excl ms";
    check(&mut stage, script, "Orders.Price Thread.Sleep");
    // the tree has its own order
    assert_eq!(stage.explorer().tree().shown.outline.sort, sort);
    stage.play("1 s  says: ordered by exclusive");
}

#[test]
fn a_list_sorted_by_calls_survives_a_metric_without_calls() {
    let mut recording = dotspot::testing::model::recording_of("T;a 5|T;b 3");
    recording.metrics[0].counts = None;
    let mut stage = Stage::new(recording.into_view(), 120, 30);
    stage.press("2");
    // the state after `s`, `m` if the first metric has calls
    if let Screen::Explorer(explorer) = &mut stage.app.screen {
        let AnyPanel::Hotspots(list) = &mut explorer.pages[0].panels[1] else {
            panic!("a list of hotspots");
        };
        list.sort.column = SortColumn::Count;
    }
    stage.play("s  says: hotspots ordered by exclusive");
}
