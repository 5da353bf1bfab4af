//! The explorer of one profile: tree, hotspots, trail, walk, dialogs.

use super::Effect;
use super::commands::{Action, Context};
use super::dialogs::{Export, Findings, Overlay, PageKind, Search, file_name_for};
use super::field::Field;
use super::hot_panes::HotPanes;
use super::layout::{Layout, Pane};
use super::outline::{Sort, SortColumn};
use super::pages::page_lines;
use super::tree_pane::TreePane;
use crate::analysis::{hot_path, places_by_weight};
use crate::model::{FrameId, MetricId, NodeId, Profile, format};
use std::sync::Arc;

/// A walk through the places of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The method.
    pub frame: FrameId,
    /// Its nodes in the shown tree, heaviest first.
    pub places: Vec<NodeId>,
    /// At which of them the walk is.
    pub at: usize,
}

/// A sentence for the line of hints, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence.
    pub text: String,
    /// Whether something failed.
    pub is_error: bool,
}

/// The state of the explorer.
pub struct Explorer {
    /// The profile.
    pub profile: Arc<Profile>,
    /// The metric that is shown.
    pub metric: MetricId,
    /// Whether raw names are shown.
    pub raw_names: bool,
    /// The pane that keys go to.
    pub pane: Pane,
    /// The tree as it is shown now.
    pub tree: TreePane,
    /// The trees that were left by focusing, outermost first.
    pub trail: Vec<TreePane>,
    /// The hotspots.
    pub hot: HotPanes,
    /// The walk through a method's places.
    pub walk: Option<Walk>,
    /// What lies over the panes.
    pub overlay: Overlay,
    /// What was just said.
    pub notice: Option<Notice>,
    /// Where everything is.
    pub layout: Layout,
}

impl Explorer {
    /// An explorer with the root's callees shown and the hotspots of all.
    pub fn new(profile: Arc<Profile>, width: u16, height: u16) -> (Explorer, Vec<Effect>) {
        let metric = profile.default_metric;
        let tree = TreePane::new(&profile, NodeId::ROOT, metric, Sort::default());
        let mut explorer = Explorer {
            metric,
            raw_names: false,
            pane: Pane::Tree,
            tree,
            trail: Vec::new(),
            hot: HotPanes::default(),
            walk: None,
            overlay: Overlay::None,
            notice: None,
            layout: Layout::new(width, height, Pane::Tree),
            profile,
        };
        let effects = explorer.refresh();
        (explorer, effects)
    }

    /// What keys mean now.
    pub fn context(&self) -> Context {
        match &self.overlay {
            Overlay::None => Context::Explorer,
            Overlay::Search(_) => Context::Search,
            Overlay::Export(export) if export.asks_to_overwrite => Context::Confirm,
            Overlay::Export(_) => Context::Prompt,
            Overlay::Page(..) => Context::Page,
        }
    }

    /// The name of a frame as it is shown now.
    pub fn frame_name(&self, frame: FrameId) -> &str {
        if self.raw_names { self.profile.frames.name(frame) } else { self.profile.frames.shown(frame) }
    }

