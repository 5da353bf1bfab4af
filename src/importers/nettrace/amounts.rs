//! Events with a stack that stand for an amount of something: samples of processors, time without a processor, and
//! allocated memory; and markers with a stack, which stand for nothing.

use super::stacks::StackId;
use super::threads::ThreadId;

/// What an amount is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AmountKind {
    /// Samples of a processor.
    Cpu,
    /// Ticks in which the thread had no processor; the stack is where it lost it.
    OffCpu,
    /// Bytes of objects, of which a marker tells the type.
    Allocated(u32),
    /// A marker that is no allocation.
    Marker(u32),
}

impl AmountKind {
    /// Whether it stands for something, so that there is something to show.
    pub(super) fn is_amount(self) -> bool {
        !matches!(self, AmountKind::Marker(_))
    }
}

/// An amount of something. 32 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampledAmount {
    /// In ticks of the recording's clock.
    pub time: u64,
    pub value: u64,
    pub stack: StackId,
    pub thread: ThreadId,
    pub what: AmountKind,
}
