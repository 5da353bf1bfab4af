//! Runs the explorer in tests: real key events through the real keymap, synchronous work, and the screen as text.

#![allow(dead_code, reason = "each of its users needs a part of it")]

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use dotspot::testing::analysis::ReadyView;
use dotspot::testing::analysis::scoped;
use dotspot::testing::app::Keymap;
use dotspot::testing::app::{
    Action, App, Effect, Event, Explorer, LiveStatus, Message, OpenedFrom, Preferences, Screen,
};
use dotspot::testing::app::{AnyPanel, HotspotPanel, TreePanel};
use dotspot::testing::cli::{Jobs, KeyReader, first_view, updated_view};
use dotspot::testing::model::{Scope, TimeRange, View};
use dotspot::testing::ui::{Theme, draw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use std::path::Path;
use std::sync::Arc;

pub struct Stage {
    pub app: App,
    keys: KeyReader,
    jobs: Jobs,
    /// Texts copied to the clipboard.
    pub copied: Vec<String>,
    /// Whether the user has quit.
    pub has_quit: bool,
    /// How often a recording was asked to stop.
    pub stops: usize,
    /// The data of an ongoing recording so far.
    recorded: Option<ReadyView>,
}

impl Stage {
    /// Opens a profile on a screen of this size.
    pub fn new(profile: View, width: u16, height: u16) -> Stage {
        Stage::opened(profile, None, width, height)
    }

    /// Opens a profile as the program does.
    pub fn first(profile: View, width: u16, height: u16) -> Stage {
        let app = App::new(&profile.recording.source.name, width, height);
        let (whole, shown) = first_view(profile).unwrap();
        let mut stage = Stage::loaded(app, whole, shown);
        stage.send(Event::Message(Message::Opened(None, None)));
        stage
    }

    /// Opens a profile with another keymap.
    pub fn with_keys(profile: View, width: u16, height: u16, keymap: Keymap) -> Stage {
        let mut app = App::new(&profile.recording.source.name, width, height);
        app.keymap = Arc::new(keymap);
        Stage::opened_in(app, profile, None)
    }

    /// Opens a profile with a user's preferences.
    pub fn with_preferences(profile: View, preferences: Preferences) -> Stage {
        let mut app = App::new(&profile.recording.source.name, 120, 40);
        app.preferences = preferences;
        Stage::opened_in(app, profile, None)
    }

    /// Opens a time range of a profile, in nanoseconds.
    pub fn of_range(profile: View, from_ns: u64, to_ns: u64, width: u16, height: u16) -> Stage {
        let scope = Scope {
            range: Some(TimeRange { from_ns, to_ns }),
            ..profile.steps.scope.clone()
        };
        let part = scoped(&profile.recording, &scope).unwrap();
        Stage::opened(profile, Some(part), width, height)
    }

    /// Uses a notes file next to the profile.
    pub fn with_notes_in(mut self, file: std::path::PathBuf) -> Stage {
        let from = OpenedFrom {
            file: None,
            notes_file: Some(file.file_name().unwrap().to_string_lossy().into_owned()),
            are_notes_there: file.exists(),
        };
        self.jobs = Jobs::new(Arc::clone(self.app.view().unwrap())).with_notes_in(Some(file));
        self.send(Event::Message(Message::From(from)));
        self
    }

    fn opened(profile: View, shown: Option<View>, width: u16, height: u16) -> Stage {
        let app = App::new(&profile.recording.source.name, width, height);
        Stage::opened_in(app, profile, shown)
    }

    fn opened_in(app: App, profile: View, shown: Option<View>) -> Stage {
        Stage::loaded(app, ReadyView::of(profile), shown.map(ReadyView::of))
    }

    fn loaded(app: App, profile: ReadyView, shown: Option<ReadyView>) -> Stage {
        let mut stage = Stage {
            app,
            keys: KeyReader::default(),
            jobs: Jobs::new(Arc::clone(&profile)),
            copied: Vec::new(),
            has_quit: false,
            stops: 0,
            recorded: None,
        };
        stage.send(Event::Message(Message::Loaded(Ok(profile), shown)));
        stage
    }

    /// Sends an event, and does the resulting work.
    pub fn send(&mut self, event: Event) {
        let effects = self.app.update(event);
        self.do_work(effects);
    }

    /// Does the work that the explorer requested, and any that results from it.
    pub fn do_work(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let mut next = Vec::new();
            for effect in effects {
                match effect {
                    Effect::Copy(text) => self.copied.push(text),
                    Effect::Quit => self.has_quit = true,
                    Effect::Suspend => {}
                    Effect::StopRecording => self.stops += 1,
                    Effect::UpdateView(request) => {
                        let (view, whole) =
                            (self.app.view().unwrap(), self.recorded.as_ref().unwrap());
                        let made = updated_view(view, whole, &request, None).map(Box::new);
                        next.extend(self.app.update(Event::Message(Message::UpdatedView(made))));
                    }
                    work => {
                        let profile =
                            Arc::clone(self.app.view().expect("an explorer requested the work"));
                        if let Some(message) = self.jobs.run(&profile, work) {
                            next.extend(self.app.update(Event::Message(message)));
                        }
                    }
                }
            }
            effects = next;
        }
    }

    /// Reports the progress of an ongoing recording.
    pub fn record(&mut self, recorded: View, seconds: u64, samples: u64) -> &mut Stage {
        self.recorded = Some(ReadyView::of(recorded));
        let now = LiveStatus {
            elapsed_ms: seconds * 1000,
            samples,
            bytes: samples,
            ..LiveStatus::default()
        };
        self.send(Event::Message(Message::Live(now)));
        self
    }

    /// Presses keys, separated by spaces, as written in the table of commands.
    pub fn press(&mut self, keys: &str) -> &mut Stage {
        for key in keys.split_whitespace() {
            let effects = self.press_without_work(key);
            self.do_work(effects);
        }
        self
    }

    /// Presses one key, and leaves the resulting work to the caller.
    pub fn press_without_work(&mut self, key: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for event in key_events(key) {
            effects.extend(self.key(event));
        }
        effects
    }

    fn key(&mut self, event: KeyEvent) -> Vec<Effect> {
        let action = self
            .keys
            .action(&self.app.keymap, self.app.context(), event);
        action.map_or(Vec::new(), |action| self.app.update(Event::Action(action)))
    }

    /// Types text, character by character.
    pub fn type_text(&mut self, text: &str) -> &mut Stage {
        for c in text.chars() {
            let effects = self.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
            self.do_work(effects);
        }
        self
    }

    /// Performs an action that has no key.
    pub fn act(&mut self, action: Action) -> &mut Stage {
        self.send(Event::Action(action));
        self
    }

    /// Exports the selection to a file.
    pub fn export(&mut self, file: &Path) -> &mut Stage {
        self.press("x ctrl-u").type_text(file.to_str().unwrap());
        self.press("enter")
    }

    pub fn resize(&mut self, width: u16, height: u16) -> &mut Stage {
        self.send(Event::Resize(width, height));
        self
    }

    pub fn explorer(&self) -> &Explorer {
        match &self.app.screen {
            Screen::Explorer(explorer) => explorer,
            _ => panic!("the explorer is not shown"),
        }
    }

    /// A list of hotspots on the call tree's page, by its index.
    #[track_caller]
    pub fn hotspots(&self, panel: usize) -> &HotspotPanel {
        match &self.explorer().pages[0].panels[panel] {
            AnyPanel::Hotspots(panel) => panel,
            _ => panic!("panel {panel} has no hotspots"),
        }
    }

    /// A tree on the current page, by its index.
    #[track_caller]
    pub fn tree_of_page(&self, panel: usize) -> &TreePanel {
        match &self.explorer().page().panels[panel] {
            AnyPanel::Tree(panel) => panel,
            _ => panic!("panel {panel} is not a tree"),
        }
    }

    /// The display name of the selected row of the tree.
    pub fn selected(&self) -> &str {
        let explorer = self.explorer();
        explorer.view().display_name(explorer.tree().shown.selected)
    }

    #[track_caller]
    pub fn says(&self, notice: &str) {
        assert_eq!(self.notice(), notice);
    }

    /// Asserts that this method is selected.
    #[track_caller]
    pub fn is_on(&self, name: &str) {
        assert_eq!(self.selected(), name);
    }

    /// Asserts which rows the tree shows, separated by `|`, with a `>` for each level.
    #[track_caller]
    pub fn lists(&self, rows: &str) {
        assert_eq!(rows_of(self).join("|"), rows);
    }

    pub fn notice(&self) -> &str {
        let notice = self.explorer().notice.as_ref();
        notice.map_or("", |notice| notice.text.as_str())
    }

    /// The screen as text, one line per row, without trailing spaces.
    pub fn screen(&self) -> String {
        self.screen_of(self.app.size.0, self.app.size.1)
    }

    /// The screen as text, in a size that the explorer was not told.
    pub fn screen_of(&self, width: u16, height: u16) -> String {
        let buffer = self.cells_of(width, height, Theme::of_terminal("xterm", ""));
        let rows = (0..height).map(|y| {
            let mut row = String::new();
            let mut skip = 0;
            for x in 0..width {
                let symbol = buffer[(x, y)].symbol();
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                row.push_str(symbol);
                skip = dotspot::testing::text::width(symbol).saturating_sub(1);
            }
            row.trim_end().to_string()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// The screen with its colors.
    pub fn buffer(&self) -> Buffer {
        self.buffer_in(Theme::of_terminal("xterm", ""))
    }

    /// The screen in the colors of another terminal.
    pub fn buffer_in(&self, theme: Theme) -> Buffer {
        self.cells_of(self.app.size.0, self.app.size.1, theme)
    }

    fn cells_of(&self, width: u16, height: u16, theme: Theme) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, &self.app, theme))
            .unwrap();
        terminal.backend().buffer().clone()
    }
}

