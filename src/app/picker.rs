//! The dialog in which threads are chosen: a list of them below their processes, each with a box.

use super::hot_panes::ListCursor;
use super::layout::{Area, Layout};
use crate::analysis::threads::processes_of_threads;
use crate::model::{MetricId, NodeId, ThreadChoice, View};
use std::cmp::Reverse;

/// The widest that the dialog gets.
const MOST_CELLS: u16 = 100;
/// Lines of rows without which the head and the line about merging are worth less than further rows.
const LEAST_ROWS: u16 = 2;

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickerRow {
    /// The process of this group.
    Process(usize),
    /// The thread at this place of [`View::threads`].
    Thread(usize),
}

/// What a box shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Chosen, with all threads.
    All,
    /// Some of the threads of a process are chosen.
    Some,
    /// Not chosen.
    None,
}

/// The threads of one process, or all where there are no processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its place in [`View::processes`]; `None` for threads of no process.
    pub process: Option<usize>,
    /// Places in [`View::threads`], in the order of the list.
    pub threads: Vec<usize>,
    /// Whether the threads are rows.
    pub is_open: bool,
}

/// Where the parts of the dialog are on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickerLayout {
    /// All of it, with its border.
    pub area: Area,
    /// The heads of the columns; no rows where there is no room.
    pub header: Area,
    /// The list.
    pub rows: Area,
    /// The line about merging; no rows where there is no room.
    pub merging: Area,
}

/// The state of the dialog. Times and percentages are those of the whole recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPicker {
    /// What is chosen so far.
    pub choice: ThreadChoice,
    /// The metric of the columns.
    pub metric: MetricId,
    /// Processes with their threads.
    pub groups: Vec<Group>,
    /// Whether there are headings for the groups.
    pub has_headings: bool,
    /// Where the list stands.
    pub cursor: ListCursor,
    /// Why the choice can't be taken.
    pub error: Option<&'static str>,
    rows: Vec<PickerRow>,
}

impl ThreadPicker {
    /// The dialog over the view of the whole recording, with the choice that is shown. O(threads log threads).
    pub fn new(read: &View, choice: &ThreadChoice, metric: MetricId, shows_threads: bool) -> ThreadPicker {
        let mut groups: Vec<Group> = (0..read.processes.len())
            .map(|process| Group { process: Some(process), threads: Vec::new(), is_open: shows_threads })
            .collect();
        let mut others = Group { process: None, threads: Vec::new(), is_open: true };
        for (thread, process) in processes_of_threads(read).into_iter().enumerate() {
            process.and_then(|process| groups.get_mut(process)).unwrap_or(&mut others).threads.push(thread);
        }
        let value = |node: NodeId| Reverse(read.tree.inclusive(metric, node));
        groups.retain(|group| !group.threads.is_empty());
        groups.sort_by_key(|group| group.process.map(|process| value(read.processes[process].node)));
        groups.extend((!others.threads.is_empty()).then_some(others));
        for group in &mut groups {
            group.threads.sort_by_key(|&thread| (value(read.threads[thread].node), read.threads[thread].node));
        }
        let mut picker = ThreadPicker {
            choice: choice.clone(),
            metric,
            groups,
            has_headings: !read.processes.is_empty(),
            cursor: ListCursor::default(),
            error: None,
            rows: Vec::new(),
        };
        picker.list_rows();
        picker
    }

    fn list_rows(&mut self) {
        self.rows.clear();
        for (at, group) in self.groups.iter().enumerate() {
            self.rows.extend(self.has_headings.then_some(PickerRow::Process(at)));
            if group.is_open || !self.has_headings {
                self.rows.extend(group.threads.iter().map(|&thread| PickerRow::Thread(thread)));
            }
        }
    }

    /// The rows of the list.
    pub fn rows(&self) -> &[PickerRow] {
        &self.rows
    }

    /// The row under the cursor.
    pub fn selected(&self) -> Option<PickerRow> {
        self.rows.get(self.cursor.selected).copied()
    }

