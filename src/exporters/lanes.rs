//! Process and thread ids in trace events.

use super::part::Part;
use super::tracks::ExportTrack;
use crate::model::{NodeId, Process};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneIds {
    pub process: u64,
    pub thread: u64,
}

pub(super) fn lanes(part: &Part, tracks: &[ExportTrack]) -> Vec<LaneIds> {
    let by_node = processes_by_node(part);
    // 0 means that an id is unknown
    let is_id = |id: &u64| (1..=i64::MAX as u64).contains(id);
    let number = |node: Option<NodeId>| Some(by_node.get(&node?)?.id).filter(is_id);
    let mut seen = HashSet::new();
    let nodes = tracks.iter().map(|track| track.process);
    let nodes: Vec<Option<NodeId>> = nodes.filter(|node| seen.insert(*node)).collect();
    let ids = distribute(nodes.iter().map(|&node| ((), number(node))));
    let processes: HashMap<Option<NodeId>, u64> = nodes.into_iter().zip(ids).collect();
    let requested = tracks.iter().map(|track| {
        let id = track.thread.and_then(|(_, thread)| number_of(&thread.id));
        (processes[&track.process], id)
    });
    let lanes = requested.clone().zip(distribute(requested));
    let lanes = lanes.map(|((process, _), thread)| LaneIds { process, thread });
    lanes.collect()
}

pub(super) fn number_of(id: &str) -> Option<u64> {
    let number = id.parse::<i64>().ok().filter(|number| *number >= 0)?;
    (number.to_string() == id).then_some(number as u64)
}

/// Ids unique in their group: the requested one if free, otherwise the smallest free one.
fn distribute<G: Copy + Eq + Hash>(requested: impl Iterator<Item = (G, Option<u64>)>) -> Vec<u64> {
    let requested: Vec<(G, Option<u64>)> = requested.collect();
    let mut taken = HashSet::new();
    let granted = requested.iter();
    let granted = granted.map(|&(group, id)| id.filter(|&id| taken.insert((group, id))));
    let granted: Vec<Option<u64>> = granted.collect();
    let mut next: HashMap<G, u64> = HashMap::new();
    let mut free = |group: G| {
        let next = next.entry(group).or_insert(1);
        while !taken.insert((group, *next)) {
            *next += 1;
        }
        *next
    };
    let rows = requested.iter().zip(granted);
    rows.map(|(&(group, _), id)| id.unwrap_or_else(|| free(group)))
        .collect()
}

pub(super) fn processes_by_node<'a>(part: &Part<'a>) -> HashMap<NodeId, &'a Process> {
    let processes = part.view.processes.iter();
    processes.map(|process| (process.node, process)).collect()
}

#[cfg(test)]
mod tests;
