//! A recording in progress while it is explored.

use super::{ButterflyParts, ButterflySubject, HotspotLists, OpenedCallers};
use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::model::View;
use crate::units::counted;
use std::sync::Arc;

/// The progress of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveNow {
    /// Time since its start.
    pub elapsed_ms: u64,
    pub samples: u64,
    /// Bytes received, including everything recorded.
    pub bytes: u64,
    /// Whether it has ended, but not all of it is shown yet.
    pub is_over: bool,
    /// Whether dotspot quits when it ends.
    pub leaves: bool,
}

impl LiveNow {
    /// Its duration and number of samples: `12 s · 48,310 samples`.
    pub(super) fn words(&self) -> String {
        format!(
            "{} s · {}",
            self.elapsed_ms / 1000,
            counted(self.samples, "sample")
        )
    }
}

/// The shown view, rebuilt after the recording has grown.
pub struct Renewed {
    /// The view that was shown when this was requested.
    pub of: Arc<View>,
    /// The whole recording so far.
    pub whole: ReadyView,
    /// The view that the same steps make of it.
    pub shown: ReadyView,
    /// Where old frames and nodes are in it.
    pub growth: Growth,
    /// The hotspots of the same subtree.
    pub hotspots: Arc<HotspotLists>,
    /// The same caller tree, with the rows whose callers are built.
    pub butterfly: Option<(ButterflySubject, Arc<ButterflyParts>, Vec<OpenedCallers>)>,
    /// If the recording has ended: the message about that.
    pub end: Option<String>,
}

/// What the explorer knows about the recording in progress.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// Its progress.
    pub now: LiveNow,
    /// Its progress when the shown data was read.
    pub shown: LiveNow,
    /// Its progress at the last request for more, until the answer arrives.
    pub requested: Option<LiveNow>,
    pub is_frozen: bool,
    pub is_stopping: bool,
    /// Whether the user was requested if it should be stopped.
    pub asks_to_stop: bool,
}
