//! Overlays on top of the panes: the search, the export dialog, pages of text.

use super::picker::ThreadPicker;
use super::{Context, Field, Filter, ListCursor, MethodTable, messages, next_in};
use crate::analysis::Hotspot;
use crate::model::{FilterAction, FrameId, NodeId};
use crate::query::{Report, ReportForm};
use std::sync::Arc;

/// A method that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The method with its times over the whole profile.
    pub hotspot: Hotspot,
    /// The characters of its display name that the query matched, ascending.
    pub matched: Vec<usize>,
}

/// The answer to a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Findings {
    /// The query.
    pub query: String,
    /// How many methods match; there may be fewer rows.
    pub total: usize,
    /// Whether nothing matched exactly and these are the closest.
    pub is_approximate: bool,
    /// The best matches, best first.
    pub rows: Vec<SearchHit>,
}

/// The search dialog.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The typed text.
    pub field: Field,
    /// The latest answer.
    pub findings: Option<Arc<Findings>>,
    /// The cursor in the list of results.
    pub cursor: ListCursor,
    /// Whether enter was pressed before the results arrived; it then applies to the first row.
    pub takes_first: bool,
    /// The exact method to look for, if known; its row is selected when the results arrive.
    pub wanted: Option<FrameId>,
}

impl Search {
    pub fn selected(&self) -> Option<&SearchHit> {
        self.findings.as_ref()?.rows.get(self.cursor.selected)
    }

    /// Whether the shown answer belongs to the typed text.
    pub fn is_current(&self) -> bool {
        self.findings
            .as_ref()
            .is_some_and(|findings| findings.query == self.field.text())
    }
}

/// Whether to export one occurrence of a method or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OccurrenceChoice {
    /// The subtree that contains them.
    pub within: NodeId,
    /// How many there are; 1 if the node is not a method.
    pub count: usize,
    /// Whether all are exported as one tree.
    pub takes_all: bool,
    /// Their combined value in the shown metric, recursion counted once.
    pub inclusive: u64,
    /// `inclusive` without waiting, unless waiting counts.
    pub weight: u64,
}

/// What an export writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// The whole subtree, in the format of the file's extension.
    #[default]
    Tree,
    /// A report: the best explanation of the subtree within a number of tokens.
    Report(ReportForm),
    /// Its flame graph for a browser.
    Picture,
    /// A page for a browser.
    Page,
}

impl Content {
    /// All contents, in the order in which a key cycles through them.
    pub const ALL: [Content; 5] = [
        Content::Tree,
        Content::Report(ReportForm::Markdown),
        Content::Report(ReportForm::Json),
        Content::Picture,
        Content::Page,
    ];

    /// The content `step` entries after it, wrapping around.
    pub fn next(self, step: isize) -> Content {
        next_in(&Content::ALL, self, step)
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Content::Tree => "call tree",
            Content::Report(ReportForm::Markdown) => "report in Markdown",
            Content::Report(ReportForm::Json) => "report in JSON",
            Content::Picture => messages::CONTENT_PICTURE,
            Content::Page => messages::CONTENT_PAGE,
        }
    }

    /// The default file extension.
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

/// The settings of exports, until the user changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportSettings {
    pub content: Content,
    /// The maximum tokens of a report.
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

/// A preview of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Preview {
    /// Nothing: it is being computed, or no report is wanted.
    None,
    /// The result.
    Made(Report),
    /// The report failed, with a message.
    Failed(String),
}

/// The export dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The file's name.
    pub field: Field,
    /// What is written.
    pub settings: ExportSettings,
    /// The preview, if a report is written.
    pub preview: Preview,
    /// The subtree.
    pub node: NodeId,
    /// The occurrences of its method in the shown tree.
    pub occurrences: OccurrenceChoice,
    /// The existing file, while the question about overwriting it is open.
    pub asks_to_overwrite: Option<String>,
    /// The file that is being written.
    pub writing: Option<String>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// The dialog for a pattern that selects stacks or frames.
