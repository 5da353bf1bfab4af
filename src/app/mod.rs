//! The state of the explorer and what actions do to it: no terminal, no clock, no files, no threads.
//!
//! `event → keymap → Action → App::update → Effect → worker → Message → App::update`, and after each the screen is drawn.

mod awaited;
mod bits;
mod butterfly_parts;
mod columns;
pub mod commands;
pub mod dialogs;
mod effects;
mod explorer;
mod field;
mod filter;
mod flame;
mod hints;
mod hot_sums;
pub mod keymap;
pub mod layout;
mod lens;
mod list;
mod live;
pub(crate) mod messages;
mod method_list;
mod note_book;
mod outline;
mod page;
pub mod pages;
pub mod panels;
pub mod picker;
mod preferences;
mod remap;
mod time_strip;
mod tree_pane;

pub use butterfly_parts::{ButterflyParts, ButterflySubject, OpenedCallers, SumsRow};
pub use columns::{SideColumns, TreeColumns};
pub use commands::{Action, Context};
pub use dialogs::{Findings, Overlay, SearchHit};
pub use effects::{
    ChartLane, Effect, ExportOutcome, ExportResult, JobKind, OpenedFrom, RenewOrder, ReportOrder,
    ReportUse,
};
pub use explorer::{BREADCRUMB_SEPARATOR, Explorer, ListRow};
pub use field::Field;
pub use filter::Filter;
pub use flame::{FlameBar, FlameLayout, MOST_COUNTED};
pub use hints::{Hint, hints_of};
pub use hot_sums::{HotspotLists, hotspots_below};
pub use keymap::Keymap;
pub use lens::Lens;
pub use list::ListCursor;
pub use live::{LiveNow, Renewed};
pub use method_list::{MethodSums, MethodTable, SumsBefore};
pub use note_book::NotePrompt;
pub use outline::{Sort, SortColumn};
pub use preferences::{Columns, Preferences};
pub use time_strip::{LaneCell, ViewOverTime};
pub use tree_pane::PaneRow;

use crate::analysis::{Chart, ReadyView};
use crate::diagnostics::{Diagnostic, Remark};
use crate::model::{MethodNotes, MetricId, NodeId, ThreadChoice, View, ViewSpec};
use crate::query::{Report, Waits};
use crate::text::{visible, wrap, wrap_indented};
use std::sync::Arc;

/// Why a profile could not be opened, for a screen of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFailure {
    /// The stage of decoding, if it has one.
    pub stage: Option<&'static str>,
    pub sentence: String,
    /// More, line by line.
    pub detail: Vec<String>,
}

/// An answer or progress report from the worker, the loader or the recording.
pub enum Message {
    /// How far loading is.
    Progress(Loading),
    /// The profile is there, or not; and the view of it with which it is to be opened, if that is not all of it.
    Loaded(Result<ReadyView, OpenFailure>, Option<ReadyView>),
    /// The profile has opened on the view that was asked for, with a metric, and waiting counted or not, if that was said.
    Opened(Option<MetricId>, Option<bool>),
    /// Hotspots of this profile that were asked for.
    Hotspots(Arc<View>, Arc<HotspotLists>),
    /// The answer to a search in this profile.
    Found(Arc<View>, Arc<Findings>),
    /// The methods of this profile that were asked for, or why there are none.
    Methods(Arc<View>, Result<MethodSums, String>),
    /// What waits in a subtree of this profile, or why that is not known.
    Waits(Arc<View>, NodeId, Result<Waits, String>),
    /// This profile in a metric over time; nothing where it has no times.
    Time(Arc<View>, Option<Arc<ViewOverTime>>),
    /// The stacks of a lane of a view in time order; `None` where it has no times.
    Chart(Arc<View>, ChartLane, Option<Arc<Chart>>),
    /// A tree of callers in this profile, or why there is none.
    CallerTree(
        Arc<View>,
        ButterflySubject,
        Result<Arc<ButterflyParts>, String>,
    ),
    /// More of a tree of callers in this profile, or why there is no more.
    Callers(Arc<View>, ButterflySubject, Result<ReadyView, String>),
    /// How far a view that was asked for is, in percent.
    Working(u8),
    /// A view that was asked for, or why there is none.
    Shown(ViewSpec, Result<ReadyView, String>),
    /// How far the recording in progress is.
    Live(LiveNow),
    /// What is shown, rebuilt from what was recorded meanwhile, or why it was not; at its end, with what is said about that.
    Renewed(Result<Box<Renewed>, String>),
    /// What became of an export.
    Exported(ExportOutcome),
    /// A report that was asked for, or why there is none.
    Reported(ReportOrder, ReportUse, Result<Report, String>),
    /// Where the profile was opened from.
    From(OpenedFrom),
    /// All notes of that file once one was written, or why it was not.
    Noted(Result<MethodNotes, String>),
    /// A job of this kind failed on its own, with a sentence.
    Failed(JobKind, String),
}

