//! The threads of a part, for formats that write thread by thread.

use super::part::Part;
use crate::model::{CallTree, FrameKind, MetricId, NodeId, Thread};
use std::borrow::Cow;
use std::io;

/// What a frame without a name is written as: an empty name means no frame in some formats.
pub(super) const NAMELESS: &str = "[No name]";

/// What a format writes as one thread: a thread, or the nodes of a process (or of none) that lie in no thread.
pub(super) struct Track<'a> {
    /// The thread, and its node.
    pub thread: Option<(NodeId, &'a Thread)>,
    /// The node of the process, if the profile has several.
    pub process: Option<NodeId>,
    /// How it is called in the tree; nodes outside of threads are called like the root.
    pub title: Cow<'a, str>,
    /// Threads, processes and roots that have something of their own, or nothing below them. Formats in which only frames
    /// have values write each as a frame that is called like it.
    pub owns: Vec<NodeId>,
    /// The outermost nodes.
    pub tops: Vec<NodeId>,
}

/// The tracks of a part in the order of the tree, those of nodes outside of threads at the end. `metrics` are those that the
/// format writes. O(nodes outside of threads + threads and their callees).
pub(super) fn tracks<'a>(part: &Part<'a>, metrics: &[MetricId]) -> Vec<Track<'a>> {
    let (tree, threads) = (
        &part.view.tree,
        part.view.threads.by_value().collect::<Vec<_>>(),
    );
    let is_own = |node| {
        tree.is_leaf(node)
            || metrics
                .iter()
                .any(|&metric| tree.exclusive(metric, node) > 0)
    };
    let title = |node| Cow::Borrowed(part.view.name(node));
    let mut process = tree
        .ancestors(part.root)
        .find(|&above| part.kind(above) == FrameKind::Process);
    let (mut tracks, mut outside): (Vec<Track>, Vec<Track>) = (Vec::new(), Vec::new());
    let (mut at, mut outside_processes) = (part.root, None);
    if let Some(thread) = part
        .view
        .thread_of(part.root)
        .filter(|thread| thread.node < part.root)
    {
        let title = thread_title(part, thread);
        let thread = Some((thread.node, thread));
        return vec![Track {
            thread,
            process,
            title,
            owns: Vec::new(),
            tops: vec![part.root],
        }];
    }
    while at < tree.end(part.root) {
        process = process.filter(|&process| tree.contains(process, at));
        if let Ok(row) = threads.binary_search_by_key(&at, |thread| thread.node) {
            let is_thread = part.kind(at) == FrameKind::Thread;
            let owns = (is_thread && is_own(at))
                .then_some(at)
                .into_iter()
                .collect();
            let tops = if is_thread {
                tree.children(at).collect()
            } else {
                vec![at]
            };
            let (thread, title) = (Some((at, threads[row])), thread_title(part, threads[row]));
            tracks.push(Track {
                thread,
                process,
                title,
                owns,
                tops,
            });
            at = tree.end(at);
            continue;
        }
        let is_root = at == part.root && part.kind(at) == FrameKind::Root;
        let is_process = part.kind(at) == FrameKind::Process;
        if is_process {
            process = Some(at);
        }
        if (is_root || is_process) && !is_own(at) {
            at = NodeId(at.0 + 1);
            continue;
        }
        let fits = |row: &usize| {
            outside
                .get(*row)
                .is_some_and(|track| track.process == process)
        };
        // the nodes of a process stand side by side, those of none may stand between them
        let known = if process.is_none() {
            outside_processes
        } else {
            outside.len().checked_sub(1)
        };
        let row = known.filter(fits).unwrap_or_else(|| {
            let (owns, tops) = (Vec::new(), Vec::new());
            outside.push(Track {
                thread: None,
                process,
                title: title(part.root),
                owns,
                tops,
            });
            outside.len() - 1
        });
        if process.is_none() {
            outside_processes = Some(row);
        }
        let track = &mut outside[row];
        if is_root || is_process {
            track.owns.push(at);
            at = NodeId(at.0 + 1);
        } else {
            track.tops.push(at);
            at = tree.end(at);
        }
    }
    tracks.append(&mut outside);
    tracks
}

impl<'a> Track<'a> {
    /// The values of one metric in all of the track, as the sum of what its nodes have themselves.
    pub(super) fn total(&self, part: &Part, metric: MetricId) -> u64 {
        let tree = &part.view.tree;
        let below = self
            .tops
            .iter()
            .flat_map(|&top| tree.range(top).map(NodeId::at));
        let nodes = self.owns.iter().copied().chain(below);
        nodes.fold(0u64, |sum, node| {
            sum.saturating_add(tree.exclusive(metric, node))
        })
    }
}

/// How a thread is called in the tree. In a profile that was a part of another, the root can be a method within a thread.
fn thread_title<'a>(part: &Part<'a>, thread: &'a Thread) -> Cow<'a, str> {
    let name = if thread.name.is_empty() {
        &thread.id
    } else {
        &thread.name
    };
    Cow::Borrowed(if part.kind(thread.node) == FrameKind::Thread {
        part.view.name(thread.node)
    } else {
        name
    })
}

/// Whether tracks belong to different processes.
pub(super) fn has_processes(tracks: &[Track]) -> bool {
    tracks
        .iter()
        .any(|track| track.process != tracks[0].process)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Into a node from its caller.
    Enter(NodeId),
    /// Out of it, behind its callees.
    Leave(NodeId),
}

/// Walks a subtree: into and out of every node, in preorder. Whatever ends behind a node is left by walking up from it.
///
/// # Errors
/// Those of `visit`, which end the walk.
pub(super) fn walk(
    tree: &CallTree,
    top: NodeId,
    mut visit: impl FnMut(Step) -> io::Result<()>,
) -> io::Result<()> {
    for node in tree.range(top).map(NodeId::at) {
        visit(Step::Enter(node))?;
        let mut closed = node;
        while tree.end(closed) == NodeId(node.0 + 1) {
            visit(Step::Leave(closed))?;
            match tree.parent(closed) {
                Some(parent) if closed != top => closed = parent,
                _ => break,
            }
        }
    }
    Ok(())
}

/// How a track is called: like its thread, with its process in front if there are several.
pub(super) fn title_of<'a>(
    part: &Part<'a>,
    track: &Track<'a>,
    has_processes: bool,
) -> Cow<'a, str> {
    match track.process.filter(|_| has_processes) {
        Some(process) => format!("{} / {}", part.view.name(process), track.title).into(),
        None if track.title.is_empty() => NAMELESS.into(),
        None => track.title.clone(),
    }
}

/// Why tracks can't be laid out in time: readers have less than 63 bits for it.
pub(super) fn too_long(part: &Part, tracks: &[Track]) -> Option<String> {
    let track = tracks
        .iter()
        .find(|track| track.total(part, part.metric) >= i64::MAX as u64)?;
    Some(format!(
        "the values of {} add up to 2^63 or more, which this format can't hold; calltree can",
        track.title
    ))
}
