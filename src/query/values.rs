//! Values and metrics as documents have them.

use crate::model::{CountKind, MetricId, Profile, Unit};
use serde::Serialize;

/// A value of a metric in JSON: milliseconds as they are, whole things as whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a metric of time.
    Milliseconds(f64),
    /// Bytes, or a number of something.
    Whole(u64),
}

impl Value {
    /// What is stored as this in a metric of the unit: nanoseconds, bytes or a number.
    pub fn new(unit: Unit, stored: u64) -> Value {
        match unit {
            Unit::Milliseconds => Value::Milliseconds(unit.to_unit(stored)),
            Unit::Count | Unit::Bytes => Value::Whole(stored),
        }
    }
}

/// A metric in JSON.
#[derive(Debug, Serialize)]
pub struct MetricName<'a> {
    /// What it is called.
    pub name: &'a str,
    /// The name of its unit.
    pub unit: &'static str,
}

impl<'a> MetricName<'a> {
    pub(super) fn new(profile: &'a Profile, id: MetricId) -> MetricName<'a> {
        let metric = profile.metric(id);
        MetricName { name: &metric.name, unit: metric.unit.name() }
    }
}

/// A count of a metric if it is of this kind.
pub(super) fn count_if(profile: &Profile, metric: MetricId, kind: CountKind, count: Option<u64>) -> Option<u64> {
    count.filter(|_| profile.metric(metric).counts == Some(kind))
}
