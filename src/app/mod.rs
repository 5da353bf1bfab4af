//! The state of the explorer and how actions change it: no terminal, clock, files or threads.
//!
//! `event → keymap → Action → App::update → Effect → worker → Message → App::update`, and after each the screen is drawn.

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
mod outline;
mod page;
pub mod pages;
pub mod panels;
pub mod picker;
mod preferences;
mod remap;
mod time_strip;
mod tree_pane;

pub use butterfly_parts::{ButterflyParts, ButterflySubject, CallerPath, OpenedCallers, SumsRow};
pub use columns::{SideColumns, TreeColumns};
pub use commands::{Action, Command, Context};
pub use dialogs::{
    CommandPrompt, Content, Export, ExportSettings, FilterPrompt, Findings, ListKind, NotePrompt,
    OccurrenceChoice, Overlay, PageKind, Preview, Search, SearchHit, TextPage,
};
pub use effects::{
    ChartLane, Effect, ExportOutcome, ExportResult, JobKind, OpenedFrom, RenewOrder, ReportOrder,
    ReportUse,
};
pub use explorer::{BREADCRUMB_SEPARATOR, Explorer, ListRow};
pub use field::Field;
pub use filter::Filter;
pub use flame::{FlameBar, FlameLayout, MAX_COUNTED};
pub use hints::{Hint, hints_of};
pub use hot_sums::{HotspotLists, hotspots_below};
pub use keymap::Keymap;
pub use layout::{Area, Layout, Mode, Split};
pub use lens::Lens;
pub use list::ListCursor;
use list::{ListAct, next_in, next_or_none};
pub use live::{LiveNow, Renewed};
use method_list::MethodSettings;
pub use method_list::{MethodSums, MethodTable, SumsBefore};
pub use outline::{Outline, Sort, SortColumn};
pub use page::Page;
use page::PageOrigin;
pub use panels::{
    AnyPanel, ChartBar, ChartPanel, FlamePanel, Highlights, HotColumn, HotSort, HotspotPanel,
    LaneOf, LaneRow, LanesPanel, Selection, SumsKind, SumsPanel, TreeKind, TreePanel, WaitsPanel,
};
use panels::{Panel, Reply};
pub use preferences::{Columns, Preferences};
use time_strip::LaneThreads;
pub use time_strip::{LaneCell, ViewOverTime};
pub use tree_pane::{PaneRow, TreePane};

use crate::analysis::{Chart, ReadyView};
use crate::diagnostics::{Diagnostic, Remark};
use crate::model::{MethodNotes, MetricId, NodeId, ThreadChoice, View, ViewSpec};
use crate::query::{Report, Waits};
use crate::text::{visible, wrap, wrap_indented};
use std::sync::Arc;

/// Why a profile could not be opened, for its own screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFailure {
    /// The stage of decoding, if it has one.
    pub stage: Option<&'static str>,
    pub sentence: String,
    /// Details, line by line.
    pub detail: Vec<String>,
}

/// An answer or progress report from the worker, the loader or the recording.
pub enum Message {
    /// The progress of loading.
    Progress(Loading),
    /// The profile, or why it can't be opened; and the view to open it with, if that is not the whole profile.
    Loaded(Result<ReadyView, OpenFailure>, Option<ReadyView>),
    /// The profile has opened on the requested view, with a metric and whether waiting counts, if requested.
    Opened(Option<MetricId>, Option<bool>),
    /// The requested hotspots of this profile.
    Hotspots(Arc<View>, Arc<HotspotLists>),
    /// The answer to a search in this profile.
    Found(Arc<View>, Arc<Findings>),
    /// The requested methods of this profile, or why there are none.
    Methods(Arc<View>, Result<MethodSums, String>),
    /// The waits of a subtree of this profile, or why they are not known.
    Waits(Arc<View>, NodeId, Result<Waits, String>),
    /// This profile in a metric over time; `None` if it has no times.
    Time(Arc<View>, Option<Arc<ViewOverTime>>),
    /// The stacks of a lane of a view in time order; `None` if it has no times.
    Chart(Arc<View>, ChartLane, Option<Arc<Chart>>),
    /// A caller tree of this profile, or why there is none.
    CallerTree(
        Arc<View>,
        ButterflySubject,
        Result<Arc<ButterflyParts>, String>,
    ),
    /// More of a caller tree of this profile, or why there is no more.
    Callers(Arc<View>, ButterflySubject, Result<ReadyView, String>),
    /// The progress of a requested view in percent.
    Working(u8),
    /// A requested view, or why there is none.
    Shown(ViewSpec, Result<ReadyView, String>),
    /// The progress of the recording.
    Live(LiveNow),
    /// The shown view, rebuilt from a longer recording, or why that failed; at the end of the recording, with a message about it.
    Renewed(Result<Box<Renewed>, String>),
    /// The outcome of an export.
    Exported(ExportOutcome),
    /// A requested report, or why there is none.
    Reported(ReportOrder, ReportUse, Result<Report, String>),
    /// Where the profile was opened from.
    From(OpenedFrom),
    /// After a note was written: all notes of the file, or why it failed.
    Noted(Result<MethodNotes, String>),
    /// A job of this kind failed unexpectedly, with a message.
    Failed(JobKind, String),
}

