//! The kernel's records, and the fields of samples: `include/uapi/linux/perf_event.h` of Linux.

use crate::importers::perf_script::header::SampleHeader;
use crate::importers::symbols::KERNEL;
use crate::input::cursor::Cursor;

/// The kernel's, and from 64 on those of perf itself.
pub(super) mod kind {
    pub(in super::super) const MMAP: u32 = 1;
    pub(in super::super) const LOST: u32 = 2;
    pub(in super::super) const COMM: u32 = 3;
    pub(in super::super) const FORK: u32 = 7;
    pub(in super::super) const SAMPLE: u32 = 9;
    pub(in super::super) const MMAP_2: u32 = 10;
    pub(in super::super) const LOST_SAMPLES: u32 = 13;
    pub(in super::super) const HEADER_ATTR: u32 = 64;
    pub(in super::super) const TRACING_DATA: u32 = 66;
    pub(in super::super) const AUXTRACE: u32 = 71;
    pub(in super::super) const HEADER_FEATURE: u32 = 80;
    pub(in super::super) const COMPRESSED: u32 = 81;
    pub(in super::super) const COMPRESSED_2: u32 = 83;
}

/// Bits of `sample_type`, for 8-byte fields.
const IP: usize = 0;
const TID: usize = 1;
pub(super) const TIME: usize = 2;
pub(super) const ID: usize = 6;
const PERIOD: usize = 8;
pub(super) const IDENTIFIER: usize = 16;
/// At the start of samples, which also have address, stream id and processor, and at the end of other records.
const IN_SAMPLES: [usize; 9] = [IDENTIFIER, IP, TID, TIME, 3, ID, 9, 7, PERIOD];
const AT_END: [usize; 6] = [TID, TIME, ID, 9, 7, IDENTIFIER];
pub(super) type Fields = [Option<u64>; IDENTIFIER + 1];
/// Counters, a call chain, a copy of the stack.
const READ: usize = 4;
const CALLCHAIN: usize = 5;
pub(super) const STACK_USER: usize = 13;

/// Addresses with the owner of their memory: a process, [`KERNEL`], or `None` for a hypervisor or guest.
pub(super) type Stack = Vec<(Option<u32>, u64)>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    pub(super) fn split(bytes: &'a [u8]) -> Option<(Record<'a>, &'a [u8])> {
        let mut head = Cursor::new(bytes);
        let (kind, misc, size) = (head.u32()?, head.u16()?, head.u16()?);
        let (record, after) = bytes.split_at_checked(size.into())?;
        let body = record.get(head.position()..)?;
        Some((Record { kind, misc, body }, after))
    }

    /// Of the code that the record is about, as in [`Stack`].
    pub(super) fn owner(&self, pid: u32) -> Option<u32> {
        match self.misc & 7 {
            1 => Some(KERNEL),
            2 => Some(pid),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Event {
    pub name: String,
    period: u64,
    fields: u64,
    read_format: u64,
}

impl Event {
    pub(super) fn read(attr: &[u8]) -> Option<Event> {
        let mut attr = Cursor::new(attr);
        let (kind, _) = (attr.u32()?, attr.u32()?);
        Some(Event {
            name: event_name(kind, attr.u64()?),
            period: attr.u64()?,
            fields: attr.u64()?,
            read_format: attr.u64()?,
        })
    }

    pub(super) fn has(&self, field: usize) -> bool {
        self.fields >> field & 1 == 1
    }

    /// The 8-byte fields of a record, and what follows them in a sample.
    pub(super) fn fields<'r>(&self, record: &Record<'r>) -> Option<(Fields, Cursor<'r>)> {
        let is_sample = record.kind == kind::SAMPLE;
        let order = if is_sample { &IN_SAMPLES[..] } else { &AT_END };
        let numbers = order.iter().filter(|&&number| self.has(number));
        let mut rest = Cursor::new(record.body);
        if !is_sample {
            rest.skip(record.body.len().checked_sub(8 * numbers.clone().count())?)?;
        }
        let mut fields = Fields::default();
        for &number in numbers {
            fields[number] = Some(rest.u64()?);
        }
        Some((fields, rest))
    }

    /// A sample, without the name of its thread, and its stack, innermost first.
    pub(super) fn sample(&self, record: &Record, stack: &mut Stack) -> Option<SampleHeader<'_>> {
        let (fields, mut rest) = self.fields(record)?;
        let ids = fields[TID].unwrap_or(u64::MAX);
        let (pid, tid) = (ids as u32, (ids >> 32) as u32);
        if self.has(READ) {
            self.skip_counters(&mut rest)?;
        }
        stack.clear();
        if self.has(CALLCHAIN) {
            let mut owner = record.owner(pid);
            for _ in 0..rest.u64()? {
                match rest.u64()?.cast_signed() {
                    // the owner of what follows: the kernel, the process, others
                    -128 => owner = Some(KERNEL),
                    -512 => owner = Some(pid),
                    -4095..0 => owner = None,
                    address => stack.push((owner, address.cast_unsigned())),
                }
            }
        }
        if stack.is_empty() {
            stack.extend(fields[IP].map(|ip| (record.owner(pid), ip)));
        }
        Some(SampleHeader {
            pid: Some(pid),
            tid,
            time_ns: fields[TIME],
            period: fields[PERIOD].or(Some(self.period)),
            event: &self.name,
            ..SampleHeader::default()
        })
    }

    fn skip_counters(&self, fields: &mut Cursor) -> Option<()> {
        let count = |bits: u64| (self.read_format & bits).count_ones() as usize;
        // the times enabled and running, and per counter an id and the number of lost samples
        let (times, each) = (count(1 | 1 << 1), 1 + count(1 << 2 | 1 << 4));
        let is_group = count(1 << 3) > 0;
        let counters = if is_group { fields.size()? } else { 1 };
        fields.skip(counters.checked_mul(8 * each)?.checked_add(8 * times)?)
    }
}

/// perf's name for an event without one in the file.
fn event_name(kind: u32, config: u64) -> String {
    const NAMES: &str = "cycles instructions cache-references cache-misses \
        cpu-clock task-clock page-faults context-switches";
    let number = 4 * kind.min(2) as usize + config.min(4) as usize;
    let name = NAMES.split(' ').nth(number).filter(|_| config < 4);
    name.map_or_else(|| format!("event {kind}:{config:#x}"), Into::into)
}
