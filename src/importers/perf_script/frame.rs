//! A line of a stack: `7f567a06e252 symbol+0x12 (dso)`.

use crate::importers::native::frame_name;
use crate::names::FrameKind;
use std::borrow::Cow;

const UNKNOWN: &str = "[unknown]";

/// A number with fewer digits and no symbol after it is a symbol itself.
const SHORTEST_ADDRESS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameLine<'a> {
    pub address: Option<u64>,
    /// Without the offset.
    pub symbol: &'a str,
    pub dso: &'a str,
}

/// The address, and what follows it.
pub(super) fn split_address(line: &[u8]) -> (Option<u64>, &[u8]) {
    let line = line.trim_ascii();
    let end = line.iter().position(|b| matches!(b, b' ' | b'\t'));
    let end = end.unwrap_or(line.len());
    let digits = std::str::from_utf8(&line[..end]).unwrap_or("");
    let rest = line[end..].trim_ascii_start();
    // a function may be called `add`
    let is_symbol =
        digits.starts_with('+') || rest.starts_with(b"(") && digits.len() < SHORTEST_ADDRESS;
    match u64::from_str_radix(digits, 16) {
        Ok(address) if !is_symbol => (Some(address), rest),
        _ => (None, line),
    }
}

/// `main.c:12`; `None` for `libfoo.so[2f3a]` or `main+12`, which perf prints if it is unknown.
pub(super) fn source(text: &str) -> Option<(&str, u64)> {
    let text = text.trim().trim_end_matches(" (inlined)");
    let text = text.split(" (discriminator ").next().unwrap_or(text);
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|&line| line > 0)?;
    (!file.is_empty() && file != "??").then_some((file, line))
}

pub(super) fn has_address(line: &str) -> bool {
    matches!(split_address(line.as_bytes()), (Some(_), rest) if !rest.is_empty())
}

impl<'a> FrameLine<'a> {
    pub(super) fn parse(address: Option<u64>, text: &'a str) -> FrameLine<'a> {
        let (symbol, dso) = match dso_start(text) {
            Some(open) => (text[..open].trim_end(), &text[open + 1..text.len() - 1]),
            None => (text, ""),
        };
        FrameLine {
            address,
            symbol: without_offset(symbol),
            dso: without_offset(dso),
        }
    }

    pub(super) fn is_unnamed(&self) -> bool {
        matches!(self.symbol, UNKNOWN | "")
    }

    pub(super) fn name(&self) -> (FrameKind, Cow<'a, str>) {
        let is_unknown = self.symbol == UNKNOWN;
        frame_name(if is_unknown { "" } else { self.symbol }, self.dso)
    }
}

/// Of the bracket that closes at the end of the line; file names may contain brackets, too.
fn dso_start(text: &str) -> Option<usize> {
    if !text.ends_with(')') {
        return None;
    }
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 1 => {
                let is_apart = at == 0 || text.as_bytes()[at - 1] == b' ';
                return is_apart.then_some(at);
            }
            b'(' => depth -= 1,
            _ => {}
        }
    }
    text.rfind(" (").map(|at| at + 1)
}

fn without_offset(text: &str) -> &str {
    match text.rsplit_once("+0x") {
        Some((before, digits))
            if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            before
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests;
