//! A recording in progress while it is explored.

use super::butterfly_parts::{ButterflyParts, ButterflySubject, OpenedCallers};
use super::hot_sums::HotspotLists;
use crate::analysis::ReadyView;
use crate::analysis::growth::Growth;
use crate::model::View;
use crate::units::counted;
use std::sync::Arc;

/// How far a recording is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveNow {
    /// Time since its start.
    pub elapsed_ms: u64,
    pub samples: u64,
    /// Bytes that have come, with whatever else is recorded.
    pub bytes: u64,
    /// Whether it is over, and what is shown is still to become all of it.
    pub is_over: bool,
    /// Whether dotspot leaves when it is over.
    pub leaves: bool,
}

impl LiveNow {
    /// For how long, and how many samples: `12 s · 48,310 samples`.
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
    /// The view that was shown when it was asked for.
    pub of: Arc<View>,
    /// All that was recorded.
    pub whole: ReadyView,
    /// What the same steps make of it.
    pub shown: ReadyView,
    /// Where frames and nodes are in it.
    pub growth: Growth,
    /// The hotspots of the same subtree.
    pub hotspots: Arc<HotspotLists>,
    /// The same tree of callers, with the rows whose callers are made.
    pub butterfly: Option<(ButterflySubject, Arc<ButterflyParts>, Vec<OpenedCallers>)>,
    /// If the recording is over: what is said about that.
    pub end: Option<String>,
}

/// What the explorer knows of the recording that it shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// How far it is.
    pub now: LiveNow,
    /// How far it was when what is shown was read.
    pub shown: LiveNow,
    /// How far it was when it was last asked for more, while that is awaited.
    pub asked: Option<LiveNow>,
    pub is_frozen: bool,
    pub is_stopping: bool,
    /// Whether the user was asked if it is to be stopped.
    pub asks_to_stop: bool,
}
