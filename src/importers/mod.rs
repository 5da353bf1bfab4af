//! Readers of profile formats, one folder each.
//!
//! [`FORMATS`] is the only list of formats: detection, `--format`, the help and the docs are derived from it.

mod anomalies;
mod assembly;
mod call_tree_json;
mod clock;
mod collapsed;
mod cpuprofile;
mod decimals;
mod dotnet;
mod dtp;
mod embedded_notes;
mod etl;
mod filetime;
mod firefox;
mod format;
mod frame_counts;
mod import;
pub(crate) mod messages;
mod native;
mod nettrace;
mod node_limit;
mod perf_data;
mod perf_script;
mod perfview;
mod pprof;
mod report_xml;
mod runtime;
mod speedscope;
mod stream;
mod symbols;
mod table;
mod trace_event;
mod tracks;

pub use call_tree_json::read_whole as read_whole_call_tree;
pub(crate) use dotnet::is_nameless;
pub use dtp::{
    Examination, ExaminedSection, Family, FamilyFile, NATIVE_READS, Need, SectionState, examine,
    index_of, is_timeline_snapshot, kind_of_snapshot, snapshot_files,
};
pub(crate) use dtp::{FORMAT as SNAPSHOT, is_named_like_snapshot, profile_states};
pub use format::{Format, ReadOptions};
pub use import::{import, import_with, open_file, unpack};
pub(crate) use nettrace::{Tally, blocks_of_names, end_of_recording};
pub(crate) use report_xml::FORMAT as REPORT;
pub use table::{FORMATS, aliases, detect, format_of};
