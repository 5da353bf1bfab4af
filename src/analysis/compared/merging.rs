//! Merges several profiles into one tree, with each side's values as a metric.

use super::matching::{FrameUnion, MergedFrames, Rename, SummedMethods};
use super::spread::Spread;
use super::{AFTER, BEFORE};
use crate::analysis::{HotspotOrder, hotspots, messages};
use crate::model::{
    ComparisonData, FrameId, Measure, Metric, MetricId, NodeId, ProfileKind, RawNode, Recording,
    Source, TooLarge, TreeBuilder, UntimedReason, View,
};
use std::sync::Arc;

pub fn compared_metric(recording: &Recording) -> String {
    named(recording.measured(BEFORE), recording.leaves_out_waiting())
}

fn named(metric: &Metric, leaves_out_waiting: bool) -> String {
    match leaves_out_waiting {
        true => messages::without_waiting(&metric.name),
        false => metric.name.clone(),
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub view: &'a View,
    pub measure: Measure,
    pub scale: f64,
}

#[derive(Clone, Debug)]
pub struct Compared {
    /// Represents the comparison. Its metrics are [`BEFORE`] and [`AFTER`] and, if a side has several files, one per
    /// file; the first two are then the means of each side.
    pub recording: Arc<Recording>,
    /// By frame: whether it occurs before and after.
    pub(super) occurs: Vec<[bool; 2]>,
    /// By frame: its heaviest node in each side's first file.
    pub(super) heaviest: [Vec<Option<NodeId>>; 2],
    /// The variances of each side that is a single sampled file.
    pub spreads: [Option<Spread>; 2],
    /// The factor of the values after, relative to that of the values before.
    pub(super) scale: f64,
    /// The metrics of each side's files; empty if both are single files.
    pub files: [Vec<MetricId>; 2],
    pub summed: Vec<SummedMethods>,
}

/// `renames` are methods that have moved. Expected O(nodes + length of names + samples · depth of stacks).
pub fn compare(before: &[Side], after: &[Side], renames: &[Rename]) -> Result<Compared, TooLarge> {
    let mut union = FrameUnion::default();
    let sides = [before, after];
    let reader = |side: &Side| {
        let source = &side.view.recording.source;
        (source.format.clone(), source.decoder.clone())
    };
    let first_reader = before.first().map(reader);
    let mut places: [Vec<MergedFrames>; 2] = Default::default();
    for (at, side) in sides.iter().enumerate() {
        for side in *side {
            let view = side.view;
            let renames = if at == 0 { renames } else { &[] };
            let rename = |name: &str| {
                let renames = renames.iter();
                renames.fold(name.to_string(), |name, rename| rename.apply(&name))
            };
            let is_one_format = Some(reader(side)) == first_reader;
            let occurs = |frame| view.occurs(frame);
            places[at].push(union.add(&view.frames, occurs, rename, is_one_format));
        }
    }
    for place in places.iter_mut().flatten().flatten() {
        *place = union.resolve(*place);
    }
    let root = union.root();
    let frames = union.frames;
    let occurs = occurs(sides, &places, frames.len());
    let heaviest = [0, 1].map(|at| heaviest(&sides[at][0], &places[at][0], frames.len()));
    let spreads = [0, 1].map(|at| {
        let [file] = sides[at] else { return None };
        let spread = Spread::of(file.view, file.measure)?;
        Some(spread.placed(&places[at][0], frames.len(), file.scale))
    });
    let (metrics, comparison, files) = metrics(sides);
    let mut builder = TreeBuilder::new(root, &metrics);
    for at in 0..2 {
        for (file, (side, places)) in sides[at].iter().zip(&places[at]).enumerate() {
            let mut columns = vec![(MetricId::at(at), 1.0 / sides[at].len() as f64)];
            columns.extend(files[at].get(file).map(|&metric| (metric, 1.0)));
            add(&mut builder, side, places, &columns)?;
        }
    }
    let tree = builder.finish(&frames, AFTER).tree;
    let mut recording = Recording::new(source(sides), frames, tree, metrics, AFTER);
    recording.samples = Err(UntimedReason::Comparison);
    recording.comparison = Some(Arc::new(comparison));
    recording.warn_of_saturated_sums();
    let scale_of = |side: &[Side]| side.first().map_or(1.0, |file| file.scale);
    Ok(Compared {
        recording: Arc::new(recording),
        occurs,
        heaviest,
        spreads,
        scale: scale_of(after) / scale_of(before),
        files,
        summed: union.summed,
    })
}

fn occurs(sides: [&[Side]; 2], places: &[Vec<MergedFrames>; 2], frames: usize) -> Vec<[bool; 2]> {
    let mut occurs = vec![[false; 2]; frames];
    for (at, side) in sides.iter().enumerate() {
        for (Side { view, .. }, places) in side.iter().zip(&places[at]) {
            for (frame, place) in (0..).map(FrameId).zip(places) {
                occurs[place.index()][at] |= view.occurs(frame);
            }
        }
    }
    occurs
}

fn heaviest(side: &Side, places: &MergedFrames, frames: usize) -> Vec<Option<NodeId>> {
    let mut rows = hotspots(side.view, &[NodeId::ROOT], side.measure);
    rows.sort_by_key(|row| row.weight(HotspotOrder::Inclusive));
    let mut heaviest = vec![None; frames];
    for row in rows {
        heaviest[places[row.frame.index()].index()] = Some(row.heaviest_node);
    }
    heaviest
}

fn metrics(sides: [&[Side]; 2]) -> (Vec<Metric>, ComparisonData, [Vec<MetricId>; 2]) {
    let leaves_out = |side: &Side| side.measure.left_out(side.view).is_some();
    let leaves_out_waiting = sides.iter().copied().flatten().any(leaves_out);
    let measured = |side: &Side| side.view.recording.metric(side.measure.metric).clone();
    let words = ["before", "after"];
    let mean = |at: usize| (measured(&sides[at][0]), words[at].to_string());
    let mut all: Vec<(Metric, String)> = vec![mean(0), mean(1)];
    let mut files: [Vec<MetricId>; 2] = Default::default();
    if sides.iter().any(|side| side.len() > 1) {
        for at in 0..2 {
            for (file, side) in sides[at].iter().enumerate() {
                files[at].push(MetricId::at(all.len()));
                all.push((measured(side), format!("{} {}", words[at], file + 1)));
            }
        }
    }
    let renamed = |(metric, words): &(Metric, String)| Metric {
        name: format!("{} {words}", named(metric, leaves_out_waiting)),
        ..metric.clone()
    };
    let metrics = all.iter().map(renamed).collect();
    let comparison = ComparisonData {
        metrics: all.into_iter().map(|(metric, _)| metric).collect(),
        leaves_out_waiting,
        verdicts: None,
    };
    (metrics, comparison, files)
}

fn source(sides: [&[Side]; 2]) -> Source {
    let [before, after] = sides.map(|side| side[0].view);
    let [before, after] = [&before.recording.source, &after.recording.source];
    Source {
        name: format!("{} → {}", before.name, after.name),
        kind: match before.kind == after.kind {
            true => after.kind,
            false => ProfileKind::Unknown,
        },
        facts: Vec::new(),
        format: Source::COMPARISON.into(),
        ..after.clone()
    }
}

/// Threads and other nodes above methods become part of the root.
fn add(
    builder: &mut TreeBuilder,
    side: &Side,
    places: &MergedFrames,
    columns: &[(MetricId, f64)],
) -> Result<(), TooLarge> {
    let (view, measure) = (side.view, side.measure);
    let tree = &view.tree;
    let mut nodes: Vec<RawNode> = Vec::with_capacity(tree.len());
    for node in tree.nodes() {
        let caller = tree.parent(node);
        let caller = caller.map_or(TreeBuilder::ROOT, |caller| nodes[caller.index()]);
        let frame = tree.frame(node);
        let is_method = view.frames.get(frame).kind.is_code();
        let place = match is_method {
            true => builder.merge(caller, places[frame.index()])?,
            false => TreeBuilder::ROOT,
        };
        nodes.push(place);
        let (mut inclusive, mut count) = (0, 0);
        if is_method || node == NodeId::ROOT {
            inclusive = measure.inclusive(view, node);
            count = measure.count(view, node).unwrap_or(0);
        }
        if is_method && node == NodeId::ROOT {
            // a tree whose root is a method goes below the new root
            let values = (inclusive, 0, 0);
            add_values(builder, side, TreeBuilder::ROOT, values, columns);
        }
        let values = (inclusive, measure.exclusive(view, node), count);
        add_values(builder, side, place, values, columns);
    }
    Ok(())
}

fn add_values(
    builder: &mut TreeBuilder,
    side: &Side,
    place: RawNode,
    (inclusive, exclusive, count): (u64, u64, u64),
    columns: &[(MetricId, f64)],
) {
    for &(metric, share) in columns {
        let factor = side.scale * share;
        if factor == 1.0 {
            builder.add_values(metric, place, inclusive, exclusive, count);
        } else {
            // inclusive values are summed from rounded ones, so that callees never have more than their caller
            builder.add_exclusive(metric, place, (exclusive as f64 * factor).round() as u64);
            builder.add_count(metric, place, count);
        }
    }
}
