//! Threads below their processes, each with a checkbox.

use super::{Action, Area, Filter, ListCursor, next_in};
use crate::analysis::threads::processes_of_threads;
use crate::model::{Measure, Merging, MetricId, NodeId, ThreadChoice, View};
use crate::units::Unit;
use std::cmp::Reverse;

const MAX_CELLS: u16 = 100;
/// With fewer lines for rows, the header and the line about merging give way.
const MIN_ROWS: u16 = 2;
/// Cells from the left edge of the list to the end of its checkboxes.
const BOX_CELLS: u16 = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerRow {
    /// By its index in the groups.
    Process(usize),
    /// By its index in [`View::threads`].
    Thread(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    All,
    /// Some threads of a process.
    Some,
    None,
}

/// The threads of one process, or all threads if there are no processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickerGroup {
    /// In [`View::processes`]; `None` for threads without a process.
    pub process: Option<usize>,
    /// In [`View::threads`], in list order.
    pub threads: Vec<usize>,
    pub is_open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickerLayout {
    pub area: Area,
    /// No rows if there is no room.
    pub header: Area,
    pub rows: Area,
    /// No rows if there is no room.
    pub merging: Area,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerSort {
    /// Largest first.
    Metric(MetricId),
    Name,
}

/// Times and percentages are those of the whole recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPicker {
    pub choice: ThreadChoice,
    /// The shown one first, then the other times.
    pub metrics: Vec<MetricId>,
    pub measure: Measure,
    pub sort: PickerSort,
    pub filter: Filter,
    pub groups: Vec<PickerGroup>,
    pub has_headings: bool,
    pub cursor: ListCursor,
    pub error: Option<&'static str>,
    pub rows: Vec<PickerRow>,
    names: Vec<String>,
}

impl ThreadPicker {
    /// O(threads log threads).
    pub fn new(
        whole: &View,
        choice: &ThreadChoice,
        measure: Measure,
        shows_threads: bool,
    ) -> ThreadPicker {
        let metric = measure.metric;
        let processes = (0..whole.processes.len()).map(Some).chain([None]);
        let group = |process: Option<usize>| PickerGroup {
            process,
            threads: Vec::new(),
            is_open: shows_threads || process.is_none(),
        };
        let mut groups: Vec<PickerGroup> = processes.map(group).collect();
        let others = groups.len() - 1;
        for (thread, process) in processes_of_threads(whole).into_iter().enumerate() {
            let group = process.unwrap_or(others).min(others);
            groups[group].threads.push(thread);
        }
        groups.retain(|group| !group.threads.is_empty());
        let is_time = |id: &MetricId| whole.recording.metric(*id).unit == Unit::Milliseconds;
        let others = whole.recording.metric_ids().filter(|&id| id != metric);
        let metrics = [metric].into_iter().chain(others.filter(is_time));
        let name = |node| whole.display_name(node).to_lowercase();
        let names = whole.threads.iter().map(|thread| name(thread.node));
        let mut picker = ThreadPicker {
            choice: choice.clone(),
            metrics: metrics.collect(),
            measure,
            sort: PickerSort::Metric(metric),
            filter: Filter::default(),
            groups,
            has_headings: !whole.processes.is_empty(),
            cursor: ListCursor::default(),
            error: None,
            rows: Vec::new(),
            names: names.collect(),
        };
        picker.order(whole);
        picker
    }

    /// O(threads log threads).
    fn order(&mut self, whole: &View) {
        let key = |node: NodeId| match self.sort {
            // like the percentages next to them
            PickerSort::Metric(metric) if metric == self.measure.metric => {
                let weight = self.measure.inclusive(whole, node);
                (
                    Reverse((weight, whole.tree.inclusive(metric, node))),
                    "",
                    node,
                )
            }
            PickerSort::Metric(metric) => {
                (Reverse((whole.tree.inclusive(metric, node), 0)), "", node)
            }
            PickerSort::Name => (Reverse((0, 0)), whole.display_name(node), node),
        };
        // threads without a process come last
        self.groups.sort_by_key(|group| {
            let node = group.process.map(|process| whole.processes[process].node);
            (node.is_none(), node.map(key))
        });
        for group in &mut self.groups {
            let threads = &mut group.threads;
            threads.sort_by_key(|&thread| key(whole.threads[thread].node));
        }
        self.list_rows();
    }

    pub fn next_sort(&mut self, whole: &View, height: usize) {
        let by_metric = self.metrics.iter().copied().map(PickerSort::Metric);
        let orders: Vec<PickerSort> = by_metric.chain([PickerSort::Name]).collect();
        self.sort = next_in(&orders, self.sort, 1);
        let (thread, is_heading) = match self.selected() {
            // sorting reorders groups
            Some(PickerRow::Process(group)) => (self.groups[group].threads[0], true),
            Some(PickerRow::Thread(thread)) => (thread, false),
            None => return self.order(whole),
        };
        self.order(whole);
        let row = PickerRow::Thread(thread);
        let heading = PickerRow::Process(self.group_of(row));
        self.select(if is_heading { heading } else { row }, height);
    }

    pub fn refilter(&mut self, height: usize) {
        let selected = self.selected();
        self.list_rows();
        match selected {
            Some(row) => self.select(row, height),
            None => self.cursor.select(0, self.rows.len(), height),
        }
    }

    fn fits(&self, thread: usize) -> bool {
        self.names[thread].contains(&self.filter.text().to_lowercase())
    }

    fn list_rows(&mut self) {
        let mut rows = Vec::new();
        let is_filtered = !self.filter.text().is_empty();
        for (at, group) in self.groups.iter().enumerate() {
            let fitting = self.threads_of(PickerRow::Process(at));
            if fitting.is_empty() {
                continue;
            }
            rows.extend(self.has_headings.then_some(PickerRow::Process(at)));
            if group.is_open || !self.has_headings || is_filtered {
                rows.extend(fitting.into_iter().map(PickerRow::Thread));
            }
        }
        self.rows = rows;
    }

    pub fn selected(&self) -> Option<PickerRow> {
        self.rows.get(self.cursor.selected).copied()
    }

    /// Selects the heading of the process if the process is closed.
    pub fn select(&mut self, row: PickerRow, height: usize) {
        let at = |row| self.rows.iter().position(|&other| other == row);
        let found = at(row).or_else(|| at(PickerRow::Process(self.group_of(row))));
        self.cursor
            .select(found.unwrap_or(0), self.rows.len(), height);
    }

    fn group_of(&self, row: PickerRow) -> usize {
        match row {
            PickerRow::Process(group) => group,
            PickerRow::Thread(thread) => {
                let mut groups = self.groups.iter();
                let group = groups.position(|group| group.threads.contains(&thread));
                group.unwrap_or(0)
            }
        }
    }

    fn threads_of(&self, row: PickerRow) -> Vec<usize> {
        match row {
            PickerRow::Process(group) => {
                let threads = self.groups[group].threads.iter().copied();
                threads.filter(|&thread| self.fits(thread)).collect()
            }
            PickerRow::Thread(thread) => vec![thread],
        }
    }

    pub fn mark(&self, row: PickerRow) -> Mark {
        let is_chosen = |thread: &usize| self.choice.chosen[*thread];
        match row {
            PickerRow::Thread(thread) if is_chosen(&thread) => Mark::All,
            PickerRow::Thread(_) => Mark::None,
            PickerRow::Process(group) => {
                let threads = &self.groups[group].threads;
                match threads.iter().filter(|thread| is_chosen(thread)).count() {
                    0 => Mark::None,
                    all if all == threads.len() => Mark::All,
                    _ => Mark::Some,
                }
            }
        }
    }

    pub fn toggle(&mut self) {
        let Some(row) = self.selected() else { return };
        let is_chosen = self.mark(row) != Mark::All;
        for thread in self.threads_of(row) {
            self.choice.chosen[thread] = is_chosen;
        }
    }

    pub fn toggle_all(&mut self) {
        let mut listed: Vec<usize> = (0..self.names.len()).collect();
        listed.retain(|&thread| self.fits(thread));
        let is_chosen = listed.iter().any(|&thread| !self.choice.chosen[thread]);
        for thread in listed {
            self.choice.chosen[thread] = is_chosen;
        }
    }

    /// Offers the pool only if it has several threads.
    pub fn next_merging(&mut self, whole: &View) {
        let current = self.choice.merging;
        let mut offered = Merging::ALL.to_vec();
        offered.retain(|&one| one != Merging::Pool || one == current || Self::has_pool(whole));
        self.choice.merging = next_in(&offered, current, 1);
    }

    pub fn has_pool(whole: &View) -> bool {
        let merging = Merging::Pool;
        let all = ThreadChoice::all(&whole.recording);
        ThreadChoice { merging, ..all }.merges_any(&whole.recording)
    }

    pub fn isolate(&mut self) {
        if self.selected().is_some() {
            self.choice.chosen.fill(false);
            self.toggle();
        }
    }

    pub fn set_open(&mut self, opens: bool, height: usize) {
        let Some(row) = self.selected().filter(|_| self.has_headings) else {
            return;
        };
        let group = self.group_of(row);
        self.groups[group].is_open = opens;
        self.list_rows();
        let heading = PickerRow::Process(group);
        self.select(if opens { row } else { heading }, height);
    }

    /// Moves by threads if there are no processes.
    pub fn move_by_process(&mut self, step: isize, height: usize) {
        let mut at = self.cursor.selected;
        while let Some(next) = at
            .checked_add_signed(step)
            .filter(|&next| next < self.rows.len())
        {
            at = next;
            if !self.has_headings || matches!(self.rows[at], PickerRow::Process(_)) {
                self.cursor.select(at, self.rows.len(), height);
                return;
            }
        }
    }

    pub(super) fn is_on_checkbox(&self, action: &Action, rows: Area) -> bool {
        let &Action::Click(x, y) = action else {
            return false;
        };
        let at = self.cursor.top + usize::from(y.saturating_sub(rows.y));
        rows.contains(x, y) && at < self.rows.len() && x < rows.x + BOX_CELLS
    }

    /// The dialog is as tall as the list needs and centered over the panes.
    pub fn layout(&self, body: Area) -> PickerLayout {
        // while the list is filtered, the dialog keeps its size
        let rows = if self.filter.text().is_empty() {
            self.rows.len()
        } else {
            self.names.len().max(self.rows.len())
        };
        let lines = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(4);
        let (width, height) = (body.width.min(MAX_CELLS), body.height.min(lines));
        let area = body.centered(width, height);
        let inner = area.inner();
        let frame = if inner.height >= MIN_ROWS + 2 { 1 } else { 0 };
        let rows = Area::new(
            inner.x,
            inner.y + frame,
            inner.width,
            inner.height - 2 * frame,
        );
        PickerLayout {
            area,
            header: Area {
                height: frame,
                ..inner
            },
            rows,
            merging: Area::new(inner.x, rows.y + rows.height, inner.width, frame),
        }
    }
}
