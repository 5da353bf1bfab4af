//! Limits the nodes per byte of input, to guard against small files that repeat long stacks.

use crate::model::{Metric, TreeBuilder};

/// Memory for nodes that any file may use: a thousand threads have their own nodes even for the few stacks that a small
/// file names.
const FREE_BYTES: u64 = 64_000_000;
/// Memory for nodes per byte of the file. Real files need about a tenth, because their samples share most callers.
const MEMORY_PER_BYTE: u64 = 20;

/// The maximum number of nodes for a file of this unpacked size.
pub(super) fn max_nodes(metrics: &[Metric], file_bytes: u64) -> u64 {
    let memory = FREE_BYTES.saturating_add(file_bytes.saturating_mul(MEMORY_PER_BYTE));
    memory / TreeBuilder::node_bytes(metrics) as u64
}

/// A budget for looking up frames again because code has changed since. A few bytes can change the method at one
/// address of a huge stack; real files stay far below the limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct LookupLimit {
    frames: u64,
}

impl LookupLimit {
    const FREE_FRAMES: u64 = 1 << 20;
    const FRAMES_PER_BYTE: u64 = 2;

    pub(super) fn of(file_bytes: u64) -> LookupLimit {
        LookupLimit {
            frames: Self::FREE_FRAMES
                .saturating_add(file_bytes.saturating_mul(Self::FRAMES_PER_BYTE)),
        }
    }

    /// Deducts this many frame lookups. Returns whether the budget allows them.
    pub(super) fn takes(&mut self, frames: u32) -> bool {
        let left = self.frames.checked_sub(u64::from(frames));
        self.frames = left.unwrap_or(self.frames);
        left.is_some()
    }
}
