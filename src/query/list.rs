//! The list of methods: what each has cost, in every way that it is measured.

use super::QueryError;
use super::selection::{Selection, measure_named};
use super::table::TableRow;
use super::values::{DocumentHead, Value, count_if, diagnostic_records};
use crate::analysis::{
    Charged, Hotspot, HotspotOrder, OwnAndSystem, hotspots, own_and_system, sort_hotspots,
};
use crate::diagnostics::DiagnosticRecord;
use crate::model::{CountKind, FrameId, NodeId, View};
use crate::names::Category;
use crate::query::messages;
use serde::Serialize;
use std::borrow::Cow;
use std::cmp::Reverse;

/// By what methods are ordered: the largest first, names from A to Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodOrder {
    /// Time without callees.
    Exclusive,
    /// Time with callees.
    Inclusive,
    /// Own time and that of the system code which works for a method.
    OwnAndSystem,
    Calls,
    Samples,
    /// Inclusive time of one call.
    PerCall,
    Occurrences,
    Name,
}

impl MethodOrder {
    /// All, in the order of help.
    pub const ALL: [MethodOrder; 8] = [
        MethodOrder::Exclusive,
        MethodOrder::Inclusive,
        MethodOrder::OwnAndSystem,
        MethodOrder::Calls,
        MethodOrder::Samples,
        MethodOrder::PerCall,
        MethodOrder::Occurrences,
        MethodOrder::Name,
    ];

