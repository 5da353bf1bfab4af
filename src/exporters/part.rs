use crate::model::{MethodKey, MethodNotes, Metric, MetricId, NodeId, View};
use crate::names::FrameKind;
use crate::text::file_name;
use crate::units::Unit;

#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub view: &'a View,
    pub root: NodeId,
    /// Formats with several metrics put it first.
    pub metric: MetricId,
    pub notes: &'a MethodNotes,
    /// CPU time, if stacks in timed formats begin with their thread and end with [`CPU_TIME`] or
    /// [`UNMANAGED_CODE_TIME`], like those of `dotnet-trace convert`.
    pub cpu_leaves: Option<MetricId>,
}

pub(super) const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
pub(super) const CPU_TIME: &str = "CPU_TIME";
pub(super) const UNMANAGED_CODE_TIME: &str = "UNMANAGED_CODE_TIME";

impl<'a> Part<'a> {
    pub fn new(view: &'a View, root: NodeId, metric: MetricId) -> Part<'a> {
        Part {
            view,
            root,
            metric,
            notes: &view.recording.method_notes,
            cpu_leaves: None,
        }
    }

    pub fn whole(view: &'a View, metric: MetricId) -> Part<'a> {
        Part::new(view, NodeId::ROOT, metric)
    }

    /// The user's notes on methods in the subtree, by name. O(occurrences of these).
    pub(super) fn notes_on_its_methods(&self) -> impl Iterator<Item = (&'a MethodKey, &'a str)> {
        let Part { view, root, .. } = *self;
        self.notes.iter().filter(move |(method, _)| {
            let frame = view.frames.with_key(method).into_iter();
            let mut nodes = frame.flat_map(|frame| view.occurrences.of(frame));
            nodes.any(|&node| view.tree.contains(root, node))
        })
    }

    pub(super) fn chosen_metric(&self) -> &'a Metric {
        self.view.recording.metric(self.metric)
    }

    pub(super) fn metrics(&self) -> Vec<MetricId> {
        let metrics = 0..self.view.recording.metrics.len();
        metrics.map(MetricId::at).collect()
    }

    /// The metric of the weights, and of what ran, if wall or CPU time is chosen and both exist.
    pub(super) fn time_and_cpu(&self) -> (MetricId, Option<MetricId>) {
        let recording = &self.view.recording;
        let is_time = |metric: &MetricId| recording.metric(*metric).unit == Unit::Milliseconds;
        let named = |name| recording.metric_named(name).filter(is_time);
        match (named("wall"), named("CPU")) {
            (Some(wall), Some(cpu)) if [wall, cpu].contains(&self.metric) => (wall, Some(cpu)),
            _ => (self.metric, None),
        }
    }

    /// Whether a node's stack is written: it has a value of its own, or would be lost otherwise.
    pub(super) fn has_stack(&self, node: NodeId, metrics: &[MetricId]) -> bool {
        let tree = &self.view.tree;
        let has_value = |&metric: &MetricId| tree.exclusive(metric, node) > 0;
        tree.is_leaf(node) || metrics.iter().any(has_value)
    }

    pub(super) fn kind(&self, node: NodeId) -> FrameKind {
        self.view.frame(node).kind
    }

    /// Without folders, which reveal who the user is.
    pub(super) fn source_name(&self) -> &'a str {
        file_name(&self.view.recording.source.name)
    }
}
