//! The processed format of the Firefox Profiler, version 55, as samply 0.13 writes it: `src/types/profile.ts` in
//! firefox-devtools/profiler, and the crate fxprof-processed-profile, whose members a test compares. That crate has
//! weights of 32 bits and the whole profile in memory; this writes times to the nanosecond, a thread at a time.
//!
//! Each sample has its time, and its value as weight: milliseconds, bytes or counts. Wall time and CPU time are written
//! together: wall time as weight, and its running part as the `threadCPUDelta` of the next sample
//! (`computeThreadCPURatio` in `src/profile-logic/cpu.ts`). A sample without stack and weight ends the last one, if
//! that ran. Without times in the source, the nodes follow each other in tree order.
//!
//! Functions have the categories of their code. Samples that waited (without CPU time or, if that is unknown, in a
//! method that waits) end in one of `Idle`, which the profiler draws transparent.

mod markers;
mod tables;

use super::exporter::{Exporter, Output};
use super::json_text::JsonText;
use super::lanes::lanes;
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::timeline::{SampleTimes, TimedSample};
use super::tracks::{ExportTrack, tracks};
use crate::analysis::sum;
use crate::exporters::lanes::{LaneIds, processes_by_node};
use crate::model::{MetricId, NodeId, Process};
use crate::object::{IfAny, if_rows, object};
use crate::units::{Unit, unix_ms};
use indexmap::IndexSet;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use tables::ThreadTables;

pub(super) const EXPORTER: Exporter = Exporter {
    name: "firefox",
    extensions: &[".profile.json"],
    output: Output::Json,
    refusal: |_| None,
    write,
};

const NS_PER_MS: u64 = 1_000_000;

