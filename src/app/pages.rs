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

/// `width` cells wide.
pub fn page_lines(explorer: &Explorer, width: usize) -> Vec<PageLine> {
    let lines = |page: &TextPage| match &page.kind {
        PageKind::Help(filter) => help_lines(explorer, &page.behind, filter, width),
        PageKind::Notes => note_lines(explorer, &page.facts, width),
        PageKind::CommandLine { command, without } => {
            let keys = explorer.keymap.fill(messages::COMMAND_LINE_KEYS);
            command_lines(command, without, keys, width)
        }
    };
    explorer.overlay.page().map(lines).unwrap_or_default()
}

/// The command that prints what is on the screen, and what it can't print.
fn command_lines(command: &str, without: &[String], keys: String, width: usize) -> Vec<PageLine> {
    let leaves_out = messages::command_leaves_out(&visible(&without.join(", ")));
    let leaves_out = (!without.is_empty()).then_some(leaves_out);
    let blank = || PageLine::Text(String::new());
    let mut lines = vec![blank()];
    for text in [visible(command).into_owned()]
        .into_iter()
        .chain(leaves_out)
    {
        let wrapped = wrap(&text, width.saturating_sub(4)).into_iter();
        lines.extend(wrapped.map(|line| PageLine::Text(format!("  {line}"))));
        lines.push(blank());
    }
    lines.push(PageLine::Text(keys));
    lines
}

/// Warnings first, because the warning sign is what brings users here.
fn note_lines(explorer: &Explorer, facts: &[(String, String)], width: usize) -> Vec<PageLine> {
    let view = explorer.view();
    let kind = view.recording.source.kind;
    let mut about = vec![PageLine::Heading(format!("Kind: {}", kind.name()))];
    let remarks = view.notes().map(|remark| said(explorer, remark));
    about.extend(bullets(
        [kind.about().to_string()].into_iter().chain(remarks),
        width,
    ));
    let blank = PageLine::Text(String::new());
    let (mut warnings, has_warnings) = (Vec::new(), view.alerts().next().is_some());
    let headings = [
        (Severity::Warning, messages::TITLE_WARNINGS),
        (Severity::Caution, messages::TITLE_CAUTIONS),
    ];
    for (severity, heading) in headings {
        let of_severity = view.alerts().filter(|alert| alert.severity() == severity);
        let said: Vec<String> = of_severity.map(|alert| said(explorer, alert)).collect();
        if !said.is_empty() {
            let space = (!warnings.is_empty()).then(|| blank.clone());
            warnings.extend(space.into_iter().chain([PageLine::Heading(heading.into())]));
            warnings.extend(bullets(said, width));
        }
    }
    if !has_warnings {
        warnings.push(PageLine::Heading(messages::TITLE_WARNINGS.into()));
        warnings.extend(bullets(["there are none".to_string()], width));
    }
    let [first, second] = match has_warnings {
        true => [warnings, about],
        false => [about, warnings],
    };
    let mut config: Vec<PageLine> =
        bullets(explorer.config_problems.iter().cloned(), width).collect();
    if !config.is_empty() {
        config.insert(0, PageLine::Heading(messages::TITLE_CONFIGURATION.into()));
        config.push(blank.clone());
    }
    let lines = config.into_iter().chain(first).chain([blank]).chain(second);
    lines
        .chain(method_note_lines(explorer, width))
        .chain(fact_lines(facts, width))
        .collect()
}

/// With the key that does what it advises, and its code.
fn said(explorer: &Explorer, diagnostic: &Diagnostic) -> String {
    let key_or_flag = explorer.keymap.fill("⟦toggle-waiting⟧ or --waiting");
    let sentence = diagnostic.to_string();
    let sentence = sentence.replace(WAITING_KEY_OR_FLAG, &key_or_flag);
    format!("{sentence} [{}]", diagnostic.code())
}

/// The page is rebuilt with every draw.
const MAX_NOTES: usize = 200;

