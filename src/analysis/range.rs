//! A range of time: the tree of what happened in it.

use super::cautions;
use crate::model::{
    CountKind, FrameKind, MetricId, NodeId, Process, Profile, RangeOf, RawNode, SampleTable, Thread, Threads,
    TimeRange, TreeBuilder, WithoutSamples,
};
use std::sync::Arc;

/// The values of a tree's nodes in a range of time.
struct Values {
    /// Exclusive values and counts by metric and node; the counts of callees are in those of their callers where they are of
    /// samples.
    columns: Vec<(Vec<u64>, Vec<u64>)>,
    /// Whether a node or one below it has any of them.
    has_any: Vec<bool>,
}

impl Values {
    /// O(nodes + samples in the range).
    fn new(profile: &Profile, table: &SampleTable, range: TimeRange) -> Values {
        let tree = &profile.tree;
        let len = tree.len();
        let mut columns = vec![(vec![0; len], vec![0; len]); profile.metrics.len()];
        let mut has_any = vec![false; len];
        let sums = table.sums(range, profile.unrepaired.is_some(), len);
        sums.each(table.kinds(), |node, metric, value, count| {
            let (exclusive, counts): &mut (Vec<u64>, Vec<u64>) = &mut columns[metric.index()];
            let node = node as usize;
            exclusive[node] = exclusive[node].saturating_add(value);
            counts[node] = counts[node].saturating_add(count);
            has_any[node] |= value > 0 || count > 0;
        });
        for node in (0..tree.len()).rev().map(NodeId::at) {
            if let Some(caller) = tree.parent(node) {
                has_any[caller.index()] |= has_any[node.index()];
            }
        }
        Values { columns, has_any }
    }
}

/// What of a profile lies in a range of time, of its repaired tree if that is what it has, and in the same way of the profile as
/// it was recorded ([`Profile::unrepaired`]). Stacks are those of the whole recording, and repaired as such.
///
/// Times are split exactly at the borders; what is counted belongs to the range in which it starts. Nodes without any value
/// or count at or below them are left out, but threads and processes stay. Nodes keep their ids; sums that the source has stored
/// go. What is known of truncated stacks stays that of the whole recording.
///
/// Expected O(nodes + samples in the range).
///
/// # Errors
/// The profile has no samples with times.
pub fn in_range(profile: &Profile, range: TimeRange) -> Result<Profile, WithoutSamples> {
    let table = Arc::clone(profile.samples.as_ref().map_err(|reason| *reason)?);
    let unrepaired = profile.unrepaired.as_deref().map(|unrepaired| part(unrepaired, &table, range)).map(Arc::new);
    Ok(Profile { unrepaired, ..part(profile, &table, range) })
}

fn part(profile: &Profile, table: &SampleTable, range: TimeRange) -> Profile {
    let values = Values::new(profile, table, range);
    let tree = &profile.tree;
    let range = RangeOf { range, of_ns: table.span_ns() };
    let mut frames = profile.frames.clone();
    let mut is_kept = values.has_any;
    let pinned = profile.threads.iter().map(|thread| thread.node);
    let pinned = pinned.chain(profile.processes.iter().map(|process| process.node)).chain([NodeId::ROOT]);
    pinned.for_each(|node| is_kept[node.index()] = true);
    let root = match tree.frame(NodeId::ROOT) {
        root if frames.get(root).kind == FrameKind::Root => {
            let name = format!("{}, {}", frames.name(root), range);
            frames.intern(FrameKind::Root, &name, "")
        }
        root => root,
    };
    let mut builder = TreeBuilder::new(root, &profile.metrics);
    let mut places = vec![TreeBuilder::ROOT; tree.len()];
    let mut origins = vec![NodeId::ROOT];
    for node in tree.nodes().skip(1).filter(|node| is_kept[node.index()]) {
        let caller = tree.parent(node).map_or(TreeBuilder::ROOT, |caller| places[caller.index()]);
        // the tree has no more nodes than the one that is there
        places[node.index()] = builder.add(caller, tree.frame(node)).unwrap_or(TreeBuilder::ROOT);
        origins.push(node);
    }
    for (metric, (exclusive, counts)) in (0..).map(MetricId).zip(&values.columns) {
        for (raw, origin) in (0..).map(RawNode).zip(&origins) {
            builder.add_exclusive(metric, raw, exclusive[origin.index()]);
            builder.add_count(metric, raw, counts[origin.index()]);
        }
    }
    if profile.metrics.iter().any(|metric| metric.counts == Some(CountKind::Samples)) {
        builder.sum_counts();
    }
    let built = builder.finish(&frames, profile.default_metric);
    let place = |node: NodeId| built.node(places[node.index()]);
    let threads = profile.threads.iter().map(|thread| Thread { node: place(thread.node), ..thread.clone() });
    let processes = profile.processes.iter().map(|process| Process { node: place(process.node), ..process.clone() });
    let (threads, processes) = (Threads::new(threads.collect()), processes.collect());
    let mut from = vec![NodeId::ROOT; built.tree.len()];
    built.position.iter().zip(&origins).for_each(|(node, &origin)| from[node.index()] = origin);
    let node_ids = profile.node_ids.taken_from(&from);
    let new = Profile::new(profile.source.clone(), frames, built.tree, profile.metrics.clone(), profile.default_metric);
    let mut new = Profile {
        threads,
        processes,
        node_ids,
        notes: profile.notes.clone(),
        truncation: profile.truncation.clone(),
        warnings: profile.warnings.clone(),
        range: Some(range),
        samples: Err(WithoutSamples::NotWanted),
        ..new
    };
    if new.truncation.as_ref().is_some_and(|truncation| truncation.is_any()) {
        new.notes
            .push("What is said of truncated stacks is about the whole recording, not only this range of time.".into());
    }
    Profile { cautions: cautions(&new), ..new }
}
