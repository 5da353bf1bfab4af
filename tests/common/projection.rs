//! Trees as rows, and what is left of them in a format that can't hold all: a step for each thing that is lost.

use dotspot::exporters::{Exporter, Limitation, Part};
use dotspot::model::{Diagnostic, Severity};
use dotspot::model::{FrameKind, Metric, MetricId, NodeId, NodeIds, ProfileKind, Unit, View};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A node with all that is known of it.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Row {
    pub parent: usize,
    pub kind: FrameKind,
    pub name: String,
    pub signature: String,
    pub location: String,
    /// Inclusive and exclusive values and counts, by metric.
    pub values: Vec<(u64, u64, Option<u64>)>,
    /// Id and name of a thread.
    pub thread: Option<(String, String)>,
    /// Number and name of a process.
    pub process: Option<(u64, String)>,
    pub label: String,
}

/// A profile.
#[derive(Clone, Debug)]
pub struct Model {
    /// In preorder: a caller comes before its callees.
    pub rows: Vec<Row>,
    pub metrics: Vec<Metric>,
    pub kind: ProfileKind,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
    /// The first location of each name, and of each name with its parameters.
    places: HashMap<(String, Option<String>), String>,
    has_labels: bool,
}

impl Model {
    /// A part of a profile, the chosen metric first.
    pub fn of(part: &Part) -> Model {
        let (profile, tree) = (part.view, &part.view.tree);
        let others = (0..profile.metrics.len())
            .map(MetricId::at)
            .filter(|&metric| metric != part.metric);
        let metrics: Vec<MetricId> = std::iter::once(part.metric).chain(others).collect();
        let threads: HashMap<NodeId, _> = profile
            .threads
            .iter()
            .map(|thread| (thread.node, thread))
            .collect();
        let processes: HashMap<NodeId, _> = profile
            .processes
            .iter()
            .map(|process| (process.node, process))
            .collect();
        let row = |node: NodeId| {
            let frame = tree.frame(node);
            let value = |&metric: &MetricId| {
                (
                    tree.inclusive(metric, node),
                    tree.exclusive(metric, node),
                    tree.count(metric, node),
                )
            };
            let thread = if node == part.root {
                profile.thread_of(node)
            } else {
                threads.get(&node).copied()
            };
            Row {
                parent: tree
                    .parent(node)
                    .map_or(0, |parent| parent.index().saturating_sub(part.root.index())),
                kind: profile.frames.get(frame).kind,
                name: profile.frames.name(frame).into(),
                signature: profile.frames.signature(frame).into(),
                location: profile.frames.location(frame).into(),
                values: metrics.iter().map(value).collect(),
                thread: thread.map(|thread| (thread.id.clone(), thread.name.clone())),
                process: processes
                    .get(&node)
                    .map(|process| (process.id, process.name.clone())),
                label: profile.node_label(node),
            }
        };
        let rows = tree
            .range(part.root)
            .map(|index| row(NodeId::at(index)))
            .collect();
        Model {
            rows,
            metrics: metrics
                .iter()
                .map(|&metric| profile.metric(metric).clone())
                .collect(),
            kind: profile.source.kind,
            // advice that needs the recorded tree, too, is not written
            warnings: profile
                .diagnostics_of(Severity::Warning)
                .map(Diagnostic::written)
                .collect(),
            notes: profile
                .diagnostics_of(Severity::Note)
                .map(Diagnostic::written)
                .collect(),
            places: places(part),
            has_labels: profile.node_ids != NodeIds::Preorder,
        }
    }

