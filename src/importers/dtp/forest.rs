use super::bytes::{SectionBytes, SectionReader, SectionResult};
use super::description::{self, Description};
use super::functions::Functions;
use super::sections::Sections;
use super::tree::{Node, ThreadTree, WalkStats};
use super::warnings::Warnings;
use crate::diagnostics::{Anomaly, Diagnostic};
use crate::importers::clock::Clock;
use crate::importers::messages;
use crate::input::{ImportError, Progress};
use crate::model::{
    CountKind, Frames, Metric, MetricId, NodeIds, ProfileKind, RawNode, Recording, Source, Thread,
    TooLarge, TreeBuilder,
};
use crate::names::FrameKind;
use std::collections::HashSet;

const TIME: MetricId = MetricId(0);
const NODES_PER_REPORT: usize = 4096;

pub(super) struct Forest<'a> {
    clock: Clock,
    functions: Functions<'a>,
    progress: Progress,
    warnings: Warnings,
    frames: Frames,
    builder: TreeBuilder,
    threads: Vec<(Thread<RawNode>, WalkStats)>,
    numbers: HashSet<u32>,
}

impl<'a> Forest<'a> {
    pub(super) fn grow(
        sections: &Sections<'a>,
        functions: Functions<'a>,
        progress: Progress,
        warnings: Warnings,
    ) -> Result<Forest<'a>, ImportError> {
        let trees = sections.trees.iter().copied().map(ThreadTree::read);
        let trees = trees.collect::<SectionResult<Vec<_>>>()?;
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "All threads", "");
        // the kind of the counts is known only at the end
        let mut builder = TreeBuilder::new(root, &[Metric::time("time", Some(CountKind::Samples))]);
        builder.set_source_offset(TreeBuilder::ROOT, 0);
        // each node has 14 bytes or more, so the sections' size bounds this
        builder.reserve(trees.iter().map(|tree| tree.len() as usize).sum());
        let mut forest = Forest {
            clock: clock(sections.resolution)?,
            functions,
            progress,
            warnings,
            frames,
            builder,
            threads: Vec::new(),
            numbers: HashSet::new(),
        };
        for tree in &trees {
            forest.add(tree)?;
        }
        Ok(forest)
    }

    fn add(&mut self, tree: &ThreadTree) -> Result<(), ImportError> {
        let number = tree.number;
        if !self.numbers.insert(number) {
            self.warnings
                .add(Diagnostic::ThreadNumberTwice { thread: number });
        }
        let root = RawNode(self.builder.len() as u32);
        let walked = tree.walk(|caller, at, node| self.add_node(tree, caller, at, node))?;
        let thread = Thread {
            node: root,
            id: number.to_string(),
            name: tree.name().to_string(),
        };
        self.threads.push((thread, walked));
        Ok(())
    }

    fn add_node(
        &mut self,
        tree: &ThreadTree,
        caller: Option<RawNode>,
        at: u64,
        node: &Node,
    ) -> Result<RawNode, ImportError> {
        if self.builder.len().is_multiple_of(NODES_PER_REPORT) {
            self.progress.at(self.builder.len())?;
        }
        let frame = match caller {
            Some(_) => self.functions.frame(node.function, &mut self.frames),
            None => {
                let name = match (tree.number, tree.name()) {
                    (number, "") => format!("Thread {number}"),
                    (number, name) => format!("Thread {number} ({name})"),
                };
                self.frames.intern(FrameKind::Thread, &name, "")
            }
        };
        let raw = self
            .builder
            .add(caller.unwrap_or(TreeBuilder::ROOT), frame)
            .map_err(|TooLarge| tree.wrong(at, messages::TOO_MANY_NODES))?;
        self.builder
            .add_exclusive(TIME, raw, self.clock.duration_ns(node.own));
        self.builder.add_count(TIME, raw, u64::from(node.count));
        self.builder.set_source_offset(raw, at);
        Ok(raw)
    }

    pub(super) fn finish(
        mut self,
        name: String,
        description: Description,
        time_taken: Option<SectionBytes>,
    ) -> Result<Recording, ImportError> {
        self.progress.at(self.builder.len())?;
        self.functions.warn(&mut self.warnings);
        let (kind, counts) = self.kinds(&description);
        // thread roots have no counts
        let threads = self.threads.iter();
        for (thread, walked) in threads.filter(|_| counts == CountKind::Samples) {
            for root in [thread.node, TreeBuilder::ROOT] {
                self.builder.add_count(TIME, root, walked.top_level_count);
            }
        }
        let saved = time_taken.and_then(|section| self.time_taken(section));
        let facts = description.facts.into_iter().chain(saved);
        let built = self.builder.finish(&self.frames, TIME);
        let threads = self.threads.into_iter();
        let threads = threads.map(|(thread, _)| thread.at(|root| built.node(root)));
        let threads = threads.collect();
        let source = Source {
            decoder: Source::NATIVE.into(),
            ..Source::read_here(name, Source::DTP, kind, facts.collect())
        };
        let metrics = vec![Metric::time("time", Some(counts))];
        Ok(Recording {
            node_ids: NodeIds::ThreadOffsets(built.source_offsets.unwrap_or_default()),
            diagnostics: self.warnings.into_vec(),
            ..Recording::new(source, self.frames, built.tree, metrics, TIME).with_threads(threads)
        })
    }

    fn time_taken(&mut self, section: SectionBytes) -> Option<(&'static str, String)> {
        match description::time_taken(section) {
            Ok(time) => Some(("saved", time?)),
            Err(failure) => {
                let problem = failure.problem;
                self.warnings.add(Diagnostic::TimeUnreadable { problem });
                None
            }
        }
    }

    /// Without a known kind, the counts decide: samples include those of callees, calls do not.
    fn kinds(&mut self, description: &Description) -> (ProfileKind, CountKind) {
        let threads = self.threads.iter();
        let not_samples: u64 = threads.map(|(_, walked)| walked.not_samples).sum();
        match description.kind {
            Some(ProfileKind::Sampling) => {
                self.warnings
                    .extend(Anomaly::SamplesContradict.times(not_samples));
                (ProfileKind::Sampling, CountKind::Samples)
            }
            Some(kind) => (kind, CountKind::Calls),
            None if not_samples == 0 => (ProfileKind::Unknown, CountKind::Samples),
            None => (ProfileKind::Unknown, CountKind::Calls),
        }
    }
}

/// Section 0x1000.
fn clock(section: SectionBytes) -> SectionResult<Clock> {
    match section.read(SectionReader::u64)? {
        0 => Err(section.damaged(0, messages::ZERO_TICKS_PER_SECOND)),
        ticks_per_second => Ok(Clock::new(0, ticks_per_second)),
    }
}
