//! The tree that samples make: processes if there are several, threads, stacks.

use super::columns::{Column, NONE, Rows, Tables};
use super::markers::MarkerCounts;
use super::notes::{self, Oddities};
use super::thread::{CPU_PARTS, FileThread, PARTS, Samples as FileSamples, WeightType};
use super::{FORMAT, File, Meta};
use crate::importers::assembly::{AssembledThread, FileProcess, ProfileAssembly, Samples};
use crate::importers::dotnet::{UNKNOWN_FRAME, process_title, thread_title};
use crate::importers::frame_counts::FrameCounts;
use crate::importers::native::frame_name;
use crate::importers::tracks::NO_NAME;
use crate::input::json::ZERO_INSTANT;
use crate::model::{
    CountKind, FrameId, MarkerLog, Metric, MetricId, ProfileKind, RawNode, Recording, SampleKind,
    SampleLog, Source, TooLarge, WeightedSample, WithoutSamples,
};
use crate::names::FrameKind;
use crate::units::Unit;
use foldhash::fast::RandomState;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

/// The interval where a file has none, as in the Firefox Profiler.
const USUAL_INTERVAL_NS: u64 = 1_000_000;

/// The kinds of the log, after [`SampleLog::PAUSE`]: a sample that ran, one of which that is not known or that waited, time of
/// a sample that ran in which it waited, time on the processor beyond that of the sample, bytes, and the stack of a marker.
const RAN: u8 = 1;
const PASSED: u8 = 2;
const REST: u8 = 3;
const BEYOND: u8 = 4;
const BYTES: u8 = 5;
const MARKER: u8 = 6;

/// The metrics for which a file has values, and how they come from samples.
struct Metrics {
    list: Vec<Metric>,
    /// What each kind of the log gives.
    kinds: [SampleKind; 6],
    interval_ns: u64,
    /// The nanoseconds in one unit of CPU time, if the file has CPU times.
    cpu_unit_ns: Option<u64>,
}

impl Metrics {
    fn of(meta: &Meta, threads: &[FileThread]) -> Metrics {
        let has = |is: fn(&FileThread) -> bool| threads.iter().any(is);
        let has_cpu = has(|thread| !thread.samples.cpu.is_empty());
        let cpu_unit_ns = meta.cpu_unit_ns.filter(|_| has_cpu);
        let has_bytes = has(|thread| thread.samples.weight_type == WeightType::Bytes);
        let has_time = has(|thread| thread.samples.weight_type != WeightType::Bytes);
        let (mut list, counts) = (Vec::new(), Some(CountKind::Samples));
        let mut add = |is_there: bool, metric: Metric| {
            list.push(metric);
            let id = MetricId::at(list.len() - 1);
            if !is_there {
                list.pop();
            }
            is_there.then_some(id)
        };
        let name = if cpu_unit_ns.is_some() {
            "wall"
        } else {
            "time"
        };
        let time = add(has_time || !has_bytes, Metric::time(name, counts));
        let cpu = add(cpu_unit_ns.is_some(), Metric::time("CPU", counts));
        let bytes = add(has_bytes, Metric::new("bytes", Unit::Bytes, counts));
        let kind = |metrics: &[Option<MetricId>]| {
            let metrics: Vec<MetricId> = metrics.iter().copied().flatten().collect();
            SampleKind::of_values(&metrics)
        };
        let counted = |metrics| {
            let kind = kind(metrics);
            let counts = kind.values.iter().map(|(metric, _)| *metric).collect();
            SampleKind {
                counts,
                is_sample: true,
                ..kind
            }
        };
        let kinds = [
            counted(&[time, cpu]),
            counted(&[time]),
            kind(&[time]),
            kind(&[cpu]),
            counted(&[bytes]),
            SampleKind::default(),
        ];
        Metrics {
            list,
            kinds,
            interval_ns: Some(meta.interval_ns)
                .filter(|&ns| ns > 0)
                .unwrap_or(USUAL_INTERVAL_NS),
            cpu_unit_ns,
        }
    }