    /// What of it a format holds, and its reader gives back, if it loses `losses`.
    pub fn held_by(&self, exporter: &Exporter, losses: &[Limitation], part: &Part) -> Model {
        let mut model = self.clone();
        if exporter.name != "calltree" {
            model.hang_below_root(part);
        }
        let lost = |what| losses.contains(&what);
        if lost(Limitation::OtherMetrics) {
            model.keep_metrics(1);
        }
        if lost(Limitation::KindIsSampling) {
            model.kind = ProfileKind::Sampling;
        }
        if !lost(Limitation::GivenInclusive) {
            let mut sums = model.clone();
            sums.add_up();
            assert!(
                exporter.name == "calltree" || sums.rows == model.rows,
                "inclusive values that are not sums are told"
            );
        }
        model.regroup(exporter, losses);
        if lost(Limitation::Names) {
            model
                .rows
                .iter_mut()
                .for_each(|row| row.name = collapsed_name(&row.name));
        }
        if lost(Limitation::Nameless) {
            let nameless = model
                .rows
                .iter_mut()
                .filter(|row| row.name.is_empty() && row.thread.is_none());
            nameless.for_each(|row| row.name = "[No name]".into());
        }
        // a name has one place, even where a thread and a method bear it
        if ["speedscope", "trace-event", "pprof"].contains(&exporter.name) {
            for row in model.rows.iter_mut().filter(|row| is_frame(row)) {
                let signature = (exporter.name == "pprof").then(|| parameters(&row.signature));
                row.location = model
                    .places
                    .get(&(row.name.clone(), signature))
                    .cloned()
                    .unwrap_or_default();
            }
        }
        model.forget(exporter, losses);
        model
    }

    /// Takes from both sides of a comparison what can't be compared.
    pub fn forget(&mut self, exporter: &Exporter, losses: &[Limitation]) {
        let lost = |what| losses.contains(&what);
        for metric in &mut self.metrics {
            if lost(Limitation::MetricName)
                || lost(Limitation::Meaning)
                || lost(Limitation::OtherUnits)
            {
                metric.name = String::new();
            }
            if lost(Limitation::Meaning) || lost(Limitation::OtherUnits) {
                metric.unit = Unit::Count;
            }
            if lost(Limitation::Counts) || lost(Limitation::CountsBeside) {
                metric.counts = None;
            }
        }
        if lost(Limitation::Kind) {
            self.kind = ProfileKind::Unknown;
        }
        if lost(Limitation::Warnings) {
            self.warnings.clear();
            self.notes.clear();
        }
        self.has_labels &= !lost(Limitation::NodeIds);
        for row in &mut self.rows {
            if lost(Limitation::Counts) || lost(Limitation::CountsBeside) {
                row.values.iter_mut().for_each(|value| value.2 = None);
            }
            if lost(Limitation::Signatures) {
                row.signature.clear();
            }
            if lost(Limitation::OddSignatures) && !row.signature.starts_with('(') {
                row.signature.clear();
            }
            if lost(Limitation::Locations) {
                row.location.clear();
            }
            if lost(Limitation::ProcessNumbers) {
                row.process = None;
            }
            if lost(Limitation::Kinds) && is_frame(row) {
                row.kind = FrameKind::Method;
            }
            if !self.has_labels {
                row.label.clear();
            }
        }
        if exporter.name != "calltree" {
            self.rows[0].name.clear();
        }
        if [
            Limitation::Twins,
            Limitation::TwinOverloads,
            Limitation::TwinStacks,
            Limitation::TwinThreads,
        ]
        .into_iter()
        .any(lost)
        {
            self.merge();
        }
        if exporter.name != "calltree" {
            self.add_up();
        }
        if lost(Limitation::ThreadIds) {
            for row in self.rows.iter_mut().filter(|row| row.thread.is_some()) {
                row.thread =
                    Some(id_and_name(&row.name).unwrap_or((String::new(), row.name.clone())));
            }
        }
    }

    fn keep_metrics(&mut self, count: usize) {
        self.metrics.truncate(count);
        self.rows
            .iter_mut()
            .for_each(|row| row.values.truncate(count));
    }

    /// Only call-tree JSON has methods as roots: puts a root above them, and the thread in which they lie.
    fn hang_below_root(&mut self, part: &Part) {
        let empty = |row: &Row| Row {
            parent: 0,
            location: String::new(),
            signature: String::new(),
            thread: None,
            values: row.values.iter().map(|value| (value.0, 0, None)).collect(),
            ..row.clone()
        };
        let top = self.rows[0].clone();
        if top.kind == FrameKind::Root {
            return;
        }
        let mut above = vec![Row {
            kind: FrameKind::Root,
            process: None,
            ..empty(&top)
        }];
        let tree = &part.view.tree;
        let process = tree
            .ancestors(part.root)
            .find(|&above| kind_of(part, above) == FrameKind::Process);
        if let Some(node) = process {
            let row = part
                .view
                .processes
                .iter()
                .find(|process| process.node == node)
                .unwrap();
            let (process, name) = (
                Some((row.id, row.name.clone())),
                part.view.name(node).to_string(),
            );
            above.push(Row {
                kind: FrameKind::Process,
                process,
                name,
                ..empty(&top)
            });
        }
        if let (Some(thread), true) = (&top.thread, top.kind != FrameKind::Thread) {
            let node = part.view.thread_of(part.root).unwrap().node;
            let is_thread = kind_of(part, node) == FrameKind::Thread;
            let name = if thread.1.is_empty() {
                &thread.0
            } else {
                &thread.1
            };
            let name = if is_thread {
                part.view.name(node)
            } else {
                name
            }
            .to_string();
            let (kind, thread, parent) = (FrameKind::Thread, Some(thread.clone()), above.len() - 1);
            above.push(Row {
                kind,
                thread,
                name,
                parent,
                process: None,
                ..empty(&top)
            });
            self.rows[0].thread = None;
        }
        let shift = above.len();
        self.rows.iter_mut().for_each(|row| row.parent += shift);
        self.rows[0].parent = shift - 1;
        above.append(&mut self.rows);
        self.rows = above;
    }

