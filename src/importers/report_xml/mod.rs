//! Reports of dotTrace's `Reporter.exe report` (XML).
//!
//! A `Report` has a `Function` for each method, which contains an `Instance` for each of its nodes in the call tree,
//! with that node's call stack: the names of all frames from the outermost to its own, separated by `/`. So the tree
//! can be rebuilt from the call stacks alone. What is known about the format comes from JetBrains' help, and from
//! public code that reads it:
//!
//! | element | attribute | what |
//! |---|---|---|
//! | `Function` | `FQN` | the name, `Namespace.Type+Nested.Method`, with `(arguments)` after `--save-signature` |
//! | `Instance` | `CallStack` | the frames, outermost first; a `/` in `()`, `<>` and `[]` belongs to a name |
//! | both | `TotalTime`, `OwnTime` | inclusive and exclusive time in milliseconds, rounded to as many decimals as it has |
//! | both | `Calls` or `Samples` | of tracing and line-by-line, or of sampling |
//!
//! Inclusive and exclusive times are taken from the file if it has them, so sums can differ due to rounding. A node
//! that occurs only in call stacks, because the report's pattern excludes its method, is made with no time of its own.
//! A frame without a name, as between the slashes of `A//B`, is a frame: dropping it would make `A/` the node of `A`.
//! Call stacks that are spelled alike are one node: overloads can't be told apart without `--save-signature`. The
//! outermost frame of a call stack is a thread if it is named like one, see [`names`]; other reports have no threads.
//!
//! A tag, comment or text may have up to 64 MiB, enough for 1,000,000 frames, and the number of nodes must be in
//! proportion to the length of call stacks, so that a crafted or damaged file can't exhaust memory.
//!
//! | file | purpose |
//! |---|---|
//! | `elements` | reads the XML and passes on its elements |
//! | `row` | the attributes of an element, and numbers |
//! | `path`, `names`, `stacks` | turn call stacks into names, frames and nodes |
//! | `functions` | the sums of functions, used if there are no instances |
//! | `growing`, `halves` | build the nodes, with one thread or two |
//! | `tree` | makes the profile |

mod elements;
mod functions;
mod growing;
mod halves;
mod name;
mod names;
mod path;
mod row;
mod stacks;
mod tree;

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::xml::{ascii, root_named, utf16, wrong_encoding};
use crate::input::{Confidence, Head, ImportError, Input};
use crate::model::Recording;
use name::{NAME, TITLE};

/// This format's row in the format table.
pub(super) const FORMAT: Format = Format {
    name: NAME,
    title: TITLE,
    extensions: &[".xml"],
    metrics: messages::METRICS_OF_SNAPSHOT,
    limitations: messages::LIMITS_OF_REPORT,
    sniff,
    read,
};

/// Recognizes a report by its root element, with certainty if the first `Function` is visible.
fn sniff(head: &Head) -> Option<Confidence> {
    let text = ascii(head.bytes);
    let root = root_named(&text, "Report")?;
    let is_sure = memchr::memmem::find(root, b"<Function ").is_some()
        && memchr::memmem::find(root, b" FQN=").is_some();
    Some(if is_sure {
        Confidence::Certain
    } else {
        Confidence::Likely
    })
}

/// Reads a report.
///
/// # Errors
/// The file has no `Function`, is not UTF-8, or compares two snapshots.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    if let Some(encoding) = utf16(input.head().bytes) {
        return Err(wrong_encoding(&input.name, TITLE, encoding).into());
    }
    tree::read(input)
}

#[cfg(test)]
mod tests;
