//! The header of an event.

/// What is said of an event before its payload. Of two kinds, written in full or as what differs from the event before.
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
