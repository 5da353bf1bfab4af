//! Which nodes are open, and how siblings are ordered.

use super::bits::BitSet;
use crate::analysis::compared::{BEFORE, sides_of};
use crate::model::{FrameId, Measure, NodeId, View};
use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortColumn {
    #[default]
    Inclusive,
    Exclusive,
    /// Calls or samples.
    Count,
    Name,
    /// The difference of inclusive values; in comparisons only.
    Delta,
    /// The inclusive value before the change; in comparisons only.
    Before,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    pub column: SortColumn,
    /// Numbers smallest first, names from Z to A.
    pub reversed: bool,
}

impl Sort {
    pub(super) fn by(column: SortColumn) -> Sort {
        let reversed = false;
        Sort { column, reversed }
    }

    pub(super) fn reverse(self) -> Sort {
        let reversed = !self.reversed;
        Sort { reversed, ..self }
    }

    /// The order by inclusive value or, in a comparison, by difference.
    pub fn first_of(view: &View) -> Sort {
        Sort::by(match view.recording.is_comparison() {
            true => SortColumn::Delta,
            false => SortColumn::Inclusive,
        })
    }
}

/// The visible rows, as two bits per node: a tree of ten million nodes folds and unfolds as fast as a small one. In the
/// stored order of siblings, the rows are the members of `visible`, ascending. For other orders, the children of
/// visited nodes are sorted on demand and cached.
#[derive(Clone, Debug)]
pub struct Outline {
    pub root: NodeId,
    open: BitSet,
    visible: BitSet,
    pub sort: Sort,
    measure: Measure,
    is_stored_order: bool,
    /// Callees of visited nodes in this order; a cache, so readers may fill it.
    sorted: RefCell<HashMap<NodeId, Rc<[NodeId]>>>,
    /// The rank of each frame by its display name, once needed.
    name_ranks: OnceCell<Rc<[u32]>>,
}

/// Equal names have equal ranks. O(frames log frames).
fn name_ranks(view: &View) -> Rc<[u32]> {
    let mut order: Vec<FrameId> = view.frames.iter().map(|(id, _)| id).collect();
    order.sort_unstable_by(|&a, &b| view.frames.display_name(a).cmp(view.frames.display_name(b)));
    let mut ranks = vec![0u32; order.len()];
    for pair in order.windows(2) {
        let is_same = view.frames.display_name(pair[0]) == view.frames.display_name(pair[1]);
        ranks[pair[1].index()] = ranks[pair[0].index()] + u32::from(!is_same);
    }
    ranks.into()
}

fn is_only_child(view: &View, parent: NodeId, node: NodeId) -> bool {
    parent.0 + 1 == node.0 && view.tree.end(parent) == view.tree.end(node)
}

impl Outline {
    pub fn new(view: &View, root: NodeId, measure: impl Into<Measure>, sort: Sort) -> Outline {
        let (len, measure) = (view.tree.len(), measure.into());
        let mut outline = Outline {
            root,
            open: BitSet::new(len),
            visible: BitSet::new(len),
            sort,
            measure,
            is_stored_order: true,
            sorted: RefCell::default(),
            name_ranks: OnceCell::new(),
        };
        outline.visible.set(root.index(), true);
        outline.set_order(view, measure, sort);
        outline.open(view, root);
        outline
    }

    pub fn set_order(&mut self, view: &View, measure: impl Into<Measure>, sort: Sort) {
        (self.sort, self.measure) = (sort, measure.into());
        let is_stored_measure = self.measure.metric == view.recording.default_metric
            && self.measure.left_out(view).is_none();
        self.is_stored_order = sort == Sort::default() && is_stored_measure;
        self.sorted.get_mut().clear();
    }

    pub fn is_open(&self, view: &View, node: NodeId) -> bool {
        self.open.contains(node.index()) && !view.tree.is_leaf(node)
    }

    /// O(nodes / 64) at worst.
    pub fn is_all_open(&self, view: &View, node: NodeId) -> bool {
        let range = view.tree.range(node);
        self.open.is_full(range.start, range.end)
    }

    /// The nodes, callers first, that are open in only one of two outlines. O(nodes / 64).
    pub fn differences(&self, other: &Outline) -> impl Iterator<Item = NodeId> {
        self.open.differences(&other.open).map(NodeId::at)
    }

