//! What keys and the mouse do on the current page.

use super::PreviousList;
use crate::app::{
    Action, ButterflySubject, Depth, Effect, Explorer, FilterPrompt, FlamePanel, LanesPanel,
    Layout, ListKind, Mode, Overlay, Page, PageOrigin, Panel, Reply, Search, Split, messages,
};
use crate::model::{FrameId, NodeId};
use crate::text::{visible, width};

/// Beyond this, the oldest pages are dropped.
const MAX_PAGES: usize = 32;

/// The most nodes in the trees of all pages but the first, together.
const MAX_NODES: usize = 2_000_000;

pub const BREADCRUMB_SEPARATOR: &str = " ▸ ";

impl Explorer {
    pub(super) fn lay_out(&mut self) {
        let strip_rows = self.strip_rows();
        let (page, screen) = (self.page(), self.layout.screen);
        // the only hotspot of a leaf is the leaf itself
        let is_leaf = || !self.hot.is_pinned && self.view().is_leaf(self.tree().shown.selected);
        let split = match page.split {
            Split::Hotspots if page.focus == 0 && is_leaf() => Split::SmallHotspots,
            split => split,
        };
        let size = (screen.width, screen.height);
        let mut layout = Layout::new(size, split, page.focus, strip_rows);
        layout.fit(|at| page.panels[at].row_count(self.lens()));
        if layout.mode != Mode::Tiny {
            for (at, panel) in self.page_mut().panels.iter_mut().enumerate() {
                panel.get_mut().set_area(layout.content(at));
            }
        }
        self.layout = layout;
    }

    pub(super) fn set_focus(&mut self, panel: usize) {
        self.page_mut().focus = panel;
        self.lay_out();
    }

    pub(super) fn open(&mut self, origin: PageOrigin, page: Page) {
        let page = Page { origin, ..page };
        let nodes = |pages: &[Page]| pages.iter().map(Page::node_count).sum::<usize>();
        while self.pages.len() > MAX_PAGES || nodes(&self.pages[1..]) > MAX_NODES {
            self.pages.remove(1);
        }
        self.pages.push(page);
        self.adopt();
        self.refresh();
    }

    pub(super) fn leave_pages(&mut self) {
        self.truncate_pages(1);
    }

    /// Leaves all pages but the first `count`. The call tree gets the focus.
    pub(super) fn truncate_pages(&mut self, count: usize) {
        self.pages.truncate(count);
        self.set_focus(0);
    }

    pub(super) fn act_in_panels(&mut self, action: Action) {
        if let Some(sentence) = self.page().refusal(&action) {
            return self.show_message(sentence);
        }
        if !FlamePanel::is_move(&action) {
            self.sync_tree();
        }
        if self.change_view(&action) || self.change_look(&action) || self.act_in_strip(&action) {
            return;
        }
        let panels = self.page().panels.len();
        match action {
            // this would suspend the recording, too
            Action::Suspend if self.is_live() => {
                self.show_message(messages::CANT_SUSPEND_WHILE_RECORDING)
            }
            Action::Suspend => self.ask(Effect::Suspend),
            Action::NextPane(step) => {
                let next = self.page().focus as isize + step;
                self.set_focus(next.rem_euclid(panels as isize) as usize);
            }
            Action::Pane(number) => {
                let panel = usize::from(number).wrapping_sub(1);
                if panel < panels {
                    self.set_focus(panel);
                } else {
                    self.show_message(messages::no_such_panel(&number, &panels));
                }
            }
            Action::Search => {
                self.overlay = Overlay::Search(Search::default());
                // builds the search index while the user is still typing the first letter
                self.search(String::new());
            }
            Action::SearchSelected => self.search_for(self.subject_frame()),
            Action::Occurrence(step) => {
                let subject = self.subject();
                let message = self.tree_mut().continue_walk(subject, step);
                self.set_focus(0);
                self.show_message(message);
            }
            Action::Views => self.open_list(ListKind::Views),
            Action::Breadcrumbs => self.open_list(ListKind::Breadcrumbs),
            Action::CommandLine => self.open_page(self.command_line()),
            Action::Notes => self.open_notes(),
            Action::Commands => self.open_command_prompt(),
            Action::Help => self.open_help(),
            Action::Export => self.open_export(),
            Action::CopyReport => self.copy_report(),
            Action::Note => self.open_note_on(self.subject_frame()),
            Action::CopyName => {
                let selection = self.selection();
                let name = selection.lens.full_frame_name(selection.frame);
                self.copy_name(name);
            }
            Action::CopyPath => self.copy_path(),
            Action::Click(x, y) | Action::DoubleClick(x, y) => self.click(x, y, &action),
            // by the mouse position, not the focus
            Action::Wheel(x, y, _) => {
                if let Some(panel) = self.layout.panel_at(x, y) {
                    self.act_in_panel(panel, &action);
                }
            }
            other => self.act_in_panel(self.page().focus, &other),
        }
    }

