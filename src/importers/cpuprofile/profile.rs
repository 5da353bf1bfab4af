use crate::diagnostics::{Anomaly, partly};
use crate::importers::anomalies::Anomalies;
use crate::importers::tracks::{CollectedTracks, FileFrame, FrameTable, Quantity, TrackMeasure};
use crate::input::json::{JsonError, JsonKind, JsonReader, ZERO_INSTANT};
use crate::model::{Charges, FrameId, RawNode, SampleLog, TooLarge};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::io::Read;

const NANOSECONDS: u64 = 1_000;
/// If the last sample is longer than this and than all others together, the end time is from another clock.
const MAX_LAST_SAMPLE_NS: u64 = 60_000_000_000;
const ROOT: &str = "(root)";

/// Its frame is the row with the same index.
#[derive(Clone, Copy, Default)]
struct FileNode {
    id: u64,
    caller: Option<usize>,
    hits: u64,
    is_root: bool,
}

#[derive(Clone, Copy, Default)]
struct Clock {
    start: Option<u64>,
    end: Option<u64>,
}

impl Clock {
    fn is_whole(&self) -> bool {
        self.start.is_some() && self.end.is_some()
    }
}

type RowById = HashMap<u64, usize, RandomState>;

#[derive(Default)]
pub(crate) struct CpuProfile {
    pub has_nodes: bool,
    nodes: Vec<FileNode>,
    frames: FrameTable,
    callees: Vec<(usize, u64)>,
    callers: Vec<(usize, u64)>,
    samples: Vec<u32>,
    /// Nanoseconds between samples, negative where V8 wrote a sample late.
    deltas: Vec<i64>,
    clock: Clock,
    /// Of a nested object; may have another origin than `clock`.
    inner_clock: Clock,
    clamped: u64,
}

impl CpuProfile {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn has_samples(&self) -> bool {
        !self.samples.is_empty()
    }

    /// Appends a later part: ids are the same, and times continue.
    pub(crate) fn append(&mut self, later: CpuProfile) {
        let first = self.nodes.len();
        let moved = |(row, id): (usize, u64)| (first + row, id);
        self.nodes.extend(later.nodes);
        self.frames.append(later.frames);
        self.callees.extend(later.callees.into_iter().map(moved));
        self.callers.extend(later.callers.into_iter().map(moved));
        self.samples.extend(later.samples);
        self.deltas.extend(later.deltas);
        self.clock.start = self.clock.start.or(later.clock.start);
        self.clock.end = later.clock.end.or(self.clock.end);
        if !self.inner_clock.is_whole() {
            self.inner_clock = later.inner_clock;
        } else if later.inner_clock.is_whole() {
            self.inner_clock.end = later.inner_clock.end;
        }
        self.clamped += later.clamped;
    }

    /// Adds a nested object. Its time deltas count only if this one has none: some writers repeat them.
    pub(crate) fn append_inner(&mut self, mut inner: CpuProfile) {
        if !self.deltas.is_empty() {
            inner.deltas.clear();
            inner.clamped = 0;
        }
        inner.inner_clock = std::mem::take(&mut inner.clock);
        self.append(inner);
    }

    const MEMBERS: [&str; 5] = ["nodes", "samples", "timeDeltas", "startTime", "endTime"];

