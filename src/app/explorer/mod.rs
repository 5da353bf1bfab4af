//! The explorer of one profile: tree, hotspots, breadcrumbs, walk, dialogs.

mod awaited;
mod butterfly;
mod changes;
mod dialogs;
mod exchange;
mod export;
mod lists;
mod live;
mod methods;
mod mouse;
mod notes;
mod occurrences;
mod other_form;
mod panes;
mod repair;
mod threads;

pub use butterfly::node_at_path;
pub use changes::Crumb;
pub use mouse::BREADCRUMB_SEPARATOR;
pub use repair::FormWords;

use super::Effect;
use super::awaited::Awaited;
use super::butterfly_parts::{ButterflyParts, CallerPath};
use super::commands::{Action, Context, about_unbound};
use super::dialogs::{ExportSettings, ListKind, Overlay, PageKind, Search};
use super::filter::Filter;
use super::hot_panes::{HotColumn, HotPanes, HotSort, ListCursor};
use super::layout::{Layout, Mode, Pane};
use super::live::Live;
use super::method_list::MethodSettings;
use super::note_book::NoteBook;
use super::outline::{Sort, SortColumn};
use super::tree_pane::TreePane;
use crate::analysis::samples;
use crate::app::messages;
use crate::model::{
    CountKind, FrameId, Measure, MetricId, NodeId, NodeRef, Scope, Step, View, ViewSpec,
};
use crate::text::visible;
use crate::units;
use other_form::OtherForm;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The most that terminals accept through OSC 52, before encoding.
const CLIPBOARD_BYTES: usize = 74_000;

/// From how many nodes on the samples of a subtree's root are remembered.
const MANY_NODES: usize = 1000;

/// The samples of an inclusive and an exclusive value, by measure and node.
type SamplesOfNodes = HashMap<(Measure, NodeId), [Option<u64>; 2]>;

/// A walk through the places of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The method.
    pub frame: FrameId,
    /// The node at which the walk is.
    pub node: NodeId,
    /// The index of `node` among the nodes of the method, heaviest first.
    pub at: usize,
    /// How many there are.
    pub count: usize,
}

/// A sentence for the line of hints, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence.
    pub text: String,
    /// Whether something failed.
    pub is_error: bool,
}

/// Which tree of a page of callers an explorer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKind {
    Callers,
    Callees,
    /// The whole tree inverted: methods, and below each its callers.
    Inverted,
}

/// A page of callers over the tree: a method with callees and threads, or the inverted tree. Each has its own state.
pub struct ButterflyPage {
    /// What is known of it.
    pub parts: Arc<ButterflyParts>,
    pub callers: Explorer,
    /// The callees of a method.
    pub callees: Option<Explorer>,
    /// The cursor in the list of threads.
    pub cursor: ListCursor,
    /// The paths of frames of the callers that were opened, besides the first.
    opened: Vec<CallerPath>,
    /// Those that are to be shown open when they are there.
    opens: Vec<CallerPath>,
}

