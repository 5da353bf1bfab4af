//! How the explorer was left in the other form of truncated stacks.

use super::super::remap::Known;
use super::super::tree_pane::TreePane;
use crate::model::{NodeId, View};
use std::sync::Arc;

/// The profile that was shown before truncated stacks were repaired, or no longer so, and how it was left. Who comes back finds
/// it like that, but for what was done in the meantime.
pub(super) struct OtherForm {
    pub view: Arc<View>,
    /// The panes, the outermost first and the shown one last.
    pub panes: Vec<TreePane>,
    /// Those of the profile that was shown instead when that came.
    pub panes_instead: Vec<TreePane>,
}

impl OtherForm {
    /// What is known of the pane with this `root` for one who comes back from the pane `instead`.
    pub(super) fn known(&self, root: NodeId, instead: &TreePane) -> Option<Known<'_>> {
        let with_root =
            |panes: &'_ [TreePane], root| panes.iter().position(|pane| pane.root() == root);
        let pane = &self.panes[with_root(&self.panes, root)?];
        let transforms = &self.panes_instead[with_root(&self.panes_instead, instead.root())?];
        let selected = (transforms.selected == instead.selected).then_some(pane.selected);
        Some(Known {
            outline: pane.outline.clone(),
            since: &transforms.outline,
            selected,
        })
    }
}
