//! The data behind a page of callers: the caller tree of a method or subtree, with callees, threads and sums.

use crate::analysis::remap::Remap;
use crate::analysis::{CallerTreeSums, ReadyView};
use crate::model::{FrameId, NodeId, Opening};
use std::sync::Arc;

/// What a caller tree is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ButterflySubject {
    /// The method whose occurrences are merged; `None` for the inverted subtree: each method with its exclusive time.
    pub method: Option<FrameId>,
    /// The subtree that it is within.
    pub within: NodeId,
    /// Whether only user code counts as a caller.
    pub only_user_code: bool,
}

impl ButterflySubject {
    /// Switches between all callers and user code only.
    #[must_use]
    pub fn toggled(self) -> ButterflySubject {
        ButterflySubject {
            only_user_code: !self.only_user_code,
            ..self
        }
    }

    /// The subject in another view; `None` for a method that the view can't have.
    pub fn remapped(self, remap: &mut Remap) -> Option<ButterflySubject> {
        let method = match self.method {
            Some(frame) => Some(remap.frame(frame)?),
            None => None,
        };
        let within = remap.node(self.within).0;
        Some(ButterflySubject {
            method,
            within,
            ..self
        })
    }
}

/// A row of a caller tree: the frames from below its root outward.
pub type CallerPath = Arc<[FrameId]>;

/// A row of a caller tree that was opened, and how far above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedCallers {
    pub path: CallerPath,
    pub opening: Opening,
}

/// What a part of a method's value belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SumsRow {
    Thread(String),
    /// A method of user code, given by its first node in the tree without collapsed rows.
    User(NodeId),
    /// No user code.
    NoUser,
}

/// A caller tree with further data about its subject.
#[derive(Clone)]
pub struct ButterflyParts {
    /// What it is about.
    pub subject: ButterflySubject,
    /// The callers, upward: the root is the method, or that of the subtree that is inverted.
    pub callers: ReadyView,
    /// What the outermost occurrences of a method call, as one tree whose root is the method.
    pub callees: Option<ReadyView>,
    /// By metric: the threads with the subject's value in each, largest first.
    pub threads: Vec<Vec<(SumsRow, CallerTreeSums)>>,
    /// By metric: the nearest user code above a method with the value called through it, largest first.
    pub users: Vec<Vec<(SumsRow, CallerTreeSums)>>,
    /// By metric: the subject's total.
    pub sums: Vec<CallerTreeSums>,
    /// The number of occurrences.
    pub occurrences: usize,
    /// How many of them are nested in others: recursion, which counts once.
    pub inner_occurrences: usize,
    /// The occurrence with the largest inclusive value of the first metric.
    pub heaviest: NodeId,
}
