//! Assembles the profile from the instances.

use super::elements::{Elements, ReportEnding};
use super::growing::{GrowingTree, GrowingValue, TIME};
use super::halves;
use super::name::{NAME, TITLE};
use super::names::thread_id_and_name;
use super::row::is_rounding;
use super::stacks::Stacks;
use crate::diagnostics::{
    Anomaly, Diagnostic, IncompleteFile, MissingReason, Remark, ReportDiagnostic, partly,
};
use crate::importers::messages;
use crate::input::parallel_tail::ParallelTail;
use crate::input::{Failure, ImportError, Input};
use crate::model::{
    CountKind, Metric, ProfileKind, RawNode, Recording, Source, Thread, TreeBuilder,
};
use crate::names::FrameKind;

#[derive(Clone, Copy, Default)]
struct ReportCallees {
    total: u64,
    count: u64,
    number: u64,
}

pub(super) fn read(input: Input) -> Result<Recording, ImportError> {
    let half = ParallelTail::of(&input, FIRST_PERCENT, next_function);
    read_as_halves(input, half)
}

fn read_as_halves(input: Input, half: Option<ParallelTail>) -> Result<Recording, ImportError> {
    let mut growing = GrowingTree::new(input.name.clone(), input.progress.clone());
    let ending = match half {
        Some(half) => halves::read(input, half, &mut growing)?,
        None => {
            let mut elements = Elements::new(input);
            elements.read(&mut growing, None)?;
            elements.ending
        }
    };
    if growing.functions.is_empty() {
        return Err(nothing_read(&growing.file, &ending).into());
    }
    growing.progress.at(growing.builder.len())?;
    Ok(growing.finish(&ending))
}

/// The first thread is faster: the first functions have the most instances, many on similar consecutive stacks.
const FIRST_PERCENT: u64 = 57;

fn next_function(text: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, b"<Function ")
}

fn nothing_read(file: &str, ending: &ReportEnding) -> Failure {
    match &ending.broken {
        Some((offset, problem)) => {
            let problem = messages::ends_before_first_function(&problem);
            Failure::new(file, TITLE, problem)
                .at(*offset)
                .advice(messages::WRITE_COPY_REPORT_AGAIN)
        }
        None => Failure::new(file, TITLE, messages::NO_FUNCTIONS)
            .advice(messages::USE_A_FITTING_PATTERN),
    }
}

impl GrowingTree {
    fn finish(mut self, ending: &ReportEnding) -> Recording {
        self.stacks = Stacks::default();
        self.builder.stop_merging();
        let is_flat = self.builder.len() == 1;
        let mut diagnostics = match is_flat {
            true => vec![self.grow_flat()],
            false => self.set_values(ending),
        };
        self.values = Vec::new();
        diagnostics.extend(self.anomalies(ending));
        if let Some((offset, problem)) = &ending.broken {
            let problem = messages::file_does(problem);
            diagnostics.insert(0, IncompleteFile::unreadable_from(*offset, problem));
        }
        let counts = ending.numbers.counts;
        if counts.is_none() {
            self.builder.drop_counts(TIME);
        }
        let nodes = (1..self.builder.len() as u32).map(RawNode);
        let outermost = nodes.filter(|&node| self.builder.parent(node) == TreeBuilder::ROOT);
        let threads: Vec<RawNode> = outermost.filter(|&node| self.is_thread(node)).collect();
        let built = self.builder.finish(&self.names.frames, TIME);
        let threads = threads.into_iter().map(|raw| {
            let node = built.node(raw);
            let (id, name) = thread_id_and_name(self.names.frames.name(built.tree.frame(node)));
            Thread { node, id, name }
        });
        let threads = threads.collect();
        let source = source(self.file, counts);
        let metrics = vec![Metric::time("time", counts)];
        let recording = Recording::new(source, self.names.frames, built.tree, metrics, TIME)
            .with_threads(threads);
        Recording {
            diagnostics,
            ..recording
        }
    }

    /// Makes one level of all functions, for a report without instances.
    fn grow_flat(&mut self) -> Diagnostic {
        self.functions.end();
        // without nodes, no function has an instance with a place
        let flat = &self.functions.flat;
        for row in flat {
            let frame = self.names.frame(&row.name, false);
            let Ok(node) = self.builder.add(TreeBuilder::ROOT, frame) else {
                break;
            };
            self.builder
                .set_values(TIME, node, row.total, row.own, row.count);
        }
        // at least as much as any function: the pattern may exclude others
        let whole = flat.iter().map(|row| row.total);
        let whole = whole.fold(self.functions.flat_own(), u64::max);
        self.builder
            .set_values(TIME, TreeBuilder::ROOT, whole, 0, 0);
        Diagnostic::plain(Remark::NoCallStacks)
    }

