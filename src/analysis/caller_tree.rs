//! Caller trees: each row is a path of frames from a method outward, built when its callee's row is opened.

use super::paths::occurrences_of_all;
use crate::model::{
    Amount, CountKind, DerivedTree, ExtendTree, Frame, FrameId, Frames, Measure, MetricId, NodeId,
    OpenedView, Opening, RawNode, RemadeTree, TooLarge, TreeBuilder, UnbuiltRows, View,
    counting_sort,
};
use crate::names::{Category, FrameKind};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerRow(u32);

/// A row's sums in one metric, in stored units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallerTreeSums {
    /// Of the outermost occurrences; in an inverted tree, all exclusive values.
    pub inclusive: u64,
    /// Of all occurrences, including recursive ones.
    pub exclusive: u64,
    /// The waiting in `inclusive`, and in `count` if counts are samples.
    pub waiting: Amount,
    pub own_waiting: u64,
    /// Calls of all occurrences, or samples of the outermost ones; in an inverted tree, own samples.
    pub count: u64,
    /// Calls or samples of all occurrences, which dotTrace counts in both cases.
    pub total_count: u64,
    /// The part of `inclusive` in stacks that end here, without further callers.
    pub ended: u64,
}

impl CallerTreeSums {
    pub fn weight(self, counts_waiting: bool) -> u64 {
        without(self.inclusive, self.waiting.value, counts_waiting)
    }

    pub fn own_weight(self, counts_waiting: bool) -> u64 {
        without(self.exclusive, self.own_waiting, counts_waiting)
    }

    pub fn counted(self, counts_waiting: bool) -> u64 {
        without(self.count, self.waiting.samples, counts_waiting)
    }

    pub fn add(&mut self, other: CallerTreeSums) {
        self.combine(other, u64::saturating_add);
    }

    fn combine(&mut self, other: CallerTreeSums, combined: fn(u64, u64) -> u64) {
        for (sum, other) in [
            (&mut self.inclusive, other.inclusive),
            (&mut self.exclusive, other.exclusive),
            (&mut self.waiting.value, other.waiting.value),
            (&mut self.waiting.samples, other.waiting.samples),
            (&mut self.own_waiting, other.own_waiting),
            (&mut self.count, other.count),
            (&mut self.total_count, other.total_count),
            (&mut self.ended, other.ended),
        ] {
            *sum = combined(*sum, other);
        }
    }
}

