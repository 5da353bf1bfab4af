//! Writes small `.nettrace` files for tests. It is ours: it was written to the description of the format
//! (`NetTraceFormat_v5.md` in microsoft/perfview) and shares nothing with the reader, but no tool of Microsoft's has read
//! what it writes.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::HashMap;

pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
pub const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
pub const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
pub const EVENT_PIPE: &str = "Microsoft-DotNETCore-EventPipe";

/// The thread that writes an event unless said otherwise: the sampler.
const SAMPLER: u64 = 1;

/// What can be chosen.
#[derive(Clone, Debug)]
pub struct Options {
    pub pointer_bytes: usize,
    pub compressed: bool,
    pub ticks_per_second: u64,
    pub start_ticks: u64,
    pub process_id: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            pointer_bytes: 8,
            compressed: true,
            ticks_per_second: 1_000_000_000,
            start_ticks: 1000,
            process_id: 4242,
        }
    }
}

/// What the sampler says of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    External = 1,
    Managed = 2,
}

/// An event as it stands in a block.
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
}

impl Writer {
    pub fn new(options: Options) -> Writer {
        let mut out = b"Nettrace\x14\0\0\0!FastSerialization.1".to_vec();
        begin_object(&mut out, "Trace", 4);
        for part in [2026u16, 11, 6, 21, 7, 8, 9, 10] {
            out.extend(part.to_le_bytes());
        }
        out.extend(options.start_ticks.to_le_bytes());
        out.extend(options.ticks_per_second.to_le_bytes());
        for part in [options.pointer_bytes as u32, options.process_id, 2, 1_000_000] {
            out.extend(part.to_le_bytes());
        }
        out.push(6);
        Writer {
            options,
            out,
            metadata: HashMap::new(),
            new_metadata: Vec::new(),
            stacks: Vec::new(),
            first_stack: 1,
            events: Vec::new(),
            sequences: HashMap::new(),
        }
    }

    /// A stack, the outermost caller first; its number is good until the next sequence point.
    pub fn stack(&mut self, outermost_first: &[u64]) -> u32 {
        self.stacks.push(outermost_first.iter().rev().copied().collect());
        self.first_stack + self.stacks.len() as u32 - 1
    }

    pub fn sample(&mut self, thread: u64, time: u64, kind: Kind, stack: u32) {
        self.sample_by(SAMPLER, thread, time, kind, stack);
    }

    /// A sample that a certain thread writes.
    pub fn sample_by(&mut self, writer: u64, thread: u64, time: u64, kind: Kind, stack: u32) {
        self.event(SAMPLE_PROFILER, 0, writer, thread, time, stack, (kind as u32).to_le_bytes().to_vec());
    }

    pub fn allocation(&mut self, thread: u64, time: u64, stack: u32) {
        self.event(RUNTIME, 10, thread, thread, time, stack, vec![0; 20]);
    }

    /// A method with the events of its beginning (143) or end (144) or, by the rundown's provider, of being there.
    #[allow(clippy::too_many_arguments, reason = "the fields of the event")]
    pub fn method(
        &mut self,
        provider: &str,
        event: u32,
        time: u64,
        module: u64,
        start: u64,
        size: u32,
        name: [&str; 3],
    ) {
        let mut payload: Vec<u8> = [9, module, start].iter().flat_map(|part: &u64| part.to_le_bytes()).collect();
        for part in [size, 0x0600_0001, 8] {
            payload.extend(part.to_le_bytes());
        }
        name.iter().for_each(|text| payload.extend(utf16z(text)));
        payload.extend([0; 10]);
        self.event(provider, event, 2, 2, time, 0, payload);
    }

    /// A method that is there at the end.
    pub fn rundown_method(&mut self, start: u64, size: u32, type_and_name: [&str; 2]) {
        let [type_name, name] = type_and_name;
        self.method(RUNDOWN, 144, 1 << 60, 77, start, size, [type_name, name, "void  ()"]);
    }

    pub fn rundown_module(&mut self, id: u64, path: &str) {
        let mut payload: Vec<u8> = [id, 5, 0].iter().flat_map(|part| part.to_le_bytes()).collect();
        payload.extend(utf16z(path));
        payload.extend(utf16z(""));
        payload.extend([0; 2]);
        self.event(RUNDOWN, 154, 2, 2, 1 << 60, 0, payload);
    }

    pub fn process(&mut self, command_line: &str) {
        let payload = [command_line, "Linux", "x64"].iter().flat_map(|text| utf16z(text)).collect();
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
        self.events.push(Event { metadata_id, sequence: *sequence, capture_thread, thread, stack, time, payload });
    }

    /// Lets a thread count events that never come.
    pub fn lose(&mut self, capture_thread: u64, events: u32) {
        *self.sequences.entry(capture_thread).or_default() += events;
    }

    /// Lets the sampler count events that never come.
    pub fn lose_samples(&mut self, events: u32) {
        self.lose(SAMPLER, events);
    }

    fn metadata_id(&mut self, provider: &str, event: u32) -> u32 {
        let next = self.metadata.len() as u32 + 1;
        let id = *self.metadata.entry((provider.into(), event)).or_insert(next);
        if id == next {
            let mut payload = id.to_le_bytes().to_vec();
            payload.extend(utf16z(provider));
            payload.extend(event.to_le_bytes());
            payload.extend(utf16z(""));
            // keywords, version, level, no fields; then a tag of newer runtimes: opcode 1
            payload.extend([0; 8 + 4 + 4 + 4]);
            payload.extend([1, 0, 0, 0, 1, 1]);
            self.new_metadata.push(Event { payload, ..Event::default() });
        }
        id
    }

