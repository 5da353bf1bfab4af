use super::elements::{Elements, ReportEnding};
use super::growing::{GrowingTree, TIME, TITLE};
use super::halves;
use super::names::thread_id_and_name;
use super::stacks::Stacks;
use crate::diagnostics::{Anomaly, Diagnostic, MissingReason, partly};
use crate::importers::messages;
use crate::input::parallel_tail::ParallelTail;
use crate::input::{Failure, ImportError, Input};
use crate::model::{
    CountKind, Metric, ProfileKind, RawNode, Recording, Source, Thread, TreeBuilder,
};
use crate::names::FrameKind;

pub(super) const NAME: &str = "report";

#[derive(Clone, Copy, Default)]
struct ReportCallees {
    total: u64,
    count: u64,
    number: u64,
}

pub(super) fn read(input: Input) -> Result<Recording, ImportError> {
    let next_function = |text: &[u8]| memchr::memmem::find(text, b"<Function ");
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
    Ok(growing.finish(ending))
}

/// The first thread is faster: the first functions have the most instances, many on similar consecutive stacks.
const FIRST_PERCENT: u64 = 57;

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
    fn finish(mut self, ending: ReportEnding) -> Recording {
        self.stacks = Stacks::default();
        self.builder.stop_merging();
        let is_flat = self.builder.len() == 1;
        let mut diagnostics = match is_flat {
            true => vec![self.grow_flat()],
            false => self.set_values(&ending),
        };
        self.values = Vec::new();
        diagnostics.extend(ending.rows.anomalies.diagnostics());
        diagnostics.extend(self.functions.left_out());
        diagnostics.extend(partly::INSTANCES_WITHOUT_STACK.times(self.without_stack));
        if let Some((offset, problem)) = &ending.broken {
            let problem = messages::file_does(problem);
            diagnostics.insert(0, Diagnostic::unreadable_from(*offset, problem));
        }
        let counts = ending.rows.counts;
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

    /// One level of all functions, for a report without instances.
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
                .add_values(TIME, node, row.total, row.own, row.count);
        }
        // at least as much as any function: the pattern may exclude others
        let totals = flat.iter().map(|row| row.total);
        let root_total = totals.fold(self.functions.flat_own(), u64::max);
        self.builder
            .add_values(TIME, TreeBuilder::ROOT, root_total, 0, 0);
        Diagnostic::NoCallStacks {}
    }

    fn set_values(&mut self, ending: &ReportEnding) -> Vec<Diagnostic> {
        let has_samples = ending.rows.counts == Some(CountKind::Samples);
        let mut callees = vec![ReportCallees::default(); self.builder.len()];
        let step_ns = ending.rows.step_ns();
        let (mut unlisted, mut merged, mut wrong) = (0, 0, 0);
        for index in (0..self.builder.len()).rev() {
            let node = RawNode(index as u32);
            let (value, below) = (self.values[index], callees[index]);
            let is_unlisted = value.instances == 0;
            let own = match value.lacks_own {
                true => value.total.saturating_sub(below.total),
                false => value.own,
            };
            let sum = own.saturating_add(below.total);
            let total = match is_unlisted || value.lacks_total {
                true => sum,
                false => value.total.max(own),
            };
            // each number can be off by a step
            let rounding = step_ns.saturating_mul(below.number + 2);
            let has_both = !is_unlisted && !value.lacks_total && !value.lacks_own;
            wrong += u64::from(has_both && value.total.abs_diff(sum) > rounding);
            let count = match is_unlisted && has_samples {
                true => below.count,
                false => value.count,
            };
            self.builder.add_values(TIME, node, total, own, count);
            if index > 0 {
                unlisted += u64::from(is_unlisted && !self.is_thread(node));
                merged += u64::from(value.instances.saturating_sub(1));
                let above = &mut callees[self.builder.parent(node).0 as usize];
                above.total = above.total.saturating_add(total);
                above.count = above.count.saturating_add(count);
                above.number += 1;
            }
        }
        let without_row = Diagnostic::NodesWithoutRow {
            nodes: unlisted,
            // missing rows may come after the place where the file is broken
            why_missing: match ending.broken {
                Some(_) => MissingReason::Unread,
                None => MissingReason::Pattern,
            },
        };
        let without_row = (unlisted > 0).then_some(without_row);
        let merged = Anomaly::InstancesMerged.times(merged);
        let contradiction = (wrong > 0).then_some(Diagnostic::TimesContradict { nodes: wrong });
        let all = [without_row, merged, contradiction];
        all.into_iter().flatten().collect()
    }

    fn is_thread(&self, node: RawNode) -> bool {
        self.names.frames.get(self.builder.frame(node)).kind == FrameKind::Thread
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
