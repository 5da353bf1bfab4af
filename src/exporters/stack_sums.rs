//! Estimates the size of a file with the whole stack of each node that has a value.

use super::part::Part;
use super::tracks::ExportTrack;
use crate::exporters::messages;
use crate::model::{FrameId, MetricId};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StackSums {
    pub stacks: u64,
    pub bytes: u64,
}

impl StackSums {
    /// Adds a track's stacks; a frame takes `size` bytes. O(nodes).
    pub(super) fn add(
        &mut self,
        part: &Part,
        track: &ExportTrack,
        metrics: &[MetricId],
        size: impl Fn(FrameId) -> u64,
    ) {
        let tree = &part.view.tree;
        let mut open = 0u64;
        let walked = track.walk(tree, |node, enters| {
            let size = size(tree.frame(node));
            if !enters {
                open = open.saturating_sub(size);
                return Ok(());
            }
            open = open.saturating_add(size);
            if part.has_stack(node, metrics) {
                self.stacks += 1;
                self.bytes = self.bytes.saturating_add(open);
            }
            Ok(())
        });
        debug_assert!(walked.is_ok(), "nothing above fails");
    }
}

pub(super) fn refusal(sums: StackSums, max_bytes: u64) -> Option<String> {
    use crate::units::{counted, size};
    let (stacks, bytes) = (counted(sums.stacks, "stack"), size(sums.bytes));
    let refusal = messages::stacks_too_large(&stacks, &bytes, &size(max_bytes));
    (sums.bytes > max_bytes).then_some(refusal)
}
