//! Conditions on a comparison that fail a build: `own(PriceRules.Discount) > +10% and > 20ms`.
//!
//! | part | syntax |
//! |---|---|
//! | subject | `own(METHOD)`, `inclusive(METHOD)`, `calls(METHOD)`, `total`, `any method`, `any user method` |
//! | condition | `> +10%`, `> 20ms` (also `s`, `us`, `µs`, `ns`) or `> 100` (calls, samples, bytes): the minimum increase over the value before the change |
//! | several conditions | joined by `and`; all must hold |

use super::super::QueryError;
use super::super::methods::frames_named;
use super::{Comparison, has_changed};
use crate::analysis::HotspotOrder;
use crate::analysis::compared::{Chance, Estimate, Presence, is_slower};
use crate::model::FrameId;
use crate::names::Category;
use crate::query::messages;
use crate::units::{Scale, Unit};

const OPTION: &str = "--fail-if";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Total,
    /// A value of a method: `own`, `inclusive` or `calls`.
    Method(&'static str, String),
    Any {
        is_user_code: bool,
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
    more: Vec<Increase>,
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
        let mut more = vec![reader.more()?];
        while reader.skipped("and") {
            more.push(reader.more()?);
        }
        reader.skip_spaces();
        if reader.at < text.len() {
            return Err(reader.expected(messages::OR_END));
        }
        Ok(Condition {
            text: text.into(),
            subject,
            more,
        })
    }

    /// Only significant changes count, unless `even_by_chance`. The total or a named method is tested alone and for
    /// increases only; `any method` together with all others.
    pub fn outcome(
        &self,
        comparison: &Comparison,
        even_by_chance: bool,
    ) -> Result<Outcome, QueryError> {
        let judged = self.judged(comparison)?;
        let says = |judged: &ConditionSubject| {
            self.more
                .iter()
                .all(|more| more.is_reached(judged, comparison))
        };
        let reached: Vec<&ConditionSubject> = judged.iter().filter(|judged| says(judged)).collect();
        let counts = |judged: &&&ConditionSubject| even_by_chance || judged.is_sure;
        let sentence = |judged: &ConditionSubject, words: &str| {
            format!(
                "{OPTION} {}: {}{words}",
                self.text,
                judged.words(comparison)
            )
        };
        if let Some(failing) = reached.iter().find(counts) {
            let chance = if failing.is_sure {
                ""
            } else {
                messages::MAY_BE_CHANCE
            };
            return Ok(Outcome {
                holds: true,
                sentence: sentence(failing, chance),
            });
        }
        let sentence = match (reached.first(), judged.first()) {
            (Some(reached), _) => {
                let why = match reached.estimate.chance {
                    Chance::NotTested => messages::NOT_TESTED_FOR_CHANCE,
                    _ => messages::MAY_BE_CHANCE_WITH_OPTION,
                };
                sentence(reached, why)
            }
            (None, Some(one)) if judged.len() == 1 => sentence(one, ""),
            _ => format!("{OPTION} {}: no method", self.text),
        };
        Ok(Outcome {
            holds: false,
            sentence,
        })
    }

    /// Largest difference first.
    fn judged(&self, comparison: &Comparison) -> Result<Vec<ConditionSubject>, QueryError> {
        let frames = &comparison.view.frames;
        let mut judged: Vec<ConditionSubject> = match &self.subject {
            Subject::Total => vec![ConditionSubject {
                name: "the total".into(),
                estimate: comparison.total,
                is_sure: is_sure(&comparison.total),
                is_count: false,
            }],
            Subject::Method(what, name) => frames_named(&comparison.view, OPTION, name)?
                .iter()
                .filter_map(|&frame| ConditionSubject::of_method(comparison, frame, what))
                .collect(),
            Subject::Any { is_user_code } => comparison
                .all
                .iter()
                .filter(|row| has_changed(row))
                .filter(|row| !is_user_code || frames.get(row.frame).category == Category::User)
                .map(|row| ConditionSubject {
                    name: frames.list_name(row.frame).into_owned(),
                    estimate: comparison.judged_by.estimate(row),
                    is_sure: matches!(
                        comparison.judged_by.estimate(row).chance,
                        Chance::Beyond | Chance::Exact
                    ),
                    is_count: comparison.is_count(),
                })
                .collect(),
        };
        judged.sort_by_key(|judged| std::cmp::Reverse(judged.estimate.sides.delta()));
        if judged.is_empty() && matches!(self.subject, Subject::Method("calls", _)) {
            let sentence = messages::sides_do_not_both_count(&OPTION, &self.text);
            return Err(QueryError::not_found(sentence));
        }
        Ok(judged)
    }
}

