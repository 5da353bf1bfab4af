//! The hotspots query: the methods that take the most time.

use super::QueryError;
use super::selection::{Selection, measure_named};
use super::values::{DocumentHead, StandardError, Value, count_if, diagnostic_records};
use crate::analysis::{self, Hotspot, HotspotOrder, keep_first_hotspots, own_and_system};
use crate::diagnostics::DiagnosticRecord;
use crate::model::{CountKind, NodeId, View};
use crate::names::Category;
use serde::Serialize;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug)]
pub struct HotspotsRequest<'a> {
    pub within: NodeId,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<&'a str>,
    /// Whether waiting counts, unless it is as [`View::measure`] has it.
    pub waiting: Option<bool>,
    /// A method: only what is below its occurrences counts.
    pub under: Option<&'a str>,
    /// Whether only user code is listed.
    pub is_user_code: bool,
    pub order: HotspotOrder,
    /// How many are listed at most; 0 for all.
    pub most: usize,
}

#[derive(Clone, Debug)]
pub struct Hotspots {
    pub selection: Selection,
    /// Whether only user code is listed.
    pub is_user_code: bool,
    pub order: HotspotOrder,
    pub rows: Vec<Hotspot>,
    pub left_out: usize,
}

/// Finds hotspots. O(nodes of the part).
///
/// # Errors
/// There is no such metric; those of [`Selection::new`].
pub fn hotspots(view: &View, request: &HotspotsRequest) -> Result<Hotspots, QueryError> {
    let measure = measure_named(view, request.within, request.metric, request.waiting)?;
    let selection = Selection::new(view, request.within, measure, request.under)?;
    let mut rows = analysis::hotspots(view, &selection.roots, measure);
    if request.is_user_code {
        rows.retain(|row| view.frames.get(row.frame).category == Category::User);
    }
    let all = rows.len();
    let most = if request.most > 0 { request.most } else { all };
    keep_first_hotspots(view, &mut rows, request.order, most);
    Ok(Hotspots {
        selection,
        is_user_code: request.is_user_code,
        order: request.order,
        left_out: all - rows.len(),
        rows,
    })
}

/// The document `dotspot.hotspots/1`.
#[derive(Debug, Serialize)]
pub struct HotspotsDocument<'a> {
    #[serde(flatten)]
    head: DocumentHead<'a>,
    /// what threads have to themselves, which is in no row
    outside_methods: Value,
    /// own and system time that no user code has called
    no_user_caller: Value,
    scope: &'a str,
    rows: Vec<HotspotRow<'a>>,
    /// how many more methods there are
    left_out: usize,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct HotspotRow<'a> {
    name: &'a str,
    display: Cow<'a, str>,
    module: &'a str,
    category: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    inclusive: Value,
    exclusive: Value,
    /// with the system code that works for it; `null` for what is no user code
    own_plus_system: Option<Value>,
    /// how much of the inclusive value is waiting that does not count
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<Value>,
    calls: Option<u64>,
    samples: Option<u64>,
    own_samples: Option<u64>,
    /// `null` where counts are no samples
    standard_error: Option<StandardError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    node_count: u32,
    heaviest_node: String,
    /// the thread with most of the value by which rows are ordered
    #[serde(skip_serializing_if = "Option::is_none")]
    hottest_thread: Option<&'a str>,
}

impl Hotspots {
    /// The same with so many rows at most.
    #[must_use]
    pub fn first(&self, rows: usize) -> Hotspots {
        let left_out = self.left_out + self.rows.len().saturating_sub(rows);
        let rows = self.rows.iter().take(rows).copied().collect();
        Hotspots {
            rows,
            left_out,
            selection: self.selection.clone(),
            ..*self
        }
    }

    /// The name of the thread in which a row has most of the value by which rows are ordered, where there are several.
    /// O(occurrences · log threads).
    pub fn hottest_thread<'a>(&self, view: &'a View, row: &Hotspot) -> Option<&'a str> {
        if view.threads.len() < 2 {
            return None;
        }
        let Selection { roots, measure, .. } = &self.selection;
        let (thread, _) = analysis::hottest_thread(view, roots, *measure, row.frame, self.order)?;
        Some(view.name(thread))
    }

    /// The document. O(nodes of the part + rows).
    pub fn document<'a>(&'a self, view: &'a View) -> HotspotsDocument<'a> {
        let selection = &self.selection;
        let charged = own_and_system(view, &selection.roots, selection.measure);
        let metric = view.recording.metric(selection.metric());
        let counted = |kind, count| count_if(view, selection.metric(), kind, count);
        let rows = self.rows.iter().map(|row| HotspotRow {
            name: view.frames.name(row.frame),
            display: view.frames.list_name(row.frame),
            module: view.frames.module(row.frame),
            category: view.frames.get(row.frame).category.name(),
            signature: view.frames.signature(row.frame),
            inclusive: Value::new(metric.unit, row.inclusive),
            exclusive: Value::new(metric.unit, row.exclusive),
            own_plus_system: charged
                .of(view, row.frame)
                .map(|charged| Value::new(metric.unit, charged.value)),
            waiting: (!selection.measure.counts_waiting)
                .then(|| Value::new(metric.unit, row.inclusive_waiting)),
            calls: counted(CountKind::Calls, row.count),
            samples: counted(CountKind::Samples, row.count),
            own_samples: row.own_samples,
            standard_error: StandardError::new(
                view,
                selection.metric(),
                [HotspotOrder::Inclusive, HotspotOrder::Exclusive].map(|order| row.samples(order)),
            ),
            counts: counted(CountKind::Unknown, row.count),
            node_count: row.node_count,
            heaviest_node: view.node_label(row.heaviest_node),
            hottest_thread: self.hottest_thread(view, row),
        });
        HotspotsDocument {
            head: selection.head("dotspot.hotspots/1", view),
            outside_methods: Value::new(metric.unit, selection.outside_methods(view)),
            no_user_caller: Value::new(metric.unit, charged.no_user_caller.value),
            scope: &selection.words,
            rows: rows.collect(),
            left_out: self.left_out,
            diagnostics: diagnostic_records(view),
        }
    }
}