/// The state of the explorer.
pub struct Explorer {
    /// The profile that is shown.
    pub view: Arc<View>,
    /// The view of the whole recording, repaired if anything was.
    pub whole: Arc<View>,
    /// The other view that was asked for, while its answer is awaited.
    awaited: Option<Awaited>,
    /// The same threads repaired where they are shown as recorded, or the other way round, as they were left.
    other_form: Option<OtherForm>,
    /// The metric that is shown.
    pub metric: MetricId,
    /// Whether waiting counts; `None` where nobody chose.
    counts_waiting: Option<bool>,
    /// Whether raw names are shown.
    pub raw_names: bool,
    /// The pane that keys go to.
    pub pane: Pane,
    /// The tree as it is shown now.
    pub tree: TreePane,
    /// The trees that were left by focusing, outermost first.
    pub breadcrumbs: Vec<TreePane>,
    /// The hotspots.
    pub hot: HotPanes,
    /// The walk through a method's places.
    pub walk: Option<Walk>,
    /// The trees of callers that lie over the tree, the one on the screen last.
    butterfly: Vec<ButterflyPage>,
    /// Whether keys go to it: of the trees of a page of callers, to one.
    pub has_focus: bool,
    /// Which tree of a page of callers this is, if it is one.
    pub half: Option<PanelKind>,
    /// What lies over the panes.
    pub overlay: Overlay,
    /// What was just said.
    pub notice: Option<Notice>,
    /// Where everything is.
    pub layout: Layout,
    /// The number of the selected row and how many rows there are, for the edge of the tree.
    pub place: (usize, usize),
    /// The samples of nodes with many callees, once they were asked for.
    samples_of_wide: RefCell<SamplesOfNodes>,
    /// The file as the command line has it; `None` for what has no name there.
    pub file: Option<String>,
    /// What was selected before changes, by the steps of the view then, with the label of the node.
    selections: Vec<(ViewSpec, NodeRef)>,
    /// The selection to which the user goes back with the view that is awaited.
    goes_back_to: Option<(ViewSpec, NodeRef)>,
    /// How the list of methods was left.
    method_settings: MethodSettings,
    /// How far a view is that is being made, once that has taken a while.
    progress_percent: Option<u8>,
    /// A person's notes on methods.
    pub notes: NoteBook,
    /// What is written of subtrees.
    export_settings: ExportSettings,
    /// The file that is being written.
    writing: Option<String>,
    leaves_when_written: bool,
    /// The recording in progress, if there is one.
    live: Option<Live>,
}

impl Explorer {
    /// An explorer of a whole recording, with the root's callees shown and the hotspots of all.
    pub fn new(view: Arc<View>, width: u16, height: u16) -> (Explorer, Vec<Effect>) {
        let metric = view.recording.default_metric;
        let tree = TreePane::new(
            &view,
            NodeId::ROOT,
            view.measure(metric),
            Sort::first_of(&view),
        );
        let mut explorer = Explorer {
            metric,
            counts_waiting: None,
            raw_names: false,
            pane: Pane::Tree,
            tree,
            breadcrumbs: Vec::new(),
            hot: HotPanes::default(),
            walk: None,
            butterfly: Vec::new(),
            has_focus: true,
            half: None,
            overlay: Overlay::None,
            notice: None,
            layout: Layout::new(width, height, Pane::Tree),
            place: (0, 0),
            samples_of_wide: RefCell::default(),
            notes: NoteBook {
                notes: Arc::new(view.recording.method_notes.clone()),
                ..NoteBook::default()
            },
            export_settings: ExportSettings::default(),
            writing: None,
            leaves_when_written: false,
            live: None,
            awaited: None,
            progress_percent: None,
            selections: Vec::new(),
            goes_back_to: None,
            file: None,
            method_settings: MethodSettings::default(),
            other_form: None,
            whole: Arc::clone(&view),
            view,
        };
        let effects = explorer.refresh();
        (explorer, effects)
    }

    /// The first step of what is shown.
    pub fn scope(&self) -> &Scope {
        &self.view.steps.scope
    }

    /// The steps that make what is shown: the focuses are those of the breadcrumbs, by their labels. O(focuses · log threads).
    pub fn steps(&self) -> ViewSpec {
        let focused = self.breadcrumbs.iter().chain([&self.tree]).skip(1);
        let focused = focused.map(|pane| Step::Focus(self.view.node_ref(pane.root())));
        ViewSpec {
            scope: self.scope().clone(),
            transforms: self
                .view
                .steps
                .transforms
                .iter()
                .cloned()
                .chain(focused)
                .collect(),
        }
    }

    /// What rows are ordered by and percentages are of.
    pub fn measure(&self) -> Measure {
        self.measure_below(self.tree.root())
    }

    /// The same for the subtree of a node as a tree of its own.
    pub(super) fn measure_below(&self, root: NodeId) -> Measure {
        self.measure_of(&self.view).below(&self.view, root)
    }

    /// The same for all of a view of this recording.
    pub(super) fn measure_of(&self, view: &View) -> Measure {
        let usual = view.measure(self.metric);
        Measure {
            counts_waiting: self.counts_waiting.unwrap_or(usual.counts_waiting),
            ..usual
        }
    }

