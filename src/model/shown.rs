//! Names for people: rules from a raw name to a shown name, and whose code a frame is.

use super::{Category, FrameKind};

/// A name for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownName {
    /// The short name.
    pub text: String,
}

/// The module and the rest of a raw name `Module!Namespace.Type.Method`; the module is empty where there is none.
pub fn split_module(name: &str) -> (&str, &str) {
    match name.split_once('!') {
        Some((module, rest)) if !module.contains(['(', '<', '`', '[']) => (module, rest),
        _ => ("", name),
    }
}

/// The name for people of a frame with this kind and raw name.
pub fn shown_name(_kind: FrameKind, name: &str) -> ShownName {
    ShownName { text: split_module(name).1.to_string() }
}

/// Whose code a frame with this kind and raw name is.
pub fn category_of(kind: FrameKind, _name: &str) -> Category {
    match kind {
        FrameKind::Root | FrameKind::Thread => Category::Pseudo,
        FrameKind::Special => Category::Native,
        FrameKind::Method => Category::Own,
    }
}
