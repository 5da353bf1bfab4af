//! The framing of versions 3 and 4: a sequence of objects, most of which are blocks.
//!
//! Sources of the format: `NetPerfFormat.md` and `NetTraceFormat_v5.md` in microsoft/perfview. The version called 5
//! there also has the version 4 in its Trace object, and differs only in what follows a metadata record.

use super::events;
use super::framing::{StopReason, StreamEnding, no_header, printable};
use super::recording::{NettraceRecording, TraceHeader};
use super::version::Dialect;
use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::ImportError;

/// The tag after the last object, and in place of the type of a type.
const END_OF_STREAM: u8 = 1;
/// The tag at the end of an object and at the end of its type.
const END_OBJECT: u8 = 6;
/// The newest supported version of blocks.
const BLOCK_VERSION: u32 = 2;
/// Names of objects have at most 13 letters; anything longer than this is not a name.
const MAX_NAME_BYTES: u32 = 100;
/// Runtimes write blocks of about 100 kB. A much larger size means damage.
const MAX_BLOCK_BYTES: u32 = 256 << 20;
/// The content of the Trace object.
const TRACE_BYTES: usize = 48;

/// Reads all objects of a file, after what precedes them. Also returns the number of bytes read.
///
/// # Errors
/// Cancelled; the file can't be read; it does not start with a valid Trace object.
pub(super) fn read(
    stream: Stream,
    dialect: Dialect,
) -> Result<(NettraceRecording, StreamEnding, u64), ImportError> {
    let mut objects = Objects {
        stream,
        dialect,
        content: Vec::new(),
    };
    let mut recording = match objects.trace() {
        Ok(header) => NettraceRecording::new(header),
        Err(StopReason::Failed(error)) => return Err(error),
        Err(StopReason::Ended(ending)) => return Err(no_header(&objects.stream, ending).into()),
    };
    loop {
        match objects.block(&mut recording) {
            Ok(()) => objects.stream.progress().at(0)?,
            Err(StopReason::Failed(error)) => return Err(error),
            Err(StopReason::Ended(ending)) => {
                return Ok((recording, ending, objects.stream.offset));
            }
        }
    }
}

/// An object whose content has not been read yet.
struct BegunObject {
    name: String,
    offset: u64,
    version: u32,
    minimum_reader_version: u32,
}

struct Objects {
    stream: Stream,
    dialect: Dialect,
    /// The content of the block being read.
    content: Vec<u8>,
}

impl Objects {
    fn cut(&self) -> StopReason {
        StopReason::Ended(StreamEnding::Cut {
            at: self.stream.offset,
        })
    }

    fn damaged(&self, offset: u64, problem: String) -> StopReason {
        let failure = self.stream.failure(problem).at(offset);
        StopReason::Ended(StreamEnding::Damaged(Box::new(failure)))
    }

    fn u32(&mut self) -> Result<u32, StopReason> {
        self.stream.u32()?.ok_or_else(|| self.cut())
    }

    fn byte(&mut self) -> Result<u8, StopReason> {
        let byte = self.stream.array()?.map(|[byte]| byte);
        byte.ok_or_else(|| self.cut())
    }

    fn require(&mut self, tag: u8, what: &str) -> Result<(), StopReason> {
        let offset = self.stream.offset;
        match self.byte()? {
            found if found == tag => Ok(()),
            found => Err(self.damaged(offset, messages::other_byte(&what, &tag, &found))),
        }
    }

