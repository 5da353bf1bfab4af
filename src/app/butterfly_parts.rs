//! What a page of callers shows.

use crate::analysis::remap::Remap;
use crate::analysis::{CallerTreeSums, ReadyView};
use crate::model::{FrameId, NodeId, Opening};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ButterflySubject {
    /// The method whose occurrences are merged; `None` for the inverted subtree.
    pub method: Option<FrameId>,
    pub within: NodeId,
    pub only_user_code: bool,
}

impl ButterflySubject {
    #[must_use]
    pub fn toggled(self) -> ButterflySubject {
        ButterflySubject {
            only_user_code: !self.only_user_code,
            ..self
        }
    }

    /// `None` for a method that the view can't have.
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

pub type CallerPath = Arc<[FrameId]>;

/// A row that was opened, by its frames from below the root outward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedCallers {
    pub path: CallerPath,
    pub opening: Opening,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SumsRow {
    Thread(String),
    /// A method, given by its first node in the tree without collapsed rows.
    User(NodeId),
    NoUser,
}

#[derive(Clone)]
pub struct ButterflyParts {
    pub subject: ButterflySubject,
    /// The root is the method, or that of the inverted subtree.
    pub callers: ReadyView,
    /// What the outermost occurrences of a method call; the root is the method.
    pub callees: Option<ReadyView>,
    pub threads: Vec<Vec<(SumsRow, CallerTreeSums)>>,
    /// The nearest user code above a method, largest first, for each metric.
    pub users: Vec<Vec<(SumsRow, CallerTreeSums)>>,
    pub sums: Vec<CallerTreeSums>,
    pub occurrences: usize,
    /// The occurrence with the largest inclusive value of the first metric.
    pub heaviest: NodeId,
}
