//! The stacks of a thread in time order: what a flame chart shows.

use super::timeline::recorded_nodes;
use crate::model::{MetricId, NodeId, TimeRange, View};

/// What threads ran below a node, in time order.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The node of its first row.
    pub root: NodeId,
    /// What it is of; the end is that of the recording at most.
    pub range: TimeRange,
    /// Stacks that don't overlap, by their leaves; neighbors that touch differ.
    spans: Vec<ChartSpan>,
    /// By node below the root: how far it is below, and a node above it. Nodes above are found in a logarithm of steps, for the nodes
    /// above are apart as in a skew-binary number (Myers, "An applicative random-access stack").
    depths: Vec<u32>,
    jumps: Vec<NodeId>,
}

/// How long a stack was the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartSpan {
    pub start_ns: u64,
    pub end_ns: u64,
    /// The leaf of the stack.
    pub node: NodeId,
}

impl Chart {
    /// What these rows of [`crate::model::Recording::threads`] have in a metric below a node; `None` where the recording has no samples
    /// with times. Samples with weights last as long as these, where they are times, else until the next one.
    ///
    /// O(nodes + samples of the range · log samples).
    pub fn new(view: &View, metric: MetricId, rows: &[usize], root: NodeId) -> Option<Chart> {
        let samples = view.recording.samples.as_ref().ok()?;
        let whole = view.range().map_or(TimeRange::ALL, |of| of.range);
        let to_base = recorded_nodes(view.base());
        let mut spans = Vec::new();
        let lanes = samples.lanes().iter();
        for lane in lanes.filter(|lane| rows.contains(&(lane.thread as usize))) {
            samples.each_of_lane(lane, whole, view.is_repaired(), |sample| {
                let kind = &samples.kinds()[usize::from(sample.kind)];
                let factor = kind.factor(metric);
                let is_counted = factor > 0 || kind.ones.contains(&metric);
                let node = to_base
                    .get(sample.node)
                    .and_then(|node| view.from_base(node));
                let node = node.filter(|&node| is_counted && view.tree.contains(root, node));
                let Some(node) = node else { return };
                let start_ns = sample.start_ns.max(whole.from_ns);
                let lasts = match lane.has_weights() {
                    true if factor == 0 => u64::MAX,
                    true => sample.value.saturating_mul(factor),
                    false => sample.value,
                };
                let end_ns = start_ns.saturating_add(lasts);
                spans.push(ChartSpan {
                    start_ns,
                    end_ns,
                    node,
                });
            });
        }
        let range = TimeRange {
            from_ns: whole.from_ns,
            to_ns: whole.to_ns.min(samples.span_ns()).max(whole.from_ns),
        };
        let (depths, jumps) = ways_up(view, root);
        Some(Chart {
            root,
            range,
            spans: in_order(spans, range.to_ns),
            depths,
            jumps,
        })
    }

    pub fn spans(&self) -> &[ChartSpan] {
        &self.spans
    }

    /// The stack at an instant.
    pub fn at(&self, at_ns: u64) -> Option<NodeId> {
        let within = TimeRange {
            from_ns: at_ns,
            to_ns: at_ns.saturating_add(1),
        };
        self.within(within).first().map(|span| span.node)
    }

    /// The spans that reach into a time.
    pub fn within(&self, TimeRange { from_ns, to_ns }: TimeRange) -> &[ChartSpan] {
        let before = self.spans.partition_point(|span| span.end_ns <= from_ns);
        let rest = &self.spans[before..];
        &rest[..rest.partition_point(|span| span.start_ns < to_ns)]
    }

    /// Whether a stack in a time is shorter than that, and not because the range cuts it.
    pub fn has_narrower(&self, time: TimeRange) -> bool {
        let is_cut = |span: &ChartSpan| {
            span.start_ns <= self.range.from_ns || span.end_ns >= self.range.to_ns
        };
        let is_shorter = |span: &ChartSpan| span.end_ns - span.start_ns < time.to_ns - time.from_ns;
        let mut spans = self.within(time).iter();
        spans.any(|span| is_shorter(span) && !is_cut(span))
    }

    /// Whether nothing ran in more than half of a time. O(spans of it).
    pub fn is_mostly_idle(&self, time: TimeRange) -> bool {
        let spans = self.within(time).iter();
        let ran: u64 = spans
            .map(|span| time.overlap(span.start_ns, span.end_ns))
            .sum();
        ran < (time.to_ns - time.from_ns).div_ceil(2)
    }

