//! Lanes for threads and events. Pool threads share one lane, which expands.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::sum;
use crate::app::time_strip::LanePart;
use crate::app::{Action, Area, LaneThreads, Lens, ListCursor, ViewOverTime, messages};
use crate::model::{MarkerKind, NodeId, View};
use crate::names::thread_names::{is_pool_thread, pool_threads};
use crate::text::visible;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    Thread,
    Pool(bool),
    Markers(MarkerKind),
}

#[derive(Clone, Debug)]
pub struct LaneRow {
    pub kind: LaneKind,
    /// Empty in lanes of events.
    pub threads: LaneThreads,
    /// Threads by their index in the recording.
    pub rows: Vec<usize>,
    /// The root of its first thread.
    first: Option<NodeId>,
    pub name: String,
    /// For a lane of events, their number.
    pub value: u64,
    /// Whether it is a single pool thread.
    pub is_inner: bool,
    /// What a thread ran of a subtree.
    pub part: Option<Arc<LanePart>>,
}

pub struct LanesPanel {
    pub rows: Vec<LaneRow>,
    pub cursor: ListCursor,
    /// The selected lane's stack at the strip's cursor.
    pub node_at_cursor: Option<NodeId>,
    pub(in crate::app) has_cursor: bool,
    /// `None` for everything.
    pub within: Option<NodeId>,
    built_from: Option<(*const ViewOverTime, Option<NodeId>)>,
    lane_to_select: Option<String>,
    is_pool_open: bool,
    area: Area,
}

impl LaneRow {
    fn new(kind: LaneKind, threads: LaneThreads, name: String, value: u64) -> LaneRow {
        LaneRow {
            kind,
            threads,
            rows: Vec::new(),
            first: None,
            name,
            value,
            is_inner: false,
            part: None,
        }
    }

    fn of_thread(main: &Lens, at: usize) -> LaneRow {
        let (view, thread) = (&main.view, &main.view.threads[at]);
        let node = thread.node;
        let threads = LaneThreads::Nodes([node].into());
        let name = visible(&view.thread_title(thread)).into_owned();
        let value = main.measure_of(view).inclusive(view, node);
        LaneRow {
            rows: view.rows_of_thread(at).into_owned(),
            first: Some(node),
            ..LaneRow::new(LaneKind::Thread, threads, name, value)
        }
    }

    /// The values of merged pool threads are set by `receive`.
    fn inner(self, view: &View) -> Vec<LaneRow> {
        if self.rows.len() == 1 {
            let is_inner = true;
            return vec![LaneRow { is_inner, ..self }];
        }
        let lane = |&row: &usize| {
            let name = visible(view.recording.thread_title(row)).into_owned();
            LaneRow {
                rows: vec![row],
                first: self.first,
                is_inner: true,
                ..LaneRow::new(LaneKind::Thread, LaneThreads::Merged(row), name, 0)
            }
        };
        self.rows.iter().map(lane).collect()
    }
}

impl LanesPanel {
    pub(in crate::app) fn new(main: &Lens) -> LanesPanel {
        let mut panel = LanesPanel {
            rows: Vec::new(),
            cursor: ListCursor::default(),
            node_at_cursor: None,
            has_cursor: false,
            within: None,
            built_from: None,
            lane_to_select: None,
            is_pool_open: false,
            area: Area::default(),
        };
        panel.list(main);
        panel
    }

