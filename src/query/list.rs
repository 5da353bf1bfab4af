use super::QueryError;
use super::selection::{PartRequest, Selection};
use super::table::{Column, TableRow};
use super::values::{Value, counts, diagnostic_records, method_names, standard_error};
use crate::analysis::{
    self, ChargedValue, Hotspot, HotspotOrder, OwnAndSystem, average, grouped, keep_first_hotspots,
    own_and_system, sort_hotspots, waiting_of,
};
use crate::model::{CountKind, FrameId, GroupBy, Measure, View};
use crate::names::{Category, NO_USER_CALLER};
use crate::object::{All, IfAny, Members, object};
use crate::query::messages;
use crate::words::words;
use serde::Serialize;
use std::cmp::Reverse;
use std::sync::Arc;

/// If at least this share of the total is outside user code, optimizing the methods of user code gains little.
pub const MOSTLY_OUTSIDE_PERCENT: f64 = 90.0;

words! {
    #[derive(Default, Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MethodOrder {
        Exclusive = "exclusive",
        Inclusive = "inclusive",
        /// Own time and that of the system code it calls: the initial order of the explorer's list.
        #[default]
        OwnAndSystem = "own-system",
        Calls = "calls",
        Samples = "samples",
        PerCall = "per-call",
        Occurrences = "occurrences",
        Name = "name",
    }
}

impl MethodOrder {
    pub const OF_HOTSPOTS: [MethodOrder; 3] = [
        MethodOrder::Exclusive,
        MethodOrder::Inclusive,
        MethodOrder::OwnAndSystem,
    ];

    /// Lists of user code charge it for the system code it calls.
    pub fn for_hotspots(requested: Option<MethodOrder>, only_user_code: bool) -> MethodOrder {
        requested.unwrap_or(match only_user_code {
            true => MethodOrder::OwnAndSystem,
            false => MethodOrder::Exclusive,
        })
    }

