//! The lists of hotspots: methods by exclusive or inclusive value.

use super::{Panel, PanelHelp, Reply, Selection};
use crate::analysis::remap::Remap;
use crate::analysis::{Hotspot, HotspotOrder};
use crate::app::{
    Action, Area, HotspotLists, Lens, ListCursor, Sort, SortColumn, messages, next_in,
};
use crate::model::{CountKind, FrameId, View};
use crate::names::Category;
use std::cmp::Reverse;
use std::sync::Arc;

pub struct HotspotPanel {
    pub order: HotspotOrder,
    pub lists: Option<Arc<HotspotLists>>,
    pub cursor: ListCursor,
    pub sort: Sort,
    /// `None` in the list's own order.
    sorted: Option<Vec<Hotspot>>,
    method_to_select: Option<FrameId>,
    area: Area,
}

impl HotspotPanel {
    pub(in crate::app) fn new(order: HotspotOrder) -> HotspotPanel {
        HotspotPanel {
            order,
            lists: None,
            cursor: ListCursor::default(),
            sort: Sort::by(value_column(order)),
            sorted: None,
            method_to_select: None,
            area: Area::default(),
        }
    }

    pub(in crate::app) fn has(&self, lists: &Arc<HotspotLists>) -> bool {
        let shown = self.lists.as_ref();
        shown.is_some_and(|shown| Arc::ptr_eq(shown, lists))
    }

    pub fn rows(&self) -> &[Hotspot] {
        let lists = || self.lists.as_ref().map(|lists| lists.rows(self.order));
        let sorted = self.sorted.as_deref();
        sorted.or_else(lists).unwrap_or_default()
    }

    pub fn selected_row(&self) -> Option<&Hotspot> {
        self.rows().get(self.cursor.selected)
    }

    /// The remembered method is selected.
    pub(in crate::app) fn set_lists(&mut self, view: &View, lists: &Arc<HotspotLists>) {
        let method_to_select = self.method_to_select.take();
        self.lists = Some(Arc::clone(lists));
        self.order_rows(view);
        let is_selected = |row: &Hotspot| Some(row.frame) == method_to_select;
        match self.rows().iter().position(is_selected) {
            Some(at) => self.cursor.select(at, self.rows().len(), self.height()),
            None => self.cursor = ListCursor::default(),
        }
    }

    fn order_rows(&mut self, view: &View) {
        let (order, sort) = (self.order, self.sort);
        let is_own_order = sort == Sort::by(self.value_column());
        let lists = self.lists.as_ref().filter(|_| !is_own_order);
        self.sorted = lists.map(|lists| in_order(view, lists.rows(order), sort));
    }

    pub fn value_column(&self) -> SortColumn {
        value_column(self.order)
    }

    fn set_sort(&mut self, sort: Sort, main: &Lens) -> Reply {
        self.sort = sort;
        self.order_rows(&main.view);
        self.cursor = ListCursor::default();
        let column = match sort.column {
            SortColumn::Name => "name",
            SortColumn::Count => "calls",
            _ if main.is_comparison() => "difference",
            _ => self.order.name(),
        };
        let reversed = if sort.reversed { ", reversed" } else { "" };
        Reply::ShowMessage(messages::hotspots_ordered(&column, &reversed))
    }

    fn next_sort(&mut self, main: &Lens) -> Reply {
        let has_calls = !main.is_comparison() && main.counts() == Some(CountKind::Calls);
        let mut columns = vec![self.value_column(), SortColumn::Count, SortColumn::Name];
        columns.retain(|&column| has_calls || column != SortColumn::Count);
        // a list may still be sorted by the calls of another metric, which this one lacks
        let column = next_in(&columns, self.sort.column, 1);
        self.set_sort(Sort::by(column), main)
    }

    fn next_user_code(&mut self, view: &View) {
        let is_user = |&row: &usize| {
            let frame = self.rows()[row].frame;
            view.frames.get(frame).category == Category::User
        };
        let len = self.rows().len();
        if let Some(row) = (self.cursor.selected + 1..len).find(is_user) {
            self.cursor.select(row, len, self.height());
        }
    }

    fn height(&self) -> usize {
        usize::from(self.area.height)
    }

    /// Remembers the selected method until the lists of the next view arrive.
    pub(in crate::app) fn remap(&mut self, remap: &mut Remap) {
        let selected = match &self.lists {
            Some(_) => self.selected_row().map(|row| row.frame),
            // the view changed again before the last one was summed
            None => self.method_to_select,
        };
        self.method_to_select = selected.and_then(|frame| remap.frame(frame));
        (self.lists, self.sorted) = (None, None);
    }
}

impl Panel for HotspotPanel {
    fn tab(&self) -> &'static str {
        match self.order {
            HotspotOrder::Exclusive => "Exclusive",
            HotspotOrder::Inclusive => "Inclusive",
        }
    }

    fn title(&self, main: &Lens) -> String {
        let what = match main.is_comparison() {
            true => "Changed most",
            false => "Hottest",
        };
        format!("{what} by {}", self.order.name())
    }

    fn help(&self) -> PanelHelp {
        PanelHelp {
            heading: "In the hotspots",
            commands: &[
                ("open-hot-path", messages::HERE_GO_TO_HEAVIEST),
                ("next-user-code", messages::HERE_NEXT_USER_METHOD),
                ("show-callers", ""),
                ("next-order", ""),
                ("pin-hotspots", ""),
                ("drop-method", ""),
                ("export", messages::HERE_EXPORT_OCCURRENCES),
            ],
        }
    }

    fn act(&mut self, action: &Action, main: &Lens) -> Reply {
        let len = self.rows().len();
        match self.cursor.act(action, len, self.area) {
            Some(Action::Accept | Action::Enter | Action::Open) => {
                match (self.selected_row(), &self.lists) {
                    (Some(row), Some(lists)) => Reply::GoTo(row.frame, lists.scope),
                    _ => Reply::Done,
                }
            }
            Some(Action::Close | Action::Parent) => Reply::Leave,
            Some(Action::NextUserCode) => {
                self.next_user_code(&main.view);
                Reply::Done
            }
            Some(Action::NextSort) => self.next_sort(main),
            Some(Action::ReverseSort) => self.set_sort(self.sort.reverse(), main),
            _ => Reply::Done,
        }
    }

    fn selected<'a>(&'a self, main: &'a Lens) -> Option<Selection<'a>> {
        self.selected_row().map(|row| Selection {
            hotspot: Some(row),
            ..Selection::of(main, row.heaviest_node, row.frame)
        })
    }

    fn set_area(&mut self, content: Area) {
        let rows = content.below(1);
        if rows.height != self.area.height {
            let (len, height) = (self.rows().len(), usize::from(rows.height));
            self.cursor.select(self.cursor.selected, len, height);
        }
        self.area = rows;
    }
}

fn value_column(order: HotspotOrder) -> SortColumn {
    match order {
        HotspotOrder::Exclusive => SortColumn::Exclusive,
        HotspotOrder::Inclusive => SortColumn::Inclusive,
    }
}

/// The list's own order breaks ties.
fn in_order(view: &View, rows: &[Hotspot], sort: Sort) -> Vec<Hotspot> {
    let mut rows = rows.to_vec();
    match sort.column {
        SortColumn::Count => rows.sort_by_key(|row| Reverse(row.count)),
        SortColumn::Name => {
            let name = |row: &Hotspot| view.frames.display_name(row.frame);
            rows.sort_by(|a, b| name(a).cmp(name(b)));
        }
        _ => {}
    }
    if sort.reversed {
        rows.reverse();
    }
    rows
}
