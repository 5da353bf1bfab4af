//! Assembles a profile from a reader's tree and sample log, as recorded and repaired.

use super::dotnet::{is_nameless, thread_title};
use crate::diagnostics::Diagnostic;
use crate::model::{
    Amount, CallTree, FrameId, Frames, MarkerLog, Metric, MetricId, NodeSums, Process, RawNode,
    RecordedNode, RecordedProcess, RecordedTree, Recording, SampleKind, SampleLog, SampleTable,
    Source, Thread, ThreadTruncation, TooLarge, TreeBuilder, Truncation, UntimedReason,
};
use crate::names::FrameKind;
use crate::truncation::{self, RepairedTree, TruncatedStacks};
use std::collections::HashMap;
use std::hash::Hash;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

#[derive(Default)]
pub(super) struct ProfileAssembly {
    pub source: Source,
    pub diagnostics: Vec<Diagnostic>,
    pub frames: Frames,
    pub builder: TreeBuilder,
    pub metrics: Vec<Metric>,
    pub threads: Vec<Thread<RawNode>>,
    /// Empty if all threads belong to one process, which then is the whole tree.
    pub processes: Vec<Process<RawNode>>,
    /// Their stacks refer to rows of the sample log.
    pub markers: MarkerLog,
}

pub(super) struct Samples {
    /// Its stacks end in a tree without values.
    pub log: SampleLog,
    pub found: Option<TruncatedStacks>,
    pub measure: Option<MetricId>,
    pub has_samples: bool,
    /// Shown first, if it has any value.
    pub preferred_metric: Option<MetricId>,
    pub fallback_metric: MetricId,
}

struct ValuedTree {
    builder: TreeBuilder,
    preferred_metric: MetricId,
    /// The nodes at which the stacks of the log end, by row.
    ends: Vec<RawNode>,
}

struct FinishedTree {
    tree: CallTree<RecordedNode>,
    default_metric: MetricId,
    threads: Vec<Thread<RecordedNode>>,
    processes: Vec<Process<RecordedNode>>,
    /// As in [`ValuedTree::ends`].
    stacks: Vec<RecordedNode>,
}

impl Samples {
    /// Adds all samples to the nodes of their stacks; `visit` gets the row, kind, and duration or weight of each.
    fn add_values(
        &self,
        mut builder: TreeBuilder,
        place: impl Fn(u32) -> RawNode,
        mut visit: impl FnMut(u32, u8, u64),
    ) -> Result<ValuedTree, TooLarge> {
        let log = &self.log;
        let mut sums = NodeSums::new(log.kinds.len());
        let nodes = builder.len();
        log.for_each_interval(|row, sample, end_ns| {
            let value = end_ns - sample.time_ns;
            sums.add(sample.kind(), place(row).0, nodes, value, 1);
            visit(row, sample.kind(), value);
        });
        let after = log.intervals.len() as u32;
        let mut ends: Vec<RawNode> = Vec::with_capacity(log.len());
        ends.extend((0..after).map(&place));
        for (row, sample) in (after..).zip(&log.weighted) {
            let end = match sample.leaf() {
                Some(leaf) => builder.merge(place(row), leaf)?,
                None => place(row),
            };
            sums.add(sample.kind, end.0, builder.len(), sample.weight, 1);
            visit(row, sample.kind, sample.weight);
            ends.push(end);
        }
        let preferred = self
            .preferred_metric
            .filter(|&metric| sums.has(&log.kinds, metric));
        sums.for_each(&log.kinds, |node, metric, value, count| {
            builder.add_exclusive(metric, RawNode(node), value);
            builder.add_count(metric, RawNode(node), count);
        });
        builder.sum_counts();
        Ok(ValuedTree {
            builder,
            preferred_metric: preferred.unwrap_or(self.fallback_metric),
            ends,
        })
    }
}

impl ProfileAssembly {
    pub(super) fn new(source: Source, root: &str, metrics: Vec<Metric>) -> ProfileAssembly {
        ProfileAssembly::with_frames(Frames::default(), source, root, metrics)
    }

    pub(super) fn with_frames(
        mut frames: Frames,
        source: Source,
        root: &str,
        metrics: Vec<Metric>,
    ) -> ProfileAssembly {
        let root = frames.intern(FrameKind::Root, root, "");
        ProfileAssembly {
            source,
            frames,
            builder: TreeBuilder::new(root, &metrics),
            metrics,
            ..ProfileAssembly::default()
        }
    }

