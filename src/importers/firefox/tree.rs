//! Processes if there are several, threads, stacks.

use super::FORMAT;
use super::file::{File, FileThread, NO_TIME, NONE, Table, duration};
use crate::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use crate::importers::anomalies::Anomalies;
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{UNKNOWN_FRAME, process_title, thread_title};
use crate::importers::embedded_notes::{EmbeddedNotes, OWN_EXPORTER};
use crate::importers::frame_counts::FrameCounts;
use crate::importers::native::frame_name;
use crate::importers::stream::narrow;
use crate::importers::tracks::NO_NAME;
use crate::input::json::ZERO_INSTANT;
use crate::model::{
    CountKind, EventCount, FrameId, MarkerKind, MarkerLog, Metric, MetricId, ProfileKind, RawNode,
    RecordedProcess, Recording, SampleKind, SampleLog, Source, TooLarge, WeightedSample,
};
use crate::names::FrameKind;
use crate::units::Unit;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::collections::HashMap;

const NS_PER_MS: u64 = 1_000_000;
const PARTS: i128 = 1_000_000;
/// Of all names and source locations: a small file can combine long ones many times.
const MAX_NAMED_BYTES: usize = 256 << 20;
const IS_START: u32 = 2;
const IS_END: u32 = 3;
const COLLECTIONS: [&str; 2] = ["GCMajor", "GCMinor"];
const MAX_NAME: usize = 200;

/// Kinds in the log: a sample that ran, one that waited or is unknown, bytes, the wait of a running sample, CPU time
/// beyond the sample's duration, and the stack of a marker.
const RAN: u8 = 1;
const PASSED: u8 = 2;
const BYTES: u8 = 3;
const REST: u8 = 4;
const BEYOND: u8 = 5;
const MARKER: u8 = 6;

/// The metrics, and what each kind of the log contributes to. `CPU` comes first, unless Firefox made the recording.
fn metrics(
    has_cpu: bool,
    has_bytes: bool,
    has_time: bool,
    is_firefox: bool,
) -> (Vec<Metric>, [SampleKind; 6]) {
    let (mut list, counts) = (Vec::new(), Some(CountKind::Samples));
    let mut add = |is_present: bool, metric: Metric| {
        list.extend(is_present.then_some(metric));
        is_present.then(|| MetricId::at(list.len() - 1))
    };
    let name = if has_cpu { "wall" } else { "time" };
    let mut cpu = add(has_cpu && !is_firefox, Metric::time("CPU", counts));
    let time = add(has_time || !has_bytes, Metric::time(name, counts));
    cpu = cpu.or_else(|| add(has_cpu && is_firefox, Metric::time("CPU", counts)));
    let bytes = add(has_bytes, Metric::new("bytes", Unit::Bytes, counts));
    let all = |metrics: [Option<MetricId>; 2]| metrics.into_iter().flatten().collect::<Vec<_>>();
    let sample = |metrics| SampleKind::of_samples(&all(metrics));
    let part = |metric| SampleKind::of_values(&all([metric, None]));
    let [ran, passed, of_bytes] = [[time, cpu], [time, None], [bytes, None]].map(sample);
    let kinds = [ran, passed, of_bytes, part(time), part(cpu), part(None)];
    (list, kinds)
}

type StackEnd = (RawNode, FrameCounts);

#[derive(Default)]
struct StackTreeBuilder {
    assembly: ProfileAssembly,
    interval_ns: u64,
    /// 0 if unknown.
    cpu_unit_ns: u64,
    anomalies: Anomalies,
    frame_counts: FrameCounts,
    rows: Vec<WeightedSample>,
    /// By the memory addresses of name and library; `true` if the name is only an address.
    frames: HashMap<[usize; 2], (FrameId, bool), RandomState>,
    named_bytes: usize,
    ends: HashMap<u32, StackEnd, RandomState>,
    counts: IndexMap<(String, bool), u64, RandomState>,
}

