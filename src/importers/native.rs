//! Frame names in machine-wide recordings: native code, and code compiled at run time as named by .NET's perf maps.

use super::dotnet::{UNKNOWN_FRAME, short_module, unknown_method_of};
use crate::names::{FrameKind, module_name, split_module};
use std::borrow::Cow;

/// From the symbol (empty if unknown) and the file with the code.
pub(super) fn frame_name<'a>(symbol: &'a str, file: &str) -> (FrameKind, Cow<'a, str>) {
    let has_module = !is_not_module(file);
    let file = short_module(file_name(file));
    match symbol {
        "" if has_module => {
            let unknown = unknown_method_of(module_name(file));
            (FrameKind::Method, unknown.into())
        }
        "" => (FrameKind::Special, UNKNOWN_FRAME.into()),
        // the name includes the module
        symbol if !split_module(symbol).0.is_empty() => {
            (FrameKind::Method, without_tier(symbol).into())
        }
        symbol if has_module => (FrameKind::Method, format!("{file}!{symbol}").into()),
        symbol => (FrameKind::Method, symbol.into()),
    }
}

/// Strips a suffix such as `[OptimizedTier1]`.
fn without_tier(symbol: &str) -> &str {
    let rest = symbol.strip_suffix(']').unwrap_or("");
    let (rest, tier) = rest.rsplit_once('[').unwrap_or_default();
    let is_tier = rest.ends_with(')') && tier.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_tier { rest } else { symbol }
}

pub(super) fn file_name(dso: &str) -> &str {
    let dso = dso.strip_suffix(" (deleted)").unwrap_or(dso);
    match dso.rsplit('/').next() {
        Some(name) if !dso.starts_with('[') => name,
        _ => dso,
    }
}

pub(super) fn is_not_module(dso: &str) -> bool {
    const STARTS: [&str; 4] = ["[anon", "memfd:", "jitted-", "SYSV"];
    let name = file_name(dso);
    matches!(
        name,
        "" | "[unknown]" | "inlined" | "[heap]" | "[stack]" | "anon" | "zero"
    ) || dso.starts_with("//anon")
        || STARTS.iter().any(|start| name.starts_with(start))
        || (name.starts_with("perf-") && name.ends_with(".map"))
}

pub(super) fn map_pid(dso: &str) -> Option<u32> {
    let name = file_name(dso).strip_prefix("perf-")?;
    name.strip_suffix(".map")?.parse().ok()
}
