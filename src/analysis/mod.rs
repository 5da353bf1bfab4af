//! Functions from a profile to rows: hotspots, places, paths. They hold no state, and none recurses.

mod hotspots;
mod paths;
pub mod search;
mod stored;

pub use hotspots::{Hotspot, HotspotOrder, average, hotspots, sort_hotspots};
pub use paths::{HOT_PATH_SHARE, hot_path, outermost_places, places_by_weight};
pub use stored::check_stored_hotspots;
