//! Reports of dotTrace's `Reporter.exe report` (XML). Sources: JetBrains' help, and public code that reads reports.
//!
//! A `Report` has a `Function` for each method, with an `Instance` for each of its nodes, with that node's call stack.
//! So the tree can be rebuilt from the call stacks alone.
//!
//! `docs/format-details.md` lists the attributes.
//!
//! Times are the file's if it has them, so sums can differ due to rounding. A node that occurs only in call stacks,
//! because the report's pattern excludes its method, has no time of its own. A frame without a name, as in `A//B`, is a
//! frame: dropping it would make `A/` the node of `A`. Equal call stacks are one node: overloads can't be told apart
//! without `--save-signature`.
//!
//! A tag, comment or text may have up to 64 MiB, enough for 1,000,000 frames, and the number of nodes must be in
//! proportion to the length of call stacks: a crafted file must not exhaust memory.

mod elements;
mod functions;
mod growing;
mod halves;
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
use growing::TITLE;
use tree::NAME;

pub(crate) const FORMAT: Format = Format {
    name: NAME,
    title: TITLE,
    extensions: &[".xml"],
    metrics: messages::METRICS_OF_SNAPSHOT,
    limitations: messages::LIMITS_OF_REPORT,
    sniff,
    read,
};

/// By the root element, with certainty if the first `Function` is visible.
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

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    if let Some(encoding) = utf16(input.head().bytes) {
        return Err(wrong_encoding(&input.name, TITLE, encoding).into());
    }
    tree::read(input)
}

#[cfg(test)]
mod tests;
