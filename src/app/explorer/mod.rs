//! The explorer of one profile: pages of panels, overlays, and the history that led there.

mod awaited;
mod callers;
mod changes;
mod chart;
mod command_prompt;
mod dialogs;
mod exchange;
mod export;
mod flame;
mod lists;
mod live;
mod methods;
mod notes;
mod opening;
mod page;
mod repair;
mod threads;
mod time;

pub use changes::Crumb;
pub use lists::ListRow;
pub use page::BREADCRUMB_SEPARATOR;

use super::hot_sums::HotspotSums;
use super::live::Live;
use super::time_strip::TimeStrip;
use super::{
    Action, AnyPanel, Context, Depth, Effect, ExportSettings, Keymap, LanesPanel, Layout, Lens,
    MethodSettings, Mode, OpenedFrom, Overlay, Page, Preferences, Selection, Split, TreePanel,
    messages,
};
use crate::analysis::ReadyView;
use crate::model::{FrameId, Measure, Merging, MetricId, NodeId, Scope, ThreadChoice, View};
use crate::query::waiting_amount;
use crate::units;
use awaited::Pending;
use exchange::LeftView;
use std::sync::Arc;

/// The most text that terminals accept through OSC 52, in bytes before encoding.
const CLIPBOARD_BYTES: usize = 74_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    pub is_error: bool,
}

/// A list from which the user went to a row of the call tree.
enum PreviousList {
    Methods(FrameId),
    /// The timeline, the waits, or the callers of a method, and the metric shown then.
    Page(Box<Page>, MetricId),
}

#[derive(Default)]
struct History {
    /// The list that the user came from, and the depth at that time; esc returns to the list if it is unchanged.
    list: Option<(PreviousList, Depth)>,
    /// Newest last.
    left: Vec<LeftView>,
    /// Whether the requested view is an earlier one that the user goes back to.
    is_returning: bool,
    /// Repaired or as recorded, with the same threads.
    other_form: Option<ReadyView>,
    /// The initial merging.
    merging: Merging,
    /// The choices of threads before the current one, the first one first.
    threads: Vec<ThreadChoice>,
}

#[derive(Default)]
struct Settings {
    methods: MethodSettings,
    export: ExportSettings,
    shows_side_flame: bool,
}

pub struct Explorer {
    /// The view of the whole recording, repaired if anything was.
    pub whole: ReadyView,
    pub pages: Vec<Page>,
    pub hot: HotspotSums,
    pub time: TimeStrip,
    pub overlay: Overlay,
    pub notice: Option<Notice>,
    pub layout: Layout,
    pub from: OpenedFrom,
    pub keymap: Arc<Keymap>,
    pub config_problems: Vec<String>,
    history: History,
    pending: Pending,
    settings: Settings,
    live: Option<Live>,
}

impl Explorer {
    pub fn new(view: ReadyView, keymap: &Arc<Keymap>, (width, height): (u16, u16)) -> Explorer {
        let mut explorer = Explorer {
            pages: vec![Page::call_tree(Lens::new(view.clone()))],
            hot: HotspotSums::default(),
            time: TimeStrip::default(),
            overlay: Overlay::None,
            notice: None,
            layout: Layout::new((width, height), Split::Hotspots, 0, 0),
            from: OpenedFrom::default(),
            keymap: Arc::clone(keymap),
            config_problems: Vec::new(),
            history: History::default(),
            pending: Pending::default(),
            settings: Settings::default(),
            live: None,
            whole: view,
        };
        explorer.refresh();
        explorer
    }

    pub fn apply_preferences(&mut self, preferred: &Preferences) {
        let lens = &mut self.tree_mut().lens;
        (lens.unit, lens.hidden) = (preferred.unit, preferred.hidden);
        self.time.is_hidden = preferred.hides_strip;
        self.settings.methods.order = preferred.order.unwrap_or_default();
        if let Some(budget) = preferred.budget {
            self.settings.export.budget = budget;
        }
        self.config_problems.clone_from(&preferred.problems);
        self.refresh();
    }

    pub fn warning_count(&self) -> usize {
        self.view().alerts().count() + self.config_problems.len()
    }

    pub fn tree(&self) -> &TreePanel {
        let tree = self.pages.first().and_then(Page::first);
        tree.unwrap_or_else(|| unreachable!("the first page is that of the call tree"))
    }

