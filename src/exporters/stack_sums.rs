//! Estimates the size of a file with the whole stack of each node that has a value.

use super::part::Part;
use super::tracks::ExportTrack;
use crate::exporters::messages;
use crate::model::{FrameId, MetricId};
use crate::units::{counted, size};

/// Refuses a file larger than `max_bytes`. A frame takes `frame_bytes`, a stack `stack_bytes` more. O(nodes).
pub(super) fn refusal(
    part: &Part,
    tracks: &[ExportTrack],
    metrics: &[MetricId],
    (frame_bytes, stack_bytes): (impl Fn(FrameId) -> u64, u64),
    max_bytes: u64,
) -> Option<String> {
    let tree = &part.view.tree;
    let (mut stacks, mut bytes, mut open) = (0, 0u64, 0u64);
    for track in tracks {
        let walked = track.walk(tree, |node, enters| {
            let frame = frame_bytes(tree.frame(node));
            if !enters {
                open = open.saturating_sub(frame);
                return Ok(());
            }
            open = open.saturating_add(frame);
            if part.has_stack(node, metrics) {
                stacks += 1;
                bytes = bytes.saturating_add(open).saturating_add(stack_bytes);
            }
            Ok(())
        });
        assert!(walked.is_ok(), "nothing above fails");
    }
    let stacks = counted(stacks, "stack");
    let refusal = messages::stacks_too_large(&stacks, &size(bytes), &size(max_bytes));
    (bytes > max_bytes).then_some(refusal)
}
