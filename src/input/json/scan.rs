//! The byte loops of the JSON reader. They report when a slice ends too early.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < b' '
}

/// The index of the first special byte of a string, or the length. Each test sets the high bit of every match. A
/// borrow can set further bits, but only above a true match: the lowest bit is right.
#[inline]
pub(super) fn special(bytes: &[u8]) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let zero = |x: u64| x.wrapping_sub(LOW) & !x;
        let quote = zero(word ^ (LOW * u64::from(b'"')));
        let backslash = zero(word ^ (LOW * u64::from(b'\\')));
        let control = word.wrapping_sub(LOW * u64::from(b' ')) & !word;
        let hits = (quote | backslash | control) & HIGH;
        if hits != 0 {
            return index * 8 + hits.trailing_zeros() as usize / 8;
        }
    }
    let end = tail.iter().position(|&byte| is_special(byte));
    words.len() * 8 + end.unwrap_or(tail.len())
}

#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

pub(super) fn spaces(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|&byte| !is_space(byte));
    end.unwrap_or(bytes.len())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    Complete(usize),
    Partial,
    /// The index of the wrong byte.
    Invalid(usize),
}

pub(super) fn escape(bytes: &[u8]) -> Escape {
    match bytes.get(1) {
        None => Escape::Partial,
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Escape::Complete(2),
        Some(b'u') => {
            let digits = bytes.iter().skip(2).take(4);
            let digits = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
            match digits {
                4 => Escape::Complete(6),
                _ if 2 + digits == bytes.len() => Escape::Partial,
                _ => Escape::Invalid(2 + digits),
            }
        }
        Some(_) => Escape::Invalid(1),
    }
}

/// Replaces unpaired surrogates by `\ufffd`. Programs that cut names at a number of UTF-16 units write them.
pub(super) fn without_lone_surrogates(token: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(token.len());
    let mut at = 0;
    while let Some(&byte) = token.get(at) {
        let Escape::Complete(len) = (if byte == b'\\' {
            escape(&token[at..])
        } else {
            Escape::Complete(1)
        }) else {
            break;
        };
        let (here, next) = (surrogate(&token[at..]), surrogate(&token[at + len..]));
        let is_pair = (here, next) == (Some(HIGH_SURROGATE), Some(!HIGH_SURROGATE));
        let len = if is_pair { 12 } else { len };
        if here.is_some() && len == 6 {
            clean.extend_from_slice(br"\ufffd");
        } else {
            clean.extend_from_slice(&token[at..at + len]);
        }
        at += len;
    }
    clean
}

const HIGH_SURROGATE: bool = true;

fn surrogate(bytes: &[u8]) -> Option<bool> {
    let unit = bytes.strip_prefix(br"\u")?.get(..4)?;
    let unit = u16::from_str_radix(std::str::from_utf8(unit).ok()?, 16).ok()?;
    match unit {
        0xd800..=0xdbff => Some(HIGH_SURROGATE),
        0xdc00..=0xdfff => Some(!HIGH_SURROGATE),
        _ => None,
    }
}
