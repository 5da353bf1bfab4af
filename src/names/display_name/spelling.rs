//! The ways in which profilers spell a method, split into parts.

use crate::text::file_name;
use memchr::memchr_iter;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spelling<'a> {
    pub module: &'a str,
    pub full: &'a str,
    /// Only perf maps have it: `void`, `bool`, `class System.String`…
    pub result: Option<&'a str>,
}

/// The tier marks of the runtime's perf maps and of TraceEvent's `OptimizationTier`.
const TIERS: &str = "Unknown MinOptJitted Optimized QuickJitted OptimizedTier1 OptimizedTier1OSR \
    OptimizedTier1Instrumented QuickJittedInstrumented InstrumentedTier InstrumentedTierOptimized InstrumentedTier0 \
    InstrumentedTier1 PreJIT ReadyToRun";

impl<'a> Spelling<'a> {
    pub(crate) fn of(name: &'a str) -> Spelling<'a> {
        let name = without_offset(without_mark(name));
        if let Some(spelling) = perf_map(name) {
            return spelling;
        }
        let spelled = |module, full| Spelling {
            module,
            full: without_tier(full),
            result: None,
        };
        let in_module = name
            .split_once('!')
            .filter(|(_, full)| !full.is_empty() && !full.starts_with([' ', '=']))
            .and_then(|(path, full)| Some((module_of(path)?, full)));
        match in_module {
            Some((module, full)) => spelled(module, full),
            None => spelled("", name),
        }
    }

    pub(crate) fn is_nameless(&self) -> bool {
        matches!(self.full, "?" | "") || self.full.starts_with("0x")
    }
}

/// `instance bool [Module] Ns.Type::Method(args)[Tier]`. A `] ` can't come before the module's: within the result's
/// type, assembly names directly precede the type.
fn perf_map(name: &str) -> Option<Spelling<'_>> {
    let close =
        memchr_iter(b']', name.as_bytes()).find(|at| name.as_bytes().get(at + 1) == Some(&b' '))?;
    let open = name[..close].rfind('[')?;
    let (before, full) = (&name[..open], &name[close + 2..]);
    let is_method = full[..full.find('(').unwrap_or(full.len())].contains("::");
    if !is_method || !(before.is_empty() || before.ends_with(' ')) {
        return None;
    }
    let result = before.trim();
    let result = result.strip_prefix("instance ").unwrap_or(result);
    Some(Spelling {
        module: stem(&name[open + 1..close]),
        full,
        result: Some(result),
    })
}

fn module_of(path: &str) -> Option<&str> {
    let is_path = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    let file = if is_path { file_name(path) } else { path };
    let in_brackets = file.len() > 2 && file.starts_with('[') && file.ends_with(']');
    // a `!` within arguments stands for a type parameter, one after `::` belongs to C++'s `operator!`, and one in
    // quotes to a label
    let is_no_module = |byte| {
        matches!(
            byte,
            b'(' | b'<' | b'`' | b'[' | b'?' | b'"' | b':' | b'|' | b'*'
        )
    };
    let is_module = in_brackets || !file.bytes().any(is_no_module);
    (is_module && !file.is_empty()).then(|| stem(file))
}

/// From a file's path: without folders, `.dll`, `.exe`, and the `.ni` and `.il` that some runtimes and older versions
/// of TraceEvent put before these.
pub fn module_name(path: &str) -> &str {
    stem(file_name(path))
}

fn stem(file: &str) -> &str {
    let mut stem = file;
    for extension in [".dll", ".exe", ".ni", ".il"] {
        let cut = stem.len().saturating_sub(extension.len());
        // the cut may fall within a character, then `get` returns nothing
        if cut > 0
            && stem
                .get(cut..)
                .is_some_and(|end| end.eq_ignore_ascii_case(extension))
        {
            stem = &stem[..cut];
        }
    }
    stem
}

/// Suffixes in collapsed stacks: kernel, compiled at run time, inlined, and kernel of the thread that woke this one.
const MARKS: [&str; 4] = ["_[k]", "_[j]", "_[i]", "_[w]"];

pub(crate) fn is_marked_as_kernel(name: &str) -> bool {
    name.ends_with("_[k]") || name.ends_with("_[w]")
}

fn without_mark(name: &str) -> &str {
    let short = MARKS.iter().find_map(|mark| name.strip_suffix(mark));
    short.filter(|short| !short.is_empty()).unwrap_or(name)
}

