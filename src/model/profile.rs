//! A profile: one tree with all that is known about it.

use super::{FrameId, FrameKind, Frames, Metric, MetricId, NodeId, Places, Tree};

/// How the profile was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// Stacks at intervals: times and numbers of samples, no calls.
    Sampling,
    /// Every call measured: exact calls, times inflated in proportion to them.
    Tracing,
    /// Statement by statement.
    LineByLine,
    /// Events over time, of which the tree is one view.
    Timeline,
    /// The source does not say.
    Unknown,
}

impl ProfileKind {
    const ALL: [ProfileKind; 5] = [
        ProfileKind::Sampling,
        ProfileKind::Tracing,
        ProfileKind::LineByLine,
        ProfileKind::Timeline,
        ProfileKind::Unknown,
    ];

    /// The kind's name in output and call-tree JSON: `sampling`, `tracing`, `line-by-line`, `timeline` or `unknown`.
    pub fn name(self) -> &'static str {
        match self {
            ProfileKind::Sampling => "sampling",
            ProfileKind::Tracing => "tracing",
            ProfileKind::LineByLine => "line-by-line",
            ProfileKind::Timeline => "timeline",
            ProfileKind::Unknown => "unknown",
        }
    }

    /// The kind that [`ProfileKind::name`] calls `name`; unknown names are unknown kinds.
    pub fn from_name(name: &str) -> ProfileKind {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(ProfileKind::Unknown)
    }
}

/// Where a profile comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file as the user named it, or the source that the file names.
    pub name: String,
    /// The name of the format in the table of formats.
    pub format: &'static str,
    /// How it was taken.
    pub kind: ProfileKind,
    /// The program that read it or, for call-tree JSON, that wrote it.
    pub decoder: String,
    /// That program's version.
    pub decoder_version: String,
    /// More about it for people, in order: what it is, and its text. May hold private data, which is never exported.
    pub facts: Vec<(&'static str, String)>,
}

/// A thread of the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The thread's root in the tree.
    pub node: NodeId,
    /// The number that the source gives it, as text: an operating system's id or a profiler's number. May be empty.
    pub id: String,
    /// Its name; empty if it has none.
    pub name: String,
}

/// A process of a profile of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The root of the process, whose callees are its threads.
    pub node: NodeId,
    /// Its number.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
}

/// The threads of a profile, in the order of the source. Their subtrees are disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    rows: Vec<Thread>,
    by_node: Vec<u32>,
}

impl Threads {
    /// These threads.
    pub fn new(rows: Vec<Thread>) -> Threads {
        let mut by_node: Vec<u32> = (0..rows.len() as u32).collect();
        by_node.sort_by_key(|&row| rows[row as usize].node);
        Threads { rows, by_node }
    }

    /// The threads in the order of their nodes, which is by value, largest first.
    pub fn by_value(&self) -> impl Iterator<Item = &Thread> {
        self.by_node.iter().map(|&row| &self.rows[row as usize])
    }

    /// The last thread in the order of nodes that does not come after `node`. O(log threads).
    fn last_until(&self, node: NodeId) -> Option<&Thread> {
        let behind = self.by_node.partition_point(|&row| self.rows[row as usize].node <= node);
        self.by_node[..behind].last().map(|&row| &self.rows[row as usize])
    }
}

impl std::ops::Deref for Threads {
    type Target = [Thread];

    fn deref(&self) -> &[Thread] {
        &self.rows
    }
}

/// How the nodes of this profile are called in output and on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeIds {
    /// `n` and the number in preorder: `n0` is the root.
    Preorder,
    /// `t<thread>:0x<offset>` by the offset of each node in its thread's section, as dotTrace snapshots have them.
    /// A row per node; `root` is the root.
    ThreadOffsets(Vec<u64>),
}

/// The method of a [`StoredHotspot`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredMethod {
    /// A frame of the profile, for sources that number their methods.
    Frame(FrameId),
    /// A method by its name.
    Named {
        /// The raw name.
        name: String,
        /// The signature as in [`crate::model::Frame::signature`]; `None` if the source does not tell overloads apart.
        signature: Option<String>,
    },
}

/// A sum that the source itself has stored for a method, to be compared with ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredHotspot {
    /// The subtree over which it is a sum: the root or a thread.
    pub scope: NodeId,
    /// The method.
    pub method: StoredMethod,
    /// Inclusive value of the default metric in stored steps, recursion counted once.
    pub inclusive: u64,
    /// Exclusive value of the default metric in stored steps.
    pub exclusive: u64,
    /// Calls or samples over all nodes, if the source has them.
    pub count: Option<u64>,
    /// The number of nodes, if the source has it.
    pub node_count: Option<u64>,
}

