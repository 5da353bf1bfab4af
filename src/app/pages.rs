//! Text pages that can be scrolled: help and notes.

use super::{Command, Context, Explorer, Filter, Keymap, Overlay, PageKind, TextPage, messages};
use crate::diagnostics::{Diagnostic, Severity, WAITING_KEY_OR_FLAG};
use crate::text::{self, fit_end, visible, wrap};
use crate::units::thousands;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageLine {
    Heading(String),
    /// Padded keys and what they do, or a continuation line.
    Command(String, String),
    /// Text that fits the page.
    Text(String),
    /// Lines side by side, each this many cells wide.
    Columns(Vec<PageLine>, usize),
}

pub fn page_lines(explorer: &Explorer, width: usize) -> Vec<PageLine> {
    let lines = |page: &TextPage| match &page.kind {
        PageKind::Help(filter) => help_lines(explorer, &page.behind, filter, width),
        PageKind::Notes(facts) => note_lines(explorer, facts, width),
        PageKind::CommandLine { command, without } => {
            let keys = explorer.keymap.fill(messages::COMMAND_LINE_KEYS);
            command_lines(command, without, keys, width)
        }
    };
    explorer.overlay.page().map(lines).unwrap_or_default()
}

fn command_lines(command: &str, without: &[String], keys: String, width: usize) -> Vec<PageLine> {
    let leaves_out = messages::command_leaves_out(&visible(&without.join(", ")));
    let leaves_out = (!without.is_empty()).then_some(leaves_out);
    let blank = || PageLine::Text(String::new());
    let mut lines = vec![blank()];
    let command = visible(command).into_owned();
    for text in [command].into_iter().chain(leaves_out) {
        let wrapped = wrap(&text, width.saturating_sub(4)).into_iter();
        lines.extend(wrapped.map(|line| PageLine::Text(format!("  {line}"))));
        lines.push(blank());
    }
    lines.push(PageLine::Text(keys));
    lines
}

/// Warnings come first: the warning sign is what brings users here.
fn note_lines(explorer: &Explorer, facts: &[(String, String)], width: usize) -> Vec<PageLine> {
    let view = explorer.view();
    let kind = view.recording.source.kind;
    let remarks = view.notes().map(|remark| diagnostic_text(explorer, remark));
    let about = [kind.about().to_string()].into_iter().chain(remarks);
    let about = section(&format!("Kind: {}", kind.name()), about, width);
    let alerts = |severity, heading| {
        let alerts = view.alerts().filter(|alert| alert.severity() == severity);
        let alerts = alerts.map(|alert| diagnostic_text(explorer, alert));
        section(heading, alerts, width)
    };
    let warnings = alerts(Severity::Warning, messages::TITLE_WARNINGS);
    let cautions = alerts(Severity::Caution, messages::TITLE_CAUTIONS);
    let none = || section(messages::TITLE_WARNINGS, ["there are none".into()], width);
    let [first, second, third] = match view.alerts().next() {
        Some(_) => [warnings, cautions, about],
        None => [about, none(), Vec::new()],
    };
    let config = explorer.config_problems.iter().cloned();
    let config = section(messages::TITLE_CONFIGURATION, config, width);
    let notes = method_note_lines(explorer, width);
    let facts = fact_lines(facts, width);
    let sections = [config, first, second, third, notes, facts];
    let mut lines = Vec::new();
    for section in sections.into_iter().filter(|section| !section.is_empty()) {
        if !lines.is_empty() {
            lines.push(PageLine::Text(String::new()));
        }
        lines.extend(section);
    }
    lines
}

fn diagnostic_text(explorer: &Explorer, diagnostic: &Diagnostic) -> String {
    let key_or_flag = explorer.keymap.fill("⟦toggle-waiting⟧ or --waiting");
    let sentence = diagnostic.to_string();
    let sentence = sentence.replace(WAITING_KEY_OR_FLAG, &key_or_flag);
    diagnostic.with_code(&sentence)
}

/// The page is rebuilt with every draw.
const MAX_NOTES: usize = 200;

const MAX_NOTE_CELLS: usize = 600;

fn method_note_lines(explorer: &Explorer, width: usize) -> Vec<PageLine> {
    let (lens, frames) = (explorer.lens(), &explorer.view().frames);
    let all = || lens.notes.iter();
    let notes = all().take(MAX_NOTES).map(|(method, note)| {
        let name = match frames.with_key(method) {
            Some(frame) => lens.list_name(frame).into_owned(),
            None => method.name.clone(),
        };
        fit_end(&format!("{name}: {note}"), MAX_NOTE_CELLS)
    });
    let more = all().count().saturating_sub(MAX_NOTES);
    let more = (more > 0).then(|| messages::more_notes(&thousands(more as u64)));
    section(messages::TITLE_NOTES, notes.chain(more), width)
}

