//! A comparison for the comment of a pull request or for a prompt.

use super::equal_work::recorded_ns;
use super::{Comparison, ComparisonOrder, ComparisonRequest, sentence};
use crate::analysis::compared::{
    AFTER, BEFORE, Chance, ComparedMethod, Presence, Sides, compared_metric,
};
use crate::analysis::outermost_occurrences;
use crate::model::{MOSTLY_PERCENT, MetricId, NodeId};
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, counted, factor, percent, seconds_rounded, thousands};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The maximum number of methods named that exist on one side only.
const NAMED: usize = 5;

impl Comparison {
    /// The comparison as Markdown, with a newline at the end; times in this scale or, without one, in a fitting one. O(rows).
    pub fn markdown(&self, request: &ComparisonRequest, scale: Option<Scale>) -> String {
        let sides = self.total.sides;
        let scale = scale.filter(|_| self.unit() == Unit::Milliseconds);
        let scale =
            scale.unwrap_or_else(|| Scale::for_values(self.unit(), sides.before.max(sides.after)));
        let mut text = String::new();
        let file = |file: &super::ComparedFile| match recorded_ns(file.view) {
            Some(ns) => format!("{} ({})", code(file.file), seconds_rounded(ns)),
            None => code(file.file),
        };
        let files =
            |files: &[super::ComparedFile]| files.iter().map(file).collect::<Vec<_>>().join(", ");
        let metric = compared_metric(&self.view.recording);
        let metric = visible(&metric);
        let _ = writeln!(text, "### {metric}: {}", change(scale, sides));
        let _ = writeln!(
            text,
            "\n{} → {}",
            files(request.before),
            files(request.after)
        );
        let steps = self
            .view
            .steps
            .transform_words(&self.view.recording)
            .join(", ");
        let steps = Some(visible(&steps).into_owned()).filter(|words| !words.is_empty());
        let per = Some(self.per.words()).filter(|words| !words.is_empty());
        for words in steps.into_iter().chain(per) {
            let _ = writeln!(text, "\nWith {words}");
        }
        if let Some(words) = self.without_waiting(scale) {
            let _ = writeln!(text, "\n{}", sentence(&words));
        }
        let _ = writeln!(text, "\n{}", self.verdict());
        self.warnings.iter().for_each(|warning| {
            let _ = writeln!(text, "\n⚠ {warning}");
        });
        self.write_table(&mut text, scale, request);
        for (presence, title) in [(Presence::New, "New"), (Presence::Vanished, "Vanished")] {
            self.one_sided(&mut text, presence, title, scale);
        }
        text
    }

    /// The rest that completes the total, in words.
    pub fn outside_user_code(&self, scale: Scale) -> Option<String> {
        let sides = self.outside_user_code?;
        Some(messages::outside_user_code(&change(scale, sides)))
    }

    /// The meanings of marks, and how many there are: a sentence or two.
    pub fn verdict(&self) -> String {
        if self.changed.is_empty() {
            return messages::no_differences(&counted(self.methods as u64, "method"));
        }
        let methods = counted(self.differing(&self.changed) as u64, "method");
        let beyond = thousands(self.beyond_chance() as u64);
        let several = messages::FOUR_FILES_NEEDED;
        match self.test() {
            "none" if self.counts() == Some(crate::model::CountKind::Calls) => {
                messages::changed_calls_exact(&methods, &several)
            }
            "none" => messages::changed_not_tested(&methods, &several),
            "ranks of files" => messages::changed_by_ranks(&methods, &beyond),
            test => messages::changed_by_errors(&methods, &beyond, &test),
        }
    }

    /// The name of the values by which rows are sorted, and their number format if times have a scale.
    pub fn ordered_by(&self, scale: Scale) -> (&'static str, Scale) {
        match self.counts().filter(|_| self.is_count()) {
            Some(counts) => (counts.name(), Scale::for_values(Unit::Count, 0)),
            None if self.order == ComparisonOrder::Exclusive => ("exclusive", scale),
            None if self.order == ComparisonOrder::OwnAndSystem => ("own+system", scale),
            None => ("inclusive", scale),
        }
    }

