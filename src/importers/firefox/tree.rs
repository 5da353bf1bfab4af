//! The tree that samples make: processes if there are several, threads, stacks.

use super::columns::{self, NONE, Rows, Tables};
use super::markers::Markers;
use super::notes::{self, Oddities};
use super::thread::{CPU_PARTS, FileThread, PARTS, WeightType};
use super::{CpuUnit, FORMAT, File, Meta};
use crate::importers::assembly::{AssembledThread, FileProcess, ProfileAssembly, Samples};
use crate::importers::dotnet::{UNKNOWN_FRAME, is_nameless, process_title, thread_title};
use crate::importers::native::frame_name;
use crate::importers::tracks::NO_NAME;
use crate::input::json::ZERO_INSTANT;
use crate::model::{
    CountKind, FrameId, Metric, MetricId, ProfileKind, RawNode, Recording, SampleKind, SampleLog,
    Source, TooLarge, TreeBuilder, WeightedSample, WithoutSamples,
};
use crate::names::FrameKind;
use crate::units::Unit;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::collections::HashMap;

/// The interval where a file has none, as in the Firefox Profiler.
const USUAL_INTERVAL_NS: u64 = 1_000_000;

/// The kinds of the log, behind [`SampleLog::PAUSE`]: a sample that ran, one of which that is not known or that waited, time of
/// a sample that ran in which it waited, time on the processor beyond that of the sample, bytes, and the stack of a marker.
const RAN: u8 = 1;
const PASSED: u8 = 2;
const REST: u8 = 3;
const BEYOND: u8 = 4;
const BYTES: u8 = 5;
const MARKER: u8 = 6;

/// The metrics for which a file has values.
#[derive(Default)]
struct Metrics {
    list: Vec<Metric>,
    time: Option<MetricId>,
    cpu: Option<MetricId>,
    bytes: Option<MetricId>,
    interval_ns: u64,
    unit: Option<CpuUnit>,
}

impl Metrics {
    fn of(meta: &Meta, threads: &[FileThread]) -> Metrics {
        let has = |is: fn(&FileThread) -> bool| threads.iter().any(is);
        let unit = meta
            .cpu_unit
            .filter(|_| has(|thread| !thread.samples.cpu.is_empty()));
        let mut metrics = Metrics {
            interval_ns: meta.interval_ns.unwrap_or(USUAL_INTERVAL_NS),
            unit,
            ..Metrics::default()
        };
        let counts = Some(CountKind::Samples);
        if has(|thread| thread.samples.weight_type != WeightType::Bytes) || threads.is_empty() {
            let name = if unit.is_some() { "wall" } else { "time" };
            metrics.time = Some(metrics.add(Metric::time(name, counts)));
        }
        metrics.cpu = unit.map(|unit| {
            metrics.add(match unit {
                CpuUnit::Time(_) => Metric::time("CPU", counts),
                CpuUnit::Cycles => Metric::new("CPU cycles", Unit::Count, None),
            })
        });
        if has(|thread| thread.samples.weight_type == WeightType::Bytes) {
            metrics.bytes = Some(metrics.add(Metric::new("bytes", Unit::Bytes, counts)));
        }
        metrics
    }

    fn add(&mut self, metric: Metric) -> MetricId {
        self.list.push(metric);
        MetricId::at(self.list.len() - 1)
    }

    /// What each kind of the log gives.
    fn kinds(&self) -> [SampleKind; 6] {
        let kind = |metrics: &[Option<MetricId>], is_sample: bool| {
            let metrics: Vec<MetricId> = metrics.iter().copied().flatten().collect();
            SampleKind {
                counts: if is_sample {
                    metrics.clone()
                } else {
                    Vec::new()
                },
                is_sample,
                ..SampleKind::of_values(&metrics)
            }
        };
        let (time, cpu) = (self.time, self.cpu);
        [
            kind(&[time, cpu], true),
            kind(&[time], true),
            kind(&[time], false),
            kind(&[cpu], false),
            kind(&[self.bytes], true),
            SampleKind::default(),
        ]
    }

