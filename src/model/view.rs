use super::{
    Amount, CallTree, CountKind, Counts, Frame, FrameId, Frames, Marker, Measure, MetricId, NodeId,
    NodeMap, NodeRef, Occurrences, Process, RecordedNode, RecordedProcess, RecordedThread,
    Recording, RecordingRange, RemadeTree, Step, Thread, Threads, TooLarge, TreeForm, Truncation,
    ViewSpec, Waiting,
};
use crate::diagnostics::{Diagnostic, Severity};
use crate::names::FrameKind;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// A recording with a list of steps applied: a call tree with threads and diagnostics. Cheap to clone.
#[derive(Clone, Debug)]
pub struct View {
    pub recording: Arc<Recording>,
    pub steps: ViewSpec,
    pub frames: Frames,
    pub tree: CallTree,
    pub occurrences: Arc<Occurrences>,
    pub form: TreeForm,
    origin: Origin,
    /// This view without the steps that collapse runs of frames, if it has any.
    uncollapsed: Option<Arc<View>>,
    /// The nodes that direct recursion was folded into, ascending, with the longest chain of each.
    recursions: Arc<[(NodeId, u32)]>,
    /// In source order. Empty if there is only one, which then has no node.
    pub processes: Vec<Process>,
    pub threads: Threads,
    /// The indices in [`Recording::threads`] that each thread consists of; `None` for the recorded threads.
    rows_of_threads: Option<Arc<[Vec<usize>]>>,
    pub truncation: Option<Truncation>,
    waiting: Arc<[Waiting]>,
    /// If threads were merged: how many of them only waited, by metric, and how many there were.
    merged_idle: Option<(Vec<usize>, usize)>,
    /// `None` if all rows are built.
    unbuilt: Option<UnbuiltRows>,
    cached: Cached,
    /// Includes those about truncated stacks in these threads, and cautions, which files don't store.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone, Debug)]
enum Origin {
    /// They are the recorded nodes, with the same ids.
    Whole,
    /// Each comes from one recorded node, or from several, of which this is the first.
    Scope(NodeMap<NodeId, RecordedNode>),
    /// Steps after the first changed the tree.
    Steps {
        base: Arc<View>,
        /// The node of `base` that each node comes from; the first of several.
        to_base: NodeMap<NodeId, NodeId>,
        from_base: NodeMap<NodeId, NodeId>,
    },
}

#[derive(Clone, Debug, Default)]
struct Cached {
    largest: OnceLock<Arc<[(u64, u64)]>>,
    step_words: OnceLock<Arc<[String]>>,
}

/// From the nodes of a view to the tree that a step made; see [`View::moved`].
pub struct NodeMoves {
    pub places: NodeMap<NodeId, NodeId>,
    /// By metric. A node may appear more than once.
    pub waiting: Vec<Vec<(NodeId, Amount)>>,
    /// New nodes that merge direct recursion, with the longest chain. A node may appear more than once.
    pub recursions: Vec<(NodeId, u32)>,
    pub is_display: bool,
}

/// Builds more rows of a lazy tree; see [`View::opened`].
pub trait ExtendTree: std::fmt::Debug + Send + Sync {
    fn opened(&self, row: NodeId, opening: Opening) -> Result<OpenedView, TooLarge>;

    fn base(&self) -> &View;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    Row,
    /// The rows along the hot path, within a limit on the work.
    HotPath(Measure),
    /// Everything below, within a limit on the work.
    All,
}

pub struct OpenedView {
    pub view: View,
    /// By node of the old view.
    pub places: Vec<NodeId>,
}

#[derive(Clone, Debug)]
pub struct UnbuiltRows {
    /// Ascending.
    pub leaves: Arc<[NodeId]>,
    pub builder: Arc<dyn ExtendTree>,
}

impl Recording {
    pub fn into_view(self) -> View {
        View::whole(&Arc::new(self), TreeForm::Repaired)
    }
}

impl View {
    /// O(threads + frames), and O(nodes) if a frame waits.
    pub fn whole(recording: &Arc<Recording>, form: TreeForm) -> View {
        let form = match form {
            TreeForm::Repaired => recording.form(),
            TreeForm::Original => form,
        };
        let recorded = recording.tree_of(form);
        // the view of a whole tree keeps its node ids
        let shown = |node: &RecordedNode| NodeId(node.0);
        let thread = |(thread, node): (&RecordedThread, &RecordedNode)| Thread {
            node: shown(node),
            id: thread.id.clone(),
            name: thread.name.clone(),
        };
        let process = |(process, node): (&RecordedProcess, &RecordedNode)| Process {
            node: shown(node),
            id: process.id,
            name: process.name.clone(),
        };
        let processes = recording.processes.iter().zip(&recorded.processes);
        let threads = recording.threads.iter().zip(recorded.threads());
        let view = View {
            steps: ViewSpec::whole(recording, form),
            frames: Frames::over(Arc::clone(&recording.frames)),
            tree: recorded.tree.shown(),
            occurrences: Arc::clone(&recorded.occurrences),
            form,
            origin: Origin::Whole,
            uncollapsed: None,
            recursions: Arc::default(),
            processes: processes.map(process).collect(),
            threads: Threads::new(threads.map(thread).collect()),
            rows_of_threads: None,
            truncation: recording.truncation.clone(),
            waiting: Arc::default(),
            merged_idle: None,
            unbuilt: None,
            cached: Cached::default(),
            diagnostics: Vec::new(),
            recording: Arc::clone(recording),
        };
        view.with_waiting_and_diagnostics()
    }

