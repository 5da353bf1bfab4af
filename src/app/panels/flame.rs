//! The flame graph: nothing is in it yet.

use super::{AnyPanel, Panel, PanelHelp, Reply, Selection};
use crate::analysis::ReadyView;
use crate::analysis::remap::Remap;
use crate::app::commands::Action;
use crate::app::layout::{Area, Split};
use crate::app::lens::Lens;
use crate::app::page::Page;

pub struct FlamePanel;

impl Page {
    /// The flame graph of what is shown.
    pub(in crate::app) fn flame() -> Page {
        Page {
            panels: vec![AnyPanel::Flame(FlamePanel)],
            focus: 0,
            split: Split::Alone,
            parts: None,
        }
    }
}

impl Panel for FlamePanel {
    fn tab(&self) -> &'static str {
        "Flame"
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: "In the flame graph",
            commands: &[("back", "")],
        }
    }

    fn act(&mut self, _: &Action, _: &Lens) -> Reply {
        Reply::Ignored
    }

    fn selected<'a>(&'a self, _: &'a Lens) -> Option<Selection<'a>> {
        None
    }

    fn place(&mut self, _: Area) {}

    fn remap(&mut self, _: &mut Remap, _: &ReadyView) {}
}
