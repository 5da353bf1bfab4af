//! Pages of text that can be scrolled: help and warnings.

use super::commands::{COMMANDS, Context, key_label};
use super::dialogs::PageKind;
use crate::model::Profile;
use crate::model::text::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageLine {
    /// A heading.
    Heading(String),
    /// A command: its keys, filled up to the width of their column, and what it does; or a further line of these.
    Command(String, String),
    /// Text, short enough for the page.
    Text(String),
}

/// The lines of a page that is `width` cells wide.
pub fn page_lines(profile: &Profile, kind: PageKind, width: usize) -> Vec<PageLine> {
    match kind {
        PageKind::Help => help_lines(width),
        PageKind::Warnings => warning_lines(profile, width),
    }
}

/// The warnings, and the notes that people have made.
fn warning_lines(profile: &Profile, width: usize) -> Vec<PageLine> {
    let item = |sentence: &str| {
        let lines = wrap(&visible(sentence), width.saturating_sub(2));
        let marked = lines
            .into_iter()
            .enumerate()
            .map(|(index, line)| PageLine::Text(format!("{} {line}", if index == 0 { "•" } else { " " })));
        marked.chain([PageLine::Text(String::new())]).collect::<Vec<_>>()
    };
    let mut lines: Vec<PageLine> = profile.warnings.iter().flat_map(|warning| item(warning)).collect();
    let mut notes = profile.source.notes().flat_map(item).peekable();
    if lines.is_empty() {
        lines.push(PageLine::Text("This profile gave no warnings.".into()));
    }
    if notes.peek().is_some() {
        if profile.warnings.is_empty() {
            lines.push(PageLine::Text(String::new()));
        }
        lines.push(PageLine::Heading("Notes kept beside it".into()));
        lines.extend(notes);
    }
    lines
}

/// The contexts as the page of help has them, with their titles.
const SECTIONS: [(Context, &str); 7] = [
    (Context::Explorer, "Tree and hotspots"),
    (Context::Search, "Search"),
    (Context::Prompt, "Export"),
    (Context::Confirm, "The question whether to overwrite"),
    (Context::Page, "Pages such as this one"),
    (Context::Loading, "While a file loads"),
    (Context::Failed, "When a file can't be opened"),
];

/// The widest that the column of keys gets; more keys go on in the next line.
const MOST_KEY_CELLS: usize = 20;

fn help_lines(width: usize) -> Vec<PageLine> {
    let key_cells = MOST_KEY_CELLS.min(width / 3);
    let mut lines = Vec::new();
    for (context, title) in SECTIONS {
        if !lines.is_empty() {
            lines.push(PageLine::Text(String::new()));
        }
        lines.push(PageLine::Heading(title.into()));
        for command in COMMANDS.iter().filter(|command| command.context == context) {
            let keys: Vec<String> = command.keys.iter().map(|key| key_label(key)).collect();
            let mut keys = wrap(&keys.join(" "), key_cells).into_iter();
            let mut docs = wrap(command.doc, width.saturating_sub(key_cells + 4)).into_iter();
            loop {
                match (keys.next(), docs.next()) {
                    (None, None) => break,
                    (keys, doc) => {
                        let keys = keys.unwrap_or_default();
                        let fill = key_cells.saturating_sub(keys.width());
                        let keys = format!("  {keys}{}  ", " ".repeat(fill));
                        lines.push(PageLine::Command(keys, doc.unwrap_or_default()));
                    }
                }
            }
        }
    }
    lines.push(PageLine::Text(String::new()));
    lines.push(PageLine::Heading("Mouse".into()));
    let mouse = "A click selects a row, a pane, a step of the trail or a column to order by; the wheel scrolls; a double click \
                 folds a row or goes to a hotspot's heaviest place.";
    lines.extend(wrap(mouse, width).into_iter().map(PageLine::Text));
    lines
}

/// Breaks text at blanks into lines of at most `width` cells; a longer word is cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in text.split_whitespace() {
        let length: usize = word.chars().map(|c| c.width().unwrap_or(0)).sum();
        if used > 0 && used + 1 + length > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        for c in word.chars() {
            let cells = c.width().unwrap_or(0);
            if used + cells > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += cells;
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Source;
    use crate::model::testing::profile_of;

    #[test]
    fn notes_stand_below_the_warnings() {
        #[track_caller]
        fn check(warnings: &[&str], notes: &[&str], expect: &str) {
            let mut profile = profile_of("T;a 1");
            profile.warnings = warnings.iter().map(ToString::to_string).collect();
            profile.source.facts = notes.iter().map(|note| (Source::NOTE, note.to_string())).collect();
            let lines = page_lines(&profile, PageKind::Warnings, 20).into_iter().map(|line| match line {
                PageLine::Heading(text) => format!("# {text}"),
                PageLine::Text(text) => text,
                PageLine::Command(..) => panic!("no command"),
            });
            assert_eq!(lines.collect::<Vec<_>>().join("|"), expect);
        }
        check(&[], &[], "This profile gave no warnings.");
        check(&["a"], &[], "• a|");
        check(&["a"], &["b", "c\u{1b}"], "• a||# Notes kept beside it|• b||• c\\u{1b}|");
        check(&[], &["b"], "This profile gave no warnings.||# Notes kept beside it|• b|");
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        for (text, width, expect) in [
            ("one two three", 7, &["one two", "three"][..]),
            ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
            ("値値値", 4, &["値値", "値"]),
            ("", 5, &[""]),
        ] {
            assert_eq!(wrap(text, width), expect, "{text:?} in {width}");
        }
    }
}
