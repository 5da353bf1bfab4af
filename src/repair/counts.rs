//! What was found in a trace, and what was done about it.

use crate::repair::messages;
use crate::units::{counted, thousands};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// At how many frames stacks were cut; `None` if none was.
    pub limit: Option<u32>,
    /// How many truncated stacks there are, each counted for every time that a thread was in it.
    pub truncated: u64,
    /// For how many of these the callers were found.
    pub repaired: u64,
    /// Of those repaired, for how many the depth is uncertain, because their callers recur.
    pub depth_uncertain: u64,
    /// Why threads are left as they are though some of their stacks may be truncated: a reason for each.
    pub odd: Vec<&'static str>,
}

/// What was done while a file was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// How many spans were joined.
    pub joined: u64,
    /// How many events were moved by less than a nanosecond, so that ends and begins are told apart.
    pub moved: u64,
}

impl Counts {
    /// What is done, in a sentence.
    pub fn sentence(&self, Rewritten { joined, moved }: Rewritten) -> String {
        let apart = match moved {
            0 => String::new(),
            many => messages::events_moved(&counted(many, "event")),
        };
        let Some(limit) = self.limit else {
            let of = if self.odd.is_empty() {
                ""
            } else {
                messages::OTHER_THREADS
            };
            let but = if moved == 0 { "" } else { ", but for times" };
            return messages::nothing_truncated(&of, &but, &apart);
        };
        let uncertain = match self.depth_uncertain {
            0 => String::new(),
            many => messages::of_uncertain_depth(&thousands(many)),
        };
        messages::repair_summary(
            &counted(self.truncated, "stack"),
            &limit,
            &thousands(self.repaired),
            &uncertain,
            &thousands(self.truncated.saturating_sub(self.repaired)),
            &counted(joined, "span"),
            &apart,
        )
    }
}
