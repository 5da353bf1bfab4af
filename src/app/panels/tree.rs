//! Trees: the call tree, callers and callees of a method, the inverted tree.

use super::{Panel, PanelHelp, Reply, Selection, Walk};
use crate::analysis::compared::sides_of;
use crate::analysis::remap::Remap;
use crate::analysis::{HotPathEnd, ReadyView, hot_path, samples};
use crate::app::remap::remapped_pane;
use crate::app::{
    Action, Area, CallerPath, Lens, OpenedCallers, Outline, Sort, SortColumn, TreePane, messages,
    next_in,
};
use crate::model::{FrameId, Measure, MetricId, NodeId, Opening, View};
use crate::names::Category;
use crate::units::{counted, percent, thousands};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// A callee with less than this share of its caller leaves the rest to others: the time splits there.
const SPLIT_PERCENT: f64 = 90.0;

/// The samples of larger subtrees are cached.
const MANY_NODES: usize = 1000;

/// Inclusive and exclusive.
type SamplesOfNodes = HashMap<(Measure, NodeId), [Option<u64>; 2]>;

const CALLS_HELP: PanelHelp = PanelHelp {
    heading: messages::IN_CALL_TREE,
    commands: &[
        ("open", ""),
        ("open-hot-path", messages::HERE_OPEN_HOT_PATH),
        ("next-user-code", ""),
        ("show-callers", ""),
        ("focus", ""),
        ("collapse", ""),
        ("drop-method", ""),
        ("search", ""),
    ],
};

const CALLERS_HELP: PanelHelp = PanelHelp {
    heading: "In the callers",
    commands: &[
        ("open", messages::HERE_SHOW_CALLERS),
        ("show-callers", messages::HERE_FOLLOW_METHOD),
        ("next-panel", messages::TAB_FROM_CALLERS),
        ("next-metric", ""),
        ("back", messages::HERE_BACK_TO_TREE),
    ],
};

const CALLEES_HELP: PanelHelp = PanelHelp {
    heading: "In the callees",
    commands: &[
        ("open", ""),
        ("open-hot-path", messages::HERE_OPEN_HOT_PATH),
        ("show-callers", messages::HERE_FOLLOW_METHOD),
        ("next-panel", messages::TAB_FROM_CALLEES),
        ("back", messages::HERE_BACK_TO_TREE),
    ],
};

const INVERTED_HELP: PanelHelp = PanelHelp {
    heading: messages::IN_INVERTED_TREE,
    commands: &[
        ("open", messages::HERE_SHOW_CALLERS),
        ("show-callers", messages::HERE_SHOW_METHOD),
        ("next-metric", ""),
        ("back", messages::HERE_BACK_TO_TREE),
    ],
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    Calls,
    Callers,
    Callees,
    /// Methods, with their callers below each.
    Inverted,
}

impl TreeKind {
    /// It leads from methods to their callers: a row's own value is what ends with it.
    pub fn is_upward(self) -> bool {
        matches!(self, TreeKind::Callers | TreeKind::Inverted)
    }
}

pub struct TreePanel {
    pub kind: TreeKind,
    pub lens: Lens,
    pub shown: TreePane,
    /// Left by focusing, outermost first.
    pub outer: Vec<TreePane>,
    pub walk: Option<Walk>,
    /// The selected row and the number of rows.
    pub position: [usize; 2],
    /// The area has no border.
    pub(in crate::app) content: Area,
    samples_of_large: RefCell<SamplesOfNodes>,
    /// The opened rows of a caller tree, besides the first.
    pub(in crate::app) opened: Vec<OpenedCallers>,
    /// The rows to open once their callers are there.
    rows_to_open: Vec<CallerPath>,
    /// To be done once they are there.
    deferred: Option<Action>,
}

impl TreePanel {
    pub(in crate::app) fn new(kind: TreeKind, lens: Lens) -> TreePanel {
        let (measure, sort) = (lens.measure_below(NodeId::ROOT), Sort::first_of(&lens.view));
        TreePanel {
            kind,
            shown: TreePane::new(&lens.view, NodeId::ROOT, measure, sort),
            lens,
            outer: Vec::new(),
            walk: None,
            position: [0, 0],
            content: Area::default(),
            samples_of_large: RefCell::default(),
            opened: Vec::new(),
            rows_to_open: Vec::new(),
            deferred: None,
        }
    }