    /// Puts the frames where the format has them: below threads, or threads above them as frames.
    fn regroup(&mut self, exporter: &Exporter, losses: &[Limitation]) {
        let lost = |what| losses.contains(&what);
        if exporter.name == "calltree" {
            return;
        }
        let old = std::mem::take(&mut self.rows);
        let mut leaf = vec![true; old.len()];
        old.iter().skip(1).for_each(|row| leaf[row.parent] = false);
        let threads_are_frames = exporter.name == "collapsed";
        let has_structure = old
            .iter()
            .any(|row| row.thread.is_some() || row.kind == FrameKind::Process);
        assert!(
            !threads_are_frames || lost(Limitation::Threads) == has_structure,
            "threads that become frames are told"
        );
        let has_own_of_others = [
            Limitation::OwnOfRoot,
            Limitation::OwnOfThreads,
            Limitation::OwnOfProcesses,
        ]
        .into_iter()
        .any(lost);
        let has_own = |at: usize| leaf[at] || old[at].values.iter().any(|value| value.1 > 0);
        let mut regrouped = Regrouped::new(&old);
        let mut place: Vec<usize> = Vec::with_capacity(old.len());
        for (at, row) in old.iter().enumerate() {
            let above = if at == 0 { 0 } else { place[row.parent] };
            let is_inside = at > 0 && regrouped.thread_of[above].is_some();
            let new = match row.kind {
                FrameKind::Root if at == 0 => {
                    if has_own(at) && has_own_of_others {
                        let below = if threads_are_frames {
                            0
                        } else {
                            regrouped.outside(0)
                        };
                        regrouped.own(below, row);
                    }
                    0
                }
                FrameKind::Process if !is_inside => {
                    let node = regrouped.process(row, threads_are_frames);
                    if has_own(at) && has_own_of_others && !threads_are_frames {
                        let below = regrouped.outside(node);
                        regrouped.own(below, row);
                    }
                    node
                }
                _ if row.thread.is_some() && !is_inside => {
                    let node = regrouped.thread(row, above, threads_are_frames);
                    if has_own(at) && lost(Limitation::OwnOfThreads) {
                        regrouped.own(node, row);
                        regrouped.rows[node]
                            .values
                            .iter_mut()
                            .for_each(|value| value.1 = 0);
                    }
                    node
                }
                _ if is_inside || threads_are_frames => regrouped.frame(row, above),
                _ if lost(Limitation::Outside) || exporter.name == "pprof" => {
                    let thread = regrouped.outside(above);
                    regrouped.frame(row, thread)
                }
                _ => regrouped.frame(row, above),
            };
            place.push(new);
        }
        self.rows = regrouped.finish(exporter, losses);
    }

    /// Makes callees of one name and signature one, as readers do.
    fn merge(&mut self) {
        let old = std::mem::take(&mut self.rows);
        let mut known = HashMap::new();
        let mut place = Vec::with_capacity(old.len());
        for (at, mut row) in old.into_iter().enumerate() {
            row.parent = if at == 0 { 0 } else { place[row.parent] };
            let is_distinct = row.thread.is_some() || row.kind == FrameKind::Process || at == 0;
            let key = (
                row.parent,
                row.kind,
                row.name.clone(),
                row.signature.clone(),
            );
            if let (Some(&node), false) = (known.get(&key), is_distinct) {
                let merged: &mut Row = &mut self.rows[node];
                for (sum, value) in merged.values.iter_mut().zip(&row.values) {
                    sum.0 = sum.0.saturating_add(value.0);
                    sum.1 = sum.1.saturating_add(value.1);
                    sum.2 = sum.2.zip(value.2).map(|(a, b)| a + b);
                }
                place.push(node);
                continue;
            }
            if !is_distinct {
                known.insert(key, self.rows.len());
            }
            place.push(self.rows.len());
            self.rows.push(row);
        }
    }

