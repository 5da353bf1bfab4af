use crate::units::thousands;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// The file ends too early, or can't be read past some offset: everything before it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct IncompleteFile {
    pub offset_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl fmt::Display for IncompleteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = thousands(self.offset_bytes);
        match &self.problem {
            None => write!(f, "The file breaks off at byte {at}")?,
            Some(problem) => write!(f, "The file can't be read beyond byte {at}: {problem}")?,
        }
        f.write_str("; everything before it is kept.")
    }
}
