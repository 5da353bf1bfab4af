//! What users do, key by key, through the real keymap.

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
mod processes;
mod range;
mod repair;
mod reports;
mod time;

mod waiting;

use crate::common::stage::{Stage, press_before};
use crate::common::text::{has, has_all};
use dotspot::testing::app::keymap::Keymap;
use dotspot::testing::app::panels::{AnyPanel, HotColumn};
use dotspot::testing::app::picker::{Mark, PickerRow};
use dotspot::testing::app::{
    Action, App, Effect, Event, Loading, Message, OpenFailure, Overlay, Screen,
};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::testing::profile_of;
use dotspot::testing::model::{NodeId, View};
use std::path::Path;
use std::sync::Arc;

/// Two threads; `Price` in four places: 5100 and 12 below Main, 900 and 300 below Pool.
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

/// The rows of the tree on the screen, indent and name.
fn rows(stage: &Stage) -> Vec<String> {
    let explorer = stage.explorer();
    let (rows, _) = explorer.tree().shown.screen(explorer.view(), 100);
    rows.iter()
        .map(|row| {
            format!(
                "{}{}",
                ">".repeat(row.depth),
                explorer.view().display_name(row.node)
            )
        })
        .collect()
}

#[test]
fn the_hot_path_opens_to_where_time_spreads() {
    let mut stage = stage();
    stage.press("j enter");
    assert_eq!(stage.selected(), "Orders.Price");
    assert_eq!(
        rows(&stage),
        [
            "All threads",
            ">Main",
            ">>Program.Main",
            ">>>Orders.Run",
            ">>>>Orders.Price",
            ">>>Thread.Sleep",
            ">>>Orders.Price",
            ">Pool"
        ]
    );
    assert!(
        stage.notice().starts_with("hot path: 3 levels down"),
        "{}",
        stage.notice()
    );
}

#[test]
fn from_hot_path_over_pinned_hotspots_to_an_export_that_opens_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("price.json");
    let mut stage = stage();
    stage.press("j enter");
    assert_eq!(
        stage.hotspots(1).rows().len(),
        1,
        "hotspots follow the selection"
    );
    stage.press("p");
    assert_eq!(
        stage.hotspots(1).rows().len(),
        3,
        "pinned to the whole tree"
    );
    stage.press("2 enter n");
    assert_eq!(stage.notice(), "occurrence 2 of 4: Orders.Price");
    let second = stage.explorer().tree().shown.selected;
    assert_eq!(
        stage
            .explorer()
            .view()
            .tree
            .inclusive(stage.explorer().lens().metric, second),
        900_000_000
    );
    stage.press("H f");
    assert_eq!(rows(&stage), ["Orders.Handle", ">Orders.Price"]);
    stage
        .press("x ctrl-u")
        .type_text(file.to_str().unwrap())
        .press("enter");
    assert!(
        stage.notice().contains("price.json: 2 nodes"),
        "{}",
        stage.notice()
    );

    let opened = dotspot::testing::cli::open(
        &dotspot::testing::cli::Target::File(file.clone()),
        &Default::default(),
        Default::default(),
    )
    .unwrap();
    assert_eq!(opened.display_name(NodeId(0)), "Orders.Handle");
    assert_eq!(opened.display_name(NodeId(1)), "Orders.Price");
    assert_eq!(
        opened
            .tree
            .exclusive(opened.recording.default_metric, NodeId(1)),
        900_000_000
    );
    let again = Stage::new(opened, 80, 20);
    assert_eq!(rows(&again), ["Orders.Handle", ">Orders.Price"]);

    // the same name again: a question, no, another answer, yes
    stage
        .press("x ctrl-u")
        .type_text(file.to_str().unwrap())
        .press("enter");
    assert!(
        stage
            .screen()
            .contains("this file exists. Overwrite it? y / n")
    );
    stage.press("n");
    assert!(
        matches!(&stage.explorer().overlay, Overlay::Export(export) if export.asks_to_overwrite.is_none())
    );
    stage.press("enter y");
    assert!(stage.notice().contains("wrote"), "{}", stage.notice());

    stage.press("esc");
    assert_eq!(
        rows(&stage)[0],
        "All threads",
        "one step back out of the focus"
    );
    assert_eq!(
        stage.explorer().tree().shown.selected.0 + 1,
        second.0,
        "the selection is where it was"
    );
}

/// The way to all other keys and the way out stand on every screen, and the way to warnings where there are some. Without times there
/// is no timeline.
#[test]
fn hints_give_way_by_their_usefulness() {
    for (width, warnings, expect) in [
        (
            130,
            0,
            "→ open  ← close  ⏎ hot path  / search  b callers  L methods  F flame  f focus  x export  t threads  w notes  ? help  q quit",
        ),
        (
            80,
            0,
            "→ open  ⏎ hot path  / search  b callers  L methods  F flame  ? help  q quit",
        ),
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
        assert_eq!(
            screen.lines().last().unwrap().trim(),
            expect,
            "{width} cells, {warnings} warnings"
        );
    }
}