    /// Threads, busiest first, then events. The selected one stays selected.
    fn list(&mut self, main: &Lens) {
        self.built_from = None;
        if self.within.is_some() {
            // threads are listed once their times are known
            return self.set_rows(Vec::new(), &main.view);
        }
        let view = &main.view;
        let mut by_node: Vec<usize> = (0..view.threads.len()).collect();
        by_node.sort_by_key(|&at| view.threads[at].node);
        let (mut pool, mut rows): (Vec<LaneRow>, Vec<LaneRow>) = by_node
            .into_iter()
            .map(|at| LaneRow::of_thread(main, at))
            .partition(|row| row.rows.iter().all(|&row| is_in_pool(view, row)));
        let pool_rows: Vec<usize> = pool.iter().flat_map(|row| row.rows.clone()).collect();
        if pool_rows.len() < 2 {
            rows.append(&mut pool);
        } else {
            let nodes = pool.iter().filter_map(|row| row.first).collect();
            let value = sum(pool.iter().map(|row| row.value));
            let kind = LaneKind::Pool(self.is_pool_open);
            let name = pool_threads(pool_rows.len() as u32);
            rows.push(LaneRow {
                first: pool.first().and_then(|row| row.first),
                rows: pool_rows,
                ..LaneRow::new(kind, LaneThreads::Nodes(nodes), name, value)
            });
        }
        rows.sort_by_key(|row| Reverse(row.value));
        if self.is_pool_open {
            let is_pool = |row: &LaneRow| matches!(row.kind, LaneKind::Pool(_));
            let at = rows.iter().position(is_pool);
            let inner = pool.into_iter().flat_map(|row| row.inner(view));
            let at = at.map_or(rows.len(), |at| at + 1);
            rows.splice(at..at, inner);
        }
        self.set_rows(rows, view);
    }

    fn set_rows(&mut self, mut rows: Vec<LaneRow>, view: &View) {
        let lane_to_select = self.lane_to_select.take().or_else(|| self.selected_name());
        rows.extend(marker_rows(view));
        self.rows = rows;
        self.select_named(lane_to_select);
    }

    fn selected_name(&self) -> Option<String> {
        self.selected_row().map(|row| row.name.clone())
    }

    pub(in crate::app) fn show_part(&mut self, within: Option<NodeId>, main: &Lens) {
        self.within = within;
        self.list(main);
    }

    pub(in crate::app) fn receive(&mut self, strip: &ViewOverTime, counts_waiting: bool) {
        let built_from = Some((std::ptr::from_ref(strip), self.within));
        if self.built_from == built_from {
            return;
        }
        self.built_from = built_from;
        let Some(within) = self.within else {
            let selected = self.selected_name();
            let is_merged = |row: &LaneRow| matches!(row.threads, LaneThreads::Merged(_));
            for lanes in self.rows.chunk_by_mut(|a, b| is_merged(a) && is_merged(b)) {
                for lane in lanes.iter_mut() {
                    if let LaneThreads::Merged(thread) = lane.threads {
                        lane.value = strip.timeline.total_of_merged(thread, counts_waiting);
                    }
                }
                lanes.sort_by_key(|lane| Reverse(lane.value));
            }
            return self.select_named(selected);
        };
        let view = &strip.view;
        let lane = |part: LanePart| {
            let threads = LaneThreads::Nodes([within].into());
            let name = visible(view.recording.thread_title(part.row)).into_owned();
            let value = part.value(counts_waiting);
            LaneRow {
                rows: vec![part.row],
                first: Some(within),
                part: Some(Arc::new(part)),
                ..LaneRow::new(LaneKind::Thread, threads, name, value)
            }
        };
        let mut rows: Vec<LaneRow> = strip.parts(within).into_iter().map(lane).collect();
        rows.sort_by_key(|row| Reverse(row.value));
        self.set_rows(rows, view);
    }

    fn select_named(&mut self, name: Option<String>) {
        let is_named = |row: &LaneRow| name.as_ref() == Some(&row.name);
        let at = self.rows.iter().position(is_named);
        self.lane_to_select = name.filter(|_| at.is_none());
        let height = usize::from(self.area.height);
        self.cursor.select(at.unwrap_or(0), self.rows.len(), height);
    }

    pub fn selected_row(&self) -> Option<&LaneRow> {
        self.rows.get(self.cursor.selected)
    }

    /// The subtree of all lanes if the selected one has several or none.
    pub(in crate::app) fn scope(&self) -> NodeId {
        let subtree = self.selected_row().and_then(|row| match &row.threads {
            LaneThreads::Nodes(nodes) => (nodes.len() == 1).then(|| nodes[0]),
            LaneThreads::Merged(_) => row.first,
        });
        subtree.or(self.within).unwrap_or(NodeId::ROOT)
    }

