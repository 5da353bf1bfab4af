use crate::model::{NodeId, View};
use std::collections::HashMap;

/// Finds the nearest fitting node above others, without walking any path twice.
pub struct Nearest<'a> {
    view: &'a View,
    fits: fn(&View, NodeId) -> bool,
    /// The nearest fitting node from each node upward, including itself.
    known: HashMap<NodeId, Option<NodeId>, foldhash::fast::RandomState>,
}

impl<'a> Nearest<'a> {
    pub fn new(view: &'a View, fits: fn(&View, NodeId) -> bool) -> Nearest<'a> {
        Nearest {
            view,
            fits,
            known: HashMap::default(),
        }
    }

    pub fn above(&mut self, node: NodeId) -> Option<NodeId> {
        let caller = self.view.tree.parent(node)?;
        self.from(caller)
    }

    pub fn from(&mut self, node: NodeId) -> Option<NodeId> {
        let mut path = Vec::new();
        let mut found = None;
        for at in self.view.tree.upward(node) {
            if let Some(&known) = self.known.get(&at) {
                found = known;
                break;
            }
            path.push(at);
            if (self.fits)(self.view, at) {
                found = Some(at);
                break;
            }
        }
        let found_from = path.into_iter().map(|node| (node, found));
        self.known.extend(found_from);
        found
    }
}