#[test]
fn the_page_of_notes_says_how_it_was_taken() {
    let mut profile = shop();
    let source = &mut Arc::make_mut(&mut profile.recording).source;
    source.facts = vec![
        ("runtime".into(), ".NET 8.0".into()),
        ("command line".into(), "shop --fast".into()),
    ];
    (source.decoder, source.decoder_version) = ("Reporter".into(), "2024.3".into());
    profile.diagnostics = vec![Diagnostic::kept("half of it is lost".into())];
    let mut stage = Stage::new(profile, 80, 24);
    let screen = stage.press("w").screen();
    let order = [
        "half of it is lost",
        "Kind: ",
        "runtime       .NET 8.0",
        "command line  shop --fast",
        "decoder       Reporter 2024.3",
    ];
    let found: Vec<Option<usize>> = order.iter().map(|text| screen.find(text)).collect();
    assert!(
        found.iter().all(Option::is_some) && found.is_sorted(),
        "{found:?}\n{screen}"
    );
}

#[test]
fn the_extension_of_an_export_says_its_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start) in [
        ("a.json", &b"{\"schema\":\"dotspot.call-tree/1\""[..]),
        (
            "a.speedscope.json",
            b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"",
        ),
        ("a.folded", b"Main;"),
        ("a.json.gz", b"\x1f\x8b"),
        ("a.pb.gz", b"\x1f\x8b"),
    ] {
        let file = folder.path().join(name);
        let mut stage = stage();
        stage
            .press("x ctrl-u")
            .type_text(file.to_str().unwrap())
            .press("enter");
        assert!(stage.notice().contains(name), "{}", stage.notice());
        let bytes = std::fs::read(&file).unwrap();
        assert!(
            bytes.starts_with(start),
            "{name}: {:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(80)])
        );
    }
}

#[test]
fn an_export_takes_one_occurrence_or_all_of_the_method() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let opened = |path: &Path| {
        let target = dotspot::testing::cli::Target::File(path.to_path_buf());
        dotspot::testing::cli::open(&target, &Default::default(), Default::default()).unwrap()
    };
    let mut stage = stage();
    // a row of hotspots stands for all occurrences, the other with one key
    stage.press("2");
    let hotspot = stage.hotspots(1).rows()[0].inclusive;
    stage.press("x");
    assert!(
        stage
            .screen()
            .contains("all 4 occurrences as one tree; ⇥ only n"),
        "{}",
        stage.screen()
    );
    stage.press("tab");
    assert!(
        stage.screen().contains("one of 4 occurrences, n"),
        "{}",
        stage.screen()
    );
    stage
        .press("tab ctrl-u")
        .type_text(file("all.json").to_str().unwrap())
        .press("enter");
    assert!(
        stage
            .notice()
            .contains("all.json: all 4 occurrences as one tree, "),
        "{}",
        stage.notice()
    );
    let all = opened(&file("all.json"));
    assert_eq!(all.display_name(NodeId::ROOT), "Orders.Price");
    assert_eq!(
        all.tree
            .inclusive(all.recording.default_metric, NodeId::ROOT),
        hotspot
    );
    // a row of the tree is one
    stage.press("enter x");
    assert!(
        stage.screen().contains("one of 4 occurrences, n"),
        "{}",
        stage.screen()
    );
    stage
        .press("ctrl-u")
        .type_text(file("one.json").to_str().unwrap())
        .press("enter");
    assert!(
        stage.notice().contains("one.json: 1 node, "),
        "{}",
        stage.notice()
    );
    let explorer = stage.explorer();
    let one = opened(&file("one.json"));
    let value = explorer
        .view()
        .tree
        .inclusive(explorer.lens().metric, explorer.tree().shown.selected);
    assert_eq!(
        one.tree
            .inclusive(one.recording.default_metric, NodeId::ROOT),
        value
    );
    // what focuses says so, too
    stage.press("f");
    assert!(
        stage
            .notice()
            .contains("one of 4 occurrences of Orders.Price"),
        "{}",
        stage.notice()
    );
    // where there is one, there is no choice
    stage.press("esc g x tab");
    assert!(
        !stage.screen().contains("occurrences"),
        "{}",
        stage.screen()
    );
}

#[test]
fn a_name_of_no_format_is_refused_and_stays() {
    let mut stage = stage();
    stage.press("x ctrl-u").type_text("a.txt").press("enter");
    assert!(
        stage
            .screen()
            .contains(".txt is not the extension of any format"),
        "{}",
        stage.screen()
    );
    assert!(!Path::new("a.txt").exists());
}

#[test]
fn an_export_that_fails_says_why_and_stays() {
    let mut stage = stage();
    stage
        .press("x ctrl-u")
        .type_text("/no/such/folder/x.json")
        .press("enter");
    let screen = stage.screen();
    has(
        &screen,
        "/no/such/folder/x.json can't be written: no such file or directory",
    );
    stage.press("ctrl-u enter");
    assert!(stage.screen().contains("enter a file name"));
    stage.press("esc");
    assert!(matches!(stage.explorer().overlay, Overlay::None));
}

