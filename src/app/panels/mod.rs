//! The panels of the explorer's pages: each knows its title, handles actions, and knows its selection.
//!
//! A new panel is a file here and one in `ui/panels`, a variant of [`AnyPanel`], a page that has it, and its rows of
//! commands; `ARCHITECTURE.md` lists all places.

mod chart;
mod flame;
mod hotspots;
mod lanes;
mod sums;
mod tree;
mod waits;
mod walk;

pub use chart::{ChartBar, ChartPanel};
pub use flame::{FlamePanel, Highlights};
pub use hotspots::{HotColumn, HotSort, HotspotPanel};
pub use lanes::{LaneOf, LaneRow, LanesPanel};
pub use sums::{SumsKind, SumsPanel};
pub use tree::{TreeKind, TreePanel, node_at_path};
pub use waits::WaitsPanel;
pub use walk::Walk;

use super::{Action, Area, Lens, OpenedCallers};
use crate::analysis::remap::Remap;
use crate::analysis::{Hotspot, ReadyView};
use crate::model::{FrameId, MetricId, NodeId, TimeRange};

/// What a panel did with an action, or asks the explorer to do.
pub(super) enum Reply {
    /// The panel does not handle the action.
    Ignored,
    Done,
    /// Show a message.
    Say(String),
    /// Show the heaviest occurrence of a method within a subtree.
    GoTo(FrameId, NodeId),
    /// Show this node of the tree without collapsed rows, in a metric that has waiting.
    GoToWait(NodeId, MetricId, usize),
    /// Show this node in the call tree.
    GoToNode(NodeId),
    /// Show only these threads of the recording.
    ChooseThreads(Vec<usize>),
    /// Show only this time range.
    ChooseRange(TimeRange),
    /// Move the strip's cursor by cells.
    MoveTime(isize),
    /// Show this subtree as the tree.
    Zoom(NodeId),
    /// Let the call tree handle it.
    AskTree,
    /// Give the focus to the page's first panel.
    Leave,
    /// Build the callers of these rows.
    OpenCallers(Vec<OpenedCallers>),
}

/// The selection of a panel.
pub struct Selection<'a> {
    /// The lens of its view.
    pub lens: &'a Lens,
    /// The node; for a method, the heaviest one.
    pub node: NodeId,
    pub frame: FrameId,
    /// The row in a list of hotspots.
    pub hotspot: Option<&'a Hotspot>,
}

impl<'a> Selection<'a> {
    /// A selected node.
    pub fn of_node(lens: &'a Lens, node: NodeId) -> Selection<'a> {
        Selection::of(lens, node, lens.view.tree.frame(node))
    }

    /// A selected method with its heaviest node.
    pub fn of(lens: &'a Lens, node: NodeId, frame: FrameId) -> Selection<'a> {
        Selection {
            lens,
            node,
            frame,
            hotspot: None,
        }
    }
}

/// The most important commands in a panel, by name, with their own description if they do more there than the usual one
/// says.
pub(super) struct PanelHelp {
    pub heading: &'static str,
    pub commands: &'static [(&'static str, &'static str)],
}

/// What a page needs from its panels. `main` is the explorer's view.
pub(super) trait Panel {
    /// The label of its tab, for screens with room for one panel.
    fn tab(&self) -> &'static str;

    /// Its title next to other panels.
    fn title(&self, _main: &Lens) -> String {
        self.tab().into()
    }

    /// The start of the help page while the panel has the focus.
    fn help(&self) -> PanelHelp;

    /// Handles an action.
    fn act(&mut self, action: &Action, main: &Lens) -> Reply;

    /// The selection; `None` if there is nothing to select.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>>;

    /// Sets the panel's area on the screen, without its border.
    fn place(&mut self, content: Area);

    /// Updates what depends on the selection.
    fn settle(&mut self) {}

    /// Finds selection and open rows again in another view.
    fn remap(&mut self, _remap: &mut Remap, _view: &ReadyView) {}

    /// Adopts the number and name settings of another view.
    fn adopt(&mut self, _look: &Lens) {}
}

/// A panel of any kind.
pub enum AnyPanel {
    Tree(Box<TreePanel>),
    Hotspots(HotspotPanel),
    Sums(SumsPanel),
    Waits(Box<WaitsPanel>),
    Flame(Box<FlamePanel>),
    Lanes(Box<LanesPanel>),
    Chart(Box<ChartPanel>),
}

impl AnyPanel {
    pub(super) fn get(&self) -> &dyn Panel {
        match self {
            AnyPanel::Tree(panel) => &**panel,
            AnyPanel::Hotspots(panel) => panel,
            AnyPanel::Sums(panel) => panel,
            AnyPanel::Waits(panel) => &**panel,
            AnyPanel::Flame(panel) => &**panel,
            AnyPanel::Lanes(panel) => &**panel,
            AnyPanel::Chart(panel) => &**panel,
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut dyn Panel {
        match self {
            AnyPanel::Tree(panel) => &mut **panel,
            AnyPanel::Hotspots(panel) => panel,
            AnyPanel::Sums(panel) => panel,
            AnyPanel::Waits(panel) => &mut **panel,
            AnyPanel::Flame(panel) => &mut **panel,
            AnyPanel::Lanes(panel) => &mut **panel,
            AnyPanel::Chart(panel) => &mut **panel,
        }
    }

    /// The number of rows of a list, once known; `None` for panels that take all the room they get.
    pub(super) fn row_count(&self, main: &Lens) -> Option<usize> {
        match self {
            AnyPanel::Hotspots(panel) => panel.lists.is_some().then(|| panel.rows().len()),
            AnyPanel::Sums(panel) => Some(panel.rows(main).len()),
            AnyPanel::Lanes(panel) => Some(panel.rows.len()),
            _ => None,
        }
    }

    /// Its title next to other panels. `main` is the explorer's view.
    pub fn title(&self, main: &Lens) -> String {
        self.get().title(main)
    }
}
