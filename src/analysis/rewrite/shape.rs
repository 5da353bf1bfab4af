use crate::model::{
    BuildError, CountKind, DerivedTree, FrameId, Frames, MetricId, NodeId, NodeMap, NodeMoves,
    Progress, RawNode, TooLarge, TreeBuilder, View,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Merged with nodes of the same frame below the same caller.
    Stays,
    StaysAs(FrameId),
    /// Stays as a caller, but its own value is dropped.
    StaysEmpty,
    /// Is merged into this node: itself or one of its callers, whose fates are already known.
    Joins(NodeId),
    /// Dropped with its own value; its callees go below its caller.
    Vanishes,
    Goes,
}

pub(super) struct ReshapedTree<'a> {
    pub(super) view: &'a View,
    progress: &'a Progress,
    derived: DerivedTree<'a>,
    /// The new node of each old one, or [`REMOVED`].
    places: Vec<RawNode>,
    /// [`HAS_OWN`], [`IS_CALLED`] and [`IS_HERE`] of each old node.
    flags: Vec<u8>,
}

const REMOVED: RawNode = RawNode(u32::MAX);
/// The node's own value counts at its place.
const HAS_OWN: u8 = 1;
const IS_CALLED: u8 = 2;
/// The node itself is in the new tree.
const IS_HERE: u8 = 4;