    /// The kinds and weights of a sample of a thread: one row of the log, or two.
    fn rows(&self, samples: &FileSamples, sample: usize) -> [Option<(u8, u64)>; 2] {
        let weight = samples.weights.get(sample).copied().unwrap_or(PARTS);
        let time_ns = match samples.weight_type {
            WeightType::Bytes => return [Some((BYTES, scaled(weight, 1, PARTS))), None],
            // a nanosecond is the finest part of a millisecond
            WeightType::Milliseconds => scaled(weight, 1, 1),
            WeightType::Samples => scaled(weight, self.interval_ns, PARTS),
        };
        // what ran until the next sample stands there
        let cpu = samples.cpu.get(sample + 1).copied().unwrap_or(0);
        let cpu_ns = scaled(u128::from(cpu), self.cpu_unit_ns.unwrap_or(0), CPU_PARTS);
        if cpu_ns == 0 {
            return [Some((PASSED, time_ns)), None];
        }
        let more = match cpu_ns.cmp(&time_ns) {
            Ordering::Less => Some((REST, time_ns - cpu_ns)),
            Ordering::Equal => None,
            Ordering::Greater => Some((BEYOND, cpu_ns - time_ns)),
        };
        [Some((RAN, cpu_ns.min(time_ns))), more]
    }
}

