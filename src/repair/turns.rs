//! Times such that speedscope reads trace events in the order of the file.
//!
//! It sorts begins and ends into two queues and takes an end before a begin of the same time, unless both have one name. In what
//! dotnet-trace writes, a span mostly begins when one of its name ends, so that it would lie in that one. An end and a begin that
//! share a time are written two steps of a float apart, which is less than a nanosecond; one step might be lost when the
//! reader takes the start of the trace from all times.

use super::events::Does;

/// The times of a thread, whose events come in their order.
#[derive(Default)]
pub(super) struct Turns {
    last: Option<(Does, f64)>,
    /// How many events got another time.
    pub moved: u64,
}

impl Turns {
    /// The time at which the next event is written.
    pub(super) fn place(&mut self, does: Does, at: f64) -> f64 {
        let placed = match self.last {
            Some((was, last)) if was == does => at.max(last),
            Some((_, last)) => at.max(last.next_up().next_up()),
            None => at,
        };
        self.moved += u64::from(placed != at);
        self.last = Some((does, placed));
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_begins_never_share_a_time() {
        use Does::{Close, Open};
        let mut turns = Turns::default();
        let step = 100f64.next_up().next_up();
        for (does, at, expect) in [
            (Open, 0.0, 0.0),
            (Open, 0.0, 0.0),
            (Close, 100.0, 100.0),
            (Close, 100.0, 100.0),
            (Open, 100.0, step),
            (Open, 100.0, step),
            // a span without length
            (Close, 100.0, step.next_up().next_up()),
            (Close, 200.0, 200.0),
        ] {
            assert_eq!(turns.place(does, at), expect, "{does:?} at {at}");
        }
        assert_eq!(turns.moved, 3);
    }
}
