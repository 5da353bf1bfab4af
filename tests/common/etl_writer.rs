//! Windows event traces for tests, written from the layouts that `src/importers/etl` names.
use super::nettrace_writer::utf16z;

#[derive(Clone, Copy)]
pub struct Header {
    /// 4 or 8, for Windows and for each event.
    pub pointer_bytes: usize,
    pub processors: u32,
    /// 1 is the performance counter.
    pub clock: u32,
    pub mode: u32,
    /// A compression format: 3 is XPRESS.
    pub compression: u16,
    pub lost_events: u32,
    pub lost_buffers: u32,
}

impl Default for Header {
    fn default() -> Header {
        Header {
            pointer_bytes: 8,
            processors: 1,
            clock: 1,
            mode: 0,
            compression: 3,
            lost_events: 0,
            lost_buffers: 0,
        }
    }
}

/// The frequency of the clock: a tick is a microsecond.
const TICKS_PER_SECOND: u64 = 1_000_000;
/// When traces start, in ticks.
pub const START: u64 = 5_000;
/// 2000-01-01, in units of 100 ns since 1601: 399 years of 365 days and 97 leap days.
const STARTED: u64 = (399 * 365 + 97) * 86_400 * 10_000_000;
/// The providers of the runtime and of its rundown.
const RUNTIME: &[u8; 16] = b"\x23\x0D\x3C\xE1\xBC\xCC\x12\x4E\x93\x1B\xD9\xCC\x2E\xEE\x27\xE4";
const RUNDOWN: &[u8; 16] = b"\x1C\x02\x69\xA6\x50\xC4\x09\x46\xA0\x35\x5A\xF5\x9A\xF4\xDF\x18";

/// The start, end or existence of a process, a thread or a file.
#[derive(Clone, Copy)]
pub enum Life {
    Begins = 1,
    Ends,
    /// It existed when the trace started.
    Known,
}

/// A trace, to which buffers are appended. Times of events are in microseconds since its start.
pub struct Trace {
    pub bytes: Vec<u8>,
    header: Header,
}

impl Trace {
    pub fn new(header: Header) -> Trace {
        let mut trace = Trace {
            bytes: Vec::new(),
            header,
        };
        let first = trace.first_event();
        trace.write(0, 4, 0x1, &first);
        trace
    }

    /// Appends a buffer for a processor.
    pub fn buffer(&mut self, processor: u16, events: &[Vec<u8>]) -> &mut Trace {
        self.write(processor, 0, 0, &events.concat());
        self
    }

    /// Appends a buffer that is marked as compressed.
    pub fn compressed(&mut self, processor: u16, packed: &[u8], unpacked: usize) -> &mut Trace {
        let start = self.bytes.len();
        self.write(processor, 0, 0x40, packed);
        let used = (72 + unpacked) as u32;
        self.bytes[start + 4..start + 8].copy_from_slice(&used.to_le_bytes());
        self
    }

    fn write(&mut self, processor: u16, kind: u16, flags: u16, content: &[u8]) {
        let size = (72 + content.len()) as u32;
        let mut header = [size, size, size, 0].map(u32::to_le_bytes).concat();
        header.resize(40, 0);
        header.extend(processor.to_le_bytes());
        header.extend([0; 2]);
        header.extend(u32::from(self.header.compression).to_le_bytes());
        header.extend(size.to_le_bytes());
        header.extend([flags.to_le_bytes(), kind.to_le_bytes()].concat());
        header.resize(72, 0);
        self.bytes.extend([&header, content].concat());
    }

    fn first_event(&self) -> Vec<u8> {
        let header = self.header;
        // the size of buffers, Windows 10.0, its build
        let system = [65_536, 10, 19_045, header.processors].map(u32::to_le_bytes);
        let end = (STARTED + 2 * 10_000_000).to_le_bytes();
        let pointers = [header.pointer_bytes as u32, header.lost_events, 3000];
        let numbers = [156_250, 0, header.mode, 2, 1].map(u32::to_le_bytes);
        let unused = vec![0; 2 * header.pointer_bytes + 172 + 4];
        let clock = [0, TICKS_PER_SECOND, STARTED].map(u64::to_le_bytes);
        let rest = [header.clock, header.lost_buffers, 0].map(u32::to_le_bytes);
        let (pointers, clock) = (pointers.map(u32::to_le_bytes), clock.concat());
        let numbers = [numbers.concat(), pointers.concat(), unused, clock];
        let payload = [
            &system.concat(),
            &end[..],
            &numbers.concat(),
            &rest.concat(),
        ];
        self.system(0, (0, 0), &payload.concat())
    }

