use crate::object::object;
use crate::units::{Scale, Unit, percent};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Serialize, Serializer};

/// How to include waiting: the explorer's key, unless it is bound otherwise, and the flag of commands.
pub const WAITING_KEY_OR_FLAG: &str = "W or --waiting";

/// A part of a metric's total.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Share {
    pub metric: String,
    pub unit: Unit,
    /// In stored units.
    pub part: u64,
    pub whole: u64,
}

impl Share {
    pub fn percent(&self) -> f64 {
        percent(self.part, self.whole)
    }

    pub(super) fn words(&self) -> String {
        Scale::for_values(self.unit, self.whole).with_unit(self.part)
    }

    /// The metric as the name of a time.
    pub(super) fn time(&self) -> String {
        match self.metric.as_str() {
            "time" => "time".into(),
            metric => format!("{metric} time"),
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object! {
            metric: &self.metric,
            unit: self.unit.name(),
            part: self.unit.to_unit(self.part),
            whole: self.unit.to_unit(self.whole),
        }
        .serialize(serializer)
    }
}

pub(super) fn waits_on_cpu(share: &Share, method: &str) -> String {
    let subject = match share.metric.as_str() {
        "CPU" => {
            "Threads that spin while looking for work count as running; the program's own work"
        }
        _ => "The program's own work",
    };
    format!(
        "{:.1} % of the {} ({}) is in waits and spins, above all in calls of {method}. {subject} is in the rest.",
        share.percent(),
        share.time(),
        share.words()
    )
}