/// Something that happened.
pub enum Event {
    /// The user did something.
    Action(Action),
    /// The world answered.
    Message(Message),
    /// The screen has this size now.
    Resize(u16, u16),
}

/// How far loading is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// What is being done, if it is not simply reading: usually that another program works.
    pub step: Option<String>,
    /// Bytes read in this step.
    pub bytes: u64,
    /// Bytes in all; 0 if unknown, or there is nothing to read yet.
    pub total_bytes: u64,
    pub nodes: u64,
    /// Time since the start.
    pub elapsed_ms: u64,
}

/// What the screen is about.
pub enum Screen {
    /// A file is being read.
    Loading(Loading),
    /// It could not be opened.
    Failed(FailureScreen),
    Explorer(Box<Explorer>),
}

/// The screen about a failure.
pub struct FailureScreen {
    pub failure: OpenFailure,
    /// Whether its details are shown.
    pub has_details: bool,
    /// The first line on the screen.
    pub top: usize,
}

/// The whole state.
pub struct App {
    /// The file's name for people.
    pub name: String,
    /// What the screen is about.
    pub screen: Screen,
    /// The size of the screen, columns and rows.
    pub size: (u16, u16),
    /// Which keys give which commands.
    pub keymap: Arc<Keymap>,
    /// What the user prefers to see at first.
    pub preferences: Preferences,
}

impl FailureScreen {
    /// Rows above the lines: a blank, the file, a blank.
    pub const HEAD: u16 = 3;

    /// The lines of the failure on a screen of this width.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let room = width.saturating_sub(2);
        let mut lines = wrap(&visible(&self.failure.sentence), room);
        if self.has_details {
            lines.push(String::new());
            lines.extend(
                self.failure
                    .detail
                    .iter()
                    .flat_map(|line| wrap_indented(&visible(line), room)),
            );
        }
        lines
    }

    /// The last line that can be the first on a screen of this size.
    fn last_top(&self, (width, height): (u16, u16)) -> usize {
        self.lines(usize::from(width))
            .len()
            .saturating_sub(Self::height(height))
    }

    /// Shows the details, scrolled to where they begin if not all has room; or hides them.
    fn toggle_details(&mut self, size: (u16, u16)) {
        let sentence = if self.has_details {
            0
        } else {
            self.lines(usize::from(size.0)).len() + 1
        };
        self.has_details = !self.has_details;
        self.top = sentence.min(self.last_top(size));
    }

    /// Does what an action asks on a screen of this size.
    fn act(&mut self, action: &Action, size: (u16, u16)) {
        let half = (Self::height(size.1) / 2).max(1) as isize;
        if *action == Action::Details {
            return self.toggle_details(size);
        }
        let top = scrolled(action, self.top, 2 * half).unwrap_or(self.top);
        self.top = top.min(self.last_top(size));
    }

    /// How many lines a screen of this height shows; the last row is for keys.
    pub fn height(screen_height: u16) -> usize {
        usize::from(screen_height.saturating_sub(Self::HEAD + 1))
    }
}

impl App {
    /// An app that waits for a file to be loaded.
    pub fn new(name: &str, width: u16, height: u16) -> App {
        App {
            name: name.into(),
            screen: Screen::Loading(Loading::default()),
            size: (width, height),
            keymap: Arc::default(),
            preferences: Preferences::default(),
        }
    }

    /// The profile on the screen, to which all handles in effects belong; `None` while there is none.
    pub fn view(&self) -> Option<&Arc<View>> {
        match &self.screen {
            Screen::Explorer(explorer) => Some(explorer.view()),
            _ => None,
        }
    }

    /// Whether another view is made, which may take its time.
    pub fn is_awaiting_view(&self) -> bool {
        matches!(&self.screen, Screen::Explorer(explorer) if explorer.is_awaiting_view())
    }

    /// What keys mean now.
    pub fn context(&self) -> Context {
        match &self.screen {
            Screen::Loading(_) => Context::Loading,
            Screen::Failed(..) => Context::Failed,
            Screen::Explorer(explorer) => explorer.context(),
        }
    }

