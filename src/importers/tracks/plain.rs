//! Trees that no .NET tool wrote: each track is a thread, and frames keep their names.

use super::{CollectedTracks, TrackMeasure};
use crate::diagnostics::Diagnostic;
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::process_title;
use crate::model::{
    CountKind, FrameId, MetricId, RawNode, Recording, SampleKind, SampleLog, Source, Thread,
    TooLarge, TreeBuilder,
};
use crate::names::FrameKind;

pub(super) fn profile(
    mut recorded: CollectedTracks,
    source: Source,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, TooLarge> {
    if recorded.measures.is_empty() {
        recorded.measures.push(TrackMeasure::Time);
    }
    recorded.builder.stop_merging();
    let counts = recorded.counts;
    let measures = recorded.measures.iter();
    let metrics = measures.map(|&measure| recorded.described(measure));
    let mut grown = ProfileAssembly::new(source, "All threads", metrics.collect());
    grown.diagnostics = diagnostics;
    let mut log = recorded.take_log();
    let (frame_of, is_distinct) = frames(&recorded, &mut grown);
    let mut pairs = recorded.tracks.windows(2);
    if is_distinct && pairs.all(|pair| pair[0].process == pair[1].process) {
        rename(recorded, &mut grown, &frame_of);
    } else {
        let places = regrow(&recorded, &mut grown, &frame_of)?;
        let samples = log.iter_mut().flat_map(SampleLog::lasting_mut);
        samples.for_each(|sample| sample.node = places[sample.node.0 as usize]);
    }
    if let Ok(log) = &mut log {
        // a file with times measures nothing else
        let time = SampleKind::of_values(&[MetricId(0)]);
        let mut counted = time.clone();
        counted.counts = vec![MetricId(0)];
        log.set_kinds([time, counted]);
    }
    if counts == Some(CountKind::Samples) {
        grown.builder.sum_counts();
    }
    Ok(grown.profile_with(MetricId(0), log))
}

/// Reuses the file's tree as it is, for tables whose frames are all different.
fn rename(recorded: CollectedTracks, grown: &mut ProfileAssembly, frame_of: &[FrameId]) {
    let mut builder = recorded.builder;
    builder.rename(|_, row| frame_of[row.index().min(frame_of.len() - 1)]);
    for track in recorded.tracks {
        let frame = grown.frames.intern(FrameKind::Thread, &track.title, "");
        builder.set_frame(track.node, frame);
        grown.threads.push(Thread {
            node: track.node,
            id: track.id,
            name: track.name,
        });
    }
    builder.set_frame(TreeBuilder::ROOT, grown.builder.frame(TreeBuilder::ROOT));
    let measures = recorded.measures.iter();
    let metrics: Vec<MetricId> = measures.map(|measure| measure.metric()).collect();
    builder.keep_metrics(&metrics);
    if recorded.counts.is_none() {
        (0..metrics.len()).for_each(|metric| builder.drop_counts(MetricId::at(metric)));
    }
    grown.builder = builder;
}

/// Grows a tree in which rows with the same name are one frame. Returns the new node of each node.
fn regrow(
    recorded: &CollectedTracks,
    grown: &mut ProfileAssembly,
    frame_of: &[FrameId],
) -> Result<Vec<RawNode>, TooLarge> {
    let tracks = &recorded.tracks;
    let processes: Vec<Option<usize>> = tracks.iter().map(|track| track.process).collect();
    let tops = grown.add_processes(&processes, |track| {
        let process = processes[track].map(|process| recorded.processes[process].clone());
        let process = process.unwrap_or_default();
        (process_title(process.id, &process.name), process)
    })?;
    let mut places = vec![TreeBuilder::ROOT; recorded.builder.len()];
    for (track, above) in tracks.iter().zip(tops) {
        let (id, name) = (track.id.clone(), track.name.clone());
        places[track.node.0 as usize] = grown.add_thread(above, &track.title, id, name)?;
    }
    for (node, caller, row) in recorded.builder.nodes() {
        if caller != TreeBuilder::ROOT {
            let frame = frame_of[row.index().min(frame_of.len() - 1)];
            places[node.0 as usize] = grown.builder.merge(places[caller.0 as usize], frame)?;
        }
        let place = places[node.0 as usize];
        for (index, measure) in recorded.measures.iter().enumerate() {
            let (exclusive, count) = recorded.builder.values(measure.metric(), node);
            let metric = MetricId::at(index);
            grown.builder.add_exclusive(metric, place, exclusive);
            grown.builder.add_count(metric, place, count);
        }
    }
    Ok(places)
}

/// The frame of each row, with one for all missing rows last, and whether all are different.
fn frames(recorded: &CollectedTracks, grown: &mut ProfileAssembly) -> (Vec<FrameId>, bool) {
    let rows = recorded.frames.len();
    let mut is_occurring = vec![false; rows + 1];
    for (_, _, row) in recorded.stacks() {
        is_occurring[row.index().min(rows)] = true;
    }
    let before = grown.frames.len();
    let frame_of = |row: usize| match is_occurring[row] {
        true => recorded.frames.intern(FrameId::at(row), &mut grown.frames),
        false => FrameId(0),
    };
    let frame_of: Vec<FrameId> = (0..=rows).map(frame_of).collect();
    let occurring = is_occurring.iter().filter(|is_occurring| **is_occurring);
    let is_distinct = grown.frames.len() - before == occurring.count() && !is_occurring[rows];
    (frame_of, is_distinct)
}