    pub(super) fn add_process(
        &mut self,
        title: &str,
        RecordedProcess { id, name }: RecordedProcess,
    ) -> Result<RawNode, TooLarge> {
        let frame = self.frames.intern(FrameKind::Process, title, "");
        let node = self.builder.add(TreeBuilder::ROOT, frame)?;
        self.processes.push(Process { node, id, name });
        Ok(node)
    }

    pub(super) fn add_thread(
        &mut self,
        above: RawNode,
        title: &str,
        id: String,
        name: String,
    ) -> Result<RawNode, TooLarge> {
        let frame = self.frames.intern(FrameKind::Thread, title, "");
        let node = self.builder.add(above, frame)?;
        self.threads.push(Thread { node, id, name });
        Ok(node)
    }

    pub(super) fn name_threads(&mut self) {
        for Thread { node, id, name } in &self.threads {
            let title = thread_title(id, name);
            let frame = self.frames.intern(FrameKind::Thread, &title, "");
            self.builder.set_frame(*node, frame);
        }
    }

    /// Adds the processes, unless all are the same. Returns each thread's parent; `describe` returns a thread's title
    /// and process.
    pub(super) fn add_processes<Id: Copy + Eq + Hash>(
        &mut self,
        ids: &[Id],
        describe: impl Fn(usize) -> (String, RecordedProcess),
    ) -> Result<Vec<RawNode>, TooLarge> {
        let mut tops = vec![TreeBuilder::ROOT; ids.len()];
        if ids.windows(2).all(|pair| pair[0] == pair[1]) {
            return Ok(tops);
        }
        let mut by_id = HashMap::new();
        for (row, (id, top)) in ids.iter().zip(&mut tops).enumerate() {
            *top = match by_id.get(id) {
                Some(&known) => known,
                None => {
                    let (title, process) = describe(row);
                    self.add_process(&title, process)?
                }
            };
            by_id.insert(*id, *top);
        }
        Ok(tops)
    }

    /// For a tree that already has its values.
    pub(super) fn profile(
        mut self,
        preferred: MetricId,
        log: Result<SampleLog, UntimedReason>,
    ) -> Recording {
        let rows = log.as_ref().map_or(0, SampleLog::len) as u32;
        let end = |row| log.as_ref().map_or(TreeBuilder::ROOT, |log| log.node(row));
        let valued = ValuedTree {
            builder: std::mem::take(&mut self.builder),
            preferred_metric: preferred,
            ends: (0..rows).map(end).collect(),
        };
        let tree = self.finish(valued, |node| node);
        self.recording(tree, log.as_ref().map_err(|&reason| reason), None)
    }

    /// `place` finds a node of the assembly in the valued tree.
    fn finish(&self, valued: ValuedTree, place: impl Fn(RawNode) -> RawNode) -> FinishedTree {
        let default_metric =
            Metric::shown_first(&self.metrics, valued.preferred_metric, |metric| {
                valued.builder.has_values(metric)
            });
        let built = valued.builder.finish(&self.frames, default_metric);
        let place = |node| built.node(place(node));
        let threads = self.threads.iter().cloned();
        let processes = self.processes.iter().cloned();
        let stacks = valued.ends.into_iter().map(|end| built.node(end));
        FinishedTree {
            threads: threads.map(|thread| thread.at(place)).collect(),
            processes: processes.map(|process| process.at(place)).collect(),
            stacks: stacks.collect(),
            default_metric,
            tree: built.tree,
        }
    }

    /// `repaired` has the ends of the log's stacks in the repaired tree.
    fn recording(
        self,
        tree: FinishedTree,
        log: Result<&SampleLog, UntimedReason>,
        repaired: Option<&[RecordedNode]>,
    ) -> Recording {
        let recording = Recording::new(
            self.source,
            self.frames,
            tree.tree,
            self.metrics,
            tree.default_metric,
        );
        let recording = recording.with_processes(tree.processes);
        let mut recording = recording.with_threads(tree.threads);
        // before the samples need memory
        drop((self.threads, self.processes));
        let table = |log| Arc::new(SampleTable::new(log, &tree.stacks, repaired));
        recording.samples = log.map(table);
        recording.markers = Arc::new(self.markers.finish(&tree.stacks, repaired));
        recording.diagnostics = self.diagnostics;
        recording
    }