    /// Makes inclusive values the sums of exclusive ones.
    fn add_up(&mut self) {
        self.rows
            .iter_mut()
            .flat_map(|row| &mut row.values)
            .for_each(|value| value.0 = value.1);
        for at in (1..self.rows.len()).rev() {
            let (parent, values) = (self.rows[at].parent, self.rows[at].values.clone());
            for (sum, value) in self.rows[parent].values.iter_mut().zip(values) {
                sum.0 = sum.0.saturating_add(value.0);
            }
        }
    }

    /// Each row's hash with all below it; the order of siblings does not matter.
    fn hashes(&self) -> Vec<u64> {
        let mut below: Vec<Vec<u64>> = vec![Vec::new(); self.rows.len()];
        let mut hashes = vec![0; self.rows.len()];
        for at in (0..self.rows.len()).rev() {
            let mut callees = std::mem::take(&mut below[at]);
            callees.sort_unstable();
            let mut hasher = DefaultHasher::new();
            (
                Row {
                    parent: 0,
                    ..self.rows[at].clone()
                },
                callees,
            )
                .hash(&mut hasher);
            hashes[at] = hasher.finish();
            below[self.rows[at].parent].push(hashes[at]);
        }
        hashes
    }

    /// What differs between two models, in words; `None` if nothing does. `ordered`: also in the order of siblings.
    pub fn difference(&self, other: &Model, ordered: bool) -> Option<String> {
        let by_name = |model: &Model| {
            let rows = model.metrics.iter().enumerate();
            rows.map(|(at, metric)| (metric.name.clone(), (at, metric.unit.name(), metric.counts)))
                .collect()
        };
        let metrics: [BTreeMap<String, _>; 2] = [by_name(self), by_name(other)];
        let about = |metrics: &BTreeMap<String, (usize, &'static str, _)>| -> Vec<_> {
            metrics
                .iter()
                .map(|(name, (_, unit, counts))| (name.clone(), *unit, *counts))
                .collect()
        };
        if about(&metrics[0]) != about(&metrics[1]) {
            return Some(format!(
                "metrics {:?} and {:?}",
                self.metrics, other.metrics
            ));
        }
        if (self.kind, &self.warnings, &self.notes) != (other.kind, &other.warnings, &other.notes) {
            let kinds = (self.kind, other.kind);
            return Some(format!(
                "{kinds:?}, warnings {:?} and {:?}",
                self.warnings, other.warnings
            ));
        }
        let sorted = |model: &Model, metrics: &BTreeMap<String, (usize, _, _)>| {
            let mut model = model.clone();
            for row in &mut model.rows {
                row.values = metrics.values().map(|(at, ..)| row.values[*at]).collect();
            }
            model
        };
        let [one, two] = [sorted(self, &metrics[0]), sorted(other, &metrics[1])];
        let is_same = if ordered {
            one.rows == two.rows
        } else {
            one.hashes()[0] == two.hashes()[0]
        };
        if is_same && one.rows.len() == two.rows.len() {
            return None;
        }
        let here: HashSet<u64> = two.hashes().into_iter().collect();
        let there: HashSet<u64> = one.hashes().into_iter().collect();
        // the innermost rows that the other side lacks
        let lacking = |model: &Model, others: &HashSet<u64>| -> Vec<String> {
            let rows = model
                .rows
                .iter()
                .zip(model.hashes())
                .rev()
                .filter(|(_, hash)| !others.contains(hash));
            rows.take(3).map(|(row, _)| format!("{row:?}")).collect()
        };
        let (gone, new) = (lacking(&one, &here), lacking(&two, &there));
        Some(format!(
            "{} and {} rows\ngone {gone:#?}\nnew {new:#?}",
            one.rows.len(),
            two.rows.len()
        ))
    }
}

