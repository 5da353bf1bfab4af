//! Queries on a profile. Each takes a request and returns an answer, which converts to a serde document for JSON.
//!
//! Commands, the explorer and servers share these queries. They print nothing; remarks are part of the answer.

mod callers;
mod comparison;
mod error;
mod info;
mod inverted;
mod list;
mod markers;
pub(crate) mod messages;
mod methods;
mod notes;
mod occurrences;
mod outline;
mod part;
mod range;
mod report;
#[cfg(feature = "mcp")]
mod search;
mod selection;
mod steps;
mod table;
mod threads;
mod timeline;
mod tree;
mod truncation;
mod values;
mod waits;

pub use callers::{
    MethodRelations, MethodRequest, Related, Relation, frame_relations, method_relations,
};
pub use comparison::{
    ComparedCells, ComparedFile, ComparedNode, Comparison, ComparisonOrder, ComparisonRequest,
    Condition, Per, comparison, with_prefix,
};
pub use error::QueryError;
pub use info::{info, largest_count, metric_total, threads_by_value};
pub use inverted::{Extent, inverted_cut};
pub use list::{
    ListRequest, ListedMethod, MOSTLY_OUTSIDE_PERCENT, MethodList, MethodOrder, list_methods,
    sort_methods,
};
pub use markers::{facts_and_markers, marker_lines};
pub use methods::frames_named;
pub use notes::method_notes;
pub use occurrences::{
    AllOccurrences, all_occurrences, heaviest_occurrence, merges_threads, occurrences_of,
};
#[cfg(feature = "mcp")]
pub use outline::QueryOutline;
#[cfg(feature = "mcp")]
pub use part::describe_view;
use part::recording_total;
pub use part::{PartOfWhole, share_of_recording, steps_words};
pub use range::{RangeEnd, RangeFault, RangeRequest, parse_range, parse_range_end};
pub use report::FACTS;
#[cfg(feature = "mcp")]
pub use report::QUESTIONS;
pub use report::{Report, ReportForm, ReportRequest, ReportSubject, report};
#[cfg(feature = "mcp")]
pub use search::{SearchRequest, search};
pub use selection::{PartRequest, measure_flags, metric_named, node_named};
pub use steps::{INVERTED, StepRequest, apply_steps};
pub use table::{Cells, Column, TableRow};
pub use threads::describe_idle;
#[cfg(feature = "mcp")]
pub use threads::program_in;
pub use threads::{ThreadRequest, root, select_scope, thread_choice};
pub use timeline::{
    HEIGHTS, MARKED_CELL, MarkerLane, TimelineAnswer, TimelineBy, TimelineLane, WAITING_CELL,
    full_threads, height, marker_lanes, over_time, rate_words, round_times, timeline,
};
pub use tree::{Excerpt, TreeRequest, tree};
pub use truncation::{TruncationReport, truncation};
#[cfg(feature = "mcp")]
pub use values::alert_words;
pub use values::{PartTotal, thin_shares, waiting_amount, waiting_part};
pub use waits::{WaitCells, Waits, waits};
