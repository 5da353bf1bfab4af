//! Golden screens of the bundled recording, as a user sees them. Changes are read line by line before they are accepted.

use crate::common::call_tree;
use crate::common::kinds;
use crate::common::picture;
use crate::common::sample;
use crate::common::stage::Stage;
use crate::common::text::{assert_contains, assert_contains_all};
use crate::common::truncated;
use dotspot::testing::app::Keymap;
use dotspot::testing::app::{Action, App, Event, Loading, Message, OpenFailure};
use dotspot::testing::cli::{Target, open};
use dotspot::testing::model::{TimeRange, View};
use dotspot::testing::query::{ThreadRequest, select_scope};
use dotspot::testing::ui::{Palette, Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Checks golden screens, one per row: name, size, and the keys that lead there.
fn goldens(open: impl Fn(u16, u16) -> Stage, table: &str) {
    let is_same = |row: &&str| {
        let (name, rest) = row.split_once(' ').unwrap();
        let (size, keys) = rest.split_once(' ').unwrap_or((rest, ""));
        let (width, height) = size.split_once('x').unwrap();
        let stage = open(width.parse().unwrap(), height.parse().unwrap());
        catch_unwind(AssertUnwindSafe(|| golden_on(stage, name, keys))).is_ok()
    };
    let rows = table.lines().map(str::trim).filter(|row| !row.is_empty());
    let changed: Vec<&str> = rows.filter(|row| !is_same(row)).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

fn goldens_of(open: impl Fn() -> View, table: &str) {
    goldens(|width, height| Stage::new(open(), width, height), table);
}

#[track_caller]
fn golden_on(mut stage: Stage, name: &str, keys: &str) {
    let (width, height) = stage.app.size;
    stage.press(keys);
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => format!("{width} x {height}, after: {keys}") }, {
        insta::assert_snapshot!(name, stage.screen());
    });
}

/// The first screen, and the screen of the README's picture (see `docs.rs`).
#[test]
fn opened() {
    goldens(
        |width, height| Stage::first(sample(), width, height),
        "
        narrow-opened 60x15
        common-opened 80x24
        wide-opened 130x30
        large-opened 200x60",
    );
    golden_on(Stage::first(fleet(), 80, 24), "processes-opened", "");
    let stage = Stage::first(sample(), 120, 30);
    golden_on(stage, "wide-picture", picture::KEYS);
}

#[test]
fn a_range_of_time() {
    goldens(
        |width, height| Stage::of_range(sample(), 2_000_000_000, 4_500_000_000, width, height),
        "
        range-wide 130x30 j enter
        range-common 80x24
        range-narrow 60x15",
    );
}

#[test]
fn the_sample() {
    goldens_of(
        sample,
        "
        wide-timeline 130x30 T l
        common-timeline 80x24 T shift-right
        narrow-timeline 60x15 T
        large-timeline 200x60 T
        common-timeline-part 80x24 t m enter j l j l j T f
        wide-timeline-part 120x40 t m enter j l j l j l j T f
        wide-hot-path 130x30 j enter
        wide-second-place 130x30 2 enter n
        wide-focus-wall-sorted 130x30 j f m s E
        narrow-tree 60x15 j enter
        narrow-hotspots 60x15 2
        smallest 40x8 j enter
        large-raw-names 200x40 r 3 j j
        wide-method 130x30 2 b j l
        common-method 80x24 2 b
        narrow-method-threads 60x15 2 b 3
        wide-inverted 130x30 i j l
        common-inverted 80x24 i j l
        common-folded 80x24 u j enter
        wide-grouped 130x30 B j enter
        wide-without-a-method 130x30 2 d
        common-steps 80x24 2 d V
        wide-methods 130x30 L
        common-methods 80x24 L j
        narrow-methods 60x15 L s
        common-chart 80x24 F down F down down enter
        wide-chart 120x40 m F down F down down
        narrow-chart 60x15 F F
        narrow-flame 60x15 2 F
        common-flame 80x24 2 F
        wide-flame 120x40 2 F
        large-flame 200x60 2 F
        large-flame-beside 200x60 \\ j l j l j
        common-flame-highlights 80x24 F / ' J s o n enter
        wide-flame-wall 120x30 m F",
    );
}

