//! What formats have in common whose frames stand in a table of the file and whose stacks belong to tracks of time:
//! speedscope, trace events, V8's CPU profiles.
//!
//! A reader collects a [`Recorded`]: a tree whose frames are numbers of rows in the file's table, so that it can be grown
//! before the table was read. [`profile`] turns that into the profile, with names and threads; what Microsoft's TraceEvent
//! wrote becomes the same profile as the recording from which it was made ([`dotnet`]).

mod dotnet;
mod plain;
mod quantity;
mod sentences;
mod table;

pub(crate) use dotnet::is_thread;
pub(super) use dotnet::{process_of, thread_of};
pub(super) use quantity::Quantity;
pub(super) use sentences::{CROSSED, LATE, Sentences};
pub(super) use table::{FileFrame, FrameTable};

use super::dotnet::process_title;
use super::truncation::Mended;
use super::{Failure, ImportError};
use crate::model::{
    CountKind, FrameId, FrameKind, Frames, Metric, MetricId, Process, Profile, ProfileKind, RawNode, Source, Thread,
    Threads, TooLarge, TreeBuilder, Truncation, Unit,
};

/// What the values of a file mean, as a metric of [`Recorded::builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Numbers of something that the file does not name.
    Weight,
}

impl Measure {
    const ALL: [Measure; 3] = [Measure::Time, Measure::Bytes, Measure::Weight];

    /// The metric of [`Recorded::builder`].
    pub fn metric(self) -> MetricId {
        MetricId(self as u32)
    }

    fn described(self, counts: Option<CountKind>) -> Metric {
        match self {
            Measure::Time => Metric::time("time", counts),
            Measure::Bytes => Metric { name: "bytes".into(), unit: Unit::Bytes, counts },
            Measure::Weight => Metric { name: "weight".into(), unit: Unit::Count, counts },
        }
    }
}

/// A process that a file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileProcess {
    /// Its number, 0 if the file has none that is a number.
    pub id: u64,
    /// Its name, or the empty string.
    pub name: String,
}

/// A track of time, which becomes a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileTrack {
    /// Its node, a callee of the root.
    pub node: RawNode,
    /// The row in [`Recorded::processes`].
    pub process: Option<usize>,
    /// The number that the file gives it, as text, or the empty string.
    pub id: String,
    /// Its name, or the empty string.
    pub name: String,
    /// How it is called in the tree.
    pub title: String,
}

/// What a reader collects.
pub(super) struct Recorded {
    /// The tree: the callees of the root are the tracks, all other frames are rows of `frames`.
    pub builder: TreeBuilder,
    pub frames: FrameTable,
    pub tracks: Vec<FileTrack>,
    pub processes: Vec<FileProcess>,
    /// What was measured, in the order of first use.
    pub measures: Vec<Measure>,
    /// What the counts are, if there are any.
    pub counts: Option<CountKind>,
    pub kind: ProfileKind,
}

impl Recorded {
    /// Nothing yet; trees count something if `has_counts`.
    pub fn new(kind: ProfileKind, counts: Option<CountKind>) -> Recorded {
        let metrics = Measure::ALL.map(|measure| measure.described(counts.or(Some(CountKind::Samples))));
        Recorded {
            builder: TreeBuilder::new(FrameId(0), &metrics),
            frames: FrameTable::default(),
            tracks: Vec::new(),
            processes: Vec::new(),
            measures: Vec::new(),
            counts,
            kind,
        }
    }

    /// Notes that something was measured.
    pub fn uses(&mut self, measure: Measure) {
        if !self.measures.contains(&measure) {
            self.measures.push(measure);
        }
    }

    /// Adds a track that the file is yet to describe.
    ///
    /// # Errors
    /// The tree is full.
    pub fn add_track(&mut self) -> Result<usize, TooLarge> {
        let node = self.builder.add(TreeBuilder::ROOT, FrameId(0))?;
        let (id, name, title) = Default::default();
        self.tracks.push(FileTrack { node, process: None, id, name, title });
        Ok(self.tracks.len() - 1)
    }
}

