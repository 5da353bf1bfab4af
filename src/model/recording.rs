//! What was read from a source. Immutable, and shared by all views.

use super::{
    CallTree, ComparisonData, CountKind, Frames, MarkerTable, MethodNotes, Metric, MetricId,
    NodeIds, Occurrences, Process, RecordedNode, SampleTable, Source, SubtreeRoots, Thread,
    Truncation, UntimedReason, Verdicts,
};
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::model::messages;
use crate::units::Unit;
use borsh::{BorshDeserialize, BorshSerialize};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreeForm {
    Original,
    Repaired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeRef {
    pub form: TreeForm,
    pub node: RecordedNode,
}

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordedThread {
    /// The operating system's or profiler's id, as text. May be empty.
    pub id: String,
    pub name: String,
    /// An index in [`Recording::processes`]; `None` if unknown.
    pub process: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordedProcess {
    /// 0 if the source has none that is numeric.
    pub id: u64,
    pub name: String,
}

#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RecordedTree {
    pub tree: CallTree<RecordedNode>,
    #[borsh(skip)]
    pub occurrences: Arc<Occurrences>,
    threads: SubtreeRoots<RecordedNode>,
    pub processes: Vec<RecordedNode>,
}

impl RecordedTree {
    pub fn new(
        tree: CallTree<RecordedNode>,
        frame_count: usize,
        threads: Vec<RecordedNode>,
        processes: Vec<RecordedNode>,
    ) -> RecordedTree {
        RecordedTree {
            occurrences: Arc::new(Occurrences::new(&tree.shown(), frame_count)),
            tree,
            threads: SubtreeRoots::new(threads),
            processes,
        }
    }

    pub fn threads(&self) -> &[RecordedNode] {
        &self.threads.nodes
    }

    pub fn thread_of(&self, node: RecordedNode) -> Option<usize> {
        self.threads.find(&self.tree, node)
    }
}

#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Recording {
    pub source: Source,
    #[borsh(skip)]
    pub frames: Arc<Frames>,
    pub metrics: Vec<Metric>,
    pub default_metric: MetricId,
    /// In source order. Empty if there is only one, which then has no node.
    pub processes: Vec<RecordedProcess>,
    /// If the whole machine was recorded, the process to show first: the one with the most time in .NET.
    pub main_process: Option<usize>,
    /// In source order, with disjoint subtrees.
    pub threads: Vec<RecordedThread>,
    pub original: RecordedTree,
    /// With truncated stacks repaired, if there were any. Threads and exclusive values are the same.
    pub repaired: Option<RecordedTree>,
    pub truncation: Option<Truncation>,
    pub node_ids: NodeIds,
    /// Notes may contain private data, which is never exported.
    pub diagnostics: Vec<Diagnostic>,
    pub method_notes: MethodNotes,
    pub own_notes: MethodNotes,
    /// If they were requested and every value has a time.
    pub samples: Result<Arc<SampleTable>, UntimedReason>,
    pub markers: Arc<MarkerTable>,
    /// Several profiles as one, whose first two metrics are one metric before and after a change.
    #[borsh(skip)]
    pub comparison: Option<Arc<ComparisonData>>,
}

impl Recording {
    pub fn new(
        source: Source,
        frames: Frames,
        tree: CallTree<RecordedNode>,
        metrics: Vec<Metric>,
        default_metric: MetricId,
    ) -> Recording {
        assert_eq!(
            metrics.len(),
            tree.data.columns.len(),
            "a pair of columns for each metric"
        );
        Recording {
            source,
            original: RecordedTree::new(tree, frames.len(), Vec::new(), Vec::new()),
            frames: Arc::new(frames),
            metrics,
            default_metric,
            processes: Vec::new(),
            main_process: None,
            threads: Vec::new(),
            repaired: None,
            truncation: None,
            node_ids: NodeIds::Preorder,
            diagnostics: Vec::new(),
            method_notes: MethodNotes::default(),
            own_notes: MethodNotes::default(),
            samples: Err(UntimedReason::NoTimes),
            markers: Arc::default(),
            comparison: None,
        }
    }

