//! The profiles of a speedscope file.

use super::notes::AnomalyCounts;
use crate::importers::decimals::millionths_of_float;
use crate::importers::dotnet::thread_of_title;
use crate::importers::tracks::{CollectedTracks, FrameTable, Quantity, TrackMeasure, is_thread};
use crate::input::json::{JsonError, JsonNumber, JsonReader, ZERO_INSTANT, in_member};
use crate::model::{Charges, Closed, CountKind, FrameId, ProfileKind, RawNode, TooLarge, Track};
use std::io::Read;

/// The row of a frame that is in no table.
const NO_ROW: u32 = u32::MAX - 1;

/// What the values of a profile mean.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ValueMeaning {
    measure: TrackMeasure,
    /// Nanoseconds per unit; 1 for other measures, whose values may have decimals
    /// ([`DecimalParts`](crate::importers::decimals::DecimalParts)).
    scale: u64,
}

impl ValueMeaning {
    fn named(name: &str) -> Option<ValueMeaning> {
        let (measure, scale) = match name {
            "nanoseconds" => (TrackMeasure::Time, 1),
            "microseconds" => (TrackMeasure::Time, 1_000),
            "milliseconds" => (TrackMeasure::Time, 1_000_000),
            "seconds" => (TrackMeasure::Time, 1_000_000_000),
            "bytes" => (TrackMeasure::Bytes, 1),
            "none" => (TrackMeasure::Weight, 1),
            _ => return None,
        };
        Some(ValueMeaning { measure, scale })
    }

    const NONE: ValueMeaning = ValueMeaning {
        measure: TrackMeasure::Weight,
        scale: 1,
    };

    /// The number of stored steps per unit so far.
    fn stored(self, recorded: &mut CollectedTracks) -> u64 {
        match self.measure {
            TrackMeasure::Time => self.scale,
            measure => recorded.parts(measure).per_one,
        }
    }
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventAction {
    Open,
    Close,
}

/// An event read before its profile's unit.
struct PendingEvent {
    at: f64,
    row: FrameId,
    does: EventAction,
}

/// The profile being read.
#[derive(Default)]
struct Current {
    node: RawNode,
    /// The index of its track.
    track: usize,
    start_value: Option<f64>,
    /// The total duration of the samples weighed so far.
    samples_ns: u64,
    /// The row of the first of them in the log.
    first_logged: Option<usize>,
    play: Track,
    unit: Option<ValueMeaning>,
    end_value: Option<f64>,
    kept: Vec<PendingEvent>,
    /// Where each sample ends in the tree, and how many of them have a weight.
    leaves: Vec<RawNode>,
    weighed: usize,
    /// Weights read before the unit or the samples.
    weights: Vec<f64>,
    /// The rounding remainder of the weights so far, see [`Quantity::scaled_with`].
    remainder: i64,
    /// The frames of the last sample; consecutive samples share most of them.
    path: Vec<(FrameId, RawNode)>,
    kind: String,
}

/// Reads profiles into one tree.
#[derive(Default)]
pub(super) struct Profiles {
    recorded: CollectedTracks,
    oddities: AnomalyCounts,
    current: Option<Current>,
    has_samples: bool,
}

impl Profiles {
    /// Whether any profile has begun.
    pub(super) fn has_anything(&self) -> bool {
        !self.recorded.tracks.is_empty()
    }

    /// Ends the profile being read, if the file broke off in it, and returns everything.
    pub(super) fn finish(mut self, frames: FrameTable) -> (CollectedTracks, AnomalyCounts) {
        self.complete(true);
        let Profiles {
            mut recorded,
            mut oddities,
            has_samples,
            ..
        } = self;
        if has_samples {
            recorded.counts = Some(CountKind::Samples);
            recorded.kind = ProfileKind::Sampling;
        }
        let nodes = recorded
            .builder
            .nodes()
            .filter(|(_, caller, _)| *caller != crate::model::TreeBuilder::ROOT);
        oddities.nodes_without_frame = nodes
            .filter(|(_, _, row)| row.index() >= frames.len())
            .count() as u64;
        recorded.frames = frames;
        (recorded, oddities)
    }