/// Without `+0x1f`, the distance from the method's start.
fn without_offset(name: &str) -> &str {
    let offset = name
        .rsplit_once('+')
        .and_then(|(before, offset)| Some((before, offset.strip_prefix("0x")?)));
    let is_offset = |(before, digits): &(&str, &str)| {
        !before.is_empty() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    offset.filter(is_offset).map_or(name, |(before, _)| before)
}

/// Without `[OptimizedTier1]` at either end.
fn without_tier(full: &str) -> &str {
    let is_tier = |mark: &str| TIERS.split(' ').any(|tier| tier == mark);
    let front = full.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let full = match front {
        Some((tier, rest)) if !rest.is_empty() && is_tier(tier) => rest,
        _ => full,
    };
    let back = full
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once('['));
    match back {
        Some((rest, tier)) if !rest.is_empty() && is_tier(tier) => rest,
        _ => full,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Dot,
    /// `+`: what follows is nested in a type.
    Plus,
    /// `::`: what follows is a member.
    Colons,
}

/// The parts of a path up to the arguments, and the rest. `None` if it is not a .NET name; `strict` refuses spaces.
pub(super) fn parts(text: &str, strict: bool) -> Option<(Vec<NamePart<'_>>, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::with_capacity(8);
    let (mut start, mut separator, mut angle, mut square) = (0, Separator::Dot, 0u32, 0u32);
    let mut end = bytes.len();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'<' => angle += 1,
            b'>' => angle = angle.checked_sub(1)?,
            b'[' => square += 1,
            b']' => square = square.checked_sub(1)?,
            _ => {}
        }
        let next = match bytes[at] {
            b'<' | b'>' | b'[' | b']' => None,
            _ if angle + square > 0 => None,
            b'(' => {
                end = at;
                break;
            }
            b'.' if at == start => {
                // the second dot of `Type..ctor`
                (text[at..].starts_with(".ctor") || text[at..].starts_with(".cctor"))
                    .then_some(())?;
                None
            }
            b'.' => Some((Separator::Dot, 1)),
            b'+' => Some((Separator::Plus, 1)),
            b':' if bytes.get(at + 1) == Some(&b':') => Some((Separator::Colons, 2)),
            b':' | b'/' | b'\\' => return None,
            b' ' | b'\t' if strict => return None,
            _ => None,
        };
        match next {
            Some((following, width)) => {
                found.push(NamePart::of(separator, &text[start..at])?);
                separator = following;
                at += width;
                start = at;
            }
            None => at += 1,
        }
    }
    if angle + square > 0 {
        return None;
    }
    found.push(NamePart::of(separator, &text[start..end])?);
    Some((found, &text[end..]))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamePart<'a> {
    pub separator: Separator,
    pub text: &'a str,
    pub name: &'a str,
    /// The number of type parameters, from after the backtick.
    pub arity: usize,
    pub arguments: Arguments<'a>,
}

/// In brackets after an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arguments<'a> {
    None,
    /// `[…]`, the runtime's spelling: the arguments of all enclosing types, too.
    Square(&'a str),
    /// `<…>`, the C# spelling.
    Angle(&'a str),
}

impl<'a> NamePart<'a> {
    fn of(separator: Separator, text: &'a str) -> Option<NamePart<'a>> {
        if text.is_empty() || text.as_bytes()[0].is_ascii_digit() {
            return None;
        }
        let name_end = name_end(text);
        let (name, mut rest) = text.split_at(name_end);
        let mut arity = 0;
        if rest.starts_with('`') {
            let digits = rest.trim_start_matches('`');
            rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            arity = digits[..digits.len() - rest.len()].parse().unwrap_or(0);
        }
        let inside = |open, close| {
            rest.strip_prefix(open)
                .and_then(|rest: &str| rest.strip_suffix(close))
        };
        let (name, arity, arguments) = match (inside('[', ']'), inside('<', '>')) {
            (Some(list), _) if list.bytes().all(|b| b == b',') => (name, arity, Arguments::None),
            (Some(list), _) => (name, arity, Arguments::Square(list)),
            (_, Some(list)) => (name, arity, Arguments::Angle(list)),
            _ if rest.is_empty() => (name, arity, Arguments::None),
            // unknown syntax: keep every character
            _ => (text, 0, Arguments::None),
        };
        Some(NamePart {
            separator,
            text,
            name,
            arity,
            arguments,
        })
    }
}

/// The end of the identifier at the start of a part. A compiler-generated one may start with balanced `<…>`.
fn name_end(text: &str) -> usize {
    let from = match text.starts_with('<') {
        true => closing(text, b'<', b'>').map_or(text.len(), |at| at + 1),
        false => 0,
    };
    let mut bytes = text.as_bytes()[from..].iter();
    match bytes.position(|byte| matches!(byte, b'`' | b'[' | b'<')) {
        // not empty: the part would have no name
        Some(at) if from + at > 0 => from + at,
        _ => text.len(),
    }
}

pub(super) fn closing(text: &str, open: u8, close: u8) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// The trimmed items of a comma-separated list; commas within brackets do not count.
pub(super) fn items(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(list).filter(|list| !list.trim().is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let mut depth = 0i64;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'<' | b'[' | b'(' => depth += 1,
                b'>' | b']' | b')' => depth -= 1,
                b',' if depth <= 0 => {
                    rest = Some(&text[at + 1..]);
                    return Some(text[..at].trim());
                }
                _ => {}
            }
        }
        rest = None;
        Some(text.trim())
    })
}

#[cfg(test)]
mod tests;
