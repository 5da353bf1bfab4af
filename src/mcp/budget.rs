//! Fitting answers to a budget of tokens.

use crate::text::tokens;

/// How many tokens an answer may have unless the request says otherwise.
pub(super) const USUAL: usize = 2_000;
/// The least that a request may ask for: less holds no answer.
pub(super) const LEAST: usize = 200;

/// The most that a request may ask for: no model reads more at once, and an answer is made in memory.
pub(super) const MOST: usize = 100_000;

/// The text with as many of `all` rows as fit the budget; `text` makes it of a number of rows, the more the longer. What it is without rows
/// is there in any case.
pub(super) fn fit(budget: usize, all: usize, text: impl Fn(usize) -> String) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_rows_are_taken_as_fit() {
        let text = |rows: usize| format!("head\n{}left out: {}", "a row of text\n".repeat(rows), 50 - rows);
        for budget in [100, 120, 150, 200] {
            let fitted = fit(budget, 50, text);
            let rows = fitted.matches("row").count();
            assert!(tokens(&fitted) <= budget && (rows == 50 || tokens(&text(rows + 1)) > budget), "{budget}: {rows}");
        }
        assert_eq!(fit(1_000, 50, text), text(50), "all of it");
        assert_eq!(fit(1, 50, text), text(0), "nothing but what must be there");
        assert_eq!(fit(100, 0, text), text(0));
    }
}