    /// Handles an event, and returns what is to be done about it.
    #[must_use]
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Resize(width, height) => {
                self.size = (width, height);
                match &mut self.screen {
                    Screen::Explorer(explorer) => explorer.resize(width, height),
                    Screen::Failed(screen) => {
                        screen.top = screen.top.min(screen.last_top(self.size))
                    }
                    Screen::Loading(_) => {}
                }
            }
            Event::Action(action) => match (&mut self.screen, action) {
                (Screen::Explorer(explorer), action) => explorer.act(action),
                (_, Action::Quit) => effects.push(Effect::Quit),
                (_, Action::Suspend) => effects.push(Effect::Suspend),
                (Screen::Failed(screen), action) => screen.act(&action, self.size),
                (Screen::Loading(_), _) => {}
            },
            Event::Message(message) => self.receive(message),
        }
        if let Screen::Explorer(explorer) = &mut self.screen {
            effects.extend(explorer.take_effects());
        }
        effects
    }

    fn receive(&mut self, message: Message) {
        match (message, &mut self.screen) {
            (Message::Progress(now), Screen::Loading(loading)) => *loading = now,
            (Message::Loaded(Ok(view), shown), _) => {
                let mut explorer = Explorer::new(view, &self.keymap, self.size);
                explorer.prefer(&self.preferences);
                if let Some(view) = shown {
                    show_at_first(&mut explorer, view);
                }
                self.screen = Screen::Explorer(Box::new(explorer));
            }
            (Message::Loaded(Err(failure), _), _) => {
                self.screen = Screen::Failed(FailureScreen {
                    failure,
                    has_details: false,
                    top: 0,
                });
            }
            (message, Screen::Explorer(explorer)) => received(explorer, message),
            _ => {}
        }
    }
}

/// Shows the view that a command line asks for.
fn show_at_first(explorer: &mut Explorer, view: ReadyView) {
    // what was summed first was for all of it
    let _ = explorer.take_effects();
    // what was asked for was about all of it
    let is_inverted = view.inverted_from().is_some();
    let below = view.inverted_from().cloned().map(ReadyView::of);
    let view = below.unwrap_or(view);
    let is_empty = view
        .diagnostics
        .contains(&Diagnostic::plain(Remark::NothingInRange));
    explorer.take_view(view);
    explorer.open_merged();
    explorer.notice = None;
    if is_inverted {
        explorer.act(Action::Invert);
    }
    let recording = &explorer.whole.recording;
    let main = recording
        .main_process
        .map(|main| ThreadChoice::of_process(recording, main));
    if is_empty {
        explorer.say(messages::RANGE_IS_EMPTY);
    } else if main.is_some_and(|main| main.wanted == explorer.scope().threads.wanted) {
        explorer.say(messages::main_process(&explorer.threads_text()));
    }
}

/// The new first line of a text after an action that scrolls, on a screen of this many lines; `None` for other actions.
fn scrolled(action: &Action, top: usize, screen: isize) -> Option<usize> {
    Some(match *action {
        Action::Rows(rows) | Action::Wheel(_, _, rows) => top.saturating_add_signed(rows),
        Action::HalfScreens(halves) => top.saturating_add_signed(halves * screen / 2),
        Action::First => 0,
        Action::Last => usize::MAX,
        _ => return None,
    })
}

/// What comes from the worker, or about the recording.
fn received(explorer: &mut Explorer, message: Message) {
    match message {
        // handles of a view that is no longer shown mean nothing
        Message::Hotspots(of, _)
        | Message::Found(of, _)
        | Message::Methods(of, _)
        | Message::Waits(of, ..)
        | Message::Time(of, _)
        | Message::Chart(of, ..)
        | Message::CallerTree(of, ..)
        | Message::Callers(of, ..)
            if !Arc::ptr_eq(&of, explorer.view()) => {}
        Message::Opened(metric, waiting) => explorer.open_where_time_goes(metric, waiting),
        Message::Hotspots(_, lists) => explorer.receive_hotspots(lists),
        Message::Found(_, findings) => explorer.receive_findings(findings),
        Message::Methods(_, made) => explorer.receive_methods(made),
        Message::Time(_, made) => explorer.receive_time(made),
        Message::Chart(_, lane, made) => explorer.receive_chart(&lane, made),
        Message::Waits(_, within, made) => explorer.receive_waits(within, made),
        Message::CallerTree(_, subject, parts) => explorer.receive_page(subject, parts),
        Message::Callers(_, subject, made) => explorer.receive_callers(subject, made),
        Message::Shown(steps, made) => explorer.receive_view(&steps, made),
        Message::Live(now) => explorer.receive_live(now),
        Message::Renewed(made) => explorer.receive_renewed(made),
        Message::Exported(outcome) => explorer.receive_export(outcome),
        Message::Reported(order, purpose, made) => explorer.receive_report(&order, purpose, made),
        Message::Working(percent) => explorer.receive_progress(percent),
        Message::From(from) => explorer.set_origin(from),
        Message::Noted(written) => explorer.receive_notes(written),
        Message::Failed(kind, text) => explorer.receive_fault(kind, text),
        Message::Progress(_) | Message::Loaded(..) => {}
    }
}
