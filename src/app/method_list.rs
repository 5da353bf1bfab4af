//! The total cost of each method, sortable and filterable.

use super::hot_sums::verdicts_within;
use super::{Action, Field, Filter, ListCursor, MethodsRequest, next_in};
use crate::analysis::ChargedValue;
use crate::analysis::compared::{Sides, waiting_percent};
use crate::model::{
    ComparedValue, CountKind, FrameId, GroupBy, MOSTLY_PERCENT, NodeId, Verdict, View,
};
use crate::names::Category;
use crate::query::{ListedMethod, MethodOrder, sort_methods};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug)]
pub struct MethodSums {
    pub request: MethodsRequest,
    pub rows: Vec<ListedMethod>,
    /// The values before the change, in a comparison.
    pub before: Option<HashMap<FrameId, ListedMethod>>,
    pub grouped: Option<Arc<View>>,
    pub no_user_caller: ChargedValue,
    /// The same before the change; 0 without a comparison.
    pub no_user_caller_before: u64,
    pub without_user_caller: Vec<ListedMethod>,
    pub weight: u64,
}

#[derive(Clone, Debug, Default)]
pub struct MethodSettings {
    pub order: MethodOrder,
    pub filter: Filter,
    pub only_user_code: bool,
    pub(super) group: Option<GroupBy>,
    pub(super) selected: Option<FrameId>,
}

#[derive(Debug)]
pub struct MethodTable {
    pub sums: MethodSums,
    pub settings: MethodSettings,
    /// Only what no user code called is listed.
    pub shows_rest: bool,
    pub cursor: ListCursor,
    shown: Vec<usize>,
    /// The largest difference in a comparison, regardless of sign.
    pub largest_change: u128,
}

impl MethodTable {
    /// Orders that the metric does not support are replaced.
    pub(super) fn new(view: &View, sums: MethodSums, settings: MethodSettings) -> MethodTable {
        let order = settings.order;
        let mut table = MethodTable {
            sums,
            settings,
            shows_rest: false,
            cursor: ListCursor::default(),
            shown: Vec::new(),
            largest_change: 0,
        };
        let order = match table.orders(view).contains(&order) {
            true => order,
            false => MethodOrder::OwnAndSystem,
        };
        table.sort(view, order);
        table
    }

    /// Handles the actions that change only the list. Returns whether this is one.
    pub(super) fn act(&mut self, action: &Action, view: &View, height: usize) -> bool {
        match action {
            Action::Back if !self.settings.filter.text().is_empty() => {
                self.settings.filter.clear();
                self.refilter(view);
            }
            Action::Back if self.shows_rest => {
                self.toggle_rest(view);
                self.cursor.select(usize::MAX, self.row_count(), height);
            }
            Action::Accept if self.is_on_rest() => self.toggle_rest(view),
            Action::NextSort => {
                let order = next_in(&self.orders(view), self.settings.order, 1);
                self.sort(view, order);
            }
            Action::Search => self.settings.filter.is_typed = true,
            Action::NextUserCode => {
                self.settings.only_user_code ^= true;
                self.refilter(view);
            }
            _ => return false,
        }
        true
    }

    pub(super) fn regrouped(&self, group: Option<GroupBy>, filter: &str) -> MethodSettings {
        MethodSettings {
            filter: Filter {
                field: Field::new(filter),
                ..Filter::default()
            },
            group,
            ..self.settings.clone()
        }
    }

    pub fn within(&self) -> NodeId {
        self.sums.request.within
    }

    pub fn is_grouped(&self) -> bool {
        self.sums.request.group.is_some()
    }