    /// The cells of the rows that differ in the sort value, with that difference.
    pub fn table<'a>(
        &'a self,
        scale: Scale,
        request: &'a ComparisonRequest,
    ) -> impl Iterator<Item = (i128, ComparedCells<'a>)> {
        let (_, scale) = self.ordered_by(scale);
        let cells = move |row: &ComparedMethod| {
            let sides = self.order.estimate(row).sides;
            let samples = self
                .samples(row)
                .map(|sides| sides.map(thousands).join(" → "));
            let [before, after] = Comparison::handles(row, request);
            let node = after.or_else(|| Some(format!("{} before", before?)));
            let [before, after] = [sides.before, sides.after].map(|value| scale.number(value));
            let cells = ComparedCells {
                mark: self.chance(row).mark(),
                name: self.view.frames.list_name(row.frame),
                before,
                after,
                delta: scale.signed(sides.delta()),
                ratio: match row.presence {
                    Presence::New => "new".into(),
                    Presence::Vanished => "gone".into(),
                    Presence::Both => sides.ratio().map(factor).unwrap_or_default(),
                },
                samples: samples.unwrap_or_default(),
                node: node.unwrap_or_default(),
                waits: self.waits(row),
            };
            (sides.delta(), cells)
        };
        let rows = self.rows.iter().filter(|row| self.differs(row));
        rows.map(cells)
    }

    /// ` (95 % waits)` for a method that mostly waits, including callees: after the change, or before it if it is gone.
    fn waits(&self, row: &ComparedMethod) -> String {
        if self.left_out_waiting.is_some() {
            return String::new();
        }
        let view = &self.view;
        let nodes = outermost_occurrences(view, NodeId::ROOT, &[row.frame]);
        let side = if row.presence == Presence::Vanished {
            BEFORE
        } else {
            AFTER
        };
        let sum = |of: &dyn Fn(MetricId, NodeId) -> u64| {
            let values = nodes.iter().map(|&node| of(side, node));
            values.fold(0, u64::saturating_add)
        };
        let all = sum(&|side, node| view.tree.inclusive(side, node));
        let waits = sum(&|side, node| view.waiting(side).within(&view.tree, node));
        let share = percent(waits, all);
        match share >= MOSTLY_PERCENT {
            true => messages::compared_waits(&share),
            false => String::new(),
        }
    }

    fn write_table(&self, text: &mut String, scale: Scale, request: &ComparisonRequest) {
        if self.rows.is_empty() {
            return;
        }
        let (what, of_rows) = self.ordered_by(scale);
        let unit = with_prefix(" ", of_rows.unit());
        let _ = writeln!(text, "{}", messages::table_head(&what, &unit));
        text.push_str("|---|---|---:|---:|---:|---:|---:|---|\n");
        for (_, cells) in self.table(scale, request) {
            let ComparedCells {
                mark,
                before,
                after,
                delta,
                ratio,
                samples,
                node,
                name,
                waits,
            } = cells;
            let name = format!("{}{waits}", code(&name));
            let _ = writeln!(
                text,
                "| {mark} | {name} | {before} | {after} | {delta} | {ratio} | {samples} | {node} |"
            );
        }
        let (_, scale) = self.ordered_by(scale);
        if let Some(words) = self.outside_user_code(scale) {
            let _ = writeln!(text, "\n{}", sentence(&words));
        }
        let left_out = self.rows_left_out();
        if left_out > 0 {
            let (count, rest) = (
                counted(left_out as u64, "more method"),
                scale.signed(self.rest),
            );
            let more = match self.adds_up() {
                true => messages::more_differences_together(&count, &rest),
                false => messages::more_differences(&count),
            };
            let _ = writeln!(text, "\n{more}");
        }
    }

    fn one_sided(&self, text: &mut String, presence: Presence, title: &str, scale: Scale) {
        let rows = self.only(presence);
        let beyond = rows
            .iter()
            .filter(|row| row.inclusive.chance == Chance::Beyond);
        let named = beyond.take(NAMED.min(self.named)).map(|row| {
            let Sides { before, after } = row.inclusive.sides;
            format!(
                "{} {}",
                code(&self.view.frames.list_name(row.frame)),
                scale.with_unit(before.max(after))
            )
        });
        let named: Vec<String> = named.collect();
        if !named.is_empty() {
            let _ = writeln!(
                text,
                "{}",
                messages::beyond_chance_callees(&title, &named.join(", "))
            );
        }
    }
}

/// The contents of a comparison's row.
pub struct ComparedCells<'a> {
    /// Whether the difference is significant.
    pub mark: &'static str,
    pub name: Cow<'a, str>,
    pub before: String,
    pub after: String,
    pub delta: String,
    /// The ratio, or that the method is new or gone.
    pub ratio: String,
    /// The number of samples behind the values; empty if they are not counted.
    pub samples: String,
    /// The heaviest node after the change, or else before it.
    pub node: String,
    /// The waiting share of both sides, if it counts and is most of the value.
    pub waits: String,
}

/// A word after others; nothing if it is empty.
pub fn with_prefix(others: &str, word: &str) -> String {
    if word.is_empty() {
        String::new()
    } else {
        format!("{others}{word}")
    }
}

/// `5,208.6 → 11,405.6 ms (+6,197.0 ms, ×2.19)`.
pub(super) fn change(scale: Scale, sides: Sides) -> String {
    let ratio = sides
        .ratio()
        .map(|ratio| format!(", {}", factor(ratio)))
        .unwrap_or_default();
    let [before, after] = [scale.number(sides.before), scale.with_unit(sides.after)];
    format!(
        "{before} → {after} ({}{ratio})",
        scale.signed(sides.delta())
    )
}

/// A name as code in a table: characters that would end the code or the cell are replaced.
fn code(name: &str) -> String {
    format!("`{}`", visible(name).replace('`', "'").replace('|', "¦"))
}
