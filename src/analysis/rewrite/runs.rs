//! Shows each run of frames as one row: async infrastructure, system code, groups.

use super::shape::{Fate, ReshapedTree};
use crate::model::{
    BuildError, Collapsible, FrameId, Frames, GroupBy, GroupEntry, NodeId, NodeRef, Progress,
    RawNode, Synthetic, View,
};
use crate::names::{Category, FrameKind, namespace_and_type};
use crate::text::ENTERED_BY;
use std::collections::HashMap;

/// Adjacent frames of the same group are a run.
pub(crate) struct Runs {
    group_of: Vec<Option<u32>>,
    groups: Vec<RunGroup>,
    kind: RunKind,
}

#[derive(Clone, Copy)]
enum RunKind {
    Collapsible(Collapsible),
    Group(GroupBy),
}

struct RunGroup {
    /// Raw and display name of its rows; `None` if a frame is its own group.
    names: Option<(String, String)>,
    first: FrameId,
}

impl Runs {
    /// All collapsible frames are one group.
    pub(crate) fn of_collapsible(view: &View, frames: Collapsible) -> Runs {
        let is_collapsed = |id: FrameId| {
            let frame = view.frames.get(id);
            // special frames, such as the collector and truncated stacks, are informative and stay
            let is_code = frame.kind == FrameKind::Method
                || matches!(frame.synthetic, Some(Synthetic::Collapsed { .. }));
            is_code
                && match frames {
                    Collapsible::Plumbing => frame.is_plumbing,
                    Collapsible::System => {
                        matches!(frame.category, Category::System | Category::Native)
                    }
                }
        };
        let frame_ids = view.frames.iter().map(|(id, _)| id);
        let group_of: Vec<_> = frame_ids.map(|id| is_collapsed(id).then_some(0)).collect();
        let first = FrameId::at(group_of.iter().position(Option::is_some).unwrap_or(0));
        Runs {
            group_of,
            groups: vec![RunGroup { names: None, first }],
            kind: RunKind::Collapsible(frames),
        }
    }

    /// Each special frame is its own group.
    pub(crate) fn of_groups(view: &View, by: GroupBy) -> Runs {
        let mut runs = Runs {
            group_of: Vec::new(),
            groups: Vec::new(),
            kind: RunKind::Group(by),
        };
        let mut named: HashMap<String, u32> = HashMap::new();
        for (id, frame) in view.frames.iter() {
            let next = runs.groups.len() as u32;
            let name = (frame.kind == FrameKind::Method).then(|| group_name(&view.frames, id, by));
            let group = frame.kind.is_code().then(|| match &name {
                Some(name) => *named.entry(name.clone()).or_insert(next),
                None => next,
            });
            if group == Some(next) {
                let names = name.map(|name| match by {
                    GroupBy::Type => (name.clone(), short_type(&name).to_string()),
                    _ => (name.clone(), name),
                });
                runs.groups.push(RunGroup { names, first: id });
            }
            runs.group_of.push(group);
        }
        runs
    }

    fn is_synthetic(&self, group: u32) -> bool {
        matches!(self.kind, RunKind::Collapsible(_)) || self.groups[group as usize].names.is_some()
    }
}

/// Replaces each method's frame by that of its group, so that sums by frame are sums by group. A group is user code if
/// any of its methods is.
pub fn grouped(view: &View, by: GroupBy) -> View {
    let Runs {
        group_of, groups, ..
    } = Runs::of_groups(view, by);
    let mut is_user = vec![false; groups.len()];
    for ((_, frame), group) in view.frames.iter().zip(&group_of) {
        if let (Category::User, Some(group)) = (frame.category, group) {
            is_user[*group as usize] = true;
        }
    }
    let mut frames = view.frames.clone();
    let frame_of = |(group, is_user): (&RunGroup, bool)| {
        let first = group.first;
        let Some((name, _)) = &group.names else {
            return first;
        };
        let category = match is_user {
            true => Category::User,
            false => frames.get(first).category,
        };
        let entered = GroupEntry::By(first);
        let synthetic = Synthetic::Group { by, first, entered };
        let name = name.replace('+', ".");
        frames.add_synthetic_row(synthetic, &name, &name, category)
    };
    let groups: Vec<FrameId> = groups.iter().zip(is_user).map(frame_of).collect();
    view.with_frames(frames, |frame| {
        group_of[frame.index()].map_or(frame, |group| groups[group as usize])
    })
}

fn group_name(frames: &Frames, id: FrameId, by: GroupBy) -> String {
    let parts = || namespace_and_type(frames.name(id));
    let (name, placeholder) = match by {
        GroupBy::Module => (frames.module(id).to_string(), "[no module]"),
        GroupBy::Namespace => (parts().unwrap_or_default().0, "[no namespace]"),
        GroupBy::Type => match parts() {
            None => return "[no type]".into(),
            Some((namespace, type_name)) if namespace.is_empty() => return type_name,
            Some((namespace, type_name)) => return format!("{namespace}+{type_name}"),
        },
    };
    match name.is_empty() {
        true => placeholder.into(),
        false => name,
    }
}

