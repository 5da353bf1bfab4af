//! The file around the records: its head, the events, what it says of the machine, compression, and the order of time.
//!
//! Source: `tools/perf/Documentation/perf.data-file-format.txt` and `tools/perf/util/header.c` of Linux.

use super::records::{Event, Record, field, kind};
use crate::input::cursor::{Cursor, utf8z};
use crate::input::{ImportError, Input, Progress};
use std::collections::HashMap;
use std::io::Read as _;

/// The first bytes of a file whose numbers begin with the lowest byte.
pub(super) const MAGIC: &[u8] = b"PERFILE2";
/// The size of the head that is followed by records at once, as `perf record -o -` writes it.
const PIPED_HEAD_BYTES: usize = 16;
/// Where the bits of what a file has besides are in its head, and how many there are.
const FEATURES_AT: usize = 72;
const FEATURES: usize = 256;
/// How many events are read.
const MAX_EVENTS: usize = 10_000;
/// How much is unpacked between two checks.
const PIECE_BYTES: u64 = 1 << 20;
/// What a file says of the machine, by number, and its name in facts.
const FACTS: [(usize, &str); 4] = [
    (4, "operating system"),
    (6, "architecture"),
    (8, "processor"),
    (11, "perf command"),
];
const BUILD_IDS: usize = 2;
const HOST_NAME: usize = 3;
const COMMAND_LINE: usize = 11;
const EVENT_NAMES: usize = 12;
/// How long a build id is at most, and the bit of a record that it says how long it is.
const BUILD_ID_BYTES: usize = 20;
const HAS_SIZE: u16 = 1 << 15;

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

/// A part of a file, whose place and size are next, if it is within it.
fn section<'a>(bytes: &'a [u8], fields: &mut Cursor) -> Option<&'a [u8]> {
    let (offset, size) = (fields.size()?, fields.size()?);
    bytes.get(offset..offset.checked_add(size)?)
}

/// A text after its length, padded with zeros.
fn text(fields: &mut Cursor) -> Option<String> {
    let length = fields.u32()?;
    fields.take(length as usize).map(utf8z)
}

impl PerfFile {
    /// Reads a file that starts with [`MAGIC`].
    ///
    /// # Errors
    /// Cancelled; compressed records unpack to too much.
    pub(super) fn read(bytes: Vec<u8>, input: &Input) -> Result<PerfFile, ImportError> {
        let length = bytes.len();
        let mut file = PerfFile {
            ids_left: length / 8,
            ..PerfFile::default()
        };
        let (start, end) = file.head(&bytes).unwrap_or_else(|| {
            file.broken_off = Some(length as u64);
            (length, length)
        });
        file.bytes = bytes;
        file.find_records(start, end, &input.progress)?;
        let packed = std::mem::take(&mut file.compressed);
        if !packed.is_empty() {
            file.unpack(&packed, input)?;
            file.find_records(length, file.bytes.len(), &input.progress)?;
        }
        // records of one time stay in their order
        file.places.sort_by_key(|place| place.time);
        Ok(file)
    }

    /// Reads the head; where the records are.
    fn head(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let mut fields = Cursor::new(bytes.get(MAGIC.len()..)?);
        if fields.size()? == PIPED_HEAD_BYTES {
            return Some((PIPED_HEAD_BYTES, bytes.len()));
        }
        let event_bytes = fields.size()?;
        // each ends with where its ids are
        let attr_bytes = event_bytes.checked_sub(16)?;
        for event in section(bytes, &mut fields)?.chunks_exact(event_bytes) {
            let (attr, ids) = event.split_at(attr_bytes);
            let ids = section(bytes, &mut Cursor::new(ids));
            self.add_event(attr, ids.unwrap_or(&[]))?;
        }
        let (start, size) = (fields.size()?, fields.size()?);
        let end = start.checked_add(size)?;
        // the size is filled in when perf ends properly
        if size == 0 || end > bytes.len() {
            self.broken_off = Some(bytes.len() as u64);
            return Some((start, bytes.len()));
        }
        let mut sections = Cursor::new(&bytes[end..]);
        let bits = bytes.get(FEATURES_AT..FEATURES_AT + FEATURES / 8)?;
        for number in (0..FEATURES).filter(|number| bits[number / 8] >> (number % 8) & 1 == 1) {
            match section(bytes, &mut sections) {
                Some(feature) => drop(self.feature(number, feature)),
                None => self.broken_off = Some(bytes.len() as u64),
            }
        }
        Some((start, end))
    }

    /// Adds an event with its ids, of which there are two for each processor.
    fn add_event(&mut self, attr: &[u8], ids: &[u8]) -> Option<()> {
        let number = self.events.len();
        if number < MAX_EVENTS {
            self.events.push(Event::read(attr)?);
            let count = (ids.len() / 8).min(self.ids_left);
            self.ids_left -= count;
            let mut ids = Cursor::new(ids);
            let ids = std::iter::from_fn(|| ids.u64()).take(count);
            self.by_id.extend(ids.map(|id| (id, number as u32)));
        }
        Some(())
    }

