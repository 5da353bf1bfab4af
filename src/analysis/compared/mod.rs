//! Compares runs of one or two versions of a program.
//!
//! A comparison is a recording, so all views work on it: its frames are those of both sides after [`matching`], its
//! tree is the union of both, and its metric occurs as [`BEFORE`] and [`AFTER`]. A row's two values are [`Sides`];
//! difference, factor, standard error and significance are computed when rows are made.
//!
//! Threads are merged, as their ids differ in every run.

mod agreement;
mod chance;
mod keys;
mod matching;
mod merging;
mod ranks;
mod rows;
mod sides;
mod spread;

pub use crate::model::Verdict;
pub use agreement::{Agreement, Difference, DifferenceKind, agreement};
pub use chance::{LEVEL, beyond_chance, is_slower};
pub use matching::Rename;
pub use merging::{Compared, Side, compare, compared_metric};
pub use ranks::MIN_FILES;
pub use rows::{ComparedMethod, Presence, compared_methods};
pub use sides::{Estimate, Sides};
pub use spread::Basis;

use crate::model::{MetricId, NodeId, View};
use crate::units::percent;

pub const BEFORE: MetricId = MetricId(0);
pub const AFTER: MetricId = MetricId(1);

pub fn sides_of(view: &View, node: NodeId) -> Sides {
    Sides::of(|metric| view.tree.inclusive(metric, node))
}

/// After the change, or before it if the node is gone.
pub fn waiting_percent(view: &View, node: NodeId) -> f64 {
    let is_gone = view.tree.inclusive(AFTER, node) == 0;
    let side = if is_gone { BEFORE } else { AFTER };
    let waiting = view.waiting(side).within(&view.tree, node);
    percent(waiting, view.tree.inclusive(side, node))
}
