//! Trees written by Microsoft's TraceEvent: `dotnet-trace convert`, PerfView.
//!
//! Stacks start with `Process64 app (7) Args: …`, `(Non-Activities)`, `Threads`, `Thread (9)`. They end with
//! `CPU_TIME` where the thread ran, or with `UNMANAGED_CODE_TIME` where it waited or ran native code. The thread
//! becomes the thread root, the last frame selects the metric, and the others are dropped, which leaves the tree of
//! the `.nettrace` file. Activities are placed between the thread and its methods.

use super::threads::{FrameRole, FrameRoles, ThreadTree, is_thread, process_of};
use super::{CollectedTracks, TrackMeasure};
use crate::diagnostics::Diagnostic;
use crate::importers::assembly::{ProfileAssembly, Samples};
use crate::importers::dotnet::{THREAD_NAME_DEPTH, is_thread_time, thread_name};
use crate::input::json::ZERO_INSTANT;
use crate::model::{
    FrameId, Metric, MetricId, RawNode, Recording, SampleKind, SampleLog, Source, TooLarge,
    TreeBuilder, UntimedReason, WeightedSample,
};
use crate::names::FrameKind;
use std::collections::HashMap;

const CPU: MetricId = MetricId(0);
const WALL: MetricId = MetricId(1);

/// The thread ran, it did not, or the time is a rounding remainder.
const RAN: u8 = 1;
const WAITED: u8 = 2;
const REMAINDER: u8 = 3;

/// Activities nest only a few levels: above a thread, no more frames are examined.
const MAX_FRAMES_ABOVE_THREAD: usize = 16;

/// Whether the frames are those of TraceEvent's thread time view.
pub(super) fn is_written_by_traceevent(collected: &CollectedTracks) -> bool {
    let names = || (0..collected.frames.len()).map(|row| collected.frames.name(FrameId::at(row)));
    collected.measures == [TrackMeasure::Time]
        && names().any(is_thread_time)
        && names().any(is_thread)
}

#[derive(Clone, Copy, Default)]
struct MappedNode {
    /// The node itself, or its caller if it is not a method; `None` above threads.
    node: Option<RawNode>,
    depth: u32,
    thread: usize,
}

struct StackTreeBuilder {
    collected: CollectedTracks,
    tree: ThreadTree,
    places: Vec<MappedNode>,
    /// Where stacks start: threads and activities.
    tracks: Vec<RawNode>,
}

