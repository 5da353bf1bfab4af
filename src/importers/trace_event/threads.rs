use super::cpu::CpuProfiles;
use super::events::TraceEvent;
use super::ids::{Id, ThreadKey};
use super::player::{EventAction, PlayContext, PlayedStep, Player};
use super::rows::EventNames;
use crate::diagnostics::{Anomaly, Diagnostic, partly};
use crate::importers::anomalies::Anomalies;
use crate::importers::dotnet::thread_title;
use crate::importers::node_limit::max_nodes;
use crate::importers::tracks::{CollectedTracks, TrackMeasure};
use crate::model::{
    Charges, CountKind, FrameId, IntervalSample, MetricId, ProfileKind, RawNode, RecordedProcess,
    TooLarge,
};
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::collections::HashMap;

const TIME: MetricId = MetricId(TrackMeasure::Time as u32);

/// By stack frame, the node at which the stack with that leaf ends.
type StackEnds = HashMap<u32, RawNode, RandomState>;

fn insert_stack(
    collected: &mut CollectedTracks,
    rows: &EventNames,
    (thread, leaf): (usize, u32),
    ends: &mut StackEnds,
    max_nodes: u64,
) -> Result<RawNode, TooLarge> {
    let mut above = Vec::new();
    let mut at = Some(leaf);
    let mut node = collected.tracks[thread].node;
    while let Some(stack_frame) = at {
        if let Some(&end) = ends.get(&stack_frame) {
            node = end;
            break;
        }
        // a cycle of callers has no outermost one, so cut it once all have been visited
        if above.len() >= collected.frames.len().max(1) {
            break;
        }
        above.push(stack_frame);
        at = rows.parent(stack_frame);
    }
    if (collected.builder.len() + above.len()) as u64 > max_nodes {
        return Err(TooLarge);
    }
    for stack_frame in above.into_iter().rev() {
        node = collected.builder.merge(node, FrameId(stack_frame))?;
        ends.insert(stack_frame, node);
    }
    Ok(node)
}

#[derive(Default)]
pub(super) struct ThreadTable {
    collected: CollectedTracks,
    anomalies: Anomalies,
    /// Threads with events, in the order of `collected.tracks`.
    players: IndexMap<ThreadKey, Player, RandomState>,
    /// Of the last event, usually the next one's as well.
    last: Option<(ThreadKey, usize)>,
    process_names: HashMap<Id, u32, RandomState>,
    thread_names: HashMap<ThreadKey, u32, RandomState>,
    /// Threads with samples, and their latest times.
    sampled: IndexMap<ThreadKey, u64, RandomState>,
    /// Nodes are stack frame ids until the tree exists.
    samples: Vec<IntervalSample>,
    begun: u64,
}

impl ThreadTable {
    pub(super) fn node_count(&self) -> usize {
        self.collected.builder.len()
    }

    pub(super) fn has_samples(&self) -> bool {
        !self.sampled.is_empty()
    }

    #[inline]
    pub(super) fn add_event(
        &mut self,
        event: TraceEvent,
        rows: &mut EventNames,
    ) -> Result<(), TooLarge> {
        if !matches!(event.phase, b'B' | b'E' | b'X') {
            if event.phase == b'M' {
                self.add_name(&event, rows);
            }
            return Ok(());
        }
        self.anomalies
            .note(Anomaly::ValuesClamped, event.is_clamped);
        let Some(at) = event.at else {
            self.anomalies.add(partly::EVENTS_INCOMPLETE, 1);
            return Ok(());
        };
        let action = if event.phase == b'E' {
            EventAction::End(event.name)
        } else {
            self.begun += 1;
            let frame = rows.frame(event.name, event.stack_frame);
            if let Some(file) = event.file {
                rows.set_location(frame, file, event.line);
            }
            let end = at.saturating_add(event.duration.unwrap_or(0));
            match event.phase {
                b'B' => EventAction::Begin(frame),
                _ => EventAction::Complete(frame, end.min(u64::MAX - 1)),
            }
        };
        if rows.has_threads {
            // its frame is among the first, before any thread's first sample
            self.collected.is_traceevent_from_start = true;
        }
        let player = self.player((event.process, event.thread))?;
        let context = &mut PlayContext {
            charges: self.collected.charges(TrackMeasure::Time),
            rows,
            anomalies: &mut self.anomalies,
        };
        self.players[player].add(PlayedStep { at, action }, context)
    }

    #[inline]
    fn player(&mut self, key: ThreadKey) -> Result<usize, TooLarge> {
        if let Some((_, known)) = self.last.filter(|(last, _)| *last == key) {
            return Ok(known);
        }
        let row = match self.players.get_index_of(&key) {
            Some(known) => known,
            None => {
                let track = self.collected.add_track()?;
                let player = Player::new(self.collected.tracks[track].node, track);
                self.players.insert_full(key, player).0
            }
        };
        self.last = Some((key, row));
        Ok(row)
    }

    fn add_name(&mut self, event: &TraceEvent, rows: &EventNames) {
        let (Some(what), Some(name)) = (event.name, event.argument) else {
            return;
        };
        let thread = (event.process, event.thread);
        match rows.texts.text(what) {
            "process_name" => drop(self.process_names.insert(event.process, name)),
            "thread_name" => drop(self.thread_names.insert(thread, name)),
            _ => {}
        }
    }

