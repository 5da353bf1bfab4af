use super::{FrameId, MetricId, RawNode, SampleLog, TooLarge, TreeBuilder};

const UNKNOWN: u64 = u64::MAX;
/// How many open frames are searched for the one to close: time stays linear with a million unmatched closes.
const MAX_SEARCHED: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    Innermost,
    /// The frame is not the innermost; it stays open until this many inner frames close or another opens.
    Outer(usize),
    /// Nothing changed, not even the time.
    NotOpen,
}

struct OpenSpan {
    frame: FrameId,
    node: RawNode,
    end: u64,
    /// The smallest `end` of this and all outer frames.
    min_end: u64,
}

pub struct Charges<'a> {
    pub builder: &'a mut TreeBuilder,
    /// All times are in its stored units.
    pub metric: MetricId,
    /// Has a lane per track, and gets a sample for each call and each change of the stack after which time passes.
    pub log: Option<&'a mut SampleLog>,
}

impl Charges<'_> {
    pub const TIME: u8 = 1;
    /// Has time and counts as a sample, such as the start of a call.
    pub const COUNTED: u8 = 2;
}

/// The open frames of a thread. [`Track::advance`] charges time to the innermost one. An outer frame that ends stays
/// open until the inner ones end; if another frame opens first, the inner ones are closed.
#[derive(Default)]
pub struct Track {
    base: RawNode,
    open: Vec<OpenSpan>,
    /// Indices in `open` of frames opened without a known end. They may have one now.
    endless: Vec<usize>,
    pub now: u64,
    lane: usize,
    logged_until: Option<u64>,
    /// The node of that sample, if it is a call in which no time has passed yet.
    begun: Option<RawNode>,
}

impl Track {
    pub fn new(base: RawNode, start: u64, lane: usize) -> Track {
        Track {
            base,
            now: start,
            lane,
            ..Track::default()
        }
    }

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

    pub fn count_call(&mut self, charges: &mut Charges<'_>, node: RawNode) {
        charges.builder.add_count(charges.metric, node, 1);
        if let Some(log) = &mut charges.log {
            self.log_pause(log);
            log.push(self.lane, self.now, node, Charges::COUNTED);
            (self.begun, self.logged_until) = (Some(node), Some(self.now));
            log.set_end_ns(self.lane, self.now);
        }
    }

    fn log_pause(&self, log: &mut SampleLog) {
        if let Some(until) = self.logged_until.filter(|until| *until < self.now) {
            log.push(self.lane, until, self.base, SampleLog::PAUSE);
        }
    }

    /// Advances to `at` and closes frames that end by then. Returns how far `at` is in the past.
    pub fn advance(&mut self, charges: &mut Charges<'_>, at: u64) -> u64 {
        if at < self.now {
            return self.now - at;
        }
        let at = at.min(UNKNOWN - 1);
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

    /// Multiplies all times by `factor`, relative to `zero`: their unit becomes finer.
    pub fn refine(&mut self, factor: u64, zero: u64) {
        let refine = |at: &mut u64| {
            if *at != UNKNOWN {
                let distance = i128::from(*at) - i128::from(zero);
                let refined = i128::from(zero) + distance * i128::from(factor);
                *at = refined.clamp(0, i128::from(UNKNOWN - 1)) as u64;
            }
        };
        refine(&mut self.now);
        for open in &mut self.open {
            refine(&mut open.end);
            refine(&mut open.min_end);
        }
    }

    pub fn enter(
        &mut self,
        charges: &mut Charges<'_>,
        frame: FrameId,
    ) -> Result<RawNode, TooLarge> {
        self.enter_until(charges, frame, UNKNOWN)
    }

    /// An end in the past takes effect when time next advances.
    pub fn enter_until(
        &mut self,
        charges: &mut Charges<'_>,
        frame: FrameId,
        end: u64,
    ) -> Result<RawNode, TooLarge> {
        self.cut_overdue();
        let last = self.open.last();
        let (caller, min_end) = last.map_or((self.base, UNKNOWN), |last| (last.node, last.min_end));
        let node = charges.builder.merge(caller, frame)?;
        if end == UNKNOWN {
            self.endless.push(self.open.len());
        }
        self.open.push(OpenSpan {
            frame,
            node,
            end,
            min_end: min_end.min(end),
        });
        Ok(node)
    }

    /// Closes the innermost matching frame without a known end, at the time `at` or now.
    pub fn leave(
        &mut self,
        charges: &mut Charges<'_>,
        at: u64,
        matches: impl Fn(FrameId) -> bool,
    ) -> Closed {
        let matches = |open: &OpenSpan| open.end == UNKNOWN && matches(open.frame);
        let mut candidates = self.open.iter().rev().take(MAX_SEARCHED);
        let Some(depth) = candidates.position(matches) else {
            return Closed::NotOpen;
        };
        let place = self.open.len() - 1 - depth;
        // closes frames inside, but none without a known end
        self.advance(charges, at);
        let inside = self.open.len() - place - 1;
        if inside == 0 {
            self.cut(place);
            // outer ones that waited for this one
            self.advance(charges, self.now);
            return Closed::Innermost;
        }
        self.open[place].end = self.now;
        for open in &mut self.open[place..] {
            if open.min_end <= self.now {
                break;
            }
            open.min_end = self.now;
        }
        Closed::Outer(inside)
    }

    /// Closes frames with a known end at that time, the others now, and returns the number of the latter.
    pub fn close(&mut self, charges: &mut Charges<'_>) -> usize {
        let mut unknown = 0;
        while let Some(innermost) = self.open.last() {
            match innermost.end {
                UNKNOWN => {
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

    fn cut(&mut self, place: usize) {
        self.open.truncate(place);
        while self.endless.pop_if(|endless| *endless >= place).is_some() {}
    }

    /// Closes the outermost ended frame and all inner ones, if it waits for one without a known end.
    fn cut_overdue(&mut self) {
        let open = &self.open;
        let has_end = |&mut place: &mut usize| open[place].end != UNKNOWN;
        while self.endless.pop_if(has_end).is_some() {}
        let Some(&innermost) = self.endless.last() else {
            return;
        };
        if innermost > 0 && self.open[innermost - 1].min_end <= self.now {
            let outermost = self.open[..innermost].partition_point(|open| open.min_end > self.now);
            self.cut(outermost);
        }
    }
}

#[cfg(test)]
mod tests;