impl<'a> ReshapedTree<'a> {
    /// `fate` is called for each node, callers first, but not below nodes that go. Roots, threads and processes always
    /// stay: their fate only decides about their own values and counts.
    pub(super) fn grow(
        view: &'a View,
        progress: &'a Progress,
        mut fate: impl FnMut(NodeId) -> Fate,
    ) -> Result<ReshapedTree<'a>, BuildError> {
        let tree = &view.tree;
        let mut shape = ReshapedTree {
            view,
            progress,
            derived: DerivedTree::new(view, tree.frame(NodeId::ROOT), NodeId::ROOT),
            places: vec![REMOVED; tree.len()],
            flags: vec![0; tree.len()],
        };
        let mut node = NodeId::ROOT;
        // adding values takes as long as the shape
        let mut counter = progress.counter(2 * tree.len());
        while node.index() < tree.len() {
            counter.at(node.index())?;
            let fate = fate(node);
            let is_pinned = node == NodeId::ROOT || is_pinned(view, node);
            if fate == Fate::Goes && !is_pinned {
                node = tree.end(node);
                continue;
            }
            shape.place(node, fate, is_pinned)?;
            node.0 += 1;
        }
        Ok(shape)
    }

    fn place(&mut self, node: NodeId, fate: Fate, is_pinned: bool) -> Result<(), TooLarge> {
        let tree = &self.view.tree;
        let caller = tree
            .parent(node)
            .map_or(TreeBuilder::ROOT, |caller| self.places[caller.index()]);
        let derived = &mut self.derived;
        let (place, flags) = match fate {
            _ if node == NodeId::ROOT => (TreeBuilder::ROOT, flags_of(fate)),
            _ if is_pinned => (derived.add(caller, tree.frame(node), node)?, flags_of(fate)),
            Fate::Stays | Fate::StaysEmpty => (
                derived.merge(caller, tree.frame(node), node)?,
                flags_of(fate),
            ),
            Fate::StaysAs(frame) => (derived.merge(caller, frame, node)?, flags_of(fate)),
            Fate::Joins(other) => (self.places[other.index()], IS_HERE | HAS_OWN),
            Fate::Vanishes | Fate::Goes => (caller, 0),
        };
        self.places[node.index()] = place;
        self.flags[node.index()] = flags;
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.derived.builder.len()
    }

    pub(super) fn place_of(&self, node: NodeId) -> Option<RawNode> {
        Some(self.places[node.index()]).filter(|&place| place != REMOVED)
    }

    pub(super) fn rename(&mut self, rename: impl FnMut(RawNode, FrameId) -> FrameId) {
        self.derived.builder.rename(rename);
    }

    /// Removes nodes that only led to nodes that have moved: they have no own values, and no stack ends there.
    pub(super) fn without_empty_paths(mut self) -> Result<ReshapedTree<'a>, TooLarge> {
        let tree = &self.view.tree;
        let mut is_needed = vec![false; self.derived.builder.len()];
        is_needed[0] = true;
        for node in tree.nodes() {
            let Some(place) = self.place_of(node) else {
                continue;
            };
            let is_end = || is_pinned(self.view, node) || tree.is_leaf(node) || self.has_own(node);
            let is_needed = &mut is_needed[place.0 as usize];
            *is_needed = *is_needed || is_end();
        }
        for new in (1..self.derived.builder.len()).rev() {
            let caller = self.derived.builder.parent(RawNode(new as u32)).0 as usize;
            is_needed[caller] |= is_needed[new];
        }
        let mut derived = DerivedTree::new(self.view, tree.frame(NodeId::ROOT), NodeId::ROOT);
        let mut renumbered = vec![TreeBuilder::ROOT; self.len()];
        let sources = &self.derived.sources;
        for (new, caller, frame) in self.derived.builder.nodes() {
            let caller = renumbered[caller.0 as usize];
            // omitted nodes are empty, so their caller can replace them
            renumbered[new.0 as usize] = match is_needed[new.0 as usize] {
                true => derived.add(caller, frame, sources[new.0 as usize])?,
                false => caller,
            };
        }
        let places = self.places.iter_mut().zip(&mut self.flags);
        for (place, flags) in places.filter(|(place, _)| **place != REMOVED) {
            if !is_needed[place.0 as usize] {
                *flags = 0;
            }
            *place = renumbered[place.0 as usize];
        }
        self.derived = derived;
        Ok(self)
    }

    fn has_own(&self, node: NodeId) -> bool {
        self.metrics().any(|(metric, counts)| {
            let is_sampled = counts == Some(CountKind::Samples);
            self.view.tree.exclusive(metric, node) > 0
                || is_sampled && self.view.own_count(metric, node) > 0
        })
    }

    fn metrics(&self) -> impl Iterator<Item = (MetricId, Option<CountKind>)> + use<'a> {
        let metrics = self.view.recording.metrics.iter().enumerate();
        metrics.map(|(row, metric)| (MetricId::at(row), metric.counts))
    }

    /// `recursions` are the ends of chains of recursive calls that are one node now, with the lengths of the chains.
    /// With these, calls add up: a recursive call is a call, whereas the calls of a fold are those that enter it.
    pub(super) fn finish(
        mut self,
        frames: Frames,
        recursions: Option<&[(NodeId, u32)]>,
        is_display: bool,
    ) -> View {
        let counted = IS_CALLED | recursions.map_or(0, |_| HAS_OWN);
        for (metric, counts) in self.metrics() {
            self.add_values(metric, counts, counted);
            // the rest is quick, so cancelling is ignored
            let _ = self.progress.update(3, 4);
        }
        let (view, raw_places, flags) = (self.view, self.places, self.flags);
        let place = |node: NodeId| match raw_places[node.index()] {
            REMOVED => TreeBuilder::ROOT,
            place => place,
        };
        let remade = self.derived.finish_with_threads(frames, place);
        let raw_places = raw_places.into_iter().zip(&flags);
        let places: NodeMap<NodeId, NodeId> = raw_places
            .map(|(place, flags)| (flags & IS_HERE != 0).then(|| remade.built.node(place)))
            .collect();
        let has_own = |node: &NodeId| flags[node.index()] & HAS_OWN != 0;
        let waiting = |metric| {
            let amounts = view.waiting(metric).amounts();
            let amounts = amounts.filter(|(node, _)| has_own(node));
            let moved = amounts.filter_map(|(node, amount)| Some((places.get(node)?, amount)));
            moved.collect()
        };
        let waiting = view.recording.metric_ids().map(waiting).collect();
        let recursions = recursions.into_iter().flatten();
        let recursions = recursions.filter_map(|&(node, chain)| Some((places.get(node)?, chain)));
        let moved = NodeMoves {
            waiting,
            recursions: recursions.collect(),
            is_display,
            places,
        };
        view.moved(remade, moved)
    }

    fn add_values(&mut self, metric: MetricId, counts: Option<CountKind>, counted: u8) {
        let columns = self.view.tree.columns(metric);
        let inclusive = self.with_callees(|node| columns.inclusive[node]);
        let has_samples = counts == Some(CountKind::Samples);
        let samples = columns.counts.as_ref().filter(|_| has_samples);
        let samples = samples.map(|samples| self.with_callees(|node| samples.get(node)));
        let mut exclusive = vec![0u64; self.len()];
        let mut calls = exclusive.clone();
        for (node, (place, flags)) in self.places.iter().zip(&self.flags).enumerate() {
            let add = |sums: &mut Vec<u64>, value: u64| {
                let sum = &mut sums[place.0 as usize];
                *sum = sum.saturating_add(value);
            };
            if flags & HAS_OWN != 0 {
                add(&mut exclusive, columns.exclusive[node]);
            }
            if let Some(counts) = &columns.counts
                && flags & counted != 0
            {
                add(&mut calls, counts.get(node));
            }
        }
        let counts = samples.as_ref().unwrap_or(&calls);
        for (new, node) in (0..self.len()).zip((0..).map(RawNode)) {
            let builder = &mut self.derived.builder;
            builder.add_values(metric, node, inclusive[new], exclusive[new], counts[new]);
        }
    }

    /// The new values of a column in which callers include their callees. The difference between a node and its callees
    /// goes where the node's own value goes.
    fn with_callees(&self, column: impl Fn(usize) -> u64) -> Vec<u64> {
        let value = |node: usize| i64::try_from(column(node)).unwrap_or(i64::MAX);
        let mut sums = vec![0i64; self.derived.builder.len()];
        for (node, (place, flags)) in self.places.iter().zip(&self.flags).enumerate() {
            if flags & HAS_OWN != 0 {
                let sum = &mut sums[place.0 as usize];
                *sum = sum.saturating_add(value(node));
            }
            if let Some(caller) = self.view.tree.parent(NodeId::at(node))
                && self.flags[caller.index()] & HAS_OWN != 0
            {
                let sum = &mut sums[self.places[caller.index()].0 as usize];
                *sum = sum.saturating_sub(value(node));
            }
        }
        for new in (1..sums.len()).rev() {
            let caller = self.derived.builder.parent(RawNode(new as u32)).0 as usize;
            sums[caller] = sums[caller].saturating_add(sums[new]);
        }
        let sums = sums.into_iter();
        sums.map(|sum| u64::try_from(sum).unwrap_or(0)).collect()
    }
}

/// Of a node that stays whatever its fate.
fn flags_of(fate: Fate) -> u8 {
    match fate {
        Fate::StaysEmpty => IS_HERE | IS_CALLED,
        Fate::Vanishes | Fate::Goes => IS_HERE,
        Fate::Stays | Fate::StaysAs(_) | Fate::Joins(_) => IS_HERE | HAS_OWN | IS_CALLED,
    }
}

fn is_pinned(view: &View, node: NodeId) -> bool {
    !view.frame(node).kind.is_code()
}