    pub fn warn_of_saturated_sums(&mut self) {
        let tree = &self.original.tree;
        let is_saturated = |metric| tree.inclusive(metric, RecordedNode::ROOT) == u64::MAX;
        if !self.metric_ids().any(is_saturated) {
            return;
        }
        let warning = Diagnostic::SumsTooLarge {};
        // the importer may have reported such values, or a file written by dotspot may contain the warning
        let is_known = self.diagnostics.iter().any(|known| {
            known.code() == Anomaly::ValuesClamped.code()
                || known.to_string() == warning.to_string()
        });
        if !is_known {
            self.diagnostics.push(warning);
        }
    }

    /// Processes must be set first.
    #[must_use]
    pub fn with_threads(mut self, threads: Vec<Thread<RecordedNode>>) -> Recording {
        let processes = SubtreeRoots::new(self.original.processes.clone());
        let nodes = threads.iter().map(|thread| thread.node).collect();
        let recorded = threads.into_iter().map(|thread| RecordedThread {
            process: processes.find(&self.original.tree, thread.node),
            id: thread.id,
            name: thread.name,
        });
        self.threads = recorded.collect();
        self.original.threads = SubtreeRoots::new(nodes);
        self
    }

    #[must_use]
    pub fn with_processes(mut self, processes: Vec<Process<RecordedNode>>) -> Recording {
        self.original.processes = processes.iter().map(|process| process.node).collect();
        let processes = processes.into_iter();
        let recorded = processes.map(|Process { id, name, .. }| RecordedProcess { id, name });
        self.processes = recorded.collect();
        self
    }

    #[must_use]
    pub fn with_repair(mut self, repaired: RecordedTree, truncation: Truncation) -> Recording {
        let diagnostic = truncation.diagnostic(&self.metrics, true);
        self.diagnostics
            .extend(diagnostic.map(|stacks| Diagnostic::StacksTruncated { stacks }));
        self.truncation = Some(truncation);
        self.repaired = Some(repaired);
        self
    }

    pub fn form(&self) -> TreeForm {
        match self.repaired {
            Some(_) => TreeForm::Repaired,
            None => TreeForm::Original,
        }
    }

    pub fn tree_of(&self, form: TreeForm) -> &RecordedTree {
        match (form, &self.repaired) {
            (TreeForm::Repaired, Some(repaired)) => repaired,
            _ => &self.original,
        }
    }

    pub fn whole(&self) -> &RecordedTree {
        self.tree_of(self.form())
    }

    pub fn is_comparison(&self) -> bool {
        self.comparison.is_some()
    }

    pub fn leaves_out_waiting(&self) -> bool {
        let comparison = self.comparison.as_ref();
        comparison.is_some_and(|comparison| comparison.leaves_out_waiting)
    }

    pub fn verdicts(&self) -> Option<&Verdicts> {
        self.comparison.as_deref()?.verdicts.as_ref()
    }

    pub fn metric_ids(&self) -> impl Iterator<Item = MetricId> + use<> {
        (0..self.metrics.len()).map(MetricId::at)
    }

    pub fn metric(&self, id: MetricId) -> &Metric {
        &self.metrics[id.index()]
    }

    /// The metric in the profile itself, which a comparison renames.
    pub fn measured(&self, id: MetricId) -> &Metric {
        match &self.comparison {
            Some(comparison) => &comparison.metrics[id.index()],
            None => self.metric(id),
        }
    }

    pub fn metric_named(&self, name: &str) -> Option<MetricId> {
        let is_called = |metric: &Metric| metric.name.eq_ignore_ascii_case(name);
        self.metrics.iter().position(is_called).map(MetricId::at)
    }

