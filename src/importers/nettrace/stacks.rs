use super::framing::BlockResult;
use super::numbered::IdMap;
use crate::importers::stream::{narrow, pointers};
use crate::input::cursor::Cursor;
use indexmap::IndexSet;
use std::collections::HashMap;
use std::hash::BuildHasher;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StackId(pub u32);

impl StackId {
    pub(super) const NONE: StackId = StackId(u32::MAX);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct AddressId(pub u32);

/// Hundreds of thousands of samples share few stacks, and even fewer addresses.
#[derive(Default)]
pub(super) struct Stacks {
    pointer_bytes: usize,
    by_number: IdMap<StackId>,
    stacks: IndexSet<Box<[u32]>, foldhash::fast::RandomState>,
    addresses: IndexSet<u64, foldhash::fast::RandomState>,
    /// By a hash of their bytes in the file: most recur often, and need not be parsed again.
    by_hash: HashMap<u64, StackId, foldhash::fast::RandomState>,
    scratch: Vec<u32>,
}

impl Stacks {
    pub(super) fn new(pointer_bytes: usize) -> Stacks {
        Stacks {
            pointer_bytes,
            ..Stacks::default()
        }
    }

    /// Stacks have consecutive ids from the first one's on.
    pub(super) fn read_block(&mut self, content: &[u8]) -> BlockResult {
        let mut cursor = Cursor::new(content);
        let mut numbers = || Some((cursor.u32()?, cursor.u32()?));
        let (first, count) = numbers().ok_or(0usize)?;
        for index in 0..count {
            let start = cursor.position();
            let bytes = cursor.u32();
            let addresses = bytes.and_then(|bytes| cursor.take(bytes as usize));
            let stack = self.intern(addresses.ok_or(start)?);
            self.by_number.insert(first.wrapping_add(index), stack);
        }
        Ok(())
    }

    /// Sets the only stack there is, until the next one. Returns its id.
    pub(super) fn set_only(&mut self, bytes: &[u8]) -> u32 {
        if bytes.len() < self.pointer_bytes {
            return 0;
        }
        let stack = self.intern(bytes);
        self.by_number.clear();
        self.by_number.insert(1, stack);
        1
    }

    fn intern(&mut self, bytes: &[u8]) -> StackId {
        let pointers = pointers(bytes, self.pointer_bytes);
        let hash = self.by_hash.hasher().hash_one(bytes);
        if let Some(&known) = self.by_hash.get(&hash)
            && let Some(rows) = self.stacks.get_index(known.0 as usize)
            && (rows.iter().map(|&row| self.address(AddressId(row)))).eq(pointers.clone())
        {
            return known;
        }
        self.scratch.clear();
        for pointer in pointers {
            let (row, _) = self.addresses.insert_full(pointer);
            self.scratch.push(narrow(row));
        }
        let row = match self.stacks.get_index_of(self.scratch.as_slice()) {
            Some(row) => row,
            None => self.stacks.insert_full(self.scratch.as_slice().into()).0,
        };
        let stack = StackId(narrow(row));
        self.by_hash.insert(hash, stack);
        stack
    }

    pub(super) fn forget_ids(&mut self) {
        self.by_number.clear();
    }

    /// [`StackId::NONE`] for 0, `None` if there is no such stack.
    pub(super) fn find(&self, number: u32) -> Option<StackId> {
        match number {
            0 => Some(StackId::NONE),
            _ => self.by_number.get(number).copied(),
        }
    }

    pub(super) fn outermost_first(&self, stack: StackId) -> impl Iterator<Item = AddressId> + '_ {
        let addresses = self.stacks.get_index(stack.0 as usize);
        let addresses = addresses.into_iter().flatten();
        addresses.rev().map(|&row| AddressId(row))
    }

    pub(super) fn address(&self, id: AddressId) -> u64 {
        let address = self.addresses.get_index(id.0 as usize);
        address.copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