    /// The kinds and weights of a sample of a thread: one row of the log, or two.
    fn rows(&self, thread: &FileThread, sample: usize) -> [Option<(u8, u64)>; 2] {
        let samples = &thread.samples;
        let weight = samples.weights.get(sample).copied().unwrap_or(PARTS);
        let time_ns = match samples.weight_type {
            WeightType::Bytes => return [Some((BYTES, weight / PARTS)), None],
            // a nanosecond is the finest part of a millisecond
            WeightType::Milliseconds => weight,
            WeightType::Samples => scaled(weight, self.interval_ns, PARTS),
        };
        let cpu = samples.cpu.get(sample).copied().unwrap_or(0);
        let above_zero = |kind, value: u64| (value > 0).then_some((kind, value));
        match self.unit {
            Some(CpuUnit::Time(ns)) if cpu > 0 => {
                let cpu_ns = scaled(cpu, ns, CPU_PARTS);
                let rest = above_zero(REST, time_ns.saturating_sub(cpu_ns));
                let beyond = above_zero(BEYOND, cpu_ns.saturating_sub(time_ns));
                [Some((RAN, cpu_ns.min(time_ns))), rest.or(beyond)]
            }
            Some(CpuUnit::Cycles) => [Some((PASSED, time_ns)), above_zero(BEYOND, cpu / CPU_PARTS)],
            _ => [Some((PASSED, time_ns)), None],
        }
    }
}

/// A product, divided; the largest number if it is too large.
fn scaled(value: u64, factor: u64, divisor: u64) -> u64 {
    let product = u128::from(value) * u128::from(factor) / u128::from(divisor);
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// Where a stack ends in the tree, and how many frames it has, with and without names.
#[derive(Clone, Copy)]
struct StackEnd {
    node: RawNode,
    frames: u64,
    nameless: u64,
}

/// Grows the tree thread by thread.
struct Grower {
    grown: ProfileAssembly,
    metrics: Metrics,
    odd: Oddities,
    rows: Vec<WeightedSample>,
    /// By row of the function table.
    frames: HashMap<u32, FrameId, RandomState>,
    /// By row of the stack table, of the thread that is being read.
    ends: HashMap<u32, StackEnd, RandomState>,
    /// Stacks whose places are being looked for.
    path: Rows,
}

/// Makes the recording. `broken_off` is where the file ends, if it does so too early.
///
/// # Errors
/// The tree is full.
pub(super) fn recording(
    mut file: File,
    name: String,
    broken_off: Option<u64>,
) -> Result<Recording, TooLarge> {
    file.threads
        .retain(|thread| thread.samples.len() > 0 || thread.markers.has_any());
    if !file.libs.is_empty() {
        file.shared.libs = file.libs;
    }
    let metrics = Metrics::of(&file.meta, &file.threads);
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, file.meta.facts);
    let mut grower = Grower {
        grown: ProfileAssembly::new(source, "All threads", metrics.list.clone()),
        metrics,
        odd: file.odd,
        rows: Vec::new(),
        frames: HashMap::default(),
        ends: HashMap::default(),
        path: Rows::new(),
    };
    grower.odd.is_empty = file.threads.iter().all(|thread| thread.samples.len() == 0);
    let has_times = file
        .threads
        .iter()
        .all(|thread| thread.samples.len() == 0 || !thread.samples.times.is_empty());
    let tops = grower.processes(&file.threads)?;
    let mut markers = file.markers;
    for (thread, top) in file.threads.into_iter().zip(tops) {
        grower.add(thread, &file.shared, top, &mut markers)?;
    }
    let Grower {
        mut grown,
        metrics,
        odd,
        rows,
        ..
    } = grower;
    let mut log = SampleLog::new(metrics.kinds()).with_samples(Vec::new(), rows);
    log.add_lanes(grown.threads.len());
    if let Some(start) = file.meta.start {
        log.set_zero_ns(start);
    }
    grown.markers = markers.finish(log.zero_ns());
    grown.diagnostics = notes::diagnostics(&odd, broken_off);
    let first = metrics.time.or(metrics.bytes).unwrap_or(MetricId(0));
    let recording = grown.truncated_in_threads(&log);
    let recording = grown.profile_of_samples(Samples {
        log,
        found: recording,
        measure: Some(first),
        has_samples: true,
        if_any: None,
        otherwise: first,
    })?;
    Ok(match has_times {
        true => recording,
        false => Recording {
            samples: Err(WithoutSamples::NotAll),
            ..recording
        },
    })
}

