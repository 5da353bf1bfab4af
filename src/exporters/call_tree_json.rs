//! Call-tree JSON, `dotspot.call-tree/1`, as `importers/call_tree_json` describes it.

use super::exporter::{Exporter, Output};
use super::json_text::{JsonText, push_string};
use super::part::Part;
use super::sentences;
use crate::analysis::{Hotspot, HotspotOrder, hotspots, sort_hotspots};
use crate::model::{
    CountKind, FrameId, Metric, MetricId, NodeId, NodeIds, RecordedThread, Thread, View,
};
use crate::names::FrameKind;
use crate::object::{if_any, if_rows, object};
use crate::text::file_name;
use crate::units::Unit;
use serde::Serialize;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "calltree",
    extensions: &[".json"],
    output: Output::Json,
    refusal: |_| None,
    write: |part, mut out| write_part(part, &mut out),
};

const MAX_HOTSPOTS: usize = 200;

/// Writes the subtree of `root`: times of `metric`, the other metrics next to them.
///
/// It has names, numbers, warnings, notes (a person's too), the source's file name and public facts, but nothing about
/// the user, the machine or the command line, and no control or invisible characters. O(nodes of the subtree), without
/// recursion, in pieces of about 64 kB.
pub fn write(view: &View, root: NodeId, metric: MetricId, out: &mut impl Write) -> io::Result<()> {
    write_part(&Part::new(view, root, metric), out)
}

fn write_part(part: &Part, out: &mut impl Write) -> io::Result<()> {
    let (view, root, metric) = (part.view, part.root, part.metric);
    let mut others = part.metrics();
    others.retain(|&other| other != metric);
    let mut writer = CallTreeWriter {
        view,
        root,
        metric,
        unit: part.chosen_metric().unit,
        others,
        threads: threads_in(view, root),
        id_starts: id_starts(view),
        pieces: vec![JsonPieces::default(); view.frames.len()],
        count_member: match part.chosen_metric().counts {
            Some(CountKind::Calls) => br#","call_count":"#,
            Some(CountKind::Samples) => br#","sample_count":"#,
            Some(CountKind::Unknown) => br#","count":"#,
            None => b"",
        },
        number_prefix: match view.recording.number_prefix(view.form) {
            'o' => b"\"o",
            _ => b"\"n",
        },
        text: JsonText::new(out),
    };
    writer.snapshot(part);
    writer.thread_roots()?;
    writer.tree()?;
    writer.hotspots()?;
    writer.text.json(b"}");
    writer.text.finish()
}

struct SpannedThread<'a> {
    node: NodeId,
    end: NodeId,
    thread: &'a Thread,
    row: Option<usize>,
}

/// The outermost threads with nodes in the subtree of `root`, by node.
fn threads_in(view: &View, root: NodeId) -> Vec<SpannedThread<'_>> {
    let tree = &view.tree;
    let mut threads = Vec::new();
    for (at, thread) in view.threads.iter().enumerate() {
        if tree.contains(root, thread.node) || tree.contains(thread.node, root) {
            let node = thread.node.max(root);
            threads.push(SpannedThread {
                node,
                end: tree.end(node),
                thread,
                row: match *view.rows_of_thread(at) {
                    [row] => Some(row),
                    _ => None,
                },
            });
        }
    }
    threads.sort_by_key(|thread| thread.node);
    let mut end = root;
    threads.retain(|thread| {
        let is_outermost = thread.node >= end;
        end = end.max(thread.end);
        is_outermost
    });
    threads
}

/// The prefixes of node ids that are offsets in threads, by recorded thread.
fn id_starts(view: &View) -> Vec<Vec<u8>> {
    let start = |thread: &RecordedThread| {
        let mut start = Vec::new();
        push_string(&mut start, &format!("t{}:0x", thread.id));
        start.pop();
        start
    };
    match view.recording.node_ids {
        NodeIds::ThreadOffsets(_) => view.recording.threads.iter().map(start).collect(),
        NodeIds::Preorder | NodeIds::Offsets(_) => Vec::new(),
    }
}

/// What is the same for all nodes of a frame; empty until needed.
#[derive(Clone, Default)]
struct JsonPieces {
    name_and_kind: Box<[u8]>,
    signature: Box<[u8]>,
}

struct CallTreeWriter<'a, W> {
    view: &'a View,
    root: NodeId,
    metric: MetricId,
    unit: Unit,
    others: Vec<MetricId>,
    threads: Vec<SpannedThread<'a>>,
    id_starts: Vec<Vec<u8>>,
    pieces: Vec<JsonPieces>,
    count_member: &'static [u8],
    number_prefix: &'static [u8],
    text: JsonText<'a, W>,
}

