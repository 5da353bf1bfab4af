use crate::model::NodeId;
use std::cmp::Reverse;

pub struct QueryOutline {
    rows: Vec<(usize, u64)>,
    /// The row above each; the first has itself.
    above: Vec<usize>,
    below: Vec<usize>,
    /// Heaviest first; ties in preorder.
    by_weight: Vec<usize>,
}

pub struct ShownRows {
    pub is_shown: Vec<bool>,
    pub hidden: Vec<usize>,
    pub largest_hidden: Option<u64>,
}

impl QueryOutline {
    /// Depths and weights in preorder.
    pub fn new(rows: Vec<(usize, u64)>) -> QueryOutline {
        let mut above = Vec::with_capacity(rows.len());
        // the last row of each level
        let mut levels: Vec<usize> = Vec::new();
        for (at, &(depth, _)) in rows.iter().enumerate() {
            levels.truncate(depth);
            above.push(levels.last().copied().unwrap_or(at));
            levels.push(at);
        }
        let mut below = vec![0; rows.len()];
        (1..rows.len()).for_each(|at| below[above[at]] += 1);
        let mut by_weight: Vec<usize> = (0..rows.len()).collect();
        by_weight.sort_by_key(|&at| Reverse(rows[at].1));
        QueryOutline {
            rows,
            above,
            below,
            by_weight,
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn below(&self, row: usize) -> usize {
        self.below[row]
    }

    /// Shows at most `max_rows` rows, including those above the heaviest.
    pub fn shown(&self, max_rows: usize) -> ShownRows {
        let mut is_shown = vec![false; self.rows.len()];
        let mut remaining = max_rows;
        for &at in &self.by_weight {
            let above = |&row: &usize| Some(self.above[row]).filter(|&above| above != row);
            let path = std::iter::successors(Some(at), above);
            let missing: Vec<usize> = path.take_while(|&row| !is_shown[row]).collect();
            if missing.len() > remaining {
                break;
            }
            remaining -= missing.len();
            missing.into_iter().for_each(|row| is_shown[row] = true);
        }
        let mut hidden = vec![0; self.rows.len()];
        let mut largest_hidden = None;
        for at in (0..self.rows.len()).filter(|&at| !is_shown[at]) {
            hidden[self.above[at]] += 1;
            largest_hidden = largest_hidden.max(Some(self.rows[at].1));
        }
        ShownRows {
            is_shown,
            hidden,
            largest_hidden,
        }
    }
}

/// The nodes from a root down to a depth, with their depths, in preorder.
pub(super) fn preorder(
    root: NodeId,
    max_depth: Option<usize>,
    callees: impl Fn(NodeId) -> Vec<NodeId>,
) -> Vec<(NodeId, usize)> {
    let mut rows = Vec::new();
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        rows.push((node, depth));
        if max_depth.is_none_or(|max_depth| depth < max_depth) {
            let callees = callees(node).into_iter().rev();
            open.extend(callees.map(|callee| (callee, depth + 1)));
        }
    }
    rows
}

#[cfg(test)]
mod tests;
