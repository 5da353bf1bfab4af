//! What the commands without a screen print: text for people, JSON for machines.

mod hotspots;
mod info;
mod tree;
mod truncation;

pub use hotspots::{hotspots, hotspots_of_sums, needs_no_tree};
pub use info::info;
pub use tree::tree;
pub use truncation::truncation;

use super::args::Part;
use crate::analysis::search::SearchIndex;
use crate::analysis::{outermost_places, places_by_weight};
use crate::app::pages::wrap;
use crate::model::format::{Scale, counted};
use crate::model::text::visible;
use crate::model::{CountKind, FrameId, MetricId, NodeId, Profile, Unit};
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::io::Write;

/// A value of a metric in JSON: milliseconds as they are, whole things as whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Value {
    Milliseconds(f64),
    Whole(u64),
}

impl Value {
    fn new(unit: Unit, stored: u64) -> Value {
        match unit {
            Unit::Milliseconds => Value::Milliseconds(unit.to_unit(stored)),
            Unit::Count | Unit::Bytes => Value::Whole(stored),
        }
    }
}

/// A metric in JSON.
#[derive(Debug, Serialize)]
struct MetricName<'a> {
    name: &'a str,
    unit: &'static str,
}

impl<'a> MetricName<'a> {
    fn new(profile: &'a Profile, id: MetricId) -> MetricName<'a> {
        let metric = profile.metric(id);
        MetricName { name: &metric.name, unit: metric.unit.name() }
    }
}

/// Writes a value as JSON that is safe in a terminal, and ends the line.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    // outside strings there is nothing that could be hostile, and within them `\u` is the same character
    for c in text.chars() {
        if c != '\n' && crate::model::text::is_hostile(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}")?;
            }
        } else {
            let mut bytes = [0; 4];
            out.write_all(c.encode_utf8(&mut bytes).as_bytes())?;
        }
    }
    out.write_all(b"\n")?;
    Ok(())
}

/// Writes a line for people: nothing in it can control a terminal.
pub fn write_line(out: &mut dyn Write, line: &str) -> Result<()> {
    writeln!(out, "{}", visible(line.trim_end()))?;
    Ok(())
}

/// The same of a sentence, in lines of at most `width` cells.
pub fn write_wrapped(out: &mut dyn Write, sentence: &str, width: Option<usize>) -> Result<()> {
    let Some(width) = width else { return write_line(out, sentence) };
    // what is not visible yet has another width
    wrap(&visible(sentence), width.max(20)).iter().try_for_each(|line| write_line(out, line))
}

/// The metric of this name, or the profile's first choice.
pub fn metric_of(profile: &Profile, name: Option<&str>) -> Result<MetricId> {
    let Some(name) = name else { return Ok(profile.default_metric) };
    profile.metric_named(name).ok_or_else(|| {
        let names: Vec<&str> = profile.metrics.iter().map(|metric| metric.name.as_str()).collect();
        anyhow!("--metric {name}: this profile has no such metric; it has {}", names.join(", "))
    })
}

/// A count of a metric if it is of this kind.
fn count_if(profile: &Profile, metric: MetricId, kind: CountKind, count: Option<u64>) -> Option<u64> {
    count.filter(|_| profile.metric(metric).counts == Some(kind))
}

/// The head of a column of values: what they are, and their unit if they have one.
fn value_head(what: &str, scale: Scale) -> String {
    format!("{what} {}", scale.unit()).trim_end().to_string()
}

/// A metric with a value, for the head of a list: `time 41.2 ms, inflated by tracing`.
fn metric_words(profile: &Profile, metric: MetricId, scale: Scale, value: u64) -> String {
    let words = format!("{} {}", profile.metric(metric).name, scale.with_unit(value));
    match profile.inflation(metric) {
        "" => words,
        inflation => format!("{words}, {inflation}"),
    }
}