/// The tree that is being made, and what belongs to it.
struct Grown {
    frames: Frames,
    /// The frame of the root.
    root: FrameId,
    builder: TreeBuilder,
    metrics: Vec<Metric>,
    default_metric: MetricId,
    threads: Vec<(RawNode, String, String)>,
    processes: Vec<(RawNode, FileProcess)>,
    facts: Vec<(&'static str, String)>,
    warnings: Vec<String>,
    /// What was truncated, and the trees with and without that mended.
    mended: Option<(Truncation, Mended)>,
}

impl Grown {
    fn new(metrics: Vec<Metric>) -> Grown {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "All threads", "");
        Grown {
            root,
            builder: TreeBuilder::new(root, &metrics),
            frames,
            metrics,
            default_metric: MetricId(0),
            threads: Vec::new(),
            processes: Vec::new(),
            facts: Vec::new(),
            warnings: Vec::new(),
            mended: None,
        }
    }

    /// Adds a process that stands above threads.
    fn add_process(&mut self, process: &FileProcess) -> Result<RawNode, TooLarge> {
        let frame = self.frames.intern(FrameKind::Process, &process_title(process.id, &process.name), "");
        let node = self.builder.add(TreeBuilder::ROOT, frame)?;
        self.processes.push((node, process.clone()));
        Ok(node)
    }
}

/// A source and what was odd about it, from which the profile is put together.
pub(super) struct About {
    /// The file as the user named it.
    pub file: String,
    /// The name and the title of the format.
    pub format: (&'static str, &'static str),
    pub facts: Vec<(&'static str, String)>,
    pub warnings: Vec<String>,
}

/// Makes the profile.
///
/// # Errors
/// The tree is full.
pub(super) fn profile(recorded: Recorded, about: About) -> Result<Profile, ImportError> {
    let About { file, format: (format, title), mut facts, mut warnings } = about;
    let kind = if dotnet::is_written_by_traceevent(&recorded) { ProfileKind::Sampling } else { recorded.kind };
    let grown = match dotnet::is_written_by_traceevent(&recorded) {
        true => dotnet::grow(recorded),
        false => plain::grow(recorded),
    };
    let grown = grown.map_err(|TooLarge| too_large(&file, title))?;
    facts.extend(grown.facts.iter().cloned());
    warnings.extend(grown.warnings.iter().cloned());
    let source = Source::read_here(file, format, kind, facts);
    let Grown { frames, builder, metrics, default_metric, threads, processes, mended, .. } = grown;
    let make = |builder: TreeBuilder, place: &dyn Fn(RawNode) -> RawNode, frames: Frames| {
        let built = builder.finish(&frames, default_metric);
        let node = |raw: &RawNode| built.node(place(*raw));
        let threads =
            threads.iter().map(|(raw, id, name)| Thread { node: node(raw), id: id.clone(), name: name.clone() });
        let processes = processes.iter();
        let processes =
            processes.map(|(raw, process)| Process { node: node(raw), id: process.id, name: process.name.clone() });
        Profile {
            threads: Threads::new(threads.collect()),
            processes: processes.collect(),
            warnings: warnings.clone(),
            ..Profile::new(source.clone(), frames, built.tree, metrics.clone(), default_metric)
        }
    };
    Ok(match mended {
        None => make(builder, &|node| node, frames),
        Some((truncation, mended)) => Profile::mended(
            make(mended.mended, &|node| mended.mended_places[node.0 as usize], frames.clone()),
            make(mended.marked, &|node| mended.marked_places[node.0 as usize], frames),
            truncation,
        ),
    })
}

/// Says that a tree is full.
pub(super) fn too_large(file: &str, title: &str) -> Failure {
    Failure::new(file, title, "expected fewer different call places, found more than such a file should need")
        .advice("the file is damaged, or of an unusual kind")
}
