//! Functions from a profile to rows: hotspots, places, paths. They hold no state, and none recurses.

mod beside;
mod cautions;
mod compare;
mod hotspots;
mod mending;
mod paths;
mod range;
pub mod search;
mod stored;
pub mod threads;

pub use beside::{SumDifference, SumsComparison, compare_sums_beside};
pub use cautions::cautions;
pub use compare::{Comparison, Difference, Tolerance, What, compare};
pub use hotspots::{Hotspot, HotspotOrder, average, hotspots, sort_hotspots};
pub use mending::{InclusiveChange, inclusive_changes, left_by_its_writer};
pub use paths::{HOT_PATH_SHARE, hot_path, outermost_places, places_by_weight};
pub use range::in_range;
pub use stored::check_stored_hotspots;
