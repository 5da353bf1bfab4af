//! Limits nodes and lookups per byte of input: small files can repeat long stacks.

use crate::input::Progress;
use crate::input::error::TreeBuildError;
use crate::model::{Metric, TreeBuilder};

/// For the nodes of any file.
const FREE_BYTES: u64 = 64_000_000;
/// For nodes, per byte of the file. Real files need about a tenth, as samples share most callers.
const MEMORY_PER_BYTE: u64 = 20;
/// Frames that may be looked up again: a few bytes can change the method at one address of a huge stack.
const FREE_FRAMES: u64 = 1 << 20;
const FRAMES_PER_BYTE: u64 = 2;

/// For a file of this unpacked size.
pub(super) fn max_nodes(metrics: &[Metric], file_bytes: u64) -> u64 {
    let memory = FREE_BYTES.saturating_add(file_bytes.saturating_mul(MEMORY_PER_BYTE));
    memory / TreeBuilder::node_bytes(metrics) as u64
}

pub(super) struct GrowthLimits<'a> {
    progress: &'a Progress,
    max_nodes: u64,
    frames_left: u64,
    pub outdated_samples: u64,
    steps: u32,
}

impl GrowthLimits<'_> {
    pub(super) fn new<'a>(
        metrics: &[Metric],
        file_bytes: u64,
        progress: &'a Progress,
    ) -> GrowthLimits<'a> {
        GrowthLimits {
            progress,
            max_nodes: max_nodes(metrics, file_bytes),
            frames_left: FREE_FRAMES.saturating_add(file_bytes.saturating_mul(FRAMES_PER_BYTE)),
            outdated_samples: 0,
            steps: 0,
        }
    }

    #[inline]
    pub(super) fn step(&mut self, builder: &TreeBuilder) -> Result<(), TreeBuildError> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(4096) {
            self.progress.at(builder.len())?;
            self.check(builder)?;
        }
        Ok(())
    }

    pub(super) fn check(&self, builder: &TreeBuilder) -> Result<(), TreeBuildError> {
        match builder.len() as u64 > self.max_nodes {
            true => Err(TreeBuildError::TooLarge),
            false => Ok(()),
        }
    }

    pub(super) fn may_resolve(&mut self, frames: u64) -> bool {
        let left = self.frames_left.checked_sub(frames);
        self.frames_left = left.unwrap_or(self.frames_left);
        self.outdated_samples += u64::from(left.is_none());
        left.is_some()
    }
}
