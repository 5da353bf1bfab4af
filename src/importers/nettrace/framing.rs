//! Shared by all framings: how a file ends, and how damaged blocks are reported.

use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::{Failure, ImportError};

/// How the blocks of a file came to an end.
#[derive(Debug)]
pub(super) enum StreamEnding {
    /// With the mark that says so.
    Complete,
    /// The file ended before, at this offset.
    Cut { at: u64 },
    /// What follows can't be read.
    Damaged(Box<Failure>),
}

/// Why reading stopped.
pub(super) enum StopReason {
    Failed(ImportError),
    Ended(StreamEnding),
}

impl From<ImportError> for StopReason {
    fn from(error: ImportError) -> StopReason {
        StopReason::Failed(error)
    }
}

/// What of a block was wrong: the offset in it where reading had to stop.
pub(super) type BlockResult = Result<(), usize>;

/// The failure of a file that came to its end before it said what a recording says first.
pub(super) fn no_header(stream: &Stream, ending: StreamEnding) -> Failure {
    match ending {
        StreamEnding::Damaged(failure) => *failure,
        StreamEnding::Complete => stream
            .failure(messages::ONLY_A_HEADER)
            .advice("record it again"),
        StreamEnding::Cut { at } => header_cut(stream, at),
    }
}

/// A name from the file, short and harmless, for a message.
pub(super) fn printable(name: &str) -> String {
    let shown = |c: char| if c.is_ascii_graphic() { c } else { '?' };
    name.chars().map(shown).take(40).collect()
}

/// What is said about a file that ends within its header.
pub(super) fn header_cut(stream: &Stream, at: u64) -> Failure {
    let failure = stream.failure(messages::RECORDING_ENDS_IN_HEADER).at(at);
    failure.advice(messages::STOPPED_TOO_EARLY)
}

/// What is said about an event before its payload. Of two kinds, written in full or as what differs from the event before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EventHeader {
    /// The kind of event; 0 in blocks of metadata.
    pub metadata_id: u32,
    /// Counts the events that a capture thread has sent, from 1; 0 in blocks of metadata.
    pub sequence: u32,
    /// The thread that wrote the event: the operating system's id or, in version 6, an index.
    pub capture_thread: u64,
    /// The thread that the event is about, likewise.
    pub thread: u64,
    /// A stack by its number since the last sequence point; 0 for none.
    pub stack: u32,
    /// In ticks of the recording's clock.
    pub timestamp: u64,
    pub payload_bytes: u32,
}
