//! How many tokens a language model makes of a text, by estimate: real tokenizers bring tables of megabytes.

/// About how many tokens a text has for models that are in use: hardly ever fewer than `o200k` or `cl100k` make of it, and for
/// reports at most a fifth more. O(length).
pub fn tokens(text: &str) -> usize {
    let mut halves = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = PieceKind::of(first);
        let end = rest
            .find(|c| PieceKind::of(c) != kind)
            .unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        halves += match kind {
            PieceKind::Letters => letters(piece),
            PieceKind::Digits => 2 * piece.len().div_ceil(3),
            PieceKind::Marks => marks(piece),
            PieceKind::Blanks => blanks(piece, behind),
            PieceKind::Other => 3 * piece.chars().count(),
        };
        rest = behind;
    }
    (halves * 527).div_ceil(1_000)
}

/// The text with as many of `all` rows as fit the budget; `text` makes it of a number of rows, the more the longer. What it is without rows
/// is there in any case.
pub fn fit_rows(budget: usize, all: usize, text: impl Fn(usize) -> String) -> String {
    // a row has a few tokens at least
    let (mut fits, mut too_many) = (0, all.min(budget) + 1);
    let mut fitted = text(0);
    while too_many - fits > 1 {
        let rows = fits + (too_many - fits) / 2;
        let next = text(rows);
        match tokens(&next) <= budget {
            true => (fits, fitted) = (rows, next),
            false => too_many = rows,
        }
    }
    fitted
}

/// What is one piece for tokenizers, which never put two kinds into a token, but for a blank before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Letters,
    Digits,
    Marks,
    Blanks,
    Other,
}

impl PieceKind {
    fn of(c: char) -> PieceKind {
        match c {
            'a'..='z' | 'A'..='Z' => PieceKind::Letters,
            '0'..='9' => PieceKind::Digits,
            c if c.is_ascii_whitespace() => PieceKind::Blanks,
            '!'..='~' | '…' | '→' => PieceKind::Marks,
            _ => PieceKind::Other,
        }
    }
}

/// The halves of tokens of a run of blanks: the ends of lines are one token, and so are the blanks behind them but the last one. That is
/// part of the word behind it, but not of a number.
fn blanks(run: &str, behind: &str) -> usize {
    let spaces = run.rsplit('\n').next().map_or(0, str::len);
    let (ends, others) = (usize::from(spaces < run.len()), usize::from(spaces > 1));
    let last = usize::from(spaces > 0 && behind.starts_with(|c: char| c.is_ascii_digit()));
    2 * (ends + others + last)
}

/// The halves of tokens of a run of letters: one token for each hump of a name, more for a long one and for capitals.
fn letters(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_start = |&at: &usize| {
        let is_after_small = bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
        let ends_capitals =
            bytes[at].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        is_after_small || ends_capitals
    };
    let mut halves = 0;
    let mut start = 0;
    for end in (1..bytes.len()).filter(is_start).chain([bytes.len()]) {
        let is_capital = bytes[end - 1].is_ascii_uppercase();
        halves += 2 * (end - start).div_ceil(if is_capital { 3 } else { 9 });
        start = end;
    }
    halves
}

/// The halves of tokens of a run of marks.
fn marks(run: &str) -> usize {
    2 * run.chars().count().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What o200k and cl100k make of these was counted with their tokenizers, and the larger one is given.
    #[test]
    fn estimates_are_near_what_tokenizers_make() {
        for (text, real) in [
            ("", 0),
            ("a", 1),
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("31.1 31.0 31.1 1,617.2 1,259 PriceRules.Discount", 25),
            ("{\"schema\":\"dotspot.report/1\",\"total\":5208.64}", 16),
        ] {
            let estimate = tokens(text);
            assert!(
                (real..=real + 4 + real / 5).contains(&estimate),
                "{text}: {estimate} and {real}"
            );
        }
    }

    #[test]
    fn any_text_has_an_estimate() {
        for text in [
            "\u{1f469}\u{200d}\u{1f680}",
            "日本語",
            "   ",
            "\n\n",
            "→…",
            "ABCDEFGHIJKL",
            "x".repeat(100).as_str(),
        ] {
            assert!(tokens(text) >= 1, "{text:?}");
        }
    }

    #[test]
    fn as_many_rows_are_taken_as_fit_rows() {
        let text = |rows: usize| {
            format!(
                "head\n{}left out: {}",
                "a row of text\n".repeat(rows),
                50 - rows
            )
        };
        for budget in [100, 120, 150, 200] {
            let fitted = fit_rows(budget, 50, text);
            let rows = fitted.matches("row").count();
            assert!(
                tokens(&fitted) <= budget && (rows == 50 || tokens(&text(rows + 1)) > budget),
                "{budget}: {rows}"
            );
        }
        assert_eq!(fit_rows(1_000, 50, text), text(50), "all of it");
        assert_eq!(
            fit_rows(1, 50, text),
            text(0),
            "nothing but what must be there"
        );
        assert_eq!(fit_rows(100, 0, text), text(0));
    }
}
