//! Pages of callers: a method with its callees and threads, and the inverted tree.

use super::super::Effect;
use super::super::awaited::Awaited;
use super::super::butterfly_parts::{ButterflyParts, ButterflySubject, CallerPath};
use super::super::commands::Action;
use super::super::dialogs::Overlay;
use super::super::layout::{Layout, Mode, Pane};
use super::{ButterflyPage, Explorer, PanelKind};
use crate::analysis::occurrences_within;
use crate::app::messages;
use crate::model::{FrameId, MadeUp, NodeId, View};
use crate::text::visible;
use crate::units::counted;
use std::sync::Arc;

/// So many trees of callers can be gone through before the first is forgotten.
const MAX_PAGES: usize = 32;

/// So many nodes the trees below the one on the screen have together.
const MAX_NODES: usize = 2_000_000;

impl ButterflyPage {
    /// A page with the settings of the explorer that shows it.
    fn new(parts: Arc<ButterflyParts>, of: &Explorer) -> ButterflyPage {
        let (width, height) = (of.layout.screen.width, of.layout.screen.height);
        let half = |view: &Arc<View>, half| {
            let (mut explorer, _) = Explorer::new(Arc::clone(view), width, height);
            explorer.half = Some(half);
            explorer.adopt(of);
            explorer
        };
        let first = if parts.callees.is_some() {
            PanelKind::Callers
        } else {
            PanelKind::Inverted
        };
        ButterflyPage {
            callers: half(&parts.callers, first),
            callees: parts
                .callees
                .as_ref()
                .map(|callees| half(callees, PanelKind::Callees)),
            cursor: Default::default(),
            opened: Vec::new(),
            opens: Vec::new(),
            parts,
        }
    }

    /// The half that keys go to, unless that is the list of threads.
    pub(super) fn tree(&mut self, pane: Pane) -> Option<&mut Explorer> {
        match pane {
            Pane::Tree => Some(&mut self.callers),
            Pane::Exclusive => self.callees.as_mut(),
            Pane::Inclusive => None,
        }
    }

    /// The half whose pane this is.
    pub fn half(&self, pane: Pane) -> Option<&Explorer> {
        match pane {
            Pane::Tree => Some(&self.callers),
            Pane::Exclusive => self.callees.as_ref(),
            Pane::Inclusive => None,
        }
    }
}

impl Explorer {
    /// The tree of callers that is shown.
    pub fn butterfly(&self) -> Option<&ButterflyPage> {
        self.butterfly.last()
    }

    /// The title of a page of callers: `PriceRules.Discount (37 occurrences)`, `inverted`.
    pub(super) fn butterfly_name(&self, at: usize) -> String {
        let parts = &self.butterfly[at].parts;
        let ButterflySubject::Method { frame, .. } = parts.subject else {
            return "inverted".into();
        };
        format!(
            "{} ({})",
            visible(&self.list_name(frame)),
            counted(parts.occurrences as u64, "occurrence")
        )
    }

    /// Copies the display settings of another explorer.
    fn adopt(&mut self, other: &Explorer) {
        let measure = other.measure();
        self.raw_names = other.raw_names;
        self.notes = other.notes.clone();
        self.metric = measure.metric;
        self.counts_waiting = Some(measure.counts_waiting);
        let measure = self.measure();
        let sort = self.tree.outline.sort();
        self.tree.outline.set_order(&self.view, measure, sort);
        let _ = self.refresh();
    }

    /// Asks for the method that is looked at, as one thing.
    pub(super) fn open_method(&mut self) -> Vec<Effect> {
        if self.butterfly().is_some() && self.pane == Pane::Inclusive {
            return self.refuse(messages::THREADS_HAVE_NO_CALLERS);
        }
        let frame = self.subject_frame();
        self.ask_for_method(frame)
    }

