//! Maps frames and nodes of a recording in progress to a later version of it.
//!
//! Though it only grows, all of it is read again, so ids may change: a late name splits a frame in two, and siblings
//! are ordered by value. Thread ids of the source stay.

use crate::model::{
    Frame, FrameId, GroupEntry, NodeId, NodeMap, NodeRef, RecordedNode, RecordedThread, Recording,
    Scope, Step, Synthetic, ThreadChoice, TreeForm, View, ViewSpec,
};
use crate::names::FrameKind;
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct MatchedFrames {
    frames: Vec<Option<FrameId>>,
    /// By old thread, its new index.
    threads: Vec<Option<usize>>,
}

#[derive(Clone, Debug)]
pub struct Growth {
    pub frames: MatchedFrames,
    nodes: NodeMap<NodeId, NodeId>,
}

impl MatchedFrames {
    /// By kind and name; frames of threads by thread id.
    pub fn of(old: &Recording, new: &Recording) -> MatchedFrames {
        let known = |(id, frame): (FrameId, &Frame)| {
            new.frames
                .lookup(frame.kind, old.frames.name(id), old.frames.signature(id))
        };
        let mut frames: Vec<Option<FrameId>> = old.frames.iter().map(known).collect();
        let mut rows: HashMap<(Option<usize>, &str), usize> = HashMap::new();
        for (row, thread) in new.threads.iter().enumerate() {
            rows.entry((thread.process, &thread.id)).or_insert(row);
        }
        let row =
            |thread: &RecordedThread| rows.get(&(thread.process, thread.id.as_str())).copied();
        let threads: Vec<Option<usize>> = old.threads.iter().map(row).collect();
        let (from, to) = (old.whole(), new.whole());
        for (&old, row) in from.threads().iter().zip(&threads) {
            frames[from.tree.frame(old).index()] = row.map(|row| to.tree.frame(to.threads()[row]));
        }
        MatchedFrames { frames, threads }
    }

    /// `None` if its name changed or a view made it up.
    pub fn frame(&self, old: FrameId) -> Option<FrameId> {
        self.frames.get(old.index()).copied().flatten()
    }

    pub(super) fn synthetic(&self, synthetic: Synthetic) -> Option<Synthetic> {
        Some(match synthetic {
            Synthetic::Group { by, first, entered } => Synthetic::Group {
                by,
                first: self.frame(first)?,
                entered: match entered {
                    GroupEntry::By(frame) => GroupEntry::By(self.frame(frame)?),
                    any => any,
                },
            },
            other => other,
        })
    }

    /// A choice of all threads includes new ones.
    pub fn scope(&self, old: &Scope, new: &Recording) -> Scope {
        Scope {
            threads: self.thread_choice(&old.threads, new),
            is_repaired: old.is_repaired || new.repaired.is_none(),
            ..old.clone()
        }
    }

    pub fn thread_choice(&self, old: &ThreadChoice, new: &Recording) -> ThreadChoice {
        let mut chosen = vec![old.has_all(); new.threads.len()];
        for (&is_chosen, row) in old.chosen.iter().zip(&self.threads) {
            row.iter().for_each(|&row| chosen[row] = is_chosen);
        }
        ThreadChoice {
            chosen,
            merging: old.merging,
        }
    }

    /// Drops steps on nodes that are gone.
    pub fn steps(&self, old: &View, new: &Recording) -> ViewSpec {
        let mut steps = old.steps.clone();
        steps.scope = self.scope(&steps.scope, new);
        let new_node = |node: NodeRef| self.node(&old.recording, new, node);
        let renumber = |nodes: &mut Vec<NodeRef>| {
            *nodes = nodes.iter().filter_map(|&node| new_node(node)).collect();
        };
        let transform = |mut step: Step| {
            if let Step::DropNodes(nodes) = &mut step {
                renumber(nodes);
                return (!nodes.is_empty()).then_some(step);
            }
            step.opened_mut().into_iter().for_each(renumber);
            Some(step)
        };
        let transforms = steps.transforms.into_iter();
        steps.transforms = transforms.filter_map(transform).collect();
        steps
    }

    fn node(&self, old: &Recording, new: &Recording, node_ref: NodeRef) -> Option<NodeRef> {
        let NodeRef { form, node } = node_ref;
        if !old.has(node_ref) {
            return None;
        }
        let new_form = match form == old.form() {
            true => new.form(),
            false => TreeForm::Original,
        };
        let (from, to) = (&old.tree_of(form).tree, &new.tree_of(new_form).tree);
        let mut path: Vec<RecordedNode> = from.upward(node).collect();
        path.pop();
        let mut path = path.into_iter().rev();
        let found = path.try_fold(RecordedNode::ROOT, |at, next| {
            let frame = self.frame(from.frame(next))?;
            to.children(at).find(|&callee| to.frame(callee) == frame)
        });
        Some(NodeRef {
            form: new_form,
            node: found?,
        })
    }
}

impl Growth {
    /// `new` is what the same steps made of the longer recording. Of equal siblings, the first one counts.
    pub fn between(old: &View, new: &View, frames: MatchedFrames) -> Growth {
        let (old, new) = (old.base(), new.base());
        let mut places: HashMap<(NodeId, FrameId), NodeId, foldhash::fast::RandomState> =
            HashMap::default();
        let mut merged: HashMap<NodeId, NodeId> = HashMap::new();
        for node in new.tree.nodes().skip(1) {
            let caller = new.tree.parent(node).unwrap_or(NodeId::ROOT);
            let frame = new.tree.frame(node);
            places.entry((caller, frame)).or_insert(node);
            if is_merged(new, frame) {
                merged.insert(caller, node);
            }
        }
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(old.tree.len());
        for node in old.tree.nodes() {
            let Some(caller) = old.tree.parent(node) else {
                // the roots match, whatever their names
                nodes.push(Some(NodeId::ROOT));
                continue;
            };
            let frame = old.tree.frame(node);
            let place = |caller| places.get(&(caller, frames.frame(frame)?)).copied();
            // merged threads are one thread, however many there are
            let is_thread = old.frames.get(frame).kind == FrameKind::Thread;
            let thread = |caller| merged.get(&caller).copied().filter(|_| is_thread);
            let caller = nodes[caller.index()];
            nodes.push(caller.and_then(|caller| place(caller).or_else(|| thread(caller))));
        }
        let nodes = nodes.into_iter().collect();
        Growth { frames, nodes }
    }

    /// `None` if its name changed.
    pub fn node(&self, of_base: NodeId) -> Option<NodeId> {
        self.nodes.get(of_base)
    }
}

pub(super) fn is_merged(view: &View, frame: FrameId) -> bool {
    let synthetic = view.frames.synthetic(frame);
    matches!(synthetic, Some(Synthetic::MergedThreads { .. }))
}

#[cfg(test)]
mod tests;
