//! The panels of the explorer's pages. For a new one: a file here and one in `ui/panels`, a variant of [`AnyPanel`], a
//! page that has it, and its rows of commands.

mod chart;
mod flame;
mod frames;
mod hotspots;
mod lanes;
mod sums;
mod tree;
mod waits;
mod walk;

pub use chart::ChartPanel;
pub use flame::FlamePanel;
pub use frames::{FrameBar, Highlights};
pub use hotspots::HotspotPanel;
pub use lanes::{LaneKind, LaneRow, LanesPanel};
pub use sums::{SumsKind, SumsPanel};
pub use tree::{TreeKind, TreePanel, node_at_path};
pub use waits::WaitsPanel;
pub use walk::Walk;

use super::{Action, Area, Lens, OpenedCallers};
use crate::analysis::Hotspot;
use crate::model::{FrameId, MetricId, NodeId, TimeRange};
use std::any::Any;

pub(super) enum Reply {
    Done,
    ShowMessage(String),
    /// The heaviest occurrence of a method within a subtree.
    GoTo(FrameId, NodeId),
    /// A node of the tree without collapsed rows, in a metric that has waiting.
    GoToWait(NodeId, MetricId),
    GoToNode(NodeId),
    ChooseThreads(Vec<usize>),
    ChooseRange(TimeRange),
    /// By this many cells.
    MoveTime(isize),
    /// Shows it as the tree.
    Zoom(NodeId),
    /// Lets the call tree handle the action.
    AskTree,
    Leave,
    OpenCallers(Vec<OpenedCallers>),
}

pub struct Selection<'a> {
    pub lens: &'a Lens,
    /// The heaviest node if a method is selected.
    pub node: NodeId,
    pub frame: FrameId,
    /// The row in a list of hotspots.
    pub hotspot: Option<&'a Hotspot>,
}

impl<'a> Selection<'a> {
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

/// Commands by name, with a description if they do more in the panel than usual.
pub(super) struct PanelHelp {
    pub heading: &'static str,
    pub commands: &'static [(&'static str, &'static str)],
}

/// `main` is the explorer's view.
pub(super) trait Panel: Any {
    /// A short title for screens with room for one panel.
    fn tab(&self) -> &'static str;

    fn title(&self, _main: &Lens) -> String {
        self.tab().into()
    }

    fn help(&self) -> PanelHelp;

    fn act(&mut self, action: &Action, main: &Lens) -> Reply;

    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>>;

    /// The area has no border.
    fn set_area(&mut self, content: Area);

    fn settle(&mut self) {}

    fn adopt(&mut self, _look: &Lens) {}
}

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

    /// `None` for panels that take all the room they get.
    pub(super) fn row_count(&self, main: &Lens) -> Option<usize> {
        match self {
            AnyPanel::Hotspots(panel) => panel.lists.is_some().then(|| panel.rows().len()),
            AnyPanel::Sums(panel) => Some(panel.rows(main).len()),
            AnyPanel::Lanes(panel) => Some(panel.rows.len()),
            _ => None,
        }
    }

    pub fn title(&self, main: &Lens) -> String {
        self.get().title(main)
    }
}
