//! Key handling in the method list.

use super::PreviousList;
use crate::analysis::remap::Remap;
use crate::app::{
    Action, Area, Effect, Explorer, MethodSettings, MethodSums, MethodTable, MethodsRequest,
    Overlay, PageOrigin, messages, next_or_none,
};
use crate::model::{FrameId, GroupBy, NodeId};
use crate::query::ListedMethod;
use std::sync::Arc;

impl Explorer {
    pub(super) fn ask_for_methods(&mut self) {
        let within = self.single_subtree();
        self.wait_for(Effect::Methods(MethodsRequest {
            within,
            measure: self.measure(),
            group: self.settings.methods.group,
        }))
    }

    /// A list of something no longer shown is dropped.
    pub fn receive_methods(&mut self, sums: MethodSums) {
        let request = sums.request;
        let subtree = self.shown_subtree().unwrap_or(NodeId::ROOT);
        let is_shown = (subtree, self.measure()) == (request.within, request.measure);
        if !self.is_answered(&Effect::Methods(request)) || !is_shown {
            return;
        }
        let selected = self.settings.methods.selected.take();
        let settings = self.settings.methods.clone();
        let mut table = MethodTable::new(self.view(), sums, settings);
        let is_wanted = |row: &ListedMethod| Some(row.sums.frame) == selected;
        let at = table.rows().position(is_wanted).unwrap_or(0);
        let (len, height) = (table.rows().len(), self.methods_area().height);
        table.cursor.select(at, len, usize::from(height));
        self.overlay = Overlay::Methods(Box::new(table));
        self.refresh();
    }

    fn show_method_in_flame(&mut self, method: Option<FrameId>) {
        match method {
            Some(_) => self.act_in_methods(Action::Accept),
            None => self.close_methods(),
        }
        if !self.has_flame() && !self.has_chart() {
            self.open_flame();
        }
        if let Some(method) = method {
            self.highlight_method(method);
        }
    }

    pub(super) fn close_methods(&mut self) {
        if let Overlay::Methods(table) = std::mem::take(&mut self.overlay) {
            self.settings.methods = table.settings;
        }
    }

    /// Lists the methods of the view that is shown now. The same one is selected, or the next one that still occurs.
    pub(super) fn list_methods_again(&mut self, remap: &mut Remap) {
        let Overlay::Methods(table) = &self.overlay else {
            return;
        };
        let view = self.view().uncollapsed();
        let is_group = table.is_grouped();
        let rows = table.rows().skip(table.cursor.selected);
        let selected = rows
            .filter_map(|row| remap.frame(row.sums.frame))
            .find(|&frame| !is_group && view.occurs(frame));
        let settings = MethodSettings {
            selected,
            ..table.settings.clone()
        };
        self.request_list_again(settings);
    }

    fn request_list_again(&mut self, settings: MethodSettings) {
        self.overlay = Overlay::None;
        self.settings.methods = settings;
        self.ask_for_methods();
    }

    /// The last line is for what no user code called.
    fn methods_area(&self) -> Area {
        let inner = self.layout.body.inner().below(1);
        Area {
            height: inner.height.saturating_sub(1),
            ..inner
        }
    }

    pub(super) fn act_in_methods(&mut self, action: Action) {
        let view = Arc::clone(self.view());
        let rows = self.methods_area();
        let Overlay::Methods(table) = &mut self.overlay else {
            return;
        };
        let len = table.row_count();
        let Some(action) = table.cursor.act(&action, len, rows) else {
            return;
        };
        if table.act(&action, &view, usize::from(rows.height)) {
            return;
        }
        let (is_group, is_on_rest) = (table.is_grouped(), table.is_on_rest());
        let name = |row: &ListedMethod| table.names(&view).frames.name(row.sums.frame);
        let selected = table.selected();
        let selected = selected.map(|row| (row.sums.frame, name(row).to_string()));
        match (&action, selected) {
            (Action::Back, _) => self.close_methods(),
            (Action::Flame, selected) => {
                let method = selected.filter(|_| !is_group);
                self.show_method_in_flame(method.map(|(frame, _)| frame));
            }
            (Action::Timeline, selected) => {
                self.close_methods();
                self.act_in_panels(action);
                if self.has_lanes() {
                    let listed = selected.filter(|_| !is_group);
                    self.page_mut().origin.listed = listed.map(|(frame, _)| frame);
                }
            }
            (Action::Help, _) => self.open_help(),
            (Action::Commands, _) => self.open_command_prompt(),
            (Action::NextMetric | Action::ToggleWaiting, _) => {
                self.close_methods();
                self.change_look(&action);
                self.ask_for_methods();
            }
            (Action::NextGroup, _) => {
                let group = next_or_none(&GroupBy::ALL, table.sums.request.group);
                let settings = table.regrouped(group, "");
                self.request_list_again(settings);
            }
            (Action::CommandLine, _) => {
                let command = self.command_line_of_methods();
                command.into_iter().for_each(|line| self.open_page(line));
            }
            (Action::Accept, Some((_, name))) if is_group => {
                // without a module or namespace there is nothing to filter by
                let name = if name.starts_with('[') { "" } else { &name };
                let settings = table.regrouped(None, name);
                self.request_list_again(settings);
            }
            (Action::CopyName, Some((_, name))) if is_group => self.copy_name(name),
            (Action::Method | Action::DropMethod | Action::Note, _) if is_group => {
                self.fail(messages::GROUP_IS_NO_METHOD);
            }
            (Action::Method | Action::DropMethod | Action::Note, None) if is_on_rest => {
                self.show_message(messages::REST_IS_NO_METHOD);
            }
            (_, Some((frame, _))) if !is_group => self.act_on_listed(frame, &action),
            _ => {}
        }
    }

    fn act_on_listed(&mut self, frame: FrameId, action: &Action) {
        match action {
            Action::CopyName => return self.copy_name(self.lens().full_frame_name(frame)),
            Action::Accept | Action::Method => self.close_methods(),
            _ => {}
        }
        match action {
            Action::Accept => {
                self.go_to_method(frame, self.tree().shown.root());
                self.remember(PreviousList::Methods(frame));
            }
            Action::Method => {
                self.ask_for_method(frame);
                self.pending.page_origin = Some(PageOrigin {
                    listed: Some(frame),
                    ..self.page_origin()
                });
            }
            Action::DropMethod => self.drop_method(frame),
            Action::Note => self.open_note_on(frame),
            _ => {}
        }
    }
}
