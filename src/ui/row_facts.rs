//! The lines below the panels for the selected row of a list that is not a tree.

use super::messages;
use crate::analysis::HotspotOrder;
use crate::app::picker::{PickerRow, ThreadPicker};
use crate::app::{AnyPanel, Explorer, LaneKind, LanesPanel, MethodTable, Overlay};
use crate::model::{MetricId, NodeId};
use crate::names::NO_USER_CALLER;
use crate::query::MarkerLane;
use crate::text::visible;
use crate::units::{counted, percent};

/// Lanes of more threads don't name all of them.
const MAX_NAMED_THREADS: usize = 5;

/// What the lines say.
#[derive(Default)]
pub(super) struct Description {
    pub name: String,
    pub note: String,
    pub facts: String,
    /// The callers.
    pub path: String,
}

impl Description {
    fn of(name: String, facts: impl IntoIterator<Item = String>) -> Description {
        let facts: Vec<String> = facts.into_iter().collect();
        Description {
            name,
            facts: facts.join(" · "),
            ..Description::default()
        }
    }
}

/// `None` if the overlay or the timeline has no rows.
pub(super) fn row_facts(explorer: &Explorer) -> Option<Description> {
    match &explorer.overlay {
        Overlay::Methods(table) if explorer.lens().is_comparison() && !table.is_grouped() => None,
        Overlay::Methods(table) if table.is_on_uncalled() => Some(uncalled_facts(explorer, table)),
        Overlay::Methods(table) => group_facts(explorer, table),
        Overlay::Threads(picker) => thread_facts(explorer, picker),
        Overlay::List(kind, cursor) => {
            let row = explorer.list_rows(*kind).into_iter().nth(cursor.selected)?;
            Some(Description::of(row.name, [row.about]))
        }
        Overlay::None => match explorer.page().focused() {
            AnyPanel::Lanes(panel) if panel.node_at_cursor.is_none() => lane_facts(explorer, panel),
            _ => None,
        },
        _ => None,
    }
}

fn lane_facts(explorer: &Explorer, panel: &LanesPanel) -> Option<Description> {
    let (lens, row) = (explorer.lens(), panel.selected_row()?);
    if let LaneKind::Markers(kind) = row.kind {
        let strip = explorer.computed_strip();
        let lane = strip.and_then(|strip| strip.markers.iter().find(|lane| lane.kind == kind));
        let name = lane.map_or_else(|| row.name.clone(), MarkerLane::words);
        return Some(Description::of(name, None));
    }
    let total = explorer.measure().inclusive(&lens.view, NodeId::ROOT);
    let (share, value) = (percent(row.value, total), lens.scale().with_unit(row.value));
    let metric = lens.metric_name(lens.metric);
    let recorded = lens.view.recording.tree_of(lens.view.form);
    let name = |&row: &usize| {
        let frame = recorded.tree.frame(recorded.threads()[row]);
        visible(lens.view.recording.frames.name(frame)).into_owned()
    };
    let merged = (row.rows.len() > 1).then(|| {
        let names: Vec<String> = row.rows.iter().take(MAX_NAMED_THREADS).map(name).collect();
        match row.rows.len().saturating_sub(MAX_NAMED_THREADS) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    });
    let value = messages::of_metric(&metric, &value, &share);
    let facts = [value].into_iter().chain(merged);
    Some(Description::of(row.name.clone(), facts))
}

fn uncalled_facts(explorer: &Explorer, table: &MethodTable) -> Description {
    let (lens, value) = (explorer.lens(), table.sums.no_user_caller.value);
    let total = explorer.measure().inclusive(&lens.view, table.within());
    let (metric, share) = (lens.metric_name(lens.metric), percent(value, total));
    let value = messages::of_metric(&metric, &lens.scale().with_unit(value), &share);
    let facts = [value, messages::LISTS_UNCALLED.into()];
    Description::of(NO_USER_CALLER.into(), facts)
}

/// Single methods are described like hotspots.
fn group_facts(explorer: &Explorer, table: &MethodTable) -> Option<Description> {
    let (lens, row) = (explorer.lens(), table.selected()?);
    table.sums.request.group?;
    let [inclusive, exclusive] = [HotspotOrder::Inclusive, HotspotOrder::Exclusive]
        .map(|order| lens.scale().with_unit(row.sums.weight(order)));
    let occurrences = counted(u64::from(row.sums.node_count), "occurrence");
    let sums = messages::incl_excl(&inclusive, &exclusive, &occurrences);
    let count = lens.counts().zip(row.sums.counted());
    let count = count.map(|(kind, count)| counted(count, kind.noun()));
    let name = table.names(&lens.view).frames.name(row.sums.frame);
    let facts = [sums].into_iter().chain(count);
    Some(Description::of(visible(name).into_owned(), facts))
}

fn thread_facts(explorer: &Explorer, picker: &ThreadPicker) -> Option<Description> {
    let whole = &explorer.whole;
    let (node, threads) = match picker.selected()? {
        PickerRow::Thread(at) => (whole.threads.get(at)?.node, 1),
        PickerRow::Process(at) => {
            let group = picker.groups.get(at)?;
            let process = group.process.and_then(|at| whole.processes.get(at));
            (process?.node, group.threads.len())
        }
    };
    let measure = explorer.measure();
    let value = |metric: MetricId, node: NodeId| measure.or_all_of(metric).inclusive(whole, node);
    let metrics = picker.metrics.iter().map(|&id| {
        let share = percent(value(id, node), value(id, NodeId::ROOT));
        let metric = whole.recording.metric(id);
        let largest = whole.tree.inclusive(id, NodeId::ROOT);
        let scale = explorer.lens().scale_in(metric.unit, largest);
        let value = scale.with_unit(value(id, node));
        messages::of_metric(&visible(&metric.name), &value, &share)
    });
    let threads = (threads > 1).then(|| counted(threads as u64, "thread"));
    let name = visible(whole.name(node)).into_owned();
    Some(Description::of(name, metrics.chain(threads)))
}
