//! Truncated stacks, repaired or as recorded.

use crate::analysis::ReadyView;
use crate::analysis::remap::Correspondence;
use crate::app::remap::{SavedRows, SavedView};
use crate::app::{Explorer, TreePane, messages};
use crate::model::{Amount, ThreadTruncation, Truncation, ViewSpec};

/// How truncated stacks are shown, in three lengths.
pub struct FormWords {
    /// With all numbers.
    pub long: String,
    /// With one of them.
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

    pub(super) fn available_other_form(&self, steps: &ViewSpec) -> Option<ReadyView> {
        let other = self.history.other_form.as_ref();
        let other = other.filter(|other| other.view.steps == *steps);
        other.map(|other| other.view.clone())
    }

    /// Remembers how the view was left.
    pub(super) fn show_other_form(&mut self, view: ReadyView) {
        let came_from = self.history.other_form.take();
        let (left, panes) = (self.lens().view.clone(), self.panes());
        let came_from = came_from.filter(|other| other.view.steps == view.steps);
        let correspondence = self.exchange(view, came_from.as_ref().map(|other| &other.rows));
        let panes_instead = self.panes();
        self.history.other_form = Some(SavedView {
            view: left,
            rows: SavedRows {
                panes,
                panes_instead,
            },
        });
        if self.notice.is_none() {
            self.show_form_message(correspondence);
        }
    }

    /// The panes, outermost first; the last one is shown.
    pub(super) fn panes(&self) -> Vec<TreePane> {
        self.tree().panes().cloned().collect()
    }

    /// The truncation of the shown threads; `None` if there is nothing to switch.
    fn shown_truncation(&self) -> Option<(&Truncation, ThreadTruncation)> {
        self.view().recording.repaired.as_ref()?;
        let truncation = self.view().truncation.as_ref()?;
        Some((truncation, truncation.total()))
    }

    /// `None` for profiles without truncated stacks.
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

    /// Shows a message with the new form, or that the selection could not be kept.
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