/// An event.
pub enum Event {
    /// The user did something.
    Action(Action),
    /// The environment answered.
    Message(Message),
    /// The screen has this size now.
    Resize(u16, u16),
}

/// The progress of loading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// The current step, if it is not simply reading: usually another program is working.
    pub step: Option<String>,
    /// Bytes read in this step.
    pub bytes: u64,
    /// Total bytes; 0 if unknown, or if there is nothing to read yet.
    pub total_bytes: u64,
    pub nodes: u64,
    /// Time since the start.
    pub elapsed_ms: u64,
}

/// The content of the screen.
pub enum Screen {
    /// A file is being read.
    Loading(Loading),
    /// It could not be opened.
    Failed(FailureScreen),
    Explorer(Box<Explorer>),
}

/// The failure screen.
pub struct FailureScreen {
    pub failure: OpenFailure,
    /// Whether its details are shown.
    pub has_details: bool,
    /// The first line on the screen.
    pub top: usize,
}

/// The whole state of the program.
pub struct App {
    /// The file's name for people.
    pub name: String,
    /// What the screen is about.
    pub screen: Screen,
    /// The size of the screen, columns and rows.
    pub size: (u16, u16),
    /// The key bindings.
    pub keymap: Arc<Keymap>,
    /// The user's preferences for what to show first.
    pub preferences: Preferences,
}

impl FailureScreen {
    /// Rows above the lines: an empty one, the file, an empty one.
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

    /// Shows the details, scrolled to their start if they don't all fit; or hides them.
    fn toggle_details(&mut self, size: (u16, u16)) {
        let sentence = if self.has_details {
            0
        } else {
            self.lines(usize::from(size.0)).len() + 1
        };
        self.has_details = !self.has_details;
        self.top = sentence.min(self.last_top(size));
    }

    /// Applies an action on a screen of this size.
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
    /// An app that is waiting for a file to load.
    pub fn new(name: &str, width: u16, height: u16) -> App {
        App {
            name: name.into(),
            screen: Screen::Loading(Loading::default()),
            size: (width, height),
            keymap: Arc::default(),
            preferences: Preferences::default(),
        }
    }

    /// The current profile, to which all handles in effects belong; `None` while there is none.
    pub fn view(&self) -> Option<&Arc<View>> {
        match &self.screen {
            Screen::Explorer(explorer) => Some(explorer.view()),
            _ => None,
        }
    }

    /// Whether another view is being built, which may take time.
    pub fn is_awaiting_view(&self) -> bool {
        matches!(&self.screen, Screen::Explorer(explorer) if explorer.is_awaiting_view())
    }

    /// The current context of keys.
    pub fn context(&self) -> Context {
        match &self.screen {
            Screen::Loading(_) => Context::Loading,
            Screen::Failed(..) => Context::Failed,
            Screen::Explorer(explorer) => explorer.context(),
        }
    }

    /// Handles an event, and returns the resulting effects.
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

/// Shows the view that the command line requests.
fn show_at_first(explorer: &mut Explorer, view: ReadyView) {
    // the first sums were of everything
    let _ = explorer.take_effects();
    // the requests were about everything
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

/// The new first line of a text after a scrolling action, on a screen of this many lines; `None` for other actions.
fn scrolled(action: &Action, top: usize, screen: isize) -> Option<usize> {
    Some(match *action {
        Action::Rows(rows) | Action::Wheel(_, _, rows) => top.saturating_add_signed(rows),
        Action::HalfScreens(halves) => top.saturating_add_signed(halves * screen / 2),
        Action::First => 0,
        Action::Last => usize::MAX,
        _ => return None,
    })
}

/// Handles a message from the worker, or about the recording.
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
