use crate::diagnostics::{Anomaly, Diagnostic, UnknownUnit, partly};
use crate::importers::anomalies::Anomalies;
use crate::importers::decimals::millionths_of_float;
use crate::importers::dotnet::parse_thread_title;
use crate::importers::tracks::{CollectedTracks, FrameTable, Quantity, TrackMeasure, is_thread};
use crate::input::json::{JsonError, JsonNumber, JsonReader, ZERO_INSTANT, in_member};
use crate::model::{Charges, CountKind, FrameId, ProfileKind, RawNode, TooLarge, Track};
use std::io::Read;

const NO_ROW: u32 = u32::MAX - 1;

#[derive(Clone, Copy, PartialEq, Eq)]
struct ValueMeaning {
    measure: TrackMeasure,
    /// Nanoseconds; 1 for other measures, whose values may have decimals
    /// ([`DecimalParts`](crate::importers::decimals::DecimalParts)).
    scale: u64,
}

impl ValueMeaning {
    const NONE: ValueMeaning = ValueMeaning {
        measure: TrackMeasure::Weight,
        scale: 1,
    };

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

    /// Stored steps per unit so far.
    fn stored(self, collected: &mut CollectedTracks) -> u64 {
        match self.measure {
            TrackMeasure::Time => self.scale,
            measure => collected.parts(measure).per_one,
        }
    }
}

struct PendingEvent {
    at: f64,
    row: FrameId,
    opens: bool,
}

#[derive(Default)]
struct OpenProfile {
    node: RawNode,
    track: usize,
    start_value: Option<f64>,
    samples_ns: u64,
    first_logged: Option<usize>,
    spans: Track,
    unit: Option<ValueMeaning>,
    end_value: Option<f64>,
    pending: Vec<PendingEvent>,
    /// Where samples end in the tree, and how many of them have a weight.
    leaves: Vec<RawNode>,
    weighed: usize,
    /// Read before the unit or the samples.
    weights: Vec<f64>,
    /// Of the weights so far, see [`Quantity::scaled_with`].
    remainder: f64,
    /// Of the last sample; consecutive ones share most frames.
    path: Vec<(FrameId, RawNode)>,
    kind: String,
}

#[derive(Default)]
pub(super) struct Profiles {
    collected: CollectedTracks,
    anomalies: Anomalies,
    unknown_unit: Option<String>,
    is_full: bool,
    current: OpenProfile,
    is_open: bool,
    has_samples: bool,
}

impl Profiles {
    pub(super) fn has_anything(&self) -> bool {
        !self.collected.tracks.is_empty()
    }

    /// `incomplete_at` is where the file ended early, if it did.
    pub(super) fn finish(
        mut self,
        frames: FrameTable,
        incomplete_at: Option<u64>,
    ) -> (CollectedTracks, Vec<Diagnostic>) {
        self.complete(true);
        let mut collected = self.collected;
        if self.has_samples {
            collected.counts = Some(CountKind::Samples);
            collected.kind = ProfileKind::Sampling;
        }
        let unknown = collected.stacks();
        let unknown = unknown.filter(|(_, _, row)| row.index() >= frames.len());
        let unknown = unknown.count() as u64;
        collected.frames = frames;
        self.anomalies.add(partly::NODES_WITHOUT_FRAME, unknown);
        let unknown_unit = self.unknown_unit.map(|unit| Diagnostic::UnitUnknown {
            unit,
            values: UnknownUnit::ShownAsNumbers,
        });
        let is_empty = collected.tracks.is_empty();
        let first = [
            incomplete_at.map(Diagnostic::file_ends_at),
            is_empty.then_some(Diagnostic::NoProfiles {}),
            self.is_full.then_some(Diagnostic::TreeFull {}),
        ];
        let first = first.into_iter().flatten();
        let all = first
            .chain(self.anomalies.diagnostics())
            .chain(unknown_unit);
        let diagnostics = all.chain(collected.decimals()).collect();
        (collected, diagnostics)
    }

