//! A line of a stack: `7f567a06e252 symbol+0x12 (dso)`.

use crate::importers::native::{file_name, frame_name, is_no_module};
use crate::names::FrameKind;
use std::borrow::Cow;

/// What perf prints where it knows no name.
const UNKNOWN: &str = "[unknown]";

/// With fewer digits and no symbol behind it, a number is a symbol itself.
const SHORTEST_ADDRESS: usize = 6;

/// A line of a stack in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameLine<'a> {
    pub address: Option<u64>,
    /// Without the distance from its start.
    pub symbol: &'a str,
    /// The file in which the code is; empty if it is not said.
    pub dso: &'a str,
}

/// The address at the start of a line, and what follows.
pub(super) fn split_address(line: &[u8]) -> (Option<u64>, &[u8]) {
    let line = line.trim_ascii();
    let end = line
        .iter()
        .position(|b| matches!(b, b' ' | b'\t'))
        .unwrap_or(line.len());
    let digits = std::str::from_utf8(&line[..end]).unwrap_or("");
    let rest = line[end..].trim_ascii_start();
    // a function can be called `add`, where perf was told to leave addresses out
    let is_symbol =
        digits.starts_with('+') || rest.starts_with(b"(") && digits.len() < SHORTEST_ADDRESS;
    match u64::from_str_radix(digits, 16) {
        Ok(address) if !is_symbol => (Some(address), rest),
        _ => (None, line),
    }
}

/// The file and the line of a frame's source: `main.c:12`. What perf prints where it does not know them, `libfoo.so[2f3a]` or
/// `main+12`, is none.
pub(super) fn source(text: &str) -> Option<(&str, u64)> {
    let text = text.trim().trim_end_matches(" (inlined)");
    let text = text.split(" (discriminator ").next().unwrap_or(text);
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|&line| line > 0)?;
    (!file.is_empty() && file != "??").then_some((file, line))
}

/// Whether a line starts with an address that a symbol follows.
pub(super) fn has_address(line: &str) -> bool {
    matches!(split_address(line.as_bytes()), (Some(_), rest) if !rest.is_empty())
}

impl<'a> FrameLine<'a> {
    /// The parts of a line without its address.
    pub(super) fn parse(address: Option<u64>, text: &'a str) -> FrameLine<'a> {
        let (symbol, dso) = match dso_start(text) {
            Some(open) => (
                text[..open].trim_end(),
                without_offset(&text[open + 1..text.len() - 1]),
            ),
            None => (text, ""),
        };
        FrameLine {
            address,
            symbol: without_offset(symbol),
            dso,
        }
    }

    /// Whether perf knows no name.
    pub(super) fn is_unnamed(&self) -> bool {
        matches!(self.symbol, UNKNOWN | "")
    }

    /// Whether the code is not in a file, so that only a map of the process can name it.
    pub(super) fn is_in_no_file(&self) -> bool {
        is_no_module(self.dso)
    }

    /// The process whose map perf looked for a name in, `12596` of `/tmp/perf-12596.map`.
    pub(super) fn map_pid(&self) -> Option<u32> {
        file_name(self.dso)
            .strip_prefix("perf-")?
            .strip_suffix(".map")?
            .parse()
            .ok()
    }

    /// The kind and the raw name of the frame.
    pub(super) fn name(&self) -> (FrameKind, Cow<'a, str>) {
        let symbol = if self.symbol == UNKNOWN {
            ""
        } else {
            self.symbol
        };
        frame_name(symbol, self.dso)
    }
}

/// Where the bracket opens that closes at the end of the line: names of files may have brackets, too.
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
    // brackets that do not fit
    text.rfind(" (").map(|at| at + 1)
}

