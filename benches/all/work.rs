//! A work, what bounds it, and how long it took.

use std::time::Instant;

/// Something that is done, and what bounds it.
pub struct Work {
    pub name: String,
    /// What is read.
    pub megabytes: f64,
    /// Does it, and gives the seconds that count and a number of what was found.
    pub run: Box<dyn Fn() -> Took>,
    pub bound: Bound,
    /// The most that the ratio of both is to be.
    pub bar: Option<f64>,
}

/// What a work can't be faster than, or is held against.
pub struct Bound {
    pub name: &'static str,
    pub run: Box<dyn Fn() -> Took>,
}

/// What one round took.
pub struct Took {
    pub seconds: f64,
    /// So that nothing is left out: what was found, never 0.
    pub found: u64,
}

impl Took {
    /// Does something, and takes the time.
    pub fn of(work: impl FnOnce() -> u64) -> Took {
        let start = Instant::now();
        let found = std::hint::black_box(work());
        Took {
            seconds: start.elapsed().as_secs_f64(),
            found,
        }
    }
}
