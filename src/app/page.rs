//! The explorer's pages: panels with a focus and a split.

use super::{
    Action, AnyPanel, ButterflyParts, ButterflySubject, HotspotPanel, LanesPanel, Lens, Split,
    SumsKind, SumsPanel, TreeKind, TreePanel, messages,
};
use crate::analysis::HotspotOrder;
use crate::model::FrameId;
use std::any::Any;
use std::sync::Arc;

pub struct Page {
    pub panels: Vec<AnyPanel>,
    pub focus: usize,
    pub split: Split,
    pub parts: Option<Arc<ButterflyParts>>,
    pub(super) origin: PageOrigin,
}

/// How many steps there were to undo.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Depth {
    pub changes: usize,
    pub focuses: usize,
    pub ranges: usize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct PageOrigin {
    pub depth: Depth,
    /// The method in the list that the page was opened from.
    pub listed: Option<FrameId>,
}

fn tree(kind: TreeKind, lens: Lens) -> AnyPanel {
    AnyPanel::Tree(Box::new(TreePanel::new(kind, lens)))
}

impl Page {
    pub(super) fn call_tree(lens: Lens) -> Page {
        let mut page = Page::alone(tree(TreeKind::Calls, lens));
        page.set_hotspots();
        page
    }

    pub(super) fn set_hotspots(&mut self) {
        let orders = [HotspotOrder::Exclusive, HotspotOrder::Inclusive];
        let hotspots = orders.map(|order| AnyPanel::Hotspots(HotspotPanel::new(order)));
        self.set_others(Split::Hotspots, hotspots);
    }

    pub(super) fn set_others(&mut self, split: Split, others: impl IntoIterator<Item = AnyPanel>) {
        self.panels.truncate(1);
        self.panels.extend(others);
        (self.split, self.focus) = (split, 0);
    }

    pub(super) fn alone(panel: AnyPanel) -> Page {
        Page {
            panels: vec![panel],
            focus: 0,
            split: Split::Alone,
            parts: None,
            origin: PageOrigin::default(),
        }
    }

    pub(super) fn lanes(panel: Box<LanesPanel>) -> Page {
        let mut page = Page::alone(AnyPanel::Lanes(panel));
        page.set_hotspots();
        page.split = Split::Lanes;
        page
    }

    /// An inverted tree if there are no callees.
    pub(super) fn of_callers(parts: Arc<ButterflyParts>, look: &Lens) -> Page {
        let callers = look.on(&parts.callers);
        let mut page = match &parts.callees {
            None => Page::alone(tree(TreeKind::Inverted, callers)),
            Some(callees) => {
                let callees = tree(TreeKind::Callees, look.on(callees));
                let [threads, users] = [SumsKind::Threads, SumsKind::UserCode]
                    .map(|kind| AnyPanel::Sums(SumsPanel::new(kind, Arc::clone(&parts))));
                let mut page = Page::alone(tree(TreeKind::Callers, callers));
                page.set_others(Split::Method, [callees, threads, users]);
                page
            }
        };
        page.parts = Some(parts);
        page
    }

    pub(super) fn subject(&self) -> Option<ButterflySubject> {
        self.parts.as_ref().map(|parts| parts.subject)
    }

    pub fn focused(&self) -> &AnyPanel {
        &self.panels[self.focus]
    }

    /// The first panel, if it is of this type.
    pub fn first<T: Any>(&self) -> Option<&T> {
        (self.panels[0].get() as &dyn Any).downcast_ref()
    }

    pub(super) fn first_mut<T: Any>(&mut self) -> Option<&mut T> {
        (self.panels[0].get_mut() as &mut dyn Any).downcast_mut()
    }

    /// The timeline or the waits.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.panels[0], AnyPanel::Lanes(_) | AnyPanel::Waits(_))
    }

    pub(super) fn node_count(&self) -> usize {
        let nodes = |panel: &AnyPanel| match panel {
            AnyPanel::Tree(panel) => panel.lens.view.tree.len(),
            _ => 0,
        };
        self.panels.iter().map(nodes).sum()
    }

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
            Action::Focus
            | Action::NextGroup
            | Action::TogglePin
            | Action::Occurrence(_)
            | Action::ToggleFrames
            | Action::DropSubtree => messages::KEY_OF_CALL_TREE,
            _ => return None,
        })
    }

    /// After the recording has grown.
    pub(super) fn set_parts(&mut self, parts: Arc<ButterflyParts>) {
        for panel in &mut self.panels {
            if let AnyPanel::Sums(panel) = panel {
                panel.parts = Arc::clone(&parts);
            }
        }
        self.parts = Some(parts);
    }
}
