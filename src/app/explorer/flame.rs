//! The flame graph and the call tree: they share root and selection.

use crate::app::{AnyPanel, Explorer, FlamePanel, Lens, Page, Split, messages};
use crate::model::FrameId;
use std::sync::Arc;

const MIN_WIDTH_WITH_SIDE_FLAME: u16 = 160;

impl Explorer {
    pub fn has_flame(&self) -> bool {
        self.page().first::<FlamePanel>().is_some()
    }

    pub(super) fn open_flame(&mut self) {
        if self.has_chart() {
            return self.show_message(messages::ALREADY_SHOWN);
        }
        let (root, subject) = (self.tree().shown.root(), self.subject());
        let is_within = self.view().tree.contains(root, subject);
        let selected = if is_within { subject } else { root };
        let mut panel = FlamePanel::new(self.lens().clone(), root, selected);
        panel.seen = (root, self.tree().shown.selected);
        let page = Page::alone(AnyPanel::Flame(Box::new(panel)));
        self.open(self.page_origin(), page);
    }

    pub(super) fn toggle_side_flame(&mut self) {
        if self.layout.screen.width < MIN_WIDTH_WITH_SIDE_FLAME {
            return self.show_message(messages::SIDE_FLAME_NEEDS_ROOM);
        }
        if self.lens().is_comparison() {
            return self.show_message(messages::NO_SIDE_FLAME_IN_COMPARISON);
        }
        self.settings.shows_side_flame ^= true;
    }

    pub(super) fn refresh_side_panels(&mut self) {
        let has_room = self.layout.screen.width >= MIN_WIDTH_WITH_SIDE_FLAME;
        let is_wanted = self.settings.shows_side_flame && has_room;
        let root = self.tree_scope();
        let lens = Lens {
            counts_waiting: Some(self.measure().counts_waiting),
            ..self.lens().clone()
        };
        match (self.pages[0].panels.get_mut(1), is_wanted) {
            (Some(AnyPanel::Flame(panel)), true) => {
                let is_new = !Arc::ptr_eq(&panel.lens.view, &lens.view);
                panel.frames.highlights.take_if(|_| is_new);
                panel.lens = lens;
                if is_new || panel.root != root {
                    panel.show(root, root);
                }
            }
            (_, true) => {
                let panel = FlamePanel::new(lens, root, root);
                self.pages[0].set_others(Split::Flame, [AnyPanel::Flame(Box::new(panel))]);
            }
            (Some(AnyPanel::Flame(_)), false) => {
                self.pages[0].set_hotspots();
            }
            (_, false) => {}
        }
    }

    /// O(depth) if it has changed.
    pub(super) fn sync_tree(&mut self) {
        let selected = match self.page().panels.first() {
            Some(AnyPanel::Flame(panel)) => Some(panel.selected),
            Some(AnyPanel::Chart(panel)) => panel.selected_node(),
            _ => None,
        };
        let Some(selected) = selected else { return };
        let tree = self.tree_mut();
        if tree.shown.selected != selected {
            tree.go_to(selected);
        }
        let root = tree.shown.root();
        if let Some(panel) = self.page_mut().first_mut::<FlamePanel>() {
            panel.seen = (root, selected);
        }
    }

    pub(super) fn sync_flame(&mut self) {
        let (root, selected) = (self.tree().shown.root(), self.tree().shown.selected);
        if let Some(panel) = self.page_mut().first_mut::<FlamePanel>()
            && panel.seen != (root, selected)
        {
            panel.show(root, selected);
        }
    }

    /// The methods whose names contain all words of a search, or else those that were found.
    pub(super) fn highlight(&mut self, query: &str, found: &[FrameId]) {
        let words: Vec<String> = query
            .split(' ')
            .map(|word| word.trim_matches(['\'', '^', '$']).to_lowercase())
            .filter(|word| !word.is_empty())
            .collect();
        let (view, frames) = (self.view(), &self.view().frames);
        let has_words = |name: &str| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word.as_str()))
        };
        let highlights = frames.iter().map(|(id, frame)| {
            let is_method = frame.kind.is_code() && view.occurs(id);
            is_method && has_words(frames.display_name(id))
        });
        let mut highlights: Vec<bool> = highlights.collect();
        if !highlights.contains(&true) {
            found
                .iter()
                .for_each(|frame| highlights[frame.index()] = true);
        }
        self.show_highlights(query.to_string(), highlights);
    }

    pub(super) fn highlight_method(&mut self, frame: FrameId) {
        let frames = &self.view().frames;
        let mut highlights = vec![false; frames.len()];
        highlights[frame.index()] = true;
        self.show_highlights(frames.list_name(frame).into_owned(), highlights);
    }

    pub(super) fn show_highlights(&mut self, query: String, highlights: Vec<bool>) {
        match self.page_mut().panels.first_mut() {
            Some(AnyPanel::Flame(panel)) => panel.highlight(query, highlights),
            Some(AnyPanel::Chart(panel)) => panel.highlight(query, highlights),
            _ => {}
        }
    }

    pub(super) fn clear_highlights(&mut self) -> bool {
        match self.page_mut().panels.first_mut() {
            Some(AnyPanel::Flame(panel)) => panel.frames.highlights.take().is_some(),
            Some(AnyPanel::Chart(panel)) => panel.frames.highlights.take().is_some(),
            _ => false,
        }
    }
}
