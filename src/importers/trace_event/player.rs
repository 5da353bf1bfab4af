//! The events of a thread, played in time order.

use super::rows::EventNames;
use crate::diagnostics::Anomaly;
use crate::importers::anomalies::Anomalies;
use crate::model::{Charges, Closed, FrameId, TooLarge, Track};
use std::cmp::Reverse;

/// The maximum number of `E` events at one time whose `B` may follow.
const MAX_STRAYS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventAction {
    /// `B`
    Begin(FrameId),
    /// `E`, with its name if it has one.
    End(Option<u32>),
    /// `X`, with its end.
    Complete(FrameId, u64),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlayedStep {
    pub at: u64,
    pub action: EventAction,
}

impl PlayedStep {
    /// Simultaneous `B` and `E` stay as in the file; then come `X`, longer ones first, so that they nest.
    fn order(&self) -> (u64, bool, Reverse<u64>) {
        match self.action {
            EventAction::Complete(_, end) => (self.at, true, Reverse(end)),
            _ => (self.at, false, Reverse(0)),
        }
    }
}

pub(super) struct Player<'a> {
    track: Track,
    charges: Charges<'a>,
    rows: &'a EventNames,
    anomalies: &'a mut Anomalies,
    /// The names of `E` events without a `B`, which may follow at the same time, `strays_at`.
    stray_ends: Vec<u32>,
    strays_at: u64,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        track: Track,
        charges: Charges<'a>,
        rows: &'a EventNames,
        anomalies: &'a mut Anomalies,
    ) -> Player<'a> {
        Player {
            track,
            charges,
            rows,
            anomalies,
            stray_ends: Vec::new(),
            strays_at: 0,
        }
    }

    pub(super) fn play(mut self, mut steps: Vec<PlayedStep>) -> Result<(), TooLarge> {
        steps.sort_by_key(PlayedStep::order);
        for step in steps {
            if self.strays_at != step.at {
                self.drop_strays();
                self.strays_at = step.at;
            }
            self.step(step)?;
        }
        self.drop_strays();
        let unended = self.track.close(&mut self.charges);
        self.anomalies.add(Anomaly::FramesUnended, unended as u64);
        Ok(())
    }

    fn drop_strays(&mut self) {
        let count = self.stray_ends.len() as u64;
        self.anomalies.add(Anomaly::EndsNotOpen, count);
        self.stray_ends.clear();
    }

    fn step(&mut self, PlayedStep { at, action }: PlayedStep) -> Result<(), TooLarge> {
        let (track, charges, rows) = (&mut self.track, &mut self.charges, self.rows);
        match action {
            EventAction::Begin(frame) => {
                track.advance(charges, at);
                let node = track.enter(charges, frame)?;
                track.count_call(charges, node);
                let name = rows.name(frame);
                let stray = self.stray_ends.iter().position(|end| Some(*end) == name);
                if let Some(stray) = stray {
                    self.stray_ends.swap_remove(stray);
                    track.leave(charges, at, |open| rows.name(open) == name);
                }
            }
            EventAction::Complete(frame, end) => {
                track.advance(charges, at);
                let node = track.enter_until(charges, frame, end)?;
                track.count_call(charges, node);
            }
            EventAction::End(name) => {
                let is_same = |open| name.is_none() || rows.name(open) == name;
                let closed = track.leave(charges, at, is_same);
                let has_room = self.stray_ends.len() < MAX_STRAYS;
                match name.filter(|_| closed == Closed::NotOpen && has_room) {
                    Some(name) => self.stray_ends.push(name),
                    None => self.anomalies.count_end(closed),
                }
            }
        }
        Ok(())
    }
}
