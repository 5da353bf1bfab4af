use super::rows::EventNames;
use crate::diagnostics::{Anomaly, partly};
use crate::importers::anomalies::Anomalies;
use crate::model::{Charges, Closed, FrameId, RawNode, TooLarge, Track};
use std::cmp::Reverse;
use std::collections::HashMap;

/// How many `E` events at one time may precede their `B`.
const MAX_STRAYS: usize = 16;
/// After this many `B` and `E` events in order, a thread's events are assumed to stay in order.
const MAX_PENDING_EVENTS: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventAction {
    Begin(FrameId),
    /// `E`, perhaps with a name.
    End(Option<u32>),
    /// `X`, with its end.
    Complete(FrameId, u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedStep {
    pub at: u64,
    pub action: EventAction,
}

pub(super) struct PlayContext<'a> {
    pub charges: Charges<'a>,
    pub rows: &'a EventNames,
    pub anomalies: &'a mut Anomalies,
}

impl PlayedStep {
    fn is_complete(&self) -> bool {
        matches!(self.action, EventAction::Complete(..))
    }

    /// Simultaneous `B` and `E` stay as in the file; then come `X`, longer ones first, so that they nest.
    fn order(&self) -> (u64, bool, Reverse<u64>) {
        match self.action {
            EventAction::Complete(_, end) => (self.at, true, Reverse(end)),
            _ => (self.at, false, Reverse(0)),
        }
    }
}

/// Of a `B` and an `X` that begin together, the longer one becomes the outer one. The steps are in order, `B` first.
fn nest_equal_begins(steps: &mut [PlayedStep], rows: &EventNames) {
    let is_begin = |step: &PlayedStep| matches!(step.action, EventAction::Begin(_));
    let is_tie = |pair: &[PlayedStep]| {
        pair[0].at == pair[1].at && !pair[0].is_complete() && pair[1].is_complete()
    };
    if !steps.windows(2).any(is_tie) {
        return;
    }
    let ends = ends(steps, rows);
    let mut start = 0;
    for group in steps.chunk_by_mut(|a, b| a.at == b.at) {
        let ends = ends[start..].iter().copied();
        start += group.len();
        if group.windows(2).any(is_tie) && group.iter().any(is_begin) {
            let mut ordered: Vec<(PlayedStep, u64)> = group.iter().copied().zip(ends).collect();
            // steps that end now stay in front
            ordered.sort_by_key(|&(step, end)| {
                let lasts = end > step.at;
                (lasts, Reverse(if lasts { end } else { 0 }))
            });
            for (step, (ordered, _)) in group.iter_mut().zip(ordered) {
                *step = ordered;
            }
        }
    }
}

/// When steps end: for `B`, at the next unmatched `E` with its name.
fn ends(steps: &[PlayedStep], rows: &EventNames) -> Vec<u64> {
    let mut ends: Vec<u64> = vec![u64::MAX; steps.len()];
    let mut open: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        match step.action {
            EventAction::Begin(frame) => open.entry(rows.name(frame)).or_default().push(index),
            EventAction::Complete(_, end) => ends[index] = end,
            EventAction::End(name) => {
                ends[index] = step.at;
                if let Some(begin) = open.get_mut(&name).and_then(Vec::pop) {
                    ends[begin] = step.at;
                }
            }
        }
    }
    ends
}

pub(super) struct Player {
    track: Track,
    /// Not played yet; `None` once events are played as they arrive.
    pending: Option<Vec<PlayedStep>>,
    is_in_order: bool,
    last_at: u64,
    /// Names of `E` events whose `B` may follow at the same time, `strays_at`.
    stray_ends: Vec<u32>,
    strays_at: u64,
}

impl Player {
    pub(super) fn new(node: RawNode, track: usize) -> Player {
        Player {
            track: Track::new(node, 0, track),
            pending: Some(Vec::new()),
            is_in_order: true,
            last_at: 0,
            stray_ends: Vec::new(),
            strays_at: 0,
        }
    }

    #[inline]
    pub(super) fn add(
        &mut self,
        step: PlayedStep,
        context: &mut PlayContext,
    ) -> Result<(), TooLarge> {
        let Some(pending) = &mut self.pending else {
            return self.play(step, context);
        };
        // if there are `X` events, everything is sorted at the end
        self.is_in_order &= step.at >= self.last_at && !step.is_complete();
        self.last_at = step.at;
        pending.push(step);
        if self.is_in_order && pending.len() >= MAX_PENDING_EVENTS {
            return self.play_pending(context);
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, context: &mut PlayContext) -> Result<(), TooLarge> {
        self.play_pending(context)?;
        self.drop_strays(context);
        let unended = self.track.close(&mut context.charges);
        context
            .anomalies
            .add(Anomaly::FramesUnended, unended as u64);
        Ok(())
    }

    fn play_pending(&mut self, context: &mut PlayContext) -> Result<(), TooLarge> {
        let mut pending = self.pending.take().unwrap_or_default();
        if !self.is_in_order {
            pending.sort_by_key(PlayedStep::order);
            nest_equal_begins(&mut pending, context.rows);
        }
        pending
            .into_iter()
            .try_for_each(|step| self.play(step, context))
    }

    fn play(&mut self, step: PlayedStep, context: &mut PlayContext) -> Result<(), TooLarge> {
        let PlayedStep { at, action } = step;
        if self.strays_at != at {
            self.drop_strays(context);
            self.strays_at = at;
        }
        let (track, charges) = (&mut self.track, &mut context.charges);
        let is_late = at < track.now;
        context.anomalies.note(partly::EVENTS_LATE, is_late);
        match action {
            EventAction::Begin(frame) => {
                track.advance(charges, at);
                let node = track.enter(charges, frame)?;
                track.count_call(charges, node);
                let name = context.rows.name(frame);
                let stray = self.stray_ends.iter().position(|end| Some(*end) == name);
                if let Some(stray) = stray {
                    self.stray_ends.swap_remove(stray);
                    track.leave(charges, at, |open| context.rows.name(open) == name);
                }
            }
            EventAction::Complete(frame, end) => {
                track.advance(charges, at);
                let node = track.enter_until(charges, frame, end)?;
                track.count_call(charges, node);
            }
            EventAction::End(name) => {
                let is_same = |open| name.is_none() || context.rows.name(open) == name;
                let closed = track.leave(charges, at, is_same);
                let has_room = self.stray_ends.len() < MAX_STRAYS;
                match name.filter(|_| closed == Closed::NotOpen && has_room) {
                    Some(name) => self.stray_ends.push(name),
                    None => context.anomalies.count_end(closed),
                }
            }
        }
        Ok(())
    }

    fn drop_strays(&mut self, context: &mut PlayContext) {
        let count = self.stray_ends.len() as u64;
        context.anomalies.add(Anomaly::EndsNotOpen, count);
        self.stray_ends.clear();
    }
}
