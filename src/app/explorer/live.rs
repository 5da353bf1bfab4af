//! A recording in progress: the view grows with it, and the user's place is kept.

use super::History;
use crate::analysis::growth::MatchedFrames;
use crate::analysis::remap::Remap;
use crate::app::live::Live;
use crate::app::panels::Walk;
use crate::app::{
    AnyPanel, ButterflyParts, Effect, Explorer, LiveStatus, OpenedCallers, Overlay, Page,
    TreePanel, UpdateRequest, UpdatedView, messages,
};
use std::sync::Arc;

impl Explorer {
    pub fn receive_live(&mut self, now: LiveStatus) {
        let live = self.live.get_or_insert_with(|| Live {
            shown: now,
            ..Live::default()
        });
        live.now = now;
        let is_new = now.is_over || now.bytes != live.shown.bytes;
        if live.requested.is_some() || !is_new || !self.may_grow() {
            return;
        }
        if let Some(live) = &mut self.live {
            live.requested = Some(now);
        }
        let butterfly = self.page().subject().zip(self.opened_callers());
        self.ask(Effect::UpdateView(UpdateRequest {
            scope: self.hot_scope(),
            measure: self.measure(),
            butterfly,
        }));
    }

    fn may_grow(&self) -> bool {
        let is_frozen = self.live.as_ref().is_none_or(|live| live.is_frozen);
        !is_frozen && !self.is_held()
    }

    fn opened_callers(&self) -> Option<Vec<OpenedCallers>> {
        let callers = self.top_page()?.first::<TreePanel>()?;
        Some(callers.opened.clone())
    }

    fn is_held(&self) -> bool {
        // pages that were left belong to the view that they were built from
        !matches!(self.overlay, Overlay::None)
            || self.pending.view.is_some()
            || self.pages.len() > 2
    }

    /// An answer requested before the view changed is dropped; the next one is for the new view.
    pub fn receive_updated_view(&mut self, result: Result<Box<UpdatedView>, String>) {
        let Some(live) = &mut self.live else {
            return;
        };
        let requested = live.requested.take();
        let updated_view = match result {
            Ok(updated_view) => updated_view,
            Err(sentence) => {
                if live.now.is_over {
                    self.live = None;
                }
                self.fail(sentence);
                return;
            }
        };
        let butterfly = updated_view.butterfly.as_ref();
        let opened = butterfly.map(|(_, _, opened)| opened.len());
        let is_old = opened != self.opened_callers().map(|opened| opened.len());
        if is_old || !Arc::ptr_eq(&updated_view.of, self.view()) || !self.may_grow() {
            return;
        }
        if let (Some(live), Some(requested)) = (&mut self.live, requested) {
            live.shown = requested;
        }
        self.grow(*updated_view)
    }

    fn grow(&mut self, updated_view: UpdatedView) {
        let UpdatedView {
            of,
            whole,
            shown,
            growth,
            hotspots,
            butterfly,
            end,
        } = updated_view;
        let page = self.pages.pop_if(|page| page.parts.is_some());
        let (notice, walk) = (self.notice.take(), self.tree_mut().walk.take());
        self.whole = whole;
        let choices = self.history.threads.iter();
        let grown = |choice| growth.frames.thread_choice(choice, &self.whole.recording);
        // the rest contains nodes whose ids may have changed
        self.history = History {
            merging: self.history.merging,
            threads: choices.map(grown).collect(),
            ..History::default()
        };
        for (scope, _) in &mut self.time.range_history {
            *scope = growth.frames.scope(scope, &self.whole.recording);
        }
        // at first there may be too little data for the preferred metric
        let is_default = self.lens().metric == of.recording.default_metric;
        let is_at_top = self.tree().shown.is_at_top(&of);
        self.exchange_grown(&shown, &growth, hotspots);
        let metric = shown.recording.default_metric;
        if is_default && self.lens().metric != metric {
            self.tree_mut().show_metric(metric);
            self.refresh();
        }
        if is_at_top {
            // hotter rows may have appeared above the selection
            let height = self.tree().height();
            self.tree_mut().shown.stay_at_top(&shown, height);
        }
        let mut remap = Remap::grown(&of, &shown, &growth);
        self.tree_mut().walk = walk.and_then(|walk| {
            let frame = remap.frame(walk.frame)?;
            let (node, is_same) = remap.node(walk.node);
            is_same.then_some(Walk { frame, node })
        });
        if let (Some(mut page), Some((_, parts, opened))) = (page, butterfly) {
            page.grow(parts, opened, &growth.frames);
            self.pages.push(page);
            self.refresh();
        }
        match end {
            Some(end) => {
                self.live = None;
                self.show_message(end);
            }
            None => self.notice = self.notice.take().or(notice),
        }
    }

    pub(super) fn toggle_freeze(&mut self) {
        let Some(live) = &mut self.live else {
            return self.show_message(messages::NOT_RECORDING);
        };
        live.is_frozen = !live.is_frozen;
        let is_frozen = live.is_frozen;
        self.show_message(if is_frozen {
            messages::FROZEN
        } else {
            "live again"
        });
    }

    /// The first time, a message asks to call it again. Returns whether there is a recording.
    pub(super) fn quit_live(&mut self, is_urgent: bool) -> bool {
        let Some(live) = self.live.as_mut().filter(|live| !live.now.is_over) else {
            return false;
        };
        let is_confirmed = is_urgent || live.asks_to_stop;
        if is_confirmed {
            (live.is_stopping, live.is_frozen, live.asks_to_stop) = (true, false, false);
            self.show_message(messages::STOPPING);
            self.ask(Effect::StopRecording);
            return true;
        }
        live.asks_to_stop = true;
        let sentence = match (live.is_stopping, live.now.quits_at_end) {
            (true, _) => messages::NAMES_STILL_TO_COME,
            (false, true) => messages::QUIT_AGAIN_QUITS,
            (false, false) => messages::QUIT_AGAIN_SHOWS_ALL,
        };
        self.show_message(sentence);
        true
    }

    pub fn is_live(&self) -> bool {
        self.live.is_some()
    }

    /// `live 12 s · 48,310 samples`, `frozen at 9 s · 40,112 samples`.
    pub fn live_words(&self) -> Option<String> {
        let live = self.live.as_ref()?;
        let (now, shown) = (live.now.words(), live.shown.words());
        let is_over = live.now.is_over;
        Some(match (live.is_frozen, live.is_stopping) {
            (true, _) if is_over => messages::recording_over_while_frozen(&shown),
            (true, _) => format!("frozen at {shown}"),
            (false, _) if is_over => format!("recorded {now}"),
            (false, true) => format!("stopping, {now}"),
            (false, false) if self.is_held() => format!("held at {shown}"),
            (false, false) => format!("live {now}"),
        })
    }
}

impl Page {
    fn grow(
        &mut self,
        parts: Arc<ButterflyParts>,
        opened: Vec<OpenedCallers>,
        frames: &MatchedFrames,
    ) {
        let views = std::iter::once(&parts.callers).chain(&parts.callees);
        for (panel, view) in self.panels.iter_mut().zip(views) {
            if let AnyPanel::Tree(panel) = panel {
                let old = Arc::clone(&panel.lens.view);
                let mut remap = Remap::renamed(&old, view, frames);
                panel.exchange(&mut remap, view, None);
            }
        }
        if let Some(callers) = self.first_mut::<TreePanel>() {
            callers.set_opened(opened);
        }
        self.set_parts(parts);
    }
}
