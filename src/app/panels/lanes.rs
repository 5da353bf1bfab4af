//! Lanes over time: threads, those of the pool as one that opens, and what happened.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::ReadyView;
use crate::analysis::remap::Remap;
use crate::app::commands::Action;
use crate::app::layout::Area;
use crate::app::lens::Lens;
use crate::app::list::{ListAct, ListCursor};
use crate::app::messages;
use crate::app::time_strip::{LanePart, ViewOverTime};
use crate::model::{MarkerKind, NodeId, View};
use crate::text::visible;
use std::cmp::Reverse;
use std::sync::Arc;

/// How threads of the pool of .NET end their names.
const POOL: &str = ".NET pool";

/// What a lane is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneOf {
    Thread(NodeId),
    /// The threads of the pool, and whether each has a lane of its own below.
    Pool(Vec<NodeId>, bool),
    Markers(MarkerKind),
}

#[derive(Clone, Debug)]
pub struct LaneRow {
    pub of: LaneOf,
    pub name: String,
    /// Its value in the metric that is shown; how many there are, of markers.
    pub value: u64,
    /// Whether it is one of the pool.
    pub is_inner: bool,
    /// What of a subtree one recorded thread ran, where the lanes are of a subtree.
    pub part: Option<Arc<LanePart>>,
}

pub struct LanesPanel {
    pub rows: Vec<LaneRow>,
    pub cursor: ListCursor,
    /// The node of the stack at the cursor of the strip in the selected lane, if there is one.
    pub moment: Option<NodeId>,
    /// Whether there is a cursor in the strip.
    pub(in crate::app) has_cursor: bool,
    /// The subtree that the lanes are of; `None` for all.
    pub(in crate::app) within: Option<NodeId>,
    /// What the lanes of the subtree were made of.
    made_of: Option<(*const ViewOverTime, NodeId)>,
    /// The name of the lane that is to be selected once they are.
    wanted: Option<String>,
    is_pool_open: bool,
    area: Area,
}

impl LaneRow {
    /// The roots of its threads.
    pub fn threads(&self) -> &[NodeId] {
        match &self.of {
            LaneOf::Thread(node) => std::slice::from_ref(node),
            LaneOf::Pool(nodes, _) => nodes,
            LaneOf::Markers(_) => &[],
        }
    }

    /// Its threads as rows of [`crate::model::Recording::threads`].
    pub(in crate::app) fn rows(&self, view: &View) -> Vec<usize> {
        match &self.part {
            Some(part) => vec![part.row],
            None => {
                let all = view.threads.iter().enumerate();
                let own = all.filter(|(_, thread)| self.threads().contains(&thread.node));
                own.flat_map(|(at, _)| view.rows_of_thread(at).into_owned())
                    .collect()
            }
        }
    }
}

impl LanesPanel {
    pub(in crate::app) fn new(main: &Lens) -> LanesPanel {
        let mut panel = LanesPanel {
            rows: Vec::new(),
            cursor: ListCursor::default(),
            moment: None,
            has_cursor: false,
            within: None,
            made_of: None,
            wanted: None,
            is_pool_open: false,
            area: Area::default(),
        };
        panel.list(main);
        panel
    }

    /// Lists the lanes of a view: the busiest thread first, then what happened.
    fn list(&mut self, main: &Lens) {
        if self.within.is_some() {
            // until it is known when they ran
            let selected = self.selected_row().map(|row| row.name.clone());
            self.wanted = selected.or(self.wanted.take());
            self.made_of = None;
            return self.set_rows(Vec::new(), &main.view);
        }
        let (view, measure) = (&main.view, main.measure_of(&main.view));
        let thread = |node: NodeId, is_inner| LaneRow {
            of: LaneOf::Thread(node),
            name: visible(view.name(node)).into_owned(),
            value: measure.inclusive(view, node),
            is_inner,
            part: None,
        };
        let nodes = view.threads.by_value().map(|thread| thread.node);
        let (pool, others): (Vec<NodeId>, Vec<NodeId>) =
            nodes.partition(|&node| view.name(node).ends_with(POOL));
        let (pool, others) = match pool.len() {
            0 | 1 => (Vec::new(), [pool, others].concat()),
            _ => (pool, others),
        };
        let mut rows: Vec<LaneRow> = others.into_iter().map(|node| thread(node, false)).collect();
        if !pool.is_empty() {
            let values = pool.iter().map(|&node| measure.inclusive(view, node));
            rows.push(LaneRow {
                name: messages::pool_threads(&pool.len()),
                value: values.fold(0, u64::saturating_add),
                of: LaneOf::Pool(pool.clone(), self.is_pool_open),
                is_inner: false,
                part: None,
            });
        }
        rows.sort_by_key(|row| Reverse(row.value));
        if self.is_pool_open {
            let at = rows
                .iter()
                .position(|row| matches!(row.of, LaneOf::Pool(..)));
            let inner = pool.into_iter().map(|node| thread(node, true));
            let at = at.map_or(rows.len(), |at| at + 1);
            rows.splice(at..at, inner);
        }
        self.set_rows(rows, view);
    }

    /// Takes the lanes of threads.
    fn set_rows(&mut self, mut rows: Vec<LaneRow>, view: &View) {
        rows.extend(marker_rows(view));
        self.rows = rows;
        let height = usize::from(self.area.height);
        self.cursor
            .select(self.cursor.selected, self.rows.len(), height);
    }

    /// Whether the lanes are of a subtree.
    pub fn is_of_part(&self) -> bool {
        self.within.is_some()
    }