const MAX_NOTE_CELLS: usize = 600;

/// After an empty line.
fn method_note_lines(explorer: &Explorer, width: usize) -> Vec<PageLine> {
    let (lens, frames) = (explorer.lens(), &explorer.view().frames);
    let all = || lens.notes.iter();
    let notes = all().take(MAX_NOTES).map(|(method, note)| {
        let frame = frames.with_key(method);
        let name = frame.map_or_else(
            || method.name.clone(),
            |frame| lens.list_name(frame).into_owned(),
        );
        fit_end(&format!("{name}: {note}"), MAX_NOTE_CELLS)
    });
    let more = all().count().saturating_sub(MAX_NOTES);
    let more = (more > 0).then(|| messages::more_notes(&thousands(more as u64)));
    let lines: Vec<PageLine> = bullets(notes.chain(more), width).collect();
    let heading = [
        PageLine::Text(String::new()),
        PageLine::Heading(messages::TITLE_NOTES.into()),
    ];
    if lines.is_empty() {
        lines
    } else {
        heading.into_iter().chain(lines).collect()
    }
}

/// One fact per line, after an empty line.
fn fact_lines(facts: &[(String, String)], width: usize) -> Vec<PageLine> {
    let label = facts
        .iter()
        .map(|(what, _)| text::width(what))
        .max()
        .unwrap_or(0);
    let mut lines = Vec::new();
    if !facts.is_empty() {
        lines.extend([
            PageLine::Text(String::new()),
            PageLine::Heading(messages::TITLE_INFO.into()),
        ]);
    }
    for (what, text) in facts {
        for (row, part) in wrap(&visible(text), width.saturating_sub(label + 2))
            .into_iter()
            .enumerate()
        {
            let what = if row == 0 { what.as_str() } else { "" };
            lines.push(PageLine::Text(format!("{what:<label$}  {part}")));
        }
    }
    lines
}

/// Sentences, each with a bullet before its first line.
fn bullets(
    sentences: impl IntoIterator<Item = String>,
    width: usize,
) -> impl Iterator<Item = PageLine> {
    let lines = move |sentence: String| {
        let marks = ["•"].into_iter().chain(std::iter::repeat(" "));
        wrap(&visible(&sentence), width.saturating_sub(2))
            .into_iter()
            .zip(marks)
    };
    sentences
        .into_iter()
        .flat_map(lines)
        .map(|(line, mark)| PageLine::Text(format!("{mark} {line}")))
}

/// In the order of the help page.
const SECTIONS: [(Context, &str); 16] = [
    (Context::Explorer, "Tree and hotspots"),
    (Context::Search, "Search"),
    (Context::Threads, "The list of threads and processes"),
    (Context::Methods, "The list of methods"),
    (Context::Filter, "The filter of a list"),
    (Context::Command, "The command prompt"),
    (Context::Prompt, "Export"),
    (Context::Writing, "While a file is written"),
    (Context::Confirm, "The overwrite prompt"),
    (Context::Pattern, "Patterns"),
    (Context::Note, "Notes on methods"),
    (Context::Consent, "The prompt about saving notes"),
    (Context::List, "The lists of views and of steps"),
    (Context::Page, "Pages such as this one"),
    (Context::Loading, "While a file loads"),
    (Context::Failed, "When a file can't be opened"),
];

/// The maximum width of the key column; more keys continue on the next line.
const MAX_KEY_CELLS: usize = 20;

const MARKS: [(&str, &str); 11] = [
    ("▸ ▾", messages::MARK_EXPANDER),
    ("‹35", messages::MARK_HIDDEN_LEVELS),
    ("~", messages::MARK_FEW_SAMPLES),
    ("±38 %", "the margin of error of a value with few samples"),
    ("●", "in a comparison: a significant change"),
    ("waits", messages::MARK_ALL_WAITING),
    ("bold, dim", "user code; .NET and library code"),
    ("[…]", messages::MARK_PSEUDO_FRAME),
    ("…+37", messages::MARK_GATHERED),
    ("✎", messages::MARK_NOTE),
    ("⚠", messages::MARK_WARNINGS),
];

