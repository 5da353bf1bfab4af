//! Answers as tables. A query defines the values of its rows; the printing code chooses columns and layout.

use super::callers::{MethodRelations, Related};
use super::tree::Excerpt;
use crate::analysis::{CallerTreeSums, ChargedValue, Hotspot, HotspotOrder, samples, waiting_of};
use crate::model::{CountKind, FrameId, Measure, Metric, NodeId, View};
use crate::names::NO_USER_CALLER;
use crate::query::messages;
use crate::units::{Scale, counted, percent, thousands};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Depth,
    Node,
    Exclusive,
    ExclusiveShare,
    Inclusive,
    InclusiveShare,
    /// In the value, or excluded from it.
    Waiting,
    OwnWaiting,
    OwnAndSystem,
    OwnAndSystemShare,
    /// Calls, or the samples behind the inclusive value.
    Count,
    /// Calls, or the samples behind the exclusive value.
    OwnCount,
    ExclusivePerCall,
    InclusivePerCall,
    Occurrences,
    Thread,
    Name,
}

#[derive(Clone, Copy, Debug)]
pub struct CellAmount {
    value: u64,
    is_rough: bool,
}

#[derive(Clone, Debug, Default)]
pub struct TableRow<'a> {
    pub depth: usize,
    pub node: Option<String>,
    pub exclusive: Option<CellAmount>,
    pub inclusive: Option<CellAmount>,
    pub waiting: u64,
    pub own_waiting: u64,
    pub own_and_system: Option<CellAmount>,
    pub count: Option<u64>,
    pub own_count: Option<u64>,
    pub exclusive_per_call: Option<u64>,
    pub inclusive_per_call: Option<u64>,
    pub occurrences: Option<u64>,
    pub thread: String,
    pub name: Cow<'a, str>,
    pub has_more: bool,
}

#[derive(Clone, Copy)]
pub struct Cells<'a> {
    pub metric: &'a Metric,
    pub scale: Scale,
    pub averages: Scale,
    /// The basis of percentages.
    pub whole: u64,
    pub has_waiting: bool,
    /// Whether to mark hints and waiting, and leave cells without a value empty.
    pub is_marked: bool,
}

impl CellAmount {
    fn of(metric: &Metric, value: u64, samples: Option<u64>) -> Option<CellAmount> {
        let is_rough = metric.is_rough(value, samples);
        Some(CellAmount { value, is_rough })
    }
}

impl From<ChargedValue> for CellAmount {
    fn from(charged: ChargedValue) -> CellAmount {
        CellAmount {
            value: charged.weight(),
            is_rough: false,
        }
    }
}

impl<'a> TableRow<'a> {
    pub fn of_method(
        view: &'a View,
        roots: &[NodeId],
        measure: Measure,
        sums: &Hotspot,
    ) -> TableRow<'a> {
        let metric = view.recording.metric(measure.metric);
        let amount = |order| CellAmount::of(metric, sums.weight(order), sums.samples(order));
        let waiting = |order| waiting_of(view, roots, measure, sums, order);
        TableRow {
            node: Some(view.node_label(sums.heaviest_node)),
            exclusive: amount(HotspotOrder::Exclusive),
            inclusive: amount(HotspotOrder::Inclusive),
            waiting: waiting(HotspotOrder::Inclusive),
            own_waiting: waiting(HotspotOrder::Exclusive),
            count: sums.counted(),
            own_count: sums.own_counted().or_else(|| sums.counted()),
            exclusive_per_call: sums.per_call(HotspotOrder::Exclusive),
            inclusive_per_call: sums.per_call(HotspotOrder::Inclusive),
            occurrences: Some(sums.node_count.into()),
            name: view.frames.list_name(sums.frame),
            ..TableRow::default()
        }
    }

    fn of_sums(metric: &Metric, measure: Measure, sums: CallerTreeSums) -> TableRow<'a> {
        let weight = sums.weight(measure.counts_waiting);
        let is_counted = metric.counts == Some(CountKind::Samples) && weight > 0;
        let count = sums.counted(measure.counts_waiting);
        let samples = is_counted.then_some(count);
        let own = sums.own_weight(measure.counts_waiting);
        // of unknown number, but no more
        let own_samples = samples.filter(|_| own > 0);
        TableRow {
            inclusive: CellAmount::of(metric, weight, samples),
            exclusive: CellAmount::of(metric, own, own_samples),
            waiting: sums.waiting.value,
            count: Some(count),
            ..TableRow::default()
        }
    }
}

impl Excerpt {
    /// `view` is the tree's own. All values in an inverted tree are exclusive.
    pub fn table<'a>(&self, view: &'a View, has_raw_names: bool) -> Vec<TableRow<'a>> {
        let (measure, id) = (self.part.measure, self.part.metric());
        let metric = view.recording.metric(id);
        let name = match has_raw_names {
            true => View::name,
            false => View::display_name,
        };
        let row = |&(node, depth): &_| {
            let [inclusive_samples, exclusive_samples] = samples(view, measure, node);
            let inclusive =
                CellAmount::of(metric, measure.inclusive(view, node), inclusive_samples);
            let exclusive = match self.inverted.is_some() {
                true => inclusive,
                false => CellAmount::of(metric, measure.exclusive(view, node), exclusive_samples),
            };
            let waiting = view.waiting(id).within(&view.tree, node);
            let count = measure.count(view, node);
            TableRow {
                depth,
                node: Some(view.node_label(node)),
                inclusive,
                exclusive,
                waiting,
                own_waiting: waiting,
                count,
                own_count: count,
                name: name(view, node).into(),
                has_more: self.has_more(node),
                ..TableRow::default()
            }
        };
        self.rows.iter().map(row).collect()
    }
}

