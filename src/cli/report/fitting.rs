//! Fits answers into a token budget.

use super::more;
use crate::cli::messages;
use crate::cli::print::{Printer, write_compact_json, write_json};
use crate::query::QueryError;
use crate::text::{fit_rows, tokens};
use crate::units::thousands;
use anyhow::{Error, Result};
use serde::Serialize;
use std::cell::RefCell;

/// How to see what only the budget left out.
pub(super) const ONLY_BUDGET: &str = messages::LARGER_BUDGET_SHOWS_MORE;

/// How to see what is left out: `otherwise`, unless the budget had no room for all rows.
pub(super) fn how_to_see(is_cut: bool, otherwise: &'static str) -> &'static str {
    if is_cut { ONLY_BUDGET } else { otherwise }
}

/// Reports how many rows are left out, if any, and how to see them.
pub(super) fn say_left_out(
    to: &mut Printer,
    (count, noun): (usize, &str),
    is_cut: bool,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let how = how_to_see(is_cut, messages::TOP_0_LISTS_ALL);
    to.line(&format!("({}: {how})", more(count, noun)))
}

/// Prints an answer with all of its rows, or with as many as fit the budget. `answer` prints a given number of rows;
/// more rows must make it longer.
///
/// # Errors
/// Errors of `answer`; or it does not fit the budget even without rows.
pub(super) fn write_fitting(
    to: &mut Printer,
    budget: Option<usize>,
    all: usize,
    answer: impl Fn(&mut Printer, usize) -> Result<()>,
) -> Result<()> {
    let Some(budget) = budget else {
        return answer(to, all);
    };
    let (width, is_ascii) = (to.width, to.is_ascii);
    let failure: RefCell<Option<Error>> = RefCell::default();
    let text = |rows| {
        let mut bytes = Vec::new();
        let out = &mut bytes;
        let mut printer = Printer {
            out,
            width,
            is_ascii,
        };
        if let Err(error) = answer(&mut printer, rows) {
            *failure.borrow_mut() = Some(error);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let fitted = fit_rows(budget, all, text);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let least = tokens(&fitted);
    if least > budget {
        let least = thousands(least.next_multiple_of(10) as u64);
        let sentence = messages::budget_too_small(&thousands(budget as u64), &least);
        return Err(QueryError::usage(sentence).into());
    }
    Ok(to.out.write_all(fitted.as_bytes())?)
}

/// Writes a document: indented for people, on one line where it has to fit a budget.
pub(super) fn write_document(
    to: &mut Printer,
    budget: Option<usize>,
    document: &impl Serialize,
) -> Result<()> {
    match budget {
        Some(_) => write_compact_json(to.out, document),
        None => write_json(to.out, document),
    }
}
