//! Trees from frames that open and close in time.

use super::{FrameId, MetricId, RawNode, SampleLog, TooLarge, TreeBuilder};

/// The end of a frame of which only a later event will tell when it ends.
const NOT_KNOWN: u64 = u64::MAX;
/// How many open frames, from the innermost outwards, a close is compared with, so that a file of a million open frames
/// and as many closes that fit none of them is read in linear time.
const LOOK_BACK: usize = 1000;

/// How a close met the frames that were open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// It closed the innermost frame.
    Innermost,
    /// It is the end of an outer frame, which waits until this many frames inside are closed, or the next one opens.
    Outer(usize),
    /// No such frame was open, and nothing happened: not even time went by.
    NotOpen,
}

struct OpenSpan {
    frame: FrameId,
    node: RawNode,
    end: u64,
    /// The least `end` of this frame and all outer ones.
    least_end: u64,
}

/// Where the time of tracks goes: to the nodes of a tree and, if one is kept, to a log of samples.
pub struct Charges<'a> {
    pub builder: &'a mut TreeBuilder,
    /// The metric of time, in whose stored steps all times are.
    pub metric: MetricId,
    /// The log, which has a lane for each track. It gets a sample for each change of the stack after which time goes by, and
    /// for each call.
    pub log: Option<&'a mut SampleLog>,
}

impl Charges<'_> {
    /// The kind of samples for which time went by.
    pub const TIME: u8 = 1;
    /// The kind of samples for which time went by and which count as one, such as a call that begins.
    pub const COUNTED: u8 = 2;
}

/// The open frames of one track of time: a thread. Time goes by in [`Track::advance`], and is charged to the innermost
/// open frame; time without an open frame is charged to nobody.
///
/// Frames can overlap, which no call tree has. An outer frame that ends waits for the inner ones to end. Should another
/// frame open before, then the ends of the inner ones are taken for lost, and all are closed.
pub struct Track {
    base: RawNode,
    open: Vec<OpenSpan>,
    /// The places in `open` of frames that were opened without an end, and may have been given one since.
    endless: Vec<usize>,
    now: u64,
    /// Its lane in the log.
    lane: usize,
    /// Until when the last sample in the log lasts.
    logged_until: Option<u64>,
    /// The node of that sample if it is of a call for which no time went by so far.
    begun: Option<RawNode>,
}

impl Track {
    /// A track whose frames hang below `base`, from the time `start` on, with its lane in the log.
    pub fn new(base: RawNode, start: u64, lane: usize) -> Track {
        let (open, endless) = (Vec::new(), Vec::new());
        Track {
            base,
            open,
            endless,
            now: start,
            lane,
            logged_until: None,
            begun: None,
        }
    }

    /// Lets the time from now until `end` be that of a node.
    #[inline]
    fn charge(&mut self, charges: &mut Charges<'_>, node: RawNode, end: u64) {
        if end <= self.now {
            return;
        }
        charges
            .builder
            .add_exclusive(charges.metric, node, end - self.now);
        if let Some(log) = &mut charges.log {
            self.log_pause(log);
            if self.begun.take() != Some(node) || self.logged_until != Some(self.now) {
                log.push(self.lane, self.now, node, Charges::TIME);
            }
            self.logged_until = Some(end);
            log.set_end_ns(self.lane, end);
        }
    }

    /// Counts a call of a frame that was just opened.
    pub fn count_call(&mut self, charges: &mut Charges<'_>, node: RawNode) {
        charges.builder.add_count(charges.metric, node, 1);
        if let Some(log) = &mut charges.log {
            self.log_pause(log);
            log.push(self.lane, self.now, node, Charges::COUNTED);
            (self.begun, self.logged_until) = (Some(node), Some(self.now));
            log.set_end_ns(self.lane, self.now);
        }
    }

    /// Notes in the log that no frame was open until now, if that is so.
    fn log_pause(&self, log: &mut SampleLog) {
        if let Some(until) = self.logged_until.filter(|until| *until < self.now) {
            log.push(self.lane, until, self.base, SampleLog::PAUSE);
        }
    }

    /// Lets time go by until `at`, and closes what ends until then. A time before the one
    /// that was reached last changes nothing.
    ///
    /// # Returns
    /// By how much `at` lies before the time that was reached, or 0.
    pub fn advance(&mut self, charges: &mut Charges<'_>, at: u64) -> u64 {
        if at < self.now {
            return self.now - at;
        }
        let at = at.min(NOT_KNOWN - 1);
        while let Some(innermost) = self.open.last().filter(|innermost| innermost.end <= at) {
            let end = innermost.end.max(self.now);
            let node = innermost.node;
            self.charge(charges, node, end);
            self.now = end;
            self.cut(self.open.len() - 1);
        }
        if let Some(innermost) = self.open.last() {
            let node = innermost.node;
            self.charge(charges, node, at);
        }
        self.now = self.now.max(at);
        0
    }

