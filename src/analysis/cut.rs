//! Caller trees for files: the rows that were built, and summary rows for the rest.

use super::caller_tree::{CallerRow, CallerTree, CallerTreeSums};
use crate::model::{
    Amount, DerivedTree, FrameId, Frames, MetricId, NodeId, RawNode, TooLarge, TreeBuilder, View,
};
use crate::names::FrameKind;
use crate::units::counted;

/// The shown rows as a complete view: `[3 more callers]` sums up rows that are not shown, `[more callers]` those not
/// built, so that exclusive values add up to the total.
pub fn cut(
    caller_tree: &CallerTree,
    is_shown: impl Fn(CallerRow) -> bool,
) -> Result<View, TooLarge> {
    let view = caller_tree.base();
    let top = CallerTree::TOP;
    let mut cut = CutTree {
        derived: DerivedTree::new(view, caller_tree.frame(top), caller_tree.first(top)),
        frames: view.frames.clone(),
        waiting: vec![Vec::new(); view.recording.metrics.len()],
    };
    cut.set_sums(TreeBuilder::ROOT, &sums_of(caller_tree, top));
    let mut pending = vec![(top, TreeBuilder::ROOT)];
    while let Some((row, node)) = pending.pop() {
        let callers = caller_tree.callers_of(row);
        let (shown, others): (Vec<_>, Vec<_>) = callers.partition(|&caller| is_shown(caller));
        for caller in shown {
            let (frame, first) = (caller_tree.frame(caller), caller_tree.first(caller));
            let place = cut.add(node, frame, first, &sums_of(caller_tree, caller))?;
            pending.push((caller, place));
        }
        if let Some(&first) = others.first() {
            let noun = match caller_tree.is_inverted() && row == top {
                true => "more method",
                false => "more caller",
            };
            let name = format!("[{}]", counted(others.len() as u64, noun));
            let rows = others.iter().map(|&caller| sums_of(caller_tree, caller));
            cut.add_summary(node, &name, caller_tree.first(first), rows)?;
        }
        if caller_tree.has_more(row) {
            let metrics = view.recording.metric_ids();
            let sums = metrics.map(|metric| caller_tree.sums_beyond(row, metric));
            let sums = std::iter::once(sums.collect());
            cut.add_summary(node, "[more callers]", caller_tree.first(row), sums)?;
        }
    }
    Ok(cut.finish())
}

fn sums_of(caller_tree: &CallerTree, row: CallerRow) -> Vec<CallerTreeSums> {
    let metrics = caller_tree.base().recording.metric_ids();
    let sums = metrics.map(|metric| caller_tree.sums(row, metric));
    sums.collect()
}

struct CutTree<'a> {
    derived: DerivedTree<'a>,
    frames: Frames,
    /// By metric and raw node.
    waiting: Vec<Vec<Amount>>,
}

impl CutTree<'_> {
    fn set_sums(&mut self, node: RawNode, sums: &[CallerTreeSums]) {
        for (metric, sums) in (0..).map(MetricId).zip(sums) {
            let builder = &mut self.derived.builder;
            builder.add_values(metric, node, sums.inclusive, sums.ended, sums.count);
            self.waiting[metric.index()].push(sums.waiting);
        }
    }

    fn add(
        &mut self,
        below: RawNode,
        frame: FrameId,
        origin: NodeId,
        sums: &[CallerTreeSums],
    ) -> Result<RawNode, TooLarge> {
        let node = self.derived.add(below, frame, origin)?;
        self.set_sums(node, sums);
        Ok(node)
    }

    /// All stacks of the summarized rows end at this one.
    fn add_summary(
        &mut self,
        below: RawNode,
        name: &str,
        origin: NodeId,
        rows: impl Iterator<Item = Vec<CallerTreeSums>>,
    ) -> Result<(), TooLarge> {
        let mut totals = vec![CallerTreeSums::default(); self.waiting.len()];
        for row in rows {
            for (total, sums) in totals.iter_mut().zip(row) {
                total.add(sums);
            }
        }
        for total in &mut totals {
            total.ended = total.inclusive;
        }
        let frame = self.frames.intern(FrameKind::Special, name, "");
        self.add(below, frame, origin, &totals)?;
        Ok(())
    }

    fn finish(self) -> View {
        let view = self.derived.view;
        let remade = self.derived.finish(self.frames, Vec::new(), Vec::new());
        let waiting = self.waiting.into_iter();
        let waiting = waiting.map(|by_raw| remade.built.by_node(by_raw, Amount::default()));
        let waiting = waiting.collect();
        view.remade_caller_tree(remade, waiting, None)
    }
}

#[cfg(test)]
mod tests;
