//! What was found in a trace, and what was done about it.

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
            many => {
                format!(
                    "; {} moved by less than 1 ns, so that ends and begins are told apart",
                    counted(many, "event")
                )
            }
        };
        let Some(limit) = self.limit else {
            let of = if self.odd.is_empty() {
                ""
            } else {
                " of the other threads"
            };
            let but = if moved == 0 { "" } else { ", but for times" };
            return format!("no stack{of} is truncated: the trace is written as it is{but}{apart}");
        };
        let uncertain = match self.depth_uncertain {
            0 => String::new(),
            many => format!(
                " ({} within recursion, at an uncertain depth)",
                thousands(many)
            ),
        };
        format!(
            "{} truncated at {limit} frames: {} repaired{uncertain}, {} left as they are; {} joined{apart}",
            counted(self.truncated, "stack"),
            thousands(self.repaired),
            thousands(self.truncated.saturating_sub(self.repaired)),
            counted(joined, "span"),
        )
    }
}