    fn change_view(&mut self, action: &Action) -> bool {
        match action {
            Action::Method => self.open_method(),
            Action::Methods => self.ask_for_methods(),
            Action::Waits => self.ask_for_waits(),
            Action::Flame if self.has_flame() => self.open_chart(),
            Action::Flame => self.open_flame(),
            Action::SideFlame => self.toggle_side_flame(),
            Action::NextPane(step) if self.has_chart() => self.next_chart(*step),
            Action::Timeline => self.open_lanes(),
            Action::Occurrence(step) if self.has_lanes() => self.go_to_marker(*step),
            Action::Invert => self.open_inverted(),
            Action::NextCollapse => self.next_collapse(),
            Action::ToggleFrames => self.toggle_frames(),
            Action::NextRecursion => self.next_recursion(),
            Action::NextGroup => self.next_group(),
            Action::DropMethod => self.drop_method(self.subject_frame()),
            Action::DropSubtree => self.drop_subtree(),
            Action::ToggleRepair => self.toggle_repair(),
            Action::Back => self.back(),
            Action::Focus if self.has_lanes() => self.toggle_lanes_subtree(),
            Action::Focus => self.focus(self.subject()),
            Action::Filter => self.overlay = Overlay::Filter(FilterPrompt::default()),
            Action::Threads | Action::Processes => self.open_picker(*action == Action::Threads),
            _ => return false,
        }
        true
    }

    pub(super) fn change_look(&mut self, action: &Action) -> bool {
        match action {
            Action::Freeze => self.toggle_freeze(),
            Action::TogglePin => self.toggle_pin(),
            Action::NextMetric => self.next_metric(),
            Action::ToggleWaiting => self.toggle_waiting(),
            Action::ToggleNames => self.tree_mut().lens.shows_raw_names ^= true,
            _ => return false,
        }
        self.adopt();
        true
    }

    fn act_in_panel(&mut self, panel: usize, action: &Action) {
        let main = self.lens().clone();
        let subject = self.page().subject();
        let reply = self.page_mut().panels[panel].get_mut().act(action, &main);
        match reply {
            Reply::AskTree => {
                let reply = self.tree_mut().act(action, &main);
                self.do_for_panel(reply, subject);
            }
            reply => self.do_for_panel(reply, subject),
        }
    }

    pub(super) fn do_for_panel(&mut self, reply: Reply, subject: Option<ButterflySubject>) {
        match reply {
            Reply::Done | Reply::AskTree => {}
            Reply::ShowMessage(sentence) => self.show_message(sentence),
            Reply::GoTo(frame, within) => {
                self.leave_list(|explorer| explorer.go_to_method(frame, within))
            }
            Reply::GoToWait(node, metric) => {
                self.leave_list(|explorer| explorer.go_to_wait(node, metric))
            }
            Reply::GoToNode(node) => self.leave_list(|explorer| explorer.go_to_node(node)),
            Reply::ChooseThreads(rows) => self.choose_threads(&rows),
            Reply::ChooseRange(range) => self.choose_range(range),
            Reply::MoveTime(cells) => self.move_time(cells),
            // next to the tree, it is the graph of the tree's selection
            Reply::Zoom(node) if self.top_page().is_none() => {
                self.go_to_node(node);
                self.set_focus(1);
            }
            Reply::Zoom(node) => {
                self.sync_tree();
                self.focus(node);
            }
            Reply::Leave => self.set_focus(0),
            Reply::OpenCallers(opened) => {
                if let Some(subject) = subject {
                    self.ask(Effect::OpenCallers { subject, opened });
                }
            }
        }
    }

    fn back(&mut self) {
        if self.cancel_pending() || self.clear_highlights() {
            return;
        }
        // the cursor stays where it was in the lanes
        let came_from_lanes = match &self.history.list {
            Some((PreviousList::Page(page, _), _)) => page.first::<LanesPanel>().is_some(),
            _ => false,
        };
        if came_from_lanes
            && self.top_page().is_none()
            && let Some(list) = self.take_previous_list()
        {
            return self.reopen_list(list);
        }
        // the cursor follows the chart's selection
        if !self.has_chart() && self.leave_cursor() {
            return;
        }
        // on other pages, only a range that was chosen there
        let has_time = self.has_lanes() || self.has_chart();
        let leaves_range = match self.top_page() {
            Some(page) => has_time || self.depth().ranges > page.origin.depth.ranges,
            None => self.page().focus == 0,
        };
        if leaves_range && self.back_to_range() {
            return;
        }
        if self.leave_lanes_subtree() {
            return;
        }
        if let Some(page) = self.top_page() {
            let PageOrigin { depth, listed } = page.origin;
            if (self.has_flame() || self.has_chart()) && self.tree().outer.len() > depth.focuses {
                self.tree_mut().leave_focus();
                return self.lay_out();
            }
            // changes made on this page are undone first
            let changed_here = self.undoable_changes().nth(depth.changes);
            if let Some(at) = changed_here {
                return self.undo_change(at);
            }
            if self.has_chart() {
                self.leave_cursor();
            }
            self.pages.pop();
            self.lay_out();
            if listed.is_some() {
                self.settings.methods.selected = listed;
                self.ask_for_methods();
            }
        } else if let Some(list) = self.take_previous_list() {
            self.reopen_list(list);
        } else if self.can_only_undo_threads() {
            self.undo_last();
        } else if self.tree_mut().leave_focus() {
            self.lay_out();
        } else if self.page().focus != 0 {
            self.set_focus(0);
        } else if self.hot.is_pinned {
            self.hot.is_pinned = false;
        } else {
            self.show_message(messages::NOTHING_TO_GO_BACK_TO);
        }
    }

