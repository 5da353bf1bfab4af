//! Versions 3 and 4: a sequence of objects, most of which are blocks.
//!
//! Sources: `NetPerfFormat.md` and `NetTraceFormat_v5.md` in microsoft/perfview. The version called 5 there also has
//! the version 4 in its Trace object, and differs only in what follows a metadata record.

use super::blocks::{
    BEGIN_OBJECT, END_OBJECT, END_OF_STREAM, MAX_BLOCK_BYTES, MAX_NAME_BYTES, TRACE_BYTES,
};
use super::events::{self, EventContent};
use super::framing::{BlockReader, BlockResult, StopReason, damaged};
use super::recording::{NettraceRecording, TraceHeader};
use super::version::{Framing, TRACE_NAMES, unsupported_version};
use crate::importers::messages;
use crate::importers::stream::Ending;

const BLOCK_VERSION: u32 = 2;

struct BegunObject {
    name: String,
    offset: u64,
    version: u32,
    minimum_reader_version: u32,
}

impl BegunObject {
    fn printable(&self) -> String {
        let shown = |c: char| if c.is_ascii_graphic() { c } else { '?' };
        self.name.chars().map(shown).take(40).collect()
    }
}

impl BlockReader {
    fn byte(&mut self) -> Result<u8, StopReason> {
        let byte = self.stream.array()?.map(|[byte]| byte);
        byte.ok_or_else(|| self.cut())
    }

    fn require(&mut self, tag: u8) -> Result<(), StopReason> {
        let offset = self.stream.offset;
        match self.byte()? {
            found if found == tag => Ok(()),
            found => Err(damaged(offset, messages::other_byte(&tag, &found))),
        }
    }

    fn begin(&mut self, framing: Framing) -> Result<BegunObject, StopReason> {
        let offset = self.stream.offset;
        let begin = match framing {
            Framing::V3 => 4,
            _ => BEGIN_OBJECT,
        };
        match self.byte()? {
            found if found == begin => {}
            END_OF_STREAM => return Err(StopReason::Ended(Ending::Complete)),
            found => return Err(damaged(offset, messages::no_object_start(&begin, &found))),
        }
        self.require(begin)?;
        self.require(END_OF_STREAM)?;
        let (version, minimum_reader_version) = (self.u32()?, self.u32()?);
        let name_offset = self.stream.offset;
        let name_bytes = self.u32()? as usize;
        if name_bytes > MAX_NAME_BYTES {
            let problem = messages::bad_name_length(&name_bytes);
            return Err(damaged(name_offset, problem));
        }
        let mut name = Vec::new();
        self.stream.read(name_bytes, &mut name)?;
        if name.len() < name_bytes {
            return Err(self.cut());
        }
        self.require(END_OBJECT)?;
        Ok(BegunObject {
            name: String::from_utf8_lossy(&name).into_owned(),
            offset,
            version,
            minimum_reader_version,
        })
    }

    pub(super) fn trace_object(&mut self, framing: Framing) -> Result<TraceHeader, StopReason> {
        let begun = self.begin(framing)?;
        if !TRACE_NAMES.contains(&begun.name.as_str()) {
            let problem = messages::no_trace_object(&begun.printable());
            return Err(damaged(begun.offset, problem));
        }
        let versions = match framing {
            Framing::V3 => 3..=3,
            _ => 4..=5,
        };
        let (version, minimum) = (begun.version, begun.minimum_reader_version);
        if !versions.contains(&version) || minimum > *versions.end() {
            let unsupported_version = unsupported_version(&self.stream, version.max(minimum));
            return Err(StopReason::Failed(unsupported_version.into()));
        }
        let offset = self.stream.offset;
        let content = self.stream.array::<TRACE_BYTES>()?;
        let content = content.ok_or_else(|| self.cut())?;
        let header = TraceHeader::parse(&content, false);
        let header = header.map_err(|problem| damaged(offset, problem))?;
        self.require(END_OBJECT)?;
        Ok(header)
    }

    pub(super) fn object(
        &mut self,
        framing: Framing,
        recording: &mut NettraceRecording,
    ) -> Result<(), StopReason> {
        let begun = self.begin(framing)?;
        if begun.minimum_reader_version > BLOCK_VERSION {
            let (name, version) = (begun.printable(), begun.minimum_reader_version);
            let problem = messages::block_too_new(&BLOCK_VERSION, &name, &version);
            return Err(damaged(begun.offset, problem));
        }
        let size_offset = self.stream.offset;
        let size = self.u32()? as usize;
        if size > MAX_BLOCK_BYTES {
            let problem = messages::bad_block_size(&begun.printable(), &size);
            return Err(damaged(size_offset, problem));
        }
        while !self.stream.offset.is_multiple_of(4) {
            self.byte()?;
        }
        let read = |content: &[u8], recording: &mut NettraceRecording| -> BlockResult {
            match begun.name.as_str() {
                "EventBlock" if framing == Framing::V3 => {
                    events::read_old_block(content, recording)
                }
                "EventBlock" => events::read_block(content, recording, EventContent::Events),
                "MetadataBlock" => events::read_block(content, recording, EventContent::Metadata),
                "StackBlock" => recording.stacks.read_block(content),
                "SPBlock" => {
                    recording.sequence_point();
                    recording.losses.read_sequence_point(content)
                }
                // a later kind; all blocks have a size, so that old readers can skip new ones
                _ => Ok(()),
            }
        };
        self.content(&begun.name, size, recording, read)?;
        self.require(END_OBJECT)
    }
}
