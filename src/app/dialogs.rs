//! Overlays on top of the panels.

use super::picker::ThreadPicker;
use super::{Context, Field, Filter, ListCursor, MethodTable, messages, next_in};
use crate::analysis::Hotspot;
use crate::model::{FilterAction, FrameId, NodeId};
use crate::query::{Report, ReportForm};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// Its times are those of the whole profile.
    pub hotspot: Hotspot,
    /// The matched characters of its display name, ascending.
    pub matched: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    pub query: String,
    /// How many methods match; there may be fewer rows.
    pub total: usize,
    pub is_approximate: bool,
    pub rows: Vec<SearchHit>,
}

#[derive(Clone, Debug, Default)]
pub struct Search {
    pub field: Field,
    pub findings: Option<Arc<Findings>>,
    pub cursor: ListCursor,
    /// Enter was pressed before the results arrived.
    pub takes_first: bool,
    pub preselected: Option<FrameId>,
}

impl Search {
    pub fn selected(&self) -> Option<&SearchHit> {
        self.findings.as_ref()?.rows.get(self.cursor.selected)
    }

    pub fn is_current(&self) -> bool {
        self.findings
            .as_ref()
            .is_some_and(|findings| findings.query == self.field.text())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OccurrenceChoice {
    pub within: NodeId,
    /// 1 if the node is not a method.
    pub count: usize,
    pub takes_all: bool,
    /// Recursion is counted once.
    pub inclusive: u64,
    /// `inclusive` without waiting, unless waiting counts.
    pub weight: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    #[default]
    Tree,
    Report(ReportForm),
    Picture,
    Page,
}

impl Content {
    pub const ALL: [Content; 5] = [
        Content::Tree,
        Content::Report(ReportForm::Markdown),
        Content::Report(ReportForm::Json),
        Content::Picture,
        Content::Page,
    ];

    pub fn next(self, step: isize) -> Content {
        next_in(&Content::ALL, self, step)
    }

    pub fn name(self) -> &'static str {
        match self {
            Content::Tree => "call tree",
            Content::Report(ReportForm::Markdown) => "report in Markdown",
            Content::Report(ReportForm::Json) => "report in JSON",
            Content::Picture => messages::CONTENT_PICTURE,
            Content::Page => messages::CONTENT_PAGE,
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            Content::Tree => ".json",
            Content::Report(ReportForm::Markdown) => ".report.md",
            Content::Report(ReportForm::Json) => ".report.json",
            Content::Picture => ".svg",
            Content::Page => ".html",
        }
    }
}

/// The report budgets that a key steps through, in tokens.
pub const REPORT_BUDGETS: [usize; 6] = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportSettings {
    pub content: Content,
    pub budget: usize,
}

impl Default for ExportSettings {
    fn default() -> ExportSettings {
        ExportSettings {
            content: Content::default(),
            budget: 2_000,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    pub field: Field,
    pub settings: ExportSettings,
    /// `None` until it is computed.
    pub preview: Option<Result<Report, String>>,
    pub node: NodeId,
    pub occurrences: OccurrenceChoice,
    pub asks_to_overwrite: Option<String>,
    pub writing: Option<String>,
    pub error: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct FilterPrompt {
    pub field: Field,
    pub action: FilterAction,
    /// `None` if counting takes too long.
    pub matches: Option<usize>,
    pub error: Option<String>,
}

#[derive(Debug)]
pub struct NotePrompt {
    pub frame: FrameId,
    pub field: Field,
    pub asks_to_write: bool,
    pub behind: Overlay,
}

#[derive(Debug, Default)]
pub struct CommandPrompt {
    pub field: Field,
    pub cursor: ListCursor,
    pub behind: Overlay,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    Views,
    Breadcrumbs,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageKind {
    Help(Filter),
    /// Facts about the recording take a while to sum up.
    Notes(Vec<(String, String)>),
    CommandLine {
        command: String,
        without: Vec<String>,
    },
}

#[derive(Debug)]
pub struct TextPage {
    pub kind: PageKind,
    /// Drawing stops at its end.
    pub top: usize,
    pub behind: Overlay,
}

#[derive(Debug, Default)]
pub enum Overlay {
    #[default]
    None,
    Search(Search),
    Export(Export),
    Threads(Box<ThreadPicker>),
    Filter(FilterPrompt),
    Methods(Box<MethodTable>),
    Command(Box<CommandPrompt>),
    Note(Box<NotePrompt>),
    List(ListKind, ListCursor),
    Page(Box<TextPage>),
}

impl Overlay {
    pub(super) fn context(&self) -> Context {
        match self {
            overlay if overlay.filter().is_some_and(|filter| filter.is_typed) => Context::Filter,
            Overlay::None => Context::Explorer,
            Overlay::Search(_) => Context::Search,
            Overlay::Filter(_) => Context::Pattern,
            Overlay::Note(prompt) if prompt.asks_to_write => Context::Consent,
            Overlay::Note(_) => Context::Note,
            Overlay::Methods(_) => Context::Methods,
            Overlay::Command(_) => Context::Command,
            Overlay::List(..) => Context::List,
            Overlay::Export(export) if export.asks_to_overwrite.is_some() => Context::Confirm,
            Overlay::Export(export) if export.writing.is_some() => Context::Writing,
            Overlay::Export(_) => Context::Prompt,
            Overlay::Threads(_) => Context::Threads,
            Overlay::Page(_) => Context::Page,
        }
    }

    pub(super) fn behind_mut(&mut self) -> Option<&mut Overlay> {
        match self {
            Overlay::Note(prompt) => Some(&mut prompt.behind),
            Overlay::Command(prompt) => Some(&mut prompt.behind),
            Overlay::Page(page) => Some(&mut page.behind),
            _ => None,
        }
    }

    pub fn page(&self) -> Option<&TextPage> {
        match self {
            Overlay::Page(page) => Some(page),
            _ => None,
        }
    }

    pub fn filter(&self) -> Option<&Filter> {
        match self {
            Overlay::Methods(table) => Some(&table.settings.filter),
            Overlay::Threads(picker) => Some(&picker.filter),
            Overlay::Page(page) => match &page.kind {
                PageKind::Help(filter) => Some(filter),
                PageKind::Notes(_) | PageKind::CommandLine { .. } => None,
            },
            _ => None,
        }
    }

    pub(super) fn filter_mut(&mut self) -> Option<&mut Filter> {
        match self {
            Overlay::Methods(table) => Some(&mut table.settings.filter),
            Overlay::Threads(picker) => Some(&mut picker.filter),
            Overlay::Page(page) => match &mut page.kind {
                PageKind::Help(filter) => Some(filter),
                PageKind::Notes(_) | PageKind::CommandLine { .. } => None,
            },
            _ => None,
        }
    }
}

pub fn file_name_for(shown: &str, extension: &str) -> String {
    let own_part = shown.split(" (").next().unwrap_or(shown);
    let last = own_part
        .rsplit('.')
        .find(|part| part.chars().any(char::is_alphanumeric))
        .unwrap_or("");
    let mut name = String::new();
    for c in last.chars().take(60) {
        if c.is_alphanumeric() {
            name.extend(c.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        format!("subtree{extension}")
    } else {
        format!("{name}{extension}")
    }
}

#[cfg(test)]
mod tests;
