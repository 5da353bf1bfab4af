//! Finds a node of a truncated stack where the stack is repaired, and vice versa.

use super::Remap;
use crate::analysis::occurrences_within;
use crate::model::{FrameId, MetricId, NodeId, View};

/// The maximum number of nodes visited, so that deep recursions don't delay key presses.
const STACK_STEPS: usize = 400_000;

impl Remap<'_> {
    /// The place of an old node's stack: in the same thread, with the same callers as far as both know them. If the
    /// old stack is truncated, all of its frames must match; otherwise, all that the new one has below a marker. Of
    /// several, the one that can hold most of the value, then the one with most callers.
    pub(super) fn node_by_stack(&mut self, old: NodeId, metric: MetricId) -> Option<NodeId> {
        let thread = self.old.thread_of(old)?.node;
        let (new_thread, true) = self.node(thread) else {
            return None;
        };
        let (frames, is_truncated) = self.stack(old, thread)?;
        let markers = markers(self.new, new_thread);
        let name = &self.new.recording.metric(metric).name;
        let max_value = match self.old.recording.metric_named(name) {
            Some(metric) if !is_truncated => self.old.tree.inclusive(metric, old),
            _ => u64::MAX,
        };
        let mut best: Option<((u64, usize), NodeId)> = None;
        self.steps = STACK_STEPS;
        for &place in occurrences_within(self.new, new_thread, *frames.first()?) {
            if self.step().is_none() {
                break;
            }
            let value = self.new.tree.inclusive(metric, place).min(max_value);
            if best.is_some_and(|(best, _)| best >= (value, frames.len())) {
                continue;
            }
            let is_above = |&marker: &NodeId| self.new.tree.contains(marker, place);
            if markers.iter().any(is_above) == is_truncated {
                continue;
            }
            let Some(callers) = self.fitting(place, &frames, is_truncated) else {
                break;
            };
            if callers > 0 && best.is_none_or(|(best, _)| (value, callers) > best) {
                best = Some(((value, callers), place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// The frames from an old node outward to the marker or thread, and whether there is a marker; `None` if the new
    /// profile lacks one of them.
    fn stack(&mut self, old: NodeId, thread: NodeId) -> Option<(Vec<FrameId>, bool)> {
        let from = self.old;
        let mut frames = Vec::new();
        for node in from.tree.upward(old).take_while(|&node| node != thread) {
            let frame = from.tree.frame(node);
            if from.frames.is_truncated(frame) {
                return Some((frames, true));
            }
            frames.push(self.frame(frame)?);
        }
        Some((frames, false))
    }

    /// How many of these frames, innermost first, the stack of a new node has: all or, unless `has_all`, all up to its
    /// marker; else 0. `None` if that takes too many steps.
    fn fitting(&mut self, place: NodeId, frames: &[FrameId], has_all: bool) -> Option<usize> {
        let new = self.new;
        let tree = &new.tree;
        let is_marker = |node| new.frames.is_truncated(tree.frame(node));
        let (mut at, mut fitting) = (place, 0);
        for &frame in frames {
            self.step()?;
            if tree.frame(at) != frame {
                let is_cut = !has_all && is_marker(at);
                return Some(if is_cut { fitting } else { 0 });
            }
            fitting += 1;
            let Some(caller) = tree.parent(at) else {
                return Some(0);
            };
            at = caller;
        }
        Some(if has_all || is_marker(at) { fitting } else { 0 })
    }
}

fn markers(view: &View, within: NodeId) -> Vec<NodeId> {
    let frames = view.frames.truncated();
    let nodes = frames.flat_map(|frame| occurrences_within(view, within, frame));
    nodes.copied().collect()
}