pub(super) fn profile(
    mut collected: CollectedTracks,
    source: Source,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, TooLarge> {
    collected.builder.stop_merging();
    let metrics = vec![Metric::time("CPU", None), Metric::time("wall", None)];
    let mut assembly = ProfileAssembly::new(source, "All threads", metrics);
    assembly.diagnostics = diagnostics;
    let mut tree_builder = StackTreeBuilder {
        places: vec![MappedNode::default(); collected.builder.len()],
        tree: ThreadTree::new(FrameRoles::new(&collected), assembly),
        tracks: Vec::new(),
        collected,
    };
    tree_builder.place_all()?;
    tree_builder.tree.assembly.name_threads();
    tree_builder.name_process();
    // if frame names follow the events, the order of the samples is unknown
    let is_from_start = tree_builder.collected.is_traceevent_from_start;
    let log = tree_builder.collected.log.take().filter(|_| is_from_start);
    let is_in_order = log.is_some();
    let log = log.map_or_else(
        || tree_builder.log_of_nodes(),
        |log| tree_builder.log_of_tracks(&log),
    );
    let (assembly, tracks) = (tree_builder.tree.assembly, tree_builder.tracks);
    let found = assembly.truncated(tracks, &log, is_in_order);
    let mut profile = assembly.profile_of_samples(Samples {
        log,
        found,
        measure: Some(WALL),
        has_samples: false,
        preferred_metric: Some(CPU),
        fallback_metric: WALL,
    })?;
    if !is_in_order {
        profile.samples = Err(UntimedReason::NamesTooLate);
    }
    Ok(profile)
}

fn new_log() -> SampleLog {
    let ran = SampleKind::of_values(&[WALL, CPU]);
    let waited = SampleKind::of_values(&[WALL]);
    let mut rest = waited.clone();
    rest.is_rest = true;
    let mut log = SampleLog::new([ran, waited, rest]);
    // times in these files are relative to the start of the session
    log.set_zero_ns(ZERO_INSTANT);
    log
}

impl StackTreeBuilder {
    fn role(&self, row: FrameId) -> FrameRole {
        self.tree.roles.role(row)
    }

    fn place_all(&mut self) -> Result<(), TooLarge> {
        // the file's tree is read while the profile's grows
        let builder = std::mem::take(&mut self.collected.builder);
        let stacks = builder.nodes();
        for (node, caller, row) in stacks.filter(|(_, caller, _)| *caller != TreeBuilder::ROOT) {
            let above = self.places[caller.0 as usize];
            self.places[node.0 as usize] = match (above.node, self.role(row)) {
                (None, FrameRole::Thread) => self.enter_thread(&builder, caller, row)?,
                (None, _) => above,
                (Some(_), FrameRole::Cpu | FrameRole::Unmanaged) => above,
                (Some(place), _) => self.enter_method(above, place, row)?,
            };
        }
        self.collected.builder = builder;
        Ok(())
    }

    fn enter_thread(
        &mut self,
        builder: &TreeBuilder,
        caller: RawNode,
        row: FrameId,
    ) -> Result<MappedNode, TooLarge> {
        let (mut process, mut activities, mut at) = (None, Vec::new(), caller);
        for _ in 0..MAX_FRAMES_ABOVE_THREAD {
            let (above, row) = (builder.parent(at), builder.frame(at));
            if above == TreeBuilder::ROOT {
                break;
            }
            match self.role(row) {
                FrameRole::Process(number) => process = Some(number),
                FrameRole::Other => activities.push(row),
                _ => {}
            }
            at = above;
        }
        let frames = &self.collected.frames;
        let thread = self.tree.thread(process, row, frames)?;
        let assembly = &mut self.tree.assembly;
        let mut node = assembly.threads[thread].node;
        for row in activities.into_iter().rev() {
            let name = frames.name(row);
            let frame = assembly.frames.intern(FrameKind::Special, name, "");
            node = assembly.builder.merge(node, frame)?;
        }
        if !self.tracks.contains(&node) {
            self.tracks.push(node);
        }
        Ok(MappedNode {
            node: Some(node),
            depth: 0,
            thread,
        })
    }

    fn enter_method(
        &mut self,
        above: MappedNode,
        caller: RawNode,
        row: FrameId,
    ) -> Result<MappedNode, TooLarge> {
        let node = self.tree.method(caller, row, &self.collected.frames)?;
        let depth = above.depth + 1;
        let assembly = &mut self.tree.assembly;
        let name = &mut assembly.threads[above.thread].name;
        if depth as usize <= THREAD_NAME_DEPTH && name.is_empty() {
            *name = thread_name(assembly.frames.name(assembly.builder.frame(node))).to_string();
        }
        Ok(MappedNode {
            node: Some(node),
            depth,
            thread: above.thread,
        })
    }

    fn log_of_nodes(&self) -> SampleLog {
        let mut log = new_log();
        log.add_lanes(self.tree.assembly.threads.len());
        let builder = &self.collected.builder;
        let time = |(node, ..): (RawNode, RawNode, FrameId)| {
            let (nanoseconds, _) = builder.values(TrackMeasure::Time.metric(), node);
            let (end, lane) = (self.end(node), self.places[node.0 as usize].thread);
            (nanoseconds > 0)
                .then(|| WeightedSample::new(0, nanoseconds, end, lane, self.kind(node)))
        };
        log.with_samples(Vec::new(), builder.nodes().filter_map(time).collect())
    }

    /// By thread. When a track switches threads, the previous thread pauses.
    fn log_of_tracks(&self, file: &SampleLog) -> SampleLog {
        let mut log = new_log();
        let mut lane_of: HashMap<(usize, usize), usize> = HashMap::new();
        let mut current: Vec<Option<usize>> = vec![None; self.collected.tracks.len()];
        log.intervals.reserve_exact(file.intervals.len());
        for sample in &file.intervals {
            let Some(current) = current.get_mut(sample.lane()) else {
                continue;
            };
            if sample.kind() == SampleLog::PAUSE {
                current.iter().for_each(|&lane| {
                    log.push(lane, sample.time_ns, TreeBuilder::ROOT, SampleLog::PAUSE)
                });
                continue;
            }
            let thread = self.places[sample.node.0 as usize].thread;
            let lane = *lane_of
                .entry((sample.lane(), thread))
                .or_insert_with(|| log.add_lane(thread));
            if let Some(other) = current.replace(lane).filter(|other| *other != lane) {
                log.push(other, sample.time_ns, TreeBuilder::ROOT, SampleLog::PAUSE);
            }
            let (end, kind) = (self.end(sample.node), self.kind(sample.node));
            log.push(lane, sample.time_ns, end, kind);
        }
        for (track, lane) in current.into_iter().enumerate() {
            if let Some(lane) = lane {
                log.set_end_ns(lane, file.end_ns(track));
            }
        }
        log
    }

    /// Time above a thread, which these files don't have, goes to the root.
    fn end(&self, node: RawNode) -> RawNode {
        let place = self.places[node.0 as usize];
        place.node.unwrap_or(TreeBuilder::ROOT)
    }

    fn kind(&self, node: RawNode) -> u8 {
        match self.role(self.collected.builder.frame(node)) {
            FrameRole::Cpu => RAN,
            FrameRole::Unmanaged => WAITED,
            // rounding leaves nanoseconds in methods that were on the stack but did not end it
            _ => REMAINDER,
        }
    }

    fn name_process(&mut self) {
        let frames = &self.collected.frames;
        let mut names = (0..frames.len()).map(|row| frames.name(FrameId::at(row)));
        if let [process] = &self.tree.roles.processes[..]
            && let Some(name) = names.find(|name| process_of(name).is_some())
        {
            let arguments = name.split_once("Args:");
            let arguments = arguments.map_or("", |(_, arguments)| arguments.trim());
            let command_line = format!("{} {arguments}", process.name);
            let facts = &mut self.tree.assembly.source.facts;
            facts.push(("process".into(), process.id.to_string()));
            facts.push(("command line".into(), command_line.trim().to_string()));
        }
    }
}
