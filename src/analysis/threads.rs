//! Choosing threads: a profile of some of them, as they are or merged into one tree.

use super::cautions;
use crate::model::format::counted;
use crate::model::{
    CountKind, FrameKind, Frames, MetricId, NodeId, NodeIds, Process, Profile, RawNode, Thread, Threads, TooLarge,
    TreeBuilder,
};
use std::collections::HashMap;

/// How the names of threads end that are several merged into one.
const MERGED: &str = " threads merged";

/// Whether the raw name of a thread is that of several which [`choose`] has merged.
pub fn is_merged_thread(name: &str) -> bool {
    name.ends_with(MERGED)
}

/// Which threads of a profile are wanted, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadChoice {
    /// Whether a thread is wanted, in the order of [`Profile::threads`].
    pub wanted: Vec<bool>,
    /// Whether those of each process are merged into one tree.
    pub is_merged: bool,
}

impl ThreadChoice {
    /// All threads of a profile as they are.
    pub fn all(profile: &Profile) -> ThreadChoice {
        ThreadChoice { wanted: vec![true; profile.threads.len()], is_merged: false }
    }

    /// How many threads are wanted.
    pub fn count(&self) -> usize {
        self.wanted.iter().filter(|&&is_wanted| is_wanted).count()
    }

    /// Whether every thread is wanted.
    pub fn has_all(&self) -> bool {
        !self.wanted.contains(&false)
    }

    /// Whether this is the profile as it is.
    pub fn is_everything(&self) -> bool {
        self.has_all() && !self.is_merged
    }

    /// Which of the profile's threads: `3 of 10 threads`, or `2 of 5 processes` if these have all of their threads and the
    /// others none; `10 threads` if all are wanted. O(threads).
    pub fn words(&self, profile: &Profile) -> String {
        let all = self.wanted.len();
        if self.has_all() {
            return counted(all as u64, "thread");
        }
        let mut states = vec![(false, false); profile.processes.len()];
        for (&is_wanted, process) in self.wanted.iter().zip(processes_of_threads(profile)) {
            match process.and_then(|process| states.get_mut(process)) {
                Some((has, _)) if is_wanted => *has = true,
                Some((_, lacks)) => *lacks = true,
                // a thread of no process
                None => states.push((true, true)),
            }
        }
        if states.iter().any(|(has, lacks)| *has && *lacks) || states.is_empty() {
            return format!("{} of {}", self.count(), counted(all as u64, "thread"));
        }
        let whole = states.iter().filter(|(has, _)| *has).count();
        format!("{whole} of {} processes", states.len())
    }
}

/// The process of each thread as a place in [`Profile::processes`], in the order of [`Profile::threads`].
/// O((threads + processes) log processes).
pub fn processes_of_threads(profile: &Profile) -> Vec<Option<usize>> {
    let mut processes: Vec<(NodeId, usize)> =
        profile.processes.iter().enumerate().map(|(row, process)| (process.node, row)).collect();
    processes.sort_unstable();
    let process_of = |thread: &Thread| {
        let behind = processes.partition_point(|&(node, _)| node <= thread.node);
        let (node, row) = *processes[..behind].last()?;
        profile.tree.contains(node, thread.node).then_some(row)
    };
    profile.threads.iter().map(process_of).collect()
}

/// The profile of the threads that are wanted. What lies in no thread is left out, and the values of roots and processes
/// are the sums of what stays below them; those of the threads are untouched.
///
/// Merged threads become one thread for each process, in which equal frames below one caller are one node, with the sums of
/// their values and counts. A thread that is alone stays as it is. Nodes keep their ids, unless threads are merged. Warnings
/// and notes stay, but what is said of truncated stacks and [`super::cautions`] are of the threads; sums that the source has
/// stored are of all threads, and go, as does the profile as it was recorded ([`Profile::unrepaired`]).
///
/// Expected O(nodes + threads) and as much memory as the nodes that stay.
///
/// # Errors
/// Never in practice: the tree has no more nodes than the profile's.
pub fn choose(profile: &Profile, choice: &ThreadChoice) -> Result<Profile, TooLarge> {
    // a thread that is the root leaves nothing to choose
    let is_root = profile.threads.iter().any(|thread| thread.node == NodeId::ROOT);
    if choice.is_everything() || is_root {
        return Ok(profile.clone());
    }
    let mut frames = profile.frames.clone();
    let root_frame = profile.tree.frame(NodeId::ROOT);
    let root_frame = match frames.get(root_frame).kind {
        FrameKind::Root if !choice.has_all() => {
            let range = profile.range.as_ref().map(|range| format!(", {range}"));
            let name = format!("{}{}", choice.words(profile), range.unwrap_or_default());
            frames.intern(FrameKind::Root, &name, "")
        }
        _ => root_frame,
    };
    let mut growing = Growing {
        profile,
        builder: TreeBuilder::new(root_frame, &profile.metrics),
        heads: vec![Head { old: NodeId::ROOT, new: TreeBuilder::ROOT, above: 0 }],
        head_of: HashMap::from_iter([(NodeId::ROOT, 0)]),
        sums: vec![vec![(0, 0); profile.metrics.len()]],
        olds: Vec::new(),
    };
    growing.olds.push(NodeId::ROOT);
    let threads = growing.add_threads(choice, &mut frames)?;
    growing.add_sums();
    Ok(growing.finish(frames, threads))
}

