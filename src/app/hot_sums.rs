//! The hotspots of subtrees, which follow the selection or are pinned to the whole tree.

use crate::analysis::compared::{AFTER, BEFORE, Sides, waiting_percent};
use crate::analysis::{Hotspot, HotspotOrder, hotspots, sort_hotspots};
use crate::model::{
    ComparedValue, FrameId, MOSTLY_PERCENT, Measure, NodeId, Step, Verdict, Verdicts, View,
};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// Larger subtrees go to the worker, so no key press waits for them.
pub const SYNC_NODE_LIMIT: usize = 20_000;

const MAX_REMEMBERED: usize = 16;

/// As they are declared.
const ORDERS: [HotspotOrder; 2] = [HotspotOrder::Inclusive, HotspotOrder::Exclusive];

#[derive(Clone, Debug)]
pub struct HotspotLists {
    pub scope: NodeId,
    /// The sort order and the basis of percentages.
    pub measure: Measure,
    /// By inclusive and by exclusive value, without methods that have none.
    rows: [Vec<Hotspot>; 2],
    pub largest_count: u64,
    /// The inclusive and exclusive values of methods before the change, in a comparison.
    before: HashMap<FrameId, [u64; 2]>,
    /// The largest changes of them, regardless of sign.
    largest_changes: [u128; 2],
}

impl HotspotLists {
    /// O(nodes of the subtree + frames + methods log methods).
    pub fn new(view: &View, scope: NodeId, measure: Measure) -> HotspotLists {
        if view.recording.is_comparison() {
            return HotspotLists::compared(view, scope, measure);
        }
        let rows = hotspots_below(view, scope, measure);
        let ordered = |order| {
            let rows = rows.iter().filter(|row| row.value(order) > 0);
            let mut rows: Vec<Hotspot> = rows.copied().collect();
            sort_hotspots(view, &mut rows, order);
            rows
        };
        HotspotLists {
            scope,
            measure,
            rows: ORDERS.map(ordered),
            largest_count: rows.iter().filter_map(|row| row.count).max().unwrap_or(0),
            before: HashMap::new(),
            largest_changes: [0; 2],
        }
    }

    /// The methods that have changed, slower ones first. The heaviest node of a method that is gone is the one before
    /// the change.
    fn compared(view: &View, scope: NodeId, measure: Measure) -> HotspotLists {
        let [before, mut rows] = [BEFORE, AFTER]
            .map(|metric| hotspots_below(view, scope, Measure { metric, ..measure }));
        let nodes = before.iter().map(|row| (row.frame, row.heaviest_node));
        let nodes: HashMap<FrameId, NodeId> = nodes.collect();
        for row in rows.iter_mut().filter(|row| row.inclusive == 0) {
            row.heaviest_node = nodes.get(&row.frame).copied().unwrap_or(row.heaviest_node);
        }
        let values = |row: Hotspot| (row.frame, [row.inclusive, row.exclusive]);
        let mut lists = HotspotLists {
            scope,
            measure,
            rows: Default::default(),
            largest_count: 0,
            before: before.into_iter().map(values).collect(),
            largest_changes: [0; 2],
        };
        let ordered = |order| {
            let delta = |row: &Hotspot| lists.sides(row, order).map_or(0, Sides::delta);
            let rows = rows.iter().filter(|row| delta(row) != 0);
            let mut rows: Vec<Hotspot> = rows.copied().collect();
            rows.sort_by_cached_key(|row| {
                // a different path through tasks and the thread pool is not a change in the program
                let is_plumbing =
                    order == HotspotOrder::Inclusive && view.frames.get(row.frame).is_plumbing;
                let may_be_chance = lists.verdict(view, row, order) != Some(Verdict::Significant);
                let waits = || waiting_percent(view, row.heaviest_node) >= MOSTLY_PERCENT;
                let is_sure_wait = !may_be_chance && waits();
                (
                    may_be_chance,
                    is_plumbing,
                    is_sure_wait,
                    Reverse(delta(row).unsigned_abs()),
                    view.frames.display_name(row.frame).to_string(),
                )
            });
            rows
        };
        lists.rows = ORDERS.map(ordered);
        lists.largest_changes = ORDERS.map(|order| {
            let rows = lists.rows(order).iter();
            let sides = rows.filter_map(|row| lists.sides(row, order));
            let deltas = sides.map(|sides| sides.delta().unsigned_abs());
            deltas.max().unwrap_or(0)
        });
        lists
    }

