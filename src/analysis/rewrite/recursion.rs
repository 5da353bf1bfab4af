use super::shape::{Fate, ReshapedTree};
use crate::model::{BuildError, FrameId, NodeId, Progress, Recursion, View};

/// Merges recursive calls, with their callees, into the call that they recur to.
///
/// Direct: a call of a method by itself is merged with its caller. No method's values change.
///
/// All: a frame that is already on the stack takes the stack back to its first occurrence, so no method is on a stack
/// twice: A > B > A > B becomes A > B, and A > B > C > B > A > D becomes A > D. B's inclusive value loses what the
/// inner A called. Nodes that only led to moved nodes are dropped. Exclusive values of methods don't change.
///
/// Calls are added up.
pub(crate) fn collapse_recursion(
    view: &View,
    recursion: Recursion,
    progress: &Progress,
) -> Result<View, BuildError> {
    let mut chains: Vec<(NodeId, u32)> = Vec::new();
    let shape = match recursion {
        Recursion::Direct => {
            let mut lengths = vec![1u32; view.tree.len()];
            ReshapedTree::grow(view, progress, |node| {
                let Some(caller) = called_by_itself(view, node) else {
                    return Fate::Stays;
                };
                lengths[node.index()] = lengths[caller.index()].saturating_add(1);
                chains.push((node, lengths[node.index()]));
                Fate::Joins(caller)
            })?
        }
        Recursion::All => {
            let mut stack = RecursionStack::new(view);
            let shape = ReshapedTree::grow(view, progress, |node| {
                let (fate, length) = stack.enter(node);
                chains.extend((length > 1).then_some((node, length)));
                fate
            })?;
            shape.without_empty_paths()?
        }
    };
    Ok(shape.finish(view.frames.clone(), Some(&chains), false))
}

fn called_by_itself(view: &View, node: NodeId) -> Option<NodeId> {
    let frame = view.tree.frame(node);
    let is_same = |caller: &NodeId| view.tree.frame(*caller) == frame;
    let caller = view.tree.parent(node).filter(is_same);
    caller.filter(|_| view.frames.get(frame).kind.is_code())
}

#[derive(Clone, Copy)]
struct FoldedFrame {
    depth: u32,
    /// The first node merged there.
    first: NodeId,
    last: NodeId,
    /// The first node directly above it.
    caller: NodeId,
    length: u32,
}

/// The folded stack of the last entered node. No frame occurs on it twice.
struct RecursionStack<'a> {
    view: &'a View,
    path: Vec<NodeId>,
    /// The last place of each frame, valid if the path still has its first node.
    places: Vec<Option<FoldedFrame>>,
    open: Vec<OpenNode>,
}

struct OpenNode {
    node: NodeId,
    depth: u32,
    /// What the path had there, if this node replaced it.
    path_before: Option<NodeId>,
    frame: FrameId,
    place_before: Option<FoldedFrame>,
}

impl<'a> RecursionStack<'a> {
    fn new(view: &'a View) -> RecursionStack<'a> {
        RecursionStack {
            view,
            path: Vec::new(),
            places: vec![None; view.frames.len()],
            open: Vec::new(),
        }
    }

    /// Leaves the nodes that this one is not below, then enters it. Returns its fate and how many calls of its frame
    /// are merged there.
    fn enter(&mut self, node: NodeId) -> (Fate, u32) {
        let tree = &self.view.tree;
        while let Some(last) = self.open.pop_if(|last| !tree.contains(last.node, node)) {
            self.places[last.frame.index()] = last.place_before;
            if let Some(before) = last.path_before {
                self.path[last.depth as usize] = before;
            }
        }
        let frame = tree.frame(node);
        let caller_depth = self.open.last().map(|caller| caller.depth);
        let can_recur = self.view.frames.get(frame).kind.is_code();
        let place_before = self.places[frame.index()].filter(|_| can_recur);
        let same = place_before.filter(|place| {
            let is_above = caller_depth.is_some_and(|depth| place.depth <= depth);
            is_above && self.path[place.depth as usize] == place.first
        });
        let place = match same {
            Some(place) => FoldedFrame {
                last: node,
                length: place.length.saturating_add(1),
                ..place
            },
            None => {
                let depth = caller_depth.map_or(0, |depth| depth + 1);
                let caller = caller_depth.map_or(NodeId::ROOT, |depth| self.path[depth as usize]);
                // the stack was taken back to its caller, which makes the call again
                let repeated =
                    place_before.filter(|before| (before.depth, before.caller) == (depth, caller));
                let length = repeated.map_or(1, |before| before.length.saturating_add(1));
                FoldedFrame {
                    depth,
                    first: node,
                    last: node,
                    caller,
                    length,
                }
            }
        };
        let path_before = same.is_none().then(|| self.replace_at(place.depth, node));
        let before = self.places[frame.index()].replace(place);
        self.open.push(OpenNode {
            node,
            depth: place.depth,
            path_before,
            frame,
            place_before: before,
        });
        (
            same.map_or(Fate::Stays, |same| Fate::Joins(same.last)),
            place.length,
        )
    }

    fn replace_at(&mut self, depth: u32, node: NodeId) -> NodeId {
        match self.path.get_mut(depth as usize) {
            Some(place) => std::mem::replace(place, node),
            None => {
                self.path.push(node);
                node
            }
        }
    }
}
