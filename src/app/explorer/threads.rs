//! Choosing threads.

use crate::analysis::ReadyView;
use crate::app::picker::{PickerRow, ThreadPicker};
use crate::app::{Action, Effect, Explorer, Overlay, messages};
use crate::diagnostics::Severity;
use crate::model::{Merging, Scope, View, ViewSpec};
use std::sync::Arc;

impl Explorer {
    pub(super) fn open_picker(&mut self, shows_threads: bool) {
        match (self.whole.threads.len(), self.whole.processes.len()) {
            _ if self.lens().is_comparison() => {
                return self.show_message(messages::COMPARISON_HAS_NO_THREADS);
            }
            (0, _) => return self.show_message(messages::PROFILE_WITHOUT_THREADS),
            (1, _) => return self.show_message(messages::PROFILE_HAS_ONE_THREAD),
            (_, 0 | 1) if !shows_threads => {
                return self.show_message(messages::PROFILE_HAS_ONE_PROCESS);
            }
            _ => {}
        }
        let (choice, measure) = (
            &self.wanted_scope().threads,
            self.lens().measure_of(&self.whole),
        );
        let mut picker = ThreadPicker::new(&self.whole, choice, measure, shows_threads);
        let height = usize::from(picker.layout(self.layout.body).rows.height);
        let row = self.row_of_subject(&picker);
        if let Some(row) = row.or(picker.rows.first().copied()) {
            picker.select(row, height);
        }
        self.overlay = Overlay::Threads(Box::new(picker));
    }

    /// The chosen thread, or its process, that contains the selection.
    fn row_of_subject(&self, picker: &ThreadPicker) -> Option<PickerRow> {
        let (subject, view) = (self.subject(), self.view());
        let tree = &view.tree;
        let is_around = |node| tree.contains(node, subject);
        let mut threads = view.threads.iter();
        if let Some(shown) = threads.position(|thread| is_around(thread.node)) {
            // of several merged threads, the first that is still chosen
            let rows = view.rows_of_thread(shown);
            let is_chosen = |row: &&usize| picker.choice.chosen.get(**row) == Some(&true);
            if let Some(&row) = rows.iter().find(is_chosen) {
                return Some(PickerRow::Thread(row));
            }
        }
        let mut processes = view.processes.iter();
        let process = processes.find(|process| is_around(process.node))?;
        let mut all = self.whole.processes.iter();
        let process = all.position(|other| other.id == process.id);
        let mut groups = picker.groups.iter();
        let group = groups.position(|group| group.process == process)?;
        Some(PickerRow::Process(group))
    }

    pub(super) fn act_in_picker(&mut self, action: Action) {
        let (body, whole) = (self.layout.body, Arc::clone(&self.whole));
        let Overlay::Threads(picker) = &mut self.overlay else {
            return;
        };
        let places = picker.layout(body);
        let (len, height) = (picker.rows.len(), usize::from(places.rows.height));
        picker.error = None;
        match action {
            Action::Sibling(step) => picker.move_by_process(step, height),
            Action::NextSort => picker.next_sort(&whole, height),
            Action::Search => picker.filter.is_typed = true,
            Action::Help => self.open_help(),
            Action::Toggle => picker.toggle(),
            Action::ToggleAll => picker.toggle_all(),
            Action::Isolate => picker.isolate(),
            Action::Merge => picker.next_merging(&whole),
            Action::Open => picker.set_open(true, height),
            Action::Close => picker.set_open(false, height),
            Action::Click(x, y) | Action::DoubleClick(x, y) if places.merging.contains(x, y) => {
                picker.next_merging(&whole);
            }
            Action::Back => self.overlay = Overlay::None,
            Action::Accept => self.accept_choice(),
            _ => {
                let act = picker.cursor.act(&action, len, places.rows);
                // the second click of a double click on a checkbox toggles it again
                if act == Some(Action::Accept) || picker.is_on_checkbox(&action, places.rows) {
                    picker.toggle();
                }
            }
        }
    }

    fn accept_choice(&mut self) {
        let Overlay::Threads(picker) = &mut self.overlay else {
            return;
        };
        if picker.choice.count() == 0 {
            picker.error = Some(messages::CHOOSE_A_THREAD);
            return;
        }
        let threads = picker.choice.clone();
        self.overlay = Overlay::None;
        self.change_scope(|scope| scope.threads = threads)
    }

    pub(super) fn wanted_steps(&self) -> &ViewSpec {
        self.awaited_steps().unwrap_or(&self.view().steps)
    }

    pub(super) fn wanted_scope(&self) -> &Scope {
        &self.wanted_steps().scope
    }