    pub fn into_recording(self) -> Recording {
        Arc::unwrap_or_clone(self.recording)
    }

    pub fn with_remade_tree(&self, remade: RemadeTree) -> View {
        let origin = self.recorded_origin(&remade);
        self.with_tree(remade, origin)
            .with_waiting_and_diagnostics()
    }

    fn recorded_origin(&self, remade: &RemadeTree) -> Origin {
        let origins = remade.origins.iter();
        Origin::Scope(origins.map(|&node| Some(self.to_recorded(node))).collect())
    }

    pub fn with_frames(&self, frames: Frames, replace: impl Fn(FrameId) -> FrameId) -> View {
        let tree = self.tree.with_frames(replace);
        View {
            occurrences: Arc::new(Occurrences::new(&tree, frames.len())),
            tree,
            frames,
            ..self.clone()
        }
    }

    fn with_tree(&self, remade: RemadeTree, origin: Origin) -> View {
        let RemadeTree { frames, built, .. } = remade;
        let threads = remade.threads;
        let recorded = |rows: &[usize]| {
            rows.iter()
                .flat_map(|&row| self.rows_of_thread(row).into_owned())
                .collect()
        };
        let rows: Arc<[Vec<usize>]> = threads.iter().map(|(_, rows)| recorded(rows)).collect();
        let truncation = self.recording.truncation.as_ref();
        let merged: Vec<usize> = threads.iter().flat_map(|(_, rows)| rows.clone()).collect();
        let idle = |waiting: &Waiting| {
            let nodes = merged.iter().map(|&row| self.threads[row].node);
            nodes.filter(|&node| waiting.is_idle(node)).count()
        };
        let is_any_merged = threads.iter().any(|(_, rows)| rows.len() > 1);
        let merged_idle =
            is_any_merged.then(|| (self.waiting.iter().map(idle).collect(), merged.len()));
        View {
            occurrences: Arc::new(Occurrences::new(&built.tree, frames.len())),
            frames,
            tree: built.tree,
            origin,
            uncollapsed: None,
            recursions: Arc::default(),
            processes: remade.processes,
            threads: Threads::new(threads.into_iter().map(|(thread, _)| thread).collect()),
            truncation: truncation.map(|known| known.of_threads(rows.iter().map(Vec::as_slice))),
            rows_of_threads: Some(rows),
            waiting: Arc::default(),
            merged_idle,
            unbuilt: None,
            cached: Cached::default(),
            diagnostics: self.diagnostics.clone(),
            steps: self.steps.clone(),
            recording: Arc::clone(&self.recording),
            form: self.form,
        }
    }

