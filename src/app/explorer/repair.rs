//! Truncated stacks, repaired or as recorded.

use crate::app::{Explorer, messages};
use crate::model::Amount;

impl Explorer {
    pub(super) fn toggle_repair(&mut self) {
        if self.view().recording.repaired.is_none() {
            return self.show_message(messages::NOTHING_TO_REPAIR);
        }
        self.change_scope(|scope| scope.is_repaired ^= true)
    }

    /// How truncated stacks of the shown threads are shown, in words of three lengths; `None` if there is nothing to switch.
    pub fn form_words(&self) -> Option<[String; 3]> {
        let recording = &self.view().recording;
        recording.repaired.as_ref()?;
        let truncation = self.view().truncation.as_ref()?;
        let sum = truncation.total();
        let words = |amount: Amount| truncation.words(amount, sum.all, &recording.metrics);
        let number = |amount| truncation.number(amount, sum.all, &recording.metrics);
        let uncertain = match truncation.counted(sum.depth_uncertain) {
            0 => String::new(),
            _ => messages::uncertain_depth(&number(sum.depth_uncertain)),
        };
        let is_repaired = self.scope().is_repaired;
        let [long, medium] = if self.wanted_scope().is_repaired != is_repaired {
            [messages::OTHER_FORM_LOADING; 2].map(String::from)
        } else if truncation.counted(sum.truncated) == 0 {
            [messages::NOTHING_TRUNCATED; 2].map(String::from)
        } else if is_repaired {
            let medium = format!("{} left", number(sum.remaining()));
            let long = format!("{}{uncertain}, {medium}", words(sum.repaired));
            [long, medium]
        } else {
            let share = truncation.percent_of(&sum);
            [
                format!("{} ({share:.1} %) truncated", words(sum.truncated)),
                format!("{share:.1} % truncated"),
            ]
        };
        let short = match is_repaired {
            true => "repaired",
            false => "as recorded",
        };
        let with = |words: String| format!("{short}: {words}");
        Some([with(long), with(medium), short.into()])
    }
}