    pub(super) fn add_sample(&mut self, event: &TraceEvent) {
        self.anomalies
            .note(Anomaly::ValuesClamped, event.is_clamped);
        let (Some(at), Some(stack_frame)) = (event.at, event.stack_frame) else {
            self.anomalies.add(partly::EVENTS_INCOMPLETE, 1);
            return;
        };
        let entry = self.sampled.entry((event.process, event.thread));
        let thread = entry.index();
        let last = entry.or_insert(at);
        self.anomalies.note(partly::EVENTS_LATE, at < *last);
        *last = at.max(*last);
        let (at, node) = (*last, RawNode(stack_frame));
        let sample = IntervalSample::new(at, node, thread, Charges::COUNTED);
        self.samples.push(sample);
    }

    /// Samples if there are any, else CPU profiles unless `wants_spans`, else the frames of the events.
    pub(super) fn finish(
        mut self,
        rows: EventNames,
        cpu: CpuProfiles,
        wants_spans: bool,
        file_bytes: u64,
    ) -> Result<(CollectedTracks, Vec<Diagnostic>), TooLarge> {
        let has_both = cpu.has_samples() && self.begun > 0;
        let mut left_out = None;
        let keys: Vec<ThreadKey> = if self.has_samples() {
            let outside = partly::EVENTS_OUTSIDE_SAMPLES;
            self.anomalies.add(outside, self.begun);
            self.collected = self.build_samples(&rows, file_bytes)?;
            self.sampled.keys().copied().collect()
        } else if cpu.has_samples() && !(wants_spans && has_both) {
            self.anomalies = Anomalies::default();
            left_out = has_both.then_some(Diagnostic::SpansBesideProfile {});
            self.collected = CollectedTracks::new(ProfileKind::Sampling, Some(CountKind::Samples));
            cpu.add_to(&mut self.collected, &mut self.anomalies)?
        } else {
            left_out = has_both.then_some(Diagnostic::ProfileBesideSpans {});
            let mut context = PlayContext {
                charges: self.collected.charges(TrackMeasure::Time),
                rows: &rows,
                anomalies: &mut self.anomalies,
            };
            for player in self.players.values_mut() {
                player.finish(&mut context)?;
            }
            // samplers write spans as well, and they look the same
            self.collected.counts = Some(CountKind::Calls);
            self.collected.frames = rows.frame_table();
            self.collected.uses(TrackMeasure::Time);
            self.players.keys().copied().collect()
        };
        self.name_tracks(&keys, &rows);
        let is_empty = self.collected.tracks.is_empty();
        let no_frames = is_empty.then_some(Diagnostic::NoFrames {}).into_iter();
        let no_times = (self.collected.has_timeless).then_some(Diagnostic::NoTimes {});
        let no_frames = no_frames.chain(no_times);
        let diagnostics = no_frames
            .chain(self.anomalies.diagnostics())
            .chain(left_out);
        Ok((self.collected, diagnostics.collect()))
    }

    fn build_samples(
        &mut self,
        rows: &EventNames,
        file_bytes: u64,
    ) -> Result<CollectedTracks, TooLarge> {
        let mut collected = CollectedTracks::new(ProfileKind::Sampling, Some(CountKind::Samples));
        collected.frames = rows.stack_frame_table();
        collected.uses(TrackMeasure::Time);
        for _ in 0..self.sampled.len() {
            collected.add_track()?;
        }
        let max_nodes = max_nodes(
            &[TrackMeasure::Time.to_metric(collected.counts)],
            file_bytes,
        );
        let mut samples = std::mem::take(&mut self.samples);
        samples.sort_by_key(IntervalSample::lane);
        // one thread at a time, so that only its stacks take memory
        for thread in samples.chunk_by_mut(|one, next| one.lane() == next.lane()) {
            let (mut ends, mut last): (_, Option<IntervalSample>) = (StackEnds::default(), None);
            for sample in thread {
                let stack = (sample.lane(), sample.node.0);
                sample.node = insert_stack(&mut collected, rows, stack, &mut ends, max_nodes)?;
                collected.builder.add_count(TIME, sample.node, 1);
                if let Some(last) = last.replace(*sample) {
                    let time_ns = sample.time_ns - last.time_ns;
                    collected.builder.add_exclusive(TIME, last.node, time_ns);
                }
            }
        }
        collected.log = (collected.log).map(|log| log.with_samples(samples, Vec::new()));
        Ok(collected)
    }

    fn name_tracks(&mut self, keys: &[ThreadKey], rows: &EventNames) {
        let mut by_process: IndexMap<Id, RecordedProcess, RandomState> = IndexMap::default();
        for (track, &(process, thread)) in self.collected.tracks.iter_mut().zip(keys) {
            let entry = by_process.entry(process);
            track.process = Some(entry.index());
            entry.or_insert_with(|| {
                let name = rows.text(self.process_names.get(&process).copied());
                let (id, name) = match process {
                    Id::Number(number) => (u64::try_from(number).unwrap_or(0), name),
                    Id::Text(text) if name.is_empty() => (0, rows.texts.text(text)),
                    Id::Text(_) => (0, name),
                };
                let name = name.into();
                RecordedProcess { id, name }
            });
            let name = rows.text(self.thread_names.get(&(process, thread)).copied());
            track.id = thread.text(&rows.texts);
            track.name = name.to_string();
            track.title = thread_title(&track.id, name);
        }
        self.collected.processes = by_process.into_values().collect();
    }
}
