//! When a track's frames are open: in time order if the samples have times, else in tree order.

use super::part::Part;
use super::tracks::ExportTrack;
use crate::analysis::sum;
use crate::model::{
    CallTree, Lane, MetricId, NodeId, NodeMap, RecordedNode, SampleKind, SamplePart, SampleTable,
    TimeRange, View,
};
use std::collections::HashMap;
use std::io;

/// Deep stacks that change often have many more events than samples. A track with more is written in tree order.
const MAX_EVENTS: u64 = 100_000_000;

/// A stack. Open frames last as long as its value: samples with weights follow each other without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedSample {
    /// Nanoseconds from the start of the recording, or of the track if nothing has a time.
    pub start: u64,
    pub node: NodeId,
    /// In the part's metric and in CPU time.
    pub value: u64,
    pub cpu: u64,
}

impl TimedSample {
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.value)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackFrame {
    Node(NodeId),
    /// Says whether the thread was running; see [`Part::cpu_leaves`].
    Leaf {
        is_running: bool,
    },
}

pub(super) struct SampleTimes<'a> {
    part: &'a Part<'a>,
    /// `None` without times, or if the view's threads are not the recording's.
    samples: Option<(&'a SampleTable, NodeMap<RecordedNode, NodeId>)>,
    lanes: HashMap<NodeId, Vec<&'a Lane>>,
    range: TimeRange,
}

impl<'a> SampleTimes<'a> {
    /// Whether a part is in time order, except threads whose values don't all come from samples.
    pub(super) fn are_known(part: &Part) -> bool {
        let view = part.view;
        let is_as_recorded = !view.has_merged_threads() && view.inverted_from().is_none();
        view.recording.samples.is_ok() && is_as_recorded
    }

