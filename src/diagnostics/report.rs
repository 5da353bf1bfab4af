use super::define::{diagnostics, rows};
use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;

rows! {
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum MissingReason: &'static str {
        Unread = "are where the report can't be read";
        Pattern = "are left out by the pattern of the report";
    }
}

diagnostics! {
    pub enum ReportDiagnostic {
        /// Attributes that should be numbers are not.
        NotNumbers { values: u64, first: String } = "not-numbers",
            "ignored: {} that should be numbers, such as {first:?}", counted(*values, "value");
        /// Some elements count calls and others samples.
        OtherCounts {
            left_out: Cow<'static, str>,
            elements: u64,
            kept: Cow<'static, str>,
        } = "other-counts",
            "left out: {left_out} in {}, since others have {kept}", counted(*elements, "element");
        /// Functions without instances, while others have some.
        FunctionsWithoutInstances {
            functions: u64,
            own_ms: f64,
        } = "functions-without-instances",
            "not in the tree: {} without Instances, whose own times are {own_ms} ms together; the report's pattern asks for \
             call stacks with PrintCallstacks=\"Full\"",
            counted(*functions, "function");
        /// Nodes that are only named in the call stacks of others.
        NodesWithoutRow {
            nodes: u64,
            why_missing: MissingReason,
        } = "nodes-without-row",
            "known only from the call stacks of others: {}, whose own rows {}; their own times are shown as 0",
            counted(*nodes, "node"), why_missing.row();
        /// Nodes whose total time is not their own time plus that of their callees.
        TimesContradict { nodes: u64 } = "times-contradict",
            "TotalTime is not the sum of OwnTime and the callees in {}; callees may be left out by the pattern of the report",
            counted(*nodes, "node");
    }
}
