//! `dotspot compare`.

use super::{indented, more, print_left_out, value_head, write_fitting};
use crate::analysis::compared::{Presence, Rename, Sides, compared_metric};
use crate::cli::args::{Compare, CompareTo};
use crate::cli::print::{Printer, TextTable, print_notice};
use crate::cli::read::read_sides;
use crate::cli::{exit, messages};
use crate::query::{
    self, ComparedCells, ComparedFile, Comparison, ComparisonOrder, ComparisonRequest, Condition,
    Extent, Per, QueryError, with_prefix,
};
use crate::text::{differing, middle_bar, visible};
use crate::units::Scale;
use anyhow::Result;

const BAR_CELLS: usize = 8;
/// The widths from which on there is room for these columns.
const WITH_SAMPLES: usize = 100;
const WITH_BARS: usize = 110;
const WITH_RATIO_INTERVALS: usize = 130;
const MAX_SUMMED: usize = 5;

/// Returns the exit code.
pub(crate) fn compare(to: &mut Printer, args: &Compare) -> Result<u8> {
    args.refuse_unused()?;
    let [before, after] = args.files()?;
    let renames = args.rename.iter().map(|text| rename(text));
    let renames = renames.collect::<Result<Vec<_>, _>>()?;
    let per = args.per.as_deref().map(Per::parse).transpose()?;
    let per = per.unwrap_or_default();
    let conditions = args.fail_if.iter().map(|text| Condition::parse(text));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    let steps = args.row_options.requests()?;
    // programs get all methods unless they ask for user code: each has all of its values
    let lists_all = args.form() == CompareTo::Json && !args.only_user_code;
    let [before, after] = read_sides([
        (before.as_slice(), &args.readings.before),
        (after.as_slice(), &args.readings.after),
    ])?;
    let request = ComparisonRequest {
        before: &before,
        after: &after,
        metric: args.metric.as_deref(),
        leaves_out_waiting: args.no_waiting,
        preferred_metric: args.preferred_metric.as_deref(),
        per: &per,
        renames: &renames,
        steps: &steps,
        order: args.by.or(lists_all.then_some(ComparisonOrder::Exclusive)),
        only_user_code: args.only_user_code,
        max_rows: match (args.top, args.form()) {
            (None, CompareTo::Json) => Some(args.fitting.max_rows(None, 20)),
            (None, _) if args.fitting.budget.is_some() => Some(0),
            (top, _) => top,
        },
    };
    let found = query::comparison(&request)?;
    let warnings = found.warnings.iter();
    let warnings = warnings.filter(|_| args.form() == CompareTo::Text);
    warnings.for_each(|warning| print_notice(&format!("warning: {warning}")));
    // a missing method is reported before anything is printed
    let outcome = |condition: &Condition| condition.outcome(&found, args.even_by_chance);
    let outcomes = conditions.iter().map(outcome);
    let outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
    write(to, &found, &request, args)?;
    let is_met = outcomes.iter().any(|outcome| outcome.is_met);
    let matching = outcomes.iter().filter(|outcome| outcome.is_met == is_met);
    matching.for_each(|outcome| print_notice(&outcome.sentence));
    Ok(match is_met {
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

fn write(
    to: &mut Printer,
    found: &Comparison,
    request: &ComparisonRequest,
    args: &Compare,
) -> Result<()> {
    if args.tree {
        return merged_tree(to, found, args);
    }
    let budget = args.fitting.budget;
    write_fitting(to, budget, found.rows.len(), |to, rows| {
        let found = found.first(rows);
        match args.form() {
            CompareTo::Json => to.json(&found.document(request)),
            CompareTo::Markdown => {
                let text = found.markdown(request, args.units.unit);
                Ok(to.out.write_all(text.as_bytes())?)
            }
            CompareTo::Text => text(to, &found, request, args),
        }
    })
}

fn scale_of(found: &Comparison, args: &Compare) -> Scale {
    let (units, total) = (args.units, found.total.sides);
    units.scale(found.unit(), total.before.max(total.after))
}

fn text(
    to: &mut Printer,
    found: &Comparison,
    request: &ComparisonRequest,
    args: &Compare,
) -> Result<()> {
    let (total, scale) = (found.total.sides, scale_of(found, args));
    let metric = compared_metric(&found.view.recording);
    let [before, after] = [total.before, total.after].map(|value| scale.with_unit(value));
    let change = change(scale, total);
    to.line(&format!(
        "{metric} {before} before, {after} after: {change}"
    ))?;
    if let ([before], [after]) = (request.before, request.after) {
        let names = differing(&before.file, &after.file).into_iter();
        let named = |(name, file): (&str, &ComparedFile)| file.with_duration(&visible(name));
        let names = names.zip([before, after]).map(named);
        to.wrapped(&names.collect::<Vec<_>>().join(" → "))?;
    }
    let steps = found.view.steps.transform_words(&found.view.recording);
    let steps = Some(steps.join(", ")).filter(|words| !words.is_empty());
    for words in steps.into_iter().chain(found.conditions(scale)) {
        to.wrapped(&words)?;
    }
    to.wrapped(&found.verdict_sentence())?;
    if let Some(words) = found.about_async() {
        to.wrapped(words)?;
    }
    let rows = found.table(scale, request, str::to_string);
    let (faster, slower): (Vec<_>, Vec<_>) = rows.partition(|(delta, _)| *delta < 0);
    let largest = largest(slower.iter().chain(&faster).map(|(delta, _)| *delta));
    for (title, rows) in [("slower", slower), ("faster", faster)] {
        table(to, found, (title, rows), largest, scale)?;
    }
    if let Some(words) = found.words_of_rest(found.ordered_by(scale).1) {
        to.line(&format!("({words}: {})", messages::TOP_0_LISTS_ALL))?;
    }
    if let Some(words) = found.outside_user_code(scale) {
        to.wrapped(&words)?;
    }
    for presence in [Presence::New, Presence::Vanished] {
        if let Some(words) = found.one_sided(presence, scale, str::to_string) {
            to.line("")?;
            to.wrapped(&words)?;
        }
    }
    summed(to, found)
}

fn summed(to: &mut Printer, found: &Comparison) -> Result<()> {
    let summed = &found.compared.summed;
    let shown = summed.iter().take(MAX_SUMMED);
    let rows = shown.map(|row| format!("{} ({} → {})", row.name, row.methods.0, row.methods.1));
    let mut rows: Vec<String> = rows.collect();
    match summed.len().saturating_sub(MAX_SUMMED) {
        _ if rows.is_empty() => return Ok(()),
        0 => {}
        left_out => rows.push(more(left_out, "row")),
    }
    to.wrapped(&messages::summed_overloads(&rows.join(", ")))
}

fn merged_tree(to: &mut Printer, found: &Comparison, args: &Compare) -> Result<()> {
    let (depth, min_percent) = (args.depth, args.min_percent);
    let request = Extent { depth, min_percent };
    let callers = match (&args.callers, args.inverted) {
        (Some(method), _) => Some(found.callers(method, request)?),
        (None, true) => Some(found.inverted(request)?),
        (None, false) => None,
    };
    let found = callers.as_ref().unwrap_or(found);
    let rows = found.tree(request);
    if args.form() == CompareTo::Json {
        to.has_budget = args.fitting.budget.is_some();
        return to.json(&found.tree_document(&rows));
    }
    let scale = scale_of(found, args);
    let before = value_head("before", scale);
    let mut table = TextTable::new([&before, "after", "delta", "ratio", "incl", "method"]);
    let largest = largest(rows.iter().map(|row| row.inclusive.delta()));
    for row in &rows {
        let sides = row.inclusive;
        let name = indented(row.depth, found.view.display_name(row.node));
        let ratio = match row.path {
            "" => sides.ratio_words(scale),
            path => path.into(),
        };
        let [before, after] = [sides.before, sides.after].map(|value| scale.number(value));
        let (delta, bar) = (scale.signed(sides.delta()), bar(sides.delta(), largest));
        table.push(vec![before, after, delta, ratio, bar, name]);
    }
    to.table(&table)?;
    let left_out = (found.view.tree.len() - rows.len(), "node");
    print_left_out(to, left_out, messages::SEE_MIN_PERCENT_AND_DEPTH)
}

/// A difference with its unit and its ratio: `+4,766.5 ms, ×3.95`.
fn change(scale: Scale, sides: Sides) -> String {
    let ratio = with_prefix(", ", &sides.ratio_words(scale));
    let unit = with_prefix(" ", scale.unit);
    format!("{}{unit}{ratio}", scale.signed(sides.delta()))
}

fn largest(deltas: impl Iterator<Item = i128>) -> u128 {
    deltas.map(i128::unsigned_abs).max().unwrap_or(0)
}

/// Methods that changed only in another value are in neither table.
fn table(
    to: &mut Printer,
    found: &Comparison,
    (title, rows): (&str, Vec<(i128, ComparedCells)>),
    largest: u128,
    scale: Scale,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let (what, scale) = found.ordered_by(scale);
    let what = match what {
        "inclusive" => "incl",
        "exclusive" => "excl",
        what => what,
    };
    let what = format!("{what}: {title} method");
    let before = value_head("before", scale);
    let heads = [
        ("", 0),
        (&*before, 0),
        ("after", 0),
        ("delta", 0),
        (messages::HEAD_INTERVAL, 0),
        ("ratio", 0),
        (messages::HEAD_INTERVAL, WITH_RATIO_INTERVALS),
        ("", WITH_BARS),
        ("samples", WITH_SAMPLES),
        ("node", 0),
        (&*what, 0),
    ];
    let cells = |(delta, row): (i128, ComparedCells)| {
        [
            row.mark.into(),
            row.before,
            row.after,
            row.delta,
            row.margin,
            row.ratio,
            row.ratio_interval,
            bar(delta, largest),
            row.samples,
            row.node,
            format!("{}{}", row.name, row.remarks),
        ]
    };
    let rows: Vec<[String; 11]> = rows.into_iter().map(cells).collect();
    let has_room = |column: usize| to.width.is_none_or(|width| width >= heads[column].1);
    let is_filled = |column: usize| rows.iter().any(|row| !row[column].is_empty());
    let shown: Vec<usize> = (0..heads.len())
        .filter(|&column| has_room(column) && is_filled(column))
        .collect();
    let mut table = TextTable::new(shown.iter().map(|&column| heads[column].0));
    for row in &rows {
        table.push(shown.iter().map(|&column| row[column].clone()).collect());
    }
    to.line("")?;
    to.table(&table)
}

/// To the left for what is faster, to the right for what is slower.
fn bar(delta: i128, largest: u128) -> String {
    middle_bar(delta, largest, BAR_CELLS).join("│")
}

#[cfg(test)]
mod tests;
