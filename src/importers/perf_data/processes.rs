//! Threads with their names, and what is mapped in the memory of processes, at the time of a record.

use super::records::{Mode, Record, kind};
use crate::importers::native::{file_name, is_no_module};
use crate::importers::symbols::{CodeFile, KERNEL_CODE};
use crate::input::cursor::{Cursor, utf8z};
use indexmap::IndexSet;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// How many mappings there are at most: a forked process that maps more has a copy of those of its parent.
const MAX_MAPPINGS: usize = 500_000;
/// How many are copied at most, whatever ends and is forgotten: 200 for each of 100,000 processes.
const MAX_COPIES: usize = 20_000_000;
/// How many processes that have ended are remembered: the last samples of their threads may come later.
const MAX_ENDED: usize = 1_000;
/// How much of a thread's name is kept, which others take over; Linux has 16 bytes of it.
const MAX_NAME_BYTES: usize = 64;
/// The process of the kernel's mappings.
const KERNEL: u32 = u32::MAX;
/// Bits of a record: that memory holds data, and that a build id stands in place of an inode.
const IS_DATA: u16 = 1 << 13;
const HAS_BUILD_ID: u16 = 1 << 14;
/// The bit that memory can be executed.
const EXECUTABLE: u32 = 4;

/// Executable memory, by its start.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    end: u64,
    /// What is added to an address to have the place in the file.
    shift: u64,
    file: usize,
}

type Mappings = BTreeMap<u64, Mapping>;

/// What is known of threads and processes so far.
#[derive(Default)]
pub(super) struct Processes {
    /// By process and thread.
    names: HashMap<(u32, u32), Arc<str>>,
    mappings: HashMap<u32, Arc<Mappings>>,
    /// How many mappings there are, and how many were copied.
    size: usize,
    copied: usize,
    ended: VecDeque<u32>,
    /// How many mappings were too many.
    pub left_out: u64,
    pub files: IndexSet<CodeFile, foldhash::fast::RandomState>,
    /// Where the kernel started when the samples were taken.
    pub kernel_start: Option<u64>,
}

impl Processes {
    /// The name of a thread.
    pub(super) fn name(&self, pid: u32, tid: u32) -> Arc<str> {
        match self.names.get(&(pid, tid)) {
            Some(name) => Arc::clone(name),
            None if (pid, tid) == (0, 0) => "swapper".into(),
            None => format!(":{}", tid.cast_signed()).into(),
        }
    }

    /// A thread has a name from now on.
    pub(super) fn named(&mut self, body: &[u8]) -> Option<()> {
        let mut fields = Cursor::new(body);
        let id = (fields.u32()?, fields.u32()?);
        let name = &body[fields.position()..];
        let name = utf8z(&name[..name.len().min(MAX_NAME_BYTES)]);
        self.names.insert(id, name.into());
        Some(())
    }

    /// A thread or process starts, which has the name and the memory of the one that starts it.
    /// Gives the process and when that was, 0 where it ran before the recording.
    pub(super) fn forked(&mut self, body: &[u8]) -> Option<(u32, u64)> {
        let mut fields = Cursor::new(body);
        let (pid, parent) = (fields.u32()?, fields.u32()?);
        let (tid, parent_tid) = (fields.u32()?, fields.u32()?);
        let name = self.names.get(&(parent, parent_tid)).cloned();
        self.names.extend(name.map(|name| ((pid, tid), name)));
        if pid == parent {
            return None;
        }
        let shared = self.mappings.get(&parent).cloned();
        self.forget(pid);
        self.mappings.extend(shared.map(|shared| (pid, shared)));
        Some((pid, fields.u64()?))
    }

    /// A thread ends, and with the first one its process.
    pub(super) fn ended(&mut self, body: &[u8]) -> Option<()> {
        let mut fields = Cursor::new(body);
        let (pid, _, tid) = (fields.u32()?, fields.u32()?, fields.u32()?);
        if pid == tid {
            self.ended.push_back(pid);
        }
        if self.ended.len() > MAX_ENDED {
            let pid = self.ended.pop_front()?;
            self.forget(pid);
        }
        Some(())
    }

    fn forget(&mut self, pid: u32) {
        // what others share still counts with them
        let size = self.mappings.remove(&pid).and_then(Arc::into_inner);
        self.size -= size.map_or(0, |mappings| mappings.len());
        self.ended.retain(|&ended| ended != pid);
    }

