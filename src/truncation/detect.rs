//! Finds out whether stacks were truncated, at how many frames, and which ones.
//!
//! `docs/repair.md` describes how.

use super::ends::StackEnd;
use super::shape::{NO_TRACK, TrackShape};
use crate::model::{FrameId, RawNode, SampleLog, TreeBuilder};
use std::collections::{HashMap, HashSet};

/// .NET's EventPipe, `perf` (`kernel.perf_event_max_stack`), Event Tracing for Windows.
const KNOWN_LIMITS: [u32; 4] = [100, 127, 96, 192];
/// No recorder walks fewer frames, and so shallow a tree needs no repair.
const MIN_LIMIT: u32 = 5;
/// No recorder walks more frames; deeper stacks are endless recursion.
const MAX_LIMIT: u32 = 1024;
/// How many truncated stacks it takes to accept an unknown limit.
const MIN_SAMPLES: u64 = 20;
/// A stray entry starts at most one shallower stack per this many stacks of the limit's depth.
const STRAY_SHARE: u64 = 50;
/// Another entry of the track must be this many times as common as a stray one.
const MIN_RIVAL_FACTOR: u64 = 10;

pub(crate) struct Cuts {
    pub limit: u32,
    /// Whether each raw node is the outermost frame of truncated stacks, which are all stacks below it.
    pub is_cut_top: Vec<bool>,
}

impl Cuts {
    pub(super) fn is_cut(&self, shape: &TrackShape, node: RawNode) -> bool {
        shape.depth(node) > 0 && self.is_cut_top[shape.top(node).0 as usize]
    }
}

#[derive(Clone, Copy, Default)]
struct StartCounts {
    deep: u64,
    shallow: u64,
}

pub(super) fn detect(
    raw: &TreeBuilder,
    shape: &TrackShape,
    log: &SampleLog,
    is_nameless: impl Fn(FrameId) -> bool,
) -> Option<Cuts> {
    let counts = counts_of(raw, log);
    let counted = || {
        let nodes = (0..).map(RawNode).zip(&counts);
        nodes.filter(|(_, count)| **count > 0)
    };
    let limit = counted().map(|(node, _)| shape.depth(node)).max()?;
    if !(MIN_LIMIT..=MAX_LIMIT).contains(&limit) {
        return None;
    }
    let mut by_depth = vec![0u64; limit as usize + 1];
    let mut tops: HashMap<RawNode, StartCounts, foldhash::fast::RandomState> = HashMap::default();
    for (node, &count) in counted() {
        let depth = shape.depth(node);
        by_depth[depth as usize] += u64::from(count);
        if depth > 0 {
            let starts = tops.entry(shape.top(node)).or_default();
            match depth == limit {
                true => starts.deep += u64::from(count),
                false => starts.shallow += u64::from(count),
            }
        }
    }
    let classifier = EntryClassifier::new(raw, shape, tops);
    let (cut, truncated_samples) = classifier.cut_tops();
    let below = &by_depth[(limit as usize).saturating_sub(4).max(1)..limit as usize];
    let average = below.iter().sum::<u64>() / below.len().max(1) as u64;
    let is_spike = truncated_samples >= MIN_SAMPLES && truncated_samples * 2 >= average;
    let is_proven = || classifier.proven_samples(&cut, is_nameless) >= MIN_SAMPLES;
    if cut.is_empty() || !(KNOWN_LIMITS.contains(&limit) || is_spike && is_proven()) {
        return None;
    }
    let mut is_cut_top = vec![false; raw.len()];
    cut.iter().for_each(|top| is_cut_top[top.0 as usize] = true);
    Some(Cuts { limit, is_cut_top })
}

fn counts_of(raw: &TreeBuilder, log: &SampleLog) -> Vec<u32> {
    let mut counts = vec![0u32; raw.len()];
    let ends = log.rows_in_order().map(|row| StackEnd::of(log, row));
    for end in ends.filter(|end| !end.is_rest) {
        let count = &mut counts[end.node.0 as usize];
        *count = count.saturating_add(1);
    }
    counts
}

enum Verdict {
    Whole,
    Cut,
    /// Nothing is known about the frame.
    Unknown,
}

struct EntryClassifier<'a> {
    raw: &'a TreeBuilder,
    shape: &'a TrackShape,
    tops: HashMap<RawNode, StartCounts, foldhash::fast::RandomState>,
    starts: HashMap<FrameId, u64, foldhash::fast::RandomState>,
    /// The shallower stacks of each track, and how many of them start with the most common outermost frame.
    tracks: Vec<(u64, u64)>,
    is_called: Vec<bool>,
}