#[derive(Clone, Debug, Default)]
pub struct FilterPrompt {
    /// The pattern.
    pub field: Field,
    /// What happens to matches.
    pub action: FilterAction,
    /// How many methods match, if that can be counted quickly.
    pub matches: Option<usize>,
    /// What is wrong with the pattern.
    pub error: Option<String>,
}

/// The dialog in which a note on a method is written.
#[derive(Clone, Debug)]
pub struct NotePrompt {
    pub frame: FrameId,
    pub field: Field,
    /// Whether it asks for permission to write the notes file.
    pub asks_to_write: bool,
}

/// The command prompt.
#[derive(Debug, Default)]
pub struct CommandPrompt {
    /// What is typed.
    pub field: Field,
    /// The cursor in the list of matching commands.
    pub cursor: ListCursor,
    /// The overlay below it, which gets the keys back.
    pub behind: Overlay,
}

impl CommandPrompt {
    /// Replaces the typed text with a name.
    pub(super) fn complete(&mut self, name: &str) {
        (self.field, self.cursor) = (Field::new(name), ListCursor::default());
    }
}

/// A list over the panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// All views, with a line about each.
    Views,
    /// The steps that led to the current view.
    Breadcrumbs,
}

/// What a text page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// All commands, or those whose description or keys contain this text. It starts with those that matter most in the
    /// user's current context.
    Help(Filter),
    /// How the profile was recorded, its notes and its warnings.
    Notes,
    /// The command that prints what was on the screen.
    CommandLine {
        command: String,
        /// Parts of the screen that no command prints.
        without: Vec<String>,
    },
}

/// A text page over the panels.
#[derive(Debug)]
pub struct TextPage {
    /// What it is about.
    pub kind: PageKind,
    /// For notes: the facts about the recording and its events, which take a while to sum up.
    pub facts: Vec<(String, String)>,
    /// How many lines it is scrolled down. Drawing stops at its end.
    pub top: usize,
    /// The overlay below it, shown again when the page is closed.
    pub behind: Overlay,
}

/// What is shown over the panels.
#[derive(Debug, Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    Search(Search),
    Export(Export),
    /// The thread dialog.
    Threads(Box<ThreadPicker>),
    /// The dialog for a pattern.
    Filter(FilterPrompt),
    Methods(Box<MethodTable>),
    /// The command prompt.
    Command(Box<CommandPrompt>),
    /// The dialog for a note on a method.
    Note(NotePrompt),
    List(ListKind, ListCursor),
    Page(Box<TextPage>),
}

impl TextPage {
    /// Filters the commands on the help page by what is typed.
    pub(super) fn filter_again(&mut self) {
        if let PageKind::Help(filter) = &mut self.kind {
            filter.start();
        }
    }
}

impl Overlay {
    /// The context of keys while it is open.
    pub(super) fn context(&self) -> Context {
        match self {
            overlay if overlay.filter().is_some_and(Filter::is_typed) => Context::Filter,
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

    pub fn page(&self) -> Option<&TextPage> {
        if let Overlay::Page(page) = self {
            Some(page)
        } else {
            None
        }
    }

    /// The filter of the list.
    pub fn filter(&self) -> Option<&Filter> {
        match self {
            Overlay::Methods(table) => Some(&table.settings.filter),
            Overlay::Threads(picker) => Some(&picker.filter),
            Overlay::Page(page) => match &page.kind {
                PageKind::Help(filter) => Some(filter),
                PageKind::Notes | PageKind::CommandLine { .. } => None,
            },
            _ => None,
        }
    }

    /// Like [`Overlay::filter`], mutable.
    pub(super) fn filter_mut(&mut self) -> Option<&mut Filter> {
        match self {
            Overlay::Methods(table) => Some(&mut table.settings.filter),
            Overlay::Threads(picker) => Some(&mut picker.filter),
            Overlay::Page(page) => match &mut page.kind {
                PageKind::Help(filter) => Some(filter),
                PageKind::Notes | PageKind::CommandLine { .. } => None,
            },
            _ => None,
        }
    }
}

/// A file name for the export of a method with this display name: its last part in lower case, digits and dashes.
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