    /// Puts the cursor on a row, or the heading under which it is folded.
    pub fn select(&mut self, row: PickerRow, height: usize) {
        let at = |row| self.rows.iter().position(|&other| other == row);
        let found = at(row).or_else(|| at(PickerRow::Process(self.group_of(row))));
        self.cursor.select(found.unwrap_or(0), self.rows.len(), height);
    }

    fn group_of(&self, row: PickerRow) -> usize {
        match row {
            PickerRow::Process(group) => group,
            PickerRow::Thread(thread) => {
                self.groups.iter().position(|group| group.threads.contains(&thread)).unwrap_or(0)
            }
        }
    }

    /// The threads of a row.
    fn threads_of(&self, row: PickerRow) -> Vec<usize> {
        match row {
            PickerRow::Process(group) => self.groups[group].threads.clone(),
            PickerRow::Thread(thread) => vec![thread],
        }
    }

    /// What the box of a row shows.
    pub fn mark(&self, row: PickerRow) -> Mark {
        let is_wanted = |thread: &usize| self.choice.wanted[*thread];
        match row {
            PickerRow::Thread(thread) if is_wanted(&thread) => Mark::All,
            PickerRow::Thread(_) => Mark::None,
            PickerRow::Process(group) => {
                let threads = &self.groups[group].threads;
                match threads.iter().filter(|thread| is_wanted(thread)).count() {
                    0 => Mark::None,
                    all if all == threads.len() => Mark::All,
                    _ => Mark::Some,
                }
            }
        }
    }

    /// Ticks or clears the row under the cursor; a process with all of its threads.
    pub fn toggle(&mut self) {
        let Some(row) = self.selected() else { return };
        let is_wanted = self.mark(row) != Mark::All;
        for thread in self.threads_of(row) {
            self.choice.wanted[thread] = is_wanted;
        }
    }

    /// Ticks all; where all are ticked, none.
    pub fn toggle_all(&mut self) {
        let is_wanted = !self.choice.has_all();
        self.choice.wanted.fill(is_wanted);
    }

    /// Ticks the row under the cursor alone.
    pub fn isolate(&mut self) {
        let Some(row) = self.selected() else { return };
        self.choice.wanted.fill(false);
        for thread in self.threads_of(row) {
            self.choice.wanted[thread] = true;
        }
    }

    /// Lists or hides the threads of the process under the cursor, which then stands on its heading.
    pub fn fold(&mut self, opens: bool, height: usize) {
        let Some(row) = self.selected().filter(|_| self.has_headings) else { return };
        let group = self.group_of(row);
        self.groups[group].is_open = opens;
        self.list_rows();
        self.select(if opens { row } else { PickerRow::Process(group) }, height);
    }

    /// Whether the threads of the process under the cursor are listed.
    pub fn is_open(&self) -> bool {
        self.selected().is_some_and(|row| self.groups[self.group_of(row)].is_open)
    }

    /// Puts the cursor on the heading of the process `step` further; without processes, on the thread.
    pub fn move_by_process(&mut self, step: isize, height: usize) {
        let mut at = self.cursor.selected;
        while let Some(next) = at.checked_add_signed(step).filter(|&next| next < self.rows.len()) {
            at = next;
            if !self.has_headings || matches!(self.rows[at], PickerRow::Process(_)) {
                self.cursor.select(at, self.rows.len(), height);
                return;
            }
        }
    }

    /// Where it is on a screen: as high as it has lines, in the middle of the panes.
    pub fn layout(&self, layout: &Layout) -> PickerLayout {
        let body = layout.overlay();
        let lines = u16::try_from(self.rows.len()).unwrap_or(u16::MAX).saturating_add(4);
        let (width, height) = (body.width.min(MOST_CELLS), body.height.min(lines));
        let (x, y) = (body.x + (body.width - width) / 2, body.y + (body.height - height) / 2);
        let area = Area::new(x, y, width, height);
        let inner = area.inner();
        let frame = if inner.height >= LEAST_ROWS + 2 { 1 } else { 0 };
        let rows = Area::new(inner.x, inner.y + frame, inner.width, inner.height - 2 * frame);
        PickerLayout {
            area,
            header: Area { height: frame, ..inner },
            rows,
            merging: Area::new(inner.x, rows.y + rows.height, inner.width, frame),
        }
    }
}
