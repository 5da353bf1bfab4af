//! Lanes over time: threads, those of the pool as one that opens, and what happened.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::ReadyView;
use crate::analysis::remap::Remap;
use crate::app::commands::Action;
use crate::app::layout::Area;
use crate::app::lens::Lens;
use crate::app::list::{ListAct, ListCursor};
use crate::app::messages;
use crate::model::{MarkerKind, NodeId, View};
use crate::text::visible;
use std::cmp::Reverse;

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
}

pub struct LanesPanel {
    pub rows: Vec<LaneRow>,
    pub cursor: ListCursor,
    /// The node of the stack at the cursor of the strip in the selected lane, if there is one.
    pub moment: Option<NodeId>,
    /// Whether there is a cursor in the strip.
    pub(in crate::app) has_cursor: bool,
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
}

impl LanesPanel {
    pub(in crate::app) fn new(main: &Lens) -> LanesPanel {
        let mut panel = LanesPanel {
            rows: Vec::new(),
            cursor: ListCursor::default(),
            moment: None,
            has_cursor: false,
            is_pool_open: false,
            area: Area::default(),
        };
        panel.list(main);
        panel
    }

    /// Lists the lanes of a view: the busiest thread first, then what happened.
    fn list(&mut self, main: &Lens) {
        let (view, measure) = (&main.view, main.measure_of(&main.view));
        let thread = |node: NodeId, is_inner| LaneRow {
            of: LaneOf::Thread(node),
            name: visible(view.name(node)).into_owned(),
            value: measure.inclusive(view, node),
            is_inner,
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
        rows.extend(marker_rows(view));
        self.rows = rows;
        let height = usize::from(self.area.height);
        self.cursor
            .select(self.cursor.selected, self.rows.len(), height);
    }

    /// Selects the lane of this name, and opens the pool as another panel had it.
    pub(in crate::app) fn select_as(&mut self, former: &LanesPanel, main: &Lens) {
        self.is_pool_open = former.is_pool_open;
        self.area = former.area;
        self.list(main);
        let name = former.selected_row().map(|row| &row.name);
        let at = self.rows.iter().position(|row| Some(&row.name) == name);
        let height = usize::from(self.area.height);
        self.cursor.select(at.unwrap_or(0), self.rows.len(), height);
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

    fn enter(&self) -> Reply {
        match (self.moment, self.selected_row()) {
            (Some(node), _) => Reply::GoToNode(node),
            (None, _) if self.has_cursor => Reply::Say(messages::NO_STACK_THERE.into()),
            (None, Some(row)) if !row.threads().is_empty() => {
                Reply::ChooseThreads(row.threads().to_vec())
            }
            _ => Reply::Say(messages::LANE_HAS_NO_THREADS.into()),
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

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_LANES,
            commands: &[
                ("open-hot-path", messages::HERE_CHOOSE_LANE),
                ("open", messages::HERE_OPEN_POOL),
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
            Action::Enter => return self.enter(),
            Action::NextSort | Action::ReverseSort | Action::SortBy(_) => {
                return Reply::Say(messages::BUSIEST_FIRST.into());
            }
            _ => {}
        }
        match self.cursor.act(action, self.rows.len(), self.area) {
            ListAct::Chosen => self.enter(),
            ListAct::Moved => Reply::Done,
            ListAct::Ignored => Reply::Ignored,
        }
    }

    /// The stack at the cursor, or else the thread.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let first = self.selected_row()?.threads().first().copied();
        let node = self.moment.or(first)?;
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
