//! The tools, in one table.

use super::answers;
use super::arguments::{self, Arguments};
use super::profiles::Profile;
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
        doc: "Open a profile (path below the server's folders): what it is, metrics, what to be careful about, where the time goes. Others open it as well.",
        takes: &["profile", "budget"],
        required: 1,
        answer: Answer::OfOne(answers::overview),
    },
    Row {
        name: "info",
        doc: "Kind, metrics, warnings, threads.",
        takes: &["profile", "budget"],
        required: 1,
        answer: Answer::OfOne(answers::info),
    },
    Row {
        name: "hotspots",
        doc: "Methods where the time goes.",
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
        doc: "All methods with calls, occurrences, own + system; filter: part of the name.",
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
        doc: "Call tree from the root, a node, or the heaviest occurrence of a method (under); inverted: methods with callers below.",
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
        doc: "Who calls a method, all occurrences as one.",
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
        doc: "What a method calls, all occurrences as one.",
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
        doc: "Methods by letters of their names (fuzzy).",
        takes: &["profile", "text", "metric", "budget"],
        required: 2,
        answer: Answer::OfOne(answers::search),
    },
    Row {
        name: "compare",
        doc: "What changed since another profile (before): methods slower and faster by own time, new ones, which are more than chance; per: what to make equal: total, calls, samples or method:NAME.",
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
        doc: "What explains a profile, a method or a subtree best within the budget: caveats, hotspots, callers, tree, as Markdown.",
        takes: &[
            "profile", "method", "node", "metric", "threads", "steps", "budget",
        ],
        required: 1,
        answer: Answer::OfOne(answers::report),
    },
];

/// How to use them, for the model that does.
pub(super) const INSTRUCTIONS: &str = "\
Call trees of .NET profiles (dotTrace, nettrace, speedscope, perf, pprof and others). Begin with open_profile. \
Numbers are sampled or measured times: inclusive (incl) with callees, own without; % is of the total in the head. \
Ids such as n12 are nodes: pass one as `node` to `tree` to go deeper. A method is named by the end of its name (`Type.Method`), Type.* is all of a type. \
`steps` make another view, in order: drop:METHOD (what if it were free), focus:RE, ignore:RE, hide:RE, show-from:RE, \
fold-recursion:direct|all, fold:plumbing|system, group:module|namespace|type. `threads` are ids, names or parts of names. \
Answers fit `budget` tokens (2,000 unless given) and end with what is left out; ask for more with a larger budget, a node or a filter.";

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