    pub fn is_visible(&self, node: NodeId) -> bool {
        self.visible.contains(node.index())
    }

    /// Shows the callees of a node, with what was open below them. Expected O(rows shown); O(nodes / 64) if a whole
    /// subtree is open.
    pub fn open(&mut self, view: &View, node: NodeId) {
        if self.is_open(view, node) || view.tree.is_leaf(node) {
            return;
        }
        self.open.set(node.index(), true);
        if self.is_visible(node) {
            self.reveal(view, node);
        }
    }

    /// What was open below is remembered.
    pub fn close(&mut self, view: &View, node: NodeId) {
        self.open.set(node.index(), false);
        self.visible
            .set_range(node.index() + 1, view.tree.end(node).index(), false);
    }

    pub fn open_all(&mut self, view: &View, node: NodeId) {
        let range = view.tree.range(node);
        self.open.set_range(range.start, range.end, true);
        if self.is_visible(node) {
            self.visible.set_range(range.start, range.end, true);
        }
    }

    pub fn close_all(&mut self, view: &View, node: NodeId) {
        let range = view.tree.range(node);
        self.open.set_range(range.start, range.end, false);
        self.visible.set_range(range.start + 1, range.end, false);
    }

    /// Opens the callers of a node up to the root. O(depth + rows shown).
    pub fn show(&mut self, view: &View, node: NodeId) {
        let above = view.tree.ancestors(node);
        let above = above.take_while(|&above| above >= self.root);
        let closed: Vec<NodeId> = above.filter(|&above| !self.is_open(view, above)).collect();
        // from the outside in: each is already visible when its turn comes
        for &above in closed.iter().rev() {
            self.open(view, above);
        }
    }

    fn reveal(&mut self, view: &View, node: NodeId) {
        let range = view.tree.range(node);
        let mut at = range.start + 1;
        while at < range.end {
            if self.open.is_full_word(at) && at + 64 <= range.end {
                // open nodes are followed by their first callee: all 64 are rows
                self.visible.set_range(at, at + 64, true);
                // the last of them may be open too, so the walk continues right after it
                at += 64;
            } else {
                self.visible.set(at, true);
                at = match self.open.contains(at) {
                    true => at + 1,
                    false => view.tree.end(NodeId::at(at)).index(),
                };
            }
        }
    }

    pub fn children(&self, view: &View, node: NodeId) -> Rc<[NodeId]> {
        if let Some(known) = self.sorted.borrow().get(&node) {
            return Rc::clone(known);
        }
        let first = NodeId(node.0 + 1);
        if !view.tree.is_leaf(node) && is_only_child(view, node, first) {
            return [first].into();
        }
        let children: Vec<NodeId> = view.tree.children(node).collect();
        let is_stored = self.is_stored_order || self.is_stored_below(view, node);
        let children: Rc<[NodeId]> = match is_stored {
            true => children.into(),
            false => self.in_order(view, children),
        };
        self.sorted.borrow_mut().insert(node, Rc::clone(&children));
        children
    }

    /// Whether callees are in the stored order because none of them waits.
    fn is_stored_below(&self, view: &View, node: NodeId) -> bool {
        let is_default =
            self.sort == Sort::default() && self.measure.metric == view.recording.default_metric;
        is_default && view.waiting(self.measure.metric).within(&view.tree, node) == 0
    }

