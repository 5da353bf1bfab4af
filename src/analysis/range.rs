use crate::model::{
    CountKind, DerivedTree, MetricId, NodeId, RawNode, SampleTable, TimeRange, TooLarge,
    TreeBuilder, View,
};

/// Exclusive values and counts by metric and node, without callees.
type Columns = Vec<(Vec<u64>, Vec<u64>)>;

/// The values, and whether each node or one below it has any value or count.
fn values(view: &View, table: &SampleTable, range: TimeRange) -> (Columns, Vec<bool>) {
    let tree = &view.tree;
    let len = tree.len();
    let mut columns: Columns = vec![(vec![0; len], vec![0; len]); view.recording.metrics.len()];
    let mut has_any = vec![false; len];
    let sums = table.sums(range, view.is_repaired(), len);
    sums.for_each(&table.kinds, |node, metric, value, count| {
        let (exclusive, counts) = &mut columns[metric.index()];
        let node = node as usize;
        exclusive[node] = exclusive[node].saturating_add(value);
        counts[node] = counts[node].saturating_add(count);
        has_any[node] |= value > 0 || count > 0;
    });
    for node in (0..len).rev().map(NodeId::at) {
        if let Some(caller) = tree.parent(node) {
            has_any[caller.index()] |= has_any[node.index()];
        }
    }
    (columns, has_any)
}

/// Times are split at the bounds; counts belong to the range in which the sample starts. Nodes without either are left
/// out, but threads and processes stay.
pub(super) fn in_range(
    view: &View,
    samples: &SampleTable,
    range: TimeRange,
) -> Result<View, TooLarge> {
    let (columns, mut is_kept) = values(view, samples, range);
    let tree = &view.tree;
    let pinned = view.threads.iter().map(|thread| thread.node);
    let pinned = pinned.chain(view.processes.iter().map(|process| process.node));
    pinned.for_each(|node| is_kept[node.index()] = true);
    let mut derived = DerivedTree::new(view, tree.frame(NodeId::ROOT), NodeId::ROOT);
    let mut places = vec![TreeBuilder::ROOT; tree.len()];
    for node in tree.nodes().skip(1).filter(|node| is_kept[node.index()]) {
        let caller = tree.parent(node).unwrap_or(NodeId::ROOT);
        places[node.index()] = derived.add(places[caller.index()], tree.frame(node), node)?;
    }
    let builder = &mut derived.builder;
    for (metric, (exclusive, counts)) in (0..).map(MetricId).zip(&columns) {
        for (raw, node) in (0..).map(RawNode).zip(&derived.sources) {
            builder.add_exclusive(metric, raw, exclusive[node.index()]);
            builder.add_count(metric, raw, counts[node.index()]);
        }
    }
    let mut metrics = view.recording.metrics.iter();
    if metrics.any(|metric| metric.counts == Some(CountKind::Samples)) {
        builder.sum_counts();
    }
    let place = |node: NodeId| places[node.index()];
    Ok(view.with_remade_tree(derived.finish_with_threads(view.frames.clone(), place)))
}
