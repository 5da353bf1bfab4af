//! The profile of stacks: below threads and processes where their outermost frames name these.

use super::name::TITLE;
use crate::diagnostics::Diagnostic;
use crate::importers::assembly::{AssembledThread, FileProcess, ProfileAssembly};
use crate::importers::dotnet::{MAIN_THREAD, is_thread_time, process_title, thread_title};
use crate::importers::tracks::{self, About, CollectedTracks, TrackMeasure, process_of, thread_of};
use crate::input::ImportError;
use crate::input::error::too_large;
use crate::model::{
    CountKind, FrameId, Metric, MetricId, RawNode, Recording, Source, TooLarge, TreeBuilder,
};
use crate::names::FrameKind;
use crate::units::Unit;
use std::collections::HashMap;

/// The only metric.
const VALUE: MetricId = MetricId(0);

/// Makes the profile.
///
/// # Errors
/// The tree is full.
pub(super) fn profile(recorded: CollectedTracks, about: About) -> Result<Recording, ImportError> {
    let roles = Roles::new(&recorded);
    if is_thread_time_alone(&recorded, &roles) {
        return tracks::profile(recorded, about);
    }
    let About {
        file,
        format: (format, _),
        facts,
        diagnostics,
        ..
    } = about;
    let source = Source::read_here(file.clone(), format, recorded.kind, facts);
    let mut grower = Grower::new(&recorded, &roles, source, diagnostics);
    grower.grow().map_err(|TooLarge| too_large(&file, TITLE))?;
    let profile = grower.finish();
    Ok(profile)
}

/// What a row of the frame table stands for above methods.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreadRole {
    Process(usize),
    Heading,
    Thread,
    Other,
}

struct Roles {
    of: Vec<ThreadRole>,
    processes: Vec<FileProcess>,
}

impl Roles {
    fn new(recorded: &CollectedTracks) -> Roles {
        let mut is_used = vec![false; recorded.frames.len()];
        for (_, _, row) in stacks(recorded) {
            is_used
                .get_mut(row.index())
                .into_iter()
                .for_each(|is_used| *is_used = true);
        }
        let mut processes = Vec::new();
        let role = |row: usize| match recorded.frames.name(FrameId::at(row)) {
            _ if !is_used[row] => ThreadRole::Other,
            "(Non-Activities)" | "(Activities)" | "Threads" => ThreadRole::Heading,
            name if name.starts_with("Thread (") => ThreadRole::Thread,
            name => match process_of(name) {
                None => ThreadRole::Other,
                Some(process) => {
                    processes.push(process);
                    ThreadRole::Process(processes.len() - 1)
                }
            },
        };
        Roles {
            of: (0..recorded.frames.len()).map(role).collect(),
            processes,
        }
    }

    fn of(&self, row: FrameId) -> ThreadRole {
        self.of
            .get(row.index())
            .copied()
            .unwrap_or(ThreadRole::Other)
    }
}

/// Whether this is thread time in which no method stands above or beside threads, where [`tracks::profile`] would leave it out.
fn is_thread_time_alone(recorded: &CollectedTracks, roles: &Roles) -> bool {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum NodePosition {
        /// Only processes and headings so far.
        Above,
        BelowThread,
        Beside,
    }
    let mut ways = vec![NodePosition::Above; recorded.builder.len()];
    let (mut has_thread_time, mut is_alone) = (false, recorded.measures == [TrackMeasure::Time]);
    for (node, caller, row) in stacks(recorded) {
        // callers come before their callees
        let way = match (ways[caller.0 as usize], roles.of(row)) {
            (NodePosition::BelowThread, _) | (_, ThreadRole::Thread) => NodePosition::BelowThread,
            (_, ThreadRole::Other) => NodePosition::Beside,
            (way, _) => way,
        };
        ways[node.0 as usize] = way;
        has_thread_time |=
            way == NodePosition::BelowThread && is_thread_time(recorded.frames.name(row));
        is_alone &= way != NodePosition::Beside
            || recorded.builder.values(TrackMeasure::Time.metric(), node) == (0, 0);
    }
    has_thread_time && is_alone
}

/// The nodes of the file's tree: all but the root and the track below it, which are no frames of the file.
fn stacks(recorded: &CollectedTracks) -> impl Iterator<Item = (RawNode, RawNode, FrameId)> {
    recorded
        .builder
        .nodes()
        .filter(|(_, caller, _)| *caller != TreeBuilder::ROOT)
}

/// Where a node of the file's tree went.
#[derive(Clone, Copy)]
enum ThreadPlace {
    /// It stands above threads, in this process.
    Above(Option<usize>),
    At(RawNode),
}

struct Grower<'a> {
    recorded: &'a CollectedTracks,
    roles: &'a Roles,
    measure: TrackMeasure,
    grown: ProfileAssembly,
    frame_of: Vec<Option<FrameId>>,
    process_nodes: Vec<Option<RawNode>>,
    by_title: HashMap<(Option<usize>, FrameId), RawNode>,
}

