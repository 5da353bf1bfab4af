//! The frames that a flame graph of a part has.

use super::part::Part;
use crate::model::{Measure, MetricId, NodeId, View};
use crate::names::FrameKind;
use std::borrow::Cow;

/// Frames that are narrower than this part of the whole are not drawn; their values stay in their callers.
const NARROWEST: u64 = 4000;
/// Frames below so many others are not drawn.
const DEEPEST: usize = 400;

/// A frame of a flame graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlameFrame {
    pub node: NodeId,
    /// How many frames are above it.
    pub depth: usize,
    pub value: u64,
    /// What is in no callee that is drawn.
    pub rest: u64,
}

/// The frames of the graph in preorder. O(nodes).
pub(super) fn frames(part: &Part, measure: Measure) -> Vec<FlameFrame> {
    let (view, tree) = (part.view, &part.view.tree);
    let total = measure.inclusive(view, part.root).max(1);
    let is_drawn = |value: u64, depth: usize| {
        depth <= DEEPEST && u128::from(value) * u128::from(NARROWEST) >= u128::from(total)
    };
    let mut frames: Vec<FlameFrame> = Vec::new();
    // the frames above, and where each ends
    let mut open: Vec<(usize, NodeId)> = Vec::new();
    let (mut node, end) = (part.root, tree.end(part.root));
    while node < end {
        while open.pop_if(|(_, end)| *end <= node).is_some() {}
        let (value, depth) = (measure.inclusive(view, node), open.len());
        if !is_drawn(value, depth) {
            node = tree.end(node);
            continue;
        }
        if let Some(&(caller, _)) = open.last() {
            let rest = &mut frames[caller].rest;
            *rest = rest.saturating_sub(value);
        }
        open.push((frames.len(), tree.end(node)));
        frames.push(FlameFrame {
            node,
            depth,
            value,
            rest: value,
        });
        node = NodeId(node.0 + 1);
    }
    frames
}

/// What of frames in another metric is in no callee that is drawn.
pub(super) fn rests(view: &View, frames: &[FlameFrame], metric: MetricId) -> Vec<u64> {
    let mut rests: Vec<u64> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let value = view.tree.inclusive(metric, frame.node);
        open.truncate(frame.depth);
        if let Some(&caller) = open.last() {
            rests[caller] = rests[caller].saturating_sub(value);
        }
        open.push(at);
        rests.push(value);
    }
    rests
}

/// What a frame is called.
pub(super) fn name(view: &View, node: NodeId) -> Cow<'_, str> {
    let frame = view.tree.frame(node);
    match view.frames.get(frame).kind {
        FrameKind::Method => view.frames.list_name(frame),
        _ => view.name(node).into(),
    }
}
