//! Golden screens of the bundled sample, as a person sees them. A change is read line by line before it is accepted.

mod common;

use common::stage::Stage;
use dotspot::app::{App, Event, Loading, Message, OpenFailure};
use dotspot::cli::{Target, open};
use dotspot::model::Profile;
use dotspot::ui::{Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn sample() -> Profile {
    let mut profile = open(&Target::Sample, &Default::default(), Default::default()).unwrap();
    profile.source.name = "js-ordered-consume.nettrace".into();
    profile
}

#[track_caller]
fn golden(name: &str, width: u16, height: u16, keys: &str) {
    let mut stage = Stage::new(sample(), width, height);
    stage.press(keys);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => format!("{width} x {height}, after: {keys}") }, {
        insta::assert_snapshot!(name, stage.screen());
    });
}

#[test]
fn opened() {
    golden("wide-opened", 130, 30, "");
}

#[test]
fn hot_path() {
    golden("wide-hot-path", 130, 30, "j enter");
}

#[test]
fn second_place_of_a_method() {
    golden("wide-second-place", 130, 30, "2 enter n");
}

#[test]
fn focused_on_wall_time_and_sorted() {
    golden("wide-focus-wall-sorted", 130, 30, "j f m s E");
}

#[test]
fn search() {
    golden("wide-search", 130, 30, "/ d i s c");
}

#[test]
fn search_before_typing() {
    golden("narrow-search-empty", 60, 15, "/");
}

#[test]
fn export() {
    golden("wide-export", 130, 30, "2 x");
}

#[test]
fn help() {
    golden("wide-help", 130, 30, "?");
}

#[test]
fn narrow_tree() {
    golden("narrow-tree", 60, 15, "j enter");
}

#[test]
fn narrow_hotspots() {
    golden("narrow-hotspots", 60, 15, "2");
}

#[test]
fn smallest() {
    golden("smallest", 40, 8, "j enter");
}

#[test]
fn raw_names_on_a_large_screen() {
    golden("large-raw-names", 200, 40, "r 3 j j");
}

fn frame(app: &App) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, app, Theme::COLOUR)).unwrap();
    let text = terminal.backend().to_string();
    text.lines().map(|line| line.trim_matches('"').trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn loading() {
    let mut app = App::new("L.calltree.json", 90, 8);
    let loading = Loading { step: None, bytes: 176_000_000, total_bytes: 337_000_000, nodes: 930_000, elapsed_ms: 412 };
    let _ = app.update(Event::Message(Message::Progress(loading)));
    insta::with_settings!({ prepend_module_to_snapshot => false }, { insta::assert_snapshot!("loading", frame(&app)) });
}

#[test]
fn a_file_that_cannot_be_opened() {
    let mut app = App::new("snap.dtp", 90, 14);
    let failure = OpenFailure {
        stage: Some("input"),
        sentence:
            "snap.dtp: stage input: the sections snap.dtp.0000 are missing beside it; copy all of snap.dtp* together"
                .into(),
        detail: vec!["file: snap.dtp".into(), "evil: \u{1b}[31m".into()],
    };
    let _ = app.update(Event::Message(Message::Loaded(Err(failure))));
    let _ = app.update(Event::Action(dotspot::app::Action::Details));
    insta::with_settings!({ prepend_module_to_snapshot => false }, { insta::assert_snapshot!("failed", frame(&app)) });
}