    /// Why values are not exact; empty if they are.
    pub fn inflation(&self, metric: MetricId) -> &'static str {
        let metric = self.metric(metric);
        if metric.unit == Unit::Milliseconds {
            self.source.kind.inflation()
        } else if metric.is_estimate() {
            messages::ESTIMATED_FROM_TICKS
        } else {
            ""
        }
    }

    pub(super) fn unclear_counts(&self) -> Option<&'static Diagnostic> {
        let unclear = &Diagnostic::CountsUnclear {};
        let is_unclear = |metric: &Metric| metric.counts == Some(CountKind::Unknown);
        self.metrics.iter().any(is_unclear).then_some(unclear)
    }

    pub fn thread_title(&self, row: usize) -> &str {
        let recorded = self.whole();
        let node = recorded.threads()[row];
        self.frames.name(recorded.tree.frame(node))
    }

    /// The prefix of node labels: an original tree next to a repaired one has its own.
    pub fn number_prefix(&self, form: TreeForm) -> char {
        match form == TreeForm::Original && self.repaired.is_some() {
            true => 'o',
            false => 'n',
        }
    }

    pub fn node_label(&self, NodeRef { form, node }: NodeRef) -> String {
        match &self.node_ids {
            NodeIds::Preorder => format!("{}{}", self.number_prefix(form), node.0),
            NodeIds::ThreadOffsets(offsets) => match self.tree_of(form).thread_of(node) {
                Some(thread) => {
                    format!("t{}:{:#x}", self.threads[thread].id, offsets[node.index()])
                }
                None => "root".into(),
            },
            NodeIds::Offsets(offsets) => match offsets.get(node.index()) {
                None | Some(&NodeIds::NO_OFFSET) => "root".into(),
                Some(offset) => format!("{offset:#x}"),
            },
        }
    }

    /// The inverse of [`Recording::node_label`]. Reports may append a count of others, as in `n7+16`. O(nodes) at
    /// worst.
    pub fn node_labeled(&self, label: &str) -> Option<NodeRef> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let label = match label.split_once('+') {
            Some((label, others)) if is_number(others) => label,
            _ => label,
        };
        let node_at = |offsets: &[u64], nodes: Range<usize>, offset: u64| {
            let mut offsets = offsets.get(nodes.clone())?.iter();
            let row = offsets.position(|&other| other == offset)?;
            Some(RecordedNode::at(nodes.start + row))
        };
        let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let node = match &self.node_ids {
            NodeIds::Preorder => {
                let mut forms = [self.form(), TreeForm::Original].into_iter();
                let form = forms.find(|&form| label.starts_with(self.number_prefix(form)))?;
                let node = RecordedNode(label[1..].parse().ok()?);
                let found = NodeRef { form, node };
                // `n+5` and `n05` parse as numbers but aren't labels
                let is_label = self.has(found) && self.node_label(found) == label;
                return is_label.then_some(found);
            }
            NodeIds::ThreadOffsets(_) if label == "root" => RecordedNode::ROOT,
            NodeIds::ThreadOffsets(offsets) => {
                let (thread, offset) = label.strip_prefix('t')?.split_once(":0x")?;
                let mut threads = self.threads.iter();
                let row = threads.position(|candidate| candidate.id == thread)?;
                let recorded = self.whole();
                let nodes = recorded.tree.range(recorded.threads()[row]);
                node_at(offsets, nodes, hex(offset)?)?
            }
            NodeIds::Offsets(offsets) => {
                let offset = match label {
                    "root" => NodeIds::NO_OFFSET,
                    label => hex(label.strip_prefix("0x")?)?,
                };
                node_at(offsets, 0..offsets.len(), offset)?
            }
        };
        let form = self.form();
        Some(NodeRef { form, node })
    }

    pub fn has(&self, NodeRef { form, node }: NodeRef) -> bool {
        node.index() < self.tree_of(form).tree.len()
    }
}

#[cfg(test)]
mod tests;
