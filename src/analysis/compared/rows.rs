//! The methods of a comparison, each with what it had on both sides.

use super::chance::{LEVEL, beyond_chance};
use super::merging::Compared;
use super::ranks::{median, rank_sum_p};
use super::sides::{Estimate, Sides};
use super::{AFTER, BEFORE};
use crate::analysis::{Hotspot, HotspotOrder, hotspots};
use crate::model::Chance;
use crate::model::{CountKind, FrameId, MetricId, NodeId, RecordedNode, View};
use std::collections::HashMap;

/// On which sides a method was recorded, with time or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Both,
    /// After the change only.
    New,
    /// Before the change only.
    Vanished,
}

impl Presence {
    pub fn name(self) -> &'static str {
        match self {
            Presence::Both => "both",
            Presence::New => "new",
            Presence::Vanished => "vanished",
        }
    }
}

/// A method on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedMethod {
    pub frame: FrameId,
    /// Where it was recorded.
    pub presence: Presence,
    /// Its values without callees.
    pub exclusive: Estimate,
    /// Its values with callees.
    pub inclusive: Estimate,
    /// Its calls, or samples with recursion counted once, of the files of each side, where both count the same.
    pub counts: Option<Estimate>,
    /// The samples in which it ran itself, before and after.
    pub own_samples: [Option<u64>; 2],
}

impl ComparedMethod {
    /// The difference that an order is about.
    pub fn estimate(&self, order: HotspotOrder) -> &Estimate {
        match order {
            HotspotOrder::Exclusive => &self.exclusive,
            HotspotOrder::Inclusive => &self.inclusive,
        }
    }
}

impl Compared {
    /// On which sides a method was recorded.
    pub fn presence(&self, frame: FrameId) -> Presence {
        match self.occurs.get(frame.index()) {
            Some([true, false]) => Presence::Vanished,
            Some([false, true]) => Presence::New,
            _ => Presence::Both,
        }
    }

    /// The difference of the totals of a view of it, judged alone.
    pub fn total(&self, view: &View) -> Estimate {
        let value = |metric: &MetricId| view.tree.inclusive(*metric, NodeId::ROOT);
        let sides = Sides {
            before: value(&BEFORE),
            after: value(&AFTER),
        };
        let files = self
            .files
            .each_ref()
            .map(|files| files.iter().map(value).collect());
        let frame = self.recording.original.tree.frame(RecordedNode::ROOT);
        let mut total = self.estimate(frame, HotspotOrder::Inclusive, sides, &files);
        if let Some(p) = total.p {
            total.chance = if p <= LEVEL {
                Chance::Beyond
            } else {
                Chance::Within
            };
        }
        total
    }

    /// A method's difference without verdict: with callees or without.
    fn estimate(
        &self,
        frame: FrameId,
        order: HotspotOrder,
        sides: Sides,
        files: &[Vec<u64>; 2],
    ) -> Estimate {
        if self.files.iter().any(|files| !files.is_empty()) {
            let sides = Sides {
                before: median(&files[0]),
                after: median(&files[1]),
            };
            let p = rank_sum_p(&files[0], &files[1]);
            let chance = match p {
                None => Chance::NotTested,
                Some(p) if p <= LEVEL => Chance::Beyond,
                Some(_) => Chance::Within,
            };
            return Estimate {
                p,
                ..Estimate::untested(sides, chance)
            };
        }
        let [Some(before), Some(after)] = &self.spreads else {
            return Estimate::untested(sides, Chance::NotTested);
        };
        let at = usize::from(order == HotspotOrder::Inclusive);
        let per_step = [before, after].map(|spread| spread.per_step(frame)[at]);
        Estimate::sampled(
            sides,
            per_step,
            self.scale,
            before.freedom().zip(after.freedom()).map(|(a, b)| a + b),
        )
    }
}

/// The methods with a value or a count on either side within disjoint, ascending subtrees of a view of a comparison. Which
/// differences are more than chance is judged together, own and inclusive ones, so that hardly any list has one that is chance
/// ([`LEVEL`]). O(nodes · files).
pub fn compared_methods(compared: &Compared, view: &View, roots: &[NodeId]) -> Vec<ComparedMethod> {
    let [before, after] = [BEFORE, AFTER].map(|metric| by_frame(view, roots, metric));
    let files = [0, 1].map(|side| {
        compared.files[side]
            .iter()
            .map(|&metric| by_frame(view, roots, metric))
            .collect::<Vec<_>>()
    });
    let counts_alike = view.recording.metric(BEFORE).counts == view.recording.metric(AFTER).counts;
    let mut frames: Vec<FrameId> = before.keys().chain(after.keys()).copied().collect();
    frames.sort_unstable();
    frames.dedup();
    let mut rows = Vec::new();
    for frame in frames {
        let found = [before.get(&frame), after.get(&frame)];
        let sides = |value: &dyn Fn(&Hotspot) -> u64| {
            let [before, after] = found.map(|row| row.map_or(0, value));
            Sides { before, after }
        };
        let estimate = |order: HotspotOrder| {
            let of_files = |side: usize| {
                files[side]
                    .iter()
                    .map(|rows| rows.get(&frame).map_or(0, |row| row.value(order)))
                    .collect::<Vec<_>>()
            };
            compared.estimate(
                frame,
                order,
                sides(&|row| row.value(order)),
                &[of_files(0), of_files(1)],
            )
        };
        let counts = sides(&|row| row.count.unwrap_or(0));
        let is_exact = view.recording.metric(AFTER).counts == Some(CountKind::Calls);
        let chance = if is_exact {
            Chance::Exact
        } else {
            Chance::NotTested
        };
        let is_counted = counts_alike && view.recording.metric(AFTER).counts.is_some();
        let row = ComparedMethod {
            frame,
            presence: compared.presence(frame),
            exclusive: estimate(HotspotOrder::Exclusive),
            inclusive: estimate(HotspotOrder::Inclusive),
            counts: is_counted.then(|| Estimate::untested(counts, chance)),
            own_samples: found.map(|row| row.and_then(|row| row.own_samples)),
        };
        let has_values = |sides: Sides| sides != Sides::default();
        if has_values(row.inclusive.sides) || has_values(row.exclusive.sides) || has_values(counts)
        {
            rows.push(row);
        }
    }
    judge(&mut rows);
    rows
}

fn by_frame(
    view: &View,
    roots: &[NodeId],
    metric: MetricId,
) -> HashMap<FrameId, Hotspot, foldhash::fast::RandomState> {
    hotspots(view, roots, metric)
        .into_iter()
        .map(|row| (row.frame, row))
        .collect()
}

/// Gives sampled differences their verdicts. Those of several files have theirs, each for itself.
fn judge(rows: &mut [ComparedMethod]) {
    let mut estimates: Vec<&mut Estimate> = rows
        .iter_mut()
        .flat_map(|row| [&mut row.exclusive, &mut row.inclusive])
        .filter(|row| row.z.is_some())
        .collect();
    let p: Vec<f64> = estimates
        .iter()
        .map(|estimate| estimate.p.unwrap_or(1.0))
        .collect();
    for (estimate, is_beyond) in estimates.iter_mut().zip(beyond_chance(&p)) {
        estimate.chance = if is_beyond {
            Chance::Beyond
        } else {
            Chance::Within
        };
    }
}

#[cfg(test)]
mod tests;