    /// Like [`View::with_remade_tree`], for a step that keeps threads and maps every node of [`View::base`].
    pub fn moved(&self, remade: RemadeTree, moved: NodeMoves) -> View {
        let (places, mut recursions) = (moved.places, moved.recursions);
        let before = self.recursions.iter();
        recursions.extend(before.filter_map(|&(node, chain)| Some((places.get(node)?, chain))));
        recursions.sort_unstable_by_key(|&(node, chain)| (node, std::cmp::Reverse(chain)));
        recursions.dedup_by_key(|(node, _)| *node);
        let origins = remade.origins.iter();
        let to_base = origins.map(|&node| Some(self.to_base(node))).collect();
        let this_view = || Arc::new(self.clone());
        let origin = match &self.origin {
            Origin::Steps {
                base, from_base, ..
            } => Origin::Steps {
                base: Arc::clone(base),
                to_base,
                from_base: from_base.then(|node| places.get(node)),
            },
            _ => Origin::Steps {
                base: this_view(),
                to_base,
                from_base: places,
            },
        };
        let uncollapsed = || self.uncollapsed.clone().unwrap_or_else(this_view);
        let view = self.with_tree(remade, origin);
        let waiting = moved.waiting.into_iter().enumerate();
        let waiting = waiting.map(|(metric, amounts)| {
            let metric = MetricId::at(metric);
            Waiting::moved(&view.tree, metric, amounts, view.may_be_idle(metric))
        });
        View {
            uncollapsed: moved.is_display.then(uncollapsed),
            recursions: recursions.into(),
            waiting: waiting.collect(),
            merged_idle: self.merged_idle.clone(),
            ..view
        }
    }

    /// The view that the first step made; this one if no other step changed the tree.
    pub fn base(&self) -> &View {
        match &self.origin {
            Origin::Steps { base, .. } => base,
            _ => self,
        }
    }

    /// Without steps that collapse runs of frames ([`super::Step::is_display`]); this one if there are none.
    pub fn uncollapsed(&self) -> &View {
        self.uncollapsed.as_deref().unwrap_or(self)
    }

    pub fn is_collapsed(&self) -> bool {
        self.uncollapsed.is_some()
    }

    /// What a node of [`View::base`] became part of; `None` if it is gone.
    pub fn from_base(&self, node: NodeId) -> Option<NodeId> {
        match &self.origin {
            Origin::Steps { from_base, .. } => from_base.get(node),
            _ => (node.index() < self.tree.len()).then_some(node),
        }
    }

    /// The node of [`View::base`] that a node comes from; the first of several.
    pub fn to_base(&self, node: NodeId) -> NodeId {
        match &self.origin {
            Origin::Steps { to_base, .. } => to_base.get(node).unwrap_or(NodeId::ROOT),
            _ => node,
        }
    }

    /// What a node of [`View::uncollapsed`] became part of.
    pub fn from_uncollapsed(&self, node: NodeId) -> Option<NodeId> {
        match &self.uncollapsed {
            None => Some(node).filter(|node| node.index() < self.tree.len()),
            Some(uncollapsed) => self.from_base(uncollapsed.to_base(node)),
        }
    }

    /// The outermost nodes of [`View::uncollapsed`] that became part of a row, ascending and disjoint.
    pub fn to_uncollapsed(&self, row: NodeId) -> Vec<NodeId> {
        let uncollapsed = self.uncollapsed();
        let mut roots = Vec::new();
        let mut node = NodeId::ROOT;
        while node.index() < uncollapsed.tree.len() {
            let place = self.from_uncollapsed(node);
            // the subtree of a node maps into the subtree of its place
            let contains_row = place.is_some_and(|place| self.tree.contains(place, row));
            if place == Some(row) {
                roots.push(node);
            }
            node = if contains_row && place != Some(row) {
                NodeId(node.0 + 1)
            } else {
                uncollapsed.tree.end(node)
            };
        }
        roots
    }

    /// The node of [`View::uncollapsed`] with the same subtree; `None` if the row merges several.
    pub fn to_single_uncollapsed(&self, row: NodeId) -> Option<NodeId> {
        match self.to_uncollapsed(row)[..] {
            [root] => Some(root),
            _ => None,
        }
    }

    pub fn recursion_of(&self, node: NodeId) -> Option<u32> {
        let row = self.recursions.binary_search_by_key(&node, |row| row.0);
        Some(self.recursions[row.ok()?].1)
    }

    /// For a caller tree. `waiting` is the waiting part of inclusive values, by metric and node.
    pub fn remade_caller_tree(
        &self,
        remade: RemadeTree,
        waiting: Vec<Vec<Amount>>,
        unbuilt: Option<UnbuiltRows>,
    ) -> View {
        let metrics = self.recording.metric_ids();
        let idle = metrics.map(|metric| self.idle_threads(metric).0).collect();
        let threads = self.idle_threads(self.recording.default_metric).1;
        let origin = self.recorded_origin(&remade);
        View {
            waiting: waiting.into_iter().map(Waiting::of_nodes).collect(),
            merged_idle: Some((idle, threads)),
            unbuilt,
            // callers belong to no thread, so the truncation of the whole view applies
            truncation: self.truncation.clone(),
            ..self.with_tree(remade, origin)
        }
    }

