//! A program's processes on Windows, where each knows the number of its parent only.

use std::collections::HashMap;

/// A process as the system lists it.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    pub pid: u32,
    pub parent: u32,
    /// When it was started, in any unit.
    pub start: u64,
}

/// Some processes, with all that they have started, also by way of processes that have ended since the last look.
pub(super) struct Descendants {
    /// When they were started, as soon as that is known.
    starts: HashMap<u32, Option<u64>>,
}

impl Descendants {
    /// These processes.
    pub(super) fn of(roots: &[u32]) -> Descendants {
        Descendants {
            starts: roots.iter().map(|&pid| (pid, None)).collect(),
        }
    }

    /// Adds the processes they have started since, and returns those still alive, each with its start time.
    pub(super) fn living(&mut self, listed: &[Listed]) -> Vec<(u32, u64)> {
        for process in listed {
            let known = self.starts.get(&process.pid).copied().flatten();
            if known.is_some_and(|start| start != process.start) {
                // the system has given its number to another
                self.starts.remove(&process.pid);
            } else if let Some(start) = self.starts.get_mut(&process.pid) {
                *start = Some(process.start);
            }
        }
        // parents may be listed after their children
        while let [_, ..] = self.newly_found(listed).as_slice() {}
        let is_ours = |process: &&Listed| self.starts.contains_key(&process.pid);
        let ours = listed.iter().filter(is_ours);
        ours.map(|process| (process.pid, process.start)).collect()
    }

    /// Adds the children of the known processes.
    fn newly_found(&mut self, listed: &[Listed]) -> Vec<Listed> {
        // whoever is older than its parent had another one, of the same number
        let is_child = |process: &&Listed| {
            let parent = self.starts.get(&process.parent);
            let has_parent = parent.is_some_and(|start| start.is_none_or(|s| s <= process.start));
            has_parent && !self.starts.contains_key(&process.pid)
        };
        let found: Vec<Listed> = listed.iter().filter(is_child).copied().collect();
        let starts = found
            .iter()
            .map(|process| (process.pid, Some(process.start)));
        self.starts.extend(starts);
        found
    }
}

#[cfg(test)]
mod tests;