/// The frames that a method's name on the command line means.
///
/// # Errors
/// If there is none, with the nearest names.
pub fn frames_named(profile: &Profile, option: &str, name: &str) -> Result<Vec<FrameId>> {
    let frames = profile.frames.find(name);
    if !frames.is_empty() {
        return Ok(frames);
    }
    let nearest = SearchIndex::of(&profile.frames, |id| profile.occurs(id)).search(name, |_| 0, 3);
    let names: Vec<&str> = nearest.rows.iter().map(|row| profile.frames.shown(row.frame)).collect();
    match names.as_slice() {
        [] => bail!("{option} {name}: this profile has no such method"),
        names => bail!("{option} {name}: this profile has no such method; the nearest are {}", names.join(", ")),
    }
}

/// The heaviest place of a method within a subtree; that there are others is said on standard error.
pub fn heaviest_place(profile: &Profile, option: &str, name: &str, within: NodeId, metric: MetricId) -> Result<NodeId> {
    let frames = frames_named(profile, option, name)?;
    let mut places: Vec<NodeId> =
        frames.iter().flat_map(|&frame| places_by_weight(profile, within, frame, metric)).collect();
    places.sort_by_key(|&node| std::cmp::Reverse(profile.tree.inclusive(metric, node)));
    let first = places.first().ok_or_else(|| anyhow!("{option} {name}: the method does not occur in this part"))?;
    if places.len() > 1 {
        let (count, label) = (counted(places.len() as u64, "place"), profile.node_label(*first));
        crate::cli::say(&format!("the method has {count}; this is the heaviest, {label}"));
    }
    Ok(*first)
}

/// What a command is about: disjoint subtrees, in a metric.
struct Selection {
    metric: MetricId,
    roots: Vec<NodeId>,
    /// in words, for the head of a list
    words: String,
}

impl Selection {
    /// All that `part` selects `within` a subtree: the sum over all places of a method.
    fn new(profile: &Profile, within: NodeId, part: &Part) -> Result<Selection> {
        let metric = metric_of(profile, part.metric.as_deref())?;
        let mut words = profile.name(within).to_string();
        let mut roots = vec![within];
        if let Some(method) = &part.under {
            roots = outermost_places(profile, within, &frames_named(profile, "--under", method)?);
            if roots.is_empty() {
                bail!("--under {method}: the method does not occur in this part");
            }
            let places = counted(roots.len() as u64, "outermost place");
            words = format!("{words}, under {} ({places})", profile.shown(roots[0]));
        }
        Ok(Selection { metric, roots, words })
    }

    /// The value of all subtrees together, in stored steps.
    fn total(&self, profile: &Profile) -> u64 {
        let values = self.roots.iter().map(|&root| profile.tree.inclusive(self.metric, root));
        values.fold(0, u64::saturating_add)
    }
}

/// A table for people: columns of numbers flush right, the last column flush left and cut in the middle to fit.
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads of columns.
    pub fn new(heads: &[&str]) -> Table {
        Table { heads: heads.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// Adds a row, a cell for each head.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// Writes the table; lines have at most `width` cells.
    pub fn write(&self, out: &mut dyn Write, width: Option<usize>) -> Result<()> {
        let last = self.heads.len() - 1;
        let cells = |row: &Vec<String>, column: usize| crate::ui::text::width(&row[column]);
        let widths: Vec<usize> = (0..last)
            .map(|column| self.rows.iter().chain([&self.heads]).map(|row| cells(row, column)).max().unwrap_or(0))
            .collect();
        for row in [&self.heads].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, &wide) in widths.iter().enumerate() {
                line.push_str(&" ".repeat(wide - cells(row, column)));
                line.push_str(&row[column]);
                line.push_str("  ");
            }
            let room = width.map_or(usize::MAX, |width| width.saturating_sub(crate::ui::text::width(&line)).max(8));
            line.push_str(&crate::ui::text::fit_name(&visible(&row[last]), room));
            write_line(out, &line)?;
        }
        Ok(())
    }
}