/// A profile: what an importer makes, and what everything else works on.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Where it comes from.
    pub source: Source,
    /// Its frames.
    pub frames: Frames,
    /// Its tree.
    pub tree: Tree,
    /// Where each frame occurs in the tree.
    pub places: Places,
    /// Its metrics, at least one.
    pub metrics: Vec<Metric>,
    /// The metric that is shown first and by which siblings are ordered.
    pub default_metric: MetricId,
    /// Its processes in the order of the source; none where the source is of one process, which then has no node.
    pub processes: Vec<Process>,
    /// Its threads, in the order of the source.
    pub threads: Threads,
    /// How its nodes are called.
    pub node_ids: NodeIds,
    /// What a reader should know before believing the numbers, a sentence each.
    pub warnings: Vec<String>,
    /// Sums that the source has stored.
    pub stored_hotspots: Vec<StoredHotspot>,
}

impl Profile {
    /// A profile of a tree and its frames, with nothing yet about threads, node ids, warnings and stored sums.
    /// O(nodes + frames), for the index of places.
    pub fn new(source: Source, frames: Frames, tree: Tree, metrics: Vec<Metric>, default_metric: MetricId) -> Profile {
        debug_assert_eq!(metrics.len(), tree.metric_count(), "a pair of columns for each metric");
        Profile {
            source,
            places: Places::new(&tree, frames.len()),
            frames,
            tree,
            metrics,
            default_metric,
            processes: Vec::new(),
            threads: Threads::default(),
            node_ids: NodeIds::Preorder,
            warnings: Vec::new(),
            stored_hotspots: Vec::new(),
        }
    }

    /// The metric behind a handle.
    pub fn metric(&self, id: MetricId) -> &Metric {
        &self.metrics[id.index()]
    }

    /// The metric of this name; case does not matter.
    pub fn metric_named(&self, name: &str) -> Option<MetricId> {
        self.metrics.iter().position(|metric| metric.name.eq_ignore_ascii_case(name)).map(MetricId::at)
    }

    /// How many nodes there are, thread roots among them; the synthetic root above all threads, which no source has, is not
    /// counted.
    pub fn node_count(&self) -> usize {
        let is_synthetic = self.frames.get(self.tree.frame(NodeId::ROOT)).kind == FrameKind::Root;
        self.tree.len() - usize::from(is_synthetic)
    }

    /// How many methods and special frames occur in the tree. O(frames).
    pub fn method_count(&self) -> usize {
        let occurs = |id| !self.places.of(id).is_empty();
        self.frames.iter().filter(|(id, frame)| frame.kind.is_hotspot() && occurs(*id)).count()
    }

    /// The raw name of the frame at a node.
    pub fn name(&self, node: NodeId) -> &str {
        self.frames.name(self.tree.frame(node))
    }

    /// The name for people of the frame at a node.
    pub fn shown(&self, node: NodeId) -> &str {
        self.frames.shown(self.tree.frame(node))
    }

    /// The thread in whose subtree a node lies. O(log threads).
    pub fn thread_of(&self, node: NodeId) -> Option<&Thread> {
        self.threads.last_until(node).filter(|thread| self.tree.contains(thread.node, node))
    }

    /// How a node is called in output and on the command line.
    pub fn node_label(&self, node: NodeId) -> String {
        match &self.node_ids {
            NodeIds::Preorder => format!("n{}", node.0),
            NodeIds::ThreadOffsets(offsets) => match self.thread_of(node) {
                Some(thread) => format!("t{}:{:#x}", thread.id, offsets[node.index()]),
                None => "root".into(),
            },
        }
    }

    /// The node that [`Profile::node_label`] calls `label`. O(nodes) at worst.
    pub fn node_labelled(&self, label: &str) -> Option<NodeId> {
        match &self.node_ids {
            NodeIds::Preorder => {
                let number: usize = label.strip_prefix('n')?.parse().ok()?;
                (number < self.tree.len()).then(|| NodeId::at(number))
            }
            NodeIds::ThreadOffsets(_) if label == "root" => Some(NodeId::ROOT),
            NodeIds::ThreadOffsets(offsets) => {
                let (thread, offset) = label.strip_prefix('t')?.split_once(":0x")?;
                let offset = u64::from_str_radix(offset, 16).ok()?;
                let thread = self.threads.iter().find(|candidate| candidate.id == thread)?;
                self.tree.range(thread.node).find(|&row| offsets[row] == offset).map(NodeId::at)
            }
        }
    }
}