#[test]
fn hotspots_lead_to_the_heaviest_place_and_n_walks_through_all() {
    let mut stage = stage();
    stage.press("2 enter");
    assert_eq!(stage.notice(), "occurrence 1 of 4: Orders.Price");
    let mut seen = vec![stage.explorer().tree().shown.selected];
    for expect in [
        "occurrence 2 of 4",
        "occurrence 3 of 4",
        "occurrence 4 of 4",
        "occurrence 1 of 4",
    ] {
        stage.press("n");
        assert!(stage.notice().starts_with(expect), "{}", stage.notice());
        seen.push(stage.explorer().tree().shown.selected);
    }
    let weights: Vec<u64> = seen
        .iter()
        .map(|&node| {
            stage
                .explorer()
                .view()
                .tree
                .inclusive(stage.explorer().lens().metric, node)
                / 1_000_000
        })
        .collect();
    assert_eq!(weights, [5100, 900, 300, 12, 5100]);
    stage.press("N");
    assert!(stage.notice().starts_with("occurrence 4 of 4"));
}

#[test]
fn hotspots_of_a_selection_lead_into_that_selection() {
    let mut stage = stage();
    stage.press("j j");
    assert_eq!(stage.selected(), "Pool");
    stage.press("2 enter");
    assert_eq!(
        stage.notice(),
        "occurrence 2 of 4: Orders.Price",
        "the heaviest below Pool, not the heaviest of all"
    );
}

#[test]
fn search_is_live_and_goes_to_the_heaviest_place() {
    let mut stage = stage();
    stage.press("/").type_text("prc");
    assert!(
        stage.screen().contains("Orders.Price"),
        "{}",
        stage.screen()
    );
    stage.press("enter");
    assert_eq!(
        (stage.selected(), stage.notice()),
        ("Orders.Price", "occurrence 1 of 4: Orders.Price")
    );
    stage.press("/ esc");
    assert_eq!(stage.selected(), "Orders.Price");
}

#[test]
fn enter_before_the_answer_takes_the_first_row_when_it_comes() {
    let mut stage = stage();
    stage.press("/");
    let mut work = Vec::new();
    for key in ["s", "l", "e", "enter"] {
        work = [work, stage.press_without_work(key)].concat();
    }
    assert_eq!(
        stage.selected(),
        "All threads",
        "the worker has not answered yet"
    );
    stage.do_work(work);
    assert_eq!(stage.selected(), "Thread.Sleep");
}

#[test]
fn search_that_finds_nothing_says_so() {
    let mut stage = stage();
    stage.press("/").type_text("qqqqq");
    assert!(
        stage.screen().contains("no method matches"),
        "{}",
        stage.screen()
    );
    stage.press("enter");
    assert!(
        matches!(stage.explorer().overlay, Overlay::Search(_)),
        "there is nothing to go to"
    );
}

#[test]
fn resizing_while_searching_keeps_the_search() {
    let mut stage = stage();
    stage.press("/").type_text("pri").resize(60, 15);
    let screen = stage.screen();
    has_all(&screen, &["Search  pri", "Orders.Price"]);
    stage.resize(20, 5);
    assert!(
        stage.screen().starts_with("dotspot needs 40 x"),
        "{}",
        stage.screen()
    );
    stage.resize(200, 60).type_text("ce").press("enter");
    assert_eq!(stage.selected(), "Orders.Price");
}

#[test]
fn a_terminal_of_20_columns_gets_a_sentence_and_loses_nothing() {
    let mut stage = Stage::new(shop(), 20, 24);
    let screen = stage.screen();
    let text = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(text, "dotspot needs 40 x 8. Try: dotspot hotspots FILE");
    stage.press("j enter x enter").resize(120, 30);
    assert_eq!(stage.selected(), "All threads", "nobody acts blind");
    assert!(matches!(stage.explorer().overlay, Overlay::None));
    stage.press("j enter").resize(20, 24).press("q");
    assert!(stage.has_quit, "but leaving is always possible");
}

#[test]
fn a_size_that_comes_before_the_word_about_it_is_drawn_as_far_as_it_goes() {
    for (width, height) in [(120, 20), (119, 29), (80, 20), (40, 8), (3, 2), (200, 60)] {
        for keys in ["", "/ p", "x", "?", "2"] {
            let mut stage = Stage::new(shop(), 120, 30);
            stage.press(keys);
            stage.screen_of(width, height);
        }
    }
}

