//! The steps that make a view of a recording, as data.

use super::format::counted;
use super::{MadeUp, Recording, TimeRange, TreeForm};
use serde::{Deserialize, Serialize};

/// The steps that make a view: the first folds a recording to a tree, each later one maps a view to a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Steps {
    /// The first step.
    pub fold: Fold,
    /// Those that follow, in order.
    pub then: Vec<Step>,
}

/// What makes a tree of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fold {
    /// Which range of time, if not all of it. Stacks are repaired as those of the whole recording.
    pub range: Option<TimeRange>,
    /// Which threads, and whether they are one tree.
    pub threads: ThreadChoice,
    /// Whether truncated stacks are repaired, if there are any, and not as they were recorded. Threads are the same in both.
    pub is_repaired: bool,
}

/// What makes another view of a view.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// A subtree as if it were the tree, by the label of its root, which no other step changes.
    Focus(String),
}

/// Which threads of a recording are wanted, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadChoice {
    /// Whether a thread is wanted, in the order of [`Recording::threads`].
    pub wanted: Vec<bool>,
    /// Whether those of each process are merged into one tree.
    pub is_merged: bool,
}

impl Steps {
    /// All of a recording in one of its forms.
    pub fn whole(recording: &Recording, form: TreeForm) -> Steps {
        let is_repaired = form == TreeForm::Repaired || recording.repaired.is_none();
        Steps { fold: Fold { range: None, threads: ThreadChoice::all(recording), is_repaired }, then: Vec::new() }
    }
}

impl Fold {
    /// All of a recording, repaired if anything was.
    pub fn all(recording: &Recording) -> Fold {
        Fold { range: None, threads: ThreadChoice::all(recording), is_repaired: true }
    }

    /// Whether this is a recorded tree as it is: nothing is to be made.
    pub fn is_whole(&self) -> bool {
        self.range.is_none() && self.threads.is_everything()
    }

    /// The form of the tree that it is made of.
    pub fn form(&self) -> TreeForm {
        if self.is_repaired { TreeForm::Repaired } else { TreeForm::Original }
    }
}

impl ThreadChoice {
    /// All threads of a recording as they are.
    pub fn all(recording: &Recording) -> ThreadChoice {
        ThreadChoice { wanted: vec![true; recording.threads.len()], is_merged: false }
    }

    /// How many threads are wanted.
    pub fn count(&self) -> usize {
        self.wanted.iter().filter(|&&is_wanted| is_wanted).count()
    }

    /// Whether every thread is wanted.
    pub fn has_all(&self) -> bool {
        !self.wanted.contains(&false)
    }

    /// Whether this is the recording as it is.
    pub fn is_everything(&self) -> bool {
        self.has_all() && !self.is_merged
    }

    /// Which of the threads: `3 of 10 threads`, or `2 of 5 processes` if these have all of their threads and the others none;
    /// `10 threads` if all are wanted. O(threads).
    pub fn words(&self, recording: &Recording) -> String {
        self.root(recording).map_or_else(|| counted(self.wanted.len() as u64, "thread"), MadeUp::name)
    }

    /// The frame that stands above these threads; `None` if all are wanted. O(threads).
    pub fn root(&self, recording: &Recording) -> Option<MadeUp> {
        if self.has_all() {
            return None;
        }
        let number = |many: usize| u32::try_from(many).unwrap_or(u32::MAX);
        let mut states = vec![(false, false); recording.processes.len()];
        for (&is_wanted, thread) in self.wanted.iter().zip(&recording.threads) {
            match thread.process.and_then(|process| states.get_mut(process)) {
                Some((has, _)) if is_wanted => *has = true,
                Some((_, lacks)) => *lacks = true,
                // a thread of no process
                None => states.push((true, true)),
            }
        }
        if states.iter().any(|(has, lacks)| *has && *lacks) || states.is_empty() {
            return Some(MadeUp::SomeThreads { chosen: number(self.count()), all: number(self.wanted.len()) });
        }
        let chosen = states.iter().filter(|(has, _)| *has).count();
        Some(MadeUp::SomeProcesses { chosen: number(chosen), all: number(states.len()) })
    }
}