    pub(super) fn ask_for_method(&mut self, frame: FrameId) -> Vec<Effect> {
        let is_row_of_frames = matches!(
            self.view.frames.made_up(frame),
            Some(MadeUp::Collapsed { .. } | MadeUp::Group { .. })
        );
        if is_row_of_frames || !self.view.frames.get(frame).kind.is_hotspot() {
            return self.refuse(messages::NOT_A_METHOD_FOR_B);
        }
        let root = self.subtree_of_one();
        // methods that are folded are in the tree below
        let uncollapsed = self.view.to_one_uncollapsed(root).unwrap_or(NodeId::ROOT);
        let is_here = !occurrences_within(self.view.uncollapsed(), uncollapsed, frame).is_empty();
        self.ask_for_butterfly(ButterflySubject::Method {
            frame,
            within: if is_here { root } else { NodeId::ROOT },
        })
    }

    /// Asks for the inverted tree of what is shown.
    pub(super) fn open_inverted(&mut self) -> Vec<Effect> {
        let within = self.subtree_of_one();
        self.ask_for_butterfly(ButterflySubject::Inverted { within })
    }

    /// The shown subtree; if its root merges several subtrees, the whole tree, with a notice.
    pub(super) fn subtree_of_one(&mut self) -> NodeId {
        let root = self.tree.root();
        if self.view.to_one_uncollapsed(root).is_some() {
            return root;
        }
        self.say(messages::ROW_MERGES_SUBTREES);
        NodeId::ROOT
    }

    pub(super) fn ask_for_butterfly(&mut self, subject: ButterflySubject) -> Vec<Effect> {
        if self
            .butterfly
            .last()
            .is_some_and(|page| page.parts.subject == subject)
        {
            return self.refuse(messages::ALREADY_SHOWN);
        }
        self.wait_for(Awaited::CallerTree(subject), Effect::CallerTree(subject))
    }

    fn refuse(&mut self, sentence: &str) -> Vec<Effect> {
        self.say(sentence);
        Vec::new()
    }

    /// Takes the tree of callers that was asked for.
    #[must_use]
    pub fn receive_butterfly(
        &mut self,
        subject: ButterflySubject,
        parts: Result<Arc<ButterflyParts>, String>,
    ) -> Vec<Effect> {
        if !self.is_answered(&Awaited::CallerTree(subject)) {
            return Vec::new();
        }
        if !matches!(self.overlay, Overlay::None) {
            // something else was opened meanwhile
            return Vec::new();
        }
        match parts {
            Ok(parts) => {
                let page = ButterflyPage::new(parts, self);
                let nodes = |page: &ButterflyPage| {
                    let callees = page
                        .parts
                        .callees
                        .as_ref()
                        .map_or(0, |callees| callees.tree.len());
                    page.parts.callers.tree.len() + callees
                };
                while self.butterfly.len() >= MAX_PAGES
                    || self.butterfly.iter().map(nodes).sum::<usize>() > MAX_NODES
                {
                    self.butterfly.remove(0);
                }
                self.butterfly.push(page);
                self.set_pane(Pane::Tree);
            }
            Err(sentence) => self.fail(sentence),
        }
        Vec::new()
    }

    /// Takes more of the callers' tree: what was asked for is open in it.
    #[must_use]
    pub fn receive_callers(
        &mut self,
        subject: ButterflySubject,
        made: Result<Arc<View>, String>,
    ) -> Vec<Effect> {
        let Some(page) = self
            .butterfly
            .last_mut()
            .filter(|page| page.parts.subject == subject)
        else {
            return Vec::new();
        };
        match made {
            Ok(view) => {
                let half = &mut page.callers;
                let _ = half.show(view);
                // what was asked for since is still to come
                page.opens
                    .retain(|path| match node_at_path(&half.view, path) {
                        Some(node) if half.view.has_more(node) => true,
                        Some(node) => {
                            half.tree.outline.open(&half.view, node);
                            false
                        }
                        None => false,
                    });
                half.notice = None;
                let _ = half.refresh();
            }
            Err(sentence) => {
                // it would fail again with every other row
                let failed = std::mem::take(&mut page.opens);
                page.opened.retain(|path| !failed.contains(path));
                self.fail(sentence);
            }
        }
        Vec::new()
    }

