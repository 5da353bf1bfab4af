//! How many nodes the samples of a file may make: few bytes can name a long stack again and again.
//!
//! Every file may have so many as fit into a little memory, and more for what its profile says: a stack that it spells may have
//! its own frames once. What a file has besides its profile counts for nothing, or padding that compresses to nothing would
//! raise the limit.

use crate::model::{Metric, TreeBuilder};

/// The memory for the nodes that any file may have. A thousand threads have nodes of their own for the few stacks that a small
/// file names, and it must be enough for these.
const FREE_BYTES: u64 = 64_000_000;
/// The memory for nodes that each byte of a stack pays for. Real profiles need about a tenth of it, because their samples share
/// most of their callers.
const MEMORY_PER_BYTE: u64 = 20;

/// The memory that a frame takes with a short name of its own, half of it in the tables that lists of methods are made of.
const FRAME_BYTES: u64 = 320;

/// The most nodes that a file may have, so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeLimit {
    /// The memory that a node takes at most while its tree is made.
    node_bytes: u64,
    memory_bytes: u64,
    /// Those that were paid for with frames.
    frames: u64,
}

impl NodeLimit {
    /// The limit of a tree with these metrics of which nothing was read so far.
    pub(super) fn new(metrics: &[Metric]) -> NodeLimit {
        let node_bytes = TreeBuilder::node_bytes(metrics) as u64;
        NodeLimit {
            node_bytes,
            memory_bytes: FREE_BYTES,
            frames: 0,
        }
    }

    /// The same where each node is made `times` over: in several trees, or in a table beside the tree.
    pub(super) fn made_times(self, times: u64) -> NodeLimit {
        NodeLimit {
            node_bytes: self.node_bytes * times,
            ..self
        }
    }

    /// Raises the limit by what so many bytes of a stack pay for.
    #[inline]
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        self.memory_bytes = self
            .memory_bytes
            .saturating_add((bytes as u64).saturating_mul(MEMORY_PER_BYTE));
    }

    /// Raises the limit by the frames of a stack that the file spells.
    #[inline]
    pub(super) fn add_frames(&mut self, frames: usize) {
        self.frames = self.frames.saturating_add(frames as u64);
    }

    /// The most nodes beside so many frames that have names of their own.
    pub(super) fn nodes_beside(&self, frames: usize) -> u64 {
        self.nodes()
            .saturating_sub(frames as u64 * FRAME_BYTES / self.node_bytes)
    }

    /// The most nodes.
    pub(super) fn nodes(&self) -> u64 {
        (self.memory_bytes / self.node_bytes).saturating_add(self.frames)
    }
}

/// How many frames of stacks may be looked up again because code has changed since. Few bytes can change the method of one
/// address of a huge stack; real files stay far below.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgainLimit {
    frames: u64,
}

impl AgainLimit {
    /// What any file may have.
    const FREE_FRAMES: u64 = 1 << 20;
    /// And so many for each of its bytes.
    const FRAMES_PER_BYTE: u64 = 2;

    /// That of a file of this size.
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
