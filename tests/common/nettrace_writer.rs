//! Writes small `.nettrace` and `.netperf` files as described by `NetPerfFormat.md`, `NetTraceFormat_v5.md`,
//! `NetTraceFormat.md` and `UniversalProviders.md` in microsoft/perfview.

#![allow(dead_code, reason = "each user needs a part of it")]
use std::collections::HashMap;

pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
pub const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
pub const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
pub const EVENT_PIPE: &str = "Microsoft-DotNETCore-EventPipe";
pub const UNIVERSAL_EVENTS: &str = "Universal.Events";
pub const UNIVERSAL_SYSTEM: &str = "Universal.System";
/// The events of the universal providers, indexed by ids that readers must not rely on.
const UNIVERSAL_NAMES: [(&str, &[&str]); 2] = [
    (UNIVERSAL_EVENTS, &["", "cpu", "cswitch"]),
    (
        UNIVERSAL_SYSTEM,
        &[
            "ExistingProcess",
            "ProcessCreate",
            "ProcessExit",
            "ProcessMapping",
            "ProcessSymbol",
            "ProcessMappingMetadata",
        ],
    ),
];

/// Kinds of blocks in version 6.
const TRACE: u8 = 1;
const EVENTS: u8 = 2;
const METADATA: u8 = 3;
pub const SEQUENCE_POINT: u8 = 4;
const STACKS: u8 = 5;
pub const THREADS: u8 = 6;
pub const REMOVED_THREADS: u8 = 7;
pub const LABELS: u8 = 8;

/// The thread that writes events by default: the sampler.
const SAMPLER: u64 = 1;

#[derive(Clone, Debug)]
pub struct Options {
    /// 3, 4 or 6.
    pub version: u32,
    pub pointer_bytes: usize,
    pub compressed: bool,
    pub ticks_per_second: u64,
    pub start_ticks: u64,
    /// In version 6, 0 omits it.
    pub process_id: u32,
    /// The time between samples in version 6; 0 omits it.
    pub sample_nanoseconds: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            version: 4,
            pointer_bytes: 8,
            compressed: true,
            ticks_per_second: 1_000_000_000,
            start_ticks: 1000,
            process_id: 4242,
            sample_nanoseconds: 1_000_000,
        }
    }
}

/// The state of a thread, as seen by the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    External = 1,
    Managed = 2,
}

/// An event in a block.
#[derive(Clone, Debug, Default)]
pub struct Event {
    pub metadata_id: u32,
    pub sequence: u32,
    pub capture_thread: u64,
    pub thread: u64,
    pub stack: u32,
    pub time: u64,
    pub payload: Vec<u8>,
}

pub struct Writer {
    options: Options,
    out: Vec<u8>,
    metadata: HashMap<(String, u32), u32>,
    new_metadata: Vec<Event>,
    stacks: Vec<Vec<u64>>,
    first_stack: u32,
    events: Vec<Event>,
    sequences: HashMap<u64, u32>,
    /// Thread rows that have not been written yet (version 6).
    threads: Vec<u8>,
    ids: u64,
}

impl Writer {
    pub fn new(options: Options) -> Writer {
        Writer {
            out: start_of_file(&options),
            options,
            metadata: HashMap::new(),
            new_metadata: Vec::new(),
            stacks: Vec::new(),
            first_stack: 1,
            events: Vec::new(),
            sequences: HashMap::new(),
            threads: Vec::new(),
            ids: 0,
        }
    }

    /// Adds a stack, outermost caller first. Its id is valid until the next sequence point.
    pub fn stack(&mut self, outermost_first: &[u64]) -> u32 {
        self.stacks
            .push(outermost_first.iter().rev().copied().collect());
        self.first_stack + self.stacks.len() as u32 - 1
    }

    pub fn sample(&mut self, thread: u64, time: u64, kind: Kind, stack: u32) {
        self.sample_by(SAMPLER, thread, time, kind, stack);
    }

    /// A sample written by a given thread.
    pub fn sample_by(&mut self, writer: u64, thread: u64, time: u64, kind: Kind, stack: u32) {
        let payload = (kind as u32).to_le_bytes().to_vec();
        self.event(SAMPLE_PROFILER, 0, writer, thread, time, stack, payload);
    }