    /// Writes what was collected: metadata, stacks, events.
    pub fn flush(&mut self) {
        let metadata = std::mem::take(&mut self.new_metadata);
        self.event_block("MetadataBlock", &metadata);
        if !self.stacks.is_empty() {
            let mut content = self.first_stack.to_le_bytes().to_vec();
            content.extend((self.stacks.len() as u32).to_le_bytes());
            for stack in &self.stacks {
                content.extend(((stack.len() * self.options.pointer_bytes) as u32).to_le_bytes());
                stack.iter().for_each(|address| content.extend(&address.to_le_bytes()[..self.options.pointer_bytes]));
            }
            self.first_stack += self.stacks.len() as u32;
            self.stacks.clear();
            self.block("StackBlock", &content);
        }
        let events = std::mem::take(&mut self.events);
        self.event_block("EventBlock", &events);
    }

    /// Writes what was collected, and a point from which stacks are numbered anew.
    pub fn sequence_point(&mut self) {
        self.flush();
        let mut content = (1u64 << 60).to_le_bytes().to_vec();
        content.extend((self.sequences.len() as u32).to_le_bytes());
        let mut sequences: Vec<_> = self.sequences.iter().collect();
        sequences.sort();
        for (thread, sequence) in sequences {
            content.extend(thread.to_le_bytes());
            content.extend(sequence.to_le_bytes());
        }
        self.first_stack = 1;
        self.block("SPBlock", &content);
    }

    fn event_block(&mut self, name: &str, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let mut content = 20u16.to_le_bytes().to_vec();
        content.extend(u16::from(self.options.compressed).to_le_bytes());
        content.extend(events.iter().map(|event| event.time).min().unwrap_or(0).to_le_bytes());
        content.extend(events.iter().map(|event| event.time).max().unwrap_or(0).to_le_bytes());
        let mut before = Event::default();
        for event in events {
            match self.options.compressed {
                true => push_compressed(&mut content, &before, event),
                false => push_full(&mut content, event),
            }
            before = event.clone();
        }
        self.block(name, &content);
    }

    /// Writes any block.
    pub fn block(&mut self, name: &str, content: &[u8]) {
        begin_object(&mut self.out, name, 2);
        self.out.extend((content.len() as u32).to_le_bytes());
        while !self.out.len().is_multiple_of(4) {
            self.out.push(0);
        }
        self.out.extend(content);
        self.out.push(6);
    }

    /// What was written so far, without what was collected since.
    pub fn written(&self) -> &[u8] {
        &self.out
    }

    /// Writes the rest and the end.
    pub fn finish(mut self) -> Vec<u8> {
        self.sequence_point();
        self.out.push(1);
        self.out
    }
}

fn begin_object(out: &mut Vec<u8>, name: &str, version: u32) {
    out.extend([5, 5, 1]);
    out.extend(version.to_le_bytes());
    out.extend(version.to_le_bytes());
    out.extend((name.len() as u32).to_le_bytes());
    out.extend(name.as_bytes());
    out.push(6);
}

fn push_compressed(out: &mut Vec<u8>, before: &Event, event: &Event) {
    let is_metadata = event.metadata_id == 0;
    let counts_on = event.sequence == before.sequence.wrapping_add(u32::from(!is_metadata));
    let changes = [
        (0x01, event.metadata_id != before.metadata_id),
        (0x02, !counts_on || event.capture_thread != before.capture_thread),
        (0x04, event.thread != before.thread),
        (0x08, event.stack != before.stack),
        (0x80, event.payload.len() != before.payload.len()),
    ];
    let flags: u8 = changes.iter().filter(|(_, changes)| *changes).map(|(bit, _)| bit).sum();
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

fn push_full(out: &mut Vec<u8>, event: &Event) {
    let padded = event.payload.len().next_multiple_of(4);
    out.extend((76 + padded as u32).to_le_bytes());
    // the high bit says that it is not sorted
    out.extend((event.metadata_id | 0x8000_0000).to_le_bytes());
    out.extend(event.sequence.to_le_bytes());
    out.extend(event.thread.to_le_bytes());
    out.extend(event.capture_thread.to_le_bytes());
    out.extend(0u32.to_le_bytes());
    out.extend(event.stack.to_le_bytes());
    out.extend(event.time.to_le_bytes());
    out.extend([0; 32]);
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

pub fn utf16z(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

/// Three methods `M!T.a()` at 1000, `M!T.b()` at 2000, `M!T.c()` at 3000, of 100 bytes each.
pub fn methods(writer: &mut Writer) {
    for (start, name) in [(1000, "a"), (2000, "b"), (3000, "c")] {
        writer.rundown_method(start, 100, ["T", name]);
    }
    writer.rundown_module(77, "/app/M.dll");
}

/// A small file with something of everything.
pub fn small_file(compressed: bool) -> Vec<u8> {
    let mut writer = Writer::new(Options { compressed, ..Options::default() });
    for round in 0..3u64 {
        let stacks = [writer.stack(&[1000]), writer.stack(&[1000, 2000, 3000]), writer.stack(&[1000, 5050])];
        for index in 0..6u64 {
            let time = 5000 + round * 1000 + index * 100;
            writer.sample_by(1, 7, time, Kind::Managed, stacks[index as usize % 3]);
            writer.sample_by(1, 8, time + 1, Kind::External, stacks[(index as usize + 1) % 3]);
        }
        writer.allocation(7, 5050 + round * 1000, stacks[0]);
        writer.method(RUNTIME, 143, 5500 + round * 1000, 77, 5000, 100, ["T", "Jitted", "void  ()"]);
        writer.method(RUNTIME, 144, 5900 + round * 1000, 77, 5000, 100, ["T", "Jitted", "void  ()"]);
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