fn write(part: &Part, mut out: &mut dyn Write) -> io::Result<()> {
    let (metric, cpu) = part.time_and_cpu();
    let part = &Part { metric, ..*part };
    let written: Vec<MetricId> = [metric].into_iter().chain(cpu).collect();
    let tracks = tracks(part, &written);
    let (lanes, timeline) = (lanes(part, &tracks), SampleTimes::new(part));
    let mut writer = ProfileWriter {
        part,
        rows: Rows::new(part, &tracks, FrameIdentity::Name),
        libs: IndexSet::new(),
        markers: markers::TrackMarkers::new(part.view, &tracks),
        processes: processes_by_node(part),
        text: JsonText::new(&mut out),
    };
    writer.meta(cpu.is_some(), interval_ns(part, &tracks))?;
    writer.text.json(br#","threads":["#);
    for (row, (track, lane)) in tracks.iter().zip(&lanes).enumerate() {
        writer.text.comma(&mut (row == 0));
        let samples = timeline.samples(track, cpu);
        let samples = samples.unwrap_or_else(|| in_order_of_tree(part, track, cpu));
        writer.thread((row, track), *lane, samples, cpu.is_some())?;
    }
    let lib = |name| {
        object! {
            name,
            path: name,
            debugName: name,
            debugPath: name,
            breakpadId: "",
            codeId: (),
            arch: (),
        }
    };
    let libs: Vec<_> = writer.libs.iter().map(lib).collect();
    writer.text.json(br#"],"libs":"#);
    writer.text.serialized(&libs);
    writer.text.json(b"}");
    writer.text.finish()
}

/// Nanoseconds between samples of a thread, by which readers multiply counts: the average or, if samples are only
/// counted, a millisecond unless counts are too large.
fn interval_ns(part: &Part, tracks: &[ExportTrack]) -> u64 {
    if part.chosen_metric().unit == Unit::Count {
        let counts = tracks.iter().map(|track| track.total(part, part.metric));
        let fits = sum(counts) <= i64::MAX as u64 / NS_PER_MS;
        return if fits { NS_PER_MS } else { 1 };
    }
    let average = part.view.recording.samples.as_deref().map_or(0, |table| {
        let passed = table.span_ns.saturating_mul(table.lanes.len() as u64);
        passed.checked_div(table.len() as u64).unwrap_or(0)
    });
    if average > 0 { average } else { NS_PER_MS }
}

fn in_order_of_tree(part: &Part, track: &ExportTrack, cpu: Option<MetricId>) -> Vec<TimedSample> {
    let tree = &part.view.tree;
    let (mut at, mut samples) = (0u64, Vec::new());
    for node in track.nodes(tree) {
        let value = tree.exclusive(part.metric, node);
        let cpu = cpu.map_or(0, |cpu| tree.exclusive(cpu, node));
        if value > 0 || cpu > 0 || tree.is_leaf(node) {
            samples.push(TimedSample {
                start: at,
                node,
                value,
                cpu,
            });
            let lasts = match part.chosen_metric().unit {
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
    libs: IndexSet<&'a str>,
    markers: markers::TrackMarkers<'a>,
    processes: HashMap<NodeId, &'a Process>,
    text: JsonText<'o, W>,
}

impl<'a, W: Write> ProfileWriter<'a, '_, W> {
    fn meta(&mut self, has_cpu: bool, interval_ns: u64) -> io::Result<()> {
        self.text
            .json_and_string(br#"{"meta":{"product":"#, self.part.source_name());
        self.text.json(br#","interval":"#);
        self.text.parts(interval_ns, NS_PER_MS);
        self.text.json(b",");
        let source = &self.part.view.recording.source;
        let processors = source.fact("processors").map(str::parse::<u32>);
        self.text.members(&object! {
            oscpu: IfAny(source.fact("operating system")),
            abi: IfAny(source.fact("architecture")),
            CPUName: IfAny(source.fact("processor")),
            logicalCPUs: IfAny(processors.and_then(Result::ok)),
            // 0 if unknown
            startTime: source.fact("recorded").and_then(unix_ms).unwrap_or(0),
        });
        self.text.json(br#","profilingStartTime":0,"processType":0,"preprocessedProfileVersion":55,"version":24,"#);
        self.text.json(br#""debug":false,"stackwalk":1,"symbolicated":true,"pausedRanges":[],"usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,"#);
        self.text
            .json(br#""extensions":{"length":0,"baseURL":[],"id":[],"name":[]},"#);
        let units = object! { time: "ms", eventDelay: "ms", threadCPUDelta: "ns" };
        let category = |(_, name, color)| object! { name, color, subcategories: ["Other"] };
        self.text.members(&object! {
            sampleUnits: IfAny(has_cpu.then_some(units)),
            categories: tables::CATEGORIES.map(category),
            markerSchema: markers::schemas(self.part.view),
        });
        self.text.json(b"},");
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
        has_cpu: bool,
    ) -> io::Result<()> {
        let process = track.process.map_or("", |node| {
            let process = self.processes.get(&node);
            process.map_or_else(|| self.part.view.name(node), |process| &process.name)
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
        let stacks = samples.iter();
        let stacks = stacks.map(|sample| tables.stack(sample, has_cpu));
        let mut stacks: Vec<Option<u32>> = stacks.collect();
        if let Some(&last) = samples.last().filter(|last| last.cpu > 0) {
            stacks.push(None);
            samples.push(TimedSample {
                start: last.end(),
                value: 0,
                cpu: 0,
                ..last
            });
        }
        write_samples(&mut self.text, self.part, &stacks, &samples, has_cpu)?;
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
}

/// samply's name for a thread without one.
fn name<'a>(track: &'a ExportTrack, lane: LaneIds) -> Cow<'a, str> {
    match track.thread {
        Some((_, thread)) if thread.name.is_empty() => format!("Thread <{}>", lane.thread).into(),
        Some((_, thread)) => Cow::Borrowed(&thread.name),
        None => Cow::Borrowed(track.title),
    }
}

fn write_samples<W: Write>(
    text: &mut JsonText<W>,
    part: &Part,
    stacks: &[Option<u32>],
    samples: &[TimedSample],
    has_cpu: bool,
) -> io::Result<()> {
    let unit = part.chosen_metric().unit;
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
    if has_cpu {
        let before = samples.iter().map(|sample| sample.cpu);
        let deltas: Vec<u64> = [0].into_iter().chain(before).take(samples.len()).collect();
        text.column("threadCPUDelta", &deltas, |text, delta| text.number(*delta))?;
    }
    text.json(b"}");
    Ok(())
}
