//! Golden screens of the bundled recording, as a person sees them. A change is read line by line before it is accepted.

use crate::common::call_tree;
use crate::common::kinds;
use crate::common::picture;
use crate::common::sample;
use crate::common::stage::Stage;
use crate::common::text::has;
use crate::common::truncated;
use dotspot::testing::app::keymap::Keymap;
use dotspot::testing::app::{Action, App, Event, Loading, Message, OpenFailure};
use dotspot::testing::cli::{Target, open};
use dotspot::testing::model::{TimeRange, View};
use dotspot::testing::query::{ThreadRequest, chosen};
use dotspot::testing::ui::{Palette, Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::sync::Arc;

#[track_caller]
fn golden(name: &str, width: u16, height: u16, keys: &str) {
    golden_of(sample(), name, width, height, keys);
}

/// A screen of a small profile of this kind.
#[track_caller]
fn golden_of_kind(kind: &str, name: &str, width: u16, height: u16, keys: &str) {
    golden_of(
        call_tree::load(&kinds::of_kind(kind)),
        name,
        width,
        height,
        keys,
    );
}

#[track_caller]
fn golden_of(profile: View, name: &str, width: u16, height: u16, keys: &str) {
    golden_on(Stage::new(profile, width, height), name, keys);
}

/// A screen of the sample from 2 s to 4.5 s.
#[track_caller]
fn golden_of_range(name: &str, width: u16, height: u16, keys: &str) {
    golden_on(
        Stage::of_range(sample(), 2_000_000_000, 4_500_000_000, width, height),
        name,
        keys,
    );
}

#[track_caller]
fn golden_on(mut stage: Stage, name: &str, keys: &str) {
    let (width, height) = stage.app.size;
    stage.press(keys);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => format!("{width} x {height}, after: {keys}") }, {
        insta::assert_snapshot!(name, stage.screen());
    });
}

/// What the program shows first.
#[test]
fn opened() {
    for (name, width, height) in [
        ("narrow-opened", 60, 15),
        ("common-opened", 80, 24),
        ("wide-opened", 130, 30),
        ("large-opened", 200, 60),
    ] {
        golden_on(Stage::first(sample(), width, height), name, "");
    }
    golden_on(Stage::first(fleet(), 80, 24), "processes-opened", "");
}

/// The screen of the README's picture, see `docs.rs`.
#[test]
fn the_picture() {
    golden_on(
        Stage::first(sample(), 120, 30),
        "wide-picture",
        picture::KEYS,
    );
}

#[test]
fn a_range_of_time() {
    golden_of_range("range-wide", 130, 30, "j enter");
    golden_of_range("range-common", 80, 24, "");
    golden_of_range("range-narrow", 60, 15, "");
}

#[test]
fn threads_over_time() {
    golden("wide-timeline", 130, 30, "T l");
    golden("common-timeline", 80, 24, "T shift-right");
    golden("narrow-timeline", 60, 15, "T");
    golden("large-timeline", 200, 60, "T");
    golden("common-timeline-part", 80, 24, "t m enter j l j l j T f");
    golden("wide-timeline-part", 120, 40, "t m enter j l j l j l j T f");
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
    golden("common-export-report", 80, 24, "2 x down");
    golden("narrow-export-report", 60, 15, "2 x down");
}

#[test]
fn help() {
    golden("wide-help", 130, 30, "?");
}

#[test]
fn the_line_for_commands() {
    golden("common-command-prompt", 80, 24, ": s h o w - down");
    golden("narrow-command-prompt", 60, 15, ": t h r");
}

#[test]
fn ascii_alone() {
    let keymap = Keymap::default().in_ascii(true);
    golden_on(
        Stage::with_keys(sample(), 80, 24, keymap),
        "common-ascii",
        "j enter",
    );
}