impl Grower<'_> {
    fn new<'a>(
        recorded: &'a CollectedTracks,
        roles: &'a Roles,
        source: Source,
        diagnostics: Vec<Diagnostic>,
    ) -> Grower<'a> {
        let measure = recorded
            .measures
            .first()
            .copied()
            .unwrap_or(TrackMeasure::Weight);
        let metric = match (measure, recorded.counts) {
            (_, None) => Metric {
                name: "samples".into(),
                unit: Unit::Count,
                counts: None,
            },
            (TrackMeasure::Time, counts) => Metric::time("time", counts),
            (_, counts) => Metric {
                name: "weight".into(),
                unit: Unit::Count,
                counts,
            },
        };
        let has_threads = roles.of.contains(&ThreadRole::Thread);
        let root = if has_threads {
            "All threads"
        } else {
            "All stacks"
        };
        Grower {
            recorded,
            roles,
            measure,
            grown: ProfileAssembly {
                diagnostics,
                ..ProfileAssembly::new(source, root, vec![metric])
            },
            frame_of: vec![None; recorded.frames.len()],
            process_nodes: vec![None; roles.processes.len()],
            by_title: HashMap::new(),
        }
    }

    fn grow(&mut self) -> Result<(), TooLarge> {
        let mut places = vec![ThreadPlace::Above(None); self.recorded.builder.len()];
        for (node, caller, row) in self.recorded.builder.nodes() {
            if caller != TreeBuilder::ROOT {
                places[node.0 as usize] = self.place(places[caller.0 as usize], row)?;
            }
            let (value, count) = self.recorded.builder.values(self.measure.metric(), node);
            if value > 0 || count > 0 {
                let place = match places[node.0 as usize] {
                    ThreadPlace::Above(process) => self.top(process)?,
                    ThreadPlace::At(place) => place,
                };
                self.grown.builder.add_exclusive(VALUE, place, value);
                self.grown.builder.add_count(VALUE, place, count);
            }
        }
        Ok(())
    }

    fn place(&mut self, above: ThreadPlace, row: FrameId) -> Result<ThreadPlace, TooLarge> {
        Ok(match (above, self.roles.of(row)) {
            (ThreadPlace::Above(_), ThreadRole::Process(process)) => {
                ThreadPlace::Above(Some(process))
            }
            (ThreadPlace::Above(process), ThreadRole::Heading) => ThreadPlace::Above(process),
            (ThreadPlace::Above(process), ThreadRole::Thread) => {
                ThreadPlace::At(self.thread(process, row)?)
            }
            (ThreadPlace::Above(process), ThreadRole::Other) => {
                let top = self.top(process)?;
                ThreadPlace::At(self.method(top, row)?)
            }
            (ThreadPlace::At(caller), _) => ThreadPlace::At(self.method(caller, row)?),
        })
    }

    /// What stands above the threads of a process, and above frames that belong to none.
    fn top(&mut self, process: Option<usize>) -> Result<RawNode, TooLarge> {
        let Some(number) = process.filter(|_| self.roles.processes.len() > 1) else {
            return Ok(TreeBuilder::ROOT);
        };
        if let Some(known) = self.process_nodes[number] {
            return Ok(known);
        }
        let node = self
            .grown
            .add_process(self.roles.processes[number].clone())?;
        self.process_nodes[number] = Some(node);
        Ok(node)
    }

    fn thread(&mut self, process: Option<usize>, row: FrameId) -> Result<RawNode, TooLarge> {
        if let Some(&known) = self.by_title.get(&(process, row)) {
            return Ok(known);
        }
        let (id, mut name) = thread_of(self.recorded.frames.name(row));
        if process.is_some_and(|process| self.roles.processes[process].id.to_string() == id) {
            name = MAIN_THREAD.into();
        }
        let frame = self
            .grown
            .frames
            .intern(FrameKind::Thread, &thread_title(&id, &name), "");
        let top = self.top(process)?;
        let node = self.grown.builder.add(top, frame)?;
        self.grown.threads.push(AssembledThread { node, id, name });
        self.by_title.insert((process, row), node);
        Ok(node)
    }

    fn method(&mut self, caller: RawNode, row: FrameId) -> Result<RawNode, TooLarge> {
        let known = self.frame_of.get(row.index()).copied().flatten();
        let frame =
            known.unwrap_or_else(|| self.recorded.frames.intern(row, &mut self.grown.frames));
        if let Some(known) = self.frame_of.get_mut(row.index()) {
            *known = Some(frame);
        }
        self.grown.builder.merge(caller, frame)
    }

    fn finish(mut self) -> Recording {
        if let [process] = &self.roles.processes[..] {
            self.grown
                .source
                .facts
                .push(("process".into(), process_title(process.id, &process.name)));
        }
        if self.recorded.counts == Some(CountKind::Samples) {
            self.grown.builder.sum_counts();
        }
        self.grown.profile(VALUE)
    }
}