    /// Reads a profile.
    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        frames: &FrameTable,
    ) -> Result<(), JsonError> {
        if self.recorded.tracks.is_empty() && frames.has(is_thread) {
            self.recorded.is_traceevent_from_start = true;
        }
        let track = self
            .recorded
            .add_track()
            .map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
        let (node, number) = (self.recorded.tracks[track].node, track.to_string());
        self.current = Some(Current::new(node, track));
        self.name(track, "", &number);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => {
                    let name = reader.text()?;
                    self.name(track, &name, &number);
                }
                "type" => {
                    let kind = reader.text()?;
                    self.current().kind = kind;
                }
                "unit" => {
                    let unit = reader.text()?;
                    self.set_unit(&unit);
                }
                "startValue" => {
                    let start = Quantity::read(reader)?.to_f64();
                    self.current().start_value = start;
                }
                "endValue" => {
                    let end = Quantity::read(reader)?.to_f64();
                    self.current().end_value = end;
                }
                "events" => self.read_events(reader).map_err(in_member("events"))?,
                "samples" => self.read_samples(reader).map_err(in_member("samples"))?,
                "weights" => self.read_weights(reader).map_err(in_member("weights"))?,
                _ => reader.skip()?,
            }
        }
        self.complete(false);
        Ok(())
    }

    fn current(&mut self) -> &mut Current {
        self.current
            .get_or_insert_with(|| Current::new(crate::model::TreeBuilder::ROOT, 0))
    }

    fn name(&mut self, track: usize, name: &str, number: &str) {
        let track = &mut self.recorded.tracks[track];
        let (id, own_name) = thread_of_title(name).unwrap_or((number, name));
        (track.id, track.name) = (id.to_string(), own_name.to_string());
        track.title = if name.is_empty() {
            format!("Profile {number}")
        } else {
            name.to_string()
        };
    }

    fn set_unit(&mut self, name: &str) {
        let unit = ValueMeaning::named(name);
        if unit.is_none() {
            let unknown = &mut self.oddities.unknown_unit;
            unknown.get_or_insert_with(|| name.to_string());
        }
        let unit = unit.unwrap_or(ValueMeaning::NONE);
        self.recorded.uses(unit.measure);
        self.current().unit = Some(unit);
    }

    fn read_events<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.each(|reader| self.read_event(reader))
    }

    #[inline]
    fn read_event<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.report_nodes(self.recorded.builder.len());
        let Some(current) = &mut self.current else {
            return reader.skip();
        };
        let (mut does, mut row, mut instant, mut float) = (None, NO_ROW, None, None);
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            match key {
                b"type" => {
                    does = match reader.raw_string()?.bytes() {
                        b"O" => Some(EventAction::Open),
                        b"C" => Some(EventAction::Close),
                        _ => None,
                    };
                }
                b"frame" => row = read_row(reader)?,
                b"at" => {
                    let at = Quantity::read(reader)?;
                    match current.unit {
                        Some(unit) if unit.measure == TrackMeasure::Time => {
                            instant = at.instant(unit.scale);
                        }
                        Some(unit) => {
                            let scale =
                                current.split(&mut self.recorded, unit.measure, at.to_f64());
                            instant = at.instant(scale);
                        }
                        None => float = at.to_f64(),
                    }
                }
                _ => reader.skip()?,
            }
        }
        let (row, offset) = (FrameId(row), reader.offset());
        match (does, instant, float) {
            (Some(does), Some(instant), _) => {
                self.oddities.clamped += u64::from(instant.is_clamped);
                let (recorded, oddities) = (&mut self.recorded, &mut self.oddities);
                play(current, recorded, oddities, does, row, instant.value)
            }
            (Some(does), None, Some(at)) => {
                current.kept.push(PendingEvent { at, row, does });
                Ok(())
            }
            (None, ..) | (_, None, None) => {
                self.oddities.incomplete_events += 1;
                Ok(())
            }
        }
        .map_err(|TooLarge| JsonError::tree_full(offset))
    }

    fn read_samples<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        self.has_samples = true;
        reader.enter_array()?;
        while reader.next_element()? {
            reader.report_nodes(self.recorded.builder.len());
            let Some(current) = &self.current else {
                reader.skip()?;
                continue;
            };
            let (mut depth, mut node, mut is_shared) = (0, current.node, true);
            reader.enter_array()?;
            while let Some(row) = next_row(reader)? {
                let (builder, Some(current)) = (&mut self.recorded.builder, &mut self.current)
                else {
                    continue;
                };
                is_shared = is_shared
                    && current
                        .path
                        .get(depth)
                        .is_some_and(|(shared, _)| *shared == row);
                if is_shared {
                    node = current.path[depth].1;
                } else {
                    current.path.truncate(depth);
                    node = builder
                        .merge(node, row)
                        .map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
                    current.path.push((row, node));
                }
                depth += 1;
            }
            if let Some(current) = &mut self.current {
                current.path.truncate(depth);
                current.leaves.push(node);
            }
        }
        Ok(())
    }

    fn read_weights<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.each(|reader| {
            let Some(current) = &mut self.current else {
                return reader.skip();
            };
            let weight = Quantity::read(reader)?;
            let is_next = current.weights.is_empty() && current.weighed < current.leaves.len();
            match current.unit.filter(|_| is_next) {
                // the usual case, as exact as the file
                Some(unit) => {
                    current.weigh_next(&mut self.recorded, &mut self.oddities, unit, &weight)
                }
                None => current.weights.push(weight.to_f64().unwrap_or(f64::NAN)),
            }
            Ok(())
        })
    }

    /// Ends the profile being read. `is_cut` means that the file broke off in it.
    fn complete(&mut self, is_cut: bool) {
        let Some(mut current) = self.current.take() else {
            return;
        };
        let (recorded, oddities) = (&mut self.recorded, &mut self.oddities);
        let is_known = matches!(current.kind.as_str(), "evented" | "sampled" | "");
        if !is_known {
            oddities.unknown_types += 1;
        }
        let unit = current.unit.unwrap_or_else(|| {
            recorded.uses(TrackMeasure::Weight);
            ValueMeaning::NONE
        });
        current.unit = Some(unit);
        for PendingEvent { at, row, does } in std::mem::take(&mut current.kept) {
            let scale = match unit.measure {
                TrackMeasure::Time => unit.scale,
                measure => current.split(recorded, measure, Some(at)),
            };
            let Some(instant) = JsonNumber::instant_of_float(at, scale) else {
                continue;
            };
            oddities.clamped += u64::from(instant.is_clamped);
            if play(&mut current, recorded, oddities, does, row, instant.value).is_err() {
                oddities.is_full = true;
            }
        }
        current.weigh_the_rest(recorded, oddities, unit);
        current.place_in_time(recorded, unit);
        let end = current
            .end_value
            .and_then(|end| JsonNumber::instant_of_float(end, unit.stored(recorded)));
        // frames left open by a truncated file need not have lasted to the end of the recording
        if let Some(end) =
            end.filter(|end| !is_cut && !end.is_clamped && current.play.innermost().is_some())
        {
            current
                .play
                .advance(&mut recorded.charges(unit.measure), end.value);
        }
        let unended = current.play.close(&mut recorded.charges(unit.measure));
        if !is_cut {
            oddities.unended += unended as u64;
        }
    }
}

