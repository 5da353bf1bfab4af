//! A comparison as Markdown, for a pull request comment or a prompt.

use super::{ComparedFile, Comparison, ComparisonOrder, ComparisonRequest, sentence};
use crate::analysis::compared::{AFTER, ComparedMethod, Presence, Sides, Verdict, compared_metric};
use crate::model::{CountKind, FrameId};
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, counted, factors, thousands};
use std::borrow::Cow;

const MAX_NAMED: usize = 5;

impl Comparison {
    /// Times use `scale`, or one that fits.
    pub fn markdown(&self, request: &ComparisonRequest, scale: Option<Scale>) -> String {
        let sides = self.total.sides;
        let scale = scale.filter(|_| self.unit() == Unit::Milliseconds);
        let scale = scale.unwrap_or_else(|| Scale::for_values(self.unit(), sides.larger()));
        let file = |file: &ComparedFile| file.with_duration(&code(&file.file));
        let files = |files: &[ComparedFile]| files.iter().map(file).collect::<Vec<_>>().join(", ");
        let metric = compared_metric(&self.view.recording);
        let mut parts = vec![
            format!("### {}: {}", visible(&metric), change(scale, sides)),
            format!("{} → {}", files(request.before), files(request.after)),
        ];
        let steps = self.view.steps.transform_words(&self.view.recording);
        let steps = (!steps.is_empty()).then(|| format!("with {}", steps.join(", ")));
        let conditions = steps.into_iter().chain(self.conditions(scale));
        parts.extend(conditions.map(|words| visible(&sentence(&words)).into_owned()));
        parts.push(self.verdict_sentence());
        parts.extend(self.about_async().map(Into::into));
        let warnings = self.warnings.iter();
        parts.extend(warnings.map(|warning| format!("⚠ {}", visible(warning))));
        if !self.rows.is_empty() {
            parts.push(self.table_text(scale, request));
            let (_, scale) = self.ordered_by(scale);
            let outside = self.outside_user_code(scale);
            parts.extend(outside.map(|words| sentence(&words)));
            parts.extend(self.words_of_rest(scale).map(|words| format!("… {words}")));
        }
        let sides = [Presence::New, Presence::Vanished].into_iter();
        parts.extend(sides.filter_map(|side| self.one_sided(side, scale, code)));
        parts.join("\n\n") + "\n"
    }

    pub fn outside_user_code(&self, scale: Scale) -> Option<String> {
        let min_shown = scale.min_shown();
        let is_shown = |sides: &Sides| sides.before >= min_shown || sides.after >= min_shown;
        let change = change(scale, self.outside_user_code.filter(is_shown)?);
        Some(match self.only_user_code_by_default {
            true => messages::outside_usual_user_code(&change),
            false => messages::outside_user_code(&change),
        })
    }

    /// All counts are of rows of the table, shown or not.
    pub fn verdict_sentence(&self) -> String {
        let of_user_code = match self.only_user_code {
            true => messages::OF_USER_CODE,
            false => "",
        };
        let counted = |count: usize| format!("{}{of_user_code}", counted(count as u64, "method"));
        let all = self.differing_count(&self.changed);
        if all == 0 {
            return messages::no_differences(&counted(self.methods));
        }
        let methods = counted(all);
        let what = match self.order {
            _ if self.is_count() => "",
            ComparisonOrder::OwnAndSystem => messages::IN_OWN_AND_SYSTEM,
            ComparisonOrder::Inclusive => messages::IN_INCLUSIVE,
            _ => messages::IN_EXCLUSIVE,
        };
        let methods = messages::changed(&methods, &what, &self.one_sided_counts());
        let beyond = self.beyond_chance();
        let [beyond, within] = [beyond, all - beyond].map(|rows| thousands(rows as u64));
        let several = messages::FOUR_FILES_NEEDED;
        match self.test() {
            "none" if self.counts() == Some(CountKind::Calls) => {
                messages::changed_calls_exact(&methods, &several)
            }
            "none" => messages::changed_not_tested(&methods, &several),
            "ranks of files" => messages::changed_by_ranks(&methods, &beyond, &within),
            test if beyond == "0" => messages::none_by_errors(&methods, &within, &test),
            test => messages::changed_by_errors(&methods, &beyond, &within, &test),
        }
    }

