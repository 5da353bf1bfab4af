use super::columns;
use borsh::{BorshDeserialize, BorshSerialize};

/// Counts by node, in 32 bits if all fit, as they nearly always do.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Counts {
    Narrow(
        #[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")] Vec<u32>,
    ),
    Wide(#[borsh(serialize_with = "columns::write", deserialize_with = "columns::read")] Vec<u64>),
}

impl Counts {
    #[cfg(test)]
    pub fn len(&self) -> usize {
        match self {
            Counts::Narrow(rows) => rows.len(),
            Counts::Wide(rows) => rows.len(),
        }
    }

    pub fn get(&self, row: usize) -> u64 {
        match self {
            Counts::Narrow(rows) => rows[row].into(),
            Counts::Wide(rows) => rows[row],
        }
    }

    pub fn largest(&self) -> u64 {
        match self {
            Counts::Narrow(rows) => rows.iter().fold(0, |most, &count| count.max(most)).into(),
            Counts::Wide(rows) => rows.iter().fold(0, |most, &count| count.max(most)),
        }
    }
}

#[cfg(test)]
mod tests;