    pub(super) fn depth(&self) -> Depth {
        Depth {
            changes: self.undoable_changes().count(),
            focuses: self.tree().outer.len(),
            ranges: self.time.range_history.len(),
        }
    }

    pub(super) fn remember(&mut self, list: PreviousList) {
        self.history.list = Some((list, self.depth()));
    }

    /// Leaves the timeline, the waits or the callers of a method for the call tree; esc returns there.
    fn leave_list(&mut self, go: impl FnOnce(&mut Explorer)) {
        let left = self.take_list();
        go(self);
        if let Some(list) = left {
            self.remember(list);
        }
    }

    fn take_list(&mut self) -> Option<PreviousList> {
        let is_list = |page: &mut Page| page.parts.is_some() || page.is_list();
        let page = self.pages.pop_if(is_list)?;
        Some(PreviousList::Page(Box::new(page), self.lens().metric))
    }

    /// `None` if esc has something newer to undo.
    fn take_previous_list(&mut self) -> Option<PreviousList> {
        let depth = self.depth();
        let is_in_tree = self.page().focus == 0;
        let list = &mut self.history.list;
        let left = list.take_if(|(_, then)| is_in_tree && *then == depth);
        left.map(|(list, _)| list)
    }

    fn reopen_list(&mut self, list: PreviousList) {
        match list {
            PreviousList::Methods(frame) => {
                self.settings.methods.selected = Some(frame);
                self.ask_for_methods();
            }
            PreviousList::Page(page, metric) => {
                if self.lens().metric != metric {
                    self.tree_mut().show_metric(metric);
                }
                self.open(page.origin, *page);
            }
        }
    }

    pub(super) fn go_to_method(&mut self, frame: FrameId, within: NodeId) {
        if !self.has_flame() && !self.has_chart() {
            self.leave_pages();
        }
        let message = self.tree_mut().go_to_method(frame, within);
        self.lay_out();
        self.show_message(message);
    }

    fn focus(&mut self, node: NodeId) {
        if node == self.tree().shown.root() {
            return self.show_message(messages::ALREADY_AT_ROOT);
        }
        let message = self.tree_mut().focus(node);
        self.set_focus(0);
        message
            .into_iter()
            .for_each(|message| self.show_message(message));
    }

    fn copy_path(&mut self) {
        let selection = self.selection();
        let view = &selection.lens.view;
        let path = view.tree.upward(selection.node);
        let mut path: Vec<_> = path.map(|at| visible(view.name(at))).collect();
        path.reverse();
        let path = path.join("\n");
        self.copy(path, "copied the path")
    }

    fn click(&mut self, x: u16, y: u16, action: &Action) {
        if self.layout.breadcrumbs.contains(x, y) {
            return self.click_breadcrumbs(x);
        }
        if self.layout.strip.contains(x, y) {
            let is_second = matches!(action, Action::DoubleClick(..));
            return self.click_strip(x, is_second);
        }
        let title = self.layout.title;
        let has_warnings = self.warning_count() > 0;
        if title.contains(x, y) && x + 8 >= title.width && has_warnings {
            self.open_notes();
        }
        let Some(panel) = self.layout.panel_at(x, y) else {
            return;
        };
        self.set_focus(panel);
        self.act_in_panel(panel, action);
    }

    fn click_breadcrumbs(&mut self, x: u16) {
        let x = usize::from(x);
        if self.layout.mode == Mode::Narrow {
            let mut to = 0;
            let hit = self.page().tabs().position(|label| {
                to += width(&label);
                x < to
            });
            hit.into_iter().for_each(|panel| self.set_focus(panel));
            return;
        }
        let mut from = 1;
        let hit = self.crumbs().into_iter().find(|(_, name)| {
            from += width(name) + width(BREADCRUMB_SEPARATOR);
            x < from
        });
        if let Some((crumb, _)) = hit {
            self.go_back_to(crumb);
        }
    }

    pub fn breadcrumb_names(&self) -> Vec<String> {
        self.crumbs().into_iter().map(|(_, name)| name).collect()
    }
}
