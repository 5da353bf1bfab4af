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

    /// Takes in what they have started since, and gives those that live, each with its start.
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

    /// Takes in the children of those that are known.
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
mod tests {
    use super::*;

    /// A process as (number, parent, start).
    type Row = (u32, u32, u64);

    /// What lives of a program 10 after each of these lists.
    #[track_caller]
    fn check(lists: &[(&[Row], &[u32])]) {
        let mut program = Descendants::of(&[10]);
        for (list, expect) in lists {
            let listed = list
                .iter()
                .map(|&(pid, parent, start)| Listed { pid, parent, start });
            let living = program.living(&listed.collect::<Vec<_>>());
            let living: Vec<u32> = living.into_iter().map(|(pid, _)| pid).collect();
            assert_eq!(&living, expect, "{list:?}");
        }
    }

    #[test]
    fn what_a_program_starts_is_found_in_whatever_order_it_is_listed() {
        check(&[(
            &[(12, 11, 7), (1, 0, 0), (11, 10, 6), (10, 1, 5), (20, 1, 6)],
            &[12, 11, 10],
        )]);
    }

    #[test]
    fn what_is_started_by_something_that_has_ended_is_still_found() {
        check(&[
            (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
            (&[(12, 11, 9)], &[12]),
            (&[(12, 11, 9), (13, 12, 9)], &[12, 13]),
        ]);
        check(&[(&[(11, 10, 6)], &[11])]);
    }

    #[test]
    fn numbers_that_are_given_again_do_not_make_relatives() {
        // 30 was started by a process 10 before ours
        check(&[(&[(10, 1, 5), (30, 10, 4)], &[10])]);
        // 11 is another one now, and 14 its child
        check(&[
            (&[(10, 1, 5), (11, 10, 6)], &[10, 11]),
            (&[(10, 1, 5), (11, 1, 8), (14, 11, 9)], &[10]),
            (&[(10, 1, 5), (11, 10, 12)], &[10, 11]),
        ]);
    }
}