    pub(crate) fn member(name: &[u8]) -> Option<&'static str> {
        Self::MEMBERS
            .into_iter()
            .find(|member| member.as_bytes() == name)
    }

    pub(crate) fn is_list(member: &str) -> bool {
        Self::MEMBERS[..3].contains(&member)
    }

    pub(crate) fn read<R: Read>(
        &mut self,
        member: Option<&str>,
        reader: &mut JsonReader<R>,
    ) -> Result<(), JsonError> {
        self.has_nodes |= member == Some("nodes");
        match member {
            Some("nodes") => reader.each(|reader| self.read_node(reader))?,
            Some("samples") => reader.each(|reader| {
                let id = read_id(reader)?.and_then(|id| u32::try_from(id).ok());
                self.samples.push(id.unwrap_or(u32::MAX));
                Ok(())
            })?,
            Some("timeDeltas") => reader.each(|reader| {
                let delta = Quantity::read(reader)?.instant(NANOSECONDS);
                self.clamped += u64::from(delta.is_none_or(|delta| delta.is_clamped));
                let delta = delta.map_or(0, |delta| difference(ZERO_INSTANT, delta.value));
                self.deltas.push(delta);
                Ok(())
            })?,
            Some("startTime") => self.clock.start = read_instant(reader)?,
            Some("endTime") => self.clock.end = read_instant(reader)?,
            _ => reader.skip()?,
        }
        Ok(())
    }

    fn read_node<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.report_nodes(self.nodes.len());
        let (mut node, row) = (FileNode::default(), self.nodes.len());
        let mut frame = CallFrame::default();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "id" => node.id = read_id(reader)?.unwrap_or(u64::MAX),
                "parent" => self.callers.extend(read_id(reader)?.map(|id| (row, id))),
                "hitCount" => {
                    let hits = Quantity::read(reader)?.scaled(1);
                    node.hits = hits.map_or(0, |hits| hits.value);
                }
                "callFrame" => frame = CallFrame::read(reader)?,
                "children" => reader.each(|reader| {
                    self.callees.extend(read_id(reader)?.map(|id| (row, id)));
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
        }
        self.frames.push(FileFrame {
            name: &frame.title(),
            file: &frame.url,
            line: frame.line,
            // no JavaScript function can be named like V8's pseudo frames
            is_special: frame.name.starts_with('(') && frame.url.is_empty(),
            ..FileFrame::default()
        });
        self.nodes.push(FileNode {
            is_root: frame.name == ROOT,
            ..node
        });
        Ok(())
    }

    pub(crate) fn add_to(
        mut self,
        collected: &mut CollectedTracks,
        anomalies: &mut Anomalies,
    ) -> Result<(), TooLarge> {
        let ids = self.nodes.iter().map(|node| node.id);
        let by_id: RowById = ids.zip(0..).collect();
        self.link(&by_id);
        let is_timeless = self.deltas.is_empty();
        collected.has_timeless |= is_timeless;
        let track = collected.add_track()?;
        let places = self.place(collected, track)?;
        self.add_samples(collected, track, &by_id, &places, anomalies);
        collected.frames.append(std::mem::take(&mut self.frames));
        collected.uses(self.measure());
        let late = self.deltas.iter().skip(1).filter(|&&delta| delta < 0);
        anomalies.add(partly::SAMPLES_REORDERED, late.count() as u64);
        anomalies.add(Anomaly::ValuesClamped, self.clamped);
        if !is_timeless {
            let timeless = self.samples.len().saturating_sub(self.deltas.len());
            anomalies.add(partly::SAMPLES_WITHOUT_TIME, timeless as u64);
        }
        Ok(())
    }

    fn measure(&self) -> TrackMeasure {
        match self.deltas.is_empty() {
            true => TrackMeasure::Weight,
            false => TrackMeasure::Time,
        }
    }

    fn link(&mut self, by_id: &RowById) {
        let row_of = |id: &u64| by_id.get(id).copied();
        let callees = self.callees.iter();
        let callees = callees.filter_map(|(caller, id)| Some((row_of(id)?, *caller)));
        let callers = self.callers.iter();
        let callers = callers.filter_map(|(row, id)| Some((*row, row_of(id)?)));
        let count = self.nodes.len();
        for (row, caller) in callees.chain(callers) {
            // if the file ends unexpectedly, the last node is missing
            if row.max(caller) < count {
                self.nodes[row].caller.get_or_insert(caller);
            }
        }
    }

    /// The tree node of each node. The root becomes the thread; cycles are cut and placed below it.
    fn place(
        &self,
        collected: &mut CollectedTracks,
        track: usize,
    ) -> Result<Vec<RawNode>, TooLarge> {
        let (top, first_frame) = (collected.tracks[track].node, collected.frames.len());
        let mut places: Vec<Option<RawNode>> = vec![None; self.nodes.len()];
        let mut above = Vec::new();
        for row in 0..self.nodes.len() {
            let (mut at, mut node) = (Some(row), top);
            while let Some(row) = at {
                if let Some(known) = places[row] {
                    node = known;
                    break;
                }
                if above.len() > self.nodes.len() {
                    break;
                }
                above.push(row);
                at = self.nodes[row].caller;
            }
            // in a cycle, rows occur twice
            for row in above.drain(..).rev() {
                if let Some(known) = places[row] {
                    node = known;
                    continue;
                }
                if !self.nodes[row].is_root {
                    let frame = FrameId::at(first_frame + row);
                    node = collected.builder.merge(node, frame)?;
                }
                places[row] = Some(node);
            }
        }
        let places = places.into_iter();
        Ok(places.map(|place| place.unwrap_or(top)).collect())
    }

    fn add_samples(
        &self,
        collected: &mut CollectedTracks,
        track: usize,
        by_id: &RowById,
        places: &[RawNode],
        anomalies: &mut Anomalies,
    ) {
        let measure = self.measure();
        let builder = &mut collected.builder;
        if self.samples.is_empty() {
            let metric = TrackMeasure::Weight.metric();
            for (node, &place) in self.nodes.iter().zip(places) {
                builder.add_exclusive(metric, place, node.hits);
                builder.add_count(metric, place, node.hits);
            }
        }
        let (order, times, is_other_clock) = self.in_order_of_time();
        anomalies.note(Anomaly::ValuesClamped, is_other_clock);
        for (index, &sample) in order.iter().enumerate() {
            let (at_ns, until_ns) = (times[index], times[index + 1]);
            let value = match measure {
                TrackMeasure::Time => until_ns.saturating_sub(at_ns),
                _ => 1,
            };
            let id = u64::from(self.samples[sample as usize]);
            let place = by_id.get(&id).map(|&row| places[row]);
            if let Some(log) = &mut collected.log {
                let kind = place.map_or(SampleLog::PAUSE, |_| Charges::COUNTED);
                let node = place.unwrap_or(collected.tracks[track].node);
                log.push(track, at_ns, node, kind);
                log.set_end_ns(track, at_ns.saturating_add(value));
            }
            anomalies.note(partly::SAMPLES_OF_UNKNOWN_NODES, place.is_none());
            if let Some(place) = place {
                builder.add_exclusive(measure.metric(), place, value);
                builder.add_count(measure.metric(), place, 1);
            }
        }
    }

    /// The samples in time order, their times followed by the end of the recording, and whether the end time was
    /// ignored because it is from another clock. Deltas are summed before sorting, as in Chrome's developer tools.
    fn in_order_of_time(&self) -> (Vec<u32>, Vec<u64>, bool) {
        let has_inner = self.inner_clock.is_whole() || self.clock.start.is_none();
        let Clock { start, end } = if has_inner {
            self.inner_clock
        } else {
            self.clock
        };
        let mut at_ns = start.unwrap_or(ZERO_INSTANT);
        let deltas = self.deltas.iter().copied().chain(std::iter::repeat(0));
        let times = deltas.take(self.samples.len()).map(|delta| {
            at_ns = at_ns.saturating_add_signed(delta);
            at_ns
        });
        let mut times: Vec<u64> = times.collect();
        let mut order: Vec<u32> = (0..times.len() as u32).collect();
        if !times.is_sorted() {
            order.sort_by_key(|&sample| times[sample as usize]);
            times.sort_unstable();
        }
        let (first, last) = (start.unwrap_or(ZERO_INSTANT), times.last().copied());
        let last = last.unwrap_or(0);
        let end = start.and(end).map_or(last, |end| end.max(last));
        let is_other_clock = end - last > MAX_LAST_SAMPLE_NS.max(last.saturating_sub(first));
        times.push(if is_other_clock { last } else { end });
        (order, times, is_other_clock)
    }
}

