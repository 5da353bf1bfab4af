//! The profile from the tree that a reader grew: of samples the profile in which truncated stacks are mended, and the one as it
//! was recorded.

use super::dotnet::process_title;
use crate::model::{
    FrameId, FrameKind, Frames, Metric, MetricId, NodeId, Process, RawNode, RecordedTree, Recording, Source, Thread,
    TooLarge, TreeBuilder,
};
use crate::truncation::{Found, Marked, Mended, Moment, Tally};
use std::panic::resume_unwind;
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
pub(super) struct GrownThread {
    pub node: RawNode,
    /// Its number, as text.
    pub id: String,
    /// Its name, or the empty string.
    pub name: String,
}

/// A tree that was grown, and what belongs to it.
pub(super) struct Grown {
    pub source: Source,
    /// What to know before believing the numbers, a sentence each.
    pub warnings: Vec<String>,
    pub frames: Frames,
    pub builder: TreeBuilder,
    pub metrics: Vec<Metric>,
    pub threads: Vec<GrownThread>,
    /// Empty if the threads are of one process, which then is the whole tree.
    pub processes: Vec<(RawNode, FileProcess)>,
}

/// What is known of the samples of a tree.
pub(super) struct Samples<'a> {
    /// Where their stacks end in the tree, in order of time.
    pub moments: &'a [Moment],
    /// Their truncated stacks, if there are any.
    pub found: Option<Found>,
}

/// What was measured at each moment.
pub(super) trait Values: Sync {
    /// Adds what was measured to the places of the moments in a tree, by their rows, and tells of each. Gives the metric that is
    /// to be shown first.
    ///
    /// # Errors
    /// The tree is full.
    fn give(
        &self,
        builder: &mut TreeBuilder,
        place: impl Fn(usize) -> RawNode,
        tell: impl FnMut(Told),
    ) -> Result<MetricId, TooLarge>;

    /// The metric of [`Told::value`], and whether [`Told::samples`] means something.
    fn told_in(&self) -> (MetricId, bool);
}

/// What a moment tells of its thread.
pub(super) struct Told {
    /// The row of the thread in [`Grown::threads`].
    pub thread: usize,
    /// The row of the moment.
    pub row: usize,
    /// How many samples it is.
    pub samples: u64,
    /// What it has of [`Values::told_in`], in stored steps.
    pub value: u64,
}

impl Grown {
    /// A tree of nothing but a root.
    pub fn new(source: Source, root: &str, metrics: Vec<Metric>) -> Grown {
        Grown::with_frames(Frames::default(), source, root, metrics)
    }

    /// A tree of nothing but a root, with frames that are known already.
    pub fn with_frames(mut frames: Frames, source: Source, root: &str, metrics: Vec<Metric>) -> Grown {
        let root = frames.intern(FrameKind::Root, root, "");
        let builder = TreeBuilder::new(root, &metrics);
        let (warnings, threads, processes) = Default::default();
        Grown { source, warnings, frames, builder, metrics, threads, processes }
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
    pub fn profile(mut self, default_metric: MetricId) -> Recording {
        let builder = std::mem::replace(&mut self.builder, TreeBuilder::new(FrameId(0), &[]));
        let frames = std::mem::take(&mut self.frames);
        let built = builder.finish(&frames, default_metric);
        let (threads, processes) = self.placed(|node| built.node(node));
        let recording = Recording::new(self.source, frames, built.tree, self.metrics, default_metric);
        let recording = recording.with_processes(processes).with_threads(threads);
        Recording { warnings: self.warnings, ..recording }
    }

    /// The profile of samples, whose values the tree does not have yet; with truncated stacks mended, if there are any.
    ///
    /// # Errors
    /// The tree is full.
    pub fn profile_of_samples(
        mut self,
        Samples { moments, found }: Samples<'_>,
        values: &impl Values,
    ) -> Result<Recording, TooLarge> {
        let Some(found) = found else {
            let default_metric = values.give(&mut self.builder, |row| moments[row].node, |_| {})?;
            return Ok(self.profile(default_metric));
        };
        self.builder.stop_merging();
        let marker = found.marker(&mut self.frames);
        let unmended = || {
            let Marked { mut builder, places } = found.mark(&self.builder, marker, &self.metrics)?;
            let place = |node: RawNode| places[node.0 as usize];
            let default_metric = values.give(&mut builder, |row| place(moments[row].node), |_| {})?;
            Ok((builder.finish(&self.frames, default_metric), places, default_metric))
        };
        let mended = || {
            let Mended { mut builder, raw_places, places, fates } =
                found.mend(&self.builder, moments, marker, &self.metrics)?;
            let mut tally = Tally::new(self.threads.len());
            let tell = |told: Told| tally.add(told.thread, fates[told.row], told.samples, told.value);
            let default_metric = values.give(&mut builder, |row| places[row], tell)?;
            let built = builder.finish(&self.frames, default_metric);
            let (threads, processes) = self.placed(|node| built.node(raw_places[node.0 as usize]));
            let threads = threads.into_iter().map(|thread| thread.node).collect();
            let processes = processes.into_iter().map(|process| process.node).collect();
            let recorded = RecordedTree::new(built.tree, self.frames.len(), threads, processes);
            let (metric, has_samples) = values.told_in();
            Ok((recorded, tally.finish(found.limit(), metric, has_samples)))
        };
        let (unmended, mended) = both(&unmended, &mended);
        let (repaired, truncation) = mended?;
        let (built, places, default_metric) = unmended?;
        let (threads, processes) = self.placed(|node| built.node(places[node.0 as usize]));
        let recording = Recording::new(self.source, self.frames, built.tree, self.metrics, default_metric);
        let recording = Recording { warnings: self.warnings, ..recording };
        Ok(recording.with_processes(processes).with_threads(threads).with_repair(repaired, truncation))
    }

    /// The threads and processes in a tree in which nodes have other places.
    fn placed(&self, node_of: impl Fn(RawNode) -> NodeId) -> (Vec<Thread>, Vec<Process>) {
        let thread = |GrownThread { node, id, name }: &GrownThread| Thread {
            node: node_of(*node),
            id: id.clone(),
            name: name.clone(),
        };
        let process = |(node, FileProcess { id, name }): &(RawNode, FileProcess)| Process {
            node: node_of(*node),
            id: *id,
            name: name.clone(),
        };
        (self.threads.iter().map(thread).collect(), self.processes.iter().map(process).collect())
    }
}

/// Does two things at once; one after the other where the system has no thread for it.
fn both<A: Send, B>(beside: &(impl Fn() -> A + Sync), here: &impl Fn() -> B) -> (A, B) {
    thread::scope(|scope| match thread::Builder::new().name("unmended".into()).spawn_scoped(scope, beside) {
        Ok(handle) => {
            let here = here();
            (handle.join().unwrap_or_else(|panic| resume_unwind(panic)), here)
        }
        Err(_) => (beside(), here()),
    })
}
