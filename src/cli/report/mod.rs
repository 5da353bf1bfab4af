//! Output of the non-interactive commands: text for people, JSON for machines.

mod changes;
mod compare;
mod fitting;
mod hotspots;
mod info;
mod method;
mod methods;
mod notes;
mod tree;
mod truncation;

pub(super) use compare::compare;
pub(super) use hotspots::hotspots;
pub(super) use info::info;
pub(super) use method::method;
pub(super) use methods::methods;
pub(super) use notes::notes;
pub(super) use tree::tree;
pub(super) use truncation::truncation;

use crate::cli::messages;
use crate::cli::options::Units;
use crate::cli::print::{Printer, TextTable};
use crate::model::{CountKind, Measure, Metric, View};
use crate::query::{Cells, Column, TableRow};
use crate::units::{Scale, counted};
use anyhow::Result;

/// An answer as text: what it is about, its rows, and remarks on these.
struct AnswerPage {
    above: Vec<String>,
    table: TextTable,
    remarks: Vec<String>,
}

impl AnswerPage {
    fn write(&self, to: &mut Printer) -> Result<()> {
        self.above.iter().try_for_each(|line| to.line(line))?;
        to.table(&self.table)?;
        self.remarks
            .iter()
            .try_for_each(|remark| to.line(&format!("({remark})")))
    }
}

/// The head of a column of values: what they are, and their unit if they have one.
fn value_head(what: &str, scale: Scale) -> String {
    format!("{what} {}", scale.unit()).trim_end().to_string()
}

/// A total of a metric, and how much of it is waiting, for the head of a list:
/// `wall 71.877 s, 39.970 s of it waiting (not in %)`, `time 41.2 ms, inflated by tracing`.
fn total_words(
    view: &View,
    measure: Measure,
    scale: Scale,
    (total, waiting): (u64, u64),
) -> String {
    let mut words = format!(
        "{} {}",
        view.recording.metric(measure.metric).name,
        scale.with_unit(total)
    );
    if measure.left_out(view).is_some() && waiting > 0 {
        words.push_str(&messages::waiting_not_in_percent(&scale.with_unit(waiting)));
    }
    match view.recording.inflation(measure.metric) {
        "" => words,
        inflation => format!("{words}, {inflation}"),
    }
}

/// A table of those of these columns in which there is something, and of names, which stand behind the space that shows their level.
fn table(cells: &Cells, columns: &[Column], last: &str, rows: &[TableRow]) -> TextTable {
    let has = |column: &Column| cells.has(*column, rows);
    let columns: Vec<Column> = columns.iter().copied().filter(has).collect();
    let head = |&column: &Column| match column {
        Column::Exclusive => value_head("excl", cells.scale),
        Column::Inclusive => value_head("incl", cells.scale),
        Column::OwnAndSystem => value_head("own+system", cells.scale),
        Column::ExclusivePerCall => value_head("excl", cells.averages) + "/call",
        Column::InclusivePerCall => value_head("incl", cells.averages) + "/call",
        Column::Count => cells.metric.counts.map_or("", CountKind::name).into(),
        Column::Occurrences => "occ".into(),
        Column::Thread => "top thread".into(),
        _ => "%".into(),
    };
    let mut table = TextTable::new(columns.iter().map(head).chain([last.into()]));
    for row in rows {
        let name = indented(row.depth, &row.name) + if row.goes_on { " …" } else { "" };
        let row = columns.iter().map(|&column| cells.cell(row, column));
        table.push(row.chain([name]).collect());
    }
    table
}

fn cells(metric: &Metric, scale: Scale, units: Units, whole: u64) -> Cells<'_> {
    let averages = units.scale_of_averages(metric.unit);
    Cells {
        metric,
        scale,
        averages,
        whole,
        is_marked: true,
    }
}

/// The deepest level that text is indented to; deeper rows say their level.
const INDENT_LEVELS: usize = 40;

/// A name behind the space that shows its level.
fn indented(depth: usize, name: &str) -> String {
    match depth {
        0..=INDENT_LEVELS => format!("{}{name}", "  ".repeat(depth)),
        deep => format!("{}[{deep}] {name}", "  ".repeat(INDENT_LEVELS)),
    }
}

/// How many more there are: `1 more method`, `2,042 more methods`.
fn more(count: usize, noun: &str) -> String {
    counted(count as u64, &format!("more {noun}"))
}