impl Current {
    fn new(node: RawNode, track: usize) -> Current {
        Current {
            node,
            play: Track::new(node, 0, track),
            track,
            ..Current::default()
        }
    }

    /// Sets the weight of the next sample, in stored steps.
    fn weigh(&mut self, recorded: &mut CollectedTracks, unit: ValueMeaning, weight: u64) {
        let Some(&leaf) = self.leaves.get(self.weighed) else {
            return;
        };
        self.weighed += 1;
        let metric = unit.measure.metric();
        recorded.builder.add_exclusive(metric, leaf, weight);
        recorded.builder.add_count(metric, leaf, 1);
        let is_time = unit.measure == TrackMeasure::Time;
        if let Some(log) = recorded.log.as_mut().filter(|_| is_time) {
            self.first_logged.get_or_insert(log.lasting().len());
            log.push(self.track, self.samples_ns, leaf, Charges::COUNTED);
            self.samples_ns = self.samples_ns.saturating_add(weight);
        }
    }

    /// Moves the samples after the start of the profile, which may come after them in the file.
    fn place_in_time(&self, recorded: &mut CollectedTracks, unit: ValueMeaning) {
        let (Some(log), Some(first)) = (&mut recorded.log, self.first_logged) else {
            return;
        };
        let start = self
            .start_value
            .and_then(|start| JsonNumber::instant_of_float(start, unit.scale));
        let start = start.map_or(0, |start| start.value);
        log.lasting_mut()[first..]
            .iter_mut()
            .for_each(|sample| sample.time_ns = sample.time_ns.saturating_add(start));
        log.set_end_ns(self.track, start.saturating_add(self.samples_ns));
    }

