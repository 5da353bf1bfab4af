//! The file around the records: its head, the events, what it says of the machine, compression, and the order of time.
//!
//! Source: `tools/perf/Documentation/perf.data-file-format.txt` and `tools/perf/util/header.c` of Linux.

use super::fields::{Fields, text};
use crate::input::{ImportError, Input, Progress};
use std::collections::HashMap;
use std::io::{Cursor, Read as _};

/// The first bytes of a file, by byte order.
pub(super) const MAGIC: [&[u8]; 2] = [b"PERFILE2", b"2ELIFREP"];
/// The size of the head that is followed by records at once, as `perf record -o -` writes it.
const PIPED_HEAD_BYTES: u64 = 16;
/// Where the bits of what a file has besides are in its head.
const FEATURES_AT: usize = 72;
/// How many events are read.
const MAX_EVENTS: usize = 10_000;
/// How much is unpacked between two checks.
const PIECE_BYTES: u64 = 1 << 20;
/// What a file says of the machine, by number, and its name in facts.
const FACTS: [(u32, &str); 4] = [
    (4, "operating system"),
    (6, "architecture"),
    (8, "processor"),
    (11, "perf command"),
];
const BUILD_IDS: u32 = 2;
const HOST_NAME: u32 = 3;
const COMMAND_LINE: u32 = 11;
const EVENT_NAMES: u32 = 12;
/// How long a record's head is, and how long a build id is at most.
const RECORD_HEAD_BYTES: usize = 8;
const BUILD_ID_BYTES: usize = 20;
/// The bit of a record that a build id says how long it is.
pub(super) const HAS_SIZE: u16 = 1 << 15;

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
}

/// An event that was recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub name: String,
    pub period: u64,
    /// Which fields its samples have.
    pub fields: u64,
    /// What its counters are read with.
    pub read_format: u64,
    /// Whether records that are no samples end with fields, too.
    has_trailer: bool,
}

/// A record of the kernel's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub kind: u32,
    pub misc: u16,
    pub event: usize,
    /// What stands after its head.
    pub body: &'a [u8],
}

/// Where a record is.
struct Place {
    /// 0 where it has no time: those come first.
    time: u64,
    offset: usize,
    event: u32,
}

/// A whole file, or what there is of it.
#[derive(Default)]
pub(super) struct PerfFile {
    bytes: Vec<u8>,
    pub is_big_endian: bool,
    pub events: Vec<Event>,
    by_id: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// How many more ids are read: lists of them may lie over each other, but a file has no more than it is large.
    ids_left: usize,
    places: Vec<Place>,
    /// By the paths of files.
    pub build_ids: HashMap<String, Box<[u8]>>,
    pub host_name: String,
    pub facts: Vec<(&'static str, String)>,
    /// Where it breaks off or can't be read on.
    pub broken_off: Option<u64>,
    compressed: Vec<u8>,
    /// How many samples have nothing in them.
    pub empty_samples: u64,
}

/// Where a part of a file is, if that is within it.
fn section<'a>(bytes: &'a [u8], fields: &mut Fields) -> Option<&'a [u8]> {
    let (offset, size) = (fields.size()?, fields.size()?);
    bytes.get(offset..offset.checked_add(size)?)
}

impl PerfFile {
    /// Reads a file that starts with one of [`MAGIC`].
    ///
    /// # Errors
    /// Cancelled; compressed records unpack to too much.
    pub(super) fn read(bytes: Vec<u8>, input: &Input) -> Result<PerfFile, ImportError> {
        let progress = &input.progress;
        let mut file = PerfFile {
            is_big_endian: bytes.starts_with(MAGIC[1]),
            ids_left: bytes.len() / 8,
            ..PerfFile::default()
        };
        let length = bytes.len();
        let (start, end) = file.head(&bytes).unwrap_or_else(|| {
            file.broken_off = Some(length as u64);
            (length, length)
        });
        file.bytes = bytes;
        file.find_records(start, end, progress)?;
        let packed = std::mem::take(&mut file.compressed);
        if !packed.is_empty() {
            file.unpack(&packed, input)?;
            file.find_records(length, file.bytes.len(), progress)?;
        }
        // records of one time stay in their order
        file.places.sort_by_key(|place| place.time);
        Ok(file)
    }