    /// Has lanes of a subtree, or of all again.
    pub(in crate::app) fn show_part(&mut self, within: Option<NodeId>, main: &Lens) {
        self.within = within;
        self.list(main);
    }

    /// Lists the threads that ran the subtree, once it is known when; nothing where the lanes are of all.
    pub(in crate::app) fn list_part(&mut self, strip: &ViewOverTime, counts_waiting: bool) {
        let made_of = self
            .within
            .map(|within| (std::ptr::from_ref(strip), within));
        let Some(within) = self.within.filter(|_| self.made_of != made_of) else {
            return;
        };
        self.made_of = made_of;
        let view = &strip.view;
        let threads = view.threads.iter().enumerate();
        let of_row = |row: usize| {
            let mut threads = threads.clone();
            threads.find(|(at, _)| view.rows_of_thread(*at).contains(&row))
        };
        let lane = |part: LanePart| {
            let (_, thread) = of_row(part.row)?;
            Some(LaneRow {
                of: LaneOf::Thread(thread.node),
                name: visible(view.recording.thread_title(part.row)).into_owned(),
                value: part.value(counts_waiting),
                is_inner: false,
                part: Some(Arc::new(part)),
            })
        };
        let mut rows: Vec<LaneRow> = strip.parts(within).into_iter().filter_map(lane).collect();
        rows.sort_by_key(|row| Reverse(row.value));
        self.set_rows(rows, view);
        let wanted = self.wanted.take();
        self.select_named(wanted);
    }

    fn select_named(&mut self, name: Option<String>) {
        let is_named = |row: &LaneRow| name.as_ref() == Some(&row.name);
        let at = self.rows.iter().position(is_named).unwrap_or(0);
        let height = usize::from(self.area.height);
        self.cursor.select(at, self.rows.len(), height);
    }

    /// Selects the lane of this name, and opens the pool as another panel had it.
    pub(in crate::app) fn select_as(&mut self, former: &LanesPanel, main: &Lens) {
        self.is_pool_open = former.is_pool_open;
        self.area = former.area;
        self.within = former.within;
        self.list(main);
        let name = former.selected_row().map(|row| row.name.clone());
        self.wanted.clone_from(&name);
        self.select_named(name);
    }

    pub fn selected_row(&self) -> Option<&LaneRow> {
        self.rows.get(self.cursor.selected)
    }

    /// Opens or closes the pool, where the selected lane is of it; says whether it was.
    fn open_pool(&mut self, main: &Lens, opens: bool) -> bool {
        let row = self.selected_row();
        let is_pool = row.is_some_and(|row| matches!(row.of, LaneOf::Pool(..)));
        if is_pool && self.is_pool_open != opens {
            self.is_pool_open = opens;
            self.list(main);
            return true;
        }
        false
    }

    fn enter(&self, main: &Lens) -> Reply {
        match (self.moment, self.selected_row()) {
            (Some(node), _) => Reply::GoToNode(node),
            (None, _) if self.has_cursor => Reply::Say(messages::NO_STACK_THERE.into()),
            (None, Some(row)) if !row.threads().is_empty() => {
                Reply::ChooseThreads(row.rows(&main.view))
            }
            _ => Reply::Say(messages::MARKERS_HAVE_NO_THREADS.into()),
        }
    }
}

fn marker_rows(view: &View) -> Vec<LaneRow> {
    let mut rows: Vec<LaneRow> = Vec::new();
    let range = view.range().map(|of| of.range);
    for marker in view.recording.markers.iter() {
        let kind = marker.kind();
        let is_shown = range.is_none_or(|range| range.contains(marker.time_ns()));
        if !kind.is_notable() || !is_shown {
            continue;
        }
        match rows.iter_mut().find(|row| row.of == LaneOf::Markers(kind)) {
            Some(row) => row.value += 1,
            None => rows.push(LaneRow {
                of: LaneOf::Markers(kind),
                name: kind.title().into(),
                value: 1,
                is_inner: false,
                part: None,
            }),
        }
    }
    rows.sort_by_key(|row| match row.of {
        LaneOf::Markers(kind) => Some(kind),
        _ => None,
    });
    rows
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
            Action::Open if self.open_pool(main, true) => return Reply::Done,
            Action::Close if self.open_pool(main, false) => return Reply::Done,
            Action::Open => return Reply::MoveTime(1),
            Action::Close => return Reply::MoveTime(-1),
            Action::Toggle => {
                self.open_pool(main, !self.is_pool_open);
                return Reply::Done;
            }
            Action::Enter => return self.enter(main),
            Action::NextSort | Action::ReverseSort | Action::SortBy(_) => {
                return Reply::Say(messages::BUSIEST_FIRST.into());
            }
            _ => {}
        }
        match self.cursor.act(action, self.rows.len(), self.area) {
            ListAct::Chosen => self.enter(main),
            ListAct::Moved => Reply::Done,
            ListAct::Ignored => Reply::Ignored,
        }
    }

    /// The stack at the cursor, or else the subtree that the lanes are of, or the thread.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let row = self.selected_row()?;
        let part = self.within.filter(|_| row.part.is_some());
        let first = row.threads().first().copied();
        let node = self.moment.or(part).or(first)?;
        (node.index() < main.view.tree.len()).then(|| Selection {
            lens: main,
            node,
            frame: main.view.tree.frame(node),
            hotspot: None,
        })
    }

    fn place(&mut self, content: Area) {
        self.area = content.below(1);
    }

    fn remap(&mut self, _: &mut Remap, _: &ReadyView) {}

    fn adopt(&mut self, look: &Lens) {
        self.list(look);
    }
}
