//! Readers of profile formats, one file per format.
//!
//! [`FORMATS`] is the only list of formats anywhere: detection, `--format`, help and docs are made from it.

mod call_tree_json;
mod collapsed;
mod containers;
mod cpuprofile;
mod dotnet;
mod dtp;
mod error;
mod formats;
mod input;
pub mod json;
mod lines;
mod nettrace;
mod perf_script;
mod progress;
mod speedscope;
mod trace_event;
mod tracks;

pub use containers::{Wanted, unpack};
pub use error::{Failure, ImportError, Stage};
pub use formats::{Confidence, FORMATS, Format, detect, format_of, import, import_with};
pub use input::{Head, Input, plain};
pub use progress::Progress;
