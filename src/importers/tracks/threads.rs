//! The tree of stacks with TraceEvent's frames: processes, threads, and methods.

use super::{CollectedTracks, FrameTable};
use crate::importers::assembly::ProfileAssembly;
use crate::importers::dotnet::{CPU_TIME, MAIN_THREAD, UNMANAGED_CODE_TIME, process_title};
use crate::model::{FrameId, RawNode, RecordedProcess, Thread, TooLarge, TreeBuilder};
use std::collections::HashMap;

const THREAD: &str = "Thread (";

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameRole {
    /// An index into [`FrameRoles::processes`].
    Process(usize),
    Heading,
    Thread,
    Cpu,
    Unmanaged,
    /// A method, or an activity if it is above a thread.
    Other,
}

pub(crate) struct FrameRoles {
    by_row: Vec<FrameRole>,
    pub processes: Vec<RecordedProcess>,
}

impl FrameRoles {
    pub(crate) fn new(collected: &CollectedTracks) -> FrameRoles {
        let mut roles = FrameRoles {
            by_row: vec![FrameRole::Other; collected.frames.len()],
            processes: Vec::new(),
        };
        let mut is_known = vec![false; collected.frames.len()];
        for (_, _, row) in collected.stacks() {
            let index = row.index();
            if index < is_known.len() && !std::mem::replace(&mut is_known[index], true) {
                roles.by_row[index] = roles.classify(collected.frames.name(row));
            }
        }
        roles
    }

    fn classify(&mut self, name: &str) -> FrameRole {
        match name {
            CPU_TIME => FrameRole::Cpu,
            UNMANAGED_CODE_TIME => FrameRole::Unmanaged,
            "(Non-Activities)" | "(Activities)" | "Threads" => FrameRole::Heading,
            _ if is_thread(name) => FrameRole::Thread,
            _ => process_of(name).map_or(FrameRole::Other, |process| {
                self.processes.push(process);
                FrameRole::Process(self.processes.len() - 1)
            }),
        }
    }

    pub(crate) fn role(&self, row: FrameId) -> FrameRole {
        let role = self.by_row.get(row.index()).copied();
        role.unwrap_or(FrameRole::Other)
    }

    pub(crate) fn has_threads(&self) -> bool {
        self.by_row.contains(&FrameRole::Thread)
    }
}

pub(crate) struct ThreadTree {
    pub assembly: ProfileAssembly,
    pub roles: FrameRoles,
    frame_of: HashMap<FrameId, FrameId, foldhash::fast::RandomState>,
    process_nodes: Vec<Option<RawNode>>,
    by_title: HashMap<(Option<usize>, FrameId), usize>,
}

impl ThreadTree {
    pub(crate) fn new(roles: FrameRoles, assembly: ProfileAssembly) -> ThreadTree {
        ThreadTree {
            assembly,
            frame_of: HashMap::default(),
            process_nodes: vec![None; roles.processes.len()],
            roles,
            by_title: HashMap::new(),
        }
    }

    /// The node above a process's threads, or above frames without a process.
    pub(crate) fn top(&mut self, process: Option<usize>) -> Result<RawNode, TooLarge> {
        let Some(number) = process.filter(|_| self.roles.processes.len() > 1) else {
            return Ok(TreeBuilder::ROOT);
        };
        if let Some(known) = self.process_nodes[number] {
            return Ok(known);
        }
        let process = self.roles.processes[number].clone();
        let title = process_title(process.id, &process.name);
        let node = self.assembly.add_process(&title, process)?;
        self.process_nodes[number] = Some(node);
        Ok(node)
    }

    pub(crate) fn thread(
        &mut self,
        process: Option<usize>,
        row: FrameId,
        frames: &FrameTable,
    ) -> Result<usize, TooLarge> {
        if let Some(&known) = self.by_title.get(&(process, row)) {
            return Ok(known);
        }
        let top = self.top(process)?;
        // its frame is set once its name is known
        let node = self.assembly.builder.add(top, FrameId(0))?;
        let (id, mut name) = thread_of(frames.name(row));
        if process.is_some_and(|process| self.roles.processes[process].id.to_string() == id) {
            name = MAIN_THREAD.into();
        }
        let threads = &mut self.assembly.threads;
        threads.push(Thread { node, id, name });
        self.by_title.insert((process, row), threads.len() - 1);
        Ok(threads.len() - 1)
    }

    pub(crate) fn method(
        &mut self,
        caller: RawNode,
        row: FrameId,
        frames: &FrameTable,
    ) -> Result<RawNode, TooLarge> {
        let known = self.frame_of.entry(row);
        let frame = known.or_insert_with(|| frames.intern(row, &mut self.assembly.frames));
        self.assembly.builder.merge(caller, *frame)
    }
}

pub(crate) fn is_thread(name: &str) -> bool {
    name.starts_with(THREAD)
}

/// In a frame such as `Process64 app (7) Args: run`.
pub(crate) fn process_of(name: &str) -> Option<RecordedProcess> {
    let rest = name.strip_prefix("Process")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(' ')?;
    let rest = rest.split_once(" Args:").map_or(rest, |(before, _)| before);
    let (name, id) = rest.trim_end().strip_suffix(')')?.rsplit_once(" (")?;
    Some(RecordedProcess {
        id: id.parse().ok()?,
        name: name.to_string(),
    })
}

/// Id and name in a frame such as `Thread (9) CPU=12ms (.NET ThreadPool)`.
pub(crate) fn thread_of(title: &str) -> (String, String) {
    let rest = title.strip_prefix(THREAD).unwrap_or(title);
    let (id, rest) = rest.split_once(')').unwrap_or((rest, ""));
    let words = rest.split_whitespace();
    let words = words.filter(|word| !word.starts_with("CPU="));
    let name = words.collect::<Vec<_>>().join(" ");
    let inner = name.strip_prefix('(');
    let name = match inner.and_then(|name| name.strip_suffix(')')) {
        Some(".NET ThreadPool") => ".NET pool",
        inner => inner.unwrap_or(&name),
    };
    (id.to_string(), name.to_string())
}

#[cfg(test)]
mod tests;
