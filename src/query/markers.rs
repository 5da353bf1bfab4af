use super::messages;
use crate::model::{EventCount, Marker, MarkerKind, MarkerValue, TimeRange, View};
use crate::units::{Scale, Unit, counted, percent, seconds_rounded, size, thousands};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

const MAX_NAMED_TYPES: usize = 3;
pub(super) const MAX_LISTED: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Amount {
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    count: u64,
    #[serde(rename = "total_ms", serialize_with = "in_ms")]
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
}

/// The markers of one kind that start in a view's range, for the processes it shows.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct MarkerSums<'a> {
    #[serde(skip)]
    pub kind: MarkerKind,
    #[serde(flatten)]
    total: Amount,
    #[serde(rename = "longest_ms", serialize_with = "in_ms")]
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<MarkerGroup<'a>>,
}

#[derive(Debug, PartialEq, Serialize)]
pub(super) struct MarkerGroup<'a> {
    name: Cow<'a, str>,
    #[serde(flatten)]
    total: Amount,
}

fn in_ms<S: Serializer>(ns: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(Unit::Milliseconds.to_unit(ns.unwrap_or(0)))
}

impl Amount {
    fn add(&mut self, other: Amount) {
        self.count += other.count;
        for (sum, more) in [
            (&mut self.bytes, other.bytes),
            (&mut self.duration_ns, other.duration_ns),
        ] {
            *sum = more.map_or(*sum, |more| Some(sum.unwrap_or(0).saturating_add(more)));
        }
    }

    fn of(marker: Marker) -> Amount {
        let is_allocation = marker.kind() == MarkerKind::Allocation;
        let bytes = match is_allocation.then(|| marker.field("bytes")).flatten() {
            Some(MarkerValue::Number(bytes)) => Some(bytes),
            _ => None,
        };
        let duration_ns = marker.duration_ns().unwrap_or(0);
        Amount {
            bytes,
            count: 1,
            duration_ns: marker.kind().has_duration().then_some(duration_ns),
        }
    }

    fn text(self) -> String {
        self.bytes.map_or_else(|| thousands(self.count), size)
    }
}

type Groups<'a> = HashMap<Cow<'a, str>, Amount, foldhash::fast::RandomState>;

pub(super) fn marker_sums(
    view: &View,
    is_wanted: impl Fn(MarkerKind) -> bool,
) -> Vec<MarkerSums<'_>> {
    let range = view.range().map_or(TimeRange::ALL, |part| part.range);
    let mut sums: BTreeMap<MarkerKind, (MarkerSums, Groups)> = BTreeMap::new();
    let markers = view.shown_markers();
    for marker in markers.filter(|marker| range.contains(marker.time_ns())) {
        let kind = marker.kind();
        if !is_wanted(kind) {
            continue;
        }
        let (sums, groups) = sums.entry(kind).or_insert_with(|| {
            let sums = MarkerSums {
                kind,
                total: Amount::default(),
                longest_ns: kind.has_duration().then_some(0),
                by: kind.grouped_by(),
                groups: Vec::new(),
            };
            (sums, Groups::default())
        });
        let amount = Amount::of(marker);
        sums.total.add(amount);
        sums.longest_ns = sums.longest_ns.max(amount.duration_ns);
        if let Some(group) = marker.group() {
            let name = match group {
                MarkerValue::Text("") => "?".into(),
                MarkerValue::Text(text) => Cow::Borrowed(text),
                number => number.to_string().into(),
            };
            groups.entry(name).or_default().add(amount);
        }
    }
    sums.into_values()
        .map(|(sums, groups)| {
            let groups = groups.into_iter();
            let groups = groups.map(|(name, total)| MarkerGroup { name, total });
            let mut groups: Vec<_> = groups.collect();
            match sums.kind {
                MarkerKind::Collection => groups.sort_by(|a, b| a.name.cmp(&b.name)),
                _ => groups.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name))),
            }
            MarkerSums { groups, ..sums }
        })
        .collect()
}

pub(super) fn other_events(view: &View) -> Vec<&EventCount> {
    let events = view.recording.markers.events.iter();
    let mut events: Vec<_> = events.filter(|event| !event.is_read).collect();
    events.sort_by_key(|event| Reverse(event.count));
    events
}

