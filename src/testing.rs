//! Re-exports for this project's tests, benchmarks, examples and fuzz targets: exactly the items that they use.
//!
//! Not a public API: it changes with every commit. A test that needs another item adds a line here;
//! everything else stays crate-private, so that the compiler warns about dead code.

pub mod analysis {
    pub use crate::analysis::compared::{
        AFTER, BEFORE, Compared, ComparedMethod, Estimate, Presence, Side, Sides, Verdict,
        beyond_chance, compare, compared_methods, is_slower,
    };
    pub use crate::analysis::make::{apply, make, node_labeled, scoped, whole};
    pub use crate::analysis::search::SearchIndex;
    pub use crate::analysis::{
        CallerRow, CallerTree, CallerTreeSums, GroupId, Hotspot, HotspotOrder, InclusiveChange,
        ReadyView, SummaryTree, cautions, grouped, hotspots, inclusive_changes, merged,
        nodes_to_open, outermost_occurrences, own_and_system, sort_hotspots,
    };
}
pub mod app {
    pub use crate::app::commands::{Command, Context};
    pub use crate::app::keymap::{Keymap, key_label};
    pub use crate::app::panels::{AnyPanel, HotspotPanel, TreePanel};
    pub use crate::app::picker::{Mark, PickerRow};
    pub use crate::app::{
        Action, App, Effect, Event, Explorer, HiddenColumns, JobKind, LiveStatus, Loading, Message,
        OpenFailure, OpenedFrom, Overlay, PaneRow, Preferences, ReportJob, ReportUse, Screen,
        SortColumn, ViewOverTime,
    };
}
pub mod cli {
    pub use crate::cli::{
        CONFIG_ENTRIES, Jobs, KeyReader, OpenOptions, Target, exit_codes, first_view, open,
        updated_view,
    };
}
pub mod decoders {
    pub use crate::decoders::assemblies::probe;
    pub use crate::decoders::helper::built;
    pub use crate::decoders::toolchain::CompilerKind;
    pub use crate::decoders::{
        Decoder, DecoderChoice, DecoderSettings, Environment, System, decode,
    };
}
pub mod diagnostics {
    pub use crate::diagnostics::partly;
    pub use crate::diagnostics::{
        Anomaly, ContainerStop, Diagnostic, LineFault, MissingReason, NamelessCause, Severity,
        Share, StacksTruncated, UnknownUnit,
    };
}
pub mod exporters {
    pub use crate::exporters::{EXPORTERS, Exporter, Output, Part};
    pub mod call_tree_json {
        pub use crate::exporters::call_tree_json::write;
    }
}
pub mod importers {
    pub use crate::importers::{
        FORMATS, Format, ReadOptions, detect, examine, format_of, import, import_with,
        kind_of_snapshot, open_file, unpack,
    };
}
pub mod input {
    pub use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress, Stage};
}
pub mod model {
    pub use crate::model::testing::{profile_of, recording_of};
    pub use crate::model::{
        Amount, Collapsible, CountKind, FilterAction, Frame, FrameId, Frames, GroupBy, Marker,
        MarkerKind, MarkerTable, MarkerValue, Merging, Metric, MetricId, NodeId, NodeIds, NodeRef,
        ProfileKind, RawNode, RecordedNode, Recording, Recursion, SampleKind, SampleLog,
        SampleTable, Scope, Source, Step, Synthetic, Thread, ThreadChoice, ThreadTruncation,
        TimeRange, TreeBuilder, TreeForm, Truncation, UntimedReason, View, ViewSpec,
        WeightedSample,
    };
}
pub mod names {
    pub use crate::names::{Category, FrameKind, UserCode, category_of, display_name};
}
#[cfg(feature = "mcp")]
pub mod mcp {
    pub use crate::mcp::tools;
}
pub mod query {
    pub use crate::query::{
        ComparedFile, ComparedNode, Comparison, ComparisonRequest, Extent, MethodRequest,
        PartRequest, Related, Relation, Report, ReportForm, ReportRequest, ReportSubject,
        ThreadRequest, comparison, marker_lines, method_relations, report, select_scope,
    };
}
pub mod text {
    pub use crate::text::{is_hostile, width};
}
pub mod ui {
    pub use crate::ui::{Background, Palette, Role, THEMES, Theme, draw};
}
pub mod units {
    pub use crate::units::{Scale, Unit, counted, percent, thousands};
}
