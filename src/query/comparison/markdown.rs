//! A comparison as Markdown, for a pull request comment or a prompt.

use super::{Comparison, ComparisonOrder, ComparisonRequest, sentence};
use crate::analysis::compared::{AFTER, Chance, ComparedMethod, Presence, Sides, compared_metric};
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, counted, factors, thousands};
use std::borrow::Cow;
use std::fmt::Write as _;

const NAMED: usize = 5;

impl Comparison {
    /// Times use `scale`, or one that fits.
    pub fn markdown(&self, request: &ComparisonRequest, scale: Option<Scale>) -> String {
        let sides = self.total.sides;
        let scale = scale.filter(|_| self.unit() == Unit::Milliseconds);
        let scale =
            scale.unwrap_or_else(|| Scale::for_values(self.unit(), sides.before.max(sides.after)));
        let mut text = String::new();
        let file = |file: &super::ComparedFile| file.with_duration(&code(file.file));
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
        let words = steps.map(|words| format!("with {words}"));
        for words in words.into_iter().chain(self.conditions(scale)) {
            let _ = writeln!(text, "\n{}", visible(&sentence(&words)));
        }
        let _ = writeln!(text, "\n{}", self.verdict());
        if let Some(words) = self.about_async() {
            let _ = writeln!(text, "\n{words}");
        }
        self.warnings.iter().for_each(|warning| {
            let _ = writeln!(text, "\n⚠ {}", visible(warning));
        });
        self.write_table(&mut text, scale, request);
        for presence in [Presence::New, Presence::Vanished] {
            if let Some(words) = self.one_sided(presence, scale, code) {
                let _ = writeln!(text, "\n{words}");
            }
        }
        text
    }

    pub fn outside_user_code(&self, scale: Scale) -> Option<String> {
        let least = scale.least_shown();
        let is_shown = |sides: &Sides| sides.before >= least || sides.after >= least;
        let change = change(scale, self.outside_user_code.filter(is_shown)?);
        Some(match self.is_user_code_usual {
            true => messages::outside_usual_user_code(&change),
            false => messages::outside_user_code(&change),
        })
    }

    /// All counts are of rows of the table, shown or not.
    pub fn verdict(&self) -> String {
        let of_user_code = if self.is_user_code {
            messages::OF_USER_CODE
        } else {
            ""
        };
        let counted = |count: usize| format!("{}{of_user_code}", counted(count as u64, "method"));
        let all = self.differing(&self.changed);
        if all == 0 {
            return messages::no_differences(&counted(self.methods));
        }
        let methods = counted(all);
        let what = match self.is_count() {
            true => "",
            false => match self.order {
                ComparisonOrder::OwnAndSystem => messages::IN_OWN_AND_SYSTEM,
                ComparisonOrder::Inclusive => messages::IN_INCLUSIVE,
                _ => messages::IN_EXCLUSIVE,
            },
        };
        let methods = messages::changed(&methods, &what, &self.one_sided_counts());
        let beyond = self.beyond_chance();
        let [beyond, within] = [beyond, all - beyond].map(|rows| thousands(rows as u64));
        let several = messages::FOUR_FILES_NEEDED;
        match self.test() {
            "none" if self.counts() == Some(crate::model::CountKind::Calls) => {
                messages::changed_calls_exact(&methods, &several)
            }
            "none" => messages::changed_not_tested(&methods, &several),
            "ranks of files" => messages::changed_by_ranks(&methods, &beyond, &within),
            test if beyond == "0" => messages::none_by_errors(&methods, &within, &test),
            test => messages::changed_by_errors(&methods, &beyond, &within, &test),
        }
    }

    /// How many rows exist on one side only: ` (4 new, 1 gone)`.
    fn one_sided_counts(&self) -> String {
        let rows = self.changed.iter().filter(|row| self.differs(row));
        let sides: Vec<Presence> = rows.map(|row| self.presence(row)).collect();
        let words = [(Presence::New, "new"), (Presence::Vanished, "gone")];
        let counts = words.map(|(side, word)| {
            let count = sides.iter().filter(|&&other| other == side).count();
            (count > 0).then(|| format!("{} {word}", thousands(count as u64)))
        });
        let counts: Vec<String> = counts.into_iter().flatten().collect();
        match counts.is_empty() {
            true => String::new(),
            false => format!(" ({})", counts.join(", ")),
        }
    }

