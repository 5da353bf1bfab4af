//! Key handling in overlays: the search, pages of text.

use super::super::scrolled;
use crate::app::pages::page_lines;
use crate::app::{
    Action, Context, Effect, Explorer, Field, Filter, Findings, Overlay, PageKind, Search,
    TextPage, messages,
};
use crate::model::FrameId;
use crate::query::facts_and_markers;
use std::sync::Arc;

impl Explorer {
    pub(super) fn search_for(&mut self, frame: FrameId) {
        let frames = &self.view().frames;
        if !frames.get(frame).kind.is_code() {
            return self.show_message(messages::CANT_SEARCH_THREADS);
        }
        let words = frames.display_name(frame).split(' ');
        let words: Vec<String> = words.map(|word| format!("'{word}")).collect();
        let query = words.join(" ");
        self.overlay = Overlay::Search(Search {
            field: Field::new(&query),
            preselected: Some(frame),
            ..Search::default()
        });
        self.search(query)
    }

    pub(super) fn search(&mut self, query: String) {
        let metric = self.lens().metric;
        self.ask(Effect::Search { query, metric });
    }

    pub(super) fn act_in_search(&mut self, action: Action) {
        let (rows, root) = (self.layout.body.inner(), self.tree().shown.root());
        let Overlay::Search(search) = &mut self.overlay else {
            return;
        };
        let findings = search.findings.as_ref();
        let len = findings.map_or(0, |findings| findings.rows.len());
        let Some(action) = search.cursor.act(&action, len, rows) else {
            return;
        };
        match action {
            Action::Back => self.overlay = Overlay::None,
            // nothing was searched for, or nothing is found yet
            Action::Accept if !search.is_current() => {
                search.takes_first = !search.field.text().is_empty()
            }
            Action::Accept => {
                if let Some(found) = search.selected() {
                    let frame = found.hotspot.frame;
                    let query = search.field.text().to_string();
                    let found: Vec<FrameId> = (search.findings.iter())
                        .flat_map(|findings| findings.rows.iter().map(|row| row.hotspot.frame))
                        .collect();
                    self.overlay = Overlay::None;
                    self.go_to_method(frame, root);
                    self.highlight(&query, &found);
                }
            }
            typed => {
                let before = search.field.text().to_string();
                search.field.edit(typed);
                let query = search.field.text().to_string();
                if query == before {
                    return;
                }
                (search.takes_first, search.preselected) = (false, None);
                if query.is_empty() {
                    search.findings = None;
                    return;
                }
                self.search(query)
            }
        }
    }

    /// A result for older text is shown until the next arrives; one for a search that was closed is not.
    pub fn receive_findings(&mut self, findings: Arc<Findings>) {
        let height = usize::from(self.layout.body.inner().height).max(1);
        let Overlay::Search(search) = &mut self.overlay else {
            return;
        };
        let text = search.field.text();
        if text.is_empty()
            || findings.query.is_empty()
            || !(text.starts_with(&findings.query) || findings.query.starts_with(text))
        {
            return;
        }
        let mut frames = findings.rows.iter().map(|row| row.hotspot.frame);
        let preselected = frames.position(|frame| Some(frame) == search.preselected);
        search.cursor = Default::default();
        let (row, len) = (preselected.unwrap_or(0), findings.rows.len());
        search.cursor.select(row, len, height);
        search.findings = Some(findings);
        if !(search.takes_first && search.is_current()) {
            return;
        }
        self.act_in_search(Action::Accept);
        self.refresh();
    }

    pub fn fail(&mut self, text: impl AsRef<str>) {
        self.show_message(text);
        if let Some(notice) = &mut self.notice {
            notice.is_error = true;
        }
    }

    pub(super) fn open_page(&mut self, kind: PageKind) {
        let behind = std::mem::take(&mut self.overlay);
        self.overlay = Overlay::Page(Box::new(TextPage {
            kind,
            top: 0,
            behind,
        }));
    }

    pub(super) fn open_notes(&mut self) {
        let facts = facts_and_markers(self.view()).into_iter();
        let facts = facts.map(|(name, text)| (name.to_string(), text.into_owned()));
        self.open_page(PageKind::Notes(facts.collect()));
    }

    pub(super) fn open_help(&mut self) {
        self.open_page(PageKind::Help(Filter {
            is_typed: true,
            ..Filter::default()
        }));
    }

    pub(super) fn act_in_page(&mut self, action: Action) {
        let area = self.layout.body.inner();
        let lines = page_lines(self, usize::from(area.width)).len();
        let last = lines.saturating_sub(usize::from(area.height));
        let Overlay::Page(page) = &mut self.overlay else {
            return;
        };
        let Some(top) = scrolled(&action, page.top, area.height as isize) else {
            return self.act_on_page(action);
        };
        page.top = top.min(last);
    }

    fn act_on_page(&mut self, action: Action) {
        match (action, self.overlay.filter_mut()) {
            (Action::Search, Some(filter)) => filter.is_typed = true,
            (Action::Back, Some(filter)) if filter.is_shown() => filter.clear(),
            (Action::Back, _) => self.close_overlay(),
            (Action::CopyName, _) => {
                if let Some(PageKind::CommandLine { command, .. }) =
                    self.overlay.page().map(|page| page.kind.clone())
                {
                    self.close_overlay();
                    self.copy(command, "copied the command");
                }
            }
            _ => {}
        }
    }

    /// What is behind it is shown again.
    pub(super) fn close_overlay(&mut self) {
        let behind = self.overlay.behind_mut().map(std::mem::take);
        self.overlay = behind.unwrap_or_default();
    }

    pub(super) fn act_in_filter(&mut self, action: Action) {
        if matches!(
            action,
            Action::Rows(_) | Action::HalfScreens(_) | Action::Wheel(..)
        ) {
            return self.act_in_filtered(action);
        }
        let (is_page, keymap) = (self.overlay.page().is_some(), Arc::clone(&self.keymap));
        let Some(filter) = self.overlay.filter_mut() else {
            return;
        };
        // the key that opened the page closes it
        let is_way_out = match action {
            Action::Type(c) => keymap.runs(Context::Explorer, &c.to_string(), &Action::Help),
            _ => matches!(action, Action::Back | Action::Backspace),
        };
        if is_page && filter.text().is_empty() && is_way_out {
            return self.close_overlay();
        }
        // typing filters without it
        let is_slash = matches!(action, Action::Type(c) if keymap.runs(Context::Page, &c.to_string(), &Action::Search));
        if is_page && filter.text().is_empty() && is_slash {
            return;
        }
        if !filter.act(action) {
            return;
        }
        let (view, body) = (Arc::clone(self.view()), self.layout.body);
        match &mut self.overlay {
            Overlay::Methods(table) => table.refilter(&view),
            Overlay::Threads(picker) => {
                picker.refilter(usize::from(picker.layout(body).rows.height))
            }
            Overlay::Page(page) => {
                page.top = 0;
                // what is typed next starts a new filter
                if let PageKind::Help(filter) = &mut page.kind {
                    filter.is_typed = true;
                }
            }
            _ => {}
        }
    }

    fn act_in_filtered(&mut self, action: Action) {
        match self.overlay {
            Overlay::Methods(_) => self.act_in_methods(action),
            Overlay::Threads(_) => self.act_in_picker(action),
            _ => self.act_in_page(action),
        }
    }
}