    /// The name of a node as it is shown now.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.frame_name(self.profile.tree.frame(node))
    }

    /// The node that the detail line, copying and exporting are about: the selected one, or a hotspot's heaviest place.
    pub fn subject(&self) -> NodeId {
        match self.pane {
            Pane::Tree => self.tree.selected,
            pane => self.hot.selected(pane).map_or(self.tree.selected, |hotspot| hotspot.heaviest_node),
        }
    }

    /// The subtree whose hotspots are wanted.
    pub fn hot_scope(&self) -> NodeId {
        if self.hot.is_pinned { NodeId::ROOT } else { self.tree.selected }
    }

    /// The height of the tree's rows.
    fn height(&self) -> usize {
        usize::from(self.layout.rows(Pane::Tree).height).max(1)
    }

    /// Fits everything to a new size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Effect> {
        self.layout = Layout::new(width, height, self.pane);
        let height = self.height();
        self.tree.resize(&self.profile, height);
        for pane in [Pane::Exclusive, Pane::Inclusive] {
            let (len, height) = (self.hot.rows(pane).len(), usize::from(self.layout.rows(pane).height));
            let cursor = self.hot.cursor_mut(pane);
            cursor.select(cursor.selected, len, height);
        }
        self.refresh()
    }

    /// Does what an action asks.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        self.notice = None;
        let mut effects = match self.context() {
            Context::Search => self.act_in_search(action),
            Context::Prompt | Context::Confirm => self.act_in_export(action),
            Context::Page => self.act_in_page(action),
            _ => self.act_in_panes(action),
        };
        effects.extend(self.refresh());
        effects
    }

    /// Brings what follows from the selection up to date.
    fn refresh(&mut self) -> Vec<Effect> {
        let width = self.layout.content(Pane::Tree).width.saturating_sub(self.tree_columns().name_from());
        self.tree.fit_indent(usize::from(width));
        let (scope, metric) = (self.hot_scope(), self.metric);
        if self.hot.show(&self.profile, scope, metric) { vec![Effect::Hotspots { scope, metric }] } else { Vec::new() }
    }

    /// Says something before the first key.
    pub fn welcome(&mut self, text: &str) {
        self.say(text);
    }

    fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: false });
    }

    fn act_in_panes(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Quit => return vec![Effect::Quit],
            Action::NextPane(step) => {
                let at = Pane::ALL.iter().position(|&pane| pane == self.pane).unwrap_or(0) as isize;
                self.set_pane(Pane::ALL[(at + step).rem_euclid(3) as usize]);
            }
            Action::Pane(number) => {
                if let Some(&pane) = Pane::ALL.get(usize::from(number).wrapping_sub(1)) {
                    self.set_pane(pane);
                }
            }
            Action::Search => self.overlay = Overlay::Search(Search::default()),
            Action::SearchSelected => return self.search_for(self.profile.tree.frame(self.subject())),
            Action::Place(step) => self.walk_on(step),
            Action::Focus => self.focus(self.subject()),
            Action::Back => self.back(),
            Action::TogglePin => {
                self.hot.is_pinned = !self.hot.is_pinned;
                self.say(if self.hot.is_pinned {
                    "hotspots are pinned to the whole tree"
                } else {
                    "hotspots follow the selection"
                });
            }
            Action::NextSort => self.next_sort(),
            Action::SortBy(column) => {
                let sort = self.tree.outline.sort();
                self.set_sort(Sort { column, reversed: sort.column == column && !sort.reversed });
            }
            Action::ReverseSort => {
                let sort = self.tree.outline.sort();
                self.set_sort(Sort { reversed: !sort.reversed, ..sort });
            }
            Action::NextMetric => self.next_metric(),
            Action::ToggleNames => self.raw_names = !self.raw_names,
            Action::Export => self.open_export(),
            Action::CopyName => {
                let text = self.full_name(self.subject());
                self.say(format!("copied {text}"));
                return vec![Effect::Copy(text)];
            }
            Action::CopyPath => {
                let text = self.path_text(self.subject());
                self.say("copied the path");
                return vec![Effect::Copy(text)];
            }
            Action::Warnings => self.overlay = Overlay::Page(PageKind::Warnings, 0),
            Action::Help => self.overlay = Overlay::Page(PageKind::Help, 0),
            Action::Click(x, y) => self.click(x, y),
            Action::DoubleClick(x, y) => self.double_click(x, y),
            Action::Wheel(x, y, rows) => self.wheel(x, y, rows),
            movement => match self.pane {
                Pane::Tree => self.act_in_tree(movement),
                pane => self.act_in_hotspots(pane, movement),
            },
        }
        Vec::new()
    }

    fn set_pane(&mut self, pane: Pane) {
        self.pane = pane;
        let screen = self.layout.screen;
        self.layout = Layout::new(screen.width, screen.height, pane);
    }

    fn act_in_tree(&mut self, action: Action) {
        let profile = Arc::clone(&self.profile);
        let (height, selected) = (self.height(), self.tree.selected);
        let half = (height / 2).max(1) as isize;
        let is_open = self.tree.outline.is_open(&profile, selected);
        match action {
            Action::Rows(rows) => self.tree.move_rows(&profile, rows, height),
            Action::HalfScreens(halves) => self.tree.move_rows(&profile, halves * half, height),
            Action::First => self.tree.select(&profile, self.tree.root(), height),
            Action::Last => {
                let last = self.tree.outline.last_within(&profile, self.tree.root());
                self.tree.select(&profile, last, height);
            }
            Action::Sibling(step) => {
                if let Some(sibling) = self.tree.outline.sibling(&profile, selected, step) {
                    self.tree.select(&profile, sibling, height);
                }
            }
            Action::Parent => self.select_caller(),
            Action::Open if is_open => self.tree.move_rows(&profile, 1, height),
            Action::Open => self.tree.outline.open(&profile, selected),
            Action::Close if is_open => self.tree.outline.close(&profile, selected),
            Action::Close => self.select_caller(),
            Action::Toggle if is_open => self.tree.outline.close(&profile, selected),
            Action::Toggle => self.tree.outline.open(&profile, selected),
            Action::OpenSiblings => self.for_siblings(|tree, node| tree.outline.open(&profile, node)),
            Action::CloseSiblings => self.for_siblings(|tree, node| tree.outline.close(&profile, node)),
            Action::OpenSubtree => self.tree.outline.open_all(&profile, selected),
            Action::CloseSubtree => self.tree.outline.close_all(&profile, selected),
            Action::Enter => self.open_hot_path(),
            Action::NextOwn => match self.tree.next_own(&profile) {
                Some(node) => self.tree.go_to(&profile, node, height),
                None => self.say("no own-code frame below"),
            },
            Action::Center => self.tree.center(&profile, height),
            _ => {}
        }
    }

    fn select_caller(&mut self) {
        let selected = self.tree.selected;
        if selected != self.tree.root()
            && let Some(caller) = self.profile.tree.parent(selected)
        {
            let height = self.height();
            self.tree.select(&Arc::clone(&self.profile), caller, height);
        }
    }

    fn for_siblings(&mut self, change: impl Fn(&mut TreePane, NodeId)) {
        let selected = self.tree.selected;
        let siblings: Vec<NodeId> = match self.profile.tree.parent(selected) {
            Some(parent) if selected != self.tree.root() => self.profile.tree.children(parent).collect(),
            _ => vec![selected],
        };
        for node in siblings {
            change(&mut self.tree, node);
        }
    }

    fn open_hot_path(&mut self) {
        let profile = Arc::clone(&self.profile);
        let path = hot_path(&profile.tree, self.metric, self.tree.selected);
        match path.last() {
            Some(&last) => {
                let (height, levels) = (self.height(), path.len());
                self.tree.go_to(&profile, last, height);
                let plural = if levels == 1 { "" } else { "s" };
                self.say(format!("hot path: {levels} level{plural} down, each with half of its caller or more"));
            }
            None => {
                self.tree.outline.open(&profile, self.tree.selected);
                self.say("no callee has half of this time");
            }
        }
    }

    fn act_in_hotspots(&mut self, pane: Pane, action: Action) {
        let (len, height) = (self.hot.rows(pane).len(), usize::from(self.layout.rows(pane).height).max(1));
        let half = (height / 2).max(1) as isize;
        let cursor = self.hot.cursor_mut(pane);
        match action {
            Action::Rows(rows) | Action::Sibling(rows) => cursor.move_rows(rows, len, height),
            Action::HalfScreens(halves) => cursor.move_rows(halves * half, len, height),
            Action::First => cursor.select(0, len, height),
            Action::Last => cursor.select(len, len, height),
            Action::Enter | Action::Open => {
                if let (Some(&hotspot), Some(lists)) = (self.hot.selected(pane), &self.hot.lists) {
                    let within = lists.scope;
                    self.go_to_method(hotspot.frame, within);
                }
            }
            Action::Close | Action::Parent => self.set_pane(Pane::Tree),
            Action::NextOwn => {
                let next = (self.hot.cursor(pane).selected + 1..len).find(|&row| {
                    let frame = self.hot.rows(pane)[row].frame;
                    self.profile.frames.get(frame).category == crate::model::Category::Own
                });
                if let Some(row) = next {
                    self.hot.cursor_mut(pane).select(row, len, height);
                }
            }
            _ => {}
        }
    }

    /// Goes to the heaviest place of a method within a subtree, and starts a walk through its places in the shown tree. If it
    /// has none there, all focuses are left first.
    fn go_to_method(&mut self, frame: FrameId, within: NodeId) {
        let mut places = places_by_weight(&self.profile, self.tree.root(), frame, self.metric);
        let leaves_focus = places.is_empty() && !self.trail.is_empty();
        if leaves_focus {
            self.leave_all_focuses();
            places = places_by_weight(&self.profile, NodeId::ROOT, frame, self.metric);
        }
        let at = places.iter().position(|&place| self.profile.tree.contains(within, place)).unwrap_or(0);
        self.start_walk(frame, places, at);
        if leaves_focus && let Some(notice) = &mut self.notice {
            notice.text.push_str("; left the focus, which does not have it");
        }
    }

    fn start_walk(&mut self, frame: FrameId, places: Vec<NodeId>, at: usize) {
        if places.is_empty() {
            return self.say("the method has no place in this tree");
        }
        self.walk = Some(Walk { frame, places, at });
        self.set_pane(Pane::Tree);
        self.walk_on(0);
    }

    fn walk_on(&mut self, step: isize) {
        if self.walk.is_none() {
            let frame = self.profile.tree.frame(self.subject());
            let places = places_by_weight(&self.profile, self.tree.root(), frame, self.metric);
            let at = places.iter().position(|&node| node == self.subject()).unwrap_or(0);
            self.walk = Some(Walk { frame, places, at });
        }
        let Some(walk) = &mut self.walk else { return };
        if walk.places.is_empty() {
            return;
        }
        walk.at = (walk.at as isize + step).rem_euclid(walk.places.len() as isize) as usize;
        let (node, at, of, frame) = (walk.places[walk.at], walk.at + 1, walk.places.len(), walk.frame);
        let (profile, height) = (Arc::clone(&self.profile), self.height());
        self.tree.go_to(&profile, node, height);
        self.set_pane(Pane::Tree);
        let name = self.frame_name(frame).to_string();
        let (at, of) = (format::thousands(at as u64), format::thousands(of as u64));
        self.say(format!("place {at} of {of}: {name}"));
    }

    fn focus(&mut self, node: NodeId) {
        if node == self.tree.root() {
            return self.say("this is the tree's root already");
        }
        let tree = TreePane::new(&self.profile, node, self.metric, self.tree.outline.sort());
        self.trail.push(std::mem::replace(&mut self.tree, tree));
        self.walk = None;
        self.set_pane(Pane::Tree);
    }

    fn back(&mut self) {
        if self.walk.take().is_some() {
            return;
        }
        if let Some(mut tree) = self.trail.pop() {
            tree.outline.set_order(&self.profile, self.metric, self.tree.outline.sort());
            self.tree = tree;
            let (profile, height) = (Arc::clone(&self.profile), self.height());
            self.tree.resize(&profile, height);
        } else if self.pane != Pane::Tree {
            self.set_pane(Pane::Tree);
        } else if self.hot.is_pinned {
            self.hot.is_pinned = false;
        } else {
            self.say("nothing to go back from; q quits");
        }
    }

    fn leave_all_focuses(&mut self) {
        while !self.trail.is_empty() {
            self.walk = None;
            self.back();
        }
    }

    fn next_sort(&mut self) {
        let columns = self.sort_columns();
        let at = columns.iter().position(|&column| column == self.tree.outline.sort().column).unwrap_or(0);
        self.set_sort(Sort { column: columns[(at + 1) % columns.len()], reversed: false });
    }

    /// The columns that this metric has.
    fn sort_columns(&self) -> Vec<SortColumn> {
        let mut columns = vec![SortColumn::Inclusive, SortColumn::Exclusive, SortColumn::Count, SortColumn::Name];
        columns.retain(|&c| c != SortColumn::Count || self.profile.metric(self.metric).counts.is_some());
        columns
    }

    fn set_sort(&mut self, sort: Sort) {
        self.tree.outline.set_order(&self.profile, self.metric, sort);
        let column = match sort.column {
            SortColumn::Inclusive => "inclusive",
            SortColumn::Exclusive => "exclusive",
            SortColumn::Count => self.profile.metric(self.metric).counts.map_or("count", |kind| kind.name()),
            SortColumn::Name => "name",
        };
        self.say(format!("ordered by {column}{}", if sort.reversed { ", the other way round" } else { "" }));
    }

    fn next_metric(&mut self) {
        let count = self.profile.metrics.len();
        if count < 2 {
            return self.say("this profile has one metric");
        }
        self.metric = MetricId::at((self.metric.index() + 1) % count);
        let mut sort = self.tree.outline.sort();
        if !self.sort_columns().contains(&sort.column) {
            sort = Sort::default();
        }
        self.tree.outline.set_order(&self.profile, self.metric, sort);
        self.walk = None;
        let name = self.profile.metric(self.metric).name.clone();
        self.say(format!("metric: {name}"));
    }

    fn open_export(&mut self) {
        let node = self.subject();
        self.overlay = Overlay::Export(Export {
            field: Field::new(&file_name_for(self.profile.shown(node))),
            node,
            asks_to_overwrite: false,
            is_writing: false,
            error: None,
        });
    }

    /// The full name of a node's frame, with its signature where the name does not hold it.
    pub fn full_name(&self, node: NodeId) -> String {
        let frame = self.profile.tree.frame(node);
        format!("{}{}", self.profile.frames.name(frame), self.profile.frames.signature(frame))
    }

    /// The raw names from the root to a node, one a line.
    fn path_text(&self, node: NodeId) -> String {
        let mut path: Vec<&str> = vec![self.profile.name(node)];
        path.extend(self.profile.tree.ancestors(node).map(|above| self.profile.name(above)));
        path.reverse();
        path.join("\n")
    }

    fn search_for(&mut self, frame: FrameId) -> Vec<Effect> {
        if !self.profile.frames.get(frame).kind.is_hotspot() {
            self.say("threads can't be searched for, methods can");
            return Vec::new();
        }
        let mut search = Search { field: Field::new(""), ..Search::default() };
        for c in format!("'{}", self.profile.frames.shown(frame)).chars() {
            search.field.insert(c);
        }
        let query = search.field.text().to_string();
        self.overlay = Overlay::Search(search);
        vec![Effect::Search { query, metric: self.metric }]
    }

    fn act_in_search(&mut self, action: Action) -> Vec<Effect> {
        let height = usize::from(self.layout.overlay().inner().height).max(1);
        let Overlay::Search(search) = &mut self.overlay else { return Vec::new() };
        let len = search.findings.as_ref().map_or(0, |findings| findings.rows.len());
        let before = search.field.text().to_string();
        match action {
            Action::Back => self.overlay = Overlay::None,
            Action::Accept if !search.is_current() => search.takes_first = !search.field.text().is_empty(),
            Action::Accept => {
                if let Some(found) = search.selected() {
                    let frame = found.hotspot.frame;
                    self.overlay = Overlay::None;
                    self.go_to_method(frame, self.tree.root());
                }
            }
            Action::Rows(rows) => search.cursor.move_rows(rows, len, height),
            Action::HalfScreens(halves) => search.cursor.move_rows(halves * (height as isize) / 2, len, height),
            Action::Wheel(_, _, rows) => search.cursor.scroll(rows, len, height),
            Action::Click(x, y) => {
                let area = self.layout.overlay().inner();
                if area.contains(x, y) {
                    search.cursor.select(search.cursor.top + usize::from(y - area.y), len, height);
                }
            }
            Action::DoubleClick(x, y) if self.layout.overlay().inner().contains(x, y) => {
                return self.act_in_search(Action::Accept);
            }
            other => {
                search.takes_first = false;
                edit(&mut search.field, other);
            }
        }
        match &self.overlay {
            Overlay::Search(search) if search.field.text() != before => {
                vec![Effect::Search { query: search.field.text().to_string(), metric: self.metric }]
            }
            _ => Vec::new(),
        }
    }

    /// Takes the answer to a search; one to an earlier text is shown until the next comes.
    pub fn receive_findings(&mut self, findings: Arc<Findings>) {
        if let Overlay::Search(search) = &mut self.overlay {
            search.cursor = Default::default();
            search.findings = Some(findings);
            if search.takes_first && search.is_current() {
                self.act_in_search(Action::Accept);
            }
        }
    }

    fn act_in_export(&mut self, action: Action) -> Vec<Effect> {
        let metric = self.metric;
        let Overlay::Export(export) = &mut self.overlay else { return Vec::new() };
        if export.is_writing && action != Action::Back {
            return Vec::new();
        }
        match action {
            Action::Accept => {
                let file = export.field.text().trim().to_string();
                if file.is_empty() {
                    export.error = Some("a file name is needed".into());
                    return Vec::new();
                }
                let overwrite = std::mem::take(&mut export.asks_to_overwrite);
                export.is_writing = true;
                export.error = None;
                return vec![Effect::Export { file, node: export.node, metric, overwrite }];
            }
            Action::Refuse => export.asks_to_overwrite = false,
            Action::Back => self.overlay = Overlay::None,
            other => {
                export.error = None;
                edit(&mut export.field, other);
            }
        }
        Vec::new()
    }

    /// Takes what became of an export.
    pub fn receive_export(&mut self, outcome: super::ExportOutcome) {
        use super::ExportOutcome::{Exists, Failed, Written};
        match (outcome, &mut self.overlay) {
            (Written { file, size_bytes, nodes }, overlay) => {
                if matches!(overlay, Overlay::Export(_)) {
                    self.overlay = Overlay::None;
                }
                let nodes = format::thousands(nodes as u64);
                self.say(format!("wrote {file}: {nodes} nodes, {}", format::size(size_bytes)));
            }
            (Exists, Overlay::Export(export)) => {
                export.is_writing = false;
                export.asks_to_overwrite = true;
            }
            (Failed(sentence), Overlay::Export(export)) => {
                export.is_writing = false;
                export.error = Some(sentence);
            }
            (Failed(sentence), _) => self.notice = Some(Notice { text: sentence, is_error: true }),
            (Exists, _) => {}
        }
    }

    fn act_in_page(&mut self, action: Action) -> Vec<Effect> {
        let area = self.layout.overlay().inner();
        let Overlay::Page(kind, _) = self.overlay else { return Vec::new() };
        let lines = page_lines(&self.profile, kind, usize::from(area.width)).len();
        let (height, last) = (area.height as isize, lines.saturating_sub(usize::from(area.height)));
        let Overlay::Page(_, top) = &mut self.overlay else { return Vec::new() };
        match action {
            Action::Rows(rows) | Action::Wheel(_, _, rows) => *top = top.saturating_add_signed(rows),
            Action::HalfScreens(halves) => *top = top.saturating_add_signed(halves * height / 2),
            Action::First => *top = 0,
            Action::Last => *top = last,
            Action::Back => {
                self.overlay = Overlay::None;
                return Vec::new();
            }
            _ => {}
        }
        *top = (*top).min(last);
        Vec::new()
    }
}

/// Does what an action means to a field of text.
fn edit(field: &mut Field, action: Action) {
    match action {
        Action::Type(c) => field.insert(c),
        Action::Paste(text) => text.chars().for_each(|c| field.insert(c)),
        Action::Backspace => field.backspace(),
        Action::DeleteWord => field.delete_word(),
        Action::DeleteLine => field.delete_line(),
        Action::Cursor(by) => field.move_cursor(by),
        _ => {}
    }
}
