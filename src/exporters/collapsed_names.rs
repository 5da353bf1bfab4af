//! Names in collapsed stacks.

use crate::text::visible;

const NAMELESS: &str = "[No name]";

pub(super) fn written(name: &str) -> String {
    let name = visible(name).replace(';', ":");
    let name = name.trim();
    match name.strip_prefix('#') {
        // a line that begins with it is a comment
        Some(rest) => format!("\\u{{23}}{rest}"),
        None if name.is_empty() => NAMELESS.into(),
        None => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn names_do_not_end_frames_or_lines() {
        for (name, expect) in [
            (
                "Acme!Acme.Shop.Sell(int32, bool)",
                "Acme!Acme.Shop.Sell(int32, bool)",
            ),
            ("a;b;c", "a:b:c"),
            ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
            ("foo 12", "foo 12"),
            (" foo ", "foo"),
            ("\u{3000}foo\u{a0}", "foo"),
            ("", "[No name]"),
            (" ", "[No name]"),
            ("#foo", "\\u{23}foo"),
            ("\u{1b}[2J\u{202e}\u{200b}", "\\u{1b}[2J\\u{202e}\\u{200b}"),
        ] {
            assert_eq!(written(name), expect, "{name:?}");
        }
    }
}
