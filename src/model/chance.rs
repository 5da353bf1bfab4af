//! Whether the differences of a comparison may be chance.

use super::FrameId;

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

/// What is known of the differences of all methods of a comparison, over the whole of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// By frame: of exclusive values, and of inclusive ones.
    by_frame: Vec<[Option<Chance>; 2]>,
}

impl Verdicts {
    /// Those of methods, each with the verdicts on its exclusive and its inclusive value.
    pub fn new(rows: impl Iterator<Item = (FrameId, [Chance; 2])>) -> Verdicts {
        let mut by_frame = Vec::new();
        for (frame, verdicts) in rows {
            if by_frame.len() <= frame.index() {
                by_frame.resize(frame.index() + 1, [None; 2]);
            }
            by_frame[frame.index()] = verdicts.map(Some);
        }
        Verdicts { by_frame }
    }

    /// The verdict on a method's exclusive value, or on the inclusive one.
    pub fn of(&self, frame: FrameId, is_inclusive: bool) -> Option<Chance> {
        self.by_frame.get(frame.index())?[usize::from(is_inclusive)]
    }
}
