//! A profile is put together from the tree that a reader grew and from its log of samples: with truncated stacks repaired, and
//! as it was recorded.

use super::dotnet::process_title;
use crate::model::{
    FrameId, FrameKind, Frames, Metric, MetricId, NodeId, NodeSums, Process, Profile, RawNode, SampleLog, SampleTable,
    Source, Thread, Threads, TooLarge, TreeBuilder, WithoutSamples,
};
use crate::truncation::{Found, Marked, RepairTally, Repaired};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

/// A process that a file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileProcess {
    /// Its number, 0 if the file has none that is a number.
    pub id: u64,
    /// Its name, or the empty string.
    pub name: String,
}

/// A thread of the tree.
#[derive(Clone, Debug)]
pub(super) struct AssembledThread {
    pub node: RawNode,
    /// Its number, as text.
    pub id: String,
    /// Its name, or the empty string.
    pub name: String,
}

/// A tree that a reader grew, and what belongs to it, from which the profile is put together.
pub(super) struct ProfileAssembly {
    pub source: Source,
    /// What to know before believing the numbers, a sentence each.
    pub warnings: Vec<String>,
    pub frames: Frames,
    pub builder: TreeBuilder,
    pub metrics: Vec<Metric>,
    pub threads: Vec<AssembledThread>,
    /// Empty if the threads are of one process, which then is the whole tree.
    pub processes: Vec<(RawNode, FileProcess)>,
}

/// What is known of the samples of a tree.
pub(super) struct Samples {
    /// All that was measured, whose stacks end in the tree, which has no values yet.
    pub log: SampleLog,
    /// Their truncated stacks, if there are any.
    pub found: Option<Found>,
    /// What truncated stacks are told in.
    pub measure: TruncationMeasure,
    /// Which metric is shown first.
    pub first_choice: FirstChoice,
    /// Whether the table of samples is wanted.
    pub wants_table: bool,
}

/// In what it is told how much is truncated.
#[derive(Clone, Copy, Debug)]
pub(super) struct TruncationMeasure {
    /// The metric whose values are told, if there is one for that.
    pub metric: Option<MetricId>,
    /// Whether numbers of samples are known.
    pub has_samples: bool,
}

/// Which metric is shown first.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstChoice {
    /// This one, if it has any value.
    pub if_any: Option<MetricId>,
    /// Else this one.
    pub otherwise: MetricId,
}

/// A tree with its values, and where the stacks of the log end in it.
struct Valued {
    builder: TreeBuilder,
    default_metric: MetricId,
    /// By row of the log; empty unless the table is wanted.
    ends: Vec<RawNode>,
}

impl Samples {
    /// Gives the values of all samples to the places of their stacks in a tree, and tells of each its row, its kind and its
    /// duration or weight.
    ///
    /// # Errors
    /// The tree is full.
    fn give(
        &self,
        mut builder: TreeBuilder,
        place: impl Fn(u32) -> RawNode,
        mut tell: impl FnMut(u32, u8, u64),
    ) -> Result<Valued, TooLarge> {
        let log = &self.log;
        let mut sums = NodeSums::new(log.kinds().len());
        let nodes = builder.len();
        log.each_lasting(|row, sample, end_ns| {
            let value = end_ns - sample.time_ns;
            sums.add(sample.kind(), place(row).0, nodes, value, 1);
            tell(row, sample.kind(), value);
        });
        let behind = log.lasting().len() as u32;
        let mut ends: Vec<RawNode> = Vec::new();
        if self.wants_table {
            ends.reserve_exact(log.len());
            ends.extend((0..behind).map(&place));
        }
        for (row, sample) in (behind..).zip(log.weighted()) {
            let end = match sample.leaf() {
                Some(leaf) => builder.merge(place(row), leaf)?,
                None => place(row),
            };
            sums.add(sample.kind, end.0, builder.len(), sample.weight, 1);
            tell(row, sample.kind, sample.weight);
            if self.wants_table {
                ends.push(end);
            }
        }
        let first = self.first_choice.if_any.filter(|&metric| sums.has(log.kinds(), metric));
        sums.each(log.kinds(), |node, metric, value, count| {
            builder.add_exclusive(metric, RawNode(node), value);
            builder.add_count(metric, RawNode(node), count);
        });
        drop(sums);
        builder.sum_counts();
        Ok(Valued { builder, default_metric: first.unwrap_or(self.first_choice.otherwise), ends })
    }

    /// The table of samples, if it is wanted, from the nodes at which their stacks end.
    fn table(&self, stacks: &[NodeId], repaired: Option<&[NodeId]>) -> Result<Arc<SampleTable>, WithoutSamples> {
        let table = || Arc::new(SampleTable::new(&self.log, stacks, repaired));
        self.wants_table.then(table).ok_or(WithoutSamples::NotWanted)
    }
}

impl ProfileAssembly {
    /// A tree of nothing but a root.
    pub fn new(source: Source, root: &str, metrics: Vec<Metric>) -> ProfileAssembly {
        ProfileAssembly::with_frames(Frames::default(), source, root, metrics)
    }

    /// A tree of nothing but a root, with frames that are known already.
    pub fn with_frames(mut frames: Frames, source: Source, root: &str, metrics: Vec<Metric>) -> ProfileAssembly {
        let root = frames.intern(FrameKind::Root, root, "");
        let builder = TreeBuilder::new(root, &metrics);
        let (warnings, threads, processes) = Default::default();
        ProfileAssembly { source, warnings, frames, builder, metrics, threads, processes }
    }

    /// Adds a process that stands above threads.
    ///
    /// # Errors
    /// The tree is full.
    pub fn add_process(&mut self, process: FileProcess) -> Result<RawNode, TooLarge> {
        self.add_process_titled(&process_title(process.id, &process.name), process)
    }

