//! The tools, in one table.

use super::answers;
use super::arguments::{self, ToolArguments};
use super::folders::Folders;
use super::profiles::OpenProfile;
use crate::mcp::messages;
use rmcp::model::{Tool, ToolAnnotations};
use std::sync::Arc;

pub(super) struct ToolRow {
    pub name: &'static str,
    doc: &'static str,
    pub takes: &'static [&'static str],
    /// How many of these, from the first on, are required.
    pub required: usize,
    /// The answer, or an error: a sentence without a leading capital or a full stop.
    pub answer: Answer,
}

type AnswerOfTwo =
    fn(&[Arc<OpenProfile>], &[Arc<OpenProfile>], &ToolArguments) -> Result<String, String>;

pub(super) enum Answer {
    FromFolders(fn(&Folders, &ToolArguments) -> Result<String, String>),
    OfOne(fn(&OpenProfile, &ToolArguments) -> Result<String, String>),
    /// From two sides: the files before a change, and those after it.
    OfTwo(AnswerOfTwo),
}

/// What a tool works on, its name, function, arguments (those before `;` are required), description.
macro_rules! tools {
    ($($of:ident $name:literal $answer:ident($($required:ident),*; $($more:ident),+) $doc:ident;)*) => {
        &[$(ToolRow {
            name: $name,
            doc: messages::$doc,
            takes: &[$(stringify!($required),)* $(stringify!($more)),+],
            required: {
                const REQUIRED: &[&str] = &[$(stringify!($required)),*];
                REQUIRED.len()
            },
            answer: Answer::$of(answers::$answer),
        }),*]
    };
}

pub(super) const TOOLS: &[ToolRow] = tools! {
    FromFolders "list_profiles" list_profiles(; glob, budget) LIST_PROFILES;
    OfOne "open_profile" overview(profile; budget) OPEN_PROFILE;
    OfOne "info" info(profile; private, budget) INFO;
    OfOne "hotspots" hotspots(profile; user_code, by, group, under, waiting, metric, threads, process, from, until, steps, own_code, budget) HOTSPOTS;
    OfOne "methods" methods(profile; filter, sort, user_code, under, waiting, metric, threads, process, from, until, steps, budget) METHODS;
    OfOne "tree" tree(profile; node, under, inverted, depth, min_percent, waiting, metric, threads, process, from, until, steps, budget) TREE;
    OfOne "callers" callers(profile, method; user, depth, min_percent, waiting, metric, threads, process, from, until, steps, own_code, budget) CALLERS;
    OfOne "callees" callees(profile, method; depth, min_percent, waiting, metric, threads, process, from, until, steps, budget) CALLEES;
    OfOne "waits" waits(profile; metric, threads, process, from, until, steps, budget) WAITS;
    OfOne "timeline" timeline(profile; lanes, waiting, metric, threads, process, from, until, budget) TIMELINE;
    OfOne "search" search(profile, text; metric, budget) SEARCH;
    OfTwo "compare" compare(profile, before; by, per, user_code, waiting, metric, threads, process, steps, budget) COMPARE;
    OfOne "report" report(profile; method, node, waiting, metric, threads, process, from, until, steps, own_code, budget) REPORT;
};

pub fn tools() -> Vec<Tool> {
    let tool = |row: &ToolRow| {
        let schema = arguments::schema(row.name, row.takes, row.required);
        let tool = Tool::new(row.name, row.doc, schema);
        tool.with_annotations(ToolAnnotations::new().read_only(true))
    };
    TOOLS.iter().map(tool).collect()
}
