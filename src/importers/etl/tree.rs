//! Processes, their threads, and what those called.

use super::FORMAT;
use super::facts::facts;
use super::kernel::is_kernel_address;
use super::machine::{ProcessId, ThreadId};
use super::trace::{EtlTrace, StackId, StackRow};
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{process_title, thread_title};
use crate::importers::frame_counts::FrameCounts;
use crate::importers::node_limit::GrowthLimits;
use crate::importers::runtime::{AddressResolver, ResolvedFrame, RuntimeMarkers};
use crate::input::Progress;
use crate::input::error::TreeBuildError;
use crate::model::{
    CountKind, Metric, MetricId, ProfileKind, RawNode, RecordedProcess, Recording, SampleKind,
    SampleLog, Source, TooLarge, WeightedSample,
};
use crate::units::Unit;
use indexmap::IndexMap;
use std::collections::HashMap;

const CPU: MetricId = MetricId(0);
const SAMPLES: MetricId = MetricId(1);
const SAMPLE: u8 = 1;
const EVENT: u8 = 2;

/// Of the address spaces of the kernel and of a process.
type Generation = (u32, u32);

#[derive(Clone, Copy)]
struct TreePlace {
    node: RawNode,
    generation: Generation,
    frames: FrameCounts,
}

/// `bytes` is the total size of the events.
pub(super) fn build<'a>(
    trace: &'a mut EtlTrace,
    name: String,
    bytes: u64,
    progress: &'a Progress,
) -> Result<StackTreeBuilder<'a>, TreeBuildError> {
    let metrics = vec![
        Metric::time("CPU", Some(CountKind::Samples)),
        Metric::new("samples", Unit::Count, None),
    ];
    let limits = GrowthLimits::new(&metrics, bytes, progress);
    let facts = facts(trace);
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, facts);
    let mut assembly = ProfileAssembly::new(source, "All threads", metrics);
    let threads = add_threads(&mut assembly, trace)?;
    let unknown = ResolvedFrame::unknown(&mut assembly.frames);
    let markers = std::mem::take(&mut trace.markers);
    let mut tree = StackTreeBuilder {
        trace,
        markers,
        kernel: AddressResolver::new(&trace.machine.kernel),
        processes: HashMap::default(),
        unknown,
        threads,
        assembly,
        by_part: HashMap::default(),
        limits,
        rows: Vec::with_capacity(trace.rows.len()),
        frame_counts: FrameCounts::default(),
    };
    tree.add_all()?;
    tree.limits.check(&tree.assembly.builder)?;
    Ok(tree)
}

/// Threads with samples, and their nodes. A thread's index is its lane.
type Threads = IndexMap<ThreadId, RawNode, foldhash::fast::RandomState>;

fn add_threads(assembly: &mut ProfileAssembly, trace: &EtlTrace) -> Result<Threads, TooLarge> {
    let machine = &trace.machine;
    let ids = trace.samples().map(|sample| sample.thread);
    let mut threads: Threads = ids.map(|id| (id, RawNode::default())).collect();
    let process_of = |thread: &ThreadId| machine.threads[thread.0 as usize].process;
    let processes: Vec<Option<ProcessId>> = threads.keys().map(process_of).collect();
    let tops = assembly.add_processes(&processes, |row| match processes[row] {
        Some(process) => {
            let process = &machine.processes[process.0 as usize];
            let (id, name) = (process.id.into(), process.name.clone());
            (process_title(id, &name), RecordedProcess { id, name })
        }
        // no event assigns the thread to a process
        None => {
            let (id, name) = (u32::MAX.into(), String::new());
            (process_title(-1, ""), RecordedProcess { id, name })
        }
    })?;
    for ((thread, node), above) in threads.iter_mut().zip(tops) {
        let thread = &machine.threads[thread.0 as usize];
        let (id, name) = (thread.id.to_string(), thread.name.clone());
        *node = assembly.add_thread(above, &thread_title(&id, &name), id, name)?;
    }
    Ok(threads)
}

pub(super) struct StackTreeBuilder<'a> {
    pub trace: &'a EtlTrace,
    markers: RuntimeMarkers,
    kernel: AddressResolver<'a>,
    /// Only those that events have described.
    processes: HashMap<ProcessId, AddressResolver<'a>, foldhash::fast::RandomState>,
    unknown: ResolvedFrame,
    threads: Threads,
    pub assembly: ProfileAssembly,
    /// Where parts of stacks end, by the node above them.
    by_part: HashMap<(RawNode, StackId), TreePlace, foldhash::fast::RandomState>,
    pub limits: GrowthLimits<'a>,
    pub rows: Vec<WeightedSample>,
    /// Of unresolved frames, at most the module is known.
    pub frame_counts: FrameCounts,
}