#[test]
fn only_the_file_that_was_asked_about_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for name in ["a", "ab", "b"] {
        std::fs::write(path(name), name).unwrap();
    }
    let mut stage = stage();
    stage.press("x ctrl-u").type_text(&path("a")).press("enter");
    stage.act(Action::Paste("b".into())).press("y");
    assert_eq!(
        std::fs::read_to_string(path("ab")).unwrap(),
        "ab",
        "pasted while the question was open"
    );
    assert_ne!(std::fs::read_to_string(path("a")).unwrap(), "a");
    // the answer about one file comes when the dialog is about another
    stage.press("x ctrl-u").type_text(&path("b"));
    let late = stage.press_without_work("enter");
    stage.press("esc x");
    assert!(
        stage.notice().contains("still writing"),
        "one file at a time: {}",
        stage.notice()
    );
    stage.do_work(late);
    assert!(
        stage
            .notice()
            .contains("already exists and was not overwritten"),
        "{}",
        stage.notice()
    );
    stage.press("x ctrl-u").type_text(&path("c")).press("y");
    assert_eq!(std::fs::read_to_string(path("b")).unwrap(), "b");
}

#[test]
fn leaving_waits_for_a_file_that_is_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("late.json");
    let mut stage = stage();
    stage.press("x ctrl-u").type_text(file.to_str().unwrap());
    let work = stage.press_without_work("enter");
    stage.press("esc q");
    assert!(
        !stage.has_quit && stage.notice().contains("quits when the file is written"),
        "{}",
        stage.notice()
    );
    stage.do_work(work);
    assert!(stage.has_quit && file.exists());
}

#[test]
fn percentages_of_pinned_hotspots_are_of_the_whole_tree() {
    let mut stage = stage();
    stage.press("j j f p");
    assert!(
        stage.screen().contains("67.5"),
        "Price has 6,312 of 9,352 ms, though the focus has 1,240: {}",
        stage.screen()
    );
    stage.press("2 f");
    assert_eq!(
        rows(&stage),
        ["Orders.Price"],
        "a pinned hotspot outside the focus"
    );
    assert_eq!(
        stage.explorer().tree().left.len(),
        1,
        "its breadcrumbs do not lead through the focus it is not in"
    );
}

#[test]
fn hotspots_of_a_method_say_sums_only() {
    let mut stage = stage();
    stage.press("2");
    assert!(
        stage
            .screen()
            .contains("6,312.0 ms excl in 4 occurrences, most in Main · 4 samples"),
        "{}",
        stage.screen()
    );
}

#[test]
fn the_answer_of_a_closed_search_is_not_shown_in_a_new_one() {
    let mut stage = stage();
    stage.press("/");
    let late = stage.press_without_work("p");
    stage.press("esc /");
    stage.do_work(late);
    assert!(
        !stage.screen().contains("of 7 methods"),
        "{}",
        stage.screen()
    );
    stage.press("enter");
    assert_eq!(stage.selected(), "All threads", "nothing was searched for");
}

#[test]
fn searching_for_the_selected_method_finds_that_one() {
    // the other two have more time, and the name within theirs
    let mut stage = Stage::new(profile_of("T;A.Run 1|T;A.RunAll 5|T;B.A.Run 7"), 120, 30);
    stage.press("G");
    stage.press("j E G");
    assert_eq!(stage.selected(), "A.Run");
    stage.press("* enter");
    assert_eq!(stage.notice(), "occurrence 1 of 1: A.Run");
}

#[test]
fn panes_that_are_not_in_front_keep_their_size() {
    let mut stage = Stage::new(shop(), 60, 15);
    stage.press("E G 2");
    let before = stage
        .explorer()
        .tree()
        .shown
        .screen(stage.explorer().view(), 9);
    stage
        .press("1")
        .resize(61, 15)
        .press("3")
        .resize(60, 15)
        .resize(20, 5)
        .resize(60, 15)
        .press("1");
    assert_eq!(
        stage
            .explorer()
            .tree()
            .shown
            .screen(stage.explorer().view(), 9),
        before
    );
}

#[test]
fn a_breadcrumb_can_be_clicked() {
    let mut stage = stage();
    stage.press("j f j f j f");
    assert_eq!(
        stage.explorer().breadcrumb_names(),
        ["All threads", "Main", "Program.Main", "Orders.Run"]
    );
    stage.act(Action::Click(16, 1));
    assert_eq!(stage.explorer().breadcrumb_names(), ["All threads", "Main"]);
    stage.act(Action::Click(3, 1));
    assert_eq!(stage.explorer().breadcrumb_names(), ["All threads"]);
}

#[test]
fn folding_and_moving_as_fingers_know_it() {
    let mut stage = stage();
    stage.press("j l l l l");
    assert_eq!(stage.selected(), "Orders.Run");
    stage.press("h");
    assert_eq!(
        stage.selected(),
        "Program.Main",
        "closed already, so to the caller"
    );
    stage.press("h h h h");
    assert_eq!(stage.selected(), "All threads");
    stage.press("E G");
    assert_eq!(stage.selected(), "Orders.Price");
    assert_eq!(
        stage
            .explorer()
            .tree()
            .shown
            .outline
            .row_count(stage.explorer().view()),
        13,
        "everything is open"
    );
    stage.press("g C");
    assert_eq!(rows(&stage), ["All threads"]);
    stage.press("space j e");
    assert_eq!(
        rows(&stage),
        [
            "All threads",
            ">Main",
            ">>Program.Main",
            ">Pool",
            ">>Thread.Start"
        ]
    );
    stage.press("c J");
    assert_eq!((stage.selected(), rows(&stage).len()), ("Pool", 3));
    stage.press("K g J");
    assert_eq!(stage.selected(), "All threads", "the root has no siblings");
}