    /// The samples on which a node's inclusive and exclusive values rest. Expected O(1): every draw asks for every row, and what
    /// has very many callees would take its time each time.
    pub fn samples(&self, node: NodeId) -> [Option<u64>; 2] {
        let of = || samples(&self.view, self.measure(), node);
        if self.view.tree.size(node) < MANY_NODES {
            return of();
        }
        *self
            .samples_of_wide
            .borrow_mut()
            .entry((self.measure(), node))
            .or_insert_with(of)
    }

    /// The share of a node in what is shown, in percent; `None` where all of it is waiting, which does not count.
    pub fn share(&self, node: NodeId) -> Option<f64> {
        self.share_of(
            self.measure().inclusive(&self.view, node),
            self.view.tree.inclusive(self.metric, node),
        )
    }

    /// The same for something with this value, of which `weight` counts.
    pub fn share_of(&self, weight: u64, value: u64) -> Option<f64> {
        let whole = self.measure().inclusive(&self.view, self.tree.root());
        (weight > 0 || value == 0).then(|| units::percent(weight, whole))
    }

    fn toggle_waiting(&mut self) {
        let waiting = self.view.waiting_total(self.metric);
        if waiting == 0 {
            let name = |id: MetricId| visible(&self.view.recording.metric(id).name).into_owned();
            let other = (0..self.view.recording.metrics.len())
                .map(MetricId::at)
                .find(|&id| self.view.waiting_total(id) > 0);
            let other = other.map_or(String::new(), |other| format!("; m shows {}", name(other)));
            return self.say(messages::no_known_waiting(&name(self.metric), &other));
        }
        if self.measure_of(&self.view) != self.measure() {
            return self.say(messages::THREAD_ONLY_WAITS);
        }
        let counts = !self.measure().counts_waiting;
        self.counts_waiting = Some(counts);
        let measure = self.measure();
        self.tree
            .outline
            .set_order(&self.view, measure, self.tree.outline.sort());
        let waiting = self.scale().with_unit(waiting);
        self.say(match counts {
            true => messages::waiting_counts_like_work(&waiting),
            false => messages::waiting_left_out(&waiting),
        });
    }

    /// What keys mean now.
    pub fn context(&self) -> Context {
        match &self.overlay {
            overlay if overlay.filter().is_some_and(Filter::is_typed) => Context::Filter,
            Overlay::None => Context::Explorer,
            Overlay::Search(_) => Context::Search,
            Overlay::Filter(_) => Context::Pattern,
            Overlay::Note(prompt) if prompt.asks_to_write => Context::Consent,
            Overlay::Note(_) => Context::Note,
            Overlay::Methods(_) => Context::Methods,
            Overlay::List(..) => Context::List,
            Overlay::Export(export) if export.asks_to_overwrite.is_some() => Context::Confirm,
            Overlay::Export(export) if export.writing.is_some() => Context::Writing,
            Overlay::Export(_) => Context::Prompt,
            Overlay::Threads(_) => Context::Threads,
            Overlay::Page(_) => Context::Page,
        }
    }

    /// The name of a frame as it is shown now.
    pub fn frame_name(&self, frame: FrameId) -> &str {
        if self.raw_names {
            self.view.frames.name(frame)
        } else {
            self.view.frames.display_name(frame)
        }
    }

