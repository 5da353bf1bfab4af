//! Readers of profile formats, one file per format.
//!
//! [`FORMATS`] is the only list of formats anywhere: detection, `--format`, help and docs are made from it.

mod call_tree_json;
mod collapsed;
mod containers;
mod cpuprofile;
mod cursor;
mod dotnet;
mod dtp;
mod error;
mod formats;
mod grown;
mod input;
pub mod json;
mod lines;
mod native;
mod nettrace;
mod perf_script;
mod perfview;
mod pprof;
mod progress;
mod report_xml;
mod speedscope;
mod trace_event;
mod tracks;
pub(crate) mod truncation;
mod xml;

pub use call_tree_json::read_whole as read_whole_call_tree;
pub use containers::{Wanted, unpack};
pub(crate) use dotnet::is_thread_time;
pub use dtp::{
    ASK_DOCTOR, Examination, Family, FamilyFile, Finding, MissingSection, NATIVE_READS, Need, SectionState, examine,
    index_of, is_timeline_snapshot, kind_of_snapshot, snapshot_files,
};
pub use error::{Failure, ImportError, Stage};
pub use formats::{Confidence, FORMATS, Format, MethodSum, Sums, aliases, detect, format_of, import, import_with};
pub use input::{Head, Input, name_of, plain};
pub use progress::Progress;
pub(crate) use tracks::is_thread;
