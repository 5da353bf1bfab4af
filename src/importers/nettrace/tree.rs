//! Threads, their methods, and the time of the samples.

use super::log::build_logs;
use super::metrics::Metrics;
use super::recording::{Activities, AmountKind, NettraceRecording, SampledAmount};
use super::spaces::SpaceId;
use super::stacks::{AddressId, StackId};
use crate::importers::assembly::{ProfileAssembly, Samples};
use crate::importers::dotnet::{MAIN_THREAD, THREAD_NAME_DEPTH, process_title, thread_name};
use crate::importers::frame_counts::FrameCounts;
use crate::importers::node_limit::GrowthLimits;
use crate::importers::runtime::{AddressResolver, ResolvedFrame};
use crate::input::Progress;
use crate::input::error::TreeBuildError;
use crate::model::{
    FrameId, IntervalSample, MetricId, RawNode, RecordedProcess, Recording, SampleLog, Source,
    Thread, TooLarge, TreeBuilder,
};
use crate::truncation::TruncatedStacks;
use std::collections::HashMap;
use std::mem::take;

#[derive(Default)]
pub(super) struct StackLeaf {
    node: RawNode,
    generation: u32,
    pub root: Root,
    pub frames: FrameCounts,
    pub samples: u64,
}

impl StackLeaf {
    pub(super) fn depth(&self) -> u32 {
        self.frames.frames as u32
    }
}

/// What two stacks must share to have started alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Root {
    #[default]
    Nothing,
    Frame(FrameId),
    Address(AddressId),
}

pub(super) fn build<'a>(
    recording: &'a mut NettraceRecording,
    source: Source,
    file_bytes: u64,
    progress: &'a Progress,
) -> Result<(StackTreeBuilder<'a>, SampleLog), TreeBuildError> {
    let metrics = Metrics::of(recording);
    let mut assembly = ProfileAssembly::new(source, "All threads", metrics.list.clone());
    add_threads(&mut assembly, recording)?;
    let has_content = recording.has_content();
    let (mut samples, mut amounts) = (take(&mut recording.samples), take(&mut recording.amounts));
    let markers = take(&mut recording.markers);
    let mut tree = StackTreeBuilder {
        recording,
        resolvers: recording.spaces.iter().map(|_| None).collect(),
        unknown: ResolvedFrame::unknown(&mut assembly.frames),
        by_stack: HashMap::default(),
        processes: recording.threads.iter().map(|(key, _)| key.space).collect(),
        limits: GrowthLimits::new(&metrics.list, file_bytes, progress),
        assembly,
        metrics,
        leaves: Vec::new(),
        activities: Activities::of(&samples),
        has_content,
    };
    tree.add_all(&mut samples, &mut amounts)?;
    tree.assembly.name_threads();
    let (events, frames) = ((samples, amounts, markers), &mut tree.assembly.frames);
    let (log, markers) = build_logs(recording, events, &tree.metrics, frames);
    tree.assembly.markers = markers;
    Ok((tree, log))
}

fn add_threads(
    assembly: &mut ProfileAssembly,
    recording: &NettraceRecording,
) -> Result<(), TooLarge> {
    let ids: Vec<SpaceId> = recording.threads.iter().map(|(key, _)| key.space).collect();
    let tops = assembly.add_processes(&ids, |row| {
        let space = recording.spaces.get(ids[row]);
        let (id, name) = (space.id, space.name.clone());
        (process_title(id, &name), RecordedProcess { id, name })
    })?;
    let unnamed = assembly.builder.frame(TreeBuilder::ROOT);
    for ((key, name), above) in recording.threads.iter().zip(tops) {
        let is_main = key.id == recording.spaces.get(key.space).id;
        assembly.threads.push(Thread {
            node: assembly.builder.add(above, unnamed)?,
            id: key.id.to_string(),
            name: if is_main { MAIN_THREAD } else { name }.into(),
        });
    }
    Ok(())
}

pub(super) struct StackTreeBuilder<'a> {
    pub recording: &'a NettraceRecording,
    resolvers: Vec<Option<AddressResolver<'a>>>,
    unknown: ResolvedFrame,
    by_stack: HashMap<(usize, StackId), usize, foldhash::fast::RandomState>,
    processes: Vec<SpaceId>,
    pub limits: GrowthLimits<'a>,
    pub assembly: ProfileAssembly,
    metrics: Metrics,
    pub leaves: Vec<StackLeaf>,
    pub activities: Activities,
    pub has_content: bool,
}