    /// The sort order and the basis of percentages.
    pub fn measure(&self) -> Measure {
        self.lens.measure_below(self.shown.root())
    }

    pub(in crate::app) fn height(&self) -> usize {
        usize::from(self.content.below(1).height).max(1)
    }

    /// Expected O(1): every draw needs it for every row.
    pub fn samples(&self, node: NodeId) -> [Option<u64>; 2] {
        let count = || samples(&self.lens.view, self.measure(), node);
        if self.lens.view.tree.size(node) < MANY_NODES {
            return count();
        }
        let mut known = self.samples_of_large.borrow_mut();
        *known.entry((self.measure(), node)).or_insert_with(count)
    }

    /// A percentage; `None` if all of it is waiting, which does not count.
    pub fn share(&self, node: NodeId) -> Option<f64> {
        let view = &self.lens.view;
        let weight = self.measure().inclusive(view, node);
        self.share_of(weight, view.tree.inclusive(self.lens.metric, node))
    }

    pub fn share_of(&self, weight: u64, value: u64) -> Option<f64> {
        let whole = self.measure().inclusive(&self.lens.view, self.shown.root());
        (weight > 0 || value == 0).then(|| percent(weight, whole))
    }

    pub fn selection(&self) -> Selection<'_> {
        Selection::of_node(&self.lens, self.shown.selected)
    }

    /// Outermost first; the last one is shown.
    pub(in crate::app) fn panes(&self) -> impl Iterator<Item = &TreePane> {
        self.outer.iter().chain([&self.shown])
    }

    pub(in crate::app) fn go_to(&mut self, node: NodeId) {
        self.shown.go_to(&self.lens.view, node, self.height());
    }

    fn select(&mut self, node: NodeId, is_above: bool) {
        let height = self.height();
        self.shown.select(&self.lens.view, node, height, is_above);
    }

    fn sort_columns(&self) -> Vec<SortColumn> {
        if self.lens.is_comparison() {
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
        columns.retain(|&c| c != SortColumn::Count || self.lens.counts().is_some());
        columns
    }

    fn next_sort(&mut self) -> Reply {
        let column = self.shown.outline.sort.column;
        self.set_sort(Sort::by(next_in(&self.sort_columns(), column, 1)))
    }

    fn sort_by(&mut self, column: SortColumn) -> Reply {
        let sort = self.shown.outline.sort;
        self.set_sort(match sort.column == column {
            true => sort.reverse(),
            false => Sort::by(column),
        })
    }

    fn set_sort(&mut self, sort: Sort) -> Reply {
        self.order(sort);
        let column = match sort.column {
            SortColumn::Delta => "difference",
            SortColumn::Before => "value before",
            SortColumn::Inclusive if self.lens.is_comparison() => "value after",
            SortColumn::Inclusive => "inclusive",
            SortColumn::Exclusive => "exclusive",
            SortColumn::Count => self.lens.counts().map_or("count", |kind| kind.name()),
            SortColumn::Name => "name",
        };
        let reversed = if sort.reversed { ", reversed" } else { "" };
        Reply::ShowMessage(format!("ordered by {column}{reversed}"))
    }

    fn order(&mut self, sort: Sort) {
        let measure = self.measure();
        self.shown.outline.set_order(&self.lens.view, measure, sort);
    }

    /// Sorts by what is shown now: its metric, with or without waiting.
    pub(in crate::app) fn reorder(&mut self) {
        self.order(self.valid_sort());
    }

    /// The first order if the metric lacks its column.
    fn valid_sort(&self) -> Sort {
        let sort = self.shown.outline.sort;
        match self.sort_columns().contains(&sort.column) {
            true => sort,
            false => Sort::first_of(&self.lens.view),
        }
    }

    pub(in crate::app) fn show_metric(&mut self, metric: MetricId) {
        self.lens.metric = metric;
        self.reorder();
        self.walk = None;
    }

    /// Keeps metric (by name) and order. Focuses, open rows and selection are those of the view as it was left, or else
    /// those of the former view. Returns whether a focus had to be left.
    pub(in crate::app) fn exchange(
        &mut self,
        remap: &mut Remap,
        view: &ReadyView,
        left: Option<Vec<TreePane>>,
    ) -> bool {
        let old = std::mem::replace(&mut self.lens.view, view.clone());
        let name = &old.recording.metric(self.lens.metric).name;
        let metric = view.recording.metric_named(name);
        self.lens.metric = metric.unwrap_or(view.recording.default_metric);
        self.walk = None;
        self.samples_of_large.get_mut().clear();
        let (sort, height) = (self.valid_sort(), self.height());
        let is_known = left.is_some();
        let mut panes = left.unwrap_or_default();
        for pane in &mut panes {
            let measure = self.lens.measure_below(pane.root());
            pane.outline.set_order(view, measure, sort);
            pane.resize(view, height);
        }
        if !is_known {
            let (share, measure) = (self.outer.len() + 1, self.lens.measure_below(NodeId::ROOT));
            // a focus within a missing focus is missing, too
            let remapped = |pane| remapped_pane(remap, pane, share, measure, sort);
            panes.extend(self.panes().map_while(remapped));
        }
        let leaves_focus = !is_known && panes.len() <= self.outer.len();
        // the whole tree always exists
        let Some(mut tree) = panes.pop() else {
            return leaves_focus;
        };
        if leaves_focus {
            let nearest = remap.nearest(self.shown.selected, self.lens.metric);
            tree.go_to(view, nearest, height);
        }
        (self.shown, self.outer) = (tree, panes);
        leaves_focus
    }

    pub(in crate::app) fn receive_callers(&mut self, view: &ReadyView) -> Reply {
        let old = Arc::clone(&self.lens.view);
        self.exchange(&mut Remap::new(&old, view), view, None);
        // newer requests are still pending
        let outline = &mut self.shown.outline;
        self.rows_to_open
            .retain(|path| match node_at_path(view, path) {
                Some(node) if view.has_more(node) => true,
                Some(node) => {
                    outline.open(view, node);
                    false
                }
                None => false,
            });
        let reply = match self.deferred.take() {
            Some(action) => self.act_on_built(&action),
            None => Reply::Done,
        };
        self.settle();
        reply
    }

    /// They would fail again with every other row.
    pub(in crate::app) fn forget_callers(&mut self) {
        let failed = std::mem::take(&mut self.rows_to_open);
        self.deferred = None;
        self.opened.retain(|row| !failed.contains(&row.path));
    }

    pub(in crate::app) fn set_opened(&mut self, opened: Vec<OpenedCallers>) {
        self.opened = opened;
        self.rows_to_open.clear();
    }

    fn open_callers(&mut self, action: &Action) -> Option<Reply> {
        let (view, selected) = (&self.lens.view, self.shown.selected);
        let (row, opening) = match action {
            Action::Open | Action::Toggle => (selected, Opening::Row),
            Action::OpenSubtree => (selected, Opening::All),
            Action::Enter | Action::NextUserCode | Action::NextSplit => {
                let path = hot_path(view, self.measure(), selected);
                let end = path.nodes.last().copied().unwrap_or(selected);
                (end, Opening::HotPath(self.measure()))
            }
            _ => return None,
        };
        let has_more = match opening {
            Opening::All => view.has_more_within(row),
            Opening::Row | Opening::HotPath(_) => view.has_more(row),
        };
        if !has_more {
            return None;
        }
        let path: CallerPath = path_to(view, row).into();
        // the last one is opened further
        self.opened.retain(|row| row.path != path);
        let opened = Arc::clone(&path);
        self.opened.push(OpenedCallers {
            path: opened,
            opening,
        });
        match opening {
            Opening::Row => self.rows_to_open.push(path),
            Opening::HotPath(_) | Opening::All => self.deferred = Some(action.clone()),
        }
        Some(Reply::OpenCallers(self.opened.clone()))
    }

    fn act_on_built(&mut self, action: &Action) -> Reply {
        match *action {
            Action::Enter => self.open_hot_path(),
            Action::NextUserCode => self.next_user_code(),
            Action::NextSplit => self.go_to_next_split(),
            _ => self.act_in_rows(action),
        }
    }

    fn click(&mut self, x: u16, y: u16) -> Reply {
        let rows = self.content.below(1);
        if rows.contains(x, y) {
            let (lines, _) = self.shown.screen(&self.lens.view, self.height());
            if let Some(row) = lines.get(usize::from(y - rows.y)) {
                self.select(row.node, false);
            }
        } else if self.content.contains(x, y) {
            return self.sort_by(self.columns().column_at(x - self.content.x));
        }
        Reply::Done
    }

    fn act_in_rows(&mut self, action: &Action) -> Reply {
        let view = Arc::clone(&self.lens.view);
        let (height, selected) = (self.height(), self.shown.selected);
        let half = (height / 2).max(1) as isize;
        let shown = &mut self.shown;
        let is_open = shown.outline.is_open(&view, selected);
        match *action {
            Action::Rows(rows) => shown.move_rows(&view, rows, height),
            Action::HalfScreens(halves) => shown.move_rows(&view, halves * half, height),
            Action::Wheel(_, _, rows) => shown.scroll(&view, rows, height),
            Action::First => self.select(self.shown.root(), true),
            Action::Last => {
                let last = shown.outline.last_within(&view, shown.root());
                self.select(last, false);
            }
            Action::Sibling(step) => {
                if let Some(sibling) = shown.outline.sibling(&view, selected, step) {
                    self.select(sibling, step < 0);
                }
            }
            Action::Open if is_open => shown.move_rows(&view, 1, height),
            Action::Close | Action::Toggle if is_open => shown.outline.close(&view, selected),
            Action::Parent | Action::Close => self.select_caller(),
            Action::Open | Action::Toggle => shown.outline.open(&view, selected),
            Action::OpenSiblings | Action::CloseSiblings => {
                for node in self.siblings() {
                    match action {
                        Action::OpenSiblings => self.shown.outline.open(&view, node),
                        _ => self.shown.outline.close(&view, node),
                    }
                }
            }
            Action::OpenSubtree => shown.outline.open_all(&view, selected),
            Action::CloseSubtree => shown.outline.close_all(&view, selected),
            Action::Center => shown.center(&view, height),
            _ => {}
        }
        Reply::Done
    }

    fn select_caller(&mut self) {
        let selected = self.shown.selected;
        if selected != self.shown.root()
            && let Some(caller) = self.lens.view.tree.parent(selected)
        {
            self.select(caller, true);
        }
    }

    fn siblings(&self) -> Vec<NodeId> {
        let (tree, selected) = (&self.lens.view.tree, self.shown.selected);
        match tree.parent(selected) {
            Some(parent) if selected != self.shown.root() => tree.children(parent).collect(),
            _ => vec![selected],
        }
    }

    fn next_user_code(&mut self) -> Reply {
        match self.shown.next_user_code(&self.lens.view, self.measure()) {
            Some(node) => {
                self.go_to(node);
                Reply::Done
            }
            None => Reply::ShowMessage(messages::NO_USER_CODE_BELOW.into()),
        }
    }

    /// Goes down to where no callee has most of its caller's value. O(nodes on the way and their callees).
    fn go_to_next_split(&mut self) -> Reply {
        let (view, measure) = (Arc::clone(&self.lens.view), self.measure());
        let weight = |node| measure.inclusive(&view, node);
        let heaviest = |node| largest_callee(&view, node, weight);
        let (mut at, mut levels) = (self.shown.selected, 0u64);
        while let Some(next) = heaviest(at).filter(|&next| weight(next) > 0) {
            (at, levels) = (next, levels + 1);
            let of_next = heaviest(at).map_or(0, weight);
            if percent(of_next, weight(at)) < SPLIT_PERCENT {
                break;
            }
        }
        if levels == 0 {
            return Reply::ShowMessage(messages::NO_SPLIT_BELOW.into());
        }
        self.go_to(at);
        let levels = counted(levels, "level");
        Reply::ShowMessage(match heaviest(at) {
            Some(callee) => {
                messages::down_largest_callee(&levels, &percent(weight(callee), weight(at)))
            }
            None => messages::levels_down(&levels, &self.end_of_path(at)),
        })
    }

    fn end_of_path(&self, end: NodeId) -> &'static str {
        match self.kind.is_upward() {
            _ if self.lens.view.has_more(end) => messages::PATH_CONTINUES,
            true => " to the outermost caller",
            false => " to a leaf",
        }
    }

    /// The root stays selected, unless all user code on the path would be below the screen.
    pub(in crate::app) fn show_hot_path(&mut self) {
        let view = Arc::clone(&self.lens.view);
        let (path, _) = self.hot_path(self.shown.root());
        open_path(&mut self.shown.outline, &view, &path);
        let is_user = |&node: &NodeId| view.frame(node).category == Category::User;
        let (rows, _) = self.shown.screen(&view, self.height());
        if !rows.iter().any(|row| is_user(&row.node))
            && let Some(first) = path.into_iter().find(is_user)
        {
            self.go_to(first);
        }
    }

    /// Without other opened rows.
    fn hot_path_alone(&self) -> Outline {
        let (view, root) = (&self.lens.view, self.shown.root());
        let sort = self.shown.outline.sort;
        let mut outline = Outline::new(view, root, self.measure(), sort);
        open_path(&mut outline, view, &self.hot_path(root).0);
        outline
    }

    /// The selected row stays selected.
    pub(in crate::app) fn show_hot_path_alone(&mut self) {
        self.shown.outline = self.hot_path_alone();
        let selected = self.shown.selected;
        self.shown.outline.show(&self.lens.view, selected);
    }

    pub(in crate::app) fn shows_hot_path_alone(&self) -> bool {
        let outline = self.hot_path_alone();
        outline.differences(&self.shown.outline).next().is_none()
    }

    /// Also returns how it ends, in words.
    fn hot_path(&self, from: NodeId) -> (Vec<NodeId>, String) {
        let view = &self.lens.view;
        if self.lens.is_comparison() {
            let path = self.path_of_change(from);
            let end = match path.last() {
                Some(&last) if view.is_leaf(last) => " to a leaf",
                Some(_) => messages::WHERE_DIFFERENCE_SPREADS_OUT,
                None => messages::DIFFERENCE_SPREADS_OUT,
            };
            return (path, end.into());
        }
        let path = hot_path(view, self.measure(), from);
        let end = match (path.nodes.last(), &path.end) {
            (Some(&last), HotPathEnd::Leaf) => self.end_of_path(last).into(),
            (Some(_), end) => format!(", where {}", end_words(end)),
            (None, end) => end_words(end),
        };
        (path.nodes, end)
    }

    fn open_hot_path(&mut self) -> Reply {
        let view = Arc::clone(&self.lens.view);
        let (path, end) = self.hot_path(self.shown.selected);
        Reply::ShowMessage(match path.last() {
            Some(&last) => {
                self.go_to(last);
                messages::hot_path_down(&counted(path.len() as u64, "level"), &end)
            }
            None => {
                self.shown.outline.open(&view, self.shown.selected);
                messages::no_hot_path(&end)
            }
        })
    }

    /// Goes down while a callee has at least half of its caller's difference. O(nodes on the way and their callees).
    fn path_of_change(&self, from: NodeId) -> Vec<NodeId> {
        let view = &self.lens.view;
        let change = |node| sides_of(view, node).delta().unsigned_abs();
        let (mut at, mut path) = (from, Vec::new());
        while let Some(next) = largest_callee(view, at, change) {
            if change(next) == 0 || 2 * change(next) < change(at) {
                break;
            }
            at = next;
            path.push(at);
        }
        path
    }
}