fn fact_lines(facts: &[(String, String)], width: usize) -> Vec<PageLine> {
    let labels = facts.iter().map(|(name, _)| text::width(name));
    let Some(label) = labels.max() else {
        return Vec::new();
    };
    let mut lines = vec![PageLine::Heading(messages::TITLE_INFO.into())];
    for (name, text) in facts {
        let parts = labeled(name, &visible(text), width.saturating_sub(label + 2));
        let line = |(name, part)| PageLine::Text(format!("{name:<label$}  {part}"));
        lines.extend(parts.map(line));
    }
    lines
}

fn labeled<'a>(
    label: &'a str,
    text: &str,
    room: usize,
) -> impl Iterator<Item = (&'a str, String)> + use<'a> {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels.zip(wrap(text, room))
}

/// A heading and sentences with bullets; nothing if there are no sentences.
fn section(
    heading: &str,
    sentences: impl IntoIterator<Item = String>,
    width: usize,
) -> Vec<PageLine> {
    let mut lines = Vec::new();
    for sentence in sentences {
        if lines.is_empty() {
            lines.push(PageLine::Heading(heading.into()));
        }
        let wrapped = labeled("•", &visible(&sentence), width.saturating_sub(2));
        lines.extend(wrapped.map(|(mark, line)| PageLine::Text(format!("{mark:1} {line}"))));
    }
    lines
}

/// In the order of the help page.
const SECTIONS: [(Context, &str); 16] = [
    (Context::Explorer, "Tree and hotspots"),
    (Context::Search, "Search"),
    (Context::Threads, messages::IN_THREAD_LIST),
    (Context::Methods, messages::IN_METHOD_LIST),
    (Context::Filter, messages::IN_LIST_FILTER),
    (Context::Command, messages::IN_COMMAND_LINE),
    (Context::Prompt, "Export"),
    (Context::Writing, messages::WHILE_WRITING),
    (Context::Confirm, messages::IN_OVERWRITE_QUESTION),
    (Context::Pattern, "Patterns"),
    (Context::Note, "Notes on methods"),
    (Context::Consent, messages::IN_NOTES_QUESTION),
    (Context::List, messages::IN_VIEW_AND_STEP_LISTS),
    (Context::Page, messages::IN_PAGES),
    (Context::Loading, messages::WHILE_LOADING),
    (Context::Failed, messages::WHEN_OPENING_FAILED),
];

/// The maximum width of the key column; more keys continue on the next line.
const MAX_KEY_CELLS: usize = 20;

const MARKS: [(&str, &str); 11] = [
    ("▸ ▾", messages::MARK_EXPANDER),
    ("‹35", messages::MARK_HIDDEN_LEVELS),
    ("~", messages::MARK_FEW_SAMPLES),
    ("±38 %", messages::MARK_ERROR),
    ("●", messages::MARK_SIGNIFICANT),
    ("waits", messages::MARK_ALL_WAITING),
    ("bold, dim", messages::MARK_CODE_KINDS),
    ("[…]", messages::MARK_PSEUDO_FRAME),
    ("…+37", messages::MARK_NARROW_CALLEES),
    ("✎", messages::MARK_NOTE),
    ("⚠", messages::MARK_WARNINGS),
];

const CARD_LINES: usize = 7;
/// The minimum column widths of the card and of the list of commands.
const CARD_CELLS: usize = 22;
const HELP_CELLS: usize = 62;

pub(super) fn context_title(context: Context) -> &'static str {
    let title = SECTIONS.iter().find(|(known, _)| *known == context);
    title.map_or("", |(_, title)| title)
}

/// The start of help: what matters most here, and what is useful everywhere.
fn card(
    keymap: &Keymap,
    here: &str,
    commands: &[(&Command, String)],
    width: usize,
) -> Vec<PageLine> {
    let mut lines = vec![PageLine::Heading(here.into())];
    let first = &commands[..commands.len().min(CARD_LINES)];
    let room = width.saturating_sub(CARD_KEY_CELLS + 3);
    for (command, doc) in first {
        let key = card_key(keymap, command);
        lines.push(PageLine::Command(key, fit_end(doc, room)));
    }
    let is_here = |other: &Command| first.iter().any(|(command, _)| command.name == other.name);
    let others = keymap.with_hints(Context::Explorer);
    let others = others.filter(|command| !is_here(command));
    let cell = |command| PageLine::Command(card_key(keymap, command), command.hint.into());
    let columns = (width / CARD_CELLS).clamp(1, 6);
    lines.extend(in_rows(others.map(cell).collect(), columns, width));
    lines
}

const CARD_KEY_CELLS: usize = 3;

/// The shortest key; the list has the others.
fn card_key(keymap: &Keymap, command: &Command) -> String {
    let keys = command.keys.iter().map(|key| keymap.label(key));
    let key = keys.min_by_key(|key| text::width(key)).unwrap_or_default();
    let fill = CARD_KEY_CELLS.saturating_sub(text::width(&key));
    format!("  {key}{} ", " ".repeat(fill))
}