impl StackTreeBuilder<'_> {
    pub(super) fn finish(mut self) -> Result<Recording, TooLarge> {
        self.assembly.markers = self.markers.finish(
            |ticks| self.trace.file.clock.time_ns(ticks),
            |_, thread| self.threads.get_index_of(&ThreadId(thread as u32)),
            self.trace.events(),
        );
        drop((self.kernel, self.processes, self.by_part));
        let sample = SampleKind {
            ones: vec![SAMPLES],
            ..SampleKind::of_samples(&[CPU])
        };
        let mut log = SampleLog::new([sample, SampleKind::default()]);
        log.set_zero_ns(0);
        log.add_lanes(self.assembly.threads.len());
        let log = log.with_samples(Vec::new(), self.rows);
        self.assembly.profile_of_log(log, CPU, true)
    }

    fn add_all(&mut self) -> Result<(), TreeBuildError> {
        let trace = self.trace;
        for row in &trace.rows {
            let Some(marker) = row.marker else {
                let frames = self.add(row, trace.intervals.at_ns(row.time), SAMPLE)?;
                self.frame_counts.add_all(frames);
                continue;
            };
            if self.threads.contains_key(&row.thread) {
                self.markers.set_sample(marker, self.rows.len());
                let outdated_samples = self.limits.outdated_samples;
                self.add(row, 0, EVENT)?;
                // only samples are counted
                self.limits.outdated_samples = outdated_samples;
            }
        }
        Ok(())
    }

    /// Outermost part first.
    fn add(
        &mut self,
        row: &StackRow,
        weight: u64,
        kind: u8,
    ) -> Result<FrameCounts, TreeBuildError> {
        self.limits.step(&self.assembly.builder)?;
        let process = self.trace.machine.threads[row.thread.0 as usize].process;
        let generation = self.advance(process, row.time);
        let (lane, _, &thread) = self.threads.get_full(&row.thread).ok_or(TooLarge)?;
        let (mut node, mut frames) = (thread, FrameCounts::default());
        for stack in row.parts() {
            let place = self.insert_stack(node, process, stack, generation)?;
            frames.add_all(place.frames);
            node = place.node;
        }
        let time_ns = self.trace.file.clock.time_ns(row.time);
        let sample = WeightedSample::new(time_ns, weight, node, lane, kind);
        self.rows.push(sample);
        Ok(frames)
    }

    fn advance(&mut self, process: Option<ProcessId>, time: u64) -> Generation {
        let processes = &self.trace.machine.processes;
        let space = process.and_then(|process| processes[process.0 as usize].space.as_deref());
        let generation = process.zip(space).map_or(0, |(process, space)| {
            let resolver = self.processes.entry(process);
            let resolver = resolver.or_insert_with(|| AddressResolver::new(space));
            resolver.advance(time)
        });
        (self.kernel.advance(time), generation)
    }

    fn resolve(&mut self, process: Option<ProcessId>, address: u64) -> ResolvedFrame {
        let (machine, frames) = (&self.trace.machine, &mut self.assembly.frames);
        let resolver = match process {
            _ if is_kernel_address(address, machine.is_32_bit) => Some(&mut self.kernel),
            Some(process) => self.processes.get_mut(&process),
            None => None,
        };
        let frame = resolver.and_then(|resolver| resolver.frame(address, machine, frames));
        frame.unwrap_or(self.unknown)
    }

    fn insert_stack(
        &mut self,
        above: RawNode,
        process: Option<ProcessId>,
        stack: StackId,
        generation: Generation,
    ) -> Result<TreePlace, TreeBuildError> {
        if let Some(&known) = self.by_part.get(&(above, stack))
            && (known.generation == generation || !self.limits.may_resolve(known.frames.frames))
        {
            return Ok(known);
        }
        let trace = self.trace;
        let mut place = TreePlace {
            node: above,
            generation,
            frames: FrameCounts::default(),
        };
        for &address in trace.innermost_first(stack).iter().rev() {
            self.limits.step(&self.assembly.builder)?;
            let resolved = self.resolve(process, address);
            place.node = self.assembly.builder.merge(place.node, resolved.frame)?;
            place.frames.add(!resolved.is_named);
        }
        self.by_part.insert((above, stack), place);
        Ok(place)
    }
}
