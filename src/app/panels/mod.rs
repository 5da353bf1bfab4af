//! The panels of the explorer's pages: each knows its title, acts on actions, and says what is selected in it.
//!
//! A new panel is a file here and one in `ui/panels`, a variant of [`AnyPanel`], a page that has it, and its rows of commands.

mod chart;
mod flame;
mod hotspots;
mod lanes;
mod sums;
mod tree;
mod waits;
mod walk;

pub use chart::{ChartBar, ChartPanel};
pub use flame::{FlamePanel, Lit};
pub use hotspots::{HotColumn, HotSort, HotspotPanel};
pub use lanes::{LaneOf, LaneRow, LanesPanel};
pub use sums::{SumsKind, SumsPanel};
pub use tree::{TreeKind, TreePanel, node_at_path};
pub use waits::WaitsPanel;
pub use walk::Walk;

use super::butterfly_parts::OpenedCallers;
use super::commands::Action;
use super::layout::Area;
use super::lens::Lens;
use crate::analysis::remap::Remap;
use crate::analysis::{Hotspot, ReadyView};
use crate::model::{FrameId, MetricId, NodeId, TimeRange};

/// What a panel has done with an action, or wants to be done.
pub(super) enum Reply {
    /// The action is not for it.
    Ignored,
    Done,
    /// It has something to say.
    Say(String),
    /// The heaviest occurrence of a method within a subtree is to be shown.
    GoTo(FrameId, NodeId),
    /// This node of the tree without collapsed rows is to be shown, in a metric that has waiting.
    GoToWait(NodeId, MetricId, usize),
    /// This node is to be shown in the call tree.
    GoToNode(NodeId),
    /// These threads of the recording alone are to be shown.
    ChooseThreads(Vec<usize>),
    /// This range of time alone is to be shown.
    ChooseRange(TimeRange),
    /// The cursor of the strip of time is to move by cells.
    MoveTime(isize),
    /// This subtree is to be shown as the tree.
    Zoom(NodeId),
    /// The call tree is to do it.
    AskTree,
    /// The first panel of the page is to have the keys.
    Leave,
    /// The callers of these rows are to be made.
    OpenCallers(Vec<OpenedCallers>),
}

/// What is selected.
pub struct Selection<'a> {
    /// The view that it is in.
    pub lens: &'a Lens,
    /// The node, or the heaviest one of a method.
    pub node: NodeId,
    pub frame: FrameId,
    /// The row, in a list of hotspots.
    pub hotspot: Option<&'a Hotspot>,
}

impl<'a> Selection<'a> {
    /// A node of a view.
    pub fn of_node(lens: &'a Lens, node: NodeId) -> Selection<'a> {
        Selection {
            lens,
            node,
            frame: lens.view.tree.frame(node),
            hotspot: None,
        }
    }
}

/// The commands that matter most in a panel, by their names, with what they do there if that is more than their own lines say.
pub(super) struct PanelHelp {
    pub heading: &'static str,
    pub commands: &'static [(&'static str, &'static str)],
}

/// What a page asks of its panels. `main` is the view that is explored.
pub(super) trait Panel {
    /// The word on its tab, where only one panel has room.
    fn tab(&self) -> &'static str;

    /// Its title beside other panels.
    fn title(&self, _main: &Lens) -> String {
        self.tab().into()
    }

    /// What the page of help begins with, while keys go to it.
    fn help(&self) -> PanelHelp;

    /// Acts on an action.
    fn act(&mut self, action: &Action, main: &Lens) -> Reply;

    /// What is selected; `None` where there is nothing to select.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>>;

    /// Fits the panel to its place on the screen, without its border.
    fn place(&mut self, content: Area);

    /// Brings what follows from the selection up to date.
    fn settle(&mut self) {}

    /// Finds selection and open rows again in another view.
    fn remap(&mut self, remap: &mut Remap, view: &ReadyView);

    /// Shows numbers and names as another view does.
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

    /// How many rows a list has, once that is known; `None` for what takes all room there is.
    pub(super) fn row_count(&self, main: &Lens) -> Option<usize> {
        match self {
            AnyPanel::Hotspots(panel) => panel.lists.is_some().then(|| panel.rows().len()),
            AnyPanel::Sums(panel) => Some(panel.rows(main).len()),
            AnyPanel::Lanes(panel) => Some(panel.rows.len()),
            _ => None,
        }
    }

    /// Its title beside other panels. `main` is the view that is explored.
    pub fn title(&self, main: &Lens) -> String {
        self.get().title(main)
    }
}
