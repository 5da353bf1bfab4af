//! `dotspot compare`.

use super::fitting::{write_document, write_fitting};
use super::{indented, more, value_head};
use crate::analysis::compared::{Chance, ComparedMethod, Presence, Sides};
use crate::cli::args::{Compare, CompareTo};
use crate::cli::messages;
use crate::cli::options::TimeUnit;
use crate::cli::print::{Printer, TextTable};
use crate::query::{
    ComparedTreeRequest, Comparison, ComparisonOrder, ComparisonRequest, PathPresence,
};
use crate::text::middle_bar;
use crate::units::{Scale, Unit, counted, factor, thousands};
use anyhow::Result;

/// The cells of a bar on each side of the middle line.
const BAR_CELLS: usize = 8;
/// How many methods a line names that are there on one side only.
const NAMED: usize = 5;

pub(crate) fn compare(
    to: &mut Printer,
    found: &Comparison,
    request: &ComparisonRequest,
    args: &Compare,
) -> Result<()> {
    if args.tree {
        return merged_tree(to, found, args);
    }
    write_fitting(to, args.fitting, found.rows.len(), |to, rows| {
        let found = found.first(rows);
        match args.form() {
            CompareTo::Json => write_document(to, args.fitting, &found.document(request)),
            CompareTo::Markdown => Ok(to.out.write_all(
                found
                    .markdown(request, args.units.unit.map(TimeUnit::scale))
                    .as_bytes(),
            )?),
            CompareTo::Text => text(to, &found, args),
        }
    })
}

fn text(to: &mut Printer, found: &Comparison, args: &Compare) -> Result<()> {
    let total = found.total.sides;
    let scale = args
        .units
        .scale(found.unit(), total.before.max(total.after));
    let [before, _] = found.metrics();
    let metric = before.name.strip_suffix(" before").unwrap_or(&before.name);
    let change = change(scale, total);
    to.line(&format!(
        "{metric} {} before, {} after: {change}",
        scale.with_unit(total.before),
        scale.with_unit(total.after)
    ))?;
    let steps = found.view.steps.words_of_then(&found.view.recording);
    for words in [steps.join(", "), found.per.words()] {
        if !words.is_empty() {
            to.line(&words)?;
        }
    }
    to.wrapped(&found.verdict())?;
    let delta = |row: &ComparedMethod| found.order.estimate(row).sides.delta();
    let deltas = found.rows.iter().map(|row| delta(row).unsigned_abs());
    let largest = deltas.max().unwrap_or(0);
    for (title, is_faster) in [("slower", false), ("faster", true)] {
        // what has changed in something else only is in no part
        let is_in_part = |row: &&ComparedMethod| delta(row) != 0 && (delta(row) < 0) == is_faster;
        let rows: Vec<&ComparedMethod> = found.rows.iter().filter(is_in_part).collect();
        if !rows.is_empty() {
            to.line("")?;
            table(to, found, (title, &rows), scale, largest)?;
        }
    }
    if found.left_out > 0 {
        to.line(&messages::left_out_by_top(&more(found.left_out, "method")))?;
    }
    for (presence, title) in [(Presence::New, "new"), (Presence::Vanished, "vanished")] {
        one_sided(to, found, presence, title, scale)?;
    }
    summed(to, found)
}

fn merged_tree(to: &mut Printer, found: &Comparison, args: &Compare) -> Result<()> {
    let request = ComparedTreeRequest {
        depth: args.depth,
        min_percent: args.min_percent,
    };
    let butterfly = match (&args.callers, args.inverted) {
        (Some(method), _) => Some(found.callers(method, request)?),
        (None, true) => Some(found.inverted(request)?),
        (None, false) => None,
    };
    let found = butterfly.as_ref().unwrap_or(found);
    let tree = found.tree(request);
    if args.form() == CompareTo::Json {
        return write_document(to, args.fitting, &found.tree_document(&tree));
    }
    let total = found.total.sides;
    let scale = args
        .units
        .scale(found.unit(), total.before.max(total.after));
    let heads = [
        &value_head("before", scale),
        "after",
        "delta",
        "ratio",
        "incl",
        "method",
    ];
    let mut table = TextTable::new(heads);
    let deltas = tree
        .rows
        .iter()
        .map(|row| row.inclusive.delta().unsigned_abs());
    let largest = deltas.max().unwrap_or(0);
    for row in &tree.rows {
        let sides = row.inclusive;
        let name = indented(row.depth, found.view.display_name(row.node));
        let ratio = match row.path {
            PathPresence::Both => sides.ratio().map(factor).unwrap_or_default(),
            path => path.name().into(),
        };
        let [before, after] = [sides.before, sides.after].map(|value| scale.number(value));
        let (delta, bar) = (scale.signed(sides.delta()), bar(sides.delta(), largest));
        table.push(vec![before, after, delta, ratio, bar, name]);
    }
    to.table(&table)?;
    if tree.left_out > 0 {
        to.line(&messages::left_out_by_percent(&more(tree.left_out, "node")))?;
    }
    Ok(())
}

