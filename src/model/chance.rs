use super::{FrameId, Metric};
use crate::words::words;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Verdict {
        Significant = "beyond",
        MayBeChance = "within",
        /// A single measurement on each side.
        NotTested = "not tested",
        /// Call counts, which chance does not affect.
        Exact = "exact",
    }
}

impl Verdict {
    pub fn mark(self) -> &'static str {
        match self {
            Verdict::Significant => "●",
            Verdict::MayBeChance => "~",
            Verdict::NotTested => "",
            Verdict::Exact => "=",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedValue {
    Exclusive,
    Inclusive,
    /// Exclusive, plus the system code it calls.
    OwnAndSystem,
}

#[derive(Clone, Debug)]
pub struct ComparisonData {
    /// The original metric for each metric of the comparison.
    pub metrics: Vec<Metric>,
    pub leaves_out_waiting: bool,
    pub verdicts: Option<Verdicts>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// By frame and [`ComparedValue`].
    by_frame: Vec<[Option<Verdict>; 3]>,
}

impl Verdicts {
    pub fn new(rows: impl Iterator<Item = (FrameId, [Option<Verdict>; 3])>) -> Verdicts {
        let mut by_frame = Vec::new();
        for (frame, verdicts) in rows {
            if by_frame.len() <= frame.index() {
                by_frame.resize(frame.index() + 1, [None; 3]);
            }
            by_frame[frame.index()] = verdicts;
        }
        Verdicts { by_frame }
    }

    pub fn of(&self, frame: FrameId, value: ComparedValue) -> Option<Verdict> {
        self.by_frame.get(frame.index())?[value as usize]
    }
}
