//! The state of the explorer and how actions change it: no terminal, clock, files or threads. `event → keymap → Action
//! → App::update → Effect → worker → Message → App::update`, and after each the screen is drawn.

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
    OccurrenceChoice, Overlay, PageKind, Search, SearchHit, TextPage,
};
pub use effects::{
    ChartLane, Effect, ExportResult, JobKind, MethodsRequest, OpenedFrom, ReportJob, ReportUse,
    UpdateRequest,
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
use list::{next_in, next_or_none};
pub use live::{LiveStatus, UpdatedView};
use method_list::MethodSettings;
pub use method_list::{MethodSums, MethodTable};
pub use outline::{Outline, Sort, SortColumn};
pub use page::Page;
use page::{Depth, PageOrigin};
pub use panels::{
    AnyPanel, ChartPanel, FlamePanel, FrameBar, Highlights, HotspotPanel, LaneKind, LaneRow,
    LanesPanel, Selection, SumsKind, SumsPanel, TreeKind, TreePanel, WaitsPanel,
};
use panels::{Panel, Reply};
pub use preferences::{HiddenColumns, Preferences};
use time_strip::LaneThreads;
pub use time_strip::{CellsOverTime, LaneCell, ViewOverTime};
pub use tree_pane::{PaneRow, TreePane};

use crate::analysis::{Chart, ReadyView};
use crate::model::{MethodNotes, MetricId, NodeId, View, ViewSpec};
use crate::query::{Report, Waits};
use crate::text::{visible, wrap, wrap_indented};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFailure {
    pub stage: Option<&'static str>,
    pub sentence: String,
    pub detail: Vec<String>,
}

pub enum Message {
    Progress(Loading),
    /// The whole profile, and the view to open it with, if that is another one.
    Loaded(Result<ReadyView, OpenFailure>, Option<ReadyView>),
    /// The view is open; with a metric and whether waiting counts, if requested.
    Opened(Option<MetricId>, Option<bool>),
    Hotspots(Arc<View>, Arc<HotspotLists>),
    Found(Arc<View>, Arc<Findings>),
    Methods(Arc<View>, MethodSums),
    Waits(Arc<View>, NodeId, Waits),
    /// `None` without times.
    Time(Arc<View>, Option<Arc<ViewOverTime>>),
    /// `None` without times.
    Chart(Arc<View>, ChartLane, Option<Arc<Chart>>),
    CallerTree(Arc<View>, Arc<ButterflyParts>),
    Callers(Arc<View>, ButterflySubject, ReadyView),
    Working(u8),
    Shown(ViewSpec, ReadyView),
    Live(LiveStatus),
    UpdatedView(Result<Box<UpdatedView>, String>),
    Exported(String, ExportResult),
    Reported(ReportJob, ReportUse, Result<Report, String>),
    From(OpenedFrom),
    Noted(MethodNotes),
    /// Why the worker could not do it.
    Failed(Effect, String),
}

pub enum Event {
    Action(Action),
    Message(Message),
    Resize(u16, u16),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loading {
    /// `None` while the file is read; usually the step of another program.
    pub step: Option<String>,
    pub bytes: u64,
    /// 0 if unknown, or if there is nothing to read yet.
    pub total_bytes: u64,
    pub nodes: u64,
    pub elapsed_ms: u64,
}

pub enum Screen {
    Loading(Loading),
    Failed(FailureScreen),
    Explorer(Box<Explorer>),
}

pub struct FailureScreen {
    pub failure: OpenFailure,
    pub has_details: bool,
    pub top: usize,
}

pub struct App {
    pub name: String,
    pub screen: Screen,
    pub size: (u16, u16),
    pub keymap: Arc<Keymap>,
    pub preferences: Preferences,
}

impl FailureScreen {
    pub const HEAD: u16 = 3;

    pub fn lines(&self, width: usize) -> Vec<String> {
        let room = width.saturating_sub(2);
        let mut lines = wrap(&visible(&self.failure.sentence), room);
        if self.has_details {
            lines.push(String::new());
            for line in &self.failure.detail {
                lines.extend(wrap_indented(&visible(line), room));
            }
        }
        lines
    }

    fn last_top(&self, (width, height): (u16, u16)) -> usize {
        let lines = self.lines(usize::from(width)).len();
        lines.saturating_sub(Self::height(height))
    }

    /// Shows them from their start if they don't all fit.
    fn toggle_details(&mut self, size: (u16, u16)) {
        let sentence = match self.has_details {
            true => 0,
            false => self.lines(usize::from(size.0)).len() + 1,
        };
        self.has_details = !self.has_details;
        self.top = sentence.min(self.last_top(size));
    }

    fn act(&mut self, action: &Action, size: (u16, u16)) {
        let half = (Self::height(size.1) / 2).max(1) as isize;
        if *action == Action::Details {
            return self.toggle_details(size);
        }
        let top = scrolled(action, self.top, 2 * half).unwrap_or(self.top);
        self.top = top.min(self.last_top(size));
    }

    /// The last row is for keys.
    pub fn height(screen_height: u16) -> usize {
        usize::from(screen_height.saturating_sub(Self::HEAD + 1))
    }
}

impl App {
    pub fn new(name: &str, width: u16, height: u16) -> App {
        App {
            name: name.into(),
            screen: Screen::Loading(Loading::default()),
            size: (width, height),
            keymap: Arc::default(),
            preferences: Preferences::default(),
        }
    }

    /// All handles in effects belong to it.
    pub fn view(&self) -> Option<&Arc<View>> {
        match &self.screen {
            Screen::Explorer(explorer) => Some(explorer.view()),
            _ => None,
        }
    }

    pub fn is_awaiting_view(&self) -> bool {
        matches!(&self.screen, Screen::Explorer(explorer) if explorer.is_awaiting_view())
    }

    pub fn context(&self) -> Context {
        match &self.screen {
            Screen::Loading(_) => Context::Loading,
            Screen::Failed(..) => Context::Failed,
            Screen::Explorer(explorer) => explorer.context(),
        }
    }

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
                explorer.apply_preferences(&self.preferences);
                if let Some(view) = shown {
                    explorer.show_first_view(view);
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
            (message, Screen::Explorer(explorer)) => explorer.receive(message),
            _ => {}
        }
    }
}

fn scrolled(action: &Action, top: usize, screen: isize) -> Option<usize> {
    Some(match *action {
        Action::Rows(rows) | Action::Wheel(_, _, rows) => top.saturating_add_signed(rows),
        Action::HalfScreens(halves) => top.saturating_add_signed(halves * screen / 2),
        Action::First => 0,
        Action::Last => usize::MAX,
        _ => return None,
    })
}
