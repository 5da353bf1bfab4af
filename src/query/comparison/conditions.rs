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
use crate::analysis::compared::{ComparedMethod, Estimate, Presence, Verdict, is_slower};
use crate::model::{CountKind, FrameId};
use crate::names::Category;
use crate::query::messages;
use crate::units::{Scale, Unit};
use regex::Regex;

const OPTION: &str = "--fail-if";
const SUBJECT: &str = r"(?:(?<what>exclusive|own|inclusive|calls)\s*\((?<method>.+)\)|(?<total>total)|any\s+(?<user>user\s+)?method)";
const LIMIT: &str = r">\s*\+?\s*([0-9.]+)\s*(%|ns|us|µs|ms|s)?";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Total,
    /// `exclusive`, `inclusive` or `calls`, and a name.
    Method(String, String),
    Any {
        only_user_code: bool,
    },
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
    pub is_met: bool,
    /// Without a leading capital or a full stop.
    pub sentence: String,
}

impl Condition {
    pub fn parse(text: &str) -> Result<Condition, QueryError> {
        Condition::read(text).ok_or_else(|| {
            let sentence = messages::condition_syntax(&OPTION, &text);
            QueryError::usage(sentence).advice(messages::CONDITION_EXAMPLES)
        })
    }

    fn read(text: &str) -> Option<Condition> {
        let syntax = format!(r"^\s*{SUBJECT}\s*(?<limits>{LIMIT}(?:\s*and\s*{LIMIT})*)\s*$");
        let parts = Regex::new(&syntax).ok()?.captures(text)?;
        let subject = match (parts.name("method"), parts.name("total")) {
            (Some(name), _) => {
                let name = name.as_str().trim().to_string();
                let what = match &parts["what"] {
                    "own" => "exclusive".into(),
                    what => what.to_string(),
                };
                Subject::Method(what, Some(name).filter(|name| !name.is_empty())?)
            }
            (None, Some(_)) => Subject::Total,
            (None, None) => Subject::Any {
                only_user_code: parts.name("user").is_some(),
            },
        };
        let limits = Regex::new(LIMIT).ok()?;
        let increases = limits.captures_iter(&parts["limits"]).map(|limit| {
            let number: f64 = limit[1].parse().ok()?;
            let unit = limit.get(2).map_or("", |unit| unit.as_str());
            let time = UNITS.into_iter().find(|(known, _)| *known == unit);
            Some(match time {
                _ if unit == "%" => Increase::Percent(number),
                Some((_, ns)) => Increase::Nanoseconds(number * ns),
                None => Increase::Number(number),
            })
        });
        Some(Condition {
            text: text.into(),
            subject,
            increases: increases.collect::<Option<_>>()?,
        })
    }

    /// Only significant changes count, unless `even_by_chance`. The total or a named method is tested alone and for
    /// increases only.
    pub fn outcome(
        &self,
        comparison: &Comparison,
        even_by_chance: bool,
    ) -> Result<Outcome, QueryError> {
        self.refuse_empty(comparison)?;
        let subjects = self.subjects(comparison)?;
        self.refuse_times(&subjects)?;
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
            (None, Some(reached), _) => match reached.estimate.verdict {
                Verdict::NotTested => (Some(*reached), messages::NOT_TESTED_FOR_CHANCE),
                _ => (Some(*reached), messages::MAY_BE_CHANCE_WITH_OPTION),
            },
            (None, None, [one]) => (Some(one), ""),
            (None, None, _) => (None, "no method"),
        };
        let subject = subject.map(ConditionSubject::words).unwrap_or_default();
        let is_met = failing.is_some();
        let not = if is_met { "" } else { "not " };
        Ok(Outcome {
            is_met,
            sentence: format!("{OPTION} '{}' is {not}met: {subject}{words}", self.text),
        })
    }

    /// A broken recording must not pass as a fast one.
    fn refuse_empty(&self, comparison: &Comparison) -> Result<(), QueryError> {
        let in_both = |row: &ComparedMethod| row.presence == Presence::Both;
        let why = match &self.subject {
            _ if comparison.total.sides.after == 0 => messages::NOTHING_AFTER,
            Subject::Total => return Ok(()),
            _ if comparison.all.iter().any(in_both) => return Ok(()),
            _ => messages::NO_METHOD_IN_BOTH,
        };
        Err(QueryError::usage(format!("{OPTION} {}: {why}", self.text)))
    }

    fn refuse_times(&self, subjects: &[ConditionSubject]) -> Result<(), QueryError> {
        let is_time = |increase: &Increase| matches!(increase, Increase::Nanoseconds(_));
        let is_number = |subject: &ConditionSubject| subject.unit != Unit::Milliseconds;
        if self.increases.iter().any(is_time) && subjects.iter().any(is_number) {
            let sentence = messages::limit_is_a_time(&OPTION, &self.text);
            return Err(QueryError::usage(sentence));
        }
        Ok(())
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
        if subjects.is_empty() && matches!(self.subject, Subject::Method(..)) {
            let sentence = messages::sides_do_not_both_count(&OPTION, &self.text);
            return Err(QueryError::usage(sentence));
        }
        Ok(subjects)
    }
}

/// Whether a subject that was named in advance has become slower beyond chance.
fn is_sure(estimate: &Estimate) -> bool {
    match (estimate.verdict, estimate.z) {
        (_, Some(z)) => is_slower(z),
        (Verdict::Exact | Verdict::Significant, None) => estimate.sides.delta() > 0,
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
        let has_calls = comparison.has_counts(CountKind::Calls);
        let estimate = match (row, what) {
            (Some(row), "exclusive") => row.exclusive,
            (Some(row), "inclusive") => row.inclusive,
            (Some(row), _) => row.counts.filter(|_| has_calls)?,
            (None, _) => Estimate::untested(Default::default(), Verdict::MayBeChance),
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
            is_sure: matches!(estimate.verdict, Verdict::Significant | Verdict::Exact),
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

#[cfg(test)]
mod tests;
