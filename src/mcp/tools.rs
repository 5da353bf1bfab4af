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
    /// The names of its arguments, the required ones first.
    pub takes: &'static [&'static str],
    pub required: usize,
    /// The answer, or an error: a sentence without a leading capital or a full stop.
    pub answer: AnswerFn,
}

type AnswerFromSides =
    fn(&[Arc<OpenProfile>], &[Arc<OpenProfile>], &ToolArguments) -> Result<String, String>;

pub(super) enum AnswerFn {
    Folders(fn(&Folders, &ToolArguments) -> Result<String, String>),
    Profile(fn(&OpenProfile, &ToolArguments) -> Result<String, String>),
    Sides(AnswerFromSides),
}

/// What a tool works on, its name, function, arguments (those before `;` are required), description.
macro_rules! tools {
    ($($source:ident $name:literal $answer:ident($($required:ident),*; $($more:ident),+) $doc:ident;)*) => {
        &[$(ToolRow {
            name: $name,
            doc: messages::$doc,
            takes: &[$(stringify!($required),)* $(stringify!($more)),+],
            required: {
                const REQUIRED: &[&str] = &[$(stringify!($required)),*];
                REQUIRED.len()
            },
            answer: AnswerFn::$source(answers::$answer),
        }),*]
    };
}

pub(super) const TOOLS: &[ToolRow] = tools! {
    Folders "list_profiles" list_profiles(; glob, budget) LIST_PROFILES;
    Profile "open_profile" overview(profile; budget) OPEN_PROFILE;
    Profile "info" info(profile; private, budget) INFO;
    Profile "hotspots" hotspots(profile; user_code, by, group, under, waiting, metric, threads, process, from, until, steps, own_code, budget) HOTSPOTS;
    Profile "methods" methods(profile; filter, sort, user_code, under, waiting, metric, threads, process, from, until, steps, budget) METHODS;
    Profile "tree" tree(profile; node, under, inverted, depth, min_percent, waiting, metric, threads, process, from, until, steps, budget) TREE;
    Profile "callers" callers(profile, method; user, depth, min_percent, waiting, metric, threads, process, from, until, steps, own_code, budget) CALLERS;
    Profile "callees" callees(profile, method; depth, min_percent, waiting, metric, threads, process, from, until, steps, budget) CALLEES;
    Profile "waits" waits(profile; metric, threads, process, from, until, steps, budget) WAITS;
    Profile "timeline" timeline(profile; lanes, waiting, metric, threads, process, from, until, budget) TIMELINE;
    Profile "search" search(profile, text; metric, budget) SEARCH;
    Sides "compare" compare(profile, before; by, per, user_code, waiting, metric, threads, process, steps, budget) COMPARE;
    Profile "report" report(profile; method, node, waiting, metric, threads, process, from, until, steps, own_code, budget) REPORT;
};

pub fn tools() -> Vec<Tool> {
    let tool = |row: &ToolRow| {
        let schema = arguments::schema(row.name, row.takes, row.required);
        let tool = Tool::new(row.name, row.doc, schema);
        tool.with_annotations(ToolAnnotations::new().read_only(true))
    };
    TOOLS.iter().map(tool).collect()
}