impl Panel for TreePanel {
    fn tab(&self) -> &'static str {
        match self.kind {
            TreeKind::Calls => "Tree",
            TreeKind::Callers => "Callers",
            TreeKind::Callees => "Callees",
            TreeKind::Inverted => "Inverted",
        }
    }

    fn title(&self, _: &Lens) -> String {
        match self.kind {
            TreeKind::Calls => "Call tree".into(),
            TreeKind::Inverted => messages::INVERTED_TITLE.into(),
            TreeKind::Callers | TreeKind::Callees => self.tab().into(),
        }
    }

    fn help(&self) -> PanelHelp {
        match self.kind {
            TreeKind::Calls => CALLS_HELP,
            TreeKind::Callers => CALLERS_HELP,
            TreeKind::Callees => CALLEES_HELP,
            TreeKind::Inverted => INVERTED_HELP,
        }
    }

    fn act(&mut self, action: &Action, _: &Lens) -> Reply {
        self.deferred = None;
        if let Some(reply) = self.open_callers(action) {
            return reply;
        }
        match *action {
            Action::NextSort => self.next_sort(),
            Action::ReverseSort => self.set_sort(self.shown.outline.sort.reverse()),
            Action::Click(x, y) => self.click(x, y),
            Action::DoubleClick(x, y) => {
                let reply = self.click(x, y);
                match self.content.below(1).contains(x, y) {
                    true => self.act(&Action::Toggle, &self.lens.clone()),
                    false => reply,
                }
            }
            _ => self.act_on_built(action),
        }
    }

    fn selected<'a>(&'a self, _: &'a Lens) -> Option<Selection<'a>> {
        Some(self.selection())
    }

    fn set_area(&mut self, content: Area) {
        let before = std::mem::replace(&mut self.content, content);
        if content.height != before.height {
            self.shown.resize(&self.lens.view, self.height());
        }
    }

    fn settle(&mut self) {
        let (view, outline) = (&self.lens.view, &self.shown.outline);
        let row = outline.row_of(view, self.shown.selected) + 1;
        self.position = [row, outline.row_count(view)];
        let width = self.content.width;
        let width = width.saturating_sub(self.columns().name_from());
        self.shown.fit_indent(usize::from(width));
    }

    fn adopt(&mut self, lens: &Lens) {
        self.lens = lens.on(&self.lens.view);
        self.reorder();
    }
}

