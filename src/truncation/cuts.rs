use super::anchors::Anchors;
use super::detect::Cuts;
use super::fit::{Recurrence, Scratch, recurrence};
use super::shape::TrackShape;
use crate::model::{FrameId, RawNode, TreeBuilder};

const NO_STACK: u32 = u32::MAX;

#[derive(Clone, Copy)]
pub(super) struct CutStack {
    pub anchor: u32,
    pub recurs: Recurrence,
}

/// By the node of the original tree where they end. Takes 4 bytes per node and 12 per stack.
pub(super) struct CutStacks {
    limit: u32,
    rows: Vec<CutStack>,
    by_raw: Vec<u32>,
}

#[derive(Clone, Copy, Default)]
struct StackStart {
    anchor: u32,
    /// Whether the outermost frame recurs; otherwise, the anchor can't.
    may_recur: bool,
}

impl CutStacks {
    /// Collects the stacks of exactly `limit` frames below outermost frames that show truncation; a shallower stack can't have been cut.
    /// O(nodes), plus O(limit) per stack whose outermost frame recurs.
    pub(super) fn new(
        raw: &TreeBuilder,
        shape: &TrackShape,
        cuts: &Cuts,
        anchors: &mut Anchors,
    ) -> CutStacks {
        let mut stacks = CutStacks {
            limit: cuts.limit,
            rows: Vec::new(),
            by_raw: vec![NO_STACK; raw.len()],
        };
        let mut starts = vec![StackStart::default(); raw.len()];
        let (mut frames, mut scratch) = (Vec::new(), Scratch::default());
        for (node, caller, frame) in raw.nodes().filter(|(node, ..)| cuts.is_cut(shape, *node)) {
            let depth = shape.depth(node);
            let mut here = match depth > 1 {
                true => starts[caller.0 as usize],
                false => StackStart::default(),
            };
            here.may_recur |= depth > 1 && frame == raw.frame(shape.top(node));
            if depth == anchors.length {
                load_frames(raw, node, depth, &mut frames);
                here.anchor = anchors.intern(shape.track(node), &frames);
            }
            starts[node.0 as usize] = here;
            if depth == cuts.limit {
                let mut recurs = Recurrence::default();
                if here.may_recur {
                    load_frames(raw, node, depth, &mut frames);
                    recurs = recurrence(&frames, anchors.length, &mut scratch);
                }
                stacks.by_raw[node.0 as usize] = stacks.rows.len() as u32;
                stacks.rows.push(CutStack {
                    anchor: here.anchor,
                    recurs,
                });
            }
        }
        stacks
    }

    pub(super) fn number(&self, end: RawNode) -> Option<u32> {
        Some(self.by_raw[end.0 as usize]).filter(|number| *number != NO_STACK)
    }

    pub(super) fn get(&self, number: u32) -> CutStack {
        self.rows[number as usize]
    }

    pub(super) fn frames(&self, raw: &TreeBuilder, end: RawNode, frames: &mut Vec<FrameId>) {
        load_frames(raw, end, self.limit, frames);
    }
}

fn load_frames(raw: &TreeBuilder, end: RawNode, depth: u32, frames: &mut Vec<FrameId>) {
    let stack = std::iter::successors(Some(end), |&node| Some(raw.parent(node)));
    frames.clear();
    frames.extend(stack.take(depth as usize).map(|node| raw.frame(node)));
    frames.reverse();
}
