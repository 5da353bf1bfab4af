//! Chromium trace-event JSON,
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU/preview>, for the viewers of Chromium and
//! Perfetto.
//!
//! Each node is a pair of `B` and `E` events: its callees one after the other in the order of the tree, then its own time. `X`
//! events would be half as many, but do not tell which of two nodes without a value calls the other. Times are microseconds
//! with as many decimals as nanoseconds need; other units are written as if they were nanoseconds. Numbers of threads and
//! processes are kept; those that are not numbers, or not the only ones, get a free one.

use super::json_text::JsonText;
use super::rows::Rows;
use super::tracks::{Step, Track, tracks, walk};
use super::{Exporter, Lost, Output, Part, speedscope};
use crate::model::{NodeId, Process};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::{self, Write};

/// The format's row in the table.
pub(super) const EXPORTER: Exporter = Exporter {
    name: "trace-event",
    extensions: &[".chromium.json"],
    output: Output::Json,
    holds_all_metrics: false,
    lost: &[
        Lost::Layout,
        Lost::OtherMetrics,
        Lost::MetricName,
        Lost::OtherUnits,
        Lost::Counts,
        Lost::Kind,
        Lost::ThreadNumbers,
        Lost::ThreadTitles,
        Lost::ProcessTitles,
        Lost::OnlyProcess,
        Lost::Outside,
        Lost::OwnOfThreads,
        Lost::Kinds,
        Lost::Nameless,
        Lost::Signatures,
        Lost::Twins,
        Lost::GivenInclusive,
        Lost::NodeIds,
        Lost::Warnings,
    ],
    refusal: |part| speedscope::too_long(part, &tracks(part, &[part.metric])),
    write,
};

/// The numbers under which the events of a track stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub process: u64,
    pub thread: u64,
}

/// The numbers of tracks: those of the profile where they are numbers and the only ones, else free ones.
pub(super) fn lanes(part: &Part, tracks: &[Track]) -> Vec<Lane> {
    let by_node = processes_by_node(part);
    let nodes: Vec<Option<NodeId>> = tracks.iter().map(|track| track.process).collect();
    let mut distinct = nodes.clone();
    distinct.dedup();
    let mut seen = HashSet::new();
    distinct.retain(|node| seen.insert(*node));
    let number = |node: &Option<NodeId>| by_node.get(&(*node)?).map(|process| process.id).filter(|&id| is_id(id));
    let wanted: Vec<(Option<NodeId>, Option<u64>)> = distinct.iter().map(|node| (*node, number(node))).collect();
    let processes: HashMap<Option<NodeId>, u64> =
        distinct.iter().copied().zip(distribute(wanted.iter().map(|(_, id)| ((), *id)))).collect();
    let wanted = tracks.iter().map(|track| {
        let id = track.thread.and_then(|(_, thread)| number_of(&thread.id));
        (processes[&track.process], id)
    });
    let threads = distribute(wanted);
    let lanes = nodes.iter().zip(threads);
    lanes.map(|(node, thread)| Lane { process: processes[node], thread }).collect()
}

/// A thread's id as a number, if it is one and nothing else.
pub(super) fn number_of(id: &str) -> Option<u64> {
    id.parse::<u64>().ok().filter(|number| number.to_string() == id && *number <= i64::MAX as u64)
}

/// Whether a process has this number; 0 says that it is not known.
fn is_id(id: u64) -> bool {
    (1..=i64::MAX as u64).contains(&id)
}

/// Numbers for all who want one, different for each within its group: the one that is wanted if nobody before has it, else the
/// least that is free, from 1 on.
fn distribute<G: Copy + Eq + Hash>(wanted: impl Iterator<Item = (G, Option<u64>)>) -> Vec<u64> {
    let wanted: Vec<(G, Option<u64>)> = wanted.collect();
    let mut taken = HashSet::new();
    let given: Vec<Option<u64>> =
        wanted.iter().map(|&(group, id)| id.filter(|&id| taken.insert((group, id)))).collect();
    let mut next: HashMap<G, u64> = HashMap::new();
    let free = |group: G| {
        let next = next.entry(group).or_insert(1);
        while !taken.insert((group, *next)) {
            *next += 1;
        }
        *next
    };
    let mut free = free;
    wanted.iter().zip(given).map(|(&(group, _), id)| id.unwrap_or_else(|| free(group))).collect()
}

fn processes_by_node<'a>(part: &Part<'a>) -> HashMap<NodeId, &'a Process> {
    part.profile.processes.iter().map(|process| (process.node, process)).collect()
}