    /// Makes the parts of a measure fine enough for a point on its axis. Returns how many make 1.
    fn split(
        &mut self,
        recorded: &mut CollectedTracks,
        measure: TrackMeasure,
        at: Option<f64>,
    ) -> u64 {
        let at = at.map_or(0.0, f64::abs);
        if at.fract() != 0.0
            && let Some(factor) = recorded.refine_for(measure, millionths_of_float(at))
        {
            self.play.refine(factor, ZERO_INSTANT);
        }
        recorded.parts(measure).per_one
    }

    /// Sets the weight of the next sample, as read from the file.
    fn weigh_next(
        &mut self,
        recorded: &mut CollectedTracks,
        oddities: &mut AnomalyCounts,
        unit: ValueMeaning,
        weight: &Quantity<'_>,
    ) {
        let stored = match unit.measure {
            TrackMeasure::Time => {
                weight
                    .scaled_with(unit.scale, &mut self.remainder)
                    .map(|scaled| {
                        oddities.clamped += u64::from(scaled.is_clamped);
                        scaled.value
                    })
            }
            measure => match weight.whole() {
                Some(whole) => Some(whole.saturating_mul(recorded.parts(measure).per_one)),
                None => weight.millionths().map(|millionths| {
                    recorded.refine_for(measure, millionths);
                    let parts = recorded.parts(measure);
                    parts.vanished += u64::from(millionths == 0 && weight.to_f64() > Some(0.0));
                    parts.stored(millionths)
                }),
            },
        };
        oddities.clamped += u64::from(stored.is_none());
        self.weigh(recorded, unit, stored.unwrap_or(0));
    }

    /// Sets the weights of all remaining samples: the weights that were read too early, then 1 each.
    fn weigh_the_rest(
        &mut self,
        recorded: &mut CollectedTracks,
        oddities: &mut AnomalyCounts,
        unit: ValueMeaning,
    ) {
        let weights = std::mem::take(&mut self.weights);
        let left = self.leaves.len() - self.weighed;
        oddities.spare_weights += weights.len().saturating_sub(left) as u64;
        for weight in weights.into_iter().take(left) {
            self.weigh_next(recorded, oddities, unit, &Quantity::Float(weight));
        }
        while self.weighed < self.leaves.len() {
            oddities.weightless += 1;
            let one = unit.stored(recorded);
            self.weigh(recorded, unit, one);
        }
    }
}

/// Plays an event.
fn play(
    current: &mut Current,
    recorded: &mut CollectedTracks,
    oddities: &mut AnomalyCounts,
    does: EventAction,
    row: FrameId,
    at: u64,
) -> Result<(), TooLarge> {
    let charges = &mut recorded.charges(current.unit.unwrap_or(ValueMeaning::NONE).measure);
    oddities.late += u64::from(at < current.play.now());
    match does {
        EventAction::Open => {
            current.play.advance(charges, at);
            current.play.enter(charges, row)?;
        }
        EventAction::Close => match current.play.leave(charges, at, |open| open == row) {
            Closed::Innermost => {}
            Closed::Outer(_) => oddities.crossed += 1,
            Closed::NotOpen => oddities.not_open += 1,
        },
    }
    Ok(())
}

/// The next frame of a sample.
#[inline]
fn next_row<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<FrameId>, JsonError> {
    let row = match reader.next_short_number() {
        Some(row) => row,
        None if reader.next_element()? => read_row(reader)?,
        None => return Ok(None),
    };
    Ok(Some(FrameId(row)))
}

/// A row of the frame table; [`NO_ROW`] if out of range.
#[inline]
fn read_row<R: Read>(reader: &mut JsonReader<R>) -> Result<u32, JsonError> {
    let row = reader
        .number()?
        .to_u64()
        .and_then(|row| u32::try_from(row).ok());
    Ok(row.unwrap_or(NO_ROW).min(NO_ROW))
}
