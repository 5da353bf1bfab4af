//! Switching to another view of the recording while the user stays in place.

use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::analysis::remap::{Correspondence, Remap};
use crate::app::remap::SavedRows;
use crate::app::{AnyPanel, Explorer, HotspotLists, Overlay, PageOrigin, messages};
use std::sync::Arc;

impl Explorer {
    /// Shows another profile made from the same source, and keeps the user's place: metric (by name), order, names, panel, pin,
    /// focuses, open rows and selection, the last on the same line of the screen. What the new profile lacks is replaced by
    /// its nearest caller; focuses on it are left.
    ///
    /// Nodes are found by their path of frames, each in O(depth + siblings along it), and open rows in a bounded number of
    /// steps.
    pub fn show(&mut self, view: ReadyView) {
        self.exchange(view, None);
    }

    /// Like `show`, for a view with the same metrics and totals; `left` is the state in which that view was left, if
    /// known. Returns how well the selection was restored.
    pub(super) fn exchange(&mut self, view: ReadyView, left: Option<&SavedRows>) -> Correspondence {
        let old = Arc::clone(self.view());
        self.exchange_by(&view, Remap::new(&old, &view), left, None)
    }

    /// Like `exchange`, for the same steps on a longer recording, with its hotspots.
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
        let chart = self.former_chart();
        let flame = self.former_flame();
        let lanes = self.former_lanes();
        let waits = match self.page().focused() {
            AnyPanel::Waits(panel) => Some(panel.cursor.selected),
            _ => None,
        };
        if self.upper_page().is_some() {
            // if the selected row is one of the view
            self.leave_pages();
        }
        self.pending.view = None;
        let (correspondence, leaves_focus) = self.tree_mut().exchange(&mut remap, view, left);
        if leaves_focus {
            self.say(messages::FOCUS_NOT_IN_TREE);
        }
        for panel in &mut self.pages[0].panels[1..] {
            panel.get_mut().remap(&mut remap, view);
        }
        self.hot.renew(hotspots);
        let again = subject.and_then(|subject| subject.remapped(&mut remap));
        // a method that was left out has no callers
        let occurs = |frame| view.uncollapsed().occurs(frame);
        let again = again.filter(|subject| subject.method.is_none_or(occurs));
        self.show_overlay(&mut remap);
        self.refresh();
        if let Some(flame) = flame {
            self.open_flame_again(flame, &mut remap);
        }
        if let Some(lanes) = lanes {
            self.open_lanes_again(lanes, &mut remap);
        }
        if let Some(chart) = chart {
            self.open_chart_again(chart);
        }
        if let Some(row) = waits {
            self.ask_for_waits();
            self.pending.row = row;
        }
        if let Some(subject) = again {
            let listed = origin.listed.and_then(|frame| remap.frame(frame));
            self.ask_for_callers(subject);
            self.pending.page_origin = Some(PageOrigin { listed, ..origin });
        }
        correspondence
    }

    /// Repeats a search; closes what is about the former view, or a subtree that no longer exists.
    fn show_overlay(&mut self, remap: &mut Remap) {
        match &mut self.overlay {
            // its rows have the frames of the former view
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
