use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        /// Something is wrong or missing.
        Warning = "warning",
        /// Nothing is wrong, but the numbers are easily misread.
        Caution = "caution",
        Note = "note",
    }
}