/// The colors of each cell in a theme that was set: a letter for each combination, in the order in which they come.
#[test]
fn a_theme() {
    let mut stage = Stage::first(sample(), 80, 24);
    stage.press("j j");
    let theme =
        Theme::of_terminal("xterm", "truecolor").with_palette(Palette::named("solarized").unwrap());
    let buffer = stage.buffer_in(theme);
    let mut looks = Vec::new();
    let mut rows = String::new();
    for row in buffer.content.chunks(80) {
        for cell in row {
            let look = format!("{} on {} {:?}", cell.fg, cell.bg, cell.modifier);
            let known = looks.iter().position(|known| *known == look);
            let at = known.unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            rows.push(char::from(b'a' + at as u8));
        }
        rows.push('\n');
    }
    let legend: Vec<String> = looks
        .iter()
        .enumerate()
        .map(|(at, look)| format!("{} {look}", char::from(b'a' + at as u8)))
        .collect();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("common-solarized", format!("{rows}\n{}", legend.join("\n")));
    });
}

#[test]
fn a_method_as_one_thing() {
    golden("wide-method", 130, 30, "2 b j l");
    golden("common-method", 80, 24, "2 b");
    golden("narrow-method-threads", 60, 15, "2 b 3");
}

#[test]
fn a_note_on_a_method() {
    golden("common-note", 80, 24, "2 a l o o k s space u p");
    golden("common-noted", 80, 24, "2 a l o o k enter");
}

#[test]
fn the_inverted_tree() {
    golden("wide-inverted", 130, 30, "i j l");
    golden("common-inverted", 80, 24, "i j l");
}

#[test]
fn folded_frames() {
    golden("common-folded", 80, 24, "u j enter");
    golden("wide-grouped", 130, 30, "B j enter");
}

#[test]
fn without_a_method() {
    golden("wide-without-a-method", 130, 30, "2 d");
    golden("common-steps", 80, 24, "2 d V");
}

/// The first 4 s of the sample against the rest.
fn halves() -> View {
    let part = |from_ns, to_ns| {
        let range = Some(TimeRange { from_ns, to_ns });
        chosen(sample(), range, &ThreadRequest::default())
            .unwrap()
            .view
    };
    crate::common::compared(
        &part(0, 4_000_000_000),
        &part(4_000_000_000, TimeRange::OPEN),
    )
}

#[test]
fn a_comparison() {
    golden_of(halves(), "wide-compared", 200, 40, "enter");
    golden_of(halves(), "common-compared", 80, 24, "2 j");
    golden_of(halves(), "narrow-compared", 60, 15, "j right");
    golden_of(halves(), "common-compared-callers", 80, 24, "3 b");
}

#[test]
fn the_list_of_methods() {
    golden("wide-methods", 130, 30, "L");
    golden("common-methods", 80, 24, "L j");
    golden("narrow-methods", 60, 15, "L s");
}

#[test]
fn lists_and_dialogs_of_views() {
    golden("common-views", 80, 24, "v j");
    golden("common-pattern", 80, 24, "& P r i c e tab");
    golden("common-command-line", 80, 24, "2 d 1 u =");
}

