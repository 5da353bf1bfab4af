//! Limits the nodes per byte of input, against small files that repeat long stacks.

use crate::model::{Metric, TreeBuilder};

/// The memory for the nodes that any file may have: a thousand threads have nodes of their own for the few stacks that a small
/// file names.
const FREE_BYTES: u64 = 64_000_000;
/// The memory for nodes that each byte of a file may take. Real ones need about a tenth, because their samples share most callers.
const MEMORY_PER_BYTE: u64 = 20;

/// The maximum number of nodes that a file of this size may have, unpacked.
pub(super) fn max_nodes(metrics: &[Metric], file_bytes: u64) -> u64 {
    let memory = FREE_BYTES.saturating_add(file_bytes.saturating_mul(MEMORY_PER_BYTE));
    memory / TreeBuilder::node_bytes(metrics) as u64
}

/// How many frames of stacks may be looked up again because code has changed since. Few bytes can change the method of one
/// address of a huge stack; real files stay far below.
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

    /// Deducts this many frame lookups from the budget. Returns whether it allows them.
    pub(super) fn takes(&mut self, frames: u32) -> bool {
        let left = self.frames.checked_sub(u64::from(frames));
        self.frames = left.unwrap_or(self.frames);
        left.is_some()
    }
}