pub(super) fn recording(
    (mut file, threads): (File, Vec<FileThread>),
    name: String,
    incomplete_at: Option<u64>,
) -> Result<Recording, TooLarge> {
    let has = |is: fn(&Table) -> bool| threads.iter().any(|thread| is(&thread.samples));
    let unit = file.meta.sample_units.get("threadCPUDelta");
    let cpu_unit_ns = match unit.map_or("", |unit| unit) {
        _ if !has(|samples| !samples.cpu.is_empty()) => 0,
        "ns" => 1,
        "µs" => 1_000,
        _ => 0,
    };
    let is_empty = !has(|samples| !samples.stack.is_empty());
    let has_bytes = has(|samples| samples.weight_type == "bytes");
    let has_time = has(|samples| samples.weight_type != "bytes");
    // the profiler can look up only Firefox's own sources
    let is_firefox = !file.meta.source_code_is_not_on_searchfox;
    let has_times = !has(|samples| samples.time.is_empty() && !samples.stack.is_empty());
    let (list, kinds) = metrics(cpu_unit_ns > 0, has_bytes, has_time, is_firefox);
    let source = Source::read_here(name, FORMAT.name, ProfileKind::Sampling, file.facts());
    let interval = file.meta.interval.map(duration).filter(|&ns| ns > 0);
    let mut tree_builder = StackTreeBuilder {
        assembly: ProfileAssembly::new(source, "All threads", list),
        interval_ns: interval.unwrap_or(NS_PER_MS),
        cpu_unit_ns,
        ..StackTreeBuilder::default()
    };
    // newer versions share them among all threads
    file.shared.libs.append(&mut file.libs);
    let pids: Vec<&str> = threads.iter().map(|thread| &*thread.pid).collect();
    let tops = tree_builder.assembly.add_processes(&pids, |row| {
        let (pid, name) = (pids[row], threads[row].process_name.clone());
        let id = pid.parse().unwrap_or(0);
        (process_title(pid, &name), RecordedProcess { id, name })
    })?;
    for (thread, above) in threads.into_iter().zip(tops) {
        tree_builder.add([&thread, &file.shared], above)?;
    }
    // other writers may use these names for something else
    let is_own = file.exporter.starts_with(OWN_EXPORTER);
    let (warnings, notes) = (file.warnings, file.notes);
    let embedded = EmbeddedNotes { warnings, notes }.diagnostics();
    let anomalies = tree_builder.diagnostics(is_empty, incomplete_at);
    tree_builder.assembly.diagnostics = embedded.filter(|_| is_own).chain(anomalies).collect();
    let mut log = SampleLog::new(kinds);
    if let Some(start) = file.meta.profiling_start_time {
        log.set_zero_ns(start);
    }
    tree_builder.finish(log, has_times)
}

impl StackTreeBuilder {
    fn add(&mut self, tables: [&FileThread; 2], above: RawNode) -> Result<(), TooLarge> {
        let own = tables[0];
        let is_number = own.name == format!("Thread <{}>", own.tid);
        let name = if is_number { "" } else { &own.name };
        let title = match (&*own.tid, name) {
            ("", "") => "Thread".into(),
            ("", name) => name.to_string(),
            (id, name) => thread_title(id, name),
        };
        let lane = self.assembly.threads.len();
        let (id, name) = (own.tid.clone(), name.into());
        let top = self.assembly.add_thread(above, &title, id, name)?;
        self.ends.clear();
        // those of other threads have been freed
        if !own.string_array.is_empty() {
            self.frames.clear();
        }
        let tables = StackTables { tables, top, lane };
        self.add_samples(&tables)?;
        self.add_markers(&tables)
    }

