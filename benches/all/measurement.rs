//! A measurement, its lower bound, and how long a round took.

use std::time::Instant;

pub struct Measurement {
    pub name: String,
    /// The size of the file.
    pub megabytes: f64,
    pub run: Box<dyn Fn() -> Timing>,
    pub bound: Bound,
    /// The target for the ratio of the medians.
    pub max_ratio: Option<f64>,
}

/// What a measurement is compared with.
pub struct Bound {
    pub name: &'static str,
    pub run: Box<dyn Fn() -> Timing>,
}

pub struct Timing {
    pub seconds: f64,
    /// How much was found, never 0: proves that nothing was skipped.
    pub found: u64,
}

impl Timing {
    pub fn of(work: impl FnOnce() -> u64) -> Timing {
        let start = Instant::now();
        let found = std::hint::black_box(work());
        Timing {
            seconds: start.elapsed().as_secs_f64(),
            found,
        }
    }
}