    /// Does nothing if its lane is not selected. Returns whether it did something.
    fn set_pool_open(&mut self, main: &Lens, opens: bool) -> bool {
        let row = self.selected_row();
        let is_pool = row.is_some_and(|row| matches!(row.kind, LaneKind::Pool(_)));
        if is_pool && self.is_pool_open != opens {
            self.is_pool_open = opens;
            self.lane_to_select = None;
            self.list(main);
            return true;
        }
        false
    }

    /// What ⏎ does; `None` if nothing.
    pub fn enter_hint(&self) -> Option<&'static str> {
        match self.selected_row() {
            _ if self.has_cursor => self.node_at_cursor.map(|_| messages::HINT_TO_STACK),
            Some(row) if !row.rows.is_empty() => Some(messages::HINT_THIS_THREAD),
            _ => None,
        }
    }

    fn enter(&self) -> Reply {
        match (self.node_at_cursor, self.selected_row()) {
            (Some(node), _) => Reply::GoToNode(node),
            (None, _) if self.has_cursor => Reply::ShowMessage(messages::NO_STACK_THERE.into()),
            (None, Some(row)) if !row.rows.is_empty() => Reply::ChooseThreads(row.rows.clone()),
            _ => Reply::ShowMessage(messages::LANE_HAS_NO_THREADS.into()),
        }
    }
}

fn is_in_pool(view: &View, row: usize) -> bool {
    is_pool_thread(&view.recording.threads[row].name)
}

fn marker_rows(view: &View) -> impl Iterator<Item = LaneRow> {
    let mut counts: BTreeMap<MarkerKind, u64> = BTreeMap::new();
    let range = view.range().map(|shown| shown.range);
    for marker in view.shown_markers() {
        let kind = marker.kind();
        if kind.is_notable() && range.is_none_or(|range| marker.is_in(range)) {
            *counts.entry(kind).or_default() += 1;
        }
    }
    counts.into_iter().map(|(kind, count)| {
        let none = LaneThreads::Nodes([].into());
        LaneRow::new(LaneKind::Markers(kind), none, kind.title().into(), count)
    })
}

impl Panel for LanesPanel {
    fn tab(&self) -> &'static str {
        "Timeline"
    }

    fn title(&self, main: &Lens) -> String {
        match self.within {
            Some(node) => messages::timeline_of(&visible(main.node_name(node))),
            None => self.tab().into(),
        }
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_LANES,
            commands: &[
                ("open-hot-path", messages::HERE_CHOOSE_LANE),
                ("open", messages::HERE_OPEN_POOL),
                ("focus", messages::HERE_LANES_OF_PART),
                ("go-to-peak", ""),
                ("time-right", ""),
                ("zoom-in", ""),
                ("zoom-out", ""),
                ("range-start", ""),
                ("range-end", ""),
                ("next-occurrence", messages::HERE_NEXT_MARKER),
                ("back", messages::HERE_BACK_TO_TREE),
            ],
        }
    }

    fn act(&mut self, action: &Action, main: &Lens) -> Reply {
        match action {
            Action::Open if self.set_pool_open(main, true) => return Reply::Done,
            Action::Close if self.set_pool_open(main, false) => return Reply::Done,
            Action::Open => return Reply::MoveTime(1),
            Action::Close => return Reply::MoveTime(-1),
            Action::Toggle => {
                self.set_pool_open(main, !self.is_pool_open);
                return Reply::Done;
            }
            Action::NextSort | Action::ReverseSort => {
                return Reply::ShowMessage(messages::BUSIEST_FIRST.into());
            }
            _ => {}
        }
        match self.cursor.act(action, self.rows.len(), self.area) {
            None => {
                self.lane_to_select = None;
                Reply::Done
            }
            Some(Action::Accept | Action::Enter) => self.enter(),
            Some(_) => Reply::Done,
        }
    }

    /// The stack at the cursor, or else the lanes' subtree, or else the thread.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let node = self.node_at_cursor.or(self.selected_row()?.first)?;
        (node.index() < main.view.tree.len()).then(|| Selection::of_node(main, node))
    }

    fn set_area(&mut self, content: Area) {
        self.area = content.below(1);
    }

    fn adopt(&mut self, look: &Lens) {
        self.list(look);
    }
}
