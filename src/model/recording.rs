//! A recording: the data read from a source. Immutable after loading, and shared by all views.

use super::{
    CallTree, Compares, CountKind, Frames, MarkerTable, MethodNotes, Metric, MetricId, NodeIds,
    Occurrences, Process, RecordedNode, SampleTable, Source, StoredHotspot, StoredSum, Thread,
    Truncation, Verdicts, WithoutSamples,
};
use crate::diagnostics::Anomaly;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::Remark;
use crate::model::messages;
use crate::units::Unit;
use borsh::{BorshDeserialize, BorshSerialize};
use std::ops::Range;
use std::sync::Arc;

/// Which of the trees of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreeForm {
    /// The tree as it was recorded: truncated stacks hang below frames that say so.
    Original,
    /// The tree in which callers of truncated stacks were found again.
    Repaired,
}

/// A node of one of the trees of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeRef {
    pub form: TreeForm,
    pub node: RecordedNode,
}

/// A thread that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordedThread {
    /// The number that the source gives it, as text: an operating system's id or a profiler's number. May be empty.
    pub id: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its process as a row of [`Recording::processes`]; `None` where the source tells none.
    pub process: Option<usize>,
}

/// A process that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RecordedProcess {
    /// Its number.
    pub id: u64,
    /// Its name; empty if it has none.
    pub name: String,
}

/// A tree over everything that was recorded.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RecordedTree {
    pub tree: CallTree<RecordedNode>,
    /// Where each frame occurs in the view of all of it.
    #[borsh(skip)]
    pub occurrences: Arc<Occurrences>,
    /// The root of each thread, by the rows of [`Recording::threads`].
    threads: Vec<RecordedNode>,
    /// The rows of the threads in the order of their roots.
    threads_by_node: Vec<u32>,
    /// The root of each process, by the rows of [`Recording::processes`].
    pub processes: Vec<RecordedNode>,
}

impl RecordedTree {
    /// A tree of `frame_count` frames, with the nodes of its threads and processes in the order of the source.
    /// O(threads log threads).
    pub fn new(
        tree: CallTree<RecordedNode>,
        frame_count: usize,
        threads: Vec<RecordedNode>,
        processes: Vec<RecordedNode>,
    ) -> RecordedTree {
        let recorded = RecordedTree {
            occurrences: Arc::new(Occurrences::new(&tree.shown(), frame_count)),
            tree,
            threads: Vec::new(),
            threads_by_node: Vec::new(),
            processes,
        };
        recorded.with_threads(threads)
    }

    /// This tree with these threads, whose subtrees are disjoint. O(threads log threads).
    fn with_threads(mut self, threads: Vec<RecordedNode>) -> RecordedTree {
        self.threads_by_node = (0..threads.len() as u32).collect();
        self.threads_by_node
            .sort_unstable_by_key(|&row| threads[row as usize]);
        self.threads = threads;
        self
    }

    /// The root of each thread, by the rows of [`Recording::threads`].
    pub fn threads(&self) -> &[RecordedNode] {
        &self.threads
    }

    /// The thread in whose subtree a node lies, as a row of [`Recording::threads`]. O(log threads).
    pub fn thread_of(&self, node: RecordedNode) -> Option<usize> {
        let after = self
            .threads_by_node
            .partition_point(|&row| self.threads[row as usize] <= node);
        let row = *self.threads_by_node[..after].last()? as usize;
        self.tree.contains(self.threads[row], node).then_some(row)
    }
}

/// What an importer makes, and what all views are made of. It is kept with its frames and the shapes of its trees before the rest.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Recording {
    /// Where it comes from.
    pub source: Source,
    /// Its frames. Their ids mean the same in every view.
    #[borsh(skip)]
    pub frames: Arc<Frames>,
    /// Its metrics, at least one.
    pub metrics: Vec<Metric>,
    /// The metric that is shown first and by which siblings are ordered.
    pub default_metric: MetricId,
    /// Its processes in the order of the source; none where the source is of one process, which then has no node.
    pub processes: Vec<RecordedProcess>,
    /// The one of them that is looked at first, as a row, where the whole machine was recorded: that with most time in .NET.
    pub main_process: Option<usize>,
    /// Its threads, in the order of the source. Their subtrees are disjoint.
    pub threads: Vec<RecordedThread>,
    /// The tree as it was recorded.
    pub original: RecordedTree,
    /// The tree with truncated stacks repaired, if there were any: the same frames, metrics, threads and exclusive values.
    pub repaired: Option<RecordedTree>,
    /// What is known about its truncated stacks, if it has any.
    pub truncation: Option<Truncation>,
    /// How the nodes of its trees are called.
    pub node_ids: NodeIds,
    /// What there is to know besides the numbers. Notes may hold private data, which is never exported.
    pub diagnostics: Vec<Diagnostic>,
    /// The user's notes on its methods: those in the file, and those stored next to it.
    pub method_notes: MethodNotes,
    /// Those that came with it.
    pub own_notes: MethodNotes,
    /// Sums that the source has stored.
    pub stored_hotspots: Vec<StoredHotspot>,
    /// Sums stored next to the source.
    pub viewer_sums: Vec<StoredSum>,
    /// Its samples with their times, if they were wanted and all that was measured has a time.
    pub samples: Result<Arc<SampleTable>, WithoutSamples>,
    /// What happened while it was recorded, as far as that is read.
    pub markers: Arc<MarkerTable>,
    /// If it is several profiles as one, whose first two metrics are the same before a change and after it: what is compared.
    #[borsh(skip)]
    pub compares: Option<Arc<Compares>>,
}

