//! What the commands without a screen print: text for people, JSON for machines.

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
use crate::cli::print::{Table, write_line};
use crate::model::{Measure, View};
use crate::units::{Scale, counted, percent};
use anyhow::Result;
use std::io::Write;

/// An answer as text: what it is about, its rows, and remarks on these.
struct Page {
    above: Vec<String>,
    table: Table,
    remarks: Vec<String>,
}

impl Page {
    fn write(&self, out: &mut dyn Write, width: Option<usize>) -> Result<()> {
        self.above
            .iter()
            .try_for_each(|line| write_line(out, line))?;
        self.table.write(out, width)?;
        self.remarks
            .iter()
            .try_for_each(|remark| write_line(out, &format!("({remark})")))
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
        view.metric(measure.metric).name,
        scale.with_unit(total)
    );
    if measure.left_out(view).is_some() && waiting > 0 {
        words.push_str(&messages::waiting_not(&scale.with_unit(waiting)));
    }
    match view.inflation(measure.metric) {
        "" => words,
        inflation => format!("{words}, {inflation}"),
    }
}

/// A share of the whole in percent; of a value that is all waiting, which does not count, that it is.
fn share(weight: u64, value: u64, whole: u64) -> String {
    if weight == 0 && value > 0 {
        "waits".into()
    } else {
        format!("{:.1}", percent(weight, whole))
    }
}

/// A value, marked if it is no more than a hint.
fn estimate(scale: Scale, value: u64, is_rough: bool) -> String {
    format!("{}{}", if is_rough { "~" } else { "" }, scale.number(value))
}

/// How many more there are: `1 more method`, `2,042 more methods`.
fn more(count: usize, noun: &str) -> String {
    counted(count as u64, &format!("more {noun}"))
}
