//! Functions from a recording to views of it, and from a view to rows: hotspots, occurrences, paths. They hold no state, and
//! none recurses.

mod agreement;
mod beside;
mod cautions;
mod choice;
pub mod compared;
mod cut;
pub mod fold;
mod gathered;
pub mod growth;
mod hotspots;
mod merged;
mod own_system;
mod paths;
mod range;
pub mod remap;
mod repair;
mod rewrite;
pub mod search;
mod stored;
pub mod threads;
mod two_threads;
mod upward;

pub use agreement::{Agreement, Difference, What, agreement};
pub use beside::{SumsComparison, compare_sums_beside};
pub use cautions::cautions;
pub use choice::{Candidate, Choice};
pub use cut::cut;
pub use gathered::{Gathered, GroupId};
pub use hotspots::{
    Hotspot, HotspotOrder, average, hotspots, hottest_thread, keep_first_hotspots, samples,
    sort_hotspots,
};
pub use merged::{merged, merged_watched};
pub use own_system::{Charged, OwnAndSystem, is_charged, own_and_system};
pub use paths::{
    ByWeight, HotPathEnd, hot_path, occurrences_by_weight, occurrences_within,
    outermost_occurrences,
};
pub use repair::{InclusiveChange, inclusive_changes, left_by_its_writer};
pub use rewrite::{Pattern, opened_by, unfolded_root, unfolded_roots};
pub use stored::check_stored_hotspots;
pub use two_threads::both;
pub use upward::{Upward, UpwardRow, UpwardSums};