impl Recording {
    /// A recording of one tree, with nothing yet about threads, node ids, diagnostics and stored sums.
    /// O(nodes + frames), for the index of occurrences.
    pub fn new(
        source: Source,
        frames: Frames,
        tree: CallTree<RecordedNode>,
        metrics: Vec<Metric>,
        default_metric: MetricId,
    ) -> Recording {
        debug_assert_eq!(
            metrics.len(),
            tree.metric_count(),
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
            stored_hotspots: Vec::new(),
            viewer_sums: Vec::new(),
            samples: Err(WithoutSamples::NoTimes),
            markers: Arc::default(),
            compares: None,
        }
    }

    /// Says so where weights or sums are beyond what is stored, and stay at the largest value.
    pub fn note_largest_sums(&mut self) {
        let tree = &self.original.tree;
        let is_largest = |metric| tree.inclusive(metric, RecordedNode::ROOT) == u64::MAX;
        if !self.metric_ids().any(is_largest) {
            return;
        }
        let warning = Diagnostic::plain(Remark::SumsTooLarge);
        // an importer that met such a value has said so, and a file of ours may hold the sentence
        let is_known = self.diagnostics.iter().any(|known| {
            let is_clamped = matches!(
                known,
                Diagnostic::Counted {
                    anomaly: Anomaly::ValuesClamped,
                    ..
                }
            );
            is_clamped || known.to_string() == warning.to_string()
        });
        if !is_known {
            self.diagnostics.push(warning);
        }
    }

    /// This recording with these threads, in the order of the source. Processes are given before, since a thread lies in one of them.
    /// O((threads + processes) log processes).
    #[must_use]
    pub fn with_threads(mut self, threads: Vec<Thread<RecordedNode>>) -> Recording {
        let RecordedTree {
            tree, processes, ..
        } = &self.original;
        let mut by_node: Vec<(RecordedNode, usize)> = processes.iter().copied().zip(0..).collect();
        by_node.sort_unstable();
        let process_of = |thread: RecordedNode| {
            let after = by_node.partition_point(|&(process, _)| process <= thread);
            by_node[..after]
                .last()
                .filter(|(process, _)| tree.contains(*process, thread))
                .map(|&(_, row)| row)
        };
        let recorded = threads
            .iter()
            .map(|thread| process_of(thread.node))
            .zip(&threads);
        let recorded = recorded.map(|(process, Thread { id, name, .. })| RecordedThread {
            id: id.clone(),
            name: name.clone(),
            process,
        });
        self.threads = recorded.collect();
        self.original = self
            .original
            .with_threads(threads.into_iter().map(|thread| thread.node).collect());
        self
    }

    /// This recording with these processes, in the order of the source.
    #[must_use]
    pub fn with_processes(mut self, processes: Vec<Process<RecordedNode>>) -> Recording {
        self.original.processes = processes.iter().map(|process| process.node).collect();
        self.processes = processes
            .into_iter()
            .map(|Process { id, name, .. }| RecordedProcess { id, name })
            .collect();
        self
    }

    /// This recording with its truncated stacks repaired in another tree. What is said about them becomes a diagnostic.
    #[must_use]
    pub fn with_repair(mut self, repaired: RecordedTree, truncation: Truncation) -> Recording {
        self.diagnostics.extend(
            truncation
                .diagnostic(&self.metrics, true)
                .map(Diagnostic::StacksTruncated),
        );
        self.truncation = Some(truncation);
        self.repaired = Some(repaired);
        self
    }

    /// The form that is shown unless the other one is asked for: repaired, if anything was.
    pub fn form(&self) -> TreeForm {
        if self.repaired.is_some() {
            TreeForm::Repaired
        } else {
            TreeForm::Original
        }
    }

    /// The tree of a form; the original one where nothing was repaired.
    pub fn tree_of(&self, form: TreeForm) -> &RecordedTree {
        match (form, &self.repaired) {
            (TreeForm::Repaired, Some(repaired)) => repaired,
            _ => &self.original,
        }
    }

