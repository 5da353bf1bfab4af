//! The data that everything else works on: names, frames, metrics, the call tree and its builder.
//! This room knows no other.

mod builder;
mod chance;
mod columns;
mod counts;
pub mod diagnostics;
mod display_name;
mod ensure;
pub mod format;
mod frame_kinds;
mod frames;
mod ids;
mod measure;
mod method_notes;
mod metrics;
mod names;
mod plumbing;
mod raw_columns;
mod recording;
mod sample_kinds;
mod sample_log;
mod samples;
pub mod sampling_error;
mod soundness;
mod source;
mod spans;
mod step;
mod steps;
#[doc(hidden)]
pub mod testing;
pub mod text;
pub mod thread_names;
mod threads;
mod tree;
mod truncation;
mod view;
mod waiting;
mod waits;
mod work;

pub use builder::{Built, TooLarge, TreeBuilder};
pub use chance::{Chance, Verdicts};
pub use counts::Counts;
pub use diagnostics::{Diagnostic, Severity};
pub use display_name::{
    ALLOCATED, CONSTRUCTED, TypeParameters, UserCode, category_of, display_name, display_name_with,
    display_parameters, module_name, name_rules, namespace_and_type, split_module,
};
pub use frame_kinds::{Category, FrameKind};
pub use frames::{Entered, Frame, Frames, MadeUp};
pub use ids::{FrameId, MetricId, NameId, NodeId, RawNode};
pub use measure::Measure;
pub use method_notes::MethodNotes;
pub use metrics::{CountKind, Metric, Unit};
pub use names::Names;
pub use plumbing::plumbing_rules;
pub use recording::{RecordedProcess, RecordedThread, RecordedTree, Recording, TreeForm};
pub use sample_kinds::{NodeSums, SampleKind};
pub use sample_log::{LastingSample, SampleLog, WeightedSample};
pub use samples::{Lane, RangeOf, SamplePart, SampleTable, TimeRange, WithoutSamples};
pub use source::{NodeIds, ProfileKind, Source, StoredHotspot, StoredMethod, StoredSum};
pub use spans::{Charges, Closed, Track};
pub use step::{FilterAction, Foldable, GroupBy, MethodKey, Recursion, Step};
pub use steps::{Fold, StepFlags, Steps, ThreadChoice, flag_order};
pub use threads::{Process, Thread, Threads};
pub use tree::{CallTree, Columns, Occurrences};
pub use truncation::{Amount, ThreadTruncation, Truncation, exclusive_by_frame};
pub use view::{MakesMore, More, Moved, Opened, Remade, View};
pub use waiting::Waiting;
pub use waits::NO_MANAGED_FRAMES;
pub use work::{Counter, Unmade, Work};
