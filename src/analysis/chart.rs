use super::timeline::recorded_nodes;
use crate::model::{MetricId, NodeId, TimeRange, View};

#[derive(Clone, Debug)]
pub struct Chart {
    pub root: NodeId,
    pub range: TimeRange,
    /// Stacks, by leaf. They don't overlap, and adjacent ones differ.
    pub spans: Vec<ChartSpan>,
    depths: Vec<u32>,
    /// A node above each, to find callers in O(log depth): Myers, "An applicative random-access stack".
    jumps: Vec<NodeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChartSpan {
    pub start_ns: u64,
    pub end_ns: u64,
    pub node: NodeId,
}

impl Chart {
    /// `rows` are indices in [`crate::model::Recording::threads`]; `None` without sample times. Weighted samples last
    /// for their weight if it is a time.
    pub fn new(view: &View, metric: MetricId, rows: &[usize], root: NodeId) -> Option<Chart> {
        let samples = view.recording.samples.as_ref().ok()?;
        let shown = view.range().map_or(TimeRange::ALL, |scope| scope.range);
        let to_base = recorded_nodes(view.base());
        let mut spans = Vec::new();
        let lanes = samples.lanes.iter();
        for lane in lanes.filter(|lane| rows.contains(&(lane.thread as usize))) {
            samples.for_each_in_lane(lane, shown, view.is_repaired(), |sample| {
                let kind = &samples.kinds[usize::from(sample.kind)];
                let factor = kind.factor(metric);
                let is_counted = factor > 0 || kind.ones.contains(&metric);
                let base = to_base.get(sample.node).filter(|_| is_counted);
                let node = base.and_then(|base| view.from_base(base));
                let node = node.filter(|&node| view.tree.contains(root, node));
                let Some(node) = node else { return };
                let start_ns = sample.start_ns.max(shown.from_ns);
                let length_ns = match lane.has_weights() {
                    true if factor == 0 => u64::MAX,
                    true => sample.value.saturating_mul(factor),
                    false => sample.value,
                };
                spans.push(ChartSpan {
                    start_ns,
                    end_ns: start_ns.saturating_add(length_ns),
                    node,
                });
            });
        }
        let range = TimeRange {
            from_ns: shown.from_ns,
            to_ns: shown.to_ns.min(samples.span_ns).max(shown.from_ns),
        };
        let (depths, jumps) = paths_up(view, root);
        Some(Chart {
            root,
            range,
            spans: in_order(spans, range.to_ns),
            depths,
            jumps,
        })
    }

    pub fn at(&self, at_ns: u64) -> Option<NodeId> {
        let within = TimeRange {
            from_ns: at_ns,
            to_ns: at_ns.saturating_add(1),
        };
        self.within(within).first().map(|span| span.node)
    }

    pub fn within(&self, TimeRange { from_ns, to_ns }: TimeRange) -> &[ChartSpan] {
        let first = self.spans.partition_point(|span| span.end_ns <= from_ns);
        let spans = &self.spans[first..];
        &spans[..spans.partition_point(|span| span.start_ns < to_ns)]
    }

    /// Whether a stack in a range is shorter than the range, unless the chart's range cuts it.
    pub fn has_narrower(&self, time: TimeRange) -> bool {
        let is_cut = |span: &ChartSpan| {
            span.start_ns <= self.range.from_ns || span.end_ns >= self.range.to_ns
        };
        let is_shorter = |span: &ChartSpan| span.end_ns - span.start_ns < time.to_ns - time.from_ns;
        let mut spans = self.within(time).iter();
        spans.any(|span| is_shorter(span) && !is_cut(span))
    }

    pub fn is_mostly_idle(&self, time: TimeRange) -> bool {
        let spans = self.within(time).iter();
        let ran: u64 = spans
            .map(|span| time.overlap(span.start_ns, span.end_ns))
            .sum();
        ran < (time.to_ns - time.from_ns).div_ceil(2)
    }

    /// The hottest node of a range: from the root down, the callee with most time while it has at least half of its
    /// caller's. O(spans · log spans + log range · log depth · log spans).
    pub fn hottest(&self, view: &View, time: TimeRange) -> Option<NodeId> {
        let spans = self.within(time).iter();
        let length = |span: &ChartSpan| time.overlap(span.start_ns, span.end_ns);
        let mut stacks: Vec<(NodeId, u64)> = spans.map(|span| (span.node, length(span))).collect();
        // makes leaves below a node adjacent
        stacks.sort_unstable_by_key(|&(leaf, _)| leaf);
        let mut sum = 0;
        for (_, length) in &mut stacks {
            sum += *length;
            *length = sum;
        }
        let sum_before = |node: NodeId| {
            let before = stacks.partition_point(|&(leaf, _)| leaf < node);
            before.checked_sub(1).map_or(0, |last| stacks[last].1)
        };
        let sums = |node: NodeId| (sum_before(node), sum_before(view.tree.end(node)));
        let mut hottest = (sum > 0).then_some(self.root)?;
        loop {
            let (from, to) = sums(hottest);
            let total = to - from;
            let has_half = |caller| {
                let (start, end) = sums(caller);
                end - start >= total.div_ceil(2)
            };
            // a callee with half of the time includes one of these; so do its callers up to `hottest`, which have at
            // least half of theirs
            let middles = [from + (total - 1) / 2, from + total / 2];
            let mut callees = middles.into_iter().map(|middle| {
                let leaf = stacks[stacks.partition_point(|&(_, sum)| sum <= middle)].0;
                self.nearest(view, leaf, has_half)
            });
            match callees.find(|&callee| callee != hottest) {
                Some(callee) => hottest = callee,
                None => return Some(hottest),
            }
        }
    }

    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[self.row(node)] as usize
    }

    fn row(&self, node: NodeId) -> usize {
        (node.0 - self.root.0) as usize
    }

    pub fn above(&self, view: &View, node: NodeId, depth: usize) -> NodeId {
        self.nearest(view, node, |node| self.depth(node) <= depth)
    }

    /// The first of a node and its callers that `fits`, or the root. If a node fits, all its callers must. O(log
    /// depth).
    pub fn nearest(&self, view: &View, mut node: NodeId, fits: impl Fn(NodeId) -> bool) -> NodeId {
        while node != self.root && !fits(node) {
            let jump = self.jumps[self.row(node)];
            node = match fits(jump) {
                false => jump,
                true => view.tree.parent(node).unwrap_or(self.root),
            };
        }
        node
    }

    pub fn range_of(&self, view: &View, node: NodeId, time: TimeRange) -> Option<TimeRange> {
        let has_node = |span: &&ChartSpan| view.tree.contains(node, span.node);
        let spans = self.within(time);
        Some(TimeRange {
            from_ns: spans.iter().find(has_node)?.start_ns,
            to_ns: spans.iter().rfind(has_node)?.end_ns,
        })
    }
}

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

fn paths_up(view: &View, root: NodeId) -> (Vec<u32>, Vec<NodeId>) {
    let nodes = view.tree.range(root);
    let (mut depths, mut jumps) = (vec![0u32], vec![root]);
    let row = |node: NodeId| (node.0 - root.0) as usize;
    for node in nodes.skip(1).map(NodeId::at) {
        let caller = view.tree.parent(node).unwrap_or(root);
        let jump = jumps[row(caller)];
        let further = jumps[row(jump)];
        let depth = |node| depths[row(node)];
        let are_equal = depth(caller) - depth(jump) == depth(jump) - depth(further);
        jumps.push(if are_equal { further } else { caller });
        depths.push(depth(caller) + 1);
    }
    (depths, jumps)
}

#[cfg(test)]
mod tests;