impl<'a> EntryClassifier<'a> {
    /// The outermost frames of truncated stacks, and the number of their samples.
    fn cut_tops(&self) -> (Vec<RawNode>, u64) {
        let (mut cut, mut unknown) = (Vec::new(), Vec::new());
        let (mut truncated_samples, mut unknown_samples) = (0u64, 0u64);
        for (&top, starts) in self.tops.iter().filter(|(_, starts)| starts.deep > 0) {
            match self.verdict(top, *starts) {
                Verdict::Cut => {
                    cut.push(top);
                    truncated_samples += starts.deep;
                }
                Verdict::Unknown => {
                    unknown.push(top);
                    unknown_samples += starts.deep;
                }
                Verdict::Whole => {}
            }
        }
        // unknown stacks count as truncated if others are, or if all their tracks have entries
        let has_entries = |&top: &RawNode| self.tracks[self.shape.track(top) as usize].0 > 0;
        if truncated_samples > 0 || unknown.iter().all(has_entries) {
            cut.extend(unknown);
            truncated_samples += unknown_samples;
        }
        (cut, truncated_samples)
    }

    fn new(
        raw: &'a TreeBuilder,
        shape: &'a TrackShape,
        tops: HashMap<RawNode, StartCounts, foldhash::fast::RandomState>,
    ) -> Self {
        let mut starts: HashMap<FrameId, u64, foldhash::fast::RandomState> = HashMap::default();
        let mut tracks = vec![(0, 0); shape.track_count];
        for (&top, StartCounts { shallow, .. }) in &tops {
            *starts.entry(raw.frame(top)).or_default() += shallow;
            let (all, most) = &mut tracks[shape.track(top) as usize];
            *all += shallow;
            *most = (*most).max(*shallow);
        }
        let mut is_called = Vec::new();
        for (node, _, frame) in raw.nodes() {
            if shape.track(node) != NO_TRACK && shape.depth(node) > 1 {
                if is_called.len() <= frame.index() {
                    is_called.resize(frame.index() + 1, false);
                }
                is_called[frame.index()] = true;
            }
        }
        EntryClassifier {
            raw,
            shape,
            tops,
            starts,
            tracks,
            is_called,
        }
    }

    fn verdict(&self, top: RawNode, own: StartCounts) -> Verdict {
        let frame = self.raw.frame(top);
        let (shallow, most_common) = self.tracks[self.shape.track(top) as usize];
        let elsewhere = self.starts.get(&frame).copied().unwrap_or(0);
        let is_called = self.is_called.get(frame.index()).copied().unwrap_or(false);
        let is_stray = is_called
            && own.shallow * STRAY_SHARE <= own.deep
            && most_common >= own.shallow * MIN_RIVAL_FACTOR;
        let is_entry = match (own.shallow, shallow) {
            (1.., _) => !is_stray,
            (0, 0) => elsewhere > 0,
            (0, _) => elsewhere > 0 && !is_called,
        };
        match is_entry {
            true => Verdict::Whole,
            false if is_called => Verdict::Cut,
            false => Verdict::Unknown,
        }
    }

    /// How many samples of `cut` have an outermost frame with a name that is called in stacks that start with an
    /// entry. O(nodes).
    fn proven_samples(&self, cut: &[RawNode], is_nameless: impl Fn(FrameId) -> bool) -> u64 {
        let is_named = |top: &RawNode| !is_nameless(self.raw.frame(*top));
        let shallow = self.tops.iter().filter(|(_, starts)| starts.shallow > 0);
        let shallow = shallow.map(|(&top, _)| top);
        let cut: HashSet<RawNode> = cut.iter().copied().filter(is_named).collect();
        let entries: HashSet<RawNode> = shallow
            .filter(|top| is_named(top) && !cut.contains(top))
            .collect();
        let calls = self.raw.nodes().filter(|&(node, ..)| {
            self.shape.depth(node) > 1 && entries.contains(&self.shape.top(node))
        });
        let called: HashSet<FrameId> = calls.map(|(.., frame)| frame).collect();
        cut.iter()
            .filter(|top| called.contains(&self.raw.frame(**top)))
            .map(|top| self.tops[top].deep)
            .sum()
    }
}

#[cfg(test)]
mod tests;