    /// The same in a list, where overloads have to be told apart.
    pub fn list_name(&self, frame: FrameId) -> Cow<'_, str> {
        if self.raw_names {
            self.view.frames.name(frame).into()
        } else {
            self.view.frames.list_name(frame)
        }
    }

    /// The name of a node as it is shown now.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.frame_name(self.view.tree.frame(node))
    }

    /// The node that the detail line, copying and exporting are about: the selected one, or a hotspot's heaviest occurrence.
    pub fn subject(&self) -> NodeId {
        if let Some(page) = self.butterfly() {
            return page.parts.heaviest;
        }
        match self.pane {
            Pane::Tree => self.tree.selected,
            pane => self
                .hot
                .selected(pane)
                .map_or(self.tree.selected, |hotspot| hotspot.heaviest_node),
        }
    }

    /// The subtree whose hotspots are wanted.
    pub fn hot_scope(&self) -> NodeId {
        if self.hot.is_pinned {
            NodeId::ROOT
        } else {
            self.tree.selected
        }
    }

    /// The height of the tree's rows.
    fn height(&self) -> usize {
        usize::from(self.layout.rows(Pane::Tree).height).max(1)
    }

    /// Fits everything to a new size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Effect> {
        self.layout = self.layout_for(width, height, self.pane);
        if self.layout.mode == Mode::Tiny {
            // what is not shown keeps its place for the next size
            return Vec::new();
        }
        let height = self.height();
        self.tree.resize(&self.view, height);
        for pane in [Pane::Exclusive, Pane::Inclusive] {
            let (len, height) = (
                self.hot.rows(pane).len(),
                usize::from(self.layout.rows(pane).height),
            );
            let cursor = self.hot.cursor_mut(pane);
            cursor.select(cursor.selected, len, height);
        }
        self.place_halves();
        self.refresh()
    }

    /// Handles an action. On a screen that is too small to show anything, only quitting works: nobody should
    /// act blind.
    #[must_use]
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        if self.layout.mode == Mode::Tiny
            && !matches!(action, Action::Quit | Action::Interrupt | Action::Suspend)
        {
            return Vec::new();
        }
        if action != Action::Quit {
            self.forget_to_stop();
        }
        self.notice = None;
        if let Action::Unbound(key) = &action {
            self.say(about_unbound(self.context(), key));
            return Vec::new();
        }
        let mut effects = match self.context() {
            _ if matches!(action, Action::Quit | Action::Interrupt) => {
                self.quit(action == Action::Interrupt)
            }
            Context::Search => self.act_in_search(action),
            Context::Prompt | Context::Writing | Context::Confirm => self.act_in_export(action),
            Context::Threads => self.act_in_picker(action),
            Context::Filter => self.act_in_filter(action),
            Context::Methods => self.act_in_methods(action),
            Context::Pattern => self.act_in_filter_prompt(action),
            Context::Note | Context::Consent => self.act_in_note(action),
            Context::List => self.act_in_list(action),
            Context::Page => self.act_in_page(action),
            _ => match self.act_in_butterfly(&action) {
                Some(effects) => effects,
                None => self.act_in_panes(action),
            },
        };
        effects.extend(self.refresh());
        effects
    }

    /// Leaves, unless a file is being written: then it leaves when that is done, or when asked once more. What is being recorded is
    /// stopped first.
    fn quit(&mut self, is_urgent: bool) -> Vec<Effect> {
        if let Some(effects) = self.quit_live(is_urgent) {
            return effects;
        }
        if (self.writing.is_some() || self.notes.unwritten > 0) && !self.leaves_when_written {
            self.leaves_when_written = true;
            self.say(messages::QUITS_WHEN_WRITTEN);
            return Vec::new();
        }
        vec![Effect::Quit]
    }

    /// Brings what follows from the selection up to date.
    pub(super) fn refresh(&mut self) -> Vec<Effect> {
        if self.half.is_none() && self.butterfly.is_empty() {
            let screen = self.layout.screen;
            self.layout = self.layout_for(screen.width, screen.height, self.pane);
        }
        let outline = &self.tree.outline;
        self.place = (
            outline.row_of(&self.view, self.tree.selected) + 1,
            outline.row_count(&self.view),
        );
        let width = self
            .layout
            .content(Pane::Tree)
            .width
            .saturating_sub(self.tree_columns().name_from());
        self.tree.fit_indent(usize::from(width));
        let (scope, measure) = (self.hot_scope(), self.measure());
        if self.half.is_some() {
            // a page of callers has no hotspot panes
            return Vec::new();
        }
        if self.hot.show(&self.view, scope, measure) {
            vec![Effect::Hotspots { scope, measure }]
        } else {
            Vec::new()
        }
    }

    /// Says something until the next key.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice {
            text: text.into(),
            is_error: false,
        });
    }

    pub(super) fn act_in_panes(&mut self, action: Action) -> Vec<Effect> {
        if let Some(effects) = self.change_view(&action) {
            return effects;
        }
        match action {
            // dotspot would stop with the recording
            Action::Suspend if self.is_live() => self.say(messages::CANT_SUSPEND_WHILE_RECORDING),
            Action::Suspend => return vec![Effect::Suspend],
            Action::Freeze => self.toggle_freeze(),
            Action::NextPane(step) => {
                let at = Pane::ALL
                    .iter()
                    .position(|&pane| pane == self.pane)
                    .unwrap_or(0) as isize;
                self.set_pane(Pane::ALL[(at + step).rem_euclid(3) as usize]);
            }
            Action::Pane(number) => {
                if let Some(&pane) = Pane::ALL.get(usize::from(number).wrapping_sub(1)) {
                    self.set_pane(pane);
                }
            }
            Action::Search => {
                self.overlay = Overlay::Search(Search::default());
                // warms up the search index while the user finds the first letter
                return vec![Effect::Search {
                    query: String::new(),
                    metric: self.metric,
                }];
            }
            Action::SearchSelected => return self.search_for(self.subject_frame()),
            Action::Occurrence(step) => self.walk_on(step),
            Action::Views => self.open_list(ListKind::Views),
            Action::Breadcrumbs => self.open_list(ListKind::Breadcrumbs),
            Action::CommandLine => self.open_page(self.command_line()),
            Action::Notes => self.open_page(PageKind::Notes),
            Action::Help => self.open_help(),
            Action::TogglePin => self.toggle_pin(),
            Action::NextSort | Action::ReverseSort | Action::SortBy(_) => self.order_rows(&action),
            Action::NextMetric => self.next_metric(),
            Action::ToggleWaiting => self.toggle_waiting(),
            Action::ToggleNames => self.raw_names = !self.raw_names,
            Action::Export => return self.open_export(),
            Action::CopyReport => return self.copy_report(),
            Action::Note => self.open_note(),
            Action::CopyName => return self.copy_name(self.full_frame_name(self.subject_frame())),
            Action::CopyPath => match self.path_text(self.subject()) {
                Some(text) => return self.copy(text, "copied the path"),
                None => self.say(messages::PATH_TOO_LONG_TO_COPY),
            },
            Action::Click(x, y) => return self.click(x, y),
            Action::DoubleClick(x, y) => return self.double_click(x, y),
            Action::Wheel(x, y, rows) => self.wheel(x, y, rows),
            movement => match self.pane {
                Pane::Tree => self.act_in_tree(movement),
                pane => self.act_in_hotspots(pane, movement),
            },
        }
        Vec::new()
    }

    /// Switches to another view or back, if the action asks for that.
    fn change_view(&mut self, action: &Action) -> Option<Vec<Effect>> {
        Some(match action {
            Action::Method => self.open_method(),
            Action::Methods => self.ask_for_methods(),
            Action::Invert => self.open_inverted(),
            Action::NextCollapse => self.next_collapse(),
            Action::ToggleFrames => self.toggle_frames(),
            Action::NextRecursion => self.next_recursion(),
            Action::NextGroup => self.next_group(),
            Action::DropMethod => self.drop_method(),
            Action::DropSubtree => self.drop_subtree(),
            Action::ToggleRepair => self.toggle_repair(),
            Action::Back => match self.give_up() {
                Some(effects) => effects,
                None if self.goes_back_to_all() => self.back_to_all(),
                None => {
                    self.back();
                    Vec::new()
                }
            },
            Action::Focus => {
                self.focus(self.subject());
                Vec::new()
            }
            Action::Filter => {
                self.open_filter();
                Vec::new()
            }
            Action::Threads | Action::Processes => {
                self.open_picker(*action == Action::Threads);
                Vec::new()
            }
            _ => return None,
        })
    }

    /// Orders the rows of the pane that keys go to.
    fn order_rows(&mut self, action: &Action) {
        let sort = self.tree.outline.sort();
        match *action {
            Action::NextSort if self.pane != Pane::Tree => self.next_hot_sort(),
            Action::ReverseSort if self.pane != Pane::Tree => self.reverse_hot_sort(),
            Action::NextSort => self.next_sort(),
            Action::SortBy(column) => {
                self.set_sort(Sort {
                    column,
                    reversed: sort.column == column && !sort.reversed,
                });
            }
            _ => self.set_sort(Sort {
                reversed: !sort.reversed,
                ..sort
            }),
        }
    }

    /// Puts a name into the clipboard.
    pub(super) fn copy_name(&mut self, name: String) -> Vec<Effect> {
        let said = format!("copied {name}");
        self.copy(name, said)
    }

    /// Puts a text into the clipboard, unless it is more than terminals take.
    pub(super) fn copy(&mut self, text: String, said: impl Into<String>) -> Vec<Effect> {
        if text.len() > CLIPBOARD_BYTES {
            let size = units::size(text.len() as u64);
            self.fail(messages::too_large_to_copy_page(&size));
            return Vec::new();
        }
        self.say(said);
        vec![Effect::Copy(text)]
    }

    fn toggle_pin(&mut self) {
        self.hot.is_pinned = !self.hot.is_pinned;
        let now = if self.hot.is_pinned {
            messages::PINNED_TO_WHOLE_TREE
        } else {
            "follow the selection"
        };
        self.say(format!("hotspots {now}"));
    }

    fn set_pane(&mut self, pane: Pane) {
        self.pane = pane;
        if self.half.is_some() {
            // its position is that of the page
            return;
        }
        let screen = self.layout.screen;
        self.layout = self.layout_for(screen.width, screen.height, pane);
        self.place_halves();
    }

    fn layout_for(&self, width: u16, height: u16, pane: Pane) -> Layout {
        match self.butterfly.last() {
            // a leaf has no hotspots but itself
            None if pane == Pane::Tree
                && !self.hot.is_pinned
                && self.view.is_leaf(self.tree.selected) =>
            {
                Layout::new(width, height, pane).with_small_hotspots()
            }
            None => Layout::new(width, height, pane),
            Some(page) => Layout::of_upward(width, height, pane, page.callees.is_some()),
        }
    }

    fn next_sort(&mut self) {
        let columns = self.sort_columns();
        let at = columns
            .iter()
            .position(|&column| column == self.tree.outline.sort().column)
            .unwrap_or(0);
        self.set_sort(Sort {
            column: columns[(at + 1) % columns.len()],
            reversed: false,
        });
    }

    /// Orders the hotspots of the pane by the next column: the value that it is about, calls, name.
    fn next_hot_sort(&mut self) {
        let is_comparison = self.view.recording.is_comparison();
        let has_calls = !is_comparison
            && self.view.recording.metric(self.metric).counts == Some(CountKind::Calls);
        let mut columns = vec![HotColumn::Value, HotColumn::Calls, HotColumn::Name];
        columns.retain(|&column| has_calls || column != HotColumn::Calls);
        // a list may still be ordered by the calls of another metric, which this one does not have
        let at = columns
            .iter()
            .position(|&column| column == self.hot.sort(self.pane).column);
        let next = columns[at.map_or(0, |at| (at + 1) % columns.len())];
        self.set_hot_sort(HotSort {
            column: next,
            reversed: false,
        });
    }

    fn reverse_hot_sort(&mut self) {
        let sort = self.hot.sort(self.pane);
        self.set_hot_sort(HotSort {
            reversed: !sort.reversed,
            ..sort
        });
    }

    fn set_hot_sort(&mut self, sort: HotSort) {
        let (view, pane) = (Arc::clone(&self.view), self.pane);
        self.hot.set_sort(&view, pane, sort);
        let column = match (sort.column, pane) {
            (HotColumn::Value, _) if self.view.recording.is_comparison() => "difference",
            (HotColumn::Value, Pane::Inclusive) => "inclusive",
            (HotColumn::Value, _) => "exclusive",
            (HotColumn::Calls, _) => "calls",
            (HotColumn::Name, _) => "name",
        };
        self.say(messages::hotspots_ordered(
            &column,
            &(if sort.reversed { ", reversed" } else { "" }),
        ));
    }

    /// The columns that this metric has.
    fn sort_columns(&self) -> Vec<SortColumn> {
        if self.view.recording.is_comparison() {
            return vec![
                SortColumn::Delta,
                SortColumn::Inclusive,
                SortColumn::Before,
                SortColumn::Name,
            ];
        }
        let mut columns = vec![
            SortColumn::Inclusive,
            SortColumn::Exclusive,
            SortColumn::Count,
            SortColumn::Name,
        ];
        columns.retain(|&c| {
            c != SortColumn::Count || self.view.recording.metric(self.metric).counts.is_some()
        });
        columns
    }

    fn set_sort(&mut self, sort: Sort) {
        self.tree
            .outline
            .set_order(&self.view, self.measure(), sort);
        let is_comparison = self.view.recording.is_comparison();
        let column = match sort.column {
            SortColumn::Delta => "difference",
            SortColumn::Before => "value before",
            SortColumn::Inclusive if is_comparison => "value after",
            SortColumn::Inclusive => "inclusive",
            SortColumn::Exclusive => "exclusive",
            SortColumn::Count => self
                .view
                .recording
                .metric(self.metric)
                .counts
                .map_or("count", |kind| kind.name()),
            SortColumn::Name => "name",
        };
        self.say(format!(
            "ordered by {column}{}",
            if sort.reversed { ", reversed" } else { "" }
        ));
    }

    fn next_metric(&mut self) {
        if self.view.recording.is_comparison() {
            return self.say(messages::COMPARISON_HAS_ONE_METRIC);
        }
        let count = self.view.recording.metrics.len();
        if count < 2 {
            return self.say(messages::PROFILE_HAS_ONE_METRIC);
        }
        self.show_metric(MetricId::at((self.metric.index() + 1) % count));
        let name = self.view.recording.metric(self.metric).name.clone();
        self.say(format!("metric: {name}"));
    }

    /// Shows the metric that was asked for before anything was shown.
    pub(super) fn open_on(&mut self, metric: MetricId) -> Vec<Effect> {
        if metric.index() < self.view.recording.metrics.len() {
            self.show_metric(metric);
        }
        self.refresh()
    }

    fn show_metric(&mut self, metric: MetricId) {
        self.metric = metric;
        let mut sort = self.tree.outline.sort();
        if !self.sort_columns().contains(&sort.column) {
            sort = Sort::first_of(&self.view);
        }
        self.tree
            .outline
            .set_order(&self.view, self.measure(), sort);
        self.walk = None;
    }

    /// The full name of a node's frame, with its signature where the name does not hold it, fit for a terminal.
    pub fn full_name(&self, node: NodeId) -> String {
        self.full_frame_name(self.view.tree.frame(node))
    }

    /// The full name of a frame, with its signature, fit for a terminal.
    pub fn full_frame_name(&self, frame: FrameId) -> String {
        visible(&format!(
            "{}{}",
            self.view.frames.name(frame),
            self.view.frames.signature(frame)
        ))
        .into_owned()
    }

    /// The raw names from the root to a node, one a line; `None` if that is more than a clipboard takes.
    fn path_text(&self, node: NodeId) -> Option<String> {
        let mut path: Vec<String> = Vec::new();
        let mut bytes = 0;
        for at in std::iter::once(node).chain(self.view.tree.ancestors(node)) {
            let name = visible(self.view.name(at)).into_owned();
            bytes += name.len() + 1;
            if bytes > CLIPBOARD_BYTES {
                return None;
            }
            path.push(name);
        }
        path.reverse();
        Some(path.join("\n"))
    }

    /// The largest value and count of the shown metric.
    pub(super) fn largest(&self) -> (u64, u64) {
        self.view.largest(self.metric)
    }
}
