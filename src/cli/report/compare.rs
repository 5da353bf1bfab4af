//! `dotspot compare`.

use super::fitting::{write_document, write_fitting};
use super::tree::indented;
use super::{more, value_head};
use crate::analysis::compared::{Chance, ComparedMethod, Presence, Sides};
use crate::cli::args::{Compare, CompareTo};
use crate::cli::messages;
use crate::cli::options::TimeUnit;
use crate::cli::print::{Table, write_line, write_wrapped};
use crate::query::{
    ComparedTreeRequest, Comparison, ComparisonOrder, ComparisonRequest, PathPresence,
};
use crate::text::middle_bar;
use crate::units::Unit;
use crate::units::{Scale, counted, factor, thousands};
use anyhow::Result;
use std::io::Write;

/// The cells of a bar on each side of the middle line.
const BAR_CELLS: usize = 8;
/// How many methods a line names that are there on one side only.
const NAMED: usize = 5;

pub(crate) fn compare(
    out: &mut dyn Write,
    found: &Comparison,
    request: &ComparisonRequest,
    args: &Compare,
    width: Option<usize>,
) -> Result<()> {
    if args.tree {
        return merged_tree(out, found, args, width);
    }
    write_fitting(out, args.fitting, found.rows.len(), |out, rows| {
        let found = found.first(rows);
        match args.form() {
            CompareTo::Json => write_document(out, args.fitting, &found.document(request)),
            CompareTo::Markdown => Ok(out.write_all(
                found
                    .markdown(request, args.units.unit.map(TimeUnit::scale))
                    .as_bytes(),
            )?),
            CompareTo::Text => text(out, &found, args, width),
        }
    })
}

fn text(
    out: &mut dyn Write,
    found: &Comparison,
    args: &Compare,
    width: Option<usize>,
) -> Result<()> {
    let total = found.total.sides;
    let scale = args
        .units
        .scale(found.unit(), total.before.max(total.after));
    let [before, _] = found.metrics();
    let metric = before.name.strip_suffix(" before").unwrap_or(&before.name);
    let change = change(scale, total);
    write_line(
        out,
        &format!(
            "{metric} {} before, {} after: {change}",
            scale.with_unit(total.before),
            scale.with_unit(total.after)
        ),
    )?;
    let steps = found
        .view
        .steps
        .words_of_then(&found.view.recording)
        .join(", ");
    let per = found.per.words();
    for words in [steps, per].iter().filter(|words| !words.is_empty()) {
        write_line(out, words)?;
    }
    write_wrapped(out, &found.verdict(), width)?;
    let largest = found
        .rows
        .iter()
        .map(|row| found.order.estimate(row).sides.delta().unsigned_abs())
        .max()
        .unwrap_or(0);
    for (title, is_faster) in [("slower", false), ("faster", true)] {
        let delta = |row: &ComparedMethod| found.order.estimate(row).sides.delta();
        // what has changed in something else only is in no part
        let rows = found
            .rows
            .iter()
            .filter(|row| delta(row) != 0 && (delta(row) < 0) == is_faster);
        let rows: Vec<&ComparedMethod> = rows.collect();
        if !rows.is_empty() {
            write_line(out, "")?;
            table(out, found, (title, &rows), scale, largest, width)?;
        }
    }
    if found.left_out > 0 {
        write_line(
            out,
            &messages::top_lists_all(&more(found.left_out, "method")),
        )?;
    }
    for (presence, title) in [(Presence::New, "new"), (Presence::Vanished, "vanished")] {
        one_sided(out, found, presence, title, scale, width)?;
    }
    summed(out, found, width)
}

fn merged_tree(
    out: &mut dyn Write,
    found: &Comparison,
    args: &Compare,
    width: Option<usize>,
) -> Result<()> {
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
        return write_document(out, args.fitting, &found.tree_document(&tree));
    }
    let total = found.total.sides;
    let scale = args
        .units
        .scale(found.unit(), total.before.max(total.after));
    let mut table = Table::new(&[
        &value_head("before", scale),
        "after",
        "delta",
        "ratio",
        "incl",
        "method",
    ]);
    let largest = tree
        .rows
        .iter()
        .map(|row| row.inclusive.delta().unsigned_abs())
        .max()
        .unwrap_or(0);
    for row in &tree.rows {
        let (sides, name) = (row.inclusive, found.view.display_name(row.node));
        let ratio = match row.path {
            PathPresence::Both => sides.ratio().map(factor).unwrap_or_default(),
            path => path.name().into(),
        };
        let (before, after) = (scale.number(sides.before), scale.number(sides.after));
        let delta = scale.signed(sides.delta());
        table.push(vec![
            before,
            after,
            delta,
            ratio,
            bar(sides.delta(), largest),
            indented(row.depth, name),
        ]);
    }
    table.write(out, width)?;
    if tree.left_out > 0 {
        write_line(
            out,
            &messages::see_min_percent_depth(&more(tree.left_out, "node")),
        )?;
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
    out: &mut dyn Write,
    found: &Comparison,
    (title, rows): (&str, &[&ComparedMethod]),
    scale: Scale,
    largest: u128,
    width: Option<usize>,
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
    let mut table = Table::new(&heads);
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
    table.write(out, width)
}

/// A bar from a middle line: to the left for what is faster, to the right for what is slower. Half cells are the smallest step.
fn bar(delta: i128, largest: u128) -> String {
    middle_bar(delta, largest, BAR_CELLS).join("│")
}

/// The methods that are there on one side only.
fn one_sided(
    out: &mut dyn Write,
    found: &Comparison,
    presence: Presence,
    title: &str,
    scale: Scale,
    width: Option<usize>,
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
    write_line(out, "")?;
    let beyond = rows
        .iter()
        .filter(|row| row.inclusive.chance == Chance::Beyond)
        .count();
    let of_chance = if beyond > 0 {
        format!(", {} beyond chance", thousands(beyond as u64))
    } else {
        String::new()
    };
    write_wrapped(
        out,
        &format!(
            "{} {title}{of_chance}, with callees{unit}: {}{others}",
            counted(rows.len() as u64, "method"),
            named.join(", ")
        ),
        width,
    )
}

/// What could not be told apart.
fn summed(out: &mut dyn Write, found: &Comparison, width: Option<usize>) -> Result<()> {
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
    write_wrapped(
        out,
        &messages::summed_their_numbers_differ(&named.join(", "), &others),
        width,
    )
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
