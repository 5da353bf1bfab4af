use super::{NameId, columns};
use borsh::{BorshDeserialize, BorshSerialize};
use indexmap::IndexSet;
use std::io::{ErrorKind, Read, Result, Write};

/// The interned strings of a profile. The hasher has a random seed, as files may be crafted.
#[derive(Clone, Debug, Default)]
pub struct Names {
    set: IndexSet<Box<str>, foldhash::fast::RandomState>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> NameId {
        match self.set.get_index_of(text) {
            Some(index) => NameId::at(index),
            None => NameId::at(self.set.insert_full(text.into()).0),
        }
    }

    pub fn find(&self, text: &str) -> Option<NameId> {
        self.set.get_index_of(text).map(NameId::at)
    }

    pub fn get(&self, id: NameId) -> &str {
        &self.set[id.index()]
    }

    pub fn len(&self) -> usize {
        self.set.len()
    }
}

/// Writes all lengths in bytes, then the strings.
impl BorshSerialize for Names {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        let lens: Vec<u64> = self.set.iter().map(|text| text.len() as u64).collect();
        columns::write(&lens, writer)?;
        self.set
            .iter()
            .try_for_each(|text| writer.write_all(text.as_bytes()))
    }
}

impl BorshDeserialize for Names {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Names> {
        let lens: Vec<u64> = columns::read(reader)?;
        let mut set =
            IndexSet::with_capacity_and_hasher(lens.len(), foldhash::fast::RandomState::default());
        let mut bytes = Vec::new();
        for len in lens {
            bytes.clear();
            reader.by_ref().take(len).read_to_end(&mut bytes)?;
            let text = str::from_utf8(&bytes).map_err(|_| ErrorKind::InvalidData)?;
            if text.len() as u64 != len || !set.insert(text.into()) {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        Ok(Names { set })
    }
}
