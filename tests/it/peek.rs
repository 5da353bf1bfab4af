//! Immediate callers and callees compared with pprof's `-peek` on our export, to the nanosecond.
//!
//! `data/js-ordered-consume.peek.txt` was written by the pprof that comes with Go 1.27.3:
//! `dotspot convert snapshots/js-ordered-consume.nettrace -o js.pb.gz`, then `pprof -sample_index=CPU -unit=ns -nodefraction=0
//! -edgefraction=0 -nodecount=100000 -peek 'OrderedConsume!|PollGC|SemaphoreSlim.Wait' js.pb.gz`.

use dotspot::testing::analysis::{CallerRow, CallerTree, merged, outermost_occurrences};
use dotspot::testing::model::{FrameId, MetricId, NodeId, View};
use std::collections::BTreeMap;

/// A method with the values of its callers and callees, in nanoseconds.
#[derive(Debug, Default, PartialEq)]
struct Peek {
    name: String,
    exclusive: u64,
    inclusive: u64,
    callers: BTreeMap<String, u64>,
    callees: BTreeMap<String, u64>,
}

fn ns(text: &str) -> u64 {
    text.trim_end_matches("ns").parse().unwrap()
}

/// A part of pprof's report: callers indented by three blanks, the method by one, then callees.
fn peek_of(part: &str) -> Option<Peek> {
    let mut peek = Peek::default();
    for line in part.lines() {
        let Some((values, name)) = line.split_once('|') else {
            continue;
        };
        let values: Vec<&str> = values.split_whitespace().collect();
        match name.strip_prefix("   ") {
            Some(relative) => {
                let is_caller = peek.name.is_empty();
                let (callers, callees) = (&mut peek.callers, &mut peek.callees);
                let relatives = if is_caller { callers } else { callees };
                relatives.insert(relative.to_string(), ns(values[0]));
            }
            None => {
                peek.name = name.trim_start().to_string();
                (peek.exclusive, peek.inclusive) = (ns(values[0]), ns(values[3]));
            }
        }
    }
    Some(peek).filter(|peek| !peek.name.is_empty())
}

/// The same for a method as computed here; threads are not callers in pprof.
fn found(view: &View, metric: MetricId, frame: FrameId) -> Peek {
    let name = |frame| view.frames.name(frame).to_string();
    let mut caller_tree = CallerTree::callers(view, NodeId::ROOT, &[frame], false).unwrap();
    caller_tree.open(CallerTree::TOP).unwrap();
    let top = caller_tree.sums(CallerTree::TOP, metric);
    let is_method = |row: &CallerRow| view.frames.get(caller_tree.frame(*row)).kind.is_code();
    let callers = caller_tree.callers_of(CallerTree::TOP).filter(is_method);
    let value = |row| caller_tree.sums(row, metric).inclusive;
    let callers = callers.map(|row| (name(caller_tree.frame(row)), value(row)));
    let below = merged(view, &outermost_occurrences(view, NodeId::ROOT, &[frame])).unwrap();
    let tree = &below.tree;
    let callees = tree.children(NodeId::ROOT);
    let callees = callees.map(|node| (name(tree.frame(node)), tree.inclusive(metric, node)));
    Peek {
        name: name(frame),
        exclusive: top.exclusive,
        inclusive: top.inclusive,
        callers: callers.filter(|(_, value)| *value > 0).collect(),
        callees: callees.filter(|(_, value)| *value > 0).collect(),
    }
}

#[test]
fn callers_and_callees_equal_those_of_pprof() {
    let view = crate::common::sample();
    let metric = view.recording.metric_named("CPU").unwrap();
    let report = include_str!("../data/js-ordered-consume.peek.txt");
    let (mut compared, mut recursive) = (0, 0);
    for peek in report.split("-+-------------\n").filter_map(peek_of) {
        let [frame] = view.frames.find(&peek.name)[..] else {
            panic!("{} is one method", peek.name)
        };
        let caller_tree = CallerTree::callers(&view, NodeId::ROOT, &[frame], false).unwrap();
        // for a recursive method, pprof counts a sample at each of its edges
        if caller_tree.inner_occurrence_count() > 0 {
            recursive += 1;
            continue;
        }
        assert_eq!(found(&view, metric, frame), peek);
        compared += 1;
    }
    assert_eq!((compared, recursive), (28, 2));
}
