//! How many frames have no name.

use crate::diagnostics::{Diagnostic, NamelessCause, TraceDiagnostic};

/// How many in a thousand are worth a word: a few frames lie in stubs without a name in good recordings, too, up to 3 % of them.
const NAMELESS_PERMILLE: u64 = 50;

/// Frames of samples, and how many of them have no name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameCounts {
    pub frames: u64,
    pub nameless: u64,
}

impl FrameCounts {
    /// Counts a frame.
    pub(super) fn add(&mut self, is_nameless: bool) {
        self.frames += 1;
        self.nameless += u64::from(is_nameless);
    }

    /// Counts those of a stack.
    pub(super) fn add_all(&mut self, stack: FrameCounts) {
        self.frames += stack.frames;
        self.nameless += stack.nameless;
    }

    /// How many in a thousand have no name, if that is worth a word.
    pub(super) fn permille(self) -> Option<u64> {
        let permille = (self.nameless * 1000).checked_div(self.frames)?;
        (permille >= NAMELESS_PERMILLE).then_some(permille)
    }

    /// That many have none, if that is worth a word.
    pub(super) fn diagnostic(self, cause: NamelessCause) -> Option<Diagnostic> {
        Some(Diagnostic::Trace(TraceDiagnostic::NamelessFrames {
            permille: self.permille()?,
            cause,
            nameless: Some(self.nameless),
            frames: Some(self.frames),
        }))
    }
}
