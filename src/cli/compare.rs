//! `dotspot compare`: compares profiles from before and after a change.

use super::args::{Compare, CompareTo};
use super::exit;
use super::print::{Printer, say};
use super::read::read_sides;
use super::report;
use crate::analysis::compared::Rename;
use crate::cli::messages;
use crate::query::{
    self, ComparedFile, ComparisonOrder, ComparisonRequest, Condition, MostRows, Per, QueryError,
};
use anyhow::Result;

/// Returns the exit code.
pub(super) fn compare(to: &mut Printer, args: &Compare) -> Result<u8> {
    args.refuse_unused()?;
    let [before, after] = args.files()?;
    let renames = args.rename.iter().map(|text| rename(text));
    let renames: Vec<Rename> = renames.collect::<Result<_, _>>()?;
    let per = args.per.as_deref().map(Per::parse).transpose()?;
    let per = per.unwrap_or_default();
    let conditions = args.fail_if.iter().map(|text| Condition::parse(text));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    let steps = args.row_options.requests()?;
    // programs get all methods unless they ask for user code: each has all of its values
    let is_all = args.form() == CompareTo::Json && !args.only_user_code;
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
        leaves_out_waiting: args.no_waiting,
        preferred_metric: args.preferred_metric.as_deref(),
        per: &per,
        renames: &renames,
        steps: &steps,
        order: args.by.or(is_all.then_some(ComparisonOrder::Exclusive)),
        is_user_code: args.only_user_code,
        most: match (args.top, args.form()) {
            (Some(rows), _) => MostRows::of(rows),
            (None, CompareTo::Json) => MostRows::of(args.fitting.most(None, 20)),
            (None, _) if args.fitting.budget.is_some() => MostRows::All,
            (None, _) => MostRows::Usual,
        },
    };
    let found = query::comparison(&request)?;
    let warnings = found.warnings.iter();
    let warnings = warnings.filter(|_| args.form() == CompareTo::Text);
    warnings.for_each(|warning| say(&format!("warning: {warning}")));
    // a missing method is reported before anything is printed
    let outcome = |condition: &Condition| condition.outcome(&found, args.even_by_chance);
    let outcomes = conditions.iter().map(outcome);
    let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
    report::compare(to, &found, &request, args)?;
    let holds = outcomes.iter().any(|outcome| outcome.holds);
    let said = outcomes.iter().filter(|outcome| outcome.holds == holds);
    said.for_each(|outcome| say(&outcome.sentence));
    Ok(match holds {
        true => exit::LIMIT_EXCEEDED,
        false => exit::SUCCESS,
    })
}

fn rename(text: &str) -> Result<Rename, QueryError> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            let (old, new) = (old.into(), new.into());
            Ok(Rename { old, new })
        }
        _ => Err(QueryError::usage(messages::rename_expected(&text))),
    }
}