impl MethodRelations {
    pub fn table<'a>(
        &self,
        view: &'a View,
        name: fn(&View, FrameId) -> Cow<str>,
    ) -> Vec<TableRow<'a>> {
        let metric = view.recording.metric(self.measure.metric);
        let name_of = |row: &Related| {
            if let (0, Some(pattern)) = (row.depth, &self.type_pattern) {
                return pattern.clone().into();
            }
            match row.who {
                Some(who) if who.is_recursive => name(view, who.frame) + " (recursive)",
                Some(who) => name(view, who.frame),
                None if MethodRelations::has_no_user_caller(row) => NO_USER_CALLER.into(),
                None => {
                    let noun = format!("more {}", self.relation.noun());
                    format!("[{}]", counted(row.rows as u64, &noun)).into()
                }
            }
        };
        let node = |row: &Related| Some(view.recording.node_label(row.who?.origin));
        let row = |row: &Related| TableRow {
            depth: row.depth,
            node: node(row),
            name: name_of(row),
            has_more: row.has_more,
            ..TableRow::of_sums(metric, self.measure, row.sums)
        };
        self.rows.iter().map(row).collect()
    }

    pub fn thread_table<'a>(&self, view: &'a View) -> Vec<TableRow<'a>> {
        let metric = view.recording.metric(self.measure.metric);
        let row = |&(thread, sums): &_| TableRow {
            name: view.name(thread).into(),
            ..TableRow::of_sums(metric, self.measure, sums)
        };
        self.threads.iter().map(row).collect()
    }
}

impl Column {
    pub fn part_name(self, metric: &Metric) -> Option<&'static str> {
        let is_sampled = metric.counts == Some(CountKind::Samples);
        match self {
            Column::Waiting => Some(messages::INCLUSIVE_WAITS),
            Column::OwnWaiting => Some(messages::EXCLUSIVE_WAITS),
            Column::Count if is_sampled => Some(messages::INCLUSIVE_SAMPLES),
            Column::OwnCount if is_sampled => Some(messages::EXCLUSIVE_SAMPLES),
            Column::Count | Column::OwnCount => metric.counts.map(CountKind::name),
            _ => None,
        }
    }
}

impl Cells<'_> {
    pub fn has(&self, column: Column, rows: &[TableRow]) -> bool {
        match column {
            Column::Count | Column::OwnCount => self.metric.counts.is_some(),
            // a sample is not a call, so it has no average
            Column::ExclusivePerCall | Column::InclusivePerCall => {
                self.metric.counts == Some(CountKind::Calls)
            }
            Column::Thread => rows.iter().any(|row| !row.thread.is_empty()),
            Column::Waiting => self.has_waiting && rows.iter().any(|row| row.waiting > 0),
            Column::OwnWaiting => self.has_waiting && rows.iter().any(|row| row.own_waiting > 0),
            _ => true,
        }
    }

    pub fn cell(&self, row: &TableRow, column: Column) -> String {
        let average = |value: Option<u64>| value.map(|value| self.averages.number(value));
        let value = |amount: Option<CellAmount>| amount.map(|amount| self.value(amount));
        let share =
            |amount: Option<CellAmount>| Some(format!("{:.1}", percent(amount?.value, self.whole)));
        let cell = match column {
            Column::Depth => Some(row.depth.to_string()),
            Column::Node => row.node.clone(),
            Column::Exclusive => value(row.exclusive),
            Column::ExclusiveShare => share(row.exclusive),
            Column::Inclusive => value(row.inclusive),
            Column::InclusiveShare => share(row.inclusive),
            Column::Waiting => self.waiting(row.waiting),
            Column::OwnWaiting => self.waiting(row.own_waiting),
            Column::OwnAndSystem => value(row.own_and_system),
            Column::OwnAndSystemShare => share(row.own_and_system),
            Column::Count => row.count.map(thousands),
            Column::OwnCount => row.own_count.map(thousands),
            Column::ExclusivePerCall => average(row.exclusive_per_call),
            Column::InclusivePerCall => average(row.inclusive_per_call),
            Column::Occurrences => row.occurrences.map(thousands),
            Column::Thread => Some(row.thread.clone()),
            Column::Name => Some(row.name.to_string()),
        };
        cell.unwrap_or_else(|| if self.is_marked { "" } else { "-" }.into())
    }

    fn waiting(&self, waiting: u64) -> Option<String> {
        (waiting > 0 || !self.is_marked).then(|| self.scale.number(waiting))
    }

    fn value(&self, amount: CellAmount) -> String {
        let is_marked = amount.is_rough && self.is_marked;
        let mark = if is_marked { "~" } else { "" };
        format!("{mark}{}", self.scale.number(amount.value))
    }
}