    /// The view in which rows have names, derived from the shown one.
    pub fn names<'a>(&'a self, view: &'a View) -> &'a View {
        self.sums.grouped.as_deref().unwrap_or(view)
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = &ListedMethod> + DoubleEndedIterator {
        self.shown.iter().map(|&at| &self.sums.rows[at])
    }

    pub fn selected(&self) -> Option<&ListedMethod> {
        let &at = self.shown.get(self.cursor.selected)?;
        Some(&self.sums.rows[at])
    }

    /// A row for what no user code called.
    pub fn ends_with_rest(&self) -> bool {
        let is_all = self.settings.filter.text().is_empty() && !self.shows_rest;
        is_all && self.sums.no_user_caller.value > 0 && self.sums.before.is_none()
    }

    pub fn row_count(&self) -> usize {
        self.rows().len() + usize::from(self.ends_with_rest())
    }

    pub fn is_on_rest(&self) -> bool {
        self.ends_with_rest() && self.cursor.selected == self.rows().len()
    }

    pub(super) fn toggle_rest(&mut self, view: &View) {
        self.shows_rest = !self.shows_rest;
        std::mem::swap(&mut self.sums.rows, &mut self.sums.without_user_caller);
        let order = match self.shows_rest {
            true => MethodOrder::OwnAndSystem,
            false => self.settings.order,
        };
        self.sort(view, order);
    }

    /// O(methods · log methods).
    pub fn sort(&mut self, view: &View, order: MethodOrder) {
        self.settings.order = order;
        let names = self.sums.grouped.clone();
        let names = names.as_deref().unwrap_or(view);
        sort_methods(names, &mut self.sums.rows, order);
        if self.sums.before.is_some() && order != MethodOrder::Name {
            // significant rows first, and among them work before waiting; then the largest difference
            let mut rows = std::mem::take(&mut self.sums.rows);
            rows.sort_by_cached_key(|row| {
                let may_be_chance = self.verdict(view, row) != Some(Verdict::Significant);
                let delta = self.sides(row).map_or(0, Sides::delta);
                let share = || waiting_percent(view.uncollapsed(), row.sums.heaviest_node);
                let waits = !may_be_chance && !self.is_grouped() && share() >= MOSTLY_PERCENT;
                (may_be_chance, waits, Reverse(delta.unsigned_abs()))
            });
            self.sums.rows = rows;
        }
        self.refilter(view);
    }

    /// The values that a comparison's rows are sorted by.
    pub fn sides(&self, row: &ListedMethod) -> Option<Sides> {
        self.sides_by(row, self.settings.order)
    }

    pub fn sides_by(&self, row: &ListedMethod, order: MethodOrder) -> Option<Sides> {
        let value = |row: &ListedMethod| match order {
            MethodOrder::Exclusive => Some(row.sums.exclusive),
            MethodOrder::Inclusive => Some(row.sums.inclusive),
            _ => row.own_and_system.map(|charged| charged.value),
        };
        let before = self.sums.before.as_ref()?.get(&row.sums.frame);
        Some(Sides {
            before: before.and_then(value).unwrap_or(0),
            after: value(row)?,
        })
    }

    pub fn verdict(&self, view: &View, row: &ListedMethod) -> Option<Verdict> {
        let value = match self.settings.order {
            MethodOrder::Exclusive => ComparedValue::Exclusive,
            MethodOrder::Inclusive => ComparedValue::Inclusive,
            _ => ComparedValue::OwnAndSystem,
        };
        let verdicts = verdicts_within(view, self.within()).filter(|_| !self.is_grouped())?;
        verdicts.of(row.sums.frame, value)
    }

    /// Those that the metric supports, as `s` cycles through them.
    pub fn orders(&self, view: &View) -> Vec<MethodOrder> {
        let metric = self.sums.request.measure.metric;
        let counts = view.recording.metric(metric).counts;
        let is_comparison = self.sums.before.is_some();
        let has = |order: &MethodOrder| match order {
            MethodOrder::Calls => counts == Some(CountKind::Calls) && !is_comparison,
            MethodOrder::Samples => counts == Some(CountKind::Samples) && !is_comparison,
            MethodOrder::Occurrences => !is_comparison,
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

    pub fn refilter(&mut self, view: &View) {
        let filter = self.settings.filter.text().to_lowercase();
        let words: Vec<&str> = filter.split_whitespace().collect();
        let has = |name: &str| {
            let name = name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let view = self.names(view);
        let is_shown = |row: &ListedMethod| {
            let frame = row.sums.frame;
            let is_user = view.frames.get(frame).category == Category::User;
            (!self.settings.only_user_code || is_user || self.shows_rest)
                && view.frames.has_name(frame, has)
        };
        let rows = 0..self.sums.rows.len();
        self.shown = rows.filter(|&at| is_shown(&self.sums.rows[at])).collect();
        let changes = self.rows().filter_map(|row| self.sides(row));
        let changes = changes.map(|sides| sides.delta().unsigned_abs());
        self.largest_change = changes.max().unwrap_or(0);
        self.cursor = ListCursor::default();
    }
}