#[test]
fn sorting_goes_both_ways_and_keeps_the_selection() {
    let mut stage = stage();
    stage.press("j enter h");
    assert_eq!(stage.selected(), "Orders.Run");
    let siblings = |stage: &Stage| -> Vec<String> {
        rows(stage)
            .into_iter()
            .filter(|row| row.starts_with(">>>"))
            .collect()
    };
    stage.press("s");
    assert_eq!(stage.notice(), "ordered by exclusive");
    assert_eq!(
        siblings(&stage),
        [
            ">>>Thread.Sleep",
            ">>>Orders.Price",
            ">>>Orders.Run",
            ">>>>Orders.Price"
        ]
    );
    assert_eq!(stage.selected(), "Orders.Run");
    stage.press("s s");
    assert_eq!(stage.notice(), "ordered by name");
    stage.press("S");
    assert_eq!(siblings(&stage)[0], ">>>Thread.Sleep");
    stage.press("s");
    assert_eq!(stage.notice(), "ordered by inclusive");
    // a click on a column's head orders by it, a second one the other way round
    let header = stage.explorer().layout.header(0);
    stage.act(Action::Click(header.x + 4, header.y));
    assert_eq!(stage.notice(), "ordered by inclusive, reversed");
}

#[test]
fn esc_goes_one_step_back_and_never_quits() {
    let mut stage = stage();
    stage.press("j f 2 esc");
    assert_eq!(rows(&stage)[0], "All threads", "out of the focus first");
    stage.press("esc esc esc esc");
    assert!(!stage.has_quit);
    assert_eq!(stage.notice(), "nothing to go back to; q quits");
    stage.press("q");
    assert!(stage.has_quit);
}

#[test]
fn names_and_paths_are_copied() {
    let mut stage = stage();
    stage.press("j enter y Y");
    assert_eq!(
        stage.copied,
        [
            "Orders.Price",
            "All threads\nMain\nProgram.Main\nOrders.Run\nOrders.Price"
        ]
    );
}

#[test]
fn the_mouse_does_what_keys_do() {
    let mut stage = stage();
    let tree = stage.explorer().layout.rows(0);
    stage.act(Action::Click(tree.x + 5, tree.y + 1));
    assert_eq!(stage.selected(), "Main");
    stage.act(Action::DoubleClick(tree.x + 5, tree.y + 1));
    assert_eq!(rows(&stage).len(), 4, "a double click opens");
    let hot = stage.explorer().layout.rows(1);
    stage.act(Action::DoubleClick(hot.x + 3, hot.y));
    assert_eq!(
        (stage.selected(), stage.notice()),
        ("Orders.Price", "occurrence 1 of 4: Orders.Price")
    );
    stage.resize(60, 15).act(Action::Click(12, 1));
    assert_eq!(stage.explorer().page().focus, 1, "a tab is clicked");
    stage
        .act(Action::Wheel(5, 5, 3))
        .act(Action::Click(500, 500));
}

#[test]
fn every_key_at_every_size_leaves_a_screen() {
    let keymap = Keymap::default();
    let keys: Vec<&String> = keymap.all().flat_map(|command| &command.keys).collect();
    for (width, height) in [(40, 8), (110, 16), (200, 60)] {
        let mut stage = Stage::new(shop(), width, height);
        for (index, key) in keys.iter().chain(keys.iter().rev()).enumerate() {
            // nothing may be written here
            if *key == "enter" && matches!(stage.explorer().overlay, Overlay::Export(_)) {
                continue;
            }
            stage.press(key);
            let screen = stage.screen();
            let explorer = stage.explorer();
            if matches!(explorer.overlay, Overlay::None) {
                // all that is left may be nothing, once methods were left out
                let has_selection =
                    screen.contains('▶') || screen.contains("nothing was measured here");
                assert!(
                    has_selection,
                    "the selection is on the screen after {index}: {key}\n{screen}"
                );
                let of = (
                    explorer.hot.lists.as_ref().unwrap().scope,
                    explorer.hot.lists.as_ref().unwrap().measure.metric,
                );
                assert_eq!(
                    of,
                    (explorer.hot_scope(), explorer.lens().metric),
                    "hotspots of what is selected after {key}"
                );
            }
            // a flame graph may be in their place
            let has_lists = stage.explorer().pages[0].panels.len() > 2;
            let lists = [1, 2].into_iter().filter(|_| has_lists);
            for list in lists.map(|panel| stage.hotspots(panel)) {
                assert!(
                    list.cursor.selected < list.rows().len().max(1),
                    "after {key}"
                );
            }
        }
    }
}