    fn pointer(&self, value: u64) -> Vec<u8> {
        value.to_le_bytes()[..self.header.pointer_bytes].to_vec()
    }

    fn pointers(&self, values: &[u64]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|&value| self.pointer(value))
            .collect()
    }

    fn is_32(&self) -> bool {
        self.header.pointer_bytes == 4
    }

    /// An event with the system header.
    fn system(&self, time: u64, (group, opcode): (u8, u8), payload: &[u8]) -> Vec<u8> {
        let kind = if self.is_32() { 1 } else { 2 };
        let version = if group == 3 && opcode != 39 { 4 } else { 2 };
        let mut event = vec![version, 0, kind, 0xC0];
        event.extend(((32 + payload.len()) as u16).to_le_bytes());
        // a thread and a process of 0
        event.extend([opcode, group, 0, 0, 0, 0, 0, 0, 0, 0]);
        event.extend((START + time).to_le_bytes());
        event.extend([0; 8]);
        padded([&event, payload].concat())
    }

    /// An event with the short header.
    fn timed(&self, time: u64, (group, opcode): (u8, u8), payload: &[u8]) -> Vec<u8> {
        let mut event = vec![2, 0, if self.is_32() { 0x10 } else { 0x11 }, 0xC0];
        event.extend(((16 + payload.len()) as u16).to_le_bytes());
        event.extend([opcode, group]);
        event.extend((START + time).to_le_bytes());
        padded([&event, payload].concat())
    }

    pub fn sample(&self, time: u64, thread: u32) -> Vec<u8> {
        self.flagged_sample(time, thread, 0)
    }

    /// A sample with flags for the code being executed: 1 is a deferred call, 2 an interrupt.
    pub fn flagged_sample(&self, time: u64, thread: u32, flags: u8) -> Vec<u8> {
        let numbers = [&thread.to_le_bytes()[..], &[1, 0, flags, 0]].concat();
        self.timed(time, (0x0F, 46), &[self.pointer(0), numbers].concat())
    }

    /// Sets the time between samples from now on, in units of 100 ns.
    pub fn interval(&self, time: u64, interval: u32) -> Vec<u8> {
        let payload = [0, interval, 10_000].map(u32::to_le_bytes).concat();
        self.system(time, (0x0F, 73), &payload)
    }

    fn owner(&self, at: u64, (process, thread): (u32, u32)) -> Vec<u8> {
        let time = (START + at).to_le_bytes();
        [&time[..], &process.to_le_bytes(), &thread.to_le_bytes()].concat()
    }

    /// The stack of the event at a time, innermost address first.
    pub fn stack(&self, time: u64, at: u64, owner: (u32, u32), addresses: &[u64]) -> Vec<u8> {
        let payload = [self.owner(at, owner), self.pointers(addresses)].concat();
        self.timed(time, (0x18, 32), &payload)
    }

    /// The stack of the event at a time, by its key.
    pub fn numbered(&self, time: u64, at: u64, owner: (u32, u32), number: u64) -> Vec<u8> {
        let payload = [self.owner(at, owner), self.pointer(number)].concat();
        self.timed(time, (0x18, 38), &payload)
    }

    /// Defines the stack for a key.
    pub fn explained(&self, time: u64, number: u64, addresses: &[u64]) -> Vec<u8> {
        let payload = [self.pointer(number), self.pointers(addresses)].concat();
        self.timed(time, (0x18, 35), &payload)
    }

    pub fn process(&self, time: u64, life: Life, id: u32, name: &str) -> Vec<u8> {
        let mut payload = self.pointer(77);
        payload.extend([id, 1, 1, 0].map(u32::to_le_bytes).concat());
        payload.extend(self.pointer(88));
        // flags; then the user: two pointers, and a SID of twelve bytes with one part
        payload.extend(0u32.to_le_bytes());
        payload.extend(self.pointers(&[1, 0]));
        payload.extend([1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0]);
        payload.extend([name.as_bytes(), &[0]].concat());
        payload.extend([0; 6]);
        let is_end = matches!(life, Life::Ends);
        let opcode = if is_end { 39 } else { life as u8 };
        self.system(time, (3, opcode), &payload)
    }

    pub fn thread(&self, time: u64, life: Life, process: u32, id: u32, name: &str) -> Vec<u8> {
        let mut payload = [process, id].map(u32::to_le_bytes).concat();
        payload.extend(vec![0; 7 * self.header.pointer_bytes + 8]);
        payload.extend(utf16z(name));
        self.system(time, (5, life as u8), &payload)
    }

    /// A file of `size` bytes loaded at `start`.
    pub fn image(
        &self,
        time: u64,
        life: Life,
        process: u32,
        (start, size): (u64, u64),
        path: &str,
    ) -> Vec<u8> {
        let mut payload = self.pointers(&[start, size]);
        payload.extend([process, 0, 0, 0].map(u32::to_le_bytes).concat());
        payload.extend(self.pointer(start));
        payload.extend([0; 16]);
        payload.extend(utf16z(path));
        let is_load = matches!(life, Life::Begins);
        let opcode = if is_load { 10 } else { life as u8 };
        self.system(time, (0x14, opcode), &payload)
    }

    /// A method that the runtime of a process compiles, or that its rundown lists.
    pub fn method(
        &self,
        time: u64,
        life: Life,
        process: u32,
        (start, size): (u64, u32),
        name: &str,
    ) -> Vec<u8> {
        let mut payload = [1, 55, start].map(u64::to_le_bytes).concat();
        payload.extend([size, 0, 0].map(u32::to_le_bytes).concat());
        payload.extend(["Shop.Cart", name, "void ()"].map(utf16z).concat());
        let (provider, event) = match life {
            Life::Begins => (RUNTIME, 143),
            Life::Ends => (RUNTIME, 144),
            Life::Known => (RUNDOWN, 144),
        };
        self.provided(time, process, (provider, event), &payload)
    }

    /// The module of all methods.
    pub fn module(&self, time: u64, process: u32, path: &str) -> Vec<u8> {
        let payload = [[55, 1, 0].map(u64::to_le_bytes).concat(), utf16z(path)].concat();
        self.provided(time, process, (RUNTIME, 152), &payload)
    }

    /// Any runtime event of a process, from one of its threads.
    pub fn runtime(
        &self,
        time: u64,
        (process, thread): (u32, u32),
        event: u16,
        payload: &[u8],
    ) -> Vec<u8> {
        let mut bytes = self.provided(time, process, (RUNTIME, event), payload);
        bytes[8..12].copy_from_slice(&thread.to_le_bytes());
        bytes
    }

    fn provided(
        &self,
        time: u64,
        process: u32,
        (provider, event): (&[u8; 16], u16),
        payload: &[u8],
    ) -> Vec<u8> {
        // an item between header and payload: eight bytes that describe it, and eight bytes of data
        let item = [0, 0, 1, 0, 0, 0, 8, 0, 9, 9, 9, 9, 9, 9, 9, 9];
        let size = (80 + item.len() + payload.len()) as u16;
        let mut bytes = size.to_le_bytes().to_vec();
        bytes.extend([if self.is_32() { 0x12 } else { 0x13 }, 0xC0, 1, 0, 0, 0]);
        bytes.extend([1, process].map(u32::to_le_bytes).concat());
        bytes.extend((START + time).to_le_bytes());
        bytes.extend(provider);
        bytes.extend(event.to_le_bytes());
        bytes.resize(80, 0);
        padded([&bytes[..], &item, payload].concat())
    }
}

fn padded(mut event: Vec<u8>) -> Vec<u8> {
    event.resize(event.len().next_multiple_of(8), 0);
    event
}
