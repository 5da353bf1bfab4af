use super::*;
use crate::model::{Frames, Metric, NodeId};
use crate::names::FrameKind;

const TIME: MetricId = MetricId(0);

/// Plays events such as `0 +a`, `0 +a 7` (until 7), `5 -a`, `9` (time only) and prints the results of the closes and the number
/// of missing ends, then a line per node.
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
                    .enter_until(charges, frame(name), end.unwrap_or(UNKNOWN))
                    .unwrap();
            }
            _ => drop(track.advance(charges, at)),
        }
    }
    assert_eq!(track.close(charges), unknown);
    assert_eq!(met, closes);
    let tree = builder.finish::<NodeId>(&frames, TIME).tree;
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
fn a_lost_end_does_not_affect_later_frames() {
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
fn an_unmatched_close_does_nothing() {
    check("0 +a, 5 -b", &[NotOpen], 1, &["1/a 0"]);
    check("0 +a, 5 -b, 9 -a", &[NotOpen, Innermost], 0, &["1/a 9"]);
    // frames whose end is known have no close
    check("0 +a 7, 5 -a", &[NotOpen], 0, &["1/a 7"]);
}

#[test]
fn frames_with_a_known_end_close_at_that_time() {
    check(
        "0 +a 10, 2 +b 5, 6 +c 7",
        &[],
        0,
        &["1/a 6", "2/b 3", "2/c 1"],
    );
    // an overlap: inner frames run to their end
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
