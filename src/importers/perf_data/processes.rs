//! Threads with their names, and what is mapped in the memory of processes, at the time of a record.

use super::fields::{Fields, text};
use super::records::{FileId, MappingRecord, Mode};
use crate::importers::native::{file_name, is_no_module};
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
/// What perf calls the kernel's own code.
pub(super) const KERNEL_CODE: &str = "[kernel.kallsyms]";

/// A file, or what stands for one, in which code is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Module {
    pub path: String,
    pub id: FileId,
}

/// Executable memory, by its start.
#[derive(Clone, Copy, Debug)]
struct Mapping {
    end: u64,
    /// What is added to an address to have the place in the file.
    shift: u64,
    module: usize,
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
    pub modules: IndexSet<Module, foldhash::fast::RandomState>,
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
    pub(super) fn named(&mut self, mut fields: Fields, body: &[u8]) -> Option<()> {
        let id = (fields.u32()?, fields.u32()?);
        let name = body.get(8..)?;
        let name = &name[..name.len().min(MAX_NAME_BYTES)];
        self.names.insert(id, text(name).into());
        Some(())
    }

    /// A thread or process starts, which has the name and the memory of the one that starts it.
    /// Gives the process and when that was, 0 where it ran before the recording.
    pub(super) fn forked(&mut self, mut fields: Fields) -> Option<(u32, u64)> {
        let (pid, parent) = (fields.u32()?, fields.u32()?);
        let (tid, parent_tid) = (fields.u32()?, fields.u32()?);
        let name = self.names.get(&(parent, parent_tid)).cloned();
        self.names.extend(name.map(|name| ((pid, tid), name)));
        if pid != parent {
            let shared = self.mappings.get(&parent).cloned();
            self.forget(pid);
            self.mappings.extend(shared.map(|shared| (pid, shared)));
            return Some((pid, fields.u64()?));
        }
        None
    }

    /// A thread ends, and with the first one its process.
    pub(super) fn ended(&mut self, mut fields: Fields) -> Option<()> {
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

    /// Memory of a process becomes executable. What was there before is not there any more.
    pub(super) fn mapped(&mut self, record: MappingRecord) {
        let (is_kernel, mut path) = (record.is_kernel, record.path);
        if is_kernel && path.starts_with(KERNEL_CODE) {
            path.truncate(KERNEL_CODE.len());
            self.kernel_start = Some(record.offset);
        } else if is_kernel && path.starts_with('/') {
            // perf writes modules so, and the kernel with underscores
            let stem = file_name(&path).split('.').next().unwrap_or("");
            path = format!("[{}]", stem.replace('-', "_"));
        } else if is_no_module(&path) {
            // those that it forks have the same code
            path = format!("/tmp/perf-{}.map", record.pid);
        }
        let module = Module {
            path,
            id: record.id,
        };
        let (module, _) = self.modules.insert_full(module);
        let pid = if is_kernel { KERNEL } else { record.pid };
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
        let before = mappings.len() - copied;
        let mapping = Mapping {
            end: record.start.saturating_add(record.size),
            shift: match is_kernel {
                true => 0,
                false => record.offset.wrapping_sub(record.start),
            },
            module,
        };
        insert(mappings, record.start, mapping);
        self.size = self.size + mappings.len() - before;
    }

    /// The module that has an address, and the place in it.
    pub(super) fn module(&self, pid: u32, mode: Mode, address: u64) -> Option<(usize, u64)> {
        let pid = match mode {
            Mode::Kernel => KERNEL,
            Mode::User => pid,
            Mode::Other => return None,
        };
        let (_, mapping) = self.mappings.get(&pid)?.range(..=address).next_back()?;
        let is_in = address < mapping.end;
        is_in.then(|| (mapping.module, address.wrapping_add(mapping.shift)))
    }
}

/// Adds a mapping in place of what overlaps it.
fn insert(mappings: &mut Mappings, start: u64, mapping: Mapping) {
    let overlapped: Vec<(u64, Mapping)> = mappings
        .range(..mapping.end)
        .rev()
        .take_while(|(_, old)| old.end > start)
        .map(|(&start, &old)| (start, old))
        .collect();
    for (old_start, old) in overlapped {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(pid: u32, start: u64) -> MappingRecord {
        MappingRecord {
            pid,
            is_kernel: false,
            start,
            size: 16,
            offset: 0,
            id: FileId::default(),
            path: "/a".into(),
        }
    }

    /// A process of 100 mappings forks one that maps, again and again: what each copies is forgotten, and still it ends.
    #[test]
    fn copies_of_mappings_end() {
        const MAPPINGS: usize = 100;
        let mut processes = Processes {
            copied: MAX_COPIES - 5 * MAPPINGS,
            ..Processes::default()
        };
        (0..MAPPINGS as u64).for_each(|at| processes.mapped(mapping(1, 16 * at)));
        let fork: Vec<u8> = [2u32, 1, 2, 1, 0, 0]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        for _ in 0..8 {
            processes.forked(Fields::new(&fork, false));
            processes.mapped(mapping(2, 1 << 20));
        }
        assert_eq!((processes.copied, processes.left_out), (MAX_COPIES, 3));
        // the last child has what its parent has
        let module = |pid, address| processes.module(pid, Mode::User, address).is_some();
        assert!(module(2, 24) && !module(2, 1 << 20) && module(1, 24));
        assert_eq!(processes.size, MAPPINGS);
    }
}
