//! Switching to another view of the recording while the user stays in place.

use super::super::Effect;
use super::super::butterfly_parts::ButterflySubject;
use super::super::dialogs::Overlay;
use super::super::hot_panes::HotspotLists;
use super::super::layout::Pane;
use super::super::outline::{Sort, SortColumn};
use super::super::remap::remapped_pane;
use super::Explorer;
use super::other_form::OtherForm;
use crate::analysis::growth::{Growth, SameFrames};
use crate::analysis::remap::{Likeness, Remap};
use crate::app::messages;
use crate::model::{NodeId, View};
use std::sync::Arc;

impl Explorer {
    /// Shows another profile that was made from the same source, and leaves the user in place: metric (by its name), order,
    /// names, pane, pin, focuses, open rows and the selection stay, the last on its line of the screen. What is not in the new
    /// profile gives way to its nearest caller that is; focuses on it are left.
    ///
    /// Nodes are found by their path of frames, a path in O(depth + siblings on it), and what was open in a bounded number of
    /// steps.
    #[must_use]
    pub fn show(&mut self, view: Arc<View>) -> Vec<Effect> {
        self.exchange(view, None).0
    }

    /// The same for a profile with the same metrics and totals, where it may be known how it was left; and what the selection
    /// is now.
    pub(super) fn exchange(
        &mut self,
        view: Arc<View>,
        left: Option<&OtherForm>,
    ) -> (Vec<Effect>, Likeness) {
        let (old, new) = (Arc::clone(&self.view), Arc::clone(&view));
        self.exchange_by(view, Remap::new(&old, &new), left, None)
    }

    /// The same for what the same steps make of more of the recording, of which the hotspots are known.
    pub(super) fn exchange_grown(
        &mut self,
        view: Arc<View>,
        growth: &Growth,
        hotspots: Arc<HotspotLists>,
    ) -> (Vec<Effect>, Likeness) {
        let (old, new) = (Arc::clone(&self.view), Arc::clone(&view));
        self.exchange_by(view, Remap::grown(&old, &new, growth), None, Some(hotspots))
    }

    /// The same for one half of a page of callers of more of the recording.
    pub(super) fn exchange_renamed(&mut self, view: Arc<View>, frames: &SameFrames) {
        let (old, new) = (Arc::clone(&self.view), Arc::clone(&view));
        let _ = self.exchange_by(view, Remap::renamed(&old, &new, frames), None, None);
    }

    fn exchange_by(
        &mut self,
        view: Arc<View>,
        mut remap: Remap,
        left: Option<&OtherForm>,
        hotspots: Option<Arc<HotspotLists>>,
    ) -> (Vec<Effect>, Likeness) {
        let butterfly = self.butterfly.last().map(|page| page.parts.subject);
        if !self.butterfly.is_empty() {
            // while the selected row is one of the view
            self.butterfly.clear();
            self.set_pane(Pane::Tree);
        }
        let old = std::mem::replace(&mut self.view, view);
        let new = Arc::clone(&self.view);
        self.metric = new
            .recording
            .metric_named(&old.recording.metric(self.metric).name)
            .unwrap_or(new.recording.default_metric);
        self.walk = None;
        self.awaited = None;
        self.samples_of_wide.get_mut().clear();
        let mut sort = self.tree.outline.sort();
        if sort.column == SortColumn::Count && new.recording.metric(self.metric).counts.is_none() {
            sort = Sort::first_of(&new);
        }
        let likeness = self.show_panes(&mut remap, sort, left);
        self.hot.renew(|frame| remap.frame(frame), hotspots);
        let again = butterfly.map(|subject| match subject {
            ButterflySubject::Method { frame, within } => ButterflySubject::Method {
                frame,
                within: remap.node(within).0,
            },
            ButterflySubject::Inverted { within } => ButterflySubject::Inverted {
                within: remap.node(within).0,
            },
        });
        // a method that was left out has no callers
        let again = again.filter(|subject| match *subject {
            ButterflySubject::Method { frame, .. } => new.uncollapsed().occurs(frame),
            ButterflySubject::Inverted { .. } => true,
        });
        let mut effects = self.show_overlay(&mut remap);
        effects.extend(self.refresh());
        effects.extend(
            again
                .into_iter()
                .flat_map(|subject| self.ask_for_butterfly(subject)),
        );
        (effects, likeness)
    }

    /// The tree and the trees that were left by focusing.
    fn show_panes(
        &mut self,
        remap: &mut Remap,
        sort: Sort,
        former: Option<&OtherForm>,
    ) -> Likeness {
        let mut panes = Vec::new();
        let (share, measure) = (self.breadcrumbs.len() + 1, self.measure_below(NodeId::ROOT));
        for shown in self.breadcrumbs.iter().chain([&self.tree]) {
            // what is focused within a focus that is not there is not there either
            let known = |root| former.and_then(|former| former.known(root, shown));
            match remapped_pane(remap, shown, share, measure, sort, known) {
                Some(pane) => panes.push(pane),
                None => break,
            }
        }
        let left = self.breadcrumbs.len() + 1 - panes.len();
        // the whole tree is always there
        let Some((mut tree, mut likeness)) = panes.pop() else {
            return Likeness::Caller;
        };
        let (view, height) = (Arc::clone(&self.view), self.height());
        if left > 0 {
            let nearest = remap.nearest(self.tree.selected, self.metric);
            likeness = nearest.1;
            tree.go_to(&view, nearest.0, height);
            self.say(messages::FOCUS_NOT_IN_TREE);
        }
        (self.tree, self.breadcrumbs) = (tree, panes.into_iter().map(|(pane, _)| pane).collect());
        likeness
    }

    /// A search is asked again; what is about the former view, or a subtree that is not there, closes.
    fn show_overlay(&mut self, remap: &mut Remap) -> Vec<Effect> {
        match &mut self.overlay {
            // its rows have the frames of the former view
            Overlay::Methods(_) => {
                self.overlay = Overlay::None;
                Vec::new()
            }
            Overlay::Page(page) if matches!(page.behind, Overlay::Methods(_)) => {
                page.behind = Overlay::None;
                Vec::new()
            }
            Overlay::Search(search) => {
                search.findings = None;
                search.wanted = search.wanted.and_then(|frame| remap.frame(frame));
                vec![Effect::Search {
                    query: search.field.text().to_string(),
                    metric: self.metric,
                }]
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
                self.ask_for_preview()
            }
            // the picker is about the whole recording, and methods are the same in all views of it
            Overlay::None
            | Overlay::Note(_)
            | Overlay::Threads(_)
            | Overlay::Filter(_)
            | Overlay::List(..)
            | Overlay::Page(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