/// A node above threads: the root, a process.
struct Head {
    old: NodeId,
    new: RawNode,
    /// the row of the head above it
    above: usize,
}

/// A thread of the new profile with the row of the old one, or of those that were merged in it, the first one first.
struct NewThread {
    node: RawNode,
    rows: Vec<usize>,
    id: String,
    name: String,
}

/// A tree into which threads are copied.
struct Growing<'a> {
    profile: &'a Profile,
    builder: TreeBuilder,
    /// those above come first
    heads: Vec<Head>,
    head_of: HashMap<NodeId, usize>,
    /// inclusive value and count by head and metric
    sums: Vec<Vec<(u64, u64)>>,
    /// the old node of each new one, as long as all have exactly one
    olds: Vec<NodeId>,
}

impl Growing<'_> {
    /// Copies or merges the threads that are wanted.
    fn add_threads(&mut self, choice: &ThreadChoice, frames: &mut Frames) -> Result<Vec<NewThread>, TooLarge> {
        let profile = self.profile;
        let mut rows: Vec<usize> =
            (0..profile.threads.len()).filter(|&row| choice.wanted.get(row) == Some(&true)).collect();
        // callers come before their callees
        rows.sort_by_key(|&row| profile.threads[row].node);
        let mut together: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut place_of: HashMap<usize, usize> = HashMap::new();
        for row in rows {
            let head = self.head_above(profile.threads[row].node)?;
            let place = if choice.is_merged { *place_of.entry(head).or_insert(together.len()) } else { together.len() };
            match together.get_mut(place) {
                Some((_, rows)) => rows.push(row),
                None => together.push((head, vec![row])),
            }
        }
        let mut threads = Vec::new();
        for (head, rows) in together {
            threads.push(match rows.as_slice() {
                &[row] => self.copy(head, row)?,
                several => self.merge(head, several, frames)?,
            });
        }
        threads.sort_by_key(|thread| thread.rows.first().copied());
        Ok(threads)
    }

    /// The head right above a thread; it and those above it are made if they are new.
    fn head_above(&mut self, thread: NodeId) -> Result<usize, TooLarge> {
        let tree = &self.profile.tree;
        let mut missing: Vec<NodeId> = Vec::new();
        let mut above = 0;
        for node in tree.ancestors(thread) {
            if let Some(&known) = self.head_of.get(&node) {
                above = known;
                break;
            }
            missing.push(node);
        }
        for &old in missing.iter().rev() {
            let new = self.builder.add(self.heads[above].new, tree.frame(old))?;
            self.olds.push(old);
            self.heads.push(Head { old, new, above });
            self.sums.push(vec![(0, 0); self.profile.metrics.len()]);
            above = self.heads.len() - 1;
            self.head_of.insert(old, above);
        }
        Ok(above)
    }

    /// Adds the values of an old node to a new one.
    fn add_values(&mut self, new: RawNode, old: NodeId) {
        let tree = &self.profile.tree;
        for metric in (0..self.profile.metrics.len()).map(MetricId::at) {
            let (inclusive, exclusive) = (tree.inclusive(metric, old), tree.exclusive(metric, old));
            self.builder.add_values(metric, new, inclusive, exclusive, tree.count(metric, old).unwrap_or(0));
        }
    }

    /// Adds what a thread has to its head.
    fn add_to_head(&mut self, head: usize, thread: NodeId) {
        let tree = &self.profile.tree;
        for (metric, (inclusive, count)) in self.sums[head].iter_mut().enumerate() {
            let metric = MetricId::at(metric);
            *inclusive = inclusive.saturating_add(tree.inclusive(metric, thread));
            *count = count.saturating_add(tree.count(metric, thread).unwrap_or(0));
        }
    }

    fn copy(&mut self, head: usize, row: usize) -> Result<NewThread, TooLarge> {
        let (tree, thread) = (&self.profile.tree, &self.profile.threads[row]);
        let top = RawNode(self.builder.len() as u32);
        for old in tree.range(thread.node).map(NodeId::at) {
            // nodes are added in their order, so that a caller is as far behind the top as it was
            let caller = match tree.parent(old) {
                Some(caller) if old != thread.node => RawNode(top.0 + (caller.0 - thread.node.0)),
                _ => self.heads[head].new,
            };
            let new = self.builder.add(caller, tree.frame(old))?;
            self.add_values(new, old);
            self.olds.push(old);
        }
        self.add_to_head(head, thread.node);
        Ok(NewThread { node: top, rows: vec![row], id: thread.id.clone(), name: thread.name.clone() })
    }

    fn merge(&mut self, head: usize, rows: &[usize], frames: &mut Frames) -> Result<NewThread, TooLarge> {
        let profile = self.profile;
        let tree = &profile.tree;
        let name = format!("{}{MERGED}", rows.len());
        let top = self.builder.add(self.heads[head].new, frames.intern(FrameKind::Thread, &name, ""))?;
        let mut places: Vec<RawNode> = Vec::new();
        for &row in rows {
            let thread = profile.threads[row].node;
            places.clear();
            for old in tree.range(thread).map(NodeId::at) {
                let caller = tree.parent(old).filter(|_| old != thread).map(|caller| (caller.0 - thread.0) as usize);
                let new = match caller {
                    Some(caller) => self.builder.merge(places[caller], tree.frame(old))?,
                    None => top,
                };
                places.push(new);
                self.add_values(new, old);
            }
            self.add_to_head(head, thread);
        }
        // the nodes are others now
        self.olds.clear();
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        Ok(NewThread { node: top, rows, id: String::new(), name })
    }

    /// Gives the heads their sums, from the innermost outwards.
    fn add_sums(&mut self) {
        for row in (0..self.heads.len()).rev() {
            let Head { old, new, above } = self.heads[row];
            for metric in 0..self.profile.metrics.len() {
                let (inclusive, count) = self.sums[row][metric];
                let id = MetricId::at(metric);
                // what was called was called by somebody: calls of a root are not those of its threads
                let has_calls = self.profile.metric(id).counts == Some(CountKind::Calls);
                let own = if has_calls { self.profile.tree.count(id, old).unwrap_or(0) } else { count };
                self.builder.add_values(id, new, inclusive, 0, own);
                if row > 0 {
                    let sum = &mut self.sums[above][metric];
                    *sum = (sum.0.saturating_add(inclusive), sum.1.saturating_add(count));
                }
            }
        }
    }

    fn finish(self, frames: Frames, threads: Vec<NewThread>) -> Profile {
        let old = self.profile;
        let built = self.builder.finish(&frames, old.default_metric);
        let process = |process: &Process| {
            let head = *self.head_of.get(&process.node)?;
            Some(Process { node: built.node(self.heads[head].new), ..process.clone() })
        };
        let processes = old.processes.iter().filter_map(process).collect();
        let truncation = old.truncation.as_ref();
        let truncation = truncation.map(|known| known.of_threads(threads.iter().map(|thread| &*thread.rows)));
        let thread = |thread: NewThread| Thread { node: built.node(thread.node), id: thread.id, name: thread.name };
        let threads = Threads::new(threads.into_iter().map(thread).collect());
        let mut from = vec![NodeId::ROOT; built.tree.len()];
        let is_each_its_own = self.olds.len() == from.len();
        for (&node, &old) in built.position.iter().zip(&self.olds) {
            from[node.index()] = old;
        }
        let node_ids = if is_each_its_own { old.node_ids.taken_from(&from) } else { NodeIds::Preorder };
        let new = Profile::new(old.source.clone(), frames, built.tree, old.metrics.clone(), old.default_metric);
        let notes = old.notes.clone();
        let new = Profile { processes, threads, node_ids, notes, truncation, range: old.range, ..new };
        let is_mended = old.unrepaired.is_some();
        let said = new.truncation.as_ref().filter(|truncation| truncation.is_any());
        let said = said.map(|truncation| truncation.sentence(&new.metrics, is_mended));
        Profile { warnings: old.warnings_saying(said.as_deref()), cautions: cautions(&new), ..new }
    }
}

#[cfg(test)]
mod tests;
