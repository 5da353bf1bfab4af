//! Where in the tree a method is.

use super::QueryError;
use super::methods::frames_named;
use crate::analysis::occurrences_by_weight;
use crate::model::format::counted;
use crate::model::{MetricId, NodeId, View};
use std::cmp::Reverse;

/// The heaviest occurrence of a method.
pub struct Heaviest {
    /// Its node.
    pub node: NodeId,
    /// That there are others, a sentence without its capital letter and full stop.
    pub remark: Option<String>,
}

/// The heaviest occurrence within a subtree of the method that `option` names. O(k log k) for k occurrences.
///
/// # Errors
/// There is no such method, or it does not occur there.
pub fn heaviest_occurrence(
    view: &View,
    option: &str,
    name: &str,
    within: NodeId,
    metric: MetricId,
) -> Result<Heaviest, QueryError> {
    let frames = frames_named(view, option, name)?;
    let mut nodes: Vec<NodeId> =
        frames.iter().flat_map(|&frame| occurrences_by_weight(view, within, frame, metric)).collect();
    nodes.sort_by_key(|&node| Reverse(view.tree.inclusive(metric, node)));
    let Some(&node) = nodes.first() else {
        return Err(QueryError::not_found(format!("{option} {name}: the method does not occur in this part")));
    };
    let remark = (nodes.len() > 1).then(|| {
        let (count, label) = (counted(nodes.len() as u64, "occurrence"), view.node_label(node));
        format!("the method has {count}; this is the heaviest, {label}")
    });
    Ok(Heaviest { node, remark })
}
