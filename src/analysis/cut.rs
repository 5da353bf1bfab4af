//! Caller trees for files: the rows that were built, and summary rows for the rest.

use super::caller_tree::{CallerRow, CallerTree, CallerTreeSums, ShownCallers};
use crate::model::{NodeId, RawNode, TooLarge, TreeBuilder, View};
use crate::names::FrameKind;
use crate::units::counted;

/// The shown rows as a complete view: `[3 more callers]` sums up rows not shown, `[more callers]` those not built.
pub fn cut(
    caller_tree: &CallerTree,
    is_shown: impl Fn(CallerRow) -> bool,
) -> Result<View, TooLarge> {
    let view = &caller_tree.view;
    let mut cut = ShownCallers::new(caller_tree);
    let mut pending = vec![(CallerTree::TOP, TreeBuilder::ROOT)];
    while let Some((row, node)) = pending.pop() {
        let callers = caller_tree.callers_of(row);
        let (shown, others): (Vec<_>, Vec<_>) = callers.partition(|&caller| is_shown(caller));
        for caller in shown {
            let (frame, first) = (caller_tree.frame(caller), caller_tree.first(caller));
            let place = cut.add(node, frame, first, caller_tree.row_sums(caller))?;
            pending.push((caller, place));
        }
        if let Some(&first) = others.first() {
            let noun = match caller_tree.is_inverted && row == CallerTree::TOP {
                true => "more method",
                false => "more caller",
            };
            let name = format!("[{}]", counted(others.len() as u64, noun));
            let mut totals = vec![CallerTreeSums::default(); view.recording.metrics.len()];
            for &caller in &others {
                let sums = totals.iter_mut().zip(caller_tree.row_sums(caller));
                sums.for_each(|(total, sums)| total.add(*sums));
            }
            add_summary(&mut cut, node, &name, caller_tree.first(first), totals)?;
        }
        if caller_tree.has_more(row) {
            let metrics = view.recording.metric_ids();
            let totals = metrics.map(|metric| caller_tree.sums_beyond(row, metric));
            let (name, first) = ("[more callers]", caller_tree.first(row));
            add_summary(&mut cut, node, name, first, totals.collect())?;
        }
    }
    let (remade, waiting) = cut.finish();
    Ok(view.remade_caller_tree(remade, waiting, None))
}

/// All stacks of the summarized rows end at this one.
fn add_summary(
    cut: &mut ShownCallers,
    below: RawNode,
    name: &str,
    origin: NodeId,
    mut totals: Vec<CallerTreeSums>,
) -> Result<(), TooLarge> {
    for total in &mut totals {
        total.ended = total.inclusive;
    }
    let frame = cut.frames.intern(FrameKind::Special, name, "");
    cut.add(below, frame, origin, &totals).map(drop)
}

#[cfg(test)]
mod tests;
