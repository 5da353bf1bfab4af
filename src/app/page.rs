//! The explorer's pages: panels with a focus and a split.

use super::{
    Action, AnyPanel, ButterflyParts, ButterflySubject, ChartPanel, FlamePanel, HotspotPanel,
    LanesPanel, Lens, Split, SumsKind, SumsPanel, TreeKind, TreePanel, WaitsPanel, messages,
};
use crate::analysis::{HotspotOrder, ReadyView};
use crate::model::FrameId;
use crate::query::Waits;
use std::sync::Arc;

/// Panels that share the screen.
pub struct Page {
    pub panels: Vec<AnyPanel>,
    /// The panel that has the focus.
    pub focus: usize,
    /// How the panels share the screen.
    pub split: Split,
    /// The data of a page of callers; `None` for other pages.
    pub parts: Option<Arc<ButterflyParts>>,
    pub(super) origin: PageOrigin,
}

/// The state in which a page was opened, for the way back.
#[derive(Clone, Copy, Default)]
pub(super) struct PageOrigin {
    /// The number of undoable changes of the tree.
    pub changes: usize,
    /// The number of focuses, for the page of the flame graph.
    pub focuses: usize,
    /// The method in the list of methods from which the page was opened.
    pub listed: Option<FrameId>,
}

fn tree(kind: TreeKind, lens: Lens) -> AnyPanel {
    AnyPanel::Tree(Box::new(TreePanel::new(kind, lens)))
}

impl Page {
    /// The call tree with its hotspots.
    pub(super) fn call_tree(lens: Lens) -> Page {
        let mut page = Page::alone(tree(TreeKind::Calls, lens));
        page.set_hotspots();
        page
    }

    /// Puts hotspots next to its first panel.
    pub(super) fn set_hotspots(&mut self) {
        let hotspots = |order| AnyPanel::Hotspots(HotspotPanel::new(order));
        self.panels.truncate(1);
        self.panels.push(hotspots(HotspotOrder::Exclusive));
        self.panels.push(hotspots(HotspotOrder::Inclusive));
        (self.split, self.focus) = (Split::Hotspots, 0);
    }

    /// Puts a flame graph next to its tree.
    pub(super) fn set_flame(&mut self, panel: FlamePanel) {
        self.panels.truncate(1);
        self.panels.push(AnyPanel::Flame(Box::new(panel)));
        (self.split, self.focus) = (Split::Flame, 0);
    }

    /// A method with its callers, callees, threads, and the user code above it.
    fn butterfly(parts: Arc<ButterflyParts>, callees: &ReadyView, look: &Lens) -> Page {
        Page {
            panels: vec![
                tree(TreeKind::Callers, look.on(&parts.callers)),
                tree(TreeKind::Callees, look.on(callees)),
                AnyPanel::Sums(SumsPanel::new(SumsKind::Threads, Arc::clone(&parts))),
                AnyPanel::Sums(SumsPanel::new(SumsKind::UserCode, Arc::clone(&parts))),
            ],
            focus: 0,
            split: Split::Method,
            parts: Some(parts),
            origin: PageOrigin::default(),
        }
    }

    /// An inverted tree.
    fn inverted(parts: Arc<ButterflyParts>, look: &Lens) -> Page {
        Page {
            panels: vec![tree(TreeKind::Inverted, look.on(&parts.callers))],
            focus: 0,
            split: Split::Alone,
            parts: Some(parts),
            origin: PageOrigin::default(),
        }
    }

    /// The list of waits, with this row selected.
    pub(super) fn waits(waits: Waits, look: &Lens, row: usize) -> Page {
        Page::alone(AnyPanel::Waits(Box::new(WaitsPanel::new(waits, look, row))))
    }

    /// The flame graph.
    pub(super) fn flame(panel: FlamePanel) -> Page {
        Page::alone(AnyPanel::Flame(Box::new(panel)))
    }

    /// A flame chart: a thread's stacks in time order.
    pub(super) fn chart(panel: ChartPanel) -> Page {
        Page::alone(AnyPanel::Chart(Box::new(panel)))
    }

    /// A page with one panel.
    fn alone(panel: AnyPanel) -> Page {
        Page {
            panels: vec![panel],
            focus: 0,
            split: Split::Alone,
            parts: None,
            origin: PageOrigin::default(),
        }
    }

    /// Lanes over time, and below them what the selected lane ran.
    pub(super) fn lanes(panel: LanesPanel) -> Page {
        let mut page = Page::alone(AnyPanel::Lanes(Box::new(panel)));
        page.set_hotspots();
        page.split = Split::Lanes;
        page
    }

    /// A page of callers; without callees, an inverted tree.
    pub(super) fn of_callers(parts: Arc<ButterflyParts>, look: &Lens) -> Page {
        match parts.callees.clone() {
            Some(callees) => Page::butterfly(parts, &callees, look),
            None => Page::inverted(parts, look),
        }
    }

    /// The subject of a page of callers.
    pub(super) fn subject(&self) -> Option<ButterflySubject> {
        self.parts.as_ref().map(|parts| parts.subject)
    }

    /// The panel that has the focus.
    pub fn focused(&self) -> &AnyPanel {
        &self.panels[self.focus]
    }

    /// The first panel, if that is a tree.
    pub fn first_tree(&self) -> Option<&TreePanel> {
        match &self.panels[0] {
            AnyPanel::Tree(panel) => Some(panel),
            _ => None,
        }
    }

    pub(super) fn first_tree_mut(&mut self) -> Option<&mut TreePanel> {
        match &mut self.panels[0] {
            AnyPanel::Tree(panel) => Some(panel),
            _ => None,
        }
    }

    /// The number of nodes in its trees.
    pub(super) fn node_count(&self) -> usize {
        let nodes = |panel: &AnyPanel| match panel {
            AnyPanel::Tree(panel) => panel.lens.view.tree.len(),
            _ => 0,
        };
        self.panels.iter().map(nodes).sum()
    }

    /// The labels of the tabs on screens with room for one panel, each with a space on both sides.
    pub fn tabs(&self) -> impl Iterator<Item = String> {
        let tabs = self.panels.iter().map(|panel| panel.get().tab());
        (1..)
            .zip(tabs)
            .map(|(number, tab)| format!(" {number} {tab} "))
    }

    /// Why the page rejects an action; `None` if it doesn't.
    pub(super) fn refusal(&self, action: &Action) -> Option<&'static str> {
        self.parts.as_ref()?;
        Some(match action {
            Action::Pane(2..) | Action::NextPane(_) if self.panels.len() == 1 => {
                messages::INVERTED_HAS_ONE_PANE
            }
            Action::NextGroup => messages::ONLY_CALL_TREE_GROUPS,
            Action::Focus
            | Action::TogglePin
            | Action::Occurrence(_)
            | Action::ToggleFrames
            | Action::DropSubtree => messages::KEY_OF_CALL_TREE,
            _ => return None,
        })
    }

    /// Shows more of the recording, with the same rows open and selected.
    pub(super) fn set_parts(&mut self, parts: Arc<ButterflyParts>) {
        for panel in &mut self.panels {
            if let AnyPanel::Sums(panel) = panel {
                panel.parts = Arc::clone(&parts);
            }
        }
        self.parts = Some(parts);
    }
}
