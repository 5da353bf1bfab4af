//! Diagnostics about the programs that decode dotTrace snapshots.

use super::define::diagnostics;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::borrow::Cow;

diagnostics! {
    /// What happened on the way of a snapshot through other programs.
    pub enum DecodingDiagnostic {
        /// One decoder had to read what another one could not.
        FellBack {
            /// The decoder that has read it.
            decoder: Cow<'static, str>,
            before: Cow<'static, str>,
            /// Why that one failed.
            reason: String,
        } = "decoder-fell-back",
            "read by decoder {decoder}, because decoder {before} failed: {reason}";
        /// A toolchain did not build the helper, and another one did.
        ToolchainPassedOver {
            /// What built it.
            toolchain: Cow<'static, str>,
            /// Why others did not.
            reason: String,
        } = "toolchain-passed-over", "the helper was built with {toolchain}, because {reason}";
        /// Nothing is kept for the next time.
        CacheUnusable { reason: String } = "cache-unusable",
            "{reason}; the next run will take just as long";
        /// The tree can't be kept.
        TreeNotKept { reason: String } = "tree-not-kept",
            "the decoded tree can't be kept: {reason}; the next run will take just as long";
        /// Reporter failed, and has written a whole report.
        ReporterFailed {
            /// How it ended.
            problem: String,
        } = "reporter-failed", "{problem}, but its report is complete";
    }
}
