use super::part::Part;
use crate::model::{Measure, MetricId, NodeId, View};
use crate::names::FrameKind;
use std::borrow::Cow;

/// Frames narrower than this part of the whole are not drawn; their callers keep their values.
const MAX_FRAMES_ACROSS: u64 = 4000;
const MAX_DEPTH: usize = 400;

#[derive(Clone, Copy, Debug)]
pub(super) struct FlameFrame {
    pub node: NodeId,
    pub depth: usize,
    pub value: u64,
}

pub(super) fn frames(part: &Part, measure: Measure) -> Vec<FlameFrame> {
    let (view, tree) = (part.view, &part.view.tree);
    let total = measure.inclusive(view, part.root).max(1);
    let is_drawn = |value: u64, depth: usize| {
        depth <= MAX_DEPTH && u128::from(value) * u128::from(MAX_FRAMES_ACROSS) >= u128::from(total)
    };
    let mut frames: Vec<FlameFrame> = Vec::new();
    let mut open: Vec<NodeId> = Vec::new();
    let (mut node, end) = (part.root, tree.end(part.root));
    while node < end {
        while open.pop_if(|end| *end <= node).is_some() {}
        let (value, depth) = (measure.inclusive(view, node), open.len());
        if !is_drawn(value, depth) {
            node = tree.end(node);
            continue;
        }
        open.push(tree.end(node));
        frames.push(FlameFrame { node, depth, value });
        node = NodeId(node.0 + 1);
    }
    frames
}

/// The index of each frame's caller, in preorder.
fn callers(frames: &[FlameFrame]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let caller = |(at, frame): (usize, &FlameFrame)| {
        open.truncate(frame.depth);
        let caller = open.last().copied();
        open.push(at);
        caller
    };
    frames.iter().enumerate().map(caller).collect()
}

/// The values in a metric minus those of the drawn callees.
pub(super) fn own_values(view: &View, frames: &[FlameFrame], metric: MetricId) -> Vec<u64> {
    let value = |frame: &FlameFrame| view.tree.inclusive(metric, frame.node);
    let mut own_values: Vec<u64> = frames.iter().map(value).collect();
    for (frame, caller) in frames.iter().zip(callers(frames)) {
        if let Some(caller) = caller {
            own_values[caller] = own_values[caller].saturating_sub(value(frame));
        }
    }
    own_values
}

/// With the heaviest callees first. O(frames log frames).
pub(super) fn heaviest_first(frames: &[FlameFrame]) -> Vec<FlameFrame> {
    let mut callees: Vec<Vec<usize>> = vec![Vec::new(); frames.len()];
    for (at, caller) in callers(frames).into_iter().enumerate() {
        if let Some(caller) = caller {
            callees[caller].push(at);
        }
    }
    let mut ordered = Vec::with_capacity(frames.len());
    let mut pending: Vec<usize> = (0..frames.len().min(1)).collect();
    while let Some(at) = pending.pop() {
        ordered.push(frames[at]);
        // the last one pushed comes first
        callees[at].sort_by_key(|&at| frames[at].value);
        pending.append(&mut callees[at]);
    }
    ordered
}

pub(super) fn name(view: &View, node: NodeId) -> Cow<'_, str> {
    let frame = view.tree.frame(node);
    match view.frames.get(frame).kind {
        FrameKind::Method => view.frames.list_name(frame),
        _ => view.name(node).into(),
    }
}
