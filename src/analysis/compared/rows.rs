use super::chance::{LEVEL, beyond_chance};
use super::merging::Compared;
use super::ranks::{median, rank_sum_p};
use super::sides::{Estimate, Sides};
use super::{AFTER, BEFORE, sides_of};
use crate::analysis::{Hotspot, hotspots, is_charged, own_and_system, own_and_system_samples};
use crate::model::{
    ComparedValue, CountKind, FrameId, Measure, MetricId, NodeId, RecordedNode, Verdict, View,
};
use crate::words::words;
use std::collections::{BTreeSet, HashMap};

words! {
    /// The sides on which a method was recorded, even if without time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Presence {
        Both = "both",
        New = "new",
        Vanished = "vanished",
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedMethod {
    pub frame: FrameId,
    pub presence: Presence,
    pub exclusive: Estimate,
    pub inclusive: Estimate,
    /// `None` if it is not user code.
    pub own_and_system: Option<Estimate>,
    /// Calls, or samples with recursion counted once, if both sides count the same.
    pub counts: Option<Estimate>,
    /// The waiting part of `inclusive`, if waiting counts.
    pub waiting: Sides,
    pub own_samples: [Option<u64>; 2],
    pub own_and_system_samples: [Option<u64>; 2],
    /// In the first file of each side.
    pub heaviest: [Option<NodeId>; 2],
}

impl Compared {
    pub fn presence(&self, frame: FrameId) -> Presence {
        match self.occurs.get(frame.index()) {
            Some([true, false]) => Presence::Vanished,
            Some([false, true]) => Presence::New,
            _ => Presence::Both,
        }
    }

    /// Judged alone.
    pub fn total(&self, view: &View) -> Estimate {
        let value = |metric: &MetricId| view.tree.inclusive(*metric, NodeId::ROOT);
        let sides = sides_of(view, NodeId::ROOT);
        let files = self.files.each_ref();
        let files = files.map(|files| files.iter().map(value).collect());
        let frame = self.recording.original.tree.frame(RecordedNode::ROOT);
        let mut total = self.estimate(frame, ComparedValue::Inclusive, sides, &files);
        total.verdict = total.p.map_or(total.verdict, |p| verdict(p <= LEVEL));
        total
    }

    /// Leaves a verdict on samples to [`judge`].
    fn estimate(
        &self,
        frame: FrameId,
        what: ComparedValue,
        sides: Sides,
        files: &[Vec<u64>; 2],
    ) -> Estimate {
        if self.files.iter().any(|files| !files.is_empty()) {
            let sides = Sides {
                before: median(&files[0]),
                after: median(&files[1]),
            };
            let p = rank_sum_p(&files[0], &files[1]);
            let verdict = p.map_or(Verdict::NotTested, |p| verdict(p <= LEVEL));
            return Estimate {
                p,
                ..Estimate::untested(sides, verdict)
            };
        }
        let [Some(before), Some(after)] = &self.spreads else {
            return Estimate::untested(sides, Verdict::NotTested);
        };
        let variance_per_unit = [before, after].map(|spread| spread.variance_per_unit(frame, what));
        let degrees_of_freedom = before
            .degrees_of_freedom()
            .zip(after.degrees_of_freedom())
            .map(|(a, b)| a + b);
        Estimate::sampled(sides, variance_per_unit, self.scale, degrees_of_freedom)
    }
}

/// The methods with a value or count on either side. Own and inclusive differences are judged together: hardly any list
/// has one by mere chance ([`LEVEL`]).
pub fn compared_methods(compared: &Compared, view: &View, roots: &[NodeId]) -> Vec<ComparedMethod> {
    let sums = |&metric: &MetricId| SideSums::new(view, roots, metric);
    let sides = [BEFORE, AFTER].each_ref().map(sums);
    let files = compared.files.each_ref();
    let files = files.map(|files| files.iter().map(sums).collect::<Vec<_>>());
    let [before, after] = [BEFORE, AFTER].map(|metric| view.recording.metric(metric).counts);
    let counts = after.filter(|_| before == after);
    let is_sampled = counts == Some(CountKind::Samples);
    let verdict = match counts {
        Some(CountKind::Calls) => Verdict::Exact,
        _ => Verdict::NotTested,
    };
    let frames = sides.iter().flat_map(|side| side.rows.keys().copied());
    let frames: BTreeSet<FrameId> = frames.collect();
    let mut rows = Vec::new();
    for frame in frames {
        let both = |value: &dyn Fn(&SideSums) -> u64| {
            let [before, after] = sides.each_ref().map(value);
            Sides { before, after }
        };
        let estimate = |what: ComparedValue| {
            let value = |side: &SideSums| side.value(frame, what);
            let files = files.each_ref();
            let files = files.map(|files| files.iter().map(value).collect());
            compared.estimate(frame, what, both(&value), &files)
        };
        let row_of = |side: &SideSums| side.rows.get(&frame).copied();
        let count_sides = both(&|side| row_of(side).and_then(|row| row.count).unwrap_or(0));
        let is_charged = is_charged(view.frames.get(frame).category);
        let row = ComparedMethod {
            frame,
            presence: compared.presence(frame),
            exclusive: estimate(ComparedValue::Exclusive),
            inclusive: estimate(ComparedValue::Inclusive),
            own_and_system: is_charged.then(|| estimate(ComparedValue::OwnAndSystem)),
            counts: counts.map(|_| Estimate::untested(count_sides, verdict)),
            waiting: both(&|side| row_of(side).map_or(0, |row| row.waiting.value)),
            own_samples: sides.each_ref().map(|side| row_of(side)?.own_samples),
            own_and_system_samples: sides
                .each_ref()
                .map(|side| (is_charged && is_sampled).then(|| side.samples[frame.index()])),
            heaviest: compared
                .heaviest
                .each_ref()
                .map(|nodes| nodes[frame.index()]),
        };
        let values = [row.inclusive.sides, row.exclusive.sides, count_sides];
        rows.extend((values != [Sides::default(); 3]).then_some(row));
    }
    judge(&mut rows);
    rows
}

struct SideSums {
    rows: HashMap<FrameId, Hotspot, foldhash::fast::RandomState>,
    own_and_system: Vec<u64>,
    samples: Vec<u64>,
}

impl SideSums {
    fn new(view: &View, roots: &[NodeId], metric: MetricId) -> SideSums {
        let sums = own_and_system(view, roots, metric);
        // sums waiting separately; values include it in any case
        let measure = Measure {
            metric,
            counts_waiting: false,
        };
        let charged = |(frame, _)| sums.of(view, frame).map_or(0, |charged| charged.value);
        let rows = hotspots(view, roots, measure).into_iter();
        SideSums {
            rows: rows.map(|row| (row.frame, row)).collect(),
            own_and_system: view.frames.iter().map(charged).collect(),
            samples: own_and_system_samples(view, roots, metric),
        }
    }

    fn value(&self, frame: FrameId, what: ComparedValue) -> u64 {
        let row = || self.rows.get(&frame);
        match what {
            ComparedValue::Exclusive => row().map_or(0, |row| row.exclusive),
            ComparedValue::Inclusive => row().map_or(0, |row| row.inclusive),
            ComparedValue::OwnAndSystem => self.own_and_system[frame.index()],
        }
    }
}

/// Differences of several files are already judged one by one.
fn judge(rows: &mut [ComparedMethod]) {
    let mut estimates: Vec<&mut Estimate> = rows
        .iter_mut()
        .flat_map(|row| {
            [
                Some(&mut row.exclusive),
                Some(&mut row.inclusive),
                row.own_and_system.as_mut(),
            ]
        })
        .flatten()
        .filter(|row| row.z.is_some())
        .collect();
    let p = estimates.iter().map(|estimate| estimate.p.unwrap_or(1.0));
    let p: Vec<f64> = p.collect();
    for (estimate, is_beyond) in estimates.iter_mut().zip(beyond_chance(&p)) {
        estimate.verdict = verdict(is_beyond);
    }
}

fn verdict(is_beyond: bool) -> Verdict {
    match is_beyond {
        true => Verdict::Significant,
        false => Verdict::MayBeChance,
    }
}

#[cfg(test)]
mod tests;
