//! Collapsed stacks, `outermost;…;innermost 12`: a line for each node that has a value of its own, and for each leaf,
//! so that no node is lost.
//!
//! Processes and threads are the outermost frames. Values are whole microseconds, bytes or counts. In names, `;`
//! becomes `:`, and control and invisible characters `\u{…}`.
//!
//! The Firefox Profiler makes as many samples as a line says (`src/profile-logic/import/flame-graph.ts`): it would not
//! open nanoseconds, and milliseconds would lose most stacks of a trace. What rounding a stack loses is added to the
//! next line, so every sum of a subtree is within 1 µs of its time.

use super::collapsed_names::written;
use super::exporter::{Exporter, Output};
use super::json_text::push_number;
use super::part::Part;
use super::stack_sums::refusal;
use super::tracks::{ExportTrack, tracks};
use crate::model::{FrameId, NodeId};
use crate::names::FrameKind;
use crate::units::Unit;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "collapsed",
    extensions: &[".collapsed", ".folded"],
    output: Output::Lines,
    refusal: refuse,
    write,
};

/// Programs read collapsed stacks into memory; larger files are useless.
const MAX_BYTES: u64 = 16_000_000_000;
const NS_PER_UNIT: u64 = 1_000;

fn refuse(part: &Part) -> Option<String> {
    let (tracks, names) = (tracks(part, &[part.metric]), frame_names(part));
    let frame_bytes = |frame: FrameId| names[frame.index()].len() as u64 + 1;
    refusal(part, &tracks, &[part.metric], (frame_bytes, 0), MAX_BYTES)
}

fn frame_names(part: &Part) -> Vec<String> {
    let frames = part.view.frames.iter();
    let names = frames.map(|(id, _)| written(part.view.frames.name(id)));
    names.collect()
}

fn write(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    let (tracks, names) = (tracks(part, &[part.metric]), frame_names(part));
    let mut values = WrittenValues::new(part);
    let mut tracks = tracks.iter();
    tracks.try_for_each(|track| write_track(part, track, &names, &mut values, out))
}

struct WrittenValues {
    per_unit: u64,
    rest: u64,
}

impl WrittenValues {
    fn new(part: &Part) -> WrittenValues {
        let per_unit = match part.chosen_metric().unit {
            Unit::Milliseconds => NS_PER_UNIT,
            Unit::Bytes | Unit::Count => 1,
        };
        // half a unit more rounds sums to the nearest
        let rest = per_unit / 2;
        WrittenValues { per_unit, rest }
    }

    fn next(&mut self, value: u64) -> u64 {
        let rest = self.rest + value % self.per_unit;
        self.rest = rest % self.per_unit;
        value / self.per_unit + rest / self.per_unit
    }
}

fn write_track(
    part: &Part,
    track: &ExportTrack,
    names: &[String],
    values: &mut WrittenValues,
    out: &mut dyn Write,
) -> io::Result<()> {
    let tree = &part.view.tree;
    let mut line = Vec::new();
    let mut starts = Vec::new();
    let enter_named = |line: &mut Vec<u8>, name: &str| {
        let start = line.len();
        if start > 0 {
            line.push(b';');
        }
        line.extend_from_slice(name.as_bytes());
        start
    };
    let enter = |line: &mut Vec<u8>, node| enter_named(line, &names[tree.frame(node).index()]);
    if let Some(process) = track.process {
        enter(&mut line, process);
    }
    if track.thread.is_some() {
        enter_named(&mut line, &written(track.title));
    }
    let mut end = |line: &mut Vec<u8>, node: NodeId| {
        let stack = line.len();
        line.push(b' ');
        push_number(line, values.next(tree.exclusive(part.metric, node)));
        line.push(b'\n');
        let written = out.write_all(line);
        line.truncate(stack);
        written
    };
    for &own in &track.exclusive_nodes {
        let start = line.len();
        if part.kind(own) == FrameKind::Root {
            enter(&mut line, own);
        }
        end(&mut line, own)?;
        line.truncate(start);
    }
    track.walk(tree, |node, enters| {
        if !enters {
            line.truncate(starts.pop().unwrap_or(0));
            return Ok(());
        }
        starts.push(enter(&mut line, node));
        match part.has_stack(node, &[part.metric]) {
            true => end(&mut line, node),
            false => Ok(()),
        }
    })
}