    pub fn words(self) -> &'static str {
        match self {
            MethodOrder::Exclusive => "exclusive value",
            MethodOrder::Inclusive => "inclusive value",
            MethodOrder::OwnAndSystem => "own + system",
            MethodOrder::PerCall => messages::VALUE_PER_CALL,
            other => other.name(),
        }
    }

    pub fn value(self) -> HotspotOrder {
        match self {
            MethodOrder::Inclusive => HotspotOrder::Inclusive,
            _ => HotspotOrder::Exclusive,
        }
    }

    pub fn parts(self) -> [Column; 2] {
        match self {
            MethodOrder::Exclusive => [Column::OwnWaiting, Column::OwnCount],
            _ => [Column::Waiting, Column::Count],
        }
    }

    fn needs(self) -> Option<CountKind> {
        match self {
            MethodOrder::Calls | MethodOrder::PerCall => Some(CountKind::Calls),
            MethodOrder::Samples => Some(CountKind::Samples),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ListRequest<'a> {
    pub part: PartRequest<'a>,
    /// A method: only what is below its occurrences counts.
    pub under: Option<&'a str>,
    pub group: Option<GroupBy>,
    pub only_user_code: bool,
    /// Part of a full or displayed name, in any case.
    pub filter: Option<&'a str>,
    pub order: MethodOrder,
    /// If the metric supports it.
    pub preferred_order: Option<MethodOrder>,
    /// 0 for no limit.
    pub max_rows: usize,
    /// Takes as long as everything else together.
    pub has_own_and_system: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct ListedMethod {
    pub sums: Hotspot,
    /// `None` if it is not user code.
    pub own_and_system: Option<ChargedValue>,
}

#[derive(Clone, Debug)]
pub struct MethodList {
    pub selection: Selection,
    pub group: Option<GroupBy>,
    /// A view with a frame for each group.
    pub grouped: Option<Arc<View>>,
    pub only_user_code: bool,
    pub order: MethodOrder,
    pub rows: Vec<ListedMethod>,
    pub left_out: usize,
    /// The own and system time that no user code called.
    pub no_user_caller: ChargedValue,
    pub libraries: ChargedValue,
    pub without_user_caller: Vec<(FrameId, ChargedValue)>,
}

pub fn list_methods(view: &View, request: &ListRequest) -> Result<MethodList, QueryError> {
    let measure = request.part.measure(view)?;
    let metric = view.recording.metric(measure.metric);
    let missing_counts =
        |order: MethodOrder| order.needs().filter(|&kind| metric.counts != Some(kind));
    let preferred = request.preferred_order;
    let order = preferred.filter(|&order| missing_counts(order).is_none());
    let order = order.unwrap_or(request.order);
    if let Some(counts) = missing_counts(order) {
        let sentence = messages::cant_sort_by(&order.name(), &metric.name, &counts.name());
        return Err(QueryError::usage(sentence));
    }
    let selection = Selection::new(view, &request.part, request.under)?;
    let grouped = request.group.map(|by| Arc::new(grouped(view, by)));
    let view = grouped.as_deref().unwrap_or(view);
    let mut sums = analysis::hotspots(view, &selection.roots, measure);
    if request.only_user_code {
        sums.retain(|row| view.frames.get(row.frame).category == Category::User);
    }
    if let Some(filter) = request.filter {
        let lowercase = filter.to_lowercase();
        let is_match = |name: &str| name.to_lowercase().contains(&lowercase);
        sums.retain(|row| view.frames.has_name(row.frame, is_match));
        if sums.is_empty() {
            let sentence = messages::no_match(&"--filter", &filter);
            return Err(QueryError::usage(sentence));
        }
    }
    let all = sums.len();
    let max_rows = match request.max_rows {
        0 => all,
        max_rows => max_rows,
    };
    if matches!(order, MethodOrder::Exclusive | MethodOrder::Inclusive) {
        keep_first_hotspots(view, &mut sums, order.value(), max_rows);
    } else {
        sort_hotspots(view, &mut sums, HotspotOrder::Exclusive);
    }
    let charge = || own_and_system(view, &selection.roots, measure);
    let charged = request.has_own_and_system.then(charge);
    let charge_of = |frame| charged.as_ref()?.of(view, frame);
    let row = |sums: Hotspot| ListedMethod {
        own_and_system: charge_of(sums.frame),
        sums,
    };
    let mut rows: Vec<ListedMethod> = sums.into_iter().map(row).collect();
    sort_methods(view, &mut rows, order);
    rows.truncate(max_rows);
    let libraries = charged.as_ref().filter(|_| request.only_user_code);
    let libraries = libraries.map(|charged| charged.of_category(view, Category::Library));
    let without_user_caller = charged.as_ref().map(OwnAndSystem::without_user_caller);
    Ok(MethodList {
        selection,
        group: request.group,
        grouped: grouped.clone(),
        only_user_code: request.only_user_code,
        order,
        left_out: all - rows.len(),
        rows,
        libraries: libraries.unwrap_or_default(),
        without_user_caller: without_user_caller.unwrap_or_default(),
        // it has no name
        no_user_caller: charged
            .filter(|_| request.filter.is_none())
            .map_or(ChargedValue::default(), |charged| charged.no_user_caller),
    })
}

pub fn sort_methods(view: &View, rows: &mut [ListedMethod], order: MethodOrder) {
    let value = |row: &ListedMethod, order| (row.sums.weight(order), row.sums.value(order));
    if order == MethodOrder::Name {
        let name = |row: &ListedMethod| view.frames.display_name(row.sums.frame);
        return rows.sort_by(|a, b| name(a).cmp(name(b)));
    }
    rows.sort_by_key(|row| {
        Reverse(match order {
            MethodOrder::Inclusive => value(row, HotspotOrder::Inclusive),
            MethodOrder::OwnAndSystem => {
                let charged = row.own_and_system.unwrap_or_default();
                (charged.weight(), charged.value)
            }
            MethodOrder::Calls | MethodOrder::Samples => (row.sums.counted().unwrap_or(0), 0),
            MethodOrder::PerCall => (row.sums.per_call(HotspotOrder::Inclusive).unwrap_or(0), 0),
            MethodOrder::Occurrences => (row.sums.node_count.into(), 0),
            MethodOrder::Exclusive | MethodOrder::Name => value(row, HotspotOrder::Exclusive),
        })
    });
}

impl MethodList {
    #[must_use]
    pub fn first(&self, rows: usize) -> MethodList {
        MethodList {
            rows: self.rows.iter().take(rows).copied().collect(),
            left_out: self.left_out + self.rows.len().saturating_sub(rows),
            selection: self.selection.clone(),
            grouped: self.grouped.clone(),
            without_user_caller: self.without_user_caller.clone(),
            ..*self
        }
    }

    /// The view in which rows have names, derived from the queried one.
    pub fn shown<'a>(&'a self, view: &'a View) -> &'a View {
        self.grouped.as_deref().unwrap_or(view)
    }

    pub fn rest(&self) -> impl Iterator<Item = (&'static str, ChargedValue)> + use<> {
        let rest = [
            (messages::LIBRARIES, self.libraries),
            (NO_USER_CALLER, self.no_user_caller),
        ];
        rest.into_iter().filter(|(_, charged)| charged.value > 0)
    }

    pub fn noun(&self) -> &'static str {
        self.group.map_or("method", GroupBy::name)
    }

    pub fn table<'a>(&'a self, view: &'a View) -> Vec<TableRow<'a>> {
        let view = self.shown(view);
        let measure = self.selection.part.measure;
        let row = |row: &ListedMethod| TableRow {
            own_and_system: row.own_and_system.map(Into::into),
            ..TableRow::of_method(view, &self.selection.roots, measure, &row.sums)
        };
        self.rows.iter().map(row).collect()
    }

    pub fn hottest_thread<'a>(&'a self, view: &'a View, row: &ListedMethod) -> Option<&'a str> {
        let view = self.shown(view);
        if view.threads.len() < 2 {
            return None;
        }
        let Selection { roots, part, .. } = &self.selection;
        let (frame, order) = (row.sums.frame, self.order.value());
        let (thread, _) = analysis::hottest_thread(view, roots, part.measure, frame, order)?;
        Some(view.name(thread))
    }

    pub fn hotspots_document<'a>(&'a self, view: &'a View) -> impl Serialize + use<'a> {
        let Selection { roots, part, .. } = &self.selection;
        let (metric, measure) = (view.recording.metric(part.metric()), part.measure);
        let value = |stored| Value::new(metric.unit, stored);
        let orders = [HotspotOrder::Inclusive, HotspotOrder::Exclusive];
        let samples = |sums: &Hotspot| orders.map(|order| sums.samples(order));
        let has_waiting = part.waiting > 0 || !measure.counts_waiting;
        let shown = self.shown(view);
        let waiting = |row: &ListedMethod| {
            let waiting = || waiting_of(shown, roots, measure, &row.sums, orders[0]);
            has_waiting.then(|| value(waiting()))
        };
        let row = |row: &ListedMethod| {
            object! {
                sums: All(self.row(view, row)),
                waiting: IfAny(waiting(row)),
                standard_error: standard_error(metric, samples(&row.sums)),
                node_count: row.sums.node_count,
                hottest_thread: IfAny(self.hottest_thread(view, row)),
            }
        };
        let with_waiting = Measure {
            counts_waiting: true,
            ..measure
        };
        object! {
            head: All(self.head("dotspot.hotspots/1", view)),
            outside_methods: value(self.selection.outside_methods(view, with_waiting)),
            rows: self.rows.iter().map(row).collect::<Vec<_>>(),
            left_out: self.left_out,
            diagnostics: diagnostic_records(view),
        }
    }

    pub fn methods_document<'a>(&'a self, view: &'a View) -> impl Serialize + use<'a> {
        let metric = view.recording.metric(self.selection.part.metric());
        let per_call = |sum, calls| {
            let value = average(sum, calls).filter(|_| metric.counts == Some(CountKind::Calls));
            value.map(|value| Value::new(metric.unit, value))
        };
        let row = |row: &ListedMethod| {
            object! {
                sums: All(self.row(view, row)),
                inclusive_per_call: per_call(row.sums.inclusive, row.sums.outermost_count),
                exclusive_per_call: per_call(row.sums.exclusive, row.sums.total_count),
                occurrences: row.sums.node_count,
            }
        };
        object! {
            head: All(self.head("dotspot.methods/1", view)),
            rows: self.rows.iter().map(row).collect::<Vec<_>>(),
            left_out: self.left_out,
            diagnostics: diagnostic_records(view),
        }
    }

    fn head(&self, schema: &'static str, view: &View) -> impl Members {
        let part = &self.selection.part;
        let unit = view.recording.metric(part.metric()).unit;
        object! {
            head: All(part.head(schema, view)),
            no_user_caller: Value::new(unit, self.no_user_caller.value),
            scope: &self.selection.words,
            group: IfAny(self.group.map(GroupBy::name)),
        }
    }

    fn row<'a>(&'a self, view: &'a View, row: &ListedMethod) -> impl Members + use<'a> {
        let view = self.shown(view);
        let metric = view.recording.metric(self.selection.part.metric());
        let (sums, value) = (&row.sums, |stored| Value::new(metric.unit, stored));
        object! {
            names: All(method_names(view, sums.frame)),
            inclusive: value(sums.inclusive),
            exclusive: value(sums.exclusive),
            own_plus_system: row.own_and_system.map(|charged| value(charged.value)),
            counts: All(counts(metric, sums.count)),
            own_samples: sums.own_samples,
            heaviest_node: view.node_label(sums.heaviest_node),
        }
    }
}

#[cfg(test)]
mod tests;
