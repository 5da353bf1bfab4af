//! Conditions on a comparison that fail a build: `own(PriceRules.Discount) > +10% and > 20ms`.
//!
//! | part | syntax |
//! |---|---|
//! | subject | `own(METHOD)`, `inclusive(METHOD)`, `calls(METHOD)`, `total`, `any method`, `any user method` |
//! | condition | `> +10%`, `> 20ms` (also `s`, `us`, `µs`, `ns`) or `> 100` (calls, samples, bytes): the minimum increase over the value before the change |
//! | several conditions | joined by `and`; all must hold |

use super::super::QueryError;
use super::super::methods::frames_named;
use super::super::range::UNITS;
use super::{Comparison, has_changed};
use crate::analysis::compared::{Chance, ComparedMethod, Estimate, Presence, is_slower};
use crate::model::FrameId;
use crate::names::Category;
use crate::query::messages;
use crate::units::{Scale, Unit};

const OPTION: &str = "--fail-if";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Total,
    Method(&'static str, String),
    Any { only_user_code: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Increase {
    Percent(f64),
    Nanoseconds(f64),
    Number(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    subject: Subject,
    increases: Vec<Increase>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub holds: bool,
    /// Without a leading capital or a full stop.
    pub sentence: String,
}

impl Condition {
    pub fn parse(text: &str) -> Result<Condition, QueryError> {
        let mut reader = ConditionReader { text, at: 0 };
        let subject = reader.subject()?;
        let mut increases = vec![reader.increase()?];
        while reader.skip("and") {
            increases.push(reader.increase()?);
        }
        reader.skip_spaces();
        if reader.at < text.len() {
            return Err(reader.expected(messages::OR_END));
        }
        Ok(Condition {
            text: text.into(),
            subject,
            increases,
        })
    }

    /// Only significant changes count, unless `even_by_chance`. The total or a named method is tested alone and for
    /// increases only; `any method` together with all others.
    pub fn outcome(
        &self,
        comparison: &Comparison,
        even_by_chance: bool,
    ) -> Result<Outcome, QueryError> {
        let subjects = self.subjects(comparison)?;
        let is_reached = |one: &&ConditionSubject| {
            self.increases
                .iter()
                .all(|increase| increase.is_reached(one))
        };
        let reached: Vec<&ConditionSubject> = subjects.iter().filter(is_reached).collect();
        let failing = reached.iter().find(|one| even_by_chance || one.is_sure);
        let (subject, words) = match (failing, reached.first(), &subjects[..]) {
            (Some(failing), ..) if failing.is_sure => (Some(*failing), ""),
            (Some(failing), ..) => (Some(*failing), messages::MAY_BE_CHANCE),
            (None, Some(reached), _) => match reached.estimate.chance {
                Chance::NotTested => (Some(*reached), messages::NOT_TESTED_FOR_CHANCE),
                _ => (Some(*reached), messages::MAY_BE_CHANCE_WITH_OPTION),
            },
            (None, None, [one]) => (Some(one), ""),
            (None, None, _) => (None, "no method"),
        };
        let subject = subject.map(ConditionSubject::words).unwrap_or_default();
        Ok(Outcome {
            holds: failing.is_some(),
            sentence: format!("{OPTION} {}: {subject}{words}", self.text),
        })
    }

    fn subjects(&self, comparison: &Comparison) -> Result<Vec<ConditionSubject>, QueryError> {
        let frames = &comparison.view.frames;
        let mut subjects: Vec<ConditionSubject> = match &self.subject {
            Subject::Total => vec![ConditionSubject {
                name: "the total".into(),
                estimate: comparison.total,
                is_sure: is_sure(&comparison.total),
                unit: comparison.unit(),
            }],
            Subject::Method(what, name) => frames_named(&comparison.view, OPTION, name)?
                .iter()
                .filter_map(|&frame| ConditionSubject::named_method(comparison, frame, what))
                .collect(),
            Subject::Any { only_user_code } => {
                let is_wanted =
                    |frame| !only_user_code || frames.get(frame).category == Category::User;
                let rows = comparison.all.iter();
                let rows = rows.filter(|row| has_changed(row) && is_wanted(row.frame));
                rows.map(|row| ConditionSubject::any_method(comparison, row))
                    .collect()
            }
        };
        subjects.sort_by_key(|subject| std::cmp::Reverse(subject.estimate.sides.delta()));
        if subjects.is_empty() && matches!(self.subject, Subject::Method("calls", _)) {
            let sentence = messages::sides_do_not_both_count(&OPTION, &self.text);
            return Err(QueryError::not_found(sentence));
        }
        Ok(subjects)
    }
}

/// Whether a subject that was named in advance has become slower beyond chance.
fn is_sure(estimate: &Estimate) -> bool {
    match (estimate.chance, estimate.z) {
        (_, Some(z)) => is_slower(z),
        (Chance::Exact | Chance::Beyond, None) => estimate.sides.delta() > 0,
        _ => false,
    }
}

struct ConditionSubject {
    name: String,
    estimate: Estimate,
    is_sure: bool,
    unit: Unit,
}

impl ConditionSubject {
    fn named_method(
        comparison: &Comparison,
        frame: FrameId,
        what: &str,
    ) -> Option<ConditionSubject> {
        let row = comparison.all.iter().find(|row| row.frame == frame);
        let estimate = match (row, what) {
            (Some(row), "exclusive") => row.exclusive,
            (Some(row), "inclusive") => row.inclusive,
            (Some(row), _) => row.counts?,
            (None, _) => Estimate::untested(Default::default(), Chance::Within),
        };
        let new = row.filter(|row| row.presence == Presence::New);
        let is_new = new.and_then(|row| row.inclusive.z).is_some_and(is_slower);
        let name = format!("{what} {}", comparison.view.frames.list_name(frame));
        let is_sure = is_sure(&estimate) || is_new && estimate.sides.delta() > 0;
        Some(ConditionSubject {
            name,
            estimate,
            is_sure,
            unit: match what {
                "calls" => Unit::Count,
                _ => comparison.unit(),
            },
        })
    }

    fn any_method(comparison: &Comparison, row: &ComparedMethod) -> ConditionSubject {
        let estimate = comparison.judged_by.estimate(row);
        ConditionSubject {
            name: comparison.view.frames.list_name(row.frame).into_owned(),
            estimate,
            is_sure: matches!(estimate.chance, Chance::Beyond | Chance::Exact),
            unit: match comparison.is_count() {
                true => Unit::Count,
                false => comparison.unit(),
            },
        }
    }

    fn words(&self) -> String {
        let sides = self.estimate.sides;
        let scale = Scale::for_values(self.unit, sides.larger());
        let change = match sides.ratio() {
            _ if sides.delta() == 0 => "has not changed".to_string(),
            Some(ratio) => format!("{:+.1} %", (ratio - 1.0) * 100.0),
            None => "new".into(),
        };
        let [before, after] = [scale.number(sides.before), scale.with_unit(sides.after)];
        messages::condition_values(&self.name, &before, &after, &change)
    }
}

impl Increase {
    fn is_reached(self, subject: &ConditionSubject) -> bool {
        let (sides, unit) = (subject.estimate.sides, subject.unit);
        let delta = sides.delta() as f64;
        match self {
            Increase::Percent(percent) => delta > sides.before as f64 * percent / 100.0,
            Increase::Nanoseconds(ns) => unit == Unit::Milliseconds && delta > ns,
            Increase::Number(number) => delta > number * unit.stored_per_unit() as f64,
        }
    }
}

struct ConditionReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> ConditionReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn skip(&mut self, word: &str) -> bool {
        self.skip_spaces();
        let is_next = self.rest().starts_with(word);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    fn expected(&self, what: &str) -> QueryError {
        let column = self.text[..self.at].chars().count() + 1;
        let found = match self.rest().split_whitespace().next() {
            Some(word) => format!("`{word}`"),
            None => "its end".into(),
        };
        let sentence = messages::condition_syntax(&OPTION, &self.text, &column, &what, &found);
        QueryError::usage(sentence).advice(messages::CONDITION_EXAMPLES)
    }

    fn subject(&mut self) -> Result<Subject, QueryError> {
        for word in ["exclusive", "own", "inclusive", "calls"] {
            if self.skip(word) {
                let what = if word == "own" { "exclusive" } else { word };
                return Ok(Subject::Method(what, self.method()?));
            }
        }
        if self.skip("total") {
            return Ok(Subject::Total);
        }
        if self.skip("any") {
            let only_user_code = self.skip("user");
            return match self.skip("method") {
                true => Ok(Subject::Any { only_user_code }),
                false => Err(self.expected(messages::METHOD_OR_USER_METHOD)),
            };
        }
        Err(self.expected(messages::CONDITION_SUBJECTS))
    }

    /// A method's name in parentheses, which may contain parentheses itself.
    fn method(&mut self) -> Result<String, QueryError> {
        if !self.skip("(") {
            return Err(self.expected("`(` and a method"));
        }
        let mut depth = 1;
        for (at, c) in self.rest().char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                let name = self.rest()[..at].trim().to_string();
                if name.is_empty() {
                    return Err(self.expected(messages::A_METHOD_NAME));
                }
                self.at += at + 1;
                return Ok(name);
            }
        }
        self.at = self.text.len();
        Err(self.expected("`)`"))
    }

    fn increase(&mut self) -> Result<Increase, QueryError> {
        if !self.skip(">") {
            return Err(self.expected("`>`"));
        }
        self.skip("+");
        self.skip_spaces();
        let is_digit = |c: char| c.is_ascii_digit() || c == '.';
        let digits = self.rest().len() - self.rest().trim_start_matches(is_digit).len();
        let Ok(number) = self.rest()[..digits].parse::<f64>() else {
            return Err(self.expected(messages::A_LIMIT));
        };
        self.at += digits;
        if self.skip("%") {
            return Ok(Increase::Percent(number));
        }
        let unit = UNITS.into_iter().find(|(unit, _)| self.skip(unit));
        Ok(match unit {
            Some((_, ns)) => Increase::Nanoseconds(number * ns),
            None => Increase::Number(number),
        })
    }
}

#[cfg(test)]
mod tests;
