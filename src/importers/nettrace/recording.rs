//! The state of a recording while a framing reader feeds it events. Thread times and the tree are computed from it.

use super::framing::EventHeader;
use super::losses::Losses;
use super::metadata::{EventKind, Metadata};
use super::spaces::Spaces;
use super::stacks::{StackId, Stacks};
use super::threads::TracedThreads;
use crate::importers::clock::Clock;
use crate::importers::messages;
use crate::importers::runtime::{
    CodeEvent, EventOrigin, Lifecycle, MarkerEvent, RuntimeEvent, RuntimeMarkers,
};
use crate::importers::stream::{DamagedBlocks, narrow};
use crate::input::cursor::Cursor;
use crate::model::sampling_error::is_thin;
use crate::model::{IntervalSample, MarkerKind, RawNode, SampleLog};

/// In a sample's payload.
const MANAGED: u32 = 2;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TraceHeader {
    /// In UTC as the file has it, perhaps nonsense.
    pub started: String,
    pub start_ticks: u64,
    /// At least 1.
    pub ticks_per_second: u64,
    pub pointer_bytes: usize,
    pub process_id: Option<u64>,
    pub processors: Option<u64>,
    /// Of a CPU sample; the runtime's sampler has a different interval.
    pub sample_nanoseconds: Option<u64>,
}

impl TraceHeader {
    pub(super) fn parse(content: &[u8], has_pairs: bool) -> Result<TraceHeader, String> {
        let mut cursor = Cursor::new(content);
        let mut header = TraceHeader::parse_start(&mut cursor)?;
        if !has_pairs {
            let mut u32 = || cursor.u32().map(u64::from);
            (header.process_id, header.processors) = (u32(), u32());
            return Ok(header);
        }
        for _ in 0..cursor.u32().unwrap_or(0) {
            let (Some(key), Some(value)) = (cursor.utf8_varuint(), cursor.utf8_varuint()) else {
                break;
            };
            let number = value.parse().ok().filter(|&number| number > 0);
            match key.as_ref() {
                "ProcessId" => header.process_id = number,
                "HardwareThreadCount" => header.processors = number,
                "ExpectedCPUSamplingRate" => header.sample_nanoseconds = number,
                _ => {}
            }
        }
        Ok(header)
    }

    fn parse_start(cursor: &mut Cursor) -> Result<TraceHeader, String> {
        let mut u16 = || cursor.u16().unwrap_or(0);
        let (year, month, _day_of_week, day) = (u16(), u16(), u16(), u16());
        let (hour, minute, second, millisecond) = (u16(), u16(), u16(), u16());
        let mut u64 = || cursor.u64().unwrap_or(0);
        let (start_ticks, ticks_per_second) = (u64(), u64());
        let pointer_bytes = cursor.u32().unwrap_or(0);
        if !matches!(pointer_bytes, 4 | 8) {
            return Err(messages::other_pointer_size(&pointer_bytes));
        }
        if i64::try_from(ticks_per_second).is_err() || ticks_per_second == 0 {
            return Err(messages::other_ticks(&ticks_per_second));
        }
        Ok(TraceHeader {
            started: format!(
                "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z"
            ),
            start_ticks,
            ticks_per_second,
            pointer_bytes: pointer_bytes as usize,
            ..TraceHeader::default()
        })
    }

    /// From the start of the session or, if that is unknown or too late, the first event.
    pub(super) fn clock(&self, first_event: u64) -> Clock {
        let is_start_known = self.start_ticks > 0 && self.start_ticks <= first_event;
        let zero = if is_start_known {
            self.start_ticks
        } else {
            first_event
        };
        Clock::new(zero, self.ticks_per_second)
    }
}

/// In the order of the log, after [`SampleLog::PAUSE`].
#[derive(Clone, Copy)]
pub(super) enum LogKind {
    Managed = SampleLog::PAUSE as isize + 1,
    External,
    Cpu,
    OffCpu,
    Allocated,
    Ignored,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Activities {
    pub managed: u64,
    pub external: u64,
}

impl Activities {
    pub(super) fn of(samples: &[IntervalSample]) -> Activities {
        let is_managed = |sample: &&IntervalSample| sample.kind() == LogKind::Managed as u8;
        let managed = samples.iter().filter(is_managed).count() as u64;
        Activities {
            managed,
            external: samples.len() as u64 - managed,
        }
    }

