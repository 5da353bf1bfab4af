//! Journeys as text: keys, and what is there after them.

use super::{boxes, half};
use crate::common::stage::{Stage, rows_of};
use crate::common::text::{has, lacks};
use dotspot::testing::model::TimeRange;

impl Stage {
    /// Presses keys and checks what follows. Each line has keys, two spaces, and an expectation; either may be missing. Text in
    /// single quotes is typed, `80x24` resizes the screen. Expectations:
    ///
    /// - `says: X`, `notes: X`: the notice is X, or contains it
    /// - `shows: X`, `lacks: X`: the screen contains X or not
    /// - `on: X`, `at: X`: the tree has X selected; keys are about X
    /// - `rows: X`, `rows N: X`: rows of the tree from the first or from N on, separated by `|`, with a `>` for each level; without a
    ///   number these are all rows
    /// - `half N: X`: rows of a tree on the page of a method, as [`half`] prints them
    /// - `crumbs: X`, `boxes: X`, `range: X`: breadcrumbs, the picker of threads, and the time range in milliseconds
    /// - `page: open`, `page: closed`: whether a page is over the first one
    #[track_caller]
    pub fn play(&mut self, script: &str) -> &mut Stage {
        for line in script.lines().map(str::trim_end) {
            let line = line.trim_start_matches(' ');
            let is_expectation = line.split_once(": ").is_some_and(|(verb, _)| is_verb(verb));
            let (keys, expectation) = match line.split_once("  ") {
                _ if is_expectation => ("", line),
                Some((keys, expectation)) => (keys, expectation.trim_start_matches(' ')),
                None => (line, ""),
            };
            if !line.starts_with("//") {
                self.press_or_type(keys);
                self.expect(expectation, line);
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
                match size {
                    Some((Ok(width), Ok(height))) => self.resize(width, height),
                    _ => self.press(key),
                };
            }
        }
    }

    #[track_caller]
    fn expect(&self, expectation: &str, line: &str) {
        let Some((verb, text)) = expectation.split_once(':') else {
            assert_eq!(expectation, "", "{line}");
            return;
        };
        let text = text.strip_prefix(' ').unwrap_or(text);
        let (verb, number) = verb.split_once(' ').unwrap_or((verb, ""));
        let number: usize = number.parse().unwrap_or(0);
        let explorer = self.explorer();
        let found = match verb {
            "says" => self.notice().to_string(),
            "notes" => return has(self.notice(), text),
            "shows" => return has(self.screen(), text),
            "lacks" => return lacks(self.screen(), text),
            "on" => self.selected().to_string(),
            "at" => explorer.view().display_name(explorer.selection().node).to_string(),
            "rows" if expectation.starts_with("rows:") => rows_of(self).join("|"),
            "rows" => {
                let rows = rows_of(self).into_iter().skip(number);
                let rows: Vec<String> = rows.take(text.split('|').count()).collect();
                rows.join("|")
            }
            "half" => half(self, number).join("|"),
            "crumbs" => explorer.breadcrumb_names().join("|"),
            "boxes" => boxes(self),
            "range" => explorer.scope().range.map_or("none".into(), in_ms),
            "page" if explorer.upper_page().is_some() => "open".into(),
            "page" => "closed".into(),
            other => panic!("{other}: no such expectation"),
        };
        assert_eq!(found, text, "{line}\n{}", self.screen());
    }
}

fn is_verb(text: &str) -> bool {
    let verb = text.split(' ').next().unwrap_or("");
    let verbs = "says notes shows lacks on at rows half crumbs boxes range page";
    verbs.split(' ').any(|known| known == verb)
}

/// A range in whole milliseconds; an end that is open is 0.
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
