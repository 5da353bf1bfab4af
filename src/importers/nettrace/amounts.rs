//! Events with a stack that stand for an amount of something: samples of processors, time without a processor, and
//! allocated memory.

use super::stacks::StackId;
use super::threads::ThreadId;
use crate::input::cursor::Cursor;
use indexmap::IndexSet;

/// What an amount is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmountKind {
    /// Samples of a processor.
    Cpu,
    /// Ticks in which the thread had no processor; the stack is where it lost it.
    OffCpu,
    /// Bytes of objects of a type, by its row in [`Amounts::types`].
    Allocated(u32),
}

/// An amount of something.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampledAmount {
    /// In ticks of the recording's clock.
    pub time: u64,
    pub value: u64,
    pub stack: StackId,
    pub thread: ThreadId,
    pub what: AmountKind,
}

/// All amounts of a recording, 32 bytes each.
#[derive(Default)]
pub(super) struct Amounts {
    rows: Vec<SampledAmount>,
    /// The names of types of which objects were allocated.
    types: IndexSet<String, foldhash::fast::RandomState>,
}

impl Amounts {
    pub(super) fn push(&mut self, amount: SampledAmount) {
        self.rows.push(amount);
    }

    pub(super) fn type_row(&mut self, name: String) -> u32 {
        // memory ends long before 32 bits do
        u32::try_from(self.types.insert_full(name).0).unwrap_or(u32::MAX)
    }

    /// The name of a type; empty if the file does not say it.
    pub(super) fn type_name(&self, row: u32) -> &str {
        self.types.get_index(row as usize).map_or("", |name| name)
    }

    /// Puts all in order of time, which is done when everything was read.
    pub(super) fn finish(&mut self) {
        if !self.rows.is_sorted_by_key(|amount| amount.time) {
            self.rows.sort_by_key(|amount| amount.time);
        }
    }

    /// The amounts; in order of time when [`Amounts::finish`] was called.
    pub(super) fn rows(&self) -> &[SampledAmount] {
        &self.rows
    }

    /// Takes the amounts out.
    pub(super) fn take_rows(&mut self) -> Vec<SampledAmount> {
        std::mem::take(&mut self.rows)
    }

    /// Whether there is an amount of memory.
    pub(super) fn has_allocations(&self) -> bool {
        !self.types.is_empty()
    }

    /// Whether there is an amount of this.
    pub(super) fn has(&self, what: AmountKind) -> bool {
        self.rows.iter().any(|amount| amount.what == what)
    }
}

/// Reads a tick of allocations: the bytes that were allocated since the one before, and the type of the object that was
/// just then allocated, which is empty before version 2 of the event. `None` if it ends too early.
///
/// Source: `GCAllocationTick_V1` to `V4` in `ClrEtwAll.man` in dotnet/runtime.
pub(super) fn read_tick(payload: &[u8], pointer_bytes: usize) -> Option<(u64, String)> {
    let mut cursor = Cursor::new(payload);
    let bytes = cursor.u32()?;
    let _kind = cursor.u32()?;
    let mut newer = || {
        let _runtime = cursor.u16()?;
        let bytes = cursor.u64()?;
        cursor.skip(pointer_bytes)?;
        Some((bytes, cursor.text()?))
    };
    // the first field has 32 bits only
    Some(newer().unwrap_or((u64::from(bytes), String::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_in_all_versions() {
        #[track_caller]
        fn check(payload: &[u8], pointer_bytes: usize, expect: Option<(u64, &str)>) {
            let found = read_tick(payload, pointer_bytes);
            assert_eq!(
                found.as_ref().map(|(bytes, name)| (*bytes, name.as_str())),
                expect
            );
        }
        // 104,096 bytes, small objects, a runtime; then 2^32 bytes, the type's id, its name, a heap
        let first = [0xa0, 0x96, 1, 0, 0, 0, 0, 0, 3, 0];
        let second = |pointer_bytes| {
            [
                &first[..],
                &[0, 0, 0, 0, 1, 0, 0, 0],
                &vec![9; pointer_bytes],
                &[b'T', 0, 0, 0, 0, 0, 0, 0],
            ]
            .concat()
        };
        check(&first[..8], 8, Some((104_096, "")));
        check(&first, 8, Some((104_096, "")));
        check(&second(8), 8, Some((1 << 32, "T")));
        check(&second(4), 4, Some((1 << 32, "T")));
        check(&first[..7], 8, None);
        assert_eq!(size_of::<SampledAmount>(), 32);
    }
}
