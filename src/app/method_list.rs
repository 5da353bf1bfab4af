//! The method list, shown over the panes: the total cost of each method, sortable and filterable.

use super::filter::Filter;
use super::list::ListCursor;
use crate::analysis::Charged;
use crate::model::{CountKind, FrameId, GroupBy, Measure, NodeId, View};
use crate::names::Category;
use crate::query::{ListedMethod, MethodOrder, sort_methods};
use std::sync::Arc;

/// The costs of the methods of a subtree.
#[derive(Debug)]
pub struct MethodSums {
    /// The subtree.
    pub within: NodeId,
    /// The metric, and whether waiting in it counts.
    pub measure: Measure,
    pub rows: Vec<ListedMethod>,
    /// What a row is, if no method, and the view in which rows have names then.
    pub group: Option<GroupBy>,
    pub grouped: Option<Arc<View>>,
    /// What no user code has called.
    pub no_user_caller: Charged,
    /// The value of the subtree.
    pub total: u64,
    /// What of that counts.
    pub weight: u64,
}

/// The settings of the last method list, reused for the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct MethodSettings {
    order: MethodOrder,
    filter: Filter,
    is_user_code: bool,
    /// What a row is, if no method.
    pub group: Option<GroupBy>,
    /// The method to select in the next list, if not the first.
    pub selected: Option<FrameId>,
}

/// The list of methods.
#[derive(Debug)]
pub struct MethodTable {
    /// What methods have cost, in the order that is shown.
    pub sums: MethodSums,
    /// What they are ordered by.
    pub order: MethodOrder,
    /// What must be in their names.
    pub filter: Filter,
    /// Whether only user code is listed.
    pub is_user_code: bool,
    /// The cursor in the list.
    pub cursor: ListCursor,
    /// The rows that are listed, by their places.
    shown: Vec<usize>,
}

impl MethodTable {
    /// A list with these settings, as far as the metric has them.
    pub(super) fn new(view: &View, sums: MethodSums, settings: MethodSettings) -> MethodTable {
        let MethodSettings {
            order,
            filter,
            is_user_code,
            group: _,
            selected: _,
        } = settings;
        let cursor = ListCursor::default();
        let mut table = MethodTable {
            sums,
            order,
            filter,
            is_user_code,
            cursor,
            shown: Vec::new(),
        };
        let order = if table.orders(view).contains(&order) {
            order
        } else {
            MethodOrder::OwnAndSystem
        };
        table.sort(view, order);
        table
    }

    /// How the next list is to be.
    pub(super) fn settings(&self) -> MethodSettings {
        MethodSettings {
            order: self.order,
            filter: self.filter.clone(),
            is_user_code: self.is_user_code,
            group: self.sums.group,
            selected: None,
        }
    }

    /// How the next list is to be that groups methods by this, with this filter.
    pub(super) fn regrouped(&self, group: Option<GroupBy>, filter: &str) -> MethodSettings {
        MethodSettings {
            filter: Filter::of(filter),
            group,
            ..self.settings()
        }
    }

    /// The view in which rows have names, made of the one that is shown.
    pub fn names<'a>(&'a self, view: &'a View) -> &'a View {
        self.sums.grouped.as_deref().unwrap_or(view)
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &ListedMethod> {
        self.shown.iter().map(|&at| &self.sums.rows[at])
    }

    pub fn selected(&self) -> Option<&ListedMethod> {
        self.shown
            .get(self.cursor.selected)
            .map(|&at| &self.sums.rows[at])
    }

    /// Orders the rows. O(methods · log methods).
    pub fn sort(&mut self, view: &View, order: MethodOrder) {
        self.order = order;
        let names = self.sums.grouped.clone();
        let names = names.as_deref().unwrap_or(view);
        sort_methods(names, &mut self.sums.rows, order);
        self.refilter(view);
    }

    /// The orders that the metric has, in which `s` goes through them.
    pub fn orders(&self, view: &View) -> Vec<MethodOrder> {
        let counts = view.recording.metric(self.sums.measure.metric).counts;
        let has = |order: &MethodOrder| match order {
            MethodOrder::Calls | MethodOrder::PerCall => counts == Some(CountKind::Calls),
            MethodOrder::Samples => counts == Some(CountKind::Samples),
            _ => true,
        };
        let all = [
            MethodOrder::OwnAndSystem,
            MethodOrder::Exclusive,
            MethodOrder::Inclusive,
            MethodOrder::Calls,
            MethodOrder::Samples,
            MethodOrder::Occurrences,
            MethodOrder::Name,
        ];
        all.into_iter().filter(has).collect()
    }

    /// Lists what fits the filter, from the first row on. O(methods).
    pub fn refilter(&mut self, view: &View) {
        let wanted = self.filter.text().to_lowercase();
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let has = |name: &str| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let view = self.names(view);
        let is_shown = |row: &ListedMethod| {
            let frame = row.sums.frame;
            let is_user = view.frames.get(frame).category == Category::User;
            (!self.is_user_code || is_user) && view.frames.has_name(frame, has)
        };
        self.shown = (0..self.sums.rows.len())
            .filter(|&at| is_shown(&self.sums.rows[at]))
            .collect();
        self.cursor = ListCursor::default();
    }
}
