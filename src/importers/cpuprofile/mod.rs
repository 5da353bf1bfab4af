//! `.cpuprofile`: what V8 writes (Node, Chrome, and so Blazor in a browser).
//!
//! An object with `nodes`, which are the call tree, `samples`, the node of each sample, and `timeDeltas`, the microseconds
//! from one sample to the next; the first of them counts from `startTime`. A sample lasts until the next one, the last one
//! until `endTime`. Without `timeDeltas` there are numbers of samples only, and without `samples` those that the nodes have
//! as `hitCount`. The description is `js_protocol.pdl` (domain `Profiler`) in chromedevtools/devtools-protocol.
//!
//! Chrome before 2016 wrote another form: `head` is the outermost node, which has its callees in it ([`head`]), `timestamps` are the
//! microseconds at which samples were taken, and `startTime` and `endTime` count seconds. Source: `v8ProfilerAgentImpl.cpp` in V8, and
//! `Profiler.json` of devtools-protocol, before that change.
//!
//! `(root)` is left out; `(idle)`, `(program)` and `(garbage collector)` stay where V8 has them, directly below the thread.
//! In memory are the nodes and 12 bytes for each sample.

mod head;

use super::tracks::{About, FileFrame, FrameTable, Measure, Quantity, Recorded, profile, too_large};
use super::{Format, ReadOptions};
use crate::input::json::{JsonError, JsonKind, JsonProblem, JsonReader};
use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress};
use crate::model::Diagnostic;
use crate::model::diagnostics::{BrokenOff, Ending, Oddity, Remark};
use crate::model::{Charges, CountKind, FrameId, ProfileKind, RawNode, Recording, SampleLog, TooLarge};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::io::Read;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "cpuprofile",
    title: "V8 CPU profile",
    extensions: &[".cpuprofile"],
    metrics: "time with samples",
    limitations: "lines within functions (`positionTicks`); functions of one name are one",
    sniff,
    read,
    sums: None,
};

/// How many nanoseconds a microsecond has, in which the files count.
const NANOSECONDS: u64 = 1_000;
/// How many nanoseconds a second has, in which files with a head count.
const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;
/// The reader tells how far it is once in so many nodes or samples.
const STEPS_PER_REPORT: u64 = 10_000;
/// The node above all others.
const ROOT: &str = "(root)";

/// Whether a file starts like one of this format: by the members of its nodes.
fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json_or_name(FORMAT.extensions[0], sniff_members)
}

fn sniff_members(reader: &mut JsonReader<&[u8]>, found: &mut Option<Confidence>) -> Result<(), JsonError> {
    reader.enter_object()?;
    while let Some(key) = reader.next_key()? {
        match key {
            "timeDeltas" => {
                *found = Some(Confidence::Likely);
                return Ok(());
            }
            "head" => {
                reader.enter_object()?;
                while let Some(key) = reader.next_key()? {
                    if matches!(key, "functionName" | "hitCount" | "callUID") {
                        *found = Some(Confidence::Likely);
                        return Ok(());
                    }
                    reader.skip()?;
                }
            }
            "nodes" => {
                reader.enter_array()?;
                while reader.next_element()? {
                    reader.enter_object()?;
                    while let Some(key) = reader.next_key()? {
                        if key == "callFrame" {
                            *found = Some(Confidence::Likely);
                            return Ok(());
                        }
                        reader.skip()?;
                    }
                }
            }
            _ => reader.skip()?,
        }
    }
    Ok(())
}

/// Reads a file of this format.
///
/// # Errors
/// Cancelled; the file can't be read; it is no JSON, or one without nodes. A file that breaks off is read as far as it
/// goes, and a warning says so.
fn read(input: Input, options: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress.clone());
    let mut file = File { progress, ..File::default() };
    let broken_off = match file.read_members(&mut reader) {
        Ok(()) => None,
        Err(error) if error.is_truncated() && !file.nodes.is_empty() => Some(error.offset()),
        Err(error) => return Err(error.into_import_error(&name, FORMAT.title)),
    };
    if !file.has_nodes {
        let failure =
            Failure::new(name, FORMAT.title, "expected the member `nodes` or `head`, found none in the whole file");
        return Err(failure.advice("`dotspot formats` lists what can be opened").into());
    }
    let (recorded, diagnostics) = file
        .finish(broken_off, options.wants_samples)
        .map_err(|TooLarge| ImportError::from(too_large(&name, FORMAT.title)))?;
    let (format, wants_samples) = ((FORMAT.name, FORMAT.title), options.wants_samples);
    profile(recorded, About { file: name, format, facts: Vec::new(), diagnostics, wants_samples })
}