impl Grower {
    /// What stands above each thread: its process, if there are several.
    fn processes(&mut self, threads: &[FileThread]) -> Result<Vec<RawNode>, TooLarge> {
        if threads.windows(2).all(|pair| pair[0].pid == pair[1].pid) {
            return Ok(vec![TreeBuilder::ROOT; threads.len()]);
        }
        let mut by_pid: HashMap<&str, RawNode> = HashMap::new();
        let mut tops = Vec::with_capacity(threads.len());
        for thread in threads {
            let top = match by_pid.get(&*thread.pid) {
                Some(&known) => known,
                None => {
                    let process = FileProcess {
                        id: thread.pid.parse().unwrap_or(0),
                        name: thread.process_name.clone(),
                    };
                    let title = process_title(&thread.pid, &process.name);
                    let node = self.grown.add_process_titled(&title, process)?;
                    by_pid.insert(&thread.pid, node);
                    node
                }
            };
            tops.push(top);
        }
        Ok(tops)
    }

    fn add(
        &mut self,
        thread: FileThread,
        shared: &Tables,
        above: RawNode,
        markers: &mut Markers,
    ) -> Result<(), TooLarge> {
        let FileThread { name, tid, .. } = &thread;
        let title = match (&**tid, &**name) {
            ("", "") => "Thread".into(),
            ("", name) => name.to_string(),
            (id, name) => thread_title(id, name),
        };
        let frame = self.grown.frames.intern(FrameKind::Thread, &title, "");
        let node = self.grown.builder.add(above, frame)?;
        let lane = self.grown.threads.len();
        let (id, name) = (tid.clone(), name.clone());
        self.grown.threads.push(AssembledThread { node, id, name });
        self.ends.clear();
        let own = &thread.tables;
        // rows of functions mean the same in another thread only where all have one table
        if !own.func_name.is_empty() || !own.strings.is_empty() {
            self.frames.clear();
        }
        let tables = StackTables { own, shared };
        self.add_samples(&thread, &tables, node, lane)?;
        // memory ends long before 32 bits do
        let narrow = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        let place = |stack, time| {
            let end = self.end(&tables, stack, node)?;
            let row = WeightedSample::new(time, 0, end.node, lane, MARKER);
            self.rows.push(row);
            Ok(narrow(self.rows.len() - 1))
        };
        let strings = tables.of(|tables| &tables.strings);
        (thread.markers).finish(markers, strings, narrow(lane), place)
    }

    fn add_samples(
        &mut self,
        thread: &FileThread,
        tables: &StackTables,
        top: RawNode,
        lane: usize,
    ) -> Result<(), TooLarge> {
        let samples = &thread.samples;
        let last = samples.times.last().copied().unwrap_or(ZERO_INSTANT);
        if !samples.times.is_empty() {
            self.odd.timeless += samples.len().saturating_sub(samples.times.len()) as u64;
        }
        for (sample, &stack) in samples.stacks.iter().enumerate() {
            let end = match stack {
                NONE => None,
                stack => Some(self.end(tables, stack, top)?),
            };
            self.odd.without_stack += u64::from(end.is_none());
            let end = end.unwrap_or(StackEnd::of(top));
            self.odd.unknown_stacks += u64::from(stack != NONE && end.node == top);
            self.odd.frames += end.frames;
            self.odd.nameless += end.nameless;
            let time = samples.times.get(sample).copied().unwrap_or(last);
            let row = |(kind, weight)| WeightedSample::new(time, weight, end.node, lane, kind);
            let rows = self.metrics.rows(thread, sample);
            self.rows.extend(rows.into_iter().flatten().map(row));
        }
        Ok(())
    }