/// Rows in their new places.
struct Regrouped {
    rows: Vec<Row>,
    /// By row, the thread in which it lies.
    thread_of: Vec<Option<usize>>,
    /// The thread of nodes that are in none, by process.
    outside: HashMap<usize, usize>,
    /// Threads in the order in which they are written, those of nodes that are in none at the end.
    threads: Vec<usize>,
    outsiders: Vec<usize>,
    /// How the root was called.
    title: String,
    process_titles: HashMap<usize, String>,
}

impl Regrouped {
    fn new(old: &[Row]) -> Regrouped {
        let mut root = old[0].clone();
        root.values.iter_mut().for_each(|value| value.1 = 0);
        Regrouped {
            title: root.name.clone(),
            rows: vec![root],
            thread_of: vec![None],
            outside: HashMap::new(),
            threads: Vec::new(),
            outsiders: Vec::new(),
            process_titles: HashMap::new(),
        }
    }

    fn push(&mut self, row: Row, thread: Option<usize>) -> usize {
        self.rows.push(row);
        self.thread_of.push(thread);
        self.rows.len() - 1
    }

    fn frame(&mut self, row: &Row, parent: usize) -> usize {
        let kind = if row.kind == FrameKind::Special {
            row.kind
        } else {
            FrameKind::Method
        };
        let thread = self.thread_of[parent];
        self.push(
            Row {
                parent,
                kind,
                thread: None,
                process: None,
                ..row.clone()
            },
            thread,
        )
    }

    /// What a thread or a root has itself, as a frame.
    fn own(&mut self, parent: usize, row: &Row) {
        let row = Row {
            location: String::new(),
            ..row.clone()
        };
        self.frame(&row, parent);
    }

    fn process(&mut self, row: &Row, as_frame: bool) -> usize {
        let kind = if as_frame {
            FrameKind::Method
        } else {
            FrameKind::Process
        };
        let mut row = Row {
            parent: 0,
            kind,
            ..row.clone()
        };
        let title = row.name.clone();
        match as_frame {
            true => row.process = None,
            false => row.values.iter_mut().for_each(|value| value.1 = 0),
        }
        let node = self.push(row, None);
        self.process_titles.insert(node, title);
        node
    }

    fn thread(&mut self, row: &Row, parent: usize, as_frame: bool) -> usize {
        let mut row = Row {
            parent,
            ..row.clone()
        };
        if as_frame {
            (row.kind, row.thread) = (FrameKind::Method, None);
        }
        let node = self.push(row, None);
        self.thread_of[node] = Some(node);
        self.threads.push(node);
        node
    }

    fn outside(&mut self, process: usize) -> usize {
        if let Some(&known) = self.outside.get(&process) {
            return known;
        }
        let mut row = self.rows[0].clone();
        (row.kind, row.name, row.parent) = (FrameKind::Thread, self.title.clone(), process);
        row.thread = Some(Default::default());
        let node = self.push(row, None);
        self.thread_of[node] = Some(node);
        self.outside.insert(process, node);
        self.outsiders.push(node);
        node
    }

    /// Names threads and processes as the format does, and takes away those that it has not.
    fn finish(mut self, exporter: &Exporter, losses: &[Limitation]) -> Vec<Row> {
        let tracks: Vec<usize> = self
            .threads
            .iter()
            .chain(&self.outsiders)
            .copied()
            .collect();
        let processes: Vec<usize> = tracks
            .iter()
            .map(|&track| self.rows[track].parent)
            .collect();
        let has_several = processes.iter().any(|process| *process != processes[0]);
        match exporter.name {
            "speedscope" => {
                for &track in &tracks {
                    let process = self
                        .process_titles
                        .get(&self.rows[track].parent)
                        .filter(|_| has_several);
                    let name = &mut self.rows[track].name;
                    *name = match process {
                        Some(process) => format!("{process} / {name}"),
                        None if name.is_empty() => "[No name]".into(),
                        None => name.clone(),
                    };
                    if self.outsiders.contains(&track) {
                        let row = &mut self.rows[track];
                        let number = tracks
                            .iter()
                            .position(|other| *other == track)
                            .unwrap()
                            .to_string();
                        row.thread =
                            Some(id_and_name(&row.name).unwrap_or((number, row.name.clone())));
                    }
                }
            }
            "trace-event" => self.number(&tracks, &processes, losses),
            "pprof" => return self.label(&tracks, has_several, losses),
            _ => return self.rows,
        }
        if losses.contains(&Limitation::Processes) || losses.contains(&Limitation::OnlyProcess) {
            self.remove_processes();
        }
        self.rows
    }