/// For a subject named in advance.
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
    is_count: bool,
}

impl ConditionSubject {
    /// `None` if it has no comparable calls.
    fn of_method(comparison: &Comparison, frame: FrameId, what: &str) -> Option<ConditionSubject> {
        let row = comparison.all.iter().find(|row| row.frame == frame);
        let estimate = match (row, what) {
            (Some(row), "exclusive") => *row.estimate(HotspotOrder::Exclusive),
            (Some(row), "inclusive") => *row.estimate(HotspotOrder::Inclusive),
            (Some(row), _) => row.counts?,
            (None, _) => Estimate::untested(Default::default(), Chance::Within),
        };
        let is_new = row.is_some_and(|row| {
            row.presence == Presence::New && row.inclusive.z.is_some_and(is_slower)
        });
        let name = format!("{what} {}", comparison.view.frames.list_name(frame));
        let is_sure = is_sure(&estimate) || is_new && estimate.sides.delta() > 0;
        Some(ConditionSubject {
            name,
            estimate,
            is_sure,
            is_count: what == "calls",
        })
    }

    fn words(&self, comparison: &Comparison) -> String {
        let sides = self.estimate.sides;
        let unit = if self.is_count {
            Unit::Count
        } else {
            comparison.unit()
        };
        let scale = Scale::for_values(unit, sides.before.max(sides.after));
        let change = match sides.ratio() {
            _ if sides.delta() == 0 => "has not changed".to_string(),
            Some(ratio) => format!("{:+.1} %", (ratio - 1.0) * 100.0),
            None => "new".into(),
        };
        messages::condition_values(
            &self.name,
            &scale.number(sides.before),
            &scale.with_unit(sides.after),
            &change,
        )
    }
}

impl Increase {
    fn is_reached(self, judged: &ConditionSubject, comparison: &Comparison) -> bool {
        let sides = judged.estimate.sides;
        let delta = sides.delta() as f64;
        let unit = if judged.is_count {
            Unit::Count
        } else {
            comparison.unit()
        };
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

    fn skipped(&mut self, word: &str) -> bool {
        self.skip_spaces();
        let is_next = self.rest().starts_with(word);
        if is_next {
            self.at += word.len();
        }
        is_next
    }

    fn expected(&self, what: &str) -> QueryError {
        let column = self.text[..self.at].chars().count() + 1;
        let found = self
            .rest()
            .split_whitespace()
            .next()
            .map_or("its end".to_string(), |word| format!("`{word}`"));
        let sentence = messages::condition_syntax(&OPTION, &self.text, &column, &what, &found);
        QueryError::usage(sentence).advice(messages::CONDITION_EXAMPLES)
    }

    fn subject(&mut self) -> Result<Subject, QueryError> {
        for word in ["exclusive", "own", "inclusive", "calls"] {
            if self.skipped(word) {
                let what = if word == "own" { "exclusive" } else { word };
                return Ok(Subject::Method(what, self.method()?));
            }
        }
        if self.skipped("total") {
            return Ok(Subject::Total);
        }
        if self.skipped("any") {
            let is_user_code = self.skipped("user");
            return match self.skipped("method") {
                true => Ok(Subject::Any { is_user_code }),
                false => Err(self.expected(messages::METHOD_OR_USER_METHOD)),
            };
        }
        Err(self.expected(messages::CONDITION_SUBJECTS))
    }

    /// A method's name in parentheses, which may contain parentheses itself.
    fn method(&mut self) -> Result<String, QueryError> {
        if !self.skipped("(") {
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

    fn more(&mut self) -> Result<Increase, QueryError> {
        if !self.skipped(">") {
            return Err(self.expected("`>`"));
        }
        self.skipped("+");
        self.skip_spaces();
        let digits = self
            .rest()
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(self.rest().len());
        let Ok(number) = self.rest()[..digits].parse::<f64>() else {
            return Err(self.expected(messages::A_LIMIT));
        };
        self.at += digits;
        let units = [
            ("%", None),
            ("ms", Some(1e6)),
            ("us", Some(1e3)),
            ("µs", Some(1e3)),
            ("ns", Some(1.0)),
            ("s", Some(1e9)),
        ];
        for (unit, ns) in units {
            if self.skipped(unit) {
                return Ok(ns.map_or(Increase::Percent(number), |ns| {
                    Increase::Nanoseconds(number * ns)
                }));
            }
        }
        Ok(Increase::Number(number))
    }
}

#[cfg(test)]
mod tests;
