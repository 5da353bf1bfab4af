//! Switching to another view of the recording while the user stays in place.

use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::analysis::remap::{PATH_STEPS, Remap};
use crate::app::{AnyPanel, Explorer, HotspotLists, Overlay, Page, PageOrigin, TreePane, messages};
use crate::model::{FrameId, View, ViewSpec};
use std::sync::Arc;

const MAX_LEFT_VIEWS: usize = 32;
/// The most rows opened or closed since that are opened or closed again, one by one.
const MAX_CHANGES: usize = 200;

/// How a view was left.
pub(super) struct LeftView {
    steps: ViewSpec,
    /// Outermost first; the last one was shown.
    panes: Vec<TreePane>,
    /// What was shown instead, and its steps.
    instead: TreePane,
    steps_instead: ViewSpec,
}

impl Explorer {
    /// Shows another view of the same source and keeps the user's place. What the view lacks is replaced by its nearest
    /// caller; focuses on it are left. Nodes are found by their frames in O(depth + siblings along the path), and open
    /// rows in a bounded number of steps.
    ///
    /// `left` are the panes of the view as it was left, if known.
    fn exchange(&mut self, view: ReadyView, left: Option<Vec<TreePane>>) {
        let old = Arc::clone(self.view());
        self.exchange_by(&view, Remap::new(&old, &view), left, None)
    }

    /// Shows a view as it was left if the user goes back to it, with the rows opened since. A new time range is shown
    /// with its hot path if that of the former view is all that is open.
    pub(super) fn show_next(&mut self, view: ReadyView, is_returning: bool) {
        let (steps, shown) = (self.view().steps.clone(), view.steps.clone());
        let (tree, left) = (self.tree(), &self.history.left);
        let root = tree.shown.root();
        // nodes of another view have other numbers
        let is_since = |left: &LeftView| left.steps_instead == steps && left.instead.root() == root;
        let mut former = left.iter().rposition(|left| left.steps == shown);
        if !is_returning {
            former = former.filter(|&at| at + 1 == left.len() && is_since(&left[at]));
        }
        let panes: Vec<TreePane> = tree.panes().cloned().collect();
        let is_at_root = tree.shown.selected == tree.shown.root();
        let is_new_range = former.is_none() && steps.scope.range != shown.scope.range;
        let opens_hot_path = is_new_range && is_at_root && tree.shows_hot_path_alone();
        let former = former.map(|at| {
            self.history.left.truncate(at + 1);
            let left = self.history.left.swap_remove(at);
            match is_since(&left) {
                true => self.with_changes(&view, left, is_returning),
                false => left.panes,
            }
        });
        self.exchange(view, former);
        if opens_hot_path {
            self.tree_mut().show_hot_path_alone();
        }
        if !is_returning {
            let instead = self.tree().shown.clone();
            let left = &mut self.history.left;
            left.push(LeftView {
                steps,
                panes,
                instead,
                steps_instead: shown,
            });
            left.drain(..left.len().saturating_sub(MAX_LEFT_VIEWS));
        }
    }

    /// The panes of a view as it was left, with what was opened, closed and, if the user does not go back, selected since.
    /// The view shown is the one that was shown instead.
    fn with_changes(&self, view: &View, left: LeftView, is_returning: bool) -> Vec<TreePane> {
        let (mut remap, shown) = (Remap::new(self.view(), view), &self.tree().shown);
        let (mut panes, since) = (left.panes, left.instead);
        let is_same = |pane: &&mut TreePane| remap.node(shown.root()) == (pane.root(), true);
        let Some(pane) = panes.last_mut().filter(is_same) else {
            return panes;
        };
        let mut steps = PATH_STEPS;
        for node in shown.outline.differences(&since.outline).take(MAX_CHANGES) {
            let (new, is_same) = remap.node(node);
            steps = steps.saturating_sub(PATH_STEPS - remap.steps);
            match shown.outline.is_open(remap.old, node) {
                _ if !is_same || steps == 0 => {}
                true => pane.outline.open(view, new),
                false => pane.outline.close(view, new),
            }
        }
        let nearest = remap.nearest(shown.selected, self.lens().metric);
        if !is_returning
            && shown.selected != since.selected
            && view.tree.contains(pane.root(), nearest)
        {
            pane.go_to(view, nearest, self.tree().height());
        }
        pane.outline.show(view, pane.selected);
        panes
    }

    pub(super) fn exchange_grown(
        &mut self,
        view: &ReadyView,
        growth: &Growth,
        hotspots: Arc<HotspotLists>,
    ) {
        let old = Arc::clone(self.view());
        let remap = Remap::grown(&old, view, growth);
        self.exchange_by(view, remap, None, Some(hotspots))
    }

