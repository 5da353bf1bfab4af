//! Trees that no .NET tool wrote: each track is a thread, and frames keep their names.

use super::{CollectedTracks, TrackMeasure};
use crate::diagnostics::Diagnostic;
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::process_title;
use crate::model::{
    CountKind, FrameId, MetricId, RawNode, Recording, SampleKind, Source, Thread, TooLarge,
    TreeBuilder,
};
use crate::names::FrameKind;

pub(super) fn profile(
    mut collected: CollectedTracks,
    source: Source,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, TooLarge> {
    if collected.measures.is_empty() {
        collected.measures.push(TrackMeasure::Time);
    }
    collected.builder.stop_merging();
    let counts = collected.counts;
    let measures = collected.measures.iter();
    let metrics = measures.map(|&measure| collected.to_metric(measure));
    let mut assembly = ProfileAssembly::new(source, "All threads", metrics.collect());
    assembly.diagnostics = diagnostics;
    let mut log = collected.take_log();
    let (frame_of, is_distinct) = frames(&collected, &mut assembly);
    let mut pairs = collected.tracks.windows(2);
    if is_distinct && pairs.all(|pair| pair[0].process == pair[1].process) {
        rename(collected, &mut assembly, &frame_of);
    } else {
        let places = rebuild(&collected, &mut assembly, &frame_of)?;
        let samples = log.iter_mut().flat_map(|log| &mut log.intervals);
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
        assembly.builder.sum_counts();
    }
    Ok(assembly.profile(MetricId(0), log))
}

/// Reuses the file's tree, for tables whose frames are all different.
fn rename(collected: CollectedTracks, assembly: &mut ProfileAssembly, frame_of: &[FrameId]) {
    let mut builder = collected.builder;
    builder.rename(|_, row| frame_of[row.index().min(frame_of.len() - 1)]);
    for track in collected.tracks {
        let frame = assembly.frames.intern(FrameKind::Thread, &track.title, "");
        builder.set_frame(track.node, frame);
        assembly.threads.push(Thread {
            node: track.node,
            id: track.id,
            name: track.name,
        });
    }
    builder.set_frame(TreeBuilder::ROOT, assembly.builder.frame(TreeBuilder::ROOT));
    let measures = collected.measures.iter();
    let metrics: Vec<MetricId> = measures.map(|measure| measure.metric()).collect();
    builder.keep_metrics(&metrics);
    if collected.counts.is_none() {
        (0..metrics.len()).for_each(|metric| builder.drop_counts(MetricId::at(metric)));
    }
    assembly.builder = builder;
}

/// Rows with the same name become one frame. Returns the new node of each node.
fn rebuild(
    collected: &CollectedTracks,
    assembly: &mut ProfileAssembly,
    frame_of: &[FrameId],
) -> Result<Vec<RawNode>, TooLarge> {
    let tracks = &collected.tracks;
    let processes: Vec<Option<usize>> = tracks.iter().map(|track| track.process).collect();
    let tops = assembly.add_processes(&processes, |track| {
        let process = processes[track].map(|process| collected.processes[process].clone());
        let process = process.unwrap_or_default();
        (process_title(process.id, &process.name), process)
    })?;
    let mut places = vec![TreeBuilder::ROOT; collected.builder.len()];
    for (track, above) in tracks.iter().zip(tops) {
        let (id, name) = (track.id.clone(), track.name.clone());
        places[track.node.0 as usize] = assembly.add_thread(above, &track.title, id, name)?;
    }
    for (node, caller, row) in collected.builder.nodes() {
        if caller != TreeBuilder::ROOT {
            let frame = frame_of[row.index().min(frame_of.len() - 1)];
            places[node.0 as usize] = assembly.builder.merge(places[caller.0 as usize], frame)?;
        }
        let place = places[node.0 as usize];
        for (index, measure) in collected.measures.iter().enumerate() {
            let (exclusive, count) = collected.builder.values(measure.metric(), node);
            let metric = MetricId::at(index);
            assembly.builder.add_exclusive(metric, place, exclusive);
            assembly.builder.add_count(metric, place, count);
        }
    }
    Ok(places)
}

/// By row, with one for all missing rows last; `true` if all are different.
fn frames(collected: &CollectedTracks, assembly: &mut ProfileAssembly) -> (Vec<FrameId>, bool) {
    let rows = collected.frames.len();
    let mut is_occurring = vec![false; rows + 1];
    for (_, _, row) in collected.stacks() {
        is_occurring[row.index().min(rows)] = true;
    }
    let before = assembly.frames.len();
    let frame_of = |row: usize| match is_occurring[row] {
        true => collected
            .frames
            .intern(FrameId::at(row), &mut assembly.frames),
        false => FrameId(0),
    };
    let frame_of: Vec<FrameId> = (0..=rows).map(frame_of).collect();
    let occurring = is_occurring.iter().filter(|is_occurring| **is_occurring);
    let is_distinct = assembly.frames.len() - before == occurring.count() && !is_occurring[rows];
    (frame_of, is_distinct)
}
