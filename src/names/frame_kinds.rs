use crate::words::words;
use borsh::{BorshDeserialize, BorshSerialize};

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
    pub enum FrameKind {
        Root = "root",
        Process = "process",
        Thread = "thread",
        Method = "method",
        /// Not a method of the program: garbage collection, native code, what could not be resolved.
        Special = "special",
    }
}

impl FrameKind {
    pub fn is_code(self) -> bool {
        matches!(self, FrameKind::Method | FrameKind::Special)
    }
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
    pub enum Category {
        User = "user code",
        /// A library that does not come with .NET, or a test host.
        Library = "library code",
        /// .NET itself and what Microsoft builds on it: the base class library, ASP.NET, EF Core, MAUI, runtime
        /// modules.
        System = "system code",
        /// Native code and the runtime's own work.
        Native = "native",
        /// Not code: roots, processes and threads.
        Pseudo = "pseudo",
    }
}

/// The frame above stacks whose outermost callers the recorder dropped.
pub fn truncated_at(limit: u32) -> String {
    format!("[truncated at {limit} frames]")
}
