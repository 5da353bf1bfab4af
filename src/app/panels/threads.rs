//! The threads that a method is in.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::remap::Remap;
use crate::analysis::{CallerTreeSums, ReadyView};
use crate::app::butterfly_parts::ButterflyParts;
use crate::app::commands::Action;
use crate::app::layout::Area;
use crate::app::lens::Lens;
use crate::app::list::ListCursor;
use crate::app::messages;
use std::sync::Arc;

pub struct ThreadsPanel {
    pub parts: Arc<ButterflyParts>,
    pub cursor: ListCursor,
    area: Area,
}

impl ThreadsPanel {
    pub(in crate::app) fn new(parts: Arc<ButterflyParts>) -> ThreadsPanel {
        ThreadsPanel {
            parts,
            cursor: ListCursor::default(),
            area: Area::default(),
        }
    }

    /// The threads with what the method has in each, in the shown metric.
    pub fn rows(&self, main: &Lens) -> &[(String, CallerTreeSums)] {
        &self.parts.threads[main.metric.index()]
    }
}

impl Panel for ThreadsPanel {
    fn tab(&self) -> &'static str {
        "Threads"
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: messages::IN_THREADS_OF_METHOD,
            commands: &[
                ("next-panel", messages::TAB_FROM_THREADS),
                ("next-metric", ""),
                ("back", messages::HERE_BACK_TO_TREE),
            ],
        }
    }

    fn act(&mut self, action: &Action, main: &Lens) -> Reply {
        let len = self.rows(main).len();
        match action {
            Action::NextSort
            | Action::ReverseSort
            | Action::SortBy(_)
            | Action::NextOwn
            | Action::NextSplit => Reply::Say(messages::THREADS_LISTED_BY_TIME.into()),
            _ => {
                self.cursor.act(action, len, self.area);
                Reply::Done
            }
        }
    }

    /// The method itself.
    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        let node = self.parts.heaviest;
        Some(Selection {
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
}