#[test]
fn the_commonest_size() {
    golden("common-notes", 80, 24, "w");
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

#[test]
fn tracing() {
    golden_of_kind("tracing", "tracing-wide", 130, 20, "j E J j j");
    golden_of_kind("tracing", "tracing-hotspot", 200, 18, "2");
    golden_of_kind("tracing", "tracing-recursion", 80, 16, "3 j");
    golden_of_kind("tracing", "tracing-narrow", 60, 15, "j enter");
    golden_of_kind("tracing", "tracing-notes", 60, 15, "w");
}

#[test]
fn metrics_take_the_room_that_the_breadcrumbs_leave() {
    for columns in [110, 117, 118, 125] {
        let screen = Stage::new(sample(), columns, 30).screen();
        let line = screen.lines().nth(1).unwrap();
        assert!(
            line.starts_with(" All threads  ") && line.ends_with(")  [m]"),
            "{columns}: {line}"
        );
    }
    let focused = Stage::new(sample(), 118, 30).press("j enter f").screen();
    let line = focused.lines().nth(1).unwrap();
    assert!(
        line.starts_with(" All threads") || line.starts_with(" …"),
        "{line}"
    );
    assert!(
        line.contains("metric: CPU 5,208.6 ms") && line.chars().count() <= 118,
        "{line}"
    );
}

#[test]
fn a_recording_without_samples_says_why_it_is_empty() {
    let name = "nettrace/eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace.zip";
    let file = present!(crate::common::shared(name));
    let profile = || {
        open(
            &Target::File(file.clone()),
            &Default::default(),
            Default::default(),
        )
        .unwrap()
    };
    for (columns, lines) in [(130, 30), (80, 24), (60, 15)] {
        let screen = Stage::new(profile(), columns, lines).screen();
        has(&screen, "  The file has no samples, so the tree is empty;");
        assert!(screen.contains("  w shows more"), "{screen}");
    }
    // where the sentence has no room, nothing else is drawn over
    let smallest = Stage::new(profile(), 40, 8).screen();
    assert!(smallest.contains("All threads"), "{smallest}");
}

#[test]
fn microseconds() {
    let rows = r#"[{"ph":"X","pid":1,"tid":1,"name":"alpha","ts":0,"dur":14},
        {"ph":"X","pid":1,"tid":1,"name":"beta","ts":1,"dur":12}]"#;
    let screen = Stage::new(trace("short.json", rows), 130, 18)
        .press("j E")
        .screen();
    for words in [
        "▾incl µs     %    excl µs  calls",
        "14.0 100.0 █      2.0      1 ",
        "12.0  85.7",
        "time 14.0 µs",
    ] {
        assert!(screen.contains(words), "{words:?} is not in {screen}");
    }
}

#[test]
fn kinds_without_calls() {
    golden_of_kind("timeline", "timeline-notes", 90, 14, "w");
    golden_of_kind("unknown", "unknown-wide", 130, 18, "j E j");
    golden_of_kind("sampling", "sampling-narrow", 80, 14, "j enter");
}

/// A recording of three processes of two threads each; the name of one is long.
fn fleet() -> View {
    let process = |(pid, name): (u64, &str)| {
        let thread = |n: u64| {
            let (tid, name) = (pid + n, ["main", ".NET pool"][n as usize - 1]);
            let ms = pid * n;
            format!(
                r#"{{"ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":"{name}"}}}},
                   {{"ph":"X","pid":{pid},"tid":{tid},"name":"Run","ts":0,"dur":{ms}000}}"#
            )
        };
        let name =
            format!(r#"{{"ph":"M","pid":{pid},"name":"process_name","args":{{"name":"{name}"}}}}"#);
        [name, thread(1), thread(2)].join(",")
    };
    let rows = [
        (300, "web"),
        (
            200,
            "a worker with a name that is rather long for a process of its kind",
        ),
        (100, "値段"),
    ];
    trace("fleet.json", &format!("[{}]", rows.map(process).join(",")))
}

/// A trace of these events.
fn trace(name: &str, events: &str) -> View {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, events).unwrap();
    let mut profile = open(&Target::File(file), &Default::default(), Default::default()).unwrap();
    Arc::make_mut(&mut profile.recording).source.name = name.into();
    profile
}

#[test]
fn truncated_stacks() {
    golden_of(truncated::profile(), "repaired-wide", 120, 30, "j l j");
    golden_of(
        truncated::profile(),
        "as-recorded-wide",
        120,
        30,
        "R j l j l j",
    );
    golden_of(
        truncated::profile(),
        "as-recorded-moved",
        120,
        16,
        "R / L 1 0 0 enter R",
    );
    golden_of(truncated::profile(), "repaired-common", 80, 24, "j l j");
    golden_of(
        truncated::profile(),
        "as-recorded-common",
        80,
        24,
        "R j l j",
    );
    golden_of(
        truncated::profile(),
        "as-recorded-common-threads",
        80,
        24,
        "R t space enter",
    );
    golden_of(
        truncated::profile(),
        "as-recorded-narrow",
        60,
        15,
        "R j l j c",
    );
    golden_of(
        truncated::profile(),
        "as-recorded-smallest",
        40,
        8,
        "R j l j c",
    );
    golden_of(truncated::profile(), "repaired-notes", 60, 15, "w");
}

