//! Output of the non-interactive commands: text for people, JSON for machines.

mod compare;
mod info;
mod lists;
mod method;
mod notes;
mod timeline;
mod tree;
mod truncation;
mod waits;

pub(super) use compare::compare;
pub(super) use info::info;
pub(super) use lists::{hotspots, methods};
pub(super) use method::method;
pub(super) use notes::notes;
pub(super) use timeline::timeline;
pub(super) use tree::tree;
pub(super) use truncation::truncation;
pub(super) use waits::waits;

use crate::cli::messages;
use crate::cli::options::Units;
use crate::cli::print::{Printer, TextTable};
use crate::model::View;
use crate::query::{
    Cells, Column, PartTotal, QueryError, TableRow, share_of_recording, steps_words,
    waiting_amount, waiting_part, with_prefix,
};
use crate::text::{fit_end, fit_some_rows};
use crate::units::{Scale, counted, thousands};
use anyhow::{Error, Result};
use std::cell::RefCell;

struct AnswerPage<'a> {
    view: &'a View,
    part: PartTotal,
    scale: Scale,
    units: Units,
    /// Whether headings have room to show which value waiting and samples belong to; else the sort order implies it.
    is_wide: bool,
    above: Vec<String>,
    remarks: Vec<String>,
}

impl<'a> AnswerPage<'a> {
    fn new(view: &'a View, part: PartTotal, largest: u64, units: Units) -> AnswerPage<'a> {
        AnswerPage {
            view,
            part,
            scale: units.scale(view.recording.metric(part.metric()).unit, largest),
            units,
            is_wide: true,
            above: Vec::new(),
            remarks: Vec::new(),
        }
    }

    fn head(
        mut self,
        to: &Printer,
        requested: &View,
        subject: &str,
        suffix: &str,
    ) -> AnswerPage<'a> {
        let head = format!("{subject}: {}{suffix}", self.total());
        self.is_wide = is_wide(to);
        self.above
            .push(fit_end(&head, to.width.unwrap_or(usize::MAX)));
        let steps = steps_words(requested, self.part.measure, self.scale, usize::MAX);
        self.above.extend(steps);
        self
    }

    /// `wall 5.343 s, without 66.534 s of waiting`, `time 41.2 ms, inflated by tracing`.
    fn total(&self) -> String {
        let recording = &self.view.recording;
        let metric = recording.metric(self.part.metric());
        let (part, whole) = (self.part, self.part.whole());
        let [total, waiting] = [whole, part.waiting].map(|value| self.scale.with_unit(value));
        let mut text = format!("{} {total}", metric.name);
        if part.leaves_out_waiting() {
            text += &messages::without_waiting(&waiting_amount(metric, &waiting));
        }
        if part.counts_waiting && part.waiting > 0 && metric.may_wait() {
            text += &waiting_part(metric, &waiting);
        }
        if let Some(share) = share_of_recording(self.view, part.measure, whole, self.scale) {
            text += &format!(" ({share})");
        }
        text + &with_prefix(", ", recording.inflation(part.metric()))
    }

    fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    fn left_out(&mut self, count: usize, noun: &str, how_to_see: &str) {
        if count > 0 {
            self.remark(format!("{}: {how_to_see}", more(count, noun)));
        }
    }

    /// A table of the non-empty columns, and of names, indented by their level.
    fn table(&self, columns: &[Column], name_head: &str, rows: &[TableRow]) -> TextTable {
        let metric = self.view.recording.metric(self.part.metric());
        let cells = Cells {
            metric,
            scale: self.scale,
            averages: self.units.scale_of_averages(metric.unit),
            whole: self.part.whole(),
            has_waiting: !self.part.hides_waiting(self.view),
            is_marked: true,
        };
        let columns = columns.iter().copied();
        let columns: Vec<Column> = columns.filter(|column| cells.has(*column, rows)).collect();
        let part_head = |column: Column| {
            let name = column.part_name(metric).unwrap_or("%");
            let short = name.split_once('-').map_or(name, |(_, short)| short);
            if self.is_wide { name } else { short }.replace('-', " ")
        };
        let head = |&column: &Column| match column {
            Column::Exclusive => value_head("excl", cells.scale),
            Column::Inclusive if self.part.leaves_out_waiting() => value_head("busy", cells.scale),
            Column::Inclusive => value_head("incl", cells.scale),
            Column::Waiting | Column::OwnWaiting => value_head(&part_head(column), cells.scale),
            Column::OwnAndSystem => value_head("own+system", cells.scale),
            Column::ExclusivePerCall => value_head("excl", cells.averages) + "/call",
            Column::InclusivePerCall => value_head("incl", cells.averages) + "/call",
            Column::Count | Column::OwnCount => part_head(column),
            Column::Occurrences => "occ".into(),
            Column::Thread => "top thread".into(),
            _ => "%".into(),
        };
        let mut table = TextTable::new(columns.iter().map(head).chain([name_head.into()]));
        for row in rows {
            let name = indented(row.depth, &row.name) + if row.has_more { " …" } else { "" };
            let row = columns.iter().map(|&column| cells.cell(row, column));
            table.push(row.chain([name]).collect());
        }
        table
    }

    fn write(&self, to: &mut Printer, table: &TextTable) -> Result<()> {
        self.above.iter().try_for_each(|line| to.line(line))?;
        to.table(table)?;
        let mut remarks = self.remarks.iter();
        remarks.try_for_each(|remark| to.line(&format!("({remark})")))
    }
}

/// The narrowest screen with room for thread names, shares, and long column heads.
const WIDE: usize = 110;

fn is_wide(to: &Printer) -> bool {
    to.width.is_none_or(|width| width >= WIDE)
}

fn in_range(view: &View) -> String {
    let range = view.range().map(|range| format!(", {range}"));
    range.unwrap_or_default()
}

fn value_head(what: &str, scale: Scale) -> String {
    format!("{what} {}", scale.unit).trim_end().to_string()
}

const INDENT_LEVELS: usize = 40;

fn indented(depth: usize, name: &str) -> String {
    match depth {
        0..=INDENT_LEVELS => format!("{}{name}", "  ".repeat(depth)),
        _ => format!("{}[{depth}] {name}", "  ".repeat(INDENT_LEVELS)),
    }
}

fn more(count: usize, noun: &str) -> String {
    counted(count as u64, &format!("more {noun}"))
}

/// How to see what is left out: `otherwise`, unless the budget had no room for all rows.
fn how_to_see(is_cut: bool, otherwise: &'static str) -> &'static str {
    match is_cut {
        true => messages::LARGER_BUDGET_SHOWS_MORE,
        false => otherwise,
    }
}

fn print_left_out(to: &mut Printer, (count, noun): (usize, &str), how_to_see: &str) -> Result<()> {
    match count {
        0 => Ok(()),
        _ => to.line(&format!("({}: {how_to_see})", more(count, noun))),
    }
}

/// Prints an answer with all of its rows, or with as many as fit the budget. More rows must make `answer` longer.
fn write_fitting(
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
    };
    let fitted = fit_some_rows(budget, all, text);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let fitted = fitted.map_err(|needed| {
        let needed = needed.next_multiple_of(10);
        let [budget, needed] = [budget, needed].map(|tokens| thousands(tokens as u64));
        QueryError::usage(messages::budget_too_small(&budget, &needed))
    })?;
    Ok(to.out.write_all(fitted.as_bytes())?)
}
