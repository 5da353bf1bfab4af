//! The call tree: processes, their threads, and what those called.

use super::facts::facts;
use super::machine::{AddressSpace, ProcessId, ThreadId};
use super::name::NAME;
use super::places::{AddressPlaces, Generation};
use super::trace::{EtlTrace, StackId, StackRow};
use crate::importers::assembly::{FileProcess, ProfileAssembly};
use crate::importers::dotnet::{process_title, thread_title};
use crate::importers::node_limit::{LookupLimit, max_nodes};
use crate::input::Progress;
use crate::input::error::GrowError;
use crate::model::{
    CountKind, MarkerLog, Metric, MetricId, ProfileKind, RawNode, SampleKind, SampleLog, Source,
    TooLarge, TreeBuilder, WeightedSample,
};
use crate::units::Unit;
use std::collections::HashMap;

pub(super) const CPU: MetricId = MetricId(0);
const SAMPLES: MetricId = MetricId(1);
/// The kinds of the log: samples, and unused runtime events.
const SAMPLE: u8 = 1;
const EVENT: u8 = 2;

pub(super) struct SampleTree {
    /// Has no values yet.
    pub grown: ProfileAssembly,
    pub log: SampleLog,
    pub counts: TraceCounts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TraceCounts {
    pub frames: u64,
    /// Frames of which at most the module is known.
    pub nameless_frames: u64,
    pub without_stack: u64,
    /// Samples whose stack was not looked up again, although code had changed.
    pub outdated: u64,
}

/// Where a stack or a part of it ends in the tree.
#[derive(Clone, Copy)]
struct TreePlace {
    node: RawNode,
    generation: Generation,
    frames: u32,
    nameless: u32,
}

/// Makes the tree of a trace, whose samples are in time order. `bytes` is the number of bytes of events read.
///
/// # Errors
/// If cancelled, or if the tree is too large.
pub(super) fn grow(
    trace: &mut EtlTrace,
    name: String,
    bytes: u64,
    progress: &Progress,
) -> Result<SampleTree, GrowError> {
    let samples = std::mem::take(&mut trace.samples);
    let metrics = vec![
        Metric::time("CPU", Some(CountKind::Samples)),
        Metric::new("samples", Unit::Count, None),
    ];
    let max_nodes = max_nodes(&metrics, bytes);
    let source = Source::read_here(name, NAME, ProfileKind::Sampling, facts(trace, &samples));
    let mut grown = ProfileAssembly::new(source, "All threads", metrics);
    let threads = MachineThreads::add(&mut grown, trace, &samples)?;
    let nothing = AddressSpace::default();
    let places = AddressPlaces::new(&trace.machine, &nothing, &mut grown.frames);
    let mut grower = Grower {
        trace,
        places,
        threads,
        grown,
        by_part: HashMap::default(),
        max_nodes,
        again: LookupLimit::of(bytes),
        rows_of_markers: Vec::new(),
        counts: TraceCounts::default(),
        progress,
        work: 0,
    };
    let rows = grower.add_all(&samples)?;
    grower.check_size()?;
    let Grower {
        mut grown,
        counts,
        threads,
        rows_of_markers,
        ..
    } = grower;
    grown.markers = threads.markers(trace, &rows_of_markers);
    let mut log = SampleLog::new([sample_kind(), SampleKind::default()]);
    log.set_zero_ns(0);
    log.add_lanes(grown.threads.len());
    let log = log.with_samples(Vec::new(), rows);
    Ok(SampleTree { grown, log, counts })
}

fn sample_kind() -> SampleKind {
    SampleKind {
        ones: vec![SAMPLES],
        ..SampleKind::of_samples(&[CPU])
    }
}

/// The threads that have samples, with their lanes and nodes.
struct MachineThreads {
    by_thread: HashMap<ThreadId, (usize, RawNode), foldhash::fast::RandomState>,
}

impl MachineThreads {
    /// Adds their nodes, below those of their processes if there are several.
    fn add(
        grown: &mut ProfileAssembly,
        trace: &EtlTrace,
        samples: &[StackRow],
    ) -> Result<MachineThreads, TooLarge> {
        let all = &trace.machine.threads;
        let process_of = |sample: &StackRow| all[sample.thread.index()].process;
        let has_several = samples
            .iter()
            .any(|sample| process_of(sample) != process_of(&samples[0]));
        let mut processes: HashMap<Option<ProcessId>, RawNode> = HashMap::new();
        let mut by_thread: HashMap<ThreadId, (usize, RawNode), foldhash::fast::RandomState> =
            HashMap::default();
        for sample in samples {
            if by_thread.contains_key(&sample.thread) {
                continue;
            }
            let thread = &all[sample.thread.index()];
            let above = match processes.get(&thread.process) {
                _ if !has_several => TreeBuilder::ROOT,
                Some(&known) => known,
                None => {
                    let node = add_process(grown, trace, thread.process)?;
                    processes.insert(thread.process, node);
                    node
                }
            };
            let (id, name) = (thread.id.to_string(), thread.name.clone());
            let (title, row) = (thread_title(&id, &name), grown.threads.len());
            let node = grown.add_thread(above, &title, id, name)?;
            by_thread.insert(sample.thread, (row, node));
        }
        Ok(MachineThreads { by_thread })
    }

