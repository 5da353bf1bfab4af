//! The file around the records: its head, the events, what it says about the machine, compression, and the order of time.
//!
//! Source: `tools/perf/Documentation/perf.data-file-format.txt` and `tools/perf/util/header.c` of Linux.

use super::records::{Event, ID, IDENTIFIER, Record, TIME, kind};
use crate::input::cursor::{Cursor, utf8z};
use crate::input::{ImportError, Input, Progress};
use crate::model::Cancelled;
use std::collections::HashMap;
use std::io::Read as _;
use std::ops::Range;

/// The first bytes of a file whose numbers begin with the lowest byte.
pub(super) const MAGIC: &[u8] = b"PERFILE2";
/// The size of the head that is followed by records at once, as `perf record -o -` writes it.
const PIPED_HEAD_BYTES: usize = 16;
/// Where the bits of a file's other parts are in its head.
const FEATURES: Range<usize> = 72..104;
/// How many events are read.
const MAX_EVENTS: usize = 10_000;
/// How much is unpacked between two checks.
const PIECE_BYTES: u64 = 1 << 20;
/// The numbers of these parts.
const BUILD_IDS: usize = 2;
pub(super) const HOST_NAME: usize = 3;
pub(super) const RELEASE: usize = 4;
const COMMAND_LINE: usize = 11;
const EVENT_NAMES: usize = 12;
/// Those that are facts.
pub(super) const FACTS: [(usize, &str); 4] = [
    (RELEASE, "operating system"),
    (6, "architecture"),
    (8, "processor"),
    (COMMAND_LINE, "perf command"),
];