    /// The tree that is shown unless the other one is asked for.
    pub fn whole(&self) -> &RecordedTree {
        self.tree_of(self.form())
    }

    /// Whether it is several profiles as one.
    pub fn is_comparison(&self) -> bool {
        self.compares.is_some()
    }

    /// Whether it is a comparison that leaves waiting out.
    pub fn leaves_out_waiting(&self) -> bool {
        let compares = self.compares.as_ref();
        compares.is_some_and(|compares| compares.leaves_out_waiting)
    }

    /// What is known about the differences of methods, if it is a comparison that was judged.
    pub fn verdicts(&self) -> Option<&Verdicts> {
        self.compares.as_deref()?.verdicts.as_ref()
    }

    /// The handles of its metrics.
    pub fn metric_ids(&self) -> impl Iterator<Item = MetricId> + use<> {
        (0..self.metrics.len()).map(MetricId::at)
    }

    /// The metric behind a handle.
    pub fn metric(&self, id: MetricId) -> &Metric {
        &self.metrics[id.index()]
    }

    /// The metric as its profile has it: what is measured, whatever a comparison calls it.
    pub fn measured(&self, id: MetricId) -> &Metric {
        let compared = self.compares.as_ref();
        compared.map_or_else(|| self.metric(id), |compares| &compares.metrics[id.index()])
    }

    /// The metric of this name; case does not matter.
    pub fn metric_named(&self, name: &str) -> Option<MetricId> {
        self.metrics
            .iter()
            .position(|metric| metric.name.eq_ignore_ascii_case(name))
            .map(MetricId::at)
    }

    /// Why the values of a metric are not exact: they are inflated, see [`super::ProfileKind::inflation`], or estimates.
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

    /// A diagnostic if the meaning of its counts is unclear.
    pub(super) fn unclear_counts(&self) -> Option<&'static Diagnostic> {
        let is_unclear = self
            .metrics
            .iter()
            .any(|metric| metric.counts == Some(CountKind::Unknown));
        is_unclear.then_some(&Diagnostic::Plain {
            remark: Remark::CountsUnclear,
        })
    }

    /// The name of a thread, by its index in [`Recording::threads`].
    pub fn thread_title(&self, row: usize) -> &str {
        let whole = self.whole();
        self.frames.name(whole.tree.frame(whole.threads()[row]))
    }

    /// The prefix of node numbers. The original tree next to a repaired one has its own.
    pub fn number_prefix(&self, form: TreeForm) -> char {
        if form == TreeForm::Original && self.repaired.is_some() {
            'o'
        } else {
            'n'
        }
    }

    /// How a node is called in output and on the command line. O(log threads).
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

    /// The node that [`Recording::node_label`] calls `label`. A number of other nodes after it, as in reports (`n7+16`), is ignored. O(nodes) at
    /// worst.
    pub fn node_labeled(&self, label: &str) -> Option<NodeRef> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let (label, _) = label
            .split_once('+')
            .filter(|(_, others)| is_number(others))
            .unwrap_or((label, ""));
        let at = |offsets: &[u64], within: Range<usize>, offset: u64| {
            let mut within_offsets = offsets.get(within.clone())?.iter();
            let row = within_offsets.position(|&other| other == offset)?;
            Some(RecordedNode::at(within.start + row))
        };
        let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let node = match &self.node_ids {
            NodeIds::Preorder => {
                let mut forms = [self.form(), TreeForm::Original].into_iter();
                let form = forms.find(|&form| label.starts_with(self.number_prefix(form)))?;
                let node = RecordedNode(label[1..].parse().ok()?);
                let found = NodeRef { form, node };
                // `n+5` and `n05` are numbers to the parser, and no labels
                let is_label = self.has(found) && self.node_label(found) == label;
                return is_label.then_some(found);
            }
            NodeIds::ThreadOffsets(_) if label == "root" => RecordedNode::ROOT,
            NodeIds::ThreadOffsets(offsets) => {
                let (thread, offset) = label.strip_prefix('t')?.split_once(":0x")?;
                let mut threads = self.threads.iter();
                let row = threads.position(|candidate| candidate.id == thread)?;
                let whole = self.whole();
                let within = whole.tree.range(whole.threads[row]);
                at(offsets, within, hex(offset)?)?
            }
            NodeIds::Offsets(offsets) => {
                let offset = match label {
                    "root" => NodeIds::NO_OFFSET,
                    label => hex(label.strip_prefix("0x")?)?,
                };
                at(offsets, 0..offsets.len(), offset)?
            }
        };
        let form = self.form();
        Some(NodeRef { form, node })
    }

    /// Whether there is such a node: one of another recording may be none of this one.
    pub fn has(&self, NodeRef { form, node }: NodeRef) -> bool {
        node.index() < self.tree_of(form).tree.len()
    }
}

#[cfg(test)]
mod tests;
