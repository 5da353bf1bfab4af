use super::functions::Functions;
use super::names::ReportNames;
use super::row::ReportRow;
use super::stacks::Stacks;
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::{Failure, ImportError, Progress};
use crate::model::{CountKind, FrameId, Metric, MetricId, TooLarge, TreeBuilder};
use crate::names::FrameKind;

pub(super) const TITLE: &str = "dotTrace report";
pub(super) const TIME: MetricId = MetricId(0);
const INSTANCES_PER_REPORT: u64 = 4096;

/// Over all instances with its call stack.
#[derive(Clone, Copy, Default)]
pub(super) struct GrowingValue {
    pub total: u64,
    pub own: u64,
    pub count: u64,
    /// 0 for a node that occurs only in call stacks.
    pub instances: u32,
    pub lacks_total: bool,
    pub lacks_own: bool,
}

impl GrowingValue {
    #[inline]
    fn add(&mut self, more: GrowingValue) {
        self.total = self.total.saturating_add(more.total);
        self.own = self.own.saturating_add(more.own);
        self.count = self.count.saturating_add(more.count);
        self.instances = self.instances.saturating_add(more.instances);
        self.lacks_total |= more.lacks_total;
        self.lacks_own |= more.lacks_own;
    }
}

#[derive(Default)]
pub(super) struct GrowingTree {
    pub file: String,
    pub progress: Progress,
    pub names: ReportNames,
    pub stacks: Stacks,
    pub builder: TreeBuilder,
    pub functions: Functions,
    pub values: Vec<GrowingValue>,
    pub instances: u64,
    pub without_stack: u64,
}

impl GrowingTree {
    pub(super) fn new(file: String, progress: Progress) -> GrowingTree {
        let mut names = ReportNames::default();
        let root = names.frames.intern(FrameKind::Root, "All threads", "");
        GrowingTree {
            file,
            progress,
            names,
            builder: TreeBuilder::new(root, &[Metric::time("time", Some(CountKind::Calls))]),
            ..GrowingTree::default()
        }
    }

    /// Drops what is not needed to append this tree to another.
    pub(super) fn into_rest(mut self) -> GrowingTree {
        self.stacks = Stacks::default();
        self.builder.stop_merging();
        self.names.forget();
        self
    }

    pub(super) fn append(&mut self, rest: GrowingTree) -> Result<(), ImportError> {
        self.stacks = Stacks::default();
        let (from, into) = (rest.names.frames, &mut self.names.frames);
        let frames = from.iter();
        let frames: Vec<FrameId> = frames
            .map(|(id, frame)| into.intern(frame.kind, from.name(id), from.signature(id)))
            .collect();
        let mut places = Vec::with_capacity(rest.builder.len());
        places.push(TreeBuilder::ROOT);
        for (_, caller, frame) in rest.builder.nodes() {
            let node = self
                .builder
                .merge(places[caller.0 as usize], frames[frame.index()]);
            places.push(node.map_err(|TooLarge| too_large(&self.file, TITLE))?);
        }
        self.values
            .resize(self.builder.len(), GrowingValue::default());
        for (value, place) in rest.values.into_iter().zip(places) {
            self.values[place.0 as usize].add(value);
        }
        self.functions.append(rest.functions);
        self.instances += rest.instances;
        self.without_stack += rest.without_stack;
        Ok(self.progress.at(self.builder.len())?)
    }

    pub(super) fn function(&mut self, row: &ReportRow) -> Result<(), ImportError> {
        if self.functions.is_empty() && row.total.is_none() && row.own.is_none() {
            let failure = Failure::new(&self.file, TITLE, messages::FUNCTIONS_WITH_TIMES);
            return Err(failure.advice(messages::WRITE_REPORT_OF_EACH).into());
        }
        self.functions.begin(row);
        Ok(())
    }

    #[inline]
    pub(super) fn instance(&mut self, row: &ReportRow) -> Result<(), ImportError> {
        if row.name.is_empty() {
            self.without_stack += 1;
            return Ok(());
        }
        self.functions.instance();
        let node = self
            .stacks
            .node(row.name, &mut self.names, &mut self.builder);
        let node = node.map_err(|TooLarge| too_large(&self.file, TITLE))?;
        self.values
            .resize(self.builder.len(), GrowingValue::default());
        self.values[node.0 as usize].add(GrowingValue {
            total: row.total.unwrap_or(0),
            own: row.own.unwrap_or(0),
            count: row.count.unwrap_or(0),
            instances: 1,
            lacks_total: row.total.is_none(),
            lacks_own: row.own.is_none(),
        });
        self.instances += 1;
        if self.instances.is_multiple_of(INSTANCES_PER_REPORT) {
            self.progress.at(self.builder.len())?;
        }
        Ok(())
    }
}
