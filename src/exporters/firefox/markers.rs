//! Markers; their types have the names and fields of our kinds.

use super::super::json_text::JsonText;
use super::super::timeline::thread_nodes;
use super::super::tracks::ExportTrack;
use super::NS_PER_MS;
use super::tables::ThreadTables;
use crate::model::{Marker, MarkerKind, NodeId, NodeMap, RecordedNode, TimeRange, View};
use crate::object::object;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) fn schemas(view: &View) -> Vec<impl Serialize + use<>> {
    let mut seen: Vec<MarkerKind> = view.recording.markers.iter().map(Marker::kind).collect();
    seen.sort_unstable();
    seen.dedup();
    let field = |label: &'static str| {
        object! { key: key(label), label, format: "string", searchable: true }
    };
    let schema = |kind: MarkerKind| {
        object! {
            name: kind.name(),
            display: ["marker-chart", "marker-table", "timeline-overview"],
            fields: kind.fields().map(field).collect::<Vec<_>>(),
        }
    };
    seen.into_iter().map(schema).collect()
}

pub(super) struct TrackMarkers<'a> {
    /// In time order. Those without a thread go to the first track.
    by_track: Vec<Vec<Marker<'a>>>,
    /// Maps recorded nodes to the view's; made for the first marker with a stack.
    shown: OnceCell<NodeMap<RecordedNode, NodeId>>,
}

impl<'a> TrackMarkers<'a> {
    /// The markers in the view's range on written threads. O(markers + threads).
    pub(super) fn new(view: &'a View, tracks: &[ExportTrack]) -> TrackMarkers<'a> {
        let mut by_track = vec![Vec::new(); tracks.len()];
        let nodes = tracks.iter().enumerate();
        let nodes = nodes.filter_map(|(row, track)| Some((track.thread?.0, row)));
        let track_of: HashMap<NodeId, usize> = nodes.collect();
        let threads = thread_nodes(view);
        let range = view.range().map_or(TimeRange::ALL, |shown| shown.range);
        let markers = view.recording.markers.iter();
        for marker in markers.filter(|marker| range.contains(marker.time_ns())) {
            let track = match marker.thread() {
                Some(thread) => {
                    let node = threads.get(thread).copied().flatten();
                    node.and_then(|node| track_of.get(&node))
                }
                None => Some(&0),
            };
            if let Some(markers) = track.and_then(|&track| by_track.get_mut(track)) {
                markers.push(marker);
            }
        }
        TrackMarkers {
            by_track,
            shown: OnceCell::new(),
        }
    }

    fn stack(&self, view: &View, marker: &Marker) -> Option<NodeId> {
        let stack = marker.stack(view.form)?;
        self.shown.get_or_init(|| view.recorded_nodes()).get(stack)
    }
}

pub(super) fn write<'a, W: Write>(
    view: &View,
    all: &TrackMarkers<'a>,
    (row, track): (usize, &ExportTrack<'a>),
    tables: &mut ThreadTables<'a, '_>,
    text: &mut JsonText<W>,
) -> io::Result<()> {
    let markers = &all.by_track[row];
    text.json(br#","markers":{"length":"#);
    text.number(markers.len() as u64);
    let names = markers.iter().map(|marker| marker.kind().title());
    text.numbers("name", names.map(|name| Some(tables.string(name))))?;
    text.column("startTime", markers, |text, marker| {
        text.parts(marker.time_ns(), NS_PER_MS)
    })?;
    text.column("endTime", markers, |text, marker| {
        match marker.duration_ns() {
            Some(duration) if marker.kind().has_duration() => {
                text.parts(marker.time_ns().saturating_add(duration), NS_PER_MS)
            }
            _ => text.json(b"null"),
        }
    })?;
    text.column("phase", markers, |text, marker| {
        // an instant, an interval, a start without an end
        text.json(match (marker.kind().has_duration(), marker.duration_ns()) {
            (false, _) => b"0",
            (true, Some(_)) => b"1",
            (true, None) => b"2",
        });
    })?;
    text.column("category", markers, |text, _| text.json(b"0"))?;
    let thread = track.thread.map(|(node, _)| node);
    text.column("data", markers, |text, marker| {
        let node = all.stack(view, marker);
        let is_here = |node: &NodeId| view.thread_of(*node).map(|thread| thread.node) == thread;
        let stack = node.filter(is_here);
        let stack = stack.and_then(|node| tables.stack_of(node, false));
        data(text, marker, stack);
    })
}

fn data<W: Write>(text: &mut JsonText<W>, marker: &Marker, stack: Option<u32>) {
    text.json_and_string(br#"{"type":"#, marker.kind().name());
    if let Some(stack) = stack {
        text.json(br#","cause":{"stack":"#);
        text.number(u64::from(stack));
        text.json(b"}");
    }
    for (name, value) in marker.fields() {
        text.json_and_string(b",", key(name));
        text.json(b":");
        text.string(&value.to_string());
    }
    text.json(b"}");
}

/// `type` is reserved for the type of the marker.
fn key(field: &'static str) -> &'static str {
    match field {
        "type" => MarkerKind::TYPE_KEY,
        field => field,
    }
}