/// A node of the file, whose frame is the row of its number.
#[derive(Clone, Copy, Default)]
struct FileNode {
    id: u64,
    /// Its caller's row, once that is known.
    caller: Option<usize>,
    hits: u64,
    is_root: bool,
}

/// A time whose unit is known once all members were read.
#[derive(Clone, Copy)]
struct Instant {
    /// In nanoseconds, if it counts microseconds.
    of_microseconds_ns: u64,
    /// In nanoseconds, if it counts seconds.
    of_seconds_ns: u64,
}

impl Instant {
    fn read<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<Instant>, JsonError> {
        let time = Quantity::read(reader)?;
        let (microseconds, seconds) = (time.instant(NANOSECONDS), time.instant(NANOSECONDS_PER_SECOND));
        Ok(microseconds.zip(seconds).map(|(microseconds, seconds)| Instant {
            of_microseconds_ns: microseconds.value,
            of_seconds_ns: seconds.value,
        }))
    }
}

/// What was read so far.
#[derive(Default)]
struct File {
    nodes: Vec<FileNode>,
    frames: FrameTable,
    has_nodes: bool,
    /// The row of a node and the id of one of its callees.
    callees: Vec<(usize, u64)>,
    /// The row of a node and the id of its caller.
    callers: Vec<(usize, u64)>,
    samples: Vec<u32>,
    /// Nanoseconds from one sample to the next.
    deltas: Vec<u64>,
    start: Option<Instant>,
    end: Option<Instant>,
    /// Whether the nodes are those of `head`, so that times count seconds.
    has_head: bool,
    /// In nanoseconds, when samples were taken, in files with a head.
    timestamps: Vec<u64>,
    clamped: u64,
    progress: Progress,
    steps: u64,
}

