use super::QueryError;
use super::methods::{frames_named, is_type_pattern};
use crate::analysis::{
    merged, occurrences_by_weight, occurrences_within, outermost_occurrences, sum,
};
use crate::model::{FrameId, MetricId, NodeId, RecordedNode, Thread, View};
use crate::query::messages;
use crate::units::{Scale, counted};
use std::cmp::Reverse;

/// The heaviest occurrence, with a remark if there are others.
pub fn heaviest_occurrence(
    view: &View,
    option: &str,
    name: &str,
    within: NodeId,
    metric: MetricId,
) -> Result<(NodeId, Option<String>), QueryError> {
    let frames = frames_named(view, option, name)?;
    let nodes = |&frame: &FrameId| occurrences_by_weight(view, within, frame, metric);
    let mut nodes: Vec<NodeId> = frames.iter().flat_map(nodes).collect();
    nodes.sort_by_key(|&node| Reverse(view.tree.inclusive(metric, node)));
    let Some(&node) = nodes.first() else {
        return Err(QueryError::not_in_part(option, name));
    };
    let remark = (nodes.len() > 1).then(|| {
        let count = counted(nodes.len() as u64, "occurrence");
        let label = view.node_label(node);
        let outermost = outermost_occurrences(view, within, &frames);
        let sum = sum(outermost
            .iter()
            .map(|&node| view.tree.inclusive(metric, node)));
        let sum = Scale::for_values(view.recording.metric(metric).unit, sum).with_unit(sum);
        messages::heaviest_of(&name_of(view, &frames, name), &count, &sum, &label)
    });
    Ok((node, remark))
}

pub struct AllOccurrences {
    pub name: String,
    /// `None` if they form one subtree of the queried view.
    pub merged: Option<View>,
    /// Of `merged`, or of that subtree.
    pub root: NodeId,
    pub count: usize,
}

/// Merges all occurrences into one tree, with recursion counted once.
pub fn all_occurrences(
    view: &View,
    option: &str,
    name: &str,
    within: NodeId,
) -> Result<AllOccurrences, QueryError> {
    let frames = frames_named(view, option, name)?;
    let all = occurrences_of(view, &frames, within)?;
    let all = all.ok_or_else(|| QueryError::not_in_part(option, name))?;
    let name = name_of(view, &frames, name);
    Ok(AllOccurrences { name, ..all })
}

pub fn occurrences_of(
    view: &View,
    frames: &[FrameId],
    within: NodeId,
) -> Result<Option<AllOccurrences>, QueryError> {
    let (merged, root) = match outermost_occurrences(view, within, frames)[..] {
        [] => return Ok(None),
        [root] => (None, root),
        ref roots => (Some(merged(view, roots)?), NodeId::ROOT),
    };
    let nodes = |&frame: &FrameId| occurrences_within(view, within, frame).len();
    Ok(Some(AllOccurrences {
        name: view.frames.list_name(frames[0]).into_owned(),
        merged,
        root,
        count: frames.iter().map(nodes).sum(),
    }))
}

/// `Type.*` if all methods of a type were requested, else the first one found.
fn name_of(view: &View, frames: &[FrameId], requested: &str) -> String {
    match frames {
        [first, ..] if !is_type_pattern(requested) => view.frames.list_name(*first).into_owned(),
        _ => requested.into(),
    }
}

/// Whether a node of merged threads merges nodes of several threads with the same callers.
pub fn merges_threads(view: &View, node: NodeId) -> bool {
    if !view.has_merged_threads() {
        return false;
    }
    let is_above = |thread: &Thread| view.tree.contains(thread.node, node);
    let Some(at) = view.threads.iter().position(is_above) else {
        return false;
    };
    let path = view.tree.upward(node);
    let path = path.take_while(|&above| above != view.threads[at].node);
    let mut path: Vec<FrameId> = path.map(|above| view.tree.frame(above)).collect();
    path.reverse();
    let recorded = view.recording.tree_of(view.form);
    let has_path = |&&row: &&usize| {
        let tree = &recorded.tree;
        let below = |nodes: Vec<RecordedNode>, frame: &FrameId| {
            let callees = nodes.into_iter().flat_map(|node| tree.children(node));
            callees.filter(|&node| tree.frame(node) == *frame).collect()
        };
        let nodes = path.iter().fold(vec![recorded.threads()[row]], below);
        !nodes.is_empty()
    };
    view.rows_of_thread(at).iter().filter(has_path).count() > 1
}