    /// The later changes stay.
    pub(super) fn change_scope(&mut self, change: impl FnOnce(&mut Scope)) {
        let mut steps = self.wanted_steps().clone();
        change(&mut steps.scope);
        self.ask_for(steps)
    }

    pub(super) fn ask_for(&mut self, steps: ViewSpec) {
        self.request(steps, false)
    }

    /// Requests an earlier view, which is shown as it was left.
    pub(super) fn go_back_to_steps(&mut self, steps: ViewSpec) {
        self.request(steps, true)
    }

    /// Requests another view of the recording. A view available is shown at once.
    fn request(&mut self, steps: ViewSpec, is_returning: bool) {
        self.history.is_returning = is_returning;
        if self.pending.view.take().is_some() {
            self.ask(Effect::CancelView);
        }
        if steps == self.view().steps {
            return;
        }
        let whole = || {
            let whole = self.available_whole_view(&steps.scope);
            whole.filter(|_| steps.transforms.is_empty())
        };
        let other_form = self.history.other_form.as_ref();
        let other_form = other_form.filter(|view| view.steps == steps);
        match other_form.cloned().or_else(whole) {
            Some(view) => self.take_view(view),
            None => self.wait_for(Effect::Show(steps)),
        }
    }

    /// A whole recorded tree, which needs no computing. O(threads).
    fn available_whole_view(&self, scope: &Scope) -> Option<ReadyView> {
        if !scope.is_whole() {
            return None;
        }
        if *scope == self.whole.steps.scope {
            return Some(self.whole.clone());
        }
        // cautions apply to both forms
        let cautions = self.whole.diagnostics_of(Severity::Caution);
        let cautions = cautions.cloned().collect();
        let view = View::whole(&self.whole.recording, scope.form());
        Some(ReadyView::of(view.with_cautions(cautions)))
    }

    pub fn receive_view(&mut self, steps: ViewSpec, view: ReadyView) {
        if self.is_answered(&Effect::Show(steps)) {
            self.take_view(view);
        }
    }

    pub fn take_view(&mut self, view: ReadyView) {
        self.notice = None;
        // its rows belong to the previous view
        self.history.list = None;
        let is_returning = std::mem::take(&mut self.history.is_returning);
        let other_form = Scope {
            is_repaired: !self.scope().is_repaired,
            ..self.scope().clone()
        };
        let before = self.view().steps.clone();
        let is_changed = view.steps.transforms != before.transforms;
        let is_other_range = view.steps.scope.range != before.scope.range;
        let is_other_form = view.steps.scope == other_form && !is_changed;
        let are_other_threads = view.steps.scope.threads != before.scope.threads;
        match (is_returning, are_other_threads) {
            (true, true) => _ = self.history.threads.pop(),
            (false, true) => self.history.threads.push(before.scope.threads.clone()),
            (_, false) => {}
        }
        if is_other_range {
            self.leave_for_range(view.steps.scope.range, is_returning);
        }
        self.history.other_form = is_other_form.then(|| self.lens().view.clone());
        self.show_next(view, is_returning);
        // a message about what was left matters more than the choice, which is in the title
        if self.notice.is_some() {
            return;
        }
        if is_other_form {
            if let Some([long, ..]) = self.form_words() {
                self.show_message(long);
            }
        } else if is_changed {
            self.show_changes_message(&before.transforms);
        } else if !is_other_range {
            self.show_message(format!("shown: {}", self.threads_text()));
        }
    }

    pub(super) fn can_only_undo_threads(&self) -> bool {
        let is_outermost =
            self.tree().outer.is_empty() && self.page().focus == 0 && !self.hot.is_pinned;
        let has_more = self.last_change().is_some() || !self.history.threads.is_empty();
        is_outermost && has_more
    }

    pub(super) fn undo_last(&mut self) {
        if let Some(last) = self.last_change() {
            return self.undo_change(last);
        }
        let Some(threads) = self.history.threads.last().cloned() else {
            return;
        };
        let mut steps = self.wanted_steps().clone();
        steps.scope.threads = threads;
        self.go_back_to_steps(steps)
    }

    /// The shown threads: `10 threads`, `3 of 10 threads, merged`.
    pub fn threads_text(&self) -> String {
        match self.awaited_steps() {
            Some(awaited) if awaited.scope.threads != self.scope().threads => {
                return "choosing threads …".into();
            }
            Some(awaited) if awaited.transforms != self.view().steps.transforms => {
                return "changing the tree …".into();
            }
            _ => {}
        }
        let threads = &self.scope().threads;
        // a single thread stays as it is
        let is_merged = threads.merging == Merging::All && self.view().has_merged_threads();
        let merged = if is_merged { ", merged" } else { "" };
        format!("{}{merged}", threads.words(&self.whole.recording))
    }
}
