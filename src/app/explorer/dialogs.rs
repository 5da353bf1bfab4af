//! What keys do while something lies over the panes: the search, the export dialog, pages.

use super::super::commands::Action;
use super::super::dialogs::{Export, Findings, Overlay, Search, file_name_for};
use super::super::field::Field;
use super::super::pages::page_lines;
use super::super::{Effect, ExportOutcome};
use super::{Explorer, Notice};
use crate::model::{FrameId, format};
use std::sync::Arc;

impl Explorer {
    pub(super) fn open_export(&mut self) {
        let node = self.subject();
        self.overlay = Overlay::Export(Export {
            field: Field::new(&file_name_for(self.profile.shown(node))),
            node,
            asks_to_overwrite: false,
            is_writing: false,
            error: None,
        });
    }

    pub(super) fn search_for(&mut self, frame: FrameId) -> Vec<Effect> {
        if !self.profile.frames.get(frame).kind.is_hotspot() {
            self.say("threads can't be searched for, methods can");
            return Vec::new();
        }
        let mut search = Search { field: Field::new(""), ..Search::default() };
        for c in format!("'{}", self.profile.frames.shown(frame)).chars() {
            search.field.insert(c);
        }
        let query = search.field.text().to_string();
        self.overlay = Overlay::Search(search);
        vec![Effect::Search { query, metric: self.metric }]
    }

    pub(super) fn act_in_search(&mut self, action: Action) -> Vec<Effect> {
        let height = usize::from(self.layout.overlay().inner().height).max(1);
        let Overlay::Search(search) = &mut self.overlay else { return Vec::new() };
        let len = search.findings.as_ref().map_or(0, |findings| findings.rows.len());
        let before = search.field.text().to_string();
        match action {
            Action::Back => self.overlay = Overlay::None,
            Action::Accept if !search.is_current() => search.takes_first = !search.field.text().is_empty(),
            Action::Accept => {
                if let Some(found) = search.selected() {
                    let frame = found.hotspot.frame;
                    self.overlay = Overlay::None;
                    self.go_to_method(frame, self.tree.root());
                }
            }
            Action::Rows(rows) => search.cursor.move_rows(rows, len, height),
            Action::HalfScreens(halves) => search.cursor.move_rows(halves * (height as isize) / 2, len, height),
            Action::Wheel(_, _, rows) => search.cursor.scroll(rows, len, height),
            Action::Click(x, y) => {
                let area = self.layout.overlay().inner();
                if area.contains(x, y) {
                    search.cursor.select(search.cursor.top + usize::from(y - area.y), len, height);
                }
            }
            Action::DoubleClick(x, y) if self.layout.overlay().inner().contains(x, y) => {
                return self.act_in_search(Action::Accept);
            }
            other => {
                search.takes_first = false;
                edit(&mut search.field, other);
            }
        }
        match &self.overlay {
            Overlay::Search(search) if search.field.text() != before => {
                vec![Effect::Search { query: search.field.text().to_string(), metric: self.metric }]
            }
            _ => Vec::new(),
        }
    }

    /// Takes the answer to a search; one to an earlier text is shown until the next comes.
    pub fn receive_findings(&mut self, findings: Arc<Findings>) {
        if let Overlay::Search(search) = &mut self.overlay {
            search.cursor = Default::default();
            search.findings = Some(findings);
            if search.takes_first && search.is_current() {
                self.act_in_search(Action::Accept);
            }
        }
    }

    pub(super) fn act_in_export(&mut self, action: Action) -> Vec<Effect> {
        let metric = self.metric;
        let Overlay::Export(export) = &mut self.overlay else { return Vec::new() };
        if export.is_writing && action != Action::Back {
            return Vec::new();
        }
        match action {
            Action::Accept => {
                let file = export.field.text().trim().to_string();
                if file.is_empty() {
                    export.error = Some("a file name is needed".into());
                    return Vec::new();
                }
                let overwrite = std::mem::take(&mut export.asks_to_overwrite);
                export.is_writing = true;
                export.error = None;
                return vec![Effect::Export { file, node: export.node, metric, overwrite }];
            }
            Action::Refuse => export.asks_to_overwrite = false,
            Action::Back => self.overlay = Overlay::None,
            other => {
                export.error = None;
                edit(&mut export.field, other);
            }
        }
        Vec::new()
    }

    /// Takes what became of an export.
    pub fn receive_export(&mut self, outcome: ExportOutcome) {
        use ExportOutcome::{Exists, Failed, Written};
        match (outcome, &mut self.overlay) {
            (Written { file, size_bytes, nodes }, overlay) => {
                if matches!(overlay, Overlay::Export(_)) {
                    self.overlay = Overlay::None;
                }
                let nodes = format::thousands(nodes as u64);
                self.say(format!("wrote {file}: {nodes} nodes, {}", format::size(size_bytes)));
            }
            (Exists, Overlay::Export(export)) => {
                export.is_writing = false;
                export.asks_to_overwrite = true;
            }
            (Failed(sentence), Overlay::Export(export)) => {
                export.is_writing = false;
                export.error = Some(sentence);
            }
            (Failed(sentence), _) => self.notice = Some(Notice { text: sentence, is_error: true }),
            (Exists, _) => {}
        }
    }

    pub(super) fn act_in_page(&mut self, action: Action) -> Vec<Effect> {
        let area = self.layout.overlay().inner();
        let Overlay::Page(kind, _) = self.overlay else { return Vec::new() };
        let lines = page_lines(&self.profile, kind, usize::from(area.width)).len();
        let (height, last) = (area.height as isize, lines.saturating_sub(usize::from(area.height)));
        let Overlay::Page(_, top) = &mut self.overlay else { return Vec::new() };
        match action {
            Action::Rows(rows) | Action::Wheel(_, _, rows) => *top = top.saturating_add_signed(rows),
            Action::HalfScreens(halves) => *top = top.saturating_add_signed(halves * height / 2),
            Action::First => *top = 0,
            Action::Last => *top = last,
            Action::Back => {
                self.overlay = Overlay::None;
                return Vec::new();
            }
            _ => {}
        }
        *top = (*top).min(last);
        Vec::new()
    }
}

/// Does what an action means to a field of text.
fn edit(field: &mut Field, action: Action) {
    match action {
        Action::Type(c) => field.insert(c),
        Action::Paste(text) => text.chars().for_each(|c| field.insert(c)),
        Action::Backspace => field.backspace(),
        Action::DeleteWord => field.delete_word(),
        Action::DeleteLine => field.delete_line(),
        Action::Cursor(by) => field.move_cursor(by),
        _ => {}
    }
}
