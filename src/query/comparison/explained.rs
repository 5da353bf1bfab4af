//! Finds the rows of a list by inclusive values that changed because of a callee that is also listed.

use crate::analysis::compared::{ComparedMethod, sides_of};
use crate::model::{FrameId, NodeId, View};
use std::collections::HashMap;

/// Few readers look for the reason of later rows.
const MAX_ROWS: usize = 200;

/// Returns, for each wanted row, the other row with most of its difference; of several, the one that has changed most
/// in itself. O(nodes · rows on a path).
pub(super) fn explained_by(
    view: &View,
    rows: &[ComparedMethod],
    is_selected: impl Fn(&ComparedMethod) -> bool,
) -> HashMap<FrameId, FrameId> {
    let rows = &rows[..rows.len().min(MAX_ROWS)];
    let is_selected: Vec<bool> = rows.iter().map(is_selected).collect();
    if !is_selected.contains(&true) {
        return HashMap::new();
    }
    let parts = parts(view, rows, &is_selected);
    let explained = |(caller, row): (usize, &ComparedMethod)| {
        let whole = row.inclusive.sides.delta();
        let is_most = |part: i128| part.signum() == whole.signum() && part.abs() * 2 > whole.abs();
        if !is_selected[caller] || whole == 0 || is_most(row.exclusive.sides.delta()) {
            return None;
        }
        let part = |callee: usize| parts.get(&(caller, callee)).copied().unwrap_or(0);
        let callees = (0..rows.len()).filter(|&callee| is_most(part(callee)));
        let own = |&callee: &usize| rows[callee].exclusive.sides.delta() * whole.signum();
        let callee = callees.max_by_key(own)?;
        Some((row.frame, rows[callee].frame))
    };
    rows.iter().enumerate().filter_map(explained).collect()
}

/// The parts by caller and callee: how much of the caller's difference is below it in the callee.
fn parts(
    view: &View,
    rows: &[ComparedMethod],
    is_selected: &[bool],
) -> HashMap<(usize, usize), i128> {
    let rows = rows.iter().enumerate();
    let places: HashMap<FrameId, usize> = rows.map(|(place, row)| (row.frame, place)).collect();
    let mut parts = HashMap::new();
    let mut open: Vec<(NodeId, usize)> = Vec::new();
    for node in view.tree.nodes() {
        while open.pop_if(|(end, _)| *end <= node).is_some() {}
        let Some(&place) = places.get(&view.tree.frame(node)) else {
            continue;
        };
        // what a method has below itself lies below it anyway
        if open.last().is_some_and(|&(_, other)| other == place) {
            continue;
        }
        let delta = sides_of(view, node).delta();
        // what is below an inner call of the same method counts there
        let above = open.iter().rev().take_while(|&&(_, other)| other != place);
        let mut met: Vec<usize> = above
            .map(|&(_, other)| other)
            .filter(|&other| is_selected[other] && delta != 0)
            .collect();
        met.sort_unstable();
        met.dedup();
        for caller in met {
            *parts.entry((caller, place)).or_insert(0) += delta;
        }
        open.push((view.tree.end(node), place));
    }
    parts
}

#[cfg(test)]
mod tests;
