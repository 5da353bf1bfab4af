//! The header, the events, information about the machine, compression, and time order. Source:
//! `tools/perf/Documentation/perf.data-file-format.txt` and `tools/perf/util/header.c` of Linux.

use super::records::{Event, ID, IDENTIFIER, Record, TIME, kind};
use crate::input::cursor::{Cursor, utf8z};
use crate::input::{ImportError, Input, Progress};
use crate::model::Cancelled;
use std::collections::HashMap;
use std::io::Read as _;
use std::ops::Range;

pub(super) const MAGIC: &[u8] = b"PERFILE2";
/// Records follow directly, as written by `perf record -o -`.
const PIPED_HEAD_BYTES: usize = 16;
/// The bits for a file's features, in the header.
const FEATURES: Range<usize> = 72..104;
const MAX_EVENTS: usize = 10_000;
const PIECE_BYTES: u64 = 1 << 20;
const BUILD_IDS: usize = 2;
pub(super) const HOST_NAME: usize = 3;
pub(super) const RELEASE: usize = 4;
const COMMAND_LINE: usize = 11;
const EVENT_NAMES: usize = 12;
pub(super) const FACTS: [(usize, &str); 4] = [
    (RELEASE, "operating system"),
    (6, "architecture"),
    (8, "processor"),
    (COMMAND_LINE, "perf command"),
];

/// A record's time (0 if it has none), its offset, and the index of its event.
type Place = (u64, usize, u32);

#[derive(Default)]
pub(super) struct PerfFile {
    bytes: Vec<u8>,
    pub events: Vec<Event>,
    by_id: HashMap<u64, u32, foldhash::fast::RandomState>,
    /// Lists of ids may overlap, but the file's size bounds their total.
    remaining_ids: usize,
    places: Vec<Place>,
    pub build_ids: HashMap<String, Box<[u8]>>,
    texts: HashMap<usize, String>,
    pub incomplete_at: Option<u64>,
    compressed: Vec<u8>,
}

/// Given by the offset and size that come next; `None` if out of bounds.
fn section<'a>(bytes: &'a [u8], fields: &mut Cursor) -> Option<&'a [u8]> {
    let (offset, size) = (fields.size()?, fields.size()?);
    bytes.get(offset..offset.checked_add(size)?)
}

fn text(fields: &mut Cursor) -> Option<String> {
    let length = fields.u32()?;
    fields.take(length as usize).map(utf8z)
}

impl PerfFile {
    pub(super) fn read(bytes: Vec<u8>, input: &Input) -> Result<PerfFile, ImportError> {
        let length = bytes.len();
        let mut file = PerfFile {
            remaining_ids: length / 8,
            ..PerfFile::default()
        };
        // with an incomplete header, the file ends unexpectedly at its end
        let range = file.head(&bytes).unwrap_or(length..length + 1);
        file.bytes = bytes;
        file.find_records(range, &input.progress)?;
        let packed = std::mem::take(&mut file.compressed);
        if !packed.is_empty() {
            file.unpack(&packed, input)?;
            file.find_records(length..file.bytes.len(), &input.progress)?;
        }
        // simultaneous records keep their order
        file.places.sort_by_key(|place| place.0);
        Ok(file)
    }

    fn head(&mut self, bytes: &[u8]) -> Option<Range<usize>> {
        let mut fields = Cursor::new(bytes.get(MAGIC.len()..)?);
        if fields.size()? == PIPED_HEAD_BYTES {
            return Some(PIPED_HEAD_BYTES..bytes.len());
        }
        let event_bytes = fields.size()?;
        // each ends with the location of its ids
        let attr_bytes = event_bytes.checked_sub(16)?;
        for event in section(bytes, &mut fields)?.chunks_exact(event_bytes) {
            let (attr, ids) = event.split_at(attr_bytes);
            let ids = section(bytes, &mut Cursor::new(ids));
            self.add_event(attr, ids.unwrap_or(&[]))?;
        }
        let (start, size) = (fields.size()?, fields.size()?);
        let end = start.checked_add(size)?;
        // perf fills in the size when it exits properly
        if size == 0 || end > bytes.len() {
            self.incomplete_at = Some(bytes.len() as u64);
            return Some(start..bytes.len());
        }
        let mut sections = Cursor::new(&bytes[end..]);
        let bits = bytes.get(FEATURES)?;
        let is_set = |number: &usize| bits[number / 8] >> (number % 8) & 1 == 1;
        for number in (0..8 * bits.len()).filter(is_set) {
            match section(bytes, &mut sections) {
                Some(feature) => drop(self.feature(number, feature)),
                None => self.incomplete_at = Some(bytes.len() as u64),
            }
        }
        Some(start..end)
    }

    fn add_event(&mut self, attr: &[u8], ids: &[u8]) -> Option<()> {
        let number = self.events.len();
        if number < MAX_EVENTS {
            self.events.push(Event::read(attr)?);
            let mut ids = Cursor::new(ids);
            while let Some(id) = ids.u64().filter(|_| self.remaining_ids > 0) {
                self.remaining_ids -= 1;
                self.by_id.insert(id, number as u32);
            }
        }
        Some(())
    }

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

    fn build_id(&mut self, record: &Record) -> Option<()> {
        let mut fields = Cursor::new(record.body);
        let (_, id) = (fields.u32()?, fields.take(20)?);
        // old records have zeros in place of a size
        let size = Some(fields.u32()? as usize & 0xff).filter(|&size| size > 0);
        let id = id.get(..size.unwrap_or(id.len()))?;
        self.build_ids.insert(utf8z(fields.rest()), id.into());
        Some(())
    }

    fn find_records(&mut self, range: Range<usize>, progress: &Progress) -> Result<(), Cancelled> {
        let (mut at, end) = (range.start, range.end);
        let bytes = std::mem::take(&mut self.bytes);
        while let Some((record, after)) = bytes.get(at..end).and_then(Record::split) {
            progress.check_cancelled()?;
            let more = self.index_record(&record, at).unwrap_or(0);
            at = (end - after.len()).saturating_add(more);
        }
        if at != end {
            self.incomplete_at.get_or_insert(at.min(end) as u64);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Reads a record of perf, or notes where one of the kernel is. Returns the bytes beyond its size.
    fn index_record(&mut self, record: &Record, offset: usize) -> Option<usize> {
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

    /// Compressed data are a single Zstandard frame that perf does not terminate.
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
        self.incomplete_at.get_or_insert(self.bytes.len() as u64);
        Ok(())
    }

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
        // records that perf adds itself have no time
        (event, time.filter(|&time| time != u64::MAX).unwrap_or(0))
    }

    pub(super) fn text(&self, number: usize) -> &str {
        self.texts.get(&number).map_or("", |text| text)
    }

    pub(super) fn records(&self) -> impl Iterator<Item = (&Event, Record<'_>)> {
        self.places.iter().filter_map(|&(_, offset, event)| {
            let (record, _) = Record::split(&self.bytes[offset..])?;
            Some((self.events.get(event as usize)?, record))
        })
    }
}
