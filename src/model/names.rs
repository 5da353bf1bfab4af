//! Strings, each kept once.

use super::NameId;
use indexmap::IndexSet;

/// The interned strings of a profile. Equal strings have equal handles.
///
/// The hasher is seeded at random: names come from files that anyone can craft.
#[derive(Clone, Debug, Default)]
pub struct Names {
    set: IndexSet<Box<str>, foldhash::fast::RandomState>,
}

impl Names {
    /// The handle of `text`, which is kept if it is new. Amortised O(length of `text`).
    pub fn intern(&mut self, text: &str) -> NameId {
        match self.set.get_index_of(text) {
            Some(index) => NameId::at(index),
            None => NameId::at(self.set.insert_full(text.into()).0),
        }
    }

    /// The handle of `text` if it is kept already. O(length of `text`).
    pub fn known(&self, text: &str) -> Option<NameId> {
        self.set.get_index_of(text).map(NameId::at)
    }

    /// The string behind a handle of this table.
    pub fn get(&self, id: NameId) -> &str {
        &self.set[id.index()]
    }

    /// How many different strings there are.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether no string was interned yet.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}