    pub(super) fn tree_mut(&mut self) -> &mut TreePanel {
        let tree = self.pages.first_mut().and_then(Page::first_mut);
        tree.unwrap_or_else(|| unreachable!("the first page is that of the call tree"))
    }

    pub fn lens(&self) -> &Lens {
        &self.tree().lens
    }

    pub fn view(&self) -> &Arc<View> {
        &self.lens().view
    }

    pub fn page(&self) -> &Page {
        &self.pages[self.pages.len() - 1]
    }

    fn page_mut(&mut self) -> &mut Page {
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    pub fn top_page(&self) -> Option<&Page> {
        self.pages[1..].last()
    }

    pub fn scope(&self) -> &Scope {
        &self.view().steps.scope
    }

    pub fn measure(&self) -> Measure {
        self.tree().measure()
    }

    pub fn context(&self) -> Context {
        self.overlay.context()
    }

    pub fn selection(&self) -> Selection<'_> {
        let selected = self.page().focused().get().selected(self.lens());
        selected.unwrap_or_else(|| self.tree().selection())
    }

    /// The node to copy or export: the selected one, or the heaviest occurrence of a method.
    pub(super) fn subject(&self) -> NodeId {
        match &self.page().parts {
            Some(parts) => parts.heaviest,
            None => self.selection().node,
        }
    }

    pub fn hot_scope(&self) -> NodeId {
        match self.page().first::<LanesPanel>() {
            Some(lanes) if !self.hot.is_pinned => lanes.scope(),
            _ => self.tree_scope(),
        }
    }

    pub(super) fn tree_scope(&self) -> NodeId {
        match self.hot.is_pinned {
            true => NodeId::ROOT,
            false => self.tree().shown.selected,
        }
    }

    pub fn resize(&mut self, width: u16, height: u16) {
        (self.layout.screen.width, self.layout.screen.height) = (width, height);
        self.refresh()
    }

    pub fn act(&mut self, action: Action) {
        if self.layout.mode == Mode::Tiny
            && !matches!(action, Action::Quit | Action::Interrupt | Action::Suspend)
        {
            return;
        }
        // a click's message stays when the button is released
        match action {
            Action::Drag(x, _) => {
                self.drag(x);
                return self.refresh();
            }
            Action::Release(..) => {
                self.release();
                return self.refresh();
            }
            _ => {}
        }
        if let Action::Click(x, y) = action
            && self.layout.hints.contains(x, y)
            && let Some(action) = self.hint_at(x)
        {
            return self.act(action);
        }
        if let (Some(live), true) = (&mut self.live, action != Action::Quit) {
            live.asks_to_stop = false;
        }
        self.notice = None;
        if let Action::Unbound(key) = &action {
            self.show_message(self.keymap.unbound_message(self.context(), key));
            return;
        }
        match self.context() {
            _ if matches!(action, Action::Quit | Action::Interrupt) => {
                self.quit(action == Action::Interrupt)
            }
            Context::Search => self.act_in_search(action),
            Context::Prompt | Context::Writing | Context::Confirm => self.act_in_export(action),
            Context::Threads => self.act_in_picker(action),
            Context::Filter => self.act_in_filter(action),
            Context::Methods => self.act_in_methods(action),
            Context::Command => self.act_in_command_prompt(action),
            Context::Pattern => self.act_in_filter_prompt(action),
            Context::Note | Context::Consent => self.act_in_note(action),
            Context::List => self.act_in_list(action),
            Context::Page => self.act_in_page(action),
            _ => self.act_in_panels(action),
        }
        self.refresh();
    }

    fn quit(&mut self, is_urgent: bool) {
        if self.quit_live(is_urgent) {
            return;
        }
        if self.pending.is_writing() && !self.pending.quits_when_written {
            self.pending.quits_when_written = true;
            return self.show_message(messages::QUITS_WHEN_WRITTEN);
        }
        self.ask(Effect::Quit);
    }

