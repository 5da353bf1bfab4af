//! Own and system time: the cost of user methods including the system code they call.

use super::samples;
use crate::model::{FrameId, Measure, NodeId, View};
use crate::names::Category;
use std::cmp::Reverse;

/// In stored units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChargedValue {
    pub value: u64,
    /// Excluded waiting; 0 if waiting counts.
    pub waiting: u64,
}

impl ChargedValue {
    pub fn weight(self) -> u64 {
        self.value.saturating_sub(self.waiting)
    }

    fn add(&mut self, value: u64, waiting: u64) {
        self.value = self.value.saturating_add(value);
        self.waiting = self.waiting.saturating_add(waiting);
    }
}

#[derive(Clone, Debug)]
pub struct OwnAndSystem {
    charged: Vec<ChargedValue>,
    /// The exclusive value of each frame on stacks without user code.
    uncharged: Vec<ChargedValue>,
    /// Of stacks without user code, including the own time of threads.
    pub no_user_caller: ChargedValue,
}

impl OwnAndSystem {
    /// `None` if it is not user code.
    pub fn of(&self, view: &View, frame: FrameId) -> Option<ChargedValue> {
        is_charged(view.frames.get(frame).category).then(|| self.charged[frame.index()])
    }

    pub fn of_category(&self, view: &View, category: Category) -> ChargedValue {
        let mut sum = ChargedValue::default();
        let frames = view.frames.iter().zip(&self.charged);
        for (_, charged) in frames.filter(|((_, frame), _)| frame.category == category) {
            sum.add(charged.value, charged.waiting);
        }
        sum
    }

    /// Largest first.
    pub fn without_user_caller(&self) -> Vec<(FrameId, ChargedValue)> {
        let frames = (0..).map(FrameId).zip(self.uncharged.iter().copied());
        let mut frames: Vec<(FrameId, ChargedValue)> =
            frames.filter(|(_, charged)| charged.weight() > 0).collect();
        frames.sort_by_key(|&(frame, charged)| (Reverse(charged.weight()), frame));
        frames
    }
}

/// As in dotTrace, libraries that don't come with .NET are charged like user code: the program chose them.
pub fn is_charged(category: Category) -> bool {
    matches!(category, Category::User | Category::Library)
}

/// By frame; all 0 if counts are not samples.
pub fn own_and_system_samples(
    view: &View,
    roots: &[NodeId],
    measure: impl Into<Measure>,
) -> Vec<u64> {
    let measure = measure.into();
    let own_samples = |node| (samples(view, measure, node)[1].unwrap_or(0), 0);
    let charged = charge(view, roots, own_samples).charged.into_iter();
    charged.map(|charged| charged.value).collect()
}

/// Charges each exclusive value in disjoint, ascending subtrees to the nearest user method above, like dotTrace's `Own
/// + System`.
pub fn own_and_system(view: &View, roots: &[NodeId], measure: impl Into<Measure>) -> OwnAndSystem {
    let measure = measure.into();
    let left_out = measure.left_out(view);
    let exclusive = &view.tree.columns(measure.metric).exclusive;
    charge(view, roots, |node| match exclusive[node.index()] {
        0 => (0, 0),
        value => (value, left_out.map_or(0, |waiting| waiting.own(node))),
    })
}

fn charge(view: &View, roots: &[NodeId], own_value: impl Fn(NodeId) -> (u64, u64)) -> OwnAndSystem {
    let tree = &view.tree;
    let is_user = view.frames.iter();
    let is_user = is_user.map(|(_, frame)| is_charged(frame.category));
    let is_user: Vec<bool> = is_user.collect();
    let none = vec![ChargedValue::default(); view.frames.len()];
    let mut sums = OwnAndSystem {
        charged: none.clone(),
        uncharged: none,
        no_user_caller: ChargedValue::default(),
    };
    // the user methods on the stack and the ends of their subtrees, nearest last
    let mut users: Vec<(NodeId, FrameId)> = Vec::new();
    let nodes = roots.iter().flat_map(|&root| tree.range(root));
    for node in nodes.map(NodeId::at) {
        while users.pop_if(|(end, _)| *end <= node).is_some() {}
        let frame = tree.frame(node);
        if is_user[frame.index()] {
            // an outer method whose subtree ends here, too, is no longer needed
            users.pop_if(|(end, _)| *end == tree.end(node));
            users.push((tree.end(node), frame));
        }
        let (value, waiting) = own_value(node);
        if value > 0 {
            match users.last() {
                Some((_, user)) => sums.charged[user.index()].add(value, waiting),
                None => {
                    sums.no_user_caller.add(value, waiting);
                    sums.uncharged[frame.index()].add(value, waiting);
                }
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests;
