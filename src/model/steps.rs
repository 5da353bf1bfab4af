use super::{
    FrameId, MethodKey, NodeRef, RecordedThread, Recording, RecordingRange, Recursion, Step,
    Synthetic, TimeRange, TreeForm,
};
use crate::names::thread_names::{ALL_PROCESSES, NamedRow, is_pool_thread, options};
use crate::names::{namespace_and_type, paused_method};
use crate::text::visible;
use crate::units::counted;
use crate::words::words;
use std::collections::HashSet;

/// What makes a view: the scope builds a tree, and each step turns a view into another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ViewSpec {
    pub scope: Scope,
    pub transforms: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// `None` for the whole recording. Stacks are repaired as in the whole recording.
    pub range: Option<TimeRange>,
    pub threads: ThreadChoice,
    /// Whether truncated stacks are repaired. Both forms have the same threads.
    pub is_repaired: bool,
}

/// Command-line options that make the same view in commands such as `dotspot hotspots`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFlags {
    pub flags: Vec<String>,
    /// The choice of threads, in words, if no option can express it.
    pub inexpressible: Option<String>,
}

words! {
    /// Which chosen threads of a process are merged, in the order that a key cycles through.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Merging {
        #[default]
        None = "none",
        /// The .NET thread pool, whose division of work is arbitrary.
        Pool = "pool",
        All = "all",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ThreadChoice {
    /// By index in [`Recording::threads`].
    pub chosen: Vec<bool>,
    pub merging: Merging,
}

impl ViewSpec {
    pub fn whole(recording: &Recording, form: TreeForm) -> ViewSpec {
        ViewSpec {
            scope: Scope {
                is_repaired: form == TreeForm::Repaired || recording.repaired.is_none(),
                ..Scope::all(recording)
            },
            transforms: Vec::new(),
        }
    }

    /// How it differs from the whole recording: `2.000 s to 4.500 s`, `3 of 10 threads, merged`, `as recorded`,
    /// `PriceRules.Evaluate`.
    pub fn words(&self, recording: &Recording) -> Vec<String> {
        let mut words = self.scope.words(recording);
        words.extend(self.transform_words(recording));
        words
    }

    /// The steps after the first; adjacent equal descriptions appear once.
    pub fn transform_words(&self, recording: &Recording) -> Vec<String> {
        let steps = self.transforms.iter();
        let words = steps.map(|step| step.words(&self.scope, recording));
        let mut words: Vec<String> = words.collect();
        words.dedup();
        words
    }

    pub fn flags(&self, recording: &Recording) -> StepFlags {
        let threads = &self.scope.threads;
        let range = self.scope.range;
        let mut flags = range.map(TimeRange::flags).unwrap_or_default();
        let options = threads.flags(recording);
        let inexpressible = match &options {
            Some(_) => None,
            None => Some(threads.words(recording)),
        };
        flags.extend(options.into_iter().flatten());
        if !self.scope.is_repaired && recording.repaired.is_some() {
            flags.push("--no-repair".into());
        }
        // named flags act in a fixed order, however they are given, so any other order must be spelled out
        let changes = self
            .transforms
            .iter()
            .filter(|step| **step != Step::Inverted);
        let is_in_order = changes.map(flag_order).is_sorted();
        for step in &self.transforms {
            let named = step.flags(recording).into_iter();
            match step {
                Step::Inverted => flags.push("--inverted".into()),
                _ if is_in_order => flags.extend(named.flatten()),
                _ => {
                    let ordered = |[flag, value]: [String; 2]| {
                        ["--step".into(), format!("{}:{value}", &flag[2..])]
                    };
                    flags.extend(named.flat_map(ordered));
                }
            }
        }
        StepFlags {
            flags,
            inexpressible,
        }
    }
}

pub fn flag_order(step: &Step) -> usize {
    match step {
        Step::Drop(_) => 0,
        Step::DropNodes(_) => 1,
        Step::Filter { action, .. } => 2 + *action as usize,
        Step::CollapseRecursion(_) => 6,
        Step::Collapse { .. } => 7,
        Step::Group { .. } => 8,
        Step::Inverted => 9,
    }
}

impl Step {
    /// As in breadcrumbs: `without List<T>.InsertRange`, `hide /Monitor/`, `fold system`.
    pub fn words(&self, scope: &Scope, recording: &Recording) -> String {
        match self {
            Step::DropNodes(nodes) => {
                let name = |&node: &NodeRef| {
                    let name = name_of_node(node, scope, recording);
                    format!("{name} (node {})", recording.node_label(node))
                };
                let names: Vec<String> = nodes.iter().map(name).collect();
                format!("without {}", names.join(", "))
            }
            Step::Drop(methods) => format!("without {}", name_of_methods(methods, recording)),
            Step::Filter { action, pattern } => format!("{} /{pattern}/", action.name()),
            Step::CollapseRecursion(Recursion::Direct) => "fold direct recursion".into(),
            Step::CollapseRecursion(Recursion::All) => "fold recursion".into(),
            Step::Collapse { frames, .. } => format!("fold {}", frames.title()),
            Step::Group { by, .. } => format!("by {}", by.name()),
            Step::Inverted => "inverted".into(),
        }
    }
}

/// The name of one method or of overloads, else their number and common type.
fn name_of_methods(methods: &[MethodKey], recording: &Recording) -> String {
    let frames = methods
        .iter()
        .map(|method| recording.frames.with_key(method));
    let found: Option<Vec<FrameId>> = frames.collect();
    if let [method] = methods {
        return match found.as_deref() {
            Some([frame]) => recording.frames.list_name(*frame).into_owned(),
            _ => method.name.clone(),
        };
    }
    let count = counted(methods.len() as u64, "method");
    let shown = |frame: FrameId| {
        let name = recording.frames.display_name(frame);
        Some(paused_method(name).unwrap_or(name))
    };
    let home = |frame: FrameId| namespace_and_type(recording.frames.name(frame));
    let frames = found.unwrap_or_default();
    match (in_common(&frames, shown), in_common(&frames, home)) {
        (Some(name), _) => name.into(),
        (None, Some((_, of_type))) => format!("{count} of {of_type}"),
        (None, None) => count,
    }
}

fn in_common<T: PartialEq>(frames: &[FrameId], part: impl Fn(FrameId) -> Option<T>) -> Option<T> {
    let (&first, others) = frames.split_first()?;
    part(first).filter(|same| {
        others
            .iter()
            .all(|&frame| part(frame).as_ref() == Some(same))
    })
}

fn name_of_node(node_ref: NodeRef, scope: &Scope, recording: &Recording) -> String {
    if !recording.has(node_ref) {
        return recording.node_label(node_ref);
    }
    let NodeRef { form, node } = node_ref;
    let recorded = recording.tree_of(form);
    let thread = recorded.thread_of(node);
    let thread = thread.filter(|&row| recorded.threads()[row] == node);
    let merged = thread.map_or(0, |row| scope.threads.merged_with(row, recording));
    match merged {
        0 | 1 => {
            let frame = recorded.tree.frame(node);
            recording.frames.display_name(frame).to_string()
        }
        count => scope.threads.merged(count).name(),
    }
}

fn saturated(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl Scope {
    pub fn all(recording: &Recording) -> Scope {
        Scope {
            range: None,
            threads: ThreadChoice::all(recording),
            is_repaired: true,
        }
    }

    pub fn is_whole(&self) -> bool {
        self.range.is_none() && self.threads.is_everything()
    }

    pub fn range_of(&self, recording: &Recording) -> Option<RecordingRange> {
        let samples = recording.samples.as_ref();
        let of_ns = samples.map_or(0, |samples| samples.span_ns);
        self.range.map(|range| RecordingRange { range, of_ns })
    }

    pub fn words(&self, recording: &Recording) -> Vec<String> {
        let range = self.range_of(recording);
        let mut words: Vec<String> = range.iter().map(RecordingRange::to_string).collect();
        let threads = self.threads.words(recording);
        match self.threads.merging {
            Merging::Pool if self.threads.merges_any(recording) => {
                words.push(format!("{threads}, pool merged"));
            }
            Merging::All if self.threads.merges_any(recording) => {
                words.push(format!("{threads}, merged"));
            }
            _ if self.threads.has_all() => {}
            _ => words.push(threads),
        }
        if !self.is_repaired && recording.repaired.is_some() {
            words.push("as recorded".into());
        }
        words
    }

    pub fn form(&self) -> TreeForm {
        match self.is_repaired {
            true => TreeForm::Repaired,
            false => TreeForm::Original,
        }
    }
}

impl ThreadChoice {
    pub fn all(recording: &Recording) -> ThreadChoice {
        ThreadChoice {
            chosen: vec![true; recording.threads.len()],
            merging: Merging::None,
        }
    }

    pub fn count(&self) -> usize {
        self.chosen.iter().filter(|&&is_chosen| is_chosen).count()
    }

    pub fn has_all(&self) -> bool {
        !self.chosen.contains(&false)
    }

    pub fn is_everything(&self) -> bool {
        self.has_all() && (self.merging == Merging::None || self.chosen.is_empty())
    }

    /// Including itself; 0 if it isn't merged.
    fn merged_with(&self, row: usize, recording: &Recording) -> usize {
        if !self.is_merged(row, recording) {
            return 0;
        }
        let process = recording.threads[row].process;
        let is_merged_with = |&row: &usize| {
            recording.threads[row].process == process && self.is_merged(row, recording)
        };
        (0..recording.threads.len()).filter(is_merged_with).count()
    }

    fn is_merged(&self, row: usize, recording: &Recording) -> bool {
        self.chosen.get(row) == Some(&true) && self.merges(&recording.threads[row].name)
    }

    pub fn merges_any(&self, recording: &Recording) -> bool {
        let mut processes = HashSet::new();
        let threads = recording.threads.iter().enumerate();
        let mut merged = threads.filter(|&(row, _)| self.is_merged(row, recording));
        merged.any(|(_, thread)| !processes.insert(thread.process))
    }

    pub fn merges(&self, name: &str) -> bool {
        match self.merging {
            Merging::None => false,
            Merging::Pool => is_pool_thread(name),
            Merging::All => true,
        }
    }

    pub fn merged(&self, count: usize) -> Synthetic {
        Synthetic::MergedThreads {
            count: saturated(count),
            are_pool: self.merging == Merging::Pool,
        }
    }

    /// `None` if no threads are chosen, or names don't identify them.
    fn flags(&self, recording: &Recording) -> Option<Vec<String>> {
        if self.count() == 0 {
            return self.chosen.is_empty().then(Vec::new);
        }
        let processes = || self.process_options(recording);
        let threads = || self.thread_options(recording);
        let mut flags = match self.root(recording) {
            None if recording.main_process.is_some() => {
                ["--process", ALL_PROCESSES].map(String::from).to_vec()
            }
            None => Vec::new(),
            Some(Synthetic::SomeProcesses { .. }) => processes().or_else(threads)?,
            Some(_) => threads()?,
        };
        match self.merging {
            Merging::None => {}
            Merging::Pool => flags.push(format!("--merge-threads={}", self.merging.name())),
            Merging::All => flags.push("--merge-threads".into()),
        }
        Some(flags)
    }

    fn processes(&self, recording: &Recording) -> Vec<bool> {
        let mut has_chosen = vec![false; recording.processes.len()];
        for (&is_chosen, thread) in self.chosen.iter().zip(&recording.threads) {
            if let Some(process) = thread.process {
                has_chosen[process] |= is_chosen;
            }
        }
        has_chosen
    }

    fn process_options(&self, recording: &Recording) -> Option<Vec<String>> {
        let tree = recording.whole();
        let processes = recording.processes.iter().zip(&tree.processes);
        let named = processes.map(|(process, &node)| NamedRow {
            id: process.id.to_string(),
            name: process.name.clone(),
            title: recording.frames.name(tree.tree.frame(node)).to_string(),
        });
        let named: Vec<NamedRow> = named.collect();
        options("--process", &named, &self.processes(recording))
    }

    /// Options for each thread, plus its process if other processes have threads with the same names.
    fn thread_options(&self, recording: &Recording) -> Option<Vec<String>> {
        let named = |row: usize| NamedRow {
            id: recording.threads[row].id.clone(),
            name: recording.threads[row].name.clone(),
            title: recording.thread_title(row).to_string(),
        };
        let all = 0..recording.threads.len();
        let options_among = |rows: Vec<usize>| {
            let is_chosen = rows.iter().map(|&row| self.chosen.get(row) == Some(&true));
            let is_chosen: Vec<bool> = is_chosen.collect();
            let named: Vec<NamedRow> = rows.into_iter().map(named).collect();
            options("--thread", &named, &is_chosen)
        };
        let within_processes = || {
            let options = self.process_options(recording);
            let mut flags = options.filter(|options| !options.is_empty())?;
            let has_process = self.processes(recording);
            let is_offered = |row: &usize| {
                let process = recording.threads[*row].process;
                process.is_some_and(|process| has_process[process])
            };
            flags.extend(options_among(all.clone().filter(is_offered).collect())?);
            Some(flags)
        };
        options_among(all.clone().collect()).or_else(within_processes)
    }

    /// `3 of 10 threads`; `2 of 5 processes` for whole processes; `10 threads` for all; `Process (3676) Test.exe, 1 of
    /// 5` for one process.
    pub fn words(&self, recording: &Recording) -> String {
        match self.root(recording) {
            None => counted(self.chosen.len() as u64, "thread"),
            Some(Synthetic::SomeProcesses { chosen: 1, all }) => {
                let recorded = recording.whole();
                let mut processes = self.processes(recording).into_iter();
                let chosen = processes.position(|is_chosen| is_chosen);
                let node = chosen.map(|process| recorded.processes[process]);
                let name = node.map(|node| recording.frames.name(recorded.tree.frame(node)));
                format!("{}, 1 of {all}", visible(name.unwrap_or_default()))
            }
            Some(some) => some.name(),
        }
    }

    pub fn of_process(recording: &Recording, process: usize) -> ThreadChoice {
        let is_chosen = |thread: &RecordedThread| thread.process == Some(process);
        ThreadChoice {
            chosen: recording.threads.iter().map(is_chosen).collect(),
            merging: Merging::None,
        }
    }

    /// The root frame for these threads; `None` for all. O(threads).
    pub fn root(&self, recording: &Recording) -> Option<Synthetic> {
        if self.has_all() {
            return None;
        }
        let mut states = vec![(false, false); recording.processes.len()];
        for (&is_chosen, thread) in self.chosen.iter().zip(&recording.threads) {
            match thread.process.and_then(|process| states.get_mut(process)) {
                Some((has, _)) if is_chosen => *has = true,
                Some((_, lacks)) => *lacks = true,
                // a thread outside any process
                None => states.push((true, true)),
            }
        }
        if states.iter().any(|(has, lacks)| *has && *lacks) || states.is_empty() {
            return Some(Synthetic::SomeThreads {
                chosen: saturated(self.count()),
                all: saturated(self.chosen.len()),
            });
        }
        let chosen = states.iter().filter(|(has, _)| *has).count();
        Some(Synthetic::SomeProcesses {
            chosen: saturated(chosen),
            all: saturated(states.len()),
        })
    }
}