/// Columns are read from top to bottom.
fn in_rows(lines: Vec<PageLine>, columns: usize, width: usize) -> Vec<PageLine> {
    if columns < 2 {
        return lines;
    }
    let rows = lines.len().div_ceil(columns).max(1);
    let row = |row: usize| {
        let cells = lines.iter().skip(row).step_by(rows).cloned();
        PageLine::Columns(cells.collect(), width / columns)
    };
    (0..rows).map(row).collect()
}

/// The card and the marks, then all commands, those of the current context first; with a filter, only the commands that match.
fn help_lines(
    explorer: &Explorer,
    behind: &Overlay,
    filter: &Filter,
    width: usize,
) -> Vec<PageLine> {
    let keymap = &explorer.keymap;
    let filter = filter.text();
    let lowercase = filter.to_lowercase();
    let matches = |command: &Command| {
        keymap.doc(command).to_lowercase().contains(&lowercase)
            || command.keys.iter().any(|key| keymap.label(key) == filter)
    };
    let mut lines = Vec::new();
    if lowercase.is_empty() {
        let (heading, commands) = commands_here(explorer, behind);
        lines = card(keymap, heading, &commands, width);
        lines.extend(legend(keymap, width));
        lines.push(PageLine::Text(String::new()));
    }
    let columns = (width / HELP_CELLS).clamp(1, 3);
    let cells = width / columns - usize::from(columns > 1);
    let mut sections = SECTIONS;
    sections.sort_by_key(|&(context, _)| context != behind.context());
    let mut all = Vec::new();
    for (context, title) in sections {
        let commands = keymap.of(context).filter(|command| matches(command));
        let mut commands = commands.peekable();
        if commands.peek().is_some() {
            push_heading(&mut all, title);
        }
        commands.for_each(|command| push_command(&mut all, keymap, command, cells));
    }
    if all.is_empty() {
        let sentence = keymap.fill(messages::NO_COMMAND_MATCHES);
        all.push(PageLine::Text(sentence));
    }
    lines.extend(in_rows(all, columns, width));
    lines
}

fn commands_here<'a>(
    explorer: &'a Explorer,
    behind: &Overlay,
) -> (&'static str, Vec<(&'a Command, String)>) {
    let keymap = &*explorer.keymap;
    if let Overlay::None = behind {
        let help = explorer.page().focused().get().help();
        let commands = help.commands.iter().filter_map(|&(name, doc)| {
            let command = keymap.named(name)?;
            let doc = if doc.is_empty() { command.doc } else { doc };
            Some((command, keymap.fill(doc)))
        });
        return (help.heading, commands.collect());
    }
    let hinted = keymap.with_hints(behind.context());
    let hinted = hinted.map(|command| (command, keymap.doc(command)));
    (context_title(behind.context()), hinted.collect())
}

/// A heading, with a blank line above if it is not the first.
fn push_heading(lines: &mut Vec<PageLine>, title: &str) {
    if !lines.is_empty() {
        lines.push(PageLine::Text(String::new()));
    }
    lines.push(PageLine::Heading(title.into()));
}

fn push_command(lines: &mut Vec<PageLine>, keymap: &Keymap, command: &Command, width: usize) {
    let (keys, doc) = (command.keys.iter(), keymap.doc(command));
    let keys: Vec<String> = keys.map(|key| keymap.label(key)).collect();
    let key_cells = key_cells(width);
    let mut keys = wrap(&keys.join(" "), key_cells).into_iter();
    let mut docs = wrap(&doc, width.saturating_sub(key_cells + 4)).into_iter();
    for _ in 0..keys.len().max(docs.len()) {
        let key = keys.next().unwrap_or_default();
        let doc = docs.next().unwrap_or_default();
        lines.push(in_columns(&key, doc, width));
    }
}

fn key_cells(width: usize) -> usize {
    MAX_KEY_CELLS.min(width / 3)
}

fn in_columns(left: &str, right: String, width: usize) -> PageLine {
    let fill = key_cells(width).saturating_sub(text::width(left));
    PageLine::Command(format!("  {left}{}  ", " ".repeat(fill)), right)
}

fn legend(keymap: &Keymap, width: usize) -> Vec<PageLine> {
    let mut lines = vec![
        PageLine::Text(String::new()),
        PageLine::Heading("Marks".into()),
    ];
    for (mark, meaning) in MARKS {
        let room = width.saturating_sub(key_cells(width) + 4);
        let meaning = labeled(mark, &keymap.fill(meaning), room);
        lines.extend(meaning.map(|(mark, line)| in_columns(mark, line, width)));
    }
    push_heading(&mut lines, "Mouse");
    let mouse = messages::ABOUT_MOUSE;
    lines.extend(wrap(mouse, width).into_iter().map(PageLine::Text));
    lines
}
