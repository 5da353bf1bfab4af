//! `dotspot compare`: compares profiles from before and after a change.

use super::args::{Compare, CompareTo};
use super::exit;
use super::print::Printer;
use super::read::read_sides;
use super::report;
use super::say::say;
use crate::analysis::compared::Rename;
use crate::cli::messages;
use crate::query::{self, ComparedFile, ComparisonRequest, Condition, Per, QueryError};
use anyhow::Result;

/// Prints what a change did; gives the exit code.
///
/// # Errors
/// Those of the importers; there is no such metric, method or step; nothing can be made equal.
pub(super) fn compare(to: &mut Printer, args: &Compare) -> Result<u8> {
    args.refuse_unused()?;
    let [before, after] = args.files()?;
    let renames = args.rename.iter().map(|text| rename(text));
    let renames = renames.collect::<Result<Vec<_>, QueryError>>()?;
    let per = args.per.as_deref().map(Per::parse).transpose()?;
    let per = per.unwrap_or_default();
    let conditions = args.fail_if.iter().map(|text| Condition::parse(text));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    let steps = args.shaping.requests()?;
    let [before, after] = read_sides([
        (before.as_slice(), &args.readings.before),
        (after.as_slice(), &args.readings.after),
    ])?;
    let [before, after] = [&before, &after].map(|side| {
        let files = side.iter().map(|(file, view)| ComparedFile { file, view });
        files.collect::<Vec<_>>()
    });
    let request = ComparisonRequest {
        before: &before,
        after: &after,
        metric: args.metric.as_deref(),
        per: &per,
        renames: &renames,
        steps: &steps,
        order: args.by,
        is_user_code: args.only_user_code,
        most: args.fitting.most(args.top, 20),
    };
    let found = query::comparison(&request)?;
    // the others have them among all else
    if args.form() == CompareTo::Text {
        found
            .warnings
            .iter()
            .for_each(|warning| say(&format!("warning: {warning}")));
    }
    // a method that is not there is said before anything is printed
    let outcomes = conditions
        .iter()
        .map(|condition| condition.outcome(&found, args.even_by_chance));
    let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
    report::compare(to, &found, &request, args)?;
    let holds = outcomes.iter().any(|outcome| outcome.holds);
    outcomes
        .iter()
        .filter(|outcome| outcome.holds || !holds)
        .for_each(|outcome| say(&outcome.sentence));
    Ok(if holds { exit::WORSE } else { exit::FINE })
}

/// Reads `--rename`.
fn rename(text: &str) -> Result<Rename, QueryError> {
    let parts = text
        .split_once('=')
        .filter(|(old, new)| !old.is_empty() && !new.is_empty());
    let (old, new) = parts.ok_or_else(|| QueryError::usage(messages::rename_expected(&text)))?;
    Ok(Rename {
        old: old.into(),
        new: new.into(),
    })
}
