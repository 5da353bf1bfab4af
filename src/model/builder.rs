use super::raw_columns::{RawColumn, RawCounts};
use super::tree::{Shape, TreeData, counting_sort};
use super::{CallTree, Columns, FrameId, Frames, Metric, MetricId, NodeId, RawNode, TreeNode};
use std::collections::HashMap;

/// Too many nodes for 32-bit ids or for the available memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

#[derive(Default)]
struct RawColumns {
    exclusive: RawColumn,
    inclusive: Option<RawColumn>,
    counts: Option<RawCounts>,
}

impl RawColumns {
    fn new(has_counts: bool) -> RawColumns {
        RawColumns {
            counts: has_counts.then(RawCounts::default),
            ..RawColumns::default()
        }
    }
}

/// The id after the last node must be valid, too.
const MAX_NODES: u32 = u32::MAX - 1;
/// Per node, in addition to frame, caller and values, while merging or finishing.
const BYTES_TO_FINISH: usize = 24;
/// Per node: spare capacity and heap fragmentation.
const ROOM_BYTES: usize = 8;
/// Per entry of [`Merged::others`], including free slots.
const BYTES_IN_TABLE: usize = 16;

/// Smaller allocations are not probed: that would leave holes in glibc's heap.
const CHECKED_BYTES: usize = 32 << 20;

/// From this many nodes on, trees grow in smaller steps, as spare capacity costs too much.
const MANY_NODES: usize = 1 << 16;

/// How many of a caller's latest callees are compared before the table is used.
const NEAR_CALLEES: usize = 4;

/// The callees made by [`TreeBuilder::merge`]. Most nodes have few, so a chain is faster and smaller than a table.
#[derive(Default)]
struct Merged {
    /// For each node, its latest callee, and its caller's previous callee; the root means none.
    chains: Vec<(RawNode, RawNode)>,
    /// All callees except each node's last [`NEAR_CALLEES`].
    others: HashMap<(RawNode, FrameId), RawNode, foldhash::fast::RandomState>,
}

enum FoundChild {
    Known(RawNode),
    New(Option<RawNode>),
}

impl Merged {
    #[inline]
    fn find(&self, frames: &[FrameId], caller: RawNode, frame: FrameId) -> FoundChild {
        let none = (TreeBuilder::ROOT, TreeBuilder::ROOT);
        let chain = |node: RawNode| self.chains.get(node.0 as usize).copied().unwrap_or(none);
        let (mut at, mut oldest) = (chain(caller).0, None);
        for _ in 0..NEAR_CALLEES {
            if at == TreeBuilder::ROOT {
                return FoundChild::New(None);
            }
            if frames[at.0 as usize] == frame {
                return FoundChild::Known(at);
            }
            oldest = Some(at);
            at = chain(at).1;
        }
        match self.others.get(&(caller, frame)) {
            Some(&known) => FoundChild::Known(known),
            None => FoundChild::New(oldest),
        }
    }

    #[inline]
    fn link(&mut self, caller: RawNode, callee: RawNode, room: usize) {
        if callee.0 as usize >= self.chains.capacity() {
            self.chains.reserve_exact(room - self.chains.len());
        }
        let none = (TreeBuilder::ROOT, TreeBuilder::ROOT);
        self.chains.resize(callee.0 as usize + 1, none);
        let last = std::mem::replace(&mut self.chains[caller.0 as usize].0, callee);
        self.chains[callee.0 as usize].1 = last;
    }
}

/// Collects nodes, callers before callees. [`TreeBuilder::add`] makes a node per source node; [`TreeBuilder::merge`]
/// and [`TreeBuilder::push_stack`] merge equal frames.
pub struct TreeBuilder {
    frames: Vec<FrameId>,
    parents: Vec<RawNode>,
    columns: Vec<RawColumns>,
    merged: Merged,
    source_offsets: Option<RawColumn>,
    sums_counts: bool,
}