#[test]
fn threads() {
    golden("common-threads", 80, 24, "t j space m");
    golden("common-threads-chosen", 80, 24, "t i m enter");
    golden("wide-threads-chosen", 130, 30, "t i enter j enter");
    golden("narrow-threads", 60, 15, "t G space");
    golden("smallest-threads", 40, 8, "t j i m");
}

#[test]
fn processes() {
    golden_of(fleet(), "common-processes", 80, 24, "t j space");
    golden_of(fleet(), "narrow-processes", 60, 15, "P j i l");
    golden_of(fleet(), "smallest-processes", 40, 8, "P j i");
    golden_of(fleet(), "smallest-processes-chosen", 40, 8, "P j i enter");
    golden_of(fleet(), "large-processes", 200, 60, "t h a m");
}

fn frame(app: &App) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal
        .draw(|frame| draw(frame, app, Theme::COLOUR))
        .unwrap();
    let text = terminal.backend().to_string();
    text.lines()
        .map(|line| line.trim_matches('"').trim_end())
        .collect::<Vec<_>>()
        .join("\n")
}

#[track_caller]
fn golden_frame(name: &str, app: &App) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => format!("{} x {}", app.size.0, app.size.1) }, {
        insta::assert_snapshot!(name, frame(app));
    });
}

fn loading_app(name: &str, width: u16, height: u16, loading: Loading) -> App {
    let mut app = App::new(name, width, height);
    let _ = app.update(Event::Message(Message::Progress(loading)));
    app
}

#[test]
fn loading() {
    let loading = Loading {
        bytes: 176_000_000,
        total_bytes: 337_000_000,
        nodes: 930_000,
        elapsed_ms: 412,
        ..Loading::default()
    };
    golden_frame("loading", &loading_app("L.calltree.json", 90, 8, loading));
}

#[test]
fn another_program_at_work() {
    let step = Some("building the helper with /usr/bin/dotnet".to_string());
    let build = |elapsed_ms| Loading {
        step: step.clone(),
        elapsed_ms,
        ..Loading::default()
    };
    golden_frame(
        "loading-step",
        &loading_app("snap.dtp", 80, 9, build(12_300)),
    );
    // the sign has walked to its other end after 20 steps of 200 ms, and is back after 40
    let sign = |elapsed_ms| {
        frame(&loading_app("snap.dtp", 80, 9, build(elapsed_ms)))
            .lines()
            .nth(4)
            .unwrap()
            .to_string()
    };
    assert_eq!(
        sign(0),
        format!(" {}{}  0 s", "━".repeat(4), "─".repeat(20))
    );
    assert_eq!(sign(199), sign(0), "it does not hurry");
    assert_eq!(
        sign(200),
        format!(" ─{}{}  0 s", "━".repeat(4), "─".repeat(19))
    );
    assert_eq!(
        sign(4_000),
        format!(" {}{}  4 s", "─".repeat(20), "━".repeat(4))
    );
    assert_eq!(sign(8_000), sign(0).replace("0 s", "8 s"));
    golden_frame(
        "loading-step-smallest",
        &loading_app("snap.dtp", 40, 8, build(125_000)),
    );
    let reading = Loading {
        bytes: 30_000_000,
        total_bytes: 60_000_000,
        nodes: 1200,
        ..build(14_000)
    };
    let reading = Loading {
        step: Some("reading the report".into()),
        ..reading
    };
    golden_frame(
        "loading-step-with-bytes",
        &loading_app("snap.dtp", 80, 9, reading),
    );
}

