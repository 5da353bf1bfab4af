use super::merged::merge_into;
use crate::model::{
    CountKind, DerivedTree, Frames, MetricId, NodeId, Process, RawNode, SubtreeRoots, Synthetic,
    Thread, ThreadChoice, TooLarge, TreeBuilder, View,
};
use crate::names::FrameKind;
use std::collections::{HashMap, HashSet};

/// Indices in [`View::processes`].
pub fn processes_of_threads(view: &View) -> Vec<Option<usize>> {
    let roots = view.processes.iter().map(|process| process.node);
    let roots = SubtreeRoots::new(roots.collect());
    let threads = view.threads.iter();
    threads
        .map(|thread| roots.find(&view.tree, thread.node))
        .collect()
}

/// A root or process whose threads are all chosen stays complete, including nodes outside threads; others get the sums
/// of their chosen threads. Merged threads become one thread per process; the origin of a node is the first one merged
/// into it.
pub fn choose(view: &View, choice: &ThreadChoice) -> Result<View, TooLarge> {
    // if a thread is the root, there is nothing to choose
    let mut threads = view.threads.iter();
    let is_root = threads.any(|thread| thread.node == NodeId::ROOT);
    if choice.is_everything() || is_root {
        return Ok(view.clone());
    }
    let mut frames = view.frames.clone();
    let root_frame = view.tree.frame(NodeId::ROOT);
    let root_frame = match choice.root(&view.recording) {
        Some(root) if frames.get(root_frame).kind == FrameKind::Root => frames.add_synthetic(root),
        _ => root_frame,
    };
    let mut builder = ThreadTreeBuilder {
        view,
        derived: DerivedTree::new(view, root_frame, NodeId::ROOT),
        containers: vec![ThreadContainer {
            old: NodeId::ROOT,
            new: TreeBuilder::ROOT,
            outer: 0,
            sums: vec![(0, 0); view.recording.metrics.len()],
        }],
        container_of: HashMap::from_iter([(NodeId::ROOT, 0)]),
        partial: partial_containers(view, choice),
    };
    let threads = builder.add_threads(choice, &mut frames)?;
    builder.add_outside(choice)?;
    builder.add_sums();
    Ok(builder.finish(frames, threads))
}

fn is_chosen(choice: &ThreadChoice, row: usize) -> bool {
    choice.chosen.get(row) == Some(&true)
}

fn partial_containers(view: &View, choice: &ThreadChoice) -> HashSet<NodeId> {
    let mut partial = HashSet::new();
    for (row, thread) in view.threads.iter().enumerate() {
        if !is_chosen(choice, row) {
            partial.extend(view.tree.ancestors(thread.node));
        }
    }
    partial
}

struct ThreadContainer {
    old: NodeId,
    new: RawNode,
    outer: usize,
    /// The inclusive value and count of its chosen threads, by metric.
    sums: Vec<(u64, u64)>,
}

/// A new thread, and the old threads it was made from, in order.
type NewThread = (Thread<RawNode>, Vec<usize>);

struct ThreadTreeBuilder<'a> {
    view: &'a View,
    derived: DerivedTree<'a>,
    /// Outermost first.
    containers: Vec<ThreadContainer>,
    container_of: HashMap<NodeId, usize>,
    /// The old nodes above threads that are left out.
    partial: HashSet<NodeId>,
}

