//! What the explorer shows before the user asks for anything: where the time goes.

use crate::analysis::ReadyView;
use crate::app::{Action, Explorer, Mode, messages};
use crate::diagnostics::Diagnostic;
use crate::model::{MetricId, ThreadChoice};

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

    pub(in crate::app) fn show_first_view(&mut self, view: ReadyView) {
        // the first sums were of everything
        let _ = self.take_effects();
        // the requests were about everything
        let is_inverted = view.inverted_from().is_some();
        let below = view.inverted_from().cloned().map(ReadyView::of);
        let view = below.unwrap_or(view);
        let is_empty = view.diagnostics.contains(&Diagnostic::NothingInRange {});
        self.take_view(view);
        self.history.left.clear();
        self.history.threads.clear();
        self.time.range_history.clear();
        self.history.merging = self.scope().threads.merging;
        self.notice = None;
        if is_inverted {
            self.act(Action::Invert);
        }
        let recording = &self.whole.recording;
        let main = recording.main_process;
        let main = main.map(|main| ThreadChoice::of_process(recording, main));
        if is_empty {
            self.show_message(messages::RANGE_IS_EMPTY);
        } else if main.is_some_and(|main| main.chosen == self.scope().threads.chosen) {
            self.show_message(messages::main_process(&self.threads_text()));
        }
    }

    /// Whether all threads are shown, merged as they were at first.
    pub fn shows_all_threads(&self) -> bool {
        let threads = &self.scope().threads;
        threads.has_all() && threads.merging == self.history.merging
    }
}
