//! Fits answers into a token budget.

use super::more;
use crate::cli::messages;
use crate::cli::print::Printer;
use crate::query::QueryError;
use crate::text::{fit_rows, tokens};
use crate::units::thousands;
use anyhow::{Error, Result};
use std::cell::RefCell;

/// How to see what is left out: `otherwise`, unless the budget had no room for all rows.
pub(super) fn how_to_see(is_cut: bool, otherwise: &'static str) -> &'static str {
    match is_cut {
        true => messages::LARGER_BUDGET_SHOWS_MORE,
        false => otherwise,
    }
}

pub(super) fn say_left_out(
    to: &mut Printer,
    (count, noun): (usize, &str),
    how_to_see: &str,
) -> Result<()> {
    match count {
        0 => Ok(()),
        _ => to.line(&format!("({}: {how_to_see})", more(count, noun))),
    }
}

/// Prints an answer with all of its rows, or with as many as fit the budget. More rows must make `answer` longer.
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
    let fitted = fit_rows(budget, all, |rows| {
        let mut bytes = Vec::new();
        let mut printer = Printer {
            out: &mut bytes,
            width,
            is_ascii,
            has_budget: true,
        };
        if let Err(error) = answer(&mut printer, rows) {
            *failure.borrow_mut() = Some(error);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    });
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
