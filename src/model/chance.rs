//! Whether the differences of a comparison may be chance.

use super::{FrameId, Metric};

/// Whether a difference may be chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chance {
    /// More than chance.
    Beyond,
    /// It may be chance.
    Within,
    /// Unknown: a single measurement on each side.
    NotTested,
    /// There is no chance in it: counts of calls.
    Exact,
}

impl Chance {
    pub fn name(self) -> &'static str {
        match self {
            Chance::Beyond => "beyond",
            Chance::Within => "within",
            Chance::NotTested => "not tested",
            Chance::Exact => "exact",
        }
    }

    pub fn mark(self) -> &'static str {
        match self {
            Chance::Beyond => "●",
            Chance::Within => "~",
            Chance::NotTested => "",
            Chance::Exact => "=",
        }
    }
}

/// Which of a method's values is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedValue {
    Exclusive,
    Inclusive,
    /// With the system code that it calls.
    OwnAndSystem,
}

/// What a comparison compares, and what is known about the differences.
#[derive(Clone, Debug)]
pub struct Compares {
    /// By metric of the comparison: the one of its profile.
    pub metrics: Vec<Metric>,
    /// Whether waiting is left out on both sides.
    pub leaves_out_waiting: bool,
    /// Whether the differences of methods may be chance, if that was judged.
    pub verdicts: Option<Verdicts>,
}

/// What is known about the differences of all methods of a comparison, over the whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// By frame and [`ComparedValue`].
    by_frame: Vec<[Option<Chance>; 3]>,
}

impl Verdicts {
    /// Those of methods, each with the verdicts on its values.
    pub fn new(rows: impl Iterator<Item = (FrameId, [Option<Chance>; 3])>) -> Verdicts {
        let mut by_frame = Vec::new();
        for (frame, verdicts) in rows {
            if by_frame.len() <= frame.index() {
                by_frame.resize(frame.index() + 1, [None; 3]);
            }
            by_frame[frame.index()] = verdicts;
        }
        Verdicts { by_frame }
    }

    /// The verdict on one of a method's values.
    pub fn of(&self, frame: FrameId, value: ComparedValue) -> Option<Chance> {
        self.by_frame.get(frame.index())?[value as usize]
    }
}
