//! A trace's first event, `TRACE_LOGFILE_HEADER` in the Windows SDK.

use super::headers::{EtlEvent, EventId};
use crate::importers::clock::Clock;
use crate::importers::messages;
use crate::input::cursor::Cursor;

/// New buffers replace the oldest once the trace is full.
const CIRCULAR: u32 = 2;
const PERFORMANCE_COUNTER: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LogFile {
    pub clock: Clock,
    /// In units of 100 ns since 1601, UTC.
    pub started: u64,
    /// In the same units; 0 if the session did not end properly.
    pub ended: u64,
    pub version: (u8, u8),
    pub build: u32,
    pub processors: u32,
    /// 4 or 8: of Windows, not of each program.
    pub pointer_bytes: u32,
    pub lost_events: u32,
    pub lost_buffers: u32,
    pub is_circular: bool,
}

impl LogFile {
    pub(super) fn parse(event: &EtlEvent) -> Result<LogFile, String> {
        if event.id != EventId::of_kernel(0, 0) {
            return Err(messages::HEADER_NOT_FIRST.into());
        }
        let (file, clock_kind) =
            read(event).ok_or_else(|| messages::ENDS_BEFORE_CLOCK.to_string())?;
        if !matches!(file.pointer_bytes, 4 | 8) {
            return Err(messages::other_pointer_size(&file.pointer_bytes));
        }
        if clock_kind != PERFORMANCE_COUNTER {
            let problem = messages::other_clock(&PERFORMANCE_COUNTER, &clock_kind);
            return Err(problem);
        }
        let ticks_per_second = file.clock.ticks_per_second;
        if i64::try_from(ticks_per_second).is_err() || ticks_per_second == 0 {
            return Err(messages::other_ticks(&ticks_per_second));
        }
        Ok(file)
    }
}

fn read(event: &EtlEvent) -> Option<(LogFile, u32)> {
    let mut cursor = Cursor::new(event.payload);
    let _buffer_bytes = cursor.u32()?;
    let version = (cursor.u8()?, cursor.u8()?);
    cursor.skip(2)?;
    let (build, processors, ended) = (cursor.u32()?, cursor.u32()?, cursor.u64()?);
    let (_timer_resolution, _max_megabytes, mode) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
    let (_buffers_written, _start_buffers) = (cursor.u32()?, cursor.u32()?);
    let (pointer_bytes, lost_events, _megahertz) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
    // two pointers, a time zone of 172 bytes, and padding to a multiple of eight
    let pointers = if pointer_bytes == 4 { 8 } else { 16 };
    cursor.skip(pointers + 172 + 4)?;
    let (_booted, ticks_per_second, started) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
    let (clock_kind, lost_buffers) = (cursor.u32()?, cursor.u32()?);
    let file = LogFile {
        clock: Clock::new(event.time, ticks_per_second),
        started,
        ended,
        version,
        build,
        processors,
        pointer_bytes,
        lost_events,
        lost_buffers,
        is_circular: mode & CIRCULAR != 0,
    };
    Some((file, clock_kind))
}