    /// Multiplies all times by `factor`, with `zero` as 0: their unit has become finer.
    pub fn refine(&mut self, factor: u64, zero: u64) {
        let refine = |at: &mut u64| {
            if *at != NOT_KNOWN {
                let distance = i128::from(*at) - i128::from(zero);
                let refined = i128::from(zero) + distance * i128::from(factor);
                *at = refined.clamp(0, i128::from(NOT_KNOWN - 1)) as u64;
            }
        };
        refine(&mut self.now);
        for open in &mut self.open {
            refine(&mut open.end);
            refine(&mut open.least_end);
        }
    }

    /// Opens a frame inside those that are open, now.
    ///
    /// # Errors
    /// The tree is full.
    pub fn enter(
        &mut self,
        charges: &mut Charges<'_>,
        frame: FrameId,
    ) -> Result<RawNode, TooLarge> {
        self.enter_until(charges, frame, NOT_KNOWN)
    }

    /// Opens a frame of which the end is known; one that is over already is closed when time goes by next.
    ///
    /// # Errors
    /// The tree is full.
    pub fn enter_until(
        &mut self,
        charges: &mut Charges<'_>,
        frame: FrameId,
        end: u64,
    ) -> Result<RawNode, TooLarge> {
        self.cut_overdue();
        let (caller, least) = self
            .open
            .last()
            .map_or((self.base, NOT_KNOWN), |last| (last.node, last.least_end));
        let node = charges.builder.merge(caller, frame)?;
        if end == NOT_KNOWN {
            self.endless.push(self.open.len());
        }
        self.open.push(OpenSpan {
            frame,
            node,
            end,
            least_end: least.min(end),
        });
        Ok(node)
    }

    /// Closes the innermost frame that was opened without an end and for which `is_it` holds, at the time `at`, or now if
    /// that is later. Looks at no more than 1,000 open frames.
    pub fn leave(
        &mut self,
        charges: &mut Charges<'_>,
        at: u64,
        is_it: impl Fn(FrameId) -> bool,
    ) -> Closed {
        let is_it = |open: &OpenSpan| open.end == NOT_KNOWN && is_it(open.frame);
        let Some(place) = self.open.iter().rev().take(LOOK_BACK).position(is_it) else {
            return Closed::NotOpen;
        };
        let place = self.open.len() - 1 - place;
        // this closes frames inside, but never one without an end
        self.advance(charges, at);
        let inside = self.open.len() - place - 1;
        if inside == 0 {
            self.cut(place);
            // outer ones that waited for it
            self.advance(charges, self.now);
            return Closed::Innermost;
        }
        self.open[place].end = self.now;
        for open in &mut self.open[place..] {
            if open.least_end <= self.now {
                break;
            }
            open.least_end = self.now;
        }
        Closed::Outer(inside)
    }

    /// Closes all frames: those of which the end is known then, the others now.
    ///
    /// # Returns
    /// How many ends were not known.
    pub fn close(&mut self, charges: &mut Charges<'_>) -> usize {
        let mut unknown = 0;
        while let Some(innermost) = self.open.last() {
            match innermost.end {
                NOT_KNOWN => {
                    unknown += 1;
                    self.cut(self.open.len() - 1);
                }
                end => drop(self.advance(charges, end.max(self.now))),
            }
        }
        unknown
    }

    pub fn innermost(&self) -> Option<FrameId> {
        self.open.last().map(|open| open.frame)
    }

    /// The time that was reached.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Closes the frame at `place` and all inside.
    fn cut(&mut self, place: usize) {
        self.open.truncate(place);
        while self.endless.last().is_some_and(|&endless| endless >= place) {
            self.endless.pop();
        }
    }

