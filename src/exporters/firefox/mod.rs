//! The processed format of the Firefox Profiler, version 55, as samply 0.13 writes it: `src/types/profile.ts` in
//! firefox-devtools/profiler, and the crate fxprof-processed-profile, whose members a test compares. That crate keeps weights as
//! whole numbers of 32 bits and the whole profile in memory; this writes times to the nanosecond, a thread at a time.
//!
//! Each sample has its time, and its value as weight: milliseconds, bytes or counts. If there are both wall time and CPU time,
//! they are written together, whichever is chosen: wall time as weight, and its running part as the `threadCPUDelta` of the
//! next sample, which covers the time since the previous sample (`computeThreadCPURatio` in `src/profile-logic/cpu.ts`). A sample
//! without a stack and weight ends the last one, if that ran. If the source has no times, the nodes follow each other in
//! tree order.
//!
//! Mozilla's own code reads it (profiler-cli 0.10 on npm, `@firefox-devtools/profiler-cli`): the sums by function and thread,
//! CPU time, categories, markers and their stacks match what was written.
//!
//! Functions have the categories of their code. Samples that waited end in one of `Idle`, which the profiler draws transparent:
//! those without CPU time or, if that is unknown, in a method that waits.

mod markers;
pub(super) mod metrics;
mod tables;

use super::exporter::{Exporter, Output};
use super::json_text::JsonText;
use super::lanes::lanes;
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::timeline::{SampleTimes, TimedSample};
use super::tracks::{ExportTrack, tracks};
use crate::exporters::lanes::{LaneIds, processes_by_node};
use crate::model::{MetricId, NodeId, Process};
use crate::object::{if_rows, object};
use crate::units::{Unit, unix_ms};
use indexmap::IndexSet;
use metrics::{WrittenMetrics, metrics};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use tables::ThreadTables;

/// The format's row in the table.
pub(super) const EXPORTER: Exporter = Exporter {
    name: "firefox",
    extensions: &[".profile.json"],
    output: Output::Json,
    refusal: |_| None,
    write,
};

