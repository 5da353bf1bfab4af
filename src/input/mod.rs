//! Files and streams, containers, and the syntaxes that several formats share. Knows no profile formats.

pub(crate) mod containers;
pub(crate) mod cursor;
pub(crate) mod error;
pub mod json;
pub(crate) mod known_files;
pub(crate) mod limits;
pub(crate) mod lines;
pub(crate) mod messages;
pub(crate) mod named_files;
pub(crate) mod packaging;
pub(crate) mod parallel_tail;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod xml;

pub use crate::model::Progress;
pub use error::{Failure, ImportError, Stage, name_of, plain};
pub(crate) use known_files::known_file;
pub use source::{Confidence, Head, Input};
pub(crate) use state::FileStates;