    /// Where a stack ends below a thread: at the thread itself if no table has it.
    fn end(
        &mut self,
        tables: &StackTables,
        stack: u32,
        top: RawNode,
    ) -> Result<StackEnd, TooLarge> {
        let prefixes = tables.of(|tables| &tables.stack_prefix);
        let (mut at, mut end) = (stack, StackEnd::of(top));
        if stack as usize >= prefixes.len() {
            return Ok(end);
        }
        self.path.clear();
        loop {
            if let Some(&known) = self.ends.get(&at) {
                end = known;
                break;
            }
            self.path.push(at);
            match columns::at(prefixes, at) {
                // callers stand in front of those whom they call, so that there are no circles
                Some(caller) if caller < at => at = caller,
                caller => {
                    self.odd.unknown_callers += u64::from(caller.is_some());
                    break;
                }
            }
        }
        while let Some(row) = self.path.pop() {
            let frame = self.frame(tables, row);
            let node = self.grown.builder.merge(end.node, frame)?;
            let is_nameless = is_nameless(self.grown.frames.name(frame));
            end = StackEnd {
                node,
                frames: end.frames + 1,
                nameless: end.nameless + u64::from(is_nameless),
            };
            self.ends.insert(row, end);
        }
        Ok(end)
    }

    /// The frame at which a stack ends.
    fn frame(&mut self, tables: &StackTables, stack: u32) -> FrameId {
        let frame = columns::at(tables.of(|tables| &tables.stack_frame), stack);
        let func = frame.and_then(|row| columns::at(tables.of(|tables| &tables.frame_func), row));
        let func = func.unwrap_or(NONE);
        if let Some(&known) = self.frames.get(&func) {
            self.odd.unknown_frames += u64::from(tables.name(func).is_none());
            return known;
        }
        let frames = &mut self.grown.frames;
        let frame = match tables.name(func) {
            Some("") | None => frames.intern(FrameKind::Special, NO_NAME, ""),
            Some(name) => {
                let (kind, name) = named(name, tables.library(func));
                frames.intern(kind, &name, "")
            }
        };
        let (file, line) = tables.place(func);
        frames.set_location(frame, file, line);
        self.odd.unknown_frames += u64::from(tables.name(func).is_none());
        self.frames.insert(func, frame);
        frame
    }
}

impl StackEnd {
    fn of(node: RawNode) -> StackEnd {
        let (frames, nameless) = (0, 0);
        StackEnd {
            node,
            frames,
            nameless,
        }
    }
}

/// The kind and the raw name of a function. One that is only an address has none; what stands in parentheses, as `(root)`, is no
/// function.
fn named<'a>(name: &'a str, library: &str) -> (FrameKind, Cow<'a, str>) {
    let is_special = name == UNKNOWN_FRAME || name.starts_with('(') && name.ends_with(')');
    let digits = name.strip_prefix("0x").filter(|digits| !digits.is_empty());
    match digits {
        _ if is_special && library.is_empty() => (FrameKind::Special, name.into()),
        Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => frame_name("", library),
        _ => frame_name(name, library),
    }
}

/// The tables in which a thread's stacks are: each its own, else that of all threads.
struct StackTables<'a> {
    own: &'a Tables,
    shared: &'a Tables,
}

impl<'a> StackTables<'a> {
    fn of<T>(&self, column: fn(&Tables) -> &Vec<T>) -> &'a [T] {
        match column(self.own).is_empty() {
            true => column(self.shared),
            false => column(self.own),
        }
    }

    fn text(&self, row: Option<u32>) -> Option<&'a str> {
        let strings = self.of(|tables| &tables.strings);
        strings.get(row? as usize).map(|text| &**text)
    }

    /// The name of a function.
    fn name(&self, func: u32) -> Option<&'a str> {
        self.text(columns::at(self.of(|tables| &tables.func_name), func))
    }

    /// The library in which a function is, or the empty string.
    fn library(&self, func: u32) -> &'a str {
        let resource = columns::at(self.of(|tables| &tables.func_resource), func);
        let lib = resource.and_then(|row| columns::at(self.of(|tables| &tables.resource_lib), row));
        let libs = self.of(|tables| &tables.libs);
        let lib = lib.and_then(|lib| libs.get(lib as usize));
        lib.map_or("", |name| name)
    }

    /// The file and the line of a function: the empty string and 0 where they are not known.
    fn place(&self, func: u32) -> (&'a str, u64) {
        let file = columns::at(self.of(|tables| &tables.func_file), func);
        let source = || columns::at(self.of(|tables| &tables.func_source), func);
        let of_source = |row| columns::at(self.of(|tables| &tables.source_file), row);
        let file = self.text(file.or_else(|| of_source(source()?)));
        let line = columns::at(self.of(|tables| &tables.func_line), func);
        (file.unwrap_or(""), line.map_or(0, u64::from))
    }
}