    /// Processes and threads get their own numbers, or the least that are free.
    fn number(&mut self, tracks: &[usize], processes: &[usize], losses: &[Limitation]) {
        let mut order: Vec<usize> = Vec::new();
        processes.iter().for_each(|process| {
            if !order.contains(process) {
                order.push(*process);
            }
        });
        let own = |process: &usize| {
            self.rows[*process]
                .process
                .as_ref()
                .map(|row| row.0)
                .filter(|id| *id > 0)
        };
        let numbers = give(order.iter().map(|process| (0, own(process))).collect());
        let own = |&track: &usize| {
            let id = &self.rows[track].thread.as_ref().unwrap().0;
            id.parse::<u64>()
                .ok()
                .filter(|number| number.to_string() == *id)
        };
        let wanted = tracks
            .iter()
            .map(|track| (self.rows[*track].parent, own(track)))
            .collect();
        for (&track, number) in tracks.iter().zip(give(wanted)) {
            let is_outside = self.outsiders.contains(&track);
            let is_kept = !losses.contains(&Limitation::ThreadNumbers)
                && !losses.contains(&Limitation::ThreadTitles);
            let row = &mut self.rows[track];
            if is_kept && !is_outside {
                continue;
            }
            let name = if is_outside {
                self.title.clone()
            } else {
                row.thread.clone().unwrap().1
            };
            row.name = titled(&number.to_string(), &name);
            row.thread = Some((number.to_string(), name));
        }
        let renamed = order
            .into_iter()
            .zip(numbers)
            .filter(|_| losses.contains(&Limitation::ProcessTitles));
        for (process, number) in renamed.filter(|(process, _)| *process > 0) {
            let row = &mut self.rows[process];
            let name = row
                .process
                .as_ref()
                .map_or(row.name.clone(), |process| process.1.clone());
            row.name = if name.is_empty() {
                format!("Process ({number})")
            } else {
                format!("Process ({number}) {name}")
            };
            row.process = Some((number, name));
        }
    }

    /// Threads are what the labels say, and those of the same labels are one.
    fn label(mut self, tracks: &[usize], has_several: bool, losses: &[Limitation]) -> Vec<Row> {
        let mut has_labels = false;
        for &track in tracks {
            let process = self
                .process_titles
                .get(&self.rows[track].parent)
                .filter(|_| has_several)
                .cloned();
            let is_outside = self.outsiders.contains(&track);
            let row = &mut self.rows[track];
            let (id, name) = row.thread.clone().unwrap();
            let name = match process {
                Some(process) if is_outside => format!("{process} / {}", row.name),
                None if is_outside && has_several && row.name.is_empty() => "[No name]".into(),
                None if is_outside => {
                    if has_several {
                        row.name.clone()
                    } else {
                        String::new()
                    }
                }
                Some(process) if name.is_empty() => process,
                Some(process) => format!("{process} / {name}"),
                None if name.is_empty() && id.is_empty() => row.name.clone(),
                None => name,
            };
            has_labels |= !id.is_empty() || !name.is_empty();
            let is_renamed = losses.contains(&Limitation::ThreadTitles)
                || losses.contains(&Limitation::Processes);
            if !is_outside && !is_renamed {
                continue;
            }
            row.name = match (id.as_str(), name.as_str()) {
                ("", "") => "Thread unknown".into(),
                ("", name) => format!("Thread {name}"),
                (id, name) => titled(id, name),
            };
            row.thread = Some((id, name));
        }
        if losses.contains(&Limitation::Processes) {
            self.remove_processes();
        }
        if !has_labels {
            // a file without labels has no threads
            let tracks: HashSet<usize> = tracks.iter().copied().collect();
            return without(self.rows, &tracks);
        }
        let mut known = HashMap::new();
        let mut place = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        for (at, mut row) in std::mem::take(&mut self.rows).into_iter().enumerate() {
            row.parent = if at == 0 { 0 } else { place[row.parent] };
            let new = match row
                .thread
                .clone()
                .map(|thread| *known.entry(thread).or_insert(rows.len()))
            {
                Some(twin) if twin < rows.len() && losses.contains(&Limitation::TwinThreads) => {
                    for (sum, value) in rows[twin].values.iter_mut().zip(&row.values) {
                        sum.1 += value.1;
                    }
                    twin
                }
                _ => {
                    rows.push(row);
                    rows.len() - 1
                }
            };
            place.push(new);
        }
        rows
    }