impl<W: Write> CallTreeWriter<'_, W> {
    fn snapshot(&mut self, part: &Part) {
        let view = self.view;
        let (recording, source) = (&view.recording, &view.recording.source);
        let notes = part.notes_on_its_methods().map(|(method, note)| {
            object! { method: &method.name, signature: if_any(&*method.signature), note }
        });
        let others = self.others.iter();
        self.text
            .json(br#"{"schema":"dotspot.call-tree/1","snapshot":"#);
        self.text.serialized(&object! {
            source: file_name(&source.name),
            thread_count: self.threads.len(),
            node_count: view.tree.size(self.root),
            payload_type: source.kind.name(),
            time_unit: self.unit.name(),
            decoder: &source.decoder,
            decoder_version: &source.decoder_version,
            facts: if_rows(source.public_facts().map(|(name, text)| object! { name, text })),
            warnings: sentences::warnings(view).collect::<Vec<_>>(),
            notes: if_rows(sentences::notes(view)),
            method_notes: if_rows(notes),
            metric: metric_object(recording.metric(self.metric)),
            other_metrics: if_rows(others.map(|&other| metric_object(recording.metric(other)))),
        });
    }

    fn thread_roots(&mut self) -> io::Result<()> {
        self.text.json(br#","thread_roots":["#);
        let mut is_first = true;
        for index in 0..self.threads.len() {
            self.text.comma(&mut is_first);
            let SpannedThread { node, thread, .. } = self.threads[index];
            self.text.json(br#"{"id":"#);
            self.id(node, Some(index));
            let text = &mut self.text;
            text.json_and_string(br#","name":"#, self.view.name(thread.node));
            text.json_and_string(br#","kind":"thread","thread_name":"#, &thread.name);
            if !thread.id.is_empty() {
                text.json_and_string(br#","thread_id":"#, &thread.id);
            }
            text.json(br#","inclusive_time":"#);
            text.value(self.unit, self.view.tree.inclusive(self.metric, node));
            self.exclusive_and_count(node);
            self.text.json(b"}");
            self.text.pass_on()?;
        }
        self.text.json(b"]");
        Ok(())
    }

    /// The same as [`View::node_label`].
    #[inline]
    fn id(&mut self, node: NodeId, thread: Option<usize>) {
        let view = self.view;
        let origin = view.to_recorded(node);
        let recorded = || view.recording.tree_of(view.form).thread_of(origin);
        let row = thread.and_then(|thread| self.threads[thread].row);
        match (&view.recording.node_ids, row.or_else(recorded)) {
            (NodeIds::Preorder, _) => {
                self.text.json(self.number_prefix);
                self.text.number(u64::from(origin.0));
                self.text.json(b"\"");
            }
            (NodeIds::ThreadOffsets(offsets), Some(thread)) => {
                self.text.json(&self.id_starts[thread]);
                self.text.hex(offsets[origin.index()]);
                self.text.json(b"\"");
            }
            (NodeIds::Offsets(offsets), _) if offsets[origin.index()] != NodeIds::NO_OFFSET => {
                self.text.json(b"\"0x");
                self.text.hex(offsets[origin.index()]);
                self.text.json(b"\"");
            }
            (NodeIds::ThreadOffsets(_), None) | (NodeIds::Offsets(_), _) => {
                self.text.json(b"\"root\"")
            }
        }
    }

    #[inline]
    fn exclusive_and_count(&mut self, node: NodeId) {
        let tree = &self.view.tree;
        self.text.json(br#","exclusive_time":"#);
        self.text
            .value(self.unit, tree.exclusive(self.metric, node));
        if let Some(count) = tree.count(self.metric, node) {
            self.text.json(self.count_member);
            self.text.number(count);
        }
    }

    fn tree(&mut self) -> io::Result<()> {
        let tree = &self.view.tree;
        self.text.json(br#","call_tree":"#);
        let mut next_thread = 0;
        for index in tree.range(self.root) {
            let node = NodeId::at(index);
            let ahead = &self.threads[next_thread..];
            let ended = ahead.iter().take_while(|thread| thread.end <= node);
            next_thread += ended.count();
            let thread = self.threads.get(next_thread);
            let is_within = thread.is_some_and(|thread| thread.node <= node);
            self.node(node, is_within.then_some(next_thread));
            let next = NodeId(node.0 + 1);
            let mut closed = node;
            while tree.end(closed) == next {
                self.text.json(b"]}");
                match tree.parent(closed) {
                    Some(parent) if closed != self.root => closed = parent,
                    _ => break,
                }
            }
            if tree.end(node) == next && next < tree.end(self.root) {
                self.text.json(b",");
            }
            self.text.pass_on()?;
        }
        Ok(())
    }

    #[inline]
    fn node(&mut self, node: NodeId, thread: Option<usize>) {
        let tree = &self.view.tree;
        let frame = tree.frame(node);
        if self.pieces[frame.index()].name_and_kind.is_empty() {
            self.pieces[frame.index()] = pieces_of(self.view, frame);
        }
        self.text.json(br#"{"id":"#);
        self.id(node, thread);
        self.text.json(&self.pieces[frame.index()].name_and_kind);
        self.text
            .value(self.unit, tree.inclusive(self.metric, node));
        self.exclusive_and_count(node);
        let thread = thread.map(|thread| &self.threads[thread]);
        if let Some(root) = thread.filter(|thread| thread.node == node) {
            let name = &root.thread.name;
            self.text.json_and_string(br#","thread_name":"#, name);
        }
        self.text.json(&self.pieces[frame.index()].signature);
        if !self.others.is_empty() {
            self.other_metrics(node);
        }
        self.text.json(br#","children":["#);
    }

    fn other_metrics(&mut self, node: NodeId) {
        let (view, text) = (self.view, &mut self.text);
        text.json(br#","other":["#);
        let mut is_first = true;
        for &other in &self.others {
            let unit = view.recording.metric(other).unit;
            text.comma(&mut is_first);
            text.json(b"[");
            text.value(unit, view.tree.inclusive(other, node));
            text.json(b",");
            text.value(unit, view.tree.exclusive(other, node));
            text.json(b",");
            match view.tree.count(other, node) {
                Some(count) => text.number(count),
                None => text.json(b"null"),
            }
            text.json(b"]");
        }
        text.json(b"]");
    }

    fn hotspots(&mut self) -> io::Result<()> {
        let mut rows = hotspots(self.view, &[self.root], self.metric);
        self.text.json(br#","hotspots":{"inclusive":["#);
        for order in [HotspotOrder::Inclusive, HotspotOrder::Exclusive] {
            if order == HotspotOrder::Exclusive {
                self.text.json(br#"],"exclusive":["#);
            }
            sort_hotspots(self.view, &mut rows, order);
            let mut is_first = true;
            for row in rows.iter().take(MAX_HOTSPOTS) {
                self.text.comma(&mut is_first);
                self.hotspot(row);
                self.text.pass_on()?;
            }
        }
        self.text.json(b"]}");
        Ok(())
    }

    fn hotspot(&mut self, row: &Hotspot) {
        let (frames, text) = (&self.view.frames, &mut self.text);
        text.json_and_string(br#"{"name":"#, frames.name(row.frame));
        text.json_and_string(br#","kind":"#, frames.get(row.frame).kind.name());
        text.json(br#","inclusive_time":"#);
        text.value(self.unit, row.inclusive);
        text.json(br#","exclusive_time":"#);
        text.value(self.unit, row.exclusive);
        if !self.count_member.is_empty() {
            text.json(self.count_member);
            text.number(row.total_count);
        }
        text.json(br#","node_count":"#);
        text.number(u64::from(row.node_count));
        if !frames.signature(row.frame).is_empty() {
            text.json_and_string(br#","signature":"#, frames.signature(row.frame));
        }
        text.json(b"}");
    }
}

fn pieces_of(view: &View, frame: FrameId) -> JsonPieces {
    let mut name_and_kind = br#","name":"#.to_vec();
    push_string(&mut name_and_kind, view.frames.name(frame));
    name_and_kind.extend_from_slice(br#","kind":""#);
    name_and_kind.extend_from_slice(FrameKind::name(view.frames.get(frame).kind).as_bytes());
    name_and_kind.extend_from_slice(br#"","inclusive_time":"#);
    let mut signature = Vec::new();
    if !view.frames.signature(frame).is_empty() {
        signature.extend_from_slice(br#","signature":"#);
        push_string(&mut signature, view.frames.signature(frame));
    }
    JsonPieces {
        name_and_kind: name_and_kind.into(),
        signature: signature.into(),
    }
}

fn metric_object(metric: &Metric) -> impl Serialize {
    object! {
        name: &metric.name,
        unit: metric.unit.name(),
        counts: metric.counts.map(CountKind::name),
    }
}
