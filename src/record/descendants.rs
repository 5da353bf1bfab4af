//! A program's descendants on Windows, where a process only knows its parent's id.

use std::collections::HashMap;

pub(super) struct ProcessEntry {
    pub pid: u32,
    pub parent: u32,
    pub start: u64,
}

/// Processes and all their descendants, including those whose parent has ended since the last check.
pub(super) struct Descendants {
    starts: HashMap<u32, Option<u64>>,
}

impl Descendants {
    pub(super) fn of(roots: &[u32]) -> Descendants {
        Descendants {
            starts: roots.iter().map(|&pid| (pid, None)).collect(),
        }
    }

    /// Adds processes started since, and returns those that are running, each with its start time.
    pub(super) fn running(&mut self, listed: &[ProcessEntry]) -> Vec<(u32, u64)> {
        for process in listed {
            let start = self.starts.get(&process.pid).copied().flatten();
            if start.is_some_and(|start| start != process.start) {
                // the system has reused its id
                self.starts.remove(&process.pid);
            } else if let Some(start) = self.starts.get_mut(&process.pid) {
                *start = Some(process.start);
            }
        }
        // parents may be listed after their children
        while self.add_children(listed) {}
        let is_known = |process: &&ProcessEntry| self.starts.contains_key(&process.pid);
        let running = listed.iter().filter(is_known);
        let running = running.map(|process| (process.pid, process.start));
        running.collect()
    }

    /// Returns whether there were any.
    fn add_children(&mut self, listed: &[ProcessEntry]) -> bool {
        // a process older than its parent is the child of an earlier process with the same id
        let is_child = |process: &&ProcessEntry| {
            let parent = self.starts.get(&process.parent);
            let has_parent = parent.is_some_and(|start| start.is_none_or(|s| s <= process.start));
            has_parent && !self.starts.contains_key(&process.pid)
        };
        let children = listed.iter().filter(is_child);
        let children = children.map(|process| (process.pid, Some(process.start)));
        let children: Vec<(u32, Option<u64>)> = children.collect();
        let has_any = !children.is_empty();
        self.starts.extend(children);
        has_any
    }
}

#[cfg(test)]
mod tests;
