//! What happened while a profile was recorded: sums of its markers, and events of which nothing else is made.

use super::messages;
use super::values::Value;
use crate::model::{EventCount, Marker, MarkerKind, MarkerValue, TimeRange, View};
use crate::units::{Unit, size, thousands};
use indexmap::IndexMap;
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How many types are named in a line.
const NAMED_TYPES: usize = 3;
/// How many groups and events a document lists.
const MAX_LISTED: usize = 20;

/// The markers of a kind that start in the range of a view.
struct MarkerSums<'a> {
    kind: MarkerKind,
    all: Amount,
    longest_ns: u64,
    /// By the field that is good for that, those with most first.
    groups: Vec<(Cow<'a, str>, Amount)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Amount {
    bytes: u64,
    count: u64,
    duration_ns: u64,
}

impl Amount {
    fn add(&mut self, marker: Marker) {
        if let Some(MarkerValue::Number(bytes)) = marker.field("bytes") {
            self.bytes = self.bytes.saturating_add(bytes);
        }
        self.count += 1;
        let duration_ns = marker.duration_ns().unwrap_or(0);
        self.duration_ns = self.duration_ns.saturating_add(duration_ns);
    }
}

/// The sums of each kind that there is. O(markers).
fn marker_sums(view: &View) -> Vec<MarkerSums<'_>> {
    let range = view.range().map_or(TimeRange::ALL, |of| of.range);
    let mut sums: Vec<_> = MarkerKind::all()
        .map(|kind| (kind, Amount::default(), 0, IndexMap::new()))
        .collect();
    for marker in view.recording.markers.iter() {
        if !range.contains(marker.time_ns()) {
            continue;
        }
        let (_, all, longest_ns, groups) = &mut sums[marker.kind() as usize];
        all.add(marker);
        *longest_ns = marker.duration_ns().unwrap_or(0).max(*longest_ns);
        if let Some(group) = marker.group() {
            let name = match group {
                MarkerValue::Text("") => "?".into(),
                MarkerValue::Text(text) => Cow::Borrowed(text),
                number => number.to_string().into(),
            };
            groups
                .entry(name)
                .or_insert_with(Amount::default)
                .add(marker);
        }
    }
    let sums = sums.into_iter().filter(|(_, all, ..)| all.count > 0);
    sums.map(|(kind, all, longest_ns, groups)| {
        let mut groups: Vec<(Cow<str>, Amount)> = groups.into_iter().collect();
        groups.sort_by(|a, b| Reverse(a.1).cmp(&Reverse(b.1)).then_with(|| a.0.cmp(&b.0)));
        if kind == MarkerKind::Collection {
            groups.sort_by(|a, b| a.0.cmp(&b.0));
        }
        MarkerSums {
            kind,
            all,
            longest_ns,
            groups,
        }
    })
    .collect()
}

/// The events of which nothing is made, those with most first.
fn other_events(view: &View) -> Vec<&EventCount> {
    let events = view.recording.markers.events.iter();
    let mut events: Vec<_> = events.filter(|event| !event.is_read).collect();
    events.sort_by_key(|event| Reverse(event.count));
    events
}