fn difference(before_ns: u64, at_ns: u64) -> i64 {
    let difference = i128::from(at_ns) - i128::from(before_ns);
    difference.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

#[derive(Default)]
struct CallFrame {
    pub name: String,
    pub url: String,
    /// 1-based; 0 if unknown.
    pub line: u32,
}

impl CallFrame {
    fn read<R: Read>(reader: &mut JsonReader<R>) -> Result<CallFrame, JsonError> {
        let mut frame = CallFrame::default();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "functionName" => frame.name = reader.text()?,
                "url" => frame.url = reader.text()?,
                // V8 counts from 0, with -1 for no line; `as` saturates
                "lineNumber" => {
                    let line = Quantity::read(reader)?.to_f64();
                    frame.line = line.map_or(0, |line| (line + 1.0) as u32);
                }
                _ => reader.skip()?,
            }
        }
        Ok(frame)
    }

    /// Anonymous functions are named by their location, as in speedscope.
    fn title(&self) -> String {
        match (&*self.name, self.url.rsplit('/').next().unwrap_or("")) {
            ("", "") => "(anonymous)".into(),
            ("", file) => format!("(anonymous {file}:{})", self.line),
            (name, _) => name.to_string(),
        }
    }
}

fn read_instant<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<u64>, JsonError> {
    let time = Quantity::read(reader)?.instant(NANOSECONDS);
    Ok(time.map(|time| time.value))
}

fn read_id<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<u64>, JsonError> {
    match reader.peek()? {
        JsonKind::Number => Ok(reader.number()?.to_u64()),
        _ => reader.skip().map(|()| None),
    }
}
