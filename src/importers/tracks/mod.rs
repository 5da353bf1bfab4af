//! What formats with a frame table and stacks on timelines share: speedscope, trace events and V8's CPU profiles.
//!
//! A reader collects [`CollectedTracks`]: a tree whose frames are row indices into the file's table, so that it can
//! grow before the table has been read. [`profile()`] turns that into the profile, with names and threads. Files
//! written by Microsoft's TraceEvent yield the same profile as the recording they were made from ([`dotnet`]).

mod dotnet;
mod plain;
mod quantity;
mod table;
mod threads;

pub(super) use quantity::Quantity;
pub(super) use table::{FileFrame, FrameTable, NO_NAME};
pub(crate) use threads::is_thread;
pub(super) use threads::{FrameRole, FrameRoles, ThreadTree};

use crate::diagnostics::Diagnostic;
use crate::importers::Format;
use crate::importers::decimals::DecimalParts;
use crate::input::ImportError;
use crate::input::error::too_large;
use crate::model::{
    Charges, CountKind, FrameId, Metric, MetricId, ProfileKind, RawNode, RecordedProcess,
    Recording, SampleKind, SampleLog, Source, TooLarge, TreeBuilder, UntimedReason,
};
use crate::units::Unit;

pub(crate) fn profile(
    collected: CollectedTracks,
    file: String,
    format: &Format,
    facts: Vec<(&'static str, String)>,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, ImportError> {
    let is_dotnet = dotnet::is_written_by_traceevent(&collected);
    let kind = match is_dotnet {
        true => ProfileKind::Sampling,
        false => collected.kind,
    };
    let source = Source::read_here(file.clone(), format.name, kind, facts);
    let profile = match is_dotnet {
        true => dotnet::profile(collected, source, diagnostics),
        false => plain::profile(collected, source, diagnostics),
    };
    profile.map_err(|TooLarge| too_large(&file, format.title).into())
}

/// Each is a metric of [`CollectedTracks::builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackMeasure {
    Time,
    Bytes,
    /// Of something that the file does not name.
    Weight,
}

impl TrackMeasure {
    pub(super) fn metric(self) -> MetricId {
        MetricId(self as u32)
    }

    pub(super) fn to_metric(self, counts: Option<CountKind>) -> Metric {
        match self {
            TrackMeasure::Time => Metric::time("time", counts),
            TrackMeasure::Bytes => Metric::new("bytes", Unit::Bytes, counts),
            TrackMeasure::Weight => Metric::new("weight", Unit::Count, counts),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileTrack {
    pub node: RawNode,
    pub process: Option<usize>,
    pub id: String,
    pub name: String,
    pub title: String,
}

pub(super) struct CollectedTracks {
    /// The callees of the root are the tracks; all other frames are rows of `frames`.
    pub builder: TreeBuilder,
    pub frames: FrameTable,
    pub tracks: Vec<FileTrack>,
    pub processes: Vec<RecordedProcess>,
    pub measures: Vec<TrackMeasure>,
    /// By measure; only those without a unit of time have parts.
    parts: [DecimalParts; 3],
    pub counts: Option<CountKind>,
    pub kind: ProfileKind,
    /// In time order within the lane of each track; `None` if not needed.
    pub log: Option<SampleLog>,
    /// The file was recognized as TraceEvent's before the first sample, so that there is a log.
    pub is_traceevent_from_start: bool,
    pub has_timeless: bool,
}

impl Default for CollectedTracks {
    fn default() -> CollectedTracks {
        CollectedTracks::new(ProfileKind::Unknown, None)
    }
}

impl CollectedTracks {
    pub(super) fn new(kind: ProfileKind, counts: Option<CountKind>) -> CollectedTracks {
        use TrackMeasure::{Bytes, Time, Weight};
        let counted = counts.or(Some(CountKind::Samples));
        let metrics = [Time, Bytes, Weight].map(|measure| measure.to_metric(counted));
        CollectedTracks {
            builder: TreeBuilder::new(FrameId(0), &metrics),
            frames: FrameTable::default(),
            tracks: Vec::new(),
            processes: Vec::new(),
            measures: Vec::new(),
            parts: Default::default(),
            counts,
            kind,
            log: Some(SampleLog::new([
                SampleKind::default(),
                SampleKind::default(),
            ])),
            is_traceevent_from_start: false,
            has_timeless: false,
        }
    }

    /// Only time is also logged.
    pub(super) fn charges(&mut self, measure: TrackMeasure) -> Charges<'_> {
        let log = self.log.as_mut().filter(|_| measure == TrackMeasure::Time);
        Charges {
            builder: &mut self.builder,
            metric: measure.metric(),
            log,
        }
    }

    /// All but the root and the tracks, which are not frames of the file.
    pub(super) fn stacks(&self) -> impl Iterator<Item = (RawNode, RawNode, FrameId)> {
        let nodes = self.builder.nodes();
        nodes.filter(|(_, caller, _)| *caller != TreeBuilder::ROOT)
    }

    fn take_log(&mut self) -> Result<SampleLog, UntimedReason> {
        let log = self.log.take().ok_or(UntimedReason::NoTimes)?;
        let is_other = |&measure: &TrackMeasure| measure != TrackMeasure::Time;
        match self.has_timeless || self.measures.iter().any(is_other) {
            true => Err(UntimedReason::NotAll),
            false => Ok(log),
        }
    }

    pub(super) fn refine_for(&mut self, measure: TrackMeasure, millionths: u128) -> Option<u64> {
        let factor = self.parts[measure as usize].refine_for(millionths)?;
        self.builder
            .map_values(measure.metric(), |value| value.saturating_mul(factor));
        Some(factor)
    }

    pub(super) fn parts(&mut self, measure: TrackMeasure) -> &mut DecimalParts {
        &mut self.parts[measure as usize]
    }

    pub(super) fn decimals(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.parts.iter().flat_map(|parts| parts.diagnostics())
    }

    fn to_metric(&self, measure: TrackMeasure) -> Metric {
        let metric = measure.to_metric(self.counts);
        match self.parts[measure as usize] {
            DecimalParts { per_one: 1, .. } => metric,
            parts => Metric {
                name: parts.metric_name(&metric.name),
                unit: Unit::Count,
                ..metric
            },
        }
    }

    pub(super) fn uses(&mut self, measure: TrackMeasure) {
        if !self.measures.contains(&measure) {
            self.measures.push(measure);
        }
    }

    pub(super) fn add_track(&mut self) -> Result<usize, TooLarge> {
        let node = self.builder.add(TreeBuilder::ROOT, FrameId(0))?;
        self.tracks.push(FileTrack {
            node,
            ..FileTrack::default()
        });
        let track = self.tracks.len() - 1;
        if let Some(log) = &mut self.log {
            log.add_lane(track);
        }
        Ok(track)
    }
}