/// A product, divided; the largest number if it is too large.
fn scaled(value: u128, factor: u64, divisor: u128) -> u64 {
    let product = value.saturating_mul(u128::from(factor)) / divisor;
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// Where a stack ends in the tree, and how many frames it has, with and without names.
#[derive(Clone, Copy)]
struct StackEnd {
    node: RawNode,
    frames: FrameCounts,
}

/// The most bytes of names with their libraries, and of source locations: a short file can put one long name into many
/// libraries, and many functions into a file with a long name.
const MAX_NAMED_BYTES: usize = 256 << 20;

/// Grows the tree thread by thread.
struct Grower {
    grown: ProfileAssembly,
    metrics: Metrics,
    odd: Oddities,
    rows: Vec<WeightedSample>,
    /// By row of the function table, with whether it is only an address.
    frames: HashMap<u32, (FrameId, bool), RandomState>,
    /// The same by name and library, so that a long name of many functions is looked at once.
    names: HashMap<[TextRow; 2], (FrameId, bool), RandomState>,
    /// How many bytes names with their libraries and places have taken.
    named_bytes: usize,
    /// Whether these are rows of the tables of a single thread.
    has_own_tables: bool,
    /// By row of the stack table, of the thread that is being read.
    ends: HashMap<u32, StackEnd, RandomState>,
    /// Stacks whose places are being looked for.
    path: Rows,
    markers: (MarkerLog, MarkerCounts),
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
    file.odd.is_empty = !file.has_samples();
    file.threads.retain(FileThread::has_any);
    let metrics = Metrics::of(&file.meta, &file.threads);
    file.meta.facts.extend(file.about.facts());
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, file.meta.facts);
    let mut grower = Grower {
        grown: ProfileAssembly::new(source, "All threads", metrics.list.clone()),
        metrics,
        odd: file.odd,
        rows: Vec::new(),
        frames: HashMap::default(),
        names: HashMap::default(),
        has_own_tables: false,
        named_bytes: 0,
        ends: HashMap::default(),
        path: Rows::new(),
        markers: (file.markers, MarkerCounts::default()),
    };
    let lacks_times =
        |thread: &FileThread| thread.samples.times.is_empty() && !thread.samples.stacks.is_empty();
    let has_times = !file.threads.iter().any(lacks_times);
    let tops = grower.processes(&file.threads)?;
    for (thread, top) in file.threads.into_iter().zip(tops) {
        grower.add(thread, &file.shared, top)?;
    }
    let (mut grown, (markers, counts)) = (grower.grown, grower.markers);
    let mut log = SampleLog::new(grower.metrics.kinds).with_samples(Vec::new(), grower.rows);
    log.add_lanes(grown.threads.len());
    if let Some(start) = file.meta.start {
        log.set_zero_ns(start);
    }
    grown.markers = counts.finish(markers, log.zero_ns());
    let odd = notes::diagnostics(&grower.odd, broken_off);
    grown.diagnostics = file.about.kept.diagnostics().chain(odd).collect();
    let found = grown.truncated_in_threads(&log);
    let recording = grown.profile_of_samples(Samples {
        log,
        found,
        measure: Some(MetricId(0)),
        has_samples: true,
        if_any: None,
        otherwise: MetricId(0),
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
    fn processes(&mut self, threads: &[FileThread]) -> Result<Vec<RawNode>, TooLarge> {
        let pids: Vec<&str> = threads.iter().map(|thread| &*thread.pid).collect();
        self.grown.add_processes(&pids, |row| {
            let (pid, name) = (pids[row], threads[row].process_name.clone());
            let id = pid.parse().unwrap_or(0);
            (process_title(pid, &name), FileProcess { id, name })
        })
    }

    fn add(&mut self, thread: FileThread, shared: &Tables, above: RawNode) -> Result<(), TooLarge> {
        let FileThread { name, tid, .. } = &thread;
        // samply calls threads without a name so
        let is_number = *name == format!("Thread <{tid}>");
        let name = if is_number { "" } else { name };
        let title = match (&**tid, name) {
            ("", "") => "Thread".into(),
            ("", name) => name.to_string(),
            (id, name) => thread_title(id, name),
        };
        let frame = self.grown.frames.intern(FrameKind::Thread, &title, "");
        let node = self.grown.builder.add(above, frame)?;
        let lane = self.grown.threads.len();
        let (id, name) = (tid.clone(), name.to_string());
        self.grown.threads.push(AssembledThread { node, id, name });
        self.ends.clear();
        let own = &thread.tables;
        // rows of functions mean the same in another thread only where all have one table
        if self.has_own_tables || own.is_any() {
            self.frames.clear();
        }
        self.has_own_tables = own.is_any();
        let tables = StackTables { own, shared, lane };
        self.add_samples(&thread.samples, &tables, node, lane)?;
        // memory ends long before 32 bits do
        let narrow = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
        let (mut markers, mut counts) = std::mem::take(&mut self.markers);
        let place = |stack, time| {
            let end = self.end(&tables, stack, node)?;
            let row = WeightedSample::new(time, 0, end.node, lane, MARKER);
            self.rows.push(row);
            Ok(narrow(self.rows.len() - 1))
        };
        let both = (&mut markers, &mut counts);
        let columns = thread.markers;
        columns.finish(both, tables.strings(), narrow(lane), place)?;
        self.markers = (markers, counts);
        Ok(())
    }

    fn add_samples(
        &mut self,
        samples: &FileSamples,
        tables: &StackTables,
        top: RawNode,
        lane: usize,
    ) -> Result<(), TooLarge> {
        let last = samples.times.last().copied().unwrap_or(ZERO_INSTANT);
        if !samples.times.is_empty() {
            self.odd.timeless += samples.stacks.len().saturating_sub(samples.times.len()) as u64;
        }
        for (sample, &stack) in samples.stacks.iter().enumerate() {
            if stack == NONE && samples.weights.get(sample) == Some(&0) {
                // it only ends the one before it
                continue;
            }
            let end = match stack {
                NONE => None,
                stack => Some(self.end(tables, stack, top)?),
            };
            let end = end.unwrap_or(StackEnd::of(top));
            self.odd.unknown_stacks += u64::from(stack != NONE && end.node == top);
            self.odd.frames.add_all(end.frames);
            let time = samples.times.get(sample).copied().unwrap_or(last);
            let row = |(kind, weight)| WeightedSample::new(time, weight, end.node, lane, kind);
            let rows = self.metrics.rows(samples, sample);
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
        let (mut at, mut end) = (stack, StackEnd::of(top));
        if stack as usize >= tables.of(Column::Prefix).len() {
            return Ok(end);
        }
        self.path.clear();
        loop {
            if let Some(&known) = self.ends.get(&at) {
                end = known;
                break;
            }
            self.path.push(at);
            match tables.at(Column::Prefix, Some(at)) {
                // callers come before their callees, so there are no cycles
                Some(caller) if caller < at => at = caller,
                caller => {
                    self.odd.unknown_callers += u64::from(caller.is_some());
                    break;
                }
            }
        }
        while let Some(row) = self.path.pop() {
            let (frame, is_nameless) = self.frame(tables, row);
            end.node = self.grown.builder.merge(end.node, frame)?;
            end.frames.add(is_nameless);
            self.ends.insert(row, end);
        }
        Ok(end)
    }

    /// The frame at which a stack ends, and whether the file has only its address.
    fn frame(&mut self, tables: &StackTables, stack: u32) -> (FrameId, bool) {
        let frame = tables.at(Column::Frame, Some(stack));
        let func = tables.at(Column::Func, frame).unwrap_or(NONE);
        if let Some(&known) = self.frames.get(&func) {
            self.odd.unknown_frames += u64::from(tables.name(func).is_none());
            return known;
        }
        let named = self.named_frame(tables, func);
        let frames = &mut self.grown.frames;
        let (file, line) = tables.place(func);
        if frames.location(named.0).is_empty() && self.named_bytes <= MAX_NAMED_BYTES {
            self.named_bytes = self.named_bytes.saturating_add(file.len());
            frames.set_location(named.0, file, line);
        }
        self.odd.unknown_frames += u64::from(tables.name(func).is_none());
        self.frames.insert(func, named);
        named
    }

    /// The frame of a function's name and library, and whether the file has only its address.
    fn named_frame(&mut self, tables: &StackTables, func: u32) -> (FrameId, bool) {
        let frames = &mut self.grown.frames;
        let name = match tables.name(func) {
            Some("") | None => return (frames.intern(FrameKind::Special, NO_NAME, ""), false),
            Some(name) => name,
        };
        let (mut library, mut rows) = (tables.library(func), tables.name_and_library(func));
        if self.named_bytes > MAX_NAMED_BYTES {
            (library, rows[1]) = ("", TextRow::default());
        }
        if let Some(&known) = self.names.get(&rows) {
            return known;
        }
        let read = name.len().saturating_add(library.len());
        self.named_bytes = self.named_bytes.saturating_add(read);
        let (kind, text) = named(name, library);
        let found = (frames.intern(kind, &text, ""), is_address(name));
        self.names.insert(rows, found);
        found
    }
}

impl StackEnd {
    fn of(node: RawNode) -> StackEnd {
        let frames = FrameCounts::default();
        StackEnd { node, frames }
    }
}

/// The kind and the raw name of a function. One that is only an address has none; what stands in parentheses, as `(root)`, is no
/// function.
fn named<'a>(name: &'a str, library: &str) -> (FrameKind, Cow<'a, str>) {
    let is_special = name == UNKNOWN_FRAME || name.starts_with('(') && name.ends_with(')');
    match is_address(name) {
        _ if is_special && library.is_empty() => (FrameKind::Special, name.into()),
        true => frame_name("", library),
        false => frame_name(name, library),
    }
}

/// Whether a name is one that recorders give to code without a name.
fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A text in the tables of a thread, or in those of all; none by default.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct TextRow {
    thread: Option<usize>,
    row: Option<u32>,
}

/// The tables in which a thread's stacks are: each its own, else that of all threads.
struct StackTables<'a> {
    own: &'a Tables,
    shared: &'a Tables,
    /// The thread's row.
    lane: usize,
}

impl<'a> StackTables<'a> {
    fn strings(&self) -> &'a [Box<str>] {
        match self.own.strings.is_empty() {
            true => &self.shared.strings,
            false => &self.own.strings,
        }
    }

    fn of(&self, column: Column) -> &'a Rows {
        match self.own.column(column).is_empty() {
            true => self.shared.column(column),
            false => self.own.column(column),
        }
    }

    /// What a column has in a row.
    fn at(&self, column: Column, row: Option<u32>) -> Option<u32> {
        let value = self.of(column).get(row? as usize).copied();
        value.filter(|&value| value != NONE)
    }

    fn text(&self, row: Option<u32>) -> Option<&'a str> {
        self.strings().get(row? as usize).map(|text| &**text)
    }

    /// The name of a function.
    fn name(&self, func: u32) -> Option<&'a str> {
        self.text(self.at(Column::Name, Some(func)))
    }

    /// The row of the library in which a function is.
    fn library_row(&self, func: u32) -> Option<u32> {
        self.at(Column::Lib, self.at(Column::Resource, Some(func)))
    }

    /// Where the name of a function and its library stand.
    fn name_and_library(&self, func: u32) -> [TextRow; 2] {
        let text = |is_own: bool, row| TextRow {
            thread: is_own.then_some(self.lane),
            row,
        };
        [
            text(
                !self.own.strings.is_empty(),
                self.at(Column::Name, Some(func)),
            ),
            text(!self.own.libs.is_empty(), self.library_row(func)),
        ]
    }

    /// The library in which a function is, or the empty string.
    fn library(&self, func: u32) -> &'a str {
        let lib = self.library_row(func);
        let libs = match self.own.libs.is_empty() {
            true => &self.shared.libs,
            false => &self.own.libs,
        };
        let lib = lib.and_then(|lib| libs.get(lib as usize));
        lib.map_or("", |name| name)
    }

    /// The file and the line of a function: the empty string and 0 where they are not known.
    fn place(&self, func: u32) -> (&'a str, u64) {
        let source = self.at(Column::Source, Some(func));
        let file = self.at(Column::FileName, Some(func));
        let file = self.text(file.or_else(|| self.at(Column::SourceFile, source)));
        let line = self.at(Column::Line, Some(func));
        (file.unwrap_or(""), line.map_or(0, u64::from))
    }
}