    fn set_values(&mut self, ending: &ReportEnding) -> Vec<Diagnostic> {
        let has_samples = ending.numbers.counts == Some(CountKind::Samples);
        let step_ns = ending.numbers.step_ns();
        let mut callees = vec![ReportCallees::default(); self.builder.len()];
        let mut odd = AnomalyCounts::default();
        for index in (0..self.builder.len()).rev() {
            let node = RawNode(index as u32);
            let (value, below) = (self.values[index], callees[index]);
            let (total, own) = match value {
                GrowingValue { instances: 0, .. } => (below.total, 0),
                GrowingValue {
                    lacks_total: false,
                    lacks_own: false,
                    total,
                    own,
                    ..
                } => {
                    let sum = own.saturating_add(below.total);
                    let is_right = is_rounding(total.abs_diff(sum), below.number + 1, step_ns);
                    odd.wrong += u64::from(!is_right);
                    (total.max(own), own)
                }
                GrowingValue {
                    lacks_total: true,
                    own,
                    ..
                } => (own.saturating_add(below.total), own),
                GrowingValue { total, .. } => (total, total.saturating_sub(below.total)),
            };
            let is_made = value.instances == 0;
            let count = match is_made && has_samples {
                true => below.count,
                false => value.count,
            };
            self.builder.set_values(TIME, node, total, own, count);
            if index > 0 {
                odd.made += u64::from(is_made && !self.is_thread(node));
                odd.merged += u64::from(value.instances.saturating_sub(1));
                let above = &mut callees[self.builder.parent(node).0 as usize];
                above.total = above.total.saturating_add(total);
                above.count = above.count.saturating_add(count);
                above.number += 1;
            }
        }
        odd.diagnostics(ending.broken.is_some())
    }

    fn is_thread(&self, node: RawNode) -> bool {
        self.names.frames.get(self.builder.frame(node)).kind == FrameKind::Thread
    }

    fn anomalies(&self, ending: &ReportEnding) -> Vec<Diagnostic> {
        let left_out = self.functions.left_out().map(Diagnostic::Report);
        let counted = [
            partly::INSTANCES_WITHOUT_STACK.times(self.without_stack),
            partly::FUNCTIONS_WITH_OTHER_TIMES.times(self.inconsistent),
            partly::ELEMENTS_DAMAGED.times(ending.damaged_rows),
            partly::ENTITIES_UNKNOWN.times(self.names.unknown_entities),
        ];
        ending
            .numbers
            .anomalies()
            .into_iter()
            .chain(left_out)
            .chain(counted.into_iter().flatten())
            .collect()
    }
}

#[derive(Default)]
struct AnomalyCounts {
    /// Nodes that occur only in call stacks.
    made: u64,
    /// Instances with the same call stack as another.
    merged: u64,
    /// Nodes with contradictory times.
    wrong: u64,
}

impl AnomalyCounts {
    /// Missing rows may come after the place where the file is `broken`, or be excluded by the report's pattern.
    fn diagnostics(&self, is_broken: bool) -> Vec<Diagnostic> {
        let why_missing = match is_broken {
            true => MissingReason::Unread,
            false => MissingReason::Pattern,
        };
        let made = ReportDiagnostic::NodesWithoutRow {
            nodes: self.made,
            why_missing,
        };
        let contradiction = ReportDiagnostic::TimesContradict { nodes: self.wrong };
        let all = [
            (self.made > 0).then_some(Diagnostic::Report(made)),
            Anomaly::InstancesMerged.times(self.merged),
            (self.wrong > 0).then_some(Diagnostic::Report(contradiction)),
        ];
        all.into_iter().flatten().collect()
    }
}

pub(super) fn source(file: String, counts: Option<CountKind>) -> Source {
    let kind = match counts {
        Some(CountKind::Calls) => ProfileKind::Tracing,
        Some(CountKind::Samples) => ProfileKind::Sampling,
        Some(CountKind::Unknown) | None => ProfileKind::Unknown,
    };
    Source {
        decoder: Source::NATIVE.into(),
        ..Source::read_here(file, NAME, kind, Vec::new())
    }
}

#[cfg(test)]
mod tests;
