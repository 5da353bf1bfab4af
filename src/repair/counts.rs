//! What was found in a trace, and what was done about it.

use crate::model::format::{counted, thousands};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// At how many frames stacks were cut; `None` if none was.
    pub limit: Option<u32>,
    /// How many truncated stretches there are: times in which a thread has one stack.
    pub truncated: u64,
    /// For how many of these the callers were found.
    pub mended: u64,
    /// Of the mended, for how many the depth is uncertain, because their callers recur.
    pub depth_uncertain: u64,
    /// Why threads are left as they are though some of their stacks may be truncated: a reason for each.
    pub odd: Vec<&'static str>,
}

impl Counts {
    /// What is done, in a sentence, where so many spans were joined.
    pub fn sentence(&self, joined: u64) -> String {
        let Some(limit) = self.limit else {
            let of = if self.odd.is_empty() { "" } else { " of the other threads" };
            return format!("no stack{of} is truncated: the trace is written as it is");
        };
        let stretches = if self.truncated == 1 { "stretch" } else { "stretches" };
        let uncertain = match self.depth_uncertain {
            0 => String::new(),
            many => format!(" ({} within recursion, at a depth that is not certain)", thousands(many)),
        };
        format!(
            "{} {stretches} truncated at {limit} frames: {} mended{uncertain}, {} left as they are; {} joined",
            thousands(self.truncated),
            thousands(self.mended),
            thousands(self.truncated.saturating_sub(self.mended)),
            counted(joined, "span"),
        )
    }
}
