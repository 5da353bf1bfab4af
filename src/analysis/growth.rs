//! Maps the frames and nodes of a recording in progress to those of the same recording read again later.
//!
//! It only grows, but it is read again as a whole, so ids may change: a late name splits a frame in two, and siblings
//! are ordered by value. Threads keep their numbers.

use crate::model::{
    Entered, Frame, FrameId, MadeUp, NodeId, RecordedThread, Recording, Step, TreeForm, View,
    ViewSpec,
};
use crate::names::FrameKind;
use std::collections::HashMap;

/// Maps the frames of a recording to those of a longer version of it.
#[derive(Clone, Debug)]
pub struct SameFrames {
    frames: Vec<Option<FrameId>>,
    /// The rows of the threads, by their rows in the old recording.
    threads: Vec<Option<usize>>,
}

/// Maps the frames and nodes of a view to the view that the same steps make of a longer recording.
#[derive(Clone, Debug)]
pub struct Growth {
    frames: SameFrames,
    /// By node of the view that the first step made.
    nodes: Vec<Option<NodeId>>,
}

impl SameFrames {
    /// Matches frames by kind and name, and those of threads by number. O(frames + threads).
    pub fn of(old: &Recording, new: &Recording) -> SameFrames {
        let known = |(id, frame): (FrameId, &Frame)| {
            new.frames
                .known(frame.kind, old.frames.name(id), old.frames.signature(id))
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
        SameFrames { frames, threads }
    }

    /// The new id of a recorded frame; `None` if its name changed, or if a view made it up.
    pub fn frame(&self, old: FrameId) -> Option<FrameId> {
        self.frames.get(old.index()).copied().flatten()
    }

    /// A frame made up by a view, in terms of the new frames.
    pub(super) fn made_up(&self, made_up: MadeUp) -> Option<MadeUp> {
        Some(match made_up {
            MadeUp::Group { by, first, entered } => {
                let entered = match entered {
                    Entered::By(frame) => Entered::By(self.frame(frame)?),
                    any => any,
                };
                MadeUp::Group {
                    by,
                    first: self.frame(first)?,
                    entered,
                }
            }
            other => other,
        })
    }

    /// The steps of a view for the longer recording: a choice of all threads includes new ones. A step on a node that
    /// no longer exists is dropped. O(threads + depth · siblings) for each node that is named.
    pub fn steps(&self, old: &View, new: &Recording) -> ViewSpec {
        let mut steps = old.steps.clone();
        let scope = &mut steps.scope;
        let mut wanted = vec![scope.threads.has_all(); new.threads.len()];
        for (&is_wanted, row) in scope.threads.wanted.iter().zip(&self.threads) {
            row.iter().for_each(|&row| wanted[row] = is_wanted);
        }
        scope.threads.wanted = wanted;
        scope.is_repaired |= new.repaired.is_none();
        let relabelled = |label: &str| self.label(&old.recording, new, label);
        let transforms = std::mem::take(&mut steps.transforms);
        steps.transforms = transforms
            .into_iter()
            .filter_map(|mut step| {
                if let Step::Focus(label) | Step::DropNode(label) = &mut step {
                    *label = relabelled(label)?;
                }
                if let Some(opened) = step.opened_mut() {
                    *opened = opened
                        .iter()
                        .filter_map(|label| relabelled(label))
                        .collect();
                }
                Some(step)
            })
            .collect();
        steps
    }

    /// The new label of a node.
    fn label(&self, old: &Recording, new: &Recording, label: &str) -> Option<String> {
        let (form, node) = old.node_labelled(label)?;
        let now = if form == old.form() {
            new.form()
        } else {
            TreeForm::Original
        };
        let (from, to) = (&old.tree_of(form).tree, &new.tree_of(now).tree);
        let mut path: Vec<NodeId> = std::iter::once(node).chain(from.ancestors(node)).collect();
        path.pop();
        let found = path.into_iter().rev().try_fold(NodeId::ROOT, |at, next| {
            let frame = self.frame(from.frame(next))?;
            to.children(at).find(|&callee| to.frame(callee) == frame)
        });
        Some(new.node_label(now, found?))
    }
}

impl Growth {
    /// Finds the nodes of a view in `new`, which its steps have made of more of the recording. Of equal siblings the first counts.
    /// O(nodes of both).
    pub fn between(old: &View, new: &View, frames: SameFrames) -> Growth {
        let (old, new) = (old.base(), new.base());
        let mut places: HashMap<(NodeId, FrameId), NodeId, foldhash::fast::RandomState> =
            HashMap::default();
        let mut merged = None;
        for node in new.tree.nodes().skip(1) {
            let (caller, frame) = (
                new.tree.parent(node).unwrap_or(NodeId::ROOT),
                new.tree.frame(node),
            );
            places.entry((caller, frame)).or_insert(node);
            if is_merged(new, frame) {
                merged = merged.or(Some(node));
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
            // threads that are merged are one, however many there are
            let is_thread = old.frames.get(frame).kind == FrameKind::Thread;
            let thread = merged.filter(|_| is_thread);
            let place = |caller| places.get(&(caller, frames.frame(frame)?)).copied();
            nodes.push(thread.or_else(|| nodes[caller.index()].and_then(place)));
        }
        Growth { frames, nodes }
    }

    /// The frames of the recording.
    pub fn frames(&self) -> &SameFrames {
        &self.frames
    }

    /// Where a node of the view that the first step made is now; `None` if it has another name now.
    pub fn node(&self, of_base: NodeId) -> Option<NodeId> {
        self.nodes.get(of_base.index()).copied().flatten()
    }
}

fn is_merged(view: &View, frame: FrameId) -> bool {
    matches!(
        view.frames.made_up(frame),
        Some(MadeUp::MergedThreads { .. })
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::make::make;
    use crate::model::testing::recording_of;
    use crate::model::{Collapsible, MethodKey, ThreadChoice};
    use std::sync::Arc;

    const BEFORE: &str = "A;main;run;price 5|A;main;? 3|B;work 1";
    const AFTER: &str = "C;tick 90|B;work 20|A;main;log 9|A;main;run;price 5";

    /// Where the nodes of one recording are in another one, by their names.
    fn places(threads: impl Fn(&Recording) -> ThreadChoice) -> Vec<String> {
        let [old, new] = [BEFORE, AFTER].map(|text| Arc::new(recording_of(text)));
        let whole = View::whole(&old, TreeForm::Repaired);
        let steps = ViewSpec {
            scope: crate::model::Scope {
                threads: threads(&old),
                ..whole.steps.scope.clone()
            },
            transforms: vec![],
        };
        let view = make(&old, &steps).unwrap();
        let frames = SameFrames::of(&old, &new);
        let grown = make(&new, &frames.steps(&view, &new)).unwrap();
        let growth = Growth::between(&view, &grown, frames);
        let name = |node| match growth.node(node) {
            Some(place) => format!(
                "{} > {}",
                view.display_name(node),
                grown.display_name(place)
            ),
            None => format!("{} is gone", view.display_name(node)),
        };
        view.tree.nodes().map(name).collect()
    }

    #[test]
    fn nodes_are_found_whatever_their_ids_and_what_has_another_name_is_gone() {
        let all = places(ThreadChoice::all);
        let expect = [
            "All threads > All threads",
            "A > A",
            "main > main",
            "run > run",
            "price > price",
            "? is gone",
            "B > B",
            "work > work",
        ];
        assert_eq!(all, expect);
        let merged = places(|recording| ThreadChoice {
            is_merged: true,
            ..ThreadChoice::all(recording)
        });
        assert_eq!(merged[1], "2 threads merged > 3 threads merged");
        assert_eq!(merged[2..4], ["main > main", "run > run"]);
    }

    #[test]
    fn steps_name_their_nodes_anew() {
        let [old, new] = [BEFORE, AFTER].map(recording_of);
        let frames = SameFrames::of(&old, &new);
        let mut view = old.into_view();
        let node = |view: &View, name: &str| {
            view.node_label(
                view.tree
                    .nodes()
                    .find(|&node| view.display_name(node) == name)
                    .unwrap(),
            )
        };
        let key = MethodKey {
            name: "work".into(),
            signature: String::new(),
        };
        let collapse = |opened| Step::Collapse {
            frames: Collapsible::System,
            opened,
        };
        let [run, gone, price] = ["run", "?", "price"].map(|name| node(&view, name));
        view.steps.transforms = vec![
            Step::DropNode(run),
            Step::DropNode(gone.clone()),
            Step::Drop(vec![key.clone()]),
            collapse(vec![price, gone]),
        ];
        let steps = frames.steps(&view, &new);
        assert_eq!(steps.scope.threads.wanted, [true; 3]);
        let new = new.into_view();
        let expect = vec![
            Step::DropNode(node(&new, "run")),
            Step::Drop(vec![key]),
            collapse(vec![node(&new, "price")]),
        ];
        assert_eq!(steps.transforms, expect);
        // A and B there, C, B and A here
        view.steps.scope.threads.wanted = vec![false, true];
        assert_eq!(
            frames.steps(&view, &new).scope.threads.wanted,
            [false, true, false]
        );
    }
}
