//! Names of threads and memory mappings of processes at the time of a record.

use super::records::{Record, kind};
use crate::importers::symbols::{CodeFile, FoundFile, KERNEL, Names, printed_path};
use crate::input::cursor::{Cursor, utf8z};
use indexmap::IndexSet;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Of mappings, including copies for forked processes: this many, plus four per record.
const MAX_MAPPINGS: usize = 500_000;
/// Thread names are cut, since other threads inherit them; Linux keeps 16 bytes.
const MAX_NAME_BYTES: usize = 64;
/// Of a record: the memory holds data; a build id in place of an inode.
const IS_DATA: u16 = 1 << 13;
const HAS_BUILD_ID: u16 = 1 << 14;

#[derive(Clone, Copy, Debug)]
struct Mapping {
    end: u64,
    /// From an address to the offset in the file.
    shift: u64,
    file: usize,
}

type Mappings = BTreeMap<u64, Mapping>;

#[derive(Default)]
pub(super) struct Machine {
    threads: HashMap<(u32, u32), Arc<str>>,
    memory: HashMap<u32, Arc<Mappings>>,
    mapping_count: usize,
    records: usize,
    pub left_out: u64,
    pub lost: u64,
    pub files: IndexSet<CodeFile, foldhash::fast::RandomState>,
}

impl Machine {
    pub(super) fn name(&self, pid: u32, tid: u32) -> Arc<str> {
        match self.threads.get(&(pid, tid)) {
            Some(name) => Arc::clone(name),
            None if (pid, tid) == (0, 0) => "swapper".into(),
            None => format!(":{}", tid.cast_signed()).into(),
        }
    }

    pub(super) fn read(&mut self, record: &Record, names: &mut Names) -> Option<()> {
        self.records += 1;
        let mut fields = Cursor::new(record.body);
        let (pid, id) = (fields.u32()?, fields.u32()?);
        match record.kind {
            kind::COMM => {
                let name = fields.rest();
                let name = utf8z(&name[..name.len().min(MAX_NAME_BYTES)]);
                self.threads.insert((pid, id), name.into());
            }
            // the new thread inherits name and memory
            kind::FORK => {
                let (parent, tid, parent_tid) = (id, fields.u32()?, fields.u32()?);
                let name = self.threads.get(&(parent, parent_tid)).cloned();
                self.threads.extend(name.map(|name| ((pid, tid), name)));
                if pid != parent {
                    let shared = self.memory.get(&parent).cloned();
                    self.memory.insert(pid, shared.unwrap_or_default());
                    // 0 if it started before the recording
                    names.add_start(pid, fields.u64()?);
                }
            }
            kind::MMAP | kind::MMAP_2 => self.map(record.owner(pid)?, record, names)?,
            kind::LOST => self.lost = self.lost.saturating_add(fields.u64()?),
            // a count in place of ids
            kind::LOST_SAMPLES => self.lost = self.lost.saturating_add(pid.into()),
            _ => {}
        }
        Some(())
    }

    fn map(&mut self, pid: u32, record: &Record, names: &mut Names) -> Option<()> {
        // kernel code is not marked
        if record.misc & IS_DATA != 0 && pid != KERNEL {
            return None;
        }
        let mut fields = Cursor::new(record.body.get(8..)?);
        let (start, size, offset) = (fields.u64()?, fields.u64()?, fields.u64()?);
        let mut file = CodeFile::default();
        if record.kind == kind::MMAP_2 {
            let mut id = Cursor::new(fields.take(24)?);
            if record.misc & HAS_BUILD_ID == 0 {
                file.inode = (id.u32()?, id.u32()?, id.u64()?);
            } else {
                let length = id.u32()? as usize & 0xff;
                file.build_id = id.take(length)?.into();
            }
            let _protection_and_flags = fields.u64()?;
        }
        file.path = printed_path(utf8z(fields.rest()), pid);
        names.add_mapping(pid, &file, offset);
        let (file, _) = self.files.insert_full(file);
        let (end, shift) = (start.saturating_add(size), offset.wrapping_sub(start));
        self.insert(pid, start, Mapping { end, shift, file });
        Some(())
    }

    fn insert(&mut self, pid: u32, start: u64, mapping: Mapping) {
        let shared = self.memory.entry(pid).or_default();
        // shared mappings are copied, and one may be split
        let is_shared = Arc::get_mut(shared).is_none();
        let added = if is_shared { shared.len() + 2 } else { 2 };
        if self.mapping_count + added > MAX_MAPPINGS + 4 * self.records {
            self.left_out += 1;
            return;
        }
        self.mapping_count += added;
        let mappings = Arc::make_mut(shared);
        while let Some((&old_start, &old)) = mappings.range(..mapping.end).next_back()
            && old.end > start
        {
            mappings.remove(&old_start);
            if old_start < start {
                mappings.insert(old_start, Mapping { end: start, ..old });
            }
            if old.end > mapping.end {
                mappings.insert(mapping.end, old);
            }
        }
        if start < mapping.end {
            mappings.insert(start, mapping);
        }
    }

    pub(super) fn file(&self, owner: Option<u32>, address: u64) -> Option<FoundFile<'_>> {
        let (_, mapping) = self.memory.get(&owner?)?.range(..=address).next_back()?;
        let file = self.files.get_index(mapping.file)?;
        let place = address.wrapping_add(mapping.shift);
        (address < mapping.end).then_some((mapping.file, file, place))
    }
}

#[cfg(test)]
mod tests;