    pub fn about_async(&self) -> Option<&'static str> {
        let is_async = |row: &ComparedMethod| {
            let name = self.view.frames.display_name(row.frame);
            name.contains("(async")
        };
        let has_callees = self.order == ComparisonOrder::Inclusive;
        (has_callees && self.rows.iter().any(is_async)).then_some(messages::ABOUT_ASYNC_CALLERS)
    }

    /// Times use `scale`.
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
        let of_callees = scale;
        let (_, scale) = self.ordered_by(scale);
        let cells = move |row: &ComparedMethod| {
            let estimate = self.order.estimate(row);
            let sides = estimate.sides;
            let samples = self
                .samples(row)
                .map(|sides| sides.map(thousands).join(" → "));
            let [before, after] = Comparison::handles(row, request);
            let node = after.or_else(|| Some(format!("{} before", before?)));
            let [before, after] = [sides.before, sides.after].map(|value| scale.number(value));
            // an interval without 0 next to a mark that says it may be 0 would be confusing
            let is_sure = estimate.chance == Chance::Beyond;
            let margin = estimate.margin.filter(|_| is_sure);
            let ratio = self.ratio(row, scale);
            let has_interval = is_sure && ratio.starts_with('×');
            let interval = estimate.ratio_interval.filter(|_| has_interval);
            let cells = ComparedCells {
                mark: self.chance(row).mark(),
                name: self.view.frames.list_name(row.frame),
                before,
                after,
                delta: scale.signed(sides.delta()),
                margin: margin
                    .map(|margin| scale.margin(margin))
                    .unwrap_or_default(),
                ratio,
                ratio_interval: interval.map(factors).unwrap_or_default(),
                samples: samples.unwrap_or_default(),
                node: node.unwrap_or_default(),
                remarks: self.remarks(row, of_callees, &name),
            };
            (sides.delta(), cells)
        };
        self.rows.iter().filter(|row| self.differs(row)).map(cells)
    }

    /// Whether it is there on both sides with a sort value.
    fn presence(&self, row: &ComparedMethod) -> Presence {
        let Sides { before, after } = self.order.estimate(row).sides;
        match (row.presence, before, after) {
            (Presence::Both, 0, 1..) => Presence::New,
            (Presence::Both, 1.., 0) => Presence::Vanished,
            (presence, ..) => presence,
        }
    }

    fn ratio(&self, row: &ComparedMethod, scale: Scale) -> String {
        match self.presence(row) {
            Presence::New => "new".into(),
            Presence::Vanished => "gone".into(),
            Presence::Both => self.order.estimate(row).sides.ratio_words(scale),
        }
    }

    fn remarks(&self, row: &ComparedMethod, scale: Scale, name: impl Fn(&str) -> String) -> String {
        let mut remarks = Vec::new();
        if let Some(share) = self.waits_mostly(row) {
            let metric = &self.view.recording.measured(AFTER).name;
            remarks.push(match metric.eq_ignore_ascii_case("CPU") {
                true => messages::compared_waits_and_spins(&share),
                false => messages::compared_waits(&share),
            });
        }
        let is_sure = self.order.estimate(row).chance == Chance::Beyond;
        if self.topmost.contains(&row.frame) && !is_sure {
            let Sides { before, after } = row.inclusive.sides;
            let value = scale.with_unit(before.max(after));
            remarks.push(messages::with_callees(&value));
        }
        if let Some(callee) = self.explained_by(row.frame) {
            let callee = name(&self.view.frames.list_name(callee));
            remarks.push(messages::explained_by(&callee));
        }
        match remarks.is_empty() {
            true => String::new(),
            false => format!(" ({})", remarks.join("; ")),
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
        for (_, cells) in self.table(scale, request, code) {
            let ComparedCells {
                mark,
                before,
                after,
                delta,
                margin,
                ratio,
                ratio_interval,
                samples,
                node,
                name,
                remarks,
            } = cells;
            let name = format!("{}{remarks}", code(&name));
            let delta = format!("{delta}{}", with_prefix(" ", &margin));
            let ratio = match ratio_interval.is_empty() {
                true => ratio,
                false => format!("{ratio} ({ratio_interval})"),
            };
            let _ = writeln!(
                text,
                "| {mark} | {name} | {before} | {after} | {delta} | {ratio} | {samples} | {node} |"
            );
        }
        let (_, scale) = self.ordered_by(scale);
        if let Some(words) = self.outside_user_code(scale) {
            let _ = writeln!(text, "\n{}", sentence(&words));
        }
        if let Some(words) = self.words_of_rest(scale) {
            let _ = writeln!(text, "\n… {words}");
        }
    }

    pub fn words_of_rest(&self, scale: Scale) -> Option<String> {
        let left_out = self.rows_left_out();
        let mut words = counted(left_out as u64, "more method");
        let beyond = self.beyond_left_out();
        if beyond > 0 {
            words.push_str(&messages::marked_of_rest(&thousands(beyond as u64)));
        }
        if self.adds_up() {
            let unit = with_prefix(" ", scale.unit());
            let rest = format!("{}{unit}", scale.signed(self.rest));
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
        let most = NAMED.min(self.named);
        let value = |row: &&ComparedMethod| {
            let Sides { before, after } = row.inclusive.sides;
            let name = name(&self.view.frames.list_name(row.frame));
            format!("{name} {}", scale.with_unit(before.max(after)))
        };
        let mut named: Vec<String> = rows.iter().take(most).map(value).collect();
        let left_out = rows.len().saturating_sub(most);
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
    /// The factor, or `new` or `gone`.
    pub ratio: String,
    /// The ends of the ratio's 95 % interval.
    pub ratio_interval: String,
    /// Empty if counts are not samples.
    pub samples: String,
    /// The heaviest node after the change, or else before it.
    pub node: String,
    /// With a leading space.
    pub remarks: String,
}

/// Empty if `word` is.
pub fn with_prefix(others: &str, word: &str) -> String {
    if word.is_empty() {
        String::new()
    } else {
        format!("{others}{word}")
    }
}

/// `5,208.6 → 11,405.6 ms (+6,197.0 ms, ×2.19)`.
pub(super) fn change(scale: Scale, sides: Sides) -> String {
    let ratio = with_prefix(", ", &sides.ratio_words(scale));
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
