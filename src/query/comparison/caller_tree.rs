use super::super::QueryError;
use super::super::inverted::{DEFAULT_LEVELS, Extent, open};
use super::super::methods::frames_named;
use super::Comparison;
use crate::analysis::compared::{Estimate, Sides, Verdict};
use crate::analysis::{CallerRow, CallerTree};
use crate::model::NodeId;

/// The default number of levels of callers.
const CALLER_LEVELS: usize = 10;

impl Comparison {
    /// With a method's caller tree in place of the merged tree, limited to large enough changes.
    pub fn callers(&self, method: &str, request: Extent) -> Result<Comparison, QueryError> {
        let view = self.view.uncollapsed();
        let frames = frames_named(view, "--callers", method)?;
        let caller_tree = CallerTree::callers(view, NodeId::ROOT, &frames, false);
        let caller_tree =
            caller_tree.ok_or_else(|| QueryError::not_in_part("--callers", method))?;
        let levels = request.depth.unwrap_or(CALLER_LEVELS);
        self.caller_tree(caller_tree, levels, request.min_percent)
    }

    pub fn inverted(&self, request: Extent) -> Result<Comparison, QueryError> {
        let caller_tree = CallerTree::inverted(self.view.uncollapsed(), NodeId::ROOT, false);
        let levels = request.depth.unwrap_or(DEFAULT_LEVELS);
        self.caller_tree(caller_tree, levels, request.min_percent)
    }

    fn caller_tree(
        &self,
        mut caller_tree: CallerTree,
        levels: usize,
        min_percent: f64,
    ) -> Result<Comparison, QueryError> {
        let whole = sides(&caller_tree, CallerTree::TOP);
        let min_change = whole.larger() as f64 * min_percent / 100.0;
        let has_changed = |tree: &CallerTree, row| {
            let change = sides(tree, row).delta().unsigned_abs();
            change > 0 && change as f64 >= min_change
        };
        open(&mut caller_tree, levels, has_changed)?;
        Ok(Comparison {
            view: caller_tree.into_view()?.into(),
            total: Estimate::untested(whole, Verdict::NotTested),
            ..self.clone()
        })
    }
}

fn sides(caller_tree: &CallerTree, row: CallerRow) -> Sides {
    Sides::of(|metric| caller_tree.sums(row, metric).inclusive)
}