#[test]
fn dialogs() {
    goldens_of(
        sample,
        "
        wide-search 130x30 / d i s c
        narrow-search-empty 60x15 /
        wide-export 130x30 2 x
        common-export-report 80x24 2 x down
        narrow-export-report 60x15 2 x down
        wide-help 130x30 ?
        common-command-prompt 80x24 : s h o w - down
        narrow-command-prompt 60x15 : t h r
        common-note 80x24 2 a l o o k s space u p
        common-noted 80x24 2 a l o o k enter
        common-notes 80x24 w
        common-views 80x24 v j
        common-pattern 80x24 & P r i c e tab
        common-command-line 80x24 2 d 1 u =
        common-threads 80x24 t j space m
        common-threads-chosen 80x24 t i m enter
        wide-threads-chosen 130x30 t i enter j enter
        narrow-threads 60x15 t G space
        smallest-threads 40x8 t j i m",
    );
}

#[test]
fn ascii_alone() {
    let keymap = Keymap::default().in_ascii(true);
    let stage = Stage::with_keys(sample(), 80, 24, keymap);
    golden_on(stage, "common-ascii", "j enter");
}

/// The colors of each cell in a configured theme: a letter for each combination, in order of appearance.
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

/// The first 4 s of the sample compared with the rest.
fn halves() -> View {
    let part = |from_ns, to_ns| {
        let range = Some(TimeRange { from_ns, to_ns });
        select_scope(sample(), range, &ThreadRequest::default())
            .unwrap()
            .0
    };
    crate::common::compared(
        &part(0, 4_000_000_000),
        &part(4_000_000_000, TimeRange::OPEN),
    )
}

#[test]
fn a_comparison() {
    goldens_of(
        halves,
        "
        wide-compared 200x40 enter
        common-compared 80x24 2 j
        narrow-compared 60x15 j right
        common-compared-callers 80x24 3 b
        wide-compared-flame 120x30 F
        narrow-compared-flame 60x15 F down down",
    );
}

#[test]
fn kinds_of_profiles() {
    for (kind, table) in [
        (
            "tracing",
            "
            tracing-wide 130x20 j E J j j
            tracing-hotspot 200x18 2
            tracing-recursion 80x16 3 j
            tracing-narrow 60x15 j enter
            tracing-notes 60x15 w",
        ),
        ("timeline", "timeline-notes 90x14 w"),
        ("unknown", "unknown-wide 130x18 j E j"),
        ("sampling", "sampling-narrow 80x14 j enter"),
    ] {
        goldens_of(|| call_tree::load(&kinds::of_kind(kind)), table);
    }
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
    let target = Target::File(file);
    let profile = || open(&target, &Default::default(), Default::default()).unwrap();
    for (columns, lines) in [(130, 30), (80, 24), (60, 15)] {
        let screen = Stage::new(profile(), columns, lines).screen();
        assert_contains(&screen, "  The file has no samples, so the tree is empty;");
        assert!(screen.contains("  w shows more"), "{screen}");
    }
    // where there is no room for the message, nothing else is overwritten
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
    let words = [
        "▾incl µs     %    excl µs  calls",
        "14.0 100.0 █      2.0      1 ",
    ];
    assert_contains_all(&screen, &words);
    assert_contains_all(&screen, &["12.0  85.7", "time 14.0 µs"]);
}

/// A recording of three processes with two threads each; one process has a long name.
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

/// A trace with these events.
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
    goldens_of(
        truncated::profile,
        "
        repaired-wide 120x30 j l j
        as-recorded-wide 120x30 R j l j l j
        as-recorded-moved 120x16 R / L 1 0 0 enter R
        repaired-common 80x24 j l j
        as-recorded-common 80x24 R j l j
        as-recorded-common-threads 80x24 R t space enter
        as-recorded-narrow 60x15 R j l j c
        as-recorded-smallest 40x8 R j l j c
        repaired-notes 60x15 w",
    );
}

#[test]
fn processes() {
    goldens_of(
        fleet,
        "
        common-processes 80x24 t j space
        narrow-processes 60x15 P j i l
        smallest-processes 40x8 P j i
        smallest-processes-chosen 40x8 P j i enter
        large-processes 200x60 t h a m",
    );
}

fn frame(app: &App) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal
        .draw(|frame| draw(frame, app, Theme::of_terminal("xterm", "")))
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

/// Failures of two decoders, with the folders that one of them searched.
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

/// The sample, as far as it has been recorded.
#[test]
fn a_recording_in_progress() {
    let open = |width, height| {
        let mut stage = Stage::new(sample(), width, height);
        stage.record(sample(), 12, 48_310);
        stage
    };
    goldens(
        open,
        "
        narrow-live 80x24 j
        narrow-live-frozen 80x24 j Z j
        small-live 60x15 j
        small-live-frozen 60x15 j Z j
        wide-live-callers-are-held 130x30 j enter b ?  esc t esc /",
    );
}
