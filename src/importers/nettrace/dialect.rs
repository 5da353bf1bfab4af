//! The two ways to write objects.

/// How the versions differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Version 3: blocks hold events of which each brings its stack, and records of metadata among them.
    Old,
    /// Version 4: events, metadata, stacks and sequence points have blocks of their own.
    New,
}

impl Dialect {
    /// The tag at the start of an object and, again, at the start of its type.
    pub(super) fn begin_object(self) -> u8 {
        match self {
            Dialect::Old => 4,
            Dialect::New => 5,
        }
    }

    /// The versions of files.
    pub(super) fn versions(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Dialect::Old => 3..=3,
            Dialect::New => 4..=5,
        }
    }
}
