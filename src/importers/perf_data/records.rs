//! The records of the kernel: samples, and what processes do.
//!
//! Source: `include/uapi/linux/perf_event.h` of Linux.

use super::fields::{Fields, text};
use super::file::{Event, Record, field, kind};

/// Bits of a record: that memory holds data, and that a build id stands in place of an inode.
const IS_DATA: u16 = 1 << 13;
const HAS_BUILD_ID: u16 = 1 << 14;
/// The bit that memory can be executed.
const EXECUTABLE: u32 = 4;
/// Call chains hold marks of what follows, which are no addresses: numbers from here on.
const FIRST_CONTEXT: u64 = -4095i64 as u64;
const CONTEXT_KERNEL: u64 = -128i64 as u64;
const CONTEXT_USER: u64 = -512i64 as u64;

/// Whose code is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Kernel,
    User,
    /// A hypervisor or a guest.
    Other,
}

impl Mode {
    fn of(misc: u16) -> Mode {
        match misc & 7 {
            1 => Mode::Kernel,
            2 => Mode::User,
            _ => Mode::Other,
        }
    }
}

/// A sample without its stack.
#[derive(Clone, Debug)]
pub(super) struct SampleRecord {
    pub pid: u32,
    pub tid: u32,
    pub time_ns: Option<u64>,
    pub period: u64,
}

/// How a file can be told from others at its path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    /// Empty if it is not known.
    pub build_id: Box<[u8]>,
    /// Major and minor number of the device, and the inode; 0 if they are not known.
    pub inode: (u32, u32, u64),
}

/// Memory that became executable.
#[derive(Clone, Debug)]
pub(super) struct MappingRecord {
    pub pid: u32,
    pub is_kernel: bool,
    pub start: u64,
    pub size: u64,
    /// Where it starts in the file.
    pub offset: u64,
    pub id: FileId,
    pub path: String,
}

impl SampleRecord {
    /// Reads a sample; its stack, innermost first, with whose code it is.
    pub(super) fn read(
        mut fields: Fields,
        event: &Event,
        misc: u16,
        stack: &mut Vec<(Mode, u64)>,
    ) -> Option<SampleRecord> {
        let has = |field: u64| event.fields & field != 0;
        let optional = |fields: &mut Fields, field: u64| match has(field) {
            true => fields.u64().map(Some),
            false => Some(None),
        };
        optional(&mut fields, field::IDENTIFIER)?;
        let ip = optional(&mut fields, field::IP)?;
        let (mut pid, mut tid) = (u32::MAX, u32::MAX);
        if has(field::TID) {
            (pid, tid) = (fields.u32()?, fields.u32()?);
        }
        let time_ns = optional(&mut fields, field::TIME)?;
        for field in [field::ADDR, field::ID, field::STREAM_ID, field::CPU] {
            optional(&mut fields, field)?;
        }
        let period = optional(&mut fields, field::PERIOD)?.unwrap_or(event.period);
        if has(field::READ) {
            skip_counters(&mut fields, event.read_format)?;
        }
        stack.clear();
        let mut mode = Mode::of(misc);
        if has(field::CALLCHAIN) {
            for _ in 0..fields.u64()? {
                match fields.u64()? {
                    CONTEXT_KERNEL => mode = Mode::Kernel,
                    CONTEXT_USER => mode = Mode::User,
                    FIRST_CONTEXT.. => mode = Mode::Other,
                    address => stack.push((mode, address)),
                }
            }
        }
        if stack.is_empty() {
            stack.extend(ip.map(|ip| (Mode::of(misc), ip)));
        }
        Some(SampleRecord {
            pid,
            tid,
            time_ns,
            period,
        })
    }
}

/// Passes the values of counters.
fn skip_counters(fields: &mut Fields, format: u64) -> Option<()> {
    const TIMES: u64 = 0b11;
    const GROUP: u64 = 1 << 3;
    /// An id and a number of lost samples of each counter.
    const OF_EACH: u64 = 1 << 2 | 1 << 4;
    let times = (format & TIMES).count_ones() as usize;
    let each = 1 + (format & OF_EACH).count_ones() as usize;
    let words = match format & GROUP {
        0 => each + times,
        _ => fields.size()?.checked_mul(each)?.checked_add(times)?,
    };
    fields.skip(words.checked_mul(8)?)
}

impl MappingRecord {
    /// Reads a record of executable memory.
    pub(super) fn read(mut fields: Fields, record: &Record) -> Option<MappingRecord> {
        let pid = fields.u32()?;
        fields.skip(4)?;
        let (start, size, offset) = (fields.u64()?, fields.u64()?, fields.u64()?);
        let mut id = FileId::default();
        let mut is_executable = record.misc & IS_DATA == 0;
        let mut path_at = 32;
        if record.kind == kind::MMAP_2 {
            if record.misc & HAS_BUILD_ID != 0 {
                let length = usize::from(*fields.take(4)?.first()?);
                id.build_id = fields.take(20)?.get(..length)?.into();
            } else {
                id.inode = (fields.u32()?, fields.u32()?, fields.u64()?);
                fields.skip(8)?;
            }
            is_executable = fields.u32()? & EXECUTABLE != 0;
            path_at = 64;
        }
        let path = text(record.body.get(path_at..)?);
        let is_kernel = Mode::of(record.misc) == Mode::Kernel;
        (is_executable || is_kernel).then_some(MappingRecord {
            pid,
            is_kernel,
            start,
            size,
            offset,
            id,
            path,
        })
    }
}
