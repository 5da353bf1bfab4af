//! From recordings to views, and from views to rows: hotspots, occurrences, paths. Stateless, and never recursive.

mod caller_tree;
mod cautions;
mod chart;
pub mod compared;
mod cut;
pub mod growth;
mod hotspots;
pub mod make;
mod merged;
pub(crate) mod messages;
mod nearest;
mod own_system;
mod parallel;
mod paths;
mod phases;
mod range;
mod ready;
pub mod remap;
mod repair;
mod rewrite;
pub mod search;
mod summary_tree;
pub mod threads;
mod timeline;
mod waits;

pub use caller_tree::{CallerRow, CallerTree, CallerTreeSums};
pub use cautions::{POLL_PERCENT, cautions};
pub use chart::Chart;
pub use cut::cut;
pub use hotspots::{
    Hotspot, HotspotOrder, average, hotspots, hottest_thread, keep_first_hotspots, own_value,
    samples, sort_hotspots, sum, waiting_of,
};
pub use merged::{merged, merged_watched};
pub use nearest::Nearest;
pub use own_system::{
    ChargedValue, OwnAndSystem, is_charged, own_and_system, own_and_system_samples,
};
pub use parallel::join;
pub use paths::{
    HotPathEnd, OccurrencesByWeight, hot_path, occurrences_by_weight, occurrences_within,
    outermost_occurrences,
};
pub use phases::{Phase, phases};
pub use ready::ReadyView;
pub use repair::{InclusiveChange, inclusive_changes, marked_truncated_in_file};
pub use rewrite::{Pattern, grouped, nodes_to_open};
pub use summary_tree::{GroupId, SummaryTree};
pub use timeline::{BucketValues, Buckets, Timeline};
pub use waits::{Wait, waits};