    /// A sample's kinds and weights; the last two count only if above 0.
    fn weighted(&self, samples: &Table, sample: usize) -> [(u8, u64); 3] {
        let scaled = |parts: i128, factor: u64| {
            let product = parts.max(0).saturating_mul(factor.into()) / PARTS;
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        let (kind, factor, cpu_factor) = match &*samples.weight_type {
            "bytes" => (BYTES, 1, 0),
            "tracing-ms" => (PASSED, NS_PER_MS, self.cpu_unit_ns),
            _ => (PASSED, self.interval_ns, self.cpu_unit_ns),
        };
        let value = scaled(weight_of(samples, sample), factor);
        // the CPU time up to a sample is stored with the next one
        let cpu = samples.cpu.get(sample + 1).map_or(0, |&cpu| duration(cpu));
        let cpu_ns = scaled(cpu.into(), cpu_factor);
        let (kind, own) = match cpu_ns {
            0 => (kind, value),
            _ => (RAN, cpu_ns.min(value)),
        };
        let beyond = cpu_ns.saturating_sub(own);
        [(kind, own), (REST, value - own), (BEYOND, beyond)]
    }

    fn add_samples(&mut self, tables: &StackTables) -> Result<(), TooLarge> {
        let samples = &tables.tables[0].samples;
        let last = samples.time.last().copied().unwrap_or(ZERO_INSTANT);
        for (sample, &stack) in samples.stack.iter().enumerate() {
            let weight = weight_of(samples, sample);
            if stack == NONE && weight == 0 {
                // it only ends its predecessor
                continue;
            }
            let (node, frames) = self.end(tables, stack)?;
            let time = time_at(&samples.time, sample);
            self.frame_counts.add_all(frames);
            let anomalies = &mut self.anomalies;
            let is_unknown = stack != NONE && node == tables.top;
            anomalies.note(partly::SAMPLES_OF_UNKNOWN_STACKS, is_unknown);
            let is_timeless = time.is_none() && !samples.time.is_empty();
            anomalies.note(partly::SAMPLES_WITHOUT_TIME, is_timeless);
            let is_clamped = time.is_some_and(|at| at == 0 || at == NO_TIME - 1);
            anomalies.note(Anomaly::ValuesClamped, is_clamped);
            anomalies.note(Anomaly::ValuesNegative, weight < 0);
            let (time, lane) = (time.unwrap_or(last), tables.lane);
            let rows = self.weighted(samples, sample).into_iter();
            let rows = rows.filter(|&(kind, weight)| weight > 0 || kind < REST);
            let row = |(kind, weight)| WeightedSample::new(time, weight, node, lane, kind);
            self.rows.extend(rows.map(row));
        }
        Ok(())
    }

    fn add_markers(&mut self, tables: &StackTables) -> Result<(), TooLarge> {
        let markers = &tables.tables[0].markers;
        let collection = (MarkerKind::Collection, NONE, Vec::new());
        // before version 29, there is no second column
        let starts = [&markers.start_time, &markers.time];
        for (row, &name) in markers.name.iter().enumerate() {
            let name = tables.string(Some(name)).unwrap_or("");
            let written = markers.data.get(row).and_then(|data| data.0.as_deref());
            let is_collection = COLLECTIONS.contains(&name).then_some(&collection);
            let phase = markers.phase.get(row).copied();
            let time = starts.into_iter().find_map(|starts| time_at(starts, row));
            let time = time.filter(|_| phase != Some(IS_END));
            let found = written.or(is_collection).zip(time);
            let counted: String = name.chars().take(MAX_NAME).collect();
            *self.counts.entry((counted, found.is_some())).or_default() += 1;
            let Some(((kind, stack, fields), time)) = found else {
                continue;
            };
            let end = time_at(&markers.end_time, row).filter(|_| phase != Some(IS_START));
            let end = end.map_or(MarkerLog::OPEN, |end| end.max(time));
            let end = if kind.has_duration() { end } else { time };
            let log = &mut self.assembly.markers;
            let mut values = [MarkerLog::MISSING; MarkerLog::MAX_FIELDS];
            for (field, text) in fields {
                values[*field] = log.parse_value(*kind, *field, text);
            }
            let logged = log.push(*kind, (time, end), narrow(tables.lane), &values);
            if *stack != NONE {
                let (node, _) = self.end(tables, *stack)?;
                self.assembly.markers.rows[logged as usize].stack = narrow(self.rows.len());
                let row = WeightedSample::new(time, 0, node, tables.lane, MARKER);
                self.rows.push(row);
            }
        }
        Ok(())
    }

    /// Below a thread; the thread itself if the stack is missing.
    fn end(&mut self, tables: &StackTables, stack: u32) -> Result<StackEnd, TooLarge> {
        let (mut path, mut end) = (Vec::new(), (tables.top, FrameCounts::default()));
        let prefixes = tables.pick(|thread| &thread.stack_table.prefix);
        let mut at = Some(stack).filter(|&stack| (stack as usize) < prefixes.len());
        while let Some(row) = at {
            if let Some(&known) = self.ends.get(&row) {
                end = known;
                break;
            }
            path.push(row);
            let caller = Some(prefixes[row as usize]).filter(|&caller| caller != NONE);
            // callers come before callees, so there are no cycles
            at = caller.filter(|&caller| caller < row);
            self.anomalies
                .note(partly::STACKS_OF_UNKNOWN_CALLERS, caller != at);
        }
        while let Some(row) = path.pop() {
            let (frame, is_address) = self.frame(tables, row);
            end.0 = self.assembly.builder.merge(end.0, frame)?;
            end.1.add(is_address);
            self.ends.insert(row, end);
        }
        Ok(end)
    }

    /// The innermost frame, and whether the file has only its address.
    fn frame(&mut self, tables: &StackTables, stack: u32) -> (FrameId, bool) {
        let frame = tables.at(|thread| &thread.stack_table.frame, Some(stack));
        let func = tables.at(|thread| &thread.frame_table.func, frame);
        let name = tables.string(tables.at(|thread| &thread.func_table.name, func));
        self.anomalies
            .note(partly::STACKS_OF_UNKNOWN_FRAMES, name.is_none());
        let is_over_limit = self.named_bytes > MAX_NAMED_BYTES;
        let lib = tables.library(func).filter(|_| !is_over_limit);
        let (name, lib) = (name.unwrap_or(""), lib.unwrap_or(""));
        let key = [name, lib].map(|text| text.as_ptr().addr());
        let known = self.frames.get(&key).copied();
        let (frame, is_address) = known.unwrap_or_else(|| self.named_frame(key, name, lib));
        let frames = &mut self.assembly.frames;
        // the first source location wins
        if frames.location(frame).is_empty() && !is_over_limit {
            let source = tables.at(|thread| &thread.func_table.source, func);
            let file = tables.at(|thread| &thread.func_table.file_name, func);
            let file = file.or_else(|| tables.at(|thread| &thread.sources.filename, source));
            let file = tables.string(file).unwrap_or("");
            let line = tables.at(|thread| &thread.func_table.line_number, func);
            self.named_bytes = self.named_bytes.saturating_add(file.len());
            frames.set_location(frame, file, line.map_or(0, u64::from));
        }
        (frame, is_address)
    }

    /// The frame, and whether its name is only an address. `(root)` and the like are not functions.
    fn named_frame(&mut self, key: [usize; 2], name: &str, lib: &str) -> (FrameId, bool) {
        self.named_bytes = self.named_bytes.saturating_add(name.len() + lib.len());
        let is_special = name == UNKNOWN_FRAME || name.starts_with('(') && name.ends_with(')');
        let is_address = is_address(name);
        let (kind, name) = match name {
            "" => (FrameKind::Special, NO_NAME.into()),
            name if is_special && lib.is_empty() => (FrameKind::Special, name.into()),
            _ if is_address => frame_name("", lib),
            name => frame_name(name, lib),
        };
        let named = (self.assembly.frames.intern(kind, &name, ""), is_address);
        self.frames.insert(key, named);
        named
    }

    fn diagnostics(&mut self, is_empty: bool, incomplete_at: Option<u64>) -> Vec<Diagnostic> {
        let first = [
            incomplete_at.map(Diagnostic::file_ends_at),
            is_empty.then_some(Diagnostic::NoFirefoxSamples {}),
            self.frame_counts.diagnostic(NamelessCause::NotSymbolicated),
        ];
        let anomalies = std::mem::take(&mut self.anomalies).diagnostics();
        first.into_iter().flatten().chain(anomalies).collect()
    }

    fn finish(mut self, log: SampleLog, has_times: bool) -> Result<Recording, TooLarge> {
        let mut log = log.with_samples(Vec::new(), self.rows);
        log.add_lanes(self.assembly.threads.len());
        let zero = log.zero_ns();
        let markers = &mut self.assembly.markers;
        markers.set_times(|time| time.saturating_sub(zero));
        let event = |((name, is_read), count)| EventCount {
            provider: "markers".into(),
            name,
            count,
            is_read,
            ..EventCount::default()
        };
        markers.events = self.counts.into_iter().map(event).collect();
        self.assembly.profile_of_log(log, MetricId(0), has_times)
    }
}

fn weight_of(samples: &Table, sample: usize) -> i128 {
    samples.weight.get(sample).copied().unwrap_or(PARTS)
}

fn time_at(times: &[u64], row: usize) -> Option<u64> {
    times.get(row).copied().filter(|&time| time != NO_TIME)
}

/// Recorders use such names for code without one.
fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

struct StackTables<'a> {
    tables: [&'a FileThread; 2],
    top: RawNode,
    lane: usize,
}

impl<'a> StackTables<'a> {
    fn pick<T>(&self, column: impl Fn(&'a FileThread) -> &'a Vec<T>) -> &'a [T] {
        let [own, shared] = self.tables.map(column);
        if own.is_empty() { shared } else { own }
    }

    fn at(&self, column: impl Fn(&'a FileThread) -> &'a Vec<u32>, row: Option<u32>) -> Option<u32> {
        let value = self.pick(column).get(row? as usize).copied();
        value.filter(|&value| value != NONE)
    }

    fn string(&self, row: Option<u32>) -> Option<&'a str> {
        let strings = self.pick(|thread| &thread.string_array);
        strings.get(row? as usize).map(|text| &**text)
    }

    fn library(&self, func: Option<u32>) -> Option<&'a str> {
        let resource = self.at(|thread| &thread.func_table.resource, func);
        let row = self.at(|thread| &thread.resource_table.lib, resource)?;
        let libs = self.pick(|thread| &thread.libs);
        libs.get(row as usize).map(|lib| &*lib.name)
    }
}
