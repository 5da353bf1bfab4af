//! What the explorer is waiting for.

use crate::app::{Effect, Explorer, JobKind, Message, Overlay, PageOrigin, messages};
use crate::model::ViewSpec;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Pending {
    pub effects: Vec<Effect>,
    pub view: Option<Effect>,
    /// What the requested page returns to, if not to what is shown now.
    pub page_origin: Option<PageOrigin>,
    pub row: usize,
    pub percent: Option<u8>,
    pub file: Option<String>,
    pub notes: usize,
    pub quits_when_written: bool,
}

impl Pending {
    pub(super) fn is_writing(&self) -> bool {
        self.file.is_some() || self.notes > 0
    }
}

impl Explorer {
    pub(super) fn ask(&mut self, effect: Effect) {
        self.pending.effects.push(effect);
    }

    #[must_use]
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.pending.effects)
    }

    pub fn is_awaiting_view(&self) -> bool {
        self.pending.view.is_some()
    }

    pub fn awaited_steps(&self) -> Option<&ViewSpec> {
        match &self.pending.view {
            Some(Effect::Show(steps)) => Some(steps),
            _ => None,
        }
    }

    pub fn progress_percent(&self) -> Option<u8> {
        self.pending.percent.filter(|_| self.is_awaiting_view())
    }

    pub(in crate::app) fn receive(&mut self, message: Message) {
        match message {
            // handles of a view that is no longer shown mean nothing
            Message::Hotspots(of, _)
            | Message::Found(of, _)
            | Message::Methods(of, ..)
            | Message::Waits(of, ..)
            | Message::Time(of, _)
            | Message::Chart(of, ..)
            | Message::CallerTree(of, ..)
            | Message::Callers(of, ..)
                if !Arc::ptr_eq(&of, self.view()) => {}
            Message::Opened(metric, waiting) => self.open_where_time_goes(metric, waiting),
            Message::Hotspots(_, lists) => self.receive_hotspots(lists),
            Message::Found(_, findings) => self.receive_findings(findings),
            Message::Methods(_, sums) => self.receive_methods(sums),
            Message::Time(_, result) => {
                self.time.receive(result);
                self.refresh();
            }
            Message::Chart(_, lane, result) => self.receive_chart(&lane, result),
            Message::Waits(_, within, waits) => self.receive_waits(within, waits),
            Message::CallerTree(_, parts) => self.receive_page(parts),
            Message::Callers(_, subject, view) => self.receive_callers(subject, &view),
            Message::Shown(steps, view) => self.receive_view(steps, view),
            Message::Live(now) => self.receive_live(now),
            Message::UpdatedView(result) => self.receive_updated_view(result),
            Message::Exported(file, result) => self.receive_export(file, result),
            Message::Reported(order, purpose, result) => {
                self.receive_report(&order, purpose, result)
            }
            Message::Working(percent) => self.pending.percent = Some(percent),
            Message::From(from) => self.from = from,
            Message::Noted(notes) => self.receive_notes(&notes),
            Message::Failed(effect, why) => self.receive_failure(&effect, why),
            Message::Progress(_) | Message::Loaded(..) => {}
        }
    }

    pub(super) fn wait_for(&mut self, effect: Effect) {
        (self.pending.view, self.pending.percent) = (Some(effect.clone()), None);
        (self.pending.page_origin, self.pending.row) = (None, 0);
        self.ask(effect);
    }

    /// Returns whether the explorer was waiting for it. Lists and pages don't open below a dialog.
    pub(super) fn is_answered(&mut self, awaited: &Effect) -> bool {
        let is_view = matches!(awaited, Effect::Show(_));
        self.was_awaited(awaited) && (is_view || matches!(self.overlay, Overlay::None))
    }

    fn was_awaited(&mut self, effect: &Effect) -> bool {
        self.pending.view.take_if(|now| now == effect).is_some()
    }

    pub fn receive_failure(&mut self, effect: &Effect, why: String) {
        match effect {
            Effect::OpenCallers { subject, .. } => self.forget_callers(*subject),
            Effect::Export { .. } => self.pending.file = None,
            Effect::Note { .. } => {
                self.pending.notes = self.pending.notes.saturating_sub(1);
                self.pending.quits_when_written = false;
            }
            // the user has asked for something else since
            _ if effect.job_kind() == Some(JobKind::View) && !self.was_awaited(effect) => return,
            _ => {}
        }
        self.fail(why);
    }

    /// Returns whether there was a pending request.
    pub(super) fn cancel_pending(&mut self) -> bool {
        let was_waiting = self.pending.view.take().is_some();
        if was_waiting {
            self.show_message(messages::CANCELLED);
            self.ask(Effect::CancelView);
        }
        was_waiting
    }
}
