use crate::diagnostics::{Diagnostic, NamelessCause};

/// In permille. Good recordings have up to 3 % of their frames in stubs without a name.
const NAMELESS_PERMILLE: u64 = 50;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameCounts {
    pub frames: u64,
    pub nameless: u64,
}

impl FrameCounts {
    pub(super) fn add(&mut self, is_nameless: bool) {
        self.frames += 1;
        self.nameless += u64::from(is_nameless);
    }

    pub(super) fn add_all(&mut self, stack: FrameCounts) {
        self.frames += stack.frames;
        self.nameless += stack.nameless;
    }

    pub(super) fn times(self, stacks: u64) -> FrameCounts {
        FrameCounts {
            frames: self.frames * stacks,
            nameless: self.nameless * stacks,
        }
    }

    pub(super) fn any_permille(self) -> Option<u64> {
        let permille = (self.nameless * 1000).checked_div(self.frames);
        permille.filter(|_| self.nameless > 0)
    }

    /// If worth reporting.
    pub(super) fn permille(self) -> Option<u64> {
        self.any_permille()
            .filter(|&permille| permille >= NAMELESS_PERMILLE)
    }

    pub(super) fn diagnostic(self, cause: NamelessCause) -> Option<Diagnostic> {
        Some(Diagnostic::NamelessFrames {
            permille: self.permille()?,
            cause,
            nameless: Some(self.nameless),
            frames: Some(self.frames),
        })
    }
}

pub(super) fn nameless(permille: u64, cause: NamelessCause) -> Diagnostic {
    Diagnostic::NamelessFrames {
        permille,
        cause,
        nameless: None,
        frames: None,
    }
}