    /// The same of a process that the source calls otherwise.
    ///
    /// # Errors
    /// The tree is full.
    pub fn add_process_titled(&mut self, title: &str, process: FileProcess) -> Result<RawNode, TooLarge> {
        let frame = self.frames.intern(FrameKind::Process, title, "");
        let node = self.builder.add(TreeBuilder::ROOT, frame)?;
        self.processes.push((node, process));
        Ok(node)
    }

    /// The profile, if the tree has its values already.
    pub fn profile(mut self, default_metric: MetricId) -> Profile {
        let valued = Valued { builder: self.take_builder(), default_metric, ends: Vec::new() };
        let frames = std::mem::take(&mut self.frames);
        self.make(valued, frames, |node| node).0
    }

    /// The same with the samples of which its values were made, if all were.
    pub fn profile_with(mut self, default_metric: MetricId, log: Result<SampleLog, WithoutSamples>) -> Profile {
        let log = match log {
            Ok(log) => log,
            Err(reason) => return Profile { samples: Err(reason), ..self.profile(default_metric) },
        };
        let ends = (0..log.len() as u32).map(|row| log.node(row)).collect();
        let valued = Valued { builder: self.take_builder(), default_metric, ends };
        let frames = std::mem::take(&mut self.frames);
        let (profile, stacks) = self.make(valued, frames, |node| node);
        Profile { samples: Ok(Arc::new(SampleTable::new(&log, &stacks, None))), ..profile }
    }

    fn take_builder(&mut self) -> TreeBuilder {
        std::mem::replace(&mut self.builder, TreeBuilder::new(FrameId(0), &[]))
    }

    /// The profile of samples, whose values the tree does not have yet; with truncated stacks repaired, if there are any.
    ///
    /// # Errors
    /// The tree is full.
    pub fn profile_of_samples(mut self, samples: Samples) -> Result<Profile, TooLarge> {
        let log = &samples.log;
        let Some(found) = &samples.found else {
            let valued = samples.give(self.take_builder(), |row| log.node(row), |_, _, _| {})?;
            let frames = std::mem::take(&mut self.frames);
            let (profile, stacks) = self.make(valued, frames, |node| node);
            return Ok(Profile { samples: samples.table(&stacks, None), ..profile });
        };
        self.builder.stop_merging();
        let marker = found.marker(&mut self.frames);
        let unrepaired = || {
            let Marked { builder, places } = found.mark(&self.builder, marker, &self.metrics)?;
            let place = |node: RawNode| places[node.0 as usize];
            let valued = samples.give(builder, |row| place(log.node(row)), |_, _, _| {})?;
            Ok(self.make(valued, self.frames.clone(), place))
        };
        let repaired = || {
            let Repaired { builder, raw_places, places, outcomes } =
                found.repair(&self.builder, log, marker, &self.metrics)?;
            let mut tally = RepairTally::new(self.threads.len());
            let factors: Vec<u64> =
                log.kinds().iter().map(|kind| samples.measure.metric.map_or(0, |metric| kind.factor(metric))).collect();
            let tell = |row: u32, kind: u8, value: u64| {
                let value = value.saturating_mul(factors[kind as usize]);
                let count = u64::from(log.kinds()[kind as usize].is_sample);
                tally.add(log.thread(log.lane(row)) as usize, outcomes[row as usize], count, value);
            };
            let valued = samples.give(builder, |row| places[row as usize], tell)?;
            let made = self.make(valued, self.frames.clone(), |node| raw_places[node.0 as usize]);
            let metric = samples.measure.metric.unwrap_or(MetricId(0));
            Ok((made, tally.finish(found.limit(), metric, samples.measure.has_samples)))
        };
        let (unrepaired, repaired) = both(&unrepaired, &repaired);
        let ((mut profile, repaired_stacks), truncation) = repaired?;
        let (mut unrepaired, stacks) = unrepaired?;
        profile.samples = samples.table(&stacks, Some(&repaired_stacks));
        unrepaired.samples.clone_from(&profile.samples);
        Ok(Profile::mended(profile, unrepaired, truncation))
    }

    /// The profile of a tree in which nodes have other places, and the nodes where the stacks of the log end.
    fn make(&self, valued: Valued, frames: Frames, place: impl Fn(RawNode) -> RawNode) -> (Profile, Vec<NodeId>) {
        let Valued { builder, default_metric, ends } = valued;
        let built = builder.finish(&frames, default_metric);
        let thread = |AssembledThread { node, id, name }: &AssembledThread| Thread {
            node: built.node(place(*node)),
            id: id.clone(),
            name: name.clone(),
        };
        let process = |(node, FileProcess { id, name }): &(RawNode, FileProcess)| Process {
            node: built.node(place(*node)),
            id: *id,
            name: name.clone(),
        };
        let threads = Threads::new(self.threads.iter().map(thread).collect());
        let processes = self.processes.iter().map(process).collect();
        let stacks = ends.into_iter().map(|end| built.node(end)).collect();
        let profile = Profile::new(self.source.clone(), frames, built.tree, self.metrics.clone(), default_metric);
        (Profile { threads, processes, warnings: self.warnings.clone(), ..profile }, stacks)
    }
}

/// Does two things at once; one after the other where the system has no thread for it.
fn both<A: Send, B>(beside: &(impl Fn() -> A + Sync), here: &impl Fn() -> B) -> (A, B) {
    thread::scope(|scope| match thread::Builder::new().name("unrepaired".into()).spawn_scoped(scope, beside) {
        Ok(handle) => {
            let here = here();
            (handle.join().unwrap_or_else(|panic| resume_unwind(panic)), here)
        }
        Err(_) => (beside(), here()),
    })
}
