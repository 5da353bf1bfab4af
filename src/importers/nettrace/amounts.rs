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

/// All amounts of a recording, 32 bytes each.
#[derive(Default)]
pub(super) struct Amounts {
    rows: Vec<SampledAmount>,
}

impl Amounts {
    pub(super) fn push(&mut self, amount: SampledAmount) {
        self.rows.push(amount);
    }

    /// Puts all in order of time, which is done when everything was read.
    pub(super) fn finish(&mut self) {
        if !self.rows.is_sorted_by_key(|amount| amount.time) {
            self.rows.sort_by_key(|amount| amount.time);
        }
    }

    /// When the last amount was taken, once [`Amounts::finish`] was called.
    pub(super) fn last_ticks(&self) -> Option<u64> {
        let is_amount = |amount: &&SampledAmount| amount.what.is_amount();
        let last = self.rows.iter().rev().find(is_amount);
        last.map(|amount| amount.time)
    }

    /// Takes the amounts out.
    pub(super) fn take_rows(&mut self) -> Vec<SampledAmount> {
        std::mem::take(&mut self.rows)
    }

    /// Whether there is an amount of which this holds.
    pub(super) fn any(&self, is: impl Fn(AmountKind) -> bool) -> bool {
        self.rows.iter().any(|amount| is(amount.what))
    }
}
