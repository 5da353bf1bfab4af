//! Switching to another view of the recording while the user stays in place.

use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::analysis::remap::{Correspondence, Remap};
use crate::app::remap::SavedRows;
use crate::app::{AnyPanel, Explorer, HotspotLists, Overlay, Page, PageOrigin, TreePane, messages};
use crate::model::FrameId;
use std::sync::Arc;

const MAX_SAVED_ROWS: usize = 32;

impl Explorer {
    /// Shows another view of the same source and keeps the user's place. What the view lacks is replaced by its nearest
    /// caller; focuses on it are left. Nodes are found by their frames in O(depth + siblings along the path), and open
    /// rows in a bounded number of steps.
    pub fn show(&mut self, view: ReadyView) {
        self.exchange(view, None);
    }

    /// `left` is the state in which the view was left, if known. Returns how well the selection was restored.
    pub(super) fn exchange(&mut self, view: ReadyView, left: Option<&SavedRows>) -> Correspondence {
        let old = Arc::clone(self.view());
        self.exchange_by(&view, Remap::new(&old, &view), left, None)
    }

    /// Shows another form or time range as it was left, or a new range with the hot path open if nothing else is. Saves
    /// how the current view is left.
    pub(super) fn show_and_save(&mut self, view: ReadyView) -> Correspondence {
        let (left, shown) = (self.view().steps.clone(), view.steps.clone());
        let panes: Vec<TreePane> = self.tree().panes().cloned().collect();
        let saved = &mut self.history.saved_rows;
        let at = saved.iter().rposition(|rows| rows.steps == shown);
        let mut former = at.map(|at| saved.remove(at));
        if let Some(former) = former.as_mut().filter(|rows| rows.steps_instead != left) {
            former.panes_instead.clone_from(&panes);
        }
        let is_new_range = former.is_none() && left.scope.range != shown.scope.range;
        let tree = self.tree();
        let is_at_root = tree.shown.selected == tree.shown.root();
        let opens_hot_path = is_new_range && is_at_root && tree.shows_hot_path_alone();
        let correspondence = self.exchange(view, former.as_ref());
        if opens_hot_path {
            self.tree_mut().show_hot_path_alone();
        }
        let panes_instead = self.tree().panes().cloned().collect();
        let saved = &mut self.history.saved_rows;
        saved.push(SavedRows {
            steps: left,
            panes,
            steps_instead: shown,
            panes_instead,
        });
        saved.drain(..saved.len().saturating_sub(MAX_SAVED_ROWS));
        correspondence
    }

    /// Shows the same steps on a longer recording, with its hotspots.
    pub(super) fn exchange_grown(
        &mut self,
        view: &ReadyView,
        growth: &Growth,
        hotspots: Arc<HotspotLists>,
    ) {
        let old = Arc::clone(self.view());
        let remap = Remap::grown(&old, view, growth);
        self.exchange_by(view, remap, None, Some(hotspots));
    }

    fn exchange_by(
        &mut self,
        view: &ReadyView,
        mut remap: Remap,
        left: Option<&SavedRows>,
        hotspots: Option<Arc<HotspotLists>>,
    ) -> Correspondence {
        let subject = self.page().subject();
        let origin = self.page().origin;
        let former = self.take_pages();
        self.pending.view = None;
        let (correspondence, leaves_focus) = self.tree_mut().exchange(&mut remap, view, left);
        if leaves_focus {
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
        correspondence
    }

    /// Leaves the pages over the call tree. Returns those to reopen: the last flame graph, and on top of it the
    /// timeline or the waits, and the flame chart.
    fn take_pages(&mut self) -> impl Iterator<Item = Page> + use<> {
        let chart = self
            .pages
            .pop_if(|page| matches!(page.panels[0], AnyPanel::Chart(_)));
        self.sync_tree();
        let is_list = |panel: &AnyPanel| matches!(panel, AnyPanel::Lanes(_) | AnyPanel::Waits(_));
        let list = self.pages.pop_if(|page| is_list(&page.panels[0]));
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
                self.open_lanes_as(&former, origin);
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

    /// Repeats a search; closes what is about the previous view.
    fn show_overlay(&mut self, remap: &mut Remap) {
        match &mut self.overlay {
            // its rows have the frames of the previous view
            Overlay::Methods(_) => self.overlay = Overlay::None,
            Overlay::Command(prompt) if matches!(prompt.behind, Overlay::Methods(_)) => {
                prompt.behind = Overlay::None;
            }
            Overlay::Page(page) if matches!(page.behind, Overlay::Methods(_)) => {
                page.behind = Overlay::None;
            }
            Overlay::Search(search) => {
                search.findings = None;
                search.wanted = search.wanted.and_then(|frame| remap.frame(frame));
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
            Overlay::None
            | Overlay::Command(_)
            | Overlay::Note(_)
            | Overlay::Threads(_)
            | Overlay::Filter(_)
            | Overlay::List(..)
            | Overlay::Page(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
