//! Files that end prematurely.

use crate::units::{counted, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// The file ends too early, or can't be read past some offset: everything before it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct BrokenOff {
    /// Where, in bytes from the start of the file.
    pub offset_bytes: u64,
    /// What is known about it.
    #[serde(flatten)]
    pub ending: Ending,
}

/// How an incomplete file ends.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum Ending {
    /// In the middle of something.
    Plain {},
    /// The file breaks off or is damaged, in a way that is found only later.
    Problem {
        /// What is wrong: a verb with the file as its subject, such as `breaks off`.
        problem: String,
    },
    /// In a block of a recording.
    InBlock {
        /// The block's name, empty if that is not known.
        block: String,
    },
    /// Between two blocks of a recording.
    BetweenBlocks {},
    /// With bytes that don't belong to the format.
    Damaged {
        /// What was expected and found.
        problem: String,
    },
    /// After this many samples.
    Samples {
        /// How many were read.
        samples: u64,
    },
    /// In a tree of call-tree JSON.
    Nodes {
        /// How many were read.
        nodes: u64,
    },
    Report {
        /// What is wrong, as in [`Ending::Problem`].
        problem: String,
        /// How many nodes were read.
        nodes: u64,
    },
}

impl BrokenOff {
    pub(super) const CODE: &str = "broken-off";
}

impl fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, at) = (self.offset_bytes, thousands(self.offset_bytes));
        let kept = "everything before it is kept";
        match &self.ending {
            Ending::Plain {} => write!(f, "The file breaks off at byte {at}; {kept}."),
            Ending::Problem { problem } => write!(f, "The file {problem} at byte {at}; {kept}."),
            Ending::InBlock { block } => {
                let object = if block.is_empty() {
                    "block".into()
                } else {
                    format!("block ({block})")
                };
                write!(
                    f,
                    "The file breaks off at byte {at}, in the middle of a {object}; {kept}."
                )
            }
            Ending::BetweenBlocks {} => write!(
                f,
                "The file breaks off at byte {at}, after a complete block but without the end mark; everything in it is kept."
            ),
            Ending::Damaged { problem } => write!(
                f,
                "The file can't be read beyond byte {at}: {problem}; {kept}."
            ),
            Ending::Samples { samples } => {
                let samples = counted(*samples, "sample");
                write!(
                    f,
                    "The file breaks off or is damaged at byte {at}; the {samples} before it are kept, and names may be missing."
                )
            }
            Ending::Nodes { nodes } => {
                write!(
                    f,
                    "the file breaks off at byte {offset} ({offset:#x}), after {nodes} nodes"
                )
            }
            Ending::Report { problem, nodes } => {
                write!(
                    f,
                    "the file {problem} at byte {offset} ({offset:#x}), after {}",
                    counted(*nodes, "node")
                )
            }
        }
    }
}