    /// Reads what the file says of the machine or of the events.
    fn feature(&mut self, number: usize, bytes: &[u8]) -> Option<()> {
        let mut fields = Cursor::new(bytes);
        match number {
            BUILD_IDS => {
                let mut rest = bytes;
                while let Some(record) = Record::at(rest) {
                    self.build_id(&record);
                    rest = &rest[record.size()..];
                }
            }
            HOST_NAME => self.host_name = text(&mut fields)?,
            EVENT_NAMES => {
                let (_, size) = (fields.u32()?, fields.u32()? as usize);
                // they stand in the order of the events
                for event in &mut self.events {
                    fields.skip(size)?;
                    let ids = fields.u32()? as usize;
                    event.name = text(&mut fields)?;
                    fields.skip(ids.checked_mul(8)?)?;
                }
            }
            _ => {
                let (_, what) = *FACTS.iter().find(|(fact, _)| *fact == number)?;
                let count = match number {
                    COMMAND_LINE => fields.u32()?,
                    _ => 1,
                };
                let words = (0..count).map_while(|_| text(&mut fields));
                self.facts.push((what, words.collect::<Vec<_>>().join(" ")));
            }
        }
        Some(())
    }

    /// Reads which build of a file was recorded.
    fn build_id(&mut self, record: &Record) -> Option<()> {
        let (_, row) = record.body.split_at_checked(4)?;
        let (id, row) = row.split_at_checked(BUILD_ID_BYTES)?;
        let length = match record.misc & HAS_SIZE {
            0 => BUILD_ID_BYTES,
            _ => usize::from(*row.first()?).min(BUILD_ID_BYTES),
        };
        let path = utf8z(row.get(4..)?);
        self.build_ids.insert(path, id[..length].into());
        Some(())
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
        while let Some(record) = bytes.get(at..end).and_then(Record::at) {
            count += 1;
            if count.is_multiple_of(10_000) {
                progress.go_on()?;
            }
            let more = self.found(&record, at).unwrap_or(0);
            at = at.saturating_add(record.size()).saturating_add(more);
        }
        if at != end {
            self.broken_off.get_or_insert(at.min(end) as u64);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Reads a record of perf, or notes where one of the kernel is. Gives how many bytes follow it that its size does not count.
    fn found(&mut self, record: &Record, offset: usize) -> Option<usize> {
        let (body, mut fields) = (record.body, Cursor::new(record.body));
        match record.kind {
            kind::SAMPLE if body.is_empty() => self.empty_samples += 1,
            // of an empty one there is nothing to keep
            number if kind::READ.contains(&number) && !body.is_empty() => {
                let (event, time) = self.event_and_time(record);
                self.places.push(Place {
                    time,
                    offset,
                    event,
                });
            }
            kind::AUXTRACE => return fields.size(),
            kind::TRACING_DATA => return Some((fields.u32()? as usize).next_multiple_of(8)),
            kind::HEADER_ATTR => {
                let (_, size) = (fields.u32()?, fields.u32()? as usize);
                self.add_event(body, body.get(size..).unwrap_or(&[]))?;
            }
            kind::HEADER_FEATURE => self.feature(fields.size()?, &body[8..])?,
            kind::BUILD_ID => self.build_id(record)?,
            kind::COMPRESSED => self.compressed.extend_from_slice(body),
            kind::COMPRESSED_2 => {
                let size = fields.size()?;
                self.compressed.extend_from_slice(fields.take(size)?);
            }
            _ => {}
        }
        None
    }

    /// Unpacks compressed data. All of it is one Zstandard frame, which perf does not end.
    fn unpack(&mut self, packed: &[u8], input: &Input) -> Result<(), ImportError> {
        const EMPTY_LAST_BLOCK: &[u8] = &[1, 0, 0];
        let start = self.bytes.len();
        let stream = packed.chain(EMPTY_LAST_BLOCK);
        let mut unpacked = ruzstd::decoding::StreamingDecoder::new(stream).ok();
        while let Some(unpacked) = &mut unpacked {
            input.progress.go_on()?;
            let mut piece = unpacked.take(PIECE_BYTES);
            match piece.read_to_end(&mut self.bytes) {
                Ok(0) => return Ok(()),
                Ok(_) => {
                    let size = (self.bytes.len() - start) as u64;
                    let packed = packed.len() as u64;
                    input.packaging.limit(&input.name, packed, size)?;
                }
                Err(_) => break,
            }
        }
        self.broken_off.get_or_insert(self.bytes.len() as u64);
        Ok(())
    }

    /// Of which event a record is, and its time.
    fn event_and_time(&self, record: &Record) -> (u32, u64) {
        let Some(first) = self.events.first() else {
            return (0, 0);
        };
        let id = first.field(field::IDENTIFIER, record);
        let id = id.or_else(|| first.field(field::ID, record));
        let event = id.and_then(|id| self.by_id.get(&id)).map_or(0, |&id| id);
        let time = self.events[event as usize].field(field::TIME, record);
        // perf has no time for what it adds itself
        (event, time.filter(|&time| time != u64::MAX).unwrap_or(0))
    }

    /// The release of Linux; empty if it is not known.
    pub(super) fn release(&self) -> &str {
        let mut facts = self.facts.iter();
        let release = facts.find(|(what, _)| *what == FACTS[0].1);
        release.map_or("", |(_, release)| release)
    }

    /// The kernel's records in time order, with their events.
    pub(super) fn records(&self) -> impl Iterator<Item = (Option<&Event>, Record<'_>)> {
        self.places.iter().filter_map(|place| {
            let record = Record::at(&self.bytes[place.offset..])?;
            Some((self.events.get(place.event as usize), record))
        })
    }
}