    fn remove_processes(&mut self) {
        let processes: HashSet<usize> = self.process_titles.keys().copied().collect();
        self.rows = without(std::mem::take(&mut self.rows), &processes);
    }
}

/// The rows without some of them, whose callees become callees of their callers.
fn without(rows: Vec<Row>, removed: &HashSet<usize>) -> Vec<Row> {
    let (mut place, mut kept) = (Vec::new(), Vec::<Row>::new());
    for (at, mut row) in rows.into_iter().enumerate() {
        row.parent = if at == 0 { 0 } else { place[row.parent] };
        if removed.contains(&at) {
            let parent = row.parent;
            for (sum, value) in kept[parent].values.iter_mut().zip(&row.values) {
                sum.1 += value.1;
            }
            place.push(parent);
        } else {
            place.push(kept.len());
            kept.push(row);
        }
    }
    kept
}

/// A number for each, its own if nobody before in its group has it, else the least that nobody has.
fn give(wanted: Vec<(usize, Option<u64>)>) -> Vec<u64> {
    let mut given: Vec<Option<u64>> = Vec::new();
    for (at, &(group, own)) in wanted.iter().enumerate() {
        let is_taken =
            |id: &u64| (0..at).any(|other| wanted[other].0 == group && given[other] == Some(*id));
        given.push(own.filter(|id| !is_taken(id)));
    }
    for at in 0..wanted.len() {
        let is_free = |id: &u64| {
            !(0..wanted.len())
                .any(|other| wanted[other].0 == wanted[at].0 && given[other] == Some(*id))
        };
        given[at] = given[at].or_else(|| (1..).find(is_free));
    }
    given.into_iter().flatten().collect()
}

fn titled(id: &str, name: &str) -> String {
    if name.is_empty() {
        format!("Thread ({id})")
    } else {
        format!("Thread ({id}) {name}")
    }
}

fn id_and_name(title: &str) -> Option<(String, String)> {
    let (id, name) = title.strip_prefix("Thread (")?.split_once(')')?;
    let name = name.strip_prefix(' ').unwrap_or(name);
    (!id.is_empty() && titled(id, name) == title).then(|| (id.into(), name.into()))
}

/// A name in a file of lines: see the table of formats.
fn collapsed_name(name: &str) -> String {
    let escaped =
        |c: char| dotspot::model::text::is_hostile(c).then(|| format!("\\u{{{:x}}}", u32::from(c)));
    let text: String = name
        .chars()
        .map(|c| escaped(c).unwrap_or(if c == ';' { ":".into() } else { c.into() }))
        .collect();
    match text.trim() {
        "" => "[No name]".into(),
        text if text.starts_with('#') => format!("\\u{{23}}{}", &text[1..]),
        text => text.into(),
    }
}

fn is_frame(row: &Row) -> bool {
    !matches!(
        row.kind,
        FrameKind::Root | FrameKind::Process | FrameKind::Thread
    )
}

fn kind_of(part: &Part, node: NodeId) -> FrameKind {
    part.view.frames.get(part.view.tree.frame(node)).kind
}

/// A signature, if it looks like one.
fn parameters(signature: &str) -> String {
    if signature.starts_with('(') {
        signature.into()
    } else {
        String::new()
    }
}

/// For each name the location of its first frame that has one.
fn places(part: &Part) -> HashMap<(String, Option<String>), String> {
    let tree = &part.view.tree;
    let used: HashSet<_> = tree
        .range(part.root)
        .map(|row| tree.frame(NodeId::at(row)))
        .collect();
    let mut places = HashMap::new();
    for (id, _) in part.view.frames.iter().filter(|(id, _)| used.contains(id)) {
        let (name, location) = (part.view.frames.name(id), part.view.frames.location(id));
        let name = if name.is_empty() { "[No name]" } else { name };
        if !location.is_empty() {
            let signature = parameters(part.view.frames.signature(id));
            for signature in [None, Some(signature)] {
                places
                    .entry((name.to_string(), signature))
                    .or_insert(location.to_string());
            }
        }
    }
    places
}

/// A whole profile that was read.
pub fn read_model(profile: &View) -> Model {
    Model::of(&Part::whole(profile, profile.default_metric))
}