fn without(value: u64, waiting: u64, counts_waiting: bool) -> u64 {
    match counts_waiting {
        true => value,
        false => value.saturating_sub(waiting),
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct CallerStack {
    node: NodeId,
    /// The node of the current row on this stack: the occurrence or one of its callers.
    at: NodeId,
    /// Whether no caller of the occurrence is an occurrence.
    is_outermost: bool,
}

#[derive(Clone, Debug)]
struct MergedCaller {
    frame: FrameId,
    /// The row that this one calls; the top row's is itself.
    callee: CallerRow,
    first: NodeId,
    /// Callers split up the range of their callee's row.
    stacks: Range<u32>,
    callers: Option<Range<u32>>,
    has_callers: bool,
}

/// The limit when several rows are opened at once.
const MAX_OPENED_ROWS: usize = 20_000;
/// The limit of occurrences followed in that case: a fraction of a second's work.
const MAX_FOLLOWED: usize = 10_000_000;

const NONE: u32 = u32::MAX;

/// The callers of methods, up to threads and processes, which stay separate. Memory: O(occurrences + rows · metrics).
#[derive(Clone, Debug)]
pub struct CallerTree {
    pub view: View,
    within: NodeId,
    /// Whether it starts from every frame with an exclusive value.
    pub is_inverted: bool,
    /// If only user code counts as a caller: the nearest user code above each node, or the root.
    user_callers: Option<Arc<[NodeId]>>,
    rows: Vec<MergedCaller>,
    sums: Vec<CallerTreeSums>,
    stacks: Vec<CallerStack>,
}

impl CallerTree {
    /// The method, or the row above all methods of an inverted tree.
    pub const TOP: CallerRow = CallerRow(0);

    /// Within a subtree; `None` if no method occurs there. The top row has the frame of the first occurrence, or of the
    /// root if there are several methods. `only_user_code`: only user code counts as a caller. Stacks without user code end
    /// at the method.
    pub fn callers(
        view: &View,
        within: NodeId,
        methods: &[FrameId],
        only_user_code: bool,
    ) -> Option<CallerTree> {
        let stack = |(node, is_outermost)| CallerStack {
            node,
            at: node,
            is_outermost,
        };
        let stacks = occurrences_of_all(view, within, methods).map(stack);
        let stacks: Vec<CallerStack> = stacks.collect();
        let frame_of = |stack: &CallerStack| view.tree.frame(stack.node);
        let first = frame_of(stacks.first()?);
        let frame = match stacks.iter().all(|stack| frame_of(stack) == first) {
            true => first,
            false => super::merged::root_frame(view),
        };
        let kind = (false, only_user_code);
        Some(CallerTree::new(view, within, kind, frame, stacks))
    }

    /// Each method with its exclusive value, then its callers. Stacks that end at the top row have no methods.
    pub fn inverted(view: &View, within: NodeId, only_user_code: bool) -> CallerTree {
        let has_own = |&node: &NodeId| {
            view.recording.metric_ids().any(|metric| {
                view.tree.exclusive(metric, node) > 0 || view.own_count(metric, node) > 0
            })
        };
        let nodes = view.tree.range(within).map(NodeId::at).filter(has_own);
        let stack = |node| CallerStack {
            node,
            at: node,
            is_outermost: true,
        };
        let stacks = nodes.map(stack).collect();
        let (kind, frame) = ((true, only_user_code), view.tree.frame(within));
        CallerTree::new(view, within, kind, frame, stacks)
    }

    fn new(
        view: &View,
        within: NodeId,
        (is_inverted, only_user_code): (bool, bool),
        frame: FrameId,
        stacks: Vec<CallerStack>,
    ) -> CallerTree {
        let first = match stacks.first() {
            Some(stack) if !is_inverted => stack.node,
            _ => within,
        };
        let all = 0..stacks.len() as u32;
        let mut caller_tree = CallerTree {
            view: view.clone(),
            within,
            is_inverted,
            user_callers: only_user_code.then(|| user_code_above(view)),
            rows: Vec::new(),
            sums: Vec::new(),
            stacks: Vec::new(),
        };
        caller_tree.push(frame, Self::TOP, first, all);
        for stack in &stacks {
            caller_tree.add(0, *stack, caller_tree.caller(Self::TOP, stack.at).is_some());
        }
        caller_tree.stacks = stacks;
        caller_tree
    }

    fn push(&mut self, frame: FrameId, callee: CallerRow, first: NodeId, stacks: Range<u32>) {
        self.rows.push(MergedCaller {
            frame,
            callee,
            first,
            stacks,
            callers: None,
            has_callers: false,
        });
        let sums = self.rows.len() * self.view.recording.metrics.len();
        self.sums.resize(sums, CallerTreeSums::default());
    }

    fn row(&self, row: CallerRow) -> &MergedCaller {
        &self.rows[row.0 as usize]
    }

    fn range(&self, row: CallerRow) -> Range<usize> {
        let Range { start, end } = self.row(row).stacks;
        start as usize..end as usize
    }

    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    pub fn frame(&self, row: CallerRow) -> FrameId {
        self.row(row).frame
    }

    /// Its node on its first stack in preorder.
    pub fn first(&self, row: CallerRow) -> NodeId {
        self.row(row).first
    }

    pub fn sums(&self, row: CallerRow, metric: MetricId) -> CallerTreeSums {
        self.row_sums(row)[metric.index()]
    }

    pub(super) fn row_sums(&self, row: CallerRow) -> &[CallerTreeSums] {
        let metrics = self.view.recording.metrics.len();
        &self.sums[row.0 as usize * metrics..][..metrics]
    }

    pub fn occurrence_count(&self, row: CallerRow) -> usize {
        self.row(row).stacks.len()
    }

    pub fn inner_occurrence_count(&self) -> usize {
        let stacks = self.stacks.iter();
        stacks.filter(|stack| !stack.is_outermost).count()
    }

    /// In order of the first occurrence.
    pub fn threads(&self, metric: MetricId) -> Vec<(NodeId, CallerTreeSums)> {
        let mut row_of: HashMap<NodeId, usize> = HashMap::new();
        let mut threads: Vec<(NodeId, CallerTreeSums)> = Vec::new();
        for &stack in &self.stacks {
            let Some(thread) = self.view.thread_of(stack.node) else {
                continue;
            };
            let row = *row_of.entry(thread.node).or_insert_with(|| {
                threads.push((thread.node, CallerTreeSums::default()));
                threads.len() - 1
            });
            threads[row].1.add(self.sums_of(stack, metric));
        }
        threads
    }

    pub fn callers_of(&self, row: CallerRow) -> impl Iterator<Item = CallerRow> + use<> {
        let callers = self.row(row).callers.clone();
        callers.unwrap_or_default().map(CallerRow)
    }

    /// The part of an opened row that no user code called; `None` unless only user code counts as a caller.
    pub fn without_user_caller(&self, row: CallerRow, metric: MetricId) -> Option<CallerTreeSums> {
        self.user_callers.as_ref()?;
        let mut sums = self.sums(row, metric);
        for caller in self.callers_of(row) {
            sums.combine(self.sums(caller, metric), u64::saturating_sub);
        }
        Some(sums)
    }

    /// The sums of an unopened row's stacks that have callers.
    pub fn sums_beyond(&self, row: CallerRow, metric: MetricId) -> CallerTreeSums {
        let mut sums = CallerTreeSums::default();
        let has_caller = |stack: &&CallerStack| self.caller(row, stack.at).is_some();
        for &stack in self.stacks[self.range(row)].iter().filter(has_caller) {
            sums.add(self.sums_of(stack, metric));
        }
        sums
    }

    pub fn has_more(&self, row: CallerRow) -> bool {
        self.row(row).has_callers && self.row(row).callers.is_none()
    }

    /// `None` if the stack ends at the node `at`.
    fn caller(&self, row: CallerRow, at: NodeId) -> Option<NodeId> {
        let kind = |node| self.view.frame(node).kind;
        if row == Self::TOP && self.is_inverted {
            return Some(at).filter(|&at| kind(at).is_code());
        }
        if at == self.within || !kind(at).is_code() {
            return None;
        }
        if let Some(user_callers) = &self.user_callers {
            let above = user_callers[at.index()];
            return Some(above).filter(|&above| above != NodeId::ROOT && above >= self.within);
        }
        let caller = self.view.tree.parent(at);
        caller.filter(|&caller| kind(caller) != FrameKind::Root)
    }

    fn sums_of(&self, stack: CallerStack, metric: MetricId) -> CallerTreeSums {
        let (tree, waiting, node) = (&self.view.tree, self.view.waiting(metric), stack.node);
        let (exclusive, own_waiting) = (tree.exclusive(metric, node), waiting.own_amount(node));
        let (inclusive, waiting, count) = match self.is_inverted {
            true => (exclusive, own_waiting, self.view.own_count(metric, node)),
            false => (
                tree.inclusive(metric, node),
                waiting.amount_within(tree, node),
                tree.count(metric, node).unwrap_or(0),
            ),
        };
        let inner = CallerTreeSums {
            exclusive,
            own_waiting: own_waiting.value,
            total_count: count,
            ..CallerTreeSums::default()
        };
        let counts_each = self.view.recording.metric(metric).counts != Some(CountKind::Samples);
        match stack.is_outermost {
            true => CallerTreeSums {
                inclusive,
                waiting,
                count,
                ..inner
            },
            false => CallerTreeSums {
                count: if counts_each { count } else { 0 },
                ..inner
            },
        }
    }

    fn add(&mut self, row: usize, stack: CallerStack, has_caller: bool) {
        self.rows[row].has_callers |= has_caller;
        let metrics = self.view.recording.metrics.len();
        for metric in 0..metrics {
            let mut sums = self.sums_of(stack, MetricId::at(metric));
            sums.ended = if has_caller { 0 } else { sums.inclusive };
            self.sums[row * metrics + metric].add(sums);
        }
    }

    /// Builds the caller rows of a row if needed; on error, nothing changes.
    pub fn open(&mut self, row: CallerRow) -> Result<(), TooLarge> {
        if self.row(row).callers.is_some() {
            return Ok(());
        }
        let stacks = self.range(row);
        let mut climbed = self.stacks[stacks.clone()].to_vec();
        let (slots, callers) = self.climb(row, &mut climbed);
        let first = self.rows.len();
        let end = first + callers.len();
        if end >= NONE as usize {
            return Err(TooLarge);
        }
        // stacks without a caller come last
        let slots = slots.iter().map(|&slot| (slot as usize).min(callers.len()));
        let (starts, sorted) = counting_sort(climbed.iter().copied().zip(slots), callers.len() + 1);
        self.stacks[stacks.clone()].copy_from_slice(&sorted);
        for (slot, &caller) in callers.iter().enumerate() {
            let (from, to) = (starts[slot], starts[slot + 1]);
            let base = stacks.start as u32;
            self.push(
                self.view.tree.frame(caller),
                row,
                caller,
                base + from..base + to,
            );
            let row = first + slot;
            for &stack in &sorted[from as usize..to as usize] {
                let caller = self.caller(CallerRow(row as u32), stack.at);
                self.add(row, stack, caller.is_some());
            }
        }
        self.rows[row.0 as usize].callers = Some(first as u32..end as u32);
        Ok(())
    }

    fn open_further(&mut self, row: CallerRow, opening: Opening) -> Result<(), TooLarge> {
        let max_rows = self.row_count() + MAX_OPENED_ROWS;
        let (mut followed, mut pending) = (0, VecDeque::from([row]));
        while let Some(row) = pending.pop_front() {
            followed += self.occurrence_count(row);
            if followed > MAX_FOLLOWED || self.row_count() > max_rows {
                break;
            }
            self.open(row)?;
            match opening {
                Opening::Row => {}
                Opening::HotPath(measure) => pending.extend(self.hot_caller(row, measure)),
                Opening::All => pending.extend(self.callers_of(row)),
            }
        }
        Ok(())
    }

    fn hot_caller(&self, row: CallerRow, measure: Measure) -> Option<CallerRow> {
        let sums = |row| self.sums(row, measure.metric);
        let weight = |row| sums(row).weight(measure.counts_waiting);
        let callers = self.callers_of(row).filter(|&caller| weight(caller) > 0);
        callers.max_by_key(|&caller| (weight(caller), Reverse(caller)))
    }

    /// Moves stacks up to their callers. Returns the caller of each, and where each caller occurs first.
    fn climb(&self, row: CallerRow, stacks: &mut [CallerStack]) -> (Vec<u32>, Vec<NodeId>) {
        // nodes of the same method are one caller, nodes of different threads are not
        let mut slot_of: HashMap<(FrameId, NodeId), u32, foldhash::fast::RandomState> =
            HashMap::default();
        let mut callers = Vec::new();
        let slots = stacks.iter_mut().map(|stack| {
            let Some(caller) = self.caller(row, stack.at) else {
                return NONE;
            };
            stack.at = caller;
            let frame = self.view.tree.frame(caller);
            let key = match self.view.frames.get(frame).kind.is_code() {
                true => (frame, NodeId::ROOT),
                false => (frame, caller),
            };
            *slot_of.entry(key).or_insert_with(|| {
                callers.push(caller);
                callers.len() as u32 - 1
            })
        });
        (slots.collect(), callers)
    }

    /// The rows built so far, with callers as children. Exclusive values are those of stacks that end there;
    /// [`View::opened`] builds more rows.
    pub fn into_view(self) -> Result<View, TooLarge> {
        Ok(self.shown()?.0)
    }

    fn shown(self) -> Result<(View, Arc<[CallerRow]>), TooLarge> {
        let mut shown = ShownCallers::new(&self);
        // rows are added in order, so raw ids are row indices
        for (index, row) in (0..).zip(&self.rows).skip(1) {
            let (callee, sums) = (RawNode(row.callee.0), self.row_sums(CallerRow(index)));
            shown.add(callee, row.frame, row.first, sums)?;
        }
        let (remade, waiting) = shown.finish();
        let rows = remade.built.by_node((0..).map(CallerRow), Self::TOP);
        let rows: Arc<[CallerRow]> = rows.into();
        let leaves = (0..rows.len()).filter(|&node| self.has_more(rows[node]));
        let leaves = leaves.map(NodeId::at).collect();
        let base = self.view.clone();
        let builder = Arc::new(LazyCallerTree {
            caller_tree: self,
            rows: Arc::clone(&rows),
        });
        let unbuilt = Some(UnbuiltRows { leaves, builder });
        Ok((base.remade_caller_tree(remade, waiting, unbuilt), rows))
    }
}

pub(super) struct ShownCallers<'a> {
    derived: DerivedTree<'a>,
    pub frames: Frames,
    /// By metric and raw node.
    waiting: Vec<Vec<Amount>>,
}

impl<'a> ShownCallers<'a> {
    pub(super) fn new(caller_tree: &'a CallerTree) -> ShownCallers<'a> {
        let (view, top) = (&caller_tree.view, CallerTree::TOP);
        let mut shown = ShownCallers {
            derived: DerivedTree::new(view, caller_tree.frame(top), caller_tree.first(top)),
            frames: view.frames.clone(),
            waiting: vec![Vec::new(); view.recording.metrics.len()],
        };
        shown.add_sums(TreeBuilder::ROOT, caller_tree.row_sums(top));
        shown
    }

    fn add_sums(&mut self, node: RawNode, sums: &[CallerTreeSums]) {
        for (metric, sums) in (0..).map(MetricId).zip(sums) {
            let builder = &mut self.derived.builder;
            builder.add_values(metric, node, sums.inclusive, sums.ended, sums.count);
            self.waiting[metric.index()].push(sums.waiting);
        }
    }

    pub(super) fn add(
        &mut self,
        below: RawNode,
        frame: FrameId,
        origin: NodeId,
        sums: &[CallerTreeSums],
    ) -> Result<RawNode, TooLarge> {
        let node = self.derived.add(below, frame, origin)?;
        self.add_sums(node, sums);
        Ok(node)
    }

    pub(super) fn finish(self) -> (RemadeTree, Vec<Vec<Amount>>) {
        let remade = self.derived.finish(self.frames, Vec::new(), Vec::new());
        let waiting = self.waiting.into_iter();
        let waiting = waiting.map(|by_raw| remade.built.by_node(by_raw, Amount::default()));
        let waiting = waiting.collect();
        (remade, waiting)
    }
}

fn user_code_above(view: &View) -> Arc<[NodeId]> {
    let is_user = |(_, frame): (FrameId, &Frame)| frame.category == Category::User;
    let is_user: Vec<bool> = view.frames.iter().map(is_user).collect();
    let mut above = vec![NodeId::ROOT; view.tree.len()];
    for node in view.tree.nodes().skip(1) {
        let caller = view.tree.parent(node).unwrap_or(NodeId::ROOT);
        above[node.index()] = match is_user[view.tree.frame(caller).index()] {
            true => caller,
            false => above[caller.index()],
        };
    }
    above.into()
}

#[derive(Debug)]
struct LazyCallerTree {
    caller_tree: CallerTree,
    rows: Arc<[CallerRow]>,
}

impl ExtendTree for LazyCallerTree {
    fn base(&self) -> &View {
        &self.caller_tree.view
    }

    fn opened(&self, row: NodeId, opening: Opening) -> Result<OpenedView, TooLarge> {
        let mut caller_tree = self.caller_tree.clone();
        caller_tree.open_further(self.rows[row.index()], opening)?;
        let (view, rows) = caller_tree.shown()?;
        let mut node_of = vec![NodeId::ROOT; rows.len()];
        for (node, row) in rows.iter().enumerate() {
            node_of[row.0 as usize] = NodeId::at(node);
        }
        let places = self.rows.iter().map(|row| node_of[row.0 as usize]);
        Ok(OpenedView {
            view,
            places: places.collect(),
        })
    }
}

#[cfg(test)]
mod tests;