/// As many as fit on the card.
const SIGNS: [(&str, &str); 9] = [
    ("▸ ▾", "closed, open"),
    ("‹5", "levels hidden"),
    ("~", "few samples, or chance"),
    ("±38 %", "margin of error"),
    ("●", "more than chance"),
    ("bold", "user code"),
    ("[…]", "not a method"),
    ("✎", "note"),
    ("⚠", "warnings"),
];

/// For all pages, the most useful first.
const CARD: [(&str, &str); 22] = [
    ("list-methods", "methods"),
    ("show-callers", "callers"),
    ("show-flame", "flame graph"),
    ("show-timeline", "timeline"),
    ("search", "search"),
    ("open-hot-path", "hot path"),
    ("list-waits", "waits"),
    ("choose-threads", "threads"),
    ("next-metric", "next metric"),
    ("focus", "only this subtree"),
    ("drop-method", "without this method"),
    ("export", "export, report"),
    ("collapse", "collapse system code"),
    ("back", "back"),
    ("list-views", "all views"),
    ("show-command-line", "command line"),
    ("invert", "inverted tree"),
    ("copy-report", "copy a report"),
    ("write-note", "note"),
    ("show-notes", "warnings"),
    ("next-order", "order"),
    ("quit", "quit"),
];
const CARD_COMMANDS: usize = 19;
/// How many belong to the current context, with a line each.
const CARD_LINES: usize = 7;
/// The minimum column widths of the card and of the list of commands.
const CARD_CELLS: usize = 22;
const HELP_CELLS: usize = 62;

pub(super) fn place_of(context: Context) -> &'static str {
    let title = SECTIONS.iter().find(|(known, _)| *known == context);
    title.map_or("", |(_, title)| title)
}

