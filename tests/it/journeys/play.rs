//! Journeys as text: keys and expectations.

use super::{boxes, half};
use crate::common::stage::{Stage, rows_of};
use crate::common::text::{assert_contains, assert_lacks};
use dotspot::testing::app::{Action, Overlay};
use dotspot::testing::model::TimeRange;

const VERBS: &str =
    "says notes shows lacks on at rows half crumbs boxes range cursor live page over quit line";

impl Stage {
    /// Presses keys and checks the result. Each line has keys and expectations, separated by two spaces. Either may be missing.
    /// Text in single quotes is typed, `80x24` resizes the screen, `click@3,4`, `double@3,4`, `drag@3,4`, `release@3,4` and
    /// `wheel@3,4,-1` are mouse actions. Expectations:
    ///
    /// - `says: X`, `notes: X`: the notice is X, or contains it
    /// - `shows: X`, `lacks: X`: the screen contains X, or doesn't
    /// - `on: X`, `at: X`: the selected row of the tree, or the selection on the current page
    /// - `rows: X`: rows of the tree, separated by `|`, with a `>` for each level; `…` matches any rows at the start or end;
    ///   `rows N: X`: as many rows as X has, from number N on
    /// - `half N: X`: rows of a tree on the page of a method, as [`half`] prints them
    /// - `crumbs: X`, `boxes: X`, `range: X`, `cursor: X`: breadcrumbs, the picker of threads, the time range and the cursor in
    ///   milliseconds
    /// - `live: X`: the state of an ongoing recording
    /// - `page: X`: the page above the first one: `closed`, `flame`, `chart` or `open`
    /// - `over: X`: the dialog; `quit: yes`
    /// - `line W: X`: the screen has a line with W and these words, ignoring other characters between them
    #[track_caller]
    pub fn play(&mut self, script: &str) -> &mut Stage {
        for line in script.lines().map(str::trim) {
            if line.starts_with("//") {
                continue;
            }
            let starts = line
                .match_indices(": ")
                .filter_map(|(at, _)| start_of_verb(line, at));
            let mut starts: Vec<usize> = starts.collect();
            let keys = &line[..starts.first().copied().unwrap_or(line.len())];
            self.press_or_type(keys);
            starts.push(line.len());
            for expectation in starts.windows(2).map(|at| &line[at[0]..at[1]]) {
                self.expect(expectation.trim_end(), line);
            }
        }
        self
    }

    fn press_or_type(&mut self, keys: &str) {
        for (at, part) in keys.split('\'').enumerate() {
            if at % 2 == 1 {
                self.type_text(part);
                continue;
            }
            for key in part.split_whitespace() {
                let size = key.split_once('x').map(|(w, h)| (w.parse(), h.parse()));
                match (key.split_once('@'), size) {
                    (Some((action, at)), _) if !action.is_empty() => self.act(mouse(action, at)),
                    (_, Some((Ok(width), Ok(height)))) => self.resize(width, height),
                    _ => self.press(key),
                };
            }
        }
    }

    #[track_caller]
    fn expect(&self, expectation: &str, line: &str) {
        let (verb, text) = expectation.split_once(": ").expect("a verb");
        let (verb, target) = verb.split_once(' ').unwrap_or((verb, ""));
        let number = target.parse::<usize>().ok();
        let explorer = self.explorer();
        let found = match verb {
            "says" => self.notice().to_string(),
            "notes" => return assert_contains(self.notice(), text),
            "shows" => return assert_contains(self.screen(), text),
            "lacks" => return assert_lacks(self.screen(), text),
            "on" => self.selected().to_string(),
            "at" => explorer
                .view()
                .display_name(explorer.selection().node)
                .to_string(),
            "rows" => {
                let count = number.map_or(usize::MAX, |_| text.split('|').count());
                let rows = rows_of(self).into_iter().skip(number.unwrap_or(0));
                rows.take(count).collect::<Vec<_>>().join("|")
            }
            "half" => half(self, number.unwrap()).join("|"),
            "crumbs" => explorer.breadcrumb_names().join("|"),
            "boxes" => boxes(self),
            "range" => explorer.scope().range.map_or("none".into(), in_ms),
            "cursor" => {
                let cursor_ns = explorer.time.cursor_ns;
                cursor_ns.map_or("none".into(), |ns| (ns / 1_000_000).to_string())
            }
            "live" => explorer.live_words().unwrap(),
            "page" if explorer.has_flame() => "flame".into(),
            "page" if explorer.has_chart() => "chart".into(),
            "page" if explorer.top_page().is_some() => "open".into(),
            "page" => "closed".into(),
            "over" => name_of(&explorer.overlay).into(),
            "quit" => if self.has_quit { "yes" } else { "no" }.into(),
            "line" => {
                let screen = self.screen();
                let mut lines = screen.lines().filter(|line| line.contains(target));
                let fits = lines.any(|line| words(line).contains(&words(text)));
                return assert!(fits, "{line}\n{screen}");
            }
            other => panic!("{other}: no such expectation"),
        };
        // only complete rows
        let (all, text) = (format!("|{found}|"), format!("|{text}|"));
        let fits = match (text.strip_prefix("|…"), text.strip_suffix("…|")) {
            (Some(_), Some(_)) => all.contains(text.trim_matches(['…', '|'])),
            (Some(end), None) => all.ends_with(end),
            (None, Some(start)) => all.starts_with(start),
            (None, None) => all == text,
        };
        assert!(fits, "{line}\nfound {found}\n{}", self.screen());
    }
}

/// The start of the expectation with a colon at this position.
fn start_of_verb(line: &str, colon: usize) -> Option<usize> {
    let start = line[..colon].rfind("  ").map_or(0, |at| at + 2);
    let verb = line[start..colon].split(' ').next()?;
    VERBS.split(' ').any(|known| known == verb).then_some(start)
}

fn mouse(action: &str, at: &str) -> Action {
    let at: Vec<i32> = at
        .split(',')
        .map(|number| number.parse().unwrap())
        .collect();
    let (x, y) = (at[0] as u16, at[1] as u16);
    match action {
        "click" => Action::Click(x, y),
        "double" => Action::DoubleClick(x, y),
        "drag" => Action::Drag(x, y),
        "release" => Action::Release(x, y),
        "wheel" => Action::Wheel(x, y, at[2] as _),
        other => panic!("{other}: the mouse can't do that"),
    }
}

/// The words of a line, without bars, borders and symbols.
fn words(line: &str) -> String {
    let is_text = |word: &&str| word.chars().any(char::is_alphanumeric);
    line.split_whitespace()
        .filter(is_text)
        .collect::<Vec<_>>()
        .join(" ")
}

fn name_of(overlay: &Overlay) -> &str {
    match overlay {
        Overlay::None => "None",
        Overlay::Methods(_) => "Methods",
        Overlay::Note(_) => "Note",
        Overlay::Export(_) => "Export",
        Overlay::Search(_) => "Search",
        _ => "other",
    }
}

/// A range in whole milliseconds; an open end is 0.
fn in_ms(range: TimeRange) -> String {
    let ms = |ns: u64| match ns {
        TimeRange::OPEN => 0,
        ns => {
            assert_eq!(ns % 1_000_000, 0);
            ns / 1_000_000
        }
    };
    format!("{} {}", ms(range.from_ns), ms(range.to_ns))
}