/// The namespace ends at `+`.
fn short_type(name: &str) -> &str {
    name.split_once('+')
        .map_or(name, |(_, type_name)| type_name)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeFate {
    Outside,
    Collapsed,
    Opened,
}

/// Collapses each run into one row, and merges equal rows below a caller. Runs whose topmost nodes are in `opened` stay
/// expanded. A row's calls are those that enter it.
pub(crate) fn collapse_runs(
    view: &View,
    runs: &Runs,
    mut opened: Vec<NodeId>,
    progress: &Progress,
) -> Result<View, BuildError> {
    opened.sort_unstable();
    let tree = &view.tree;
    let mut fates = vec![NodeFate::Outside; tree.len()];
    // placeholder frames until the contents of rows are known
    let placeholder = |group: u32| FrameId::at(view.frames.len() + group as usize);
    let mut shape = ReshapedTree::grow(view, progress, |node| {
        let Some(group) = runs.group_of[tree.frame(node).index()] else {
            return Fate::Stays;
        };
        let caller = tree
            .parent(node)
            .filter(|&caller| runs.group_of[tree.frame(caller).index()] == Some(group));
        let fate = caller.map_or(NodeFate::Outside, |caller| fates[caller.index()]);
        let is_top = fate == NodeFate::Outside;
        fates[node.index()] = match is_top {
            false => fate,
            true if opened.binary_search(&node).is_ok() => NodeFate::Opened,
            true => NodeFate::Collapsed,
        };
        match (fates[node.index()], caller) {
            (NodeFate::Collapsed, Some(caller)) if !is_top => Fate::Joins(caller),
            (NodeFate::Collapsed, _) if runs.is_synthetic(group) => {
                Fate::StaysAs(placeholder(group))
            }
            _ => Fate::Stays,
        }
    })?;
    let mut frames = view.frames.clone();
    name_rows(&mut shape, &mut frames, runs, &fates);
    Ok(shape.finish(frames, None, true))
}

fn name_rows(shape: &mut ReshapedTree, frames: &mut Frames, runs: &Runs, fates: &[NodeFate]) {
    let view = shape.view;
    let tree = &view.tree;
    let is_entry = |node: NodeId| {
        let above = tree
            .parent(node)
            .filter(|above| fates[above.index()] == NodeFate::Collapsed);
        let group = |node: NodeId| runs.group_of[tree.frame(node).index()];
        above.is_none_or(|above| group(above) != group(node))
    };
    let counts_all = matches!(runs.kind, RunKind::Collapsible(_));
    let collapsed = tree.nodes().filter(|node| {
        fates[node.index()] == NodeFate::Collapsed && (counts_all || is_entry(*node))
    });
    let parts = collapsed.filter_map(|node| Some((shape.place_of(node)?, tree.frame(node))));
    let (firsts, others) = row_parts(shape.len(), parts);
    let mut remaining = others.as_slice();
    let mut known: HashMap<Synthetic, FrameId> = HashMap::new();
    let mut known_by_entry: Vec<Option<FrameId>> = vec![None; view.frames.len()];
    let first_placeholder = view.frames.len();
    shape.rename(|row, frame| {
        let Some(group) = frame.index().checked_sub(first_placeholder) else {
            return frame;
        };
        // rows are ascending, so earlier entries aren't needed again
        let skipped = remaining.iter().take_while(|(other, _)| *other < row);
        remaining = &remaining[skipped.count()..];
        let frames_of_row = remaining.iter().take_while(|(other, _)| *other == row);
        let more = frames_of_row.count();
        remaining = &remaining[more..];
        let first = firsts[row.0 as usize].unwrap_or(runs.groups[group].first);
        let synthetic = synthetic_row(runs, group, first, more);
        let mut name = || group_frame(frames, &runs.groups[group], synthetic);
        match synthetic {
            // most group rows are entered by a single frame, which identifies the group
            Synthetic::Group {
                entered: GroupEntry::By(entry),
                ..
            } => *known_by_entry[entry.index()].get_or_insert_with(name),
            _ => *known.entry(synthetic).or_insert_with(&mut name),
        }
    });
}

/// The first of each row's distinct frames, or of those by which it is entered, and the others in row order.
fn row_parts(
    rows: usize,
    parts: impl Iterator<Item = (RawNode, FrameId)>,
) -> (Vec<Option<FrameId>>, Vec<(RawNode, FrameId)>) {
    let (mut firsts, mut others) = (vec![None; rows], Vec::new());
    for (row, frame) in parts {
        let first = *firsts[row.0 as usize].get_or_insert(frame);
        if first != frame {
            others.push((row, frame));
        }
    }
    others.sort_unstable();
    others.dedup();
    (firsts, others)
}

fn synthetic_row(runs: &Runs, group: usize, frame: FrameId, more: usize) -> Synthetic {
    let count = u32::try_from(more).unwrap_or(u32::MAX).saturating_add(1);
    match runs.kind {
        RunKind::Collapsible(frames) => Synthetic::Collapsed { frames, count },
        RunKind::Group(by) => Synthetic::Group {
            by,
            first: runs.groups[group].first,
            entered: match more {
                0 => GroupEntry::By(frame),
                _ => GroupEntry::ByAnyOf(count),
            },
        },
    }
}

fn group_frame(frames: &mut Frames, group: &RunGroup, synthetic: Synthetic) -> FrameId {
    match (synthetic, &group.names) {
        (Synthetic::Group { first, entered, .. }, Some((name, shown))) => {
            let category = frames.get(first).category;
            let entry = match entered {
                GroupEntry::By(frame) => format!("{ENTERED_BY}{}", frames.display_name(frame)),
                GroupEntry::ByAnyOf(count) => format!("{count} entries"),
            };
            let (name, shown) = (name.replace('+', "."), format!("{shown} ({entry})"));
            frames.add_synthetic_row(synthetic, &name, &shown, category)
        }
        _ => {
            let name = synthetic.name();
            frames.add_synthetic_row(synthetic, &name, &name, Category::System)
        }
    }
}

/// The nodes to add to a step's `opened` to expand a row: the topmost of those it consists of.
pub fn nodes_to_open(view: &View, row: NodeId) -> Vec<NodeRef> {
    let nodes = view.to_uncollapsed(row).into_iter();
    let uncollapsed = view.uncollapsed();
    nodes.map(|node| uncollapsed.node_ref(node)).collect()
}