    fn exchange_by(
        &mut self,
        view: &ReadyView,
        mut remap: Remap,
        left: Option<Vec<TreePane>>,
        hotspots: Option<Arc<HotspotLists>>,
    ) {
        let subject = self.page().subject();
        let origin = self.page().origin;
        let former = self.take_pages();
        self.pending.view = None;
        if self.tree_mut().exchange(&mut remap, view, left) {
            self.show_message(messages::FOCUS_NOT_IN_TREE);
        }
        for panel in &mut self.pages[0].panels[1..] {
            if let AnyPanel::Hotspots(panel) = panel {
                panel.remap(&mut remap);
            }
        }
        self.hot.reset(hotspots);
        let remapped_subject = subject.and_then(|subject| subject.remapped(&mut remap));
        // a method that was left out has no callers
        let occurs = |frame| view.uncollapsed().occurs(frame);
        let remapped_subject = remapped_subject.filter(|subject| subject.method.is_none_or(occurs));
        self.show_overlay(&mut remap);
        self.refresh();
        for page in former {
            self.reopen(page, &mut remap);
        }
        if let Some(subject) = remapped_subject {
            let listed = origin.listed.and_then(|frame| remap.frame(frame));
            self.ask_for_callers(subject);
            self.pending.page_origin = Some(PageOrigin { listed, ..origin });
        }
    }

    /// Leaves the pages over the call tree. Returns those to reopen: the last flame graph, and on top of it the
    /// timeline or the waits, and the flame chart.
    fn take_pages(&mut self) -> impl Iterator<Item = Page> + use<> {
        let is_chart = |page: &mut Page| matches!(page.panels[0], AnyPanel::Chart(_));
        let chart = self.pages.pop_if(is_chart);
        self.sync_tree();
        let list = self.pages.pop_if(|page| page.is_list());
        let mut others = self.pages.split_off(1).into_iter();
        if others.len() > 0 {
            self.set_focus(0);
        }
        let flame = others.rfind(|page| matches!(page.panels[0], AnyPanel::Flame(_)));
        [flame, list, chart].into_iter().flatten()
    }

    fn reopen(&mut self, mut page: Page, remap: &mut Remap) {
        let (origin, lens) = (page.origin, self.lens().clone());
        match page.panels.swap_remove(0) {
            AnyPanel::Flame(former) => {
                self.open_flame();
                if let Some(highlights) = former.frames.highlights {
                    let mut frames = vec![false; lens.view.frames.len()];
                    let former =
                        (0..highlights.frames.len()).filter(|&frame| highlights.frames[frame]);
                    let found = former.filter_map(|frame| remap.frame(FrameId::at(frame)));
                    found.for_each(|frame| frames[frame.index()] = true);
                    self.show_highlights(highlights.query, frames);
                }
                self.page_mut().origin = origin;
            }
            AnyPanel::Lanes(mut former) => {
                let within = former.within.map(|node| remap.node(node));
                former.within = within.and_then(|(node, is_same)| is_same.then_some(node));
                // a node of the former view
                (former.node_at_cursor, former.has_cursor) = (None, false);
                self.open(origin, Page::lanes(former));
            }
            AnyPanel::Chart(former) => {
                let panel = former.reopened(lens, former.threads.clone());
                self.open(origin, Page::alone(AnyPanel::Chart(Box::new(panel))));
            }
            AnyPanel::Waits(former) => {
                self.ask_for_waits();
                self.pending.row = former.cursor.selected;
                self.pending.page_origin = Some(origin);
            }
            AnyPanel::Tree(_) | AnyPanel::Hotspots(_) | AnyPanel::Sums(_) => {}
        }
    }

    fn show_overlay(&mut self, remap: &mut Remap) {
        if let Some(behind @ Overlay::Methods(_)) = self.overlay.behind_mut() {
            *behind = Overlay::None;
        }
        match &mut self.overlay {
            Overlay::Methods(_) => self.list_methods_again(remap),
            Overlay::Search(search) => {
                search.findings = None;
                search.preselected = search.preselected.and_then(|frame| remap.frame(frame));
                let query = search.field.text().to_string();
                self.search(query);
            }
            Overlay::Export(export) => {
                let (node, is_same) = remap.node(export.node);
                let takes_all = export.occurrences.takes_all;
                let occurrences = self.occurrences_to_export(node, takes_all);
                match &mut self.overlay {
                    Overlay::Export(export) if is_same => {
                        (export.node, export.occurrences) = (node, occurrences)
                    }
                    _ => self.overlay = Overlay::None,
                }
                self.ask_for_preview();
            }
            // the picker is about the whole recording, and methods are the same in all views of it
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