    /// Reads an object up to its content.
    fn begin(&mut self) -> Result<BegunObject, StopReason> {
        let offset = self.stream.offset;
        match self.byte()? {
            found if found == self.dialect.begin_object() => {}
            END_OF_STREAM => return Err(StopReason::Ended(StreamEnding::Complete)),
            found => {
                let begin = self.dialect.begin_object();
                let problem = messages::no_object_start(&begin, &found);
                return Err(self.damaged(offset, problem));
            }
        }
        self.require(self.dialect.begin_object(), messages::START_OBJECTS_TYPE)?;
        self.require(END_OF_STREAM, messages::MARK_OF_NO_TYPE)?;
        let version = self.u32()?;
        let minimum_reader_version = self.u32()?;
        let name_offset = self.stream.offset;
        let name_bytes = self.u32()?;
        if name_bytes > MAX_NAME_BYTES {
            let problem = messages::bad_name_length(&name_bytes);
            return Err(self.damaged(name_offset, problem));
        }
        let mut name = Vec::new();
        self.stream.read(name_bytes as usize, &mut name)?;
        if name.len() < name_bytes as usize {
            return Err(self.cut());
        }
        self.require(END_OBJECT, messages::END_OBJECTS_TYPE)?;
        Ok(BegunObject {
            name: String::from_utf8_lossy(&name).into_owned(),
            offset,
            version,
            minimum_reader_version,
        })
    }

    /// Reads the first object.
    fn trace(&mut self) -> Result<TraceHeader, StopReason> {
        let begun = self.begin()?;
        if !super::version::TRACE_NAMES.contains(&begun.name.as_str()) {
            let problem = messages::no_trace_object(&printable(&begun.name));
            return Err(self.damaged(begun.offset, problem));
        }
        let versions = self.dialect.versions();
        if !versions.contains(&begun.version) || begun.minimum_reader_version > *versions.end() {
            let refusal = super::version::refusal(begun.version.max(begun.minimum_reader_version));
            let failure = self.stream.failure(refusal.problem);
            return Err(StopReason::Failed(failure.advice(refusal.advice).into()));
        }
        let offset = self.stream.offset;
        let Some(content) = self.stream.array::<TRACE_BYTES>()? else {
            return Err(self.cut());
        };
        let header =
            TraceHeader::parse(&content).map_err(|problem| self.damaged(offset, problem))?;
        self.require(END_OBJECT, messages::END_OBJECT)?;
        Ok(header)
    }

    /// Reads the next object, which is a block, and its content.
    fn block(&mut self, recording: &mut NettraceRecording) -> Result<(), StopReason> {
        let begun = self.begin()?;
        if begun.minimum_reader_version > BLOCK_VERSION {
            let (name, version) = (printable(&begun.name), begun.minimum_reader_version);
            let problem = messages::block_too_new(&BLOCK_VERSION, &name, &version);
            return Err(self.damaged(begun.offset, problem));
        }
        let size_offset = self.stream.offset;
        let size = self.u32()?;
        if size > MAX_BLOCK_BYTES {
            let problem = messages::bad_block_size(&printable(&begun.name), &size);
            return Err(self.damaged(size_offset, problem));
        }
        while !self.stream.offset.is_multiple_of(4) {
            self.byte()?;
        }
        let offset = self.stream.offset;
        self.stream.read(size as usize, &mut self.content)?;
        let is_cut = self.content.len() < size as usize;
        let damage = match begun.name.as_str() {
            "EventBlock" if self.dialect == Dialect::Old => {
                events::read_old_block(&self.content, recording)
            }
            "EventBlock" => {
                events::read_block(&self.content, recording, events::EventContent::Events)
            }
            "MetadataBlock" => {
                events::read_block(&self.content, recording, events::EventContent::Metadata)
            }
            "StackBlock" => recording.stacks.read_block(&self.content),
            "SPBlock" => {
                recording.sequence_point();
                recording.losses.read_sequence_point(&self.content)
            }
            // a later kind; all blocks have a size, so that old readers can skip new ones
            _ => Ok(()),
        };
        if is_cut {
            // missing data at its end is not separate damage
            return Err(self.cut());
        }
        if let Err(at) = damage {
            recording.note_damage(offset + at as u64, &begun.name);
        }
        self.require(END_OBJECT, messages::END_BLOCK)
    }
}