/// A difference with its unit and its factor: `+4,766.5 ms, ×3.95`.
fn change(scale: Scale, sides: Sides) -> String {
    let unit = if scale.unit().is_empty() {
        String::new()
    } else {
        format!(" {}", scale.unit())
    };
    let ratio = sides
        .ratio()
        .map(|ratio| format!(", {}", factor(ratio)))
        .unwrap_or_default();
    format!("{}{unit}{ratio}", scale.signed(sides.delta()))
}

fn table(
    to: &mut Printer,
    found: &Comparison,
    (title, rows): (&str, &[&ComparedMethod]),
    scale: Scale,
    largest: u128,
) -> Result<()> {
    let is_counted = found.order == ComparisonOrder::Counts && found.counts().is_some();
    let scale = if is_counted {
        Scale::for_values(Unit::Count, 0)
    } else {
        scale
    };
    let what = match found.counts().filter(|_| is_counted) {
        Some(counts) => counts.name(),
        None if found.order == ComparisonOrder::Exclusive => "own",
        None => "incl",
    };
    let heads = [
        &value_head("before", scale),
        "after",
        "delta",
        "ratio",
        &format!("{what}: {title}"),
        "",
        "method",
    ];
    let mut table = TextTable::new(heads);
    for row in rows {
        let sides = found.order.estimate(row).sides;
        let ratio = match row.presence {
            Presence::New => "new".into(),
            Presence::Vanished => "gone".into(),
            Presence::Both => sides.ratio().map(factor).unwrap_or_default(),
        };
        let (before, after) = (scale.number(sides.before), scale.number(sides.after));
        let name = found.view.frames.list_name(row.frame).into_owned();
        table.push(vec![
            before,
            after,
            scale.signed(sides.delta()),
            ratio,
            bar(sides.delta(), largest),
            found.chance(row).mark().into(),
            name,
        ]);
    }
    to.table(&table)
}

/// A bar from a middle line: to the left for what is faster, to the right for what is slower. Half cells are the smallest step.
fn bar(delta: i128, largest: u128) -> String {
    middle_bar(delta, largest, BAR_CELLS).join("│")
}

/// The methods that are there on one side only.
fn one_sided(
    to: &mut Printer,
    found: &Comparison,
    presence: Presence,
    title: &str,
    scale: Scale,
) -> Result<()> {
    let rows = found.only(presence);
    if rows.is_empty() {
        return Ok(());
    }
    let name = |row: &&&ComparedMethod| {
        let Sides { before, after } = row.inclusive.sides;
        let mark = if row.inclusive.chance == Chance::Beyond {
            "● "
        } else {
            ""
        };
        format!(
            "{mark}{} {}",
            found.view.frames.list_name(row.frame),
            scale.number(before.max(after))
        )
    };
    let named: Vec<String> = rows.iter().take(NAMED).map(|row| name(&row)).collect();
    let others = if rows.len() > NAMED {
        format!(", {}", more(rows.len() - NAMED, "method"))
    } else {
        String::new()
    };
    let unit = if scale.unit().is_empty() {
        String::new()
    } else {
        format!(" in {}", scale.unit())
    };
    to.line("")?;
    let beyond = rows
        .iter()
        .filter(|row| row.inclusive.chance == Chance::Beyond)
        .count();
    let of_chance = if beyond > 0 {
        format!(", {} beyond chance", thousands(beyond as u64))
    } else {
        String::new()
    };
    to.wrapped(&format!(
        "{} {title}{of_chance}, with callees{unit}: {}{others}",
        counted(rows.len() as u64, "method"),
        named.join(", ")
    ))
}

/// Methods that could not be distinguished.
fn summed(to: &mut Printer, found: &Comparison) -> Result<()> {
    let summed = &found.compared.summed;
    if summed.is_empty() {
        return Ok(());
    }
    let named: Vec<String> = summed
        .iter()
        .take(NAMED)
        .map(|row| format!("{} ({} → {})", row.name, row.methods.0, row.methods.1))
        .collect();
    let others = if summed.len() > NAMED {
        format!(", {}", more(summed.len() - NAMED, "row"))
    } else {
        String::new()
    };
    to.wrapped(&messages::summed_overloads(&named.join(", "), &others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_start_at_the_middle_line() {
        #[track_caller]
        fn check(delta: i128, largest: u128, expect: &str) {
            assert_eq!(bar(delta, largest), expect);
        }
        check(80, 80, "        │████████");
        check(-80, 80, "████████│        ");
        check(25, 80, "        │██▌     ");
        check(-1, 80, "       ▐│        ");
        check(0, 80, "        │        ");
        check(0, 0, "        │        ");
    }
}