impl StackTreeBuilder<'_> {
    pub(super) fn finish(
        self,
        log: SampleLog,
        found: Option<TruncatedStacks>,
    ) -> Result<Recording, TooLarge> {
        drop((self.resolvers, self.by_stack, self.leaves));
        let metrics = &self.metrics;
        let rest = metrics.wall.or(metrics.samples);
        let rest = rest.or(metrics.off_cpu).or(metrics.allocated);
        let samples = Samples {
            log,
            found,
            measure: metrics.wall.or(metrics.cpu),
            has_samples: metrics.samples.is_some(),
            preferred_metric: metrics.cpu.filter(|_| !self.activities.is_cpu_thin()),
            fallback_metric: rest.unwrap_or(MetricId(0)),
        };
        self.assembly.profile_of_samples(samples)
    }

    /// Adds all events in time order, and replaces the ids of their stacks with the nodes where they end.
    fn add_all(
        &mut self,
        samples: &mut [IntervalSample],
        amounts: &mut [SampledAmount],
    ) -> Result<(), TreeBuildError> {
        let mut amounts = amounts.iter_mut().peekable();
        for sample in samples {
            while let Some(amount) = amounts.next_if(|amount| amount.time < sample.time_ns) {
                self.add_amount(amount)?;
            }
            sample.node = self.add(sample.time_ns, sample.lane(), sample.node, true)?;
        }
        amounts.try_for_each(|amount| self.add_amount(amount))
    }

    fn add_amount(&mut self, amount: &mut SampledAmount) -> Result<(), TreeBuildError> {
        let is_sample = amount.kind == AmountKind::Cpu && self.metrics.wall.is_none();
        let thread = amount.thread as usize;
        amount.node = self.add(amount.time, thread, amount.node, is_sample)?;
        Ok(())
    }

    fn add(
        &mut self,
        time: u64,
        thread: usize,
        stack: RawNode,
        is_sample: bool,
    ) -> Result<RawNode, TreeBuildError> {
        self.limits.step(&self.assembly.builder)?;
        let space = self.processes[thread];
        let resolver = self.resolvers[space.0 as usize]
            .get_or_insert_with(|| AddressResolver::new(&self.recording.spaces.get(space).memory));
        let generation = resolver.advance(time);
        let row = self.insert_stack(thread, StackId(stack.0), generation)?;
        let leaf = &mut self.leaves[row];
        leaf.samples += u64::from(is_sample);
        Ok(leaf.node)
    }

    fn insert_stack(
        &mut self,
        thread: usize,
        stack: StackId,
        generation: u32,
    ) -> Result<usize, TreeBuildError> {
        if let Some(&row) = self.by_stack.get(&(thread, stack)) {
            let known = &self.leaves[row];
            if known.generation == generation || !self.limits.may_resolve(known.frames.frames) {
                return Ok(row);
            }
        }
        let mut leaf = StackLeaf {
            node: self.assembly.threads[thread].node,
            generation,
            ..StackLeaf::default()
        };
        let stacks = &self.recording.stacks;
        let space = self.processes[thread];
        for (index, address) in stacks.outermost_first(stack).enumerate() {
            self.limits.step(&self.assembly.builder)?;
            let resolved = self.resolve(space, stacks.address(address));
            let assembly = &mut self.assembly;
            leaf.node = assembly.builder.merge(leaf.node, resolved.frame)?;
            leaf.frames.add(!resolved.is_named);
            if index == 0 {
                leaf.root = match resolved.is_named {
                    true => Root::Frame(resolved.frame),
                    false => Root::Address(address),
                };
            }
            let name = &mut assembly.threads[thread].name;
            if index < THREAD_NAME_DEPTH && name.is_empty() {
                *name = thread_name(assembly.frames.name(resolved.frame)).into();
            }
        }
        let row = self.leaves.len();
        self.leaves.push(leaf);
        self.by_stack.insert((thread, stack), row);
        Ok(row)
    }

    fn resolve(&mut self, space: SpaceId, address: u64) -> ResolvedFrame {
        let (native, frames) = (&self.recording.spaces, &mut self.assembly.frames);
        let resolver = self.resolvers[space.0 as usize].as_mut();
        let frame = resolver.and_then(|resolver| resolver.frame(address, native, frames));
        frame.unwrap_or(self.unknown)
    }
}
