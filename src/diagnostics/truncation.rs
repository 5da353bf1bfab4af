use crate::names::truncated_at;
use crate::object::object;
use crate::units::{Scale, Unit, percent, thousands};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct StacksTruncated {
    pub limit_frames: u32,
    /// The metric of the amounts below, in stored units; `None` if they are numbers of samples.
    pub metric: Option<(String, Unit)>,
    pub total: u64,
    pub truncated: u64,
    pub repaired: u64,
    pub depth_uncertain: u64,
    pub is_repaired: bool,
}

impl StacksTruncated {
    /// The advice in the sentence about a repaired tree, which requires that the recorded tree is available, too.
    const ADVICE: &str =
        "; `dotspot info FILE --truncation` says more, --no-repair (key R) shows them as recorded";

    fn number(&self, amount: u64) -> String {
        match &self.metric {
            None => thousands(amount),
            Some((_, unit)) => Scale::for_values(*unit, self.total).with_unit(amount),
        }
    }

    /// The sentence without advice and full stop.
    pub fn findings(&self) -> String {
        let number = |amount: u64| self.number(amount);
        let limit = self.limit_frames;
        let marker = truncated_at(limit);
        let share = percent(self.truncated, self.total);
        let (truncated, total) = (number(self.truncated), number(self.total));
        let what = match &self.metric {
            None => format!("{truncated} of {total} samples ({share:.1} %)"),
            Some((name, _)) => format!("Stacks with {truncated} of {total} {name} ({share:.1} %)"),
        };
        let uncertain = match self.depth_uncertain {
            0 => String::new(),
            uncertain => format!(
                " ({} within recursion, at an uncertain depth)",
                number(uncertain)
            ),
        };
        let left = self.truncated.saturating_sub(self.repaired);
        let outcome = match (self.is_repaired, left) {
            (false, _) => format!(
                "their outermost callers are missing, so they appear under {marker} in their thread"
            ),
            (true, 0) => format!("all of them are repaired{uncertain}"),
            (true, left) => format!(
                "{} repaired{uncertain}, {} left below {marker}",
                number(self.repaired),
                number(left)
            ),
        };
        format!("{what} truncated at {limit} frames: {outcome}")
    }
}

impl fmt::Display for StacksTruncated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = if self.is_repaired { Self::ADVICE } else { "" };
        write!(f, "{}{advice}.", self.findings())
    }
}

impl Serialize for StacksTruncated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (metric, unit) = match &self.metric {
            None => ("samples", Unit::Count),
            Some((name, unit)) => (name.as_str(), *unit),
        };
        object! {
            limit_frames: self.limit_frames,
            metric,
            unit: unit.name(),
            total: unit.to_unit(self.total),
            truncated: unit.to_unit(self.truncated),
            repaired: unit.to_unit(self.repaired),
            depth_uncertain: unit.to_unit(self.depth_uncertain),
            is_repaired: self.is_repaired,
        }
        .serialize(serializer)
    }
}
