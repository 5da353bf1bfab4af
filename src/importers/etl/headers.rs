//! Headers of events: when, where and by which provider they were sent, and their payload.
//!
//! The fourth byte marks a header as one of these, the third is its type: `TRACE_HEADER_TYPE_...` in Geoff Chappell's
//! notes.

use crate::input::cursor::Cursor;

/// Little-endian.
pub(super) type Guid = u128;

/// In the fourth byte of headers with the types below; others are messages (WPP) and texts.
const IS_TYPED: u8 = 0xC0;
const HAS_ITEMS: u16 = 1;
const ALIGNMENT: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Provider {
    Kernel,
    Guid(Guid),
    /// Messages (WPP) and texts.
    Messages,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct EventId {
    pub provider: Provider,
    /// The id of an event of a provider with a manifest; of a kernel event, the group (`EVENT_TRACE_GROUP_...`) in the
    /// upper byte and the id in the lower one; 0 for others.
    pub event: u16,
}

impl EventId {
    pub(super) const fn of_kernel(group: u8, opcode: u8) -> EventId {
        EventId {
            provider: Provider::Kernel,
            event: u16::from_le_bytes([opcode, group]),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderLayout {
    pub pointer_bytes: u8,
    /// Of a kernel event; 0 for others, whose payloads only grow at the end.
    pub version: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EtlEvent<'a> {
    pub id: EventId,
    /// In ticks of the trace's clock; 0 for messages.
    pub time: u64,
    pub thread: u32,
    pub process: u32,
    pub layout: HeaderLayout,
    pub payload: &'a [u8],
}

pub(super) struct Events<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Events<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Events<'a> {
        Events { bytes, at: 0 }
    }

    /// An error is the offset of a damaged event, after which no others can be found.
    pub(super) fn next(&mut self) -> Result<Option<EtlEvent<'a>>, usize> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        // padding, shorter than any header
        let Some(&[first, second, kind, flags]) = rest.first_chunk() else {
            return Ok(None);
        };
        if [first, second, kind, flags] == [0xFF; 4] {
            return Ok(None);
        }
        let at = self.at;
        let kind = if flags & IS_TYPED == IS_TYPED {
            kind
        } else {
            0
        };
        let size = match kind {
            // the version, in the place of the size
            1..=4 | 0x10 | 0x11 => Cursor::new(rest.get(4..).ok_or(at)?).u16().ok_or(at)?,
            _ => u16::from_le_bytes([first, second]),
        };
        let bytes = rest.get(..usize::from(size));
        let bytes = bytes.filter(|bytes| bytes.len() >= ALIGNMENT).ok_or(at)?;
        self.at += bytes.len().next_multiple_of(ALIGNMENT);
        parse(kind, bytes).map(Some).ok_or(at)
    }
}

fn parse(kind: u8, bytes: &[u8]) -> Option<EtlEvent<'_>> {
    let mut cursor = Cursor::new(bytes.get(8..)?);
    let (id, (thread, process, time), payload) = match kind {
        1..=4 => {
            let payload = bytes.get(if kind < 3 { 32 } else { 24 }..)?;
            (kernel_event(bytes)?, origin(&mut cursor)?, payload)
        }
        // the short header of frequent kernel events, with counters if those were enabled
        0x10 | 0x11 => {
            let version = Cursor::new(bytes).u16()?;
            let counters = usize::from((version >> 8 & 7) + (version >> 15));
            let payload = bytes.get(16 + 8 * counters..)?;
            (kernel_event(bytes)?, (0, 0, time(&mut cursor)?), payload)
        }
        0x0A | 0x0B | 0x14 | 0x15 => {
            let is_short = matches!(kind, 0x0A | 0x14);
            let payload = bytes.get(if is_short { 48 } else { 72 }..)?;
            let origin = origin(&mut cursor)?;
            let provider = Provider::Guid(guid(&mut cursor)?);
            (EventId { provider, event: 0 }, origin, payload)
        }
        0x12 | 0x13 => {
            let flags = Cursor::new(&bytes[4..]).u16()?;
            let origin = origin(&mut cursor)?;
            let provider = Provider::Guid(guid(&mut cursor)?);
            let event = cursor.u16()?;
            let mut payload = bytes.get(80..)?;
            if flags & HAS_ITEMS != 0 {
                payload = skip_items(payload)?;
            }
            (EventId { provider, event }, origin, payload)
        }
        _ => {
            let provider = Provider::Messages;
            (EventId { provider, event: 0 }, (0, 0, 0), bytes)
        }
    };
    let is_narrow = matches!(kind, 1 | 3 | 0x10 | 0x0A | 0x0B | 0x12);
    let is_kernel = id.provider == Provider::Kernel;
    Some(EtlEvent {
        id,
        time,
        thread,
        process,
        layout: HeaderLayout {
            pointer_bytes: if is_narrow { 4 } else { 8 },
            version: if is_kernel { bytes[0] } else { 0 },
        },
        payload,
    })
}

fn kernel_event(bytes: &[u8]) -> Option<EventId> {
    Some(EventId::of_kernel(*bytes.get(7)?, *bytes.get(6)?))
}

fn origin(cursor: &mut Cursor) -> Option<(u32, u32, u64)> {
    Some((cursor.u32()?, cursor.u32()?, time(cursor)?))
}

fn time(cursor: &mut Cursor) -> Option<u64> {
    let ticks = cursor.u64()?.cast_signed();
    Some(u64::try_from(ticks).unwrap_or(0))
}

/// Skips extended items: stacks, related activities, names of fields.
fn skip_items(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    loop {
        let mut cursor = Cursor::new(rest);
        cursor.skip(4)?;
        let (link, size) = (cursor.u16()?, cursor.u16()?);
        rest = rest.get((8 + usize::from(size)).next_multiple_of(ALIGNMENT)..)?;
        if link & 1 == 0 {
            return Some(rest);
        }
    }
}

fn guid(cursor: &mut Cursor) -> Option<Guid> {
    let bytes = cursor.take(size_of::<Guid>())?.try_into().ok()?;
    Some(Guid::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests;