    fn one_sided_counts(&self) -> String {
        let rows = self.changed.iter().filter(|row| self.differs(row));
        let sides: Vec<Presence> = rows.map(|row| self.presence(row)).collect();
        let words = [(Presence::New, "new"), (Presence::Vanished, "gone")];
        let counts = words.map(|(side, word)| {
            let count = sides.iter().filter(|&&other| other == side).count();
            (count > 0).then(|| format!("{} {word}", thousands(count as u64)))
        });
        in_brackets(&counts.into_iter().flatten().collect::<Vec<_>>(), ", ")
    }

    pub fn about_async(&self) -> Option<&'static str> {
        let name = |row: &ComparedMethod| self.view.frames.display_name(row.frame);
        let is_async = |row: &ComparedMethod| name(row).contains("(async");
        let has_callees = self.order == ComparisonOrder::Inclusive;
        (has_callees && self.rows.iter().any(is_async)).then_some(messages::ABOUT_ASYNC_CALLERS)
    }

    pub fn ordered_by(&self, scale: Scale) -> (&'static str, Scale) {
        match self.counts().filter(|_| self.is_count()) {
            Some(counts) => (counts.name(), Scale::for_values(Unit::Count, 0)),
            None if self.order == ComparisonOrder::Exclusive => ("exclusive", scale),
            None if self.order == ComparisonOrder::OwnAndSystem => ("own+system", scale),
            None => ("inclusive", scale),
        }
    }

    /// Rows with their differences in the sort value; `name` writes the names of other methods.
    pub fn table<'a>(
        &'a self,
        scale: Scale,
        request: &'a ComparisonRequest,
        name: impl Fn(&str) -> String + 'a,
    ) -> impl Iterator<Item = (i128, ComparedCells<'a>)> {
        let (callee_scale, explained) = (scale, self.explained());
        let (_, scale) = self.ordered_by(scale);
        let cells = move |row: &ComparedMethod| {
            let estimate = self.order.estimate(row);
            let sides = estimate.sides;
            let samples = self.samples(row);
            let samples = samples.map(|sides| sides.map(thousands).join(" → "));
            let [before, after] = Comparison::node_labels(row, request);
            let node = after.or_else(|| Some(format!("{} before", before?)));
            let [before, after] = sides.pair().map(|value| scale.number(value));
            // an interval without 0 next to a mark that says it may be 0 would be confusing
            let is_sure = estimate.verdict == Verdict::Significant;
            let margin = estimate.margin.filter(|_| is_sure);
            let ratio = match self.presence(row) {
                Presence::New => "new".into(),
                Presence::Vanished => "gone".into(),
                Presence::Both => sides.ratio_words(scale),
            };
            let has_interval = is_sure && ratio.starts_with('×');
            let interval = estimate.ratio_interval.filter(|_| has_interval);
            let cells = ComparedCells {
                mark: self.verdict(row).mark(),
                name: self.view.frames.list_name(row.frame),
                before,
                after,
                delta: scale.signed(sides.delta()),
                margin: margin.map_or(String::new(), |margin| scale.margin(margin)),
                ratio,
                ratio_interval: interval.map(factors).unwrap_or_default(),
                samples: samples.unwrap_or_default(),
                node: node.unwrap_or_default(),
                remarks: self.remarks(row, explained.get(&row.frame), callee_scale, &name),
            };
            (sides.delta(), cells)
        };
        self.rows.iter().filter(|row| self.differs(row)).map(cells)
    }

    fn presence(&self, row: &ComparedMethod) -> Presence {
        let Sides { before, after } = self.order.estimate(row).sides;
        match (row.presence, before, after) {
            (Presence::Both, 0, 1..) => Presence::New,
            (Presence::Both, 1.., 0) => Presence::Vanished,
            (presence, ..) => presence,
        }
    }

    fn remarks(
        &self,
        row: &ComparedMethod,
        explained_by: Option<&FrameId>,
        scale: Scale,
        name: impl Fn(&str) -> String,
    ) -> String {
        let mut remarks = Vec::new();
        if let Some(share) = self.mostly_waits(row) {
            let metric = &self.view.recording.measured(AFTER).name;
            remarks.push(match metric.eq_ignore_ascii_case("CPU") {
                true => messages::compared_waits_and_spins(&share),
                false => messages::compared_waits(&share),
            });
        }
        let is_sure = self.order.estimate(row).verdict == Verdict::Significant;
        if self.topmost.contains(&row.frame) && !is_sure {
            let value = scale.with_unit(row.inclusive.sides.larger());
            remarks.push(messages::with_callees(&value));
        }
        if let Some(&callee) = explained_by {
            let callee = name(&self.view.frames.list_name(callee));
            remarks.push(messages::explained_by(&callee));
        }
        in_brackets(&remarks, "; ")
    }

    fn table_text(&self, scale: Scale, request: &ComparisonRequest) -> String {
        let (what, row_scale) = self.ordered_by(scale);
        let unit = with_prefix(" ", row_scale.unit);
        let mut lines = vec![
            messages::table_head(&what, &unit),
            "|---|---|---:|---:|---:|---:|---:|---|".into(),
        ];
        lines.extend(self.table(scale, request, code).map(|(_, row)| {
            let name = code(&row.name) + &row.remarks;
            let delta = row.delta + &with_prefix(" ", &row.margin);
            let ratio = match &*row.ratio_interval {
                "" => row.ratio,
                interval => format!("{} ({interval})", row.ratio),
            };
            let values = [&name, &row.before, &row.after, &delta, &ratio, &row.samples];
            let values = values.map(String::as_str).join(" | ");
            format!("| {} | {values} | {} |", row.mark, row.node)
        }));
        lines.join("\n")
    }

    pub fn words_of_rest(&self, scale: Scale) -> Option<String> {
        let left_out = self.differing_count(&self.changed) - self.differing_count(&self.rows);
        let mut words = counted(left_out as u64, "more method");
        let beyond = self.beyond_chance() - self.significant_count(&self.rows);
        if beyond > 0 {
            words.push_str(&messages::marked_of_rest(&thousands(beyond as u64)));
        }
        if self.adds_up() {
            let unit = with_prefix(" ", scale.unit);
            let delta = |row: &ComparedMethod| self.order.estimate(row).sides.delta();
            let sum = |rows: &[ComparedMethod]| rows.iter().map(delta).sum::<i128>();
            let rest = scale.signed(sum(&self.changed) - sum(&self.rows)) + &unit;
            words.push_str(&messages::sum_of_rest(&rest));
        }
        (left_out > 0).then_some(words)
    }

    pub fn one_sided(
        &self,
        presence: Presence,
        scale: Scale,
        name: impl Fn(&str) -> String,
    ) -> Option<String> {
        let rows = self.topmost(presence);
        let max_named = MAX_NAMED.min(self.max_named);
        let value = |row: &&ComparedMethod| {
            let name = name(&self.view.frames.list_name(row.frame));
            let value = row.inclusive.sides.larger();
            format!("{name} {}", scale.with_unit(value))
        };
        let mut named: Vec<String> = rows.iter().take(max_named).map(value).collect();
        let left_out = rows.len().saturating_sub(max_named);
        named.extend((left_out > 0).then(|| counted(left_out as u64, "more method")));
        let named = named.join(", ");
        match presence {
            _ if rows.is_empty() => None,
            Presence::Vanished => Some(messages::vanished_with_callees(&named)),
            _ => Some(messages::new_with_callees(&named)),
        }
    }
}