/// The events in a view's range: for each kind, a title and an amount in words.
pub fn marker_lines(view: &View) -> Vec<(&'static str, String)> {
    let mut lines = marker_lines_of(view, |_| true, |_, count| thousands(count));
    // only a view of all threads covers all processes
    if view.processes.len() > 1 && view.steps.scope.threads.has_all() {
        let lines = lines.iter_mut();
        lines.for_each(|(_, text)| text.push_str(messages::ALL_PROCESSES));
    }
    let events = other_events(view);
    if !events.is_empty() {
        let named = events.iter().take(MAX_NAMED_TYPES).map(|event| {
            let (count, provider) = (thousands(event.count), &event.provider);
            match event.name.as_str() {
                "" => format!("{count} {provider}/{}", event.id),
                name => format!("{count} {provider}/{name}"),
            }
        });
        let named = named.collect::<Vec<_>>().join(", ");
        let count = thousands(events.iter().map(|event| event.count).sum());
        let kinds = counted(events.len() as u64, "kind");
        let text = messages::events_of_kinds(&count, &kinds, &named);
        lines.push((messages::TITLE_OTHER_EVENTS, text));
    }
    lines
}

/// The length of a view's range, or else of the recording, in nanoseconds.
pub(super) fn duration_ns(view: &View) -> Option<u64> {
    if let Some(range) = view.range() {
        return Some(range.length_ns());
    }
    let text = view.recording.source.fact("duration")?;
    let seconds: f64 = text.strip_suffix(" s")?.replace(',', "").parse().ok()?;
    Some((seconds * 1e9) as u64).filter(|&ns| ns > 0)
}

/// `478 GC pauses`.
pub(super) fn counted_markers(kind: MarkerKind, count: u64) -> String {
    let title = kind.title();
    let singular = title.strip_suffix('s').filter(|_| count == 1);
    format!("{} {}", thousands(count), singular.unwrap_or(title))
}

/// Titles and amounts, which start with a count that `counted` writes.
pub(super) fn marker_lines_of(
    view: &View,
    is_wanted: impl Fn(MarkerKind) -> bool,
    counted: fn(MarkerKind, u64) -> String,
) -> Vec<(&'static str, String)> {
    let sums = marker_sums(view, is_wanted).into_iter();
    // pauses of several programs don't add up
    let duration = duration_ns(view).filter(|_| view.processes.len() < 2);
    let line = |sums: MarkerSums| {
        let count = counted(sums.kind, sums.total.count);
        (sums.kind.title(), sums.text(count, duration))
    };
    sums.map(line).collect()
}

pub fn facts_and_markers(view: &View) -> Vec<(&str, Cow<'_, str>)> {
    let markers = marker_lines(view).into_iter();
    let markers = markers.map(|(what, text)| (what, text.into()));
    view.recording.source.facts().chain(markers).collect()
}

impl MarkerSums<'_> {
    /// Pauses of the program also get a share of the recording.
    fn text(&self, count: String, recorded_ns: Option<u64>) -> String {
        let is_collection = self.kind == MarkerKind::Collection;
        let start = match (self.total.bytes, self.total.duration_ns, self.longest_ns) {
            (Some(bytes), ..) => messages::bytes_in_all(&count, &size(bytes)),
            (_, Some(total), Some(longest)) if !is_collection => {
                let recorded = recorded_ns.filter(|_| self.kind == MarkerKind::Pause);
                let share = recorded.map(|recorded| {
                    messages::share_of_recorded(
                        &percent(total, recorded),
                        &seconds_rounded(recorded),
                    )
                });
                let [total, longest] = [total, longest].map(|ns| Scale::MILLISECONDS.with_unit(ns));
                messages::markers_together(&count, &total, &share.unwrap_or_default(), &longest)
            }
            _ => count,
        };
        let shown = match self.by {
            Some("type") => MAX_NAMED_TYPES.min(self.groups.len()),
            _ => self.groups.len(),
        };
        let (named, others) = self.groups.split_at(shown);
        if let [only] = named
            && is_collection
            && only.total.count == self.total.count
        {
            return messages::all_of_generation(&start, &only.name);
        }
        let part = |group: &MarkerGroup| match is_collection {
            true => messages::in_generation(&group.total.text(), &group.name),
            false => format!("{} {}", group.total.text(), group.name),
        };
        let mut parts: Vec<String> = named.iter().map(part).collect();
        let mut rest = Amount::default();
        others.iter().for_each(|group| rest.add(group.total));
        if rest.count > 0 {
            parts.push(messages::other_types(&rest.text()));
        }
        match &parts[..] {
            [] => start,
            parts => format!("{start}: {}", parts.join(", ")),
        }
    }
}