    /// The values of a row on both sides of a comparison; `None` in other views.
    pub fn sides(&self, row: &Hotspot, order: HotspotOrder) -> Option<Sides> {
        let before = self.before.get(&row.frame)?;
        Some(Sides {
            before: before[order as usize],
            after: row.value(order),
        })
    }

    pub fn largest_change(&self, order: HotspotOrder) -> u128 {
        self.largest_changes[order as usize]
    }

    pub fn verdict(&self, view: &View, row: &Hotspot, order: HotspotOrder) -> Option<Verdict> {
        let value = match order {
            HotspotOrder::Exclusive => ComparedValue::Exclusive,
            HotspotOrder::Inclusive => ComparedValue::Inclusive,
        };
        verdicts_within(view, self.scope)?.of(row.frame, value)
    }

    pub fn rows(&self, order: HotspotOrder) -> &[Hotspot] {
        &self.rows[order as usize]
    }
}

/// `None` for parts of a comparison, where they are not known.
pub(super) fn verdicts_within(view: &View, within: NodeId) -> Option<&Verdicts> {
    let is_whole = within == NodeId::ROOT && view.steps.transforms.iter().all(Step::is_display);
    view.recording.verdicts().filter(|_| is_whole)
}

/// Collapsed methods are listed under their own names: their heaviest nodes are the rows that they were collapsed into.
/// O(nodes of the subtree + frames).
pub fn hotspots_below(view: &View, scope: NodeId, measure: Measure) -> Vec<Hotspot> {
    if !view.is_collapsed() {
        return hotspots(view, &[scope], measure);
    }
    let mut rows = hotspots(view.uncollapsed(), &view.to_uncollapsed(scope), measure);
    for row in &mut rows {
        row.heaviest_node = view.from_uncollapsed(row.heaviest_node).unwrap_or(scope);
    }
    rows
}

/// A collapsed row can stand for any number of nodes.
fn is_small(view: &View, scope: NodeId) -> bool {
    let nodes = || {
        let roots = view.to_uncollapsed(scope).into_iter();
        roots.map(|root| view.uncollapsed().tree.size(root)).sum()
    };
    let is_small = |nodes: usize| nodes <= SYNC_NODE_LIMIT;
    is_small(view.tree.size(scope)) && (!view.is_collapsed() || is_small(nodes()))
}

#[derive(Clone, Debug, Default)]
pub struct HotspotSums {
    /// The shown lists; `None` until the first answer.
    pub lists: Option<Arc<HotspotLists>>,
    pub awaited: Option<(NodeId, Measure)>,
    pub is_pinned: bool,
    remembered: Vec<Arc<HotspotLists>>,
}

impl HotspotSums {
    #[must_use]
    pub fn show(&mut self, view: &View, scope: NodeId, measure: Measure) -> bool {
        let fits = |lists: &Arc<HotspotLists>| lists.scope == scope && lists.measure == measure;
        if self.lists.as_ref().is_some_and(fits) {
            self.awaited = None;
            return false;
        }
        let known = self.remembered.iter().find(|lists| fits(lists)).cloned();
        let sum = || Arc::new(HotspotLists::new(view, scope, measure));
        let available = known.or_else(|| is_small(view, scope).then(sum));
        if available.is_some() {
            (self.lists, self.awaited) = (available, None);
            return false;
        }
        let is_new = self.awaited != Some((scope, measure));
        self.awaited = Some((scope, measure));
        is_new
    }

    /// Returns whether they are still wanted.
    #[must_use]
    pub fn receive(&mut self, lists: Arc<HotspotLists>) -> bool {
        if self.remembered.len() == MAX_REMEMBERED {
            self.remembered.remove(0);
        }
        self.remembered.push(Arc::clone(&lists));
        let is_wanted = self.awaited == Some((lists.scope, lists.measure));
        if is_wanted {
            (self.lists, self.awaited) = (Some(lists), None);
        }
        is_wanted
    }

    pub(super) fn reset(&mut self, lists: Option<Arc<HotspotLists>>) {
        (self.lists, self.awaited) = (None, None);
        self.remembered = lists.into_iter().collect();
    }
}

#[cfg(test)]
mod tests;
