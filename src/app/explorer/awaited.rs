//! What the explorer is waiting for.

use crate::app::{Effect, Explorer, JobKind, Overlay, PageOrigin, messages};
use crate::model::ViewSpec;

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
        if let Some(Effect::Show(steps)) = &self.pending.view {
            Some(steps)
        } else {
            None
        }
    }

    pub fn progress_percent(&self) -> Option<u8> {
        self.pending.percent.filter(|_| self.is_awaiting_view())
    }

    pub fn receive_progress(&mut self, percent: u8) {
        self.pending.percent = Some(percent);
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

    pub(super) fn give_up(&mut self) -> bool {
        let was_waiting = self.pending.view.take().is_some();
        if was_waiting {
            self.show_message(messages::CANCELLED);
            self.ask(Effect::GiveUp);
        }
        was_waiting
    }
}
