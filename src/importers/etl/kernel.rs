//! The payloads that are read; P denotes a pointer. Layouts: the MOF classes in `KernelTraceEventParser.cs` of
//! microsoft/perfview.

use super::headers::{EventId, Guid, HeaderLayout, Provider};
use crate::importers::runtime::{Lifecycle, RuntimeEvent, RuntimeProvider};
use crate::input::cursor::Cursor;
use std::ops::Range;

/// `Microsoft-Windows-DotNETRuntime`, e13c0d23-ccbc-4e12-931b-d9cc2eee27e4.
pub(super) const RUNTIME: Guid = 0xe427ee2e_ccd91b93_4e12ccbc_e13c0d23;
/// `Microsoft-Windows-DotNETRuntimeRundown`, a669021c-c450-4609-a035-5af59af4df18.
pub(super) const RUNDOWN: Guid = 0x18dff49a_f55a35a0_4609c450_a669021c;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Sample,
    Interval,
    Stack,
    /// For a stack whose addresses follow in a later event.
    StackKey,
    KeyedStack,
    Process(Lifecycle),
    Thread(Lifecycle),
    Image(Lifecycle),
    Runtime(RuntimeEvent),
    /// Of the runtime's previous event on the thread.
    RuntimeStack,
    RuntimeOther,
}

impl EventKind {
    pub(super) fn of(id: EventId) -> Option<EventKind> {
        const STACK_WALK: u16 = 82;
        let event = id.event.into();
        match id.provider {
            Provider::Kernel => EventKind::of_kernel(id.event),
            Provider::Guid(RUNTIME) if id.event == STACK_WALK => Some(EventKind::RuntimeStack),
            Provider::Guid(RUNTIME) => {
                let event = RuntimeEvent::of(RuntimeProvider::Runtime, event);
                Some(event.map_or(EventKind::RuntimeOther, EventKind::Runtime))
            }
            Provider::Guid(RUNDOWN) => {
                RuntimeEvent::of(RuntimeProvider::Rundown, event).map(EventKind::Runtime)
            }
            _ => None,
        }
    }

    fn of_kernel(event: u16) -> Option<EventKind> {
        let [opcode, group] = event.to_le_bytes();
        Some(match (group, opcode) {
            (0x0F, 46) => EventKind::Sample,
            (0x0F, 72 | 73) => EventKind::Interval,
            (0x18, 32) => EventKind::Stack,
            (0x18, 37 | 38) => EventKind::StackKey,
            // created, deleted, and rundown
            (0x18, 34..=36) => EventKind::KeyedStack,
            (0x14 | 3, 10) => EventKind::Image(Lifecycle::Begins),
            (0x14, 2) => EventKind::Image(Lifecycle::Ends),
            (0x14, 3 | 4) => EventKind::Image(Lifecycle::Known),
            (3, 1) => EventKind::Process(Lifecycle::Begins),
            (3, 2 | 39) => EventKind::Process(Lifecycle::Ends),
            (3, 3 | 4) => EventKind::Process(Lifecycle::Known),
            (5, 1) => EventKind::Thread(Lifecycle::Begins),
            (5, 2) => EventKind::Thread(Lifecycle::Ends),
            (5, 3 | 4) => EventKind::Thread(Lifecycle::Known),
            _ => return None,
        })
    }
}

