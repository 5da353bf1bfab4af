//! Truncated stacks, repaired or as recorded.

use crate::analysis::ReadyView;
use crate::analysis::remap::Correspondence;
use crate::app::{Explorer, messages};
use crate::model::{Amount, ThreadTruncation, Truncation};

/// How truncated stacks are shown, in words of three lengths.
pub struct FormWords {
    pub long: String,
    pub medium: String,
    pub short: &'static str,
}

impl Explorer {
    pub(super) fn toggle_repair(&mut self) {
        if self.view().recording.repaired.is_none() {
            return self.show_message(messages::NOTHING_TO_REPAIR);
        }
        self.change_scope(|scope| scope.is_repaired ^= true)
    }

    pub(super) fn show_other_form(&mut self, view: ReadyView) {
        self.history.other_form = Some(self.lens().view.clone());
        let correspondence = self.show_and_save(view);
        if self.notice.is_none() {
            self.show_form_message(correspondence);
        }
    }

    /// The truncation of the shown threads; `None` if there is nothing to switch.
    fn shown_truncation(&self) -> Option<(&Truncation, ThreadTruncation)> {
        self.view().recording.repaired.as_ref()?;
        let truncation = self.view().truncation.as_ref()?;
        Some((truncation, truncation.total()))
    }

    pub fn form_words(&self) -> Option<FormWords> {
        let (truncation, sum) = self.shown_truncation()?;
        let (truncated, repaired, left) = (sum.truncated, sum.repaired, sum.remaining());
        let metrics = &self.view().recording.metrics;
        let words = |amount: Amount| truncation.words(amount, sum.all, metrics);
        let number = |amount: Amount| truncation.number(amount, sum.all, metrics);
        let is_some = |amount: Amount| truncation.counted(amount) > 0;
        let uncertain = match truncation.counted(sum.depth_uncertain) {
            0 => String::new(),
            _ => messages::uncertain_depth(&number(sum.depth_uncertain)),
        };
        let is_repaired = self.scope().is_repaired;
        let short = match is_repaired {
            true => "repaired",
            false => "as recorded",
        };
        let (long, medium) = match is_repaired {
            _ if self.wanted_scope().is_repaired != is_repaired => {
                let loading = messages::OTHER_FORM_LOADING;
                (loading.into(), loading.into())
            }
            _ if !is_some(truncated) => (
                messages::NOTHING_TRUNCATED_IN_THREADS.into(),
                "nothing truncated".into(),
            ),
            true if is_some(left) => (
                format!("{}{uncertain}, {} left", words(repaired), number(left)),
                format!("{} left", number(left)),
            ),
            true => (
                messages::all_truncated(&words(truncated), &uncertain),
                "all".into(),
            ),
            false => {
                let share = truncation.percent_of(&sum);
                (
                    format!("{} ({share:.1} %) truncated", words(truncated)),
                    format!("{share:.1} % truncated"),
                )
            }
        };
        Some(FormWords {
            long: format!("{short}: {long}"),
            medium: format!("{short}: {medium}"),
            short,
        })
    }

    fn show_form_message(&mut self, correspondence: Correspondence) {
        let Some(FormWords { long, short, .. }) = self.form_words() else {
            return;
        };
        match (correspondence, self.scope().is_repaired) {
            (Correspondence::Same, _) => self.show_message(long),
            (Correspondence::Stack, true) => {
                self.show_message(messages::selected_heaviest_of_stack(&short))
            }
            (Correspondence::Stack, false) => {
                self.show_message(messages::selected_recorded_stack(&short))
            }
            (Correspondence::Caller, _) => {
                self.show_message(messages::selected_nearest_caller(&short))
            }
        }
    }
}