#[test]
fn every_row_knows_its_depth_however_it_was_reached() {
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
            let above = explorer
                .view()
                .tree
                .ancestors(row.node)
                .filter(|&node| node >= explorer.tree().shown.root())
                .count();
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
        stage
            .explorer()
            .tree()
            .shown
            .screen(stage.explorer().view(), usize::from(tree.height))
            .0[0]
            .node
            .0
    };
    stage.act(Action::Wheel(tree.x, tree.y, 3));
    assert_eq!(first(&stage), 3);
    stage.act(Action::Wheel(tree.x, tree.y, -30));
    assert_eq!(first(&stage), 0);
    stage.act(Action::Wheel(tree.x, tree.y, 3000));
    assert_eq!(first(&stage), 102 - u32::from(tree.height));
}

/// An app that waits for another program.
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
fn waiting_for_another_program_can_be_given_up_at_once() {
    for key in ["esc", "q", "ctrl-c"] {
        let mut app = waiting("building the helper");
        assert_eq!(
            press_before(&mut app, "j d enter"),
            [],
            "other keys mean nothing"
        );
        assert_eq!(press_before(&mut app, key), [Effect::Quit], "{key}");
    }
}

#[test]
fn a_failure_is_read_to_its_end_and_left() {
    let mut app = waiting("starting Reporter");
    let failure = OpenFailure {
        stage: Some("decoder"),
        sentence: "snap.dtp: stage decoder: no Reporter was found; name it with --reporter".into(),
        detail: (1..=30).map(|n| format!("  place {n}")).collect(),
    };
    let _ = app.update(Event::Message(Message::Loaded(Err(failure), None)));
    // 15 rows: 3 above, 1 below, 11 between; the sentence takes 2, a blank and 30 places follow
    let top = |app: &App| match &app.screen {
        Screen::Failed(failed) => failed.top,
        _ => panic!("the failure is shown"),
    };
    for (keys, expect) in [
        ("j G pagedown", 0),
        ("d", 3),
        ("k", 2),
        ("down j", 4),
        ("ctrl-d", 9),
        ("pagedown", 19),
        ("pagedown", 22),
        ("j", 22),
        ("ctrl-u", 17),
        ("g", 0),
        ("G", 22),
        ("d", 0),
        ("d G", 22),
    ] {
        assert_eq!(press_before(&mut app, keys), []);
        assert_eq!(top(&app), expect, "after {keys}");
    }
    let _ = app.update(Event::Action(Action::Wheel(5, 5, -3)));
    assert_eq!(top(&app), 19);
    let _ = app.update(Event::Resize(60, 30));
    assert_eq!(top(&app), 7, "33 lines, 26 of them shown");
    for key in ["q", "esc", "enter", "ctrl-c"] {
        assert_eq!(press_before(&mut app, key), [Effect::Quit], "{key}");
    }
}

#[test]
fn notes_say_what_is_wrong_and_what_it_is() {
    let mut profile = shop();
    profile.diagnostics = vec![
        Diagnostic::kept_note("annotated: slow start".into()),
        Diagnostic::kept("two samples were lost".into()),
    ];
    let mut stage = Stage::new(profile, 80, 24);
    let screen = stage.press("w").screen();
    let at = |text: &str| {
        screen
            .find(text)
            .unwrap_or_else(|| panic!("{text} is not in\n{screen}"))
    };
    assert!(at("Kind: sampling") < at("stacks were sampled at intervals"));
    assert!(at("stacks were sampled") < at("• annotated: slow start"));
    assert!(
        at("╮\n│Warnings") < at("• two samples were lost")
            && at("two samples") < at("Kind: sampling")
    );
    assert!(
        !stage.press("w").screen().contains("Kind:"),
        "the same key closes it"
    );
}

/// The rows of the picker with their boxes, the cursor marked.
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
        let cursor = if at == picker.cursor.selected {
            "*"
        } else {
            ""
        };
        format!("[{mark}]{cursor}{}", name(row))
    };
    picker
        .rows()
        .iter()
        .enumerate()
        .map(row)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn threads_are_chosen_and_come_back_with_esc() {
    let mut stage = stage();
    stage.press("t");
    assert_eq!(boxes(&stage), "[x]*Main [x]Pool");
    stage.press("j space");
    assert_eq!(boxes(&stage), "[x]Main [ ]*Pool");
    stage.press("enter");
    assert_eq!(boxes(&stage), "closed");
    assert_eq!(rows(&stage), ["1 of 2 threads", ">Main"]);
    assert_eq!(stage.notice(), "shown: 1 of 2 threads");
    assert!(
        stage
            .screen()
            .lines()
            .next()
            .unwrap()
            .contains(" · 1 of 2 threads · "),
        "{}",
        stage.screen()
    );
    let hottest: Vec<u64> = stage
        .hotspots(1)
        .rows()
        .iter()
        .map(|row| row.exclusive / 1_000_000)
        .collect();
    assert_eq!(hottest, [5112, 3000], "Price without those of Pool, Sleep");
    // a method that only Pool has is not found, and not counted
    stage.press("/").type_text("retry");
    assert!(
        stage.screen().contains("0 of 4 methods") || stage.screen().contains("nearest"),
        "{}",
        stage.screen()
    );
    stage.press("esc");
    // esc: out of the pane, then out of the choice, and no further
    stage.press("2 esc");
    assert_eq!(stage.explorer().view().threads.len(), 1);
    stage.press("esc");
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool"]);
    stage.press("esc");
    assert_eq!(stage.notice(), "nothing to go back to; q quits");
}