/// The start of help: what matters most here, what is useful everywhere, and the signs.
fn card(
    keymap: &Keymap,
    here: &str,
    commands: &[(&Command, String)],
    width: usize,
) -> Vec<PageLine> {
    let mut lines = vec![PageLine::Heading(here.into())];
    let first = &commands[..commands.len().min(CARD_LINES)];
    for (command, doc) in first {
        let room = width.saturating_sub(CARD_KEY_CELLS + 3);
        lines.push(PageLine::Command(
            card_key(keymap, command),
            fit_end(doc, room),
        ));
    }
    let is_here = |name: &str| first.iter().any(|(command, _)| command.name == name);
    let others = CARD.iter().filter(|(name, _)| !is_here(name));
    let others = others.filter_map(|&(name, words)| Some((keymap.named(name)?, words)));
    let cells: Vec<PageLine> = others
        .take(CARD_COMMANDS - first.len())
        .map(|(command, words)| PageLine::Command(card_key(keymap, command), words.into()))
        .collect();
    let columns = (width / CARD_CELLS).clamp(1, 6);
    lines.extend(in_rows(cells, columns, width));
    let signs = SIGNS.map(|(sign, meaning)| format!("{sign} {meaning}"));
    lines.extend(signs_in(&signs, width));
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

/// As many per line as fit.
fn signs_in(signs: &[String], width: usize) -> Vec<PageLine> {
    let mut lines: Vec<String> = Vec::new();
    for sign in signs {
        match lines.last_mut() {
            Some(line) if text::width(line) + 3 + text::width(sign) <= width => {
                line.push_str(&format!("   {sign}"));
            }
            _ => lines.push(format!("  {sign}")),
        }
    }
    lines.into_iter().map(PageLine::Text).collect()
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

/// The card, then all commands, those of the current context first; with a filter, only the commands that match.
fn help_lines(
    explorer: &Explorer,
    behind: &Overlay,
    filter: &Filter,
    width: usize,
) -> Vec<PageLine> {
    let keymap = &explorer.keymap;
    let filter = filter.text();
    let wanted = filter.to_lowercase();
    let is_wanted = |command: &Command| {
        keymap.doc(command).to_lowercase().contains(&wanted)
            || command.keys.iter().any(|key| keymap.label(key) == filter)
    };
    let mut lines = Vec::new();
    if wanted.is_empty() {
        let (heading, commands) = commands_here(explorer, behind);
        lines = card(keymap, heading, &commands, width);
        lines.push(PageLine::Text(String::new()));
    }
    let columns = (width / HELP_CELLS).clamp(1, 3);
    let cells = width / columns - usize::from(columns > 1);
    let (here, others): (Vec<_>, Vec<_>) = SECTIONS
        .into_iter()
        .partition(|&(context, _)| context == behind.context());
    let mut all = Vec::new();
    for (context, title) in here.into_iter().chain(others) {
        let mut commands = keymap
            .of(context)
            .filter(|command| is_wanted(command))
            .peekable();
        if commands.peek().is_some() {
            push_heading(&mut all, title);
        }
        commands.for_each(|command| push_command(&mut all, keymap, command, cells));
    }
    match (wanted.is_empty(), all.is_empty()) {
        (true, _) => all.extend(legend(keymap, cells)),
        (false, true) => {
            let sentence = keymap.fill(messages::NO_COMMAND_MATCHES);
            all.push(PageLine::Text(sentence));
        }
        (false, false) => {}
    }
    lines.extend(in_rows(all, columns, width));
    lines
}

/// Those that matter most, with what they do here.
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
    let hinted = keymap
        .of(behind.context())
        .filter(|command| !command.hint.is_empty());
    let hinted = hinted.map(|command| (command, keymap.doc(command)));
    (place_of(behind.context()), hinted.collect())
}

/// A heading, with a blank line above if it is not the first.
fn push_heading(lines: &mut Vec<PageLine>, title: &str) {
    if !lines.is_empty() {
        lines.push(PageLine::Text(String::new()));
    }
    lines.push(PageLine::Heading(title.into()));
}

/// The lines of a command: its keys, and what it does.
fn push_command(lines: &mut Vec<PageLine>, keymap: &Keymap, command: &Command, width: usize) {
    let (keys, doc) = (command.keys.iter(), keymap.doc(command));
    let keys: Vec<String> = keys.map(|key| keymap.label(key)).collect();
    let key_cells = key_cells(width);
    let mut keys = wrap(&keys.join(" "), key_cells).into_iter();
    let mut docs = wrap(&doc, width.saturating_sub(key_cells + 4)).into_iter();
    loop {
        match (keys.next(), docs.next()) {
            (None, None) => break,
            (keys, doc) => lines.push(in_columns(
                &keys.unwrap_or_default(),
                doc.unwrap_or_default(),
                width,
            )),
        }
    }
}

fn key_cells(width: usize) -> usize {
    MAX_KEY_CELLS.min(width / 3)
}

fn in_columns(left: &str, right: String, width: usize) -> PageLine {
    let fill = key_cells(width).saturating_sub(text::width(left));
    PageLine::Command(format!("  {left}{}  ", " ".repeat(fill)), right)
}

/// The meanings of marks, and what the mouse does.
fn legend(keymap: &Keymap, width: usize) -> Vec<PageLine> {
    let mut lines = vec![
        PageLine::Text(String::new()),
        PageLine::Heading("Marks".into()),
    ];
    for (mark, meaning) in MARKS {
        let meaning = wrap(
            &keymap.fill(meaning),
            width.saturating_sub(key_cells(width) + 4),
        );
        let marks = [mark].into_iter().chain(std::iter::repeat(""));
        lines.extend(
            meaning
                .into_iter()
                .zip(marks)
                .map(|(text, mark)| in_columns(mark, text, width)),
        );
    }
    push_heading(&mut lines, "Mouse");
    let mouse = messages::ABOUT_MOUSE;
    lines.extend(wrap(mouse, width).into_iter().map(PageLine::Text));
    lines
}
