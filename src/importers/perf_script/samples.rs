//! Processes (if there are several), threads, stacks.

use super::super::Format;
use super::frame::{FrameLine, source, split_address};
use super::header::SampleHeader;
use super::images::is_image;
use super::maps::Maps;
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{is_nameless, process_title, thread_title};
use crate::importers::frame_counts::FrameCounts;
use crate::importers::messages;
use crate::importers::native::{frame_name, is_not_module, map_pid};
use crate::input::error::too_large;
use crate::input::{Failure, ImportError};
use crate::model::{
    CountKind, FrameId, Frames, Metric, MetricId, ProfileKind, RawNode, RecordedProcess, Recording,
    SampleKind, SampleLog, Source, Thread, TooLarge, TreeBuilder, WeightedSample,
};
use crate::names::FrameKind;
use crate::units::{Unit, thousands};
use std::borrow::Cow;
use std::collections::HashMap;

/// How many events become metrics; recordings usually have a few.
const MAX_EVENTS: usize = 32;
const ROOT: &str = "All threads";
const CLOCKS: [&str; 2] = ["cpu-clock", "task-clock"];
/// These best show where time goes, best first.
const FIRST_CHOICES: [&str; 4] = ["cpu-clock", "task-clock", "cycles", "cpu-cycles"];

pub(in crate::importers) struct Sample {
    thread: usize,
    event: Option<usize>,
    period: Option<u64>,
    time_ns: Option<u64>,
    stack: Vec<FrameId>,
    has_addresses: bool,
    indent: usize,
}

struct PerfThread {
    pid: Option<u32>,
    tid: u32,
    comm: String,
    node: RawNode,
    last: Vec<(FrameId, RawNode)>,
}

#[derive(Default)]
struct PerfEvent {
    name: String,
    samples: u64,
    periods: u64,
}

impl PerfEvent {
    /// `cycles` of `cycles:u`.
    fn base(&self) -> &str {
        self.name.split(':').next().unwrap_or("")
    }

    fn has_periods(&self) -> bool {
        self.periods > 0
    }

    fn is_clock(&self) -> bool {
        self.has_periods() && CLOCKS.contains(&self.base())
    }

    fn metric(&self, is_only: bool) -> Metric {
        let unit = match self.is_clock() {
            true => Unit::Milliseconds,
            false => Unit::Count,
        };
        match (self.has_periods(), self.name.as_str()) {
            (true, "") => Metric::new("periods", unit, Some(CountKind::Samples)),
            (true, name) => Metric::new(name, unit, Some(CountKind::Samples)),
            (false, name) if is_only || name.is_empty() => Metric::new("samples", unit, None),
            (false, name) => Metric::new(format!("samples of {name}"), unit, None),
        }
    }
}

/// Threads get into the tree only at the end, once it is known whether there are several processes.
#[derive(Default)]
pub(in crate::importers) struct PerfSamples {
    frames: Frames,
    /// Without values; the frames of threads are set at the end.
    nodes: TreeBuilder,
    /// By symbol and file, to build each name only once.
    by_name: HashMap<Box<[u8]>, FrameId, foldhash::fast::RandomState>,
    threads: Vec<PerfThread>,
    by_id: HashMap<(Option<u32>, u32), usize, foldhash::fast::RandomState>,
    events: Vec<PerfEvent>,
    /// In file order; `node` is one of `nodes`, `kind` the number of one of `events`, from 1.
    rows: Vec<WeightedSample>,
    timeless: u64,
    key: Vec<u8>,
    spare: Vec<FrameId>,
    root: FrameId,
    without_stack: u64,
    left_out: u64,
    pub frame_counts: FrameCounts,
}

