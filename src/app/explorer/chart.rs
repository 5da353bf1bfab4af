//! The flame chart, which shares an instant with the strip.

use super::Effect;
use crate::analysis::Chart;
use crate::app::{AnyPanel, ChartLane, ChartPanel, Explorer, Page, messages, next_in};
use crate::model::NodeId;
use std::sync::Arc;

impl Explorer {
    pub fn has_chart(&self) -> bool {
        self.page().first::<ChartPanel>().is_some()
    }

    pub(super) fn open_chart(&mut self) {
        if let Err(why) = &self.view().recording.samples {
            return self.show_message(messages::no_chart(why));
        }
        let subject = self.subject();
        let Some(thread) = self.busiest_thread(subject) else {
            return self.show_message(messages::PROFILE_WITHOUT_THREADS);
        };
        let panel = ChartPanel::new(self.lens().clone(), vec![thread], Some(subject));
        let page = Page::alone(AnyPanel::Chart(Box::new(panel)));
        self.open(self.page_origin(), page);
    }

    /// Returns the thread's index in the recording.
    fn busiest_thread(&self, node: NodeId) -> Option<usize> {
        let rows = self.thread_rows(node);
        if let [_, _, ..] = rows[..]
            && let Some(strip) = self.computed_strip()
        {
            let counts = self.measure().counts_waiting;
            let by_thread = strip.timeline.by_thread(self.view(), node).into_iter();
            let busiest = by_thread.max_by_key(|(row, values)| {
                let value = values.total(counts);
                (value, std::cmp::Reverse(*row))
            });
            return busiest.map(|(row, _)| row);
        }
        rows.first().copied()
    }

    /// The thread of a node, or all threads of the view by value; by their index in the recording.
    fn thread_rows(&self, node: NodeId) -> Vec<usize> {
        let view = self.view();
        let thread_of_node = view.thread_of(node).map(|thread| thread.node);
        let threads = view.threads.by_value().map(|thread| thread.node);
        let threads = threads.filter(|&thread| thread_of_node.is_none_or(|own| own == thread));
        let place = |node| view.threads.iter().position(|thread| thread.node == node);
        let rows = threads.filter_map(place).map(|at| view.rows_of_thread(at));
        rows.flat_map(|rows| rows.into_owned()).collect()
    }

    pub(super) fn next_chart(&mut self, step: isize) {
        let rows = self.thread_rows(NodeId::ROOT);
        let lens = self.lens().clone();
        let Some(panel) = self.page_mut().first_mut::<ChartPanel>() else {
            return;
        };
        let current = rows.iter().find(|row| panel.threads.contains(row));
        let next = current.map(|&row| next_in(&rows, row, step));
        if let Some(row) = next.or(rows.first().copied()) {
            *panel = panel.reopened(lens, vec![row]);
        }
        self.lay_out();
    }

    /// The thread's node, or the focus below it; `None` if the thread is not shown.
    fn chart_root(&self, threads: &[usize]) -> Option<NodeId> {
        let (view, focus) = (self.view(), self.tree().shown.root());
        let is_shown = |at: &usize| {
            let rows = view.rows_of_thread(*at);
            rows.iter().any(|row| threads.contains(row))
        };
        let at = (0..view.threads.len()).find(is_shown)?;
        let thread = view.threads[at].node;
        match view.tree.contains(thread, focus) {
            true => Some(focus),
            false => view.tree.contains(focus, thread).then_some(thread),
        }
    }

    pub(super) fn refresh_chart(&mut self) {
        let Some(panel) = self.page().first::<ChartPanel>() else {
            return;
        };
        let threads = panel.threads.clone();
        let Some(root) = self.chart_root(&threads) else {
            self.pages.pop();
            self.set_focus(0);
            return self.show_message(messages::THREAD_NOT_SHOWN);
        };
        let (cells, cursor) = (self.layout.strip_cells(), self.time.cursor_ns);
        let lane = ChartLane {
            root,
            rows: threads,
            metric: self.lens().metric,
        };
        let Some(panel) = self.page_mut().first_mut::<ChartPanel>() else {
            return;
        };
        panel.frames.cells = (cells.x, cells.width);
        match cursor {
            Some(at_ns) if !panel.has_moved => panel.at_ns = at_ns,
            _ => {}
        }
        if panel.lane.as_ref() != Some(&lane) {
            panel.lane = Some(lane.clone());
            panel.chart = None;
            self.ask(Effect::Chart(lane));
        }
    }

    pub(super) fn sync_cursor(&mut self) {
        if let Some(panel) = self.page_mut().first_mut::<ChartPanel>()
            && std::mem::take(&mut panel.has_moved)
        {
            self.time.cursor_ns = Some(panel.at_ns);
        }
    }

    pub fn receive_chart(&mut self, lane: &ChartLane, chart: Option<Arc<Chart>>) {
        if let Some(panel) = self.page_mut().first_mut::<ChartPanel>()
            && panel.lane.as_ref() == Some(lane)
        {
            panel.receive(chart);
        }
        self.refresh();
    }
}