fn write(part: &Part, mut out: &mut dyn Write) -> io::Result<()> {
    let tracks = tracks(part, &[part.metric]);
    let lanes = lanes(part, &tracks);
    let mut writer = Writer {
        part,
        rows: Rows::new(part, &tracks, true),
        is_placed: Vec::new(),
        text: JsonText::new(&mut out),
        is_first: true,
    };
    writer.is_placed = writer.rows.rows.iter().map(|row| row.file.is_empty()).collect();
    writer.text.json(br#"{"otherData":{"name":"#);
    writer.text.string(part.source_name());
    writer.text.json(br#","exporter":"#);
    writer.text.string(concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")));
    writer.text.json(br#"},"displayTimeUnit":"ns","traceEvents":["#);
    writer.names(&tracks, &lanes)?;
    for (track, lane) in tracks.iter().zip(&lanes) {
        writer.events(track, *lane)?;
    }
    writer.text.json(b"]}");
    writer.text.finish()
}

struct Writer<'a, 'o, W> {
    part: &'a Part<'a>,
    rows: Rows<'a>,
    /// By row: whether it was said where its source is, or nobody knows.
    is_placed: Vec<bool>,
    text: JsonText<'o, W>,
    is_first: bool,
}

impl<W: Write> Writer<'_, '_, W> {
    /// The names of processes and threads.
    fn names(&mut self, tracks: &[Track], lanes: &[Lane]) -> io::Result<()> {
        let (by_node, mut named) = (processes_by_node(self.part), HashSet::new());
        for (track, lane) in tracks.iter().zip(lanes) {
            let process = track.process.filter(|_| named.insert(lane.process));
            let process = process.map_or("", |node| match by_node.get(&node) {
                Some(process) => &process.name,
                None => self.part.profile.name(node),
            });
            let thread = track.thread.map_or(&*track.title, |(_, thread)| thread.name.as_str());
            for (what, name) in [("process_name", process), ("thread_name", thread)] {
                if !name.is_empty() {
                    self.start(what, b"M", *lane);
                    self.text.json(br#","args":{"name":"#);
                    self.text.string(name);
                    self.text.json(b"}}");
                    self.text.pass_on()?;
                }
            }
        }
        Ok(())
    }

    /// An event up to its time.
    fn start(&mut self, name: &str, phase: &[u8], lane: Lane) {
        self.text.comma(&mut self.is_first);
        self.text.json(br#"{"name":"#);
        self.text.string(name);
        self.text.json(br#","ph":""#);
        self.text.json(phase);
        self.text.json(br#"","pid":"#);
        self.text.number(lane.process);
        self.text.json(br#","tid":"#);
        self.text.number(lane.thread);
    }

    fn events(&mut self, track: &Track, lane: Lane) -> io::Result<()> {
        let tree = &self.part.profile.tree;
        let mut at = 0u64;
        let mut visit = |step| match step {
            Step::Enter(node) => self.event(node, true, lane, at),
            Step::Leave(node) => {
                at = at.saturating_add(tree.exclusive(self.part.metric, node));
                self.event(node, false, lane, at)
            }
        };
        track.tops.iter().try_for_each(|&top| walk(tree, top, &mut visit))?;
        track.owns.iter().try_for_each(|&own| [Step::Enter(own), Step::Leave(own)].into_iter().try_for_each(&mut visit))
    }

    fn event(&mut self, node: NodeId, is_begin: bool, lane: Lane, at: u64) -> io::Result<()> {
        let number = self.rows.of(self.part.profile.tree.frame(node)) as usize;
        let row = self.rows.rows[number];
        self.start(row.name, if is_begin { b"B" } else { b"E" }, lane);
        self.text.json(br#","ts":"#);
        self.text.thousandths(at);
        if !std::mem::replace(&mut self.is_placed[number], true) {
            self.text.json(br#","args":{"url":"#);
            self.text.string(row.file);
            if row.line > 0 {
                self.text.json(br#","line":"#);
                self.text.number(u64::from(row.line));
            }
            self.text.json(b"}");
        }
        self.text.json(b"}");
        self.text.pass_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_gets_a_number_of_their_own() {
        let check = |wanted: &[(char, Option<u64>)], expect: &[u64]| {
            assert_eq!(distribute(wanted.iter().copied()), expect, "{wanted:?}");
        };
        check(&[], &[]);
        check(&[('a', Some(7)), ('a', Some(9))], &[7, 9]);
        check(&[('a', None), ('a', Some(1)), ('a', None)], &[2, 1, 3]);
        check(&[('a', Some(7)), ('a', Some(7)), ('b', Some(7))], &[7, 1, 7]);
        check(&[('a', None), ('b', None)], &[1, 1]);
    }

    #[test]
    fn ids_are_numbers_or_not() {
        for (id, expect) in [
            ("7", Some(7)),
            ("0", Some(0)),
            ("", None),
            ("07", None),
            ("+7", None),
            ("x", None),
            ("9223372036854775807", Some(i64::MAX as u64)),
            ("9223372036854775808", None),
        ] {
            assert_eq!(number_of(id), expect, "{id}");
        }
    }
}