    pub fn allocation(&mut self, thread: u64, time: u64, stack: u32) {
        self.event(RUNTIME, 10, thread, thread, time, stack, vec![0; 20]);
    }

    /// An allocation tick with a type, as .NET 5 and later write it.
    pub fn tick(&mut self, thread: u64, time: u64, stack: u32, bytes: u64, type_name: &str) {
        let mut payload = (bytes as u32).to_le_bytes().to_vec();
        payload.extend([0; 4 + 2]);
        payload.extend(bytes.to_le_bytes());
        payload.extend(vec![0xee; self.options.pointer_bytes]);
        payload.extend(utf16z(type_name));
        payload.extend([0; 4]);
        payload.extend(vec![0xdd; self.options.pointer_bytes + 8]);
        self.event(RUNTIME, 10, thread, thread, time, stack, payload);
    }

    /// A method of 100 bytes that starts (143) or ends (144).
    pub fn method(&mut self, event: u32, time: u64, start: u64, name: [&str; 3]) {
        let payload = method_payload(start, 100, name);
        self.event(RUNTIME, event, 2, 2, time, 0, payload);
    }

    /// A method that exists at the end.
    pub fn rundown_method(&mut self, start: u64, size: u32, [type_name, name]: [&str; 2]) {
        let payload = method_payload(start, size, [type_name, name, "void  ()"]);
        self.event(RUNDOWN, 144, 2, 2, 1 << 60, 0, payload);
    }

    pub fn rundown_module(&mut self, id: u64, path: &str) {
        let ids = [id, 5, 0].map(u64::to_le_bytes).concat();
        let payload = [ids, utf16z(path), vec![0; 4]].concat();
        self.event(RUNDOWN, 154, 2, 2, 1 << 60, 0, payload);
    }