/// What happened in the range of a view, in words: what it is, and how much of it. O(markers).
pub fn marker_lines(view: &View) -> Vec<(&'static str, String)> {
    let lines = marker_sums(view);
    let lines = lines.iter().map(|sums| (sums.kind.title(), sums.text()));
    let events = other_events(view);
    let name = |event: &EventCount| match event.name.as_str() {
        "" => event.id.to_string(),
        name => name.to_string(),
    };
    let named = events.iter().take(NAMED_TYPES).map(|event| {
        let count = thousands(event.count);
        format!("{count} {}/{}", event.provider, name(event))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let count: u64 = events.iter().map(|event| event.count).sum();
    let kinds = thousands(events.len() as u64);
    let others = messages::events_of_kinds(&thousands(count), &kinds, &named);
    let others = (count > 0).then_some((messages::TITLE_OTHER_EVENTS, others));
    lines.chain(others).collect()
}

/// What is known of a profile and of what happened, in words. O(markers).
pub fn facts_and_markers(view: &View) -> Vec<(&str, Cow<'_, str>)> {
    let markers = marker_lines(view).into_iter();
    let markers = markers.map(|(what, text)| (what, text.into()));
    view.recording.source.told().chain(markers).collect()
}

impl MarkerSums<'_> {
    fn text(&self) -> String {
        let count = thousands(self.all.count);
        let start = match self.kind {
            MarkerKind::Collection | MarkerKind::Exception | MarkerKind::ThreadPool => count,
            MarkerKind::Allocation => messages::bytes_in_all(&count, &size(self.all.bytes)),
            _ => {
                let all = milliseconds(self.all.duration_ns);
                messages::markers_together(&count, &all, &milliseconds(self.longest_ns))
            }
        };
        let amount = |of: Amount| match of.bytes {
            0 => thousands(of.count),
            bytes => size(bytes),
        };
        let shown = match self.kind.grouped_by() {
            Some("type") => NAMED_TYPES.min(self.groups.len()),
            _ => self.groups.len(),
        };
        let (named, others) = self.groups.split_at(shown);
        let mut parts: Vec<String> = named
            .iter()
            .map(|(name, of)| match self.kind {
                MarkerKind::Collection => messages::of_generation(&amount(*of), name),
                _ => format!("{} {name}", amount(*of)),
            })
            .collect();
        let others = others
            .iter()
            .fold(Amount::default(), |sum, (_, of)| Amount {
                bytes: sum.bytes.saturating_add(of.bytes),
                count: sum.count + of.count,
                ..sum
            });
        if others.count > 0 {
            parts.push(messages::of_other_types(&amount(others)));
        }
        if parts.is_empty() {
            start
        } else {
            format!("{start}: {}", parts.join(", "))
        }
    }
}

fn milliseconds(ns: u64) -> String {
    let tenths = ns.saturating_add(50_000) / 100_000;
    format!("{}.{} ms", thousands(tenths / 10), tenths % 10)
}

/// The markers of a kind in a document.
#[derive(Debug, Serialize)]
pub(super) struct MarkerRow<'a> {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_ms: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_ms: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// what the groups have in common
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    groups: Vec<GroupRow<'a>>,
    #[serde(skip_serializing_if = "super::info::is_zero")]
    groups_left_out: usize,
}

#[derive(Debug, Serialize)]
struct GroupRow<'a> {
    name: Cow<'a, str>,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_ms: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

/// The markers of a view by the names of their kinds. O(markers).
pub(super) fn marker_rows(view: &View) -> BTreeMap<&'static str, MarkerRow<'_>> {
    let rows = marker_sums(view).into_iter();
    rows.map(|sums| (sums.kind.name(), MarkerRow::from(sums)))
        .collect()
}

impl<'a> From<MarkerSums<'a>> for MarkerRow<'a> {
    fn from(sums: MarkerSums<'a>) -> MarkerRow<'a> {
        let milliseconds = |ns: u64| Value::new(Unit::Milliseconds, ns);
        let (kind, all) = (sums.kind, sums.all);
        let bytes = |of: Amount| (kind == MarkerKind::Allocation).then_some(of.bytes);
        let total_ms = |of: Amount| kind.lasts().then(|| milliseconds(of.duration_ns));
        let groups_left_out = sums.groups.len().saturating_sub(MAX_LISTED);
        let groups = sums.groups.into_iter().take(MAX_LISTED);
        let groups = groups.map(|(name, of)| GroupRow {
            name,
            count: of.count,
            total_ms: total_ms(of),
            bytes: bytes(of),
        });
        MarkerRow {
            count: all.count,
            total_ms: total_ms(all),
            longest_ms: kind.lasts().then(|| milliseconds(sums.longest_ns)),
            bytes: bytes(all),
            by: kind.grouped_by(),
            groups: groups.collect(),
            groups_left_out,
        }
    }
}

/// An event of which nothing is made, in a document.
#[derive(Debug, Serialize)]
pub(super) struct EventRow<'a> {
    provider: &'a str,
    id: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    count: u64,
    /// the fields of the first one
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    first: BTreeMap<&'a str, &'a str>,
}

/// The events of which nothing is made, and how many kinds are left out.
pub(super) fn event_rows(view: &View) -> (Vec<EventRow<'_>>, usize) {
    let events = other_events(view);
    let rows = events.iter().take(MAX_LISTED).map(|&event| EventRow {
        provider: &event.provider,
        id: event.id,
        name: &event.name,
        count: event.count,
        first: event
            .first
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect(),
    });
    (rows.collect(), events.len().saturating_sub(MAX_LISTED))
}
