//! How much a file may make of few bytes that name a long stack again and again.

/// What any file may have: a thousand threads have nodes of their own for the few stacks that a small file names.
const FREE_NODES: u64 = 1 << 20;
/// Real files have a tenth of a node for each of so many bytes, because their samples share most of their callers.
const BYTES_PER_NODE: u64 = 4;

/// The most nodes that a file of this size may have, unpacked.
pub(super) fn max_nodes(file_bytes: u64) -> u64 {
    FREE_NODES.saturating_add(file_bytes / BYTES_PER_NODE)
}

/// How many frames of stacks may be looked up again because code has changed since. Few bytes can change the method of one
/// address of a huge stack; real files stay far below.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgainLimit {
    frames: u64,
}

impl AgainLimit {
    const FREE_FRAMES: u64 = 1 << 20;
    const FRAMES_PER_BYTE: u64 = 2;

    pub(super) fn of(file_bytes: u64) -> AgainLimit {
        AgainLimit {
            frames: Self::FREE_FRAMES
                .saturating_add(file_bytes.saturating_mul(Self::FRAMES_PER_BYTE)),
        }
    }

    /// Whether so many frames may be looked up again, which then counts.
    pub(super) fn takes(&mut self, frames: u32) -> bool {
        let left = self.frames.checked_sub(u64::from(frames));
        self.frames = left.unwrap_or(self.frames);
        left.is_some()
    }
}
