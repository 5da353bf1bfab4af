//! What the explorer shows before the user asks for anything: where the time goes.

use crate::app::{Explorer, Mode};
use crate::model::MetricId;

const MIN_TREE_WIDTH: u16 = 70;

impl Explorer {
    /// Opens the hot path, in a comparison that of the largest difference; on a narrow screen, shows the method list on
    /// top.
    pub(in crate::app) fn open_where_time_goes(
        &mut self,
        metric: Option<MetricId>,
        waiting: Option<bool>,
    ) {
        let metrics = self.view().recording.metrics.len();
        if let Some(metric) = metric.filter(|metric| metric.index() < metrics) {
            self.tree_mut().show_metric(metric);
        }
        if waiting.is_some() {
            self.tree_mut().lens.counts_waiting = waiting;
            self.tree_mut().reorder();
        }
        let is_tree = self.top_page().is_none() && self.layout.mode != Mode::Tiny;
        if is_tree && self.view().tree.len() > 1 {
            self.tree_mut().show_hot_path();
            if self.layout.screen.width < MIN_TREE_WIDTH {
                self.ask_for_methods();
            }
        }
        self.refresh()
    }

    pub(in crate::app) fn open_merged(&mut self) {
        self.history.left.clear();
        self.history.threads.clear();
        self.time.range_history.clear();
        self.history.merging = self.scope().threads.merging;
    }

    /// Whether all threads are shown, merged as they were at first.
    pub fn shows_all_threads(&self) -> bool {
        let threads = &self.scope().threads;
        threads.has_all() && threads.merging == self.history.merging
    }
}