    /// The order's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            MethodOrder::Exclusive => "exclusive",
            MethodOrder::Inclusive => "inclusive",
            MethodOrder::OwnAndSystem => "own-system",
            MethodOrder::Calls => "calls",
            MethodOrder::Samples => "samples",
            MethodOrder::PerCall => "per-call",
            MethodOrder::Occurrences => "occurrences",
            MethodOrder::Name => "name",
        }
    }

    /// In words, behind "by".
    pub fn words(self) -> &'static str {
        match self {
            MethodOrder::Exclusive => "exclusive value",
            MethodOrder::Inclusive => "inclusive value",
            MethodOrder::OwnAndSystem => "own + system",
            MethodOrder::PerCall => messages::VALUE_PER_CALL,
            other => other.name(),
        }
    }

    /// The counts without which there is no such order.
    fn needs(self) -> Option<CountKind> {
        match self {
            MethodOrder::Calls | MethodOrder::PerCall => Some(CountKind::Calls),
            MethodOrder::Samples => Some(CountKind::Samples),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    pub within: NodeId,
    /// The name of the metric, unless it is the default one.
    pub metric: Option<&'a str>,
    /// Whether waiting counts, unless it is as [`View::measure`] has it.
    pub waiting: Option<bool>,
    /// A method: only what is below its occurrences counts.
    pub under: Option<&'a str>,
    /// Whether only user code is listed.
    pub is_user_code: bool,
    /// What must be in their names, full or as they are shown, in any case.
    pub filter: Option<&'a str>,
    pub order: MethodOrder,
    /// How many are listed at most; 0 for all.
    pub most: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct ListedMethod {
    pub sums: Hotspot,
    /// What it has of its own and in the system code that works for it; `None` if it is no user code.
    pub own_and_system: Option<Charged>,
}

#[derive(Clone, Debug)]
pub struct MethodList {
    pub selection: Selection,
    pub order: MethodOrder,
    pub rows: Vec<ListedMethod>,
    pub left_out: usize,
    /// The own and system time of the part that no user code has called.
    pub no_user_caller: Charged,
}

/// Lists methods. O(nodes of the part + methods · log methods).
///
/// # Errors
/// There is no such metric, or nothing of what the order is about; those of [`Selection::new`].
pub fn list_methods(view: &View, request: &ListRequest) -> Result<MethodList, QueryError> {
    let measure = measure_named(view, request.within, request.metric, request.waiting)?;
    let metric = view.recording.metric(measure.metric);
    if let Some(counts) = request
        .order
        .needs()
        .filter(|&counts| metric.counts != Some(counts))
    {
        let (order, counts, name) = (request.order.name(), counts.name(), &metric.name);
        return Err(QueryError::not_found(messages::cant_sort_by(
            &order, &name, &counts,
        )));
    }
    let selection = Selection::new(view, request.within, measure, request.under)?;
    let mut sums = hotspots(view, &selection.roots, measure);
    let charged = own_and_system(view, &selection.roots, measure);
    if request.is_user_code {
        sums.retain(|row| view.frames.get(row.frame).category == Category::User);
    }
    if let Some(filter) = request.filter.map(str::to_lowercase) {
        sums.retain(|row| is_called(view, row.frame, &filter));
    }
    // what the order leaves open
    sort_hotspots(view, &mut sums, HotspotOrder::Exclusive);
    let mut rows = listed(view, sums, &charged);
    sort_methods(view, &mut rows, request.order);
    let all = rows.len();
    if request.most > 0 {
        rows.truncate(request.most);
    }
    let left_out = all - rows.len();
    Ok(MethodList {
        selection,
        order: request.order,
        left_out,
        rows,
        no_user_caller: charged.no_user_caller,
    })
}

fn listed(view: &View, sums: Vec<Hotspot>, charged: &OwnAndSystem) -> Vec<ListedMethod> {
    let row = |sums: Hotspot| ListedMethod {
        own_and_system: charged.of(view, sums.frame),
        sums,
    };
    sums.into_iter().map(row).collect()
}

fn is_called(view: &View, frame: FrameId, filter: &str) -> bool {
    let has = |name: &str| name.to_lowercase().contains(filter);
    view.frames.has_name(frame, has)
}

/// Orders methods; equals stay as they are. O(n log n).
pub fn sort_methods(view: &View, rows: &mut [ListedMethod], order: MethodOrder) {
    let by = |key: fn(&ListedMethod) -> (u64, u64)| move |row: &ListedMethod| Reverse(key(row));
    match order {
        MethodOrder::Name => rows.sort_by(|a, b| {
            view.frames
                .display_name(a.sums.frame)
                .cmp(view.frames.display_name(b.sums.frame))
        }),
        MethodOrder::Exclusive => {
            rows.sort_by_key(by(|row| {
                (row.sums.weight(HotspotOrder::Exclusive), row.sums.exclusive)
            }));
        }
        MethodOrder::Inclusive => {
            rows.sort_by_key(by(|row| {
                (row.sums.weight(HotspotOrder::Inclusive), row.sums.inclusive)
            }));
        }
        MethodOrder::OwnAndSystem => rows.sort_by_key(by(|row| {
            let charged = row.own_and_system.unwrap_or_default();
            (charged.weight(), charged.value)
        })),
        MethodOrder::Calls | MethodOrder::Samples => {
            rows.sort_by_key(by(|row| (row.sums.count.unwrap_or(0), 0)))
        }
        MethodOrder::PerCall => {
            rows.sort_by_key(by(|row| {
                (row.sums.per_call(HotspotOrder::Inclusive).unwrap_or(0), 0)
            }));
        }
        MethodOrder::Occurrences => rows.sort_by_key(by(|row| (row.sums.node_count.into(), 0))),
    }
}

/// The document `dotspot.methods/1`.
#[derive(Debug, Serialize)]
pub struct MethodsDocument<'a> {
    #[serde(flatten)]
    head: DocumentHead<'a>,
    /// own and system time that no user code has called
    no_user_caller: Value,
    scope: &'a str,
    rows: Vec<MethodRow<'a>>,
    left_out: usize,
    diagnostics: Vec<DiagnosticRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct MethodRow<'a> {
    name: &'a str,
    display: Cow<'a, str>,
    module: &'a str,
    category: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    inclusive: Value,
    exclusive: Value,
    /// `null` for what is no user code
    own_plus_system: Option<Value>,
    calls: Option<u64>,
    /// `null` where counts are no calls
    inclusive_per_call: Option<Value>,
    exclusive_per_call: Option<Value>,
    samples: Option<u64>,
    own_samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    occurrences: u32,
    heaviest_node: String,
}

impl MethodList {
    /// The same with so many rows at most.
    #[must_use]
    pub fn first(&self, rows: usize) -> MethodList {
        let left_out = self.left_out + self.rows.len().saturating_sub(rows);
        let rows = self.rows.iter().take(rows).copied().collect();
        MethodList {
            rows,
            left_out,
            selection: self.selection.clone(),
            ..*self
        }
    }

    pub fn table<'a>(&self, view: &'a View) -> Vec<TableRow<'a>> {
        let measure = self.selection.measure;
        let row = |row: &ListedMethod| TableRow {
            own_and_system: row.own_and_system.map(Into::into),
            ..TableRow::of_method(view, measure, &row.sums)
        };
        self.rows.iter().map(row).collect()
    }

    /// The document. O(rows).
    pub fn document<'a>(&'a self, view: &'a View) -> MethodsDocument<'a> {
        let selection = &self.selection;
        let metric = view.recording.metric(selection.metric());
        let value = |stored| Value::new(metric.unit, stored);
        let counted = |kind, count| count_if(view, selection.metric(), kind, count);
        let per_call = |row: &Hotspot, order| {
            row.per_call(order)
                .filter(|_| metric.counts == Some(CountKind::Calls))
        };
        let rows = self.rows.iter().map(
            |ListedMethod {
                 sums,
                 own_and_system,
             }| MethodRow {
                name: view.frames.name(sums.frame),
                display: view.frames.list_name(sums.frame),
                module: view.frames.module(sums.frame),
                category: view.frames.get(sums.frame).category.name(),
                signature: view.frames.signature(sums.frame),
                inclusive: value(sums.inclusive),
                exclusive: value(sums.exclusive),
                own_plus_system: own_and_system.map(|charged| value(charged.value)),
                calls: counted(CountKind::Calls, sums.count),
                inclusive_per_call: per_call(sums, HotspotOrder::Inclusive).map(value),
                exclusive_per_call: per_call(sums, HotspotOrder::Exclusive).map(value),
                samples: counted(CountKind::Samples, sums.count),
                own_samples: sums.own_samples,
                counts: counted(CountKind::Unknown, sums.count),
                occurrences: sums.node_count,
                heaviest_node: view.node_label(sums.heaviest_node),
            },
        );
        MethodsDocument {
            head: selection.head("dotspot.methods/1", view),
            no_user_caller: value(self.no_user_caller.value),
            scope: &selection.words,
            rows: rows.collect(),
            left_out: self.left_out,
            diagnostics: diagnostic_records(view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    #[test]
    fn methods_of_a_chain_of_a_million_frames_are_listed() {
        let view = profile_of(&format!("T;{}a 3", "a;Acme.Book.Add;".repeat(500_000)));
        let request = ListRequest {
            within: NodeId::ROOT,
            metric: None,
            waiting: None,
            under: None,
            is_user_code: false,
            filter: None,
            order: MethodOrder::Occurrences,
            most: 0,
        };
        let list = list_methods(&view, &request).unwrap();
        let row = |row: &ListedMethod| {
            (
                view.frames.display_name(row.sums.frame),
                row.sums.inclusive,
                row.sums.exclusive,
                row.sums.node_count,
            )
        };
        let rows: Vec<_> = list.rows.iter().map(row).collect();
        assert_eq!(
            rows,
            [
                ("a", 3_000_000, 3_000_000, 500_001),
                ("Book.Add", 3_000_000, 0, 500_000)
            ]
        );
    }
}
