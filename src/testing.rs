//! Re-exports for this project's tests, benchmarks, examples and fuzz targets: exactly the items that they use.
//!
//! Not a public API: it changes with every commit. A test that needs another item adds a line here;
//! everything else stays crate-private, so that the compiler warns about dead code.

pub mod analysis {
    pub use crate::analysis::{
        CallerRow, CallerTree, CallerTreeSums, GroupId, Hotspot, HotspotOrder, InclusiveChange,
        ReadyView, SummaryTree, cautions, grouped, hotspots, inclusive_changes, merged,
        nodes_to_open, outermost_occurrences, own_and_system, sort_hotspots,
    };
    pub mod compared {
        pub use crate::analysis::compared::{
            AFTER, BEFORE, Chance, Compared, ComparedMethod, Estimate, Presence, Side, Sides,
            beyond_chance, compare, compared_methods, is_slower,
        };
    }
    pub mod make {
        pub use crate::analysis::make::{apply, make, node_labeled, scoped, whole};
    }
    pub mod search {
        pub use crate::analysis::search::SearchIndex;
    }
}
pub mod app {
    pub use crate::app::{
        Action, App, Effect, Event, Explorer, HiddenColumns, JobKind, LiveStatus, Loading, Message,
        OpenFailure, OpenedFrom, Overlay, PaneRow, Preferences, ReportJob, ReportUse, Screen,
        SortColumn, ViewOverTime,
    };
    pub mod commands {
        pub use crate::app::commands::{Command, Context};
    }
    pub mod keymap {
        pub use crate::app::keymap::{Keymap, key_label};
    }
    pub mod panels {
        pub use crate::app::panels::{AnyPanel, HotspotPanel, TreePanel};
    }
    pub mod picker {
        pub use crate::app::picker::{Mark, PickerRow};
    }
}
pub mod cli {
    pub use crate::cli::{
        CONFIG_ENTRIES, Jobs, KeyReader, OpenOptions, Target, exit_codes, first_view, open,
        updated_view,
    };
}
pub mod decoders {
    pub use crate::decoders::{
        Decoder, DecoderChoice, DecoderSettings, Environment, System, decode,
    };
    pub mod assemblies {
        pub use crate::decoders::assemblies::probe;
    }
    pub mod helper {
        pub use crate::decoders::helper::built;
    }
    pub mod toolchain {
        pub use crate::decoders::toolchain::CompilerKind;
    }
}
pub mod diagnostics {
    pub use crate::diagnostics::{
        Anomaly, ContainerStop, Diagnostic, LineFault, MissingReason, NamelessCause, Severity,
        Share, StacksTruncated, UnknownUnit,
    };
    pub mod partly {
        pub use crate::diagnostics::partly::{
            ALL, ELEMENTS_DAMAGED, ELEMENTS_WITHOUT_NUMBER, EVENTS_INCOMPLETE, EVENTS_LATE,
            EVENTS_UNDESCRIBED, INSTANCES_WITHOUT_STACK, NODES_WITHOUT_FRAME, NUMBERS_GIVEN_TWICE,
            SAMPLES_OF_UNKNOWN_NODES, SAMPLES_OF_UNKNOWN_STACKS, SAMPLES_REORDERED,
            SAMPLES_WITHOUT_TIME, SAMPLES_WITHOUT_WEIGHT, STACK_CYCLES, STACKS_OF_UNKNOWN_CALLERS,
            STACKS_OF_UNKNOWN_FRAMES, WEIGHTS_WITHOUT_SAMPLE,
        };
    }
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
    pub use crate::model::{
        Amount, Collapsible, CountKind, FilterAction, Frame, FrameId, Frames, GroupBy, Marker,
        MarkerKind, MarkerTable, MarkerValue, Merging, Metric, MetricId, NodeId, NodeIds, NodeRef,
        ProfileKind, RawNode, RecordedNode, Recording, Recursion, SampleKind, SampleLog,
        SampleTable, Scope, Source, Step, Synthetic, Thread, ThreadChoice, ThreadTruncation,
        TimeRange, TreeBuilder, TreeForm, Truncation, UntimedReason, View, ViewSpec,
        WeightedSample,
    };
    pub mod testing {
        pub use crate::model::testing::{profile_of, recording_of};
    }
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