#[test]
fn merged_threads_are_one_tree_and_the_place_stays() {
    let mut stage = stage();
    stage.press("j j enter");
    assert_eq!(stage.selected(), "Orders.Price", "the hot path of Pool");
    stage.press("t m");
    assert!(
        stage.screen().contains("m merges  ( ) none  (•) all"),
        "{}",
        stage.screen()
    );
    stage.press("enter");
    assert_eq!(stage.selected(), "Orders.Price");
    let explorer = stage.explorer();
    let path: Vec<&str> = explorer
        .view()
        .tree
        .ancestors(explorer.tree().shown.selected)
        .map(|node| explorer.view().display_name(node))
        .collect();
    assert_eq!(
        path,
        [
            "Orders.Handle",
            "Thread.Start",
            "2 threads merged",
            "All threads"
        ]
    );
    assert!(
        stage.screen().contains("2 threads, merged"),
        "{}",
        stage.screen()
    );
    stage.press("t m enter");
    assert_eq!(
        rows(&stage),
        [
            "All threads",
            ">Main",
            ">Pool",
            ">>Thread.Start",
            ">>>Orders.Handle",
            ">>>>Orders.Price",
            ">>>Orders.Retry"
        ]
    );
    assert_eq!(stage.selected(), "Orders.Price");
}

#[test]
fn the_picker_leaves_all_as_it_was_until_it_is_applied() {
    let mut stage = stage();
    stage.press("j t a");
    assert_eq!(boxes(&stage), "[ ]*Main [ ]Pool");
    stage.press("enter");
    assert!(
        stage
            .screen()
            .contains("choose at least one thread; a chooses all"),
        "{}",
        stage.screen()
    );
    stage.press("esc");
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool"]);
    stage.press("t");
    assert_eq!(boxes(&stage), "[x]*Main [x]Pool");
    stage.press("G i k space space");
    assert_eq!(boxes(&stage), "[ ]*Main [x]Pool");
    stage.press("a enter");
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool"]);
    let mut one = Stage::new(profile_of("Main;a 1"), 80, 20);
    one.press("t");
    assert_eq!(
        (boxes(&one).as_str(), one.notice()),
        ("closed", "this profile has one thread")
    );
    stage.press("P");
    assert_eq!(
        (boxes(&stage).as_str(), stage.notice()),
        (
            "closed",
            "this profile has one process; t chooses its threads"
        )
    );
}

#[test]
fn a_choice_that_takes_long_can_be_given_up_and_the_newest_wins() {
    let mut stage = stage();
    stage.press("t i");
    let first = stage.press_without_work("enter");
    assert!(
        stage.screen().contains("choosing threads …"),
        "{}",
        stage.screen()
    );
    stage.press("j");
    assert_eq!(
        rows(&stage),
        ["All threads", ">Main", ">Pool"],
        "the tree stays until the other is there"
    );
    stage.press("esc");
    assert_eq!(stage.notice(), "cancelled; threads unchanged");
    stage.do_work(first);
    assert_eq!(rows(&stage), ["All threads", ">Main", ">Pool"]);
    stage.press("t i");
    let first = stage.press_without_work("enter");
    stage.press("t G i");
    let second = stage.press_without_work("enter");
    stage.do_work(first);
    stage.do_work(second);
    assert_eq!(rows(&stage), ["1 of 2 threads", ">Pool"]);
}

/// Two processes of two threads each.
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
    dotspot::testing::cli::open(
        &dotspot::testing::cli::Target::File(file),
        &Default::default(),
        Default::default(),
    )
    .unwrap()
}

