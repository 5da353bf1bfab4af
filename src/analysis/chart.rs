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
    pub fn at(&self, at_ns: u64) -> Option<usize> {
        let behind = self.spans.partition_point(|span| span.end_ns <= at_ns);
        let span = self.spans.get(behind)?;
        (span.start_ns <= at_ns).then_some(behind)
    }

    /// How far a node is below the root.
    pub fn depth(&self, node: NodeId) -> usize {
        self.depths[self.row(node)] as usize
    }

    fn row(&self, node: NodeId) -> usize {
        (node.0 - self.root.0) as usize
    }

    /// The node so far below the root that is above another one, or is that. O(log depth).
    pub fn above(&self, view: &View, mut node: NodeId, depth: usize) -> NodeId {
        while self.depth(node) > depth {
            let jump = self.jumps[self.row(node)];
            node = match self.depth(jump) >= depth {
                true => jump,
                // the root has no caller here, and is the least deep
                false => view.tree.parent(node).unwrap_or(self.root),
            };
        }
        node
    }

    /// For how long a node was on the stack around one of its spans. O(spans of it).
    pub fn around(&self, view: &View, node: NodeId, span: usize) -> TimeRange {
        let is_of = |span: &ChartSpan| view.tree.contains(node, span.node);
        let touching = |pair: &&[ChartSpan]| pair[0].end_ns == pair[1].start_ns;
        let behind = self.spans[span..].windows(2).take_while(touching);
        let behind = behind.take_while(|pair| is_of(&pair[1])).count();
        let before = self.spans[..=span].windows(2).rev().take_while(touching);
        let before = before.take_while(|pair| is_of(&pair[0])).count();
        TimeRange {
            from_ns: self.spans[span - before].start_ns,
            to_ns: self.spans[span + behind].end_ns,
        }
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
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    #[test]
    fn nodes_above_are_found_in_a_chain_of_a_million_frames() {
        let view = profile_of(&format!("T;{}a 3", "a;b;".repeat(500_000)));
        let (depths, jumps) = ways_up(&view, NodeId::ROOT);
        let chart = Chart {
            root: NodeId::ROOT,
            range: TimeRange::ALL,
            spans: Vec::new(),
            depths,
            jumps,
        };
        let leaf = NodeId::at(view.tree.len() - 1);
        // a chain: each node is as deep as its number
        assert_eq!(chart.depth(leaf), 1_000_002);
        for depth in [0, 1, 2, 3, 77, 65_536, 999_999, 1_000_002] {
            assert_eq!(chart.above(&view, leaf, depth), NodeId::at(depth));
        }
    }

    #[test]
    fn spans_neither_overlap_nor_repeat() {
        let span = |start_ns, end_ns, node| ChartSpan {
            start_ns,
            end_ns,
            node: NodeId(node),
        };
        let spans = vec![
            span(5, 9, 2),
            span(0, 3, 1),
            span(3, 7, 1),
            span(8, u64::MAX, 3),
        ];
        let expect = [span(0, 5, 1), span(5, 8, 2), span(8, 20, 3)];
        assert_eq!(in_order(spans, 20), expect);
    }
}