    /// Adds the markers of a trace, some of which have stacks in rows of the sample log.
    fn markers(&self, trace: &mut EtlTrace, rows: &[(u32, usize)]) -> MarkerLog {
        let lanes = self.by_thread.iter();
        let lanes = lanes.map(|(thread, (lane, _))| (thread.index() as u64, *lane));
        let lanes: HashMap<u64, usize> = lanes.collect();
        let mut markers = std::mem::take(&mut trace.markers);
        for &(marker, row) in rows {
            markers.set_sample(marker, row);
        }
        markers.finish(
            |ticks| trace.file.time_ns(ticks),
            |_, thread| lanes.get(&thread).copied(),
            trace.events(),
        )
    }
}

fn add_process(
    grown: &mut ProfileAssembly,
    trace: &EtlTrace,
    process: Option<ProcessId>,
) -> Result<RawNode, TooLarge> {
    match process {
        Some(process) => {
            let process = &trace.machine.processes[process.index()];
            grown.add_process(FileProcess {
                id: process.id.into(),
                name: process.name.clone(),
            })
        }
        // threads that no event assigns to a process
        None => grown.add_process_titled(
            &process_title(-1, ""),
            FileProcess {
                id: u32::MAX.into(),
                ..Default::default()
            },
        ),
    }
}

struct Grower<'a> {
    trace: &'a EtlTrace,
    places: AddressPlaces<'a>,
    threads: MachineThreads,
    grown: ProfileAssembly,
    /// Where parts of stacks end, by the node above them.
    by_part: HashMap<(RawNode, StackId), TreePlace, foldhash::fast::RandomState>,
    max_nodes: u64,
    again: LookupLimit,
    /// Markers with stacks, and their rows in the sample log.
    rows_of_markers: Vec<(u32, usize)>,
    counts: TraceCounts,
    progress: &'a Progress,
    /// Counts steps between progress reports.
    work: u32,
}

impl Grower<'_> {
    /// Adds all samples and the stacks of markers in time order. Returns the rows of the log.
    fn add_all(&mut self, samples: &[StackRow]) -> Result<Vec<WeightedSample>, GrowError> {
        let trace = self.trace;
        let markers = &trace.marker_stacks;
        let mut rows = Vec::with_capacity(samples.len() + markers.len());
        let mut markers = markers.iter().peekable();
        for sample in samples {
            while let Some((marker, row)) = markers.next_if(|(_, row)| row.time < sample.time) {
                self.add_marker(*marker, row, &mut rows)?;
            }
            let interval_ns = trace.intervals.at_ns(sample.time);
            let row = self.add(sample, interval_ns, SAMPLE)?;
            rows.push(row);
        }
        for (marker, row) in markers {
            self.add_marker(*marker, row, &mut rows)?;
        }
        Ok(rows)
    }

    /// Adds the stack of a marker, unless its thread has no samples.
    fn add_marker(
        &mut self,
        marker: u32,
        row: &StackRow,
        rows: &mut Vec<WeightedSample>,
    ) -> Result<(), GrowError> {
        if self.threads.by_thread.contains_key(&row.thread) {
            // only samples are counted
            let counts = self.counts;
            self.rows_of_markers.push((marker, rows.len()));
            rows.push(self.add(row, 0, EVENT)?);
            self.counts = counts;
        }
        Ok(())
    }

    /// Adds a stack, outermost part first. Returns its row of the log.
    fn add(&mut self, row: &StackRow, weight: u64, kind: u8) -> Result<WeightedSample, GrowError> {
        self.tick()?;
        let process = self.trace.machine.threads[row.thread.index()].process;
        let generation = self.places.advance(process, row.time);
        let (lane, mut node) = self.threads.by_thread[&row.thread];
        let above = node;
        for stack in row.parts() {
            let place = self.place(node, process, stack, generation)?;
            self.counts.frames += u64::from(place.frames);
            self.counts.nameless_frames += u64::from(place.nameless);
            node = place.node;
        }
        self.counts.without_stack += u64::from(node == above);
        let time_ns = self.trace.file.time_ns(row.time);
        Ok(WeightedSample::new(time_ns, weight, node, lane, kind))
    }

    /// Where a part of a stack ends below a node.
    fn place(
        &mut self,
        above: RawNode,
        process: Option<ProcessId>,
        stack: StackId,
        generation: Generation,
    ) -> Result<TreePlace, GrowError> {
        if let Some(&known) = self.by_part.get(&(above, stack))
            && self.may_keep(known, generation)
        {
            return Ok(known);
        }
        let trace = self.trace;
        let addresses = trace.innermost_first(stack);
        let mut place = TreePlace {
            node: above,
            generation,
            frames: 0,
            nameless: 0,
        };
        for &address in addresses.iter().rev() {
            self.tick()?;
            let named = self.places.named(process, address, &mut self.grown.frames);
            place.node = self.grown.builder.merge(place.node, named.frame)?;
            place.frames += 1;
            place.nameless += u32::from(!named.is_named);
        }
        self.by_part.insert((above, stack), place);
        Ok(place)
    }

    /// Whether to reuse a place, because nothing changed since or the lookup limit is reached.
    fn may_keep(&mut self, place: TreePlace, generation: Generation) -> bool {
        if place.generation == generation {
            return true;
        }
        let is_outdated = !self.again.takes(place.frames);
        self.counts.outdated += u64::from(is_outdated);
        is_outdated
    }

    fn tick(&mut self) -> Result<(), GrowError> {
        self.work = self.work.wrapping_add(1);
        if self.work.is_multiple_of(4096) {
            self.progress.at(self.grown.builder.len())?;
            self.check_size()?;
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), GrowError> {
        match self.grown.builder.len() as u64 > self.max_nodes {
            true => Err(GrowError::TooLarge),
            false => Ok(()),
        }
    }
}
