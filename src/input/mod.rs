//! Bytes: where a profile is read from, what it may be packed in, and the syntaxes that several formats share.
//!
//! No format is known here. What a reader needs of the files beside the one it reads is in [`SiblingFiles`], and which member of
//! an archive is the profile is ranked by whoever knows the formats, see [`containers::unpack`].

pub(crate) mod containers;
pub(crate) mod cursor;
pub(crate) mod error;
pub mod json;
pub(crate) mod limits;
pub(crate) mod lines;
pub(crate) mod looks;
pub(crate) mod messages;
pub(crate) mod packaging;
pub(crate) mod parallel_tail;
pub(crate) mod progress;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod xml;

pub use error::{Failure, ImportError, Stage, name_of, plain};
pub(crate) use looks::looks_like;
pub use progress::Progress;
pub use source::{Confidence, Head, Input};
pub(crate) use state::FileStates;