    /// Memory of a process becomes executable. Gives the process and the file.
    pub(super) fn mapped(&mut self, record: &Record) -> Option<(u32, &CodeFile)> {
        let mut fields = Cursor::new(record.body);
        let (pid, _) = (fields.u32()?, fields.u32()?);
        let (start, size, offset) = (fields.u64()?, fields.u64()?, fields.u64()?);
        let is_kernel = record.mode() == Mode::Kernel;
        let mut is_executable = record.misc & IS_DATA == 0;
        let mut file = CodeFile::default();
        if record.kind == kind::MMAP_2 {
            let mut id = Cursor::new(fields.take(24)?);
            if record.misc & HAS_BUILD_ID == 0 {
                file.inode = (id.u32()?, id.u32()?, id.u64()?);
            } else {
                let length = id.u32()? as usize & 0xff;
                file.build_id = id.take(length)?.into();
            }
            is_executable = fields.u32()? & EXECUTABLE != 0;
            fields.skip(4)?;
        }
        if !is_executable && !is_kernel {
            return None;
        }
        file.path = utf8z(&record.body[fields.position()..]);
        if is_kernel && file.path.starts_with(KERNEL_CODE) {
            file.path.truncate(KERNEL_CODE.len());
            self.kernel_start = Some(offset);
        } else if is_kernel && file.path.starts_with('/') {
            // perf writes modules so, and the kernel with underscores
            let stem = file_name(&file.path).split('.').next().unwrap_or("");
            file.path = format!("[{}]", stem.replace('-', "_"));
        } else if is_no_module(&file.path) {
            // those that it forks have the same code
            file.path = format!("/tmp/perf-{pid}.map");
        }
        let (file, _) = self.files.insert_full(file);
        let (owner, shift) = match is_kernel {
            true => (KERNEL, 0),
            false => (pid, offset.wrapping_sub(start)),
        };
        let end = start.saturating_add(size);
        self.insert(owner, start, Mapping { end, shift, file });
        self.files.get_index(file).map(|file| (pid, file))
    }

    /// Adds a mapping in place of what overlaps it.
    fn insert(&mut self, pid: u32, start: u64, mapping: Mapping) {
        let shared = self.mappings.entry(pid).or_default();
        // those that others have, too, are copied
        let copied = match Arc::get_mut(shared) {
            Some(_) => 0,
            None => shared.len(),
        };
        if self.size + copied + 2 > MAX_MAPPINGS || self.copied + copied > MAX_COPIES {
            self.left_out += 1;
            return;
        }
        self.copied += copied;
        let mappings = Arc::make_mut(shared);
        self.size -= mappings.len() - copied;
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
        self.size += mappings.len();
    }

    /// The number of the file that has an address, and the place in it.
    pub(super) fn file(&self, pid: u32, mode: Mode, address: u64) -> Option<(usize, u64)> {
        let pid = match mode {
            Mode::Kernel => KERNEL,
            Mode::User => pid,
            Mode::Other => return None,
        };
        let (_, mapping) = self.mappings.get(&pid)?.range(..=address).next_back()?;
        let is_in = address < mapping.end;
        is_in.then(|| (mapping.file, address.wrapping_add(mapping.shift)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A mapping of 16 bytes.
    fn map(processes: &mut Processes, pid: u32, start: u32) {
        let body = [words(&[pid, pid, start, 0, 16, 0, 0, 0]), b"/a".to_vec()].concat();
        processes.mapped(&Record {
            kind: kind::MMAP,
            misc: 2,
            body: &body,
        });
    }

    /// A process of 100 mappings forks one that maps, again and again: what each copies is forgotten, and still it ends.
    #[test]
    fn copies_of_mappings_end() {
        const MAPPINGS: usize = 100;
        let mut processes = Processes {
            copied: MAX_COPIES - 5 * MAPPINGS,
            ..Processes::default()
        };
        (0..MAPPINGS as u32).for_each(|at| map(&mut processes, 1, 16 * at));
        for _ in 0..8 {
            processes.forked(&words(&[2, 1, 2, 1, 0, 0]));
            map(&mut processes, 2, 1 << 20);
        }
        assert_eq!((processes.copied, processes.left_out), (MAX_COPIES, 3));
        // the last child has what its parent has
        let file = |pid, address| processes.file(pid, Mode::User, address).is_some();
        assert!(file(2, 24) && !file(2, 1 << 20) && file(1, 24));
        assert_eq!(processes.size, MAPPINGS);
    }
}
