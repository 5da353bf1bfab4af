//! Estimates how many tokens a text has for a language model. Real tokenizers need megabytes of tables.

/// The approximate number of tokens: hardly ever fewer than `o200k` or `cl100k` make, and for reports at most a fifth
/// more. O(length).
pub fn tokens(text: &str) -> usize {
    let mut halves = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind = PieceKind::of(first);
        let end = rest
            .find(|c| PieceKind::of(c) != kind)
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        halves += match kind {
            PieceKind::Letters => letters(piece),
            PieceKind::Digits => 2 * piece.len().div_ceil(3),
            PieceKind::Punctuation => punctuation(piece),
            PieceKind::Whitespace => whitespace(piece, after),
            PieceKind::Other => 3 * piece.chars().count(),
        };
        rest = after;
    }
    // half a token each, and 5.4 % more, so that hardly any text is underestimated
    (halves * 527).div_ceil(1_000)
}

/// The text with as many of `row_count` rows as fit the budget; `text` must grow with its number of rows. Text without rows
/// is returned even if it doesn't fit.
pub fn fit_rows(budget: usize, row_count: usize, text: impl Fn(usize) -> String) -> String {
    // every row has at least a token
    let (mut fits, mut too_many) = (0, row_count.min(budget) + 1);
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

/// Like [`fit_rows`], but if not even one row fits, fails with the tokens it would need: a text without rows would
/// mislead.
pub fn fit_some_rows(
    budget: usize,
    row_count: usize,
    text: impl Fn(usize) -> String,
) -> Result<String, usize> {
    match tokens(&text(row_count.min(1))) {
        needed if needed > budget => Err(needed),
        _ => Ok(fit_rows(budget, row_count, text)),
    }
}

/// Tokenizers never put two kinds into one token, except for a space before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Letters,
    Digits,
    Punctuation,
    Whitespace,
    Other,
}

impl PieceKind {
    fn of(c: char) -> PieceKind {
        match c {
            'a'..='z' | 'A'..='Z' => PieceKind::Letters,
            '0'..='9' => PieceKind::Digits,
            c if c.is_ascii_whitespace() => PieceKind::Whitespace,
            '!'..='~' | '…' | '→' => PieceKind::Punctuation,
            _ => PieceKind::Other,
        }
    }
}

/// The half tokens in white space. Line ends are one token, and so are the spaces after them, except the last, which
/// joins a following word but not a number.
fn whitespace(run: &str, after: &str) -> usize {
    let spaces = run.rsplit('\n').next().map_or(0, str::len);
    let (ends, others) = (usize::from(spaces < run.len()), usize::from(spaces > 1));
    let last = usize::from(spaces > 0 && after.starts_with(|c: char| c.is_ascii_digit()));
    2 * (ends + others + last)
}

/// The half tokens in letters: one token per hump of a camel-case name, more for long ones and for capitals.
fn letters(word: &str) -> usize {
    let bytes = word.as_bytes();
    let is_start = |&at: &usize| {
        let follows_lowercase =
            bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase();
        let ends_capitals =
            bytes[at].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        follows_lowercase || ends_capitals
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

fn punctuation(run: &str) -> usize {
    2 * run.chars().count().div_ceil(4)
}

#[cfg(test)]
mod tests;