    fn with_waiting_and_diagnostics(mut self) -> View {
        let metrics = self.recording.metric_ids();
        self.waiting = metrics.map(|metric| self.find_waiting(metric)).collect();
        self.diagnostics = self.scoped_diagnostics();
        self
    }

    /// In CPU time: sleeping and spinning. In dotTrace's time, a thread with time but no method waited in native code.
    fn find_waiting(&self, metric: MetricId) -> Waiting {
        let measured = self.recording.measured(metric);
        let may_wait = measured.may_wait();
        if !may_wait && !measured.is_running_time() {
            return Waiting::default();
        }
        let waits = |(_, frame): (_, &Frame)| frame.waits(may_wait);
        let is_wait: Vec<bool> = self.frames.iter().map(waits).collect();
        let mut nodes = Vec::new();
        if is_wait.contains(&true) {
            let waits = |node: &NodeId| is_wait[self.tree.frame(*node).index()];
            nodes.extend(self.tree.nodes().filter(waits));
        }
        if may_wait && self.recording.source.thread_self_time_is_wait() {
            nodes.extend(self.threads.iter().map(|thread| thread.node));
        }
        let is_sampled = measured.counts == Some(CountKind::Samples);
        let own_samples = |node| match is_sampled {
            true => self.own_count(metric, node),
            false => 0,
        };
        let threads = self.may_be_idle(metric);
        Waiting::new(&self.tree, metric, nodes, threads, own_samples)
    }

    fn may_be_idle(&self, metric: MetricId) -> &[Thread] {
        match self.recording.metric(metric).may_wait() {
            true => &self.threads,
            false => &[],
        }
    }

    fn scoped_diagnostics(&self) -> Vec<Diagnostic> {
        let truncated = || {
            let truncation = self.truncation.as_ref()?;
            truncation.diagnostic(&self.recording.metrics, self.is_repaired())
        };
        let scoped = |diagnostic: &Diagnostic| match diagnostic {
            Diagnostic::StacksTruncated { .. } => {
                truncated().map(|stacks| Diagnostic::StacksTruncated { stacks })
            }
            other => Some(other.clone()),
        };
        let recorded = self.recording.diagnostics.iter();
        recorded.filter_map(scoped).collect()
    }

    #[must_use]
    pub fn with_cautions(mut self, cautions: Vec<Diagnostic>) -> View {
        self.diagnostics
            .retain(|diagnostic| diagnostic.severity() != Severity::Caution);
        self.diagnostics.extend(cautions);
        self
    }

    /// The largest inclusive value and count: usually the root's, but some sources have larger ones.
    pub fn largest(&self, metric: MetricId) -> (u64, u64) {
        let largest = |metric| {
            let columns = self.tree.columns(metric);
            let inclusive = columns.inclusive.iter().copied();
            let count = columns.counts.as_ref().map_or(0, Counts::largest);
            (inclusive.fold(0, u64::max), count)
        };
        let all = || self.recording.metric_ids().map(largest).collect();
        self.cached.largest.get_or_init(all)[metric.index()]
    }

    pub fn step_words(&self) -> &[String] {
        let words = |step: &Step| step.words(&self.steps.scope, &self.recording);
        let all = || self.steps.transforms.iter().map(words).collect();
        self.cached.step_words.get_or_init(all)
    }

    pub fn waiting(&self, metric: MetricId) -> &Waiting {
        &self.waiting[metric.index()]
    }

    /// How many threads only wait, and of how many; merged threads are counted one by one.
    pub fn idle_threads(&self, metric: MetricId) -> (usize, usize) {
        match &self.merged_idle {
            Some((idle, threads)) => (idle[metric.index()], *threads),
            None => {
                let idle = &self.waiting(metric).idle_threads;
                (idle.len(), self.threads.len())
            }
        }
    }

    /// The first metric by which a thread is idle, and its percentage of waiting.
    pub fn idle_percent(&self, thread: NodeId) -> Option<(MetricId, f64)> {
        let mut metrics = self.recording.metric_ids();
        let metric = metrics.find(|&metric| self.waiting(metric).is_idle(thread))?;
        let total = self.tree.inclusive(metric, thread);
        let waiting = self.waiting(metric).within(&self.tree, thread);
        Some((metric, crate::units::percent(waiting, total)))
    }

    /// Whether a leaf has unbuilt children, as in caller trees.
    pub fn has_more(&self, node: NodeId) -> bool {
        let leaves = self.unbuilt.as_ref().map(|unbuilt| &unbuilt.leaves);
        leaves.is_some_and(|leaves| leaves.binary_search(&node).is_ok())
    }