/// Only a root.
impl Default for TreeBuilder {
    fn default() -> TreeBuilder {
        TreeBuilder::new(FrameId(0), &[])
    }
}

impl TreeBuilder {
    pub const ROOT: RawNode = RawNode(0);

    pub fn new(root: FrameId, metrics: &[Metric]) -> TreeBuilder {
        let has_counts = metrics.iter().map(|metric| metric.counts.is_some());
        TreeBuilder {
            frames: vec![root],
            parents: vec![Self::ROOT],
            columns: has_counts.map(RawColumns::new).collect(),
            merged: Merged::default(),
            source_offsets: None,
            sums_counts: false,
        }
    }

    pub fn node_bytes(metrics: &[Metric]) -> usize {
        let counts = metrics.iter().filter(|metric| metric.counts.is_some());
        let columns = 2 * metrics.len() + counts.count();
        size_of::<(FrameId, RawNode)>() + ROOM_BYTES + BYTES_TO_FINISH + columns * size_of::<u64>()
    }

    #[allow(clippy::len_without_is_empty, reason = "there is always a root")]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    pub fn frame(&self, node: RawNode) -> FrameId {
        self.frames[node.0 as usize]
    }

    pub fn parent(&self, node: RawNode) -> RawNode {
        self.parents[node.0 as usize]
    }

    /// Reserves room for `more` nodes unless memory is short; the caller must bound that number by the bytes left to
    /// read.
    pub fn reserve(&mut self, more: usize) {
        if !self.can_finish(self.frames.len().saturating_add(more)) {
            return;
        }
        self.frames.reserve(more);
        self.parents.reserve(more);
        let nodes = self.frames.len() + more;
        for columns in &mut self.columns {
            let values = columns.inclusive.iter_mut().chain([&mut columns.exclusive]);
            values.for_each(|column| column.reserve(nodes));
            let counts = columns.counts.iter_mut();
            counts.for_each(|counts| counts.reserve(nodes));
        }
        let offsets = self.source_offsets.iter_mut();
        offsets.for_each(|column| column.reserve(nodes));
    }

    /// The node must not come from [`TreeBuilder::merge`].
    pub fn set_frame(&mut self, node: RawNode, frame: FrameId) {
        self.frames[node.0 as usize] = frame;
    }

    pub fn rename(&mut self, mut rename: impl FnMut(RawNode, FrameId) -> FrameId) {
        self.stop_merging();
        for (row, frame) in (0..).zip(&mut self.frames).skip(1) {
            *frame = rename(RawNode(row), *frame);
        }
    }

    pub fn keep_metrics(&mut self, metrics: &[MetricId]) {
        let columns = metrics.iter().map(|metric| metric.index());
        self.columns = columns
            .map(|row| std::mem::take(&mut self.columns[row]))
            .collect();
    }

    /// For sources that name metrics after the nodes.
    pub fn add_metric(&mut self, has_counts: bool) -> MetricId {
        self.columns.push(RawColumns::new(has_counts));
        MetricId::at(self.columns.len() - 1)
    }

    pub fn drop_counts(&mut self, metric: MetricId) {
        self.columns[metric.index()].counts = None;
    }

    /// Adds a node even if `parent` already has a callee with this frame. O(1).
    pub fn add(&mut self, parent: RawNode, frame: FrameId) -> Result<RawNode, TooLarge> {
        if self.frames.len() >= MAX_NODES as usize {
            return Err(TooLarge);
        }
        let node = RawNode(self.frames.len() as u32);
        if self.frames.len() == self.frames.capacity() {
            self.grow()?;
        }
        #[cfg(test)]
        assert!(parent < node, "a caller is added before its callees");
        self.frames.push(frame);
        self.parents.push(parent);
        Ok(node)
    }

    /// Appends another tree. `frames` translates its frames, `caller` returns the new callers of its root's callees.
    /// [`TreeBuilder::merge`] won't find these nodes.
    pub fn append(
        &mut self,
        rest: TreeBuilder,
        frames: &[FrameId],
        mut caller: impl FnMut(RawNode) -> RawNode,
    ) -> Result<(), TooLarge> {
        let (first, more) = (self.frames.len(), rest.frames.len() - 1);
        if first + more > MAX_NODES as usize || !self.can_finish(first + more) {
            return Err(TooLarge);
        }
        self.make_room(more)?;
        self.frames
            .extend(rest.frames[1..].iter().map(|frame| frames[frame.index()]));
        drop(rest.frames);
        let before = (first - 1) as u32;
        let rows = (0..).zip(&rest.parents).skip(1);
        self.parents.extend(rows.map(|(row, &parent)| match parent {
            Self::ROOT => caller(RawNode(row)),
            RawNode(parent) => RawNode(parent + before),
        }));
        drop(rest.parents);
        for (columns, rest) in self.columns.iter_mut().zip(rest.columns) {
            columns.exclusive.append(first, rest.exclusive);
            if let Some(rest) = rest.inclusive {
                let inclusive = columns.inclusive.get_or_insert_default();
                inclusive.append(first, rest);
            }
            if let (Some(counts), Some(rest)) = (&mut columns.counts, rest.counts) {
                counts.append(first, rest);
            }
        }
        Ok(())
    }

    /// Whether a tree of this size can be finished, as far as the system can tell.
    fn can_finish(&self, nodes: usize) -> bool {
        let (mut column_count, mut held_bytes) = (0, 0);
        for columns in &self.columns {
            // missing inclusive values are summed at the end
            column_count += 2 + usize::from(columns.counts.is_some());
            held_bytes += columns.exclusive.bytes()
                + columns.inclusive.as_ref().map_or(0, RawColumn::bytes)
                + columns.counts.as_ref().map_or(0, RawCounts::bytes);
        }
        let bytes = nodes
            .saturating_mul(BYTES_TO_FINISH + column_count * size_of::<u64>())
            .saturating_sub(held_bytes);
        // a growing table briefly exists twice
        let table_bytes = self.merged.others.capacity() * 2 * BYTES_IN_TABLE;
        let bytes = bytes.saturating_add(table_bytes);
        bytes <= CHECKED_BYTES || Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    }

    /// Makes room only if the tree can be finished: too large a file is an error, not a crash.
    #[cold]
    fn grow(&mut self) -> Result<(), TooLarge> {
        let nodes = self.frames.len();
        let largest = nodes / if nodes < MANY_NODES { 2 } else { 4 };
        let steps = [largest, nodes / 8, nodes / 32].map(|more| more.max(16));
        let more = steps.into_iter().find(|more| self.can_finish(nodes + more));
        self.make_room(more.ok_or(TooLarge)?)
    }

    fn make_room(&mut self, more: usize) -> Result<(), TooLarge> {
        let frames = self.frames.try_reserve_exact(more);
        let both = frames.and_then(|()| self.parents.try_reserve_exact(more));
        both.map_err(|_| TooLarge)
    }

    pub fn merge(&mut self, parent: RawNode, frame: FrameId) -> Result<RawNode, TooLarge> {
        let oldest = match self.merged.find(&self.frames, parent, frame) {
            FoundChild::Known(node) => return Ok(node),
            FoundChild::New(oldest) => oldest,
        };
        let node = self.add(parent, frame)?;
        if let Some(oldest) = oldest {
            let key = (parent, self.frame(oldest));
            self.merged.others.insert(key, oldest);
        }
        self.merged.link(parent, node, self.frames.capacity());
        Ok(node)
    }

    pub fn find(&self, parent: RawNode, frame: FrameId) -> Option<RawNode> {
        match self.merged.find(&self.frames, parent, frame) {
            FoundChild::Known(node) => Some(node),
            FoundChild::New(_) => None,
        }
    }

    /// Adds a stack below `base`, outermost frame first, and returns its last node.
    pub fn push_stack(
        &mut self,
        base: RawNode,
        stack: impl IntoIterator<Item = FrameId>,
    ) -> Result<RawNode, TooLarge> {
        stack
            .into_iter()
            .try_fold(base, |caller, frame| self.merge(caller, frame))
    }

    pub fn add_exclusive(&mut self, metric: MetricId, node: RawNode, stored: u64) {
        let room = self.frames.capacity();
        self.columns[metric.index()]
            .exclusive
            .add(node, stored, room);
    }

    pub fn add_count(&mut self, metric: MetricId, node: RawNode, count: u64) {
        let room = self.frames.capacity();
        if let Some(counts) = &mut self.columns[metric.index()].counts {
            counts.add(node, count, room);
        }
    }

    /// Once this is used for a metric, nodes without values get their exclusive value as the inclusive one.
    #[inline]
    pub fn add_values(
        &mut self,
        metric: MetricId,
        node: RawNode,
        inclusive: u64,
        exclusive: u64,
        count: u64,
    ) {
        let (room, columns) = (self.frames.capacity(), &mut self.columns[metric.index()]);
        columns.exclusive.add(node, exclusive, room);
        let column = columns.inclusive.get_or_insert_default();
        column.add(node, inclusive, room);
        if let Some(counts) = &mut columns.counts {
            counts.add(node, count, room);
        }
    }

    pub fn set_values(&mut self, metric: MetricId, node: RawNode, values: [u64; 3]) {
        let [inclusive, exclusive, count] = values;
        let (room, columns) = (self.frames.capacity(), &mut self.columns[metric.index()]);
        columns.exclusive.set(node, exclusive, room);
        let column = columns.inclusive.get_or_insert_default();
        column.set(node, inclusive, room);
        if let Some(counts) = &mut columns.counts {
            counts.set(node, count, room);
        }
    }

    /// `change` must map 0 to 0.
    pub fn map_values(&mut self, metric: MetricId, change: impl Fn(u64) -> u64) {
        let columns = &mut self.columns[metric.index()];
        let columns = columns.inclusive.iter_mut().chain([&mut columns.exclusive]);
        for value in columns.flat_map(RawColumn::values_mut) {
            *value = change(*value);
        }
    }

    pub fn set_source_offset(&mut self, node: RawNode, offset: u64) {
        self.source_offsets
            .get_or_insert_default()
            .set(node, offset, self.frames.capacity());
    }

    /// Each node but the root, then its caller and frame; callers come before callees.
    pub fn nodes(&self) -> impl Iterator<Item = (RawNode, RawNode, FrameId)> {
        let rows = self.parents.iter().zip(&self.frames).enumerate().skip(1);
        rows.map(|(row, (&caller, &frame))| (RawNode(row as u32), caller, frame))
    }

    pub fn values(&self, metric: MetricId, node: RawNode) -> (u64, u64) {
        let columns = &self.columns[metric.index()];
        (
            columns.exclusive.get(node),
            columns.counts.as_ref().map_or(0, |counts| counts.get(node)),
        )
    }

    pub fn has_values(&self, metric: MetricId) -> bool {
        let columns = &self.columns[metric.index()];
        let mut columns = columns.inclusive.iter().chain([&columns.exclusive]);
        columns.any(RawColumn::has_values)
    }

    /// Frees what only [`TreeBuilder::merge`] needs; it finds no more nodes.
    pub fn stop_merging(&mut self) {
        self.merged = Merged::default();
    }

    /// For sources that count only at leaves: adds counts to callers, too.
    pub fn sum_counts(&mut self) {
        self.sums_counts = true;
    }

    /// Computes inclusive values and sorts siblings by that of `order_by`. O(n log n) at worst.
    pub fn finish<N: TreeNode>(self, frames: &Frames, order_by: MetricId) -> Built<N> {
        let TreeBuilder {
            frames: raw_frames,
            parents,
            mut columns,
            source_offsets,
            ..
        } = self;
        drop(self.merged);
        for columns in &mut columns {
            columns.add_up(&parents, self.sums_counts);
        }
        let position = {
            let inclusive = columns.get(order_by.index());
            let inclusive = inclusive.and_then(|columns| columns.inclusive.as_ref());
            let value = |node: u32| inclusive.map_or(0, |values| values.get(RawNode(node)));
            let name = |node: u32| frames.name(raw_frames[node as usize]);
            preorder(&parents, |a, b| {
                value(b)
                    .cmp(&value(a))
                    .then_with(|| name(a).cmp(name(b)))
                    .then(a.cmp(&b))
            })
        };
        // one column at a time: only one exists twice
        let frames = placed(raw_frames.into_iter(), FrameId(0), &position);
        let parents = parents.into_iter();
        let parents = parents.map(|parent| position[parent.0 as usize]);
        let parents = placed(parents, 0, &position);
        let columns = columns.into_iter().map(|columns| columns.placed(&position));
        let columns = columns.collect();
        let shape = Shape::new(frames, parents);
        let tree = CallTree::new(TreeData { shape, columns });
        #[cfg(test)]
        assert_eq!(tree.check(), Ok(()));
        Built {
            tree,
            source_offsets: source_offsets.map(|offsets| offsets.placed(&position)),
            position,
        }
    }
}