    /// Looks up each key once: lookups dominate for a million siblings.
    fn in_order(&self, view: &View, children: Vec<NodeId>) -> Rc<[NodeId]> {
        let children = children.into_iter();
        let mut keyed: Vec<((u64, u64), NodeId)> =
            children.map(|node| (self.key(view, node), node)).collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, node)| node).collect()
    }

    /// Smallest first; ties keep the stored order. Siblings that only wait have the same weight.
    fn key(&self, view: &View, node: NodeId) -> (u64, u64) {
        let (tree, measure) = (&view.tree, self.measure);
        let inclusive = tree.inclusive(measure.metric, node);
        let exclusive = tree.exclusive(measure.metric, node);
        let (weight, value) = match self.sort.column {
            SortColumn::Inclusive => (measure.inclusive(view, node), inclusive),
            SortColumn::Exclusive => (measure.exclusive(view, node), exclusive),
            SortColumn::Count => (measure.count(view, node).unwrap_or(0), 0),
            SortColumn::Delta => {
                let delta = sides_of(view, node).delta().unsigned_abs();
                (delta.try_into().unwrap_or(u64::MAX), inclusive)
            }
            SortColumn::Before => (tree.inclusive(BEFORE, node), 0),
            SortColumn::Name => {
                let ranks = self.name_ranks.get_or_init(|| name_ranks(view));
                (u64::from(ranks[tree.frame(node).index()]), 0)
            }
        };
        let largest_first = self.sort.column != SortColumn::Name;
        match largest_first != self.sort.reversed {
            true => (u64::MAX - weight, u64::MAX - value),
            false => (weight, value),
        }
    }

    fn compare(&self, view: &View, a: NodeId, b: NodeId) -> Ordering {
        self.key(view, a).cmp(&self.key(view, b)).then(a.cmp(&b))
    }

    pub fn next(&self, view: &View, node: NodeId) -> Option<NodeId> {
        if self.is_stored_order {
            let next = self.visible.next(node.index() + 1).map(NodeId::at)?;
            return view.tree.contains(self.root, next).then_some(next);
        }
        if self.is_open(view, node) {
            return self.children(view, node).first().copied();
        }
        let mut at = node;
        while at != self.root {
            if let Some(sibling) = self.sibling(view, at, 1) {
                return Some(sibling);
            }
            at = view.tree.parent(at)?;
        }
        None
    }

    pub fn previous(&self, view: &View, node: NodeId) -> Option<NodeId> {
        if node == self.root {
            return None;
        }
        if self.is_stored_order {
            return self.visible.previous(node.index()).map(NodeId::at);
        }
        match self.sibling(view, node, -1) {
            Some(sibling) => Some(self.last_within(view, sibling)),
            None => view.tree.parent(node),
        }
    }

    /// `step` positions further in this order.
    pub fn sibling(&self, view: &View, node: NodeId, step: isize) -> Option<NodeId> {
        if node == self.root {
            return None;
        }
        let parent = view.tree.parent(node)?;
        let siblings = self.children(view, parent);
        let place = match self.is_stored_order {
            true => siblings.binary_search(&node),
            false => siblings.binary_search_by(|&other| self.compare(view, other, node)),
        };
        siblings.get(place.ok()?.checked_add_signed(step)?).copied()
    }

    /// O(depth of the open rows).
    pub fn last_within(&self, view: &View, node: NodeId) -> NodeId {
        if self.is_stored_order {
            let last = self.visible.previous(view.tree.end(node).index());
            return last.map_or(node, NodeId::at);
        }
        let mut at = node;
        while self.is_open(view, at) {
            at = self.children(view, at).last().copied().unwrap_or(at);
        }
        at
    }

    pub fn row_count(&self, view: &View) -> usize {
        let range = view.tree.range(self.root);
        self.visible.count(range.start, range.end)
    }

    /// 0 for the root. O(nodes / 64) in the stored order, else also O(siblings of the callers).
    pub fn row_of(&self, view: &View, node: NodeId) -> usize {
        if self.is_stored_order {
            return self.visible.count(self.root.index(), node.index());
        }
        let (mut row, mut at) = (0, node);
        while at != self.root {
            let Some(parent) = view.tree.parent(at) else {
                break;
            };
            let siblings = self.children(view, parent);
            for &earlier in siblings.iter().take_while(|&&sibling| sibling != at) {
                let range = view.tree.range(earlier);
                row += self.visible.count(range.start, range.end);
            }
            row += 1;
            at = parent;
        }
        row
    }

    /// The row `rows` further down (up if negative), and how far that really is.
    pub fn step(&self, view: &View, from: NodeId, rows: isize) -> (NodeId, usize) {
        let mut at = from;
        for done in 0..rows.unsigned_abs() {
            let next = match rows > 0 {
                true => self.next(view, at),
                false => self.previous(view, at),
            };
            match next {
                Some(next) => at = next,
                None => return (at, done),
            }
        }
        (at, rows.unsigned_abs())
    }
}

#[cfg(test)]
mod tests;