    /// Builds more rows below `row`; `None` if there are none.
    pub fn opened(&self, row: NodeId, opening: Opening) -> Result<Option<OpenedView>, TooLarge> {
        let unbuilt = self.unbuilt.as_ref().filter(|_| match opening {
            Opening::All => self.has_more_within(row),
            Opening::Row | Opening::HotPath(_) => self.has_more(row),
        });
        let Some(unbuilt) = unbuilt else {
            return Ok(None);
        };
        let OpenedView { mut view, places } = unbuilt.builder.opened(row, opening)?;
        view.steps.clone_from(&self.steps);
        view.diagnostics.clone_from(&self.diagnostics);
        Ok(Some(OpenedView { view, places }))
    }

    pub fn has_more_within(&self, row: NodeId) -> bool {
        self.unbuilt.as_ref().is_some_and(|unbuilt| {
            let from = unbuilt.leaves.partition_point(|&leaf| leaf < row);
            let leaf = unbuilt.leaves.get(from);
            leaf.is_some_and(|&leaf| self.tree.contains(row, leaf))
        })
    }

    pub fn inverted_from(&self) -> Option<&View> {
        self.unbuilt.as_ref().map(|unbuilt| unbuilt.builder.base())
    }

    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.tree.is_leaf(node) && !self.has_more(node)
    }

    pub fn original(&self) -> View {
        View::whole(&self.recording, TreeForm::Original)
    }

    /// Whether truncated stacks were found, and are shown repaired.
    pub fn is_repaired(&self) -> bool {
        self.form == TreeForm::Repaired
    }

    pub fn is_whole(&self) -> bool {
        matches!(self.origin, Origin::Whole)
    }

    /// The recorded node that a node comes from; the first of several.
    pub fn to_recorded(&self, node: NodeId) -> RecordedNode {
        match &self.origin {
            Origin::Whole => RecordedNode(node.0),
            Origin::Scope(recorded) => recorded.get(node).unwrap_or(RecordedNode::ROOT),
            Origin::Steps { base, .. } => base.to_recorded(self.to_base(node)),
        }
    }

    /// `None` if the recorded node isn't in the view or was merged into an earlier one. O(nodes) if threads were
    /// merged.
    pub fn from_recorded(&self, node: RecordedNode) -> Option<NodeId> {
        match &self.origin {
            Origin::Steps { base, .. } => self.from_base(base.from_recorded(node)?),
            Origin::Whole => self.from_recorded_in_thread(node),
            Origin::Scope(_) => {
                let mut nodes = self.tree.nodes();
                let scan = || nodes.find(|&shown| self.to_recorded(shown) == node);
                self.from_recorded_in_thread(node).or_else(scan)
            }
        }
    }

    /// Like [`View::from_recorded`], but only in threads that this view has not merged.
    pub fn from_recorded_in_thread(&self, node: RecordedNode) -> Option<NodeId> {
        if let Origin::Steps { base, .. } = &self.origin {
            return self.from_base(base.from_recorded_in_thread(node)?);
        }
        let exists = |shown: &NodeId| shown.index() < self.tree.len();
        if self.is_whole() || node == RecordedNode::ROOT {
            return Some(NodeId(node.0)).filter(exists);
        }
        let recorded = self.recording.tree_of(self.form);
        let row = recorded.thread_of(node)?;
        let at = (0..self.threads.len()).find(|&at| *self.rows_of_thread(at) == [row])?;
        // a thread's nodes keep their order, except siblings that weigh the same only within this view
        let offset = node.0 - recorded.threads()[row].0;
        let shown = NodeId(self.threads[at].node.0.checked_add(offset)?);
        (exists(&shown) && self.to_recorded(shown) == node).then_some(shown)
    }

    /// O(nodes).
    pub fn recorded_nodes(&self) -> NodeMap<RecordedNode, NodeId> {
        let base = self.base();
        let len = self.recording.tree_of(self.form).tree.len();
        let nodes = base.tree.nodes();
        let pairs = nodes.map(|node| (base.to_recorded(node), self.from_base(node)));
        NodeMap::from_pairs(len, pairs)
    }

    pub fn node_ref(&self, node: NodeId) -> NodeRef {
        NodeRef {
            form: self.form,
            node: self.to_recorded(node),
        }
    }