impl ThreadTreeBuilder<'_> {
    fn add_threads(
        &mut self,
        choice: &ThreadChoice,
        frames: &mut Frames,
    ) -> Result<Vec<NewThread>, TooLarge> {
        let view = self.view;
        let rows = 0..view.threads.len();
        let mut rows: Vec<usize> = rows.filter(|&row| is_chosen(choice, row)).collect();
        // in recorded order, so that nodes have the same labels in any time range
        rows.sort_by_key(|&row| view.to_recorded(view.threads[row].node));
        let mut merge_groups: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut group_of: HashMap<usize, usize> = HashMap::new();
        for row in rows {
            let caller = view.tree.parent(view.threads[row].node);
            let container = self.container(caller.unwrap_or(NodeId::ROOT))?;
            let next = merge_groups.len();
            let place = match choice.merges(&view.threads[row].name) {
                true => *group_of.entry(container).or_insert(next),
                false => next,
            };
            match merge_groups.get_mut(place) {
                Some((_, rows)) => rows.push(row),
                None => merge_groups.push((container, vec![row])),
            }
        }
        let mut threads = Vec::new();
        for (container, rows) in merge_groups {
            threads.push(match rows.as_slice() {
                &[row] => self.copy(container, row)?,
                rows => self.merge(container, rows, choice.merged(rows.len()), frames)?,
            });
        }
        threads.sort_by_key(|(_, rows)| rows.first().copied());
        Ok(threads)
    }

    /// Also adds the containers around it, if needed.
    fn container(&mut self, node: NodeId) -> Result<usize, TooLarge> {
        let tree = &self.view.tree;
        let mut missing: Vec<NodeId> = Vec::new();
        let mut outer = 0;
        for node in tree.upward(node) {
            if let Some(&known) = self.container_of.get(&node) {
                outer = known;
                break;
            }
            missing.push(node);
        }
        for &old in missing.iter().rev() {
            let new = (self.derived).add(self.containers[outer].new, tree.frame(old), old)?;
            let sums = vec![(0, 0); self.view.recording.metrics.len()];
            self.containers.push(ThreadContainer {
                old,
                new,
                outer,
                sums,
            });
            outer = self.containers.len() - 1;
            self.container_of.insert(old, outer);
        }
        Ok(outer)
    }

    fn add_to_container(&mut self, container: usize, node: NodeId) {
        let tree = &self.view.tree;
        let sums = &mut self.containers[container].sums;
        for (metric, (inclusive, count)) in (0..).map(MetricId).zip(sums) {
            *inclusive = inclusive.saturating_add(tree.inclusive(metric, node));
            *count = count.saturating_add(tree.count(metric, node).unwrap_or(0));
        }
    }

    fn copy(&mut self, container: usize, row: usize) -> Result<NewThread, TooLarge> {
        let (tree, thread) = (&self.view.tree, &self.view.threads[row]);
        let top = RawNode(self.derived.builder.len() as u32);
        for old in tree.range(thread.node).map(NodeId::at) {
            // nodes are added in preorder, so a caller keeps its distance from the top
            let caller = match tree.parent(old) {
                Some(caller) if old != thread.node => RawNode(top.0 + (caller.0 - thread.node.0)),
                _ => self.containers[container].new,
            };
            let new = self.derived.add(caller, tree.frame(old), old)?;
            self.derived.add_values(new, old);
        }
        self.add_to_container(container, thread.node);
        Ok((thread.clone().at(|_| top), vec![row]))
    }

    fn merge(
        &mut self,
        container: usize,
        rows: &[usize],
        synthetic: Synthetic,
        frames: &mut Frames,
    ) -> Result<NewThread, TooLarge> {
        let view = self.view;
        // earlier threads have the smaller node ids
        let source = rows.first().map(|&row| view.threads[row].node);
        let top = self.derived.add(
            self.containers[container].new,
            frames.add_synthetic(synthetic),
            source.unwrap_or(NodeId::ROOT),
        )?;
        for &row in rows {
            let thread = view.threads[row].node;
            merge_into(&mut self.derived, thread, top, |_| Ok(())).map_err(|_| TooLarge)?;
            self.add_to_container(container, thread);
        }
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let thread = Thread {
            node: top,
            id: String::new(),
            name: synthetic.name(),
        };
        Ok((thread, rows))
    }

    /// Adds the nodes outside threads, in containers that stay complete.
    fn add_outside(&mut self, choice: &ThreadChoice) -> Result<(), TooLarge> {
        let view = self.view;
        let tree = &view.tree;
        if choice.has_all() {
            for process in &view.processes {
                self.container(process.node)?;
            }
        }
        let containers: Vec<(NodeId, RawNode)> = (self.containers.iter())
            .filter(|container| !self.partial.contains(&container.old))
            .map(|container| (container.old, container.new))
            .collect();
        let mut new_of: HashMap<NodeId, RawNode> = containers.iter().copied().collect();
        let threads: HashSet<NodeId> = view.threads.iter().map(|thread| thread.node).collect();
        for (container, _) in containers {
            let mut next = container.0 + 1;
            while next < tree.end(container).0 {
                let old = NodeId(next);
                if threads.contains(&old) || self.container_of.contains_key(&old) {
                    next = tree.end(old).0;
                    continue;
                }
                next += 1;
                let caller = tree.parent(old).and_then(|caller| new_of.get(&caller));
                let caller = caller.copied().unwrap_or(TreeBuilder::ROOT);
                let new = self.derived.add(caller, tree.frame(old), old)?;
                self.derived.add_values(new, old);
                new_of.insert(old, new);
            }
        }
        Ok(())
    }

    /// From the innermost outward: the containers' own values if they stay complete, else the sums of what remains.
    fn add_sums(&mut self) {
        for row in (0..self.containers.len()).rev() {
            let ThreadContainer {
                old, new, outer, ..
            } = self.containers[row];
            if !self.partial.contains(&old) {
                self.derived.add_values(new, old);
                if row > 0 {
                    self.add_to_container(outer, old);
                }
                continue;
            }
            for id in self.view.recording.metric_ids() {
                let (inclusive, count) = self.containers[row].sums[id.index()];
                // a node's calls are those its caller made, so a root's are not the sum of its threads'
                let own_count = match self.view.recording.metric(id).counts {
                    Some(CountKind::Calls) => self.view.tree.count(id, old).unwrap_or(0),
                    _ => count,
                };
                (self.derived.builder).add_values(id, new, inclusive, 0, own_count);
                if row > 0 {
                    let sum = &mut self.containers[outer].sums[id.index()];
                    *sum = (sum.0.saturating_add(inclusive), sum.1.saturating_add(count));
                }
            }
        }
    }

    fn finish(self, frames: Frames, threads: Vec<NewThread>) -> View {
        let process = |process: &Process| {
            let container = *self.container_of.get(&process.node)?;
            Some(process.clone().at(|_| self.containers[container].new))
        };
        let processes = self.view.processes.iter().filter_map(process).collect();
        let remade = self.derived.finish(frames, processes, threads);
        self.view.with_remade_tree(remade)
    }
}

#[cfg(test)]
mod tests;