impl RawColumns {
    fn add_up(&mut self, parents: &[RawNode], sums_counts: bool) {
        match &mut self.inclusive {
            Some(given) => given.raise_to(&self.exclusive),
            inclusive => inclusive
                .insert(self.exclusive.clone())
                .add_to_parents(parents),
        }
        if let Some(counts) = self.counts.as_mut().filter(|_| sums_counts) {
            counts.add_to_parents(parents);
        }
    }

    fn placed(self, position: &[u32]) -> Columns {
        Columns {
            inclusive: self.inclusive.unwrap_or_default().placed(position),
            exclusive: self.exclusive.placed(position),
            counts: self.counts.map(|counts| counts.placed(position)),
        }
    }
}

pub struct Built<N = NodeId> {
    pub tree: CallTree<N>,
    /// By [`RawNode`].
    position: Vec<u32>,
    /// By node; see [`TreeBuilder::set_source_offset`].
    pub source_offsets: Option<Vec<u64>>,
}

impl<N: TreeNode> Built<N> {
    pub fn node(&self, raw: RawNode) -> N {
        N::new(self.position[raw.0 as usize])
    }

    pub fn nodes(&self) -> impl Iterator<Item = N> + '_ {
        self.position.iter().map(|&row| N::new(row))
    }

    pub fn by_node<T: Copy>(&self, rows: impl IntoIterator<Item = T>, filler: T) -> Vec<T> {
        placed(rows.into_iter(), filler, &self.position)
    }
}

fn placed<T: Copy>(rows: impl Iterator<Item = T>, filler: T, position: &[u32]) -> Vec<T> {
    let mut placed = vec![filler; position.len()];
    for (&node, row) in position.iter().zip(rows) {
        placed[node as usize] = row;
    }
    placed
}

fn preorder(parents: &[RawNode], compare: impl Fn(u32, u32) -> std::cmp::Ordering) -> Vec<u32> {
    let nodes = parents.iter().enumerate().skip(1);
    let nodes = nodes.map(|(node, parent)| (node as u32, parent.0 as usize));
    let (starts, mut children) = counting_sort(nodes, parents.len());
    let mut position = vec![0; parents.len()];
    // reversed: the first sibling is on top
    let (mut pending, mut next) = (vec![0u32], 0);
    while let Some(node) = pending.pop() {
        let node = node as usize;
        position[node] = next;
        next += 1;
        let siblings = &mut children[starts[node] as usize..starts[node + 1] as usize];
        if siblings.len() > 1 {
            siblings.sort_unstable_by(|&a, &b| compare(a, b));
        }
        pending.extend(siblings.iter().rev());
    }
    position
}

#[cfg(test)]
mod tests;