#[test]
fn processes_are_headings_with_boxes_of_their_own() {
    let mut stage = Stage::new(fleet(), 100, 24);
    stage.press("t");
    assert_eq!(boxes(&stage), "[x]*web [x]t11 [x]t12 [x]job [x]t21 [x]t22");
    stage.press("j j space tab space");
    assert_eq!(boxes(&stage), "[-]web [x]t11 [ ]t12 [ ]*job [ ]t21 [ ]t22");
    stage.press("K space h");
    assert_eq!(boxes(&stage), "[x]*web [ ]job [ ]t21 [ ]t22");
    stage.press("l enter");
    assert_eq!(rows(&stage), ["1 of 2 processes", ">Process (1) web"]);
    // folded, on the process that is looked at
    stage.press("esc j j P");
    assert_eq!(boxes(&stage), "[x]web [x]*job");
    stage.press("i enter");
    assert_eq!(rows(&stage), ["1 of 2 processes", ">Process (2) job"]);
    stage.press("t a m enter");
    stage.press("E");
    let expect = [
        "All threads",
        ">Process (1) web",
        ">>2 threads merged",
        ">>>Run",
        ">Process (2) job",
        ">>2 threads merged",
        ">>>Run",
    ];
    stage.press("g E");
    assert_eq!(rows(&stage), expect);
}

#[test]
fn the_picker_works_with_the_mouse() {
    let mut stage = Stage::new(fleet(), 100, 24);
    stage.press("t");
    let screen = stage.screen();
    let line_of = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap() as u16;
    let (t12, job, merge) = (
        line_of("t12"),
        line_of("job, 2 threads"),
        line_of("m merges"),
    );
    stage.act(Action::Click(60, t12));
    assert_eq!(
        boxes(&stage),
        "[x]web [x]t11 [x]*t12 [x]job [x]t21 [x]t22",
        "a click selects"
    );
    stage.act(Action::Click(5, job));
    assert_eq!(
        boxes(&stage),
        "[x]web [x]t11 [x]t12 [ ]*job [ ]t21 [ ]t22",
        "on a box it ticks"
    );
    stage
        .act(Action::DoubleClick(60, t12))
        .act(Action::Click(10, merge))
        .act(Action::Click(99, 23));
    assert_eq!(boxes(&stage), "[-]web [x]t11 [ ]*t12 [ ]job [ ]t21 [ ]t22");
    assert!(
        stage.screen().contains("1 of 4, merged"),
        "{}",
        stage.screen()
    );
    stage.resize(40, 8).act(Action::Wheel(5, 4, 3));
    assert!(stage.screen().contains("[ ]"), "{}", stage.screen());
}

#[test]
fn a_key_that_means_nothing_says_so() {
    let mut stage = stage();
    stage.press("A");
    assert!(
        stage
            .notice()
            .starts_with("A does nothing here; a: write a note"),
        "{}",
        stage.notice()
    );
    stage.press("t I");
    assert_eq!(
        stage.notice(),
        "I does nothing here; i: select only this thread or process"
    );
    stage.press("esc j");
    assert_eq!(stage.explorer().notice, None);
}

#[test]
fn s_orders_the_pane_that_has_the_keys() {
    let mut stage = stage();
    let methods = |stage: &Stage| -> Vec<String> {
        let explorer = stage.explorer();
        let rows = stage.hotspots(1).rows().iter();
        rows.map(|row| explorer.view().frames.display_name(row.frame).to_string())
            .collect()
    };
    assert_eq!(
        methods(&stage),
        ["Orders.Price", "Thread.Sleep", "Thread.Start"]
    );
    let sort = stage.explorer().tree().shown.outline.sort();
    stage.press("2 s");
    assert_eq!(stage.notice(), "hotspots ordered by name");
    stage.press("S");
    assert_eq!(stage.notice(), "hotspots ordered by name, reversed");
    assert_eq!(
        methods(&stage),
        ["Thread.Start", "Thread.Sleep", "Orders.Price"]
    );
    assert!(stage.screen().contains("▴method"), "{}", stage.screen());
    // of another selection, too
    stage.press("1 j");
    assert_eq!(methods(&stage), ["Thread.Sleep", "Orders.Price"]);
    stage.press("2 s");
    assert_eq!(stage.notice(), "hotspots ordered by exclusive");
    assert_eq!(methods(&stage), ["Orders.Price", "Thread.Sleep"]);
    assert!(stage.screen().contains("▾excl ms"), "{}", stage.screen());
    assert_eq!(
        stage.explorer().tree().shown.outline.sort(),
        sort,
        "the tree is ordered by its own key"
    );
    stage.press("1 s");
    assert_eq!(stage.notice(), "ordered by exclusive");
}

#[test]
fn a_list_that_is_ordered_by_calls_survives_a_metric_without_calls() {
    let mut recording = dotspot::testing::model::testing::recording_of("T;a 5|T;b 3");
    recording.metrics[0].counts = None;
    let mut stage = Stage::new(recording.into_view(), 120, 30);
    stage.press("2");
    // as the keys `s`, `m` leave it where the first metric has calls
    if let Screen::Explorer(explorer) = &mut stage.app.screen {
        let AnyPanel::Hotspots(list) = &mut explorer.pages[0].panels[1] else {
            panic!("a list of hotspots");
        };
        list.sort.column = HotColumn::Calls;
    }
    stage.press("s");
    assert_eq!(stage.notice(), "hotspots ordered by exclusive");
}