    /// What took most of a time: from the root down the callee with the most time there, as long as it has at least half of its
    /// caller's. Returns the last of these frames; `None` if nothing ran.
    ///
    /// O(spans of the time · log spans + log time · log depth · log spans).
    pub fn most_of(&self, view: &View, time: TimeRange) -> Option<NodeId> {
        let spans = self.within(time).iter();
        let lasts = |span: &ChartSpan| time.overlap(span.start_ns, span.end_ns);
        let mut stacks: Vec<(NodeId, u64)> = spans.map(|span| (span.node, lasts(span))).collect();
        // those below a node are neighbors
        stacks.sort_unstable_by_key(|&(leaf, _)| leaf);
        let mut sum = 0;
        for (_, lasts) in &mut stacks {
            sum += *lasts;
            *lasts = sum;
        }
        let sum_before = |node: NodeId| {
            let before = stacks.partition_point(|&(leaf, _)| leaf < node);
            before.checked_sub(1).map_or(0, |last| stacks[last].1)
        };
        let sums = |node: NodeId| (sum_before(node), sum_before(view.tree.end(node)));
        let mut most = (sum > 0).then_some(self.root)?;
        loop {
            let (from, to) = sums(most);
            let all = to - from;
            let is_half = |caller| {
                let (start, end) = sums(caller);
                end - start >= all.div_ceil(2)
            };
            // what is half of it has one of these; its callers up to here are at least half of theirs, too
            let middles = [from + (all - 1) / 2, from + all / 2];
            let mut halves = middles.into_iter().map(|middle| {
                let leaf = stacks[stacks.partition_point(|&(_, sum)| sum <= middle)].0;
                self.nearest(view, leaf, is_half)
            });
            match halves.find(|&half| half != most) {
                Some(half) => most = half,
                None => return Some(most),
            }
        }
    }

    /// How far a node is below the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[self.row(node)] as usize
    }

    fn row(&self, node: NodeId) -> usize {
        (node.0 - self.root.0) as usize
    }

    /// The node so far below the root that is above another one, or is that. O(log depth).
    pub fn above(&self, view: &View, node: NodeId, depth: usize) -> NodeId {
        self.nearest(view, node, |node| self.depth(node) <= depth)
    }

    /// The first of a node and its callers that has something that all callers of such a one have; at last the root.
    /// O(log depth).
    pub fn nearest(&self, view: &View, mut node: NodeId, has: impl Fn(NodeId) -> bool) -> NodeId {
        while node != self.root && !has(node) {
            let jump = self.jumps[self.row(node)];
            node = match has(jump) {
                false => jump,
                true => view.tree.parent(node).unwrap_or(self.root),
            };
        }
        node
    }

    /// From when to when a node was on the stack in spans that reach into a time. O(spans of it).
    pub fn lasts(&self, view: &View, node: NodeId, time: TimeRange) -> Option<TimeRange> {
        let is_of = |span: &&ChartSpan| view.tree.contains(node, span.node);
        let spans = self.within(time);
        Some(TimeRange {
            from_ns: spans.iter().find(is_of)?.start_ns,
            to_ns: spans.iter().rfind(is_of)?.end_ns,
        })
    }
}

/// Spans in order, none over another one or after the end, neighbors of one stack as one.
fn in_order(mut spans: Vec<ChartSpan>, end_ns: u64) -> Vec<ChartSpan> {
    spans.sort_by_key(|span| span.start_ns);
    let mut merged: Vec<ChartSpan> = Vec::with_capacity(spans.len());
    for at in 0..spans.len() {
        let span = spans[at];
        let next = spans.get(at + 1).map_or(end_ns, |next| next.start_ns);
        let end_ns = span.end_ns.min(next);
        match merged.last_mut() {
            _ if end_ns <= span.start_ns => {}
            Some(last) if last.node == span.node && last.end_ns == span.start_ns => {
                last.end_ns = end_ns
            }
            _ => merged.push(ChartSpan { end_ns, ..span }),
        }
    }
    merged
}

/// The depth of each node below a root, and a node above it.
fn ways_up(view: &View, root: NodeId) -> (Vec<u32>, Vec<NodeId>) {
    let nodes = view.tree.range(root);
    let (mut depths, mut jumps) = (vec![0u32], vec![root]);
    let row = |node: NodeId| (node.0 - root.0) as usize;
    for node in nodes.skip(1).map(NodeId::at) {
        let caller = view.tree.parent(node).unwrap_or(root);
        let jump = jumps[row(caller)];
        let further = jumps[row(jump)];
        let depth = |node| depths[row(node)];
        let is_same = depth(caller) - depth(jump) == depth(jump) - depth(further);
        jumps.push(if is_same { further } else { caller });
        depths.push(depths[row(caller)] + 1);
    }
    (depths, jumps)
}

#[cfg(test)]
mod tests;