impl PerfSamples {
    pub(in crate::importers) fn new() -> PerfSamples {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, ROOT, "");
        PerfSamples {
            frames,
            nodes: TreeBuilder::new(root, &[]),
            root,
            ..PerfSamples::default()
        }
    }

    pub(in crate::importers) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(in crate::importers) fn begin(
        &mut self,
        header: &SampleHeader,
    ) -> Result<Sample, TooLarge> {
        let id = (header.pid, header.tid);
        let thread = match self.by_id.get(&id) {
            Some(&thread) => thread,
            None => {
                let node = self.nodes.add(TreeBuilder::ROOT, self.root)?;
                self.threads.push(PerfThread {
                    pid: header.pid,
                    tid: header.tid,
                    comm: String::new(),
                    node,
                    last: Vec::new(),
                });
                self.by_id.insert(id, self.threads.len() - 1);
                self.threads.len() - 1
            }
        };
        // a thread starts with the name of its parent
        if self.threads[thread].comm != header.comm {
            self.threads[thread].comm = header.comm.to_string();
        }
        let mut events = self.events.iter();
        let mut event = events.position(|event| event.name == header.event);
        if event.is_none() && self.events.len() < MAX_EVENTS {
            event = Some(self.events.len());
            self.events.push(PerfEvent {
                name: header.event.to_string(),
                ..PerfEvent::default()
            });
        }
        Ok(Sample {
            thread,
            event,
            period: header.period,
            time_ns: header.time_ns,
            stack: std::mem::take(&mut self.spare),
            has_addresses: false,
            indent: usize::MAX,
        })
    }

    pub(super) fn push_frame(
        &mut self,
        sample: &mut Sample,
        line: &[u8],
        maps: &mut Maps,
    ) -> Result<(), ImportError> {
        let (address, text) = split_address(line);
        let utf8 = String::from_utf8_lossy(text);
        let indent = line.len() - line.trim_ascii_start().len();
        if address.is_none() && (sample.has_addresses || indent > sample.indent) {
            if let (Some((file, line)), Some(&frame)) = (source(&utf8), sample.stack.last()) {
                self.frames.set_location(frame, file, line);
            }
            return Ok(());
        }
        sample.has_addresses |= address.is_some();
        sample.indent = sample.indent.min(indent);
        let line = FrameLine::parse(address, &utf8);
        let address = address.filter(|_| line.is_unnamed());
        let by_map = address.map(|address| self.named_by_map(sample.thread, &line, address, maps));
        let frame = match by_map.transpose()?.flatten() {
            Some((kind, name)) => self.frames.intern(kind, &name, ""),
            None => self.intern_with([line.symbol, line.dso], || line.name()),
        };
        self.push(sample, frame);
        Ok(())
    }

    /// The symbol is empty if unknown. `demangle` is called once.
    pub(in crate::importers) fn frame(
        &mut self,
        symbol: &str,
        file: &str,
        demangle: impl FnOnce(&str) -> String,
    ) -> FrameId {
        self.intern_with([symbol, file], || {
            let symbol = demangle(symbol);
            let (kind, name) = frame_name(&symbol, file);
            (kind, name.into_owned().into())
        })
    }

    /// `named` provides kind and name the first time.
    fn intern_with<'n>(
        &mut self,
        parts: [&str; 2],
        named: impl FnOnce() -> (FrameKind, Cow<'n, str>),
    ) -> FrameId {
        self.key.clear();
        for part in [parts[0], "\0", parts[1]] {
            self.key.extend_from_slice(part.as_bytes());
        }
        if let Some(&known) = self.by_name.get(self.key.as_slice()) {
            return known;
        }
        let (kind, name) = named();
        let frame = self.frames.intern(kind, &name, "");
        self.by_name.insert(self.key.as_slice().into(), frame);
        frame
    }

    pub(in crate::importers) fn push(&mut self, sample: &mut Sample, frame: FrameId) -> bool {
        let is_nameless = is_nameless(self.frames.name(frame));
        self.frame_counts.add(is_nameless);
        sample.stack.push(frame);
        !is_nameless
    }

    fn named_by_map<'m>(
        &self,
        thread: usize,
        line: &FrameLine,
        address: u64,
        maps: &'m mut Maps,
    ) -> Result<Option<(FrameKind, Cow<'m, str>)>, ImportError> {
        let pid = self.threads[thread].pid.or(map_pid(line.dso));
        if is_not_module(line.dso) {
            let name = maps.name(pid, address)?;
            return Ok(name.map(|name| FrameLine::parse(None, name).name()));
        }
        if !is_image(line.dso) {
            return Ok(None);
        }
        let name = maps.images.name(pid, line.dso, address)?;
        Ok(name.map(|name| frame_name(name, line.dso)))
    }

    pub(in crate::importers) fn add(&mut self, mut sample: Sample) -> Result<(), TooLarge> {
        let Some(event) = sample.event else {
            self.left_out += 1;
            self.spare = sample.stack;
            return Ok(());
        };
        self.without_stack += u64::from(sample.stack.is_empty());
        let node = self.node(sample.thread, &sample.stack)?;
        self.events[event].samples += 1;
        self.events[event].periods += u64::from(sample.period.is_some());
        self.timeless += u64::from(sample.time_ns.is_none());
        let (time_ns, weight) = (sample.time_ns.unwrap_or(0), sample.period.unwrap_or(1));
        // kinds start at 1, and the number of events fits into a byte
        let (lane, kind) = (sample.thread, event as u8 + 1);
        self.rows
            .push(WeightedSample::new(time_ns, weight, node, lane, kind));
        sample.stack.clear();
        self.spare = sample.stack;
        Ok(())
    }

    /// Most stacks share their outer frames with the thread's previous one.
    fn node(&mut self, thread: usize, stack: &[FrameId]) -> Result<RawNode, TooLarge> {
        let PerfThread { node, last, .. } = &mut self.threads[thread];
        let outermost_first = stack.iter().rev();
        let pairs = last.iter().zip(outermost_first.clone());
        let shared = pairs.take_while(|((known, _), frame)| known == *frame);
        let shared = shared.count();
        last.truncate(shared);
        let mut node = last.last().map_or(*node, |&(_, node)| node);
        for &frame in outermost_first.skip(shared) {
            node = self.nodes.merge(node, frame)?;
            last.push((frame, node));
        }
        Ok(node)
    }

    pub(in crate::importers) fn diagnostics(&self) -> Vec<Diagnostic> {
        let left_out = Diagnostic::EventsLeftOut {
            samples: self.left_out,
            most_events: MAX_EVENTS,
        };
        let mut threads = self.threads.iter();
        let has_idle_loop = threads.any(|thread| thread.tid == 0 && thread.comm == "swapper");
        let first = [
            (self.left_out > 0).then_some(left_out),
            Anomaly::PerfSamplesWithoutStack.times(self.without_stack),
            has_idle_loop.then_some(Diagnostic::KernelIdleLoop {}),
        ];
        let with_gaps = self.events.iter();
        let with_gaps =
            with_gaps.filter(|event| event.has_periods() && event.periods < event.samples);
        let missing = with_gaps.map(|event| Diagnostic::PeriodsMissing {
            samples: event.samples - event.periods,
            event: event.name.clone(),
        });
        first.into_iter().flatten().chain(missing).collect()
    }

    fn meaning(&self) -> String {
        let describe = |event: &PerfEvent| {
            let metric = event.metric(self.events.len() == 1);
            let what = match (event.is_clock(), event.has_periods()) {
                (true, _) => messages::TIME_OF_PERIODS,
                (_, true) => messages::EVENTS_OF_PERIODS,
                _ => messages::SAMPLES_WITHOUT_PERIODS,
            };
            format!("{} ({}): {what}", metric.name, thousands(event.samples))
        };
        let texts: Vec<String> = self.events.iter().map(describe).collect();
        texts.join("; ")
    }

    /// Fails with `problem` and `advice` if there are no samples.
    pub(in crate::importers) fn finish(
        self,
        (name, format, maps): (&str, &Format, &Maps),
        mut facts: Vec<(&'static str, String)>,
        diagnostics: Vec<Diagnostic>,
        (problem, advice): (&str, &str),
    ) -> Result<Recording, ImportError> {
        if self.events.is_empty() {
            let failure = Failure::new(name, format.title, problem);
            return Err(failure.advice(advice).into());
        }
        facts.push(("metrics", self.meaning()));
        facts.extend(maps.description().map(|text| ("perf map", text)));
        let source = Source::read_here(name.into(), format.name, ProfileKind::Sampling, facts);
        let recording = self.profile(source, diagnostics);
        recording.map_err(|TooLarge| too_large(name, format.title).into())
    }

    fn profile(
        mut self,
        source: Source,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<Recording, TooLarge> {
        let is_only = self.events.len() == 1;
        let metrics = self.events.iter().map(|event| event.metric(is_only));
        let metrics: Vec<Metric> = metrics.collect();
        let default_metric = MetricId::at(first_choice(&self.events));
        let frames = std::mem::take(&mut self.frames);
        let mut assembly = ProfileAssembly::with_frames(frames, source, ROOT, metrics);
        assembly.diagnostics = diagnostics;
        let mut rows = std::mem::take(&mut self.rows);
        let timeless = self.timeless;
        let raw = self.build_tree(&mut assembly)?;
        drop(self);
        for row in &mut rows {
            row.node = raw[row.node.0 as usize];
        }
        let kinds = (0..assembly.metrics.len()).map(MetricId::at);
        let kinds = kinds.map(|metric| SampleKind::of_samples(&[metric]));
        let mut log = SampleLog::new(kinds).with_samples(Vec::new(), rows);
        log.add_lanes(assembly.threads.len());
        assembly.profile_of_log(log, default_metric, timeless == 0)
    }

    fn build_tree(&self, assembly: &mut ProfileAssembly) -> Result<Vec<RawNode>, TooLarge> {
        let threads = &self.threads;
        // processes are shown if every thread names its own
        let pids: Option<Vec<u32>> = threads.iter().map(|thread| thread.pid).collect();
        let pids = pids.unwrap_or_default();
        let tops = assembly.add_processes(&pids, |row| {
            let pid = pids[row];
            // the main thread has the id and name of the process
            let main = self.by_id.get(&(Some(pid), pid)).copied();
            let name = threads[main.unwrap_or(row)].comm.clone();
            let (title, id) = (process_title(shown_id(pid), &name), u64::from(pid));
            (title, RecordedProcess { id, name })
        })?;
        assembly.builder.reserve(self.nodes.len());
        let nodes = threads.iter().map(|thread| thread.node);
        let above: HashMap<RawNode, RawNode> = nodes.zip(tops).collect();
        let mut raw = Vec::with_capacity(self.nodes.len());
        raw.push(TreeBuilder::ROOT);
        for (node, caller, frame) in self.nodes.nodes() {
            let caller = match caller {
                TreeBuilder::ROOT => above.get(&node).copied().unwrap_or(TreeBuilder::ROOT),
                caller => raw[caller.0 as usize],
            };
            raw.push(assembly.builder.add(caller, frame)?);
        }
        for thread in &self.threads {
            let node = raw[thread.node.0 as usize];
            let title = thread_title(&shown_id(thread.tid), &thread.comm);
            let frame = assembly.frames.intern(FrameKind::Thread, &title, "");
            assembly.builder.set_frame(node, frame);
            assembly.threads.push(Thread {
                node,
                id: thread.tid.to_string(),
                name: thread.comm.clone(),
            });
        }
        Ok(raw)
    }
}

fn first_choice(events: &[PerfEvent]) -> usize {
    let named = |name: &&str| events.iter().position(|event| event.base() == *name);
    let first = FIRST_CHOICES.iter().find_map(named);
    let most = || {
        (0..events.len())
            .rev()
            .max_by_key(|&row| events[row].samples)
    };
    first.or_else(most).unwrap_or(0)
}

/// perf writes -1 for none.
fn shown_id(id: u32) -> String {
    match id {
        u32::MAX => "-1".into(),
        id => id.to_string(),
    }
}