/// Without `+0x1f`.
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
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, kind: FrameKind, name: &str) {
        let (address, text) = split_address(line.as_bytes());
        let found = FrameLine::parse(address, std::str::from_utf8(text).unwrap()).name();
        assert_eq!((found.0, found.1.as_ref()), (kind, name), "{line}");
    }

    #[test]
    fn names_have_their_module() {
        use FrameKind::{Method, Special};
        check(
            "\t    7f567a06e252 int32 [Workload] Demo.Deep::Level(int32,int32)[OptimizedTier1]+0x12 (/tmp/perf-12596.map)",
            Method,
            "int32 [Workload] Demo.Deep::Level(int32,int32)",
        );
        check(
            "\t7f00 instance !0 [Acme] Acme.A`1[System.__Canon]::Get(!0)[PreJIT] (/tmp/jitted-12-3.so)",
            Method,
            "instance !0 [Acme] Acme.A`1[System.__Canon]::Get(!0)",
        );
        check(
            "\t24e2df CallDescrWorkerInternal+0x7c (/usr/share/libcoreclr.so)",
            Method,
            "libcoreclr.so!CallDescrWorkerInternal",
        );
        check(
            "\t482 CorUnix::CPalThread::ThreadEntry+0x208 (/a b/libcoreclr.so)",
            Method,
            "libcoreclr.so!CorUnix::CPalThread::ThreadEntry",
        );
        check(
            "\tffff do_futex+0x1 ([kernel.kallsyms])",
            Method,
            "[kernel.kallsyms]!do_futex",
        );
        check(
            "\t455d12 [unknown] (/opt/System.Private.CoreLib.dll)",
            Method,
            "System.Private.CoreLib!?",
        );
        check("\t455d12 [unknown] ([unknown])", Special, "?!?");
        check("\t455d12 [unknown] (//anon)", Special, "?!?");
        check(
            "\t455d12 [unknown] (/memfd:doublemapper (deleted))",
            Special,
            "?!?",
        );
        check("\t455d12 [unknown]", Special, "?!?");
        check("\t455d12", Special, "?!?");
        check(
            "\t7f stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>+0x3 (/tmp/perf-7.map)",
            Method,
            "stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>",
        );
        check(
            "\t7f main+0x5 (/home/x (old)/libfoo.so (deleted))",
            Method,
            "libfoo.so!main",
        );
        check("\t7f f(int) (/bin/a)", Method, "a!f(int)");
        check("\t7f f(int)", Method, "f(int)");
        check("\t7f f (inlined)", Method, "f");
        check("\t7f f (/bin/a+0x123)", Method, "a!f");
        check("\t7f operator+0x5 (/bin/a)", Method, "a!operator");
        // without addresses
        check("\tmain (/bin/a)", Method, "a!main");
        check("\tg ) (/bin/a)", Method, "a!g )");
        check("\tadd (/bin/a)", Method, "a!add");
        check("\t7f567a06e252 (/bin/a)", Method, "a!?");
    }

    #[test]
    fn sources_are_files_with_lines() {
        for (text, expect) in [
            ("  main.c:12", Some(("main.c", 12))),
            ("  /a b/main.c:7 (inlined)", Some(("/a b/main.c", 7))),
            ("  x.c:3 (discriminator 2)", Some(("x.c", 3))),
            ("  ??:0", None),
            ("  ??:12", None),
            ("  main.c:0", None),
            ("  libfoo.so[2f3a]", None),
            ("  A::B+341", None),
        ] {
            assert_eq!(source(text), expect, "{text}");
        }
    }

    #[test]
    fn maps_are_asked_for_what_is_in_no_file() {
        let line = |text| FrameLine::parse(Some(1), text);
        assert!(
            line("[unknown] (/tmp/perf-12.map)").is_unnamed()
                && line("[unknown] (/tmp/perf-12.map)").is_in_no_file()
        );
        assert_eq!(line("[unknown] (/tmp/perf-12.map)").map_pid(), Some(12));
        assert!(
            line("[unknown] ([unknown])").is_unnamed()
                && line("[unknown] ([unknown])").is_in_no_file()
        );
        assert!(!line("[unknown] (/lib/libc.so.6)").is_in_no_file());
        assert!(!line("f (/tmp/perf-12.map)").is_unnamed());
        assert_eq!(line("f (/lib/libc.so.6)").map_pid(), None);
    }
}