pub struct ComparedCells<'a> {
    pub mark: &'static str,
    pub name: Cow<'a, str>,
    pub before: String,
    pub after: String,
    pub delta: String,
    /// Half the 95 % interval of `delta`, if significant.
    pub margin: String,
    pub ratio: String,
    pub ratio_interval: String,
    /// Empty if counts are not samples.
    pub samples: String,
    pub node: String,
    /// With a leading space.
    pub remarks: String,
}

/// Empty if `word` is.
pub fn with_prefix(prefix: &str, word: &str) -> String {
    match word {
        "" => String::new(),
        word => format!("{prefix}{word}"),
    }
}

/// With a leading space; empty without words.
fn in_brackets(words: &[String], separator: &str) -> String {
    match words {
        [] => String::new(),
        words => format!(" ({})", words.join(separator)),
    }
}

/// `5,208.6 → 11,405.6 ms (+6,197.0 ms, ×2.19)`.
pub(super) fn change(scale: Scale, sides: Sides) -> String {
    let ratio = with_prefix(", ", &sides.ratio_words(scale));
    let [before, after] = [scale.number(sides.before), scale.with_unit(sides.after)];
    let delta = scale.signed(sides.delta());
    format!("{before} → {after} ({delta}{ratio})")
}

/// A name as code in a table: characters that would end the code or the cell are replaced.
fn code(name: &str) -> String {
    format!("`{}`", visible(name).replace('`', "'").replace('|', "¦"))
}