fn failed_app(width: u16, height: u16, failure: OpenFailure) -> App {
    let mut app = App::new("snap.dtp", width, height);
    let _ = app.update(Event::Message(Message::Loaded(Err(failure), None)));
    app
}

#[test]
fn a_file_that_cannot_be_opened() {
    let failure = OpenFailure {
        stage: Some("input"),
        sentence:
            "snap.dtp: stage input: the sections snap.dtp.0000 are missing beside it; copy all of snap.dtp* together"
                .into(),
        detail: vec!["file: snap.dtp".into(), "evil: \u{1b}[31m".into()],
    };
    let mut app = failed_app(90, 14, failure);
    let _ = app.update(Event::Action(Action::Details));
    golden_frame("failed", &app);
}

/// Reasons of two decoders, with the places that one of them has looked at.
fn no_decoder_reads_it() -> OpenFailure {
    let reasons = [
        "native: snap.dtp: stage layout: dotTrace snapshot, section 0x1100: expected version 3, found 9",
        "assemblies: snap.dtp: stage decoder: no dotTrace or Rider was found; name its folder with --dottrace-dir",
        "  looked at:",
    ];
    let places = (1..=40).map(|n| {
        format!("    /opt/jetbrains/rider-2031.{n}/lib/ReSharperHost/NetCore: no such folder")
    });
    OpenFailure {
        stage: Some("layout"),
        sentence: "snap.dtp: no decoder reads it: native: stage layout: dotTrace snapshot, section 0x1100: expected version \
                   3, found 9; assemblies: stage decoder: no dotTrace or Rider was found; name its folder with --dottrace-dir"
            .into(),
        detail: reasons.into_iter().map(String::from).chain(places).collect(),
    }
}

#[test]
fn reasons_of_several_decoders() {
    golden_frame(
        "failed-sentence-narrow",
        &failed_app(60, 15, no_decoder_reads_it()),
    );
    let mut app = failed_app(60, 15, no_decoder_reads_it());
    let _ = app.update(Event::Action(Action::Details));
    golden_frame("failed-detail-narrow", &app);
    let _ = app.update(Event::Action(Action::Last));
    golden_frame("failed-detail-end", &app);
    let mut app = failed_app(40, 8, no_decoder_reads_it());
    let _ = app.update(Event::Action(Action::Details));
    golden_frame("failed-detail-smallest", &app);
}

/// A screen of a recording that goes on: the sample, as far as it is.
#[track_caller]
fn golden_live(name: &str, width: u16, height: u16, keys: &str) {
    let mut stage = Stage::new(sample(), width, height);
    stage.record(sample(), 12, 48_310);
    golden_on(stage, name, keys);
}

#[test]
fn a_recording_that_goes_on() {
    golden_live("narrow-live", 80, 24, "j");
    golden_live("narrow-live-frozen", 80, 24, "j Z j");
    golden_live("small-live", 60, 15, "j");
    golden_live("small-live-frozen", 60, 15, "j Z j");
    golden_live(
        "wide-live-callers-are-held",
        130,
        30,
        "j enter b ?  esc t esc /",
    );
}

#[test]
fn the_flame_chart() {
    golden("common-chart", 80, 24, "F down F down down enter");
    golden("wide-chart", 120, 40, "m F down F down down");
    golden("narrow-chart", 60, 15, "F F");
}

#[test]
fn the_flame_graph() {
    for (size, width, height) in [
        ("narrow", 60, 15),
        ("common", 80, 24),
        ("wide", 120, 40),
        ("large", 200, 60),
    ] {
        let name = format!("{size}-flame");
        golden(&name, width, height, "2 F");
    }
    golden("large-flame-beside", 200, 60, "\\ j l j l j");
    golden("common-flame-lit", 80, 24, "F / ' J s o n enter");
    golden("wide-flame-wall", 120, 30, "m F");
    golden_of(halves(), "wide-compared-flame", 120, 30, "F");
    golden_of(halves(), "narrow-compared-flame", 60, 15, "F down down");
}