    /// For samples whose values are not in the tree yet, with truncated stacks repaired.
    pub(super) fn profile_of_samples(mut self, samples: Samples) -> Result<Recording, TooLarge> {
        let log = &samples.log;
        let Some(found) = &samples.found else {
            let builder = std::mem::take(&mut self.builder);
            let place = |row| log.node(row);
            let valued = samples.add_values(builder, place, |_, _, _| {})?;
            let tree = self.finish(valued, |node| node);
            return Ok(self.recording(tree, Ok(log), None));
        };
        self.builder.stop_merging();
        let marker = found.marker(&mut self.frames);
        let original = || {
            let (builder, places) = found.mark(&self.builder, marker, &self.metrics)?;
            let place = |row| places[log.node(row).0 as usize];
            let valued = samples.add_values(builder, place, |_, _, _| {})?;
            Ok(self.finish(valued, |node| places[node.0 as usize]))
        };
        let repaired = || self.repaired(&samples, found, marker);
        let (original, repaired) = both(&original, &repaired);
        let (repaired, truncation, repaired_stacks) = repaired?;
        let recording = self.recording(original?, Ok(log), Some(&repaired_stacks));
        Ok(recording.with_repair(repaired, truncation))
    }

    /// For a log in time order whose stacks are below threads. Its times are meaningless unless `has_times`.
    pub(super) fn profile_of_log(
        self,
        log: SampleLog,
        measure: MetricId,
        has_times: bool,
    ) -> Result<Recording, TooLarge> {
        let found = self.truncated_in_threads(&log);
        let mut recording = self.profile_of_samples(Samples {
            log,
            found,
            measure: Some(measure),
            has_samples: true,
            preferred_metric: None,
            fallback_metric: measure,
        })?;
        if !has_times {
            recording.samples = Err(UntimedReason::NotAll);
        }
        Ok(recording)
    }

    fn repaired(
        &self,
        samples: &Samples,
        found: &TruncatedStacks,
        marker: FrameId,
    ) -> Result<(RecordedTree, Truncation, Vec<RecordedNode>), TooLarge> {
        let log = &samples.log;
        let RepairedTree {
            builder,
            raw_places,
            places,
            outcomes,
        } = found.repair(&self.builder, log, marker, &self.metrics)?;
        let mut threads = vec![ThreadTruncation::default(); self.threads.len()];
        let factor = |kind: &SampleKind| samples.measure.map_or(0, |metric| kind.factor(metric));
        let factors: Vec<u64> = log.kinds.iter().map(factor).collect();
        let visit = |row: u32, kind: u8, value: u64| {
            let value = value.saturating_mul(factors[kind as usize]);
            let samples = u64::from(log.kinds[kind as usize].is_sample);
            if let Some(sums) = threads.get_mut(log.thread(log.lane(row)) as usize) {
                outcomes[row as usize].add_to(sums, Amount { samples, value });
            }
        };
        let place = |row| places[row as usize];
        let valued = samples.add_values(builder, place, visit)?;
        let truncation = Truncation {
            limit: found.cuts.limit,
            metric: samples.measure.unwrap_or(MetricId(0)),
            has_samples: samples.has_samples,
            threads,
        };
        let tree = self.finish(valued, |node| raw_places[node.0 as usize]);
        let threads = tree.threads.iter().map(|thread| thread.node);
        let processes = tree.processes.iter().map(|process| process.node);
        let (threads, processes) = (threads.collect(), processes.collect());
        let recorded = RecordedTree::new(tree.tree, self.frames.len(), threads, processes);
        Ok((recorded, truncation, tree.stacks))
    }

    pub(super) fn truncated(
        &self,
        tracks: impl IntoIterator<Item = RawNode>,
        log: &SampleLog,
        is_in_order: bool,
    ) -> Option<TruncatedStacks> {
        let tracks: Vec<RawNode> = tracks.into_iter().collect();
        let is_nameless = |frame| is_nameless(self.frames.name(frame));
        truncation::find(&self.builder, &tracks, log, is_in_order, is_nameless)
    }

    pub(super) fn truncated_in_threads(&self, log: &SampleLog) -> Option<TruncatedStacks> {
        self.truncated(self.threads.iter().map(|thread| thread.node), log, true)
    }
}

/// In parallel, or one after the other if the system can't start a thread.
fn both<A: Send, B>(first: &(impl Fn() -> A + Sync), second: &impl Fn() -> B) -> (A, B) {
    thread::scope(|scope| {
        match thread::Builder::new()
            .name("unrepaired".into())
            .spawn_scoped(scope, first)
        {
            Ok(handle) => {
                let second = second();
                let first = handle.join().unwrap_or_else(|panic| resume_unwind(panic));
                (first, second)
            }
            Err(_) => (first(), second()),
        }
    })
}
