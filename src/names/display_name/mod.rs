//! Display names: turns a raw name into a short one that reads like the source.
//!
//! Names that stack traces and other tools use stay unchanged (`get_Item`, `op_Equality`, `.cctor`), so that they can
//! be searched for. Generated names become what the programmer wrote. Module, namespaces, arguments, tier marks and
//! code offsets are dropped. Every source gives a method the same display name:
//!
//! | spelling | example |
//! |---|---|
//! | TraceEvent, dotnet-trace, PerfView | ``Acme!Acme.Cache`1+Slot[System.__Canon].Get(!0)`` |
//! | dotTrace, its Reporter | ``Acme!Acme.Cache`1+Slot.Get`` |
//! | perf map, `collect-linux` | ``instance !0 [Acme] Acme.Cache`1+Slot[System.__Canon]::Get(!0)[OptimizedTier1]+0x12`` |
//! | collapsed stacks of those | the same with `_[j]` after it |
//! | nested types joined by dots | `Acme.Cache<T>.Slot.Get(T)` |
//!
//! All become `Cache<T>.Slot.Get`. A text that is not a .NET name (a thread, `?!?`, a C++ or kernel symbol) only
//! loses its module and offset; `Module!?` keeps the module. Everything is linear in the length of the name.

mod category;
mod generated;
mod libraries;
mod path;
mod spelling;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use category::category_as_spelled;
pub use category::{UserCode, category_of};
pub use generated::paused_method;
pub(crate) use path::raw_arguments;
pub use spelling::module_name;
pub(crate) use spelling::{Spelling, is_marked_as_kernel};

use crate::names::FrameKind;
use crate::text::visible;

pub(crate) const MAX_CHARS: usize = 400;

/// The module, without folder, `.dll`, `.exe`, `.il` and `.ni`, and the rest of a raw name; the module may be empty.
pub fn split_module(name: &str) -> (&str, &str) {
    let spelling = Spelling::of(name);
    (spelling.module, spelling.full)
}

pub const ALLOCATED: &str = "[allocated] ";

pub const CONSTRUCTED: &str = "new ";

/// The names of the type parameters of a method and of its types, separated by commas, if the source has them: `TKey`
/// instead of `T1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeParameters<'a> {
    pub of_types: &'a str,
    pub of_method: &'a str,
}

impl TypeParameters<'static> {
    pub const UNKNOWN: TypeParameters<'static> = TypeParameters {
        of_types: "",
        of_method: "",
    };
}

/// The display name of a frame with this kind and raw name: at most 400 characters, none of them hostile to a terminal.
/// O(length).
pub fn display_name(kind: FrameKind, name: &str) -> String {
    display_name_as_spelled(kind, name, &Spelling::of(name), TypeParameters::UNKNOWN)
}

pub(crate) fn display_name_as_spelled(
    kind: FrameKind,
    name: &str,
    spelling: &Spelling,
    type_parameters: TypeParameters,
) -> String {
    if let Some(type_name) = name
        .strip_prefix(ALLOCATED)
        .filter(|rest| rest.len() <= path::MAX_PARSED_BYTES)
    {
        let type_name = types::shown(type_name, types::TypeContext::TOP);
        return presentable(&format!("{ALLOCATED}{type_name}"));
    }
    if kind != FrameKind::Method {
        return presentable(name);
    }
    match path::shown(spelling, type_parameters) {
        Some(shown) => presentable(&shown),
        // `Module!?` is an unknown method in a known module
        None if spelling.full.starts_with('?') && !spelling.module.is_empty() => {
            presentable(&format!("{}!{}", spelling.module, spelling.full))
        }
        None => presentable(spelling.full),
    }
}

/// The parameter types of a raw name that has them, for display: `(String[], Int32)`.
pub fn display_parameters(name: &str, type_parameters: TypeParameters) -> Option<String> {
    path::parameters(&Spelling::of(name), type_parameters).map(|text| presentable(&text))
}

/// The namespace of a method, which may be empty, and its type, nested types after a dot; compiler-generated types
/// count as the enclosing type.
pub fn namespace_and_type(name: &str) -> Option<(String, String)> {
    path::namespace_and_types(&Spelling::of(name))
}

/// Makes hostile characters visible and shortens long text by cutting out its middle.
fn presentable(text: &str) -> String {
    let clean = visible(text);
    // a character has at least one byte, so counting is rarely needed
    if clean.len() <= MAX_CHARS || clean.chars().count() <= MAX_CHARS {
        return clean.into_owned();
    }
    let (head, tail) = (MAX_CHARS / 2 - 1, MAX_CHARS / 2);
    let chars: Vec<char> = clean.chars().collect();
    let [start, end] = [&chars[..head], &chars[chars.len() - tail..]].map(String::from_iter);
    format!("{start}…{end}")
}
