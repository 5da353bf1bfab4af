//! Trees from frames that open and close in time.

use super::{FrameId, MetricId, RawNode, TooLarge, TreeBuilder};

/// How a close met the frames that were open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// It closed the innermost frame.
    Innermost,
    /// It closed an outer frame, and with it this many frames inside.
    Outer(usize),
    /// No such frame was open, and nothing happened.
    NotOpen,
}

/// The open frames of one track of time: a thread. Time goes by in [`Track::advance`], and is charged to the innermost
/// open frame; time without an open frame is charged to nobody.
pub struct Track {
    base: RawNode,
    open: Vec<(FrameId, RawNode)>,
    now: u64,
}

impl Track {
    /// A track whose frames hang below `base`, from the time `start` on.
    pub fn new(base: RawNode, start: u64) -> Track {
        Track { base, open: Vec::new(), now: start }
    }

    /// Lets time go by until `at`, in stored steps of `metric`. A time before the one that was reached last changes
    /// nothing.
    ///
    /// # Returns
    /// By how much `at` lies before the time that was reached, or 0.
    pub fn advance(&mut self, builder: &mut TreeBuilder, metric: MetricId, at: u64) -> u64 {
        if at < self.now {
            return self.now - at;
        }
        if let Some(&(_, node)) = self.open.last() {
            builder.add_exclusive(metric, node, at - self.now);
        }
        self.now = at;
        0
    }

    /// Opens a frame inside those that are open.
    ///
    /// # Errors
    /// The tree is full.
    pub fn enter(&mut self, builder: &mut TreeBuilder, frame: FrameId) -> Result<RawNode, TooLarge> {
        let caller = self.open.last().map_or(self.base, |&(_, node)| node);
        let node = builder.merge(caller, frame)?;
        self.open.push((frame, node));
        Ok(node)
    }

    /// Closes the innermost open frame that is `frame`, with what is open inside. O(frames inside), so that closing all
    /// that was opened takes linear time; a frame that is not open costs the depth of the track.
    pub fn leave(&mut self, frame: FrameId) -> Closed {
        match self.open.iter().rposition(|&(open, _)| open == frame) {
            None => Closed::NotOpen,
            Some(at) => {
                let inside = self.open.len() - at - 1;
                self.open.truncate(at);
                if inside == 0 { Closed::Innermost } else { Closed::Outer(inside) }
            }
        }
    }

    /// Closes the innermost open frame, whichever it is.
    pub fn leave_innermost(&mut self) -> Option<FrameId> {
        self.open.pop().map(|(frame, _)| frame)
    }

    /// The open frames, outermost first.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = FrameId> + ExactSizeIterator {
        self.open.iter().map(|&(frame, _)| frame)
    }

    /// The time that was reached.
    pub fn now(&self) -> u64 {
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FrameKind, Frames, Metric};

    const TIME: MetricId = MetricId(0);

    /// Plays events such as `0 +a`, `5 -a`, `9` (time only) and prints what the closes met, then a line per node.
    #[track_caller]
    fn check(events: &str, closes: &[Closed], nodes: &[&str]) {
        let mut frames = Frames::default();
        let root = frames.intern(FrameKind::Root, "all", "");
        let mut builder = TreeBuilder::new(root, &[Metric::time("time", None)]);
        let mut track = Track::new(TreeBuilder::ROOT, 0);
        let mut met = Vec::new();
        for event in events.split(", ") {
            let (at, what) = event.split_once(' ').unwrap_or((event, ""));
            track.advance(&mut builder, TIME, at.parse().unwrap());
            let mut frame = |name: &str| frames.intern(FrameKind::Method, name, "");
            match what.split_at(what.len().min(1)) {
                ("+", name) => drop(track.enter(&mut builder, frame(name)).unwrap()),
                ("-", name) => met.push(track.leave(frame(name))),
                _ => {}
            }
        }
        assert_eq!(met, closes);
        let tree = builder.finish(&frames, TIME).tree;
        let rows: Vec<String> = tree
            .nodes()
            .skip(1)
            .map(|n| {
                let path: Vec<&str> = tree.ancestors(n).map(|above| frames.name(tree.frame(above))).collect();
                format!("{}/{} {}", path.len(), frames.name(tree.frame(n)), tree.exclusive(TIME, n))
            })
            .collect();
        assert_eq!(rows, nodes);
    }

    #[test]
    fn spans_become_a_tree() {
        use Closed::{Innermost, NotOpen, Outer};
        check("0 +a, 2 +b, 5 -b, 9 -a", &[Innermost, Innermost], &["1/a 6", "2/b 3"]);
        // equal frames under one caller are one node
        check("0 +a, 1 +b, 2 -b, 3 +b, 7 -b, 7 -a", &[Innermost; 3], &["1/a 2", "2/b 5"]);
        // a gap without an open frame is charged to nobody
        check("0 +a, 2 -a, 5 +b, 6 -b", &[Innermost, Innermost], &["1/a 2", "1/b 1"]);
        // a close in the wrong order closes what is inside; one without an open does nothing
        check("0 +a, 1 +b, 4 -a, 5 -b, 6 +c, 8 -c", &[Outer(1), NotOpen, Innermost], &["1/a 1", "2/b 3", "1/c 2"]);
        // recursion closes the innermost
        check("0 +a, 1 +a, 4 -a, 9 -a", &[Innermost, Innermost], &["1/a 6", "2/a 3"]);
        // time does not go back
        check("0 +a, 5 +b, 3 -b, 7 -a", &[Innermost, Innermost], &["1/a 7", "2/b 0"]);
    }
}