    pub(super) fn refresh(&mut self) {
        self.refresh_side_panels();
        self.lay_out();
        if self.layout.mode == Mode::Tiny {
            // what is not shown keeps its place until the screen grows
            return;
        }
        self.sync_flame();
        self.refresh_chart();
        for panel in &mut self.page_mut().panels {
            panel.get_mut().settle();
        }
        self.sync_cursor();
        let (scope, measure, view) = (self.hot_scope(), self.measure(), Arc::clone(self.view()));
        let needs_sums = self.hot.show(&view, scope, measure);
        self.show_hotspots();
        self.refresh_strip();
        if needs_sums {
            self.ask(Effect::Hotspots { scope, measure });
        }
    }

    fn show_hotspots(&mut self) {
        let view = Arc::clone(self.view());
        let Some(lists) = self.hot.lists.clone() else {
            return;
        };
        for panel in &mut self.page_mut().panels {
            match panel {
                AnyPanel::Hotspots(panel) if !panel.has(&lists) => panel.set_lists(&view, &lists),
                _ => {}
            }
        }
    }

    pub(super) fn receive_hotspots(&mut self, lists: Arc<super::HotspotLists>) {
        if self.hot.receive(lists) {
            self.show_hotspots();
            // the height of lists depends on their rows
            self.lay_out();
        }
    }

    /// Shows a message until the next key, with command names replaced by their keys.
    pub fn show_message(&mut self, text: impl AsRef<str>) {
        self.notice = Some(Notice {
            text: self.keymap.fill(text.as_ref()),
            is_error: false,
        });
    }

    pub(super) fn copy_name(&mut self, name: String) {
        let message = format!("copied {name}");
        self.copy(name, message);
    }

    pub(super) fn copy(&mut self, text: String, message: impl AsRef<str>) {
        if text.len() > CLIPBOARD_BYTES {
            let size = units::size(text.len() as u64);
            return self.fail(messages::too_large_to_copy(&size));
        }
        self.show_message(message);
        self.ask(Effect::Copy(text));
    }

    fn toggle_waiting(&mut self) {
        let lens = self.lens();
        if lens.is_comparison() {
            return self.show_message(messages::COMPARISON_KEEPS_WAITING);
        }
        let waiting = lens.view.waiting_total(lens.metric);
        if waiting == 0 {
            let mut metrics = lens.view.recording.metric_ids();
            let other = metrics.find(|&id| lens.view.waiting_total(id) > 0);
            let hint = other.map_or(String::new(), |other| {
                messages::other_metric(&lens.metric_name(other))
            });
            let metric = lens.metric_name(lens.metric);
            return self.show_message(messages::no_known_waiting(&metric, &hint));
        }
        if lens.measure_of(&lens.view) != self.measure() {
            return self.show_message(messages::THREAD_ONLY_WAITS);
        }
        let counts = !self.measure().counts_waiting;
        let amount = lens.scale().with_unit(waiting);
        let waiting = waiting_amount(lens.view.recording.metric(lens.metric), &amount);
        self.tree_mut().lens.counts_waiting = Some(counts);
        self.tree_mut().reorder();
        self.show_message(match counts {
            true => messages::waiting_counts_like_work(&waiting),
            false => messages::waiting_left_out(&waiting),
        });
    }

    fn next_metric(&mut self) {
        let lens = self.lens();
        let count = lens.view.recording.metrics.len();
        if lens.is_comparison() {
            return self.show_message(messages::COMPARISON_HAS_ONE_METRIC);
        }
        if count < 2 {
            return self.show_message(messages::PROFILE_HAS_ONE_METRIC);
        }
        let next = MetricId::at((lens.metric.index() + 1) % count);
        let name = lens.view.recording.metric(next).name.clone();
        self.tree_mut().show_metric(next);
        self.show_message(format!("metric: {name}"));
    }

    /// Applies the call tree's numbers and names to all pages.
    pub(super) fn adopt(&mut self) {
        let counts_waiting = Some(self.measure().counts_waiting);
        let lens = Lens {
            counts_waiting,
            ..self.lens().clone()
        };
        for panel in self.pages[1..].iter_mut().flat_map(|page| &mut page.panels) {
            panel.get_mut().adopt(&lens);
        }
    }

    fn toggle_pin(&mut self) {
        self.hot.is_pinned = !self.hot.is_pinned;
        let state = match self.hot.is_pinned {
            true => messages::PINNED_TO_WHOLE_TREE,
            false => "follow the selection",
        };
        self.show_message(format!("hotspots {state}"));
    }

    pub(super) fn subject_frame(&self) -> FrameId {
        self.selection().frame
    }
}