    /// Too few samples for a meaningful CPU time next to wall time.
    pub(super) fn is_cpu_thin(self) -> bool {
        is_thin(self.managed) && self.managed * 10 < self.external
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmountKind {
    Cpu,
    /// Ticks; the stack is where the thread lost the processor.
    OffCpu,
    /// Bytes; the marker has the type.
    Allocated(u32),
    Marker(u32),
}

impl AmountKind {
    pub(super) fn is_amount(self) -> bool {
        !matches!(self, AmountKind::Marker(_))
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SampledAmount {
    pub time: u64,
    pub value: u64,
    /// The stack's id, and later the node where it ends.
    pub node: RawNode,
    pub thread: u32,
    pub kind: AmountKind,
}

#[derive(Default)]
pub(super) struct TracedProcess {
    pub command_line: String,
    pub operating_system: String,
    pub architecture: String,
    pub runtime: String,
}

#[derive(Default)]
pub(super) struct NettraceRecording {
    pub header: TraceHeader,
    pub metadata: Metadata,
    pub stacks: Stacks,
    pub spaces: Spaces,
    pub threads: TracedThreads,
    pub losses: Losses,
    pub markers: RuntimeMarkers,
    pub process: TracedProcess,
    pub amounts: Vec<SampledAmount>,
    /// In file order, which jumps back in time where another thread's events begin. Until the tree is made, times are
    /// ticks, and nodes are ids of stacks.
    pub samples: Vec<IntervalSample>,
    unsorted_from: usize,
    pub without_stack: u64,
    pub damage: DamagedBlocks,
}

impl NettraceRecording {
    /// Of one process, or of any number if events refer to threads by index.
    pub(super) fn new(header: TraceHeader, has_indices: bool) -> NettraceRecording {
        let mut recording = NettraceRecording {
            stacks: Stacks::new(header.pointer_bytes),
            header,
            ..NettraceRecording::default()
        };
        if has_indices {
            recording.threads.by_index_mut();
        } else {
            let process = recording.header.process_id;
            recording.spaces.of(process.unwrap_or(0));
        }
        recording
    }

    pub(super) fn event(&mut self, header: &EventHeader, payload: &[u8]) -> Option<()> {
        self.losses.event(header.capture_thread, header.sequence);
        self.uncounted_event(header, payload)
    }

    pub(super) fn uncounted_event(&mut self, header: &EventHeader, payload: &[u8]) -> Option<()> {
        let time = header.timestamp;
        match self.metadata.count(header.metadata_id, payload) {
            EventKind::Sample => {
                let kind = match Cursor::new(payload).u32()? {
                    MANAGED => LogKind::Managed,
                    _ => LogKind::External,
                };
                let thread = self.threads.row(header.thread, &mut self.spaces);
                let stack = self.stack(header);
                let sample = IntervalSample::new(time, stack, thread, kind as u8);
                self.samples.push(sample);
            }
            EventKind::Cpu => self.amount(header, AmountKind::Cpu, Cursor::new(payload).varuint()?),
            EventKind::ContextSwitch => {
                self.amount(header, AmountKind::OffCpu, Cursor::new(payload).varuint()?)
            }
            EventKind::Runtime(RuntimeEvent::Marker(event)) => {
                self.marker(event, header, payload)?
            }
            EventKind::Runtime(RuntimeEvent::Code(event)) => {
                let space = self.threads.key(header.thread, &mut self.spaces).space;
                let code = &mut self.spaces.get_mut(space)?.memory.methods;
                code.read(event, payload, time)?;
                if event == CodeEvent::Method(Lifecycle::Begins) {
                    self.markers.compiled(payload, space.0, time);
                }
            }
            EventKind::NamedProcess => {
                let space = self.threads.key(header.thread, &mut self.spaces).space;
                self.spaces.read_name(space, payload)?
            }
            EventKind::Mapping { has_process } => {
                let space = self.threads.key(header.thread, &mut self.spaces).space;
                self.spaces
                    .read_mapping(space, payload, has_process, time)?
            }
            EventKind::Symbol => self.spaces.read_symbol(payload)?,
            EventKind::Process => self.process.read(payload)?,
            EventKind::RuntimeStart => self.process.read_runtime(payload)?,
            EventKind::Other => {}
        }
        Some(())
    }

    fn marker(&mut self, event: MarkerEvent, header: &EventHeader, payload: &[u8]) -> Option<()> {
        let thread = self.threads.key(header.thread, &mut self.spaces);
        let origin = EventOrigin {
            process: thread.space.0,
            thread: thread.id,
            time: header.timestamp,
            pointer_bytes: self.header.pointer_bytes,
        };
        let Some(marker) = self.markers.read(event, payload, origin)? else {
            return Some(());
        };
        match self.markers.kind(marker) {
            MarkerKind::Allocation => {
                let bytes = self.markers.bytes(marker);
                if bytes > 0 {
                    self.amount(header, AmountKind::Allocated(marker), bytes);
                }
            }
            MarkerKind::Exception | MarkerKind::Contention if header.stack != 0 => {
                self.amount(header, AmountKind::Marker(marker), 0)
            }
            _ => {}
        }
        Some(())
    }

    fn amount(&mut self, header: &EventHeader, kind: AmountKind, value: u64) {
        let thread = self.threads.row(header.thread, &mut self.spaces);
        let node = self.stack(header);
        self.amounts.push(SampledAmount {
            time: header.timestamp,
            value,
            node,
            thread: narrow(thread),
            kind,
        });
    }

    fn stack(&mut self, header: &EventHeader) -> RawNode {
        let stack = self.stacks.find(header.stack);
        self.without_stack += u64::from(stack.is_none());
        RawNode(stack.unwrap_or(StackId::NONE).0)
    }

    /// All earlier events are older than all later ones, and stack ids start over.
    pub(super) fn sequence_point(&mut self) {
        self.stacks.forget_ids();
        self.sort_from(self.unsorted_from);
        self.unsorted_from = self.samples.len();
    }

    fn sort_from(&mut self, first: usize) {
        let samples = &mut self.samples[first..];
        if !samples.is_sorted_by_key(|sample| sample.time_ns) {
            samples.sort_by_key(|sample| sample.time_ns);
        }
    }

    pub(super) fn finish(&mut self) {
        if !self.amounts.is_sorted_by_key(|amount| amount.time) {
            self.amounts.sort_by_key(|amount| amount.time);
        }
        self.spaces.finish();
        self.sort_from(self.unsorted_from.min(self.samples.len()));
        // a file may violate the guarantee of sequence points
        self.sort_from(0);
    }

    pub(super) fn has_content(&self) -> bool {
        self.has_samples() || self.has(AmountKind::is_amount)
    }

    pub(super) fn last_ticks(&self) -> Option<u64> {
        let sample = self.samples.last().map(|sample| sample.time_ns);
        let mut amounts = self.amounts.iter().rev();
        let amount = amounts.find(|amount| amount.kind.is_amount());
        sample.max(amount.map(|amount| amount.time))
    }

    pub(super) fn has(&self, matches: impl Fn(AmountKind) -> bool) -> bool {
        self.amounts.iter().any(|amount| matches(amount.kind))
    }

    pub(super) fn has_samples(&self) -> bool {
        !self.samples.is_empty()
    }
}

impl TracedProcess {
    /// The second version adds the system and processor.
    fn read(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        self.command_line = cursor.text()?;
        if let (Some(system), Some(architecture)) = (cursor.text(), cursor.text()) {
            self.operating_system = system;
            self.architecture = architecture;
        }
        Some(())
    }

    /// An instance, a kind, and the version of the class library.
    fn read_runtime(&mut self, payload: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(payload);
        cursor.skip(4)?;
        let (major, minor, build) = (cursor.u16()?, cursor.u16()?, cursor.u16()?);
        self.runtime = match (major, minor) {
            // every .NET Core 3 reports this version
            (4, 0) => ".NET Core 3".into(),
            _ => format!(".NET {major}.{minor}.{build}"),
        };
        Some(())
    }
}

#[cfg(test)]
mod tests;
