//! The tools, in one table.

use super::answers;
use super::arguments::{self, Arguments};
use super::profiles::Profile;
use crate::mcp::messages;
use rmcp::model::{Tool, ToolAnnotations};

pub(super) struct Row {
    pub name: &'static str,
    doc: &'static str,
    pub takes: &'static [&'static str],
    /// How many of the first of these must be there.
    pub required: usize,
    /// What it answers, or why not: sentences without capital letter and full stop.
    pub answer: Answer,
}

pub(super) enum Answer {
    OfOne(fn(&Profile, &Arguments) -> Result<String, String>),
    /// From two: the one before a change, and the one after it.
    OfTwo(fn(&Profile, &Profile, &Arguments) -> Result<String, String>),
}

pub(super) const TOOLS: &[Row] = &[
    Row {
        name: "open_profile",
        doc: messages::OPEN_PROFILE_PATH_BELOW_SERVERS,
        takes: &["profile", "budget"],
        required: 1,
        answer: Answer::OfOne(answers::overview),
    },
    Row {
        name: "info",
        doc: messages::KIND_METRICS_WARNINGS_THREADS,
        takes: &["profile", "budget"],
        required: 1,
        answer: Answer::OfOne(answers::info),
    },
    Row {
        name: "hotspots",
        doc: messages::METHODS_WHERE_TIME_GOES,
        takes: &[
            "profile",
            "user_code",
            "by",
            "under",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 1,
        answer: Answer::OfOne(answers::hotspots),
    },
    Row {
        name: "methods",
        doc: messages::ALL_METHODS_CALLS_OCCURRENCES_OWN,
        takes: &[
            "profile",
            "filter",
            "sort",
            "user_code",
            "under",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 1,
        answer: Answer::OfOne(answers::methods),
    },
    Row {
        name: "tree",
        doc: messages::CALL_TREE_ROOT_NODE_HEAVIEST,
        takes: &[
            "profile",
            "node",
            "under",
            "inverted",
            "depth",
            "min_percent",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 1,
        answer: Answer::OfOne(answers::tree),
    },
    Row {
        name: "callers",
        doc: messages::WHO_CALLS_METHOD_ALL_OCCURRENCES,
        takes: &[
            "profile",
            "method",
            "depth",
            "min_percent",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 2,
        answer: Answer::OfOne(answers::callers),
    },
    Row {
        name: "callees",
        doc: messages::METHOD_CALLS_ALL_OCCURRENCES_ONE,
        takes: &[
            "profile",
            "method",
            "depth",
            "min_percent",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 2,
        answer: Answer::OfOne(answers::callees),
    },
    Row {
        name: "search",
        doc: messages::METHODS_LETTERS_THEIR_NAMES_FUZZY,
        takes: &["profile", "text", "metric", "budget"],
        required: 2,
        answer: Answer::OfOne(answers::search),
    },
    Row {
        name: "compare",
        doc: messages::CHANGED_SINCE_ANOTHER_PROFILE_BEFORE,
        takes: &[
            "profile",
            "before",
            "by",
            "per",
            "user_code",
            "metric",
            "threads",
            "steps",
            "budget",
        ],
        required: 2,
        answer: Answer::OfTwo(answers::compare),
    },
    Row {
        name: "report",
        doc: messages::EXPLAINS_PROFILE_METHOD_SUBTREE_BEST,
        takes: &[
            "profile", "method", "node", "metric", "threads", "steps", "budget",
        ],
        required: 1,
        answer: Answer::OfOne(answers::report),
    },
];

/// How to use them, for the model that does.
pub(super) const INSTRUCTIONS: &str = messages::CALL_TREES_NET_PROFILES_DOTTRACE;

/// The tools as the protocol describes them.
pub fn tools() -> Vec<Tool> {
    let tool = |row: &Row| {
        let tool = Tool::new(
            row.name,
            row.doc,
            arguments::schema(row.takes, row.required),
        );
        tool.with_annotations(ToolAnnotations::new().read_only(true))
    };
    TOOLS.iter().map(tool).collect()
}