    pub(super) fn read<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        frames: &FrameTable,
    ) -> Result<(), JsonError> {
        if !self.has_anything() && frames.has(is_thread) {
            self.collected.is_traceevent_from_start = true;
        }
        let track = self.collected.add_track();
        let track = track.map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
        let (node, number) = (self.collected.tracks[track].node, track.to_string());
        self.is_open = true;
        self.current = OpenProfile {
            node,
            spans: Track::new(node, 0, track),
            track,
            ..OpenProfile::default()
        };
        self.name(track, "", &number);
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "name" => self.name(track, &reader.text()?, &number),
                "type" => self.current.kind = reader.text()?,
                "unit" => self.set_unit(&reader.text()?),
                "startValue" => self.current.start_value = Quantity::read(reader)?.to_f64(),
                "endValue" => self.current.end_value = Quantity::read(reader)?.to_f64(),
                "events" => reader
                    .each(|reader| self.read_event(reader))
                    .map_err(in_member("events"))?,
                "samples" => self.read_samples(reader).map_err(in_member("samples"))?,
                "weights" => self.read_weights(reader).map_err(in_member("weights"))?,
                _ => reader.skip()?,
            }
        }
        self.complete(false);
        Ok(())
    }

    fn name(&mut self, track: usize, name: &str, number: &str) {
        let track = &mut self.collected.tracks[track];
        let (id, own_name) = parse_thread_title(name).unwrap_or((number, name));
        (track.id, track.name) = (id.to_string(), own_name.to_string());
        track.title = match name {
            "" => format!("Profile {number}"),
            name => name.to_string(),
        };
    }

    fn set_unit(&mut self, name: &str) {
        let unit = ValueMeaning::named(name);
        if unit.is_none() {
            let unknown = &mut self.unknown_unit;
            unknown.get_or_insert_with(|| name.to_string());
        }
        let unit = unit.unwrap_or(ValueMeaning::NONE);
        self.collected.uses(unit.measure);
        self.current.unit = Some(unit);
    }

    #[inline]
    fn read_event<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.report_nodes(self.collected.builder.len());
        let (mut opens, mut row, mut instant, mut float) = (None, NO_ROW, None, None);
        reader.enter_object()?;
        while let Some(key) = reader.next_key_bytes()? {
            match key {
                b"type" => {
                    opens = match reader.raw_string()?.bytes() {
                        b"O" => Some(true),
                        b"C" => Some(false),
                        _ => None,
                    };
                }
                b"frame" => row = read_row(reader)?,
                b"at" => {
                    let at = Quantity::read(reader)?;
                    match self.current.unit {
                        Some(unit) => instant = at.instant(self.scale(unit, || at.to_f64())),
                        None => float = at.to_f64(),
                    }
                }
                _ => reader.skip()?,
            }
        }
        let row = FrameId(row);
        match (opens, instant, float) {
            (Some(opens), Some(instant), _) => {
                self.anomalies
                    .note(Anomaly::ValuesClamped, instant.is_clamped);
                self.apply(opens, row, instant.value)
                    .map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
            }
            (Some(opens), None, Some(at)) => {
                self.current.pending.push(PendingEvent { at, row, opens });
            }
            (None, ..) | (_, None, None) => self.anomalies.add(partly::EVENTS_INCOMPLETE, 1),
        }
        Ok(())
    }

    fn read_samples<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        self.has_samples = true;
        reader.enter_array()?;
        while reader.next_element()? {
            reader.report_nodes(self.collected.builder.len());
            let current = &mut self.current;
            let (mut depth, mut node, mut is_shared) = (0, current.node, true);
            reader.enter_array()?;
            while let Some(row) = next_row(reader)? {
                let known = current.path.get(depth).filter(|_| is_shared);
                match known.filter(|(shared, _)| *shared == row) {
                    Some((_, shared)) => node = *shared,
                    None => {
                        is_shared = false;
                        current.path.truncate(depth);
                        let merged = self.collected.builder.merge(node, row);
                        node = merged.map_err(|TooLarge| JsonError::tree_full(reader.offset()))?;
                        current.path.push((row, node));
                    }
                }
                depth += 1;
            }
            current.path.truncate(depth);
            current.leaves.push(node);
        }
        Ok(())
    }

    fn read_weights<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.each(|reader| {
            let current = &mut self.current;
            let weight = Quantity::read(reader)?;
            let is_next = current.weights.is_empty() && current.weighed < current.leaves.len();
            match current.unit.filter(|_| is_next) {
                Some(unit) => self.weigh_next(unit, &weight),
                None => current.weights.push(weight.to_f64().unwrap_or(f64::NAN)),
            }
            Ok(())
        })
    }

    /// `is_cut`: the file ended within the profile.
    fn complete(&mut self, is_cut: bool) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let is_known = matches!(self.current.kind.as_str(), "evented" | "sampled" | "");
        self.anomalies
            .note(partly::PROFILES_OF_UNKNOWN_TYPE, !is_known);
        let unit = self.current.unit.unwrap_or(ValueMeaning::NONE);
        self.current.unit = Some(unit);
        self.collected.uses(unit.measure);
        for PendingEvent { at, row, opens } in std::mem::take(&mut self.current.pending) {
            let scale = self.scale(unit, || Some(at));
            if let Some(instant) = JsonNumber::instant_of_float(at, scale) {
                self.anomalies
                    .note(Anomaly::ValuesClamped, instant.is_clamped);
                self.is_full |= self.apply(opens, row, instant.value).is_err();
            }
        }
        self.set_remaining_weights(unit);
        self.place_in_time(unit);
        let (end, steps) = (self.current.end_value, unit.stored(&mut self.collected));
        let end = end.and_then(|end| JsonNumber::instant_of_float(end, steps));
        let charges = &mut self.collected.charges(unit.measure);
        let spans = &mut self.current.spans;
        // in a truncated file, open frames need not have lasted to the end
        if let Some(end) = end.filter(|end| !is_cut && !end.is_clamped)
            && spans.innermost().is_some()
        {
            spans.advance(charges, end.value);
        }
        let unended = spans.close(charges) as u64;
        let unended = if is_cut { 0 } else { unended };
        self.anomalies.add(Anomaly::FramesUnended, unended);
    }

    fn weigh(&mut self, unit: ValueMeaning, weight: u64) {
        let (current, collected) = (&mut self.current, &mut self.collected);
        let Some(&leaf) = current.leaves.get(current.weighed) else {
            return;
        };
        current.weighed += 1;
        let charges = collected.charges(unit.measure);
        charges.builder.add_exclusive(charges.metric, leaf, weight);
        charges.builder.add_count(charges.metric, leaf, 1);
        if let Some(log) = charges.log {
            current.first_logged.get_or_insert(log.intervals.len());
            log.push(current.track, current.samples_ns, leaf, Charges::COUNTED);
            current.samples_ns = current.samples_ns.saturating_add(weight);
        }
    }

    /// Moves the samples after the start of the profile, which may follow them in the file.
    fn place_in_time(&mut self, unit: ValueMeaning) {
        let current = &self.current;
        let (Some(log), Some(first)) = (&mut self.collected.log, current.first_logged) else {
            return;
        };
        let start = current.start_value;
        let start = start.and_then(|start| JsonNumber::instant_of_float(start, unit.scale));
        let start = start.map_or(0, |start| start.value);
        for sample in &mut log.intervals[first..] {
            sample.time_ns = sample.time_ns.saturating_add(start);
        }
        log.set_end_ns(current.track, start.saturating_add(current.samples_ns));
    }

    /// Stored steps per unit, fine enough for a point on the axis.
    #[inline]
    fn scale(&mut self, unit: ValueMeaning, at: impl Fn() -> Option<f64>) -> u64 {
        if unit.measure != TrackMeasure::Time {
            let at = at().map_or(0.0, f64::abs);
            if at.fract() != 0.0
                && let Some(factor) = self
                    .collected
                    .refine_for(unit.measure, millionths_of_float(at))
            {
                self.current.spans.refine(factor, ZERO_INSTANT);
            }
        }
        unit.stored(&mut self.collected)
    }

    fn weigh_next(&mut self, unit: ValueMeaning, weight: &Quantity<'_>) {
        let (collected, anomalies) = (&mut self.collected, &mut self.anomalies);
        let stored = match unit.measure {
            TrackMeasure::Time => {
                let scaled = weight.scaled_with(unit.scale, &mut self.current.remainder);
                let is_clamped = scaled.is_some_and(|scaled| scaled.is_clamped);
                anomalies.note(Anomaly::ValuesClamped, is_clamped);
                scaled.map(|scaled| scaled.value)
            }
            measure => match weight.whole() {
                Some(whole) => Some(whole.saturating_mul(collected.parts(measure).per_one)),
                None => weight.millionths().map(|millionths| {
                    collected.refine_for(measure, millionths);
                    let parts = collected.parts(measure);
                    parts.vanished += u64::from(millionths == 0 && weight.to_f64() > Some(0.0));
                    parts.stored(millionths)
                }),
            },
        };
        anomalies.note(Anomaly::ValuesClamped, stored.is_none());
        self.weigh(unit, stored.unwrap_or(0));
    }

    /// The weights that were read too early, then 1 each.
    fn set_remaining_weights(&mut self, unit: ValueMeaning) {
        let weights = std::mem::take(&mut self.current.weights);
        let remaining = self.current.leaves.len() - self.current.weighed;
        let spare = weights.len().saturating_sub(remaining) as u64;
        self.anomalies.add(partly::WEIGHTS_WITHOUT_SAMPLE, spare);
        for weight in weights.into_iter().take(remaining) {
            self.weigh_next(unit, &Quantity::Float(weight));
        }
        while self.current.weighed < self.current.leaves.len() {
            self.anomalies.add(partly::SAMPLES_WITHOUT_WEIGHT, 1);
            let one = unit.stored(&mut self.collected);
            self.weigh(unit, one);
        }
    }

    fn apply(&mut self, opens: bool, row: FrameId, at: u64) -> Result<(), TooLarge> {
        let unit = self.current.unit.unwrap_or(ValueMeaning::NONE);
        let charges = &mut self.collected.charges(unit.measure);
        let (spans, anomalies) = (&mut self.current.spans, &mut self.anomalies);
        anomalies.note(partly::EVENTS_LATE, at < spans.now);
        if opens {
            spans.advance(charges, at);
            spans.enter(charges, row)?;
            return Ok(());
        }
        let closed = spans.leave(charges, at, |open| open == row);
        anomalies.count_end(closed);
        Ok(())
    }
}

#[inline]
fn next_row<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<FrameId>, JsonError> {
    let row = match reader.next_short_number() {
        Some(row) => row,
        None if reader.next_element()? => read_row(reader)?,
        None => return Ok(None),
    };
    Ok(Some(FrameId(row)))
}

#[inline]
fn read_row<R: Read>(reader: &mut JsonReader<R>) -> Result<u32, JsonError> {
    let row = reader.number()?.to_u64();
    let row = row.and_then(|row| u32::try_from(row).ok());
    Ok(row.unwrap_or(NO_ROW).min(NO_ROW))
}
