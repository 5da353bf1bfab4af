//! The data that everything else works on: names, frames, metrics, the call tree and its builder.
//! This room knows no other.

mod builder;
pub mod diagnostics;
pub mod format;
mod frame_kinds;
mod frames;
mod ids;
mod metrics;
mod names;
mod profile;
mod shown;
mod spans;
#[doc(hidden)]
pub mod testing;
pub mod text;
mod tree;
mod truncation;

pub use builder::{Built, Entry, RawNode, TooLarge, TreeBuilder};
pub use diagnostics::{Diagnostic, Severity};
pub use frame_kinds::{Category, FrameKind};
pub use frames::{Frame, Frames};
pub use ids::{FrameId, MetricId, NameId, NodeId};
pub use metrics::{CountKind, Metric, Unit};
pub use names::Names;
pub use profile::{
    NodeIds, Process, Profile, ProfileKind, Source, StoredHotspot, StoredMethod, StoredSum, Thread, Threads,
};
pub use shown::{ALLOCATED, category_of, module_name, name_rules, shown_name, shown_parameters, split_module};
pub use spans::{Closed, Track};
pub use tree::{Columns, Places, Tree};
pub use truncation::{Amount, ThreadTruncation, Truncation, exclusive_by_frame};