/// Presses keys, separated by spaces, while there is no profile yet or it can't be opened. Returns the effects.
pub fn press_before(app: &mut App, keys: &str) -> Vec<Effect> {
    let mut reader = KeyReader::default();
    let mut effects = Vec::new();
    for key in keys.split_whitespace() {
        if let Some(action) = reader.action(&app.keymap, app.context(), key_event(key)) {
            effects.extend(app.update(Event::Action(action)));
        }
    }
    effects
}

/// The events for a key as written in the table of commands; there may be several.
fn key_events(keys: &str) -> Vec<KeyEvent> {
    keys.split(' ').map(key_event).collect()
}

fn key_event(key: &str) -> KeyEvent {
    let (modifiers, bare) = match key.split_once('-') {
        Some(("ctrl", rest)) => (KeyModifiers::CONTROL, rest),
        Some(("shift", rest)) => (KeyModifiers::SHIFT, rest),
        _ => (KeyModifiers::NONE, key),
    };
    let code = match bare {
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backspace" => KeyCode::Backspace,
        "space" => KeyCode::Char(' '),
        "pagedown" => KeyCode::PageDown,
        "pageup" => KeyCode::PageUp,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "f1" => KeyCode::F(1),
        "f2" => KeyCode::F(2),
        "f5" => KeyCode::F(5),
        "f8" => KeyCode::F(8),
        one if one.chars().count() == 1 => KeyCode::Char(one.chars().next().unwrap()),
        other => panic!("no key named {other}"),
    };
    KeyEvent::new(code, modifiers)
}

/// The rows of the tree on the screen, with indentation and name.
pub fn rows_of(stage: &Stage) -> Vec<String> {
    let explorer = stage.explorer();
    let (rows, _) = explorer.tree().shown.screen(explorer.view(), 100);
    let name = |node| explorer.view().display_name(node);
    let rows = rows.iter();
    rows.map(|row| ">".repeat(row.depth) + name(row.node))
        .collect()
}