/// `it splits into 3: 28 %, 24 %, 21 %`.
fn end_words(end: &HotPathEnd) -> String {
    match end {
        HotPathEnd::Leaf => messages::IS_LEAF.into(),
        HotPathEnd::Own(share) => messages::own_share(&share),
        HotPathEnd::Split { callees, shares } => {
            let named: Vec<String> = shares.iter().map(|share| format!("{share:.0} %")).collect();
            let more = if *callees > shares.len() { " …" } else { "" };
            messages::splits_into(&thousands(*callees as u64), &named.join(", "), &more)
        }
        HotPathEnd::Waits => messages::ALL_WAITING.into(),
        HotPathEnd::Nothing => messages::NOTHING_MEASURED_HERE.into(),
    }
}

fn largest_callee<T: Ord>(
    view: &View,
    node: NodeId,
    value: impl Fn(NodeId) -> T,
) -> Option<NodeId> {
    let callees = view.tree.children(node);
    callees.max_by_key(|&callee| (value(callee), Reverse(callee)))
}

/// The path has no root.
fn path_to(view: &View, node: NodeId) -> Vec<FrameId> {
    let up = std::iter::once(node)
        .chain(view.tree.ancestors(node))
        .take_while(|&at| at != NodeId::ROOT);
    let mut path: Vec<FrameId> = up.map(|at| view.tree.frame(at)).collect();
    path.reverse();
    path
}

/// The path has no root. O(path · callees).
pub fn node_at_path(view: &View, path: &[FrameId]) -> Option<NodeId> {
    let step = |at, &frame| {
        let mut children = view.tree.children(at);
        children.find(|&child| view.tree.frame(child) == frame)
    };
    path.iter().try_fold(NodeId::ROOT, step)
}

/// Also opens the last node of the path.
fn open_path(outline: &mut Outline, view: &View, path: &[NodeId]) {
    if let Some(&last) = path.last() {
        outline.show(view, last);
        outline.open(view, last);
    }
}