    /// Closes the outermost frame that is over with all inside, if it waits for one of which the end is not known.
    fn cut_overdue(&mut self) {
        while self
            .endless
            .last()
            .is_some_and(|&place| self.open[place].end != NOT_KNOWN)
        {
            self.endless.pop();
        }
        let Some(&innermost) = self.endless.last() else {
            return;
        };
        if innermost > 0 && self.open[innermost - 1].least_end <= self.now {
            let outermost =
                self.open[..innermost].partition_point(|open| open.least_end > self.now);
            self.cut(outermost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Frames, Metric};
    use crate::names::FrameKind;

    const TIME: MetricId = MetricId(0);

    /// Plays events such as `0 +a`, `0 +a 7` (until 7), `5 -a`, `9` (time only) and prints what the closes met and how many
    /// ends were missing, then a line per node.
    #[track_caller]
    fn check(events: &str, closes: &[Closed], unknown: usize, nodes: &[&str]) {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "all", "");
        let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
        let mut track = Track::new(TreeBuilder::ROOT, 0, 0);
        let charges = &mut Charges {
            builder: &mut builder,
            metric: TIME,
            log: None,
        };
        let mut met = Vec::new();
        for event in events.split(", ") {
            let mut words = event.split(' ');
            let at = words.next().unwrap().parse().unwrap();
            let (what, end) = (
                words.next().unwrap_or(""),
                words.next().map(|end| end.parse().unwrap()),
            );
            let mut frame = |name: &str| frames.intern(FrameKind::Method, name, "");
            match what.split_at(what.len().min(1)) {
                ("-", name) => {
                    let frame = frame(name);
                    met.push(track.leave(charges, at, |open| open == frame));
                }
                ("+", name) => {
                    track.advance(charges, at);
                    track
                        .enter_until(charges, frame(name), end.unwrap_or(NOT_KNOWN))
                        .unwrap();
                }
                _ => drop(track.advance(charges, at)),
            }
        }
        assert_eq!(track.close(charges), unknown);
        assert_eq!(met, closes);
        let tree = builder.finish(&frames, TIME).tree;
        let rows: Vec<String> = tree
            .nodes()
            .skip(1)
            .map(|n| {
                let path: Vec<&str> = tree
                    .ancestors(n)
                    .map(|above| frames.name(tree.frame(above)))
                    .collect();
                format!(
                    "{}/{} {}",
                    path.len(),
                    frames.name(tree.frame(n)),
                    tree.exclusive(TIME, n)
                )
            })
            .collect();
        assert_eq!(rows, nodes);
    }

    use Closed::{Innermost, NotOpen, Outer};

    #[test]
    fn spans_become_a_tree() {
        check(
            "0 +a, 2 +b, 5 -b, 9 -a",
            &[Innermost, Innermost],
            0,
            &["1/a 6", "2/b 3"],
        );
        // equal frames under one caller are one node
        check(
            "0 +a, 1 +b, 2 -b, 3 +b, 7 -b, 7 -a",
            &[Innermost; 3],
            0,
            &["1/a 2", "2/b 5"],
        );
        // a gap without an open frame is charged to nobody
        check(
            "0 +a, 2 -a, 5 +b, 6 -b",
            &[Innermost, Innermost],
            0,
            &["1/a 2", "1/b 1"],
        );
        // recursion closes the innermost
        check(
            "0 +a, 1 +a, 4 -a, 9 -a",
            &[Innermost, Innermost],
            0,
            &["1/a 6", "2/a 3"],
        );
        // time does not go back
        check(
            "0 +a, 5 +b, 3 -b, 7 -a",
            &[Innermost, Innermost],
            0,
            &["1/a 7", "2/b 0"],
        );
        check("0 +a, 5", &[], 1, &["1/a 5"]);
    }

    #[test]
    fn an_outer_frame_waits_for_the_inner_ones() {
        check(
            "0 +a, 1 +b, 4 -a, 5 -b, 6 +c, 8 -c",
            &[Outer(1), Innermost, Innermost],
            0,
            &["1/a 1", "2/b 4", "1/c 2"],
        );
        check(
            "0 +a, 1 +b, 2 +c, 4 -b, 5 -a, 6 -c, 9",
            &[Outer(1), Outer(2), Innermost],
            0,
            &["1/a 1", "2/b 1", "3/c 4"],
        );
    }

    #[test]
    fn an_end_that_was_lost_does_not_swallow_what_follows() {
        // b never ends
        check(
            "0 +a, 1 +b, 4 -a, 6 +c, 8 -c",
            &[Outer(1), Innermost],
            0,
            &["1/a 1", "2/b 5", "1/c 2"],
        );
        check(
            "0 +r, 0 +a, 1 +b, 4 -a, 6 +c, 8 -c, 9 -r",
            &[Outer(1), Innermost, Innermost],
            0,
            &["1/r 1", "2/a 1", "3/b 5", "2/c 2"],
        );
    }

    #[test]
    fn a_close_without_its_open_does_nothing() {
        check("0 +a, 5 -b", &[NotOpen], 1, &["1/a 0"]);
        check("0 +a, 5 -b, 9 -a", &[NotOpen, Innermost], 0, &["1/a 9"]);
        // frames of which the end is known have no close
        check("0 +a 7, 5 -a", &[NotOpen], 0, &["1/a 7"]);
    }

    #[test]
    fn frames_end_when_it_is_known() {
        check(
            "0 +a 10, 2 +b 5, 6 +c 7",
            &[],
            0,
            &["1/a 6", "2/b 3", "2/c 1"],
        );
        // an overlap: what is inside comes to its end
        check(
            "0 +a 10, 5 +b 15, 12 +c 13",
            &[],
            0,
            &["1/a 5", "2/b 9", "3/c 1"],
        );
        check(
            "0 +a, 5 +b 15, 10 -a, 20 +c 21",
            &[Outer(1)],
            0,
            &["1/a 5", "2/b 10", "1/c 1"],
        );
        check(
            "0 +r 9, 3 +a 3, 3 +b 5",
            &[],
            0,
            &["1/r 7", "2/b 2", "2/a 0"],
        );
    }

    #[test]
    fn many_open_frames_and_as_many_closes_take_linear_time() {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "all", "");
        let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
        let mut track = Track::new(TreeBuilder::ROOT, 0, 0);
        let charges = &mut Charges {
            builder: &mut builder,
            metric: TIME,
            log: None,
        };
        for number in 0..100_000 {
            track.enter(charges, FrameId(number % 900)).unwrap();
        }
        for number in 0..100_000u64 {
            let outer = FrameId(number as u32 % 900);
            track.leave(charges, number, |open| open == outer);
        }
        track.close(charges);
        assert_eq!(builder.len(), 100_001);
    }
}
