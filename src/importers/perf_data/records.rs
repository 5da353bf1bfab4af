//! The records of the kernel, and which fields samples have.
//!
//! Source: `include/uapi/linux/perf_event.h` of Linux.

use crate::input::cursor::Cursor;

/// Kinds of records: those of the kernel, and from 64 on those of perf itself.
pub(super) mod kind {
    pub(in super::super) const MMAP: u32 = 1;
    pub(in super::super) const LOST: u32 = 2;
    pub(in super::super) const COMM: u32 = 3;
    pub(in super::super) const EXIT: u32 = 4;
    pub(in super::super) const FORK: u32 = 7;
    pub(in super::super) const SAMPLE: u32 = 9;
    pub(in super::super) const MMAP_2: u32 = 10;
    pub(in super::super) const LOST_SAMPLES: u32 = 13;
    /// Those of the kernel that are read.
    pub(in super::super) const READ: [u32; 8] =
        [MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP_2, LOST_SAMPLES];
    pub(in super::super) const HEADER_ATTR: u32 = 64;
    pub(in super::super) const TRACING_DATA: u32 = 66;
    pub(in super::super) const BUILD_ID: u32 = 67;
    pub(in super::super) const AUXTRACE: u32 = 71;
    pub(in super::super) const HEADER_FEATURE: u32 = 80;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED_2: u32 = 83;
}

/// Bits of `sample_type`: which fields a sample has.
pub(super) mod field {
    pub(in super::super) const IP: u64 = 1;
    pub(in super::super) const TID: u64 = 1 << 1;
    pub(in super::super) const TIME: u64 = 1 << 2;
    pub(in super::super) const ADDR: u64 = 1 << 3;
    pub(in super::super) const READ: u64 = 1 << 4;
    pub(in super::super) const CALLCHAIN: u64 = 1 << 5;
    pub(in super::super) const ID: u64 = 1 << 6;
    pub(in super::super) const CPU: u64 = 1 << 7;
    pub(in super::super) const PERIOD: u64 = 1 << 8;
    pub(in super::super) const STREAM_ID: u64 = 1 << 9;
    pub(in super::super) const STACK_USER: u64 = 1 << 13;
    pub(in super::super) const IDENTIFIER: u64 = 1 << 16;
    /// The order of those of 8 bytes in front of samples, and at the end of other records.
    pub(super) const IN_SAMPLES: [u64; 9] =
        [IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD];
    pub(super) const AT_END: [u64; 6] = [TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER];
}

/// How long a record's head is.
const HEAD_BYTES: usize = 8;
/// The bit of an event that its records end with fields, too.
const SAMPLE_ID_ALL: u64 = 1 << 18;
/// Call chains hold marks of what follows, which are no addresses: numbers from here on.
const FIRST_CONTEXT: u64 = -4095i64 as u64;
const CONTEXT_KERNEL: u64 = -128i64 as u64;
const CONTEXT_USER: u64 = -512i64 as u64;

/// A record: its kind, its bits, and what stands after its head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    /// The one at the start of these bytes, if it is whole.
    pub(super) fn at(bytes: &'a [u8]) -> Option<Record<'a>> {
        let mut head = Cursor::new(bytes);
        let (kind, misc, size) = (head.u32()?, head.u16()?, head.u16()?);
        let body = bytes.get(HEAD_BYTES..size.into())?;
        Some(Record { kind, misc, body })
    }

    /// How many bytes it has, with its head.
    pub(super) fn size(&self) -> usize {
        HEAD_BYTES + self.body.len()
    }

    /// Whose code it is about.
    pub(super) fn mode(&self) -> Mode {
        match self.misc & 7 {
            1 => Mode::Kernel,
            2 => Mode::User,
            _ => Mode::Other,
        }
    }
}

/// Whose code is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Kernel,
    User,
    /// A hypervisor or a guest.
    Other,
}

/// An event that was recorded.
#[derive(Debug)]
pub(super) struct Event {
    pub name: String,
    pub period: u64,
    /// Which fields its samples have.
    pub fields: u64,
    /// What its counters are read with.
    read_format: u64,
    flags: u64,
}

impl Event {
    /// Reads a `perf_event_attr`.
    pub(super) fn read(attr: &[u8]) -> Option<Event> {
        let mut attr = Cursor::new(attr);
        let (kind, _) = (attr.u32()?, attr.u32()?);
        Some(Event {
            name: event_name(kind, attr.u64()?),
            period: attr.u64()?,
            fields: attr.u64()?,
            read_format: attr.u64()?,
            flags: attr.u64()?,
        })
    }

    /// A field of 8 bytes of a record.
    pub(super) fn field(&self, of: u64, record: &Record) -> Option<u64> {
        let is_there = |field: &&u64| self.fields & **field != 0;
        is_there(&&of).then_some(())?;
        let place = if record.kind == kind::SAMPLE {
            let before = field::IN_SAMPLES.iter().take_while(|field| **field != of);
            8 * before.filter(is_there).count()
        } else {
            let from = field::AT_END.iter().skip_while(|field| **field != of);
            let size = Some(8 * from.filter(is_there).count());
            let size = size.filter(|_| self.flags & SAMPLE_ID_ALL != 0)?;
            record.body.len().checked_sub(size)?
        };
        Cursor::new(record.body.get(place..)?).u64()
    }

    /// Reads the stack of a sample, innermost first, with whose code it is; `None` if the sample is too short.
    pub(super) fn stack(&self, sample: &Record, stack: &mut Vec<(Mode, u64)>) -> Option<()> {
        let has = |field: &u64| self.fields & field != 0;
        let mut rest = Cursor::new(sample.body);
        rest.skip(8 * field::IN_SAMPLES.into_iter().filter(has).count())?;
        if has(&field::READ) {
            self.skip_counters(&mut rest)?;
        }
        stack.clear();
        let mut mode = sample.mode();
        if has(&field::CALLCHAIN) {
            for _ in 0..rest.u64()? {
                match rest.u64()? {
                    CONTEXT_KERNEL => mode = Mode::Kernel,
                    CONTEXT_USER => mode = Mode::User,
                    FIRST_CONTEXT.. => mode = Mode::Other,
                    address => stack.push((mode, address)),
                }
            }
        }
        if stack.is_empty() {
            let ip = self.field(field::IP, sample);
            stack.extend(ip.map(|ip| (sample.mode(), ip)));
        }
        Some(())
    }

    /// Passes the values of counters.
    fn skip_counters(&self, fields: &mut Cursor) -> Option<()> {
        const TIMES: u64 = 0b11;
        const GROUP: u64 = 1 << 3;
        /// An id and a number of lost samples of each counter.
        const OF_EACH: u64 = 1 << 2 | 1 << 4;
        let times = (self.read_format & TIMES).count_ones() as usize;
        let each = 1 + (self.read_format & OF_EACH).count_ones() as usize;
        let words = match self.read_format & GROUP {
            0 => each + times,
            _ => fields.size()?.checked_mul(each)?.checked_add(times)?,
        };
        fields.skip(words.checked_mul(8)?)
    }
}

/// What perf calls an event, where the file does not name it.
fn event_name(kind: u32, config: u64) -> String {
    const NAMES: [[&str; 4]; 2] = [
        ["cycles", "instructions", "cache-references", "cache-misses"],
        ["cpu-clock", "task-clock", "page-faults", "context-switches"],
    ];
    let names = NAMES.get(kind as usize).map_or(&[][..], |names| names);
    match usize::try_from(config).ok().and_then(|at| names.get(at)) {
        Some(name) => (*name).into(),
        None => format!("event {kind}:{config:#x}"),
    }
}
