//! A view and how it is shown.

use super::{HiddenColumns, messages};
use crate::analysis::compared::{AFTER, BEFORE, waiting_percent};
use crate::analysis::{ReadyView, sum};
use crate::model::{
    CountKind, FrameId, MOSTLY_PERCENT, Measure, MethodNotes, MetricId, NodeId, View,
};
use crate::query::PartOfWhole;
use crate::text::visible;
use crate::units::{Scale, Unit, percent};
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Clone)]
pub struct Lens {
    pub view: ReadyView,
    pub metric: MetricId,
    /// Whether waiting counts; `None` if the user has not chosen.
    pub counts_waiting: Option<bool>,
    pub shows_raw_names: bool,
    pub unit: Option<Scale>,
    pub hidden: HiddenColumns,
    /// All notes, saved or not.
    pub notes: Arc<MethodNotes>,
}

impl Lens {
    pub fn new(view: ReadyView) -> Lens {
        Lens {
            metric: view.recording.default_metric,
            counts_waiting: None,
            shows_raw_names: false,
            unit: None,
            hidden: HiddenColumns::default(),
            notes: Arc::new(view.recording.method_notes.clone()),
            view,
        }
    }

    pub fn on(&self, view: &ReadyView) -> Lens {
        Lens {
            view: view.clone(),
            ..self.clone()
        }
    }

    pub fn measure_of(&self, view: &View) -> Measure {
        let default = view.measure(self.metric);
        Measure {
            counts_waiting: self.counts_waiting.unwrap_or(default.counts_waiting),
            ..default
        }
    }

    /// The measure of a node's subtree as a tree of its own.
    pub(super) fn measure_below(&self, root: NodeId) -> Measure {
        self.measure_of(&self.view).below(&self.view, root)
    }

    pub fn is_comparison(&self) -> bool {
        self.view.recording.is_comparison()
    }

    pub fn counts(&self) -> Option<CountKind> {
        self.view.recording.metric(self.metric).counts
    }

    /// The percentage of a node's value that waits or spins, if that counts and is most of it.
    pub fn waits_percent(&self, node: NodeId) -> Option<f64> {
        let share = self.share_of_waits(node);
        share.filter(|share| *share >= MOSTLY_PERCENT)
    }

    /// For the whole view; `None` below 1%.
    pub fn waits_percent_of_all(&self) -> Option<f64> {
        let share = self.share_of_waits(NodeId::ROOT);
        share.filter(|share| *share >= 1.0)
    }

    /// Whether most of a node's exclusive value waits or spins, if that counts as work.
    pub fn mostly_waits_itself(&self, node: NodeId) -> bool {
        let (view, shown) = (&self.view, [self.metric]);
        let metrics = match self.is_comparison() {
            // a method that is gone waited only before the change
            true => &[BEFORE, AFTER][..],
            false => &shown,
        };
        let waiting = metrics.iter().map(|&metric| view.waiting(metric).own(node));
        let exclusive = metrics
            .iter()
            .map(|&metric| view.tree.exclusive(metric, node));
        let (waiting, exclusive) = (sum(waiting), sum(exclusive));
        self.measure_of(view).counts_waiting
            && waiting > 0
            && percent(waiting, exclusive) >= MOSTLY_PERCENT
    }

    fn share_of_waits(&self, node: NodeId) -> Option<f64> {
        let view = &self.view;
        let share = || match self.is_comparison() {
            true => waiting_percent(view, node),
            false => {
                let waiting = view.waiting(self.metric).within(&view.tree, node);
                percent(waiting, view.tree.inclusive(self.metric, node))
            }
        };
        self.measure_of(view).counts_waiting.then(share)
    }

    pub fn metric_name(&self, metric: MetricId) -> Cow<'_, str> {
        visible(&self.view.recording.metric(metric).name)
    }

    pub fn frame_name(&self, frame: FrameId) -> &str {
        match self.shows_raw_names {
            true => self.view.frames.name(frame),
            false => self.view.frames.display_name(frame),
        }
    }

    /// Tells overloads apart.
    pub fn list_name(&self, frame: FrameId) -> Cow<'_, str> {
        match self.shows_raw_names {
            true => self.view.frames.name(frame).into(),
            false => self.view.frames.list_name(frame),
        }
    }

    pub fn node_name(&self, node: NodeId) -> &str {
        self.frame_name(self.view.tree.frame(node))
    }

    /// The name with its signature, safe for a terminal.
    pub fn full_frame_name(&self, frame: FrameId) -> String {
        let frames = &self.view.frames;
        let name = format!("{}{}", frames.name(frame), frames.signature(frame));
        visible(&name).into_owned()
    }

    pub fn note_on(&self, frame: FrameId) -> Option<&str> {
        self.notes.of(&self.view.frames, frame)
    }

    /// False for threads and for rows that stand for several frames.
    pub(super) fn is_method(&self, frame: FrameId) -> bool {
        let frames = &self.view.frames;
        frames.synthetic(frame).is_none() && frames.get(frame).kind.is_code()
    }

    /// Long and short.
    pub fn truncation_words(&self, node: NodeId) -> Option<[&'static str; 2]> {
        let view = &self.view;
        let is_left = view.steps.scope.is_repaired && view.recording.repaired.is_some();
        let words = match is_left {
            true => [
                messages::CALLERS_NOT_FOUND,
                messages::CALLERS_NOT_FOUND_SHORT,
            ],
            false => [messages::TRUNCATED_STACKS, messages::TRUNCATED_STACKS_SHORT],
        };
        (view.frames.is_truncated(view.tree.frame(node))).then_some(words)
    }

    /// `None` if the whole tree of the first step is shown.
    pub fn part(&self) -> Option<PartOfWhole> {
        PartOfWhole::of(&self.view, self.measure_of(&self.view))
    }

    /// `3,366.6 of 3,525.9 ms left, 159.3 ms (4.5 %) saved`.
    pub fn part_words(&self) -> Option<String> {
        let part = self.part()?;
        Some(part.words(self.scale_of(part.whole)))
    }

    pub(super) fn largest(&self) -> (u64, u64) {
        self.view.largest(self.metric)
    }

    /// The scale of the largest value in the view; a focus does not change it.
    pub fn scale(&self) -> Scale {
        self.scale_of(0)
    }

    /// The same for a value that may be larger than any in the view.
    pub fn scale_of(&self, largest: u64) -> Scale {
        let unit = self.view.recording.metric(self.metric).unit;
        self.scale_in(unit, largest.max(self.largest().0))
    }

    pub fn scale_in(&self, unit: Unit, largest: u64) -> Scale {
        let preferred = self.unit.filter(|_| unit == Unit::Milliseconds);
        preferred.unwrap_or_else(|| Scale::for_values(unit, largest))
    }

    pub fn value_cells(&self) -> usize {
        self.scale().number(self.largest().0).len()
    }
}
