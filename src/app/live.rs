//! A recording in progress while it is explored.

use super::{ButterflyParts, ButterflySubject, HotspotLists, OpenedCallers};
use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::model::View;
use crate::units::counted;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveStatus {
    pub elapsed_ms: u64,
    pub samples: u64,
    /// Received, including everything recorded.
    pub bytes: u64,
    /// It has ended, but not all of it is shown yet.
    pub is_over: bool,
    /// dotspot quits when it ends.
    pub quits_at_end: bool,
}

impl LiveStatus {
    /// `12 s · 48,310 samples`.
    pub(super) fn words(&self) -> String {
        let samples = counted(self.samples, "sample");
        format!("{} s · {samples}", self.elapsed_ms / 1000)
    }
}

/// The shown view, rebuilt after the recording has grown.
pub struct UpdatedView {
    /// The view when this was requested.
    pub of: Arc<View>,
    pub whole: ReadyView,
    pub shown: ReadyView,
    /// Where old frames and nodes are now.
    pub growth: Growth,
    pub hotspots: Arc<HotspotLists>,
    pub butterfly: Option<(ButterflySubject, Arc<ButterflyParts>, Vec<OpenedCallers>)>,
    /// A message if the recording has ended.
    pub end: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    pub now: LiveStatus,
    /// When the shown data was read.
    pub shown: LiveStatus,
    /// The status at the last request for more, until the answer arrives.
    pub requested: Option<LiveStatus>,
    pub is_frozen: bool,
    pub is_stopping: bool,
    pub asks_to_stop: bool,
}