impl File {
    fn read_members<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "nodes" => {
                    self.has_nodes = true;
                    reader.enter_array()?;
                    while reader.next_element()? {
                        self.read_node(reader).map_err(|error| error.in_member("nodes"))?;
                    }
                }
                "samples" => {
                    self.read_samples(reader).map_err(|error| error.in_member("samples"))?;
                }
                "timeDeltas" => {
                    self.read_deltas(reader).map_err(|error| error.in_member("timeDeltas"))?;
                }
                "head" => {
                    (self.has_nodes, self.has_head) = (true, true);
                    let mut head = head::Head::default();
                    let read = head.read(reader, self);
                    head.close_all(self);
                    read.map_err(|error| error.in_member("head"))?;
                }
                "timestamps" => {
                    reader.enter_array()?;
                    while reader.next_element()? {
                        self.report(reader)?;
                        let at = Quantity::read(reader)?.instant(NANOSECONDS);
                        self.timestamps.push(at.map_or(0, |at| at.value));
                    }
                }
                "startTime" => self.start = Instant::read(reader)?,
                "endTime" => self.end = Instant::read(reader)?,
                _ => reader.skip()?,
            }
        }
        reader.end()
    }

    fn report<R: Read>(&mut self, reader: &JsonReader<R>) -> Result<(), JsonError> {
        self.steps += 1;
        match self.steps.is_multiple_of(STEPS_PER_REPORT) {
            true => {
                self.progress.at(self.nodes.len()).map_err(|_| JsonError::new(reader.offset(), JsonProblem::Cancelled))
            }
            false => Ok(()),
        }
    }

    fn read_node<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        self.report(reader)?;
        let (mut node, row) = (FileNode::default(), self.nodes.len());
        let mut frame = CallFrame::default();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "id" => node.id = read_id(reader)?.unwrap_or(u64::MAX),
                "parent" => self.callers.extend(read_id(reader)?.map(|id| (row, id))),
                "hitCount" => node.hits = Quantity::read(reader)?.scaled(1).map_or(0, |hits| hits.value),
                "callFrame" => frame = CallFrame::read(reader)?,
                "children" => {
                    reader.enter_array()?;
                    while reader.next_element()? {
                        self.callees.extend(read_id(reader)?.map(|id| (row, id)));
                    }
                }
                _ => reader.skip()?,
            }
        }
        self.push(node, &frame);
        Ok(())
    }

    fn push(&mut self, node: FileNode, frame: &CallFrame) {
        self.frames.push(FileFrame {
            name: &frame.title(),
            file: &frame.url,
            line: frame.line,
            // V8's own words: no method in JavaScript can be called like that
            is_special: frame.name.starts_with('(') && frame.url.is_empty(),
            ..FileFrame::default()
        });
        self.nodes.push(FileNode { is_root: frame.name == ROOT, ..node });
    }

    /// When recording started and ended, in nanoseconds.
    fn started_ended(&self) -> (Option<u64>, Option<u64>) {
        let of = |instant: Instant| if self.has_head { instant.of_seconds_ns } else { instant.of_microseconds_ns };
        (self.start.map(of), self.end.map(of))
    }

    /// Makes differences of times, as files have them that have no head.
    fn settle_timestamps(&mut self) {
        // a start in seconds is less exact than the first of these
        let first = self.timestamps.first().copied().unwrap_or(0);
        let mut before = self.started_ended().0.map_or(first, |start| start.min(first));
        for at in std::mem::take(&mut self.timestamps) {
            self.clamped += u64::from(at < before);
            self.deltas.push(at.saturating_sub(before));
            before = at.max(before);
        }
    }

    fn read_samples<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_array()?;
        while reader.next_element()? {
            self.report(reader)?;
            let id = read_id(reader)?.and_then(|id| u32::try_from(id).ok());
            self.samples.push(id.unwrap_or(u32::MAX));
        }
        Ok(())
    }

    fn read_deltas<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_array()?;
        while reader.next_element()? {
            self.report(reader)?;
            // V8 writes differences below 0 where its clocks disagree
            let delta = Quantity::read(reader)?.scaled(NANOSECONDS);
            self.clamped += u64::from(delta.is_none_or(|delta| delta.is_clamped));
            self.deltas.push(delta.map_or(0, |delta| delta.value));
        }
        Ok(())
    }

    /// What was recorded, and what to know about it.
    fn finish(mut self, broken_off: Option<u64>, wants_samples: bool) -> Result<(Recorded, Vec<Diagnostic>), TooLarge> {
        if self.deltas.is_empty() {
            self.settle_timestamps();
        }
        let mut recorded = Recorded::new(ProfileKind::Sampling, Some(CountKind::Samples));
        let by_id: HashMap<u64, usize, RandomState> =
            self.nodes.iter().enumerate().map(|(row, node)| (node.id, row)).collect();
        self.link(&by_id);
        if wants_samples {
            recorded.keep_log();
        }
        recorded.has_timeless = self.deltas.is_empty();
        let track = recorded.add_track()?;
        recorded.tracks[track].title = "Thread".into();
        let places = self.place(&mut recorded)?;
        let unknown = self.add_samples(&mut recorded, &by_id, &places);
        recorded.frames = std::mem::take(&mut self.frames);
        recorded.uses(if self.deltas.is_empty() { Measure::Weight } else { Measure::Time });
        Ok((recorded, self.diagnostics(unknown, broken_off)))
    }

    /// Gives nodes their callers. The first that a file names stays.
    fn link(&mut self, by_id: &HashMap<u64, usize, RandomState>) {
        let from_callees = self.callees.iter().filter_map(|&(caller, id)| Some((*by_id.get(&id)?, caller)));
        let from_callers = self.callers.iter().filter_map(|&(row, id)| Some((row, *by_id.get(&id)?)));
        // where the file breaks off, the last node is not there
        let count = self.nodes.len();
        for (row, caller) in from_callees.chain(from_callers).filter(|&(row, caller)| row.max(caller) < count) {
            self.nodes[row].caller.get_or_insert(caller);
        }
    }

    /// The place of each node in the tree. The root is the thread; so is what calls itself in a circle.
    fn place(&self, recorded: &mut Recorded) -> Result<Vec<RawNode>, TooLarge> {
        let top = recorded.tracks[0].node;
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
            // in a circle rows come twice
            for row in above.drain(..).rev() {
                if let Some(known) = places[row] {
                    node = known;
                    continue;
                }
                if !self.nodes[row].is_root {
                    node = recorded.builder.merge(node, FrameId::at(row))?;
                }
                places[row] = Some(node);
            }
        }
        Ok(places.into_iter().map(|place| place.unwrap_or(top)).collect())
    }

    /// Adds time and numbers of samples to the nodes, and tells how many samples have a node that the file lacks.
    fn add_samples(
        &self,
        recorded: &mut Recorded,
        by_id: &HashMap<u64, usize, RandomState>,
        places: &[RawNode],
    ) -> u64 {
        let measure = if self.deltas.is_empty() { Measure::Weight } else { Measure::Time };
        if self.samples.is_empty() {
            for (node, &place) in self.nodes.iter().zip(places) {
                recorded.builder.add_exclusive(Measure::Weight.metric(), place, node.hits);
            }
        }
        let until_last =
            self.deltas.iter().take(self.samples.len()).fold(0u64, |sum, delta| sum.saturating_add(*delta));
        let (start, end) = self.started_ended();
        let last = start.zip(end).map_or(0, |(start, end)| end.saturating_sub(start.saturating_add(until_last)));
        let mut unknown = 0;
        let first_delta = self.deltas.first().copied().unwrap_or(0);
        let mut at_ns = start.unwrap_or(0).saturating_add(first_delta);
        for (index, &id) in self.samples.iter().enumerate() {
            let value = match measure {
                Measure::Time if index + 1 == self.samples.len() => last,
                Measure::Time => self.deltas.get(index + 1).copied().unwrap_or(0),
                _ => 1,
            };
            let place = by_id.get(&u64::from(id)).map(|&row| places[row]);
            if let Some(log) = &mut recorded.log {
                let kind = if place.is_some() { Charges::COUNTED } else { SampleLog::PAUSE };
                log.push(0, at_ns, place.unwrap_or(recorded.tracks[0].node), kind);
                at_ns = at_ns.saturating_add(value);
                log.set_end_ns(0, at_ns);
            }
            let Some(place) = place else {
                unknown += 1;
                continue;
            };
            recorded.builder.add_exclusive(measure.metric(), place, value);
            recorded.builder.add_count(measure.metric(), place, 1);
        }
        unknown
    }

    fn diagnostics(&self, unknown: u64, broken_off: Option<u64>) -> Vec<Diagnostic> {
        let all = [
            broken_off.map(|at| BrokenOff::at(at, Ending::Plain {})),
            self.deltas.is_empty().then_some(Diagnostic::plain(Remark::NoTimes)),
            Oddity::SamplesOfUnknownNodes.times(unknown),
            Oddity::TimesClamped.times(self.clamped),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Where a node is in the source.
#[derive(Default)]
struct CallFrame {
    name: String,
    url: String,
    /// From 1 on; 0 if it is not known.
    line: u32,
}

impl CallFrame {
    fn read<R: Read>(reader: &mut JsonReader<R>) -> Result<CallFrame, JsonError> {
        let mut frame = CallFrame::default();
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "functionName" => frame.name = reader.text()?,
                "url" => frame.url = reader.text()?,
                // V8 counts from 0 on, with -1 where there is no line; `as` takes the nearest bound
                "lineNumber" => frame.line = Quantity::read(reader)?.to_f64().map_or(0, |line| (line + 1.0) as u32),
                _ => reader.skip()?,
            }
        }
        Ok(frame)
    }

    /// Its name; a function without one is called by its place, as speedscope does.
    fn title(&self) -> String {
        match (self.name.as_str(), self.url.rsplit('/').next().unwrap_or("")) {
            ("", "") => "(anonymous)".into(),
            ("", file) => format!("(anonymous {file}:{})", self.line),
            (name, _) => name.to_string(),
        }
    }
}

/// The number of a node.
fn read_id<R: Read>(reader: &mut JsonReader<R>) -> Result<Option<u64>, JsonError> {
    match reader.peek()? {
        JsonKind::Number => Ok(reader.number()?.to_u64()),
        _ => reader.skip().map(|()| None),
    }
}