    pub fn rows_of_thread(&self, row: usize) -> Cow<'_, [usize]> {
        match &self.rows_of_threads {
            None => Cow::Owned(vec![row]),
            Some(rows) => Cow::Borrowed(&rows[row]),
        }
    }

    /// Those of the processes shown, and of no known thread.
    pub fn shown_markers(&self) -> impl Iterator<Item = Marker<'_>> {
        let recording = &self.recording;
        let process = |row: usize| recording.threads[row].process;
        let rows = (0..self.threads.len()).flat_map(|row| self.rows_of_thread(row).into_owned());
        let shown: HashSet<Option<usize>> = rows.map(process).collect();
        let is_shown = |row| shown.contains(&process(row));
        let is_shown: Vec<bool> = (0..recording.threads.len()).map(is_shown).collect();
        let markers = recording.markers.iter();
        markers.filter(move |marker| marker.thread().is_none_or(|row| is_shown[row]))
    }

    pub fn has_merged_threads(&self) -> bool {
        let mut threads = self.rows_of_threads.iter();
        threads.any(|threads| threads.iter().any(|rows| rows.len() > 1))
    }

    pub fn diagnostics_of(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(move |diagnostic| diagnostic.severity() == severity)
    }

    /// Warnings, then cautions: they affect how to read the numbers.
    pub fn alerts(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics_of(Severity::Warning)
            .chain(self.diagnostics_of(Severity::Caution))
    }

    pub fn notes(&self) -> impl Iterator<Item = &Diagnostic> {
        let unclear = self.recording.unclear_counts().into_iter();
        unclear.chain(self.diagnostics_of(Severity::Note))
    }

    pub fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let unclear = self.recording.unclear_counts().into_iter();
        unclear.chain(&self.diagnostics)
    }

    pub fn range(&self) -> Option<RecordingRange> {
        self.steps.scope.range_of(&self.recording)
    }

    /// Includes thread roots, but not the synthetic root above all threads.
    pub fn node_count(&self) -> usize {
        let is_synthetic = self.frame(NodeId::ROOT).kind == FrameKind::Root;
        self.tree.len() - usize::from(is_synthetic)
    }

    pub fn subtree_node_count(&self, top: NodeId) -> usize {
        match top {
            NodeId::ROOT => self.node_count(),
            _ => self.tree.size(top),
        }
    }

    /// Its calls, or its samples that are in no callee. O(callees).
    pub fn own_count(&self, metric: MetricId, node: NodeId) -> u64 {
        let count = self.tree.count(metric, node).unwrap_or(0);
        if count == 0 || self.recording.metric(metric).counts != Some(CountKind::Samples) {
            return count;
        }
        // some sources give callees more samples than their caller
        let callees = self.tree.children(node);
        callees
            .filter_map(|callee| self.tree.count(metric, callee))
            .fold(count, u64::saturating_sub)
    }

    pub fn has_values(&self, node: NodeId) -> bool {
        let has_value = |metric| {
            self.tree.inclusive(metric, node) > 0 || self.tree.count(metric, node) > Some(0)
        };
        self.recording.metric_ids().any(has_value)
    }

    pub fn is_empty(&self) -> bool {
        !self.tree.nodes().any(|node| self.has_values(node))
    }

    pub fn occurs(&self, frame: FrameId) -> bool {
        !self.occurrences.of(frame).is_empty()
    }

    /// Includes special frames that occur in the tree.
    pub fn method_count(&self) -> usize {
        let frames = self.frames.iter().zip(self.occurrences.which_occur());
        let methods = frames.filter(|((_, frame), occurs)| *occurs && frame.kind.is_code());
        methods.count()
    }

    pub fn frame(&self, node: NodeId) -> &Frame {
        self.frames.get(self.tree.frame(node))
    }

    pub fn name(&self, node: NodeId) -> &str {
        self.frames.name(self.tree.frame(node))
    }

    /// A thread's name, with that of its process if there are several.
    pub fn thread_title(&self, thread: &Thread) -> String {
        let name = self.name(thread.node);
        let mut processes = self.processes.iter();
        let process = processes.find(|process| self.tree.contains(process.node, thread.node));
        match process {
            Some(process) if self.processes.len() > 1 => format!("{name}, {}", process.name),
            _ => name.into(),
        }
    }

    pub fn display_name(&self, node: NodeId) -> &str {
        self.frames.display_name(self.tree.frame(node))
    }

    pub fn thread_of(&self, node: NodeId) -> Option<&Thread> {
        self.threads.find(&self.tree, node)
    }

    pub fn node_label(&self, node: NodeId) -> String {
        self.recording.node_label(self.node_ref(node))
    }
}