    pub(super) fn new(part: &'a Part<'a>) -> SampleTimes<'a> {
        let view = part.view;
        let table = view.recording.samples.as_deref().ok();
        let table = table.filter(|_| Self::are_known(part));
        let node_of = thread_nodes(view);
        let mut lanes: HashMap<NodeId, Vec<&Lane>> = HashMap::new();
        for lane in table.iter().flat_map(|table| &table.lanes) {
            if let Some(node) = node_of[lane.thread as usize] {
                lanes.entry(node).or_default().push(lane);
            }
        }
        SampleTimes {
            part,
            samples: table.map(|table| (table, view.recorded_nodes())),
            lanes,
            range: view.range().map_or(TimeRange::ALL, |shown| shown.range),
        }
    }

    /// Visits a track's samples within the range and the part, lane by lane, with their nodes. Some sources have
    /// samples on nodes above the thread's.
    fn for_each_sample(
        &self,
        track: &ExportTrack,
        mut visit: impl FnMut(&Lane, &SampleKind, SamplePart, NodeId),
    ) -> Option<()> {
        let (table, shown) = self.samples.as_ref()?;
        let view = self.part.view;
        let (thread, _) = track.thread?;
        let top_nodes = [self.part.root, thread];
        for &lane in self.lanes.get(&thread).into_iter().flatten() {
            table.for_each_in_lane(lane, self.range, view.is_repaired(), |sample| {
                let within =
                    |node: &NodeId| top_nodes.iter().all(|&top| view.tree.contains(top, *node));
                if let Some(node) = shown.get(sample.node).filter(within) {
                    visit(lane, &table.kinds[sample.kind as usize], sample, node);
                }
            });
        }
        Some(())
    }

    /// A track's samples in time order, plus one of value 0 for each node without samples. `None` if the samples don't
    /// add up to all of the track's values in the part's metric and in `cpu`.
    pub(super) fn samples(
        &self,
        track: &ExportTrack,
        cpu: Option<MetricId>,
    ) -> Option<Vec<TimedSample>> {
        let (part, mut samples) = (self.part, Vec::<TimedSample>::new());
        self.for_each_sample(track, |_, kind, sample, node| {
            let cpu = cpu.map_or(0, |cpu| kind.value(cpu, sample.value, sample.samples));
            if cpu > 0 || kind.factor(part.metric) > 0 || kind.ones.contains(&part.metric) {
                samples.push(TimedSample {
                    start: sample.start_ns.max(self.range.from_ns),
                    node,
                    value: kind.value(part.metric, sample.value, sample.samples),
                    cpu,
                });
            }
        })?;
        samples.sort_by_key(|sample| (sample.start, sample.node));
        samples.dedup_by(|next, before| {
            let is_same = (next.start, next.node) == (before.start, before.node);
            if is_same {
                before.value = before.value.saturating_add(next.value);
                before.cpu = before.cpu.saturating_add(next.cpu);
            }
            is_same
        });
        let total = |value: fn(&TimedSample) -> u64| sum(samples.iter().map(value));
        let is_whole = total(|sample| sample.value) == track.total(part, part.metric)
            && cpu.is_none_or(|cpu| total(|sample| sample.cpu) == track.total(part, cpu));
        let start = samples.last().map_or(0, |last| last.start);
        add_missing(&part.view.tree, track, start, &mut samples, Vec::new());
        is_whole.then_some(samples)
    }

    /// A track's spans in time order, if its samples make up all of its values, plus a zero-length one for each other node.
    fn spans(&self, track: &ExportTrack) -> Option<Vec<TimedSample>> {
        let (view, metric) = (self.part.view, self.part.metric);
        let (mut spans, mut unmeasured, mut has_weights) = (Vec::new(), Vec::new(), false);
        self.for_each_sample(track, |lane, kind, sample, node| {
            let value = kind.value(metric, sample.value, sample.samples);
            has_weights |= value > 0 && (lane.has_weights() || kind.factor(metric) != 1);
            let group = match value {
                0 => &mut unmeasured,
                _ => &mut spans,
            };
            group.push(TimedSample {
                start: sample.start_ns.max(self.range.from_ns),
                node,
                value,
                cpu: self.part.cpu_leaves.map_or(0, |cpu| kind.factor(cpu)),
            });
        })?;
        if sum(spans.iter().map(|span| span.value)) != track.total(self.part, metric) {
            return None;
        }
        let end = spans.iter().map(TimedSample::end).max().unwrap_or(0);
        add_missing(&view.tree, track, end, &mut spans, unmeasured);
        spans.sort_by_key(|span| (span.start, span.end()));
        if has_weights {
            let mut at = 0;
            for span in &mut spans {
                span.start = at;
                at = span.end();
            }
        }
        // the lanes of a thread may overlap
        spans.is_sorted_by_key(TimedSample::end).then_some(spans)
    }

    pub(super) fn layout(&self, track: &'a ExportTrack<'a>) -> TrackLayout<'a> {
        let mut layout = TrackLayout {
            part: self.part,
            track,
            spans: self.spans(track),
            events: 0,
            end: track.total(self.part, self.part.metric),
        };
        if let Some(spans) = &layout.spans {
            let end = spans.last().map_or(0, TimedSample::end);
            let mut events = 0;
            let counted = layout.for_each(|_, _, _| {
                events += 1;
                match events > MAX_EVENTS {
                    true => Err(io::ErrorKind::FileTooLarge.into()),
                    false => Ok(()),
                }
            });
            match counted {
                Ok(()) => (layout.events, layout.end) = (events, end),
                Err(_) => layout.spans = None,
            }
        }
        if layout.spans.is_none() {
            let sizes = track
                .top_nodes
                .iter()
                .map(|&top| self.part.view.tree.size(top));
            let nodes: usize = sizes.sum();
            layout.events = 2 * (nodes + track.exclusive_nodes.len()) as u64;
        }
        layout
    }
}

pub(super) fn thread_nodes(view: &View) -> Vec<Option<NodeId>> {
    let mut nodes = vec![None; view.recording.threads.len()];
    for (row, thread) in view.threads.iter().enumerate() {
        for &recorded in view.rows_of_thread(row).iter() {
            nodes[recorded] = Some(thread.node);
        }
    }
    nodes
}

