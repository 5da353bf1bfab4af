//! Finds the rows of a list by inclusive values that changed because of a callee that is also listed.

use crate::analysis::compared::{ComparedMethod, sides_of};
use crate::model::{FrameId, NodeId, View};
use std::collections::HashMap;

/// For each row, the other row that accounts for most of its difference, if any. If there are several, the one whose
/// exclusive value changed most. O(nodes · rows on a path).
pub(super) fn explained_by(view: &View, rows: &[ComparedMethod]) -> Vec<Option<FrameId>> {
    let places: HashMap<FrameId, usize> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| (row.frame, place))
        .collect();
    // by row: how much of its difference is below it in each of the others
    let mut parts = vec![vec![0i128; rows.len()]; rows.len()];
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    for node in view.tree.nodes() {
        while open.last().is_some_and(|&(end, _)| end <= node) {
            open.pop();
        }
        let Some(&place) = places.get(&view.tree.frame(node)) else {
            continue;
        };
        let delta = sides_of(view, node).delta();
        // what is below an inner call of the same method counts there
        let above = open.iter().rev().take_while(|&&(_, other)| other != place);
        let mut met: Vec<usize> = above.map(|&(_, other)| other).collect();
        met.sort_unstable();
        met.dedup();
        met.into_iter()
            .for_each(|caller| parts[caller][place] += delta);
        open.push((view.tree.end(node), place));
    }
    let explained = |(caller, row): (usize, &ComparedMethod)| {
        let whole = row.inclusive.sides.delta();
        let is_most = |part: i128| part.signum() == whole.signum() && part.abs() * 2 > whole.abs();
        if whole == 0 || is_most(row.exclusive.sides.delta()) {
            return None;
        }
        let callees = (0..rows.len()).filter(|&callee| is_most(parts[caller][callee]));
        let own = |&callee: &usize| rows[callee].exclusive.sides.delta() * whole.signum();
        callees.max_by_key(own).map(|callee| rows[callee].frame)
    };
    rows.iter().enumerate().map(explained).collect()
}

#[cfg(test)]
mod tests;