fn pointer(cursor: &mut Cursor, layout: HeaderLayout) -> Option<u64> {
    cursor.number(layout.pointer_bytes.into())
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sampled {
    Thread(u32),
    /// The idle thread, serving no interrupt.
    Idle,
}

/// `SampledProfile`: P address, u32 thread, u16 count, u8 flags, u8 rank.
pub(super) fn read_sample(payload: &[u8], layout: HeaderLayout) -> Option<Sampled> {
    const DPC_OR_INTERRUPT: u8 = 3;
    let mut cursor = Cursor::new(payload);
    pointer(&mut cursor, layout)?;
    let (thread, _count) = (cursor.u32()?, cursor.u16()?);
    // older versions end here
    let flags = cursor.u8().unwrap_or(0);
    let is_busy = thread != 0 || flags & DPC_OR_INTERRUPT != 0;
    Some(if is_busy {
        Sampled::Thread(thread)
    } else {
        Sampled::Idle
    })
}

/// Nanoseconds between samples (`SampledProfileInterval`: u32 source, u32 new, u32 old, in 100 ns); 0 if the source is
/// not the clock.
pub(super) fn read_interval(payload: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(payload);
    let (source, interval) = (cursor.u32()?, u64::from(cursor.u32()?));
    Some(if source == 0 { interval * 100 } else { 0 })
}

/// The event that a stack belongs to.
pub(super) struct StackOwner {
    pub time: u64,
    pub process: u32,
    pub thread: u32,
}

/// The owner and the rest: u64 time, u32 process, u32 thread.
pub(super) fn read_owner(payload: &[u8]) -> Option<(StackOwner, &[u8])> {
    let mut cursor = Cursor::new(payload);
    let owner = StackOwner {
        time: cursor.u64()?,
        process: cursor.u32()?,
        thread: cursor.u32()?,
    };
    Some((owner, cursor.rest()))
}

pub(super) fn read_stack_key(payload: &[u8], layout: HeaderLayout) -> Option<(u64, &[u8])> {
    let mut cursor = Cursor::new(payload);
    Some((pointer(&mut cursor, layout)?, cursor.rest()))
}

/// `CLRStackWalk`: u16 runtime, 2 bytes, u32 number of addresses, the addresses.
pub(super) fn runtime_addresses(payload: &[u8], layout: HeaderLayout) -> Option<&[u8]> {
    let mut cursor = Cursor::new(payload);
    cursor.skip(4)?;
    let addresses = usize::try_from(cursor.u32()?).ok()?;
    cursor.take(addresses.checked_mul(layout.pointer_bytes.into())?)
}

/// The kernel has the upper half of the address space.
pub(super) fn is_kernel_address(address: u64, is_32_bit: bool) -> bool {
    address >> if is_32_bit { 31 } else { 63 } != 0
}

/// The id and the name: P key, u32 id, u32 parent, u32 session, i32 exit code, P directory; since version 4 u32 flags;
/// its user, its file name.
pub(super) fn read_process(payload: &[u8], layout: HeaderLayout) -> Option<(u32, String)> {
    let mut cursor = Cursor::new(payload);
    pointer(&mut cursor, layout)?;
    let id = cursor.u32()?;
    cursor.skip(12)?;
    Some((id, process_name(&mut cursor, layout).unwrap_or_default()))
}

fn process_name(cursor: &mut Cursor, layout: HeaderLayout) -> Option<String> {
    pointer(cursor, layout)?;
    if layout.version >= 4 {
        let _flags = cursor.u32()?;
    }
    // a null pointer: without the user
    if pointer(cursor, layout)? != 0 {
        pointer(cursor, layout)?;
        // the user: u8 revision, u8 number of parts, 6 bytes, parts of 4 bytes
        let _revision = cursor.u8()?;
        let parts = cursor.u8()?;
        cursor.skip(6 + 4 * usize::from(parts))?;
    }
    let name = cursor.rest();
    let end = name.iter().position(|&byte| byte == 0)?;
    Some(String::from_utf8_lossy(&name[..end]).into_owned())
}

/// The process, the id and the name: u32 process, u32 id, seven pointers about its stacks and start, then integers;
/// since version 4 its name.
pub(super) fn read_thread(payload: &[u8], layout: HeaderLayout) -> Option<(u32, u32, String)> {
    const POINTERS: usize = 7;
    const INTEGER_BYTES: usize = 8;
    let mut cursor = Cursor::new(payload);
    let (process, id) = (cursor.u32()?, cursor.u32()?);
    let rest = cursor.skip(POINTERS * usize::from(layout.pointer_bytes) + INTEGER_BYTES);
    let name = rest.and_then(|()| cursor.text()).unwrap_or_default();
    Some((process, id, name))
}

/// The addresses, the process and the path: P start, P size, u32 process, u32 checksum, u32 time, u32, P default
/// start, 16 bytes, its path.
pub(super) fn read_image(
    payload: &[u8],
    layout: HeaderLayout,
) -> Option<(Range<u64>, u32, String)> {
    let mut cursor = Cursor::new(payload);
    let (start, size) = (pointer(&mut cursor, layout)?, pointer(&mut cursor, layout)?);
    let process = cursor.u32()?;
    cursor.skip(12)?;
    pointer(&mut cursor, layout)?;
    cursor.skip(16)?;
    let addresses = start..start.saturating_add(size);
    Some((addresses, process, cursor.text()?))
}
