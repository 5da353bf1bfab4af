//! Trees that no .NET tool wrote: each track is a thread, and frames keep their names.

use super::{CollectedTracks, FileTrack, TrackMeasure};
use crate::diagnostics::Diagnostic;
use crate::importers::assembly::ProfileAssembly;
use crate::model::{
    CountKind, FrameId, MetricId, RawNode, Recording, SampleKind, SampleLog, Source, Thread,
    TooLarge, TreeBuilder,
};
use crate::names::FrameKind;
use std::collections::HashMap;

/// Makes the profile.
///
/// # Errors
/// If the tree is full.
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
    let metrics = recorded
        .measures
        .iter()
        .map(|&measure| recorded.described(measure))
        .collect();
    let mut grown = ProfileAssembly {
        diagnostics,
        ..ProfileAssembly::new(source, "All threads", metrics)
    };
    let mut log = recorded.take_log();
    let (frame_of, is_distinct) = frames(&recorded, &mut grown);
    let has_processes = recorded
        .tracks
        .iter()
        .any(|track| track.process != recorded.tracks[0].process);
    match is_distinct && !has_processes {
        true => rename(recorded, &mut grown, &frame_of),
        false => {
            let places = regrow(&recorded, &mut grown, &frame_of, has_processes)?;
            let samples = log.iter_mut().flat_map(SampleLog::lasting_mut);
            samples.for_each(|sample| sample.node = places[sample.node.0 as usize]);
        }
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
    let CollectedTracks {
        mut builder,
        tracks,
        measures,
        counts,
        ..
    } = recorded;
    builder.rename(|_, _, row| frame_of[row.index().min(frame_of.len() - 1)]);
    for FileTrack {
        node,
        id,
        name,
        title,
        ..
    } in tracks
    {
        builder.set_frame(node, grown.frames.intern(FrameKind::Thread, &title, ""));
        grown.threads.push(Thread { node, id, name });
    }
    builder.set_frame(TreeBuilder::ROOT, grown.builder.frame(TreeBuilder::ROOT));
    let metrics: Vec<MetricId> = measures.iter().map(|measure| measure.metric()).collect();
    builder.keep_metrics(&metrics);
    if counts.is_none() {
        (0..metrics.len()).for_each(|metric| builder.drop_counts(MetricId::at(metric)));
    }
    grown.builder = builder;
}

/// Grows a tree in which rows with the same name are one frame, below processes if there are several. Returns, for each
/// node of the file's tree, its node in the new one.
fn regrow(
    recorded: &CollectedTracks,
    grown: &mut ProfileAssembly,
    frame_of: &[FrameId],
    has_processes: bool,
) -> Result<Vec<RawNode>, TooLarge> {
    let tops = tops(recorded, grown, has_processes)?;
    let mut place = vec![TreeBuilder::ROOT; recorded.builder.len()];
    recorded
        .tracks
        .iter()
        .zip(tops)
        .for_each(|(track, top)| place[track.node.0 as usize] = top);
    for (node, caller, row) in recorded.builder.nodes() {
        if caller != TreeBuilder::ROOT {
            let frame = frame_of[row.index().min(frame_of.len() - 1)];
            place[node.0 as usize] = grown.builder.merge(place[caller.0 as usize], frame)?;
        }
        add_values(recorded, node, grown, place[node.0 as usize]);
    }
    Ok(place)
}

/// Adds a node's exclusive values to the node it became.
fn add_values(
    recorded: &CollectedTracks,
    node: RawNode,
    grown: &mut ProfileAssembly,
    place: RawNode,
) {
    for (index, measure) in recorded.measures.iter().enumerate() {
        let (exclusive, count) = recorded.builder.values(measure.metric(), node);
        let metric = MetricId::at(index);
        grown.builder.add_exclusive(metric, place, exclusive);
        grown.builder.add_count(metric, place, count);
    }
}

/// The frame of each row, with one for all missing rows last, and whether all are different.
fn frames(recorded: &CollectedTracks, grown: &mut ProfileAssembly) -> (Vec<FrameId>, bool) {
    let rows = recorded.frames.len();
    let mut is_occurring = vec![false; rows + 1];
    recorded
        .builder
        .nodes()
        .filter(|(_, caller, _)| *caller != TreeBuilder::ROOT)
        .for_each(|(_, _, row)| {
            is_occurring[row.index().min(rows)] = true;
        });
    let before = grown.frames.len();
    let mut occurring = 0;
    let mut frame_of = |row: usize| {
        let is_occurring = is_occurring[row];
        occurring += usize::from(is_occurring);
        // rows that don't occur in the tree are not frames of the profile
        if is_occurring {
            recorded.frames.intern(FrameId::at(row), &mut grown.frames)
        } else {
            FrameId(0)
        }
    };
    let frame_of: Vec<FrameId> = (0..=rows).map(&mut frame_of).collect();
    // all missing rows share one frame
    let has_lacking = is_occurring[rows];
    (
        frame_of,
        grown.frames.len() - before == occurring && !has_lacking,
    )
}

/// The nodes of the tracks, below those of their processes if there are several.
fn tops(
    recorded: &CollectedTracks,
    grown: &mut ProfileAssembly,
    has_processes: bool,
) -> Result<Vec<RawNode>, TooLarge> {
    let mut by_process = HashMap::new();
    let mut tops = Vec::with_capacity(recorded.tracks.len());
    for FileTrack {
        process,
        id,
        name,
        title,
        ..
    } in &recorded.tracks
    {
        let above = match process.filter(|_| has_processes) {
            None => TreeBuilder::ROOT,
            Some(process) => match by_process.get(&process) {
                Some(&known) => known,
                None => {
                    let node = grown.add_process(recorded.processes[process].clone())?;
                    by_process.insert(process, node);
                    node
                }
            },
        };
        tops.push(grown.add_thread(above, title, id.clone(), name.clone())?);
    }
    Ok(tops)
}
