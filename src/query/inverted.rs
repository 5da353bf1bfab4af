use super::QueryError;
use crate::analysis::{CallerRow, CallerTree, cut};
use crate::model::{Measure, MetricId, NodeId, TooLarge, View};

pub(super) const DEFAULT_LEVELS: usize = 2;
const MAX_ROWS: usize = 1_000_000;
/// The maximum number of occurrences followed to their callers, over all rows: about a second of work.
pub(super) const MAX_FOLLOWED: usize = 50_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub depth: Option<usize>,
    /// In percent of the root's value.
    pub min_percent: f64,
}

/// An inverted tree with all rows of at least the minimum weight, and their siblings.
pub(super) fn inverted(
    view: &View,
    root: NodeId,
    measure: Measure,
    extent: Extent,
) -> Result<View, QueryError> {
    let (tree, _) = caller_tree(view, root, measure, extent)?;
    Ok(tree.into_view()?)
}

/// An inverted tree for a file: small rows and rows past the last level are summed up.
pub fn inverted_cut(
    view: &View,
    root: NodeId,
    metric: MetricId,
    extent: Extent,
) -> Result<View, QueryError> {
    let (tree, min_weight) = caller_tree(view, root, metric.into(), extent)?;
    let is_wanted = |row| weight(&tree, metric.into(), row) as f64 >= min_weight;
    Ok(cut(&tree, is_wanted)?)
}

fn weight(caller_tree: &CallerTree, measure: Measure, row: CallerRow) -> u64 {
    let sums = caller_tree.sums(row, measure.metric);
    sums.weight(measure.counts_waiting)
}

fn caller_tree(
    view: &View,
    root: NodeId,
    measure: Measure,
    extent: Extent,
) -> Result<(CallerTree, f64), TooLarge> {
    let mut tree = CallerTree::inverted(view, root, false);
    let min_weight = weight(&tree, measure, CallerTree::TOP) as f64 * extent.min_percent / 100.0;
    let levels = extent.depth.unwrap_or(DEFAULT_LEVELS);
    open(&mut tree, levels, |tree, row| {
        weight(tree, measure, row) as f64 >= min_weight
    })?;
    Ok((tree, min_weight))
}

/// Opens the top row, then the wanted rows below it, level by level.
pub(super) fn open(
    caller_tree: &mut CallerTree,
    levels: usize,
    is_wanted: impl Fn(&CallerTree, CallerRow) -> bool,
) -> Result<(), TooLarge> {
    let (mut level, mut followed) = (vec![CallerTree::TOP], 0);
    for _ in 0..levels {
        let mut next = Vec::new();
        for row in level {
            followed += caller_tree.occurrence_count(row);
            if followed > MAX_FOLLOWED || caller_tree.row_count() > MAX_ROWS {
                return Ok(());
            }
            caller_tree.open(row)?;
            let callers = caller_tree.callers_of(row);
            next.extend(callers.filter(|&row| is_wanted(caller_tree, row)));
        }
        level = next;
    }
    Ok(())
}