/// The time of a record, 0 where it has none, where it is, and the number of its event.
type Place = (u64, usize, u32);

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
    /// What the file says about the machine, by number.
    texts: HashMap<usize, String>,
    /// Where it breaks off or can't be read on.
    pub broken_off: Option<u64>,
    compressed: Vec<u8>,
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
        // where there is no whole head, it breaks off at its end
        let range = file.head(&bytes).unwrap_or(length..length + 1);
        file.bytes = bytes;
        file.find_records(range, &input.progress)?;
        let packed = std::mem::take(&mut file.compressed);
        if !packed.is_empty() {
            file.unpack(&packed, input)?;
            file.find_records(length..file.bytes.len(), &input.progress)?;
        }
        // records of one time stay in their order
        file.places.sort_by_key(|place| place.0);
        Ok(file)
    }

    /// Reads the head; where the records are.
    fn head(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let mut fields = Cursor::new(bytes.get(MAGIC.len()..)?);
        if fields.size()? == PIPED_HEAD_BYTES {
            return Some(PIPED_HEAD_BYTES..bytes.len());
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
            return Some(start..bytes.len());
        }
        let mut sections = Cursor::new(&bytes[end..]);
        let bits = bytes.get(FEATURES)?;
        let is_there = |number: &usize| bits[number / 8] >> (number % 8) & 1 == 1;
        for number in (0..8 * bits.len()).filter(is_there) {
            match section(bytes, &mut sections) {
                Some(feature) => drop(self.feature(number, feature)),
                None => self.broken_off = Some(bytes.len() as u64),
            }
        }
        Some(start..end)
    }

    /// Adds an event with its ids, of which there are two for each processor.
    fn add_event(&mut self, attr: &[u8], ids: &[u8]) -> Option<()> {
        let number = self.events.len();
        if number < MAX_EVENTS {
            self.events.push(Event::read(attr)?);
            let mut ids = Cursor::new(ids);
            while let Some(id) = ids.u64().filter(|_| self.ids_left > 0) {
                self.ids_left -= 1;
                self.by_id.insert(id, number as u32);
            }
        }
        Some(())
    }

    /// Reads what the file says about the machine or the events.
    fn feature(&mut self, number: usize, bytes: &[u8]) -> Option<()> {
        let mut fields = Cursor::new(bytes);
        match number {
            BUILD_IDS => {
                let mut rest = bytes;
                while let Some((record, after)) = Record::split(rest) {
                    self.build_id(&record);
                    rest = after;
                }
            }
            EVENT_NAMES => {
                let (_, size) = (fields.u32()?, fields.u32()? as usize);
                // they are in the order of the events
                for event in &mut self.events {
                    fields.skip(size)?;
                    let ids = fields.u32()? as usize;
                    event.name = text(&mut fields)?;
                    fields.skip(ids.checked_mul(8)?)?;
                }
            }
            HOST_NAME..=COMMAND_LINE => {
                let is_list = number == COMMAND_LINE;
                let count = if is_list { fields.u32()? } else { 1 };
                let words = (0..count).map_while(|_| text(&mut fields));
                let words: Vec<String> = words.collect();
                self.texts.insert(number, words.join(" "));
            }
            _ => {}
        }
        Some(())
    }

    /// Reads which build of a file was recorded.
    fn build_id(&mut self, record: &Record) -> Option<()> {
        let mut fields = Cursor::new(record.body);
        let (_, id) = (fields.u32()?, fields.take(20)?);
        // old ones have zeros in place of a size
        let size = Some(fields.u32()? as usize & 0xff).filter(|&size| size > 0);
        let id = id.get(..size.unwrap_or(id.len()))?;
        self.build_ids.insert(utf8z(fields.rest()), id.into());
        Some(())
    }

    /// Finds the records between two places, and reads those of perf.
    fn find_records(&mut self, range: Range<usize>, progress: &Progress) -> Result<(), Cancelled> {
        let (mut at, end) = (range.start, range.end);
        let bytes = std::mem::take(&mut self.bytes);
        while let Some((record, after)) = bytes.get(at..end).and_then(Record::split) {
            progress.check_cancelled()?;
            let more = self.found(&record, at).unwrap_or(0);
            at = (end - after.len()).saturating_add(more);
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
            ..kind::HEADER_ATTR => {
                let (event, time) = self.event_and_time(record);
                self.places.push((time, offset, event));
            }
            kind::AUXTRACE => return fields.size(),
            kind::TRACING_DATA => return Some((fields.u32()? as usize).next_multiple_of(8)),
            kind::HEADER_ATTR => {
                let (_, size) = (fields.u32()?, fields.u32()? as usize);
                self.add_event(body, body.get(size..).unwrap_or(&[]))?;
            }
            kind::HEADER_FEATURE => self.feature(fields.size()?, &body[8..])?,
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
            input.progress.check_cancelled()?;
            let Ok(read) = unpacked.take(PIECE_BYTES).read_to_end(&mut self.bytes) else {
                break;
            };
            if read == 0 {
                return Ok(());
            }
            let (packed, size) = (packed.len() as u64, self.bytes.len() - start);
            input.packaging.limit(&input.name, packed, size as u64)?;
        }
        self.broken_off.get_or_insert(self.bytes.len() as u64);
        Ok(())
    }

    /// Of which event a record is, and its time.
    fn event_and_time(&self, record: &Record) -> (u32, u64) {
        let fields = |event: u32| Some(self.events.get(event as usize)?.fields(record)?.0);
        let first = fields(0).unwrap_or_default();
        let id = first[IDENTIFIER].or(first[ID]);
        let event = id.and_then(|id| self.by_id.get(&id)).map_or(0, |&id| id);
        let own = if event == 0 {
            Some(first)
        } else {
            fields(event)
        };
        let time = own.and_then(|fields| fields[TIME]);
        // perf has no time for what it adds itself
        (event, time.filter(|&time| time != u64::MAX).unwrap_or(0))
    }

    /// What the file says about the machine; empty if it does not.
    pub(super) fn text(&self, number: usize) -> &str {
        self.texts.get(&number).map_or("", |text| text)
    }

    /// The kernel's records in time order, with their events.
    pub(super) fn records(&self) -> impl Iterator<Item = (&Event, Record<'_>)> {
        self.places.iter().filter_map(|&(_, offset, event)| {
            let (record, _) = Record::split(&self.bytes[offset..])?;
            Some((self.events.get(event as usize)?, record))
        })
    }
}
