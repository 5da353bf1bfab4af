//! Shared by all framings: how a file ends, and how damaged blocks are reported.

use crate::importers::messages;
use crate::importers::stream::Stream;
use crate::input::{Failure, ImportError};

/// How the blocks of a file end.
#[derive(Debug)]
pub(super) enum StreamEnding {
    /// With an end marker.
    Complete,
    /// The file ended early, at this offset.
    Cut { at: u64 },
    /// The rest can't be read.
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

/// The offset in a block where reading had to stop because of damage.
pub(super) type BlockResult = Result<(), usize>;

/// The failure of a file that ends before its header is complete.
pub(super) fn no_header(stream: &Stream, ending: StreamEnding) -> Failure {
    match ending {
        StreamEnding::Damaged(failure) => *failure,
        StreamEnding::Complete => stream
            .failure(messages::ONLY_A_HEADER)
            .advice("record it again"),
        StreamEnding::Cut { at } => header_cut(stream, at),
    }
}

/// A name from the file, shortened and sanitized for a message.
pub(super) fn printable(name: &str) -> String {
    let shown = |c: char| if c.is_ascii_graphic() { c } else { '?' };
    name.chars().map(shown).take(40).collect()
}

/// The failure of a file that ends within its header.
pub(super) fn header_cut(stream: &Stream, at: u64) -> Failure {
    let failure = stream.failure(messages::RECORDING_ENDS_IN_HEADER).at(at);
    failure.advice(messages::STOPPED_TOO_EARLY)
}

/// An event's header, which precedes its payload. It is stored either in full or as the difference from the previous
/// event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EventHeader {
    /// The kind of event; 0 in metadata blocks.
    pub metadata_id: u32,
    /// The sequence number among the events that a capture thread has sent, from 1; 0 in metadata blocks.
    pub sequence: u32,
    /// The thread that wrote the event: the operating system's id or, in version 6, an index.
    pub capture_thread: u64,
    /// The thread that the event is about, likewise.
    pub thread: u64,
    /// The id of a stack since the last sequence point; 0 for none.
    pub stack: u32,
    /// In ticks of the recording's clock.
    pub timestamp: u64,
    pub payload_bytes: u32,
}