    pub fn process(&mut self, command_line: &str) {
        let payload = [command_line, "Linux", "x64"].map(utf16z).concat();
        self.event(EVENT_PIPE, 1, 2, 2, 1 << 60, 0, payload);
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of the event")]
    pub fn event(
        &mut self,
        provider: &str,
        event: u32,
        capture_thread: u64,
        thread: u64,
        time: u64,
        stack: u32,
        payload: Vec<u8>,
    ) {
        let metadata_id = self.metadata_id(provider, event);
        let sequence = self.sequences.entry(capture_thread).or_default();
        *sequence += 1;
        self.events.push(Event {
            metadata_id,
            sequence: *sequence,
            capture_thread,
            thread,
            stack,
            time,
            payload,
        });
    }

    /// Makes a thread count events that never arrive.
    pub fn lose(&mut self, capture_thread: u64, events: u32) {
        *self.sequences.entry(capture_thread).or_default() += events;
    }

    fn metadata_id(&mut self, provider: &str, event: u32) -> u32 {
        let next = self.metadata.len() as u32 + 1;
        let id = *self
            .metadata
            .entry((provider.into(), event))
            .or_insert(next);
        if id == next {
            let payload = if self.options.version == 6 {
                metadata_row(id, provider, event)
            } else {
                // no name; keywords, version, level, no fields; then a tag of newer runtimes: opcode 1
                let rest = [vec![0; 2 + 8 + 4 + 4 + 4], vec![1, 0, 0, 0, 1, 1]].concat();
                let number = |number: u32| number.to_le_bytes().to_vec();
                [number(id), utf16z(provider), number(event), rest].concat()
            };
            self.new_metadata.push(Event {
                payload,
                ..Event::default()
            });
        }
        id
    }

    /// Writes the collected metadata, stacks and events.
    pub fn flush(&mut self) {
        let metadata = std::mem::take(&mut self.new_metadata);
        let events = std::mem::take(&mut self.events);
        match self.options.version {
            3 => self.old_block(&metadata, &events),
            4 => {
                if !metadata.is_empty() {
                    self.block("MetadataBlock", &self.event_rows(&metadata));
                }
                if let Some(content) = self.stack_rows() {
                    self.block("StackBlock", &content);
                }
                if !events.is_empty() {
                    self.block("EventBlock", &self.event_rows(&events));
                }
            }
            _ => {
                let rows: Vec<u8> = metadata.into_iter().flat_map(|row| row.payload).collect();
                if !rows.is_empty() {
                    self.block6(METADATA, &[&[0, 0], &rows[..]].concat());
                }
                if let Some(content) = self.stack_rows() {
                    self.block6(STACKS, &content);
                }
                let threads = std::mem::take(&mut self.threads);
                if !threads.is_empty() {
                    self.block6(THREADS, &threads);
                }
                if !events.is_empty() {
                    self.block6(EVENTS, &self.event_rows(&events));
                }
            }
        }
    }

    /// The content of a block with the collected stacks.
    fn stack_rows(&mut self) -> Option<Vec<u8>> {
        let mut content = self.first_stack.to_le_bytes().to_vec();
        content.extend((self.stacks.len() as u32).to_le_bytes());
        for stack in &self.stacks {
            content.extend(((stack.len() * self.options.pointer_bytes) as u32).to_le_bytes());
            content.extend(self.addresses(stack));
        }
        let count = std::mem::take(&mut self.stacks).len();
        self.first_stack += count as u32;
        (count > 0).then_some(content)
    }

    fn addresses(&self, stack: &[u64]) -> Vec<u8> {
        stack
            .iter()
            .flat_map(|address| address.to_le_bytes()[..self.options.pointer_bytes].to_vec())
            .collect()
    }

    /// Writes a block of version 3, in which events include metadata and their stacks.
    fn old_block(&mut self, metadata: &[Event], events: &[Event]) {
        let mut content = Vec::new();
        for event in metadata.iter().chain(events) {
            let stack = event
                .stack
                .checked_sub(self.first_stack)
                .map_or(&[][..], |row| &self.stacks[row as usize]);
            let mut row = event.metadata_id.to_le_bytes().to_vec();
            row.extend((event.thread as u32).to_le_bytes());
            row.extend(event.time.to_le_bytes());
            row.extend([0; 32]);
            row.extend((event.payload.len() as u32).to_le_bytes());
            row.extend(&event.payload);
            let stack = self.addresses(stack);
            row.extend((stack.len() as u32).to_le_bytes());
            row.extend(stack);
            row.resize(row.len().next_multiple_of(4), 0);
            content.extend((row.len() as u32).to_le_bytes());
            content.extend(row);
        }
        // a stack keeps its id until the next sequence point
        if !content.is_empty() {
            self.block("EventBlock", &content);
        }
    }

    /// Writes the collected data and a sequence point, which restarts stack ids.
    pub fn sequence_point(&mut self) {
        self.flush();
        let mut content = (1u64 << 60).to_le_bytes().to_vec();
        if self.options.version == 6 {
            content.extend(0u32.to_le_bytes());
        }
        content.extend((self.sequences.len() as u32).to_le_bytes());
        let mut sequences: Vec<_> = self.sequences.iter().collect();
        sequences.sort();
        for (&thread, &sequence) in sequences {
            if self.options.version == 6 {
                push_varuint(&mut content, thread);
                push_varuint(&mut content, u64::from(sequence));
            } else {
                content.extend(thread.to_le_bytes());
                content.extend(sequence.to_le_bytes());
            }
        }
        self.first_stack = 1;
        self.stacks.clear();
        match self.options.version {
            3 => {}
            4 => self.block("SPBlock", &content),
            _ => self.block6(SEQUENCE_POINT, &content),
        }
    }

    fn event_rows(&self, events: &[Event]) -> Vec<u8> {
        let mut content = 20u16.to_le_bytes().to_vec();
        content.extend(u16::from(self.options.compressed).to_le_bytes());
        let times = || events.iter().map(|event| event.time);
        for time in [times().min(), times().max()] {
            content.extend(time.unwrap_or(0).to_le_bytes());
        }
        let mut before = Event::default();
        for event in events {
            match self.options.compressed {
                true => push_compressed(&mut content, &before, event),
                false => push_full(&mut content, event, self.options.version),
            }
            before = event.clone();
        }
        content
    }

    /// Describes a thread of version 6, which events refer to by its index.
    pub fn thread(&mut self, index: u64, process: u64, thread: u64, name: &str) {
        let mut row = Vec::new();
        push_varuint(&mut row, index);
        if !name.is_empty() {
            row.push(1);
            push_text(&mut row, name);
        }
        for (kind, number) in [(2, process), (3, thread)] {
            row.push(kind);
            push_varuint(&mut row, number);
        }
        row.push(4);
        push_text(&mut row, "color");
        push_text(&mut row, "green");
        self.threads.extend((row.len() as u16).to_le_bytes());
        self.threads.extend(row);
    }

    /// A CPU sample of a thread, given by its index (version 6).
    pub fn cpu(&mut self, thread: u64, time: u64, weight: u64, stack: u32) {
        let payload = varuints(&[weight]);
        self.event(UNIVERSAL_EVENTS, 1, 0, thread, time, stack, payload);
    }

    /// A thread resumes after `ticks` without a processor (version 6).
    pub fn switch(&mut self, thread: u64, time: u64, ticks: u64, stack: u32) {
        let payload = varuints(&[ticks]);
        self.event(UNIVERSAL_EVENTS, 2, 0, thread, time, stack, payload);
    }

    pub fn existing_process(&mut self, thread: u64, name: &str) {
        let payload = [varuints(&[7]), text16(name), text16("ns")].concat();
        self.event(UNIVERSAL_SYSTEM, 0, 0, thread, 0, 0, payload);
    }

    /// A file mapped at `start..end` in the process of a thread. Returns the mapping's id.
    pub fn mapping(&mut self, thread: u64, time: u64, start: u64, end: u64, file: &str) -> u64 {
        self.ids += 1;
        let numbers = varuints(&[self.ids, start, end, 0]);
        let payload = [numbers, text16(file), vec![0]].concat();
        self.event(UNIVERSAL_SYSTEM, 3, 0, thread, time, 0, payload);
        self.ids
    }

    /// A symbol at `start..=last` in a mapping.
    pub fn symbol(&mut self, thread: u64, mapping: u64, start: u64, last: u64, name: &str) {
        self.ids += 1;
        let payload = [varuints(&[self.ids, mapping, start, last]), text16(name)].concat();
        self.event(UNIVERSAL_SYSTEM, 4, 0, thread, 0, 0, payload);
    }

    /// Writes any block of version 6.
    pub fn block6(&mut self, kind: u8, content: &[u8]) {
        self.out
            .extend((content.len() as u32 | u32::from(kind) << 24).to_le_bytes());
        self.out.extend(content);
    }

    /// Writes any block.
    pub fn block(&mut self, name: &str, content: &[u8]) {
        let version = if self.options.version == 3 { 1 } else { 2 };
        begin_object(&mut self.out, self.options.version, name, version);
        self.out.extend((content.len() as u32).to_le_bytes());
        self.out.resize(self.out.len().next_multiple_of(4), 0);
        self.out.extend(content);
        self.out.push(6);
    }

    /// The bytes written so far, without data collected since.
    pub fn written(&self) -> &[u8] {
        &self.out
    }

    /// Writes the rest and the end.
    pub fn finish(mut self) -> Vec<u8> {
        self.sequence_point();
        match self.options.version {
            6 => self.block6(0, &[]),
            _ => self.out.push(1),
        }
        self.out
    }
}

/// The bytes before the blocks.
fn start_of_file(options: &Options) -> Vec<u8> {
    let date = [2026u16, 11, 6, 21, 7, 8, 9, 10];
    let mut trace = date.map(u16::to_le_bytes).concat();
    trace.extend(options.start_ticks.to_le_bytes());
    trace.extend(options.ticks_per_second.to_le_bytes());
    trace.extend((options.pointer_bytes as u32).to_le_bytes());
    let serialized = b"\x14\0\0\0!FastSerialization.1".as_slice();
    if options.version < 6 {
        let magic: &[u8] = if options.version == 3 {
            b""
        } else {
            b"Nettrace"
        };
        let mut out = [magic, serialized].concat();
        begin_object(&mut out, options.version, "Trace", options.version);
        let numbers = [options.process_id, 2, 1_000_000].map(u32::to_le_bytes);
        out.extend([trace, numbers.concat(), vec![6]].concat());
        return out;
    }
    let pairs = [
        ("HardwareThreadCount", 2),
        ("ProcessId", u64::from(options.process_id)),
        ("ExpectedCPUSamplingRate", options.sample_nanoseconds),
        ("Color", 5),
    ];
    let pairs: Vec<_> = pairs.into_iter().filter(|(_, value)| *value > 0).collect();
    trace.extend((pairs.len() as u32).to_le_bytes());
    for (key, value) in pairs {
        push_text(&mut trace, key);
        push_text(&mut trace, &value.to_string());
    }
    let size = (trace.len() as u32 | u32::from(TRACE) << 24).to_le_bytes();
    [b"Nettrace\0\0\0\0\x06\0\0\0\0\0\0\0", &size[..], &trace].concat()
}

/// A metadata row in version 6.
fn metadata_row(id: u32, provider: &str, event: u32) -> Vec<u8> {
    let known = UNIVERSAL_NAMES.iter().find(|row| row.0 == provider);
    let names = known.map_or(&[][..], |(_, names)| names);
    let mut row = varuints(&[u64::from(id)]);
    push_text(&mut row, provider);
    push_varuint(&mut row, u64::from(event));
    push_text(&mut row, names.get(event as usize).unwrap_or(&""));
    // one field of type 21 (a number), and of the optional parts the level 4
    row.extend([1, 0, 3, 0, 1, b'x', 21]);
    row.extend([2, 0, 8, 4]);
    [&(row.len() as u16).to_le_bytes()[..], &row].concat()
}

fn begin_object(out: &mut Vec<u8>, file_version: u32, name: &str, version: u32) {
    let begin = if file_version == 3 { 4 } else { 5 };
    out.extend([begin, begin, 1]);
    out.extend(version.to_le_bytes());
    out.extend(if file_version == 3 { 0 } else { version }.to_le_bytes());
    out.extend((name.len() as u32).to_le_bytes());
    out.extend(name.as_bytes());
    out.push(6);
}

fn push_compressed(out: &mut Vec<u8>, before: &Event, event: &Event) {
    let is_metadata = event.metadata_id == 0;
    let counts_on = event.sequence == before.sequence.wrapping_add(u32::from(!is_metadata));
    let is_next = counts_on && event.capture_thread == before.capture_thread;
    let flags = u8::from(event.metadata_id != before.metadata_id)
        | u8::from(!is_next) << 1
        | u8::from(event.thread != before.thread) << 2
        | u8::from(event.stack != before.stack) << 3
        | u8::from(event.payload.len() != before.payload.len()) << 7;
    out.push(flags);
    if flags & 0x01 != 0 {
        push_varuint(out, u64::from(event.metadata_id));
    }
    if flags & 0x02 != 0 {
        let difference = event.sequence.wrapping_sub(before.sequence).wrapping_sub(1);
        push_varuint(out, u64::from(difference));
        push_varuint(out, event.capture_thread);
        push_varuint(out, 0);
    }
    if flags & 0x04 != 0 {
        push_varuint(out, event.thread);
    }
    if flags & 0x08 != 0 {
        push_varuint(out, u64::from(event.stack));
    }
    push_varuint(out, event.time.wrapping_sub(before.time));
    if flags & 0x80 != 0 {
        push_varuint(out, event.payload.len() as u64);
    }
    out.extend(&event.payload);
}

fn push_full(out: &mut Vec<u8>, event: &Event, version: u32) {
    let padded = event.payload.len().next_multiple_of(4);
    // activity ids, which version 6 replaces with a list of labels
    let labels = if version == 6 { 4 } else { 32 };
    out.extend((44 + labels as u32 + padded as u32).to_le_bytes());
    // the high bit means that events are not sorted
    out.extend((event.metadata_id | 0x8000_0000).to_le_bytes());
    out.extend(event.sequence.to_le_bytes());
    out.extend(event.thread.to_le_bytes());
    out.extend(event.capture_thread.to_le_bytes());
    out.extend(0u32.to_le_bytes());
    out.extend(event.stack.to_le_bytes());
    out.extend(event.time.to_le_bytes());
    out.resize(out.len() + labels, 0);
    out.extend((event.payload.len() as u32).to_le_bytes());
    out.extend(&event.payload);
    out.resize(out.len() + padded - event.payload.len(), 0);
}

fn push_varuint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub fn varuints(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    numbers
        .iter()
        .for_each(|&number| push_varuint(&mut out, number));
    out
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    push_varuint(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Text as in payloads of universal events.
pub fn text16(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

/// The payload of a method event of module 77: its type, its name and its signature.
pub fn method_payload(start: u64, size: u32, name: [&str; 3]) -> Vec<u8> {
    let ids = [9, 77, start].map(u64::to_le_bytes).concat();
    let numbers = [size, 0x0600_0001, 8].map(u32::to_le_bytes).concat();
    [ids, numbers, name.map(utf16z).concat(), vec![0; 10]].concat()
}

pub fn utf16z(text: &str) -> Vec<u8> {
    text.encode_utf16()
        .chain([0])
        .flat_map(u16::to_le_bytes)
        .collect()
}

/// Three methods `M!T.a()` at 1000, `M!T.b()` at 2000, `M!T.c()` at 3000, of 100 bytes each.
pub fn methods(writer: &mut Writer) {
    for (start, name) in [(1000, "a"), (2000, "b"), (3000, "c")] {
        writer.rundown_method(start, 100, ["T", name]);
    }
    writer.rundown_module(77, "/app/M.dll");
}

/// A small file of version 4 with a bit of everything.
pub fn small_file(compressed: bool) -> Vec<u8> {
    small_file_of(Options {
        compressed,
        ..Options::default()
    })
}

/// A small file with a bit of everything that the runtime itself writes.
pub fn small_file_of(options: Options) -> Vec<u8> {
    let mut writer = Writer::new(options);
    for round in 0..3u64 {
        let stacks = [&[1000][..], &[1000, 2000, 3000], &[1000, 5050]];
        let stacks = stacks.map(|stack| writer.stack(stack));
        let start = 5000 + round * 1000;
        for (index, time) in (0..6).zip((start..).step_by(100)) {
            writer.sample(7, time, Kind::Managed, stacks[index % 3]);
            writer.sample(8, time + 1, Kind::External, stacks[(index + 1) % 3]);
        }
        writer.allocation(7, start + 50, stacks[0]);
        writer.method(143, start + 500, 5000, ["T", "Jitted", "void  ()"]);
        writer.method(144, start + 900, 5000, ["T", "Jitted", "void  ()"]);
        if round == 1 {
            writer.sequence_point();
        } else {
            writer.flush();
        }
    }
    writer.process("dotnet a.dll");
    methods(&mut writer);
    writer.finish()
}

/// A small file of version 6 with two processes.
pub fn small_universal_file(compressed: bool) -> Vec<u8> {
    let mut writer = Writer::new(Options {
        version: 6,
        process_id: 0,
        compressed,
        ..Options::default()
    });
    writer.thread(0, 0, 0, "");
    writer.thread(1, 50, 51, "worker");
    writer.thread(2, 60, 60, "");
    writer.existing_process(1, "shop");
    writer.existing_process(2, "till");
    let shop = writer.mapping(1, 0, 1000, 2000, "/app/shop");
    let till = writer.mapping(2, 0, 1000, 3000, "/app/till");
    writer.symbol(1, shop, 1000, 1099, "sell");
    writer.symbol(2, till, 1000, 1999, "count");
    writer.block6(LABELS, &[1, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, b'k', 1, b'v']);
    for round in 0..3 {
        let stack = writer.stack(&[1500, 1001]);
        writer.cpu(1, 5000 + round, 1, stack);
        writer.cpu(2, 5500 + round, 1, stack);
        writer.switch(1, 6000 + round, 100, stack);
        writer.sequence_point();
    }
    writer.block6(REMOVED_THREADS, &[]);
    writer.finish()
}
