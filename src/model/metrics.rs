use super::MetricId;
use super::sampling_error::is_thin;
use crate::units::Unit;
use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
    pub enum CountKind {
        /// Calls at this place (tracing).
        Calls = "calls",
        /// Samples at or below this place (sampling).
        Samples = "samples",
        Unknown = "counts",
    }
}

impl CountKind {
    pub fn noun(self) -> &'static str {
        self.name().trim_end_matches('s')
    }
}

const ALLOCATED: &str = "allocated";

#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Metric {
    /// For instance `CPU`, `wall`, `time` or `samples`; distinct within a profile.
    pub name: String,
    pub unit: Unit,
    pub counts: Option<CountKind>,
}

impl Metric {
    /// `preferred` if it has values, else the first time metric with values, else the nearest before `preferred`, else
    /// the first after it.
    pub fn shown_first(
        metrics: &[Metric],
        preferred: MetricId,
        has_values: impl Fn(MetricId) -> bool,
    ) -> MetricId {
        if has_values(preferred) {
            return preferred;
        }
        let others = || {
            let metrics = (0..metrics.len()).map(MetricId::at);
            metrics.filter(|&metric| has_values(metric))
        };
        let time = others().find(|metric| metrics[metric.index()].unit == Unit::Milliseconds);
        let before = || others().rfind(|metric| *metric < preferred);
        time.or_else(before)
            .or_else(|| others().next())
            .unwrap_or(preferred)
    }

    pub fn new(name: impl Into<String>, unit: Unit, counts: Option<CountKind>) -> Metric {
        Metric {
            name: name.into(),
            unit,
            counts,
        }
    }

    pub fn time(name: &str, counts: Option<CountKind>) -> Metric {
        Metric::new(name, Unit::Milliseconds, counts)
    }

    /// Allocated bytes, estimated from the runtime's ticks, one about every 100 kB.
    pub fn allocated() -> Metric {
        Metric::new(ALLOCATED, Unit::Bytes, None)
    }

    pub fn is_estimate(&self) -> bool {
        self.unit == Unit::Bytes && self.name == ALLOCATED
    }

    /// Whether a value, with this many samples if known, is only an estimate.
    pub fn is_rough(&self, value: u64, samples: Option<u64>) -> bool {
        samples.is_some_and(is_thin) || (value > 0 && self.is_estimate())
    }

    /// Whether it measures running threads, so that waiting in it is spinning.
    pub fn is_running_time(&self) -> bool {
        self.unit == Unit::Milliseconds && self.name.eq_ignore_ascii_case("CPU")
    }

    /// Whether it may include waiting: wall time, and `time` of dotTrace and converted traces.
    pub fn may_wait(&self) -> bool {
        let is_called = |name: &str| self.name.eq_ignore_ascii_case(name);
        self.unit == Unit::Milliseconds && ["wall", "time"].into_iter().any(is_called)
    }
}

#[cfg(test)]
mod tests;