    /// Puts the halves where they belong on the screen.
    pub(super) fn place_halves(&mut self) {
        let (layout, pane) = (self.layout, self.pane);
        if let Some(page) = self.butterfly.last_mut() {
            let callees = page.callees.as_mut().map(|half| (half, Pane::Exclusive));
            for (half, own) in [(&mut page.callers, Pane::Tree)].into_iter().chain(callees) {
                let mut panes = layout.panes;
                panes[0] = layout.pane(own);
                // if only one fits, show the one that has the keyboard focus
                let front = if pane == own {
                    Pane::Tree
                } else {
                    Pane::Exclusive
                };
                half.layout = Layout {
                    panes,
                    front,
                    ..layout
                };
                half.has_focus = pane == own;
                if layout.mode != Mode::Tiny {
                    let height = half.height();
                    half.tree.resize(&half.view, height);
                    let _ = half.refresh();
                }
            }
        }
    }

    /// What keys do while a tree of callers is shown; `None` where that is what they do anyway.
    pub(super) fn act_in_butterfly(&mut self, action: &Action) -> Option<Vec<Effect>> {
        let page = self.butterfly.last()?;
        match *action {
            Action::Pane(2..) | Action::NextPane(_) if page.callees.is_none() => {
                return Some(self.refuse(messages::INVERTED_HAS_ONE_PANE));
            }
            Action::Back => {
                if let Some(effects) = self.give_up() {
                    return Some(effects);
                }
                self.butterfly.pop();
                self.set_pane(Pane::Tree);
            }
            Action::NextMetric => {
                self.next_metric();
                self.adopt_in_halves();
            }
            Action::ToggleWaiting => {
                self.toggle_waiting();
                self.adopt_in_halves();
            }
            Action::ToggleNames => {
                self.raw_names = !self.raw_names;
                self.adopt_in_halves();
            }
            Action::Export => return Some(self.open_export()),
            Action::NextCollapse | Action::NextGroup => {
                return Some(self.refuse(messages::ONLY_CALL_TREE_COLLAPSES));
            }
            Action::Focus
            | Action::TogglePin
            | Action::Occurrence(_)
            | Action::ToggleFrames
            | Action::DropSubtree => {
                return Some(self.refuse(messages::KEY_OF_CALL_TREE));
            }
            Action::Click(x, y) => return Some(self.click_in_butterfly(x, y, false)),
            Action::DoubleClick(x, y) => return Some(self.click_in_butterfly(x, y, true)),
            Action::CopyName | Action::CopyPath => return self.act_in_half(self.pane, action),
            // by the mouse position, not the keyboard focus
            Action::Wheel(x, y, _) => return self.act_in_half(self.pane_at(x, y)?, action),
            _ if moves(action) => return self.act_in_half(self.pane, action),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Does what an action means in one of the panes of a page of callers.
    fn act_in_half(&mut self, pane: Pane, action: &Action) -> Option<Vec<Effect>> {
        let Some(half) = self.butterfly.last_mut()?.tree(pane) else {
            return self.act_in_page_threads(action);
        };
        // callers are built when a row is opened
        let opens_more = matches!(
            action,
            Action::Open | Action::Toggle | Action::Enter | Action::NextOwn | Action::NextSplit
        );
        if opens_more && half.view.has_more(half.tree.selected) {
            return Some(self.open_callers());
        }
        let effects = half.act_in_panes(action.clone());
        self.notice = half.notice.take();
        let _ = half.refresh();
        Some(effects)
    }

    /// Asks for the callers of the selected row, which were not made yet.
    fn open_callers(&mut self) -> Vec<Effect> {
        let Some(page) = self.butterfly.last_mut() else {
            return Vec::new();
        };
        let path: CallerPath = path_to(&page.callers.view, page.callers.tree.selected).into();
        if !page.opened.contains(&path) {
            page.opened.push(Arc::clone(&path));
        }
        page.opens.push(path);
        vec![Effect::OpenCallers {
            subject: page.parts.subject,
            opened: page.opened.clone(),
        }]
    }

    pub(super) fn adopt_in_halves(&mut self) {
        let mut methods = std::mem::take(&mut self.butterfly);
        for page in &mut methods {
            page.callers.adopt(self);
            page.callees.iter_mut().for_each(|half| half.adopt(self));
        }
        self.butterfly = methods;
    }

    fn act_in_page_threads(&mut self, action: &Action) -> Option<Vec<Effect>> {
        let height = usize::from(self.layout.rows(Pane::Inclusive).height).max(1);
        let page = self.butterfly.last_mut()?;
        let len = page.parts.threads[self.metric.index()].len();
        match *action {
            _ if page.cursor.act(action, len, height) => {}
            Action::Sibling(rows) => page.cursor.move_rows(rows, len, height),
            Action::Open
            | Action::Close
            | Action::Toggle
            | Action::Enter
            | Action::Parent
            | Action::Center => {}
            Action::NextSort
            | Action::ReverseSort
            | Action::SortBy(_)
            | Action::NextOwn
            | Action::NextSplit => {
                return Some(self.refuse(messages::THREADS_LISTED_BY_TIME));
            }
            _ => return None,
        }
        Some(Vec::new())
    }

    fn click_in_butterfly(&mut self, x: u16, y: u16, is_double: bool) -> Vec<Effect> {
        if self.layout.breadcrumbs.contains(x, y) || self.layout.title.contains(x, y) {
            return self.click(x, y);
        }
        let hit = Pane::ALL
            .into_iter()
            .find(|&pane| self.layout.is_shown(pane) && self.layout.pane(pane).contains(x, y));
        let Some(pane) = hit else { return Vec::new() };
        self.set_pane(pane);
        let rows = self.layout.rows(pane);
        let Some(page) = self.butterfly.last_mut() else {
            return Vec::new();
        };
        match page.tree(pane) {
            Some(half) => {
                let _ = half.click(x, y);
                self.notice = half.notice.take();
            }
            None if rows.contains(x, y) => {
                let len = page.parts.threads[self.metric.index()].len();
                page.cursor.select(
                    page.cursor.top + usize::from(y - rows.y),
                    len,
                    usize::from(rows.height),
                );
            }
            None => {}
        }
        if is_double {
            self.act_in_butterfly(&Action::Toggle).unwrap_or_default()
        } else {
            Vec::new()
        }
    }
}

/// Whether an action only moves in a tree, or orders it.
fn moves(action: &Action) -> bool {
    matches!(
        action,
        Action::Rows(_)
            | Action::HalfScreens(_)
            | Action::First
            | Action::Last
            | Action::Sibling(_)
            | Action::Parent
            | Action::Open
            | Action::Close
            | Action::Toggle
            | Action::OpenSiblings
            | Action::CloseSiblings
            | Action::OpenSubtree
            | Action::CloseSubtree
            | Action::Enter
            | Action::NextOwn
            | Action::NextSplit
            | Action::Center
            | Action::NextSort
            | Action::SortBy(_)
            | Action::ReverseSort
    )
}

/// The frames on the way from the root, which is not among them, to a node.
fn path_to(view: &View, node: NodeId) -> Vec<FrameId> {
    let up = std::iter::once(node)
        .chain(view.tree.ancestors(node))
        .take_while(|&at| at != NodeId::ROOT);
    let mut path: Vec<FrameId> = up.map(|at| view.tree.frame(at)).collect();
    path.reverse();
    path
}

/// The node at the end of a path of frames from the root, which is not among them. O(path · callees).
pub fn node_at_path(view: &View, path: &[FrameId]) -> Option<NodeId> {
    let step = |at, &frame| {
        view.tree
            .children(at)
            .find(|&child| view.tree.frame(child) == frame)
    };
    path.iter().try_fold(NodeId::ROOT, step)
}
