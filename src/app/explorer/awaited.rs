//! The pending request for another view.

use super::super::Effect;
use super::Explorer;
use crate::app::messages;
use crate::model::ViewSpec;

impl Explorer {
    /// Asks the environment for something.
    pub(super) fn ask(&mut self, effect: Effect) {
        self.pending.effects.push(effect);
    }

    /// What the environment is to be asked for.
    #[must_use]
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.pending.effects)
    }

    /// Whether another view is made.
    pub fn is_awaiting_view(&self) -> bool {
        self.pending.view.is_some()
    }

    /// Whether another view of the recording is made.
    pub fn is_awaiting_steps(&self) -> bool {
        self.awaited_steps().is_some()
    }

    /// The steps of the view that was asked for.
    pub(super) fn awaited_steps(&self) -> Option<&ViewSpec> {
        if let Some(Effect::Show(steps)) = &self.pending.view {
            Some(steps)
        } else {
            None
        }
    }

    /// How far the other view is, in percent, once that has taken a while.
    pub fn progress_percent(&self) -> Option<u8> {
        self.pending.percent.filter(|_| self.is_awaiting_view())
    }

    /// Accepts the progress of the other view.
    pub fn receive_progress(&mut self, percent: u8) {
        self.pending.percent = Some(percent);
    }

    /// Waits for this, and for nothing else any more.
    pub(super) fn wait_for(&mut self, effect: Effect) {
        if !matches!(effect, Effect::Show(_)) {
            self.follows.time.settle_ranges(false);
        }
        (self.pending.view, self.pending.percent) = (Some(effect.clone()), None);
        (self.pending.page_origin, self.pending.row) = (None, 0);
        self.ask(effect);
    }

    /// Ends the wait if this is what is awaited; returns whether it was.
    pub(super) fn is_answered(&mut self, awaited: &Effect) -> bool {
        self.pending.view.take_if(|now| now == awaited).is_some()
    }

    /// Gives up what is awaited, and says whether anything is.
    pub(super) fn give_up(&mut self) -> bool {
        let Some(awaited) = self.pending.view.take() else {
            return false;
        };
        self.follows.time.settle_ranges(false);
        self.say(match awaited {
            Effect::Show(steps) if steps.scope.threads != self.scope().threads => {
                messages::CANCELLED_THREADS
            }
            Effect::Show(steps) if steps.scope.is_repaired != self.scope().is_repaired => {
                messages::CANCELLED_REPAIR
            }
            Effect::Show(_) => messages::CANCELLED_CHANGE,
            _ => messages::CANCELLED_VIEW,
        });
        self.ask(Effect::GiveUp);
        true
    }
}