/// Adds the `unmeasured` stacks that contain nodes of the track not yet on any stack, then a stack at `end` for each node
/// that is still on none, callees first.
fn add_missing(
    tree: &CallTree,
    track: &ExportTrack,
    end: u64,
    samples: &mut Vec<TimedSample>,
    mut unmeasured: Vec<TimedSample>,
) {
    let mut nodes: Vec<NodeId> = track.nodes(tree).collect();
    nodes.sort_unstable_by(|one, two| two.cmp(one));
    let (Some(&last), Some(&first)) = (nodes.first(), nodes.last()) else {
        samples.append(&mut unmeasured);
        return;
    };
    let mut is_covered = vec![false; last.index() - first.index() + 1];
    let mut cover = |node: NodeId| {
        let mut above = Some(node);
        while let Some(at) = above.filter(|&at| at >= first) {
            if std::mem::replace(&mut is_covered[at.index() - first.index()], true) {
                break;
            }
            above = tree.parent(at);
        }
        above != Some(node)
    };
    samples.iter().for_each(|sample| _ = cover(sample.node));
    unmeasured.sort_by_key(|sample| sample.start);
    unmeasured.retain(|sample| cover(sample.node));
    nodes.retain(|&node| cover(node));
    samples.append(&mut unmeasured);
    samples.extend(nodes.into_iter().map(|node| TimedSample {
        start: end,
        node,
        value: 0,
        cpu: 0,
    }));
}

pub(super) struct TrackLayout<'a> {
    part: &'a Part<'a>,
    track: &'a ExportTrack<'a>,
    spans: Option<Vec<TimedSample>>,
    pub events: u64,
    pub end: u64,
}

impl TrackLayout<'_> {
    /// Visits everything that opens (`true`) or closes, with its time in units of the metric. Stops at an error.
    pub(super) fn for_each(
        &self,
        visit: impl FnMut(TrackFrame, bool, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        match &self.spans {
            Some(spans) => self.visit_in_time_order(spans, visit),
            None => self.visit_in_tree_order(visit),
        }
    }

    fn visit_in_tree_order(
        &self,
        mut visit: impl FnMut(TrackFrame, bool, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let (tree, metric, mut at) = (&self.part.view.tree, self.part.metric, 0u64);
        let mut step = |node, opens: bool| {
            if !opens {
                at = at.saturating_add(tree.exclusive(metric, node));
            }
            visit(TrackFrame::Node(node), opens, at)
        };
        self.track.walk(tree, &mut step)?;
        self.track
            .exclusive_nodes
            .iter()
            .try_for_each(|&own| step(own, true).and_then(|()| step(own, false)))
    }

    fn visit_in_time_order(
        &self,
        spans: &[TimedSample],
        mut visit: impl FnMut(TrackFrame, bool, u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let tree = &self.part.view.tree;
        let has_leaves = self.part.cpu_leaves.is_some();
        // the innermost node above all frames; it is written as a frame only for samples that end at it
        let thread = self.track.thread.map(|(node, _)| node);
        let outside = match self.track.top_nodes.first() {
            _ if has_leaves => thread.and_then(|thread| tree.parent(thread)),
            Some(&top) => tree.parent(top),
            None => thread,
        };
        let caller = |node: NodeId| {
            let caller = tree.parent(node).filter(|_| Some(node) != outside);
            caller.filter(|caller| Some(*caller) != outside)
        };
        let (mut open, mut path, mut at) = (None::<TimedSample>, Vec::new(), 0);
        for next in spans.iter().copied().map(Some).chain([None]) {
            let adjoining = next.filter(|next| next.start == at);
            let mut shared = None;
            if let Some(last) = open {
                if let Some(next) = adjoining
                    && (next.node, next.cpu > 0) == (last.node, last.cpu > 0)
                {
                    (at, open) = (next.end(), Some(next));
                    continue;
                }
                if has_leaves {
                    let is_running = last.cpu > 0;
                    visit(TrackFrame::Leaf { is_running }, false, at)?;
                }
                let stays = |node: &NodeId| {
                    Some(*node) != outside
                        && adjoining.is_some_and(|next| tree.contains(*node, next.node))
                };
                shared = Some(last.node);
                while let Some(node) = shared.filter(|node| !stays(node)) {
                    visit(TrackFrame::Node(node), false, at)?;
                    shared = caller(node);
                }
            }
            let Some(next) = next else { break };
            path.clear();
            let mut above = Some(next.node).filter(|_| shared != Some(next.node));
            while let Some(node) = above {
                path.push(node);
                above = caller(node).filter(|&node| Some(node) != shared);
            }
            for &node in path.iter().rev() {
                visit(TrackFrame::Node(node), true, next.start)?;
            }
            if has_leaves {
                let is_running = next.cpu > 0;
                visit(TrackFrame::Leaf { is_running }, true, next.start)?;
            }
            (at, open) = (next.end(), Some(next));
        }
        Ok(())
    }
}