/// What the profiler calls facts about the machine.
const META_FACTS: [(&[u8], &str); 3] = [
    (br#","oscpu":"#, "operating system"),
    (br#","abi":"#, "architecture"),
    (br#","CPUName":"#, "processor"),
];

/// Values in a millisecond.
const NS_PER_MS: u64 = 1_000_000;

/// The part in the metric of the weights, and its tracks.
fn with_tracks<'a>(part: &Part<'a>) -> (Part<'a>, WrittenMetrics, Vec<ExportTrack<'a>>) {
    let metrics = metrics(part);
    let metric = metrics.main;
    let part = Part { metric, ..*part };
    (part, metrics, tracks(&part, &metrics.all()))
}

fn write(part: &Part, mut out: &mut dyn Write) -> io::Result<()> {
    let (part, metrics, tracks) = with_tracks(part);
    let part = &part;
    let (lanes, timeline) = (lanes(part, &tracks), SampleTimes::new(part));
    let mut writer = ProfileWriter {
        part,
        rows: Rows::new(part, &tracks, FrameIdentity::Name),
        libs: IndexSet::new(),
        markers: markers::TrackMarkers::new(part.view, &tracks),
        processes: processes_by_node(part),
        text: JsonText::new(&mut out),
    };
    writer.meta(metrics, interval_ns(part, &tracks))?;
    writer.text.json(br#","threads":["#);
    for (row, (track, lane)) in tracks.iter().zip(&lanes).enumerate() {
        writer.text.comma(&mut (row == 0));
        let samples = timeline.samples(track, metrics.cpu);
        let samples = samples.unwrap_or_else(|| in_order_of_tree(part, track, metrics.cpu));
        writer.thread((row, track), *lane, samples, metrics)?;
    }
    writer.text.json(br#"],"libs":["#);
    writer.libs()?;
    writer.text.json(b"]}");
    writer.text.finish()
}

/// Nanoseconds from one sample of a thread to the next: the average, or a millisecond, the profiler's default, if
/// samples are only counted (`getEmptyProfile` in `src/profile-logic/data-structures.ts`). Readers multiply counts by it: if they are
/// too large for that, it is a nanosecond.
fn interval_ns(part: &Part, tracks: &[ExportTrack]) -> u64 {
    if part.about_metric().unit == Unit::Count {
        let counts = tracks.iter().map(|track| track.total(part, part.metric));
        let fits = counts.fold(0, u64::saturating_add) <= i64::MAX as u64 / NS_PER_MS;
        return if fits { NS_PER_MS } else { 1 };
    }
    let samples = part.view.recording.samples.as_deref().ok();
    let average = samples.and_then(|table| {
        let passed = table.span_ns().saturating_mul(table.lanes().len() as u64);
        passed.checked_div(table.len() as u64)
    });
    average.filter(|&ns| ns > 0).unwrap_or(NS_PER_MS)
}

/// A sample for each node with a value, and for each leaf, one after the other: a millisecond each if values are not times.
fn in_order_of_tree(part: &Part, track: &ExportTrack, cpu: Option<MetricId>) -> Vec<TimedSample> {
    let tree = &part.view.tree;
    let (mut at, mut samples) = (0u64, Vec::new());
    for node in track.owns.iter().copied().chain(track.below(tree)) {
        let value = tree.exclusive(part.metric, node);
        let cpu = cpu.map_or(0, |cpu| tree.exclusive(cpu, node));
        if value > 0 || cpu > 0 || tree.is_leaf(node) {
            samples.push(TimedSample {
                start: at,
                node,
                value,
                cpu,
            });
            let lasts = match part.about_metric().unit {
                Unit::Milliseconds => value,
                Unit::Bytes | Unit::Count => NS_PER_MS,
            };
            at = at.saturating_add(lasts);
        }
    }
    samples
}

struct ProfileWriter<'a, 'o, W> {
    part: &'a Part<'a>,
    rows: Rows<'a>,
    /// The libraries of functions in any thread.
    libs: IndexSet<&'a str>,
    markers: markers::TrackMarkers<'a>,
    /// Processes by their nodes.
    processes: HashMap<NodeId, &'a Process>,
    text: JsonText<'o, W>,
}

impl<'a, W: Write> ProfileWriter<'a, '_, W> {
    fn meta(&mut self, metrics: WrittenMetrics, interval_ns: u64) -> io::Result<()> {
        self.text
            .json_and_string(br#"{"meta":{"product":"#, self.part.source_name());
        self.text.json(br#","interval":"#);
        self.text.parts(interval_ns, NS_PER_MS);
        // the recording's date; 0 if unknown
        let source = &self.part.view.recording.source;
        for (member, fact) in META_FACTS {
            if let Some(text) = source.fact(fact) {
                self.text.json_and_string(member, text);
            }
        }
        let processors = source
            .fact("processors")
            .and_then(|number| number.parse::<u32>().ok());
        if let Some(number) = processors {
            self.text.json(br#","logicalCPUs":"#);
            self.text.number(number.into());
        }
        let recorded = source.fact("recorded").and_then(unix_ms);
        self.text.json(br#","startTime":"#);
        self.text.number(recorded.unwrap_or(0));
        self.text.json(br#","profilingStartTime":0,"processType":0,"preprocessedProfileVersion":55,"version":24,"#);
        self.text.json(br#""debug":false,"stackwalk":1,"symbolicated":true,"pausedRanges":[],"usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,"#);
        self.text
            .json(br#""extensions":{"length":0,"baseURL":[],"id":[],"name":[]},"#);
        if metrics.cpu.is_some() {
            self.text
                .json(br#""sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"},"#);
        }
        self.text.json(br#""categories":["#);
        let mut is_first = true;
        for (_, name, color) in tables::CATEGORIES {
            self.text.comma(&mut is_first);
            self.text.json_and_string(br#"{"name":"#, name);
            self.text.json_and_string(br#","color":"#, color);
            self.text.json(br#","subcategories":["Other"]}"#);
        }
        self.text.json(br#"],"markerSchema":["#);
        markers::schemas(self.part.view, &mut self.text);
        self.text.json(b"]},");
        self.text.members(&object! {
            exporter: PROGRAM,
            warnings: if_rows(sentences::warnings(self.part.view)),
            notes: if_rows(sentences::notes(self.part.view)),
        });
        self.text.pass_on()
    }

    fn thread(
        &mut self,
        (row, track): (usize, &ExportTrack<'a>),
        lane: LaneIds,
        mut samples: Vec<TimedSample>,
        metrics: WrittenMetrics,
    ) -> io::Result<()> {
        let process = track
            .process
            .map_or("", |node| match self.processes.get(&node) {
                Some(process) => &process.name,
                None => self.part.view.name(node),
            });
        self.text
            .json_and_string(br#"{"name":"#, &name(track, lane));
        self.text.json_and_string(br#","processName":"#, process);
        self.text
            .json(br#","processType":"default","isMainThread":false,"pid":"#);
        self.text.string(&lane.process.to_string());
        self.text.json(br#","tid":"#);
        self.text.string(&lane.thread.to_string());
        self.text.json(br#","registerTime":0,"unregisterTime":null,"processStartupTime":0,"processShutdownTime":null,"pausedRanges":[],"#);
        self.text.json(br#""showMarkersInTimeline":true,"#);
        let mut tables = ThreadTables::new(self.part, &self.rows, &mut self.libs, track);
        let mut stacks: Vec<Option<u32>> = samples
            .iter()
            .map(|sample| tables.stack(sample, metrics.cpu.is_some()))
            .collect();
        if let Some(&last) = samples.last().filter(|last| last.cpu > 0) {
            stacks.push(None);
            samples.push(TimedSample {
                start: last.start.saturating_add(last.value),
                value: 0,
                cpu: 0,
                ..last
            });
        }
        write_samples(&mut self.text, self.part, &stacks, &samples, metrics)?;
        markers::write(
            self.part.view,
            &self.markers,
            (row, track),
            &mut tables,
            &mut self.text,
        )?;
        tables.write(&mut self.text)?;
        self.text.json(b"}");
        self.text.pass_on()
    }

    fn libs(&mut self) -> io::Result<()> {
        let mut is_first = true;
        for name in &self.libs {
            self.text.comma(&mut is_first);
            self.text.json_and_string(br#"{"name":"#, name);
            self.text.json_and_string(br#","path":"#, name);
            self.text.json_and_string(br#","debugName":"#, name);
            self.text.json_and_string(br#","debugPath":"#, name);
            self.text
                .json(br#","breakpadId":"","codeId":null,"arch":null}"#);
            self.text.pass_on()?;
        }
        Ok(())
    }
}

/// The name of a thread. If it has none, it gets the name that samply gives it, since its row would be empty.
fn name<'a>(track: &'a ExportTrack, lane: LaneIds) -> Cow<'a, str> {
    match track.thread {
        Some((_, thread)) if thread.name.is_empty() => format!("Thread <{}>", lane.thread).into(),
        Some((_, thread)) => Cow::Borrowed(&thread.name),
        None => Cow::Borrowed(&track.title),
    }
}

fn write_samples<W: Write>(
    text: &mut JsonText<W>,
    part: &Part,
    stacks: &[Option<u32>],
    samples: &[TimedSample],
    metrics: WrittenMetrics,
) -> io::Result<()> {
    let unit = part.about_metric().unit;
    text.json(br#""samples":{"length":"#);
    text.number(samples.len() as u64);
    text.json(match unit {
        Unit::Milliseconds => br#","weightType":"tracing-ms""#,
        Unit::Bytes => br#","weightType":"bytes""#,
        Unit::Count => br#","weightType":"samples""#,
    });
    text.numbers("stack", stacks.iter().copied())?;
    text.column("time", samples, |text, sample| {
        text.parts(sample.start, NS_PER_MS)
    })?;
    text.column("weight", samples, |text, sample| {
        text.value(unit, sample.value)
    })?;
    if metrics.cpu.is_some() {
        // the running time since the previous sample
        let before = samples.iter().map(|sample| sample.cpu);
        let deltas: Vec<u64> = [0].into_iter().chain(before).take(samples.len()).collect();
        text.column("threadCPUDelta", &deltas, |text, delta| text.number(*delta))?;
    }
    text.json(b"}");
    Ok(())
}