    fn fields<'a>(&self, bytes: &'a [u8]) -> Fields<'a> {
        Fields::new(bytes, self.is_big_endian)
    }

    /// Reads the head; where the records are.
    fn head(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let mut fields = self.fields(bytes.get(8..)?);
        if fields.u64()? == PIPED_HEAD_BYTES {
            return Some((PIPED_HEAD_BYTES as usize, bytes.len()));
        }
        let event_bytes = fields.size()?.checked_sub(16)?;
        let events = section(bytes, &mut fields)?;
        for event in events
            .chunks_exact(event_bytes.checked_add(16)?)
            .take(MAX_EVENTS)
        {
            let (event, mut ids) = (self.event(event)?, self.fields(&event[event_bytes..]));
            self.add_event(event, section(bytes, &mut ids).unwrap_or(&[]));
        }
        let (start, size) = (fields.size()?, fields.size()?);
        let end = start.checked_add(size)?;
        // the size is filled in when perf ends properly
        if size == 0 || end > bytes.len() {
            self.broken_off = Some(bytes.len() as u64);
            return Some((start, bytes.len()));
        }
        let mut sections = self.fields(&bytes[end..]);
        let mut bits = self.fields(bytes.get(FEATURES_AT..)?);
        for word in 0..4 {
            let bits = bits.u64()?;
            for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                match section(bytes, &mut sections) {
                    Some(feature) => drop(self.feature(word * 64 + bit, feature)),
                    None => self.broken_off = Some(bytes.len() as u64),
                }
            }
        }
        Some((start, end))
    }

    /// Reads a `perf_event_attr`.
    fn event(&self, attr: &[u8]) -> Option<Event> {
        let mut fields = self.fields(attr);
        let (kind, _) = (fields.u32()?, fields.u32()?);
        let config = fields.u64()?;
        let event = Event {
            name: event_name(kind, config),
            period: fields.u64()?,
            fields: fields.u64()?,
            read_format: fields.u64()?,
            has_trailer: false,
        };
        let flags = fields.u64()?;
        // bits are counted from the other end in the other byte order
        let bit = if self.is_big_endian { 63 - 18 } else { 18 };
        Some(Event {
            has_trailer: flags >> bit & 1 == 1,
            ..event
        })
    }

    /// Adds an event with its ids, of which there are two for each processor.
    fn add_event(&mut self, event: Event, ids: &[u8]) {
        let number = self.events.len() as u32;
        let mut fields = self.fields(ids);
        let ids = std::iter::from_fn(|| fields.u64()).take(self.ids_left);
        for id in ids {
            self.by_id.insert(id, number);
            self.ids_left -= 1;
        }
        self.events.push(event);
    }

    /// Reads what the file says of the machine or of the events.
    fn feature(&mut self, number: u32, bytes: &[u8]) -> Option<()> {
        let mut fields = self.fields(bytes);
        match number {
            BUILD_IDS => {
                let mut rest = bytes;
                while let Some((_, misc, size)) = self.record_head(rest) {
                    self.build_id(misc, rest.get(RECORD_HEAD_BYTES..size)?);
                    rest = &rest[size..];
                }
            }
            HOST_NAME => self.host_name = fields.text()?,
            EVENT_NAMES => {
                let (count, size) = (fields.u32()?, fields.u32()? as usize);
                for _ in 0..count {
                    fields.skip(size)?;
                    let (ids, name) = (fields.u32()?, fields.text()?);
                    let ids = fields.take((ids as usize).checked_mul(8)?)?;
                    let id = self.fields(ids).u64();
                    self.name_event(id, name);
                }
            }
            _ => {
                let (_, what) = *FACTS.iter().find(|(fact, _)| *fact == number)?;
                let count = if number == COMMAND_LINE {
                    fields.u32()?
                } else {
                    1
                };
                let words = (0..count).map_while(|_| fields.text());
                self.facts.push((what, words.collect::<Vec<_>>().join(" ")));
            }
        }
        Some(())
    }

    /// Names the event that has an id, or the only one.
    fn name_event(&mut self, id: Option<u64>, name: String) {
        let event = match id {
            Some(id) => self.by_id.get(&id).copied(),
            None => (self.events.len() == 1).then_some(0),
        };
        if let Some(event) = event {
            self.events[event as usize].name = name;
        }
    }

    fn build_id(&mut self, misc: u16, body: &[u8]) {
        let mut fields = self.fields(body);
        let id = fields.skip(4).and_then(|()| fields.take(BUILD_ID_BYTES));
        let (Some(id), Some(size), Some(path)) = (id, fields.take(4), body.get(28..)) else {
            return;
        };
        let length = match misc & HAS_SIZE {
            0 => BUILD_ID_BYTES,
            _ => usize::from(size[0]).min(BUILD_ID_BYTES),
        };
        self.build_ids.insert(text(path), id[..length].into());
    }

    /// Kind, bits and size of a record at the start of these bytes.
    fn record_head(&self, bytes: &[u8]) -> Option<(u32, u16, usize)> {
        let mut fields = self.fields(bytes);
        let head = (fields.u32()?, fields.u16()?, usize::from(fields.u16()?));
        (RECORD_HEAD_BYTES..=bytes.len())
            .contains(&head.2)
            .then_some(head)
    }

    /// Finds the records between two places, and reads those of perf.
    fn find_records(
        &mut self,
        mut at: usize,
        end: usize,
        progress: &Progress,
    ) -> Result<(), ImportError> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut count = 0usize;
        while at < end {
            let Some((kind, misc, size)) = self.record_head(&bytes[at..end]) else {
                self.broken_off.get_or_insert(at as u64);
                break;
            };
            let body = &bytes[at + RECORD_HEAD_BYTES..at + size];
            count += 1;
            if count.is_multiple_of(10_000) {
                progress.check_cancelled()?;
            }
            match kind {
                kind::SAMPLE if body.is_empty() => self.empty_samples += 1,
                // of an empty one there is nothing to keep
                _ if kind::READ.contains(&kind) && !body.is_empty() => {
                    let (event, time) = self.event_and_time(kind, body);
                    let offset = at;
                    self.places.push(Place {
                        time,
                        offset,
                        event,
                    });
                }
                // what follows these is not counted in their size
                kind::AUXTRACE | kind::TRACING_DATA => {
                    let mut fields = self.fields(body);
                    let more = match kind {
                        kind::AUXTRACE => fields.size(),
                        _ => fields.u32().map(|size| (size as usize).next_multiple_of(8)),
                    };
                    at = at.saturating_add(more.unwrap_or(0));
                }
                _ => drop(self.record_of_perf(kind, misc, body)),
            }
            at = at.saturating_add(size);
        }
        if at > end {
            self.broken_off.get_or_insert(end as u64);
        }
        self.bytes = bytes;
        Ok(())
    }

    fn record_of_perf(&mut self, kind: u32, misc: u16, body: &[u8]) -> Option<()> {
        let mut fields = self.fields(body);
        match kind {
            kind::HEADER_ATTR if self.events.len() < MAX_EVENTS => {
                let size = self.fields(body.get(4..)?).u32()? as usize;
                let event = self.event(body)?;
                self.add_event(event, body.get(size..).unwrap_or(&[]));
            }
            kind::HEADER_FEATURE => {
                let number = u32::try_from(fields.u64()?).ok()?;
                self.feature(number, &body[8..])?;
            }
            kind::BUILD_ID => self.build_id(misc, body),
            kind::COMPRESSED => self.compressed.extend_from_slice(body),
            kind::COMPRESSED_2 => {
                let size = fields.size()?;
                self.compressed.extend_from_slice(fields.take(size)?);
            }
            _ => {}
        }
        Some(())
    }

    /// Unpacks compressed data. All of it is one Zstandard frame, which perf does not end.
    fn unpack(&mut self, packed: &[u8], input: &Input) -> Result<(), ImportError> {
        const EMPTY_LAST_BLOCK: &[u8] = &[1, 0, 0];
        let stream = Cursor::new(packed).chain(EMPTY_LAST_BLOCK);
        let start = self.bytes.len();
        let Ok(mut unpacked) = ruzstd::decoding::StreamingDecoder::new(stream) else {
            self.broken_off.get_or_insert(start as u64);
            return Ok(());
        };
        loop {
            input.progress.check_cancelled()?;
            let mut piece = unpacked.by_ref().take(PIECE_BYTES);
            match piece.read_to_end(&mut self.bytes) {
                Ok(0) => return Ok(()),
                Ok(_) => {
                    let size = (self.bytes.len() - start) as u64;
                    let packed = packed.len() as u64;
                    input.packaging.limit(&input.name, packed, size)?;
                }
                Err(_) => {
                    self.broken_off.get_or_insert(self.bytes.len() as u64);
                    return Ok(());
                }
            }
        }
    }

    /// Of which event a record is, and its time.
    fn event_and_time(&self, kind: u32, body: &[u8]) -> (u32, u64) {
        use field::{ADDR, CPU, ID, IDENTIFIER, IP, STREAM_ID, TID, TIME};
        let Some(first) = self.events.first() else {
            return (0, 0);
        };
        let is_sample = kind == kind::SAMPLE;
        // where a field of 8 bytes is: after those in front of it, or in front of those after it at the end
        let at = |event: &Event, of: u64, before: u64, behind: u64| {
            let count = |fields: u64| (event.fields & fields).count_ones() as usize;
            let place = match is_sample {
                true => count(before) * 8,
                false if event.has_trailer => body.len().checked_sub((count(behind) + 1) * 8)?,
                false => return None,
            };
            let bytes = body.get(place..).filter(|_| event.fields & of != 0)?;
            self.fields(bytes).u64()
        };
        let id = match first.fields & IDENTIFIER {
            _ if self.events.len() == 1 => None,
            0 => at(first, ID, IP | TID | TIME | ADDR, STREAM_ID | CPU),
            _ => at(first, IDENTIFIER, 0, 0),
        };
        let event = id.and_then(|id| self.by_id.get(&id).copied()).unwrap_or(0);
        let time = at(
            &self.events[event as usize],
            TIME,
            IDENTIFIER | IP | TID,
            ID | STREAM_ID | CPU | IDENTIFIER,
        );
        // perf has no time for what it adds itself
        let time = time.filter(|&time| time != u64::MAX);
        (event, time.unwrap_or(0))
    }

    /// The release of Linux; empty if it is not known.
    pub(super) fn release(&self) -> &str {
        let mut facts = self.facts.iter();
        let release = facts.find(|(what, _)| *what == FACTS[0].1);
        release.map_or("", |(_, release)| release)
    }

    /// The kernel's records in time order.
    pub(super) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        self.places.iter().filter_map(|place| {
            let bytes = &self.bytes[place.offset..];
            let (kind, misc, size) = self.record_head(bytes)?;
            Some(Record {
                kind,
                misc,
                event: place.event as usize,
                body: &bytes[RECORD_HEAD_BYTES..size],
            })
        })
    }
}

/// What perf calls an event, where the file does not name it.
fn event_name(kind: u32, config: u64) -> String {
    const OF_PROCESSORS: [&str; 4] = ["cycles", "instructions", "cache-references", "cache-misses"];
    const OF_LINUX: [&str; 4] = ["cpu-clock", "task-clock", "page-faults", "context-switches"];
    let names: &[&str] = match kind {
        0 => &OF_PROCESSORS,
        1 => &OF_LINUX,
        _ => &[],
    };
    let name = usize::try_from(config).ok().and_then(|at| names.get(at));
    name.map_or_else(
        || format!("event {kind}:{config:#x}"),
        |name| (*name).into(),
    )
}
