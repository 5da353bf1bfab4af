use super::part::Part;
use crate::analysis::sum;
use crate::model::{CallTree, MetricId, NodeId, Thread};
use crate::names::FrameKind;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::io;

/// For frames without a name: an empty name means no frame in some formats.
pub(super) const NAMELESS: &str = "[No name]";

/// What a format writes as a thread: a thread, or a process's nodes (or those of none) outside of threads.
#[derive(Default)]
pub(super) struct ExportTrack<'a> {
    pub thread: Option<(NodeId, &'a Thread)>,
    pub process: Option<NodeId>,
    /// Nodes outside of threads get the root's name.
    pub title: &'a str,
    /// Threads, processes and roots with an exclusive value, or nothing below them.
    pub exclusive_nodes: Vec<NodeId>,
    pub top_nodes: Vec<NodeId>,
}

/// In tree order, those outside of threads last. `metrics` are those that are written.
pub(super) fn tracks<'a>(part: &Part<'a>, metrics: &[MetricId]) -> Vec<ExportTrack<'a>> {
    let tree = &part.view.tree;
    let threads: Vec<&Thread> = part.view.threads.by_value().collect();
    let is_own = |node| part.has_stack(node, metrics);
    let is_process = |&node: &NodeId| part.kind(node) == FrameKind::Process;
    let mut process = tree.ancestors(part.root).find(is_process);
    let enclosing = part.view.thread_of(part.root);
    if let Some(thread) = enclosing.filter(|thread| thread.node < part.root) {
        return vec![ExportTrack {
            thread: Some((thread.node, thread)),
            process,
            title: thread_title(part, thread),
            top_nodes: vec![part.root],
            ..ExportTrack::default()
        }];
    }
    let mut tracks = Vec::new();
    // one for each process, and one for nodes in none
    let mut outside: IndexMap<Option<NodeId>, ExportTrack> = IndexMap::new();
    let mut at = part.root;
    while at < tree.end(part.root) {
        process = process.filter(|&process| tree.contains(process, at));
        if let Ok(row) = threads.binary_search_by_key(&at, |thread| thread.node) {
            tracks.push(track_of(part, threads[row], process, is_own(at)));
            at = tree.end(at);
            continue;
        }
        if is_process(&at) {
            process = Some(at);
        }
        let is_top = process != Some(at) && (at != part.root || part.kind(at) != FrameKind::Root);
        if is_top || is_own(at) {
            let track = outside.entry(process).or_insert_with(|| ExportTrack {
                process,
                title: part.view.name(part.root),
                ..ExportTrack::default()
            });
            let nodes = if is_top {
                &mut track.top_nodes
            } else {
                &mut track.exclusive_nodes
            };
            nodes.push(at);
        }
        at = if is_top {
            tree.end(at)
        } else {
            NodeId(at.0 + 1)
        };
    }
    tracks.extend(outside.into_values());
    tracks
}

/// In a part of another profile, a thread's node may be a frame.
fn track_of<'a>(
    part: &Part<'a>,
    thread: &'a Thread,
    process: Option<NodeId>,
    is_own: bool,
) -> ExportTrack<'a> {
    let node = thread.node;
    let is_thread = part.kind(node) == FrameKind::Thread;
    let top_nodes = match is_thread {
        true => part.view.tree.children(node).collect(),
        false => vec![node],
    };
    ExportTrack {
        thread: Some((node, thread)),
        process,
        title: thread_title(part, thread),
        exclusive_nodes: (is_thread && is_own).then_some(node).into_iter().collect(),
        top_nodes,
    }
}

impl ExportTrack<'_> {
    pub(super) fn below(&self, tree: &CallTree) -> impl Iterator<Item = NodeId> {
        let top_nodes = self.top_nodes.iter();
        top_nodes.flat_map(|&top| tree.range(top).map(NodeId::at))
    }

    pub(super) fn nodes(&self, tree: &CallTree) -> impl Iterator<Item = NodeId> {
        self.exclusive_nodes.iter().copied().chain(self.below(tree))
    }

    pub(super) fn total(&self, part: &Part, metric: MetricId) -> u64 {
        let tree = &part.view.tree;
        sum(self.nodes(tree).map(|node| tree.exclusive(metric, node)))
    }

    /// Walks the track in preorder: into (`true`) and out of every node. Stops at an error.
    pub(super) fn walk(
        &self,
        tree: &CallTree,
        mut visit: impl FnMut(NodeId, bool) -> io::Result<()>,
    ) -> io::Result<()> {
        for &top in &self.top_nodes {
            for node in tree.range(top).map(NodeId::at) {
                visit(node, true)?;
                let mut closed = node;
                while tree.end(closed) == NodeId(node.0 + 1) {
                    visit(closed, false)?;
                    match tree.parent(closed) {
                        Some(parent) if closed != top => closed = parent,
                        _ => break,
                    }
                }
            }
        }
        Ok(())
    }
}

/// In a part of another profile, the root can be a method within a thread.
fn thread_title<'a>(part: &Part<'a>, thread: &'a Thread) -> &'a str {
    match part.kind(thread.node) {
        FrameKind::Thread => part.view.name(thread.node),
        _ if thread.name.is_empty() => &thread.id,
        _ => &thread.name,
    }
}

pub(super) fn has_processes(tracks: &[ExportTrack]) -> bool {
    let mut pairs = tracks.windows(2);
    pairs.any(|pair| pair[0].process != pair[1].process)
}

/// The thread's name, preceded by the process if there are several.
pub(super) fn title_of<'a>(
    part: &Part<'a>,
    track: &ExportTrack<'a>,
    has_processes: bool,
) -> Cow<'a, str> {
    match track.process.filter(|_| has_processes) {
        Some(process) => format!("{} / {}", part.view.name(process), track.title).into(),
        None if track.title.is_empty() => NAMELESS.into(),
        None => track.title.into(),
    }
}
