//! The page's timeline: everything, each thread, events, and the stack at each moment.

use super::{Page, escaped, section};
use crate::exporters::messages;
use crate::model::{NodeId, TimeRange};
use crate::object::{IfAny, object};
use crate::query::{MarkerLane, TimelineAnswer, TimelineBy, TimelineLane, round_times, timeline};
use crate::units::{counted, thousands};
use serde::Serialize;
use std::collections::HashMap;

const BUCKETS: usize = 240;
const LANES: usize = 24;
/// The listed frames of a stack, from its leaf.
const MAX_STACKED: usize = 100;
const MAX_MARKS: u64 = 6;

/// One row per node: its caller's row and its name.
#[derive(Default)]
struct Stacks {
    rows: Vec<(Option<usize>, usize)>,
    places: HashMap<NodeId, usize>,
}

impl Stacks {
    fn row_of(&mut self, page: &mut Page, node: NodeId) -> usize {
        let mut new = vec![node];
        new.extend(page.view.tree.ancestors(node).take(MAX_STACKED));
        let is_known = |node: &NodeId| self.places.contains_key(node);
        let known = new.iter().position(is_known).unwrap_or(new.len());
        let mut above = new.get(known).map(|node| self.places[node]);
        for &node in new[..known].iter().rev() {
            self.rows.push((above, page.name_row(page.view, node)));
            above = Some(self.rows.len() - 1);
            self.places.insert(node, self.rows.len() - 1);
        }
        above.unwrap_or(0)
    }
}

impl Page<'_> {
    /// The timeline's section and its script's data; empty if the source has no times.
    pub(super) fn time(&mut self) -> (String, IfAny<impl Serialize + use<>>) {
        let found = self.times();
        let answer = match &found {
            Ok(answer) => answer,
            Err(why) => {
                let why = escaped(why);
                return (section("time", messages::PAGE_TIME, &why, ""), IfAny(None));
            }
        };
        let mut stacks = Stacks::default();
        let mut lanes = vec![lane(answer, self, &answer.all, None)];
        let mut rows = self.lane_row(&answer.all, messages::PAGE_ALL);
        for thread in &answer.lanes {
            let of = self.stacks_of(answer, thread, &mut stacks);
            lanes.push(lane(answer, self, thread, Some(of)));
            rows += &self.lane_row(thread, &thread.name);
        }
        let marks = answer.markers.iter().filter(|lane| lane.kind.is_notable());
        let marks: Vec<&MarkerLane> = marks.collect();
        let row = |lane: &&MarkerLane| {
            let count = thousands(lane.counts.iter().sum());
            format!(
                "<div class=lane><span>{}</span><span class=v>{count}</span><svg viewBox=\"0 0 {BUCKETS} 8\" preserveAspectRatio=none><path class=mark /></svg></div>\n",
                lane.kind.title()
            )
        };
        rows.extend(marks.iter().map(row));
        let more = messages::page_more_threads(&counted(answer.left_out as u64, "thread"));
        let more = match answer.left_out {
            0 => String::new(),
            _ => format!("<p class=about>{more}"),
        };
        let ruler = ruler(answer);
        let body = format!("<div id=lanes>{rows}{ruler}</div>{more}<div id=moment></div>");
        let boundary = |bucket| answer.timeline.buckets.boundary_ns(bucket);
        let data = object! {
            from_ns: boundary(0),
            to_ns: boundary(BUCKETS),
            buckets: BUCKETS,
            lanes,
            marks: marks.iter().map(|lane| lane.counts.clone()).collect::<Vec<_>>(),
            stacks: stacks.rows,
        };
        (
            section("time", messages::PAGE_TIME, messages::PAGE_TIME_KEYS, &body),
            IfAny(Some(data)),
        )
    }

    fn times(&self) -> Result<TimelineAnswer, String> {
        let by = TimelineBy::Thread;
        let answer = timeline(self.view, &self.request, by, BUCKETS, false, LANES);
        let answer = answer.map_err(|error| error.to_string())?;
        // merged subtrees and inverted trees don't know their samples
        match answer.all.values.total(true) == answer.part.total {
            true => Ok(answer),
            false => Err(messages::PAGE_OF_SEVERAL.into()),
        }
    }

    /// By bucket of a lane: the row of the stack that took most of it (-1 for none), and the number of buckets.
    fn stacks_of(
        &mut self,
        answer: &TimelineAnswer,
        lane: &TimelineLane,
        stacks: &mut Stacks,
    ) -> Vec<(i64, usize)> {
        let mut runs: Vec<(i64, usize)> = Vec::new();
        for bucket in 0..BUCKETS {
            let range = TimeRange {
                from_ns: answer.timeline.buckets.boundary_ns(bucket),
                to_ns: answer.timeline.buckets.boundary_ns(bucket + 1),
            };
            let timeline = &answer.timeline;
            let found = timeline.stack_at(self.view, self.request.within, &lane.threads, range);
            let row = found.map_or(-1, |node| stacks.row_of(self, node) as i64);
            match runs.last_mut() {
                Some((last, count)) if *last == row => *count += 1,
                _ => runs.push((row, 1)),
            }
        }
        runs
    }

    fn lane_row(&self, lane: &TimelineLane, name: &str) -> String {
        let value = self
            .scale
            .number(lane.values.total(self.measure.counts_waiting));
        format!(
            "<div class=\"lane of\"><span>{}</span><span class=v>{value}</span><svg viewBox=\"0 0 {BUCKETS} 8\" preserveAspectRatio=none>\
             <path class=wait /><path class=run /><path class=cursor /></svg></div>\n",
            escaped(name)
        )
    }
}

fn lane(
    answer: &TimelineAnswer,
    page: &Page,
    lane: &TimelineLane,
    stacks: Option<Vec<(i64, usize)>>,
) -> impl Serialize + use<> {
    let full = answer.full(page.view, lane);
    object! {
        name: lane.name.clone(),
        full: full[0].max(1),
        running: lane.values.running.clone(),
        waiting: lane.values.waiting.clone(),
        stacks: IfAny(stacks),
    }
}

fn ruler(answer: &TimelineAnswer) -> String {
    let range = answer.timeline.range;
    let span = (range.to_ns - range.from_ns).max(1);
    let marks = round_times(range, |step, _| step.saturating_mul(MAX_MARKS) >= span);
    let mark = |(at, label): (u64, String)| {
        let left = (at - range.from_ns) as f64 * 100.0 / span as f64;
        let has_room = left < 90.0;
        has_room.then(|| format!("<span style=\"left:{left:.2}%\">{label}</span>"))
    };
    let marks: String = marks.into_iter().filter_map(mark).collect();
    format!("<div class=\"lane ruler\"><span></span><span></span><div>{marks}</div></div>")
}
