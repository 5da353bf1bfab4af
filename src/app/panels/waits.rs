//! Which user methods wait, how long, in what, in which threads.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::Wait;
use crate::app::{Action, Area, Lens, ListCursor, messages};
use crate::model::NodeId;
use crate::query::{WaitCells, Waits};
use crate::units::Scale;

pub struct WaitsPanel {
    pub waits: Waits,
    pub title: String,
    pub cells: Vec<WaitCells>,
    pub scale: Scale,
    pub cursor: ListCursor,
    area: Area,
}

impl WaitsPanel {
    /// Waits are listed from the tree without collapsed rows.
    pub(in crate::app) fn new(waits: Waits, main: &Lens, selected: usize) -> WaitsPanel {
        let view = main.view.uncollapsed();
        WaitsPanel {
            title: waits.title(view),
            cells: waits.cells(view),
            scale: waits.scale(view),
            waits,
            cursor: ListCursor { selected, top: 0 },
            area: Area::default(),
        }
    }

    pub fn selected_row(&self) -> Option<&Wait> {
        self.waits.rows.get(self.cursor.selected)
    }
}

impl Panel for WaitsPanel {
    fn tab(&self) -> &'static str {
        "Waits"
    }

    fn title(&self, _: &Lens) -> String {
        self.title.clone()
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_WAITS,
            commands: &[
                ("open-hot-path", messages::HERE_GO_TO_LONGEST_WAIT),
                ("show-callers", ""),
                ("back", messages::HERE_BACK_TO_TREE),
            ],
        }
    }

    fn act(&mut self, action: &Action, _: &Lens) -> Reply {
        match self.cursor.act(action, self.waits.rows.len(), self.area) {
            Some(Action::Accept | Action::Enter | Action::Open) => {
                let go = |row: &Wait| Reply::GoToWait(row.node, self.waits.part.metric());
                self.selected_row().map_or(Reply::Done, go)
            }
            Some(Action::Close | Action::Parent) => Reply::Leave,
            Some(Action::NextSort | Action::ReverseSort) => {
                Reply::ShowMessage(messages::WAITS_ARE_SORTED.into())
            }
            _ => Reply::Done,
        }
    }

    /// The user code that waits, or else what it waits in.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let row = self.selected_row()?;
        let tree = &main.view.uncollapsed().tree;
        let (node, frame) = match row.user {
            Some(user) => (tree.parent(row.node).unwrap_or(row.node), user),
            None => (row.node, row.wait),
        };
        let node = main.view.from_uncollapsed(node).unwrap_or(NodeId::ROOT);
        Some(Selection::of(main, node, frame))
    }

    fn set_area(&mut self, content: Area) {
        self.area = content.below(1);
        let (len, height) = (self.waits.rows.len(), usize::from(self.area.height));
        self.cursor.select(self.cursor.selected, len, height);
    }
}
