//! The kinds of frames, and whose code they are.

use borsh::{BorshDeserialize, BorshSerialize};

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum FrameKind {
    /// The synthetic root above all threads.
    Root,
    /// A process, above its threads.
    Process,
    Thread,
    Method,
    /// Not a method of the program: garbage collection, native code, what could not be resolved.
    Special,
}

impl FrameKind {
    /// All kinds in declaration order.
    pub const ALL: [FrameKind; 5] = [
        FrameKind::Root,
        FrameKind::Process,
        FrameKind::Thread,
        FrameKind::Method,
        FrameKind::Special,
    ];

    /// The kind's name in call-tree JSON: `root`, `process`, `thread`, `method` or `special`.
    pub fn name(self) -> &'static str {
        match self {
            FrameKind::Root => "root",
            FrameKind::Process => "process",
            FrameKind::Thread => "thread",
            FrameKind::Method => "method",
            FrameKind::Special => "special",
        }
    }

    /// The kind that [`FrameKind::name`] calls `name`.
    pub fn from_name(name: &str) -> Option<FrameKind> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether frames of this kind belong in lists of hotspots: roots, processes and threads do not.
    pub fn is_hotspot(self) -> bool {
        matches!(self, FrameKind::Method | FrameKind::Special)
    }
}

/// Whose code a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Category {
    /// User code: everything not known to be .NET, a library or native code.
    User,
    /// A library that does not come with .NET, or a test host.
    Library,
    /// .NET itself and what Microsoft builds on it: the base class library, ASP.NET, EF Core, MAUI, runtime modules.
    System,
    /// Native code and the runtime's own work.
    Native,
    /// Not code: roots, processes and threads.
    Pseudo,
}

impl Category {
    /// The words for people: `user code`, `library code`, `system code`, `native`, `pseudo`.
    pub fn name(self) -> &'static str {
        match self {
            Category::User => "user code",
            Category::Library => "library code",
            Category::System => "system code",
            Category::Native => "native",
            Category::Pseudo => "pseudo",
        }
    }
}

/// The name of the frame above stacks whose outermost callers the recorder dropped.
pub fn truncated_at(limit: u32) -> String {
    format!("[truncated at {limit} frames]")
}
